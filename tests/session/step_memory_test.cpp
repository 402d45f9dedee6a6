// Memory that runs out within a step: it does not throw, the state is as it was, and the next step works.
#include <gtest/gtest.h>
#include <tenon/measure.h>

#include <new>

#include "methods/moving.h"
#include "support/failing_new.h"

namespace tenon::test {
namespace {

// In WebAssembly the room of the methods is compiled without exceptions: there memory that runs out ends the program.
#ifndef __EMSCRIPTEN__
TEST(StepMemory, IsSaidToHaveRunOut) {
  for (const char* scene : {"linkages/four-bar", "linkages/slider-crank", "figures/marionette"})
    for (const std::string& name : methodNames()) {
      SCOPED_TRACE(std::string(scene) + ", " + name);
      Moving p(loadScene(TENON_SOURCE_DIR "/scenes/" + std::string(scene) + ".tenon"));
      ASSERT_TRUE(fromName(name, p.settings.method));
      if (p.settings.method == Method::Relaxation)
        continue;  // takes long, and asks for nothing of its own
      const State start = p.state;
      const double dt = 1.0 / 240;
      ASSERT_TRUE(p.step(dt));
      const State whole = p.state;
      const bool any = forEachFailure([&](long first, bool all) {
        State state = start;
        StepScratch scratch;
        bool failed = false, threw = false;
        StepReport report;
        {
          const FailingMemory memory(first, all);
          try {
            report = tenon::step(p.m, p.control, p.settings, dt, state, scratch);
          } catch (const std::bad_alloc&) {
            threw = true;
          }
          failed = memory.failed();
        }
        EXPECT_FALSE(threw) << first;
        if (!failed || threw) return false;
        EXPECT_FALSE(report.finite) << first;
        EXPECT_FALSE(report.note.empty()) << first;
        EXPECT_EQ(differenceOf(state, start), "") << first;
        report = tenon::step(p.m, p.control, p.settings, dt, state, scratch);
        EXPECT_TRUE(report.finite) << first;
        EXPECT_EQ(differenceOf(state, whole), "") << first;
        return true;
      });
      EXPECT_TRUE(any);
    }
}
#endif

}  // namespace
}  // namespace tenon::test
