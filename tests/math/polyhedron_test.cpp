// Volume integrals against closed forms; what checkMesh refuses; hulls with exact coplanarity.
#include "math/polyhedron.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "math/hash.h"
#include "math/random.h"
#include "math/rotation.h"

namespace tenon {
namespace {

struct Mesh {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

double largestEntry(const Mat3& a) {
  double worst = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) worst = std::max(worst, std::fabs(a(r, c)));
  return worst;
}

Mesh box(const Vec3& lower, const Vec3& upper) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.points.push_back({(i & 1) != 0 ? upper.x : lower.x, (i & 2) != 0 ? upper.y : lower.y,
                           (i & 4) != 0 ? upper.z : lower.z});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

Mesh turned(Mesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

Mesh moved(Mesh mesh, const Pose& X) {
  for (Vec3& p : mesh.points) p = transform(X, p);
  return mesh;
}

Mesh together(Mesh a, const Mesh& b) {
  const auto shift = static_cast<std::uint32_t>(a.points.size());
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (const Triangle& t : b.triangles)
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return a;
}

// An octahedron whose triangles are cut in four `levels` times, corners on the unit sphere.
Mesh ball(int levels) {
  Mesh mesh{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
      {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto key = std::minmax(a, b);
      const auto found = middles.find(key);
      if (found != middles.end()) return found->second;
      const auto index = static_cast<std::uint32_t>(mesh.points.size());
      mesh.points.push_back(normalized(mesh.points[a] + mesh.points[b]));
      middles.emplace(key, index);
      return index;
    };
    std::vector<Triangle> finer;
    for (const Triangle& t : mesh.triangles) {
      const std::uint32_t a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
      finer.insert(finer.end(), {{t[0], a, c}, {t[1], b, a}, {t[2], c, b}, {a, b, c}});
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

void expectSame(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * std::fabs(b.mass));
  EXPECT_LE(norm(a.com - b.com), tolerance * (1 + norm(b.com)));
  EXPECT_LE(largestEntry(a.inertia - b.inertia), tolerance * largestEntry(b.inertia));
}

MassProperties massOf(const Mesh& mesh, double density) {
  EXPECT_TRUE(checkMesh(mesh.points, mesh.triangles).errors.empty());
  return massOfMesh(mesh.points, mesh.triangles, density);
}

TEST(Polyhedron, BoxHasItsClosedForm) {
  const MassProperties m = massOf(box({-1, 2, 3}, {1, 5, 7}), 2.5);
  const double mass = 2.5 * 2 * 3 * 4;
  expectSame(m, {mass, {0, 3.5, 5}, (mass / 12) * diagonal({9 + 16, 4 + 16, 4 + 9})}, 2e-15);
}

TEST(Polyhedron, TetrahedronHasItsClosedForm) {
  // Corners 0, a e_x, b e_y, c e_z: volume abc/6, centre (a, b, c)/4, and about the centre
  // ∫x² = V 3a²/80, ∫xy = -V ab/80.
  const double a = 2, b = 3, c = 0.5, V = a * b * c / 6, m = 7 * V;
  const Mesh mesh{{{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}},
                  {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  const Vec3 d{a, b, c};
  Mat3 inertia;
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k)
      inertia(r, k) = r == k ? m * 3 / 80 * (dot(d, d) - d[r] * d[r]) : m / 80 * d[r] * d[k];
  expectSame(massOf(mesh, 7), {m, d / 4, inertia}, 3e-15);
}

TEST(Polyhedron, FarFromTheOriginNothingIsLost) {
  // The second moments about the origin are 1e12 times those about the centre.
  const MassProperties m = massOf(box({1e6, 1e6, 1e6}, {1e6 + 1, 1e6 + 2, 1e6 + 4}), 1);
  expectSame(m, {8, {1e6 + 0.5, 1e6 + 1, 1e6 + 2}, (8.0 / 12) * diagonal({20, 17, 5})}, 1e-14);
}

TEST(Polyhedron, SubdividedBallConvergesWithSecondOrder) {
  double before = 0;
  for (int level = 1; level <= 5; ++level) {
    const MassProperties m = massOf(ball(level), 1);
    const double mass = 4.0 / 3 * kPi;
    const double error =
        std::fabs(m.mass - mass) + largestEntry(m.inertia - (0.4 * mass) * identity3());
    EXPECT_LE(norm(m.com), 1e-15);
    if (level > 2) {
      EXPECT_NEAR(before / error, 4, 0.25);
    }
    before = error;
  }
  EXPECT_LT(before, 0.02);
}

TEST(Polyhedron, FollowsRigidMotions) {
  Random random(1);
  const Mesh mesh = together(box({0, 0, 0}, {1, 2, 3}), box({2, 0, 0}, {4, 1, 0.5}));
  const MassProperties m = massOf(mesh, 3);
  for (int i = 0; i < 100; ++i) {
    const Pose X{10 * random.direction(), random.rotation()};
    expectSame(massOf(moved(mesh, X), 3), transformed(m, X), 1e-13);
  }
}

TEST(Polyhedron, HollowsAndHolesCount) {
  // A box with a box-shaped hollow, and a frame (genus 1) by outer faces, inner faces and rings.
  const Mesh hollow = together(box({-2, -2, -2}, {2, 2, 2}), turned(box({-1, -1, -1}, {1, 1, 1})));
  EXPECT_NEAR(massOf(hollow, 1).mass, 64 - 8, 1e-13);

  Mesh frame;
  for (const double z : {0.0, 1.0})
    for (const double r : {2.0, 1.0})
      for (const auto& [x, y] : {std::pair{-r, -r}, {r, -r}, {r, r}, {-r, r}})
        frame.points.push_back({x, y, z});
  const auto quad = [&frame](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    frame.triangles.push_back({a, b, c});
    frame.triangles.push_back({a, c, d});
  };
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t j = (i + 1) % 4;
    quad(i, j, j + 8, i + 8);            // outer wall
    quad(j + 4, i + 4, i + 12, j + 12);  // inner wall
    quad(j, i, i + 4, j + 4);            // bottom ring
    quad(i + 8, j + 8, j + 12, i + 12);  // top ring
  }
  const MassProperties m = massOf(frame, 1);
  EXPECT_NEAR(m.mass, 16 - 4, 1e-14);
  const double izz = 16.0 / 12 * 32 - 4.0 / 12 * 8;
  EXPECT_NEAR(m.inertia(2, 2), izz, 1e-13);
}

bool mentions(const std::vector<std::string>& list, const std::string& what) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& s) { return s.find(what) != std::string::npos; });
}

TEST(Polyhedron, WhatBoundsNoVolumeIsNamed) {
  const Mesh good = box({0, 0, 0}, {1, 1, 1});
  EXPECT_TRUE(checkMesh(good.points, good.triangles).errors.empty());
  EXPECT_TRUE(checkMesh(good.points, good.triangles).warnings.empty());
  EXPECT_DOUBLE_EQ(checkMesh(good.points, good.triangles).volume, 1);

  Mesh open = good;
  open.triangles.pop_back();
  EXPECT_TRUE(mentions(checkMesh(open.points, open.triangles).errors, "3 edges lack a neighbour"));

  Mesh oneTurned = good;
  std::swap(oneTurned.triangles[0][0], oneTurned.triangles[0][1]);
  EXPECT_TRUE(mentions(checkMesh(oneTurned.points, oneTurned.triangles).errors,
                       "opposite senses at 3 edges"));

  Mesh repeated = good;
  repeated.triangles.push_back({0, 0, 1});
  EXPECT_TRUE(
      mentions(checkMesh(repeated.points, repeated.triangles).errors, "uses a point twice"));

  Mesh lost = good;
  lost.triangles[3][1] = 99;
  EXPECT_TRUE(mentions(checkMesh(lost.points, lost.triangles).errors,
                       "triangle 3 names point 99, but there are only 8"));

  Mesh broken = good;
  broken.points[2].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(mentions(checkMesh(broken.points, broken.triangles).errors, "point 2"));

  EXPECT_TRUE(mentions(checkMesh(good.points, {}).errors, "no triangles"));

  const Mesh flat = box({0, 0, 0}, {1, 1, 0});
  EXPECT_TRUE(mentions(checkMesh(flat.points, flat.triangles).errors, "encloses no volume"));

  const Mesh twice = together(good, turned(box({5, 0, 0}, {5.5, 1, 1})));
  EXPECT_TRUE(mentions(checkMesh(twice.points, twice.triangles).errors,
                       "1 closed part of the mesh is inside out"));
}

TEST(Polyhedron, TooManyHollowsAreNamed) {
  Mesh mesh;
  for (int i = 0; i < 20'202; ++i) {
    const auto at = static_cast<std::uint32_t>(mesh.points.size());
    const double x = i % 2 == 0 ? i : i - 0.9, size = i % 2 == 0 ? 1 : 0.1;
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      mesh.points.push_back(Vec3{x, 0, 0} + size * (p + (i % 2) * Vec3{1, 1, 1}));
    for (const Triangle& t : {Triangle{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) {
      const std::uint32_t b = i % 2 == 0 ? t[1] : t[2], c = i % 2 == 0 ? t[2] : t[1];
      mesh.triangles.push_back({at + t[0], at + b, at + c});
    }
  }
  const MeshReport report = checkMesh(mesh.points, mesh.triangles);
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors[0],
            "the mesh has 10101 closed parts and 10101 hollows, which are too many to find out "
            "which part lies in "
            "which");
  mesh.triangles.resize(mesh.triangles.size() / 2);
  EXPECT_TRUE(checkMesh(mesh.points, mesh.triangles).errors.empty());
}

TEST(Polyhedron, InsideOutIsSeen) {
  const Mesh mesh = turned(box({0, 0, 0}, {1, 2, 1}));
  const MeshReport report = checkMesh(mesh.points, mesh.triangles);
  EXPECT_TRUE(report.errors.empty());
  EXPECT_TRUE(report.insideOut);
  EXPECT_DOUBLE_EQ(report.volume, 2);
  expectSame(massOfMesh(mesh.points, mesh.triangles, -1), massOf(box({0, 0, 0}, {1, 2, 1}), 1), 0);
}

TEST(Polyhedron, TouchingAlongAnEdgeIsClosed) {
  Mesh mesh = together(box({0, 0, 0}, {1, 1, 1}), box({1, 1, 0}, {2, 2, 1}));
  weld(mesh.points, mesh.triangles);
  EXPECT_EQ(mesh.points.size(), 14u);
  const MeshReport report = checkMesh(mesh.points, mesh.triangles);
  EXPECT_TRUE(report.errors.empty());
  EXPECT_TRUE(mentions(report.warnings, "1 edge belongs to more than two triangles"));
  EXPECT_DOUBLE_EQ(report.volume, 2);
}

TEST(Polyhedron, WeldClosesAListOfLooseTriangles) {
  const Mesh mesh = ball(2);
  Mesh loose;
  for (const Triangle& t : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(loose.points.size());
    for (const std::uint32_t corner : t) loose.points.push_back(mesh.points[corner]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_FALSE(checkMesh(loose.points, loose.triangles).errors.empty());
  weld(loose.points, loose.triangles);
  EXPECT_EQ(loose.points.size(), mesh.points.size());
  EXPECT_EQ(loose.triangles.size(), mesh.triangles.size());
  expectSame(massOf(loose, 1), massOf(mesh, 1), 1e-14);
}

// -------------------------------------------------------------------------------------- exact side

TEST(SideOfPlane, IsExactWhereRoundingIsNot) {
  // Points of a plane whose coordinates are exact, nudged by one unit in the last place.
  Random random(2);
  int decidedByNudge = 0;
  for (int i = 0; i < 20000; ++i) {
    // Integers: a, b, c anywhere, d = a + (b - a) j + (c - a) k exactly in the plane.
    const auto integer = [&random] {
      return static_cast<double>(random.below(2000001)) - 1000000.0;
    };
    const Vec3 a{integer(), integer(), integer()}, b{integer(), integer(), integer()},
        c{integer(), integer(), integer()};
    const double j = static_cast<double>(random.below(7)) - 3,
                 k = static_cast<double>(random.below(7)) - 3;
    Vec3 d = a + j * (b - a) + k * (c - a);
    ASSERT_EQ(sideOfPlane(a, b, c, d), 0);
    const Vec3 n = cross(b - a, c - a);
    if (n.z == 0) continue;
    d.z = std::nextafter(d.z, 1e300);
    const int expected = n.z > 0 ? 1 : -1;
    ASSERT_EQ(sideOfPlane(a, b, c, d), expected);
    ASSERT_EQ(sideOfPlane(b, c, a, d), expected);
    ASSERT_EQ(sideOfPlane(b, a, c, d), -expected);
    ASSERT_EQ(sideOfPlane(d, c, b, a), expected);
    ++decidedByNudge;
  }
  EXPECT_GT(decidedByNudge, 19000);
  EXPECT_EQ(sideOfPlane({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 1e-300}), 1);
  EXPECT_EQ(sideOfPlane({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}), -1);
}

// ------------------------------------------------------------------------------------------- hulls

// Every point behind or in every face, exactly; closed; every corner used. (All points: n × faces.)
void expectHull(const std::vector<Vec3>& points, const Hull& hull, bool everyPoint = true) {
  ASSERT_EQ(hull.error, "");
  const MeshReport report = checkMesh(points, hull.triangles);
  ASSERT_TRUE(report.errors.empty()) << report.errors.front();
  ASSERT_FALSE(report.insideOut);
  std::set<std::uint32_t> used;
  for (const Triangle& t : hull.triangles) used.insert(t.begin(), t.end());
  ASSERT_EQ(std::vector<std::uint32_t>(used.begin(), used.end()), hull.corners);
  // Euler: V - E + F = 2 with E = 3F/2.
  ASSERT_EQ(hull.triangles.size(), 2 * hull.corners.size() - 4);
  for (const Triangle& t : hull.triangles) {
    if (everyPoint) {
      for (const Vec3& p : points)
        ASSERT_LE(sideOfPlane(points[t[0]], points[t[1]], points[t[2]], p), 0);
    } else {
      for (const std::uint32_t corner : hull.corners)
        ASSERT_LE(sideOfPlane(points[t[0]], points[t[1]], points[t[2]], points[corner]), 0);
    }
  }
}

TEST(ConvexHull, ContainsAllPoints) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<Vec3> points;
    const auto n = 4 + random.below(100);
    for (std::uint64_t k = 0; k < n; ++k)
      points.push_back(i % 2 == 0 ? random.direction()
                                  : random.pointInBox({-1, -1, -1}, {1, 2, 3}));
    const Hull hull = convexHull(points);
    expectHull(points, hull);
  }
}

TEST(ConvexHull, OfACubeWithPointsInItsFacesIsTheCube) {
  std::vector<Vec3> points;
  for (int x = 0; x <= 12; ++x)
    for (int y = 0; y <= 12; ++y)
      for (int z = 0; z <= 12; ++z) points.push_back({double(x), double(y), double(z)});
  const Hull hull = convexHull(points);
  expectHull(points, hull);
  EXPECT_EQ(hull.corners.size(), 8u);
  EXPECT_EQ(hull.triangles.size(), 12u);
  EXPECT_DOUBLE_EQ(massOfMesh(points, hull.triangles, 1).mass, 12.0 * 12 * 12);
}

TEST(ConvexHull, OfSmallIntegersIsExact) {
  // Many coplanar, collinear and repeated points at random: every branch of degeneracy.
  Random random(4);
  int flat = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto side = 2 + random.below(3), n = 4 + random.below(40);
    std::vector<Vec3> points;
    for (std::uint64_t k = 0; k < n; ++k) {
      const auto x = static_cast<double>(random.below(side));
      const auto y = static_cast<double>(random.below(side));
      const auto z = static_cast<double>(random.below(side));
      points.push_back({x, y, z});
    }
    const Hull hull = convexHull(points);
    if (!hull.error.empty()) {
      // Then truly no four span a volume.
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < a; ++b)
          for (std::size_t c = 0; c < b; ++c)
            for (std::size_t d = 0; d < c; ++d)
              ASSERT_EQ(sideOfPlane(points[a], points[b], points[c], points[d]), 0);
      ++flat;
      continue;
    }
    expectHull(points, hull);
    // Corners are corners: without one of them the hull is smaller.
    const double volume = massOfMesh(points, hull.triangles, 1).mass;
    const std::uint32_t gone =
        hull.corners[static_cast<std::size_t>(random.below(hull.corners.size()))];
    std::vector<Vec3> others;
    for (const std::uint32_t corner : hull.corners)
      if (corner != gone) others.push_back(points[corner]);
    const Hull smaller = convexHull(others);
    if (smaller.error.empty()) {
      ASSERT_LT(massOfMesh(others, smaller.triangles, 1).mass, volume * (1 - 1e-9));
    }
  }
  EXPECT_GT(flat, 10);
}

TEST(ConvexHull, OfATurnedCubeIsAsLargeAsTheCube) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Pose X{3 * random.direction(), random.rotation()};
    std::vector<Vec3> points;
    for (int x = 0; x <= 6; ++x)
      for (int y = 0; y <= 6; ++y)
        for (int z = 0; z <= 6; ++z)
          points.push_back(transform(X, {double(x), double(y), double(z)}));
    const Hull hull = convexHull(points);
    expectHull(points, hull);
    EXPECT_NEAR(massOfMesh(points, hull.triangles, 1).mass, 216, 1e-12);
  }
}

// Coordinates whose products of three are below the least double: what is too small to count is as good as zero.
TEST(ConvexHull, EndsWhereProductsOfCoordinatesUnderflow) {
  Random random(20);
  const double sizes[] = {1, 1, 1e-100, 1e-150, 1e-200, 1e-300, 1e-308, 0};
  int hulls = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Vec3> points(static_cast<std::size_t>(5 + trial % 8)), rounded;
    for (Vec3& p : points)
      for (int k = 0; k < 3; ++k)
        p[k] = sizes[random.below(8)] * (trial % 3 == 0 ? 1 : random.uniform(-1, 1));
    points[0].x = 1;
    for (Vec3 p : points) {
      for (int k = 0; k < 3; ++k)
        if (std::fabs(p[k]) < 1e-99) p[k] = 0;
      rounded.push_back(p);
    }
    const Hull hull = convexHull(points), expected = convexHull(rounded);
    EXPECT_EQ(hull.error, expected.error) << trial;
    if (!hull.error.empty()) continue;
    ++hulls;
    EXPECT_NEAR(massOfMesh(points, hull.triangles, 1).mass,
                massOfMesh(rounded, expected.triangles, 1).mass, 1e-15)
        << trial;
    EXPECT_EQ(checkMesh(points, hull.triangles).errors, std::vector<std::string>()) << trial;
  }
  EXPECT_GT(hulls, 50);
}

// The scale alone changes nothing, from the least normal numbers to the largest.
TEST(ConvexHull, IsTheSameAtEveryScale) {
  Random random(21);
  std::vector<Vec3> points(40);
  for (Vec3& p : points) p = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  const Hull hull = convexHull(points);
  for (const int exponent : {-960, -300, 300, 1020}) {
    std::vector<Vec3> scaled = points;
    for (Vec3& p : scaled)
      for (int k = 0; k < 3; ++k) p[k] = std::ldexp(p[k], exponent);
    EXPECT_EQ(convexHull(scaled).triangles, hull.triangles) << exponent;
  }
}

TEST(ConvexHull, FlatSetsAreNamed) {
  Random random(6);
  EXPECT_NE(convexHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).error.find("four points"),
            std::string::npos);
  EXPECT_NE(convexHull(std::vector<Vec3>(9, {1, 2, 3})).error.find("one point"), std::string::npos);
  std::vector<Vec3> line, plane, turnedPlane, thick;
  const Quat q = random.rotation();
  for (int i = 0; i < 50; ++i) {
    line.push_back(random.uniform(-5, 5) * Vec3{1, 2, 3});
    const double x = random.uniform(), y = random.uniform();
    plane.push_back({x, 4, y});
    turnedPlane.push_back(rotate(q, {x, y, 0.25}));
    thick.push_back(rotate(q, {x, y, 0.25 + 1e-9 * random.uniform()}));
  }
  EXPECT_NE(convexHull(line).error.find("on a line"), std::string::npos);
  EXPECT_NE(convexHull(plane).error.find("flat"), std::string::npos);
  EXPECT_NE(convexHull(turnedPlane).error.find("flat"), std::string::npos);
  EXPECT_EQ(convexHull(thick).error, "");
  plane[7].x = std::numeric_limits<double>::infinity();
  EXPECT_NE(convexHull(plane).error.find("point 7"), std::string::npos);
}

TEST(ConvexHull, AHundredThousandPoints) {
  Random random(7);
  std::vector<Vec3> sphere, cube;
  for (int i = 0; i < 100000; ++i) {
    sphere.push_back(random.direction());
    cube.push_back(random.pointInBox({0, 0, 0}, {1, 1, 1}));
  }
  const Hull hull = convexHull(sphere);
  ASSERT_EQ(hull.error, "");
  EXPECT_TRUE(checkMesh(sphere, hull.triangles).errors.empty());
  EXPECT_GT(hull.corners.size(), 99000u);
  EXPECT_EQ(hull.triangles.size(), 2 * hull.corners.size() - 4);
  EXPECT_NEAR(massOfMesh(sphere, hull.triangles, 1).mass, 4.0 / 3 * kPi, 1e-3);
  const Hull inner = convexHull(cube);
  expectHull(cube, inner);
}

TEST(ConvexHull, SameBitsInEveryBuild) {
  Random random(8);
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) points.push_back(random.direction());
  const Hull hull = convexHull(points);
  Hash hash;
  for (const Triangle& t : hull.triangles)
    for (const std::uint32_t corner : t) hash.add(std::uint64_t{corner});
  const MassProperties m = massOfMesh(points, hull.triangles, 1);
  hash.add(m.mass).add(m.com).add(m.inertia.row(0)).add(m.inertia.row(1)).add(m.inertia.row(2));
  hash.add(principalInertia(m.inertia).moments);
  EXPECT_EQ(hash.value(), 3857761831413534358u);
}

}  // namespace
}  // namespace tenon
