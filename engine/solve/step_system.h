// The Newton matrix of a step that is solved for its end.
//
//   ( B   -Pᵀ ) ( δ )   ( f )        B: how the momentum equations of the solids change with their poses
//   ( J    C  ) ( ν ) = ( b )        P: the directions in which rows push;  J: how rows change
//
// Rows that do not hold have a ν that is known: what it pushes goes to f, and they are not in the matrix. So its size
// follows what holds, and its order does not.
//
// P is not J where forces are taken at the middle of a step and joints at its end, and B is not
// symmetric where solids turn: hence L U.
//
// Joints are sparse; the springs of a cloth are not, and would fill the factors: N^1.5 of N particles. Where
// that costs more than iterating, springs between solids that no joint ties are kept apart,
// A = S + T, and only S is factorised. T acts on solids alone, so that
//   (1 + S⁻¹ T) δ = S⁻¹ f       by BiCGSTAB [van der Vorst 1992],   then   (δ, ν) = S⁻¹ (f - T δ)
// fulfils the rows exactly, however well the springs have converged.
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
  // part is kept while solids, rows and slopes stay what they are, whichever of the rows hold.
  // `ties`, by row: whether stiffnesses or slopes between solids of its joint will be added; none: of all.
  void load(const Mechanism& mechanism, const Rows& pushes, const Rows& changes,
            std::span<const RowPart> parts, std::span<const LoadSlope> slopes,
            std::span<const std::uint8_t> ties = {});
  // B of a solid that moves, as far as it turns: to be added to.
  [[nodiscard]] BlockLu::Block ofSolid(Index solid) {
    return lu_.block(nodeOf_[solid], nodeOf_[solid]);
  }
  // B += factor · block. A stiffness is over solids of one joint, and symmetric.
  void add(Index solid, double factor, const SixBySix& block);
  void add(double factor, const LoadSlope& slope);
  // B -= a part of a block, from a row and a column of it on, of solids of one joint that move.
  void subtract(Index solid, Index by, std::uint32_t row, std::uint32_t column, const Mat3& part);
  void add(double factor, const StiffnessBlock& stiffness);

  // To be called once all is added, before `solve`; false if a number is not finite.
  [[nodiscard]] bool factor() { return lu_.factor(); }
  // δ by solid, ν by row; false if a number is not finite.
  bool solve(std::span<const Six> f, std::vector<Six>& delta, std::vector<double>& nu);
  [[nodiscard]] bool springsApart() const { return apart_; }

 private:
  [[nodiscard]] bool isAsBefore(const Rows& rows, std::span<const LoadSlope> slopes,
                                std::span<const std::uint8_t> ties) const;
  void analyse(const Rows& rows, std::span<const LoadSlope> slopes,
               std::span<const std::uint8_t> ties);
  void findRows(std::span<const RowPart> parts);
  [[nodiscard]] std::uint32_t width(Index solid) const {
    return mechanism_->solids[solid].pointMass ? 3 : 6;
  }
  void springs(const std::vector<double>& y, double factor, std::vector<double>& x) const;
  bool iterate();
  template <class Numbers>
  void addBlock(Index row, Index column, double factor, const Numbers& numbers, bool transposed);

  const Mechanism* mechanism_ = nullptr;
  std::vector<Index> nodeOf_;      // by solid; kWorld: it does not move
  std::vector<Index> solids_;      // by node
  std::vector<Index> groupFirst_;  // rows of one joint are a node
  struct RowAt {
    Index node = 0, inNode = 0;  // inNode: kWorld if it does not hold
    double b = 0, compliance = 0;
  };
  std::vector<RowAt> rowAt_;    // by row
  struct Meeting {              // of a solid with rows of a joint
    Index solid = 0, rows = 0;  // nodes
    std::uint32_t width = 0;
    BlockLu::Block push, change;
  };
  std::vector<Meeting> meetings_;
  std::vector<BlockLu::Block> diagonal_;  // of the rows of a joint
  std::vector<Index> meetingOf_;  // by block of a row; kWorld: of a solid that does not move
  std::vector<std::uint32_t> sizes_, lastSizes_;  // of nodes
  const Rows* pushes_ = nullptr;
  BlockLu lu_;  // of A, or of S
  struct Tie {  // a block of T
    Index row = 0, column = 0;
    std::size_t at = 0;  // of tieValues_
  };
  bool apart_ = false;
  std::vector<Tie> ties_;
  std::vector<double> tieValues_;
  std::vector<double> f_, work_[7];
  std::vector<Index> pattern_;
  std::vector<double> x_;
};

}  // namespace tenon
