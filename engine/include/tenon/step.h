// Motion: one step of a mechanism in time, by a method of choice.
//
// Every method reads the same rows and loads and is judged by the same measures; none knows a joint.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/method_list.h>
#include <tenon/solver.h>
#include <tenon/stage.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// What each is: tenon/method_list.h.
#define TENON_VALUE(value, ...) value,
enum class Method : std::uint8_t { TENON_METHODS(TENON_VALUE) };
#undef TENON_VALUE
[[nodiscard]] std::string_view nameOf(Method method);
[[nodiscard]] bool fromName(std::string_view name, Method& method);
[[nodiscard]] std::vector<std::string> methodNames();
[[nodiscard]] std::string_view summaryOf(Method method);  // what it does, in a line

enum class Integrator : std::uint8_t {
  Euler,
  Rk4,
  // Of Recursive, with steps inside the step as long as `stepTolerance` allows:
  Rk45,          // an embedded pair                                            [DormandPrince1980]
  AdamsMoulton,  // predictor and corrector of fourth order
};

[[nodiscard]] std::string_view nameOf(Integrator integrator);
[[nodiscard]] bool fromName(std::string_view name, Integrator& integrator);

// How Recursive holds what is no joint of its tree.
enum class Loops : std::uint8_t {
  Multipliers,
  HeavySegments,  // rows between one solid and the ground; the others by multipliers
};

enum class OnCap : std::uint8_t { Go, Stop };  // where Relaxation has used up its iterations

// What all methods share, and a part for each concern that only some methods have. Which setting is for which method, and
// what it is called in texts and on the command line: tenon/setting_list.h.
struct StepSettings {
  Method method = Method::Energy;
  Norm norm = Norm::Max;
  // Geometric ones in a step; 0: until the tolerance, as many as the method finds reasonable. Energy and
  // Interactive split a step that takes more.
  int iterations = 0;
  double tolerance = 1e-10;  // [m], [rad] at the end of a step; of Recursive: of its loops
  double truncation = 0.8;   // [rad] of a correction
  bool timed = false;        // fill StepReport::times; changes no bit
  Integrator integrator = Integrator::Rk4;  // of Baumgarte (the first two) and Recursive
  LinearSettings linear;

  // How errors are fed back.
  struct Feedback {
    double alpha =
        0;  // of Baumgarte, of velocities [1/s], 0: 1/dt; of Relaxation a factor of each joint's own α, 0: 1
    double beta = 0;  // of Baumgarte, of positions [1/s], 0: as alpha
  } feedback;

  // Of Displacement: what its author left for later.                           [Faure1998 §4.2, §5]
  struct Displacement {
    bool guess = false;       // iterative solvers start from the multipliers of the step before
    bool accelerate = false;  // the joints correct accelerations first: less is left for positions
    bool weighted = false;    // rows times their weights: what matters more converges first
  } displacement;

  struct Relaxation {
    // A solid that would turn by more in its free motion takes the step back, and the step is made in two halves; 0: any
    // turn will do.                                                                           [Gascuel1994 §2.2]
    double largestTurn = 0.5;  // [rad]
    OnCap onCap = OnCap::Go;
  } relaxation;

  struct Recursive {
    double stepTolerance =
        1e-8;  // [m], [rad], and per second: error in a step that the integrator divides
    Loops loops = Loops::Multipliers;
    double heaviness = 1e6;  // of a pseudo-segment, in masses of the scene
    double slip = 1e-6;      // [m], [rad] now or within a step: if it slips more, it is tried again
    // [N/m], [N m/rad] of limits, with critical damping; 0: so stiff that ω dt = 1/2.
    double limitStiffness = 0;
  } recursive;

  // Of Energy and Interactive, which go by islands. None of these changes a bit but `fast` and `sleepBelow`. `fast` changes
  // what rounding does, where a step has to be split, a cardan joint by O(dt²), and how well Interactive solves for turns:
  // to 1000 times the tolerance, 1e-7 at most.
  struct Islands {
    bool fast = true;  // false: by rows in any case
    bool lanes =
        true;         // islands of one shape side by side, and registers as wide as the machine has
    int threads = 1;  // 0: as many as the machine has
    // On the fast path: an island all of which has been slower than this for so long sleeps, and costs nothing
    // until something pushes it or gravity changes; 0: none does.
    double sleepBelow = 0;    // [m/s], [rad/s]
    double sleepAfter = 0.5;  // [s]
  } islands;
};

struct StepReport {
  int iterations = 0, linearIterations = 0;
  int halvings = 0;    // pieces of the step beyond one: it was split so often
  bool fast = false;   // every island was done by a packed kernel
  Index sleeping = 0;  // islands that slept
  // Islands that were stepped again, by rows: a limit or a rope was met, a joint came into force, or a kernel did not
  // converge.
  Index handedOver = 0;
  // What was done in the step by all but gravity and springs: drives, limits, friction, damping, moving
  // supports. Known to Energy, whose energy changes by it and nothing else; and to Interactive by rows, whose own
  // damping comes on top, that of impacts too.
  bool ledger = false;
  double work = 0;  // [J]
  double forced =
      0;  // [J] of it: what closed joints that were open, and brought coordinates within limits
  bool finite = true;     // false: the state is that of before, and time has not moved
  bool converged = true;  // the corrections reached their tolerance
  bool capped = false;    // Relaxation used up its iterations
  bool stopped = false;  // … and was to stop there: as if not finite, the state is that of before
  // Of Recursive: no part of the step, however short, could be had, or not in as much work as a step may take: as if not
  // finite, the state is that of before.
  bool stuck = false;
  // Of Poststabilized and Recursive: the rank of the rows fell within the step. Its pose was singular: which way a mechanism goes
  // on from there is left to rounding.
  bool singular = false;
  // Of Recursive: steps inside the step, accepted and rejected by their error, evaluations of the
  // accelerations, rows held by multipliers and by heavy segments, times that these were tried again,
  // and how far they slipped.
  int substeps = 0, rejected = 0, evaluations = 0;
  Index loopRows = 0, heavyRows = 0;
  int retries = 0;
  double slip = 0;   // [m], [rad]
  StageTimes times;  // of this step, if it was to be timed
  // What was done where the method's theory does not reach; empty: nothing.
  std::string_view note;
};

// Buffers, and what Displacement carries from step to step is in the velocities of the state: throwing
// it away changes no bit.
class StepScratch {
 public:
  StepScratch();
  ~StepScratch();
  StepScratch(StepScratch&&) noexcept;
  StepScratch& operator=(StepScratch&&) noexcept;
  struct Buffers;
  [[nodiscard]] Buffers& buffers();  // made when they are first asked for
  void drop();                       // they may be half made where memory ran out

 private:
  Buffers* buffers_ = nullptr;
};

// Moves the state on by `dt` [s] > 0, which may differ from call to call.
StepReport step(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
                double dt, State& state, StepScratch& scratch);

// Whether the method steps each island by itself, as `energy` and `interactive` do.
[[nodiscard]] bool goesByIslands(Method method);
// Whether a method asks for StepSettings::linear; for `feedback` of errors; for `integrator`.
[[nodiscard]] bool takesSolver(Method method);
[[nodiscard]] bool takesFeedback(Method method);
[[nodiscard]] bool takesIntegrator(Method method);

// The islands of a step from a state: solids that act on each other, and the joints that act among them. Methods that
// do not go by islands know none. `why` says what keeps an island from the kernels; it is
// empty where one has it, and only there.
struct IslandWay {
  std::vector<Index> solids, joints;
  std::string_view way;  // "tree kernel", "loop kernel", "rows"
  std::vector<std::string> why;
};
[[nodiscard]] std::vector<IslandWay> islandWays(const Mechanism& mechanism, const Control& control,
                                                const StepSettings& settings, double dt,
                                                const State& state);
// The same by the plans of steps that are made with this scratch: cheap where the next step would find its plan.
[[nodiscard]] std::vector<IslandWay> islandWays(const Mechanism& mechanism, const Control& control,
                                                const StepSettings& settings, double dt,
                                                const State& state, StepScratch& scratch);

// Islands that go the same way for the same reasons, in the order of their first ones.
struct WayGroup {
  std::string_view way;
  std::vector<std::string> why;
  Index islands = 0, solids = 0, joints = 0;
  Index first = 0;  // a solid: the first of the first island
};
[[nodiscard]] std::vector<WayGroup> grouped(const std::vector<IslandWay>& ways);

// Displacement carries what the solids moved by in the step before, Δq = v dt: its velocities are those
// of the middle of that step. This puts velocities of the state's time there, v -= ½ dt v̇, so that the
// first step is Δq = v dt + ½ dt² v̇; to be called once, before the first step. Without it positions are
// off by ½ v̇ dt per second. It leaves the velocities of other methods alone.         [Faure1998 §4.2]
void startDisplacements(const Mechanism& mechanism, const Control& control,
                        const StepSettings& settings, double dt, State& state,
                        StepScratch& scratch);

// Sets a coordinate of a joint [m], [rad]; the far side of the joint moves along as it is, loops are
// closed again, and velocities stay what they were in the joints' coordinates.  [ForseyWilhelms1988 §4.4]
// It goes by strides, at most 1000 of them: of 0.1 m or rad, so that loops stay on their branch. Where nothing else depends
// on the joint they are longer, and whole turns are counted, not made. Called again it goes on from where it got.
struct SetReport {
  bool reached = false;  // false: the state is as near as it got with its joints closed
  int iterations = 0;
  int strides = 0;   // tried
  double error = 0;  // of the coordinate
};
SetReport setCoordinate(const Mechanism& mechanism, const Control& control,
                        const StepSettings& settings, Index joint, Index coordinate, double value,
                        State& state, StepScratch& scratch);

// Sets many coordinates, of any number of figures. A figure that is a tree is put there by one pass from its root; of the
// others, and where a joint's coordinates say no pose, each is set as above, in this order. The end is the same as if all
// were, if the velocities are such as the joints allow. The report is the worst of them, and the sum of their work.
struct CoordinateGoal {
  Index joint = 0, coordinate = 0;
  double value = 0;  // [m], [rad]
};
SetReport setCoordinates(const Mechanism& mechanism, const Control& control,
                         const StepSettings& settings, std::span<const CoordinateGoal> goals,
                         State& state, StepScratch& scratch);

}  // namespace tenon
