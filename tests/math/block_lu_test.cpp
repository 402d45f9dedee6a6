// Block-sparse L U against a dense factorisation.
#include "math/block_lu.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "math/random.h"

namespace tenon {
namespace {

// Solids and joints with loops: symmetric in pattern, not in numbers.
TEST(BlockLu, SolvesLikeADenseFactorisation) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const int bodies = 2 + static_cast<int>(random.below(12));
    const int joints = bodies + static_cast<int>(random.below(3));
    std::vector<BlockLu::NodeSpec> nodes;
    std::vector<std::pair<BlockLu::Node, BlockLu::Node>> edges;
    for (int b = 0; b < bodies; ++b) nodes.push_back({random.below(4) == 0 ? 3u : 6u, true});
    for (int j = 0; j < joints; ++j) {
      nodes.push_back({1 + static_cast<std::uint32_t>(random.below(5)), false});
      const auto me = static_cast<BlockLu::Node>(bodies + j);
      const auto a = static_cast<BlockLu::Node>(random.below(static_cast<std::uint64_t>(bodies)));
      const auto b = static_cast<BlockLu::Node>(random.below(static_cast<std::uint64_t>(bodies)));
      edges.emplace_back(me, a);
      edges.emplace_back(b, me);
      edges.emplace_back(a, b);
    }
    BlockLu lu;
    lu.analyse(nodes, edges);
    for (int again = 0; again < 2; ++again) {  // the pattern serves more than once
      lu.clear();
      const auto n = static_cast<Eigen::Index>(lu.size());
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
      const auto fill = [&](BlockLu::Node a, BlockLu::Node b, double size) {
        for (std::uint32_t i = 0; i < nodes[a].size; ++i)
          for (std::uint32_t j = 0; j < nodes[b].size; ++j) {
            const double v = random.uniform(-size, size);
            lu.block(a, b)(i, j) += v;
            A(static_cast<Eigen::Index>(lu.offset(a) + i),
              static_cast<Eigen::Index>(lu.offset(b) + j)) += v;
          }
      };
      for (const auto& [a, b] : edges) {
        fill(a, b,
             a < static_cast<BlockLu::Node>(bodies) && b < static_cast<BlockLu::Node>(bodies) ? 0.1
                                                                                              : 1);
        if (a != b) fill(b, a, 0.3);
      }
      for (BlockLu::Node k = 0; k < nodes.size(); ++k)
        for (std::uint32_t i = 0; i < nodes[k].size; ++i) {
          const double v = random.uniform(3, 5);
          lu.block(k, k)(i, i) += v;
          const auto at = static_cast<Eigen::Index>(lu.offset(k) + i);
          A(at, at) += v;
        }
      Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
      for (Eigen::Index i = 0; i < n; ++i) b[i] = random.uniform(-1, 1);
      Eigen::VectorXd x = b;
      ASSERT_TRUE(lu.factor());
      EXPECT_EQ(lu.perturbed(), 0u);
      lu.solve(x.data());
      EXPECT_LT((A * x - b).norm(), 1e-9 * (1 + x.norm()));
    }
  }
}

TEST(BlockLu, SaysWhatIsNotFinite) {
  BlockLu lu;
  lu.analyse({{3, true}}, {});
  lu.clear();
  for (std::uint32_t i = 0; i < 3; ++i) lu.block(0, 0)(i, i) = 1;
  EXPECT_TRUE(lu.factor());
  lu.block(0, 0)(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factor());
}

}  // namespace
}  // namespace tenon
