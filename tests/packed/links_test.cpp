// Rods, ropes and springs between solids of a tree, by the kernel: a border of its matrix moves them as rows do.
#include "figures.h"

namespace tenon::test {
namespace {

std::string written(const Vec3& p) {
  return std::to_string(p.x) + " " + std::to_string(p.y) + " " + std::to_string(p.z);
}

// A tree of eight solids with joints of all kinds. The places of the solids are known, so that links may be as long as they are.
struct LinkedTree {
  std::string text;
  Vec3 at[8];

  [[nodiscard]] double apart(int i, int k) const { return norm(at[i] - at[k]); }
};
LinkedTree linkedTree(std::uint64_t seed, const std::string& n, bool isFree,
                      const std::string& rules, bool cardans) {
  Random random(seed);
  const auto number = [&](double from, double to) {
    return std::to_string(from + (to - from) * random.uniform()) + " ";
  };
  // One after the other: in one sum, a compiler may call them in any order.
  const auto three = [&](double from, double to) {
    std::string text;
    for (int i = 0; i < 3; ++i) text += number(from, to);
    return text;
  };
  const auto name = [&](int i) { return n + "s" + std::to_string(i); };
  const auto round = [](double x) { return std::floor(x * 1000) / 1000; };  // as it is written
  LinkedTree tree;
  for (int i = 0; i < 8; ++i) {
    const int parent = i == 0 ? -1 : i % 3 == 0 ? 0 : i - 1;
    const Vec3 o = i == 0 ? Vec3{0, 0, 0} : tree.at[parent];
    const Vec3 d{random.uniform() - 0.5, -0.3 - random.uniform(), random.uniform() - 0.5};
    tree.at[i] = {round(o.x + d.x), round(o.y + d.y), round(o.z + d.z)};
    tree.text +=
        "solid " + name(i) + " box " + three(0.1, 0.5) + "; at " + written(tree.at[i]) + "; end\n";
    const std::string place = "at " + written({o.x + 0.4 * d.x, o.y + 0.4 * d.y, o.z + 0.4 * d.z});
    const bool swapped = random.uniform() < 0.5;
    if (i == 0 && isFree) continue;
    const std::string own = name(i), other = i == 0 ? "world" : name(parent);
    const double which = random.uniform();
    const std::string kind = which < 0.5               ? "ball"
                             : which < 0.8             ? "pin"
                             : which < 0.93 && cardans ? "hooke"
                                                       : "weld";
    tree.text += "joint " + kind + " " + n + "j" + std::to_string(i) + " object1 " +
                 (swapped ? own : other) + "; object2 " + (swapped ? other : own) + "; " + place +
                 "; " + (kind == "ball" || kind == "weld" ? "" : "axis " + three(-1, 1) + "; ") +
                 (kind == "pin" ? rules : "") + " end\n";
  }
  return tree;
}

std::string linkText(const std::string& kind, const std::string& name, const std::string& from,
                     const std::string& to, const std::string& options) {
  return (kind == "spring" ? "spring " : "joint " + kind + " ") + name + " object1 " + from +
         "; object2 " + to + "; " + options + " end\n";
}
std::string lengthText(double length) {
  std::string digits(32, 0);
  digits.resize(static_cast<std::size_t>(std::snprintf(digits.data(), 32, "%.17g", length)));
  return "point1 0 0 0; point2 0 0 0; length " + digits + "; ";
}

struct LinkCase {
  const char* name;
  bool isFree, ropes;
  std::string rules;
  std::string (*links)(const LinkedTree&, const std::string& n);
};
const LinkCase kLinkCases[] = {
    {"rod", false, false, "",
     [](const LinkedTree& t, const std::string& n) {
       return linkText("distance", n + "rod", n + "s2", n + "s5", lengthText(t.apart(2, 5)));
     }},
    {"rod of a free tree", true, false, "",
     [](const LinkedTree& t, const std::string& n) {
       return linkText("distance", n + "rod", n + "s7", n + "s2", lengthText(t.apart(2, 7)));
     }},
    {"rod to the parent and to the ground", false, false, "",
     [](const LinkedTree& t, const std::string& n) {
       return linkText("distance", n + "rod", n + "s0", n + "s2", lengthText(t.apart(0, 2))) +
              "joint distance " + n + "hook object1 " + n +
              "s4; object2 world; point1 0 0.1 0; point2 " +
              written({t.at[4].x, t.at[4].y + 1.1, t.at[4].z}) + "; length 1; end\n";
     }},
    {"three rods and what acts on joints", false, false,
     "spring angle stiffness 40 damping 2 target 0.3;",
     [](const LinkedTree& t, const std::string& n) {
       return linkText("distance", n + "a", n + "s2", n + "s5", lengthText(t.apart(2, 5))) +
              linkText("distance", n + "b", n + "s7", n + "s4", lengthText(t.apart(4, 7))) +
              linkText("distance", n + "c", n + "s5", n + "s7", lengthText(t.apart(5, 7)));
     }},
    {"ropes", false, true, "",
     [](const LinkedTree& t, const std::string& n) {
       return linkText("rope", n + "a", n + "s2", n + "s5", lengthText(t.apart(2, 5))) +
              linkText("rope", n + "b", n + "s7", n + "s4", lengthText(t.apart(4, 7)));
     }},
    {"rope to the ground", false, true, "",
     [](const LinkedTree& t, const std::string& n) {
       return "joint rope " + n + "hook object1 world; object2 " + n + "s5; point2 0 0 0; point1 " +
              written({t.at[5].x, t.at[5].y + 1, t.at[5].z}) + "; length 1; end\n";
     }},
    {"springs", false, false, "",
     [](const LinkedTree& t, const std::string& n) {
       return linkText("spring", n + "a", n + "s2", n + "s5",
                       "point1 0.1 0 0; point2 0 0.1 0.1; stiffness 300; damping 3; rest 0.4;") +
              linkText("spring", n + "b", n + "s7", n + "s4",
                       "point1 0.1 0 0; point2 0 0.1 0.1; stiffness 800; rest " +
                           std::to_string(0.8 * t.apart(4, 7)) + ";");
     }},
    {"a spring of a free tree", true, false, "damper angle 3;",
     [](const LinkedTree&, const std::string& n) {
       return linkText("spring", n + "a", n + "s2", n + "s7",
                       "point1 0.1 0 0; point2 0 0.1 0.1; stiffness 300; damping 3; rest 0.4;");
     }},
    {"all of them", false, true, "damp 0.1; prefer angle min -0.4 max 0.4 stiffness 30;",
     [](const LinkedTree& t, const std::string& n) {
       return linkText("distance", n + "a", n + "s2", n + "s5", lengthText(t.apart(2, 5))) +
              linkText("rope", n + "b", n + "s7", n + "s4", lengthText(t.apart(4, 7))) +
              linkText("spring", n + "c", n + "s5", n + "s7",
                       "point1 0.1 0 0; point2 0 0.1 0.1; stiffness 300; damping 3; rest 0.4;");
     }},
};
std::string linkedScene(const LinkCase& c, std::uint64_t seed, const std::string& n, bool cardans) {
  const LinkedTree tree = linkedTree(seed, n, c.isFree, c.rules, cardans);
  return tree.text + c.links(tree, n);
}

// Over a step cardan joints differ from rows by the square of the step (same_motion_test.cpp).
TEST(PackedLinks, MoveTreesAsRowsDo) {
  for (const LinkCase& c : kLinkCases)
    for (const Method method : kFastMethods) {
      int fast = 0, all = 0, taut = 0, slack = 0;
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const std::string scene = kGravity + linkedScene(c, seed, "", method != Method::Energy);
        Moving packed = moving(scene, method), rows = moving(scene, method);
        // Rods that repeat joints share their forces with them as they like.
        if (count(packed.m, packed.control, packed.state).redundant > 0) continue;
        rows.settings.islands.fast = false;
        rows.settings.tolerance = 1e-12;
        kick(packed, seed, 1);
        packed.settings.tolerance = method == Method::Energy ? 1e-10 : 3e-14;
        for (int i = 0; i < stepsOf(60); ++i) {
          rows.state = packed.state;
          ASSERT_TRUE(packed.step(1.0 / 120));
          ASSERT_TRUE(rows.step(1.0 / 120));
          ++all;
          if (!packed.report.fast || rows.report.halvings != packed.report.halvings) continue;
          ++fast;
          const Apart off = apart(packed.state, rows.state);
          ASSERT_LT(std::max(off.position, off.turn), 1e-9)
              << c.name << ", " << nameOf(method) << ", seed " << seed << ", step " << i;
          // Where a rope becomes taut, rows settle velocities to some 1e-7 of what they take out. How good the kernel is there
          // is seen below, by energy and momenta.
          const bool lands = c.ropes && rows.report.work < -1e-6;
          ASSERT_LT(std::max(off.velocity, off.spin), lands ? 2e-6 : 2 * 120 * 1e-9)
              << c.name << ", " << nameOf(method) << ", seed " << seed << ", step " << i;
          for (const MechanismJoint& joint : packed.m.joints) {
            if (joint.kind->name != "rope" && joint.kind->name != "distance") continue;
            for (Index k = 0; k < slotCount(joint); ++k) {
              const double lambda = rows.state.multiplier[joint.firstSlot + k];
              EXPECT_NEAR(packed.state.multiplier[joint.firstSlot + k], lambda,
                          1e-5 * (1 + std::abs(lambda)))
                  << c.name << ", " << nameOf(method) << ", seed " << seed << ", step " << i;
            }
            if (joint.kind->name != "rope") continue;
            (packed.state.multiplier[joint.firstSlot + 1] > 0 ? taut : slack) += 1;
          }
          if (method == Method::Energy) {
            EXPECT_NEAR(packed.report.work, rows.report.work,
                        (lands ? 1e-6 : 1e-8) * (1 + std::abs(rows.report.work)))
                << c.name << seed << ", " << i;
          }
        }
      }
      EXPECT_GT(all, stepsOf(200)) << c.name;
      EXPECT_GT(fast, (c.ropes ? 0.85 : 0.97) * all) << c.name << ", " << nameOf(method);
      if (c.ropes && stepsOf(8) == 8) {  // under the sanitizers there are too few steps for both
        EXPECT_GT(std::min(taut, slack), 0.03 * all) << c.name << ", " << nameOf(method);
      }
    }
}

// Whatever links do, energy changes by their work and by nothing else, and they stay as long as they are.
TEST(PackedLinks, KeepTheLedger) {
  for (const LinkCase& c : kLinkCases) {
    Moving p = moving(kGravity + linkedScene(c, 3, "", true));
    kick(p, 3, 2);
    for (int i = 0; i < stepsOf(120); ++i) {
      const double before = p.energy();
      ASSERT_TRUE(p.step(1.0 / 120));
      ASSERT_TRUE(p.report.ledger);
      EXPECT_NEAR(p.energy() - before, p.report.work, 1e-8 * (1 + std::abs(p.report.work)))
          << c.name << ", step " << i;
      EXPECT_LT(p.error(), 1e-9) << c.name << ", step " << i;
    }
  }
}

TEST(PackedLinks, KeepEnergyAndMomentaOfFreeTrees) {
  int lands = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const LinkedTree tree = linkedTree(seed, "", true, "", true);
    const std::string text =
        "gravity 0 0 0;\n" + tree.text +
        linkText("distance", "a", "s2", "s5", lengthText(tree.apart(2, 5))) +
        linkText("rope", "b", "s7", "s4", lengthText(tree.apart(4, 7) + 0.02)) +
        linkText("spring", "c", "s5", "s7",
                 "point1 0.1 0 0; point2 0 0.1 0; stiffness 90; rest 1;");
    Moving p = moving(text);
    kick(p, seed, 3);
    p.settings.tolerance = 1e-12;
    const Momentum start = momentum(p.m, p.state);
    for (int i = 0; i < stepsOf(200); ++i) {
      const double before = p.energy();
      ASSERT_TRUE(p.step(1.0 / 120));
      ASSERT_TRUE(p.report.fast) << seed << ", " << i;
      // Where the rope becomes taut, and only there, energy is lost.
      EXPECT_NEAR(p.energy() - before, p.report.work, 1e-10 * (1 + before)) << seed << ", " << i;
      EXPECT_LT(p.report.work, 1e-10) << seed << ", " << i;
      if (p.report.work < -1e-6) ++lands;
      const Momentum now = momentum(p.m, p.state);
      EXPECT_LT(norm(now.linear - start.linear), 1e-9) << seed << ", " << i;
      EXPECT_LT(norm(now.angular - start.angular), 1e-9) << seed << ", " << i;
    }
    EXPECT_GT(norm(start.angular), 0.1);
  }
  EXPECT_GT(lands, 2);
  EXPECT_LT(lands, 100);
}

// A lane does what the figure would do alone, whatever the others do: a rope may be slack in one and taut in the next.
TEST(PackedLinks, HaveTheSameBitsInLanesAndAlone) {
  for (const LinkCase& c : kLinkCases)
    for (const Method method : kFastMethods) {
      std::string all = kGravity;
      for (int i = 0; i < 6; ++i) all += linkedScene(c, 5, "n" + std::to_string(i), true);
      Moving crowd = moving(all, method);
      for (std::size_t s = 0; s < crowd.state.spin.size(); ++s) {
        const double more = 0.3 * static_cast<double>(s / 8);
        crowd.state.spin[s] = {more, 0.2 - more, 0};
      }
      PoseScratch scratch;
      projectVelocities(crowd.m, crowd.control, crowd.state, scratch);
      Moving alone = copyOf(crowd);
      alone.settings.islands.lanes = false;
      int fast = 0;
      for (int i = 0; i < 40; ++i) {
        ASSERT_TRUE(crowd.step(1.0 / 60));
        ASSERT_TRUE(alone.step(1.0 / 60));
        fast += crowd.report.fast ? 1 : 0;
        ASSERT_EQ(differenceOf(crowd.state, alone.state), "")
            << c.name << ", " << nameOf(method) << i;
      }
      EXPECT_GT(fast, 10) << c.name << ", " << nameOf(method);
    }
}

// The force of a rod at the centre of a solid goes through that centre: whatever the step, it cannot turn the solid. (A
// discrete gradient in the axes of the solid would.)
TEST(PackedLinks, ARodAtTheCentreDoesNotTurnASolid) {
  const std::string text = R"(gravity 3 -9.81 2;
solid ball sphere 0.1; at 0 0 0; mass 1; spin 5 20 30; end
solid arm box 0.1 1 0.1; at 1 -0.5 0; end
joint ball j object2 arm; at 1 0 0; end
joint ball free object1 arm; object2 hand; at 1 -1 0; end
solid hand sphere 0.1; at 1 -1 0; mass 0.1; spin 0 50 30; end
joint distance rod object1 hand; object2 world; point1 0 0 0; point2 0 -1 0.3; length 1.0440306508910551; end
joint distance hook object1 ball; object2 world; point1 0 0 0; point2 0 1 0; length 1; end
)";
  for (const bool fast : {true, false}) {
    Moving p = moving(text);
    p.settings.islands.fast = fast;
    const Index ball = 0, hand = 2;
    const Vec3 spins[2] = {p.state.spin[ball], p.state.spin[hand]};
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(p.step(1.0 / 120));
      EXPECT_EQ(p.report.fast, fast);
      EXPECT_LT(norm(p.state.spin[ball] - spins[0]), 1e-9) << fast << i;
      EXPECT_LT(norm(p.state.spin[hand] - spins[1]), 1e-9) << fast << i;
    }
    EXPECT_GT(norm(p.state.velocity[hand]), 0.01);
  }
}

// A ball on a rod is a spherical pendulum: with its period in small swings, 2π √(L/g).
TEST(PackedLinks, ABallOnARopeSwingsAsTheFormulaSays) {
  for (const std::string kind : {"rope", "distance"}) {
    const double swing = 1e-3, length = 2;
    char text[300];
    std::snprintf(text, sizeof text,
                  "solid ball sphere 0.1; at %.17g %.17g 0; end\njoint %s r object1 ball; object2 "
                  "world; point1 0 0 0; point2 0 0 0; length 2; end\n",
                  length * std::sin(swing), -length * std::cos(swing), kind.c_str());
    Moving p = moving(kGravity + std::string(text));
    const double quarter = 0.5 * kPi * std::sqrt(length / 9.81) * (1 + swing * swing / 16);
    const int steps = 400;
    int fast = 0;
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(p.step(quarter / steps));
      fast += p.report.fast ? 1 : 0;
    }
    EXPECT_GT(fast, steps - 3) << kind;
    EXPECT_NEAR(p.state.position[0].x, 0, 1e-5 * length * swing) << kind;
    EXPECT_NEAR(p.state.velocity[0].x, -length * swing * std::sqrt(9.81 / length), 1e-8) << kind;
  }
}

}  // namespace
}  // namespace tenon::test
