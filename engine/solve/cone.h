// The law of bounds for a cone: a normal n with two tangents t, which push as one. See bounds.h.
//   y = p - u/w,    p_n = max(0, y_n),    p_t = the nearest to y_t with |p_t| <= µ p_n
// A normal that yields by c p has u + c p in place of u, and w + c in place of w. Newton's method on p = P(y) asks for
//   (1 - S) δp + S w⁻¹ δu = P(y) - p,    S = ∂P/∂y.
// Nothing emits cones yet: it is what contact is to push with.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tenon {

enum class Coned : std::uint8_t { Open, Sticks, Slides };

// A normal, then two tangents at right angles to it and to each other.
struct ConedRows {
  std::array<double, 3> push{};             // p
  std::array<double, 3> off{};              // u
  std::array<double, 3> mobility{1, 1, 1};  // w; the two of the tangents are the same
  double friction = 0;                      // µ
};
struct ConeAnswer {
  Coned is = Coned::Open;
  std::array<double, 3> push{};                  // P(y)
  std::array<std::array<double, 3>, 3> slope{};  // ∂P/∂y
};

// Where it slides, t being y_t/|y_t|:  p_t = µ y_n t,  ∂p_t/∂y_n = µ t,  ∂p_t/∂y_t = µ y_n/|y_t| (1 - t tᵀ).
[[nodiscard]] inline ConeAnswer coneAt(const ConedRows& rows) {
  double y[3];
  for (std::size_t i = 0; i < 3; ++i) y[i] = rows.push[i] - rows.off[i] / rows.mobility[i];
  ConeAnswer answer;
  if (y[0] <= 0) return answer;
  answer.push[0] = y[0];
  answer.slope[0][0] = 1;
  const double size = std::sqrt(y[1] * y[1] + y[2] * y[2]), most = rows.friction * y[0];
  if (size <= most) {
    answer.is = Coned::Sticks;
    for (std::size_t i = 1; i < 3; ++i) {
      answer.push[i] = y[i];
      answer.slope[i][i] = 1;
    }
    return answer;
  }
  answer.is = Coned::Slides;
  const double t[3] = {0, y[1] / size, y[2] / size};
  for (std::size_t i = 1; i < 3; ++i) {
    answer.push[i] = most * t[i];
    answer.slope[i][0] = rows.friction * t[i];
    for (std::size_t j = 1; j < 3; ++j)
      answer.slope[i][j] = most / size * ((i == j ? 1 : 0) - t[i] * t[j]);
  }
  return answer;
}

}  // namespace tenon
