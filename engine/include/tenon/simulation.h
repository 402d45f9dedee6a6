// Simulation: a scene that runs, with its events carried out and everything measured.
//
//   Result<Simulation> door = Simulation::load("door.tenon");        // read and compiled, or every problem
//   const RunReport report = door->run(2);                           // two seconds on: joints closed first, events carried out
//   const std::optional<double> angle = door->coordinate("hinge", "angle");
//
// It owns all that a run needs: scene, mechanism, state, control and buffers. Every piece is public in a header of its own, for
// whoever wants to call `step`, `assemble` or the measures by hand.
#pragma once

#include <tenon/language.h>
#include <tenon/measure.h>
#include <tenon/posing.h>
#include <tenon/result.h>
#include <tenon/scene.h>
#include <tenon/step.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// What was done so that a scene could begin to move.
struct SimulationStart {
  double error = 0;        // of the joints as written, the largest: metres or radians × 1 m
  double range = 0;        // how far a coordinate was outside its limits
  bool assembled = false;  // the pose was put right first
  PoseReport assembly;
  double velocityChange = 0;  // [m/s] the largest, so that the joints allow it
  bool goesOn = true;         // false: the scene ends at its start, by `finish`
};

// What happened at instants that were due: events; joints and limits that came into force.
struct SimulationInstant {
  bool goesOn = true;     // false: the scene ends here, by `finish`
  bool putRight = false;  // something came into force while it was open: the pose was put right
  double kineticGain = 0, potentialGain = 0;  // [J]
};

struct SimulationStep {
  StepReport report;
  double dt = 0;           // [s] as long as it was
  double unexplained = 0;  // [J] what the step has gained and nothing explains; 0: all is well
  SimulationInstant met;   // where it ended
};

// ------------------------------------------------------------------------------- a run, measured

struct RunSettings {
  StepSettings step;
  double dt = 1.0 / 240;   // [s]
  double duration = 5;     // [s]
  bool asWritten = false;  // begin with open joints, and velocities that joints do not allow
  int every = 0;           // steps from frame to frame; 0: about 60 frames a second
  double patience = std::numeric_limits<double>::infinity();  // [s] on the wall, then it ends early
  std::vector<std::string> record = {};  // columns of RunReport::record: see recordable()
};
// What the scene's `settings` say; what they leave out is as above.
[[nodiscard]] RunSettings runSettingsOf(const Scene& scene);

enum class RunStatus : std::uint8_t {
  Done,
  Warned,  // got to its end, but energy came from nowhere, steps did not converge, or a joint stayed open
  BlownUp,  // not finite, or a hundred scenes apart; the state is the last before
  Stuck,    // a step could not be had; the state is the last before
  Stopped,  // by whoever watched it
};
[[nodiscard]] std::string_view nameOf(RunStatus status);
[[nodiscard]] inline bool gotToItsEnd(RunStatus status) {
  return status == RunStatus::Done || status == RunStatus::Warned;
}

// A table of numbers: a row for each frame.
struct RunRecord {
  std::vector<std::string> columns;
  std::vector<double> values;  // row by row
  [[nodiscard]] std::size_t rows() const {
    return columns.empty() ? 0 : values.size() / columns.size();
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values[row * columns.size() + column];
  }
};

struct RunReport {
  RunSettings settings;
  RunStatus status = RunStatus::Done;
  // What a reader should know: warnings of the scene, of its start and of its steps; errors, where nothing was run at all.
  std::vector<Problem> problems;
  State written, state;      // as the scene has it; the last
  bool assembled = false;    // joints or limits did not hold, and the pose was put right first
  bool finishEvent = false;  // the scene's `finish` ended it
  bool cutShort = false;     // patience did
  double writtenError = 0;   // joint error of the pose as written
  double writtenRange = 0;   // how far it is outside of limits, in m or rad
  double startError = 0, endError = 0;  // metres or radians × 1 m
  double velocityChange = 0;            // [m/s] largest, so that the joints allow it
  std::uint64_t steps = 0, unconverged = 0, frames = 0;
  std::uint64_t halved = 0, capped = 0;  // steps that were split; that used up their corrections
  std::uint64_t unexplained = 0;         // steps in which energy came from nowhere
  double largestJump = 0, jumpTime = 0;  // [J] of these, and at the end of which step [s]
  std::uint64_t putRight = 0;            // instants at which an open joint came into force
  std::uint64_t fast = 0;                // steps in which every island went by a kernel
  std::uint64_t handedOver = 0;          // islands that were stepped again by rows, in all steps
  std::uint64_t singular = 0;            // steps in which the rank of the rows fell
  double singularAt = 0;                 // [s] where the first of them ended
  std::uint64_t iterations = 0, linearIterations = 0;  // of all steps
  double milliseconds = 0;                             // of the steps alone, on the wall
  double processorMilliseconds = 0;                    // the same, of all threads
  double microsecondsPerSolidStep = 0;
  StageTimes stages;  // of all steps, if they were to be timed
  // Over all steps.
  double maxError = 0, maxMetres = 0, maxRadians = 0, rmsError = 0;
  double rangeError = 0;  // how far a coordinate was outside its limits
  // Energy [J]. What an event does to it (another gravity) is no drift, nor what drives, limits, friction
  // and damping do, where the method knows: its `work`.
  std::optional<double> work;  // [J]
  double startEnergy = 0, endEnergy = 0, kineticAtStart = 0, potentialRange = 0;
  double energyDrift = 0, energyDeviation = 0;  // at the end; largest: relative to
  double energyScale = 1;                       // [J]
  std::string energyReference;                  // what that is: "potential range", …
  // At the end, relative to the sums of the parts at the start; from rest: in SI units.
  double momentumDrift = 0, angularMomentumDrift = 0;
  double momentumAtStart = 0;         // [kg m/s] Σ m|v|
  double angularMomentumAtStart = 0;  // [kg m²/s] Σ |r × m v| + |I ω|
  std::optional<std::uint64_t> hash;
  RunRecord record;  // of what was asked for
};

// What is measured after a step, and, without iterations and microseconds, at the start.
struct Moment {
  double time = 0;                                     // [s]
  double error = 0, rangeError = 0;                    // metres or radians × 1 m
  double kinetic = 0, potential = 0;                   // [J] without what events did to it
  double momentum = 0;                                 // [kg m/s] its length
  double angularMomentum = 0;                          // [kg m²/s]
  double momentumDrift = 0, angularMomentumDrift = 0;  // relative, as above
  double given = 0;                                    // [J] by impacts at events
  int iterations = 0;
  double microseconds = 0;  // of the step; not a number at the start

  [[nodiscard]] double energy() const { return kinetic + potential - given; }
};

// Who is told during a run, if anybody is. Their states are those of the scene's own mechanism.
struct RunWatch {
  std::function<void(const State&)> frame;    // the first, one every so many steps, and the last
  std::function<void(const Moment&)> moment;  // the first, and every step's
  std::function<void(const std::vector<IslandWay>&)> ways;  // of the islands, before every step
  std::function<bool()> goesOn;  // asked before every step and during assembly; false: stop
};

// ------------------------------------------------------------------------------------- what a scene expects

// An `expect` line, compared with what was measured at the pose as written.
struct Judgement {
  enum class Verdict : std::uint8_t { Holds, Fails, NotYet };  // NotYet: nobody can check it
  Verdict verdict = Verdict::NotYet;
  double measured = 0;  // unless NotYet
  std::string words;    // "dof is 1, as expected"
};
// By expectation of the scene. Where one asks for it, a copy is assembled; what is wrong with its goals goes to `problems`.
[[nodiscard]] std::vector<Judgement> judgeExpectations(const Scene& scene,
                                                       const Mechanism& mechanism,
                                                       std::vector<Problem>& problems);

// --------------------------------------------------------------------------------------- the simulation

class Simulation {
 public:
  // Of a file; of a scene that was parsed or built. At the pose as written, with the scene's own settings. All problems, if
  // it cannot be read or compiled.
  [[nodiscard]] static Result<Simulation> load(const std::string& path,
                                               const ParseOptions& options = {});
  [[nodiscard]] static Result<Simulation> of(Scene scene);
  // Of a scene and its mechanism, which both outlive it.
  Simulation(const Scene& scene, const Mechanism& mechanism);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // How it moves; may be changed between steps. `step`, `dt` and `asWritten` count here, the rest for run().
  [[nodiscard]] RunSettings& settings();
  [[nodiscard]] const RunSettings& settings() const;

  // Moves all solids so that the joints hold, from wherever they are, towards the scene's goals. Velocities become 0.
  PoseReport assemble();  // as the scene's settings say
  PoseReport assemble(const PoseSettings& settings);
  // Closes the joints, puts solids within their limits, makes velocities allowed, and carries out what is due at the start.
  // The first step or run does so if nobody did before. `progress` is asked now and then: false stops the assembly.
  SimulationStart begin(const std::function<bool(int, double)>& progress = {});
  // One step of dt, or to the next instant at which something is due, which is then carried out. If its report is not
  // finite, the state is that of before.
  SimulationStep step();
  SimulationStep step(double dt);
  // From where it is to `seconds` later, or as long as its settings say, measured: joints, energy, momenta, time. All steps from
  // one instant to the next are dt, except the last, if dt does not fit.
  RunReport run(double seconds);
  RunReport run(const RunWatch& watch = {});
  // As at the beginning: pose, velocities, time, what events have switched. Settings stay.
  void reset();

  // Warnings since the last call: of events, of joints that came into force open.
  [[nodiscard]] std::vector<Problem> takeProblems();
  [[nodiscard]] double nextInstant() const;  // [s] when something is due; infinity: nothing is
  // Which way each island would go in a step from here (tenon/step.h).
  [[nodiscard]] std::vector<IslandWay> ways();

  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] double time() const;  // [s]
  // As it runs: solids that an event has made one are one.
  [[nodiscard]] const Mechanism& mechanism() const;
  [[nodiscard]] const Control& control() const;
  [[nodiscard]] const State& state() const;
  // To change them between steps.
  [[nodiscard]] Control& steer();
  [[nodiscard]] State& editState();
  // The scene's own mechanism, and its state.
  [[nodiscard]] const Mechanism& sceneMechanism() const;
  [[nodiscard]] State sceneState() const;

  // By name; nothing, if there is none. Where a solid's frame is in the world; a coordinate of a joint [m], [rad].
  [[nodiscard]] std::optional<Pose> pose(std::string_view solid) const;
  [[nodiscard]] std::optional<double> coordinate(std::string_view joint,
                                                 std::string_view coordinate) const;
  [[nodiscard]] double energy() const;  // [J] kinetic and potential
  [[nodiscard]] JointError error() const;
  // One of recordable(), now.
  [[nodiscard]] std::optional<double> value(std::string_view column) const;
  // All that can be recorded: `time`, `kinetic`, `potential`, `energy`, `error`; of a solid `SOLID.x` (`y`, `z`: its
  // frame's place, `qx` … `qw`: its turn; `vx` … of its centre of mass, `wx` … its spin); of a joint `JOINT.COORDINATE`.
  [[nodiscard]] std::vector<std::string> recordable() const;

  [[nodiscard]] std::vector<Judgement> judgeExpectations(std::vector<Problem>& problems) const;

  struct Impl;
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// ---------------------------------------------------------------------------------------------- many states of one scene

struct RolloutSettings {
  int steps = 1;    // from each start, of the simulation's dt
  int every = 0;    // steps from one state that is kept to the next; 0: only the last
  int threads = 0;  // 0: as many as the machine has. Changes no bit
  // What is added to the targets of drives, springs and prescribed coordinates (Control::target): by start, by step, by
  // rule of the mechanism, one after the other; empty: nothing.
  std::span<const double> targets = {};
};
struct Rollout {
  std::vector<State> states;  // by start, then those that were kept, the last one always
  std::size_t perStart = 0;
  std::vector<std::uint8_t>
      finite;  // by start: 0: a step could not be made, and what follows are the last good states
};
// Moves copies of a simulation, each from a state of its own, with its events; it itself stays as it is. The same bits as
// one after the other.
[[nodiscard]] Result<Rollout> rollout(const Simulation& simulation, std::span<const State> starts,
                                      const RolloutSettings& settings);

}  // namespace tenon
