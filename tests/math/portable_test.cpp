// The portable elementary functions: accuracy against long double, exact special values, same bits.
#include "math/portable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "math/hash.h"
#include "math/random.h"

namespace tenon {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kDenormal = 4.9406564584124654e-324;

// The reference has 64 bits natively. In WebAssembly long double is emulated (slow, and some of its
// functions are no better than double), so there only the hash below and a coarse bound count.
#ifdef __EMSCRIPTEN__
constexpr int kPoints = 20000;
constexpr double kBoundScale = 2;
#else
constexpr int kPoints = 1000000;
constexpr double kBoundScale = 1;
#endif

double doubleFrom(std::uint64_t bits) {
  double x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Error of `got` in units in the last place of the exact value.
double ulpError(double got, long double exact) {
  const double rounded = static_cast<double>(exact);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : kInf;
  if (exact == 0) return got == 0 ? 0 : kInf;
  const int exponent = rounded == 0 ? -1074 : std::max(std::ilogb(rounded) - 52, -1074);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) /
                             std::ldexp(1.0L, exponent));
}

// Any finite double: every exponent alike.
double anyFinite(Random& random) {
  while (true) {
    const double x = doubleFrom(random.next());
    if (std::isfinite(x)) return x;
  }
}

double anyAngle(Random& random, int i) {
  switch (i % 5) {
    case 0:
      return random.uniform(-4, 4);
    case 1:
      return random.uniform(-2e6, 2e6);
    case 2:
      return anyFinite(random);
    case 3: {  // close to a multiple of π/2, where a bad reduction shows
      const double k = static_cast<double>(random.below(1u << 21)) - 1048576.0;
      const double x = k * 1.5707963267948966;
      return doubleFrom([&] {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        return bits + random.below(5);
      }());
    }
    default:
      return doubleFrom(random.next() & 0x800fffffffffffffull);  // denormal
  }
}

template <class Ours, class Reference, class Point>
double worstError(Ours ours, Reference reference, Point point) {
  Random random(20240);
  double worst = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double x = point(random, i);
    const double error = ulpError(ours(x), reference(static_cast<long double>(x)));
    EXPECT_LT(error, 1e6) << "at " << x;
    worst = std::max(worst, error);
  }
  ::testing::Test::RecordProperty("worst_ulp_millionths", static_cast<int>(worst * 1e6));
  return worst;
}

TEST(Portable, SineIsWithin0_80Ulp) {
  EXPECT_LT(worstError(
                sine, [](long double x) { return std::sin(x); }, anyAngle),
            0.80 * kBoundScale);
}

TEST(Portable, CosineIsWithin0_80Ulp) {
  EXPECT_LT(worstError(
                cosine, [](long double x) { return std::cos(x); }, anyAngle),
            0.80 * kBoundScale);
}

TEST(Portable, TangentIsWithin0_94Ulp) {
  EXPECT_LT(worstError(
                tangent, [](long double x) { return std::tan(x); }, anyAngle),
            0.94 * kBoundScale);
}

TEST(Portable, ArctangentIsWithin0_51Ulp) {
  const auto point = [](Random& random, int i) {
    return i % 3 == 0   ? random.uniform(-1, 1)
           : i % 3 == 1 ? random.uniform(-20, 20)
                        : anyFinite(random);
  };
  EXPECT_LT(worstError(
                arctangent, [](long double x) { return std::atan(x); }, point),
            0.51 * kBoundScale);
}

TEST(Portable, Arctangent2IsWithin0_51Ulp) {
  Random random(7);
  double worst = 0;
  for (int i = 0; i < kPoints; ++i) {
    double y = random.uniform(-1, 1), x = random.uniform(-1, 1);
    if (i % 3 == 1) y = anyFinite(random);
    if (i % 3 == 2) {
      x = anyFinite(random);
      y = x * random.uniform(-3, 3);
      if (!std::isfinite(y)) continue;
    }
    const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    const double error = ulpError(arctangent2(y, x), exact);
    ASSERT_LT(error, 2) << y << " " << x;
    worst = std::max(worst, error);
  }
  EXPECT_LT(worst, 0.51 * kBoundScale);
}

TEST(Portable, ArcsineAndArccosineAreWithin0_51Ulp) {
  const auto point = [](Random& random, int i) {
    if (i % 3 == 0) return random.uniform(-1, 1);
    const double small = std::ldexp(random.uniform(), -static_cast<int>(random.below(60)));
    return i % 3 == 1 ? small : (random.coin() ? 1 - small : small - 1);
  };
  EXPECT_LT(worstError(
                arcsine, [](long double x) { return std::asin(x); }, point),
            0.51 * kBoundScale);
  EXPECT_LT(worstError(
                arccosine, [](long double x) { return std::acos(x); }, point),
            0.51 * kBoundScale);
}

TEST(Portable, ExponentialIsWithin0_53Ulp) {
  const auto point = [](Random& random, int i) {
    return i % 3 == 0   ? random.uniform(-1, 1)
           : i % 3 == 1 ? random.uniform(-708, 709.7)
                        : std::ldexp(random.uniform(-1, 1), -static_cast<int>(random.below(80)));
  };
  EXPECT_LT(worstError([](double x) { return exponential(x); },
                       [](long double x) { return std::exp(x); }, point),
            0.53 * kBoundScale);
  // Subnormal results round twice.
  const auto low = [](Random& random, int) { return random.uniform(-746, -708); };
  EXPECT_LE(worstError([](double x) { return exponential(x); },
                       [](long double x) { return std::exp(x); }, low),
            1.0);
}

TEST(Portable, LogarithmIsWithin0_53Ulp) {
  const auto point = [](Random& random, int i) {
    return i % 3 == 0 ? random.uniform(0.5, 2)
           : i % 3 == 1
               ? std::fabs(anyFinite(random))
               : 1 + std::ldexp(random.uniform(-1, 1), -static_cast<int>(random.below(50)));
  };
  EXPECT_LT(worstError([](double x) { return x == 0 ? 0 : logarithm(x); },
                       [](long double x) { return x == 0 ? 0 : std::log(x); }, point),
            0.53 * kBoundScale);
}

TEST(Portable, IntegerPowerIsWithin0_51Ulp) {
  Random random(99);
  double worst = 0;
  for (int i = 0; i < kPoints / 10; ++i) {
    // Few enough long double multiplications that the reference keeps 2^-6 ulp.
    const double x = random.uniform(-4, 4);
    const int n = static_cast<int>(random.below(25)) - 12;
    long double exact = 1;
    for (int k = 0; k < std::abs(n); ++k) exact *= static_cast<long double>(x);
    if (n < 0) exact = 1 / exact;
    worst = std::max(worst, ulpError(integerPower(x, n), exact));
  }
  EXPECT_LT(worst, 0.51 * kBoundScale);
#ifndef __EMSCRIPTEN__
  // Large exponents: (1 + 2^-20)^(2^31) = e^2048…: far outside; (1 + 2^-30)^(2^30) is near e.
  const double base = 1 + 0x1p-30;
  const long double exact = std::exp(0x1p30L * std::log1p(0x1p-30L));
  EXPECT_LT(ulpError(integerPower(base, std::int64_t{1} << 30), exact), 0.6);
#endif
}

TEST(Portable, ExactValues) {
  EXPECT_EQ(sine(0), 0);
  EXPECT_TRUE(std::signbit(sine(-0.0)));
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(tangent(0), 0);
  EXPECT_EQ(sine(kDenormal), kDenormal);
  EXPECT_EQ(tangent(-kDenormal), -kDenormal);
  EXPECT_EQ(cosine(kDenormal), 1);
  EXPECT_EQ(sine(kPi / 2), 1);
  EXPECT_EQ(cosine(kPi), -1);
  // The doubles nearest π and 1e22, whose sines are known to many digits.
  EXPECT_EQ(sine(kPi), 1.2246467991473532e-16);
  EXPECT_EQ(sine(1e22), -0.8522008497671888);
  EXPECT_EQ(cosine(1e22), 0.523214785395139);
  // The double nearest to a multiple of π/2 of all: 6381956970095103·2^797.
  EXPECT_EQ(cosine(std::ldexp(6381956970095103.0, 797)), -4.687165924254628e-19);
  EXPECT_EQ(arctangent(1), kPi / 4);
  EXPECT_EQ(arctangent(kInf), kPi / 2);
  EXPECT_EQ(arctangent(-kInf), -kPi / 2);
  EXPECT_EQ(arcsine(1), kPi / 2);
  EXPECT_EQ(arcsine(-1), -kPi / 2);
  EXPECT_EQ(arcsine(0.5), 0.5235987755982989);
  EXPECT_EQ(arccosine(1), 0);
  EXPECT_EQ(arccosine(-1), kPi);
  EXPECT_EQ(arccosine(0), kPi / 2);
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(1), 2.718281828459045);
  EXPECT_EQ(exponential(kInf), kInf);
  EXPECT_EQ(exponential(-kInf), 0);
  EXPECT_EQ(exponential(709.782712893384), 1.7976931348622732e308);
  EXPECT_EQ(exponential(709.7827128933841), kInf);
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_EQ(logarithm(2), 0.6931471805599453);
  EXPECT_EQ(logarithm(0), -kInf);
  EXPECT_EQ(logarithm(kInf), kInf);
}

TEST(Portable, Arctangent2KnowsQuadrantsZerosAndInfinities) {
  struct Case {
    double y, x, angle;
  };
  const std::vector<Case> cases{{0.0, 1, 0.0},
                                {-0.0, 1, -0.0},
                                {0.0, -1, kPi},
                                {-0.0, -1, -kPi},
                                {0.0, 0.0, 0.0},
                                {-0.0, 0.0, -0.0},
                                {0.0, -0.0, kPi},
                                {-0.0, -0.0, -kPi},
                                {1, 0.0, kPi / 2},
                                {-1, -0.0, -kPi / 2},
                                {1, 1, kPi / 4},
                                {1, -1, 3 * kPi / 4},
                                {-1, -1, -3 * kPi / 4},
                                {-1, 1, -kPi / 4},
                                {kInf, kInf, kPi / 4},
                                {kInf, -kInf, 3 * kPi / 4},
                                {-kInf, 1, -kPi / 2},
                                {1, kInf, 0.0},
                                {-1, kInf, -0.0},
                                {1, -kInf, kPi},
                                {-1, -kInf, -kPi},
                                {kDenormal, 1, kDenormal},
                                {kDenormal, -1, kPi},
                                {1e300, 1e-300, kPi / 2},
                                {kDenormal, kDenormal, kPi / 4}};
  for (const Case& c : cases) {
    const double got = arctangent2(c.y, c.x);
    EXPECT_EQ(got, c.angle) << c.y << " " << c.x;
    EXPECT_EQ(std::signbit(got), std::signbit(c.angle)) << c.y << " " << c.x;
  }
}

TEST(Portable, WholePowersOfSpecialNumbers) {
  EXPECT_EQ(integerPower(kNaN, 0), 1);
  EXPECT_EQ(integerPower(2, 10), 1024);
  EXPECT_EQ(integerPower(2, -1), 0.5);
  EXPECT_EQ(integerPower(-3, 3), -27);
  EXPECT_EQ(integerPower(10, 22), 1e22);
  EXPECT_EQ(integerPower(0, 5), 0);
  EXPECT_EQ(integerPower(0, -2), kInf);
  EXPECT_EQ(integerPower(-0.0, -3), -kInf);
  EXPECT_TRUE(std::signbit(integerPower(-0.0, 3)));
  EXPECT_EQ(integerPower(-kInf, 3), -kInf);
  EXPECT_EQ(integerPower(kInf, -3), 0);
  EXPECT_EQ(integerPower(2, 1024), kInf);
  EXPECT_EQ(integerPower(2, -1074), kDenormal);
  EXPECT_EQ(integerPower(2, -1076), 0);
  EXPECT_EQ(integerPower(-1, std::numeric_limits<std::int64_t>::min()), 1);
  EXPECT_EQ(integerPower(1.5, std::numeric_limits<std::int64_t>::max()), kInf);
  EXPECT_EQ(integerPower(1.5, std::numeric_limits<std::int64_t>::min()), 0);
}

TEST(Portable, OutsideOfTheDomainIsNaN) {
  for (const double x : {kInf, -kInf, kNaN}) {
    EXPECT_TRUE(std::isnan(sine(x)));
    EXPECT_TRUE(std::isnan(cosine(x)));
    EXPECT_TRUE(std::isnan(tangent(x)));
    EXPECT_TRUE(std::isnan(sineCosine(x).sine));
    EXPECT_TRUE(std::isnan(arcsine(x)));
    EXPECT_TRUE(std::isnan(arccosine(x)));
  }
  EXPECT_TRUE(std::isnan(arctangent(kNaN)));
  EXPECT_TRUE(std::isnan(arctangent2(kNaN, 1)));
  EXPECT_TRUE(std::isnan(arctangent2(1, kNaN)));
  EXPECT_TRUE(std::isnan(arcsine(1.0000000000000002)));
  EXPECT_TRUE(std::isnan(arccosine(-1.0000000000000002)));
  EXPECT_TRUE(std::isnan(exponential(kNaN)));
  EXPECT_TRUE(std::isnan(logarithm(kNaN)));
  EXPECT_TRUE(std::isnan(logarithm(-1)));
}

TEST(Portable, SineCosineIsSineAndCosine) {
  Random random(3);
  for (int i = 0; i < 10000; ++i) {
    const double x = anyAngle(random, i);
    const SineCosine both = sineCosine(x);
    ASSERT_EQ(both.sine, sine(x));
    ASSERT_EQ(both.cosine, cosine(x));
  }
}

TEST(Portable, SameBitsInEveryBuild) {
  Random random(1);
  Hash hash;
  for (int i = 0; i < 20000; ++i) {
    const double angle = anyAngle(random, i), unit = random.uniform(-1, 1);
    const double size = std::fabs(anyFinite(random)) + kDenormal;
    hash.add(sine(angle)).add(cosine(angle)).add(tangent(angle)).add(arctangent(angle));
    hash.add(arctangent2(unit, angle)).add(arcsine(unit)).add(arccosine(unit));
    hash.add(exponential(unit * 700)).add(logarithm(size)).add(integerPower(unit * 3, i % 61 - 30));
  }
  EXPECT_EQ(hash.value(), 8202588974206154332u);
}

}  // namespace
}  // namespace tenon
