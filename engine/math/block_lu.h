// Block-sparse L U of a matrix whose pattern is symmetric though its numbers are not: the Newton matrix
// of a step that takes forces at its middle and joints at its end. Eliminated in the same order as by
// BlockLdl and without pivoting: where the symmetric part is quasi-definite, or nearly so, none is needed,
// and the scales of the rows do not matter.
//
// What belongs to a pivot stands together: its n × n block D, and beside it two panels of n long rows, all
// blocks that it meets one after the other: those above the diagonal as they are, those below it transposed. So every
// product and every elimination walks along rows, two numbers at a time, and only n has to be known to the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "math/block_pattern.h"

namespace tenon {

class BlockLu {
 public:
  using Node = BlockPattern::Node;
  using NodeSpec = BlockPattern::NodeSpec;

  // The sizes are the largest that the nodes will have.
  void analyse(const std::vector<NodeSpec>& nodes, const std::vector<std::pair<Node, Node>>& edges);
  // The sizes of the nodes from now on, 0 being one of them: the order stays. Memory is not asked for.
  void resize(std::span<const std::uint32_t> sizes);

  [[nodiscard]] std::size_t size() const { return total_; }  // of the matrix
  [[nodiscard]] std::size_t offset(Node node) const { return offset_[node]; }
  [[nodiscard]] std::size_t storedNumbers() const { return values_.size(); }
  [[nodiscard]] const BlockPattern& pattern() const { return pattern_; }

  void clear();  // all blocks zero
  // The block in the rows of one node and the columns of another.
  struct Block {
    double* values = nullptr;
    std::uint32_t down = 0, right = 0;  // from a number to the one below it, and beside it
    double& operator()(std::uint32_t i, std::uint32_t j) const {
      return values[i * down + j * right];
    }
  };
  // Precondition: an edge, or row == column.
  [[nodiscard]] Block block(Node row, Node column);

  // False if a number is not finite. Pivots below `floor` of their block's largest diagonal are put
  // right; `perturbed` counts them.
  bool factor(double floor = 1e-16);
  [[nodiscard]] std::uint32_t perturbed() const { return perturbed_; }
  void solve(double* x);  // x := A⁻¹ x, with the factor

 private:
  struct Pivot {  // by position
    std::uint32_t size = 0, height = 0, stride = 0;
    std::uint32_t x = 0;              // its place in a vector
    std::uint32_t first = 0;          // its inverted pivots
    std::size_t D = 0, L = 0, U = 0;  // among the values
  };
  // Of the blocks beside a pivot some in a row that stand in a row beside another one, too.
  struct Run {
    std::uint32_t begin = 0, end = 0, to = 0;  // of pattern_.rows
  };

  template <class Size>
  void eliminate(std::uint32_t p, Size n, double floor, bool& finite);
  template <class Size>
  void solveDown(std::uint32_t p, Size n, double* x);
  template <class Size>
  void solveUp(std::uint32_t p, Size n, double* x);
  [[nodiscard]] std::uint32_t columnAfter(std::uint32_t p, std::uint32_t row) const;
  [[nodiscard]] std::uint32_t beside(std::uint32_t pivot, std::uint32_t position) const;

  BlockPattern pattern_;
  std::vector<Pivot> pivots_;
  std::vector<std::size_t> offset_;      // by node
  std::vector<std::uint32_t> columns_;   // by pattern_.rows: where the block begins in its panels
  std::vector<std::uint32_t> firstRun_;  // by pattern_.rows
  std::vector<Run> runs_;
  std::size_t total_ = 0;
  std::vector<double> values_, inverse_;
  std::vector<double> upper_, lower_;  // while factoring and solving
  std::uint32_t perturbed_ = 0;
};

}  // namespace tenon
