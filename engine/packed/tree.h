// Trees of solids whose joints hold a point together and may lock turns: the data of the packed kernel.
//
// Solids are numbered from the root out, every parent before its children, and a subtree is contiguous:
// what is eliminated one after the other lies one after the other.
#pragma once

#include <tenon/rows.h>

#include <cstdint>
#include <vector>

#include "packed/kernel.h"
#include "packed/small.h"

namespace tenon::packed {

// What figures that may go through the kernel together have in common.
struct TreeNode {
  Index parent = 0;         // of the root: unused
  std::uint8_t locked = 0;  // turns that the joint to the parent locks
  std::uint8_t axis = 0;    // of frame 1: the one that is locked of one, free of two
  bool childIsFirst = false;
  bool leaf = true;
  bool lastChild = false;  // its siblings come before it: its part is the first of the parent's
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};
struct TreeShape {
  std::vector<TreeNode> nodes;
  bool freeRoot = false;  // no joint holds it to the ground
  bool anyLocked = false;
  Index stack = 0;  // parts that may wait for their parent at the same time
  friend bool operator==(const TreeShape&, const TreeShape&) = default;
};

inline constexpr int kMostLocked = 3;

// One number per lane of each: constant.
template <class R>
struct alignas(sizeof(R)) TreeSolid {
  R mass;
  S3<R> inertia;     // about the centre of mass, solid's axes
  V3<R> own, other;  // the joint's point in this solid and in the parent, from centres of mass
  Q4<R> frame;       // axes of the joint's frame 1 in those of solid1
};
template <class R>
struct alignas(sizeof(R)) TreeAxes {     // of a joint that locks turns: u · w = 0
  V3<R> u[kMostLocked], w[kMostLocked];  // in solid1's and solid2's axes
};

// What a step reads and writes most.
template <class R>
struct alignas(sizeof(R)) TreeBody {
  // Of the start, world axes.
  S3<R> inertia;
  V3<R> momentum;      // dt/a L_0
  V3<R> own0, other0;  // levers
  V3<R> drift;         // v_0 dt + dt²/a g: where nothing but gravity would take it
  V3<R> gap;  // by which the joints from the root to here were off, rounding: put right at the end
  // Of the iterate.
  V3<R> theta, move;  // turn and displacement since the start
  V3<R> own1, other1;
  M3<R> lessOne;  // what its turn adds to a vector
  // Of the elimination: δ = V c (+ U δ_parent) + shift, c being how the joint's point moves.
  M3<R> V;
  M3<R> inverse, N;      // of a ball: D⁻¹, and how the force changes with the turn
  V3<R> shift, carried;  // … then what it turns and moves by; at last the joint's force and torque
};
static_assert(sizeof(TreeBody<double>) <= 600, "hot data of a solid");
template <class R>
struct alignas(sizeof(R)) TreeTurns {  // of a joint that locks turns, world axes
  V3<R> u0[kMostLocked], w0[kMostLocked], u1[kMostLocked], w1[kMostLocked];
  M3<R> U;
  M3<R> P, D, Dk;  // A (Āᵀ D' A)⁻¹ Āᵀ; D; D'
};

// What a subtree asks of its parent:  force and torque as they are, how they change with the parent's
// displacement, and what they change by on their own when the subtree is solved for.
template <class R>
struct alignas(sizeof(R)) TreePart {
  M3<R> xx, xt, tx, tt;
  V3<R> force, torque, forceShift, torqueShift;
};

template <class R>
struct TreeFigures {  // one per lane
  const TreeNode* nodes = nullptr;
  int count = 0;
  bool freeRoot = false, anyLocked = false;
  const TreeSolid<R>* solids = nullptr;
  const TreeAxes<R>* axes = nullptr;
  TreeBody<R>* bodies = nullptr;
  TreeTurns<R>* turns = nullptr;
  TreePart<R>* stack = nullptr;
  const Index* solid[NumberOf<R>::lanes] = {};   // by node: of the state
  const Index* ground[NumberOf<R>::lanes] = {};  // the solid that the root is held to, or kWorld
  const Index* slot[NumberOf<R>::lanes] = {};    // by node: of the multipliers
};
struct TreeOutcome {
  unsigned done = 0;  // lanes that converged: their state has moved on; the others' has not
  unsigned open = 0;  // … whose joints were open, by more than rounding
  double tooFar[kLanes] = {};  // what they would turn by, over what they may, squared
  int iterations[kLanes] = {};
};

// The same kernel, over the step (energy) and with forces at its end (interactive).
using TreeStep = TreeOutcome (*)(const TreeFigures<double>&, const KernelSettings&,
                                 const StatePointers&);
using TreeLanesStep = TreeOutcome (*)(const TreeFigures<Abreast>&, const KernelSettings&,
                                      const StatePointers&);
TreeOutcome stepTreeOver(const TreeFigures<double>&, const KernelSettings&, const StatePointers&);
TreeOutcome stepTreeAtEnd(const TreeFigures<double>&, const KernelSettings&, const StatePointers&);
// Lanes for any machine of the kind, and for one with AVX2.
TreeOutcome stepTreesOver(const TreeFigures<Abreast>&, const KernelSettings&, const StatePointers&);
TreeOutcome stepTreesAtEnd(const TreeFigures<Abreast>&, const KernelSettings&,
                           const StatePointers&);
TreeOutcome stepTreesOverAvx2(const TreeFigures<Abreast>&, const KernelSettings&,
                              const StatePointers&);
TreeOutcome stepTreesAtEndAvx2(const TreeFigures<Abreast>&, const KernelSettings&,
                               const StatePointers&);

}  // namespace tenon::packed
