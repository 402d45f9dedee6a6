// Every joint of the catalogue in a figure that is placed as it is and once more mirrored, scaled,
// turned and moved: the image compiles, and is as far from closed as the original.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/language.h>

#include <cmath>

#include "files/scene_text.h"
#include "math/random.h"
#include "math/rotation.h"

namespace tenon {
namespace {

using namespace test;

Mechanism compiled(const std::string& text) {
  Result<Mechanism> made = compile(read(text));
  if (!made) {
    ADD_FAILURE() << all(made.problems()) << text;
    return {};
  }
  return std::move(*made);
}

Index indexOf(const std::vector<std::string>& names, const std::string& name) {
  for (Index i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  ADD_FAILURE() << "no thing of the name " << name;
  return 0;
}

std::string textWith(const JointKind& kind, const JointExample& example, Random& random) {
  Scene scene;
  for (const char* name : {"first", "second", "third", "fourth"}) {
    Solid solid;
    solid.name = name;
    solid.pose.p = random.pointInBox({-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3});
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
  joint.options = example.options;
  if (kind.relates == Relates::Points)
    joint.more = {{"third", {0.1, 0.2, 0.3}, {}}, {"fourth", {0.3, -0.2, 0.1}, {}}};
  if (kind.relates == Relates::Coordinates) {
    joint.solid1 = joint.solid2 = "";
    joint.frame1 = joint.frame2 = {};
    for (const char* name : {"second", "third"}) {
      Joint shaft;
      shaft.name = std::string(name) + "-shaft";
      shaft.kind = "cylindrical";
      shaft.solid1 = "first";
      shaft.solid2 = name;
      shaft.frame1.q = random.rotation();
      scene.joints.push_back(shaft);
    }
    joint.couples = {{"second-shaft", "angle", 20, {}}, {"third-shaft", "slide", -0.5, {}}};
  }
  scene.joints.push_back(joint);
  return printScene(scene);
}

TEST(EveryJoint, IsAsFarFromClosedInTheMirror) {
  Random random(78);
  constexpr double kScale = 1.5;
  for (const JointKind& kind : jointCatalogue())
    for (const JointExample& example : examplesOf(kind))
      for (const char* normal : {"1 0 0", "0 1 0", "0.3 0.5 -0.2"}) {
        const std::string text =
            "figure f\n" + textWith(kind, example, random) +
            "end\nplace f u end\nplace f v at 1 2 3; turn 1 2 -1 50deg; scale 1.5; mirror " +
            normal + "; end\n";
        const Mechanism m = compiled(text);
        if (m.joints.empty()) return;
        const State state = initialState(m);
        const JointValues u = jointValues(m, state, indexOf(m.jointNames, "u.joint"));
        const JointValues v = jointValues(m, state, indexOf(m.jointNames, "v.joint"));
        double before = 0, after = 0;
        for (int g = 0; g < kind.residualCount; ++g) {
          const bool length = !kind.residualAngular[g] || kind.relates == Relates::Coordinates;
          const double image = v.residual[g] / (length ? kScale : 1);
          before += u.residual[g] * u.residual[g];
          after += image * image;
          if (kind.found == 0) {
            EXPECT_NEAR(std::abs(u.residual[g]), std::abs(image), 1e-9) << kind.name << g << text;
          }
        }
        EXPECT_NEAR(std::sqrt(before), std::sqrt(after), 1e-9) << kind.name << text;
        for (int c = 0; c < kind.coordinateCount; ++c)
          EXPECT_NEAR(std::abs(u.coordinate[c]),
                      std::abs(v.coordinate[c]) / (kind.coordinates[c].angular ? 1 : kScale), 1e-9)
              << kind.name << " " << kind.coordinates[c].name << text;
      }
}

// A carrier and the wheels that are counted from it may be of kinds of which one changes the sign of its
// angle in the mirror, and the other does not.
TEST(Gear, HasItsCarrierInTheMirrorToo) {
  const std::string text = R"(
figure gearset
  solid base immobile; box 0.1 0.1 0.1; end
  solid sun cylinder 0.2 0.05; turn 1 0 0 90deg; end
  solid arm box 0.5 0.05 0.05; at 0.25 0 0.1; end
  solid planet cylinder 0.3 0.05; at 0.5 0 0; turn 1 0 0 90deg; end
  joint SUN sj object1 base; object2 sun; at 0 0 0; axis 0 0 1; end
  joint ARM aj object1 base; object2 arm; at 0 0 0; axis 0 0 1; end
  joint PLANET pj object1 arm; object2 planet; at 0.5 0 0; axis 0 0 1; end
  joint gear g couple sj angle 20; couple pj angle 30; carrier aj angle; end
end
place gearset u end
place gearset v at 2 0 0; mirror 1 0 0; end
place gearset w at 4 0 0; mirror 0 0 1; end
)";
  for (const char* sun : {"pin", "cylindrical"})
    for (const char* arm : {"pin", "cylindrical"})
      for (const char* planet : {"pin", "cylindrical"}) {
        std::string chosen = text;
        chosen.replace(chosen.find("SUN"), 3, sun);
        chosen.replace(chosen.find("ARM"), 3, arm);
        chosen.replace(chosen.find("PLANET"), 6, planet);
        const Scene scene = read(chosen);
        const auto again = parseScene(printScene(scene), "printed");
        ASSERT_TRUE(again.ok());
        EXPECT_TRUE(sameScene(scene, *again));
        const Mechanism m = compiled(chosen);
        for (const std::string figure : {"u.", "v.", "w."}) {
          const Index gear = indexOf(m.jointNames, figure + "g");
          const auto errorAfter = [&](double sunAngle, double armAngle, double planetAngle) {
            State state = initialState(m);
            const auto turn = [&](const std::string& name, double angle) {
              Quat& q = state.orientation[indexOf(m.solidNames, figure + name)];
              q = fromAxisAngle({0, 0, 1}, angle) * q;
            };
            turn("sun", sunAngle);
            turn("arm", armAngle);
            turn("planet", planetAngle);
            return std::abs(jointValues(m, state, gear).residual[0]);
          };
          EXPECT_NEAR(errorAfter(0.3, 0.3, 0.3), 0, 1e-12) << figure << sun << arm << planet;
          EXPECT_NEAR(errorAfter(0, 0.3, 0.5), 0, 1e-12) << figure << sun << arm << planet;
          EXPECT_NEAR(errorAfter(0.3, 0, -0.2), 0, 1e-12) << figure << sun << arm << planet;
          EXPECT_NEAR(errorAfter(0.3, 0, 0), 0.2, 1e-12) << figure << sun << arm << planet;
        }
      }
}

// Counts that do not fit the heights are found, not followed.
TEST(Surface, HeightsThatDoNotFitHaveNoMirrorImage) {
  for (const char* counts : {"111620 165263788512001", "1e300 1e300", "-2 -2", "2.5 1.6", "4 1"}) {
    const Result<Scene> scene = parseScene(
        std::string("figure f solid a point-mass; mass 1; end joint surface s object2 a; "
                    "axis 0 1 0; heightfield ") +
            counts + " 1 1 0 0 0 0; end end place f m mirror 1 0 0; end",
        "test.tenon");
    if (!scene) continue;  // refused already
    const Result<Mechanism> m = compile(*scene);
    ASSERT_FALSE(m.ok()) << counts;
    EXPECT_NE(m.problems().front().what.find("heightfield"), std::string::npos);
  }
}

}  // namespace
}  // namespace tenon
