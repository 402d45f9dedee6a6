// Gascuel's animation: steps taken back, the cap, rolling, and how many corrections it takes.
#include <algorithm>
#include <cstdio>

#include "moving.h"

namespace tenon::test {
namespace {

Moving relaxed(const std::string& text) {
  Moving p(text);
  p.settings.method = Method::Relaxation;
  return p;
}

// A top that would turn by 1.33 rad in a step: the step is made in four, to the same bits as four steps.
TEST(Relaxation, TakesAStepBackWhereARotationIsTooLarge) {
  const std::string top = "gravity 0 0 0; solid a box 0.1 0.2 0.4; spin 0 40 3; end";
  Moving whole = relaxed(top), quarters = relaxed(top), any = relaxed(top);
  any.settings.relaxation.largestTurn = 0;
  ASSERT_TRUE(whole.step(1.0 / 32));
  EXPECT_EQ(whole.report.halvings, 3);  // 1.25, twice 0.63
  ASSERT_TRUE(quarters.run(1.0 / 32, 1.0 / 128));
  EXPECT_EQ(quarters.halvings, 0);
  EXPECT_EQ(differenceOf(whole.state, quarters.state), "");
  ASSERT_TRUE(any.step(1.0 / 32));
  EXPECT_EQ(any.report.halvings, 0);
  EXPECT_NE(stateHash(any.state), stateHash(whole.state));
  // However fast: a step ends.
  Moving mad = relaxed("gravity 0 0 0; solid a sphere 0.1; spin 0 1e9 0; end");
  ASSERT_TRUE(mad.step(0.01));
  EXPECT_EQ(mad.report.halvings, 31);
  EXPECT_NEAR(mad.state.time, 0.01, 1e-15);
}

// Two hooks too far apart for what hangs on them: it warns and goes on, or stops where it was.
TEST(Relaxation, GoesOnOrStopsAtItsCap) {
  const std::string text = R"(
gravity 0 -9.81 0;
solid a box 1 0.1 0.1; end
joint ball left object2 a; point1 -0.6 0 0; point2 -0.5 0 0; end
joint ball right object2 a; point1 0.6 0 0; point2 0.5 0 0; end
)";
  Moving on = relaxed(text), stop = relaxed(text);
  on.settings.iterations = stop.settings.iterations = 20;
  stop.settings.relaxation.onCap = OnCap::Stop;
  EXPECT_TRUE(on.step(0.01));
  EXPECT_TRUE(on.report.capped);
  EXPECT_FALSE(on.report.converged);
  EXPECT_EQ(on.state.time, 0.01);
  EXPECT_NEAR(on.error(), 0.1, 1e-3);  // each gives way by half of what is missing
  const State before = stop.state;
  EXPECT_FALSE(stop.step(0.01));
  EXPECT_TRUE(stop.report.capped && stop.report.stopped && stop.report.finite);
  EXPECT_EQ(differenceOf(stop.state, before), "");
  // Where the corrections suffice, there is nothing to warn of.
  stop.control.jointOn[1] = 0;
  stop.settings.iterations = 0;
  stop.settings.tolerance = 1e-6;
  stop.settings.feedback.alpha = 0.3;
  EXPECT_TRUE(stop.step(0.01));
  EXPECT_FALSE(stop.report.capped);
}

// A ball set down sliding: the floor's friction leaves it 5/7 of its speed, and it rolls.
TEST(Relaxation, RollsWithoutSlipping) {
  Moving p = relaxed(R"(
gravity 0 -9.81 0;
solid ball sphere 0.5; at 0 0.5 0; velocity 7 0 0; end
joint rolling floor object2 ball; point1 0 0 0; axis1 0 1 0; point2 0 0 0; axis2 0 0 1;
  radius 0; crown 0.5; end
)");
  ASSERT_TRUE(p.run(1, 1e-3));
  EXPECT_NEAR(p.state.velocity[0].x, 5, 1e-6);
  EXPECT_NEAR(p.state.spin[0].z, -10, 1e-6);
  EXPECT_NEAR(p.state.position[0].y, 0.5, 1e-9);
}

// Errors travel from link to link, a correction at a time: a chain of twenty needs thousands for a step
// to be right to 1e-6, where three linear solves do. With α as in eq. 17 it does not get there at all.
TEST(Relaxation, NeedsThousandsOfCorrectionsForAChainOfTwenty) {
  const std::string text = chainText(20, true, "gravity 0 -9.81 0;");
  Moving p = relaxed(text), nominal = relaxed(text), direct = relaxed(text);
  for (Moving* each : {&p, &nominal, &direct}) each->settings.tolerance = 1e-6;
  p.settings.feedback.alpha = 0.5;
  p.settings.iterations = 20000;
  nominal.settings.iterations = 2000;
  direct.settings.method = Method::Displacement;
  int most = 0, direct_most = 0;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(p.step(1.0 / 60) && direct.step(1.0 / 60));
    EXPECT_FALSE(p.report.capped);
    most = std::max(most, p.report.iterations);
    direct_most = std::max(direct_most, direct.report.iterations);
  }
  std::printf("relaxation, chain of 20, 1e-6: up to %d corrections a step\n", most);
  EXPECT_GT(most, 1000);
  EXPECT_LT(most, 20000);
  EXPECT_LE(direct_most, 3);
  ASSERT_TRUE(nominal.step(1.0 / 60));
  EXPECT_TRUE(nominal.report.capped);
}

// "Less than six iterations per frame" for the monocycle [Gascuel1994 §3.1.3]: so it is with half of his α,
// steps of 10 ms and joints of that giant to 3 cm. A millimetre takes ten times as many, his own α more still.
TEST(Relaxation, CountsTheCorrectionsOfTheMonocycle) {
  const auto corrections = [](double alpha, double tolerance) {
    Moving p(loadScene(TENON_SOURCE_DIR "/scenes/gascuel/monocycle.tenon"));
    p.settings.method = Method::Relaxation;
    p.settings.feedback.alpha = alpha;
    p.settings.tolerance = tolerance;
    int few = 0;
    for (int frame = 0; frame < 100; ++frame) {
      EXPECT_TRUE(p.step(0.01));
      few += p.report.iterations < 6 ? 1 : 0;
    }
    const double mean = static_cast<double>(p.iterations) / 100;
    std::printf(
        "relaxation, monocycle, alpha %g, to %g m: %.1f corrections a frame, %d %% of frames "
        "with fewer than six\n",
        alpha, tolerance, mean, few);
    return mean;
  };
  EXPECT_LT(corrections(0.5, 0.03), 6);
  EXPECT_GT(corrections(0.5, 0.001), 30);
  EXPECT_GT(corrections(1, 0.03), 30);
}

}  // namespace
}  // namespace tenon::test
