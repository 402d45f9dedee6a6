// A hundred pushes of one pendulum, on all cores: each ends in the same bits as if it were alone.
#include <tenon/simulation.h>

#include "expect.h"

using namespace tenon;

int main() {
  Result<Simulation> pendulum = Simulation::load("examples/pendulum.tenon");
  if (!pendulum) return explained(pendulum.problems());

  std::vector<State> starts(100, pendulum->sceneState());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const double push = 0.05 * static_cast<double>(i);  // [rad/s] about the pin
    starts[i].spin[0] = {0, 0, push};
    starts[i].velocity[0] = {0, push / 2, 0};
  }
  RolloutSettings settings;
  settings.steps = 240;
  const Result<Rollout> all = rollout(*pendulum, starts, settings);
  if (!all) return explained(all.problems());

  Expectations expect;
  expect.that(all->states.size() == starts.size(), "there is an end for each start");
  for (const std::size_t i : {0u, 42u, 99u}) {
    const Result<Rollout> one = rollout(*pendulum, {&starts[i], 1}, settings);
    if (!one) return explained(one.problems());
    expect.that(all->finite[i] != 0, "it stayed finite");
    expect.that(stateHash(one->states[0]) == stateHash(all->states[i]), "the bits are the same");
    expect.near(all->states[i].time, 1, 1e-9, "the time of 240 steps");
  }
  std::printf("%zu ends\n", all->states.size());
  return expect.result();
}
