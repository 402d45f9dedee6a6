// Values and rows of joints at one state.
#include <algorithm>
#include <cmath>
#include <span>

#include "joints/lift_rows.h"

namespace tenon {

int memoryCount(const JointKind& kind) {
  int count = kind.found;
  for (int c = 0; c < kind.coordinateCount; ++c) count += kind.coordinates[c].periodic ? 1 : 0;
  return count;
}

Index slotCount(const MechanismJoint& joint) {
  return ownSlots(*joint.kind) + 2 * joint.rules.count;
}

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
  if (!holdsAt(mechanism, control, state.time, index)) return;
  const auto signal = [&](const CompiledSignal& s) { return evaluate(mechanism, s, state.time); };
  withAt(mechanism, state, mechanism.joints[index], [&](const auto& at) {
    emitRowsOf(mechanism, control, state.time, index, at, signal, rows);
  });
}

void emitCoordinateRow(const Mechanism& mechanism, const State& state, Index index,
                       Index coordinate, Rows& rows) {
  const MechanismJoint& joint = mechanism.joints[index];
  withJointAt(mechanism, state, joint, 1u << coordinate, [&](const auto& at) {
    Row& row = appendRow(at.coordinate(static_cast<int>(coordinate)), 1, rows);
    row.asker.number = index;
    row.angular = joint.kind->coordinates[coordinate].angular;
  });
}

CoordinateMotion coordinateMotion(const Mechanism& mechanism, const State& state, Index index,
                                  Index coordinate) {
  CoordinateMotion motion;
  withJointAt(mechanism, state, mechanism.joints[index], 1u << coordinate, [&](const auto& at) {
    const auto lifted = at.coordinate(static_cast<int>(coordinate));
    motion = {lifted.value, lifted.rate};
  });
  return motion;
}

Index rotorSlot(const Mechanism& mechanism, Index rule) {
  const MechanismJoint& joint = mechanism.joints[mechanism.rules[rule].joint];
  return joint.firstSlot + ownSlots(*joint.kind) + 2 * (rule - joint.rules.first) + 1;
}

double rotorRate(const Mechanism& mechanism, const State& state, Index rule) {
  const MechanismRule& of = mechanism.rules[rule];
  const double rate = coordinateMotion(mechanism, state, of.joint, of.coordinate).rate;
  // What has been stopped by hand stands still.
  return rate == 0 ? 0 : rate + state.multiplier[rotorSlot(mechanism, rule)];
}

void emitRows(const Mechanism& mechanism, const Control& control, const State& state, Rows& rows) {
  for (Index joint = 0; joint < mechanism.joints.size(); ++joint)
    emitJointRows(mechanism, control, state, joint, rows);
}

void emitRows(const Mechanism& mechanism, const Control& control, const State& state,
              std::span<const double> lambda, Rows& rows, std::vector<StiffnessBlock>& blocks) {
  const auto signal = [&](const CompiledSignal& s) { return evaluate(mechanism, s, state.time); };
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    if (!holdsAt(mechanism, control, state.time, j)) continue;
    const MechanismJoint& joint = mechanism.joints[j];
    const std::span<const double> own = lambda.subspan(joint.firstSlot, slotCount(joint));
    withAt(mechanism, state, joint, [&](const auto& at) {
      emitRowsOf(mechanism, control, state.time, j, at, signal, rows);
      if (pushes(own)) at.addStiffness(own, blocks);
    });
  }
}

bool needsMemory(const Mechanism& mechanism, const MechanismJoint& joint) {
  const JointKind& kind = *joint.kind;
  if (memoryCount(kind) == 0) return false;
  bool asked = kind.found > 0;
  for (int c = 0; c < kind.freeCount; ++c) asked = asked || kind.coordinates[c].periodic;
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r)
    asked = asked || kind.coordinates[mechanism.rules[r].coordinate].periodic;
  return asked;
}

namespace {

Quat relativeTurn(const MechanismJoint& joint, const State& state) {
  const auto frame = [&state](Index solid, const Pose& X) {
    return solid == kWorld ? X.q : state.orientation[solid] * X.q;
  };
  return conjugate(frame(joint.solid1, joint.frame1)) * frame(joint.solid2, joint.frame2);
}

// The angle of a hinge, which is all that it remembers: roughly, for its turns.
double roughHinge(const Quat& q, int axis) {
  const double component[3] = {q.x, q.y, q.z};
  return 2 * roughAngle(component[axis], q.w);
}

// Angles that need no more than the relative turn, roughly: of a hinge; the two of a cardan joint; rotation vector, swing and twist of a
// ball. Those of which
// nothing is known are infinite, so that no bound is far from them.
struct RoughAngles {
  double angle[kMaxCoordinates];
  double turns[2] = {kInfinity, kInfinity};  // what is remembered
};
RoughAngles roughAngles(const MechanismJoint& joint, const State& state) {
  RoughAngles rough;
  std::fill_n(rough.angle, kMaxCoordinates, kInfinity);
  const LockedTurns turns = lockedTurns(joint.kind->locked);
  const int memories = memoryCount(*joint.kind);
  if ((joint.kind->locked & 7u) != 7u || memories == 0) return rough;
  const double known = state.memory[joint.firstMemory];
  if (joint.remembers && std::isnan(known)) return rough;
  const Quat q = relativeTurn(joint, state);
  if (turns.count == 2) {
    rough.turns[0] = rough.angle[0] = unwrap(roughHinge(q, turns.free), known);
  } else if (turns.count == 1) {
    // As turnCoordinate() has them.
    const Mat3 R = rotationMatrix(q);
    const int c = turns.locked, a = (c + 1) % 3, b = (c + 2) % 3;
    const double off[2][2] = {{R(c, b), R(b, b)}, {R(a, c), R(a, a)}};
    for (int k = 0; k < 2; ++k)
      rough.turns[k] = rough.angle[k] =
          unwrap(roughAngle(off[k][0], off[k][1]),
                 state.memory[joint.firstMemory + static_cast<Index>(k)]);
  } else if (turns.count == 0) {
    // The rotation vector comes first; near half a turn it may jump.
    const double size = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    const double angle = 2 * roughAngle(size, std::abs(q.w));
    if (angle < 3) {
      const double scale = size > 0 ? (q.w < 0 ? -angle : angle) / size : 0;
      rough.angle[0] = scale * q.x;
      rough.angle[1] = scale * q.y;
      rough.angle[2] = scale * q.z;
    }
    const double c = std::sqrt(q.x * q.x + q.w * q.w), s = std::sqrt(q.y * q.y + q.z * q.z);
    if (c < 0.1) return rough;  // nearly turned over: the twist means little
    rough.angle[3] = 2 * roughAngle(s, c);
    // medianTwist() of the columns i and j of the rotation.
    const double nx = 2 * c * c, ny = 2 * (q.x * q.y + q.w * q.z), nz = 2 * (q.x * q.z - q.w * q.y);
    const double bx = 2 * (q.x * q.y - q.w * q.z), by = 1 - 2 * (q.x * q.x + q.z * q.z),
                 bz = 2 * (q.y * q.z + q.w * q.x);
    const double n2 = nx * nx + ny * ny + nz * nz;
    const double sine = (nx * bz - nz * bx) * std::sqrt(n2);
    const double cosine = n2 * by - ny * (nx * bx + ny * by + nz * bz);
    rough.turns[0] = rough.angle[4] = unwrap(roughAngle(sine, cosine), known);
  }
  return rough;
}

// Whether the coordinates of rules are well within their bounds.
bool isFar(std::span<const MechanismRule> rules, const RoughAngles& rough) {
  constexpr double kFar = 0.03;  // [rad], more than these are off by
  return std::isfinite(rough.turns[0]) &&
         std::all_of(rules.begin(), rules.end(), [&](const MechanismRule& rule) {
           const double c = rough.angle[rule.coordinate];
           return !isHardLimit(rule) || (c > rule.lower + kFar && c < rule.upper - kFar);
         });
}

void rememberRoughly(const MechanismJoint& joint, const RoughAngles& rough, State& state) {
  std::copy_n(rough.turns, memoryCount(*joint.kind), state.memory.data() + joint.firstMemory);
}
void rememberOutput(const MechanismJoint& joint, const JointOutput<double>& out, State& state) {
  Index memory = joint.firstMemory;
  for (int c = 0; c < joint.kind->coordinateCount; ++c)
    if (joint.kind->coordinates[c].periodic) state.memory[memory++] = out.coordinate[c];
  if (joint.kind->found > 0) state.memory[memory] = out.found;
}

}  // namespace

bool isFarFromLimits(const Mechanism& mechanism, const MechanismJoint& joint, const State& state) {
  return isFar(std::span(mechanism.rules.data() + joint.rules.first, joint.rules.count),
               roughAngles(joint, state));
}

bool rememberWithinLimits(const Mechanism& mechanism, const MechanismJoint& joint, double time,
                          double tolerance, State& state) {
  const std::span rules(mechanism.rules.data() + joint.rules.first, joint.rules.count);
  const bool remembers = joint.remembers && memoryCount(*joint.kind) > 0;
  const RoughAngles rough = roughAngles(joint, state);
  if (isFar(rules, rough)) {
    if (remembers) rememberRoughly(joint, rough, state);
    return true;
  }
  const JointOutput<double> out = plainOutput(mechanism, state, joint);
  for (const MechanismRule& rule : rules) {
    const double c = out.coordinate[rule.coordinate];
    if (isHardLimit(rule) && !(c >= rule.lower - tolerance && c <= rule.upper + tolerance) &&
        isActive(mechanism, rule.active, time))
      return false;
  }
  if (remembers) rememberOutput(joint, out, state);
  return true;
}

void rememberTurns(const Mechanism& mechanism, const MechanismJoint& joint, State& state) {
  const RoughAngles rough = roughAngles(joint, state);
  if (std::isfinite(rough.turns[0]))
    rememberRoughly(joint, rough, state);
  else
    rememberOutput(joint, plainOutput(mechanism, state, joint), state);
}

void rememberTurns(const Mechanism& mechanism, State& state) {
  for (const MechanismJoint& joint : mechanism.joints)
    if (joint.remembers && memoryCount(*joint.kind) > 0) rememberTurns(mechanism, joint, state);
}

}  // namespace tenon
