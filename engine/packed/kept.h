// What a step does around the kernels, figure by figure, so that each thread touches only what is its own: the
// state as it was is kept, the new one checked, limits among it, turns are counted.
#pragma once

#include <tenon/mechanism.h>

#include <vector>

#include "model/islands.h"

namespace tenon::packed {

// Of the poses and velocities of some solids.
[[nodiscard]] bool isFinite(const State& state, const Range& solids);

class Kept {
 public:
  void plan(const Mechanism& mechanism, const Islands& islands);
  // Copies what belongs to an island from one state to another, which has room for it.
  void copy(Index island, const State& from, State& to) const;

  // Of what belongs to no island: solids that stand or are led.
  void copyOthers(const State& from, State& to) const;
  [[nodiscard]] bool othersAreFinite(const State& state) const;
  [[nodiscard]] bool isFinite(Index island, const State& state) const;
  // Whether a limit of the island pushed in the step before; one that the kernel of trees does not hold.
  [[nodiscard]] bool isAtLimit(const Mechanism& mechanism, Index island, const State& state) const;
  [[nodiscard]] bool isAtOtherLimit(const Mechanism& mechanism, Index island,
                                    const State& state) const;
  // Counts turns. False if a limit is passed by more than the tolerance, or pulls; those that are not reached push with
  // nothing. Those of trees may be held by their kernel.
  [[nodiscard]] bool rememberTurns(const Mechanism& mechanism, Index island, bool tree, double time,
                                   double tolerance, State& state) const;
  // The same of joints of trees to solids that follow a path, which are to be at the end of it. Whether there are any.
  [[nodiscard]] bool rememberLed(const Mechanism& mechanism, Index island, double time,
                                 double tolerance, State& state) const;
  [[nodiscard]] bool anyLed() const { return !led_.empty(); }
  // Counts turns after a piece of a step: over the whole step a joint may turn further than a count of its end would tell. Those
  // of joints to solids that follow a path, which only stand where they should at the end of the step, cannot be counted so.
  void countPiece(const Mechanism& mechanism, Index island, bool tree, State& state) const;
  [[nodiscard]] bool countsLed(const Mechanism& mechanism, Index island) const;

 private:
  struct Figure {
    Range solids, slots, memory, turning, ruled, limited, led, unheld;  // of the lists below
  };
  std::vector<Figure> figures_;                   // by island
  std::vector<Range> solids_, slots_, memories_;  // runs of neighbours
  // Joints that only count turns; whose rules the kernel of trees knows, ropes among them; that have other limits.
  std::vector<Index> turning_, ruled_, limited_;
  std::vector<Index> led_;  // the same of joints to solids that follow a path
  std::vector<Index>
      unheld_;  // of all of these: with limits that the kernel of trees does not hold
  std::vector<Range> others_;  // solids
};

}  // namespace tenon::packed
