// The Newton matrix of a step that is solved for its end.
//
//   ( B   -Pᵀ ) ( δ )   ( f )        B: how the momentum equations of the solids change with their poses
//   ( J    C  ) ( ν ) = ( b )        P: the directions in which rows push;  J: how rows change
//
// P is not J where forces are taken at the middle of a step and joints at its end, and B is not
// symmetric where solids turn: hence L U.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/rows.h>

#include <array>
#include <span>
#include <vector>

#include "math/block_lu.h"

namespace tenon {

class StepSystem {
 public:
  using Six = std::array<double, 6>;
  using SixBySix = std::array<std::array<double, 6>, 6>;
  struct RowPart {
    bool holds = true;  // false: ν is b / compliance, whatever the solids do
    double compliance = 0;
    double b = 0;
  };

  // Begins with B = 0. `pushes` and `changes` are the same rows with different blocks. The symbolic
  // part is kept while solids, rows and slopes stay what they are.
  void load(const Mechanism& mechanism, const Rows& pushes, const Rows& changes,
            std::span<const RowPart> parts, std::span<const LoadSlope> slopes);
  // B += factor · block. A stiffness is over solids of one joint, and symmetric.
  void add(Index solid, double factor, const SixBySix& block);
  void add(double factor, const LoadSlope& slope);
  void add(double factor, const StiffnessBlock& stiffness);

  // δ by solid, ν by row; false if a number is not finite.
  bool solve(std::span<const Six> f, std::vector<Six>& delta, std::vector<double>& nu);

 private:
  void analyse(const Rows& rows, std::span<const LoadSlope> slopes);
  [[nodiscard]] std::uint32_t width(Index solid) const {
    return mechanism_->solids[solid].pointMass ? 3 : 6;
  }
  template <class Numbers>
  void addBlock(Index row, Index column, double factor, const Numbers& numbers, bool transposed);

  const Mechanism* mechanism_ = nullptr;
  std::vector<Index> nodeOf_;      // by solid; kWorld: it does not move
  std::vector<Index> solids_;      // by node
  std::vector<Index> groupOf_;     // by row: rows of one joint are a node
  std::vector<Index> groupFirst_;  // rows
  std::vector<double> b_;
  BlockLu lu_;
  std::vector<Index> pattern_, lastPattern_;
  std::vector<double> x_;
};

}  // namespace tenon
