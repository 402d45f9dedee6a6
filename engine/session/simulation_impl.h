// What a Simulation owns.
#pragma once

#include <tenon/simulation.h>

#include <memory>
#include <vector>

#include "session/running.h"

namespace tenon {

struct Simulation::Impl {
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const Mechanism> own;  // the scene's
  RunSettings settings;
  Running running = {};
  StepScratch stepping = {};
  PoseScratch posing = {};
  EnergyWatch watch = {};
  std::vector<Problem> problems = {};
  bool isTouched =
      true;  // somebody may have changed the state or what steers it since the last step

  [[nodiscard]] RunningScene of() const {
    return {*scene, *own, settings.step, settings.dt, settings.asWritten};
  }
  [[nodiscard]] Runner runner() { return {of(), running, watch, stepping, posing, problems}; }
  void start();  // at the pose as written
  SimulationStart begin(const std::function<bool(int, double)>& progress);
  SimulationStep step(double dt);
  // The state of the scene's own mechanism; `room` is for where it has to be made.
  [[nodiscard]] const State& sceneState(State& room) const;
};

[[nodiscard]] inline SimulationInstant publicly(const Instant& instant) {
  return {instant.goesOn, instant.putRight, instant.kineticGain, instant.potentialGain};
}

// A number of a scene at a state of its own mechanism, by name: see Simulation::recordable.
struct Column {
  enum class Kind : std::uint8_t {
    Time,
    Kinetic,
    Potential,
    Energy,
    Error,
    Place,
    Turn,
    Velocity,
    Spin,
    Coordinate
  };
  Kind kind = Kind::Time;
  Index thing = 0;  // a solid or a joint
  int part = 0;     // of a vector; a coordinate
};
[[nodiscard]] std::optional<Column> columnNamed(const Mechanism& own, std::string_view name);
[[nodiscard]] std::vector<std::string> columnNames(const Mechanism& own);
// `state` is the scene's own; energies and errors are those of what runs.
[[nodiscard]] double valueOf(const Column& column, const Mechanism& own, const State& state,
                             const Running& running);

}  // namespace tenon
