#include "math/triple_kernel.h"

namespace tenon::triples {

Factored factor(const View& view, double floor, double* values, double* inverse) {
  return factorAll(view, floor, values, inverse);
}
void solve(const View& view, const double* values, const double* inverse, double* x) {
  solveAll(view, values, inverse, x);
}

}  // namespace tenon::triples
