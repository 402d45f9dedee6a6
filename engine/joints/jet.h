// Jet: a number with its first and second derivatives by seven variables, carried through the
// arithmetic (forward-mode differentiation, second order).
//
// The variables are a small motion of frame 2 as seen from frame 1, and time:
//   ξ = (δp_x, δp_y, δp_z, δθ_x, δθ_y, δθ_z, δt),   p -> p + δp,  R -> exp(δθ) R.
// So a joint is written once, for T = double (values) and T = Jet (values and derivatives).
#pragma once

#include <tenon/math.h>

#include <cmath>

#include "math/portable.h"

namespace tenon {

class Jet {
 public:
  static constexpr int kVariables = 7;
  static constexpr int kTime = 6;
  static constexpr int kSecond = kVariables * (kVariables + 1) / 2;

  Jet() = default;
  Jet(double constant) : value(constant) {}  // implicit: constants mix with jets

  // Place of the pair (i, j) in `second`.
  static constexpr int pair(int i, int j) {
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
  }

  double value = 0;
  double first[kVariables] = {};
  double second[kSecond] = {};
};

// f(u) for f with value f, derivatives f1, f2 at u:  f' u_i   and   f' u_ij + f'' u_i u_j.
inline Jet chain(const Jet& u, double f, double f1, double f2) {
  Jet r(f);
  for (int i = 0; i < Jet::kVariables; ++i) r.first[i] = f1 * u.first[i];
  for (int i = 0, k = 0; i < Jet::kVariables; ++i)
    for (int j = 0; j <= i; ++j, ++k) r.second[k] = f1 * u.second[k] + f2 * u.first[i] * u.first[j];
  return r;
}

inline Jet operator-(const Jet& a) { return chain(a, -a.value, -1, 0); }
inline Jet operator+(const Jet& a, const Jet& b) {
  Jet r(a.value + b.value);
  for (int i = 0; i < Jet::kVariables; ++i) r.first[i] = a.first[i] + b.first[i];
  for (int k = 0; k < Jet::kSecond; ++k) r.second[k] = a.second[k] + b.second[k];
  return r;
}
inline Jet operator-(const Jet& a, const Jet& b) { return a + (-b); }
inline Jet operator*(const Jet& a, const Jet& b) {
  Jet r(a.value * b.value);
  for (int i = 0; i < Jet::kVariables; ++i)
    r.first[i] = a.value * b.first[i] + b.value * a.first[i];
  for (int i = 0, k = 0; i < Jet::kVariables; ++i)
    for (int j = 0; j <= i; ++j, ++k)
      r.second[k] = a.value * b.second[k] + b.value * a.second[k] + a.first[i] * b.first[j] +
                    a.first[j] * b.first[i];
  return r;
}
inline Jet reciprocal(const Jet& a) {
  const double r = 1 / a.value;
  return chain(a, r, -r * r, 2 * r * r * r);
}
inline Jet operator/(const Jet& a, const Jet& b) { return a * reciprocal(b); }

// The functions joints are written in, for both number types.
inline double valueOf(double x) { return x; }
inline double valueOf(const Jet& x) { return x.value; }

inline double squareRoot(double x) { return std::sqrt(x); }
// Precondition: x > 0 (the derivative of the root is unbounded at 0: write such joints otherwise).
inline Jet squareRoot(const Jet& x) {
  const double s = std::sqrt(x.value);
  return chain(x, s, 0.5 / s, -0.25 / (s * x.value));
}

// Precondition: (y, x) != (0, 0).
inline double angleOf(double y, double x) { return arctangent2(y, x); }
inline Jet angleOf(const Jet& y, const Jet& x) {
  // α = atan2(y, x): α_i = (x y_i - y x_i) / r²; differentiating once more,
  // α_ij = (x y_ij - y x_ij + x_j y_i - y_j x_i) / r² - α_i (r²)_j / r².
  const double r2 = x.value * x.value + y.value * y.value;
  Jet a(arctangent2(y.value, x.value));
  double r2_first[Jet::kVariables];
  for (int i = 0; i < Jet::kVariables; ++i) {
    a.first[i] = (x.value * y.first[i] - y.value * x.first[i]) / r2;
    r2_first[i] = 2 * (x.value * x.first[i] + y.value * y.first[i]);
  }
  for (int i = 0, k = 0; i < Jet::kVariables; ++i)
    for (int j = 0; j <= i; ++j, ++k)
      a.second[k] = (x.value * y.second[k] - y.value * x.second[k] + x.first[j] * y.first[i] -
                     y.first[j] * x.first[i] - a.first[i] * r2_first[j]) /
                    r2;
  return a;
}

// A function of one variable, given by its value and two derivatives at valueOf(x).
inline double compose(double, double f, double, double) { return f; }
inline Jet compose(const Jet& x, double f, double f1, double f2) { return chain(x, f, f1, f2); }

}  // namespace tenon
