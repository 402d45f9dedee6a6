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
  bool straight = false;  // the axes of frame 1 are those of its solid
  bool leaf = true;
  bool lastChild = false;  // its siblings come before it: its part is the first of the parent's
  bool pushed = false;     // forces, drag or ties act on the solid
  Index firstTie = 0, ties = 0;
  bool linked = false;  // links end at the solid
  bool acted = false;   // one of these
  bool loaded = false;  // rules act on the joint's angle, or its turning is damped
  bool damped = false, muscled = false;
  bool limitsOnly = false;         // … where no limit is reached, with nothing
  bool counts = false;             // its turns are counted: of a pin, or the twist of a ball
  Index firstRule = 0, rules = 0;  // of TreeShape::rules
  bool bounded = false;  // one of them pushes within bounds: limits, friction, what is prescribed
  bool vector = false, swings = false, twists = false;  // what they are about, of a ball
  bool goesOn = true;              // they act on how the coordinates of a ball change only
  std::uint8_t slides = 0;         // axes of frame 1 along which the joint slides, a bit each
  std::uint8_t moves = 3;          // displacements that it locks
  Index firstPull = 0, pulls = 0;  // rules on how far it slides, of TreeShape::rules
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};
// What acts on a coordinate c of a pin or a ball, with λ along it:
//   Soft       λ = -k (mean c - target) - d (mean rate), at most so large: springs, dampers, drives
//   Prefer     the same, pushing only, beyond one of two bounds
//   Rotor      λ = -I a/dt² (Δc - dt ċ_0), of a pin: an armature of inertia I, which is its `stiffness`; ċ_0 is its `rate`
// and, by the law of bounds (solve/bounds.h), with whatever λ within its bounds it takes:
//   Limit      lower <= c <= upper, λ pushing only
//   Friction   c stays, |λ| being `most` at most
//   Prescribe  c is its target
enum class TreeRuleKind : std::uint8_t { Soft, Prefer, Rotor, Limit, Friction, Prescribe };
[[gnu::always_inline]] inline constexpr bool isBounded(TreeRuleKind kind) {
  return kind >= TreeRuleKind::Limit;
}
struct TreeRuleShape {
  TreeRuleKind kind = TreeRuleKind::Soft;
  std::uint8_t coordinate =
      0;  // of a ball: rx, ry, rz, swing, twist; of what slides: the axis of frame 1
  friend bool operator==(const TreeRuleShape&, const TreeRuleShape&) = default;
};
inline constexpr int kSwing = 3, kTwist = 4, kBallCoordinates = 5;
// What ties two points of a figure beside its joints, or a point of it and one of the ground (kWorld in place of a node):
//   Rod     they stay so far apart
//   Rope    they are at most so far apart: it pulls, and never pushes
//   Spring  a spring along the line between them
enum class TreeLinkKind : std::uint8_t { Rod, Rope, Spring };
struct TreeLinkShape {
  TreeLinkKind kind = TreeLinkKind::Rod;
  Index node[2] = {kWorld, kWorld};
  friend bool operator==(const TreeLinkShape&, const TreeLinkShape&) = default;
};
inline constexpr std::size_t kMostLinks = 12;
// A node between the root and the end of a link. They are in the order of nodes.
struct TreeBranch {
  Index node = 0, parent = 0;  // parent: among the branches
  std::uint32_t links = 0;     // bits of those that end at it or beyond
  friend bool operator==(const TreeBranch&, const TreeBranch&) = default;
};
struct TreeShape {
  std::vector<TreeNode> nodes;
  std::vector<TreeRuleShape> rules;
  bool freeRoot = false;   // no joint holds it to the ground
  bool led = false;        // node 0 is the ground, which follows a path
  bool anyLocked = false;  // or loaded
  bool anyLoaded = false, anyPushed = false, anyBalls = false;  // balls: with rules
  bool anyKinked = false;  // a rule may change what it does in any iteration
  bool anyPrescribed = false;
  bool anyBounded = false;  // rules push within bounds
  bool anyRotors = false;
  bool anySlides = false;
  Index ties = 0;
  std::vector<TreeLinkShape> links;
  std::vector<TreeBranch> branches;
  bool anyAnchored = false;  // a link leads to the ground
  // The same nodes as a settling of velocities sees them (tree_border.h); none: rows do that.
  std::vector<TreeNode> settling;
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
  // Of a rule that is bounded, in the step: its total multiplier, where it stands, how often that has changed; then λ and
  // -dλ/dc as they were seen last.
  R push, stands, changes;
  R lambda, slope;
};
// Of a ball whose coordinates have rules: what is constant, what is of the start, how coordinates change with turns of
// solid 2 against solid 1 at the end.
template <class R>
struct alignas(sizeof(R)) TreeBall {
  Q4<R> frame1, frame2;      // axes of its frames in those of their solids
  Q4<R> first, second;       // … in the world's
  M3<R> A;                   // … the first as a matrix
  Q4<R> turn;                // of frame 2 in frame 1, w >= 0
  R from[kBallCoordinates];  // its coordinates
  V3<R> end[kBallCoordinates];
  V3<R> along[kBallCoordinates];  // what λ turns solid 2 with
};
// Of a joint that is loaded: what is constant, then what is so in a step, then what it does.
template <class R>
struct alignas(sizeof(R)) TreeLoad {
  R damp;                 // [N m s] of its turning
  V3<R> muscle, muscle0;  // [N m] on solid2: in solid1's axes, and in the world's at the start
  V3<R> mark;             // whose angle from u[0] about the axis is the joint's; in solid2's axes
  V3<R> axis0;
  R angle0,
      angle1;    // [rad] of a pin at the start, and of a pin or a twist at the end, turns counted
  V3<R> end;     // the axis of a pin at the end
  M3<R> yields;  // where rules are bounded: I⁻¹ of the two solids, added up
  V3<R> torque;  // dt²/a of what the rules and the damping turn this solid with
  V3<R> late;    // … of what is added to the multipliers of what holds until it does
  M3<R> own, parent;  // how it changes with turns of this solid and of the parent
  R acting;           // 1 where something acts
  R awake;            // 1 where limits are minded, if there is nothing else
  bool idle;          // nothing acts on the joint in any lane
};

// What acts on a solid: forces F_i at points p_i of it as M = Σ p_i F_iᵀ, whose torque is Σ (turn p_i) × F_i.
template <class R>
struct alignas(sizeof(R)) TreeWrench {
  V3<R> force, torque;           // [N], [N m] world axes
  V3<R> ownForce, ownTorque;     // in the solid's axes
  M3<R> moment;                  // [N m]
  R linear, quadratic, angular;  // of drag
  R follows;    // 1 where one of these acts, or a tie: what it does changes as the solid moves
  bool steady;  // force and torque are all, in every lane
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

// A link: what is constant, what is of the start, what is of the iterate. Vectors lead from end 0 to end 1, and f acts at end
// 1, -f at end 0.
template <class R>
struct alignas(sizeof(R)) TreeLink {
  V3<R> point[2];  // [m] in the solid's axes
  R length;        // [m] of a spring: at rest
  R stiffness, damping;
  V3<R> lever0[2], d0;
  R length0, off0;      // off: what must be 0 of a rod, and not less than 0 of a rope
  R mobility;           // of its ends, if nothing held them
  V3<R> lever1[2], d1;  // at the end
  V3<R> normal;         // how `off` changes with d1
  V3<R> along;          // f of a unit multiplier
  M3<R> bends;          // how f changes with d1, but for the multiplier
  V3<R> force;          // f
  R nu, off, stored;    // dt²/a λ
  R holds, changes;     // 1: it pulls; how often that changed
  V3<R> moved;          // how d1 changes in an iteration
};
// What a unit of a link's f does to the branches: their turns as `eliminate` has them, how they move and turn.
template <class R>
struct alignas(sizeof(R)) TreeColumn {
  M3<R> shift, move, turn;
};
template <class R>
struct alignas(sizeof(R)) TreeBlock {
  M3<R> m;
};
template <class R>
struct alignas(sizeof(R)) TreeBranchMotion {
  V3<R> move, turn;
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

// Of a joint that slides: what is constant, of the start, of the iterate, and of the elimination, where the joint's point moves
// by c + w:  w = Wc c (+ Wp δ_parent) + shift.
template <class R>
struct alignas(sizeof(R)) TreeSlide {
  V3<R> axis0[3], axis1[3];  // of frame 1, world
  V3<R> start;               // [m] along those that are free: at the start
  V3<R> moved;               // … and since
  M3<R> S, J, xx, E;         // see tree_slides.h
  M3<R> Wc, Wp;
  V3<R> shift;
};
// A ground that follows a path: where it is, by how much it moves in the piece, and how fast it is at the end.
template <class R>
struct alignas(sizeof(R)) TreeLed {
  V3<R> place, move;
  Q4<R> turn0, turn1;
  V3<R> velocity, spin;
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
  bool anyKinked = false, anyPrescribed = false, anyBounded = false, anyRotors = false;
  const TreeSolid<R>* solids = nullptr;
  const TreeAxes<R>* axes = nullptr;
  const TreeRuleShape* ruleShapes = nullptr;
  TreeRule<R>* rules = nullptr;
  TreeBall<R>* balls = nullptr;
  TreeLoad<R>* loads = nullptr;
  TreeWrench<R>* wrenches = nullptr;
  TreeTie<R>* ties = nullptr;
  TreeSlide<R>* slides = nullptr;
  const TreeLed<R>* led = nullptr;  // if node 0 is a ground that follows a path
  const TreeLinkShape* linkShapes = nullptr;
  const TreeBranch* branches = nullptr;
  std::size_t linkCount = 0, branchCount = 0;
  bool anyAnchored = false;
  const TreeNode* settling = nullptr;
  TreeLink<R>* links = nullptr;
  TreeColumn<R>* columns = nullptr;                     // by link, by branch
  TreeBranchMotion<R>* motions = nullptr;               // by branch
  TreeBlock<R>*responses = nullptr, *system = nullptr;  // by link, by link
  TreeBody<R>* bodies = nullptr;
  TreeTurns<R>* turns = nullptr;
  TreePart<R>* stack = nullptr;
  const Index* solid[NumberOf<R>::lanes] = {};   // by node: of the state
  const Index* ground[NumberOf<R>::lanes] = {};  // the solid that the root is held to, or kWorld
  const Index* slot[NumberOf<R>::lanes] = {};    // by node: of the multipliers
  const Index* memory[NumberOf<R>::lanes] =
      {};  // by node: turns counted, of joints that are loaded
  // By link: the solid of the ground that it leads to, and where its multiplier is remembered.
  const Index *anchor[NumberOf<R>::lanes] = {}, *linkSlot[NumberOf<R>::lanes] = {};
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
