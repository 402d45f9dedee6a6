// What a scene asks of its pose: its pins and goals as wants, its `settings` block for the solver.
#pragma once

#include <tenon/posing.h>
#include <tenon/result.h>
#include <tenon/scene.h>

#include <vector>

namespace tenon::cli {

// The settings that a scene leaves to us are those of PoseSettings. A method that only moves things
// (`energy`) says nothing about posing them.
[[nodiscard]] PoseSettings poseSettingsOf(const Settings& settings);

// Pins are needs, goals are wants; those that are active at time 0. `written` is the pose as written:
// where a pin without a target holds its point. Solids that do not move cannot be asked to.
[[nodiscard]] std::vector<Want> wantsOf(const Scene& scene, const Mechanism& mechanism,
                                        const State& written, std::vector<Problem>& problems);

// Where a point of a solid, given in the solid's frame, is in the world.
[[nodiscard]] Vec3 placeOf(const Mechanism& mechanism, const State& state, Index solid,
                           const Vec3& point);

}  // namespace tenon::cli
