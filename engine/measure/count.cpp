// Degrees of freedom and redundancy by the numerical rank of the constraint Jacobian.
//
// Most of a mechanism needs no factorisation: if the rows that touch a solid are independent in
// that solid's own columns, they are independent of everything else, take part in no dependency,
// and can be taken out together with the solid. Peeling solids off like this dissolves every tree
// in linear time; what remains are the closed loops, island by island.
#include <tenon/joint.h>
#include <tenon/measure.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "math/connected.h"
#include "math/rank.h"

namespace tenon {

namespace {

// Only clearly independent rows are peeled off; doubtful ones go to the factorisation.
constexpr double kPeelTolerance = 1e-4;

// Up to here the dependencies are found one by one, beyond it only who takes part in them.
constexpr std::size_t kFewRows = 300;

// The equality rows of a mechanism, seen as constraints on its free (dynamic) solids.
class Constraints {
 public:
  Constraints(const Mechanism& m, const Control& control, const State& state) : mechanism_(m) {
    emitRows(m, control, state, rows_);
    for (Index r = 0; r < rows_.rows.size(); ++r)
      if (rows_.rows[r].equality) all_.push_back(r);
    findLengths();
  }

  [[nodiscard]] const std::vector<Index>& all() const { return all_; }
  [[nodiscard]] Index jointOf(Index row) const { return rows_.rows[row].asker.number; }
  [[nodiscard]] bool isFree(Index solid) const {
    return mechanism_.solids[solid].kind == SolidKind::Dynamic;
  }

  // Calls f(solid, values) for each free solid of a row; rotations as displacements at the distance
  // that is characteristic of the part.
  template <class F>
  void forEachBlock(Index row, F f) const {
    const Row& r = rows_.rows[row];
    for (Index b = 0; b < r.blockCount; ++b) {
      const RowBlock& block = rows_.blocks[r.firstBlock + b];
      if (!isFree(block.solid)) continue;
      std::array<double, 6> values{};
      for (std::size_t i = 0; i < 6; ++i)
        values[i] = i < 3 ? block.J[i] : block.J[i] / length_[block.solid];
      f(block.solid, values);
    }
  }

  // Splits rows into parts that share no free solid; rows without any come last, together.
  [[nodiscard]] std::vector<std::vector<Index>> parts(const std::vector<Index>& rows) const {
    Connected find(mechanism_.solids.size() + 1);  // the last: no solid
    const auto ground = static_cast<Index>(mechanism_.solids.size());
    std::vector<Index> first(rows.size(), ground);
    for (std::size_t i = 0; i < rows.size(); ++i)
      forEachBlock(rows[i], [&](Index solid, const auto&) {
        if (first[i] == ground) first[i] = solid;
        find.join(first[i], solid);
      });
    std::vector<std::vector<Index>> split;
    std::vector<Index> number(mechanism_.solids.size() + 1, kWorld);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Index& n = number[find.find(first[i])];
      if (n == kWorld) {
        n = static_cast<Index>(split.size());
        split.emplace_back();
      }
      split[n].push_back(rows[i]);
    }
    return split;
  }

 private:
  // Metres and radians compare if rotations are measured as displacements at a distance: the mean
  // lever of a part's rows, so that a watch beside a bridge is judged by its own size.
  void findLengths() {
    length_.assign(mechanism_.solids.size(), 1);
    for (const std::vector<Index>& part : parts(all_)) {
      double sum = 0;
      int count = 0;
      for (const Index row : part)
        forEachBlock(row, [&](Index, const std::array<double, 6>& v) {
          const double linear = norm(Vec3{v[0], v[1], v[2]});
          const double angular = norm(Vec3{v[3], v[4], v[5]});
          if (linear < 1e-9 || angular < 1e-9) return;
          sum += angular / linear;
          ++count;
        });
      if (count == 0) continue;
      std::vector<Index> solids;
      for (const Index row : part)
        forEachBlock(row, [&](Index solid, const auto&) { solids.push_back(solid); });
      for (const Index solid : solids) length_[solid] = sum / count;
    }
  }

  const Mechanism& mechanism_;
  Rows rows_;
  std::vector<Index> all_;
  std::vector<double> length_;  // [m] by solid
};

// Takes out solids whose rows are independent in their own columns, with these rows.
class Peeler {
 public:
  Peeler(const Mechanism& mechanism, const Constraints& constraints, double tolerance)
      : constraints_(constraints),
        tolerance_(std::max(kPeelTolerance, tolerance)),
        rowsOf_(mechanism.solids.size()) {
    Index last = 0;
    for (const Index row : constraints.all()) last = std::max(last, row + 1);
    gone_.assign(last, false);
    for (const Index row : constraints.all())
      constraints.forEachBlock(row,
                               [&](Index solid, const auto&) { rowsOf_[solid].push_back(row); });
  }

  // Returns the rows that are left.
  std::vector<Index> peel() {
    std::vector<Index> work;
    std::vector<bool> waiting(rowsOf_.size(), false), peeled(rowsOf_.size(), false);
    const auto push = [&](Index solid) {
      if (waiting[solid] || peeled[solid]) return;
      waiting[solid] = true;
      work.push_back(solid);
    };
    for (Index s = 0; s < rowsOf_.size(); ++s) push(s);
    while (!work.empty()) {
      const Index solid = work.back();
      work.pop_back();
      waiting[solid] = false;
      if (!independent(solid)) continue;
      peeled[solid] = true;
      for (const Index row : rowsOf_[solid]) {
        gone_[row] = true;
        constraints_.forEachBlock(row, [&](Index other, const auto&) {
          if (other == solid) return;
          // A hub is looked at again when it may have few rows left, or lost half of them.
          const std::size_t rows = rowsOf_[other].size(), lost = ++losses_[other];
          if (rows - lost <= 6 || 2 * lost >= rows) push(other);
        });
      }
    }
    std::vector<Index> left;
    for (const Index row : constraints_.all())
      if (!gone_[row]) left.push_back(row);
    return left;
  }

 private:
  // Modified Gram-Schmidt on the rows that are left of a solid.
  bool independent(Index solid) {
    std::vector<Index>& rows = rowsOf_[solid];
    rows.erase(std::remove_if(rows.begin(), rows.end(), [this](Index r) { return gone_[r]; }),
               rows.end());
    losses_[solid] = 0;
    if (rows.size() > 6) return false;
    double basis[6][6];
    for (std::size_t n = 0; n < rows.size(); ++n) {
      double* v = basis[n];
      std::fill(v, v + 6, 0.0);
      constraints_.forEachBlock(rows[n], [&](Index s, const std::array<double, 6>& values) {
        for (std::size_t i = 0; i < 6 && s == solid; ++i) v[i] += values[i];
      });
      const double before = std::inner_product(v, v + 6, v, 0.0);
      for (std::size_t k = 0; k < n; ++k) {
        const double along = std::inner_product(v, v + 6, basis[k], 0.0);
        for (int i = 0; i < 6; ++i) v[i] -= along * basis[k][i];
      }
      const double after = std::inner_product(v, v + 6, v, 0.0);
      if (!(after > tolerance_ * tolerance_ * before)) return false;
      const double scale = 1 / std::sqrt(after);
      for (int i = 0; i < 6; ++i) v[i] *= scale;
    }
    return true;
  }

  const Constraints& constraints_;
  double tolerance_;
  std::vector<std::vector<Index>> rowsOf_;  // by solid
  std::vector<std::size_t> losses_ = std::vector<std::size_t>(rowsOf_.size(), 0);
  std::vector<bool> gone_;  // by row
};

// Rows of one part over its own solids, numbered from 0.
std::vector<BlockRow> blockRows(const Constraints& constraints, const std::vector<Index>& part,
                                Index& blocks) {
  std::vector<Index> solids;
  for (const Index row : part)
    constraints.forEachBlock(row, [&](Index solid, const auto&) { solids.push_back(solid); });
  std::sort(solids.begin(), solids.end());
  solids.erase(std::unique(solids.begin(), solids.end()), solids.end());
  blocks = static_cast<Index>(solids.size());
  std::vector<BlockRow> rows;
  for (const Index row : part) {
    BlockRow& made = rows.emplace_back();
    constraints.forEachBlock(row, [&](Index solid, const std::array<double, 6>& values) {
      const auto at = std::lower_bound(solids.begin(), solids.end(), solid);
      made.emplace_back(static_cast<Index>(at - solids.begin()), values);
    });
  }
  return rows;
}

}  // namespace

Counts count(const Mechanism& mechanism, const Control& control, const State& state,
             double tolerance) {
  Counts counts;
  counts.solids = static_cast<Index>(mechanism.solids.size());
  for (const MechanismJoint& joint : mechanism.joints)
    ++(joint.isPin ? counts.pins : counts.joints);
  counts.loops = mechanism.loops;
  for (const MechanismSolid& solid : mechanism.solids)
    if (solid.kind == SolidKind::Dynamic) {
      counts.coordinates += solid.pointMass ? 3 : 6;
      counts.mass += solid.mass;
    }
  const Constraints constraints(mechanism, control, state);
  counts.constraints = static_cast<Index>(constraints.all().size());
  const std::vector<Index> left = Peeler(mechanism, constraints, tolerance).peel();
  counts.rank = counts.constraints - static_cast<Index>(left.size());

  Connected jointGroup(mechanism.joints.size());
  std::vector<Index> dependencyJoint;  // one joint of each dependency
  std::vector<Index> involved;         // joints of any dependency
  const auto involve = [&](const std::vector<Index>& rows) {
    for (const Index row : rows) {
      jointGroup.join(constraints.jointOf(rows.front()), constraints.jointOf(row));
      involved.push_back(constraints.jointOf(row));
    }
  };
  // Rank of a part whose dependencies are found one by one.
  const auto examine = [&](const std::vector<Index>& part) {
    Index blocks = 0;
    const std::vector<BlockRow> rows = blockRows(constraints, part, blocks);
    const RowDependencies found = rowDependencies(rows, blocks, tolerance);
    for (const auto& dependency : found.dependencies) {
      std::vector<Index> members;
      for (const auto& [r, weight] : dependency) members.push_back(part[r]);
      involve(members);
      dependencyJoint.push_back(constraints.jointOf(members.front()));
    }
    return found.rank;
  };
  // Rank of a large part. Rows that take part in no dependency go; what then hangs together and is
  // small is examined, and what is still large is one group.
  const auto survey = [&](const std::vector<Index>& part) {
    Index blocks = 0;
    std::vector<BlockRow> rows = blockRows(constraints, part, blocks);
    const RowSurvey found = surveyRows(rows, blocks, tolerance);
    std::vector<Index> dependent;
    for (std::size_t r = 0; r < part.size(); ++r)
      if (found.dependent[r]) dependent.push_back(part[r]);
    for (const std::vector<Index>& group : constraints.parts(dependent)) {
      if (group.size() <= kFewRows) {
        examine(group);
        continue;
      }
      rows = blockRows(constraints, group, blocks);
      const auto dependencies =
          group.size() -
          (group.size() == part.size() ? found : surveyRows(rows, blocks, tolerance)).rank;
      involve(group);
      dependencyJoint.insert(dependencyJoint.end(), dependencies,
                             constraints.jointOf(group.front()));
    }
    return found.rank;
  };
  for (const std::vector<Index>& part : constraints.parts(left))
    counts.rank += part.size() <= kFewRows ? examine(part) : survey(part);

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
