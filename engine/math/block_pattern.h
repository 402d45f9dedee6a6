// The pattern of a block-sparse symmetric structure, and the order in which its nodes are eliminated:
// minimum degree, which finds leaf-to-root on trees: no fill, and linear cost. A negative node (a
// joint) waits until a positive one beside it (a solid) is gone, so that it has something to stand on.
//
// Which of several nodes of the same degree goes first matters little on trees and much on nets: taken by
// number they sweep a 30 × 30 net from one side, at three times the work of an order found by chance. So where
// there is much fill, ties are also broken by a few fixed shuffles, and the cheapest order is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tenon {

struct BlockPattern {
  using Node = std::uint32_t;
  static constexpr Node kNone = 0xffffffffu;
  struct NodeSpec {
    std::uint32_t size = 0;
    bool positive = true;
    Node next =
        kNone;  // goes right after it, whatever its degree: alone it has nothing to stand on
  };

  // `edges` name the pairs with a block between them, in any order, repeated or not.
  void analyse(const std::vector<NodeSpec>& nodes, const std::vector<std::pair<Node, Node>>& edges);

  // Where the block between two nodes is stored: rows of the node eliminated later, columns of the
  // earlier one. Precondition: an edge, or first == second.
  struct Place {
    std::size_t at = 0;
    std::uint32_t columns = 0;
    bool transposed = false;  // rows belong to the second node asked for
  };
  [[nodiscard]] Place place(Node first, Node second) const;
  [[nodiscard]] bool has(Node first,
                         Node second) const;  // whether there is one, of an edge or by fill
  [[nodiscard]] double work() const;          // multiplications of a factorisation, about
  [[nodiscard]] std::uint32_t sizeAt(std::uint32_t position) const {
    return nodes[order[position]].size;
  }

  std::vector<NodeSpec> nodes;
  std::vector<std::size_t> offset;      // by node, in a vector
  std::size_t total = 0;                // of the matrix
  std::vector<Node> order;              // of elimination
  std::vector<std::uint32_t> position;  // its inverse
  std::vector<std::uint32_t> firstRow;  // by position: range of rows and at
  std::vector<std::uint32_t> rows;      // positions of the blocks below the diagonal, increasing
  std::vector<std::size_t> at;          // where the block begins among the values
  std::vector<std::size_t> diagonal;    // by position
  std::vector<std::size_t> pivotAt;     // by position
  std::size_t values = 0, scratch = 0;  // numbers to be stored; needed while factoring

 private:
  void eliminate(std::vector<std::vector<Node>> near, std::uint64_t shuffle);
};

// The edges of a joint: between it and the solids that its rows touch (in any order, repeated or not; they
// come back sorted), and among these, whom its stiffness ties, if it does.
void addJointEdges(BlockPattern::Node joint, std::vector<BlockPattern::Node>& touched,
                   std::vector<std::pair<BlockPattern::Node, BlockPattern::Node>>& edges,
                   bool ties = true);

}  // namespace tenon
