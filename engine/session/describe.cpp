// The questions: what a session says of itself.
#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/scene_says.h>

#include <algorithm>

#include "model/names.h"
#include "session/session_impl.h"

namespace tenon {

namespace {

constexpr std::string_view kShapes[] = {"box",      "sphere", "ellipsoid", "capsule",
                                        "cylinder", "cone",   "hull",      "mesh"};
constexpr std::string_view kSolids[] = {"dynamic", "immobile", "animated"};

void describe(const Pose& X, Json& json) { Members{json}("position", X.p)("rotation", X.q); }

void describe(const Shape& shape, Json& json) {
  Members{json}("kind", kShapes[static_cast<std::size_t>(shape.kind)])("size", shape.size);
  describe(shape.pose, json);
  if (!shape.points.empty()) {
    Json& points = listIn(json, "points");
    for (const Vec3& p : shape.points)
      for (const double x : {p.x, p.y, p.z}) add(points, x);
  }
  if (!shape.triangles.empty()) {
    Json& triangles = listIn(json, "triangles");
    for (const auto& t : shape.triangles)
      for (const std::uint32_t i : t) added(triangles) = i;
  }
}

// Lines of many places, in one walk of the text.
class Lines {
 public:
  explicit Lines(const Scene& scene) {
    if (scene.files.empty()) return;
    const std::string& text = scene.files[0].text;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') ends_.push_back(i);
  }
  [[nodiscard]] int of(const Place& place) const {
    if (place.file != 0) return 0;
    return 1 + static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), place.offset) -
                                ends_.begin());
  }

 private:
  std::vector<std::size_t> ends_;
};

void describe(const Scene& scene, const Solid& solid, const MechanismSolid& compiled,
              const Lines& lines, Json& json) {
  Colour colour;
  for (const Material& material : scene.materials)
    if (material.name == solid.material && material.colour) colour = *material.colour;
  if (solid.colour) colour = *solid.colour;
  Members{json}("name", solid.name)("kind", kSolids[static_cast<std::size_t>(solid.kind)])(
      "point_mass", solid.pointMass)("mass", compiled.mass)("com", compiled.com)(
      "colour", Vec3{colour.r, colour.g, colour.b})("groups", solid.groups)("shared", solid.shared)(
      "line", lines.of(solid.place));
  Json& shapes = listIn(json, "shapes");
  for (const Shape& shape : solid.shapes) describe(shape, added(shapes));
}

void describe(const Joint& joint, const Lines& lines, Json& json) {
  Members{json}("name", joint.name)("kind", joint.kind)("solid1", joint.solid1)(
      "solid2", joint.solid2)("compliance", joint.compliance)("shared", joint.shared)(
      "line", lines.of(joint.place));
  describe(joint.frame1, json["frame1"]);
  describe(joint.frame2, json["frame2"]);
  Json& rules = listIn(json, "rules");
  for (const CoordinateRule& rule : joint.rules)
    Members{added(rules)}("kind", nameAmong(kRuleNames, rule.kind))("coordinate", rule.coordinate)(
        "lower", rule.lower)("upper", rule.upper);
  Json& options = json["options"] = Json(Json::value_t::object);
  for (const JointOption& option : joint.options) put(options, option.name.c_str(), option.values);
}

}  // namespace

Json jsonOf(const AllSettings& settings) {
  Json json;
  for (const Setting& setting : settingCatalogue())
    if (setting.moving)
      put(json, std::string(setting.name).c_str(), jsonOf(setting.moving, settings));
  return json;
}

namespace {

Json hashOf(const State& state) {
  const auto hash = stateHash(state);
  if (!hash) return nullptr;
  char text[17];
  for (int i = 0; i < 16; ++i) text[i] = "0123456789abcdef"[*hash >> (60 - 4 * i) & 15u];
  return std::string(text, 16);
}

Json namesOf(const std::vector<std::string>& all, const std::vector<Index>& which) {
  Json names = Json::array();
  for (const Index i : which) add(names, all[i]);
  return names;
}

std::string counted(Index count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}
std::string listed(const Json& names) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(names.size(), 8);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i].get<std::string>();
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

}  // namespace

Json describeScene(const SessionDocument& document) {
  const Scene& scene = document.scene();
  const Lines lines(scene);
  Json json;
  Members{json}("title", scene.title)("name", document.name)("gravity", scene.gravity)(
      "settings", jsonOf(allSettingsOf(scene.settings)))(
      "duration", scene.settings.number("duration").value_or(5))("problems",
                                                                 tenon::jsonOf(document.warnings));
  Json& solids = listIn(json, "solids");
  for (std::size_t s = 0; s < scene.solids.size(); ++s)
    describe(scene, scene.solids[s], document.mechanism.solids[s], lines, added(solids));
  Json& joints = listIn(json, "joints");
  for (const Joint& joint : scene.joints) describe(joint, lines, added(joints));
  Json& floors = listIn(json, "floors");
  for (const Floor& floor : scene.floors)
    Members{added(floors)}("name", floor.name)("point", floor.point)("normal", floor.normal);
  Json& springs = listIn(json, "springs");
  for (const Spring& spring : scene.springs)
    Members{added(springs)}("name", spring.name)("solid1", spring.solid1)("solid2", spring.solid2)(
        "point1", spring.point1)("point2", spring.point2);
  Json& parameters = listIn(json, "parameters");
  for (const Parameter& parameter : scene.parameters)
    Members{added(parameters)}("name", parameter.name)("value", parameter.value)(
        "lower", parameter.lower)("upper", parameter.upper)("line", lines.of(parameter.place));
  return json;
}

Json describeCatalogue() {
  Json json;
  Json& kinds = listIn(json, "kinds");
  for (const JointKind& kind : jointCatalogue()) {
    Json& entry = added(kinds);
    Members{entry}("name", kind.name)("summary", kind.summary)("papers", kind.papers)(
        "locked", kind.locked)("residuals", kind.residualCount)(
        "relates", kind.relates == Relates::Frames   ? "frames"
                   : kind.relates == Relates::Points ? "points"
                                                     : "coordinates");
    Json& coordinates = listIn(entry, "coordinates");
    for (int c = 0; c < kind.coordinateCount; ++c)
      Members{added(coordinates)}("name", kind.coordinates[c].name)(
          "angular", kind.coordinates[c].angular)("periodic", kind.coordinates[c].periodic)(
          "free", c < kind.freeCount);
    Json& options = listIn(entry, "options");
    for (int o = 0; o < kind.optionCount; ++o) {
      const JointKind::Option& option = kind.options[o];
      Members{added(options)}("name", option.name)("count", option.count)(
          "unit", option.unit == OptionUnit::Length ? "m"
                  : option.unit == OptionUnit::Angle
                      ? "rad"
                      : "")("fallback", option.fallback)("required", option.required);
    }
  }
  Json& methods = listIn(json, "methods");
  for (const std::string_view name : kMethodNames) {
    Method method{};
    static_cast<void>(fromName(name, method));
    Members{added(methods)}("name", name)("summary", summaryOf(method))(
        "islands", goesByIslands(method))("solver", takesSolver(method))("feedback",
                                                                         takesFeedback(method));
  }
  put(json, "settings", describeSettings());
  Json& solvers = listIn(json, "solvers");
  for (const std::string_view solver : kSolverNames) add(solvers, solver);
  Json& assembly = listIn(json, "assembly");
  for (const std::string_view method : kAssemblyNames) add(assembly, method);
  return json;
}

Json describeJoints(const SessionState& now) {
  const Mechanism& m = now.mechanism->mechanism;
  Json json;
  Json& joints = json["joints"] = Json(Json::value_t::object);
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.isPin || m.jointNames[j].back() == '\'') continue;  // the latter is a hand's
    const JointValues values = jointValues(m, now.state, j);
    Json& entry = joints[m.jointNames[j]];
    Json& coordinates = entry["coordinates"] = Json(Json::value_t::object);
    for (int c = 0; c < joint.kind->coordinateCount; ++c)
      put(coordinates, std::string(joint.kind->coordinates[c].name).c_str(), values.coordinate[c]);
    double error = 0;
    for (int r = 0; r < joint.kind->residualCount; ++r)
      error = std::max(error, std::abs(values.residual[r]));
    const JointForce pushed = jointForce(m, now.control, now.state, JointId{j});
    Members{entry}("error", error)("force", pushed.force)("torque", pushed.torque);
  }
  return json;
}

Json describeState(const Session::Impl& session) {
  const SessionState& now = session.now;
  Json json;
  Json& pins = listIn(json, "pins");
  for (const HeldPin& pin : now.held.pins) {
    Json& entry = added(pins);
    Members{entry}("name", pin.name)("solid", pin.solid)("target", pin.target.p);
    if (pin.point)
      put(entry, "point", *pin.point);
    else
      put(entry, "point", Json());
  }
  Json& grabs = listIn(json, "grabs");
  for (const HeldGrab& grab : now.held.grabs)
    Members{added(grabs)}("id", grab.id)("solid", grab.solid)("point", grab.point)(
        "target", grab.target)("dynamic", grab.dynamic);
  describe(now.held.forces, listIn(json, "forces"));
  describe(now.held.limits, listIn(json, "limits"));
  const State own = session.ownState();
  Json& undo = listIn(json, "undo");
  for (std::size_t k = session.done.size(); k-- > 0;) add(undo, session.done[k].label);
  Json& redo = listIn(json, "redo");
  for (std::size_t k = session.undone.size(); k-- > 0;) add(redo, session.undone[k].label);
  Members{json}("time", now.state.time)("hash", hashOf(own))(
      "complete", isKept(now.document->mechanism, own, now, *now.document->text))(
      "frozen", now.held.frozen)("merged", now.held.merged)("gravity", now.control.gravity)(
      "damp", now.control.damp)("settings", jsonOf(now.settings));
  return json;
}

void describe(const SessionDocument& document, Json& json) {
  Members{json}("text", document.text->text())("name", document.name);
  Json& files = json["files"] = Json(Json::value_t::object);
  for (const auto& [file, text] : document.files) files[file] = text;
}
void describe(const std::vector<HeldForce>& forces, Json& list) {
  for (const HeldForce& force : forces)
    Members{added(list)}("id", force.id)("solid", force.solid)("point", force.point)("force",
                                                                                     force.force);
}
void describe(const std::vector<HeldLimit>& limits, Json& list) {
  for (const HeldLimit& limit : limits)
    Members{added(list)}("joint", limit.joint)("coordinate", limit.coordinate)(
        "lower", limit.lower)("upper", limit.upper);
}

Json describeMeasures(const Session::Impl& session) {
  const SessionState& now = session.now;
  const Mechanism& m = now.mechanism->mechanism;
  const JointError error = session.errors();
  const Momentum p = momentum(m, now.state);
  Json json;
  Members{json}("time", now.state.time)("error", error.max)("rms", error.rms)(
      "worst", m.joints.empty() ? Json() : Json(m.jointNames[error.worst]))(
      "kinetic", kineticEnergy(m, now.state))(
      "potential", potentialEnergy(m, now.control, now.state))("momentum", norm(p.linear))(
      "angular_momentum", norm(p.angular));
  return json;
}

// Of the next step; empty for methods that know no islands.
Json describeWays(Session::Impl& session) {
  const SessionState& now = session.now;
  const Mechanism& m = now.mechanism->mechanism;
  Json json;
  Json& ways = listIn(json, "ways");
  for (const WayGroup& group : grouped(islandWays(m, now.control, now.settings.step,
                                                  now.settings.dt, now.state, session.stepScratch)))
    Members{added(ways)}("way", group.way)("why", group.why)("islands", group.islands)(
        "solids", group.solids)("first", m.solidNames[group.first]);
  return json;
}

Json describeVerdict(Session::Impl& session) {
  const SessionState& now = session.now;
  const Mechanism& m = now.mechanism->mechanism;
  PoseSettings settings = poseSettingsOf(now.document->scene().settings);
  settings.milliseconds = 1000;
  const Diagnosis found =
      diagnose(m, session.withoutHands(), {}, now.state, settings, session.poseScratch);
  Json json;
  Json &redundant = listIn(json, "redundant_joints"), &conflicts = listIn(json, "conflicts"),
       &shared = listIn(json, "conflicts_share");
  for (const std::vector<Index>& group : found.redundantJoints)
    redundant.push_back(namesOf(m.jointNames, group));
  for (const Diagnosis::Conflict& conflict : found.conflicts)
    conflicts.push_back(namesOf(m.jointNames, conflict.joints));
  // Who is in all of several sets is the first to look at.
  if (conflicts.size() > 1)
    for (const Json& name : conflicts[0])
      if (std::all_of(conflicts.begin(), conflicts.end(), [&](const Json& set) {
            return std::find(set.begin(), set.end(), name) != set.end();
          }))
        shared.push_back(name);
  if (found.outOfMemory) refuse("there is not enough memory left to look at the joints");
  const double error = session.errors().max;
  Control exact = session.withoutHands();  // what must hold
  for (Index j = 0; j < m.joints.size(); ++j)
    if (m.joints[j].compliance > 0) exact.jointOn[j] = 0;
  std::string words;
  if (!conflicts.empty()) {
    words = "The joints cannot all be closed. ";
    for (const Json& set : conflicts)
      words +=
          listed(set) + (set.size() == 1 ? " cannot hold. Without it, all other joints close. "
                                         : " contradict each other. One of them has to give way. ");
    if (!shared.empty())
      words += "All of these conflicts share " + listed(shared) + ". Look there first. ";
    if (!found.allConflicts) words += "There may be more such conflicts. ";
  } else if (jointError(m, exact, now.state).max > 1e-6) {
    words = "The joints are open. Assemble the scene to close them. ";
  } else if (error > 1e-6) {
    words = "Joints that yield are open. All others hold. ";
  }
  words += found.dof == 0 ? "The scene cannot move"
                          : "The scene has " + counted(found.dof, "degree") + " of freedom";
  if (found.singular)
    words += ", and nearby poses have only " + std::to_string(found.regularDof) +
             ": this pose is singular";
  words += found.redundant == 0 ? ". No constraint is redundant."
                                : ". " + counted(found.redundant, "constraint") +
                                      (found.redundant == 1 ? " is" : " are") + " redundant";
  if (found.redundant > 0) {
    words += redundant.empty() ? "." : " (";
    for (std::size_t g = 0; g < redundant.size(); ++g)
      words += (g > 0 ? "; " : "") + listed(redundant[g]);
    words += redundant.empty() ? "" : ").";
  }
  Members{json}("dof", found.dof)("redundant", found.redundant)(
      "conflicts_complete", found.allConflicts)("singular", found.singular)("error", error)("words",
                                                                                            words);
  return json;
}

}  // namespace tenon
