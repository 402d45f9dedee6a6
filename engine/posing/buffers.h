// What the assembly methods share: buffers, the needs and wants of a state as rows, and their errors.
#pragma once

#include <tenon/joint.h>
#include <tenon/posing.h>

#include <vector>

#include "model/clock.h"
#include "packed/pose.h"
#include "posing/relaxation.h"
#include "solve/row_bounds.h"
#include "solve/row_system.h"

namespace tenon {

// What becomes of rows of joints that yield.
enum class Yielding : std::uint8_t {
  Exact,    // they are needs; ranges that yield are left out
  Left,     // they take no part
  Pulling,  // they take part, with their stiffness
  Held,     // they are needs, where they have settled
};

struct PoseScratch::Buffers {
  Rows emitted;            // of all joints
  Rows rows;               // needs, then wants
  std::vector<bool> used;  // by row: takes part
  HeldBounds bounds;       // those that pushed in the last solve
  double lenient = 0;      // [m], [rad] by which one may be passed that does not push
  Yielding yielding = Yielding::Exact;
  std::vector<double>
      yields;  // by joint: the weight of one that was named to yield, else 0; empty: none was
  std::vector<double> settled;  // by key: Φ of what yields, where it is held
  RowSystem system;
  std::vector<double> b, compliance, lambda;
  std::vector<double> byKey;  // -λ of the last solve, as emitStiffness takes it
  std::vector<RowSystem::Six> displacement;
  std::vector<StiffnessBlock> stiffness;
  State work, best;
  RelaxationBuffers relaxation;
  packed::PoseSystem fast;
  // What the packed kernel is told, and how it is numbered there.
  std::vector<packed::LoopPin> pins;
  std::vector<packed::LoopGiven> given;
  struct FastLimit {
    Index rule = 0, slot = 0;
    std::size_t given = 0;
    int row = -1;      // of its rows, at the state that was gathered last; -1: it is not there
    Index pushed = 0;  // the slot of the side that it is of
  };
  std::vector<FastLimit> limits;
  struct FastCoupling {
    Index joint = 0;
    std::size_t given = 0;
  };
  std::vector<FastCoupling> couplings;
  struct FastWant {
    std::size_t place = 0;  // among pins, or among `given`
    double give = 0;        // 0: a need
  };
  std::vector<FastWant> fastWants;
  std::uint64_t rowsOf = 0;  // stamp of the mechanism whose limits and couplings these are
};

// Keys of rows are less: of the joints, then of the wants.
inline constexpr Index kWantRows = 3;  // at most
[[nodiscard]] inline std::size_t keyCount(const Mechanism& mechanism,
                                          const std::vector<Want>& wants) {
  return mechanism.slots + kWantRows * wants.size();
}

// Rows of a want that is no need.
[[nodiscard]] inline bool isWant(const Row& row) {
  return row.asker.kind == Asker::Kind::Want && !row.equality;
}

// How far a state is from meeting its needs.
struct NeedErrors {
  double max = 0, metres = 0, radians = 0;
  double rms = 0, energy = 0;
  double want = 0;        // [m]
  double pull = 0;        // [m], [rad] largest error of a want
  double wanted = 0;      // Σ w e² of the wants, of the packed kernel
  double compromise = 0;  // ½ Σ w Φ² of what yields
  double gave = 0;        // [m], [rad] largest Φ of that
  bool yields = false;    // there is something that does
  bool finite = true;
  bool followed = false;  // open within the slack, but nearer to what is wanted
  [[nodiscard]] double in(Norm norm) const {
    return norm == Norm::Max ? max : norm == Norm::Rms ? rms : energy;
  }
};

// Fills buffers.rows with the needs and wants at a state, `used` with what takes part: equalities, and bounds by
// buffers.bounds, which has as many keys as the mechanism has slots.
NeedErrors gatherNeeds(const Mechanism& mechanism, const Control& control,
                       const std::vector<Want>& wants, const State& state,
                       PoseScratch::Buffers& buffers);

// What yields in the calls that follow, by the settings.
void setYielding(const Mechanism& mechanism, const PoseSettings& settings,
                 PoseScratch::Buffers& buffers);

// The same by the packed kernel, for mechanisms and wants that it knows; wants of weight 1 give by `give`.
[[nodiscard]] bool suitsFast(const Mechanism& mechanism, const Control& control,
                             const std::vector<Want>& wants, double give,
                             PoseScratch::Buffers& buffers);
struct FastErrors : NeedErrors {
  bool near = true;  // false: axes that are to point the same way are far from it
};
FastErrors gatherFast(const Mechanism& mechanism, const std::vector<Want>& wants,
                      const State& state, double give, PoseScratch::Buffers& buffers);
// Which limits pushed in the last solve of the packed kernel: buffers.bounds. Not `anew`: and those that did before.
// True if one took part that did not.
bool rememberPushes(bool anew, PoseScratch::Buffers& buffers);

// Whether the joints of an island hold it on nothing else.
[[nodiscard]] bool isIsolated(const Mechanism& mechanism, const Mechanism::Island& island);

// Takes out what moves the centre of mass of a figure that hangs on nothing and that nothing pulls:
// internal forces cannot.
void keepCentres(const Mechanism& mechanism, const std::vector<Want>& wants,
                 std::vector<RowSystem::Six>& displacement);

// The longest motion of a solid, in metres or radians × 1 m.
[[nodiscard]] double longestOf(const std::vector<RowSystem::Six>& displacement);

// Moves the solids; rotations longer than `truncation` are cut to it. Returns the longest motion, in
// metres or radians × 1 m.
double applyDisplacement(const Mechanism& mechanism,
                         const std::vector<RowSystem::Six>& displacement, double truncation,
                         State& state);

// The clock and the counters of one call.
class PoseBudget {
 public:
  explicit PoseBudget(const PoseSettings& settings);
  [[nodiscard]] double microseconds() const;
  // True if no further iteration may begin: none is left, or the next would end too late. The clock is read once an
  // iteration, so that a run with as many iterations ends at the same place.
  [[nodiscard]] bool over() const;
  [[nodiscard]] bool late() const { return late_; }        // by the clock
  [[nodiscard]] bool stopped() const { return stopped_; }  // by the caller
  // To be called at the start, with its error.
  void begin(double error, PoseReport& report);
  // To be called after each iteration, with the error that it reached.
  void spend(double error, const State& state, PoseReport& report);
  // What is to be done after the last iteration, in iterations. It counts from the next one on.
  void reserve(double iterations) { reserve_ = kLast + iterations; }
  // From here on iterations are by rows.
  void expectDearer();

 private:
  static constexpr double kLast =
      0.5;  // what was tried last may have to be undone, and looked at once more
  [[nodiscard]] bool endsLate(double now) const;

  const PoseSettings& settings_;
  Clock::time_point start_;
  int iterations_ = 0;
  bool late_ = false;
  double expected_ = 0, lastSpent_ = 0;  // [µs] of an iteration; when the last one ended
  double reserve_ = kLast;
  double best_ = std::numeric_limits<double>::infinity();
  double lastProgress_ = 0;
  bool stopped_ = false;
};

// What the calls of tenon/posing.h do. These throw where memory runs out; `state` is then as it was.
void posed(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
           const PoseSettings& settings, bool tracking, State& state, PoseScratch& scratch,
           PoseReport& report);
double projected(const Mechanism& mechanism, const Control& control, State& state,
                 PoseScratch& scratch);
void diagnosed(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
               const State& state, const PoseSettings& settings, PoseScratch& scratch,
               Diagnosis& diagnosis);

// The methods: they move `state` to the best that they find, and report counts and status. Newton takes
// the errors of the start, which is gathered (`fast`: by gatherFast), and gives those of the end.
inline constexpr double kWantGive =
    0.02;  // compliance of wants of weight 1, relative to the rows' mobility
// Whether wants still come nearer: by more than a thousandth in the last hundred iterations, or there were not as many.
// Some way towards what is out of reach is always left; this is how much of it counts.
class WantsWatch {
 public:
  void see(int iteration, double distance) {
    if (seen_ && iteration - since_ < kIterations) {
      now_ = distance;
      return;
    }
    before_ = seen_ ? last_ : std::numeric_limits<double>::infinity();
    last_ = now_ = distance;
    since_ = iteration;
    seen_ = true;
  }
  [[nodiscard]] bool comesNearer() const { return !(now_ > (1 - kGain) * before_); }

 private:
  static constexpr int kIterations = 100;
  static constexpr double kGain = 1e-3;
  double before_ = std::numeric_limits<double>::infinity(), last_ = before_, now_ = before_;
  int since_ = 0;
  bool seen_ = false;
};
// Why a pose whose needs are met is not called converged.
inline constexpr const char* kWantsCutShort =
    "all joints hold, but the budget ran out before the goals were reached";
inline constexpr const char* kCompromiseCutShort =
    "all joints hold, but the budget ran out before the joints and ranges that yield had settled";
void assembleByNewton(const Mechanism& mechanism, const Control& control,
                      const std::vector<Want>& wants, const PoseSettings& settings, bool mayRestart,
                      bool fast, State& state, PoseScratch::Buffers& buffers, PoseBudget& budget,
                      PoseReport& report, NeedErrors& errors);
void assembleByDisplacement(const Mechanism& mechanism, const Control& control,
                            const std::vector<Want>& wants, const PoseSettings& settings,
                            State& state, PoseScratch::Buffers& buffers, PoseBudget& budget,
                            PoseReport& report);
void assembleByRelaxation(const Mechanism& mechanism, const Control& control,
                          const std::vector<Want>& wants, const PoseSettings& settings,
                          State& state, PoseScratch::Buffers& buffers, PoseBudget& budget,
                          PoseReport& report);

}  // namespace tenon
