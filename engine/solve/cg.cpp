// Conjugate gradients, for this solver and for block-cg: theirs is one loop.
#include "solve/row_system.h"

#include <cmath>

#include "solve/vectors.h"

namespace tenon {

void RowSystem::solveByCg(Call& call) { byGradients(call, false); }

void RowSystem::byGradients(Call& call, bool blocks) {
  std::vector<double>&r = work_[0], &z = work_[1], &p = work_[2], &q = work_[3];
  double rho = 0;
  for (int k = 0; k < call.most; ++k) {
    if (blocks)
      applyBlocks(r, z);
    else
      z = r;
    const double next = dotOf(r, z);
    if (!(std::abs(next) > 0)) break;
    const double beta = k == 0 ? 0 : next / rho;
    rho = next;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + beta * p[i];
    product(call.compliance, p, q);
    const double curvature = dotOf(p, q);
    if (!(std::abs(curvature) > 0)) break;
    const double alpha = rho / curvature;
    addTo(call.lambda, alpha, p);
    addTo(r, -alpha, q);
    ++call.report.iterations;
    if (isDone(call)) break;
  }
  for (const double x : call.lambda) call.report.finite = call.report.finite && std::isfinite(x);
}

}  // namespace tenon
