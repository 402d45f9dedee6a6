#include "series.h"

#include <algorithm>
#include <cmath>

namespace tenon::cli {

void Series::join(Sum& sum, const Sum& next) {
  if (sum.steps == 0) {
    sum = next;
    return;
  }
  sum.last = next.last;
  sum.steps += next.steps;
  if (next.count == 0) return;
  sum.least = sum.count == 0 ? next.least : std::min(sum.least, next.least);
  sum.largest = sum.count == 0 ? next.largest : std::max(sum.largest, next.largest);
  sum.sum += next.sum;
  sum.count += next.count;
}

void Series::add(double time, double value) {
  const bool finite = std::isfinite(value);
  const Sum one =
      finite ? Sum{time, time, value, value, value, 1, 1} : Sum{time, time, 0, 0, 0, 0, 1};
  if (sums_.empty() || sums_.back().steps == perGroup_) {
    if (sums_.size() == kMost) {
      for (std::size_t i = 0; i < kMost / 2; ++i) {
        Sum pair = sums_[2 * i];
        join(pair, sums_[2 * i + 1]);
        sums_[i] = pair;
      }
      sums_.resize(kMost / 2);
      perGroup_ *= 2;
    }
    sums_.emplace_back();
  }
  join(sums_.back(), one);
}

std::vector<Series::Group> Series::groups(std::size_t most) const {
  std::vector<Group> groups;
  const std::size_t parts = (sums_.size() + most - 1) / most;
  std::vector<double> means;
  for (std::size_t i = 0; i < sums_.size(); i += parts) {
    Sum all;
    means.clear();
    for (std::size_t k = i; k < std::min(i + parts, sums_.size()); ++k) {
      join(all, sums_[k]);
      if (sums_[k].count > 0) means.push_back(sums_[k].sum / static_cast<double>(sums_[k].count));
    }
    if (means.empty()) continue;
    const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
    std::nth_element(means.begin(), middle, means.end());
    groups.push_back({(all.first + all.last) / 2, all.least, all.largest, *middle});
  }
  return groups;
}

}  // namespace tenon::cli
