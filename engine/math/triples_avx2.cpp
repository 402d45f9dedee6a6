// For machines with AVX2. The build compiles this file for it where there is such a thing; elsewhere it is never called.
#include "math/triple_kernel.h"

namespace tenon::triples {

Factored factorAvx2(const View& view, double floor, double* values, double* inverse) {
  return factorAll(view, floor, values, inverse);
}
void solveAvx2(const View& view, const double* values, const double* inverse, double* x) {
  solveAll(view, values, inverse, x);
}

}  // namespace tenon::triples
