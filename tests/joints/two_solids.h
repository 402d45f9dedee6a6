// Two solids and one joint at random, for every test that must hold of every joint.
#pragma once

#include <tenon/joint.h>

#include "math/random.h"
#include "math/rotation.h"

namespace tenon::test {

inline Vec3 randomVector(Random& random, double size) {
  const double x = random.uniform(-size, size);
  const double y = random.uniform(-size, size);
  const double z = random.uniform(-size, size);
  return {x, y, z};
}

inline Pose randomPose(Random& random, double size) {
  const Vec3 p = randomVector(random, size);
  return {p, random.rotation()};
}

// A mechanism of two dynamic solids with one joint; options get plausible random values.
inline Mechanism twoSolids(const JointKind& kind, Random& random) {
  Mechanism m;
  for (int i = 0; i < 2; ++i) {
    MechanismSolid solid;
    solid.mass = 1;
    solid.inverseMass = 1;
    solid.inertia = solid.inverseInertia = identity3();
    solid.initial = randomPose(random, 1);
    solid.velocity = randomVector(random, 2);
    solid.spin = randomVector(random, 2);
    m.solids.push_back(solid);
    m.solidNames.push_back(i == 0 ? "first" : "second");
  }
  MechanismJoint joint;
  joint.kind = &kind;
  joint.solid1 = 0;
  joint.solid2 = 1;
  joint.frame1 = randomPose(random, 1);
  joint.frame2 = randomPose(random, 1);
  for (int o = 0; o < kind.optionCount; ++o)
    for (int n = 0; n < kind.options[o].count; ++n) m.options.push_back(random.uniform(0.5, 1.5));
  joint.options.count = static_cast<Index>(m.options.size());
  m.joints.push_back(joint);
  m.jointNames.push_back("joint");
  m.slots = static_cast<Index>(kind.residualCount);
  for (int c = 0; c < kind.coordinateCount; ++c)
    if (kind.coordinates[c].periodic) m.memory.push_back(0);
  return m;
}

// One rule of each kind on each coordinate.
inline void addRules(Mechanism& m, Random& random) {
  MechanismJoint& joint = m.joints[0];
  for (int c = 0; c < joint.kind->coordinateCount; ++c)
    for (const auto kind :
         {CoordinateRule::Kind::Limit, CoordinateRule::Kind::Spring, CoordinateRule::Kind::Damper,
          CoordinateRule::Kind::Drive, CoordinateRule::Kind::Prescribe}) {
      MechanismRule rule;
      rule.kind = kind;
      rule.coordinate = static_cast<Index>(c);
      rule.lower = -0.4;
      rule.upper = 0.3;
      rule.stiffness = 5;
      rule.damping = 0.5;
      rule.maxForce = 7;
      rule.target.offset = random.uniform(-1, 1);
      rule.target.rate = random.uniform(-1, 1);
      rule.target.amplitude = random.uniform(-1, 1);
      rule.target.angularFrequency = random.uniform(1, 3);
      rule.target.phase = random.uniform(-1, 1);
      m.rules.push_back(rule);
    }
  joint.rules = {0, static_cast<Index>(m.rules.size())};
  m.slots += 2 * joint.rules.count;
}

// The state reached by moving every solid on for `time` with its velocity and spin.
inline State movedOn(const State& from, double time) {
  State to = from;
  to.time = from.time + time;
  for (std::size_t i = 0; i < from.position.size(); ++i) {
    to.position[i] = from.position[i] + time * from.velocity[i];
    to.orientation[i] = normalized(exponential(time * from.spin[i]) * from.orientation[i]);
  }
  return to;
}

// A state at which frame 2 is moved from frame 1 by `X_12`, and everything moves at random.
inline State stateAt(const Mechanism& m, const Pose& X_12, Random& random) {
  State state = initialState(m);
  for (std::size_t i = 0; i < m.solids.size(); ++i) {
    state.velocity[i] = randomVector(random, 2);
    state.spin[i] = randomVector(random, 2);
  }
  const Pose first = randomPose(random, 1);
  const Pose second = first * m.joints[0].frame1 * X_12 * inverse(m.joints[0].frame2);
  state.position[0] = first.p;
  state.orientation[0] = normalized(first.q);
  state.position[1] = second.p;
  state.orientation[1] = normalized(second.q);
  state.time = random.uniform(0, 2);
  return state;
}

// A random state at which the relative rotation is not near half a turn, where coordinates jump.
inline State randomState(const Mechanism& m, Random& random) {
  for (;;) {
    State state = initialState(m);
    for (std::size_t i = 0; i < m.solids.size(); ++i) {
      const Pose pose = randomPose(random, 1);
      state.position[i] = pose.p;
      state.orientation[i] = pose.q;
      state.velocity[i] = randomVector(random, 2);
      state.spin[i] = randomVector(random, 2);
    }
    state.time = random.uniform(0, 2);
    const Quat relative = conjugate(state.orientation[0] * m.joints[0].frame1.q) *
                          (state.orientation[1] * m.joints[0].frame2.q);
    const Mat3 R = rotationMatrix(relative);
    if (std::abs(relative.w) < 0.15 || std::abs(R(0, 0)) > 0.98) continue;
    rememberTurns(m, state);
    return state;
  }
}

}  // namespace tenon::test
