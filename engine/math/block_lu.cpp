#include "math/block_lu.h"

#include <algorithm>
#include <cmath>

namespace tenon {

void BlockLu::analyse(const std::vector<NodeSpec>& nodes,
                      const std::vector<std::pair<Node, Node>>& edges) {
  pattern_.analyse(nodes, edges);
  lower_.assign(pattern_.values, 0);
  upper_.assign(pattern_.values, 0);
}

void BlockLu::clear() {
  std::fill(lower_.begin(), lower_.end(), 0.0);
  std::fill(upper_.begin(), upper_.end(), 0.0);
}

BlockLu::Block BlockLu::block(Node row, Node column) {
  const BlockPattern::Place place = pattern_.place(row, column);
  // Transposed: the rows asked for are eliminated first, so the block is above the diagonal.
  if (place.transposed) return {&upper_[place.at], 1, place.columns};
  return {&lower_[place.at], place.columns, 1};
}

bool BlockLu::factor(double floor) {
  perturbed_ = 0;
  bool finite = true;
  const auto count = static_cast<std::uint32_t>(pattern_.order.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t n = pattern_.sizeAt(p);
    double* D = &lower_[pattern_.diagonal[p]];
    double largest = 0;
    for (std::uint32_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(D[i * n + i]));
    // The block itself: D = L U in place, L with ones on its diagonal.
    for (std::uint32_t k = 0; k < n; ++k) {
      double& pivot = D[k * n + k];
      if (!(std::abs(pivot) > floor * largest)) {
        if (!std::isfinite(pivot)) finite = false;
        pivot = (pivot < 0 ? -1 : 1) * (largest > 0 ? floor * largest : 1);
        ++perturbed_;
      }
      for (std::uint32_t i = k + 1; i < n; ++i) {
        const double f = D[i * n + k] /= pivot;
        for (std::uint32_t j = k + 1; j < n; ++j) D[i * n + j] -= f * D[k * n + j];
      }
    }
    // Below: L_i = B U⁻¹. Above, transposed: U_iᵀ = Bᵀ L⁻ᵀ.
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
      const std::uint32_t m = pattern_.sizeAt(pattern_.rows[r]);
      for (std::uint32_t i = 0; i < m; ++i) {
        double* low = &lower_[pattern_.at[r] + static_cast<std::size_t>(i) * n];
        double* high = &upper_[pattern_.at[r] + static_cast<std::size_t>(i) * n];
        for (std::uint32_t j = 0; j < n; ++j) {
          for (std::uint32_t k = 0; k < j; ++k) {
            low[j] -= low[k] * D[k * n + j];
            high[j] -= high[k] * D[j * n + k];
          }
          low[j] /= D[j * n + j];
        }
      }
    }
    // What is left: block (i, j) -= L_i U_j for all i and j beside p.
    for (std::uint32_t c = pattern_.firstRow[p]; c < pattern_.firstRow[p + 1]; ++c) {
      const std::uint32_t q = pattern_.rows[c], nj = pattern_.sizeAt(q);
      const double *Lj = &lower_[pattern_.at[c]], *Uj = &upper_[pattern_.at[c]];
      std::uint32_t walk = pattern_.firstRow[q];
      for (std::uint32_t r = c; r < pattern_.firstRow[p + 1]; ++r) {
        const std::uint32_t ni = pattern_.sizeAt(pattern_.rows[r]);
        const double *Li = &lower_[pattern_.at[r]], *Ui = &upper_[pattern_.at[r]];
        if (r != c)
          while (pattern_.rows[walk] != pattern_.rows[r]) ++walk;
        const std::size_t at = r == c ? pattern_.diagonal[q] : pattern_.at[walk];
        double *low = &lower_[at], *high = &upper_[at];
        for (std::uint32_t i = 0; i < ni; ++i)
          for (std::uint32_t j = 0; j < nj; ++j) {
            double below = 0, above = 0;
            for (std::uint32_t k = 0; k < n; ++k) {
              below += Li[i * n + k] * Uj[j * n + k];
              above += Lj[j * n + k] * Ui[i * n + k];
            }
            low[i * nj + j] -= below;
            if (r != c) high[i * nj + j] -= above;
          }
      }
    }
  }
  return finite;
}

void BlockLu::solve(double* x) const {
  const auto count = static_cast<std::uint32_t>(pattern_.order.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t n = pattern_.sizeAt(p);
    const double* D = &lower_[pattern_.diagonal[p]];
    double* y = x + pattern_.offset[pattern_.order[p]];
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t k = 0; k < i; ++k) y[i] -= D[i * n + k] * y[k];
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
      const std::uint32_t m = pattern_.sizeAt(pattern_.rows[r]);
      const double* L = &lower_[pattern_.at[r]];
      double* z = x + pattern_.offset[pattern_.order[pattern_.rows[r]]];
      for (std::uint32_t i = 0; i < m; ++i)
        for (std::uint32_t k = 0; k < n; ++k) z[i] -= L[i * n + k] * y[k];
    }
  }
  for (std::uint32_t p = count; p-- > 0;) {
    const std::uint32_t n = pattern_.sizeAt(p);
    const double* D = &lower_[pattern_.diagonal[p]];
    double* y = x + pattern_.offset[pattern_.order[p]];
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
      const std::uint32_t m = pattern_.sizeAt(pattern_.rows[r]);
      const double* U = &upper_[pattern_.at[r]];
      const double* z = x + pattern_.offset[pattern_.order[pattern_.rows[r]]];
      for (std::uint32_t i = 0; i < m; ++i)
        for (std::uint32_t k = 0; k < n; ++k) y[k] -= U[i * n + k] * z[i];
    }
    for (std::uint32_t i = n; i-- > 0;) {
      for (std::uint32_t k = i + 1; k < n; ++k) y[i] -= D[i * n + k] * y[k];
      y[i] /= D[i * n + i];
    }
  }
}

}  // namespace tenon
