// Figures with loops, whose joints hold a point together and may lock turns: the data of the packed kernel.
//
// A node is three rows of a joint: those that hold its point together, or those of the turns that it locks
// (fewer are filled up with rows that say nothing). An end is where a node takes hold of a solid. In posing a point
// may also slide, and rows may be given from outside, on more than two solids, too.
#pragma once

#include <tenon/rows.h>

#include <cstdint>

#include "packed/kernel.h"
#include "packed/small.h"

namespace tenon::packed {

inline constexpr Index kNoEnd = 0xffffffffu;
inline constexpr int kMostEnds = 24;  // of a solid: its nodes become a clique

// 3 × 3 by rows; the fourth column is 0. A row is a register where there are registers of four.
struct alignas(32) Block {
  Lanes r[3];
};

// ---- Constant.
struct LoopSolid {
  double mass = 0, inverseMass = 0;
  double gravity = 1;                  // its part of it
  S3<double> inertia, inverseInertia;  // about the centre of mass, solid's axes
  Index solid = 0;                     // of the state
  Index firstEnd = 0;                  // its ends are one after the other
  Index firstPair = 0;  // of LoopFigure::pairs: where ends j and k of it meet, by j, then k
};
struct LoopEnd {
  // Solid's axes: the point, from the centre of mass, and if it slides, of solid1 the axes along which it does not;
  // or one vector per row.
  V3<double> axis[3];
  Index node = 0;
  Index body = 0;   // of the figure
  double sign = 1;  // +1: solid2 of the joint, -1: solid1
};
struct LoopNode {
  Index end1 = kNoEnd, end2 = kNoEnd;      // kNoEnd: the ground
  Index solid1 = kWorld, solid2 = kWorld;  // of the state
  V3<double> onGround[3];                  // as LoopEnd::axis, of the side that is on the ground
  Q4<double> frame;                        // axes of the joint's frame 1 in those of solid1
  Index slot = kWorld;                     // of the multipliers; kWorld: it has none
  std::uint8_t locked = 0;                 // 0: rows of a point; else so many of turns
  std::uint8_t axis = 0;                   // of frame 1: the one that is locked of one, free of two
  // In steps, of a point that slides: the node of how far it does. Of such a node: its point, along which axes of frame 1 it
  // slides, a bit each, and the blocks of its rows and the point's multipliers, and of the point's rows and its own.
  Index slide = kNoEnd, point = kNoEnd;
  std::uint8_t free = 0;
  Index below = 0, above = 0;
  // In posing:
  std::uint8_t slides = 0;  // a point that is held along so many axes of solid1 only; 0: along all
  bool given = false;       // rows from outside; its ends are known to who gives them
  double give = 0;          // of what is wanted: compliance, in mobilities; 0: a need
};
// By position in the order of elimination.
struct LoopColumn {
  Index diagonal = 0;  // of the blocks: its own, then (below, above) of each column it is tied to
  Index ties = 0;      // how many of these
  Index firstTie = 0;  // of LoopFigure::ties: their positions
};
// Columns that may be eliminated at the same time as those of the other parts. What they change beyond their own
// part they change in copies that start from 0; these are added to what they are copies of when all parts are done,
// one part after the other: the same sums, whoever eliminates which part when. The last part is what is left then.
struct LoopPart {
  Index firstColumn = 0;
  std::size_t firstUpdate = 0;
  Index firstBlock = 0, firstRight = 0;  // of the copies; each part's are one after the other
};
// Tasks 0 … count - 1 in any order, some at the same time. Without a crew: one after the other.
struct Crew {
  using Task = void (*)(const void* context, std::size_t task);
  void (*run)(void* self, std::size_t count, Task task, const void* context) = nullptr;
  void* self = nullptr;
};

// ---- Of a step.
struct alignas(32) LoopBody {
  Block inverse;               // B⁻¹: how a torque turns it
  M3<double> lessOne;          // what its turn adds to a vector
  S3<double> inertia;          // of the start, world axes
  V3<double> momentum;         // dt/a L_0
  V3<double> drift;            // where nothing but gravity would take it
  V3<double> theta, move;      // turn and displacement since the start
  V3<double> shift, rotation;  // by which its momenta are off, as displacements
};
struct LoopGrip {  // of an end
  V3<double> start[3],
      end[3];  // LoopEnd::axis in world axes; of rows in posing: by shifts, by turns
};
struct LoopRows {  // of a node
  V3<double>
      nu;  // multipliers: the force on solid2, or one per turn; of a node of slides how far it moves along each axis
  V3<double>
      pull;        // in posing, multipliers of the last pull, as if it were whole and of softness 1
  V3<double> gap;  // by which the point was off at the start, but for what it had slid by
  V3<double> error;          // at the end
  double give = 0;           // compliance
  V3<double> ground[3];      // LoopNode::onGround in world axes
  V3<double> n[3], push[3];  // of turns: along which errors change, and torques act
  V3<double> torque;         // on solid2
  M3<double> carried;        // how that follows a turn of the solids
  int used = 0;              // in posing, of rows that are given: the first so many
};

struct LoopFigure {
  Index solidCount = 0, nodeCount = 0;
  Index blockCount = 0;  // with copies
  bool exact = true;     // the matrix leaves nothing out: no turns are locked
  bool heavy = false;  // its factors cost so much more than all else that they are kept for a while
  const LoopSolid* solids = nullptr;  // and one more, where the last one's ends end
  const LoopEnd* ends = nullptr;
  const LoopNode* nodes = nullptr;
  const Index* pairs = nullptr;     // of the blocks
  const Index* columnOf = nullptr;  // by node: its position
  const LoopColumn* columns = nullptr;
  const Index* ties = nullptr;
  const Index* forward = nullptr;  // like ties: where the right-hand side is changed
  const Index* updates =
      nullptr;          // of the blocks: where the ties of a column meet, by column, row, column
  Index partCount = 0;  // but for the last one
  const LoopPart* parts = nullptr;  // and the last one, and one more, where it ends
  const Index *copiedBlock = nullptr, *copiedRight = nullptr;  // by copy: what it is one of
  Crew crew;
  LoopBody* bodies = nullptr;
  LoopGrip* grips = nullptr;
  LoopRows* rows = nullptr;
  Block* blocks = nullptr;
  V3<double>* right = nullptr;  // by position, then copies
};

struct LoopOutcome {
  bool done = false;  // it converged, and the state has moved on
  bool open = false;  // its joints were open by more than a millimetre
  double tooFar = 0;  // what it would turn by, over what it may, squared
  int iterations = 0;
};

// The kernel over the step (energy), with forces at its end (interactive), and of posing; for any machine of
// the kind, and for one with AVX2.
using LoopStep = LoopOutcome (*)(const LoopFigure&, const KernelSettings&, const StatePointers&);
LoopOutcome stepLoopOver(const LoopFigure&, const KernelSettings&, const StatePointers&);
LoopOutcome stepLoopAtEnd(const LoopFigure&, const KernelSettings&, const StatePointers&);
LoopOutcome stepLoopOverAvx2(const LoopFigure&, const KernelSettings&, const StatePointers&);
LoopOutcome stepLoopAtEndAvx2(const LoopFigure&, const KernelSettings&, const StatePointers&);

// ---- Posing: from any pose to one in which the points meet.

struct PoseErrors {
  double metres = 0, radians = 0;  // largest of the needs
  double squares = 0, energy = 0;  // of all needs; what it takes to close them
  double want = 0;                 // [m] largest, of needs that are points on the ground, too
  double wanted = 0;               // Σ e²/give of the wants
  Index rows = 0;
  bool near = true;  // axes of locked turns point the same way, nearly
};
struct PoseSolve {
  enum class Wants { Left, Pulling, Met };
  Wants wants = Wants::Left;
  double give = 0;      // compliance of needs, in mobilities
  double softness = 1;  // of wants that pull: times their compliance
  bool again =
      false;  // with the factors of the solve before: the state is the same, only errors are others
  double longest = 0;  // [m], [rad] no want pulls by more along an axis; all are shortened alike
  double curvature =
      0;  // what is left of the multipliers of the solve before: forces turn with the levers
  double pulled =
      0;  // the same with the last pull of wants in its place: over the softness of this one
  double (*displacement)[6] = nullptr;  // by solid of the state: what it moves and turns by
};
// Loads a figure at a state, and says how far it is from closed; then one linear solve there: the least
// displacement, in the metric of the masses, that closes it.
PoseErrors gatherPose(const LoopFigure&, const StatePointers&);
PoseErrors gatherPoseAvx2(const LoopFigure&, const StatePointers&);
void solvePose(const LoopFigure&, const PoseSolve&);
void solvePoseAvx2(const LoopFigure&, const PoseSolve&);

}  // namespace tenon::packed
