// What a scene says beyond its mechanism: settings of solvers, goals.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/posing.h>
#include <tenon/result.h>
#include <tenon/scene.h>
#include <tenon/step.h>

#include <vector>

namespace tenon {

// The parts of allSettingsOf (tenon/settings.h).
[[nodiscard]] PoseSettings poseSettingsOf(const Settings& settings);
[[nodiscard]] StepSettings stepSettingsOf(const Settings& settings);

// The goals that are active at this time. Solids that do not move cannot be asked to.
[[nodiscard]] std::vector<Want> wantsOf(const Scene& scene, const Mechanism& mechanism, double time,
                                        std::vector<Problem>& problems);

// Where a point of a solid, given in the solid's frame, is in the world.
[[nodiscard]] Vec3 placeOf(const Mechanism& mechanism, const State& state, Index solid,
                           const Vec3& point);

}  // namespace tenon
