#include <tenon/compile.h>
#include <tenon/loads.h>
#include <tenon/scene_says.h>

#include <algorithm>

#include "session/simulation_impl.h"

namespace tenon {

RunSettings runSettingsOf(const Scene& scene) {
  const Settings& says = scene.settings;
  RunSettings settings;
  settings.dt = says.dt.value_or(settings.dt);
  settings.duration = says.duration.value_or(settings.duration);
  settings.step = stepSettingsOf(says);
  return settings;
}

void Simulation::Impl::start() {
  running = {};
  // Nothing is held yet, so that nothing can be wrong with it.
  static_cast<void>(follow(*scene, *own, initialState(*own), running));
  isTouched = true;
}

SimulationStart Simulation::Impl::begin(const std::function<bool(int, double)>& progress) {
  const Begun begun = runner().begin(progress);
  isTouched = false;
  return {begun.error,    begun.range,          begun.assembled,
          begun.assembly, begun.velocityChange, begun.goesOn};
}

SimulationStep Simulation::Impl::step(double dt) {
  SimulationStep made;
  if (!running.begun) {
    made.met.goesOn = begin({}).goesOn;
    if (!made.met.goesOn) return made;
  }
  Runner runner = this->runner();
  if (isTouched) runner.look();
  isTouched = false;
  made.met = publicly(runner.meetWhatIsDue(kNearlyWhole * dt));
  if (!made.met.goesOn) return made;
  const double until = tenon::nextInstant(running) - running.state.time;
  made.dt = until < dt * (1 - kNearlyWhole) ? until : dt;
  made.report = runner.step(made.dt);
  made.unexplained = runner.unexplained();
  if (!made.report.finite || made.report.stopped) return made;
  const Instant met = runner.meetWhatIsDue(kNearlyWhole * dt);
  made.met.goesOn = met.goesOn;
  made.met.putRight = made.met.putRight || met.putRight;
  made.met.kineticGain += met.kineticGain;
  made.met.potentialGain += met.potentialGain;
  return made;
}

const State& Simulation::Impl::sceneState(State& room) const {
  if (running.mechanism->asWritten) return running.state;
  return room = ownState(*own, running);
}

// ---------------------------------------------------------------------------------------- to make one

Result<Simulation> Simulation::load(const std::string& path, const ParseOptions& options) {
  Result<Scene> scene = loadScene(path, options);
  if (!scene) return scene.problems();
  const std::vector<Problem> problems = scene.problems();
  Result<Simulation> made = of(std::move(*scene));
  if (made)
    made->impl_->problems.insert(made->impl_->problems.begin(), problems.begin(), problems.end());
  return made;
}

Result<Simulation> Simulation::of(Scene scene) {
  auto impl = std::make_unique<Impl>();
  impl->scene = std::make_shared<const Scene>(std::move(scene));
  Result<Mechanism> mechanism = compile(*impl->scene);
  if (!mechanism) return mechanism.problems();
  impl->problems = mechanism.problems();
  impl->own = std::make_shared<const Mechanism>(std::move(*mechanism));
  return Simulation(std::move(impl));
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  static_cast<void>(SceneEvents(*impl_->scene, *impl_->own, impl_->problems));  // for its warnings
  impl_->settings = runSettingsOf(*impl_->scene);
  impl_->start();
}

namespace {

template <class T>
std::shared_ptr<const T> borrowed(const T& thing) {
  return {std::shared_ptr<const T>(), &thing};
}

}  // namespace

Simulation::Simulation(const Scene& scene, const Mechanism& mechanism)
    : Simulation(std::unique_ptr<Impl>(new Impl{borrowed(scene), borrowed(mechanism), {}})) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

// -------------------------------------------------------------------------------------------- to move it

RunSettings& Simulation::settings() { return impl_->settings; }
const RunSettings& Simulation::settings() const { return impl_->settings; }

PoseReport Simulation::assemble() { return assemble(poseSettingsOf(scene().settings)); }

PoseReport Simulation::assemble(const PoseSettings& settings) {
  Running& running = impl_->running;
  const PoseReport report = tenon::assemble(running.mechanism->mechanism, running.control,
                                            goalsOf(*impl_->scene, *impl_->own, running), settings,
                                            running.state, impl_->posing);
  std::fill(running.state.velocity.begin(), running.state.velocity.end(), Vec3{});
  std::fill(running.state.spin.begin(), running.state.spin.end(), Vec3{});
  running.state.rest.clear();
  running.begun = false;
  return report;
}

SimulationStart Simulation::begin(const std::function<bool(int, double)>& progress) {
  return impl_->begin(progress);
}
SimulationStep Simulation::step() { return impl_->step(impl_->settings.dt); }
SimulationStep Simulation::step(double dt) { return impl_->step(dt); }
void Simulation::reset() { impl_->start(); }

std::vector<Problem> Simulation::takeProblems() { return std::exchange(impl_->problems, {}); }
double Simulation::nextInstant() const { return tenon::nextInstant(impl_->running); }
std::vector<IslandWay> Simulation::ways() {
  const Running& running = impl_->running;
  return islandWays(running.mechanism->mechanism, running.control, impl_->settings.step,
                    impl_->settings.dt, running.state, impl_->stepping);
}

// ---------------------------------------------------------------------------------------- to look at it

const Scene& Simulation::scene() const { return *impl_->scene; }
double Simulation::time() const { return impl_->running.state.time; }
const Mechanism& Simulation::mechanism() const { return impl_->running.mechanism->mechanism; }
const Control& Simulation::control() const { return impl_->running.control; }
Control& Simulation::steer() {
  impl_->isTouched = true;
  return impl_->running.control;
}
const State& Simulation::state() const { return impl_->running.state; }
State& Simulation::editState() {
  impl_->isTouched = true;
  return impl_->running.state;
}
const Mechanism& Simulation::sceneMechanism() const { return *impl_->own; }
State Simulation::sceneState() const { return ownState(*impl_->own, impl_->running); }

std::optional<Pose> Simulation::pose(std::string_view solid) const {
  const std::vector<std::string>& names = impl_->own->solidNames;
  const auto at = std::find(names.begin(), names.end(), solid);
  if (at == names.end()) return std::nullopt;
  State room;
  return frameOf(*impl_->own, impl_->sceneState(room), static_cast<Index>(at - names.begin()));
}
std::optional<double> Simulation::coordinate(std::string_view joint,
                                             std::string_view coordinate) const {
  const auto column = columnNamed(*impl_->own, std::string(joint) + "." + std::string(coordinate));
  if (!column || column->kind != Column::Kind::Coordinate) return std::nullopt;
  State room;
  return valueOf(*column, *impl_->own, impl_->sceneState(room), impl_->running);
}
double Simulation::energy() const {
  return kineticEnergy(mechanism(), state()) + potentialEnergy(mechanism(), control(), state());
}
JointError Simulation::error() const { return jointError(mechanism(), control(), state()); }
std::optional<double> Simulation::value(std::string_view name) const {
  const auto column = columnNamed(*impl_->own, name);
  if (!column) return std::nullopt;
  State room;
  return valueOf(*column, *impl_->own, impl_->sceneState(room), impl_->running);
}
std::vector<std::string> Simulation::recordable() const { return columnNames(*impl_->own); }

std::vector<Judgement> Simulation::judgeExpectations(std::vector<Problem>& problems) const {
  return tenon::judgeExpectations(*impl_->scene, *impl_->own, problems);
}

}  // namespace tenon
