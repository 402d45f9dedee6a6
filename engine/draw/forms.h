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
  double crease = 0.8;                 // edges are creases if the normals' cosine is below

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

// The convex forms of a solid as half-spaces: finds what of one of them lies within another one, where
// nobody sees it.
class Insides {
 public:
  explicit Insides(const std::vector<Form>& forms);

  // Are all corners of face f of form k within another form?
  [[nodiscard]] bool hide(std::size_t k, std::size_t f) const;

 private:
  struct HalfSpace {
    Vec3 normal;        // unit, outwards
    double offset = 0;  // normal·p <= offset inside
  };
  struct Inside {
    std::vector<HalfSpace> halves;  // none: not to be used
    Vec3 lower, upper;
  };
  [[nodiscard]] bool contains(const Inside& inside, const Vec3& p) const;

  const std::vector<Form>& forms_;
  std::vector<Inside> insides_;
};

}  // namespace tenon
