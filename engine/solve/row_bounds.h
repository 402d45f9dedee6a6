// The law of bounds for rows, in methods that have an iteration of their own: whether a row takes part, and within which
// bounds it pushes. See bounds.h.
#pragma once

#include <tenon/rows.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solve/bounds.h"

namespace tenon {

// What the rows that carry the load of a row push with in all; `pushOf`, by row.
template <class PushOf>
[[nodiscard]] double carriedBy(const Row& row, const PushOf& pushOf) {
  double sum = 0;
  for (Index i = row.loadFirst; i < row.loadFirst + row.loadCount; ++i) {
    const double push = pushOf(i);
    sum += push * push;
  }
  return std::sqrt(sum);
}
// Within which bounds it pushes then, if a multiplier stands for `unit` times it.
[[nodiscard]] inline BoundedRow boundedRow(const Row& row, double carried, double unit) {
  const double load = row.load * carried;
  return {0, 0, 1, unit * row.lower - load, unit * row.upper + load};
}

// Of bounds (Φ >= 0, λ >= 0) in a solve that begins with λ = 0, in units of u.
[[nodiscard]] inline BoundedRow boundAt(double push, double off) {
  return {push, off, 1, 0, std::numeric_limits<double>::infinity()};
}
// Whether one takes part that is off by so much without it.
[[nodiscard]] inline bool comesToHold(double off) {
  return boundedBy(boundAt(0, off), Bounded::AtLower, 0) == Bounded::Inside;
}
// Whether one is there, passed or not.
[[nodiscard]] inline bool isReached(double off) {
  return boundedBy(boundAt(0, off)) == Bounded::Inside;
}
// Whether one that took part, and pushed with so much, still does.
[[nodiscard]] inline bool goesOnHolding(double push) {
  return boundedBy(boundAt(push, 0)) == Bounded::Inside;
}

// Which bounds hold in a sequence of such solves, each of which begins where the one before led. Multipliers vanish as it
// ends, so all that is remembered of a bound is whether it pushed, by its key: rows may come and go.
class HeldBounds {
 public:
  // None holds, of so many keys.
  void clear(std::size_t keys) { holds_.assign(keys, false); }
  // There are so many keys. New ones do not hold.
  void expect(std::size_t keys) { holds_.resize(keys, false); }
  // None holds.
  void forget() { std::fill(holds_.begin(), holds_.end(), false); }
  // All that are near hold, until they are seen not to push.
  void holdAll() { std::fill(holds_.begin(), holds_.end(), true); }
  // Whether a bound takes part in the next solve. One that does not hold is off by more than `come` to do so.
  [[nodiscard]] bool takesPart(Index key, double off, double come) const {
    const Bounded was = holds_[key] ? Bounded::Inside : Bounded::AtLower;
    return boundedBy(boundAt(0, off), was, come, kLeave) == Bounded::Inside;
  }
  // What a bound that took part pushed with. False if it did not: it is not wanted there.
  bool see(Index key, double push) {
    const bool holds = boundedBy(boundAt(push, 0), Bounded::AtLower, 0) == Bounded::Inside;
    if (holds) holds_[key] = true;
    return holds;
  }

 private:
  // [m], [rad] So far from it a bound that held is left behind.
  static constexpr double kLeave = 1e-3;
  std::vector<bool> holds_;  // by key
};

}  // namespace tenon
