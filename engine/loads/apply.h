// How a load reaches a solid, and how a solid's points move. The world takes part as a solid that
// stands still and takes no force.
#pragma once

#include <tenon/mechanism.h>

#include <span>

namespace tenon {

inline bool isDynamic(const Mechanism& mechanism, Index solid) {
  return solid != kWorld && mechanism.solids[solid].kind == SolidKind::Dynamic;
}

// Has an orientation that torques could change.
inline bool turns(const Mechanism& mechanism, Index solid) {
  return isDynamic(mechanism, solid) && !mechanism.solids[solid].pointMass;
}

// A point of a solid, carried along: where it is and how fast it moves, world axes.
struct CarriedPoint {
  Vec3 lever;  // [m] from the centre of mass
  Vec3 p_WP;   // [m]
  Vec3 v_WP;   // [m/s]
};

inline CarriedPoint carry(const State& state, Index solid, const Vec3& p_CP) {
  if (solid == kWorld) return {{}, p_CP, {}};
  const Vec3 lever = rotate(state.orientation[solid], p_CP);
  return {lever, state.position[solid] + lever,
          state.velocity[solid] + cross(state.spin[solid], lever)};
}

inline Vec3 spinOf(const State& state, Index solid) {
  return solid == kWorld ? Vec3{} : state.spin[solid];
}

inline void applyTorque(const Mechanism& mechanism, Index solid, const Vec3& torque,
                        std::span<Wrench> wrenches) {
  if (turns(mechanism, solid)) wrenches[solid].torque += torque;
}

// A force at a point makes the torque lever × force about the centre of mass.
inline void applyForce(const Mechanism& mechanism, Index solid, const Vec3& lever,
                       const Vec3& force, std::span<Wrench> wrenches) {
  if (!isDynamic(mechanism, solid)) return;
  wrenches[solid].force += force;
  applyTorque(mechanism, solid, cross(lever, force), wrenches);
}

// Muscles and damping act across a joint, so they end with it: when it is switched off (a control
// that says nothing about it leaves it on), and where it holds a point mass, which no torque turns:
// pushing only the other solid would create momentum.
inline bool transmitsTorque(const Mechanism& mechanism, const Control& control, const State& state,
                            Index index) {
  const auto isPoint = [&](Index solid) {
    return solid != kWorld && mechanism.solids[solid].pointMass;
  };
  const MechanismJoint& joint = mechanism.joints[index];
  if (isPoint(joint.solid1) || isPoint(joint.solid2)) return false;
  if (index < control.jointOn.size() && control.jointOn[index] == 0) return false;
  return isActive(mechanism, joint.active, state.time);
}

}  // namespace tenon
