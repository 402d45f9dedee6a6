// The verdict: freedom, redundancy, singular poses, and the joints that cannot all hold.
#include <algorithm>

#include "scenes.h"

namespace tenon::test {
namespace {

struct Verdict {
  PoseReport report;
  Diagnosis diagnosis;
  std::vector<std::string> fighters;  // of the first conflict
};

Verdict judge(Posed& p) {
  Verdict v;
  PoseSettings settings;
  v.report = p.assemble(settings);
  v.diagnosis = diagnose(p.m, p.control, {}, p.state, settings, p.scratch);
  if (!v.diagnosis.conflicts.empty()) v.fighters = p.names(v.diagnosis.conflicts[0].joints);
  return v;
}

using Names = std::vector<std::string>;

// A bar between two points, with its two ball joints.
const std::string kBars = R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; end
)";

TEST(Conflicts, TooShortARod) {
  Posed p = fromText(kBars + R"(
joint ball left object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint ball middle object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; end
joint ball right object2 b; point1 2.5 0 0; point2 0.5 0 0; end
)");
  const Verdict v = judge(p);
  EXPECT_EQ(v.report.status, PoseStatus::Inconsistent);
  EXPECT_EQ(v.fighters, (Names{"left", "middle", "right"}));
  for (const double error : v.diagnosis.conflicts[0].errors) EXPECT_NEAR(error, 0.5, 1e-3);
  // Half a metre is missing, and the three share it.
  EXPECT_NEAR(v.report.maxError, 0.5 / 3, 1e-3);
}

TEST(Conflicts, TwoWeldsThatDisagree) {
  Posed p = fromText(kBars + R"(
joint weld first object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; axis1 1 0 0; axis2 1 0 0; end
joint weld second object1 a; point1 0.5 0.1 0; object2 b; point2 -0.5 0 0; axis1 1 0 0; axis2 1 0 0; end
joint ball hook object2 a; point1 0 0 0; point2 -0.5 0 0; end
)");
  const Verdict v = judge(p);
  EXPECT_NE(v.report.status, PoseStatus::Converged);
  EXPECT_EQ(v.fighters, (Names{"first", "second"}));
}

TEST(Conflicts, WeldsThatDisagreeInRotation) {
  Posed p = fromText(kBars + R"(
joint weld first object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; axis1 1 0 0; axis2 1 0 0; end
joint weld second object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; axis1 1 0 0; axis2 1 0.3 0; end
)");
  const Verdict v = judge(p);
  EXPECT_NE(v.report.status, PoseStatus::Converged);
  EXPECT_EQ(v.fighters, (Names{"first", "second"}));
}

TEST(Conflicts, ALoopWithWrongLengths) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid crank box 0.2 0.04 0.04; at 0.1 0 0; end
solid coupler box 0.3 0.04 0.04; at 0.35 0 0; end
solid rocker box 0.2 0.04 0.04; at 0.6 0 0; end
joint pin O object2 crank; point1 0 0 0; point2 -0.1 0 0; axis1 0 0 1; axis2 0 0 1; end
joint pin A object1 crank; point1 0.1 0 0; object2 coupler; point2 -0.15 0 0; axis1 0 0 1; axis2 0 0 1; end
joint pin B object1 coupler; point1 0.15 0 0; object2 rocker; point2 -0.1 0 0; axis1 0 0 1; axis2 0 0 1; end
joint pin C object2 rocker; point1 1.2 0 0; point2 0.1 0 0; axis1 0 0 1; axis2 0 0 1; end
)");
  const Verdict v = judge(p);
  EXPECT_NE(v.report.status, PoseStatus::Converged);
  EXPECT_EQ(v.fighters, (Names{"O", "A", "B", "C"}));
}

TEST(Conflicts, OnlyTheLoopThatFights) {
  // A good figure beside a bad rod: the good one is not named.
  Posed p = fromText(R"(
gravity 0 0 0;
solid rod box 1 0.1 0.1; at 0.5 0 0; end
joint ball left object2 rod; point1 0 0 0; point2 -0.5 0 0; end
joint ball right object2 rod; point1 1.2 0 0; point2 0.5 0 0; end
solid good box 1 0.1 0.1; at 5.5 0 0; end
joint pin hinge object2 good; point1 5 0 0; point2 -0.5 0 0; end
solid tail box 1 0.1 0.1; at 1 3 0; end
joint ball more object1 good; point1 0.5 0 0; object2 tail; point2 -0.5 0 0; end
)");
  const Verdict v = judge(p);
  EXPECT_EQ(v.fighters, (Names{"left", "right"}));
  EXPECT_EQ(v.diagnosis.conflicts.size(), 1u);
}

TEST(Conflicts, TwoFightsAreTwoSets) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid r1 box 1 0.1 0.1; at 0.5 0 0; end
joint ball a1 object2 r1; point1 0 0 0; point2 -0.5 0 0; end
joint ball b1 object2 r1; point1 1.2 0 0; point2 0.5 0 0; end
solid r2 box 1 0.1 0.1; at 0.5 3 0; end
joint ball a2 object2 r2; point1 0 3 0; point2 -0.5 0 0; end
joint ball b2 object2 r2; point1 1.3 3 0; point2 0.5 0 0; end
)");
  const Verdict v = judge(p);
  ASSERT_EQ(v.diagnosis.conflicts.size(), 2u);
  std::vector<Names> sets{p.names(v.diagnosis.conflicts[0].joints),
                          p.names(v.diagnosis.conflicts[1].joints)};
  std::sort(sets.begin(), sets.end());
  EXPECT_EQ(sets, (std::vector<Names>{{"a1", "b1"}, {"a2", "b2"}}));
}

TEST(Conflicts, AHingeAcrossASlide) {
  // A slider whose line misses the place where a ball holds it.
  Posed p = fromText(R"(
gravity 0 0 0;
solid s box 0.2 0.2 0.2; at 0 0 0; end
joint prismatic rail object2 s; point1 0 0 0; axis1 1 0 0; axis2 1 0 0; point2 0 0 0; end
joint ball hook object2 s; point1 1 0.3 0; point2 0 0 0; end
)");
  const Verdict v = judge(p);
  EXPECT_EQ(v.fighters, (Names{"rail", "hook"}));
}

TEST(Conflicts, ALimitThatIsInTheWay) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid s box 1 0.1 0.1; at 0.5 0 0; end
joint pin hinge object2 s; point1 0 0 0; point2 -0.5 0 0; axis1 0 0 1; axis2 0 0 1; limit angle min -0.2 max 0.2; end
joint ball hook object2 s; point1 0 1 0; point2 0.5 0 0; end
)");
  const Verdict v = judge(p);
  EXPECT_NE(v.report.status, PoseStatus::Converged);
  EXPECT_EQ(v.fighters, (Names{"hinge", "hook"}));
}

TEST(Conflicts, ARopeTooShort) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid s sphere 0.1; at 1 0 0; end
joint rope string object2 s; point1 0 0 0; point2 0 0 0; length 0.4; end
joint ball hook object2 s; point1 1 0 0; point2 0 0 0; end
)");
  const Verdict v = judge(p);
  EXPECT_EQ(v.fighters, (Names{"string", "hook"}));
}

TEST(Conflicts, TwoDistances) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid s point-mass; mass 1; at 1 0 0; end
joint distance near object2 s; point1 0 0 0; point2 0 0 0; length 1; end
joint distance far object2 s; point1 0 0 0; point2 0 0 0; length 2; end
joint point-on-plane sheet object2 s; point1 0 0 0; axis1 0 0 1; point2 0 0 0; end
)");
  const Verdict v = judge(p);
  EXPECT_EQ(v.fighters, (Names{"near", "far"}));
}

TEST(Conflicts, AGearThatCannotTurn) {
  // Three wheels in a ring, each turning against the next: held together they are locked, which is no
  // conflict; driven to a turn they fight.
  Posed p = fromText(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; end
solid b box 1 0.1 0.1; at 3 0 0; end
joint pin pa object2 a; at 0 0 0; axis 0 0 1; prescribe angle 0.5; end
joint pin pb object2 b; at 3 0 0; axis 0 0 1; end
joint gear same couple pa 1; couple pb -1; offset 0; end
joint gear opposite couple pa 1; couple pb 1; offset 0; end
)");
  const Verdict v = judge(p);
  EXPECT_EQ(v.fighters, (Names{"pa", "same", "opposite"}));
}

TEST(Conflicts, MinimalByTheirDefinition) {
  // Without any one of them the rest closes, and with all of them it does not.
  Posed p = fromText(kBars + R"(
solid c box 1 0.1 0.1; at 2.5 0 0; end
joint ball left object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint ball m1 object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; end
joint ball m2 object1 b; point1 0.5 0 0; object2 c; point2 -0.5 0 0; end
joint ball right object2 c; point1 3.5 0 0; point2 0.5 0 0; end
joint pin idle object1 a; point1 0 0.5 0; object2 b; point2 -1 0.5 0; axis1 0 1 0; axis2 0 1 0; active 5 6; end
)");
  const Verdict v = judge(p);
  ASSERT_EQ(v.diagnosis.conflicts.size(), 1u);
  for (const Index j : v.diagnosis.conflicts[0].joints) {
    Posed rest(p.m);
    rest.control.jointOn[j] = 0;
    EXPECT_EQ(rest.assemble().status, PoseStatus::Converged) << p.m.jointNames[j];
  }
  EXPECT_EQ(v.fighters, (Names{"left", "m1", "m2", "right"}));
}

TEST(Conflicts, PinsFightToo) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid rod box 1 0.1 0.1; at 0.5 0 0; end
joint ball left object2 rod; point1 0 0 0; point2 -0.5 0 0; end
)");
  Want pin;
  pin.need = true;
  pin.point = {0.5, 0, 0};
  pin.target = {2, 0, 0};
  Want goal;
  goal.target = {0, 3, 0};
  const std::vector<Want> wants{goal, pin};
  PoseSettings settings;
  EXPECT_NE(p.assemble(settings, wants).status, PoseStatus::Converged);
  const Diagnosis d = diagnose(p.m, p.control, wants, p.state, settings, p.scratch);
  ASSERT_EQ(d.conflicts.size(), 1u);
  EXPECT_EQ(p.names(d.conflicts[0].joints), (Names{"left"}));
  EXPECT_EQ(d.conflicts[0].wants, (std::vector<Index>{1}));
  EXPECT_EQ(d.conflicts[0].errors.size(), 2u);
}

// A method that fails is no conflict.
TEST(Conflicts, AreNotMadeUp) {
  for (const AssemblyMethod method : {AssemblyMethod::Relaxation, AssemblyMethod::Displacement}) {
    Posed p = fromFile("linkages/four-bar");
    scatter(p.m, 1, p.state);
    PoseSettings settings;
    settings.method = method;
    settings.iterations = 5;
    EXPECT_NE(p.assemble(settings).status, PoseStatus::Converged);
    EXPECT_TRUE(diagnose(p.m, p.control, {}, p.state, settings, p.scratch).conflicts.empty());
  }
}

// In a long chain the two joints that fight are found, and quickly.
TEST(Conflicts, OfAFewAmongMany) {
  std::string text = "gravity 0 0 0;\n";
  for (int i = 0; i < 150; ++i) {
    const std::string n = std::to_string(i);
    text += "solid s" + n + " box 0.9 0.1 0.1; at " + std::to_string(i + 0.5) + " 0 0; end\n";
    text += "joint ball j" + n + (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") +
            " object2 s" + n + "; at " + n + " 0 0; end\n";
  }
  text += "joint ball here object2 s75; point1 60 1 0; point2 0 0 0; end\n";
  text += "joint ball there object2 s75; point1 60 2 0; point2 0 0 0; end\n";
  Posed p = fromText(text);
  const Verdict v = judge(p);
  EXPECT_NE(v.report.status, PoseStatus::Converged);
  EXPECT_EQ(v.fighters, (Names{"here", "there"}));
}

TEST(Diagnose, RedundantJointsAreNoConflict) {
  Posed p = fromFile("linkages/four-bar");
  scatter(p.m, 3, p.state);
  const Verdict v = judge(p);
  EXPECT_EQ(v.report.status, PoseStatus::Converged);
  EXPECT_TRUE(v.diagnosis.conflicts.empty());
  EXPECT_EQ(v.diagnosis.dof, 1u);
  EXPECT_EQ(v.diagnosis.redundant, 3u);
  ASSERT_EQ(v.diagnosis.redundantJoints.size(), 1u);
  EXPECT_EQ(p.names(v.diagnosis.redundantJoints[0]), (Names{"O", "A", "B", "C"}));
  EXPECT_FALSE(v.diagnosis.singular);
}

TEST(Diagnose, FlagsSingularPoses) {
  Posed p = fromFile("linkages/n-four-bar", {{"n", "3"}, {"lean", "90deg"}});
  const Verdict v = judge(p);
  EXPECT_EQ(v.report.status, PoseStatus::Converged);
  EXPECT_TRUE(v.diagnosis.singular);
  EXPECT_EQ(v.diagnosis.dof, 4u);
  EXPECT_EQ(v.diagnosis.regularDof, 1u);
  Posed regular = fromFile("linkages/n-four-bar", {{"n", "3"}});
  EXPECT_FALSE(judge(regular).diagnosis.singular);
}

}  // namespace
}  // namespace tenon::test
