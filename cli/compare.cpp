// `tenon compare`: one scene by every method, with the same measures.
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "commands.h"
#include "comparison.h"
#include "motion_options.h"
#include "report.h"
#include "simulation_report.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

struct CompareOptions {
  MotionOptions motion;
  std::vector<std::string> methods;  // empty: all
  std::string output;                // empty: none
  bool json = false;
};

// ------------------------------------------------------------------------------------------ files

std::string csvHead() {
  return "method,time,error,range_error,kinetic,potential,energy,momentum,angular_momentum,"
         "iterations,microseconds\n";
}

std::string csvRow(const std::string& method, const Moment& moment) {
  constexpr int kExactly = 17;
  std::string text = method;
  for (const double value :
       {moment.time, moment.error, moment.rangeError, moment.kinetic, moment.potential,
        moment.energy(), moment.momentum, moment.angularMomentum})
    text += "," + shortNumber(value, kExactly);
  // The start has no step.
  const bool step = std::isfinite(moment.microseconds);
  text += "," + (step ? std::to_string(moment.iterations) : "");
  text += "," + (step ? shortNumber(moment.microseconds, 6) : "");
  return text + "\n";
}

Json asJson(const Comparison& comparison) {
  Json list = Json::array();
  for (const MethodRun& run : comparison.runs) {
    if (run.refused())
      list.push_back({{"ok", false},
                      {"file", comparison.file},
                      {"method", run.method},
                      {"status", run.status()},
                      {"problems", toJson(run.problems)}});
    else
      list.push_back(toJson(comparison.file, run.result, run.problems));
  }
  for (const std::string& method : comparison.notRun)
    list.push_back({{"ok", false},
                    {"file", comparison.file},
                    {"method", method},
                    {"status", "not-run"},
                    {"problems", Json::array()}});
  return list;
}

// ---------------------------------------------------------------------------------------- compare

MethodRun runOf(const CompareOptions& options, const LoadedScene& loaded, const std::string& method,
                TextWriter* table, Progress& progress) {
  MethodRun run;
  run.method = method;
  RunSettings settings = options.motion.settingsFor(*loaded.scene);
  static_cast<void>(fromName(method, settings.step.method));
  const auto every = static_cast<std::uint64_t>(options.motion.every.value_or(1));
  std::uint64_t step = 0;
  double start = 0;  // [J]
  RunWatch listeners;
  listeners.moment = [&](const Moment& moment) {
    if (step == 0) start = moment.energy();
    run.rise = std::max(run.rise, moment.energy() - start);
    run.error.add(moment.time, moment.error);
    run.energy.add(moment.time, moment.energy() - start);
    run.momentum.add(moment.time, moment.momentumDrift);
    run.angularMomentum.add(moment.time, moment.angularMomentumDrift);
    run.microseconds.add(moment.time, moment.microseconds);
    if (step > 0) run.iterations.add(moment.time, moment.iterations);
    if (table != nullptr && step % every == 0) table->write(csvRow(method, moment));
    ++step;
  };
  progress.now("simulating " + options.motion.scene + " by " + method);
  run.result = simulate(options.motion.scene, *loaded.scene, *loaded.mechanism, settings, listeners,
                        run.problems, progress);
  return run;
}

Comparison compareMethods(const CompareOptions& options, const LoadedScene& loaded,
                          TextWriter* table, Progress& progress) {
  Comparison comparison;
  comparison.file = options.motion.scene;
  comparison.title = loaded.scene->title;
  comparison.conserved = conservedBy(*loaded.scene, *loaded.mechanism);
  const NotedInterrupt interrupt;
  const std::vector<std::string> methods =
      options.methods.empty() ? methodNames() : options.methods;
  for (const std::string& method : methods) {
    if (interrupt.came() && !comparison.runs.empty()) {
      comparison.notRun.push_back(method);
      continue;
    }
    progress.part(std::to_string(comparison.runs.size() + 1) + " of " +
                  counted(methods.size(), "method") + ", " + method + ": ");
    comparison.runs.push_back(runOf(options, loaded, method, table, progress));
  }
  progress.part("");
  comparison.dt = comparison.runs.front().result.settings.dt;
  comparison.duration = comparison.runs.front().result.settings.duration;
  return comparison;
}

// Problems that leave nothing to compare go to `loaded`.
Comparison compareAndWrite(const CompareOptions& options, LoadedScene& loaded, Progress& progress) {
  std::optional<TextWriter> file;
  if (!options.output.empty()) {
    file.emplace(options.output);
    if (file->problem()) {
      loaded.problems.push_back(*file->problem());
      return {};
    }
  }
  const Ending ending = endingOf(options.output);
  if (ending == Ending::Csv) file->write(csvHead());
  Comparison comparison =
      compareMethods(options, loaded, ending == Ending::Csv ? &*file : nullptr, progress);
  bool any = false;
  for (const MethodRun& run : comparison.runs) any = any || !run.refused();
  if (!any) {
    const std::vector<Problem>& problems = comparison.runs.front().problems;
    loaded.problems.insert(loaded.problems.end(), problems.begin(), problems.end());
    return comparison;
  }
  if (!file) return comparison;
  progress.now("writing " + options.output);
  if (ending == Ending::Html) file->write(pageOf(comparison, *loaded.scene, *loaded.mechanism));
  if (ending == Ending::Json) file->write(textOfJson(asJson(comparison)));
  if (const auto problem = file->finish()) loaded.problems.push_back(*problem);
  return comparison;
}

void print(const Comparison& comparison) {
  std::cout << inkOnStdout(Ink::Bold,
                           comparison.title.empty() ? comparison.file : comparison.title);
  if (!comparison.title.empty()) std::cout << " (" << comparison.file << ")";
  std::cout << ": " << shortNumber(comparison.duration) << " s in steps of "
            << shortNumber(comparison.dt, 4) << " s\n\n"
            << tableOf(comparison) << "\n";
  for (const std::string& remark : remarksOn(comparison)) std::cout << remark << "\n";
}

int run(const CompareOptions& options) {
  LoadedScene loaded;
  Comparison comparison;
  {
    Progress progress;
    loaded = loadAndCompile(options.motion.scene, options.motion.set, progress);
    if (loaded.mechanism && !hasErrors(loaded.problems))
      comparison = compareAndWrite(options, loaded, progress);
  }
  if (hasErrors(loaded.problems)) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  if (options.json) {
    printJson(asJson(comparison));
  } else {
    printProblems(loaded.problems);
    print(comparison);
    if (!options.output.empty()) std::cout << "\nWritten: " << options.output << "\n";
  }
  return comparison.stopped() ? kInterrupted : kSuccess;
}

}  // namespace

void addCompare(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Move a scene by every method, and measure all of them in the same way");
  options->motion.addTo(*command, "Steps from one row of a .csv to the next (default 1)");
  command
      ->add_option(
          "--methods", options->methods,
          "The methods to compare, in this order, separated by commas (default: all). They are " +
              listed(methodNames()))
      ->type_name("A,B")
      ->delimiter(',')
      ->check(nameOutOf("method", methodNames()));
  command
      ->add_option("-o,--output", options->output,
                   "Write an .html page with plots, a .csv table of every step, or a .json report")
      ->type_name("OUT")
      ->check(endingOutOf({Ending::Html, Ending::Csv, Ending::Json}));
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Options that you leave out come from the scene's `settings`, except the method. If a "
      "method\n"
      "blows up, its row says so. If its energy grows without bound, it is not marked as the best\n"
      "at anything. Ctrl-C stops the comparison and keeps what was measured.\n\n"
      "Example:\n"
      "  tenon compare scenes/gascuel/monocycle.tenon --methods displacement,relaxation -o "
      "report.html");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
