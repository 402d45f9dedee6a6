#include "math/block_ldl.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <queue>

namespace tenon {

void BlockLdl::analyse(const std::vector<NodeSpec>& nodes,
                       const std::vector<std::pair<Node, Node>>& edges) {
  nodes_ = nodes;
  offset_.resize(nodes.size());
  total_ = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    offset_[n] = total_;
    total_ += nodes[n].size;
  }
  order(edges);
}

// Minimum degree by an explicit elimination graph. Lists of neighbours keep nodes that are gone until
// they are walked, so that a hub with many leaves costs no more than its leaves.
void BlockLdl::order(const std::vector<std::pair<Node, Node>>& edges) {
  const std::size_t count = nodes_.size();
  std::vector<std::vector<Node>> near(count);
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    near[a].push_back(b);
    near[b].push_back(a);
  }
  std::vector<std::uint64_t> degree(count, 0);
  for (std::size_t n = 0; n < count; ++n) {
    std::sort(near[n].begin(), near[n].end());
    near[n].erase(std::unique(near[n].begin(), near[n].end()), near[n].end());
    for (const Node m : near[n]) degree[n] += nodes_[m].size;
  }
  using Entry = std::pair<std::uint64_t, Node>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<bool> gone(count, false), ready(count, false);
  for (Node n = 0; n < count; ++n) {
    ready[n] = nodes_[n].positive || std::none_of(near[n].begin(), near[n].end(),
                                                  [&](Node m) { return nodes_[m].positive; });
    if (ready[n]) queue.emplace(degree[n], n);
  }
  order_.clear();
  position_.assign(count, 0);
  std::vector<std::vector<Node>> below(count);  // by position
  std::vector<std::uint32_t> mark(count, 0);
  std::uint32_t stamp = 0;
  while (!queue.empty()) {
    const auto [cost, k] = queue.top();
    queue.pop();
    if (gone[k] || cost != degree[k]) continue;
    gone[k] = true;
    position_[k] = static_cast<std::uint32_t>(order_.size());
    std::vector<Node>& mine = below[order_.size()];
    order_.push_back(k);
    for (const Node m : near[k])
      if (!gone[m]) mine.push_back(m);
    near[k] = {};
    for (const Node i : mine) {
      degree[i] -= nodes_[k].size;
      if (mine.size() > 1) {
        ++stamp;
        mark[i] = stamp;
        auto& list = near[i];
        list.erase(std::remove_if(list.begin(), list.end(), [&](Node m) { return gone[m]; }),
                   list.end());
        for (const Node m : list) mark[m] = stamp;
        for (const Node m : mine)
          if (mark[m] != stamp) {
            list.push_back(m);
            degree[i] += nodes_[m].size;
          }
      }
      if (nodes_[k].positive) ready[i] = true;
      if (ready[i]) queue.emplace(degree[i], i);
    }
  }
  // Negative nodes that no positive one ever touched come last.
  for (Node n = 0; n < count; ++n)
    if (!gone[n]) {
      position_[n] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(n);
    }

  firstRow_.assign(count + 1, 0);
  rows_.clear();
  at_.clear();
  diagonal_.resize(count);
  pivotAt_.resize(count);
  std::size_t values = 0, pivots = 0;
  std::uint32_t widest = 0;
  std::size_t tallest = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t width = nodes_[order_[p]].size;
    widest = std::max(widest, width);
    diagonal_[p] = values;
    values += static_cast<std::size_t>(width) * width;
    pivotAt_[p] = pivots;
    pivots += width;
    firstRow_[p] = static_cast<std::uint32_t>(rows_.size());
    for (const Node m : below[p]) rows_.push_back(position_[m]);
    std::sort(rows_.data() + firstRow_[p], rows_.data() + rows_.size());
    std::size_t height = 0;
    for (std::size_t r = firstRow_[p]; r < rows_.size(); ++r) {
      at_.push_back(values);
      height += nodes_[order_[rows_[r]]].size;
      values += static_cast<std::size_t>(width) * nodes_[order_[rows_[r]]].size;
    }
    tallest = std::max(tallest, height);
  }
  firstRow_[count] = static_cast<std::uint32_t>(rows_.size());
  values_.assign(values, 0);
  pivots_.assign(pivots, 0);
  scratch_.assign(tallest * widest, 0);
}

void BlockLdl::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

BlockLdl::Block BlockLdl::block(Node first, Node second) {
  const std::uint32_t a = position_[first], b = position_[second];
  if (a == b) return {&values_[diagonal_[a]], nodes_[first].size, false};
  const std::uint32_t column = std::min(a, b), row = std::max(a, b);
  const std::uint32_t *begin = rows_.data() + firstRow_[column],
                      *end = rows_.data() + firstRow_[column + 1];
  const std::uint32_t* found = std::lower_bound(begin, end, row);
  assert(found != end && *found == row);
  return {&values_[at_[static_cast<std::size_t>(found - rows_.data())]],
          nodes_[order_[column]].size, row == b};
}

bool BlockLdl::factor(double floor) {
  perturbed_ = 0;
  bool finite = true;
  const auto count = static_cast<std::uint32_t>(order_.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t n = nodes_[order_[p]].size;
    const double sign = nodes_[order_[p]].positive ? 1 : -1;
    double* D = &values_[diagonal_[p]];
    double* pivot = &pivots_[pivotAt_[p]];
    double largest = 0;
    for (std::uint32_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(D[i * n + i]));
    // The block itself: D = L diag(pivot) Lᵀ, L in the lower triangle.
    for (std::uint32_t j = 0; j < n; ++j) {
      double d = D[j * n + j];
      for (std::uint32_t k = 0; k < j; ++k) d -= D[j * n + k] * D[j * n + k] * pivot[k];
      if (!(sign * d > floor * largest)) {
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
    // Blocks below: Y = B L⁻ᵀ into the scratch, then B := Y diag(pivot)⁻¹.
    double* Y = scratch_.data();
    for (std::uint32_t r = firstRow_[p]; r < firstRow_[p + 1]; ++r) {
      const std::uint32_t m = nodes_[order_[rows_[r]]].size;
      double* B = &values_[at_[r]];
      for (std::uint32_t i = 0; i < m; ++i) {
        double* y = Y + i * n;
        double* b = B + i * n;
        for (std::uint32_t j = 0; j < n; ++j) {
          double v = b[j];
          for (std::uint32_t k = 0; k < j; ++k) v -= y[k] * D[j * n + k];
          y[j] = v;
        }
        for (std::uint32_t j = 0; j < n; ++j) b[j] = y[j] / pivot[j];
      }
      Y += static_cast<std::size_t>(m) * n;
    }
    // What is left: block (i, j) -= B_i Y_jᵀ for the rows i >= j below.
    const double* Yj = scratch_.data();
    for (std::uint32_t c = firstRow_[p]; c < firstRow_[p + 1]; ++c) {
      const std::uint32_t q = rows_[c], nj = nodes_[order_[q]].size;
      std::uint32_t walk = firstRow_[q];
      for (std::uint32_t r = c; r < firstRow_[p + 1]; ++r) {
        const std::uint32_t ni = nodes_[order_[rows_[r]]].size;
        double* target = nullptr;
        if (r == c) {
          target = &values_[diagonal_[q]];
        } else {
          while (rows_[walk] != rows_[r]) ++walk;
          target = &values_[at_[walk]];
        }
        const double* B = &values_[at_[r]];
        for (std::uint32_t i = 0; i < ni; ++i)
          for (std::uint32_t j = 0; j < nj; ++j) {
            double v = 0;
            for (std::uint32_t k = 0; k < n; ++k) v += B[i * n + k] * Yj[j * n + k];
            target[i * nj + j] -= v;
          }
      }
      Yj += static_cast<std::size_t>(nj) * n;
    }
  }
  return finite;
}

void BlockLdl::solve(double* x) const {
  const auto count = static_cast<std::uint32_t>(order_.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t n = nodes_[order_[p]].size;
    const double* D = &values_[diagonal_[p]];
    double* y = x + offset_[order_[p]];
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t k = 0; k < i; ++k) y[i] -= D[i * n + k] * y[k];
    for (std::uint32_t r = firstRow_[p]; r < firstRow_[p + 1]; ++r) {
      const std::uint32_t m = nodes_[order_[rows_[r]]].size;
      const double* B = &values_[at_[r]];
      double* z = x + offset_[order_[rows_[r]]];
      for (std::uint32_t i = 0; i < m; ++i)
        for (std::uint32_t k = 0; k < n; ++k) z[i] -= B[i * n + k] * y[k];
    }
  }
  for (std::uint32_t p = count; p-- > 0;) {
    const std::uint32_t n = nodes_[order_[p]].size;
    const double* D = &values_[diagonal_[p]];
    const double* pivot = &pivots_[pivotAt_[p]];
    double* y = x + offset_[order_[p]];
    for (std::uint32_t i = 0; i < n; ++i) y[i] /= pivot[i];
    for (std::uint32_t r = firstRow_[p]; r < firstRow_[p + 1]; ++r) {
      const std::uint32_t m = nodes_[order_[rows_[r]]].size;
      const double* B = &values_[at_[r]];
      const double* z = x + offset_[order_[rows_[r]]];
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
