// The call, around the methods.
#include <cmath>
#include <utility>

#include "methods/verbs.h"

namespace tenon {

namespace {

struct Entry {
  Method method;
  std::string_view name;
  void (*step)(const Mechanism&, const Control&, const StepSettings&, double, State&,
               StepScratch::Buffers&, StepReport&);
};
constexpr Entry kMethods[] = {
    {Method::Energy, "energy", &stepByEnergy},
    {Method::Interactive, "interactive", &stepInteractively},
    {Method::Displacement, "displacement", &stepByDisplacement},
    {Method::Shake, "shake", &stepByShake},
    {Method::Relaxation, "relaxation", &stepByRelaxation},
    {Method::Baumgarte, "baumgarte", &stepByBaumgarte},
    {Method::Implicit, "implicit", &stepByImplicit},
    {Method::Poststabilized, "poststabilized", &stepByPoststabilization},
    {Method::Recursive, "recursive", &stepByRecursion},
};

bool isFinite(const State& state) {
  for (std::size_t s = 0; s < state.position.size(); ++s)
    if (!tenon::isFinite(state.position[s]) || !tenon::isFinite(state.orientation[s]) ||
        !tenon::isFinite(state.velocity[s]) || !tenon::isFinite(state.spin[s]))
      return false;
  return true;
}

}  // namespace

StepReport step(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
                double dt, State& state, StepScratch& scratch) {
  StepReport report;
  State& before = scratch.buffers().before;
  before = state;
  for (const Entry& entry : kMethods)
    if (entry.method == settings.method)
      entry.step(mechanism, control, settings, dt, state, scratch.buffers(), report);
  report.finite = report.finite && isFinite(state);
  if (report.finite && !report.stopped)
    rememberTurns(mechanism, state);
  else
    state = before;
  return report;
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

std::string_view nameOf(Method method) {
  for (const Entry& entry : kMethods)
    if (entry.method == method) return entry.name;
  return {};
}

bool fromName(std::string_view name, Method& method) {
  for (const Entry& entry : kMethods)
    if (entry.name == name) {
      method = entry.method;
      return true;
    }
  return false;
}

std::vector<std::string> methodNames() {
  std::vector<std::string> names;
  for (const Entry& entry : kMethods) names.emplace_back(entry.name);
  return names;
}

StepScratch::StepScratch() : buffers_(new Buffers) {}
StepScratch::~StepScratch() { delete buffers_; }
StepScratch::StepScratch(StepScratch&& other) noexcept
    : buffers_(std::exchange(other.buffers_, nullptr)) {}
StepScratch& StepScratch::operator=(StepScratch&& other) noexcept {
  std::swap(buffers_, other.buffers_);
  return *this;
}

}  // namespace tenon
