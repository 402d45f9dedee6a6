// Block-sparse L D Lᵀ against a dense factorisation, and its fill against what trees need.
#include "math/block_ldl.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "math/random.h"

namespace tenon {
namespace {

struct Sample {
  BlockLdl ldl;
  Eigen::MatrixXd A;
};

// A random quasi-definite matrix on a graph: positive nodes (bodies), and negative ones (joints) that
// touch two of them each.
Sample sample(Random& random, int bodies, int joints, double compliance) {
  Sample s;
  std::vector<BlockLdl::NodeSpec> nodes;
  std::vector<std::pair<BlockLdl::Node, BlockLdl::Node>> edges;
  const auto below = [&](int n) {
    return static_cast<BlockLdl::Node>(random.below(static_cast<std::uint64_t>(n)));
  };
  for (int b = 0; b < bodies; ++b) nodes.push_back({random.below(4) == 0 ? 3u : 6u, true});
  for (int j = 0; j < joints; ++j) {
    nodes.push_back({1 + static_cast<std::uint32_t>(random.below(5)), false});
    const auto me = static_cast<BlockLdl::Node>(bodies + j);
    const BlockLdl::Node a = j + 1 < bodies ? static_cast<BlockLdl::Node>(j + 1) : below(bodies);
    edges.emplace_back(me, a);
    edges.emplace_back(below(j + 1 < bodies ? j + 1 : bodies), me);
  }
  s.ldl.analyse(nodes, edges);
  s.ldl.clear();
  const auto n = static_cast<Eigen::Index>(s.ldl.size());
  s.A = Eigen::MatrixXd::Zero(n, n);
  const auto set = [&](BlockLdl::Node a, BlockLdl::Node b, std::uint32_t i, std::uint32_t j,
                       double v) {
    s.ldl.block(a, b)(i, j) += v;
    const auto r = static_cast<Eigen::Index>(s.ldl.offset(a) + i);
    const auto c = static_cast<Eigen::Index>(s.ldl.offset(b) + j);
    s.A(r, c) += v;
    if (a != b) s.A(c, r) += v;
  };
  for (BlockLdl::Node k = 0; k < nodes.size(); ++k)
    for (std::uint32_t i = 0; i < nodes[k].size; ++i)
      set(k, k, i, i, nodes[k].positive ? random.uniform(1, 3) : -compliance);
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    for (std::uint32_t i = 0; i < nodes[a].size; ++i)
      for (std::uint32_t j = 0; j < nodes[b].size; ++j) set(a, b, i, j, random.uniform(-1, 1));
  }
  return s;
}

TEST(BlockLdl, SolvesLikeADenseFactorisation) {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const int bodies = 2 + static_cast<int>(random.below(12));
    Sample s = sample(random, bodies, bodies - 1 + static_cast<int>(random.below(6)), 1e-3);
    ASSERT_TRUE(s.ldl.factor());
    EXPECT_EQ(s.ldl.perturbed(), 0u);
    Eigen::VectorXd b(s.A.rows());
    for (double& v : b) v = random.uniform(-1, 1);
    Eigen::VectorXd x = b;
    s.ldl.solve(x.data());
    const Eigen::VectorXd truth = s.A.fullPivLu().solve(b);
    EXPECT_LT((x - truth).norm(), 1e-9 * (1 + truth.norm())) << trial;
  }
}

// On a chain of bodies and joints nothing fills in: the numbers stored are those of the pattern.
TEST(BlockLdl, TreesDoNotFillIn) {
  for (const bool hub : {false, true}) {
    std::size_t last = 0;
    for (const std::uint32_t n : {100u, 200u, 400u}) {
      std::vector<BlockLdl::NodeSpec> nodes;
      std::vector<std::pair<BlockLdl::Node, BlockLdl::Node>> edges;
      for (std::uint32_t b = 0; b < n; ++b) nodes.push_back({6, true});
      std::size_t pattern = 36u * n;
      for (std::uint32_t j = 0; j + 1 < n; ++j) {
        nodes.push_back({3, false});
        edges.emplace_back(hub ? 0 : j, n + j);
        edges.emplace_back(n + j, j + 1);
        edges.emplace_back(hub ? 0 : j, j + 1);
        pattern += 9 + 18 + 18 + 36;
      }
      BlockLdl ldl;
      ldl.analyse(nodes, edges);
      EXPECT_EQ(ldl.storedNumbers(), pattern);
      last = ldl.storedNumbers();
    }
    EXPECT_GT(last, 0u);
  }
}

TEST(BlockLdl, PutsPivotsOfTheWrongSignRight) {
  BlockLdl ldl;
  ldl.analyse({{2, true}, {1, false}}, {{0, 1}});
  ldl.clear();
  const BlockLdl::Block D = ldl.block(0, 0);
  D(0, 0) = 1;
  D(1, 1) = -1;  // should be positive
  ldl.block(1, 1)(0, 0) = -1;
  EXPECT_TRUE(ldl.factor());
  EXPECT_EQ(ldl.perturbed(), 1u);
  double x[3] = {1, 1, 1};
  ldl.solve(x);
  for (const double v : x) EXPECT_TRUE(std::isfinite(v));
  ldl.clear();
  ldl.block(0, 0)(0, 0) = std::nan("");
  EXPECT_FALSE(ldl.factor());
}

}  // namespace
}  // namespace tenon
