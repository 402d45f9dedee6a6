// The energy-momentum step: midpoint velocities, forces of joints by discrete gradients, joints exact at
// the end, Newton's method with everything differentiated; a step that does not converge is split.
//                                                          [SimoWong1991, Gonzalez1996; end_solve.h]
#include <tenon/measure.h>

#include "methods/verbs.h"

namespace tenon {

namespace {

// A bound that is reached stops what runs into it: velocities become the nearest that the joints and the
// bounds allow, which takes energy and gives none. (Left alone, v_1 = 2 Δx/dt - v_0 would throw it back,
// by as much as chance had it near the bound when the step began.)
void stopAtBounds(const Mechanism& m, const StepSettings& settings, State& state,
                  StepScratch::Buffers& buffers, StepReport& report) {
  buffers.end.heldRows(buffers.rows, buffers.used);
  buffers.b.assign(buffers.rows.rows.size(), 0);
  for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r) {
    const Row& row = buffers.rows.rows[r];
    buffers.b[r] = -row.timeRate;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = buffers.rows.blocks[b];
      for (int i = 0; i < 3; ++i)
        buffers.b[r] -= block.J[i] * state.velocity[block.solid][i] +
                        block.J[3 + i] * state.spin[block.solid][i];
    }
  }
  const double before = kineticEnergy(m, state);
  solveRows(m, settings, state, buffers, report, true);
  moveVelocities(m, 1, buffers.correction, state);
  report.work += kineticEnergy(m, state) - before;
}

// Joints that come into force with this step stop what they do not allow.
bool anyBegins(const Mechanism& m, const State& state, double dt) {
  for (const MechanismJoint& joint : m.joints)
    if (joint.active.count > 0 && isActive(m, joint.active, state.time + 0.5 * dt) &&
        !isActive(m, joint.active, state.time - 0.5 * dt))
      return true;
  return false;
}

}  // namespace

void stepByEnergy(const Mechanism& m, const Control& control, const StepSettings& settings,
                  double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  if (anyBegins(m, state, dt)) {
    const double time = state.time, before = kineticEnergy(m, state);
    state.time += 0.5 * dt;
    correctVelocities(m, control, settings, state, buffers, report);
    state.time = time;
    report.work += kineticEnergy(m, state) - before;
  }
  stepInPieces(
      dt, report,
      [&](double piece) {
        if (!buffers.end.attempt(m, control, settings, EndSolve::Forces::OverStep, piece, state,
                                 report))
          return false;
        if (buffers.end.landed()) stopAtBounds(m, settings, state, buffers, report);
        return true;
      },
      [&](double piece) {
        stepInteractively(m, control, settings, piece, state, buffers, report);
      });
}

}  // namespace tenon
