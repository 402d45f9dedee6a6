// What the packed kernels share with the rest, as plain pointers: their files may be compiled for a newer
// machine than the others, and must not make copies of common functions.
#pragma once

#include <tenon/math.h>
#include <tenon/rows.h>

namespace tenon::packed {

struct StatePointers {
  Vec3* position = nullptr;
  Quat* orientation = nullptr;
  Vec3* velocity = nullptr;
  Vec3* spin = nullptr;
  double* multiplier = nullptr;
  double* memory = nullptr;

  [[gnu::always_inline]] [[nodiscard]] Vec3 positionOf(Index solid) const {
    return solid == kWorld ? Vec3{} : position[solid];
  }
  [[gnu::always_inline]] [[nodiscard]] Quat orientationOf(Index solid) const {
    return solid == kWorld ? Quat{} : orientation[solid];
  }
};

// Figures side by side. In WebAssembly as many as one of its registers holds: with four, the code that a browser loads
// is twice as long, and slower by a tenth to a third.
#ifdef __wasm_simd128__
inline constexpr int kLanes = 2;
#else
inline constexpr int kLanes = 4;
#endif
// Whether a tree that is alone goes through the kernel of several, with empty lanes beside it. In WebAssembly two lanes
// cost what one does, and the code that a browser loads is shorter by a kernel.
inline constexpr bool kAloneAbreast = kLanes == 2;
// Whether one kernel is for both ways to solve a step (SolvedWhen in turn.h).
inline constexpr bool kOneForBoth = kLanes == 2;

struct KernelSettings {
  double dt[kLanes] = {};  // of each figure
  Vec3 gravity;
  double tolerance = 0;  // [rad], [m] of what is left to turn and move
  double closed = 0;     // [m], [rad] of the joints
  int most = 0;          // iterations
  bool patient = true;   // … and as many again where a row comes to hold or ceases to
  unsigned lanes = ~0u;  // which of the figures side by side are to be stepped
};

}  // namespace tenon::packed
