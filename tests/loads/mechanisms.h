// Small mechanisms made by hand: the tests of loads need no parser and no compiler.
#pragma once

#include <tenon/loads.h>
#include <tenon/mechanism.h>

#include <cstdint>
#include <vector>

namespace tenon::test {

// Our own numbers in [-1, 1]: the same on every machine.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed * 2 + 1) {}
  double number() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) / 4503599627370496.0 - 1.0;
  }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  Quat rotation() {
    const Vec3 v = vector();
    return normalized(Quat{v.x, v.y, v.z, number() + 1.5});
  }

 private:
  std::uint64_t state_;
};

inline MechanismSolid rigid(double mass) {
  MechanismSolid solid;
  solid.mass = mass;
  solid.inverseMass = 1 / mass;
  solid.inertia = diagonal({0.1 * mass, 0.2 * mass, 0.3 * mass});
  solid.inverseInertia = inverse(solid.inertia);
  return solid;
}

inline MechanismSolid point(double mass) {
  MechanismSolid solid;
  solid.mass = mass;
  solid.inverseMass = 1 / mass;
  solid.pointMass = true;
  return solid;
}

inline MechanismSolid fixed(SolidKind kind) {
  MechanismSolid solid;
  solid.kind = kind;
  return solid;
}

// Solids anywhere, turned and moving anyhow; a point mass keeps the world's axes and does not spin.
inline State randomState(const Mechanism& mechanism, std::uint64_t seed) {
  Noise noise(seed);
  State state;
  for (const MechanismSolid& solid : mechanism.solids) {
    state.position.push_back(3.0 * noise.vector());
    state.velocity.push_back(2.0 * noise.vector());
    state.orientation.push_back(solid.pointMass ? Quat{} : noise.rotation());
    state.spin.push_back(solid.pointMass ? Vec3{} : 4.0 * noise.vector());
  }
  return state;
}

inline std::vector<Wrench> loads(const Mechanism& mechanism, const Control& control,
                                 const State& state) {
  std::vector<Wrench> wrenches;
  gatherLoads(mechanism, control, state, wrenches);
  return wrenches;
}

// Force and torque about the world's origin of all wrenches together.
inline Wrench total(const State& state, const std::vector<Wrench>& wrenches) {
  Wrench sum;
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    sum.force += wrenches[i].force;
    sum.torque += wrenches[i].torque + cross(state.position[i], wrenches[i].force);
  }
  return sum;
}

// Work per second that the wrenches do on the solids [W].
inline double power(const State& state, const std::vector<Wrench>& wrenches) {
  double sum = 0;
  for (std::size_t i = 0; i < wrenches.size(); ++i)
    sum += dot(wrenches[i].force, state.velocity[i]) + dot(wrenches[i].torque, state.spin[i]);
  return sum;
}

}  // namespace tenon::test
