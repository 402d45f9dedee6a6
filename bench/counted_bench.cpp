// Steps of one scene, for callgrind to count: bench/count_instructions.py runs it.
//   counted_bench SCENE METHOD VARIANT STEPS          METHOD `track` pulls: STEPS times from the start
//   counted_bench SCENE METHOD VARIANT STEPS time     the processor's time instead: the least, of 0.3 s or more
//   counted_bench SCENE METHOD VARIANT STEPS report   how good the same steps are, as JSON
// Prints the number of solids, and the time of a solid and step [µs]. Only what countedSteps does is counted; the first
// step, which also analyses the structure, is done before.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "cases/posing.h"
#include "cases/step_report.h"
#include "cases/steps.h"

// By this name callgrind knows it.
extern "C" [[gnu::noinline]] void countedSteps(const std::function<void()>& once, int steps) {
  for (int i = 0; i < steps; ++i) once();
  asm volatile("" : : : "memory");  // no tail call
}

namespace {

// [s] of the processor for `steps` times `once`: the least, over and over for 0.3 s.
double leastTime(const std::function<void()>& again, const std::function<void()>& once, int steps) {
  double least = 1e300, spent = 0;
  while (spent < 0.3) {
    again();
    const std::clock_t before = std::clock();
    countedSteps(once, steps);
    const double took = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    least = std::min(least, took);
    spent += std::max(took, 1e-6);
  }
  return least;
}

// Solids, and if it was timed the microseconds of a solid and step.
template <class Case>
int tell(const Case& done, double seconds, int steps) {
  const std::string failed = done.counters().failed;
  std::printf("%.0f %s", done.solids(), failed.c_str());
  if (steps > 0) std::printf("%.6g", 1e6 * seconds / done.solids() / steps);
  std::printf("\n");
  return failed.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tenon::bench;
  const std::string mode = argc == 6 ? argv[5] : "";
  if (argc < 5 || argc > 6 || (argc == 6 && mode != "time" && mode != "report")) {
    std::fprintf(stderr, "counted_bench SCENE METHOD VARIANT STEPS [time | report]\n");
    return 2;
  }
  const std::string scene = argv[1], name = argv[2];
  const int steps = std::atoi(argv[4]);
  if (name == "track") {
    Pull pull(scene, false);  // valgrind 3.19 does not know all of AVX2
    pull.once();
    if (mode == "time") return tell(pull, leastTime([] {}, [&] { pull.once(); }, steps), steps);
    countedSteps([&pull] { pull.once(); }, steps);
    return tell(pull, 0, 0);
  }
  tenon::Method method{};
  Variant variant{};
  if (!tenon::fromName(name, method) || !fromName(argv[3], variant)) {
    std::fprintf(stderr, "no method '%s', or no variant '%s'\n", argv[2], argv[3]);
    return 2;
  }
  if (mode == "report") {
    std::printf("%s\n", reportOn(scene, method, variant, steps).c_str());
    return 0;
  }
  Stepping stepping(scene, method, variant);
  stepping.once();
  if (mode == "time") {
    const auto again = [&stepping] {
      stepping.restart();
      stepping.once();
    };
    return tell(stepping,
                leastTime(
                    again, [&] { stepping.once(); }, steps),
                steps);
  }
  countedSteps([&stepping] { stepping.once(); }, steps);
  return tell(stepping, 0, 0);
}
