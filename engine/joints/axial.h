// Small linear algebra of turning: what discrete gradients and their slopes are written in.
#pragma once

#include <tenon/math.h>

namespace tenon {

// Below this a change is rounding, and its direction tells nothing. [m], [rad]
inline constexpr double kStill = 1e-6;
// A line that is shorter has no direction. [m]
inline constexpr double kNoLength = 1e-12;

inline double contract(const Mat3& a, const Mat3& b) {
  double sum = 0;
  for (int r = 0; r < 3; ++r) sum += dot(a.row(r), b.row(r));
  return sum;
}

// Products with [v]ₓ, whose zeros are not multiplied:  [v]ₓ M,  M [v]ₓ  and  [v]ₓ[w]ₓ = w vᵀ - (v·w) 1.
inline Mat3 skewTimes(const Vec3& v, const Mat3& M) {
  return columns(cross(v, M.column(0)), cross(v, M.column(1)), cross(v, M.column(2)));
}
inline Mat3 timesSkew(const Mat3& M, const Vec3& v) {
  return transpose(columns(cross(M.row(0), v), cross(M.row(1), v), cross(M.row(2), v)));
}
inline Mat3 skewTimesSkew(const Vec3& v, const Vec3& w) {
  Mat3 P = outer(w, v);
  const double along = dot(v, w);
  for (int i = 0; i < 3; ++i) P(i, i) -= along;
  return P;
}

// v with <S, [w]ₓ> = v · w.
inline Vec3 axial(const Mat3& S) {
  return {S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)};
}

// The 3 × 3 matrix of y -> axial(A [y]ₓ N): axial(a nᵀ) = n × a, and [e_m]ₓ = e_m+2 e_m+1ᵀ - e_m+1 e_m+2ᵀ.
inline Mat3 axialAlong(const Mat3& A, const Mat3& N) {
  const auto column = [&](int m) {
    const int i = (m + 1) % 3, j = (m + 2) % 3;
    return cross(N.row(i), A.column(j)) - cross(N.row(j), A.column(i));
  };
  return columns(column(0), column(1), column(2));
}
// That of y -> axial([y]ₓ M) = (tr M - M) y.
inline Mat3 axialOf(const Mat3& M) { return trace(M) * identity3() - M; }

}  // namespace tenon
