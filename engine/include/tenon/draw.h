// Pictures: a scene at a state as a standalone SVG, three-dimensional, hidden surfaces removed.
//
// The picture is a text in memory, the same bytes for the same input in every build.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/scene.h>

#include <cstddef>
#include <optional>
#include <string>

namespace tenon {

// Where the viewer stands, seen from the middle of the scene: yaw turns from +z (the front) towards
// +x (the right), pitch rises towards +y. The world is y-up.
struct DrawSettings {
  int width = 960, height = 720;  // [px], at least 16
  std::optional<double> yaw;      // [rad]; default: chosen by the scene's extents
  std::optional<double> pitch;    // [rad]
  bool joints = true;             // symbols of joints, springs, pins, goals
  bool labels = false;            // names of solids
  bool background = true;         // false: transparent, without a floor
};

struct Drawing {
  std::string svg;
  int width = 0, height = 0;  // [px]
  std::size_t solids = 0;     // that have something to show
  std::size_t polygons = 0;   // in the picture, after hidden ones are gone
  std::size_t leftOut = 0;    // solids that are not drawn, or not all of them: there are too many
  // False: too much passes through too much, and what is behind may cover what is in front.
  bool exact = true;
};

// Preconditions: `mechanism` is `scene` compiled, and `state` is one of its states. What is not
// finite is left out. Never fails: an empty scene is an empty sheet.
[[nodiscard]] Drawing drawScene(const Scene& scene, const Mechanism& mechanism, const State& state,
                                const DrawSettings& settings = {});

}  // namespace tenon
