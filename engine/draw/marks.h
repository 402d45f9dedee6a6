// Marks: joints, springs, pins, goals and points without a shape, as signs on the sheet.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/scene.h>

#include <cstdint>
#include <string>
#include <vector>

#include "draw/order.h"
#include "draw/view.h"

namespace tenon {

// Rods, ropes, springs and points are things of the scene: thin facets that solids can hide. Signs
// of joints lie on top of the picture.
struct Marks {
  std::vector<Facet> wires;
  std::string signs;  // SVG elements
};

// Where the solid's frame is.
[[nodiscard]] Pose solidPose(const Mechanism& mechanism, const State& state, Index solid);

// Places that marks are put at: they have to fit on the sheet too.
[[nodiscard]] std::vector<Vec3> placesOfMarks(const Scene& scene, const Mechanism& mechanism,
                                              const State& state);

// `unit` is the width of a line [px]. With a `cover`, signs of joints that other solids hide are
// faint, or left out if there are many.
[[nodiscard]] Marks marksOf(const Scene& scene, const Mechanism& mechanism, const State& state,
                            const View& view, double unit, const Cover* cover);

// A point mass, or a solid without shapes: a disc that faces the viewer. [px]
[[nodiscard]] Facet discAt(const Vec3& sheet, double radius, std::uint32_t fill);

}  // namespace tenon
