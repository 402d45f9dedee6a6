// A quantity over time in little memory: neighbours are put together as it grows, and each group
// keeps its least and its largest value, so that a spike of one step stays visible.
#pragma once

#include <cstddef>
#include <vector>

namespace tenon::cli {

class Series {
 public:
  static constexpr std::size_t kMost = 800;  // groups

  struct Group {
    double time = 0;  // [s] the middle of its steps
    double least = 0, largest = 0;
    double typical = 0;  // the median of the means of its parts: without the spikes
  };

  // A value that is not finite is a gap.
  void add(double time, double value);
  [[nodiscard]] std::vector<Group> groups(std::size_t most = kMost) const;

 private:
  struct Sum {
    double first = 0, last = 0;  // [s]
    double least = 0, largest = 0, sum = 0;
    std::size_t count = 0;  // of finite values
    std::size_t steps = 0;
  };
  static void join(Sum& sum, const Sum& next);

  std::vector<Sum> sums_;
  std::size_t perGroup_ = 1;  // steps
};

}  // namespace tenon::cli
