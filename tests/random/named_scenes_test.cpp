// The scenes of scenes/, by the methods that go island by island: no step is given up, joints stay closed, energy stays
// within the ledger, and kernels move them as rows do.
#ifndef __EMSCRIPTEN__
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/language.h>
#include <tenon/posing.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "random/stepped.h"

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> sceneFiles() {
  std::vector<std::string> names;
  for (const auto& file : fs::recursive_directory_iterator(TENON_SOURCE_DIR "/scenes"))
    if (file.path().extension() == ".tenon")
      names.push_back(fs::relative(file.path(), TENON_SOURCE_DIR "/scenes").string());
  std::sort(names.begin(), names.end());
  return names;
}

// Large ones are made smaller.
ParseOptions sizeOf(const std::string& scene) {
  const std::map<std::string, std::pair<std::string, std::string>> smaller = {
      {"figures/crowd.tenon", {"people", "2"}},
      {"peers/s3.tenon", {"N", "6"}},
      {"peers/s5.tenon", {"people", "2"}},
      {"linkages/strandbeest.tenon", {"pairs", "2"}}};
  ParseOptions options;
  if (const auto at = smaller.find(scene); at != smaller.end()) options.set.push_back(at->second);
  return options;
}

class NamedScenes : public ::testing::TestWithParam<Method> {};

TEST_P(NamedScenes, GiveUpNoStep) {
#ifdef __SANITIZE_ADDRESS__
  const int steps = 6;
#else
  const int steps = 120;
#endif
  const double dt = 1.0 / 60;
  long compared = 0;
  for (const std::string& name : sceneFiles()) {
    const Result<Scene> scene = loadScene(TENON_SOURCE_DIR "/scenes/" + name, sizeOf(name));
    ASSERT_TRUE(scene.ok()) << name;
    const Result<Mechanism> made = compile(*scene);
    ASSERT_TRUE(made.ok()) << name;
    Stepped run(*made, GetParam()), rows(*made, GetParam()), strict(*made, GetParam());
    rows.settings.islands.fast = false;
    strict.settings.tolerance = 1e-15;  // see random_crowds_test.cpp
    PoseScratch posing;
    assemble(run.m, run.control, {}, {}, run.state, posing);
    projectVelocities(run.m, run.control, run.state, posing);
    const bool cardan =
        std::any_of(run.m.joints.begin(), run.m.joints.end(),
                    [](const MechanismJoint& j) { return j.kind->name == "hooke"; });
    for (int i = 0; i < steps; ++i) {
      const std::string where =
          name + ", " + std::string(nameOf(GetParam())) + ", step " + std::to_string(i);
      const State start = run.state;
      const double before = energyOf(run, start);
      run.step(dt);
      ASSERT_TRUE(run.report.finite && isFinite(run.state)) << where;
      EXPECT_TRUE(run.report.converged) << where;
      const Open open = openingOf(run, run.state);
      if (!switchesWithin(run.m, start.time, dt)) {
        EXPECT_LE(open.joints, kClosed) << where;
        EXPECT_LE(open.range, kClosed) << where;
      }
      if (GetParam() == Method::Energy) {
        const double scale = std::max({1e-3, kineticEnergy(run.m, run.state), weightOf(run)});
        ASSERT_TRUE(run.report.ledger) << where;
        EXPECT_NEAR(energyOf(run, run.state) - before, run.report.work, kLedger * scale) << where;
      }
      if (!run.report.fast || (GetParam() == Method::Energy && cardan)) continue;
      Stepped& fast = GetParam() == Method::Energy ? run : strict;
      rows.state = start;
      rows.step(dt);
      if (&fast != &run) {
        fast.state = start;
        fast.step(dt);
      }
      if (!fast.report.fast || fast.report.halvings > 0 || rows.report.halvings > 0) continue;
      ++compared;
      const Apart off = apart(fast.state, rows.state);
      EXPECT_LE(off.places, kSame) << where;
      EXPECT_LE(dt * off.speeds, kSame) << where;
    }
  }
  EXPECT_GT(compared, 10 * steps);
}

INSTANTIATE_TEST_SUITE_P(Methods, NamedScenes,
                         ::testing::Values(Method::Energy, Method::Interactive));

}  // namespace
}  // namespace tenon::test
#endif
