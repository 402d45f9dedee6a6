// What acts in a step, and the islands that follow from it.
#pragma once

#include <tenon/mechanism.h>

#include <cstdint>
#include <vector>

#include "model/islands.h"

namespace tenon {

// By joint, then by spring: 1 acts in the step.
using Acts = std::vector<std::uint8_t>;

class Acting {
 public:
  // To be called for another mechanism.
  void look(const Mechanism& mechanism);

  // What acts between two times. A joint that only bounds coordinates (a rope, a sphere around a point) and pushed with
  // nothing in the step before is taken to be slack: who steps without it looks at `slack` afterwards. One that a kernel takes
  // along for nothing acts at all times: while it comes and goes, the same plan serves.
  void find(const Mechanism& mechanism, const Control& control, const State& state, double from,
            double to, Acts& acts);
  // The joints that the last `find` took to be slack.
  [[nodiscard]] const std::vector<Index>& slack() const { return slack_; }

 private:
  std::vector<Index> timedJoints_, timedSprings_;  // those that come and go
  std::vector<Index> bounding_;                    // joints that only bound
  std::vector<std::uint8_t> carried_;              // by joint: of these, kernels take it along
  std::vector<Index> islandOf_;                    // by joint, then by spring: with what is carried
  std::vector<std::uint8_t> whole_;                // by these islands: all of it acts
  std::vector<Index> slack_;
};

// Whether an interval of the list meets the times from `from` to `to`.
[[nodiscard]] bool actsWithin(const Mechanism& mechanism, const Range& intervals, double from,
                              double to);

// Solids that joints and springs tie together, if these act.
[[nodiscard]] Islands findIslands(const Mechanism& mechanism, const Acts& acts);

}  // namespace tenon
