// One scene by many methods: what was measured, and how it is shown, as a text and as a page.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/scene.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conserved.h"
#include "series.h"
#include "simulation.h"

namespace tenon::cli {

struct MethodRun {
  std::string method;
  RunReport result;
  std::vector<Problem> problems;  // an error: the method refuses the scene
  // Over time. The energy is what it has become more by [J].
  double rise = 0;  // [J] the most that the energy was above that of the start
  Series error, energy, momentum, angularMomentum, microseconds, iterations;

  [[nodiscard]] bool refused() const { return hasErrors(problems); }
  [[nodiscard]] bool done() const { return !refused() && gotToItsEnd(result.status); }
  [[nodiscard]] std::string status() const;  // "done", "blown up at 0.5 s", "refused", …
};

struct Comparison {
  std::string file, title;
  double dt = 0, duration = 0;  // [s]
  Conserved conserved;
  std::vector<MethodRun> runs;
  std::vector<std::string> notRun;  // methods, because of Ctrl-C

  [[nodiscard]] bool stopped() const;
};

// A column of the summary. The smallest value of those that got to the end may be called the best.
struct Column {
  std::string group, name;
  std::function<double(const RunReport&)> value;
  bool judged = true;
  int digits = 2;
};
// Those that say something about this comparison.
[[nodiscard]] std::vector<Column> columnsOf(const Comparison& comparison);
// Did its energy run away? Where a scene keeps its energy: if it rises by more than the motion's own, the range of the
// potential energy or the kinetic energy at the start. Where it is driven, damped or limited: by more than ten times of
// what the middle one of the methods has, the larger of that and of its rise.
[[nodiscard]] bool ranAway(const Comparison& comparison, const MethodRun& run);
// Which run is the best in a column, if one is. One that did not get to the end or ran away never is.
[[nodiscard]] std::optional<std::size_t> bestOf(const Comparison& comparison, const Column& column);

// What the reader has to know about the columns, in sentences.
[[nodiscard]] std::vector<std::string> remarksOn(const Comparison& comparison);

[[nodiscard]] std::string tableOf(const Comparison& comparison);
// One file that needs nothing else.
[[nodiscard]] std::string pageOf(const Comparison& comparison, const Scene& scene,
                                 const Mechanism& mechanism);

}  // namespace tenon::cli
