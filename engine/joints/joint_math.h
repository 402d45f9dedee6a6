// What a joint file sees: the relative pose of its two frames or its four points, and where to put
// g and c.
#pragma once

#include <tenon/joint.h>
#include <tenon/math.h>

#include <algorithm>
#include <array>
#include <span>

#include "joints/jet.h"

namespace tenon {

// Which rotations a lower pair locks (bits ti tj tk ri rj rk of its mask).
struct LockedTurns {
  int count = 0;
  int locked = 0;  // the last axis that is; of one, the one
  int free = 0;    // the last that is not; of two locked, the one
};
inline LockedTurns lockedTurns(unsigned mask) {
  LockedTurns turns;
  for (int axis = 0; axis < 3; ++axis)
    if ((mask >> (3 + axis) & 1u) != 0) {
      ++turns.count;
      turns.locked = axis;
    } else {
      turns.free = axis;
    }
  return turns;
}

template <class T>
struct JointInput {
  using Number = T;
  unsigned asked = ~0u;  // bits of coordinates; those that nobody asks for may be left out
  T p[3];                // origin of frame 2 in frame 1 [m]
  T R[3][3];             // R_12, row-major; its columns are i_2, j_2, k_2 in frame 1
  T q[4];                // the same as a quaternion x y z w, w >= 0
  std::span<const double> options;  // what `prepare` made, or in the order of JointKind::options
  std::span<const double> memory;   // last values of the periodic coordinates, then what was found

  [[nodiscard]] bool asks(int coordinate, int count = 1) const {
    return (asked >> coordinate & ((1u << count) - 1)) != 0;
  }
};

// Functions of the turn alone take any input that has its R and q.
template <class In>
using NumberOf = typename In::Number;

template <class T>
struct PointsInput {
  T x[kPoints][3];  // [m] world axes
  std::span<const double> options;
  std::span<const double> memory;
};

template <class T>
struct JointOutput {
  T residual[kMaxResiduals];
  T coordinate[kMaxCoordinates];
  // A velocity row is A ξ̇ = 0: velocity of frame 2's origin and angular velocity, seen from frame 1
  // in its axes.
  T velocity[kMaxVelocityRows][6];
  double found = 0;  // to be remembered, if the kind searches
};

// θ/sin θ as a function of u = 1 - cos θ < 0.05, by the series Σ 2ⁿ (n!)²/(2n+1)! uⁿ, as far as it changes anything.
inline double angleOverSineNear(double u) {
  constexpr std::size_t kTerms = 12;
  constexpr auto kSeries = [] {
    std::array<double, kTerms> c{1};
    for (std::size_t n = 1; n < kTerms; ++n) {
      const auto k = static_cast<double>(n);
      c[n] = c[n - 1] * (k / (2 * k + 1));
    }
    return c;
  }();
  double sum = kSeries[kTerms - 1];
  for (std::size_t n = kTerms - 1; n-- > 0;) sum = kSeries[n] + u * sum;
  return sum;
}

// θ/sin θ as a function of c = cos θ, with two derivatives: F' = (c F - 1)/(1 - c²) and
// F'' = (F + 3 c F')/(1 - c²); near θ = 0 by the same series.
// Precondition: c >= 0; towards θ = π the cosine tells too little of the angle.
struct AngleOverSine {
  double f = 0, f1 = 0, f2 = 0;
};
inline AngleOverSine angleOverSineAt(double c) {
  const double u = 1 - c;
  AngleOverSine F;
  if (std::abs(u) < 1e-5) {  // what joints that are closed ask for
    F.f = 1 + u * (1.0 / 3 + u * (2.0 / 15));
    F.f1 = -(1.0 / 3 + u * (4.0 / 15 + u * (6.0 / 35)));
    F.f2 = 4.0 / 15 + u * (12.0 / 35 + u * (32.0 / 105));
    return F;
  }
  if (u < 0.05) {
    double coefficient = 1, power = 1, power1 = 0, power2 = 0;  // uⁿ and its two derivatives by u
    for (int n = 0; n < 14; ++n) {
      F.f += coefficient * power;
      F.f1 -= coefficient * power1;
      F.f2 += coefficient * power2;
      if (n > 2 && coefficient * power2 < 1e-18) break;
      coefficient *= 2.0 * (n + 1) * (n + 1) / ((2.0 * n + 2) * (2.0 * n + 3));
      power2 = (n + 1) * power1;
      power1 = (n + 1) * power;
      power *= u;
    }
    return F;
  }
  const double s2 = (1 - c) * (1 + c);
  F.f = arctangent2(std::sqrt(s2), c) / std::sqrt(s2);
  F.f1 = (c * F.f - 1) / s2;
  F.f2 = (F.f + 3 * c * F.f1) / s2;
  return F;
}
template <class T>
T angleOverSine(const T& cosine) {
  const AngleOverSine F = angleOverSineAt(valueOf(cosine));
  return compose(cosine, F.f, F.f1, F.f2);
}

// The swing that takes axis f of frame 1 to axis f of frame 2, as a rotation vector: its two
// components across f, along axes f+1 and f+2. No second root: opposed axes are π apart.
template <class In, class T = NumberOf<In>>
std::array<T, 2> swing(const In& in, int f) {
  const int b = (f + 1) % 3, c = (f + 2) % 3;
  T vb = in.R[b][f], vc = in.R[c][f];
  if (valueOf(in.R[f][f]) < 0) {
    // Opposed axes: the nearer to π, the less is known of the axis of the swing. Within a millionth
    // of a radian the lean is taken to be a millionth, along itself, or along b if there is none.
    constexpr double kLean = 1e-6;
    const double b0 = valueOf(vb), c0 = valueOf(vc), s = std::sqrt(b0 * b0 + c0 * c0);
    if (s < kLean) {
      vb = vb + T((s > 0 ? kLean * b0 / s : 0) - b0);
      vc = vc + T((s > 0 ? kLean * c0 / s : -kLean) - c0);
    }
  }
  const auto scale = [&] {
    if (valueOf(in.R[f][f]) >= 0) return angleOverSine(in.R[f][f]);
    const T sine = squareRoot(vb * vb + vc * vc);
    return angleOf(sine, in.R[f][f]) / sine;
  }();
  return {T(0) - scale * vc, scale * vb};
}

// Rotation of frame 2 about axis f that is left when the swing of f is taken out; in (-π, π].
template <class In, class T = NumberOf<In>>
T turnAbout(const In& in, int f) {
  const int b = (f + 1) % 3, c = (f + 2) % 3;
  const T sine = in.R[c][b] - in.R[b][c];
  const T cosine = in.R[b][b] + in.R[c][c];
  // Opposed axes leave the turn undetermined: call it 0, with finite derivatives.
  const double r2 = valueOf(sine) * valueOf(sine) + valueOf(cosine) * valueOf(cosine);
  if (r2 < 1e-12) return angleOf(sine - T(valueOf(sine)), cosine - T(valueOf(cosine)) + T(1e-6));
  return angleOf(sine, cosine);
}

// Gascuel's twist: from j_1 to j_2 about n = i_1 + i_2, both projected along n.    [Gascuel1994 §4.2.2]
// The paper prints i_1 - i_2, the normal of the plane in which the axes do not lean at all. Where the
// axes agree this is the turn about them. In (-π, π].
template <class In, class T = NumberOf<In>>
T medianTwist(const In& in) {
  const T n[3] = {in.R[0][0] + T(1), in.R[1][0], in.R[2][0]};
  const T b[3] = {in.R[0][1], in.R[1][1], in.R[2][1]};  // j_2; j_1 is (0, 1, 0)
  // Opposed axes have no median plane: the twist is called 0.
  const T n2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  if (valueOf(n2) < 1e-12) return T(0);
  // n · (j_1 × j_2) |n|  over  |n|² j_1·j_2 - (n·j_1)(n·j_2)
  const T sine = (n[2] * (T(0) - b[0]) + n[0] * b[2]) * squareRoot(n2);
  const T cosine = n2 * b[1] - n[1] * (n[0] * b[0] + n[1] * b[1] + n[2] * b[2]);
  if (valueOf(sine) == 0 && valueOf(cosine) == 0) return T(0);
  return angleOf(sine, cosine);
}

// Angle between axis f of frame 1 and axis f of frame 2, in [0, π]. Its derivative has no limit at
// 0 and π (a cone's tip); there it is called 0.
template <class In, class T = NumberOf<In>>
T swingAngle(const In& in, int f) {
  const T &vb = in.R[(f + 1) % 3][f], &vc = in.R[(f + 2) % 3][f];
  const double b = valueOf(vb), c = valueOf(vc), sine = std::sqrt(b * b + c * c);
  if (sine < 1e-9) return T(arctangent2(sine, valueOf(in.R[f][f])));
  return angleOf(squareRoot(vb * vb + vc * vc), in.R[f][f]);
}

// The rotation vector of frame 2 in frame 1, |.| <= π:  2 atan2(|v|, w)/|v| · v  of q = (v, w).
template <class In, class T = NumberOf<In>>
std::array<T, 3> rotationVector(const In& in) {
  // With n² = |v|² = 1 - w² on the unit sphere, the factor is a function of w alone:
  // 2 acos(w)/sqrt(1 - w²) = 2 F(w), F being angleOverSine at half the angle.
  const T factor = T(2) * angleOverSine(in.q[3]);
  return {factor * in.q[0], factor * in.q[1], factor * in.q[2]};
}

// √(Σ x²). Where all are 0 no direction is better than another: the first is taken, so that the
// derivative is finite.
template <class T, std::size_t n>
T lengthOf(const T (&x)[n]) {
  T sum = x[0] * x[0];
  for (std::size_t i = 1; i < n; ++i) sum = sum + x[i] * x[i];
  if (valueOf(sum) >= 1e-24) return squareRoot(sum);
  const T first = x[0] + T(1e-12);
  sum = first * first;
  for (std::size_t i = 1; i < n; ++i) sum = sum + x[i] * x[i];
  return squareRoot(sum) - T(1e-12);
}

// `angle` plus the number of whole turns that brings it nearest to `last`; as it is if that is not
// known (not a number).
template <class T>
T unwrap(const T& angle, double last) {
  if (std::isnan(last)) return angle;
  return angle + T(2 * kPi * std::floor((last - valueOf(angle)) / (2 * kPi) + 0.5));
}

// Coordinates of kinds that leave the rotation free: its vector, which is free, and the derived
// swing and twist of axis i; declared after those that are there, and filled in. The twist is the
// first periodic coordinate.
inline void addRotationVector(JointKind& kind) {
  for (const std::string_view label : {"rx", "ry", "rz"})
    kind.coordinates[kind.coordinateCount++] = {label, true, false};
  kind.freeCount = kind.coordinateCount;
}
inline void addSwingAndTwist(JointKind& kind) {
  kind.coordinates[kind.coordinateCount++] = {"swing", true, false, JointKind::Measure::Swing};
  kind.coordinates[kind.coordinateCount++] = {"twist", true, true, JointKind::Measure::Twist};
}
template <class T>
void rotationVectorAt(const JointInput<T>& in, int first, JointOutput<T>& out) {
  if (!in.asks(first, 3)) return;
  for (const T& component : rotationVector(in)) out.coordinate[first++] = component;
}
template <class T>
void swingAndTwistAt(const JointInput<T>& in, int first, JointOutput<T>& out) {
  if (in.asks(first)) out.coordinate[first] = swingAngle(in, 0);
  if (in.asks(first + 1)) out.coordinate[first + 1] = unwrap(medianTwist(in), in.memory[0]);
}

}  // namespace tenon
