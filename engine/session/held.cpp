#include "session/held.h"

#include <tenon/joint.h>

#include <algorithm>
#include <numeric>

#include "session/amend.h"

namespace tenon {

namespace {

// A hand pulls as a spring that would swing all it may have to move this fast, and gives way where it cannot.
constexpr double kHandRate = 60;  // [rad/s]

Groups groupsOf(const Mechanism& own, const Held& held) {
  const auto count = static_cast<Index>(own.solids.size());
  Groups groups;
  groups.joined.assign(count, 0);
  std::vector<Index> parent(count + 1);  // the last is the world
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto find = [&](Index n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  Finder joints(own.jointNames);
  for (const std::vector<std::string>* names : {&held.frozen, &held.merged})
    for (const std::string& name : *names) {
      const Index at = joints(name);
      if (at == kWorld) continue;
      const MechanismJoint& joint = own.joints[at];
      const auto node = [&](Index solid) { return solid == kWorld ? count : solid; };
      const Index a = find(node(joint.solid1)), b = find(node(joint.solid2));
      // Whoever does not move leads: the world, then what is immobile or animated, then the first.
      const auto rank = [&](Index n) {
        return n == count ? 0 : own.solids[n].kind != SolidKind::Dynamic ? 1 : 2;
      };
      if (a == b) continue;
      const bool first = rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
      parent[first ? b : a] = first ? a : b;
    }
  for (Index s = 0; s < count; ++s) {
    const Index leader = find(s);
    if (leader != s) groups.joined[s] = 1;
    if (leader != s && leader != count) groups.joined[leader] = 1;
    parent[s] = leader;
  }
  parent.pop_back();
  for (Index& leader : parent)
    if (leader == count) leader = kWorld;
  groups.leader = std::move(parent);
  return groups;
}

double massOf(const Mechanism& own) {
  double mass = 0;
  for (const MechanismSolid& solid : own.solids)
    if (solid.kind == SolidKind::Dynamic) mass += solid.mass;
  return mass;
}
// Of the figure that the solid belongs to.
double massAround(const Mechanism& own, Index solid) {
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

Index Finder::operator()(const std::string& name) {
  constexpr std::size_t kLittle = 50'000;  // names to look at
  if (searched_ < kLittle) {
    searched_ += names_.size();
    const auto at = std::find(names_.begin(), names_.end(), name);
    return at == names_.end() ? kWorld : static_cast<Index>(at - names_.begin());
  }
  if (numbers_.empty())
    for (Index i = 0; i < names_.size(); ++i) numbers_.emplace(names_[i], i);
  const auto at = numbers_.find(name);
  return at == numbers_.end() ? kWorld : at->second;
}

std::string nameOfHand(int id) { return "hand-" + std::to_string(id) + "'"; }
std::string nameOfPin(const Held& held, std::size_t number) {
  const std::string& name = held.pins[number].name;
  return name.empty() ? "pin-" + std::to_string(number) + "'" : name;
}

MassSum massOfGroup(const Holding& holding, const std::vector<Index>& members) {
  const auto placed = [&](Index s) {
    return transform(holding.offset(s), holding.own.solids[s].com);
  };
  MassSum sum;
  Vec3 moment;
  for (const Index s : members) {
    const MechanismSolid& solid = holding.own.solids[s];
    sum.mass += solid.mass;
    moment = moment + solid.mass * placed(s);
  }
  sum.com = (1 / sum.mass) * moment;
  Mat3& inertia = sum.inertia;
  for (const Index s : members) {
    const MechanismSolid& solid = holding.own.solids[s];
    const Mat3 R = rotationMatrix(holding.offset(s).q);
    const Vec3 r = placed(s) - sum.com;
    inertia = inertia + R * solid.inertia * transpose(R);
    const double rr = dot(r, r);
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        inertia(row, column) += solid.mass * ((row == column ? rr : 0) - r[row] * r[column]);
  }
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < row; ++column)
      inertia(row, column) = inertia(column, row) =
          0.5 * (inertia(row, column) + inertia(column, row));
  // Σ f_i m_i = f m, and what it has as moment about the centre. Equal factors stay what they are, to the bit.
  const auto factorOf = [&](Index s) { return holding.own.solids[s].gravity; };
  sum.gravity = factorOf(members.front());
  if (std::all_of(members.begin(), members.end(),
                  [&](Index s) { return factorOf(s) == sum.gravity; }))
    return sum;
  double weight = 0;
  for (const Index s : members) {
    const double own = factorOf(s) * holding.own.solids[s].mass;
    weight += own;
    sum.gravityMoment += own * (placed(s) - sum.com);
  }
  sum.gravity = weight / sum.mass;
  return sum;
}

std::vector<Pose> framesOf(const Mechanism& mechanism, const State& state) {
  std::vector<Pose> frames(mechanism.solids.size());
  for (Index s = 0; s < frames.size(); ++s) frames[s] = frameOf(mechanism, state, s);
  return frames;
}

std::vector<bool> frozenPoints(const Mechanism& own, const Held& held) {
  const Groups groups = groupsOf(own, held);
  std::vector<std::size_t> members(own.solids.size(), 0);
  std::vector<bool> points(own.solids.size(), true);
  for (Index s = 0; s < own.solids.size(); ++s) {
    const Index leader = groups.leader[s];
    if (leader == kWorld) continue;
    ++members[leader];
    if (!own.solids[s].pointMass || own.solids[s].kind != SolidKind::Dynamic)
      points[leader] = false;
  }
  std::vector<bool> result;
  for (const Index leader : groups.leader)
    result.push_back(leader != kWorld && points[leader] && members[leader] > 1);
  return result;
}

Holding holdingOf(const Scene& scene, const Mechanism& own, const Held& held,
                  const std::vector<Pose>& frames) {
  Holding holding{scene, own, held, frames};
  holding.groups = groupsOf(own, held);
  Finder solids(own.solidNames);
  for (const HeldGrab& grab : held.grabs) {
    // What is frozen to something that does not move cannot be pulled.
    if (!grab.dynamic) continue;
    const Index solid = solids(grab.solid), leader = holding.groups.leader[solid];
    if (leader == kWorld || own.solids[leader].kind != SolidKind::Dynamic) continue;
    holding.hands.push_back(&grab);
    holding.compliance.push_back(1 / (massAround(own, solid) * kHandRate * kHandRate));
  }
  return holding;
}

Result<HeldMechanism> hold(const Scene& source, const Mechanism& own, const Held& held,
                           const std::vector<Pose>& frames, KnownTurns* turns) {
  HeldMechanism made;
  const bool anyHand = std::any_of(held.grabs.begin(), held.grabs.end(),
                                   [](const HeldGrab& g) { return g.dynamic; });
  made.asWritten = held.frozen.empty() && held.merged.empty() && held.pins.empty() &&
                   held.limits.empty() && held.forces.empty() && !anyHand;
  Holding holding = holdingOf(source, own, held, frames);
  holding.turns = turns;
  const Groups& groups = holding.groups;
  std::vector<Index> solidOf;
  if (made.asWritten) {
    made.mechanism = own;
    solidOf = groups.leader;
  } else {
    std::optional<Amended> known = amended(holding);
    if (!known) {
      Result<Amended> compiled = compiledAnew(holding);
      if (!compiled) return compiled.problems();
      known = std::move(*compiled);
    }
    made.mechanism = std::move(known->mechanism);
    made.joints = std::move(known->jointOf);
    solidOf = std::move(known->solidOf);
  }
  std::vector<Problem> said;  // when the scene was opened
  made.events = SceneEvents(source, made.mechanism, said);
  made.members.resize(frames.size());
  for (Index s = 0; s < frames.size(); ++s) {
    const Index leader = groups.leader[s];
    made.members[s] = {leader == kWorld ? kWorld : solidOf[leader],
                       leader == s ? Pose{} : holding.offset(s), groups.joined[s] != 0};
  }
  // Solids of hands are the last, and their joints the last before the pins.
  const auto hands = static_cast<Index>(holding.hands.size());
  auto solid = static_cast<Index>(made.mechanism.solids.size()) - hands, joint = Index{0};
  if (hands > 0)
    while (made.mechanism.joints[joint].solid1 != solid) ++joint;
  for (const HeldGrab* grab : holding.hands) made.hands.push_back({grab->id, solid++, joint++});
  return made;
}

namespace {

// Turns counted and multipliers of joints of the scene's own mechanism, which is `from` or `to`.
void carryOver(const Mechanism& from, const State& source, const Mechanism& to, State& state,
               const std::vector<Index>& jointOf, bool back) {
  for (Index j = 0; j < jointOf.size(); ++j) {
    if (jointOf[j] == kWorld) continue;
    const MechanismJoint &a = from.joints[back ? jointOf[j] : j],
                         &b = to.joints[back ? j : jointOf[j]];
    if (a.kind != b.kind) continue;
    std::copy_n(source.memory.data() + a.firstMemory, memoryCount(*a.kind),
                state.memory.data() + b.firstMemory);
    const Index own = ownSlots(*a.kind);
    std::copy_n(source.multiplier.data() + a.firstSlot, own, state.multiplier.data() + b.firstSlot);
    // Rules may stand in another order, and what their slots hold depends on their kind.
    for (Index r = 0; r < b.rules.count; ++r)
      for (Index s = 0; s < a.rules.count; ++s) {
        const MechanismRule &to1 = to.rules[b.rules.first + r],
                            &from1 = from.rules[a.rules.first + s];
        if (to1.kind != from1.kind || to1.coordinate != from1.coordinate) continue;
        std::copy_n(source.multiplier.data() + a.firstSlot + own + 2 * s, 2,
                    state.multiplier.data() + b.firstSlot + own + 2 * r);
        break;
      }
  }
}

// By solid of the held mechanism: the solids of the scene that are one in it; empty: a single one, or a hand.
std::vector<std::vector<Index>> membersOf(const HeldMechanism& held) {
  std::vector<std::vector<Index>> members;
  for (Index s = 0; s < held.members.size(); ++s) {
    if (!held.members[s].joined || held.members[s].solid == kWorld) continue;
    members.resize(held.mechanism.solids.size());
    members[held.members[s].solid].push_back(s);
  }
  return members;
}

// X_WC of solids that are one.
Pose placeOfGroup(const Mechanism& own, const HeldMechanism& held, Index solid,
                  const std::vector<Index>& members, const State& state, Index& leader) {
  leader = members.front();
  for (const Index s : members)
    if (held.members[s].offset == Pose{}) leader = s;
  if (held.mechanism.solids[solid].kind != SolidKind::Dynamic)
    return {state.position[leader], state.orientation[leader]};
  return frameOf(own, state, leader) * Pose{held.mechanism.solids[solid].com, {}};
}

}  // namespace

State release(const Mechanism& own, const HeldMechanism& held, const State& state,
              const State& like) {
  if (held.asWritten) return state;
  State result = like;
  result.time = state.time;
  result.rest.clear();
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
    }
  }
  const std::vector<std::vector<Index>> members = membersOf(held);
  for (Index k = 0; k < members.size(); ++k) {
    if (members[k].empty()) continue;
    Index leader = 0;
    const Pose taken = placeOfGroup(own, held, k, members[k], like, leader);
    // Solids that became one and have not moved since are where they were, to the bit.
    const bool moved = state.position[k] != taken.p || state.orientation[k] != taken.q;
    for (const Index s : members[k]) {
      const HeldMechanism::Member& member = held.members[s];
      if (member.offset == Pose{} && held.mechanism.solids[k].com == own.solids[s].com) continue;
      const Pose X =
          frameOf(held.mechanism, state, k) * member.offset * Pose{own.solids[s].com, {}};
      if (moved) {
        result.position[s] = X.p;
        result.orientation[s] = normalized(X.q);
      }
      result.spin[s] = state.spin[k];
      result.velocity[s] = state.velocity[k] + cross(state.spin[k], X.p - state.position[k]);
    }
  }
  carryOver(held.mechanism, state, own, result, held.joints, true);
  return result;
}

State take(const Mechanism& own, const HeldMechanism& held, const State& state) {
  if (held.asWritten) return state;
  const Mechanism& m = held.mechanism;
  State result = initialState(m);
  result.time = state.time;
  for (Index s = 0; s < own.solids.size(); ++s) {
    const HeldMechanism::Member& member = held.members[s];
    if (member.joined) continue;
    result.position[member.solid] = state.position[s];
    result.orientation[member.solid] = state.orientation[s];
    result.velocity[member.solid] = state.velocity[s];
    result.spin[member.solid] = state.spin[s];
  }
  // Solids that become one share their momenta, as in a plastic impact.        [ForseyWilhelms1988 §4.3]
  const std::vector<std::vector<Index>> members = membersOf(held);
  for (Index k = 0; k < members.size(); ++k) {
    if (members[k].empty()) continue;
    Index leader = 0;
    const Pose X = placeOfGroup(own, held, k, members[k], state, leader);
    result.position[k] = X.p;
    result.orientation[k] = X.q;
    if (m.solids[k].kind != SolidKind::Dynamic) {
      result.velocity[k] = state.velocity[leader];
      result.spin[k] = state.spin[leader];
      continue;
    }
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
  carryOver(own, state, m, result, held.joints, false);
  return result;
}

}  // namespace tenon
