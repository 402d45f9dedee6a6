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

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "math/order.h"
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

// A matrix by columns.
struct Dense {
  Dense() = default;
  Dense(std::size_t height, std::size_t width)
      : rows(height), columns(width), numbers(height * width, 0.0) {}

  double& operator()(std::size_t row, std::size_t column) { return numbers[column * rows + row]; }
  double operator()(std::size_t row, std::size_t column) const {
    return numbers[column * rows + row];
  }
  [[nodiscard]] double* column(std::size_t c) { return numbers.data() + c * rows; }
  [[nodiscard]] const double* column(std::size_t c) const { return numbers.data() + c * rows; }

  std::size_t rows = 0, columns = 0;
  std::vector<double> numbers;
};

// A P = Q R by Householder's reflections [Golub & Van Loan §5.4.2]: the column of which most is left comes next. R stands
// on and above the diagonal; below it, in column k, v of the reflection 1 - τ v vᵀ, whose first number is 1.
class PivotedQr {
 public:
  explicit PivotedQr(Dense matrix) : factor_(std::move(matrix)), pivot_(factor_.columns) {
    const std::size_t height = factor_.rows, width = factor_.columns;
    std::vector<double> left(width), known(width);  // squares of lengths: now, and when last summed
    for (std::size_t c = 0; c < width; ++c) {
      pivot_[c] = c;
      left[c] = known[c] = squareBelow(0, c);
    }
    for (std::size_t k = 0; k < std::min(height, width); ++k) {
      const auto next = static_cast<std::size_t>(
          std::max_element(left.begin() + static_cast<std::ptrdiff_t>(k), left.end()) -
          left.begin());
      if (next != k) {
        std::swap_ranges(factor_.column(k), factor_.column(k) + height, factor_.column(next));
        std::swap(pivot_[k], pivot_[next]);
        std::swap(left[k], left[next]);
        std::swap(known[k], known[next]);
      }
      makeReflection(k);
      for (std::size_t c = k + 1; c < width; ++c) {
        reflect(k, factor_.column(c));
        left[c] -= factor_(k, c) * factor_(k, c);
        // What is small beside the numbers that it is the difference of has lost its digits.
        if (!(left[c] > 1e-8 * known[c])) left[c] = known[c] = squareBelow(k + 1, c);
      }
    }
  }

  [[nodiscard]] const Dense& factor() const { return factor_; }
  // Which column of the matrix is column c of R.
  [[nodiscard]] std::size_t pivot(std::size_t c) const { return pivot_[c]; }

  [[nodiscard]] std::size_t rank(double tolerance) const {
    std::size_t rank = 0;
    while (rank < tau_.size() && std::abs(factor_(rank, rank)) > tolerance) ++rank;
    return rank;
  }

  // matrix := Qᵀ matrix, by the first `count` reflections.
  void apply(std::size_t count, Dense& matrix) const {
    for (std::size_t c = 0; c < matrix.columns; ++c)
      for (std::size_t k = 0; k < count; ++k) reflect(k, matrix.column(c));
  }

 private:
  [[nodiscard]] double squareBelow(std::size_t row, std::size_t c) const {
    const double* x = factor_.column(c);
    double sum = 0;
    for (std::size_t r = row; r < factor_.rows; ++r) sum += x[r] * x[r];
    return sum;
  }

  // (1 - τ v vᵀ) x = (β, 0, …), β = ∓|x|, so that nothing cancels in x₁ - β.
  void makeReflection(std::size_t k) {
    double* x = factor_.column(k);
    const double rest = squareBelow(k + 1, k), length = std::sqrt(x[k] * x[k] + rest);
    const double beta = x[k] >= 0 ? -length : length;
    if (rest == 0) {
      tau_.push_back(0);
      return;
    }
    tau_.push_back((beta - x[k]) / beta);
    for (std::size_t r = k + 1; r < factor_.rows; ++r) x[r] /= x[k] - beta;
    x[k] = beta;
  }

  void reflect(std::size_t k, double* x) const {
    const double* v = factor_.column(k);
    double sum = x[k];
    for (std::size_t r = k + 1; r < factor_.rows; ++r) sum += v[r] * x[r];
    sum *= tau_[k];
    x[k] -= sum;
    for (std::size_t r = k + 1; r < factor_.rows; ++r) x[r] -= sum * v[r];
  }

  Dense factor_;
  std::vector<double> tau_;
  std::vector<std::size_t> pivot_;
};

// x := R⁻¹ x, with the first rows and columns of R.
void solveUpper(const Dense& R, std::span<double> x) {
  for (std::size_t r = x.size(); r-- > 0;) {
    for (std::size_t c = r + 1; c < x.size(); ++c) x[r] -= R(r, c) * x[c];
    x[r] /= R(r, r);
  }
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

  Dense transposed(std::size_t{6} * blocks, live.size());
  for (std::size_t c = 0; c < live.size(); ++c) {
    const BlockRow& row = rows[live[c]];
    const double length = lengthOf(row);
    for (const auto& [block, values] : row)
      for (std::size_t i = 0; i < 6; ++i)
        transposed(std::size_t{6} * block + i, c) = values[i] / length;
  }
  const PivotedQr qr(std::move(transposed));
  const std::size_t rank = qr.rank(tolerance);
  result.rank = static_cast<std::uint32_t>(rank);
  std::vector<double> weights(rank);
  for (std::size_t c = rank; c < live.size(); ++c) {
    std::copy_n(qr.factor().column(c), rank, weights.begin());
    solveUpper(qr.factor(), weights);
    auto& dependency = result.dependencies.emplace_back();
    for (std::size_t r = 0; r < rank; ++r)
      if (std::abs(weights[r]) > kNegligible)
        dependency.emplace_back(live[qr.pivot(r)], -weights[r]);
    dependency.emplace_back(live[qr.pivot(c)], 1.0);
  }
  return result;
}

namespace {

constexpr std::size_t kSides = 2;  // random right-hand sides

// Rows over some blocks: a matrix of six columns per block, then the right-hand sides.
struct Front {
  std::vector<std::uint32_t> blocks;  // ascending
  Dense rows;
};

// What was taken out with a block: its pivots, and what they owe to blocks taken out later.
struct Eliminated {
  std::uint32_t block = 0;
  std::size_t rank = 0;
  Dense factor;            // upper triangle of the first `rank` rows
  std::size_t columns[6];  // pivot order
  Front rest;              // `rank` rows over the neighbours, and the sides
};

// Copies rows [first, first + count) of a column.
void copyPart(const Dense& from, std::size_t first, std::size_t column, std::size_t count,
              double* to) {
  std::copy_n(from.column(column) + first, count, to);
}

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
  [[nodiscard]] Dense solve() const {
    Dense x(6 * frontsOf_.size(), kSides);
    for (auto at = done_.rbegin(); at != done_.rend(); ++at) {
      const Dense& rest = at->rest.rows;
      for (std::size_t k = 0; k < kSides; ++k) {
        double pivots[6];
        copyPart(rest, 0, rest.columns - kSides + k, at->rank, pivots);
        for (std::size_t c = 0; c < rest.columns - kSides; ++c) {
          const double value = x(std::size_t{6} * at->rest.blocks[c / 6] + c % 6, k);
          for (std::size_t i = 0; i < at->rank; ++i) pivots[i] -= rest(i, c) * value;
        }
        solveUpper(at->factor, {pivots, at->rank});
        for (std::size_t i = 0; i < at->rank; ++i)
          x(std::size_t{6} * at->block + at->columns[i], k) = pivots[i];
      }
    }
    return x;
  }

 private:
  // Rows below this part of the tolerance are rounding.
  static constexpr double kVanished = 1e-3;

  // More rows than columns: as many as their rank say the same.
  void reduce(Dense& rows) const {
    const std::size_t columns = rows.columns - kSides;
    Dense matrix(rows.rows, columns), sides(rows.rows, kSides);
    std::copy_n(rows.column(0), matrix.numbers.size(), matrix.column(0));
    std::copy_n(rows.column(columns), sides.numbers.size(), sides.column(0));
    const PivotedQr qr(std::move(matrix));
    const std::size_t rank = qr.rank(kVanished * tolerance_);
    qr.apply(rank, sides);
    rows = Dense(rank, columns + kSides);
    for (std::size_t c = 0; c < columns; ++c)
      copyPart(qr.factor(), 0, c, std::min(c + 1, rank), rows.column(qr.pivot(c)));
    for (std::size_t k = 0; k < kSides; ++k) copyPart(sides, 0, k, rank, rows.column(columns + k));
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
    const std::size_t columns = 6 * blocks.size();  // of the neighbours

    // Gather: the block's own six columns, then the neighbours' and the sides.
    std::size_t count = 0;
    for (const std::uint32_t id : touched) count += fronts_[id].rows.rows;
    Dense own(count, 6), others(count, columns + kSides);
    std::size_t row = 0;
    for (const std::uint32_t id : touched) {
      Front& front = fronts_[id];
      const std::size_t height = front.rows.rows;
      const auto put = [&](std::size_t from, std::size_t number, Dense& to, std::size_t first) {
        for (std::size_t c = 0; c < number; ++c)
          copyPart(front.rows, 0, from + c, height, to.column(first + c) + row);
      };
      for (std::size_t b = 0; b < front.blocks.size(); ++b) {
        if (front.blocks[b] == block) {
          put(6 * b, 6, own, 0);
          continue;
        }
        const auto at = std::lower_bound(blocks.begin(), blocks.end(), front.blocks[b]);
        put(6 * b, 6, others, 6 * static_cast<std::size_t>(at - blocks.begin()));
        auto& list = frontsOf_[front.blocks[b]];
        list.erase(std::find(list.begin(), list.end(), id));
      }
      put(front.rows.columns - kSides, kSides, others, columns);
      row += height;
      front = {};
    }
    frontsOf_[block].clear();

    const PivotedQr qr(std::move(own));
    Eliminated out;
    out.block = block;
    out.rank = qr.rank(tolerance_);
    // Reflections beyond the rank are made of rounding: they would mix rows that vanish with others.
    qr.apply(out.rank, others);
    out.factor = Dense(out.rank, 6);
    out.rest = {blocks, Dense(out.rank, others.columns)};
    for (std::size_t c = 0; c < 6; ++c) {
      copyPart(qr.factor(), 0, c, out.rank, out.factor.column(c));
      out.columns[c] = qr.pivot(c);
    }
    for (std::size_t c = 0; c < others.columns; ++c)
      copyPart(others, 0, c, out.rank, out.rest.rows.column(c));
    rank_ += static_cast<std::uint32_t>(out.rank);

    // What is left goes on, without the rows that have vanished: each of them is a dependency.
    std::vector<std::size_t> kept;
    for (std::size_t r = out.rank; r < count; ++r) {
      double square = 0;
      for (std::size_t c = 0; c < columns; ++c) square += others(r, c) * others(r, c);
      if (std::sqrt(square) > kVanished * tolerance_) kept.push_back(r);
    }
    Dense left(kept.size(), others.columns);
    for (std::size_t c = 0; c < others.columns; ++c)
      for (std::size_t r = 0; r < kept.size(); ++r) left(r, c) = others(kept[r], c);
    done_.push_back(std::move(out));
    if (left.rows > columns) reduce(left);
    if (left.rows > 0 && columns > 0) add({blocks, std::move(left)});
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
    sortStably(row, [](const auto& a, const auto& b) { return a.first < b.first; });
    front.rows = Dense(1, 6 * row.size() + kSides);
    std::size_t column = 0;
    for (const auto& [block, values] : row) {
      front.blocks.push_back(block);
      for (const double value : values) front.rows(0, column++) = value / length;
    }
    for (const double side : sides[r]) front.rows(0, column++) = side;
    elimination.add(std::move(front));
  }
  elimination.run();
  survey.rank = elimination.rank();
  const Dense x = elimination.solve();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double length = lengthOf(rows[r]);
    if (length == 0) {
      survey.dependent[r] = true;
      continue;
    }
    for (std::size_t k = 0; k < kSides; ++k) {
      double residual = sides[r][k];
      for (const auto& [block, values] : rows[r])
        for (std::size_t i = 0; i < 6; ++i)
          residual -= values[i] / length * x(std::size_t{6} * block + i, k);
      if (!(std::abs(residual) <= kNegligible)) survey.dependent[r] = true;
    }
  }
  return survey;
}

}  // namespace tenon
