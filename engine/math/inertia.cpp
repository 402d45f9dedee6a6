// The parallel axis theorem, and Jacobi's eigenvalue method for three by three.
#include "math/inertia.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/decimal.h"
#include "math/rotation.h"

namespace tenon {
namespace {

// ∫ over a point mass 1 at d:  d² 1 - d dᵀ
Mat3 pointInertia(const Vec3& d) { return dot(d, d) * identity3() - outer(d, d); }

std::string text(double number) { return shortDecimal(number, 6); }

}  // namespace

MassProperties combine(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0)) return {mass, a.com, a.inertia + b.inertia};
  // I = I_a + I_b + (m_a m_b/m) (d² 1 - d dᵀ), d from one centre to the other: nothing cancels.
  const Vec3 d = b.com - a.com;
  return {mass, a.com + (b.mass / mass) * d,
          a.inertia + b.inertia + (a.mass * (b.mass / mass)) * pointInertia(d)};
}

MassProperties transformed(const MassProperties& body, const Pose& X_AB) {
  const Mat3 R = rotationMatrix(X_AB.q);
  Mat3 turned = R * body.inertia * transpose(R);
  for (int r = 0; r < 3; ++r)  // rounding must not leave it unsymmetric
    for (int c = 0; c < r; ++c) turned(r, c) = turned(c, r) = 0.5 * (turned(r, c) + turned(c, r));
  return {body.mass, transform(X_AB, body.com), turned};
}

MassProperties scaled(const MassProperties& body, double factor) {
  const double f2 = factor * factor, f3 = f2 * factor;
  return {f3 * body.mass, factor * body.com, (f3 * f2) * body.inertia};
}

MassProperties withMass(const MassProperties& body, double mass) {
  assert(body.mass > 0);
  return {mass, body.com, (mass / body.mass) * body.inertia};
}

MassProperties mirrored(const MassProperties& body, const Vec3& normal, double offset) {
  // M I M with M = 1 - 2 n nᵀ:  I - 2 n (I n)ᵀ - 2 (I n) nᵀ + 4 (n·I n) n nᵀ
  const Vec3 In = body.inertia * normal;
  const Mat3 cross = outer(normal, In) + outer(In, normal);
  return {body.mass, mirroredPoint(body.com, normal, offset),
          body.inertia - 2.0 * cross + (4 * dot(normal, In)) * outer(normal, normal)};
}

Mat3 inertiaAbout(const MassProperties& body, const Vec3& offset) {
  return body.inertia + body.mass * pointInertia(offset);
}

PrincipalInertia principalInertia(const Mat3& inertia) {
  Mat3 a = inertia;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < r; ++c) a(r, c) = a(c, r);
  Mat3 v = identity3();
  // Cyclic sweeps; each rotation makes one off-diagonal entry 0, the rest shrinks quadratically:
  // five sweeps are usual, the bound is there so that NaN ends too.     [Golub & Van Loan §8.5]
  for (int sweep = 0; sweep < 30; ++sweep) {
    if (a(0, 1) == 0 && a(0, 2) == 0 && a(1, 2) == 0) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (a(p, q) == 0) continue;
        const double size = std::fabs(a(p, q));
        // Below rounding of both diagonal entries: it is 0.
        if (std::fabs(a(p, p)) + size == std::fabs(a(p, p)) &&
            std::fabs(a(q, q)) + size == std::fabs(a(q, q)) && sweep > 3) {
          a(p, q) = a(q, p) = 0;
          continue;
        }
        // tan of the rotation angle, the smaller root of t² + 2 θ t - 1 = 0
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double root =
            std::fabs(theta) < 1e150 ? std::sqrt(theta * theta + 1) : std::fabs(theta);
        const double t = (theta >= 0 ? 1.0 : -1.0) / (std::fabs(theta) + root);
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        const int r = 3 - p - q;
        a(p, p) -= t * a(p, q);
        a(q, q) += t * a(p, q);
        a(p, q) = a(q, p) = 0;
        const double arp = a(r, p), arq = a(r, q);
        a(r, p) = a(p, r) = c * arp - s * arq;
        a(r, q) = a(q, r) = s * arp + c * arq;
        for (int k = 0; k < 3; ++k) {
          const double vkp = v(k, p), vkq = v(k, q);
          v(k, p) = c * vkp - s * vkq;
          v(k, q) = s * vkp + c * vkq;
        }
      }
  }
  // Ascending; equal ones keep their order.
  int order[3] = {0, 1, 2};
  const auto swapIf = [&](int i, int j) {
    if (a(order[j], order[j]) < a(order[i], order[i])) std::swap(order[i], order[j]);
  };
  swapIf(0, 1);
  swapIf(1, 2);
  swapIf(0, 1);
  const Vec3 e0 = v.column(order[0]), e1 = v.column(order[1]);
  return {{a(order[0], order[0]), a(order[1], order[1]), a(order[2], order[2])},
          columns(e0, e1, cross(e0, e1))};
}

std::string whyUnphysical(const Mat3& inertia, double tolerance) {
  for (int r = 0; r < 3; ++r)
    if (!isFinite(inertia.row(r))) return "an entry of the inertia is not a finite number";
  const char axis[] = "xyz";
  double largest = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) largest = std::max(largest, std::fabs(inertia(r, c)));
  for (int r = 0; r < 3; ++r)
    for (int c = r + 1; c < 3; ++c)
      if (std::fabs(inertia(r, c) - inertia(c, r)) > tolerance * largest)
        return std::string("the inertia is not symmetric: ") + axis[r] + axis[c] + " is " +
               text(inertia(r, c)) + ", " + axis[c] + axis[r] + " is " + text(inertia(c, r));
  const Vec3 m = principalInertia(inertia).moments;
  const double slack = tolerance * largest;
  if (m.x < -slack) return "a principal moment of inertia is negative: " + text(m.x) + " kg m²";
  if (m.z > m.x + m.y + slack)
    return "the largest principal moment of inertia, " + text(m.z) +
           " kg m², exceeds the sum of the other two, " + text(m.x) + " + " + text(m.y) + " kg m²";
  return {};
}

}  // namespace tenon
