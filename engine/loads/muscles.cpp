// Internal torques: a muscle turns solid 2 of its joint, and solid 1 by the opposite amount.
//                                                                     [ForseyWilhelms1988 §4.4]
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

void addMuscles(const Mechanism& mechanism, const Control& control, const State& state,
                std::span<Wrench> wrenches) {
  for (const MechanismMuscle& muscle : mechanism.muscles) {
    if (!isActive(mechanism, muscle.active, state.time)) continue;
    if (!transmitsTorque(mechanism, control, state, muscle.joint)) continue;
    const MechanismJoint& joint = mechanism.joints[muscle.joint];
    const Vec3 torque_C1 = rotate(joint.frame1.q, muscle.torque);
    const Vec3 torque_W =
        joint.solid1 == kWorld ? torque_C1 : rotate(state.orientation[joint.solid1], torque_C1);
    applyTorque(mechanism, joint.solid2, torque_W, wrenches);
    applyTorque(mechanism, joint.solid1, -torque_W, wrenches);
  }
}

}  // namespace tenon
