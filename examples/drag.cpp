// Drags a four-bar linkage by the end of its crank, as a pointer would. The end goes to where it is pulled as long as
// it can get there, and else as near as the crank is long; all other bars follow.
#include <tenon/simulation.h>

#include <algorithm>

#include "expect.h"

using namespace tenon;

int main() {
  Result<Simulation> linkage = Simulation::load("scenes/linkages/four-bar.tenon");
  if (!linkage) return explained(linkage.problems());
  const Mechanism& mechanism = linkage->mechanism();
  const double crank = 0.15;

  const auto& names = mechanism.solidNames;
  Want hand;
  hand.solid = static_cast<Index>(std::find(names.begin(), names.end(), "crank") - names.begin());
  hand.point = {crank / 2, 0, 0};  // of the crank, from its middle

  Expectations expect;
  PoseSettings settings;
  PoseScratch scratch;
  const double start = kPi / 3, height = 0.015;  // of the scene as written
  for (int i = 1; i <= 90; ++i) {
    const double angle = start + i * kPi / 45;
    const double radius = i <= 60 ? crank : 2 * crank;  // out of reach in the end
    hand.target = {radius * std::cos(angle), radius * std::sin(angle), height};
    const PoseReport report =
        track(mechanism, linkage->control(), {hand}, settings, linkage->editState(), scratch);
    expect.near(report.maxError, 0, 1e-9, "the error of the joints");
    expect.near(report.wantError, radius - crank, 1e-6, "how far the hand is from its target");
  }
  std::printf("dragged twice round; the joints are closed to %.1e\n", linkage->error().max);
  return expect.result();
}
