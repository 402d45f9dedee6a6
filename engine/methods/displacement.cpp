// Faure's dynamics: the solids move on as if they were free, then positions are put right, and what they
// have moved by is their velocity.                                            [Faure1998 §4.2, fig. 4]
//   Δq += M⁻¹ f dt²,  q += Δq,  δq = correction(q),  q += δq,  Δq += δq,      Δq = v dt
// As the state holds v = Δq/dt, a step of another length finds Δq scaled by dt/dt', as it should. [§4.3]
//
// He knows equalities. Other rows ask for a displacement too, with multipliers λ dt² that have bounds:
//   hard       Φ + J δ = 0                                          limits: λ >= 0
//   velocity   J (Δq + δ) + Φ_t dt = 0                              rolling; friction: |λ| <= F + µ |λ_load|
//   soft       λ = -k (Φ + J δ) - c (J (Δq + δ)/dt + Φ_t)           springs, drives: |λ| <= F
//   rotor      λ dt² = -I (Φ + J δ - Φ_0 - Δ), Δ what it moved by in the step before: armatures
// Soft rows thereby are implicit. A row takes part while λ - gap/(J M⁻¹ Jᵀ) lies within its bounds (solve/bounds.h);
// else it pushes with its bound, and is solved for again later.                     [Hintermüller2002]
//
// Settings for what he left for later (§4.2, §5): `accelerate` has the joints correct the accelerations
// before anything moves, J v̇ + drift = 0, which leaves errors of O(dt³) instead of O(dt²) to put right;
// `guess` starts iterative solvers from the multipliers of the step before; `weighted` multiplies rows
// by their weights, which changes no solution, but which errors an iterative solver takes out first.
#include <tenon/loads.h>
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>

#include "math/rotation.h"
#include "methods/verbs.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

double weightOf(const StepSettings& settings, const Row& row) {
  return settings.displacement.weighted && row.weight > 0 ? row.weight : 1;
}

// Loads the rows of buffers.emitted into the system, times their weights.
void loadRows(const Mechanism& m, const StepSettings& settings, const State& state,
              StepScratch::Buffers& buffers) {
  Rows& rows = buffers.rows;
  rows = buffers.emitted;
  for (const Row& row : rows.rows) {
    const double w = weightOf(settings, row);
    if (w != 1)
      for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
        for (double& J : rows.blocks[b].J) J *= w;
  }
  buffers.used.assign(rows.rows.size(), false);
  buffers.clock.lap(Stage::Rows);
  buffers.system.load(m, state, rows, buffers.used);
  buffers.clock.lap(Stage::Matrix);
}

// J M⁻¹ Jᵀ of a row without its weight.
double mobilityOf(const StepSettings& settings, const StepScratch::Buffers& buffers,
                  std::size_t r) {
  const double w = weightOf(settings, buffers.emitted.rows[r]);
  return buffers.system.mobility(r) / (w * w);
}

// Solves J δ + softness λ = b of the rows in use, all without their weights; λ into buffers.lambda, from
// the guess that is there.
void solve(const StepSettings& settings, bool guessed, StepScratch::Buffers& buffers,
           StepReport& report) {
  const std::vector<Row>& rows = buffers.emitted.rows;
  buffers.clock.lap(Stage::Rows);
  buffers.system.use(buffers.used);
  buffers.compliance.assign(rows.size(), 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double w = weightOf(settings, rows[r]), mobility = buffers.system.mobility(r);
    // Redundant rows need a trace of compliance.
    buffers.compliance[r] = std::max(w * w * buffers.softness[r], 1e-10 * mobility);
    buffers.b[r] *= w;
    if (guessed) buffers.lambda[r] /= w;
  }
  LinearBudget budget{settings.linear.solver, settings.linear.iterations, settings.linear.tolerance,
                      settings.norm};
  budget.guessed = guessed;
  budget.clock = &buffers.clock;
  buffers.clock.lap(Stage::Matrix);
  const LinearReport linear = buffers.system.solve({}, buffers.compliance, buffers.b, budget,
                                                   buffers.lambda, buffers.correction);
  buffers.clock.lap(Stage::Solve);
  for (std::size_t r = 0; r < rows.size(); ++r) buffers.lambda[r] *= weightOf(settings, rows[r]);
  report.linearIterations += linear.iterations;
  report.finite = report.finite && linear.finite;
}

// Accelerations that the joints allow, into buffers.free: J v̇ + drift = 0 of the rows that always hold.
void correctAccelerations(const Mechanism& m, const Control& control, const StepSettings& settings,
                          State& state, StepScratch::Buffers& buffers, StepReport& report) {
  buffers.emitted.clear();
  emitRows(m, control, state, buffers.emitted);
  const std::vector<Row>& rows = buffers.emitted.rows;
  loadRows(m, settings, state, buffers);
  buffers.b.assign(rows.size(), 0);
  buffers.softness.assign(rows.size(), 0);
  buffers.lambda.assign(rows.size(), 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const bool rotor = rows[r].inertia > 0;
    buffers.used[r] = (rotor || (rows[r].equality && std::isinf(rows[r].stiffness))) &&
                      buffers.system.mobility(r) > 0;
    if (rotor) buffers.softness[r] = 1 / rows[r].inertia;
    buffers.b[r] = -along(buffers.emitted, rows[r], buffers.free) - rows[r].drift;
    if (settings.displacement.guess) buffers.lambda[r] = state.multiplier[rows[r].key];
  }
  solve(settings, settings.displacement.guess, buffers, report);
  for (std::size_t r = 0; r < rows.size(); ++r)
    state.multiplier[rows[r].key] = buffers.used[r] ? buffers.lambda[r] : 0;
  for (std::size_t s = 0; s < buffers.free.size(); ++s)
    for (std::size_t i = 0; i < 6; ++i) buffers.free[s][i] += buffers.correction[s][i];
}

// Δq since `start`, of all solids.
void measureTravel(const State& start, const State& state, std::vector<Six>& travel) {
  travel.resize(state.position.size());
  for (std::size_t s = 0; s < travel.size(); ++s) {
    const Vec3 d = state.position[s] - start.position[s];
    const Vec3 turn = logarithm(state.orientation[s] * conjugate(start.orientation[s]));
    travel[s] = {d.x, d.y, d.z, turn.x, turn.y, turn.z};
  }
}

// Gaps, bounds and who takes part, of the rows at the state. Returns the largest gap that is to be closed;
// of a row at its bound, by how much its push falls short, in the same units.
double judge(const StepSettings& settings, double dt, StepScratch::Buffers& buffers) {
  const Rows& all = buffers.emitted;
  const double dt2 = dt * dt;
  const std::size_t n = all.rows.size();
  buffers.gap.assign(n, 0);
  buffers.bounded.assign(n, {});
  buffers.softness.assign(n, 0);
  buffers.aim = buffers.total;
  double largest = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const Row& row = all.rows[r];
    double &gap = buffers.gap[r], &softness = buffers.softness[r];
    const double total = buffers.total[r];
    const double mobility = mobilityOf(settings, buffers, r);
    buffers.used[r] = false;
    if (!(mobility > 0)) continue;
    if (row.velocity) {
      gap = along(all, row, buffers.travel) + dt * row.timeRate;
    } else if (std::isinf(row.stiffness)) {
      gap = row.error;
    } else if (row.inertia > 0) {
      softness = 1 / row.inertia;
      gap = softness * total + buffers.rotors.ahead(row, dt);
    } else {
      const double stiff = dt2 * row.stiffness, damp = dt * row.damping;
      if (!(stiff + damp > 0)) continue;
      if (isOneSided(row) && !comesToHold(row.error) && !(total > 0)) continue;  // inside its range
      softness = 1 / (stiff + damp);
      gap = softness * (total + stiff * row.error +
                        damp * (along(all, row, buffers.travel) + dt * row.timeRate));
    }
    BoundedRow& bounded = buffers.bounded[r];
    bounded = boundedRow(row, carriedBy(row, [&](Index i) { return buffers.total[i]; }), dt2);
    bounded.push = total;
    bounded.off = gap;
    bounded.mobility = mobility + softness;
    buffers.aim[r] = projected(bounded);
    buffers.used[r] = boundedBy(bounded) == Bounded::Inside;
    const double off = residualOf(bounded);
    if (!std::isfinite(off)) return off;
    largest = std::max(largest, std::abs(off));
  }
  return largest;
}

// One linear solve for the gaps; rows that would pass a bound push with it instead. The motion into
// buffers.correction.
void closeGaps(const Mechanism& m, const StepSettings& settings, const State& state, bool guess,
               StepScratch::Buffers& buffers, StepReport& report) {
  const Rows& all = buffers.emitted;
  const std::size_t n = all.rows.size();
  for (bool bounded = true; bounded;) {
    buffers.pushed.assign(m.solids.size(), Six{});
    for (std::size_t r = 0; r < n; ++r)
      if (!buffers.used[r] && buffers.aim[r] != buffers.total[r])
        push(m, state, all, all.rows[r], buffers.aim[r] - buffers.total[r], buffers.pushed);
    buffers.b.assign(n, 0);
    buffers.lambda.assign(n, 0);
    for (std::size_t r = 0; r < n; ++r) {
      if (!buffers.used[r]) continue;
      buffers.b[r] = -buffers.gap[r] - along(all, all.rows[r], buffers.pushed);
      if (guess) buffers.lambda[r] = buffers.guess[r];
    }
    solve(settings, guess, buffers, report);
    if (!report.finite) return;
    bounded = false;  // each time there are fewer rows left that can be
    for (std::size_t r = 0; r < n; ++r) {
      if (!buffers.used[r]) continue;
      BoundedRow met = buffers.bounded[r];
      met.push = buffers.total[r] + buffers.lambda[r];
      met.off = 0;
      buffers.aim[r] = projected(met);
      if (boundedBy(met) == Bounded::Inside) continue;
      buffers.used[r] = false;
      bounded = true;
    }
  }
  buffers.total = buffers.aim;
  for (std::size_t s = 0; s < buffers.correction.size(); ++s)
    for (std::size_t i = 0; i < 6; ++i) buffers.correction[s][i] += buffers.pushed[s][i];
}

}  // namespace

void stepByDisplacement(const Mechanism& m, const Control& control, const StepSettings& settings,
                        double dt, State& state, StepScratch::Buffers& buffers,
                        StepReport& report) {
  buffers.start = state;
  buffers.rotors.begin(m, state);
  gatherLoads(m, control, state, buffers.wrenches);
  accelerate(m, state, buffers);
  if (settings.displacement.accelerate)
    correctAccelerations(m, control, settings, state, buffers, report);
  moveVelocities(m, dt, buffers.free, state);
  movePositions(m, dt, state);
  state.time += dt;
  followPaths(m, state);

  // Multipliers of this step so far.
  buffers.byKey.assign(m.slots, 0);
  for (Index key = 0; settings.displacement.accelerate && key < m.slots; ++key)
    buffers.byKey[key] = dt * dt * state.multiplier[key];
  const int most = settings.iterations > 0 ? settings.iterations : 30;
  for (int k = 0;; ++k) {
    buffers.emitted.clear();
    emitRows(m, control, state, buffers.emitted);
    const std::vector<Row>& rows = buffers.emitted.rows;
    buffers.total.clear();
    buffers.guess.clear();
    for (const Row& row : rows) {
      buffers.total.push_back(buffers.byKey[row.key]);
      buffers.guess.push_back(dt * dt * state.multiplier[row.key]);  // of the step before
    }
    loadRows(m, settings, state, buffers);
    measureTravel(buffers.start, state, buffers.travel);
    const double gap = judge(settings, dt, buffers);
    report.finite = report.finite && std::isfinite(gap);
    if (!report.finite) return;
    if (gap <= settings.tolerance) break;
    if (k == most) {
      report.converged = settings.iterations > 0;  // as many as were asked for
      break;
    }
    closeGaps(m, settings, state,
              settings.displacement.guess && !settings.displacement.accelerate && k == 0, buffers,
              report);
    if (!report.finite) return;
    for (std::size_t r = 0; r < rows.size(); ++r) buffers.byKey[rows[r].key] = buffers.total[r];
    applyDisplacement(m, buffers.correction, settings.truncation, state);
    ++report.iterations;
  }
  std::fill(state.multiplier.begin(), state.multiplier.end(), 0.0);
  for (const Row& row : buffers.emitted.rows)
    state.multiplier[row.key] = buffers.byKey[row.key] / (dt * dt);
  velocitiesFromDisplacements(m, dt, buffers.start, state);
  buffers.rotors.end(control, false, dt, state);
}

namespace {

// What closed gaps in so short a time is no speed: solids keep at most what they had, or what their potential energy became.
void dampToLastEnergy(const Mechanism& m, const Control& control, const State& before,
                      State& state) {
  const double had = kineticEnergy(m, before), has = kineticEnergy(m, state);
  const double freed = potentialEnergy(m, control, before) - potentialEnergy(m, control, state);
  const double most = had + std::max(freed, 0.0);
  if (!(has > most)) return;
  const double factor = std::sqrt(most / has);
  for (Index s = 0; s < m.solids.size(); ++s) {
    if (m.solids[s].kind != SolidKind::Dynamic) continue;
    state.velocity[s] = factor * state.velocity[s];
    state.spin[s] = factor * state.spin[s];
  }
}

}  // namespace

void stepAsLastResort(const Mechanism& m, const Control& control, const StepSettings& settings,
                      double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  State& before = buffers.resort;
  before = state;
  stepByDisplacement(m, control, settings, dt, state, buffers, report);
  const double size = sizeAsWritten(m);
  bool good = report.finite;
  for (Index s = 0; good && s < m.solids.size(); ++s)
    good = norm(state.position[s] - before.position[s]) <=
           dt * norm(before.velocity[s]) + size;  // false of what is not a number
  if (good && !ranAway(m, control, before, state, 1, buffers.emitted)) {
    dampToLastEnergy(m, control, before, state);
    return;
  }
  // Loads that are no numbers are no matter of convergence.
  gatherLoads(m, control, before, buffers.wrenches);
  for (const Wrench& wrench : buffers.wrenches)
    if (!isFinite(wrench.force) || !isFinite(wrench.torque)) {
      report.finite = false;
      return;
    }
  report.finite = true;
  state = before;
  state.time += dt;
  followPaths(m, state);
  for (Index s = 0; s < m.solids.size(); ++s)
    if (m.solids[s].kind == SolidKind::Dynamic) state.velocity[s] = state.spin[s] = {};
}

void startDisplacements(const Mechanism& mechanism, const Control& control,
                        const StepSettings& settings, double dt, State& state,
                        StepScratch& scratch) {
  if (settings.method != Method::Displacement) return;
  StepScratch::Buffers& buffers = scratch.buffers();
  StepReport report;
  jointAcceleration(mechanism, control, settings, state, dt, 0, 0, buffers, report);
  if (report.finite) moveVelocities(mechanism, -0.5 * dt, buffers.acceleration, state);
}

}  // namespace tenon
