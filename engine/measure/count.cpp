// Degrees of freedom and redundancy by the numerical rank of the constraint Jacobian.
//
// Most of a mechanism needs no factorisation: if the rows that touch a solid are independent in
// that solid's own columns, they are independent of everything else, take part in no dependency,
// and can be taken out together with the solid. Peeling solids off like this dissolves every tree
// in linear time; what remains are the closed loops, island by island.
#include <tenon/joint.h>
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/rank.h"

namespace tenon {

namespace {

// Pivots of unit rows below this count as dependent: well above what rounding leaves of an exact
// dependency, well below what a real one leaves.
constexpr double kRankTolerance = 1e-8;
// Only clearly independent rows are peeled off; doubtful ones go to the factorisation.
constexpr double kPeelTolerance = 1e-4;

// Rotations are measured as displacements at this distance, so that metres and radians compare:
// the mean lever of the rows.
double characteristicLength(const Rows& rows) {
  double sum = 0;
  int count = 0;
  for (const RowBlock& b : rows.blocks) {
    const double linear = norm(Vec3{b.J[0], b.J[1], b.J[2]});
    const double angular = norm(Vec3{b.J[3], b.J[4], b.J[5]});
    if (linear > 1e-9 && angular > 1e-9) {
      sum += angular / linear;
      ++count;
    }
  }
  return count > 0 ? sum / count : 1;
}

struct Peeler {
  const Mechanism& mechanism;
  const Rows& rows;
  double length;
  std::vector<std::vector<Index>> rowsOf;  // by solid: equality rows that touch it
  std::vector<bool> rowGone, solidGone;

  Peeler(const Mechanism& m, const Rows& r, double l)
      : mechanism(m),
        rows(r),
        length(l),
        rowsOf(m.solids.size()),
        rowGone(r.rows.size(), false),
        solidGone(m.solids.size(), false) {
    for (Index i = 0; i < rows.rows.size(); ++i)
      for (Index b = 0; b < rows.rows[i].blockCount; ++b) {
        const Index solid = rows.blocks[rows.rows[i].firstBlock + b].solid;
        if (rows.rows[i].equality && isFree(solid)) rowsOf[solid].push_back(i);
      }
  }

  [[nodiscard]] bool isFree(Index solid) const {
    return mechanism.solids[solid].kind == SolidKind::Dynamic;
  }

  // The six entries of a row at a solid, rotations scaled.
  void entries(Index row, Index solid, double out[6]) const {
    std::fill(out, out + 6, 0.0);
    const Row& r = rows.rows[row];
    for (Index b = 0; b < r.blockCount; ++b) {
      const RowBlock& block = rows.blocks[r.firstBlock + b];
      if (block.solid != solid) continue;
      for (int i = 0; i < 6; ++i) out[i] += i < 3 ? block.J[i] : block.J[i] / length;
    }
  }

  // Modified Gram-Schmidt on the rows that are left of a solid.
  [[nodiscard]] bool independent(Index solid) const {
    double basis[6][6];
    int count = 0;
    for (const Index row : rowsOf[solid]) {
      if (rowGone[row]) continue;
      if (count == 6) return false;
      double* v = basis[count];
      entries(row, solid, v);
      const auto length2 = [v] { return std::inner_product(v, v + 6, v, 0.0); };
      const double before = length2();
      for (int k = 0; k < count; ++k) {
        const double along = std::inner_product(v, v + 6, basis[k], 0.0);
        for (int i = 0; i < 6; ++i) v[i] -= along * basis[k][i];
      }
      const double after = length2();
      if (!(after > kPeelTolerance * kPeelTolerance * before) || before == 0) return false;
      const double scale = 1 / std::sqrt(after);
      for (int i = 0; i < 6; ++i) v[i] *= scale;
      ++count;
    }
    return true;
  }

  // Returns the number of rows taken out, which is their rank.
  Index peel() {
    Index peeled = 0;
    std::vector<Index> work;
    for (Index s = 0; s < mechanism.solids.size(); ++s)
      if (isFree(s)) work.push_back(s);
    while (!work.empty()) {
      const Index solid = work.back();
      work.pop_back();
      if (solidGone[solid] || !independent(solid)) continue;
      solidGone[solid] = true;
      for (const Index row : rowsOf[solid]) {
        if (rowGone[row]) continue;
        rowGone[row] = true;
        ++peeled;
        const Row& r = rows.rows[row];
        for (Index b = 0; b < r.blockCount; ++b) {
          const Index other = rows.blocks[r.firstBlock + b].solid;
          if (isFree(other) && !solidGone[other]) work.push_back(other);
        }
      }
    }
    return peeled;
  }
};

struct UnionFind {
  std::vector<Index> parent;
  explicit UnionFind(std::size_t n) : parent(n) { std::iota(parent.begin(), parent.end(), 0u); }
  Index find(Index i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }
  void join(Index a, Index b) { parent[std::max(find(a), find(b))] = std::min(find(a), find(b)); }
};

}  // namespace

Counts count(const Mechanism& mechanism, const Control& control, const State& state) {
  Counts counts;
  counts.solids = static_cast<Index>(mechanism.solids.size());
  counts.joints = static_cast<Index>(mechanism.joints.size());
  counts.loops = mechanism.loops;
  for (const MechanismSolid& solid : mechanism.solids)
    if (solid.kind == SolidKind::Dynamic) {
      counts.coordinates += solid.pointMass ? 3 : 6;
      counts.mass += solid.mass;
    }

  Rows rows;
  emitRows(mechanism, control, state, rows);
  for (const Row& row : rows.rows) counts.constraints += row.equality ? 1 : 0;
  Peeler peeler(mechanism, rows, characteristicLength(rows));
  counts.rank = peeler.peel();

  // What is left, by connected parts: solids that rows still tie together.
  UnionFind parts(mechanism.solids.size());
  std::vector<std::vector<Index>> rowsOfPart(mechanism.solids.size());
  std::vector<Index> groundRows;  // rows that touch no free solid
  const auto firstFree = [&](const Row& row) {
    for (Index b = 0; b < row.blockCount; ++b)
      if (peeler.isFree(rows.blocks[row.firstBlock + b].solid))
        return rows.blocks[row.firstBlock + b].solid;
    return kWorld;
  };
  const auto isLeft = [&](Index r) { return rows.rows[r].equality && !peeler.rowGone[r]; };
  for (Index r = 0; r < rows.rows.size(); ++r) {
    if (!isLeft(r)) continue;
    const Row& row = rows.rows[r];
    const Index first = firstFree(row);
    for (Index b = 0; b < row.blockCount; ++b)
      if (peeler.isFree(rows.blocks[row.firstBlock + b].solid))
        parts.join(first, rows.blocks[row.firstBlock + b].solid);
  }
  for (Index r = 0; r < rows.rows.size(); ++r) {
    if (!isLeft(r)) continue;
    const Index first = firstFree(rows.rows[r]);
    (first == kWorld ? groundRows : rowsOfPart[parts.find(first)]).push_back(r);
  }

  UnionFind jointGroup(mechanism.joints.size());
  std::vector<Index> dependencyJoint;  // one joint of each dependency
  std::vector<Index> involved;         // joints of any dependency
  const auto examine = [&](const std::vector<Index>& part) {
    std::vector<Index> solids;
    std::vector<SparseRow> sparse;
    for (const Index r : part) {
      SparseRow& entry = sparse.emplace_back();
      const Row& row = rows.rows[r];
      for (Index b = 0; b < row.blockCount; ++b) {
        const RowBlock& block = rows.blocks[row.firstBlock + b];
        if (!peeler.isFree(block.solid)) continue;
        solids.push_back(block.solid);
        for (Index i = 0; i < 6; ++i)
          entry.emplace_back(6 * block.solid + i, i < 3 ? block.J[i] : block.J[i] / peeler.length);
      }
    }
    std::sort(solids.begin(), solids.end());
    solids.erase(std::unique(solids.begin(), solids.end()), solids.end());
    for (SparseRow& entry : sparse)
      for (auto& [column, value] : entry) {
        const auto at = std::lower_bound(solids.begin(), solids.end(), column / 6);
        column = 6 * static_cast<Index>(at - solids.begin()) + column % 6;
      }
    const RowDependencies found =
        rowDependencies(sparse, 6 * static_cast<Index>(solids.size()), kRankTolerance);
    counts.rank += found.rank;
    for (const auto& dependency : found.dependencies) {
      const Index joint = rows.rows[part[dependency.front().first]].joint;
      dependencyJoint.push_back(joint);
      for (const auto& [r, weight] : dependency) {
        jointGroup.join(joint, rows.rows[part[r]].joint);
        involved.push_back(rows.rows[part[r]].joint);
      }
    }
  };
  for (const std::vector<Index>& part : rowsOfPart)
    if (!part.empty()) examine(part);
  if (!groundRows.empty()) examine(groundRows);

  // Groups, joints in order of declaration.
  std::sort(involved.begin(), involved.end());
  involved.erase(std::unique(involved.begin(), involved.end()), involved.end());
  std::vector<Index> groupOf(mechanism.joints.size(), kWorld);
  for (const Index joint : involved) {
    Index& group = groupOf[jointGroup.find(joint)];
    if (group == kWorld) {
      group = static_cast<Index>(counts.redundancy.size());
      counts.redundancy.emplace_back();
    }
    counts.redundancy[group].joints.push_back(joint);
  }
  for (const Index joint : dependencyJoint)
    ++counts.redundancy[groupOf[jointGroup.find(joint)]].redundant;

  counts.dof = counts.coordinates - counts.rank;
  counts.redundant = counts.constraints - counts.rank;
  return counts;
}

}  // namespace tenon
