// Block-sparse L U in triples against a dense factorisation.
#include "math/triple_lu.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "math/machine.h"
#include "math/random.h"

namespace tenon {
namespace {

// Solids and joints with loops: symmetric in pattern, not in numbers.
TEST(TripleLu, SolvesLikeADenseFactorisation) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const int bodies = 2 + static_cast<int>(random.below(12));
    const int joints = bodies + static_cast<int>(random.below(3));
    std::vector<TripleLu::NodeSpec> nodes;
    std::vector<std::pair<TripleLu::Node, TripleLu::Node>> edges;
    for (int b = 0; b < bodies; ++b) nodes.push_back({random.below(4) == 0 ? 3u : 6u, true});
    for (int j = 0; j < joints; ++j) {
      nodes.push_back({1 + static_cast<std::uint32_t>(random.below(5)), false});
      const auto me = static_cast<TripleLu::Node>(bodies + j);
      const auto a = static_cast<TripleLu::Node>(random.below(static_cast<std::uint64_t>(bodies)));
      const auto b = static_cast<TripleLu::Node>(random.below(static_cast<std::uint64_t>(bodies)));
      edges.emplace_back(me, a);
      edges.emplace_back(b, me);
      edges.emplace_back(a, b);
    }
    // Between the triples of two nodes some blocks are left out.
    const std::vector<TripleLu::Triple> first = TripleLu::firstTriples(nodes);
    std::vector<std::pair<TripleLu::Triple, TripleLu::Triple>> triples;
    const auto meet = [&](TripleLu::Node a, TripleLu::Node b) {
      for (TripleLu::Triple t = first[a]; t < first[a + 1]; ++t)
        for (TripleLu::Triple u = first[b]; u < first[b + 1]; ++u)
          if (t < u && random.below(3) > 0) triples.emplace_back(t, u);
    };
    for (const auto& [a, b] : edges) meet(std::min(a, b), std::max(a, b));
    for (TripleLu::Node k = 0; k < nodes.size(); ++k) meet(k, k);
    TripleLu lu;
    lu.analyse(nodes, edges, triples);
    for (int again = 0; again < 3; ++again) {  // the pattern serves more than once
      lu.clear();
      const auto n = static_cast<Eigen::Index>(lu.size());
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
      // The last time some triples are not used.
      std::vector<bool> used(first.back(), true);
      for (TripleLu::Triple t = first[static_cast<std::size_t>(bodies)]; t < first.back(); ++t) {
        used[t] = again < 2 || random.below(2) == 0;
        lu.setUsed(t, used[t]);
      }
      const auto fill = [&](TripleLu::Triple a, TripleLu::Triple b, double size) {
        if (!used[a] || !used[b]) return;
        ASSERT_TRUE(lu.block(a, b));
        for (std::uint32_t i = 0; i < 3; ++i)
          for (std::uint32_t j = 0; j < 3; ++j) {
            const double v = random.uniform(-size, size);
            lu.block(a, b)(i, j) += v;
            A(static_cast<Eigen::Index>(3 * a + i), static_cast<Eigen::Index>(3 * b + j)) += v;
          }
      };
      for (const auto& [a, b] : triples) {
        fill(a, b, 0.5);
        fill(b, a, 0.3);
      }
      for (TripleLu::Triple t = 0; t < first.back(); ++t)
        for (std::uint32_t i = 0; i < 3; ++i) {
          const double v = random.uniform(4, 6);
          lu.block(t, t)(i, i) += v;
          const auto at = static_cast<Eigen::Index>(3 * t + i);
          A(at, at) += used[t] ? v : 1;
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

TEST(TripleLu, SaysWhatIsNotFinite) {
  TripleLu lu;
  lu.analyse({{3, true}}, {}, {});
  lu.clear();
  for (std::uint32_t i = 0; i < 3; ++i) lu.block(0, 0)(i, i) = 1;
  EXPECT_TRUE(lu.factor());
  lu.block(0, 0)(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factor());
}

// What wide registers make of a matrix of triples that all meet each other.
std::vector<double> factoredAndSolved(decltype(&triples::factor) factor,
                                      decltype(&triples::solve) solve) {
  constexpr std::uint32_t kCount = 5;
  std::vector<triples::Pivot> pivots(kCount);
  std::vector<triples::Step> steps(kCount);
  std::vector<triples::Meeting> meetings;
  std::vector<std::uint32_t> targets;
  std::size_t values = 0;
  for (std::uint32_t p = 0; p < kCount; ++p) {
    pivots[p].x = 3 * p;
    pivots[p].D = values;
    pivots[p].LU = values + 10;
    values += 10 + triples::kBlock * (kCount - 1 - p);
  }
  for (std::uint32_t p = 0; p < kCount; ++p) {
    steps[p] = {p, static_cast<std::uint32_t>(meetings.size()), 0};
    for (std::uint32_t r = p + 1; r < kCount; ++r) {
      triples::Meeting meeting;
      meeting.x = pivots[r].x;
      meeting.D = static_cast<std::uint32_t>(pivots[r].D);
      meeting.LU = static_cast<std::uint32_t>(pivots[p].LU + triples::kBlock * (r - p - 1));
      meeting.target = static_cast<std::uint32_t>(pivots[r].LU);
      if (r == p + 2) {  // one of them as if it were scattered
        meeting.target = triples::kScattered;
        for (std::uint32_t c = r + 1; c < kCount; ++c)
          targets.push_back(
              static_cast<std::uint32_t>(pivots[r].LU + triples::kBlock * (c - r - 1)));
      }
      meetings.push_back(meeting);
    }
    steps[p].last = static_cast<std::uint32_t>(meetings.size());
  }
  std::vector<double> numbers(values + 6 * kCount);
  double last = 0.3;
  for (double& number : numbers) number = last = 3.9 * last * (1 - last) - 1e-3;
  for (const triples::Pivot& pivot : pivots)
    for (std::size_t k = 0; k < 3; ++k) numbers[pivot.D + 4 * k] += 20;
  const triples::View view{pivots.data(), steps.data(), steps.data() + kCount, meetings.data(),
                           targets.data()};
  double* inverse = numbers.data() + values;
  EXPECT_TRUE(factor(view, 1e-16, numbers.data(), inverse).finite);
  solve(view, numbers.data(), inverse, inverse + 3 * kCount);
  return numbers;
}

TEST(TripleLu, HasTheSameBitsInWideRegisters) {
  if (!hasAvx2()) GTEST_SKIP() << "this machine has none";
  EXPECT_EQ(factoredAndSolved(&triples::factor, &triples::solve),
            factoredAndSolved(&triples::factorAvx2, &triples::solveAvx2));
}

}  // namespace
}  // namespace tenon
