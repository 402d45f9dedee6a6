// From text to mechanism: what parsing, compiling and counting cost, by the number of solids.
// The time per solid must not grow with their number.
#include <benchmark/benchmark.h>
#include <tenon/tenon.h>

#include <string>

namespace {

using namespace tenon;

// A chain of boxes, every solid and joint written out.
std::string writtenChain(int links) {
  std::string text;
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i);
    text += "solid link-" + n + "\n  box 1 0.1 0.1;\n  density 750;\n  at " + n + ".5 0 0;\nend\n";
    text += "joint ball joint-" + n + "\n" +
            (i == 0 ? "" : "  object1 link-" + std::to_string(i - 1) + ";\n") + "  object2 link-" +
            n + ";\n  at " + n + " 0 0;\nend\n";
  }
  return text;
}

// The same by repetition.
std::string repeatedChain(int links) {
  return "repeat i 0 " + std::to_string(links - 1) +
         "\n  solid link-(i)\n    box 1 0.1 0.1;\n    density 750;\n    at (i + 0.5) 0 0;\n  end\n"
         "  if (i == 0)\n    joint ball joint-(i)\n      object2 link-(i);\n    end\n"
         "  else\n    joint ball joint-(i)\n      object1 link-(i - 1);\n      object2 link-(i);\n"
         "      at (i) 0 0;\n    end\n  end\nend\n";
}

void perSolid(benchmark::State& state, double bytes = 0) {
  state.counters["us_per_solid"] = benchmark::Counter(
      static_cast<double>(state.range(0)) * static_cast<double>(state.iterations()) * 1e-6,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  if (bytes > 0)
    state.SetBytesProcessed(
        static_cast<std::int64_t>(bytes * static_cast<double>(state.iterations())));
}

void parseWritten(benchmark::State& state) {
  const std::string text = writtenChain(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    auto scene = parseScene(text, "chain");
    if (!scene) state.SkipWithError("does not parse");
    benchmark::DoNotOptimize(scene);
  }
  perSolid(state, static_cast<double>(text.size()));
}

void parseRepeated(benchmark::State& state) {
  const std::string text = repeatedChain(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    auto scene = parseScene(text, "chain");
    if (!scene) state.SkipWithError("does not parse");
    benchmark::DoNotOptimize(scene);
  }
  perSolid(state);
}

void compileChain(benchmark::State& state) {
  const auto scene = parseScene(repeatedChain(static_cast<int>(state.range(0))), "chain");
  if (!scene) return state.SkipWithError("does not parse");
  for (auto _ : state) {
    auto mechanism = compile(*scene);
    if (!mechanism) state.SkipWithError("does not compile");
    benchmark::DoNotOptimize(mechanism);
  }
  perSolid(state);
}

void countChain(benchmark::State& state) {
  const auto scene = parseScene(repeatedChain(static_cast<int>(state.range(0))), "chain");
  if (!scene) return state.SkipWithError("does not parse");
  const auto mechanism = compile(*scene);
  const Control control = initialControl(*mechanism);
  const State start = initialState(*mechanism);
  for (auto _ : state) {
    Counts counts = count(*mechanism, control, start);
    benchmark::DoNotOptimize(counts);
  }
  perSolid(state);
}

// Rows without allocation: the buffers are kept.
void emitRowsOfChain(benchmark::State& state) {
  const auto scene = parseScene(repeatedChain(static_cast<int>(state.range(0))), "chain");
  if (!scene) return state.SkipWithError("does not parse");
  const auto mechanism = compile(*scene);
  const Control control = initialControl(*mechanism);
  const State start = initialState(*mechanism);
  Rows rows;
  for (auto _ : state) {
    rows.clear();
    emitRows(*mechanism, control, start, rows);
    benchmark::DoNotOptimize(rows);
  }
  perSolid(state);
}

#define SIZES ->RangeMultiplier(10)->Range(100, 100'000)->Unit(benchmark::kMillisecond)
BENCHMARK(parseWritten) SIZES;
BENCHMARK(parseRepeated) SIZES;
BENCHMARK(compileChain) SIZES;
BENCHMARK(countChain) SIZES;
BENCHMARK(emitRowsOfChain) SIZES;

}  // namespace

BENCHMARK_MAIN();
