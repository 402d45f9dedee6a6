// Whether the rank of the rows falls within a step: at a singular pose, where a mechanism may fold another way.
//
// A solve without pivoting has, for each row, the part d of its square that is outside the span of the rows before it, in the
// metric of the masses. Where the rank falls one of them vanishes as the square of a distance: d ≈ (s θ)², θ being the angle that
// is left to that pose and s about 1. Of the poses at the start, the middle and the end of a step that turns solids by θ, one is
// within θ/4 of it, and over these d changes by more than a factor of 9. Rows that are always redundant have a small d
// throughout, and so have rows between solids of very different masses; what the stages of a step are off by, about θ² and so
// θ⁴ of d, says nothing. That costs next to nothing, and is a suspicion: another row may have taken over what this one said.
// So then the rank is counted, with pivoting, at the step's two ends: with rows that are within θ of the span of others left
// out, it is less than with all of them.
#pragma once

#include <tenon/mechanism.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tenon {

class RankWatch {
 public:
  void begin(double dt, const State& state);
  void end() { on_ = false; }
  [[nodiscard]] bool isOn() const { return on_; }

  // d of one solve, of rows with these keys; 0: the row took no part. Rows that are others than in the solve before begin anew.
  template <class KeyOf, class PartOf>
  void see(std::size_t rows, const KeyOf& keyOf, const PartOf& partOf) {
    bool same = keys_.size() == rows;
    for (std::size_t r = 0; r < rows && same; ++r)
      same = keys_[r] == keyOf(r) && (partOf(r) > 0) == (lowest_[r] > 0);
    if (!same) {
      keys_.resize(rows);
      lowest_.resize(rows);
      highest_.resize(rows);
      for (std::size_t r = 0; r < rows; ++r) {
        keys_[r] = keyOf(r);
        lowest_[r] = highest_[r] = partOf(r);
      }
      return;
    }
    const double small = 0.25 * turn_ * turn_;
    const double large = std::max(10 * turn_ * turn_ * turn_ * turn_, kRounding);
    for (std::size_t r = 0; r < rows; ++r) {
      const double part = partOf(r);
      if (!(part > 0)) continue;
      lowest_[r] = std::min(lowest_[r], part);
      highest_[r] = std::max(highest_[r], part);
      suspicious_ = suspicious_ ||
                    (lowest_[r] < small && lowest_[r] < 0.25 * highest_[r] && highest_[r] > large);
    }
  }

  // At the end of the step.
  [[nodiscard]] bool fell(const Mechanism& mechanism, const Control& control, const State& start,
                          const State& end) const;

 private:
  static constexpr double kRounding = 1e-8;  // a hundred times the compliance of the rows
  double turn_ = 0;                          // [rad] of a solid in the step, at most
  bool on_ = false, suspicious_ = false;
  std::vector<Index> keys_;  // of the rows of the solve before
  std::vector<double> lowest_, highest_;
};

}  // namespace tenon
