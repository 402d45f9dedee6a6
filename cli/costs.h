// What a scene costs: read, compiled, assembled, and moved by some methods, stage by stage.
#pragma once

#include <tenon/posing.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scene_input.h"
#include "simulation.h"
#include "terminal.h"

namespace tenon::cli {

// How solids hang together.
struct GraphFacts {
  Index dynamic = 0;  // solids
  struct Island {
    Index solids = 0, joints = 0, loops = 0;
  };
  Island largest;
  std::vector<std::pair<Index, Index>>
      sizes;            // solids of an island, islands of that size; large first
  Index sameShape = 0;  // islands of the most frequent shape
  std::vector<std::pair<Index, Index>> hubs;  // solid, joints at it: those with most, four or more
};
[[nodiscard]] GraphFacts graphOf(const Mechanism& mechanism);

// Islands that went the same way for the same reasons.
struct WayTaken {
  std::string way;                   // "tree kernel", "loop kernel", "rows"
  std::vector<std::string> because;  // what keeps them from the kernels; of kernels: none
  Index islands = 0, solids = 0;     // in the step that had most of these islands
  std::uint64_t islandSteps = 0;     // in all steps
};

// One method, twice over the same steps: as it is, and with a clock at every stage.
struct MethodCost {
  Method method = Method::Energy;
  RunReport result;   // as it is
  StageTimes stages;  // a step's, by the second run, scaled to the time of the first [µs]
  double mean = 0, median = 0, slow = 0;  // [µs] of a step; slow: 99 % are faster
  double first = 0;                       // [µs] the first step, which also analyses the structure
  double realTime = 0;                    // seconds simulated in a second
  std::vector<std::string> notFast;       // why most steps were not made by kernels alone, if so
  std::vector<WayTaken>
      ways;           // in the order in which they came; none if the method knows no islands
  Index islands = 0;  // the most in a step
  std::uint64_t islandSteps = 0, looked = 0;  // in all steps; steps

  [[nodiscard]] bool ok() const { return result.status == RunStatus::Done; }
  [[nodiscard]] bool fast() const;
  [[nodiscard]] double perStep(double count) const;
  // Of the islands, the share of their steps that were made again, by rows.
  [[nodiscard]] double repeated() const;
};

struct SceneCosts {
  std::string file, title;
  const Mechanism* mechanism = nullptr;
  GraphFacts graph;
  double readMilliseconds = 0, compileMilliseconds = 0;
  std::optional<PoseReport> assembly;  // if joints were open as written
  std::optional<double> mechanismBytes,
      stepBytes;  // if the machine tells; steps: state and buffers
  int threads = 1;
  std::vector<MethodCost> methods;
  std::vector<std::string> advice;
};

struct CostSettings {
  RunSettings simulation;
  std::vector<Method> methods;
  int threads = 1;
};
// Ctrl-C ends it well, with the methods so far.
[[nodiscard]] SceneCosts costsOf(const std::string& file, LoadedScene& loaded,
                                 const CostSettings& settings, Progress& progress);

[[nodiscard]] std::string percentOf(double share);  // "35 %"
// "3 islands (48 solids) go by the tree kernel: …", "In 12 % of the steps, the island …"
[[nodiscard]] std::string wordsOf(const WayTaken& way, const MethodCost& cost);
// When rows step an island again.
inline constexpr const char* kRepeated =
    "limits and ropes that were met, joints that came into force, or kernels that did not converge";

// What the numbers say, in sentences.
[[nodiscard]] std::vector<std::string> adviceOn(const SceneCosts& costs);

// The names of the joints that close loops; of many, some: "a, b, c and 47 more".
[[nodiscard]] std::string loopClosersOf(const Mechanism& mechanism);

// Bytes in use by the program, if the C library tells.
[[nodiscard]] std::optional<double> bytesInUse();

}  // namespace tenon::cli
