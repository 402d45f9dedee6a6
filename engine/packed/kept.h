// What a step does around the kernels, figure by figure, so that each thread touches only what is its own: the
// state as it was is kept, the new one checked, limits among it, turns are counted.
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
  void putBack(Index island, State& state) const;

  // Of what belongs to no figure: solids that stand or are led.
  [[nodiscard]] bool othersAreFinite(const State& state) const;
  [[nodiscard]] bool isFinite(Index island, const State& state) const;
  // Counts turns. False if a limit is passed by more than the tolerance; those that are not push with nothing.
  [[nodiscard]] bool rememberTurns(const Mechanism& mechanism, Index island, double time,
                                   double tolerance, State& state) const;

 private:
  struct Figure {
    Range solids, slots, memory, turning, limited;  // of the lists below
  };
  std::vector<Figure> figures_;                   // by island
  std::vector<Range> solids_, slots_, memories_;  // runs of neighbours
  std::vector<Index> turning_, limited_;          // joints that count turns; that have limits
  std::vector<Range> others_;                     // solids
  void copyFigure(Index island, const State& from, State& to) const;

  State state_;
};

}  // namespace tenon::packed
