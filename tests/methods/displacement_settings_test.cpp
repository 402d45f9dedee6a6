// What Faure left for later, measured: guesses for the linear solver, corrected accelerations, weights.
// Each helps somewhere and harms elsewhere, and so none is on unless it is asked for.   [Faure1998 §5]
#include <algorithm>
#include <cstdlib>

#include "moving.h"

namespace tenon::test {
namespace {

Moving displacedChain() {
  Moving p = freeChain();
  p.settings.method = Method::Displacement;
  return p;
}

// Twenty links let go sideways, by conjugate gradients.
Moving chainOfTwenty() {
  Moving p(chainText(20, true, "gravity 0 -9.81 0;", 0.1, 0.03));
  p.settings.method = Method::Displacement;
  p.settings.linear.solver = LinearSolver::Cg;
  return p;
}

// The mean over two seconds of the largest joint error; infinite if it blows up.
double meanError(Moving& p, double dt) {
  const long steps = std::lround(2 / dt);
  double sum = 0;
  for (long i = 0; i < steps; ++i) {
    if (!p.step(dt)) return kInfinity;
    sum += p.error();
  }
  return sum / static_cast<double>(steps);
}

double errorOf(const Moving& p, Index joint) {
  Rows rows;
  emitJointRows(p.m, p.control, p.state, joint, rows);
  double most = 0;
  for (const Row& row : rows.rows) most = std::max(most, std::abs(row.error));
  return most;
}

// "Constant up to roundoff" [Faure1998 §4.2] is not what the scheme does: the energy of a free chain goes
// away, with joints and linear momentum right to rounding.
TEST(Displacement, LosesMostOfTheEnergyOfAFreeChain) {
  Moving p = displacedChain();
  const double energy = p.energy();
  const Momentum before = momentum(p.m, p.state);
  const long steps = std::getenv("TENON_CASES") != nullptr ? 100000 : 20000;
  for (long i = 0; i < steps; ++i) ASSERT_TRUE(p.step(1.0 / 60));
  EXPECT_LT(p.error(), 1e-9);
  EXPECT_LT(p.energy(), 0.2 * energy);
  const Momentum after = momentum(p.m, p.state);
  EXPECT_LT(norm(after.linear - before.linear), 1e-6 * p.m.solids[0].mass);
  std::printf(
      "displacement, free chain, %ld steps: energy %.4f of the start, angular momentum %.3f\n",
      steps, p.energy() / energy, norm(after.angular) / norm(before.angular));
}

// Accelerations that the joints have corrected leave errors of the third order to put right instead of
// the second …
TEST(DisplacementSettings, CorrectedAccelerationsLeaveErrorsOfTheThirdOrder) {
  for (const bool accelerate : {false, true}) {
    double last = 0;
    for (const double dt : {0.01, 0.005, 0.0025}) {
      Moving p = displacedChain();
      p.settings.displacement.accelerate = accelerate;
      p.settings.tolerance = 1e-13;
      ASSERT_TRUE(p.run(0.5, dt));
      p.settings.tolerance = kInfinity;  // leave it as it comes
      ASSERT_TRUE(p.step(dt));
      if (last > 0) {
        EXPECT_NEAR(last / p.error(), accelerate ? 8 : 4, 0.2) << accelerate << dt;
      }
      last = p.error();
    }
  }
}

// … so that fewer iterations do; and as most of the joints' forces then act along the rows of the step's
// start, as in Shake, the energy stays: 0.25 % lost instead of 93 % after 6000 steps.
TEST(DisplacementSettings, CorrectedAccelerationsKeepTheEnergyOfAFreeChain) {
  Moving plain = displacedChain(), corrected = displacedChain();
  corrected.settings.displacement.accelerate = true;
  const double energy = plain.energy();
  ASSERT_TRUE(plain.run(100, 1.0 / 60));
  ASSERT_TRUE(corrected.run(100, 1.0 / 60));
  EXPECT_LT(plain.energy(), 0.1 * energy);
  EXPECT_NEAR(corrected.energy(), energy, 0.005 * energy);
  EXPECT_LT(corrected.error(), 1e-9);
}

// With thirty linear iterations a step: 15 for accelerations and 15 for positions hold a chain of twenty
// that 30 for positions let go. At twice the step they blow it up.
TEST(DisplacementSettings, CorrectedAccelerationsHoldWithFewIterationsWhileStepsAreShort) {
  Moving plain = chainOfTwenty(), corrected = chainOfTwenty(), large = chainOfTwenty();
  for (Moving* p : {&plain, &corrected, &large}) p->settings.iterations = 1;
  plain.settings.linear.iterations = 30;
  corrected.settings.linear.iterations = large.settings.linear.iterations = 15;
  corrected.settings.displacement.accelerate = large.settings.displacement.accelerate = true;
  EXPECT_GT(meanError(plain, 1.0 / 120), 0.1);
  EXPECT_LT(meanError(corrected, 1.0 / 120), 2e-3);
  EXPECT_GT(meanError(large, 1.0 / 60), 1);
  EXPECT_LE(corrected.linearIterations, 30 * 240);
}

// A guess saves a solver that runs to its end nothing: multipliers of displacements differ too much from
// step to step.
TEST(DisplacementSettings, GuessesSaveNoIterationsOfAFullSolve) {
  Moving cold = chainOfTwenty(), warm = chainOfTwenty();
  warm.settings.displacement.guess = true;
  const double coldError = meanError(cold, 1.0 / 120), warmError = meanError(warm, 1.0 / 120);
  EXPECT_LT(coldError, 1e-9);
  EXPECT_LT(warmError, 1e-9);
  EXPECT_NEAR(static_cast<double>(warm.linearIterations),
              static_cast<double>(cold.linearIterations),
              0.03 * static_cast<double>(cold.linearIterations));
  EXPECT_LT(norm(cold.state.position[19] - warm.state.position[19]), 1e-6);  // the same motion
}

// One that is cut short gets further with it while steps are short, for positions and more so for
// accelerations; at long steps it gets less far.
TEST(DisplacementSettings, GuessesHelpAShortSolveWhileStepsAreShort) {
  const auto error = [](bool guess, double dt) {
    Moving p = chainOfTwenty();
    p.settings.iterations = 2;
    p.settings.linear.iterations = 15;
    p.settings.displacement.guess = guess;
    return meanError(p, dt);
  };
  EXPECT_LT(error(true, 1.0 / 240), error(false, 1.0 / 240) / 4);
  EXPECT_GT(error(true, 1.0 / 60), error(false, 1.0 / 60));
  const auto accelerated = [](bool guess) {
    Moving p = chainOfTwenty();
    p.settings.iterations = 1;
    p.settings.linear.iterations = 8;
    p.settings.displacement.accelerate = true;
    p.settings.displacement.guess = guess;
    return meanError(p, 1.0 / 240);
  };
  EXPECT_LT(accelerated(true), accelerated(false) / 3);
}

// A joint of weight five converges first under a budget, at the expense of the others; full solves come
// out the same.
TEST(DisplacementSettings, WeightsDecideWhichErrorsGoFirst) {
  const auto errors = [](bool weighted, int linearIterations) {
    Moving p = chainOfTwenty();
    p.m.joints[0].weight = 5;
    p.settings.iterations = 1;
    p.settings.linear.iterations = linearIterations;
    p.settings.displacement.weighted = weighted;
    double heavy = 0, others = 0;
    for (int i = 0; i < 240; ++i) {
      EXPECT_TRUE(p.step(1.0 / 240));
      heavy += errorOf(p, 0);
      for (Index j = 1; j < 20; ++j) others += errorOf(p, j) / 19;
    }
    return std::pair{heavy / 240, others / 240};
  };
  const auto plain = errors(false, 15), weighted = errors(true, 15);
  EXPECT_LT(weighted.first, plain.first / 3);
  EXPECT_GT(weighted.second, plain.second);
  EXPECT_LT(weighted.second, 2 * plain.second);
  Moving one = chainOfTwenty(), other = chainOfTwenty();
  one.settings.linear.solver = other.settings.linear.solver = LinearSolver::Direct;
  other.m.joints[0].weight = 5;
  other.settings.displacement.weighted = true;
  ASSERT_TRUE(one.run(0.5, 1.0 / 240) && other.run(0.5, 1.0 / 240));
  EXPECT_LT(norm(one.state.position[19] - other.state.position[19]), 1e-8);
  EXPECT_NEAR(other.state.multiplier[0], one.state.multiplier[0],
              1e-6 * std::abs(one.state.multiplier[0]));
}

// What a guess comes from is in the state: scratch memory may be thrown away between steps.
TEST(DisplacementSettings, RememberNothingOutsideTheState) {
  for (const bool accelerate : {false, true}) {
    Moving kept = chainOfTwenty(), fresh = chainOfTwenty(), forgetful = chainOfTwenty();
    for (Moving* p : {&kept, &fresh, &forgetful}) {
      p->settings.displacement.guess = p->settings.displacement.weighted = true;
      p->settings.displacement.accelerate = accelerate;
      p->settings.iterations = 1;
      p->settings.linear.iterations = 8;
    }
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(kept.step(1.0 / 240));
      fresh.scratch = StepScratch();
      ASSERT_TRUE(fresh.step(1.0 / 240));
      std::fill(forgetful.state.multiplier.begin(), forgetful.state.multiplier.end(), 0.0);
      ASSERT_TRUE(forgetful.step(1.0 / 240));
    }
    EXPECT_EQ(differenceOf(kept.state, fresh.state), "");
    EXPECT_NE(stateHash(kept.state), stateHash(forgetful.state));  // it does use them
  }
}

}  // namespace
}  // namespace tenon::test
