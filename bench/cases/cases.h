// Benchmarks as data: a name and what is done over and over. Two programs run them: google_bench.cpp,
// natively, and plain_bench.cpp, which needs nothing and therefore also runs in WebAssembly.
#pragma once

#include <tenon/stage.h>
#include <tenon/tenon.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tenon::bench {

// What a case tells besides its time; not a number: it has no such thing.
struct Counters {
  double error = std::numeric_limits<double>::quiet_NaN();       // [m], [rad] joint error reached
  double iterations = std::numeric_limits<double>::quiet_NaN();  // each time
  double halved = std::numeric_limits<double>::quiet_NaN();  // share of the steps that were split
  double unconverged =
      std::numeric_limits<double>::quiet_NaN();            // share that did not reach the tolerance
  double fast = std::numeric_limits<double>::quiet_NaN();  // share of the steps by the fast path
  StageTimes stages;   // a step's [µs]; all zero: it was not timed
  std::string failed;  // empty: it did what it should
};

// A case ready to be run: whatever it needs is read and warm.
struct Prepared {
  double solids = 1;
  std::function<void()> once;
  std::function<Counters()> counters = [] { return Counters{}; };
};

struct Case {
  std::string name;  // "step/s1-100/energy"
  std::function<Prepared()> prepare;
  bool ofBoth = false;  // of the comparison between native and WebAssembly
  bool onWall = false;  // several threads: the time on the wall counts
  // The case whose native time that in WebAssembly is compared with; empty: itself.
  std::string reference = {};
};
using Cases = std::vector<Case>;

void addLanguageCases(Cases& cases);  // parse, compile, count
void addStageCases(Cases& cases);     // rows, loads, measures
void addStepCases(Cases& cases);      // whole steps, by method
void addSolverCases(Cases& cases);    // linear solvers
void addPosingCases(Cases& cases);    // assemble, track
[[nodiscard]] Cases allCases();

// Keeps the compiler from leaving out what is only measured.
template <class T>
inline void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace tenon::bench
