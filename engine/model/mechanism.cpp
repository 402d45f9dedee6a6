// State and Control at time 0, signals and paths as functions of time.
#include <tenon/mechanism.h>

#include <algorithm>

#include "math/hash.h"
#include "math/portable.h"
#include "math/rotation.h"
#include "math/spline.h"

namespace tenon {

std::uint64_t stampOf(const Mechanism& mechanism) {
  Hash hash;
  const auto range = [&hash](const Range& r) {
    hash.add(std::uint64_t{r.first} << 32 | std::uint64_t{r.count});
  };
  hash.add(std::uint64_t{mechanism.solids.size()}).add(std::uint64_t{mechanism.joints.size()});
  for (const MechanismSolid& solid : mechanism.solids) {
    hash.addByte(static_cast<std::uint8_t>(solid.kind));
    hash.addByte(static_cast<std::uint8_t>(solid.pointMass ? 1 : 0)).add(solid.mass);
    for (int r = 0; r < 3; ++r) hash.add(solid.inertia.row(r));
  }
  for (const MechanismJoint& joint : mechanism.joints) {
    // Kinds are told apart by where they stand in the catalogue: their addresses.
    hash.add(std::uint64_t{reinterpret_cast<std::uintptr_t>(joint.kind)});
    hash.add(std::uint64_t{joint.solid1} << 32 | std::uint64_t{joint.solid2});
    hash.add(joint.frame1).add(joint.frame2).add(joint.compliance).add(joint.damp);
    for (const Range& r : {joint.options, joint.points, joint.terms, joint.rules, joint.active})
      range(r);
    hash.add(std::uint64_t{joint.firstSlot});
  }
  for (const MechanismRule& rule : mechanism.rules) {
    hash.addByte(static_cast<std::uint8_t>(rule.kind)).add(std::uint64_t{rule.coordinate});
    hash.add(rule.compliance).add(rule.lower).add(rule.upper);
    range(rule.active);
  }
  for (const Interval& interval : mechanism.intervals) hash.add(interval.begin).add(interval.end);
  for (const double option : mechanism.options) hash.add(option);
  const std::uint64_t loads = mechanism.forces.size() + mechanism.muscles.size() +
                              mechanism.springs.size() + mechanism.drags.size();
  const std::uint64_t value = hash.add(loads).value();
  return value == 0 ? 1 : value;  // 0 means none
}

State initialState(const Mechanism& mechanism) {
  State state;
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
