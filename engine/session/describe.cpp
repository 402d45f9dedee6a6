// The questions: what a session says of itself.
#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/scene_says.h>

#include <algorithm>

#include "session/session_impl.h"

namespace tenon {

namespace {

constexpr std::string_view kShapes[] = {"box",      "sphere", "ellipsoid", "capsule",
                                        "cylinder", "cone",   "hull",      "mesh"};
constexpr std::string_view kSolids[] = {"dynamic", "immobile", "animated"};
constexpr std::string_view kRules[] = {"limit",     "spring", "damper",  "drive",
                                       "prescribe", "prefer", "friction"};

Json jsonOf(const Pose& X) {
  return {{"position", tenon::jsonOf(X.p)}, {"rotation", tenon::jsonOf(X.q)}};
}

Json jsonOf(const Shape& shape) {
  Json json{{"kind", kShapes[static_cast<std::size_t>(shape.kind)]},
            {"size", tenon::jsonOf(shape.size)},
            {"position", tenon::jsonOf(shape.pose.p)},
            {"rotation", tenon::jsonOf(shape.pose.q)}};
  if (!shape.points.empty()) {
    Json points = Json::array();
    for (const Vec3& p : shape.points)
      for (const double x : {p.x, p.y, p.z}) points.push_back(x);
    json["points"] = std::move(points);
  }
  if (!shape.triangles.empty()) {
    Json triangles = Json::array();
    for (const auto& t : shape.triangles)
      for (const std::uint32_t i : t) triangles.push_back(i);
    json["triangles"] = std::move(triangles);
  }
  return json;
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

Json jsonOf(const Scene& scene, const Solid& solid, const MechanismSolid& compiled,
            const Lines& lines) {
  Colour colour;
  for (const Material& material : scene.materials)
    if (material.name == solid.material && material.colour) colour = *material.colour;
  if (solid.colour) colour = *solid.colour;
  Json shapes = Json::array();
  for (const Shape& shape : solid.shapes) shapes.push_back(jsonOf(shape));
  return {{"name", solid.name},
          {"kind", kSolids[static_cast<std::size_t>(solid.kind)]},
          {"point_mass", solid.pointMass},
          {"mass", compiled.mass},
          {"com", tenon::jsonOf(compiled.com)},
          {"colour", {colour.r, colour.g, colour.b}},
          {"shapes", std::move(shapes)},
          {"groups", solid.groups},
          {"shared", solid.shared},
          {"line", lines.of(solid.place)}};
}

Json jsonOf(const Joint& joint, const Lines& lines) {
  Json rules = Json::array(), options = Json::object();
  for (const CoordinateRule& rule : joint.rules)
    rules.push_back({{"kind", kRules[static_cast<std::size_t>(rule.kind)]},
                     {"coordinate", rule.coordinate},
                     {"lower", numberOrNull(rule.lower)},
                     {"upper", numberOrNull(rule.upper)}});
  for (const JointOption& option : joint.options) options[option.name] = option.values;
  return {{"name", joint.name},
          {"kind", joint.kind},
          {"solid1", joint.solid1},
          {"solid2", joint.solid2},
          {"frame1", jsonOf(joint.frame1)},
          {"frame2", jsonOf(joint.frame2)},
          {"rules", std::move(rules)},
          {"options", std::move(options)},
          {"compliance", joint.compliance},
          {"shared", joint.shared},
          {"line", lines.of(joint.place)}};
}

}  // namespace

Json jsonOf(const SessionSettings& settings) {
  return {{"method", nameOf(settings.step.method)},
          {"solver", nameOf(settings.step.solver)},
          {"iterations", settings.step.iterations},
          {"tolerance", settings.step.tolerance},
          {"alpha", settings.step.alpha},
          {"beta", settings.step.beta},
          {"dt", settings.dt},
          {"budget", settings.budget}};
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
  for (const Index i : which) names.push_back(all[i]);
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
  Json solids = Json::array(), joints = Json::array(), floors = Json::array(),
       springs = Json::array(), parameters = Json::array();
  for (std::size_t s = 0; s < scene.solids.size(); ++s)
    solids.push_back(jsonOf(scene, scene.solids[s], document.mechanism.solids[s], lines));
  for (const Joint& joint : scene.joints) joints.push_back(jsonOf(joint, lines));
  for (const Floor& floor : scene.floors)
    floors.push_back({{"name", floor.name},
                      {"point", tenon::jsonOf(floor.point)},
                      {"normal", tenon::jsonOf(floor.normal)}});
  for (const Spring& spring : scene.springs)
    springs.push_back({{"name", spring.name},
                       {"solid1", spring.solid1},
                       {"solid2", spring.solid2},
                       {"point1", tenon::jsonOf(spring.point1)},
                       {"point2", tenon::jsonOf(spring.point2)}});
  for (const Parameter& parameter : scene.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"value", parameter.value},
                          {"lower", numberOrNull(parameter.lower)},
                          {"upper", numberOrNull(parameter.upper)},
                          {"line", lines.of(parameter.place)}});
  return {{"title", scene.title},
          {"name", document.name},
          {"gravity", tenon::jsonOf(scene.gravity)},
          {"settings", jsonOf(settingsOf(scene))},
          {"duration", scene.settings.duration.value_or(5)},
          {"solids", std::move(solids)},
          {"joints", std::move(joints)},
          {"floors", std::move(floors)},
          {"springs", std::move(springs)},
          {"parameters", std::move(parameters)},
          {"problems", tenon::jsonOf(document.warnings)}};
}

Json describeCatalogue() {
  Json kinds = Json::array(), solvers = Json::array();
  for (const JointKind& kind : jointCatalogue()) {
    Json coordinates = Json::array(), options = Json::array();
    for (int c = 0; c < kind.coordinateCount; ++c)
      coordinates.push_back({{"name", kind.coordinates[c].name},
                             {"angular", kind.coordinates[c].angular},
                             {"periodic", kind.coordinates[c].periodic},
                             {"free", c < kind.freeCount}});
    for (int o = 0; o < kind.optionCount; ++o) {
      const JointKind::Option& option = kind.options[o];
      options.push_back({{"name", option.name},
                         {"count", option.count},
                         {"unit", option.unit == OptionUnit::Length  ? "m"
                                  : option.unit == OptionUnit::Angle ? "rad"
                                                                     : ""},
                         {"fallback", option.fallback},
                         {"required", option.required}});
    }
    kinds.push_back({{"name", kind.name},
                     {"summary", kind.summary},
                     {"papers", kind.papers},
                     {"locked", kind.locked},
                     {"residuals", kind.residualCount},
                     {"relates", kind.relates == Relates::Frames   ? "frames"
                                 : kind.relates == Relates::Points ? "points"
                                                                   : "coordinates"},
                     {"coordinates", std::move(coordinates)},
                     {"options", std::move(options)}});
  }
  for (const LinearSolver solver : {LinearSolver::Direct, LinearSolver::Cg, LinearSolver::Bicg,
                                    LinearSolver::Minres, LinearSolver::BlockCg})
    solvers.push_back(nameOf(solver));
  return {{"kinds", std::move(kinds)}, {"methods", methodNames()}, {"solvers", std::move(solvers)}};
}

Json describeJoints(const SessionState& now) {
  const Mechanism& m = now.mechanism->mechanism;
  Json joints = Json::object();
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.isPin || m.jointNames[j].back() == '\'') continue;  // the latter is a hand's
    const JointValues values = jointValues(m, now.state, j);
    Json coordinates = Json::object();
    for (int c = 0; c < joint.kind->coordinateCount; ++c)
      coordinates[std::string(joint.kind->coordinates[c].name)] =
          numberOrNull(values.coordinate[c]);
    double error = 0;
    for (int r = 0; r < joint.kind->residualCount; ++r)
      error = std::max(error, std::abs(values.residual[r]));
    // Multipliers of lower pairs are forces and torques along the locked axes of frame 1.
    Vec3 force, torque;
    const double* slot = now.state.multiplier.data() + joint.firstSlot;
    double along[6] = {};
    if (joint.kind->locked != 0 && joint.kind->relates == Relates::Frames)
      for (int axis = 0; axis < 6; ++axis)
        if ((joint.kind->locked >> axis & 1u) != 0) along[axis] = *slot++;
    const Quat q =
        (joint.solid1 == kWorld ? Quat{} : now.state.orientation[joint.solid1]) * joint.frame1.q;
    force = rotate(q, {along[0], along[1], along[2]});
    torque = rotate(q, {along[3], along[4], along[5]});
    joints[m.jointNames[j]] = {{"error", numberOrNull(error)},
                               {"coordinates", std::move(coordinates)},
                               {"force", tenon::jsonOf(force)},
                               {"torque", tenon::jsonOf(torque)}};
  }
  return {{"joints", std::move(joints)}};
}

Json describeState(const Session::Impl& session) {
  const SessionState& now = session.now;
  Json pins = Json::array(), grabs = Json::array(), forces = Json::array(), limits = Json::array(),
       undo = Json::array(), redo = Json::array();
  for (const HeldPin& pin : now.held.pins)
    pins.push_back({{"name", pin.name},
                    {"solid", pin.solid},
                    {"point", pin.point ? tenon::jsonOf(*pin.point) : Json(nullptr)},
                    {"target", tenon::jsonOf(pin.target.p)}});
  for (const HeldGrab& grab : now.held.grabs)
    grabs.push_back({{"id", grab.id},
                     {"solid", grab.solid},
                     {"point", tenon::jsonOf(grab.point)},
                     {"target", tenon::jsonOf(grab.target)},
                     {"dynamic", grab.dynamic}});
  for (const HeldForce& force : now.held.forces)
    forces.push_back({{"id", force.id},
                      {"solid", force.solid},
                      {"point", tenon::jsonOf(force.point)},
                      {"force", tenon::jsonOf(force.force)}});
  for (const HeldLimit& limit : now.held.limits)
    limits.push_back({{"joint", limit.joint},
                      {"coordinate", limit.coordinate},
                      {"lower", numberOrNull(limit.lower)},
                      {"upper", numberOrNull(limit.upper)}});
  const State own = session.ownState();
  for (std::size_t k = session.done.size(); k-- > 0;) undo.push_back(session.done[k].label);
  for (std::size_t k = session.undone.size(); k-- > 0;) redo.push_back(session.undone[k].label);
  return {{"time", now.state.time},
          {"hash", hashOf(own)},
          {"complete", isKept(now.document->mechanism, own, now, *now.document->text)},
          {"frozen", now.held.frozen},
          {"merged", now.held.merged},
          {"pins", std::move(pins)},
          {"grabs", std::move(grabs)},
          {"forces", std::move(forces)},
          {"limits", std::move(limits)},
          {"gravity", tenon::jsonOf(now.control.gravity)},
          {"damp", now.control.damp},
          {"settings", jsonOf(now.settings)},
          {"undo", std::move(undo)},
          {"redo", std::move(redo)}};
}

Json describeMeasures(const Session::Impl& session) {
  const SessionState& now = session.now;
  const Mechanism& m = now.mechanism->mechanism;
  const JointError error = session.errors();
  const Momentum p = momentum(m, now.state);
  return {{"time", now.state.time},
          {"error", numberOrNull(error.max)},
          {"rms", numberOrNull(error.rms)},
          {"worst", m.joints.empty() ? Json(nullptr) : Json(m.jointNames[error.worst])},
          {"kinetic", numberOrNull(kineticEnergy(m, now.state))},
          {"potential", numberOrNull(potentialEnergy(m, now.control, now.state))},
          {"momentum", numberOrNull(norm(p.linear))},
          {"angular_momentum", numberOrNull(norm(p.angular))}};
}

// Of the next step; empty for methods that know no islands.
Json describeWays(Session::Impl& session) {
  const SessionState& now = session.now;
  const Mechanism& m = now.mechanism->mechanism;
  Json ways = Json::array();
  for (const WayGroup& group : grouped(islandWays(m, now.control, now.settings.step,
                                                  now.settings.dt, now.state, session.stepScratch)))
    ways.push_back({{"way", group.way},
                    {"why", group.why},
                    {"islands", group.islands},
                    {"solids", group.solids},
                    {"first", m.solidNames[group.first]}});
  return {{"ways", std::move(ways)}};
}

Json describeVerdict(Session::Impl& session) {
  const SessionState& now = session.now;
  const Mechanism& m = now.mechanism->mechanism;
  PoseSettings settings = poseSettingsOf(now.document->scene().settings);
  settings.milliseconds = 1000;
  const Diagnosis found =
      diagnose(m, session.withoutHands(), {}, now.state, settings, session.poseScratch);
  Json redundant = Json::array(), conflicts = Json::array();
  for (const std::vector<Index>& group : found.redundantJoints)
    redundant.push_back(namesOf(m.jointNames, group));
  for (const Diagnosis::Conflict& conflict : found.conflicts)
    conflicts.push_back(namesOf(m.jointNames, conflict.joints));
  // Who is in all of several sets is the first to look at.
  Json shared = Json::array();
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
  return {{"dof", found.dof},
          {"redundant", found.redundant},
          {"redundant_joints", std::move(redundant)},
          {"conflicts", std::move(conflicts)},
          {"conflicts_complete", found.allConflicts},
          {"conflicts_share", std::move(shared)},
          {"singular", found.singular},
          {"error", numberOrNull(error)},
          {"words", words}};
}

}  // namespace tenon
