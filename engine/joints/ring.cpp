// Ring: a point slides in a plane of the other solid, between an inner and an outer circle; without
// an inner one, on a disc.                                                    [Gascuel1994 §4.1.2]
//   g = p_i,   c = |(p_j, p_k)| in [inner, outer]
// At the very centre the radius has no direction to grow in; j is taken.
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

constexpr int kRadius = 7;

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  out.residual[0] = in.p[0];
  out.coordinate[0] = in.p[1];
  out.coordinate[1] = in.p[2];
  rotationVectorAt(in, 2, out);
  swingAndTwistAt(in, 5, out);
  const T inPlane[2] = {in.p[1], in.p[2]};
  out.coordinate[kRadius] = lengthOf(inPlane);
}

OptionFault prepare(std::span<const std::vector<double>> given, std::vector<double>& data) {
  const double inner = given[0].empty() ? 0 : given[0][0], outer = given[1].at(0);
  data.insert(data.end(), {inner, outer});
  if (inner < 0) return {"the inner radius is negative", 0};
  if (inner > outer) return {"the inner radius is larger than the outer radius", 0};
  return {};
}

void limits(std::span<const double> data, CoordinateBounds* bounds) {
  if (data[0] > 0) bounds[kRadius].lower = data[0];
  bounds[kRadius].upper = data[1];
}

std::vector<JointExample> examples() {
  return {{"", {{"inner", {0.2}, {}}, {"outer", {0.6}, {}}}}, {"disc", {{"outer", {0.6}, {}}}}};
}

}  // namespace

JointKind ring() {
  JointKind kind;
  kind.name = "ring";
  kind.papers = "Gascuel: point to ring";
  kind.elsewhere = "disc disk annulus";
  kind.summary = "a point slides on a disc or a ring and turns freely";
  kind.residualCount = 1;
  kind.coordinateCount = 2;
  kind.coordinates[0] = {"y", false, false};
  kind.coordinates[1] = {"z", false, false};
  addRotationVector(kind);
  addSwingAndTwist(kind);
  kind.coordinates[kind.coordinateCount++] = {"radius", false, false};
  kind.optionCount = 2;
  kind.options[0] = {"inner", 1, OptionUnit::Length, 0, false};
  kind.options[1] = {"outer", 1, OptionUnit::Length, 0, true, 0};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.prepare = &prepare;
  kind.limits = &limits;
  kind.examples = &examples;
  return kind;
}

}  // namespace tenon::joints
