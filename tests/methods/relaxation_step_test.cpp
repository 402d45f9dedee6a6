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
  any.settings.largestTurn = 0;
  ASSERT_TRUE(whole.step(1.0 / 32));
  EXPECT_EQ(whole.report.halvings, 3);  // 1.25, twice 0.63
  ASSERT_TRUE(quarters.run(1.0 / 32, 1.0 / 128));
  EXPECT_EQ(quarters.halvings, 0);
  EXPECT_EQ(stateHash(whole.state), stateHash(quarters.state));
  ASSERT_TRUE(any.step(1.0 / 32));
  EXPECT_EQ(any.report.halvings, 0);
  EXPECT_NE(stateHash(any.state), stateHash(whole.state));
  // However fast: a step ends.
  Moving mad = relaxed("gravity 0 0 0; solid a sphere 0.1; spin 0 1e9 0; end");
  ASSERT_TRUE(mad.step(0.01));
  EXPECT_EQ(mad.report.halvings, 1023);
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
  stop.settings.onCap = OnCap::Stop;
  EXPECT_TRUE(on.step(0.01));
  EXPECT_TRUE(on.report.capped);
  EXPECT_FALSE(on.report.converged);
  EXPECT_EQ(on.state.time, 0.01);
  EXPECT_NEAR(on.error(), 0.1, 1e-3);  // each gives way by half of what is missing
  const auto before = stateHash(stop.state);
  EXPECT_FALSE(stop.step(0.01));
  EXPECT_TRUE(stop.report.capped && stop.report.stopped && stop.report.finite);
  EXPECT_EQ(stateHash(stop.state), before);
  // Where the corrections suffice, there is nothing to warn of.
  stop.control.jointOn[1] = 0;
  stop.settings.iterations = 0;
  stop.settings.tolerance = 1e-6;
  stop.settings.alpha = 0.3;
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

}  // namespace
}  // namespace tenon::test
