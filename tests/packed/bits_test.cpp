// What changes no bit: lanes, threads, scratch thrown away, who stands beside, and in which order.
#include <algorithm>

#include "figures.h"
#include "packed/loops.h"

namespace tenon::test {
namespace {

void expectTheSameBits(const Moving& a, const Moving& b, const std::string& what) {
  ASSERT_EQ(differenceOf(a.state, b.state), "") << what;
  ASSERT_EQ(a.report.iterations, b.report.iterations) << what;
  ASSERT_EQ(a.report.halvings, b.report.halvings) << what;
  ASSERT_EQ(a.report.fast, b.report.fast) << what;
}

// Seven of one shape and of different masses: four side by side and three alone. Some spin so fast that
// their steps are split, others hardly at all.
constexpr int kCrowd = 7;
constexpr double kSpins[kCrowd] = {0.5, 150, 2, 60, 0, 1, 120};  // [rad/s]

void addPerson(Figures& figures, int person, Root root) {
  Random random(17);
  figures.begin("p" + std::to_string(person));
  const std::size_t first = addTree(figures, random, 6, root, {4.0 * person, 0, 0});
  for (std::size_t s = first; s < figures.scene.solids.size(); ++s)
    figures.scene.solids[s].density = 800 + 100 * person;
}
void spinUp(Moving& p, int person, std::size_t first, std::size_t count) {
  Random random(static_cast<std::uint64_t>(40 + person));
  for (std::size_t s = first; s < first + count; ++s) {
    if (p.m.solids[s].kind != SolidKind::Dynamic) continue;
    p.state.spin[s] = vectorIn(random, kSpins[person]);
    p.state.velocity[s] = vectorIn(random, 1);
  }
}
Moving crowdOf(const std::vector<int>& people, Root root, Method method) {
  Figures figures;
  for (const int person : people) addPerson(figures, person, root);
  Moving p = moving(figures.scene, method);
  p.settings.tolerance = 1e-12;
  const std::size_t each = p.m.solids.size() / people.size();
  for (std::size_t k = 0; k < people.size(); ++k) spinUp(p, people[k], k * each, each);
  PoseScratch scratch;
  projectVelocities(p.m, p.control, p.state, scratch);
  return p;
}

TEST(PackedTrees, AreTheSameBitsInLanes) {
  for (const Method method : kFastMethods)
    for (const Root root : {Root::Free, Root::World, Root::Immobile}) {
      const std::string what =
          std::string(nameOf(method)) + " " + std::to_string(static_cast<int>(root));
      Moving lanes = crowdOf({0, 1, 2, 3, 4, 5, 6}, root, method), alone = copyOf(lanes);
      Moving calm = crowdOf({4}, root, method);
      alone.settings.islands.lanes = false;
      for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(lanes.step(1.0 / 60));
        ASSERT_TRUE(alone.step(1.0 / 60));
        ASSERT_TRUE(calm.step(1.0 / 60));
        ASSERT_TRUE(lanes.report.fast) << what << i;
        expectTheSameBits(lanes, alone, what + ", step " + std::to_string(i));
        if (testing::Test::HasFatalFailure()) return;
      }
      EXPECT_GT(lanes.halvings, 0) << what;
      EXPECT_EQ(calm.halvings, 0) << what << ": all were split";
    }
}

TEST(PackedTrees, DoNotFeelWhoIsBesideThemNorTheOrder) {
  const std::vector<int> forth{0, 1, 2, 3, 4, 5, 6}, mixed{5, 3, 6, 1, 0, 4, 2};
  for (const Method method : kFastMethods) {
    Moving a = crowdOf(forth, Root::World, method), b = crowdOf(mixed, Root::World, method);
    // Velocities were projected together: let them be the same to the last bit.
    const std::size_t each = a.m.solids.size() / kCrowd, slots = a.m.slots / kCrowd;
    for (std::size_t k = 0; k < kCrowd; ++k)
      for (std::size_t s = 0; s < each; ++s) {
        const std::size_t from = static_cast<std::size_t>(mixed[k]) * each + s;
        b.state.velocity[k * each + s] = a.state.velocity[from];
        b.state.spin[k * each + s] = a.state.spin[from];
      }
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(a.step(1.0 / 60));
      ASSERT_TRUE(b.step(1.0 / 60));
      ASSERT_TRUE(a.report.fast && b.report.fast);
      ASSERT_EQ(a.report.halvings, b.report.halvings);
      for (std::size_t k = 0; k < kCrowd; ++k) {
        const auto person = static_cast<std::size_t>(mixed[k]);
        for (std::size_t s = 0; s < each; ++s) {
          const std::size_t x = person * each + s, y = k * each + s;
          ASSERT_EQ(a.state.position[x], b.state.position[y]) << i << " " << person;
          ASSERT_EQ(a.state.orientation[x], b.state.orientation[y]) << i << " " << person;
          ASSERT_EQ(a.state.velocity[x], b.state.velocity[y]) << i << " " << person;
          ASSERT_EQ(a.state.spin[x], b.state.spin[y]) << i << " " << person;
        }
        for (std::size_t s = 0; s < slots; ++s)
          ASSERT_EQ(a.state.multiplier[person * slots + s], b.state.multiplier[k * slots + s]);
      }
    }
    EXPECT_GT(a.halvings, 0);
  }
}

// So many trees that there are several chunks of them, and loops of three kinds.
Moving mixedCrowd(Method method) {
  Figures figures;
  for (int f = 0; f < 150; ++f) {
    Random random(f % 3 == 0 ? 5 : 6);
    addTree(figures, random, f % 3 == 0 ? 9 : 12, f % 3 == 0 ? Root::World : Root::Free,
            {4.0 * f, 0, 0});
    if (f % 20 == 0) addLadder(figures, random, 3, f % 40 == 0, {4.0 * f, 0, 5});
    if (f % 30 == 0)
      addRing(figures, random, std::vector<std::string>(5, "ball"), false, false, {4.0 * f, 0, 9});
    if (f % 50 == 0)
      addRing(figures, random, {"pin", "pin", "pin", "pin"}, true, true, {4.0 * f, 0, 13});
  }
  Moving p = moving(figures.scene, method);
  p.settings.tolerance = 1e-12;
  kick(p, 3, 4);
  for (const std::size_t fast : {std::size_t{1}, std::size_t{700}, std::size_t{1500}})
    p.state.spin[fast] += Vec3{400, 100, 0};
  PoseScratch scratch;
  projectVelocities(p.m, p.control, p.state, scratch);
  return p;
}

TEST(Packed, IsTheSameBitsWithAnyNumberOfThreads) {
  for (const Method method : kFastMethods) {
    Moving one = mixedCrowd(method);
    Moving others[] = {copyOf(one), copyOf(one), copyOf(one), copyOf(one)};
    const int threads[] = {2, 3, 8, 0};
    for (int i = 0; i < stepsOf(16); ++i) {
      ASSERT_TRUE(one.step(1.0 / 60));
      ASSERT_TRUE(one.report.fast);
      for (std::size_t k = 0; k < std::size(others); ++k) {
        others[k].settings.islands.threads = threads[k];
        ASSERT_TRUE(others[k].step(1.0 / 60));
        expectTheSameBits(one, others[k],
                          std::to_string(threads[k]) + " threads, step " + std::to_string(i));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    EXPECT_GT(one.halvings, 0);
  }
}

// Within one figure, too: a net that is eliminated in parts.
TEST(PackedLoops, AreTheSameBitsWithAnyNumberOfThreads) {
  Figures figures;
  Random random(5);
  addNet(figures, random, 15);
  for (const Method method : kFastMethods) {
    Moving one = moving(figures.scene, method);
    packed::Loop loop;
    ASSERT_TRUE(loop.plan(one.m, one.m.islandSolids, one.m.islandJoints));
    ASSERT_GT(loop.figure().partCount, 1u);
    kick(one, 8, 1);
    Moving others[] = {copyOf(one), copyOf(one), copyOf(one)};
    const int threads[] = {2, 5, 0};
    for (int i = 0; i < stepsOf(10); ++i) {
      ASSERT_TRUE(one.step(1.0 / 120));
      ASSERT_TRUE(one.report.fast);
      for (std::size_t k = 0; k < std::size(others); ++k) {
        others[k].settings.islands.threads = threads[k];
        ASSERT_TRUE(others[k].step(1.0 / 120));
        expectTheSameBits(one, others[k],
                          std::to_string(threads[k]) + " threads, step " + std::to_string(i));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Packed, MayChangeThreadsAndLanesFromStepToStep) {
  for (const Method method : kFastMethods) {
    Moving one = mixedCrowd(method), other = copyOf(one);
    for (int i = 0; i < 8; ++i) {
      other.settings.islands.threads = 1 + (i * 5) % 4;
      other.settings.islands.lanes = i % 3 != 0;
      ASSERT_TRUE(one.step(1.0 / 60));
      ASSERT_TRUE(other.step(1.0 / 60));
      expectTheSameBits(one, other, std::to_string(i));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Packed, MayLoseItsScratchAfterEveryStep) {
  for (const Method method : kFastMethods) {
    Moving kept = mixedCrowd(method), fresh = copyOf(kept);
    for (int i = 0; i < 8; ++i) {
      const double dt = i % 4 == 3 ? 1.0 / 240 : 1.0 / 60;
      fresh.scratch = StepScratch();
      ASSERT_TRUE(kept.step(dt));
      ASSERT_TRUE(fresh.step(dt));
      ASSERT_TRUE(kept.report.fast);
      expectTheSameBits(kept, fresh, std::to_string(i));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// A step that the fast path gives up leaves no trace: the general path begins from the given state.
TEST(Packed, LeavesNoTraceWhereItGivesUp) {
  for (const Method method : kFastMethods) {
    Moving p = crowdOf({4}, Root::World, method);
    p.state.position[p.m.solids.size() - 2] += Vec3{0.002, 0, 0};
    Moving general = copyOf(p);
    general.settings.islands.fast = false;
    ASSERT_EQ(p.m.islands.size(), 1u);
    ASSERT_TRUE(p.step(1.0 / 60));
    ASSERT_TRUE(general.step(1.0 / 60));
    EXPECT_FALSE(p.report.fast);
    expectTheSameBits(p, general, std::string(nameOf(method)));
  }
}

// A figure that is open goes by rows, by itself: the others go as they would without it.
TEST(Packed, LeavesOnlyTheFigureThatIsTooMuch) {
  for (const Method method : kFastMethods) {
    Moving p = crowdOf({0, 2, 4, 5, 6}, Root::World, method);
    ASSERT_TRUE(p.step(1.0 / 60));
    Moving good = copyOf(p);
    const Index moved = static_cast<Index>(p.m.solids.size() - 2);
    p.state.position[moved] += Vec3{0.002, 0, 0};
    ASSERT_TRUE(p.step(1.0 / 60));
    ASSERT_TRUE(good.step(1.0 / 60));
    EXPECT_FALSE(p.report.fast);
    EXPECT_TRUE(good.report.fast);
    EXPECT_LT(p.error(), 1e-8);
    for (const Mechanism::Island& island : p.m.islands) {
      const Index* first = p.m.islandSolids.data() + island.solids.first;
      const bool its =
          std::find(first, first + island.solids.count, moved) != first + island.solids.count;
      for (Index k = 0; k < island.solids.count; ++k)
        EXPECT_EQ(p.state.position[first[k]] == good.state.position[first[k]], !its)
            << nameOf(method);
    }
  }
}

// The same of a figure with loops and redundant rows: alone it closes as it does where it is all there is.
TEST(Packed, LeavesALoopAsItWouldGoAlone) {
  for (const Method method : kFastMethods) {
    Figures one, two;
    for (Figures* figures : {&one, &two}) {
      Random random(3);
      addLadder(*figures, random, 3, true);
    }
    const std::size_t solids = one.scene.solids.size();
    Random random(4);
    two.begin("other");
    addTree(two, random, 3, Root::World, {9, 0, 0}, "pin");
    Moving alone = moving(one.scene, method), beside = moving(two.scene, method);
    for (Moving* p : {&alone, &beside}) {
      ASSERT_TRUE(p->step(1.0 / 60));
      ASSERT_TRUE(p->report.fast);
      p->state.position[1] += Vec3{0, 0.003, 0};
      ASSERT_TRUE(p->step(1.0 / 60));
      EXPECT_FALSE(p->report.fast);
      EXPECT_LT(p->error(), 1e-8) << nameOf(method);
    }
    for (std::size_t s = 0; s < solids; ++s)
      EXPECT_EQ(alone.state.position[s], beside.state.position[s]) << nameOf(method) << s;
  }
}

}  // namespace
}  // namespace tenon::test
