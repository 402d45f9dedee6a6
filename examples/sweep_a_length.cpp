// How far the rocker of a four-bar linkage swings, by the length of its coupler. It turns back where crank and coupler
// are in line: there the triangle of rocker, base and coupler ± crank gives its angle.
#include <tenon/simulation.h>

#include <algorithm>

#include "expect.h"

using namespace tenon;

int main() {
  const double crank = 0.15, rocker = 0.30, base = 0.40;
  const auto angleAt = [&](double reach) {  // law of cosines
    return std::acos((rocker * rocker + base * base - reach * reach) / (2 * rocker * base));
  };
  Expectations expect;
  std::printf("coupler  swing of the rocker\n");
  for (const double coupler : {0.38, 0.40, 0.42, 0.44}) {
    ParseOptions options;
    options.set = {{"coupler", std::to_string(coupler)}};
    Result<Simulation> linkage = Simulation::load("scenes/linkages/four-bar.tenon", options);
    if (!linkage) return explained(linkage.problems());

    StepScratch scratch;
    const std::size_t motor = 0;  // the joint O, which the scene has first
    double least = kInfinity, most = -kInfinity;
    for (int degree = 0; degree <= 360; degree += 2) {
      setCoordinate(linkage->mechanism(), linkage->control(), linkage->settings().step, motor, 0,
                    degree * kPi / 180, linkage->editState(), scratch);
      const double swing = *linkage->coordinate("C", "angle");
      least = std::min(least, swing);
      most = std::max(most, swing);
    }
    std::printf("  %.2f m   %.3f rad\n", coupler, most - least);
    expect.near(most - least, angleAt(coupler + crank) - angleAt(coupler - crank), 2e-3,
                "the swing at coupler " + std::to_string(coupler));
  }
  return expect.result();
}
