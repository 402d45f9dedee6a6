// What a scene says beyond its mechanism: settings of solvers, pins and goals, events.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/posing.h>
#include <tenon/result.h>
#include <tenon/scene.h>
#include <tenon/step.h>

#include <vector>

namespace tenon {

// The settings that a scene leaves to us are those of PoseSettings. A method that only moves things
// (`energy`) says nothing about posing them.
[[nodiscard]] PoseSettings poseSettingsOf(const Settings& settings);
// Those of StepSettings; a method that only poses (`newton`) says nothing about moving.
[[nodiscard]] StepSettings stepSettingsOf(const Settings& settings);

// Pins are needs, goals are wants; those that are active at time 0. `written` is the pose as written:
// where a pin without a target holds its point. Solids that do not move cannot be asked to.
[[nodiscard]] std::vector<Want> wantsOf(const Scene& scene, const Mechanism& mechanism,
                                        const State& written, std::vector<Problem>& problems);

// Where a point of a solid, given in the solid's frame, is in the world.
[[nodiscard]] Vec3 placeOf(const Mechanism& mechanism, const State& state, Index solid,
                           const Vec3& point);

// The events of a scene (`at 2.5 gravity 0 0 0;`), carried out through Control while it runs.
class SceneEvents {
 public:
  // Warns of what cannot be carried out. The scene is to outlive it.
  SceneEvents(const Scene& scene, const Mechanism& mechanism, std::vector<Problem>& problems);

  // `done` counts those that were carried out.
  [[nodiscard]] double next(
      std::size_t done) const;  // [s] when the next are due; infinity: none is left
  // Carries out all that are due at this time or before; false: `stop` was one of them.
  [[nodiscard]] bool apply(double time, Control& control, std::size_t& done) const;

 private:
  struct Due {
    double time = 0;  // [s]
    const Event* event = nullptr;
    std::vector<Index> joints;
  };
  std::vector<Due> events_;  // by time
};

}  // namespace tenon
