// Cubic splines through scalar keys: the smoothest curve (least ∫ ÿ²) with the given ends.
//
// Between two keys the curve is the cubic with their values and slopes; the slopes are chosen so
// that the second derivative is continuous at every inner key:
//   h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i d_{i-1} + h_{i-1} d_i)
// with h_i = t_{i+1} - t_i and d_i = (y_{i+1} - y_i)/h_i.                       [de Boor 1978, IV]
#pragma once

#include <cstddef>
#include <vector>

namespace tenon {

struct SplineEnds {
  enum class Kind {
    Clamped,   // given slopes at both ends. C² inside; C¹ at the ends: goes on straight
    Natural,   // second derivative 0 at both ends; goes on straight: C² everywhere
    Periodic,  // repeats, C² everywhere; the last value must equal the first
  };
  Kind kind = Kind::Clamped;
  double firstSlope = 0, lastSlope = 0;  // Clamped only; 0: starts and ends at rest, and is held
};

// Slopes of the spline at its keys. One key alone has the slope 0. Preconditions: as many values as
// times, at least one, all finite; times strictly increasing; Periodic: first value = last value.
[[nodiscard]] std::vector<double> splineSlopes(const std::vector<double>& times,
                                               const std::vector<double>& values,
                                               const SplineEnds& ends = {});

struct SplineValue {
  double value = 0;
  double rate = 0;          // first derivative
  double acceleration = 0;  // second derivative
};

// The cubic from value y0 with slope m0 to value y1 with slope m1 within a duration h, at u of it,
// u in [0, 1]:  y = y0 + h u (m0 + u (c2 + u c3)).
[[nodiscard]] inline SplineValue cubicPiece(double h, double y0, double m0, double y1, double m1,
                                            double u) {
  const double d = (y1 - y0) / h;
  const double c2 = 3 * d - 2 * m0 - m1, c3 = m0 + m1 - 2 * d;
  return {y0 + h * u * (m0 + u * (c2 + u * c3)), m0 + u * (2 * c2 + 3 * u * c3),
          (2 * c2 + 6 * u * c3) / h};
}

class CubicSpline {
 public:
  // Preconditions of splineSlopes.
  CubicSpline(std::vector<double> times, std::vector<double> values, const SplineEnds& ends = {});

  // Beyond the keys a straight line, or the period's repetition. At an end where the second
  // derivative jumps, the value from outside (0) is given.
  [[nodiscard]] SplineValue at(double time) const;

  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] const std::vector<double>& slopes() const { return slopes_; }

 private:
  std::vector<double> times_, values_, slopes_;
  bool periodic_ = false;
};

}  // namespace tenon
