// Manikin's damping: a joint resists turning in proportion to what hangs on it.
//   T = factor × (ω_2 - ω_1) × distal mass, taken from solid 2 and given to solid 1
//                                                                     [ForseyWilhelms1988 §4.3]
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

void addDamping(const Mechanism& mechanism, const Control& control, const State& state,
                std::span<Wrench> wrenches) {
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const MechanismJoint& joint = mechanism.joints[i];
    const double factor = joint.damp >= 0 ? joint.damp : control.damp;  // [m²/s]
    if (factor == 0 || !transmitsTorque(mechanism, control, state, static_cast<Index>(i))) continue;
    const Vec3 relativeSpin = spinOf(state, joint.solid2) - spinOf(state, joint.solid1);
    const Vec3 torque = (factor * joint.distalMass) * relativeSpin;
    applyTorque(mechanism, joint.solid2, -torque, wrenches);
    applyTorque(mechanism, joint.solid1, torque, wrenches);
  }
}

}  // namespace tenon
