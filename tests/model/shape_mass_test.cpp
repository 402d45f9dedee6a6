// Mass of shapes along independent ways: integrals over slices, triangulations, random points.
#include "model/shape_mass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "math/polyhedron.h"
#include "math/portable.h"
#include "math/random.h"
#include "math/rotation.h"

namespace tenon {
namespace {

const std::vector<Triangle> kBoxTriangles{{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

Shape shapeOf(ShapeKind kind, const Vec3& size, const Pose& pose = {}) {
  Shape shape;
  shape.kind = kind;
  shape.size = size;
  shape.pose = pose;
  return shape;
}

std::vector<Vec3> boxPoints(const Vec3& size) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i)
    points.push_back({(i & 1) != 0 ? size.x / 2 : -size.x / 2,
                      (i & 2) != 0 ? size.y / 2 : -size.y / 2,
                      (i & 4) != 0 ? size.z / 2 : -size.z / 2});
  return points;
}

Shape hullOf(std::vector<Vec3> points, const Pose& pose = {}) {
  Shape shape = shapeOf(ShapeKind::Hull, {}, pose);
  shape.points = std::move(points);
  return shape;
}

Shape meshOf(std::vector<Vec3> points, std::vector<Triangle> triangles, const Pose& pose = {}) {
  Shape shape = shapeOf(ShapeKind::Mesh, {}, pose);
  shape.points = std::move(points);
  shape.triangles = std::move(triangles);
  return shape;
}

// A wedge without any symmetry, so that errors of order or sign show.
const std::vector<Vec3> kWedge{{0, 0, 0}, {1.5, 0.1, 0}, {0.2, 1.1, 0}, {0.1, 0.3, 0.9}};
const std::vector<Triangle> kWedgeTriangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

std::vector<Shape> everyShape(const Pose& pose) {
  return {shapeOf(ShapeKind::Box, {0.5, 1.5, 0.8}, pose),
          shapeOf(ShapeKind::Sphere, {0.7, 0, 0}, pose),
          shapeOf(ShapeKind::Ellipsoid, {0.4, 1.1, 0.7}, pose),
          shapeOf(ShapeKind::Capsule, {0.3, 0.9, 0}, pose),
          shapeOf(ShapeKind::Cylinder, {0.6, 0.7, 0}, pose),
          shapeOf(ShapeKind::Cone, {0.6, 1.3, 0}, pose),
          hullOf(kWedge, pose),
          meshOf(kWedge, kWedgeTriangles, pose)};
}

// Whether a point of the shape's own frame is inside: straight from the words of ShapeKind.
bool isInside(const Shape& s, const Vec3& p) {
  const double across = std::sqrt(p.x * p.x + p.z * p.z), r = s.size.x, h = s.size.y;
  switch (s.kind) {
    case ShapeKind::Box:
      return std::fabs(p.x) < s.size.x / 2 && std::fabs(p.y) < s.size.y / 2 &&
             std::fabs(p.z) < s.size.z / 2;
    case ShapeKind::Sphere:
      return norm(p) < r;
    case ShapeKind::Ellipsoid:
      return norm(Vec3{p.x / s.size.x, p.y / s.size.y, p.z / s.size.z}) < 1;
    case ShapeKind::Capsule: {
      const double y = std::clamp(p.y, -h / 2, h / 2);
      return norm(p - Vec3{0, y, 0}) < r;
    }
    case ShapeKind::Cylinder:
      return across < r && std::fabs(p.y) < h / 2;
    case ShapeKind::Cone:
      return std::fabs(p.y) < h / 2 && across < r * (0.5 - p.y / h);
    case ShapeKind::Hull:
    case ShapeKind::Mesh:
      for (const Triangle& t : kWedgeTriangles)
        if (sideOfPlane(kWedge[t[0]], kWedge[t[1]], kWedge[t[2]], p) > 0) return false;
      return true;
  }
  return false;
}

double largest(const Mat3& a) {
  double worst = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) worst = std::max(worst, std::fabs(a(r, c)));
  return worst;
}

void expectSame(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_LE(norm(a.com - b.com), tolerance * (1 + norm(b.com)));
  EXPECT_LE(largest(a.inertia - b.inertia), tolerance * largest(b.inertia));
}

// ------------------------------------------------------------------------------------ closed forms

// A round body along y with squared radius r²(y): discs of area π r², whose own moments are π r⁴/4
// across and π r⁴/2 along. Three-point Gauss is exact where r² is a polynomial of degree 2.
MassProperties bySlices(const std::vector<double>& borders,
                        const std::function<double(double)>& squaredRadius, double density) {
  struct Slice {
    double y, weight, r2;
  };
  std::vector<Slice> slices;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const double middle = (borders[i] + borders[i + 1]) / 2,
                 half = (borders[i + 1] - borders[i]) / 2;
    const double node = half * std::sqrt(0.6);
    for (const auto& [offset, weight] :
         {std::array{-node, 5.0 / 9}, std::array{0.0, 8.0 / 9}, std::array{node, 5.0 / 9}})
      slices.push_back({middle + offset, half * weight * density, squaredRadius(middle + offset)});
  }
  MassProperties m;
  for (const Slice& s : slices) {
    m.mass += s.weight * kPi * s.r2;
    m.com.y += s.weight * kPi * s.r2 * s.y;
  }
  m.com.y /= m.mass;
  for (const Slice& s : slices) {
    const double d = s.y - m.com.y;
    m.inertia(1, 1) += s.weight * kPi * s.r2 * s.r2 / 2;
    m.inertia(0, 0) += s.weight * kPi * (s.r2 * s.r2 / 4 + s.r2 * d * d);
  }
  m.inertia(2, 2) = m.inertia(0, 0);
  return m;
}

TEST(ShapeMass, RoundShapesMatchIntegralsOverSlices) {
  const double r = 0.3, h = 0.8;
  const auto mass = [](ShapeKind kind, const Vec3& size) {
    const ShapeMass made = massOf(shapeOf(kind, size), 1200);
    EXPECT_TRUE(made.ok()) << made.problem;
    return made.properties;
  };
  expectSame(mass(ShapeKind::Cylinder, {r, h, 0}),
             bySlices(
                 {-h / 2, h / 2}, [&](double) { return r * r; }, 1200),
             2e-15);
  expectSame(mass(ShapeKind::Cone, {r, h, 0}),
             bySlices(
                 {-h / 2, h / 2},
                 [&](double y) {
                   const double f = r * (0.5 - y / h);
                   return f * f;
                 },
                 1200),
             4e-15);
  expectSame(mass(ShapeKind::Sphere, {r, 0, 0}),
             bySlices(
                 {-r, r}, [&](double y) { return r * r - y * y; }, 1200),
             2e-15);
  expectSame(mass(ShapeKind::Capsule, {r, h, 0}),
             bySlices(
                 {-h / 2 - r, -h / 2, h / 2, h / 2 + r},
                 [&](double y) {
                   const double over = std::max(std::fabs(y) - h / 2, 0.0);
                   return r * r - over * over;
                 },
                 1200),
             4e-15);
  expectSame(mass(ShapeKind::Ellipsoid, {r, h, r}),
             bySlices(
                 {-h, h}, [&](double y) { return r * r * (1 - y * y / (h * h)); }, 1200),
             4e-15);
  // A capsule without a straight part is a ball; three semi-axes of a kind are a ball.
  expectSame(mass(ShapeKind::Capsule, {r, 0, 0}), mass(ShapeKind::Sphere, {r, 0, 0}), 1e-15);
  expectSame(mass(ShapeKind::Ellipsoid, {r, r, r}), mass(ShapeKind::Sphere, {r, 0, 0}), 0);
}

TEST(ShapeMass, AnEllipsoidIsAStretchedBall) {
  // Stretching a ball by (a, b, c) multiplies ∫x² dm by a² · abc, and so on: three different axes.
  const double a = 0.4, b = 1.1, c = 0.7;
  const double m = 1000 * 4.0 / 3 * kPi * a * b * c;
  const double xx = m * a * a / 5, yy = m * b * b / 5, zz = m * c * c / 5;
  expectSame(massOf(shapeOf(ShapeKind::Ellipsoid, {a, b, c}), 1000).properties,
             {m, {}, diagonal({yy + zz, zz + xx, xx + yy})}, 2e-15);
}

TEST(ShapeMass, BoxHullAndMeshAgree) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const Pose pose{2 * random.direction(), random.rotation()};
    const Vec3 size{random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2)};
    const ShapeMass box = massOf(shapeOf(ShapeKind::Box, size, pose), 700);
    const ShapeMass hull = massOf(hullOf(boxPoints(size), pose), 700);
    const ShapeMass mesh = massOf(meshOf(boxPoints(size), kBoxTriangles, pose), 700);
    ASSERT_TRUE(box.ok() && hull.ok() && mesh.ok());
    expectSame(hull.properties, box.properties, 1e-14);
    expectSame(mesh.properties, box.properties, 1e-14);
  }
}

// ------------------------------------------------------------------- triangulations, random points

// Points on the surface of a round shape, `n` around; their hull approaches it with second order.
std::vector<Vec3> surfacePoints(const Shape& s, int n) {
  std::vector<Vec3> points;
  const auto ring = [&](double radius, double y) {
    for (int i = 0; i < n; ++i) {
      const SineCosine turn = sineCosine(2 * kPi * i / n);
      points.push_back({radius * turn.cosine, y, radius * turn.sine});
    }
  };
  const double r = s.size.x, h = s.size.y;
  if (s.kind == ShapeKind::Cylinder) {
    ring(r, -h / 2);
    ring(r, h / 2);
  } else if (s.kind == ShapeKind::Cone) {
    ring(r, -h / 2);
    points.push_back({0, h / 2, 0});
  } else {  // Capsule, Sphere, Ellipsoid: half circles from pole to pole
    for (int k = 0; k <= n; ++k) {
      const SineCosine turn = sineCosine(kPi * (double(k) / n - 0.5));
      const double middle = s.kind == ShapeKind::Capsule ? (2 * k < n ? -h / 2 : h / 2) : 0;
      const std::size_t first = points.size();
      if (k == 0 || k == n)
        points.push_back({0, turn.sine, 0});
      else
        ring(turn.cosine, turn.sine);
      for (std::size_t i = first; i < points.size(); ++i) {
        Vec3& p = points[i];
        if (s.kind == ShapeKind::Ellipsoid)
          p = {p.x * s.size.x, p.y * s.size.y, p.z * s.size.z};
        else
          p = r * p + Vec3{0, middle, 0};
      }
      // The equator belongs to both halves of a capsule.
      if (s.kind == ShapeKind::Capsule && 2 * k == n)
        for (std::size_t i = first, end = points.size(); i < end; ++i)
          points.push_back(points[i] - Vec3{0, h, 0});
    }
  }
  return points;
}

TEST(ShapeMass, RoundShapesAreTheLimitOfTheirTriangulations) {
  Random random(2);
  const Pose pose{{1, -2, 0.5}, random.rotation()};
  for (const Shape& shape : everyShape(pose)) {
    if (shape.kind == ShapeKind::Box || shape.kind == ShapeKind::Hull ||
        shape.kind == ShapeKind::Mesh)
      continue;
    const MassProperties exact = massOf(shape, 1000).properties;
    const auto error = [&](int n) {
      const ShapeMass made = massOf(hullOf(surfacePoints(shape, n), pose), 1000);
      EXPECT_TRUE(made.ok()) << made.problem;
      return std::array{std::fabs(made.properties.mass / exact.mass - 1),
                        largest(made.properties.inertia - exact.inertia) / largest(exact.inertia)};
    };
    const auto coarse = error(16), fine = error(32);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(coarse[k] / fine[k], 4, 0.3) << static_cast<int>(shape.kind);
      EXPECT_LT(fine[k], 0.03) << static_cast<int>(shape.kind);
    }
  }
}

TEST(ShapeMass, EveryShapeTurnedAndShiftedMatchesRandomPoints) {
  Random random(3);
  const Pose pose{{0.3, -1.2, 2}, random.rotation()};
  constexpr int kDraws = 200000;
  for (const Shape& shape : everyShape(pose)) {
    const ShapeMass made = massOf(shape, 800);
    ASSERT_TRUE(made.ok()) << made.problem;
    const BoundingBox box = boundingBox(shape);
    const Vec3 size = box.upper - box.lower;
    const double boxMass = 800 * size.x * size.y * size.z;
    const Pose back = inverse(pose);
    int hits = 0;
    Vec3 sum;
    Mat3 second;  // about the claimed centre
    for (int i = 0; i < kDraws; ++i) {
      const Vec3 p = random.pointInBox(box.lower, box.upper);
      if (!isInside(shape, transform(back, p))) continue;
      ++hits;
      const Vec3 d = p - made.properties.com;
      sum += d;
      second += outer(d, d);
    }
    const double share = double(hits) / kDraws, reach = norm(size);
    const double deviation = std::sqrt((1 - share) / hits);
    const MassProperties& m = made.properties;
    EXPECT_NEAR(boxMass * share / m.mass, 1, 5 * deviation) << static_cast<int>(shape.kind);
    EXPECT_LT(norm(sum / hits), 5 * reach / std::sqrt(12.0 * hits)) << static_cast<int>(shape.kind);
    const Mat3 S = (m.mass / hits) * second;
    const Mat3 inertia = trace(S) * identity3() - S;
    // The fourth moments are at most reach⁴/80 or so: one per cent of the largest moment here.
    EXPECT_LT(largest(inertia - m.inertia), 0.015 * largest(m.inertia))
        << static_cast<int>(shape.kind);
    EXPECT_TRUE(isPhysical(m.inertia));
  }
}

TEST(ShapeMass, MovesWithThePose) {
  Random random(4);
  const std::vector<Shape> still = everyShape({});
  for (int i = 0; i < 20; ++i) {
    const Pose pose{5 * random.direction(), random.rotation()};
    const std::vector<Shape> moved = everyShape(pose);
    for (std::size_t k = 0; k < still.size(); ++k)
      expectSame(massOf(moved[k], 300).properties,
                 transformed(massOf(still[k], 300).properties, pose), 1e-14);
  }
}

// ---------------------------------------------------------------------------------- bounding boxes

TEST(BoundingBox, IsTheSmallestAroundEveryTurnedShape) {
  // Against the extremes of dense points on the surface: none outside, each side nearly touched.
  Random random(5);
  for (int i = 0; i < 10; ++i) {
    const Pose pose{3 * random.direction(), random.rotation()};
    for (const Shape& shape : everyShape(pose)) {
      std::vector<Vec3> points;
      double gap = 1e-14;
      if (shape.kind == ShapeKind::Box)
        points = boxPoints(shape.size);
      else if (shape.kind == ShapeKind::Hull || shape.kind == ShapeKind::Mesh)
        points = kWedge;
      else {
        points = surfacePoints(shape, 300);
        gap = 2e-4;  // 1 - cos(π/300) = 5e-5 of a radius of at most 1.1, twice
      }
      const BoundingBox box = boundingBox(shape);
      for (int k = 0; k < 3; ++k) {
        double low = 1e300, high = -1e300;
        for (const Vec3& p : points) {
          low = std::min(low, transform(pose, p)[k]);
          high = std::max(high, transform(pose, p)[k]);
        }
        EXPECT_LE(box.lower[k], low + 1e-14) << static_cast<int>(shape.kind);
        EXPECT_GE(box.upper[k], high - 1e-14) << static_cast<int>(shape.kind);
        EXPECT_NEAR(box.lower[k], low, gap) << static_cast<int>(shape.kind);
        EXPECT_NEAR(box.upper[k], high, gap) << static_cast<int>(shape.kind);
      }
    }
  }
}

TEST(BoundingBox, AConeIsNotSymmetric) {
  const BoundingBox box =
      boundingBox(shapeOf(ShapeKind::Cone, {1, 2, 0}, {{}, fromAxisAngle({0, 0, 1}, kPi / 2)}));
  // Apex towards -x; the base, a disc across x, at x = +1.
  EXPECT_NEAR(box.lower.x, -1, 1e-15);
  EXPECT_NEAR(box.upper.x, 1, 4e-16);
  EXPECT_NEAR(box.lower.y, -1, 4e-16);
  EXPECT_NEAR(box.upper.z, 1, 4e-16);
}

TEST(BoundingBox, PointsThatNoTriangleUsesDoNotCount) {
  std::vector<Vec3> points = boxPoints({1, 1, 1});
  points.push_back({100, 0, 0});
  EXPECT_EQ(boundingBox(meshOf(points, kBoxTriangles)).upper, (Vec3{0.5, 0.5, 0.5}));
}

TEST(BoundingBox, ManikinsEstimate) {
  // A limb: a capsule along y and a box beside it. [Forsey & Wilhelms: box × 750 kg/m³]
  const std::vector<Shape> shapes{shapeOf(ShapeKind::Capsule, {0.1, 0.3, 0}),
                                  shapeOf(ShapeKind::Box, {0.1, 0.1, 0.4}, {{0.15, 0.2, 0}, {}})};
  const ShapeMass made = boundingBoxMass(shapes);
  ASSERT_TRUE(made.ok());
  const MassProperties& m = made.properties;
  // x from -0.1 to 0.2, y from -0.25 to 0.25, z from -0.2 to 0.2
  const double mass = 750 * 0.3 * 0.5 * 0.4;
  EXPECT_NEAR(m.mass, mass, 1e-14 * mass);
  EXPECT_LE(norm(m.com - Vec3{0.05, 0, 0}), 1e-16);
  EXPECT_LE(largest(m.inertia - (mass / 12) * diagonal({0.25 + 0.16, 0.09 + 0.16, 0.09 + 0.25})),
            1e-14);
  EXPECT_EQ(m.inertia(0, 1), 0);
  EXPECT_NEAR(boundingBoxMass(shapes, 1500).properties.mass, 2 * mass, 1e-13);
}

// ---------------------------------------------------------------------------------------- problems

bool fails(const Shape& shape, const std::string& why) {
  const ShapeMass made = massOf(shape, 1000);
  EXPECT_NE(made.problem.find(why), std::string::npos) << "said: " << made.problem;
  return !made.ok();
}

TEST(ShapeMass, WhatHasNoVolumeSaysWhy) {
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Box, {1, 0, -1}),
                    "its size along y is not positive; its size along z is not positive"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Sphere, {-1, 0, 0}), "its radius is not positive"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Sphere, {std::numeric_limits<double>::quiet_NaN(), 0, 0}),
                    "its radius is not positive"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Ellipsoid, {1, 1, 0}), "semi-axis along z"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Capsule, {1, -0.1, 0}), "its length is negative"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Cylinder, {1, 0, 0}), "its height is not positive"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Cone, {kInfinity, 1, 0}), "its radius is not positive"));
  EXPECT_TRUE(fails(hullOf({}), "it has no points"));
  EXPECT_TRUE(fails(hullOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), "four points"));
  EXPECT_TRUE(fails(hullOf(boxPoints({1, 0, 2})), "flat"));
  std::vector<Triangle> open = kBoxTriangles;
  open.pop_back();
  EXPECT_TRUE(fails(meshOf(boxPoints({1, 1, 1}), open), "not closed"));
  EXPECT_TRUE(fails(meshOf(boxPoints({1, 1, 1}), {}), "it has no triangles"));
  EXPECT_TRUE(
      fails(meshOf(boxPoints({1, 1, 1}), {{0, 1, 8}}), "names a point that it does not have"));
  EXPECT_TRUE(
      fails(shapeOf(ShapeKind::Box, {1, 1, 1}, {{kInfinity, 0, 0}, {}}), "pose is not finite"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Sphere, {1e-120, 0, 0}), "too small or too large"));
  EXPECT_TRUE(fails(shapeOf(ShapeKind::Sphere, {1e150, 0, 0}), "too small or too large"));
  EXPECT_FALSE(boundingBoxMass({}).ok());
  EXPECT_FALSE(boundingBoxMass({shapeOf(ShapeKind::Box, {1, 1, 0})}).ok());
  EXPECT_FALSE(boundingBoxMass({hullOf(boxPoints({1, 0, 1}))}).ok());
}

TEST(ShapeMass, AMeshInsideOutIsTurnedAndSaidSo) {
  std::vector<Triangle> turned = kBoxTriangles;
  for (Triangle& t : turned) std::swap(t[0], t[1]);
  const ShapeMass made = massOf(meshOf(boxPoints({1, 2, 3}), turned), 10);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made.warnings.size(), 1u);
  EXPECT_NE(made.warnings[0].find("inside out"), std::string::npos);
  expectSame(made.properties, massOf(shapeOf(ShapeKind::Box, {1, 2, 3}), 10).properties, 1e-14);
}

TEST(ShapeMass, LooseTrianglesThatMeetAreClosed) {
  const std::vector<Vec3> corners = boxPoints({1, 2, 3});
  Shape loose = meshOf({}, {});
  for (const Triangle& t : kBoxTriangles) {
    const auto first = static_cast<std::uint32_t>(loose.points.size());
    for (const std::uint32_t corner : t) loose.points.push_back(corners[corner]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  const ShapeMass made = massOf(loose, 10);
  ASSERT_TRUE(made.ok()) << made.problem;
  EXPECT_TRUE(made.warnings.empty());
  EXPECT_NEAR(made.properties.mass, 60, 1e-12);
}

}  // namespace
}  // namespace tenon
