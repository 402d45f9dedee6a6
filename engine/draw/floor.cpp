#include "draw/floor.h"

#include <algorithm>
#include <cmath>

#include "draw/svg.h"
#include "math/rotation.h"

namespace tenon {
namespace {

// The next of 1, 2, 5, 10, … × a power of ten that is not below x.
double roundSpacing(double x) {
  double power = 1;
  while (power > x) power /= 10;
  while (power * 10 <= x) power *= 10;
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= x) return step * power;
  return 10 * power;
}

// Andrew's monotone chain: the convex hull on the sheet, counter-clockwise.
std::vector<Vec3> flatHull(std::vector<Vec3> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec3& a, const Vec3& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<Vec3> hull;
  const auto extend = [&hull](const Vec3& p, std::size_t least) {
    while (hull.size() > least) {
      const Vec3 a = hull[hull.size() - 1] - hull[hull.size() - 2], b = p - hull.back();
      if (a.x * b.y - a.y * b.x > 1e-9) break;
      hull.pop_back();
    }
    hull.push_back(p);
  };
  for (const Vec3& p : points) extend(p, 1);
  const std::size_t lower = hull.size();
  for (std::size_t i = points.size(); i-- > 0;) extend(points[i], lower);
  hull.pop_back();
  return hull;
}

void appendHull(std::string& d, std::vector<Vec3> points, int height) {
  std::vector<Dot> dots;
  for (const Vec3& p : flatHull(std::move(points))) {
    const Dot dot = dotOf(p, height);
    if (dots.empty() || !(dots.back() == dot)) dots.push_back(dot);
  }
  if (dots.size() > 2) appendPath(d, dots, true);
}

}  // namespace

std::string gridOn(const Ground& ground, const Extent& extent, const View& view, int index) {
  const double radius = 0.75 * norm(extent.size());
  if (!(radius > 0) || !std::isfinite(radius) || radius > 1e9) return {};
  const Vec3 n = ground.normal;
  const Vec3 u = normalized(cross(n, std::abs(n.z) < 0.9 ? Vec3{0, 0, -1} : Vec3{1, 0, 0}));
  const Vec3 v = cross(n, u);
  const Vec3 middle = extent.middle() - dot(extent.middle() - ground.point, n) * n;
  const double step = roundSpacing(radius / 9);

  std::string d;
  const auto place = [&](const Vec3& p) { return dotOf(view.project(p), view.height); };
  const auto lines = [&](const Vec3& along, const Vec3& across) {
    const double c = dot(middle, across);
    for (double k = std::ceil((c - radius) / step); k * step <= c + radius; ++k) {
      const double off = k * step - c;
      const double half = std::sqrt(std::max(0.0, radius * radius - off * off));
      const Vec3 a = middle + off * across - half * along, b = middle + off * across + half * along;
      if (view.inFront(a) && view.inFront(b)) appendPath(d, {place(a), place(b)}, false);
    }
  };
  lines(u, v);
  lines(v, u);
  if (d.empty()) return {};

  // The disc of the grid looks like an ellipse; the lines fade towards its rim.
  const Dot c = place(middle);
  const double wide = radius * view.pixelsPerMetre(middle);
  const double high = wide * std::max(0.05, std::abs(dot(view.back, n)));
  const std::string id = "grid" + std::to_string(index);
  return "<radialGradient id=\"" + id + "\" gradientUnits=\"userSpaceOnUse\" cx=\"0\" cy=\"0\" " +
         "r=\"1\" gradientTransform=\"translate(" + hundredths(c.x) + " " + hundredths(c.y) +
         ") scale(" + number(wide) + " " + number(high) +
         ")\"><stop offset=\".35\" stop-color=\"#8b95a3\" stop-opacity=\".5\"/>"
         "<stop offset=\"1\" stop-color=\"#8b95a3\" stop-opacity=\"0\"/></radialGradient>\n"
         "<path fill=\"none\" stroke=\"url(#" +
         id + ")\" stroke-width=\".8\" d=\"" + d + "\"/>\n";
}

// p falls along s onto the plane (x - o)·n = 0:  p - s (p - o)·n / s·n.
std::string shadowsOn(const Ground& ground, const std::vector<std::vector<Vec3>>& forms,
                      const View& view) {
  const Vec3 n = ground.normal;
  const Vec3 ahead = cross(Vec3{0, 1, 0}, view.right);  // horizontal, away from the viewer
  const Vec3 s = Vec3{0, -1, 0} + 0.22 * view.right + 0.12 * ahead;
  const double falls = dot(s, n);
  if (falls > -0.2) return {};
  std::string d;
  for (const std::vector<Vec3>& form : forms) {
    std::vector<Vec3> fallen;
    for (const Vec3& p : form) {
      const double height = dot(p - ground.point, n);
      const Vec3 q = p - (std::max(0.0, height) / falls) * s - std::min(0.0, height) * n;
      if (isFinite(q) && view.inFront(q)) fallen.push_back(view.project(q));
    }
    Extent box;
    for (const Vec3& p : fallen) box.include(p);
    if (fallen.size() < 3 || std::max(box.size().x, box.size().y) < 1) continue;  // [px]
    appendHull(d, std::move(fallen), view.height);
  }
  return d;
}

std::string outlineOn(const Ground& ground, const std::vector<std::vector<Vec3>>& forms,
                      const View& view) {
  std::string d;
  for (const std::vector<Vec3>& form : forms) {
    Extent extent;
    for (const Vec3& p : form) extent.include(p);
    std::vector<Vec3> flat;
    for (const Vec3& p : form) {
      const bool on = std::abs(dot(p - ground.point, ground.normal)) < 1e-6 * extent.largest();
      if (on && view.inFront(p)) flat.push_back(view.project(p));
    }
    if (flat.size() > 2) appendHull(d, std::move(flat), view.height);
  }
  return d;
}

}  // namespace tenon
