// The events of a scene (`at 2.5 gravity 0 0 0;`), carried out through Control while it runs.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/result.h>
#include <tenon/scene.h>

#include <vector>

namespace tenon::cli {

class SceneEvents {
 public:
  // Takes the warnings of `problems` back that an event which is carried out would do nothing, and
  // warns of what cannot be.
  SceneEvents(const Scene& scene, const Mechanism& mechanism, std::vector<Problem>& problems);

  [[nodiscard]] double next() const;  // [s] when the next ones are due; infinity: none is left
  // Carries out all that are due at this time or before; false: `stop` was one of them.
  [[nodiscard]] bool apply(double time, Control& control);

 private:
  struct Due {
    double time = 0;  // [s]
    const Event* event = nullptr;
    std::vector<Index> joints;
  };
  std::vector<Due> events_;  // by time
  std::size_t done_ = 0;
};

}  // namespace tenon::cli
