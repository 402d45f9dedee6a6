// Explicit enforcement with feedback: Φ̈ + 2α Φ̇ + β² Φ = 0.                        [Jeon §3.1, eq. 16]
#include "methods/verbs.h"

namespace tenon {

void stepByBaumgarte(const Mechanism& m, const Control& control, const StepSettings& settings,
                     double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  const double alpha = settings.alpha > 0 ? settings.alpha : 1 / dt;
  const double beta = settings.beta > 0 ? settings.beta : alpha;
  if (settings.integrator != Integrator::Euler) {
    moveByRk4(m, control, settings, dt, alpha, beta, state, buffers, report);
  } else {
    // Euler's step: positions with the velocities of the start.
    jointAcceleration(m, control, settings, state, dt, alpha, beta, buffers, report);
    movePositions(m, dt, state);
    moveVelocities(m, dt, buffers.acceleration, state);
  }
  state.time += dt;
  followPaths(m, state);
}

}  // namespace tenon
