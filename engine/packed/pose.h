// Posing of mechanisms of lower pairs by the packed kernel: errors of a state, and the linear solve of Newton's
// method there. Wants and pins are points of solids; limits that are reached, and what else is wanted, are rows
// that the caller adds.
#pragma once

#include <tenon/mechanism.h>

#include <array>
#include <cstdint>
#include <vector>

#include "packed/loops.h"

namespace tenon::packed {

class PoseSystem {
 public:
  using Six = std::array<double, 6>;

  // Whether the mechanism, as it is steered, is for the kernel. The plan is kept while the solids and points
  // that are pinned stay the same.
  bool suits(const Mechanism& mechanism, const Control& control, const std::vector<LoopPin>& pins,
             const std::vector<LoopGiven>& given);
  // `give`: the compliance of a want, in mobilities; 0: a need.
  void aim(std::size_t pin, const Vec3& target, double give) { loop_.aim(pin, target, give); }

  // In registers as wide as this machine has, else as wide as every machine of the kind.
  void useWide(bool wide) { wide_ = wide; }

  void aimGiven(std::size_t given, double give) { loop_.aimGiven(given, give); }

  PoseErrors gather(const State& state);
  // At the state that was gathered: see Loop.
  int addRow(std::size_t given, double sign, double error, std::span<const RowBlock> blocks) {
    return loop_.addRow(given, sign, error, blocks);
  }
  [[nodiscard]] double pushOf(std::size_t given, int row) const { return loop_.pushOf(given, row); }
  // At the state that was gathered last; displacements by solid, 0 of those that do not move. False if a number
  // is not finite.
  bool solve(PoseSolve how, std::vector<Six>& displacement);

 private:
  std::uint64_t stamp_ = 0;
  bool suits_ = false, wide_ = true;
  std::vector<LoopPin> pins_;
  std::vector<LoopGiven> given_;
  Loop loop_;
};

}  // namespace tenon::packed
