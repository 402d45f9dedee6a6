// Numbers that are finite and yet too large to compute with, and joints that are too many to solve for.
//
// Of numbers up to 1e30 what algorithms multiply stays within doubles: energies m v² and k x² below 1e90, levers
// times mobilities below 1e140, products of two of those below 1e280.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compile/compiler.h"
#include "compile/finish.h"

namespace tenon {

namespace {

// The numbers of one thing: the first that is too large makes one message. Those that are not finite have
// messages of their own.
class Numbers {
 public:
  Numbers(Compiler& compiler, const Place& place, std::string whose)
      : compiler_(compiler), place_(place), whose_(std::move(whose)) {}

  void add(double x) {
    if (said_ || !std::isfinite(x) || std::abs(x) <= kLargestNumber) return;
    said_ = true;
    compiler_.error(place_, "a number of " + whose_ + " is too large to compute with",
                    "keep numbers between -1e30 and 1e30");
  }
  void add(const Vec3& v) {
    for (int k = 0; k < 3; ++k) add(v[k]);
  }
  void add(const std::optional<double>& x) { add(x.value_or(0)); }
  void add(const std::optional<Vec3>& v) { add(v.value_or(Vec3{})); }
  void add(const Signal& signal) {
    for (const double x :
         {signal.offset, signal.rate, signal.amplitude, signal.frequency, signal.phase})
      add(x);
    for (const Signal::Key& key : signal.keys) {
      add(key.time);
      add(key.value);
    }
  }
  template <class... T>
  void addAll(const T&... numbers) {
    (add(numbers), ...);
  }

 private:
  Compiler& compiler_;
  const Place& place_;
  std::string whose_;
  bool said_ = false;
};

std::string called(const char* noun, const std::string& name) {
  return std::string(noun) + " '" + name + "'";
}

}  // namespace

void Compiler::checkNumbers() {
  Numbers(*this, {}, "the scene").addAll(scene.gravity, scene.damp);
  for (const Material& material : scene.materials)
    Numbers(*this, material.place, called("material", material.name)).add(material.density);
  for (const Solid& solid : scene.solids) {
    Numbers numbers(*this, solid.place, called("solid", solid.name));
    numbers.addAll(solid.pose.p, solid.velocity, solid.spin, solid.density, solid.mass, solid.com,
                   solid.boxDensity, solid.rotatability, solid.gravity);
    for (int r = 0; solid.inertia && r < 3; ++r) numbers.add(solid.inertia->row(r));
    for (const PathKey& key : solid.path) numbers.addAll(key.time, key.pose.p);
    for (const Shape& shape : solid.shapes) {
      Numbers own(*this, shape.place.file == Place::kNowhere ? solid.place : shape.place,
                  "a shape of '" + solid.name + "'");
      own.addAll(shape.size, shape.pose.p, shape.density);
      for (const Vec3& p : shape.points) own.add(p);
    }
  }
  for (const Joint& joint : scene.joints) {
    Numbers numbers(*this, joint.place, called("joint", joint.name));
    numbers.addAll(joint.frame1.p, joint.frame2.p, joint.alpha, joint.compliance, joint.weight,
                   joint.damp);
    for (const JointPoint& point : joint.more) numbers.add(point.point);
    for (const CoupledCoordinate& couple : joint.couples) numbers.add(couple.factor);
    for (const JointOption& option : joint.options) {
      Numbers own(*this, option.place.file == Place::kNowhere ? joint.place : option.place,
                  "'" + option.name + "' of " + called("joint", joint.name));
      for (const double x : option.values) own.add(x);
    }
    for (const CoordinateRule& rule : joint.rules)
      Numbers(*this, rule.place, "'" + rule.coordinate + "' of " + called("joint", joint.name))
          .addAll(rule.lower, rule.upper, rule.target, rule.stiffness, rule.damping, rule.maxForce,
                  rule.coefficient, rule.radius, rule.inertia, rule.compliance, rule.weight);
  }
  for (const Force& force : scene.forces)
    Numbers(*this, force.place, called("force", force.name)).addAll(force.point, force.vector);
  for (const Torque& torque : scene.torques)
    Numbers(*this, torque.place, called("torque", torque.name)).add(torque.vector);
  for (const Muscle& muscle : scene.muscles)
    Numbers(*this, muscle.place, called("muscle", muscle.name)).add(muscle.vector);
  for (const Spring& spring : scene.springs)
    Numbers(*this, spring.place, called("spring", spring.name))
        .addAll(spring.point1, spring.point2, spring.rest, spring.stiffness, spring.damping);
  for (const Drag& drag : scene.drags)
    Numbers(*this, drag.place, called("drag", drag.name))
        .addAll(drag.linear, drag.quadratic, drag.angular);
  for (const Pin& pin : scene.pins)
    Numbers(*this, pin.place, called("pin", pin.name)).addAll(pin.point, pin.target);
  for (const KeyPose& pose : scene.keyPoses) {
    Numbers numbers(*this, pose.place, called("pose", pose.name));
    numbers.add(pose.time);
    for (const KeyPose::SolidPose& one : pose.solids) numbers.add(one.pose.p);
    for (const KeyPose::CoordinateValue& value : pose.coordinates) numbers.add(value.value);
  }
  for (const Goal& goal : scene.goals)
    Numbers(*this, goal.place, called("goal", goal.name))
        .addAll(goal.point, goal.target, goal.weight);
  for (const Event& event : scene.events)
    for (const double x : event.values)
      Numbers(*this, event.place, called("event", event.action)).add(x);
}

namespace {

// What a joint's solid counts as: kWorld, unless it obeys forces.
Index moverOf(const Mechanism& m, Index solid) {
  return solid != kWorld && m.solids[solid].kind == SolidKind::Dynamic ? solid : kWorld;
}

}  // namespace

std::vector<Index> crowdedJoints(const Mechanism& m) {
  // No two solids have more than one of them has. The last is for what stands still.
  std::vector<std::size_t> most(m.solids.size() + 1, 0);
  bool any = false;
  const auto forEach = [&](const auto& f) {
    for (Index j = 0; j < m.joints.size(); ++j) {
      const MechanismJoint& joint = m.joints[j];
      if (joint.kind == nullptr || joint.kind->relates != Relates::Frames) continue;
      const Index a = moverOf(m, joint.solid1), b = moverOf(m, joint.solid2);
      f(j, std::min(a, b), std::max(a, b), ownSlots(*joint.kind) + joint.rules.count);
    }
  };
  forEach([&](Index, Index a, Index b, Index count) {
    if (b == kWorld) b = static_cast<Index>(m.solids.size());
    if (a == kWorld || b < m.solids.size()) any |= (most[b] += count) > kMostConstraintsOfPair;
    if (a != kWorld) any |= (most[a] += count) > kMostConstraintsOfPair;
  });
  std::vector<Index> crowded;
  if (!any) return crowded;
  std::map<std::pair<Index, Index>, std::size_t> between;
  forEach([&](Index j, Index a, Index b, Index count) {
    std::size_t& sum = between[{a, b}];
    const bool before = sum > kMostConstraintsOfPair;
    sum += count;
    if (!before && sum > kMostConstraintsOfPair) crowded.push_back(j);
  });
  return crowded;
}

void Compiler::checkCrowds() {
  for (const Index j : crowdedJoints(mechanism)) {
    const MechanismJoint& joint = mechanism.joints[j];
    const Index a = moverOf(mechanism, joint.solid1), b = moverOf(mechanism, joint.solid2);
    const auto name = [this](Index solid) {
      return solid == kWorld ? std::string("the ground") : "'" + scene.solids[solid].name + "'";
    };
    error(j < scene.joints.size() ? scene.joints[j].place : Place{},
          "with joint '" + mechanism.jointNames[j] + "' there are more than " +
              std::to_string(kMostConstraintsOfPair) +
              " constraints, limits and other rules between " + name(std::min(a, b)) + " and " +
              name(std::max(a, b)),
          "remove those that repeat others");
  }
}

}  // namespace tenon
