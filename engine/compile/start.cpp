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
  const KeyPose* pose = startPose();
  if (solid == kWorld) return {};
  if (pose != nullptr && mechanism.solids[solid].kind == SolidKind::Dynamic)
    for (const KeyPose::SolidPose& one : pose->solids)
      if (one.solid == scene.solids[solid].name) {
        const Pose& X = one.pose;
        return one.centre ? Pose{X.p - rotate(X.q, mechanism.solids[solid].com), X.q} : X;
      }
  return authored[solid];
}

// A joint that is frozen is a weld of its two solids, in the relative pose of the start.
bool Compiler::frozen(const Joint& source, Joint& weld) {
  if (!source.frozen && !source.merged) return false;
  Index solid1 = 0, solid2 = 0;
  const JointKind* kind = findJointKind(source.kind);
  if (kind == nullptr || !findSolid(source.solid1, source.place1, solid1) ||
      !findSolid(source.solid2, source.place2, solid2))
    return false;  // which is said elsewhere
  if (kind->relates != Relates::Frames) {
    error(source.place, "joint '" + source.name + "' relates no two solids, and cannot be frozen",
          "freeze the joints that it relates");
    return false;
  }
  for (const Joint& other : scene.joints)
    for (const CoupledCoordinate& term : other.couples)
      if (term.joint == source.name)
        error(source.place,
              "joint '" + source.name + "' is frozen, and '" + other.name + "' couples it",
              "freeze what the coupling moves, and remove the coupling");
  weld = source;
  weld.rules.clear();
  weld.options.clear();
  weld.active.clear();  // frozen is frozen
  const bool turns = (solid1 == kWorld || !mechanism.solids[solid1].pointMass) &&
                     (solid2 == kWorld || !mechanism.solids[solid2].pointMass);
  weld.kind = turns ? "weld" : "ball";
  weld.frame2 = inverse(startFrame(solid2)) * startFrame(solid1) * source.frame1;
  weld.frame2.q = normalized(weld.frame2.q);
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
              "move it where it is written");
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
              "a start is made of the places of its solids; coordinates only count turns");
  }
  m.memory = state.memory;
}

}  // namespace tenon
