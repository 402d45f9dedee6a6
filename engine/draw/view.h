// The view: from the world to the sheet, with a mild perspective.
//
//   v = (right, up, back)ᵀ (p - centre)       the viewer is at v = (0, 0, distance)
//   w = 1 - v_z/distance,   sheet = scale (v_x, v_y, v_z)/w + shift
// The map is projective, so planes stay planes; z grows towards the viewer.
#pragma once

#include <tenon/draw.h>
#include <tenon/math.h>

#include <vector>

namespace tenon {

struct Extent {
  Vec3 lower{1, 1, 1}, upper{-1, -1, -1};  // empty unless lower <= upper
  [[nodiscard]] bool empty() const { return lower.x > upper.x; }
  void include(const Vec3& p);
  void include(const Extent& other);
  [[nodiscard]] Vec3 size() const { return empty() ? Vec3{} : upper - lower; }
  [[nodiscard]] double largest() const;
  [[nodiscard]] Vec3 middle() const { return 0.5 * (lower + upper); }
};

struct View {
  Vec3 centre;           // [m] world
  Vec3 right, up, back;  // unit, world
  double distance = 1;   // [m] of the viewer from the centre
  double scale = 1;      // [px/m] at the centre
  Vec3 shift;            // [px] of the centre on the sheet
  int width = 0, height = 0;

  [[nodiscard]] Vec3 seen(const Vec3& p_W) const {
    const Vec3 r = p_W - centre;
    return {dot(right, r), dot(up, r), dot(back, r)};
  }
  [[nodiscard]] double nearest() const { return 0.7 * distance; }  // v_z beyond it is cut off
  [[nodiscard]] Vec3 sheet(const Vec3& v) const { return shift + (scale / depth(v)) * v; }
  [[nodiscard]] Vec3 project(const Vec3& p_W) const { return sheet(seen(p_W)); }
  [[nodiscard]] double pixelsPerMetre(const Vec3& p_W) const { return scale / depth(seen(p_W)); }
  [[nodiscard]] bool inFront(const Vec3& p_W) const { return seen(p_W).z < nearest(); }

 private:
  [[nodiscard]] double depth(const Vec3& v) const { return 1 - v.z / distance; }
};

// A view in which all points have room on the sheet. `extent` is theirs; it may be empty.
[[nodiscard]] View fittingView(const std::vector<Vec3>& points, const Extent& extent,
                               const DrawSettings& settings);

}  // namespace tenon
