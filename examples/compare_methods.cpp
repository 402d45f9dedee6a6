// The same pendulum by every method, two seconds long: what becomes of its energy and of its joint.
#include <tenon/simulation.h>

#include "expect.h"

using namespace tenon;

int main() {
  Expectations expect;
  std::printf("%-16s %12s %12s\n", "method", "energy drift", "joint error");
  for (const std::string& name : methodNames()) {
    Result<Simulation> pendulum = Simulation::load("examples/pendulum.tenon");
    if (!pendulum) return explained(pendulum.problems());
    Method method = Method::Energy;
    expect.that(fromName(name, method), name + " is a method");
    pendulum->settings().step.method = method;
    const RunReport report = pendulum->run(2);
    std::printf("%-16s %12.1e %12.1e\n", name.c_str(), report.energyDrift, report.maxError);
    expect.that(gotToItsEnd(report.status), name + " got to its end");
    if (method == Method::Energy) {
      expect.near(report.energyDrift, 0, 1e-9, "what energy has drifted");
      expect.near(report.maxError, 0, 1e-9, "the largest error of the joint");
    }
  }
  return expect.result();
}
