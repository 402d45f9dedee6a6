// Gascuel's animation: free motion, then weighted pairwise corrections of the displacements, then
// velocities from where the solids have got to.                              [Gascuel1994 §2.2, eqs 1–4]
#include "math/rotation.h"
#include "methods/verbs.h"

namespace tenon {

void stepByRelaxation(const Mechanism& m, const Control& control, const StepSettings& settings,
                      double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  buffers.start = state;
  freeAcceleration(m, control, state, dt, buffers);
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
  corrections.alphaScale = settings.alpha > 0 ? settings.alpha : 1;
  const PoseReport done = track(m, control, {}, corrections, state, buffers.posing);
  report.iterations += done.iterations;
  report.converged = done.status == PoseStatus::Converged;
  velocitiesFromDisplacements(m, dt, buffers.start, state);
}

}  // namespace tenon
