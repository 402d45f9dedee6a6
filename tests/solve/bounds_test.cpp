// The law of bounds on small linear problems u = A p + q, against every set of rows that may hold, and against cones that
// have closed forms.
#include "solve/bounds.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "math/random.h"

namespace tenon {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

struct BoundedProblem {
  Eigen::MatrixXd A;
  Eigen::VectorXd q, lower, upper;
  // Friction: the bounds of row r are ±µ p of row `presses[r]`; -1: they are those above.
  std::vector<int> presses;
  double friction = 0;
};

// As the methods do it: rows that hold are solved for, the others are at their bounds; until none changes.
struct Outcome {
  bool done = false;
  int iterations = 0;
  Eigen::VectorXd p;
};
Outcome solved(const BoundedProblem& problem) {
  const auto n = problem.q.size();
  Outcome out;
  out.p = Eigen::VectorXd::Zero(n);
  std::vector<Bounded> is(static_cast<std::size_t>(n), Bounded::Inside);
  std::vector<int> changes(static_cast<std::size_t>(n), 0);
  for (int calm = 0; out.iterations < 60; ++out.iterations) {
    const Eigen::VectorXd u = problem.A * out.p + problem.q;
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n);  // of what is added to p
    bool changed = false;
    double worst = 0;
    for (Eigen::Index r = 0; r < n; ++r) {
      const auto i = static_cast<std::size_t>(r);
      const double w = problem.A(r, r);
      double lower = problem.lower(r), upper = problem.upper(r);
      if (problem.presses[i] >= 0) {
        upper = problem.friction * std::max(0.0, out.p(problem.presses[i]));
        lower = -upper;
      }
      const Bounded now = boundedBy({out.p(r), u(r), w, lower, upper}, is[i], 1e-13);
      if (now != is[i]) ++changes[i], changed = true;
      is[i] = now;
    }
    calm = changed ? 0 : calm + 1;
    for (Eigen::Index r = 0; r < n; ++r) {
      const auto i = static_cast<std::size_t>(r);
      double lower = problem.lower(r), upper = problem.upper(r);
      if (problem.presses[i] >= 0) {
        upper = problem.friction * std::max(0.0, out.p(problem.presses[i]));
        lower = -upper;
      }
      if (is[i] == Bounded::Inside) {
        M.row(r) = problem.A.row(r);
        M(r, r) += looseness(changes[i], calm) * problem.A(r, r);
        right(r) = -u(r);
      } else {
        right(r) = (is[i] == Bounded::AtLower ? lower : upper) - out.p(r);
      }
      worst = std::max(worst, std::abs(right(r)));
    }
    if (!changed && worst < 1e-12) {
      out.done = true;
      return out;
    }
    out.p += M.partialPivLu().solve(right);
  }
  return out;
}

// Every set of rows inside, at lower and at upper bounds: the one that is consistent.
bool bruteForce(const BoundedProblem& problem, Eigen::VectorXd& found) {
  const auto n = static_cast<int>(problem.q.size());
  int sets = 1;
  for (int i = 0; i < n; ++i) sets *= 3;
  for (int set = 0; set < sets; ++set) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd right(n);
    std::array<int, 8> at{};
    bool possible = true;
    for (int r = 0, rest = set; r < n; ++r, rest /= 3) {
      at[static_cast<std::size_t>(r)] = rest % 3;
      if (rest % 3 == 1) {
        M.row(r) = problem.A.row(r);
        right(r) = -problem.q(r);
      } else {
        right(r) = rest % 3 == 0 ? problem.lower(r) : problem.upper(r);
        possible = possible && std::isfinite(right(r));
      }
    }
    if (!possible) continue;
    const Eigen::VectorXd p = M.partialPivLu().solve(right), u = problem.A * p + problem.q;
    for (int r = 0; r < n; ++r) {
      const int where = at[static_cast<std::size_t>(r)];
      if (where == 1) possible = possible && p(r) >= problem.lower(r) && p(r) <= problem.upper(r);
      if (where == 0) possible = possible && u(r) >= 0;
      if (where == 2) possible = possible && u(r) <= 0;
    }
    if (!possible) continue;
    found = p;
    return true;
  }
  return false;
}

BoundedProblem randomProblem(Random& random, int n, double own) {
  BoundedProblem problem;
  Eigen::MatrixXd B(n, n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) B(r, c) = random.uniform(-1, 1);
  problem.A = B * B.transpose() + own * Eigen::MatrixXd::Identity(n, n);
  problem.q.resize(n);
  problem.lower.resize(n);
  problem.upper.resize(n);
  for (int r = 0; r < n; ++r) {
    problem.q(r) = random.uniform(-1, 1);
    const double kind = random.uniform(0, 3);
    problem.lower(r) = kind < 1 ? 0 : kind < 2 ? -random.uniform(0, 1) : -kFar;
    problem.upper(r) = kind < 1 ? kFar : random.uniform(0, 1);
  }
  problem.presses.assign(static_cast<std::size_t>(n), -1);
  return problem;
}

TEST(LawOfBounds, FindsTheOneSetOfRowsThatIsConsistent) {
  Random random(11);
  int most = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const BoundedProblem problem = randomProblem(random, 1 + trial % 6, 0.05);
    Eigen::VectorXd known;
    ASSERT_TRUE(bruteForce(problem, known)) << trial;
    const Outcome out = solved(problem);
    ASSERT_TRUE(out.done) << trial;
    most = std::max(most, out.iterations);
    EXPECT_LT((out.p - known).cwiseAbs().maxCoeff(), 1e-8) << trial;
  }
  EXPECT_LT(most, 40);
}

// Contacts of a normal and a tangent each: Coulomb's conditions hold. The bound of a tangent follows the normal of the
// iteration before, which converges where the normals do not depend too much on the tangents.
TEST(LawOfBounds, MeetsCoulombsConditions) {
  Random random(12);
  int sticks = 0, slides = 0, opens = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const int contacts = 1 + trial % 3;
    BoundedProblem problem = randomProblem(random, 2 * contacts, 0.5);
    problem.friction = 0.3;
    for (int c = 0; c < contacts; ++c) {
      problem.lower(2 * c) = 0;
      problem.upper(2 * c) = kFar;
      problem.presses[static_cast<std::size_t>(2 * c + 1)] = 2 * c;
    }
    const Outcome out = solved(problem);
    ASSERT_TRUE(out.done) << trial;
    const Eigen::VectorXd u = problem.A * out.p + problem.q;
    for (int c = 0; c < contacts; ++c) {
      const double pn = out.p(2 * c), pt = out.p(2 * c + 1), un = u(2 * c), ut = u(2 * c + 1);
      EXPECT_GE(pn, -1e-10);
      EXPECT_GE(un, -1e-10);
      EXPECT_NEAR(pn * un, 0, 1e-9);
      EXPECT_LE(std::abs(pt), 0.3 * pn + 1e-10);
      if (pn < 1e-9) {
        ++opens;
      } else if (std::abs(ut) > 1e-9) {
        EXPECT_NEAR(pt, ut > 0 ? -0.3 * pn : 0.3 * pn, 1e-9);
        ++slides;
      } else {
        ++sticks;
      }
    }
  }
  EXPECT_GT(sticks, 50);
  EXPECT_GT(slides, 50);
  EXPECT_GT(opens, 50);
}

// A block on a slope: it holds below the angle of friction, and slides with µ N above.
TEST(LawOfBounds, HoldsABlockBelowTheAngleOfFriction) {
  for (const double tangent : {0.29, 0.31}) {
    BoundedProblem problem;
    problem.A = Eigen::MatrixXd::Identity(2, 2);
    problem.q = Eigen::Vector2d(-1, tangent);
    problem.lower = Eigen::Vector2d(0, 0);
    problem.upper = Eigen::Vector2d(kFar, 0);
    problem.presses = {-1, 0};
    problem.friction = 0.3;
    const Outcome out = solved(problem);
    ASSERT_TRUE(out.done);
    EXPECT_NEAR(out.p(0), 1, 1e-12);
    EXPECT_NEAR(out.p(1), -std::min(tangent, 0.3), 1e-12);
  }
}

// Rounding does not make a row come and go.
TEST(LawOfBounds, LeavesARowAloneThatIsOffByLessThanTheSlack) {
  EXPECT_EQ(boundedBy({0, -1e-12, 1, 0, kFar}, Bounded::AtLower, 1e-10), Bounded::AtLower);
  EXPECT_EQ(boundedBy({0, -1e-9, 1, 0, kFar}, Bounded::AtLower, 1e-10), Bounded::Inside);
  EXPECT_EQ(boundedBy({1e-12, 0, 1, 0, kFar}, Bounded::Inside, 1e-10), Bounded::Inside);
  EXPECT_EQ(boundedBy({-1e-12, 0, 1, 0, kFar}, Bounded::Inside, 1e-10), Bounded::AtLower);
}

}  // namespace
}  // namespace tenon
