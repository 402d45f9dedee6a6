// Gravity: F = f m g at the centre of mass, U = -f m g · p, f being the solid's own factor. [ForseyWilhelms1988 §4.2]
// Where parts of different factors are one solid, their weight has a moment, too: T = (R b) × g, U = -g · (R b).
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

void addWeight(const Mechanism& mechanism, const Control& control, std::span<Wrench> wrenches) {
  for (std::size_t i = 0; i < mechanism.solids.size(); ++i) {
    const MechanismSolid& solid = mechanism.solids[i];
    if (solid.kind == SolidKind::Dynamic)
      wrenches[i].force += (solid.gravity * solid.mass) * control.gravity;
  }
}

void addGravity(const Mechanism& mechanism, const Control& control, const State& state,
                std::span<Wrench> wrenches) {
  addWeight(mechanism, control, wrenches);
  for (Index s = 0; s < mechanism.solids.size(); ++s)
    if (const Vec3& moment = mechanism.solids[s].gravityMoment; !(moment == Vec3{}))
      applyTorque(mechanism, s, cross(rotate(state.orientation[s], moment), control.gravity),
                  wrenches);
}

double gravityEnergy(const Mechanism& mechanism, const Control& control, const State& state) {
  double energy = 0;
  for (std::size_t i = 0; i < mechanism.solids.size(); ++i) {
    const MechanismSolid& solid = mechanism.solids[i];
    if (solid.kind == SolidKind::Dynamic)
      energy -= solid.gravity * solid.mass * dot(control.gravity, state.position[i]);
    if (turns(mechanism, static_cast<Index>(i)) && !(solid.gravityMoment == Vec3{}))
      energy -= dot(control.gravity, rotate(state.orientation[i], solid.gravityMoment));
  }
  return energy;
}

}  // namespace tenon
