#include "draw/view.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

namespace tenon {
namespace {

constexpr double kDegree = kPi / 180;
constexpr double kMargin = 0.08;  // of the sheet, on each side

struct Angles {
  double yaw, pitch;  // [rad]
};

// Three-quarter from the right and above; a scene that is flat is seen more across its flat side.
Angles pleasantAngles(const Vec3& size) {
  const double largest = std::max({size.x, size.y, size.z});
  const auto flat = [&](double e) {
    return e < 0.25 * largest && e <= std::min({size.x, size.y, size.z}) * (1 + 1e-9);
  };
  const double middle = size.x + size.y + size.z - largest - std::min({size.x, size.y, size.z});
  if (middle < 0.12 * largest && size.y < largest) return {52 * kDegree, 20 * kDegree};  // a line
  if (flat(size.z)) return {20 * kDegree, 13 * kDegree};
  if (flat(size.x)) return {68 * kDegree, 13 * kDegree};
  if (flat(size.y)) return {28 * kDegree, 36 * kDegree};
  return {35 * kDegree, 22 * kDegree};
}

}  // namespace

void Extent::include(const Vec3& p) {
  if (empty()) {
    lower = upper = p;
    return;
  }
  for (int k = 0; k < 3; ++k) {
    lower[k] = std::min(lower[k], p[k]);
    upper[k] = std::max(upper[k], p[k]);
  }
}

void Extent::include(const Extent& other) {
  if (other.empty()) return;
  include(other.lower);
  include(other.upper);
}

double Extent::largest() const {
  const Vec3 s = size();
  return std::max({s.x, s.y, s.z});
}

View fittingView(const std::vector<Vec3>& points, const Extent& extent,
                 const DrawSettings& settings) {
  View view;
  view.width = settings.width;
  view.height = settings.height;
  view.centre = extent.empty() ? Vec3{} : extent.middle();
  const Angles pleasant = pleasantAngles(extent.size());
  const SineCosine yaw = sineCosine(settings.yaw.value_or(pleasant.yaw));
  const SineCosine pitch = sineCosine(settings.pitch.value_or(pleasant.pitch));
  view.right = {yaw.cosine, 0, -yaw.sine};
  view.back = {yaw.sine * pitch.cosine, pitch.sine, yaw.cosine * pitch.cosine};
  view.up = cross(view.back, view.right);

  double radius = 0.5 * norm(extent.size());
  if (!(radius > 0) || !std::isfinite(radius)) radius = 1;
  view.distance = 4.5 * radius;

  // At scale 1, where do they come to lie? Then that box is put into the sheet's middle.
  Extent box;
  for (const Vec3& p : points) box.include(view.sheet(view.seen(p)));
  const Vec3 size = box.size();
  const double least = 0.2 * radius;  // nothing is enlarged more than this
  const double room = 1 - 2 * kMargin;
  view.scale = std::min(room * view.width / std::max(size.x, least),
                        room * view.height / std::max(size.y, least));
  const Vec3 middle = box.empty() ? Vec3{} : box.middle();
  view.shift = {0.5 * view.width - view.scale * middle.x, 0.5 * view.height - view.scale * middle.y,
                0};
  return view;
}

}  // namespace tenon
