// Slopes by one tridiagonal elimination, which needs no pivoting: every row is dominated by its
// diagonal.
#include "math/spline.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace tenon {
namespace {

// Solves below_i x_{i-1} + diagonal_i x_i + above_i x_{i+1} = right_i.
std::vector<double> solveTridiagonal(const std::vector<double>& below, std::vector<double> diagonal,
                                     const std::vector<double>& above, std::vector<double> right) {
  const std::size_t n = diagonal.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double f = below[i] / diagonal[i - 1];
    diagonal[i] -= f * above[i - 1];
    right[i] -= f * right[i - 1];
  }
  right[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;)
    right[i] = (right[i] - above[i] * right[i + 1]) / diagonal[i];
  return right;
}

std::vector<double> periodicSlopes(const std::vector<double>& h, const std::vector<double>& d) {
  // Unknowns m_0 … m_{n-1}, indices modulo n = number of intervals.
  const std::size_t n = h.size();
  if (n == 1) return {0, 0};
  std::vector<double> below(n), diagonal(n), above(n), right(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = (i + n - 1) % n;
    below[i] = h[i];
    diagonal[i] = 2 * (h[before] + h[i]);
    above[i] = h[before];
    right[i] = 3 * (h[i] * d[before] + h[before] * d[i]);
  }
  std::vector<double> m;
  if (n == 2) {  // both neighbours are the same unknown
    const double o0 = below[0] + above[0], o1 = below[1] + above[1];
    const double det = diagonal[0] * diagonal[1] - o0 * o1;
    m = {(right[0] * diagonal[1] - o0 * right[1]) / det,
         (diagonal[0] * right[1] - o1 * right[0]) / det};
  } else {
    // The corners a = below_0 (last column) and b = above_{n-1} (first column) as a change of rank
    // one: T + u vᵀ with u = (g, 0, …, 0, b), v = (1, 0, …, 0, a/g).      [Sherman & Morrison 1950]
    const double a = below[0], b = above[n - 1], g = -diagonal[0];
    std::vector<double> changed = diagonal, u(n, 0.0);
    changed[0] -= g;
    changed[n - 1] -= a * b / g;
    u[0] = g;
    u[n - 1] = b;
    m = solveTridiagonal(below, changed, above, right);
    const std::vector<double> z = solveTridiagonal(below, changed, above, u);
    const double f = (m[0] + a / g * m[n - 1]) / (1 + z[0] + a / g * z[n - 1]);
    for (std::size_t i = 0; i < n; ++i) m[i] -= f * z[i];
  }
  m.push_back(m.front());
  return m;
}

}  // namespace

std::vector<double> splineSlopes(const std::vector<double>& times,
                                 const std::vector<double>& values, const SplineEnds& ends) {
  const std::size_t n = times.size();
  assert(n > 0 && values.size() == n);
  if (n == 1) return {0};
  std::vector<double> h(n - 1), d(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = times[i + 1] - times[i];
    assert(h[i] > 0);
    d[i] = (values[i + 1] - values[i]) / h[i];
  }
  if (ends.kind == SplineEnds::Kind::Periodic) {
    assert(values.front() == values.back());
    return periodicSlopes(h, d);
  }
  std::vector<double> below(n), diagonal(n), above(n), right(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = h[i];
    diagonal[i] = 2 * (h[i - 1] + h[i]);
    above[i] = h[i - 1];
    right[i] = 3 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
  }
  if (ends.kind == SplineEnds::Kind::Natural) {  // 2 m_0 + m_1 = 3 d_0, and so at the other end
    diagonal[0] = diagonal[n - 1] = 2;
    above[0] = below[n - 1] = 1;
    right[0] = 3 * d[0];
    right[n - 1] = 3 * d[n - 2];
  } else {
    diagonal[0] = diagonal[n - 1] = 1;
    right[0] = ends.firstSlope;
    right[n - 1] = ends.lastSlope;
  }
  return solveTridiagonal(below, std::move(diagonal), above, std::move(right));
}

CubicSpline::CubicSpline(std::vector<double> times, std::vector<double> values,
                         const SplineEnds& ends)
    : times_(std::move(times)),
      values_(std::move(values)),
      slopes_(splineSlopes(times_, values_, ends)),
      periodic_(ends.kind == SplineEnds::Kind::Periodic && times_.size() > 1) {}

SplineValue CubicSpline::at(double time) const {
  if (periodic_) {
    const double period = times_.back() - times_.front();
    const double turns = std::floor((time - times_.front()) / period);
    time = std::clamp(time - turns * period, times_.front(), times_.back());
  } else if (time <= times_.front()) {
    return {values_.front() + slopes_.front() * (time - times_.front()), slopes_.front(), 0};
  } else if (time >= times_.back()) {
    return {values_.back() + slopes_.back() * (time - times_.back()), slopes_.back(), 0};
  }
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, time);
  const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
  const double h = times_[i + 1] - times_[i];
  return cubicPiece(h, values_[i], slopes_[i], values_[i + 1], slopes_[i + 1],
                    (time - times_[i]) / h);
}

}  // namespace tenon
