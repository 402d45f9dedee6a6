// Resistance of what surrounds the solids: F = -(linear + quadratic |v|) v, T = -angular ω.
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

namespace {

void dragSolid(const Mechanism& mechanism, const MechanismDrag& drag, Index solid,
               const State& state, std::span<Wrench> wrenches) {
  if (!isDynamic(mechanism, solid)) return;
  const Vec3& v = state.velocity[solid];
  wrenches[solid].force -= (drag.linear + drag.quadratic * norm(v)) * v;
  applyTorque(mechanism, solid, -drag.angular * state.spin[solid], wrenches);
}

}  // namespace

void addDrag(const Mechanism& mechanism, const State& state, std::span<Wrench> wrenches) {
  for (const MechanismDrag& drag : mechanism.drags) {
    if (!isActive(mechanism, drag.active, state.time)) continue;
    if (drag.solid != kWorld) {
      dragSolid(mechanism, drag, drag.solid, state, wrenches);
      continue;
    }
    for (Index s = 0; s < mechanism.solids.size(); ++s)
      dragSolid(mechanism, drag, s, state, wrenches);
  }
}

}  // namespace tenon
