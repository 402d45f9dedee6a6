// Figures with loops, on any machine.
#include "packed/loop_kernel.h"
#include "packed/pose_kernel.h"

namespace tenon::packed {

namespace {

// Out of line, so that there is but one where it is for both.
template <bool Over>
TENON_OUT_OF_LINE LoopOutcome stepLoop(const LoopFigure& figure, const KernelSettings& settings,
                                       const StatePointers& state, bool over) {
  return LoopKernel<Over>(figure, settings, state, over).run();
}

}  // namespace

LoopOutcome stepLoopOver(const LoopFigure& figure, const KernelSettings& settings,
                         const StatePointers& state) {
  return stepLoop<true>(figure, settings, state, true);
}
LoopOutcome stepLoopAtEnd(const LoopFigure& figure, const KernelSettings& settings,
                          const StatePointers& state) {
  return stepLoop<kOneForBoth>(figure, settings, state, false);
}
PoseErrors gatherPose(const LoopFigure& figure, const StatePointers& state) {
  return PoseKernel(figure).gather(state);
}
void solvePose(const LoopFigure& figure, const PoseSolve& how) { PoseKernel(figure).solve(how); }

}  // namespace tenon::packed
