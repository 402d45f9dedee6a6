#include "math/block_lu.h"

#include <algorithm>
#include <cmath>

#include "math/block_kernels.h"

namespace tenon {

void BlockLu::analyse(const std::vector<NodeSpec>& nodes,
                      const std::vector<std::pair<Node, Node>>& edges) {
  pattern_.analyse(nodes, edges);
  lower_.assign(pattern_.values, 0);
  upper_.assign(pattern_.values, 0);
  inverse_.assign(pattern_.total, 0);
}

void BlockLu::clear() {
  std::fill(lower_.begin(), lower_.end(), 0.0);
  std::fill(upper_.begin(), upper_.end(), 0.0);
}

BlockLu::Block BlockLu::block(Node row, Node column) {
  const BlockPattern::Place place = pattern_.place(row, column);
  // Transposed: the rows asked for are eliminated first, so the block is above the diagonal.
  if (place.transposed) return {&upper_[place.at], pattern_.nodes[column].size};
  return {&lower_[place.at], place.columns};
}

bool BlockLu::factor(double floor) {
  perturbed_ = 0;
  bool finite = true;
  const auto count = static_cast<std::uint32_t>(pattern_.order.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t first = pattern_.firstRow[p], last = pattern_.firstRow[p + 1];
    double *D = &lower_[pattern_.diagonal[p]], *inverse = &inverse_[pattern_.pivotAt[p]];
    blocks::withSize(pattern_.sizeAt(p), [&](auto n) {
      double largest = 0;
      for (std::uint32_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(D[i * n + i]));
      const double least = floor * largest;
      perturbed_ += blocks::factorise(D, inverse, least, largest > 0 ? least : 1, n, finite);
      // Below: L_i = B U⁻¹.
      for (std::uint32_t r = first; r < last; ++r)
        blocks::eliminateRight(D, inverse, &lower_[pattern_.at[r]],
                               pattern_.sizeAt(pattern_.rows[r]), n);
    });
    // Above: U_i = L⁻¹ B. What is left: block (i, j) -= L_i U_j for all i and j beside p.
    const std::uint32_t n = pattern_.sizeAt(p);
    for (std::uint32_t r = first; r < last; ++r)
      blocks::withSize(pattern_.sizeAt(pattern_.rows[r]),
                       [&](auto m) { blocks::eliminateBelow(D, &upper_[pattern_.at[r]], n, m); });
    for (std::uint32_t c = first; c < last; ++c) {
      const std::uint32_t q = pattern_.rows[c];
      const double *Lj = &lower_[pattern_.at[c]], *Uj = &upper_[pattern_.at[c]];
      blocks::withSize(pattern_.sizeAt(q), [&](auto nj) {
        blocks::subtractProduct(&lower_[pattern_.diagonal[q]], Lj, Uj, nj, n, nj);
        std::uint32_t walk = pattern_.firstRow[q];
        for (std::uint32_t r = c + 1; r < last; ++r) {
          while (pattern_.rows[walk] != pattern_.rows[r]) ++walk;
          const std::size_t at = pattern_.at[walk], row = pattern_.at[r];
          const std::uint32_t ni = pattern_.sizeAt(pattern_.rows[r]);
          blocks::subtractProduct(&lower_[at], &lower_[row], Uj, ni, n, nj);
          blocks::withSize(ni, [&](auto w) {
            blocks::subtractProduct(&upper_[at], Lj, &upper_[row], nj, n, w);
          });
        }
      });
    }
  }
  return finite;
}

void BlockLu::solve(double* x) const {
  const auto count = static_cast<std::uint32_t>(pattern_.order.size());
  const auto at = [&](std::uint32_t position) {
    return x + pattern_.offset[pattern_.order[position]];
  };
  for (std::uint32_t p = 0; p < count; ++p) {
    const double* D = &lower_[pattern_.diagonal[p]];
    double* y = at(p);
    blocks::withSize(pattern_.sizeAt(p), [&](auto n) {
      blocks::eliminateBelow(D, y, n, std::integral_constant<std::uint32_t, 1>{});
      for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r)
        blocks::subtractProduct(at(pattern_.rows[r]), &lower_[pattern_.at[r]], y,
                                pattern_.sizeAt(pattern_.rows[r]), n);
    });
  }
  for (std::uint32_t p = count; p-- > 0;) {
    const std::uint32_t n = pattern_.sizeAt(p);
    const double *D = &lower_[pattern_.diagonal[p]], *inverse = &inverse_[pattern_.pivotAt[p]];
    double* y = at(p);
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r)
      blocks::withSize(pattern_.sizeAt(pattern_.rows[r]), [&](auto m) {
        blocks::subtractProduct(y, &upper_[pattern_.at[r]], at(pattern_.rows[r]), n, m);
      });
    for (std::uint32_t i = n; i-- > 0;) {
      for (std::uint32_t k = i + 1; k < n; ++k) y[i] -= D[i * n + k] * y[k];
      y[i] *= inverse[i];
    }
  }
}

}  // namespace tenon
