#include "math/block_lu.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/block_panels.h"

namespace tenon {

void BlockLu::analyse(const std::vector<NodeSpec>& nodes,
                      const std::vector<std::pair<Node, Node>>& edges) {
  pattern_.analyse(nodes, edges);
  const std::size_t count = nodes.size();
  pivots_.assign(count, {});
  offset_.assign(count, 0);
  columns_.assign(pattern_.rows.size(), 0);
  // Where what pivot p changes stands: beside each pivot q that it meets, the blocks that it meets after q.
  runs_.clear();
  firstRun_.assign(pattern_.rows.size() + 1, 0);
  for (std::uint32_t p = 0; p < count; ++p)
    for (std::uint32_t c = pattern_.firstRow[p]; c < pattern_.firstRow[p + 1]; ++c) {
      firstRun_[c] = static_cast<std::uint32_t>(runs_.size());
      std::uint32_t walk = pattern_.firstRow[pattern_.rows[c]];
      for (std::uint32_t r = c + 1; r < pattern_.firstRow[p + 1]; ++r, ++walk) {
        const bool begins = r == c + 1 || pattern_.rows[walk] != pattern_.rows[r];
        while (pattern_.rows[walk] != pattern_.rows[r]) ++walk;
        if (begins) runs_.push_back({r, r, walk});
        runs_.back().end = r + 1;
      }
    }
  firstRun_[pattern_.rows.size()] = static_cast<std::uint32_t>(runs_.size());
  std::vector<std::uint32_t> sizes;
  for (const NodeSpec& node : nodes) sizes.push_back(node.size);
  resize(sizes);
}

void BlockLu::resize(std::span<const std::uint32_t> sizes) {
  const auto count = static_cast<std::uint32_t>(pivots_.size());
  total_ = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    assert(sizes[n] <= pattern_.nodes[n].size);
    offset_[n] = total_;
    total_ += sizes[n];
  }
  std::size_t values = 0;
  std::uint32_t inverses = 0, highest = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    Pivot& pivot = pivots_[p];
    const Node node = pattern_.order[p];
    pivot.size = sizes[node];
    pivot.x = static_cast<std::uint32_t>(offset_[node]);
    pivot.first = inverses;
    inverses += pivot.size;
    pivot.height = 0;
    for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
      columns_[r] = pivot.height;
      pivot.height += sizes[pattern_.order[pattern_.rows[r]]];
    }
    highest = std::max(highest, pivot.height);
    pivot.stride = static_cast<std::uint32_t>(panels::paired(pivot.height));
    const std::size_t panel = static_cast<std::size_t>(pivot.size) * pivot.stride;
    pivot.D = values;
    pivot.L = pivot.D + pivot.size * panels::paired(pivot.size);
    pivot.U = pivot.L + panel;
    values = pivot.U + panel;
  }
  values_.assign(values + panels::kPair, 0);
  inverse_.assign(inverses, 0);
  upper_.assign(panels::paired(highest) + panels::kPair, 0);
  lower_.assign(panels::paired(highest) + panels::kPair, 0);
}

void BlockLu::clear() {
  // In pieces: of long ones the C library thinks longer than it writes.
  constexpr std::size_t kPiece = 128;
  for (std::size_t at = 0; at < values_.size(); at += kPiece)
    std::fill_n(values_.data() + at, std::min(kPiece, values_.size() - at), 0.0);
}

// Which of the blocks beside a pivot is that of a position.
std::uint32_t BlockLu::beside(std::uint32_t pivot, std::uint32_t position) const {
  std::uint32_t first = pattern_.firstRow[pivot], last = pattern_.firstRow[pivot + 1];
  while (last - first > 8) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (pattern_.rows[middle] <= position)
      first = middle;
    else
      last = middle;
  }
  while (pattern_.rows[first] != position) ++first;
  assert(first < last);
  return first;
}

BlockLu::Block BlockLu::block(Node row, Node column) {
  const std::uint32_t a = pattern_.position[row], b = pattern_.position[column];
  const Pivot& pivot = pivots_[std::min(a, b)];
  if (a == b)
    return {values_.data() + pivot.D, static_cast<std::uint32_t>(panels::paired(pivot.size)), 1};
  if (a < b) return {values_.data() + pivot.U + columns_[beside(a, b)], pivot.stride, 1};
  return {values_.data() + pivot.L + columns_[beside(b, a)], 1, pivot.stride};
}

// Where the blocks of pivot p before the one given end.
inline std::uint32_t BlockLu::columnAfter(std::uint32_t p, std::uint32_t row) const {
  return row < pattern_.firstRow[p + 1] ? columns_[row] : pivots_[p].height;
}

template <class Size>
void BlockLu::eliminate(std::uint32_t p, Size n, double floor, bool& finite) {
  const Pivot& pivot = pivots_[p];
  const std::size_t stride = pivot.stride, height = pivot.height;
  double *D = values_.data() + pivot.D, *L = values_.data() + pivot.L,
         *U = values_.data() + pivot.U;
  double* inverse = inverse_.data() + pivot.first;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    largest = std::max(largest, std::abs(D[i * panels::paired(n) + i]));
  const double least = floor * largest;
  perturbed_ += panels::factorise(D, inverse, least, largest > 0 ? least : 1, n, finite);
  // Below: L := B U⁻¹, all of it transposed. Above: U := L⁻¹ B.
  panels::eliminateRight(D, inverse, L, stride, n);
  panels::eliminateBelow(D, U, stride, n);
  // What is left: block (i, j) -= L_i U_j for all i and j beside p, row by row: those of D and U of the earlier of
  // the two, and the columns of L, which are its rows here.
  for (std::uint32_t c = pattern_.firstRow[p]; c < pattern_.firstRow[p + 1]; ++c) {
    const Pivot& to = pivots_[pattern_.rows[c]];
    const std::size_t size = to.size, begin = columns_[c], after = begin + size;
    double *D_to = values_.data() + to.D, *L_to = values_.data() + to.L,
           *U_to = values_.data() + to.U;
    const Run *firstRun = runs_.data() + firstRun_[c], *lastRun = runs_.data() + firstRun_[c + 1];
    double *upper = upper_.data(), *lower = lower_.data();
    for (std::size_t a = 0; a < size; ++a) {
      panels::combine(upper, L + begin + a, stride, U + begin, stride, height - begin, n);
      if (after < height)
        panels::combine(lower, U + begin + a, stride, L + after, stride, height - after, n);
      panels::subtract(D_to + a * panels::paired(size), upper, size);
      for (const Run* run = firstRun; run != lastRun; ++run) {
        const std::size_t from = columns_[run->begin] - after, at = columns_[run->to];
        const std::size_t length = columnAfter(p, run->end) - columns_[run->begin];
        panels::subtract(U_to + a * to.stride + at, upper + size + from, length);
        panels::subtract(L_to + a * to.stride + at, lower + from, length);
      }
    }
  }
}

bool BlockLu::factor(double floor) {
  perturbed_ = 0;
  bool finite = true;
  const auto count = static_cast<std::uint32_t>(pivots_.size());
  for (std::uint32_t p = 0; p < count; ++p)
    if (pivots_[p].size > 0)
      panels::withSize(pivots_[p].size, [&](auto n) { eliminate(p, n, floor, finite); });
  return finite;
}

template <class Size>
void BlockLu::solveDown(std::uint32_t p, Size n, double* x) {
  const Pivot& pivot = pivots_[p];
  const double* D = values_.data() + pivot.D;
  const std::size_t down = panels::paired(n);
  double *y = x + pivot.x, *beside = upper_.data();
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t k = 0; k < i; ++k) y[i] -= D[i * down + k] * y[k];
  panels::combine(beside, y, 1, values_.data() + pivot.L, pivot.stride, pivot.height, n);
  for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
    const Pivot& to = pivots_[pattern_.rows[r]];
    panels::subtract(x + to.x, beside + columns_[r], to.size);
  }
}

template <class Size>
void BlockLu::solveUp(std::uint32_t p, Size n, double* x) {
  const Pivot& pivot = pivots_[p];
  const double *D = values_.data() + pivot.D, *U = values_.data() + pivot.U,
               *inverse = inverse_.data() + pivot.first;
  const std::size_t down = panels::paired(n), stride = pivot.stride;
  double *y = x + pivot.x, *beside = upper_.data();
  for (std::uint32_t r = pattern_.firstRow[p]; r < pattern_.firstRow[p + 1]; ++r) {
    const Pivot& from = pivots_[pattern_.rows[r]];
    double* to = beside + columns_[r];
    for (std::size_t i = 0; i < from.size; ++i) to[i] = x[from.x + i];
  }
  beside[pivot.height] = 0;  // beside what fills up the rows of the panel
  panels::times(n, [&](auto i) {
    panels::Pair sum = panels::both(0);
    for (std::size_t j = 0; j < stride; j += panels::kPair)
      sum = sum + panels::pairAt(U + i * stride + j) * panels::pairAt(beside + j);
    double part[panels::kPair];
    panels::store(part, sum);
    y[i] -= part[0] + part[1];
  });
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) y[i] -= D[i * down + k] * y[k];
    y[i] *= inverse[i];
  }
}

void BlockLu::solve(double* x) {
  const auto count = static_cast<std::uint32_t>(pivots_.size());
  for (std::uint32_t p = 0; p < count; ++p)
    if (pivots_[p].size > 0) panels::withSize(pivots_[p].size, [&](auto n) { solveDown(p, n, x); });
  for (std::uint32_t p = count; p-- > 0;)
    if (pivots_[p].size > 0) panels::withSize(pivots_[p].size, [&](auto n) { solveUp(p, n, x); });
}

}  // namespace tenon
