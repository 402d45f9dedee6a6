// Numerical rank of a sparse matrix given by rows, and the linear dependencies among its rows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tenon {

// One row: its non-zero entries as (column, value).
using SparseRow = std::vector<std::pair<std::uint32_t, double>>;

struct RowDependencies {
  std::uint32_t rank = 0;
  // A basis of the vectors y with Σ y_r row_r = 0, each as (row, weight). It is the basis of
  // fundamental circuits: each vector has one row that no other has, and rows that any dependency
  // connects are connected by these.
  std::vector<std::vector<std::pair<std::uint32_t, double>>> dependencies;
};

// Rows are scaled to unit length first; a direction counts if its pivot exceeds `tolerance`.
[[nodiscard]] RowDependencies rowDependencies(const std::vector<SparseRow>& rows,
                                              std::uint32_t columns, double tolerance);

}  // namespace tenon
