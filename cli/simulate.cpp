// `tenon simulate`: a scene in motion by one method, measured.
#include <tenon/draw.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "commands.h"
#include "conserved.h"
#include "motion_options.h"
#include "pose_files.h"
#include "report.h"
#include "scene_input.h"
#include "simulation_report.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

struct SimulateOptions {
  MotionOptions motion;
  std::optional<std::string> method;
  std::string output;  // empty: none
  bool json = false, strict = false;
};

RunSettings settingsOf(const SimulateOptions& options, const Scene& scene,
                       std::vector<Problem>& problems) {
  const MotionOptions& motion = options.motion;
  RunSettings settings = motion.settingsFor(scene);
  StepSettings& step = settings.step;
  // The name was checked when the command line was read.
  if (options.method) static_cast<void>(fromName(*options.method, step.method));
  for (const Setting* setting : motion.settings.given()) {
    if (setting->isFor(step.method)) continue;
    std::vector<std::string> others;
    for (const std::string& name : methodNames())
      if (Method other{}; fromName(name, other) && setting->isFor(other)) others.push_back(name);
    Problem problem = fileProblem(
        motion.scene,
        "--" + std::string(setting->name) + " does nothing with the method " +
            std::string(nameOf(step.method)),
        std::string("that is for the method") + (others.size() == 1 ? " " : "s ") + listed(others));
    problem.severity = Severity::Warning;
    problems.push_back(problem);
  }
  return settings;
}

// ------------------------------------------------------------------------------------ for people

void printOutcome(const RunReport& result) {
  const std::string at = shortNumber(result.state.time) + " s";
  const std::string by = counted(result.steps, "step") + " of " +
                         shortNumber(result.settings.dt, 4) + " s (" +
                         std::string(nameOf(result.settings.step.method)) + ", " +
                         std::string(nameOf(result.settings.step.linear.solver)) + ")";
  switch (result.status) {
    case RunStatus::Done:
      std::cout << inkOnStdout(Ink::Green, "Simulated") << ": " << at << " in " << by << ".\n";
      break;
    case RunStatus::Warned:
      std::cout << inkOnStdout(Ink::Yellow, "Simulated, with warnings") << ": " << at << " in "
                << by << ". See the warnings above.\n";
      break;
    case RunStatus::BlownUp:
      std::cout << inkOnStdout(Ink::Red, "Blown up") << ": after " << at << ", in " << by
                << ", the motion grew without bound.\n"
                << "This is the last good state. A smaller --dt or another --method may help.\n";
      break;
    case RunStatus::Stuck:
      std::cout << inkOnStdout(Ink::Red, "Stuck") << ": after " << at << ", in " << by
                << ", no further step was possible, however short.\n"
                << "This is the last good state. A smaller --dt or another --method may help.\n";
      break;
    case RunStatus::Stopped:
      std::cout << inkOnStdout(Ink::Yellow, "Stopped") << ": at " << at << " of "
                << shortNumber(result.settings.duration) << " s, after " << by
                << ". The recording until then is kept.\n";
      break;
  }
  if (result.finishEvent) std::cout << "An event of the scene ended the run there.\n";
  if (result.assembled && result.writtenError <= result.writtenRange)
    std::cout << "The pose as written was outside its limits by "
              << shortNumber(result.writtenRange, 3) << ". Tenon corrected it first.\n";
  else if (result.assembled)
    std::cout << "At the pose as written, the joints were open by "
              << shortNumber(result.writtenError, 3) << ". Tenon closed them first, to "
              << shortNumber(result.startError, 2) << ".\n";
  if (result.velocityChange > 1e-9)
    std::cout << "The joints did not allow the velocities as written. Tenon changed them by up to "
              << shortNumber(result.velocityChange, 3) << " m/s.\n";
}

// What is called drift is what nobody accounts for. Without a ledger that is also work.
void printWork(const Scene& scene, const Mechanism& mechanism, const RunReport& result) {
  if (result.work)
    printLine("work", shortNumber(*result.work, 3),
              "J, done by drives, limits, friction and damping");
  else if (!conservedBy(scene, mechanism).energy)
    std::cout << "  Drives, dampers, limits or events do work in this scene, and the method "
              << nameOf(result.settings.step.method)
              << " does not\n  record it. So the energy drift is that work and the error of the "
                 "method together.\n";
}

void print(const std::string& file, const Scene& scene, const Mechanism& mechanism,
           const RunReport& result) {
  std::cout << inkOnStdout(Ink::Bold, scene.title.empty() ? file : scene.title);
  if (!scene.title.empty()) std::cout << " (" << file << ")";
  std::cout << "\n\n";
  printOutcome(result);
  std::cout << "\nOver all steps:\n\n";
  printLine("time", shortNumber(result.milliseconds, 3),
            "ms; " + tableNumber(result.microsecondsPerSolidStep, 3) + " µs per solid and step");
  printLine("joint error", shortNumber(result.maxError, 2),
            "m or rad at most; " + shortNumber(result.rmsError, 2) + " rms, " +
                shortNumber(result.endError, 2) + " at the end");
  if (result.rangeError > 1e-9)
    printLine("outside limits", shortNumber(result.rangeError, 2), "m or rad at most");
  printLine(
      "energy drift", shortNumber(result.energyDrift, 2),
      "of " + energyReferenceOf(result) +
          (result.energyReference == "1 J" ? ""
                                           : ", " + shortNumber(result.energyScale, 3) + " J") +
          "; at most " + shortNumber(result.energyDeviation, 2) + " on the way");
  printWork(scene, mechanism, result);
  printLine("momentum drift", shortNumber(result.momentumDrift, 2),
            "of " + momentumReferenceOf(result));
  printLine("angular momentum", shortNumber(result.angularMomentumDrift, 2),
            "drift, relative to " + angularReferenceOf(result));
}

// ----------------------------------------------------------------------------------------- files

bool dependsOnTime(const Scene& scene, const Mechanism& mechanism) {
  if (!scene.events.empty() || !mechanism.paths.empty() || !mechanism.intervals.empty())
    return true;
  for (const MechanismRule& rule : mechanism.rules)
    if (rule.target.rate != 0 || rule.target.amplitude != 0 || rule.target.keys.count > 0)
      return true;
  return false;
}

std::string textOf(const SimulateOptions& options, LoadedScene& loaded, const RunReport& result) {
  const Scene& scene = *loaded.scene;
  const Mechanism& mechanism = *loaded.mechanism;
  switch (endingOf(options.output)) {
    case Ending::Scene:
      if (dependsOnTime(scene, mechanism)) {
        Problem problem =
            fileProblem(options.output, "in the file that is written, time starts at 0 again",
                        "check its events, paths, targets and `active` times: they have not moved");
        problem.severity = Severity::Warning;
        loaded.problems.push_back(problem);
      }
      return sceneAtPose(scene, mechanism, result.written, result.state,
                         std::isfinite(result.endError)
                             ? std::optional<double>(closedWithin(2 * result.endError))
                             : std::nullopt);
    case Ending::Svg:
      return drawScene(scene, mechanism, result.state).svg;
    case Ending::Json:
      return textOfJson(cli::toJson(options.motion.scene, result, loaded.problems));
    case Ending::Csv:  // was written on the way
    case Ending::Html:
    case Ending::None:
      break;
  }
  return {};
}

int exitCodeOf(RunStatus status, bool strict) {
  return status == RunStatus::Warned && strict ? kProblems
         : gotToItsEnd(status)                 ? kSuccess
         : status == RunStatus::Stopped        ? kInterrupted
                                               : kProblems;
}

RunReport simulateAndWrite(const SimulateOptions& options, LoadedScene& loaded,
                           Progress& progress) {
  const Mechanism& mechanism = *loaded.mechanism;
  const std::string& file = options.motion.scene;
  const RunSettings settings = settingsOf(options, *loaded.scene, loaded.problems);
  std::optional<TextWriter> table;
  RunWatch listeners;
  if (endingOf(options.output) == Ending::Csv) {
    table.emplace(options.output);
    if (table->problem()) {
      loaded.problems.push_back(*table->problem());
      return {};
    }
    table->write(csvHeader());
    listeners.frame = [&](const State& state) { table->write(csvRows(mechanism, state)); };
  }
  progress.now("simulating " + file);
  RunReport result =
      simulate(file, *loaded.scene, mechanism, settings, listeners, loaded.problems, progress);
  if (hasErrors(loaded.problems) || options.output.empty()) return result;
  progress.now("writing " + options.output);
  const std::optional<Problem> problem =
      table ? table->finish() : writeText(options.output, textOf(options, loaded, result));
  if (problem) loaded.problems.push_back(*problem);
  return result;
}

int run(const SimulateOptions& options) {
  const std::string& file = options.motion.scene;
  LoadedScene loaded;
  RunReport result;
  {
    Progress progress;
    loaded = loadAndCompile(file, options.motion.set, progress);
    if (loaded.mechanism && !hasErrors(loaded.problems))
      result = simulateAndWrite(options, loaded, progress);
  }
  if (hasErrors(loaded.problems)) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  if (options.json) {
    printJson(cli::toJson(file, result, loaded.problems));
  } else {
    printProblems(loaded.problems);
    print(file, *loaded.scene, *loaded.mechanism, result);
    if (!options.output.empty()) std::cout << "\nWritten: " << options.output << "\n";
  }
  return exitCodeOf(result.status, options.strict);
}

}  // namespace

void addSimulate(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "Move a scene through time by a method, and measure it");
  options->motion.addTo(
      *command, "Steps from one frame of a .csv to the next (default: about 60 frames per second)");
  command
      ->add_option("--method", options->method,
                   listed(methodNames()) + "; " + std::string(nameOf(StepSettings{}.method)) +
                       " by default, unless the scene names another")
      ->type_name("METHOD")
      ->check(nameOutOf("method", methodNames()));
  command
      ->add_option("-o,--output", options->output,
                   "Write the motion as a .csv table, or the last state as a .tenon scene, an .svg "
                   "picture; a .json report")
      ->type_name("OUT")
      ->check(endingOutOf({Ending::Scene, Ending::Csv, Ending::Svg, Ending::Json}));
  command->add_flag("--strict", options->strict,
                    "Exit with 1 if energy appeared from nowhere or steps did not converge");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Options that you leave out come from the scene's `settings`. Tenon first closes open\n"
      "joints. Ctrl-C stops the run and keeps what was recorded. The exit code is 1 if the motion\n"
      "blows up. With --strict it is also 1 if the status is `warned`.\n\n"
      "Example:\n"
      "  tenon simulate scenes/linkages/four-bar.tenon --time 2 -o motion.csv");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
