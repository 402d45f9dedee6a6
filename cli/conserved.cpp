#include "conserved.h"

#include <algorithm>

namespace tenon::cli {
namespace {

bool moves(const Mechanism& m, Index solid) {
  return solid != kWorld && m.solids[solid].kind == SolidKind::Dynamic;
}

bool isHeldFromOutside(const Mechanism& m, const MechanismJoint& joint) {
  // Relations of coordinates act through the joints that have them.
  if (joint.terms.count > 0) return false;
  for (Index p = joint.points.first; p < joint.points.first + joint.points.count; ++p)
    if (!moves(m, m.points[p].solid)) return true;
  return joint.points.count == 0 && (!moves(m, joint.solid1) || !moves(m, joint.solid2));
}

}  // namespace

Conserved conservedBy(const Scene& scene, const Mechanism& m) {
  const auto any = [](const auto& list, const auto& is) {
    return std::any_of(list.begin(), list.end(), is);
  };
  Conserved kept;
  const bool pushed = !m.forces.empty() || !m.drags.empty();
  // Limits take energy; what springs of joints store is not measured.
  kept.energy = !pushed && m.muscles.empty() && m.paths.empty() && m.damp == 0 &&
                scene.events.empty() && m.intervals.empty() && m.rules.empty() &&
                !any(m.joints, [](const auto& joint) { return joint.damp > 0; }) &&
                !any(m.springs, [](const auto& spring) { return spring.damping != 0; });
  kept.momenta = !pushed && norm(m.gravity) == 0 &&
                 !any(scene.events, [](const Event& event) { return event.action == "gravity"; }) &&
                 !any(m.joints, [&](const auto& joint) { return isHeldFromOutside(m, joint); }) &&
                 !any(m.springs, [&](const auto& spring) {
                   return !moves(m, spring.solid1) || !moves(m, spring.solid2);
                 });
  return kept;
}

}  // namespace tenon::cli
