// What a hand feels: whole updates of a session, one by one, and how long the slow ones take.
//
//   ./dev bench --session      dragging Faure's figure 5, with all the time there is and with 0.1 ms; a crowd's frames
//
// An update is what the page does for a pointer event: `move` and `pose`, or the steps of a frame, from JSON to JSON.
#include <tenon/session.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

// The head, once around in ten seconds of 60 updates each.
void drag(const char* what, const Json& budget) {
  Talk talk("faure/fig5-structure");
  talk.say({{"do", "grab"}, {"id", 1}, {"solid", "head"}});
  const Json start = talk.say({{"ask", "state"}})["grabs"][0]["target"];
  std::vector<double> times, errors;
  double behind = 0;
  for (int i = 1; i <= 600; ++i) {
    const double a = 2 * 3.14159265358979 * i / 600;
    const Json target = {start[0].get<double>() + 0.15 * std::sin(a),
                         start[1].get<double>() + 0.15 * (1 - std::cos(a)), start[2]};
    Json pose = {{"do", "pose"}};
    pose.update(budget);
    const auto before = Clock::now();
    talk.say({{"do", "move"}, {"id", 1}, {"target", target}});
    const Json answer = talk.say(pose);
    times.push_back(milliseconds(before));
    errors.push_back(talk.error());
    behind = std::max(behind, answer["want_error"].get<double>());
  }
  tell(what, times, errors, behind);
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
  drag("figure 5, 4 ms an update", {{"milliseconds", 4}});
  drag("figure 5, 0.1 ms an update", {{"milliseconds", 0.1}});
  crowd("crowd of 2000, interactive", "interactive");
  crowd("crowd of 2000, energy", "energy");
}
