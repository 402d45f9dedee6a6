// Distance: the origins of the two frames stay `length` apart, a rod without mass between two
// points.                                                                    [Jeon §5: Φ = |q| - 50]
//   g = |p| - length
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  out.residual[0] = lengthOf(in.p) - T(in.options[0]);
  swingAndTwistAt(in, 0, out);
}

}  // namespace

JointKind distance() {
  JointKind kind;
  kind.name = "distance";
  kind.papers = "Jeon: distance between nodes";
  kind.elsewhere = "rod link stick";
  kind.summary = "two points stay a given length apart";
  kind.residualCount = 1;
  kind.residualIsLength = true;
  addSwingAndTwist(kind);
  kind.optionCount = 1;
  kind.options[0] = {"length", 1, OptionUnit::Length, 0, true, 0};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  return kind;
}

}  // namespace tenon::joints
