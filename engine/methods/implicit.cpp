// First-order implicit enforcement: the constraints hold, linearized, at the end of the step.
//   v' = v + dt M⁻¹ (F + Jᵀ λ),  q' = q + dt v',  Φ + J dt v' + Φ_t dt = 0      [Jeon §3.2, eqs 23–28]
#include "methods/verbs.h"

namespace tenon {

void stepByImplicit(const Mechanism& m, const Control& control, const StepSettings& settings,
                    double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  freeAcceleration(m, control, state, dt, buffers);
  moveVelocities(m, dt, buffers.free, state);
  for (std::size_t r = 0; r < buffers.rows.rows.size(); ++r) {
    const Row& row = buffers.rows.rows[r];
    double rate = row.timeRate;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = buffers.rows.blocks[b];
      for (int i = 0; i < 3; ++i)
        rate += block.J[i] * state.velocity[block.solid][i] +
                block.J[3 + i] * state.spin[block.solid][i];
    }
    if (row.inertia > 0) {  // λ = -I (J (v' - v)/dt + drift)
      buffers.b[r] = row.rate - rate - dt * row.drift;
      continue;
    }
    buffers.b[r] = -rate - (row.velocity ? 0 : row.error / dt);
    // A bound holds at the end of the step: it takes part if it would be passed by then.
    if (!row.equality) buffers.used[r] = comesToHold(row.error + dt * rate);
  }
  solveRows(m, settings, state, buffers, report);
  if (!report.finite) return;
  rememberMultipliers(buffers, 1 / dt, state);
  moveVelocities(m, 1, buffers.correction, state);
  movePositions(m, dt, state);
  state.time += dt;
  followPaths(m, state);
}

}  // namespace tenon
