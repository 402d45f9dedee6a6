// A scene in three calls; runs, their records, and many states of one scene.
#include <gtest/gtest.h>
#include <tenon/loads.h>
#include <tenon/measure.h>
#include <tenon/simulation.h>

#include <cmath>
#include <cstring>

namespace tenon::test {
namespace {

std::string scenes() { return std::string(TENON_SOURCE_DIR) + "/scenes/"; }

Simulation opened(const std::string& text) {
  Result<Scene> scene = parseScene(text, "t");
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : describe(scene.problems().front()));
  Result<Simulation> made = Simulation::of(std::move(*scene));
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : describe(made.problems().front()));
  return std::move(*made);
}

bool sameBits(const State& a, const State& b) {
  const auto same = [](const std::vector<Vec3>& x, const std::vector<Vec3>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(Vec3)) == 0;
  };
  return a.time == b.time && same(a.position, b.position) && same(a.velocity, b.velocity) &&
         same(a.spin, b.spin) && a.multiplier == b.multiplier && a.memory == b.memory;
}

// A rod of length 1 from its end, ω² = g/2 / (I/m + 1/4).
const std::string kPendulum = R"(solid rod box 1 0.02 0.02; at 0 -0.5 0; turn 0 0 1 90deg; end
joint pin hinge object2 rod; at 0 0 0; axis 0 0 1; end
)";

TEST(ThreeCalls, RunAPendulumAsTheFormulaSays) {
  Result<Simulation> rod = Simulation::load(scenes() + "joints/pin.tenon");
  ASSERT_TRUE(rod.ok()) << describe(rod.problems().front());
  const RunReport report = rod->run(1);
  EXPECT_TRUE(gotToItsEnd(report.status));
  EXPECT_NEAR(rod->time(), 1, 1e-9);

  Simulation pendulum = opened(kPendulum);
  pendulum.settings().dt = 1.0 / 1000;
  pendulum.editState().spin[0] = {0, 0, 0.01};  // small: a harmonic motion
  pendulum.editState().velocity[0] = {0.005, 0, 0};
  const double frequency = std::sqrt(0.5 * 9.81 / ((1 + 0.02 * 0.02) / 12 + 0.25));
  const RunReport quarter = pendulum.run(0.5 * std::acos(-1) / frequency);
  EXPECT_EQ(quarter.status, RunStatus::Done);
  ASSERT_TRUE(pendulum.coordinate("hinge", "angle").has_value());
  EXPECT_NEAR(*pendulum.coordinate("hinge", "angle"), 0.01 / frequency, 1e-7);
  EXPECT_LT(quarter.maxError, 1e-12);
}

TEST(ThreeCalls, SayWhatIsWrong) {
  const Result<Simulation> none = Simulation::load("/nowhere/none.tenon");
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(hasErrors(none.problems()));
  Result<Scene> scene = parseScene(kPendulum, "t");
  ASSERT_TRUE(scene.ok());
  scene->joints[0].solid2 = "nobody";
  const Result<Simulation> unknown = Simulation::of(std::move(*scene));
  ASSERT_FALSE(unknown.ok());
  Simulation pendulum = opened(kPendulum);
  EXPECT_FALSE(pendulum.pose("rot").has_value());
  EXPECT_FALSE(pendulum.coordinate("hinge", "slide").has_value());
  EXPECT_FALSE(pendulum.value("hinge").has_value());
  pendulum.settings().record = {"rod.xx"};
  const RunReport report = pendulum.run();
  EXPECT_EQ(report.steps, 0u);
  ASSERT_TRUE(hasErrors(report.problems));
  EXPECT_NE(report.problems.front().remedy.find("rod.x"), std::string::npos);
}

TEST(Run, GoesOnWhereItIs) {
  Simulation whole = opened(kPendulum), parts = opened(kPendulum);
  for (Simulation* each : {&whole, &parts}) {
    each->editState().position[0] = {0.5, 0, 0};
    each->editState().orientation[0] = {0, 0, 1, 0};
  }
  whole.run(0.5);
  for (int i = 0; i < 5; ++i) parts.run(0.1);
  EXPECT_LT(norm(whole.state().position[0] - parts.state().position[0]), 1e-10);
  Simulation steps = opened(kPendulum);
  steps.editState().position[0] = {0.5, 0, 0};
  steps.editState().orientation[0] = {0, 0, 1, 0};
  for (int i = 0; i < 120; ++i) steps.step();
  EXPECT_TRUE(sameBits(whole.state(), steps.state()));
  EXPECT_GT(norm(whole.state().position[0] - Vec3{0.5, 0, 0}), 0.1);
}

TEST(Run, ResetBringsEverythingBack) {
  Simulation run = opened(kPendulum + "at 0.1 gravity 0 0 0;\nat 0.2 deactivate hinge;\n");
  const State start = run.state();
  const RunReport first = run.run(0.5);
  EXPECT_EQ(run.control().gravity.y, 0);
  EXPECT_EQ(run.control().jointOn[0], 0);
  run.reset();
  EXPECT_TRUE(sameBits(run.state(), start));
  EXPECT_EQ(run.control().gravity.y, -9.81);
  EXPECT_EQ(run.control().jointOn[0], 1);
  const RunReport second = run.run(0.5);
  EXPECT_EQ(first.hash, second.hash);
}

TEST(Run, RecordsWhatIsAskedFor) {
  Simulation run = opened(kPendulum);
  run.editState().position[0] = {0.5, 0, 0};
  run.editState().orientation[0] = {0, 0, 1, 0};
  run.settings().dt = 1.0 / 120;
  run.settings().every = 2;
  run.settings().record = {"time", "hinge.angle", "rod.x", "rod.qz", "rod.wz", "energy", "error"};
  const RunReport report = run.run(0.5);
  const RunRecord& record = report.record;
  ASSERT_EQ(record.columns.size(), 7u);
  ASSERT_EQ(record.rows(), report.frames);
  ASSERT_EQ(record.rows(), 31u);
  for (std::size_t r = 0; r < record.rows(); ++r) {
    EXPECT_NEAR(record.at(r, 0), static_cast<double>(r) / 60, 1e-12);
    const double angle = record.at(r, 1);
    // The rod as written hangs down: its angle is from there.
    EXPECT_NEAR(record.at(r, 2), 0.5 * std::sin(angle), 1e-9) << r;
    EXPECT_NEAR(record.at(r, 5), record.at(0, 5), 1e-9) << r;
    EXPECT_LT(record.at(r, 6), 1e-12);
  }
  const std::size_t last = record.rows() - 1;
  for (std::size_t c = 0; c < record.columns.size(); ++c)
    EXPECT_EQ(run.value(record.columns[c]), record.at(last, c)) << record.columns[c];
  const std::vector<std::string> all = run.recordable();
  for (const std::string& name : all) EXPECT_TRUE(run.value(name).has_value()) << name;
  EXPECT_EQ(all.size(), 5u + 13u + 1u);
}

TEST(Run, StopsWhereSomebodySaysSo) {
  Simulation run = opened(kPendulum);
  RunWatch watch;
  int asked = 0;
  watch.goesOn = [&] { return ++asked <= 10; };
  const RunReport report = run.run(watch);
  EXPECT_EQ(report.status, RunStatus::Stopped);
  EXPECT_EQ(report.steps, 10u);
}

TEST(Run, AssemblesFromWhereverSolidsAre) {
  Result<Simulation> made = Simulation::load(scenes() + "linkages/four-bar.tenon");
  ASSERT_TRUE(made.ok());
  scatter(made->mechanism(), 3, made->editState());
  EXPECT_GT(made->error().max, 0.1);
  const PoseReport report = made->assemble();
  EXPECT_TRUE(report.closed);
  EXPECT_LT(made->error().max, 1e-9);
  std::vector<Problem> problems;
  for (const Judgement& judgement : made->judgeExpectations(problems))
    EXPECT_EQ(judgement.verdict, Judgement::Verdict::Holds) << judgement.words;
}

// ------------------------------------------------------------------------------------------- rollouts

std::vector<State> startsOf(const Simulation& of, std::size_t count) {
  std::vector<State> starts(count, of.state());
  for (std::size_t i = 0; i < count; ++i)
    for (Vec3& spin : starts[i].spin) spin += Vec3{0, 0, 0.1 * static_cast<double>(i)};
  return starts;
}

TEST(Rollout, HasTheBitsOfOneByOne) {
  for (const char* scene : {"figures/marionette.tenon", "linkages/slider-crank.tenon"}) {
    Result<Simulation> made = Simulation::load(scenes() + scene);
    ASSERT_TRUE(made.ok());
    const std::vector<State> starts = startsOf(*made, 5);
    RolloutSettings settings;
    settings.steps = 20;
    settings.every = 10;
    for (const int threads : {1, 2, 0}) {
      settings.threads = threads;
      const Result<Rollout> all = rollout(*made, starts, settings);
      ASSERT_TRUE(all.ok());
      ASSERT_EQ(all->perStart, 2u);
      for (std::size_t i = 0; i < starts.size(); ++i) {
        EXPECT_EQ(all->finite[i], 1);
        Result<Simulation> one = Simulation::load(scenes() + scene);
        one->editState() = starts[i];
        for (int k = 0; k < 20; ++k) {
          one->step();
          if (k == 9) {
            EXPECT_TRUE(sameBits(all->states[2 * i], one->sceneState())) << i;
          }
        }
        EXPECT_TRUE(sameBits(all->states[2 * i + 1], one->sceneState())) << scene << i;
      }
    }
  }
}

TEST(Rollout, SteersEachStartByItsOwnTargets) {
  const Simulation run =
      opened(kPendulum + "override hinge\n drive angle 0 stiffness 50 damping 5;\nend\n");
  const std::vector<State> starts(3, run.state());
  RolloutSettings settings;
  settings.steps = 480;
  std::vector<double> targets;
  for (const double target : {-0.5, 0.0, 0.5}) targets.insert(targets.end(), 480, target);
  settings.targets = targets;
  const Result<Rollout> all = rollout(run, starts, settings);
  ASSERT_TRUE(all.ok()) << describe(all.problems().front());
  // They settle where the drive and the weight balance: 50 (0.5 - φ) = m g/2 sin φ, m = 0.4 kg.
  double angle = 0.5;
  for (int i = 0; i < 50; ++i) angle = 0.5 - 0.4 * 9.81 * 0.5 * std::sin(angle) / 50;
  EXPECT_NEAR(all->states[2].position[0].x, 0.5 * std::sin(angle), 1e-4);
  EXPECT_NEAR(all->states[0].position[0].x, -0.5 * std::sin(angle), 1e-4);
  EXPECT_NEAR(all->states[1].position[0].x, 0, 1e-9);
}

TEST(Rollout, RefusesWhatDoesNotFit) {
  const Simulation run = opened(kPendulum);
  RolloutSettings settings;
  std::vector<State> starts(1, run.state());
  settings.steps = 0;
  EXPECT_FALSE(rollout(run, starts, settings).ok());
  settings.steps = 2;
  starts[0].position.clear();
  EXPECT_FALSE(rollout(run, starts, settings).ok());
  starts[0] = run.state();
  const std::vector<double> targets(1, 0.0);
  settings.targets = targets;
  EXPECT_FALSE(rollout(run, starts, settings).ok());
}

}  // namespace
}  // namespace tenon::test
