// Gravity: F = m g at the centre of mass, U = -m g · p.                [ForseyWilhelms1988 §4.2]
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

void addGravity(const Mechanism& mechanism, const Control& control, std::span<Wrench> wrenches) {
  for (std::size_t i = 0; i < mechanism.solids.size(); ++i) {
    const MechanismSolid& solid = mechanism.solids[i];
    if (solid.kind == SolidKind::Dynamic) wrenches[i].force += solid.mass * control.gravity;
  }
}

double gravityEnergy(const Mechanism& mechanism, const Control& control, const State& state) {
  double energy = 0;
  for (std::size_t i = 0; i < mechanism.solids.size(); ++i) {
    const MechanismSolid& solid = mechanism.solids[i];
    if (solid.kind == SolidKind::Dynamic)
      energy -= solid.mass * dot(control.gravity, state.position[i]);
  }
  return energy;
}

}  // namespace tenon
