// What each lower pair locks and leaves, against closed forms.
#include <gtest/gtest.h>
#include <tenon/joint.h>

#include <cmath>
#include <string>

#include "joints/lift.h"
#include "two_solids.h"

namespace tenon::test {
namespace {

// Faure's Table 1, and the pairs beyond it: which of ti tj tk ri rj rk are locked.
TEST(LowerPairs, LockWhatTheTableSays) {
  const std::pair<const char*, const char*> table[] = {
      {"ball", "xxx..."},      {"pin", "xxx.xx"},           {"cylindrical", ".xx.xx"},
      {"prismatic", ".xxxxx"}, {"point-on-line", ".xx..."}, {"point-on-plane", "x....."},
      {"planar", "x...xx"},    {"hooke", "xxx..x"},         {"weld", "xxxxxx"},
      {"parallel", "....xx"},
  };
  for (const auto& [name, mask] : table) {
    const JointKind* kind = findJointKind(name);
    ASSERT_NE(kind, nullptr) << name;
    int locked = 0;
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ((kind->locked >> i) & 1u, mask[i] == 'x' ? 1u : 0u) << name << i;
      locked += mask[i] == 'x';
    }
    EXPECT_EQ(kind->residualCount, locked);
    EXPECT_EQ(kind->freeCount, 6 - locked);

    // By behaviour: a small motion along a locked direction changes a residual, along a free one
    // none (to first order).
    Held joint(name);
    const double h = 1e-6;
    for (int i = 0; i < 6; ++i) {
      Vec3 d;
      d[i % 3] = h;
      const JointValues v = joint.at(i < 3 ? Pose{d, {}} : Pose{{}, exponential(d)});
      double change = 0;
      for (int g = 0; g < kind->residualCount; ++g)
        change = std::max(change, std::abs(v.residual[g]));
      EXPECT_NEAR(change, mask[i] == 'x' ? h : 0, 1e-12) << name << i;
    }
  }
}

TEST(Pin, AngleCountsTurns) {
  Held pin("pin");
  for (int step = 0; step <= 100; ++step) {
    const double angle = 0.3 * step;  // almost five turns
    pin.place({{}, turned({1, 0, 0}, angle)});
    EXPECT_NEAR(pin.coordinate("angle"), angle, 1e-12);
    rememberTurns(pin.m, pin.state);
  }
  for (int step = 100; step >= -100; --step) {
    pin.place({{}, turned({1, 0, 0}, 0.3 * step)});
    EXPECT_NEAR(pin.coordinate("angle"), 0.3 * step, 1e-12);
    rememberTurns(pin.m, pin.state);
  }
}

// The rotation error is the angle between the axes at any hinge angle: no second root, no sine.
TEST(Pin, ErrorIsTheTiltOfTheAxisWhateverTheHingeAngle) {
  Held pin("pin");
  for (const double tilt : {1e-9, 1e-4, 0.3, 0.31, 0.32, 1.0, 2.0, 3.0, 3.14, kPi})
    for (const double hinge : {0.0, 1.0, 2.5, -3.0}) {
      const JointValues v = pin.at({{}, turned({0, 0.6, 0.8}, tilt) * turned({1, 0, 0}, hinge)});
      EXPECT_NEAR(std::hypot(v.residual[3], v.residual[4]), tilt, 2e-6 * (tilt > 3.13) + 1e-13);
      if (tilt < 3.14) {
        EXPECT_NEAR(v.residual[3], 0.6 * tilt, 1e-12);
        EXPECT_NEAR(v.residual[4], 0.8 * tilt, 1e-12);
        EXPECT_NEAR(v.coordinate[0], hinge, 1e-12);
      }
    }
}

// Opposed axes are half a turn apart however they came to be so: no second root.
TEST(Pin, OpposedAxesAreHalfATurnApart) {
  Held pin("pin");
  for (const Vec3& axis : {Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{0, 0.6, -0.8}})
    for (const double off : {0.0, 1e-16, 1e-12, 1e-9, 3e-7, 5e-7, 1e-6, 2e-6})
      for (const double sign : {1.0, -1.0}) {
        const JointValues v = pin.at({{}, turned(axis, kPi + sign * off)});
        EXPECT_NEAR(std::hypot(v.residual[3], v.residual[4]), kPi, 4e-6) << off;
      }
}

TEST(Distance, IsTheLengthOfTheRod) {
  Held rod("distance");
  rod.m.options = {2.5};
  EXPECT_NEAR(rod.at({{3, 4, 12}, {}}).residual[0], 13 - 2.5, 1e-15);
}

TEST(Angle, IsBetweenTheMainAxes) {
  Held joint("angle");
  for (const double lean : {0.0, 1e-3, 1.0, 3.0, kPi})
    EXPECT_NEAR(joint.at({{}, turned({0, 0.6, 0.8}, lean) * turned({1, 0, 0}, 2)}).coordinate[0],
                lean, 1e-9);
}

TEST(Twist, IsWhatIsLeftAfterTheSwing) {
  Held joint("twist");
  for (const double twist : {-2.0, -0.3, 0.0, 0.7, 3.0})
    EXPECT_NEAR(joint.at({{}, turned({1, 0, 0}, twist)}).coordinate[0], twist, 1e-14);
  // A pure swing has none, whichever way it goes.
  for (const double swing : {0.5, 1.5, 2.5})
    EXPECT_NEAR(joint.at({{}, turned({0, 0.6, 0.8}, swing)}).coordinate[0], 0, 1e-14);
}

TEST(Weld, ErrorIsTheRotationVector) {
  Held weld("weld");
  const Vec3 w{0.3, -0.7, 1.9};
  const JointValues v = weld.at({{1, 2, 3}, exponential(w)});
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(v.residual[i], i + 1, 1e-14);
    EXPECT_NEAR(v.residual[3 + i], w[i], 1e-14);
  }
}

TEST(Hooke, AnglesAreThoseOfItsTwoAxes) {
  Held hooke("hooke");
  for (const double a : {-1.2, 0.4, 2.9})
    for (const double b : {-2.0, 0.0, 1.1}) {
      const JointValues v = hooke.at({{}, turned({1, 0, 0}, a) * turned({0, 1, 0}, b)});
      EXPECT_NEAR(v.residual[3], 0, 1e-15);
      // The same rotation has two descriptions, (α, β) and (α+π, π-β); the first is meant while
      // |β| < π/2 or told by memory.
      if (std::abs(b) < kPi / 2) {
        EXPECT_NEAR(v.coordinate[0], a, 1e-14);
        EXPECT_NEAR(v.coordinate[1], b, 1e-14);
      }
    }
}

TEST(Cylindrical, SlidesAndTurnsIndependently) {
  Held joint("cylindrical");
  const JointValues v = joint.at({{2.5, 0.1, -0.2}, turned({1, 0, 0}, 0.7)});
  EXPECT_NEAR(v.residual[0], 0.1, 1e-15);
  EXPECT_NEAR(v.residual[1], -0.2, 1e-15);
  EXPECT_EQ(joint.coordinate("slide"), 2.5);
  EXPECT_NEAR(joint.coordinate("angle"), 0.7, 1e-15);
}

TEST(Ball, SwingAndTwistAreThoseOfTheMainAxis) {
  Held ball("ball");
  ball.place({{}, turned({0, 0, 1}, 0.8) * turned({1, 0, 0}, 0.5)});
  EXPECT_NEAR(ball.coordinate("swing"), 0.8, 1e-14);
  // Projected along the bisector of the axes, what lies along the lean shrinks by cos 0.4.
  const double twist = std::atan2(std::sin(0.5), std::cos(0.4) * std::cos(0.5));
  EXPECT_NEAR(ball.coordinate("twist"), twist, 1e-14);
  ball.place({{}, turned({1, 0, 0}, 0.5)});
  EXPECT_NEAR(ball.coordinate("twist"), 0.5, 1e-14);
}

// Prescribed motion, limits, springs and drives are rows on coordinates, with the right signs.
TEST(Rules, HaveTheSignsAndBoundsOfTheirKind) {
  Held pin("pin");
  MechanismJoint& joint = pin.m.joints[0];
  const auto add = [&](CoordinateRule::Kind kind) -> MechanismRule& {
    MechanismRule rule;
    rule.kind = kind;
    rule.coordinate = 0;
    rule.lower = -kInfinity;
    rule.upper = kInfinity;
    rule.maxForce = kInfinity;
    pin.m.rules.push_back(rule);
    joint.rules = {0, static_cast<Index>(pin.m.rules.size())};
    return pin.m.rules.back();
  };
  MechanismRule& limit = add(CoordinateRule::Kind::Limit);
  limit.lower = -0.5;
  limit.upper = 0.25;
  MechanismRule& spring = add(CoordinateRule::Kind::Spring);
  spring.stiffness = 30;
  spring.damping = 2;
  spring.target.offset = 0.1;
  MechanismRule& drive = add(CoordinateRule::Kind::Drive);
  drive.stiffness = 100;
  drive.maxForce = 5;
  MechanismRule& prescribe = add(CoordinateRule::Kind::Prescribe);
  prescribe.target.rate = 3;
  prescribe.compliance = 0.5;

  pin.place({{}, turned({1, 0, 0}, 0.2)});
  pin.state.spin[1] = {1.5, 0, 0};
  pin.state.velocity[1] = {};
  pin.state.time = 2;
  Control control = initialControl(pin.m);
  control.target[2] = 0.05;
  Rows rows;
  emitRows(pin.m, control, pin.state, rows);
  ASSERT_EQ(rows.rows.size(), 10u);  // five residuals, two ends of the limit, three more
  const Row& low = rows.rows[5];
  EXPECT_NEAR(low.error, 0.7, 1e-14);
  EXPECT_NEAR(low.rate, 1.5, 1e-14);
  EXPECT_EQ(low.lower, 0);
  EXPECT_FALSE(low.equality);
  const Row& high = rows.rows[6];
  EXPECT_NEAR(high.error, 0.05, 1e-14);
  EXPECT_NEAR(high.rate, -1.5, 1e-14);
  EXPECT_EQ(high.lower, 0);
  EXPECT_NE(high.key, low.key);
  const Row& soft = rows.rows[7];
  EXPECT_NEAR(soft.error, 0.1, 1e-14);
  EXPECT_EQ(soft.stiffness, 30);
  EXPECT_EQ(soft.damping, 2);
  EXPECT_FALSE(soft.equality);
  const Row& driven = rows.rows[8];
  EXPECT_NEAR(driven.error, 0.15, 1e-14);
  EXPECT_EQ(driven.upper, 5);
  EXPECT_EQ(driven.lower, -5);
  const Row& prescribed = rows.rows[9];
  EXPECT_NEAR(prescribed.error, 0.2 - 6, 1e-14);
  EXPECT_NEAR(prescribed.rate, 1.5 - 3, 1e-14);
  EXPECT_NEAR(prescribed.timeRate, -3, 1e-14);
  EXPECT_EQ(prescribed.stiffness, 2);
  EXPECT_TRUE(prescribed.equality);
}

// A joint on a moving, animated solid: its known acceleration belongs to the drift.
TEST(Rows, DriftHoldsTheAccelerationOfAnimatedSolids) {
  Held ball("ball");
  ball.m.joints[0].solid1 = 0;
  ball.m.solids[0].kind = SolidKind::Animated;
  ball.m.solids[0].path = 0;
  CompiledPath path;
  path.solid = 0;
  path.uniform = false;
  path.p[0].amplitude = 2;
  path.p[0].angularFrequency = 3;
  path.q[1].rate = 0.4;
  path.q[3].offset = 1;
  ball.m.paths.push_back(path);
  ball.m.joints[0].frame1 = {{0.3, 0.4, 0.5}, {}};
  const auto rowsAt = [&ball](double time) {
    State s = movedOn(ball.state, time);
    followPaths(ball.m, s);
    Rows rows;
    emitRows(ball.m, initialControl(ball.m), s, rows);
    return rows;
  };
  const double h = 1e-5, t = 0.7;
  const Rows plus = rowsAt(t + h), minus = rowsAt(t - h), rows = rowsAt(t);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_NEAR(rows.rows[r].drift, (plus.rows[r].rate - minus.rows[r].rate) / (2 * h), 1e-7);
    EXPECT_NEAR(rows.rows[r].rate, (plus.rows[r].error - minus.rows[r].error) / (2 * h), 1e-7);
  }
}

// A rough look at a ball says "far" only where all its coordinates are within their bounds, and nearly always where they
// are well within.
TEST(LowerPairs, ARoughLookAtABallTakesNoneForFarThatIsNot) {
  Held ball("ball");
  Random random(7);
  int far = 0, within = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    ball.place({{}, random.rotation()});
    ball.m.rules.clear();
    for (Index c = 0; c < 5; ++c) {
      MechanismRule rule;
      rule.kind = CoordinateRule::Kind::Limit;
      rule.coordinate = c;
      rule.lower = random.uniform(-3.5, 0);
      rule.upper = random.uniform(0, 3.5);
      if (random.uniform() < 0.3) ball.m.rules.push_back(rule);
    }
    ball.m.joints[0].rules = {0, static_cast<Index>(ball.m.rules.size())};
    ball.state.memory.assign(ball.state.memory.size(), 0);
    const JointValues values = jointValues(ball.m, ball.state, 0);
    double least = kInfinity;
    for (const MechanismRule& rule : ball.m.rules)
      least = std::min({least, values.coordinate[rule.coordinate] - rule.lower,
                        rule.upper - values.coordinate[rule.coordinate]});
    const bool isFar = isFarFromLimits(ball.m, ball.m.joints[0], ball.state);
    EXPECT_TRUE(!isFar || least > 0) << trial;
    far += isFar ? 1 : 0;
    within += least > 0.1 ? 1 : 0;
  }
  EXPECT_GT(far, within / 2);
}

}  // namespace
}  // namespace tenon::test
