// Loads: forces and torques that do not depend on multipliers, and the energy they store.
#pragma once

#include <tenon/mechanism.h>

#include <vector>

namespace tenon {

// Sum per solid of gravity, forces, torques, muscles, springs, drag and damping at the state.
// Resizes `wrenches` to the number of solids.
void gatherLoads(const Mechanism& mechanism, const Control& control, const State& state,
                 std::vector<Wrench>& wrenches);

// Potential energy of gravity and springs [J].
[[nodiscard]] double potentialEnergy(const Mechanism& mechanism, const Control& control,
                                     const State& state);

}  // namespace tenon
