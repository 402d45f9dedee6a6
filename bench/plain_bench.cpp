// Cases timed without any library, so that they also run in WebAssembly:
//   plain_bench [--list] [--time SECONDS] [PART-OF-A-NAME...]
// Prints a line for each: name, microseconds each time, microseconds per solid, joint error, iterations,
// the case it is compared with. Without a name: those that bench/compare_wasm.py compares.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>

#include "cases/cases.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

namespace {

using namespace tenon::bench;

// Of the processor, so that others on the machine do not count; on the wall for several threads.
double secondsNow(bool onWall) {
  if (onWall)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
#ifdef __EMSCRIPTEN__
  return 1e-6 * EM_ASM_DOUBLE({
           const used = process.cpuUsage();
           return used.user + used.system;
         });
#else
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

// The best of three: what disturbs only makes it longer.
double secondsOf(const Prepared& prepared, bool onWall, double atLeast) {
  prepared.once();
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round) {
    const double before = secondsNow(onWall);
    long times = 0;
    double spent = 0;
    for (long more = 1; spent < atLeast / 3; more *= 2) {
      for (long i = 0; i < more; ++i) prepared.once();
      times += more;
      spent = secondsNow(onWall) - before;
    }
    if (spent / static_cast<double>(times) < best) best = spent / static_cast<double>(times);
  }
  return best;
}

bool wanted(const Case& what, const std::vector<std::string>& names) {
  if (names.empty()) return what.ofBoth;
  for (const std::string& name : names)
    if (what.name.find(name) != std::string::npos) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names;
  bool list = false;
  double seconds = 0.3;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--list") == 0)
      list = true;
    else if (std::strcmp(argv[i], "--time") == 0 && i + 1 < argc)
      seconds = std::atof(argv[++i]);
    else
      names.emplace_back(argv[i]);
  }
  for (const Case& each : allCases()) {
    if (!wanted(each, names)) continue;
    if (list) {
      std::printf("%s\n", each.name.c_str());
      continue;
    }
    const Prepared prepared = each.prepare();
    const double microseconds = 1e6 * secondsOf(prepared, each.onWall, seconds);
    const Counters counters = prepared.counters();
    std::printf("%s\t%.6g\t%.6g\t%.3g\t%.4g\t%s\t%s\n", each.name.c_str(), microseconds,
                microseconds / prepared.solids, counters.error, counters.iterations,
                each.reference.empty() ? each.name.c_str() : each.reference.c_str(),
                counters.failed.c_str());
    std::fflush(stdout);
  }
  return 0;
}
