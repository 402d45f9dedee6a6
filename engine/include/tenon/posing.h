// Posing: from any pose to one in which every joint holds.
//
// Needs (joints, limits, pins) are met exactly. What yields (joints with a compliance, preferred ranges, joints that are
// named) finds a compromise: ½ Σ w Φ² is least, as far as the needs allow.                            [Gascuel1994 §6]
// Wants (grabs, goals, look-at, a reference pose) are met as well as both allow. Every call has a budget, keeps the best
// state that it found, returns none with a larger error than it was given (but for PoseSettings::slack), and says what it
// achieved. None throws: where memory runs out, the state is as it was, and the report says so.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/solver.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

enum class AssemblyMethod : std::uint8_t { Newton, Displacement, Relaxation };

[[nodiscard]] std::string_view nameOf(AssemblyMethod method);
// By name; false if there is none.
[[nodiscard]] bool fromName(std::string_view name, AssemblyMethod& method);

// What is wished for, in centre-of-mass frames. A want is a spring of this weight to the target, felt
// as far as the needs leave room.
struct Want {
  enum class Kind : std::uint8_t {
    Point,        // a point of the solid is at `target`
    Orientation,  // the solid is turned like `orientation`
    LookAt,       // `axis` of the solid, from `point`, looks at `target`
  };
  Kind kind = Kind::Point;
  Index solid = 0;
  Vec3 point;          // [m] centre-of-mass frame
  Vec3 target;         // [m] world
  Quat orientation;    // q_WC
  Vec3 axis{1, 0, 0};  // unit, centre-of-mass frame
  double weight = 1;   // relative to other wants
  bool need = false;   // a pin: to be met like a joint
  std::string name;    // for messages
};

// A joint that gives way, its limits included: it pulls with w Φ, like a spring.
struct Yield {
  Index joint = 0;
  double weight = 1;  // w [N/m] or [N m/rad]
};

struct PoseSettings {
  AssemblyMethod method = AssemblyMethod::Newton;
  Norm norm = Norm::Max;
  double tolerance = 1e-10;  // [m], [rad]: what counts as closed, in `norm`
  int iterations = 1000;     // geometric ones, those of restarts included
  LinearSettings linear;     // not of Relaxation, which solves none
  // The clock is read once an iteration: it holds within a tenth where it is enough for ten of them.
  double milliseconds = std::numeric_limits<double>::infinity();
  // [m], [rad] In tracking, where time is short: joints may open so far to stay with what is wanted, until there is
  // time. 0: what is closed stays closed.
  double slack = 0;
  double truncation = 0.8;  // [rad] greatest rotation of a solid in one iteration
  int restarts = 40;        // from elsewhere, where it would stall; Newton only
  std::uint64_t seed = 1;   // of the restarts
  bool trace = false;       // fill PoseReport::trace
  bool lanes = true;        // registers as wide as the machine has; changes no bit
  // What yields. Newton only: with the other methods joints hold exactly, and preferred ranges are left out.
  bool compromise = true;    // false: what yields stays where the needs leave it
  std::vector<Yield> yield;  // beside what yields by itself
  // Asked now and then during long solves, with iterations and error so far; false: stop.
  std::function<bool(int iterations, double error)> progress;
  // Told of every iteration, with the pose that it made: the way to the end, to be shown.
  std::function<void(int iterations, double error, const State& state)> watch;

  // Of Relaxation.                                                      [Gascuel1994 §3.1.2 to §3.2]
  struct Relaxation {
    bool exactTranslation = true;  // eqs 18–19: closed by one iteration; false: eqs 14–15
    bool weighted = true;          // 1/max(n_i, n_j); false: a plain sum of corrections
    double alphaScale = 1;         // of α where a constraint gives none
  } relaxation;
};

enum class PoseStatus : std::uint8_t {
  Converged,  // every need holds, the compromise is found, and no way leads nearer to what is wanted
  Budget,     // iterations or milliseconds were used up before
  Stalled,    // no progress, and no restart helped
  Inconsistent,  // a least-squares pose: no pose satisfies all
  Memory,        // memory ran out: the pose is as it was
};
[[nodiscard]] std::string_view nameOf(PoseStatus status);

struct TracePoint {
  int iteration = 0;
  double microseconds = 0;
  double error = 0;  // of the state that the iteration made
  double best = 0;   // smallest so far
};

// How far something that yields is from what it asks for.
struct Yielded {
  Index joint = 0;
  Index rule =
      kWorld;  // of Mechanism::rules: a preferred range, a soft limit; kWorld: the joint itself
  double metres = 0, radians = 0;  // lengths of what is left of its rows
  double weight = 0;               // w: a weight that was given, 1/compliance or a stiffness
};

struct PoseReport {
  PoseStatus status = PoseStatus::Converged;
  bool closed = false;    // every need holds to the tolerance, whatever became of the rest
  double startError = 0;  // largest, metres or radians × 1 m; infinite: not known
  double maxError = 0, maxMetres = 0, maxRadians = 0;
  double rmsError = 0;
  double wantError = 0;  // [m] largest distance of a point from its target
  int iterations = 0, linearIterations = 0, restarts = 0;
  double milliseconds = 0;
  bool late = false;  // time ran out
  bool fast = false;  // by the packed kernel, to the end
  std::vector<TracePoint> trace;
  // Joints that were named to yield, and what else gave way by more than the tolerance.
  std::vector<Yielded> yielded;
  std::string reason;  // of a failure, in words; may be empty where memory ran out
};

// Buffers of the solvers; throwing them away changes no bit of a result.
class PoseScratch {
 public:
  PoseScratch() noexcept;
  ~PoseScratch();
  PoseScratch(PoseScratch&&) noexcept;
  PoseScratch& operator=(PoseScratch&&) noexcept;
  struct Buffers;
  [[nodiscard]] Buffers& buffers();  // made when they are first asked for

 private:
  Buffers* buffers_ = nullptr;
};

// Moves the dynamic solids so that all needs are met. Velocities are left as they are. A state that is
// closed already comes back with the same bits.
PoseReport assemble(const Mechanism& mechanism, const Control& control,
                    const std::vector<Want>& wants, const PoseSettings& settings, State& state,
                    PoseScratch& scratch);

// The same, warm, for small changes: one call per pointer event. Stays on the branch: never restarts. With slack it
// makes at least one iteration, however little time there is.
PoseReport track(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
                 const PoseSettings& settings, State& state, PoseScratch& scratch);

// The nearest velocities (in the metric of the masses) that all joints allow: J v = -Φ_t.
//                                                                        [Faure1998 eq. 9]
// Returns the largest |J v + Φ_t| that is left; infinity: memory ran out, and velocities are as they were.
double projectVelocities(const Mechanism& mechanism, const Control& control, State& state,
                         PoseScratch& scratch);

// Puts every dynamic solid at a uniformly random place in a cube of side max(5 m, twice the scene's
// size) about the scene's middle, with a uniformly random orientation. From our own generator.
void scatter(const Mechanism& mechanism, std::uint64_t seed, State& state);

// Moves every dynamic solid by a random step of this length, and turns it by this angle.
void disturb(const Mechanism& mechanism, std::uint64_t seed, double metres, double radians,
             State& state);

// Why not: what a state says about the joints.
struct Diagnosis {
  Index dof = 0, redundant = 0;                     // by numerical rank at the state
  bool singular = false;                            // more freedom here than nearby
  Index regularDof = 0;                             // nearby
  std::vector<std::vector<Index>> redundantJoints;  // by independent group
  struct Conflict {              // minimal: without any one of them the others can be met
    std::vector<Index> joints;   // in the order of the scene
    std::vector<Index> wants;    // that are needs
    std::vector<double> errors;  // [m] or [rad]: what each is left with if it alone gives way
  };
  std::vector<Conflict> conflicts;
  bool allConflicts = true;  // false: there may be more, which were not looked for
  bool outOfMemory =
      false;  // it was not finished: what stands here was found before, the rest is 0
};
// `conflicts` are looked for if the state's error exceeds the tolerance, for as long as the settings
// allow. Where several sets are found, one member of each has to give way.
[[nodiscard]] Diagnosis diagnose(const Mechanism& mechanism, const Control& control,
                                 const std::vector<Want>& wants, const State& state,
                                 const PoseSettings& settings, PoseScratch& scratch);

}  // namespace tenon
