// Rows of joints and of the rules on their coordinates, from the lifted functions.
#include "joints/lift.h"

#include <cassert>
#include <cmath>

namespace tenon {

namespace {

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
void emitRule(const Mechanism& mechanism, const Control& control, const State& state, Index index,
              LiftedOf<N> coordinate, Index slot, const Range& bearing, Rows& rows) {
  using Kind = CoordinateRule::Kind;
  const MechanismRule& rule = mechanism.rules[index];
  const MechanismJoint& joint = mechanism.joints[rule.joint];
  const auto finish = [&](Row& row, Index rowSlot) -> Row& {
    row.joint = rule.joint;
    row.slot = rowSlot;
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

  const SignalValue s = evaluate(mechanism, rule.target, state.time);
  coordinate.value -= s.value + control.target[index];
  coordinate.timeRate -= s.rate;
  coordinate.rate -= s.rate;
  coordinate.drift -= s.acceleration;
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

template <class At>
void emitRowsOf(const Mechanism& mechanism, const Control& control, const State& state, Index index,
                const At& at, Rows& rows) {
  const MechanismJoint& joint = mechanism.joints[index];
  const JointKind& kind = *joint.kind;
  Index slot = joint.firstSlot;
  const auto own = [&](Row& row) -> Row& {
    row.joint = index;
    row.slot = slot++;
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
  for (int i = 0; i < kind.velocityCount; ++i)
    own(appendRow(at.velocity(i), 1, rows)).velocity = true;
  for (Index r = 0; r < joint.rules.count; ++r, slot += 2) {
    const Index rule = joint.rules.first + r;
    if (!isActive(mechanism, mechanism.rules[rule].active, state.time)) continue;
    emitRule(mechanism, control, state, rule,
             at.coordinate(static_cast<int>(mechanism.rules[rule].coordinate)), slot, bearing,
             rows);
  }
}

}  // namespace

int memoryCount(const JointKind& kind) {
  int count = kind.found;
  for (int c = 0; c < kind.coordinateCount; ++c) count += kind.coordinates[c].periodic ? 1 : 0;
  return count;
}

Index slotCount(const MechanismJoint& joint) {
  return static_cast<Index>(joint.kind->residualCount + joint.kind->velocityCount) +
         2 * joint.rules.count;
}

namespace {

JointOutput<double> plainOutput(const Mechanism& mechanism, const State& state,
                                const MechanismJoint& joint) {
  JointOutput<double> out{};
  if (joint.kind->relates == Relates::Points) {
    PointsInput<double> in;
    in.options = optionsOf(mechanism, joint);
    in.memory = memoryOf(state, joint);
    for (int k = 0; k < kPoints; ++k) {
      const MechanismPoint& point = mechanism.points[joint.points.first + static_cast<Index>(k)];
      const Vec3 x = transform(motionOf(mechanism, state, point.solid).X_WC, point.point);
      for (int i = 0; i < 3; ++i) in.x[k][i] = x[i];
    }
    joint.kind->pointValues(*joint.kind, in, out);
  } else {
    const JointFrames frames = framesOf(mechanism, state, joint);
    joint.kind->values(*joint.kind, plainInput(mechanism, state, joint, frames), out);
  }
  return out;
}

}  // namespace

JointValues jointValues(const Mechanism& mechanism, const State& state, Index index) {
  const MechanismJoint& joint = mechanism.joints[index];
  JointValues values;
  if (joint.kind->relates == Relates::Coordinates) {
    values.residual[0] = -mechanism.options[joint.options.first];
    for (Index t = 0; t < joint.terms.count; ++t) {
      const MechanismTerm& term = mechanism.terms[joint.terms.first + t];
      values.residual[0] +=
          term.factor *
          plainOutput(mechanism, state, mechanism.joints[term.joint]).coordinate[term.coordinate];
    }
    return values;
  }
  const JointOutput<double> out = plainOutput(mechanism, state, joint);
  for (int i = 0; i < joint.kind->residualCount; ++i) values.residual[i] = out.residual[i];
  for (int i = 0; i < joint.kind->coordinateCount; ++i) values.coordinate[i] = out.coordinate[i];
  return values;
}

void emitJointRows(const Mechanism& mechanism, const Control& control, const State& state,
                   Index index, Rows& rows) {
  const MechanismJoint& joint = mechanism.joints[index];
  const auto holds = [&](Index j) {
    return control.jointOn[j] && isActive(mechanism, mechanism.joints[j].active, state.time);
  };
  if (!holds(index)) return;
  for (Index t = 0; t < joint.terms.count; ++t)  // wheels off their axles do not mesh
    if (!holds(mechanism.terms[joint.terms.first + t].joint)) return;
  withAt(mechanism, state, joint,
         [&](const auto& at) { emitRowsOf(mechanism, control, state, index, at, rows); });
}

void emitCoordinateRow(const Mechanism& mechanism, const State& state, Index index,
                       Index coordinate, Rows& rows) {
  const MechanismJoint& joint = mechanism.joints[index];
  withJointAt(mechanism, state, joint, true, [&](const auto& at) {
    Row& row = appendRow(at.coordinate(static_cast<int>(coordinate)), 1, rows);
    row.joint = index;
    row.angular = joint.kind->coordinates[coordinate].angular;
  });
}

void emitRows(const Mechanism& mechanism, const Control& control, const State& state, Rows& rows) {
  for (Index joint = 0; joint < mechanism.joints.size(); ++joint)
    emitJointRows(mechanism, control, state, joint, rows);
}

void rememberTurns(const Mechanism& mechanism, State& state) {
  for (const MechanismJoint& joint : mechanism.joints) {
    if (memoryCount(*joint.kind) == 0) continue;
    const JointOutput<double> out = plainOutput(mechanism, state, joint);
    Index memory = joint.firstMemory;
    for (int c = 0; c < joint.kind->coordinateCount; ++c)
      if (joint.kind->coordinates[c].periodic) state.memory[memory++] = out.coordinate[c];
    if (joint.kind->found > 0) state.memory[memory] = out.found;
  }
}

}  // namespace tenon
