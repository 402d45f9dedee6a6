// Rope and in-sphere: the origins of the two frames are at most so far apart. A rope of `length` pulls,
// and never pushes; a sphere of `radius` holds a point inside.                  [Gascuel1994 §4.1.3]
//   c = |p| <= length or radius
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  out.coordinate[0] = lengthOf(in.p);
  swingAndTwistAt(in, 1, out);
}

void limits(std::span<const double> data, CoordinateBounds* bounds) { bounds[0].upper = data[0]; }

// A kind with one option: the greatest distance.
JointKind within(std::string_view name, std::string_view option, std::string_view papers,
                 std::string_view elsewhere, std::string_view summary) {
  JointKind kind;
  kind.name = name;
  kind.papers = papers;
  kind.elsewhere = elsewhere;
  kind.summary = summary;
  kind.coordinateCount = kind.freeCount = 1;
  kind.coordinates[0] = {"distance", false, false, JointKind::Measure::Length};
  addSwingAndTwist(kind);
  kind.optionCount = 1;
  kind.options[0] = {option, 1, OptionUnit::Length, 0, true, 0};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.limits = &limits;
  return kind;
}

}  // namespace

JointKind rope() {
  return within("rope", "length", "", "cable string tendon thread",
                "two points are at most a given length apart");
}
JointKind inSphere() {
  return within("in-sphere", "radius", "Gascuel: point in sphere", "inside-sphere",
                "a point stays inside a sphere");
}

}  // namespace tenon::joints
