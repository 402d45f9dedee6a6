// Small dense algebra of tenon/dynamics.h: what is solved there is as large as a figure's freedom.
#pragma once

#include <tenon/dynamics.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace tenon {

inline std::vector<double> times(const Matrix& A, std::span<const double> x) {
  std::vector<double> y(A.rows);
  for (std::size_t r = 0; r < A.rows; ++r)
    for (std::size_t c = 0; c < A.columns; ++c) y[r] += A(r, c) * x[c];
  return y;
}
inline std::vector<double> transposedTimes(const Matrix& A, std::span<const double> x) {
  std::vector<double> y(A.columns);
  for (std::size_t r = 0; r < A.rows; ++r)
    for (std::size_t c = 0; c < A.columns; ++c) y[c] += A(r, c) * x[r];
  return y;
}

// A = L Lᵀ; false if a pivot is not positive.
inline bool factorCholesky(Matrix& A) {
  for (std::size_t r = 0; r < A.rows; ++r)
    for (std::size_t c = 0; c <= r; ++c) {
      double sum = A(r, c);
      for (std::size_t k = 0; k < c; ++k) sum -= A(r, k) * A(c, k);
      if (c < r) {
        A(r, c) = sum / A(c, c);
      } else {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        A(r, r) = std::sqrt(sum);
      }
    }
  return true;
}
inline void solveLower(const Matrix& L, double* x) {
  for (std::size_t r = 0; r < L.rows; ++r) {
    for (std::size_t c = 0; c < r; ++c) x[r] -= L(r, c) * x[c];
    x[r] /= L(r, r);
  }
}
inline void solveLowerTransposed(const Matrix& L, double* x) {
  for (std::size_t r = L.rows; r-- > 0;) {
    x[r] /= L(r, r);
    for (std::size_t c = 0; c < r; ++c) x[c] -= L(r, c) * x[r];
  }
}

// B := A⁻¹ B by Gauss with pivots in columns; false if A is singular.
inline bool solveSquare(Matrix A, Matrix& B) {
  const std::size_t n = A.rows;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(A(r, c)) > std::abs(A(pivot, c))) pivot = r;
    if (!(std::abs(A(pivot, c)) > 0) || !std::isfinite(A(pivot, c))) return false;
    for (std::size_t k = 0; k < n && pivot != c; ++k) std::swap(A(pivot, k), A(c, k));
    for (std::size_t k = 0; k < B.columns && pivot != c; ++k) std::swap(B(pivot, k), B(c, k));
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = A(r, c) / A(c, c);
      if (factor == 0) continue;
      for (std::size_t k = c; k < n; ++k) A(r, k) -= factor * A(c, k);
      for (std::size_t k = 0; k < B.columns; ++k) B(r, k) -= factor * B(c, k);
    }
  }
  for (std::size_t r = n; r-- > 0;)
    for (std::size_t k = 0; k < B.columns; ++k) {
      for (std::size_t c = r + 1; c < n; ++c) B(r, k) -= A(r, c) * B(c, k);
      B(r, k) /= A(r, r);
    }
  return true;
}

// Columns of a matrix, orthonormalised, the longest that is left first: A P = Q R. What is shorter than a 1e-8th of the
// longest column depends on those before: what rounding leaves of a row that says nothing is not to count.
struct PivotedColumns {
  std::vector<std::size_t> chosen;     // columns of A
  std::vector<std::vector<double>> Q;  // by column
  std::vector<std::vector<double>> R;  // R[k][i] = Q_i · A_chosen[k], i <= k
};
inline PivotedColumns orthonormalised(const Matrix& A) {
  constexpr double kDependent = 1e-8;
  PivotedColumns out;
  const std::size_t n = A.rows;
  std::vector<std::vector<double>> left(A.columns, std::vector<double>(n)), along(A.columns);
  double longest = 0;
  std::vector<bool> used(A.columns, false);
  const auto product = [n](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  for (std::size_t c = 0; c < A.columns; ++c) {
    for (std::size_t i = 0; i < n; ++i) left[c][i] = A(i, c);
    longest = std::max(longest, std::sqrt(product(left[c], left[c])));
  }
  while (out.chosen.size() < n) {
    std::size_t best = A.columns;
    double most = kDependent * longest;
    for (std::size_t c = 0; c < A.columns; ++c) {
      if (used[c]) continue;
      const double part = std::sqrt(product(left[c], left[c]));
      if (part > most * (1 + 1e-9)) {
        most = part;
        best = c;
      }
    }
    if (best == A.columns) break;
    used[best] = true;
    std::vector<double>& q = left[best];
    for (std::size_t i = 0; i < out.Q.size(); ++i) {  // once more: what rounding left
      const double a = product(out.Q[i], q);
      along[best][i] += a;
      for (std::size_t k = 0; k < n; ++k) q[k] -= a * out.Q[i][k];
    }
    const double length = std::sqrt(product(q, q));
    for (double& x : q) x /= length;
    along[best].push_back(length);
    out.chosen.push_back(best);
    out.Q.push_back(q);
    out.R.push_back(along[best]);
    for (std::size_t c = 0; c < A.columns; ++c) {
      if (used[c]) continue;
      const double a = product(q, left[c]);
      along[c].push_back(a);
      for (std::size_t k = 0; k < n; ++k) left[c][k] -= a * q[k];
    }
  }
  return out;
}

// Rows and columns of the pivots of Gauss' elimination, the largest number that is left being the next.
struct CompletePivots {
  std::vector<std::size_t> rows, columns;
};
inline CompletePivots completePivots(Matrix A) {
  constexpr double kDependent = 1e-8;
  CompletePivots out;
  double whole = 0;
  for (const double x : A.values) whole = std::max(whole, std::abs(x));
  std::vector<bool> rowUsed(A.rows, false), columnUsed(A.columns, false);
  for (;;) {
    std::size_t row = A.rows, column = 0;
    double most = kDependent * whole;
    for (std::size_t r = 0; r < A.rows; ++r)
      for (std::size_t c = 0; c < A.columns && !rowUsed[r]; ++c)
        if (!columnUsed[c] && std::abs(A(r, c)) > most * (1 + 1e-9)) {
          most = std::abs(A(r, c));
          row = r;
          column = c;
        }
    if (row == A.rows) return out;
    rowUsed[row] = columnUsed[column] = true;
    out.rows.push_back(row);
    out.columns.push_back(column);
    for (std::size_t r = 0; r < A.rows; ++r) {
      if (rowUsed[r]) continue;
      const double factor = A(r, column) / A(row, column);
      for (std::size_t c = 0; c < A.columns && factor != 0; ++c) A(r, c) -= factor * A(row, c);
    }
  }
}

}  // namespace tenon
