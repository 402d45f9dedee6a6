// What a shape weighs and how far it reaches.
//
// Closed forms for the simple shapes, exact volume integrals (math/polyhedron.h) for hulls and
// meshes, and Manikin's estimate from the bounding box.
#pragma once

#include <tenon/math.h>
#include <tenon/scene.h>

#include <string>
#include <vector>

#include "math/inertia.h"

namespace tenon {

// Mass properties, or why there are none.
struct ShapeMass {
  MassProperties properties;  // in the solid's frame; means nothing unless ok()
  std::string problem;        // every reason, "; " between them: "its radius is not positive"
  std::vector<std::string> warnings;  // odd, but the properties hold: a mesh that is inside out
  [[nodiscard]] bool ok() const { return problem.empty(); }
};

// Of the shape alone, at its pose. Precondition: density > 0 [kg/m³]; Shape::density is not read.
[[nodiscard]] ShapeMass massOf(const Shape& shape, double density);

// Why the shape has no extent: sizes not positive (a capsule's straight part may be 0), or not
// finite, no points, a triangle that names none. Empty: boundingBox may be asked. It may still have
// no volume: only massOf sees a flat hull or an open mesh.
[[nodiscard]] std::string shapeProblem(const Shape& shape);

struct BoundingBox {
  Vec3 lower, upper;  // [m]
  friend bool operator==(const BoundingBox&, const BoundingBox&) = default;
};

// The smallest box along the solid's axes around the shape at its pose. Of a mesh, only points in
// use count. Precondition: shapeProblem(shape) is empty.
[[nodiscard]] BoundingBox boundingBox(const Shape& shape);

[[nodiscard]] BoundingBox unite(const BoundingBox& a, const BoundingBox& b);

// Manikin's `ma`: the shapes' bounding box as a body of this density [kg/m³], with its centre and
// moments and no products of inertia.                        [ForseyWilhelms1988 §4.1]
inline constexpr double kManikinDensity = 750;  // [kg/m³]
[[nodiscard]] ShapeMass boundingBoxMass(const std::vector<Shape>& shapes,
                                        double density = kManikinDensity);

}  // namespace tenon
