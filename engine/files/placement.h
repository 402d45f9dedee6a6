// Where a figure is placed: a similarity, possibly with a reflection, and what it does to every
// kind of quantity.
//
//   x' = t + s Q x        Q orthogonal; det Q = -1 if mirrored
//
// A mirrored solid needs a right-handed frame again. With G the reflection of the axis that is
// nearest to the normal of the placement's mirror (and, for nested placements, the product of them),
//   R' = Q R G⁻¹,   and what is fixed to the solid becomes   y' = s G y,
// so that R' y' = s Q R y: the matter is the exact mirror image. G only changes signs: what lies
// along the solid's axes still does (`ma` depends on it), and with a mirror across one of the
// figure's axes a solid that was not turned stays unturned.
//
// A number is scaled by the unit that it has: length s, mass s³, time 1 (densities are kept). So
// forces scale by s⁴, torques by s⁵, and the motion is that of the original, s times as large.
#pragma once

#include <tenon/math.h>
#include <tenon/scene.h>

namespace tenon::files {

// R(q)·F, F = diag(-1, 1, 1) if `flip`, else 1.
struct Orthogonal {
  Quat q;
  bool flip = false;
};
[[nodiscard]] Orthogonal operator*(const Orthogonal& a, const Orthogonal& b);
[[nodiscard]] Orthogonal inverse(const Orthogonal& a);
[[nodiscard]] Vec3 apply(const Orthogonal& a, const Vec3& v);       // points, velocities, forces
[[nodiscard]] Vec3 applyAxial(const Orthogonal& a, const Vec3& v);  // spins, torques: det · a v
[[nodiscard]] Mat3 matrixOf(const Orthogonal& a);
// Reflection in the plane with this unit normal.
[[nodiscard]] Orthogonal mirrorIn(const Vec3& normal);
// The rotation a; precondition: !a.flip. Of q and -q the one with a positive real part.
[[nodiscard]] Quat rotationOf(const Orthogonal& a);

struct Placement {
  Vec3 t;  // [m]
  double s = 1;
  Orthogonal Q, G;
  bool identity = true;  // nothing to do, to the last bit

  [[nodiscard]] bool mirrored() const { return Q.flip; }
  [[nodiscard]] Vec3 point(const Vec3& p) const;       // of the figure's coordinates
  [[nodiscard]] Vec3 direction(const Vec3& d) const;   // unit length is kept
  [[nodiscard]] Vec3 localPoint(const Vec3& p) const;  // fixed to a solid
  [[nodiscard]] Vec3 localDirection(const Vec3& d) const;
  [[nodiscard]] Pose solidPose(const Pose& X) const;  // X_FS -> X_WS
};

[[nodiscard]] Placement operator*(const Placement& outer, const Placement& inner);
// Mirrored first (in the figure's own coordinates), then scaled, turned, moved.
[[nodiscard]] Placement placementOf(const Vec3& at, const Quat& turn, double scale,
                                    const Vec3* mirrorNormal);

// Everything of a solid but its names.
void place(const Placement& placement, Solid& solid);

[[nodiscard]] double power(double s, int exponent);  // s^exponent, also negative

}  // namespace tenon::files
