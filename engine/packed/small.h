// Vectors and matrices of a number R that is a double or a lane of several: what the packed kernels are
// written in. Sums are in a written order, so that a lane does what the scalar path does, bit by bit.
#pragma once

#include <tenon/math.h>

#include <type_traits>

#include "packed/kernel.h"

// Always inlined, and without lambdas of their own: no copy is left that the linker could take for files that are
// compiled for another machine (tools/check_wide_objects.py looks).
#define TENON_KERNEL [[gnu::always_inline]] inline
#define TENON_OUT_OF_LINE [[gnu::noinline]]

namespace tenon::packed {

// A vector of four numbers: for four figures, or a row of a block. The compiler makes of it what the machine has: one
// AVX register, or two of 128 bits; chosen at run time by which copy of the kernels is called.
using Lanes = double __attribute__((vector_size(32)));
// One number for each of the figures side by side.
using Abreast = double __attribute__((vector_size(8 * kLanes)));

template <class R>
struct NumberOf {
  using Mask = decltype(R{} < R{});
  static constexpr int lanes = sizeof(R) / sizeof(double);
};
template <>
struct NumberOf<double> {
  using Mask = bool;
  static constexpr int lanes = 1;
};
template <class R>
using MaskOf = typename NumberOf<R>::Mask;
template <class R>
concept Wide = std::is_same_v<R, Lanes> || std::is_same_v<R, Abreast>;

TENON_KERNEL double lane(const double& a, int) { return a; }
template <Wide R>
TENON_KERNEL double lane(const R& a, int i) {
  return a[i];
}

TENON_KERNEL bool laneOf(bool a, int) { return a; }
template <class Mask>
TENON_KERNEL bool laneOf(const Mask& a, int i) {
  return a[i] != 0;
}

// A number on its way into lanes, unchanged. clang's WebAssembly backend (seen in 14.0.6, that of emscripten 3.1.6)
// makes of a number that was loaded and put into a vector one instruction, v128.load64_splat, and forgets that what
// stores to the same place later must stay behind it: `a = *p; *p = b; return {a, a};` returns b. It is not only what
// the program writes twice: arrays of functions that were inlined share their place, too. A number that went through
// an empty asm is not known as loaded. (What the compiler itself makes vectors of is kept from it by
// -fno-slp-vectorize and -fno-vectorize: cmake/TenonFlags.cmake.)
TENON_KERNEL double intoLanes(double a) {
#ifdef __wasm_simd128__
  if (!__builtin_constant_p(a)) asm("" : "+r"(a));
#endif
  return a;
}
template <class R>
TENON_KERNEL R number(double a) {
  if constexpr (NumberOf<R>::lanes == 1) {
    return a;
  } else {
    a = intoLanes(a);
    if constexpr (NumberOf<R>::lanes == 2) {
      return R{a, a};
    } else {
#if defined(__SSE2__) && !defined(__AVX__)
      // Four numbers are two registers here. g++ 12 would write them to memory one by one and read them back by two,
      // which processors wait for.
      using Half = double __attribute__((vector_size(16)));
      const Half half{a, a};
      return __builtin_shufflevector(half, half, 0, 1, 0, 1);
#else
      return R{a, a, a, a};
#endif
    }
  }
}
TENON_KERNEL double choose(bool which, double a, double b) { return which ? a : b; }
template <Wide R>
TENON_KERNEL R choose(const MaskOf<R>& which, const R& a, const R& b) {
  return which ? a : b;
}
TENON_KERNEL double larger(double a, double b) { return a > b ? a : b; }
template <Wide R>
TENON_KERNEL R larger(const R& a, const R& b) {
  return a > b ? a : b;
}
TENON_KERNEL double squareRootOf(double a) { return __builtin_sqrt(a); }
// In one instruction where the machine has it: compilers make one root a lane of a plain loop. Roots are rounded exactly.
template <Wide R>
TENON_KERNEL R squareRootOf(const R& a) {
#if defined(__wasm_simd128__)
  static_assert(NumberOf<R>::lanes == 2);
  return __builtin_wasm_sqrt_f64x2(a);
#else
  static_assert(NumberOf<R>::lanes == 4);
#if defined(__AVX__)
  return __builtin_ia32_sqrtpd256(a);
#else
  return R{__builtin_sqrt(a[0]), __builtin_sqrt(a[1]), __builtin_sqrt(a[2]), __builtin_sqrt(a[3])};
#endif
#endif
}

template <class R>
struct V3 {
  R x, y, z;
};
template <class R>
TENON_KERNEL V3<R> operator+(const V3<R>& a, const V3<R>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class R>
TENON_KERNEL V3<R> operator-(const V3<R>& a, const V3<R>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class R>
TENON_KERNEL V3<R> operator*(const R& s, const V3<R>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class R>
TENON_KERNEL V3<R>& operator+=(V3<R>& a, const V3<R>& b) {
  return a = a + b;
}
template <class R>
TENON_KERNEL R dot(const V3<R>& a, const V3<R>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class R>
TENON_KERNEL V3<R> cross(const V3<R>& a, const V3<R>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class R>
TENON_KERNEL V3<R> zero3() {
  return {number<R>(0), number<R>(0), number<R>(0)};
}
template <class R>
TENON_KERNEL V3<R> choose(const MaskOf<R>& which, const V3<R>& a, const V3<R>& b) {
  return {choose(which, a.x, b.x), choose(which, a.y, b.y), choose(which, a.z, b.z)};
}
// From a number per lane, at(lane).
template <class R, class F>
TENON_KERNEL R gather(const F& at) {
  if constexpr (NumberOf<R>::lanes == 1)
    return at(0);
  else if constexpr (NumberOf<R>::lanes == 2)
    return R{intoLanes(at(0)), intoLanes(at(1))};
  else
    return R{intoLanes(at(0)), intoLanes(at(1)), intoLanes(at(2)), intoLanes(at(3))};
}
template <class R, class F>
TENON_KERNEL V3<R> gatherVectors(const F& at) {
  return {gather<R>([&at](int i) { return at(i).x; }), gather<R>([&at](int i) { return at(i).y; }),
          gather<R>([&at](int i) { return at(i).z; })};
}
template <class R>
TENON_KERNEL Vec3 lane(const V3<R>& a, int i) {
  return {lane(a.x, i), lane(a.y, i), lane(a.z, i)};
}

// By rows: m[r] is row r.
template <class R>
struct M3 {
  V3<R> r0, r1, r2;
};
template <class R>
TENON_KERNEL M3<R> operator+(const M3<R>& a, const M3<R>& b) {
  return {a.r0 + b.r0, a.r1 + b.r1, a.r2 + b.r2};
}
template <class R>
TENON_KERNEL M3<R> operator-(const M3<R>& a, const M3<R>& b) {
  return {a.r0 - b.r0, a.r1 - b.r1, a.r2 - b.r2};
}
template <class R>
TENON_KERNEL M3<R>& operator+=(M3<R>& a, const M3<R>& b) {
  return a = a + b;
}
template <class R>
TENON_KERNEL M3<R>& operator-=(M3<R>& a, const M3<R>& b) {
  return a = a - b;
}
template <class R>
TENON_KERNEL M3<R> operator*(const R& s, const M3<R>& a) {
  return {s * a.r0, s * a.r1, s * a.r2};
}
template <class R>
TENON_KERNEL V3<R> operator*(const M3<R>& a, const V3<R>& v) {
  return {dot(a.r0, v), dot(a.r1, v), dot(a.r2, v)};
}
template <class R>
TENON_KERNEL V3<R> transposeTimes(const M3<R>& a, const V3<R>& v) {
  return v.x * a.r0 + v.y * a.r1 + v.z * a.r2;
}
template <class R>
TENON_KERNEL M3<R> operator*(const M3<R>& a, const M3<R>& b) {
  return {transposeTimes(b, a.r0), transposeTimes(b, a.r1), transposeTimes(b, a.r2)};
}
template <class R>
TENON_KERNEL M3<R> transposed(const M3<R>& a) {
  return {{a.r0.x, a.r1.x, a.r2.x}, {a.r0.y, a.r1.y, a.r2.y}, {a.r0.z, a.r1.z, a.r2.z}};
}
template <class R>
TENON_KERNEL M3<R> outer(const V3<R>& a, const V3<R>& b) {
  return {a.x * b, a.y * b, a.z * b};
}
template <class R>
TENON_KERNEL M3<R> zeroMatrix() {
  return {zero3<R>(), zero3<R>(), zero3<R>()};
}
template <class R>
TENON_KERNEL M3<R> scaledIdentity(const R& s) {
  const R o = number<R>(0);
  return {{s, o, o}, {o, s, o}, {o, o, s}};
}
template <class R>
TENON_KERNEL void addToDiagonal(const R& s, M3<R>& a) {
  a.r0.x = a.r0.x + s;
  a.r1.y = a.r1.y + s;
  a.r2.z = a.r2.z + s;
}
// A [b]ₓ: row r of it is (row r of A) × b.
template <class R>
TENON_KERNEL M3<R> timesSkew(const M3<R>& a, const V3<R>& b) {
  return {cross(a.r0, b), cross(a.r1, b), cross(a.r2, b)};
}
// [b]ₓ A.
template <class R>
TENON_KERNEL M3<R> skewTimes(const V3<R>& b, const M3<R>& a) {
  return {b.y * a.r2 - b.z * a.r1, b.z * a.r0 - b.x * a.r2, b.x * a.r1 - b.y * a.r0};
}
// A += [b]ₓ.
template <class R>
TENON_KERNEL void addSkew(const V3<R>& b, M3<R>& a) {
  a.r0.y = a.r0.y - b.z;
  a.r0.z = a.r0.z + b.y;
  a.r1.x = a.r1.x + b.z;
  a.r1.z = a.r1.z - b.x;
  a.r2.x = a.r2.x - b.y;
  a.r2.y = a.r2.y + b.x;
}
template <class R>
TENON_KERNEL M3<R> inverse(const M3<R>& a) {
  const V3<R> c0 = cross(a.r1, a.r2), c1 = cross(a.r2, a.r0), c2 = cross(a.r0, a.r1);
  const R s = number<R>(1) / dot(a.r0, c0);
  return {{s * c0.x, s * c1.x, s * c2.x},
          {s * c0.y, s * c1.y, s * c2.y},
          {s * c0.z, s * c1.z, s * c2.z}};
}

// Symmetric.
template <class R>
struct S3 {
  R xx, yy, zz, xy, xz, yz;
};
template <class R>
TENON_KERNEL V3<R> operator*(const S3<R>& a, const V3<R>& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}
template <class R>
TENON_KERNEL M3<R> full(const S3<R>& a) {
  return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}

// A⁻¹ v.
template <class R>
TENON_KERNEL V3<R> solved(const S3<R>& a, const V3<R>& v) {
  const S3<R> c{a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
                a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.yz * a.xx};
  return (number<R>(1) / (a.xx * c.xx + a.xy * c.xy + a.xz * c.xz)) * (c * v);
}

// A I Aᵀ.
template <class R>
TENON_KERNEL S3<R> turned(const M3<R>& A, const S3<R>& I) {
  const V3<R> a = I * A.r0, b = I * A.r1, c = I * A.r2;
  return {dot(a, A.r0), dot(b, A.r1), dot(c, A.r2), dot(a, A.r1), dot(a, A.r2), dot(b, A.r2)};
}

template <class R>
struct Q4 {
  R x, y, z, w;
};
template <class R>
TENON_KERNEL Q4<R> operator*(const Q4<R>& a, const Q4<R>& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
// Of a quaternion whose length is not 1: `two` is 2/|q|².
template <class R>
TENON_KERNEL M3<R> matrixOf(const Q4<R>& q, const R& two) {
  const R one = number<R>(1);
  const R xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const R xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const R wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{one - two * (yy + zz), two * (xy - wz), two * (xz + wy)},
          {two * (xy + wz), one - two * (xx + zz), two * (yz - wx)},
          {two * (xz - wy), two * (yz + wx), one - two * (xx + yy)}};
}
template <class R>
TENON_KERNEL M3<R> matrixOf(const Q4<R>& q) {
  return matrixOf(q, number<R>(2));
}
template <class R, class F>
TENON_KERNEL Q4<R> gatherTurns(const F& at) {
  return {gather<R>([&at](int i) { return at(i).x; }), gather<R>([&at](int i) { return at(i).y; }),
          gather<R>([&at](int i) { return at(i).z; }), gather<R>([&at](int i) { return at(i).w; })};
}
template <class R>
TENON_KERNEL Quat lane(const Q4<R>& a, int i) {
  return {lane(a.x, i), lane(a.y, i), lane(a.z, i), lane(a.w, i)};
}

}  // namespace tenon::packed
