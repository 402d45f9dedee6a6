// Energy from nowhere is seen in every method: by the ledger where it has one, and where kinetic energy becomes more than
// ten times what it was and what loads can have done.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/language.h>
#include <tenon/measure.h>
#include <tenon/simulation.h>

#include <algorithm>
#include <string>

#include "session/running.h"

namespace tenon::test {
namespace {

struct Case {
  Method method;
  bool fast = true;
};
constexpr Case kCases[] = {{Method::Energy},       {Method::Energy, false},
                           {Method::Interactive},  {Method::Interactive, false},
                           {Method::Displacement}, {Method::Shake},
                           {Method::Relaxation},   {Method::Baumgarte},
                           {Method::Implicit},     {Method::Poststabilized},
                           {Method::Recursive}};

std::string nameOf(const Case& one) {
  return std::string(nameOf(one.method)) + (one.fast ? "" : " by rows");
}

Mechanism read(const std::string& text, Scene& scene) {
  Result<Scene> parsed = parseScene(text, "test");
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : describe(parsed.problems().front()));
  scene = std::move(*parsed);
  Result<Mechanism> made = compile(scene);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : describe(made.problems().front()));
  return std::move(*made);
}

const char* const kChain = R"(
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; end
joint ball hip object2 a; at 0 0 0; end
joint ball knee object1 a; object2 b; at 1 0 0; end
)";

// Steps of each method, whose report is its own; then the velocities are made larger behind its back.
TEST(EnergyWatch, SeesAJumpInEveryMethod) {
  constexpr double kStep = 1.0 / 240;
  Scene scene;
  const Mechanism m = read(kChain, scene);
  const Control control = initialControl(m);
  for (const Case& one : kCases) {
    SCOPED_TRACE(nameOf(one));
    StepSettings settings;
    settings.method = one.method;
    settings.islands.fast = one.fast;
    for (const double factor : {1.0, 5.0}) {
      State state = initialState(m);
      StepScratch scratch;
      EnergyWatch watch;
      watch.begin(m, control, settings.tolerance, state);
      StepReport report;
      for (int i = 0; i < 12; ++i) {
        report = step(m, control, settings, kStep, state, scratch);
        ASSERT_TRUE(report.finite);
        ASSERT_EQ(watch.unexplained(m, control, report, kStep, state), 0) << i;
      }
      if (one.method == Method::Interactive) {
        EXPECT_EQ(report.fast, one.fast);
        EXPECT_EQ(report.ledger, !one.fast);
      }
      report = step(m, control, settings, kStep, state, scratch);
      const double kinetic = kineticEnergy(m, state);
      for (Vec3& v : state.velocity) v = factor * v;
      for (Vec3& w : state.spin) w = factor * w;
      const double jump = watch.unexplained(m, control, report, kStep, state);
      EXPECT_EQ(jump > 10 * kinetic, factor > 1) << jump;
      EXPECT_EQ(jump > 0, factor > 1) << jump;
    }
  }
}

// A joint that is open at the start, and closed by the first steps: whoever makes velocities of it says so, also where the
// opening is small and the ledger takes its closing for work.
TEST(EnergyWatch, SeesWhatClosingAJointByForceGives) {
  for (const std::string open : {"0.5", "0.04"})
    for (const Case& one : kCases) {
      SCOPED_TRACE(nameOf(one) + " " + open);
      Scene scene;
      const Mechanism m = read(
          "gravity 0 0 0;\nsolid a box 1 0.1 0.1; at 0.5 0 0; end\n"
          "solid b box 1 0.1 0.1; at 1.5 0 0; end\n"
          "joint ball hip object2 a; at 0 0 0; end\n"
          "joint ball knee object1 a; object2 b; point1 0.5 0 0; point2 -0.5 " +
              open + " 0; end\n",
          scene);
      StepSettings settings;
      settings.method = one.method;
      settings.islands.fast = one.fast;
      Simulation run(scene, m);
      run.settings().step = settings;
      run.settings().dt = 1.0 / 60;
      run.settings().asWritten = true;
      double gained = 0, seen = 0;
      for (int i = 0; i < 12; ++i) {
        const double before = kineticEnergy(m, run.state());
        const SimulationStep made = run.step();
        if (!made.report.finite) break;
        const double kinetic = kineticEnergy(m, run.state());
        if (kinetic > 1e-6 && kinetic > 10 * before) gained = std::max(gained, kinetic);
        seen = std::max(seen, made.unexplained);
      }
      EXPECT_EQ(seen > 0, gained > 0) << gained << " " << seen;
      RecordProperty(nameOf(one) + " " + open, std::to_string(gained));
    }
}

}  // namespace
}  // namespace tenon::test
