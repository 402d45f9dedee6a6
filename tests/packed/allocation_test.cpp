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
      p.settings.lanes = which == 1 || which > 3;
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(p.step(1.0 / 60));
      const long before = allocationCount();
      for (int i = 0; i < 10; ++i) {
        (void)p.step(1.0 / 60);
        ASSERT_TRUE(p.report.fast) << which;
      }
      EXPECT_EQ(allocationCount() - before, 0) << nameOf(method) << ", figures " << which;
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
