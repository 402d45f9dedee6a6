// Scene -> text -> the same scene.
#include <tenon/language.h>

#include "support/random_scene.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

std::string problemsOf(const Result<Scene>& r) {
  std::string out;
  for (const Problem& p : r.problems()) out += describe(p);
  return out;
}

const char* const kEverything = R"(
title "every \"thing\"\n";
param links 3 min 1 max 10;
gravity 0 0 -9.81;
damp 0.5;
at 2.5 stop;
at 3 gravity 0 0 0;
at 4 drive knee angle 0.5;
at 5 deactivate knee push;
expect dof 1;
settings method energy; dt 0.01; iterations 20; linear-iterations 7; end
material steel density 7850; colour 0.1 0.2 0.3; end
solid a
  at 1 2 3; turn 1 2 3 0.7; velocity 1 0 0; spin 0 1 0;
  box 1 2 3 at 0 1 0 turn 0 0 1 30deg density 500;
  capsule 0.1 0.4; cone 1 2;
  hull 0 0 0 1 0 0 0 1 0 0 0 1;
  mesh vertices 0 0 0 1 0 0 0 1 0 0 0 1 triangles 0 2 1 0 1 3 1 2 3 0 3 2;
  material steel; mass 3; com 0 0 0.1; inertia 1 2 2.5 0.1 0.2 0.3; colour 1 1 1; group legs left;
end
solid b sphere 0.1; immobile; end
solid c ma; box 1 1 1; animated; key 0 0 0 0; key 1 1 0 0 turn 0 1 0 90deg; end
solid d point-mass; mass 1; end
joint pin knee
  object1 a; object2 b; at 0 0 0; axis 0 0 1;
  limit angle min -1 max 2 compliance 1e-6 weight 3 active 0 1 active 2;
  spring angle stiffness 10 damping 1 target 0.1;
  damper angle 0.3;
  drive angle offset 1 rate 2 sine 1 2 0.5 stiffness 5 damping 1 max 100;
  prescribe angle key 0 0 key 1 1 key 2 0.5;
  compliance 1e-9; weight 2; damp 0.1; active 0 5; active 7;
end
constraint saddle object1 a; object2 c; hinge 0 0 0 0 0 0; angle 1 0 0 1 0 0 max 0.1; end
force push object a; point 0 1 0; vector 1 2 3; axes body; active 1 2; end
torque twist object a; vector 1 2 3; end
muscle calf joint knee; vector 0 0 1; end
spring coil object2 a; point2 0 1 0; stiffness 100; damping 1; rest 0.3; end
drag air linear 0.1; quadratic 0.2; angular 0.3; end
pin nail object a; point 1 0 0; target 0 1 0; rigid; end
goal reach object a; point 1 0 0; target 5 5 5; weight 2; end
floor ground point 0 -1 0; normal 0 1 1; friction 0.7; stiffness 1e5; damping 10; end
pose start time 0; solid a at 1 2 3 turn 0 1 0 1; coordinate knee angle 0.3; end
)";

TEST(Print, EverythingReadsBackTheSame) {
  const Result<Scene> first = parseScene(kEverything, "first.tenon");
  ASSERT_TRUE(first) << problemsOf(first);
  EXPECT_EQ(first->solids.size(), 4u);
  EXPECT_GE(first->joints.size(), 2u);
  const std::string text = printScene(*first);
  const Result<Scene> second = parseScene(text, "second.tenon");
  ASSERT_TRUE(second) << text << problemsOf(second);
  EXPECT_TRUE(sameScene(*first, *second)) << text;
  EXPECT_EQ(printScene(*second), text);
  const Result<std::string> formatted = formatText(text, "second.tenon");
  ASSERT_TRUE(formatted);
  EXPECT_EQ(*formatted, text) << "printed text is laid out canonically";
}

TEST(Print, RepetitionsAndFiguresBecomeFlat) {
  const Result<Scene> first = parseScene(R"(
param n 3;
figure leg
  solid thigh box 0.1 0.4 0.1; at 0 0.2 0; end
  solid shin box 0.1 0.4 0.1; at 0 -0.2 0; end
  joint pin knee object1 thigh; object2 shin; at 0 0 0; axis 1 0 0; end
end
repeat i 1 (n) place leg l(i) at (i / 3) 0 0; turn 0 1 0 (i * 10deg); scale (1 / i); end end
place leg right at 0 0 1; mirror 0 0 1; end
)",
                                         "figure.tenon");
  ASSERT_TRUE(first) << problemsOf(first);
  EXPECT_EQ(first->solids.size(), 8u);
  const Result<Scene> second = parseScene(printScene(*first), "flat.tenon");
  ASSERT_TRUE(second) << printScene(*first) << problemsOf(second);
  EXPECT_TRUE(sameScene(*first, *second));
  EXPECT_TRUE(first->solids[0].shared);
  EXPECT_FALSE(second->solids[0].shared);
}

TEST(Print, SolidsWithKeysHaveNoPoseBesideThem) {
  const Result<Scene> first = parseScene(R"(
figure f solid c animated; key 0 1 0.1 0 turn 1 2 3 0.7; key 1 2 0 0; end end
place f a at 0 0.3 0; turn 1 0 0 0.2; scale 3; mirror 1 2 3; end
solid d animated; at 1 2 3; turn 0 1 0 1; velocity 1 0 0; end
)",
                                         "keys.tenon");
  ASSERT_TRUE(first) << problemsOf(first);
  EXPECT_EQ(first->solids[0].pose, first->solids[0].path[0].pose);
  const Result<Scene> second = parseScene(printScene(*first), "flat.tenon");
  ASSERT_TRUE(second) << printScene(*first) << problemsOf(second);
  EXPECT_TRUE(sameScene(*first, *second)) << printScene(*first) << printScene(*second);
}

TEST(Print, RandomScenesReadBackTheSame) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Scene scene = testing::randomScene(seed, 6);
    for (Solid& s : scene.solids)  // the pose of a solid with keys is the first of them
      if (!s.path.empty()) s.pose = s.path.front().pose;
    const std::string text = printScene(scene);
    const Result<Scene> read = parseScene(text, "random.tenon");
    ASSERT_TRUE(read) << "seed " << seed << "\n" << text << problemsOf(read);
    ASSERT_TRUE(sameScene(scene, *read)) << "seed " << seed << "\n" << text << printScene(*read);
  }
}

TEST(SameScene, SeesEveryDifference) {
  const Result<Scene> read = parseScene(kEverything, "a.tenon");
  ASSERT_TRUE(read) << problemsOf(read);
  const Scene& scene = *read;
  std::size_t kinds = 0;
  const auto differs = [&](auto change) {
    Scene other = scene;
    change(other);
    EXPECT_FALSE(sameScene(scene, other)) << "change " << kinds;
    ++kinds;
  };
  differs([](Scene& s) { s.title += "x"; });
  differs([](Scene& s) { s.gravity.x = 1e-300; });
  differs([](Scene& s) { s.parameters[0].upper = 11; });
  differs([](Scene& s) { s.materials[0].colour.reset(); });
  differs([](Scene& s) { s.solids.pop_back(); });
  differs([](Scene& s) { s.solids[0].shapes[0].pose.q.w += 1e-15; });
  differs([](Scene& s) { s.solids[0].shapes[4].triangles[0][0] = 3; });
  differs([](Scene& s) { (*s.solids[0].inertia)(0, 1) = 0; });
  differs([](Scene& s) { s.solids[0].groups.pop_back(); });
  differs([](Scene& s) { s.solids[2].path[1].time = 2; });
  differs([](Scene& s) { s.joints[0].rules[3].target.phase = 0; });
  differs([](Scene& s) { s.joints[0].rules[0].active[1].end = 9; });
  differs([](Scene& s) { s.joints[0].damp.reset(); });
  differs([](Scene& s) { s.joints[0].frame2.p.x += 1; });
  differs([](Scene& s) { s.forces[0].axes = Axes::World; });
  differs([](Scene& s) { s.torques[0].vector.z = 0; });
  differs([](Scene& s) { s.muscles[0].joint = "x"; });
  differs([](Scene& s) { s.springs[0].rest.reset(); });
  differs([](Scene& s) { s.drags[0].angular = 0; });
  differs([](Scene& s) { s.pins[0].rigid = false; });
  differs([](Scene& s) { s.goals[0].weight = 1; });
  differs([](Scene& s) { s.floors[0].friction = 0; });
  differs([](Scene& s) { s.keyPoses[0].coordinates[0].value = 0; });
  differs([](Scene& s) { s.events[2].names[1] = "x"; });
  differs([](Scene& s) { s.expectations[0].values[0] = 2; });
  differs([](Scene& s) { s.settings.given.push_back({"linear-iterations", 8, {}, {}}); });

  Scene moved = scene;  // where it came from does not count
  moved.files.clear();
  moved.solids[0].place = {};
  moved.solids[0].shared = true;
  EXPECT_TRUE(sameScene(scene, moved));
}

}  // namespace
}  // namespace tenon
