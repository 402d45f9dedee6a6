// Reads a scene, runs it, reads a coordinate. A pendulum that is let go at a right angle is on the other side after half
// of its period, T = 2π √(I/mgd) / agm(1, cos ½θ).
#include <tenon/simulation.h>

#include "expect.h"

using namespace tenon;

int main() {
  Result<Simulation> pendulum = Simulation::load("examples/pendulum.tenon");
  if (!pendulum) return explained(pendulum.problems());

  const double arm = 0.5, inertia = (1 + 0.04 * 0.04) / 12 + arm * arm;  // of 1 kg, about the pin
  double a = 1, b = std::cos(kPi / 4);
  for (int i = 0; i < 6; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const double period = 2 * kPi * std::sqrt(inertia / (9.81 * arm)) / a;

  const RunReport report = pendulum->run(period / 2);
  const std::optional<double> angle = pendulum->coordinate("pivot", "angle");
  std::printf("after %.4f s: %.6f rad, energy drift %.1e, %s\n", pendulum->time(), *angle,
              report.energyDrift, std::string(nameOf(report.status)).c_str());

  Expectations expect;
  expect.that(report.status == RunStatus::Done, "it got to its end");
  expect.near(*angle, -kPi, 1e-3, "the angle after half a period");
  expect.near(report.energyDrift, 0, 1e-9, "what energy has drifted");
  expect.near(report.maxError, 0, 1e-9, "the largest error of the joint");
  return expect.result();
}
