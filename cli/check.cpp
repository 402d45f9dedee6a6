// `tenon check`: every problem of a scene, and whether what it expects of itself holds.
#include <tenon/measure.h>
#include <tenon/simulation.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "commands.h"
#include "report.h"
#include "scene_input.h"

namespace tenon::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> scenes;
  ParameterOptions set;
  bool json = false;
};

struct Checked {
  std::string file;
  std::vector<Problem> problems;
  Json expectations = Json::array();
  std::size_t holding = 0, failing = 0, notYet = 0;

  [[nodiscard]] bool ok() const { return failing == 0 && !hasErrors(problems); }
};

const char* verdictWord(Judgement::Verdict verdict) {
  switch (verdict) {
    case Judgement::Verdict::Holds:
      return "holds";
    case Judgement::Verdict::Fails:
      return "fails";
    case Judgement::Verdict::NotYet:
      break;
  }
  return "not checkable yet";
}

// An expectation that nobody knows was already warned of, by its name, when the text was read.
bool isSaid(const Expectation& expectation, const Problem& problem,
            const std::vector<Problem>& problems) {
  const std::string name = "'" + expectation.what + "'";
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& other) {
    return other.file == problem.file && other.line == problem.line &&
           other.what.find(name) != std::string::npos;
  });
}

void judgeAll(const Scene& scene, const std::vector<Judgement>& judgements, Checked& checked) {
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const Expectation& expectation = scene.expectations[i];
    const Judgement& judgement = judgements[i];
    using Verdict = Judgement::Verdict;
    if (judgement.verdict == Verdict::Holds) ++checked.holding;
    if (judgement.verdict == Verdict::Fails) ++checked.failing;
    if (judgement.verdict == Verdict::NotYet) ++checked.notYet;
    const bool fails = judgement.verdict == Verdict::Fails;
    const Problem problem = problemAt(scene.files, expectation.place,
                                      fails ? Severity::Error : Severity::Warning, judgement.words);
    if (fails ||
        (judgement.verdict == Verdict::NotYet && !isSaid(expectation, problem, checked.problems)))
      checked.problems.push_back(problem);
    Json entry{{"what", expectation.what},
               {"expected", expectation.values},
               {"verdict", verdictWord(judgement.verdict)},
               {"words", judgement.words},
               {"line", problem.line}};
    if (judgement.verdict != Verdict::NotYet) entry["measured"] = judgement.measured;
    checked.expectations.push_back(std::move(entry));
  }
}

// A scene that is closed, but starts outside of a limit.
void warnOfRanges(const Scene& scene, const JointError& error, std::vector<Problem>& problems) {
  if (error.max > 1e-6 || error.range < 1e-9) return;
  const Joint& joint = scene.joints[error.worstRange];
  problems.push_back(problemAt(scene.files, joint.place, Severity::Warning,
                               "joint '" + joint.name + "' starts outside its limits by " +
                                   shortNumber(error.range) + (error.rangeAngular ? " rad" : " m"),
                               "widen the range, or write another pose"));
}

// Words that mean something else than they did, in texts that do not say which version they are of.
void noteChanges(const Scene& scene, std::vector<Problem>& problems) {
  const auto isOlder = [&](const Place& place) {
    return place.file >= scene.files.size() || scene.files[place.file].version == 0;
  };
  for (const Event& event : scene.events)
    if (event.action == "stop" && isOlder(event.place))
      problems.push_back(problemAt(scene.files, event.place, Severity::Note,
                                   "`stop` takes all momentum away, and the run continues; in "
                                   "earlier versions it ended the run",
                                   "to end the run, write `finish`; if this is what you want, say "
                                   "`version 1;` at the top"));
}

Checked check(const std::string& file, const ParameterOptions& set, Progress& progress) {
  Checked checked;
  checked.file = file;
  LoadedScene loaded = loadAndCompile(file, set, progress);
  checked.problems = std::move(loaded.problems);
  if (!loaded.mechanism) return checked;
  progress.now("judging " + file);
  const Control control = initialControl(*loaded.mechanism);
  const State state = initialState(*loaded.mechanism);
  const JointError error = jointError(*loaded.mechanism, control, state);
  warnOfRanges(*loaded.scene, error, checked.problems);
  noteChanges(*loaded.scene, checked.problems);
  if (loaded.scene->expectations.empty()) return checked;
  judgeAll(*loaded.scene, judgeExpectations(*loaded.scene, *loaded.mechanism, checked.problems),
           checked);
  return checked;
}

void print(const Checked& checked) {
  printProblems(checked.problems);
  std::size_t errors = 0, warnings = 0, notes = 0;
  for (const Problem& problem : checked.problems)
    ++(problem.severity == Severity::Error     ? errors
       : problem.severity == Severity::Warning ? warnings
                                               : notes);
  std::string line = checked.file + ": ";
  line += checked.ok() ? inkOnStdout(Ink::Green, "ok")
                       : inkOnStdout(Ink::Red, counted(errors, "error"));
  if (warnings > 0) line += ", " + counted(warnings, "warning");
  if (notes > 0) line += ", " + counted(notes, "note");
  if (checked.holding + checked.failing > 0)
    line += ", " + std::to_string(checked.holding) + " of " +
            std::to_string(checked.holding + checked.failing) + " expectations hold";
  if (checked.notYet > 0) line += ", " + std::to_string(checked.notYet) + " cannot be checked yet";
  std::cout << line << std::endl;
}

int run(const CheckOptions& options) {
  bool ok = true;
  Json scenes = Json::array(), problems = Json::array();
  for (const std::string& file : options.scenes) {
    Checked checked;
    {
      Progress progress;
      checked = check(file, options.set, progress);
    }
    ok = ok && checked.ok();
    if (!options.json) {
      print(checked);
      continue;
    }
    Json found = toJson(checked.problems);
    problems.insert(problems.end(), found.begin(), found.end());
    scenes.push_back({{"file", checked.file},
                      {"ok", checked.ok()},
                      {"expectations", std::move(checked.expectations)},
                      {"problems", std::move(found)}});
  }
  if (options.json)
    printJson({{"ok", ok}, {"problems", std::move(problems)}, {"scenes", std::move(scenes)}});
  return ok ? kSuccess : kProblems;
}

}  // namespace

void addCheck(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "List all problems of scenes, and check their `expect` lines");
  command->add_option("SCENE", options->scenes, ".tenon files, or - for standard input")
      ->required();
  options->set.addTo(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Tenon checks `expect` lines at the pose as written. For `expect assembled` it assembles a\n"
      "copy if joints are open at the start. If Tenon cannot check a line yet, it says so; that\n"
      "is not a failure.\n\n"
      "Example:\n"
      "  tenon check scenes/linkages/four-bar.tenon --set angle=30deg");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
