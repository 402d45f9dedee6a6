#include "methods/verbs.h"

#include <tenon/loads.h>

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

namespace tenon {

namespace {

bool isFree(const Mechanism& m, Index solid) { return m.solids[solid].kind == SolidKind::Dynamic; }

}  // namespace

double softForce(const Row& row, double mobility, double carried, double dt) {
  BoundedRow bounded = boundedRow(row, carried, 1);
  if (row.velocity) {
    bounded.off = row.rate;
    bounded.mobility = mobility * dt;
    return mobility > 0 ? projected(bounded) : 0;
  }
  if (isOneSided(row) && !comesToHold(row.error)) return 0;  // inside its range
  bounded.push = -row.stiffness * row.error - row.damping * row.rate;
  return projected(bounded);
}

bool holds(const Row& row) { return row.equality || isHardBound(row); }

namespace {

// Rows that hold at the state, into buffers.rows; bounds take part where they are passed.
void gatherHolding(const Mechanism& m, const Control& control, const State& state,
                   StepScratch::Buffers& buffers) {
  buffers.clock.lap(Stage::Move);
  buffers.emitted.clear();
  emitRows(m, control, state, buffers.emitted);
  buffers.rows.clear();
  buffers.rows.blocks = buffers.emitted.blocks;  // soft rows still need theirs
  buffers.used.clear();
  for (const Row& row : buffers.emitted.rows) {
    const bool rotor = row.inertia > 0;
    if (!holds(row) && !rotor) continue;
    buffers.rows.rows.push_back(row);
    buffers.used.push_back(row.equality || rotor || comesToHold(row.error));
  }
  buffers.b.assign(buffers.rows.rows.size(), 0);
  buffers.clock.lap(Stage::Rows);
}

// The mobility of friction on a coordinate that rotors turn with, too.
double withRotors(const Mechanism& m, const Row& row, double mobility) {
  if (row.rule == kWorld) return mobility;
  const MechanismRule& rule = m.rules[row.rule];
  const Range& rules = m.joints[rule.joint].rules;
  for (Index r = rules.first; r < rules.first + rules.count; ++r)
    if (m.rules[r].kind == CoordinateRule::Kind::Armature &&
        m.rules[r].coordinate == rule.coordinate)
      mobility /= 1 + m.rules[r].inertia * mobility;
  return mobility;
}

}  // namespace

double along(const Rows& rows, const Row& row, const std::vector<Six>& motion) {
  double sum = 0;
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
    for (std::size_t i = 0; i < 6; ++i)
      sum += rows.blocks[b].J[i] * motion[rows.blocks[b].solid][i];
  return sum;
}

double mobilityOf(const Mechanism& m, const State& state, const Rows& rows, const Row& row) {
  double sum = 0;
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
    const RowBlock& block = rows.blocks[b];
    if (!isFree(m, block.solid)) continue;
    const MechanismSolid& solid = m.solids[block.solid];
    const Vec3 force{block.J[0], block.J[1], block.J[2]},
        torque{block.J[3], block.J[4], block.J[5]};
    const Vec3 body = rotate(conjugate(state.orientation[block.solid]), torque);
    sum += solid.inverseMass * dot(force, force) + dot(body, solid.inverseInertia * body);
  }
  return sum;
}

void push(const Mechanism& m, const State& state, const Rows& rows, const Row& row, double lambda,
          std::vector<Six>& motion) {
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
    const RowBlock& block = rows.blocks[b];
    if (!isFree(m, block.solid)) continue;
    const MechanismSolid& solid = m.solids[block.solid];
    const Quat& q = state.orientation[block.solid];
    const Vec3 turn = rotate(
        q, solid.inverseInertia * rotate(conjugate(q), Vec3{block.J[3], block.J[4], block.J[5]}));
    Six& d = motion[block.solid];
    for (std::size_t i = 0; i < 3; ++i) {
      d[i] += lambda * solid.inverseMass * block.J[i];
      d[3 + i] += lambda * turn[static_cast<int>(i)];
    }
  }
}

void accelerate(const Mechanism& m, const State& state, StepScratch::Buffers& buffers) {
  buffers.free.assign(m.solids.size(), Six{});
  for (Index s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Vec3 a = solid.inverseMass * buffers.wrenches[s].force;
    // I ω̇ = τ - ω × I ω, in body axes.
    const Quat& q = state.orientation[s];
    const Vec3 w = rotate(conjugate(q), state.spin[s]);
    const Vec3 torque = rotate(conjugate(q), buffers.wrenches[s].torque);
    const Vec3 turn = rotate(q, solid.inverseInertia * (torque - cross(w, solid.inertia * w)));
    buffers.free[s] = {a.x, a.y, a.z, turn.x, turn.y, turn.z};
  }
}

void freeAcceleration(const Mechanism& m, const Control& control, const State& state, double dt,
                      StepScratch::Buffers& buffers) {
  buffers.clock.lap(Stage::Move);
  gatherLoads(m, control, state, buffers.wrenches);
  buffers.clock.lap(Stage::Loads);
  gatherHolding(m, control, state, buffers);
  const Rows& all = buffers.emitted;
  for (const Row& row : all.rows) {
    if (holds(row)) continue;
    const double carried = carriedBy(
        row, [&](Index i) { return state.multiplier[all.rows[i].key]; });  // in the step before
    const double mobility = row.velocity ? withRotors(m, row, mobilityOf(m, state, all, row)) : 0;
    const double force = softForce(row, mobility, carried, dt);
    if (force == 0) continue;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = all.blocks[b];
      buffers.wrenches[block.solid].force += force * Vec3{block.J[0], block.J[1], block.J[2]};
      buffers.wrenches[block.solid].torque += force * Vec3{block.J[3], block.J[4], block.J[5]};
    }
  }
  accelerate(m, state, buffers);
  buffers.clock.lap(Stage::Loads);
}

void solveRows(const Mechanism& m, const StepSettings& settings, const State& state,
               StepScratch::Buffers& buffers, StepReport& report, bool increments) {
  const std::size_t n = buffers.rows.rows.size();
  buffers.clock.lap(Stage::Rows);
  for (int pass = 0; pass < 4; ++pass) {
    buffers.system.load(m, state, buffers.rows, buffers.used);
    buffers.compliance.assign(n, 0);
    for (std::size_t r = 0; r < n; ++r) {
      const double mobility = buffers.system.mobility(r), inertia = buffers.rows.rows[r].inertia;
      buffers.compliance[r] = inertia > 0 ? 1 / inertia : mobility > 0 ? 1e-10 * mobility : 1;
    }
    LinearBudget budget{settings.linear.solver, settings.linear.iterations,
                        settings.linear.tolerance, settings.norm};
    budget.clock = &buffers.clock;
    buffers.clock.lap(Stage::Matrix);
    const LinearReport linear = buffers.system.solve({}, buffers.compliance, buffers.b, budget,
                                                     buffers.lambda, buffers.correction);
    buffers.clock.lap(Stage::Solve);
    report.linearIterations += linear.iterations;
    report.finite = report.finite && linear.finite;
    if (buffers.ranks.isOn() && isDirect(settings.linear.solver))
      buffers.ranks.see(
          n, [&](std::size_t r) { return buffers.rows.rows[r].key; },
          [&](std::size_t r) { return buffers.system.pivotPart(r); });
    bool pulls = false;
    for (std::size_t r = 0; r < n && !increments; ++r)
      if (const Row& row = buffers.rows.rows[r];
          buffers.used[r] && isHardBound(row) && !goesOnHolding(buffers.lambda[r])) {
        buffers.used[r] = false;
        pulls = true;
      }
    if (!pulls || !linear.finite) return;
  }
}

void rememberMultipliers(const StepScratch::Buffers& buffers, double scale, State& state) {
  std::fill(state.multiplier.begin(), state.multiplier.end(), 0.0);
  for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r)
    state.multiplier[buffers.rows.rows[r].key] = scale * buffers.lambda[r];
}

void jointAcceleration(const Mechanism& m, const Control& control, const StepSettings& settings,
                       const State& state, double dt, double alpha, double beta,
                       StepScratch::Buffers& buffers, StepReport& report) {
  freeAcceleration(m, control, state, dt, buffers);
  for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r) {
    const Row& row = buffers.rows.rows[r];
    buffers.b[r] = -(along(buffers.rows, row, buffers.free) + row.drift);
    if (row.inertia > 0) continue;
    // A velocity row is one derivative short: its feedback is of first order.
    buffers.b[r] = buffers.b[r] - (row.velocity ? alpha : 2 * alpha) * row.rate -
                   (row.velocity ? 0 : beta * beta * row.error);
  }
  solveRows(m, settings, state, buffers, report);
  buffers.acceleration = buffers.free;
  for (std::size_t s = 0; s < buffers.acceleration.size(); ++s)
    for (std::size_t i = 0; i < 6; ++i) buffers.acceleration[s][i] += buffers.correction[s][i];
}

void correctPositions(const Mechanism& m, const Control& control, const StepSettings& settings,
                      State& state, StepScratch::Buffers& buffers, StepReport& report) {
  const int most = settings.iterations > 0 ? settings.iterations : 30;
  buffers.reached.assign(m.slots, false);
  for (int k = 0;; ++k) {
    gatherHolding(m, control, state, buffers);
    double error = 0;
    for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r) {
      const Row& row = buffers.rows.rows[r];
      if (row.velocity) buffers.used[r] = false;
      if (!buffers.used[r] || row.inertia > 0) continue;
      if (!row.equality) buffers.reached[row.key] = true;
      buffers.b[r] = -row.error;
      error = std::max(error, std::abs(row.error));
      if (!std::isfinite(row.error)) report.finite = false;
    }
    if (!report.finite) return;
    if (error <= settings.tolerance) return;
    if (k == most) {
      report.converged = settings.iterations > 0;  // as many as were asked for
      return;
    }
    solveRows(m, settings, state, buffers, report);
    ++report.iterations;
    for (Index s = 0; s < m.solids.size(); ++s) {
      if (!isFree(m, s)) continue;
      const Six& d = buffers.correction[s];
      state.position[s] += Vec3{d[0], d[1], d[2]};
      Vec3 turn{d[3], d[4], d[5]};
      const double angle = norm(turn);
      if (angle > settings.truncation) turn = (settings.truncation / angle) * turn;
      if (angle > 0) state.orientation[s] = normalized(exponential(turn) * state.orientation[s]);
    }
  }
}

void correctVelocities(const Mechanism& m, const Control& control, const StepSettings& settings,
                       State& state, StepScratch::Buffers& buffers, StepReport& report) {
  gatherHolding(m, control, state, buffers);
  for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r) {
    const Row& row = buffers.rows.rows[r];
    if (row.inertia > 0) continue;
    // A bound that positions had to be put back to stops what ran into it, though the correction, being
    // linear, may have put them well inside.
    if (!row.equality) buffers.used[r] = buffers.reached[row.key] && comesToHold(row.rate);
    buffers.b[r] = -row.rate;
  }
  solveRows(m, settings, state, buffers, report);
  moveVelocities(m, 1, buffers.correction, state);
}

void movePositions(const Mechanism& m, double dt, State& state) {
  for (Index s = 0; s < m.solids.size(); ++s) {
    if (!isFree(m, s)) continue;
    state.position[s] += dt * state.velocity[s];
    if (!m.solids[s].pointMass)
      state.orientation[s] = normalized(exponential(dt * state.spin[s]) * state.orientation[s]);
  }
}

void moveVelocities(const Mechanism& m, double dt, const std::vector<Six>& acceleration,
                    State& state) {
  for (Index s = 0; s < m.solids.size(); ++s) {
    if (!isFree(m, s)) continue;
    const Six& a = acceleration[s];
    state.velocity[s] += dt * Vec3{a[0], a[1], a[2]};
    state.spin[s] += dt * Vec3{a[3], a[4], a[5]};
  }
}

void velocitiesFromDisplacements(const Mechanism& m, double dt, const State& start, State& state) {
  for (Index s = 0; s < m.solids.size(); ++s) {
    if (!isFree(m, s)) continue;
    state.velocity[s] = (1 / dt) * (state.position[s] - start.position[s]);
    if (!m.solids[s].pointMass)
      state.spin[s] = (1 / dt) * logarithm(state.orientation[s] * conjugate(start.orientation[s]));
  }
}

void moveByRk4(const Mechanism& m, const Control& control, const StepSettings& settings, double dt,
               double alpha, double beta, State& state, StepScratch::Buffers& buffers,
               StepReport& report) {
  static constexpr double kAt[4] = {0, 0.5, 0.5, 1},
                          kWeight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  buffers.start = state;
  const State& start = buffers.start;
  const std::size_t n = m.solids.size();
  // q̇ = ½ (ω, 0) q as four numbers, normalised where it is used.
  const auto turning = [](const Vec3& w, const Quat& q) {
    return Quat{w.x / 2, w.y / 2, w.z / 2, 0} * q;
  };
  for (std::size_t k = 0; k < 4; ++k) {
    State& at = buffers.stage;
    at = start;
    at.time = start.time + kAt[k] * dt;
    if (k > 0) {
      for (Index s = 0; s < n; ++s) {
        if (!isFree(m, s)) continue;
        const double h = kAt[k] * dt;
        const Six &a = buffers.slope[k - 1][s], &v = buffers.rate[k - 1][s];
        at.position[s] += h * Vec3{v[0], v[1], v[2]};
        const Quat& d = buffers.turning[k - 1][s];
        const Quat& q = start.orientation[s];
        at.orientation[s] =
            normalized(Quat{q.x + h * d.x, q.y + h * d.y, q.z + h * d.z, q.w + h * d.w});
        at.velocity[s] += h * Vec3{a[0], a[1], a[2]};
        at.spin[s] += h * Vec3{a[3], a[4], a[5]};
      }
    }
    followPaths(m, at);
    jointAcceleration(m, control, settings, at, dt, alpha, beta, buffers, report);
    if (!report.finite) return;
    if (k == 0) rememberMultipliers(buffers, 1, state);
    buffers.slope[k] = buffers.acceleration;
    buffers.rate[k].assign(n, Six{});
    buffers.turning[k].assign(n, Quat{});
    for (Index s = 0; s < n; ++s) {
      const Vec3& v = at.velocity[s];
      buffers.rate[k][s] = {v.x, v.y, v.z, 0, 0, 0};
      buffers.turning[k][s] = turning(at.spin[s], at.orientation[s]);
    }
  }
  for (Index s = 0; s < n; ++s) {
    if (!isFree(m, s)) continue;
    Quat q = start.orientation[s];
    for (std::size_t k = 0; k < 4; ++k) {
      const double h = kWeight[k] * dt;
      const Six &a = buffers.slope[k][s], &v = buffers.rate[k][s];
      const Quat& d = buffers.turning[k][s];
      state.position[s] += h * Vec3{v[0], v[1], v[2]};
      state.velocity[s] += h * Vec3{a[0], a[1], a[2]};
      state.spin[s] += h * Vec3{a[3], a[4], a[5]};
      q = {q.x + h * d.x, q.y + h * d.y, q.z + h * d.z, q.w + h * d.w};
    }
    if (!m.solids[s].pointMass) state.orientation[s] = normalized(q);
  }
}

}  // namespace tenon
