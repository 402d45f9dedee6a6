// `tenon bench`: what a scene costs, stage by stage, and what could be done about it.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "commands.h"
#include "costs.h"
#include "motion_options.h"
#include "options.h"
#include "report.h"
#include "simulation_report.h"
#include "text_table.h"

namespace tenon::cli {
namespace {

constexpr double kPatience = 1.5;  // [s] for each of the runs, unless a time is given

struct BenchOptions {
  std::string scene;
  ParameterOptions set;
  std::optional<std::string> method;
  std::optional<double> dt, time;  // [s]
  int threads = 1;
  bool json = false;
};

CostSettings settingsOf(const BenchOptions& options, const Scene& scene) {
  CostSettings settings;
  settings.simulation = runSettingsOf(scene);
  settings.simulation.dt = options.dt.value_or(settings.simulation.dt);
  settings.simulation.duration = options.time.value_or(settings.simulation.duration);
  if (!options.time) settings.simulation.patience = kPatience;
  settings.threads = options.threads;
  // The names were checked when the command line was read.
  const std::vector<std::string> names =
      options.method ? std::vector{*options.method} : methodsThat(goesByIslands);
  for (const std::string& name : names)
    static_cast<void>(fromName(name, settings.methods.emplace_back()));
  return settings;
}

std::optional<double> perSolid(const SceneCosts& costs, const std::optional<double>& bytes) {
  if (!bytes) return std::nullopt;
  return *bytes / std::max<double>(costs.graph.dynamic, 1);
}

// ------------------------------------------------------------------------------------------ JSON

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json asJson(const MethodCost& cost) {
  const RunReport& result = cost.result;
  Json stages = Json::array();
  const double total = cost.stages.total();
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    if (cost.stages[stage] > 0)
      stages.push_back({{"stage", nameOf(stage)},
                        {"us_per_step", cost.stages[stage]},
                        {"share", cost.stages[stage] / total}});
  }
  Json ways = Json::array();
  for (const WayTaken& way : cost.ways)
    ways.push_back(
        {{"way", way.way},
         {"because", way.because},
         {"islands", way.islands},
         {"solids", way.solids},
         {"share", static_cast<double>(way.islandSteps) / static_cast<double>(cost.islandSteps)}});
  const auto steps = static_cast<double>(result.steps);
  return {{"method", nameOf(cost.method)},
          {"status", nameOf(result.status)},
          {"dt", result.settings.dt},
          {"time", result.state.time},
          {"steps", result.steps},
          {"us_per_step", cost.mean},
          {"us_per_step_median", cost.median},
          {"us_per_step_99", cost.slow},
          {"us_first_step", cost.first},
          {"us_per_solid_step", result.microsecondsPerSolidStep},
          {"real_time_factor", cost.realTime},
          {"iterations_per_step", cost.perStep(static_cast<double>(result.iterations))},
          {"halved_steps", result.halved},
          {"halved_share", steps > 0 ? static_cast<double>(result.halved) / steps : 0},
          {"unconverged_steps", result.unconverged},
          {"wall_ms", result.milliseconds},
          {"processor_ms", result.processorMilliseconds},
          {"fast", cost.fast()},
          {"not_fast_because", cost.notFast},
          {"ways", std::move(ways)},
          {"repeated_share", cost.repeated()},
          {"max_error", result.maxError},
          {"energy_drift", result.energyDrift},
          {"energy_reference", result.energyReference},
          {"stages", std::move(stages)}};
}

Json asJson(const SceneCosts& costs, const std::vector<Problem>& problems, bool ok) {
  const Mechanism& m = *costs.mechanism;
  const GraphFacts& graph = costs.graph;
  Json sizes = Json::array(), hubs = Json::array(), methods = Json::array();
  for (const auto& [solids, islands] : graph.sizes)
    sizes.push_back({{"solids", solids}, {"islands", islands}});
  for (const auto& [solid, joints] : graph.hubs)
    hubs.push_back({{"solid", m.solidNames[solid]}, {"joints", joints}});
  for (const MethodCost& cost : costs.methods) methods.push_back(asJson(cost));
  Json assembly = nullptr;
  if (costs.assembly)
    assembly = {
        {"status", nameOf(costs.assembly->status)}, {"iterations", costs.assembly->iterations},
        {"restarts", costs.assembly->restarts},     {"start_error", costs.assembly->startError},
        {"max_error", costs.assembly->maxError},    {"time_ms", costs.assembly->milliseconds}};
  return {{"ok", ok},
          {"file", costs.file},
          {"title", costs.title},
          {"solids", m.solids.size()},
          {"dynamic_solids", graph.dynamic},
          {"joints", m.joints.size()},
          {"loops", m.loops},
          {"loop_closers", namesOf(m, m.loopClosers)},
          {"islands", m.islands.size()},
          {"island_sizes", std::move(sizes)},
          {"largest_island",
           {{"solids", graph.largest.solids},
            {"joints", graph.largest.joints},
            {"loops", graph.largest.loops}}},
          {"same_shape", graph.sameShape},
          {"hubs", std::move(hubs)},
          {"read_ms", costs.readMilliseconds},
          {"compile_ms", costs.compileMilliseconds},
          {"mechanism_bytes_per_solid", orNull(perSolid(costs, costs.mechanismBytes))},
          {"step_bytes_per_solid", orNull(perSolid(costs, costs.stepBytes))},
          {"assembly", std::move(assembly)},
          {"threads", costs.threads},
          {"methods", std::move(methods)},
          {"advice", costs.advice},
          {"problems", toJson(problems)}};
}

// ------------------------------------------------------------------------------------ for people

// Blocks of eighths of a letter.
std::string bar(double share, int letters) {
  static const char* const kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(share * 8 * letters));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + kParts[eighths % 8];
}

std::string bytesOf(double bytes) {
  return bytes < 10'000 ? shortNumber(std::round(bytes)) + " B"
                        : tableNumber(bytes / 1000, 3) + " kB";
}

void printGraph(const SceneCosts& costs) {
  const Mechanism& m = *costs.mechanism;
  const GraphFacts& graph = costs.graph;
  printLine("solids", std::to_string(m.solids.size()),
            graph.dynamic == m.solids.size() ? "" : std::to_string(graph.dynamic) + " dynamic");
  printLine("joints", std::to_string(m.joints.size()));
  printLine("loops", std::to_string(m.loops), m.loops == 0 ? "" : "closed by " + loopClosersOf(m));
  const GraphFacts::Island& largest = graph.largest;
  std::string islands = "the largest has " + counted(largest.solids, "solid") + ", " +
                        counted(largest.joints, "joint") + ", " + counted(largest.loops, "loop");
  if (graph.sameShape > 1)
    islands += "; " + std::to_string(graph.sameShape) + " have the same shape";
  printLine("islands", std::to_string(m.islands.size()), m.islands.empty() ? "" : islands);
  std::vector<std::string> hubs;
  for (const auto& [solid, joints] : graph.hubs)
    hubs.push_back(m.solidNames[solid] + " (" + std::to_string(joints) + ")");
  if (!hubs.empty()) printLine("hubs", "", listed(hubs) + " joints");
}

void printBefore(const SceneCosts& costs) {
  printLine("read", tableNumber(costs.readMilliseconds, 3), "ms");
  printLine("compiled", tableNumber(costs.compileMilliseconds, 3), "ms");
  if (costs.assembly)
    printLine("assembled", tableNumber(costs.assembly->milliseconds, 3),
              "ms; " + counted(static_cast<std::size_t>(costs.assembly->iterations), "iteration") +
                  ", from " + shortNumber(costs.assembly->startError, 2) + " to " +
                  shortNumber(costs.assembly->maxError, 2));
  const auto mechanism = perSolid(costs, costs.mechanismBytes),
             step = perSolid(costs, costs.stepBytes);
  if (mechanism && step)
    printLine("memory", bytesOf(*mechanism + *step),
              "per solid: " + bytesOf(*mechanism) + " mechanism, " + bytesOf(*step) +
                  " state and buffers");
}

void printStages(const MethodCost& cost) {
  constexpr int kBar = 30;
  std::vector<std::pair<double, Stage>> order;
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    if (cost.stages[stage] > 0) order.emplace_back(cost.stages[stage], stage);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::vector<TextCell>> rows;
  const double total = cost.stages.total();
  for (const auto& [time, stage] : order) {
    const double share = time / total;
    rows.push_back({{"  " + std::string(nameOf(stage)), {}},
                    {tableNumber(time, 3) + " µs", {}},
                    {shortNumber(std::round(1000 * share) / 10, 3) + " %", {}},
                    {bar(share, kBar), {}}});
  }
  std::cout << "\n" << alignedTable(rows, {true, false, false, true});
}

// Broken into lines of a page's width, those after the first indented.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string out, word;
  std::size_t at = 0;
  const auto lettersOf = [](const std::string& s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  const auto flush = [&] {
    if (word.empty()) return;
    if (at > 0 && at + 1 + lettersOf(word) > width) {
      out += "\n   ";
      at = 0;
    }
    out += " " + word;
    at += 1 + lettersOf(word);
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ')
      flush();
    else
      word += c;
  }
  flush();
  return out;
}

void print(const MethodCost& cost) {
  const RunReport& result = cost.result;
  std::cout << "\n"
            << inkOnStdout(Ink::Bold, std::string(nameOf(cost.method))) << ": "
            << counted(result.steps, "step") << " of " << shortNumber(result.settings.dt, 4) << " s"
            << (result.status == RunStatus::BlownUp   ? ", then the motion blew up"
                : result.status == RunStatus::Stuck   ? ", then no further step was possible"
                : result.status == RunStatus::Stopped ? ", then it was stopped"
                : result.cutShort ? ", all that it managed in " + shortNumber(kPatience) + " s"
                                  : "")
            << "\n\n";
  if (result.steps == 0) return;
  printLine("per step", tableNumber(cost.mean, 3),
            "µs; median " + tableNumber(cost.median, 3) + ", 99 % below " +
                tableNumber(cost.slow, 3) + ", first step " + tableNumber(cost.first, 3));
  printLine("per solid and step", tableNumber(result.microsecondsPerSolidStep, 3), "µs");
  printLine("real time", tableNumber(cost.realTime, 3), "times as fast");
  printLine("iterations", tableNumber(cost.perStep(static_cast<double>(result.iterations)), 3),
            "per step; " + (result.halved == 0 ? "no step was split"
                                               : std::to_string(result.halved) + " of " +
                                                     counted(result.steps, "step") + " split"));
  printLine("processor time", tableNumber(result.processorMilliseconds, 3),
            "ms for all steps; on the wall " + tableNumber(result.milliseconds, 3) + " ms");
  printLine("joint error", shortNumber(result.maxError, 2), "m or rad at most");
  printLine("energy drift", shortNumber(result.energyDrift, 2), "of " + energyReferenceOf(result));
  std::cout << "\n";
  const auto say = [](const std::string& words) { std::cout << " " << wrapped(words, 88) << "\n"; };
  if (cost.ways.empty())
    say(goesByIslands(cost.method) ? "Nothing here moves."
                                   : "This method moves the whole scene at once, by rows.");
  for (const WayTaken& way : cost.ways) say(wordsOf(way, cost));
  if (cost.repeated() >= 0.01)
    say("Of these steps of islands, " + percentOf(cost.repeated()) + " were made again by rows.");
  if (cost.stages.total() > 0) printStages(cost);
}

void print(const SceneCosts& costs) {
  std::cout << inkOnStdout(Ink::Bold, costs.title.empty() ? costs.file : costs.title);
  if (!costs.title.empty()) std::cout << " (" << costs.file << ")";
  std::cout << "\n\n";
  printGraph(costs);
  printBefore(costs);
  for (const MethodCost& cost : costs.methods) print(cost);
  if (costs.advice.empty()) return;
  std::cout << "\n" << inkOnStdout(Ink::Bold, "Advice") << "\n\n";
  for (const std::string& sentence : costs.advice)
    std::cout << "  –" << wrapped(sentence, 88) << "\n";
}

int exitCodeOf(const SceneCosts& costs) {
  int code = kSuccess;
  for (const MethodCost& cost : costs.methods) {
    if (cost.result.status == RunStatus::Stopped) return kInterrupted;
    if (!cost.ok()) code = kProblems;
  }
  return code;
}

int run(const BenchOptions& options) {
  LoadedScene loaded;
  SceneCosts costs;
  {
    Progress progress;
    loaded = loadAndCompile(options.scene, options.set, progress);
    if (loaded.mechanism && !hasErrors(loaded.problems))
      costs = costsOf(options.scene, loaded, settingsOf(options, *loaded.scene), progress);
  }
  if (hasErrors(loaded.problems)) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  const int code = exitCodeOf(costs);
  if (options.json) {
    printJson(asJson(costs, loaded.problems, code == kSuccess));
  } else {
    printProblems(loaded.problems);
    print(costs);
  }
  return code;
}

}  // namespace

void addBench(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure what a scene costs, stage by stage, and give advice");
  command->add_option("SCENE", options->scene, "A .tenon file, or - for standard input")
      ->required();
  options->set.addTo(*command);
  command
      ->add_option("--method", options->method,
                   listed(methodNames()) + "; by default " + listed(methodsThat(goesByIslands)) +
                       ", one after the other")
      ->type_name("METHOD")
      ->check(nameOutOf("method", methodNames()));
  command
      ->add_option("--dt", options->dt,
                   "Seconds per step (default: what the scene says, else 1/240)")
      ->type_name("H")
      ->transform(positive(Quantity::Seconds));
  command
      ->add_option(
          "--time", options->time,
          "Seconds to simulate (default: what the scene says, else 5; ends after 1.5 s of work)")
      ->type_name("T")
      ->transform(positive(Quantity::Seconds));
  command
      ->add_option("--threads", options->threads,
                   "Threads that share the islands (default 1; 0: all threads)")
      ->type_name("N")
      ->check(notNegative());
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Every method runs twice over the same steps. The second run also has a clock at every\n"
      "stage. The times hold for this machine, with its present load. The exit code\n"
      "is 1 if a motion blows up.\n\n"
      "Example:\n"
      "  tenon bench scenes/figures/marionette.tenon --dt 0.01");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
