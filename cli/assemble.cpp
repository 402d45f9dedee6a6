// `tenon assemble`: from any pose to one in which every joint holds, or why there is none.
#include <tenon/draw.h>
#include <tenon/joint.h>
#include <tenon/measure.h>
#include <tenon/posing.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include <tenon/scene_says.h>
#include "commands.h"
#include "options.h"
#include "pose_files.h"
#include "report.h"
#include "scene_input.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

// How long to look for joints that fight, if nobody has set a budget.
constexpr double kDiagnosisMilliseconds = 20000;

struct AssembleOptions {
  std::string scene;
  ParameterOptions set;
  SolverOptions solver;
  std::optional<std::string> method, norm;
  std::optional<int> restarts;
  std::optional<double> budget;      // [ms]
  std::optional<double> truncation;  // [rad]
  std::optional<std::uint64_t> seed, scatter;
  std::vector<std::string> yields;  // JOINT or JOINT=WEIGHT
  std::string output, trace;        // empty: none
  bool plainSum = false, velocities = false, json = false;
};

struct Assembled {
  PoseSettings settings;
  State written, state;
  PoseReport report;
  Diagnosis diagnosis;
  std::optional<std::uint64_t> hash;
  std::optional<double> velocityError;  // [m/s] or [rad/s], with --velocities
  std::vector<Want> wants;
  bool hasGoals = false;

  [[nodiscard]] bool ok() const { return report.status == PoseStatus::Converged; }
};

// What the command line says wins over the scene, and the scene over the defaults.
PoseSettings settingsOf(const AssembleOptions& options, const Settings& scene) {
  PoseSettings settings = poseSettingsOf(scene);
  options.solver.apply(settings);
  // The names were checked when the command line was read.
  if (options.method) static_cast<void>(fromName(*options.method, settings.method));
  if (options.norm) static_cast<void>(fromName(*options.norm, settings.norm));
  settings.restarts = options.restarts.value_or(settings.restarts);
  settings.milliseconds = options.budget.value_or(settings.milliseconds);
  settings.truncation = options.truncation.value_or(settings.truncation);
  settings.seed = options.seed.value_or(settings.seed);
  settings.trace = !options.trace.empty();
  settings.relaxation.weighted = !options.plainSum;
  return settings;
}

// The joints that are to yield, by name.
std::vector<Yield> yieldsOf(const AssembleOptions& options, const Mechanism& mechanism,
                            std::vector<Problem>& problems) {
  std::vector<Yield> yields;
  const std::vector<std::string>& names = mechanism.jointNames;
  for (const std::string& text : options.yields) {
    const auto refuse = [&](std::string what, std::string remedy) {
      problems.push_back(fileProblem(options.scene, std::move(what), std::move(remedy)));
    };
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    Yield yield;
    if (equals != std::string::npos) {
      std::string weight = text.substr(equals + 1);
      if (!positive()(weight).empty()) {
        refuse("--yield " + text + ": a weight is a number above 0", "for example " + name + "=2");
        continue;
      }
      yield.weight = std::stod(weight);
    }
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string near = nearestWord(name, names);
      refuse("--yield " + text + ": there is no joint '" + name + "'",
             near.empty() ? "`tenon print` shows the joints" : "did you mean '" + near + "'?");
      continue;
    }
    yield.joint = static_cast<Index>(found - names.begin());
    yields.push_back(yield);
  }
  return yields;
}

Assembled assembleScene(const AssembleOptions& options, const Scene& scene,
                        const Mechanism& mechanism, std::vector<Problem>& problems,
                        Progress& progress) {
  Assembled result;
  const Control control = initialControl(mechanism);
  result.written = result.state = initialState(mechanism);
  result.wants = wantsOf(scene, mechanism, 0, problems);
  const std::vector<Want>& wants = result.wants;
  const std::vector<Yield> yields = yieldsOf(options, mechanism, problems);
  result.settings = settingsOf(options, scene.settings);
  // What the scene says is about scenes whose joints hold.
  constexpr AssemblyMethod kYields = AssemblyMethod::Newton;
  if (!yields.empty() && !options.method) result.settings.method = kYields;
  if (!yields.empty() && result.settings.method != kYields)
    problems.push_back(fileProblem(
        options.scene, "joints yield with the method " + std::string(nameOf(kYields)) + " only",
        "leave out --yield or --method"));
  if (hasErrors(problems)) return result;
  result.settings.yield = yields;
  result.hasGoals = std::any_of(wants.begin(), wants.end(), [](const Want& w) { return !w.need; });
  if (options.scatter) scatter(mechanism, *options.scatter, result.state);
  const std::string what = "assembling " + options.scene;
  progress.now(what);
  PoseScratch scratch;
  bool interrupted = false;
  {
    const NotedInterrupt interrupt;
    result.settings.progress = [&](int iterations, double error) {
      progress.now(what + ": " + counted(static_cast<std::size_t>(iterations), "iteration") +
                   ", error " + shortNumber(error, 2));
      return !interrupt.came();  // Ctrl-C ends the search and keeps the best pose
    };
    result.report = assemble(mechanism, control, wants, result.settings, result.state, scratch);
    result.settings.progress = nullptr;
    interrupted = interrupt.came();
  }
  if (options.velocities)
    result.velocityError = projectVelocities(mechanism, control, result.state, scratch);
  result.hash = stateHash(result.state);
  if (!result.hash) return result;
  progress.now("diagnosing " + options.scene);
  // Who fights is asked where the search gave up, not where somebody stopped it before.
  const bool stopped = result.report.status == PoseStatus::Budget &&
                       (interrupted || options.solver.iterations || scene.settings.iterations ||
                        std::isfinite(result.settings.milliseconds));
  PoseSettings asked = settingsOf(options, scene.settings);
  asked.trace = false;
  asked.yield = yields;
  asked.milliseconds = stopped ? 0 : std::min(asked.milliseconds, kDiagnosisMilliseconds);
  result.diagnosis = diagnose(mechanism, control, wants, result.state, asked, scratch);
  if (result.diagnosis.outOfMemory) {
    Problem problem;
    problem.severity = Severity::Warning;
    problem.file = options.scene;
    problem.what = "memory ran out before freedom and conflicts were counted";
    problems.push_back(std::move(problem));
  }
  return result;
}

// The names of those that fight: joints, and pins, each once.
std::vector<std::string> membersOf(const Mechanism& mechanism, const std::vector<Want>& wants,
                                   const Diagnosis::Conflict& conflict) {
  std::vector<std::string> names = namesOf(mechanism, conflict.joints);
  for (const Index want : conflict.wants) names.push_back(wants[want].name);
  return names;
}

// Who is in all of several sets: it is the first to look at.
std::vector<std::string> sharedBy(const std::vector<std::vector<std::string>>& sets) {
  if (sets.size() < 2) return {};
  std::vector<std::string> shared = sets.front();
  for (const std::vector<std::string>& set : sets)
    std::erase_if(shared, [&](const std::string& name) {
      return std::find(set.begin(), set.end(), name) == set.end();
    });
  return shared;
}

std::vector<std::vector<std::string>> conflictsOf(const Mechanism& mechanism,
                                                  const Assembled& result) {
  std::vector<std::vector<std::string>> sets;
  for (const Diagnosis::Conflict& conflict : result.diagnosis.conflicts)
    sets.push_back(membersOf(mechanism, result.wants, conflict));
  return sets;
}

// The coordinate whose range gave way; empty: the joint itself did.
std::string coordinateOf(const Mechanism& mechanism, const Yielded& one) {
  if (one.rule == kWorld) return {};
  const Index coordinate = mechanism.rules[one.rule].coordinate;
  return std::string(mechanism.joints[one.joint].kind->coordinates[coordinate].name);
}

// ------------------------------------------------------------------------------------------ JSON

Json asJson(const Mechanism& mechanism, const std::vector<Yielded>& yielded) {
  Json list = Json::array();
  for (const Yielded& one : yielded) {
    Json entry{{"joint", mechanism.jointNames[one.joint]}};
    if (one.rule != kWorld) entry["coordinate"] = coordinateOf(mechanism, one);
    entry["metres"] = one.metres;
    entry["radians"] = one.radians;
    entry["weight"] = one.weight;
    list.push_back(std::move(entry));
  }
  return list;
}

Json asJson(const std::string& file, const Mechanism& mechanism, const Assembled& result,
            const std::vector<Problem>& problems) {
  const PoseReport& report = result.report;
  const Diagnosis& diagnosis = result.diagnosis;
  Json redundantJoints = Json::array(), groups = Json::array();
  for (const std::vector<Index>& group : diagnosis.redundantJoints) {
    const auto names = namesOf(mechanism, group);
    for (const std::string& name : names) redundantJoints.push_back(name);
    groups.push_back(names);
  }
  const auto conflicts = conflictsOf(mechanism, result);
  Json conflictErrors = Json::array();
  for (const Diagnosis::Conflict& conflict : diagnosis.conflicts)
    conflictErrors.push_back(conflict.errors);
  Json json{{"ok", result.ok()},
            {"file", file},
            {"method", nameOf(result.settings.method)},
            {"solver", nameOf(result.settings.linear.solver)},
            {"norm", nameOf(result.settings.norm)},
            {"tolerance", result.settings.tolerance},
            {"start_error", report.startError},
            {"status", nameOf(report.status)},
            {"reason", report.reason},
            {"max_error", report.maxError},
            {"max_error_m", report.maxMetres},
            {"max_error_rad", report.maxRadians},
            {"rms_error", report.rmsError},
            {"iterations", report.iterations},
            {"linear_iterations", report.linearIterations},
            {"restarts", report.restarts},
            {"time_ms", report.milliseconds},
            {"dof", diagnosis.dof},
            {"regular_dof", diagnosis.regularDof},
            {"singular", diagnosis.singular},
            {"redundant", diagnosis.redundant},
            {"redundant_joints", std::move(redundantJoints)},
            {"redundant_groups", std::move(groups)},
            {"conflicts", conflicts},
            {"conflict_errors", std::move(conflictErrors)},
            {"conflicts_complete", diagnosis.allConflicts},
            {"conflicts_share", sharedBy(conflicts)},
            {"yielded", asJson(mechanism, report.yielded)},
            {"state_hash", result.hash ? Json(hex(*result.hash)) : Json(nullptr)}};
  if (result.hasGoals) json["goal_error_m"] = report.wantError;
  if (result.velocityError) json["velocity_error"] = *result.velocityError;
  json["problems"] = toJson(problems);
  return json;
}

// ------------------------------------------------------------------------------------ for people

// "the largest joint error went from 2.1 to 3e-14 in 12 iterations and 0.3 ms (newton, direct)"
std::string journey(const Assembled& result) {
  const PoseReport& report = result.report;
  std::string how = std::string(nameOf(result.settings.method));
  if (result.settings.method != AssemblyMethod::Relaxation)
    how += ", " + std::string(nameOf(result.settings.linear.solver));
  if (report.linearIterations > 0 && !isDirect(result.settings.linear.solver))
    how += ", " + counted(static_cast<std::size_t>(report.linearIterations), "solver iteration");
  if (report.restarts > 0)
    how += ", " + counted(static_cast<std::size_t>(report.restarts), "restart");
  return "the largest joint error went from " + shortNumber(report.startError, 3) + " to " +
         shortNumber(report.maxError, 3) + " in " +
         counted(static_cast<std::size_t>(report.iterations), "iteration") + " and " +
         shortNumber(report.milliseconds, 3) + " ms (" + how + ").";
}

void printOutcome(const Assembled& result) {
  const PoseReport& report = result.report;
  switch (report.status) {
    case PoseStatus::Converged:
      if (report.iterations == 0)
        std::cout << inkOnStdout(Ink::Green, "Already assembled") << ": the largest joint error is "
                  << shortNumber(report.maxError, 3) << ", so nothing was moved.\n";
      else
        std::cout << inkOnStdout(Ink::Green, "Assembled") << ": " << journey(result) << "\n";
      return;
    case PoseStatus::Budget:
      if (report.closed)
        std::cout << inkOnStdout(Ink::Red, "Goals not reached")
                  << ": the budget ran out. All joints hold: ";
      else
        std::cout << inkOnStdout(Ink::Red, "Not assembled")
                  << ": the budget ran out. This is the best pose so far: ";
      break;
    case PoseStatus::Stalled:
      std::cout << inkOnStdout(Ink::Red, "Not assembled")
                << ": no step brought the joints closer. This is the best pose found: ";
      break;
    case PoseStatus::Inconsistent:
      std::cout << inkOnStdout(Ink::Red, "Cannot be assembled")
                << ": no pose closes all joints. This pose spreads the errors: ";
      break;
    case PoseStatus::Memory:
      std::cout << inkOnStdout(Ink::Red, "Not assembled")
                << ": memory ran out. The pose is as it was: ";
      break;
  }
  std::cout << journey(result) << "\n";
  if (!report.reason.empty() && !report.closed) std::cout << "Reason: " << report.reason << "\n";
}

void printRedundancy(const Mechanism& mechanism, const Diagnosis& diagnosis) {
  if (diagnosis.redundantJoints.empty()) return;
  const char* const normal = "This is normal in closed loops, and not an error.\n";
  std::cout << "\n" << counted(diagnosis.redundant, "redundant constraint") << ", shared by";
  if (diagnosis.redundantJoints.size() == 1) {
    std::cout << " " << listedShort(namesOf(mechanism, diagnosis.redundantJoints.front())) << ". "
              << normal;
    return;
  }
  std::cout << " each of these groups of joints:\n";
  for (const std::vector<Index>& group : diagnosis.redundantJoints)
    std::cout << "  " << listedShort(namesOf(mechanism, group)) << "\n";
  std::cout << normal;
}

// "Gave way: left by 0.17 m (weight 1) and right by 0.33 m, 0.1 rad (weight 2)."
void printYielded(const Mechanism& mechanism, const std::vector<Yielded>& yielded) {
  if (yielded.empty()) return;
  std::vector<std::string> gave;
  for (const Yielded& one : yielded) {
    std::string how = one.metres > 0 || !(one.radians > 0) ? shortNumber(one.metres, 3) + " m" : "";
    if (one.radians > 0) how += (how.empty() ? "" : ", ") + shortNumber(one.radians, 3) + " rad";
    const std::string coordinate = coordinateOf(mechanism, one);
    gave.push_back(mechanism.jointNames[one.joint] +
                   (coordinate.empty() ? "" : "'s " + coordinate) + " by " + how + " (weight " +
                   shortNumber(one.weight, 3) + ")");
  }
  std::cout << "\n" << inkOnStdout(Ink::Bold, "Gave way") << ": " << listedShort(gave) << ".\n";
}

void printConflicts(const Mechanism& mechanism, const Assembled& result) {
  const Diagnosis& diagnosis = result.diagnosis;
  for (const Diagnosis::Conflict& conflict : diagnosis.conflicts) {
    const auto names = membersOf(mechanism, result.wants, conflict);
    std::cout << "\n";
    if (names.size() == 1) {
      std::cout << inkOnStdout(Ink::Bold, "This cannot hold") << ": " << names.front()
                << ". Without it, all other joints close, and it stays open by "
                << shortNumber(conflict.errors.front(), 3) << " (metres or radians).\n";
      continue;
    }
    std::vector<std::string> left;
    for (std::size_t i = 0; i < names.size(); ++i)
      left.push_back(names[i] + " by " + shortNumber(conflict.errors[i], 3));
    std::cout << inkOnStdout(Ink::Bold, "These cannot all hold") << ": " << listedShort(names)
              << (diagnosis.conflicts.size() == 1
                      ? ". If you drop any one of them, all others close, and that one stays open: "
                      : ". One of them has to give way, and would stay open: ")
              << listedShort(left) << " (metres or radians).\n";
  }
  const std::vector<std::string> shared = sharedBy(conflictsOf(mechanism, result));
  if (!shared.empty())
    std::cout << "\nAll of these conflicts share " << listedShort(shared)
              << ". Look there first.\n";
  if (!diagnosis.allConflicts && !diagnosis.conflicts.empty())
    std::cout << "\nThis list may not be complete: there may be more such conflicts.\n";
}

void print(const std::string& file, const Scene& scene, const Mechanism& mechanism,
           const Assembled& result) {
  const PoseReport& report = result.report;
  const Diagnosis& diagnosis = result.diagnosis;
  std::cout << inkOnStdout(Ink::Bold, scene.title.empty() ? file : scene.title);
  if (!scene.title.empty()) std::cout << " (" << file << ")";
  std::cout << "\n\n";
  printOutcome(result);
  std::cout << "\nAt this pose:\n\n";
  printLine("joint error", shortNumber(report.maxMetres, 2),
            "m, " + shortNumber(report.maxRadians, 2) + " rad");
  printLine("degrees of freedom", std::to_string(diagnosis.dof),
            diagnosis.singular
                ? "this pose is singular; poses nearby have " + std::to_string(diagnosis.regularDof)
                : "");
  if (result.hasGoals)
    printLine("goals", shortNumber(report.wantError, 3), "m from the farthest point to its target");
  if (result.velocityError)
    printLine("velocity error", shortNumber(*result.velocityError, 2), "m/s or rad/s");
  // Where joints are open, what is redundant there says nothing about the mechanism.
  if (report.closed && report.yielded.empty()) printRedundancy(mechanism, diagnosis);
  printYielded(mechanism, report.yielded);
  printConflicts(mechanism, result);
}

// ----------------------------------------------------------------------------------------- files

std::string textOf(const AssembleOptions& options, const LoadedScene& loaded,
                   const Assembled& result) {
  const Scene& scene = *loaded.scene;
  const Mechanism& mechanism = *loaded.mechanism;
  switch (endingOf(options.output)) {
    case Ending::Scene:
      return sceneAtPose(scene, mechanism, result.written, result.state,
                         result.report.closed
                             ? std::optional<double>(closedWithin(
                                   std::max(result.settings.tolerance, 2 * result.report.maxError)))
                             : std::nullopt);
    case Ending::Csv:
      return csvOf(mechanism, result.state);
    case Ending::Svg:
      return drawScene(scene, mechanism, result.state).svg;
    case Ending::Json:
      return textOfJson(asJson(options.scene, mechanism, result, loaded.problems));
    case Ending::Html:
    case Ending::None:
      break;
  }
  return {};
}

// Empty if all went well.
std::optional<Problem> writeFiles(const AssembleOptions& options, const LoadedScene& loaded,
                                  const Assembled& result) {
  if (!options.trace.empty())
    if (auto problem = writeText(options.trace, csvOf(result.report.trace))) return problem;
  if (options.output.empty()) return std::nullopt;
  return writeText(options.output, textOf(options, loaded, result));
}

int run(const AssembleOptions& options) {
  LoadedScene loaded;
  Assembled result;
  {
    Progress progress;
    loaded = loadAndCompile(options.scene, options.set, progress);
    if (loaded.mechanism) {
      result = assembleScene(options, *loaded.scene, *loaded.mechanism, loaded.problems, progress);
      if (!hasErrors(loaded.problems)) {
        if (!options.output.empty()) progress.now("writing " + options.output);
        if (auto problem = writeFiles(options, loaded, result)) loaded.problems.push_back(*problem);
      }
    }
  }
  if (hasErrors(loaded.problems)) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  if (options.json) {
    printJson(asJson(options.scene, *loaded.mechanism, result, loaded.problems));
  } else {
    printProblems(loaded.problems);
    print(options.scene, *loaded.scene, *loaded.mechanism, result);
    if (!options.output.empty()) std::cout << "\nWritten: " << options.output << "\n";
  }
  return result.ok() ? kSuccess : kProblems;
}

// --------------------------------------------------------------------------------------- options

void addNumbers(CLI::App& command, AssembleOptions& options) {
  command.add_option("--budget-ms", options.budget, "Stop after this many milliseconds")
      ->type_name("T")
      ->transform(positive(Quantity::Milliseconds));
  command
      .add_option("--truncation", options.truncation,
                  "The most that a solid may turn in one iteration, in radians (default 0.8)")
      ->type_name("A")
      ->transform(positive(Quantity::Radians));
  command
      .add_option("--restarts", options.restarts,
                  "How often newton may start again from another pose when it stalls")
      ->type_name("N")
      ->check(notNegative());
  command.add_option("--seed", options.seed, "Seed of the random restarts")->type_name("N");
  command
      .add_option("--scatter", options.scatter,
                  "Start with all solids at random poses, drawn with this seed")
      ->type_name("SEED");
}

}  // namespace

void addAssemble(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<AssembleOptions>();
  CLI::App* command = app.add_subcommand(
      "assemble", "Move a scene's solids until every joint holds, or say why they cannot");
  command->add_option("SCENE", options->scene, "A .tenon file, or - for standard input")
      ->required();
  options->set.addTo(*command);
  const std::vector<std::string> methods = namesOfAll<AssemblyMethod>();
  command
      ->add_option("--method", options->method, choicesOf(methods, nameOf(PoseSettings{}.method)))
      ->type_name("METHOD")
      ->check(nameOutOf("method", methods));
  command
      ->add_option("--norm", options->norm,
                   "How the tolerance is measured: " +
                       choicesOf(namesOfAll<Norm>(), nameOf(PoseSettings{}.norm)))
      ->type_name("NORM")
      ->check(nameOutOf("norm", namesOfAll<Norm>()));
  options->solver.addTo(*command, "The most iterations, counted over all restarts");
  addNumbers(*command, *options);
  command
      ->add_option("--yield", options->yields,
                   "newton: let these joints give way, by weight: the more, the less (default 1)")
      ->type_name("JOINT[=WEIGHT],…")
      ->delimiter(',');
  command->add_flag("--plain-sum", options->plainSum,
                    "relaxation: add corrections without weights (may diverge)");
  command->add_flag("--velocities", options->velocities,
                    "Also compute the nearest velocities that the joints allow");
  command
      ->add_option("--trace", options->trace, "Write the error of each iteration as a .csv table")
      ->type_name("FILE")
      ->check(endingOutOf({Ending::Csv}));
  command
      ->add_option("-o,--output", options->output,
                   "Write the pose: a .tenon scene, a .csv table, an .svg picture, a .json report")
      ->type_name("OUT")
      ->check(endingOutOf({Ending::Scene, Ending::Csv, Ending::Svg, Ending::Json}));
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Options that you leave out come from the scene's `settings`. Pins hold like joints. Joints\n"
      "with a compliance, preferred ranges and joints that --yield names find a compromise. Goals\n"
      "are reached as far as all of that allows. The pose never gets worse than at the start. The\n"
      "exit code is 0 only if all joints hold and the goals were followed to the end.\n\n"
      "Example:\n"
      "  tenon assemble scenes/linkages/four-bar.tenon --scatter 1 -o closed.tenon");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
