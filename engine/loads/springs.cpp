// Springs with dampers between two points.
//   d = p_2 - p_1,  L = |d|,  u = d / L
//   U = k (L - L0)² / 2,  tension f = k (L - L0) + c u · (v_2 - v_1)
//   F_1 = f u,  F_2 = -f u
#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {
namespace {

// Points nearer than this have no line between them: no direction, hence no force. Far below any
// length that matters; it only keeps the squares inside L away from underflow.
constexpr double kCoincident = 1e-140;  // [m]

}  // namespace

void addSprings(const Mechanism& mechanism, const State& state, std::span<Wrench> wrenches) {
  for (const MechanismSpring& spring : mechanism.springs) {
    if (!isActive(mechanism, spring.active, state.time)) continue;
    const CarriedPoint p1 = carry(state, spring.solid1, spring.point1);
    const CarriedPoint p2 = carry(state, spring.solid2, spring.point2);
    const Vec3 d = p2.p_WP - p1.p_WP;
    const double length = norm(d);
    if (length < kCoincident) continue;
    const Vec3 u = d / length;
    const double tension = spring.stiffness * (length - spring.rest) +
                           spring.damping * dot(u, p2.v_WP - p1.v_WP);  // [N]
    applyForce(mechanism, spring.solid1, p1.lever, tension * u, wrenches);
    applyForce(mechanism, spring.solid2, p2.lever, -tension * u, wrenches);
  }
}

double springEnergy(const Mechanism& mechanism, const State& state) {
  double energy = 0;
  for (const MechanismSpring& spring : mechanism.springs) {
    if (!isActive(mechanism, spring.active, state.time)) continue;
    const Vec3 p_WP1 = carry(state, spring.solid1, spring.point1).p_WP;
    const Vec3 p_WP2 = carry(state, spring.solid2, spring.point2).p_WP;
    const double stretch = norm(p_WP2 - p_WP1) - spring.rest;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  return energy;
}

}  // namespace tenon
