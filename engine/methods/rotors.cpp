#include "methods/rotors.h"

#include "joints/lift_rows.h"

namespace tenon {

void Rotors::recall(const Mechanism& mechanism, const State& before, State& state) {
  for (Index r = 0; r < mechanism.rules.size(); ++r)
    if (mechanism.rules[r].kind == CoordinateRule::Kind::Armature) {
      const Index slot = rotorSlot(mechanism, r);
      state.multiplier[slot] = before.multiplier[slot];
    }
}

void Rotors::begin(const Mechanism& mechanism, const State& start) {
  m_ = &mechanism;
  rotors_.clear();
  rotorOf_.clear();
  for (Index r = 0; r < mechanism.rules.size(); ++r) {
    const MechanismRule& rule = mechanism.rules[r];
    if (rule.kind != CoordinateRule::Kind::Armature) continue;
    if (rotorOf_.empty()) rotorOf_.resize(mechanism.slots, kWorld);
    const Index slot = rotorSlot(mechanism, r);
    rotorOf_[slot - 1] = static_cast<Index>(rotors_.size());
    Rotor& rotor = rotors_.emplace_back();
    rotor.rule = r;
    rotor.start = coordinateMotion(mechanism, start, rule.joint, rule.coordinate);
    if (rotor.start.rate != 0) rotor.start.rate += start.multiplier[slot];  // as rotorRate()
  }
}

double Rotors::ahead(const Row& row, double dt) const {
  const CoordinateMotion& start = rotors_[rotorOf_[row.key]].start;
  return row.error - start.value - dt * start.rate;
}

void Rotors::end(const Control& control, bool over, double dt, State& state) const {
  for (const Rotor& rotor : rotors_) {
    const MechanismRule& rule = m_->rules[rotor.rule];
    double& kept = state.multiplier[rotorSlot(*m_, rotor.rule)];
    kept = 0;
    if (!holdsAt(*m_, control, state.time, rule.joint)) continue;
    const CoordinateMotion now = coordinateMotion(*m_, state, rule.joint, rule.coordinate);
    const double mean = (now.value - rotor.start.value) / dt;
    kept = (over ? 2 * mean - rotor.start.rate : mean) - now.rate;
  }
}

}  // namespace tenon
