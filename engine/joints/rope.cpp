// Rope: the origins of the two frames are at most `length` apart; it pulls, and never pushes.
//   c = |p| <= length
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  out.coordinate[0] = lengthOf(in.p);
  swingAndTwistAt(in, 1, out);
}

void limits(std::span<const double> data, CoordinateBounds* bounds) { bounds[0].upper = data[0]; }

}  // namespace

JointKind rope() {
  JointKind kind;
  kind.name = "rope";
  kind.papers = "";
  kind.summary = "two points are at most a given length apart";
  kind.coordinateCount = kind.freeCount = 1;
  kind.coordinates[0] = {"distance", false, false};
  addSwingAndTwist(kind);
  kind.optionCount = 1;
  kind.options[0] = {"length", 1, OptionUnit::Length, 0, true, 0};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.limits = &limits;
  return kind;
}

}  // namespace tenon::joints
