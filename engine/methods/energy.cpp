// The energy-momentum step: midpoint velocities, forces of joints by discrete gradients, joints exact at
// the end, Newton's method with everything differentiated; a step that does not converge is split.
//                                                          [SimoWong1991, Gonzalez1996; end_solve.h]
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>

#include "joints/lift.h"
#include "methods/verbs.h"

namespace tenon {

namespace {

// v_1 = 2 Δx/dt - v_0 keeps whatever the rows do not allow: it comes back every second step. So it is
// taken out where it comes in: where a bound is reached (it stops what runs into it), where a coordinate
// is prescribed or a solid animated, where a joint comes into force. Velocities become the nearest that
// the rows allow, which takes energy and gives none but what moving rows bring. After an impact rotors turn with the
// velocities: what they had beside them would come back at a bound in every second step, too.
template <class Settle>
void settleVelocities(const Mechanism& m, bool impact, State& state, StepReport& report,
                      const Settle& settle) {
  const double before = kineticEnergy(m, state);
  for (Index r = 0; impact && r < m.rules.size(); ++r)
    if (m.rules[r].kind == CoordinateRule::Kind::Armature) state.multiplier[rotorSlot(m, r)] = 0;
  settle();
  report.work += kineticEnergy(m, state) - before;
}

// By the rows of the buffers that are used.
void allowVelocities(const Mechanism& m, const StepSettings& settings, State& state,
                     StepScratch::Buffers& buffers, StepReport& report) {
  buffers.b.assign(buffers.rows.rows.size(), 0);
  for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r) {
    const Row& row = buffers.rows.rows[r];
    if (row.inertia > 0) continue;
    buffers.b[r] = -row.timeRate;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = buffers.rows.blocks[b];
      for (int i = 0; i < 3; ++i)
        buffers.b[r] -= block.J[i] * state.velocity[block.solid][i] +
                        block.J[3 + i] * state.spin[block.solid][i];
    }
  }
  solveRows(m, settings, state, buffers, report, true);
  moveVelocities(m, 1, buffers.correction, state);
}

bool isExact(const Row& row) { return row.equality && std::isinf(row.stiffness); }

// Whether a joint that did nothing in the step before, and so may not have been in force, moves as it does not allow.
bool comesIntoForce(const Mechanism& m, const Control& control, const State& state, Rows& rows) {
  constexpr double kAllowed =
      1e-7;  // [m/s], [rad/s] rounding, far below what the scheme makes itself
  for (Index j = 0; j < m.joints.size(); ++j) {
    if (!control.jointOn[j] || !isActive(m, m.joints[j].active, state.time)) continue;
    const double* first = state.multiplier.data() + m.joints[j].firstSlot;
    if (std::any_of(first, first + slotCount(m.joints[j]), [](double x) { return x != 0; }) ||
        isRange(m, m.joints[j]))
      continue;
    rows.clear();
    emitJointRows(m, control, state, j, rows);
    if (std::any_of(rows.rows.begin(), rows.rows.end(),
                    [](const Row& row) { return isExact(row) && std::abs(row.rate) > kAllowed; }))
      return true;
  }
  return false;
}

// What joints and prescribed coordinates that are in force by the middle of the step do not allow.
void settleAtStart(const Mechanism& m, const Control& control, const StepSettings& settings,
                   double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  const double time = state.time;
  state.time += 0.5 * dt;
  const bool off = comesIntoForce(m, control, state, buffers.rows);
  if (off) {
    buffers.rows.clear();
    emitRows(m, control, state, buffers.rows);
    buffers.used.clear();
    for (const Row& row : buffers.rows.rows)
      buffers.used.push_back(isExact(row) || row.inertia > 0);
  }
  state.time = time;
  if (off)
    settleVelocities(m, true, state, report,
                     [&] { allowVelocities(m, settings, state, buffers, report); });
}

}  // namespace

void stepByEnergy(const Mechanism& m, const Control& control, const StepSettings& settings,
                  double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  settleAtStart(m, control, settings, dt, state, buffers, report);
  if (!report.finite) return;
  bool accounted = true;
  stepInPieces(
      dt, report,
      [&](double piece) {
        if (!buffers.end.attempt(m, control, settings, EndSolve::Forces::OverStep, piece, state,
                                 report))
          return false;
        if (buffers.end.landed() || buffers.end.driven())
          settleVelocities(m, buffers.end.landed(), state, report,
                           [&] { report.finite = buffers.end.settle(state) && report.finite; });
        if (piece < dt) rememberTurns(m, state);
        return true;
      },
      [&](double piece) {
        if (buffers.end.attempt(m, control, settings, EndSolve::Forces::AtEnd, piece, state,
                                report)) {
          rememberTurns(m, state);
          return;
        }
        stepAsLastResort(m, control, settings, piece, state, buffers, report);
        accounted = false;
      });
  report.ledger = report.ledger && accounted;
}

}  // namespace tenon
