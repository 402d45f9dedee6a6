// Figures at rest sleep, and wake.
#include <gtest/gtest.h>

#include "methods/moving.h"

namespace tenon::test {
namespace {

// Two pendulums and a four-bar linkage, all of hinges: `interactive` damps them to rest.
constexpr const char* kThree = R"(
gravity 0 -9.81 0;
solid a box 0.1 1 0.1; at 0 -0.5 0; end
solid b box 0.1 1 0.1; at 3 -0.5 0; end
joint pin ha object2 a; at 0 0 0; axis 0 0 1; end
joint pin hb object2 b; at 3 0 0; axis 0 0 1; end
solid l box 0.1 1 0.1; at 6 -0.5 0; end
solid r box 0.1 1 0.1; at 7 -0.5 0; end
solid t box 1 0.1 0.1; at 6.5 -1 0; end
joint pin hl object2 l; at 6 0 0; axis 0 0 1; end
joint pin hr object2 r; at 7 0 0; axis 0 0 1; end
joint pin lt object1 l; object2 t; at 6 -1 0; axis 0 0 1; end
joint pin rt object1 r; object2 t; at 7 -1 0; axis 0 0 1; end
)";

Moving sleepers() {
  Moving p(kThree);
  p.settings.method = Method::Interactive;
  p.settings.islands.sleepBelow = 1e-3;
  p.state.spin[0] = {0, 0, 0.02};
  p.state.velocity[0] = {0.01, 0, 0};
  return p;
}

TEST(PackedSleep, ComesWithRest) {
  Moving p = sleepers();
  ASSERT_EQ(p.m.islands.size(), 3U);
  ASSERT_TRUE(p.run(1, 1.0 / 60));
  EXPECT_TRUE(p.report.fast);
  EXPECT_EQ(p.report.sleeping, 2U);  // the first one swings
  ASSERT_TRUE(p.run(60, 1.0 / 60));
  EXPECT_EQ(p.report.sleeping, 3U);
  EXPECT_EQ(p.report.iterations, 0);
  const State before = p.state;
  ASSERT_TRUE(p.step(1.0 / 60));
  EXPECT_EQ(p.state.position[0], before.position[0]);
  EXPECT_EQ(p.state.multiplier, before.multiplier);
  EXPECT_GT(p.state.time, before.time);
}

TEST(PackedSleep, EndsWithAPushOrAnotherGravity) {
  Moving p = sleepers();
  ASSERT_TRUE(p.run(60, 1.0 / 60));
  ASSERT_EQ(p.report.sleeping, 3U);
  p.state.spin[1] = {0, 0, 0.5};
  p.state.velocity[1] = {0.25, 0, 0};
  ASSERT_TRUE(p.step(1.0 / 60));
  EXPECT_EQ(p.report.sleeping, 2U);
  p.control.gravity = {1, -9.81, 0};
  ASSERT_TRUE(p.step(1.0 / 60));
  EXPECT_EQ(p.report.sleeping, 0U);
  EXPECT_NE(p.state.spin[2], Vec3{});
}

TEST(PackedSleep, IsForThoseWhoAsk) {
  Moving p = sleepers();
  p.settings.islands.sleepBelow = 0;
  ASSERT_TRUE(p.run(2, 1.0 / 60));
  EXPECT_EQ(p.report.sleeping, 0U);
  EXPECT_TRUE(p.state.rest.empty());
}

// What sleeps, and for how long it has rested, is in the state.
TEST(PackedSleep, IsNotForgottenWithTheScratch) {
  Moving p = sleepers(), q = sleepers();
  for (int i = 0; i < 120; ++i) {
    ASSERT_TRUE(p.step(1.0 / 60));
    q.scratch = StepScratch();
    ASSERT_TRUE(q.step(1.0 / 60));
    ASSERT_EQ(p.report.sleeping, q.report.sleeping) << i;
    ASSERT_EQ(p.state.rest, q.state.rest) << i;
  }
  EXPECT_EQ(p.report.sleeping, 2U);
}

}  // namespace
}  // namespace tenon::test
