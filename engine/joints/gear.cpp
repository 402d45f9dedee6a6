// Gear: coordinates of two or more other joints stay in a fixed relation, as toothed wheels, a rack and
// its pinion, or a pulley and its rope keep them.
//   g = Σ factor c - offset, divided by the largest factor (of the lengths, if there are any)
// The factors of wheels are their numbers of teeth, so that as many pass on one as on the other. Where
// nothing else is said, the offset is what the sum is at the pose as written. The lift sums up; there is
// nothing to evaluate here.
#include "joints/joint_math.h"

namespace tenon::joints {

JointKind gear() {
  JointKind kind;
  kind.name = "gear";
  kind.papers = "Faure: dependent constraint directions";
  kind.elsewhere = "gears gearbox rack rack-and-pinion pulley mimic transmission differential";
  kind.summary = "coordinates of other joints move in a fixed ratio";
  kind.relates = Relates::Coordinates;
  kind.residualCount = 1;
  kind.residualAngular[0] = true;
  kind.optionCount = 1;
  kind.options[0] = {"offset", 1, OptionUnit::Number, 0, false};
  return kind;
}

}  // namespace tenon::joints
