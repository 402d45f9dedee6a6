// Cases timed without any library, so that they also run in WebAssembly:
//   plain_bench [--list] [--time SECONDS] [PART-OF-A-NAME...]
// Prints a line for each: name, microseconds each time, microseconds per solid, joint error, iterations,
// the case it is compared with. Without a name: those that bench/compare_wasm.py compares.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "cases/cases.h"

namespace {

using namespace tenon::bench;

double secondsSince(std::chrono::steady_clock::time_point before) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

// The best of three: what disturbs only makes it longer.
double secondsOf(const Prepared& prepared, double atLeast) {
  prepared.once();
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3; ++round) {
    const auto before = std::chrono::steady_clock::now();
    long times = 0;
    double spent = 0;
    for (long more = 1; spent < atLeast / 3; more *= 2) {
      for (long i = 0; i < more; ++i) prepared.once();
      times += more;
      spent = secondsSince(before);
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
    const double microseconds = 1e6 * secondsOf(prepared, seconds);
    const Counters counters = prepared.counters();
    std::printf("%s\t%.6g\t%.6g\t%.3g\t%.4g\t%s\t%s\n", each.name.c_str(), microseconds,
                microseconds / prepared.solids, counters.error, counters.iterations,
                each.reference.empty() ? each.name.c_str() : each.reference.c_str(),
                counters.failed.c_str());
    std::fflush(stdout);
  }
  return 0;
}
