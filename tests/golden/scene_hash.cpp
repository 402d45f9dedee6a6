// Prints a line `scene method hash hash` for every scene named on the command line and every method: hashes of the state after
// some steps and of what it remembers, or "refused" and the step. `--random N` stands for N crowds of random mechanisms, by the
// methods that go island by island. tests/golden/scenes compares what several builds print. After `--start` it prints
// `hash scene` instead: of the state as a scene opens, for tests/golden/start.
#include <tenon/tenon.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/random_crowd.h"

namespace {

using namespace tenon;

constexpr int kSteps = 10;
constexpr double kStep = 1.0 / 120;  // [s]

// Scenes that are large as they are written, made smaller.
ParseOptions sizeOf(const std::string& path) {
  struct Smaller {
    const char *scene, *parameter, *value;
  };
  constexpr Smaller kSmaller[] = {{"figures/crowd", "people", "2"},
                                  {"peers/s3", "N", "6"},
                                  {"peers/s5", "people", "2"},
                                  {"peers/r1", "people", "2"},
                                  {"linkages/strandbeest", "pairs", "2"}};
  ParseOptions options;
  for (const Smaller& smaller : kSmaller)
    if (path.find(smaller.scene) != std::string::npos)
      options.set.emplace_back(smaller.parameter, smaller.value);
  return options;
}

// Of the state, and of what it remembers: multipliers, turns that are counted, places found on curves.
void printHash(const State& state) {
  std::uint64_t remembered = 14695981039346656037ULL;  // FNV-1a
  for (const std::vector<double>* of : {&state.multiplier, &state.memory})
    for (const double x : *of) {
      const double number = x == 0 ? 0 : x;  // -0, too
      std::uint64_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      for (int k = 0; k < 8; ++k)
        remembered = (remembered ^ (bits >> (8 * k) & 0xff)) * 1099511628211ULL;
    }
  std::printf("%016" PRIx64 " %016" PRIx64 "\n", stateHash(state).value_or(0), remembered);
}

void run(const std::string& path, const Mechanism& mechanism, const Control& control,
         const State& start, const std::string& name) {
  StepSettings settings;
  if (!fromName(name, settings.method)) return;
  if (settings.method == Method::Relaxation) settings.iterations = 5;  // of thousands
  State state = start;
  StepScratch scratch;
  std::printf("%s %s ", path.c_str(), name.c_str());
  for (int i = 0; i < kSteps; ++i) {
    const StepReport report = step(mechanism, control, settings, kStep, state, scratch);
    if (!report.finite || report.stopped) {
      std::printf("refused at step %d, ", i + 1);
      break;
    }
  }
  printHash(state);
}

// Hands come and go, joints are switched, gravity changes: as tests/random has it.
bool runCrowd(std::uint64_t seed) {
  const test::RandomCrowd crowd = test::randomCrowd(seed);
  const Result<Mechanism> mechanism = compile(test::sceneOf(crowd));
  if (!mechanism.ok()) {
    std::printf("%s\n", describe(mechanism.problems().front()).c_str());
    return false;
  }
  for (const Method method : {Method::Energy, Method::Interactive}) {
    StepSettings settings;
    settings.method = method;
    Control control = initialControl(*mechanism);
    State state = initialState(*mechanism);
    StepScratch scratch;
    std::printf("random-%" PRIu64 " %s ", seed, std::string(nameOf(method)).c_str());
    for (int i = 0; i < crowd.steps; ++i) {
      test::steer(crowd, {}, *mechanism, i, control);
      if (step(*mechanism, control, settings, crowd.dt, state, scratch).finite) continue;
      std::printf("refused at step %d, ", i + 1);
      break;
    }
    printHash(state);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool onlyStart = false;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    if (path == "--start") {
      onlyStart = true;
      continue;
    }
    if (path == "--random" && i + 1 < argc) {
      const auto count = static_cast<std::uint64_t>(std::atoi(argv[++i]));
      for (std::uint64_t seed = 1; seed <= count; ++seed)
        if (!runCrowd(seed)) return 1;
      continue;
    }
    const Result<Scene> scene = loadScene(path, onlyStart ? ParseOptions{} : sizeOf(path));
    const Result<Mechanism> mechanism =
        scene.ok() ? compile(*scene) : Result<Mechanism>(scene.problems());
    if (!mechanism.ok()) {
      std::printf("%s\n", describe(mechanism.problems().front()).c_str());
      return 1;
    }
    if (onlyStart) {
      std::printf("%016" PRIx64 " %s\n", stateHash(initialState(*mechanism)).value_or(0),
                  path.c_str());
      continue;
    }
    // As `tenon simulate` begins: closed, and with velocities that the joints allow.
    const Control control = initialControl(*mechanism);
    State start = initialState(*mechanism);
    PoseScratch posing;
    assemble(*mechanism, control, {}, {}, start, posing);
    projectVelocities(*mechanism, control, start, posing);
    for (const std::string& name : methodNames()) run(path, *mechanism, control, start, name);
  }
}
