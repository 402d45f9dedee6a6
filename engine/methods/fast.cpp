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

bool stepFast(const Mechanism& m, const Control& control, const StepSettings& settings,
              EndSolve::Forces forces, double dt, State& state, StepScratch::Buffers& buffers,
              StepReport& report) {
  if (!isPacked(m, control, settings, buffers)) {
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
  const bool stepped = buffers.fast.step(m, control, fast, dt, state, done);
  buffers.clock.lap(Stage::Packed);
  if (!stepped) {
    state.rest.clear();
    report.finite = keepBefore(state, buffers);
    return !report.finite;
  }
  report.iterations += done.iterations;
  report.halvings += done.halvings;
  report.ledger = true;  // nothing but gravity works on what is awake
  report.fast = true;
  report.sleeping = done.sleeping;
  report.work += done.work;  // that of falling asleep
  return true;
}

}  // namespace tenon
