// What a hand feels: whole updates of a session, one by one, and how long the slow ones take.
//
//   ./dev bench --session      dragging Faure's figure 5, with all the time there is and with 0.1 ms; finger tips of
//                              the hand, to where they come and beyond; a crowd's frames
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
  Json say(const Json& command) {
    Json answer = Json::parse(session_.run(command.dump()));
    if (!answer.value("ok", false)) {
      std::fprintf(stderr, "%s\n", answer.dump().c_str());
      std::exit(1);
    }
    return answer;
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

}  // namespace

int main() {
  drag("figure 5, 4 ms an update", kHead, {{"milliseconds", 4}});
  drag("figure 5, 0.1 ms an update", kHead, {{"milliseconds", 0.1}});
  drag("hand, index, 4 ms", kTip, {{"milliseconds", 4}});
  drag("hand, index, out of reach, 4 ms", kFarTip, {{"milliseconds", 4}});
  drag("hand, thumb, out of reach, 4 ms", kThumb, {{"milliseconds", 4}});
  crowd("crowd of 2000, interactive", "interactive");
  crowd("crowd of 2000, energy", "energy");
}
