// Joints: kinds, solids and options looked up, frames moved to the centres of mass, rules resolved.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compile/compiler.h"
#include "compile/turns.h"

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

bool fits(const JointKind::Option& option, std::size_t values) {
  if (option.count == 0) return values == 0;
  if (option.count > 0) return values == static_cast<std::size_t>(option.count);
  return values >= static_cast<std::size_t>(option.least) &&
         values % static_cast<std::size_t>(-option.count) == 0;
}

std::string wanted(const JointKind::Option& option) {
  if (option.count == 0) return "no number";
  if (option.count > 0) return std::to_string(option.count) + " numbers";
  std::string text = "at least " + std::to_string(option.least) + " numbers";
  if (option.count < -1) text += ", a multiple of " + std::to_string(-option.count);
  return text;
}

// False if an option is missing or wrong.
bool checkOptions(Compiler& compiler, const Joint& source, const JointKind& kind) {
  bool good = true;
  std::vector<std::string> names;
  for (int o = 0; o < kind.optionCount; ++o) {
    const JointKind::Option& option = kind.options[o];
    names.emplace_back(option.name);
    const JointOption* given = nullptr;
    for (const JointOption& candidate : source.options)
      if (candidate.name == option.name) given = &candidate;
    if (!given && option.required) {
      compiler.error(source.place,
                     "joint '" + source.name + "' of kind '" + source.kind +
                         "' needs a value for '" + std::string(option.name) + "'",
                     "add `" + std::string(option.name) + " VALUE;`");
      good = false;
    }
    if (!given) continue;
    const Place& place = given->place.file == Place::kNowhere ? source.place : given->place;
    if (!fits(option, given->values.size())) {
      compiler.error(place, "'" + given->name + "' takes " + wanted(option) + ", not " +
                                std::to_string(given->values.size()));
      good = false;
    }
    for (const double value : given->values) {
      if (std::isfinite(value) && value > option.above) continue;
      compiler.error(place, "'" + given->name + "' of joint '" + source.name + "' is out of range",
                     option.above > -kInfinity
                         ? "it must be more than " + std::to_string(static_cast<int>(option.above))
                         : "it must be finite");
      good = false;
      break;
    }
  }
  for (const JointOption& candidate : source.options) {
    if (std::find(names.begin(), names.end(), candidate.name) != names.end()) continue;
    const std::string near = nearestWord(candidate.name, names);
    compiler.error(candidate.place,
                   "a joint of kind '" + source.kind + "' has no option '" + candidate.name + "'",
                   near.empty() ? std::string() : "did you mean '" + near + "'?");
    good = false;
  }
  return good;
}

bool addOptions(Compiler& compiler, const Joint& source, MechanismJoint& joint) {
  if (!checkOptions(compiler, source, *joint.kind)) return false;
  std::vector<double>& all = compiler.mechanism.options;
  joint.options.first = static_cast<Index>(all.size());
  const OptionFault fault = prepareOptions(*joint.kind, source.options, all);
  joint.options.count = static_cast<Index>(all.size()) - joint.options.first;
  if (fault.what.empty()) return true;
  Place place = source.place;
  for (const JointOption& option : source.options)
    if (fault.option >= 0 && option.name == joint.kind->options[fault.option].name &&
        option.place.file != Place::kNowhere)
      place = option.place;
  compiler.error(place, "joint '" + source.name + "': " + fault.what);
  return false;
}

// Whether some residual holds points together, and so carries a load.
bool carriesLoad(const JointKind& kind) {
  for (int r = 0; r < kind.residualCount; ++r)
    if (!kind.residualAngular[r]) return true;
  return false;
}

// What the kind has to say of how the frames stand as written.
void warnOfFrames(Compiler& compiler, const Joint& source, const MechanismJoint& joint) {
  if (!joint.kind->caution) return;
  const Mechanism& m = compiler.mechanism;
  const auto inWorld = [&m](Index solid, const Pose& X) {
    return solid == kWorld ? X : m.solids[solid].initial * X;
  };
  const Pose X_12 =
      inverse(inWorld(joint.solid1, joint.frame1)) * inWorld(joint.solid2, joint.frame2);
  const std::string what =
      joint.kind->caution({m.options.data() + joint.options.first, joint.options.count}, X_12);
  if (!what.empty()) compiler.warning(source.place, "joint '" + source.name + "': " + what);
}

// The bounds that the kind's options put on its coordinates, as limits.
void addBounds(Compiler& compiler, Index jointIndex, const MechanismJoint& joint) {
  if (!joint.kind->limits) return;
  CoordinateBounds bounds[kMaxCoordinates];
  joint.kind->limits({compiler.mechanism.options.data() + joint.options.first, joint.options.count},
                     bounds);
  for (int c = 0; c < joint.kind->coordinateCount; ++c) {
    if (!std::isfinite(bounds[c].lower) && !std::isfinite(bounds[c].upper)) continue;
    MechanismRule rule;
    rule.kind = CoordinateRule::Kind::Limit;
    rule.joint = jointIndex;
    rule.coordinate = static_cast<Index>(c);
    rule.lower = bounds[c].lower;
    rule.upper = bounds[c].upper;
    compiler.mechanism.rules.push_back(rule);
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
        names.empty()  ? "such a joint does not move"
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
  made.coefficient = rule.coefficient;
  made.radius = rule.radius;
  made.inertia = rule.inertia;
  made.compliance = rule.compliance;
  made.weight = rule.weight;
  made.active = compiler.addIntervals(rule.active, rule.place);
  made.target = compiler.addSignal(rule.target, rule.place);
  if (std::isnan(rule.lower) || std::isnan(rule.upper))
    compiler.error(rule.place, "a limit is not a number");
  else if (rule.lower > rule.upper)
    compiler.error(rule.place, "the lower limit is above the upper limit", "exchange min and max");
  // A force that no number bounds is what `max` leaves out; everything else is finite and not less
  // than nothing.
  for (const double x :
       {rule.stiffness, rule.damping, rule.compliance, rule.weight, rule.coefficient, rule.radius})
    if (!(x >= 0) || !std::isfinite(x)) {
      compiler.error(rule.place,
                     "stiffness, damping, compliance, weight, friction coefficient and radius must "
                     "be finite and not negative");
      break;
    }
  if (!(rule.maxForce >= 0)) compiler.error(rule.place, "the greatest force must not be negative");
  if (rule.kind == CoordinateRule::Kind::Friction && rule.coefficient > 0 && !carriesLoad(kind))
    compiler.error(rule.place,
                   "a joint of kind '" + source.kind +
                       "' carries no load, so a friction coefficient has no effect",
                   "give the force of friction instead: `friction " + rule.coordinate + " F;`");
  if (rule.kind == CoordinateRule::Kind::Armature) {
    if (!(rule.inertia > 0) || !std::isfinite(rule.inertia))
      compiler.error(rule.place, "an armature must be positive",
                     "leave it out where there is none");
    if (!rule.active.empty())
      compiler.error(rule.place, "an armature is there always",
                     "a rotor cannot come and go; leave out its times");
    // The components of a turn jump where it has gone half round.
    const JointKind::Coordinate& of = kind.coordinates[coordinate];
    if (coordinate >= kind.freeCount || (of.angular && !of.periodic))
      compiler.error(rule.place,
                     "'" + rule.coordinate + "' of joint '" + source.name +
                         "' is not what a rotor could turn with",
                     "give the armature of a length, or of an angle that may turn on and on");
  }
  compiler.mechanism.rules.push_back(made);
}

// Points three and four of a relation of points, after those of the two frames.
bool addPoints(Compiler& compiler, const Joint& source, MechanismJoint& joint) {
  if (source.more.size() != kPoints - 2) {
    compiler.error(source.place,
                   "joint '" + source.name + "' of kind '" + source.kind + "' needs four solids",
                   "give object1, object2, object3 and object4");
    return false;
  }
  joint.points = {static_cast<Index>(compiler.mechanism.points.size()), kPoints};
  MechanismPoint points[kPoints] = {{joint.solid1, joint.frame1.p}, {joint.solid2, joint.frame2.p}};
  bool good = true;
  for (std::size_t k = 2; k < kPoints; ++k) {
    const JointPoint& more = source.more[k - 2];
    good &= compiler.findSolid(more.solid, more.place, points[k].solid);
    if (!isFinite(more.point)) {
      compiler.error(source.place, "a point of joint '" + source.name + "' is not finite");
      good = false;
    }
    if (good) points[k].point = compiler.toCentre(points[k].solid, more.point);
  }
  for (std::size_t k = 0; k < kPoints && good; ++k)
    for (std::size_t l = 0; l < k; ++l)
      if (points[k].solid == points[l].solid && points[k].point == points[l].point) {
        compiler.error(source.place,
                       "points " + std::to_string(l + 1) + " and " + std::to_string(k + 1) +
                           " of joint '" + source.name + "' are the same point of one solid",
                       "give four different points");
        return false;
      }
  compiler.mechanism.points.insert(compiler.mechanism.points.end(), points, points + kPoints);
  return good;
}

}  // namespace

// A pin is a joint to the world: a ball at its point, or a weld. Without a target it holds the pose as written.
//                                                                              [ForseyWilhelms1988 §4.5]
bool Compiler::jointOfPin(const Pin& pin, Joint& joint) {
  Index solid = 0;
  if (!findSolid(pin.solid, pin.place, solid)) return false;
  if (solid == kWorld) {
    error(pin.place, "pin '" + pin.name + "' needs a solid");
    return false;
  }
  if (!isFinite(pin.point) || (pin.target && !isFinite(*pin.target)) ||
      (pin.orientation && !isFinite(*pin.orientation))) {
    error(pin.place, "the point or target of '" + pin.name + "' is not finite");
    return false;
  }
  if (mechanism.solids[solid].kind != SolidKind::Dynamic) {
    warning(pin.place,
            "pin '" + pin.name + "' has no effect: forces do not move '" + pin.solid + "'",
            "make the solid dynamic");
    return false;
  }
  const Pose& X_WS = authored[solid];
  joint.name = pin.name;
  joint.kind = pin.rigid && !mechanism.solids[solid].pointMass ? "weld" : "ball";
  joint.solid2 = pin.solid;
  joint.frame1 = {pin.target.value_or(transform(X_WS, pin.point)),
                  pin.orientation.value_or(X_WS.q)};
  joint.frame2 = {pin.point, {}};
  joint.active = pin.active;
  joint.place = joint.place2 = pin.place;
  return true;
}

void Compiler::addJoints() {
  std::vector<const Joint*> sources;
  std::vector<Joint> welds;
  welds.reserve(scene.joints.size());
  findFrozen();
  for (const Joint& joint : scene.joints) {
    Joint weld;
    if (frozen(joint, weld)) {
      welds.push_back(std::move(weld));
      sources.push_back(&welds.back());
    } else {
      sources.push_back(&joint);
    }
  }
  std::vector<Joint> pins;
  pins.reserve(scene.pins.size());
  for (const Pin& pin : scene.pins)
    if (Joint joint; jointOfPin(pin, joint)) pins.push_back(std::move(joint));
  for (const Joint& joint : pins) sources.push_back(&joint);
  Index slot = 0, memory = 0;
  for (Index j = 0; j < sources.size(); ++j) {
    const Joint& source = *sources[j];
    if (!jointIndex_.emplace(source.name, j).second)
      error(source.place, "there are two joints called '" + source.name + "'",
            "rename one of them");
    MechanismJoint joint;
    joint.isPin = j >= scene.joints.size();
    const bool found1 = findSolid(source.solid1, source.place1, joint.solid1);
    const bool found2 = findSolid(source.solid2, source.place2, joint.solid2);
    joint.kind = findJointKind(source.kind);
    if (!joint.kind)
      error(source.kindPlace.file == Place::kNowhere ? source.place : source.kindPlace,
            "there is no kind of joint '" + source.kind + "'", suggestJointKind(source.kind));
    if (!joint.kind || !found1 || !found2) {
      joint.kind = nullptr;  // keeps its place, so that indices agree with the scene's
      mechanism.joints.push_back(joint);
      continue;
    }
    const bool relatesSolids = joint.kind->relates != Relates::Coordinates;
    if (relatesSolids && joint.solid1 == joint.solid2)
      error(source.place,
            "joint '" + source.name + "' ties " +
                (source.solid1.empty() ? std::string("the world") : "'" + source.solid1 + "'") +
                " to itself",
            "give object1 and object2 two different solids");
    for (const auto& [frame, name] :
         {std::pair(source.frame1, "first"), std::pair(source.frame2, "second")})
      if (!isFinite(frame.p) || !isFinite(frame.q) || !isUnit(frame.q))
        error(source.place,
              "the " + std::string(name) + " frame of joint '" + source.name + "' is not finite");
    bool turns = true;  // false: it holds a point mass
    for (const Index solid : {joint.solid1, joint.solid2}) {
      if (joint.kind->relates != Relates::Frames) break;
      if (solid == kWorld || !mechanism.solids[solid].pointMass) continue;
      turns = false;
      bool locks = false;
      for (int r = 0; r < joint.kind->residualCount; ++r)
        locks = locks || joint.kind->residualAngular[r];
      if (locks)
        error(source.place,
              "joint '" + source.name + "' of kind '" + source.kind + "' locks a rotation, but '" +
                  scene.solids[solid].name + "' is a point mass, which does not rotate",
              "use `ball`, or make it a solid with a shape");
      if (joint.kind->velocityCount > 0)
        error(source.place,
              "joint '" + source.name + "' of kind '" + source.kind +
                  "' needs solids that turn, but '" + scene.solids[solid].name +
                  "' is a point mass, which does not turn",
              "make it a solid with a shape");
    }
    if (source.damp && (!(*source.damp >= 0) || !std::isfinite(*source.damp)))
      error(source.place, "the damping factor of joint '" + source.name + "' must not be negative");
    if (!(source.compliance >= 0) || !std::isfinite(source.compliance) || !(source.weight >= 0) ||
        !std::isfinite(source.weight))
      error(source.place, "the compliance and weight of joint '" + source.name +
                              "' must be finite and not negative");

    const auto frame = [this](Index solid, const Pose& X) {
      return toCentre(solid, Pose{X.p, normalized(X.q)});
    };
    joint.frame1 = frame(joint.solid1, source.frame1);
    joint.frame2 = frame(joint.solid2, source.frame2);
    joint.compliance = source.compliance;
    joint.weight = source.weight;
    joint.damp = source.damp.value_or(-1);
    joint.active = addIntervals(source.active, source.place);
    if (source.alpha && !(*source.alpha > 0 && std::isfinite(*source.alpha)))
      error(source.place, "the alpha of joint '" + source.name + "' must be positive");
    if (source.mobility && !(*source.mobility >= 0 && *source.mobility <= 1))
      error(source.place, "the mobility of joint '" + source.name + "' must be between 0 and 1");
    joint.alpha = source.alpha.value_or(0);
    joint.mobility = source.mobility.value_or(-1);
    const bool optionsGood = addOptions(*this, source, joint);
    if (joint.kind->relates == Relates::Points)
      (void)addPoints(*this, source, joint);
    else if (!source.more.empty())
      error(source.place, "a joint of kind '" + source.kind + "' has two solids, not more");
    if (relatesSolids && (!source.couples.empty() || source.carrier))
      error(source.place, "a joint of kind '" + source.kind + "' couples no other joints");
    joint.firstSlot = slot;
    joint.firstMemory = memory;
    joint.rules.first = static_cast<Index>(mechanism.rules.size());
    if (optionsGood) addBounds(*this, j, joint);
    if (optionsGood) warnOfFrames(*this, source, joint);
    for (const CoordinateRule& rule : source.rules)
      addRule(*this, source, rule, j, *joint.kind, turns);
    joint.rules.count = static_cast<Index>(mechanism.rules.size()) - joint.rules.first;
    slot += slotCount(joint);
    memory += static_cast<Index>(memoryCount(*joint.kind));
    mechanism.joints.push_back(joint);
  }
  for (const Joint* source : sources) mechanism.jointNames.push_back(source->name);
  mechanism.slots = slot;
  mechanism.memory.assign(memory,
                          std::numeric_limits<double>::quiet_NaN());  // nothing is known yet
  addCouplings();
  if (hasErrors(problems)) return;
  State state = initialState(mechanism);
  for (Index j = 0; j < mechanism.joints.size(); ++j) expectTurns(mechanism, j, state);
  rememberTurns(mechanism, state);
  mechanism.memory = state.memory;
  closeCouplings();
}

}  // namespace tenon
