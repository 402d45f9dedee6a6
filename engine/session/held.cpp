#include "session/held.h"

#include <tenon/joint.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace tenon {

namespace {

// A hand pulls as a spring that would swing all it may have to move this fast, and gives way where it cannot.
constexpr double kHandRate = 60;  // [rad/s]

std::unordered_map<std::string, std::size_t> numbersOf(const std::vector<std::string>& names) {
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) numbers.emplace(names[i], i);
  return numbers;
}

// Solids that frozen joints make one. Group 0 is the world.
struct Groups {
  std::vector<std::size_t> of;      // by solid
  std::vector<std::size_t> leader;  // by group: the solid whose frame it keeps; unused of group 0
};

Groups groupsOf(const Scene& scene, const Mechanism& own, const Held& held) {
  const std::size_t count = scene.solids.size();
  std::vector<std::size_t> parent(count + 1);  // the last is the world
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto find = [&](std::size_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  const auto joints = numbersOf(own.jointNames);
  for (const std::vector<std::string>* names : {&held.frozen, &held.merged})
    for (const std::string& name : *names) {
      const auto at = joints.find(name);
      if (at == joints.end()) continue;
      const MechanismJoint& joint = own.joints[at->second];
      const auto node = [&](Index solid) { return solid == kWorld ? count : std::size_t{solid}; };
      const std::size_t a = find(node(joint.solid1)), b = find(node(joint.solid2));
      // Whoever does not move leads: the world, then what is immobile or animated, then the first.
      const auto rank = [&](std::size_t n) {
        return n == count ? 0 : own.solids[n].kind != SolidKind::Dynamic ? 1 : 2;
      };
      if (a == b) continue;
      const bool first = rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
      parent[first ? b : a] = first ? a : b;
    }
  Groups groups;
  groups.of.resize(count);
  groups.leader.push_back(count);
  std::map<std::size_t, std::size_t> number{{find(count), 0}};
  for (std::size_t s = 0; s < count; ++s) {
    const auto [at, isNew] = number.emplace(find(s), groups.leader.size());
    if (isNew) groups.leader.push_back(find(s));
    groups.of[s] = at->second;
  }
  return groups;
}

// Mass, centre and inertia of solids that are one, in the leader's frame.
void addUp(const Mechanism& own, const std::vector<std::size_t>& members,
           const std::vector<Pose>& offsets, Solid& leader) {
  double mass = 0;
  Vec3 moment;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const MechanismSolid& solid = own.solids[members[i]];
    mass += solid.mass;
    moment = moment + solid.mass * transform(offsets[i], solid.com);
  }
  const Vec3 centre = (1 / mass) * moment;
  Mat3 inertia;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const MechanismSolid& solid = own.solids[members[i]];
    const Mat3 R = rotationMatrix(offsets[i].q);
    const Vec3 r = transform(offsets[i], solid.com) - centre;
    inertia = inertia + R * solid.inertia * transpose(R);
    const double rr = dot(r, r);
    const double v[3] = {r.x, r.y, r.z};
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        inertia(row, column) += solid.mass * ((row == column ? rr : 0) - v[row] * v[column]);
  }
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < row; ++column)
      inertia(row, column) = inertia(column, row) =
          0.5 * (inertia(row, column) + inertia(column, row));
  leader.pointMass = false;
  leader.mass = mass;
  leader.com = centre;
  leader.inertia = inertia;
  leader.boxDensity.reset();
}

// What speaks of a solid of a group speaks of its leader.
class Rewriter {
 public:
  Rewriter(const Scene& scene, const Groups& groups, const std::vector<Pose>& frames)
      : scene_(scene), groups_(groups), frames_(frames) {
    for (std::size_t s = 0; s < scene.solids.size(); ++s) number_.emplace(scene.solids[s].name, s);
  }
  [[nodiscard]] Pose offset(std::size_t solid) const {
    const std::size_t group = groups_.of[solid];
    return group == 0 ? frames_[solid] : inverse(frames_[groups_.leader[group]]) * frames_[solid];
  }
  // The leader's name; `within` takes what was said in the solid's frame to the leader's.
  bool operator()(std::string& name, Pose& within) const {
    within = {};
    const auto at = number_.find(name);
    if (at == number_.end()) return false;
    const std::size_t group = groups_.of[at->second];
    if (group != 0 && groups_.leader[group] == at->second) return false;
    within = offset(at->second);
    name = group == 0 ? std::string() : scene_.solids[groups_.leader[group]].name;
    return true;
  }
  void point(std::string& name, Vec3& p) const {
    Pose within;
    if ((*this)(name, within)) p = transform(within, p);
  }
  void frame(std::string& name, Pose& X) const {
    Pose within;
    if ((*this)(name, within)) X = within * X;
  }

 private:
  const Scene& scene_;
  const Groups& groups_;
  const std::vector<Pose>& frames_;
  std::unordered_map<std::string, std::size_t> number_;
};

Joint jointTo(const std::string& name, const std::string& kind, const std::string& solid1,
              const Pose& frame1, const std::string& solid2, const Pose& frame2) {
  Joint joint;
  joint.name = name;
  joint.kind = kind;
  joint.solid1 = solid1;
  joint.solid2 = solid2;
  joint.frame1 = frame1;
  joint.frame2 = frame2;
  return joint;
}

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
void join(const Mechanism& own, const Groups& groups, const std::vector<Pose>& frames,
          Scene& scene) {
  const Scene before = scene;
  const Rewriter rewrite(before, groups, frames);
  std::vector<std::vector<std::size_t>> members(groups.leader.size());
  for (std::size_t s = 0; s < groups.of.size(); ++s) members[groups.of[s]].push_back(s);
  for (std::size_t g = 1; g < members.size(); ++g) {
    if (members[g].size() < 2 || own.solids[groups.leader[g]].kind != SolidKind::Dynamic) continue;
    std::vector<Pose> offsets;
    for (const std::size_t s : members[g]) offsets.push_back(rewrite.offset(s));
    addUp(own, members[g], offsets, scene.solids[groups.leader[g]]);
  }
  std::vector<Solid> solids;
  for (std::size_t s = 0; s < groups.of.size(); ++s)
    if (groups.of[s] != 0 && groups.leader[groups.of[s]] == s) solids.push_back(scene.solids[s]);
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
  for (Drag& drag : scene.drags)
    if (!drag.solid.empty()) static_cast<void>(rewrite(drag.solid, within));
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

double massOf(const Mechanism& own) {
  double mass = 0;
  for (const MechanismSolid& solid : own.solids)
    if (solid.kind == SolidKind::Dynamic) mass += solid.mass;
  return mass;
}
// Of the figure that the solid belongs to.
double massAround(const Mechanism& own, std::size_t solid) {
  for (const Mechanism::Island& island : own.islands) {
    double mass = 0;
    bool here = false;
    for (Index k = island.solids.first; k < island.solids.first + island.solids.count; ++k) {
      mass += own.solids[own.islandSolids[k]].mass;
      here = here || own.islandSolids[k] == solid;
    }
    if (here) return mass;
  }
  return massOf(own);
}

}  // namespace

Pose frameOf(const Mechanism& m, const State& state, Index solid) {
  return Pose{state.position[solid], state.orientation[solid]} *
         inverse(Pose{m.solids[solid].com, {}});
}

std::vector<Pose> framesOf(const Mechanism& mechanism, const State& state) {
  std::vector<Pose> frames(mechanism.solids.size());
  for (Index s = 0; s < frames.size(); ++s) frames[s] = frameOf(mechanism, state, s);
  return frames;
}

Result<HeldMechanism> hold(const Scene& source, const Mechanism& own, const Held& held,
                           const std::vector<Pose>& frames) {
  HeldMechanism made;
  const bool anyHand = std::any_of(held.grabs.begin(), held.grabs.end(),
                                   [](const HeldGrab& g) { return g.dynamic; });
  made.asWritten = held.frozen.empty() && held.merged.empty() && held.pins.empty() &&
                   held.limits.empty() && held.forces.empty() && !anyHand;
  const Groups groups = groupsOf(source, own, held);
  const auto solids = numbersOf(own.solidNames);
  // What is frozen to something that does not move cannot be pulled.
  const auto pulls = [&](const HeldGrab& grab) {
    if (!grab.dynamic) return false;
    const std::size_t group = groups.of[solids.at(grab.solid)];
    return group != 0 && own.solids[groups.leader[group]].kind == SolidKind::Dynamic;
  };
  if (made.asWritten) {
    made.mechanism = own;
  } else {
    Scene scene = source;
    changeLimits(held.limits, scene);
    scene.start.clear();  // it is where it is
    // Pins without a target hold the pose as written, wherever the solids are now.
    for (Pin& pin : scene.pins) {
      const auto at = solids.find(pin.solid);
      if (at == solids.end()) continue;
      const Pose& written = source.solids[at->second].pose;
      if (!pin.target) pin.target = transform(written, pin.point);
      if (pin.rigid && !pin.orientation) pin.orientation = written.q;
    }
    for (std::size_t s = 0; s < frames.size(); ++s) scene.solids[s].pose = frames[s];
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
      pin.name = kept.name.empty() ? "pin-" + std::to_string(k) + "'" : kept.name;
      pin.active = kept.active;
      pin.solid = kept.solid;
      pin.point = kept.point.value_or(Vec3{});
      pin.target = kept.target.p;
      pin.rigid = !kept.point;
      if (pin.rigid) pin.orientation = kept.target.q;
      scene.pins.push_back(std::move(pin));
    }
    for (const HeldGrab& grab : held.grabs) {
      if (!pulls(grab)) continue;
      const std::string name = "hand-" + std::to_string(grab.id) + "'";
      Joint joint = jointTo(name, grab.orientation ? "weld" : "ball", name, Pose{}, grab.solid,
                            Pose{grab.point, {}});
      const double mass = massAround(own, solids.at(grab.solid));
      joint.compliance = 1 / (mass * kHandRate * kHandRate);
      scene.joints.push_back(joint);
    }
    if (!held.frozen.empty() || !held.merged.empty()) join(own, groups, frames, scene);
    for (const HeldGrab& grab : held.grabs) {
      if (!pulls(grab)) continue;
      Solid hand;
      hand.name = "hand-" + std::to_string(grab.id) + "'";
      hand.kind = SolidKind::Immobile;
      hand.pose = {grab.target, grab.orientation.value_or(Quat{})};
      scene.solids.push_back(hand);
    }
    Result<Mechanism> compiled = compile(scene);
    if (!compiled) return compiled.problems();
    made.mechanism = std::move(*compiled);
  }
  std::vector<Problem> said;  // when the scene was opened
  made.events = SceneEvents(source, made.mechanism, said);
  const auto numbers = numbersOf(made.mechanism.solidNames);
  made.members.resize(frames.size());
  for (std::size_t s = 0; s < frames.size(); ++s) {
    const std::size_t group = groups.of[s];
    if (group == 0) {
      made.members[s] = {kWorld, frames[s]};
      continue;
    }
    const std::size_t leader = groups.leader[group];
    made.members[s] = {static_cast<Index>(numbers.at(own.solidNames[leader])),
                       leader == s ? Pose{} : inverse(frames[leader]) * frames[s]};
  }
  if (!anyHand) return made;
  const auto joints = numbersOf(made.mechanism.jointNames);
  for (const HeldGrab& grab : held.grabs) {
    if (!pulls(grab)) continue;
    const std::string name = "hand-" + std::to_string(grab.id) + "'";
    made.hands.push_back(
        {grab.id, static_cast<Index>(numbers.at(name)), static_cast<Index>(joints.at(name))});
  }
  return made;
}

namespace {

// Turns counted and multipliers, by the names of the joints.
void carryOver(const Mechanism& from, const State& source, const Mechanism& to, State& state) {
  const auto numbers = numbersOf(from.jointNames);
  for (std::size_t j = 0; j < to.joints.size(); ++j) {
    const auto at = numbers.find(to.jointNames[j]);
    if (at == numbers.end()) continue;
    const MechanismJoint &a = from.joints[at->second], &b = to.joints[j];
    if (a.kind != b.kind) continue;
    std::copy_n(source.memory.data() + a.firstMemory, memoryCount(*a.kind),
                state.memory.data() + b.firstMemory);
    std::copy_n(source.multiplier.data() + a.firstSlot, std::min(slotCount(a), slotCount(b)),
                state.multiplier.data() + b.firstSlot);
  }
}

}  // namespace

State release(const Mechanism& own, const HeldMechanism& held, const State& state,
              const State& like) {
  if (held.asWritten) return state;
  State result = like;
  result.time = state.time;
  result.rest.clear();
  // Solids that became one and have not moved since are where they were, to the bit.
  const State taken = take(own, held, like);
  for (Index s = 0; s < own.solids.size(); ++s) {
    const HeldMechanism::Member& member = held.members[s];
    if (member.solid == kWorld) {
      result.velocity[s] = result.spin[s] = {};
      continue;
    }
    if (member.offset == Pose{} && held.mechanism.solids[member.solid].com == own.solids[s].com) {
      result.position[s] = state.position[member.solid];
      result.orientation[s] = state.orientation[member.solid];
      result.velocity[s] = state.velocity[member.solid];
      result.spin[s] = state.spin[member.solid];
      continue;
    }
    const Pose X =
        frameOf(held.mechanism, state, member.solid) * member.offset * Pose{own.solids[s].com, {}};
    if (state.position[member.solid] != taken.position[member.solid] ||
        state.orientation[member.solid] != taken.orientation[member.solid]) {
      result.position[s] = X.p;
      result.orientation[s] = normalized(X.q);
    }
    result.spin[s] = state.spin[member.solid];
    result.velocity[s] = state.velocity[member.solid] +
                         cross(state.spin[member.solid], X.p - state.position[member.solid]);
  }
  carryOver(held.mechanism, state, own, result);
  return result;
}

State take(const Mechanism& own, const HeldMechanism& held, const State& state) {
  if (held.asWritten) return state;
  const Mechanism& m = held.mechanism;
  State result = initialState(m);
  result.time = state.time;
  // Solids that become one share their momenta, as in a plastic impact.        [ForseyWilhelms1988 §4.3]
  std::vector<std::vector<Index>> members(m.solids.size());
  for (Index s = 0; s < own.solids.size(); ++s)
    if (held.members[s].solid != kWorld) members[held.members[s].solid].push_back(s);
  for (Index k = 0; k < m.solids.size(); ++k) {
    if (members[k].empty()) continue;  // a hand
    Index leader = members[k].front();
    for (const Index s : members[k])
      if (held.members[s].offset == Pose{}) leader = s;
    if (members[k].size() == 1 || m.solids[k].kind != SolidKind::Dynamic) {
      result.position[k] = state.position[leader];
      result.orientation[k] = state.orientation[leader];
      result.velocity[k] = state.velocity[leader];
      result.spin[k] = state.spin[leader];
      continue;
    }
    const Pose X = frameOf(own, state, leader) * Pose{m.solids[k].com, {}};
    result.position[k] = X.p;
    result.orientation[k] = X.q;
    Vec3 linear, angular;
    for (const Index s : members[k]) {
      const MechanismSolid& solid = own.solids[s];
      const Quat& q = state.orientation[s];
      linear = linear + solid.mass * state.velocity[s];
      angular = angular + rotate(q, solid.inertia * rotate(conjugate(q), state.spin[s])) +
                solid.mass * cross(state.position[s] - X.p, state.velocity[s]);
    }
    result.velocity[k] = m.solids[k].inverseMass * linear;
    result.spin[k] = rotate(X.q, m.solids[k].inverseInertia * rotate(conjugate(X.q), angular));
  }
  carryOver(own, state, m, result);
  return result;
}

}  // namespace tenon
