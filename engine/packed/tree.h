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
  bool pushed = false;     // forces, drag or ties act on the solid
  Index firstTie = 0, ties = 0;
  bool loaded = false;             // rules act on the joint's angle, or its turning is damped
  bool limitsOnly = false;         // … where no limit is reached, with nothing
  Index firstRule = 0, rules = 0;  // of TreeShape::rules
  bool swings = false;             // one of them is on the swing of a ball
  bool goesOn = true;              // they act on how the coordinates of a ball change only
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};
// What acts on a coordinate c of a pin or a ball, with λ along it:
//   Soft       λ = -k (mean c - target) - d (mean rate), at most so large: springs, dampers, drives
//   Prefer     the same, pushing only, beyond one of two bounds
//   Limit      a bound that holds, of a pin: its angle is locked there while λ pushes
//   Rotor      λ = -I a/dt² (Δc - dt ċ_0), of a pin: an armature of inertia I, which is its `stiffness`; ċ_0 is its `rate`
enum class TreeRuleKind : std::uint8_t { Soft, Prefer, Limit, Rotor };
struct TreeRuleShape {
  TreeRuleKind kind = TreeRuleKind::Soft;
  std::uint8_t coordinate = 0;  // of a ball: rx, ry, rz, swing
  friend bool operator==(const TreeRuleShape&, const TreeRuleShape&) = default;
};
inline constexpr int kSwing = 3;
struct TreeShape {
  std::vector<TreeNode> nodes;
  std::vector<TreeRuleShape> rules;
  bool freeRoot = false;                                        // no joint holds it to the ground
  bool anyLocked = false;                                       // or loaded
  bool anyLoaded = false, anyPushed = false, anyBalls = false;  // balls: with rules
  bool anyKinked = false;  // a rule changes what it does within a step
  Index ties = 0;
  Index stack = 0;  // parts that may wait for their parent at the same time
  friend bool operator==(const TreeShape&, const TreeShape&) = default;
};

inline constexpr int kMostLocked = 3;

// One number per lane of each: constant.
template <class R>
struct alignas(sizeof(R)) TreeSolid {
  R mass;
  R gravity;         // its part of it
  S3<R> inertia;     // about the centre of mass, solid's axes
  V3<R> own, other;  // the joint's point in this solid and in the parent, from centres of mass
  Q4<R> frame;       // axes of the joint's frame 1 in those of solid1
};
template <class R>
struct alignas(sizeof(R)) TreeAxes {     // of a joint that locks turns: u · w = 0
  V3<R> u[kMostLocked], w[kMostLocked];  // in solid1's and solid2's axes
};

template <class R>
struct alignas(sizeof(R)) TreeRule {
  R stiffness, damping, most;  // [N m/rad], [N m s/rad], [N m]
  R lower, upper;              // [rad]
  R target0, target1, rate;    // [rad] at start and end of the piece, [rad/s]
};
// Of a ball whose coordinates have rules: what is constant, what is of the start, how coordinates change with turns at
// the end.
template <class R>
struct alignas(sizeof(R)) TreeBall {
  Q4<R> frame1, frame2;  // axes of its frames in those of their solids
  Q4<R> first, second;   // … in the world's
  M3<R> A, B;            // the same
  Q4<R> turn;            // of frame 2 in frame 1, w >= 0
  V3<R> vector;          // its rotation vector
  R swing;
  V3<R> end[4];
};
// Of a joint that is loaded: what is constant, then what is so in a step, then what it does.
template <class R>
struct alignas(sizeof(R)) TreeLoad {
  R damp;                 // [N m s] of its turning
  V3<R> muscle, muscle0;  // [N m] on solid2: in solid1's axes, and in the world's at the start
  V3<R> mark;             // whose angle from u[0] about the axis is the joint's; in solid2's axes
  V3<R> axis0;
  R angle0;    // [rad] at the start, turns counted
  R held;      // 1: it lies at a bound, and is locked there
  R bound;     // … which
  R pushes;    // … 1: upwards, -1: downwards
  V3<R> mean;  // n̄: torques are λ n̄, angles change by n̄ · (turns of the two over the step)
  V3<R> torque;       // dt²/a of what the rules and the damping turn this solid with
  M3<R> own, parent;  // how it changes with turns of this solid and of the parent
  R off;              // of a bound that holds
  bool idle;          // nothing acts on the joint in any lane
};

// What acts on a solid: forces F_i at points p_i of it as M = Σ p_i F_iᵀ, whose torque is Σ (turn p_i) × F_i.
template <class R>
struct alignas(sizeof(R)) TreeWrench {
  V3<R> force, torque;           // [N], [N m] world axes
  V3<R> ownForce, ownTorque;     // in the solid's axes
  M3<R> moment;                  // [N m]
  R linear, quadratic, angular;  // of drag
  // Of the start, world axes.
  V3<R> ownForce0, ownTorque0;
  M3<R> moment0;
};
// A point of a solid tied to one that moves as it does: by a spring along the line between them, or where `straight` is
// 0 by one that pulls them together whatever the line.
template <class R>
struct alignas(sizeof(R)) TreeTie {
  V3<R> point;             // [m] in the solid's axes
  V3<R> anchor0, anchor1;  // [m] world, at start and end of the piece
  R stiffness, damping, rest, straight;
  V3<R> lever0, d0;  // of the start: the lever, and from anchor to point
  V3<R> pull;        // [N] on the solid, in the end
};

// What a step reads and writes most.
template <class R>
struct alignas(sizeof(R)) TreeBody {
  // Of the start, world axes.
  S3<R> inertia;
  V3<R> momentum;      // dt/a L_0
  V3<R> own0, other0;  // levers
  V3<R> drift;         // v_0 dt + dt²/a f g: where nothing but gravity would take it
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
  bool freeRoot = false, anyLocked = false, anyLoaded = false, anyPushed = false;
  bool anyKinked = false;
  const TreeSolid<R>* solids = nullptr;
  const TreeAxes<R>* axes = nullptr;
  const TreeRuleShape* ruleShapes = nullptr;
  TreeRule<R>* rules = nullptr;
  TreeBall<R>* balls = nullptr;
  TreeLoad<R>* loads = nullptr;
  TreeWrench<R>* wrenches = nullptr;
  TreeTie<R>* ties = nullptr;
  TreeBody<R>* bodies = nullptr;
  TreeTurns<R>* turns = nullptr;
  TreePart<R>* stack = nullptr;
  const Index* solid[NumberOf<R>::lanes] = {};   // by node: of the state
  const Index* ground[NumberOf<R>::lanes] = {};  // the solid that the root is held to, or kWorld
  const Index* slot[NumberOf<R>::lanes] = {};    // by node: of the multipliers
  const Index* memory[NumberOf<R>::lanes] =
      {};  // by node: turns counted, of joints that are loaded
};
struct TreeOutcome {
  unsigned done = 0;  // lanes that converged: their state has moved on; the others' has not
  unsigned open = 0;  // … whose joints were open, by more than rounding
  double tooFar[kLanes] = {};  // what they would turn by, over what they may, squared
  int iterations[kLanes] = {};
  double work[kLanes] =
      {};  // [J] of what acts beside gravity, but for what springs store; over the step
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
