// What docs/scene-language.md and docs/joints.md say of axes, signs and defaults.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/language.h>
#include <tenon/loads.h>
#include <tenon/measure.h>

#include <string>

#include "math/rotation.h"

namespace tenon {
namespace {

Mechanism made(const std::string& text) {
  const Result<Scene> scene = parseScene(text, "test.tenon");
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : describe(scene.problems().front()));
  if (!scene.ok()) return {};
  Result<Mechanism> m = compile(*scene);
  EXPECT_TRUE(m.ok()) << (m.ok() ? "" : describe(m.problems().front()));
  return m.ok() ? std::move(*m) : Mechanism{};
}

TEST(Documented, ShapesThatSayNothingHaveTheDensityOfWater) {
  const Mechanism m = made(
      "material foam colour 1 1 1; end\n"
      "solid a box 1 2 3; end  solid b box 1 2 3; material foam; end");
  EXPECT_DOUBLE_EQ(m.solids[0].mass, 6000);
  EXPECT_DOUBLE_EQ(m.solids[1].mass, 6000);
}

// IXY is the entry of the tensor, -∫ x y dm about the centre of mass, in the axes of the solid's frame, wherever
// that is turned.
TEST(Documented, InertiaProductsAreEntriesOfTheTensor) {
  // Two spheres: 2 m (own + y² + z²), …, -2 m x y, with own = 2/5 r² = 0.004.
  const Mechanism m = made(R"(
solid shapes turn 1 2 3 0.7; sphere 0.1 at 1 2 3 density (0.75 / (pi() * 0.001));
                             sphere 0.1 at -1 -2 -3 density (0.75 / (pi() * 0.001)); end
solid typed turn 1 2 3 0.7; mass 2; inertia 26.008 20.008 10.008 -4 -6 -12; end)");
  EXPECT_NEAR(m.solids[0].mass, 2, 1e-12);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(m.solids[0].inertia(r, c), m.solids[1].inertia(r, c), 1e-12) << r << c;
}

// Turned by a quarter about z, the solid's y points along -x of the world: a spin about the world's x is one about
// its own y, with the moment 2.
TEST(Documented, SpinIsInAxesOfTheWorld) {
  const Mechanism m = made("solid a turn 0 0 1 90deg; mass 1; inertia 1 2 2.5; spin 3 0 0; end");
  EXPECT_NEAR(kineticEnergy(m, initialState(m)), 0.5 * 2 * 9, 1e-12);
}

// f = k (L - rest) + d L̇ along the line between the points; without `rest`, L of the pose as written.
TEST(Documented, SpringsRestAtTheLengthAsWrittenAndPullByTheirFormula) {
  const Mechanism m = made(R"(
gravity 0 0 0;
solid a box 0.1 0.1 0.1; mass 1; at 3 0 0; end
spring s object2 a; point2 0 0 4; stiffness 10; damping 7; end
solid b box 0.1 0.1 0.1; mass 1; at 0 2 0; velocity 0 0.5 0; end
spring t object2 b; stiffness 10; damping 7; rest 1.5; end)");
  EXPECT_DOUBLE_EQ(m.springs[0].rest, 5);
  std::vector<Wrench> loads;
  gatherLoads(m, initialControl(m), initialState(m), loads);
  EXPECT_EQ(norm(loads[0].force), 0);
  EXPECT_NEAR(loads[1].force.y, -(10 * (2 - 1.5) + 7 * 0.5), 1e-12);
}

// angle1 turns about axis i of object1, angle2 about axis j of object2, and i of the one stays at right angles to j of
// the other.
TEST(Documented, HookeHasItsFirstAxisInObject1AndItsSecondInObject2) {
  const Mechanism m = made(R"(
solid a box 1 1 1; end  solid b box 1 1 1; end
joint hooke h object1 a; object2 b; at 0 0 0; axis 1 0 0; normal 0 1 0; end)");
  State state = initialState(m);
  state.orientation[0] = fromAxisAngle(Vec3{1, 2, 2} / 3.0, 0.9);
  const Quat q1 = fromAxisAngle({1, 0, 0}, 0.4);  // about i of object1
  const Quat q2 = fromAxisAngle({0, 1, 0}, 0.3);  // then about j of object2, as it stands now
  state.orientation[1] = state.orientation[0] * q1 * q2;
  const JointValues v = jointValues(m, state, 0);
  EXPECT_NEAR(v.coordinate[0], 0.4, 1e-12);
  EXPECT_NEAR(v.coordinate[1], 0.3, 1e-12);
  EXPECT_NEAR(v.residual[3], 0, 1e-12);
  EXPECT_NEAR(dot(rotate(state.orientation[0], {1, 0, 0}), rotate(state.orientation[1], {0, 1, 0})),
              0, 1e-12);
}

}  // namespace
}  // namespace tenon
