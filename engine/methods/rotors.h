// Rotors (`armature`) in methods that know a step by where it ends.
//
// A rotor of inertia I turns with a coordinate c: kinetic energy ½ I ċ², and on the joint λ = -I c̈. With c_0, c_1 at
// the ends of a step,
//   ċ_1 = a Δc/dt - b ċ_0,     λ = -I (ċ_1 - ċ_0)/dt = -I a/dt² (Δc - dt ċ_0)          a = 2, b = 1 or a = 1, b = 0
// so that λ Δc = -½ I (ċ_1² - ċ_0²) with a = 2: energy is kept as far as Δc is what the row does. The rate J v of the
// velocities differs from ċ_1 by the square of the step, and a rotor that began each step with J v would be pushed by the
// difference every time: so the difference is kept, where State::multiplier has place for it (rotorSlot()).
#pragma once

#include <tenon/joint.h>

#include <vector>

namespace tenon {

class Rotors {
 public:
  // What was kept before multipliers were forgotten.
  static void recall(const Mechanism& mechanism, const State& before, State& state);
  // What all rotors do at the start.
  void begin(const Mechanism& mechanism, const State& start);
  // Δc - dt ċ_0 of a row that has an inertia, at the end of a step.
  [[nodiscard]] double ahead(const Row& row, double dt) const;
  // Keeps ċ_1, the state being where the step ends. `over`: a = 2, else 1.
  void end(const Control& control, bool over, double dt, State& state) const;

 private:
  struct Rotor {
    Index rule = 0;
    CoordinateMotion start;
  };
  const Mechanism* m_ = nullptr;
  std::vector<Rotor> rotors_;   // in the order of their rules
  std::vector<Index> rotorOf_;  // by slot, of the first of a rule; empty: there is none
};

}  // namespace tenon
