// The law of bounds: which rows take part in a solve, and what the others push with.
//
// A row has a total multiplier p within [lower, upper], and is off by u: a gap, a range that is left, a slip. What it
// pushes with is the projection
//   p = P(y),    y = p - u/w,    P: to the nearest number within the bounds,
// w > 0 being what a unit of its multiplier moves it by. So where y lies within, u = 0 is asked for and the row holds;
// where it lies beyond a bound, p is that bound, and u does not matter. Of a limit or a rope (lower = 0) this is
// u >= 0, p >= 0, u p = 0; of friction (-µN, µN) it sticks within its cone and slides against the slip on its rim.
// A row that yields by c p asks for u + c p = 0: that takes the place of u, and w + c that of w.
//
// Newton's method on p = P(y) needs ∂P/∂y. It is exact once it is known which rows hold, and may go in circles before. So a
// row that comes and goes is held by u + b w (p_new - p) = 0 with b > 0: it turns less at a time, and ends at the same.
//                                                                                        [Alart & Curnier 1991]
// Methods ask it for rows by row_bounds.h. Cones of a normal with two tangents obey the same law: cone.h. Here are plain
// numbers, and all of it is inlined, so that kernels may ask it that are compiled for wider registers.
#pragma once

#include <cstdint>

namespace tenon {

enum class Bounded : std::uint8_t { AtLower, Inside, AtUpper };  // Inside: it holds

struct BoundedRow {
  double push = 0;      // p
  double off = 0;       // u
  double mobility = 1;  // w
  double lower = 0, upper = 0;
};

// y
[[nodiscard]] [[gnu::always_inline]] inline double wishOf(const BoundedRow& row) {
  return row.push - row.off / row.mobility;
}
// P(y)
[[nodiscard]] [[gnu::always_inline]] inline double projected(const BoundedRow& row) {
  const double y = wishOf(row);
  return y < row.lower ? row.lower : y > row.upper ? row.upper : y;
}
// Where P(y) is, whatever was before.
[[nodiscard]] [[gnu::always_inline]] inline Bounded boundedBy(const BoundedRow& row) {
  const double y = wishOf(row);
  return y < row.lower ? Bounded::AtLower : y > row.upper ? Bounded::AtUpper : Bounded::Inside;
}
// w (p - P(y)): what is left to do, as a displacement.
[[nodiscard]] [[gnu::always_inline]] inline double residualOf(const BoundedRow& row) {
  return boundedBy(row) == Bounded::Inside ? row.off : (row.push - projected(row)) * row.mobility;
}

// Where a row stands that stood at `was`. In units of u: one that does not hold comes to hold only where it is off by more
// than `come`, so that rounding does not make it come and go; one that holds is left behind only where it is off by more
// than `leave` the other way.
[[nodiscard]] [[gnu::always_inline]] inline Bounded boundedBy(const BoundedRow& row, Bounded was,
                                                              double come, double leave = 0) {
  const double y = wishOf(row), more = come / row.mobility, less = leave / row.mobility;
  if (was == Bounded::AtLower && y <= row.lower + more) return was;
  if (was == Bounded::AtUpper && y >= row.upper - more) return was;
  if (was == Bounded::Inside && y > row.lower - less && y < row.upper + less) return was;
  return boundedBy(row);
}

// The same for lanes of numbers, each by itself: where y stands that stood at `was`, -1 at the lower bound, 1 at the upper,
// 0 within. `more` is come/w; `one` is 1 in each lane.
template <class R>
[[nodiscard]] [[gnu::always_inline]] inline R standing(const R& y, const R& was, const R& lower,
                                                       const R& upper, const R& more,
                                                       const R& one) {
  const R none = one - one, below = none - one;
  const R is = y < lower ? below : (y > upper ? one : none);
  const R low = y <= lower + more ? below : is, high = y >= upper - more ? one : is;
  return was < none ? low : (was > none ? high : is);
}

// Whether a row stays at a lower bound of 0 however easily it moves: it pushes with nothing, and is not passed.
[[nodiscard]] [[gnu::always_inline]] inline bool restsAtZero(double push, double off, Bounded was) {
  return was == Bounded::AtLower && push == 0 && off >= 0;
}

// b of a row that has come and gone so often in a solve. It fades in iterations in which none does, because with b a row
// gets nearer by b w/(w' + b w) only, w' being what moves it where all others hold.
inline constexpr int kFirmChanges = 2;   // up to so many are no sign of going in circles
inline constexpr int kMostChanges = 12;  // the step is too long for one that changes more often
inline constexpr double kLooseness = 0.03, kFade = 0.01;
[[nodiscard]] [[gnu::always_inline]] inline double looseness(int changes, int calm) {
  double b = changes > kFirmChanges ? kLooseness : 0;
  for (int i = 0; i < calm && b > 1e-12; ++i) b *= kFade;
  return b;
}

}  // namespace tenon
