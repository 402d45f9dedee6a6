#include <tenon/simulation.h>

#include "session/running.h"

namespace tenon {

struct Simulation::Impl {
  const Scene& scene;
  const Mechanism& own;
  StepSettings settings;
  double dt;
  bool asWritten;
  Running running = {};
  StepScratch stepping = {};
  PoseScratch posing = {};
  EnergyWatch watch = {};
  double unexplained = 0;

  [[nodiscard]] RunningScene of() const { return {scene, own, settings, dt, asWritten}; }
  void look() {
    watch.begin(running.mechanism->mechanism, running.control, settings.tolerance, running.state);
  }
};

Simulation::Simulation(const Scene& scene, const Mechanism& mechanism, const StepSettings& settings,
                       double dt, bool asWritten, std::vector<Problem>& problems)
    : impl_(new Impl{scene, mechanism, settings, dt, asWritten}) {
  static_cast<void>(SceneEvents(scene, mechanism, problems));  // for its warnings
  // Nothing is held yet, so that nothing can be wrong with it.
  static_cast<void>(follow(scene, mechanism, initialState(mechanism), impl_->running));
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

SimulationStart Simulation::begin(std::vector<Problem>& problems,
                                  const std::function<bool(int, double)>& progress) {
  const Begun begun =
      tenon::begin(impl_->of(), progress, impl_->running, impl_->posing, impl_->stepping, problems);
  impl_->look();
  return {begun.error,    begun.range,          begun.assembled,
          begun.assembly, begun.velocityChange, begun.goesOn};
}

StepReport Simulation::step(double dt) {
  Running& running = impl_->running;
  const Mechanism& m = running.mechanism->mechanism;
  const StepReport report =
      tenon::step(m, running.control, impl_->settings, dt, running.state, impl_->stepping);
  impl_->unexplained = report.finite && !report.stopped
                           ? impl_->watch.unexplained(m, running.control, report, dt, running.state)
                           : 0;
  return report;
}

std::vector<IslandWay> Simulation::ways(double dt) {
  const Running& running = impl_->running;
  return islandWays(running.mechanism->mechanism, running.control, impl_->settings, dt,
                    running.state, impl_->stepping);
}

double Simulation::unexplained() const { return impl_->unexplained; }

double Simulation::nextInstant() const { return tenon::nextInstant(impl_->running); }

SimulationInstant Simulation::meet(double time, std::vector<Problem>& problems) {
  const Instant instant = tenon::meet(impl_->of(), time, impl_->running, impl_->posing, problems);
  impl_->look();
  return {instant.goesOn, instant.putRight, instant.kineticGain, instant.potentialGain};
}

const Mechanism& Simulation::mechanism() const { return impl_->running.mechanism->mechanism; }
const Control& Simulation::control() const { return impl_->running.control; }
const State& Simulation::state() const { return impl_->running.state; }
State Simulation::sceneState() const { return ownState(impl_->own, impl_->running); }

}  // namespace tenon
