// Sums over vectors of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace tenon {

inline double dotOf(const std::array<double, 6>& a, const std::array<double, 6>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

inline double dotOf(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// a += factor b
inline void addTo(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

}  // namespace tenon
