// The call, around the methods.
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/verbs.h"
#include "model/names.h"

namespace tenon {

namespace {

// By Method, as their names are.
struct Entry {
  Method method;
  void (*step)(const Mechanism&, const Control&, const StepSettings&, double, State&,
               StepScratch::Buffers&, StepReport&);
  bool takesCompliance, takesLoad;  // of joints and prescribed motion; of friction
  bool byIslands = false;  // each stepped by itself, by a packed kernel where that knows it
};
constexpr Entry kMethods[] = {
    {Method::Energy, &stepByEnergy, true, true, true},
    {Method::Interactive, &stepInteractively, true, true, true},
    {Method::Displacement, &stepByDisplacement, true, true},
    {Method::Shake, &stepByShake, false, false},
    {Method::Relaxation, &stepByRelaxation, false, false},
    {Method::Baumgarte, &stepByBaumgarte, false, true},
    {Method::Implicit, &stepByImplicit, false, true},
    {Method::Poststabilized, &stepByPoststabilization, false, true},
    {Method::Recursive, &stepByRecursion, false, false},
};
static_assert(std::size(kMethods) == std::size(kMethodNames));
constexpr const Entry& entryOf(Method method) { return kMethods[static_cast<std::size_t>(method)]; }
static_assert([] {
  for (const Entry& entry : kMethods)
    if (&entryOf(entry.method) != &entry) return false;
  return true;
}());

bool isFinite(const State& state) {
  return packed::isFinite(state, {0, static_cast<Index>(state.position.size())});
}

}  // namespace

bool ranAway(const Mechanism& m, const Control& control, const State& before, const State& after,
             double allowed, Rows& buffer) {
  const JointError now = jointError(m, control, after, buffer);
  if (!now.finite) return true;
  if (!(now.max > allowed * sizeAsWritten(m))) return false;
  return now.max > jointError(m, control, before, buffer).max;
}

double sizeAsWritten(const Mechanism& m) {
  double size = 1;  // [m] at least
  for (const MechanismSolid& solid : m.solids)
    size = std::max(size, norm(solid.initial.p - m.solids.front().initial.p));
  return size;
}

namespace {

constexpr double kTorn =
    100;  // scenes: joints that are so far open, and still opening, have blown up

// What a method leaves out of a scene is said.
void noteWhatIsLeftOut(const Mechanism& m, const Entry& entry, StepReport& report) {
  bool compliance = false, load = false;
  for (const MechanismJoint& joint : m.joints) compliance = compliance || joint.compliance > 0;
  for (const MechanismRule& rule : m.rules) {
    compliance =
        compliance || (rule.kind == CoordinateRule::Kind::Prescribe && rule.compliance > 0);
    load = load || (rule.kind == CoordinateRule::Kind::Friction && rule.coefficient > 0);
  }
  if (compliance && !entry.takesCompliance)
    report.note = "this method does not know compliance, so joints with compliance hold exactly";
  else if (load && !entry.takesLoad)
    report.note =
        "this method does not know the load of a joint, so friction does not grow with the load";
}

}  // namespace

StepReport stepWhole(const Mechanism& mechanism, const Control& control,
                     const StepSettings& settings, double dt, State& state,
                     StepScratch::Buffers& buffers) {
  const Entry& entry = entryOf(settings.method);
  StepReport report;
  if (!isFinite(state)) {
    report.finite = false;
    return report;
  }
  StageClock& clock = buffers.clock;
  if (settings.timed) clock.start(report.times);
  if (!entry.takesLoad) std::fill(state.multiplier.begin(), state.multiplier.end(), 0.0);
  entry.step(mechanism, control, settings, dt, state, buffers, report);
  if (report.note.empty()) noteWhatIsLeftOut(mechanism, entry, report);
  // Where islands have converged their joints are closed.
  report.finite = report.finite && isFinite(state) &&
                  ((entry.byIslands && report.converged) ||
                   !ranAway(mechanism, control, buffers.before, state, kTorn, buffers.emitted));
  if (report.finite && !report.stopped) {
    rememberTurns(mechanism, state);
  } else {
    state = buffers.before;
    report.work = report.forced = 0;
    report.ledger = false;
  }
  clock.lap(Stage::Other);
  clock.stop();
  return report;
}

namespace {

// If memory runs out, the state is as it was.
StepReport stepOnce(const Mechanism& mechanism, const Control& control,
                    const StepSettings& settings, double dt, State& state,
                    StepScratch::Buffers& buffers) {
  StepReport report;
  if (entryOf(settings.method).byIslands) {
    if (settings.timed) buffers.clock.start(buffers.times);
    buffers.times = {};
    report = buffers.byIslands.step(mechanism, control, settings, dt, state, buffers.clock);
    buffers.clock.stop();
    report.times.add(buffers.times);
    return report;
  }
  state.rest.clear();  // nothing sleeps by these methods
  bool kept = false;
  if (!unlessMemoryRunsOut([&] {
        buffers.before = state;
        kept = true;
        report = stepWhole(mechanism, control, settings, dt, state, buffers);
        return true;
      })) {
    if (kept) state = buffers.before;  // of the same size: no memory is asked for
    report = outOfMemory();
  }
  return report;
}

}  // namespace

StepReport outOfMemory() {
  StepReport report;
  report.finite = false;
  report.note = kNoMemory;
  return report;
}

StepReport step(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
                double dt, State& state, StepScratch& scratch) {
  StepReport report;
  report.finite = dt > 0 && std::isfinite(dt);
  if (!report.finite) return report;
  if (!unlessMemoryRunsOut([&] {
        static_cast<void>(scratch.buffers());
        return true;
      }))
    return outOfMemory();
  report = stepOnce(mechanism, control, settings, dt, state, scratch.buffers());
  if (report.note == kNoMemory) scratch.drop();
  return report;
}

std::vector<IslandWay> islandWays(const Mechanism& mechanism, const Control& control,
                                  const StepSettings& settings, double dt, const State& state) {
  StepScratch scratch;
  return islandWays(mechanism, control, settings, dt, state, scratch);
}

std::vector<IslandWay> islandWays(const Mechanism& mechanism, const Control& control,
                                  const StepSettings& settings, double dt, const State& state,
                                  StepScratch& scratch) {
  if (!entryOf(settings.method).byIslands) return {};
  return scratch.buffers().byIslands.ways(mechanism, control, settings, dt, state);
}

std::vector<WayGroup> grouped(const std::vector<IslandWay>& ways) {
  std::vector<WayGroup> groups;
  for (const IslandWay& way : ways) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const WayGroup& g) {
      return g.way == way.way && g.why == way.why;
    });
    if (group == groups.end())
      group = groups.insert(groups.end(), {way.way, way.why, 0, 0, 0, way.solids.front()});
    group->islands += 1;
    group->solids += static_cast<Index>(way.solids.size());
    group->joints += static_cast<Index>(way.joints.size());
  }
  return groups;
}

void startDisplacements(const Mechanism& mechanism, const Control& control,
                        const StepSettings& settings, double dt, State& state,
                        StepScratch& scratch) {
  if (settings.method != Method::Displacement) return;
  StepScratch::Buffers& buffers = scratch.buffers();
  StepReport report;
  jointAcceleration(mechanism, control, settings, state, dt, 0, 0, buffers, report);
  if (report.finite) moveVelocities(mechanism, -0.5 * dt, buffers.acceleration, state);
}

std::string_view nameOf(Method method) { return nameAmong(kMethodNames, method); }
bool fromName(std::string_view name, Method& method) {
  return valueAmong(kMethodNames, name, method);
}
std::vector<std::string> methodNames() {
  return {std::begin(kMethodNames), std::end(kMethodNames)};
}

std::string_view nameOf(Integrator integrator) { return nameAmong(kIntegratorNames, integrator); }
bool fromName(std::string_view name, Integrator& integrator) {
  return valueAmong(kIntegratorNames, name, integrator);
}

StepScratch::StepScratch() = default;
StepScratch::~StepScratch() { drop(); }
StepScratch::Buffers& StepScratch::buffers() {
  if (buffers_ == nullptr) buffers_ = new Buffers;
  return *buffers_;
}
void StepScratch::drop() { delete std::exchange(buffers_, nullptr); }
StepScratch::StepScratch(StepScratch&& other) noexcept
    : buffers_(std::exchange(other.buffers_, nullptr)) {}
StepScratch& StepScratch::operator=(StepScratch&& other) noexcept {
  std::swap(buffers_, other.buffers_);
  return *this;
}

}  // namespace tenon
