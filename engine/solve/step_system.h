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

#include "math/triple_lu.h"
#include "model/row_shape.h"

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
  // `shapes`, by row, of RowShape; none: kRowTies of all. `sameRows`: solids, rows and shapes are those of the last call.
  void load(const Mechanism& mechanism, const Rows& pushes, const Rows& changes,
            std::span<const RowPart> parts, std::span<const LoadSlope> slopes,
            std::span<const std::uint8_t> shapes = {}, bool sameRows = false);
  // B += a solid's own: its mass and, if it turns, how its momentum does.
  void add(Index solid, double mass, const Mat3& turn);
  // B += factor · block. A stiffness is over solids of one joint, and symmetric.
  void add(Index solid, double factor, const SixBySix& block);
  void add(double factor, const LoadSlope& slope);
  // B -= a part of a block, 0 being forces and places and 1 torques and turns, of solids of one joint that move.
  void subtract(Index solid, Index by, std::uint32_t row, std::uint32_t column, const Mat3& part);
  void add(double factor, const StiffnessBlock& stiffness);

  // To be called once all is added, before `solve`; false if a number is not finite.
  [[nodiscard]] bool factor() { return lu_.factor(); }
  // Whether the same rows hold as when it was loaded.
  [[nodiscard]] bool holdsAsLoaded(std::span<const RowPart> parts) const;
  // δ by solid, ν by row; false if a number is not finite. The same rows hold.
  bool solve(std::span<const Six> f, std::span<const RowPart> parts, std::vector<Six>& delta,
             std::vector<double>& nu);
  [[nodiscard]] bool springsApart() const { return apart_; }

 private:
  [[nodiscard]] bool isAsBefore(const Rows& rows, std::span<const LoadSlope> slopes,
                                std::span<const std::uint8_t> shapes, bool sameRows) const;
  void analyse(const Rows& rows, std::span<const LoadSlope> slopes,
               std::span<const std::uint8_t> shapes);
  void findEdges(const Rows& rows, std::span<const LoadSlope> slopes,
                 std::span<const std::uint8_t> shapes);
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
  std::vector<Index> order_;       // in which they stand in it
  std::vector<Index> first_;       // triples, by node
  struct RowAt {
    Index x = kWorld;  // its place in a vector; kWorld: it does not hold
    Index triple = 0;  // of its joint's
  };
  std::vector<RowAt> rowAt_;    // by row
  struct Meeting {              // of a solid with rows of a joint
    Index solid = 0, rows = 0;  // nodes
    Index first = 0;            // of corners_, one for each triple of the rows
  };
  // How the place and the turn of a solid meet three rows: the block of its pushes, beside whose numbers are those of
  // the changes.
  struct Corner {
    TripleLu::Block place, turn;  // null: not at all
    std::ptrdiff_t placeMirror = 0, turnMirror = 0;
  };
  std::vector<Meeting> meetings_;
  std::vector<Corner> corners_;
  std::vector<Index> meetingOf_;   // by block of a row; kWorld: of a solid that does not move
  std::vector<Index> cornerOf_;    // the first of its corners, likewise
  std::vector<double*> diagonal_;  // by triple
  std::vector<std::uint32_t> sizes_, lastSizes_;  // of the joints
  std::vector<std::pair<TripleLu::Triple, TripleLu::Triple>> edges_;
  const Rows* pushes_ = nullptr;
  TripleLu lu_;  // of A, or of S
  struct Tie {   // a block of T
    Index row = 0, column = 0;
    std::size_t at = 0;  // of tieValues_
  };
  bool apart_ = false;
  std::vector<Tie> ties_;
  std::vector<double> tieValues_;
  std::vector<double> f_, work_[7];
  std::vector<Index> pattern_, slopePattern_;
  std::vector<double> x_;
};

}  // namespace tenon
