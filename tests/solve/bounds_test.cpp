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
#include "solve/cone.h"
#include "solve/row_bounds.h"

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

// A bound that held is left behind only where it is farther than that.
TEST(LawOfBounds, LetsARowGoThatIsFartherThanWhatIsAllowed) {
  EXPECT_EQ(boundedBy({0, 5e-4, 1, 0, kFar}, Bounded::Inside, 0, 1e-3), Bounded::Inside);
  EXPECT_EQ(boundedBy({0, 2e-3, 1, 0, kFar}, Bounded::Inside, 0, 1e-3), Bounded::AtLower);
  EXPECT_EQ(boundedBy({0, 5e-4, 1, 0, kFar}, Bounded::AtLower, 0, 1e-3), Bounded::AtLower);
  EXPECT_EQ(boundedBy({0, -4.5e-4, 0.1, -1, 4e-3}, Bounded::Inside, 0, 1e-4), Bounded::Inside);
  EXPECT_EQ(boundedBy({0, -6e-4, 0.1, -1, 4e-3}, Bounded::Inside, 0, 1e-4), Bounded::AtUpper);
}

// What is left to do vanishes at the solution and nowhere else, of rows that yield, too: u + c p = 0 inside.
TEST(LawOfBounds, HasAResidualThatVanishesAtTheSolutionOnly) {
  Random random(13);
  int inside = 0, outside = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const double w = random.uniform(0.1, 3), c = trial % 2 == 0 ? 0 : random.uniform(0.1, 2);
    const double q = random.uniform(-2, 2), lower = -random.uniform(0, 1),
                 upper = random.uniform(0, 1);
    const auto at = [&](double p) { return BoundedRow{p, w * p + q + c * p, w + c, lower, upper}; };
    const double p =
        projected(at(random.uniform(-1, 1)));  // of one row the first answer is the last
    EXPECT_NEAR(p, std::clamp(-q / (w + c), lower, upper), 1e-12);
    EXPECT_NEAR(residualOf(at(p)), 0, 1e-12);
    EXPECT_GT(std::abs(residualOf(at(p + 0.01))), 1e-4);
    (boundedBy(at(p)) == Bounded::Inside ? inside : outside) += 1;
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

// Rows come and go, and the list of those that are there has another order each time.
TEST(HeldBounds, AreKnownByTheirKeys) {
  HeldBounds bounds;
  bounds.clear(4);
  EXPECT_FALSE(bounds.takesPart(2, 5e-4, 0));
  EXPECT_FALSE(bounds.takesPart(2, 0, 0));
  EXPECT_FALSE(bounds.takesPart(2, -1e-11, 1e-10));
  EXPECT_TRUE(bounds.takesPart(2, -1e-9, 1e-10));
  EXPECT_TRUE(bounds.see(2, 3));
  EXPECT_FALSE(bounds.see(1, 0));
  EXPECT_FALSE(bounds.see(3, -1));
  for (const Index others : {Index{0}, Index{1}, Index{3}})  // whoever comes before or after it
    EXPECT_FALSE(bounds.takesPart(others, 5e-4, 0));
  EXPECT_TRUE(bounds.takesPart(2, 5e-4, 0));
  EXPECT_FALSE(bounds.takesPart(2, 2e-3, 0));
  bounds.expect(6);
  EXPECT_FALSE(bounds.takesPart(5, 5e-4, 0));
  EXPECT_TRUE(bounds.takesPart(2, 5e-4, 0));
  bounds.holdAll();
  EXPECT_TRUE(bounds.takesPart(5, 5e-4, 0));
  EXPECT_FALSE(bounds.takesPart(5, 2e-3, 0));
  bounds.forget();
  EXPECT_FALSE(bounds.takesPart(2, 5e-4, 0));
}

// ---------------------------------------------------------------------------------------------- cones

ConeAnswer coneOf(const Eigen::Vector3d& y, double friction) {
  ConedRows rows;
  for (int i = 0; i < 3; ++i) rows.push[static_cast<std::size_t>(i)] = y(i);
  rows.friction = friction;
  return coneAt(rows);
}
Eigen::Vector3d pushOf(const ConeAnswer& answer) {
  return {answer.push[0], answer.push[1], answer.push[2]};
}
Eigen::Matrix3d slopeOf(const ConeAnswer& answer) {
  Eigen::Matrix3d slope;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      slope(i, j) = answer.slope[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return slope;
}
Eigen::Vector3d randomPush(Random& random) {
  return {random.uniform(-0.5, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

// No place of the disc is nearer to y_t, of very many that were tried.
TEST(Cone, ProjectsToTheNearestOfTheDiscThatTheNormalAllows) {
  Random random(21);
  int open = 0, sticks = 0, slides = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double friction = random.uniform(0.1, 1.5);
    const Eigen::Vector3d y = randomPush(random);
    const ConeAnswer answer = coneOf(y, friction);
    const Eigen::Vector3d p = pushOf(answer);
    EXPECT_EQ(p(0), std::max(0.0, y(0)));
    const double radius = friction * p(0);
    EXPECT_LE(p.tail<2>().norm(), radius * (1 + 1e-15));
    const double far = (y - p).tail<2>().norm();
    double nearest = kFar;
    for (int a = 0; a < 720; ++a)
      for (int r = 0; r <= 50; ++r) {
        const double angle = a * 3.14159265358979 / 360;
        const Eigen::Vector2d at =
            radius * r / 50 * Eigen::Vector2d(std::cos(angle), std::sin(angle));
        nearest = std::min(nearest, (y.tail<2>() - at).norm());
      }
    EXPECT_LE(far, nearest + 1e-12) << trial;
    EXPECT_LE(nearest, far + 0.03 * radius) << trial;  // as fine as the grid is
    (answer.is == Coned::Open ? open : answer.is == Coned::Sticks ? sticks : slides) += 1;
    EXPECT_EQ(answer.is == Coned::Open, y(0) <= 0);
    EXPECT_EQ(answer.is == Coned::Sticks, y(0) > 0 && far == 0);
  }
  EXPECT_GT(open, 30);
  EXPECT_GT(sticks, 30);
  EXPECT_GT(slides, 30);
}

TEST(Cone, HasTheSlopeOfItsProjection) {
  Random random(22);
  constexpr double kStep = 1e-6;
  int compared = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const double friction = random.uniform(0.1, 1.5);
    const Eigen::Vector3d y = randomPush(random);
    // Not across an edge.
    if (std::abs(y(0)) < 1e-3 || std::abs(y.tail<2>().norm() - friction * y(0)) < 1e-3) continue;
    const Eigen::Matrix3d slope = slopeOf(coneOf(y, friction));
    for (int j = 0; j < 3; ++j) {
      const Eigen::Vector3d d = kStep * Eigen::Vector3d::Unit(j);
      const Eigen::Vector3d known =
          (pushOf(coneOf(y + d, friction)) - pushOf(coneOf(y - d, friction))) / (2 * kStep);
      EXPECT_LT((slope.col(j) - known).cwiseAbs().maxCoeff(), 1e-6) << trial;
    }
    ++compared;
  }
  EXPECT_GT(compared, 400);
}

// Contacts of a normal and two tangents each, u = A p + q, whose normals yield by c. Newton's method on p = P(y),
//   (1 - S + S W⁻¹ A) δ = P(y) - p,   S = ∂P/∂y,
// shorter where it would lead away.
struct ConeProblem {
  Eigen::MatrixXd A;
  Eigen::VectorXd q;
  double friction = 0, give = 0;
};
struct ConeEvaluation {
  Eigen::VectorXd off;    // P(y) - p
  Eigen::MatrixXd slope;  // of Newton's method
  std::vector<Coned> is;
};
ConeEvaluation evaluated(const ConeProblem& problem, const Eigen::VectorXd& p) {
  const auto n = p.size();
  ConeEvaluation out{Eigen::VectorXd(n), Eigen::MatrixXd::Identity(n, n), {}};
  Eigen::MatrixXd A = problem.A;
  for (Eigen::Index c = 0; c < n; c += 3) A(c, c) += problem.give;
  const Eigen::VectorXd u = A * p + problem.q;
  for (Eigen::Index c = 0; c < n; c += 3) {
    ConedRows rows;
    rows.friction = problem.friction;
    for (Eigen::Index i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      rows.push[k] = p(c + i);
      rows.off[k] = u(c + i);
      rows.mobility[k] = i == 0 ? A(c, c) : std::max(A(c + 1, c + 1), A(c + 2, c + 2));
    }
    const ConeAnswer answer = coneAt(rows);
    out.off.segment<3>(c) = pushOf(answer) - p.segment<3>(c);
    out.is.push_back(answer.is);
    const Eigen::Matrix3d S = slopeOf(answer);
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
    for (int i = 0; i < 3; ++i) W(i, i) = 1 / rows.mobility[static_cast<std::size_t>(i)];
    out.slope.block<3, 3>(c, c) -= S;
    out.slope.middleRows<3>(c) += S * W * A.middleRows<3>(c);
  }
  return out;
}
bool solveCones(const ConeProblem& problem, Eigen::VectorXd& p, int& iterations) {
  ConeEvaluation now = evaluated(problem, p);
  for (iterations = 0; iterations < 60; ++iterations) {
    if (now.off.cwiseAbs().maxCoeff() < 1e-12) return true;
    const Eigen::VectorXd step = now.slope.partialPivLu().solve(now.off);
    double part = 1;
    ConeEvaluation next = evaluated(problem, p + step);
    for (int k = 0; k < 5 && next.off.norm() > now.off.norm(); ++k)
      next = evaluated(problem, p + (part *= 0.5) * step);
    p += part * step;
    now = std::move(next);
  }
  return false;
}

// A block on an incline, pulled by gravity along a direction of its own between the tangents. A quarter of a per cent below the
// angle of friction it stays; as much above it slides with (sin - µ cos) g.
TEST(Cone, HoldsABlockOnAnInclineOrLetsItSlide) {
  constexpr double kMass = 2, kGravity = 9.81, kStep = 1.0 / 60, kFriction = 0.5;
  for (const double tangent : {0.2, 0.9975 * kFriction, 1.0025 * kFriction, 1.5})
    for (const double angle : {0.0, 0.4, 2.0}) {
      const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
      const Eigen::Vector2d down(std::cos(angle), std::sin(angle));
      ConeProblem problem;
      problem.A = Eigen::MatrixXd::Identity(3, 3) / kMass;
      problem.friction = kFriction;
      Eigen::Vector3d velocity(0, 0, 0);
      Eigen::VectorXd p = Eigen::VectorXd::Zero(3);
      for (int i = 1; i <= 60; ++i) {
        problem.q = velocity;
        problem.q(0) -= kStep * kGravity * cosine;
        problem.q.tail<2>() += kStep * kGravity * sine * down;
        int iterations = 0;
        ASSERT_TRUE(solveCones(problem, p, iterations));
        EXPECT_LE(iterations, 4);
        velocity = problem.A * p + problem.q;
        const double normal = kMass * kGravity * cosine * kStep;
        EXPECT_NEAR(p(0), normal, 1e-12);
        const double speed = std::max(0.0, sine - kFriction * cosine) * kGravity * kStep * i;
        EXPECT_LT((velocity.tail<2>() - speed * down).norm(), 1e-11) << tangent << " " << i;
        EXPECT_NEAR(velocity(0), 0, 1e-12);
        const double holds = std::min(tangent, kFriction) * normal;
        EXPECT_LT((p.tail<2>() + holds * down).norm(), 1e-11);
      }
    }
}

// One that slides across the incline: friction is against where it gets to, not along a tangent; the normal may yield.
TEST(Cone, BrakesAgainstTheSlipWhateverItsDirection) {
  constexpr double kMass = 2, kFriction = 0.3;
  for (const double give : {0.0, 0.2}) {
    ConeProblem problem;
    problem.A = Eigen::MatrixXd::Identity(3, 3) / kMass;
    problem.friction = kFriction;
    problem.give = give;
    problem.q = Eigen::Vector3d(-0.4, 0.3, -0.2);
    Eigen::VectorXd p = Eigen::VectorXd::Zero(3);
    int iterations = 0;
    ASSERT_TRUE(solveCones(problem, p, iterations));
    const double normal = 0.4 / (1 / kMass + give);
    EXPECT_NEAR(p(0), normal, 1e-12);
    const Eigen::Vector2d slip = problem.q.tail<2>();
    EXPECT_LT((p.tail<2>() + kFriction * normal * slip.normalized()).norm(), 1e-12);
  }
}

// Several contacts that move each other: Coulomb's conditions in space.
TEST(Cone, MeetsCoulombsConditions) {
  constexpr double kFriction = 0.6;
  Random random(23);
  int sticks = 0, slides = 0, opens = 0, most = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const int contacts = 1 + trial % 4;
    const BoundedProblem made = randomProblem(random, 3 * contacts, 1);
    ConeProblem problem;
    problem.A = made.A;
    problem.q = made.q;
    problem.friction = kFriction;
    problem.give = trial % 3 == 0 ? 0.3 : 0;
    Eigen::VectorXd p = Eigen::VectorXd::Zero(3 * contacts);
    int iterations = 0;
    ASSERT_TRUE(solveCones(problem, p, iterations)) << trial;
    most = std::max(most, iterations);
    const Eigen::VectorXd u = problem.A * p + problem.q;
    for (int c = 0; c < 3 * contacts; c += 3) {
      const double pn = p(c), un = u(c) + problem.give * pn;
      const Eigen::Vector2d pt = p.segment<2>(c + 1), ut = u.segment<2>(c + 1);
      EXPECT_GE(pn, -1e-10);
      EXPECT_GE(un, -1e-10);
      EXPECT_NEAR(pn * un, 0, 1e-9);
      EXPECT_LE(pt.norm(), kFriction * pn + 1e-10);
      if (pn < 1e-9) {
        ++opens;
      } else if (ut.norm() > 1e-9) {
        EXPECT_LT((pt + kFriction * pn * ut.normalized()).norm(), 1e-8);
        ++slides;
      } else {
        ++sticks;
      }
    }
  }
  EXPECT_GT(sticks, 50);
  EXPECT_GT(slides, 50);
  EXPECT_GT(opens, 50);
  EXPECT_LT(most, 40);
}

// Lanes stand where rows stand.
TEST(LawOfBounds, StandsInLanesAsItDoesInRows) {
  Random random(7);
  int seen[3] = {};
  for (int k = 0; k < 2000; ++k) {
    BoundedRow row;
    row.push = random.uniform() - 0.5;
    row.off = random.uniform() - 0.5;
    row.mobility = 0.1 + random.uniform();
    row.lower = -random.uniform();
    row.upper = random.uniform();
    const double slack = 0.3 * random.uniform();
    const int was = static_cast<int>(3 * random.uniform());
    const auto of = static_cast<Bounded>(was);
    const Bounded is = boundedBy(row, of, slack);
    ++seen[static_cast<int>(is)];
    EXPECT_EQ(standing(wishOf(row), was - 1.0, row.lower, row.upper, slack / row.mobility, 1.0),
              static_cast<double>(is) - 1);
  }
  for (const int count : seen) EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace tenon
