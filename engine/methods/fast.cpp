// Energy and interactive where the packed kernels know the scene.
#include <algorithm>

#include "methods/verbs.h"

namespace tenon {

namespace {

constexpr double kLoosest = 1e-7;  // [m], [rad] of the equations of motion, at the end of a step

}  // namespace

bool isPacked(const Mechanism& m, const Control& control, const StepSettings& settings,
              StepScratch::Buffers& buffers) {
  return settings.fast && settings.solver == LinearSolver::Direct && buffers.fast.suits(m, control);
}

namespace {

// The figures that the kernels have left. False if one of them could not be stepped, either.
bool stepLeft(const Mechanism& m, const Control& control, const StepSettings& settings, double time,
              double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  if (buffers.partsStamp != m.stamp) {
    buffers.parts.clear();
    buffers.partsStamp = m.stamp;
  }
  buffers.parts.resize(m.islands.size());
  for (const Index island : buffers.fast.left()) {
    Part& part = buffers.parts[island];
    if (!part.isCut()) part.cut(m, island);
    const StepReport own = part.step(m, control, settings, time, dt, state);
    if (!own.finite || own.stopped) return false;
    report.iterations = std::max(report.iterations, own.iterations);
    report.halvings += own.halvings;
    report.converged = report.converged && own.converged;
    report.ledger = report.ledger && own.ledger;
    report.work += own.work;
    if (report.note.empty()) report.note = own.note;
  }
  return true;
}

}  // namespace

bool stepFast(const Mechanism& m, const Control& control, const StepSettings& settings,
              EndSolve::Forces forces, double dt, State& state, StepScratch::Buffers& buffers,
              StepReport& report) {
  if (!buffers.isPacked) {
    state.rest.clear();  // nothing sleeps on the general path
    return false;
  }
  packed::FastSettings fast;
  fast.over = forces == EndSolve::Forces::OverStep;
  // What momenta are off by is energy won or lost, always the same way. At the end it is damped anyway.
  fast.tolerance =
      fast.over ? 1e-3 * settings.tolerance : std::min(1e3 * settings.tolerance, kLoosest);
  fast.closed = settings.tolerance;
  if (settings.iterations > 0) fast.most = settings.iterations;
  fast.lanes = settings.lanes;
  fast.threads = settings.threads;
  fast.sleepBelow = settings.sleepBelow;
  fast.sleepAfter = settings.sleepAfter;
  packed::FastReport done;
  const double time = state.time;
  StepReport left;
  left.ledger = true;  // nothing but gravity works on what is awake
  bool stepped = buffers.fast.step(m, control, fast, dt, state, done);
  buffers.clock.lap(Stage::Packed);
  if (stepped && !stepLeft(m, control, settings, time, dt, state, buffers, left)) {
    buffers.fast.putBack(state);
    stepped = false;
  }
  if (!stepped) {
    report.finite = keepBefore(state, buffers);
    if (report.finite) state.rest.clear();
    return !report.finite;
  }
  buffers.clock.lap(Stage::Other);
  buffers.isChecked = true;
  report.iterations += std::max(done.iterations, left.iterations);
  report.halvings += done.halvings + left.halvings;
  report.converged = report.converged && left.converged;
  report.ledger = left.ledger;
  report.fast = buffers.fast.left().empty();
  report.sleeping = done.sleeping;
  report.work += left.work + buffers.fast.putToSleep(m, fast, dt, state);
  if (report.note.empty()) report.note = left.note;
  return true;
}

}  // namespace tenon
