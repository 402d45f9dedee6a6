// The sum of all loads, and of the energy that some of them store.
#include <tenon/loads.h>

#include "loads/families.h"

namespace tenon {

void gatherLoads(const Mechanism& mechanism, const Control& control, const State& state,
                 std::vector<Wrench>& wrenches) {
  wrenches.assign(mechanism.solids.size(), Wrench{});  // allocates only if it has to grow
  addGravity(mechanism, control, state, wrenches);
  addForces(mechanism, state, wrenches);
  addMuscles(mechanism, control, state, wrenches);
  addSprings(mechanism, state, wrenches);
  addDrag(mechanism, state, wrenches);
  addDamping(mechanism, control, state, wrenches);
}

double potentialEnergy(const Mechanism& mechanism, const Control& control, const State& state) {
  return gravityEnergy(mechanism, control, state) + springEnergy(mechanism, state);
}

}  // namespace tenon
