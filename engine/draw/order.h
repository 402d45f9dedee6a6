// Hidden surfaces: flat convex facets put into an order in which later ones may cover earlier ones.
#pragma once

#include <tenon/math.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon {

// A flat convex polygon of the sheet: x to the right, y up [px], z towards the viewer in the same
// scale. Perspective is done already: it keeps planes flat and what is nearer nearer.
struct Facet {
  std::vector<Vec3> loop;             // counter-clockwise as seen
  std::vector<std::uint8_t> inked;    // by edge, from corner i to i + 1: drawn as a line
  std::uint32_t form = 0;             // facets of one convex form never hide each other
  std::uint32_t fill = 0, ink = 0;    // 0xrrggbb
  std::uint32_t owner = 0xffffffffu;  // the solid, or none
  bool convexForm = true;
  bool wire = false;  // a thin line: among themselves they need no order
};

// The part of a facet where d >= 0, d being given at the corners and linear between them. Fewer than
// three corners: nothing is left.
[[nodiscard]] Facet clipped(const Facet& facet, const std::vector<double>& d);

[[nodiscard]] double areaOf(
    const std::vector<Vec3>& loop);  // [px²], positive: as seen from outside

// Far to near. Facets that pass through each other, or hide each other in a circle, are cut; the
// others stay whole. More than `exactLimit` facets, or ones that pass through each other so often that it would take
// too long, are sorted by their mean depth instead: then what is behind may cover what is in front.
struct Ordered {
  std::vector<Facet> facets;
  bool exact = true;
};
[[nodiscard]] Ordered farToNear(std::vector<Facet> facets, std::size_t exactLimit);

// Drops what later facets cover, of an ordered list, for a sheet of this size [px].
void dropCovered(std::vector<Facet>& ordered, int width, int height);

// Answers what is seen at a place of the sheet. Keeps a reference to the facets.
class Cover {
 public:
  explicit Cover(const std::vector<Facet>& ordered);

  // The facet on top there, wires aside; null: none. `depth` is the facet's at that place.
  [[nodiscard]] const Facet* topmost(const Vec3& p, double& depth) const;

 private:
  const std::vector<Facet>& facets_;
  double left_ = 0, low_ = 0;
  std::size_t columns_ = 0, rows_ = 0;
  std::vector<std::vector<std::uint32_t>> cells_;  // facets that reach into a cell, far to near
};

}  // namespace tenon
