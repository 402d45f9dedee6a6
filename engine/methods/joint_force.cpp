// Frames at a state, and what a joint transmits. The session asks for these too: they are apart from the rest of
// tenon/dynamics.h, so that the page's module does not get that.
#include <tenon/dynamics.h>
#include <tenon/joint.h>

#include <cassert>

namespace tenon {

Pose frameOf(const Mechanism& m, const State& state, SolidId solid) {
  if (solid == kGround) return {};
  return Pose{state.position[index(solid)], state.orientation[index(solid)]} *
         inverse(Pose{m.solids[index(solid)].com, {}});
}

Pose frameOf(const Mechanism& m, const State& state, JointId id, int number) {
  assert(number == 1 || number == 2);
  const MechanismJoint& joint = m.joints[index(id)];
  const Index solid = number == 1 ? joint.solid1 : joint.solid2;
  const Pose& frame = number == 1 ? joint.frame1 : joint.frame2;
  return solid == kWorld ? frame : Pose{state.position[solid], state.orientation[solid]} * frame;
}

// Σ λ J is force and torque about a centre of mass; what a joint does to solid 1 is the opposite of what it does to solid 2,
// at the same point.
JointForce jointForce(const Mechanism& m, const Control& control, const State& state, JointId id) {
  const MechanismJoint& joint = m.joints[index(id)];
  if (joint.kind->relates != Relates::Frames) return {};
  const bool second = joint.solid2 != kWorld && !m.solids[joint.solid2].pointMass;
  const Index solid = second || joint.solid1 == kWorld ? joint.solid2 : joint.solid1;
  Rows rows;
  emitJointRows(m, control, state, index(id), rows);
  JointForce out;
  for (const Row& row : rows.rows) {
    if (row.rule != kWorld) continue;
    const double lambda = state.multiplier[row.key];
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = rows.blocks[b];
      if (block.solid != solid) continue;
      out.force += lambda * Vec3{block.J[0], block.J[1], block.J[2]};
      out.torque += lambda * Vec3{block.J[3], block.J[4], block.J[5]};
    }
  }
  if (m.solids[solid].pointMass)
    out.torque = {};
  else
    out.torque = out.torque - cross(frameOf(m, state, id, 2).p - state.position[solid], out.force);
  if (solid != joint.solid2) out = {-out.force, -out.torque};
  return out;
}

}  // namespace tenon
