// The catalogue of joints, and the generic lift from a joint's mathematics to rows.
//
// A joint is mathematics of the relative pose of its two frames (or of four points, or of other
// joints' coordinates): residuals g that must vanish and free coordinates c that may move. A joint
// file holds nothing else; what methods need follows from g, c and their derivatives here.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/rows.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

inline constexpr int kMaxResiduals = 6;
inline constexpr int kMaxVelocityRows = 2;
inline constexpr int kMaxCoordinates = 8;
inline constexpr int kMaxOptions = 6;
inline constexpr int kPoints = 4;  // of a relation of points

// joints/jet.h: numbers with their first and second derivatives
class Jet;  // by the relative pose of two frames
template <int N>
class JetOf;
using PointJet = JetOf<12>;  // by four points
template <class T>
struct JointInput;
template <class T>
struct PointsInput;
template <class T>
struct JointOutput;

enum class OptionUnit : std::uint8_t { Number, Length, Angle };

// What the numbers of an option are, so that a mirrored figure knows what to do with them.
enum class OptionContent : std::uint8_t {
  Scalars,
  Vectors,    // x y z … in the axes of frame 1
  Triangles,  // three indices each, counter-clockwise seen from outside
  Heights,    // NY NZ SIZE_Y SIZE_Z, then NY rows of NZ heights
};

// What a kind is a relation of.
enum class Relates : std::uint8_t {
  Frames,       // one on each of two solids
  Points,       // one on each of four solids
  Coordinates,  // of other joints
};

struct JointExample {  // a choice of options, for tests and docs
  std::string_view name;
  std::vector<JointOption> options;
};

// What is wrong with the options of a joint, and with which of them; empty: nothing.
struct OptionFault {
  std::string what;
  int option = -1;  // of JointKind::options; -1: with several, or with what is missing
};

struct CoordinateBounds {
  double lower = -kInfinity, upper = kInfinity;
};

struct JointKind {
  // What a function is, where closed forms know it: the distance of the frames' origins; swing and twist of axis i; how far
  // the origin of frame 2 is from axis i. What else lower pairs have follows from what they lock.
  enum class Measure : std::uint8_t { Own, Length, Swing, Twist, Radius };
  struct Coordinate {
    std::string_view name;
    bool angular = false;   // [rad], else [m]
    bool periodic = false;  // an angle that may turn on and on: State counts the turns
    Measure measure = Measure::Own;
  };
  struct Option {
    std::string_view name;
    int count = 1;  // how many numbers; 0: a flag; -n: a list, of a multiple of n
    OptionUnit unit = OptionUnit::Number;
    double fallback = 0;
    bool required = false;
    double above = -kInfinity;  // values must exceed this
    OptionContent content = OptionContent::Scalars;
    int least = 0;        // numbers of a list
    bool choice = false;  // one of those so marked must be given
  };

  std::string_view name;
  std::string_view papers;  // what the papers call it: "Faure: pin; Gascuel: point to point"
  std::string_view
      elsewhere;  // what other tools call it, words with spaces between: suggested, not read
  std::string_view summary;  // one line for the docs
  Relates relates = Relates::Frames;
  int residualCount = 0;
  bool residualAngular[kMaxResiduals] = {};
  bool residualIsLength = false;  // the only one: Measure::Length less the first option
  // Rows that restrict velocities and no poses: a wheel that does not slip. Never angular.
  int velocityCount = 0;
  // The first `freeCount` coordinates are independent of each other; those after them are derived (the
  // swing of a ball joint), for limits and displays. Where there are 6 - residualCount of the first, as of
  // lower pairs, screw, segment, ring, curve and rolling, they span the motion that is left. Other kinds
  // have fewer (a rope only its distance) or none (distance, surface, gear): they cannot say a pose.
  int coordinateCount = 0, freeCount = 0;
  Coordinate coordinates[kMaxCoordinates] = {};
  int optionCount = 0;
  Option options[kMaxOptions] = {};
  unsigned locked = 0;  // lower pairs: bits ti tj tk ri rj rk
  int found = 0;        // numbers that a search found and State remembers: a place on a curve
  // Turns that nobody counted yet can be read off the pose: off the slide of a screw.
  bool readsTurns = false;

  void (*values)(const JointKind&, const JointInput<double>&, JointOutput<double>&) = nullptr;
  void (*jets)(const JointKind&, const JointInput<Jet>&, JointOutput<Jet>&) = nullptr;
  void (*pointValues)(const JointKind&, const PointsInput<double>&, JointOutput<double>&) = nullptr;
  void (*pointJets)(const JointKind&, const PointsInput<PointJet>&,
                    JointOutput<PointJet>&) = nullptr;
  // Makes of the options given (by option; empty: not given) what `values` reads. None: the numbers
  // one after the other, fallbacks filled in.
  OptionFault (*prepare)(std::span<const std::vector<double>> given,
                         std::vector<double>& data) = nullptr;
  // What an author should be warned of where the frames stand like this; empty: nothing.
  std::string (*caution)(std::span<const double> data, const Pose& X_12) = nullptr;
  // Bounds that the options put on coordinates: the ends of a segment, the length of a rope.
  void (*limits)(std::span<const double> data, CoordinateBounds* byCoordinate) = nullptr;
  // None: any numbers above the options' bounds will do.
  std::vector<JointExample> (*examples)() = nullptr;
};

[[nodiscard]] std::span<const JointKind> jointCatalogue();
[[nodiscard]] const JointKind* findJointKind(std::string_view name);  // null: no such kind
[[nodiscard]] std::vector<std::string> jointKindNames();
// The words of JointKind::elsewhere.
[[nodiscard]] std::vector<std::string> namesElsewhere(const JointKind& kind);
// What to say to someone who wrote `word` as a kind of joint that is none: the kind that is called so in other tools
// or papers, or one that is spelt nearly so, or all that there are.
[[nodiscard]] std::string suggestJointKind(std::string_view word);
// Index of a coordinate, or -1.
[[nodiscard]] int findCoordinate(const JointKind& kind, std::string_view name);

// The coordinate that a relation of coordinates means: the one named, or, of an empty name, the first
// free one that is an angle, else the first. -1: there is none.
[[nodiscard]] int findCoupledCoordinate(const JointKind& kind, std::string_view name);

// A joint's residuals and coordinates at a state.
struct JointValues {
  double residual[kMaxResiduals] = {};
  double coordinate[kMaxCoordinates] = {};
};
[[nodiscard]] JointValues jointValues(const Mechanism& mechanism, const State& state, Index joint);

// Appends the rows of every active joint: residuals, velocity rows, rules on its coordinates.
void emitRows(const Mechanism& mechanism, const Control& control, const State& state, Rows& rows);
// The same together with their stiffness: see emitStiffness. `lambda` by slot of State::multiplier.
void emitRows(const Mechanism& mechanism, const Control& control, const State& state,
              std::span<const double> lambda, Rows& rows, std::vector<StiffnessBlock>& blocks);
void emitJointRows(const Mechanism& mechanism, const Control& control, const State& state,
                   Index joint, Rows& rows);

// The rows of a whole step from `start` to `end`. `discrete` has Φ at the end as `error`, its mean rate
// (Φ_end - Φ_start)/dt as `rate`, and as blocks a discrete gradient J with
//   Φ_end - Φ_start = Σ J · (Δx, θ) of the solids,     θ = 2 tan(φ/2) n for a turn by φ about n,
// whose net force and torque on the solids vanish: with forces Jᵀλ a step keeps energy and momenta.
// `ends` has the same rows as they are at the end. `middle` is the state halfway: its time decides what
// is active, and velocity rows are taken there. `slopes` are those of Σ ν J over the discrete position rows
// by where the solids are at the end: what Newton's method on a step needs. `nu` by slot of State::multiplier.
void emitStepRows(const Mechanism& mechanism, const Control& control, const State& start,
                  const State& middle, const State& end, double dt, std::span<const double> nu,
                  Rows& discrete, Rows& ends, std::vector<LoadSlope>& slopes);
// Appends the row of one coordinate of a relation of frames or points: its error is the coordinate.
void emitCoordinateRow(const Mechanism& mechanism, const State& state, Index joint,
                       Index coordinate, Rows& rows);

// One coordinate of a relation of frames or points, and its rate.
struct CoordinateMotion {
  double value = 0;  // [m] or [rad]
  double rate = 0;   // [m/s] or [rad/s]
};
[[nodiscard]] CoordinateMotion coordinateMotion(const Mechanism& mechanism, const State& state,
                                                Index joint, Index coordinate);
// The rate of an armature's rotor. Methods that find it from how far the coordinate has moved in a step, Δc, keep what
// it is beyond that of the velocities, by the square of the step: else the rotor's momentum would be another one at the
// end of a step than at the start of the next. `rule`: of Mechanism::rules.
[[nodiscard]] double rotorRate(const Mechanism& mechanism, const State& state, Index rule);
// Where State::multiplier keeps it.
[[nodiscard]] Index rotorSlot(const Mechanism& mechanism, Index rule);

// How many multipliers a joint has for its residuals and velocity rows; two per rule follow.
[[nodiscard]] inline Index ownSlots(const JointKind& kind) {
  return static_cast<Index>(kind.residualCount + kind.velocityCount);
}
// All of them.
[[nodiscard]] Index slotCount(const MechanismJoint& joint);
// How many numbers State remembers for a joint of this kind: periodic coordinates, then `found`.
[[nodiscard]] int memoryCount(const JointKind& kind);
// Data for `values` from options as given, or what is wrong with them.
[[nodiscard]] OptionFault prepareOptions(const JointKind& kind,
                                         std::span<const JointOption> options,
                                         std::vector<double>& data);
// The kind's examples, or one made up.
[[nodiscard]] std::vector<JointExample> examplesOf(const JointKind& kind);

// Stiffness K(λ) = Σ λ_i ∇²Φ_i of a joint's position rows, in the exponential chart R -> exp(δθ) R,
// world axes. `lambda` by slot of the joint: residuals, velocity rows (unused), two per rule.
void emitStiffness(const Mechanism& mechanism, const State& state, Index joint,
                   std::span<const double> lambda, std::vector<StiffnessBlock>& blocks);

// A joint as a link of a tree: methods in joint coordinates move `child` with respect to `parent`.
//
// In the chart ξ of relative poses around X_12 (how far the origin has gone, and the rotation vector of what
// the frame has turned, both in axes of frame 1), the motion that the residuals leave free is
//   y = Nᵀ ξ,     N: an orthonormal basis of the null space of ∂g/∂ξ where y = 0,
// and with a twist being the velocity of a centre of mass and an angular velocity, world axes,
//   twist_child = X twist_parent + S ẏ + rateBias,    its derivative: X … + S ÿ + accelerationBias.
// A parent that is not dynamic moves as it does: what comes of it is in the biases.
struct TreeChart {
  Index joint = kWorld;  // kWorld: no joint; the child is free
  Index child = 0, parent = kWorld;
  bool merged = false;               // the relative pose stays what it is
  int freedom = 0;                   // of y
  int held = 0;                      // residuals that place the child, their numbers in `residual`;
  int residual[kMaxResiduals] = {};  // those that depend on them, or turn a point mass, are not
  Pose X_12;                         // where y = 0
  double N[6][6] = {};               // by column
  double across[6] = {};             // ξ - N y where it was last placed: a first guess
};
struct TreeMotion {
  double X[6][6] = {}, S[6][6] = {};  // S by column
  double rateBias[6] = {}, accelerationBias[6] = {};
};
// The chart around the state's pose.
[[nodiscard]] TreeChart treeChart(const Mechanism& mechanism, const State& state, Index joint,
                                  Index child, bool merged);
// Places the child at y so that the held residuals vanish, the parent being where it is; given rates, moves it
// too, else `accelerationBias` is left as it was. False if there is no such place near by.
bool placeChild(const Mechanism& mechanism, TreeChart& chart, const double* y, const double* rate,
                State& state, TreeMotion& motion);

// Whether the joint itself asks for what State remembers of it.
[[nodiscard]] bool needsMemory(const Mechanism& mechanism, const MechanismJoint& joint);
// Remembers turns of periodic coordinates and places that were searched for; to be called whenever
// a state is accepted.
void rememberTurns(const Mechanism& mechanism, State& state);

}  // namespace tenon
