// Forms: a shape as a polyhedron, as fine as somebody wants to see it.
#pragma once

#include <tenon/scene.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace tenon {

// Faces are flat and convex, counter-clockwise seen from outside.
struct Form {
  std::vector<Vec3> points;            // [m]
  std::vector<std::uint32_t> corners;  // of all faces, one after the other
  std::vector<std::uint32_t> starts;   // of each face in `corners`
  bool convex = true;                  // no face hides another one of the same form

  [[nodiscard]] std::size_t faceCount() const { return starts.size(); }
  [[nodiscard]] std::span<const std::uint32_t> face(std::size_t f) const {
    const std::size_t end = f + 1 < starts.size() ? starts[f + 1] : corners.size();
    return std::span(corners).subspan(starts[f], end - starts[f]);
  }
  void add(std::initializer_list<std::uint32_t> face) {
    starts.push_back(static_cast<std::uint32_t>(corners.size()));
    corners.insert(corners.end(), face);
  }
};

// How round a shape is: the radius that decides how many segments it deserves [m]; 0: flat faces.
[[nodiscard]] double roundness(const Shape& shape);

// The polyhedron in the solid's frame, with `segments` around. Bands of balls run around `pole`
// (solid's frame, unit): along the light, so that a band has one shade. Empty if the shape is none.
[[nodiscard]] Form formOf(const Shape& shape, int segments, const Vec3& pole);

}  // namespace tenon
