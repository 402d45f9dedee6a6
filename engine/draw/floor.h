// The ground of a picture: which plane it is, a fading grid, soft shadows.
#pragma once

#include <tenon/scene.h>

#include <optional>
#include <string>
#include <vector>

#include "draw/view.h"

namespace tenon {

struct Ground {
  Vec3 point;   // [m] world
  Vec3 normal;  // unit, world
};

// A grid of round spacing around the middle of `extent`, fading out: definitions and lines.
[[nodiscard]] std::string gridOn(const Ground& ground, const Extent& extent, const View& view,
                                 int index);

// What each convex form throws onto the ground from a light above and before: path data.
[[nodiscard]] std::string shadowsOn(const Ground& ground,
                                    const std::vector<std::vector<Vec3>>& forms, const View& view);

// The outline on the sheet of those points that lie in the ground, as path data.
[[nodiscard]] std::string outlineOn(const Ground& ground,
                                    const std::vector<std::vector<Vec3>>& forms, const View& view);

}  // namespace tenon
