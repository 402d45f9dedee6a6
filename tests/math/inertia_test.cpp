// Mass properties against clouds of point masses, whose properties are plain sums.
#include "math/inertia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/random.h"
#include "math/rotation.h"

namespace tenon {
namespace {

struct PointMass {
  double mass;
  Vec3 p;
};
using Cloud = std::vector<PointMass>;

Cloud randomCloud(Random& random, int n) {
  Cloud cloud;
  for (int i = 0; i < n; ++i)
    cloud.push_back({random.uniform(0.1, 2), random.pointInBox({-1, 0, 2}, {3, 1, 4})});
  return cloud;
}

MassProperties propertiesOf(const Cloud& cloud) {
  MassProperties body;
  for (const PointMass& m : cloud) body.mass += m.mass;
  for (const PointMass& m : cloud) body.com += (m.mass / body.mass) * m.p;
  for (const PointMass& m : cloud) {
    const Vec3 d = m.p - body.com;
    body.inertia += m.mass * (dot(d, d) * identity3() - outer(d, d));
  }
  return body;
}

double largest(const Mat3& a) {
  double worst = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) worst = std::max(worst, std::fabs(a(r, c)));
  return worst;
}

void expectEqual(const MassProperties& a, const MassProperties& b, double tolerance = 2e-14) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_LE(norm(a.com - b.com), tolerance * (1 + norm(b.com)));
  EXPECT_LE(largest(a.inertia - b.inertia), tolerance * largest(b.inertia));
}

TEST(Inertia, CombineIsTheUnion) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    Cloud a = randomCloud(random, 5);
    const Cloud b = randomCloud(random, 9);
    const MassProperties both = combine(propertiesOf(a), propertiesOf(b));
    a.insert(a.end(), b.begin(), b.end());
    expectEqual(both, propertiesOf(a));
  }
}

TEST(Inertia, CombineWithNothing) {
  Random random(2);
  const MassProperties a = propertiesOf(randomCloud(random, 5));
  expectEqual(combine(a, {}), a, 0);
  expectEqual(combine({}, a), a, 1e-16);
  EXPECT_EQ(combine({}, {}).mass, 0);
  EXPECT_TRUE(isFinite(combine({}, {}).com));
}

TEST(Inertia, MovesWithThePose) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    Cloud cloud = randomCloud(random, 6);
    const Pose X{5 * random.direction(), random.rotation()};
    const MassProperties moved = transformed(propertiesOf(cloud), X);
    for (PointMass& m : cloud) m.p = transform(X, m.p);
    expectEqual(moved, propertiesOf(cloud));
    EXPECT_EQ(moved.inertia, transpose(moved.inertia));
  }
}

TEST(Inertia, ScalesWithDensityKept) {
  Random random(4);
  Cloud cloud = randomCloud(random, 6);
  const MassProperties grown = scaled(propertiesOf(cloud), 2.5);
  for (PointMass& m : cloud) m = {m.mass * 2.5 * 2.5 * 2.5, 2.5 * m.p};
  expectEqual(grown, propertiesOf(cloud));
}

TEST(Inertia, AnotherMassKeepsTheExtent) {
  Random random(5);
  Cloud cloud = randomCloud(random, 6);
  const MassProperties body = propertiesOf(cloud);
  const MassProperties heavy = withMass(body, 3 * body.mass);
  for (PointMass& m : cloud) m.mass *= 3;
  expectEqual(heavy, propertiesOf(cloud));
}

TEST(Inertia, MirrorsInAPlane) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    Cloud cloud = randomCloud(random, 6);
    const Vec3 n = random.direction();
    const MassProperties image = mirrored(propertiesOf(cloud), n, 0.7);
    for (PointMass& m : cloud) m.p = mirroredPoint(m.p, n, 0.7);
    expectEqual(image, propertiesOf(cloud));
  }
}

TEST(Inertia, AboutAnotherPoint) {
  Random random(7);
  const Cloud cloud = randomCloud(random, 6);
  const MassProperties body = propertiesOf(cloud);
  Mat3 aboutOrigin;
  for (const PointMass& m : cloud)
    aboutOrigin += m.mass * (dot(m.p, m.p) * identity3() - outer(m.p, m.p));
  EXPECT_LE(largest(inertiaAbout(body, body.com) - aboutOrigin), 1e-14 * largest(aboutOrigin));
}

TEST(Inertia, PrincipalAxesDiagonalise) {
  Random random(8);
  for (int i = 0; i < 20000; ++i) {
    Vec3 moments{random.uniform(-1, 5), random.uniform(0, 5), random.uniform(0, 5)};
    if (i % 4 == 1) moments.y = moments.x;
    if (i % 4 == 2) moments.z = moments.y = moments.x;
    if (i % 4 == 3) moments.z *= 1e-12;
    const double scale = std::ldexp(1.0, static_cast<int>(random.below(400)) - 200);
    const Mat3 R = rotationMatrix(random.rotation());
    const Mat3 a = scale * (R * diagonal(moments) * transpose(R));
    const PrincipalInertia p = principalInertia(a);
    const double size = largest(a);
    ASSERT_LE(p.moments.x, p.moments.y);
    ASSERT_LE(p.moments.y, p.moments.z);
    double sorted[3] = {moments.x, moments.y, moments.z};
    std::sort(sorted, sorted + 3);
    for (int k = 0; k < 3; ++k) ASSERT_NEAR(p.moments[k], scale * sorted[k], 6e-15 * scale * 5);
    ASSERT_LE(largest(p.axes * diagonal(p.moments) * transpose(p.axes) - a), 6e-15 * scale * 5)
        << size;
    ASSERT_LE(largest(p.axes * transpose(p.axes) - identity3()), 6e-15);
    ASSERT_NEAR(determinant(p.axes), 1, 6e-15);
  }
  EXPECT_EQ(principalInertia(diagonal({3, 1, 2})).moments, (Vec3{1, 2, 3}));
  EXPECT_EQ(principalInertia(Mat3{}).moments, Vec3{});
}

TEST(Inertia, BodiesArePhysical) {
  Random random(9);
  for (int i = 0; i < 1000; ++i) {
    // Also rods (2 points) and plates (3 points), which lie on the border.
    const MassProperties body = propertiesOf(randomCloud(random, 1 + i % 5));
    EXPECT_EQ(whyUnphysical(body.inertia), "");
  }
  EXPECT_TRUE(isPhysical(Mat3{}));
  EXPECT_TRUE(isPhysical(diagonal({1, 1, 2})));
  EXPECT_TRUE(isPhysical(diagonal({0, 1, 1})));
}

TEST(Inertia, ImpossibleInertiaIsNamed) {
  EXPECT_NE(whyUnphysical(diagonal({1, 1, 2.001})).find("exceeds the sum"), std::string::npos);
  EXPECT_NE(whyUnphysical(diagonal({1, -0.001, 1})).find("negative"), std::string::npos);
  Mat3 skewed = diagonal({1, 1, 1});
  skewed(0, 2) = 0.1;
  EXPECT_NE(whyUnphysical(skewed).find("not symmetric: xz is 0.1, zx is 0"), std::string::npos);
  Mat3 large = diagonal({1, 1, 1});  // positive diagonal, but a product that no body has
  large(0, 1) = large(1, 0) = 1.5;
  EXPECT_NE(whyUnphysical(large).find("negative"), std::string::npos);
  Mat3 broken = diagonal({1, 1, 1});
  broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(whyUnphysical(broken).find("not a finite number"), std::string::npos);
  // A turned one is as impossible.
  const Mat3 R = rotationMatrix(Random(1).rotation());
  EXPECT_FALSE(isPhysical(R * diagonal({1, 1, 2.001}) * transpose(R)));
  EXPECT_TRUE(isPhysical(R * diagonal({1, 1, 2}) * transpose(R)));
}

}  // namespace
}  // namespace tenon
