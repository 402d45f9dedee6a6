// A scene that runs, for the session and the command line alike: events are carried out, solids are made one, joints
// that come into force are closed first, and what a step does to the energy is watched.
#pragma once

#include <tenon/posing.h>
#include <tenon/step.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "session/held.h"

namespace tenon {

// All that changes while it runs. Copies of it are what undo keeps.
struct Running {
  Held held;
  std::shared_ptr<const HeldMechanism> mechanism;  // the scene's as it is held
  Control control;                                 // of it
  State state;                                     // of it
  // The last state of the scene's own mechanism, for what is not in the held one. Never null once a scene is open.
  std::shared_ptr<const State> own;
  bool begun = false;          // joints are closed and velocities allowed: it may be stepped
  std::size_t eventsDone = 0;  // of the scene, by time
  double metUntil =
      0;  // [s] joints and limits that come or go until then have; the state's own time is off by rounding
};

// What does not change: the text, its mechanism, and how it is to be stepped.
struct RunningScene {
  const Scene& scene;
  const Mechanism& own;
  const StepSettings& settings;
  double dt = 1.0 / 240;   // [s]
  bool asWritten = false;  // nothing is put right: joints may start open, and come into force open
};

// Makes the held mechanism anew, at this state of the scene's own one. What is wrong is returned, and then nothing has changed.
[[nodiscard]] std::vector<Problem> follow(const Scene& scene, const Mechanism& own,
                                          const State& state, Running& running,
                                          KnownTurns* turns = nullptr);
// The state of the scene's own mechanism.
[[nodiscard]] State ownState(const Mechanism& own, const Running& running);
// The goals of the text, for the mechanism as it is held.
[[nodiscard]] std::vector<Want> goalsOf(const Scene& scene, const Mechanism& own,
                                        const Running& running);

struct Begun {
  double error = 0, range = 0;  // of the joints, and beyond limits, before; [m], [rad] × 1 m
  bool assembled = false;       // the pose was put right
  PoseReport assembly;
  double velocityChange = 0;  // [m/s] the largest, so that the joints allow it
  bool goesOn = true;         // false: `finish` at time 0
};
// Joints are closed, solids are within their limits, velocities are allowed; events at the start are carried out.
// `progress` may be empty.
Begun begin(const RunningScene& scene, const std::function<bool(int, double)>& progress,
            Running& running, PoseScratch& posing, StepScratch& stepping,
            std::vector<Problem>& problems);

// [s] When the next event is due, or a joint or limit comes into force or ends; infinity: never.
[[nodiscard]] double nextInstant(const Running& running);

struct Instant {
  bool goesOn = true;      // false: the scene ends here, by `finish`
  bool putRight = false;   // a joint came into force open: the pose was changed
  double kineticGain = 0;  // [J] what the instant did to the kinetic energy
  double potentialGain = 0;
};
// Carries out what is due at this time, which the state has reached: events; and joints and limits that come into force:
// if they are open, the pose is put right; velocities become what they allow, as in an impact that never gains energy.
Instant meet(const RunningScene& scene, double time, Running& running, PoseScratch& posing,
             std::vector<Problem>& problems);

// Warnings of energy that came from nowhere, and of a pose from which the motion could go on in several ways.
[[nodiscard]] Problem jumpProblem(const std::string& file, double time, double joules);
[[nodiscard]] Problem singularProblem(const std::string& file, double time);

// Watches what steps do to the energy.
class EnergyWatch {
 public:
  // The state from which the next step goes; to be told again whenever something else has changed it. `tolerance` is that
  // of the joints.
  void begin(const Mechanism& mechanism, const Control& control, double tolerance,
             const State& state);
  // [J] what a step from there has gained and nothing explains; 0: all is well. The next step goes on from here.
  [[nodiscard]] double unexplained(const Mechanism& mechanism, const Control& control,
                                   const StepReport& report, double dt, const State& state);

 private:
  [[nodiscard]] double canBeDone(const Mechanism& mechanism, const Control& control, double dt,
                                 const State& end) const;

  State before_;
  double kinetic_ = 0, potential_ = 0;  // [J]
  double scale_ = 0;                    // [J] weight × size of the scene
  double mass_ = 0, size_ = 0;          // [kg], [m]
  double tolerance_ = 0;                // [m]
};

// Steps of a scene that runs: what is due is carried out, and what steps do to the energy is watched. It owns nothing.
class Runner {
 public:
  Runner(const RunningScene& of, Running& running, EnergyWatch& watch, StepScratch& stepping,
         PoseScratch& posing, std::vector<Problem>& problems)
      : of_(of),
        running_(running),
        watch_(watch),
        stepping_(stepping),
        posing_(posing),
        problems_(problems) {}

  Begun begin(const std::function<bool(int, double)>& progress);
  // To be called when something else has changed the state or what steers it.
  void look();
  // Not beyond the next instant.
  StepReport step(double dt);
  // [J] what the last step has gained and nothing explains.
  [[nodiscard]] double unexplained() const { return unexplained_; }
  Instant meet(double time);
  // All that is due until so many seconds from now, which is to be less than a step.
  Instant meetWhatIsDue(double within);

 private:
  RunningScene of_;
  Running& running_;
  EnergyWatch& watch_;
  StepScratch& stepping_;
  PoseScratch& posing_;
  std::vector<Problem>& problems_;
  double unexplained_ = 0;
};

inline constexpr double kNearlyWhole = 1e-6;  // of a step: a rest that is none

}  // namespace tenon
