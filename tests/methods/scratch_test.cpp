// Scratch is memory and nothing else: whatever alters the next step is in the state.
#include "moving.h"

namespace tenon::test {
namespace {

// Limits, loops, ropes, gears, rolling, friction, cloth, joints that come and go.
Moving sceneOf(const std::string& name) {
  ParseOptions options;
  if (name == "jeon/cloth") options.set = {{"size", "16"}, {"fold_at", "0.05"}};
  if (name == "peers/s3") options.set = {{"N", "3"}};
  return Moving(loadScene(TENON_SOURCE_DIR "/scenes/" + name + ".tenon", options));
}

class Scratch : public testing::TestWithParam<const char*> {};

// One run throws its scratch away after each step; the other keeps one that every method before it has
// used, too, and that has seen another mechanism.
TEST_P(Scratch, ThrownAwayChangesNoBit) {
  StepScratch kept;
  for (const std::string& name : methodNames()) {
    Moving other(
        "gravity 0 -9.81 0; solid a box 1 0.1 0.1; at 0.5 0 0; end\n"
        "joint pin p object2 a; at 0 0 0; axis 0 0 1; limit angle min -0.1; end\n");
    Moving one = sceneOf(GetParam()), two = sceneOf(GetParam());
    for (Moving* p : {&other, &one, &two}) {
      ASSERT_TRUE(fromName(name, p->settings.method));
      if (p->settings.method == Method::Relaxation) p->settings.iterations = 10;
    }
    (void)tenon::step(other.m, other.control, other.settings, 0.1, other.state, kept);
    for (int i = 0; i < 12; ++i) {
      const double dt = i % 4 == 3 ? 1.0 / 240 : 1.0 / 60;
      const StepReport a = tenon::step(one.m, one.control, one.settings, dt, one.state, kept);
      two.scratch = StepScratch();
      const bool moved = two.step(dt);
      ASSERT_EQ(a.finite && !a.stopped, moved) << name << ", step " << i;
      ASSERT_EQ(differenceOf(one.state, two.state), "") << name << ", step " << i;
      ASSERT_EQ(a.iterations, two.report.iterations) << name << ", step " << i;
      if (!moved) break;
    }
    EXPECT_GT(one.state.time, 0) << name << " took no step";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Scratch,
                         testing::Values("figures/hand", "linkages/four-bar", "joints/rope",
                                         "joints/gear", "gascuel/monocycle", "jeon/cloth",
                                         "peers/s3", "faure/fig6-plate"));

// The same for what solves the rows, and for what Displacement has beside.
TEST(Scratch, ThrownAwayChangesNoBitOfAnySolver) {
  for (const LinearSolver solver : kLinearSolvers) {
    Moving one = sceneOf("linkages/four-bar"), two = sceneOf("linkages/four-bar");
    for (Moving* p : {&one, &two}) {
      p->settings.method = Method::Displacement;
      p->settings.linear.solver = solver;
      p->settings.displacement.guess = p->settings.displacement.accelerate =
          p->settings.displacement.weighted = true;
    }
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(one.step(1.0 / 60));
      two.scratch = StepScratch();
      ASSERT_TRUE(two.step(1.0 / 60));
      ASSERT_EQ(differenceOf(one.state, two.state), "") << nameOf(solver) << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace tenon::test
