#include "packed/fast.h"

#include <algorithm>
#include <span>

#include "packed/plain.h"

namespace tenon::packed {

namespace {

// The whole step, or its halves, and so on. False if even the shortest piece is too much.
bool stepLoop(const LoopFigure& figure, LoopStep kernel, const KernelSettings& settings,
              const StatePointers& state, int depth, FastReport& report) {
  const LoopOutcome outcome = kernel(figure, settings, state);
  report.iterations += outcome.iterations;
  if (outcome.done) return true;
  if (depth == kDeepest || outcome.open) return false;
  ++report.halvings;
  KernelSettings half = settings;
  half.dt = 0.5 * settings.dt;
  return stepLoop(figure, kernel, half, state, depth + 1, report) &&
         stepLoop(figure, kernel, half, state, depth + 1, report);
}

}  // namespace

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
  for (const Mechanism::Island& island : m.islands) {
    if (trees_.add(m, island)) continue;
    const std::span all(m.islandSolids), joints(m.islandJoints);
    if (!loops_.emplace_back().loop.plan(m, all.subspan(island.solids.first, island.solids.count),
                                         joints.subspan(island.joints.first, island.joints.count)))
      return false;
  }
  trees_.sort();
  return true;
}

bool Fast::step(const Mechanism& m, const Control& control, const FastSettings& settings, double dt,
                State& state, FastReport& report) {
  trees_.group(m, settings.lanes);
  KernelSettings kernel;
  kernel.dt = dt;
  kernel.gravity = control.gravity;
  kernel.tolerance = settings.tolerance;
  kernel.closed = settings.closed;
  kernel.most = settings.most;
  const StatePointers pointers{state.position.data(), state.orientation.data(),
                               state.velocity.data(), state.spin.data(), state.multiplier.data()};
  const std::size_t chunks = trees_.chunks();
  const LoopStep loopKernel = loopStep(settings.over);
  pool_.run(settings.threads, chunks + loops_.size(), [&](std::size_t task) {
    if (task < chunks) return trees_.step(task, settings.over, kernel, pointers);
    LoopFigureOf& figure = loops_[task - chunks];
    figure.report = {};
    figure.done = stepLoop(figure.loop.figure(), loopKernel, kernel, pointers, 0, figure.report);
  });
  report = {};
  bool done = trees_.report(report);
  for (const LoopFigureOf& figure : loops_) {
    done = done && figure.done;
    report.iterations = std::max(report.iterations, figure.report.iterations);
    report.halvings += figure.report.halvings;
  }
  state.time += dt;
  return done;
}

}  // namespace tenon::packed
