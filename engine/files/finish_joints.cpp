// Joints: the frames that the text leaves open, and what a placed figure does to a joint.
//
// A mirrored joint frame R becomes G R H⁻¹ (G as in placement.h), with H a reflection of the joint's
// own axes, the same for both frames. The relative pose of the frames is then seen in the mirror H:
// p -> H p, R_12 -> H R_12 H. H is chosen so that the kind's residuals are what they were up to signs
// and that as many coordinates as possible keep theirs; the rest change sign, and with them ranges,
// targets and values. Nothing here knows a kind: all is found by evaluating it.
#include "files/finish.h"
#include "joints/joint_math.h"
#include "math/rotation.h"
#include "model/problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace tenon::files {
namespace {

Vec3 axisVector(int axis) {
  Vec3 v;
  v[axis] = 1;
  return v;
}

// x axis along i; y near `normal`, or near where the shortest habit puts it: an axis along x gives
// the identity, one along y a quarter turn about z.
Quat frameOf(const Vec3& i, const std::optional<Vec3>& normal) {
  if (i == Vec3{1, 0, 0} && (!normal || *normal == Vec3{0, 1, 0})) return {};
  if (normal) return frameFromAxes(i, *normal);
  return frameFromAxes(i, std::abs(i.y) < 0.9 ? Vec3{0, 1, 0} : Vec3{-1, 0, 0});
}

bool isParallel(const Vec3& a, const Vec3& b) { return norm(cross(a, b)) < 1e-9; }

// ---------------------------------------------------------------------------------------- mirrors

// Values of a kind at a relative pose (or, of a relation of points, at four points made of it);
// none where its options are refused.
std::optional<JointOutput<double>> evaluated(const JointKind& kind, const Vec3& p, const Quat& q,
                                             std::span<const JointOption> options,
                                             const Vec3* points) {
  JointOutput<double> out{};
  std::vector<double> data, memory(kMaxCoordinates + 1, 0);
  if (!prepareOptions(kind, options, data).what.empty()) return std::nullopt;
  const int known = memoryCount(kind) - kind.found;
  for (int f = 0; f < kind.found; ++f)
    memory[static_cast<std::size_t>(known) + static_cast<std::size_t>(f)] =
        std::numeric_limits<double>::quiet_NaN();
  if (kind.relates == Relates::Points) {
    PointsInput<double> in{};
    for (int k = 0; k < kPoints; ++k)
      for (int i = 0; i < 3; ++i) in.x[k][i] = points[k][i];
    in.options = data;
    in.memory = memory;
    kind.pointValues(kind, in, out);
    return out;
  }
  JointInput<double> in{};
  const Mat3 R = rotationMatrix(q);
  for (int r = 0; r < 3; ++r) {
    in.p[r] = p[r];
    for (int c = 0; c < 3; ++c) in.R[r][c] = R(r, c);
  }
  const double sign = q.w < 0 ? -1 : 1;
  in.q[0] = sign * q.x, in.q[1] = sign * q.y, in.q[2] = sign * q.z, in.q[3] = sign * q.w;
  in.options = data;
  in.memory = memory;
  kind.values(kind, in, out);
  return out;
}

const JointKind::Option* optionOf(const JointKind& kind, const JointOption& option) {
  for (int o = 0; o < kind.optionCount; ++o)
    if (kind.options[o].name == option.name) return &kind.options[o];
  return nullptr;
}

// An option seen in the mirror across an axis of the joint's frames; `sign` is for scalars.
void mirrorOption(OptionContent content, int axis, double sign, std::vector<double>& values) {
  switch (content) {
    case OptionContent::Scalars:
      for (double& v : values) v *= sign;
      break;
    case OptionContent::Vectors:
      for (auto i = static_cast<std::size_t>(axis); i < values.size(); i += 3)
        values[i] = -values[i];
      break;
    case OptionContent::Triangles:  // the other way round
      for (std::size_t i = 0; i + 2 < values.size(); i += 3)
        std::swap(values[i + 1], values[i + 2]);
      break;
    case OptionContent::Heights: {  // NY NZ SIZE_Y SIZE_Z, then rows of constant y
      const bool whole = values.size() >= 8 && values[0] >= 2 && values[1] >= 2 &&
                         values[0] == std::floor(values[0]) && values[1] == std::floor(values[1]);
      if (!whole || values[0] * values[1] != static_cast<double>(values.size() - 4))
        return;  // wrong, and said elsewhere
      const auto rows = static_cast<std::size_t>(values[0]);
      const auto columns = static_cast<std::size_t>(values[1]);
      const std::vector<double> old(values.begin() + 4, values.end());
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
          values[4 + r * columns + c] =
              (axis == 0 ? -1 : 1) *
              old[(axis == 1 ? rows - 1 - r : r) * columns + (axis == 2 ? columns - 1 - c : c)];
      break;
    }
  }
}

// +1 or -1 if b = ±a, else 0.
double signBetween(double a, double b) {
  const double tolerance = 1e-9 * (1 + std::abs(a));
  if (std::abs(b - a) < tolerance) return 1;
  if (std::abs(b + a) < tolerance) return -1;
  return 0;
}

}  // namespace

MirrorRule mirrorRuleOf(const JointKind& kind) {
  MirrorRule best;
  if (kind.relates == Relates::Coordinates) {  // its factors change, not itself
    best.axis = 0;
    best.options.fill(1);
    return best;
  }
  // A pose without symmetries.
  const Vec3 p{0.31, -0.17, 0.23};
  const Quat q = exponential(Vec3{0.4, 0.3, -0.2});
  const Vec3 points[kPoints] = {
      {0.1, 0.2, 0.3}, {0.7, -0.1, 0.2}, {0.3, 0.9, -0.4}, {0.2, -0.5, 0.8}};
  const std::vector<JointOption> options = examplesOf(kind).front().options;
  const std::optional<JointOutput<double>> original = evaluated(kind, p, q, options, points);
  assert(original);

  int bestScore = -1, bestFlips = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (unsigned flips = 0; flips < 1u << kind.optionCount; ++flips) {
      MirrorRule rule;
      rule.axis = axis;
      // Only numbers that stand for themselves change their sign, and only if they may be negative.
      bool meaningful = true;
      int flipped = 0;
      for (int o = 0; o < kind.optionCount; ++o) {
        const bool flip = (flips >> o & 1u) != 0;
        flipped += flip ? 1 : 0;
        rule.options[static_cast<std::size_t>(o)] = flip ? -1 : 1;
        meaningful &= !flip || (kind.options[o].content == OptionContent::Scalars &&
                                kind.options[o].above < 0 && kind.options[o].count > 0);
      }
      if (!meaningful) continue;
      std::vector<JointOption> seen = options;
      for (JointOption& option : seen) {
        const auto o = static_cast<std::size_t>(optionOf(kind, option) - kind.options);
        mirrorOption(kind.options[o].content, axis, rule.options[o], option.values);
      }
      const Vec3 n = axisVector(axis);
      Vec3 images[kPoints];
      for (int k = 0; k < kPoints; ++k) images[k] = mirroredVector(points[k], n);
      const std::optional<JointOutput<double>> image =
          evaluated(kind, mirroredVector(p, n), mirrored(q, n), seen, images);
      if (!image) continue;
      // Each residual up to its sign, or all together up to a rotation (the normals of a curve).
      bool good = true;
      double before = 0, after = 0;
      for (int g = 0; g < kind.residualCount; ++g) {
        good &= signBetween(original->residual[g], image->residual[g]) != 0;
        before += original->residual[g] * original->residual[g];
        after += image->residual[g] * image->residual[g];
      }
      good |= kind.found > 0 && signBetween(before, after) > 0;
      int score = 0;
      for (int c = 0; c < kind.coordinateCount; ++c) {
        const double sign = signBetween(original->coordinate[c], image->coordinate[c]);
        rule.coordinates[static_cast<std::size_t>(c)] = sign;
        good &= sign != 0;
        if (sign > 0) score += c == 0 ? 3 : 2;  // of two equally good ones, the first coordinate's
      }
      if (!good || score < bestScore || (score == bestScore && flipped >= bestFlips)) continue;
      best = rule;
      bestScore = score;
      bestFlips = flipped;
    }
  return best;
}

const MirrorRule& Finisher::ruleOf(const JointKind& kind) {
  const auto known = rules_.find(&kind);
  return known != rules_.end() ? known->second
                               : rules_.emplace(&kind, mirrorRuleOf(kind)).first->second;
}

// ----------------------------------------------------------------------------------------- joints

void Finisher::joints() {
  for (const std::uint32_t id : stage_.jointOrder) {
    Entry& entry = stage_.entries[id];
    if (stage_.isRemoved(entry)) continue;
    entry.firstJoint = static_cast<std::uint32_t>(scene_.joints.size());
    if (entry.kind == BlockKind::Joint) {
      joint(stage_.joints[entry.index], entry.name);
    } else {
      for (JointDraft& d : lower(stage_.constraints[entry.index])) {
        std::string name = std::move(d.joint.name);
        joint(d, std::move(name));
      }
    }
    entry.jointCount = static_cast<std::uint32_t>(scene_.joints.size()) - entry.firstJoint;
  }
  for (const auto& [index, draft] : coupled_) couples(*draft, scene_.joints[index]);
}

// What a relation of coordinates couples: joints that may stand after it in the text.
void Finisher::couples(const JointDraft& d, Joint& joint) {
  const auto term = [&](const CoupleDraft& c) -> std::optional<CoupledCoordinate> {
    const std::uint32_t id = find(c.joint, d.scope, BlockKind::Joint);
    if (id == kNone || stage_.entries[id].jointCount == 0) return std::nullopt;
    const Entry& e = stage_.entries[id];
    const JointKind& kind = *kinds_[e.firstJoint];
    CoupledCoordinate made = c.term;
    made.joint = scene_.joints[e.firstJoint].name;
    const int k = findCoupledCoordinate(kind, made.coordinate);
    if (kind.coordinateCount == 0) {
      report_.error(c.joint.place, "joint " + quoted(made.joint) + " of kind " + quoted(kind.name) +
                                       " has no coordinate to couple");
      return std::nullopt;
    }
    if (k >= 0) made.coordinate = std::string(kind.coordinates[k].name);
    // What the coordinate becomes where its figure is placed, its factor must undo.
    double scale = 1;
    if (!coordinateValue(e.firstJoint, stage_.commonScope(d.scope, e.scope), made.coordinate,
                         made.place, Dimension::None, scale))
      return std::nullopt;
    made.factor /= scale;
    return made;
  };
  for (const CoupleDraft& c : d.couples)
    if (const auto made = term(c)) joint.couples.push_back(*made);
  if (d.carrier) joint.carrier = term(*d.carrier);
  if (joint.carrier) joint.carrier->factor = 1;
}

void Finisher::joint(JointDraft& d, std::string name) {
  Joint& j = d.joint;
  j.name = std::move(name);
  if (d.kind != nullptr && d.kind->relates == Relates::Coordinates) {
    for (const JointSide* side : {&d.sides[0], &d.sides[1], &d.more[0], &d.more[1]})
      if (side->object.given() || side->point || side->oriented() || d.at || d.axis || d.normal) {
        report_.error(side->object.given() ? side->object.place : d.place,
                      "joint kind " + quoted(d.kind->name) + " has no solids of its own",
                      "it couples coordinates of other joints: 'couple JOINT COORDINATE FACTOR'");
        return;
      }
    scaleJoint(d);
    coupled_.emplace_back(scene_.joints.size(), &d);
    scene_.joints.push_back(j);
    kinds_.push_back(d.kind);
    return;
  }
  const std::array<Body, 2> bodies{body(d.sides[0].object, d.scope),
                                   body(d.sides[1].object, d.scope)};
  if (!bodies[0].good || !bodies[1].good || d.kind == nullptr) return;
  if (bodies[0].name == bodies[1].name) {
    const Reference& second = d.sides[1].object;
    report_.error(
        second.given() ? second.place : d.place,
        bodies[0].name.empty()
            ? "joint " + quoted(j.name) + " connects the world to itself"
            : "joint " + quoted(j.name) + " connects " + quoted(bodies[0].name) + " to itself",
        "give 'object1' or 'object2' another solid");
    return;
  }
  j.solid1 = bodies[0].name;
  j.solid2 = bodies[1].name;
  j.place1 = d.sides[0].object.given() ? d.sides[0].object.place : d.place;
  j.place2 = d.sides[1].object.given() ? d.sides[1].object.place : d.place;
  if (!frames(d, bodies)) return;
  for (JointSide& side : d.more) {
    if (d.kind->relates != Relates::Points) {
      if (!side.object.given() && !side.point) continue;
      report_.error(side.object.given() ? side.object.place : d.place,
                    "joint kind " + quoted(d.kind->name) + " has two solids, not four");
      return;
    }
    if (!side.object.given()) {
      report_.error(
          d.place,
          "joint " + quoted(j.name) + " of kind " + quoted(d.kind->name) + " needs four solids",
          std::string("give '") + (&side == &d.more[0] ? "object3" : "object4") +
              "'; it may be 'world'");
      return;
    }
    const Body b = body(side.object, d.scope);
    if (!b.good) return;
    j.more.push_back({b.name, pointOn(b, side.point.value_or(Vec3{})),
                      side.object.given() ? side.object.place : d.place});
  }
  if (!d.couples.empty() || d.carrier) {
    report_.error(d.place, "joint kind " + quoted(d.kind->name) + " couples no other joints");
    return;
  }
  scaleJoint(d);
  bool good = isFinite(j.frame1.p) && isFinite(j.frame1.q) && isFinite(j.frame2.p) &&
              isFinite(j.frame2.q) && std::isfinite(j.compliance) &&
              std::isfinite(j.damp.value_or(0));
  for (const CoordinateRule& r : j.rules) {
    good &= !std::isnan(r.lower) && !std::isnan(r.upper) && std::isfinite(r.stiffness) &&
            std::isfinite(r.damping) && std::isfinite(r.compliance) && std::isfinite(r.inertia) &&
            std::isfinite(r.target.offset) && std::isfinite(r.target.rate) &&
            std::isfinite(r.target.amplitude);
    for (const Signal::Key& key : r.target.keys) good &= std::isfinite(key.value);
  }
  for (const JointOption& o : j.options)
    for (const double v : o.values) good &= std::isfinite(v);
  if (!finite(good, d)) return;
  scene_.joints.push_back(std::move(j));
  kinds_.push_back(d.kind);
}

// What is given for a side wins; then `at`, `axis`, `normal`; then what the other side is at the
// pose as written; at last the first solid's own frame.
bool Finisher::frames(JointDraft& d, const std::array<Body, 2>& bodies) {
  const Placement& P = placement(d.scope);
  Orthogonal H;
  if (P.mirrored()) {
    const MirrorRule& rule = ruleOf(*d.kind);
    if (rule.axis < 0) {
      report_.error(d.joint.kindPlace,
                    "joint kind " + quoted(d.kind->name) + " has no mirror image",
                    "place the figure without 'mirror'");
      return false;
    }
    H = mirrorIn(axisVector(rule.axis));
  }
  const auto oriented = [&](const std::optional<Vec3>& axis, const std::optional<Vec3>& normal,
                            const Place& place, Quat& q) {
    const Vec3 i = axis.value_or(Vec3{1, 0, 0});
    if (normal && isParallel(i, *normal)) {
      report_.error(place, "the normal is parallel to the axis",
                    axis ? "" : "if no axis is given, the axis is x");
      return false;
    }
    q = frameOf(i, normal);
    return true;
  };
  // A frame of the figure's coordinates, in the world.
  const auto inWorld = [&](const Quat& q) {
    return P.identity ? q : rotationOf(P.Q * Orthogonal{q, false} * inverse(H));
  };

  std::array<Pose, 2> X_WS{poseOf(bodies[0]), poseOf(bodies[1])};
  std::array<Pose, 2> local;
  std::array<bool, 2> hasPoint{}, hasOrientation{};
  for (std::size_t k = 0; k < 2; ++k) {
    const JointSide& side = d.sides[k];
    const bool world = bodies[k].solid == kNone;
    const Placement& C = placement(bodies[k].scope);
    if (side.point) {
      local[k].p = world ? P.point(*side.point) : C.localPoint(*side.point);
      hasPoint[k] = true;
    }
    if (!side.oriented()) continue;
    if (side.orientation && (side.axis || side.normal)) {
      report_.error(side.axisPlace,
                    "give either an axis and a normal, or an orientation, not both");
      return false;
    }
    if (!world && C.mirrored() != P.mirrored()) {
      report_.error(
          side.axisPlace,
          "a direction of " + quoted(bodies[k].name) +
              " has no meaning here: only one of this joint and this solid is in a mirrored figure",
          "give 'at' and 'axis', in the figure's coordinates");
      return false;
    }
    Quat q;
    if (side.orientation) {
      q = *side.orientation;
    } else if (!oriented(side.axis, side.normal, side.axisPlace, q)) {
      return false;
    }
    local[k].q = world        ? inWorld(q)
                 : C.identity ? q
                              : rotationOf(C.G * Orthogonal{q, false} * inverse(H));
    hasOrientation[k] = true;
  }

  Pose X_WJ;  // for the sides that leave it open
  if (d.at) {
    X_WJ.p = P.point(*d.at);
  } else if (hasPoint[0] || hasPoint[1]) {
    const std::size_t k = hasPoint[0] ? 0 : 1;
    X_WJ.p = transform(X_WS[k], local[k].p);
  } else {
    X_WJ.p = bodies[0].solid == kNone ? P.point({}) : X_WS[0].p;
  }
  if (d.axis || d.normal) {
    Quat q;
    if (!oriented(d.axis, d.normal, d.axisPlace, q)) return false;
    X_WJ.q = inWorld(q);
  } else if (hasOrientation[0] || hasOrientation[1]) {
    const std::size_t k = hasOrientation[0] ? 0 : 1;
    X_WJ.q = X_WS[k].q * local[k].q;
  } else if (d.at || bodies[0].solid == kNone) {
    X_WJ.q = inWorld({});
  } else {
    const Placement& C = placement(bodies[0].scope);
    X_WJ.q = X_WS[0].q * (C.mirrored() ? rotationOf(C.G * inverse(H)) : Quat{});
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const Pose open = inverse(X_WS[k]) * X_WJ;
    if (!hasPoint[k])  // points that are related, not joined, are where their solids are
      local[k].p = d.kind->relates == Relates::Points && !d.at ? pointOn(bodies[k], {}) : open.p;
    if (!hasOrientation[k]) local[k].q = rotationOf({open.q, false});
  }
  d.joint.frame1 = local[0];
  d.joint.frame2 = local[1];
  return true;
}

void Finisher::scaleJoint(JointDraft& d) {
  const Placement& P = placement(d.scope);
  if (P.s == 1 && !P.mirrored()) return;
  Joint& j = d.joint;
  const double s = P.s;
  MirrorRule rule;
  if (P.mirrored()) {
    rule = ruleOf(*d.kind);
  } else {
    rule.coordinates.fill(1);
    rule.options.fill(1);
  }
  for (CoordinateRule& r : j.rules) {
    const int c = findCoordinate(*d.kind, r.coordinate);
    if (c < 0) continue;
    const bool angular = d.kind->coordinates[c].angular;
    const double factor = rule.coordinates[static_cast<std::size_t>(c)] * (angular ? 1 : s);
    r.lower *= factor;
    r.upper *= factor;
    if (factor < 0) std::swap(r.lower, r.upper);
    r.target.offset *= factor;
    r.target.rate *= factor;
    r.target.amplitude *= factor;
    for (Signal::Key& key : r.target.keys) key.value *= factor;
    r.stiffness *= power(s, angular ? 5 : 3);
    r.damping *= power(s, angular ? 5 : 3);
    r.maxForce *= power(s, angular ? 5 : 4);
    r.compliance *= power(s, angular ? -5 : -3);
    r.inertia *= power(s, angular ? 5 : 3);
    r.radius *= s;
  }
  for (JointOption& option : j.options) {
    const JointKind::Option* known = optionOf(*d.kind, option);
    if (known == nullptr) continue;
    if (P.mirrored())
      mirrorOption(known->content, rule.axis,
                   rule.options[static_cast<std::size_t>(known - d.kind->options)], option.values);
    const bool heights = known->content == OptionContent::Heights;
    for (std::size_t i = heights ? 2 : 0; i < option.values.size(); ++i)
      if (heights || known->unit == OptionUnit::Length) option.values[i] *= s;
  }
  if (j.alpha) *j.alpha *= power(s, 3);
  j.compliance *= power(s, -3);
  if (j.damp) *j.damp *= s * s;
}

}  // namespace tenon::files
