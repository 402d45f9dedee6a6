// The rows of a step that is solved for its end, evaluated for one end after the other.
//
// Which rows there are, what they are bounded by, what they aim at and all that belongs to the start is found
// once. An evaluation changes numbers in place: errors, rates, and the blocks by which rows push; what Newton's method
// needs beside is found when it is asked for. A bound that is neither reached nor pushed with has blocks of zeros.
//
// Lower pairs (a kind with a mask) go by closed forms: p_a = a·u has the gradient e_a and no curvature, and what depends
// on the turn C = A_1ᵀ A_2 alone is a function of three variables. With W of axialAlong, over a step
//   force = Ā e_a,     torque = ½ W g + s axial(Ā ΔC B̄ᵀ),     s = (Δg - ½ g·axial(ΔC Cᵀ)) ½|g|²/(½|g|² (|ΔC|² + ε²))
// is what lift_discrete.cpp says, g being the gradient at the middle. So is, of a distance |d|, force = 2 d̄/(|d_0| + |d_1|).
// A relation of such coordinates is a sum of what their pairs have found. All other joints go by jets.
#pragma once

#include <tenon/joint.h>

#include <array>
#include <span>
#include <vector>

#include "joints/jet.h"
#include "model/row_shape.h"

namespace tenon {

using TurnJet = JetOf<3>;  // by the turn of frame 2 in frame 1

// How a force or torque on a solid changes with the place or turn of a solid at the end.
struct SlopePart {
  Index solid = 0, by = 0;
  std::uint8_t row = 0, column = 0;  // 0: force, place; 1: torque, turn
  Mat3 slope;
};

// Of a row of a joint that holds points together: with r and c,
//   ν = η + c·δω,     and r times the row added to the torque equation,
// ω being the turn of a solid at the end, what the joint's force does to one solid as the other moves drops out of Newton's
// matrix, and what is left is a 3 × 3 block for each of them. It is the same system, but for the row's compliance.
struct RowShift {
  Index row = 0, solid = 0;
  Vec3 r, c;
};

class StepRows {
 public:
  // `over`: the rows of emitStepRows, else those of emitRows at the end.
  void begin(const Mechanism& mechanism, const Control& control, const State& start,
             const State& middle, const State& end, double dt, bool over);
  // Adds what `nu`, by slot of State::multiplier, pushes the solids with at the start: as much as a guess needs, joints being
  // closed.
  void pushAtStart(std::span<const double> nu, std::span<std::array<double, 6>> push);
  // For the poses of `end` and of what is halfway. If not everything is asked for, blocks of joints without rules are left to
  // findBlocks, and how the rows of joints that go by jets change to findChanges.
  void evaluate(const State& middle, const State& end, std::span<const double> nu,
                bool everything = true);
  void findBlocks();
  // Adds what multipliers, by row, push the solids with at the last evaluation.
  void push(std::span<const double> nu, std::span<std::array<double, 6>> push) const;
  // How the rows change with the end, and how what they push does, at the last evaluation.
  void differentiate(std::span<const double> nu);
  void findChanges();  // the first of these alone

  // Rises when there are other rows.
  [[nodiscard]] std::uint64_t made() const { return made_.times; }

  Rows rows;
  [[nodiscard]] const Rows& changes() const { return over_ ? ends_ : rows; }
  std::vector<SlopePart> parts;
  std::vector<RowShift> shifts;
  std::vector<std::uint8_t> shapes;  // by row, of RowShape
  std::vector<LoadSlope> slopes;
  std::vector<StiffnessBlock> stiffness;

 private:
  struct Frames {
    Mat3 A, B;        // axes of the frames
    Vec3 rho1, rho2;  // levers
    Vec3 u;           // from one origin to the other
  };
  // Value · sign + offset is the error of a row, and so on.
  struct Plan {
    Index row = 0;
    std::uint8_t axis = 0;  // of a place; else
    bool isTurn = false, isLength = false;
    std::uint8_t turn = 0;  // of the pair's turns
    bool isBound = false;   // hard: asked for nothing while it is not reached
    bool isIdle = false;    // … which it is not
    double sign = 1, offset = 0, rateOffset = 0;
    Index rule = kWorld;  // whose target it follows
  };
  struct Turn {  // a function of the turn
    bool isCoordinate = false, isAsked = true;
    bool isCoupled = false;    // a relation of coordinates asks for it
    bool onlyBounds = false;   // nothing but hard bounds do: what it is matters where one is near
    bool isRoughFrom = false;  // … and at the start none was
    std::uint8_t index = 0;
    double from = 0, to = 0, s = 0;
    double pulled = 0;    // ν of relations of coordinates
    Vec3 torque, change;  // of a unit multiplier, and of the row at the end
    Vec3 slope;           // at the middle, or at the end
  };
  struct
      Length {  // the distance of the origins, or without what is along the normal of a plane: a radius
    bool isAsked = false;
    double from = 0, to = 0;
    double size = 1;  // |p| at the end
    Vec3 n;           // p/|p|
    Vec3 along;       // … in frame 1, of a radius
    Vec3 G;           // force of a unit multiplier, world axes
    Mat3 bends;       // how G changes with d at the end
  };
  struct Pair {  // a joint whose functions have closed forms
    Index joint = 0, solid1 = kWorld, solid2 = kWorld;
    unsigned mask = 0;
    bool turns1 = true, turns2 = true, asksForVector = false;
    bool ties = true, pulls = false, isCoupled = false, hasLength = false, inPlane = false;
    Mat3 R1, R2;  // of the frames
    Vec3 p1, p2;
    Index firstPlan = 0, plans = 0, firstTurn = 0, turns = 0;
    Index firstRow = 0;
    Index firstMemory = 0, memories = 0;
    Frames from, to;
    Mat3 middleA;  // axes of frame 1
    Mat3 C;        // of which the slopes are
    Mat3 C0, C1;   // at the start and at the end
    Quat
        turn;  // of the start, with w >= 0; identity if the rotation vector is to stay within half a turn
    bool goesOn = true;  // nothing acts on what the rotation vector is, only on how it changes
    // How it pushes: axes and levers, at the end or their means over the step. In that case, where a turn is asked for, what
    // its torque is made of.
    Mat3 A, B_T, dC, N, W;
    Vec3 lever1, rho2;
    bool onlyHolds = true;  // it has no rows but those of the joint, and what is prescribed
    bool asks = false;
    Length length;
    Vec3 place, placeFrom;  // of frame 2 in frame 1
    Vec3 v, w;              // at the end: how fast frame 2 moves and turns in frame 1
    Vec3 pulled;            // ν of relations of coordinates
  };
  // A relation of coordinates of pairs.
  struct Couple {
    Index joint = 0, row = 0, firstTerm = 0, terms = 0;
  };
  struct Term {
    Index pair = 0;
    Index turn = kWorld;    // of turns_; kWorld: a place
    std::uint8_t axis = 0;  // of a place
    double factor = 1;
    Index block1 = kWorld, block2 = kWorld;  // of its row; kWorld: the world's
  };
  struct Other {
    Index joint = 0, firstRow = 0, rows = 0, firstBlock = 0, blocks = 0;
    bool onlyBounds = false;
    bool hasChanges = false;  // of the last evaluation
  };

  static void findFrames(const Pair& pair, const std::vector<Mat3>& axes,
                         const std::vector<Vec3>& places, Frames& f);
  [[nodiscard]] double roughly(const Pair& pair, const Turn& turn, const Mat3& C) const;
  [[nodiscard]] bool isFar(const Pair& pair, Index turn, double value) const;
  [[nodiscard]] bool isAsBefore() const;
  void makeRows();
  void findWhatHolds(std::vector<std::uint8_t>& holds) const;
  void aim();
  [[nodiscard]] SignalValue targetOf(const CompiledSignal& signal) const;
  void addPair(Index joint, Index firstRow, unsigned coupled);
  Index turnAt(Pair& pair, bool isCoordinate, std::uint8_t index);
  [[nodiscard]] bool isCouple(const MechanismJoint& joint) const;
  void findTerms(Couple& couple);
  void evaluatePair(Pair& pair, std::span<const double> nu);
  void evaluateCouple(const Couple& couple);
  void findChanges(Pair& pair);
  void findChanges(const Couple& couple);
  void findSlopes(const Pair& pair, std::span<const double> nu);
  void pushAtStart(const Pair& pair, std::span<const double> nu,
                   std::span<std::array<double, 6>> push);
  void pullCouples(std::span<const double> nu);
  void addSlopesOver(const Pair& pair, const Vec3& pull, const Vec3& g, const Mat3& H, double s);
  void turnSlopes(const Pair& pair, const Vec3& g, const Mat3& H, double s, Mat3& t1,
                  Mat3& t2) const;
  void tieTurns(const Pair& pair, const Mat3& t1, const Mat3& t2);
  void addSlopesAtEnd(const Pair& pair, const Vec3& pull, const Vec3& g, const Mat3& H);
  void addLengthSlopes(const Pair& pair, double pull);
  [[nodiscard]] Mat3 timesHalfway(const Mat3& M, Index solid) const;
  bool isIdle(const Other& other, std::span<const double> nu);
  void evaluateOther(Other& other, std::span<const double> nu, bool withChanges);
  void emitOther(const Other& other, std::span<const double> nu, bool withRows, bool withChanges);
  void findBlocks(const Pair& pair);
  void push(const Pair& pair, std::span<const double> nu,
            std::span<std::array<double, 6>> push) const;
  static void push(const Pair& pair, const Vec3& force, const Vec3& torque, const Vec3& lever1,
                   const Vec3& lever2, std::span<std::array<double, 6>> push);
  void write(const Pair& pair, const Plan& plan, const Vec3& force, const Vec3& torque1,
             const Vec3& torque2, Rows& to) const;
  void addTerm(const Term& term, const Vec3& force, const Vec3& torque1, const Vec3& torque2,
               Rows& to) const;
  void addPart(Index solid, int row, Index by, int column, double sign, const Mat3& slope);
  [[nodiscard]] static Quat turnOf(const Pair& pair, const Mat3& C);
  [[nodiscard]] std::span<const double> memoryOf(const Pair& pair) const;

  const Mechanism* m_ = nullptr;
  const Control* control_ = nullptr;
  const State *start_ = nullptr, *middle_ = nullptr, *end_ = nullptr;
  bool over_ = false;
  double dt_ = 0;
  std::span<const double> nu_;  // of the last evaluation
  // What the rows were made of: while it stays, they do.
  struct Made {
    std::uint64_t times = 0;
    bool over = false;
    std::vector<std::uint8_t> holds, solids;
    std::vector<MechanismJoint> joints;
    std::vector<MechanismRule> rules;
    std::vector<MechanismPoint> points;
    std::vector<MechanismTerm> terms;
  };
  Made made_;
  bool hasBlocks_ = false;  // of the last evaluation, all of them
  Rows ends_, emitted_, emittedEnds_;
  std::vector<Pair> pairs_;
  std::vector<Other> others_;
  std::vector<Couple> couples_;
  std::vector<Term> terms_;
  std::vector<std::uint8_t> holds_;  // joints and rules, now
  std::vector<Index> pairOf_;        // by joint, while rows are made
  std::vector<unsigned> coupled_;    // bits of coordinates, by joint; likewise
  std::vector<Plan> plans_;
  std::vector<Turn> turns_;
  std::vector<Mat3> axes_, middleAxes_;  // of solids
};

}  // namespace tenon
