// The direct solver: the whole system, in blocks of solids and joints, is factorised along the joint graph (math/block_ldl.h).
#include "solve/row_system.h"

#include <algorithm>
#include <cmath>

namespace tenon {

// M + K is to stay positive: with the solids' coordinates scaled by their (least) masses, every row of
// K whose off-diagonal exceeds its diagonal by more than 0.9 gets the rest on top: Gershgorin's discs
// then lie right of -0.9, and the mass adds 1.
void RowSystem::addStiffness(std::span<const StiffnessBlock> stiffness, double stiffest) {
  if (stiffness.empty()) return;
  const auto scale = [this](Index node, std::size_t i) {
    const MechanismSolid& solid = mechanism_->solids[solids_[node]];
    if (i < 3) return std::sqrt(solid.inverseMass);
    double sum = 0;  // |I⁻¹|² >= 1/(least inertia)²
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) sum += solid.inverseInertia(r, c) * solid.inverseInertia(r, c);
    return std::sqrt(std::sqrt(sum));
  };
  scales_.resize(6 * solids_.size());
  excess_.assign(6 * solids_.size(), 0);
  for (Index n = 0; n < solids_.size(); ++n)
    for (std::size_t i = 0; i < 6; ++i) scales_[6 * n + i] = scale(n, i);
  for (const StiffnessBlock& given : stiffness) {
    const Index a = nodeOf_[given.solid1], b = nodeOf_[given.solid2];
    if (a == kWorld || b == kWorld) continue;
    // Near half a turn the curvature of an angle has no bound, and would nail the solids where they are.
    double largest = 0;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        largest =
            std::max(largest, std::abs(given.K[i][j] * scales_[6 * a + i] * scales_[6 * b + j]));
    StiffnessBlock k = given;
    if (!(largest <= stiffest))
      for (auto& row : k.K)
        for (double& v : row) v = std::isfinite(v) ? v * (stiffest / largest) : 0;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        const double v = k.K[i][j] * scales_[6 * a + i] * scales_[6 * b + j];
        if (a == b) {
          excess_[6 * a + i] += i == j ? -v : std::abs(v);
        } else {
          excess_[6 * a + i] += std::abs(v);
          excess_[6 * b + j] += std::abs(v);
        }
      }
    addBlock(k);
  }
  for (Index n = 0; n < solids_.size(); ++n) {
    const std::uint32_t size = mechanism_->solids[solids_[n]].pointMass ? 3 : 6;
    for (std::uint32_t i = 0; i < size; ++i) {
      const double shift = excess_[6 * n + i] - 0.9;
      if (shift > 0 && scales_[6 * n + i] > 0)
        ldl_.block(n, n)(i, i) += shift / (scales_[6 * n + i] * scales_[6 * n + i]);
    }
  }
}

void RowSystem::addBlock(const StiffnessBlock& k) {
  const BlockLdl::Block block = ldl_.block(nodeOf_[k.solid1], nodeOf_[k.solid2]);
  const std::uint32_t rows = mechanism_->solids[k.solid1].pointMass ? 3 : 6;
  const std::uint32_t columns = mechanism_->solids[k.solid2].pointMass ? 3 : 6;
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j < columns; ++j) block(i, j) += k.K[i][j];
}

void RowSystem::addExactStiffness(std::span<const StiffnessBlock> stiffness) {
  for (const StiffnessBlock& k : stiffness)
    if (nodeOf_[k.solid1] != kWorld && nodeOf_[k.solid2] != kWorld) addBlock(k);
}

void RowSystem::solveDirectly(Call& call) {
  const LinearBudget& budget = call.budget;
  LinearReport& report = call.report;
  const auto bodies = static_cast<Index>(solids_.size());
  ldl_.clear();
  for (Index n = 0; n < bodies; ++n) {
    const std::uint32_t size = mechanism_->solids[solids_[n]].pointMass ? 3 : 6;
    const BlockLdl::Block block = ldl_.block(n, n);
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t j = 0; j < size; ++j) block(i, j) = mass_[n][6 * i + j];
  }
  if (budget.exact)
    addExactStiffness(call.stiffness);
  else
    addStiffness(call.stiffness, budget.stiffest);
  x_.assign(ldl_.size(), 0);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Index g = groupOf_[r];
    const auto k = static_cast<std::uint32_t>(r - groupFirst_[g]);
    const BlockLdl::Block diagonal = ldl_.block(bodies + g, bodies + g);
    if (!rows_[r].used) {
      diagonal(k, k) = -1;
      continue;
    }
    diagonal(k, k) = -call.compliance[r];
    x_[ldl_.offset(bodies + g) + k] = -call.b[r];
    for (Index v = rows_[r].first; v < rows_[r].first + rows_[r].count; ++v) {
      const View& view = views_[v];
      const std::uint32_t size = mechanism_->solids[solids_[view.node]].pointMass ? 3 : 6;
      const BlockLdl::Block block = ldl_.block(bodies + g, view.node);
      for (std::uint32_t i = 0; i < size; ++i) block(k, i) -= view.J[i];
    }
  }
  if (budget.clock != nullptr) budget.clock->lap(Stage::Matrix);
  report.finite = budget.exact ? ldl_.factor(1e-14, false) : ldl_.factor();
  report.convex = ldl_.hasInertia();
  if (budget.clock != nullptr) budget.clock->lap(Stage::Factor);
  report.perturbed = ldl_.perturbed();
  if (!report.finite) return;
  ldl_.solve(x_.data());
  for (Index n = 0; n < bodies; ++n) {
    const std::uint32_t size = mechanism_->solids[solids_[n]].pointMass ? 3 : 6;
    motion_[n] = {};
    for (std::uint32_t i = 0; i < size; ++i) motion_[n][i] = x_[ldl_.offset(n) + i];
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Index g = groupOf_[r];
    call.lambda[r] = rows_[r].used ? x_[ldl_.offset(bodies + g) + r - groupFirst_[g]] : 0;
  }
  for (const double x : x_) report.finite = report.finite && std::isfinite(x);
}

double RowSystem::pivotPart(std::size_t row) const {
  if (!rows_[row].used || !(mobility_[row] > 0)) return 0;
  const Index g = groupOf_[row];
  return -ldl_.pivot(static_cast<Index>(solids_.size()) + g,
                     static_cast<std::uint32_t>(row - groupFirst_[g])) /
         mobility_[row];
}

}  // namespace tenon
