// The catalogue of joints, and the generic lift from a joint's mathematics to rows.
//
// A joint is mathematics of the relative pose of its two frames: residuals g that must vanish and
// free coordinates c that may move. A joint file holds nothing else; what methods need follows
// from g, c and their derivatives here.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/rows.h>

#include <span>
#include <string_view>
#include <vector>

namespace tenon {

inline constexpr int kMaxResiduals = 6;
inline constexpr int kMaxCoordinates = 8;
inline constexpr int kMaxOptions = 4;

class Jet;  // joints/jet.h: a number with its first and second derivatives
template <class T>
struct JointInput;
template <class T>
struct JointOutput;

enum class OptionUnit : std::uint8_t { Number, Length, Angle };

struct JointKind {
  struct Coordinate {
    std::string_view name;
    bool angular = false;   // [rad], else [m]
    bool periodic = false;  // an angle that may turn on and on: State counts the turns
  };
  struct Option {
    std::string_view name;
    int count = 1;
    OptionUnit unit = OptionUnit::Number;
    double fallback = 0;
    bool required = false;
    double above = -kInfinity;  // values must exceed this
  };

  std::string_view name;
  std::string_view papers;   // what the papers call it
  std::string_view summary;  // one line for the docs
  int residualCount = 0;
  bool residualAngular[kMaxResiduals] = {};
  // The first `freeCount` coordinates span the motion that is left; those after them are derived
  // (the swing of a ball joint), for limits and displays.
  int coordinateCount = 0, freeCount = 0;
  Coordinate coordinates[kMaxCoordinates] = {};
  int optionCount = 0;
  Option options[kMaxOptions] = {};
  unsigned locked = 0;  // lower pairs: bits ti tj tk ri rj rk
  void (*values)(const JointKind&, const JointInput<double>&, JointOutput<double>&) = nullptr;
  void (*jets)(const JointKind&, const JointInput<Jet>&, JointOutput<Jet>&) = nullptr;
};

[[nodiscard]] std::span<const JointKind> jointCatalogue();
[[nodiscard]] const JointKind* findJointKind(std::string_view name);  // null: no such kind
[[nodiscard]] std::vector<std::string> jointKindNames();
// Index of a coordinate, or -1.
[[nodiscard]] int findCoordinate(const JointKind& kind, std::string_view name);

// A joint's residuals and coordinates at a state.
struct JointValues {
  double residual[kMaxResiduals] = {};
  double coordinate[kMaxCoordinates] = {};
};
[[nodiscard]] JointValues jointValues(const Mechanism& mechanism, const State& state, Index joint);

// Appends the rows of every active joint: residuals, then rules on its coordinates.
void emitRows(const Mechanism& mechanism, const Control& control, const State& state, Rows& rows);
void emitJointRows(const Mechanism& mechanism, const Control& control, const State& state,
                   Index joint, Rows& rows);

// Stiffness K(λ) = Σ λ_i ∇²g_i of a joint's residuals over (linear 1, angular 1, linear 2,
// angular 2), in the exponential chart R -> exp(δθ) R, world axes. Symmetric.
struct Stiffness {
  double K[12][12] = {};
};
[[nodiscard]] Stiffness jointStiffness(const Mechanism& mechanism, const State& state, Index joint,
                                       std::span<const double> lambda);

// Remembers the turns of periodic coordinates; to be called whenever a state is accepted.
void rememberTurns(const Mechanism& mechanism, State& state);

}  // namespace tenon
