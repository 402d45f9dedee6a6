// Two solids and one joint at random, for every test that must hold of every joint.
#pragma once

#include <gtest/gtest.h>
#include <tenon/joint.h>

#include <limits>
#include <string>

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

inline void addSolid(Mechanism& m, Random& random) {
  MechanismSolid solid;
  solid.mass = 1;
  solid.inverseMass = 1;
  solid.inertia = solid.inverseInertia = identity3();
  solid.initial = randomPose(random, 1);
  solid.velocity = randomVector(random, 2);
  solid.spin = randomVector(random, 2);
  m.solids.push_back(solid);
  m.solidNames.push_back("solid-" + std::to_string(m.solids.size()));
}

inline MechanismJoint& addJoint(Mechanism& m, const JointKind& kind, Index solid1, Index solid2,
                                std::span<const JointOption> options, Random& random) {
  MechanismJoint joint;
  joint.kind = &kind;
  joint.solid1 = solid1;
  joint.solid2 = solid2;
  joint.frame1 = randomPose(random, 1);
  joint.frame2 = randomPose(random, 1);
  joint.options.first = static_cast<Index>(m.options.size());
  EXPECT_EQ(prepareOptions(kind, options, m.options).what, "");
  joint.options.count = static_cast<Index>(m.options.size()) - joint.options.first;
  joint.firstSlot = m.slots;
  joint.firstMemory = static_cast<Index>(m.memory.size());
  m.slots += slotCount(joint);
  m.memory.resize(m.memory.size() + static_cast<std::size_t>(memoryCount(kind)), 0);
  for (int f = 0; f < kind.found; ++f)
    m.memory[m.memory.size() - 1 - static_cast<std::size_t>(f)] =
        std::numeric_limits<double>::quiet_NaN();
  m.joints.push_back(joint);
  m.jointNames.push_back("joint-" + std::to_string(m.joints.size()));
  return m.joints.back();
}

// A mechanism of dynamic solids in which joint 0 is of this kind, with the options of one of its
// examples: two solids, or four for a relation of points; for a relation of coordinates three solids
// and four other joints whose coordinates it couples, one of them a relation of points.
inline Mechanism twoSolids(const JointKind& kind, const JointExample& example, Random& random) {
  Mechanism m;
  const int solids = kind.relates == Relates::Frames ? 2 : kind.relates == Relates::Points ? 4 : 3;
  for (int i = 0; i < solids; ++i) addSolid(m, random);
  if (kind.relates == Relates::Coordinates) {
    addJoint(m, kind, kWorld, kWorld, example.options, random).terms = {0, 4};
    addJoint(m, *findJointKind("cylindrical"), 0, 1, {}, random);
    addJoint(m, *findJointKind("ball"), 1, 2, {}, random);
    addJoint(m, *findJointKind("planar"), kWorld, 2, {}, random);
    addJoint(m, *findJointKind("fold"), 0, 1, {}, random).points = {0, kPoints};
    for (const Index solid : {0u, 1u, 2u, kWorld})
      m.points.push_back({solid, randomVector(random, 1)});
    m.terms = {{1, 1, 1.0}, {2, 4, -0.7}, {3, 0, 0.4}, {4, 0, 0.3}};
    return m;
  }
  MechanismJoint& joint = addJoint(m, kind, 0, 1, example.options, random);
  if (kind.relates == Relates::Points) {
    joint.points = {0, kPoints};
    for (Index k = 0; k < kPoints; ++k) m.points.push_back({k, randomVector(random, 1)});
  }
  return m;
}

inline Mechanism twoSolids(const JointKind& kind, Random& random) {
  return twoSolids(kind, examplesOf(kind).front(), random);
}

// A joint between the world and one solid whose frame is at pose X seen from the world.
struct Held {
  Mechanism m;
  State state;

  explicit Held(const char* kind, const std::vector<JointOption>& options = {}) {
    Random random(1);
    JointExample example = examplesOf(*findJointKind(kind)).front();
    if (!options.empty()) example.options = options;
    m = twoSolids(*findJointKind(kind), example, random);
    m.joints[0].solid1 = kWorld;
    m.joints[0].frame1 = m.joints[0].frame2 = {};
    state = initialState(m);
    place({});
  }
  void place(const Pose& X) {
    state.position[1] = X.p;
    state.orientation[1] = X.q;
  }
  JointValues at(const Pose& X) {
    place(X);
    return jointValues(m, state, 0);
  }
  double coordinate(const char* name) {
    return jointValues(m, state, 0).coordinate[findCoordinate(*m.joints[0].kind, name)];
  }
  // Adds a rule on a coordinate.
  MechanismRule& rule(CoordinateRule::Kind kind, const char* name) {
    MechanismRule made;
    made.kind = kind;
    made.coordinate = static_cast<Index>(findCoordinate(*m.joints[0].kind, name));
    made.lower = -kInfinity;
    made.upper = made.maxForce = kInfinity;
    m.rules.push_back(made);
    m.joints[0].rules = {0, static_cast<Index>(m.rules.size())};
    return m.rules.back();
  }
  Rows rows() {
    Rows made;
    emitJointRows(m, initialControl(m), state, 0, made);
    return made;
  }
};

inline Quat turned(const Vec3& axis, double angle) { return fromAxisAngle(axis, angle); }

// One rule of each kind on each coordinate.
inline void addRules(Mechanism& m, Random& random) {
  MechanismJoint& joint = m.joints[0];
  for (int c = 0; c < joint.kind->coordinateCount; ++c)
    for (const auto kind :
         {CoordinateRule::Kind::Limit, CoordinateRule::Kind::Spring, CoordinateRule::Kind::Damper,
          CoordinateRule::Kind::Drive, CoordinateRule::Kind::Prescribe,
          CoordinateRule::Kind::Prefer, CoordinateRule::Kind::Friction}) {
      MechanismRule rule;
      rule.kind = kind;
      rule.coordinate = static_cast<Index>(c);
      rule.lower = -0.4;
      rule.upper = 0.3;
      rule.stiffness = 5;
      rule.damping = 0.5;
      rule.maxForce = 7;
      rule.coefficient = 0.2;
      rule.radius = 0.05;
      rule.target.offset = random.uniform(-1, 1);
      rule.target.rate = random.uniform(-1, 1);
      rule.target.amplitude = random.uniform(-1, 1);
      rule.target.angularFrequency = random.uniform(1, 3);
      rule.target.phase = random.uniform(-1, 1);
      m.rules.push_back(rule);
    }
  joint.rules = {0, static_cast<Index>(m.rules.size())};
  for (MechanismJoint& other : m.joints)  // joint 0 has got more slots
    if (&other != &joint) other.firstSlot += 2 * joint.rules.count;
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

// A random state at which no relative rotation is near half a turn, where coordinates jump.
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
    bool good = true;
    for (const MechanismJoint& joint : m.joints) {
      if (joint.kind->relates != Relates::Frames) continue;
      const auto frame = [&state](Index solid, const Pose& X) {
        return solid == kWorld ? X.q : state.orientation[solid] * X.q;
      };
      const Quat relative =
          conjugate(frame(joint.solid1, joint.frame1)) * frame(joint.solid2, joint.frame2);
      const Mat3 R = rotationMatrix(relative);
      good &= std::abs(relative.w) > 0.15 && std::abs(R(0, 0)) < 0.98;
    }
    if (!good) continue;
    rememberTurns(m, state);
    // Far from a curve the nearest place jumps; a mechanism lives near it.
    for (Index j = 0; j < m.joints.size(); ++j)
      for (int g = 0; g < m.joints[j].kind->residualCount && m.joints[j].kind->found > 0; ++g)
        good &= std::abs(jointValues(m, state, j).residual[g]) < 0.15;
    if (!good) continue;
    return state;
  }
}

}  // namespace tenon::test
