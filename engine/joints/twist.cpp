// Twist: how far one solid is turned about the common axis of a joint, measured between the two
// axes j in the median plane of the two axes i. Nothing is locked; limits make Gascuel's twist
// constraint.                                                                 [Gascuel1994 §4.2.2]
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  out.coordinate[0] = unwrap(medianTwist(in), in.memory[0]);
}

}  // namespace

JointKind twist() {
  JointKind kind;
  kind.name = "twist";
  kind.papers = "Gascuel: twist";
  kind.elsewhere = "torsion";
  kind.summary = "one solid turns about the common axis within limits";
  kind.coordinateCount = kind.freeCount = 1;
  kind.coordinates[0] = {"twist", true, true, JointKind::Measure::Twist};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  return kind;
}

}  // namespace tenon::joints
