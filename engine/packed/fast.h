// Mechanisms under gravity whose joints hold points together, by the packed kernels: the fast path of the
// methods energy and interactive. Figures that are trees go through one kernel, four of one shape at a time;
// those with loops through another.
#pragma once

#include <tenon/mechanism.h>

#include <cstdint>
#include <vector>

#include "packed/kept.h"
#include "packed/loops.h"
#include "packed/threads.h"
#include "packed/trees.h"

namespace tenon::packed {

// Whether velocities are such as plain joints allow, to so many m/s and rad/s.
[[nodiscard]] bool velocitiesAreAllowed(const Mechanism& mechanism, const State& state,
                                        double tolerance);

class Fast {
 public:
  // Whether the mechanism, as it is steered, is for the kernels: solids that turn, joints that hold a point
  // together, always on, nothing but hard limits on their coordinates; gravity and no other load.
  bool suits(const Mechanism& mechanism, const Control& control);

  // A step, checked to be finite and within limits, with turns counted. False if nothing could be stepped: the state
  // is as it was.
  bool step(const Mechanism& mechanism, const Control& control, const FastSettings& settings,
            double dt, State& state, FastReport& report);

  // Islands that could not be stepped to the end, in the last step: they are as they were.
  [[nodiscard]] const std::vector<Index>& left() const { return left_; }
  // What has been at rest for long enough falls asleep: to be called when all figures are stepped. Returns the work
  // that it takes [J].
  double putToSleep(const Mechanism& mechanism, const FastSettings& settings, double dt,
                    State& state) const;
  // All of the last step: the state is as it was before it.
  void putBack(State& state) const;

 private:
  struct LoopFigureOf {
    Loop loop;
    Index island = 0;
    FastReport report;
  };
  [[nodiscard]] bool plan(const Mechanism& mechanism);
  template <class Islands>
  void forAwake(std::size_t task, const Islands& f);
  void findSleeping(const Mechanism& mechanism, const Control& control,
                    const FastSettings& settings, State& state);

  std::uint64_t stamp_ = 0;  // of the mechanism that was planned for; 0: of none
  bool suits_ = false;
  Kept kept_;
  Trees trees_;
  std::vector<LoopFigureOf> loops_;
  // In this step:
  std::vector<bool> asleep_;          // by island
  std::vector<std::uint8_t> failed_;  // by island
  std::vector<Index> left_;
  struct {
    double time = 0;  // [s]
    std::vector<double> rest;
    Vec3 gravity;
  } before_;
  Pool pool_;
};

}  // namespace tenon::packed
