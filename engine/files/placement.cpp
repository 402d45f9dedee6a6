#include "files/placement.h"

#include <cmath>
#include <utility>

namespace tenon::files {
namespace {

// F R(q) F: what a rotation looks like in the mirror x -> -x.
Quat reflected(const Quat& q) { return {q.x, -q.y, -q.z, q.w}; }

// The reflection G as seen by a primitive shape, if it leaves the shape as it is: then the shape
// need not be turned.
bool isSymmetryOf(ShapeKind kind, const Orthogonal& g) {
  if (!g.flip) return false;
  const Mat3 m = matrixOf(g);
  int axis = -1;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      if (r != c && m(r, c) != 0) return false;
      if (r == c && m(r, c) < 0) {
        if (axis >= 0) return false;
        axis = r;
      }
    }
  return axis >= 0 && !(kind == ShapeKind::Cone && axis == 1);  // a cone has two ends
}

void placeShape(const Placement& placement, Shape& shape) {
  const double s = placement.s;
  const Orthogonal turned = placement.G * Orthogonal{shape.pose.q, false};
  // R_s' = G R_s G_s⁻¹, z' = s G_s z, with a reflection G_s of the shape's own frame.
  Orthogonal own;
  if (turned.flip) {
    const bool points = shape.kind == ShapeKind::Hull || shape.kind == ShapeKind::Mesh;
    own = points || isSymmetryOf(shape.kind, placement.G) ? placement.G : Orthogonal{Quat{}, true};
  }
  shape.pose = {placement.localPoint(shape.pose.p), rotationOf(turned * inverse(own))};
  shape.size = s * shape.size;
  for (Vec3& p : shape.points) p = s * apply(own, p);
  if (own.flip)
    for (auto& triangle : shape.triangles) std::swap(triangle[1], triangle[2]);
}

}  // namespace

Orthogonal operator*(const Orthogonal& a, const Orthogonal& b) {
  return {a.q * (a.flip ? reflected(b.q) : b.q), a.flip != b.flip};
}

Orthogonal inverse(const Orthogonal& a) {
  const Quat back = conjugate(a.q);
  return {a.flip ? reflected(back) : back, a.flip};
}

Vec3 apply(const Orthogonal& a, const Vec3& v) {
  return rotate(a.q, a.flip ? Vec3{-v.x, v.y, v.z} : v);
}

Vec3 applyAxial(const Orthogonal& a, const Vec3& v) {
  return a.flip ? Vec3{} - apply(a, v) : apply(a, v);  // no negative zeros
}

Mat3 matrixOf(const Orthogonal& a) {
  Mat3 m = rotationMatrix(a.q);
  if (a.flip)
    for (int r = 0; r < 3; ++r) m(r, 0) = -m(r, 0);
  return m;
}

// As quaternions, a reflection is v -> n v n; so M_n F = n v' n with v' = m v m, m = (1, 0, 0): the
// rotation of the quaternion n m = (n × m, -n · m).
Orthogonal mirrorIn(const Vec3& n) { return {{0, n.z, -n.y, -n.x}, true}; }

Quat rotationOf(const Orthogonal& a) {
  const Quat& q = a.q;
  const double sign = q.w != 0 ? q.w : q.x != 0 ? q.x : q.y != 0 ? q.y : q.z;
  if (sign < 0) return {0 - q.x, 0 - q.y, 0 - q.z, 0 - q.w};  // 0 - x: no negative zeros
  return {0 + q.x, 0 + q.y, 0 + q.z, 0 + q.w};
}

Vec3 Placement::point(const Vec3& p) const { return identity ? p : t + s * apply(Q, p); }
Vec3 Placement::direction(const Vec3& d) const { return identity ? d : apply(Q, d); }
Vec3 Placement::localPoint(const Vec3& p) const { return identity ? p : s * apply(G, p); }
Vec3 Placement::localDirection(const Vec3& d) const { return identity ? d : apply(G, d); }
Pose Placement::solidPose(const Pose& X) const {
  if (identity) return X;
  return {point(X.p), rotationOf(Q * Orthogonal{X.q, false} * inverse(G))};
}

Placement operator*(const Placement& outer, const Placement& inner) {
  if (outer.identity) return inner;
  if (inner.identity) return outer;
  return {outer.point(inner.t), outer.s * inner.s, outer.Q * inner.Q, outer.G * inner.G, false};
}

Placement placementOf(const Vec3& at, const Quat& turn, double scale, const Vec3* mirrorNormal) {
  Placement p;
  p.t = at;
  p.s = scale;
  p.Q = {turn, false};
  if (mirrorNormal != nullptr) {
    const Vec3& n = *mirrorNormal;
    int nearest = 0;
    for (int k = 1; k < 3; ++k)
      if (std::abs(n[k]) > std::abs(n[nearest])) nearest = k;
    Vec3 axis;
    axis[nearest] = 1;
    p.G = mirrorIn(axis);
    p.Q = p.Q * mirrorIn(n);
  }
  p.identity = at == Vec3{} && turn == Quat{} && scale == 1 && mirrorNormal == nullptr;
  return p;
}

void place(const Placement& placement, Solid& solid) {
  if (placement.identity) return;
  const double s = placement.s;
  solid.pose = placement.solidPose(solid.pose);
  for (PathKey& key : solid.path) key.pose = placement.solidPose(key.pose);
  solid.velocity = s * placement.direction(solid.velocity);
  solid.spin = applyAxial(placement.Q, solid.spin);
  for (Shape& shape : solid.shapes) placeShape(placement, shape);
  if (solid.mass) *solid.mass *= power(s, 3);
  if (solid.rotatability) *solid.rotatability *= power(s, -2);
  if (solid.com) solid.com = placement.localPoint(*solid.com);
  if (solid.inertia) {
    const Mat3 g = matrixOf(placement.G);
    Mat3 I = power(s, 5) * (g * *solid.inertia * transpose(g));
    for (int r = 0; r < 3; ++r)  // symmetric to the last bit
      for (int c = 0; c < r; ++c) I(r, c) = I(c, r);
    solid.inertia = I;
  }
}

double power(double s, int exponent) {
  double p = 1;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) p *= s;
  return exponent < 0 ? 1 / p : p;
}

}  // namespace tenon::files
