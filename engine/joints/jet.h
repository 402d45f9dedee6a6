// JetOf<N>: a number with its first and second derivatives by N variables, carried through the
// arithmetic (forward-mode differentiation, second order). So a joint is written once, for T = double
// (values) and T = a jet (values and derivatives).
//
// Jet has the variables of a relation of two frames, a small motion of frame 2 as seen from frame 1,
// and time:
//   ξ = (δp_x, δp_y, δp_z, δθ_x, δθ_y, δθ_z, δt),   p -> p + δp,  R -> exp(δθ) R.
// PointJet has those of a relation of four points: three displacements each.
#pragma once

#include <tenon/joint.h>
#include <tenon/math.h>

#include <cmath>

#include "math/portable.h"

// For the browser small code counts: there the arithmetic of jets is called, not copied into each joint.
#ifdef __EMSCRIPTEN__
#define TENON_JET [[gnu::noinline]]
#else
#define TENON_JET
#endif

namespace tenon {

template <int N>
class JetOf {
 public:
  static constexpr int kVariables = N;
  static constexpr int kTime = 6;  // of Jet
  static constexpr int kSecond = kVariables * (kVariables + 1) / 2;

  JetOf() = default;
  JetOf(double constant) : value(constant) {}  // implicit: constants mix with jets

  // Place of the pair (i, j) in `second`.
  static constexpr int pair(int i, int j) {
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
  }

  double value = 0;
  double first[kVariables] = {};
  double second[kSecond] = {};
};

// f(u) for f with value f, derivatives f1, f2 at u:  f' u_i   and   f' u_ij + f'' u_i u_j.
template <int N>
TENON_JET JetOf<N> chain(const JetOf<N>& u, double f, double f1, double f2) {
  JetOf<N> r(f);
  for (int i = 0; i < N; ++i) r.first[i] = f1 * u.first[i];
  for (int i = 0, k = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j, ++k) r.second[k] = f1 * u.second[k] + f2 * u.first[i] * u.first[j];
  return r;
}

template <int N>
JetOf<N> operator-(const JetOf<N>& a) {
  return chain(a, -a.value, -1, 0);
}
template <int N>
TENON_JET JetOf<N> operator+(const JetOf<N>& a, const JetOf<N>& b) {
  JetOf<N> r(a.value + b.value);
  for (int i = 0; i < N; ++i) r.first[i] = a.first[i] + b.first[i];
  for (int k = 0; k < JetOf<N>::kSecond; ++k) r.second[k] = a.second[k] + b.second[k];
  return r;
}
template <int N>
TENON_JET JetOf<N> operator-(const JetOf<N>& a, const JetOf<N>& b) {
  return a + (-b);
}
template <int N>
TENON_JET JetOf<N> operator*(const JetOf<N>& a, const JetOf<N>& b) {
  JetOf<N> r(a.value * b.value);
  for (int i = 0; i < N; ++i) r.first[i] = a.value * b.first[i] + b.value * a.first[i];
  for (int i = 0, k = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j, ++k)
      r.second[k] = a.value * b.second[k] + b.value * a.second[k] + a.first[i] * b.first[j] +
                    a.first[j] * b.first[i];
  return r;
}
// With constants, which have no derivatives.
template <int N>
JetOf<N> operator*(double s, const JetOf<N>& a) {
  return chain(a, s * a.value, s, 0);
}
template <int N>
JetOf<N> operator+(JetOf<N> a, double s) {
  a.value += s;
  return a;
}
template <int N>
JetOf<N> operator-(JetOf<N> a, double s) {
  a.value -= s;
  return a;
}
template <int N>
JetOf<N> reciprocal(const JetOf<N>& a) {
  const double r = 1 / a.value;
  return chain(a, r, -r * r, 2 * r * r * r);
}
template <int N>
JetOf<N> operator/(const JetOf<N>& a, const JetOf<N>& b) {
  return a * reciprocal(b);
}

// The functions joints are written in, for both number types.
inline double valueOf(double x) { return x; }
template <int N>
double valueOf(const JetOf<N>& x) {
  return x.value;
}

inline double squareRoot(double x) { return std::sqrt(x); }
// Precondition: x > 0 (the derivative of the root is unbounded at 0: write such joints otherwise).
template <int N>
JetOf<N> squareRoot(const JetOf<N>& x) {
  const double s = std::sqrt(x.value);
  return chain(x, s, 0.5 / s, -0.25 / (s * x.value));
}

// Precondition: (y, x) != (0, 0).
inline double angleOf(double y, double x) { return arctangent2(y, x); }
template <int N>
TENON_JET JetOf<N> angleOf(const JetOf<N>& y, const JetOf<N>& x) {
  // α = atan2(y, x): α_i = (x y_i - y x_i) / r²; differentiating once more,
  // α_ij = (x y_ij - y x_ij + x_j y_i - y_j x_i) / r² - α_i (r²)_j / r².
  const double r2 = x.value * x.value + y.value * y.value;
  JetOf<N> a(arctangent2(y.value, x.value));
  double r2_first[N];
  for (int i = 0; i < N; ++i) {
    a.first[i] = (x.value * y.first[i] - y.value * x.first[i]) / r2;
    r2_first[i] = 2 * (x.value * x.first[i] + y.value * y.first[i]);
  }
  for (int i = 0, k = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j, ++k)
      a.second[k] = (x.value * y.second[k] - y.value * x.second[k] + x.first[j] * y.first[i] -
                     y.first[j] * x.first[i] - a.first[i] * r2_first[j]) /
                    r2;
  return a;
}

// A function of one variable, given by its value and two derivatives at valueOf(x).
inline double compose(double, double f, double, double) { return f; }
template <int N>
JetOf<N> compose(const JetOf<N>& x, double f, double f1, double f2) {
  return chain(x, f, f1, f2);
}

}  // namespace tenon
