// Mass, centre of mass and inertia: adding, moving, scaling, mirroring, and whether a body could
// have them.
//
// Inertia is the tensor I = ∫ (r² 1 - r rᵀ) dm about the centre of mass: products of inertia stand
// off the diagonal with their minus sign.
#pragma once

#include <tenon/math.h>

#include <string>

namespace tenon {

struct MassProperties {
  double mass = 0;  // [kg]
  Vec3 com;         // [m] centre of mass, in the frame spoken of
  Mat3 inertia;     // [kg m²] about com, in the frame's axes
};

// Both bodies as one, in the same frame. A body of mass 0 contributes nothing but its inertia.
[[nodiscard]] MassProperties combine(const MassProperties& a, const MassProperties& b);

// The same body seen from frame A, given in frame B and the pose X_AB.
[[nodiscard]] MassProperties transformed(const MassProperties& body, const Pose& X_AB);

// The body grown by `factor` about the frame's origin, of the same density: m f³, c f, I f⁵.
[[nodiscard]] MassProperties scaled(const MassProperties& body, double factor);

// The same extent with another mass: m and I in proportion. Precondition: body.mass > 0.
[[nodiscard]] MassProperties withMass(const MassProperties& body, double mass);

// The mirror image in the plane normal·p = offset [m]; normal a unit vector.
[[nodiscard]] MassProperties mirrored(const MassProperties& body, const Vec3& normal,
                                      double offset = 0);

// Inertia about a point that lies `offset` [m] from the centre of mass:  I + m (d² 1 - d dᵀ)
[[nodiscard]] Mat3 inertiaAbout(const MassProperties& body, const Vec3& offset);

// I = axes · diag(moments) · axesᵀ: moments ascending, axes a rotation.
struct PrincipalInertia {
  Vec3 moments;  // [kg m²]
  Mat3 axes;     // columns: the principal axes
};

// By Jacobi's rotations; of a symmetric matrix, whose upper triangle alone is read.
[[nodiscard]] PrincipalInertia principalInertia(const Mat3& inertia);

// Why no body can have this inertia, as a sentence; empty if one can. A body's is symmetric, its
// principal moments are not negative, and none exceeds the sum of the other two (as their
// second moments ∫x² dm, ∫y² dm, ∫z² dm are not negative). Rods and plates, at the borders, are
// bodies. `tolerance`: relative to the largest moment.
[[nodiscard]] std::string whyUnphysical(const Mat3& inertia, double tolerance = 1e-9);

[[nodiscard]] inline bool isPhysical(const Mat3& inertia, double tolerance = 1e-9) {
  return whyUnphysical(inertia, tolerance).empty();
}

}  // namespace tenon
