// What the fast path is given that it should not be given, and how soon it is done with the rest.
#include <functional>
#include <limits>

#include "figures.h"

namespace tenon::test {
namespace {

constexpr double kStep = 1.0 / 60;

TEST(Packed, RefusesWhatIsNoNumber) {
  for (const Method method : kFastMethods)
    for (const bool loop : {false, true})
      for (const double no : {std::numeric_limits<double>::quiet_NaN(), kInfinity}) {
        Random random(3);
        Figures figures;
        if (loop)
          addLadder(figures, random, 3, true);
        else
          addTree(figures, random, 5, Root::World);
        Moving p = moving(figures.scene, method);
        ASSERT_TRUE(p.step(kStep));
        ASSERT_TRUE(p.report.fast);
        p.state.velocity[2].y = no;
        const State before = p.state;
        EXPECT_FALSE(p.step(kStep));
        EXPECT_FALSE(p.report.finite);
        EXPECT_EQ(p.state.time, before.time);
        EXPECT_EQ(p.state.position, before.position);
      }
}

// One figure of a crowd, or a solid that only stands there: nothing of the others has moved, either.
TEST(Packed, PutsAllFiguresBackWhereOneIsRefused) {
  for (const Method method : kFastMethods)
    for (const int threads : {1, 2})
      for (const bool standing : {false, true}) {
        Random random(3);
        Figures figures;
        for (int i = 0; i < 9; ++i) {
          figures.begin("f" + std::to_string(i));
          addTree(figures, random, 5, Root::World, {3.0 * i, 0, 0}, "pin");
        }
        figures.begin("ladder");
        addLadder(figures, random, 3, true);
        figures.box({}, {1, 1, 1}, {}, SolidKind::Immobile);
        Moving p = moving(figures.scene, method);
        p.settings.islands.threads = threads;
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(p.step(kStep));
        ASSERT_TRUE(p.report.fast);
        const std::size_t solid = standing ? p.state.spin.size() - 1 : 12;
        const State good = p.state;
        p.state.spin[solid].z = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(p.step(kStep));
        EXPECT_FALSE(p.report.finite);
        p.state.spin[solid].z = good.spin[solid].z;
        EXPECT_EQ(differenceOf(p.state, good), "") << nameOf(method) << threads << standing;
        EXPECT_TRUE(p.step(kStep));
        EXPECT_TRUE(p.report.fast);
      }
}

// Numbers so large that the kernels overflow: refused, or finite in the end, never something else.
TEST(Packed, StaysFiniteWhereNumbersOverflow) {
  for (const Method method : kFastMethods)
    for (const bool loop : {false, true})
      for (const double large : {1e30, 1e160, 1e300}) {
        Random random(3);
        Figures figures;
        if (loop)
          addLadder(figures, random, 3, true);
        else
          addTree(figures, random, 5, Root::Free);
        Moving p = moving(figures.scene, method);
        p.state.spin[1] = {large, 0, large};
        const State before = p.state;
        if (!p.step(kStep)) {
          EXPECT_EQ(p.state.position, before.position);
        }
        for (const Vec3& x : p.state.position) EXPECT_TRUE(isFinite(x)) << large;
        for (const Vec3& v : p.state.velocity) EXPECT_TRUE(isFinite(v)) << large;
      }
}

TEST(Packed, LeavesOpenJointsToTheGeneralPath) {
  for (const Method method : kFastMethods)
    for (const bool loop : {false, true}) {
      Random random(3);
      Figures figures;
      if (loop)
        addLadder(figures, random, 3, true);
      else
        addTree(figures, random, 5, Root::World);
      Moving p = moving(figures.scene, method);
      p.state.position[1] += Vec3{0, 0.002, 0};
      ASSERT_GT(p.error(), 1e-3);
      ASSERT_TRUE(p.step(kStep));
      EXPECT_FALSE(p.report.fast);
      EXPECT_LT(p.error(), 1e-8);
      for (int i = 0; i < 20; ++i) ASSERT_TRUE(p.step(kStep));
      EXPECT_TRUE(p.report.fast) << "it does not come back";
      EXPECT_LT(p.error(), 1e-8);
    }
}

// Less open than that: closed by whichever path takes it.
TEST(Packed, ClosesJointsThatAreALittleOpen) {
  for (const Method method : kFastMethods)
    for (const bool loop : {false, true})
      for (const double off : {1e-9, 1e-7, 1e-5, 5e-4}) {
        Random random(3);
        Figures figures;
        if (loop)
          addLadder(figures, random, 3, true);
        else
          addTree(figures, random, 5, Root::World);
        Moving p = moving(figures.scene, method);
        p.state.position[1] += Vec3{0, off, 0};
        ASSERT_TRUE(p.step(kStep));
        EXPECT_LT(p.error(), 1e-8) << off << loop << nameOf(method);
        ASSERT_TRUE(p.step(kStep));
        EXPECT_LT(p.error(), 1e-8) << off << loop << nameOf(method);
      }
}

TEST(Packed, SplitsStepsOfHugeSpins) {
  for (const Method method : kFastMethods)
    for (const bool loop : {false, true}) {
      Random random(3);
      Figures figures;
      if (loop)
        addRing(figures, random, std::vector<std::string>(6, "ball"), false, false);
      else
        addTree(figures, random, 6, Root::World);
      Moving p = moving(figures.scene, method);
      kick(p, 3, 300);
      const double energy = p.energy();
      int fast = 0;
      double error = 0;
      for (int i = 0; i < stepsOf(60); ++i) {
        ASSERT_TRUE(p.step(kStep)) << i;
        fast += p.report.fast ? 1 : 0;
        error = std::max(error, p.error());
      }
      EXPECT_GT(p.halvings, 0);
      EXPECT_GT(fast, 0);
      EXPECT_LT(error, 1e-6) << nameOf(method) << loop;
      if (method == Method::Energy) {
        EXPECT_LT(p.energy(), 1.01 * energy) << loop;
      } else {
        EXPECT_LT(p.energy(), energy) << loop;
      }
    }
}

// A hinge whose axes point at each other, and a weld turned over: the rows are 0, and it is not closed.
TEST(Packed, DoesNotTakeOpposedAxesForClosed) {
  for (const Method method : kFastMethods)
    for (const char* kind : {"pin", "weld"})
      for (const bool loop : {false, true}) {
        Random random(3);
        Figures figures;
        if (loop)
          addRing(figures, random, {kind, "ball", "ball", "ball", "ball"}, false, true);
        else
          addTree(figures, random, 2, Root::Free, {}, kind);
        Moving p = moving(figures.scene, method);
        ASSERT_TRUE(p.step(1e-4));
        EXPECT_TRUE(p.report.fast);
        // Turned half way round about an axis across the joint's, through its point.
        const MechanismJoint& joint = p.m.joints[0];
        const Vec3 across = rotate(joint.frame2.q, {0, 1, 0});
        const Pose turned{joint.frame2.p - rotate(exponential(kPi * across), joint.frame2.p),
                          exponential(kPi * across)};
        if (loop) {  // the other joints of solid2 follow it: only axes are off
          p.m.joints[0].frame2.q = normalized(exponential(kPi * across) * joint.frame2.q);
          p.m.stamp = stampOf(p.m);
        } else {
          const Pose now{p.state.position[joint.solid2], p.state.orientation[joint.solid2]};
          const Pose then = now * turned;
          p.state.position[joint.solid2] = then.p;
          p.state.orientation[joint.solid2] = normalized(then.q);
        }
        (void)p.step(1e-4);
        EXPECT_FALSE(p.report.fast) << kind << loop;
      }
}

// A solid with more joints than the kernel of loops takes; one fewer loop and it is a tree, which takes any.
TEST(Packed, LeavesCrowdedHubsInLoopsToTheGeneralPath) {
  for (const int spokes : {10, 40}) {
    Random random(3);
    Figures figures;
    figures.box({}, {0.6, 0.6, 0.6});
    for (int i = 0; i < spokes; ++i) {
      const Vec3 out = random.direction();
      const std::size_t spoke = figures.randomBox(random, 0.6 * out);
      figures.join("ball", 0, spoke, {0.35 * out, {}}, random);
    }
    figures.join("ball", 1, 2,
                 {0.5 * (figures.scene.solids[1].pose.p + figures.scene.solids[2].pose.p), {}},
                 random);
    for (const Method method : kFastMethods) {
      Moving p = moving(figures.scene, method);
      kick(p, 3, 2);
      for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(p.step(kStep));
        EXPECT_EQ(p.report.fast, spokes == 10);
        EXPECT_LT(p.error(), 1e-10);
      }
    }
  }
}

void makeHeavy(Moving& p, std::size_t solid, double ratio) {
  MechanismSolid& s = p.m.solids[solid];
  s.mass *= ratio;
  s.inverseMass /= ratio;
  s.inertia = ratio * s.inertia;
  s.inverseInertia = (1 / ratio) * s.inverseInertia;
  p.m.stamp = stampOf(p.m);
}

TEST(Packed, HangsTheHeavyFromTheLight) {
  for (const Method method : kFastMethods)
    for (const bool loop : {false, true})
      for (const double ratio : {1e-6, 1e6}) {
        Moving p = [&] {
          if (!loop) return Moving(chainText(12, true, kGravity));
          Random random(3);
          Figures figures;
          addLadder(figures, random, 6, true);
          return moving(figures.scene, method);
        }();
        p.settings.method = method;
        const std::size_t last = p.m.solids.size() - 1;
        makeHeavy(p, last, ratio);
        kick(p, 3, 0.5);
        const double energy = p.energy();
        const double exchanged = std::max(ratio, 1.0) * p.m.solids[0].mass * 9.81 * 12;
        double error = 0, gain = 0;
        int fast = 0;
        for (int i = 0; i < stepsOf(60); ++i) {
          ASSERT_TRUE(p.step(kStep));
          fast += p.report.fast ? 1 : 0;
          error = std::max(error, p.error());
          gain = std::max(gain, p.energy() - energy);
        }
        EXPECT_GT(fast, stepsOf(60) / 2) << nameOf(method) << loop << ratio;
        EXPECT_LT(error, 1e-6) << nameOf(method) << loop << ratio;
        EXPECT_LT(gain, 0.01 * exchanged) << nameOf(method) << loop << ratio;
      }
}

TEST(Packed, TakesNothingAndASingleSolid) {
  for (const Method method : kFastMethods) {
    Moving nothing = moving(Scene{}, method);
    ASSERT_TRUE(nothing.step(kStep));
    EXPECT_DOUBLE_EQ(nothing.state.time, kStep);
    Figures wall;
    Random random(2);
    wall.randomBox(random, {}, SolidKind::Immobile);
    Moving still = moving(wall.scene, method);
    const State before = still.state;
    ASSERT_TRUE(still.step(kStep));
    EXPECT_DOUBLE_EQ(still.state.time, kStep);
    EXPECT_EQ(still.state.position, before.position);
    // One solid falls as a stone does: x = v t - a g t²/2 exactly, a being what the scheme makes of it.
    Figures stone;
    stone.randomBox(random, {});
    Moving p = moving(stone.scene, method);
    p.state.velocity[0] = {1, 2, 3};
    p.state.spin[0] = {2, -1, 0.5};
    const Vec3 x0 = p.state.position[0];
    const Momentum start = momentum(p.m, p.state);
    const Vec3 L0 = start.angular - cross(x0, start.linear);
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(p.step(kStep));
      ASSERT_TRUE(p.report.fast);
    }
    const double fall = method == Method::Energy ? 0.5 : 0.5 * (1 + kStep);
    EXPECT_LT(norm(p.state.position[0] - (x0 + Vec3{1, 2 - fall * 9.81, 3})), 1e-12);
    EXPECT_LT(norm(p.state.velocity[0] - Vec3{1, 2 - 9.81, 3}), 1e-12);
    const Momentum end = momentum(p.m, p.state);
    const Vec3 L1 = end.angular - cross(p.state.position[0], end.linear);
    EXPECT_LT(norm(L1 - L0), 1e-11 * norm(L0)) << nameOf(method);
  }
}

// -------------------------------------------------------------------------------- Newton's method

struct Case {
  const char* name;
  std::function<void(Figures&, Random&)> make;
  int most;
};
void expectFewIterations(const std::vector<Case>& cases) {
  int seen = 0;
  for (const Method method : kFastMethods)
    for (const Case& c : cases)
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        Figures figures;
        c.make(figures, random);
        Moving p = moving(figures.scene, method);
        if (count(p.m, p.control, p.state).redundant > (c.most == 10 ? 0U : 3U)) continue;
        ++seen;
        p.settings.tolerance = 1e-12;
        kick(p, seed, 2);
        int most = 0;
        for (int i = 0; i < 30; ++i) {
          ASSERT_TRUE(p.step(kStep));
          ASSERT_TRUE(p.report.fast) << c.name << seed;
          EXPECT_EQ(p.report.halvings, 0) << c.name << seed << " " << i;
          most = std::max(most, p.report.iterations);
        }
        EXPECT_LE(most, c.most) << nameOf(method) << " " << c.name << " " << seed;
        EXPECT_GE(most, 2) << "the steps are too easy to say anything";
      }
  EXPECT_GT(seen, 8);
}

// Iterations of a step from where the last one ended, solved to 1e-12: what is left is squared every time, so
// that from the 1e-2 of a free flight a handful will do. A matrix that is not the derivative would show.
TEST(Packed, ConvergesInAFewIterations) {
  expectFewIterations({
      {"tree", [](Figures& f, Random& r) { addTree(f, r, 10, Root::World, {}, kNoHooke); }, 7},
      {"free tree", [](Figures& f, Random& r) { addTree(f, r, 10, Root::Free, {}, kNoHooke); }, 7},
      {"ladder", [](Figures& f, Random& r) { addLadder(f, r, 5, true); }, 6},
      {"ring",
       [](Figures& f, Random& r) {
         addRing(f, r, std::vector<std::string>(6, "ball"), false, false);
       },
       6},
      {"hinges",
       [](Figures& f, Random& r) {
         addRing(f, r, std::vector<std::string>(7, "pin"), false, false);
       },
       6},
      {"four-bar",
       [](Figures& f, Random& r) { addRing(f, r, std::vector<std::string>(4, "pin"), true, true); },
       6},
      {"web", [](Figures& f, Random& r) { addWeb(f, r, 12, 2, Root::World); }, 10},
  });
}

// The matrix of figures with loops leaves out too much of a cardan joint: they go by the general path.
TEST(PackedLoops, LeaveHookesToTheGeneralPath) {
  for (const Method method : kFastMethods) {
    Random random(3);
    Figures figures;
    addRing(figures, random, {"ball", "hooke", "ball", "hooke", "ball"}, false, true);
    Moving p = moving(figures.scene, method);
    ASSERT_TRUE(p.step(kStep));
    EXPECT_FALSE(p.report.fast);
    EXPECT_TRUE(p.report.converged);
  }
}

}  // namespace
}  // namespace tenon::test
