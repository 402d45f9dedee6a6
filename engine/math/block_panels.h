// Eliminations and products along the rows of panels: n rows of an even number of numbers each, two of which
// are worked on at a time. n is known to the compiler for the sizes that solids and joints have. Every number is the
// same sum, in the same order, whether it is or not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tenon::panels {

inline constexpr std::size_t kPair = 2;
constexpr std::size_t paired(std::size_t n) { return (n + kPair - 1) / kPair * kPair; }

#ifdef __EMSCRIPTEN__
struct Pair {  // see intoLanes of packed/small.h: no vectors of the compiler's own
  double a, b;
};
inline Pair operator+(Pair x, Pair y) { return {x.a + y.a, x.b + y.b}; }
inline Pair operator-(Pair x, Pair y) { return {x.a - y.a, x.b - y.b}; }
inline Pair operator*(Pair x, Pair y) { return {x.a * y.a, x.b * y.b}; }
#else
typedef double Pair __attribute__((vector_size(16)));
#endif

[[gnu::always_inline]] inline Pair pairAt(const double* at) {
  Pair pair;
  std::memcpy(&pair, at, sizeof pair);
  return pair;
}
[[gnu::always_inline]] inline void store(double* at, Pair pair) {
  std::memcpy(at, &pair, sizeof pair);
}
[[gnu::always_inline]] inline Pair both(double x) { return Pair{x, x}; }

// Calls f(0), f(1), … f(n - 1), written out where n is known.
template <std::size_t n, class F>
[[gnu::always_inline]] inline void times(std::integral_constant<std::size_t, n>, const F& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (f(std::integral_constant<std::size_t, k>{}), ...);
  }
  (std::make_index_sequence<n>{});
}
template <class F>
inline void times(std::size_t n, const F& f) {
  for (std::size_t k = 0; k < n; ++k) f(k);
}

template <class Size>
inline constexpr bool isKnown = !std::is_same_v<Size, std::size_t>;

// Calls f with a size, as a constant of the compiler's where it has one. For the browser small code counts: there
// only those of solids and of ball joints are.
template <class F>
inline void withSize(std::size_t size, const F& f) {
  switch (size) {
    case 3:
      return f(std::integral_constant<std::size_t, 3>{});
    case 6:
      return f(std::integral_constant<std::size_t, 6>{});
#ifndef __EMSCRIPTEN__
    case 1:
      return f(std::integral_constant<std::size_t, 1>{});
    case 2:
      return f(std::integral_constant<std::size_t, 2>{});
    case 4:
      return f(std::integral_constant<std::size_t, 4>{});
    case 5:
      return f(std::integral_constant<std::size_t, 5>{});
#endif
    default:
      return f(size);
  }
}

// D := L U in place, n rows of paired(n) numbers, L with ones on its diagonal; `inverse` has one over that of U.
// Pivots not above `least` become `instead`, with their signs; returns how many. `finite` becomes false if one is not.
template <class Size>
inline std::uint32_t factorise(double* D, double* inverse, double least, double instead, Size n,
                               bool& finite) {
  const std::size_t stride = paired(n);
  std::uint32_t changed = 0;
  times(n, [&](auto k) {
    double* row = D + k * stride;
    double pivot = row[k];
    if (!(std::abs(pivot) > least)) {
      finite = finite && std::isfinite(pivot);
      row[k] = pivot = pivot < 0 ? -instead : instead;
      ++changed;
    }
    inverse[k] = 1 / pivot;
    for (std::size_t i = k + 1; i < n; ++i) {
      double* to = D + i * stride;
      const double f = to[k] * inverse[k];
      // With an even k its own column is the first of a pair, and is put right afterwards.
      for (std::size_t j = (k + 1) / kPair * kPair; j < stride; j += kPair)
        store(to + j, pairAt(to + j) - both(f) * pairAt(row + j));
      to[k] = f;
    }
  });
  return changed;
}

// A panel M := U⁻ᵀ M, which makes of a transposed Mᵀ that of M U⁻¹.
template <class Size>
inline void eliminateRight(const double* D, const double* inverse, double* M, std::size_t width,
                           Size n) {
  const std::size_t stride = paired(n);
  for (std::size_t j = 0; j < width; j += kPair) {
    if constexpr (isKnown<Size>) {
      Pair column[n];
      times(n, [&](auto k) { column[k] = pairAt(M + k * width + j); });
      times(n, [&](auto k) {
        column[k] = column[k] * both(inverse[k]);
        store(M + k * width + j, column[k]);
        times(std::integral_constant<std::size_t, n - 1 - k>{}, [&](auto i) {
          constexpr std::size_t to = k + 1 + i;
          column[to] = column[to] - both(D[k * stride + to]) * column[k];
        });
      });
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        const Pair known = pairAt(M + k * width + j) * both(inverse[k]);
        store(M + k * width + j, known);
        for (std::size_t i = k + 1; i < n; ++i)
          store(M + i * width + j, pairAt(M + i * width + j) - both(D[k * stride + i]) * known);
      }
    }
  }
}

// M := L⁻¹ M.
template <class Size>
inline void eliminateBelow(const double* D, double* M, std::size_t width, Size n) {
  const std::size_t stride = paired(n);
  for (std::size_t j = 0; j < width; j += kPair) {
    if constexpr (isKnown<Size>) {
      Pair column[n];
      times(n, [&](auto i) {
        column[i] = pairAt(M + i * width + j);
        times(i, [&](auto k) { column[i] = column[i] - both(D[i * stride + k]) * column[k]; });
        store(M + i * width + j, column[i]);
      });
    } else {
      for (std::size_t i = 1; i < n; ++i) {
        Pair sum = pairAt(M + i * width + j);
        for (std::size_t k = 0; k < i; ++k)
          sum = sum - both(D[i * stride + k]) * pairAt(M + k * width + j);
        store(M + i * width + j, sum);
      }
    }
  }
}

// out := Σ_k l_k M_k along rows that are `stride` apart, of `width` numbers or one more; l_k are `apart` apart.
template <class Size>
inline void combine(double* out, const double* l, std::size_t apart, const double* M,
                    std::size_t stride, std::size_t width, Size n) {
  if constexpr (isKnown<Size>) {
    Pair factor[n];
    times(n, [&](auto k) { factor[k] = both(l[k * apart]); });
    for (std::size_t j = 0; j < width; j += kPair) {
      Pair sum = factor[0] * pairAt(M + j);
      times(std::integral_constant<std::size_t, n - 1>{},
            [&](auto k) { sum = sum + factor[k + 1] * pairAt(M + (k + 1) * stride + j); });
      store(out + j, sum);
    }
  } else {
    for (std::size_t j = 0; j < width; j += kPair) {
      Pair sum = both(l[0]) * pairAt(M + j);
      for (std::size_t k = 1; k < n; ++k)
        sum = sum + both(l[k * apart]) * pairAt(M + k * stride + j);
      store(out + j, sum);
    }
  }
}

// to -= what: `width` numbers.
[[gnu::always_inline]] inline void subtract(double* to, const double* what, std::size_t width) {
  std::size_t j = 0;
  for (; j + kPair <= width; j += kPair) store(to + j, pairAt(to + j) - pairAt(what + j));
  if (j < width) to[j] -= what[j];
}

}  // namespace tenon::panels
