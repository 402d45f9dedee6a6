// Scenes made in code: they are what the text of the same statements is, and they survive being printed.
#include <tenon/builder.h>
#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/language.h>
#include <tenon/measure.h>
#include <tenon/step.h>

#include "files/scene_text.h"
#include "math/portable.h"
#include "math/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tenon {
namespace {

using test::all;

// The scene of a builder that was given nothing wrong; as printed and read again it is the same.
Scene built(const SceneBuilder& builder) {
  Result<Scene> made = builder.scene();
  if (!made) {
    ADD_FAILURE() << all(made.problems()) << builder.text();
    return {};
  }
  EXPECT_TRUE(made.problems().empty()) << all(made.problems());
  const std::string printed = printScene(*made);
  const Result<Scene> again = parseScene(printed, "printed");
  EXPECT_TRUE(again) << all(again.problems()) << printed;
  EXPECT_TRUE(again && sameScene(*made, *again)) << builder.text() << printed;
  return std::move(*made);
}

// Sixty steps of the scene's mechanism.
struct Moved {
  std::uint64_t stamp = 0;
  std::optional<std::uint64_t> hash;
};
Moved moved(const Scene& scene) {
  const Result<Mechanism> mechanism = compile(scene);
  if (!mechanism) {
    ADD_FAILURE() << all(mechanism.problems());
    return {};
  }
  State state = initialState(*mechanism);
  const Control control = initialControl(*mechanism);
  StepScratch scratch;
  for (int i = 0; i < 60; ++i) step(*mechanism, control, {}, 1.0 / 60, state, scratch);
  return {mechanism->stamp, stateHash(state)};
}

void expectSame(const Scene& code, const Scene& text) {
  EXPECT_TRUE(sameScene(code, text)) << printScene(code) << "\n----\n" << printScene(text);
  const Moved a = moved(code), b = moved(text);
  EXPECT_EQ(a.stamp, b.stamp);
  ASSERT_TRUE(a.hash.has_value());
  EXPECT_EQ(a.hash, b.hash);
}

TEST(Builder, ADoorInCodeIsTheDoorInText) {
  SceneBuilder scene("Door");
  const auto door = scene.solid("door")
                        .at({0.45, 1, 0})
                        .box({0.9, 2, 0.04})
                        .density(600)
                        .spin({0, 1, 0})
                        .colour({0.55, 0.36, 0.20});
  scene.pin("hinge", scene.world, door, {0, 1, 0}, {0, 1, 0})
      .limit("angle", 0, kPi / 2)
      .damper("angle", 2);
  scene.expect("dof", {1});
  expectSame(built(scene), test::read(R"(
title "Door";
solid door
  at 0.45 1 0; box 0.9 2 0.04; density 600; spin 0 1 0; colour 0.55 0.36 0.20;
end
joint pin hinge
  object2 door; at 0 1 0; axis 0 1 0;
  limit angle min 0 max 90deg;
  damper angle 2;
end
expect dof 1;
)"));
}

// scenes/linkages/four-bar.tenon: the pins from lengths and an angle, as there.
TEST(Builder, AFourBarInCodeIsTheFourBarOfTheScenes) {
  const double angle = 60 * kPi / 180, crank = 0.15, coupler = 0.40, rocker = 0.30, base = 0.40;
  const double ax = crank * cosine(angle), ay = crank * sine(angle);
  const double larger = std::max(base - ax, ay);  // as the language has `hypot`
  const double x = (base - ax) / larger, y = ay / larger;
  const double diagonal = larger * std::sqrt(x * x + y * y);
  const double along = (coupler * coupler - rocker * rocker + diagonal * diagonal) / (2 * diagonal);
  const double across = std::sqrt(coupler * coupler - along * along);
  const double bx = ax + (along * (base - ax) + across * ay) / diagonal;
  const double by = ay + (across * (base - ax) - along * ay) / diagonal;
  const double width = 0.04, thick = 0.015;

  SceneBuilder scene("Four-bar linkage");
  scene.material("steel").density(7850);
  const auto ground = scene.solid("ground")
                          .immobile()
                          .box({base + 2 * width, width, thick}, {{base / 2, 0, 0}, {}})
                          .colour({0.45, 0.45, 0.48});
  const auto bar = [&](const char* name, double length, const Vec3& at, double turn,
                       const Colour& colour) {
    return scene.solid(name)
        .at(at)
        .turn({0, 0, 1}, turn)
        .box({length + width, width, thick})
        .material("steel")
        .colour(colour);
  };
  const auto first = bar("crank", crank, {ax / 2, ay / 2, thick}, angle, {0.85, 0.33, 0.22});
  const auto second = bar("coupler", coupler, {(ax + bx) / 2, (ay + by) / 2, 2 * thick},
                          arctangent2(by - ay, bx - ax), {0.93, 0.72, 0.20});
  const auto third = bar("rocker", rocker, {(base + bx) / 2, by / 2, thick},
                         arctangent2(by, bx - base), {0.20, 0.55, 0.70});
  const Vec3 z{0, 0, 1};
  scene.pin("O", ground, first, {0, 0, 0}, z);
  scene.pin("A", first, second, {ax, ay, 0}, z);
  scene.pin("B", second, third, {bx, by, 0}, z);
  scene.pin("C", ground, third, {base, 0, 0}, z);

  Result<Scene> text = loadScene(TENON_SOURCE_DIR "/scenes/linkages/four-bar.tenon");
  ASSERT_TRUE(text) << all(text.problems());
  text->parameters.clear();  // in code they are its variables
  text->expectations.clear();
  expectSame(built(scene), *text);
}

// ------------------------------------------------------------------------------- what is written

void build(SceneBuilder& scene, const Solid& s) {
  BuiltSolid solid = scene.solid(s.name);
  if (s.path.empty() || s.kind != SolidKind::Animated) solid.pose(s.pose);
  if (s.velocity != Vec3{}) solid.velocity(s.velocity);
  if (s.spin != Vec3{}) solid.spin(s.spin);
  if (s.kind == SolidKind::Immobile) solid.immobile();
  if (s.kind == SolidKind::Animated) solid.animated();
  if (s.pointMass) solid.pointMass();
  for (const PathKey& key : s.path) solid.key(key.time, key.pose);
  for (const Shape& shape : s.shapes) {
    const Vec3& size = shape.size;
    switch (shape.kind) {
      case ShapeKind::Box:
        solid.box(size, shape.pose, shape.density);
        break;
      case ShapeKind::Sphere:
        solid.sphere(size.x, shape.pose, shape.density);
        break;
      case ShapeKind::Ellipsoid:
        solid.ellipsoid(size, shape.pose, shape.density);
        break;
      case ShapeKind::Capsule:
        solid.capsule(size.x, size.y, shape.pose, shape.density);
        break;
      case ShapeKind::Cylinder:
        solid.cylinder(size.x, size.y, shape.pose, shape.density);
        break;
      case ShapeKind::Cone:
        solid.cone(size.x, size.y, shape.pose, shape.density);
        break;
      case ShapeKind::Hull:
        solid.hull(shape.points, shape.pose, shape.density);
        break;
      case ShapeKind::Mesh:
        solid.mesh(shape.points, shape.triangles, shape.pose, shape.density);
        break;
    }
  }
  if (!s.material.empty()) solid.material(s.material);
  if (s.density) solid.density(*s.density);
  if (s.mass) solid.mass(*s.mass);
  if (s.com) solid.com(*s.com);
  if (s.inertia) {
    const Mat3& I = *s.inertia;
    solid.inertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  }
  if (s.boxDensity) solid.ma(*s.boxDensity);
  if (s.rotatability) solid.rotatability(*s.rotatability);
  if (s.gravity != 1) solid.gravity(s.gravity);
  if (s.colour) solid.colour(*s.colour);
  for (const std::string& group : s.groups) solid.group(group);
}

// By the short call of the rule where one says it all.
void build(BuiltJoint& joint, const CoordinateRule& r) {
  using Kind = CoordinateRule::Kind;
  if (!r.active.empty() || r.compliance != 0 || r.weight != 1) {
    joint.rule(r);
    return;
  }
  switch (r.kind) {
    case Kind::Limit:
      joint.limit(r.coordinate, r.lower, r.upper);
      break;
    case Kind::Spring:
      if (r.target == Signal{.offset = r.target.offset})
        joint.spring(r.coordinate, r.target.offset, r.stiffness, r.damping);
      else
        joint.rule(r);
      break;
    case Kind::Damper:
      joint.damper(r.coordinate, r.damping);
      break;
    case Kind::Drive:
      joint.drive(r.coordinate, r.target, r.stiffness, r.damping, r.maxForce);
      break;
    case Kind::Prescribe:
      joint.prescribe(r.coordinate, r.target);
      break;
    case Kind::Prefer:
      joint.prefer(r.coordinate, r.lower, r.upper, r.stiffness, r.damping, r.maxForce);
      break;
    case Kind::Friction:
      joint.friction(r.coordinate, r.maxForce, r.coefficient, r.radius);
      break;
    case Kind::Armature:
      joint.armature(r.coordinate, r.inertia);
      break;
  }
}

void build(SceneBuilder& scene, const Joint& j) {
  BuiltJoint joint = scene.joint(j.kind, j.name, j.solid1, j.solid2);
  const JointKind* kind = findJointKind(j.kind);
  if (kind != nullptr && kind->relates != Relates::Coordinates)
    joint.frame1(j.frame1).frame2(j.frame2);
  const auto nameOf = [](const std::string& solid) {
    return solid.empty() ? std::string(SceneBuilder::world) : solid;
  };
  if (!j.more.empty())
    joint.third(nameOf(j.more[0].solid), j.more[0].point)
        .fourth(nameOf(j.more[1].solid), j.more[1].point);
  for (const CoupledCoordinate& term : j.couples) joint.couple(term);
  if (j.carrier) joint.carrier(j.carrier->joint, j.carrier->coordinate);
  for (const JointOption& option : j.options) joint.option(option.name, option.values);
  for (const CoordinateRule& rule : j.rules) build(joint, rule);
  if (j.compliance != 0) joint.compliance(j.compliance);
  if (j.weight != 1) joint.weight(j.weight);
  if (j.damp) joint.damp(*j.damp);
  if (j.alpha) joint.alpha(*j.alpha);
  if (j.mobility) joint.mobility(*j.mobility);
  if (j.frozen) joint.frozen();
  if (j.merged) joint.merged();
  for (const Interval& when : j.active) joint.active(when);
}

void build(SceneBuilder& scene, const KeyPose& p) {
  BuiltPose pose = scene.pose(p.name);
  if (p.time) pose.time(*p.time);
  for (const KeyPose::SolidPose& s : p.solids)
    s.centre ? pose.centre(s.solid, s.pose) : pose.solid(s.solid, s.pose);
  for (const KeyPose::CoordinateValue& c : p.coordinates)
    pose.coordinate(c.joint, c.coordinate, c.value);
}

void buildLoads(SceneBuilder& scene, const Scene& s) {
  const auto timed = [](auto& thing, const std::vector<Interval>& active) {
    for (const Interval& when : active) thing.active(when);
  };
  for (const Force& f : s.forces) {
    BuiltLoad load = scene.force(f.name, f.solid, f.vector).point(f.point);
    if (f.axes == Axes::Body) load.body();
    timed(load, f.active);
  }
  for (const Torque& t : s.torques) {
    BuiltLoad load = scene.torque(t.name, t.solid, t.vector);
    if (t.axes == Axes::Body) load.body();
    timed(load, t.active);
  }
  for (const Muscle& m : s.muscles) {
    BuiltLoad load = scene.muscle(m.name, m.joint, m.vector);
    timed(load, m.active);
  }
  for (const Spring& p : s.springs) {
    BuiltLoad load = scene.spring(p.name, p.solid1, p.point1, p.solid2, p.point2, p.stiffness);
    load.damping(p.damping);
    if (p.rest) load.rest(*p.rest);
    timed(load, p.active);
  }
  for (const Drag& d : s.drags) {
    BuiltLoad load = scene.drag(d.name, d.solid);
    load.linear(d.linear).quadratic(d.quadratic).angular(d.angular);
    timed(load, d.active);
  }
  for (const Pin& p : s.pins) {
    BuiltWant want = scene.hold(p.name, p.solid, p.point);
    if (p.target) want.target(*p.target);
    if (p.rigid) want.rigid();
    if (p.orientation) want.orientation(*p.orientation);
    timed(want, p.active);
  }
  for (const Goal& g : s.goals) {
    BuiltWant want = scene.goal(g.name, g.solid, g.point, g.target).weight(g.weight);
    timed(want, g.active);
  }
  for (const Floor& f : s.floors)
    scene.floor(f.name)
        .point(f.point)
        .normal(f.normal)
        .friction(f.friction)
        .stiffness(f.stiffness)
        .damping(f.damping);
}

// Every call that there is, made as the scene asks.
void build(SceneBuilder& scene, const Scene& s) {
  for (const Parameter& p : s.parameters) scene.parameter(p.name, p.value, p.lower, p.upper);
  if (s.gravity != Vec3{0, -9.81, 0}) scene.gravity(s.gravity);
  if (s.damp != 0) scene.damp(s.damp);
  if (!s.start.empty()) scene.start(s.start);
  for (const Event& e : s.events) scene.at(e.time, e.action, e.names, e.values);
  for (const Expectation& e : s.expectations) scene.expect(e.what, e.values);
  for (const Joint& joint : s.joints) build(scene, joint);  // before the solids that they name
  for (const Solid& solid : s.solids) build(scene, solid);
  for (const Material& m : s.materials) {
    BuiltMaterial material = scene.material(m.name);
    if (m.density) material.density(*m.density);
    if (m.colour) material.colour(*m.colour);
  }
  buildLoads(scene, s);
  for (const KeyPose& pose : s.keyPoses) build(scene, pose);
  scene.settings(s.settings);
}

TEST(Builder, MakesEverySceneOfTheTreeAgain) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const auto& file : fs::recursive_directory_iterator(TENON_SOURCE_DIR "/scenes"))
    if (file.path().extension() == ".tenon") paths.push_back(file.path().string());
  std::sort(paths.begin(), paths.end());
  int scenes = 0;
  for (const std::string& path : paths) {
    const Result<Scene> text = loadScene(path);
    if (!text) continue;  // a part of a scene, to be included
    SCOPED_TRACE(path);
    SceneBuilder scene(text->title);
    build(scene, *text);
    const Result<Scene> made = scene.scene();
    ASSERT_TRUE(made) << all(made.problems());
    EXPECT_TRUE(sameScene(*made, *text));
    const Result<Scene> again = parseScene(printScene(*made), "printed");
    ASSERT_TRUE(again) << all(again.problems());
    EXPECT_TRUE(sameScene(*again, *text));
    ++scenes;
  }
  EXPECT_GE(scenes, 50);
}

// What no scene of the tree has.
TEST(Builder, HasACallForEveryStatement) {
  const Scene text = test::read(R"(
title "every \"thing\"\n";
gravity 0 0 -9.81;
damp 0.5;
start rest;
at 2.5 stop;
at 3 gravity 0 0 0;
at 4 drive knee angle 0.5;
at 5 deactivate knee push;
settings method energy; solver direct; norm rms; dt 0.01; duration 2; tolerance 1e-9; budget 1; truncation 0.5;
  alpha 2; beta 3; iterations 20; linear-iterations 7; end
material steel density 7850; colour 0.1 0.2 0.3; end
solid a
  at 1 2 3; turn 1 2 3 0.7; velocity 1 0 0; spin 0 1 0;
  box 1 2 3 at 0 1 0 turn 0 0 1 30deg density 500;
  material steel; mass 3; com 0 0 0.1; inertia 1 2 2.5 0.1 0.2 0.3; colour 1 1 1; group legs left;
  rotatability 2; gravity 0.5;
end
solid b sphere 0.1; immobile; end
solid c ma; box 1 1 1; animated; key 0 0 0 0; key 1 1 0 0 turn 0 1 0 90deg; end
solid d point-mass; mass 1; density 3; end
joint pin knee
  object1 a; object2 b; at 0 0 0; axis 0 0 1;
  limit angle min -1 max 2 compliance 1e-6 weight 3 active 0 1 active 2;
  limit angle max 2;
  spring angle stiffness 10 damping 1 target 0.1;
  damper angle 0.3;
  drive angle offset 1 rate 2 sine 1 2 0.5 stiffness 5 damping 1 max 100;
  prescribe angle key 0 0 key 1 1 key 2 0.5;
  prefer angle min 0 max 1 stiffness 12 damping 0.5 force 80;
  friction angle 0.25 coefficient 0.3 radius 0.02;
  armature angle 0.1;
  compliance 1e-9; weight 2; damp 0.1; alpha 0.7; mobility 0.25; frozen; merged; active 0 5; active 7;
end
joint gear train couple knee angle 2; couple knee angle -1; carrier knee angle; end
force push object a; point 0 1 0; vector 1 2 3; axes body; active 1 2; end
torque twist object a; vector 1 2 3; axes body; end
muscle calf joint knee; vector 0 0 1; active 1; end
spring coil object2 a; point2 0 1 0; stiffness 100; damping 1; rest 0.3; end
drag air linear 0.1; quadratic 0.2; angular 0.3; end
drag oil object a; linear 0.1; end
pin nail object a; point 1 0 0; target 0 1 0; rigid; orientation 0 0 0 1; end
goal reach object a; point 1 0 0; target 5 5 5; weight 2; end
floor ground point 0 -1 0; normal 0 1 0; friction 0.7; stiffness 1e5; damping 10; end
pose rest time 0; solid a at 1 2 3 turn 0 1 0 1; solid b centre 0 1 0; coordinate knee angle 0.3; end
)");
  SceneBuilder scene(text.title);
  build(scene, text);
  EXPECT_TRUE(sameScene(built(scene), text)) << scene.text();
}

// ------------------------------------------------------------------------------------- catalogues

// Each kind with each of its examples and a limit on each coordinate, its frames left as open as `how` says; in a
// text of the same statements they come out the same.
TEST(Builder, EveryJointKindWalksThroughPrintAndParse) {
  Random random(5);
  for (const JointKind& kind : jointCatalogue())
    for (const JointExample& example : examplesOf(kind))
      for (int how = 0; how < 4; ++how) {
        SCOPED_TRACE(std::string(kind.name) + " " + std::string(example.name) + " " +
                     std::to_string(how));
        const Vec3 at1 = random.pointInBox({-1, -1, -1}, {1, 1, 1});
        SceneBuilder scene;
        const auto first = scene.solid("first").box({1, 2, 3}).at(at1).turn({1, 2, 3}, 0.7);
        const auto second = scene.solid("second").box({1, 1, 2}).at({1, 0, 0.5});
        const bool couples = kind.relates == Relates::Coordinates;
        if (couples) {
          scene.cylindrical("shaft", scene.world, first, at1, {0, 0, 1});
          scene.cylindrical("arm", first, second, {0.2, 0, 0}, {1, 0, 0});
        }
        BuiltJoint joint =
            couples ? scene.gear("tie", {{"shaft", "angle", 20, {}}, {"arm", "angle", -0.5, {}}})
                    : scene.joint(std::string(kind.name), "tie", first, second);
        if (!couples && how == 1) joint.at({0.5, 0.5, 0}).axis({0, 1, 0});
        if (!couples && how == 2) joint.point1({0.1, 0, 0}).axis2({1, 1, 0}).normal2({0, 0, 1});
        if (!couples && how == 3)
          joint.frame1({{0, 0.1, 0}, turned({0, 1, 1}, 0.3)}).point2({0.2, 0, 0}).axis2({0, 0, 1});
        if (kind.relates == Relates::Points)
          joint.third(scene.world, {1, 2, 3}).fourth(scene.world, {-1, 2, 0.5});
        for (const JointOption& option : example.options) joint.option(option.name, option.values);
        for (int c = 0; c < kind.coordinateCount; ++c)
          joint.limit(std::string(kind.coordinates[c].name), -100, kInfinity);
        const Result<Scene> made = scene.scene();
        ASSERT_TRUE(made) << all(made.problems()) << scene.text();
        const Result<Scene> again = parseScene(printScene(*made), "printed");
        ASSERT_TRUE(again) << all(again.problems());
        EXPECT_TRUE(sameScene(*made, *again)) << scene.text() << printScene(*again);
        const Result<Mechanism> a = compile(*made), b = compile(*again);
        ASSERT_TRUE(a) << all(a.problems()) << scene.text();
        ASSERT_TRUE(b);
        EXPECT_EQ(a->stamp, b->stamp);
        EXPECT_EQ(made->joints.back().rules.size(), static_cast<std::size_t>(kind.coordinateCount));
      }
}

TEST(Builder, EveryShapeWalksThroughPrintAndParse) {
  const Pose X{{0.1, 0.2, -0.3}, turned({1, 1, 0}, 0.4)};
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  SceneBuilder scene;
  scene.solid("box").box({1, 2, 3}, X, 500);
  scene.solid("sphere").sphere(0.5, X, 500);
  scene.solid("ellipsoid").ellipsoid({1, 2, 3}, X, 500);
  scene.solid("capsule").capsule(0.1, 0.4, X, 500);
  scene.solid("cylinder").cylinder(0.1, 0.4, X, 500);
  scene.solid("cone").cone(0.1, 0.4, X, 500);
  scene.solid("hull").hull(points, X, 500);
  scene.solid("mesh").mesh(points, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}, X, 500);
  const Scene made = built(scene);
  ASSERT_EQ(made.solids.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_EQ(static_cast<std::size_t>(made.solids[k].shapes.at(0).kind), k);
    EXPECT_EQ(made.solids[k].shapes[0].pose, X);
    EXPECT_EQ(made.solids[k].shapes[0].density, 500);
  }
  const Result<Scene> again = parseScene(printScene(made), "printed");
  ASSERT_TRUE(again);
  const Result<Mechanism> a = compile(made), b = compile(*again);
  ASSERT_TRUE(a) << all(a.problems());
  ASSERT_TRUE(b);
  EXPECT_EQ(a->stamp, b->stamp);
}

TEST(Builder, ShortNamesOfJointsAreTheirStatements) {
  SceneBuilder scene;
  const auto a = scene.solid("a").box({1, 1, 1}), b = scene.solid("b").box({1, 1, 1}).at({1, 0, 0});
  const Vec3 p{0.5, 0, 0}, x{1, 0, 0}, y{0, 1, 0};
  scene.pin("j1", a, b, p, y);
  scene.ball("j2", a, b, p);
  scene.prismatic("j3", a, b, p, x);
  scene.cylindrical("j4", a, b, p, x);
  scene.hooke("j5", a, b, p, x, y);
  scene.screw("j6", a, b, p, x, 0.02);
  scene.weld("j7", a, b);
  scene.distance("j8", a, {0, 0.5, 0}, b, {0, 0.5, 0}, 1);
  scene.rope("j9", scene.world, {0, 5, 0}, b, {0, 0.5, 0}, 6);
  scene.gear("j10", {{"j1", "angle", 1, {}}, {"j4", "angle", -2, {}}});
  EXPECT_TRUE(sameScene(built(scene), test::read(R"(
solid a box 1 1 1; end
solid b box 1 1 1; at 1 0 0; end
joint pin j1 object1 a; object2 b; at 0.5 0 0; axis 0 1 0; end
joint ball j2 object1 a; object2 b; at 0.5 0 0; end
joint prismatic j3 object1 a; object2 b; at 0.5 0 0; axis 1 0 0; end
joint cylindrical j4 object1 a; object2 b; at 0.5 0 0; axis 1 0 0; end
joint hooke j5 object1 a; object2 b; at 0.5 0 0; axis 1 0 0; normal 0 1 0; end
joint screw j6 object1 a; object2 b; at 0.5 0 0; axis 1 0 0; pitch 0.02; end
joint weld j7 object1 a; object2 b; end
joint distance j8 object1 a; object2 b; point1 0 0.5 0; point2 0 0.5 0; length 1; end
joint rope j9 object2 b; point1 0 5 0; point2 0 0.5 0; length 6; end
joint gear j10 couple j1 angle 1; couple j4 angle -2; end
)")));
}

TEST(Builder, LoadsAndWantsTakeAThingForItsName) {
  SceneBuilder scene;
  const auto door = scene.solid("door").box({1, 2, 0.1});
  const auto hinge = scene.pin("hinge", scene.world, door, {-0.5, 0, 0}, {0, 1, 0});
  scene.force("push", door, {0, 0, 5}).point({0.4, 0, 0});
  scene.muscle("calf", hinge, {1, 0, 0}).active({1, 2});
  scene.spring("coil", scene.world, {}, door, {0, 1, 0}, 100);
  scene.at(1, "deactivate", {"push", hinge});
  Settings settings;
  settings.set("method", "interactive").set("dt", 0.01);
  scene.settings(settings);
  EXPECT_TRUE(sameScene(built(scene), test::read(R"(
solid door box 1 2 0.1; end
joint pin hinge object2 door; at -0.5 0 0; axis 0 1 0; end
force push object door; point 0.4 0 0; vector 0 0 5; end
muscle calf joint hinge; vector 1 0 0; active 1 2; end
spring coil object2 door; point2 0 1 0; stiffness 100; end
at 1 deactivate push hinge;
settings method interactive; dt 0.01; end
)")));
}

// ------------------------------------------------------------------------------------------ values

TEST(Builder, ThingsOutliveTheirBuilderAndFollowIt) {
  auto first = std::make_unique<SceneBuilder>("one");
  BuiltSolid solid = first->solid("ball");
  SceneBuilder second = std::move(*first);
  first.reset();
  solid.sphere(0.1);  // it is the second's now
  EXPECT_EQ(built(second).solids.at(0).shapes.size(), 1u);
  BuiltSolid copy = solid;
  {
    const SceneBuilder gone = std::move(second);
    copy.density(500);
    EXPECT_EQ(built(gone).solids.at(0).density, 500);
  }
  copy.mass(1);  // of nothing, and harmless
  EXPECT_EQ(copy.name(), "ball");
}

TEST(Builder, ABuilderGoesOnAfterItsSceneWasTaken) {
  SceneBuilder scene;
  BuiltSolid a = scene.solid("a").sphere(1);
  EXPECT_EQ(built(scene).solids.size(), 1u);
  scene.solid("b").sphere(1);
  a.density(2);
  const Scene both = built(scene);
  EXPECT_EQ(both.solids.size(), 2u);
  EXPECT_EQ(both.solids[0].density, 2);
  EXPECT_EQ(both.files.at(0).text, scene.text());
}

TEST(Builder, ItsTextIsLaidOutCanonically) {
  SceneBuilder scene("A \"door\"\n");
  const auto door = scene.solid("door").box({0.9, 2, 0.04});
  scene.pin("hinge", scene.world, door, {0, 1, 0}, {0, 1, 0}).limit("angle", 0, 1);
  const Result<std::string> formatted = formatText(scene.text(), "text");
  ASSERT_TRUE(formatted) << all(formatted.problems());
  EXPECT_EQ(*formatted, scene.text());
  EXPECT_EQ(built(scene).title, "A \"door\"\n");
}

// ---------------------------------------------------------------------------------------- problems

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// What a builder is told; never a scene.
std::string refusalOf(const SceneBuilder& scene) {
  const Result<Scene> made = scene.scene();
  EXPECT_FALSE(made) << scene.text();
  EXPECT_TRUE(hasErrors(made.problems()));
  return all(made.problems());
}

void expectSaid(const std::string& said, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(said.find(word), std::string::npos) << "'" << word << "' is missing in\n" << said;
}

TEST(Builder, AllThatIsWrongIsSaidAtOnceAndOfWhat) {
  SceneBuilder scene;
  const auto door = scene.solid("door").box({1, 2, 0.1});
  scene.joint("hinge", "h", scene.world, door);
  scene.pin("a", scene.world, door, {}, {0, 1, 0}).limit("angel", 0, 1);
  scene.pin("b", scene.world, "dor", {}, {0, 1, 0});
  scene.pin("c", scene.world, door, {}, {}).damper("angle", -1);
  scene.solid("door").sphere(1);
  expectSaid(refusalOf(scene),
             {"unknown joint kind 'hinge'", "did you mean 'pin'?", "joint 'a': ", "'angel'",
              "did you mean 'angle'?", "joint 'b': ", "unknown solid 'dor'", "did you mean 'door'?",
              "joint 'c': ", "'door' is declared twice"});
}

TEST(Builder, NumbersThatAreNotFiniteAreRefusedWhereverTheyAre) {
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    const auto wrong = [&](const char* who, auto what) {
      SceneBuilder scene("numbers");
      BuiltSolid door = scene.solid("door").box({1, 2, 0.1});
      BuiltJoint hinge = scene.pin("hinge", scene.world, door, {}, {0, 1, 0});
      what(scene, door, hinge);
      expectSaid(refusalOf(scene), {who});
    };
    using S = SceneBuilder;
    using D = BuiltSolid;
    using J = BuiltJoint;
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.at({0, bad, 0}); });
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.sphere(bad); });
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.sphere(1, {{bad, 0, 0}, {}}); });
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.sphere(1, {{}, {0, 0, 0, bad}}); });
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.turn({0, 1, 0}, bad); });
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.mass(bad); });
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.inertia(1, 1, bad); });
    wrong("solid 'door': ", [&](S&, D& d, J&) { d.animated().key(bad, {}); });
    wrong("joint 'hinge': ", [&](S&, D&, J& h) { h.damper("angle", bad); });
    wrong("joint 'hinge': ", [&](S&, D&, J& h) { h.point1({bad, 0, 0}); });
    wrong("joint 'hinge': ", [&](S&, D&, J& h) { h.drive("angle", {.rate = bad}, 1); });
    wrong("joint 'hinge': ", [&](S&, D&, J& h) { h.prescribe("angle", {.phase = bad}); });
    wrong("joint 'hinge': ", [&](S&, D&, J& h) { h.option("length", {bad}); });
    wrong("force 'f': ", [&](S& s, D& d, J&) { s.force("f", d, {bad, 0, 0}); });
    wrong("dt ", [&](S& s, D&, J&) {
      Settings settings;
      settings.set("dt", bad);
      s.settings(settings);
    });
    wrong("gravity", [&](S& s, D&, J&) { s.gravity({0, bad, 0}); });
    wrong("at ", [&](S& s, D&, J&) { s.at(bad, "stop"); });
  }
  SceneBuilder scene;
  const auto door = scene.solid("door").box({1, 1, 1});
  scene.pin("hinge", scene.world, door, {}, {0, 1, 0}).limit("angle", kNan, 1);
  expectSaid(refusalOf(scene), {"joint 'hinge': "});
  SceneBuilder both;
  both.solid("door").box({1, 1, 1});
  both.pin("hinge", both.world, "door", {}, {0, 1, 0}).limit("angle", -kInfinity, kInfinity);
  expectSaid(refusalOf(both), {"joint 'hinge': ", "'min' or 'max'"});
}

// A name is a word of the language: anything else is refused, and cannot become a statement.
TEST(Builder, WhatIsNoNameIsRefusedWhereverItStands) {
  for (const char* bad : {"", "my door", "end", "a;b", "1st", "a.1", "-a", "d\nimmobile;", "\"",
                          "Tür", "a//b", "\\", "(a)", "a#"}) {
    SCOPED_TRACE(bad);
    const auto wrong = [&](auto what) {
      SceneBuilder scene;
      const auto door = scene.solid("door").box({1, 2, 0.1});
      what(scene, door);
      (void)refusalOf(scene);
    };
    wrong([&](SceneBuilder& s, const BuiltSolid&) { s.solid(bad).box({1, 1, 1}); });
    wrong([&](SceneBuilder& s, const BuiltSolid& d) { s.pin(bad, s.world, d, {}, {0, 1, 0}); });
    wrong([&](SceneBuilder& s, const BuiltSolid& d) { s.joint(bad, "j", s.world, d); });
    wrong([&](SceneBuilder& s, const BuiltSolid& d) {
      s.ball("j", s.world, d, {}).limit(bad, 0, 1);
    });
    wrong([&](SceneBuilder& s, const BuiltSolid& d) { s.ball("j", s.world, d, {}).option(bad); });
    wrong([&](SceneBuilder& s, BuiltSolid d) { (void)s, d.group(bad); });
    wrong([&](SceneBuilder& s, BuiltSolid d) { (void)s, d.material(bad); });
    wrong([&](SceneBuilder& s, const BuiltSolid& d) { s.goal(bad, d, {}, {1, 1, 1}); });
    wrong([&](SceneBuilder& s, const BuiltSolid&) { s.torque("t", bad, {1, 1, 1}); });
    wrong([&](SceneBuilder& s, const BuiltSolid&) { s.start(bad); });
    wrong([&](SceneBuilder& s, const BuiltSolid&) { s.expect(bad, {1}); });
    wrong([&](SceneBuilder& s, const BuiltSolid&) { s.at(1, bad); });
    wrong([&](SceneBuilder& s, const BuiltSolid&) { s.at(1, "activate", {bad}); });
    wrong([&](SceneBuilder& s, const BuiltSolid&) { s.parameter(bad, 1); });
    if (*bad != '\0')  // without a name it is the world
      wrong([&](SceneBuilder& s, const BuiltSolid&) { s.ball("j", s.world, bad, {}); });
  }
}

TEST(Builder, RulesAndShapesThatCannotBeAreRefusedAsInText) {
  const auto wrong = [](const char* who, auto what) {
    SceneBuilder scene;
    BuiltSolid door = scene.solid("door").box({1, 2, 0.1});
    BuiltJoint hinge = scene.pin("hinge", scene.world, door, {}, {0, 1, 0});
    what(door, hinge);
    expectSaid(refusalOf(scene), {who});
  };
  using D = BuiltSolid;
  using J = BuiltJoint;
  wrong("joint 'hinge': ", [](D&, J& h) { h.limit("angle", 1, -1); });
  wrong("joint 'hinge': ", [](D&, J& h) { h.friction("angle", 1, 0.3); });  // no radius
  wrong("joint 'hinge': ", [](D&, J& h) { h.drive("angle", {.keys = {{0, 0}}}, 1); });
  wrong("joint 'hinge': ", [](D&, J& h) { h.at({1, 0, 0}); });  // twice
  wrong("joint 'hinge': ", [](D& d, J& h) { h.third(d, {}); });
  wrong("joint 'hinge': ", [](D&, J& h) { h.couple({"x", "angle", 1, {}}); });
  wrong("joint 'hinge'", [](D&, J& h) { h.axis1({}); });
  wrong("joint 'hinge': ", [](D&, J& h) { h.mobility(2); });
  wrong("solid 'door': ", [](D& d, J&) { d.box({1, -1, 1}); });
  wrong("solid 'door': ", [](D& d, J&) { d.hull({{0, 0, 0}}); });
  wrong("solid 'door': ", [](D& d, J&) { d.hull({}); });
  wrong("solid 'door': ", [](D& d, J&) {
    d.mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
           {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 9}});
  });
  wrong("solid 'door': ", [](D& d, J&) { d.immobile().animated(); });
  wrong("solid 'door': ", [](D& d, J&) { d.colour({2, 0, 0}); });
  wrong("solid 'door': ", [](D& d, J&) { d.inertia(1, -1, 1); });
}

// What only compiling finds has its line in the builder's text.
TEST(Builder, WhatCompilingFindsHasItsLine) {
  SceneBuilder scene;
  scene.solid("ghost");
  const Scene made = built(scene);
  const Result<Mechanism> mechanism = compile(made);
  ASSERT_FALSE(mechanism);
  expectSaid(all(mechanism.problems()), {"solid 'ghost' has no mass", "(built):1:"});
}

}  // namespace
}  // namespace tenon
