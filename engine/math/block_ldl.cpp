#include "math/block_ldl.h"

#include <algorithm>
#include <cmath>

#include "math/block_kernels.h"

namespace tenon {

void BlockLdl::analyse(const std::vector<NodeSpec>& nodes,
                       const std::vector<std::pair<Node, Node>>& edges) {
  pattern_.analyse(nodes, edges);
  values_.assign(pattern_.values, 0);
  pivots_.assign(pattern_.total, 0);
  scratch_.assign(pattern_.scratch, 0);
}

void BlockLdl::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

BlockLdl::Block BlockLdl::block(Node first, Node second) {
  const BlockPattern::Place place = pattern_.place(first, second);
  return {&values_[place.at], place.columns, place.transposed};
}

bool BlockLdl::factor(double floor, bool signs) {
  perturbed_ = 0;
  excess_ = 0;
  bool finite = true;
  const auto count = static_cast<std::uint32_t>(pattern_.order.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t n = pattern_.nodes[pattern_.order[p]].size;
    const double sign = pattern_.nodes[pattern_.order[p]].positive ? 1 : -1;
    double* D = &values_[pattern_.diagonal[p]];
    double* pivot = &pivots_[pattern_.pivotAt[p]];
    double largest = 0;
    for (std::uint32_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(D[i * n + i]));
    // The block itself: D = L diag(pivot) Lᵀ, L in the lower triangle.
    for (std::uint32_t j = 0; j < n; ++j) {
      double d = D[j * n + j];
      for (std::uint32_t k = 0; k < j; ++k) d -= D[j * n + k] * D[j * n + k] * pivot[k];
      if (!signs && -sign * d > floor * largest) {
        excess_ += d > 0 ? 1 : -1;
      } else if (!(sign * d > floor * largest)) {
        if (!std::isfinite(d)) finite = false;
        d = sign * (largest > 0 ? floor * largest : 1);
        ++perturbed_;
      }
      pivot[j] = d;
      for (std::uint32_t i = j + 1; i < n; ++i) {
        double v = D[i * n + j];
        for (std::uint32_t k = 0; k < j; ++k) v -= D[i * n + k] * D[j * n + k] * pivot[k];
        D[i * n + j] = v / d;
      }
    }
    // Blocks below: Y = B L⁻ᵀ, of which Yᵀ goes into the scratch, then B := Y diag(pivot)⁻¹.
    double* Y = scratch_.data();
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
      const std::uint32_t m = pattern_.nodes[pattern_.order[pattern_.rows[r]]].size;
      double* B = &values_[pattern_.at[r]];
      for (std::uint32_t i = 0; i < m; ++i)
        for (std::uint32_t j = 0; j < n; ++j) Y[j * m + i] = B[i * n + j];
      blocks::withSize(m, [&](auto w) { blocks::eliminateBelow(D, Y, n, w); });
      for (std::uint32_t i = 0; i < m; ++i)
        for (std::uint32_t j = 0; j < n; ++j) B[i * n + j] = Y[j * m + i] / pivot[j];
      Y += static_cast<std::size_t>(m) * n;
    }
    // What is left: block (i, j) -= B_i Y_jᵀ for the rows i >= j below.
    const double* Yj = scratch_.data();
    for (std::uint32_t c = pattern_.firstRow[p]; c < pattern_.firstRow[p + 1]; ++c) {
      const std::uint32_t q = pattern_.rows[c], nj = pattern_.nodes[pattern_.order[q]].size;
      std::uint32_t walk = pattern_.firstRow[q];
      for (std::uint32_t r = c; r < pattern_.firstRow[p + 1]; ++r) {
        const std::uint32_t ni = pattern_.nodes[pattern_.order[pattern_.rows[r]]].size;
        double* target = nullptr;
        if (r == c) {
          target = &values_[pattern_.diagonal[q]];
        } else {
          while (pattern_.rows[walk] != pattern_.rows[r]) ++walk;
          target = &values_[pattern_.at[walk]];
        }
        const double* B = &values_[pattern_.at[r]];
        blocks::withSize(nj, [&](auto w) { blocks::subtractProduct(target, B, Yj, ni, n, w); });
      }
      Yj += static_cast<std::size_t>(nj) * n;
    }
  }
  return finite;
}

void BlockLdl::solve(double* x) const {
  const auto count = static_cast<std::uint32_t>(pattern_.order.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t n = pattern_.nodes[pattern_.order[p]].size;
    const double* D = &values_[pattern_.diagonal[p]];
    double* y = x + pattern_.offset[pattern_.order[p]];
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t k = 0; k < i; ++k) y[i] -= D[i * n + k] * y[k];
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
      const std::uint32_t m = pattern_.nodes[pattern_.order[pattern_.rows[r]]].size;
      const double* B = &values_[pattern_.at[r]];
      double* z = x + pattern_.offset[pattern_.order[pattern_.rows[r]]];
      for (std::uint32_t i = 0; i < m; ++i)
        for (std::uint32_t k = 0; k < n; ++k) z[i] -= B[i * n + k] * y[k];
    }
  }
  for (std::uint32_t p = count; p-- > 0;) {
    const std::uint32_t n = pattern_.nodes[pattern_.order[p]].size;
    const double* D = &values_[pattern_.diagonal[p]];
    const double* pivot = &pivots_[pattern_.pivotAt[p]];
    double* y = x + pattern_.offset[pattern_.order[p]];
    for (std::uint32_t i = 0; i < n; ++i) y[i] /= pivot[i];
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
      const std::uint32_t m = pattern_.nodes[pattern_.order[pattern_.rows[r]]].size;
      const double* B = &values_[pattern_.at[r]];
      const double* z = x + pattern_.offset[pattern_.order[pattern_.rows[r]]];
      for (std::uint32_t k = 0; k < n; ++k) {
        double v = 0;
        for (std::uint32_t i = 0; i < m; ++i) v += B[i * n + k] * z[i];
        y[k] -= v;
      }
    }
    for (std::uint32_t i = n; i-- > 0;)
      for (std::uint32_t k = i + 1; k < n; ++k) y[i] -= D[k * n + i] * y[k];
  }
}

}  // namespace tenon
