// The equations of a two-link arm, and the torques that move it as wanted.
//
//   M = [a + 2 c cos q₂, b + c cos q₂; b + c cos q₂, b],   a = I₁ + I₂ + m₁ r² + m₂ (L² + r²),  b = I₂ + m₂ r²,  c = m₂ L r
#include <tenon/builder.h>
#include <tenon/dynamics.h>
#include <tenon/simulation.h>

#include "expect.h"

using namespace tenon;

int main() {
  const double length = 0.6, width = 0.05, elbow = 0.7;  // [m], [m], [rad]
  SceneBuilder scene("Two-link arm");
  const Vec3 tip{length, 0, 0};
  const auto upper = scene.solid("upper").at({length / 2, 0, 0}).box({length, width, width});
  const auto lower = scene.solid("lower").at({1.5 * length, 0, 0}).box({length, width, width});
  scene.pin("shoulder", scene.world, upper, {0, 0, 0}, {0, 0, 1});
  scene.pin("elbow", upper, lower, tip, {0, 0, 1});
  Result<Scene> made = scene.scene();
  if (!made) return explained(made.problems());
  Result<Simulation> arm = Simulation::of(std::move(*made));
  if (!arm) return explained(arm.problems());

  // Bent at its elbow, and swinging.
  StepScratch scratch;
  const Index joint = index(*findJoint(arm->mechanism(), "elbow"));
  setCoordinate(arm->mechanism(), arm->control(), arm->settings().step, joint, 0, elbow,
                arm->editState(), scratch);
  const Quat turn = arm->state().orientation[1];
  arm->editState().spin = {{0, 0, 0.5}, {0, 0, -1}};
  arm->editState().velocity = {
      cross(Vec3{0, 0, 0.5}, 0.5 * tip),
      cross(Vec3{0, 0, 0.5}, tip) + cross(Vec3{0, 0, -1}, rotate(turn, 0.5 * tip))};

  const Result<Dynamics> dynamics = Dynamics::at(arm->mechanism(), arm->control(), arm->state());
  if (!dynamics) return explained(dynamics.problems());

  const double mass = 1000 * length * width * width, half = length / 2;
  const double inertia = mass * (length * length + width * width) / 12;
  const double b = inertia + mass * half * half, c = mass * length * half;
  const double a = 2 * inertia + mass * (length * length + 2 * half * half);
  Expectations expect;
  const Matrix& M = dynamics->massMatrix();
  expect.near(M(0, 0), a + 2 * c * std::cos(elbow), 1e-12, "M of the shoulder");
  expect.near(M(0, 1), b + c * std::cos(elbow), 1e-12, "M between them");
  expect.near(M(1, 1), b, 1e-12, "M of the elbow");

  // Coriolis and centrifugal: -c sin q₂ (2 q̇₁ q̇₂ + q̇₂²), c sin q₂ q̇₁², with q̇ = 0.5 and -1.5.
  const std::vector<double> h = dynamics->biasForces(BiasParts::Speeds);
  expect.near(h[0], -c * std::sin(elbow) * (2 * 0.5 * -1.5 + 1.5 * 1.5), 1e-12, "bias, shoulder");
  expect.near(h[1], c * std::sin(elbow) * 0.25, 1e-12, "bias, elbow");

  // The torques for wanted accelerations, and back.
  const std::vector<double> wanted{2, -3};
  const std::vector<double> torques = dynamics->inverseDynamics(wanted);
  std::printf("torques %.4f and %.4f N m\n", torques[0], torques[1]);
  const std::vector<double> reached = dynamics->forwardDynamics(torques).accelerations;
  for (std::size_t i = 0; i < 2; ++i) expect.near(reached[i], wanted[i], 1e-10, "acceleration");
  return expect.result();
}
