// State and Control at time 0, signals and paths as functions of time.
#include <tenon/mechanism.h>

#include <algorithm>
#include <cstring>

#include "math/portable.h"
#include "math/rotation.h"
#include "math/spline.h"

namespace tenon {

namespace {

// Word by word: a stamp is made anew for every pin, and is never compared with one of another program.
class Stamp {
 public:
  Stamp& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 32;
    return *this;
  }
  Stamp& addByte(std::uint8_t byte) { return add(std::uint64_t{byte}); }
  Stamp& add(double number) {
    std::uint64_t bits = 0;
    static_assert(sizeof bits == sizeof number);
    std::memcpy(&bits, &number, sizeof bits);
    return add(bits);
  }
  Stamp& add(const Vec3& v) { return add(v.x).add(v.y).add(v.z); }
  Stamp& add(const Pose& pose) {
    return add(pose.p).add(pose.q.x).add(pose.q.y).add(pose.q.z).add(pose.q.w);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3u;
};

}  // namespace

std::uint64_t stampOf(const Mechanism& mechanism) {
  Stamp hash;
  const auto range = [&hash](const Range& r) {
    hash.add(std::uint64_t{r.first} << 32 | std::uint64_t{r.count});
  };
  hash.add(std::uint64_t{mechanism.solids.size()}).add(std::uint64_t{mechanism.joints.size()});
  for (const MechanismSolid& solid : mechanism.solids) {
    hash.addByte(static_cast<std::uint8_t>(solid.kind));
    hash.addByte(static_cast<std::uint8_t>(solid.pointMass ? 1 : 0)).add(solid.mass);
    for (int r = 0; r < 3; ++r) hash.add(solid.inertia.row(r));
    hash.add(solid.initial).add(solid.rotatability);
    hash.add(solid.gravity).add(solid.gravityMoment);
    if (solid.kind == SolidKind::Animated) hash.add(solid.velocity).add(solid.spin);
  }
  for (const MechanismJoint& joint : mechanism.joints) {
    // Kinds are told apart by where they stand in the catalogue: their addresses.
    hash.add(std::uint64_t{reinterpret_cast<std::uintptr_t>(joint.kind)});
    hash.add(std::uint64_t{joint.solid1} << 32 | std::uint64_t{joint.solid2});
    hash.add(joint.frame1).add(joint.frame2).add(joint.compliance).add(joint.damp);
    hash.add(joint.distalMass).add(joint.alpha).add(joint.mobility).add(joint.weight);
    for (const Range& r : {joint.options, joint.points, joint.terms, joint.rules, joint.active})
      range(r);
    hash.add(std::uint64_t{joint.firstSlot});
  }
  const auto signal = [&](const CompiledSignal& of) {
    hash.add(of.offset).add(of.rate).add(of.amplitude).add(of.angularFrequency).add(of.phase);
    range(of.keys);
  };
  for (const MechanismRule& rule : mechanism.rules) {
    hash.addByte(static_cast<std::uint8_t>(rule.kind)).add(std::uint64_t{rule.coordinate});
    hash.add(rule.compliance).add(rule.lower).add(rule.upper).add(rule.weight);
    hash.add(rule.stiffness).add(rule.damping).add(rule.maxForce);
    hash.add(rule.coefficient).add(rule.radius).add(rule.inertia);
    signal(rule.target);
    range(rule.active);
  }
  const auto place = [&hash](Index solid, const Vec3& point) {
    hash.add(std::uint64_t{solid}).add(point);
  };
  for (const MechanismPoint& point : mechanism.points) place(point.solid, point.point);
  for (const MechanismTerm& term : mechanism.terms)
    hash.add(std::uint64_t{term.joint} << 32 | std::uint64_t{term.coordinate}).add(term.factor);
  for (const MechanismForce& force : mechanism.forces) {
    place(force.solid, force.point);
    hash.add(force.force).add(force.torque).addByte(static_cast<std::uint8_t>(force.axes));
    range(force.active);
  }
  for (const MechanismMuscle& muscle : mechanism.muscles) {
    place(muscle.joint, muscle.torque);
    range(muscle.active);
  }
  for (const MechanismSpring& spring : mechanism.springs) {
    place(spring.solid1, spring.point1);
    place(spring.solid2, spring.point2);
    hash.add(spring.rest).add(spring.stiffness).add(spring.damping);
    range(spring.active);
  }
  for (const MechanismDrag& drag : mechanism.drags) {
    hash.add(std::uint64_t{drag.solid}).add(drag.linear).add(drag.quadratic).add(drag.angular);
    range(drag.active);
  }
  for (const CompiledPath& path : mechanism.paths) {
    hash.add(std::uint64_t{path.solid}).addByte(static_cast<std::uint8_t>(path.uniform ? 1 : 0));
    for (const CompiledSignal& along : path.p) signal(along);
    for (const CompiledSignal& along : path.q) signal(along);
  }
  for (const SignalKey& key : mechanism.signalKeys)
    hash.add(key.time).add(key.value).add(key.slope);
  for (const Interval& interval : mechanism.intervals) hash.add(interval.begin).add(interval.end);
  for (const double option : mechanism.options) hash.add(option);
  const std::uint64_t value = hash.value();
  return value == 0 ? 1 : value;  // 0 means none
}

State initialState(const Mechanism& mechanism) {
  State state;
  for (std::vector<Vec3>* list : {&state.position, &state.velocity, &state.spin})
    list->reserve(mechanism.solids.size());
  state.orientation.reserve(mechanism.solids.size());
  for (const MechanismSolid& solid : mechanism.solids) {
    state.position.push_back(solid.initial.p);
    state.orientation.push_back(solid.initial.q);
    state.velocity.push_back(solid.velocity);
    state.spin.push_back(solid.spin);
  }
  state.multiplier.assign(mechanism.slots, 0);
  state.memory = mechanism.memory;
  followPaths(mechanism, state);
  return state;
}

Control initialControl(const Mechanism& mechanism) {
  Control control;
  control.gravity = mechanism.gravity;
  control.damp = mechanism.damp;
  control.jointOn.assign(mechanism.joints.size(), 1);
  control.target.assign(mechanism.rules.size(), 0);
  return control;
}

SignalValue evaluate(const Mechanism& mechanism, const CompiledSignal& signal, double time) {
  SignalValue s{signal.offset + signal.rate * time, signal.rate, 0};
  if (signal.amplitude != 0) {
    const double w = signal.angularFrequency;
    const SineCosine turn = sineCosine(w * time + signal.phase);
    s.value += signal.amplitude * turn.sine;
    s.rate += signal.amplitude * w * turn.cosine;
    s.acceleration -= signal.amplitude * w * w * turn.sine;
  }
  if (signal.keys.count == 0) return s;

  // The cubic between the keys around `time`; held at the ends. At a jump of the derivatives what follows
  // counts, as it does where intervals begin and end.
  const SignalKey* first = mechanism.signalKeys.data() + signal.keys.first;
  const SignalKey* last = first + signal.keys.count - 1;
  if (time < first->time || time >= last->time) {
    s.value += time < first->time ? first->value : last->value;
    return s;
  }
  const SignalKey* b =
      std::upper_bound(first, last, time, [](double t, const SignalKey& k) { return t < k.time; });
  const SignalKey* a = b - 1;
  const double h = b->time - a->time;
  const SplineValue piece =
      cubicPiece(h, a->value, a->slope, b->value, b->slope, (time - a->time) / h);
  s.value += piece.value;
  s.rate += piece.rate;
  s.acceleration += piece.acceleration;
  return s;
}

PathValue evaluate(const Mechanism& mechanism, const CompiledPath& path, double time) {
  PathValue v;
  if (path.uniform) {
    const MechanismSolid& solid = mechanism.solids[path.solid];
    v.pose.p = solid.initial.p + time * solid.velocity;
    v.pose.q = normalized(exponential(time * solid.spin) * solid.initial.q);
    v.velocity = solid.velocity;
    v.spin = solid.spin;
    return v;
  }
  for (int i = 0; i < 3; ++i) {
    const SignalValue s = evaluate(mechanism, path.p[i], time);
    v.pose.p[i] = s.value;
    v.velocity[i] = s.rate;
    v.acceleration[i] = s.acceleration;
  }
  // q = s/|s|. Scaling s changes only the scalar part of ṡ s*, so with n = |s|²
  //   ω = 2 vec(ṡ s*)/n,   ω̇ = 2 vec(s̈ s*)/n - ω ṅ/n.
  SignalValue c[4];
  for (int i = 0; i < 4; ++i) c[i] = evaluate(mechanism, path.q[i], time);
  const Quat s{c[0].value, c[1].value, c[2].value, c[3].value};
  const Quat s1{c[0].rate, c[1].rate, c[2].rate, c[3].rate};
  const Quat s2{c[0].acceleration, c[1].acceleration, c[2].acceleration, c[3].acceleration};
  double n = 0, n1 = 0;
  for (const SignalValue& x : c) {
    n += x.value * x.value;
    n1 += 2 * x.value * x.rate;
  }
  const auto vec = [](const Quat& q) { return Vec3{q.x, q.y, q.z}; };
  v.pose.q = normalized(s);
  v.spin = (2 / n) * vec(s1 * conjugate(s));
  v.angularAcceleration = (2 / n) * vec(s2 * conjugate(s)) - (n1 / n) * v.spin;
  return v;
}

void followPaths(const Mechanism& mechanism, State& state) {
  for (const CompiledPath& path : mechanism.paths) {
    const PathValue v = evaluate(mechanism, path, state.time);
    state.position[path.solid] = v.pose.p;
    state.orientation[path.solid] = v.pose.q;
    state.velocity[path.solid] = v.velocity;
    state.spin[path.solid] = v.spin;
  }
}

bool isActive(const Mechanism& mechanism, const Range& intervals, double time) {
  if (intervals.count == 0) return true;
  const Interval* first = mechanism.intervals.data() + intervals.first;
  return std::any_of(first, first + intervals.count, [time](const Interval& interval) {
    return interval.begin <= time && time < interval.end;
  });
}

}  // namespace tenon
