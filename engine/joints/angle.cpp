// Angle: how far axis i of one solid leans from axis i of the other, in [0, π]. Nothing is locked;
// limits on the coordinate make Gascuel's difference of two cones.          [Gascuel1994 §4.2.1]
//   c = angle(i_1, i_2)
// An upper limit of 0 belongs to `parallel`, whose residual is smooth there; this angle is not.
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  out.coordinate[0] = swingAngle(in, 0);
}

}  // namespace

JointKind angle() {
  JointKind kind;
  kind.name = "angle";
  kind.papers = "Gascuel: angle";
  kind.summary = "two axes may lean apart within limits";
  kind.coordinateCount = kind.freeCount = 1;
  kind.coordinates[0] = {"angle", true, false, JointKind::Measure::Swing};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  return kind;
}

}  // namespace tenon::joints
