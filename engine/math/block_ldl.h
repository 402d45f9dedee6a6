// Block-sparse L D Lᵀ of a symmetric quasi-definite matrix: some diagonal blocks are positive, the
// others, once those that they touch are eliminated, negative. No pivoting is needed then, and the
// order may follow the sparsity alone.                                          [Vanderbei1995]
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "math/block_pattern.h"

namespace tenon {

class BlockLdl {
 public:
  using Node = BlockPattern::Node;
  using NodeSpec = BlockPattern::NodeSpec;

  // The pattern: `edges` name the pairs with a block between them, in any order, repeated or not.
  void analyse(const std::vector<NodeSpec>& nodes, const std::vector<std::pair<Node, Node>>& edges);

  [[nodiscard]] std::size_t size() const { return pattern_.total; }  // of the matrix
  [[nodiscard]] std::size_t offset(Node node) const { return pattern_.offset[node]; }
  [[nodiscard]] std::size_t storedNumbers() const { return values_.size(); }

  void clear();  // all blocks zero
  // A block as it is stored: rows of the node eliminated later, columns of the earlier one.
  struct Block {
    double* values = nullptr;  // row-major
    std::uint32_t columns = 0;
    bool transposed = false;  // rows belong to the second node asked for
    // Entry (i, j): component i of the first node, j of the second.
    double& operator()(std::uint32_t i, std::uint32_t j) const {
      return transposed ? values[j * columns + i] : values[i * columns + j];
    }
  };
  // Precondition: an edge, or first == second. The diagonal's two triangles must both be filled.
  [[nodiscard]] Block block(Node first, Node second);

  // False if a number is not finite. Pivots of the wrong sign, or below `floor` of their block's
  // largest diagonal, are put right; `perturbed` counts them.
  // `signs` false: pivots of the wrong sign stay.
  bool factor(double floor = 1e-14, bool signs = true);
  [[nodiscard]] std::uint32_t perturbed() const { return perturbed_; }
  // Whether as many pivots are negative as there should be: positive ones that should not be are outweighed by others.
  [[nodiscard]] bool hasInertia() const { return excess_ == 0; }
  // Component i of a node, in the factor.
  [[nodiscard]] double pivot(Node node, std::uint32_t i) const {
    return pivots_[pattern_.pivotAt[pattern_.position[node]] + i];
  }
  // x := A⁻¹ x, with the factor.
  void solve(double* x) const;

 private:
  BlockPattern pattern_;
  std::vector<double> values_;
  std::vector<double> pivots_;  // by row of the matrix, in the order of elimination
  std::vector<double> scratch_;
  std::uint32_t perturbed_ = 0;
  int excess_ = 0;  // of positive pivots
};

}  // namespace tenon
