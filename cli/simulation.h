// A scene in motion, from its start to its end, judged by the same measures whatever the method.
#pragma once

#include <tenon/measure.h>
#include <tenon/result.h>
#include <tenon/scene.h>
#include <tenon/step.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal.h"

namespace tenon::cli {

struct SimulationSettings {
  StepSettings step;
  double dt = 1.0 / 240;   // [s]
  double duration = 5;     // [s]
  bool asWritten = false;  // begin with open joints, and velocities that joints do not allow
  int every = 0;           // steps from frame to frame; 0: about 60 frames a second
  double patience = std::numeric_limits<double>::infinity();  // [s] on the wall, then it ends early
};

// What the scene's `settings` say.
[[nodiscard]] SimulationSettings simulationSettingsOf(const Scene& scene);

enum class SimulationStatus : std::uint8_t {
  Done,
  Warned,  // got to its end, but energy came from nowhere, steps did not converge, or a joint stayed open
  BlownUp,  // not finite, or a hundred scenes apart; the state is the last before
  Stuck,    // a step could not be had; the state is the last before
  Stopped,  // by Ctrl-C
};
[[nodiscard]] std::string_view nameOf(SimulationStatus status);
[[nodiscard]] inline bool gotToItsEnd(SimulationStatus status) {
  return status == SimulationStatus::Done || status == SimulationStatus::Warned;
}

struct Simulated {
  SimulationSettings settings;
  SimulationStatus status = SimulationStatus::Done;
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

// Who is told, if anybody is.
struct Listeners {
  std::function<void(const State&)> frame;    // the first, one every so many steps, and the last
  std::function<void(const Moment&)> moment;  // the first, and every step's
  std::function<void(const std::vector<IslandWay>&)> ways;  // of the islands, before every step
};

// Ctrl-C ends it well.
[[nodiscard]] Simulated simulate(const std::string& file, const Scene& scene,
                                 const Mechanism& mechanism, const SimulationSettings& settings,
                                 const Listeners& listeners, std::vector<Problem>& problems,
                                 Progress& progress);

}  // namespace tenon::cli
