// Implicit enforcement of constraints that move and that come and go.               [Jeon §3.2, eqs 23–28]
#include "math/portable.h"
#include "moving.h"

namespace tenon::test {
namespace {

Moving implicit(const std::string& text) {
  Moving p(text);
  p.settings.method = Method::Implicit;
  return p;
}

// Φ = x - s(t), linear in x: the step ends at s(t) + dt ṡ(t), to the first order of eq. 26 in time. Off by
// -½ dt² s̈, and by nothing where s is linear.
TEST(Implicit, FollowsPrescribedMotionToFirstOrderInTime) {
  const std::string text = R"(
gravity 0 -9.81 0;
solid a box 0.1 0.1 0.1; mass 2; end
joint prismatic rail object2 a; at 0 0 0; axis 1 0 0; prescribe slide SIGNAL; end
)";
  const auto with = [&](const std::string& signal) {
    std::string made = text;
    made.replace(made.find("SIGNAL"), 6, signal);
    return implicit(made);
  };
  Moving even = with("rate 3");
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(even.step(0.05));
    EXPECT_NEAR(even.state.position[0].x, 3 * 0.05 * i, 1e-8) << i;
  }
  const double w = 2 * kPi * 0.5;
  for (const double dt : {0.1, 0.05}) {
    Moving sine = with("sine 0.7 0.5");
    for (int i = 0; i < 30; ++i) {
      const double t = i * dt;
      ASSERT_TRUE(sine.step(dt));
      EXPECT_NEAR(sine.state.position[0].x, 0.7 * tenon::sine(w * t) + dt * 0.7 * w * cosine(w * t),
                  1e-8)
          << dt << i;
    }
  }
}

// The same with the constraint's other solid moving instead: a rod on a hand that goes round.
TEST(Implicit, FollowsAnAnimatedSolid) {
  Moving p = implicit(R"(
gravity 0 -9.81 0;
solid hand animated; box 0.1 0.1 0.1; velocity 2 0 0; end
solid load box 0.1 0.1 0.1; at 0 -0.1 0; mass 3; end
joint weld grip object1 hand; object2 load; at 0 0 0; end
)");
  ASSERT_TRUE(p.step(0.05));  // at rest until now: it is pulled along at once, m v = 3 · 2
  EXPECT_NEAR(p.state.velocity[1].x, 2, 1e-8);
  EXPECT_NEAR(momentum(p.m, p.state).linear.x, 6, 1e-7);
  ASSERT_TRUE(p.run(1, 0.05));
  EXPECT_NEAR(p.state.position[1].x, 2 * p.state.time, 1e-7);
  EXPECT_LT(p.error(), 1e-8);
}

// Switched on with an error e: a linear constraint is met after one step, at v = -e/dt, and at rest after
// two. The momentum that this takes is m e/dt, on top of what was there; then it is given back.
TEST(Implicit, MeetsAConstraintAtOnceWhenItIsSwitchedOn) {
  Moving p = implicit(R"(
gravity 0 0 0;
solid bead point-mass; mass 2; velocity 1 0.5 0; end
joint point-on-plane sheet object2 bead; point1 0 0 0; axis1 0 1 0; point2 0 0 0; end
)");
  const double dt = 1.0 / 64;
  p.control.jointOn[0] = 0;
  ASSERT_TRUE(p.run(1, dt));
  EXPECT_NEAR(p.state.position[0].y, 0.5, 1e-14);  // free until now
  p.control.jointOn[0] = 1;
  ASSERT_TRUE(p.step(dt));
  EXPECT_NEAR(p.state.position[0].y, 0, 1e-9);
  EXPECT_NEAR(momentum(p.m, p.state).linear.y, -2 * 0.5 / dt, 1e-6);
  ASSERT_TRUE(p.step(dt));
  EXPECT_NEAR(p.state.position[0].y, 0, 1e-9);
  EXPECT_NEAR(momentum(p.m, p.state).linear.y, 0, 1e-6);
  EXPECT_NEAR(momentum(p.m, p.state).linear.x, 2, 1e-12);  // along the plane nothing happens
  p.control.jointOn[0] = 0;
  p.state.velocity[0].y = 3;
  ASSERT_TRUE(p.step(dt));
  EXPECT_NEAR(p.state.position[0].y, 3 * dt, 1e-9);  // off again
}

// Two cars that are coupled while they touch: what one had, both share.
TEST(Implicit, SharesMomentumWhenSolidsAreCoupled) {
  Moving p = implicit(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; mass 3; at 0 0 0; velocity 4 0 0; end
solid b box 1 0.1 0.1; mass 1; at 5 0 0; end
joint weld coupling object1 a; object2 b; point1 0.5 0 0; point2 -0.5 0 0; end
)");
  const double dt = 1.0 / 64;
  p.control.jointOn[0] = 0;
  ASSERT_TRUE(p.run(1, dt));  // a has come up to b: 4 + ½ = 5 - ½
  p.control.jointOn[0] = 1;
  ASSERT_TRUE(p.step(dt));
  for (std::size_t s = 0; s < 2; ++s) EXPECT_NEAR(p.state.velocity[s].x, 3, 1e-7);
  EXPECT_NEAR(momentum(p.m, p.state).linear.x, 12, 1e-9);
  EXPECT_LT(p.error(), 1e-9);
}

// By the clock: a bead falls, is held from 1 s to 2 s, and falls again.
TEST(Implicit, HoldsDuringIntervals) {
  Moving p = implicit(R"(
gravity 0 -8 0;
solid bead point-mass; mass 1; at 0 4 0; end
joint point-on-plane shelf object2 bead; point1 0 0 0; axis1 0 1 0; point2 0 0 0; active 1 2; end
)");
  const double dt = 1.0 / 64;
  ASSERT_TRUE(p.run(1, dt));
  EXPECT_NEAR(p.state.position[0].y, 4 - 4 - 4 * dt, 1e-12);  // -½ g t (t + dt)
  ASSERT_TRUE(p.step(dt));
  EXPECT_NEAR(p.state.position[0].y, 0, 1e-9);
  ASSERT_TRUE(p.run(62 * dt, dt));
  EXPECT_NEAR(p.state.position[0].y, 0, 1e-9);
  EXPECT_NEAR(p.state.velocity[0].y, 0, 1e-7);
  ASSERT_TRUE(p.run(1, dt));
  EXPECT_LT(p.state.position[0].y, -3);
}

}  // namespace
}  // namespace tenon::test
