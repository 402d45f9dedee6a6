// Biconjugate gradients. They keep a second sequence (s, t) for the transposed matrix. Ours is symmetric, so it repeats the
// first, as it did for Faure.                                                                        [Faure1998 §3.4]
#include "solve/row_system.h"

#include <cmath>

#include "solve/vectors.h"

namespace tenon {

void RowSystem::solveByBicg(Call& call) {
  std::vector<double>&r = work_[0], &p = work_[1], &q = work_[2], &s = work_[3], &t = work_[4],
  &u = work_[5];
  s = r;
  double rho = 0;
  for (int k = 0; k < call.most; ++k) {
    const double next = dotOf(s, r);
    if (!(std::abs(next) > 0)) break;
    const double beta = k == 0 ? 0 : next / rho;
    rho = next;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * p[i];
    product(call.compliance, p, q);
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = s[i] + beta * t[i];
    const double curvature = dotOf(t, q);
    if (!(std::abs(curvature) > 0)) break;
    const double alpha = rho / curvature;
    addTo(call.lambda, alpha, p);
    addTo(r, -alpha, q);
    product(call.compliance, t, u);
    addTo(s, -alpha, u);
    ++call.report.iterations;
    if (isDone(call)) break;
  }
  for (const double x : call.lambda) call.report.finite = call.report.finite && std::isfinite(x);
}

}  // namespace tenon
