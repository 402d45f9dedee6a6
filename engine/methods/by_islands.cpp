#include "methods/by_islands.h"

#include <tenon/joint.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "joints/lift.h"
#include "methods/method_flags.h"
#include "methods/verbs.h"
#include "packed/plain.h"

namespace tenon {

namespace {

constexpr double kLoosest = 1e-7;  // [m], [rad] of the equations of motion, at the end of a step
constexpr std::size_t kMostPlans = 16;  // kept at a time

// The largest velocity or spin in an island.
double speedOf(std::span<const Index> solids, const State& state) {
  double most = 0;
  for (const Index s : solids)
    most = std::max({most, norm(state.velocity[s]), norm(state.spin[s])});
  return most;
}

void makeRoom(const State& state, State& kept) {
  kept.position.resize(state.position.size());
  kept.orientation.resize(state.orientation.size());
  kept.velocity.resize(state.velocity.size());
  kept.spin.resize(state.spin.size());
  kept.multiplier.resize(state.multiplier.size());
  kept.memory.resize(state.memory.size());
}

packed::FastSettings fastSettings(const StepSettings& settings) {
  packed::FastSettings fast;
  fast.over = has(settings.method, kOverStep);
  // What momenta are off by is energy won or lost, always the same way. At the end it is damped anyway.
  fast.tolerance =
      fast.over ? 1e-3 * settings.tolerance : std::min(1e3 * settings.tolerance, kLoosest);
  fast.closed = settings.tolerance;
  if (settings.iterations > 0) {
    fast.most = settings.iterations;
    fast.patient = false;
  }
  fast.lanes = settings.islands.lanes;
  fast.threads = settings.islands.threads;
  return fast;
}

bool anyMerged(const Control& control) {
  return std::any_of(control.merged.begin(), control.merged.end(),
                     [](std::uint8_t merged) { return merged != 0; });
}

// What a joint has in a state: multipliers and memory.
void copyJoint(const MechanismJoint& joint, const State& from, State& to) {
  std::copy_n(from.multiplier.data() + joint.firstSlot, slotCount(joint),
              to.multiplier.data() + joint.firstSlot);
  std::copy_n(from.memory.data() + joint.firstMemory, memoryCount(*joint.kind),
              to.memory.data() + joint.firstMemory);
}

// ½ k (L - rest)², while it acts [J].
double springEnergy(const Mechanism& m, const MechanismSpring& spring, const State& state,
                    double time) {
  if (!isActive(m, spring.active, time)) return 0;
  const auto at = [&](Index solid, const Vec3& point) {
    return solid == kWorld ? point
                           : state.position[solid] + rotate(state.orientation[solid], point);
  };
  const double off =
      norm(at(spring.solid2, spring.point2) - at(spring.solid1, spring.point1)) - spring.rest;
  return 0.5 * spring.stiffness * off * off;
}

}  // namespace

void ByIslands::findKey(const Mechanism& m, const Control& control, const StepSettings& settings,
                        double dt, const State& state) {
  if (stamp_ == 0 || stamp_ != m.stamp) {
    stamp_ = m.stamp;
    plans_.clear();
    acting_.look(m);
  }
  acting_.find(m, control, state, state.time, state.time + dt, key_);
  // Beside what acts, what decides about the ways.
  const bool rows = !settings.islands.fast || anyMerged(control);
  key_.push_back(static_cast<std::uint8_t>(rows ? 1 : 0));
  key_.push_back(static_cast<std::uint8_t>(control.damp > 0 ? 1 : 0));
}

StepReport ByIslands::step(const Mechanism& m, const Control& control, const StepSettings& settings,
                           double dt, State& state, StageClock& clock) {
  const Call call{m, control, settings, state.time, dt, state, clock};
  StepReport report;
  Plan* plan = nullptr;
  bool good = unlessMemoryRunsOut([&] {
    findKey(m, control, settings, dt, state);
    plan = &planFor(m, control.damp);
    startSteps(call, *plan);
    plan->fast.begin(m, settings.islands.lanes, call.time + call.dt);
    return true;
  });
  if (!good) return outOfMemory();  // nothing has moved yet
  clock.lap(Stage::Other);
  runKernels(call, *plan, report);
  bool memory = true;
  good = plan->fast.kept().othersAreFinite(state) &&
         (memory = unlessMemoryRunsOut([&] {
            good = runRows(call, *plan) && catchRopes(call, plan, report);
            return true;
          })) &&
         good;
  addUp(report);
  if (!good) {
    for (Index i = 0; i < plan->islands.count(); ++i) plan->fast.kept().copy(i, kept_, state);
    plan->fast.kept().copyOthers(kept_, state);
    keepSlack(m, kept_, state);
    state.time = call.time;
    StepReport failed = memory ? StepReport{} : outOfMemory();
    failed.finite = false;
    failed.stopped = report.stopped;
    if (memory) failed.note = report.note;  // of a part that memory was not enough for, too
    return failed;
  }
  report.work += finishOutside(call, *plan);
  report.work += putToSleep(call, *plan);
  clock.lap(Stage::Other);
  return report;
}

std::vector<IslandWay> ByIslands::ways(const Mechanism& m, const Control& control,
                                       const StepSettings& settings, double dt,
                                       const State& state) {
  findKey(m, control, settings, dt, state);
  const Plan& plan = planFor(m, control.damp);
  std::vector<IslandWay> ways;
  for (Index i = 0; i < plan.islands.count(); ++i) {
    IslandWay& way = ways.emplace_back();
    const auto solids = plan.islands.solidsOf(i), joints = plan.islands.jointsOf(i);
    way.solids.assign(solids.begin(), solids.end());
    way.joints.assign(joints.begin(), joints.end());
    switch (plan.fast.wayOf(i)) {
      case packed::Way::Tree:
        way.way = "tree kernel";
        continue;
      case packed::Way::Loop:
        way.way = "loop kernel";
        continue;
      case packed::Way::Rows:
        way.way = "rows";
        break;
    }
    if (!settings.islands.fast) way.why.emplace_back("settings that ask for the general way");
    if (anyMerged(control)) way.why.emplace_back("merged joints");
    for (std::string& what : packed::whatIsUnknown(m, plan.islands, i, control.damp))
      way.why.push_back(std::move(what));
    if (way.why.empty()) way.why.emplace_back("loops that the loop kernel cannot order");
  }
  return ways;
}

// Only gravity and joints with limits act on what may sleep: anything else could wake it.
std::uint64_t ByIslands::sleeperOf(const Mechanism& m, const Plan& plan, Index island) {
  const Islands& islands = plan.islands;
  const auto joints = islands.jointsOf(island);
  if (plan.fast.wayOf(island) == packed::Way::Rows || !islands.springsOf(island).empty() ||
      !islands.forcesOf(island).empty() || !islands.musclesOf(island).empty() ||
      std::any_of(joints.begin(), joints.end(), [&](Index j) {
        const MechanismJoint& joint = m.joints[j];
        const MechanismRule* rule = m.rules.data() + joint.rules.first;
        return joint.compliance > 0 || packed::isLed(m, joint) ||
               !std::all_of(rule, rule + joint.rules.count, isHardLimit);
      }))
    return 0;
  std::uint64_t made = 1;
  const auto mix = [&made](std::uint64_t word) {
    made = (made ^ word) * 0x9e3779b97f4a7c15u;
    made ^= made >> 32;
  };
  for (const Index s : islands.solidsOf(island)) mix(s);
  for (const Index j : joints) mix(std::uint64_t{j} << 32);
  return made == 0 ? 1 : made;
}

ByIslands::Plan& ByIslands::planFor(const Mechanism& m, double damp) {
  const auto known = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const auto& plan) { return plan->key == key_; });
  if (known != plans_.end()) {
    std::rotate(plans_.begin(), known, known + 1);
    return *plans_.front();
  }
  auto made = std::make_unique<Plan>();
  Plan& plan = *made;
  plan.key = key_;
  plan.islands = findIslands(m, key_);
  plan.fast.plan(m, plan.islands, damp, key_[key_.size() - 2] != 0);
  for (Index i = 0; i < plan.islands.count(); ++i)
    if (plan.fast.wayOf(i) == packed::Way::Rows) plan.byRows.push_back(i);
  plan.parts.resize(plan.islands.count());
  std::vector<bool> inside(m.joints.size(), false);
  for (const Index j : plan.islands.joints) inside[j] = true;
  for (Index j = 0; j < m.joints.size(); ++j)
    if (!inside[j]) plan.outside.push_back(j);
  std::vector<bool> springInside(m.springs.size(), false);
  for (const Index k : plan.islands.springs) springInside[k] = true;
  for (Index k = 0; k < m.springs.size(); ++k)
    if (!springInside[k]) plan.springsOutside.push_back(k);
  for (Index i = 0; i < plan.islands.count(); ++i) plan.sleeper.push_back(sleeperOf(m, plan, i));
  if (plans_.size() == kMostPlans) plans_.pop_back();
  plans_.insert(plans_.begin(), std::move(made));
  return plan;
}

// Who sleeps, and room for the state as it is. What goes by rows never sleeps.
void ByIslands::startSteps(const Call& call, const Plan& plan) {
  State& state = call.state;
  makeRoom(state, kept_);
  plan.fast.kept().copyOthers(state, kept_);
  keepSlack(call.m, state, kept_);
  const Index count = plan.islands.count();
  work_.assign(count, 0);
  todo_.reserve(count);
  todo_ = plan.byRows;
  done_.clear();
  done_.reserve(count);
  asleep_.assign(count, 0);
  failed_.assign(count, 0);
  if (!(call.settings.islands.sleepBelow > 0)) {
    state.rest.clear();
  } else {
    if (state.rest.size() != state.position.size() || state.restGravity != call.control.gravity)
      state.rest.assign(state.position.size(), 0);
    state.restIn.resize(state.position.size(), 0);
    state.restGravity = call.control.gravity;
    for (Index i = 0; i < count; ++i) {
      const auto solids = plan.islands.solidsOf(i);
      if (plan.sleeper[i] != 0 &&
          std::all_of(solids.begin(), solids.end(),
                      [&](Index s) {
                        return state.rest[s] == kInfinity && state.restIn[s] == plan.sleeper[i];
                      }) &&
          speedOf(solids, state) == 0)
        asleep_[i] = 1;
    }
  }
  passed_ = asleep_;
  for (Index i = 0; i < count; ++i)
    if (asleep_[i] != 0 || plan.fast.wayOf(i) == packed::Way::Rows)
      plan.fast.kept().copy(i, state, kept_);  // the kernels keep what they step
}

void ByIslands::runKernels(const Call& call, Plan& plan, StepReport& report) {
  packed::FastStep fast;
  fast.settings = fastSettings(call.settings);
  fast.dt = call.dt;
  fast.control = &call.control;
  fast.time = call.time;
  fast.heldAt = call.time + (fast.settings.over ? 0.5 : 1) * call.dt;
  fast.state = &call.state;
  fast.kept = &kept_;
  fast.passed = &passed_;
  fast.failed = &failed_;
  fast.work = &work_;
  fast.pool = &pool_;
  pool_.run(call.settings.islands.threads, plan.fast.tasks(),
            [&](std::size_t task) { plan.fast.step(call.m, plan.islands, task, fast); });
  plan.fast.finishLed(call.m, fast);
  packed::FastReport done;
  plan.fast.report(done);
  report.iterations = std::max(report.iterations, done.iterations);
  report.halvings += done.halvings;
  report.sleeping = static_cast<Index>(std::count(asleep_.begin(), asleep_.end(), 1));
  // Over a step all work on what is awake is known. Forces of the end also work by O(dt²), which is not counted.
  report.ledger = fast.settings.over || plan.fast.tasks() == 0;
  const std::size_t before = todo_.size();
  for (Index i = 0; i < plan.islands.count(); ++i)
    if (failed_[i] != 0) todo_.push_back(i);
  report.handedOver += static_cast<Index>(todo_.size() - before);
  for (Index i = 0; i < plan.islands.count(); ++i) {
    if (failed_[i] != 0 || work_[i] == 0) continue;
    Done& done = done_.emplace_back();
    done.firstSolid = plan.islands.solidsOf(i).front();
    done.report.work = work_[i];
    done.report.ledger = true;
  }
  report.fast = todo_.empty() && plan.islands.count() > 0;
  if (plan.fast.tasks() > 0) call.clock.lap(Stage::Packed);
}

// The islands of todo_. False if one of them could not be stepped.
bool ByIslands::runRows(const Call& call, Plan& plan) {
  const std::size_t before = done_.size();
  done_.resize(before + todo_.size());
  pool_.run(call.settings.islands.threads, todo_.size(), [&](std::size_t k) {
    Done& done = done_[before + k];
    Part& part = plan.parts[todo_[k]];
    done.firstSolid = plan.islands.solidsOf(todo_[k]).front();
    if (!unlessMemoryRunsOut([&] {
          if (!part.isCut()) part.cut(call.m, plan.islands, todo_[k]);
          done.report =
              part.step(call.m, call.control, call.settings, call.time, call.dt, call.state);
          return true;
        }))
      done.report = outOfMemory();
  });
  call.clock.skip();  // each has clocked its own
  return std::all_of(done_.begin() + static_cast<std::ptrdiff_t>(before), done_.end(),
                     [](const Done& done) { return done.report.finite && !done.report.stopped; });
}

// Joints that were taken to be slack, and are not at the end of the step: what they tie is put back and stepped again,
// as one island with them, by a kernel that knows it or by rows. False if that could not be done.
bool ByIslands::catchRopes(const Call& call, Plan*& plan, StepReport& report) {
  const Mechanism& m = call.m;
  State& state = call.state;
  const double heldAt = call.time + (has(call.settings.method, kOverStep) ? 0.5 : 1) * call.dt;
  waiting_ = acting_.slack();
  while (!waiting_.empty()) {
    for (const Index j : waiting_) copyJoint(m.joints[j], kept_, state);
    // Solids that are led are looked at where they end, and started from again.
    state.time = call.time + call.dt;
    followPaths(m, state);
    state.time = call.time;
    taut_.clear();
    std::erase_if(waiting_, [&](Index j) {
      if (rememberWithinLimits(m, m.joints[j], heldAt, call.settings.tolerance, state))
        return false;
      taut_.push_back(j);
      return true;
    });
    plan->fast.kept().copyOthers(kept_, state);
    if (taut_.empty()) break;
    for (const Index j : taut_) key_[j] = 1;
    plan = &planFor(m, call.control.damp);
    plan->fast.begin(m, call.settings.islands.lanes, call.time + call.dt);
    const Index count = plan->islands.count();
    passed_.assign(count, 1);
    failed_.assign(count, 0);
    work_.assign(count, 0);
    done_.reserve(done_.size() + count);
    todo_.clear();
    for (Index i = 0; i < count; ++i) {
      const auto joints = plan->islands.jointsOf(i), solids = plan->islands.solidsOf(i);
      if (std::none_of(taut_.begin(), taut_.end(), [&](Index j) {
            return std::binary_search(joints.begin(), joints.end(), j);
          }))
        continue;
      if (plan->fast.wayOf(i) == packed::Way::Rows)
        todo_.push_back(i);
      else
        passed_[i] = 0;
      plan->fast.kept().copy(i, kept_, state);
      std::erase_if(done_, [&](const Done& done) {
        return std::binary_search(solids.begin(), solids.end(), done.firstSolid);
      });
    }
    const bool fast = report.fast, ledger = report.ledger;
    report.handedOver += static_cast<Index>(todo_.size());
    runKernels(call, *plan, report);
    report.fast = report.fast && fast;
    report.ledger = report.ledger && ledger;
    if (!runRows(call, *plan)) return false;
  }
  return true;
}

// The reports of what went by rows, in the order of the islands.
void ByIslands::addUp(StepReport& report) {
  std::sort(done_.begin(), done_.end(),
            [](const Done& a, const Done& b) { return a.firstSolid < b.firstSolid; });
  for (const Done& done : done_) {
    const StepReport& own = done.report;
    report.iterations = std::max(report.iterations, own.iterations);
    report.linearIterations += own.linearIterations;
    report.halvings += own.halvings;
    report.converged = report.converged && own.converged;
    report.ledger = report.ledger && own.ledger;
    report.work += own.work;
    report.forced += own.forced;
    report.stopped = report.stopped || own.stopped;
    report.times.add(own.times);
    if (report.note.empty()) report.note = own.note;
  }
}

// Joints that are taken to be slack are in no island of the first plan.
void ByIslands::keepSlack(const Mechanism& m, const State& from, State& to) const {
  for (const Index j : acting_.slack()) copyJoint(m.joints[j], from, to);
}

// What belongs to no island: solids that are led, joints that hold nothing now, springs between what no force moves.
// Returns the work that it takes to stretch these [J].
double ByIslands::finishOutside(const Call& call, const Plan& plan) const {
  const Mechanism& m = call.m;
  State& state = call.state;
  state.time = call.time + call.dt;
  followPaths(m, state);
  for (const Index j : plan.outside) {
    const MechanismJoint& joint = m.joints[j];
    std::fill_n(state.multiplier.data() + joint.firstSlot, slotCount(joint), 0.0);
    if (joint.remembers && memoryCount(*joint.kind) > 0) rememberTurns(m, joint, state);
  }
  double work = 0;
  for (const Index k : plan.springsOutside)
    work += springEnergy(m, m.springs[k], state, state.time) -
            springEnergy(m, m.springs[k], kept_, call.time);
  return work;
}

// What has been at rest for long enough falls asleep. Returns the work that it takes [J].
double ByIslands::putToSleep(const Call& call, const Plan& plan) const {
  double work = 0;
  State& state = call.state;
  if (!(call.settings.islands.sleepBelow > 0)) return work;
  for (Index i = 0; i < plan.islands.count(); ++i) {
    const auto solids = plan.islands.solidsOf(i);
    // An island has rested as long as the solid of it that has rested least.
    double rest = kInfinity;
    for (const Index s : solids) rest = std::min(rest, state.rest[s]);
    const double speed = speedOf(solids, state);
    const bool same = std::all_of(solids.begin(), solids.end(),
                                  [&](Index s) { return state.restIn[s] == plan.sleeper[i]; });
    if (rest == kInfinity && speed == 0 && same && plan.sleeper[i] != 0) continue;
    if (rest == kInfinity || !same) rest = 0;  // something has pushed it, or it is another island
    rest = speed < call.settings.islands.sleepBelow ? rest + call.dt : 0;
    if (rest >= call.settings.islands.sleepAfter && plan.sleeper[i] != 0) {
      rest = kInfinity;
      for (const Index s : solids) {
        const MechanismSolid& solid = call.m.solids[s];
        const Vec3 spin = rotate(conjugate(state.orientation[s]), state.spin[s]);
        work -= 0.5 * (solid.mass * dot(state.velocity[s], state.velocity[s]) +
                       dot(spin, solid.inertia * spin));
        state.velocity[s] = state.spin[s] = Vec3{};
      }
    }
    for (const Index s : solids) {
      state.rest[s] = rest;
      state.restIn[s] = plan.sleeper[i];
    }
  }
  return work;
}

}  // namespace tenon
