// The catalogue of lower pairs; their mathematics: lower_pairs.h.
#include "joints/lower_pairs.h"

#include <string_view>

namespace tenon::joints {

namespace {

constexpr unsigned translation(int axis) { return 1u << axis; }
constexpr unsigned rotation(int axis) { return 8u << axis; }

template <class T>
void evaluate(const JointKind& kind, const JointInput<T>& in, JointOutput<T>& out) {
  int g = 0, c = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (kind.locked & translation(axis))
      out.residual[g++] = in.p[axis];
    else
      out.coordinate[c++] = in.p[axis];

  turnResiduals(kind.locked, in, out.residual + g);
  if (lockedTurns(kind.locked).count == 0) {  // the rotation vector once for its three components
    rotationVectorAt(in, c, out);
    swingAndTwistAt(in, c + 3, out);
    c += 5;
  }
  for (int turn = 0; lockedTurns(kind.locked).count > 0 && turn < turnCoordinates(kind.locked);
       ++turn, ++c)
    if (in.asks(c)) out.coordinate[c] = turnCoordinate(kind.locked, in, turn, in.memory);
  if (c < kind.coordinateCount && in.asks(c)) {  // of a plane
    const T inPlane[2] = {in.p[1], in.p[2]};
    out.coordinate[c] = lengthOf(inPlane);
  }
}

// A kind from its mask: lockedAxes("pin", "ijk", "jk", …) locks three translations and two
// rotations.
JointKind lockedAxes(std::string_view name, std::string_view translations,
                     std::string_view rotations, std::string_view papers,
                     std::string_view elsewhere, std::string_view summary) {
  JointKind kind;
  kind.name = name;
  kind.papers = papers;
  kind.elsewhere = elsewhere;
  kind.summary = summary;
  for (const char axis : translations) kind.locked |= translation(axis - 'i');
  for (const char axis : rotations) kind.locked |= rotation(axis - 'i');

  const auto freeCoordinate = [&kind](std::string_view label, bool angular, bool periodic) {
    kind.coordinates[kind.coordinateCount++] = {label, angular, periodic};
  };
  constexpr std::string_view alongAxis[]{"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis)
    if (kind.locked & translation(axis))
      kind.residualAngular[kind.residualCount++] = false;
    else
      freeCoordinate(translations.size() == 2 ? "slide" : alongAxis[axis], false, false);
  for (std::size_t n = 0; n < rotations.size(); ++n)
    kind.residualAngular[kind.residualCount++] = true;
  switch (rotations.size()) {
    case 0:
      addRotationVector(kind);
      addSwingAndTwist(kind);
      break;
    case 1:
      freeCoordinate("angle1", true, true);
      freeCoordinate("angle2", true, true);
      break;
    case 2:
      freeCoordinate("angle", true, true);
      break;
    default:
      break;
  }
  if (translations == "i")
    kind.coordinates[kind.coordinateCount++] = {"radius", false, false, JointKind::Measure::Radius};
  kind.freeCount = 6 - kind.residualCount;
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  return kind;
}

}  // namespace

// Main axis i, as in Faure 1998, Table 1; Gascuel stands for Gascuel & Gascuel 1994, §3 and §4.
JointKind ball() {
  return lockedAxes(
      "ball", "ijk", "", "Faure: universal; Gascuel: point to point",
      "spherical ball-socket ball-and-socket socket point cone swing-twist cone-twist",
      "two points coincide");
}
JointKind pin() {
  return lockedAxes("pin", "ijk", "jk", "Faure: pin; Gascuel: point to point with angle max 0",
                    "hinge revolute continuous rotary rotational",
                    "a hinge: it turns about one axis");
}
JointKind cylindrical() {
  return lockedAxes("cylindrical", "jk", "jk", "Faure: cylindrical", "cylinder",
                    "turns about and slides along one axis");
}
JointKind prismatic() {
  return lockedAxes("prismatic", "jk", "ijk", "Faure: prismatic",
                    "slider slide sliding linear translational piston", "slides along one axis");
}
JointKind pointOnLine() {
  return lockedAxes("point-on-line", "jk", "",
                    "Faure: ball-socket; Gascuel: point to segment without ends",
                    "inline line point-line", "a point slides along a line and turns freely");
}
JointKind pointOnPlane() {
  return lockedAxes("point-on-plane", "i", "",
                    "Faure: smooth surface contact; Gascuel: point to ring without rim",
                    "inplane point-plane", "a point slides in a plane and turns freely");
}
JointKind planar() {
  return lockedAxes("planar", "i", "jk", "Faure: plane-to-plane", "plane",
                    "a plane slides and turns on a plane");
}
// i of frame 1 ⟂ j of frame 2: the cross of a cardan joint has an arm in either solid.
JointKind hooke() {
  return lockedAxes(
      "hooke", "ijk", "k", "", "universal cardan u-joint gimbal",
      "a cardan joint with two crossed axes; angle1 turns about axis i of object1, angle2 "
      "about axis j of object2");
}
JointKind weld() {
  return lockedAxes("weld", "ijk", "ijk", "", "fixed rigid lock locked glue", "nothing moves");
}
JointKind parallel() {
  return lockedAxes("parallel", "", "jk", "Gascuel: angle max 0 without a hinge", "parallel-axes",
                    "two axes stay parallel");
}

}  // namespace tenon::joints
