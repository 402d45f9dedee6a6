// Figures with loops, on a machine with AVX2. The build compiles this file for it where there is such a
// thing; elsewhere it is never called.
#include "packed/loop_kernel.h"
#include "packed/pose_kernel.h"

namespace tenon::packed {

LoopOutcome stepLoopOverAvx2(const LoopFigure& figure, const KernelSettings& settings,
                             const StatePointers& state) {
  return LoopKernel<true>(figure, settings, state).run();
}
LoopOutcome stepLoopAtEndAvx2(const LoopFigure& figure, const KernelSettings& settings,
                              const StatePointers& state) {
  return LoopKernel<false>(figure, settings, state).run();
}
PoseErrors gatherPoseAvx2(const LoopFigure& figure, const StatePointers& state) {
  return PoseKernel(figure).gather(state);
}
void solvePoseAvx2(const LoopFigure& figure, const PoseSolve& how) {
  PoseKernel(figure).solve(how);
}

}  // namespace tenon::packed
