// Relations of coordinates: the terms of gears, and what a carrier adds to them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "compile/compiler.h"
#include "joints/joint_math.h"
#include "math/rotation.h"

namespace tenon {

namespace {

std::string listed(const JointKind& kind) {
  std::string text;
  for (int c = 0; c < kind.coordinateCount; ++c)
    text += (c == 0 ? "" : ", ") + std::string(kind.coordinates[c].name);
  return text;
}

bool isAngular(const Mechanism& m, const MechanismTerm& term) {
  return m.joints[term.joint].kind->coordinates[term.coordinate].angular;
}

// A term's joint and coordinate, or a problem.
bool findTerm(Compiler& compiler, const CoupledCoordinate& source, MechanismTerm& term) {
  const Mechanism& m = compiler.mechanism;
  if (!compiler.findJoint(source.joint, source.place, term.joint)) return false;
  const MechanismJoint& joint = m.joints[term.joint];
  const JointKind* kind = joint.kind;
  if (kind == nullptr) return false;  // said already
  const int c = findCoupledCoordinate(*kind, source.coordinate);
  if (c < 0) {
    const bool none = kind->coordinateCount == 0;
    compiler.error(source.place,
                   "joint '" + source.joint + "' of kind '" + std::string(kind->name) +
                       "' has no " +
                       (none ? "coordinate to couple" : "coordinate '" + source.coordinate + "'"),
                   none ? "" : "it has " + listed(*kind));
    return false;
  }
  term.coordinate = static_cast<Index>(c);
  term.factor = source.factor;
  for (const Index solid : {joint.solid1, joint.solid2})
    if (kind->relates == Relates::Frames && isAngular(m, term) && solid != kWorld &&
        m.solids[solid].pointMass) {
      compiler.error(source.place,
                     "'" + std::string(kind->coordinates[c].name) + "' of joint '" + source.joint +
                         "' is an angle, and '" + compiler.scene.solids[solid].name +
                         "' is a point mass, which does not turn",
                     "couple a coordinate in metres, or make it a solid with a shape");
      return false;
    }
  if (std::isfinite(term.factor) && term.factor != 0) return true;
  compiler.error(source.place, "the factor of a coupled coordinate must be finite and not zero");
  return false;
}

// ---------------------------------------------------------------------------------------- carriers
//
// Wheels that sit on an arm mesh as the arm sees them. A coordinate c of a joint between the base, on
// which the arm turns, and a wheel is to be counted from the arm. With a the direction of c (about
// which the wheel turns, or along which it slides), and the arm moving by c_arm along b,
//   ċ as seen from the arm = (ω_wheel - ω_base)·a - (ω_arm - ω_base)·a = ċ ∓ ċ_arm,
// a and b being parallel. The sign is that of a·b, once more reversed for each of the two joints
// whose first solid is not the base. So nothing depends on the order in which solids are named, nor
// on which way an axis points; a mirrored figure needs no sign of its own.

// The unit direction of frame 1, and of frame 2 where the frames coincide, along or about which a
// coordinate runs. None if no fixed direction is that: a distance, a swing, an angle of points.
// Nothing here knows a kind: all is found by evaluating it.
std::optional<Vec3> directionOf(const Mechanism& m, const MechanismTerm& term) {
  const MechanismJoint& joint = m.joints[term.joint];
  const JointKind& kind = *joint.kind;
  if (kind.relates != Relates::Frames) return std::nullopt;
  std::vector<double> memory(static_cast<std::size_t>(memoryCount(kind)), 0);
  for (int f = 0; f < kind.found; ++f)
    memory[memory.size() - 1 - static_cast<std::size_t>(f)] =
        std::numeric_limits<double>::quiet_NaN();
  const auto valueAt = [&](const Vec3& p, const Quat& q) {
    JointInput<double> in{};
    JointOutput<double> out{};
    const Mat3 R = rotationMatrix(q);
    for (int r = 0; r < 3; ++r) {
      in.p[r] = p[r];
      for (int c = 0; c < 3; ++c) in.R[r][c] = R(r, c);
    }
    in.q[0] = q.x, in.q[1] = q.y, in.q[2] = q.z, in.q[3] = q.w;
    in.options = {m.options.data() + joint.options.first, joint.options.count};
    in.memory = memory;
    kind.values(kind, in, out);
    return out.coordinate[term.coordinate];
  };
  const auto gradientAt = [&](const Vec3& p) {
    constexpr double h = 1e-3;
    Vec3 gradient;
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = 1;
      const double ahead =
          isAngular(m, term) ? valueAt(p, fromAxisAngle(e, h)) : valueAt(p + h * e, {});
      const double behind =
          isAngular(m, term) ? valueAt(p, fromAxisAngle(e, -h)) : valueAt(p - h * e, {});
      gradient[axis] = (ahead - behind) / (2 * h);
    }
    return gradient;
  };
  const Vec3 p{0.31, -0.17, 0.23};
  const Vec3 here = gradientAt(p), there = gradientAt(-p);
  if (!(norm(here) > 0.5) || !(norm(here - there) < 1e-6)) return std::nullopt;
  return normalized(here);
}

// A line of the world at the pose as written.
struct Line {
  Vec3 point, direction;
};

class Carrier {
 public:
  Carrier(Compiler& compiler, const Joint& gear, const MechanismTerm& term)
      : compiler_(compiler), m_(compiler.mechanism), gear_(gear), term_(term) {}

  // Which solid of the carrier's joint is the arm: the one that moves freely, if the other does not;
  // else the one from which all that is counted turns about its own axis, or that more wheels sit on.
  bool chooseArm(const std::vector<MechanismTerm>& terms) {
    direction_ = directionOf(m_, term_);
    if (!direction_) {
      compiler_.error(gear_.carrier->place, "joint '" + gear_.carrier->joint +
                                                "' cannot be a carrier: it has no fixed axis");
      return false;
    }
    const MechanismJoint& joint = m_.joints[term_.joint];
    const Index solids[2] = {joint.solid1, joint.solid2};
    if (isDynamic(solids[0]) != isDynamic(solids[1])) {
      arm_ = solids[isDynamic(solids[0]) ? 0 : 1];
      base_ = solids[isDynamic(solids[0]) ? 1 : 0];
      return true;
    }
    long score[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      arm_ = solids[k];
      base_ = solids[1 - k];
      bool fits = true;
      for (const MechanismTerm& term : terms) {
        if (isOn(term, arm_)) ++score[k];
        fits = fits && (isOn(term, arm_) || (isOn(term, base_) && isCoaxial(term)));
      }
      if (fits) score[k] += 100;
    }
    if (score[0] == score[1]) {
      compiler_.error(
          gear_.carrier->place,
          "Tenon cannot tell which solid of joint '" + gear_.carrier->joint + "' is the arm",
          "couple a joint of a wheel that sits on the arm");
      return false;
    }
    arm_ = solids[score[0] > score[1] ? 0 : 1];
    base_ = solids[score[0] > score[1] ? 1 : 0];
    return true;
  }

  // What a term adds to the factor of the carrier's coordinate; false, and said so, if it cannot.
  bool count(const MechanismTerm& term, const CoupledCoordinate& source, double& factor) {
    if (isOn(term, arm_)) return true;
    const std::string name = "joint '" + source.joint + "'";
    if (!isOn(term, base_)) {
      compiler_.error(source.place,
                      name + " does not sit on the arm of the carrier, nor on the base of the arm",
                      "it must hold one of the solids of '" + gear_.carrier->joint + "'");
      return false;
    }
    const std::optional<Vec3> direction = directionOf(m_, term);
    if (isAngular(m_, term) != isAngular(m_, term_) || !direction) {
      compiler_.error(source.place, name + " cannot be counted from the carrier: " +
                                        (direction ? "one of them turns and the other slides"
                                                   : "it has no fixed axis"));
      return false;
    }
    const Vec3 a = lineOf(term, *direction).direction, b = lineOf(term_, *direction_).direction;
    if (norm(cross(a, b)) > 1e-6) {
      compiler_.error(source.place,
                      name + " cannot be counted from the carrier: their axes are not parallel",
                      "give it the axis of '" + gear_.carrier->joint +
                          "', or couple a joint that sits on the arm");
      return false;
    }
    const double sign = (dot(a, b) > 0 ? 1 : -1) * senseOf(term) * senseOf(term_);
    factor -= sign * term.factor;
    return true;
  }

 private:
  [[nodiscard]] bool isDynamic(Index solid) const {
    return solid != kWorld && m_.solids[solid].kind == SolidKind::Dynamic;
  }
  [[nodiscard]] bool isFixed(Index solid) const {
    return solid == kWorld || m_.solids[solid].kind == SolidKind::Immobile;
  }
  // Whatever is fixed is one.
  [[nodiscard]] bool same(Index a, Index b) const { return a == b || (isFixed(a) && isFixed(b)); }
  [[nodiscard]] bool isOn(const MechanismTerm& term, Index solid) const {
    const MechanismJoint& joint = m_.joints[term.joint];
    return same(joint.solid1, solid) || same(joint.solid2, solid);
  }
  [[nodiscard]] double senseOf(const MechanismTerm& term) const {
    return same(m_.joints[term.joint].solid1, base_) ? 1 : -1;
  }
  // Where a coordinate runs: of the frame that is on the base, so that it stands still on it.
  [[nodiscard]] Line lineOf(const MechanismTerm& term, const Vec3& direction) const {
    const MechanismJoint& joint = m_.joints[term.joint];
    const bool first = same(joint.solid1, base_);
    const Index solid = first ? joint.solid1 : joint.solid2;
    const Pose& frame = first ? joint.frame1 : joint.frame2;
    const Pose X = solid == kWorld ? frame : m_.solids[solid].initial * frame;
    return {X.p, rotate(X.q, direction)};
  }
  [[nodiscard]] bool isCoaxial(const MechanismTerm& term) const {
    const std::optional<Vec3> direction = directionOf(m_, term);
    if (!direction || isAngular(m_, term) != isAngular(m_, term_)) return false;
    const Line a = lineOf(term, *direction), b = lineOf(term_, *direction_);
    if (norm(cross(a.direction, b.direction)) > 1e-6) return false;
    return !isAngular(m_, term) ||
           norm(cross(a.point - b.point, b.direction)) < 1e-6 * (1 + norm(b.point));
  }

  Compiler& compiler_;
  const Mechanism& m_;
  const Joint& gear_;
  MechanismTerm term_;
  Index arm_ = kWorld, base_ = kWorld;
  std::optional<Vec3> direction_;
};

// Terms of one coordinate as one; those that cancel are gone.
std::vector<MechanismTerm> merged(const std::vector<MechanismTerm>& terms) {
  std::vector<MechanismTerm> sums;
  double size = 0;
  for (const MechanismTerm& term : terms) {
    size = std::max(size, std::abs(term.factor));
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const MechanismTerm& sum) {
      return sum.joint == term.joint && sum.coordinate == term.coordinate;
    });
    if (known == sums.end())
      sums.push_back(term);
    else
      known->factor += term.factor;
  }
  std::erase_if(sums,
                [&](const MechanismTerm& sum) { return std::abs(sum.factor) <= 1e-12 * size; });
  return sums;
}

// The terms of a relation of coordinates, those of its carrier included.
void addTerms(Compiler& compiler, const Joint& source, MechanismJoint& joint) {
  Mechanism& m = compiler.mechanism;
  constexpr std::size_t kMost = 4;
  if (source.couples.size() < 2 || source.couples.size() > kMost) {
    compiler.error(source.place, "joint '" + source.name + "' must couple two to four coordinates",
                   "write `couple JOINT COORDINATE FACTOR;` for each");
    return;
  }
  std::vector<MechanismTerm> terms(source.couples.size());
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (!findTerm(compiler, source.couples[t], terms[t])) return;
  if (source.carrier) {
    MechanismTerm term;
    if (!findTerm(compiler, *source.carrier, term)) return;
    Carrier carrier(compiler, source, term);
    if (!carrier.chooseArm(terms)) return;
    term.factor = 0;
    for (std::size_t t = 0; t < terms.size(); ++t)
      if (!carrier.count(terms[t], source.couples[t], term.factor)) return;
    if (term.factor != 0) terms.push_back(term);
  }
  terms = merged(terms);
  if (terms.empty()) {
    compiler.error(
        source.place,
        "joint '" + source.name + "' has no effect: the coordinates that it couples cancel",
        "couple different coordinates, or change a factor");
    return;
  }
  bool lengths = false;
  double scale = 0;
  for (const MechanismTerm& t : terms) lengths |= !isAngular(m, t);
  for (const MechanismTerm& t : terms)
    if (!lengths || !isAngular(m, t)) scale = std::max(scale, std::abs(t.factor));
  joint.terms = {static_cast<Index>(m.terms.size()), static_cast<Index>(terms.size())};
  for (MechanismTerm& t : terms) {
    t.factor /= scale;
    m.terms.push_back(t);
  }
  m.options[joint.options.first] /= scale;
}

}  // namespace

void Compiler::addCouplings() {
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    MechanismJoint& joint = mechanism.joints[j];
    if (joint.kind && joint.kind->relates == Relates::Coordinates && joint.options.count > 0)
      addTerms(*this, scene.joints[j], joint);
  }
}

// Where no offset is given, relations of coordinates hold as written.
void Compiler::closeCouplings() {
  const State state = initialState(mechanism);
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    const MechanismJoint& joint = mechanism.joints[j];
    if (joint.terms.count == 0 || !scene.joints[j].options.empty()) continue;
    mechanism.options[joint.options.first] += jointValues(mechanism, state, j).residual[0];
  }
}

}  // namespace tenon
