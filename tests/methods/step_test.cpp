// Methods against truth: closed forms, conserved quantities, orders of convergence, and each method's
// own fingerprint.
#include "math/rotation.h"
#include "moving.h"

namespace tenon::test {
namespace {

constexpr Method kMethods[] = {Method::Displacement, Method::Shake,    Method::Relaxation,
                               Method::Baumgarte,    Method::Implicit, Method::Poststabilized,
                               Method::Recursive};

const std::string kFree = "gravity 0 -9.81 0; solid a sphere 0.1; velocity 1 2 3; spin 0 4 0; end";

TEST(Methods, FallFreely) {
  for (const Method method : kMethods) {
    Moving p(kFree);
    p.settings.method = method;
    ASSERT_TRUE(p.run(1, 1e-3));
    EXPECT_NEAR(p.state.time, 1, 1e-12);
    EXPECT_NEAR(p.state.position[0].x, 1, 1e-9);
    // Runge-Kutta is exact here; the others are of first order.
    const bool exact = method == Method::Poststabilized || method == Method::Baumgarte ||
                       method == Method::Recursive;
    const double tolerance = exact ? 1e-11 : 6e-3;
    EXPECT_NEAR(p.state.position[0].y, 2 - 0.5 * 9.81, tolerance) << nameOf(method);
    EXPECT_NEAR(p.state.velocity[0].y, 2 - 9.81, 1e-9) << nameOf(method);
    EXPECT_NEAR(p.state.spin[0].y, 4, 1e-9) << nameOf(method);
  }
}

const std::string kPendulum = R"(
gravity 0 -9.81 0;
solid bob point-mass; mass 1; at 1 0 0; end
joint distance string object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)";

// A pendulum let go at a right angle passes its lowest point after K(sin 45°) √(l/g), a quarter period.
TEST(Methods, SwingWithThePeriodOfTheEllipticIntegral) {
  const double quarter = 1.8540746773013719 * std::sqrt(1 / 9.81);
  double last = 0;
  for (const int steps : {100, 200, 400}) {
    Moving p(kPendulum);
    p.settings.method = Method::Poststabilized;
    ASSERT_TRUE(p.run(quarter, quarter / steps));
    const double off = norm(p.state.position[0] - Vec3{0, -1, 0});
    EXPECT_LT(p.error(), 1e-10);
    if (last > 0) {
      EXPECT_LT(off, last / 13) << steps;  // fourth order: sixteen times less
    }
    last = off;
  }
  EXPECT_LT(last, 1e-8);
  for (const Method method : {Method::Displacement, Method::Implicit}) {  // first order
    last = 0;
    for (const int steps : {400, 800, 1600}) {
      Moving p(kPendulum);
      p.settings.method = method;
      ASSERT_TRUE(p.run(quarter, quarter / steps));
      const double off = norm(p.state.position[0] - Vec3{0, -1, 0});
      if (last > 0) {
        EXPECT_LT(off, last / 1.8) << nameOf(method) << steps;
      }
      last = off;
    }
    EXPECT_LT(last, 5e-3);
  }
}

// A free top keeps its angular momentum and its energy; Runge-Kutta to the fourth order.
TEST(Poststabilized, KeepsAFreeTopSpinning) {
  double last = 0;
  for (const double dt : {4e-3, 2e-3, 1e-3}) {
    Moving p("gravity 0 0 0; solid a box 0.1 0.2 0.4; spin 1 6 0.5; end");
    p.settings.method = Method::Poststabilized;
    const Vec3 before = momentum(p.m, p.state).angular;
    const double energy = p.energy();
    ASSERT_TRUE(p.run(2, dt));
    const double off = norm(momentum(p.m, p.state).angular - before) / norm(before);
    EXPECT_LT(std::abs(p.energy() - energy) / energy, 1e-5);
    if (last > 0) {
      EXPECT_LT(off, last / 12);
    }
    last = off;
  }
  EXPECT_LT(last, 1e-9);
}

// The drift of positions and velocities is corrected: energy is kept to the integrator's order on a
// closed loop with redundant joints, too.
TEST(Poststabilized, MovesAClosedLoop) {
  Moving p(R"(
gravity 0 -9.81 0;
solid a box 1 0.1 0.1; at 0 0.5 0; turn 0 0 1 90deg; end
solid b box 1 0.1 0.1; at 0.5 1 0; end
solid c box 1 0.1 0.1; at 1 0.5 0; turn 0 0 1 90deg; end
joint pin O object2 a; at 0 0 0; axis 0 0 1; end
joint pin A object1 a; object2 b; at 0 1 0; axis 0 0 1; end
joint pin B object1 b; object2 c; at 1 1 0; axis 0 0 1; end
joint pin C object2 c; at 1 0 0; axis 0 0 1; drive angle 0 stiffness 0; end
)");
  p.state.spin[0] = p.state.spin[2] = {0, 0, -1};
  p.state.velocity[0] = p.state.velocity[2] = {0.5, 0, 0};
  p.state.velocity[1] = {1, 0, 0};
  const double energy = p.energy();
  ASSERT_TRUE(p.run(1, 1e-3));
  EXPECT_LT(p.error(), 1e-9);
  EXPECT_LT(std::abs(p.energy() - energy) / energy, 1e-6);
  EXPECT_LT(p.state.position[1].y, 0.9);  // it has moved
}

// A bound that the linear correction overshoots still stops what ran into it: the otary falls into its
// limits and loses as much there as by `energy`.
TEST(Poststabilized, StopsAtBoundsThatItsCorrectionOvershoots) {
  double left[2] = {}, start = 0;
  for (const Method method : {Method::Energy, Method::Poststabilized}) {
    Moving p(loadScene(TENON_SOURCE_DIR "/scenes/gascuel/otary.tenon"));
    p.settings.method = method;
    start = p.energy();
    ASSERT_TRUE(p.run(0.3, 0.01));
    left[method == Method::Energy ? 0 : 1] = p.energy();
  }
  EXPECT_LT(left[0], start - 40);
  EXPECT_NEAR(left[1], left[0], 5);
}

// ---------------------------------------------------------------------------------- fingerprints

const std::string kBead = R"(
gravity 0 0 0;
solid bead point-mass; mass 1; at 50 0 0; velocity 0 50 0; end
joint distance hoop object2 bead; point1 0 0 0; point2 0 0 0; length 50; end
joint point-on-plane sheet object2 bead; point1 0 0 0; axis1 0 0 1; point2 0 0 0; end
)";

// Implicit enforcement holds the linearized constraint: going straight along the tangent for a step, the
// bead ends √(r² + d²) - r outside, d = v dt.                                   [Jeon §3.2]
TEST(Implicit, LeavesTheBeadOutsideByTheSagOfTheTangent) {
  for (const double dt : {0.01, 0.05, 0.1}) {
    Moving p(kBead);
    p.settings.method = Method::Implicit;
    ASSERT_TRUE(p.run(dt, dt));
    const double d = 50 * dt;
    EXPECT_NEAR(norm(p.state.position[0]) - 50, std::sqrt(2500 + d * d) - 50, 1e-6) << dt;
    ASSERT_TRUE(p.run(20 * dt, dt));
    EXPECT_LT(std::abs(p.error()), 1.1 * (std::sqrt(2500 + d * d) - 50) + 1e-9) << dt;
  }
  Moving large(kBead);  // bounded, though far off
  large.settings.method = Method::Implicit;
  ASSERT_TRUE(large.run(40, 2));
  EXPECT_LT(large.error(), 100);
}

// Baumgarte's feedback with Euler's step: the error falls at dt = 0.01, and it blows up at 0.1.
TEST(Baumgarte, ConvergesAtSmallStepsAndBlowsUpAtLargeOnes) {
  const auto ends = [](double dt) {
    Moving p(kBead);
    p.state.position[0] = {65, 0, 0};
    p.state.velocity[0] = {4.975, 49.75, 0};
    p.settings.method = Method::Baumgarte;
    p.settings.integrator = Integrator::Euler;
    const bool finite = p.run(5, dt);
    return finite ? p.error() : kInfinity;
  };
  EXPECT_LT(ends(0.01), 0.1);
  EXPECT_GT(ends(0.1), 15);
}

// Shake keeps energy in a band that shrinks as dt², angular momentum and joints to rounding.
TEST(Shake, KeepsEnergyInABandThatShrinksWithTheSquareOfTheStep) {
  double last = 0;
  for (const double dt : {1.0 / 60, 1.0 / 120, 1.0 / 240}) {
    Moving p = freeChain();
    p.settings.method = Method::Shake;
    p.settings.tolerance = 1e-12;
    ASSERT_TRUE(p.run(1, dt));  // past the start, which the joints have not seen
    const double energy = p.energy();
    const Momentum before = momentum(p.m, p.state);
    double band = 0;
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(p.run(0.5, dt));
      band = std::max(band, std::abs(p.energy() - energy) / energy);
    }
    EXPECT_LT(p.error(), 1e-11);
    EXPECT_LT(norm(momentum(p.m, p.state).angular - before.angular), 1e-8 * norm(before.angular));
    EXPECT_LT(norm(momentum(p.m, p.state).linear - before.linear), 1e-9 * norm(before.angular));
    if (last > 0) {
      EXPECT_LT(band, last / 3) << dt;
    }
    last = band;
  }
  EXPECT_LT(last, 1e-3);
}

// Gascuel's corrections close a swinging chain a little at a time: hundreds of them for what one solve
// of Faure's does. The motion is alike, not the same: eqs 18 and 19 trade rotation for translation.
TEST(Relaxation, SwingsLikeDisplacementWithManyMoreCorrections) {
  const std::string text = R"(
gravity 0 -9.81 0;
solid a box 0.4 0.3 0.3; at 0.2 0 0; end
solid b box 0.4 0.3 0.3; at 0.6 0 0; end
joint ball hook object2 a; at 0 0 0; end
joint ball middle object1 a; object2 b; at 0.4 0 0; end
)";
  Moving one(text), other(text);
  one.settings.method = Method::Relaxation;
  one.settings.feedback.alpha = 0.5;
  other.settings.method = Method::Displacement;
  int ours = 0, theirs = 0;
  for (int i = 0; i < 200; ++i) {
    one.settings.tolerance = other.settings.tolerance = 1e-8;
    const StepReport a =
        tenon::step(one.m, one.control, one.settings, 2e-3, one.state, one.scratch);
    const StepReport b =
        tenon::step(other.m, other.control, other.settings, 2e-3, other.state, other.scratch);
    ASSERT_TRUE(a.finite && b.finite);
    ours += a.iterations;
    theirs += b.iterations;
  }
  EXPECT_LT(one.error(), 1e-7);
  EXPECT_GT(ours, 5 * theirs);
  EXPECT_LT(norm(one.state.position[1] - other.state.position[1]), 0.1);
  EXPECT_LT(one.state.position[1].y, -0.2);  // it has fallen
}

// --------------------------------------------------------------------------- limits, friction, time

TEST(Methods, StopAtLimits) {
  for (const Method method : {Method::Displacement, Method::Shake, Method::Implicit,
                              Method::Poststabilized, Method::Recursive}) {
    Moving p(R"(
gravity 0 -9.81 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; limit angle min -0.5; end
)");
    p.settings.method = method;
    ASSERT_TRUE(p.run(2, 1e-3));
    EXPECT_NEAR(jointValues(p.m, p.state, 0).coordinate[0], -0.5, 5e-3) << nameOf(method);
    EXPECT_LT(norm(p.state.spin[0]), 0.05) << nameOf(method);
  }
}

TEST(Methods, RubToAStandstill) {
  for (const Method method : kMethods) {
    Moving p(R"(
gravity 0 0 0;
solid a cylinder 0.5 0.1; spin 0 4 0; end
joint pin axle object2 a; at 0 0 0; axis 0 1 0; friction angle 2; end
)");
    p.settings.method = method;
    const double inertia = p.m.solids[0].inertia(1, 1);
    const double stop = 4 * inertia / 2;  // ω I / τ
    ASSERT_TRUE(p.run(0.5 * stop, stop / 1000));
    EXPECT_NEAR(norm(p.state.spin[0]), 2, 0.02) << nameOf(method);
    ASSERT_TRUE(p.run(0.7 * stop, stop / 1000));
    EXPECT_LT(norm(p.state.spin[0]), 0.02) << nameOf(method);
  }
}

TEST(Methods, FollowWhatIsPrescribed) {
  for (const Method method : {Method::Displacement, Method::Shake, Method::Implicit,
                              Method::Poststabilized, Method::Recursive}) {
    Moving p(R"(
gravity 0 -9.81 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; prescribe angle rate 2; end
)");
    p.state.spin[0] = {0, 0, 2};
    p.state.velocity[0] = {0, 1, 0};
    p.settings.method = method;
    ASSERT_TRUE(p.run(3, 1e-3));
    EXPECT_NEAR(jointValues(p.m, p.state, 0).coordinate[0], 6, 1e-2) << nameOf(method);
  }
}

TEST(Methods, RollWithoutSlipping) {
  for (const Method method : {Method::Implicit, Method::Poststabilized, Method::Recursive}) {
    Moving p(R"(
gravity 0 -9.81 0;
solid wheel sphere 0.5; at 0 0.5 0; velocity 1 0 0; spin 0 0 -2; end
joint rolling floor object2 wheel; point1 0 0 0; axis1 0 1 0; point2 0 0 0; axis2 0 0 1;
  radius 0; crown 0.5; end
)");
    p.settings.method = method;
    ASSERT_TRUE(p.run(2, 1e-3));
    EXPECT_NEAR(p.state.position[0].x, 2, 1e-3) << nameOf(method);
    EXPECT_NEAR(p.state.position[0].y, 0.5, 1e-6) << nameOf(method);
    EXPECT_NEAR(p.state.spin[0].z, -2, 1e-3) << nameOf(method);
  }
}

TEST(Methods, RefuseWhatIsNotFinite) {
  for (const Method method : kMethods) {
    Moving p(kPendulum);
    p.settings.method = method;
    p.state.velocity[0].x = 1e200;
    const State before = p.state;
    bool finite = true;
    for (int i = 0; i < 5 && finite; ++i)
      finite = step(p.m, p.control, p.settings, 1e150, p.state, p.scratch).finite;
    EXPECT_FALSE(finite) << nameOf(method);
    EXPECT_EQ(p.state.time, before.time) << nameOf(method);
    EXPECT_TRUE(isFinite(p.state.position[0])) << nameOf(method);
  }
}

TEST(Methods, HaveNames) {
  for (const std::string& name : methodNames()) {
    Method method{};
    EXPECT_TRUE(fromName(name, method));
    EXPECT_EQ(nameOf(method), name);
  }
  Method method{};
  EXPECT_FALSE(fromName("newton", method));
}

}  // namespace
}  // namespace tenon::test
