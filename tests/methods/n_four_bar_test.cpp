// scenes/linkages/n-four-bar.tenon against the closed form of its one degree of freedom.
#include <gtest/gtest.h>

#include "moving.h"

namespace tenon::test {
namespace {

// All links are thin rods of 1 m and 1 kg. The n + 1 uprights turn by the same angle φ from the vertical and the
// n bars are carried along without turning, so with 1/3 kg m² of an upright about its foot
//   T = ½ ((n + 1)/3 + n) φ̇²,   V = g ((n + 1)/2 + n) cos φ,
//   φ̈ = k sin φ,                k = g ((n + 1)/2 + n) / ((n + 1)/3 + n).
// The classical Runge-Kutta method at 1e-5 s gives φ to rounding error.
double referenceAngle(int n, double time) {
  const double k = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
  const int steps = 100'000;
  const double h = time / steps;
  double phi = 0, rate = 1;  // B0 moves at 1 m/s
  for (int i = 0; i < steps; ++i) {
    const double v1 = rate, a1 = k * std::sin(phi);
    const double v2 = rate + h / 2 * a1, a2 = k * std::sin(phi + h / 2 * v1);
    const double v3 = rate + h / 2 * a2, a3 = k * std::sin(phi + h / 2 * v2);
    const double v4 = rate + h * a3, a4 = k * std::sin(phi + h * v3);
    phi += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return phi;
}

// How far the first upright's middle is from the reference after 1 s; the pose in which all links lie in line
// is passed on the way.
double errorAfterOneSecond(int n, int stepsPerSecond) {
  ParseOptions options;
  options.set = {{"n", std::to_string(n)}};
  Moving p(loadScene(std::string(TENON_SOURCE_DIR) + "/scenes/linkages/n-four-bar.tenon", options));
  p.settings.method = Method::Energy;
  EXPECT_EQ(p.m.solidNames[0], "upright-0");
  EXPECT_TRUE(p.run(1, 1.0 / stepsPerSecond));
  const double phi = referenceAngle(n, 1);
  EXPECT_GT(phi, kPi / 2);
  const Vec3 middle = p.state.position[0];
  return std::hypot(middle.x - 0.5 * std::sin(phi), middle.y - 0.5 * std::cos(phi));
}

TEST(NFourBar, MovesAsTheThinRodsOfTheBenchmarkWithErrorsOfSecondOrder) {
  for (const int n : {1, 2}) {
    const double coarse = errorAfterOneSecond(n, 500), fine = errorAfterOneSecond(n, 1000);
    EXPECT_LT(fine, 1e-5) << n;
    EXPECT_GT(coarse / fine, 3.5) << n;
    EXPECT_LT(coarse / fine, 4.5) << n;
  }
}

}  // namespace
}  // namespace tenon::test
