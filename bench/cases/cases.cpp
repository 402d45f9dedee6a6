#include "cases/cases.h"

namespace tenon::bench {

Cases allCases() {
  Cases cases;
  addLanguageCases(cases);
  addStageCases(cases);
  addStepCases(cases);
  addSolverCases(cases);
  addPosingCases(cases);
  return cases;
}

}  // namespace tenon::bench
