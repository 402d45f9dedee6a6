#include "cases/scenes.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "cases/variations.h"

namespace tenon::bench {
namespace {

struct Entry {
  std::string_view name, file, size;            // the parameter that its size is
  std::string_view parameter = {}, value = {};  // another, as it is to be measured
  bool ownStep = false;                         // it steps as long as it asks for
};
constexpr Entry kScenes[] = {
    {"s1", "peers/s1", "N"},
    {"s2", "peers/s2", "N"},
    {"s3", "peers/s3", "N"},
    {"s4", "peers/s4", "N"},
    {"s5", "peers/s5", "people"},
    {"s6", "peers/s6", ""},
    {"link-grid", "linkages/link-grid", "n"},
    {"crowd", "figures/crowd", "people", "weight", "9.81"},  // it falls
    {"marionette", "figures/marionette", ""},
    {"strandbeest", "linkages/strandbeest", "pairs", "held", "0"},  // it falls
    {"four-bar", "linkages/four-bar", ""},
    {"fig5", "faure/fig5-structure", ""},
    {"r1", "peers/r1", "people"},
    // As people have them: in their own steps.
    {"own:marionette", "figures/marionette", "", {}, {}, true},
    {"own:hand", "figures/hand", "", {}, {}, true},
    {"own:chair", "manikin/chair", "", {}, {}, true},
    {"own:monocycle", "gascuel/monocycle", "", {}, {}, true},
    {"own:otary", "gascuel/otary", "", {}, {}, true},
    {"own:stewart-platform", "linkages/stewart-platform", "", {}, {}, true},
    {"own:slider-crank", "linkages/slider-crank", "", {}, {}, true},
    {"own:strandbeest", "linkages/strandbeest", "", {}, {}, true},
    {"hand", "figures/hand", ""},
    {"chair", "manikin/chair", ""},
    {"monocycle", "gascuel/monocycle", ""},
    {"otary", "gascuel/otary", ""},
    {"stewart-platform", "linkages/stewart-platform", ""},
    {"slider-crank", "linkages/slider-crank", ""},
};

[[noreturn]] void giveUp(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

const Entry* find(std::string_view name) {
  for (const Entry& entry : kScenes)
    if (entry.name == name) return &entry;
  return nullptr;
}

// The entry, and the size that was asked for.
std::pair<const Entry*, std::string> split(const std::string& name) {
  if (const Entry* entry = find(name)) return {entry, {}};
  const std::size_t dash = name.rfind('-');
  const Entry* entry = dash == std::string::npos ? nullptr : find(name.substr(0, dash));
  if (entry == nullptr || entry->size.empty()) giveUp("there is no scene '" + name + "'");
  return {entry, name.substr(dash + 1)};
}

// What a name is short for: "s5+damper-8" is s5 with a damper on each coordinate, and 8 people.
struct Asked {
  const Entry* entry = nullptr;
  const Variation* variation = nullptr;
  std::string size;
};
Asked askedFor(const std::string& name) {
  const std::size_t plus = name.find('+');
  if (plus == std::string::npos) {
    const auto [entry, size] = split(name);
    return {entry, nullptr, size};
  }
  const std::size_t dash = name.rfind('-');
  const bool sized = dash != std::string::npos && dash > plus &&
                     name.find_first_not_of("0123456789", dash + 1) == std::string::npos;
  const std::string what = name.substr(plus + 1, sized ? dash - plus - 1 : std::string::npos);
  const Asked asked{split(name.substr(0, plus)).first, findVariation(what),
                    sized ? name.substr(dash + 1) : std::string()};
  if (asked.variation == nullptr) giveUp("there is no variation '" + what + "'");
  return asked;
}

std::string fileAt(const std::string& path) {
  std::ifstream in(path);
  std::stringstream read;
  read << in.rdbuf();
  if (!in || read.str().empty()) giveUp("cannot read '" + path + "'");
  return read.str();
}

Mechanism compiled(const Result<Scene>& scene) {
  if (!scene) giveUp(describe(scene.problems().front()));
  Result<Mechanism> mechanism = compile(*scene);
  if (!mechanism) giveUp(describe(mechanism.problems().front()));
  return std::move(*mechanism);
}

}  // namespace

std::string pathOf(const std::string& name) {
  return TENON_SOURCE_DIR "/scenes/" + std::string(askedFor(name).entry->file) + ".tenon";
}

Moving movingScene(const std::string& name) {
  const auto [entry, variation, size] = askedFor(name);
  ParseOptions options;
  if (!size.empty()) options.set.emplace_back(std::string(entry->size), size);
  if (!entry->parameter.empty()) options.set.emplace_back(entry->parameter, entry->value);
  if (variation != nullptr && isAlone(*variation)) options.set.clear();
  Moving moving;
  const Result<Scene> scene =
      variation == nullptr ? loadScene(pathOf(name), options)
                           : parseScene(varied(*variation, fileAt(pathOf(name))), name, options);
  moving.mechanism = compiled(scene);
  if (entry->ownStep) moving.dt = scene->settings.number("dt").value_or(1.0 / 240);
  const Mechanism& m = moving.mechanism;
  moving.control = initialControl(m);
  moving.start = initialState(m);
  for (const MechanismSolid& solid : m.solids)
    if (solid.kind == SolidKind::Dynamic) ++moving.solids;
  if (entry->name == "link-grid")
    for (Index s = 0; s < m.solids.size(); ++s)
      moving.start.velocity[s] = {0, (static_cast<int>(s * 37 % 17) - 8) / 8.0, 0};
  PoseScratch scratch;
  const JointError open = jointError(m, moving.control, moving.start);
  if (open.max > 1e-9 || open.range > 1e-9)
    assemble(m, moving.control, {}, {}, moving.start, scratch);
  projectVelocities(m, moving.control, moving.start, scratch);
  return moving;
}

Mechanism mechanismOf(const std::string& text) { return compiled(parseScene(text, "text")); }

std::string writtenChain(int links) {
  std::string text;
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i);
    text += "solid link-" + n + "\n  box 1 0.1 0.1;\n  density 750;\n  at " + n + ".5 0 0;\nend\n";
    text += "joint ball joint-" + n + "\n" +
            (i == 0 ? "" : "  object1 link-" + std::to_string(i - 1) + ";\n") + "  object2 link-" +
            n + ";\n  at " + n + " 0 0;\nend\n";
  }
  return text;
}

std::string repeatedChain(int links) {
  return "repeat i 0 " + std::to_string(links - 1) +
         "\n  solid link-(i)\n    box 1 0.1 0.1;\n    density 750;\n    at (i + 0.5) 0 0;\n  end\n"
         "  if (i == 0)\n    joint ball joint-(i)\n      object2 link-(i);\n    end\n"
         "  else\n    joint ball joint-(i)\n      object1 link-(i - 1);\n      object2 link-(i);\n"
         "      at (i) 0 0;\n    end\n  end\nend\n";
}

std::string writtenFigure(int links, bool bushy) {
  std::string text = "gravity 0 -9.81 0;\n";
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i), at = bushy ? "0" : n;
    text += "solid s" + n + "\n  box 1 0.1 0.1;\n  at " + at + ".5 0 0;\nend\njoint ball j" + n +
            "\n" + (i == 0 || bushy ? "" : "  object1 s" + std::to_string(i - 1) + ";\n") +
            "  object2 s" + n + ";\n  at " + at + " 0 0;\nend\n";
  }
  return text;
}

}  // namespace tenon::bench
