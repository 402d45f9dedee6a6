#include "comparison.h"

#include <algorithm>
#include <cmath>

#include "report.h"
#include "simulation_report.h"
#include "terminal.h"

namespace tenon::cli {
namespace {

// Letters, not bytes.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool toTheRight) {
  const std::string space(width - std::min(width, widthOf(text)), ' ');
  return toTheRight ? space + text : text + space;
}

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
    case SimulationStatus::Done:
      return "done";
    case SimulationStatus::BlownUp:
      return "blown up at " + shortNumber(result.state.time, 3) + " s";
    case SimulationStatus::Stopped:
      return "stopped at " + shortNumber(result.state.time, 3) + " s";
  }
  return {};
}

bool Comparison::stopped() const {
  return std::any_of(runs.begin(), runs.end(), [](const MethodRun& run) {
    return !run.refused() && run.result.status == SimulationStatus::Stopped;
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

std::optional<std::size_t> bestOf(const Comparison& comparison, const Column& column) {
  if (!column.judged) return std::nullopt;
  std::optional<std::size_t> best;
  std::size_t judged = 0;
  const auto value = [&](std::size_t i) {
    return std::abs(column.value(comparison.runs[i].result));
  };
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    if (!comparison.runs[i].done()) continue;
    ++judged;
    if (!best || value(i) < value(*best)) best = i;
  }
  return judged > 1 ? best : std::nullopt;
}

std::vector<std::string> remarksOn(const Comparison& comparison) {
  std::vector<std::string> remarks{
      "Joint errors in m and rad. Energy relative to " +
      referencesOf(comparison, energyReferenceOf) +
      " of each method's own motion: drift is what is left at the end, deviation the most on the "
      "way. Drift of momentum relative to " +
      referencesOf(comparison, momentumReferenceOf) + ", of angular momentum to " +
      referencesOf(comparison, angularReferenceOf) + "."};
  if (!comparison.conserved.energy)
    remarks.push_back(
        "Something in this scene drives, damps, limits or is switched: its energy changes by "
        "right, "
        "and no method is the best at keeping it.");
  if (!comparison.conserved.momenta)
    remarks.push_back(
        "This scene is held or pulled from outside: its momenta change by right, and no method is "
        "the best at keeping them.");
  for (const MethodRun& run : comparison.runs)
    for (const Problem& problem : run.problems)
      remarks.push_back(run.method + ": " + problem.what +
                        (problem.remedy.empty() ? "" : "; " + problem.remedy) + ".");
  if (comparison.stopped())
    remarks.push_back(
        "Stopped by Ctrl-C" +
        (comparison.notRun.empty() ? std::string() : "; not run: " + listed(comparison.notRun)) +
        ".");
  return remarks;
}

std::string tableOf(const Comparison& comparison) {
  const std::vector<Column> columns = columnsOf(comparison);
  std::vector<std::vector<std::string>> cells{{"", ""}, {"method", "status"}};
  for (const Column& column : columns) {
    cells[0].push_back(column.group);
    cells[1].push_back(column.name);
  }
  for (const MethodRun& run : comparison.runs) {
    cells.push_back({run.method, run.status()});
    for (const Column& column : columns)
      cells.back().push_back(run.refused() ? "–"
                                           : tableNumber(column.value(run.result), column.digits));
  }
  // A group's name stands over its first column only.
  for (std::size_t c = columns.size(); c-- > 1;)
    if (columns[c].group == columns[c - 1].group) cells[0][c + 2].clear();
  std::vector<std::size_t> widths(cells[0].size(), 0);
  for (const auto& row : cells)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], widthOf(row[c]));
  std::string text;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    for (std::size_t c = 0; c < cells[r].size(); ++c) {
      const std::string cell = padded(cells[r][c], widths[c], c >= 2);
      const bool best = r >= 2 && c >= 2 && bestOf(comparison, columns[c - 2]) == r - 2;
      const bool head = r < 2;
      text += (c == 0 ? "" : "  ") + (best   ? inkOnStdout(Ink::Green, cell)
                                      : head ? inkOnStdout(Ink::Bold, cell)
                                             : cell);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace tenon::cli
