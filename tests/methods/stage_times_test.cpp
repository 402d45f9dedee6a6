// A step that is timed is the same step.
#include "moving.h"

long allocationCount();  // counting_new.cpp

namespace tenon::test {
namespace {

Moving timedScene(const std::string& name) {
  return Moving(loadScene(TENON_SOURCE_DIR "/scenes/" + name + ".tenon"));
}

TEST(StageTimes, ChangeNoBit) {
  for (const char* scene : {"linkages/four-bar", "figures/hand", "peers/s1", "gascuel/monocycle"})
    for (const std::string& name : methodNames()) {
      Moving plain = timedScene(scene), timed = timedScene(scene);
      for (Moving* p : {&plain, &timed}) {
        ASSERT_TRUE(fromName(name, p->settings.method));
        if (p->settings.method == Method::Relaxation) p->settings.iterations = 10;
      }
      timed.settings.timed = true;
      for (int i = 0; i < 5; ++i) {
        const bool moved = plain.step(1.0 / 120);
        ASSERT_EQ(moved, timed.step(1.0 / 120)) << name << " on " << scene;
        ASSERT_EQ(differenceOf(plain.state, timed.state), "") << name << " on " << scene;
        ASSERT_EQ(plain.report.iterations, timed.report.iterations) << name << " on " << scene;
        EXPECT_EQ(plain.report.times.total(), 0) << name;
        EXPECT_GT(timed.report.times.total(), 0) << name;
        if (!moved) break;
      }
    }
}

TEST(StageTimes, AreOfEveryStageThatThereIs) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = timedScene("figures/hand");  // limits: nothing for a fast path
    p.settings.method = method;
    p.settings.timed = true;
    ASSERT_TRUE(p.step(1.0 / 60));
    ASSERT_TRUE(p.step(1.0 / 60));
    for (const Stage stage : {Stage::Loads, Stage::Rows, Stage::Slopes, Stage::Matrix,
                              Stage::Factor, Stage::Solve, Stage::Move, Stage::Measure})
      EXPECT_GT(p.report.times[stage], 0) << nameOf(method) << ": " << nameOf(stage);
    EXPECT_EQ(p.report.times[Stage::Packed], 0) << nameOf(method);
  }
}

TEST(StageTimes, AskForNoMemory) {
  Moving p = timedScene("linkages/four-bar");
  p.settings.timed = true;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(p.step(1e-3));
  const long before = allocationCount();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(p.step(1e-3));
  EXPECT_EQ(allocationCount() - before, 0);
}

TEST(StageTimes, HaveNames) {
  for (std::size_t s = 0; s < kStages; ++s) EXPECT_FALSE(nameOf(static_cast<Stage>(s)).empty());
  EXPECT_TRUE(nameOf(static_cast<Stage>(kStages)).empty());
}

}  // namespace
}  // namespace tenon::test
