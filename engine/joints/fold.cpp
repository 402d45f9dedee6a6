// Fold: the angle between two triangles of particles that share an edge, as of cloth.   [Jeon §1]
// Nothing is locked; a limit, a spring or a prescribed angle folds it.
//   e = x_2 - x_1,  n = e × (x_3 - x_1),  m = (x_4 - x_1) × e
//   c = angle from n to m about e: 0 where the triangles lie flat on opposite sides of their edge,
//       positive where x_4 goes to the side that n points away from
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const PointsInput<T>& in, JointOutput<T>& out) {
  using V = std::array<T, 3>;
  const auto minus = [](const T(&a)[3], const T(&b)[3]) -> V {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  };
  const auto times = [](const V& a, const V& b) -> V {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto dot = [](const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  const V e = minus(in.x[1], in.x[0]);
  const V n = times(e, minus(in.x[2], in.x[0])), m = times(minus(in.x[3], in.x[0]), e);
  const T e2 = dot(e, e);
  // A triangle without area has no plane: the angle is called what it was.
  const double area2 = valueOf(dot(n, n)) * valueOf(dot(m, m)), e4 = valueOf(e2) * valueOf(e2);
  if (!(area2 > 1e-24 * e4 * e4) || !(area2 > 0)) {
    out.coordinate[0] = T(std::isnan(in.memory[0]) ? 0 : in.memory[0]);
    return;
  }
  // (n × m)·e/|e| = |n||m| sin c
  out.coordinate[0] =
      unwrap(angleOf(dot(times(n, m), e) / squareRoot(e2), dot(n, m)), in.memory[0]);
}

}  // namespace

JointKind fold() {
  JointKind kind;
  kind.name = "fold";
  kind.papers = "Jeon: angle between adjacent surface elements";
  kind.elsewhere = "dihedral bending crease";
  kind.summary = "the angle between two triangles of particles with a common edge";
  kind.relates = Relates::Points;
  kind.coordinateCount = kind.freeCount = 1;
  kind.coordinates[0] = {"angle", true, true};
  kind.pointValues = &evaluate<double>;
  kind.pointJets = &evaluate<PointJet>;
  return kind;
}

}  // namespace tenon::joints
