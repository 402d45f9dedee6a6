// Figures with loops, on any machine.
#include "packed/loop_kernel.h"
#include "packed/pose_kernel.h"

namespace tenon::packed {

LoopOutcome stepLoopOver(const LoopFigure& figure, const KernelSettings& settings,
                         const StatePointers& state) {
  return LoopKernel<true>(figure, settings, state).run();
}
LoopOutcome stepLoopAtEnd(const LoopFigure& figure, const KernelSettings& settings,
                          const StatePointers& state) {
  return LoopKernel<false>(figure, settings, state).run();
}
PoseErrors gatherPose(const LoopFigure& figure, const StatePointers& state) {
  return PoseKernel(figure).gather(state);
}
void solvePose(const LoopFigure& figure, const PoseSolve& how) { PoseKernel(figure).solve(how); }

}  // namespace tenon::packed
