// A surface of triangles, and the one of them that a point is on. The distance is measured to the plane
// of that triangle, so that it is smooth inside a triangle and bends at the edges: no promise of kept
// energy.
#pragma once

#include "joints/joint_math.h"
#include "math/cold.h"
#include "math/rotation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace tenon::joints {

// Data: how many triangles; then for each its corners (9), unit normal (3) and neighbours across the
// edges 01, 12, 20 (3; -1: none).
class MeshSurface {
 public:
  explicit MeshSurface(const double* data) : data_(data) {}

  TENON_COLD static std::string prepare(const std::vector<double>& vertices,
                                        const std::vector<double>& triangles,
                                        std::vector<double>& data) {
    const std::size_t vertexTriples = vertices.size() / 3;
    const auto vertexCount = static_cast<double>(vertexTriples);
    std::map<std::pair<double, double>, std::size_t> edges;  // directed, to the triangle
    const std::size_t count = triangles.size() / 3;
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t e = 0; e < 3; ++e) {
        const double a = triangles[3 * t + e], b = triangles[3 * t + (e + 1) % 3];
        if (!(a >= 0 && a < vertexCount) || a != std::floor(a))
          return "triangle " + std::to_string(t) + " has a corner that is not a vertex";
        if (!edges.emplace(std::pair(a, b), t).second)
          return "two triangles share an edge in the same sense: turn one of them round";
      }
    data.push_back(static_cast<double>(count));
    for (std::size_t t = 0; t < count; ++t) {
      Vec3 x[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const auto v = static_cast<std::size_t>(triangles[3 * t + k]);
        x[k] = {vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]};
        data.insert(data.end(), {x[k].x, x[k].y, x[k].z});
      }
      const Vec3 across = cross(x[1] - x[0], x[2] - x[0]);
      if (!(norm(across) > 0)) return "triangle " + std::to_string(t) + " has no area";
      const Vec3 n = normalized(across);
      data.insert(data.end(), {n.x, n.y, n.z});
      for (std::size_t e = 0; e < 3; ++e) {
        const auto other = edges.find({triangles[3 * t + (e + 1) % 3], triangles[3 * t + e]});
        data.push_back(other == edges.end() ? -1 : static_cast<double>(other->second));
      }
    }
    return {};
  }

  // The triangle that p is nearest to: from the last one over neighbours, or among all. Over an edge
  // two are equally near, up to rounding: the last one stays, else the one that faces p wins.
  [[nodiscard]] std::size_t nearest(const Vec3& p, double last) const {
    if (std::isfinite(last)) {
      auto at = static_cast<std::size_t>(last);
      double least = distance2(at, p);
      for (;;) {
        std::size_t next = at;
        for (int e = 0; e < 3; ++e) {
          const double other = of(at)[12 + e];
          if (other < 0) continue;
          const double d = distance2(static_cast<std::size_t>(other), p);
          if (clearlyLess(d, least)) {
            least = d;
            next = static_cast<std::size_t>(other);
          }
        }
        if (next == at) return at;
        at = next;
      }
    }
    std::size_t best = 0;
    double least = kInfinity, height = 0;
    for (std::size_t t = 0; t < static_cast<std::size_t>(data_[0]); ++t) {
      const double d = distance2(t, p), h = std::abs(heightOf(t, p));
      if (!clearlyLess(d, least) && (clearlyLess(least, d) || h <= height)) continue;
      least = d;
      height = h;
      best = t;
    }
    return best;
  }

  // Height of p over the plane of a triangle.
  template <class T>
  [[nodiscard]] T height(std::size_t triangle, const T (&p)[3]) const {
    const double* t = of(triangle);
    return T(t[9]) * (p[0] - T(t[0])) + T(t[10]) * (p[1] - T(t[1])) + T(t[11]) * (p[2] - T(t[2]));
  }

 private:
  static constexpr std::size_t kTriangle = 15;
  [[nodiscard]] const double* of(std::size_t triangle) const {
    return data_ + 1 + kTriangle * triangle;
  }

  static bool clearlyLess(double a, double b) { return a < b * (1 - 1e-9) - 1e-24; }
  [[nodiscard]] double heightOf(std::size_t triangle, const Vec3& p) const {
    const double x[3] = {p.x, p.y, p.z};
    return height(triangle, x);
  }

  // Squared distance from p to a triangle: to its plane if p lies over it, else to its nearest edge.
  [[nodiscard]] double distance2(std::size_t triangle, const Vec3& p) const {
    const double* t = of(triangle);
    const Vec3 x[3] = {{t[0], t[1], t[2]}, {t[3], t[4], t[5]}, {t[6], t[7], t[8]}};
    const Vec3 n{t[9], t[10], t[11]};
    double least = kInfinity;
    bool over = true;
    for (int e = 0; e < 3; ++e) {
      const Vec3 &a = x[e], edge = x[(e + 1) % 3] - a;
      if (dot(cross(edge, p - a), n) < 0) over = false;
      const double along = std::clamp(dot(p - a, edge) / dot(edge, edge), 0.0, 1.0);
      const Vec3 off = p - (a + along * edge);
      least = std::min(least, dot(off, off));
    }
    if (!over) return least;
    const double h = dot(n, p - x[0]);
    return h * h;
  }

  const double* data_;
};

}  // namespace tenon::joints
