// Figures, repetition, conditions, parameters, overrides.
#include "files/finish.h"
#include "files/scene_text.h"
#include "model/shape_mass.h"

namespace tenon {
namespace {

using namespace test;

TEST(Parameters, Values) {
  const Scene s = read(R"(
param length 45cm min 0 max 1;
param count 3;
let half (length / 2);
solid a box (half) (2 * half) 1; at (count) 0 0; end
)");
  ASSERT_EQ(s.parameters.size(), 2u);
  EXPECT_EQ(s.parameters[0].name, "length");
  EXPECT_EQ(s.parameters[0].value, 0.45);
  EXPECT_EQ(s.parameters[0].lower, 0);
  EXPECT_EQ(s.parameters[0].upper, 1);
  EXPECT_EQ(s.parameters[1].upper, kInfinity);
  EXPECT_EQ(s.solids[0].shapes[0].size.x, 0.225);
  EXPECT_EQ(s.solids[0].pose.p.x, 3);
}

TEST(Parameters, SetFromOutside) {
  const std::string text =
      "param n 2; param m (n * 10); let k (m + 1); solid a at (n) (m) (k); end";
  ParseOptions options;
  options.set = {{"n", "3"}};
  EXPECT_EQ(read(text, options).solids[0].pose.p, (Vec3{3, 30, 31}));
  options.set = {{"n", "5cm"}, {"m", "n + 1"}};
  EXPECT_EQ(read(text, options).solids[0].pose.p, (Vec3{0.05, 1.05, 2.05}));
  options.set = {{"n", "1"}, {"n", "7"}};  // the last one counts
  EXPECT_EQ(read(text, options).solids[0].pose.p.x, 7);

  options.set = {{"links", "3"}};
  EXPECT_EQ(problemOf(text, options),
            "--set: the scene has no parameter 'links'; the scene has n m");
  options.set = {{"k", "3"}};
  EXPECT_EQ(problemOf(text, options),
            "--set: the scene has no parameter 'k'; 'k' is computed by 'let'");
  options.set = {{"n", "3 +"}};
  EXPECT_EQ(problemOf(text, options).substr(0, 28), "--set n=3 + is not a number:");
  options.set = {{"n", "1); solid x end let y (2"}};
  EXPECT_EQ(problemsOf(text, options).size(), 1u);
  options.set = {{"n", "1e999"}};
  EXPECT_EQ(problemsOf(text, options).size(), 1u);
}

TEST(Parameters, Ranges) {
  EXPECT_EQ(problemOf("param n 0 min 1;"), "1:7: 'n' = 0 is below its minimum 1");
  ParseOptions options;
  options.set = {{"n", "20"}};
  EXPECT_EQ(problemOf("param n 1 max 10; solid a at (n) 0 0; end", options),
            "1:7: --set: 'n' = 20 is above its maximum 10");
  EXPECT_EQ(problemOf("param n 0 min 2 max 1;"), "1:17: 'max' is less than 'min'");
}

TEST(Parameters, Mistakes) {
  EXPECT_EQ(problemOf("let a 1;\nlet a 2;"),
            "2:5: 'a' is defined twice; the first one is at test.tenon:1");
  EXPECT_EQ(problemOf("param rod-length 1;"),
            "1:7: the name of a number may have only letters, digits and '_'; in parentheses, '-' "
            "subtracts and '.' would join a path");
  EXPECT_EQ(problemOf("param r 1; solid a sphere r; end"),
            "1:27: expected a number, got 'r'; write (r) to use that number");
  EXPECT_EQ(problemOf("param radius 1; solid a sphere (radus); end"),
            "1:33: unknown name 'radus' in an expression; did you mean 'radius'?");
  EXPECT_EQ(problemOf("repeat i 1 2 param k 1; end"),
            "1:20: a parameter in a repetition cannot be set from outside (and 1 more like this "
            "here); use 'let', or move it out");
}

TEST(Repetition, BothEndsIncluded) {
  const Scene s = read(R"(
repeat i 0 2  solid a-(i) at (i) 0 0; end end
repeat i 10 4 step -3  solid b-(i) end end
repeat x 0 1 step 0.1  solid c-(round(10 * x)) at (x) 0 0; end end
repeat i 1 0  solid never end end
repeat i 1 2 repeat j 1 2 let k (10 * i + j); solid d-(i)-(j) at (k) 0 0; end end end
)");
  std::vector<std::string> names;
  for (const Solid& solid : s.solids) {
    names.push_back(solid.name);
    EXPECT_TRUE(solid.shared);
  }
  ASSERT_EQ(names.size(), 3u + 3 + 11 + 4);
  EXPECT_EQ(names[2], "a-2");
  EXPECT_EQ(names[4], "b-7");
  EXPECT_EQ(names[16], "c-10");
  EXPECT_EQ(named(s.solids, "d-2-1").pose.p.x, 21);
}

TEST(Repetition, InsideABlock) {
  const Scene s = read(R"(
solid a
  repeat i 1 3 sphere (i) at (i) 0 0; end
  if (1 < 2) density 5; else density 6; end
end)");
  EXPECT_EQ(s.solids[0].shapes.size(), 3u);
  EXPECT_EQ(s.solids[0].density, 5);
}

TEST(Conditions, ChooseABranch) {
  const std::string text =
      "param n 3; if (n > 2) solid many end let k 1; else solid few end let k 2; end solid x at "
      "(k) 0 0; end";
  EXPECT_EQ(read(text).solids[0].name, "many");
  ParseOptions options;
  options.set = {{"n", "1"}};
  const Scene s = read(text, options);
  EXPECT_EQ(s.solids[0].name, "few");
  EXPECT_EQ(s.solids[1].pose.p.x, 2);  // names of a branch live on
}

const char* const kLeg = R"(
figure leg
  param length 0.4 max 1;
  let half (length / 2);
  solid thigh box 0.1 (length) 0.2 at 0.01 0.02 0.03; at 0.1 1 0.2; velocity 1 2 3; spin 1 2 3;
    com 0.01 0.02 0.03; mass 2; inertia 1 2 3 0.1 0.2 0.3; end
  solid shin cone 0.1 (length); at 0.1 (1 - length) 0.3; turn 1 2 3 40deg; end
  joint pin knee object1 thigh; object2 shin; at 0.1 (1 - half) 0.25; axis 1 0.2 0.1;
    limit angle min -0.1 max 2; spring angle stiffness 3 target 0.5; end
  spring tendon object1 thigh; point1 0.1 0.2 0.3; object2 shin; point2 0.1 0 0; rest 0.3; stiffness 7; end
  force push object shin; point 0.1 0.2 0.3; vector 1 2 3; end
  torque twist object shin; vector 1 2 3; axes body; end
  pin hold object thigh; point 0.1 0.2 0.3; target 1 2 3; end
  goal reach object shin; point 0.1 0.2 0.3; target 1 2 3; end
end
)";

TEST(Figures, ScopesAndParameters) {
  const Scene s = read(std::string(kLeg) + R"(
solid hip at 0 5 0; end
figure body
  param size 2;
  place leg left set length (size / 4); end
  solid torso end
  joint ball on-left object1 torso; object2 left.thigh; at 0 1 0; end
  joint ball on-hip object1 torso; object2 hip; at 0 1 0; end
end
place body tom set size 1; at 0 0 7; end
place body tim end
place leg spare end
)");
  EXPECT_EQ(s.solids.size(), 1u + 3 + 3 + 2);
  EXPECT_EQ(named(s.solids, "tom.left.thigh").shapes[0].size.y, 0.25);
  EXPECT_EQ(named(s.solids, "tim.left.thigh").shapes[0].size.y, 0.5);
  EXPECT_EQ(named(s.solids, "spare.thigh").shapes[0].size.y, 0.4);
  EXPECT_TRUE(named(s.solids, "spare.thigh").shared);
  const Joint& j = named(s.joints, "tom.on-left");
  EXPECT_EQ(j.solid1, "tom.torso");
  EXPECT_EQ(j.solid2, "tom.left.thigh");
  EXPECT_TRUE(j.shared);
  EXPECT_EQ(named(s.joints, "tom.on-hip").solid2, "hip");
  expectNear(named(s.joints, "tom.on-hip").frame2.p,
             {0, -4, 7});  // `at` is in the figure's coordinates
}

// The same mechanism as it moves, whatever its frames: joints, points and matter in the world.
void expectImage(const Scene& original, const std::string& a, const Scene& image,
                 const std::string& b, double s, const std::function<Vec3(const Vec3&)>& map,
                 bool mirrored) {
  const auto pose = [](const Scene& scene, const std::string& name) {
    return name.empty() ? Pose{} : named(scene.solids, name).pose;
  };
  const Vec3 origin = map({});
  const auto vector = [&](const Vec3& v) { return (map(v) - origin) / s; };  // length kept
  const double det = mirrored ? -1 : 1;
  for (const char* part : {"thigh", "shin"}) {
    const Solid& o = named(original.solids, a + part);
    const Solid& i = named(image.solids, b + part);
    expectNear(i.pose.p, map(o.pose.p));
    expectNear(i.velocity, s * vector(o.velocity));
    expectNear(i.spin, det * vector(o.spin));
    // Corners of the shapes.
    for (std::size_t k = 0; k < o.shapes.size(); ++k) {
      const Pose X = o.pose * o.shapes[k].pose, Y = i.pose * i.shapes[k].pose;
      expectNear(i.shapes[k].size, s * o.shapes[k].size);
      expectNear(Y.p, map(X.p));
      const Vec3 axis = vector(rotate(X.q, {0, 1, 0}));  // the way a cone points
      const double way = dot(rotate(Y.q, {0, 1, 0}), axis);
      EXPECT_NEAR(o.shapes[k].kind == ShapeKind::Cone ? way : std::abs(way), 1, 1e-12);
    }
    if (o.com) expectNear(transform(i.pose, *i.com), map(transform(o.pose, *o.com)));
    EXPECT_NEAR(i.mass.value_or(0), s * s * s * o.mass.value_or(0), 1e-12);
    for (const Vec3& e : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0.3, 0.5, 0.7}}) {
      if (!o.inertia) continue;
      const Vec3 eo = rotate(conjugate(o.pose.q), e), ei = rotate(conjugate(i.pose.q), vector(e));
      EXPECT_NEAR(dot(ei, *i.inertia * ei), std::pow(s, 5) * dot(eo, *o.inertia * eo), 1e-9);
    }
  }
  const Joint& o = named(original.joints, a + "knee");
  const Joint& i = named(image.joints, b + "knee");
  const Pose X = pose(original, o.solid1) * o.frame1, Y = pose(image, i.solid1) * i.frame1;
  expectNear(Y.p, map(X.p));
  expectNear(Y, pose(image, i.solid2) * i.frame2);  // closed as the original
  // Turning the shin by the limit about the joint's axis does to the image what it does to the
  // original: the axis is an axial vector.
  const Vec3 axisO = rotate(X.q, {1, 0, 0}), axisI = rotate(Y.q, {1, 0, 0});
  const double sense = dot(det * vector(axisO), axisI);
  EXPECT_NEAR(std::abs(sense), 1, 1e-12);
  EXPECT_NEAR(sense * i.rules.at(0).lower, sense > 0 ? o.rules[0].lower : o.rules[0].upper, 1e-12);
  EXPECT_NEAR(sense * i.rules[0].upper, sense > 0 ? o.rules[0].upper : o.rules[0].lower, 1e-12);
  EXPECT_NEAR(sense * i.rules.at(1).target.offset, o.rules[1].target.offset, 1e-12);
  EXPECT_NEAR(i.rules[1].stiffness, std::pow(s, 5) * o.rules[1].stiffness, 1e-9);

  const Spring& so = named(original.springs, a + "tendon");
  const Spring& si = named(image.springs, b + "tendon");
  expectNear(transform(pose(image, si.solid1), si.point1),
             map(transform(pose(original, so.solid1), so.point1)));
  EXPECT_NEAR(*si.rest, s * *so.rest, 1e-12);
  EXPECT_NEAR(si.stiffness, s * s * s * so.stiffness, 1e-12);
  const Force& fo = named(original.forces, a + "push");
  const Force& fi = named(image.forces, b + "push");
  expectNear(transform(pose(image, fi.solid), fi.point),
             map(transform(pose(original, fo.solid), fo.point)));
  expectNear(fi.vector, std::pow(s, 4) * vector(fo.vector));
  const Torque& to = named(original.torques, a + "twist");
  const Torque& ti = named(image.torques, b + "twist");
  expectNear(rotate(pose(image, ti.solid).q, ti.vector),
             det * std::pow(s, 5) * vector(rotate(pose(original, to.solid).q, to.vector)));
  const Pin& po = named(original.pins, a + "hold");
  const Pin& pi = named(image.pins, b + "hold");
  expectNear(transform(pose(image, pi.solid), pi.point),
             map(transform(pose(original, po.solid), po.point)));
  expectNear(*pi.target, map(*po.target));
  expectNear(named(image.goals, b + "reach").target,
             map(named(original.goals, a + "reach").target));
}

TEST(Figures, TurnedMovedScaled) {
  const Scene s = read(std::string(kLeg) +
                       "place leg a end place leg b at 1 2 3; turn 0 0 1 90deg; scale 2; end");
  expectImage(
      s, "a.", s, "b.", 2,
      [](const Vec3& p) {
        return Vec3{1 - 2 * p.y, 2 + 2 * p.x, 3 + 2 * p.z};
      },
      false);
}

TEST(Figures, Mirrored) {
  const Scene s =
      read(std::string(kLeg) +
           "place leg a end place leg x mirror 1 0 0; end place leg y mirror 0 1 0; end "
           "place leg z mirror 0 0 -3; at 0 0 4; end place leg t mirror 1 2 3; end");
  expectImage(
      s, "a.", s, "x.", 1,
      [](const Vec3& p) {
        return Vec3{-p.x, p.y, p.z};
      },
      true);
  expectImage(
      s, "a.", s, "y.", 1,
      [](const Vec3& p) {
        return Vec3{p.x, -p.y, p.z};
      },
      true);
  expectImage(
      s, "a.", s, "z.", 1,
      [](const Vec3& p) {
        return Vec3{p.x, p.y, 4 - p.z};
      },
      true);
  const Vec3 n = Vec3{1, 2, 3} / std::sqrt(14.0);
  expectImage(
      s, "a.", s, "t.", 1, [n](const Vec3& p) { return p - 2 * dot(n, p) * n; }, true);
  EXPECT_EQ(named(s.solids, "z.thigh").pose.q, Quat{});  // what was not turned stays so
}

// An oblique mirror turns the solid, not the shape in its frame: `ma` weighs what it weighed.
TEST(Figures, BoundingBoxesAreMirrored) {
  const Scene s = read(R"(
figure f solid a box 1 .1 .1 at 0.2 0 0; ma; end end
figure g place f twice mirror 0 3 4; end end
place f plain end
place f oblique mirror 1 0.41421356 0; end
place f even mirror 1 1 1; end
place g both mirror 2 1 0; end
)");
  const MassProperties plain = boundingBoxMass(named(s.solids, "plain.a").shapes).properties;
  ASSERT_NEAR(plain.mass, 7.5, 1e-12);
  for (const Solid& solid : s.solids) {
    EXPECT_EQ(solid.boxDensity, 750) << solid.name;
    const ShapeMass made = boundingBoxMass(solid.shapes, *solid.boxDensity);
    ASSERT_TRUE(made.ok()) << solid.name;
    EXPECT_NEAR(made.properties.mass, 7.5, 1e-12) << solid.name;
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(made.properties.inertia(k, k), plain.inertia(k, k), 1e-12) << solid.name;
  }
  const Vec3 n = Vec3{1, 0.41421356, 0} / norm(Vec3{1, 0.41421356, 0});
  const Solid& image = named(s.solids, "oblique.a");
  const Vec3 com = boundingBoxMass(image.shapes).properties.com;
  const Vec3 c{0.2, 0, 0};
  expectNear(transform(image.pose, com), c - 2 * dot(n, c) * n);
}

// Without an object each placement would drag the whole scene.
TEST(Figures, DragsNeedAnObject) {
  EXPECT_EQ(
      problemOf("figure f\nsolid a end\ndrag d linear 1; end\nend place f x end place f y end"),
      "3:1: a drag inside a figure needs an object (and 1 more like this here); name one "
      "of its "
      "solids, or write the drag "
      "outside of the figure");
  const Scene s = read(
      "figure f solid a end drag d object a; linear 1; end end place f x end place f y end "
      "drag all linear 2; end");
  ASSERT_EQ(s.drags.size(), 3u);
  EXPECT_EQ(named(s.drags, "y.d").solid, "y.a");
  EXPECT_EQ(named(s.drags, "all").solid, "");
}

TEST(Figures, NestedPlacementsCompose) {
  const Scene s = read(std::string(kLeg) + R"(
place leg a end
figure inner place leg l mirror 0 0 1; at 1 0 0; scale 2; end end
figure outer place inner i mirror 0 1 0; turn 1 0 0 90deg; end end
place outer o at 0 0 5; scale 0.25; end
)");
  expectImage(
      s, "a.", s, "o.i.l.", 0.5,
      [](const Vec3& p) {
        const Vec3 inner{1 + 2 * p.x, 2 * p.y, -2 * p.z};
        const Vec3 flipped{inner.x, -inner.y, inner.z};
        return Vec3{0.25 * flipped.x, -0.25 * flipped.z, 5 + 0.25 * flipped.y};
      },
      false);
}

// A limb written by hand, and its mirror image written by hand: signs of a slide, of both angles of
// a Hooke joint, of meshes.
TEST(Figures, MirroredByHand) {
  const Scene s = read(R"(
figure arm
  solid a mesh vertices 0 0 0  1 0 0  0 1 0  0 0 1 triangles 0 2 1  0 1 3  0 3 2  1 2 3; end
  solid b at 1 0 0; hull 0 0 0  1 0 0  0 1 0  0 0 2; end
  joint prismatic slide object1 a; object2 b; at 1 0 0; axis 1 0 0; limit slide min 0 max 2; end
  joint hooke cardan object1 a; object2 b; at 1 0 0; axis 1 0 0; normal 0 1 0;
    limit angle1 min 1 max 2; limit angle2 min 3 max 4; end
  muscle m joint slide; vector 1 2 3; end
  pose p coordinate slide slide 1; coordinate cardan angle1 0.5; coordinate cardan angle2 0.25; end
end
place arm right mirror 1 0 0; end
)");
  const Shape& mesh = named(s.solids, "right.a").shapes[0];
  EXPECT_EQ(mesh.points[1], (Vec3{-1, 0, 0}));
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{0, 1, 2}));  // still outwards
  EXPECT_EQ(named(s.solids, "right.b").shapes[0].points[1], (Vec3{-1, 0, 0}));
  EXPECT_EQ(named(s.solids, "right.b").pose.p, (Vec3{-1, 0, 0}));

  // A slide keeps its sign: the axis points to the mirrored side.
  const Joint& slide = named(s.joints, "right.slide");
  expectNear(rotate(slide.frame1.q, {1, 0, 0}), {-1, 0, 0});
  EXPECT_EQ(slide.rules[0].lower, 0);
  EXPECT_EQ(slide.rules[0].upper, 2);
  // Of a Hooke joint's angles one keeps its sign, the other cannot.
  const Joint& cardan = named(s.joints, "right.cardan");
  EXPECT_EQ(cardan.rules[0].lower, 1);
  EXPECT_EQ(cardan.rules[0].upper, 2);
  EXPECT_EQ(cardan.rules[1].lower, -4);
  EXPECT_EQ(cardan.rules[1].upper, -3);
  const KeyPose& pose = s.keyPoses.at(0);
  EXPECT_EQ(pose.coordinates[0].value, 1);
  EXPECT_EQ(pose.coordinates[1].value, 0.5);
  EXPECT_EQ(pose.coordinates[2].value, -0.25);
  // The muscle's torque in the world is the mirrored (axial) one.
  const Vec3 torque = rotate(slide.frame1.q, s.muscles.at(0).vector);
  expectNear(torque, {1, -2, -3});
}

TEST(Figures, EveryKindOfTheCatalogueHasAMirrorImage) {
  for (const JointKind& kind : jointCatalogue()) {
    const files::MirrorRule rule = files::mirrorRuleOf(kind);
    EXPECT_GE(rule.axis, 0) << kind.name;
    for (int c = 0; c < kind.coordinateCount; ++c)
      EXPECT_EQ(std::abs(rule.coordinates[static_cast<std::size_t>(c)]), 1)
          << kind.name << " " << kind.coordinates[c].name;
  }
}

TEST(Figures, DirectionsOfSolidsOutsideAMirroredFigureAreRefused) {
  const std::string text = R"(
solid base end
figure f solid a end joint pin j object1 base; axis1 0 0 1; object2 a; at 0 0 0; end end
place f right)";
  EXPECT_EQ(read(text + " end").joints.size(), 1u);
  EXPECT_EQ(problemOf(text + " mirror 1 0 0; end"),
            "3:48: a direction of 'base' has no meaning here: only one of this joint and this "
            "solid is in a mirrored figure; "
            "give 'at' and 'axis', in the figure's coordinates");
}

TEST(Figures, PointsOfSolidsOutside) {
  const Scene s = read(R"(
solid base at 0 0 1; end
figure f
  solid a end
  spring s object1 base; point1 1 0 0; object2 a; point2 1 0 0; end
  joint ball j object1 base; point1 1 0 0; object2 a; point2 1 0 0; end
  joint ball w object2 a; point1 1 0 0; end
end
place f big scale 2; at 0 3 0; end
spring t object1 big.a; point1 1 0 0; object2 base; end
)");
  const Spring& spring = named(s.springs, "big.s");
  EXPECT_EQ(spring.point1, (Vec3{1, 0, 0}));  // base is not part of the figure: its own metres
  EXPECT_EQ(spring.point2, (Vec3{2, 0, 0}));
  EXPECT_EQ(named(s.joints, "big.j").frame1.p, (Vec3{1, 0, 0}));
  EXPECT_EQ(named(s.joints, "big.j").frame2.p, (Vec3{2, 0, 0}));
  EXPECT_EQ(named(s.joints, "big.w").frame1.p, (Vec3{2, 3, 0}));  // the world, seen by the figure
  EXPECT_EQ(named(s.springs, "t").point1, (Vec3{1, 0, 0}));       // seen from outside: as it is
}

TEST(Figures, Mistakes) {
  EXPECT_EQ(problemOf("figure leg end\nplace lge x end"),
            "2:7: unknown figure 'lge'; did you mean 'leg'?");
  EXPECT_EQ(problemOf("figure leg param length 1; end\nplace leg x set lenght 2; end"),
            "2:17: figure 'leg' has no parameter 'lenght'; did you mean 'length'?");
  EXPECT_EQ(problemOf("figure a place b x end end figure b place a y end end place a z end"),
            "1:43: figure 'a' places itself");
  EXPECT_EQ(problemOf("figure unused\n  solid a densty 3; end\nend"),
            "2:11: unknown statement 'densty' in solid; did you mean 'density'?");
  EXPECT_EQ(problemOf("figure f settings dt 1; end end"),
            "1:10: 'settings' cannot stand in a figure; it belongs at the top level");
  EXPECT_EQ(problemOf("figure f solid a end solid a end end place f x end"),
            "1:28: 'x.a' is declared twice; the first one, a solid, is at test.tenon:1");
  EXPECT_EQ(problemOf("figure f param n 1 max 2; end place f x set n 3; end"),
            "1:16: set here: 'n' = 3 is above its maximum 2");
  EXPECT_EQ(problemOf("figure f solid a mass 1; end end place f x scale 1e300; end"),
            "1:10: numbers of 'x.a' are out of range; check the scale of the figure that it is in");
}

TEST(Overrides, LastOneWins) {
  const Scene s = read(std::string(kLeg) + R"(
solid base end
place leg left scale 2; end
repeat i 1 3 solid bead-(i) sphere 1; density 5; end end
override bead-2 density 7; sphere 2; group special; end
override left.shin  at 0 0 1; turn 0 0 1 90deg; clear shapes; box 1 1 1; end
override left.knee  object1 base; limit angle max 1; clear springs; axis 0 1 0; end
override left.push  clear active; vector 0 0 1; end
remove bead-3;
)");
  EXPECT_EQ(s.solids.size(), 1u + 2 + 2);
  const Solid& bead = named(s.solids, "bead-2");
  EXPECT_EQ(bead.density, 7);
  EXPECT_EQ(bead.shapes.size(), 2u);
  EXPECT_EQ(bead.groups.size(), 1u);
  EXPECT_EQ(named(s.solids, "bead-1").density, 5);
  const Solid& shin = named(s.solids, "left.shin");
  EXPECT_EQ(shin.pose.p, (Vec3{0, 0, 2}));  // in the figure's coordinates, as its block
  expectNear(shin.pose.q, Quat{0, 0, std::sqrt(0.5), std::sqrt(0.5)});
  ASSERT_EQ(shin.shapes.size(), 1u);
  EXPECT_EQ(shin.shapes[0].size, (Vec3{2, 2, 2}));
  const Joint& knee = named(s.joints, "left.knee");
  EXPECT_EQ(knee.solid1, "base");
  EXPECT_EQ(knee.rules.size(), 2u);
  expectNear(rotate(knee.frame1.q, {1, 0, 0}), {0, 1, 0});
}

TEST(Overrides, OfConstraints) {
  const Scene s = read(R"(solid a end
repeat i 1 2 constraint c-(i) object2 a; hinge 0 0 0 0 0 0; end end
override c-2 angle 1 0 0 1 0 0 max 0; end)");
  EXPECT_EQ(named(s.joints, "c-1").kind, "ball");
  EXPECT_EQ(named(s.joints, "c-2").kind, "pin");
}

TEST(Overrides, RemoveAWholeFigure) {
  const Scene s = read(std::string(kLeg) + "place leg a end place leg b end remove a; solid a end");
  EXPECT_EQ(s.solids.size(), 3u);
  EXPECT_EQ(s.joints.size(), 1u);
  EXPECT_EQ(s.solids[2].name, "a");  // the name is free again
}

TEST(Overrides, Mistakes) {
  const std::string head = "figure f solid a end end place f left end\n";
  EXPECT_EQ(problemOf(head + "override left.b mass 1; end"),
            "2:10: there is no 'left.b' yet; did you mean 'left.a'?");
  EXPECT_EQ(problemOf(head + "override left mass 1; end"),
            "2:10: 'left' is a placed figure, not a solid, joint or load; change its parameters "
            "where it is placed, "
            "or override one of its solids or joints");
  EXPECT_EQ(problemOf(head + "override left.a stiffness 1; end"),
            "2:17: unknown statement 'stiffness' in solid; 'stiffness' belongs in: spring, floor");
  EXPECT_EQ(problemOf(head + "override left.a clear shaps; end"),
            "2:23: cannot clear 'shaps' of a solid; did you mean 'shapes'?");
  EXPECT_EQ(problemOf(head + "remove left.c;"),
            "2:8: there is no 'left.c' yet; did you mean 'left.a'?");
  EXPECT_EQ(problemOf(head + "joint ball j object2 left.a; end remove left.a;"),
            "2:22: unknown solid 'left.a'; it was removed");
}

}  // namespace
}  // namespace tenon
