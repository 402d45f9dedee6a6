// Simulation: a scene that runs from its start, with its events carried out, and watched.
//
//   Simulation run(scene, mechanism, settings, dt, false, problems);
//   run.begin(problems);
//   while (run.state().time < 5) {
//     const double instant = run.nextInstant(), until = instant - run.state().time;
//     run.step(std::min(dt, until));
//     if (until <= dt && !run.meet(instant, problems).goesOn) break;
//   }
#pragma once

#include <tenon/posing.h>
#include <tenon/result.h>
#include <tenon/scene.h>
#include <tenon/step.h>

#include <functional>
#include <memory>
#include <vector>

namespace tenon {

struct SimulationStart {
  double error = 0;        // of the joints as written, the largest: metres or radians × 1 m
  double range = 0;        // how far a coordinate was outside its limits
  bool assembled = false;  // the pose was put right first
  PoseReport assembly;
  double velocityChange = 0;  // [m/s] the largest, so that the joints allow it
  bool goesOn = true;         // false: the scene ends at its start, by `finish`
};

// What happens at an instant: events; joints and limits that come into force.
struct SimulationInstant {
  bool goesOn = true;     // false: the scene ends here, by `finish`
  bool putRight = false;  // something came into force while it was open: the pose was put right
  double kineticGain = 0, potentialGain = 0;  // [J]
};

class Simulation {
 public:
  // `mechanism` is compiled from `scene`; both are to outlive it. `dt` is the step to be expected. If it runs as
  // written, joints may start open, and come into force open.
  Simulation(const Scene& scene, const Mechanism& mechanism, const StepSettings& settings,
             double dt, bool asWritten, std::vector<Problem>& problems);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // Closes the joints, puts solids within their limits and makes velocities allowed. `progress` is asked now and then
  // during a long assembly: false stops it.
  SimulationStart begin(std::vector<Problem>& problems,
                        const std::function<bool(int, double)>& progress = {});

  // One step, which is not to go beyond the next instant.
  StepReport step(double dt);
  // Which way each island would go in a step from here (tenon/step.h).
  [[nodiscard]] std::vector<IslandWay> ways(double dt);
  // [J] what the last step has gained and nothing explains; 0: all is well.
  [[nodiscard]] double unexplained() const;

  [[nodiscard]] double nextInstant() const;  // [s]; infinity: there is none
  // Carries out what is due at this time, which steps have reached.
  SimulationInstant meet(double time, std::vector<Problem>& problems);

  // As it runs: solids that an event has made one are one.
  [[nodiscard]] const Mechanism& mechanism() const;
  [[nodiscard]] const Control& control() const;
  [[nodiscard]] const State& state() const;
  // The state of the scene's own mechanism.
  [[nodiscard]] State sceneState() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tenon
