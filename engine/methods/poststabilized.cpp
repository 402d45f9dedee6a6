// Runge and Kutta's step, then positions and velocities put right.        [Faure1998 §2, eqs 5 and 6]
#include "methods/verbs.h"

namespace tenon {

void stepByPoststabilization(const Mechanism& m, const Control& control,
                             const StepSettings& settings, double dt, State& state,
                             StepScratch::Buffers& buffers, StepReport& report) {
  buffers.ranks.begin(dt, state);
  moveByRk4(m, control, settings, dt, 0, 0, state, buffers, report);
  if (report.finite) {
    state.time += dt;
    followPaths(m, state);
    correctPositions(m, control, settings, state, buffers, report);
  }
  if (report.finite) correctVelocities(m, control, settings, state, buffers, report);
  report.singular = report.finite && buffers.ranks.fell(m, control, buffers.before, state);
  buffers.ranks.end();
}

}  // namespace tenon
