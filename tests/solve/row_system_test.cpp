// Rows and masses as a linear system: every solver against the dense solution.
#include "solve/row_system.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "math/random.h"

namespace tenon {
namespace {

struct Sample {
  Mechanism m;
  State state;
  Rows rows;
  std::vector<bool> used;
  Eigen::MatrixXd M, J;
  Eigen::VectorXd b;
};

// Bodies in a chain with `loops` joints more, each of three rows with random coefficients.
Sample sample(int bodies, int loops, Random& random) {
  Sample s;
  for (int i = 0; i < bodies; ++i) {
    MechanismSolid solid;
    solid.mass = random.uniform(0.5, 2);
    solid.inverseMass = 1 / solid.mass;
    solid.inertia =
        diagonal({random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)});
    solid.inverseInertia = inverse(solid.inertia);
    if (i % 5 == 4) {
      solid.pointMass = true;
      solid.inertia = solid.inverseInertia = {};
    }
    s.m.solids.push_back(solid);
    s.state.position.push_back({});
    s.state.orientation.push_back(random.rotation());
  }
  const auto joint = [&](Index a, Index b) {
    const auto id = s.rows.rows.empty() ? 0 : s.rows.rows.back().asker.number + 1;
    for (int r = 0; r < 3; ++r) {
      Row row;
      row.asker.number = id;
      row.firstBlock = static_cast<Index>(s.rows.blocks.size());
      for (const Index solid : {a, b}) {
        RowBlock block;
        block.solid = solid;
        for (int i = 0; i < (s.m.solids[solid].pointMass ? 3 : 6); ++i)
          block.J[i] = random.uniform(-1, 1);
        s.rows.blocks.push_back(block);
        ++row.blockCount;
      }
      row.error = random.uniform(-1, 1);
      s.rows.rows.push_back(row);
    }
  };
  for (Index i = 1; i < static_cast<Index>(bodies); ++i) joint(i - 1, i);
  for (int l = 0; l < loops; ++l) {
    const auto a = static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies)));
    const auto c = static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies - 1)));
    joint(a, c >= a ? c + 1 : c);
  }
  const auto n = static_cast<Eigen::Index>(s.rows.rows.size());
  s.used.assign(s.rows.rows.size(), true);
  s.used[1] = false;  // one that sits out
  s.M = Eigen::MatrixXd::Identity(6 * bodies, 6 * bodies);
  s.J = Eigen::MatrixXd::Zero(n, 6 * bodies);
  s.b = Eigen::VectorXd::Zero(n);
  for (int i = 0; i < bodies; ++i) {
    const MechanismSolid& solid = s.m.solids[static_cast<std::size_t>(i)];
    const Mat3 R = rotationMatrix(s.state.orientation[static_cast<std::size_t>(i)]);
    const Mat3 I = R * solid.inertia * transpose(R);
    for (int k = 0; k < 3; ++k) {
      s.M(6 * i + k, 6 * i + k) = solid.mass;
      for (int l = 0; l < 3 && !solid.pointMass; ++l) s.M(6 * i + 3 + k, 6 * i + 3 + l) = I(k, l);
    }
  }
  for (Eigen::Index r = 0; r < n; ++r) {
    const Row& row = s.rows.rows[static_cast<std::size_t>(r)];
    if (!s.used[static_cast<std::size_t>(r)]) continue;
    s.b(r) = -row.error;
    for (Index k = row.firstBlock; k < row.firstBlock + row.blockCount; ++k)
      for (int i = 0; i < 6; ++i)
        s.J(r, 6 * static_cast<Eigen::Index>(s.rows.blocks[k].solid) + i) += s.rows.blocks[k].J[i];
  }
  return s;
}

TEST(RowSystem, EverySolverGivesTheDenseSolution) {
  Random random(3);
  for (int trial = 0; trial < 12; ++trial) {
    const int bodies = 4 + static_cast<int>(random.below(12));
    Sample s = sample(bodies, static_cast<int>(random.below(3)), random);
    RowSystem system;
    system.load(s.m, s.state, s.rows, s.used);
    const std::size_t n = s.rows.rows.size();
    std::vector<double> compliance(n, 1e-9), b(s.b.data(), s.b.data() + s.b.size()), lambda;
    std::vector<RowSystem::Six> moved;
    // (J M⁻¹ Jᵀ + C) λ = b over the rows that take part, δ = M⁻¹ Jᵀ λ.
    Eigen::MatrixXd A = s.J * s.M.inverse() * s.J.transpose();
    for (Eigen::Index r = 0; r < A.rows(); ++r)
      A(r, r) += s.used[static_cast<std::size_t>(r)] ? 1e-9 : 1;
    const Eigen::VectorXd truth = A.ldlt().solve(s.b);
    const Eigen::VectorXd motion = s.M.inverse() * s.J.transpose() * truth;
    for (const LinearSolver solver : kLinearSolvers) {
      const LinearReport report =
          system.solve({}, compliance, b, {solver, 2000, 1e-13, Norm::Max}, lambda, moved);
      ASSERT_TRUE(report.finite) << nameOf(solver);
      double off = 0;
      for (int i = 0; i < bodies; ++i)
        for (int k = 0; k < 6; ++k)
          off = std::max(off,
                         std::abs(moved[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] -
                                  motion(6 * i + k)));
      EXPECT_LT(off, 1e-6 * (1 + motion.norm())) << nameOf(solver) << trial;
      EXPECT_EQ(lambda[1], 0);
      if (isDirect(solver)) {
        EXPECT_EQ(report.iterations, 0);
      } else {
        EXPECT_GT(report.iterations, 0);
      }
    }
  }
}

TEST(RowSystem, KeepsItsPatternAndForgetsItWhenJointsChange) {
  Random random(4);
  Sample s = sample(6, 1, random), t = sample(9, 0, random);
  RowSystem kept;
  std::vector<double> lambda, fresh;
  std::vector<RowSystem::Six> moved;
  for (const Sample* each : {&s, &t, &s, &s}) {
    std::vector<double> compliance(each->rows.rows.size(), 1e-9);
    const std::vector<double> b(each->b.data(), each->b.data() + each->b.size());
    kept.load(each->m, each->state, each->rows, each->used);
    ASSERT_TRUE(kept.solve({}, compliance, b, {}, lambda, moved).finite);
    RowSystem anew;
    anew.load(each->m, each->state, each->rows, each->used);
    ASSERT_TRUE(anew.solve({}, compliance, b, {}, fresh, moved).finite);
    EXPECT_EQ(lambda, fresh);
  }
}

// A guess changes where an iterative solver starts, not where it ends; rows that sit out ignore theirs.
TEST(RowSystem, StartsFromAGuess) {
  Random random(8);
  const Sample s = sample(8, 2, random);
  const std::size_t n = s.rows.rows.size();
  const std::vector<double> compliance(n, 0.0);
  std::vector<double> b(n), exact, lambda;
  for (std::size_t r = 0; r < n; ++r) b[r] = -s.rows.rows[r].error;
  std::vector<RowSystem::Six> motion, right;
  RowSystem system;
  system.load(s.m, s.state, s.rows, s.used);
  (void)system.solve({}, compliance, b, {}, exact, right);
  for (const LinearSolver solver : kLinearSolvers) {
    if (isDirect(solver)) continue;
    LinearBudget budget{solver, static_cast<int>(4 * n), 1e-10};
    budget.guessed = true;
    lambda = exact;
    lambda[1] = 7;  // of the row that sits out
    EXPECT_EQ(system.solve({}, compliance, b, budget, lambda, motion).iterations, 0);
    EXPECT_EQ(lambda[1], 0);
    for (double& x : lambda) x = random.uniform(-1, 1);
    EXPECT_GT(system.solve({}, compliance, b, budget, lambda, motion).iterations, 0);
    for (std::size_t r = 0; r < n; ++r)
      EXPECT_NEAR(lambda[r], exact[r], 1e-6) << nameOf(solver) << r;
    for (std::size_t i = 0; i < motion.size(); ++i)
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(motion[i][k], right[i][k], 1e-7);
  }
}

// Redundant rows that agree are shared; what they ask for is done.
TEST(RowSystem, SharesRedundantRows) {
  Random random(5);
  Sample s = sample(3, 0, random);
  Row twin = s.rows.rows[0];
  twin.asker.number = s.rows.rows.back().asker.number + 1;
  s.rows.rows.push_back(twin);
  s.used.push_back(true);
  std::vector<double> b(s.b.data(), s.b.data() + s.b.size());
  b.push_back(b[0]);
  RowSystem system;
  system.load(s.m, s.state, s.rows, s.used);
  std::vector<double> compliance, lambda;
  for (std::size_t r = 0; r < s.rows.rows.size(); ++r)
    compliance.push_back(1e-10 * system.mobility(r));
  std::vector<RowSystem::Six> moved;
  ASSERT_TRUE(system.solve({}, compliance, b, {}, lambda, moved).finite);
  EXPECT_NEAR(lambda[0], lambda.back(), 1e-4 * std::abs(lambda[0]) + 1e-12);
  double done = 0;
  for (Index k = twin.firstBlock; k < twin.firstBlock + twin.blockCount; ++k)
    for (std::size_t i = 0; i < 6; ++i)
      done += s.rows.blocks[k].J[i] * moved[s.rows.blocks[k].solid][i];
  EXPECT_NEAR(done, b[0], 1e-8);
}

// M + K is kept positive whatever K is, and a K that needs no help is taken as it is.
TEST(RowSystem, ShiftsStiffnessThatIsNotPositive) {
  Random random(6);
  Sample s = sample(4, 0, random);
  RowSystem system;
  system.load(s.m, s.state, s.rows, s.used);
  std::vector<double> compliance(s.rows.rows.size(), 1e-9), lambda;
  const std::vector<double> b(s.b.data(), s.b.data() + s.b.size());
  std::vector<RowSystem::Six> moved;
  for (const double size : {-1e3, -1.0, 0.5, 1e12}) {
    std::vector<StiffnessBlock> K(1);
    for (int i = 0; i < 6; ++i) K[0].K[i][i] = size;
    const LinearReport report = system.solve(K, compliance, b, {}, lambda, moved);
    EXPECT_TRUE(report.finite) << size;
    EXPECT_EQ(report.perturbed, 0u) << size;
  }
}

// Taken as it is, a stiffness may be negative where rows lock: the solution is the dense one, and it is said whether it is a
// least one, that is, whether M + K + Jᵀ C⁻¹ J is positive.
TEST(RowSystem, TakesStiffnessAsItIsAndSaysWhetherTheSolutionIsALeastOne) {
  Random random(8);
  int convex = 0, trials = 60;
  for (int trial = 0; trial < trials; ++trial) {
    Sample s = sample(4, static_cast<int>(random.below(3)), random);
    RowSystem system;
    system.load(s.m, s.state, s.rows, s.used);
    const double size = random.uniform(0.02, 0.5), give = 1e-3;
    Eigen::MatrixXd H = s.M;
    std::vector<StiffnessBlock> K;
    for (Index a = 0; a < 4; ++a)
      for (Index b = a; b < 4 && b <= a + 1; ++b) {
        StiffnessBlock& block = K.emplace_back();
        block.solid1 = a;
        block.solid2 = b;
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j) {
            block.K[i][j] = a == b && j < i ? block.K[j][i] : size * random.uniform(-1, 1);
            const auto row = static_cast<Eigen::Index>(6 * a) + i;
            const auto column = static_cast<Eigen::Index>(6 * b) + j;
            H(row, column) += block.K[i][j];
            if (a != b) H(column, row) += block.K[i][j];
          }
      }
    const std::vector<double> compliance(s.rows.rows.size(), give);
    const std::vector<double> b(s.b.data(), s.b.data() + s.b.size());
    std::vector<double> lambda;
    std::vector<RowSystem::Six> moved;
    LinearBudget budget;
    budget.exact = true;
    const LinearReport report = system.solve(K, compliance, b, budget, lambda, moved);
    ASSERT_TRUE(report.finite);
    const Eigen::MatrixXd whole = H + s.J.transpose() * s.J / give;
    const bool least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(whole).eigenvalues()(0) > 0;
    EXPECT_EQ(report.convex, least) << trial;
    convex += least ? 1 : 0;
    const Eigen::VectorXd right = whole.fullPivLu().solve(s.J.transpose() * s.b / give);
    for (Eigen::Index i = 0; i < right.size(); ++i)
      EXPECT_NEAR(moved[static_cast<std::size_t>(i / 6)][static_cast<std::size_t>(i % 6)], right(i),
                  1e-6 * (1 + right.norm()));
  }
  EXPECT_GT(convex, 5);
  EXPECT_LT(convex, trials - 5);
}

}  // namespace
}  // namespace tenon
