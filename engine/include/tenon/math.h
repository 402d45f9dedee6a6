// The vocabulary of space: vectors, matrices, rotations, poses. Plain data, no hidden state.
//
// These are the types of Tenon's interface and of its inner loops. They are our own, and few, for
// two reasons: a library type here would force its version and its compile flags on every user,
// and sums written out by hand are the same bits in every build.
#pragma once

#include <cmath>

// Always inlined: were there a copy of these functions for the linker to merge, a user's file built
// with other flags (-march=native, say) could give the engine its copy, and other bits with it.
#define TENON_INLINE [[gnu::always_inline]] inline

namespace tenon {

inline constexpr double kPi = 3.14159265358979323846;

struct Vec3 {
  double x = 0, y = 0, z = 0;

  TENON_INLINE constexpr double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  TENON_INLINE constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

TENON_INLINE constexpr Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
TENON_INLINE constexpr Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
TENON_INLINE constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
TENON_INLINE constexpr Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
TENON_INLINE constexpr Vec3 operator*(const Vec3& a, double s) { return s * a; }
TENON_INLINE constexpr Vec3 operator/(const Vec3& a, double s) {
  return {a.x / s, a.y / s, a.z / s};
}
TENON_INLINE constexpr Vec3& operator+=(Vec3& a, const Vec3& b) { return a = a + b; }
TENON_INLINE constexpr Vec3& operator-=(Vec3& a, const Vec3& b) { return a = a - b; }
TENON_INLINE constexpr Vec3& operator*=(Vec3& a, double s) { return a = s * a; }

TENON_INLINE constexpr double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
TENON_INLINE constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TENON_INLINE double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
TENON_INLINE bool isFinite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

// Row-major: m[row][column].
struct Mat3 {
  double m[3][3] = {};

  TENON_INLINE constexpr double& operator()(int r, int c) { return m[r][c]; }
  TENON_INLINE constexpr double operator()(int r, int c) const { return m[r][c]; }
  [[nodiscard]] TENON_INLINE constexpr Vec3 row(int r) const { return {m[r][0], m[r][1], m[r][2]}; }
  [[nodiscard]] TENON_INLINE constexpr Vec3 column(int c) const {
    return {m[0][c], m[1][c], m[2][c]};
  }
  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

TENON_INLINE constexpr Mat3 diagonal(const Vec3& d) {
  return {{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
}
TENON_INLINE constexpr Mat3 identity3() { return diagonal({1, 1, 1}); }
TENON_INLINE constexpr Mat3 columns(const Vec3& a, const Vec3& b, const Vec3& c) {
  return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
TENON_INLINE constexpr Mat3 transpose(const Mat3& a) {
  return columns(a.row(0), a.row(1), a.row(2));
}
// The matrix of a × : skew(a) b = a × b.
TENON_INLINE constexpr Mat3 skew(const Vec3& a) {
  return {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}
TENON_INLINE constexpr Mat3 outer(const Vec3& a, const Vec3& b) {
  return {{{a.x * b.x, a.x * b.y, a.x * b.z},
           {a.y * b.x, a.y * b.y, a.y * b.z},
           {a.z * b.x, a.z * b.y, a.z * b.z}}};
}
TENON_INLINE constexpr Mat3 operator+(const Mat3& a, const Mat3& b) {
  Mat3 s;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) s.m[r][c] = a.m[r][c] + b.m[r][c];
  return s;
}
TENON_INLINE constexpr Mat3 operator-(const Mat3& a, const Mat3& b) {
  Mat3 s;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) s.m[r][c] = a.m[r][c] - b.m[r][c];
  return s;
}
TENON_INLINE constexpr Mat3 operator*(double k, const Mat3& a) {
  Mat3 s;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) s.m[r][c] = k * a.m[r][c];
  return s;
}
TENON_INLINE constexpr Mat3& operator+=(Mat3& a, const Mat3& b) { return a = a + b; }
TENON_INLINE constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 p;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      p.m[r][c] = a.m[r][0] * b.m[0][c] + a.m[r][1] * b.m[1][c] + a.m[r][2] * b.m[2][c];
  return p;
}
TENON_INLINE constexpr Vec3 operator*(const Mat3& a, const Vec3& v) {
  return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}
TENON_INLINE constexpr double trace(const Mat3& a) { return a.m[0][0] + a.m[1][1] + a.m[2][2]; }
TENON_INLINE constexpr double determinant(const Mat3& a) {
  return dot(a.row(0), cross(a.row(1), a.row(2)));
}
// Precondition: determinant(a) != 0.
TENON_INLINE constexpr Mat3 inverse(const Mat3& a) {
  const Vec3 r0 = a.row(0), r1 = a.row(1), r2 = a.row(2);
  const Vec3 c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
  const double d = dot(r0, c0);
  return columns(c0 / d, c1 / d, c2 / d);
}

// A rotation as a unit quaternion x i + y j + z k + w. q and -q are the same rotation.
struct Quat {
  double x = 0, y = 0, z = 0, w = 1;
  friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

TENON_INLINE constexpr Quat operator*(const Quat& a, const Quat& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
TENON_INLINE constexpr Quat conjugate(const Quat& q) { return {-q.x, -q.y, -q.z, q.w}; }
TENON_INLINE double norm(const Quat& q) {
  return std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}
TENON_INLINE Quat normalized(const Quat& q) {
  const double n = norm(q);
  return {q.x / n, q.y / n, q.z / n, q.w / n};
}
TENON_INLINE bool isFinite(const Quat& q) {
  return std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w);
}
TENON_INLINE constexpr Mat3 rotationMatrix(const Quat& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
           {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
           {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}
TENON_INLINE constexpr Vec3 rotate(const Quat& q, const Vec3& v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

// X_AB: frame B seen from A. A point p_B of B is at p + R p_B in A.
struct Pose {
  Vec3 p;  // [m]
  Quat q;
  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

TENON_INLINE constexpr Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.p + rotate(X_AB.q, X_BC.p), X_AB.q * X_BC.q};
}
TENON_INLINE constexpr Pose inverse(const Pose& X) {
  const Quat back = conjugate(X.q);
  return {-rotate(back, X.p), back};
}
TENON_INLINE constexpr Vec3 transform(const Pose& X, const Vec3& p) { return X.p + rotate(X.q, p); }

}  // namespace tenon

#undef TENON_INLINE
