// Throws the bars of a four-bar linkage about, and puts them together again.
#include <tenon/simulation.h>

#include "expect.h"

using namespace tenon;

int main() {
  Result<Simulation> linkage = Simulation::load("scenes/linkages/four-bar.tenon");
  if (!linkage) return explained(linkage.problems());

  Expectations expect;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    scatter(linkage->mechanism(), seed, linkage->editState());
    const double open = linkage->error().max;
    const PoseReport report = linkage->assemble();
    std::printf("open by %.2f m, closed to %.1e m in %d iterations\n", open, report.maxMetres,
                report.iterations);
    expect.that(open > 0.1, "the bars lie about");
    expect.that(report.closed, "every joint is closed: " + report.reason);
    expect.near(linkage->error().max, 0, 1e-9, "what is left open");
  }
  return expect.result();
}
