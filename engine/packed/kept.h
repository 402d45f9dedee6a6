// What a step does around the kernels, figure by figure, so that each thread touches only what is its own: the
// state as it was is kept, the new one checked, turns are counted.
#pragma once

#include <tenon/mechanism.h>

#include <vector>

namespace tenon::packed {

// Of the poses and velocities of some solids.
[[nodiscard]] bool isFinite(const State& state, const Range& solids);

class Kept {
 public:
  void plan(const Mechanism& mechanism);
  // Makes room; to be called once a step, before `keep`.
  void begin(const State& state);
  void keep(Index island, const State& state);
  // All figures but those that sleep.
  void putBack(const std::vector<bool>& asleep, State& state) const;

  // Of what belongs to no figure: solids that stand or are led.
  [[nodiscard]] bool othersAreFinite(const State& state) const;
  [[nodiscard]] bool isFinite(Index island, const State& state) const;
  void rememberTurns(const Mechanism& mechanism, Index island, State& state) const;

 private:
  struct Figure {
    Range solids, slots, memory, turning;  // of the lists below
  };
  std::vector<Figure> figures_;                   // by island
  std::vector<Range> solids_, slots_, memories_;  // runs of neighbours
  std::vector<Index> turning_;                    // joints that count turns
  std::vector<Range> others_;                     // solids
  State state_;
};

}  // namespace tenon::packed
