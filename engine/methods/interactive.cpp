// The robust step: Euler's implicit one, with the stiffness of the joints' forces and the last
// multipliers to begin with. It damps, and keeps joints together whatever is pulled.
//                                                                                  [end_solve.h]
#include "methods/verbs.h"

namespace tenon {

void stepInteractively(const Mechanism& m, const Control& control, const StepSettings& settings,
                       double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  bool accounted = true;
  stepInPieces(
      dt, report,
      [&](double piece) {
        if (!buffers.end.attempt(m, control, settings, EndSolve::Forces::AtEnd, piece, state,
                                 report))
          return false;
        if (piece < dt) rememberTurns(m, state);
        return true;
      },
      [&](double piece) {
        stepAsLastResort(m, control, settings, piece, state, buffers, report);
        accounted = false;
      });
  report.ledger = report.ledger && accounted;
}

}  // namespace tenon
