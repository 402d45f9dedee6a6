// What assemble, track and projectVelocities do, around the methods; scatter, shake, names.
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/random.h"
#include "math/rotation.h"
#include "model/names.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

bool isFinite(const State& state) {
  for (std::size_t s = 0; s < state.position.size(); ++s)
    if (!tenon::isFinite(state.position[s]) || !tenon::isFinite(state.orientation[s])) return false;
  return std::isfinite(state.time);
}

void fill(const NeedErrors& errors, PoseReport& report) {
  report.maxError = errors.max;
  report.maxMetres = errors.metres;
  report.maxRadians = errors.radians;
  report.rmsError = errors.rms;
  report.wantError = errors.want;
}

// The stiffness of a rule that yields by itself; infinite: it does not.
double stiffnessOf(const MechanismRule& rule) {
  if (rule.kind == CoordinateRule::Kind::Prefer) return rule.stiffness;
  return rule.compliance > 0 ? 1 / rule.compliance : kInfinity;
}

// What was named to yield, and what else gave way, at the rows that are gathered.
void fillYielded(const Mechanism& mechanism, const PoseSettings& settings,
                 const PoseScratch::Buffers& buffers, PoseReport& report) {
  std::vector<Yielded>& list = report.yielded;
  list.clear();
  std::size_t first = 0;  // of the joint
  for (const Row& row : buffers.rows.rows) {
    if (row.asker.kind != Asker::Kind::Joint || std::isinf(row.stiffness)) continue;
    const Index joint = row.asker.number;
    Index rule = row.rule;
    if (rule != kWorld && std::isinf(stiffnessOf(mechanism.rules[rule])))
      rule = kWorld;  // a joint that was named answers for its limits, too
    if (list.empty() || list.back().joint != joint) first = list.size();
    std::size_t i = first;
    while (i < list.size() && list[i].rule != rule) ++i;
    if (i == list.size()) {
      Yielded& entry = list.emplace_back();
      entry.joint = joint;
      entry.rule = rule;
      entry.weight = rule != kWorld ? stiffnessOf(mechanism.rules[rule])
                     : mechanism.joints[joint].compliance > 0
                         ? 1 / mechanism.joints[joint].compliance
                         : buffers.yields[joint];
    }
    const double size = row.equality ? row.error : std::min(row.error, 0.0);
    (row.angular ? list[i].radians : list[i].metres) += size * size;
  }
  for (Yielded& entry : list) {
    entry.metres = std::sqrt(entry.metres);
    entry.radians = std::sqrt(entry.radians);
  }
  std::erase_if(list, [&](const Yielded& entry) {
    const bool named =
        entry.rule == kWorld && !buffers.yields.empty() && buffers.yields[entry.joint] > 0;
    return !named && std::max(entry.metres, entry.radians) <= settings.tolerance;
  });
}

}  // namespace

void posed(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
           const PoseSettings& settings, bool tracking, State& state, PoseScratch& scratch,
           PoseReport& report) {
  report.startError = report.maxError = kInfinity;  // nothing is known yet
  PoseBudget budget(settings);
  PoseScratch::Buffers& buffers = scratch.buffers();
  buffers.bounds.clear(mechanism.slots);
  buffers.lenient = 0;
  setYielding(mechanism, settings, buffers);
  if (!isFinite(state)) {
    report.status = PoseStatus::Stalled;
    report.reason = "a position or orientation of the start is not a number";
    return;
  }
  for (const Want& want : wants)
    if (!tenon::isFinite(want.point) || !tenon::isFinite(want.target) ||
        !tenon::isFinite(want.orientation) || !tenon::isFinite(want.axis) || !(want.weight >= 0) ||
        !std::isfinite(want.weight)) {
      report.status = PoseStatus::Stalled;
      report.startError = report.maxError = gatherNeeds(mechanism, control, {}, state, buffers).max;
      report.reason = "a goal or pin is not a number";
      return;
    }
  State& work = buffers.work;
  work = state;
  buffers.fast.useWide(settings.lanes);
  bool fast = settings.method == AssemblyMethod::Newton && isDirect(settings.linear.solver) &&
              settings.yield.empty() && suitsFast(mechanism, control, wants, kWantGive, buffers);
  NeedErrors given;
  if (fast) {
    const FastErrors errors = gatherFast(mechanism, wants, state, kWantGive, buffers);
    fast = errors.near;
    given = errors;
  }
  if (!fast) given = gatherNeeds(mechanism, control, wants, state, buffers);
  report.startError = given.max;
  budget.begin(given.max, report);
  fill(given, report);
  const auto closed = [&](const NeedErrors& e) {
    return e.finite && e.in(settings.norm) <= settings.tolerance;
  };
  report.closed = closed(given);
  if (given.yields) fillYielded(mechanism, settings, buffers, report);
  const bool settles = given.yields && settings.compromise;
  if (report.closed && wants.empty() && !settles) {  // as it is, to the last bit
    report.milliseconds = budget.microseconds() / 1000;
    return;
  }
  NeedErrors end = given;
  switch (settings.method) {
    case AssemblyMethod::Newton:
      assembleByNewton(mechanism, control, wants, settings, !tracking, fast, work, buffers, budget,
                       report, end);
      break;
    case AssemblyMethod::Displacement:
      assembleByDisplacement(mechanism, control, wants, settings, work, buffers, budget, report);
      break;
    case AssemblyMethod::Relaxation:
      assembleByRelaxation(mechanism, control, wants, settings, work, buffers, budget, report);
      break;
  }
  if (settings.method != AssemblyMethod::Newton) {
    buffers.bounds.forget();
    end = gatherNeeds(mechanism, control, wants, work, buffers);
  }
  // The packed kernel measures turns by their sines: what is open is compared by one measure.
  if (fast && !(report.fast && (tracking || closed(end)))) {
    const bool followed = end.followed;
    buffers.bounds.forget();
    given = gatherNeeds(mechanism, control, wants, state, buffers);
    end = gatherNeeds(mechanism, control, wants, work, buffers);
    end.followed = followed;
    report.startError = given.max;
    fill(given, report);
  }
  // Never worse than what was given: else it stays as it is, to the last bit.
  if (closed(end) || end.followed || (end.finite && end.max <= given.max && !closed(given))) {
    rememberTurns(mechanism, work);
    state = work;
    state.rest.clear();  // what sleeps is woken
    fill(end, report);
    report.closed = closed(end);
    if (given.yields) {
      buffers.yielding = Yielding::Left;
      static_cast<void>(gatherNeeds(mechanism, control, {}, state, buffers));
      fillYielded(mechanism, settings, buffers, report);
    }
  }
  report.late = budget.late();
  report.milliseconds = budget.microseconds() / 1000;
}

double projected(const Mechanism& mechanism, const Control& control, State& state,
                 PoseScratch& scratch) {
  PoseScratch::Buffers& buffers = scratch.buffers();
  State& work = buffers.work;
  work = state;
  double left = 0;
  for (int pass = 0; pass < 4; ++pass) {  // the others take out what the compliance left
    buffers.emitted.clear();
    buffers.rows.clear();
    emitRows(mechanism, control, work, buffers.emitted);
    buffers.rows.blocks = buffers.emitted.blocks;
    left = 0;
    for (const Row& row : buffers.emitted.rows) {
      // Equalities, and bounds that are reached and being passed.
      const bool passing = isHardBound(row) && isReached(row.error) && comesToHold(row.rate);
      const bool rotor = row.inertia > 0;  // part of what has to be moved
      if (!row.equality && !passing && !rotor) continue;
      buffers.rows.rows.push_back(row);
      if (rotor) continue;
      left = std::max(left, std::abs(row.rate));
    }
    if (pass == 3 || left == 0) break;
    const std::size_t n = buffers.rows.rows.size();
    buffers.used.assign(n, true);
    buffers.system.load(mechanism, work, buffers.rows, buffers.used);
    buffers.b.resize(n);
    buffers.compliance.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
      const Row& row = buffers.rows.rows[r];
      const double mobility = buffers.system.mobility(r);
      buffers.b[r] = row.inertia > 0 ? 0 : -row.rate;
      buffers.compliance[r] = row.inertia > 0 ? 1 / row.inertia
                              : mobility > 0  ? 1e-10 * mobility
                                              : 1;
    }
    const LinearReport linear = buffers.system.solve({}, buffers.compliance, buffers.b, {},
                                                     buffers.lambda, buffers.displacement);
    if (!linear.finite) break;
    for (std::size_t s = 0; s < mechanism.solids.size(); ++s) {
      const RowSystem::Six& d = buffers.displacement[s];
      work.velocity[s] += Vec3{d[0], d[1], d[2]};
      work.spin[s] += Vec3{d[3], d[4], d[5]};
    }
  }
  state.velocity = work.velocity;
  state.spin = work.spin;
  return left;
}

void scatter(const Mechanism& mechanism, std::uint64_t seed, State& state) {
  Vec3 low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  for (std::size_t s = 0; s < state.position.size(); ++s)
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], state.position[s][i]);
      high[i] = std::max(high[i], state.position[s][i]);
    }
  if (state.position.empty()) return;
  double size = 0;
  for (int i = 0; i < 3; ++i) size = std::max(size, high[i] - low[i]);
  const double half = 0.5 * std::max(5.0, 2 * size);
  const Vec3 middle = 0.5 * (low + high), corner{half, half, half};
  Random random(seed);
  for (std::size_t s = 0; s < state.position.size(); ++s) {
    if (mechanism.solids[s].kind != SolidKind::Dynamic) continue;
    state.position[s] = random.pointInBox(middle - corner, middle + corner);
    const Quat q = random.rotation();
    if (!mechanism.solids[s].pointMass) state.orientation[s] = q;
  }
}

void disturb(const Mechanism& mechanism, std::uint64_t seed, double metres, double radians,
             State& state) {
  Random random(seed);
  for (std::size_t s = 0; s < state.position.size(); ++s) {
    if (mechanism.solids[s].kind != SolidKind::Dynamic) continue;
    state.position[s] += metres * random.direction();
    const Quat turn = exponential(radians * random.direction());
    if (!mechanism.solids[s].pointMass)
      state.orientation[s] = normalized(turn * state.orientation[s]);
  }
}

// ------------------------------------------------------------------------------------------ names

std::string_view nameOf(AssemblyMethod method) { return nameAmong(kAssemblyNames, method); }
bool fromName(std::string_view name, AssemblyMethod& method) {
  return valueAmong(kAssemblyNames, name, method);
}

std::string_view nameOf(PoseStatus status) {
  switch (status) {
    case PoseStatus::Converged:
      return "converged";
    case PoseStatus::Budget:
      return "budget";
    case PoseStatus::Stalled:
      return "stalled";
    case PoseStatus::Inconsistent:
      return "inconsistent";
    case PoseStatus::Memory:
      return "memory";
  }
  return {};
}

}  // namespace tenon
