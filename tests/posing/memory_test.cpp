// Memory that runs out in the middle: no call of posing throws, the state is as it was, and the next call works.
#include <cmath>
#include <optional>

#include "posing/scenes.h"
#include "support/failing_new.h"

namespace tenon::test {
namespace {

// By blocks, by rows with gears and limits, and with loops that have to be closed from far away.
const char* const kScenes[] = {"linkages/four-bar", "linkages/peaucellier", "faure/fig5-structure"};

bool same(const State& a, const State& b) {
  return a.time == b.time && a.position == b.position && a.orientation == b.orientation &&
         a.velocity == b.velocity && a.spin == b.spin && a.memory.size() == b.memory.size();
}

using Call = PoseReport (*)(const Mechanism&, const Control&, const std::vector<Want>&,
                            const PoseSettings&, State&, PoseScratch&);

void expectNoThrow(const std::string& scene, Call call, AssemblyMethod method, bool scattered,
                   bool wanted) {
  SCOPED_TRACE(scene + " " + std::string(nameOf(method)));
  Posed p = fromFile(scene);
  if (scattered)
    scatter(p.m, 5, p.state);
  else
    disturb(p.m, 5, 0.01, 0.02, p.state);
  std::vector<Want> wants;
  if (wanted) {
    Want want;
    for (Index s = 0; s < p.m.solids.size(); ++s)
      if (p.m.solids[s].kind == SolidKind::Dynamic) want.solid = s;
    want.target = p.state.position[want.solid] + Vec3{0.05, 0.05, 0};
    wants.push_back(want);
  }
  PoseSettings settings;
  settings.method = method;
  settings.iterations = 60;
  State whole = p.state;
  {
    PoseScratch scratch;
    static_cast<void>(call(p.m, p.control, wants, settings, whole, scratch));
  }
  const bool any = forEachFailure([&](long first, bool all) {
    State state = p.state;
    PoseScratch scratch;
    bool failed = false, threw = false;
    PoseReport report;
    {
      const FailingMemory memory(first, all);
      try {
        report = call(p.m, p.control, wants, settings, state, scratch);
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      failed = memory.failed();
    }
    EXPECT_FALSE(threw) << first;
    if (!failed || threw) return false;
    EXPECT_EQ(report.status, PoseStatus::Memory) << first;
    EXPECT_FALSE(report.closed && !(report.maxError <= settings.tolerance)) << first;
    EXPECT_TRUE(same(state, p.state)) << first;
    // Nothing half made is left behind: the same scratch then gives the same bits.
    report = call(p.m, p.control, wants, settings, state, scratch);
    EXPECT_NE(report.status, PoseStatus::Memory) << first;
    EXPECT_TRUE(same(state, whole)) << first;
    return true;
  });
  EXPECT_TRUE(any);
}

}  // namespace

TEST(PosingMemory, AssembleSaysThatItRanOut) {
  for (const char* scene : kScenes)
    for (const bool scattered : {false, true})
      expectNoThrow(scene, assemble, AssemblyMethod::Newton, scattered, false);
  expectNoThrow("linkages/four-bar", assemble, AssemblyMethod::Displacement, false, false);
  expectNoThrow("linkages/four-bar", assemble, AssemblyMethod::Relaxation, false, false);
}

TEST(PosingMemory, TrackSaysThatItRanOut) {
  for (const char* scene : kScenes)
    expectNoThrow(scene, track, AssemblyMethod::Newton, false, true);
}

TEST(PosingMemory, TheReasonIsSaidInWords) {
  Posed p = fromFile("linkages/four-bar");
  disturb(p.m, 5, 0.01, 0.02, p.state);
  const double error = p.error();
  PoseReport report;
  {
    const FailingMemory memory(30, false);
    report = p.assemble();
    ASSERT_TRUE(memory.failed());
  }
  EXPECT_EQ(nameOf(report.status), "memory");
  EXPECT_NE(report.reason.find("memory"), std::string::npos) << report.reason;
  EXPECT_FALSE(report.closed);
  EXPECT_TRUE(report.maxError >= 0.9 * error) << report.maxError;  // as it was, or not known
}

TEST(PosingMemory, DiagnoseSaysThatItRanOut) {
  for (const bool fighting : {false, true}) {
    Posed p = fighting ? fromText(R"(
solid rod box 1 0.1 0.1; end
joint ball left object2 rod; point1 0 0 0; point2 -0.5 0 0; end
joint ball right object2 rod; point1 1.2 0 0; point2 0.5 0 0; end
)")
                       : fromFile("linkages/four-bar");
    static_cast<void>(p.assemble());
    PoseSettings settings;
    const Diagnosis whole = diagnose(p.m, p.control, {}, p.state, settings, p.scratch);
    EXPECT_FALSE(whole.outOfMemory);
    EXPECT_EQ(whole.conflicts.empty(), !fighting);
    const bool any = forEachFailure([&](long first, bool all) {
      PoseScratch scratch;
      bool failed = false, threw = false;
      std::optional<Diagnosis> found;
      {
        const FailingMemory memory(first, all);
        try {
          found = diagnose(p.m, p.control, {}, p.state, settings, scratch);
        } catch (const std::bad_alloc&) {
          threw = true;
        }
        failed = memory.failed();
      }
      EXPECT_FALSE(threw) << first;
      if (!failed || threw) return false;
      EXPECT_TRUE(found->outOfMemory) << first;
      EXPECT_FALSE(found->allConflicts) << first;
      EXPECT_FALSE(found->singular) << first;
      const Diagnosis again = diagnose(p.m, p.control, {}, p.state, settings, scratch);
      EXPECT_FALSE(again.outOfMemory);
      EXPECT_EQ(again.dof, whole.dof);
      EXPECT_EQ(again.conflicts.size(), whole.conflicts.size());
      return true;
    });
    EXPECT_TRUE(any);
  }
}

TEST(PosingMemory, VelocitiesStayWhereItRanOut) {
  Posed p = fromFile("linkages/four-bar");
  for (Vec3& v : p.state.velocity) v = {1, 0, 0};
  const bool any = forEachFailure([&](long first, bool all) {
    State state = p.state;
    PoseScratch scratch;
    bool failed = false, threw = false;
    double left = 0;
    {
      const FailingMemory memory(first, all);
      try {
        left = projectVelocities(p.m, p.control, state, scratch);
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      failed = memory.failed();
    }
    EXPECT_FALSE(threw) << first;
    if (!failed || threw) return false;
    EXPECT_TRUE(std::isinf(left));
    EXPECT_TRUE(same(state, p.state));
    EXPECT_LT(projectVelocities(p.m, p.control, state, scratch), 1e-9);
    return true;
  });
  EXPECT_TRUE(any);
}

// What is read and compiled says so, too. The message itself needs memory, which the work has given back by then.
TEST(PosingMemory, ReadingAndCompilingSayThatItRanOut) {
  const std::string path = std::string(TENON_SOURCE_DIR) + "/scenes/linkages/peaucellier.tenon";
  const Result<Scene> scene = loadScene(path);
  ASSERT_TRUE(scene.ok());
  const auto expectNoThrow = [](const auto& make) {
    int tried = 0;
    for (long first = 1;; first *= 2) {
      bool failed = false, threw = false, said = false;
      {
        const FailingMemory memory(first, false);
        try {
          const auto made = make();
          said = !made.ok();
        } catch (const std::bad_alloc&) {
          threw = true;
        }
        failed = memory.failed();
      }
      EXPECT_FALSE(threw) << first;
      if (!failed || threw) break;
      EXPECT_TRUE(said) << first;
      ++tried;
    }
    EXPECT_GT(tried, 3);
  };
  expectNoThrow([&] { return compile(*scene); });
  expectNoThrow([&] { return loadScene(path); });
}

}  // namespace tenon::test
