// Shake: displacement constraints with the Jacobian of the step's start, and rotations by the discrete
// Euler equations of Moser and Veselov: symplectic, so that energy stays in a band instead of running
// away.                                          [Ryckaert1977, MoserVeselov1991]
//
//   v⁺ = v + dt M⁻¹ (f + J(q)ᵀ λ),   x' = x + dt v⁺
//   Π⁺ = Π + dt (τ + J(q)ᵀ λ)        body momentum, in body axes
//   dt Π⁺/2 = c I u + u × I u,        q' = q (u, c),   c = √(1 - |u|²)
//   dt Π'/2 = c I u - u × I u        in the axes of q'
// with λ such that Φ(q') = 0; of rotors dt λ = -I ((c' - c)/dt - ċ), ċ being that of the step before; what is kept between steps is v⁺ and Π', as the spin I⁻¹ Π'.
#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/verbs.h"

namespace tenon {

namespace {

// u of the equation above by Newton's method. False if the turn is too large for the step.
bool stepRotation(const Mat3& I, const Mat3& inverseI, const Vec3& h, Vec3& u) {
  u = inverseI * h;
  for (int k = 0; k < 30; ++k) {
    const double c2 = 1 - dot(u, u);
    if (!(c2 > 0.1)) return false;  // more than 143° in a step
    const double c = std::sqrt(c2);
    const Vec3 Iu = I * u;
    const Vec3 off = c * Iu + cross(u, Iu) - h;
    if (norm(off) <= 1e-15 * (norm(h) + 1e-300)) return true;
    // d(c I u) = c I - I u uᵀ/c,  d(u × I u) = [u]ₓ I - [I u]ₓ
    const Mat3 slope = c * I - (1 / c) * outer(Iu, u) + skew(u) * I - skew(Iu);
    const Vec3 next = u - inverse(slope) * off;
    if (next == u) return true;
    u = next;
  }
  return true;
}

}  // namespace

void stepByShake(const Mechanism& m, const Control& control, const StepSettings& settings,
                 double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  Rotors::recall(m, buffers.before, state);
  buffers.start = state;
  const State& start = buffers.start;
  // Momenta after the loads; the discrete equations bring their own gyroscopic torque.
  freeAcceleration(m, control, state, dt, buffers);
  const std::size_t n = m.solids.size();
  std::vector<Six>& momentum = buffers.acceleration;  // velocity, body momentum
  momentum.assign(n, Six{});
  for (Index s = 0; s < n; ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Quat back = conjugate(start.orientation[s]);
    const Vec3 v = start.velocity[s] + (dt * solid.inverseMass) * buffers.wrenches[s].force;
    const Vec3 p =
        solid.inertia * rotate(back, start.spin[s]) + dt * rotate(back, buffers.wrenches[s].torque);
    momentum[s] = {v.x, v.y, v.z, p.x, p.y, p.z};
  }
  // Rows of the start: bounds take part if they are violated there.
  buffers.directions = buffers.rows;
  buffers.held = buffers.used;
  for (std::size_t r = 0; r < buffers.directions.rows.size(); ++r)
    if (buffers.directions.rows[r].velocity) buffers.held[r] = false;
  buffers.rotors.begin(m, start);
  buffers.total.assign(buffers.directions.rows.size(), 0);  // dt λ so far, of rotors
  const int most = settings.iterations > 0 ? settings.iterations : 60;
  for (int k = 0;; ++k) {
    for (Index s = 0; s < n; ++s) {
      const MechanismSolid& solid = m.solids[s];
      if (solid.kind != SolidKind::Dynamic) continue;
      const Six& p = momentum[s];
      state.velocity[s] = {p[0], p[1], p[2]};
      state.position[s] = start.position[s] + dt * state.velocity[s];
      if (solid.pointMass) continue;
      Vec3 u;
      if (!stepRotation(solid.inertia, solid.inverseInertia, (0.5 * dt) * Vec3{p[3], p[4], p[5]},
                        u)) {
        report.finite = false;
        return;
      }
      const double c = std::sqrt(1 - dot(u, u));
      state.orientation[s] = normalized(start.orientation[s] * Quat{u.x, u.y, u.z, c});
      const Vec3 Iu = solid.inertia * u;
      const Vec3 body = (2 / dt) * (c * Iu - cross(u, Iu));
      state.spin[s] = rotate(state.orientation[s], solid.inverseInertia * body);
    }
    state.time = start.time + dt;
    followPaths(m, state);
    // Errors at the end, of the rows of the start. Keys rise in both lists.
    buffers.emitted.clear();
    emitRows(m, control, state, buffers.emitted);
    double error = 0;
    std::size_t r = 0;
    buffers.b.assign(buffers.directions.rows.size(), 0);
    for (const Row& row : buffers.emitted.rows) {
      while (r < buffers.directions.rows.size() && buffers.directions.rows[r].key < row.key) ++r;
      if (r == buffers.directions.rows.size()) break;
      if (buffers.directions.rows[r].key != row.key || !buffers.held[r]) continue;
      const double off = row.inertia > 0
                             ? buffers.rotors.ahead(row, dt) + dt * buffers.total[r] / row.inertia
                             : row.error;
      buffers.b[r] = -off / dt;
      error = std::max(error, std::abs(off));
      if (!std::isfinite(off)) report.finite = false;
    }
    if (!report.finite) return;
    const bool good = error <= settings.tolerance;
    if (good || k == most) {
      report.converged = good || settings.iterations > 0;
      buffers.rotors.end(control, false, dt, state);
      return;
    }
    std::swap(buffers.rows, buffers.directions);
    buffers.used = buffers.held;
    solveRows(m, settings, start, buffers, report, true);
    std::swap(buffers.rows, buffers.directions);
    for (std::size_t row = 0; row < buffers.total.size(); ++row)
      buffers.total[row] += buffers.lambda[row];
    ++report.iterations;
    for (Index s = 0; s < n; ++s) {
      const MechanismSolid& solid = m.solids[s];
      if (solid.kind != SolidKind::Dynamic) continue;
      const Six& d = buffers.correction[s];  // M⁻¹ Jᵀ λ: a change of velocities
      const Vec3 p =
          solid.inertia * rotate(conjugate(start.orientation[s]), Vec3{d[3], d[4], d[5]});
      for (std::size_t i = 0; i < 3; ++i) {
        momentum[s][i] += d[i];
        momentum[s][3 + i] += p[static_cast<int>(i)];
      }
    }
  }
}

}  // namespace tenon
