// Rank and dependencies by orthogonal elimination.
//
// Few rows: QR with column pivoting of the transposed matrix, Aᵀ P = Q [R₁₁ R₁₂; 0 0]. The rank is
// the number of large pivots, and the columns of P [-R₁₁⁻¹ R₁₂; 1] span the dependencies.
//
// Many rows: multifrontal QR of A itself, a block of columns at a time, the one with the fewest
// neighbours first. The rows that touch a block are gathered in a dense front; a pivoted QR of the
// block's own columns takes out as many rows as it has rank, and what is left of the front goes on
// as rows over the neighbours. The rank is the number of rows taken out. Which rows take part in a
// dependency follows from random right-hand sides z carried along: the residual z - A x of the least
// squares solution is a random vector of null(Aᵀ), and so non-zero at just those rows.
#include "math/rank.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>

#include "math/random.h"

namespace tenon {

namespace {

// Weights below this are rounding, not participation: rows are of unit length.
constexpr double kNegligible = 1e-7;

double lengthOf(const BlockRow& row) {
  double sum = 0;
  for (const auto& [block, values] : row)
    for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

RowDependencies rowDependencies(const std::vector<BlockRow>& rows, std::uint32_t blocks,
                                double tolerance) {
  RowDependencies result;
  std::vector<std::uint32_t> live;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    if (lengthOf(rows[r]) > 0)
      live.push_back(r);
    else
      result.dependencies.push_back({{r, 1.0}});  // a row of zeros depends on nothing
  }
  if (live.empty()) return result;

  const auto count = static_cast<Eigen::Index>(live.size());
  Eigen::MatrixXd transposed = Eigen::MatrixXd::Zero(6 * static_cast<Eigen::Index>(blocks), count);
  for (Eigen::Index c = 0; c < count; ++c) {
    const BlockRow& row = rows[live[static_cast<std::size_t>(c)]];
    const double length = lengthOf(row);
    for (const auto& [block, values] : row)
      for (std::size_t i = 0; i < 6; ++i)
        transposed(static_cast<Eigen::Index>(6 * block + i), c) = values[i] / length;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(transposed);
  const Eigen::MatrixXd& factor = qr.matrixQR();
  Eigen::Index rank = 0;
  const Eigen::Index most = std::min<Eigen::Index>(count, factor.rows());
  while (rank < most && std::abs(factor(rank, rank)) > tolerance) ++rank;
  const auto original = [&](Eigen::Index c) {
    return live[static_cast<std::size_t>(qr.colsPermutation().indices()(c))];
  };
  result.rank = static_cast<std::uint32_t>(rank);
  for (Eigen::Index c = rank; c < count; ++c) {
    const Eigen::VectorXd weights = factor.topLeftCorner(rank, rank)
                                        .triangularView<Eigen::Upper>()
                                        .solve(factor.col(c).head(rank));
    auto& dependency = result.dependencies.emplace_back();
    for (Eigen::Index r = 0; r < rank; ++r)
      if (std::abs(weights(r)) > kNegligible) dependency.emplace_back(original(r), -weights(r));
    dependency.emplace_back(original(c), 1.0);
  }
  return result;
}

namespace {

constexpr Eigen::Index kSides = 2;  // random right-hand sides

// Rows over some blocks: a matrix of six columns per block, then the right-hand sides.
struct Front {
  std::vector<std::uint32_t> blocks;  // ascending
  Eigen::MatrixXd rows;
};

// What was taken out with a block: its pivots, and what they owe to blocks taken out later.
struct Eliminated {
  std::uint32_t block = 0;
  Eigen::Index rank = 0;
  Eigen::Matrix<double, 6, 6> factor;  // upper triangle of the first `rank` rows
  Eigen::Matrix<int, 6, 1> columns;    // pivot order
  Front rest;                          // `rank` rows over the neighbours, and the sides
};

class Elimination {
 public:
  Elimination(std::uint32_t blocks, double tolerance)
      : frontsOf_(blocks), degree_(blocks, 0), tolerance_(tolerance) {}

  void add(Front front) {
    const auto id = static_cast<std::uint32_t>(fronts_.size());
    for (const std::uint32_t block : front.blocks) frontsOf_[block].push_back(id);
    fronts_.push_back(std::move(front));
  }

  void run() {
    for (std::uint32_t block = 0; block < frontsOf_.size(); ++block) updateDegree(block);
    while (!queue_.empty()) {
      const std::uint32_t block = queue_.begin()->second;
      queue_.erase(queue_.begin());
      eliminate(block);
    }
  }

  [[nodiscard]] std::uint32_t rank() const { return rank_; }

  // Least-squares solution for each side, six numbers per block.
  [[nodiscard]] Eigen::MatrixXd solve() const {
    Eigen::MatrixXd x =
        Eigen::MatrixXd::Zero(6 * static_cast<Eigen::Index>(frontsOf_.size()), kSides);
    for (auto at = done_.rbegin(); at != done_.rend(); ++at) {
      Eigen::MatrixXd right = at->rest.rows.rightCols(kSides);
      for (std::size_t b = 0; b < at->rest.blocks.size(); ++b)
        right -= at->rest.rows.middleCols(6 * static_cast<Eigen::Index>(b), 6) *
                 x.middleRows(6 * static_cast<Eigen::Index>(at->rest.blocks[b]), 6);
      const Eigen::MatrixXd pivots =
          at->factor.topLeftCorner(at->rank, at->rank).triangularView<Eigen::Upper>().solve(right);
      for (Eigen::Index i = 0; i < at->rank; ++i)
        x.row(6 * static_cast<Eigen::Index>(at->block) + at->columns(i)) = pivots.row(i);
    }
    return x;
  }

 private:
  // Rows below this part of the tolerance are rounding.
  static constexpr double kVanished = 1e-3;

  // More rows than columns: as many as their rank say the same.
  void reduce(Eigen::MatrixXd& rows, Eigen::Index columns) const {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.leftCols(columns));
    Eigen::Index rank = 0;
    while (rank < columns && std::abs(qr.matrixQR()(rank, rank)) > kVanished * tolerance_) ++rank;
    Eigen::MatrixXd sides = rows.rightCols(kSides);
    sides.applyOnTheLeft(qr.householderQ().setLength(rank).adjoint());
    Eigen::MatrixXd upper = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
    rows.resize(rank, columns + kSides);
    rows.leftCols(columns) = upper * qr.colsPermutation().inverse();
    rows.rightCols(kSides) = sides.topRows(rank);
  }

  // Neighbours through the fronts that touch the block.
  [[nodiscard]] std::vector<std::uint32_t> neighbourhood(std::uint32_t block) const {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t id : frontsOf_[block])
      all.insert(all.end(), fronts_[id].blocks.begin(), fronts_[id].blocks.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  void updateDegree(std::uint32_t block) {
    queue_.erase({degree_[block], block});
    degree_[block] = static_cast<std::uint32_t>(neighbourhood(block).size());
    if (degree_[block] > 0) queue_.insert({degree_[block], block});
  }

  void eliminate(std::uint32_t block) {
    const std::vector<std::uint32_t> touched = frontsOf_[block];
    std::vector<std::uint32_t> blocks = neighbourhood(block);
    blocks.erase(std::find(blocks.begin(), blocks.end(), block));
    const auto neighbours = static_cast<Eigen::Index>(blocks.size());

    // Gather: the block's own six columns first, then the neighbours', then the sides.
    Eigen::Index count = 0;
    for (const std::uint32_t id : touched) count += fronts_[id].rows.rows();
    Eigen::MatrixXd own = Eigen::MatrixXd::Zero(count, 6);
    Eigen::MatrixXd others = Eigen::MatrixXd::Zero(count, 6 * neighbours + kSides);
    Eigen::Index row = 0;
    for (const std::uint32_t id : touched) {
      Front& front = fronts_[id];
      const Eigen::Index height = front.rows.rows();
      for (std::size_t b = 0; b < front.blocks.size(); ++b) {
        const auto piece = front.rows.middleCols(6 * static_cast<Eigen::Index>(b), 6);
        if (front.blocks[b] == block) {
          own.middleRows(row, height) = piece;
          continue;
        }
        const auto at = std::lower_bound(blocks.begin(), blocks.end(), front.blocks[b]);
        others.block(row, 6 * (at - blocks.begin()), height, 6) = piece;
        auto& list = frontsOf_[front.blocks[b]];
        list.erase(std::find(list.begin(), list.end(), id));
      }
      others.block(row, 6 * neighbours, height, kSides) = front.rows.rightCols(kSides);
      row += height;
      front = {};
    }
    frontsOf_[block].clear();

    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(own);
    Eliminated out;
    out.block = block;
    const Eigen::Index most = std::min<Eigen::Index>(6, count);
    while (out.rank < most && std::abs(qr.matrixQR()(out.rank, out.rank)) > tolerance_) ++out.rank;
    // Reflections beyond the rank are made of rounding: they would mix rows that vanish with others.
    others.applyOnTheLeft(qr.householderQ().setLength(out.rank).adjoint());
    out.factor.setZero();
    out.factor.topRows(most) = qr.matrixQR().topRows(most);
    out.columns = qr.colsPermutation().indices();
    out.rest = {blocks, others.topRows(out.rank)};
    rank_ += static_cast<std::uint32_t>(out.rank);

    // What is left goes on, without the rows that have vanished: each of them is a dependency.
    Eigen::MatrixXd left(count - out.rank, others.cols());
    Eigen::Index kept = 0;
    for (Eigen::Index r = out.rank; r < count; ++r)
      if (others.row(r).head(6 * neighbours).norm() > kVanished * tolerance_)
        left.row(kept++) = others.row(r);
    left.conservativeResize(kept, Eigen::NoChange);
    done_.push_back(std::move(out));
    if (kept > 6 * neighbours) reduce(left, 6 * neighbours);
    if (left.rows() > 0 && neighbours > 0) add({blocks, std::move(left)});
    for (const std::uint32_t neighbour : blocks) updateDegree(neighbour);
  }

  std::vector<Front> fronts_;
  std::vector<std::vector<std::uint32_t>> frontsOf_;  // by block
  std::vector<std::uint32_t> degree_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> queue_;  // (degree, block)
  std::vector<Eliminated> done_;
  std::uint32_t rank_ = 0;
  double tolerance_;
};

}  // namespace

RowSurvey surveyRows(const std::vector<BlockRow>& rows, std::uint32_t blocks, double tolerance) {
  RowSurvey survey;
  survey.dependent.assign(rows.size(), false);
  Random random(1);
  Elimination elimination(blocks, tolerance);
  std::vector<std::array<double, kSides>> sides(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (double& side : sides[r]) side = random.uniform(-1, 1);
    const double length = lengthOf(rows[r]);
    if (length == 0) continue;
    Front front;
    BlockRow row = rows[r];
    std::sort(row.begin(), row.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    front.rows.resize(1, 6 * static_cast<Eigen::Index>(row.size()) + kSides);
    Eigen::Index column = 0;
    for (const auto& [block, values] : row) {
      front.blocks.push_back(block);
      for (const double value : values) front.rows(0, column++) = value / length;
    }
    for (const double side : sides[r]) front.rows(0, column++) = side;
    elimination.add(std::move(front));
  }
  elimination.run();
  survey.rank = elimination.rank();
  const Eigen::MatrixXd x = elimination.solve();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double length = lengthOf(rows[r]);
    if (length == 0) {
      survey.dependent[r] = true;
      continue;
    }
    for (Eigen::Index k = 0; k < kSides; ++k) {
      double residual = sides[r][static_cast<std::size_t>(k)];
      for (const auto& [block, values] : rows[r])
        for (std::size_t i = 0; i < 6; ++i)
          residual -= values[i] / length * x(static_cast<Eigen::Index>(6 * block + i), k);
      if (!(std::abs(residual) <= kNegligible)) survey.dependent[r] = true;
    }
  }
  return survey;
}

}  // namespace tenon
