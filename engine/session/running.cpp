#include "session/running.h"

#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/measure.h>
#include <tenon/scene_says.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "compile/turns.h"
#include "math/decimal.h"
#include "methods/method_flags.h"

namespace tenon {

namespace {

constexpr double kOpen = 1e-6;  // [m], [rad] joints are closed before they are moved

void loseMomentum(State& state) {
  std::fill(state.velocity.begin(), state.velocity.end(), Vec3{});
  std::fill(state.spin.begin(), state.spin.end(), Vec3{});
  state.rest.clear();
}

// How far the rows of these joints that hold exactly are from holding, and the joint that is worst.
struct Opening {
  double error = 0;  // [m], [rad]
  bool angular = false;
  Index joint = 0;
};
Opening openingOf(const Mechanism& m, const Control& control, const State& state,
                  const std::vector<Index>& joints) {
  Opening opening;
  Rows rows;
  for (const Index j : joints) {
    rows.clear();
    emitJointRows(m, control, state, j, rows);
    for (const Row& row : rows.rows) {
      if (row.velocity || !std::isinf(row.stiffness)) continue;
      const double error = row.equality ? std::abs(row.error) : std::max(0.0, -row.error);
      if (!(error > opening.error)) continue;
      opening.error = error;
      opening.angular = row.angular;
      opening.joint = j;
    }
  }
  return opening;
}

std::string shortNumber(double x) { return shortDecimal(x, 3); }

Problem warningOf(const std::string& file, std::string what, std::string remedy) {
  Problem problem;
  problem.severity = Severity::Warning;
  problem.file = file;
  problem.what = std::move(what);
  problem.remedy = std::move(remedy);
  return problem;
}

Place placeOf(const Scene& scene, const std::string& joint) {
  for (const Joint& one : scene.joints)
    if (one.name == joint) return one.place;
  for (const Pin& pin : scene.pins)
    if (pin.name == joint) return pin.place;
  return {};
}

// The pose put right near where it is, or else wherever it can be. What yields is as loaded as it was: that is a force.
PoseReport putRight(const Mechanism& m, const Control& control, State& state,
                    PoseScratch& scratch) {
  PoseSettings settings;
  settings.compromise = false;
  const PoseReport report = track(m, control, {}, settings, state, scratch);
  if (report.status == PoseStatus::Converged) return report;
  return assemble(m, control, {}, settings, state, scratch);
}

// Velocities become the nearest that the joints allow. The projection is orthogonal in the metric of the masses, so that
// T = ½ vᵀ M v can only fall; what putting the pose right has added, by turning inertias, is taken out again.
// Rows that move by themselves may bring energy.
void impact(const Mechanism& m, const Control& control, double most, State& state,
            PoseScratch& scratch) {
  projectVelocities(m, control, state, scratch);
  const double kinetic = kineticEnergy(m, state);
  if (!(kinetic > most)) return;
  Rows rows;
  emitRows(m, control, state, rows);
  if (std::any_of(rows.rows.begin(), rows.rows.end(),
                  [](const Row& row) { return row.timeRate != 0; }))
    return;
  const double factor = std::sqrt(most / kinetic);
  for (std::size_t s = 0; s < m.solids.size(); ++s) {
    if (m.solids[s].kind != SolidKind::Dynamic) continue;
    state.velocity[s] = factor * state.velocity[s];
    state.spin[s] = factor * state.spin[s];
  }
}

}  // namespace

State ownState(const Mechanism& own, const Running& running) {
  return release(own, *running.mechanism, running.state, *running.own);
}

std::vector<Problem> follow(const Scene& scene, const Mechanism& own, const State& state,
                            Running& running, KnownTurns* turns) {
  Result<HeldMechanism> made = hold(scene, own, running.held, framesOf(own, state), turns);
  if (!made) return made.problems();
  const std::shared_ptr<const HeldMechanism> before = running.mechanism;
  const Control steered = running.control;
  running.mechanism = std::make_shared<const HeldMechanism>(std::move(*made));
  running.own = std::make_shared<const State>(state);
  running.state = take(own, *running.mechanism, state);
  running.control = initialControl(running.mechanism->mechanism);
  if (before != nullptr) {
    running.control.gravity = steered.gravity;
    running.control.damp = steered.damp;
    // Joints that events have switched stay switched.
    if (std::find(steered.jointOn.begin(), steered.jointOn.end(), 0) != steered.jointOn.end()) {
      const std::vector<std::string>& names = running.mechanism->mechanism.jointNames;
      std::unordered_map<std::string, std::size_t> numbers;
      for (std::size_t j = 0; j < names.size(); ++j) numbers.emplace(names[j], j);
      for (std::size_t j = 0; j < steered.jointOn.size(); ++j) {
        const auto at = numbers.find(before->mechanism.jointNames[j]);
        if (at != numbers.end()) running.control.jointOn[at->second] = steered.jointOn[j];
      }
    }
  }
  for (const HeldMechanism::Hand& hand : running.mechanism->hands)
    for (const HeldGrab& grab : running.held.grabs)
      if (grab.id == hand.id) {
        // A hand that takes hold begins where its point is, and goes on from there.
        const auto solid =
            static_cast<Index>(std::find(own.solidNames.begin(), own.solidNames.end(), grab.solid) -
                               own.solidNames.begin());
        running.state.position[hand.solid] = placeOf(own, state, solid, grab.point);
        running.state.orientation[hand.solid] = state.orientation[solid];
      }
  return {};
}

std::vector<Want> goalsOf(const Scene& scene, const Mechanism& own, const Running& running) {
  std::vector<Problem> ignored;
  std::vector<Want> wants;
  const Mechanism& m = running.mechanism->mechanism;
  for (Want want : wantsOf(scene, own, running.state.time, ignored)) {
    const HeldMechanism::Member& member = running.mechanism->members[want.solid];
    if (member.solid == kWorld || m.solids[member.solid].kind != SolidKind::Dynamic) continue;
    want.point = transform(member.offset, want.point + own.solids[want.solid].com) -
                 m.solids[member.solid].com;
    want.solid = member.solid;
    wants.push_back(std::move(want));
  }
  return wants;
}

Begun begin(const RunningScene& of, const std::function<bool(int, double)>& progress,
            Running& running, PoseScratch& posing, StepScratch& stepping,
            std::vector<Problem>& problems) {
  Begun begun;
  if (running.begun) return begun;
  running.begun = true;
  RunningScene written = of;
  written.asWritten = true;  // what is open is closed below, with all the rest
  begun.goesOn = meet(written, running.state.time, running, posing, problems).goesOn;
  const Mechanism& m = running.mechanism->mechanism;
  const JointError error = jointError(m, running.control, running.state);
  const double kinetic = kineticEnergy(m, running.state);
  begun.error = error.max;
  begun.range = error.range;
  if (of.asWritten) return begun;
  if (error.max > kOpen || (error.range > kOpen && !has(of.settings.method, kTakesOpenJoints))) {
    PoseSettings settings;
    settings.progress = progress;
    begun.assembled = true;
    begun.assembly = assemble(m, running.control, goalsOf(of.scene, of.own, running), settings,
                              running.state, posing);
  }
  const std::string file = of.scene.files.empty() ? std::string() : of.scene.files[0].name;
  if (begun.assembled && !begun.assembly.closed)
    problems.push_back(warningOf(file,
                                 "the joints cannot be closed at the start: they stay open by " +
                                     shortNumber(begun.assembly.maxError) + " (metres or radians)",
                                 "`tenon assemble` says why, and so does Assemble in the studio"));
  else if (begun.assembled && error.max <= error.range)
    problems.push_back(warningOf(file,
                                 "the pose at the start is outside its limits by " +
                                     shortNumber(error.range) +
                                     " (metres or radians), so Tenon corrected it first",
                                 "widen the limits, or write another pose"));
  const std::vector<Vec3> before = running.state.velocity;
  impact(m, running.control, kinetic, running.state, posing);
  for (std::size_t i = 0; i < before.size(); ++i)
    begun.velocityChange =
        std::max(begun.velocityChange, norm(running.state.velocity[i] - before[i]));
  startDisplacements(m, running.control, of.settings, of.dt, running.state, stepping);
  return begun;
}

double nextInstant(const Running& running) {
  return running.mechanism->events.next(running.eventsDone, running.metUntil);
}

Instant meet(const RunningScene& of, double time, Running& running, PoseScratch& posing,
             std::vector<Problem>& problems) {
  Instant instant;
  running.state.time = running.metUntil = time;  // what the state had is off by rounding
  const auto kinetic = [&] { return kineticEnergy(running.mechanism->mechanism, running.state); };
  const auto potential = [&] {
    return potentialEnergy(running.mechanism->mechanism, running.control, running.state);
  };
  const double kineticBefore = kinetic(), potentialBefore = potential();
  const Control before = running.control;
  const SceneEvents::Asked asked =
      running.mechanism->events.apply(time, running.control, running.eventsDone);
  instant.goesOn = !asked.finish;
  std::vector<Index> coming =
      comeIntoForce(running.mechanism->mechanism, before, running.control, time);
  std::vector<std::string> names;
  for (const Index j : coming) names.push_back(running.mechanism->mechanism.jointNames[j]);
  if (asked.stop) loseMomentum(running.state);

  // Solids that become one share their momenta, as in a plastic impact.            [ForseyWilhelms1988 §4.3]
  bool joined = false;
  const Held held = running.held;
  for (const bool merging : {false, true}) {
    std::vector<std::string>& list = merging ? running.held.merged : running.held.frozen;
    for (const std::string& name : merging ? asked.merged : asked.frozen) {
      if (std::find(list.begin(), list.end(), name) != list.end()) continue;
      list.push_back(name);
      joined = true;
    }
  }
  if (joined) {
    const std::vector<Problem> wrong = follow(of.scene, of.own, ownState(of.own, running), running);
    if (!wrong.empty()) {
      running.held = held;
      joined = false;
      problems.push_back(warningOf(of.scene.files.empty() ? std::string() : of.scene.files[0].name,
                                   "the joints cannot be merged or frozen at " + shortNumber(time) +
                                       " s: " + wrong.front().what,
                                   wrong.front().remedy));
    }
    coming.clear();
    const std::vector<std::string>& all = running.mechanism->mechanism.jointNames;
    for (Index j = 0; j < all.size(); ++j)
      if (std::find(names.begin(), names.end(), all[j]) != names.end()) coming.push_back(j);
  }
  const Mechanism& m = running.mechanism->mechanism;
  // While nothing asked for its turns, a joint may have made many: it counts anew from what is meant.
  for (const Index j : coming) expectTurns(m, j, running.state);
  if (!coming.empty()) rememberTurns(m, running.state);
  if (!of.asWritten && !has(of.settings.method, kTakesOpenJoints) && (joined || !coming.empty())) {
    const Opening opening = openingOf(m, running.control, running.state, coming);
    PoseReport report;
    if (opening.error > of.settings.tolerance)
      report = putRight(m, running.control, running.state, posing);
    if (opening.error > kOpen) {
      instant.putRight = true;
      const std::string& name = m.jointNames[opening.joint];
      std::string what = "'" + name + "' becomes active at " + shortNumber(time) +
                         " s while it is open by " + shortNumber(opening.error) +
                         (opening.angular ? " rad" : " m");
      if (coming.size() > 1)
        what += " (and " + std::to_string(coming.size() - 1) + " more with it)";
      what += report.status == PoseStatus::Converged
                  ? ", so Tenon corrected the pose and the velocities at once"
                  : ", and Tenon could not correct the pose: an error of " +
                        shortNumber(report.maxError) + " is left (m or rad)";
      problems.push_back(problemAt(of.scene.files, placeOf(of.scene, name), Severity::Warning,
                                   std::move(what),
                                   "let it start when it is closed, or write `at T merge JOINT;`, "
                                   "which keeps the pose as it is"));
    }
    impact(m, running.control, kineticBefore, running.state, posing);
    running.state.rest.clear();
  } else if (asked.stop && !of.asWritten) {
    projectVelocities(m, running.control, running.state, posing);  // supports move on
  }
  instant.kineticGain = kinetic() - kineticBefore;
  instant.potentialGain = potential() - potentialBefore;
  return instant;
}

// ------------------------------------------------------------------------------------------- energy

// The one that keeps energy and finds its way by itself.
static std::string defaultMethod() {
  return "`" + std::string(nameOf(StepSettings{}.method)) + "`";
}

Problem jumpProblem(const std::string& file, double time, double joules) {
  return warningOf(file,
                   "the energy rose by " + shortNumber(joules) + " J in the step to " +
                       shortNumber(time) + " s, and no force explains it",
                   "choose a smaller dt, or the method " + defaultMethod());
}

Problem singularProblem(const std::string& file, double time) {
  return warningOf(file,
                   "the pose at " + shortNumber(time) +
                       " s is singular: the joints could fold in another way there, and rounding "
                       "decides how the motion continues",
                   "the method " + defaultMethod() + " stays on its branch");
}

void EnergyWatch::begin(const Mechanism& m, const Control& control, double tolerance,
                        const State& state) {
  tolerance_ = tolerance;
  before_ = state;
  kinetic_ = kineticEnergy(m, state);
  potential_ = potentialEnergy(m, control, state);
  mass_ = 0;
  double solid = 0;  // [m] size of the largest
  Vec3 low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  for (std::size_t s = 0; s < m.solids.size(); ++s) {
    if (m.solids[s].kind == SolidKind::Dynamic) {
      mass_ += m.solids[s].mass;
      const Mat3& I = m.solids[s].inertia;
      solid =
          std::max(solid, 2 * std::sqrt((I(0, 0) + I(1, 1) + I(2, 2)) * m.solids[s].inverseMass));
    }
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], state.position[s][i]);
      high[i] = std::max(high[i], state.position[s][i]);
    }
  }
  size_ = solid + (m.solids.empty() ? 0 : norm(high - low));
  scale_ = mass_ * norm(control.gravity) * size_;
  // Supports bring rotors to their speed, too.
  for (const MechanismRule& rule : m.rules)
    if (rule.kind == CoordinateRule::Kind::Armature) {
      const bool angular = m.joints[rule.joint].kind->coordinates[rule.coordinate].angular;
      mass_ += angular ? (size_ > 0 ? rule.inertia / (size_ * size_) : 0) : rule.inertia;
    }
}

// The most that loads can do in a step on what moves as it did: |f| (|v| dt + ½ |f| dt²/m), and so for torques and for the
// rows of joints that yield; and what moving supports can, which is to bring everything to their speed.
double EnergyWatch::canBeDone(const Mechanism& m, const Control& control, double dt,
                              const State& end) const {
  double work = std::max(0.0, potential_ - potentialEnergy(m, control, end));
  std::vector<Wrench> wrenches;
  gatherLoads(m, control, before_, wrenches);
  for (std::size_t s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const double f = norm(wrenches[s].force), t = norm(wrenches[s].torque);
    work += f * dt * (norm(before_.velocity[s]) + 0.5 * f * dt * solid.inverseMass);
    double turned = 0;  // the largest element of I⁻¹ is no less than a third of its norm
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        turned = std::max(turned, 3 * std::abs(solid.inverseInertia(i, k)));
    work += t * dt * (norm(before_.spin[s]) + 0.5 * t * dt * turned);
  }
  double speed = 0;  // of supports [m/s]
  Rows rows;
  for (const State* state : {&before_, &end}) {
    rows.clear();
    emitRows(m, control, *state, rows);
    for (const Row& row : rows.rows) {
      const double length = row.angular ? size_ : 1;
      speed = std::max(speed, std::abs(row.timeRate) * length);
      if (std::isinf(row.stiffness)) continue;
      const double force =
          std::min(row.stiffness * std::abs(row.error) + row.damping * std::abs(row.rate),
                   std::max(std::abs(row.lower), std::abs(row.upper)));
      double mobility = 0;
      for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
        const RowBlock& block = rows.blocks[b];
        const MechanismSolid& solid = m.solids[block.solid];
        for (int i = 0; i < 3; ++i) {
          mobility += block.J[i] * block.J[i] * solid.inverseMass;
          for (int k = 0; k < 3; ++k)
            mobility += block.J[3 + i] * block.J[3 + i] * std::abs(solid.inverseInertia(k, k));
        }
      }
      work += force * dt * (std::abs(row.rate) + 0.5 * force * dt * mobility);
    }
  }
  return work + 0.5 * mass_ * speed * speed;
}

double EnergyWatch::unexplained(const Mechanism& m, const Control& control,
                                const StepReport& report, double dt, const State& state) {
  constexpr double kAllowed = 1e-6, kTimes = 10, kRounding = 1e-12;
  const double kinetic = kineticEnergy(m, state), potential = potentialEnergy(m, control, state);
  // Joints are closed to their tolerance: velocities are known to u = tolerance/dt, T to m u (|v| + u/2).
  const double u = tolerance_ / dt, largest = std::max(kinetic, kinetic_);
  const double known = u * (std::sqrt(2 * mass_ * largest) + 0.5 * mass_ * u);
  double jump = 0;
  if (report.ledger) {
    const double gain = kinetic + potential - kinetic_ - potential_ - (report.work - report.forced);
    if (!(gain <= kAllowed * std::max(largest, scale_) + known +
                      kRounding * (std::abs(potential) + std::abs(report.work))))
      jump = gain;
  }
  // With a ledger, too: it may take what closed a joint for work that is explained (StepReport::forced).
  if (jump == 0 && !(kinetic <= kTimes * kinetic_)) {
    const double explained = kinetic_ + known + canBeDone(m, control, dt, state);
    if (!(kinetic <= kTimes * explained)) jump = kinetic - explained;
  }
  before_ = state;
  kinetic_ = kinetic;
  potential_ = potential;
  return jump;
}

// -------------------------------------------------------------------------------------------- steps

Begun Runner::begin(const std::function<bool(int, double)>& progress) {
  const Begun begun = tenon::begin(of_, progress, running_, posing_, stepping_, problems_);
  look();
  return begun;
}

void Runner::look() {
  watch_.begin(running_.mechanism->mechanism, running_.control, of_.settings.tolerance,
               running_.state);
}

StepReport Runner::step(double dt) {
  const Mechanism& m = running_.mechanism->mechanism;
  const StepReport report =
      tenon::step(m, running_.control, of_.settings, dt, running_.state, stepping_);
  unexplained_ = report.finite && !report.stopped
                     ? watch_.unexplained(m, running_.control, report, dt, running_.state)
                     : 0;
  return report;
}

Instant Runner::meet(double time) {
  const Instant instant = tenon::meet(of_, time, running_, posing_, problems_);
  look();
  return instant;
}

Instant Runner::meetWhatIsDue(double within) {
  Instant all;
  while (all.goesOn && nextInstant(running_) <= running_.state.time + within) {
    const Instant one = meet(nextInstant(running_));
    all.goesOn = one.goesOn;
    all.putRight = all.putRight || one.putRight;
    all.kineticGain += one.kineticGain;
    all.potentialGain += one.potentialGain;
  }
  return all;
}

}  // namespace tenon
