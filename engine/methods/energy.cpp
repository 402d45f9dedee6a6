// The energy-momentum step: midpoint velocities, forces of joints by discrete gradients, joints exact at
// the end, Newton's method with everything differentiated; a step that does not converge is split.
//                                                          [SimoWong1991, Gonzalez1996; end_solve.h]
#include "methods/verbs.h"

namespace tenon {

void stepByEnergy(const Mechanism& m, const Control& control, const StepSettings& settings,
                  double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  stepInPieces(dt, report, [&](double piece) {
    return buffers.end.attempt(m, control, settings, EndSolve::Forces::OverStep, piece, state,
                               report);
  });
}

}  // namespace tenon
