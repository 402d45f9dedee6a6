// Block-sparse L U of a matrix whose pattern is symmetric though its numbers are not: the Newton matrix
// of a step that takes forces at its middle and joints at its end. Eliminated in the same order as by
// BlockLdl and without pivoting: where the symmetric part is quasi-definite, or nearly so, none is needed,
// and the scales of the rows do not matter.
//
// Nodes (solids and joints) choose the order. What is stored and multiplied are triples: the place of a solid, its turn,
// and rows of joints by three, filled up with ones. So all blocks are 3 × 3, and those between triples that have nothing
// to do with each other, the place of a solid and a row that holds turns, are not there. A number above the diagonal
// stands beside the one that mirrors it below, because both go through the same operations: two at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "math/block_pattern.h"
#include "math/triples.h"

namespace tenon {

class TripleLu {
 public:
  using Node = BlockPattern::Node;
  using NodeSpec = BlockPattern::NodeSpec;
  using Triple = std::uint32_t;

  // The triples of a node follow each other, from first(node) on; the sizes are the largest that nodes will have.
  static std::vector<Triple> firstTriples(const std::vector<NodeSpec>& nodes);
  // Edges of nodes are for the order, those of triples for what is stored; the latter must lie on the former, or
  // within a node.
  void analyse(const std::vector<NodeSpec>& nodes, const std::vector<std::pair<Node, Node>>& edges,
               const std::vector<std::pair<Triple, Triple>>& tripleEdges);

  [[nodiscard]] std::size_t size() const {
    return 3 * pivots_.size();
  }  // of a vector, three a triple
  [[nodiscard]] std::size_t storedNumbers() const { return values_.size(); }
  [[nodiscard]] const BlockPattern& pattern() const { return pattern_; }

  // Which triples take part from now on.
  void setUsed(Triple triple, bool used) {
    used_[position_[triple]] = used ? 1 : 0;
    isListed_ = false;
  }
  void clear();  // all blocks zero
  // The 3 × 3 numbers of a block, which stay where they are until `analyse`; null: there is none.
  struct Block {
    double* values = nullptr;
    std::uint32_t down = 0, right = 0;  // from a number to the one below it, and beside it
    double& operator()(std::uint32_t i, std::uint32_t j) const {
      return values[i * down + j * right];
    }
    explicit operator bool() const { return values != nullptr; }
  };
  [[nodiscard]] Block block(Triple row, Triple column);

  // False if a number is not finite. Pivots below `floor` of their block's largest diagonal are put
  // right; `perturbed` counts them.
  bool factor(double floor = 1e-16);
  [[nodiscard]] std::uint32_t perturbed() const { return perturbed_; }
  void solve(
      double* x) const;  // x := A⁻¹ x, with the factor; of triples that are not used, as it is

 private:
  using Pivot = triples::Pivot;
  using Meeting = triples::Meeting;
  using Step = triples::Step;
  [[nodiscard]] triples::View view() const;
  void list();

  BlockPattern pattern_;                 // of nodes
  std::vector<std::uint32_t> position_;  // by triple
  std::vector<Pivot> pivots_;
  std::vector<std::uint32_t> rows_;  // positions of what a pivot meets later, increasing
  std::vector<std::uint8_t> used_;   // by position
  bool isListed_ = false;
  std::vector<Step> steps_;
  std::vector<Meeting> meetings_;
  std::vector<std::uint32_t> targets_;
  std::vector<double> values_, inverse_;
  std::uint32_t perturbed_ = 0;
};

}  // namespace tenon
