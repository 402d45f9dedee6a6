#include "solve/step_system.h"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace {

// Springs are kept apart where a factorisation with them costs more than so many solves without.
constexpr double kSolves = 60;
constexpr int kMostIterations = 300;
constexpr double kRelative = 1e-5;  // of the springs' residual
constexpr double kEnough = 1e-2;    // … after most iterations: Newton's method goes on from there

double dotOf(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void StepSystem::load(const Mechanism& mechanism, const Rows& pushes, const Rows& changes,
                      std::span<const RowPart> parts, std::span<const LoadSlope> slopes,
                      std::span<const std::uint8_t> ties) {
  mechanism_ = &mechanism;
  pushes_ = &pushes;
  if (!isAsBefore(pushes, slopes, ties)) analyse(pushes, slopes, ties);
  findRows(parts);
  lu_.clear();
  ties_.clear();
  tieValues_.clear();
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const std::uint32_t k = rowAt_[r].inNode;
    if (k == kWorld) continue;
    const BlockLu::Block& own = diagonal_[rowAt_[r].node - solids_.size()];
    own(k, k) = parts[r].compliance;
    const Index first = pushes.rows[r].firstBlock;
    const RowBlock* change = &changes.blocks[changes.rows[r].firstBlock];
    for (Index at = first; at < first + pushes.rows[r].blockCount; ++at, ++change) {
      if (meetingOf_[at] == kWorld) continue;
      const Meeting& meeting = meetings_[meetingOf_[at]];
      const RowBlock& push = pushes.blocks[at];
      // A row has one block for a solid: nothing is there yet.
      double *p = &meeting.push(0, k), *c = &meeting.change(k, 0);
      const std::size_t down = meeting.push.down, right = meeting.change.right;
      for (std::size_t i = 0; i < meeting.width; ++i) {
        p[i * down] = -push.J[i];
        c[i * right] = change->J[i];
      }
    }
  }
}

namespace {

// Calls f with the numbers that the order of elimination depends on, one after the other.
template <class F>
void forEachOfPattern(const Mechanism& mechanism, const Rows& rows,
                      std::span<const LoadSlope> slopes, std::span<const std::uint8_t> ties,
                      const F& f) {
  const std::vector<MechanismSolid>& solids = mechanism.solids;
  for (Index s = 0; s < solids.size(); ++s)
    f(solids[s].kind != SolidKind::Dynamic ? 0u : solids[s].pointMass ? 1u : 2u);
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const Row& row = rows.rows[r];
    f(r > 0 && row.joint == rows.rows[r - 1].joint ? kWorld
      : ties.empty() || ties[r] != 0               ? kWorld - 1
                                                   : kWorld - 2);
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      f(rows.blocks[b].solid);
  }
  for (const LoadSlope& slope : slopes) {
    f(slope.solid);
    f(slope.by);
  }
}

}  // namespace

bool StepSystem::isAsBefore(const Rows& rows, std::span<const LoadSlope> slopes,
                            std::span<const std::uint8_t> ties) const {
  std::size_t at = 0;
  bool same = !pattern_.empty();
  forEachOfPattern(*mechanism_, rows, slopes, ties, [&](Index n) {
    same = same && at < pattern_.size() && pattern_[at] == n;
    ++at;
  });
  return same && at == pattern_.size();
}

// Where the rows that hold are in the matrix.
void StepSystem::findRows(std::span<const RowPart> parts) {
  const auto bodies = static_cast<Index>(solids_.size());
  const auto groups = static_cast<Index>(groupFirst_.size() - 1);
  rowAt_.resize(parts.size());
  for (Index g = 0; g < groups; ++g) {
    std::uint32_t size = 0;
    for (Index r = groupFirst_[g]; r < groupFirst_[g + 1]; ++r)
      rowAt_[r] = {bodies + g, parts[r].holds ? size++ : kWorld, parts[r].b, parts[r].compliance};
    sizes_[bodies + g] = size;
  }
  if (sizes_ == lastSizes_) return;
  lastSizes_ = sizes_;
  lu_.resize(sizes_);
  diagonal_.resize(groups);
  for (Index g = 0; g < groups; ++g) diagonal_[g] = lu_.block(bodies + g, bodies + g);
  for (Meeting& meeting : meetings_) {
    meeting.push = lu_.block(meeting.solid, meeting.rows);
    meeting.change = lu_.block(meeting.rows, meeting.solid);
  }
}

void StepSystem::analyse(const Rows& rows, std::span<const LoadSlope> slopes,
                         std::span<const std::uint8_t> ties) {
  pattern_.clear();
  forEachOfPattern(*mechanism_, rows, slopes, ties, [&](Index n) { pattern_.push_back(n); });
  const std::vector<MechanismSolid>& solids = mechanism_->solids;
  nodeOf_.assign(solids.size(), kWorld);
  solids_.clear();
  for (Index s = 0; s < solids.size(); ++s) {
    if (solids[s].kind != SolidKind::Dynamic) continue;
    nodeOf_[s] = static_cast<Index>(solids_.size());
    solids_.push_back(s);
  }
  groupFirst_.clear();
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    if (r == 0 || rows.rows[r].joint != rows.rows[r - 1].joint)
      groupFirst_.push_back(static_cast<Index>(r));
  groupFirst_.push_back(static_cast<Index>(rows.rows.size()));

  const auto bodies = static_cast<Index>(solids_.size());
  const auto groups = static_cast<Index>(groupFirst_.size() - 1);
  std::vector<BlockLu::NodeSpec> nodes;
  for (const Index solid : solids_) nodes.push_back({width(solid), true});
  std::vector<std::pair<Index, Index>> edges;
  std::vector<Index> touched;
  for (Index g = 0; g < groups; ++g) {
    nodes.push_back({groupFirst_[g + 1] - groupFirst_[g], false});
    touched.clear();
    for (Index r = groupFirst_[g]; r < groupFirst_[g + 1]; ++r)
      for (Index b = 0; b < rows.rows[r].blockCount; ++b) {
        const Index node = nodeOf_[rows.blocks[rows.rows[r].firstBlock + b].solid];
        if (node != kWorld) touched.push_back(node);
      }
    addJointEdges(bodies + g, touched, edges, ties.empty() || ties[groupFirst_[g]] != 0);
  }
  meetings_.clear();
  meetingOf_.assign(rows.blocks.size(), kWorld);
  for (Index g = 0; g < groups; ++g) {
    const std::size_t first = meetings_.size();
    for (Index r = groupFirst_[g]; r < groupFirst_[g + 1]; ++r)
      for (Index b = rows.rows[r].firstBlock; b < rows.rows[r].firstBlock + rows.rows[r].blockCount;
           ++b) {
        const Index node = nodeOf_[rows.blocks[b].solid];
        if (node == kWorld) continue;
        std::size_t at = first;
        while (at < meetings_.size() && meetings_[at].solid != node) ++at;
        if (at == meetings_.size())
          meetings_.push_back({node, bodies + g, width(rows.blocks[b].solid), {}, {}});
        meetingOf_[b] = static_cast<Index>(at);
      }
  }
  sizes_.clear();
  for (const BlockLu::NodeSpec& node : nodes) sizes_.push_back(node.size);
  lastSizes_.clear();
  lu_.analyse(nodes, edges);
  apart_ = false;
  const std::size_t ofJoints = edges.size();
  for (const LoadSlope& slope : slopes)
    if (!lu_.pattern().has(nodeOf_[slope.solid], nodeOf_[slope.by]))
      edges.emplace_back(nodeOf_[slope.solid], nodeOf_[slope.by]);
  if (edges.size() == ofJoints) return;
  BlockPattern whole;
  whole.analyse(nodes, edges);
  const auto tied = static_cast<double>(edges.size() - ofJoints);
  // Both halves of the matrix are factorised; a tie has 9 numbers, or 36.
  apart_ = 2 * whole.work() > kSolves * (static_cast<double>(lu_.storedNumbers()) + 18 * tied);
  if (!apart_) lu_.analyse(nodes, edges);
}

template <class Numbers>
void StepSystem::addBlock(Index row, Index column, double factor, const Numbers& numbers,
                          bool transposed) {
  if (nodeOf_[row] == kWorld || nodeOf_[column] == kWorld) return;
  if (apart_ && !lu_.pattern().has(nodeOf_[row], nodeOf_[column])) {
    ties_.push_back({nodeOf_[row], nodeOf_[column], tieValues_.size()});
    for (std::uint32_t i = 0; i < width(row); ++i)
      for (std::uint32_t j = 0; j < width(column); ++j)
        tieValues_.push_back(factor * (transposed ? numbers[j][i] : numbers[i][j]));
    return;
  }
  const BlockLu::Block to = lu_.block(nodeOf_[row], nodeOf_[column]);
  for (std::uint32_t i = 0; i < width(row); ++i)
    for (std::uint32_t j = 0; j < width(column); ++j)
      to(i, j) += factor * (transposed ? numbers[j][i] : numbers[i][j]);
}

void StepSystem::add(Index solid, double factor, const SixBySix& block) {
  addBlock(solid, solid, factor, block, false);
}

void StepSystem::add(double factor, const LoadSlope& slope) {
  addBlock(slope.solid, slope.by, factor, slope.slope, false);
}

void StepSystem::subtract(Index solid, Index by, std::uint32_t row, std::uint32_t column,
                          const Mat3& part) {
  const BlockLu::Block to = lu_.block(nodeOf_[solid], nodeOf_[by]);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j) to(row + i, column + j) -= part.m[i][j];
}

void StepSystem::add(double factor, const StiffnessBlock& stiffness) {
  addBlock(stiffness.solid1, stiffness.solid2, factor, stiffness.K, false);
  if (stiffness.solid1 != stiffness.solid2)
    addBlock(stiffness.solid2, stiffness.solid1, factor, stiffness.K, true);
}

bool StepSystem::solve(std::span<const Six> f, std::vector<Six>& delta, std::vector<double>& nu) {
  x_.resize(lu_.size());
  const auto bodies = static_cast<Index>(solids_.size());
  for (Index n = 0; n < bodies; ++n)
    for (std::uint32_t i = 0; i < width(solids_[n]); ++i) x_[lu_.offset(n) + i] = f[solids_[n]][i];
  nu.resize(rowAt_.size());
  for (std::size_t r = 0; r < rowAt_.size(); ++r) {
    const RowAt& row = rowAt_[r];
    if (row.inNode != kWorld) {
      x_[lu_.offset(row.node) + row.inNode] = row.b;
      continue;
    }
    nu[r] = row.b / row.compliance;
    if (nu[r] == 0) continue;
    const Index first = pushes_->rows[r].firstBlock;
    for (Index at = first; at < first + pushes_->rows[r].blockCount; ++at)
      if (meetingOf_[at] != kWorld)
        for (std::uint32_t i = 0; i < meetings_[meetingOf_[at]].width; ++i)
          x_[lu_.offset(meetings_[meetingOf_[at]].solid) + i] += pushes_->blocks[at].J[i] * nu[r];
  }
  if (ties_.empty())
    lu_.solve(x_.data());
  else if (!iterate())
    return false;
  delta.assign(mechanism_->solids.size(), Six{});
  for (Index n = 0; n < bodies; ++n)
    for (std::uint32_t i = 0; i < width(solids_[n]); ++i)
      delta[solids_[n]][i] = x_[lu_.offset(n) + i];
  for (std::size_t r = 0; r < rowAt_.size(); ++r)
    if (rowAt_[r].inNode != kWorld) nu[r] = x_[lu_.offset(rowAt_[r].node) + rowAt_[r].inNode];
  for (const double x : x_)
    if (!std::isfinite(x)) return false;
  return true;
}

// x += factor T y
void StepSystem::springs(const std::vector<double>& y, double factor,
                         std::vector<double>& x) const {
  for (const Tie& tie : ties_) {
    double* to = &x[lu_.offset(tie.row)];
    const double* from = &y[lu_.offset(tie.column)];
    const double* value = tieValues_.data() + tie.at;
    const std::uint32_t rows = width(solids_[tie.row]), columns = width(solids_[tie.column]);
    for (std::uint32_t i = 0; i < rows; ++i)
      for (std::uint32_t j = 0; j < columns; ++j) to[i] += factor * *value++ * from[j];
  }
}

// x_ := A⁻¹ x_. The vectors of the iteration are as long as δ: solids come first in x_.
bool StepSystem::iterate() {
  std::size_t size = 0;
  for (const Index solid : solids_) size += width(solid);
  f_ = x_;
  std::vector<double>&y = work_[0], &r = work_[1], &first = work_[2], &p = work_[3], &v = work_[4],
  &t = work_[5], &c = work_[6];
  for (std::vector<double>& w : work_) w.assign(size, 0);
  const auto apply = [&](const std::vector<double>& from, std::vector<double>& to) {
    std::fill(x_.begin(), x_.end(), 0.0);
    springs(from, 1, x_);
    lu_.solve(x_.data());
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i] + x_[i];
  };
  lu_.solve(x_.data());
  std::copy(x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(size), c.begin());
  y = c;
  apply(y, v);
  for (std::size_t i = 0; i < size; ++i) r[i] = c[i] - v[i];
  first = p = r;
  const double goal = kRelative * kRelative * dotOf(c, c);
  double rho = dotOf(first, r), left = rho;
  for (int k = 0; k < kMostIterations && left > goal; ++k) {
    apply(p, v);
    const double alpha = rho / dotOf(first, v);
    for (std::size_t i = 0; i < size; ++i) {
      y[i] += alpha * p[i];
      r[i] -= alpha * v[i];
    }
    apply(r, t);
    const double square = dotOf(t, t);
    const double omega = square > 0 ? dotOf(t, r) / square : 0;
    for (std::size_t i = 0; i < size; ++i) {
      y[i] += omega * r[i];
      r[i] -= omega * t[i];
    }
    left = dotOf(r, r);
    const double next = dotOf(first, r);
    const double beta = (next / rho) * (alpha / omega);
    rho = next;
    for (std::size_t i = 0; i < size; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
  }
  if (!(left <= kEnough * kEnough * dotOf(c, c))) return false;
  x_ = f_;
  springs(y, -1, x_);
  lu_.solve(x_.data());
  return true;
}

}  // namespace tenon
