// Jets: numbers with their first and second derivatives, carried through the arithmetic (forward-mode
// differentiation, second order). So a joint is written once, for T = double (values) and T = a jet
// (values and derivatives).
//
// Jet has the variables of a relation of two frames, a small motion of frame 2 as seen from frame 1,
//   ξ = (δp, δθ),   p -> p + δp,  R -> exp(δθ) R,
// and knows which of them it depends on: most functions of a joint see the place or the turn alone, and
// what is not there is not computed.
// PointJet = JetOf<12> has those of a relation of four points: three displacements each.
#pragma once

#include <tenon/joint.h>
#include <tenon/math.h>

#include <cmath>
#include <concepts>

#include "math/portable.h"

// For the browser small code counts: there the arithmetic of jets is called, not copied into each joint.
#ifdef __EMSCRIPTEN__
#define TENON_JET [[gnu::noinline]]
#else
#define TENON_JET
#endif

namespace tenon {

// ------------------------------------------------------------------------- of all variables at once

template <int N>
class JetOf {
 public:
  static constexpr int kVariables = N;
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

// s a + t b
template <int N>
TENON_JET JetOf<N> combined(double s, const JetOf<N>& a, double t, const JetOf<N>& b) {
  JetOf<N> r(s * a.value + t * b.value);
  for (int i = 0; i < N; ++i) r.first[i] = s * a.first[i] + t * b.first[i];
  for (int k = 0; k < JetOf<N>::kSecond; ++k) r.second[k] = s * a.second[k] + t * b.second[k];
  return r;
}

template <int N>
TENON_JET JetOf<N> product(const JetOf<N>& a, const JetOf<N>& b) {
  JetOf<N> r(a.value * b.value);
  for (int i = 0; i < N; ++i) r.first[i] = a.value * b.first[i] + b.value * a.first[i];
  for (int i = 0, k = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j, ++k)
      r.second[k] = a.value * b.second[k] + b.value * a.second[k] + a.first[i] * b.first[j] +
                    a.first[j] * b.first[i];
  return r;
}

// --------------------------------------------------------------------------------- of place and turn

class Jet {
 public:
  enum : int { kPlace, kTurn };  // the parts
  struct Part {
    double first[3];
    double second[6];  // by JetOf<3>::pair
  };

  Jet() = default;
  Jet(double constant) : value(constant) {}  // implicit: constants mix with jets

  [[nodiscard]] bool has(int k) const { return (depends >> k & 1u) != 0; }
  [[nodiscard]] bool hasBoth() const { return depends == 3; }
  // By component i of ξ.
  [[nodiscard]] double first(int i) const { return has(i / 3) ? part[i / 3].first[i % 3] : 0; }
  // By a part; zero if it is not there.
  [[nodiscard]] Vec3 slope(int k) const {
    if (!has(k)) return {};
    return {part[k].first[0], part[k].first[1], part[k].first[2]};
  }
  // The second derivatives by a part that is there.
  [[nodiscard]] Mat3 curvature(int k) const {
    const double(&s)[6] = part[k].second;
    return {{{s[0], s[1], s[3]}, {s[1], s[2], s[4]}, {s[3], s[4], s[5]}}};
  }
  // Rows by place, columns by turn; precondition: both are there.
  [[nodiscard]] Mat3 mixedCurvature() const {
    Mat3 H;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) H(i, j) = mixed[i][j];
    return H;
  }

  double value = 0;
  unsigned depends = 0;  // a bit for each part; the others are not there
  bool bent = false;     // false: all second derivatives are zero
  // Not set where they are not there: copied along, never used.
  Part part[2];
  double mixed[3][3];  // by place and turn, if it depends on both
};

TENON_JET inline Jet chain(const Jet& u, double f, double f1, double f2) {
  Jet r(f);
  r.depends = u.depends;
  r.bent = u.bent || (f2 != 0 && u.depends != 0);
  for (int p = 0; p < 2; ++p) {
    if (!u.has(p)) continue;
    const Jet::Part& from = u.part[p];
    Jet::Part& to = r.part[p];
    for (int i = 0; i < 3; ++i) to.first[i] = f1 * from.first[i];
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j, ++k)
        to.second[k] = f1 * from.second[k] + f2 * from.first[i] * from.first[j];
  }
  if (u.hasBoth())
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        r.mixed[i][j] = f1 * u.mixed[i][j] + f2 * u.part[0].first[i] * u.part[1].first[j];
  return r;
}

TENON_JET inline Jet combined(double s, const Jet& a, double t, const Jet& b) {
  if (b.depends == 0) return chain(a, s * a.value + t * b.value, s, 0);
  if (a.depends == 0) return chain(b, s * a.value + t * b.value, t, 0);
  Jet r(s * a.value + t * b.value);
  r.depends = a.depends | b.depends;
  r.bent = a.bent || b.bent;
  for (int p = 0; p < 2; ++p) {
    if (!r.has(p)) continue;
    const Jet::Part &x = a.part[p], &y = b.part[p];
    Jet::Part& to = r.part[p];
    const auto fill = [&to](const auto& first, const auto& second) {
      for (int i = 0; i < 3; ++i) to.first[i] = first(i);
      for (int k = 0; k < 6; ++k) to.second[k] = second(k);
    };
    if (!b.has(p))
      fill([&](int i) { return s * x.first[i]; }, [&](int k) { return s * x.second[k]; });
    else if (!a.has(p))
      fill([&](int i) { return t * y.first[i]; }, [&](int k) { return t * y.second[k]; });
    else
      fill([&](int i) { return s * x.first[i] + t * y.first[i]; },
           [&](int k) { return s * x.second[k] + t * y.second[k]; });
  }
  if (r.hasBoth())
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        r.mixed[i][j] =
            (a.hasBoth() ? s * a.mixed[i][j] : 0) + (b.hasBoth() ? t * b.mixed[i][j] : 0);
  return r;
}

TENON_JET inline Jet product(const Jet& a, const Jet& b) {
  if (b.depends == 0) return chain(a, a.value * b.value, b.value, 0);
  if (a.depends == 0) return chain(b, a.value * b.value, a.value, 0);
  // What both do linearly, and what is left: a_i b_j + a_j b_i.
  Jet r = combined(b.value, a, a.value, b);
  r.value = a.value * b.value;
  r.bent = true;
  for (int p = 0; p < 2; ++p) {
    if (!a.has(p) || !b.has(p)) continue;
    const double *x = a.part[p].first, *y = b.part[p].first;
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j, ++k) r.part[p].second[k] += x[i] * y[j] + x[j] * y[i];
  }
  if (r.hasBoth())
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        r.mixed[i][j] += a.first(i) * b.first(3 + j) + b.first(i) * a.first(3 + j);
  return r;
}

// ------------------------------------------------------------------------------------ of either kind

template <class J>
concept AnyJet = requires(const J& j) {
  { chain(j, 0.0, 0.0, 0.0) } -> std::same_as<J>;
};

template <AnyJet J>
J operator-(const J& a) {
  return chain(a, -a.value, -1, 0);
}
template <AnyJet J>
J operator+(const J& a, const J& b) {
  return combined(1, a, 1, b);
}
template <AnyJet J>
J operator-(const J& a, const J& b) {
  return combined(1, a, -1, b);
}
template <AnyJet J>
J operator*(const J& a, const J& b) {
  return product(a, b);
}
// With constants, which have no derivatives.
template <AnyJet J>
J operator*(double s, const J& a) {
  return chain(a, s * a.value, s, 0);
}
template <AnyJet J>
J operator+(J a, double s) {
  a.value += s;
  return a;
}
template <AnyJet J>
J operator-(J a, double s) {
  a.value -= s;
  return a;
}
template <AnyJet J>
J reciprocal(const J& a) {
  const double r = 1 / a.value;
  return chain(a, r, -r * r, 2 * r * r * r);
}
template <AnyJet J>
J operator/(const J& a, const J& b) {
  return a * reciprocal(b);
}

// The functions joints are written in, for all number types.
inline double valueOf(double x) { return x; }
template <AnyJet J>
double valueOf(const J& x) {
  return x.value;
}

inline double squareRoot(double x) { return std::sqrt(x); }
// Precondition: x > 0 (the derivative of the root is unbounded at 0: write such joints otherwise).
template <AnyJet J>
J squareRoot(const J& x) {
  const double s = std::sqrt(x.value);
  return chain(x, s, 0.5 / s, -0.25 / (s * x.value));
}

// Precondition: (y, x) != (0, 0).
inline double angleOf(double y, double x) { return arctangent2(y, x); }
// Its derivatives alone; the value is 0.
template <AnyJet J>
J changeOfAngle(const J& y, const J& x) {
  // With z = x + iy and z_i/z = ρ_i + i α_i, the angle is the imaginary part of log z, and
  //   α_ij = Im(z_ij/z) - (ρ_i α_j + α_i ρ_j),
  // the bracket being the second derivative of the product of two functions that are 0 here.
  const double r2 = x.value * x.value + y.value * y.value;
  J turning = combined(x.value / r2, y, -y.value / r2, x);
  J growing = combined(x.value / r2, x, y.value / r2, y);
  turning.value = growing.value = 0;
  return turning - growing * turning;
}
template <AnyJet J>
J angleOf(const J& y, const J& x) {
  J angle = changeOfAngle(y, x);
  angle.value = arctangent2(y.value, x.value);
  return angle;
}

// atan2(y, x) to 0.01 rad: enough to tell one turn from the next, or that a bound is far.
inline double roughAngle(double y, double x) {
  const double c = std::abs(x), s = std::abs(y);
  const double t = c > s ? s / c : s > 0 ? c / s : 0;
  double angle = t * (0.9724 - 0.1919 * t * t);
  if (s >= c) angle = 0.5 * kPi - angle;
  if (x < 0) angle = kPi - angle;
  return y < 0 ? -angle : angle;
}

// A function of one variable, given by its value and two derivatives at valueOf(x).
inline double compose(double, double f, double, double) { return f; }
template <AnyJet J>
J compose(const J& x, double f, double f1, double f2) {
  return chain(x, f, f1, f2);
}

}  // namespace tenon
