// Rows: what joints, limits, drives and springs ask of the solids, one scalar equation each.
// Joints emit rows; methods consume rows; neither knows the other.
//
//   Φ(q, t) = 0            Φ̇ = J v + Φ_t            Φ̈ = J v̇ + drift
//
// v stacks, per solid, the velocity of its centre of mass and its angular velocity, world axes.
// A row pushes the solids with Jᵀλ. Hard rows (stiffness = ∞) hold exactly; soft rows obey
//   λ = -stiffness Φ - damping Φ̇, within [lower, upper].
// Inequalities are hard rows with lower = 0: Φ ≥ 0, λ ≥ 0, λΦ = 0.
// Velocity rows restrict Φ̇ = J v only; there is no Φ, and `error` is 0. Friction is one with bounded
// λ; if it has a `load`, the bounds grow by load · |λ of the rows loadFirst …|.
// A row with an `inertia` is a rotor that turns with Φ: λ = -inertia Φ̈. It is soft, with no stiffness.
// Rows come and go: joints are switched, rules are active for a while, a want is lost. So whatever is to be remembered of a
// row (a multiplier, whether a bound holds) is remembered by its key, never by its place in a list.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

namespace tenon {

using Index = std::uint32_t;
inline constexpr Index kWorld = 0xffffffffu;  // in place of a solid: the world

struct RowBlock {
  Index solid = 0;
  double J[6] = {};  // ∂Φ/∂(linear x y z, angular x y z)
};

// Who asks for a row. Hands, pins and ropes are joints of the mechanism. What pushes by a law of its own (springs between
// solids, muscles, drag) asks for no row: loads.h.
struct Asker {
  enum class Kind : std::uint8_t { Joint, Want };
  Kind kind = Kind::Joint;
  Index number = 0;  // of Mechanism::joints, or of the wants of a call

  friend auto operator<=>(const Asker&, const Asker&) = default;
};

struct Row {
  double error = 0;     // Φ [m] or [rad]
  double rate = 0;      // Φ̇ [m/s] or [rad/s]
  double timeRate = 0;  // Φ_t: the explicit part of Φ̇
  double drift = 0;     // Φ̈ at v̇ = 0 of the dynamic solids [m/s²] or [rad/s²]
  double lower = -std::numeric_limits<double>::infinity();  // of λ
  double upper = std::numeric_limits<double>::infinity();
  double stiffness = std::numeric_limits<double>::infinity();
  double damping = 0;
  double weight = 1;
  double inertia = 0;  // of a rotor [kg] or [kg m²]
  double load = 0;     // friction coefficient, times a radius where the row is angular
  Index loadFirst = 0, loadCount = 0;  // rows of the same list that carry the load
  Asker asker;                         // rows of one asker follow each other
  Index rule = kWorld;  // of Mechanism::rules: it asks for the joint; kWorld: the joint itself does
  // The same of the same row whenever it is emitted. Those of joints are the slots of State::multiplier, and those of
  // wants come after them.
  Index key = kWorld;
  Index firstBlock = 0;
  std::uint8_t blockCount = 0;
  bool angular = false;   // radians, not metres
  bool velocity = false;  // restricts velocities only
  bool equality = true;   // a constraint of the count: residuals and prescribed motion
};

// Φ >= 0 with λ >= 0, as far as a stiffness goes.
[[nodiscard]] inline bool isOneSided(const Row& row) {
  return !row.equality && !row.velocity && row.lower == 0;
}
// … with none: λ Φ = 0.
[[nodiscard]] inline bool isHardBound(const Row& row) {
  return isOneSided(row) && std::isinf(row.stiffness);
}

struct Rows {
  std::vector<Row> rows;
  std::vector<RowBlock> blocks;

  void clear() {
    rows.clear();
    blocks.clear();
  }
};

// Blocks of a symmetric stiffness over the solids: of (a, b) and (b, a) = (a, b)ᵀ one is there, and one
// pair of solids may occur several times: they add up.
struct StiffnessBlock {
  Index solid1 = 0, solid2 = 0;
  double K[6][6] = {};  // linear x y z, angular x y z of solid1 × of solid2
};

// How the wrench on one solid changes with where another (or the same) is at the end of a step.
struct LoadSlope {
  Index solid = 0, by = 0;
  double slope[6][6] = {};  // force, torque by linear, angular displacement at the end
};

}  // namespace tenon
