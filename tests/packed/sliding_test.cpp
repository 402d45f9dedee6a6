// Joints that slide, and grounds that follow a path, by the kernel of trees: they move as rows do.
#include <bit>

#include "figures.h"

namespace tenon::test {
namespace {

constexpr double kSlideStep = 1.0 / 120;
const Root kRoots[] = {Root::Free, Root::World, Root::Immobile, Root::Animated};

// Step by step, each from where the kernel ended.
struct Compared {
  int fast = 0, all = 0;
};
Compared expectStepsAsRows(Moving packed, int steps, const std::string& what,
                           bool unique = true) {  // multipliers are: no rows repeat each other
  Compared count;
  const bool over = packed.settings.method == Method::Energy;
  // Interactive's kernel solves for turns to 1000 times the tolerance.
  packed.settings.tolerance = over ? 1e-12 : 1e-15;
  Moving rows = copyOf(packed);
  rows.settings.islands.fast = false;
  rows.settings.tolerance = 1e-12;
  for (int i = 0; i < steps; ++i) {
    rows.state = packed.state;
    EXPECT_TRUE(packed.step(kSlideStep)) << what;
    EXPECT_TRUE(rows.step(kSlideStep)) << what;
    EXPECT_FALSE(rows.report.fast);
    ++count.all;
    if (!packed.report.fast || rows.report.halvings != packed.report.halvings) continue;
    ++count.fast;
    const Apart off = apart(packed.state, rows.state);
    EXPECT_LT(off.position, 1e-9) << what << ", step " << i;
    EXPECT_LT(off.turn, 1e-9) << what << ", step " << i;
    EXPECT_LT(off.velocity, 1e-7) << what << ", step " << i;
    EXPECT_LT(off.spin, 1e-7) << what << ", step " << i;
    EXPECT_LT(packed.error(), over ? 1e-10 : 1e-9) << what << ", step " << i;
    for (const MechanismJoint& joint : packed.m.joints) {
      // What holds a point has its force in axes of the end; what slides along the mean ones, as rows do.
      if (!unique || ((joint.kind->locked & 7u) == 7u && over)) continue;
      const int moves = std::popcount(joint.kind->locked & 7u);
      for (Index k = 0; k < static_cast<Index>(moves); ++k) {
        const double lambda = rows.state.multiplier[joint.firstSlot + k];
        EXPECT_NEAR(packed.state.multiplier[joint.firstSlot + k], lambda,
                    1e-4 * (1 + std::abs(lambda)))
            << what << ", step " << i << ", " << joint.kind->name;
      }
    }
    for (const MechanismJoint& joint : packed.m.joints)
      for (Index k = ownSlots(*joint.kind); k < slotCount(joint); ++k) {
        const double lambda = rows.state.multiplier[joint.firstSlot + k];
        EXPECT_NEAR(packed.state.multiplier[joint.firstSlot + k], lambda,
                    1e-5 * (1 + std::abs(lambda)))
            << what << ", step " << i << ", rule of " << joint.kind->name;
      }
    // Turns are counted by rough angles, or by exact ones near a limit.
    for (Index k = 0; k < packed.state.memory.size(); ++k)
      EXPECT_NEAR(packed.state.memory[k], rows.state.memory[k], 0.02) << what << ", step " << i;
    if (over) {
      EXPECT_TRUE(packed.report.ledger);
      EXPECT_NEAR(packed.report.work, rows.report.work, 1e-7 + 1e-8 * std::abs(rows.report.work))
          << what << ", step " << i;
    }
    if (testing::Test::HasFailure()) return count;
  }
  return count;
}

TEST(PackedSlides, MoveAsRowsDoWithEveryKindAlone) {
  for (const Method method : kFastMethods)
    for (const char* kind : kThatSlide)
      for (const Root root : kRoots)
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          const std::string what = std::string(kind) + ", " + std::string(nameOf(method)) +
                                   ", root " + std::to_string(static_cast<int>(root)) + ", seed " +
                                   std::to_string(seed);
          Random random(seed);
          Figures figures;
          addTree(figures, random, seed == 1 ? 1 : 4, root, {}, kind);
          Moving p = moving(figures.scene, method);
          ASSERT_LT(p.error(), 1e-12);
          kick(p, seed, 2);
          const Compared steps = expectStepsAsRows(std::move(p), 20, what);
          if (HasFailure()) return;
          EXPECT_GE(steps.fast, steps.all - 1) << what;  // the first may have to settle
        }
}

TEST(PackedSlides, MoveAsRowsDoAmongOthers) {
  for (const Method method : kFastMethods)
    for (const Root root : kRoots)
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const std::string what = std::string(nameOf(method)) + ", root " +
                                 std::to_string(static_cast<int>(root)) + ", seed " +
                                 std::to_string(seed);
        Random random(seed);
        Figures figures;
        addTree(figures, random, 3 + below(random, 8), root, {}, kWithSlides);
        if (seed % 3 == 0) figures.scene.damp = 0.2;
        Moving p = moving(figures.scene, method);
        kick(p, seed, 3);
        const Compared steps = expectStepsAsRows(std::move(p), 30, what);
        if (HasFailure()) return;
        EXPECT_GE(steps.fast, 0.9 * steps.all) << what;
      }
}

// A random tree of balls, closed by one or two joints of a kind that slides. Its solids on either side, or the ground.
TEST(PackedSlides, MoveAsRowsDoInLoops) {
  for (const Method method : kFastMethods)
    for (const char* kind : kThatSlide)
      for (const Root root : {Root::Free, Root::World, Root::Immobile})
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
          const std::string what = std::string(kind) + ", " + std::string(nameOf(method)) +
                                   ", root " + std::to_string(static_cast<int>(root)) + ", seed " +
                                   std::to_string(seed);
          Random random(seed);
          Figures figures;
          const std::size_t solids = 4 + below(random, 4);
          const std::size_t first = addTree(figures, random, solids, root, {}, "ball");
          for (std::uint64_t loop = 0; loop < 1 + seed % 2; ++loop) {
            std::size_t a = first + below(random, solids), b = a;
            while (b == a) b = first + below(random, solids);
            if (root != Root::Free && seed == 3) (loop == 0 ? a : b) = kTheWorld;
            const Vec3 at = vectorIn(random, 0.5);
            const Quat q = random.rotation();
            moveFreely(kind, random, figures.join(kind, a, b, {at, q}, random));
          }
          Moving p = moving(figures.scene, method);
          ASSERT_LT(p.error(), 1e-12) << what;
          ASSERT_GT(p.m.loops, 0u) << what;
          const std::vector<IslandWay> ways =
              islandWays(p.m, p.control, p.settings, kSlideStep, p.state);
          ASSERT_EQ(ways.size(), 1u) << what;
          ASSERT_EQ(ways[0].way, "loop kernel") << what;
          const bool isUnique = count(p.m, p.control, p.state).redundant == 0;
          kick(p, seed, 1.5);
          const Compared steps = expectStepsAsRows(std::move(p), 20, what, isUnique);
          if (HasFailure()) return;
          EXPECT_GE(steps.fast, 0.9 * steps.all) << what;
        }
}

// A carriage on two rails and between two guides: rows repeat each other, and it goes on as fast as it is, along x.
TEST(PackedSlides, RailsThatRepeatEachOtherLeaveTheCarriageFree) {
  for (const Method method : kFastMethods) {
    Random random(1);
    Figures figures({0, -9.81, 0});
    const std::size_t carriage = figures.box({}, {0.4, 0.1, 0.3});
    const std::size_t load = figures.box({{0, -0.5, 0}, {}}, {0.1, 0.9, 0.1});
    for (const double z : {-0.15, 0.15})
      figures.join("prismatic", kTheWorld, carriage, {{0, 0, z}, {}}, random);
    figures.join("weld", carriage, load, {{0, -0.05, 0}, {}}, random);
    figures.join("prismatic", load, kTheWorld, {{0, -0.9, 0}, {}}, random);
    Moving p = moving(figures.scene, method);
    for (const std::size_t s : {carriage, load}) p.state.velocity[s] = {0.7, 0, 0};
    for (int i = 0; i < 120; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      EXPECT_TRUE(p.report.fast);
    }
    EXPECT_NEAR(p.state.position[carriage].x, 0.7 * 2, 1e-9);
    EXPECT_NEAR(p.state.velocity[load].x, 0.7, 1e-9);
    EXPECT_LT(p.error(), 1e-9);
  }
}

// … and one with a limit is stopped there, by rows.
TEST(PackedSlides, LimitsInLoopsHold) {
  for (const Method method : kFastMethods) {
    Random random(1);
    Figures figures({0, 0, 0});
    const std::size_t carriage = figures.box({}, {0.4, 0.1, 0.3});
    for (const double z : {-0.15, 0.15})
      figures.join("prismatic", kTheWorld, carriage, {{0, 0, z}, {}}, random);
    CoordinateRule limit;
    limit.kind = CoordinateRule::Kind::Limit;
    limit.coordinate = "slide";
    limit.lower = -0.2;
    limit.upper = 0.5;
    figures.scene.joints[0].rules.push_back(limit);
    Moving p = moving(figures.scene, method);
    p.state.velocity[carriage] = {1, 0, 0};
    int fast = 0;
    double furthest = 0;
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      fast += p.report.fast ? 1 : 0;
      furthest = std::max(furthest, p.state.position[carriage].x);
    }
    EXPECT_GT(fast, 20);
    EXPECT_LT(furthest, 0.5 + 1e-9);
    EXPECT_GT(furthest, 0.5 - 0.02);
  }
}

TEST(PackedLed, MoveAsRowsDo) {
  for (const Method method : kFastMethods)
    for (const char* kind : {"ball", "pin", "weld", "no hooke"})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const std::string what =
            std::string(kind) + ", " + std::string(nameOf(method)) + ", " + std::to_string(seed);
        Random random(seed);
        Figures figures;
        addTree(figures, random, seed == 1 ? 1 : 6, Root::Animated, {}, kind);
        if (seed == 3) figures.scene.damp = 0.2;
        Moving p = moving(figures.scene, method);
        kick(p, seed, 2);
        const Compared steps = expectStepsAsRows(std::move(p), 40, what);
        if (HasFailure()) return;
        EXPECT_GE(steps.fast, steps.all - 1) << what;
      }
}

// Coordinates along which joints of a kind slide.
std::vector<std::string> slidesOf(const std::string& kind) {
  if (kind == "prismatic" || kind == "cylindrical" || kind == "point-on-line") return {"slide"};
  if (kind == "planar" || kind == "point-on-plane") return {"y", "z"};
  if (kind == "parallel") return {"x", "y", "z"};
  return {};
}
using RuleKind = CoordinateRule::Kind;
struct RuleCase {
  const char* name;
  std::vector<RuleKind> kinds;
};
const RuleCase kRules[] = {{"spring", {RuleKind::Spring}},
                           {"damper", {RuleKind::Damper}},
                           {"drive", {RuleKind::Drive}},
                           {"prefer", {RuleKind::Prefer}},
                           {"limit and damper", {RuleKind::Limit, RuleKind::Damper}},
                           {"all", {RuleKind::Spring, RuleKind::Prefer, RuleKind::Drive}}};
void addRules(const RuleCase& c, Scene& scene) {
  for (Joint& joint : scene.joints)
    for (const std::string& coordinate : slidesOf(joint.kind))
      for (const RuleKind kind : c.kinds) {
        CoordinateRule rule;
        rule.kind = kind;
        rule.coordinate = coordinate;
        rule.damping = 4;
        if (kind != RuleKind::Damper) rule.stiffness = 90;
        if (kind == RuleKind::Drive) {
          rule.target.amplitude = 0.1;
          rule.target.frequency = 2;
          rule.maxForce = 12;
        }
        if (kind == RuleKind::Prefer || kind == RuleKind::Limit) {
          rule.lower = kind == RuleKind::Limit ? -0.8 : -0.1;
          rule.upper = -rule.lower;
        }
        if (kind == RuleKind::Limit) rule.stiffness = rule.damping = 0;
        joint.rules.push_back(rule);
      }
}

TEST(PackedSlides, ArePulledByRulesAsRowsDo) {
  for (const Method method : kFastMethods)
    for (const RuleCase& c : kRules)
      for (const char* kind :
           {"prismatic", "cylindrical", "planar", "point-on-line", "parallel", "sliding"})
        for (const Root root : {Root::Free, Root::World, Root::Animated})
          for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const std::string what =
                std::string(c.name) + ", " + kind + ", " + std::string(nameOf(method)) + ", root " +
                std::to_string(static_cast<int>(root)) + ", seed " + std::to_string(seed);
            Random random(seed);
            Figures figures;
            addTree(figures, random, 4, root, {}, kind);
            addRules(c, figures.scene);
            Moving p = moving(figures.scene, method);
            kick(p, seed, 2);
            const Compared steps = expectStepsAsRows(std::move(p), 20, what);
            if (HasFailure()) return;
            EXPECT_GE(steps.fast, (c.name[0] == 'l' ? 0.5 : 0.9) * steps.all) << what;
          }
}

TEST(PackedSlides, KeepTheLedgerWithRules) {
  for (const RuleCase& c : kRules)
    for (const Root root : {Root::World, Root::Animated}) {
      Random random(5);
      Figures figures;
      addTree(figures, random, 5, root, {}, kWithSlides);
      addRules(c, figures.scene);
      Moving p = moving(figures.scene, Method::Energy);
      for (int i = 0; i < 100; ++i) {
        const double before = p.energy();
        ASSERT_TRUE(p.step(1.0 / 120));
        ASSERT_TRUE(p.report.ledger);
        if (!p.report.fast) continue;  // at a limit
        EXPECT_NEAR(p.energy() - before, p.report.work, 1e-8) << c.name << ", step " << i;
      }
    }
}

// A mass on a spring along a rail: s'' + (d/m) s' + (k/m) s = 0, with its decay in closed form.
TEST(PackedSlides, AMassOnASpringSwingsAsTheFormulaSays) {
  const std::string text =
      "gravity 0 0 0;\nsolid a box 0.1 0.1 0.1; mass 2; velocity 0.3 0 0; end\n"
      "joint prismatic p object2 a; at 0 0 0; axis 1 0 0; spring slide stiffness 30 damping 0.5; "
      "end\n";
  const double decay = 0.5 / 4, w = std::sqrt(30.0 / 2 - decay * decay), t = 2;
  const double exact = 0.3 / w * std::exp(-decay * t) * std::sin(w * t);
  double error[2];
  for (int n = 0; n < 2; ++n) {
    Moving p{text};
    ASSERT_TRUE(p.run(t, 1.0 / (400 << n)));
    EXPECT_TRUE(p.report.fast);
    error[n] = std::abs(p.state.position[0].x - exact);
  }
  EXPECT_LT(error[0], 1e-5);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1);
}

// Down a slope without friction: s = g sin(slope) t²/2, which a mean of start and end has exactly.
TEST(PackedSlides, ASledGoesAsTheFormulaSays) {
  const std::string text =
      "gravity 0 -9.81 0;\nsolid sled box 0.3 0.2 0.1; at 1 2 3; end\n"
      "joint prismatic rail object2 sled; at 1 2 3; axis 0.8 -0.6 0; end\n";
  Moving p(text);
  const Vec3 start = p.state.position[0];
  ASSERT_TRUE(p.run(1.5, 1.0 / 60));
  EXPECT_TRUE(p.report.fast);
  const double way = 9.81 * 0.6 * 1.5 * 1.5 / 2;
  EXPECT_LT(norm(p.state.position[0] - start - way * Vec3{0.8, -0.6, 0}), 1e-10);
  EXPECT_NEAR(
      p.state.multiplier[0] * p.state.multiplier[0] + p.state.multiplier[1] * p.state.multiplier[1],
      std::pow(9.81 * 0.8 * p.m.solids[0].mass, 2), 1e-6);
}

// What nothing acts on keeps its momenta, and energy under gravity.
TEST(PackedSlides, KeepEnergyAndMomenta) {
  for (const char* kind : kThatSlide)
    for (const Root root : {Root::Free, Root::World}) {
      const bool isolated = root == Root::Free;
      Random random(4);
      Figures figures(isolated ? Vec3{} : Vec3{0, -9.81, 0});
      addTree(figures, random, 6, root, {}, kind);
      Moving p = moving(figures.scene, Method::Energy);
      kick(p, 9, 2);
      const double energy = p.energy(), kinetic = kineticEnergy(p.m, p.state);
      const Momentum before = momentum(p.m, p.state);
      const State start = p.state;
      double most = kinetic;
      for (int i = 0; i < stepsOf(240); ++i) {
        ASSERT_TRUE(p.step(1.0 / 120));
        ASSERT_TRUE(p.report.fast) << kind << i;
        ASSERT_TRUE(p.report.ledger);
        ASSERT_EQ(p.report.work, 0);
        most = std::max(most, kineticEnergy(p.m, p.state));
      }
      EXPECT_GT(apart(start, p.state).position, 0.1);
      EXPECT_LT(p.error(), 1e-10) << kind;
      EXPECT_LT(std::abs(p.energy() - energy), 1e-9 * most) << kind;
      if (!isolated) continue;
      const Momentum after = momentum(p.m, p.state);
      EXPECT_LT(norm(after.linear - before.linear), 1e-9 * norm(before.linear)) << kind;
      EXPECT_LT(norm(after.angular - before.angular), 1e-8 * norm(before.angular)) << kind;
    }
}

// Limits of what slides: the kernel minds whether they are reached, and leaves what reaches them to the rows.
TEST(PackedSlides, StopAtTheirLimits) {
  const std::string text =
      "gravity 0 -9.81 0;\nsolid sled box 0.3 0.2 0.1; end\n"
      "solid tail box 0.1 0.4 0.1; at 0 -0.3 0; end\n"
      "joint prismatic rail object2 sled; at 0 0 0; axis 0 -1 0; "
      "limit slide max 0.5; end\n"
      "joint ball hook object1 sled; object2 tail; at 0 -0.1 0; end\n";
  for (const Method method : kFastMethods) {
    Moving p(text);
    p.settings.method = method;
    int fast = 0;
    for (int i = 0; i < 40; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      if (p.report.fast) ++fast;
      ASSERT_GT(p.state.position[0].y, -0.5 - 1e-8) << i;
    }
    EXPECT_NEAR(p.state.position[0].y, -0.5, 1e-8);
    EXPECT_GT(fast, 15);
    EXPECT_LT(fast, 25);
  }
}

// Point masses at the ends of a tree and between its solids, on a wire, under what acts on all solids; and one that is free.
TEST(PackedPoints, MoveAsRowsDo) {
  const std::string text =
      "gravity 0 -9.81 0;\nsolid arm box 0.6 0.1 0.2; at 0.3 0 0; end\n"
      "solid bob point-mass; mass 0.5; at 0.6 0.05 0.1; velocity 0 0.3 0; end\n"
      "solid bead point-mass; mass 0.2; at 0.2 0.1 0; end\n"
      "solid leg box 0.1 0.5 0.1; at 0.6 -0.25 0.1; end\n"
      "solid stone point-mass; mass 3; at 5 0 0; velocity 1 2 0; end\n"
      "joint ball hook object2 arm; at 0 0 0; end\n"
      "joint ball knot object1 bob; object2 arm; at 0.6 0.05 0.1; end\n"
      "joint point-on-line wire object1 arm; object2 bead; at 0.2 0.1 0; axis 1 0 0; "
      "spring slide stiffness 40 damping 0.2 target 0.1; end\n"
      "joint ball hip object1 bob; object2 leg; at 0.6 0.05 0.1; end\n"
      "spring pull object1 bob; object2 world; point2 0.6 1 0; stiffness 20; rest 0.5; end\n"
      "force wind object bead; vector 0.5 0 0.3; end\n"
      "drag air linear 0.2; angular 0.01; end\ndamp 0.1;\n";
  for (const Method method : kFastMethods) {
    Moving p{text};
    p.settings.method = method;
    ASSERT_LT(p.error(), 1e-12);
    PoseScratch scratch;
    projectVelocities(p.m, p.control, p.state, scratch);
    const Compared steps = expectStepsAsRows(std::move(p), 100, std::string(nameOf(method)));
    EXPECT_GE(steps.fast, 99);
  }
}

// A bob on a rod without mass to speak of swings as the formula of the pendulum says, at small angles.
TEST(PackedPoints, ABobSwingsAsTheFormulaSays) {
  const std::string text =
      "gravity 0 -9.81 0;\nsolid rod box 0.001 1 0.001; mass 1e-6; at 0 -0.5 0; end\n"
      "solid bob point-mass; mass 2; at 0 -1 0; velocity 0.001 0 0; end\n"
      "joint ball top object2 rod; at 0 0 0; end\njoint ball low object1 rod; object2 bob; at 0 -1 "
      "0; end\n";
  Moving p{text};
  PoseScratch scratch;
  projectVelocities(p.m, p.control, p.state, scratch);
  ASSERT_TRUE(p.run(1.3, 1.0 / 1000));
  EXPECT_TRUE(p.report.fast);
  const double w = std::sqrt(9.81);
  EXPECT_NEAR(p.state.position[1].x, 0.001 / w * std::sin(w * 1.3), 1e-8);
}

// A ground that goes on uniformly is as good as one that stands.
TEST(PackedLed, DoNotFeelUniformMotion) {
  for (const Method method : kFastMethods)
    for (const char* kind : {"ball", "pin", "cylindrical"}) {
      const Vec3 velocity{0.7, -0.4, 1.1};
      Figures standing, going;
      for (Figures* figures : {&standing, &going}) {
        Random random(6);
        addTree(*figures, random, 5, Root::Immobile, {}, kind);
        for (Solid& solid : figures->scene.solids) {
          if (solid.kind == SolidKind::Immobile) solid.kind = SolidKind::Animated;
          if (figures == &going) solid.velocity = velocity;
        }
      }
      Moving a = moving(standing.scene, method), b = moving(going.scene, method);
      const double tolerance = method == Method::Energy ? 1e-11 : 1e-14;
      a.settings.tolerance = b.settings.tolerance = tolerance;
      for (int i = 1; i <= 60; ++i) {
        ASSERT_TRUE(a.step(kSlideStep));
        ASSERT_TRUE(b.step(kSlideStep));
        ASSERT_TRUE(a.report.fast && b.report.fast) << i;
        State seen = b.state;
        for (std::size_t s = 0; s < seen.position.size(); ++s) {
          seen.position[s] += -(i * kSlideStep) * velocity;
          seen.velocity[s] += -1.0 * velocity;
        }
        const Apart off = apart(a.state, seen);
        ASSERT_LT(std::max(off.position, off.turn), 1e-9) << kind << nameOf(method) << i;
        ASSERT_LT(std::max(off.velocity, off.spin), 1e-6) << kind << nameOf(method) << i;
      }
    }
}

// What the ground does is in the ledger, and all that changes the energy.
TEST(PackedLed, KeepTheLedger) {
  for (const char* kind : {"ball", "pin", "no hooke", "sliding"})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Random random(seed);
      Figures figures;
      addTree(figures, random, 5, Root::Animated, {}, kind);
      Moving p = moving(figures.scene, Method::Energy);
      double worked = 0;
      for (int i = 0; i < 100; ++i) {
        const double before = p.energy();
        ASSERT_TRUE(p.step(1.0 / 120));
        ASSERT_TRUE(p.report.ledger);
        EXPECT_NEAR(p.energy() - before, p.report.work, 1e-8) << kind << seed << ", step " << i;
        worked += std::abs(p.report.work);
      }
      EXPECT_GT(worked, 0.1) << kind;
    }
}

// On a platform that turns, with rules on the joint to it: its turns are counted, its limit holds.
TEST(PackedLed, CountTurnsAndMindLimitsOnWhatTurns) {
  const std::string text =
      "gravity 0 -9.81 0;\nsolid wheel animated; spin 0 0 5; end\n"
      "solid arm box 0.1 0.6 0.1; at 0 -0.3 0; end\nsolid tip box 0.1 0.4 0.1; at 0 -0.8 0; end\n"
      "joint pin hub object1 wheel; object2 arm; at 0 0 0; axis 0 0 1; RULES end\n"
      "joint pin knee object1 arm; object2 tip; at 0 -0.6 0; axis 0 0 1; end\n";
  for (const Method method : kFastMethods)
    for (const std::string& rules :
         {std::string(), std::string("damper angle 0.5;"), std::string("limit angle min -9;")}) {
      std::string with = text;
      with.replace(with.find("RULES"), 5, rules);
      Moving p{with};
      p.settings.method = method;
      ASSERT_EQ(p.state.memory.size() > 0, true);
      const Compared steps = expectStepsAsRows(std::move(p), 300, rules);
      if (HasFailure()) return;
      // Bounds beside what follows a path go by rows.
      const bool limited = rules.rfind("limit", 0) == 0;
      EXPECT_EQ(steps.fast > 295, !limited) << rules << nameOf(method);
    }
}

// Seven of one shape, four side by side and three alone; some turn so fast that their steps are split.
TEST(PackedSlides, HaveTheSameBitsInLanesAndAlone) {
  for (const Method method : kFastMethods)
    for (const Root root : kRoots)
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Figures figures;
        for (int f = 0; f < 7; ++f) {
          Random random(seed);
          figures.begin("p" + std::to_string(f));
          const std::size_t first = addTree(figures, random, 5, root, {4.0 * f, 0, 0},
                                            seed == 4 ? kNoHooke : kWithSlides);
          for (std::size_t s = first; s < figures.scene.solids.size(); ++s)
            figures.scene.solids[s].density = 800 + 100 * f;
        }
        if (seed > 1) addRules(kRules[seed], figures.scene);
        Moving lanes = moving(figures.scene, method);
        kick(lanes, 3, 2);
        const std::size_t each = lanes.m.solids.size() / 7;
        Random random(seed);
        for (const std::size_t fast : {std::size_t{2}, std::size_t{5}})
          for (std::size_t s = fast * each; s < (fast + 1) * each; ++s)
            if (lanes.m.solids[s].kind == SolidKind::Dynamic)
              lanes.state.spin[s] = vectorIn(random, 150);
        PoseScratch scratch;
        projectVelocities(lanes.m, lanes.control, lanes.state, scratch);
        Moving alone = copyOf(lanes), threads = copyOf(lanes);
        alone.settings.islands.lanes = false;
        threads.settings.islands.threads = 3;
        for (int i = 0; i < 20; ++i) {
          ASSERT_TRUE(lanes.step(1.0 / 60));
          ASSERT_TRUE(alone.step(1.0 / 60));
          threads.scratch = StepScratch();
          ASSERT_TRUE(threads.step(1.0 / 60));
          for (const Moving* other : {&alone, &threads}) {
            ASSERT_EQ(differenceOf(lanes.state, other->state), "") << seed << ", " << i;
            ASSERT_EQ(lanes.report.work, other->report.work);
            ASSERT_EQ(lanes.report.halvings, other->report.halvings);
          }
        }
        EXPECT_GT(lanes.halvings, 0);
      }
}

// A step that is split finds its ground on the way.
TEST(PackedLed, FollowTheGroundInPieces) {
  for (const Method method : kFastMethods) {
    Random random(2);
    Figures figures;
    addTree(figures, random, 4, Root::Animated, {}, "ball");
    Moving p = moving(figures.scene, method);
    const std::size_t belt = p.m.solids.size() - 1;
    ASSERT_EQ(p.m.solids[belt].kind, SolidKind::Animated);
    for (std::size_t s = 0; s < belt; ++s) p.state.spin[s] = vectorIn(random, 100);
    PoseScratch scratch;
    projectVelocities(p.m, p.control, p.state, scratch);
    int split = 0;
    for (int i = 0; i < 12; ++i) {
      ASSERT_TRUE(p.step(1.0 / 30));
      if (p.report.fast && p.report.halvings > 0) ++split;
      ASSERT_LT(p.error(), method == Method::Energy ? 1e-9 : 1e-8) << i;
    }
    EXPECT_GT(split, 3);
  }
}

}  // namespace
}  // namespace tenon::test
