// Explicit enforcement with feedback: Φ̈ + 2α Φ̇ + β² Φ = 0.                        [Jeon §3.1, eq. 16]
#include <tenon/control_poles.h>

#include "methods/verbs.h"

namespace tenon {

void stepByBaumgarte(const Mechanism& m, const Control& control, const StepSettings& settings,
                     double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  const FeedbackGains gains = gainsOf(settings, dt);
  if (settings.integrator != Integrator::Euler) {
    moveByRk4(m, control, settings, dt, gains.alpha, gains.beta, state, buffers, report);
  } else {
    // Euler's step: positions with the velocities of the start.
    jointAcceleration(m, control, settings, state, dt, gains.alpha, gains.beta, buffers, report);
    if (!report.finite) return;
    rememberMultipliers(buffers, 1, state);
    movePositions(m, dt, state);
    moveVelocities(m, dt, buffers.acceleration, state);
  }
  state.time += dt;
  followPaths(m, state);
}

}  // namespace tenon
