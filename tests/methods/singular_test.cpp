// Steps through a singular pose, where the rank of the rows falls: that they end, in bounded work, and say so.
#include "methods/rank_watch.h"
#include "moving.h"

namespace tenon::test {
namespace {

// Two windows of bars of 1 m and 1 kg, three uprights and two bars on top, which turn over and come to lie in line: a singular
// pose, at 0.71 s or so. The benchmark A02 of the IFToMM library.
Moving windows(Method method) {
  std::string text = "gravity 0 -9.81 0;\n";
  const auto number = [](auto x) { return std::to_string(x); };
  for (int i = 0; i < 3; ++i) {
    text += "solid u" + number(i) + " at " + number(i) + " 0.5 0; box 0.06 1 0.03; mass 1; " +
            "velocity 0.5 0 0; spin 0 0 -1; end\n" + "joint pin a" + number(i) + " object2 u" +
            number(i) + "; at " + number(i) + " 0 0; axis 0 0 1; end\n";
  }
  for (int i = 1; i < 3; ++i) {
    text += "solid b" + number(i) + " at " + number(i - 0.5) +
            " 1 0; box 1 0.06 0.03; mass 1; velocity 1 0 0; end\n";
    for (int k = i - 1; k <= i; ++k)
      text += "joint pin j" + number(i) + "-" + number(k) + " object1 u" + number(k) +
              "; object2 b" + number(i) + "; at " + number(k) + " 1 0; axis 0 0 1; end\n";
  }
  Moving p(text);
  p.settings.method = method;
  return p;
}

// How far the first upright has turned from the vertical.
double lean(const Moving& p) {
  const Vec3 up = rotate(p.state.orientation[0], Vec3{0, 1, 0});
  return up.y;
}

// Whether it is in line within this step, by the sign of the height of the uprights' ends.
struct Crossing {
  int steps = 0, said = 0, saidElsewhere = 0, unconverged = 0, most = 0;
  bool ended = true;
};
Crossing cross(Moving& p, double time, double dt) {
  Crossing found;
  const long steps = std::lround(time / dt);
  for (long i = 0; i < steps; ++i) {
    const double before = lean(p);
    if (!p.step(dt)) {
      found.ended = false;
      return found;
    }
    const bool through = (before > 0) != (lean(p) > 0);
    found.steps += through ? 1 : 0;
    const bool near = std::abs(before) < 0.1;
    found.said += near && p.report.singular ? 1 : 0;
    found.saidElsewhere += !near && p.report.singular ? 1 : 0;
    found.unconverged += p.report.converged ? 0 : 1;
    found.most = std::max(found.most, p.report.evaluations);
  }
  return found;
}

// What is left of a row falls where the rank does. Of two rows one of which has taken the place of the other it says nothing.
TEST(RankWatch, KnowsRowsByTheirKeys) {
  constexpr double kStep = 1e-3;
  Moving p = windows(Method::Poststabilized);
  State before = p.state;
  for (int i = 0; i < 900 && !p.report.singular; ++i) {
    before = p.state;
    ASSERT_TRUE(p.step(kStep));
  }
  ASSERT_TRUE(p.report.singular);
  for (const bool same : {true, false}) {
    RankWatch watch;
    watch.begin(kStep, before);
    watch.see(
        2, [](std::size_t r) { return static_cast<Index>(r); }, [](std::size_t) { return 1.0; });
    watch.see(
        2, [&](std::size_t r) { return static_cast<Index>(same ? r : 2 * r); },
        [](std::size_t r) { return r == 0 ? 1.0 : 1e-9; });
    EXPECT_EQ(watch.fell(p.m, p.control, before, p.state), same);
  }
}

TEST(Poststabilized, SaysWhereTheRankFallsWithinAStep) {
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 500, 1.0 / 1000, 1.0 / 3000}) {
    Moving p = windows(Method::Poststabilized);
    const Crossing found = cross(p, 0.8, dt);
    EXPECT_TRUE(found.ended) << dt;
    EXPECT_EQ(found.steps, 1) << dt;
    EXPECT_GE(found.said, 1) << dt;
    EXPECT_LE(found.said, 4) << dt;
    EXPECT_EQ(found.saidElsewhere, 0) << dt;
  }
}

// No false alarm: linkages with redundant rows, figures, chains whose last link is heavy, far from any singular pose.
TEST(Poststabilized, SaysNothingWhereTheRankStays) {
  for (const char* scene : {"linkages/bricard", "linkages/slider-crank", "linkages/four-bar",
                            "linkages/stewart-platform", "figures/hand", "linkages/peaucellier"}) {
    Moving p(loadScene(std::string(TENON_SOURCE_DIR) + "/scenes/" + scene + ".tenon", {}));
    p.settings.method = Method::Poststabilized;
    int said = 0;
    for (int i = 0; i < 60 && p.step(1.0 / 240); ++i) said += p.report.singular ? 1 : 0;
    EXPECT_EQ(said, 0) << scene;
  }
  Moving heavy(chainText(6, true, "gravity 0 -9.81 0;", 1, 0.1, "mass 1e6;"));
  heavy.settings.method = Method::Poststabilized;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(heavy.step(1e-3));
    EXPECT_FALSE(heavy.report.singular) << i;
  }
}

// With step control: however small the tolerance, a step takes so much work and no more. Where the tolerance was not reached,
// it is not claimed.
TEST(Recursive, PassesASingularPoseInBoundedWork) {
  for (const Integrator integrator : {Integrator::Rk45, Integrator::AdamsMoulton})
    for (const double tolerance : {1e-8, 1e-9, 1e-10, 1e-12}) {
      Moving p = windows(Method::Recursive);
      p.settings.integrator = integrator;
      p.settings.recursive.stepTolerance = tolerance;
      const double energy = p.energy();
      const Crossing found = cross(p, 1.0, 1.0 / 240);
      const std::string what =
          std::string(nameOf(integrator)) + " " + std::to_string(std::log10(tolerance));
      EXPECT_LE(found.most, 10000) << what;
      EXPECT_TRUE(found.ended || p.report.stuck) << what;
      EXPECT_GE(found.said, 1) << what;
      EXPECT_EQ(found.saidElsewhere, 0) << what;
      if (found.ended) {
        EXPECT_LT(std::abs(p.energy() - energy), 1e-3) << what;
        EXPECT_LT(p.error(), 1e-9) << what;
      }
    }
}

// A wheel so fast that no part of a step is short enough: the step is refused, the state is that of before, and the work is
// bounded.
TEST(Recursive, IsStuckWhereNoPartOfAStepCanBeHad) {
  for (const Integrator integrator :
       {Integrator::Rk4, Integrator::Rk45, Integrator::AdamsMoulton}) {
    Moving p(
        "gravity 0 0 0; solid wheel cylinder 0.1 0.1; spin 0 0 1e7; end\n"
        "joint pin axle object2 wheel; axis 0 0 1; end\n");
    p.settings.method = Method::Recursive;
    p.settings.integrator = integrator;
    const Quat before = p.state.orientation[0];
    EXPECT_FALSE(p.step(1.0 / 60));
    EXPECT_TRUE(p.report.stuck);
    EXPECT_FALSE(p.report.finite);
    EXPECT_LE(p.report.evaluations, 20000);
    EXPECT_EQ(p.state.time, 0);
    EXPECT_EQ(p.state.orientation[0].w, before.w);
    EXPECT_EQ(p.state.orientation[0].z, before.z);
  }
}

}  // namespace
}  // namespace tenon::test
