// Rolling: a wheel stands on a plane of the other solid and does not slip.
//
// The wheel is a circle of `radius` about its axle a = i_2, with a rim rounded by `crown`; a ball is
// radius 0 with its radius as crown. The plane goes through the origin of frame 1, its normal is
// n = i_1. With s = |n - (n·a) a|, the sine of the angle between axle and normal, the wheel's lowest
// point lies at
//   d = -radius (n - (n·a) a)/s - crown n
// from its centre, and so
//   g = p·n - radius s - crown        it stands on the plane,
//   (v + ω × d) · j = 0, … · k = 0    the matter at its lowest point is at rest: velocity rows.
// A wheel that lies flat has no lowest point; it is taken to lean by a millionth of a radian.
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  const double radius = in.options[0], crown = in.options[1];
  const T ai = in.R[0][0];
  T aj = in.R[1][0];
  const T ak = in.R[2][0];
  T s2 = aj * aj + ak * ak;
  constexpr double kLean = 1e-6;
  if (valueOf(s2) < kLean * kLean) {
    aj = aj + T(kLean);
    s2 = aj * aj + ak * ak;
  }
  const T s = squareRoot(s2);
  out.residual[0] = in.p[0] - T(radius) * s - T(crown);

  const T scale = T(radius) * ai / s;
  const T d[3] = {T(-radius) * s - T(crown), scale * aj, scale * ak};
  // e·(v + ω × d) = e·v + (d × e)·ω for e = j and e = k.
  const T zero(0), one(1);
  const T rows[2][6] = {{zero, one, zero, zero - d[2], zero, d[0]},
                        {zero, zero, one, d[1], zero - d[0], zero}};
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < 6; ++i) out.velocity[r][i] = rows[r][i];

  out.coordinate[0] = in.p[1];
  out.coordinate[1] = in.p[2];
  rotationVectorAt(in, 2, out);
  swingAndTwistAt(in, 5, out);
}

OptionFault prepare(std::span<const std::vector<double>> given, std::vector<double>& data) {
  const double radius = given[0].at(0), crown = given[1].empty() ? 0 : given[1][0];
  data.insert(data.end(), {radius, crown});
  if (radius < 0) return {"'radius' must not be negative", 0};
  if (crown < 0) return {"'crown' must not be negative", 1};
  if (!(radius + crown > 0)) return {"a wheel needs a radius or a crown", 0};
  return {};
}

// What comes of giving both frames the same axis.
std::string caution(std::span<const double> data, const Pose& X_12) {
  const Vec3 axle = rotate(X_12.q, Vec3{1, 0, 0});
  if (!(data[0] > 0) || axle.y * axle.y + axle.z * axle.z > 1e-12) return {};
  return "the wheel lies flat, with its axle along the plane's normal; 'axis1' must be the normal "
         "and 'axis2' the axle";
}

std::vector<JointExample> examples() {
  return {{"", {{"radius", {0.4}, {}}, {"crown", {0.05}, {}}}},
          {"disc", {{"radius", {0.5}, {}}}},
          {"ball", {{"radius", {0}, {}}, {"crown", {0.3}, {}}}}};
}

}  // namespace

JointKind rolling() {
  JointKind kind;
  kind.name = "rolling";
  kind.papers = "Gascuel: the monocycle's wheel on the floor";
  kind.elsewhere = "wheel";
  kind.summary = "a wheel or a ball rolls on a plane without slipping";
  kind.residualCount = 1;
  kind.velocityCount = 2;
  kind.coordinateCount = 2;
  kind.coordinates[0] = {"y", false, false};
  kind.coordinates[1] = {"z", false, false};
  addRotationVector(kind);
  addSwingAndTwist(kind);
  kind.optionCount = 2;
  kind.options[0] = {"radius", 1, OptionUnit::Length, 0, true};
  kind.options[1] = {"crown", 1, OptionUnit::Length, 0, false};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.prepare = &prepare;
  kind.caution = &caution;
  kind.examples = &examples;
  return kind;
}

}  // namespace tenon::joints
