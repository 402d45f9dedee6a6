// A motor holds an arm against gravity, and is told from outside where to. Where it comes to rest the motor, a spring of
// stiffness k, balances the weight: k (target - φ) = ½ m g l cos φ.
#include <tenon/builder.h>
#include <tenon/simulation.h>

#include "expect.h"

using namespace tenon;

int main() {
  const double stiffness = 500, length = 1, mass = 4;
  SceneBuilder scene("Arm");
  const auto arm = scene.solid("arm").at({length / 2, 0, 0}).box({length, 0.1, 0.1}).mass(mass);
  scene.pin("shoulder", scene.world, arm, {0, 0, 0}, {0, 0, 1})
      .drive("angle", {.offset = 0}, stiffness, 60);
  Result<Scene> made = scene.scene();
  if (!made) return explained(made.problems());
  Result<Simulation> simulation = Simulation::of(std::move(*made));
  if (!simulation) return explained(simulation.problems());

  Expectations expect;
  const std::size_t motor = 0;  // the mechanism's only rule
  for (const double target : {0.5, 1.2, -0.8}) {
    simulation->steer().target[motor] = target;
    simulation->run(4);
    const double angle = *simulation->coordinate("shoulder", "angle");
    std::printf("target %5.2f rad, arm at %7.4f rad\n", target, angle);
    expect.near(stiffness * (target - angle), mass * 9.81 * length / 2 * std::cos(angle), 1e-3,
                "the torque of the motor");
  }
  return expect.result();
}
