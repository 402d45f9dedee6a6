// A scene that runs: what comes into force while it is open, events that make solids one, pins, and energy that nothing
// explains.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/language.h>
#include <tenon/loads.h>
#include <tenon/measure.h>
#include <tenon/simulation.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace tenon::test {
namespace {

// A scene that is run from its start.
struct Ran {
  Scene scene;
  Mechanism m;
  std::vector<Problem> problems;
  std::optional<Simulation> run;
  SimulationStart start;
  double jumps = 0;        // [J] that nothing explains, the largest
  double kineticGain = 0;  // [J] at the last instant
  int putRight = 0;
  bool finite = true, converged = true;

  Ran(const std::string& text, Method method, bool asWritten = false) {
    Result<Scene> read = parseScene(text, "test");
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : describe(read.problems().front()));
    scene = std::move(*read);
    Result<Mechanism> made = compile(scene);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : describe(made.problems().front()));
    m = std::move(*made);
    StepSettings settings;
    settings.method = method;
    run.emplace(scene, m);
    run->settings().step = settings;
    run->settings().asWritten = asWritten;
    start = run->begin();
    takeProblems();
  }
  void takeProblems() {
    for (Problem& problem : run->takeProblems()) problems.push_back(std::move(problem));
  }
  void until(double time, double dt) {
    while (finite && run->state().time < time - 1e-9) {
      const SimulationStep made = run->step(std::min(dt, time - run->state().time));
      finite = finite && made.report.finite;
      converged = converged && made.report.converged;
      jumps = std::max(jumps, made.unexplained);
      kineticGain = made.met.kineticGain != 0 ? made.met.kineticGain : kineticGain;
      putRight += made.met.putRight ? 1 : 0;
    }
    takeProblems();
  }
  [[nodiscard]] JointError error() const {
    return jointError(run->mechanism(), run->control(), run->state());
  }
  [[nodiscard]] double kinetic() const { return kineticEnergy(run->mechanism(), run->state()); }
  [[nodiscard]] bool says(const std::string& words) const {
    for (const Problem& problem : problems)
      if (problem.what.find(words) != std::string::npos) return true;
    return false;
  }
  Index solid(const std::string& name) const {
    return static_cast<Index>(std::find(m.solidNames.begin(), m.solidNames.end(), name) -
                              m.solidNames.begin());
  }
};

constexpr Method kAll[] = {Method::Energy,   Method::Interactive,    Method::Displacement,
                           Method::Shake,    Method::Relaxation,     Method::Baumgarte,
                           Method::Implicit, Method::Poststabilized, Method::Recursive};

bool takesOpenJoints(Method method) {
  return method == Method::Baumgarte || method == Method::Implicit;
}

// Two bars on a pin; from 0.5 s on they are welded as written, 90 degrees from where they are then.
const char* const kWeldedLate = R"(gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; spin 0 0 3.1415926535; velocity 0 1.57079632675 0; end
joint pin knee object1 a; object2 b; at 1 0 0; axis 0 0 1; active 0 0.5; end
joint weld later object1 a; object2 b; active 0.5; end
)";

// A joint that comes into force while it is open: the pose is put right, velocities become what it allows, and no energy is
// won, in every method but the two whose experiment it is.
TEST(Simulation, AJointThatComesIntoForceOpenIsClosedFirstAndNoEnergyIsWon) {
  for (const Method method : kAll) {
    SCOPED_TRACE(nameOf(method));
    Ran p(kWeldedLate, method);
    p.until(0.5 - 1.0 / 240, 1.0 / 240);
    const double before = p.kinetic();
    p.until(0.5, 1.0 / 240);
    EXPECT_EQ(p.putRight, takesOpenJoints(method) ? 0 : 1);
    if (takesOpenJoints(method)) continue;
    EXPECT_TRUE(p.says("becomes active at 0.5 s while it is open by"));
    EXPECT_EQ(p.problems.back().line, 5);
    EXPECT_LE(p.kineticGain, 0);
    EXPECT_LT(p.error().max, 1e-9);
    p.until(1, 1.0 / 240);
    EXPECT_LE(p.kinetic(), before * 1.001);
    EXPECT_GT(p.kinetic(), 0.01 * before);  // not simply stopped
    EXPECT_EQ(p.jumps, 0);
  }
}

// As written, nothing is put right: the step closes the joint by force, and gives its correction as velocity. That energy
// comes from nowhere, and is seen.
TEST(Simulation, AsWrittenAnOpenJointIsClosedByForceAndTheEnergyIsSeen) {
  for (const Method method : {Method::Displacement, Method::Shake}) {
    SCOPED_TRACE(nameOf(method));
    Ran p(kWeldedLate, method, true);
    p.until(0.5, 1.0 / 240);
    EXPECT_EQ(p.putRight, 0);
    EXPECT_GT(p.error().max, 0.1);
    EXPECT_EQ(p.jumps, 0);
    p.until(0.52, 1.0 / 240);
    EXPECT_GT(p.jumps, 100 * 0.5);  // [J] from a kinetic energy of some tens
  }
}

// So with limits: a bar at 60 degrees, which may turn by 30 from 0.5 s on.
TEST(Simulation, ALimitThatComesIntoForceWhileItIsViolatedIsMetFirst) {
  for (const Method method : kAll) {
    if (takesOpenJoints(method)) continue;
    SCOPED_TRACE(nameOf(method));
    Ran p(R"(gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; spin 0 0 2; velocity 0 1 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; limit angle min -30deg max 30deg active 0.5; end
)",
          method);
    p.until(0.5, 1.0 / 240);
    EXPECT_EQ(p.putRight, 1);
    EXPECT_LT(p.error().range, 1e-6);
    EXPECT_LE(p.kineticGain, 0);
    p.until(1, 1.0 / 240);
    EXPECT_EQ(p.jumps, 0);
  }
}

// Two free bars on a pin, turning against each other: after the merge they are one body with the momenta of both, turning
// at L/I. Closed form of a plastic impact.
TEST(Simulation, AMergeIsAPlasticImpact) {
  for (const char* action : {"merge", "freeze"}) {
    Ran p(std::string(R"(gravity 0 0 0;
solid a box 1 0.1 0.1; mass 1; at -0.5 0 0; spin 0 0 4; velocity 0 -2 0; end
solid b box 1 0.1 0.1; mass 2; at 0.5 0 0; spin 0 0 1; velocity 0 0.5 0; end
joint pin knee object1 a; object2 b; at 0 0 0; axis 0 0 1; end
at 0.25 )") + action +
              " knee;\n",
          Method::Energy);
    const Momentum start = momentum(p.m, p.run->sceneState());
    p.until(0.25, 1.0 / 240);
    const State after = p.run->sceneState();
    EXPECT_EQ(p.run->mechanism().solids.size(), 1u);
    EXPECT_EQ(p.putRight, 0);
    const Momentum now = momentum(p.m, after);
    EXPECT_LT(norm(now.linear - start.linear), 1e-9);
    EXPECT_LT(norm(now.angular - start.angular), 1e-9);
    // One body: the same spin, L = I ω about the common centre.
    const Index a = p.solid("a"), b = p.solid("b");
    EXPECT_LT(norm(after.spin[a] - after.spin[b]), 1e-12);
    const Vec3 centre = (1.0 / 3) * (after.position[a] + 2 * after.position[b]);
    const Vec3 mean = (1.0 / 3) * (after.velocity[a] + 2 * after.velocity[b]);
    const double own = (1 + 0.01) / 12;  // of a bar of mass 1
    const double inertia = 3 * own +
                           norm(after.position[a] - centre) * norm(after.position[a] - centre) +
                           2 * norm(after.position[b] - centre) * norm(after.position[b] - centre);
    const Vec3 L = start.angular - cross(centre, 3 * mean);
    EXPECT_NEAR(after.spin[a].z, L.z / inertia, 1e-9);
    EXPECT_LT(p.kineticGain, 0);
    const double turned = 2 * std::atan2(after.orientation[a].z, after.orientation[a].w);
    const double relative = 2 * std::atan2(after.orientation[b].z, after.orientation[b].w) - turned;
    p.until(1, 1.0 / 240);
    const State end = p.run->sceneState();
    EXPECT_NEAR(
        std::remainder(2 * std::atan2(end.orientation[b].z, end.orientation[b].w) -
                           2 * std::atan2(end.orientation[a].z, end.orientation[a].w) - relative,
                       2 * 3.14159265358979323846),
        0, 1e-9);
    EXPECT_EQ(p.jumps, 0);
  }
}

// `stop` takes all momentum away, and the fall begins anew; `finish` ends the run.
TEST(Simulation, StopTakesMomentumAwayAndGoesOn) {
  Ran p("solid a sphere 0.1; end\nat 0.5 stop;\n", Method::Energy);
  p.until(1, 1.0 / 240);
  EXPECT_NEAR(p.run->state().position[0].y, -2 * 0.5 * 9.81 * 0.25, 1e-9);
  Ran q("solid a sphere 0.1; end\nat 0 finish;\n", Method::Energy);
  EXPECT_FALSE(q.start.goesOn);
}

// A pin of the text is a joint to the world, in every method, to the bit.
TEST(Simulation, PinsOfTheTextHoldInMotionAsJointsDo) {
  const std::string bars = R"(solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; end
joint ball knee object1 a; object2 b; at 1 0 0; end
)";
  for (const Method method : kAll) {
    SCOPED_TRACE(nameOf(method));
    Ran pinned(bars + "pin nail object a; point -0.5 0 0; end\n", method),
        joined(bars + "joint ball nail object2 a; at 0 0 0; end\n", method);
    pinned.until(0.25, 1.0 / 240);
    joined.until(0.25, 1.0 / 240);
    EXPECT_EQ(stateHash(pinned.run->sceneState()), stateHash(joined.run->sceneState()));
    const State state = pinned.run->sceneState();
    if (method == Method::Energy || method == Method::Recursive) {
      EXPECT_LT(norm(state.position[0] + rotate(state.orientation[0], Vec3{-0.5, 0, 0})), 1e-9);
    }
    EXPECT_LT(state.position[1].y, -0.03);  // the rest falls
  }
}

TEST(Simulation, ARigidPinHoldsTheWholeSolidAndEndsWithItsTime) {
  Ran p(
      "solid a box 1 0.2 0.1; at 1 2 3; turn 0 0 1 30deg; end\npin p object a; rigid; active 0 "
      "0.5; end\n",
      Method::Energy);
  p.until(0.5, 1.0 / 240);
  EXPECT_LT(norm(p.run->state().position[0] - Vec3{1, 2, 3}), 1e-10);
  p.until(1, 1.0 / 240);
  EXPECT_NEAR(p.run->state().position[0].y, 2 - 0.5 * 9.81 * 0.25, 1e-9);
}

// A start outside of a limit is put right first: what it had would be a motion that no physics explains.
TEST(Simulation, AStartOutsideOfALimitIsPutRightFirst) {
  const std::string text = R"(solid a box 1 0.1 0.1; at 0.5 0 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; limit angle min 0.52 max 1; end
)";
  for (const Method method : {Method::Energy, Method::Interactive, Method::Shake}) {
    SCOPED_TRACE(nameOf(method));
    Ran p(text, method);
    EXPECT_TRUE(p.start.assembled);
    EXPECT_NEAR(p.start.range, 0.52, 1e-9);
    EXPECT_LT(p.error().range, 1e-9);
    p.until(0.5, 1.0 / 240);
    EXPECT_EQ(p.jumps, 0);
    EXPECT_LT(p.kinetic(), 1e-6);  // it lies on its limit
  }
  EXPECT_FALSE(Ran(text, Method::Baumgarte).start.assembled);
  EXPECT_FALSE(Ran(text, Method::Energy, true).start.assembled);
}

// Open by less than what is said, and the next step is short: it is closed first all the same.
TEST(Simulation, ASmallOpeningIsClosedFirstToo) {
  Ran p(R"(gravity 0 0 0;
solid a box 0.1 0.1 0.1; mass 1; end
solid b box 0.1 0.1 0.1; mass 1; at 3 0 0; end
joint weld w object1 a; object2 b; point1 1.5 0 0; point2 -1.4999991 0 0; active 0.1; end
at 0.10000001 damp 0;
)",
        Method::Energy);
  p.until(0.2, 1.0 / 240);
  EXPECT_LT(p.kinetic(), 1e-9);
  EXPECT_EQ(p.jumps, 0);
}

// What a step does by force to rows that were open is energy from nowhere in the methods with a ledger, too.
TEST(Simulation, ForcedWorkIsSeenInTheLedger) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    SCOPED_TRACE(nameOf(method));
    Ran p(R"(gravity 0 0 0;
solid a box 0.1 0.1 0.1; mass 1; velocity 1 0 0; end
solid b box 0.1 0.1 0.1; mass 1; at 3 0 0; velocity -1 0 0; end
joint weld w object1 a; object2 b; point1 1.5 0 0; point2 -1.5 0 0; active 0.5; end
)",
          method, true);
    p.until(0.6, 1.0 / 240);
    EXPECT_GT(p.jumps, 100);
  }
}

// A merge leaves alone what a support moves.
TEST(Simulation, AMergeDoesNotSlowWhatIsPrescribed) {
  Ran p(R"(gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; spin 0 0 -6; end
joint pin pa object2 a; at 0 0 0; axis 0 0 1; prescribe angle rate 3; end
joint pin pb object1 a; object2 b; at 1 0 0; axis 0 0 1; end
at 0.01 merge pb;
)",
        Method::Energy);
  p.until(0.01, 1.0 / 240);
  EXPECT_NEAR(p.run->sceneState().spin[0].z, 3, 1e-6);
  EXPECT_NEAR(p.run->sceneState().spin[1].z, 3, 1e-6);
}

// What cannot be merged is said, and the run goes on.
TEST(Simulation, AMergeThatCannotBeIsSaid) {
  Ran p(R"(gravity 0 0 0;
solid a point-mass; mass 1; end
solid b point-mass; mass 1; at 1 0 0; end
joint distance d object1 a; object2 b; length 1; end
at 0.1 merge d;
)",
        Method::Energy);
  p.until(0.2, 1.0 / 240);
  EXPECT_TRUE(p.says("cannot be"));
  EXPECT_EQ(p.run->mechanism().solids.size(), 2u);
}

// One solid on a limit, at rest or not: nothing came from nowhere.
TEST(Simulation, ALimitIsNoEnergyFromNowhere) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Ran p(
        "solid a box 1 0.1 0.1; at 0.5 0 0; end\n"
        "joint pin hinge object2 a; at 0 0 0; axis 0 0 1; limit angle min -0.5 max 1; end\n",
        method);
    p.until(2, 1.0 / 240);
    EXPECT_EQ(p.jumps, 0) << nameOf(method);
  }
}

// The cloth whose creases come into force, wherever its nodes are by then. A step that jumps over the instant closes them by
// force, and must not run away.
TEST(Simulation, AStepThatCannotBeHadDoesNotRunAway) {
  std::ifstream file(std::string(TENON_SOURCE_DIR) + "/scenes/jeon/cloth.tenon");
  std::stringstream text;
  text << file.rdbuf();
  ParseOptions options;
  options.set = {{"size", "6"}};
  const Result<Scene> scene = parseScene(text.str(), "cloth", options);
  ASSERT_TRUE(scene.ok());
  const Result<Mechanism> m = compile(*scene);
  ASSERT_TRUE(m.ok());
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    State state = initialState(*m);
    const Control control = initialControl(*m);
    scatter(*m, seed, state);
    PoseScratch posing;
    assemble(*m, control, {}, {}, state, posing);
    StepScratch scratch;
    StepSettings settings;
    for (int i = 0; i < 244; ++i) {
      const StepReport report = step(*m, control, settings, 1.0 / 240, state, scratch);
      ASSERT_TRUE(report.finite);
      for (const Vec3& x : state.position) ASSERT_LT(norm(x), 20);  // of a net of 1 m, falling
      ASSERT_LT(kineticEnergy(*m, state), 1e6);
    }
  }
}

// Peaucellier's cell is flat, and singular, where an arm and the side at its end are in line: both arms then hold the
// crank's end in the same direction. So is a scissor lift whose frames lie on each other: each stage could open to either
// side. A warning of a singular pose comes there, within what is turned in a step, and nowhere else.
TEST(Simulation, PosesThatAreCalledSingularAre) {
  struct Linkage {
    const char* file;
    std::vector<std::pair<std::string, std::string>> set;
    std::vector<std::pair<std::string, std::string>> pairs;  // of solids whose x axes are in line
    double duration;
  };
  const Linkage linkages[] = {
      {"peaucellier", {}, {{"arm-a", "side-pa"}, {"arm-b", "side-bp"}}, 0.6},
      {"scissor-lift",
       {{"drive", "0"}},
       {{"inner-1.bars", "outer-1.bars"}, {"inner-3.bars", "outer-3.bars"}},
       1.2}};
  constexpr double kStep = 1.0 / 240;
  for (const Linkage& linkage : linkages)
    for (const Method method : {Method::Poststabilized, Method::Recursive}) {
      SCOPED_TRACE(std::string(linkage.file) + " " + std::string(nameOf(method)));
      ParseOptions options;
      options.set = linkage.set;
      const Result<Scene> scene = loadScene(
          std::string(TENON_SOURCE_DIR) + "/scenes/linkages/" + linkage.file + ".tenon", options);
      ASSERT_TRUE(scene.ok());
      const Result<Mechanism> m = compile(*scene);
      ASSERT_TRUE(m.ok());
      std::vector<Problem> problems;
      StepSettings settings;
      settings.method = method;
      Simulation run(*scene, *m);
      run.settings().step = settings;
      run.settings().dt = kStep;
      run.begin();
      // The sine between the two of a pair, the largest of all pairs.
      const auto apart = [&] {
        double largest = 0;
        for (const auto& [a, b] : linkage.pairs) {
          const auto x = [&, &state = run.state()](const std::string& name) {
            const auto at = std::find(m->solidNames.begin(), m->solidNames.end(), name);
            EXPECT_NE(at, m->solidNames.end()) << name;
            return rotate(state.orientation[static_cast<std::size_t>(at - m->solidNames.begin())],
                          Vec3{1, 0, 0});
          };
          largest = std::max(largest, norm(cross(x(a), x(b))));
        }
        return largest;
      };
      int called = 0;
      double least = 1;
      const int steps = static_cast<int>(std::lround(linkage.duration / kStep));
      for (int i = 0; i < steps; ++i) {
        const double before = apart();
        const StepReport report = run.step(kStep).report;
        ASSERT_TRUE(report.finite);
        double fastest = 0;
        for (const Vec3& spin : run.state().spin) fastest = std::max(fastest, norm(spin));
        const double now = std::min(before, apart());
        least = std::min(least, now);
        if (!report.singular) continue;
        ++called;
        EXPECT_LT(now, 3 * fastest * kStep) << i;
        EXPECT_LT(now, 0.35) << i;
      }
      EXPECT_GT(called, 0);
      EXPECT_LT(least, 0.2);  // it does get there
    }
}

}  // namespace
}  // namespace tenon::test
