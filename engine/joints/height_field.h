// A smooth surface x = h(y, z) over a grid of heights: the tensor product of natural cubic splines,
// C² everywhere, going on straight beyond the edges.
#pragma once

#include "joints/joint_math.h"
#include "math/cold.h"
#include "math/spline.h"

#include <cmath>
#include <vector>

namespace tenon::joints {

// Data: NY, NZ, size along y and z, then for each node (rows of constant y) h, h_y, h_z, h_yz.
class HeightField {
 public:
  explicit HeightField(const double* data) : data_(data) {}

  // `heights`: NY rows of NZ. Returns what is wrong, or nothing.
  TENON_COLD static std::string prepare(const std::vector<double>& given,
                                        std::vector<double>& data) {
    const double ny = given[0], nz = given[1];
    if (!(ny >= 2 && nz >= 2) || ny != std::floor(ny) || nz != std::floor(nz))
      return "a heightfield needs at least 2 × 2 heights: NY NZ SIZE_Y SIZE_Z H…";
    if (ny * nz != static_cast<double>(given.size() - 4))
      return "a heightfield of NY × NZ heights needs NY · NZ of them, not " +
             std::to_string(given.size() - 4);
    if (!(given[2] > 0 && given[3] > 0)) return "the sizes of a heightfield must be positive";
    const auto rows = static_cast<std::size_t>(ny), columns = static_cast<std::size_t>(nz);
    const double hy = given[2] / (ny - 1), hz = given[3] / (nz - 1);
    const std::vector<double> h(given.begin() + 4, given.end());
    const std::vector<double> h_z = slopesAlong(h, rows, columns, columns, 1, hz);
    const std::vector<double> h_y = slopesAlong(h, columns, rows, 1, columns, hy);
    const std::vector<double> h_yz = slopesAlong(h_z, columns, rows, 1, columns, hy);
    data.insert(data.end(), given.begin(), given.begin() + 4);
    for (std::size_t i = 0; i < h.size(); ++i)
      data.insert(data.end(), {h[i], h_y[i], h_z[i], h_yz[i]});
    return {};
  }

  template <class T>
  [[nodiscard]] T height(const T& y, const T& z) const {
    const Weights<T> wy(y, data_[0], data_[2]), wz(z, data_[1], data_[3]);
    T sum(0);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        const std::size_t node =
            (wy.first + static_cast<std::size_t>(a)) * static_cast<std::size_t>(data_[1]) +
            wz.first + static_cast<std::size_t>(b);
        const double* v = data_ + 4 + 4 * node;
        sum = sum + wy.value[a] * (T(v[0]) * wz.value[b] + T(v[2]) * wz.slope[b]) +
              wy.slope[a] * (T(v[1]) * wz.value[b] + T(v[3]) * wz.slope[b]);
      }
    return sum;
  }

 private:
  // Hermite's cubics of one direction: weights of values and slopes at the two ends of a cell.
  template <class T>
  struct Weights {
    std::size_t first = 0;
    T value[2], slope[2];
    Weights(const T& x, double count, double size) {
      const double h = size / (count - 1);
      const double cell =
          std::fmin(std::fmax(std::floor((valueOf(x) + 0.5 * size) / h), 0), count - 2);
      first = static_cast<std::size_t>(cell);
      const T u = T(1 / h) * (x + T(0.5 * size - cell * h));
      if (valueOf(u) < 0 || valueOf(u) > 1) {
        const int end = valueOf(u) < 0 ? 0 : 1;
        value[end] = T(1);
        slope[end] = T(h) * (u - T(end));
        value[1 - end] = slope[1 - end] = T(0);
        return;
      }
      const T u2 = u * u, u3 = u2 * u;
      value[1] = T(3) * u2 - T(2) * u3;
      value[0] = T(1) - value[1];
      slope[0] = T(h) * (u - T(2) * u2 + u3);
      slope[1] = T(h) * (u3 - u2);
    }
  };

  // Slopes of `lines` splines of `count` values each.
  static std::vector<double> slopesAlong(const std::vector<double>& h, std::size_t lines,
                                         std::size_t count, std::size_t lineStride,
                                         std::size_t stride, double step) {
    std::vector<double> times, values(count), slopes(h.size());
    for (std::size_t i = 0; i < count; ++i) times.push_back(step * static_cast<double>(i));
    for (std::size_t line = 0; line < lines; ++line) {
      for (std::size_t i = 0; i < count; ++i) values[i] = h[line * lineStride + i * stride];
      const std::vector<double> m = splineSlopes(times, values, {SplineEnds::Kind::Natural});
      for (std::size_t i = 0; i < count; ++i) slopes[line * lineStride + i * stride] = m[i];
    }
    return slopes;
  }

  const double* data_;
};

}  // namespace tenon::joints
