// Joint errors, momenta, energy and the hash of a state.
#include <tenon/joint.h>
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>

#include "math/hash.h"

namespace tenon {

JointError jointError(const Mechanism& mechanism, const Control& control, const State& state) {
  Rows rows;
  emitRows(mechanism, control, state, rows);
  JointError error;
  double sum = 0;
  Index count = 0;
  for (const Row& row : rows.rows) {
    if (!row.equality && row.lower == 0 && std::isinf(row.stiffness) && -row.error > error.range) {
      error.range = -row.error;
      error.rangeAngular = row.angular;
      error.worstRange = row.joint;
    }
    if (!row.equality || row.velocity) continue;
    const double size = std::abs(row.error);
    if (!std::isfinite(size)) error.finite = false;  // asked for by name: max() would hide it
    double& largest = row.angular ? error.maxRadians : error.maxMetres;
    largest = std::max(largest, size);
    if (size > error.max) {
      error.max = size;
      error.worst = row.joint;
    }
    sum += size * size;
    ++count;
  }
  error.rms = count > 0 ? std::sqrt(sum / count) : 0;
  return error;
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
