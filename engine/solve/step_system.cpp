#include "solve/step_system.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

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
                      std::span<const std::uint8_t> shapes, bool sameRows) {
  mechanism_ = &mechanism;
  pushes_ = &pushes;
  if (!isAsBefore(pushes, slopes, shapes, sameRows)) analyse(pushes, slopes, shapes);
  findRows(parts);
  lu_.clear();
  ties_.clear();
  tieValues_.clear();
  const auto bodies = static_cast<Index>(solids_.size());
  for (Index g = 0; g < sizes_.size(); ++g)  // what fills up triples
    for (Index k = sizes_[g]; k % 3 != 0; ++k) {
      const TripleLu::Triple triple = first_[bodies + g] + k / 3;
      diagonal_[triple][4 * (k % 3)] = 1;
    }
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const RowAt& row = rowAt_[r];
    if (row.x == kWorld) continue;
    const std::uint32_t k = row.x % 3;
    diagonal_[row.x / 3][4 * k] = parts[r].compliance;
    const Index first = pushes.rows[r].firstBlock;
    const RowBlock* change = &changes.blocks[changes.rows[r].firstBlock];
    for (Index at = first; at < first + pushes.rows[r].blockCount; ++at, ++change) {
      if (cornerOf_[at] == kWorld) continue;
      const Corner& corner = corners_[cornerOf_[at] + row.triple];
      const RowBlock& push = pushes.blocks[at];
      // A row has one block for a solid: nothing is there yet.
      const auto put = [k](const TripleLu::Block& to, std::ptrdiff_t mirror, const double* pushed,
                           const double* changed) {
        if (!to) return;
        double* at = &to(0, k);
        for (std::size_t i = 0; i < 3; ++i, at += to.down) {
          at[0] = -pushed[i];
          at[mirror] = changed[i];
        }
      };
      put(corner.place, corner.placeMirror, push.J, change->J);
      put(corner.turn, corner.turnMirror, push.J + 3, change->J + 3);
    }
  }
}

namespace {

// Which blocks of a slope are not zero: 1 of places, 2 between places and turns, 4 of turns.
unsigned shapeOf(const LoadSlope& slope) {
  bool places = false, mixed = false, turns = false;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      places |= slope.slope[i][j] != 0;
      mixed |= slope.slope[i][3 + j] != 0 || slope.slope[3 + i][j] != 0;
      turns |= slope.slope[3 + i][3 + j] != 0;
    }
  return (places ? 1u : 0u) | (mixed ? 2u : 0u) | (turns ? 4u : 0u);
}

// Calls f with the numbers that the order of elimination depends on, one after the other.
template <class F>
void forEachOfPattern(const Mechanism& mechanism, const Rows& rows,
                      std::span<const std::uint8_t> shapes, const F& f) {
  const std::vector<MechanismSolid>& solids = mechanism.solids;
  for (Index s = 0; s < solids.size(); ++s)
    f(solids[s].kind != SolidKind::Dynamic ? 0u : solids[s].pointMass ? 1u : 2u);
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const Row& row = rows.rows[r];
    const Index shape = shapes.empty() ? Index{kRowTies} : shapes[r];
    f(kWorld - 2 * shape - (r > 0 && row.asker == rows.rows[r - 1].asker ? 1 : 0));
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      f(rows.blocks[b].solid);
  }
}
template <class F>
void forEachOfPattern(std::span<const LoadSlope> slopes, const F& f) {
  for (const LoadSlope& slope : slopes) {
    const unsigned shape = shapeOf(slope);
    if (slope.solid == slope.by && (shape & 2u) == 0) continue;  // on the diagonal
    f(slope.solid);
    f(slope.by);
    f(shape);
  }
}

}  // namespace

bool StepSystem::isAsBefore(const Rows& rows, std::span<const LoadSlope> slopes,
                            std::span<const std::uint8_t> shapes, bool sameRows) const {
  std::size_t at = 0;
  bool same = !pattern_.empty();
  const auto compareWith = [&](const std::vector<Index>& pattern) {
    return [&](Index n) {
      same = same && at < pattern.size() && pattern[at] == n;
      ++at;
    };
  };
  if (!sameRows) {
    forEachOfPattern(*mechanism_, rows, shapes, compareWith(pattern_));
    same = same && at == pattern_.size();
  }
  at = 0;
  forEachOfPattern(slopes, compareWith(slopePattern_));
  return same && at == slopePattern_.size();
}

// Where the rows that hold are in the matrix.
void StepSystem::findRows(std::span<const RowPart> parts) {
  const auto bodies = static_cast<Index>(solids_.size());
  rowAt_.resize(parts.size());
  for (Index g = 0; g < sizes_.size(); ++g) {
    std::uint32_t size = 0;
    for (Index k = groupFirst_[g]; k < groupFirst_[g + 1]; ++k) {
      const Index r = order_[k];
      rowAt_[r] = {parts[r].holds ? 3 * first_[bodies + g] + size : kWorld, size / 3};
      if (parts[r].holds) ++size;
    }
    sizes_[g] = size;
  }
  if (sizes_ == lastSizes_) return;
  lastSizes_ = sizes_;
  for (Index g = 0; g < sizes_.size(); ++g)
    for (TripleLu::Triple t = first_[bodies + g]; t < first_[bodies + g + 1]; ++t)
      lu_.setUsed(t, 3 * (t - first_[bodies + g]) < sizes_[g]);
}

void StepSystem::analyse(const Rows& rows, std::span<const LoadSlope> slopes,
                         std::span<const std::uint8_t> shapes) {
  pattern_.clear();
  slopePattern_.clear();
  forEachOfPattern(*mechanism_, rows, shapes, [&](Index n) { pattern_.push_back(n); });
  forEachOfPattern(slopes, [&](Index n) { slopePattern_.push_back(n); });
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
    if (r == 0 || !(rows.rows[r].asker == rows.rows[r - 1].asker))
      groupFirst_.push_back(static_cast<Index>(r));
  groupFirst_.push_back(static_cast<Index>(rows.rows.size()));
  // Rows that push with torques alone come last: as few triples as can be meet places.
  order_.resize(rows.rows.size());
  std::iota(order_.begin(), order_.end(), Index{0});
  for (std::size_t g = 0; !shapes.empty() && g + 1 < groupFirst_.size(); ++g)
    std::stable_partition(order_.data() + groupFirst_[g], order_.data() + groupFirst_[g + 1],
                          [&](Index r) { return (shapes[r] & kRowTurns) == 0; });

  const auto bodies = static_cast<Index>(solids_.size());
  const auto groups = static_cast<Index>(groupFirst_.size() - 1);
  std::vector<TripleLu::NodeSpec> nodes;
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
    addJointEdges(bodies + g, touched, edges,
                  shapes.empty() || (shapes[groupFirst_[g]] & kRowTies) != 0);
  }
  first_ = TripleLu::firstTriples(nodes);
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
        if (at == meetings_.size()) meetings_.push_back({node, bodies + g, 0});
        meetingOf_[b] = static_cast<Index>(at);
      }
  }
  BlockPattern ofJoints;
  ofJoints.analyse(nodes, edges);
  apart_ = false;
  const std::size_t jointEdges = edges.size();
  for (const LoadSlope& slope : slopes)
    if (!ofJoints.has(nodeOf_[slope.solid], nodeOf_[slope.by]))
      edges.emplace_back(nodeOf_[slope.solid], nodeOf_[slope.by]);
  if (edges.size() > jointEdges) {
    BlockPattern whole;
    whole.analyse(nodes, edges);
    const auto tied = static_cast<double>(edges.size() - jointEdges);
    // Both halves of the matrix are stored and factorised; a tie has 9 numbers, or 36.
    apart_ = 2 * whole.work() > kSolves * (2 * static_cast<double>(ofJoints.values) + 18 * tied);
    if (apart_) edges.resize(jointEdges);
  }
  edges_.clear();
  findEdges(rows, apart_ ? std::span<const LoadSlope>{} : slopes, shapes);
  if (apart_)  // those of solids that a joint ties as well stay
    for (const LoadSlope& slope : slopes)
      if (ofJoints.has(nodeOf_[slope.solid], nodeOf_[slope.by])) findEdges(Rows{}, {&slope, 1}, {});
  lu_.analyse(nodes, edges, edges_);
  corners_.clear();
  for (Meeting& meeting : meetings_) {
    meeting.first = static_cast<Index>(corners_.size());
    const TripleLu::Triple place = first_[meeting.solid];
    const bool turns = width(solids_[meeting.solid]) > 3;
    for (TripleLu::Triple t = first_[meeting.rows]; t < first_[meeting.rows + 1]; ++t) {
      // The mirror of a number, in the transposed block, is beside it.
      Corner& corner = corners_.emplace_back();
      corner.place = lu_.block(place, t);
      if (corner.place) corner.placeMirror = lu_.block(t, place).values - corner.place.values;
      if (!turns) continue;
      corner.turn = lu_.block(place + 1, t);
      corner.turnMirror = lu_.block(t, place + 1).values - corner.turn.values;
    }
  }
  cornerOf_.clear();
  for (const Index meeting : meetingOf_)
    cornerOf_.push_back(meeting == kWorld ? kWorld : meetings_[meeting].first);
  diagonal_.clear();
  for (TripleLu::Triple t = 0; t < first_.back(); ++t) diagonal_.push_back(lu_.block(t, t).values);
  sizes_.assign(groups, 0);
  lastSizes_.clear();
}

// Which triples meet: places, turns and rows by three.
void StepSystem::findEdges(const Rows& rows, std::span<const LoadSlope> slopes,
                           std::span<const std::uint8_t> shapes) {
  const auto bodies = static_cast<Index>(solids_.size());
  const auto turns = [&](Index node) { return width(solids_[node]) > 3; };
  const auto tie = [&](Index a, Index b, unsigned shape) {
    const TripleLu::Triple x = first_[a], y = first_[b];
    if ((shape & 1u) != 0 && a != b) edges_.emplace_back(x, y);
    if ((shape & 2u) != 0 && turns(b)) edges_.emplace_back(x, y + 1);
    if ((shape & 2u) != 0 && turns(a)) edges_.emplace_back(x + 1, y);
    if ((shape & 4u) != 0 && a != b && turns(a) && turns(b)) edges_.emplace_back(x + 1, y + 1);
  };
  for (const LoadSlope& slope : slopes) {
    const Index a = nodeOf_[slope.solid], b = nodeOf_[slope.by];
    if (a != kWorld && b != kWorld) tie(a, b, shapeOf(slope));
  }
  if (rows.rows.empty()) return;
  for (std::size_t at = 0; at < meetings_.size();) {
    const std::size_t firstMeeting = at;
    const Index group = meetings_[at].rows;
    while (at < meetings_.size() && meetings_[at].rows == group) ++at;
    const Index firstRow = groupFirst_[group - bodies], lastRow = groupFirst_[group - bodies + 1];
    const TripleLu::Triple first = first_[group], last = first_[group + 1];
    for (TripleLu::Triple t = first; t < last; ++t) {
      for (TripleLu::Triple u = first; u < t; ++u) edges_.emplace_back(t, u);
      // Rows move up where others do not hold, so that these and later ones may come here.
      const Index here = firstRow + 3 * (t - first);
      const bool places =
          here < lastRow && (shapes.empty() || (shapes[order_[here]] & kRowTurns) == 0);
      for (std::size_t k = firstMeeting; k < at; ++k) {
        const Index node = meetings_[k].solid;
        if (places) edges_.emplace_back(first_[node], t);
        if (turns(node)) edges_.emplace_back(first_[node] + 1, t);
      }
    }
    const unsigned shape = shapes.empty() ? unsigned{kRowTies} : shapes[firstRow];
    if ((shape & kRowTies) == 0) continue;
    if ((shape & kRowTiesByTurn) == 0) {
      const unsigned parts = (shape & kRowTiesTurns) != 0 ? 4 : 7;
      for (std::size_t k = firstMeeting; k < at; ++k)
        for (std::size_t l = firstMeeting; l <= k; ++l)
          tie(meetings_[k].solid, meetings_[l].solid, parts);
      continue;
    }
    const Index solid = meetings_[firstMeeting].solid;
    if (!turns(solid)) continue;
    edges_.emplace_back(first_[solid] + 1, first_[solid]);
    for (std::size_t k = firstMeeting + 1; k < at; ++k) {
      edges_.emplace_back(first_[solid] + 1, first_[meetings_[k].solid]);
      if (turns(meetings_[k].solid))
        edges_.emplace_back(first_[solid] + 1, first_[meetings_[k].solid] + 1);
    }
  }
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
  for (std::uint32_t i = 0; i < width(row); i += 3)
    for (std::uint32_t j = 0; j < width(column); j += 3) {
      const TripleLu::Block to =
          lu_.block(first_[nodeOf_[row]] + i / 3, first_[nodeOf_[column]] + j / 3);
      if (!to) continue;  // zero, by its shape
      for (std::uint32_t r = 0; r < 3; ++r)
        for (std::uint32_t c = 0; c < 3; ++c)
          to(r, c) += factor * (transposed ? numbers[j + c][i + r] : numbers[i + r][j + c]);
    }
}

void StepSystem::add(Index solid, double factor, const SixBySix& block) {
  addBlock(solid, solid, factor, block, false);
}

void StepSystem::add(Index solid, double mass, const Mat3& turn) {
  const TripleLu::Triple place = first_[nodeOf_[solid]];
  double* to = diagonal_[place];
  for (int i = 0; i < 3; ++i) to[4 * i] += mass;
  if (width(solid) == 3) return;
  to = diagonal_[place + 1];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) *to++ += turn.m[i][j];
}

void StepSystem::add(double factor, const LoadSlope& slope) {
  addBlock(slope.solid, slope.by, factor, slope.slope, false);
}

void StepSystem::subtract(Index solid, Index by, std::uint32_t row, std::uint32_t column,
                          const Mat3& part) {
  if (solid == by && row == column) {
    double* to = diagonal_[first_[nodeOf_[solid]] + row];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) *to++ -= part.m[i][j];
    return;
  }
  const TripleLu::Block to = lu_.block(first_[nodeOf_[solid]] + row, first_[nodeOf_[by]] + column);
  assert(to);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j) to(i, j) -= part.m[i][j];
}

void StepSystem::add(double factor, const StiffnessBlock& stiffness) {
  addBlock(stiffness.solid1, stiffness.solid2, factor, stiffness.K, false);
  if (stiffness.solid1 != stiffness.solid2)
    addBlock(stiffness.solid2, stiffness.solid1, factor, stiffness.K, true);
}

bool StepSystem::holdsAsLoaded(std::span<const RowPart> parts) const {
  for (std::size_t r = 0; r < parts.size(); ++r)
    if (parts[r].holds != (rowAt_[r].x != kWorld)) return false;
  return parts.size() == rowAt_.size();
}

bool StepSystem::solve(std::span<const Six> f, std::span<const RowPart> parts,
                       std::vector<Six>& delta, std::vector<double>& nu) {
  x_.assign(lu_.size(), 0.0);
  const auto bodies = static_cast<Index>(solids_.size());
  for (Index n = 0; n < bodies; ++n) {
    double* to = &x_[3 * first_[n]];
    for (std::uint32_t i = 0; i < width(solids_[n]); ++i) to[i] = f[solids_[n]][i];
  }
  nu.resize(rowAt_.size());
  for (std::size_t r = 0; r < rowAt_.size(); ++r) {
    if (rowAt_[r].x != kWorld) {
      x_[rowAt_[r].x] = parts[r].b;
      continue;
    }
    nu[r] = parts[r].b / parts[r].compliance;
    if (nu[r] == 0) continue;
    const Index first = pushes_->rows[r].firstBlock;
    for (Index at = first; at < first + pushes_->rows[r].blockCount; ++at) {
      const Index node = nodeOf_[pushes_->blocks[at].solid];
      if (node == kWorld) continue;
      double* to = &x_[3 * first_[node]];
      for (std::uint32_t i = 0; i < width(solids_[node]); ++i)
        to[i] += pushes_->blocks[at].J[i] * nu[r];
    }
  }
  if (ties_.empty())
    lu_.solve(x_.data());
  else if (!iterate())
    return false;
  delta.assign(mechanism_->solids.size(), Six{});
  for (Index n = 0; n < bodies; ++n) {
    const double* from = &x_[3 * first_[n]];
    for (std::uint32_t i = 0; i < width(solids_[n]); ++i) delta[solids_[n]][i] = from[i];
  }
  for (std::size_t r = 0; r < rowAt_.size(); ++r)
    if (rowAt_[r].x != kWorld) nu[r] = x_[rowAt_[r].x];
  for (const double x : x_)
    if (!std::isfinite(x)) return false;
  return true;
}

// x += factor T y
void StepSystem::springs(const std::vector<double>& y, double factor,
                         std::vector<double>& x) const {
  for (const Tie& tie : ties_) {
    double* to = &x[3 * first_[tie.row]];
    const double* from = &y[3 * first_[tie.column]];
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
