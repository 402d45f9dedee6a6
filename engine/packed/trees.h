// Figures that are trees, by the packed kernel: several of one shape at a time.
#pragma once

#include <tenon/mechanism.h>

#include <vector>

#include "packed/tree.h"

namespace tenon::packed {

struct FastSettings {
  bool over = true;          // forces over the step; else at its end
  double tolerance = 1e-10;  // [rad], [m] of what is left to move
  double closed = 1e-10;     // [m], [rad] of the joints
  int most = 16;             // iterations before a step is split
  bool lanes = true;
  int threads = 1;          // 0: as many as there are
  double sleepBelow = 0;    // [m/s], [rad/s]; 0: no figure sleeps
  double sleepAfter = 0.5;  // [s]
};
struct FastReport {
  int iterations = 0, halvings = 0;  // of the figure with most; pieces beyond one, of all
  Index sleeping = 0;                // figures
};

class Trees {
 public:
  void clear();
  // A figure of plain joints; false if it is no tree.
  bool add(const Mechanism& mechanism, Index island);
  // Puts those of one shape next to each other; to be called when all are there.
  void sort();
  // Makes chunks of them, if that has not been done: which go together, and what is constant of them.
  void group(const Mechanism& mechanism, bool lanes);

  [[nodiscard]] std::size_t chunks() const { return chunks_.size(); }
  // A step of one chunk, but for figures that sleep, by island. Where one could not be stepped to the end, `failed`
  // of its island becomes 1.
  void step(std::size_t chunk, bool over, const KernelSettings& settings,
            const StatePointers& state, const std::vector<bool>& asleep,
            std::vector<std::uint8_t>& failed);
  // f(island) of each of its figures.
  template <class F>
  void forIslands(std::size_t chunk, const F& f) const {
    for (Index i = chunks_[chunk].figures.first;
         i < chunks_[chunk].figures.first + chunks_[chunk].figures.count; ++i)
      f(figures_[i].island);
  }
  // Of all chunks.
  void report(FastReport& report) const;

 private:
  struct Figure {
    std::vector<Index> solid, slot, joint;  // by node; joint: towards the root, or kWorld
    Index ground = kWorld;
    Index shape = 0, island = 0;
  };
  template <class R>
  struct Group {  // figures side by side
    Index shape = 0, firstFigure = 0;
    std::vector<TreeSolid<R>> solids;
    std::vector<TreeAxes<R>> axes;
    std::vector<TreeBody<R>> bodies;
    std::vector<TreeTurns<R>> turns;
  };
  // Groups that are stepped one after the other, and what they share.
  struct Chunk {
    Range figures;
    std::vector<Group<Abreast>> several;
    std::vector<Group<double>> one;
    std::vector<TreePart<Abreast>> stackOfSeveral;
    std::vector<TreePart<double>> stackOfOne;
    FastReport report;
  };

  template <class R>
  void fill(const Mechanism& mechanism, Group<R>& group) const;
  template <class R>
  TreeFigures<R> view(Group<R>& group, std::vector<TreePart<R>>& stack) const;
  template <class R, class Kernel>
  void stepGroup(Chunk& chunk, const TreeFigures<R>& figures, Kernel kernel,
                 const KernelSettings& settings, const StatePointers& state,
                 const std::vector<bool>& asleep, Index firstFigure,
                 std::vector<std::uint8_t>& failed) const;

  std::vector<TreeShape> shapes_;
  std::vector<Figure> figures_;
  std::vector<Chunk> chunks_;
  bool lanes_ = false, grouped_ = false;
};

}  // namespace tenon::packed
