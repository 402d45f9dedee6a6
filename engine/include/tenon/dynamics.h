// What a mechanism's equations of motion are at a state, in the coordinates of a tree of its joints.
//
//   M u̇ + h = τ + Jᵀλ,     J u̇ + d = 0
//
// u are the tree's speeds, τ the forces and torques along them, M the mass matrix, h the bias forces; the rows J are those of
// the joints that the tree leaves over (loops, gears, rolling, prescribed motion). docs/dynamics.md tells it with an example.
//
// The tree is the spanning forest of the method `recursive`: of the joints of two solids that hold at the state those with
// the most equations first, and among equals those written first. Immobile and animated solids and the world are its ground.
//
// The order of the speeds: links come breadth first from the ground, the children of a solid in the order in which their
// joints are written; then island after island of what no joint ties to the ground, from its first solid, which is free.
// Of a link come
//   of a joint     its free coordinates in the catalogue's order, the speed being the coordinate's rate. In place of rx, ry,
//                  rz: the spin of the child relative to its parent, along the axes of the child solid
//   of no joint    the velocity of the centre of mass along the world's axes, then the spin along the solid's own axes (a
//                  point mass has no spin)
//   of the others  (their coordinates do not say a pose, such as those of a distance; or not at this pose, where a cardan
//                  joint is stretched out; or the child is a point mass): an orthonormal basis of the twists between the frames
//                  that the joint leaves free, in axes of frame 1. It is the basis at this state, and another one elsewhere
// The child of a joint is the solid that is farther from the ground. A coordinate that is a rate keeps the catalogue's sign,
// whichever of the joint's two solids the child is.
//
// Joints that yield (`compliance`) count as rigid. Friction and hard limits take no part: which of them act is for a step to
// decide. Animated solids are driven: they have no speeds, and what their motion asks for is in h.
#pragma once

#include <tenon/ids.h>
#include <tenon/mechanism.h>
#include <tenon/result.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tenon {

// Dense, by rows.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  double& operator()(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double operator()(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

// One of the tree's speeds.
struct TreeSpeed {
  enum class Kind : std::uint8_t {
    Coordinate,  // the rate of a coordinate of the joint [m/s] or [rad/s]
    Spin,        // of the solid relative to its parent, along `axis` of the solid [rad/s]
    Velocity,    // of the centre of mass of a free solid, along `axis` of the world [m/s]
    Free,        // along one of the directions that the joint leaves free
  };
  Kind kind = Kind::Coordinate;
  SolidId solid{};               // the child that it moves
  std::optional<JointId> joint;  // nothing: the solid is free
  std::optional<CoordinateId> coordinate;
  int axis = 0;  // 0, 1, 2
};

// What of the forces on the solids is in the bias forces: all that speeds ask for (centrifugal, Coriolis, gyroscopic, what
// animated solids bring about), or also, with the opposite sign, the loads: gravity, forces, torques, muscles, springs
// between solids, drag, damping; and springs, dampers, drives and preferred ranges of joints.
enum class BiasParts : std::uint8_t { Speeds, SpeedsAndLoads };

// ẋ = A x + B τ' for small deviations x from the motion through the state, time standing still: first of the coordinates, one
// for each speed, then of the speeds. τ' is what is added to the forces along the tree's speeds. The deviation of a coordinate
// is that of the coordinate; in place of a spin, the rotation vector in the axes of the solid, R -> R exp(x).
struct Linearisation {
  Matrix A, B;
};

// The equations with the loops eliminated: u = T z + what prescribed motion asks for, u̇ = T ż + drift.
//   (Tᵀ M T) ż + bias = Tᵀ τ
// z are some of the tree's speeds themselves. They are what is left when the rows' Jacobian is eliminated with complete
// pivoting, so that the dependent ones follow as stably as they can.
struct ReducedDynamics {
  std::vector<std::size_t> independent;  // numbers of the tree's speeds, rising
  Matrix T;                              // speeds × independent
  std::vector<double> drift;
  Matrix mass;               // Tᵀ M T
  std::vector<double> bias;  // Tᵀ (h + M drift)
};
// ż under forces along the tree's speeds; nothing: they are as many as the speeds.
[[nodiscard]] std::vector<double> forwardDynamics(const ReducedDynamics& reduced,
                                                  std::span<const double> forces);
// Forces along the tree's speeds that bring about ż: those of least square sum, where only the speeds named in `actuated`
// are pushed; empty: all are. A problem if those cannot.
[[nodiscard]] Result<std::vector<double>> inverseDynamics(
    const ReducedDynamics& reduced, std::span<const double> accelerations,
    std::span<const std::size_t> actuated = {});

// The equations of motion at a state. Velocities that the joints do not allow are read as the nearest that they do, by
// kinetic energy. The mechanism must live as long as this does.
class Dynamics {
 public:
  // A problem: the state is not one of this mechanism, has numbers that are none, or its joints are open by more than a
  // millionth of a metre or radian.
  [[nodiscard]] static Result<Dynamics> at(const Mechanism& mechanism, const Control& control,
                                           const State& state);
  Dynamics(Dynamics&&) noexcept;
  Dynamics& operator=(Dynamics&&) noexcept;
  ~Dynamics();

  [[nodiscard]] const std::vector<TreeSpeed>& speeds() const;    // which they are
  [[nodiscard]] const std::vector<double>& speedValues() const;  // u

  // Of a point of a solid [m], in its frame: 6 × speeds. Three rows of its velocity and three of the solid's spin, world
  // axes: they are J u, and what animated solids bring along. Of the ground and of solids that are driven: zeros.
  [[nodiscard]] Matrix pointJacobian(SolidId solid, const Vec3& point) const;

  [[nodiscard]] const Matrix& massMatrix() const;  // M, with armatures
  [[nodiscard]] std::vector<double> biasForces(BiasParts parts) const;
  // τ = M u̇ + h: what the accelerations take if nothing closed the loops.
  [[nodiscard]] std::vector<double> inverseDynamics(std::span<const double> accelerations) const;

  // The rows that the tree leaves over. They may depend on each other.
  [[nodiscard]] const Matrix& loopJacobian() const;              // J
  [[nodiscard]] const std::vector<double>& loopDrift() const;    // d
  [[nodiscard]] const std::vector<JointId>& loopJoints() const;  // who asks for each row

  // u̇ and λ. Of rows that follow from others λ is 0.
  struct Accelerations {
    std::vector<double> accelerations, multipliers;
  };
  [[nodiscard]] Accelerations forwardDynamics(std::span<const double> forces) const;
  // In all of the tree's speeds, multipliers holding the loops: 2n × 2n and 2n × n. Where x opens a loop, Φ̈ stays 0. The
  // positions' part is by differences of sixth order. A problem: a pose near by cannot be placed.
  [[nodiscard]] Result<Linearisation> linearise(std::span<const double> forces) const;

  // A problem: rows that tie speeds and no poses (a wheel that rolls) leave more poses than speeds.
  [[nodiscard]] Result<ReducedDynamics> reduce(BiasParts parts = BiasParts::SpeedsAndLoads) const;
  // In the independent speeds only, along the poses where the loops are closed: 2f × 2f and 2f × n.
  [[nodiscard]] Result<Linearisation> lineariseReduced(std::span<const double> forces) const;

 private:
  struct Impl;
  explicit Dynamics(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// What a joint's equations push with, in a state that a step has left: on the solid of frame 2 at that frame's origin; solid 1
// gets the opposite there. World axes. What rules on its coordinates push with (limits, springs, drives) is not in it. Zero
// where a joint does not hold, and of relations of points or coordinates, which push on more than two solids.
struct JointForce {
  Vec3 force;   // [N]
  Vec3 torque;  // [N m]
};
[[nodiscard]] JointForce jointForce(const Mechanism& mechanism, const Control& control,
                                    const State& state, JointId joint);

// X_WS: the solid's frame as the scene writes it, not the one at its centre of mass. That of the ground is the world's.
[[nodiscard]] Pose frameOf(const Mechanism& mechanism, const State& state, SolidId solid);
// X_W1 and X_W2: the frames of a joint of two solids. `number`: 1 or 2.
[[nodiscard]] Pose frameOf(const Mechanism& mechanism, const State& state, JointId joint,
                           int number);

}  // namespace tenon
