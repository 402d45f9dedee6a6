#include "comparison.h"

#include <algorithm>
#include <cmath>

#include "report.h"
#include "simulation_report.h"
#include "text_table.h"

namespace tenon::cli {
namespace {

// "potential range (a, b), 1 J (c)": who is relative to what.
template <class ReferenceOf>
std::string referencesOf(const Comparison& comparison, const ReferenceOf& referenceOf) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const MethodRun& run : comparison.runs) {
    if (run.refused()) continue;
    const std::string reference = referenceOf(run.result);
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const auto& entry) { return entry.first == reference; });
    if (found == all.end()) found = all.insert(all.end(), {reference, {}});
    found->second.push_back(run.method);
  }
  std::vector<std::string> words;
  for (const auto& [reference, methods] : all)
    words.push_back(all.size() == 1 ? reference : reference + " (" + listed(methods) + ")");
  return listed(words);
}

}  // namespace

std::string MethodRun::status() const {
  if (refused()) return "refused";
  switch (result.status) {
    case RunStatus::Done:
      return "done";
    case RunStatus::Warned:
      return "warned";
    case RunStatus::BlownUp:
      return "blown up at " + shortNumber(result.state.time, 3) + " s";
    case RunStatus::Stuck:
      return "stuck at " + shortNumber(result.state.time, 3) + " s";
    case RunStatus::Stopped:
      return "stopped at " + shortNumber(result.state.time, 3) + " s";
  }
  return {};
}

bool Comparison::stopped() const {
  return !notRun.empty() || std::any_of(runs.begin(), runs.end(), [](const MethodRun& run) {
    return !run.refused() && run.result.status == RunStatus::Stopped;
  });
}

std::vector<Column> columnsOf(const Comparison& comparison) {
  const bool energy = comparison.conserved.energy, momenta = comparison.conserved.momenta;
  const bool limits = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                  [](const auto& r) { return r.result.rangeError > 0; });
  std::vector<Column> columns{
      {"µs per solid", "and step", [](const auto& r) { return r.microsecondsPerSolidStep; }},
      {"joint error", "largest", [](const auto& r) { return r.maxError; }},
      {"joint error", "rms", [](const auto& r) { return r.rmsError; }}};
  if (limits) columns.push_back({"outside", "limits", [](const auto& r) { return r.rangeError; }});
  columns.insert(
      columns.end(),
      {{"energy", "drift", [](const auto& r) { return r.energyDrift; }, energy},
       {"energy", "deviation", [](const auto& r) { return r.energyDeviation; }, energy},
       {"momentum", "linear", [](const auto& r) { return r.momentumDrift; }, momenta},
       {"momentum", "angular", [](const auto& r) { return r.angularMomentumDrift; }, momenta},
       {"steps", "done", [](const auto& r) { return static_cast<double>(r.steps); }, false, 15},
       {"steps", "not closed", [](const auto& r) { return static_cast<double>(r.unconverged); },
        false, 15},
       {"iterations", "per step",
        [](const auto& r) {
          return r.steps == 0 ? 0
                              : static_cast<double>(r.iterations) / static_cast<double>(r.steps);
        },
        false, 3}});
  return columns;
}

bool ranAway(const Comparison& comparison, const MethodRun& run) {
  if (!run.done()) return false;
  if (comparison.conserved.energy) return run.rise > run.result.energyScale;
  // The lower one, if they are even: of two, one that ran away is no measure of the other.
  const auto middle = [&](const auto& valueOf) {
    std::vector<double> values;
    for (const MethodRun& other : comparison.runs)
      if (other.done()) values.push_back(valueOf(other));
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) / 2];
  };
  constexpr double kTooOften = 10;
  return run.rise >
         kTooOften * std::max(middle([](const MethodRun& r) { return r.result.energyScale; }),
                              middle([](const MethodRun& r) { return r.rise; }));
}

std::optional<std::size_t> bestOf(const Comparison& comparison, const Column& column) {
  if (!column.judged) return std::nullopt;
  std::optional<std::size_t> best;
  std::size_t judged = 0;
  const auto value = [&](std::size_t i) {
    return std::abs(column.value(comparison.runs[i].result));
  };
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    if (!comparison.runs[i].done() || ranAway(comparison, comparison.runs[i])) continue;
    ++judged;
    if (!best || value(i) < value(*best)) best = i;
  }
  return judged > 1 ? best : std::nullopt;
}

std::vector<std::string> remarksOn(const Comparison& comparison) {
  std::vector<std::string> remarks{
      "Joint errors are in m and rad. Energy is relative to " +
      referencesOf(comparison, energyReferenceOf) +
      " of each method's own motion. Drift is the change from start to end. Deviation is the "
      "largest change on the way. The drift of momentum is relative to " +
      referencesOf(comparison, momentumReferenceOf) + ", and the drift of angular momentum to " +
      referencesOf(comparison, angularReferenceOf) + "."};
  if (!comparison.conserved.energy)
    remarks.push_back(
        "Drives, dampers, limits or events change the energy of this scene, as they should. So no "
        "method is marked as the best at keeping it.");
  for (const MethodRun& run : comparison.runs)
    if (ranAway(comparison, run))
      remarks.push_back(run.method + ": its energy grew without bound, by " +
                        shortNumber(run.rise, 2) +
                        " J, so it is not marked as the best at anything.");
  if (!comparison.conserved.momenta)
    remarks.push_back(
        "Something outside holds or pulls this scene, so its momenta change, as they should. No "
        "method is marked as the best at keeping them.");
  for (const MethodRun& run : comparison.runs)
    for (const Problem& problem : run.problems)
      remarks.push_back(run.method + ": " + problem.what +
                        (problem.remedy.empty() ? "" : "; " + problem.remedy) + ".");
  if (comparison.stopped())
    remarks.push_back("You stopped the comparison by Ctrl-C" +
                      (comparison.notRun.empty()
                           ? std::string()
                           : "; these methods did not run: " + listed(comparison.notRun)) +
                      ".");
  return remarks;
}

std::string tableOf(const Comparison& comparison) {
  const std::vector<Column> columns = columnsOf(comparison);
  std::vector<std::vector<TextCell>> cells{{{}, {}},
                                           {{"method", Ink::Bold}, {"status", Ink::Bold}}};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    // A group's name stands over its first column only.
    const bool first = c == 0 || columns[c].group != columns[c - 1].group;
    cells[0].push_back({first ? columns[c].group : "", Ink::Bold});
    cells[1].push_back({columns[c].name, Ink::Bold});
  }
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const MethodRun& run = comparison.runs[i];
    std::vector<TextCell> row{{run.method, std::nullopt}, {run.status(), std::nullopt}};
    for (const Column& column : columns) {
      const std::string value =
          run.refused() ? "–" : tableNumber(column.value(run.result), column.digits);
      const bool best = bestOf(comparison, column) == i;
      row.push_back({value, best ? std::optional<Ink>(Ink::Green) : std::nullopt});
    }
    cells.push_back(std::move(row));
  }
  return alignedTable(cells, {true, true});
}

}  // namespace tenon::cli
