// Twist: how far one solid is turned about the common axis of a joint, measured between the two
// axes j in the median plane of the two axes i. Nothing is locked; limits make Gascuel's twist
// constraint.                                                                 [Gascuel1994 §4.2.2]
//   n = i_1 + i_2,   c = angle about n from j_1 to j_2, both projected along n
// The paper prints i_1 - i_2, the normal of the plane in which the axes do not lean at all.
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  const T n[3] = {in.R[0][0] + T(1), in.R[1][0], in.R[2][0]};
  const T b[3] = {in.R[0][1], in.R[1][1], in.R[2][1]};  // j_2; j_1 is (0, 1, 0)
  // Opposed axes have no median plane: the twist is called 0.
  const T n2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  if (valueOf(n2) < 1e-12) {
    out.coordinate[0] = unwrap(T(0), in.memory[0]);
    return;
  }
  // n · (j_1 × j_2) |n|  over  |n|² j_1·j_2 - (n·j_1)(n·j_2)
  const T sine = (n[2] * (T(0) - b[0]) + n[0] * b[2]) * squareRoot(n2);
  const T cosine = n2 * b[1] - n[1] * (n[0] * b[0] + n[1] * b[1] + n[2] * b[2]);
  if (valueOf(sine) == 0 && valueOf(cosine) == 0) {
    out.coordinate[0] = unwrap(T(0), in.memory[0]);
    return;
  }
  out.coordinate[0] = unwrap(angleOf(sine, cosine), in.memory[0]);
}

}  // namespace

JointKind twist() {
  JointKind kind;
  kind.name = "twist";
  kind.papers = "Gascuel: twist";
  kind.summary = "one solid turns about the common axis within limits";
  kind.coordinateCount = kind.freeCount = 1;
  kind.coordinates[0] = {"twist", true, true};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  return kind;
}

}  // namespace tenon::joints
