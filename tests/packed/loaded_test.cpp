// What acts on the joints of trees, by the kernel: springs, dampers, drives, limits and damping move them as rows do.
#include <gtest/gtest.h>

#include <cstring>

#include "math/random.h"
#include "methods/moving.h"

namespace tenon::test {
namespace {

// A tree of pins and balls of every order, with rules on the pins.
std::string tree(std::uint64_t seed, const std::string& n, double x, const std::string& rules,
                 const std::string& ball = "") {
  Random random(seed);
  const auto number = [&](double from, double to) {
    return std::to_string(from + (to - from) * random.uniform()) + " ";
  };
  const auto name = [&](int i) { return n + "s" + std::to_string(i); };
  const int count = 5;
  std::string text;
  double px[count], py[count], pz[count];
  for (int i = 0; i < count; ++i) {
    const int parent = i == 0 ? -1 : static_cast<int>(random.uniform() * i);
    const double ox = i == 0 ? x : px[parent], oy = i == 0 ? 0 : py[parent],
                 oz = i == 0 ? 0 : pz[parent];
    const double dx = random.uniform() - 0.5, dy = -0.3 - random.uniform(),
                 dz = random.uniform() - 0.5;
    px[i] = ox + dx;
    py[i] = oy + dy;
    pz[i] = oz + dz;
    // One after the other: compilers evaluate the parts of a sum in orders of their own.
    std::string size = number(0.1, 0.4);
    size += number(0.2, 0.8);
    size += number(0.1, 0.4);
    text += "solid " + name(i) + " box " + size + "; spin " + std::to_string(0.3 - 0.2 * i) + " " +
            std::to_string(0.1 * i) + " 0.4; at " + std::to_string(px[i]) + " " +
            std::to_string(py[i]) + " " + std::to_string(pz[i]) + "; end\n";
    const std::string at = "at " + std::to_string(ox + 0.4 * dx) + " " +
                           std::to_string(oy + 0.4 * dy) + " " + std::to_string(oz + 0.4 * dz) +
                           ";";
    const std::string own = name(i), other = i == 0 ? "" : name(parent);
    const bool swapped = random.uniform() < 0.5;
    const std::string ends = other.empty()
                                 ? (swapped ? "object1 " + own + ";" : "object2 " + own + ";")
                             : swapped ? "object1 " + own + "; object2 " + other + ";"
                                       : "object1 " + other + "; object2 " + own + ";";
    if (random.uniform() < (ball.empty() ? 0.75 : 0.25)) {
      std::string axis = number(-1, 1);
      axis += number(-1, 1);
      axis += number(-1, 1);
      text += "joint pin " + n + "j" + std::to_string(i) + " " + ends + " " + at + " axis " + axis +
              "; " + rules + " end\n";
    } else {
      text += "joint ball " + n + "j" + std::to_string(i) + " " + ends + " " + at + " " + ball +
              " end\n";
    }
  }
  return text;
}

struct Case {
  const char* name;
  std::string rules;
  bool oftenFast;
  std::string more = "";
  std::string ball = "";  // rules of balls
  bool repeats = false;   // several rules may hold one coordinate: who pushes with how much is open
};
const Case kCases[] = {
    {"spring", "spring angle stiffness 40 damping 2 target 0.3;", true},
    {"damper", "damper angle 3;", true},
    {"armature", "armature angle 0.5;", true},
    {"geared drive", "armature angle 2; drive angle offset 0.2 stiffness 60 damping 4;", true},
    {"drive", "drive angle offset 0.2 sine 0.5 2 stiffness 60 damping 4 max 9;", true},
    {"prefer", "prefer angle min -0.1 max 0.2 stiffness 50 damping 1;", true},
    {"soft limit", "limit angle min -0.1 max 0.3 compliance 0.01;", true},
    {"limit", "limit angle min -0.25 max 0.2;", false},
    {"all",
     "limit angle min -0.3 max 0.3; damper angle 0.5; drive angle offset 0.5 stiffness 30 damping "
     "1;",
     false},
    {"damp", "damp 0.2;", true},
    {"spring to the ground", "", true,
     "spring k object1 s2; object2 world; point1 0.1 0.2 0; point2 0.5 0.3 0.2; stiffness 90; "
     "damping 2; rest 0.6; "
     "end\nspring l object2 s4; point2 0 0.1 0; point1 -0.5 0.3 0.2; stiffness 40; end\n"},
    {"forces", "", true,
     "force f object s3; point 0.1 0.2 0.1; vector 20 10 -5; end\nforce g object s1; point 0.1 0 "
     "0; vector 5 9 3; axes "
     "body; end\ntorque t object s4; vector 0 2 1; end\ntorque u object s2; vector 0 1 2; axes "
     "body; end\nmuscle m joint j1; "
     "vector 1 2 0; end\n"},
    {"drag", "", true,
     "drag air linear 0.5; quadratic 0.2; angular 0.03; end\ndrag oil object s2; linear 4; end\n"},
    {"gravity", "", true,
     "override s0 gravity 0; end\noverride s2 gravity -1.5; end\noverride s4 gravity 3; end\n"},
    {"hand", "", true,
     "solid palm immobile; at 1 -0.5 0.4; end\njoint ball grip object1 palm; object2 s4; point1 "
     "0 0 0; point2 0 0.1 "
     "0.1; compliance 0.002; end\n"},
    {"all of it", "spring angle stiffness 40 damping 2 target 0.3; damp 0.1;", true,
     "drag air linear 0.5; quadratic 0.2; angular 0.03; end\nspring k object1 s2; object2 world; "
     "point1 0.1 0.2 0; point2 "
     "0.5 0.3 0.2; stiffness 90; damping 2; rest 0.6; end\nforce f object s3; point 0.1 0.2 0.1; "
     "vector 20 10 -5; end\n"},
    {"friction", "friction angle 2;", true},
    {"friction and a limit", "friction angle 1; limit angle min -0.25 max 0.2; damper angle 0.1;",
     true, "", "", true},
    {"prescribed", "prescribe angle sine 0.3 1Hz;", true},
    {"ball limits", "", true, "",
     "limit rx min -0.2 max 0.3; limit ry min -0.3 max 0.1; limit rz min -0.1 max 0.2;"},
    {"ball cone", "", true, "", "limit swing max 0.3; limit twist min -0.2 max 0.1;"},
    {"ball friction", "", true, "", "friction rx 1; friction ry 2; friction rz 0.5;"},
    {"prescribed ball", "", true, "",
     "prescribe rx sine 0.3 1Hz; prescribe ry 0; prescribe rz sine 0.2 2Hz;"},
    {"ball spring", "", true, "",
     "spring rx stiffness 40 damping 2 target 0.3; spring rz stiffness 20;"},
    {"ball damper", "", true, "", "damper rx 1; damper ry 2; damper rz 0.5;"},
    {"ball drive", "", true, "",
     "drive ry offset 0.2 sine 0.5 2 stiffness 60 damping 4 max 9; drive swing 0.3 stiffness 20;"},
    {"ball prefer", "", true, "",
     "prefer rx min -0.1 max 0.2 stiffness 50 damping 1; prefer swing max 0.1 stiffness 50;"},
    {"all on balls", "spring angle stiffness 40 damping 2 target 0.3; damp 0.1;", true,
     "drag air linear 0.5; quadratic 0.2; angular 0.03; end\n",
     "limit swing max 0.3 compliance 0.01; damper rx 0.4; drive ry 0.2 stiffness 9 damping 1; damp "
     "0.05;"},
};

double largestDifference(const State& a, const State& b) {
  double most = 0;
  for (std::size_t s = 0; s < a.position.size(); ++s) {
    most = std::max({most, norm(a.position[s] - b.position[s])});
    const Quat turn = a.orientation[s] * conjugate(b.orientation[s]);
    most = std::max(most, 2 * norm(Vec3{turn.x, turn.y, turn.z}));
  }
  return most;
}

TEST(PackedLoads, MoveTreesAsRowsDo) {
  for (const Case& c : kCases)
    for (const Method method : {Method::Energy, Method::Interactive}) {
      int fast = 0, all = 0, held = 0;
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const std::string text = kGravity + tree(seed, "", 0, c.rules, c.ball) + c.more;
        Moving packed = moving(text, method), rows = moving(text, method);
        rows.settings.islands.fast = false;
        // Interactive's kernel solves for turns to 1000 times the tolerance.
        packed.settings.tolerance = method == Method::Energy ? 1e-10 : 1e-13;
        // So what holds has a multiplier that is off by 1e-10 rad times I/dt², I being at most 50 kg m² here.
        const double kernelOff = method == Method::Energy ? 0 : 1e-10 * 50 * 120 * 120;
        const double allowed = 1e-9;
        for (int i = 0; i < 40; ++i) {
          rows.state = packed.state;
          ASSERT_TRUE(packed.step(1.0 / 120));
          ASSERT_TRUE(rows.step(1.0 / 120));
          ++all;
          if (!packed.report.fast || rows.report.halvings != packed.report.halvings) continue;
          ++fast;
          for (const MechanismJoint& joint : packed.m.joints)
            for (Index r = 0; r < joint.rules.count; ++r)
              if (packed.m.rules[joint.rules.first + r].kind == CoordinateRule::Kind::Limit) {
                const double* push = packed.state.multiplier.data() + joint.firstSlot +
                                     ownSlots(*joint.kind) + 2 * r;
                held += push[0] > 0 || push[1] > 0 ? 1 : 0;
              }
          ASSERT_LT(largestDifference(packed.state, rows.state), allowed)
              << c.name << ", " << nameOf(method) << ", seed " << seed << ", step " << i;
          // What rules push with; joints have theirs in axes of the end.
          for (const MechanismJoint& joint : packed.m.joints)
            for (Index k = ownSlots(*joint.kind); k < slotCount(joint) && !c.repeats; ++k) {
              const double lambda = rows.state.multiplier[joint.firstSlot + k];
              EXPECT_NEAR(packed.state.multiplier[joint.firstSlot + k], lambda,
                          1e-5 * (1 + std::abs(lambda)) + kernelOff)
                  << c.name << ", " << nameOf(method) << ", seed " << seed << ", step " << i;
            }
          if (method == Method::Energy) {
            // An impact takes 10 kN m and more, which 1e-12 rad make work of.
            const bool lands =
                std::any_of(packed.m.rules.begin(), packed.m.rules.end(), [](const auto& rule) {
                  using Kind = CoordinateRule::Kind;
                  return rule.kind == Kind::Limit || rule.kind == Kind::Friction ||
                         rule.kind == Kind::Prescribe;
                });
            EXPECT_NEAR(packed.report.work, rows.report.work,
                        lands ? 1e-7 * std::max(1.0, kineticEnergy(rows.m, rows.state)) : 1e-8)
                << c.name << seed << ", " << i;
          }
        }
      }
      if ((c.rules + c.ball).find("limit ") != std::string::npos) {
        EXPECT_GT(held, 20) << c.name << ", " << nameOf(method);  // by the kernel
      }
      EXPECT_GT(fast, (c.oftenFast ? 0.95 : 0.3) * all) << c.name << ", " << nameOf(method);
    }
}

TEST(PackedLoads, GravityOfEachSolidMovesLoopsAsRowsDo) {
  const std::string text = kGravity + R"(
solid a at 0.5 0 0; box 1 0.1 0.1; gravity -0.5; end
solid b at 1.5 0 0.2; box 1 0.1 0.5; gravity 2; end
solid c at 1 -0.5 0; box 0.1 1 0.1; gravity 0; end
joint ball p object2 a; at 0 0 0; end
joint ball q object1 a; object2 b; at 1 0 0; end
joint ball r object1 b; at 2 0 0.2; end
joint ball s object1 b; object2 c; at 1 -0.1 0; end
)";
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving packed = moving(text, method), rows = moving(text, method);
    rows.settings.islands.fast = false;
    packed.settings.tolerance = rows.settings.tolerance = 1e-12;
    const double start = packed.energy();
    for (int i = 0; i < 60; ++i) {
      rows.state = packed.state;
      ASSERT_TRUE(packed.step(1.0 / 120));
      ASSERT_TRUE(rows.step(1.0 / 120));
      ASSERT_TRUE(packed.report.fast);
      ASSERT_LT(largestDifference(packed.state, rows.state), 1e-9) << nameOf(method) << i;
      if (method == Method::Energy) {
        EXPECT_NEAR(packed.energy(), start, 1e-8) << i;
      }
    }
    EXPECT_GT(norm(packed.state.spin[0]), 0.1);
  }
}

// Whether a ball passes half a turn: its rotation vector jumps there, and with it what a spring on it has stored.
bool jumps(const Mechanism& m, const State& before, const State& after) {
  const auto turnOf = [](const State& state, Index solid) {
    return solid == kWorld ? Quat{} : state.orientation[solid];
  };
  for (const MechanismJoint& joint : m.joints) {
    double w[2];
    const State* states[] = {&before, &after};
    for (int i = 0; i < 2; ++i)
      w[i] = (conjugate(turnOf(*states[i], joint.solid1) * joint.frame1.q) *
              (turnOf(*states[i], joint.solid2) * joint.frame2.q))
                 .w;
    if (w[0] * w[1] < 0) return true;
  }
  return false;
}

// Whatever acts, energy changes by its work and by nothing else.
TEST(PackedLoads, KeepTheLedger) {
  for (const Case& c : kCases) {
    Moving p = moving(kGravity + tree(3, "", 0, c.rules, c.ball) + c.more);
    for (int i = 0; i < 120; ++i) {
      const double before = p.energy();
      const State start = p.state;
      ASSERT_TRUE(p.step(1.0 / 120));
      ASSERT_TRUE(p.report.ledger);
      if (!c.ball.empty() && jumps(p.m, start, p.state)) continue;
      EXPECT_NEAR(p.energy() - before, p.report.work, 1e-8) << c.name << ", step " << i;
    }
  }
}

// A lane does what the figure would do alone, whatever the others do: reach limits, or not.
TEST(PackedLoads, HaveTheSameBitsInLanesAndAlone) {
  for (const Case& c : kCases)
    for (const Method method : {Method::Energy, Method::Interactive}) {
      std::string all = kGravity;
      for (int i = 0; i < 6; ++i) all += tree(5, "n" + std::to_string(i), 0, c.rules, c.ball);
      Moving crowd = moving(all, method), alone = moving(all, method);
      for (Moving* p : {&crowd, &alone})
        for (std::size_t s = 0; s < p->state.spin.size(); ++s)
          p->state.spin[s] = {0, 0.02 * static_cast<double>(s / 5), 0};
      alone.settings.islands.lanes = false;
      int fast = 0;
      for (int i = 0; i < 40; ++i) {
        ASSERT_TRUE(crowd.step(1.0 / 60));
        ASSERT_TRUE(alone.step(1.0 / 60));
        ASSERT_EQ(crowd.report.fast, alone.report.fast) << c.name << ", " << nameOf(method) << i;
        fast += crowd.report.fast ? 1 : 0;
        ASSERT_EQ(differenceOf(crowd.state, alone.state), "")
            << c.name << ", " << nameOf(method) << i;
      }
      EXPECT_GT(fast, c.oftenFast ? 35 : 10) << c.name << ", " << nameOf(method);
    }
}

// A pendulum with a damper about its pivot, small swings: x'' + (d/I) x' + (k/I) x = 0 with its decay in closed form.
TEST(PackedLoads, APendulumOnASpringSwingsAsTheFormulaSays) {
  const std::string text = R"(gravity 0 0 0;
solid a box 0.1 1 0.1; at 0 -0.5 0; mass 3; spin 0 0 0.5; velocity 0.25 0 0; end
joint pin p object2 a; at 0 0 0; axis 0 0 1; spring angle stiffness 20 damping 0.4; end
)";
  const double I = 3.0 * (1 + 0.01) / 12 + 3 * 0.25, k = 20, d = 0.4;
  const double decay = d / (2 * I), w = std::sqrt(k / I - decay * decay), t = 2;
  const double exact = 0.5 / w * std::exp(-decay * t) * std::sin(w * t);
  double error[2];
  for (int n = 0; n < 2; ++n) {
    Moving p = moving(text);
    ASSERT_TRUE(p.run(t, 1.0 / (400 << n)));
    EXPECT_TRUE(p.report.fast);
    error[n] = std::abs(2 * std::atan2(p.state.orientation[0].z, p.state.orientation[0].w) - exact);
  }
  EXPECT_LT(error[0], 1e-5);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1);
}

// A prescribed angle that yields is a spring, and no bound.
TEST(PackedLoads, LeaveWhatIsPrescribedAndYieldsToRows) {
  const std::string text = kGravity + R"(
solid a box 1 0.1 0.1; at 0.5 0 0; mass 3; end
joint pin p object2 a; at 0 0 0; axis 0 0 1; prescribe angle 0 compliance 0.01; end
)";
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(text, method);
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(p.step(1.0 / 60));
    EXPECT_FALSE(p.report.fast);
    EXPECT_LT(p.state.position[0].y, -0.01) << nameOf(method);  // m g l C = 0.15 rad
  }
}

// A chain that falls with dry friction about every axis of its balls. Most of it slides from step to step, and is known to: no step
// is split, and few iterations are taken.
TEST(PackedLoads, WhatSlidesGoesOnSliding) {
  std::string text = kGravity;
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    text += "solid s" + n + " box 0.4 0.1 0.12; at " + std::to_string(0.2 + 0.4 * i) +
            " 0 0; mass 2; end\njoint ball j" + n +
            (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") + " object2 s" + n + "; at " +
            std::to_string(0.4 * i) +
            " 0 0; friction rx 0.05; friction ry 0.1; friction rz 0.2; end\n";
  }
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(text, method);
    int iterations = 0, halvings = 0;
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60)) << i;
      EXPECT_TRUE(p.report.fast && p.report.converged) << nameOf(method) << i;
      iterations += p.report.iterations;
      halvings += p.report.halvings;
    }
    EXPECT_LT(iterations, 60 * 5) << nameOf(method);
    EXPECT_EQ(halvings, 0) << nameOf(method);
  }
}

// A pin that turns further than half a turn in a step, which is stepped in pieces: its turns are counted in each.
TEST(PackedLoads, CountTurnsPieceByPiece) {
  const std::string text = R"(gravity 0 0 0;
solid a box 0.4 0.4 0.1; at 0 0 0; mass 3; spin 0 0 300; end
joint pin p object2 a; at 0 0 0; axis 0 0 1; limit angle min -20rad max 20rad; end
)";
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving packed = moving(text, method), rows = moving(text, method);
    rows.settings.islands.fast = false;
    ASSERT_NEAR(packed.state.memory[0], 0, 1e-9);  // the middle of the limits
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(packed.step(1.0 / 60));
      ASSERT_TRUE(rows.step(1.0 / 60));
      if (i < 3) {  // not yet there
        EXPECT_TRUE(packed.report.fast && packed.report.halvings > 0) << nameOf(method) << i;
        // Pieces are not the same, and `energy` turns too little, by φ²/12 of a turn φ.
        EXPECT_NEAR(packed.state.memory[0], 5 * (i + 1), 0.8) << nameOf(method) << i;
      }
      EXPECT_NEAR(packed.state.memory[0], rows.state.memory[0], 0.3) << nameOf(method) << i;
      EXPECT_LT(packed.state.memory[0], 20 + 1e-6);
    }
    EXPECT_NEAR(packed.state.memory[0], 20, 1e-6) << nameOf(method);
  }
}

// The same of joints whose turns the kernels only count: with limits that rows hold, or with no rule at all, in trees and in loops.
TEST(PackedLoads, TurnsAreCountedInPiecesWhateverTheJoint) {
  const std::string head = "gravity 0 0 0;\nsolid a box 0.4 0.4 0.1; at 0 0 0; spin 0 0 300; end\n";
  const std::pair<const char*, double> cases[] = {
      {"joint cylindrical p object2 a; at 0 0 0; axis 0 0 1; limit angle min -20rad max 20rad; "
       "end\n",
       20},
      {"joint planar p object2 a; at 0 0 0; axis 0 0 1; limit angle min -20rad max 20rad; end\n",
       20},
      {"joint pin p object2 a; at 0 0 0; axis 0 0 1; end\n", 30},
      {"solid base animated; at 0 -1 0; end\n"
       "joint cylindrical p object1 base; object2 a; at 0 0 0; axis 0 0 1; limit angle min -20rad "
       "max 20rad; "
       "end\n",
       20},
  };
  for (const Method method : {Method::Energy, Method::Interactive})
    for (const auto& [joint, end] : cases) {
      Moving p = moving(head + joint, method);
      for (int i = 0; i < 6; ++i) ASSERT_TRUE(p.step(1.0 / 60)) << joint;
      const double angle = p.state.memory[p.m.joints[0].firstMemory];
      // Where nothing stops it, `energy` turns too little, by φ²/12 of a turn φ.
      EXPECT_NEAR(angle, end, end == 20 ? 1e-6 : 1.5) << nameOf(method) << ", " << joint;
    }
}

// … and by the kernel of loops: a wheel between two bearings, five radians in a step. The turns of both are counted, limit or not,
// by an angle that is good to 1e-3; at the limit rows stop it where the angle says that it is, not where it seems to be after whole turns.
TEST(PackedLoads, TurnsInLoopsAreCountedInPieces) {
  const std::string head = "gravity 0 0 0;\nsolid a box 0.4 0.4 0.1; at 0 0 0; spin 0 0 300; end\n";
  const std::string other = "joint pin q object2 a; at 0 0 0.2; axis 0 0 1; end\n";
  for (const Method method : {Method::Energy, Method::Interactive})
    for (const char* limit :
         {"", "limit angle min -100rad max 100rad;", "limit angle min -22rad max 22rad;"}) {
      const bool stops = std::string(limit).find("22") != std::string::npos;
      Moving p = moving(
          head + "joint pin p object2 a; at 0 0 -0.2; axis 0 0 1; " + limit + " end\n" + other,
          method);
      const auto ways = islandWays(p.m, p.control, p.settings, 1.0 / 60, p.state);
      ASSERT_EQ(ways.size(), 1u);
      ASSERT_EQ(ways[0].way, "loop kernel");
      double before = 0;
      for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(p.step(1.0 / 60));
        const double angle = p.state.memory[p.m.joints[0].firstMemory],
                     beside = p.state.memory[p.m.joints[1].firstMemory];
        EXPECT_NEAR(angle, beside, 1e-3) << nameOf(method) << limit << i;
        if (!stops || i < 4) {  // not yet there
          EXPECT_TRUE(p.report.fast) << nameOf(method) << limit << i;
          EXPECT_GT(p.report.halvings, 0) << nameOf(method) << limit << i;
          // `energy` turns too little, by φ²/12 of a turn φ.
          EXPECT_NEAR(angle - before, 5, 0.3) << nameOf(method) << limit << i;
        }
        before = angle;
      }
      if (stops) {
        EXPECT_NEAR(jointValues(p.m, p.state, 0).coordinate[0], 22, 1e-6) << nameOf(method);
      }
    }
}

// A rope whose ends coincide is slack: it splits no step.
TEST(PackedLoads, ARopeWithoutLengthIsSlack) {
  const std::string text = kGravity + R"(
solid a box 1 0.1 0.1; at 0.5 0 0; mass 3; end
joint pin p object2 a; at 0 0 0; axis 0 0 1; end
joint rope r object2 a; point1 0 0 0; point2 -0.5 0 0; length 1; end
)";
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(text, method);
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      EXPECT_TRUE(p.report.fast) << nameOf(method) << i;
      EXPECT_EQ(p.report.halvings, 0) << nameOf(method) << i;
    }
  }
}

}  // namespace
}  // namespace tenon::test
