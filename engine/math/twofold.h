// Twofold numbers: an unevaluated sum hi + lo of two doubles, about 106 bits, and the error-free
// sums and products they stand on.          [Dekker1971; Knuth, Seminumerical Algorithms, §4.2.2]
//
// Only +, -, * of doubles in a written order: the same bits in every build, as long as the
// compiler fuses and reassociates nothing (-ffp-contract=off, never -ffast-math).
#pragma once

namespace tenon {

struct Twofold {
  double hi = 0;
  double lo = 0;  // |lo| <= ulp(hi)/2 where the sum is said to be normal
};

// a + b = hi + lo exactly, for any a and b.
constexpr Twofold twoSum(double a, double b) {
  const double s = a + b;
  const double bRounded = s - a;
  const double aRounded = s - bRounded;
  return {s, (a - aRounded) + (b - bRounded)};
}

// a + b = hi + lo exactly, for |a| >= |b| or a = 0.
constexpr Twofold quickTwoSum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

// a b = hi + lo exactly, for |a|, |b| < 2^995 and |a b| > 2^-968. Each factor is split into two
// halves of 26 bits, whose products are exact.
constexpr Twofold twoProduct(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double ta = kSplit * a, tb = kSplit * b;
  const double ah = ta - (ta - a), al = a - ah;
  const double bh = tb - (tb - b), bl = b - bh;
  const double p = a * b;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

// Sums, products and quotients of normal twofold numbers, to a few units of 2^-104.
constexpr Twofold add(const Twofold& a, const Twofold& b) {
  const Twofold s = twoSum(a.hi, b.hi);
  const Twofold t = twoSum(a.lo, b.lo);
  const Twofold u = quickTwoSum(s.hi, s.lo + t.hi);
  return quickTwoSum(u.hi, u.lo + t.lo);
}

constexpr Twofold multiply(const Twofold& a, const Twofold& b) {
  const Twofold p = twoProduct(a.hi, b.hi);
  return quickTwoSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

constexpr Twofold divide(const Twofold& a, const Twofold& b) {
  const double q = a.hi / b.hi;
  const Twofold p = twoProduct(q, b.hi);
  const double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
  return quickTwoSum(q, rest / b.hi);
}

constexpr Twofold negated(const Twofold& a) { return {-a.hi, -a.lo}; }

}  // namespace tenon
