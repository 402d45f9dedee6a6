// Faure's fast assembly: while the geometry is not right, solve the linearized displacement
// constraints and move.                                                         [Faure1998 §3.4]
//   δq += M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ b,   b = -error,   rotations cut at 0.8 rad
#include <cmath>

#include "posing/buffers.h"

namespace tenon {

void assembleByDisplacement(const Mechanism& mechanism, const Control& control,
                            const std::vector<Want>& wants, const PoseSettings& settings,
                            State& state, PoseScratch::Buffers& buffers, PoseBudget& budget,
                            PoseReport& report) {
  NeedErrors errors = gatherNeeds(mechanism, control, wants, state, buffers);
  State& best = buffers.best;
  best = state;
  double least = errors.in(settings.norm);
  report.status = PoseStatus::Converged;
  while (errors.in(settings.norm) > settings.tolerance) {
    if (budget.over()) {
      report.status = PoseStatus::Budget;
      break;
    }
    const std::size_t n = buffers.rows.rows.size();
    // Needs only: the paper knows nothing else.
    for (std::size_t r = 0; r < n; ++r)
      if (isWant(buffers.rows.rows[r])) buffers.used[r] = false;
    buffers.system.load(mechanism, state, buffers.rows, buffers.used);
    buffers.b.assign(n, 0);
    buffers.compliance.assign(n, 0);
    for (std::size_t r = 0; r < n; ++r) {
      buffers.b[r] = -buffers.rows.rows[r].error;
      // Exact rows; the direct solver needs a trace of compliance where rows are redundant.
      if (isDirect(settings.linear.solver))
        buffers.compliance[r] = 1e-10 * buffers.system.mobility(r);
    }
    const LinearReport linear =
        buffers.system.solve({}, buffers.compliance, buffers.b,
                             {settings.linear.solver, settings.linear.iterations,
                              settings.linear.tolerance, settings.norm},
                             buffers.lambda, buffers.displacement);
    report.linearIterations += linear.iterations;
    keepCentres(mechanism, wants, buffers.displacement);
    if (linear.finite)
      applyDisplacement(mechanism, buffers.displacement, settings.truncation, state);
    errors = gatherNeeds(mechanism, control, wants, state, buffers);
    budget.spend(errors.max, state, report);
    if (!linear.finite || !errors.finite) {
      report.status = PoseStatus::Stalled;
      report.reason = "the linear solver diverged";
      break;
    }
    if (errors.in(settings.norm) < least) {
      least = errors.in(settings.norm);
      best = state;
    }
  }
  if (!(errors.in(settings.norm) <= least)) state = best;
}

}  // namespace tenon
