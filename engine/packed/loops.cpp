#include "packed/loops.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>

#include "math/block_pattern.h"
#include "math/machine.h"
#include "math/order.h"
#include "packed/plain.h"

namespace tenon::packed {

namespace {

// Products of blocks a node, from which on factors are kept for several iterations.
constexpr double kHeavy = 60;
// Products of a factorisation from which on it is done in parts, and about how many.
constexpr double kLarge = 30000;
constexpr double kParts = 4;

V3<double> vectorOf(const Vec3& v) { return {v.x, v.y, v.z}; }

S3<double> symmetric(const Mat3& a) {
  return {a(0, 0), a(1, 1), a(2, 2), a(0, 1), a(0, 2), a(1, 2)};
}

// Which of the solids it is; their number if it is none.
std::size_t placeOf(const LoopGiven& rows, Index solid) {
  const auto first = rows.solids.begin(), last = first + static_cast<std::ptrdiff_t>(rows.count);
  return static_cast<std::size_t>(std::find(first, last, solid) - first);
}

}  // namespace

LoopStep loopStep(bool over, bool wide) {
  if (wide && hasAvx2()) return over ? &stepLoopOverAvx2 : &stepLoopAtEndAvx2;
  return over ? &stepLoopOver : &stepLoopAtEnd;
}

bool LoopGiven::add(const Mechanism& mechanism, Index solid) {
  if (isGround(mechanism, solid)) return true;
  if (placeOf(*this, solid) < count) return true;
  if (count == kMost) return false;
  solids[count++] = solid;
  return true;
}

void Loop::clear() {
  nodes_.clear();
  held_.clear();
  given_.clear();
  endsOfGiven_.clear();
}

bool Loop::plan(const Mechanism& m, std::span<const Index> solids, std::span<const Index> joints) {
  clear();
  addNodes(m, joints, false);
  return placeEnds(m, solids);
}

bool Loop::planPose(const Mechanism& m, std::span<const Index> solids,
                    std::span<const Index> joints, std::span<const LoopPin> pins,
                    std::span<const LoopGiven> given) {
  clear();
  addNodes(m, joints, true);
  firstPin_ = nodes_.size();
  for (const LoopPin& pin : pins) {
    if (isGround(m, pin.solid)) return false;
    LoopNode node{};
    node.solid2 = pin.solid;
    LoopEnd end{};
    end.node = static_cast<Index>(nodes_.size());
    end.axis[0] = vectorOf(pin.point);
    hold(pin.solid, end);
    nodes_.push_back(node);
  }
  firstGiven_ = nodes_.size();
  given_.assign(given.begin(), given.end());
  endsOfGiven_.assign(given.size(), {});
  for (const LoopGiven& rows : given) {
    LoopNode node{};
    node.given = true;
    LoopEnd end{};
    end.node = static_cast<Index>(nodes_.size());
    for (std::size_t k = 0; k < rows.count; ++k) hold(rows.solids[k], end);
    nodes_.push_back(node);
  }
  return placeEnds(m, solids);
}

void Loop::hold(Index solid, const LoopEnd& end) { held_[solid].push_back(end); }

void Loop::addNodes(const Mechanism& m, std::span<const Index> joints, bool poses) {
  for (const Index j : joints) {
    const MechanismJoint& joint = m.joints[j];
    const LockedAxes locked = lockedAxes(joint);
    const bool ground1 = isGround(m, joint.solid1), ground2 = isGround(m, joint.solid2);
    if (ground1 && ground2) continue;
    const int held = heldMoves(joint);
    const Mat3 axes = rotationMatrix(joint.frame1.q);
    const bool slides = held > 0 && held < 3;
    const auto blank = [&] {
      LoopNode node{};
      node.solid1 = joint.solid1;
      node.solid2 = joint.solid2;
      node.frame = {joint.frame1.q.x, joint.frame1.q.y, joint.frame1.q.z, joint.frame1.q.w};
      return node;
    };
    const auto add = [&](LoopNode node, LoopEnd end1, LoopEnd end2, bool both) {
      end1.node = end2.node = static_cast<Index>(nodes_.size());
      end1.sign = -1;
      if (ground1 || ground2) std::copy_n((ground1 ? end1 : end2).axis, 3, node.onGround);
      if (!ground1) hold(joint.solid1, end1);
      if (!ground2 && both) hold(joint.solid2, end2);
      nodes_.push_back(node);
    };
    if (slides && !poses) {
      LoopNode node = blank();
      node.point = static_cast<Index>(nodes_.size() + 1);
      node.free = slidesOf(joint);
      node.locked = 3;  // vectors: axes of frame 1
      LoopEnd end{};
      for (int k = 0; k < 3; ++k) end.axis[k] = vectorOf(axes.column(k));
      add(node, end, end, false);
    }
    if (held > 0) {
      LoopNode node = blank();
      node.slot = joint.firstSlot;
      LoopEnd end1{}, end2{};
      end1.axis[0] = vectorOf(joint.frame1.p);
      end2.axis[0] = vectorOf(joint.frame2.p);
      if (slides && poses) {
        for (int axis = 0; axis < 3; ++axis)
          if (locksMove(joint, axis)) end1.axis[++node.slides] = vectorOf(axes.column(axis));
      } else if (slides) {
        node.slide = static_cast<Index>(nodes_.size() - 1);
      }
      add(node, end1, end2, true);
    }
    if (locked.count > 0) {
      LoopNode node = blank();
      node.slot = joint.firstSlot + static_cast<Index>(held);
      node.locked = locked.count;
      node.axis = locked.axis;
      LoopEnd end1{}, end2{};
      for (int k = 0; k < node.locked; ++k) {
        const AxisPair pair = axisPair(joint, locked, k);
        end1.axis[k] = vectorOf(pair.u);
        end2.axis[k] = vectorOf(pair.w);
      }
      add(node, end1, end2, true);
    }
  }
}

bool Loop::placeEnds(const Mechanism& m, std::span<const Index> solids) {
  const auto solidCount = static_cast<Index>(solids.size());
  solids_.assign(solidCount + 1, {});
  ends_.clear();
  for (Index s = 0; s <= solidCount; ++s) {
    LoopSolid& solid = solids_[s];
    solid.firstEnd = static_cast<Index>(ends_.size());
    if (s == solidCount) break;
    const MechanismSolid& from = m.solids[solids[s]];
    solid.solid = solids[s];
    solid.mass = from.mass;
    solid.inverseMass = from.inverseMass;
    solid.gravity = from.gravity;
    solid.inertia = symmetric(from.inertia);
    solid.inverseInertia = symmetric(from.inverseInertia);
    std::vector<LoopEnd>& ends = held_[solids[s]];
    if (ends.size() > kMostEnds) return false;
    for (LoopEnd& end : ends) {
      end.body = s;
      const auto at = static_cast<Index>(ends_.size());
      LoopNode& node = nodes_[end.node];
      if (node.given) {
        const std::size_t of = end.node - firstGiven_;
        endsOfGiven_[of][placeOf(given_[of], solids[s])] = at;
      } else {
        (end.sign > 0 ? node.end2 : node.end1) = at;
      }
      ends_.push_back(end);
    }
  }
  held_.clear();
  order();
  bodies_.resize(solidCount);
  grips_.resize(ends_.size());
  rows_.resize(nodes_.size());
  return true;
}

void Loop::aim(std::size_t pin, const Vec3& target, double give) {
  LoopNode& node = nodes_[firstPin_ + pin];
  node.onGround[0] = vectorOf(target);
  node.give = give;
}

int Loop::addRow(std::size_t given, double sign, double error, std::span<const RowBlock> blocks) {
  LoopRows& rows = rows_[firstGiven_ + given];
  const int k = rows.used++;
  assert(k < 3);
  (k == 0 ? rows.error.x : k == 1 ? rows.error.y : rows.error.z) = sign * error;
  for (const RowBlock& block : blocks) {
    const std::size_t place = placeOf(given_[given], block.solid);
    if (place == given_[given].count) continue;  // the ground
    const Index end = endsOfGiven_[given][place];
    grips_[end].start[k] = {sign * block.J[0], sign * block.J[1], sign * block.J[2]};
    grips_[end].end[k] = {sign * block.J[3], sign * block.J[4], sign * block.J[5]};
  }
  return k;
}

double Loop::pushOf(std::size_t given, int row) const {
  const V3<double>& nu = rows_[firstGiven_ + given].nu;
  return row == 0 ? nu.x : row == 1 ? nu.y : nu.z;
}

// The order of elimination, and where every product goes.
void Loop::order() {
  const auto count = static_cast<Index>(nodes_.size());
  std::vector<std::pair<Index, Index>> edges;
  for (std::size_t s = 0; s + 1 < solids_.size(); ++s)
    for (Index j = solids_[s].firstEnd; j < solids_[s + 1].firstEnd; ++j)
      for (Index k = solids_[s].firstEnd; k < j; ++k)
        if (ends_[j].node != ends_[k].node) edges.emplace_back(ends_[j].node, ends_[k].node);
  // How far a point slides has no equation without what holds the point.
  std::vector<BlockPattern::NodeSpec> specs(count, {3, true});
  for (Index n = 0; n < count; ++n)
    if (nodes_[n].slide != kNoEnd) {
      specs[n].next = nodes_[n].slide;
      edges.emplace_back(n, nodes_[n].slide);
    }
  BlockPattern pattern;
  pattern.analyse(specs, edges);
  findColumns(pattern);
  findParts();
  for (Index n = 0; n < count; ++n) {
    LoopNode& node = nodes_[n];
    if (node.point == kNoEnd) continue;
    node.below = blockAt(columnOf_[n], columnOf_[node.point]);
    node.above = blockAt(columnOf_[node.point], columnOf_[n]);
  }
  pairs_.clear();
  for (std::size_t s = 0; s + 1 < solids_.size(); ++s) {
    solids_[s].firstPair = static_cast<Index>(pairs_.size());
    for (Index j = solids_[s].firstEnd; j < solids_[s + 1].firstEnd; ++j)
      for (Index k = solids_[s].firstEnd; k < solids_[s + 1].firstEnd; ++k)
        pairs_.push_back(blockAt(columnOf_[ends_[j].node], columnOf_[ends_[k].node]));
  }
}

// The block in row p and column q, both positions.
Index Loop::blockAt(Index p, Index q) const {
  if (p == q) return columns_[p].diagonal;
  const LoopColumn& column = columns_[std::min(p, q)];
  const Index *first = ties_.data() + column.firstTie, *last = first + column.ties;
  const Index* at = std::lower_bound(first, last, std::max(p, q));
  assert(at != last && *at == std::max(p, q));
  const auto k = static_cast<Index>(at - first);
  return column.diagonal + 1 + 2 * k + (p < q ? 1 : 0);
}

// The order of the pattern, but part by part: a part is made of whole subtrees of the elimination tree, in which the
// parent of a column is the first one that it is tied to.
void Loop::findColumns(const BlockPattern& pattern) {
  const auto count = static_cast<Index>(nodes_.size());
  const auto tiesOf = [&](Index p) {
    return std::span(pattern.rows)
        .subspan(pattern.firstRow[p], pattern.firstRow[p + 1] - pattern.firstRow[p]);
  };
  const auto parentOf = [&](Index p) { return tiesOf(p).empty() ? count : tiesOf(p).front(); };
  std::vector<double> work(count + 1, 0);  // of the subtree, in products; at last of all
  std::vector<Index> youngest(count + 1, count), older(count, count);  // children and siblings
  for (Index p = 0; p < count; ++p) {
    const auto ties = static_cast<double>(tiesOf(p).size());
    work[p] += (ties + 1) * (ties + 1);
    work[parentOf(p)] += work[p];
    older[p] = youngest[parentOf(p)];
    youngest[parentOf(p)] = p;
  }
  // From the root down: what is too much for one part is left for the end, and its children are looked at.
  std::vector<Index> partOf(count, count);  // count: what is left
  std::vector<Index> waiting;
  const auto wait = [&](Index parent) {
    for (Index p = youngest[parent]; p != count; p = older[p]) waiting.push_back(p);
  };
  const bool large = work[count] > kLarge;
  Index parts = 0;
  double filled = 0;  // work of the last part
  if (large) wait(count);
  while (!waiting.empty()) {
    const Index p = waiting.back();
    waiting.pop_back();
    if (work[p] * kParts > work[count]) {
      wait(p);
      continue;
    }
    if (parts == 0 || filled * kParts > work[count]) {
      ++parts;
      filled = 0;
    }
    filled += work[p];
    partOf[p] = parts - 1;
  }
  for (Index p = count; p-- > 0;)
    if (parentOf(p) != count && partOf[parentOf(p)] != count) partOf[p] = partOf[parentOf(p)];
  const std::vector<Index> sorted =
      stableOrder(count, [&](Index a, Index b) { return partOf[a] < partOf[b]; });
  std::vector<Index> newOf(count);
  for (Index p = 0; p < count; ++p) newOf[sorted[p]] = p;
  columnOf_.resize(count);
  for (Index n = 0; n < count; ++n) columnOf_[n] = newOf[pattern.position[n]];
  columns_.assign(count, {});
  ties_.clear();
  parts_.assign(parts + 2, {});
  Index blocks = 0;
  for (Index p = 0; p < count; ++p) {
    LoopColumn& column = columns_[p];
    column.diagonal = blocks;
    column.firstTie = static_cast<Index>(ties_.size());
    for (const Index tie : tiesOf(sorted[p])) ties_.push_back(newOf[tie]);
    column.ties = static_cast<Index>(ties_.size()) - column.firstTie;
    std::sort(ties_.data() + column.firstTie, ties_.data() + ties_.size());
    blocks += 1 + 2 * column.ties;
    ++parts_[std::min(partOf[sorted[p]], parts) + 1].firstColumn;
  }
  for (Index k = 0; k <= parts; ++k) parts_[k + 1].firstColumn += parts_[k].firstColumn;
  blocks_.resize(blocks);
}

// Where every product goes: to the block itself, or to the part's copy of one that other parts change, too.
void Loop::findParts() {
  const auto count = static_cast<Index>(nodes_.size());
  const std::size_t last = parts_.size() - 2;
  const Index shared = parts_[last].firstColumn;  // from here on columns are of no part
  auto blocks = static_cast<Index>(blocks_.size());
  Index rights = count;
  updates_.clear();
  forward_.clear();
  copiedBlock_.clear();
  copiedRight_.clear();
  for (std::size_t k = 0; k <= last; ++k) {
    LoopPart& part = parts_[k];
    part.firstUpdate = updates_.size();
    part.firstBlock = blocks;
    part.firstRight = rights;
    std::map<Index, Index> copyOf, copyOfRight;
    const auto copied = [&](std::map<Index, Index>& known, Index original,
                            std::vector<Index>& copies, Index& next) {
      const auto [at, isNew] = known.emplace(original, next);
      if (isNew) {
        copies.push_back(original);
        ++next;
      }
      return at->second;
    };
    for (Index p = part.firstColumn; p < parts_[k + 1].firstColumn; ++p) {
      const std::span ties = std::span(ties_).subspan(columns_[p].firstTie, columns_[p].ties);
      for (const Index row : ties) {
        const bool isShared = k < last && row >= shared;
        forward_.push_back(isShared ? copied(copyOfRight, row, copiedRight_, rights) : row);
        for (const Index column : ties) {
          const Index at = blockAt(row, column);
          updates_.push_back(isShared && column >= shared ? copied(copyOf, at, copiedBlock_, blocks)
                                                          : at);
        }
      }
    }
  }
  parts_.back().firstUpdate = updates_.size();
  parts_.back().firstBlock = blocks;
  parts_.back().firstRight = rights;
  blocks_.resize(blocks);
  right_.resize(rights);
}

LoopFigure Loop::figure() {
  LoopFigure figure;
  figure.solidCount = static_cast<Index>(solids_.size() - 1);
  figure.nodeCount = static_cast<Index>(nodes_.size());
  figure.blockCount = static_cast<Index>(blocks_.size());
  figure.exact = std::none_of(nodes_.begin(), nodes_.end(), [](const LoopNode& node) {
    return node.locked > 0 && node.point == kNoEnd;
  });
  figure.heavy = static_cast<double>(updates_.size()) > kHeavy * static_cast<double>(nodes_.size());
  figure.solids = solids_.data();
  figure.ends = ends_.data();
  figure.nodes = nodes_.data();
  figure.pairs = pairs_.data();
  figure.columnOf = columnOf_.data();
  figure.columns = columns_.data();
  figure.ties = ties_.data();
  figure.forward = forward_.data();
  figure.updates = updates_.data();
  figure.partCount = static_cast<Index>(parts_.size() - 2);
  figure.parts = parts_.data();
  figure.copiedBlock = copiedBlock_.data();
  figure.copiedRight = copiedRight_.data();
  figure.bodies = bodies_.data();
  figure.grips = grips_.data();
  figure.rows = rows_.data();
  figure.blocks = blocks_.data();
  figure.right = right_.data();
  return figure;
}

}  // namespace tenon::packed
