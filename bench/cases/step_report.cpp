#include "cases/step_report.h"

#include <tenon/loads.h>
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>

namespace tenon::bench {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// [{"way", "islands", "why"}]: islands that go one way for the same reasons are one entry.
std::string waysOf(const Stepping& stepping) {
  std::map<std::pair<std::string, std::string>, int> counts;
  const Moving& scene = stepping.scene();
  for (const IslandWay& way : islandWays(scene.mechanism, scene.control, stepping.settings(),
                                         stepping.dt(), stepping.state())) {
    std::string why;
    for (const std::string& each : way.why) why += (why.empty() ? "" : "; ") + each;
    ++counts[{std::string(way.way), why}];
  }
  std::string made = "[";
  for (const auto& [key, count] : counts)
    made += (made.size() > 1 ? ", " : "") + std::string("{\"way\": ") + quoted(key.first) +
            ", \"islands\": " + std::to_string(count) + ", \"why\": " + quoted(key.second) + "}";
  return made + "]";
}

}  // namespace

std::string reportOn(const std::string& scene, Method method, Variant variant, int steps) {
  Stepping stepping(scene, method, variant);
  const Mechanism& m = stepping.scene().mechanism;
  const Control& control = stepping.scene().control;
  const auto energyOf = [&](const State& state) {
    return kineticEnergy(m, state) + potentialEnergy(m, control, state);
  };
  const std::string before = waysOf(stepping);
  const double start = energyOf(stepping.state());
  double lowest = potentialEnergy(m, control, stepping.state()), highest = lowest;
  double work = 0, energy = start, error = 0, range = 0;
  double iterations = 0, most = 0;
  int halved = 0, halvings = 0, unconverged = 0, fast = 0, made = 0;
  bool ledger = true, finite = true;
  for (int i = 0; i <= steps && finite; ++i) {
    // The last step of a window puts the scene back, after its error has been taken.
    stepping.once();
    const StepReport& report = stepping.last();
    finite = report.finite;
    if (i > 0) {
      ++made;
      iterations += report.iterations;
      most = std::max<double>(most, report.iterations);
      halved += report.halvings > 0 ? 1 : 0;
      halvings += report.halvings;
      unconverged += report.converged ? 0 : 1;
      fast += report.fast ? 1 : 0;
    }
    ledger = ledger && report.ledger;
    if (stepping.state().time == stepping.scene().start.time) break;  // it starts again
    work += report.work;
    const JointError now = jointError(m, control, stepping.state());
    error = std::max(error, now.max);
    range = std::max(range, now.range);
    const double potential = potentialEnergy(m, control, stepping.state());
    lowest = std::min(lowest, potential);
    highest = std::max(highest, potential);
    energy = energyOf(stepping.state());
  }
  double scale = highest - lowest;
  if (!(scale > 1e-9 * std::max(std::abs(highest), std::abs(lowest))))
    scale = kineticEnergy(m, stepping.scene().start);
  if (!(scale > 0)) scale = 1;
  const double all = std::max(made, 1);
  return "{\"scene\": " + quoted(scene) + ", \"method\": " + quoted(std::string(nameOf(method))) +
         ", \"solids\": " + number(stepping.solids()) + ", \"steps\": " + std::to_string(made) +
         ", \"dt\": " + number(stepping.dt()) + ", \"finite\": " + (finite ? "true" : "false") +
         ", \"error\": " + number(error) + ", \"range\": " + number(range) + ", \"drift\": " +
         number(method == Method::Energy && ledger ? (energy - start - work) / scale : kNothing) +
         ", \"ledger\": " + (ledger ? "true" : "false") +
         ", \"iterations\": " + number(iterations / all) +
         ", \"most_iterations\": " + number(most) + ", \"halved\": " + std::to_string(halved) +
         ", \"halvings\": " + std::to_string(halvings) +
         ", \"unconverged\": " + std::to_string(unconverged) +
         ", \"fast\": " + std::to_string(fast) + ", \"ways_start\": " + before +
         ", \"ways_end\": " + waysOf(stepping) + "}";
}

}  // namespace tenon::bench
