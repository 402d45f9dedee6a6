// A pose that was found, as texts: a scene, a table, the history of the search.
#pragma once

#include <tenon/posing.h>
#include <tenon/scene.h>

#include <optional>
#include <string>
#include <vector>

namespace tenon::cli {

// The scene with its dynamic solids where `state` has them, flat. What a scene takes from the pose as
// written unless it says otherwise (lengths of springs, places of pins) is written out, so that it
// keeps its value. `closed`: the joint error that may be expected of this pose, if it is closed.
[[nodiscard]] std::string sceneAtPose(Scene scene, const Mechanism& mechanism, const State& written,
                                      const State& state, std::optional<double> closed);

// The smallest power of ten that a reader of the file will find kept: writing moves the last bits.
[[nodiscard]] double closedWithin(double error);

// time, solid, x, y, z, qx, qy, qz, qw, vx, vy, vz, wx, wy, wz: of centres of mass, world axes.
[[nodiscard]] std::string csvOf(const Mechanism& mechanism, const State& state);
// The same in pieces, for many states: the line of names, then a line per solid.
[[nodiscard]] std::string csvHeader();
[[nodiscard]] std::string csvRows(const Mechanism& mechanism, const State& state);

// iteration, microseconds, error, best
[[nodiscard]] std::string csvOf(const std::vector<TracePoint>& trace);

}  // namespace tenon::cli
