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

// The loads over a step from `start` to `end`. Springs pull by their mean over the step, which is `weight`
// of the end: at 1/2 their work is exactly what their energy loses. All other loads are taken at `at`,
// whose velocities are the mean ones. Slopes of springs, dampers and resistance are appended.
void gatherStepLoads(const Mechanism& mechanism, const Control& control, const State& start,
                     const State& at, const State& end, double dt, double weight,
                     std::vector<Wrench>& wrenches, std::vector<LoadSlope>& slopes);

}  // namespace tenon
