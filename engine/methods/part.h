// One figure of a mechanism as a mechanism of its own: stepped by itself where the others go another way.
#pragma once

#include <tenon/step.h>

#include <memory>
#include <vector>

namespace tenon {

class Part {
 public:
  // Precondition: joints of the island relate frames, and nothing but gravity loads it.
  void cut(const Mechanism& whole, Index island);
  [[nodiscard]] bool isCut() const { return scratch_ != nullptr; }

  // A step of the figure within the whole's state, which is at the time of its start or its end: that is not moved on.
  // If it is not finite, the figure stays where it is.
  StepReport step(const Mechanism& whole, const Control& control, const StepSettings& settings,
                  double time, double dt, State& state);

 private:
  enum class Direction { In, Out };
  void copy(Direction direction, const Mechanism& whole, State& state);

  Mechanism mechanism_;
  Control control_;
  State state_;
  std::unique_ptr<StepScratch> scratch_;
  std::vector<Index> solids_, joints_;  // of the whole
};

}  // namespace tenon
