// `tenon simulate`: a scene in motion by one method, measured.
#include <tenon/draw.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "commands.h"
#include "options.h"
#include "pose_files.h"
#include "report.h"
#include "scene_input.h"
#include "simulation.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

struct SimulateOptions {
  std::string scene;
  ParameterOptions set;
  std::optional<std::string> method, solver;
  std::optional<double> time, dt;  // [s]
  std::optional<int> iterations, linearIterations, every;
  std::optional<double> tolerance;    // [m], [rad]
  std::optional<double> alpha, beta;  // [1/s]
  std::string output;                 // empty: none
  bool euler = false, asWritten = false, json = false;
};

// What the command line says wins over the scene, and the scene over the defaults.
SimulationSettings settingsOf(const SimulateOptions& options, const Scene& scene,
                              std::vector<Problem>& problems) {
  std::vector<Problem> ofTheScene;
  SimulationSettings settings = simulationSettingsOf(scene, ofTheScene);
  StepSettings& step = settings.step;
  // The names were checked when the command line was read.
  if (options.method)
    static_cast<void>(fromName(*options.method, step.method));
  else
    problems.insert(problems.end(), ofTheScene.begin(), ofTheScene.end());
  if (options.solver) static_cast<void>(fromName(*options.solver, step.solver));
  settings.duration = options.time.value_or(settings.duration);
  settings.dt = options.dt.value_or(settings.dt);
  settings.every = options.every.value_or(0);
  settings.asWritten = options.asWritten;
  step.iterations = options.iterations.value_or(step.iterations);
  step.linearIterations = options.linearIterations.value_or(step.linearIterations);
  step.tolerance = options.tolerance.value_or(step.tolerance);
  step.alpha = options.alpha.value_or(step.alpha);
  step.beta = options.beta.value_or(step.beta);
  if (options.euler) step.integrator = Integrator::Euler;
  if (step.method != Method::Baumgarte &&
      ((options.euler && step.method != Method::Recursive) || options.alpha || options.beta)) {
    Problem problem =
        fileProblem(options.scene,
                    "--euler, --alpha and --beta do nothing to " + std::string(nameOf(step.method)),
                    "they belong to --method baumgarte, --euler also to recursive");
    problem.severity = Severity::Warning;
    problems.push_back(problem);
  }
  return settings;
}

// ------------------------------------------------------------------------------------------ JSON

// A warning in one line.
std::string lineOf(const Problem& problem) {
  std::string text;
  if (problem.line > 0) text = problem.file + ":" + std::to_string(problem.line) + ": ";
  text += problem.what;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return text;
}

Json asJson(const std::string& file, const Simulated& result,
            const std::vector<Problem>& problems) {
  Json warnings = Json::array();
  for (const Problem& problem : problems) warnings.push_back(lineOf(problem));
  const SimulationSettings& settings = result.settings;
  return {{"ok", result.status == SimulationStatus::Done},
          {"file", file},
          {"method", nameOf(settings.step.method)},
          {"solver", nameOf(settings.step.solver)},
          {"status", nameOf(result.status)},
          {"dt", settings.dt},
          {"time", result.state.time},
          {"steps", result.steps},
          {"frames", result.frames},
          {"time_ms", result.milliseconds},
          {"us_per_solid_step", result.microsecondsPerSolidStep},
          {"assembled", result.assembled},
          {"start_error", result.startError},
          {"end_error", result.endError},
          {"max_error", result.maxError},
          {"max_error_m", result.maxMetres},
          {"max_error_rad", result.maxRadians},
          {"rms_error", result.rmsError},
          {"range_error", result.rangeError},
          {"energy_drift", result.energyDrift},
          {"energy_reference", result.energyReference},
          {"energy_scale", result.energyScale},
          {"energy_deviation", result.energyDeviation},
          {"start_energy", result.startEnergy},
          {"end_energy", result.endEnergy},
          {"momentum_drift", result.momentumDrift},
          {"angular_momentum_drift", result.angularMomentumDrift},
          {"halved_steps", 0},
          {"unconverged_steps", result.unconverged},
          {"warnings", std::move(warnings)},
          {"state_hash", result.hash ? Json(hex(*result.hash)) : Json(nullptr)},
          {"problems", toJson(problems)}};
}

// ------------------------------------------------------------------------------------ for people

void printOutcome(const Simulated& result) {
  const std::string at = shortNumber(result.state.time) + " s";
  const std::string by = counted(result.steps, "step") + " of " +
                         shortNumber(result.settings.dt, 4) + " s (" +
                         std::string(nameOf(result.settings.step.method)) + ", " +
                         std::string(nameOf(result.settings.step.solver)) + ")";
  switch (result.status) {
    case SimulationStatus::Done:
      std::cout << inkOnStdout(Ink::Green, "Simulated") << ": " << at << " in " << by << ".\n";
      if (result.stopEvent) std::cout << "The scene itself stops there, by an event.\n";
      break;
    case SimulationStatus::BlownUp:
      std::cout << inkOnStdout(Ink::Red, "Blown up") << ": after " << at << ", in " << by
                << ", the motion ran away.\n"
                << "This is the last state before. A smaller --dt or another --method may help.\n";
      break;
    case SimulationStatus::Stopped:
      std::cout << inkOnStdout(Ink::Yellow, "Stopped") << ": at " << at << " of "
                << shortNumber(result.settings.duration) << " s, after " << by
                << "; what was recorded until then is kept.\n";
      break;
  }
  if (result.assembled)
    std::cout << "The joints were open by " << shortNumber(result.writtenError, 3)
              << " as written; they were closed first, to " << shortNumber(result.startError, 2)
              << ".\n";
  if (result.velocityChange > 1e-9)
    std::cout << "Velocities as written were changed by up to "
              << shortNumber(result.velocityChange, 3) << " m/s, so that the joints allow them.\n";
}

void print(const std::string& file, const Scene& scene, const Simulated& result) {
  std::cout << inkOnStdout(Ink::Bold, scene.title.empty() ? file : scene.title);
  if (!scene.title.empty()) std::cout << " (" << file << ")";
  std::cout << "\n\n";
  printOutcome(result);
  const std::string reference =
      result.energyReference == "potential range"   ? "of the range of potential energy, "
      : result.energyReference == "initial kinetic" ? "of the kinetic energy at the start, "
                                                    : "of ";
  std::cout << "\nOver all steps:\n\n";
  printLine("time", shortNumber(result.milliseconds, 3),
            "ms; " + shortNumber(result.microsecondsPerSolidStep, 3) + " µs per solid and step");
  printLine("joint error", shortNumber(result.maxError, 2),
            "at most (m, rad); " + shortNumber(result.rmsError, 2) + " rms, " +
                shortNumber(result.endError, 2) + " at the end");
  if (result.rangeError > 1e-9)
    printLine("outside limits", shortNumber(result.rangeError, 2), "at most (m, rad)");
  printLine("energy drift", shortNumber(result.energyDrift, 2),
            reference + shortNumber(result.energyScale, 3) + " J; at most " +
                shortNumber(result.energyDeviation, 2) + " on the way");
  printLine("momentum drift", shortNumber(result.momentumDrift, 2), "of Σ m|v| at the start");
  printLine("angular momentum", shortNumber(result.angularMomentumDrift, 2),
            "its drift, of the sum at the start");
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

std::string textOf(const SimulateOptions& options, LoadedScene& loaded, const Simulated& result,
                   std::string recorded) {
  const Scene& scene = *loaded.scene;
  const Mechanism& mechanism = *loaded.mechanism;
  switch (endingOf(options.output)) {
    case Ending::Scene:
      if (dependsOnTime(scene, mechanism)) {
        Problem problem = fileProblem(options.output, "the time of this scene begins at 0 again",
                                      "events, paths, targets and `active` times are as before");
        problem.severity = Severity::Warning;
        loaded.problems.push_back(problem);
      }
      return sceneAtPose(scene, mechanism, result.written, result.state,
                         std::isfinite(result.endError)
                             ? std::optional<double>(closedWithin(2 * result.endError))
                             : std::nullopt);
    case Ending::Csv:
      return recorded;
    case Ending::Svg:
      return drawScene(scene, mechanism, result.state).svg;
    case Ending::Json:
      return textOfJson(asJson(options.scene, result, loaded.problems));
    case Ending::None:
      break;
  }
  return {};
}

int exitCodeOf(SimulationStatus status) {
  return status == SimulationStatus::Done      ? kSuccess
         : status == SimulationStatus::Stopped ? kInterrupted
                                               : kProblems;
}

Simulated simulateAndWrite(const SimulateOptions& options, LoadedScene& loaded,
                           Progress& progress) {
  const Mechanism& mechanism = *loaded.mechanism;
  const SimulationSettings settings = settingsOf(options, *loaded.scene, loaded.problems);
  std::string recorded;
  std::function<void(const State&)> record;
  if (endingOf(options.output) == Ending::Csv) {
    recorded = csvHeader();
    record = [&](const State& state) { appendCsv(mechanism, state, recorded); };
  }
  progress.now("simulating " + options.scene);
  Simulated result = simulate(options.scene, *loaded.scene, mechanism, settings, record,
                              loaded.problems, progress);
  if (hasErrors(loaded.problems) || options.output.empty()) return result;
  progress.now("writing " + options.output);
  const std::string text = textOf(options, loaded, result, std::move(recorded));
  if (auto problem = writeText(options.output, text)) loaded.problems.push_back(*problem);
  return result;
}

int run(const SimulateOptions& options) {
  LoadedScene loaded;
  Simulated result;
  {
    Progress progress;
    loaded = loadAndCompile(options.scene, options.set, progress);
    if (loaded.mechanism && !hasErrors(loaded.problems))
      result = simulateAndWrite(options, loaded, progress);
  }
  if (hasErrors(loaded.problems)) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  if (options.json) {
    printJson(asJson(options.scene, result, loaded.problems));
  } else {
    printProblems(loaded.problems);
    print(options.scene, *loaded.scene, result);
    if (!options.output.empty()) std::cout << "\nWritten: " << options.output << "\n";
  }
  return exitCodeOf(result.status);
}

// --------------------------------------------------------------------------------------- options

void addNumbers(CLI::App& command, SimulateOptions& options) {
  command.add_option("--time", options.time, "Seconds to simulate; 5 unless the scene says it")
      ->type_name("T")
      ->check(positive());
  command.add_option("--dt", options.dt, "Seconds of a step; 1/240 unless the scene says it")
      ->type_name("H")
      ->check(positive());
  command
      .add_option("--iterations", options.iterations, "At most, in a step; 0: until the tolerance")
      ->type_name("N")
      ->check(notNegative());
  command
      .add_option("--linear-iterations", options.linearIterations,
                  "At most, each time, of an iterative solver")
      ->type_name("N")
      ->check(notNegative());
  command
      .add_option("--tolerance", options.tolerance,
                  "What counts as closed, in metres and radians; 1e-10 unless the scene says it")
      ->type_name("E")
      ->check(positive());
  command.add_option("--alpha", options.alpha, "baumgarte: feedback of velocities in 1/s; 1/dt")
      ->type_name("A")
      ->check(positive());
  command.add_option("--beta", options.beta, "baumgarte: feedback of positions in 1/s; 1/dt")
      ->type_name("B")
      ->check(positive());
  command
      .add_option("--every", options.every,
                  "Steps from frame to frame of a .csv; about 60 frames a second")
      ->type_name("N")
      ->check(positive())
      ->check(notNegative());
}

}  // namespace

void addSimulate(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "Move a scene through time by a method, and measure it");
  command->add_option("SCENE", options->scene, "A .tenon file, or - for standard input")
      ->required();
  options->set.addTo(*command);
  command
      ->add_option("--method", options->method,
                   listed(methodNames()) + "; " + std::string(nameOf(StepSettings{}.method)) +
                       " unless the scene says it")
      ->type_name("METHOD")
      ->check(nameOutOf("method", methodNames()));
  command->add_option("--solver", options->solver, "direct (default), cg, bicg, minres or block-cg")
      ->type_name("SOLVER")
      ->check(nameOutOf("solver", namesOfAll<LinearSolver>()));
  addNumbers(*command, *options);
  command->add_flag("--euler", options->euler,
                    "baumgarte, recursive: by Euler's steps, not Runge and Kutta's");
  command->add_flag("--as-written", options->asWritten,
                    "Begin with joints open and velocities wrong, if the scene has them so");
  command
      ->add_option("-o,--output", options->output,
                   "Write the motion as a .csv table, or the last state as a .tenon scene, an .svg "
                   "picture; a .json report")
      ->type_name("OUT")
      ->check(knownEnding());
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "What is not given is taken from the scene's `settings`. Open joints are closed first. "
      "Ctrl-C\n"
      "stops, and keeps what was recorded. The exit code is 1 if the numbers blow up.\n\n"
      "Example:\n"
      "  tenon simulate scenes/linkages/four-bar.tenon --time 2 -o motion.csv");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
