// Figures with loops, on any machine.
#include "packed/loop_kernel.h"
#include "packed/pose_kernel.h"

namespace tenon::packed {

namespace {

// Where one is for both: out of line, so that there is but one.
[[maybe_unused]] TENON_OUT_OF_LINE LoopOutcome stepLoop(const LoopFigure& figure,
                                                        const KernelSettings& settings,
                                                        const StatePointers& state, bool over) {
  return LoopKernel<true>(figure, settings, state, over).run();
}

}  // namespace

LoopOutcome stepLoopOver(const LoopFigure& figure, const KernelSettings& settings,
                         const StatePointers& state) {
  if constexpr (kOneForBoth)
    return stepLoop(figure, settings, state, true);
  else
    return LoopKernel<true>(figure, settings, state).run();
}
LoopOutcome stepLoopAtEnd(const LoopFigure& figure, const KernelSettings& settings,
                          const StatePointers& state) {
  if constexpr (kOneForBoth)
    return stepLoop(figure, settings, state, false);
  else
    return LoopKernel<false>(figure, settings, state).run();
}
PoseErrors gatherPose(const LoopFigure& figure, const StatePointers& state) {
  return PoseKernel(figure).gather(state);
}
void solvePose(const LoopFigure& figure, const PoseSolve& how) { PoseKernel(figure).solve(how); }

}  // namespace tenon::packed
