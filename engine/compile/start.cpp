// The pose that everything begins in. It sets the state and nothing else: frames of joints, gears, rest lengths and meant turns
// come from the solids as they are written.
#include <algorithm>
#include <cmath>
#include <string>

#include "compile/compiler.h"
#include "math/rotation.h"

namespace tenon {

const KeyPose* Compiler::startPose() const {
  for (const KeyPose& pose : scene.keyPoses)
    if (!scene.start.empty() && pose.name == scene.start) return &pose;
  return nullptr;
}

// X_WS of a solid at the start.
Pose Compiler::startFrame(Index solid) const {
  if (solid == kWorld) return {};
  if (const auto at = started_.find(scene.solids[solid].name);
      at != started_.end() && mechanism.solids[solid].kind == SolidKind::Dynamic) {
    const Pose& X = at->second->pose;
    return at->second->centre ? Pose{X.p - rotate(X.q, mechanism.solids[solid].com), X.q} : X;
  }
  return authored[solid];
}

namespace {

constexpr Index kNobody = kWorld - 1;  // carries it

bool isFrozen(const Joint& joint) { return joint.frozen || joint.merged; }

}  // namespace

// Who carries whom. Point masses do not turn, so that nothing can be carried by one that moves: what is frozen to it is
// carried by what carries it.
void Compiler::findFrozen() {
  if (std::none_of(scene.joints.begin(), scene.joints.end(), isFrozen)) return;
  if (const KeyPose* pose = startPose())
    for (const KeyPose::SolidPose& one : pose->solids) started_.emplace(one.solid, &one);
  for (const Joint& joint : scene.joints)
    for (const CoupledCoordinate& term : joint.couples) couplers_.emplace(term.joint, &joint);

  const std::size_t count = mechanism.solids.size();
  std::vector<std::vector<Index>> neighbours(count + 1);
  for (const Joint& joint : scene.joints) {
    const JointKind* kind = findJointKind(joint.kind);
    if (!isFrozen(joint) || kind == nullptr || kind->relates != Relates::Frames) continue;
    const auto node = [&](const std::string& name) {
      const auto at = solidIndex_.find(name);
      return name.empty() ? count : at == solidIndex_.end() ? count + 1 : std::size_t{at->second};
    };
    const std::size_t a = node(joint.solid1), b = node(joint.solid2);
    if (std::max(a, b) > count) continue;  // which is said elsewhere
    neighbours[a].push_back(static_cast<Index>(b));
    neighbours[b].push_back(static_cast<Index>(a));
  }
  carrier_.assign(count + 1, kNobody);
  steps_.assign(count + 1, 0);
  const auto carries = [&](std::size_t n) {
    return n == count || !mechanism.solids[n].pointMass ||
           mechanism.solids[n].kind != SolidKind::Dynamic;
  };
  const auto grow = [&](std::size_t from) {
    if (carrier_[from] != kNobody || !carries(from)) return;
    carrier_[from] = static_cast<Index>(from);
    std::vector<std::size_t> front{from};
    for (std::size_t next = 0; next < front.size(); ++next)
      for (const Index n : neighbours[front[next]]) {
        if (carrier_[n] != kNobody) continue;
        carrier_[n] = carries(n) ? n : carrier_[front[next]];
        steps_[n] = steps_[front[next]] + 1;
        front.push_back(n);
      }
  };
  grow(count);  // the world first, then what does not move
  for (const bool moving : {false, true})
    for (std::size_t n = 0; n < count; ++n)
      if ((mechanism.solids[n].kind == SolidKind::Dynamic) == moving) grow(n);
}

// A joint that is frozen is a weld of its two solids, in the relative pose of the start.
bool Compiler::frozen(const Joint& source, Joint& weld) {
  if (!isFrozen(source)) return false;
  Index solid1 = 0, solid2 = 0;
  const JointKind* kind = findJointKind(source.kind);
  if (kind == nullptr || !findSolid(source.solid1, source.place1, solid1) ||
      !findSolid(source.solid2, source.place2, solid2))
    return false;  // which is said elsewhere
  if (kind->relates != Relates::Frames) {
    error(source.place,
          "joint '" + source.name + "' holds no two solids together, so it cannot be frozen",
          "freeze the joints that it couples");
    return false;
  }
  if (const auto at = couplers_.find(source.name); at != couplers_.end())
    error(source.place,
          "joint '" + source.name + "' is frozen, but '" + at->second->name + "' couples it",
          "freeze all joints that the coupling moves, and remove the coupling");
  weld = source;
  weld.rules.clear();
  weld.options.clear();
  weld.active.clear();  // frozen is frozen
  weld.kind = "weld";
  weld.frame2 = inverse(startFrame(solid2)) * startFrame(solid1) * source.frame1;
  weld.frame2.q = normalized(weld.frame2.q);
  const auto isPoint = [&](Index s) { return s != kWorld && mechanism.solids[s].pointMass; };
  if (!isPoint(solid1) && !isPoint(solid2)) return true;

  const auto node = [&](Index s) { return s == kWorld ? mechanism.solids.size() : std::size_t{s}; };
  if (carrier_[node(solid1)] == kNobody) {
    error(source.place,
          "joint '" + source.name +
              "' is frozen, and only point masses are frozen together with it: they have no "
              "orientation that could turn them as one",
          "make one of them a solid with a shape");
    return false;
  }
  // Of the two, the one that is farther from what carries them is held by that: a point mass at its centre.
  const bool first = steps_[node(solid1)] > steps_[node(solid2)] ||
                     (steps_[node(solid1)] == steps_[node(solid2)] && isPoint(solid1));
  const Index held = first ? solid1 : solid2;
  Index by = carrier_[node(first ? solid2 : solid1)];
  if (by == mechanism.solids.size()) by = kWorld;
  weld.solid1 = by == kWorld ? std::string() : scene.solids[by].name;
  weld.solid2 = scene.solids[held].name;
  weld.place1 = weld.place2 = source.place;
  weld.kind = isPoint(held) || isPoint(by) ? "ball" : "weld";
  if (isPoint(held))
    weld.frame2 = {mechanism.solids[held].com, {}};
  else if (first)
    weld.frame2 = source.frame1;
  weld.frame1 = inverse(startFrame(by)) * startFrame(held) * weld.frame2;
  weld.frame1.q = normalized(weld.frame1.q);
  return true;
}

void Compiler::beginAtStart() {
  const KeyPose* pose = startPose();
  if (pose == nullptr) {
    if (!scene.start.empty())
      error(scene.startPlace, "there is no pose '" + scene.start + "' to start in");
    return;
  }
  Mechanism& m = mechanism;
  for (MechanismSolid& solid : m.solids)
    if (solid.kind == SolidKind::Dynamic) solid.velocity = solid.spin = {};
  for (const KeyPose::SolidPose& one : pose->solids) {
    Index s = 0;
    if (!findSolid(one.solid, one.place, s) || s == kWorld) continue;
    if (m.solids[s].kind != SolidKind::Dynamic) {
      warning(one.place, "the start pose does not move '" + one.solid + "', which is not dynamic",
              "change its place in its `solid` block");
      continue;
    }
    const Quat& q = one.pose.q;  // a unit already, to the bit, unless a program made it
    const bool unit = std::abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) < 1e-14;
    const Pose X{one.pose.p, unit ? q : normalized(q)};
    m.solids[s].initial = one.centre ? X : Pose{transform(X, m.solids[s].com), X.q};
  }
  if (hasErrors(problems)) return;
  // Turns are counted on from what the pose says of them.
  State state = initialState(m);
  for (const KeyPose::CoordinateValue& value : pose->coordinates) {
    Index j = 0;
    if (!findJoint(value.joint, value.place, j)) continue;
    const JointKind& kind = *m.joints[j].kind;
    const int coordinate = findCoordinate(kind, value.coordinate);
    if (coordinate < 0) continue;  // of a frozen joint
    if (kind.coordinates[coordinate].periodic) {
      Index memory = m.joints[j].firstMemory;
      for (int c = 0; c < coordinate; ++c) memory += kind.coordinates[c].periodic;
      state.memory[memory] = value.value;
    }
  }
  rememberTurns(m, state);
  for (const KeyPose::CoordinateValue& value : pose->coordinates) {
    Index j = 0;
    if (!findJoint(value.joint, value.place, j)) continue;
    const int coordinate = findCoordinate(*m.joints[j].kind, value.coordinate);
    if (coordinate < 0) continue;
    const double is = jointValues(m, state, j).coordinate[coordinate];
    if (std::abs(is - value.value) > 1e-6)
      warning(value.place,
              "the solids of the start pose have '" + value.coordinate + "' of '" + value.joint +
                  "' at " + std::to_string(is),
              "the places of the solids decide; a coordinate here only says how many turns a joint "
              "has made");
  }
  m.memory = state.memory;
}

}  // namespace tenon
