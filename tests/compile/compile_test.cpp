#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/joint.h>

#include <cmath>
#include <functional>
#include <limits>

#include "scenes.h"

namespace tenon::test {
namespace {

bool mentions(const std::vector<Problem>& problems, const std::string& words) {
  for (const Problem& p : problems)
    if ((p.what + "; " + p.remedy).find(words) != std::string::npos) return true;
  return false;
}

TEST(Compile, MovesFramesToCentresOfMass) {
  Scene scene;
  Solid solid = box("a", {1, 2, 3}, {2, 1, 1});
  solid.pose.q = fromAxisAngle({0, 0, 1}, kPi / 2);
  solid.shapes[0].pose.p = {0.5, 0, 0};
  solid.velocity = {1, 0, 0};
  scene.solids.push_back(solid);
  scene.joints.push_back(jointAt(scene, "ball", "j", "", "a", {4, 5, 6}));
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_NEAR(m->solids[0].mass, 2000, 1e-9);
  EXPECT_EQ(m->solids[0].com, (Vec3{0.5, 0, 0}));
  EXPECT_LT(norm(m->solids[0].initial.p - Vec3{1, 2.5, 3}), 1e-15);
  const JointValues v = jointValues(*m, initialState(*m), 0);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(v.residual[i], 0, 1e-14);
}

TEST(Compile, MassIsGivenOrComputedOrManikins) {
  Scene scene;
  Solid given = box("given", {});
  given.mass = 3;
  given.com = Vec3{0.1, 0, 0};
  given.inertia = diagonal({1, 2, 2.5});
  Solid scaled = box("scaled", {});
  scaled.mass = 5;
  Solid dense = box("dense", {});
  dense.density = 500;
  Solid manikin = box("manikin", {});
  manikin.shapes[0].kind = ShapeKind::Sphere;
  manikin.shapes[0].size = {0.5, 0, 0};
  manikin.boxDensity = 750;
  Solid steel = box("steel", {});
  steel.material = "steel";
  scene.materials.push_back({"steel", 7850.0, {}, {}});
  scene.solids = {given, scaled, dense, manikin, steel};
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->solids[0].mass, 3);
  EXPECT_EQ(m->solids[0].inertia(1, 1), 2);
  EXPECT_EQ(m->solids[0].com.x, 0.1);
  EXPECT_NEAR(m->solids[1].mass, 5, 1e-14);
  EXPECT_NEAR(m->solids[1].inertia(0, 0), 5 * 0.02 / 12, 1e-15);
  EXPECT_NEAR(m->solids[2].mass, 5, 1e-13);
  // A sphere of radius 0.5 has a bounding box of 1 m³.               [ForseyWilhelms1988 §4.1]
  EXPECT_NEAR(m->solids[3].mass, 750, 1e-10);
  EXPECT_NEAR(m->solids[3].inertia(0, 0), 750.0 / 6, 1e-10);
  EXPECT_NEAR(m->solids[4].mass, 78.5, 1e-12);
  for (const MechanismSolid& s : m->solids) {
    EXPECT_NEAR(s.inverseMass * s.mass, 1, 1e-15);
    const Mat3 one = s.inverseInertia * s.inertia;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(one(r, c), r == c, 1e-12);
  }
}

TEST(Compile, ListsEveryProblem) {
  Scene scene = chain(3, "pin");
  scene.solids[0].shapes.clear();         // no mass
  scene.solids[1].shapes[0].size.x = -1;  // not a box
  scene.joints[0].kind = "pim";           // no such kind
  scene.joints[1].solid1 = "link7";       // no such solid
  scene.joints[2].solid2 = "link1";       // tied to itself
  scene.joints[2].rules.push_back({});    // no such coordinate
  scene.joints[2].rules[0].coordinate = "slide";
  Drag drag;
  drag.name = "air";
  drag.linear = -1;
  scene.drags.push_back(drag);
  scene.solids[2].velocity.x = std::numeric_limits<double>::quiet_NaN();
  const auto m = compile(scene);
  ASSERT_FALSE(m.ok());
  EXPECT_TRUE(mentions(m.problems(), "'link0' has no mass"));
  EXPECT_TRUE(mentions(m.problems(), "link1"));
  EXPECT_TRUE(mentions(m.problems(), "did you mean 'pin'?"));
  EXPECT_TRUE(mentions(m.problems(), "there is no solid 'link7'"));
  EXPECT_TRUE(mentions(m.problems(), "to itself"));
  EXPECT_TRUE(mentions(m.problems(), "no coordinate 'slide'"));
  EXPECT_TRUE(mentions(m.problems(), "'air'"));
  EXPECT_TRUE(mentions(m.problems(), "'link2'"));
}

// A flood of mistakes is answered at once, and in a list that can be read.
TEST(Compile, CountsAFloodOfProblems) {
  Scene scene = chain(3000, "ball");
  for (Joint& joint : scene.joints) joint.solid1 = "nobody-" + joint.name;
  const auto m = compile(scene);
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.problems().size(), 101u);
  EXPECT_TRUE(mentions(m.problems(), "2900 more errors are not listed"));
}

// Finite numbers that what is computed of them would overflow with: said where they stand, before anything is.
TEST(Compile, RefusesNumbersThatAreTooLargeToComputeWith) {
  const std::string large = "is too large to compute with; keep numbers between -1e30 and 1e30";
  struct Case {
    std::function<void(Scene&)> spoil;
    std::string words;
  };
  const Case cases[] = {
      {[](Scene& s) { s.solids[1].pose.p.x = 1e308; }, "a number of solid 'link1' " + large},
      {[](Scene& s) { s.solids[1].velocity.y = -1e31; }, "a number of solid 'link1' " + large},
      {[](Scene& s) { s.solids[1].mass = 1e200; }, "a number of solid 'link1' " + large},
      {[](Scene& s) {
         s.solids[1].shapes[0].size = {1e100, 1e100, 1e100};
       },
       "a number of a shape of 'link1' " + large},
      {[](Scene& s) {
         s.solids[1].shapes[0].size = {1e12, 1e12, 1e12};
       },
       "the mass of 'link1' is too small or too large to compute with; keep masses between 1e-40 "
       "and "
       "1e30 kg"},
      {[](Scene& s) { s.solids[1].mass = 1e-300; },
       "the mass of 'link1' is too small or too large"},
      {[](Scene& s) {
         s.solids[1].mass = 1;
         s.solids[1].inertia = diagonal({1e-100, 1e-100, 1e-100});
       },
       "a moment below 1e-80 kg m² is too small to compute with"},
      {[](Scene& s) { s.joints[1].frame1.p.z = 1e40; }, "a number of joint 'joint1' " + large},
      {[](Scene& s) {
         s.joints[1].rules.push_back({});
         s.joints[1].rules[0].coordinate = "angle";
         s.joints[1].rules[0].stiffness = 1e100;
       },
       "a number of 'angle' of joint 'joint1' " + large},
      {[](Scene& s) {
         s.joints[1].rules.push_back({});
         s.joints[1].rules[0].coordinate = "angle";
         s.joints[1].rules[0].kind = CoordinateRule::Kind::Prescribe;
         s.joints[1].rules[0].target.keys = {{0, 0}, {1e-300, 1e20}};
       },
       "two keys of this motion are too close in time to compute with"},
      {[](Scene& s) { s.gravity.y = -1e300; }, "a number of the scene " + large},
      {[](Scene& s) {
         s.springs.push_back({});
         s.springs[0].name = "s";
         s.springs[0].solid1 = "link1";
         s.springs[0].stiffness = 1e308;
       },
       "a number of spring 's' " + large}};
  for (const Case& c : cases) {
    Scene scene = chain(3, "pin");
    c.spoil(scene);
    const auto m = compile(scene);
    ASSERT_FALSE(m.ok()) << c.words;
    EXPECT_TRUE(mentions(m.problems(), c.words)) << describe(m.problems().front());
  }
  Scene open = chain(3, "pin");  // an end that is open is no number
  open.joints[1].rules.push_back({});
  open.joints[1].rules[0].coordinate = "angle";
  open.joints[1].rules[0].upper = 1e30;
  EXPECT_TRUE(compile(open).ok());
}

// What holds the same two solids is solved for in one dense block.
TEST(Compile, RefusesACrowdOfConstraintsBetweenTwoSolids) {
  const auto withLimits = [](std::size_t joint, std::size_t limits) {
    Scene scene = chain(3, "pin");
    CoordinateRule rule;
    rule.coordinate = "angle";
    rule.lower = rule.upper = 0.1;
    scene.joints[joint].rules.assign(limits, rule);
    return scene;
  };
  EXPECT_TRUE(compile(withLimits(0, 995)).ok());
  for (const std::size_t joint : {0u, 2u}) {
    const auto m = compile(withLimits(joint, 996));
    ASSERT_FALSE(m.ok());
    EXPECT_EQ(m.problems().size(), 1u);
    EXPECT_TRUE(mentions(m.problems(), "with joint 'joint" + std::to_string(joint) +
                                           "' there are more than 1000 constraints"));
  }
  // Many joints between two solids, or between one and solids that do not move, are the same thing.
  Scene many = chain(3, "pin");
  for (int i = 0; i < 250; ++i) {
    const std::string n = std::to_string(i);
    Solid base = box("base" + n, {0, 0, 0});
    base.kind = SolidKind::Immobile;
    many.solids.push_back(base);
    many.joints.push_back(
        jointAt(many, "hooke", "many" + n, i % 2 == 0 ? "" : "base" + n, "link1", {}));
  }
  EXPECT_TRUE(compile(many).ok());
  many.joints.push_back(jointAt(many, "ball", "last", "base3", "link1", {}));
  EXPECT_TRUE(mentions(compile(many).problems(), "with joint 'last' there are more than 1000"));
}

// A drag without a solid is work for all of them.
TEST(Compile, RefusesACrowdOfDragsOnEverySolid) {
  Scene scene = chain(1001, "ball");
  Drag drag;
  drag.linear = 1;
  for (int i = 0; i < 999; ++i) {
    drag.name = "air" + std::to_string(i);
    scene.drags.push_back(drag);
  }
  EXPECT_TRUE(compile(scene).ok());
  drag.name = "last";
  scene.drags.push_back(drag);
  EXPECT_TRUE(mentions(compile(scene).problems(),
                       "drag 'last' acts on every solid of the scene, and too many"));
  scene.drags.back().solid = "link0";
  EXPECT_TRUE(compile(scene).ok());
}

TEST(Compile, RefusesInertiasThatNoBodyHas) {
  Scene scene;
  Solid solid = box("a", {});
  solid.mass = 1;
  solid.inertia = diagonal({1, 1, 3});  // more than the sum of the others
  scene.solids.push_back(solid);
  EXPECT_TRUE(mentions(compile(scene).problems(), "inertia"));
  scene.solids[0].inertia = diagonal({1, 1, -1});
  EXPECT_FALSE(compile(scene).ok());
  scene.solids[0].inertia = diagonal({1, 1, 1});
  EXPECT_TRUE(compile(scene).ok());
}

TEST(Compile, PointMassesHaveNoRotationToLock) {
  Scene scene;
  Solid bead;
  bead.name = "bead";
  bead.pointMass = true;
  bead.mass = 2;
  bead.pose.p = {1, 0, 0};
  scene.solids.push_back(bead);
  scene.joints.push_back(jointAt(scene, "pin", "j", "", "bead", {1, 0, 0}));
  EXPECT_TRUE(mentions(compile(scene).problems(), "point mass"));
  scene.joints[0].kind = "ball";
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->solids[0].inverseInertia, Mat3{});
}

TEST(Compile, FindsLoopsIslandsAndDistalMasses) {
  Scene scene = chain(4, "ball");  // link0 … link3, each 10 kg, from the world
  Scene other = chain(2, "ball");
  for (Solid& s : other.solids) {
    s.name = "b" + s.name;
    scene.solids.push_back(s);
  }
  for (Joint j : other.joints) {
    j.name = "b" + j.name;
    if (!j.solid1.empty()) j.solid1 = "b" + j.solid1;
    j.solid2 = "b" + j.solid2;
    scene.joints.push_back(j);
  }
  scene.joints.push_back(jointAt(scene, "ball", "closing", "link3", "", {4, 0, 0}));
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->loops, 1u);
  ASSERT_EQ(m->loopClosers.size(), 1u);
  EXPECT_EQ(m->jointNames[m->loopClosers[0]], "closing");
  ASSERT_EQ(m->islands.size(), 2u);
  EXPECT_EQ(m->islands[0].solids.count, 4u);
  EXPECT_EQ(m->islands[0].joints.count, 5u);
  EXPECT_EQ(m->islands[1].solids.count, 2u);
  EXPECT_NEAR(m->joints[4].distalMass, 20, 1e-9);  // both links of the second chain
  EXPECT_NEAR(m->joints[5].distalMass, 10, 1e-9);
}

TEST(Compile, CountsTurnsFromTheMiddleOfLimits) {
  Scene scene = chain(1, "pin");
  scene.solids[0].pose = {{}, fromAxisAngle({0, 0, 1}, 185 * kPi / 180)};
  scene.joints[0].frame2 = Pose{{}, scene.joints[0].frame1.q};
  CoordinateRule limit;
  limit.coordinate = "angle";
  limit.lower = 170 * kPi / 180;
  limit.upper = 190 * kPi / 180;
  scene.joints[0].rules.push_back(limit);
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_NEAR(jointValues(*m, initialState(*m), 0).coordinate[0], 185 * kPi / 180, 1e-12);
}

TEST(Compile, CountsTurnsFromWhereACoordinateIsWanted) {
  Scene scene = chain(1, "pin");
  scene.solids[0].pose = {{}, fromAxisAngle({0, 0, 1}, 185 * kPi / 180)};
  scene.joints[0].frame2 = Pose{{}, scene.joints[0].frame1.q};
  for (const auto kind : {CoordinateRule::Kind::Prescribe, CoordinateRule::Kind::Drive,
                          CoordinateRule::Kind::Spring}) {
    CoordinateRule rule;
    rule.kind = kind;
    rule.coordinate = "angle";
    rule.target.offset = 185 * kPi / 180;
    scene.joints[0].rules = {rule};
    const auto m = compile(scene);
    ASSERT_TRUE(m.ok());
    EXPECT_NEAR(jointValues(*m, initialState(*m), 0).coordinate[0], 185 * kPi / 180, 1e-12);
  }
}

TEST(Compile, RefusesWhatAJointCannotBe) {
  Scene scene = chain(2, "ball");
  scene.joints[1].kind = "distance";
  scene.joints[1].options = {{"length", {-1}, {}}};
  EXPECT_TRUE(mentions(compile(scene).problems(), "'length' of joint 'joint1' is out of range"));
  scene.joints[1].options = {{"length", {1, 2}, {}}};
  EXPECT_TRUE(mentions(compile(scene).problems(), "takes 1 numbers"));
  scene.joints[1].options = {};
  EXPECT_TRUE(mentions(compile(scene).problems(), "needs a value for 'length'"));
  scene.joints[1].options = {{"length", {1}, {}}, {"lenght", {1}, {}}};
  EXPECT_TRUE(mentions(compile(scene).problems(), "did you mean 'length'?"));
  scene = chain(1, "ball");
  scene.joints[0].damp = -1;
  EXPECT_TRUE(mentions(compile(scene).problems(), "damping factor"));
  scene = chain(1, "ball");
  scene.solids[0].pointMass = true;
  CoordinateRule rule;
  rule.coordinate = "rx";
  scene.joints[0].rules = {rule};
  EXPECT_TRUE(mentions(compile(scene).problems(), "a point mass does not turn"));
  scene.solids[0].com = Vec3{1, 0, 0};
  EXPECT_TRUE(mentions(compile(scene).problems(), "so it cannot have `com` or `inertia`"));
}

// A point mass keeps the axes it was placed with: frames are given in them.
TEST(Compile, PointMassesKeepTheirAxes) {
  Scene scene;
  Solid bead;
  bead.name = "bead";
  bead.pointMass = true;
  bead.mass = 2;
  bead.pose = {{1, 0, 0}, fromAxisAngle({0, 0, 1}, 1)};
  scene.solids.push_back(bead);
  scene.joints.push_back(jointAt(scene, "point-on-plane", "j", "bead", "", {1, 0.5, 0}, {0, 1, 0}));
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_NEAR(jointValues(*m, initialState(*m), 0).residual[0], 0, 1e-15);
}

TEST(Compile, AnimatedSolidsFollowTheirPath) {
  Scene scene;
  Solid mover = box("mover", {});
  mover.kind = SolidKind::Animated;
  mover.path = {{0, {{0, 0, 0}, {}}},
                {1, {{1, 0, 0}, fromAxisAngle({0, 1, 0}, 1)}},
                {3, {{2, 5, 0}, fromAxisAngle({0, 1, 0}, 2)}}};
  Solid drifter = box("drifter", {1, 1, 1});
  drifter.kind = SolidKind::Animated;
  drifter.velocity = {0, 2, 0};
  drifter.spin = {0, 0, 0.5};
  scene.solids = {mover, drifter};
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  State state = initialState(*m);
  for (const PathKey& key : mover.path) {
    state.time = key.time;
    followPaths(*m, state);
    EXPECT_LT(norm(state.position[0] - key.pose.p), 1e-14);
    EXPECT_LT(norm(logarithm(conjugate(state.orientation[0]) * key.pose.q)), 1e-14);
    EXPECT_LT(norm(state.position[1] - Vec3{1, 1 + 2 * key.time, 1}), 1e-14);
  }
  const double h = 1e-5, t = 1.7;
  const PathValue v = evaluate(*m, m->paths[0], t);
  const PathValue a = evaluate(*m, m->paths[0], t + h), b = evaluate(*m, m->paths[0], t - h);
  EXPECT_LT(norm((1 / (2 * h)) * (a.pose.p - b.pose.p) - v.velocity), 1e-8);
  EXPECT_LT(norm((1 / (2 * h)) * (a.velocity - b.velocity) - v.acceleration), 1e-8);
  EXPECT_LT(norm((1 / (2 * h)) * logarithm(a.pose.q * conjugate(b.pose.q)) - v.spin), 1e-8);
  EXPECT_LT(norm((1 / (2 * h)) * (a.spin - b.spin) - v.angularAcceleration), 1e-8);
}

TEST(Compile, WarnsByNameOfWhatIsNotSimulatedYet) {
  Scene scene = chain(1, "ball");
  Floor floor;
  floor.name = "ground";
  scene.floors.push_back(floor);
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_TRUE(mentions(m.problems(), "floor 'ground'"));
}

// ------------------------------------------------------------------------- couplings and relations

// Two wheels on the ground, with 20 and 40 teeth.
Scene gearedWheels() {
  Scene scene;
  scene.solids = {box("small", {0, 0, 0}), box("large", {3, 0, 0})};
  scene.joints = {jointAt(scene, "pin", "shaft1", "", "small", {0, 0, 0}),
                  jointAt(scene, "pin", "shaft2", "", "large", {3, 0, 0})};
  Joint gear;
  gear.name = "mesh";
  gear.kind = "gear";
  gear.couples = {{"shaft1", "", 20, {}}, {"shaft2", "angle", 40, {}}};
  scene.joints.push_back(gear);
  return scene;
}

void turn(State& state, std::size_t solid, double angle) {
  state.orientation[solid] = fromAxisAngle({0, 0, 1}, angle) * state.orientation[solid];
}

TEST(Gear, KeepsTheRatioOfItsTeethOverManyTurns) {
  const Scene scene = gearedWheels();
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  State state = initialState(*m);
  for (int step = 0; step < 60; ++step) {
    EXPECT_NEAR(jointValues(*m, state, 2).residual[0], 0, 1e-12);
    turn(state, 0, 0.4);
    turn(state, 1, -0.2);
    rememberTurns(*m, state);
  }
  turn(state, 1, 0.1);
  EXPECT_NEAR(jointValues(*m, state, 2).residual[0], 0.1, 1e-12);  // by the larger factor
  EXPECT_EQ(m->loops, 1u);
  ASSERT_EQ(m->islands.size(), 1u);  // one moves the other
  EXPECT_EQ(m->islands[0].joints.count, 3u);
}

TEST(Gear, HoldsAsWrittenUnlessAnOffsetIsGiven) {
  Scene scene = gearedWheels();
  scene.solids[0].pose.q = fromAxisAngle({0, 0, 1}, 0.3);  // the pins were made before
  const auto written = compile(scene);
  ASSERT_TRUE(written.ok());
  EXPECT_NEAR(jointValues(*written, initialState(*written), 2).residual[0], 0, 1e-15);
  scene.joints[2].options = {{"offset", {0}, {}}};
  const auto zero = compile(scene);
  ASSERT_TRUE(zero.ok());
  EXPECT_NEAR(jointValues(*zero, initialState(*zero), 2).residual[0], 0.15, 1e-14);
}

// Sun on the ground, planet on an arm: seen from the arm they turn by their teeth.
TEST(Gear, CountsFromACarrier) {
  Scene scene;
  scene.solids = {box("sun", {0, 0, 0}), box("arm", {0.5, 0, 0}), box("planet", {1, 0, 0})};
  scene.joints = {jointAt(scene, "pin", "sun-shaft", "", "sun", {0, 0, 0}),
                  jointAt(scene, "pin", "arm-shaft", "", "arm", {0, 0, 0}),
                  jointAt(scene, "pin", "planet-shaft", "arm", "planet", {1, 0, 0})};
  Joint gear;
  gear.name = "mesh";
  gear.kind = "gear";
  gear.couples = {{"sun-shaft", "", 30, {}}, {"planet-shaft", "", 10, {}}};
  gear.carrier = CoupledCoordinate{"arm-shaft", "", 1, {}};
  scene.joints.push_back(gear);
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m->joints[3].terms.count, 3u);
  // The sun held, the arm turned by a: the planet turns by 3 a against the arm, 4 a in all.
  const double a = 0.2;
  State state = initialState(*m);
  turn(state, 1, a);
  turn(state, 2, 4 * a);
  EXPECT_NEAR(jointValues(*m, state, 3).residual[0], 0, 1e-14);

  scene.solids.push_back(box("stray", {5, 0, 0}));
  scene.solids.push_back(box("other", {6, 0, 0}));
  scene.joints.push_back(jointAt(scene, "pin", "elsewhere", "stray", "other", {6, 0, 0}));
  scene.joints[3].couples[1].joint = "elsewhere";
  EXPECT_TRUE(mentions(compile(scene).problems(), "does not sit on the arm of the carrier"));
}

// A pin to be made: its place and axis stand in its frames.
Joint pin(const char* name, const char* solid1, const char* solid2, const Vec3& at,
          const Vec3& axis = {0, 0, 1}) {
  Joint joint;
  joint.kind = "pin";
  joint.name = name;
  joint.solid1 = solid1;
  joint.solid2 = solid2;
  joint.frame1.p = at;
  joint.frame2.p = axis;
  return joint;
}

// A sun and an arm on a base, a planet on the arm; joints by kind, solids and axis, as written.
struct Planetary {
  Scene scene;
  Planetary(const char* base, const Joint& sun, const Joint& arm, const Joint& planet) {
    scene.solids = {box("sun", {0, 0, 0}), box("arm", {0.5, 0, 0}), box("planet", {1, 0, 0})};
    if (*base != 0) scene.solids.push_back(box(base, {0, 0, 0}));
    for (const Joint* joint : {&sun, &arm, &planet}) {
      Joint made = jointAt(scene, joint->kind, joint->name, joint->solid1, joint->solid2,
                           joint->frame1.p, joint->frame2.p);
      scene.joints.push_back(made);
    }
    Joint gear;
    gear.name = "mesh";
    gear.kind = "gear";
    gear.couples = {{"s", "", 30, {}}, {"p", "", 10, {}}};
    gear.carrier = CoupledCoordinate{"a", "", 1, {}};
    scene.joints.push_back(gear);
  }
};

// Whatever the order of the solids and the sense of the axes: arm, sun and planet turn as one, and
// with the sun held the planet turns four times as far as the arm.
TEST(Gear, CountsFromACarrierWhateverTheOrderOfItsSolids) {
  const Vec3 o{0, 0, 0}, p{1, 0, 0}, up{0, 0, 1}, down{0, 0, -1};
  for (const std::string base : {"", "ground", "car"}) {
    const char* b = base.c_str();
    for (const bool sunFirst : {false, true})
      for (const bool armFirst : {false, true})
        for (const Vec3& sunAxis : {up, down})
          for (const Vec3& armAxis : {up, down}) {
            Planetary made(
                b, sunFirst ? pin("s", "sun", b, o, sunAxis) : pin("s", b, "sun", o, sunAxis),
                armFirst ? pin("a", "arm", b, o, armAxis) : pin("a", b, "arm", o, armAxis),
                pin("p", "arm", "planet", p, up));
            // The author's factor goes with the sense of the sun's own angle.
            if (sunFirst != (sunAxis.z < 0)) made.scene.joints[3].couples[0].factor = -30;
            if (base == "ground") made.scene.solids[3].kind = SolidKind::Immobile;
            const auto m = compile(made.scene);
            ASSERT_TRUE(m.ok()) << describe(m.problems().front());
            const double a = 0.2;
            State state = initialState(*m);
            for (const std::size_t solid : {0u, 1u, 2u}) turn(state, solid, a);
            EXPECT_NEAR(jointValues(*m, state, 3).residual[0], 0, 1e-14) << base;
            state = initialState(*m);
            turn(state, 1, a);
            turn(state, 2, 4 * a);
            EXPECT_NEAR(jointValues(*m, state, 3).residual[0], 0, 1e-14) << base;
          }
  }
}

TEST(Gear, RefusesACarrierThatWheelsCannotBeCountedFrom) {
  const Vec3 o{0, 0, 0}, p{1, 0, 0};
  const Planetary crossed("", pin("s", "", "sun", o, {0, 1, 0}), pin("a", "", "arm", o, {0, 0, 1}),
                          pin("p", "arm", "planet", p, {0, 0, 1}));
  EXPECT_TRUE(mentions(compile(crossed.scene).problems(), "axes are not parallel"));
  Planetary slides("", pin("s", "", "sun", o), pin("a", "", "arm", o),
                   pin("p", "arm", "planet", p));
  slides.scene.joints[0].kind = "prismatic";
  EXPECT_TRUE(mentions(compile(slides.scene).problems(), "one of them turns and the other slides"));
  // Nothing tells the arm from the base: both move, and all is on one axis.
  const Planetary same("car", pin("s", "car", "sun", o), pin("a", "car", "arm", o),
                       pin("p", "arm", "planet", o));
  EXPECT_TRUE(mentions(compile(same.scene).problems(), "Tenon cannot tell which solid"));
}

TEST(Gear, MergesEqualTermsAndRefusesNothing) {
  Scene scene = gearedWheels();
  scene.joints[2].couples = {
      {"shaft1", "", 1, {}}, {"shaft2", "", 2, {}}, {"shaft1", "angle", 3, {}}};
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  ASSERT_EQ(m->joints[2].terms.count, 2u);
  EXPECT_EQ(m->terms[0].factor, 1);  // 4, and divided by it
  EXPECT_EQ(m->terms[1].factor, 0.5);
  scene.joints[2].couples = {{"shaft1", "", 2, {}}, {"shaft1", "angle", -2, {}}};
  EXPECT_TRUE(mentions(compile(scene).problems(), "the coordinates that it couples cancel"));
}

// A gear between two trees that nothing else connects closes no loop.
TEST(Gear, IsALoopOnlyWithinWhatIsConnected) {
  Scene scene;
  for (const char* name : {"a", "b", "c", "d"})
    scene.solids.push_back(box(name, {double(name[0] - 'a'), 0, 0}));
  scene.joints = {jointAt(scene, "pin", "ab", "a", "b", {0.5, 0, 0}),
                  jointAt(scene, "pin", "cd", "c", "d", {2.5, 0, 0})};
  Joint gear;
  gear.kind = "gear";
  gear.couples = {{"ab", "", 1, {}}, {"cd", "", 1, {}}};
  gear.name = "first";
  scene.joints.push_back(gear);
  const auto one = compile(scene);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->loops, 0u);
  EXPECT_EQ(one->islands.size(), 1u);
  gear.name = "second";
  gear.couples[1].factor = 2;
  scene.joints.push_back(gear);
  const auto two = compile(scene);
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two->loops, 1u);
  ASSERT_EQ(two->loopClosers.size(), 1u);
  EXPECT_EQ(two->jointNames[two->loopClosers[0]], "second");
}

TEST(PointMass, HasNoAnglesToRollOrToCouple) {
  Scene scene = gearedWheels();
  scene.joints[0] = jointAt(scene, "ball", "shaft1", "", "small", {0, 0, 0});
  scene.joints[2].couples[0].coordinate = "rx";
  EXPECT_TRUE(compile(scene).ok());
  scene.solids[0].pointMass = true;
  EXPECT_TRUE(mentions(compile(scene).problems(), "'small' is a point mass, which does not turn"));
  scene.solids.resize(1);
  Joint rolling = jointAt(scene, "rolling", "tread", "", "small", {0, 0, 0});
  rolling.options = {{"radius", {0}, {}}, {"crown", {0.1}, {}}};
  scene.joints = {rolling};
  EXPECT_TRUE(mentions(compile(scene).problems(), "needs solids that turn"));
}

TEST(Friction, NeedsALoadForItsCoefficient) {
  Scene scene;
  scene.solids = {box("a", {0, 0, 0})};
  CoordinateRule friction;
  friction.kind = CoordinateRule::Kind::Friction;
  friction.maxForce = 1;
  friction.coefficient = 0.2;
  friction.radius = 0.01;
  friction.coordinate = "angle";
  Joint joint = jointAt(scene, "angle", "lean", "", "a", {0, 0, 0});
  joint.rules = {friction};
  scene.joints = {joint};
  EXPECT_TRUE(mentions(compile(scene).problems(), "carries no load"));
  scene.joints[0].rules[0].coefficient = 0;
  EXPECT_TRUE(compile(scene).ok());
  scene.joints[0].kind = "pin";
  scene.joints[0].rules[0].coefficient = 0.2;
  EXPECT_TRUE(compile(scene).ok());
}

TEST(Rolling, WarnsOfAnAxleAlongTheNormal) {
  Scene scene;
  scene.solids = {box("a", {0, 0, 0})};
  Joint flat = jointAt(scene, "rolling", "tread", "", "a", {0, 0, 0});
  flat.options = {{"radius", {0.1}, {}}};
  scene.joints = {flat};
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_TRUE(mentions(m.problems(), "with its axle along the plane's normal"));
  scene.joints[0].frame2.q = fromAxisAngle({0, 1, 0}, kPi / 2) * scene.joints[0].frame2.q;
  EXPECT_FALSE(mentions(compile(scene).problems(), "with its axle along"));
  scene.joints = {flat};
  scene.joints[0].options = {{"radius", {0}, {}}, {"crown", {0.1}, {}}};  // a ball has no axle
  EXPECT_FALSE(mentions(compile(scene).problems(), "with its axle along"));
}

TEST(Gear, SaysWhatIsWrong) {
  Scene scene = gearedWheels();
  scene.joints[2].couples.pop_back();
  EXPECT_TRUE(mentions(compile(scene).problems(), "two to four"));
  scene = gearedWheels();
  scene.joints[2].couples[1].joint = "shaft3";
  EXPECT_TRUE(mentions(compile(scene).problems(), "did you mean"));
  scene = gearedWheels();
  scene.joints[2].couples[1].coordinate = "slide";
  EXPECT_TRUE(mentions(compile(scene).problems(), "no coordinate 'slide'"));
  scene = gearedWheels();
  scene.joints[2].couples[0].joint = "mesh";
  EXPECT_TRUE(mentions(compile(scene).problems(), "no coordinate to couple"));
  scene = gearedWheels();
  scene.joints[2].couples[0].factor = 0;
  EXPECT_TRUE(mentions(compile(scene).problems(), "not zero"));
  scene = gearedWheels();
  scene.joints[0].couples = scene.joints[2].couples;
  EXPECT_TRUE(mentions(compile(scene).problems(), "couples no other joints"));
}

TEST(Fold, NeedsFourSolids) {
  Scene scene;
  for (const char* name : {"a", "b", "c", "d"}) {
    Solid solid;
    solid.name = name;
    solid.pointMass = true;
    solid.mass = 1;
    solid.pose.p = {double(name[0] == 'b'), double(name[0] == 'c') - double(name[0] == 'd'), 0};
    scene.solids.push_back(solid);
  }
  Joint fold;
  fold.name = "crease";
  fold.kind = "fold";
  fold.solid1 = "a";
  fold.solid2 = "b";
  scene.joints = {fold};
  EXPECT_TRUE(mentions(compile(scene).problems(), "four solids"));
  scene.joints[0].more = {{"c", {}, {}}, {"d", {}, {}}};
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  EXPECT_NEAR(jointValues(*m, initialState(*m), 0).coordinate[0], 0, 1e-15);
  EXPECT_EQ(m->islands.size(), 1u);
  EXPECT_EQ(m->loops, 0u);
  scene.joints[0].more[1].solid = "e";
  EXPECT_TRUE(mentions(compile(scene).problems(), "there is no solid 'e'"));
  scene.joints[0].more[1] = scene.joints[0].more[0];
  EXPECT_TRUE(mentions(compile(scene).problems(), "points 3 and 4 of joint 'crease' are the same"));
  scene.joints[0].more[1].point = {0, 0, 1};
  EXPECT_TRUE(compile(scene).ok());
}

TEST(Options, BecomeLimits) {
  Scene scene;
  scene.solids = {box("a", {0, 0, 0})};
  Joint rope = jointAt(scene, "rope", "string", "", "a", {0, 0, 0});
  rope.options = {{"length", {2}, {}}};
  scene.joints = {rope};
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  ASSERT_EQ(m->rules.size(), 1u);
  EXPECT_EQ(m->rules[0].upper, 2);
  EXPECT_EQ(m->joints[0].rules.count, 1u);
  scene.joints[0].options[0].values = {-1};
  EXPECT_TRUE(mentions(compile(scene).problems(), "out of range"));
  scene.joints[0].options.clear();
  EXPECT_TRUE(mentions(compile(scene).problems(), "needs a value for 'length'"));
  Joint segment = jointAt(scene, "segment", "rail", "", "a", {0, 0, 0});
  segment.options = {{"min", {2}, {}}, {"max", {1}, {}}};
  scene.joints = {segment};
  EXPECT_TRUE(mentions(compile(scene).problems(), "exchange"));
  Joint screw = jointAt(scene, "screw", "thread", "", "a", {0, 0, 0});
  screw.options = {{"pitch", {0}, {}}};
  scene.joints = {screw};
  EXPECT_TRUE(mentions(compile(scene).problems(), "needs a pitch"));
}

// A problem of an option is told where the option stands.
TEST(Options, HaveTheirOwnPlaces) {
  Scene scene;
  scene.files = {{"test", "joint segment rail\n  min 2;\n  max 1;\nend\n"}};
  scene.solids = {box("a", {0, 0, 0})};
  Joint segment = jointAt(scene, "segment", "rail", "", "a", {0, 0, 0});
  segment.options = {{"min", {2}, {}}, {"max", {1}, {}}};
  segment.place.file = segment.options[0].place.file = segment.options[1].place.file = 0;
  segment.options[0].place.offset = 21;
  segment.options[1].place.offset = 30;
  scene.joints = {segment};
  const auto m = compile(scene);
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.problems().front().line, 3);
}

// A preferred range says which turn is meant, unless there are limits.
TEST(Turns, AreCountedFromThePreferredRange) {
  Scene scene;
  scene.solids = {box("a", {0, 0, 0})};
  scene.joints = {jointAt(scene, "pin", "hinge", "", "a", {0, 0, 0})};
  const double angle = 185 * kPi / 180;
  scene.solids[0].pose.q = fromAxisAngle({0, 0, 1}, angle);
  CoordinateRule prefer;
  prefer.kind = CoordinateRule::Kind::Prefer;
  prefer.coordinate = "angle";
  prefer.lower = angle - 0.2;
  prefer.upper = angle + 0.1;
  CoordinateRule drive;
  drive.kind = CoordinateRule::Kind::Drive;
  drive.coordinate = "angle";
  drive.target.offset = angle - 2 * kPi;
  CoordinateRule limit;
  limit.coordinate = "angle";
  limit.lower = angle - 0.1 + 2 * kPi;
  limit.upper = angle + 0.1 + 2 * kPi;
  const auto angleWith = [&](std::vector<CoordinateRule> rules) {
    scene.joints[0].rules = std::move(rules);
    const auto m = compile(scene);
    EXPECT_TRUE(m.ok());
    return m.ok() ? jointValues(*m, initialState(*m), 0).coordinate[0] : 0;
  };
  EXPECT_NEAR(angleWith({prefer}), angle, 1e-12);
  EXPECT_NEAR(angleWith({drive, prefer}), angle, 1e-12);
  EXPECT_NEAR(angleWith({prefer, limit}), angle + 2 * kPi, 1e-12);
  EXPECT_NEAR(angleWith({drive}), angle - 2 * kPi, 1e-12);
}

// The turns of a screw are read off its slide.
TEST(Screw, StartsAtTheTurnThatItStandsAt) {
  Scene scene;
  scene.solids = {box("nut", {0, 0, 0})};
  Joint screw = jointAt(scene, "screw", "thread", "", "nut", {0, 0, 0});
  screw.options = {{"pitch", {0.1}, {}}};
  scene.joints = {screw};
  const double angle = 17.3;
  scene.solids[0].pose = {{0, 0, 0.1 * angle / (2 * kPi)}, fromAxisAngle({0, 0, 1}, angle)};
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  const JointValues v = jointValues(*m, initialState(*m), 0);
  EXPECT_NEAR(v.residual[0], 0, 1e-14);
  EXPECT_NEAR(v.coordinate[0], angle, 1e-12);
  // Also where a rule has another turn in mind.
  for (const auto kind :
       {CoordinateRule::Kind::Limit, CoordinateRule::Kind::Drive, CoordinateRule::Kind::Spring}) {
    CoordinateRule rule;
    rule.kind = kind;
    rule.coordinate = "angle";
    rule.lower = 0;
    rule.upper = 20 * kPi;
    scene.joints[0].rules = {rule};
    const auto ruled = compile(scene);
    ASSERT_TRUE(ruled.ok());
    const JointValues w = jointValues(*ruled, initialState(*ruled), 0);
    EXPECT_NEAR(w.residual[0], 0, 1e-14);
    EXPECT_NEAR(w.coordinate[0], angle, 1e-12);
  }
}

}  // namespace
}  // namespace tenon::test
