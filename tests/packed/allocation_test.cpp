// A fast step asks for no memory once it is planned.
#include "figures.h"

long allocationCount();  // counting_new.cpp

namespace tenon::test {
namespace {

// Between the first solid of a tree and its last but one.
void addRod(Figures& figures, std::size_t first) {
  const std::vector<Solid>& solids = figures.scene.solids;
  const Solid &a = solids[first], &b = solids[first + 3];
  Joint joint;
  joint.name = a.name + "-" + b.name;
  joint.kind = "distance";
  joint.solid1 = a.name;
  joint.solid2 = b.name;
  joint.options.push_back({"length", {norm(b.pose.p - a.pose.p)}, {}});
  figures.scene.joints.push_back(joint);
}

TEST(Packed, StepsWithoutAllocation) {
  const std::vector<std::string> pins(4, "pin");
  for (const Method method : kFastMethods)
    for (int which = 0; which < 7; ++which) {
      Random random(3);
      Figures figures;
      for (int i = 0; i < 6; ++i) {
        Random same(3);
        const Vec3 at{5.0 * i, 0, 0};
        if (which == 0) addTree(figures, random, 5, Root::World, at, kNoHooke);
        if (which == 1) addTree(figures, same, 5, Root::Free, at);
        if (which == 2) addLadder(figures, random, 4, true, at);
        if (which == 4) addTree(figures, same, 5, Root::World, at, kWithSlides);
        if (which == 5) addTree(figures, same, 5, Root::Animated, at, kWithSlides);
        if (which == 3) addRing(figures, random, pins, true, i % 2 == 0, at);
        if (which == 6) addRod(figures, addTree(figures, same, 5, Root::World, at));
      }
      Moving p = moving(figures.scene, method);
      kick(p, 3, 10);
      p.settings.tolerance = 1e-11;
      p.settings.islands.lanes = which == 1 || which > 3;
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(p.step(1.0 / 60));
      const long before = allocationCount();
      for (int i = 0; i < 10; ++i) {
        (void)p.step(1.0 / 60);
        ASSERT_TRUE(p.report.fast) << which;
      }
      EXPECT_EQ(allocationCount() - before, 0) << nameOf(method) << ", figures " << which;
    }
}

// What begins and ends on the way: limits that are reached and left, friction that sticks and slides, what is prescribed, ropes that
// become taut. A first run comes to know all plans, and a second one does the same again without memory.
struct Bounded {
  const char* name;
  bool comes;     // it holds in some steps, and in others not
  int leastFast;  // steps of a hundred by kernels alone
  std::string (*make)(const std::string& n, double x);
};
std::string chainOf(const std::string& n, double x, const std::string& kind,
                    const std::string& rules) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const std::string k = std::to_string(i), at = std::to_string(x + 0.4 * i);
    text += "solid " + n + k + " box 0.4 0.1 0.12; at " + std::to_string(x + 0.4 * i + 0.2) +
            " 0 0; end\njoint " + kind + " " + n + "j" + k +
            (i > 0 ? " object1 " + n + std::to_string(i - 1) + ";" : "") + " object2 " + n + k +
            "; at " + at + " 0 0; axis 0 0.2 1; " + rules + " end\n";
  }
  return text;
}
const Bounded kBounded[] = {
    {"limits of pins", true, 100,
     [](const std::string& n, double x) {
       return chainOf(n, x, "pin", "limit angle min -0.4 max 0.3;");
     }},
    {"limits of balls", true, 100,
     [](const std::string& n, double x) {
       return chainOf(n, x, "ball", "limit swing max 0.4; limit twist min -0.2 max 0.1;");
     }},
    {"friction", true, 100,
     [](const std::string& n, double x) { return chainOf(n, x, "pin", "friction angle 1;"); }},
    {"friction and limits", true, 100,
     [](const std::string& n, double x) {
       return chainOf(n, x, "pin", "friction angle 0.5; limit angle min -0.4 max 0.3;");
     }},
    {"what is prescribed", false, 99,  // it sets in with a jerk
     [](const std::string& n, double x) {
       return chainOf(n, x, "pin", "prescribe angle sine 0.3 1Hz;");
     }},
    {"a rope that lands", true, 100,
     [](const std::string& n, double x) {
       return chainOf(n, x, "ball", "") + "joint rope " + n + "r object2 " + n + "3; point1 " +
              std::to_string(x + 1) + " 0 0; point2 0.2 0 0; length 0.9; end\n";
     }},
    {"a rope that ties two islands as it lands", true, 10,
     [](const std::string& n, double x) {
       return chainOf(n, x, "ball", "") + "solid " + n + "b sphere 0.1; at " +
              std::to_string(x + 1.6) + " 0.2 0; velocity 0 4 0; end\njoint rope " + n +
              "r object1 " + n + "3; object2 " + n +
              "b; point1 0.2 0 0; point2 0 0 0; length 0.9; end\n";
     }},
    {"a stop of what slides, by rows", true, 5,
     [](const std::string& n, double x) {
       return "solid " + n + "a box 0.2 0.1 0.1; at " + std::to_string(x) +
              " 0 0; velocity 1 0 0; end\nsolid " + n + "b box 0.1 0.5 0.1; at " +
              std::to_string(x) + " -0.25 0; velocity 1 0 0; end\njoint prismatic " + n +
              "r object2 " + n + "a; at " + std::to_string(x) +
              " 0 0; axis 1 0 0; limit slide min -0.2 max 0.3; end\njoint pin " + n + "p object1 " +
              n + "a; object2 " + n + "b; at " + std::to_string(x) + " 0 0; axis 0 0 1; end\n";
     }},
};

TEST(Packed, BoundsComeAndGoWithoutAllocation) {
  for (const Bounded& c : kBounded)
    for (const Method method : kFastMethods)
      for (const bool lanes : {true, false}) {
        std::string text = kGravity;
        for (int i = 0; i < 5; ++i) text += c.make("n" + std::to_string(i), 5.0 * i);
        Moving p = moving(text, method);
        p.settings.islands.lanes = lanes;
        const State start = p.state;
        for (int i = 0; i < 100; ++i) ASSERT_TRUE(p.step(1.0 / 60)) << c.name;
        p.state = start;
        int fast = 0, held = 0, free = 0;
        const long before = allocationCount();
        for (int i = 0; i < 100; ++i) {
          if (!p.step(1.0 / 60)) break;
          fast += p.report.fast ? 1 : 0;
          for (const MechanismJoint& joint : p.m.joints)
            for (Index k = ownSlots(*joint.kind); k < slotCount(joint); k += 2) {
              const double* push = p.state.multiplier.data() + joint.firstSlot + k;
              const MechanismRule& rule =
                  p.m.rules[joint.rules.first + (k - ownSlots(*joint.kind)) / 2];
              const bool slides = rule.kind == CoordinateRule::Kind::Friction &&
                                  std::abs(push[0]) > 0.999 * rule.maxForce;
              (!slides && (push[0] != 0 || push[1] != 0) ? held : free) += 1;
            }
        }
        EXPECT_EQ(allocationCount() - before, 0) << c.name << ", " << nameOf(method) << lanes;
        EXPECT_GE(fast, c.leastFast) << c.name << ", " << nameOf(method);
        EXPECT_GT(held, 50) << c.name << ", " << nameOf(method);
        if (c.comes) {
          EXPECT_GT(free, 50) << c.name << ", " << nameOf(method);
        }
      }
}

// That the count sees what is aligned, too.
TEST(Packed, AllocationsAreCounted) {
  struct alignas(64) Wide {
    double number[8];
  };
  const long before = allocationCount();
  std::vector<Wide> wide(3);
  Wide* volatile seen = wide.data();  // else a compiler may do without
  EXPECT_NE(seen, nullptr);
  EXPECT_EQ(allocationCount() - before, 1);
}

}  // namespace
}  // namespace tenon::test
