// Steps in joint coordinates (`recursive`, Runge-Kutta): what one costs by the number of links, of a chain
// and of a bush. The time per link must not grow with their number.    [ForseyWilhelms1988 Table 2]
#include <benchmark/benchmark.h>
#include <tenon/step.h>
#include <tenon/tenon.h>

#include <string>

namespace {

using namespace tenon;

std::string figure(int links, bool bushy) {
  std::string text = "gravity 0 -9.81 0;\n";
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i), at = bushy ? "0" : n;
    text += "solid s" + n + "\n  box 1 0.1 0.1;\n  at " + at + ".5 0 0;\nend\njoint ball j" + n +
            "\n" + (i == 0 || bushy ? "" : "  object1 s" + std::to_string(i - 1) + ";\n") +
            "  object2 s" + n + ";\n  at " + at + " 0 0;\nend\n";
  }
  return text;
}

void stepsOf(benchmark::State& state, bool bushy) {
  const auto scene = parseScene(figure(static_cast<int>(state.range(0)), bushy), "figure");
  if (!scene) return state.SkipWithError("does not parse");
  const auto mechanism = compile(*scene);
  const Control control = initialControl(*mechanism);
  State at = initialState(*mechanism);
  StepSettings settings;
  settings.method = Method::Recursive;
  StepScratch scratch;
  for (auto _ : state)
    if (!step(*mechanism, control, settings, 1e-3, at, scratch).finite)
      state.SkipWithError("blown up");
  state.counters["us_per_link"] = benchmark::Counter(
      static_cast<double>(state.range(0)) * static_cast<double>(state.iterations()) * 1e-6,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void recursiveChain(benchmark::State& state) { stepsOf(state, false); }
void recursiveBush(benchmark::State& state) { stepsOf(state, true); }

#define SIZES ->RangeMultiplier(10)->Range(1, 10'000)->Unit(benchmark::kMicrosecond)
BENCHMARK(recursiveChain) SIZES;
BENCHMARK(recursiveBush) SIZES;

}  // namespace
