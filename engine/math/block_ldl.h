// Block-sparse L D Lᵀ of a symmetric quasi-definite matrix: some diagonal blocks are positive, the
// others, once those that they touch are eliminated, negative. No pivoting is needed then, and the
// order may follow the sparsity alone.                                          [Vanderbei1995]
//
// Nodes are eliminated by minimum degree, which finds leaf-to-root on trees: no fill, and linear cost.
// A negative node waits until a positive one beside it is gone, so that it has something to stand on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tenon {

class BlockLdl {
 public:
  using Node = std::uint32_t;
  struct NodeSpec {
    std::uint32_t size = 0;
    bool positive = true;
  };

  // The pattern: `edges` name the pairs with a block between them, in any order, repeated or not.
  void analyse(const std::vector<NodeSpec>& nodes, const std::vector<std::pair<Node, Node>>& edges);

  [[nodiscard]] std::size_t size() const { return total_; }  // of the matrix
  [[nodiscard]] std::size_t offset(Node node) const { return offset_[node]; }
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
  bool factor(double floor = 1e-14);
  [[nodiscard]] std::uint32_t perturbed() const { return perturbed_; }
  // x := A⁻¹ x, with the factor.
  void solve(double* x) const;

 private:
  void order(const std::vector<std::pair<Node, Node>>& edges);

  std::vector<NodeSpec> nodes_;
  std::vector<std::size_t> offset_;
  std::size_t total_ = 0;
  std::vector<Node> order_;              // elimination order
  std::vector<std::uint32_t> position_;  // its inverse
  std::vector<std::uint32_t> firstRow_;  // by position: range of rows_ and at_
  std::vector<std::uint32_t> rows_;      // positions of the blocks below the diagonal, increasing
  std::vector<std::size_t> at_;          // where the block begins in values_
  std::vector<std::size_t> diagonal_;    // by position
  std::vector<double> values_;
  std::vector<double> pivots_;        // by row of the matrix, in the order of elimination
  std::vector<std::size_t> pivotAt_;  // by position
  std::vector<double> scratch_;
  std::uint32_t perturbed_ = 0;
};

}  // namespace tenon
