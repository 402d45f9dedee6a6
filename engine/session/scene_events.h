// The events of a scene (`at 2.5 gravity 0 0 0;`), and the times at which joints and limits come and go.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/result.h>
#include <tenon/scene.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon {

class SceneEvents {
 public:
  SceneEvents() = default;
  // Warns of what cannot be carried out. The scene is to outlive it.
  SceneEvents(const Scene& scene, const Mechanism& mechanism, std::vector<Problem>& problems);

  // `done` counts the events that were carried out.
  // [s] when the next one is due, or the next joint or limit comes or goes after `time`; infinity: never.
  [[nodiscard]] double next(std::size_t done, double time) const;

  // How many events are due at this time or before.
  [[nodiscard]] std::size_t until(double time) const;

  struct Asked {
    bool stop = false;                        // all momentum is taken away
    bool finish = false;                      // the run ends
    std::vector<std::string> frozen, merged;  // joints whose solids are one from now on
  };
  // Carries out all events that are due at this time or before, as far as Control goes; what is asked for beyond it is
  // returned.
  [[nodiscard]] Asked apply(double time, Control& control, std::size_t& done) const;

 private:
  struct Due {
    double time = 0;  // [s]
    const Event* event = nullptr;
    std::vector<Index> joints;       // to be switched
    std::vector<std::string> names;  // of joints to be frozen or merged
  };
  std::vector<Due> events_;      // by time
  std::vector<double> changes_;  // [s] of joints and limits, by time
};

// Joints and limits that are in force from this time on and were not before: by joint, whose rows have changed. `before`
// and `after` are what events have switched.
[[nodiscard]] std::vector<Index> comeIntoForce(const Mechanism& mechanism, const Control& before,
                                               const Control& after, double time);

}  // namespace tenon
