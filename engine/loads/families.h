// The families of loads, a file each. Every function adds to one wrench per solid: a force and a
// torque about the centre of mass, world axes. Solids that no force moves receive nothing.
#pragma once

#include <tenon/mechanism.h>

#include <span>

namespace tenon {

void addGravity(const Mechanism& mechanism, const Control& control, const State& state,
                std::span<Wrench> wrenches);
// Without the moments of solids that are made of parts.
void addWeight(const Mechanism& mechanism, const Control& control, std::span<Wrench> wrenches);
void addForces(const Mechanism& mechanism, const State& state, std::span<Wrench> wrenches);
void addMuscles(const Mechanism& mechanism, const Control& control, const State& state,
                std::span<Wrench> wrenches);
void addSprings(const Mechanism& mechanism, const State& state, std::span<Wrench> wrenches);
void addDrag(const Mechanism& mechanism, const State& state, std::span<Wrench> wrenches);
void addDamping(const Mechanism& mechanism, const Control& control, const State& state,
                std::span<Wrench> wrenches);

[[nodiscard]] double gravityEnergy(const Mechanism& mechanism, const Control& control,
                                   const State& state);                             // [J]
[[nodiscard]] double springEnergy(const Mechanism& mechanism, const State& state);  // [J]

}  // namespace tenon
