// The call, around the methods.
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/method_flags.h"
#include "methods/verbs.h"
#include "model/names.h"

namespace tenon {

namespace {

#define TENON_FUNCTION(value, name, function, ...) function,
constexpr MethodStep* kMethods[] = {TENON_METHODS(TENON_FUNCTION)};  // by Method
#undef TENON_FUNCTION
#define TENON_SUMMARY(value, name, function, flags, words, summary) summary,
constexpr std::string_view kMethodSummaries[] = {TENON_METHODS(TENON_SUMMARY)};
#undef TENON_SUMMARY

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
void noteWhatIsLeftOut(const Mechanism& m, Method method, StepReport& report) {
  bool compliance = false, load = false;
  for (const MechanismJoint& joint : m.joints) compliance = compliance || joint.compliance > 0;
  for (const MechanismRule& rule : m.rules) {
    compliance =
        compliance || (rule.kind == CoordinateRule::Kind::Prescribe && rule.compliance > 0);
    load = load || (rule.kind == CoordinateRule::Kind::Friction && rule.coefficient > 0);
  }
  if (compliance && !has(method, kTakesCompliance))
    report.note = "this method does not know compliance, so joints with compliance hold exactly";
  else if (load && !has(method, kTakesLoad))
    report.note =
        "this method does not know the load of a joint, so friction does not grow with the load";
}

}  // namespace

StepReport stepWhole(const Mechanism& mechanism, const Control& control,
                     const StepSettings& settings, double dt, State& state,
                     StepScratch::Buffers& buffers) {
  StepReport report;
  if (!isFinite(state)) {
    report.finite = false;
    return report;
  }
  StageClock& clock = buffers.clock;
  if (settings.timed) clock.start(report.times);
  if (!has(settings.method, kTakesLoad))
    std::fill(state.multiplier.begin(), state.multiplier.end(), 0.0);
  kMethods[static_cast<std::size_t>(settings.method)](mechanism, control, settings, dt, state,
                                                      buffers, report);
  if (report.note.empty()) noteWhatIsLeftOut(mechanism, settings.method, report);
  // Where islands have converged their joints are closed.
  report.finite = report.finite && isFinite(state) &&
                  ((goesByIslands(settings.method) && report.converged) ||
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
  if (goesByIslands(settings.method)) {
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
  if (!goesByIslands(settings.method)) return {};
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

bool goesByIslands(Method method) { return has(method, kByIslands); }
bool takesSolver(Method method) { return has(method, kTakesSolver); }
bool takesFeedback(Method method) { return has(method, kTakesFeedback); }
bool takesIntegrator(Method method) { return has(method, kTakesIntegrator); }
std::string_view summaryOf(Method method) { return nameAmong(kMethodSummaries, method); }

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
