// Steps ask for no memory, once the buffers have grown.
#include "moving.h"

long allocationCount();  // counting_new.cpp

namespace tenon::test {
namespace {

TEST(Methods, StepWithoutAllocation) {
  const std::string scenes = TENON_SOURCE_DIR "/scenes/";
  for (const char* scene :
       {"gascuel/monocycle", "faure/fig6-plate", "linkages/four-bar", "linkages/slider-crank",
        "joints/rope", "joints/gear", "jeon/bead-on-wire", "jeon/cloth", "figures/hand"})
    for (const std::string& name : methodNames())
      for (const bool hard : {false, true}) {
        Moving p(loadScene(scenes + scene + ".tenon"));
        ASSERT_TRUE(fromName(name, p.settings.method));
        if (hard) {  // so that there are corrections from the beginning, and no step converges
          p.settings.tolerance = 1e-15;
          p.settings.iterations = 5;
        } else if (p.settings.method == Method::Relaxation) {
          p.settings.iterations = 20;
        }
        for (int i = 0; i < 3; ++i) (void)p.step(1e-3);
        const long before = allocationCount();
        for (int i = 0; i < 10; ++i) (void)p.step(1e-3);
        EXPECT_EQ(allocationCount() - before, 0) << name << " on " << scene << ", " << hard;
      }
}

// … whatever solves the rows, and with what Displacement has beside.
TEST(Methods, SolveWithoutAllocation) {
  for (const LinearSolver solver : kLinearSolvers) {
    Moving p(chainText(6, true, "gravity 0 -9.81 0;"));
    p.settings.method = Method::Displacement;
    p.settings.linear.solver = solver;
    p.settings.displacement.guess = p.settings.displacement.accelerate =
        p.settings.displacement.weighted = true;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(p.step(1e-3));
    const long before = allocationCount();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(p.step(1e-3));
    EXPECT_EQ(allocationCount() - before, 0) << nameOf(solver);
  }
}

}  // namespace
}  // namespace tenon::test
