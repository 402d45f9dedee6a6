// Conjugate gradients, preconditioned by the blocks of the joints. The loop is that of cg.cpp.
#include "solve/row_system.h"

#include "solve/vectors.h"

namespace tenon {

void RowSystem::solveByBlockCg(Call& call) {
  prepareBlocks(call.compliance);
  byGradients(call, true);
}

// The diagonal blocks of J M⁻¹ Jᵀ + C, one for each joint, factorised: L diag(d) Lᵀ.
void RowSystem::prepareBlocks(std::span<const double> compliance) {
  blockAt_.clear();
  blocks_.clear();
  for (std::size_t g = 0; g + 1 < groupFirst_.size(); ++g) {
    const Index first = groupFirst_[g], n = groupFirst_[g + 1] - first;
    blockAt_.push_back(blocks_.size());
    blocks_.resize(blocks_.size() + static_cast<std::size_t>(n) * n, 0);
    double* A = &blocks_[blockAt_.back()];
    for (Index i = 0; i < n; ++i) {
      const RowView& a = rows_[first + i];
      for (Index j = 0; j <= i; ++j) {
        const RowView& c = rows_[first + j];
        double sum = i == j ? (a.used ? compliance[first + i] : 1) : 0;
        if (a.used && c.used)
          for (Index v = a.first; v < a.first + a.count; ++v)
            for (Index w = c.first; w < c.first + c.count; ++w)
              if (views_[v].node == views_[w].node) sum += dotOf(views_[v].J, views_[w].MJ);
        A[i * n + j] = sum;
      }
    }
    for (Index j = 0; j < n; ++j) {
      const double before = A[j * n + j];
      for (Index k = 0; k < j; ++k) A[j * n + j] -= A[j * n + k] * A[j * n + k] * A[k * n + k];
      if (!(A[j * n + j] > 1e-12 * before)) A[j * n + j] = before > 0 ? before : 1;
      for (Index i = j + 1; i < n; ++i) {
        for (Index k = 0; k < j; ++k) A[i * n + j] -= A[i * n + k] * A[j * n + k] * A[k * n + k];
        A[i * n + j] /= A[j * n + j];
      }
    }
  }
}

void RowSystem::applyBlocks(const std::vector<double>& r, std::vector<double>& z) const {
  z = r;
  for (std::size_t g = 0; g + 1 < groupFirst_.size(); ++g) {
    const Index first = groupFirst_[g], n = groupFirst_[g + 1] - first;
    const double* A = &blocks_[blockAt_[g]];
    double* x = &z[first];
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < i; ++k) x[i] -= A[i * n + k] * x[k];
    for (Index i = 0; i < n; ++i) x[i] /= A[i * n + i];
    for (Index i = n; i-- > 0;)
      for (Index k = i + 1; k < n; ++k) x[i] -= A[k * n + i] * x[k];
  }
}

}  // namespace tenon
