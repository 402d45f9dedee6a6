// Blocks of 3 × 3 and the L U of a figure with loops.
//
// Compiled once for every kind of machine: everything in it is local to the file that includes it.
#pragma once

#include "packed/loop.h"

namespace tenon::packed {
namespace {

using Vector = V3<double>;
using Matrix = M3<double>;

// ------------------------------------------------------------------------------------------ blocks

TENON_KERNEL Lanes spread(double a) { return number<Lanes>(a); }
TENON_KERNEL Lanes rowOf(const Vector& v) {
  return Lanes{intoLanes(v.x), intoLanes(v.y), intoLanes(v.z), 0};
}
TENON_KERNEL Block blockOf(const Matrix& a) { return {{rowOf(a.r0), rowOf(a.r1), rowOf(a.r2)}}; }
TENON_KERNEL Matrix matrixOf(const Block& a) {
  return {{a.r[0][0], a.r[0][1], a.r[0][2]},
          {a.r[1][0], a.r[1][1], a.r[1][2]},
          {a.r[2][0], a.r[2][1], a.r[2][2]}};
}
TENON_KERNEL Lanes product(const Lanes& a, const Block& b) {
  return spread(a[0]) * b.r[0] + spread(a[1]) * b.r[1] + spread(a[2]) * b.r[2];
}
TENON_KERNEL Block product(const Block& a, const Block& b) {
  return {{product(a.r[0], b), product(a.r[1], b), product(a.r[2], b)}};
}
TENON_KERNEL void add(const Block& a, Block& to) {
  for (int i = 0; i < 3; ++i) to.r[i] += a.r[i];
}
TENON_KERNEL Vector operator*(const Block& a, const Vector& v) {
  const auto row = [&v](const Lanes& r) { return r[0] * v.x + r[1] * v.y + r[2] * v.z; };
  return {row(a.r[0]), row(a.r[1]), row(a.r[2])};
}
// s [b]ₓ
TENON_KERNEL Block skewBlock(double s, const Vector& b) {
  const double x = s * b.x, y = s * b.y, z = s * b.z;
  return {{Lanes{0, -z, y, 0}, Lanes{z, 0, -x, 0}, Lanes{-y, x, 0, 0}}};
}

// Between the state's types and ours.
TENON_KERNEL Q4<double> turnOf(const Quat& q) { return {q.x, q.y, q.z, q.w}; }
TENON_KERNEL Vector vectorOf(const Vec3& v) { return {v.x, v.y, v.z}; }
TENON_KERNEL Vec3 vectorOf(const Vector& v) { return {v.x, v.y, v.z}; }
TENON_KERNEL int vectorsOf(const LoopNode& node) { return node.locked > 0 ? node.locked : 1; }

// ------------------------------------------------------------------------------------------- L U

// What a solid adds to A: between each two of its ends, J (1/m, B⁻¹) Pᵀ. `along` is how rows change with, and
// push, its centre.
TENON_KERNEL void addPairs(const LoopFigure& f, const LoopSolid& solid, const Block& inverse,
                           Index count, const Block* change, Block* push, const double* along) {
  for (Index k = 0; k < count; ++k) push[k] = product(inverse, push[k]);
  const Index* at = f.pairs + solid.firstPair;
  for (Index j = 0; j < count; ++j) {
    const double reach = solid.inverseMass * along[j];
    for (Index k = 0; k < count; ++k) {
      Block both = product(change[j], push[k]);
      const double shared = reach * along[k];
      both.r[0] += Lanes{shared, 0, 0, 0};
      both.r[1] += Lanes{0, shared, 0, 0};
      both.r[2] += Lanes{0, 0, shared, 0};
      add(both, f.blocks[*at++]);
    }
  }
}

// f(0) … f(count - 1), by the crew if there is one.
template <class F>
TENON_KERNEL void runAll(const Crew& crew, std::size_t count, const F& f) {
  if (crew.run != nullptr && count > 1) {
    crew.run(
        crew.self, count,
        [](const void* task, std::size_t i) { (*static_cast<const F*>(task))(i); }, &f);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) f(i);
}

void factorPart(const LoopFigure& f, std::size_t part) {
  const Index* update = f.updates + f.parts[part].firstUpdate;
  for (Index p = f.parts[part].firstColumn; p < f.parts[part + 1].firstColumn; ++p) {
    const LoopColumn& column = f.columns[p];
    Block* own = f.blocks + column.diagonal;
    const Block pivot = blockOf(inverse(matrixOf(*own)));
    *own = pivot;
    for (Index i = 0; i < column.ties; ++i) {
      const Block below = product(own[1 + 2 * i], pivot);
      own[1 + 2 * i] = below;
      // Each number of L once over all lanes: they stay in registers while the row is walked.
      Lanes wide[3][3];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) wide[r][c] = spread(below.r[r][c]);
      for (Index j = 0; j < column.ties; ++j) {
        const Block above = own[2 + 2 * j];
        Block& to = f.blocks[*update++];
        for (int r = 0; r < 3; ++r)
          to.r[r] -= wide[r][0] * above.r[0] + wide[r][1] * above.r[1] + wide[r][2] * above.r[2];
      }
    }
  }
}

// L U of A: pivots inverted, L below them.
void factor(const LoopFigure& f) {
  runAll(f.crew, f.partCount, [&f](std::size_t part) { factorPart(f, part); });
  const Index first = f.parts[0].firstBlock;
  for (Index b = first; b < f.blockCount; ++b) add(f.blocks[b], f.blocks[f.copiedBlock[b - first]]);
  factorPart(f, f.partCount);
}

void solveForward(const LoopFigure& f, std::size_t part) {
  for (Index r = f.parts[part].firstRight; r < f.parts[part + 1].firstRight; ++r)
    f.right[r] = zero3<double>();
  for (Index p = f.parts[part].firstColumn; p < f.parts[part + 1].firstColumn; ++p) {
    const LoopColumn& column = f.columns[p];
    const Block* own = f.blocks + column.diagonal;
    const Vector y = f.right[p];
    for (Index i = 0; i < column.ties; ++i) {
      Vector& to = f.right[f.forward[column.firstTie + i]];
      to = to - own[1 + 2 * i] * y;
    }
  }
}
void solveBack(const LoopFigure& f, std::size_t part) {
  for (Index p = f.parts[part + 1].firstColumn; p-- > f.parts[part].firstColumn;) {
    const LoopColumn& column = f.columns[p];
    const Block* own = f.blocks + column.diagonal;
    Vector y = f.right[p];
    for (Index i = 0; i < column.ties; ++i)
      y = y - own[2 + 2 * i] * f.right[f.ties[column.firstTie + i]];
    f.right[p] = *own * y;
  }
}

// right := A⁻¹ right
void solve(const LoopFigure& f) {
  runAll(f.crew, f.partCount, [&f](std::size_t part) { solveForward(f, part); });
  for (Index r = f.nodeCount; r < f.parts[f.partCount].firstRight; ++r)
    f.right[f.copiedRight[r - f.nodeCount]] += f.right[r];
  solveForward(f, f.partCount);
  solveBack(f, f.partCount);
  runAll(f.crew, f.partCount, [&f](std::size_t part) { solveBack(f, part); });
}

}  // namespace
}  // namespace tenon::packed
