// Figures with loops by the packed kernel: their constant data, and the order in which nodes are eliminated.
#pragma once

#include <tenon/mechanism.h>

#include <array>
#include <map>
#include <span>
#include <vector>

#include "math/block_pattern.h"
#include "packed/loop.h"

namespace tenon::packed {

// A point of a solid that is to be somewhere in the world.
struct LoopPin {
  Index solid = 0;
  Vec3 point;  // [m] centre-of-mass frame
  friend bool operator==(const LoopPin&, const LoopPin&) = default;
};

// Up to three rows on a few solids, in posing: what else there is to be met.
struct LoopGiven {
  static constexpr std::size_t kMost = 10;  // of a gear: two of each term, and of its carrier
  std::array<Index, kMost> solids;          // each once
  std::size_t count = 0;

  LoopGiven() { solids.fill(kWorld); }
  // The ground takes no part. False if there is no room for it.
  [[nodiscard]] bool add(const Mechanism& mechanism, Index solid);
  friend bool operator==(const LoopGiven&, const LoopGiven&) = default;
};

class Loop {
 public:
  // Dynamic solids and the lower pairs between them; some may be between the ground and the ground. False if it is not for
  // the kernel: a solid has too many joints.
  bool plan(const Mechanism& mechanism, std::span<const Index> solids,
            std::span<const Index> joints);
  // The same for posing.
  bool planPose(const Mechanism& mechanism, std::span<const Index> solids,
                std::span<const Index> joints, std::span<const LoopPin> pins,
                std::span<const LoopGiven> given);
  // `give`: of a want; 0: a need.
  void aim(std::size_t pin, const Vec3& target, double give);
  void aimGiven(std::size_t given, double give) { nodes_[firstGiven_ + given].give = give; }
  // One row more, after the figure was loaded at a state: `sign` times that of the blocks. Returns which.
  int addRow(std::size_t given, double sign, double error, std::span<const RowBlock> blocks);
  // What it pushes with, after a solve.
  [[nodiscard]] double pushOf(std::size_t given, int row) const;

  // Without a crew.
  [[nodiscard]] LoopFigure figure();

 private:
  void clear();
  void addNodes(const Mechanism& mechanism, std::span<const Index> joints, bool poses);
  void hold(Index solid, const LoopEnd& end);
  bool placeEnds(const Mechanism& mechanism, std::span<const Index> solids);
  void order();
  void findColumns(const BlockPattern& pattern);
  void findParts();
  [[nodiscard]] Index blockAt(Index row, Index column) const;

  std::map<Index, std::vector<LoopEnd>>
      held_;  // while it is planned: by solid, the ends that take hold of it
  std::vector<LoopSolid> solids_;
  std::vector<LoopEnd> ends_;
  std::vector<LoopNode> nodes_;
  std::size_t firstPin_ = 0, firstGiven_ = 0;  // of nodes_
  std::vector<LoopGiven> given_;
  std::vector<std::array<Index, LoopGiven::kMost>> endsOfGiven_;  // by its solids
  std::vector<Index> pairs_, columnOf_, ties_, forward_, updates_, copiedBlock_, copiedRight_;
  std::vector<LoopColumn> columns_;
  std::vector<LoopPart> parts_;
  std::vector<LoopBody> bodies_;
  std::vector<LoopGrip> grips_;
  std::vector<LoopRows> rows_;
  std::vector<Block> blocks_;
  std::vector<V3<double>> right_;
};

// `over`: forces over the step, else at its end; `wide`: in registers as wide as this machine has, else as wide as
// every machine of the kind.
[[nodiscard]] LoopStep loopStep(bool over, bool wide);

}  // namespace tenon::packed
