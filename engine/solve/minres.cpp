// Minimal residuals by Lanczos' three-term recurrence and Givens rotations. [Paige & Saunders 1975]
#include "solve/row_system.h"

#include <cmath>

#include "solve/vectors.h"

namespace tenon {

void RowSystem::solveByMinres(Call& call) {
  std::vector<double>& lambda = call.lambda;
  LinearReport& report = call.report;
  std::vector<double>&r = work_[0], &v = work_[1], &q = work_[2], &last = work_[3], &d1 = work_[4],
  &d2 = work_[5], &w = work_[6];
  const std::size_t n = r.size();
  double beta = std::sqrt(dotOf(r, r));
  if (!(beta > 0)) return;
  for (std::size_t i = 0; i < n; ++i) v[i] = r[i] / beta;
  double eta = beta, gamma = 1, gamma1 = 1, sigma = 0, sigma1 = 0;
  double step = 0;  // β of the step before
  for (int k = 0; k < call.most; ++k) {
    product(call.compliance, v, q);
    const double alpha = dotOf(v, q);
    for (std::size_t i = 0; i < n; ++i) q[i] -= alpha * v[i] + step * last[i];
    const double next = std::sqrt(dotOf(q, q));
    // The new column of the tridiagonal matrix, turned by the two rotations before it and its own.
    const double delta = gamma * alpha - gamma1 * sigma * step;
    const double rho2 = sigma * alpha + gamma1 * gamma * step;
    const double rho3 = sigma1 * step;
    const double rho1 = std::sqrt(delta * delta + next * next);
    if (!(rho1 > 0)) break;
    gamma1 = gamma;
    gamma = delta / rho1;
    sigma1 = sigma;
    sigma = next / rho1;
    for (std::size_t i = 0; i < n; ++i) {
      const double direction = (v[i] - rho3 * d2[i] - rho2 * d1[i]) / rho1;
      d2[i] = d1[i];
      d1[i] = direction;
      lambda[i] += gamma * eta * direction;
    }
    eta = -sigma * eta;
    ++report.iterations;
    product(call.compliance, lambda, w);
    for (std::size_t i = 0; i < n; ++i) w[i] = r[i] - w[i];
    const double size = sizeOf(call.budget.norm, w);
    report.finite = report.finite && std::isfinite(size);
    if (!(size > call.goal) || !report.finite || !(next > 0)) break;
    for (std::size_t i = 0; i < n; ++i) {
      last[i] = v[i];
      v[i] = q[i] / next;
    }
    step = next;
  }
}

}  // namespace tenon
