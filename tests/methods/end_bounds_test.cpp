// Limits, ropes, friction, drives and springs in the steps that are solved for their end, against closed
// forms, and the ledger of what they do to the energy.
#include <tenon/posing.h>

#include "math/portable.h"
#include "math/random.h"
#include "math/rotation.h"
#include "moving.h"

namespace tenon::test {
namespace {

constexpr Method kBoth[] = {Method::Energy, Method::Interactive};

// A limit hit at speed, five metres a step: the block is at the stop, stays there, and leaves it as soon
// as it is pulled off.
TEST(EndBounds, StopAtALimitHitAtSpeed) {
  for (const Method method : kBoth) {
    Moving p = moving(slide("limit slide max 0.5;"), method);
    p.state.velocity[0] = {300, 0, 0};
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      EXPECT_NEAR(p.state.position[0].x, 0.5, 1e-8) << nameOf(method);  // 5 m to be made up
    }
    EXPECT_NEAR(p.state.velocity[0].x, 0, 1e-7) << nameOf(method);
    p.control.gravity = {-2, 0, 0};
    ASSERT_TRUE(p.run(1, 1.0 / 60));
    EXPECT_NEAR(p.state.velocity[0].x, -2, 1e-6) << nameOf(method);
  }
}

// A drive that has ended leaves nothing behind: no row, and no slope of one between solids that nothing else ties.
TEST(EndBounds, ForgetADriveThatHasEnded) {
  for (const Method method : kBoth) {
    Moving p = moving(R"(
solid stick box 0.1 1 0.1; mass 1; end
solid other box 0.2 0.8 0.1; at 1 0 0; mass 2; end
solid third box 0.2 0.8 0.3; at 2 0 0; mass 2; end
joint angle lean object1 stick; axis1 0 1 0; object2 other; axis2 0.2 1 0; drive angle 1 stiffness 50 active 0 0.05; end
joint ball held object1 other; at 1.5 0 0; object2 third; end
)",
                      method);
    ASSERT_TRUE(p.run(0.05, 0.01));
    EXPECT_GT(norm(p.state.spin[0]), 0.1) << nameOf(method);
    const Vec3 spin = p.state.spin[0], velocity = p.state.velocity[1];
    ASSERT_TRUE(p.run(0.2, 0.01));
    EXPECT_TRUE(p.report.converged) << nameOf(method);
    // A box that turns freely about one of its axes, and the centre of the others.
    EXPECT_LT(norm(p.state.spin[0] - spin), 1e-6) << nameOf(method);
    EXPECT_GT(norm(p.state.velocity[1] - velocity), 0) << nameOf(method);
    EXPECT_LT(p.error(), 1e-9) << nameOf(method);
  }
}

// The ledger: what a stop, friction, a drive or a damper does is no drift.
TEST(EndBounds, AccountForAllWork) {
  for (const char* rule :
       {"limit slide max 0.5;", "friction slide 4 coefficient 0.1;", "drive slide 2 stiffness 90;",
        "drive slide 2 stiffness 90 damping 8 max 20;", "prescribe slide rate 3 sine 0.2 1;",
        "spring slide stiffness 800 damping 10;", "prefer slide min -1 max 0.5 stiffness 300;"}) {
    Moving p = moving(slide(rule), Method::Energy);
    double work = 0;
    const double before = p.energy();
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(p.step(0.01));
      ASSERT_TRUE(p.report.converged) << rule;
      work += p.report.work;
      EXPECT_NEAR(p.energy() - before, work, 1e-7) << rule << " step " << i;
    }
  }
}

// A mass on a rope, swung up from below with v² = 3.5 g l, leaves its circle where the tension ends: at
// cos φ = (v²/(g l) - 2)/3 = ½ from the upper vertical.
TEST(EndBounds, LeaveTheCircleWhereTheRopeGoesSlack) {
  for (const Method method : kBoth) {
    double last = 0;
    for (const double dt : {4e-4, 2e-4, 1e-4}) {
      Moving p = moving(kGravity + R"(
solid bob point-mass; mass 1; at 0 -1 0; end
joint rope line object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)",
                        method);
      p.state.velocity[0] = {std::sqrt(3.5 * 9.81), 0, 0};
      ASSERT_TRUE(p.run(0.2, dt));
      while (p.state.multiplier[0] != 0 || p.state.multiplier[1] != 0) ASSERT_TRUE(p.step(dt));
      const double off = std::abs(p.state.position[0].y - 0.5);
      if (last > 0 && method == Method::Interactive) {
        EXPECT_LT(off, last / 1.7) << dt;  // first order
      }
      last = off;
      ASSERT_TRUE(p.run(0.1, dt));
      EXPECT_LT(norm(p.state.position[0]), 0.999);
    }
    EXPECT_LT(last, 5e-3) << nameOf(method);
  }
}

TEST(EndBounds, GoTautOnARope) {
  for (const Method method : kBoth) {
    Moving p = moving(kGravity + R"(
solid bob point-mass; mass 1; at 0.3 0 0; end
joint rope line object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)",
                      method);
    const double dt = 1e-3, taut = std::sqrt(2 * std::sqrt(1 - 0.09) / 9.81);
    while (p.state.multiplier[0] == 0 && p.state.multiplier[1] == 0) ASSERT_TRUE(p.step(dt));
    EXPECT_NEAR(p.state.time, taut, 2 * dt) << nameOf(method);
    ASSERT_TRUE(p.step(dt));
    const Vec3 along = normalized(p.state.position[0]);
    const double fall = 9.81 * taut;
    EXPECT_NEAR(norm(p.state.position[0]), 1, 1e-9);
    EXPECT_NEAR(dot(p.state.velocity[0], Vec3{-along.y, along.x, 0}), -0.3 * fall, 0.02 * fall)
        << nameOf(method);
    EXPECT_LT(std::abs(dot(p.state.velocity[0], along)), 0.01 * fall) << nameOf(method);
  }
}

// A block comes to rest after v²/(2 µ g), and does not go back.
TEST(EndBounds, StopAfterTheLengthThatCoulombsFrictionAllows) {
  for (const Method method : kBoth)
    for (const double dt : {1e-2, 5e-3, 2.5e-3}) {
      Moving p = moving(slide("friction slide 0 coefficient 0.4;"), method);
      ASSERT_TRUE(p.run(0.2, dt));
      EXPECT_NEAR(p.state.velocity[0].x, 3 - 0.4 * 9.81 * 0.2, 1e-6) << nameOf(method) << dt;
      ASSERT_TRUE(p.run(1, dt));
      EXPECT_NEAR(p.state.velocity[0].x, 0, 1e-7) << nameOf(method) << dt;
      // Exact but for the step in which it stops (energy), or of first order.
      EXPECT_NEAR(p.state.position[0].x, 9 / (2 * 0.4 * 9.81),
                  method == Method::Energy ? 0.5 * 0.4 * 9.81 * dt * dt : 2 * dt)
          << nameOf(method) << dt;
    }
}

TEST(EndBounds, StickOrSlideDownASlope) {
  for (const Method method : kBoth)
    for (const double tilt : {0.36, 0.40}) {  // tan: 0.376, 0.423
      Moving p = moving("gravity " + std::to_string(9.81 * sine(tilt)) + " " +
                            std::to_string(-9.81 * cosine(tilt)) + " 0;" +
                            slide("friction slide 0 coefficient 0.4;", ""),
                        method);
      p.state.velocity[0] = {};
      ASSERT_TRUE(p.run(1, 1e-2));
      const double pull = std::max(0.0, 9.81 * (sine(tilt) - 0.4 * cosine(tilt)));
      EXPECT_NEAR(p.state.velocity[0].x, pull, 1e-5) << nameOf(method) << tilt;
    }
}

TEST(EndBounds, SaturateADrive) {
  for (const Method method : kBoth) {
    Moving weak = moving(slide("drive slide 100 stiffness 1000 max 5;"), method);
    weak.state.velocity[0] = {};
    ASSERT_TRUE(weak.run(1, 1e-2));
    EXPECT_NEAR(weak.state.velocity[0].x, 2.5, 1e-9) << nameOf(method);
    EXPECT_NEAR(weak.state.multiplier[weak.m.joints[0].firstSlot + 5], 5, 1e-12);
    Moving held =
        moving(slide("drive slide 1 stiffness 400 damping 60;", "gravity -2 0 0;"), method);
    ASSERT_TRUE(held.run(5, 1e-2));
    EXPECT_NEAR(held.state.position[0].x, 1 - 2 * 2 / 400.0, 1e-9) << nameOf(method);
  }
}

// Springs of a joint, of a range that yields, and between points: energy is kept, to the second order the
// motion is right.
TEST(EndBounds, KeepTheEnergyOfSprings) {
  const double k = 800, m = 2;
  Moving p = moving(slide("spring slide stiffness 800;", "gravity 0 0 0;"), Method::Energy);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(p.step(0.01));
    const double x = p.state.position[0].x, v = p.state.velocity[0].x;
    ASSERT_NEAR(0.5 * m * v * v + 0.5 * k * x * x, 0.5 * m * 9, 1e-8);
  }
  Moving soft = moving(slide("prefer slide min -0.5 max 0.5 stiffness 800;", "gravity 0 0 0;"),
                       Method::Energy);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(soft.step(0.01));
    const double x = std::max(0.0, std::abs(soft.state.position[0].x) - 0.5),
                 v = soft.state.velocity[0].x;
    ASSERT_NEAR(0.5 * m * v * v + 0.5 * k * x * x, 0.5 * m * 9, 1e-8) << i;
  }
  // A mass on a spring that swings around: energy and angular momentum, at a step of a fifth of a period.
  Moving point = moving(R"(
gravity 0 0 0;
solid bob point-mass; mass 1; at 1.5 0 0; velocity 0 2 1; end
solid other box 0.3 0.2 0.1; at 0 0 0; spin 1 2 3; end
spring s object1 bob; object2 other; point1 0 0 0; point2 0.1 0.1 0; rest 1; stiffness 400; end
)",
                        Method::Energy);
  const double energy = point.energy();
  const Momentum before = momentum(point.m, point.state);
  ASSERT_TRUE(point.run(20, 0.05));
  EXPECT_NEAR(point.energy(), energy, 1e-7 * energy);
  EXPECT_LT(norm(momentum(point.m, point.state).angular - before.angular),
            1e-9 * norm(before.angular));
  EXPECT_LT(norm(momentum(point.m, point.state).linear - before.linear), 1e-11);
}

// A chain of balls with a rule on every coordinate, falling.
std::string chainWith(const std::string& rules) {
  std::string text = kGravity;
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    text += "solid s" + n + " box 0.4 0.08 0.06; at " + std::to_string(0.4 * i + 0.2) +
            " 0 0; end\njoint ball j" + n +
            (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") + " object2 s" + n + "; at " +
            std::to_string(0.4 * i) + " 0 0; " + rules + " end\n";
  }
  return text;
}

// Rows that come and go in every step, many of them: no step is split or given up, and none gains energy.
TEST(EndBounds, ConvergeWithFrictionAndPreferredRangesOnEveryCoordinate) {
  for (const char* rules : {"friction rx 0.05 coefficient 0.3 radius 0.01; friction ry 0.05;"
                            "friction rz 0.1 coefficient 0.2 radius 0.02;",
                            "prefer rx min -0.1 max 0.1 stiffness 5 damping 0.5;"
                            "prefer ry min -0.1 max 0.1 stiffness 5 damping 0.5;"
                            "prefer rz min -0.2 max 0.2 stiffness 5 damping 0.5;",
                            "damper rx 0.02; damper ry 0.02; damper rz 0.02;"})
    for (const Method method : kBoth) {
      Moving p = moving(chainWith(rules), method);
      for (int i = 0; i < 60; ++i) {
        const double before = p.energy();
        ASSERT_TRUE(p.step(1.0 / 60));
        EXPECT_TRUE(p.report.converged) << rules << nameOf(method) << i;
        EXPECT_EQ(p.report.halvings, 0) << rules << nameOf(method) << i;
        if (method != Method::Energy) continue;
        EXPECT_NEAR(p.energy() - before, p.report.work, 1e-8) << rules << i;
        EXPECT_LT(p.report.work, 1e-9) << rules << i;
      }
    }
}

// Friction takes energy, whichever way it is pushed while it slides to and fro.
TEST(EndBounds, LetFrictionTakeEnergyOnly) {
  Moving p = moving(slide("friction slide 3; spring slide stiffness 800;", "gravity 0 0 0;"),
                    Method::Energy);
  p.state.velocity[0] = {1, 0, 0};
  const auto energy = [&p] {
    const double x = p.state.position[0].x, v = p.state.velocity[0].x;
    return 0.5 * 2 * v * v + 0.5 * 800 * x * x;
  };
  double last = energy();
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(p.step(0.02));
    EXPECT_LE(energy(), last + 1e-12) << i;
    last = energy();
  }
  EXPECT_LT(std::abs(p.state.position[0].x), 3 / 800.0 + 1e-9);  // where the spring is too weak
  EXPECT_NEAR(p.state.velocity[0].x, 0, 1e-12);
}

// A damper turns on where a ball has turned by half a turn: the rotation vector does not jump there.
TEST(EndBounds, PassHalfATurnWithADamper) {
  Moving p = moving(R"(
gravity 0 0 0;
solid top box 0.4 0.08 0.06; at 0 0 0; spin 0.3 0.2 4; end
joint ball hook object2 top; at 0 0 0; damper rx 0.0001; damper ry 0.0001; damper rz 0.0001; end
)",
                    Method::Energy);
  double last = p.energy();
  for (int i = 0; i < 120; ++i) {
    ASSERT_TRUE(p.step(1.0 / 60));
    ASSERT_EQ(p.report.halvings, 0) << i;
    ASSERT_TRUE(p.report.converged) << i;
    EXPECT_LE(p.energy(), last + 1e-12) << i;
    last = p.energy();
  }
}

// Links that are thrown into their limits again and again: nothing opens, nothing is gained.
TEST(EndBounds, AreHitAgainAndAgain) {
  for (const Method method : kBoth) {
    std::string text = kGravity;
    for (int i = 0; i < 6; ++i) {
      const std::string n = std::to_string(i);
      text += "solid s" + n + " box 0.5 0.1 0.1; at " + std::to_string(0.5 * i + 0.25) +
              " 0 0; end\njoint pin j" + n +
              (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") + " object2 s" + n +
              "; at " + std::to_string(0.5 * i) + " 0 0; axis 0 0 1; " +
              (i > 0 ? "limit angle min -0.4 max 0.6;" : "") + " end\n";
    }
    Moving p = moving(text, method);
    Random random(4);
    double error = 0, range = 0, least = kInfinity;
    int landings = 0;
    for (int i = 0; i < 1200; ++i) {
      if (i % 120 == 0) {  // thrown
        for (std::size_t s = 0; s < 6; ++s) p.state.spin[s] = {0, 0, random.uniform(-15, 15)};
        PoseScratch scratch;
        projectVelocities(p.m, p.control, p.state, scratch);
        least = p.energy();
      }
      ASSERT_TRUE(p.step(1.0 / 60));
      ASSERT_TRUE(p.report.converged) << i;
      const JointError e = jointError(p.m, p.control, p.state);
      error = std::max(error, e.max);
      range = std::max(range, e.range);
      EXPECT_LT(p.energy(), least + 1e-6 * std::abs(least) + 1e-6) << nameOf(method) << i;
      least = std::min(least, p.energy());
      if (p.report.work < -1e-3) ++landings;
    }
    EXPECT_LT(error, 1e-6) << nameOf(method);
    EXPECT_LT(range, 1e-6) << nameOf(method);
    EXPECT_GT(landings, 10) << nameOf(method);
  }
}

}  // namespace
}  // namespace tenon::test
