// Segment: a point slides along a line of the other solid, between two ends.  [Gascuel1994 §4.1.1]
//   g = (p_j, p_k),   c = p_i in [min, max]
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  out.residual[0] = in.p[1];
  out.residual[1] = in.p[2];
  out.coordinate[0] = in.p[0];
  rotationVectorAt(in, 1, out);
  swingAndTwistAt(in, 4, out);
}

OptionFault prepare(std::span<const std::vector<double>> given, std::vector<double>& data) {
  const double low = given[0].at(0), high = given[1].at(0);
  data.insert(data.end(), {low, high});
  if (low > high) return {"the segment ends before it begins: exchange 'min' and 'max'", 1};
  return {};
}

void limits(std::span<const double> data, CoordinateBounds* bounds) {
  bounds[0] = {data[0], data[1]};
}

std::vector<JointExample> examples() { return {{"", {{"min", {-0.3}, {}}, {"max", {0.4}, {}}}}}; }

}  // namespace

JointKind segment() {
  JointKind kind;
  kind.name = "segment";
  kind.papers = "Gascuel: point to segment";
  kind.elsewhere = "rail line-segment";
  kind.summary = "a point slides along a line between two ends and turns freely";
  kind.residualCount = 2;
  kind.coordinateCount = 1;
  kind.coordinates[0] = {"slide", false, false};
  addRotationVector(kind);
  addSwingAndTwist(kind);
  kind.optionCount = 2;
  kind.options[0] = {"min", 1, OptionUnit::Length, 0, true};
  kind.options[1] = {"max", 1, OptionUnit::Length, 0, true};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.prepare = &prepare;
  kind.limits = &limits;
  kind.examples = &examples;
  return kind;
}

}  // namespace tenon::joints
