// What TripleLu does in its inner loops, over plain arrays: compiled once for every machine, and once for those with
// AVX2 (triple_kernel.h). Both give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::triples {

constexpr std::size_t kBlock = 18;  // numbers of a block and its mirror
constexpr std::uint32_t kScattered = 0xffffffffu;

struct Pivot {                        // by position
  std::uint32_t first = 0, last = 0;  // of TripleLu::rows_
  std::uint32_t x = 0;                // its place in a vector
  std::size_t D = 0;                  // among the values
  std::size_t LU = 0;  // of the blocks of its rows 9 pairs each: of U, and of L transposed
};
// What is done, in order, with those that are used.
struct Meeting {
  std::uint32_t x = 0, D = 0;  // of what a pivot meets
  std::uint32_t LU = 0;        // of the block between the two
  // Where its products with the blocks after it go: from here on one after the other, where all is dense; else,
  // kScattered, as the targets say.
  std::uint32_t target = 0;
};
struct Step {
  std::uint32_t pivot = 0, first = 0, last = 0;  // of the meetings
};
struct View {
  const Pivot* pivots = nullptr;
  const Step *firstStep = nullptr, *lastStep = nullptr;
  const Meeting* meetings = nullptr;
  const std::uint32_t* targets = nullptr;
};
struct Factored {
  bool finite = true;
  std::uint32_t perturbed = 0;
};

// As TripleLu has them.
Factored factor(const View& view, double floor, double* values, double* inverse);
Factored factorAvx2(const View& view, double floor, double* values, double* inverse);
void solve(const View& view, const double* values, const double* inverse, double* x);
void solveAvx2(const View& view, const double* values, const double* inverse, double* x);

}  // namespace tenon::triples
