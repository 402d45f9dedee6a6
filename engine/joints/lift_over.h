// Rows of one joint for a step that is solved for its end, by jets.
#pragma once

#include "joints/lift_rows.h"

namespace tenon {

struct StepPoses {
  const Mechanism& mechanism;
  const State &start, &middle, &end;
  double dt;
};

// Appends the rows of a joint that holds and, or, how they change: with the slopes of what `nu` pushes. As emitStepRows,
// which takes `ends` and `slopes`, or, not `over` the step, as emitRows at its end, which takes `stiffness`.
enum class Emitted : std::uint8_t { Rows = 1, Changes = 2, Both = 3 };
void emitOver(const StepPoses& step, const Control& control, Index joint, bool over,
              std::span<const double> nu, Emitted what, Rows& rows, Rows& ends,
              std::vector<LoadSlope>& slopes, std::vector<StiffnessBlock>& stiffness);

}  // namespace tenon
