#include "math/triple_lu.h"

#include <algorithm>

#include "math/machine.h"

namespace tenon {

namespace {

constexpr std::size_t kBlock = triples::kBlock;
constexpr std::uint32_t kScattered = triples::kScattered;

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

triples::View TripleLu::view() const {
  return {pivots_.data(), steps_.data(), steps_.data() + steps_.size(), meetings_.data(),
          targets_.data()};
}

bool TripleLu::factor(double floor) {
  if (!isListed_) list();
  const triples::Factored factored = (hasAvx2() ? &triples::factorAvx2 : &triples::factor)(
      view(), floor, values_.data(), inverse_.data());
  perturbed_ = factored.perturbed;
  return factored.finite;
}

void TripleLu::solve(double* x) const {
  (hasAvx2() ? &triples::solveAvx2 : &triples::solve)(view(), values_.data(), inverse_.data(), x);
}

}  // namespace tenon
