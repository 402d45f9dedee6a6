// Joints: kinds, solids and options looked up, frames moved to the centres of mass, rules resolved.
#include <cmath>

#include "compile/compiler.h"

namespace tenon {

namespace {

bool isUnit(const Quat& q) { return std::abs(norm(q) - 1) < 1e-6; }

std::vector<std::string> coordinateNames(const JointKind& kind) {
  std::vector<std::string> names;
  for (int c = 0; c < kind.coordinateCount; ++c) names.emplace_back(kind.coordinates[c].name);
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void addOptions(Compiler& compiler, const Joint& source, MechanismJoint& joint) {
  const JointKind& kind = *joint.kind;
  std::vector<double>& all = compiler.mechanism.options;
  joint.options.first = static_cast<Index>(all.size());
  for (int o = 0; o < kind.optionCount; ++o) {
    const JointKind::Option& option = kind.options[o];
    const JointOption* given = nullptr;
    for (const JointOption& candidate : source.options)
      if (candidate.name == option.name) given = &candidate;
    if (!given && option.required)
      compiler.error(source.place,
                     "joint '" + source.name + "' of kind '" + source.kind +
                         "' needs a value for '" + std::string(option.name) + "'",
                     "add `" + std::string(option.name) + " VALUE;`");
    if (given && given->values.size() != static_cast<std::size_t>(option.count)) {
      compiler.error(given->place, "'" + given->name + "' takes " + std::to_string(option.count) +
                                       " numbers, not " + std::to_string(given->values.size()));
      given = nullptr;
    }
    for (int i = 0; i < option.count; ++i)
      all.push_back(given ? given->values[static_cast<std::size_t>(i)] : option.fallback);
    for (std::size_t i = all.size() - static_cast<std::size_t>(option.count); i < all.size(); ++i)
      if (given && (!std::isfinite(all[i]) || !(all[i] > option.above)))
        compiler.error(
            given->place.file == Place::kNowhere ? source.place : given->place,
            "'" + given->name + "' of joint '" + source.name + "' is out of range",
            option.above > -kInfinity
                ? "it must be more than " + std::to_string(static_cast<int>(option.above))
                : "it must be finite");
  }
  joint.options.count = static_cast<Index>(all.size()) - joint.options.first;
  for (const JointOption& candidate : source.options) {
    bool known = false;
    std::vector<std::string> names;
    for (int o = 0; o < kind.optionCount; ++o) {
      known = known || kind.options[o].name == candidate.name;
      names.emplace_back(kind.options[o].name);
    }
    if (known) continue;
    const std::string near = nearestWord(candidate.name, names);
    compiler.error(candidate.place,
                   "a joint of kind '" + source.kind + "' has no option '" + candidate.name + "'",
                   near.empty() ? std::string() : "did you mean '" + near + "'?");
  }
}

void addRule(Compiler& compiler, const Joint& source, const CoordinateRule& rule, Index jointIndex,
             const JointKind& kind, bool turns) {
  MechanismRule made;
  made.kind = rule.kind;
  made.joint = jointIndex;
  const int coordinate = findCoordinate(kind, rule.coordinate);
  if (coordinate < 0) {
    const std::vector<std::string> names = coordinateNames(kind);
    const std::string near = nearestWord(rule.coordinate, names);
    compiler.error(
        rule.place,
        "a joint of kind '" + source.kind + "' has no coordinate '" + rule.coordinate + "'",
        names.empty()  ? "nothing moves in it"
        : near.empty() ? "it has " + listed(names)
                       : "did you mean '" + near + "'?");
    return;
  }
  if (kind.coordinates[coordinate].angular && !turns)
    compiler.error(rule.place,
                   "'" + rule.coordinate + "' of joint '" + source.name +
                       "' is an angle, and a point mass does not turn",
                   "use a coordinate in metres, or make it a solid with a shape");
  made.coordinate = static_cast<Index>(coordinate);
  made.lower = rule.lower;
  made.upper = rule.upper;
  made.stiffness = rule.stiffness;
  made.damping = rule.damping;
  made.maxForce = rule.maxForce;
  made.compliance = rule.compliance;
  made.weight = rule.weight;
  made.active = compiler.addIntervals(rule.active, rule.place);
  made.target = compiler.addSignal(rule.target, rule.place);
  if (std::isnan(rule.lower) || std::isnan(rule.upper))
    compiler.error(rule.place, "a limit is not a number");
  else if (rule.lower > rule.upper)
    compiler.error(rule.place, "the lower limit lies above the upper one", "exchange min and max");
  // A force that no number bounds is what `max` leaves out; everything else is finite and not less
  // than nothing.
  for (const double x : {rule.stiffness, rule.damping, rule.compliance, rule.weight})
    if (!(x >= 0) || !std::isfinite(x))
      compiler.error(rule.place,
                     "stiffness, damping, compliance and weight must be finite and not negative");
  if (!(rule.maxForce >= 0)) compiler.error(rule.place, "the greatest force must not be negative");
  compiler.mechanism.rules.push_back(made);
}

// Turns are counted from the value nearest to what the author has in mind, so that a hinge allowed
// 170° to 190° (or driven to 185°) and standing at 185° is not read as standing at -175°: the middle
// of its limits, else where it is prescribed, else driven, else pulled to at time 0.
void startCountingTurns(Mechanism& mechanism) {
  State state = initialState(mechanism);
  std::vector<CoordinateRule::Kind> chosen(state.memory.size(), CoordinateRule::Kind::Damper);
  const auto rank = [](CoordinateRule::Kind kind) {
    switch (kind) {
      case CoordinateRule::Kind::Limit:
        return 4;
      case CoordinateRule::Kind::Prescribe:
        return 3;
      case CoordinateRule::Kind::Drive:
        return 2;
      case CoordinateRule::Kind::Spring:
        return 1;
      default:
        return 0;
    }
  };
  for (const MechanismRule& rule : mechanism.rules) {
    const MechanismJoint& joint = mechanism.joints[rule.joint];
    if (!joint.kind->coordinates[rule.coordinate].periodic) continue;
    Index memory = joint.firstMemory;
    for (Index c = 0; c < rule.coordinate; ++c) memory += joint.kind->coordinates[c].periodic;
    if (rank(rule.kind) <= rank(chosen[memory])) continue;
    const bool below = std::isfinite(rule.lower), above = std::isfinite(rule.upper);
    if (rule.kind == CoordinateRule::Kind::Limit && !below && !above) continue;
    chosen[memory] = rule.kind;
    state.memory[memory] = rule.kind != CoordinateRule::Kind::Limit
                               ? evaluate(mechanism, rule.target, 0).value
                           : below && above ? 0.5 * (rule.lower + rule.upper)
                           : below          ? rule.lower + kPi
                                            : rule.upper - kPi;
  }
  rememberTurns(mechanism, state);
  mechanism.memory = state.memory;
}

}  // namespace

void Compiler::addJoints() {
  Index slot = 0, memory = 0;
  for (Index j = 0; j < scene.joints.size(); ++j) {
    const Joint& source = scene.joints[j];
    if (!jointIndex_.emplace(source.name, j).second)
      error(source.place, "there are two joints called '" + source.name + "'",
            "rename one of them");
    MechanismJoint joint;
    const bool found1 = findSolid(source.solid1, source.place1, joint.solid1);
    const bool found2 = findSolid(source.solid2, source.place2, joint.solid2);
    joint.kind = findJointKind(source.kind);
    if (!joint.kind) {
      const std::string near = nearestWord(source.kind, jointKindNames());
      error(source.kindPlace.file == Place::kNowhere ? source.place : source.kindPlace,
            "there is no kind of joint '" + source.kind + "'",
            near.empty() ? "see docs/joints.md" : "did you mean '" + near + "'?");
      continue;
    }
    if (!found1 || !found2) continue;
    if (joint.solid1 == joint.solid2)
      error(source.place,
            "joint '" + source.name + "' ties " +
                (source.solid1.empty() ? std::string("the world") : "'" + source.solid1 + "'") +
                " to itself",
            "give object1 and object2 two different solids");
    for (const auto& [frame, name] :
         {std::pair(source.frame1, "first"), std::pair(source.frame2, "second")})
      if (!isFinite(frame.p) || !isFinite(frame.q) || !isUnit(frame.q))
        error(source.place, "the " + std::string(name) + " frame of joint '" + source.name +
                                "' is not a finite place and rotation");
    bool turns = true;  // false: it holds a point mass
    for (const Index solid : {joint.solid1, joint.solid2}) {
      if (solid == kWorld || !mechanism.solids[solid].pointMass) continue;
      turns = false;
      bool locks = false;
      for (int r = 0; r < joint.kind->residualCount; ++r)
        locks = locks || joint.kind->residualAngular[r];
      if (locks)
        error(source.place,
              "joint '" + source.name + "' of kind '" + source.kind + "' locks a rotation, and '" +
                  scene.solids[solid].name + "' is a point mass, which has none",
              "use `ball`, or make it a solid with a shape");
    }
    if (source.damp && (!(*source.damp >= 0) || !std::isfinite(*source.damp)))
      error(source.place, "the damping factor of joint '" + source.name + "' must not be negative");
    if (!(source.compliance >= 0) || !std::isfinite(source.compliance) || !(source.weight >= 0) ||
        !std::isfinite(source.weight))
      error(source.place,
            "compliance and weight of joint '" + source.name + "' must be finite and not negative");

    const auto frame = [this](Index solid, const Pose& X) {
      return toCentre(solid, Pose{X.p, normalized(X.q)});
    };
    joint.frame1 = frame(joint.solid1, source.frame1);
    joint.frame2 = frame(joint.solid2, source.frame2);
    joint.compliance = source.compliance;
    joint.weight = source.weight;
    joint.damp = source.damp.value_or(-1);
    joint.active = addIntervals(source.active, source.place);
    addOptions(*this, source, joint);
    joint.firstSlot = slot;
    joint.firstMemory = memory;
    joint.rules = {static_cast<Index>(mechanism.rules.size()),
                   static_cast<Index>(source.rules.size())};
    for (const CoordinateRule& rule : source.rules)
      addRule(*this, source, rule, j, *joint.kind, turns);
    slot += static_cast<Index>(joint.kind->residualCount) + 2 * joint.rules.count;
    for (int c = 0; c < joint.kind->coordinateCount; ++c)
      memory += joint.kind->coordinates[c].periodic ? 1 : 0;
    mechanism.joints.push_back(joint);
    mechanism.jointNames.push_back(source.name);
  }
  mechanism.slots = slot;
  mechanism.memory.assign(memory, 0);
  if (!hasErrors(problems)) startCountingTurns(mechanism);
}

}  // namespace tenon
