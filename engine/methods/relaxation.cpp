// Gascuel's animation: free motion, then weighted pairwise corrections of the displacements, then
// velocities from where the solids have got to.                              [Gascuel1994 §2.2, eqs 1–4]
// Two things beside that: where the free motion turns a solid by more than small rotations may be, the step
// is taken back and made in two halves; where the corrections come to their cap, a user who wants to stop
// gets the state of before. Wheels roll because the floor rubs them, which is a force like others [§5.3.3], and so is
// what a rotor pushes with while the joints hold: λ = -I c̈.
#include <algorithm>

#include "math/rotation.h"
#include "methods/verbs.h"

namespace tenon {

namespace {

constexpr int kDeepest = 5;  // halvings within halvings

// Friction in buffers.free: what takes the slip out of rows that restrict velocities, one after the other.
void rub(const Mechanism& m, const State& state, double dt, StepScratch::Buffers& buffers) {
  for (const Row& row : buffers.rows.rows) {
    if (!row.velocity) continue;
    const double mobility = mobilityOf(m, state, buffers.rows, row);
    if (!(mobility > 0)) continue;
    const double slip = row.rate / dt + along(buffers.rows, row, buffers.free);
    push(m, state, buffers.rows, row, -slip / mobility, buffers.free);
  }
}

// Free accelerations, with what rotors push with.
void accelerateFreely(const Mechanism& m, const Control& control, const StepSettings& settings,
                      double dt, const State& state, StepScratch::Buffers& buffers,
                      StepReport& report) {
  const bool rotors = std::any_of(m.rules.begin(), m.rules.end(), [](const MechanismRule& rule) {
    return rule.kind == CoordinateRule::Kind::Armature;
  });
  if (!rotors) return freeAcceleration(m, control, state, dt, buffers);
  jointAcceleration(m, control, settings, state, dt, 0, 0, buffers, report);
  for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r)
    if (const Row& row = buffers.rows.rows[r]; row.inertia > 0)
      push(m, state, buffers.rows, row, buffers.lambda[r], buffers.free);
}

double largestTurn(const Mechanism& m, const State& state, double dt,
                   const std::vector<Six>& acceleration) {
  double most = 0;
  for (Index s = 0; s < m.solids.size(); ++s) {
    if (m.solids[s].kind != SolidKind::Dynamic) continue;
    const Six& a = acceleration[s];
    most = std::max(most, dt * norm(state.spin[s] + dt * Vec3{a[3], a[4], a[5]}));
  }
  return most;
}

void advance(const Mechanism& m, const Control& control, const StepSettings& settings, double dt,
             int depth, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  accelerateFreely(m, control, settings, dt, state, buffers, report);
  if (!report.finite) return;
  rub(m, state, dt, buffers);
  if (settings.relaxation.largestTurn > 0 && depth < kDeepest &&
      largestTurn(m, state, dt, buffers.free) > settings.relaxation.largestTurn) {
    ++report.halvings;
    for (int half = 0; half < 2 && !report.stopped; ++half)
      advance(m, control, settings, dt / 2, depth + 1, state, buffers, report);
    return;
  }
  buffers.start = state;
  moveVelocities(m, dt, buffers.free, state);
  movePositions(m, dt, state);
  state.time += dt;
  followPaths(m, state);
  PoseSettings corrections;
  corrections.method = AssemblyMethod::Relaxation;
  corrections.norm = settings.norm;
  corrections.tolerance = settings.tolerance;
  corrections.iterations = settings.iterations > 0 ? settings.iterations : 1000;
  corrections.truncation = settings.truncation;
  corrections.relaxation.alphaScale = settings.feedback.alpha > 0 ? settings.feedback.alpha : 1;
  const PoseReport done = track(m, control, {}, corrections, state, buffers.posing);
  report.iterations += done.iterations;
  if (done.status != PoseStatus::Converged) {
    report.converged = false;
    report.capped = true;
    report.stopped = settings.relaxation.onCap == OnCap::Stop;
  }
  velocitiesFromDisplacements(m, dt, buffers.start, state);
  rememberTurns(m, state);
}

}  // namespace

void stepByRelaxation(const Mechanism& m, const Control& control, const StepSettings& settings,
                      double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  advance(m, control, settings, dt, 0, state, buffers, report);
}

}  // namespace tenon
