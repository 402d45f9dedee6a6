// Distance: the origins of the two frames stay `length` apart, a rod without mass between two
// points.                                                                    [Jeon §5: Φ = |q| - 50]
//   g = |p| - length
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  T x = in.p[0];
  const T across = in.p[1] * in.p[1] + in.p[2] * in.p[2];
  // Coinciding points lie in no direction: take i, so that the derivative is finite.
  if (valueOf(x * x + across) < 1e-24) x = x + T(1e-12);
  out.residual[0] = squareRoot(x * x + across) - T(in.options[0]);
}

}  // namespace

JointKind distance() {
  JointKind kind;
  kind.name = "distance";
  kind.papers = "Jeon: distance between nodes";
  kind.summary = "two points stay a given length apart";
  kind.residualCount = 1;
  kind.optionCount = 1;
  kind.options[0] = {"length", 1, OptionUnit::Length, 0, true, 0};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  return kind;
}

}  // namespace tenon::joints
