// Measures: read a state, change nothing. Every method is judged by these.
#pragma once

#include <tenon/mechanism.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

struct JointError {
  double max = 0;  // the larger of metres and radians × 1 m
  double rms = 0;  // over all equality rows
  double maxMetres = 0, maxRadians = 0;
  Index worst = 0;     // joint with the largest error
  bool finite = true;  // false: some error is not a number
  double range = 0;    // how far a coordinate is outside its hard limits, metres or radians × 1 m
  bool rangeAngular = false;  // radians
  Index worstRange = 0;       // whose coordinate
};
[[nodiscard]] JointError jointError(const Mechanism& mechanism, const Control& control,
                                    const State& state);
// The same with buffers of the caller's.
[[nodiscard]] JointError jointError(const Mechanism& mechanism, const Control& control,
                                    const State& state, Rows& buffer);

struct Momentum {
  Vec3 linear;   // [kg m/s]
  Vec3 angular;  // [kg m²/s] about the world's origin
};
[[nodiscard]] Momentum momentum(const Mechanism& mechanism, const State& state);
[[nodiscard]] double kineticEnergy(const Mechanism& mechanism, const State& state);  // [J]

// 64-bit FNV-1a over time, then per solid position and quaternion (scalar part made non-negative,
// -0 made 0), then velocities. Nothing if a number is not finite.
[[nodiscard]] std::optional<std::uint64_t> stateHash(const State& state);

// Counts by numerical rank of the constraint Jacobian at the state.
struct Counts {
  Index solids = 0, joints = 0;
  Index pins = 0;         // they hold as joints do, and their rows are constraints
  Index coordinates = 0;  // 6 per rigid dynamic solid, 3 per point mass
  Index constraints = 0;  // active equality rows
  Index loops = 0;        // joints beyond a spanning forest
  Index rank = 0;
  Index dof = 0;        // coordinates - rank
  Index redundant = 0;  // constraints - rank
  double mass = 0;      // [kg] of the dynamic solids
  // Joints in null(Jᵀ), grouped: joints of one group share null vectors, and no null vector
  // reaches over two groups (of very many rows that hang together, one group is made). `redundant`
  // of their rows could go without freeing anything.
  struct RedundantGroup {
    Index redundant = 0;
    std::vector<Index> joints;
  };
  std::vector<RedundantGroup> redundancy;
};
// Unit rows whose part outside the span of others is below `tolerance` count as dependent; its default is well above what
// rounding leaves of an exact dependency, and well below what a real one leaves.
[[nodiscard]] Counts count(const Mechanism& mechanism, const Control& control, const State& state,
                           double tolerance = 1e-8);

}  // namespace tenon
