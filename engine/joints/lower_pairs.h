// Lower pairs and their kin: joints that are a mask of locked directions.     [Faure1998 Table 1]
//
// Translations along i, j, k of frame 1: locked, the residual is the component of p; free, it is a
// coordinate. Rotations, by how many are locked:
//   0   free: the rotation vector, and the derived `swing` and `twist` of axis i
//   1   of a, b, c in cyclic order with c locked: a_1 · b_2 = 0; free: α about a_1, β about b_2
//   2   the swing of the free axis f vanishes; free: the twist about it
//   3   the rotation vector vanishes
// In a plane there is also the derived `radius`, the distance from the origin of frame 1.
// Partial rotation errors are never projections of the full rotation vector: those diverge for
// hinge angles beyond 1.9 rad.
//
// So of a lower pair every function but `radius` is a component of p, or depends on the turn alone.
#pragma once

#include "joints/joint_math.h"

namespace tenon {

// The residuals of the rotations that a mask locks.
template <class In, class T = NumberOf<In>>
void turnResiduals(unsigned mask, const In& in, T* residual) {
  const LockedTurns turns = lockedTurns(mask);
  if (turns.count == 1) {
    residual[0] = in.R[(turns.locked + 1) % 3][(turns.locked + 2) % 3];
  } else if (turns.count == 2) {
    const std::array<T, 2> lean = swing(in, turns.free);
    for (std::size_t i = 0; i < 2; ++i) residual[i] = lean[i];
  } else if (turns.count == 3) {
    const std::array<T, 3> vector = rotationVector(in);
    for (std::size_t i = 0; i < 3; ++i) residual[i] = vector[i];
  }
}

// How many coordinates say what rotations it leaves, and those of them that follow the free translations.
inline int turnCoordinates(unsigned mask) {
  constexpr int kCount[] = {5, 2, 1, 0};
  return kCount[lockedTurns(mask).count];
}
template <class In, class T = NumberOf<In>>
T turnCoordinate(unsigned mask, const In& in, int coordinate, std::span<const double> memory) {
  const LockedTurns turns = lockedTurns(mask);
  if (turns.count == 0) {
    if (coordinate < 3) return rotationVector(in)[static_cast<std::size_t>(coordinate)];
    return coordinate == 3 ? swingAngle(in, 0) : unwrap(medianTwist(in), memory[0]);
  }
  if (turns.count == 1) {
    // With c locked, R = Rot(a, α) Rot(b, β): its row a is (cos β, 0, sin β) and its column b is
    // (0, cos α, sin α), in the order a, b, c.
    const int c = turns.locked, a = (c + 1) % 3, b = (c + 2) % 3;
    return coordinate == 0 ? unwrap(angleOf(T(in.R[c][b]), T(in.R[b][b])), memory[0])
                           : unwrap(angleOf(T(in.R[a][c]), T(in.R[a][a])), memory[1]);
  }
  return unwrap(turnAbout(in, turns.free), memory[0]);
}

}  // namespace tenon
