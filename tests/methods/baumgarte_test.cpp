// Poles and gains: closed forms, recurrences of the errors, the engine itself, and a mass-spring system
// brought to rest.
#include <tenon/control_poles.h>

#include <Eigen/Dense>
#include <algorithm>

#include "math/random.h"
#include "moving.h"

namespace tenon::test {
namespace {

using Complex = std::complex<double>;

TEST(Feedback, GainsHaveThePolesThatWereAskedFor) {
  const auto pair = gainsFromPoles({-3, 4}, {-3, -4});
  ASSERT_TRUE(pair.ok());
  EXPECT_NEAR(pair->alpha, 3, 1e-14);
  EXPECT_NEAR(pair->beta, 5, 1e-14);
  const auto real = gainsFromPoles(-2, -8);
  ASSERT_TRUE(real.ok());
  EXPECT_NEAR(real->alpha, 5, 1e-14);
  EXPECT_NEAR(real->beta, 4, 1e-14);
  // Jeon's figure 1: α = β = 4, K = (16, 8), both poles at -4.
  const auto equal = gainsFromPoles(-4, -4);
  ASSERT_TRUE(equal.ok());
  EXPECT_EQ(equal->alpha, 4);
  EXPECT_EQ(equal->beta, 4);
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const FeedbackGains gains{random.uniform(0.1, 9), random.uniform(0.1, 9)};
    const auto poles = polesOf(gains);
    for (const Complex& s : poles)  // s² + 2α s + β² = 0
      EXPECT_LT(std::abs(s * s + 2 * gains.alpha * s + gains.beta * gains.beta), 1e-12);
    const auto back = gainsFromPoles(poles[1], poles[0]);
    ASSERT_TRUE(back.ok());
    EXPECT_NEAR(back->alpha, gains.alpha, 1e-12);
    EXPECT_NEAR(back->beta, gains.beta, 1e-12);
  }
  EXPECT_FALSE(gainsFromPoles({-1, 2}, {-1, 2}).ok());
  EXPECT_FALSE(gainsFromPoles({-1, 2}, {-2, -2}).ok());
  EXPECT_FALSE(gainsFromPoles(-1, 0).ok());
  EXPECT_FALSE(gainsFromPoles({1, 2}, {1, -2}).ok());
}

// One step of the error equation, Y = (Φ, Φ̇).
Eigen::Vector2d recurrence(Integrator integrator, const FeedbackGains& gains, double h,
                           const Eigen::Vector2d& Y) {
  const auto slope = [&](const Eigen::Vector2d& y) {
    return Eigen::Vector2d(y[1], -gains.beta * gains.beta * y[0] - 2 * gains.alpha * y[1]);
  };
  const Eigen::Vector2d k1 = slope(Y);
  if (integrator == Integrator::Euler) return Y + h * k1;
  const Eigen::Vector2d k2 = slope(Y + 0.5 * h * k1), k3 = slope(Y + 0.5 * h * k2),
                        k4 = slope(Y + h * k3);
  return Y + (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
}

// Over (αh, βh): in the long run the recurrence multiplies errors by the growth.
TEST(Feedback, GrowthIsThatOfTheErrorRecurrence) {
  Random random(4);
  int fading = 0, growing = 0;
  for (const Integrator integrator : {Integrator::Euler, Integrator::Rk4})
    for (int i = 0; i < 400; ++i) {
      const FeedbackGains gains{random.uniform(0.01, 3.2), random.uniform(0.01, 3.2)};
      const double growth = errorGrowth(integrator, gains, 1);
      if (std::abs(growth - 1) < 0.02) continue;
      Eigen::Vector2d Y(1, 0.3);
      double logarithm = 0;  // of |Y|, which is scaled to 1 again and again
      for (int n = 0; n < 2000; ++n) {
        Y = recurrence(integrator, gains, 1, Y);
        logarithm += std::log(Y.norm());
        Y.normalize();
      }
      (growth < 1 ? fading : growing) += 1;
      EXPECT_NEAR(std::exp(logarithm / 2000), growth, 0.01 * growth)
          << gains.alpha << " " << gains.beta;
      if (integrator == Integrator::Euler) {  // the region in closed form
        const double a = gains.alpha, b2 = gains.beta * gains.beta;
        EXPECT_EQ(growth < 1, b2 < 2 * a && b2 > 4 * a - 4 && b2 > 0) << a << " " << b2;
      }
    }
  EXPECT_GT(fading, 100);
  EXPECT_GT(growing, 100);
}

TEST(Feedback, StepsAreStableUpToTheEndOfTheRegion) {
  // Equal gains: |1 - αh| < 1 for Euler; the real axis up to -2.785 for Runge-Kutta.
  EXPECT_NEAR(largestStableStep(Integrator::Euler, {8, 8}), 0.25, 1e-12);
  EXPECT_NEAR(largestStableStep(Integrator::Rk4, {8, 8}), 2.7852935634 / 8, 1e-9);
  // β > α: h < 2α/β²; β < α: h < 2/(α + √(α² - β²)).
  EXPECT_NEAR(largestStableStep(Integrator::Euler, {3, 5}), 6.0 / 25, 1e-12);
  EXPECT_NEAR(largestStableStep(Integrator::Euler, {5, 4}), 2.0 / 8, 1e-12);
  EXPECT_EQ(errorGrowth(Integrator::Euler, {10, 10}, 0.1), 0);  // gone after two steps
}

TEST(Feedback, IsWarnedOfWithARemedyThatWorks) {
  StepSettings settings;
  settings.method = Method::Baumgarte;
  settings.integrator = Integrator::Euler;
  EXPECT_TRUE(checkFeedback(settings, 0.1).empty());  // 1/dt
  settings.feedback.alpha = 30;
  EXPECT_TRUE(checkFeedback(settings, 0.05).empty());
  const auto problems = checkFeedback(settings, 0.1);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Severity::Warning);
  EXPECT_EQ(problems[0].what,
            "alpha 30/s and beta 30/s with steps of 0.1 s make joint errors grow by a factor of 2 "
            "per step");
  EXPECT_EQ(problems[0].remedy,
            "choose steps below 0.06667 s, or leave alpha and beta at 1/dt = 10/s");
  EXPECT_TRUE(checkFeedback(settings, 0.0666).empty());
  settings.method = Method::Implicit;
  EXPECT_TRUE(checkFeedback(settings, 0.1).empty());
}

// A linear constraint, a point held in a plane: the engine's errors are the recurrence, to rounding.
TEST(Baumgarte, ErrorsFollowTheRecurrence) {
  for (const Integrator integrator : {Integrator::Euler, Integrator::Rk4})
    for (const double alpha : {5.0, 15.0, 21.0}) {
      Moving p(R"(
gravity 0 -9.81 0;
solid bead point-mass; mass 2; at 0 0.5 0; velocity 1 -2 0; end
joint point-on-plane sheet object2 bead; point1 0 0 0; axis1 0 1 0; point2 0 0 0; end
)");
      p.settings.method = Method::Baumgarte;
      p.settings.integrator = integrator;
      p.settings.feedback.alpha = alpha;
      p.settings.feedback.beta = 1.2 * alpha;
      Eigen::Vector2d Y(0.5, -2);
      for (int i = 0; i < 60; ++i) {
        if (std::abs(p.state.position[0].y) > 10)
          break;  // beyond 100 m a step is refused as blown up
        ASSERT_TRUE(p.step(0.1));
        Y = recurrence(integrator, {alpha, 1.2 * alpha}, 0.1, Y);
        ASSERT_NEAR(p.state.position[0].y, Y[0], 1e-6 * (1 + Y.norm())) << alpha << " " << i;
      }
      const bool fades = errorGrowth(integrator, gainsOf(p.settings, 0.1), 0.1) < 1;
      EXPECT_EQ(std::abs(p.state.position[0].y) < 0.5, fades) << alpha;
    }
}

// ---------------------------------------------------------------------------------- state feedback

std::vector<Complex> eigenvalues(const StateSpace& system, const std::vector<double>& K) {
  const Eigen::Index n = system.size;
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      A(i, j) = system.A[static_cast<std::size_t>(i * n + j)] -
                system.B[static_cast<std::size_t>(i)] * K[static_cast<std::size_t>(j)];
  const Eigen::VectorXcd values = A.eigenvalues();
  return {values.data(), values.data() + n};
}

TEST(StateFeedback, PlacesThePolesOfOneMassByMatchingCoefficients) {
  // m s² + (d + k_c K_2) s + (k + k_c K_1) = m (s² + 4 s + 5)
  const double mass[] = {2}, damping[] = {0.3}, stiffness[] = {7}, input[] = {4};
  const StateSpace system = springSystem(mass, damping, stiffness, input);
  const Complex poles[] = {{-2, 1}, {-2, -1}};
  const auto K = placePoles(system, poles);
  ASSERT_TRUE(K.ok());
  EXPECT_NEAR((*K)[0], (2 * 5 - 7) / 4.0, 1e-12);
  EXPECT_NEAR((*K)[1], (2 * 4 - 0.3) / 4.0, 1e-12);
}

TEST(StateFeedback, PlacesThePolesOfRandomMassSpringChains) {
  Random random(6);
  for (int trial = 0; trial < 40; ++trial) {
    const auto n = static_cast<std::size_t>(1 + random.below(4));
    std::vector<double> mass(n), damping(n * n, 0), stiffness(n * n, 0), input(n, 0);
    for (double& m : mass) m = random.uniform(0.5, 3);
    for (std::size_t i = 0; i < n; ++i) {  // spring i holds mass i on the one before, or the wall
      const double k = random.uniform(1, 20), d = random.uniform(0, 1);
      for (auto [matrix, value] : {std::pair{&damping, d}, std::pair{&stiffness, k}}) {
        (*matrix)[i * n + i] += value;
        if (i == 0) continue;
        (*matrix)[(i - 1) * n + i - 1] += value;
        (*matrix)[i * n + i - 1] -= value;
        (*matrix)[(i - 1) * n + i] -= value;
      }
    }
    input[n - 1] = random.uniform(0.5, 2);
    const StateSpace system = springSystem(mass, damping, stiffness, input);
    std::vector<Complex> poles;
    for (std::size_t i = 0; i < n; ++i) {
      const double a = -random.uniform(0.5, 4), b = random.uniform(0.2, 3);
      if (i % 2 == 0) {
        poles.insert(poles.end(), {{a, b}, {a, -b}});
      } else {
        poles.insert(poles.end(), {a, a - b});
      }
    }
    const auto K = placePoles(system, poles);
    ASSERT_TRUE(K.ok()) << trial;
    std::vector<Complex> got = eigenvalues(system, *K);
    for (const Complex& want : poles) {  // each is there, once
      const auto nearest = std::min_element(got.begin(), got.end(), [&](Complex a, Complex b) {
        return std::abs(a - want) < std::abs(b - want);
      });
      EXPECT_LT(std::abs(*nearest - want), 1e-5) << trial;
      got.erase(nearest);
    }
  }
}

TEST(StateFeedback, SaysWhatCannotBePlaced) {
  // Two equal masses on equal springs to the wall, pushed alike: their difference is out of reach.
  const double mass[] = {1, 1}, damping[] = {0, 0, 0, 0}, stiffness[] = {3, 0, 0, 3},
               input[] = {1, 1};
  const StateSpace system = springSystem(mass, damping, stiffness, input);
  const Complex poles[] = {-1, -2, -3, -4}, odd[] = {{-1, 1}, -2, -3, -4};
  const auto K = placePoles(system, poles);
  ASSERT_FALSE(K.ok());
  EXPECT_EQ(K.problems()[0].what, "the input reaches 2 of 4 states");
  EXPECT_FALSE(placePoles(system, std::span(poles).first(3)).ok());
  const double one[] = {1, 0};
  EXPECT_FALSE(placePoles(springSystem(mass, damping, stiffness, one), odd).ok());
}

// Two masses between springs in the engine, a force on the second: u = -K Q, held over each step, brings
// them to rest at the rate of the slowest pole.
TEST(StateFeedback, BringsMassesOnSpringsToRestAtThePredictedRate) {
  Moving p(R"(
gravity 0 0 0;
solid a point-mass; mass 1; at 1 0 0; end
solid b point-mass; mass 2; at 2 0 0; end
spring left object2 a; rest 1; stiffness 30; end
spring right object1 a; object2 b; rest 1; stiffness 20; damping 0.1; end
force pull object b; vector 1 0 0; end
)");
  const double mass[] = {1, 2}, stiffness[] = {50, -20, -20, 20},
               damping[] = {0.1, -0.1, -0.1, 0.1}, input[] = {0, 1};
  const Complex poles[] = {-1, {-6, 2}, {-6, -2}, -7};
  const auto K = placePoles(springSystem(mass, damping, stiffness, input), poles);
  ASSERT_TRUE(K.ok());
  p.settings.method = Method::Poststabilized;
  p.state.position[0].x += 0.1;
  p.state.velocity[1].x = 0.5;
  const auto run = [&](double time) {
    const double dt = 1e-4;
    for (long i = 0; i < std::lround(time / dt); ++i) {
      const double Q[] = {p.state.position[0].x - 1, p.state.position[1].x - 2,
                          p.state.velocity[0].x, p.state.velocity[1].x};
      double u = 0;
      for (std::size_t k = 0; k < 4; ++k) u -= (*K)[k] * Q[k];
      p.m.forces[0].force = {u, 0, 0};
      EXPECT_TRUE(p.step(dt));
    }
    return std::abs(p.state.position[1].x - 2) + std::abs(p.state.velocity[1].x);
  };
  const double early = run(2.5);
  EXPECT_GT(early, 1e-4);
  EXPECT_NEAR(run(3) / early, std::exp(-3.0), 0.02 * std::exp(-3.0));
}

}  // namespace
}  // namespace tenon::test
