// Rotations as unit quaternions: exponential and logarithm, frames from directions, mirrors.
//
// A rotation vector points along the axis and is as long as the angle [rad].
#pragma once

#include <tenon/math.h>

#include <cmath>

#include "math/portable.h"

namespace tenon {

inline Vec3 normalized(const Vec3& v) { return v / norm(v); }

// exp(w): v = w sin(θ/2)/θ, scalar cos(θ/2), θ = |w|.
inline Quat exponential(const Vec3& w) {
  const double square = dot(w, w);
  if (square < 1e-6) {
    // sin(θ/2)/θ = 1/2 - θ²/48 + θ⁴/3840 - …;  cos(θ/2) = 1 - θ²/8 + θ⁴/384 - θ⁶/46080 + …
    const double f = 0.5 - square * (1.0 / 48 - square * (1.0 / 3840));
    const double c = 1 - square * (1.0 / 8 - square * (1.0 / 384 - square * (1.0 / 46080)));
    return {f * w.x, f * w.y, f * w.z, c};
  }
  const double angle = std::sqrt(square);
  const SineCosine half = sineCosine(0.5 * angle);
  const double f = half.sine / angle;
  return {f * w.x, f * w.y, f * w.z, half.cosine};
}

// The shortest rotation vector, |log q| <= π: log q = v · 2 arctan(|v|/w)/|v| with w >= 0. A half
// turn has two; the one whose first component that is not 0 is positive is taken, so that q and -q
// agree. Precondition: |q| = 1 to rounding.
inline Vec3 logarithm(const Quat& q) {
  const bool flip = q.w != 0 ? q.w < 0 : q.x != 0 ? q.x < 0 : q.y != 0 ? q.y < 0 : q.z < 0;
  const double s = flip ? -1.0 : 1.0;
  const Vec3 v{s * q.x, s * q.y, s * q.z};
  const double w = s * q.w;
  const double square = dot(v, v);
  if (square < 1e-6) {
    // arctan(t)/t = 1 - t²/3 + t⁴/5 - t⁶/7, t = |v|/w
    const double t2 = square / (w * w);
    return (2 / w * (1 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 * (1.0 / 7))))) * v;
  }
  const double length = std::sqrt(square);
  return (2 * arctangent2(length, w) / length) * v;
}

// Precondition: axis is a unit vector. angle [rad]
inline Quat fromAxisAngle(const Vec3& axis, double angle) {
  const SineCosine half = sineCosine(0.5 * angle);
  return {half.sine * axis.x, half.sine * axis.y, half.sine * axis.z, half.cosine};
}

// The quaternion of a rotation matrix, scalar part >= 0. Of 4w², 4x², 4y², 4z² the largest is
// taken from the diagonal (it is at least 1), the others from sums and differences. [Shepperd 1978]
inline Quat quaternionOf(const Mat3& R) {
  const double t = trace(R);
  Quat q;
  if (t >= R(0, 0) && t >= R(1, 1) && t >= R(2, 2)) {
    q = {R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1), 1 + t};
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    q = {1 + 2 * R(0, 0) - t, R(0, 1) + R(1, 0), R(0, 2) + R(2, 0), R(2, 1) - R(1, 2)};
  } else if (R(1, 1) >= R(2, 2)) {
    q = {R(0, 1) + R(1, 0), 1 + 2 * R(1, 1) - t, R(1, 2) + R(2, 1), R(0, 2) - R(2, 0)};
  } else {
    q = {R(0, 2) + R(2, 0), R(1, 2) + R(2, 1), 1 + 2 * R(2, 2) - t, R(1, 0) - R(0, 1)};
  }
  if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
  return normalized(q);
}

// A unit vector across the unit vector n: where the x axis goes when z is turned to n (z >= 0) or
// -z is (z < 0), the shortest way. Smooth but for a jump where n.z changes sign. [Duff et al. 2017]
inline Vec3 anyPerpendicular(const Vec3& n) {
  const double s = n.z >= 0 ? 1.0 : -1.0;  // not copysign: -0 is 0
  const double a = -1 / (s + n.z);
  return normalized(Vec3{1 + s * n.x * n.x * a, s * n.x * n.y * a, -s * n.x});
}

// The shortest rotation that takes unit vector a to unit vector b; scalar part >= 0. For b = -a the
// axis is anyPerpendicular(a).
inline Quat rotationBetween(const Vec3& a, const Vec3& b) {
  // Twice the rotation from a to the bisector h: (a × h, a·h). Good while a + b is not small.
  const auto nearby = [](const Vec3& from, const Vec3& to) {
    const Vec3 h = normalized(from + to);
    const Vec3 v = cross(from, h);
    return normalized(Quat{v.x, v.y, v.z, dot(from, h)});
  };
  if (dot(a, b) >= 0) return nearby(a, b);
  // Else a half turn about the axis takes a to -a, and -a is near b.
  Vec3 axis = cross(a, b);
  if (!(norm(axis) > 0)) {
    axis = anyPerpendicular(a);
    return {axis.x, axis.y, axis.z, 0};
  }
  axis = normalized(axis);
  axis = normalized(axis - dot(axis, a) * a);
  const Quat q = normalized(nearby(-a, b) * Quat{axis.x, axis.y, axis.z, 0});
  return q.w < 0 ? Quat{-q.x, -q.y, -q.z, -q.w} : q;
}

// The frame whose x axis is along i and whose y axis is as near to jHint as that allows; without a
// usable hint (zero, or along i) y is anyPerpendicular(i). Precondition: i is not zero.
inline Quat frameFromAxes(const Vec3& i, const Vec3& jHint) {
  const Vec3 x = normalized(i);
  const double hint = norm(jHint);
  Vec3 y = anyPerpendicular(x);
  if (hint > 0) {
    const Vec3 h = jHint / hint;
    const Vec3 across = h - dot(h, x) * x;
    const double length = norm(across);
    if (length > 1e-9) {
      y = across / length;
      y = normalized(y - dot(y, x) * x);  // once more: a hint near x loses digits the first time
    }
  }
  return quaternionOf(columns(x, y, cross(x, y)));
}

// ---- Mirrors. M = 1 - 2 n nᵀ for the unit normal n of the plane n·p = offset [m].
//
// A mirrored solid is the solid whose local geometry is mirrored by M in its own frame, at the
// pose M X M, which is a proper rotation again.

inline Vec3 mirroredPoint(const Vec3& p, const Vec3& n, double offset = 0) {
  return p - (2 * (dot(n, p) - offset)) * n;
}

inline Vec3 mirroredVector(const Vec3& v, const Vec3& n) { return v - (2 * dot(n, v)) * n; }

// Spins, torques, rotation vectors: what a cross product gives turns the other way. -M v
inline Vec3 mirroredAxial(const Vec3& v, const Vec3& n) { return (2 * dot(n, v)) * n - v; }

inline Quat mirrored(const Quat& q, const Vec3& n) {
  const Vec3 v = mirroredAxial({q.x, q.y, q.z}, n);
  return {v.x, v.y, v.z, q.w};
}

inline Pose mirrored(const Pose& X, const Vec3& n, double offset = 0) {
  return {mirroredPoint(X.p, n, offset), mirrored(X.q, n)};
}

}  // namespace tenon
