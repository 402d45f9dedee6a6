#include "simulation.h"

#include <tenon/control_poles.h>
#include <tenon/loads.h>
#include <tenon/posing.h>
#include <tenon/scene_says.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "report.h"

namespace tenon::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kOpen = 1e-6;           // [m], [rad] joints are closed before they are moved
constexpr double kFramesPerSecond = 60;  // of a recording, about
constexpr double kNearlyWhole = 1e-6;    // of a step: a rest that is none
constexpr double kRounding = 1e-12;      // of an energy
constexpr double kMaxSteps = 1e15;       // beyond, counting in doubles is no longer exact
constexpr auto kBetweenNews = std::chrono::milliseconds(100);

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

double scaleOf(double momentum) { return momentum > 0 ? momentum : 1; }

// The steps from one event to the next: all of them dt, except the last, if dt does not fit.
struct Stretch {
  std::uint64_t steps = 0;
  double last = 0;  // [s]
};
Stretch stretchOf(double length, double dt) {
  const double whole = std::round(length / dt);
  if (std::abs(length / dt - whole) < kNearlyWhole) return {static_cast<std::uint64_t>(whole), dt};
  const double all = std::ceil(length / dt);
  return {static_cast<std::uint64_t>(all), length - (all - 1) * dt};
}

class Run {
 public:
  Run(const std::string& file, const Scene& scene, const Mechanism& mechanism,
      const SimulationSettings& settings, const Listeners& listeners,
      std::vector<Problem>& problems, Progress& progress)
      : file_(file),
        scene_(scene),
        m_(mechanism),
        listeners_(listeners),
        problems_(problems),
        progress_(progress),
        events_(scene, mechanism, problems),
        control_(initialControl(mechanism)) {
    out_.settings = settings;
    if (out_.settings.every == 0)
      out_.settings.every =
          static_cast<int>(std::clamp(std::round(1 / (kFramesPerSecond * settings.dt)), 1.0, 1e9));
    out_.written = initialState(mechanism);
    out_.state = out_.written;
  }

  Simulated go() {
    if (!(out_.settings.duration / out_.settings.dt < kMaxSteps)) {
      problems_.push_back(fileProblem(file_, "the time takes too many steps",
                                      "choose a larger dt or a shorter time"));
      return std::move(out_);
    }
    bool on = events_.apply(0, control_, eventsDone_);
    begin();
    if (hasErrors(problems_)) return std::move(out_);
    double time = 0;
    const double end = out_.settings.duration;
    out_.stopEvent = !on;
    while (on && time < end) {
      const double until = std::min(events_.next(eventsDone_), end);
      if (!move(stretchOf(until - time, out_.settings.dt))) break;
      time = until;
      if (events_.next(eventsDone_) > time) continue;
      on = applyEvents(time);
      out_.stopEvent = !on;
    }
    finish();
    return std::move(out_);
  }

 private:
  // Joints closed and velocities allowed, unless the scene is to start as it is.
  void begin() {
    State& state = out_.state;
    out_.writtenError = jointError(m_, control_, state).max;
    PoseScratch scratch;
    if (!out_.settings.asWritten) {
      if (out_.writtenError > kOpen) close(scratch);
      const std::vector<Vec3> before = state.velocity;
      projectVelocities(m_, control_, state, scratch);
      for (std::size_t i = 0; i < before.size(); ++i)
        out_.velocityChange = std::max(out_.velocityChange, norm(state.velocity[i] - before[i]));
    }
    const JointError error = jointError(m_, control_, state);
    out_.startError = out_.endError = error.max;
    for (const Vec3& x : state.position) size_ = std::max(size_, norm(x - state.position.front()));
    measureStart(error);
    frame();
    if (!out_.settings.asWritten)
      startDisplacements(m_, control_, out_.settings.step, out_.settings.dt, state, scratch_);
  }

  // Where `tenon assemble` would put it.
  void close(PoseScratch& scratch) {
    const std::vector<Want> wants = wantsOf(scene_, m_, out_.written, problems_);
    if (hasErrors(problems_)) return;
    progress_.now("assembling " + file_);
    PoseSettings settings;
    settings.progress = [this](int, double) { return !interrupt_.came(); };
    const PoseReport report = assemble(m_, control_, wants, settings, out_.state, scratch);
    out_.assembled = true;
    if (report.closed) return;
    Problem problem =
        fileProblem(file_,
                    "the joints cannot be closed at the start: " + shortNumber(report.maxError, 3) +
                        " is left (metres or radians)",
                    "`tenon assemble` says why");
    problem.severity = Severity::Warning;
    problems_.push_back(problem);
  }

  void measureStart(const JointError& error) {
    const State& state = out_.state;
    momentum_ = momentum(m_, state);
    for (std::size_t i = 0; i < m_.solids.size(); ++i) {
      const MechanismSolid& solid = m_.solids[i];
      if (solid.kind != SolidKind::Dynamic) continue;
      ++dynamic_;
      const Quat& q = state.orientation[i];
      const Vec3 spin = rotate(q, solid.inertia * rotate(conjugate(q), state.spin[i]));
      out_.momentumAtStart += solid.mass * norm(state.velocity[i]);
      out_.angularMomentumAtStart +=
          solid.mass * norm(cross(state.position[i], state.velocity[i])) + norm(spin);
    }
    Moment start = momentOf(error);
    out_.kineticAtStart = start.kinetic;
    out_.startEnergy = out_.endEnergy = start.energy();
    lowest_ = highest_ = start.potential;
    start.microseconds = std::numeric_limits<double>::quiet_NaN();
    if (listeners_.moment) listeners_.moment(start);
  }

  [[nodiscard]] Moment momentOf(const JointError& error) const {
    const State& state = out_.state;
    const Momentum now = momentum(m_, state);
    Moment moment;
    moment.time = state.time;
    moment.error = error.max;
    moment.rangeError = error.range;
    moment.kinetic = kineticEnergy(m_, state);
    moment.potential = potentialEnergy(m_, control_, state) - given_;
    moment.momentum = norm(now.linear);
    moment.angularMomentum = norm(now.angular);
    moment.momentumDrift = norm(now.linear - momentum_.linear) / scaleOf(out_.momentumAtStart);
    moment.angularMomentumDrift =
        norm(now.angular - momentum_.angular) / scaleOf(out_.angularMomentumAtStart);
    return moment;
  }

  bool move(const Stretch& stretch) {
    for (std::uint64_t i = 1; i <= stretch.steps; ++i) {
      if (interrupt_.came()) {
        out_.status = SimulationStatus::Stopped;
        return false;
      }
      if (!moveOnce(i == stretch.steps ? stretch.last : out_.settings.dt)) return false;
      if (1e-3 * milliseconds(Clock::now() - begun_) > out_.settings.patience) {
        out_.cutShort = true;
        return false;
      }
    }
    return true;
  }

  bool blownUp() {
    out_.status = SimulationStatus::BlownUp;
    return false;
  }

  bool moveOnce(double dt) {
    previous_ = out_.state;
    const Clock::time_point before = Clock::now();
    const StepReport report = step(m_, control_, out_.settings.step, dt, out_.state, scratch_);
    const Clock::time_point after = Clock::now();
    spent_ += after - before;
    if (report.stopped) {
      out_.capped += 1;
      out_.status = SimulationStatus::Stopped;
      return false;
    }
    if (report.stuck) {
      out_.status = SimulationStatus::Stuck;
      return false;
    }
    if (!report.finite) return blownUp();
    const JointError error = jointError(m_, control_, out_.state);
    // Numbers so large that their errors are not, or solids a hundred scenes away from each other.
    if (!error.finite || error.max > 100 * (size_ + out_.startError)) {
      out_.state = previous_;
      return blownUp();
    }
    ++out_.steps;
    if (!report.converged) ++out_.unconverged;
    if (report.halvings > 0) ++out_.halved;
    if (report.singular && out_.singular++ == 0) out_.singularAt = out_.state.time;
    if (report.fast) ++out_.fast;
    if (report.capped) ++out_.capped;
    note_ = report.note;
    if (report.ledger) out_.work = out_.work.value_or(0) + report.work;
    out_.stages.add(report.times);
    out_.iterations += static_cast<std::uint64_t>(report.iterations);
    out_.linearIterations += static_cast<std::uint64_t>(report.linearIterations);
    Moment moment = measure(error);
    moment.iterations = report.iterations;
    moment.microseconds = 1000 * milliseconds(after - before);
    if (listeners_.moment) listeners_.moment(moment);
    if (out_.steps % static_cast<std::uint64_t>(out_.settings.every) == 0) frame();
    if (after - news_ > kBetweenNews) {
      news_ = after;
      progress_.now("simulating " + file_ + ": " + shortNumber(out_.state.time, 3) + " of " +
                    shortNumber(out_.settings.duration, 3) + " s, error " +
                    shortNumber(error.max, 2));
    }
    return true;
  }

  [[nodiscard]] Moment measure(const JointError& error) {
    const Moment moment = momentOf(error);
    out_.endError = error.max;
    out_.maxError = std::max(out_.maxError, error.max);
    out_.maxMetres = std::max(out_.maxMetres, error.maxMetres);
    out_.maxRadians = std::max(out_.maxRadians, error.maxRadians);
    out_.rangeError = std::max(out_.rangeError, error.range);
    squares_ += error.rms * error.rms;
    lowest_ = std::min(lowest_, moment.potential);
    highest_ = std::max(highest_, moment.potential);
    out_.endEnergy = moment.energy();
    deviation_ = std::max(deviation_, std::abs(driftOf(out_)));
    out_.momentumDrift = moment.momentumDrift;
    out_.angularMomentumDrift = moment.angularMomentumDrift;
    return moment;
  }

  // [J]
  [[nodiscard]] static double driftOf(const Simulated& result) {
    return result.endEnergy - result.startEnergy - result.work.value_or(0);
  }

  bool applyEvents(double time) {
    const double before = potentialEnergy(m_, control_, out_.state);
    const bool on = events_.apply(time, control_, eventsDone_);
    given_ += potentialEnergy(m_, control_, out_.state) - before;
    return on;
  }

  void frame() {
    framed_ = out_.steps;
    ++out_.frames;
    if (listeners_.frame) listeners_.frame(out_.state);
  }

  void finish() {
    if (framed_ != out_.steps) frame();
    out_.milliseconds = milliseconds(spent_);
    if (out_.steps > 0) {
      const auto steps = static_cast<double>(out_.steps);
      out_.rmsError = std::sqrt(squares_ / steps);
      out_.microsecondsPerSolidStep =
          1000 * out_.milliseconds / (steps * static_cast<double>(std::max<Index>(dynamic_, 1)));
    } else {
      const JointError error = jointError(m_, control_, out_.state);
      static_cast<void>(measure(error));
      out_.rmsError = error.rms;
    }
    compareEnergies();
    out_.hash = stateHash(out_.state);
    warn();
  }

  void compareEnergies() {
    out_.potentialRange = highest_ - lowest_;
    const double rounding =
        kRounding * std::max({std::abs(lowest_), std::abs(highest_), out_.kineticAtStart});
    if (out_.potentialRange > rounding) {
      out_.energyReference = "potential range";
      out_.energyScale = out_.potentialRange;
    } else if (out_.kineticAtStart > 0) {
      out_.energyReference = "initial kinetic";
      out_.energyScale = out_.kineticAtStart;
    } else {
      out_.energyReference = "1 J";  // nothing moved
    }
    out_.energyDrift = driftOf(out_) / out_.energyScale;
    out_.energyDeviation = deviation_ / out_.energyScale;
  }

  void warn() {
    const auto say = [this](std::string what, std::string remedy) {
      Problem problem = fileProblem(file_, std::move(what), std::move(remedy));
      problem.severity = Severity::Warning;
      problems_.push_back(std::move(problem));
    };
    if (!scene_.pins.empty() || !scene_.goals.empty())
      say("pins and goals are for posing: nothing holds or pulls them in motion", "");
    if (out_.settings.step.method == Method::Baumgarte)
      for (Problem& problem : checkFeedback(out_.settings.step, out_.settings.dt))
        say(std::move(problem.what), std::move(problem.remedy));
    if (!note_.empty()) say(std::string(note_), "");
    if (out_.singular > 0)
      say("at " + shortNumber(out_.singularAt, 4) + " s" +
              (out_.singular > 1 ? ", and in " + counted(out_.singular - 1, "more step") : "") +
              ", the pose is singular: the joints could fold another way there, and which way it "
              "goes on is left to rounding",
          "--method energy keeps to its branch");
    if (out_.status == SimulationStatus::Stuck)
      say("the step after " + shortNumber(out_.state.time) + " s could not be made, however short",
          "choose a smaller --dt, or another --method");
    if (out_.halved > 0)
      say(std::to_string(out_.halved) + " of " + counted(out_.steps, "step") +
              " had to be split into shorter ones",
          "a smaller dt takes no longer");
    // Whoever limits the iterations knows.
    if (out_.capped > 0 && out_.settings.step.iterations == 0)
      say(std::to_string(out_.capped) + " of " + counted(out_.steps, "step") +
              " used up their corrections",
          "allow more --iterations, or a larger --tolerance");
    else if (out_.unconverged > 0 && out_.settings.step.iterations == 0)
      say(std::to_string(out_.unconverged) + " of " + counted(out_.steps, "step") +
              " did not reach the tolerance of " + shortNumber(out_.settings.step.tolerance),
          "choose a smaller dt");
  }

  const std::string& file_;
  const Scene& scene_;
  const Mechanism& m_;
  const Listeners& listeners_;
  std::vector<Problem>& problems_;
  Progress& progress_;
  SceneEvents events_;
  std::size_t eventsDone_ = 0;
  Control control_;
  StepScratch scratch_;
  NotedInterrupt interrupt_;
  Simulated out_;
  double size_ = 1;  // [m] of the scene
  State previous_;
  std::string_view note_;  // of the last step
  Clock::duration spent_{};
  Clock::time_point news_ = Clock::now(), begun_ = news_;
  Momentum momentum_;                // at the start
  double lowest_ = 0, highest_ = 0;  // [J] potential energy
  double given_ = 0;                 // [J] by events
  double deviation_ = 0;             // [J]
  double squares_ = 0;               // Σ rms²
  Index dynamic_ = 0;                // solids
  std::uint64_t framed_ = 0;         // step of the last frame
};

}  // namespace

std::string_view nameOf(SimulationStatus status) {
  switch (status) {
    case SimulationStatus::Done:
      return "done";
    case SimulationStatus::BlownUp:
      return "blown-up";
    case SimulationStatus::Stuck:
      return "stuck";
    case SimulationStatus::Stopped:
      return "stopped";
  }
  return {};
}

SimulationSettings simulationSettingsOf(const Scene& scene) {
  const Settings& says = scene.settings;
  SimulationSettings settings;
  settings.dt = says.dt.value_or(settings.dt);
  settings.duration = says.duration.value_or(settings.duration);
  settings.step = stepSettingsOf(says);
  return settings;
}

Simulated simulate(const std::string& file, const Scene& scene, const Mechanism& mechanism,
                   const SimulationSettings& settings, const Listeners& listeners,
                   std::vector<Problem>& problems, Progress& progress) {
  return Run(file, scene, mechanism, settings, listeners, problems, progress).go();
}

}  // namespace tenon::cli
