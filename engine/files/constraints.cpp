// Gascuel's constraints as joints.                                       [Gascuel1994 §4, §5.2]
//
//   hinge P1 P2                    ball
//   … axial u1                     point-on-line: P2 on the line P1 + λ u1 of object1
//   … planar n1                    point-on-plane: P2 in the plane (P1, n1) of object1
//   angle a1 a2 max 0              pin, cylindrical, planar instead; alone: parallel
//   angle a1 a2, other ranges      a limit on the joint's `swing`; alone: a joint of kind angle
//   twist b1 b2                    a limit on the joint's `twist` (of a pin: its angle)
// One constraint is one joint where a joint can say it all: the directions of `angle` become the
// axes of the joint's frames. Where the line or plane needs the axes for itself, a second joint
// NAME.angle or NAME.twist says the rest.
#include "files/finish.h"
#include "files/tables.h"
#include "math/rotation.h"
#include "model/problem.h"

#include <cassert>
#include <cmath>

namespace tenon::files {
namespace {

using Turned = ConstraintDraft::Turned;

bool sameLine(const Vec3& a, const Vec3& b) { return norm(cross(a, b)) < 1e-12; }

// The first of these coordinates that the kind has.
std::string coordinateOf(const JointKind& kind, std::initializer_list<const char*> names) {
  for (const char* n : names)
    if (findCoordinate(kind, n) >= 0) return n;
  return {};
}

std::string lengthCoordinate(const JointKind& kind) {
  for (int c = 0; c < kind.coordinateCount; ++c)
    if (!kind.coordinates[c].angular) return std::string(kind.coordinates[c].name);
  return {};
}

void limit(JointDraft& d, std::string coordinate, const ConstraintDraft::Range& range,
           double lowest = -kInfinity) {
  CoordinateRule rule;
  rule.coordinate = std::move(coordinate);
  rule.lower = range.min.value_or(lowest);
  rule.upper = range.max.value_or(kInfinity);
  rule.active = {};
  rule.place = range.place;
  d.joint.rules.push_back(std::move(rule));
}

class Lowering {
 public:
  Lowering(ConstraintDraft& c, const Entry& entry, Report& report)
      : c_(c), entry_(entry), report_(report) {}

  std::vector<JointDraft> run() {
    if (c_.axial && c_.planar) {
      report_.error(c_.planar->place, "a constraint cannot have both 'axial' and 'planar'");
      return {};
    }
    if (c_.twist && !c_.angle) {
      report_.error(c_.twist->place, "a twist needs the directions that it turns about",
                    "add 'angle A1 A2;' (without a range, it only names the directions)");
      return {};
    }
    checkRanges();
    std::vector<JointDraft> joints;
    if (c_.hinge || c_.axial || c_.planar) joints.push_back(main());
    if (hasAngle() && !angleDone_) joints.push_back(angleJoint(joints.empty()));
    if (c_.twist && !twistDone_ && hasRange(*c_.twist)) {
      JointDraft* carrier = joints.empty() || !axesAreAngles_ ? nullptr : &joints.back();
      const std::string coordinate =
          carrier == nullptr ? std::string() : coordinateOf(*carrier->kind, {"twist"});
      if (coordinate.empty())
        joints.push_back(twistJoint(joints.empty()));
      else
        limit(*carrier, coordinate, *c_.twist);
    }
    if (joints.empty() && !report_.failed())
      report_.warn(c_.place, "constraint " + quoted(entry_.name) + " restricts nothing");
    return joints;
  }

 private:
  static bool hasRange(const ConstraintDraft::Range& r) { return r.min || r.max; }
  [[nodiscard]] bool hasAngle() const { return c_.angle && hasRange(*c_.angle); }
  // No angle at all: swing equalities instead of a limit, whose derivative is singular there.
  [[nodiscard]] bool isZeroAngle() const {
    return c_.angle && c_.angle->max && *c_.angle->max == 0;
  }

  void checkRanges() {
    if (c_.angle) {
      const double high = c_.angle->max.value_or(0), low = c_.angle->min.value_or(0);
      if (high > kPi * (1 + 1e-12))
        report_.warn(c_.angle->place,
                     "this range goes beyond pi, and an angle between two directions is never "
                     "more than pi",
                     "did you mean degrees? Write 9deg");
      if (high < 0)
        report_.error(c_.angle->place, "an angle between two directions is never negative");
      if (low < 0)
        report_.warn(c_.angle->place, "an angle between two directions is never negative");
    }
    if (c_.twist && (std::abs(c_.twist->max.value_or(0)) > kPi * (1 + 1e-12) ||
                     std::abs(c_.twist->min.value_or(0)) > kPi * (1 + 1e-12)))
      report_.warn(c_.twist->place,
                   "this range goes beyond -pi or pi, and a twist is always between them",
                   "did you mean degrees? Write 9deg");
  }

  JointDraft draft(const char* kind, const char* suffix) {
    JointDraft d;
    d.entry = c_.entry;
    d.scope = c_.scope;
    d.place = c_.place;
    d.kind = findJointKind(kind);
    assert(d.kind != nullptr);  // the catalogue has all that Gascuel's language can say
    d.joint.name = entry_.name + suffix;
    d.joint.kind = kind;
    d.joint.kindPlace = c_.place;
    d.joint.place = c_.place;
    d.joint.shared = entry_.shared;
    d.joint.compliance = c_.compliance;
    d.joint.weight = c_.weight;
    d.joint.damp = c_.damp;
    d.joint.alpha = c_.alpha;
    d.joint.mobility = c_.mobility;
    d.joint.frozen = c_.frozen;
    d.joint.merged = c_.merged;
    d.joint.active = c_.active;
    for (std::size_t k = 0; k < 2; ++k) {
      d.sides[k].object = c_.objects[k];
      d.sides[k].axisPlace = c_.place;
    }
    d.sides[0].point = c_.hinge ? c_.hinge->first : Vec3{};
    d.sides[1].point = c_.hinge ? c_.hinge->second : Vec3{};
    return d;
  }

  void axes(JointDraft& d, const Vec3& a1, const Vec3& a2) {
    d.sides[0].axis = a1;
    d.sides[1].axis = a2;
    if (!c_.angle || !c_.twist) return;
    d.sides[0].normal = c_.twist->direction1;
    d.sides[1].normal = c_.twist->direction2;
    d.sides[0].axisPlace = d.sides[1].axisPlace = c_.twist->place;
  }

  // The joint of the points.
  JointDraft main() {
    const bool zero = isZeroAngle();
    if (!c_.axial && !c_.planar) {
      JointDraft d = draft(zero ? "pin" : "ball", "");
      if (c_.angle) {
        axes(d, c_.angle->direction1, c_.angle->direction2);
        finishRotations(d, zero);
      }
      return d;
    }
    const ConstraintDraft::Directed& directed = c_.axial ? *c_.axial : *c_.planar;
    const Vec3& u = directed.direction;
    const bool shares = c_.angle && sameLine(c_.angle->direction1, u);
    const bool radius = c_.planar && hasRange(directed);
    const bool rigid = shares && zero && !radius;
    JointDraft d = draft(c_.axial ? (rigid ? "cylindrical" : "point-on-line")
                                  : (rigid ? "planar" : "point-on-plane"),
                         "");
    if (shares) {
      // Along u, so that the range of `axial` keeps its sense.
      const double sense = dot(c_.angle->direction1, u) < 0 ? -1 : 1;
      axes(d, u, sense * c_.angle->direction2);
      finishRotations(d, rigid);
    } else {
      d.sides[0].axis = u;
    }
    if (!hasRange(directed)) return d;
    const std::string coordinate =
        c_.axial ? lengthCoordinate(*d.kind) : coordinateOf(*d.kind, {"radius"});
    assert(!coordinate.empty());  // lines have a slide, planes a radius
    limit(d, coordinate, directed, c_.planar ? 0 : -kInfinity);
    return d;
  }

  // Angle and twist on a joint whose axes are the directions of `angle`.
  void finishRotations(JointDraft& d, bool zero) {
    axesAreAngles_ = true;
    if (zero) {
      angleDone_ = true;
    } else if (hasAngle()) {
      const std::string swing = coordinateOf(*d.kind, {"swing"});
      if (!swing.empty() && !isZeroAngle()) {
        limit(d, swing, *c_.angle, 0);
        angleDone_ = true;
      }
    }
    if (!c_.twist || !hasRange(*c_.twist)) return;
    const std::string twist =
        zero ? coordinateOf(*d.kind, {"angle", "twist"}) : coordinateOf(*d.kind, {"twist"});
    if (twist.empty()) return;
    limit(d, twist, *c_.twist);
    twistDone_ = true;
  }

  JointDraft angleJoint(bool only) {
    const bool parallel = isZeroAngle();
    JointDraft d = draft(parallel ? "parallel" : "angle", only ? "" : ".angle");
    axes(d, c_.angle->direction1, c_.angle->direction2);
    if (only) axesAreAngles_ = true;
    if (parallel) {
      const std::string turn = coordinateOf(*d.kind, {"angle", "twist"});
      if (c_.twist && hasRange(*c_.twist) && !turn.empty()) {
        limit(d, turn, *c_.twist);
        twistDone_ = true;
      }
    } else {
      limit(d, "angle", *c_.angle, 0);
    }
    return d;
  }

  JointDraft twistJoint(bool only) {
    JointDraft d = draft("twist", only ? "" : ".twist");
    axes(d, c_.angle->direction1, c_.angle->direction2);
    limit(d, "twist", *c_.twist);
    return d;
  }

  ConstraintDraft& c_;
  const Entry& entry_;
  Report& report_;
  bool angleDone_ = false, twistDone_ = false;
  bool axesAreAngles_ = false;  // the last joint's axes are the directions of `angle`
};

}  // namespace

std::vector<JointDraft> Finisher::lower(ConstraintDraft& d) {
  std::vector<JointDraft> joints = Lowering(d, entryOf(d), report_).run();
  for (std::size_t i = 1; i < joints.size(); ++i)
    if (stage_.names.count(joints[i].joint.name) != 0)
      report_.error(
          d.place, quoted(joints[i].joint.name) + " is declared twice",
          quoted(joints[0].joint.name) + " needs this name for the joint of its rotations");
  return joints;
}

}  // namespace tenon::files
