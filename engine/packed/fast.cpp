#include "packed/fast.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "packed/pieces.h"
#include "packed/plain.h"

namespace tenon::packed {

namespace {

// The whole step, or in pieces. False if even the shortest piece is too much.
bool stepLoop(const LoopFigure& figure, LoopStep kernel, KernelSettings settings,
              const StatePointers& state, FastReport& report) {
  for (Pieces pieces(settings.dt[0]); !pieces.done();) {
    settings.dt[0] = pieces.next();
    const LoopOutcome outcome = kernel(figure, settings, state);
    report.iterations += outcome.iterations;
    if (outcome.done) {
      pieces.finishNext();
      continue;
    }
    const int more = outcome.open ? 0 : pieces.split(outcome.tooFar);
    if (more == 0) return false;
    report.halvings += more;
  }
  return true;
}

// The largest velocity or spin in a figure.
double speedOf(const Mechanism& m, const Mechanism::Island& island, const State& state) {
  double most = 0;
  for (Index k = island.solids.first; k < island.solids.first + island.solids.count; ++k) {
    const Index s = m.islandSolids[k];
    most = std::max({most, norm(state.velocity[s]), norm(state.spin[s])});
  }
  return most;
}

}  // namespace

// Of rows that hold a point, where it is together:  v_2 + ω_2 × r_2 = v_1 + ω_1 × r_1;  of locked turns:
// (w × u) · (ω_2 - ω_1) = 0.
bool velocitiesAreAllowed(const Mechanism& m, const State& state, double tolerance) {
  for (const MechanismJoint& joint : m.joints) {
    const auto turnOf = [&](Index s) { return s == kWorld ? Quat{} : state.orientation[s]; };
    const auto spinOf = [&](Index s) { return s == kWorld ? Vec3{} : state.spin[s]; };
    const auto speedAt = [&](Index s, const Vec3& point) {
      return s == kWorld ? Vec3{}
                         : state.velocity[s] + cross(state.spin[s], rotate(turnOf(s), point));
    };
    const auto placeOf = [&](Index s, const Vec3& point) {
      return s == kWorld ? point : state.position[s] + rotate(turnOf(s), point);
    };
    const Vec3 apart =
        speedAt(joint.solid2, joint.frame2.p) - speedAt(joint.solid1, joint.frame1.p);
    const Vec3 gap = placeOf(joint.solid2, joint.frame2.p) - placeOf(joint.solid1, joint.frame1.p);
    double most = std::max(norm(apart), norm(gap));
    const LockedAxes locked = lockedAxes(joint);
    const Vec3 spin = spinOf(joint.solid2) - spinOf(joint.solid1);
    for (int k = 0; k < locked.count; ++k) {
      const AxisPair pair = axisPair(joint, locked, k);
      const Vec3 n =
          cross(rotate(turnOf(joint.solid2), pair.w), rotate(turnOf(joint.solid1), pair.u));
      most = std::max(most, std::abs(dot(n, spin)));
    }
    if (!(most <= tolerance)) return false;
  }
  return true;
}

bool Fast::suits(const Mechanism& m, const Control& control) {
  if (stamp_ == 0 || stamp_ != m.stamp) {
    stamp_ = m.stamp;
    suits_ = plan(m);
  }
  return suits_ && control.damp == 0 && isUntouched(control);
}

bool Fast::plan(const Mechanism& m) {
  trees_.clear();
  loops_.clear();
  if (stamp_ == 0 || m.solids.empty() || !m.forces.empty() || !m.muscles.empty() ||
      !m.springs.empty() || !m.drags.empty() || !m.paths.empty() || !isPlain(m))
    return false;
  for (Index i = 0; i < m.islands.size(); ++i) {
    if (trees_.add(m, i)) continue;
    const Mechanism::Island& island = m.islands[i];
    const std::span all(m.islandSolids), joints(m.islandJoints);
    // Of a cardan joint in a loop the kernel's matrix leaves too much out.
    for (const Index j : joints.subspan(island.joints.first, island.joints.count))
      if (lockedAxes(m.joints[j]).count == 1) return false;
    if (!loops_.emplace_back().loop.plan(m, all.subspan(island.solids.first, island.solids.count),
                                         joints.subspan(island.joints.first, island.joints.count)))
      return false;
    loops_.back().island = i;
  }
  trees_.sort();
  kept_.plan(m);
  return true;
}

// Of the figures of a task.
template <class Islands>
void Fast::forAwake(std::size_t task, const Islands& f) {
  const std::size_t chunks = trees_.chunks();
  if (task < chunks)
    return trees_.forIslands(task, [&](Index i) {
      if (!asleep_[i]) f(i);
    });
  const Index island = loops_[task - chunks].island;
  if (!asleep_[island]) f(island);
}

bool Fast::step(const Mechanism& m, const Control& control, const FastSettings& settings, double dt,
                State& state, FastReport& report) {
  trees_.group(m, settings.lanes);
  before_.time = state.time;
  before_.rest = state.rest;  // into the room that is there
  before_.gravity = state.restGravity;
  findSleeping(m, control, settings, state);
  KernelSettings kernel;
  std::fill_n(kernel.dt, kLanes, dt);
  kernel.gravity = control.gravity;
  kernel.tolerance = settings.tolerance;
  kernel.closed = settings.closed;
  kernel.most = settings.most;
  const StatePointers pointers{state.position.data(), state.orientation.data(),
                               state.velocity.data(), state.spin.data(), state.multiplier.data()};
  const std::size_t chunks = trees_.chunks();
  const LoopStep loopKernel = loopStep(settings.over, settings.lanes);
  // Large figures are also eliminated by several threads.
  struct Threads {
    Pool& pool;
    int count;
  } threads{pool_, settings.threads};
  Crew crew;
  if (settings.threads != 1) {
    crew.self = &threads;
    crew.run = [](void* self, std::size_t count, Crew::Task task, const void* context) {
      const Threads& by = *static_cast<Threads*>(self);
      by.pool.run(by.count, count, task, context);
    };
  }
  kept_.begin(state);
  failed_.assign(m.islands.size(), 0);
  const double heldAt =
      state.time + (settings.over ? 0.5 : 1) * dt;  // when rows are asked whether they act
  pool_.run(settings.threads, chunks + loops_.size(), [&](std::size_t task) {
    forAwake(task, [&](Index island) { kept_.keep(island, state); });
    if (task < chunks) {
      trees_.step(task, settings.over, kernel, pointers, asleep_, failed_);
    } else {
      LoopFigureOf& figure = loops_[task - chunks];
      figure.report = {};
      LoopFigure view = figure.loop.figure();
      view.crew = crew;
      if (!asleep_[figure.island] && !stepLoop(view, loopKernel, kernel, pointers, figure.report))
        failed_[figure.island] = 1;
    }
    forAwake(task, [&](Index island) {
      if (failed_[island] == 0 && kept_.isFinite(island, state) &&
          kept_.rememberTurns(m, island, heldAt, settings.closed, state))
        return;
      failed_[island] = 1;
      kept_.putBack(island, state);
    });
  });
  left_.clear();
  for (Index i = 0; i < m.islands.size(); ++i)
    if (failed_[i] != 0) left_.push_back(i);
  if (left_.size() == m.islands.size() || !kept_.othersAreFinite(state)) {
    putBack(state);
    return false;
  }
  report = {};
  trees_.report(report);
  for (const LoopFigureOf& figure : loops_) {
    report.iterations = std::max(report.iterations, figure.report.iterations);
    report.halvings += figure.report.halvings;
  }
  report.sleeping = static_cast<Index>(std::count(asleep_.begin(), asleep_.end(), true));
  state.time += dt;
  return true;
}

void Fast::putBack(State& state) const {
  for (Index i = 0; i < failed_.size(); ++i)
    if (!asleep_[i]) kept_.putBack(i, state);
  state.time = before_.time;
  state.rest = before_.rest;
  state.restGravity = before_.gravity;
}

// Those that slept, unless something pushed them, or gravity is another.
void Fast::findSleeping(const Mechanism& m, const Control& control, const FastSettings& settings,
                        State& state) {
  asleep_.assign(m.islands.size(), false);
  if (!(settings.sleepBelow > 0)) return state.rest.clear();
  if (state.rest.size() != m.islands.size() || state.restGravity != control.gravity)
    state.rest.assign(m.islands.size(), 0);
  state.restGravity = control.gravity;
  for (std::size_t i = 0; i < m.islands.size(); ++i)
    asleep_[i] = state.rest[i] == kInfinity && speedOf(m, m.islands[i], state) == 0;
}

// Returns the work that it takes [J].
double Fast::putToSleep(const Mechanism& m, const FastSettings& settings, double dt,
                        State& state) const {
  double work = 0;
  if (!(settings.sleepBelow > 0)) return work;
  for (std::size_t i = 0; i < m.islands.size(); ++i) {
    if (asleep_[i]) continue;
    const Mechanism::Island& island = m.islands[i];
    double& rest = state.rest[i];
    rest =
        speedOf(m, island, state) < settings.sleepBelow ? (rest == kInfinity ? dt : rest + dt) : 0;
    if (rest < settings.sleepAfter) continue;
    rest = kInfinity;
    for (Index k = island.solids.first; k < island.solids.first + island.solids.count; ++k) {
      const Index s = m.islandSolids[k];
      const Vec3 spin = rotate(conjugate(state.orientation[s]), state.spin[s]);
      work -= 0.5 * (m.solids[s].mass * dot(state.velocity[s], state.velocity[s]) +
                     dot(spin, m.solids[s].inertia * spin));
      state.velocity[s] = state.spin[s] = Vec3{};
    }
  }
  return work;
}

}  // namespace tenon::packed
