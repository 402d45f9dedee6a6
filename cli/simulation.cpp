#include "simulation.h"

#include <tenon/control_poles.h>
#include <tenon/loads.h>
#include <tenon/posing.h>
#include <tenon/scene_says.h>
#include <tenon/simulation.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

#include "report.h"

namespace tenon::cli {
namespace {

using Clock = std::chrono::steady_clock;

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
        listeners_(listeners),
        problems_(problems),
        progress_(progress),
        run_(scene, mechanism, settings.step, settings.dt, settings.asWritten, problems) {
    out_.settings = settings;
    if (out_.settings.every == 0)
      out_.settings.every =
          static_cast<int>(std::clamp(std::round(1 / (kFramesPerSecond * settings.dt)), 1.0, 1e9));
    out_.written = initialState(mechanism);
    out_.state = out_.written;
  }

  Simulated go() {
    if (!(out_.settings.duration / out_.settings.dt < kMaxSteps)) {
      problems_.push_back(fileProblem(file_, "this run would take too many steps",
                                      "choose a larger dt or a shorter time"));
      return std::move(out_);
    }
    begin();
    if (hasErrors(problems_)) return std::move(out_);
    double time = 0;
    const double end = out_.settings.duration;
    while (!out_.finishEvent && time < end) {
      const double instant = run_.nextInstant(), until = std::min(instant, end);
      if (instant <= time + kNearlyWhole * out_.settings.dt) {  // too near for a step between
        meet(instant);
        continue;
      }
      if (!move(stretchOf(until - time, out_.settings.dt), instant <= end)) break;
      time = until;
    }
    finish();
    return std::move(out_);
  }

 private:
  // Joints closed and velocities allowed, unless the scene is to start as it is.
  void begin() {
    progress_.now("assembling " + file_);
    const SimulationStart start =
        run_.begin(problems_, [this](int, double) { return !interrupt_.came(); });
    out_.writtenError = start.error;
    out_.writtenRange = start.range;
    out_.assembled = start.assembled;
    out_.velocityChange = start.velocityChange;
    out_.finishEvent = !start.goesOn;
    if (start.assembled && !start.assembly.closed) out_.status = SimulationStatus::Warned;
    const JointError error = jointError(run_.mechanism(), run_.control(), run_.state());
    out_.startError = out_.endError = error.max;
    measureStart(error);
    frame();
  }

  void warn(std::string what, std::string remedy) {
    Problem problem = fileProblem(file_, std::move(what), std::move(remedy));
    problem.severity = Severity::Warning;
    problems_.push_back(std::move(problem));
  }

  void measureStart(const JointError& error) {
    const Mechanism& m = run_.mechanism();
    const State& state = run_.state();
    momentum_ = momentum(m, state);
    for (std::size_t i = 0; i < m.solids.size(); ++i) {
      const MechanismSolid& solid = m.solids[i];
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
    const Mechanism& m = run_.mechanism();
    const State& state = run_.state();
    const Momentum now = momentum(m, state);
    Moment moment;
    moment.time = state.time;
    moment.error = error.max;
    moment.rangeError = error.range;
    moment.kinetic = kineticEnergy(m, state);
    moment.potential = potentialEnergy(m, run_.control(), state) - lifted_;
    moment.given = given_;
    moment.momentum = norm(now.linear);
    moment.angularMomentum = norm(now.angular);
    moment.momentumDrift = norm(now.linear - momentum_.linear) / scaleOf(out_.momentumAtStart);
    moment.angularMomentumDrift =
        norm(now.angular - momentum_.angular) / scaleOf(out_.angularMomentumAtStart);
    return moment;
  }

  // `toInstant`: it ends where something is due, which is carried out before anything is measured.
  bool move(const Stretch& stretch, bool toInstant) {
    const double instant = run_.nextInstant();
    for (std::uint64_t i = 1; i <= stretch.steps; ++i) {
      if (interrupt_.came()) {
        out_.status = SimulationStatus::Stopped;
        return false;
      }
      const bool last = i == stretch.steps;
      if (!moveOnce(last ? stretch.last : out_.settings.dt,
                    last && toInstant ? std::optional(instant) : std::nullopt))
        return false;
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

  bool moveOnce(double dt, const std::optional<double>& instant) {
    if (listeners_.ways) listeners_.ways(run_.ways(dt));
    const std::clock_t processor = std::clock();
    const Clock::time_point before = Clock::now();
    const StepReport report = run_.step(dt);
    const Clock::time_point after = Clock::now();
    processor_ += std::clock() - processor;
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
    if (run_.unexplained() > 0) {
      ++out_.unexplained;
      if (run_.unexplained() > out_.largestJump) {
        out_.largestJump = run_.unexplained();
        out_.jumpTime = run_.state().time;
      }
    }
    if (instant) meet(*instant);
    const JointError error = jointError(run_.mechanism(), run_.control(), run_.state());
    ++out_.steps;
    if (!report.converged) ++out_.unconverged;
    if (report.halvings > 0) ++out_.halved;
    if (report.singular && out_.singular++ == 0) out_.singularAt = run_.state().time;
    if (report.fast) ++out_.fast;
    out_.handedOver += report.handedOver;
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
      progress_.now("simulating " + file_ + ": " + shortNumber(run_.state().time, 3) + " of " +
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

  // What an event does to the energy is no drift.
  void meet(double time) {
    const SimulationInstant instant = run_.meet(time, problems_);
    lifted_ += instant.potentialGain;
    given_ += instant.kineticGain;
    out_.putRight += instant.putRight ? 1 : 0;
    out_.finishEvent = !instant.goesOn;
  }

  void frame() {
    framed_ = out_.steps;
    ++out_.frames;
    if (listeners_.frame) listeners_.frame(run_.sceneState());
  }

  void finish() {
    out_.state = run_.sceneState();
    if (framed_ != out_.steps) frame();
    out_.milliseconds = milliseconds(spent_);
    out_.processorMilliseconds = 1000 * static_cast<double>(processor_) / CLOCKS_PER_SEC;
    if (out_.steps > 0) {
      const auto steps = static_cast<double>(out_.steps);
      out_.rmsError = std::sqrt(squares_ / steps);
      out_.microsecondsPerSolidStep =
          1000 * out_.milliseconds / (steps * static_cast<double>(std::max<Index>(dynamic_, 1)));
    } else {
      const JointError error = jointError(run_.mechanism(), run_.control(), run_.state());
      static_cast<void>(measure(error));
      out_.rmsError = error.rms;
    }
    compareEnergies();
    out_.hash = stateHash(out_.state);
    sayWhatWentWrong();
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

  void sayWhatWentWrong() {
    if (!scene_.goals.empty())
      warn("goals act only in posing and assembly: in a motion nothing is pulled to them", "");
    if (takesFeedback(out_.settings.step.method))
      for (Problem& problem : checkFeedback(out_.settings.step, out_.settings.dt))
        warn(std::move(problem.what), std::move(problem.remedy));
    if (!note_.empty()) warn(std::string(note_), "");
    if (out_.singular > 0)
      warn("at " + shortNumber(out_.singularAt, 4) + " s" +
               (out_.singular > 1 ? ", and in " + counted(out_.singular - 1, "more step") : "") +
               ", the pose is singular: the joints could fold in another way there, and rounding "
               "decides how the motion continues",
           "--method energy stays on its branch");
    if (out_.status == SimulationStatus::Stuck)
      warn("no step after " + shortNumber(out_.state.time) + " s was possible, however short",
           "choose a smaller --dt, or another --method");
    if (out_.halved > 0)
      warn(std::to_string(out_.halved) + " of " + counted(out_.steps, "step") +
               " had to be split into shorter steps",
           "choose a smaller dt: it takes no longer");
    // Whoever limits the iterations knows.
    if (out_.capped > 0 && out_.settings.step.iterations == 0)
      warn(std::to_string(out_.capped) + " of " + counted(out_.steps, "step") +
               " used up their iterations",
           "allow more --iterations, or a larger --tolerance");
    else if (out_.unconverged > 0 && out_.settings.step.iterations == 0)
      warn(std::to_string(out_.unconverged) + " of " + counted(out_.steps, "step") +
               " did not reach the tolerance of " + shortNumber(out_.settings.step.tolerance),
           "choose a smaller dt");
    if (out_.unexplained > 0)
      warn("energy appeared from nowhere in " + std::to_string(out_.unexplained) + " of " +
               counted(out_.steps, "step") + "; the most was " + shortNumber(out_.largestJump, 3) +
               " J, in the step to " + shortNumber(out_.jumpTime) + " s",
           "choose a smaller dt, or the method `" + std::string(nameOf(StepSettings{}.method)) +
               "`");
    if (out_.status == SimulationStatus::Done &&
        (out_.unexplained > 0 || out_.unconverged > 0 || out_.capped > 0 || out_.putRight > 0 ||
         out_.singular > 0))
      out_.status = SimulationStatus::Warned;
  }

  const std::string& file_;
  const Scene& scene_;
  const Listeners& listeners_;
  std::vector<Problem>& problems_;
  Progress& progress_;
  Simulation run_;
  NotedInterrupt interrupt_;
  Simulated out_;
  std::string_view note_;  // of the last step
  Clock::duration spent_{};
  std::clock_t processor_ = 0;  // of the whole program, during steps
  Clock::time_point news_ = Clock::now(), begun_ = news_;
  Momentum momentum_;                // at the start
  double lowest_ = 0, highest_ = 0;  // [J] potential energy
  double lifted_ = 0,
         given_ = 0;          // [J] what events have added: to the potential, the kinetic energy
  double deviation_ = 0;      // [J]
  double squares_ = 0;        // Σ rms²
  Index dynamic_ = 0;         // solids
  std::uint64_t framed_ = 0;  // step of the last frame
};

}  // namespace

std::string_view nameOf(SimulationStatus status) {
  switch (status) {
    case SimulationStatus::Done:
      return "done";
    case SimulationStatus::Warned:
      return "warned";
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
  settings.dt = says.number("dt").value_or(settings.dt);
  settings.duration = says.number("duration").value_or(settings.duration);
  settings.step = stepSettingsOf(says);
  return settings;
}

Simulated simulate(const std::string& file, const Scene& scene, const Mechanism& mechanism,
                   const SimulationSettings& settings, const Listeners& listeners,
                   std::vector<Problem>& problems, Progress& progress) {
  return Run(file, scene, mechanism, settings, listeners, problems, progress).go();
}

}  // namespace tenon::cli
