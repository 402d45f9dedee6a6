// Solids bounded by triangles: checks, exact volume integrals, convex hulls.
#pragma once

#include <tenon/math.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "math/inertia.h"

namespace tenon {

// Corners counter-clockwise seen from outside, as indices of points.
using Triangle = std::array<std::uint32_t, 3>;

// ----------------------------------------------------------------------------------- closed meshes

struct MeshReport {
  std::vector<std::string> errors;    // why the mesh bounds no volume; empty: it does
  std::vector<std::string> warnings;  // odd, but the integrals below hold
  bool insideOut = false;  // every triangle is clockwise: volume is negative as it stands
  double volume = 0;       // [m³] not negative; 0 if there are errors
};

// Closed: every edge belongs to two triangles (or 2, 4, … at a touching edge) that run along it in
// opposite directions. Any number of shells, of any genus; a shell turned inwards is a hollow, and
// has to lie within the box of another one. Triangles that pass through each other are not found.
[[nodiscard]] MeshReport checkMesh(const std::vector<Vec3>& points,
                                   const std::vector<Triangle>& triangles);

// Mass properties of a solid of this density [kg/m³] within closed triangles, exactly but for
// rounding: sums over the tetrahedra between each triangle and a point inside. For a mesh that is
// inside out, all of mass and inertia are negative. Precondition: checkMesh found no errors.
[[nodiscard]] MassProperties massOfMesh(const std::vector<Vec3>& points,
                                        const std::vector<Triangle>& triangles, double density);

// Points that are equal to the last bit become one (files that list corners per triangle need that
// to be closed), and triangles left with two equal corners go. Order of first appearance is kept.
void weld(std::vector<Vec3>& points, std::vector<Triangle>& triangles);

// ------------------------------------------------------------------------------------ convex hulls

struct Hull {
  // Corners of the hull only, as indices of the points given, ascending. Of equal points the first.
  std::vector<std::uint32_t> corners;
  std::vector<Triangle>
      triangles;      // indices of the points given; outward; faces with more corners cut up
  std::string error;  // why there is none: too few points, flat, not finite; else empty
};

// Quickhull with exact arithmetic in its one decision: on which side of a plane a point lies.
//                                       [Barber, Dobkin, Huhdanpaa 1996; Shewchuk 1997]
// So it is the hull of the very doubles given, coplanar and repeated points or not, and the same in
// every build, but for digits below 2^-300 of the largest coordinate, which are rounded off: else products of
// three could be too small for a double. A set thinner than 1e-12 of its extent counts as flat.
[[nodiscard]] Hull convexHull(const std::vector<Vec3>& points);

// Sign of (b - a) × (c - a) · (d - a): 1 if d lies in front of the triangle, where a, b, c run
// counter-clockwise; 0 if the four are coplanar. Exact, unless a product of three differences
// leaves the range of double.
[[nodiscard]] int sideOfPlane(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace tenon
