// Faure's dynamics: steps of any length, trackers, bounds against closed forms, and what his ideas for
// later are worth.
#include "moving.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "math/portable.h"
#include "math/random.h"
#include "math/rotation.h"

namespace tenon::test {
namespace {

Moving displaced(const std::string& text) {
  Moving p(text);
  p.settings.method = Method::Displacement;
  return p;
}

// ------------------------------------------------------------------------------------- steps in time

// A chain of four let go sideways. `lengths` gives the lengths of the steps.
template <class F>
State swung(double time, const F& lengths, bool rescale) {
  Moving p = displaced(chainText(4, true, kGravity, 0.25));
  double last = 0;
  while (p.state.time < time - 1e-12) {
    const double dt = std::min(lengths(), time - p.state.time);
    if (!rescale && last > 0)  // what goes wrong otherwise: displacements taken over as they are
      for (std::size_t s = 0; s < p.state.velocity.size(); ++s) {
        p.state.velocity[s] *= last / dt;
        p.state.spin[s] *= last / dt;
      }
    EXPECT_TRUE(p.step(dt));
    last = dt;
  }
  EXPECT_LT(p.error(), 1e-9);
  return p.state;
}

double distance(const State& a, const State& b) {
  double most = 0;
  for (std::size_t s = 0; s < a.position.size(); ++s)
    most = std::max(most, norm(a.position[s] - b.position[s]));
  return most;
}

// Steps from a clock: as good as equal ones of their mean length.                    [Faure1998 §4.3]
TEST(Displacement, RescalesDisplacementsToStepsOfRandomLength) {
  const double dt = 1.0 / 500;
  const State exact = swung(
      0.6, [&] { return dt / 32; }, true);
  const State equal = swung(
      0.6, [&] { return dt; }, true);
  const auto random = [&](bool rescale) {
    Random random(4);
    return swung(
        0.6, [&] { return dt * random.uniform(0.25, 1.75); }, rescale);
  };
  const double off = distance(equal, exact);
  EXPECT_GT(off, 1e-4);
  EXPECT_LT(distance(random(true), exact), 1.5 * off);
  EXPECT_GT(distance(random(false), exact), 5 * off);
}

// Thrown into the air from known velocities: the first displacement is v dt + ½ dt² v̇, and the parabola is
// exact from then on.                                                                [Faure1998 §4.2]
TEST(Displacement, StartsFromVelocitiesOfTheScene) {
  const double dt = 0.05;
  Moving plain = displaced(kGravity + "solid a sphere 0.1; velocity 1 2 3; end");
  Moving p = displaced(kGravity + "solid a sphere 0.1; velocity 1 2 3; end");
  startDisplacements(p.m, p.control, p.settings, dt, p.state, p.scratch);
  ASSERT_TRUE(p.run(1, dt) && plain.run(1, dt));
  EXPECT_NEAR(p.state.position[0].y, 2 - 0.5 * 9.81, 1e-12);
  EXPECT_NEAR(plain.state.position[0].y, 2 - 0.5 * 9.81 - 0.5 * 9.81 * dt, 1e-12);
  // A pendulum starts with the acceleration that its rod leaves it.
  Moving rod = displaced(kGravity + R"(
solid bob point-mass; mass 1; at 0.6 -0.8 0; end
joint distance rod object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)");
  startDisplacements(rod.m, rod.control, rod.settings, dt, rod.state, rod.scratch);
  const Vec3 along{-0.8, -0.6, 0};  // v̇ = g sin(angle)
  EXPECT_LT(norm(rod.state.velocity[0] + (0.5 * dt * 9.81 * 0.6) * along), 1e-8);
  Moving other(kGravity + "solid a sphere 0.1; velocity 1 2 3; end");
  startDisplacements(other.m, other.control, other.settings, dt, other.state, other.scratch);
  EXPECT_EQ(other.state.velocity[0], (Vec3{1, 2, 3}));
}

// ------------------------------------------------------------------------------------------ trackers

// A tracker that moves on, with null inverse mass, drags a chain behind it.            [Faure1998 §4.1]
TEST(Displacement, LetsATrackerPullAChain) {
  const std::string text =
      "gravity 0 0 0;\nsolid hand animated; sphere 0.1; velocity -1 0 0; end\n" +
      chainText(5, false, "", 0.2, 0.05) +
      "joint ball grip object1 hand; object2 s0; at 0 0 0; end\n";
  Moving p = displaced(text);
  // Lying still and stretched along x: after the first step all of it moves with the hand.
  ASSERT_TRUE(p.step(1.0 / 60));
  for (std::size_t s = 1; s < p.m.solids.size(); ++s)
    EXPECT_NEAR(p.state.velocity[s].x, -1, 1e-8) << s;  // the tolerance over dt
  ASSERT_TRUE(p.run(1, 1.0 / 60));
  EXPECT_NEAR(p.state.position[5].x, 0.9 - p.state.time, 1e-8);
  EXPECT_LT(p.error(), 1e-9);
}

// A hand that goes round in a circle keeps a bob on a string going round below it, further out and at
// the angle where tan θ = ω² R/g: a conical pendulum. The hand's velocity is never asked for.
TEST(Displacement, FollowsATrackerInACircle) {
  // The hand's circle has the radius a, the bob's R = a + l sin θ.
  const double out = 0.6, down = 0.8, a = 0.2;  // l sin θ, l cos θ
  const double w = std::sqrt(9.81 * out / down / (a + out));
  for (const double noise : {0.0, 1e-4}) {
    Moving p = displaced(kGravity + R"(
solid hand animated; sphere 0.1; end
solid bob point-mass; mass 1; end
joint distance string object1 hand; object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)");
    Random random(1);
    const double dt = 1e-3;
    const auto put = [&](double time, Index solid, double radius, double height) {
      p.state.position[solid] = {radius * cosine(w * time), height, radius * sine(w * time)};
    };
    put(0, 0, a, 0);
    put(0, 1, a + out, -down);
    p.state.velocity[1] = {0, 0, w * (a + out)};
    CompiledPath& path = p.m.paths[0];
    double off = 0, highest = -kInfinity, lowest = kInfinity;
    for (int i = 1; i <= 3000; ++i) {
      // A tracker's reading: where the hand is, with noise, for the end of this step.
      const double t = i * dt;
      path.uniform = false;
      path.p[0].offset = a * cosine(w * t) + noise * random.uniform(-1, 1);
      path.p[2].offset = a * sine(w * t) + noise * random.uniform(-1, 1);
      path.q[3].offset = 1;
      ASSERT_TRUE(p.step(dt));
      const Vec3 bob = p.state.position[1];
      off = std::max(off, std::abs(std::sqrt(bob.x * bob.x + bob.z * bob.z) - a - out));
      highest = std::max(highest, bob.y);
      lowest = std::min(lowest, bob.y);
    }
    EXPECT_LT(p.error(), 1e-9);
    EXPECT_LT(off, 0.01) << noise;
    EXPECT_NEAR(highest, -down, 0.01) << noise;
    EXPECT_NEAR(lowest, -down, 0.01) << noise;
  }
}

// -------------------------------------------------------------------------------------------- bounds

// A limit hit at speed: the block is at the stop after the step that would have passed it, stays there, and
// leaves it as soon as it is pulled off.
TEST(Displacement, StopsAtALimitHitAtSpeed) {
  Moving p = displaced(slide("limit slide max 0.5;"));
  p.state.velocity[0] = {300, 0, 0};  // five metres a step
  ASSERT_TRUE(p.step(1.0 / 60));
  EXPECT_NEAR(p.state.position[0].x, 0.5, 1e-9);
  ASSERT_TRUE(p.step(1.0 / 60));
  EXPECT_NEAR(p.state.velocity[0].x, 0, 1e-7);
  ASSERT_TRUE(p.run(1, 1.0 / 60));
  EXPECT_NEAR(p.state.position[0].x, 0.5, 1e-8);
  p.state.velocity[0] = {-1, 0, 0};
  ASSERT_TRUE(p.step(0.1));
  EXPECT_NEAR(p.state.position[0].x, 0.4, 1e-8);
  EXPECT_EQ(p.state.multiplier[p.m.joints[0].firstSlot + 6],
            0);  // the upper end does not hold it back
}

// A limit pushes with what keeps it: N = m g at rest, in newtons, whatever the step.
TEST(Displacement, ReportsTheForceOfALimit) {
  for (const double dt : {0.01, 0.1}) {
    Moving p = displaced(kGravity + R"(
solid a box 0.1 0.1 0.1; mass 2; end
joint prismatic post object2 a; at 0 0 0; axis 0 1 0; limit slide min 0; end
)");
    ASSERT_TRUE(p.run(1, dt));
    EXPECT_NEAR(p.state.multiplier[p.m.joints[0].firstSlot + 5], 2 * 9.81, 1e-6) << dt;
    EXPECT_NEAR(p.state.position[0].y, 0, 1e-9) << dt;
  }
}

// Two limits of which only one can hold: a hinge flung from end to end never passes either.
TEST(Displacement, HoldsAWhippedChainWithinItsLimits) {
  std::string text = kGravity;
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i);
    text +=
        "solid s" + n + " box 0.2 0.05 0.05; at " + std::to_string(0.2 * i + 0.1) + " 0 0; end\n";
    text += "joint pin j" + n + (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") +
            " object2 s" + n + "; at " + std::to_string(0.2 * i) +
            " 0 0; axis 0 0 1; limit angle min -0.6 max 0.4; end\n";
  }
  Moving p = displaced(text);
  for (std::size_t s = 0; s < 6; ++s) {  // twenty radians a second about the hook
    p.state.spin[s] = {0, 0, 20};
    p.state.velocity[s] = {0, 20 * p.state.position[s].x, 0};
  }
  int open = 0;
  const double energy = p.energy();
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(p.step(1.0 / 120));
    open += p.report.converged ? 0 : 1;
    EXPECT_LT(p.energy(), energy) << i;  // stops take energy, and never give
    const JointError error = jointError(p.m, p.control, p.state);
    if (p.report.converged) {
      EXPECT_LT(error.range, 1e-9) << i;
      EXPECT_LT(error.max, 1e-9) << i;
    }
  }
  EXPECT_LT(open, 6);
}

// A mass falls on a slack rope as if there were none; then it hangs.
TEST(Displacement, GoesTautOnARope) {
  Moving p = displaced(kGravity + R"(
solid bob point-mass; mass 1; at 0.3 0 0; end
joint rope line object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)");
  const double dt = 1e-3, drop = std::sqrt(1 - 0.09);
  const double taut = std::sqrt(2 * drop / 9.81);
  ASSERT_TRUE(p.run(0.9 * taut, dt));
  EXPECT_EQ(p.state.position[0].x, 0.3);
  EXPECT_NEAR(p.state.position[0].y, -0.5 * 9.81 * p.state.time * (p.state.time + dt), 1e-10);
  // Taut: the part of the velocity along the rope is gone at once, the part across is kept.
  while (p.state.multiplier[0] == 0 && p.state.multiplier[1] == 0) ASSERT_TRUE(p.step(dt));
  const Vec3 along = normalized(p.state.position[0]);
  ASSERT_TRUE(p.step(dt));
  EXPECT_NEAR(norm(p.state.position[0]), 1, 1e-9);
  const double fall = 9.81 * taut;
  EXPECT_NEAR(dot(p.state.velocity[0], Vec3{-along.y, along.x, 0}), -0.3 * fall, 0.02 * fall);
  EXPECT_LT(std::abs(dot(p.state.velocity[0], along)), 0.01 * fall);
}

// Swung up from below with v² = 3.5 g l, a mass on a rope leaves its circle where the tension ends: at
// cos φ = (v²/(g l) - 2)/3 = ½ from the upper vertical. A rope does not push; a rod would.
TEST(Displacement, LeavesTheCircleWhereTheRopeGoesSlack) {
  double last = 0;
  for (const double dt : {4e-4, 2e-4, 1e-4}) {
    Moving p = displaced(kGravity + R"(
solid bob point-mass; mass 1; at 0 -1 0; end
joint rope line object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)");
    p.state.velocity[0] = {std::sqrt(3.5 * 9.81), 0, 0};
    startDisplacements(p.m, p.control, p.settings, dt, p.state, p.scratch);
    ASSERT_TRUE(p.run(0.2, dt));
    while (p.state.multiplier[0] != 0 || p.state.multiplier[1] != 0) ASSERT_TRUE(p.step(dt));
    const double off = std::abs(p.state.position[0].y - 0.5);
    if (last > 0) {
      EXPECT_LT(off, last / 1.7) << dt;  // first order
    }
    last = off;
    ASSERT_TRUE(p.run(0.1, dt));
    EXPECT_LT(norm(p.state.position[0]), 0.999);
  }
  EXPECT_LT(last, 5e-3);
}

// A block slides on a rail, pressed on it by its weight, and comes to rest after v²/(2 µ g).
TEST(Displacement, StopsAfterTheLengthThatCoulombsFrictionAllows) {
  double last = 0;
  for (const double dt : {1e-2, 5e-3, 2.5e-3}) {
    Moving p = displaced(slide("friction slide 0 coefficient 0.4;"));
    ASSERT_TRUE(p.run(0.2, dt));
    EXPECT_NEAR(p.state.velocity[0].x, 3 - 0.4 * 9.81 * 0.2, 1e-6) << dt;
    ASSERT_TRUE(p.run(1, dt));
    EXPECT_NEAR(p.state.velocity[0].x, 0, 1e-7) << dt;
    const double off = std::abs(p.state.position[0].x - 9 / (2 * 0.4 * 9.81));
    if (last > 0) {
      EXPECT_LT(off, last / 1.8) << dt;
    }
    last = off;
  }
  EXPECT_LT(last, 5e-3);
}

// On a slope it stays where tan(slope) < µ, and slides down with g (sin - µ cos) where it is steeper.
TEST(Displacement, SticksOrSlidesDownASlope) {
  for (const double tilt : {0.36, 0.40}) {  // tan: 0.376, 0.423
    Moving p = displaced("gravity " + std::to_string(9.81 * sine(tilt)) + " " +
                         std::to_string(-9.81 * cosine(tilt)) + " 0;" +
                         slide("friction slide 0 coefficient 0.4;", ""));
    p.state.velocity[0] = {};
    ASSERT_TRUE(p.run(1, 1e-2));
    const double pull = std::max(0.0, 9.81 * (sine(tilt) - 0.4 * cosine(tilt)));
    EXPECT_NEAR(p.state.velocity[0].x, pull, 1e-5) << tilt;
  }
}

// A bearing with dry friction of a fixed torque, and one that its load presses.
TEST(Displacement, BrakesAnAxleByItsLoad) {
  Moving p = displaced(kGravity + R"(
solid a cylinder 0.5 0.1; mass 4; spin 0 0 6; end
joint pin axle object2 a; at 0 0 0; axis 0 0 1; friction angle 0.3 coefficient 0.2 radius 0.05; end
)");
  p.m.solids[0].inertia = p.m.solids[0].inverseInertia = identity3();
  ASSERT_TRUE(p.run(1, 1e-2));
  const double torque = 0.3 + 0.2 * 0.05 * 4 * 9.81;
  EXPECT_NEAR(p.state.spin[0].z, 6 - torque, 1e-6);
}

// A drive that is too weak pushes with all it has; one that is strong enough arrives and stays.
TEST(Displacement, SaturatesADrive) {
  // 5 N on 2 kg, against a target far away.
  Moving weak = displaced(slide("drive slide 100 stiffness 1000 max 5;"));
  weak.state.velocity[0] = {};
  ASSERT_TRUE(weak.run(1, 1e-2));
  EXPECT_NEAR(weak.state.velocity[0].x, 2.5, 1e-9);
  EXPECT_NEAR(weak.state.multiplier[weak.m.joints[0].firstSlot + 5], 5, 1e-12);
  // Stiff beyond what an explicit step could bear: k dt² = 100 m.
  Moving strong = displaced(slide("drive slide 1 stiffness 2000000 damping 2000;"));
  strong.state.velocity[0] = {};
  ASSERT_TRUE(strong.run(2, 1e-2));
  EXPECT_NEAR(strong.state.position[0].x, 1, 1e-6);
  // Held against a load: x = target + F/k.
  Moving held = displaced(slide("drive slide 1 stiffness 400 damping 60;", "gravity -2 0 0;"));
  ASSERT_TRUE(held.run(5, 1e-2));
  EXPECT_NEAR(held.state.position[0].x, 1 - 2 * 2 / 400.0, 1e-9);
}

// A soft row is a spring that obeys backward Euler: λ = -k x' with x' at the end of the step.
TEST(Displacement, TakesSpringsImplicitly) {
  Moving p = displaced(slide("spring slide stiffness 800 damping 10;", "gravity 0 0 0;"));
  const double dt = 0.02, m = 2, k = 800, c = 10;
  double x = 0, v = 3;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(p.step(dt));
    v = (m * v - dt * k * x) / (m + dt * c + dt * dt * k);
    x += dt * v;
    ASSERT_NEAR(p.state.position[0].x, x, 1e-8) << i;
  }
}

// A ball set down sliding: it rolls at once, with the speed that friction's impulse at the floor leaves
// it, 5/7 of the first; and rolls on.
TEST(Displacement, RollsWithoutSlipping) {
  Moving p = displaced(kGravity + R"(
solid ball sphere 0.5; at 0 0.5 0; velocity 7 0 0; end
joint rolling floor object2 ball; point1 0 0 0; axis1 0 1 0; point2 0 0 0; axis2 0 0 1;
  radius 0; crown 0.5; end
)");
  ASSERT_TRUE(p.step(1e-3));
  EXPECT_NEAR(p.state.velocity[0].x, 5, 1e-3);
  ASSERT_TRUE(p.run(1, 1e-3));
  EXPECT_NEAR(p.state.velocity[0].x, 5, 1e-3);
  EXPECT_NEAR(p.state.spin[0].z, -10, 1e-2);
  EXPECT_NEAR(p.state.position[0].y, 0.5, 1e-9);
}

}  // namespace
}  // namespace tenon::test
