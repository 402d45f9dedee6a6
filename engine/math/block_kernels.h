// Products and eliminations of small dense blocks, stored row by row, as block-sparse factorisations need
// them. Blocks of up to six rows or columns, which are nearly all there are, have loops whose length the
// compiler knows: it keeps a row of the result in registers. Every number is the same sum, in the same order,
// whether it does or not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tenon::blocks {

// Calls f with a size: up to six as a constant of the compiler's, else as a number.
template <class F>
inline void withSize(std::uint32_t size, const F& f) {
  switch (size) {
    case 1:
      return f(std::integral_constant<std::uint32_t, 1>{});
    case 2:
      return f(std::integral_constant<std::uint32_t, 2>{});
    case 3:
      return f(std::integral_constant<std::uint32_t, 3>{});
    case 4:
      return f(std::integral_constant<std::uint32_t, 4>{});
    case 5:
      return f(std::integral_constant<std::uint32_t, 5>{});
    case 6:
      return f(std::integral_constant<std::uint32_t, 6>{});
    default:
      return f(size);
  }
}

// C -= A B;  A is m × n, B n × w, C m × w.
template <class Width>
inline void subtractProduct(double* C, const double* A, const double* B, std::uint32_t m,
                            std::uint32_t n, Width w) {
  for (std::uint32_t i = 0; i < m; ++i, C += w, A += n) {
    if constexpr (std::is_same_v<Width, std::uint32_t>) {
      for (std::uint32_t j = 0; j < w; ++j) {
        double sum = 0;
        for (std::uint32_t k = 0; k < n; ++k) sum += A[k] * B[k * w + j];
        C[j] -= sum;
      }
    } else {
      double row[w] = {};
      for (std::uint32_t k = 0; k < n; ++k)
        for (std::uint32_t j = 0; j < w; ++j) row[j] += A[k] * B[k * w + j];
      for (std::uint32_t j = 0; j < w; ++j) C[j] -= row[j];
    }
  }
}

// D := L U in place, n × n, L with ones on its diagonal; `inverse` has one over that of U. Pivots not above
// `least` become `instead`, with their signs; returns how many. `finite` becomes false if one is not.
template <class Size>
inline std::uint32_t factorise(double* D, double* inverse, double least, double instead, Size n,
                               bool& finite) {
  std::uint32_t changed = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    double& pivot = D[k * n + k];
    if (!(std::abs(pivot) > least)) {
      finite = finite && std::isfinite(pivot);
      pivot = pivot < 0 ? -instead : instead;
      ++changed;
    }
    inverse[k] = 1 / pivot;
    for (std::uint32_t i = k + 1; i < n; ++i) {
      const double f = D[i * n + k] *= inverse[k];
      for (std::uint32_t j = k + 1; j < n; ++j) D[i * n + j] -= f * D[k * n + j];
    }
  }
  return changed;
}

// Calls f with a row of n numbers, in registers where their number is known.
template <class Size, class F>
inline void withRow(double* at, Size n, const F& f) {
  if constexpr (std::is_same_v<Size, std::uint32_t>) {
    f(at);
  } else {
    double row[n];
    for (std::uint32_t j = 0; j < n; ++j) row[j] = at[j];
    f(row);
    for (std::uint32_t j = 0; j < n; ++j) at[j] = row[j];
  }
}

// B := L⁻¹ B;  B is n × w.
template <class Width>
inline void eliminateBelow(const double* D, double* B, std::uint32_t n, Width w) {
  for (std::uint32_t i = 1; i < n; ++i)
    withRow(B + i * w, w, [&](double* row) {
      for (std::uint32_t k = 0; k < i; ++k)
        for (std::uint32_t j = 0; j < w; ++j) row[j] -= D[i * n + k] * B[k * w + j];
    });
}

// B := B U⁻¹;  B is m × n.
template <class Size>
inline void eliminateRight(const double* D, const double* inverse, double* B, std::uint32_t m,
                           Size n) {
  for (std::uint32_t i = 0; i < m; ++i, B += n)
    withRow(B, n, [&](double* row) {
      for (std::uint32_t k = 0; k < n; ++k) {
        row[k] *= inverse[k];
        for (std::uint32_t j = k + 1; j < n; ++j) row[j] -= row[k] * D[k * n + j];
      }
    });
}

// y -= A x;  A is m × n.
template <class Size>
inline void subtractProduct(double* y, const double* A, const double* x, std::uint32_t m, Size n) {
  for (std::uint32_t i = 0; i < m; ++i, A += n) {
    double sum = 0;
    for (std::uint32_t k = 0; k < n; ++k) sum += A[k] * x[k];
    y[i] -= sum;
  }
}

}  // namespace tenon::blocks
