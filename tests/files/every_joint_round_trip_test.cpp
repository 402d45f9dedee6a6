// Every joint of the catalogue, with its options and every rule on every coordinate, survives being
// written as text and read again.
#include <gtest/gtest.h>
#include <tenon/joint.h>
#include <tenon/language.h>

#include "math/random.h"

namespace tenon {
namespace {

Scene sceneWith(const JointKind& kind, const JointExample& example, Random& random) {
  Scene scene;
  for (const char* name : {"first", "second"}) {
    Solid solid;
    solid.name = name;
    solid.pose.p = random.pointInBox({-1, -1, -1}, {1, 1, 1});
    solid.pose.q = random.rotation();
    solid.shapes.emplace_back();
    solid.shapes[0].size = {1, 2, 3};
    scene.solids.push_back(solid);
  }
  Joint joint;
  joint.name = "joint";
  joint.kind = std::string(kind.name);
  joint.solid1 = "first";
  joint.solid2 = "second";
  joint.frame1 = {random.pointInBox({-1, -1, -1}, {1, 1, 1}), random.rotation()};
  joint.frame2 = {random.pointInBox({-1, -1, -1}, {1, 1, 1}), random.rotation()};
  joint.compliance = 1e-7;
  joint.weight = 2;
  joint.damp = 0.25;
  joint.active = {{0, 1}, {2, 3}};
  joint.alpha = 0.7;
  joint.mobility = 0.25;
  joint.options = example.options;
  if (kind.relates == Relates::Points) joint.more = {{"first", {1, 2, 3}, {}}, {"", {4, 5, 6}, {}}};
  if (kind.relates == Relates::Coordinates) {
    joint.solid1 = joint.solid2 = "";
    joint.frame1 = joint.frame2 = {};
    for (const char* name : {"shaft", "arm"}) {
      Joint pin;
      pin.name = name;
      pin.kind = "cylindrical";
      pin.solid1 = name == std::string("arm") ? "" : "first";
      pin.solid2 = "second";
      scene.joints.push_back(pin);
    }
    joint.couples = {{"shaft", "angle", 20, {}}, {"arm", "slide", -0.5, {}}};
    joint.carrier = CoupledCoordinate{"arm", "angle", 1, {}};
  }
  for (int c = 0; c < kind.coordinateCount; ++c) {
    CoordinateRule rule;
    rule.coordinate = std::string(kind.coordinates[c].name);
    rule.lower = random.uniform(-1, 0);
    rule.upper = random.uniform(0, 1);
    rule.compliance = 1e-5;
    rule.weight = 3;
    rule.active = {{1, 2}};
    joint.rules.push_back(rule);
    CoordinateRule spring;
    spring.kind = CoordinateRule::Kind::Spring;
    spring.coordinate = rule.coordinate;
    spring.stiffness = random.uniform(1, 10);
    spring.damping = random.uniform(0, 1);
    spring.target.offset = random.uniform(-1, 1);
    joint.rules.push_back(spring);
    CoordinateRule damper;
    damper.kind = CoordinateRule::Kind::Damper;
    damper.coordinate = rule.coordinate;
    damper.damping = random.uniform(0, 1);
    joint.rules.push_back(damper);
    CoordinateRule drive = spring;
    drive.kind = CoordinateRule::Kind::Drive;
    drive.target.rate = random.uniform(-1, 1);
    drive.maxForce = random.uniform(1, 100);
    joint.rules.push_back(drive);
    CoordinateRule prescribe;
    prescribe.kind = CoordinateRule::Kind::Prescribe;
    prescribe.coordinate = rule.coordinate;
    prescribe.target.keys = {{0, random.uniform(-1, 1)}, {1, 0.5}, {2.5, random.uniform(-1, 1)}};
    joint.rules.push_back(prescribe);
    CoordinateRule prefer = rule;
    prefer.kind = CoordinateRule::Kind::Prefer;
    prefer.compliance = 0;
    prefer.weight = 1;
    prefer.stiffness = 12;
    prefer.damping = 0.5;
    prefer.maxForce = 80;
    joint.rules.push_back(prefer);
    CoordinateRule friction;
    friction.kind = CoordinateRule::Kind::Friction;
    friction.coordinate = rule.coordinate;
    friction.maxForce = 0.25;
    friction.coefficient = 0.3;
    friction.radius = 0.02;
    joint.rules.push_back(friction);
  }
  scene.joints.push_back(joint);
  return scene;
}

TEST(EveryJoint, RoundTripsThroughTheLanguage) {
  Random random(77);
  for (const JointKind& kind : jointCatalogue())
    for (const JointExample& example : examplesOf(kind)) {
      const Scene scene = sceneWith(kind, example, random);
      const std::string text = printScene(scene);
      const auto again = parseScene(text, "printed");
      ASSERT_TRUE(again.ok()) << kind.name << "\n" << text << describe(again.problems().front());
      EXPECT_TRUE(sameScene(scene, *again)) << kind.name << "\n" << text;
      ASSERT_EQ(again->joints.size(), scene.joints.size());
      EXPECT_EQ(again->joints.back().rules.size(), scene.joints.back().rules.size());
      EXPECT_EQ(again->joints.back().options, scene.joints.back().options);
      EXPECT_EQ(again->joints.back().frame1, scene.joints.back().frame1);
    }
}

}  // namespace
}  // namespace tenon
