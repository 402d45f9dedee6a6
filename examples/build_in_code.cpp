// A door made in code. Pushed, it comes to rest by its damper: φ = ω I/c (1 - exp(-c t/I)).
#include <tenon/builder.h>
#include <tenon/simulation.h>

#include "expect.h"

using namespace tenon;

int main() {
  const double push = 0.2, damping = 2;  // [rad/s], [N m s/rad]

  SceneBuilder scene("Door");
  const auto door = scene.solid("door")
                        .at({0.45, 1, 0})
                        .box({0.9, 2, 0.04})
                        .density(600)
                        .velocity({0, 0, -0.45 * push})
                        .spin({0, push, 0});
  scene.pin("hinge", scene.world, door, {0, 1, 0}, {0, 1, 0})
      .limit("angle", 0, kPi / 2)
      .damper("angle", damping);

  Result<Scene> made = scene.scene();
  if (!made) return explained(made.problems());
  std::printf("%s", printScene(*made).c_str());

  Result<Simulation> simulation = Simulation::of(std::move(*made));
  if (!simulation) return explained(simulation.problems());
  simulation->run(2);

  const double mass = 0.9 * 2 * 0.04 * 600;
  const double inertia = mass * ((0.9 * 0.9 + 0.04 * 0.04) / 12 + 0.45 * 0.45);
  Expectations expect;
  expect.near(*simulation->coordinate("hinge", "angle"),
              push * inertia / damping * (1 - std::exp(-damping * 2 / inertia)), 1e-5,
              "the angle of the door");
  return expect.result();
}
