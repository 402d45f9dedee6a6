// Loads: solids and joints looked up, points moved to the centres of mass, numbers checked.
#include <cmath>

#include "compile/compiler.h"

namespace tenon {

namespace {

// A load needs a solid that exists and is not the world.
bool findLoaded(Compiler& compiler, const std::string& solid, const std::string& load,
                const Place& place, Index& index) {
  if (solid.empty()) {
    compiler.error(place, "'" + load + "' acts on nothing", "add `object NAME;`");
    return false;
  }
  return compiler.findSolid(solid, place, index);
}

void requireFinite(Compiler& compiler, std::initializer_list<Vec3> vectors, const std::string& load,
                   const Place& place) {
  for (const Vec3& v : vectors)
    if (!isFinite(v)) compiler.error(place, "a number of '" + load + "' is not finite");
}

void requireNotNegative(Compiler& compiler, std::initializer_list<double> numbers,
                        const std::string& load, const Place& place) {
  for (const double x : numbers)
    if (!(x >= 0) || !std::isfinite(x))
      compiler.error(place, "the numbers of '" + load + "' must be finite and not negative");
}

}  // namespace

void Compiler::addLoads() {
  for (const Force& source : scene.forces) {
    MechanismForce force;
    if (!findLoaded(*this, source.solid, source.name, source.place, force.solid)) continue;
    requireFinite(*this, {source.point, source.vector}, source.name, source.place);
    force.point = toCentre(force.solid, source.point);
    force.force = source.vector;
    force.axes = source.axes;
    force.active = addIntervals(source.active, source.place);
    mechanism.forces.push_back(force);
  }
  for (const Torque& source : scene.torques) {
    MechanismForce torque;
    if (!findLoaded(*this, source.solid, source.name, source.place, torque.solid)) continue;
    requireFinite(*this, {source.vector}, source.name, source.place);
    torque.torque = source.vector;
    torque.axes = source.axes;
    torque.active = addIntervals(source.active, source.place);
    mechanism.forces.push_back(torque);
  }
  for (const Muscle& source : scene.muscles) {
    MechanismMuscle muscle;
    if (!findJoint(source.joint, source.place, muscle.joint)) continue;
    requireFinite(*this, {source.vector}, source.name, source.place);
    muscle.torque = source.vector;
    muscle.active = addIntervals(source.active, source.place);
    mechanism.muscles.push_back(muscle);
  }
  for (const Spring& source : scene.springs) {
    MechanismSpring spring;
    const bool found1 = findSolid(source.solid1, source.place, spring.solid1);
    const bool found2 = findSolid(source.solid2, source.place, spring.solid2);
    if (!found1 || !found2) continue;
    requireFinite(*this, {source.point1, source.point2}, source.name, source.place);
    requireNotNegative(*this, {source.stiffness, source.damping, source.rest.value_or(0)},
                       source.name, source.place);
    if (spring.solid1 == spring.solid2)
      error(source.place, "spring '" + source.name + "' has both its ends on the same solid",
            "give object1 and object2 two different solids");
    const auto written = [this](Index solid, const Vec3& point) {
      return solid == kWorld ? point : transform(authored[solid], point);
    };
    spring.point1 = toCentre(spring.solid1, source.point1);
    spring.point2 = toCentre(spring.solid2, source.point2);
    spring.rest = source.rest.value_or(
        norm(written(spring.solid2, source.point2) - written(spring.solid1, source.point1)));
    spring.stiffness = source.stiffness;
    spring.damping = source.damping;
    spring.active = addIntervals(source.active, source.place);
    mechanism.springs.push_back(spring);
  }
  std::size_t onAll = 0;  // drags that act on every solid
  for (const Drag& source : scene.drags) {
    MechanismDrag drag;
    // Each is work for every solid in every step.
    constexpr std::size_t kMostWork = 1'000'000;
    if (source.solid.empty() && onAll++ > 0 && onAll * scene.solids.size() > kMostWork) {
      error(source.place,
            "drag '" + source.name + "' acts on every solid of the scene, and too many drags do so",
            "add up their numbers in one drag, or give each an `object`");
      break;
    }
    requireNotNegative(*this, {source.linear, source.quadratic, source.angular}, source.name,
                       source.place);
    drag.linear = source.linear;
    drag.quadratic = source.quadratic;
    drag.angular = source.angular;
    drag.active = addIntervals(source.active, source.place);
    drag.solid = kWorld;
    if (source.solid.empty() || findSolid(source.solid, source.place, drag.solid))
      mechanism.drags.push_back(drag);
  }
}

}  // namespace tenon
