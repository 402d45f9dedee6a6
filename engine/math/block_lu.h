// Block-sparse L U of a matrix whose pattern is symmetric though its numbers are not: the Newton matrix
// of a step that takes forces at its middle and joints at its end. Eliminated in the same order as by
// BlockLdl and without pivoting: where the symmetric part is quasi-definite, or nearly so, none is needed,
// and the scales of the rows do not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "math/block_pattern.h"

namespace tenon {

class BlockLu {
 public:
  using Node = BlockPattern::Node;
  using NodeSpec = BlockPattern::NodeSpec;

  void analyse(const std::vector<NodeSpec>& nodes, const std::vector<std::pair<Node, Node>>& edges);

  [[nodiscard]] std::size_t size() const { return pattern_.total; }  // of the matrix
  [[nodiscard]] std::size_t offset(Node node) const { return pattern_.offset[node]; }
  [[nodiscard]] std::size_t storedNumbers() const { return lower_.size() + upper_.size(); }
  [[nodiscard]] const BlockPattern& pattern() const { return pattern_; }

  void clear();  // all blocks zero
  // The block in the rows of one node and the columns of another.
  struct Block {
    double* values = nullptr;
    std::uint32_t columns = 0;
    double& operator()(std::uint32_t i, std::uint32_t j) const { return values[i * columns + j]; }
  };
  // Precondition: an edge, or row == column.
  [[nodiscard]] Block block(Node row, Node column);

  // False if a number is not finite. Pivots below `floor` of their block's largest diagonal are put
  // right; `perturbed` counts them.
  bool factor(double floor = 1e-16);
  [[nodiscard]] std::uint32_t perturbed() const { return perturbed_; }
  void solve(double* x) const;  // x := A⁻¹ x, with the factor

 private:
  BlockPattern pattern_;
  // Below the diagonal as it is stored by the pattern, with the diagonal. Above it blocks are where the
  // pattern has their mirror images, row by row.
  std::vector<double> lower_, upper_;
  std::vector<double> inverse_;  // one over the pivots
  std::uint32_t perturbed_ = 0;
};

}  // namespace tenon
