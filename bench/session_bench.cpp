// What a hand feels: whole updates of a session, one by one, and how long the slow ones take.
//
//   ./dev bench --session      dragging Faure's figure 5, with all the time there is and with 0.1 ms; finger tips of
//                              the hand, to where they come and beyond; a crowd's frames; commands that hold something
//                              in a scene of 3,200 solids; 35 coordinates set at once
//
// An update is what the page does for a pointer event: `move` and `pose`, or the steps of a frame, from JSON to JSON.
#include <tenon/session.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

class Talk {
 public:
  // In the text, each first becomes its second.
  explicit Talk(const std::string& scene,
                const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    std::ifstream in(std::string(TENON_SOURCE_DIR) + "/scenes/" + scene + ".tenon");
    std::stringstream read;
    read << in.rdbuf();
    std::string text = read.str();
    for (const auto& [from, to] : changes) text.replace(text.find(from), from.size(), to);
    say({{"do", "open"}, {"name", scene + ".tenon"}, {"text", text}});
  }
  Talk() = default;
  Json say(const Json& command) {
    Json answer = Json::parse(session_.run(command.dump()));
    if (!answer.value("ok", false)) {
      std::fprintf(stderr, "%s\n", answer.dump().c_str());
      std::exit(1);
    }
    return answer;
  }
  void sayText(const std::string& command) {
    const std::string answer = session_.run(command);
    if (answer.find("\"ok\":true") == std::string::npos) std::exit(1);
  }
  double error() { return say({{"ask", "measures"}})["error"].get<double>(); }

 private:
  tenon::Session session_;
};

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

// Of the processor, which others do not use up.
double worked(std::clock_t since) {
  return 1000.0 * static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

// What a share of the numbers stays below.
double below(double share, std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[static_cast<std::size_t>(share * static_cast<double>(numbers.size() - 1))];
}

void tell(const char* what, const std::vector<double>& times, const std::vector<double>& errors,
          double behind) {
  std::printf(
      "%-34s median %7.3f  95 %% %7.3f  99 %% %7.3f  most %7.3f ms   joints 99 %% %.1e most %.1e",
      what, below(0.5, times), below(0.95, times), below(0.99, times), below(1, times),
      below(0.99, errors), below(1, errors));
  if (behind >= 0) std::printf("   hand ahead by %.1e m", behind);
  std::printf("\n");
}

// A solid's middle, in updates of 1/60 s: with a from 0 to 2 π it goes by (x sin a, y (1 - cos a), 0).
struct Drag {
  const char *scene, *solid;
  double x, y;  // [m]
  int updates;
};
constexpr Drag kHead{"faure/fig5-structure", "head", 0.15, 0.15, 600};
constexpr Drag kTip{"figures/hand", "index.distal.bone", 0.01, -0.01, 600};
constexpr Drag kFarTip{"figures/hand", "index.distal.bone", 0.1, -0.1, 600};
constexpr Drag kThumb{"figures/hand", "pollex.distal.bone", 0.05, 0.05, 600};

void drag(const char* what, const Drag& way, const Json& budget) {
  Talk talk(way.scene);
  talk.say({{"do", "grab"}, {"id", 1}, {"solid", way.solid}});
  const Json start = talk.say({{"ask", "state"}})["grabs"][0]["target"];
  std::vector<double> times, work, errors;
  double behind = 0;
  for (int i = 1; i <= way.updates; ++i) {
    const double a = 2 * 3.14159265358979 * i / way.updates;
    const Json target = {start[0].get<double>() + way.x * std::sin(a),
                         start[1].get<double>() + way.y * (1 - std::cos(a)), start[2]};
    Json pose = {{"do", "pose"}};
    pose.update(budget);
    const auto before = Clock::now();
    const std::clock_t begun = std::clock();
    talk.say({{"do", "move"}, {"id", 1}, {"target", target}});
    const Json answer = talk.say(pose);
    times.push_back(milliseconds(before));
    work.push_back(worked(begun));
    errors.push_back(talk.error());
    behind = std::max(behind, answer["want_error"].get<double>());
  }
  tell(what, times, errors, behind);
  std::printf("%-34s median %7.3f  95 %% %7.3f  99 %% %7.3f  most %7.3f ms\n", "  of the processor",
              below(0.5, work), below(0.95, work), below(0.99, work), below(1, work));
}

// A frame is 1/60 s, in steps of the scene's own length.
void crowd(const char* what, const char* method) {
  Talk talk("figures/crowd",
            {{"param people 25", "param people 125"}, {"param weight 0", "param weight 9.81"}});
  talk.say({{"do", "settings"}, {"method", method}});
  const double dt = talk.say({{"ask", "state"}})["settings"]["dt"].get<double>();
  const int steps = std::max(1, static_cast<int>(std::lround(1 / (60 * dt))));
  std::vector<double> times, errors;
  for (int i = 0; i < 120; ++i) {
    const auto before = Clock::now();
    talk.say({{"do", "step"}, {"count", steps}});
    times.push_back(milliseconds(before));
    if (i % 20 == 0) errors.push_back(talk.error());
  }
  tell((std::string(what) + ", " + std::to_string(steps) + " steps").c_str(), times, errors, -1);
}

// Commands in a scene of 3,200 solids, each as often as `kTimes`; what they did is taken back in between.
void hold() {
  constexpr int kTimes = 101;
  Talk talk("figures/crowd", {{"param people 25", "param people 200"}});
  const Json scene = talk.say({{"ask", "scene"}});
  Json solids = Json::array(), joints = Json::array();  // that can be held
  for (const Json& solid : scene["solids"])
    if (solid["kind"] == "dynamic") solids.push_back(solid["name"]);
  for (const Json& joint : scene["joints"])
    if (joint["kind"] == "pin") joints.push_back(joint["name"]);
  talk.say({{"do", "step"}, {"count", 2}});
  const auto some = [](const Json& list, int i) {
    return list[(static_cast<std::size_t>(i) * 977 + 5) % list.size()];
  };
  struct Case {
    const char* name;
    Json command;
    const char* of;   // what it names: solid, joint, joints
    Json first = {};  // said before, if not null
  };
  const Json hand = {{"do", "grab"}, {"id", 1}, {"dynamic", true}};
  const Case cases[] = {
      {"pin", {{"do", "pin"}, {"point", {0, 0, 0}}}, "solid"},
      {"pin after a step", {{"do", "pin"}, {"point", {0, 0, 0}}}, "solid", {{"do", "step"}}},
      {"unpin", {{"do", "unpin"}}, "solid", {{"do", "pin"}, {"point", {0, 0, 0}}}},
      {"limit", {{"do", "limit"}, {"coordinate", "angle"}, {"lower", 0}, {"upper", 3}}, "joint"},
      {"force", {{"do", "force"}, {"id", 1}, {"force", {1, 2, 3}}}, "solid"},
      {"freeze", {{"do", "freeze"}}, "joints"},
      {"unfreeze", {{"do", "unfreeze"}}, "joints", {{"do", "freeze"}}},
      {"grab", hand, "solid"},
      {"release", {{"do", "release"}, {"id", 1}}, "", hand}};
  for (const Case& each : cases) {
    std::vector<double> times, work, back;
    for (int i = 0; i < kTimes; ++i) {
      const auto named = [&](Json command) {
        if (*each.of != 0) command[each.of] = some(*each.of == 's' ? solids : joints, i);
        if (command["do"] == "grab") command["solid"] = some(solids, i);
        return command;
      };
      if (!each.first.is_null()) talk.say(named(each.first));
      auto before = Clock::now();
      const std::clock_t begun = std::clock();
      talk.say(named(each.command));
      work.push_back(worked(begun));
      times.push_back(milliseconds(before));
      before = Clock::now();
      talk.say({{"do", "undo"}});
      back.push_back(milliseconds(before));
      // What a hand does until it lets go is one entry; steps stay, so that all is somewhere else.
      if (!each.first.is_null() && each.first["do"] != "grab" && each.first["do"] != "step")
        talk.say({{"do", "undo"}});
    }
    std::printf(
        "3200 solids, %-21s median %7.3f  95 %% %7.3f ms   of the processor %7.3f  95 %% %7.3f ms  "
        " "
        "undo %7.3f  95 %% %7.3f ms\n",
        each.name, below(0.5, times), below(0.95, times), below(0.5, work), below(0.95, work),
        below(0.5, back), below(0.95, back));
  }
}

// All 35 joints of a figure: five limbs of seven pins each.
void bend(const char* what, const char* command) {
  std::string text = "gravity 0 0 0;\nsolid body box 0.2 0.2 0.2; end\n";
  Json joints = Json::array();
  for (int limb = 0; limb < 5; ++limb) {
    std::string before = "body";
    for (int k = 0; k < 7; ++k) {
      const std::string name = std::to_string(limb) + "-" + std::to_string(k),
                        z = std::to_string(limb);
      text += "solid s" + name + " at " + std::to_string(0.1 * k + 0.15) + " 0 " + z +
              "; box 0.1 0.02 0.02; end\njoint pin j" + name + " object1 " + before +
              "; object2 s" + name + "; at " + std::to_string(0.1 * k + 0.1) + " 0 " + z +
              "; axis 0 " + (k % 2 == 0 ? "0 1" : "1 0") + "; end\n";
      before = "s" + name;
      joints.push_back("j" + name);
    }
  }
  Talk talk;
  talk.say({{"do", "open"}, {"name", "limbs.tenon"}, {"text", text}});
  std::vector<double> times, work;
  for (int i = 0; i < 201; ++i) {
    Json values = Json::array();
    for (std::size_t j = 0; j < joints.size(); ++j)
      values.push_back({{"joint", joints[j]},
                        {"coordinate", "angle"},
                        {"value", 0.5 * std::sin(0.1 * i + static_cast<double>(j))}});
    const bool many = std::string(command) == "coordinates";
    std::vector<std::string> said;
    if (many) said.push_back(Json{{"do", command}, {"values", values}}.dump());
    for (Json value : many ? Json::array() : values) {
      value["do"] = command;
      said.push_back(value.dump());
    }
    const auto before = Clock::now();
    const std::clock_t begun = std::clock();
    for (const std::string& each : said) talk.sayText(each);
    work.push_back(worked(begun));
    times.push_back(milliseconds(before));
  }
  std::printf("%-34s median %7.3f  95 %% %7.3f ms   of the processor %7.3f  95 %% %7.3f ms\n", what,
              below(0.5, times), below(0.95, times), below(0.5, work), below(0.95, work));
}

}  // namespace

int main() {
  hold();
  bend("35 joints at once", "coordinates");
  bend("35 joints one by one", "coordinate");
  drag("figure 5, 4 ms an update", kHead, {{"milliseconds", 4}});
  drag("figure 5, 0.1 ms an update", kHead, {{"milliseconds", 0.1}});
  drag("hand, index, 4 ms", kTip, {{"milliseconds", 4}});
  drag("hand, index, out of reach, 4 ms", kFarTip, {{"milliseconds", 4}});
  drag("hand, thumb, out of reach, 4 ms", kThumb, {{"milliseconds", 4}});
  crowd("crowd of 2000, interactive", "interactive");
  crowd("crowd of 2000, energy", "energy");
}
