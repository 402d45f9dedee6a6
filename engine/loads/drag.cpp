// Resistance of what surrounds the solids: F = -(linear + quadratic |v|) v, T = -angular ω.
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

void addDrag(const Mechanism& mechanism, const State& state, std::span<Wrench> wrenches) {
  for (const MechanismDrag& drag : mechanism.drags) {
    if (!isDynamic(mechanism, drag.solid) || !isActive(mechanism, drag.active, state.time))
      continue;
    const Vec3& v = state.velocity[drag.solid];
    wrenches[drag.solid].force -= (drag.linear + drag.quadratic * norm(v)) * v;
    applyTorque(mechanism, drag.solid, -drag.angular * state.spin[drag.solid], wrenches);
  }
}

}  // namespace tenon
