#include "math/block_pattern.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <tuple>

namespace tenon {

namespace {

constexpr double kMuchFill = 6;  // a factorisation's work, over that of the matrix without fill
constexpr std::uint64_t kShuffles = 6;

// A number that depends on all bits of `n` and of `shuffle`; n itself for shuffle 0.
std::uint64_t shuffled(std::uint64_t n, std::uint64_t shuffle) {
  if (shuffle == 0) return n;
  std::uint64_t x = n + shuffle * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

void BlockPattern::analyse(const std::vector<NodeSpec>& specs,
                           const std::vector<std::pair<Node, Node>>& edges) {
  nodes = specs;
  const std::size_t count = nodes.size();
  offset.resize(count);
  total = 0;
  for (std::size_t n = 0; n < count; ++n) {
    offset[n] = total;
    total += nodes[n].size;
  }
  std::vector<std::vector<Node>> near(count);
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    near[a].push_back(b);
    near[b].push_back(a);
  }
  double least = 0;  // work without fill
  for (std::size_t n = 0; n < count; ++n) {
    std::sort(near[n].begin(), near[n].end());
    near[n].erase(std::unique(near[n].begin(), near[n].end()), near[n].end());
    double height = nodes[n].size;
    for (const Node m : near[n]) height += 0.5 * nodes[m].size;  // half of them come later
    least += nodes[n].size * height * height;
  }
  eliminate(near, 0);
  if (work() <= kMuchFill * least) return;
  std::uint64_t best = 0;
  double cheapest = work();
  for (std::uint64_t shuffle = 1; shuffle <= kShuffles; ++shuffle) {
    eliminate(near, shuffle);
    if (work() < cheapest) {
      cheapest = work();
      best = shuffle;
    }
  }
  if (best != kShuffles) eliminate(std::move(near), best);
}

// Minimum degree by an explicit elimination graph. Lists of neighbours keep nodes that are gone until
// they are walked, so that a hub with many leaves costs no more than its leaves.
void BlockPattern::eliminate(std::vector<std::vector<Node>> near, std::uint64_t shuffle) {
  const std::size_t count = nodes.size();
  std::vector<std::uint64_t> degree(count, 0), rank(count);
  for (std::size_t n = 0; n < count; ++n) {
    rank[n] = shuffled(n, shuffle);
    for (const Node m : near[n]) degree[n] += nodes[m].size;
  }
  using Entry = std::tuple<std::uint64_t, std::uint64_t, Node>;  // degree, rank among equals
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<bool> gone(count, false), ready(count, false);
  for (Node n = 0; n < count; ++n) {
    ready[n] = nodes[n].positive || std::none_of(near[n].begin(), near[n].end(),
                                                 [&](Node m) { return nodes[m].positive; });
  }
  std::vector<bool> follows(count, false);
  for (const NodeSpec& node : nodes)
    if (node.next != kNone) follows[node.next] = true;
  for (Node n = 0; n < count; ++n)
    if (ready[n] && !follows[n]) queue.emplace(degree[n], rank[n], n);
  order.clear();
  position.assign(count, 0);
  std::vector<std::vector<Node>> below(count);  // by position
  std::vector<std::uint32_t> mark(count, 0);
  std::uint32_t stamp = 0;
  Node next = kNone;
  while (next != kNone || !queue.empty()) {
    Node k = next;
    if (next == kNone) {
      k = std::get<2>(queue.top());
      const std::uint64_t cost = std::get<0>(queue.top());
      queue.pop();
      if (gone[k] || cost != degree[k]) continue;
    }
    next = nodes[k].next;
    gone[k] = true;
    position[k] = static_cast<std::uint32_t>(order.size());
    std::vector<Node>& mine = below[order.size()];
    order.push_back(k);
    for (const Node m : near[k])
      if (!gone[m]) mine.push_back(m);
    near[k] = {};
    for (const Node i : mine) {
      degree[i] -= nodes[k].size;
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
            degree[i] += nodes[m].size;
          }
      }
      if (nodes[k].positive) ready[i] = true;
      if (ready[i] && !follows[i]) queue.emplace(degree[i], rank[i], i);
    }
  }
  // Negative nodes that no positive one ever touched come last.
  for (Node n = 0; n < count; ++n)
    if (!gone[n]) {
      position[n] = static_cast<std::uint32_t>(order.size());
      order.push_back(n);
    }

  firstRow.assign(count + 1, 0);
  rows.clear();
  at.clear();
  diagonal.resize(count);
  pivotAt.resize(count);
  std::size_t pivots = 0;
  values = 0;
  std::uint32_t widest = 0;
  std::size_t tallest = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    const std::uint32_t width = nodes[order[p]].size;
    widest = std::max(widest, width);
    diagonal[p] = values;
    values += static_cast<std::size_t>(width) * width;
    pivotAt[p] = pivots;
    pivots += width;
    firstRow[p] = static_cast<std::uint32_t>(rows.size());
    for (const Node m : below[p]) rows.push_back(position[m]);
    std::sort(rows.data() + firstRow[p], rows.data() + rows.size());
    std::size_t height = 0;
    for (std::size_t r = firstRow[p]; r < rows.size(); ++r) {
      at.push_back(values);
      height += nodes[order[rows[r]]].size;
      values += static_cast<std::size_t>(width) * nodes[order[rows[r]]].size;
    }
    tallest = std::max(tallest, height);
  }
  firstRow[count] = static_cast<std::uint32_t>(rows.size());
  scratch = tallest * widest;
}

BlockPattern::Place BlockPattern::place(Node first, Node second) const {
  const std::uint32_t a = position[first], b = position[second];
  if (a == b) return {diagonal[a], nodes[first].size, false};
  const std::uint32_t column = std::min(a, b), row = std::max(a, b);
  const std::uint32_t *begin = rows.data() + firstRow[column],
                      *end = rows.data() + firstRow[column + 1];
  const std::uint32_t* found = std::lower_bound(begin, end, row);
  assert(found != end && *found == row);
  return {at[static_cast<std::size_t>(found - rows.data())], nodes[order[column]].size, row == b};
}

bool BlockPattern::has(Node first, Node second) const {
  const std::uint32_t column = std::min(position[first], position[second]);
  const std::uint32_t row = std::max(position[first], position[second]);
  return column == row || std::binary_search(rows.data() + firstRow[column],
                                             rows.data() + firstRow[column + 1], row);
}

double BlockPattern::work() const {
  double sum = 0;
  for (std::uint32_t p = 0; p < order.size(); ++p) {
    double height = 0;
    for (std::uint32_t r = firstRow[p]; r < firstRow[p + 1]; ++r) height += sizeAt(rows[r]);
    sum += sizeAt(p) * (sizeAt(p) + height) * (sizeAt(p) + height);
  }
  return sum;
}

void addJointEdges(BlockPattern::Node joint, std::vector<BlockPattern::Node>& touched,
                   std::vector<std::pair<BlockPattern::Node, BlockPattern::Node>>& edges,
                   bool ties) {
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (std::size_t i = 0; i < touched.size(); ++i) {
    edges.emplace_back(touched[i], joint);
    for (std::size_t k = i + 1; ties && k < touched.size(); ++k)
      edges.emplace_back(touched[i], touched[k]);
  }
}

}  // namespace tenon
