// Islands under gravity whose joints hold points together, by the packed kernels: the fast path of the methods energy
// and interactive. Figures that are trees go through one kernel, four of one shape at a time; those with loops through
// another. An island that the kernels do not know goes by rows, and costs the others nothing.
#pragma once

#include <tenon/mechanism.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/islands.h"
#include "packed/kept.h"
#include "packed/loops.h"
#include "packed/threads.h"
#include "packed/trees.h"

namespace tenon::packed {

enum class Way : std::uint8_t { Rows, Tree, Loop };

// What of an island keeps the kernels from it, in words; empty: nothing does. `damp` is Control::damp.
[[nodiscard]] std::vector<std::string> whatIsUnknown(const Mechanism& mechanism,
                                                     const Islands& islands, Index island,
                                                     double damp);

// What all tasks of a step share. The lists are by island; a task writes those of its own.
struct FastStep {
  FastSettings settings;
  double dt = 0;
  const Control* control = nullptr;
  double time = 0;    // [s] of the start
  double heldAt = 0;  // [s] when rows are asked whether they act
  State* state = nullptr;
  State* kept = nullptr;  // gets what is stepped, as it was
  // 1: not to be stepped, or not by a kernel this time; 1: it is as it was, and for the rows.
  std::vector<std::uint8_t>*passed = nullptr, *failed = nullptr;
  std::vector<double>* work = nullptr;  // [J] of what acts on joints, over the step
  Pool* pool = nullptr;
};

class Fast {
 public:
  // Which way each island goes. With `rows` all go by rows.
  void plan(const Mechanism& mechanism, const Islands& islands, double damp, bool rows);
  [[nodiscard]] Way wayOf(Index island) const { return way_[island]; }
  [[nodiscard]] const Kept& kept() const { return kept_; }

  // To be called before the tasks of a step that ends at `end` [s].
  void begin(const Mechanism& mechanism, bool lanes, double end);
  [[nodiscard]] std::size_t tasks() const { return trees_.chunks() + loops_.size(); }
  // A step of the figures of a task, each checked to be finite and within limits, with turns counted.
  void step(const Mechanism& mechanism, const Islands& islands, std::size_t task,
            const FastStep& step);
  // To be called after the tasks: the same of joints to what follows a path, where the path ends.
  void finishLed(const Mechanism& mechanism, const FastStep& step);
  // Of all tasks of the last step.
  void report(FastReport& report) const;

 private:
  struct LoopFigureOf {
    Loop loop;
    Index island = 0;
    FastReport report;
  };
  template <class F>
  void forIslands(std::size_t task, const F& f) const;

  std::vector<Way> way_;                  // by island
  std::vector<std::uint8_t> prescribed_;  // by island: a coordinate is prescribed
  Kept kept_;
  Trees trees_;
  std::vector<LoopFigureOf> loops_;
  std::vector<PathValue> ends_;  // by path, if a tree hangs on one: at the end of the step
};

}  // namespace tenon::packed
