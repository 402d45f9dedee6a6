// The generator: known values, and distributions within five standard deviations of their moments.
#include "math/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "math/hash.h"

namespace tenon {
namespace {

TEST(Random, IsXoshiro256PlusPlusSeededBySplitmix64) {
  // Computed by an independent program (Python integers) from the algorithm's definition.
  Random random(12345);
  EXPECT_EQ(random.next(), 0x8d948a82def8a568ull);
  EXPECT_EQ(random.next(), 0x3477f953796702a0ull);
  EXPECT_EQ(random.next(), 0x15caa2fce6db8d69ull);
  EXPECT_EQ(random.next(), 0x2cef8853c20c6dd0ull);
}

TEST(Random, SameBitsInEveryBuild) {
  Random random(5);
  Hash hash;
  for (int i = 0; i < 1000; ++i) {
    hash.add(random.uniform()).add(random.uniform(-3, 7)).add(random.below(1000));
    hash.add(random.normal()).add(random.direction()).add(random.rotation());
    hash.add(random.pointInBox({-1, -2, -3}, {1, 2, 3}));
  }
  EXPECT_EQ(hash.value(), 7316086661665729459u);
}

TEST(Random, SeedsGiveDifferentStreams) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) first.insert(Random(seed).next());
  EXPECT_EQ(first.size(), 1000u);
}

TEST(Random, UniformFillsItsIntervalEvenly) {
  Random random(1);
  constexpr int kDraws = 1000000, kBins = 100;
  std::array<int, kBins> count{};
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++count[static_cast<std::size_t>(u * kBins)];
  }
  double chi2 = 0;
  const double expected = kDraws / double{kBins};
  for (const int c : count) chi2 += (c - expected) * (c - expected) / expected;
  // χ² with 99 degrees of freedom: mean 99, deviation √198 = 14.
  EXPECT_GT(chi2, 99 - 5 * 14);
  EXPECT_LT(chi2, 99 + 5 * 14);
}

TEST(Random, BelowIsUnbiasedWhereTheRemainderIsNot) {
  // n = 3·2^62: a bare remainder would draw the first third twice as often.
  Random random(2);
  const std::uint64_t n = 3ull << 62;
  int low = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t r = random.below(n);
    ASSERT_LT(r, n);
    low += r < (1ull << 62) ? 1 : 0;
  }
  EXPECT_NEAR(low, kDraws / 3.0, 5 * std::sqrt(kDraws * 2 / 9.0));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
  std::array<int, 6> die{};
  for (int i = 0; i < 60000; ++i) ++die[static_cast<std::size_t>(random.below(6))];
  for (const int d : die) EXPECT_NEAR(d, 10000, 5 * std::sqrt(60000 * 5 / 36.0));
}

TEST(Random, NormalHasTheMomentsOfAGaussian) {
  Random random(3);
  constexpr int kDraws = 400000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    m1 += x;
    m2 += x * x;
    m3 += x * x * x;
    m4 += x * x * x * x;
  }
  const double root = std::sqrt(double{kDraws});
  EXPECT_NEAR(m1 / kDraws, 0, 5 / root);
  EXPECT_NEAR(m2 / kDraws, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(m3 / kDraws, 0, 5 * std::sqrt(15.0) / root);
  EXPECT_NEAR(m4 / kDraws, 3, 5 * std::sqrt(96.0) / root);
}

TEST(Random, DirectionsAreUnitAndUniform) {
  Random random(4);
  constexpr int kDraws = 200000;
  Vec3 mean;
  Mat3 second;
  int cap = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Vec3 d = random.direction();
    ASSERT_NEAR(norm(d), 1, 4e-16);
    mean += d;
    second += outer(d, d);
    cap += d.x > 0.8 ? 1 : 0;  // Archimedes: a cap of height 0.2 holds a tenth of the sphere
  }
  const double root = std::sqrt(double{kDraws});
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean[i] / kDraws, 0, 5 / (std::sqrt(3.0) * root));
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(second(i, j) / kDraws, i == j ? 1.0 / 3 : 0.0, 5 * 0.3 / root);
  }
  EXPECT_NEAR(cap, 0.1 * kDraws, 5 * std::sqrt(0.09 * kDraws));
}

TEST(Random, RotationsAreHaarUniform) {
  // Under Haar measure the angle θ in [0, π] has density (1 - cos θ)/π: P(θ < π/2) = 1/2 - 1/π; the
  // image of any fixed vector is uniform; and a fixed rotation in front changes nothing.
  Random random(6);
  constexpr int kDraws = 200000;
  const Quat fixed = Random(77).rotation();
  int small = 0, smallShifted = 0;
  Vec3 mean;
  for (int i = 0; i < kDraws; ++i) {
    const Quat q = random.rotation();
    ASSERT_NEAR(norm(q), 1, 4e-16);
    const double cosineOfQuarterTurn = std::sqrt(0.5);
    small += std::fabs(q.w) > cosineOfQuarterTurn ? 1 : 0;
    smallShifted += std::fabs((fixed * q).w) > cosineOfQuarterTurn ? 1 : 0;
    mean += rotate(q, {0.6, 0, 0.8});
  }
  const double p = 0.5 - 1 / kPi, deviation = std::sqrt(p * (1 - p) * kDraws);
  EXPECT_NEAR(small, p * kDraws, 5 * deviation);
  EXPECT_NEAR(smallShifted, p * kDraws, 5 * deviation);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(mean[i] / kDraws, 0, 5 / std::sqrt(3.0 * kDraws));
}

TEST(Random, PointsFillTheirBox) {
  Random random(8);
  const Vec3 lower{-1, 2, 10}, upper{1, 2, 30};
  Vec3 mean;
  for (int i = 0; i < 100000; ++i) {
    const Vec3 p = random.pointInBox(lower, upper);
    for (int k = 0; k < 3; ++k) {
      ASSERT_GE(p[k], lower[k]);
      ASSERT_LE(p[k], upper[k]);
    }
    mean += p / 100000;
  }
  EXPECT_NEAR(mean.x, 0, 5 * 2 / std::sqrt(12e5));
  EXPECT_NEAR(mean.y, 2, 1e-10);
  EXPECT_NEAR(mean.z, 20, 5 * 20 / std::sqrt(12e5));
}

}  // namespace
}  // namespace tenon
