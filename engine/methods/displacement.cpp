// Faure's dynamics: the solids move on as if they were free, then positions are put right, and what they
// have moved by is their velocity.                                            [Faure1998 §4.2, fig. 4]
//   Δq += M⁻¹ f dt²,  q += Δq,  δq = correction(q),  q += δq,  Δq += δq,      Δq = v dt
#include "methods/verbs.h"

namespace tenon {

void stepByDisplacement(const Mechanism& m, const Control& control, const StepSettings& settings,
                        double dt, State& state, StepScratch::Buffers& buffers,
                        StepReport& report) {
  buffers.start = state;
  freeAcceleration(m, control, state, dt, buffers);
  moveVelocities(m, dt, buffers.free, state);
  movePositions(m, dt, state);
  state.time += dt;
  followPaths(m, state);
  correctPositions(m, control, settings, state, buffers, report);
  velocitiesFromDisplacements(m, dt, buffers.start, state);
}

}  // namespace tenon
