// Forces at a point and torques, given in the world's axes or in those of the solid.
//                                                               [ForseyWilhelms1988 §4.4, §4.6]
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

void addForces(const Mechanism& mechanism, const State& state, std::span<Wrench> wrenches) {
  for (const MechanismForce& load : mechanism.forces) {
    if (!isDynamic(mechanism, load.solid) || !isActive(mechanism, load.active, state.time))
      continue;
    const bool body = load.axes == Axes::Body;
    const Quat& q_WC = state.orientation[load.solid];
    const Vec3 force = body ? rotate(q_WC, load.force) : load.force;
    const Vec3 torque = body ? rotate(q_WC, load.torque) : load.torque;
    const Vec3 lever = rotate(q_WC, load.point);
    applyForce(mechanism, load.solid, lever, force, wrenches);
    applyTorque(mechanism, load.solid, torque, wrenches);
  }
}

}  // namespace tenon
