// What is held, written into a copy of the scene, which is compiled anew.
#include <tenon/joint.h>

#include <algorithm>
#include <unordered_set>

#include "compile/finish.h"
#include "session/amend.h"

namespace tenon {

namespace {

// What speaks of a solid of a group speaks of its leader.
class Rewriter {
 public:
  explicit Rewriter(const Holding& holding) : holding_(holding), solids_(holding.own.solidNames) {}
  // The leader's name; `within` takes what was said in the solid's frame to the leader's.
  bool operator()(std::string& name, Pose& within) {
    within = {};
    const Index solid = name.empty() ? kWorld : solids_(name);
    if (solid == kWorld) return false;
    const Index leader = holding_.groups.leader[solid];
    if (leader == solid) return false;
    within = holding_.offset(solid);
    name = leader == kWorld ? std::string() : holding_.own.solidNames[leader];
    return true;
  }
  void point(std::string& name, Vec3& p) {
    Pose within;
    if ((*this)(name, within)) p = transform(within, p);
  }
  void frame(std::string& name, Pose& X) {
    Pose within;
    if ((*this)(name, within)) X = within * X;
  }

 private:
  const Holding& holding_;
  Finder solids_;
};

void changeLimits(const std::vector<HeldLimit>& limits, Scene& scene) {
  if (limits.empty()) return;
  std::unordered_map<std::string, Joint*> named;
  for (Joint& joint : scene.joints) named.emplace(joint.name, &joint);
  for (const HeldLimit& limit : limits) {
    const auto at = named.find(limit.joint);
    if (at == named.end()) continue;
    Joint& joint = *at->second;
    std::erase_if(joint.rules, [&](const CoordinateRule& rule) {
      return rule.kind == CoordinateRule::Kind::Limit && rule.coordinate == limit.coordinate;
    });
    if (limit.lower == -kInfinity && limit.upper == kInfinity) continue;
    CoordinateRule rule;
    rule.coordinate = limit.coordinate;
    rule.lower = limit.lower;
    rule.upper = limit.upper;
    joint.rules.push_back(rule);
  }
}

// Merges groups: their leaders get all the mass, everything that held a member holds its leader.
void join(const Holding& holding, Scene& scene) {
  const Groups& groups = holding.groups;
  Rewriter rewrite(holding);
  std::vector<std::vector<Index>> members(groups.leader.size());
  for (Index s = 0; s < groups.leader.size(); ++s)
    if (groups.leader[s] != kWorld) members[groups.leader[s]].push_back(s);
  std::vector<Solid> solids;
  for (Index s = 0; s < groups.leader.size(); ++s) {
    if (groups.leader[s] != s) continue;
    solids.push_back(scene.solids[s]);
    if (!groups.joined[s] || solids.back().kind != SolidKind::Dynamic) continue;
    const MassSum sum = massOfGroup(holding, members[s]);
    solids.back().pointMass = false;
    solids.back().mass = sum.mass;
    solids.back().com = sum.com;
    solids.back().inertia = sum.inertia;
    solids.back().boxDensity.reset();
    solids.back().gravity = sum.gravity;
  }
  scene.solids = std::move(solids);
  std::unordered_set<std::string> gone;
  for (Joint& joint : scene.joints) {
    rewrite.frame(joint.solid1, joint.frame1);
    rewrite.frame(joint.solid2, joint.frame2);
    for (JointPoint& more : joint.more) rewrite.point(more.solid, more.point);
    // Between two of one group nothing is left to do.
    if (joint.couples.empty() && joint.solid1 == joint.solid2 &&
        std::all_of(joint.more.begin(), joint.more.end(),
                    [&](const JointPoint& more) { return more.solid == joint.solid1; }))
      gone.insert(joint.name);
  }
  const auto isGone = [&](const std::string& name) { return gone.count(name) > 0; };
  // Relations of coordinates that are frozen, too: what is left of them would have another offset.
  for (const Joint& joint : scene.joints)
    if (std::any_of(joint.couples.begin(), joint.couples.end(),
                    [&](const CoupledCoordinate& c) { return isGone(c.joint); }) ||
        (joint.carrier && isGone(joint.carrier->joint)))
      gone.insert(joint.name);
  std::erase_if(scene.joints, [&](const Joint& joint) { return isGone(joint.name); });
  std::erase_if(scene.muscles, [&](const Muscle& muscle) { return isGone(muscle.joint); });
  for (Force& force : scene.forces) rewrite.point(force.solid, force.point);
  Pose within;
  for (Torque& torque : scene.torques)
    if (rewrite(torque.solid, within) && torque.axes == Axes::Body)
      torque.vector = rotate(within.q, torque.vector);
  for (Spring& spring : scene.springs) {
    rewrite.point(spring.solid1, spring.point1);
    rewrite.point(spring.solid2, spring.point2);
  }
  std::vector<Drag> drags;
  for (Drag& drag : scene.drags) {
    // Without a name it would act on every solid.
    if (rewrite(drag.solid, within) && drag.solid.empty()) continue;
    drags.push_back(std::move(drag));
  }
  scene.drags = std::move(drags);
  std::erase_if(scene.forces, [](const Force& force) { return force.solid.empty(); });
  std::erase_if(scene.torques, [](const Torque& torque) { return torque.solid.empty(); });
  std::erase_if(scene.springs, [](const Spring& spring) { return spring.solid1 == spring.solid2; });
  for (Pin& pin : scene.pins)
    if (rewrite(pin.solid, within)) {
      pin.point = transform(within, pin.point);
      if (pin.orientation) pin.orientation = normalized(*pin.orientation * conjugate(within.q));
    }
  std::erase_if(scene.pins, [](const Pin& pin) { return pin.solid.empty(); });
  // Goals are looked up in the text as it is.
  scene.goals.clear();
  scene.keyPoses.clear();
  std::erase_if(scene.events, [&](const Event& event) {
    return std::any_of(event.names.begin(), event.names.end(), isGone);
  });
}

// A scene cannot say where the weight of a group acts.
void addMoments(const Holding& holding, Mechanism& m) {
  const Groups& groups = holding.groups;
  Finder solids(m.solidNames);
  for (Index s = 0; s < groups.leader.size(); ++s) {
    if (groups.leader[s] != s || !groups.joined[s]) continue;
    MechanismSolid& solid = m.solids[solids(holding.own.solidNames[s])];
    if (solid.kind != SolidKind::Dynamic) continue;
    std::vector<Index> members;
    for (Index other = 0; other < groups.leader.size(); ++other)
      if (groups.leader[other] == s) members.push_back(other);
    solid.gravityMoment = massOfGroup(holding, members).gravityMoment;
  }
}

// Relations of coordinates hold as written, wherever the solids are now; and so the joints that they relate count turns.
void keepAsWritten(const Mechanism& own, Amended& made) {
  Mechanism& m = made.mechanism;
  for (Index j = 0; j < own.joints.size(); ++j) {
    if (made.jointOf[j] == kWorld) continue;
    const MechanismJoint &from = own.joints[j], &to = m.joints[made.jointOf[j]];
    if (from.terms.count == 0 || from.terms.count != to.terms.count) continue;
    m.options[to.options.first] = own.options[from.options.first];
    for (Index t = 0; t < from.terms.count; ++t) {
      MechanismTerm& term = m.terms[to.terms.first + t];
      term = own.terms[from.terms.first + t];
      const MechanismJoint& coupled = own.joints[term.joint];
      term.joint = made.jointOf[term.joint];
      std::copy_n(own.memory.data() + coupled.firstMemory, memoryCount(*coupled.kind),
                  m.memory.data() + m.joints[term.joint].firstMemory);
    }
  }
  finish(m);
}

}  // namespace

Result<Amended> compiledAnew(const Holding& holding) {
  const Held& held = holding.held;
  const Mechanism& own = holding.own;
  Scene scene = holding.scene;
  changeLimits(held.limits, scene);
  scene.start.clear();  // it is where it is
  Finder solids(own.solidNames);
  // Pins without a target hold the pose as written, wherever the solids are now.
  for (Pin& pin : scene.pins) {
    const Index solid = solids(pin.solid);
    if (solid == kWorld) continue;
    const Pose& written = holding.scene.solids[solid].pose;
    if (!pin.target) pin.target = transform(written, pin.point);
    if (pin.rigid && !pin.orientation) pin.orientation = written.q;
  }
  // So do springs without a length; and what is animated goes on from where it was at time 0.
  for (std::size_t k = 0; k < scene.springs.size() && k < own.springs.size(); ++k)
    scene.springs[k].rest = own.springs[k].rest;
  for (Index s = 0; s < scene.solids.size(); ++s)
    if (scene.solids[s].kind != SolidKind::Animated) scene.solids[s].pose = holding.frames[s];
  for (const HeldForce& pushed : held.forces) {
    Force force;
    force.name = "force-" + std::to_string(pushed.id) + "'";
    force.solid = pushed.solid;
    force.point = pushed.point;
    force.vector = pushed.force;
    scene.forces.push_back(force);
  }
  for (std::size_t k = 0; k < held.pins.size(); ++k) {
    const HeldPin& kept = held.pins[k];
    Pin pin;
    pin.name = nameOfPin(held, k);
    pin.active = kept.active;
    pin.solid = kept.solid;
    pin.point = kept.point.value_or(Vec3{});
    pin.target = kept.target.p;
    pin.rigid = !kept.point;
    if (pin.rigid) pin.orientation = kept.target.q;
    scene.pins.push_back(std::move(pin));
  }
  for (std::size_t h = 0; h < holding.hands.size(); ++h) {
    const HeldGrab& grab = *holding.hands[h];
    Joint joint;
    joint.name = joint.solid1 = nameOfHand(grab.id);
    joint.kind = grab.orientation ? "weld" : "ball";
    joint.solid2 = grab.solid;
    joint.frame2 = {grab.point, {}};
    joint.compliance = holding.compliance[h];
    scene.joints.push_back(std::move(joint));
  }
  if (!held.frozen.empty() || !held.merged.empty()) join(holding, scene);
  for (const HeldGrab* grab : holding.hands) {
    Solid hand;
    hand.name = nameOfHand(grab->id);
    hand.kind = SolidKind::Immobile;
    hand.pose = {grab->target, grab->orientation.value_or(Quat{})};
    scene.solids.push_back(std::move(hand));
  }
  Result<Mechanism> compiled = compile(scene);
  if (!compiled) return compiled.problems();
  Amended made;
  made.mechanism = std::move(*compiled);
  const auto numbersOf = [](const std::vector<std::string>& names, Finder find) {
    std::vector<Index> numbers;
    for (const std::string& name : names) numbers.push_back(find(name));
    return numbers;
  };
  made.solidOf = numbersOf(own.solidNames, Finder(made.mechanism.solidNames));
  made.jointOf = numbersOf(own.jointNames, Finder(made.mechanism.jointNames));
  addMoments(holding, made.mechanism);
  keepAsWritten(own, made);
  return made;
}

}  // namespace tenon
