// Rows of joints and of the rules on their coordinates, from lifted functions, whatever lifted them.
#pragma once

#include <cmath>

#include "joints/lift.h"

namespace tenon {

// Appends a row for `sign` times a function; the caller fills in the rest.
template <int N>
Row& appendRow(const LiftedOf<N>& f, double sign, Rows& rows) {
  Row row;
  row.error = sign * f.value;
  row.timeRate = sign * f.timeRate;
  row.rate = sign * f.rate;
  row.drift = sign * f.drift;
  row.firstBlock = static_cast<Index>(rows.blocks.size());
  row.blockCount = static_cast<std::uint8_t>(f.count);
  for (int b = 0; b < f.count; ++b) {
    RowBlock block = f.blocks[b];
    for (double& J : block.J) J *= sign;
    rows.blocks.push_back(block);
  }
  rows.rows.push_back(row);
  return rows.rows.back();
}

// The rows of one rule on a coordinate. `bearing`: the joint's own rows, which carry its load.
template <int N>
void emitRule(const Mechanism& mechanism, const Control& control, const SignalValue& target,
              Index index, LiftedOf<N> coordinate, Index slot, const Range& bearing, Rows& rows) {
  using Kind = CoordinateRule::Kind;
  const MechanismRule& rule = mechanism.rules[index];
  const MechanismJoint& joint = mechanism.joints[rule.joint];
  const auto finish = [&](Row& row, Index rowSlot) -> Row& {
    row.asker.number = rule.joint;
    row.rule = index;
    row.key = rowSlot;
    row.angular = joint.kind->coordinates[rule.coordinate].angular;
    row.weight = rule.weight;
    return row;
  };

  if (rule.kind == Kind::Limit || rule.kind == Kind::Prefer) {
    // c - lower >= 0 and upper - c >= 0, pushing with λ >= 0.
    const auto side = [&](double bound, double sign, Index rowSlot) {
      if (!std::isfinite(bound)) return;
      LiftedOf<N> off = coordinate;
      off.value -= bound;
      Row& row = finish(appendRow(off, sign, rows), rowSlot);
      row.lower = 0;
      row.equality = false;
      if (rule.kind == Kind::Prefer) {
        row.stiffness = rule.stiffness;
        row.damping = rule.damping;
        row.upper = rule.maxForce;
      } else if (rule.compliance > 0) {
        row.stiffness = 1 / rule.compliance;
      }
    };
    side(rule.lower, 1, slot);
    side(rule.upper, -1, slot + 1);
    return;
  }
  if (rule.kind == Kind::Friction) {
    // It asks for ċ = 0, as far as its bounds allow.
    coordinate.value = 0;
    Row& row = finish(appendRow(coordinate, 1, rows), slot);
    row.velocity = true;
    row.equality = false;
    row.lower = -rule.maxForce;
    row.upper = rule.maxForce;
    row.load = rule.coefficient * (row.angular ? rule.radius : 1);
    if (row.load > 0) {
      row.loadFirst = bearing.first;
      row.loadCount = bearing.count;
    }
    return;
  }

  if (rule.kind == Kind::Armature) {
    Row& row = finish(appendRow(coordinate, 1, rows), slot);
    row.equality = false;
    row.stiffness = 0;
    row.inertia = rule.inertia;
    return;
  }
  coordinate.value -= target.value + control.target[index];
  coordinate.timeRate -= target.rate;
  coordinate.rate -= target.rate;
  coordinate.drift -= target.acceleration;
  Row& row = finish(appendRow(coordinate, 1, rows), slot);
  if (rule.kind == Kind::Prescribe) {
    if (rule.compliance > 0) row.stiffness = 1 / rule.compliance;
    return;
  }
  row.equality = false;
  row.stiffness = rule.stiffness;
  row.damping = rule.damping;
  row.lower = -rule.maxForce;
  row.upper = rule.maxForce;
}

// The rows of a joint: what `at` makes of its residuals, velocity rows and coordinates. Rules that are
// active at `time` take part; `signal` gives the value of a rule's target.
template <class At, class SignalAt>
void emitRowsOf(const Mechanism& mechanism, const Control& control, double time, Index index,
                const At& at, const SignalAt& signal, Rows& rows) {
  const MechanismJoint& joint = mechanism.joints[index];
  const JointKind& kind = *joint.kind;
  Index slot = joint.firstSlot;
  const auto own = [&](Row& row) -> Row& {
    row.asker.number = index;
    row.key = slot++;
    row.weight = joint.weight;
    if (joint.compliance > 0) row.stiffness = 1 / joint.compliance;
    return row;
  };
  Range bearing{static_cast<Index>(rows.rows.size()), 0};  // rows that hold points together
  for (int i = 0; i < kind.residualCount; ++i) {
    Row& row = own(appendRow(at.residual(i), 1, rows));
    row.angular = at.residualAngular(i);
    bearing.count += row.angular ? 0 : 1;
  }
  for (int i = 0; i < kind.velocityCount; ++i) {
    Row& row = own(appendRow(at.velocity(i), 1, rows));
    row.velocity = true;
    row.stiffness = kInfinity;  // compliance is of positions
  }
  for (Index r = 0; r < joint.rules.count; ++r, slot += 2) {
    const Index rule = joint.rules.first + r;
    if (!isActive(mechanism, mechanism.rules[rule].active, time)) continue;
    emitRule(mechanism, control, signal(mechanism.rules[rule].target), rule,
             at.coordinate(static_cast<int>(mechanism.rules[rule].coordinate)), slot, bearing,
             rows);
  }
}

// Whether a joint, and all those whose coordinates it couples, hold at a time.
inline bool holdsAt(const Mechanism& mechanism, const Control& control, double time, Index index) {
  const auto holds = [&](Index j) {
    return control.jointOn[j] && isActive(mechanism, mechanism.joints[j].active, time);
  };
  if (!holds(index)) return false;
  const MechanismJoint& joint = mechanism.joints[index];
  for (Index t = 0; t < joint.terms.count; ++t)  // wheels off their axles do not mesh
    if (!holds(mechanism.terms[joint.terms.first + t].joint)) return false;
  return true;
}

}  // namespace tenon
