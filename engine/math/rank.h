// Numerical rank of a matrix given by sparse rows, and the linear dependencies among its rows.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tenon {

// A row of blocks of six columns: (block, its six values). A block stands once in a row.
using BlockRow = std::vector<std::pair<std::uint32_t, std::array<double, 6>>>;

struct RowDependencies {
  std::uint32_t rank = 0;
  // A basis of the vectors y with Σ y_r row_r = 0, each as (row, weight). It is the basis of
  // fundamental circuits: each vector has one row that no other has, and rows that any dependency
  // connects are connected by these.
  std::vector<std::vector<std::pair<std::uint32_t, double>>> dependencies;
};

// For up to a few hundred rows: dense, cubic in their number. Rows are scaled to unit length first;
// a direction counts if its pivot exceeds `tolerance`.
[[nodiscard]] RowDependencies rowDependencies(const std::vector<BlockRow>& rows,
                                              std::uint32_t blocks, double tolerance);

struct RowSurvey {
  std::uint32_t rank = 0;
  // By row: takes part in some dependency. Of a system so ill-conditioned that its least squares
  // solution has no digit right, too many rows are named.
  std::vector<bool> dependent;
};

// For any number of rows: sparse, near linear in them while blocks have few neighbours.
[[nodiscard]] RowSurvey surveyRows(const std::vector<BlockRow>& rows, std::uint32_t blocks,
                                   double tolerance);

}  // namespace tenon
