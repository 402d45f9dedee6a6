// What an example says at its end: everything that is not as it should be, and 1, or nothing and 0.
#pragma once

#include <tenon/result.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

struct Expectations {
  int failed = 0;

  void that(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("does not hold: %s\n", what.c_str());
    ++failed;
  }
  void near(double measured, double wanted, double tolerance, const std::string& what) {
    if (std::abs(measured - wanted) <= tolerance) return;
    std::printf("%s is %.12g, not %.12g to %g\n", what.c_str(), measured, wanted, tolerance);
    ++failed;
  }
  [[nodiscard]] int result() const { return failed == 0 ? 0 : 1; }
};

// Says what is wrong; for `return`.
inline int explained(const std::vector<tenon::Problem>& problems) {
  for (const tenon::Problem& problem : problems) std::puts(tenon::describe(problem).c_str());
  return 1;
}
