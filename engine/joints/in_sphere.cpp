// In-sphere: the origin of frame 2 stays inside a sphere about that of frame 1. [Gascuel1994 §4.1.3]
//   c = |p| <= radius
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

JointKind inSphere() {
  JointKind kind;
  kind.name = "in-sphere";
  kind.papers = "Gascuel: point in sphere";
  kind.summary = "a point stays inside a sphere";
  kind.coordinateCount = kind.freeCount = 1;
  kind.coordinates[0] = {"distance", false, false};
  addSwingAndTwist(kind);
  kind.optionCount = 1;
  kind.options[0] = {"radius", 1, OptionUnit::Length, 0, true, 0};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.limits = &limits;
  return kind;
}

}  // namespace tenon::joints
