// `tenon info`: what a scene is, counted and measured at the pose as written.
#include <tenon/joint.h>
#include <tenon/measure.h>
#include <tenon/posing.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>

#include "commands.h"
#include "report.h"
#include "scene_input.h"

namespace tenon::cli {
namespace {

struct InfoOptions {
  std::string scene;
  ParameterOptions set;
  bool json = false;
};

constexpr double kClosed = 1e-9;           // [m], [rad]
constexpr Index kQuicklyDiagnosed = 2000;  // solids

struct Facts {
  const Scene& scene;
  const Mechanism& mechanism;
  std::string file;
  Counts counts;
  JointError error;
  std::string worstJoint;     // empty: no error at all
  std::string worstRange;     // empty: every coordinate is within its limits
  std::size_t compliant = 0;  // of the constraints
  Index regularDof = 0;       // nearby; less than counts.dof at a singular pose
};

// Constraints that give way to a force instead of holding exactly.
std::size_t countCompliant(const Mechanism& mechanism, const Control& control, const State& state) {
  Rows rows;
  emitRows(mechanism, control, state, rows);
  return static_cast<std::size_t>(
      std::count_if(rows.rows.begin(), rows.rows.end(),
                    [](const Row& row) { return row.equality && std::isfinite(row.stiffness); }));
}

// ------------------------------------------------------------------------------------------ JSON

// Of the solids that have one: those that move freely. Their sum is the scene's mass.
Json massesAsJson(const Mechanism& mechanism) {
  Json masses = Json::array();
  for (std::size_t i = 0; i < mechanism.solids.size(); ++i)
    if (mechanism.solids[i].kind == SolidKind::Dynamic)
      masses.push_back({{"name", mechanism.solidNames[i]}, {"mass", mechanism.solids[i].mass}});
  return masses;
}

Json factsAsJson(const Facts& facts) {
  const Counts& counts = facts.counts;
  Json parameters = Json::object();
  for (const Parameter& parameter : facts.scene.parameters) {
    Json entry{{"value", parameter.value}};
    if (std::isfinite(parameter.lower)) entry["min"] = parameter.lower;
    if (std::isfinite(parameter.upper)) entry["max"] = parameter.upper;
    parameters[parameter.name] = std::move(entry);
  }
  Json groups = Json::array(), redundantJoints = Json::array();
  for (const Counts::RedundantGroup& group : counts.redundancy) {
    const auto names = namesOf(facts.mechanism, group.joints);
    groups.push_back({{"redundant", group.redundant}, {"joints", names}});
    for (const std::string& name : names) redundantJoints.push_back(name);
  }
  return {{"ok", true},
          {"file", facts.file},
          {"title", facts.scene.title},
          {"start", facts.scene.start},
          {"parameters", std::move(parameters)},
          {"solids", counts.solids},
          {"joints", counts.joints},
          {"pins", counts.pins},
          {"coordinates", counts.coordinates},
          {"constraints", counts.constraints},
          {"compliant", facts.compliant},
          {"loops", counts.loops},
          {"islands", facts.mechanism.islands.size()},
          {"rank", counts.rank},
          {"dof", counts.dof},
          {"regular_dof", facts.regularDof},
          {"singular", facts.regularDof < counts.dof},
          {"redundant", counts.redundant},
          {"redundant_joints", std::move(redundantJoints)},
          {"redundant_groups", std::move(groups)},
          {"mass", counts.mass},
          {"masses", massesAsJson(facts.mechanism)},
          {"max_error", facts.error.max},
          {"max_error_m", facts.error.maxMetres},
          {"max_error_rad", facts.error.maxRadians},
          {"rms_error", facts.error.rms},
          {"worst_joint", facts.worstJoint},
          {"range_error", facts.error.range},
          {"range_error_unit", facts.error.rangeAngular ? "rad" : "m"},
          {"worst_range", facts.worstRange}};
}

// ------------------------------------------------------------------------------------ for people

std::string solidKinds(const Mechanism& mechanism) {
  std::size_t dynamic = 0, points = 0, immobile = 0, animated = 0;
  for (const MechanismSolid& solid : mechanism.solids) {
    if (solid.kind == SolidKind::Immobile) ++immobile;
    if (solid.kind == SolidKind::Animated) ++animated;
    if (solid.kind == SolidKind::Dynamic) ++(solid.pointMass ? points : dynamic);
  }
  std::vector<std::string> parts;
  if (dynamic > 0) parts.push_back(std::to_string(dynamic) + " dynamic");
  if (points > 0)
    parts.push_back(std::to_string(points) + (points == 1 ? " point mass" : " point masses"));
  if (immobile > 0) parts.push_back(std::to_string(immobile) + " immobile");
  if (animated > 0) parts.push_back(std::to_string(animated) + " animated");
  return parts.size() > 1 || dynamic == 0 ? listed(parts) : "";
}

std::string jointKinds(const Mechanism& mechanism) {
  std::map<std::string_view, std::size_t> kinds;
  for (const MechanismJoint& joint : mechanism.joints)
    if (!joint.isPin) ++kinds[joint.kind->name];
  std::vector<std::string> parts;
  for (const auto& [name, n] : kinds) parts.push_back(std::to_string(n) + " " + std::string(name));
  return listed(parts);
}

std::string rangeOf(const Parameter& parameter) {
  const bool lower = std::isfinite(parameter.lower), upper = std::isfinite(parameter.upper);
  if (lower && upper) return shortNumber(parameter.lower) + " to " + shortNumber(parameter.upper);
  if (lower) return "at least " + shortNumber(parameter.lower);
  return upper ? "at most " + shortNumber(parameter.upper) : "";
}

void printRedundancy(const Facts& facts) {
  for (const Counts::RedundantGroup& group : facts.counts.redundancy) {
    const std::vector<std::string> names = namesOf(facts.mechanism, group.joints);
    std::cout << counted(group.redundant, "redundant constraint");
    if (names.size() == 1)
      std::cout << " within " << names.front() << ".\n";
    else
      std::cout << ", shared by " << listedShort(names)
                << ". Any of these joints could give way.\n";
  }
  if (!facts.counts.redundancy.empty() && facts.error.max > kClosed)
    std::cout << "The joints are open. `tenon assemble` closes them, or names joints that cannot "
                 "all hold.\n";
}

void print(const Facts& facts) {
  const Counts& counts = facts.counts;
  const std::string title = facts.scene.title.empty() ? facts.file : facts.scene.title;
  std::cout << inkOnStdout(Ink::Bold, title);
  if (!facts.scene.title.empty()) std::cout << " (" << facts.file << ")";
  std::cout << "\n\n";
  printLine("solids", std::to_string(counts.solids), solidKinds(facts.mechanism));
  printLine("joints", std::to_string(counts.joints), jointKinds(facts.mechanism));
  if (counts.pins > 0) printLine("pins", std::to_string(counts.pins), "they hold like joints");
  printLine("loops", std::to_string(counts.loops));
  printLine("islands", std::to_string(facts.mechanism.islands.size()));
  printLine("mass", shortNumber(counts.mass), "kg");
  if (!facts.scene.parameters.empty()) std::cout << "\nParameters (change them with --set):\n\n";
  for (const Parameter& parameter : facts.scene.parameters)
    printLine(parameter.name, shortNumber(parameter.value), rangeOf(parameter));
  std::cout << "\n"
            << (facts.scene.start.empty() ? "At the pose as written"
                                          : "At the start pose '" + facts.scene.start + "'")
            << ":\n\n";
  printLine("coordinates", std::to_string(counts.coordinates));
  printLine("constraints", std::to_string(counts.constraints),
            std::to_string(counts.rank) + " independent, " + std::to_string(counts.redundant) +
                " redundant");
  if (facts.compliant > 0)
    printLine("", "",
              std::to_string(facts.compliant) + " of the constraints " +
                  (facts.compliant == 1 ? "is" : "are") + " compliant");
  printLine("degrees of freedom", std::to_string(counts.dof),
            facts.regularDof < counts.dof
                ? "this pose is singular; poses nearby have " + std::to_string(facts.regularDof)
                : "");
  printLine("joint error", shortNumber(facts.error.maxMetres, 2),
            "m, " + shortNumber(facts.error.maxRadians, 2) + " rad" +
                (facts.worstJoint.empty() ? "" : "; largest at " + facts.worstJoint));
  if (!facts.worstRange.empty())
    printLine("outside limits", shortNumber(facts.error.range, 2),
              (facts.error.rangeAngular ? "rad, at " : "m, at ") + facts.worstRange);
  if (!counts.redundancy.empty()) std::cout << "\n";
  printRedundancy(facts);
}

int run(const InfoOptions& options) {
  LoadedScene loaded;
  Counts counts;
  JointError error;
  std::size_t compliant = 0;
  Index regularDof = 0;
  {
    Progress progress;
    loaded = loadAndCompile(options.scene, options.set, progress);
    if (loaded.mechanism) {
      progress.now("counting degrees of freedom of " + options.scene);
      const Control control = initialControl(*loaded.mechanism);
      const State state = initialState(*loaded.mechanism);
      counts = count(*loaded.mechanism, control, state);
      error = jointError(*loaded.mechanism, control, state);
      compliant = countCompliant(*loaded.mechanism, control, state);
      regularDof = counts.dof;
      // What there is nearby is asked where it can differ and is soon found.
      if (error.max < kClosed && counts.redundant > 0 && counts.solids <= kQuicklyDiagnosed) {
        PoseScratch scratch;
        PoseSettings settings;
        settings.tolerance = kClosed;
        const Diagnosis found = diagnose(*loaded.mechanism, control, {}, state, settings, scratch);
        if (!found.outOfMemory) regularDof = found.regularDof;
      }
    }
  }
  if (!loaded.mechanism) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  Facts facts{*loaded.scene, *loaded.mechanism, options.scene, counts, error, {}, {}, compliant};
  facts.regularDof = regularDof;
  if (error.max > 0) facts.worstJoint = loaded.mechanism->jointNames[error.worst];
  if (error.range > 0) facts.worstRange = loaded.mechanism->jointNames[error.worstRange];
  if (options.json) {
    Json json = factsAsJson(facts);
    json["problems"] = toJson(loaded.problems);
    printJson(json);
  } else {
    printProblems(loaded.problems);
    print(facts);
  }
  return kSuccess;
}

}  // namespace

void addInfo(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info", "Count a scene's solids, joints, constraints, loops and degrees of freedom");
  command->add_option("SCENE", options->scene, "A .tenon file, or - for standard input")
      ->required();
  options->set.addTo(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Tenon counts at the pose as written, or at the scene's `start` pose, by the "
      "numerical rank of the constraints.\n\n"
      "Example:\n"
      "  tenon info scenes/manikin/chain.tenon --set links=20 --json");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
