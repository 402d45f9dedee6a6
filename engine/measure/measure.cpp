// Joint errors, momenta, energy and the hash of a state.
#include <tenon/joint.h>
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>

#include "joints/lift_rows.h"
#include "math/hash.h"

namespace tenon {

namespace {

// Adds up the errors of rows, one by one.
class ErrorSum {
 public:
  void equality(Index joint, double value, bool angular) {
    const double size = std::abs(value);
    if (!std::isfinite(size)) error_.finite = false;  // asked for by name: max() would hide it
    double& largest = angular ? error_.maxRadians : error_.maxMetres;
    largest = std::max(largest, size);
    if (size > error_.max) {
      error_.max = size;
      error_.worst = joint;
    }
    sum_ += size * size;
    ++count_;
  }
  void beyond(Index joint, double by, bool angular) {  // a hard limit
    if (!(by > error_.range)) return;
    error_.range = by;
    error_.rangeAngular = angular;
    error_.worstRange = joint;
  }
  [[nodiscard]] JointError result() {
    error_.rms = count_ > 0 ? std::sqrt(sum_ / count_) : 0;
    return error_;
  }

 private:
  JointError error_;
  double sum_ = 0;
  Index count_ = 0;
};

// Joints of which only residuals and limits count: values say it all, and the derivatives of rows, which cost ten
// times as much, are not needed. They are what a frame of a large scene is measured by.
bool needsNoRows(const Mechanism& mechanism, const MechanismJoint& joint) {
  if (joint.kind->relates != Relates::Frames) return false;
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r)
    if (mechanism.rules[r].kind != CoordinateRule::Kind::Limit) return false;
  return true;
}

void addValues(const Mechanism& mechanism, const Control& control, const State& state, Index index,
               ErrorSum& sum) {
  const MechanismJoint& joint = mechanism.joints[index];
  if (!holdsAt(mechanism, control, state.time, index)) return;
  const JointValues values = jointValues(mechanism, state, index);
  for (int i = 0; i < joint.kind->residualCount; ++i)
    sum.equality(index, values.residual[i], joint.kind->residualAngular[i]);
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r) {
    const MechanismRule& rule = mechanism.rules[r];
    if (rule.compliance > 0 || !isActive(mechanism, rule.active, state.time)) continue;
    const double c = values.coordinate[rule.coordinate];
    const bool angular = joint.kind->coordinates[rule.coordinate].angular;
    if (std::isfinite(rule.lower)) sum.beyond(index, rule.lower - c, angular);
    if (std::isfinite(rule.upper)) sum.beyond(index, c - rule.upper, angular);
  }
}

}  // namespace

JointError jointError(const Mechanism& mechanism, const Control& control, const State& state) {
  Rows buffer;
  return jointError(mechanism, control, state, buffer);
}

JointError jointError(const Mechanism& mechanism, const Control& control, const State& state,
                      Rows& rows) {
  ErrorSum sum;
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    if (needsNoRows(mechanism, mechanism.joints[j])) {
      addValues(mechanism, control, state, j, sum);
      continue;
    }
    rows.clear();
    emitJointRows(mechanism, control, state, j, rows);
    for (const Row& row : rows.rows) {
      if (isHardBound(row)) sum.beyond(j, -row.error, row.angular);
      if (row.equality && !row.velocity) sum.equality(j, row.error, row.angular);
    }
  }
  return sum.result();
}

namespace {

// I ω in world axes: R I_C Rᵀ ω.
Vec3 angularMomentumOf(const MechanismSolid& solid, const Quat& q, const Vec3& spin) {
  return rotate(q, solid.inertia * rotate(conjugate(q), spin));
}

}  // namespace

Momentum momentum(const Mechanism& mechanism, const State& state) {
  Momentum sum;
  for (Index i = 0; i < mechanism.solids.size(); ++i) {
    const MechanismSolid& solid = mechanism.solids[i];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Vec3 p = solid.mass * state.velocity[i];
    sum.linear += p;
    sum.angular +=
        cross(state.position[i], p) + angularMomentumOf(solid, state.orientation[i], state.spin[i]);
  }
  return sum;
}

double kineticEnergy(const Mechanism& mechanism, const State& state) {
  double sum = 0;
  for (Index i = 0; i < mechanism.solids.size(); ++i) {
    const MechanismSolid& solid = mechanism.solids[i];
    if (solid.kind != SolidKind::Dynamic) continue;
    sum += 0.5 * solid.mass * dot(state.velocity[i], state.velocity[i]) +
           0.5 * dot(state.spin[i], angularMomentumOf(solid, state.orientation[i], state.spin[i]));
  }
  for (Index r = 0; r < mechanism.rules.size(); ++r) {  // rotors
    const MechanismRule& rule = mechanism.rules[r];
    if (rule.kind != CoordinateRule::Kind::Armature ||
        !isActive(mechanism, mechanism.joints[rule.joint].active, state.time))
      continue;
    const double rate = rotorRate(mechanism, state, r);
    sum += 0.5 * rule.inertia * rate * rate;
  }
  return sum;
}

std::optional<std::uint64_t> stateHash(const State& state) {
  if (!std::isfinite(state.time)) return std::nullopt;
  Hash hash;
  hash.add(state.time);
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    if (!isFinite(state.position[i]) || !isFinite(state.orientation[i])) return std::nullopt;
    Quat q = state.orientation[i];  // q and -q are the same rotation
    if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
    for (const double x :
         {state.position[i].x, state.position[i].y, state.position[i].z, q.x, q.y, q.z, q.w})
      hash.add(x);
  }
  for (std::size_t i = 0; i < state.velocity.size(); ++i) {
    if (!isFinite(state.velocity[i]) || !isFinite(state.spin[i])) return std::nullopt;
    for (const Vec3& v : {state.velocity[i], state.spin[i]})
      for (const double x : {v.x, v.y, v.z}) hash.add(x);
  }
  return hash.value();
}

}  // namespace tenon
