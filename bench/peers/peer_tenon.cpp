// Tenon in the comparison. A variant is a method and what is changed of its settings, joined by dashes:
//
//   interactive | energy | recursive    the method (recursive: Runge-Kutta with error control)
//   scalar     no lanes                 general    not the fast path
//   threads2   two threads              x4         four steps in a frame
//
// For posing: `track` (the target is a wish) and `track-pinned` (it is to be met like a joint).
//
// `peer_tenon --data SCENE` prints a scene as JSON, for the peers that are written in JavaScript;
// `peer_tenon --text SCENE` as a text that the program `tenon` reads.
#include <tenon/tenon.h>

#include <cinttypes>
#include <sstream>

#include "harness.h"
#include "scene_text.h"

namespace {

using peers::decimal;
using peers::textOf;
using peers::triple;

std::string dataOf(const peers::Scene& scene) {
  std::string out = "{\"name\": \"" + scene.name + "\", \"seconds\": " + decimal(scene.seconds) +
                    ", \"gravity\": [" + triple(scene.gravity, ", ") +
                    "], \"pulled\": " + std::to_string(scene.pulled) + ", \"target\": [" +
                    triple(scene.target, ", ") + "],\n\"boxes\": [";
  for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
    const peers::Box& box = scene.boxes[i];
    out += std::string(i ? ",\n" : "\n") + "{\"centre\": [" + triple(box.centre, ", ") +
           "], \"half\": [" + triple(box.half, ", ") + "], \"density\": " + decimal(box.density) +
           "}";
  }
  out += "],\n\"joints\": [";
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    const peers::Joint& joint = scene.joints[i];
    out += std::string(i ? ",\n" : "\n") + "{\"hinge\": " + (joint.hinge ? "true" : "false") +
           ", \"point\": [" + triple(joint.point, ", ") + "], \"axis\": [" +
           triple(joint.axis, ", ") + "], \"parent\": " + std::to_string(joint.parent) +
           ", \"child\": " + std::to_string(joint.child) +
           ", \"loop\": " + (joint.loop ? "true" : "false") + "}";
  }
  return out + "]}\n";
}

struct Compiled {
  tenon::Mechanism mechanism;
  tenon::Control control;
  tenon::State start;
  tenon::StepSettings settings;
  int substeps = 1;
  std::vector<tenon::Want> wants;
  tenon::PoseSettings posing;
};

class TenonWorld final : public peers::World {
 public:
  explicit TenonWorld(const Compiled& compiled) : c_(compiled), state_(compiled.start) {
    // The first step also analyses the structure, as other engines do while a world is built.
    if (c_.wants.empty()) {
      tenon::State once = state_;
      step(c_.mechanism, c_.control, c_.settings, peers::kFrame / c_.substeps, once, scratch_);
    } else {
      tenon::State once = state_;
      track(c_.mechanism, c_.control, c_.wants, c_.posing, once, poseScratch_);
    }
  }

  void frame() override {
    for (int i = 0; i < c_.substeps; ++i) {
      const tenon::StepReport report = step(c_.mechanism, c_.control, c_.settings,
                                            peers::kFrame / c_.substeps, state_, scratch_);
      iterations_ += report.iterations;
      halvings_ += report.halvings;
      refused_ += report.finite ? 0 : 1;
      fast_ = report.fast;
    }
    ++frames_;
  }

  bool pose() override {
    report_ = track(c_.mechanism, c_.control, c_.wants, c_.posing, state_, poseScratch_);
    return true;
  }

  void read(std::vector<peers::Motion>& out) override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto copy = [](const tenon::Vec3& v) { return peers::Vec{v.x, v.y, v.z}; };
      const tenon::Quat& q = state_.orientation[i];
      out[i] = {copy(state_.position[i]),
                {q.w, q.x, q.y, q.z},
                copy(state_.velocity[i]),
                copy(state_.spin[i])};
    }
  }

  std::string note() const override {
    char text[200];
    if (c_.wants.empty())
      std::snprintf(text, sizeof text,
                    ", \"state_hash\": \"%016" PRIx64
                    "\", \"fast\": %s, \"iterations\": %.2f, \"halvings\": %d, \"refused\": %d",
                    tenon::stateHash(state_).value_or(0), fast_ ? "true" : "false",
                    frames_ ? double(iterations_) / frames_ : 0.0, halvings_, refused_);
    else
      std::snprintf(text, sizeof text, ", \"state_hash\": \"%016" PRIx64 "\", \"iterations\": %d",
                    tenon::stateHash(state_).value_or(0), report_.iterations);
    return text;
  }

 private:
  const Compiled& c_;
  tenon::State state_;
  tenon::StepScratch scratch_;
  tenon::PoseScratch poseScratch_;
  tenon::PoseReport report_;
  int frames_ = 0, iterations_ = 0, halvings_ = 0, refused_ = 0;
  bool fast_ = false;
};

// False: no such variant.
bool readVariant(const std::string& variant, Compiled& compiled) {
  std::stringstream words(variant);
  std::string word;
  std::getline(words, word, '-');
  if (!compiled.wants.empty()) {
    compiled.wants[0].need = variant == "track-pinned";
    return word == "track";
  }
  if (!fromName(word, compiled.settings.method)) return false;
  if (word == "recursive") {
    compiled.settings.integrator = tenon::Integrator::Rk45;
    compiled.settings.recursive.stepTolerance = 1e-10;
  }
  while (std::getline(words, word, '-')) {
    if (word == "scalar")
      compiled.settings.islands.lanes = false;
    else if (word == "general")
      compiled.settings.islands.fast = false;
    else if (word.rfind("threads", 0) == 0)
      compiled.settings.islands.threads = std::atoi(word.c_str() + 7);
    else if (word[0] == 'x')
      compiled.substeps = std::max(1, std::atoi(word.c_str() + 1));
    else
      return false;
  }
  return true;
}

peers::Make prepare(const peers::Scene& scene, const std::string& variant) {
  const auto parsed = tenon::parseScene(textOf(scene), scene.name);
  const auto mechanism =
      parsed.ok() ? tenon::compile(*parsed) : tenon::Result<tenon::Mechanism>(parsed.problems());
  if (!mechanism.ok()) {
    std::fprintf(stderr, "%s\n", tenon::describe(mechanism.problems().front()).c_str());
    return nullptr;
  }
  const auto compiled = std::make_shared<Compiled>();
  compiled->mechanism = *mechanism;
  compiled->control = tenon::initialControl(compiled->mechanism);
  compiled->start = tenon::initialState(compiled->mechanism);
  if (scene.pulled >= 0) {
    tenon::Want want;
    want.solid = static_cast<tenon::Index>(scene.pulled);
    want.target = {scene.target.x, scene.target.y, scene.target.z};
    compiled->wants.push_back(want);
    compiled->posing.tolerance = 1e-9;
  }
  if (!readVariant(variant, *compiled)) return nullptr;
  return [compiled] { return std::make_unique<TenonWorld>(*compiled); };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && (std::string(argv[1]) == "--data" || std::string(argv[1]) == "--text")) {
    const peers::Scene scene = peers::sceneNamed(argv[2]);
    std::printf("%s", (argv[1][2] == 'd' ? dataOf(scene) : textOf(scene)).c_str());
    return scene.boxes.empty() ? 2 : 0;
  }
#ifdef __EMSCRIPTEN__
  return peers::run("tenon-wasm", argc, argv, prepare);
#else
  return peers::run("tenon", argc, argv, prepare);
#endif
}
