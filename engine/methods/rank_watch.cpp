#include "methods/rank_watch.h"

#include <tenon/measure.h>

namespace tenon {

void RankWatch::begin(double dt, const State& state) {
  constexpr double kLargest = 0.1;  // [rad]: of more nothing can be said
  double fastest = 0;               // [rad/s]
  for (const Vec3& spin : state.spin) fastest = std::max(fastest, norm(spin));
  turn_ = std::min(fastest * dt, kLargest);
  on_ = true;
  suspicious_ = false;
  keys_.clear();
}

bool RankWatch::fell(const Mechanism& mechanism, const Control& control, const State& start,
                     const State& end) const {
  if (!suspicious_) return false;
  for (const State* state : {&start, &end})
    if (count(mechanism, control, *state, turn_).dof > count(mechanism, control, *state).dof)
      return true;
  return false;
}

}  // namespace tenon
