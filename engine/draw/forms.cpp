// Shapes -> polyhedra: boxes, surfaces of revolution, hulls, meshes.
#include "draw/forms.h"

#include <algorithm>
#include <cmath>

#include "math/polyhedron.h"
#include "math/rotation.h"

namespace tenon {
namespace {

struct ProfilePoint {
  double radius = 0, y = 0;
};

Form boxForm(const Vec3& size) {
  Form form;
  for (unsigned i = 0; i < 8; ++i)
    form.points.push_back({(i & 1u ? 0.5 : -0.5) * size.x, (i & 2u ? 0.5 : -0.5) * size.y,
                           (i & 4u ? 0.5 : -0.5) * size.z});
  form.add({0, 4, 6, 2});  // -x
  form.add({1, 3, 7, 5});  // +x
  form.add({0, 1, 5, 4});  // -y
  form.add({2, 6, 7, 3});  // +y
  form.add({0, 2, 3, 1});  // -z
  form.add({4, 5, 7, 6});  // +z
  return form;
}

// A profile turned about y, from bottom to top: p(φ, k) = (r_k cos φ, y_k, -r_k sin φ). Where the
// profile ends at a radius that is not 0, a disc closes it.
Form revolved(const std::vector<ProfilePoint>& profile, int segments) {
  Form form;
  const auto n = static_cast<std::uint32_t>(segments);
  std::vector<std::uint32_t> ring;  // index of each profile point's first point
  std::vector<SineCosine> turns;
  for (int j = 0; j < segments; ++j) turns.push_back(sineCosine(2 * kPi * j / segments));
  for (const ProfilePoint& p : profile) {
    ring.push_back(static_cast<std::uint32_t>(form.points.size()));
    if (p.radius > 0)
      for (const SineCosine& t : turns)
        form.points.push_back({p.radius * t.cosine, p.y, -p.radius * t.sine});
    else
      form.points.push_back({0, p.y, 0});
  }
  for (std::size_t k = 0; k + 1 < profile.size(); ++k)
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t next = (j + 1) % n, low = ring[k], high = ring[k + 1];
      if (!(profile[k].radius > 0))
        form.add({low, high + next, high + j});
      else if (!(profile[k + 1].radius > 0))
        form.add({low + j, low + next, high});
      else
        form.add({low + j, low + next, high + next, high + j});
    }
  if (profile.front().radius > 0) {
    form.starts.push_back(static_cast<std::uint32_t>(form.corners.size()));
    for (std::uint32_t j = n; j-- > 0;) form.corners.push_back(ring.front() + j);
  }
  if (profile.back().radius > 0) {
    form.starts.push_back(static_cast<std::uint32_t>(form.corners.size()));
    for (std::uint32_t j = 0; j < n; ++j) form.corners.push_back(ring.back() + j);
  }
  return form;
}

// The unit ball turned so that its pole is along `pole`, then stretched. An ellipsoid x = A u has
// normals along A⁻¹ u; to be along the light l at the pole, u must be along A l.
Form ballForm(const Vec3& semiAxes, int segments, const Vec3& pole) {
  const int bands = std::max(3, 7 * segments / 10);  // shades change from band to band: many
  std::vector<ProfilePoint> profile;
  for (int k = 0; k <= bands; ++k) {
    const SineCosine t = sineCosine(kPi * k / bands);
    profile.push_back({k == 0 || k == bands ? 0 : t.sine, -t.cosine});
  }
  Form form = revolved(profile, segments);
  const Vec3 a{semiAxes.x * pole.x, semiAxes.y * pole.y, semiAxes.z * pole.z};
  const double length = norm(a);
  const Quat turn =
      length > 0 && std::isfinite(length) ? rotationBetween({0, 1, 0}, a / length) : Quat{};
  for (Vec3& p : form.points) {
    const Vec3 u = rotate(turn, p);
    p = {semiAxes.x * u.x, semiAxes.y * u.y, semiAxes.z * u.z};
  }
  return form;
}

Form capsuleForm(double radius, double length, int segments) {
  const int rings = std::max(2, segments / 4);
  std::vector<ProfilePoint> profile;
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k <= rings; ++k) {
      const double angle = kPi / 2 * (end == 0 ? k - rings : k) / rings;
      const SineCosine t = sineCosine(angle);
      const bool tip = k == (end == 0 ? 0 : rings);
      profile.push_back(
          {tip ? 0 : radius * t.cosine, (end == 0 ? -0.5 : 0.5) * length + radius * t.sine});
    }
  if (!(length > 0)) profile.erase(profile.begin() + rings);  // the two equators are one
  return revolved(profile, segments);
}

Form triangleForm(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles) {
  Form form;
  form.points = points;
  double volume = 0;  // six times it, as triangles run
  for (const Triangle& t : triangles) {
    if (std::max({t[0], t[1], t[2]}) >= points.size()) continue;
    const Vec3 a = points[t[0]] - points[0];
    volume += dot(a, cross(points[t[1]] - points[0], points[t[2]] - points[0]));
    form.add({t[0], t[1], t[2]});
  }
  if (volume < 0)  // inside out
    for (std::size_t f = 0; f < form.corners.size(); f += 3)
      std::swap(form.corners[f], form.corners[f + 1]);
  return form;
}

Form formInShapeFrame(const Shape& shape, int segments, const Vec3& pole) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::Box:
      return boxForm(s);
    case ShapeKind::Sphere:
      return ballForm({s.x, s.x, s.x}, segments, pole);
    case ShapeKind::Ellipsoid:
      return ballForm(s, segments, pole);
    case ShapeKind::Capsule:
      return capsuleForm(s.x, s.y, segments);
    case ShapeKind::Cylinder:
      return revolved({{s.x, -s.y / 2}, {s.x, s.y / 2}}, segments);
    case ShapeKind::Cone:
      return revolved({{s.x, -s.y / 2}, {0, s.y / 2}}, segments);
    case ShapeKind::Hull:
      return triangleForm(shape.points, convexHull(shape.points).triangles);
    case ShapeKind::Mesh: {
      Form form = triangleForm(shape.points, shape.triangles);
      form.convex = false;
      return form;
    }
  }
  return {};
}

}  // namespace

double roundness(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::Sphere:
    case ShapeKind::Capsule:
      return shape.size.x;
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
      return 2.5 * shape.size.x;  // only one way: many segments cost little
    case ShapeKind::Ellipsoid:
      return std::max({shape.size.x, shape.size.y, shape.size.z});
    case ShapeKind::Box:
    case ShapeKind::Hull:
    case ShapeKind::Mesh:
      break;
  }
  return 0;
}

Form formOf(const Shape& shape, int segments, const Vec3& pole) {
  Form form = formInShapeFrame(shape, segments, rotate(conjugate(shape.pose.q), pole));
  if (roundness(shape) > 0)  // neighbours of a round form are 2π/n apart, and no crease
    form.crease = std::min(form.crease, cosine(2 * kPi / segments) - 0.1);
  for (Vec3& p : form.points) p = transform(shape.pose, p);
  const bool finite = std::all_of(form.points.begin(), form.points.end(),
                                  [](const Vec3& p) { return isFinite(p); });
  return finite ? form : Form{};
}

Insides::Insides(const std::vector<Form>& forms) : forms_(forms) {
  if (forms.size() < 2) return;
  for (const Form& form : forms) {
    Inside inside;
    if (form.convex && !form.points.empty()) {
      inside.lower = inside.upper = form.points[0];
      for (const Vec3& p : form.points)
        for (int k = 0; k < 3; ++k) {
          inside.lower[k] = std::min(inside.lower[k], p[k]);
          inside.upper[k] = std::max(inside.upper[k], p[k]);
        }
      for (std::size_t f = 0; f < form.faceCount(); ++f) {
        const auto c = form.face(f);
        const Vec3 n =
            cross(form.points[c[1]] - form.points[c[0]], form.points[c[2]] - form.points[c[0]]);
        if (!(norm(n) > 0)) continue;
        const Vec3 unit = normalized(n);
        inside.halves.push_back({unit, dot(unit, form.points[c[0]])});
      }
    }
    insides_.push_back(std::move(inside));
  }
}

bool Insides::contains(const Inside& inside, const Vec3& p) const {
  const double slack = 1e-9 * norm(inside.upper - inside.lower);
  for (int k = 0; k < 3; ++k)
    if (p[k] > inside.upper[k] + slack || p[k] < inside.lower[k] - slack) return false;
  return std::all_of(inside.halves.begin(), inside.halves.end(), [&](const HalfSpace& half) {
    return dot(half.normal, p) <= half.offset - slack;  // strictly: a common face stays
  });
}

bool Insides::hide(std::size_t k, std::size_t f) const {
  const auto corners = forms_[k].face(f);
  for (std::size_t other = 0; other < insides_.size(); ++other)
    if (other != k && !insides_[other].halves.empty() &&
        std::all_of(corners.begin(), corners.end(), [&](std::uint32_t c) {
          return contains(insides_[other], forms_[k].points[c]);
        }))
      return true;
  return false;
}

}  // namespace tenon
