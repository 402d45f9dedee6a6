// The law of bounds: which rows take part in a solve, and what the others push with.
//
// A row has a total multiplier p within [lower, upper], and is off by u: a gap, a range that is left, a slip. What it
// pushes with is the projection
//   p = P(y),    y = p - u/w,    P: to the nearest number within the bounds,
// w > 0 being what a unit of its multiplier moves it by. So where y lies within, u = 0 is asked for and the row holds;
// where it lies beyond a bound, p is that bound, and u does not matter. Of a limit or a rope (lower = 0) this is
// u >= 0, p >= 0, u p = 0; of friction (-µN, µN) it sticks within its cone and slides against the slip on its rim.
//
// Newton's method on p = P(y) is exact once it is known which rows hold, and may go in circles before. So a row
// that comes and goes is held by u + b w (p_new - p) = 0 with b > 0: it turns less at a time, and ends at the same.  [Alart & Curnier 1991; contact is to use the same law, with impulses]
#pragma once

#include <algorithm>
#include <cstdint>

namespace tenon {

enum class Bounded : std::uint8_t { AtLower, Inside, AtUpper };  // Inside: it holds

struct BoundedRow {
  double push = 0;      // p
  double off = 0;       // u
  double mobility = 1;  // w
  double lower = 0, upper = 0;
};

// Where a row stands. One that does not hold comes to hold only where it is off by more than `slack`, so that rounding
// does not make it come and go.
[[nodiscard]] inline Bounded boundedBy(const BoundedRow& row, Bounded was, double slack) {
  const double y = row.push - row.off / row.mobility, more = slack / row.mobility;
  if (was == Bounded::AtLower && y <= row.lower + more) return was;
  if (was == Bounded::AtUpper && y >= row.upper - more) return was;
  return y < row.lower ? Bounded::AtLower : y > row.upper ? Bounded::AtUpper : Bounded::Inside;
}

// b of a row that has come and gone so often in a solve. It fades in iterations in which none does, because with b a row
// gets nearer by b w/(w' + b w) only, w' being what moves it where all others hold.
inline constexpr int kMostChanges = 12;  // the step is too long for one that changes more often
[[nodiscard]] inline double looseness(int changes, int calm) {
  double b = changes > 2 ? 0.03 : 0;
  for (int i = 0; i < calm && b > 1e-12; ++i) b *= 0.1;
  return b;
}

// The same projection for numbers that may be lanes: `pick(which, a, b)` is a where it is so, and b elsewhere. A row
// that holds does so by λ = p - u/(e w), which slopes by 1/(e w): with e far below 1 that is u = 0 after two
// iterations, and it needs no equation of its own.
inline constexpr double kStiffest = 1e-6;  // e
template <class R>
struct StiffPush {
  R lambda, slope;
};
template <class R, class Pick>
[[gnu::always_inline]] inline StiffPush<R> stiffPush(const R& push, const R& off, const R& mobility,
                                                     const R& lower, const R& upper, const R& zero,
                                                     const R& stiffest, const Pick& pick) {
  const R y = push - off / mobility, slope = stiffest / mobility, held = push - slope * off;
  return {pick(y > upper, upper, pick(y < lower, lower, held)),
          pick(y > upper, zero, pick(y < lower, zero, slope))};
}

}  // namespace tenon
