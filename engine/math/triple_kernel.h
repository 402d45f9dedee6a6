// L U of triples, block by block: see triple_lu.h. Included once for each kind of machine; everything in it is local to
// its file, and always inlined, so that the linker finds no copy that it could take for another machine
// (tools/check_wide_objects.py looks). Sums are in a written order: wide registers change no bit.
#pragma once

#include <cstring>

#include "math/triples.h"

#define TENON_TRIPLE [[gnu::always_inline]] inline

namespace tenon::triples {
namespace {

// A number of U and the one of L that mirrors it.
#ifdef __EMSCRIPTEN__
struct alignas(16) Pair {  // see intoLanes of packed/small.h: no vectors of the compiler's own
  double a, b;
};
TENON_TRIPLE Pair operator-(Pair x, Pair y) { return {x.a - y.a, x.b - y.b}; }
TENON_TRIPLE Pair operator*(Pair x, Pair y) { return {x.a * y.a, x.b * y.b}; }
TENON_TRIPLE Pair operator+(Pair x, Pair y) { return {x.a + y.a, x.b + y.b}; }
TENON_TRIPLE double firstOf(Pair x) { return x.a; }
TENON_TRIPLE double secondOf(Pair x) { return x.b; }
#else
typedef double Pair __attribute__((vector_size(16), may_alias));
TENON_TRIPLE double firstOf(Pair x) { return x[0]; }
TENON_TRIPLE double secondOf(Pair x) { return x[1]; }
#endif

template <class T>
TENON_TRIPLE T loaded(const double* at) {
  T numbers;
  std::memcpy(&numbers, at, sizeof numbers);
  return numbers;
}
template <class T>
TENON_TRIPLE void store(double* at, T numbers) {
  std::memcpy(at, &numbers, sizeof numbers);
}

// A row of a block: three pairs. `Spread` is a pair that a row is multiplied by.
#ifdef __AVX2__
typedef double Two __attribute__((vector_size(32), may_alias));
struct Spread {
  Two two;
};
struct Row {
  Two two;
  Pair one;
};
TENON_TRIPLE Pair pairOf(Spread x) { return __builtin_shufflevector(x.two, x.two, 0, 1); }
TENON_TRIPLE Spread spread(Pair x) { return {__builtin_shufflevector(x, x, 0, 1, 0, 1)}; }
TENON_TRIPLE Row rowAt(const double* at) { return {loaded<Two>(at), loaded<Pair>(at + 4)}; }
TENON_TRIPLE void store(double* at, Row x) {
  store(at, x.two);
  store(at + 4, x.one);
}
TENON_TRIPLE Row operator-(Row x, Row y) { return {x.two - y.two, x.one - y.one}; }
TENON_TRIPLE Row operator*(Spread x, Row y) { return {x.two * y.two, pairOf(x) * y.one}; }
#else
struct Spread {
  Pair pair;
};
struct Row {
  Pair of[3];
};
TENON_TRIPLE Pair pairOf(Spread x) { return x.pair; }
TENON_TRIPLE Spread spread(Pair x) { return {x}; }
TENON_TRIPLE Row rowAt(const double* at) {
  return {{loaded<Pair>(at), loaded<Pair>(at + 2), loaded<Pair>(at + 4)}};
}
TENON_TRIPLE void store(double* at, Row x) {
  for (int i = 0; i < 3; ++i) store(at + 2 * i, x.of[i]);
}
TENON_TRIPLE Row operator-(Row x, Row y) {
  return {{x.of[0] - y.of[0], x.of[1] - y.of[1], x.of[2] - y.of[2]}};
}
TENON_TRIPLE Row operator*(Spread x, Row y) {
  return {{x.pair * y.of[0], x.pair * y.of[1], x.pair * y.of[2]}};
}
#endif

// D -= L U, of the L and U of one block: a number above the diagonal together with the one that mirrors it. `left` as
// below.
TENON_TRIPLE void subtractOwn(double* D, const Spread (&left)[9], const double* LU) {
  for (int i = 0; i < 3; ++i) {
    const double* at = LU + 2 * i;
    D[4 * i] -= at[0] * at[1] + at[6] * at[7] + at[12] * at[13];
    for (int j = i + 1; j < 3; ++j) {
      const Pair sum = pairOf(left[3 * i]) * loaded<Pair>(LU + 2 * j) +
                       pairOf(left[3 * i + 1]) * loaded<Pair>(LU + 6 + 2 * j) +
                       pairOf(left[3 * i + 2]) * loaded<Pair>(LU + 12 + 2 * j);
      D[3 * i + j] -= firstOf(sum);
      D[3 * j + i] -= secondOf(sum);
    }
  }
}

// Of C, between i and j:  U -= L_i U_j,  Lᵀ -= U_iᵀ L_jᵀ. `left` has the pairs of L_i and U_iᵀ, row by row.
TENON_TRIPLE void subtractProduct(double* C, const Spread (&left)[9], const double* LU) {
  const Row right[3] = {rowAt(LU), rowAt(LU + 6), rowAt(LU + 12)};
  for (int i = 0; i < 3; ++i)
    store(C + 6 * i, rowAt(C + 6 * i) - left[3 * i] * right[0] - left[3 * i + 1] * right[1] -
                         left[3 * i + 2] * right[2]);
}

TENON_TRIPLE double sizeOf(double x) { return __builtin_fabs(x); }

TENON_TRIPLE Factored factorAll(const View& view, double floor, double* values, double* inverses) {
  Factored factored;
  const std::uint32_t* target = view.targets;
  for (const Step* step = view.firstStep; step != view.lastStep; ++step) {
    double* D = values + view.pivots[step->pivot].D;
    double* inverse = inverses + 3 * static_cast<std::size_t>(step->pivot);
    // D := L U in place, with ones on the diagonal of L; `inverse` has one over that of U.
    double largest = sizeOf(D[0]);
    if (sizeOf(D[4]) > largest) largest = sizeOf(D[4]);
    if (sizeOf(D[8]) > largest) largest = sizeOf(D[8]);
    const double least = floor * largest, instead = largest > 0 ? least : 1;
    const auto turnOver = [&](int k) __attribute__((always_inline)) {
      double& pivoted = D[4 * k];
      if (!(sizeOf(pivoted) > least)) {
        factored.finite = factored.finite && __builtin_isfinite(pivoted);
        pivoted = pivoted < 0 ? -instead : instead;
        ++factored.perturbed;
      }
      inverse[k] = 1 / pivoted;
    };
    turnOver(0);
    D[3] *= inverse[0];
    D[6] *= inverse[0];
    D[4] -= D[3] * D[1];
    D[5] -= D[3] * D[2];
    D[7] -= D[6] * D[1];
    D[8] -= D[6] * D[2];
    turnOver(1);
    D[7] *= inverse[1];
    D[8] -= D[7] * D[5];
    turnOver(2);
    // Above: U := L⁻¹ B. Below: L := B U⁻¹, which transposed is Lᵀ := U⁻ᵀ Bᵀ.
    const Meeting* const first = view.meetings + step->first;
    const Meeting* const last = view.meetings + step->last;
    const Spread scale[3] = {spread(Pair{1, inverse[0]}), spread(Pair{1, inverse[1]}),
                             spread(Pair{1, inverse[2]})};
    const Spread d10 = spread(Pair{D[3], D[1]}), d20 = spread(Pair{D[6], D[2]}),
                 d21 = spread(Pair{D[7], D[5]});
    for (const Meeting* r = first; r != last; ++r) {
      double* const LU = values + r->LU;
      const Row x = scale[0] * rowAt(LU);
      const Row y = scale[1] * (rowAt(LU + 6) - d10 * x);
      const Row z = scale[2] * (rowAt(LU + 12) - d20 * x - d21 * y);
      store(LU, x);
      store(LU + 6, y);
      store(LU + 12, z);
    }
    // What is left: block (i, j) -= L_i U_j for all i and j beside p.
    for (const Meeting* r = first; r != last; ++r) {
      const double* own = values + r->LU;
      Spread left[9];  // L_i(i, k) and U_i(k, i)
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          left[3 * i + k] = spread(Pair{own[2 * (3 * k + i) + 1], own[2 * (3 * k + i)]});
      subtractOwn(values + r->D, left, own);
      if (r->target != kScattered) {
        double* to = values + r->target;
        for (const Meeting* c = r + 1; c != last; ++c, to += kBlock)
          subtractProduct(to, left, values + c->LU);
      } else {
        for (const Meeting* c = r + 1; c != last; ++c)
          subtractProduct(values + *target++, left, values + c->LU);
      }
    }
  }
  return factored;
}

TENON_TRIPLE void solveAll(const View& view, const double* values, const double* inverses,
                           double* x) {
  for (const Step* step = view.firstStep; step != view.lastStep; ++step) {
    const Pivot& pivot = view.pivots[step->pivot];
    const double* D = values + pivot.D;
    double* y = x + pivot.x;
    y[1] -= D[3] * y[0];
    y[2] = y[2] - D[6] * y[0] - D[7] * y[1];
    const double a = y[0], b = y[1], c = y[2];
    for (std::uint32_t r = step->first; r < step->last; ++r) {
      const double* LU = values + view.meetings[r].LU;
      double* to = x + view.meetings[r].x;
      for (int i = 0; i < 3; ++i)
        to[i] = to[i] - LU[2 * i + 1] * a - LU[2 * i + 7] * b - LU[2 * i + 13] * c;
    }
  }
  for (const Step* step = view.lastStep; step != view.firstStep;) {
    --step;
    const Pivot& pivot = view.pivots[step->pivot];
    const double* D = values + pivot.D;
    const double* inverse = inverses + 3 * static_cast<std::size_t>(step->pivot);
    double sum[3] = {x[pivot.x], x[pivot.x + 1], x[pivot.x + 2]};
    for (std::uint32_t r = step->first; r < step->last; ++r) {
      const double* LU = values + view.meetings[r].LU;
      const double* from = x + view.meetings[r].x;
      const double a = from[0], b = from[1], c = from[2];
      for (int i = 0; i < 3; ++i)
        sum[i] = sum[i] - LU[6 * i] * a - LU[6 * i + 2] * b - LU[6 * i + 4] * c;
    }
    sum[2] *= inverse[2];
    sum[1] = (sum[1] - D[5] * sum[2]) * inverse[1];
    sum[0] = (sum[0] - D[1] * sum[1] - D[2] * sum[2]) * inverse[0];
    for (int i = 0; i < 3; ++i) x[pivot.x + static_cast<std::uint32_t>(i)] = sum[i];
  }
}

}  // namespace
}  // namespace tenon::triples
