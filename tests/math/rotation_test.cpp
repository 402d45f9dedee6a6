// Rotations: round trips, ends of the range, frames and mirrors, to rounding.
#include "math/rotation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "math/random.h"

namespace tenon {
namespace {

constexpr double kEps = 2.220446049250313e-16;

double difference(const Vec3& a, const Vec3& b) { return norm(a - b); }

// Distance of two rotations as quaternions, whatever their signs.
double difference(const Quat& a, const Quat& b) {
  const double plus = norm(Quat{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w});
  const double minus = norm(Quat{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w});
  return plus < minus ? plus : minus;
}

double difference(const Mat3& a, const Mat3& b) {
  double worst = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) worst = std::max(worst, std::fabs(a(r, c) - b(r, c)));
  return worst;
}

TEST(Rotation, LogarithmUndoesExponential) {
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    const Vec3 axis = random.direction();
    // Angles of every size, and close to π.
    const double angle =
        i % 3 == 0   ? random.uniform(0, kPi)
        : i % 3 == 1 ? std::ldexp(random.uniform(), -static_cast<int>(random.below(300)))
                     : kPi - std::ldexp(random.uniform(), -static_cast<int>(random.below(52)));
    const Vec3 w = angle * axis;
    const Quat q = exponential(w);
    ASSERT_NEAR(norm(q), 1, 2 * kEps);
    const Vec3 back = logarithm(q);
    // Past a half turn by rounding, the way back is the other way round.
    const double error = norm(w) < kPi * (1 - kEps)
                             ? difference(back, w)
                             : std::min(difference(back, w), difference(back, -w));
    ASSERT_LE(error, 8 * kEps * angle) << angle;
    ASSERT_EQ(logarithm(Quat{-q.x, -q.y, -q.z, -q.w}), back);
    ASSERT_LE(norm(back), kPi * (1 + kEps));
  }
}

TEST(Rotation, ExponentialUndoesLogarithm) {
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const Quat q = random.rotation();
    ASSERT_LE(difference(exponential(logarithm(q)), q), 6 * kEps);
  }
}

TEST(Rotation, ExponentialOfZeroAndOfTheSmallest) {
  EXPECT_EQ(exponential(Vec3{}), Quat{});
  EXPECT_EQ(logarithm(Quat{}), Vec3{});
  const Vec3 tiny{1e-200, -2e-200, 3e-200};
  EXPECT_EQ(logarithm(exponential(tiny)), tiny);
}

TEST(Rotation, TheSeriesMeetsTheClosedForm) {
  // Either side of the switch at θ = 1e-3: the two formulas agree to rounding.
  for (const double angle : {0.999999e-3, 1.000001e-3}) {
    const Quat q = exponential(Vec3{0, angle, 0});
    EXPECT_NEAR(q.y / sine(angle / 2), 1, 2 * kEps);
    EXPECT_NEAR(q.w, cosine(angle / 2), kEps);
    const Quat h{0, sine(angle), 0,
                 cosine(angle)};  // |v| either side of the switch of the logarithm
    EXPECT_NEAR(logarithm(h).y / (2 * angle), 1, 3 * kEps);
  }
}

TEST(Rotation, AHalfTurnHasOneLogarithm) {
  EXPECT_EQ(logarithm(Quat{0, 1, 0, 0}), (Vec3{0, kPi, 0}));
  EXPECT_EQ(logarithm(Quat{0, -1, 0, 0}), (Vec3{0, kPi, 0}));
  EXPECT_EQ(logarithm(Quat{0, -1, 0, -0.0}), (Vec3{0, kPi, 0}));
}

TEST(Rotation, LargeVectorsTurnFullCircles) {
  const Quat q = exponential(Vec3{0, 0, 8 * kPi + 1});
  EXPECT_LE(difference(q, fromAxisAngle({0, 0, 1}, 1)), 8 * kPi * kEps);
}

TEST(Rotation, AxisAngleTurnsCounterClockwise) {
  const Vec3 v = rotate(fromAxisAngle({0, 0, 1}, kPi / 2), {1, 0, 0});
  EXPECT_LE(difference(v, Vec3{0, 1, 0}), 2 * kEps);
}

TEST(Rotation, MatrixAndQuaternionAgree) {
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    Quat q = random.rotation();
    if (i % 4 == 0) {  // near half turns about near-axes, where branches of Shepperd's method meet
      const Vec3 axis = i % 8 == 0 ? Vec3{1, 0, 0} : normalized(Vec3{1, 1, 1});
      const double angle = kPi - std::ldexp(random.uniform(), -static_cast<int>(random.below(60)));
      q = fromAxisAngle(axis, angle);
    }
    const Quat back = quaternionOf(rotationMatrix(q));
    ASSERT_LE(difference(back, q), 6 * kEps);
    ASSERT_GE(back.w, 0);
  }
}

TEST(Rotation, PerpendicularIsUnitAndAcross) {
  Random random(4);
  for (int i = 0; i < 100000; ++i) {
    Vec3 n = random.direction();
    if (i % 5 == 0)
      n = normalized(Vec3{n.x, n.y, std::ldexp(n.z, -static_cast<int>(random.below(80)))});
    const Vec3 p = anyPerpendicular(n);
    ASSERT_NEAR(norm(p), 1, 2 * kEps);
    ASSERT_NEAR(dot(p, n), 0, 3 * kEps);
  }
  for (int i = 0; i < 3; ++i)
    for (const double s : {1.0, -1.0}) {
      Vec3 n;
      n[i] = s;
      EXPECT_EQ(dot(anyPerpendicular(n), n), 0);
    }
  EXPECT_EQ(anyPerpendicular({1, 0, -0.0}), anyPerpendicular({1, 0, 0.0}));
}

TEST(Rotation, BetweenTakesOneDirectionToTheOther) {
  Random random(5);
  for (int i = 0; i < 100000; ++i) {
    const Vec3 a = random.direction();
    Vec3 b = random.direction();
    const double small = std::ldexp(1.0, -static_cast<int>(random.below(60)));
    if (i % 3 == 1) b = normalized(a + small * b);
    if (i % 3 == 2) b = normalized(small * b - a);
    const Quat q = rotationBetween(a, b);
    ASSERT_LE(difference(rotate(q, a), b), 16 * kEps) << i;
    ASSERT_GE(q.w, 0);
    // Shortest: the axis is across both.
    ASSERT_NEAR(q.x * a.x + q.y * a.y + q.z * a.z, 0, 10 * kEps);
    ASSERT_NEAR(q.x * b.x + q.y * b.y + q.z * b.z, 0, 10 * kEps);
  }
}

TEST(Rotation, BetweenOppositeDirectionsIsAHalfTurn) {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a = random.direction();
    const Quat q = rotationBetween(a, -a);
    ASSERT_LE(difference(rotate(q, a), -a), 6 * kEps);
    ASSERT_EQ(q.w, 0);
    ASSERT_NEAR(dot(Vec3{q.x, q.y, q.z}, anyPerpendicular(a)), 1, 4 * kEps);
  }
  EXPECT_LE(difference(rotationBetween({0, 1, 0}, {0, 1, 0}), Quat{}), 0);
}

TEST(Rotation, FrameHasTheAxesAskedFor) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const Vec3 x = random.direction();
    const double scale = std::ldexp(1.0, static_cast<int>(random.below(200)) - 100);
    Vec3 hint = random.direction();
    if (i % 3 == 1) hint = x + 1e-5 * hint;
    const Mat3 R = rotationMatrix(frameFromAxes(scale * x, (1 / scale) * hint));
    ASSERT_LE(difference(R.column(0), x), 8 * kEps);
    // y lies in the half plane of x and the hint.
    ASSERT_GT(dot(R.column(1), hint), 0);
    ASSERT_NEAR(dot(R.column(2), hint), 0, (i % 3 == 1 ? 1e-10 : 8 * kEps));
  }
  const Vec3 x = normalized(Vec3{1, 2, -2});
  for (const Vec3& useless : {Vec3{}, x, -5 * x, x + Vec3{1e-14, 0, 0}}) {
    const Mat3 R = rotationMatrix(frameFromAxes(x, useless));
    EXPECT_LE(difference(R.column(0), x), 4 * kEps);
    EXPECT_LE(difference(R.column(1), anyPerpendicular(x)), 6 * kEps);
  }
}

TEST(Rotation, MirrorsAreConjugations) {
  Random random(8);
  for (int i = 0; i < 10000; ++i) {
    const Vec3 n = random.direction();
    const double offset = random.uniform(-2, 2);
    const Mat3 M = identity3() - 2.0 * outer(n, n);
    const Pose X{random.direction(), random.rotation()};
    ASSERT_LE(difference(rotationMatrix(mirrored(X.q, n)), M * rotationMatrix(X.q) * M), 16 * kEps);
    // The mirrored pose takes a mirrored local point to the mirror image of the point.
    const Vec3 local = random.direction();
    const Vec3 image = transform(mirrored(X, n, offset), mirroredVector(local, n));
    ASSERT_LE(difference(image, mirroredPoint(transform(X, local), n, offset)), 24 * kEps);
    // Axial: the mirror of a cross product.
    const Vec3 u = random.direction(), v = random.direction();
    ASSERT_LE(difference(cross(mirroredVector(u, n), mirroredVector(v, n)),
                         mirroredAxial(cross(u, v), n)),
              10 * kEps);
  }
}

}  // namespace
}  // namespace tenon
