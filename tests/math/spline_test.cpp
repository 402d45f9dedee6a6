// Cubic splines: what they reproduce, their derivatives, smoothness and order of convergence.
#include "math/spline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "math/portable.h"
#include "math/random.h"

namespace tenon {
namespace {

using Kind = SplineEnds::Kind;

std::vector<double> randomTimes(Random& random, int n) {
  std::vector<double> times{random.uniform(-2, 2)};
  for (int i = 1; i < n; ++i) times.push_back(times.back() + random.uniform(0.2, 1.5));
  return times;
}

TEST(Spline, ReproducesACubic) {
  // y = 1 - 2 t + 0.5 t² + 0.25 t³ with its own slopes at the ends: exact but for rounding.
  const auto y = [](double t) { return 1 + t * (-2 + t * (0.5 + t * 0.25)); };
  const auto y1 = [](double t) { return -2 + t * (1 + t * 0.75); };
  const auto y2 = [](double t) { return 1 + t * 1.5; };
  Random random(1);
  for (int n = 2; n < 20; ++n) {
    const std::vector<double> times = randomTimes(random, n);
    std::vector<double> values;
    for (const double t : times) values.push_back(y(t));
    const CubicSpline spline(times, values, {Kind::Clamped, y1(times.front()), y1(times.back())});
    for (int k = 1; k < 200; ++k) {
      const double t = times.front() + (times.back() - times.front()) * k / 200;
      const SplineValue s = spline.at(t);
      const double size = 1 + std::fabs(t * t * t);
      ASSERT_NEAR(s.value, y(t), 4e-15 * size);
      ASSERT_NEAR(s.rate, y1(t), 4e-14 * size);
      ASSERT_NEAR(s.acceleration, y2(t), 4e-13 * size);
    }
  }
}

TEST(Spline, PassesThroughItsKeysExactly) {
  Random random(2);
  for (const Kind kind : {Kind::Clamped, Kind::Natural, Kind::Periodic}) {
    const std::vector<double> times = randomTimes(random, 12);
    std::vector<double> values;
    for (std::size_t i = 0; i < times.size(); ++i) values.push_back(random.uniform(-3, 3));
    values.back() = values.front();
    const CubicSpline spline(times, values, {kind});
    for (std::size_t i = 0; i < times.size(); ++i)
      if (kind == Kind::Periodic)  // the period is taken off first, and rounds
        EXPECT_NEAR(spline.at(times[i]).value, values[i], 1e-13);
      else
        EXPECT_EQ(spline.at(times[i]).value, values[i]);
  }
}

TEST(Spline, DerivativesMatchDifferences) {
  Random random(3);
  for (const Kind kind : {Kind::Clamped, Kind::Natural, Kind::Periodic}) {
    const std::vector<double> times = randomTimes(random, 9);
    std::vector<double> values;
    for (std::size_t i = 0; i < times.size(); ++i) values.push_back(random.uniform(-3, 3));
    values.back() = values.front();
    const CubicSpline spline(times, values, {kind, 0.7, -0.3});
    for (int k = 0; k < 300; ++k) {
      const double t = random.uniform(times.front() - 1, times.back() + 1), e = 1e-4;
      bool nearKey = false;
      for (const double key : times) nearKey = nearKey || std::fabs(t - key) < 2 * e;
      if (nearKey) continue;  // the third derivative jumps there
      // Central differences of a cubic: the first is off by y⃛ e²/6, the second exact.
      const SplineValue a = spline.at(t - e), b = spline.at(t), c = spline.at(t + e);
      ASSERT_NEAR((c.value - a.value) / (2 * e), b.rate, 1e-5);
      ASSERT_NEAR((c.rate - a.rate) / (2 * e), b.acceleration, 1e-8);
    }
  }
}

// Largest jump of a derivative at the keys, seen from 2^-30 either side.
double jump(const CubicSpline& spline, double t, int derivative) {
  const double e = 0x1p-30;
  const SplineValue a = spline.at(t - e), b = spline.at(t + e);
  return derivative == 0   ? std::fabs(a.value - b.value)
         : derivative == 1 ? std::fabs(a.rate - b.rate)
                           : std::fabs(a.acceleration - b.acceleration);
}

TEST(Spline, IsTwiceContinuousInsideAndOnceAtClampedEnds) {
  const std::vector<double> times{0, 1, 1.5, 4, 5}, values{1, -1, 2, 0, 1};
  for (const Kind kind : {Kind::Clamped, Kind::Natural, Kind::Periodic}) {
    const CubicSpline spline(times, values, {kind});
    for (std::size_t i = 0; i < times.size(); ++i) {
      const bool end = i == 0 || i + 1 == times.size();
      EXPECT_LT(jump(spline, times[i], 0), 1e-7);
      EXPECT_LT(jump(spline, times[i], 1), 1e-6);
      if (end && kind == Kind::Clamped)
        EXPECT_GT(jump(spline, times[i], 2), 1.0);  // said in the header
      else
        EXPECT_LT(jump(spline, times[i], 2), 1e-5);
    }
  }
}

TEST(Spline, StartsAndEndsAtRestAndIsHeldByDefault) {
  const CubicSpline spline({1, 2, 3}, {5, 7, 6});
  EXPECT_EQ(spline.at(-10).value, 5);
  EXPECT_EQ(spline.at(-10).rate, 0);
  EXPECT_EQ(spline.at(10).value, 6);
  EXPECT_EQ(spline.at(10).rate, 0);
  EXPECT_NEAR(spline.at(1 + 1e-9).rate, 0, 1e-7);
  EXPECT_NEAR(spline.at(3 - 1e-9).rate, 0, 1e-7);
  const CubicSpline single({1}, {5});
  EXPECT_EQ(single.at(0).value, 5);
  EXPECT_EQ(single.at(2).value, 5);
  EXPECT_EQ(single.at(1).rate, 0);
}

TEST(Spline, PeriodicRepeats) {
  const CubicSpline spline({0, 1, 2.5, 4}, {1, 3, -2, 1}, {Kind::Periodic});
  for (int k = 0; k < 40; ++k) {
    const double t = 0.125 * k;
    EXPECT_NEAR(spline.at(t + 8).value, spline.at(t).value, 1e-14);
    EXPECT_NEAR(spline.at(t - 4).acceleration, spline.at(t).acceleration, 1e-12);
  }
  const CubicSpline two({0, 1, 3}, {1, 3, 1}, {Kind::Periodic});
  EXPECT_LT(jump(two, 1, 2), 1e-5);
  EXPECT_LT(jump(two, 3, 2), 1e-5);
}

TEST(Spline, ConvergesWithFourthOrder) {
  double before = 0;
  for (int n = 8; n <= 128; n *= 2) {
    std::vector<double> times, values;
    for (int i = 0; i <= n; ++i) {
      times.push_back(3.0 * i / n);
      values.push_back(sine(times.back()));
    }
    const CubicSpline spline(times, values, {Kind::Clamped, 1, cosine(3)});
    double worst = 0;
    for (int k = 0; k < 1000; ++k)
      worst = std::max(worst, std::fabs(spline.at(0.003 * k).value - sine(0.003 * k)));
    if (before > 0) {
      EXPECT_GT(before / worst, 14);
      EXPECT_LT(before / worst, 18);
    }
    before = worst;
  }
}

}  // namespace
}  // namespace tenon
