// All cases by Google Benchmark: `./dev bench [ARGS]`.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <ctime>

#include "cases/cases.h"

namespace {

using namespace tenon::bench;

double secondsNow(bool onWall) {
  if (onWall)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // of the processor
}

void run(benchmark::State& state, const Case& what) {
  const Prepared prepared = what.prepare();
  prepared.once();  // buffers, and what is analysed once
  const double before = secondsNow(what.onWall);
  for (auto _ : state) prepared.once();
  // Google's own rates would be printed as seconds.
  state.counters["us_per_solid"] = 1e6 * (secondsNow(what.onWall) - before) / prepared.solids /
                                   static_cast<double>(state.iterations());
  const Counters counters = prepared.counters();
  const auto tell = [&state](const char* name, double value) {
    if (!std::isnan(value)) state.counters[name] = value;
  };
  tell("error", counters.error);
  tell("iterations", counters.iterations);
  tell("halved", counters.halved);
  tell("unconverged", counters.unconverged);
  tell("fast", counters.fast);
  for (std::size_t s = 0; s < tenon::kStages; ++s)
    if (counters.stages.microseconds[s] > 0)
      state.counters["us_" + std::string(nameOf(static_cast<tenon::Stage>(s)))] =
          counters.stages.microseconds[s];
  if (!counters.failed.empty()) state.SkipWithError(counters.failed.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const Cases cases = allCases();
  for (const Case& each : cases) {
    auto* made = benchmark::RegisterBenchmark(
        each.name.c_str(), [&each](benchmark::State& state) { run(state, each); });
    made->Unit(benchmark::kMicrosecond);
    if (each.onWall) made->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
