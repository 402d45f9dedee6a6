// Every statement of every block: its values land where they should, in SI units.
#include "files/scene_text.h"
#include "files/schema.h"

#include <fstream>
#include <iterator>

namespace tenon {
namespace {

using namespace test;

// The pose as written is where the path is at time 0.
TEST(Solids, KeysGiveThePose) {
  const Scene s = read(R"(
solid c animated; key 0 1 0 0; key 1 2 0 0; end
solid b sphere .1; at 1 0 0; end
joint weld w object1 c; object2 b; end
joint ball j object1 c; object2 b; at 1 1 0; end
solid late animated; key 3 0 5 0 turn 0 1 0 90deg; key 4 0 0 0; end
)");
  EXPECT_EQ(named(s.solids, "c").pose, (Pose{{1, 0, 0}, {}}));
  for (const Joint& j : s.joints) {
    const Pose one = named(s.solids, "c").pose * j.frame1;
    const Pose two = named(s.solids, "b").pose * j.frame2;
    EXPECT_EQ(one, two) << j.name;  // closed exactly
  }
  EXPECT_EQ(s.joints[0].frame2, Pose{});
  EXPECT_EQ(s.joints[1].frame1.p, (Vec3{0, 1, 0}));
  EXPECT_EQ(named(s.solids, "late").pose, named(s.solids, "late").path[0].pose);

  const std::string takes =
      ": an animated solid with keys takes its pose from them; leave this out: "
      "the first key says where the solid is at time 0";
  EXPECT_EQ(problemOf("solid c animated; key 0 1 0 0; at 1 0 0; end"), "1:32" + takes);
  EXPECT_EQ(problemOf("solid c animated; turn 0 1 0 1; key 0 1 0 0; end"), "1:19" + takes);
  EXPECT_EQ(problemOf("solid c animated; orientation 0 0 0 1; key 0 1 0 0; end"), "1:19" + takes);
  EXPECT_EQ(problemOf("solid c animated; at 0 0 0; end override c key 0 1 0 0; end"),
            "1:19" + takes);
  EXPECT_EQ(read("solid c animated; at 1 0 0; turn 0 1 0 1; end "
                 "override c clear at orientation; key 0 2 0 0; end")
                .solids[0]
                .pose,
            (Pose{{2, 0, 0}, {}}));
  EXPECT_EQ(problemOf("solid c animated; key -1 1 0 0; key 1 0 0 0; end"),
            "1:23: keys must not begin before time 0; the first key says where the solid is as "
            "written");
}

TEST(Solids, PoseAndMotion) {
  const Scene s = read(R"(
solid a
  at 1 2cm -3;  turn 0 0 2 90deg;  turn 1 0 0 (pi()/2);
  velocity 1 2 3;  spin 0 60rpm 1;
end
solid b  orientation 0 0 0 2;  immobile;  end
solid c  animated;  key 0 0 0 0;  key 1s 1 0 0 turn 0 1 0 180deg;  key 2 2 0 0 orientation 0 0 3 4;  end
solid d  point-mass;  mass 500g;  colour 0.1 0.2 1;  group left hand;  group tips;  end
)");
  ASSERT_EQ(s.solids.size(), 4u);
  const Solid& a = s.solids[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.pose.p, (Vec3{1, 0.02, -3}));
  const double h = std::sqrt(0.5);
  expectNear(a.pose.q, Quat{0, 0, h, h} * Quat{h, 0, 0, h});  // left to right
  EXPECT_EQ(a.velocity, (Vec3{1, 2, 3}));
  expectNear(a.spin, Vec3{0, 2 * kPi, 1});
  EXPECT_FALSE(a.shared);
  EXPECT_EQ(s.solids[1].kind, SolidKind::Immobile);
  EXPECT_EQ(s.solids[1].pose.q, Quat{});
  const Solid& c = s.solids[2];
  EXPECT_EQ(c.kind, SolidKind::Animated);
  ASSERT_EQ(c.path.size(), 3u);
  EXPECT_EQ(c.path[1].time, 1);
  expectNear(c.path[1].pose, Pose{{1, 0, 0}, {0, 1, 0, 0}});
  expectNear(c.path[2].pose.q, Quat{0, 0, 0.6, 0.8});
  const Solid& d = s.solids[3];
  EXPECT_TRUE(d.pointMass);
  EXPECT_EQ(d.mass, 0.5);
  EXPECT_EQ(d.colour, (Colour{0.1, 0.2, 1}));
  EXPECT_EQ(d.groups, (std::vector<std::string>{"left", "hand", "tips"}));
}

TEST(Solids, Shapes) {
  const Scene s = read(R"(
solid a
  box 1 2 3cm at 1 1 1 turn 0 0 1 90deg density 5;
  sphere 0.5;  ellipsoid 1 2 3;  capsule 0.1 0;  cylinder 0.1 2;  cone 0.1 2 orientation 1 0 0 0;
  hull 0 0 0  1 0 0  0 1 0  0 0 1 at 0 0 1;
  mesh vertices 0 0 0  1 0 0  0 1 0  0 0 1 triangles 0 2 1  0 1 3  0 3 2  1 2 3 density 8;
end
)");
  const std::vector<Shape>& shapes = s.solids[0].shapes;
  ASSERT_EQ(shapes.size(), 8u);
  EXPECT_EQ(shapes[0].kind, ShapeKind::Box);
  EXPECT_EQ(shapes[0].size, (Vec3{1, 2, 0.03}));
  expectNear(shapes[0].pose, Pose{{1, 1, 1}, {0, 0, std::sqrt(0.5), std::sqrt(0.5)}});
  EXPECT_EQ(shapes[0].density, 5);
  EXPECT_EQ(shapes[1].size, (Vec3{0.5, 0, 0}));
  EXPECT_EQ(shapes[2].size, (Vec3{1, 2, 3}));
  EXPECT_EQ(shapes[3].size, (Vec3{0.1, 0, 0}));
  EXPECT_EQ(shapes[4].kind, ShapeKind::Cylinder);
  EXPECT_EQ(shapes[5].size, (Vec3{0.1, 2, 0}));
  EXPECT_EQ(shapes[5].pose.q, (Quat{1, 0, 0, 0}));
  EXPECT_EQ(shapes[6].points.size(), 4u);
  EXPECT_EQ(shapes[6].pose.p, (Vec3{0, 0, 1}));
  EXPECT_EQ(shapes[7].points[3], (Vec3{0, 0, 1}));
  ASSERT_EQ(shapes[7].triangles.size(), 4u);
  EXPECT_EQ(shapes[7].triangles[0], (std::array<std::uint32_t, 3>{0, 2, 1}));
  EXPECT_EQ(shapes[7].density, 8);
}

TEST(Solids, MassData) {
  const Scene s = read(R"(
material steel density 7850; colour 1 1 1; end
solid a material steel; density 10; mass 2t; com 0 0 1cm; inertia 1 2 3 0.1 0.2 0.3; end
solid b inertia 1 2 3; ma; end
solid c ma 900; end
)");
  EXPECT_EQ(s.materials.at(0).density, 7850);
  EXPECT_EQ(s.materials[0].colour, (Colour{1, 1, 1}));
  const Solid& a = s.solids[0];
  EXPECT_EQ(a.material, "steel");
  EXPECT_EQ(a.density, 10);
  EXPECT_EQ(a.mass, 2000);
  EXPECT_EQ(a.com, (Vec3{0, 0, 0.01}));
  ASSERT_TRUE(a.inertia);
  EXPECT_EQ((*a.inertia)(1, 1), 2);
  EXPECT_EQ((*a.inertia)(0, 1), 0.1);
  EXPECT_EQ((*a.inertia)(2, 0), 0.2);
  EXPECT_EQ((*a.inertia)(1, 2), 0.3);
  EXPECT_EQ(s.solids[1].boxDensity, 750);  // animal tissue
  EXPECT_EQ(s.solids[2].boxDensity, 900);
}

TEST(Joints, RulesAndNumbers) {
  const Scene s = read(R"(
solid a end
joint cylindrical j
  object2 a;
  limit angle min -90deg max 1 compliance 0.5 weight 2 active 1 2 active 4;
  limit slide max 5cm;
  spring angle stiffness 3 damping 4 target 30deg;
  damper slide 7;
  drive angle 0.5 rate 60rpm sine 10deg 2Hz 90deg stiffness 9 damping 8 max 6;
  drive slide offset 1cm key 0 0 key 1 2cm stiffness 1 max 2kN;
  prescribe slide 0.1 rate 2 compliance 3 weight 4;
  compliance 1e-3;  weight 5;  damp 0.25;
  active 1 2;  active 3;
end
)");
  const Joint& j = s.joints.at(0);
  EXPECT_EQ(j.name, "j");
  EXPECT_EQ(j.kind, "cylindrical");
  EXPECT_EQ(j.solid1, "");
  EXPECT_EQ(j.solid2, "a");
  ASSERT_EQ(j.rules.size(), 7u);
  using Kind = CoordinateRule::Kind;
  EXPECT_EQ(j.rules[0].kind, Kind::Limit);
  EXPECT_DOUBLE_EQ(j.rules[0].lower, -kPi / 2);
  EXPECT_EQ(j.rules[0].upper, 1);
  EXPECT_EQ(j.rules[0].compliance, 0.5);
  EXPECT_EQ(j.rules[0].weight, 2);
  EXPECT_EQ(j.rules[0].active, (std::vector<Interval>{{1, 2}, {4, kInfinity}}));
  EXPECT_EQ(j.rules[1].lower, -kInfinity);
  EXPECT_EQ(j.rules[1].upper, 0.05);
  EXPECT_EQ(j.rules[2].kind, Kind::Spring);
  EXPECT_EQ(j.rules[2].stiffness, 3);
  EXPECT_EQ(j.rules[2].damping, 4);
  EXPECT_DOUBLE_EQ(j.rules[2].target.offset, kPi / 6);
  EXPECT_EQ(j.rules[3].kind, Kind::Damper);
  EXPECT_EQ(j.rules[3].damping, 7);
  const CoordinateRule& drive = j.rules[4];
  EXPECT_EQ(drive.kind, Kind::Drive);
  EXPECT_EQ(drive.target.offset, 0.5);
  EXPECT_DOUBLE_EQ(drive.target.rate, 2 * kPi);
  EXPECT_DOUBLE_EQ(drive.target.amplitude, kPi / 18);
  EXPECT_EQ(drive.target.frequency, 2);
  EXPECT_DOUBLE_EQ(drive.target.phase, kPi / 2);
  EXPECT_EQ(drive.maxForce, 6);
  EXPECT_EQ(j.rules[5].target.offset, 0.01);
  EXPECT_EQ(j.rules[5].target.keys, (std::vector<Signal::Key>{{0, 0}, {1, 0.02}}));
  EXPECT_EQ(j.rules[5].maxForce, 2000);
  EXPECT_EQ(j.rules[6].kind, Kind::Prescribe);
  EXPECT_EQ(j.rules[6].compliance, 3);
  EXPECT_EQ(j.rules[6].weight, 4);
  EXPECT_EQ(j.compliance, 1e-3);
  EXPECT_EQ(j.weight, 5);
  EXPECT_EQ(j.damp, 0.25);
  EXPECT_EQ(j.active, (std::vector<Interval>{{1, 2}, {3, kInfinity}}));
}

TEST(Joints, OptionsOfTheKind) {
  const Scene s = read(R"(
figure f solid a end joint distance rod object2 a; length 5cm; end end
place f one end
place f two scale 2; end
override one.rod length 7; end
)");
  ASSERT_EQ(s.joints.at(0).options.size(), 1u);
  EXPECT_EQ(s.joints[0].options[0].name, "length");
  EXPECT_EQ(s.joints[0].options[0].values, (std::vector<double>{7}));
  EXPECT_EQ(s.joints.at(1).options.at(0).values, (std::vector<double>{0.1}));
  EXPECT_EQ(problemOf("solid a end joint distance rod object2 a; end"),
            "1:13: joint needs 'length'; the form is: length V");
  EXPECT_EQ(problemOf("solid a end joint distance rod object2 a; lenght 3; length 1; end"),
            "1:43: unknown statement 'lenght' in joint; did you mean 'length'?");
  EXPECT_EQ(problemOf("solid a end joint distance rod object2 a; length 3deg; end"),
            "1:50: expected a length for 'length', got an angle, '3deg'");
  EXPECT_EQ(problemOf("solid a end joint distance rod object2 a; length 0; end"),
            "1:50: V of 'length' must be greater than 0, got '0'");
}

TEST(Joints, PlacesNameTheWords) {
  const std::string text = "solid a end\njoint pin j object2 a; end\n";
  const Scene s = read(text);
  const Joint& j = s.joints.at(0);
  const auto word = [&](const Place& p) { return text.substr(p.offset, p.length); };
  EXPECT_EQ(word(j.place), "joint pin j object2 a; end");
  EXPECT_EQ(word(j.kindPlace), "pin");
  EXPECT_EQ(word(j.place2), "a");
  EXPECT_EQ(s.files.at(0).text, text);
  EXPECT_EQ(s.files[0].name, "test.tenon");
}

// Solid a at (1, 0, 0) turned by 90° about z; b at (0, 2, 0).
const char* const kTwo = "solid a at 1 0 0; turn 0 0 1 90deg; end solid b at 0 2 0; end\n";

TEST(Frames, BothAtOnceFromThePoseAsWritten) {
  const Scene s = read(std::string(kTwo) +
                       "joint pin j object1 a; object2 b; at 1 1 0; axis 0 1 0; normal 0 0 1; end");
  const Joint& j = s.joints.at(0);
  expectNear(j.frame1.p, {1, 0, 0});  // (1, 1) seen from (1, 0) with x up
  expectNear(j.frame2.p, {1, -1, 0});
  const Vec3 x{1, 0, 0}, y{0, 1, 0};
  expectNear(rotate(j.frame1.q, x), x);  // the world's y is a's x
  expectNear(rotate(j.frame2.q, x), y);
  expectNear(rotate(j.frame2.q, y), {0, 0, 1});
  expectNear(s.solids[0].pose * j.frame1, s.solids[1].pose * j.frame2);
}

TEST(Frames, EachSideInItsSolid) {
  const Scene s = read(std::string(kTwo) + R"(joint pin j object1 a; object2 b;
    point1 1 2 3; axis1 0 0 2; normal1 1 1 0;
    point2 4 5 6cm; orientation2 0 0 0.6 0.8; end)");
  const Joint& j = s.joints.at(0);
  EXPECT_EQ(j.frame1.p, (Vec3{1, 2, 3}));
  expectNear(rotate(j.frame1.q, {1, 0, 0}), {0, 0, 1});
  expectNear(rotate(j.frame1.q, {0, 1, 0}), {std::sqrt(0.5), std::sqrt(0.5), 0});
  EXPECT_EQ(j.frame2.p, (Vec3{4, 5, 0.06}));
  EXPECT_EQ(j.frame2.q, (Quat{0, 0, 0.6, 0.8}));
}

TEST(Frames, WhatOneSideLeavesOpenFollowsFromTheOther) {
  const Scene s =
      read(std::string(kTwo) +
           "joint pin j object1 a; object2 b; point1 1 0 0; axis1 0 0 1; end\n"
           "joint pin k object1 a; object2 b; point2 0 0 0; point1 0 0 0; axis2 0 1 0; end\n"
           "joint weld w object1 a; object2 b; end\n"
           "joint ball h object2 b; point2 0 1 0; end");
  const auto world = [&](const Joint& j, int side) {
    const std::string& solid = side == 1 ? j.solid1 : j.solid2;
    const Pose X = solid.empty() ? Pose{} : named(s.solids, solid).pose;
    return X * (side == 1 ? j.frame1 : j.frame2);
  };
  for (const Joint& j : s.joints) {
    expectNear(world(j, 1).q, world(j, 2).q);
    if (j.name != "k") expectNear(world(j, 1).p, world(j, 2).p);
  }
  EXPECT_EQ(named(s.joints, "k").frame1.p, Vec3{});  // both points were given
  EXPECT_EQ(named(s.joints, "k").frame2.p, Vec3{});
  EXPECT_EQ(named(s.joints, "w").frame1, Pose{});  // the first solid's own frame
  expectNear(named(s.joints, "h").frame1.p, {0, 3, 0});
}

TEST(Frames, DefaultsAreExact) {
  const Scene s = read("solid a end joint pin j object2 a; at 0 0 0; axis 1 0 0; end");
  EXPECT_EQ(s.joints.at(0).frame1, Pose{});
  EXPECT_EQ(s.joints.at(0).frame2, Pose{});
}

TEST(Frames, SolidsMayBeDeclaredLater) {
  const Scene s =
      read("joint ball j object1 a; object2 b; at 0 0 1; end solid b end solid a at 0 0 1; end");
  EXPECT_EQ(s.joints.at(0).solid1, "a");
  expectNear(s.joints[0].frame1.p, {0, 0, 0});
  expectNear(s.joints[0].frame2.p, {0, 0, 1});
}

TEST(Loads, EveryStatement) {
  const Scene s = read(R"(
solid a end  solid b end
joint pin j object1 a; object2 b; end
force f object a; point 1 0 0; vector 1kN 2 3; axes body; active 1 2; end
torque t object a; vector 1 2 3; axes world; active 0; end
muscle m joint j; vector 1 2 3; active 1 2; end
spring s object1 a; point1 1 1 1; object2 b; point2 2 2 2; stiffness 10; damping 2; rest 30cm; active 1 2; end
spring free object2 b; end
drag d object a; linear 1; quadratic 2; angular 3; active 1 2; end
drag everywhere linear 1; end
)");
  const Force& f = s.forces.at(0);
  EXPECT_EQ(f.solid, "a");
  EXPECT_EQ(f.point, (Vec3{1, 0, 0}));
  EXPECT_EQ(f.vector, (Vec3{1000, 2, 3}));
  EXPECT_EQ(f.axes, Axes::Body);
  EXPECT_EQ(f.active, (std::vector<Interval>{{1, 2}}));
  EXPECT_EQ(s.torques.at(0).vector, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.torques[0].active, (std::vector<Interval>{{0, kInfinity}}));
  EXPECT_EQ(s.muscles.at(0).joint, "j");
  const Spring& spring = s.springs.at(0);
  EXPECT_EQ(spring.solid1, "a");
  EXPECT_EQ(spring.point2, (Vec3{2, 2, 2}));
  EXPECT_EQ(spring.stiffness, 10);
  EXPECT_EQ(spring.damping, 2);
  EXPECT_EQ(spring.rest, 0.3);
  EXPECT_EQ(s.springs[1].solid1, "");
  EXPECT_FALSE(s.springs[1].rest);
  EXPECT_EQ(s.drags.at(0).quadratic, 2);
  EXPECT_EQ(s.drags[0].angular, 3);
  EXPECT_EQ(s.drags[1].solid, "");
}

TEST(Posing, EveryStatement) {
  const Scene s = read(R"(
solid a end
joint pin j object2 a; end
pin p object a; point 1 0 0; target 2 0 0; rigid; active 1 2; end
goal g object a; point 1 0 0; target 3 0 0; weight 2; active 1 2; end
floor ground point 0 -1 0; normal 0 2 0; friction 0.3; stiffness 1e5; damping 10; end
pose rest time 500ms; solid a at 1 2 3 turn 0 0 1 180deg; coordinate j angle 45deg; end
)");
  EXPECT_EQ(s.pins.at(0).target, (Vec3{2, 0, 0}));
  EXPECT_TRUE(s.pins[0].rigid);
  EXPECT_EQ(s.goals.at(0).weight, 2);
  EXPECT_EQ(s.goals[0].target, (Vec3{3, 0, 0}));
  EXPECT_EQ(s.floors.at(0).normal, (Vec3{0, 1, 0}));
  EXPECT_EQ(s.floors[0].friction, 0.3);
  EXPECT_EQ(s.floors[0].stiffness, 1e5);
  EXPECT_EQ(s.floors[0].damping, 10);
  const KeyPose& pose = s.keyPoses.at(0);
  EXPECT_EQ(pose.time, 0.5);
  EXPECT_EQ(pose.solids.at(0).solid, "a");
  expectNear(pose.solids[0].pose, Pose{{1, 2, 3}, {0, 0, 1, 0}});
  EXPECT_EQ(pose.coordinates.at(0).joint, "j");
  EXPECT_DOUBLE_EQ(pose.coordinates[0].value, kPi / 4);
}

TEST(TopLevel, EveryStatement) {
  const Scene s = read(R"(
title "a \"test\"";
gravity 0 0 -1.62;
damp 0.5;
expect dof 1;
expect assembled 1e-8;
solid a end
joint pin j object2 a; end
force f object a; vector 1 0 0; end
at 2.5 stop;
at 1s gravity 0 0 0;
at 500ms damp 3;
at 1 activate j f;
at 2 deactivate f;
at 3 drive j angle 90deg;
settings
  method energy; solver direct; norm rms; dt 5ms; duration 2min; tolerance 1e-9; budget 3ms;
  truncation 0.8; alpha 1; beta 2; iterations 20; linear-iterations 100;
end
)");
  EXPECT_EQ(s.title, "a \"test\"");
  EXPECT_EQ(s.gravity, (Vec3{0, 0, -1.62}));
  EXPECT_EQ(s.damp, 0.5);
  ASSERT_EQ(s.expectations.size(), 2u);
  EXPECT_EQ(s.expectations[1].what, "assembled");
  EXPECT_EQ(s.expectations[1].values, (std::vector<double>{1e-8}));
  ASSERT_EQ(s.events.size(), 6u);
  EXPECT_EQ(s.events[0].action, "stop");
  EXPECT_EQ(s.events[0].time, 2.5);
  EXPECT_EQ(s.events[1].values, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(s.events[2].time, 0.5);
  EXPECT_EQ(s.events[3].names, (std::vector<std::string>{"j", "f"}));
  EXPECT_EQ(s.events[5].names, (std::vector<std::string>{"j", "angle"}));
  EXPECT_DOUBLE_EQ(s.events[5].values.at(0), kPi / 2);
  EXPECT_EQ(s.settings.find("method")->word, "energy");
  EXPECT_EQ(s.settings.find("solver")->word, "direct");
  EXPECT_EQ(s.settings.find("norm")->word, "rms");
  EXPECT_EQ(s.settings.number("dt"), 0.005);
  EXPECT_EQ(s.settings.number("duration"), 120);
  EXPECT_EQ(s.settings.number("tolerance"), 1e-9);
  EXPECT_EQ(s.settings.number("budget"), 0.003);
  EXPECT_EQ(s.settings.number("truncation"), 0.8);
  EXPECT_EQ(s.settings.number("alpha"), 1);
  EXPECT_EQ(s.settings.number("beta"), 2);
  EXPECT_EQ(s.settings.number("iterations"), 20);
  EXPECT_EQ(s.settings.number("linear-iterations"), 100);
}

TEST(TopLevel, UnknownExpectationsWarn) {
  std::vector<Problem> warnings;
  const Scene s = read("expect dfo 1;", {}, &warnings);
  EXPECT_EQ(s.expectations.size(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].what, "expectation 'dfo' cannot be checked yet");
  EXPECT_EQ(warnings[0].remedy, "did you mean 'dof'?");
}

TEST(Version, EachTextHasItsOwnAndMeansWhatItMeantWithout) {
  ParseOptions options;
  options.include = [](const std::string& name) -> Result<std::string> {
    return std::string(name == "new.tenon" ? "version 2;\nnothing known here"
                                           : "version 1;\nsolid b end\n");
  };
  const std::string body = "title \"t\";\ngravity 0 0 -1;\ninclude \"old.tenon\";\n";
  const Scene said = read("version 1;\n" + body, options), unsaid = read(body, options);
  EXPECT_TRUE(sameScene(said, unsaid));
  ASSERT_EQ(said.files.size(), 2u);
  EXPECT_EQ(said.files[0].version, 1);
  EXPECT_EQ(said.files[1].version, 1);
  EXPECT_EQ(unsaid.files[0].version, 0);
  // What is printed says it if the scene does, and is read again.
  EXPECT_EQ(printScene(said).find("version 1;\n"), 0u);
  EXPECT_EQ(printScene(said), "version 1;\n" + printScene(unsaid));
  EXPECT_TRUE(sameScene(said, read(printScene(said))));
  // An included text of a later version is refused where it says so.
  const std::vector<Problem> problems = problemsOf("include \"new.tenon\";\n", options);
  ASSERT_EQ(problems.size(), 1u) << all(problems);
  EXPECT_EQ(problems[0].file, "new.tenon");
  EXPECT_EQ(problems[0].line, 1);
}

TEST(Version, AFigureMayIncludeATextThatSaysIt) {
  ParseOptions options;
  options.include = [](const std::string&) -> Result<std::string> {
    return std::string("version 1;\nsolid b end\n");
  };
  const Scene s = read("figure f include \"a.tenon\"; end\nplace f one end\n", options);
  ASSERT_EQ(s.solids.size(), 1u);
  EXPECT_EQ(s.solids[0].name, "one.b");
}

TEST(Version, EditsAndLayoutKeepIt) {
  Result<SceneDocument> document = SceneDocument::open("version   1 ;\nsolid a end\n", "t.tenon");
  ASSERT_TRUE(document);
  ASSERT_TRUE(document->set("a", "mass", "2"));
  EXPECT_EQ(document->scene().files[0].version, 1);
  EXPECT_EQ(document->text().find("version   1 ;\n"), 0u);
  const Result<std::string> formatted = formatText(document->text(), "t.tenon");
  ASSERT_TRUE(formatted);
  EXPECT_EQ(formatted->find("version 1;\n"), 0u);
  EXPECT_FALSE(document->set("", "version", "2"));
  EXPECT_TRUE(document->set("", "version", "1"));
}

// ------------------------------------------------------------------------------------- the schema

TEST(Schema, EveryStatementIsDocumented) {
  std::ifstream file(std::string(TENON_SOURCE_DIR) + "/docs/scene-language.md");
  const std::string docs((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(docs.empty());
  const auto mentions = [&](std::string_view word) {
    for (std::size_t at = docs.find(word); at != std::string::npos; at = docs.find(word, at + 1)) {
      const auto part = [&](std::size_t i) {
        const char c = i < docs.size() ? docs[i] : ' ';
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
      };
      if ((at == 0 || !part(at - 1)) && !part(at + word.size())) return true;
    }
    return false;
  };
  std::vector<std::string> blocks = files::blockKeywords();
  blocks.emplace_back("");
  for (const std::string& block : blocks) {
    EXPECT_TRUE(block.empty() || mentions(block)) << block;
    for (const files::StatementForm& form : files::statementsOf(block)) {
      EXPECT_TRUE(mentions(form.keyword)) << form.keyword << " of " << block;
      EXPECT_FALSE(form.help.empty()) << form.keyword;
      for (const files::Clause& clause : form.clauses)
        EXPECT_TRUE(mentions(clause.keyword)) << clause.keyword << " of " << form.keyword;
    }
    for (const std::string& word : files::clearablesOf(block))
      EXPECT_TRUE(mentions(word)) << "clear " << word << " of " << block;
  }
}

TEST(Schema, FormsAreReadable) {
  const auto formOf = [](const char* block, const char* keyword) {
    for (const files::StatementForm& f : files::statementsOf(block))
      if (f.keyword == keyword) return f.form();
    return std::string();
  };
  EXPECT_EQ(formOf("solid", "density"), "density D");
  EXPECT_EQ(formOf("joint", "limit"),
            "limit COORDINATE [min V] [max V] [compliance C] [weight W] [active T1 [T2]]…");
  EXPECT_EQ(formOf("", "param"), "param NAME VALUE [min V] [max V]");
  EXPECT_TRUE(files::statementsOf("nothing").empty());
}

TEST(Schema, KnowsEveryBlockOfTheSyntax) {
  for (const std::string& word : files::blockKeywords()) {
    files::BlockKind kind{};
    EXPECT_TRUE(files::findBlockKind(word, kind)) << word;
  }
}

// ------------------------------------------------------------------------------- joints of joints

constexpr const char* kWheels = R"(
solid a end
solid b at 1 0 0; end
joint gear mesh couple shaft1 20; couple shaft2 angle 40; end
joint pin shaft1 object2 a; at 0 0 0; end
joint cylindrical shaft2 object2 b; at 1 0 0; end
)";

TEST(Joints, CoupleOthersThatMayComeLater) {
  const Scene s = read(kWheels);
  const Joint& gear = s.joints.at(0);
  ASSERT_EQ(gear.couples.size(), 2u);
  EXPECT_EQ(gear.couples[0], (CoupledCoordinate{"shaft1", "angle", 20, {}}));
  EXPECT_EQ(gear.couples[1], (CoupledCoordinate{"shaft2", "angle", 40, {}}));
  EXPECT_FALSE(gear.carrier.has_value());
}

// In a figure twice as large and mirrored, a rack and pinion stay what they are.
TEST(Joints, CouplingsAreScaledAndMirrored) {
  const std::string text = R"(
figure drive
  solid pinion end
  solid rack at 0 1 0; end
  joint cylindrical shaft object2 pinion; at 0 0 0; end
  joint prismatic rail object2 rack; at 0 1 0; end
  joint gear mesh couple shaft angle 0.05; couple rail slide -1; end
end
place drive left end
place drive right scale 2; mirror 1 0 0; end
)";
  const Scene s = read(text);
  const auto gear = [&](const std::string& name) -> const Joint& {
    for (const Joint& j : s.joints)
      if (j.name == name) return j;
    return s.joints.front();
  };
  EXPECT_EQ(gear("left.mesh").couples[0].factor, 0.05);
  const Joint& right = gear("right.mesh");
  EXPECT_EQ(right.couples[0].joint, "right.shaft");
  // The slide of a mirrored prismatic joint keeps its sign and is twice as long; the angle of a
  // mirrored cylindrical joint changes its sign: 0.05 θ = x becomes -0.05 θ' = x'/2.
  EXPECT_EQ(right.couples[0].factor, -0.05);
  EXPECT_EQ(right.couples[1].factor, -0.5);
}

TEST(Joints, RelatePointsAndTakeLists) {
  const Scene s = read(R"(
solid a end solid b at 1 0 0; end solid c at 0 1 0; end solid d at 0 -1 0; end
joint fold crease object1 a; object2 b; object3 c; point3 0 0 1cm; object4 d; limit angle max 1; end
joint curve wire object2 a; point1 0 0 0; through 0 0 0 1m 0 0 1 1 0; closed; end
joint surface hill object2 b; heightfield 2 2 1 1 0 0 0.5 0.5; end
)");
  ASSERT_EQ(s.joints[0].more.size(), 2u);
  EXPECT_EQ(s.joints[0].more[0], (JointPoint{"c", {0, 0, 0.01}, {}}));
  EXPECT_EQ(s.joints[0].more[1], (JointPoint{"d", {}, {}}));
  EXPECT_EQ(s.joints[0].frame2.p, (Vec3{}));  // its own origin, not where the first point is
  EXPECT_EQ(s.joints[1].options[0].values.size(), 9u);
  EXPECT_EQ(s.joints[1].options[1].name, "closed");
  EXPECT_TRUE(s.joints[1].options[1].values.empty());
  EXPECT_EQ(s.joints[2].options[0].values.size(), 8u);
}

TEST(Joints, SayWhatIsWrongWithRelations) {
  const std::string solids = "solid a end solid b end ";
  EXPECT_NE(problemOf(solids + "joint gear g object1 a; couple p 1; couple p 1; end")
                .find("has no solids of its own"),
            std::string::npos);
  EXPECT_NE(problemOf(solids + "joint pin p object2 a; couple p 1; end").find("couples no other"),
            std::string::npos);
  EXPECT_NE(
      problemOf(solids + "joint pin p object2 a; object3 b; end").find("two solids, not four"),
      std::string::npos);
  EXPECT_NE(problemOf(solids + "joint pin p object2 a; friction angle 1 coefficient 0.1; end")
                .find("needs the radius"),
            std::string::npos);
  EXPECT_NE(problemOf(solids + "joint curve c object2 a; through 0 0 0 1; end").find("through"),
            std::string::npos);
  const std::string pins = solids + "joint pin p object2 a; end joint pin q object2 b; end\n";
  for (const char* wrong : {"object3 a;", "point4 1 2 3;", "object4 b;"})
    EXPECT_NE(problemOf(pins + "joint gear g " + wrong + " couple p 1; couple q 1; end")
                  .find("has no solids of its own"),
              std::string::npos);
  EXPECT_EQ(problemOf(pins + "joint gear g couple h 1; couple q 1; end "
                             "joint gear h couple p 1; couple q 1; end"),
            "2:21: joint 'h' of kind 'gear' has no coordinate to couple");
  EXPECT_NE(problemOf(solids + "joint fold f object1 a; object2 b; object3 a; point3 1 0 0; end")
                .find("needs four solids; give 'object4'"),
            std::string::npos);
  const Scene folded = read(solids +
                            "joint fold f object1 a; object2 b; object3 world; object4 world; "
                            "point3 1 0 0; point4 0 1 0; end");
  EXPECT_EQ(folded.joints.at(0).more.at(1), (JointPoint{"", {0, 1, 0}, {}}));
  EXPECT_NE(problemOf(solids + "joint surface s object2 a; torus 1; end").find("torus V V"),
            std::string::npos);
}

TEST(Joints, YieldAndRub) {
  const Scene s = read(R"(
solid a rotatability 3; gravity -0.5; end
solid b gravity 2; end
override b clear gravity; end
joint pin p object2 a;
  armature angle 0.25;
  prefer angle min -1 max 1 stiffness 20 damping 2 force 8;
  friction angle 0.5 coefficient 0.1 radius 2cm active 1 2;
  alpha 0.3; mobility 0.75;
end
constraint c object2 a; hinge 0 0 0 0 0 0; alpha 0.2; mobility 1; end
)");
  EXPECT_EQ(s.solids[0].gravity, -0.5);
  EXPECT_EQ(s.solids[1].gravity, 1);
  const CoordinateRule& armature = s.joints[0].rules.at(0);
  EXPECT_EQ(armature.kind, CoordinateRule::Kind::Armature);
  EXPECT_EQ(armature.inertia, 0.25);
  EXPECT_NE(problemOf("solid a sphere 1; end joint pin p object2 a; armature angle 0; end")
                .find("greater than 0"),
            std::string::npos);
  EXPECT_NE(
      problemOf("solid a sphere 1; end joint pin p object2 a; armature angle 1 active 0 1; end"),
      "");
  const CoordinateRule& prefer = s.joints[0].rules.at(1);
  EXPECT_EQ(prefer.kind, CoordinateRule::Kind::Prefer);
  EXPECT_EQ(prefer.lower, -1);
  EXPECT_EQ(prefer.stiffness, 20);
  EXPECT_EQ(prefer.damping, 2);
  EXPECT_EQ(prefer.maxForce, 8);
  const CoordinateRule& friction = s.joints[0].rules.at(2);
  EXPECT_EQ(friction.kind, CoordinateRule::Kind::Friction);
  EXPECT_EQ(friction.maxForce, 0.5);
  EXPECT_EQ(friction.coefficient, 0.1);
  EXPECT_EQ(friction.radius, 0.02);
  EXPECT_EQ(friction.active.size(), 1u);
  EXPECT_EQ(s.joints[0].alpha, 0.3);
  EXPECT_EQ(s.joints[0].mobility, 0.75);
  EXPECT_EQ(s.joints[1].alpha, 0.2);
  EXPECT_EQ(s.solids[0].rotatability, 3);
}

// ------------------------------------------------------------------------------------ local numbers

TEST(Numbers, LetMayStandInABlock) {
  const Scene s = read(R"(
solid a
  let r 0.1;
  repeat i 0 2 let x (2 * i); sphere (r) at (x) 0 0; end
end
solid b let r 0.2; sphere (r); end
)");
  ASSERT_EQ(s.solids[0].shapes.size(), 3u);
  EXPECT_EQ(s.solids[0].shapes[2].pose.p.x, 4);
  EXPECT_EQ(s.solids[1].shapes[0].size.x, 0.2);
}

TEST(Numbers, OneMistakeGivesOneMessage) {
  const auto result = parseScene(
      "let a (sqrt(0 - 1)); let b (a + 1); let c (b + a); solid s box (a) (b) (c); at (nope) 0 0; "
      "end",
      "x");
  ASSERT_FALSE(result.ok());
  ASSERT_EQ(result.problems().size(), 2u);
  EXPECT_EQ(result.problems()[0].line, 1u);
  EXPECT_NE(result.problems()[1].what.find("nope"), std::string::npos);
}

}  // namespace
}  // namespace tenon
