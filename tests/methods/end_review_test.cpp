// What steps solved for their end must not do: tremble, lose turns, push the wrong way, try for ever.
#include <tenon/posing.h>

#include "math/rotation.h"
#include "moving.h"

namespace tenon::test {
namespace {

// What is prescribed has its speed at the end of every step, from rest or not.
TEST(EndSolve, HasNoTremor) {
  Moving rate = moving(slide("prescribe slide rate 3;"));
  rate.state.velocity[0] = {};
  Moving later = moving(slide("prescribe slide 0.05 active 0.05 10;"));
  later.state.position[0].x = 0;
  later.state.velocity[0] = {1, 0, 0};
  Moving turning = moving(kGravity + R"(
solid a box 1 0.1 0.1; at 0.5 0 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; prescribe angle rate 60; end
)");
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(rate.step(0.01));
    EXPECT_NEAR(rate.state.velocity[0].x, 3, 1e-6) << i;
    ASSERT_TRUE(later.step(0.01));
    if (i > 5) {
      EXPECT_NEAR(later.state.velocity[0].x, 0, 1e-6) << i;
    }
    ASSERT_TRUE(turning.step(1.0 / 60));
    EXPECT_NEAR(turning.state.spin[0].z, 60, 1e-6) << i;
  }
}

// A joint that is switched on stops what it does not allow, at once and for good; so do wrong velocities
// of the start.
TEST(EndSolve, StopsWhatAJointThatComesIntoForceForbids) {
  Moving p = moving(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; velocity 1 2 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; end
)");
  p.control.jointOn[0] = 0;
  ASSERT_TRUE(p.run(0.1, 0.01));
  p.state.position[0] = {};
  p.control.jointOn[0] = 1;
  const double before = p.energy();
  double work = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(p.step(i % 2 == 0 ? 0.02 : 0.002));
    work += p.report.work;
    EXPECT_LT(norm(p.state.velocity[0]), 1e-6) << i;
  }
  EXPECT_NEAR(work, -before, 1e-6 * before);
}

// A solid held by one that turns with 100 rad/s does so too, and not another way round.
TEST(EndSolve, FollowsWhatTurnsFast) {
  for (const double spin : {30.0, 100.0, 300.0}) {
    Moving p = moving("gravity 0 0 0; solid fan box 1 0.1 0.1; animated; spin 0 0 " +
                      std::to_string(spin) + R"(; end
solid a box 1 0.1 0.1; at 1 0 0; end
joint weld w object1 fan; object2 a; at 0.5 0 0; end
)");
    ASSERT_TRUE(p.run(0.5, 1.0 / 60));
    EXPECT_NEAR(p.state.spin[1].z, spin, 1e-3 * spin) << spin;
    EXPECT_LT(p.error(), 1e-9) << spin;
  }
}

// More than half a turn in a step: coordinates that count turns do, in every piece.
TEST(EndSolve, CountsTurnsInPieces) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(R"(
gravity 0 0 0;
solid a cylinder 0.2 0.1; spin 0 60 0; end
solid b cylinder 0.1 0.1; at 0.3 0 0; spin 0 -120 0; end
joint pin axle-a object2 a; at 0 0 0; axis 0 1 0; end
joint pin axle-b object2 b; at 0.3 0 0; axis 0 1 0; end
joint gear mesh couple axle-a angle 2; couple axle-b angle 1; end
)",
                      method);
    const double energy = p.energy();
    ASSERT_TRUE(p.run(10.0 / 15, 1.0 / 15));
    EXPECT_GT(p.halvings, 0) << nameOf(method);
    EXPECT_NEAR(p.state.spin[1].y, -2 * p.state.spin[0].y, 0.01 * 120) << nameOf(method);
    if (method == Method::Energy) {
      EXPECT_NEAR(p.energy(), energy, 1e-6 * energy);
    } else {
      EXPECT_LT(p.energy(), 1.01 * energy);
    }
    EXPECT_LT(p.error(), 1e-8) << nameOf(method);
  }
}

// Compliance of a rolling wheel is of its height, not of its slip: energy is kept.
TEST(EndSolve, RollsOnACompliantJoint) {
  Moving p = moving(R"(
gravity 0 -9.81 0;
solid wheel sphere 0.5; at 0 0.5 0; velocity 1 0 0; spin 0 0 -2; end
joint rolling floor object2 wheel; point1 0 0 0; axis1 0 1 0; point2 0 0 0; axis2 0 0 1;
  radius 0; crown 0.5; compliance 1e-7; end
)");
  ASSERT_TRUE(p.run(2, 1.0 / 60));
  EXPECT_NEAR(p.state.position[0].x, 2, 1e-3);
  EXPECT_NEAR(p.state.spin[0].z, -2, 1e-2);
}

// All joints off with the same scratch: free fall.
TEST(EndSolve, FallsWhenTheLastJointIsOff) {
  Moving p = moving(chainText(3, true, kGravity));
  ASSERT_TRUE(p.run(0.1, 0.01));
  for (auto& on : p.control.jointOn) on = 0;
  const double v = p.state.velocity[2].y;
  ASSERT_TRUE(p.run(0.1, 0.01));
  EXPECT_NEAR(p.state.velocity[2].y, v - 0.981, 1e-9);
}

// What cannot be done is given up soon, said, and leaves the rest of the step to others.
TEST(EndSolve, GivesUpOnContradictions) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(kGravity + R"(
solid a box 1 0.1 0.1; at 0.5 0 0; end
joint ball one object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint ball two object2 a; point1 3 0 0; point2 0.5 0 0; end
)",
                      method);
    for (int i = 0; i < 3; ++i) {
      const double time = p.state.time;
      ASSERT_TRUE(p.step(1.0 / 60));
      EXPECT_FALSE(p.report.converged);
      EXPECT_LT(p.report.iterations, 2000) << nameOf(method);
      EXPECT_LT(p.report.halvings, 10) << nameOf(method);
      EXPECT_NEAR(p.error(), 1, 1e-3);  // 2 m too much, shared by the two
      EXPECT_NEAR(p.state.time, time + 1.0 / 60, 1e-12);
    }
    p.control.gravity.y = std::numeric_limits<double>::quiet_NaN();
    const State before = p.state;
    EXPECT_FALSE(p.step(1.0 / 60));
    EXPECT_EQ(p.report.work, 0);
    EXPECT_EQ(p.state.time, before.time);
    EXPECT_LT(p.report.iterations, 2000) << nameOf(method);
  }
}

}  // namespace
}  // namespace tenon::test
