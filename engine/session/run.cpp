// A scene in motion, from where it is to an end, judged by the same measures whatever the method.
#include <tenon/control_poles.h>
#include <tenon/loads.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

#include "math/decimal.h"
#include "session/simulation_impl.h"

namespace tenon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFramesPerSecond = 60;  // of a recording, about
constexpr double kRounding = 1e-12;      // of an energy
constexpr double kMaxSteps = 1e15;       // beyond, counting in doubles is no longer exact

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}
std::string shortNumber(double value, int digits = 6) { return shortDecimal(value, digits); }
std::string counted(std::uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
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
  Run(Simulation& simulation, Simulation::Impl& impl, const RunWatch& watch)
      : simulation_(simulation), impl_(impl), watch_(watch) {
    out_.settings = impl.settings;
    if (out_.settings.every == 0)
      out_.settings.every = static_cast<int>(
          std::clamp(std::round(1 / (kFramesPerSecond * out_.settings.dt)), 1.0, 1e9));
    out_.written = initialState(*impl.own);
    out_.state = out_.written;
    out_.problems = simulation.takeProblems();
  }

  RunReport go() {
    if (!(out_.settings.duration / out_.settings.dt < kMaxSteps)) {
      say(Severity::Error, "this run would take too many steps",
          "choose a larger dt or a shorter time");
      return std::move(out_);
    }
    if (!findColumns()) return std::move(out_);
    begin();
    double time = simulation_.time();
    const double end = time + out_.settings.duration;
    while (!out_.finishEvent && time < end) {
      const double instant = simulation_.nextInstant(), until = std::min(instant, end);
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
    const SimulationStart start = impl_.begin([this](int, double) { return goesOn(); });
    out_.writtenError = start.error;
    out_.writtenRange = start.range;
    out_.assembled = start.assembled;
    out_.velocityChange = start.velocityChange;
    out_.finishEvent = !start.goesOn;
    if (start.assembled && !start.assembly.closed) out_.status = RunStatus::Warned;
    const JointError error = jointError(simulation_.mechanism(), control(), state());
    out_.startError = out_.endError = error.max;
    measureStart(error);
    frame();
  }

  void say(Severity severity, std::string what, std::string remedy) {
    Problem problem;
    problem.severity = severity;
    problem.file = impl_.scene->files.empty() ? impl_.scene->title : impl_.scene->files[0].name;
    problem.what = std::move(what);
    problem.remedy = std::move(remedy);
    out_.problems.push_back(std::move(problem));
  }
  void warn(std::string what, std::string remedy) {
    say(Severity::Warning, std::move(what), std::move(remedy));
  }
  [[nodiscard]] bool goesOn() const { return !watch_.goesOn || watch_.goesOn(); }

  // False: there is no such thing to record.
  bool findColumns() {
    out_.record.columns = out_.settings.record;
    for (const std::string& name : out_.settings.record) {
      const std::optional<Column> column = columnNamed(*impl_.own, name);
      if (column) {
        columns_.push_back(*column);
        continue;
      }
      const std::string near = nearestWord(name, columnNames(*impl_.own));
      say(Severity::Error, "there is no '" + name + "' to record",
          near.empty() ? "Simulation::recordable() lists what there is"
                       : "did you mean '" + near + "'?");
    }
    return columns_.size() == out_.settings.record.size();
  }

  void measureStart(const JointError& error) {
    const Mechanism& m = simulation_.mechanism();
    const State& state = impl_.running.state;
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
    if (watch_.moment) watch_.moment(start);
  }

  [[nodiscard]] Moment momentOf(const JointError& error) const {
    const Mechanism& m = simulation_.mechanism();
    const State& state = impl_.running.state;
    const Momentum now = momentum(m, state);
    Moment moment;
    moment.time = state.time;
    moment.error = error.max;
    moment.rangeError = error.range;
    moment.kinetic = kineticEnergy(m, state);
    moment.potential = potentialEnergy(m, control(), state) - lifted_;
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
    const double instant = simulation_.nextInstant();
    for (std::uint64_t i = 1; i <= stretch.steps; ++i) {
      if (!goesOn()) {
        out_.status = RunStatus::Stopped;
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
    out_.status = RunStatus::BlownUp;
    return false;
  }

  // What steps and what is drawn of the state are the same object, so constant.
  [[nodiscard]] const State& state() const { return impl_.running.state; }
  [[nodiscard]] const Control& control() const { return impl_.running.control; }
  [[nodiscard]] std::vector<IslandWay> ways(double dt) {
    return islandWays(simulation_.mechanism(), control(), out_.settings.step, dt, state(),
                      impl_.stepping);
  }

  bool moveOnce(double dt, const std::optional<double>& instant) {
    Runner runner = impl_.runner();
    if (watch_.ways) watch_.ways(ways(dt));
    const std::clock_t processor = std::clock();
    const Clock::time_point before = Clock::now();
    const StepReport report = runner.step(dt);
    const Clock::time_point after = Clock::now();
    processor_ += std::clock() - processor;
    spent_ += after - before;
    if (report.stopped) {
      out_.capped += 1;
      out_.status = RunStatus::Stopped;
      return false;
    }
    if (report.stuck) {
      out_.status = RunStatus::Stuck;
      return false;
    }
    if (!report.finite) return blownUp();
    if (runner.unexplained() > 0) {
      ++out_.unexplained;
      if (runner.unexplained() > out_.largestJump) {
        out_.largestJump = runner.unexplained();
        out_.jumpTime = state().time;
      }
    }
    if (instant) meet(*instant);
    const JointError error = jointError(simulation_.mechanism(), control(), state());
    ++out_.steps;
    if (!report.converged) ++out_.unconverged;
    if (report.halvings > 0) ++out_.halved;
    if (report.singular && out_.singular++ == 0) out_.singularAt = state().time;
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
    if (watch_.moment) watch_.moment(moment);
    if (out_.steps % static_cast<std::uint64_t>(out_.settings.every) == 0) frame();
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
  [[nodiscard]] static double driftOf(const RunReport& result) {
    return result.endEnergy - result.startEnergy - result.work.value_or(0);
  }

  // What an event does to the energy is no drift.
  void meet(double time) {
    const Instant instant = impl_.runner().meet(time);
    lifted_ += instant.potentialGain;
    given_ += instant.kineticGain;
    out_.putRight += instant.putRight ? 1 : 0;
    out_.finishEvent = !instant.goesOn;
  }

  void frame() {
    framed_ = out_.steps;
    ++out_.frames;
    if (!watch_.frame && columns_.empty()) return;
    const State& own = impl_.sceneState(room_);
    if (watch_.frame) watch_.frame(own);
    for (const Column& column : columns_)
      out_.record.values.push_back(valueOf(column, *impl_.own, own, impl_.running));
  }

  void finish() {
    out_.state = simulation_.sceneState();
    if (framed_ != out_.steps) frame();
    out_.milliseconds = milliseconds(spent_);
    out_.processorMilliseconds = 1000 * static_cast<double>(processor_) / CLOCKS_PER_SEC;
    if (out_.steps > 0) {
      const auto steps = static_cast<double>(out_.steps);
      out_.rmsError = std::sqrt(squares_ / steps);
      out_.microsecondsPerSolidStep =
          1000 * out_.milliseconds / (steps * static_cast<double>(std::max<Index>(dynamic_, 1)));
    } else {
      const JointError error = jointError(simulation_.mechanism(), control(), state());
      static_cast<void>(measure(error));
      out_.rmsError = error.rms;
    }
    compareEnergies();
    out_.hash = stateHash(out_.state);
    sayWhatWentWrong();
    for (Problem& problem : simulation_.takeProblems()) out_.problems.push_back(std::move(problem));
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
    if (!impl_.scene->goals.empty())
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
    if (out_.status == RunStatus::Stuck)
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
    if (out_.status == RunStatus::Done &&
        (out_.unexplained > 0 || out_.unconverged > 0 || out_.capped > 0 || out_.putRight > 0 ||
         out_.singular > 0))
      out_.status = RunStatus::Warned;
  }

  Simulation& simulation_;
  Simulation::Impl& impl_;
  const RunWatch& watch_;
  std::vector<Column> columns_;  // that are recorded
  State room_;
  RunReport out_;
  std::string_view note_;  // of the last step
  Clock::duration spent_{};
  std::clock_t processor_ = 0;  // of the whole program, during steps
  Clock::time_point begun_ = Clock::now();
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

std::string_view nameOf(RunStatus status) {
  switch (status) {
    case RunStatus::Done:
      return "done";
    case RunStatus::Warned:
      return "warned";
    case RunStatus::BlownUp:
      return "blown-up";
    case RunStatus::Stuck:
      return "stuck";
    case RunStatus::Stopped:
      return "stopped";
  }
  return {};
}

RunReport Simulation::run(const RunWatch& watch) { return Run(*this, *impl_, watch).go(); }

RunReport Simulation::run(double seconds) {
  const double duration = std::exchange(impl_->settings.duration, seconds);
  RunReport report = run();
  impl_->settings.duration = duration;
  return report;
}

}  // namespace tenon
