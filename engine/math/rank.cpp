// QR with column pivoting of the transposed matrix, Aᵀ P = Q [R₁₁ R₁₂; 0 0]. The rank is the number
// of large pivots, and the columns of P [-R₁₁⁻¹ R₁₂; 1] span the dependencies among A's rows.
// Small systems are factored densely, which finds the rank most reliably; large ones sparsely.
#include "math/rank.h"

#include <Eigen/Core>
#include <Eigen/OrderingMethods>
#include <Eigen/QR>
#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <cmath>

namespace tenon {

namespace {

constexpr std::size_t kDenseRows = 300;
// Weights below this are rounding, not participation: rows are of unit length.
constexpr double kNegligible = 1e-7;

double lengthOf(const SparseRow& row) {
  double sum = 0;
  for (const auto& [column, value] : row) sum += value * value;
  return std::sqrt(sum);
}

// Fills `result` from R₁₁ (upper triangular), R₁₂ and the permutation of the rows that are left.
template <class Solve, class Original>
void collect(Eigen::Index rank, Eigen::Index count, const Solve& circuit, const Original& original,
             RowDependencies& result) {
  result.rank += static_cast<std::uint32_t>(rank);
  for (Eigen::Index c = rank; c < count; ++c) {
    const Eigen::VectorXd weights = circuit(c);
    auto& vector = result.dependencies.emplace_back();
    for (Eigen::Index r = 0; r < rank; ++r)
      if (std::abs(weights(r)) > kNegligible) vector.emplace_back(original(r), -weights(r));
    vector.emplace_back(original(c), 1.0);
  }
}

void factorDense(const std::vector<SparseRow>& rows, const std::vector<std::uint32_t>& live,
                 std::uint32_t columns, double tolerance, RowDependencies& result) {
  const auto count = static_cast<Eigen::Index>(live.size());
  Eigen::MatrixXd transposed = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(columns), count);
  for (Eigen::Index c = 0; c < count; ++c) {
    const SparseRow& row = rows[live[static_cast<std::size_t>(c)]];
    const double length = lengthOf(row);
    for (const auto& [column, value] : row)
      transposed(static_cast<Eigen::Index>(column), c) += value / length;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(transposed);
  const Eigen::MatrixXd& factor = qr.matrixQR();
  Eigen::Index rank = 0;
  const Eigen::Index most = std::min<Eigen::Index>(count, factor.rows());
  while (rank < most && std::abs(factor(rank, rank)) > tolerance) ++rank;
  const auto circuit = [&](Eigen::Index c) -> Eigen::VectorXd {
    return factor.topLeftCorner(rank, rank)
        .triangularView<Eigen::Upper>()
        .solve(factor.col(c).head(rank));
  };
  const auto original = [&](Eigen::Index c) {
    return live[static_cast<std::size_t>(qr.colsPermutation().indices()(c))];
  };
  collect(rank, count, circuit, original, result);
}

void factorSparse(const std::vector<SparseRow>& rows, const std::vector<std::uint32_t>& live,
                  std::uint32_t columns, double tolerance, RowDependencies& result) {
  using Matrix = Eigen::SparseMatrix<double>;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t c = 0; c < live.size(); ++c) {
    const SparseRow& row = rows[live[c]];
    const double length = lengthOf(row);
    for (const auto& [column, value] : row)
      entries.emplace_back(static_cast<int>(column), static_cast<int>(c), value / length);
  }
  const auto count = static_cast<Eigen::Index>(live.size());
  Matrix transposed(static_cast<Eigen::Index>(columns), count);
  transposed.setFromTriplets(entries.begin(), entries.end());
  transposed.makeCompressed();
  Eigen::SparseQR<Matrix, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(tolerance);
  qr.compute(transposed);
  const Eigen::Index rank = qr.rank();
  const Matrix factor = qr.matrixR();
  const Matrix square = factor.topLeftCorner(rank, rank);
  const auto circuit = [&](Eigen::Index c) -> Eigen::VectorXd {
    const Eigen::VectorXd column = factor.col(c).topRows(rank);
    return square.triangularView<Eigen::Upper>().solve(column);
  };
  const auto original = [&](Eigen::Index c) {
    return live[static_cast<std::size_t>(qr.colsPermutation().indices()(c))];
  };
  collect(rank, count, circuit, original, result);
}

}  // namespace

RowDependencies rowDependencies(const std::vector<SparseRow>& rows, std::uint32_t columns,
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
  if (live.size() <= kDenseRows)
    factorDense(rows, live, columns, tolerance, result);
  else
    factorSparse(rows, live, columns, tolerance, result);
  return result;
}

}  // namespace tenon
