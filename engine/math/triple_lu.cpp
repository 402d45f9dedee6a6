#include "math/triple_lu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tenon {

namespace {

// A number of U and the one of L that mirrors it.
#ifdef __EMSCRIPTEN__
struct alignas(16) Pair {  // see intoLanes of packed/small.h: no vectors of the compiler's own
  double a, b;
};
inline Pair operator+(Pair x, Pair y) { return {x.a + y.a, x.b + y.b}; }
inline Pair operator-(Pair x, Pair y) { return {x.a - y.a, x.b - y.b}; }
inline double firstOf(Pair x) { return x.a; }
inline double secondOf(Pair x) { return x.b; }
inline Pair operator*(Pair x, Pair y) { return {x.a * y.a, x.b * y.b}; }
#else
typedef double Pair __attribute__((vector_size(16), may_alias));
inline double firstOf(Pair x) { return x[0]; }
inline double secondOf(Pair x) { return x[1]; }
#endif
constexpr std::size_t kBlock = 18;  // numbers of a block and its mirror

[[gnu::always_inline]] inline Pair pairAt(const double* at) {
  Pair pair;
  std::memcpy(&pair, at, sizeof pair);
  return pair;
}
[[gnu::always_inline]] inline void store(double* at, Pair pair) {
  std::memcpy(at, &pair, sizeof pair);
}

// D -= L U, of the L and U of one block: a number above the diagonal together with the one that mirrors it. `left` as below.
[[gnu::always_inline]] inline void subtractOwn(double* D, const Pair (&left)[9], const double* LU) {
  for (int i = 0; i < 3; ++i) {
    const double* at = LU + 2 * i;
    D[4 * i] -= at[0] * at[1] + at[6] * at[7] + at[12] * at[13];
    for (int j = i + 1; j < 3; ++j) {
      const Pair sum = left[3 * i] * pairAt(LU + 2 * j) + left[3 * i + 1] * pairAt(LU + 6 + 2 * j) +
                       left[3 * i + 2] * pairAt(LU + 12 + 2 * j);
      D[3 * i + j] -= firstOf(sum);
      D[3 * j + i] -= secondOf(sum);
    }
  }
}

// Of C, between i and j:  U -= L_i U_j,  Lᵀ -= U_iᵀ L_jᵀ. `left` has the pairs of L_i and U_iᵀ, row by row.
[[gnu::always_inline]] inline void subtractProduct(double* C, const Pair (&left)[9],
                                                   const double* LU) {
  Pair right[9];
  for (int i = 0; i < 9; ++i) right[i] = pairAt(LU + 2 * i);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double* to = C + 2 * (3 * i + j);
      store(to, pairAt(to) - left[3 * i] * right[j] - left[3 * i + 1] * right[3 + j] -
                    left[3 * i + 2] * right[6 + j]);
    }
}

}  // namespace

std::vector<TripleLu::Triple> TripleLu::firstTriples(const std::vector<NodeSpec>& nodes) {
  std::vector<Triple> first{0};
  for (const NodeSpec& node : nodes) first.push_back(first.back() + (node.size + 2) / 3);
  return first;
}

void TripleLu::analyse(const std::vector<NodeSpec>& nodes,
                       const std::vector<std::pair<Node, Node>>& edges,
                       const std::vector<std::pair<Triple, Triple>>& tripleEdges) {
  pattern_.analyse(nodes, edges);
  const std::vector<Triple> first = firstTriples(nodes);
  const std::uint32_t count = first.back();
  position_.assign(count, 0);
  std::uint32_t next = 0;
  for (const Node node : pattern_.order)
    for (Triple t = first[node]; t < first[node + 1]; ++t) position_[t] = next++;
  // What a pivot meets later: its own edges, and what those meet whose first meeting it is.
  std::vector<std::vector<std::uint32_t>> meets(count);
  for (const auto& [a, b] : tripleEdges) {
    const std::uint32_t p = std::min(position_[a], position_[b]);
    const std::uint32_t q = std::max(position_[a], position_[b]);
    if (p != q) meets[p].push_back(q);
  }
  pivots_.assign(count, {});
  rows_.clear();
  std::size_t values = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    std::vector<std::uint32_t>& mine = meets[p];
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    if (mine.size() > 1)
      meets[mine.front()].insert(meets[mine.front()].end(), mine.begin() + 1, mine.end());
    Pivot& pivot = pivots_[p];
    pivot.first = static_cast<std::uint32_t>(rows_.size());
    rows_.insert(rows_.end(), mine.begin(), mine.end());
    pivot.last = static_cast<std::uint32_t>(rows_.size());
    pivot.D = values;
    pivot.LU = pivot.D + 10;  // even, as pairs are
    values = pivot.LU + kBlock * mine.size();
    mine = {};
  }
  for (Triple t = 0; t < count; ++t) pivots_[position_[t]].x = 3 * t;
  values_.assign(values, 0);
  inverse_.assign(3 * static_cast<std::size_t>(count), 0);
  used_.assign(count, 1);
  steps_.reserve(count);
  meetings_.reserve(rows_.size());
  list();  // with all of them: there is room for what a step may ask for
  targets_.reserve(2 * targets_.size() + rows_.size());
}

// Block (i, j) of two that a pivot meets is kept beside the earlier of the two, whose list has all that the pivot meets
// after it.
void TripleLu::list() {
  isListed_ = true;
  steps_.clear();
  meetings_.clear();
  targets_.clear();
  const auto count = static_cast<std::uint32_t>(pivots_.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    if (used_[p] == 0) continue;
    const Pivot& pivot = pivots_[p];
    Step& step = steps_.emplace_back();
    step.pivot = p;
    step.first = static_cast<std::uint32_t>(meetings_.size());
    for (std::uint32_t r = pivot.first; r < pivot.last; ++r) {
      if (used_[rows_[r]] == 0) continue;
      const Pivot& to = pivots_[rows_[r]];
      Meeting& meeting = meetings_.emplace_back();
      meeting.x = to.x;
      meeting.D = static_cast<std::uint32_t>(to.D);
      meeting.LU = static_cast<std::uint32_t>(pivot.LU + kBlock * (r - pivot.first));
      const std::size_t before = targets_.size();
      bool isRun = true;
      std::uint32_t at = to.first;
      for (std::uint32_t c = r + 1; c < pivot.last; ++c) {
        if (used_[rows_[c]] == 0) continue;
        while (rows_[at] != rows_[c]) ++at;
        const auto target = static_cast<std::uint32_t>(to.LU + kBlock * (at - to.first));
        isRun = isRun && (targets_.size() == before || target == targets_.back() + kBlock);
        targets_.push_back(target);
      }
      meeting.target = !isRun ? kScattered : targets_.size() > before ? targets_[before] : 0;
      if (isRun) targets_.resize(before);
    }
    step.last = static_cast<std::uint32_t>(meetings_.size());
  }
}

void TripleLu::clear() {
  // In pieces: of long ones the C library thinks longer than it writes.
  constexpr std::size_t kPiece = 128;
  for (std::size_t at = 0; at < values_.size(); at += kPiece)
    std::fill_n(values_.data() + at, std::min(kPiece, values_.size() - at), 0.0);
}

TripleLu::Block TripleLu::block(Triple row, Triple column) {
  const std::uint32_t a = position_[row], b = position_[column];
  const Pivot& pivot = pivots_[std::min(a, b)];
  if (a == b) return {values_.data() + pivot.D, 3, 1};
  const std::uint32_t later = std::max(a, b);
  const std::uint32_t* first = rows_.data() + pivot.first;
  const std::uint32_t* last = rows_.data() + pivot.last;
  if (last - first > 8) first = std::lower_bound(first, last, later);
  while (first != last && *first < later) ++first;
  if (first == last || *first != later) return {};
  const auto index = static_cast<std::size_t>(first - rows_.data()) - pivot.first;
  double* values = values_.data() + pivot.LU + kBlock * index;
  return a < b ? Block{values, 6, 2} : Block{values + 1, 2, 6};
}

bool TripleLu::factor(double floor) {
  perturbed_ = 0;
  bool finite = true;
  if (!isListed_) list();
  double* const values = values_.data();
  const std::uint32_t* target = targets_.data();
  for (const Step& step : steps_) {
    double* D = values + pivots_[step.pivot].D;
    double* inverse = inverse_.data() + 3 * static_cast<std::size_t>(step.pivot);
    // D := L U in place, with ones on the diagonal of L; `inverse` has one over that of U.
    const double largest = std::max({std::abs(D[0]), std::abs(D[4]), std::abs(D[8])});
    const double least = floor * largest, instead = largest > 0 ? least : 1;
    const auto turnOver = [&](int k) {
      double& pivoted = D[4 * k];
      if (!(std::abs(pivoted) > least)) {
        finite = finite && std::isfinite(pivoted);
        pivoted = pivoted < 0 ? -instead : instead;
        ++perturbed_;
      }
      inverse[k] = 1 / pivoted;
    };
    turnOver(0);
    D[3] *= inverse[0];
    D[6] *= inverse[0];
    D[4] -= D[3] * D[1];
    D[5] -= D[3] * D[2];
    D[7] -= D[6] * D[1];
    D[8] -= D[6] * D[2];
    turnOver(1);
    D[7] *= inverse[1];
    D[8] -= D[7] * D[5];
    turnOver(2);
    // Above: U := L⁻¹ B. Below: L := B U⁻¹, which transposed is Lᵀ := U⁻ᵀ Bᵀ.
    const Meeting* const first = meetings_.data() + step.first;
    const Meeting* const last = meetings_.data() + step.last;
    const Pair scale[3] = {{1, inverse[0]}, {1, inverse[1]}, {1, inverse[2]}};
    const Pair d10{D[3], D[1]}, d20{D[6], D[2]}, d21{D[7], D[5]};
    for (const Meeting* r = first; r != last; ++r) {
      double* const LU = values + r->LU;
      for (double* at = LU; at < LU + 6; at += 2) {
        const Pair x = pairAt(at) * scale[0];
        const Pair y = (pairAt(at + 6) - d10 * x) * scale[1];
        const Pair z = (pairAt(at + 12) - d20 * x - d21 * y) * scale[2];
        store(at, x);
        store(at + 6, y);
        store(at + 12, z);
      }
    }
    // What is left: block (i, j) -= L_i U_j for all i and j beside p.
    for (const Meeting* r = first; r != last; ++r) {
      const double* own = values + r->LU;
      Pair left[9];  // L_i(i, k) and U_i(k, i)
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          left[3 * i + k] = Pair{own[2 * (3 * k + i) + 1], own[2 * (3 * k + i)]};
      subtractOwn(values + r->D, left, own);
      double* run = values + (r->target != kScattered ? r->target : 0);
      for (const Meeting* c = r + 1; c != last; ++c, run += kBlock)
        subtractProduct(r->target != kScattered ? run : values + *target++, left, values + c->LU);
    }
  }
  return finite;
}

void TripleLu::solve(double* x) const {
  const double* const values = values_.data();
  for (const Step& step : steps_) {
    const Pivot& pivot = pivots_[step.pivot];
    const double* D = values + pivot.D;
    double* y = x + pivot.x;
    y[1] -= D[3] * y[0];
    y[2] = y[2] - D[6] * y[0] - D[7] * y[1];
    const double a = y[0], b = y[1], c = y[2];
    for (std::uint32_t r = step.first; r < step.last; ++r) {
      const double* LU = values + meetings_[r].LU;
      double* to = x + meetings_[r].x;
      for (int i = 0; i < 3; ++i)
        to[i] = to[i] - LU[2 * i + 1] * a - LU[2 * i + 7] * b - LU[2 * i + 13] * c;
    }
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Pivot& pivot = pivots_[step->pivot];
    const double* D = values + pivot.D;
    const double* inverse = inverse_.data() + 3 * static_cast<std::size_t>(step->pivot);
    double sum[3] = {x[pivot.x], x[pivot.x + 1], x[pivot.x + 2]};
    for (std::uint32_t r = step->first; r < step->last; ++r) {
      const double* LU = values + meetings_[r].LU;
      const double* from = x + meetings_[r].x;
      const double a = from[0], b = from[1], c = from[2];
      for (int i = 0; i < 3; ++i)
        sum[i] = sum[i] - LU[6 * i] * a - LU[6 * i + 2] * b - LU[6 * i + 4] * c;
    }
    sum[2] *= inverse[2];
    sum[1] = (sum[1] - D[5] * sum[2]) * inverse[1];
    sum[0] = (sum[0] - D[1] * sum[1] - D[2] * sum[2]) * inverse[0];
    for (int i = 0; i < 3; ++i) x[pivot.x + static_cast<std::uint32_t>(i)] = sum[i];
  }
}

}  // namespace tenon
