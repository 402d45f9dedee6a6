// Gascuel's constraints: the monocycle's file unchanged, and what each form becomes.
#include "files/scene_text.h"

#include <tenon/joint.h>

namespace tenon {
namespace {

using namespace test;

const char* const kSolids = R"(
solid body at 0 3 0; end  solid wheel end
solid left-thigh end  solid left-leg end  solid left-foot end
solid right-thigh end  solid right-leg end  solid right-foot end
)";

// The statements of [Gascuel1994 Appendix A], as printed.
const char* const kMonocycle = R"(
/* Constraint between the wheel and the
character's body */
constraint object1 body; object2 wheel;
hinge 0 -2.0 0 0 0 0;
angle 1 0 0 1 0 0 max 0; end

/* Angle constraint preventing the character
from falling */
constraint object2 body; /* default object1:
world-fixed coordinate system */
angle 0 1 0 0 1 0 max 0.066; end

/* Constraints along the left leg */
constraint object1 body; object2 left-thigh;
hinge 0.4 -0.6 0 0 0 0;
angle 1 0 0 1 0 0 max 0; end

constraint object1 left-thigh;
object2 left-leg; hinge 0 0 1 0 0 0;
angle 1 0 0 1 0 0 max 0; end

constraint object1 left-leg;
object2 left-foot; hinge 0 0 1.4 0 0 -0.1;
angle 1 0 0 1 0 0 max 0; end

constraint object1 wheel; object2 left-foot;
hinge 0.4 0 -0.5 0 0 0; end

constraint object1 body; object2 left-foot;
angle 0 0 1 0 0 1 max .1; end

/* Constraints along the right leg */
constraint object1 body;
object2 right-thigh;
hinge -.4 -0.6 0 0 0 0;
angle 1 0 0 1 0 0 max 0.04; end

constraint object1 right-thigh;
object2 right-leg; hinge 0 0 1 0 0 0;
angle 1 0 0 1 0 0 max 0; end

constraint object1 right-leg;
object2 right-foot; hinge 0 0 1.4 0 0 -0.1;
angle 1 0 0 1 0 0 max 9; end

constraint object1 wheel;
object2 right-foot;
hinge -0.4 0 0.5 0 0 0; end

constraint object1 body; object2 right-foot;
angle 0 0 1 0 0 1 max .1; end
)";

TEST(Monocycle, ParsesUnchanged) {
  std::vector<Problem> warnings;
  const Scene s = read(std::string(kSolids) + kMonocycle, {}, &warnings);
  ASSERT_EQ(s.joints.size(), 12u);  // one joint for each constraint
  int pins = 0, balls = 0, others = 0;
  for (std::size_t i = 0; i < s.joints.size(); ++i) {
    EXPECT_EQ(s.joints[i].name, "constraint-" + std::to_string(i + 1));
    (s.joints[i].kind == "pin" ? pins : s.joints[i].kind == "ball" ? balls : others)++;
  }
  EXPECT_EQ(pins, 5);
  EXPECT_EQ(balls, 4);
  EXPECT_EQ(others, 3);

  const Joint& hub = s.joints[0];
  EXPECT_EQ(hub.solid1, "body");
  EXPECT_EQ(hub.solid2, "wheel");
  EXPECT_EQ(hub.frame1.p, (Vec3{0, -2, 0}));
  EXPECT_EQ(hub.frame2.p, Vec3{});
  expectNear(rotate(hub.frame1.q, {1, 0, 0}), {1, 0, 0});

  const Joint& upright = s.joints[1];
  EXPECT_EQ(upright.solid1, "");
  EXPECT_EQ(upright.solid2, "body");
  expectNear(rotate(upright.frame1.q, {1, 0, 0}), {0, 1, 0});
  ASSERT_EQ(upright.rules.size(), 1u);
  EXPECT_EQ(upright.rules[0].lower, 0);
  EXPECT_EQ(upright.rules[0].upper, 0.066);

  const Joint& hip = s.joints[7];
  EXPECT_EQ(hip.kind, "ball");
  EXPECT_EQ(hip.frame1.p, (Vec3{-0.4, -0.6, 0}));
  ASSERT_EQ(hip.rules.size(), 1u);
  EXPECT_EQ(hip.rules[0].coordinate, "swing");
  EXPECT_EQ(hip.rules[0].upper, 0.04);

  // `max 9` is more than an angle can be.
  bool beyond = false;
  for (const Problem& p : warnings) {
    if (p.what.find("never more than pi") == std::string::npos) continue;
    beyond = true;
    EXPECT_NE(p.excerpt.find("max 9"), std::string::npos);
  }
  EXPECT_TRUE(beyond) << all(warnings);
  EXPECT_EQ(s.joints[9].rules.at(0).upper, 9);
}

TEST(Monocycle, PrintsAndReadsBack) {
  std::vector<Problem> warnings;
  const Scene s = read(std::string(kSolids) + kMonocycle, {}, &warnings);
  const Scene again = read(printScene(s), {}, &warnings);
  EXPECT_TRUE(sameScene(s, again));
}

Scene constraint(const std::string& statements, std::vector<Problem>* warnings = nullptr) {
  return read("solid a end solid b at 1 0 0; end\nconstraint c object1 a; object2 b;\n" +
                  statements + "\nend",
              {}, warnings);
}

TEST(Constraint, TheCatalogueHasAllThatItNeeds) {
  for (const char* kind : {"ball", "pin", "point-on-line", "cylindrical", "point-on-plane",
                           "planar", "parallel", "angle", "twist"})
    EXPECT_NE(findJointKind(kind), nullptr) << kind;
}

TEST(Constraint, HingeIsABall) {
  const Scene s = constraint("hinge 1 2 3 4 5 6;");
  ASSERT_EQ(s.joints.size(), 1u);
  EXPECT_EQ(s.joints[0].kind, "ball");
  EXPECT_EQ(s.joints[0].name, "c");
  EXPECT_EQ(s.joints[0].frame1.p, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.joints[0].frame2.p, (Vec3{4, 5, 6}));
}

TEST(Constraint, AxialLineBelongsToTheFirstObject) {
  const Scene s = constraint("hinge 1 2 3 4 5 6; axial 0 2 0 min -1 max 50cm;");
  ASSERT_EQ(s.joints.size(), 1u);
  const Joint& j = s.joints[0];
  EXPECT_EQ(j.kind, "point-on-line");
  EXPECT_EQ(j.frame1.p, (Vec3{1, 2, 3}));
  expectNear(rotate(j.frame1.q, {1, 0, 0}), {0, 1, 0});
  EXPECT_EQ(j.frame2.p, (Vec3{4, 5, 6}));
  ASSERT_EQ(j.rules.size(), 1u);
  EXPECT_EQ(j.rules[0].coordinate, "slide");
  EXPECT_EQ(j.rules[0].lower, -1);
  EXPECT_EQ(j.rules[0].upper, 0.5);
}

TEST(Constraint, AxialWithItsOwnAngleZeroIsCylindrical) {
  const Scene s = constraint("hinge 0 0 0 0 0 0; axial 0 1 0 max 1; angle 0 -1 0 0 0 1 max 0;");
  ASSERT_EQ(s.joints.size(), 1u);
  const Joint& j = s.joints[0];
  EXPECT_EQ(j.kind, "cylindrical");
  expectNear(rotate(j.frame1.q, {1, 0, 0}), {0, 1, 0});
  expectNear(rotate(j.frame2.q, {1, 0, 0}), {0, 0, -1});
  EXPECT_EQ(j.rules.at(0).upper, 1);
}

TEST(Constraint, AxialWithAnotherAngleNeedsASecondJoint) {
  const Scene s = constraint("hinge 0 0 0 0 0 0; axial 0 1 0; angle 1 0 0 1 0 0 max 0;");
  ASSERT_EQ(s.joints.size(), 2u);
  EXPECT_EQ(s.joints[0].kind, "point-on-line");
  EXPECT_EQ(s.joints[1].kind, "parallel");
  EXPECT_EQ(s.joints[1].name, "c.angle");
}

TEST(Constraint, Planar) {
  const Scene s = constraint("hinge 1 0 0 0 0 0; planar 0 1 0;");
  EXPECT_EQ(s.joints.at(0).kind, "point-on-plane");
  expectNear(rotate(s.joints[0].frame1.q, {1, 0, 0}), {0, 1, 0});
  const Scene t = constraint("hinge 1 0 0 0 0 0; planar 0 1 0; angle 0 1 0 0 1 0 max 0;");
  EXPECT_EQ(t.joints.at(0).kind, "planar");
}

TEST(Constraint, PlanarRangeLimitsTheRadius) {
  std::vector<Problem> warnings;
  const Scene s = constraint("hinge 1 0 0 0 0 0; planar 0 1 0 max 2;", &warnings);
  ASSERT_EQ(s.joints.size(), 1u);
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(s.joints[0].rules.size(), 1u);
  EXPECT_EQ(s.joints[0].rules[0].coordinate, "radius");
  EXPECT_EQ(s.joints[0].rules[0].lower, 0);
  EXPECT_EQ(s.joints[0].rules[0].upper, 2);
}

TEST(Constraint, AngleAndTwistOnABall) {
  const Scene s = constraint(
      "hinge 0 0 0 0 0 0; angle 0 1 0 0 1 0 min 10deg max 60deg; twist 0 0 1 1 0 0 min -30deg max "
      "1;");
  ASSERT_EQ(s.joints.size(), 1u);
  const Joint& j = s.joints[0];
  EXPECT_EQ(j.kind, "ball");
  expectNear(rotate(j.frame1.q, {1, 0, 0}), {0, 1, 0});
  expectNear(rotate(j.frame1.q, {0, 1, 0}), {0, 0, 1});
  expectNear(rotate(j.frame2.q, {0, 1, 0}), {1, 0, 0});
  ASSERT_EQ(j.rules.size(), 2u);
  EXPECT_EQ(j.rules[0].coordinate, "swing");
  EXPECT_DOUBLE_EQ(j.rules[0].upper, kPi / 3);
  EXPECT_EQ(j.rules[1].coordinate, "twist");
  EXPECT_DOUBLE_EQ(j.rules[1].lower, -kPi / 6);
}

TEST(Constraint, AngleAndTwistBesideALine) {
  const Scene s = constraint(
      "hinge 0 0 0 0 0 0; axial 1 0 0; angle 0 1 0 0 1 0 max 1; twist 0 0 1 0 0 1 min -1 max 1;");
  ASSERT_EQ(s.joints.size(), 3u);
  EXPECT_EQ(s.joints[1].kind, "angle");
  EXPECT_EQ(s.joints[1].name, "c.angle");
  EXPECT_EQ(s.joints[1].rules.at(0).coordinate, "angle");
  EXPECT_EQ(s.joints[2].kind, "twist");
  EXPECT_EQ(s.joints[2].name, "c.twist");
  EXPECT_EQ(s.joints[2].rules.at(0).coordinate, "twist");
  expectNear(rotate(s.joints[2].frame2.q, {0, 1, 0}), {0, 0, 1});
}

TEST(Constraint, TwistOfAPinIsItsAngle) {
  const Scene s =
      constraint("hinge 0 0 0 0 0 0; angle 0 1 0 0 1 0 max 0; twist 0 0 1 0 0 1 min 0 max 90deg;");
  ASSERT_EQ(s.joints.size(), 1u);
  EXPECT_EQ(s.joints[0].kind, "pin");
  EXPECT_EQ(s.joints[0].rules.at(0).coordinate, "angle");
  EXPECT_DOUBLE_EQ(s.joints[0].rules[0].upper, kPi / 2);
}

TEST(Constraint, AloneItsAngleIsOneJointOfItsName) {
  std::vector<Problem> warnings;
  const Scene s = constraint("angle 0 1 0 0 1 0 max 0.1; active 1 2; weight 3;", &warnings);
  ASSERT_EQ(s.joints.size(), 1u);
  EXPECT_EQ(s.joints[0].name, "c");
  EXPECT_EQ(s.joints[0].kind, "angle");
  EXPECT_EQ(s.joints[0].active, (std::vector<Interval>{{1, 2}}));
  EXPECT_EQ(s.joints[0].weight, 3);
  EXPECT_EQ(s.joints[0].rules.size(), 1u);
  EXPECT_TRUE(warnings.empty()) << all(warnings);
  const Scene t = constraint("angle 0 1 0 0 1 0 max 0;");
  EXPECT_EQ(t.joints.at(0).kind, "parallel");
  EXPECT_EQ(t.joints[0].name, "c");
}

TEST(Constraint, UnnamedOnesAvoidNamesThatAreTaken) {
  const Scene s = read(R"(solid a end
constraint object2 a; hinge 0 0 0 0 0 0; end
solid constraint-1 end
constraint object2 a; hinge 0 0 0 0 0 0; end
figure f solid b end constraint object2 b; hinge 0 0 0 0 0 0; end end
place f left end)");
  ASSERT_EQ(s.joints.size(), 3u);
  EXPECT_EQ(s.joints[0].name, "constraint-2");
  EXPECT_EQ(s.joints[1].name, "constraint-3");
  EXPECT_EQ(s.joints[2].name, "left.constraint-2");
}

TEST(Constraint, EventsAndMusclesReachItsJoints) {
  const Scene s = read(R"(solid a end solid b end
constraint c object1 a; object2 b; hinge 0 0 0 0 0 0; axial 0 1 0; angle 1 0 0 1 0 0 max 0; end
muscle m joint c; vector 1 0 0; end
at 1 deactivate c;)");
  EXPECT_EQ(s.muscles.at(0).joint, "c");
  EXPECT_EQ(s.events.at(0).names, (std::vector<std::string>{"c", "c.angle"}));
}

TEST(Constraint, Mistakes) {
  const std::string head = "solid a end\nconstraint object2 a;\n";
  EXPECT_EQ(problemOf(head + "axial 0 1 0; planar 0 1 0; end"),
            "3:14: a constraint cannot have both 'axial' and 'planar'");
  EXPECT_EQ(problemOf(head + "twist 0 1 0 0 1 0 max 1; end"),
            "3:1: a twist needs the directions that it turns about; add 'angle A1 A2;' (without a "
            "range, it only names the directions)");
  EXPECT_EQ(problemOf(head + "angle 0 1 0 0 1 0 min 2 max 1; end"),
            "3:25: 'max' is less than 'min'");
  EXPECT_EQ(problemOf(head + "hinge 0 0 0 0 0; end"),
            "3:13: expected 3 lengths after 'hinge', got 2; the form is: hinge X1 Y1 Z1 X2 Y2 Z2");
  EXPECT_EQ(problemOf("constraint\nhinge 0 0 0 0 0 0; end"),
            "1:1: joint 'constraint-1' connects the world to itself; give 'object1' or 'object2' "
            "another solid");
  std::vector<Problem> warnings;
  read(head + "end", {}, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].what, "constraint 'constraint-1' restricts nothing");
}

}  // namespace
}  // namespace tenon
