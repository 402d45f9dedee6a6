// One island of a mechanism as a mechanism of its own: stepped by rows, by itself, in numbers of its own.
//
// A part is a function of what is in its island and of nothing else: it moves by the same bits alone and in a crowd.
#pragma once

#include <tenon/step.h>

#include <memory>
#include <vector>

#include "model/islands.h"

namespace tenon {

class Part {
 public:
  void cut(const Mechanism& whole, const Islands& islands, Index island);
  [[nodiscard]] bool isCut() const { return scratch_ != nullptr; }

  // A step of the island within the whole's state, which may be at the time of its start or of its end: that is not moved
  // on. Solids that the island hangs on are read as they were at the start. If the step is not finite, the island stays
  // where it is.
  StepReport step(const Mechanism& whole, const Control& control, const StepSettings& settings,
                  double time, double dt, State& state);

 private:
  enum class Direction { In, Out };
  void copy(Direction direction, const Mechanism& whole, State& state);
  void steer(const Mechanism& whole, const Control& control);

  Mechanism mechanism_;
  Control control_;
  State state_;
  std::unique_ptr<StepScratch> scratch_;
  std::vector<Index> solids_;    // of the whole: of the island, then what it hangs on
  Index own_ = 0;                // solids of the island
  std::vector<Index> joints_;    // of the whole: of the island, and those that others measure
  std::vector<bool> isOutside_;  // by joint: it only is measured
};

}  // namespace tenon
