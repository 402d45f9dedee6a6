// Islands at run time: each is stepped by itself, whatever else there is.
#include <gtest/gtest.h>

#include <cstring>

#include "methods/moving.h"

namespace tenon::test {
namespace {

// Small scenes of every way and of all that acts, with names that begin with `n` and x from `x` on.
std::string at(double x) { return std::to_string(x); }
using Made = std::string (*)(const std::string& n, double x);

std::string pendulums(const std::string& n, double x) {
  return "solid " + n + "a box 0.1 1 0.1; at " + at(x) +
         " -0.5 0; spin 0 0 1; velocity 0.5 0 0; end\n" + "solid " + n + "b box 0.1 1 0.1; at " +
         at(x) + " -1.5 0; spin 0 0 1; velocity 1.5 0 0; end\n" + "joint pin " + n + "p object2 " +
         n + "a; at " + at(x) + " 0 0; axis 0 0 1; end\n" + "joint ball " + n + "q object1 " + n +
         "a; object2 " + n + "b; at " + at(x) + " -1 0; end\n";
}
std::string damped(const std::string& n, double x) {
  std::string text = pendulums(n, x);
  text.insert(text.find("axis 0 0 1;"), "damper angle 0.3; ");
  return text;
}
std::string onSpring(const std::string& n, double x) {
  return "solid " + n + "s sphere 0.1; at " + at(x) + " -1 0; velocity 0 0 1; end\nspring " + n +
         "k object1 " + n + "s; object2 world; point2 " + at(x) +
         " 0 0; stiffness 200; damping 1; rest 0.7; end\n";
}
std::string springPair(const std::string& n, double x) {
  return "solid " + n + "s sphere 0.1; at " + at(x) + " 0 0; velocity 0 1 0; end\nsolid " + n +
         "t box 0.2 0.1 0.3; at " + at(x + 0.5) + " 0 0; spin 1 2 3; end\nspring " + n +
         "k object1 " + n + "s; object2 " + n + "t; stiffness 80; rest 0.4; end\ndrag " + n +
         "d object " + n + "t; linear 0.5; angular 0.01; end\n";
}
std::string sliding(const std::string& n, double x) {
  return "solid " + n + "a box 0.2 0.1 0.1; at " + at(x) + " 0 0; velocity 1 0 0; end\nsolid " + n +
         "b box 0.1 0.5 0.1; at " + at(x) + " -0.25 0; velocity 1 0 0; end\njoint prismatic " + n +
         "r object2 " + n + "a; at " + at(x) +
         " 0 0; axis 1 0 0; limit slide min -0.2 max 0.3; end\n" + "joint pin " + n + "p object1 " +
         n + "a; object2 " + n + "b; at " + at(x) + " 0 0; axis 0 0 1; end\n";
}
std::string onRope(const std::string& n, double x) {
  return "solid " + n + "a sphere 0.1; at " + at(x) + " -0.5 0; velocity 1 0 0; end\njoint rope " +
         n + "r object2 " + n + "a; point1 " + at(x) + " 0 0; point2 0 0 0; length 0.8; end\n";
}
std::string led(const std::string& n, double x) {
  return "solid " + n + "m animated; box 0.1 0.1 0.1; at " + at(x) +
         " 0 0; velocity 0.3 0 0; end\n" + "solid " + n + "a box 0.1 1 0.1; at " + at(x) +
         " -0.5 0; velocity 0.3 0 0; end\njoint pin " + n + "p object1 " + n + "m; object2 " + n +
         "a; at " + at(x) + " 0 0; axis 0 0 1; end\n";
}
constexpr Made kScenes[] = {pendulums, damped, onSpring, springPair, sliding, onRope, led};

// Where an island begins in a crowd.
struct Place {
  std::size_t solid = 0, slot = 0, memory = 0;
  void pass(const Moving& p) {
    solid += p.state.position.size();
    slot += p.state.multiplier.size();
    memory += p.state.memory.size();
  }
};

void expectSameBits(const Moving& alone, const Moving& crowd, const Place& place,
                    const std::string& what) {
  const std::size_t first = place.solid;
  for (std::size_t k = 0; k < alone.state.multiplier.size(); ++k)
    EXPECT_EQ(alone.state.multiplier[k], crowd.state.multiplier[place.slot + k])
        << what << "slot " << k;
  for (std::size_t k = 0; k < alone.state.memory.size(); ++k)
    EXPECT_EQ(alone.state.memory[k], crowd.state.memory[place.memory + k])
        << what << "memory " << k;
  for (std::size_t s = 0; s < alone.state.position.size(); ++s) {
    EXPECT_EQ(std::memcmp(&alone.state.position[s], &crowd.state.position[first + s], sizeof(Vec3)),
              0)
        << what << s;
    EXPECT_EQ(
        std::memcmp(&alone.state.orientation[s], &crowd.state.orientation[first + s], sizeof(Quat)),
        0)
        << what << s;
    EXPECT_EQ(std::memcmp(&alone.state.velocity[s], &crowd.state.velocity[first + s], sizeof(Vec3)),
              0)
        << what << s;
    EXPECT_EQ(std::memcmp(&alone.state.spin[s], &crowd.state.spin[first + s], sizeof(Vec3)), 0)
        << what << s;
  }
}

TEST(Islands, MoveByTheSameBitsAloneAndInACrowd) {
  for (const Method method : {Method::Energy, Method::Interactive})
    for (const int threads : {1, 2, 8}) {
      std::string all = kGravity + "\n";
      for (std::size_t i = 0; i < 2 * std::size(kScenes); ++i)
        all +=
            kScenes[i % std::size(kScenes)]("n" + std::to_string(i), 4.0 * static_cast<double>(i));
      Moving crowd = moving(all, method);
      crowd.settings.islands.threads = threads;
      ASSERT_TRUE(crowd.run(0.75, 1.0 / 60));
      Place place;
      for (std::size_t i = 0; i < 2 * std::size(kScenes); ++i) {
        Moving alone = moving(
            kGravity + kScenes[i % std::size(kScenes)]("a", 4.0 * static_cast<double>(i)), method);
        ASSERT_TRUE(alone.run(0.75, 1.0 / 60));
        expectSameBits(alone, crowd, place,
                       std::string(nameOf(method)) + ", " + std::to_string(i) + ", solid ");
        place.pass(alone);
      }
    }
}

TEST(Islands, FollowWhatActs) {
  const std::string text =
      kGravity + pendulums("a", 0) + pendulums("b", 3) + springPair("s", 6) +
      "spring tie object1 ab; object2 bb; stiffness 5; rest 3; active 0.5 1; end\n";
  Moving p = moving(text);
  const auto ways = [&] { return islandWays(p.m, p.control, p.settings, 1.0 / 60, p.state); };
  auto now = ways();
  ASSERT_EQ(now.size(), 3u);
  EXPECT_EQ(now[0].way, "tree kernel");
  EXPECT_EQ(now[0].solids, (std::vector<Index>{0, 1}));
  EXPECT_TRUE(now[0].why.empty());
  EXPECT_EQ(now[2].way, "rows");
  EXPECT_EQ(now[2].why, std::vector<std::string>{"springs between solids"});
  p.state.time = 0.6;  // the two are tied
  now = ways();
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0].solids, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(now[0].way, "rows");
  p.state.time = 2;
  p.control.jointOn[1] = 0;  // the lower half of the first falls off
  now = ways();
  ASSERT_EQ(now.size(), 4u);
  EXPECT_EQ(now[1].way, "tree kernel");
  EXPECT_TRUE(now[1].joints.empty());
}

// Islands that merge and part leave no trace: with scratch thrown away at every step the bits are the same.
TEST(Islands, LeaveNoTraceInScratch) {
  const std::string text =
      kGravity + pendulums("a", 0) + pendulums("b", 1.5) + onRope("r", 4) +
      "joint rope t object1 ab; object2 bb; point1 0 -0.5 0; point2 0 -0.5 0; length 1.8; end\n";
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving kept = moving(text, method), thrown = moving(text, method);
    int tied = 0, free = 0;
    for (int i = 0; i < 120; ++i) {
      for (Moving* p : {&kept, &thrown}) {
        p->control.jointOn[1] = static_cast<std::uint8_t>(i / 30 % 2 == 0 ? 1 : 0);
        if (p == &thrown) p->scratch = StepScratch();
        ASSERT_TRUE(p->step(1.0 / 60)) << i;
      }
      ASSERT_EQ(differenceOf(kept.state, thrown.state), "") << nameOf(method) << i;
      (kept.report.fast ? free : tied) += 1;
    }
    EXPECT_GT(tied, 5);
    EXPECT_GT(free, 5);
  }
}

// A ball falls from rest through the length of its rope, h below where it hangs: what is left of v² = 2gh is
// nothing, as the rope takes all of it; and while the rope is slack the fall is exact.
TEST(Islands, ARopeStopsAFallWhereItIsTaut) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(kGravity + R"(
solid a sphere 0.1; at 0 -0.2 0; end
joint rope r object2 a; point1 0 0 0; point2 0 0 0; length 1; end
)",
                      method);
    double most = 0;
    for (int i = 0; i < 60; ++i) {
      const double before = p.energy();
      ASSERT_TRUE(p.step(1.0 / 60)) << i;
      const double length = norm(p.state.position[0]);
      EXPECT_LE(length, 1 + 1e-9);
      EXPECT_LE(p.energy(), before + 1e-9);
      EXPECT_TRUE(p.report.fast) << i << ", " << length;  // slack, where it lands, and taut
      most = std::max(most, length);
    }
    EXPECT_NEAR(most, 1, 1e-9);
    EXPECT_NEAR(norm(p.state.velocity[0]), 0, 1e-6);
  }
}

// What one island holds costs no other island anything: none of the others is halved, or goes by rows.
TEST(Islands, AreHalvedByThemselves) {
  std::string text = kGravity;
  for (int i = 0; i < 8; ++i) text += pendulums("p" + std::to_string(i), 3.0 * i);
  Moving plain = moving(text);
  ASSERT_TRUE(plain.step(1.0 / 60));
  ASSERT_EQ(plain.report.halvings, 0);
  Moving p = moving(text + "solid top box 0.3 0.1 0.2; at -3 0 0; spin 90 3 2; end\n" +
                    springPair("d", -6));
  ASSERT_TRUE(p.step(1.0 / 60));
  EXPECT_GT(p.report.halvings, 0);
  EXPECT_FALSE(p.report.fast);
  expectSameBits(plain, p, {}, "beside what is halved: ");
}

// A joint that only bounds counts its turns while it is slack, and stops at the second turn as at the first.
TEST(Islands, TurnsOfASlackJointAreKept) {
  for (const Method method : {Method::Energy, Method::Interactive})
    for (const double most : {2.0, 4.0, 8.0}) {
      Moving p = moving(
          "gravity 0 0 0;\nsolid b box 0.2 0.1 0.1; mass 1; spin 10 0 0; end\n"
          "joint twist hinge object2 b; axis 1 0 0; limit twist min -1 max " +
              std::to_string(most) + "; end\n",
          method);
      const double before = p.energy();
      ASSERT_TRUE(p.run(1.6, 1.0 / 60));
      EXPECT_LT(std::abs(p.state.spin[0].x), 1e-6) << nameOf(method) << " " << most;
      EXPECT_LE(p.energy(), before);
    }
}

// Where an island goes by rows in any case, a rope within it is there from the start: no step is made twice when it is met.
TEST(Islands, WhatGoesByRowsTakesItsBoundsAlong) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(
        "solid a box 0.2 0.1 0.1; mass 1; end\nsolid b box 0.1 0.5 0.1; mass 1; at 0 -0.25 0; "
        "velocity 1 0 0; end\n"
        "joint screw s object2 a; at 0 0 0; axis 1 0 0; pitch 0.1; end\n"
        "joint ball q object1 a; object2 b; at 0 0 0; end\n"
        "joint rope r object2 b; point1 -0.4 -0.5 0; point2 0 -0.25 0; length 0.5; end\n",
        method);
    double pull = 0;
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      EXPECT_FALSE(p.report.fast);
      EXPECT_EQ(p.report.handedOver, 0) << nameOf(method) << " " << i;
      const MechanismJoint& rope = p.m.joints[2];
      for (Index k = 0; k < slotCount(rope); ++k)
        pull = std::max(pull, p.state.multiplier[rope.firstSlot + k]);
      EXPECT_LT(jointError(p.m, p.control, p.state).range, 1e-9);
    }
    EXPECT_GT(pull, 1) << nameOf(method);
  }
}

// Both angles of a cardan joint are counted on over whole turns, by whatever way.
TEST(Islands, TurnsOfACardanJointAreCounted) {
  for (const Method method : {Method::Energy, Method::Interactive})
    for (const bool fast : {true, false})
      for (const int about : {0, 1}) {
        Moving p =
            moving(std::string("gravity 0 0 0;\nsolid b box 0.2 0.2 0.2; mass 1; spin ") +
                       (about == 0 ? "-10 0 0" : "0 10 0") +
                       "; end\njoint hooke c object2 b; at 0 0 0; axis 1 0 0; normal 0 1 0; end\n",
                   method);
        p.settings.islands.fast = fast;
        ASSERT_TRUE(p.run(1.5, 1.0 / 60));
        const JointValues values = jointValues(p.m, p.state, 0);
        EXPECT_NEAR(values.coordinate[about], about == 0 ? -15 : 15, 0.1) << nameOf(method) << fast;
        EXPECT_NEAR(values.coordinate[1 - about], 0, 1e-6) << nameOf(method) << fast;
      }
}

// Muscles and damping act through a rope whether it is slack or not: as they do by a method that knows no islands.
TEST(Islands, WhatActsThroughASlackRopeActs) {
  const std::string text =
      "gravity 0 0 0;\nsolid a box 0.2 0.1 0.1; mass 1; end\nsolid b box 0.2 0.1 0.1; mass 1; at 1 "
      "0 0; spin 1 0 0; end\n"
      "joint rope r object1 a; object2 b; length 2; point1 0 0 0; point2 0 0 0; end\n";
  for (const std::string& more :
       {std::string("muscle m joint r; vector 0 0.01 0; end\n"), std::string("damp 0.001;\n")}) {
    Moving known = moving(text + more, Method::Poststabilized);
    ASSERT_TRUE(known.run(0.5, 1.0 / 240));
    for (const Method method : {Method::Energy, Method::Interactive}) {
      Moving p = moving(text + more, method);
      ASSERT_TRUE(p.run(0.5, 1.0 / 240));
      EXPECT_LT(norm(p.state.spin[1] - known.state.spin[1]), 0.02) << more << nameOf(method);
      EXPECT_GT(norm(p.state.spin[1] - Vec3{1, 0, 0}), 0.05) << more << nameOf(method);
    }
  }
}

// A soft ball to the ground is damped as others are, and springs that are switched, or stretched between solids that no
// force moves, are in the ledger.
TEST(Islands, NothingIsLostAtTheGround) {
  const std::string soft =
      "gravity 0 0 0;\nsolid b box 0.3 0.1 0.2; mass 1; spin 1 2 3; end\njoint ball hand object2 "
      "b; at 0 0 0; compliance "
      "0.001; damp 0.05; end\n";
  Moving fast = moving(soft), rows = moving(soft);
  rows.settings.islands.fast = false;
  ASSERT_TRUE(fast.run(0.5, 1.0 / 60) && rows.run(0.5, 1.0 / 60));
  EXPECT_LT(norm(fast.state.spin[0] - rows.state.spin[0]), 1e-9);
  for (const std::string& text :
       {std::string("gravity 0 0 0;\nsolid s box 0.1 0.1 0.1; mass 1; at 1 0 0; end\nspring p "
                    "object2 s; point1 0 0 0; point2 0 0 "
                    "0; stiffness 30; rest 0.5; active 0.1 0.25; end\n"),
        std::string("gravity 0 0 0;\nsolid s box 0.1 0.1 0.1; at 1 0 0; end\nsolid m animated; box "
                    "0.1 0.1 0.1; velocity 1 0 0; "
                    "end\nspring p object2 m; point1 0 0 0; point2 0 0 0; stiffness 30; rest 0.5; "
                    "end\n")}) {
    Moving p = moving(text);
    const double start = p.energy();
    double work = 0;
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      work += p.report.work;
    }
    EXPECT_NEAR(p.energy() - start, work, 1e-9);
  }
}

}  // namespace
}  // namespace tenon::test
