// Limits on the fast path: where none is reached they change nothing, and what reaches one goes by rows, by itself.
#include <algorithm>

#include "figures.h"

namespace tenon::test {
namespace {

void limitAll(Scene& scene, double lower, double upper) {
  for (Joint& joint : scene.joints) {
    CoordinateRule limit;
    limit.coordinate = joint.kind == "ball" ? "swing" : "angle";
    limit.lower = joint.kind == "ball" ? -kInfinity : lower;
    limit.upper = upper;
    joint.rules.push_back(limit);
  }
}
Scene crowd(int figures, const std::string& kind) {
  Figures made;
  for (int i = 0; i < figures; ++i) {
    Random random(5 + static_cast<std::uint64_t>(i));
    made.begin("f" + std::to_string(i));
    addTree(made, random, 5, Root::World, {4.0 * i, 0, 0}, kind);
  }
  return made.scene;
}

TEST(PackedLimits, ChangeNoBitWhereTheyAreIdle) {
  for (const Method method : kFastMethods)
    for (const char* kind : {"pin", "ball"}) {
      const Scene scene = crowd(5, kind);
      Scene limited = scene;
      limitAll(limited, -50, 50);
      Moving free = moving(scene, method), p = moving(limited, method);
      for (int i = 0; i < stepsOf(60); ++i) {
        ASSERT_TRUE(free.step(1.0 / 60) && p.step(1.0 / 60));
        ASSERT_TRUE(p.report.fast) << i;
      }
      EXPECT_EQ(free.state.position, p.state.position);
      EXPECT_EQ(free.state.spin, p.state.spin);
    }
}

// Pendulums that fall onto a stop: each lies on it in the end, and those that have none swing on as they would.
TEST(PackedLimits, HoldWhatReachesThem) {
  for (const Method method : kFastMethods) {
    const Scene scene = [] {
      Figures made;
      Random random(1);
      for (int i = 0; i < 6; ++i) {
        made.begin("p" + std::to_string(i));
        const Vec3 at{3.0 * i, 0, 0};
        const std::size_t rod = made.box({at + Vec3{0.5, 0, 0}, {}}, {1, 0.1, 0.1});
        const Pose frame{at, rotationBetween({1, 0, 0}, {0, 0, 1})};
        Joint& hinge = made.join("pin", kTheWorld, rod, frame, random);
        hinge.frame2 = inverse(made.scene.solids[rod].pose) * frame;
        if (i % 2 == 0) continue;
        CoordinateRule limit;
        limit.coordinate = "angle";
        limit.lower = -0.1 * i;
        hinge.rules.push_back(limit);
      }
      return made.scene;
    }();
    Moving p = moving(scene, method), general = moving(scene, method);
    general.settings.islands.fast = false;
    Moving free = moving(scene, method);
    free.m.rules.clear();
    for (MechanismJoint& joint : free.m.joints) joint.rules = {};
    free.m.stamp = stampOf(free.m);
    int left = 0;
    for (int i = 0; i < 90; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60) && general.step(1.0 / 60) && free.step(1.0 / 60));
      left += p.report.fast ? 0 : 1;
      for (Index j = 1; j < 6; j += 2)
        ASSERT_GT(jointValues(p.m, p.state, j).coordinate[0], -0.1 * j - 1e-7) << i;
      ASSERT_LT(p.error(), 1e-8);
      for (std::size_t s = 0; s < 6; ++s)
        ASSERT_LT(norm(p.state.position[s] - general.state.position[s]), 1e-5)
            << i << " " << s << nameOf(method);
    }
    EXPECT_EQ(left, 0);  // the kernel lets each rod land, and holds it from then on
    for (const std::size_t s : {0u, 2u, 4u})
      EXPECT_EQ(p.state.position[s], free.state.position[s]) << nameOf(method);
    // The push of a stop is remembered, for the next step and for who asks.
    for (Index j = 1; j < 6; j += 2) {
      const MechanismJoint& joint = p.m.joints[j];
      EXPECT_GT(p.state.multiplier[joint.firstSlot + static_cast<Index>(joint.kind->residualCount)],
                1)
          << j;
    }
  }
}

// Some at their limits and some not, by one thread or two, with fresh scratch or old: the same bits.
TEST(PackedLimits, LoseNothingWithTheScratch) {
  Scene scene = crowd(6, "pin");
  for (Joint& joint : scene.joints)
    if (joint.name.rfind("f1.", 0) == 0 || joint.name.rfind("f4.", 0) == 0) {
      Scene one;
      one.joints = {joint};
      limitAll(one, -0.05, 0.05);
      joint = one.joints[0];
      joint.frame2.q = {};
      joint.frame1.q = {};
    }
  for (const Method method : kFastMethods) {
    Moving kept = moving(scene, method), fresh = moving(scene, method), two = moving(scene, method);
    two.settings.islands.threads = 2;
    const auto settle = [](Moving& p) {  // with axes as they are now
      PoseScratch scratch;
      assemble(p.m, p.control, {}, {}, p.state, scratch);
    };
    for (Moving* p : {&kept, &fresh, &two}) settle(*p);
    int reached = 0;  // pushes of limits
    for (int i = 0; i < 60; ++i) {
      fresh.scratch = StepScratch();
      ASSERT_TRUE(kept.step(1.0 / 60) && fresh.step(1.0 / 60) && two.step(1.0 / 60));
      ASSERT_EQ(differenceOf(kept.state, fresh.state), "") << i;
      ASSERT_EQ(differenceOf(kept.state, two.state), "") << i;
      for (const MechanismRule& rule : kept.m.rules) {
        const MechanismJoint& joint = kept.m.joints[rule.joint];
        reached += kept.state.multiplier[joint.firstSlot + ownSlots(*joint.kind)] > 0 ? 1 : 0;
      }
    }
    EXPECT_GT(reached, 3) << nameOf(method);
  }
}

// A bound that is moved while it runs holds where it is now.
TEST(PackedLimits, FollowBoundsThatAreMoved) {
  Scene scene = crowd(2, "ball");
  limitAll(scene, -50, 50);
  Moving p = moving(scene, Method::Interactive);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(p.step(1.0 / 60));
  for (const double upper : {1.2, 0.8, 0.5}) {
    for (MechanismRule& rule : p.m.rules) rule.upper = upper;
    p.m.stamp = stampOf(p.m);
    for (int i = 0; i < stepsOf(60); ++i) ASSERT_TRUE(p.step(1.0 / 60));
    for (Index j = 0; j < p.m.joints.size(); ++j)
      EXPECT_LT(jointValues(p.m, p.state, j).coordinate[3], upper + 1e-6) << upper << " " << j;
  }
}

// Twist and swing of a ball while the solid tumbles: neither bound is passed, whatever the other does.
TEST(PackedLimits, KnowTheTwistOfASwungBall) {
  for (const Method method : kFastMethods) {
    Scene scene = crowd(3, "ball");
    for (Joint& joint : scene.joints) {
      joint.frame2.q = {};
      CoordinateRule twist;
      twist.coordinate = "twist";
      twist.lower = -0.4;
      twist.upper = 0.4;
      joint.rules.push_back(twist);
    }
    Moving p = moving(scene, method);
    PoseScratch scratch;
    assemble(p.m, p.control, {}, {}, p.state, scratch);
    kick(p, 3, 4);
    int reached = 0;
    double swing = 0;
    for (int i = 0; i < stepsOf(90); ++i) {
      ASSERT_TRUE(p.step(1.0 / 120));
      for (Index j = 0; j < p.m.joints.size(); ++j) {
        const JointValues at = jointValues(p.m, p.state, j);
        swing = std::max(swing, at.coordinate[3]);
        reached += std::abs(at.coordinate[4]) > 0.4 - 1e-7 ? 1 : 0;
        ASSERT_LT(std::abs(at.coordinate[4]), 0.4 + 1e-6) << i << " " << j << nameOf(method);
      }
    }
    EXPECT_GT(swing, 1.2) << nameOf(method);
    EXPECT_GT(reached, 0) << nameOf(method);
  }
}

// A pin that comes to its limit just where a step ends, and runs on in the next: it stops, as one does that gets there within a step.
// So does a point at the end of its rope.
TEST(PackedLimits, StopWhatReachesThemAtTheEndOfAStep) {
  const std::string pin = R"(gravity 0 0 0;
solid a box 0.4 0.4 0.1; at 0 0 0; spin 0 0 3; end
joint pin p object2 a; at 0 0 0; axis 0 0 1; limit angle max 0.3rad; end
)";
  const std::string rope = R"(gravity 0 0 0;
solid a box 0.2 0.1 0.1; at 0.5 0 0; velocity 3 0 0; mass 2; end
joint rope r object2 a; point1 0 0 0; point2 0 0 0; length 0.8; end
)";
  for (const bool fast : {true, false})
    for (const std::string& text : {pin, rope}) {
      Moving p = moving(text, Method::Energy);
      p.settings.islands.fast = fast;
      for (int i = 0; i < 40; ++i) ASSERT_TRUE(p.step(0.0125));
      EXPECT_LT(norm(p.state.spin[0]) + norm(p.state.velocity[0]), 1e-8) << fast << text;
    }
}

// What runs into two limits at once loses all of the speed that they do not allow, by kernels and by rows.
TEST(PackedLimits, StopAllThatRunsIntoACornerOfThem) {
  const std::string ball = R"(gravity 0 0 0;
solid a box 0.4 0.3 0.1; at 0 0 0; spin 5 4 6; end
joint ball b object2 a; at 0 0 0; limit rx max 0.05rad; limit ry max 0.04rad; end
)";
  Moving kernel = moving(ball, Method::Energy), rows = moving(ball, Method::Energy);
  rows.settings.islands.fast = false;
  ASSERT_TRUE(kernel.step(0.0125) && rows.step(0.0125));
  EXPECT_TRUE(kernel.report.fast);
  EXPECT_LT(norm(kernel.state.spin[0]), 7);  // of 8.8
  EXPECT_LT(norm(kernel.state.spin[0] - rows.state.spin[0]), 1e-9);
}

}  // namespace
}  // namespace tenon::test
