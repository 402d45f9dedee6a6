#include "joints/step_rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "joints/axial.h"
#include "joints/lift_over.h"
#include "joints/lower_pairs.h"
#include "math/rotation.h"

namespace tenon {

namespace {

// Inputs of functions of the turn, for numbers and for jets; these are made where they are asked for.
struct TurnValues {
  using Number = double;
  const double (&R)[3][3];
  double q[4];
};

// exp(δθ) r = r + δθ × r + ½ δθ × (δθ × r) + … for a column r of R: see jetInput.
TENON_JET TurnJet jetOf(const Mat3& C, int r, int c) {
  const Vec3 v = C.column(c);
  TurnJet jet(v[r]);
  const double x = 0.5 * v.x, y = 0.5 * v.y, z = 0.5 * v.z;
  const auto fill = [&jet](const double(&first)[3], const double(&second)[6]) {
    for (int i = 0; i < 3; ++i) jet.first[i] = first[i];
    for (int i = 0; i < 6; ++i) jet.second[i] = second[i];
  };
  if (r == 0) fill({0, v.z, -v.y}, {0, y, -v.x, z, 0, -v.x});
  if (r == 1) fill({-v.z, 0, v.x}, {-v.y, x, 0, 0, z, -v.y});
  if (r == 2) fill({v.y, -v.x, 0}, {-v.z, 0, -v.z, x, y, 0});
  return jet;
}

struct TurnInput {
  using Number = TurnJet;
  struct Row {
    const Mat3& C;
    int r;
    TurnJet operator[](int c) const { return jetOf(C, r, c); }
  };
  struct Matrix {
    const Mat3& C;
    Row operator[](int r) const { return {C, r}; }
  };
  // As a quaternion exp(δθ) = (δθ/2, 1 - |δθ|²/8) + …
  struct Quaternion {
    Quat q;
    TurnJet operator[](int n) const {
      const double value[4] = {q.x, q.y, q.z, q.w};
      const double first[4][3] = {{0.5 * q.w, 0.5 * q.z, -0.5 * q.y},
                                  {-0.5 * q.z, 0.5 * q.w, 0.5 * q.x},
                                  {0.5 * q.y, -0.5 * q.x, 0.5 * q.w},
                                  {-0.5 * q.x, -0.5 * q.y, -0.5 * q.z}};
      TurnJet jet(value[n]);
      for (int k = 0; k < 3; ++k) {
        jet.first[k] = first[n][k];
        jet.second[TurnJet::pair(k, k)] = -0.25 * value[n];
      }
      return jet;
    }
  };
  Matrix R;
  Quaternion q;
};

// Components of F(c) v across axis f, v being where it points and c = v_f: of swing(), with the derivatives written
// out,  ∇ = F ∇v + F' v ∇c,     ∇² = F ∇²v + F' (∇v ∇cᵀ + ∇c ∇vᵀ) + v (F' ∇²c + F'' ∇c ∇cᵀ).
void swingJets(const Mat3& C, int f, TurnJet (&lean)[2]) {
  const TurnJet c = jetOf(C, f, f);
  const AngleOverSine F = angleOverSineAt(c.value);
  const int axes[2] = {(f + 2) % 3, (f + 1) % 3};
  for (int n = 0; n < 2; ++n) {
    const double sign = n == 0 ? -1 : 1;
    const TurnJet v = jetOf(C, axes[n], f);
    TurnJet& to = lean[n];
    to.value = sign * (F.f * v.value);
    const double f0 = sign * F.f, f1 = sign * F.f1, vf1 = f1 * v.value, vf2 = sign * F.f2 * v.value;
    for (int i = 0; i < 3; ++i) to.first[i] = f0 * v.first[i] + vf1 * c.first[i];
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j, ++k)
        to.second[k] = f0 * v.second[k] + f1 * (v.first[i] * c.first[j] + c.first[i] * v.first[j]) +
                       vf1 * c.second[k] + vf2 * c.first[i] * c.first[j];
  }
}

// Residuals and coordinates of turns, with their derivatives and without; one copy of each.
[[gnu::noinline]] void residualJets(unsigned mask, const Mat3& C, const Quat& q,
                                    TurnJet (&residual)[3]) {
  const LockedTurns locked = lockedTurns(mask);
  if (locked.count == 2 && C(locked.free, locked.free) >= 0) {
    TurnJet lean[2];
    swingJets(C, locked.free, lean);
    residual[0] = lean[0];
    residual[1] = lean[1];
  } else {
    turnResiduals(mask, TurnInput{{C}, {q}}, residual);
  }
}
[[gnu::noinline]] TurnJet coordinateJet(unsigned mask, const Mat3& C, const Quat& q, int index,
                                        std::span<const double> memory) {
  return turnCoordinate(mask, TurnInput{{C}, {q}}, index, memory);
}
[[gnu::noinline]] void residualValues(unsigned mask, const Mat3& C, const Quat& q,
                                      double (&residual)[3]) {
  turnResiduals(mask, TurnValues{C.m, {q.x, q.y, q.z, q.w}}, residual);
}
[[gnu::noinline]] double coordinateValue(unsigned mask, const Mat3& C, const Quat& q, int index,
                                         std::span<const double> memory) {
  return turnCoordinate(mask, TurnValues{C.m, {q.x, q.y, q.z, q.w}}, index, memory);
}

Vec3 slopeOf(const TurnJet& jet) { return {jet.first[0], jet.first[1], jet.first[2]}; }
Mat3 curvatureOf(const TurnJet& jet) {
  const double(&s)[6] = jet.second;
  return {{{s[0], s[1], s[3]}, {s[1], s[2], s[4]}, {s[3], s[4], s[5]}}};
}

// f·(ω × (ω × r)) = (f·ω)(ω·r) - (f·r)|ω|² as a symmetric form in ω.
Mat3 centripetal(const Vec3& force, const Vec3& lever) {
  const Mat3 M = outer(force, lever);
  return 0.5 * (M + transpose(M)) - dot(force, lever) * identity3();
}

// Stands for a joint where only its rows are to be made: their blocks say what they are of, and with which sign.
template <int N>
class Blank {
 public:
  using Lifted = LiftedOf<N>;
  Blank(const Mechanism& mechanism, const State& state, const MechanismJoint& joint)
      : mechanism_(mechanism), state_(state), joint_(joint) {}
  [[nodiscard]] Lifted residual(int i) const { return made(i); }
  [[nodiscard]] Lifted coordinate(int c) const { return made(kMaxResiduals + c); }
  [[nodiscard]] Lifted velocity(int) const { return made(0); }
  [[nodiscard]] bool residualAngular(int i) const {
    return joint_.kind->relates == Relates::Coordinates
               ? CouplesAt(mechanism_, state_, joint_).residualAngular(i)
               : joint_.kind->residualAngular[i];
  }

 private:
  [[nodiscard]] Lifted made(int function) const {
    Lifted lifted;
    const auto touch = [&](Index solid) {
      LiftedOf<1> part;
      part.push(mechanism_, solid, {1, static_cast<double>(function), 0}, {});
      for (int b = 0; b < lifted.count; ++b)
        if (lifted.blocks[b].solid == solid) return;
      add(lifted, 1, part);
    };
    const auto touchAll = [&](const MechanismJoint& joint) {
      if (joint.kind->relates == Relates::Points) {
        for (Index p = joint.points.first; p < joint.points.first + joint.points.count; ++p)
          touch(mechanism_.points[p].solid);
      } else {
        touch(joint.solid1);
        touch(joint.solid2);
      }
    };
    if (joint_.kind->relates == Relates::Coordinates)
      for (Index t = joint_.terms.first; t < joint_.terms.first + joint_.terms.count; ++t)
        touchAll(mechanism_.joints[mechanism_.terms[t].joint]);
    else
      touchAll(joint_);
    return lifted;
  }
  const Mechanism& mechanism_;
  const State& state_;
  const MechanismJoint& joint_;
};

bool isHardBound(const Row& row) {
  return !row.equality && !row.velocity && std::isinf(row.stiffness) && row.lower == 0;
}

// Whether all that is asked of a joint has a closed form here.
bool isPair(const Mechanism& m, const MechanismJoint& joint) {
  const JointKind& kind = *joint.kind;
  if (kind.relates != Relates::Frames || kind.locked == 0) return false;
  if (joint.solid1 == kWorld && joint.solid2 == kWorld) return false;
  int slides = 0;
  for (int axis = 0; axis < 3; ++axis) slides += (kind.locked >> axis & 1u) == 0 ? 1 : 0;
  return askedBy(m, joint) >> (slides + turnCoordinates(kind.locked)) == 0;  // the radius
}

}  // namespace

// ------------------------------------------------------------------------------------------- a step

void StepRows::begin(const Mechanism& mechanism, const Control& control, const State& start,
                     const State& middle, const State& end, double dt, bool over) {
  m_ = &mechanism;
  control_ = &control;
  start_ = &start;
  middle_ = &middle;
  end_ = &end;
  over_ = over;
  dt_ = dt;
  if (!isAsBefore()) makeRows(over ? middle.time : end.time);
  aim();
  if (over) {
    if (!pairs_.empty()) {
      axes_.resize(mechanism.solids.size());
      for (std::size_t s = 0; s < axes_.size(); ++s)
        axes_[s] = rotationMatrix(start.orientation[s]);
    }
    for (Pair& pair : pairs_) {
      pair.from = framesAt(pair, axes_, start.position);
      const Mat3 C = transpose(pair.from.A) * pair.from.B;
      pair.turn = {};
      const Quat q = turnOf(pair, C);
      if (pair.goesOn) pair.turn = q;
      double residual[3];
      residualValues(pair.mask, C, q, residual);
      for (Index t = pair.firstTurn; t < pair.firstTurn + pair.turns; ++t)
        turns_[t].from = turns_[t].isCoordinate
                             ? coordinateValue(pair.mask, C, q, turns_[t].index, memoryOf(pair))
                             : residual[turns_[t].index];
    }
  }
}

namespace {

bool isSame(const Range& a, const Range& b) { return a.first == b.first && a.count == b.count; }
bool isSame(const MechanismJoint& a, const MechanismJoint& b) {
  return a.kind == b.kind && a.solid1 == b.solid1 && a.solid2 == b.solid2 && a.frame1 == b.frame1 &&
         a.frame2 == b.frame2 && isSame(a.points, b.points) && isSame(a.terms, b.terms) &&
         isSame(a.rules, b.rules) && isSame(a.active, b.active) && a.firstSlot == b.firstSlot &&
         a.compliance == b.compliance && a.weight == b.weight;
}
bool isSame(const MechanismRule& a, const MechanismRule& b) {
  return a.kind == b.kind && a.joint == b.joint && a.coordinate == b.coordinate &&
         a.lower == b.lower && a.upper == b.upper && a.stiffness == b.stiffness &&
         a.damping == b.damping && a.maxForce == b.maxForce && a.coefficient == b.coefficient &&
         a.radius == b.radius && a.inertia == b.inertia && a.compliance == b.compliance &&
         a.weight == b.weight && isSame(a.active, b.active);
}
bool isSame(const MechanismPoint& a, const MechanismPoint& b) { return a.solid == b.solid; }
bool isSame(const MechanismTerm& a, const MechanismTerm& b) {
  return a.joint == b.joint && a.coordinate == b.coordinate;
}
template <class T>
bool areSame(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](const T& x, const T& y) { return isSame(x, y); });
}

}  // namespace

bool StepRows::isAsBefore() const {
  if (!made_.any || !made_.always || made_.over != over_ || made_.jointOn != control_->jointOn ||
      made_.solids.size() != m_->solids.size())
    return false;
  for (std::size_t s = 0; s < made_.solids.size(); ++s)
    if ((made_.solids[s] != 0) != m_->solids[s].pointMass) return false;
  return areSame(made_.joints, m_->joints) && areSame(made_.rules, m_->rules) &&
         areSame(made_.points, m_->points) && areSame(made_.terms, m_->terms);
}

void StepRows::makeRows(double time) {
  const Mechanism& m = *m_;
  made_.any = true;
  made_.over = over_;
  made_.jointOn = control_->jointOn;
  made_.solids.clear();
  for (const MechanismSolid& solid : m.solids) made_.solids.push_back(solid.pointMass ? 1 : 0);
  made_.joints = m.joints;
  made_.rules = m.rules;
  made_.points = m.points;
  made_.terms = m.terms;
  made_.always = true;
  for (const MechanismJoint& joint : m.joints) made_.always &= joint.active.count == 0;
  for (const MechanismRule& rule : m.rules) made_.always &= rule.active.count == 0;
  const auto none = [](const CompiledSignal&) { return SignalValue{}; };
  rows.clear();
  shapes.clear();
  pairs_.clear();
  others_.clear();
  plans_.clear();
  turns_.clear();
  for (Index j = 0; j < m.joints.size(); ++j) {
    if (!holdsAt(m, *control_, time, j)) continue;
    const auto firstRow = static_cast<Index>(rows.rows.size());
    const auto firstBlock = static_cast<Index>(rows.blocks.size());
    if (isPair(m, m.joints[j])) {
      emitRowsOf(m, *control_, time, j, Blank<2>(m, *end_, m.joints[j]), none, rows);
      addPair(j, firstRow);
      continue;
    }
    emitRowsOf(m, *control_, time, j, Blank<5 * kPoints>(m, *end_, m.joints[j]), none, rows);
    shapes.resize(rows.rows.size(), kRowTies);
    const JointKind& kind = *m.joints[j].kind;
    bool onlyBounds = kind.relates == Relates::Frames && ownSlots(kind) == 0;
    for (Index r = firstRow; r < rows.rows.size(); ++r)
      onlyBounds = onlyBounds && isHardBound(rows.rows[r]);
    others_.push_back({j, firstRow, static_cast<Index>(rows.rows.size()) - firstRow, firstBlock,
                       static_cast<Index>(rows.blocks.size()) - firstBlock, onlyBounds});
  }
  if (!over_) return;
  ends_.rows = rows.rows;
  ends_.blocks = rows.blocks;
}

// Where the targets are at the end, and how fast they get there.
SignalValue StepRows::targetOf(const CompiledSignal& signal) const {
  if (!over_) return tenon::evaluate(*m_, signal, end_->time);
  const double from = tenon::evaluate(*m_, signal, start_->time).value;
  const double to = tenon::evaluate(*m_, signal, end_->time).value;
  return {to, (to - from) / dt_, 0};
}

void StepRows::aim() {
  for (Plan& plan : plans_) {
    if (plan.rule == kWorld) continue;
    const CompiledSignal& signal = m_->rules[plan.rule].target;
    const SignalValue target = targetOf(signal);
    plan.offset = -(target.value + control_->target[plan.rule]);
    plan.rateOffset = -target.rate;
    rows.rows[plan.row].timeRate = -target.rate;
    if (over_) ends_.rows[plan.row].timeRate = -tenon::evaluate(*m_, signal, end_->time).rate;
  }
}

// Over a step the rotation vector of a ball goes on beyond half a turn, and does not jump to the other side, where only
// its change matters.
Quat StepRows::turnOf(const Pair& pair, const Mat3& C) {
  if (!pair.asksForVector) return {};
  const Quat q = quaternionOf(C), &from = pair.turn;
  const bool back = from.x * q.x + from.y * q.y + from.z * q.z + from.w * q.w < 0;
  return back ? Quat{-q.x, -q.y, -q.z, -q.w} : q;
}

std::span<const double> StepRows::memoryOf(const Pair& pair) const {
  return tenon::memoryOf(*start_, m_->joints[pair.joint]);
}

void StepRows::addPair(Index index, Index firstRow) {
  const MechanismJoint& joint = m_->joints[index];
  const JointKind& kind = *joint.kind;
  Pair pair;
  pair.joint = index;
  pair.solid1 = joint.solid1;
  pair.solid2 = joint.solid2;
  pair.mask = kind.locked;
  pair.turns1 = joint.solid1 != kWorld && !m_->solids[joint.solid1].pointMass;
  pair.turns2 = joint.solid2 != kWorld && !m_->solids[joint.solid2].pointMass;
  pair.R1 = rotationMatrix(joint.frame1.q);
  pair.R2 = rotationMatrix(joint.frame2.q);
  pair.p1 = joint.frame1.p;
  pair.p2 = joint.frame2.p;
  pair.firstRow = firstRow;
  pair.firstPlan = static_cast<Index>(plans_.size());
  pair.firstTurn = static_cast<Index>(turns_.size());
  int locked[3] = {}, free[3] = {}, lockedCount = 0, freeCount = 0;
  for (int axis = 0; axis < 3; ++axis)
    if ((kind.locked >> axis & 1u) != 0)
      locked[lockedCount++] = axis;
    else
      free[freeCount++] = axis;
  for (Index r = firstRow; r < rows.rows.size(); ++r) {
    Row& row = rows.rows[r];
    RowBlock& block = rows.blocks[row.firstBlock];
    Plan plan;
    plan.row = r;
    plan.sign = block.J[0] < 0 ? -1 : 1;
    const int function = static_cast<int>(plan.sign * block.J[1]);
    const bool isCoordinate = function >= kMaxResiduals;
    const int number = isCoordinate ? function - kMaxResiduals : function;
    if (isCoordinate) {
      const Index rule = joint.rules.first + (row.slot - joint.firstSlot - ownSlots(kind)) / 2;
      using Kind = CoordinateRule::Kind;
      const Kind what = m_->rules[rule].kind;
      if (what != Kind::Limit && what != Kind::Prefer && what != Kind::Friction &&
          what != Kind::Armature)
        plan.rule = rule;
      if (!actsOnChanges(m_->rules[rule])) pair.goesOn = false;
    }
    plan.isBound = isHardBound(row);
    plan.offset = row.error;
    plan.rateOffset = row.rate;
    const int places = isCoordinate ? freeCount : lockedCount;
    plan.isTurn = number >= places;
    if (!plan.isTurn) {
      plan.axis = static_cast<std::uint8_t>(isCoordinate ? free[number] : locked[number]);
    } else {
      const auto index = static_cast<std::uint8_t>(number - places);
      Index t = pair.firstTurn;
      while (t < turns_.size() &&
             !(turns_[t].isCoordinate == isCoordinate && turns_[t].index == index))
        ++t;
      if (t == turns_.size()) {
        Turn turn;
        turn.isCoordinate = isCoordinate;
        turn.index = index;
        turns_.push_back(turn);
        const int count = lockedTurns(kind.locked).count;
        if (count == 3 || (count == 0 && index < 3)) pair.asksForVector = true;
        if (count == 3) pair.goesOn = false;
      }
      plan.turn = static_cast<std::uint8_t>(t - pair.firstTurn);
    }
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      for (double& J : rows.blocks[b].J) J = 0;
    plans_.push_back(plan);
  }
  pair.plans = static_cast<Index>(plans_.size()) - pair.firstPlan;
  pair.turns = static_cast<Index>(turns_.size()) - pair.firstTurn;
  // What holds a point, with all or none of its turns, but for one, held: see RowShift. Over a step, what a turn is held
  // by is not across the axis that it leaves, so that something would be left.
  const int turnsHeld = lockedTurns(kind.locked).count;
  const bool swings = over_ ? pair.turns > 0 : turnsHeld == 0 ? pair.turns > 0 : turnsHeld == 1;
  pair.ties = (kind.locked & 7u) != 7u || swings || joint.compliance > 0 ||
              (pair.solid1 != kWorld && !pair.turns1);
  for (Index k = pair.firstPlan; k < plans_.size(); ++k)
    shapes.push_back(static_cast<std::uint8_t>((pair.ties ? kRowTies | kRowTiesByTurn : 0) |
                                               (plans_[k].isTurn ? kRowTurns : 0)));
  pairs_.push_back(pair);
}

StepRows::Frames StepRows::framesAt(const Pair& pair, const std::vector<Mat3>& axes,
                                    const std::vector<Vec3>& places) const {
  Frames f;
  Vec3 x1, x2;
  f.A = pair.R1;
  f.rho1 = pair.p1;
  f.B = pair.R2;
  f.rho2 = pair.p2;
  if (pair.solid1 != kWorld) {
    f.A = axes[pair.solid1] * pair.R1;
    f.rho1 = axes[pair.solid1] * pair.p1;
    x1 = places[pair.solid1];
  }
  if (pair.solid2 != kWorld) {
    f.B = axes[pair.solid2] * pair.R2;
    f.rho2 = axes[pair.solid2] * pair.p2;
    x2 = places[pair.solid2];
  }
  f.u = x2 + f.rho2 - x1 - f.rho1;
  return f;
}

void StepRows::evaluate(const State& middle, const State& end, std::span<const double> nu) {
  middle_ = &middle;
  end_ = &end;
  const std::size_t n = m_->solids.size();
  if (!pairs_.empty()) {
    axes_.resize(n);
    for (std::size_t s = 0; s < n; ++s) axes_[s] = rotationMatrix(end.orientation[s]);
    if (over_) {
      middleAxes_.resize(n);
      for (std::size_t s = 0; s < n; ++s) middleAxes_[s] = rotationMatrix(middle.orientation[s]);
    }
  }
  slopes.clear();
  stiffness.clear();
  for (Pair& pair : pairs_) evaluatePair(pair, nu);
  for (const Other& other : others_) evaluateOther(other, nu);
}

// Whether a joint of nothing but hard bounds has none that is reached or pushes; then its rows say so, a slack rope.
bool StepRows::isIdle(const Other& other, std::span<const double> nu) {
  const MechanismJoint& joint = m_->joints[other.joint];
  for (Index r = other.firstRow; r < other.firstRow + other.rows; ++r)
    if (nu[rows.rows[r].slot] != 0) return false;
  const JointOutput<double> out =
      plainOutput(*m_, *end_, joint, framesOf(*m_, *end_, joint, false), askedBy(*m_, joint));
  const auto errorOf = [&](Index r) {
    const Index slot = rows.rows[r].slot - joint.firstSlot;  // two for each rule
    const MechanismRule& rule = m_->rules[joint.rules.first + slot / 2];
    const double value = out.coordinate[rule.coordinate];
    return slot % 2 == 0 ? value - rule.lower : rule.upper - value;
  };
  for (Index r = other.firstRow; r < other.firstRow + other.rows; ++r)
    if (!(errorOf(r) >= 0)) return false;
  const auto put = [&](Rows& to) {
    for (Index r = other.firstRow; r < other.firstRow + other.rows; ++r) {
      to.rows[r].error = errorOf(r);
      to.rows[r].rate = 0;
    }
    for (Index b = other.firstBlock; b < other.firstBlock + other.blocks; ++b)
      for (double& J : to.blocks[b].J) J = 0;
  };
  put(rows);
  if (over_) put(ends_);
  return true;
}

// What goes by jets: all of it at once, as it was emitted to begin with.
void StepRows::evaluateOther(const Other& other, std::span<const double> nu) {
  if (other.onlyBounds && isIdle(other, nu)) return;
  emitted_.clear();
  emittedEnds_.clear();
  emitOver({*m_, *start_, *middle_, *end_, dt_}, *control_, other.joint, over_, nu, emitted_,
           emittedEnds_, slopes, stiffness);
  assert(emitted_.rows.size() == other.rows && emitted_.blocks.size() == other.blocks);
  const auto put = [&](const Rows& from, Rows& to) {
    for (Index r = 0; r < other.rows; ++r) {
      Row& row = to.rows[other.firstRow + r];
      row.error = from.rows[r].error;
      row.rate = from.rows[r].rate;
      row.timeRate = from.rows[r].timeRate;
    }
    for (Index b = 0; b < other.blocks; ++b) to.blocks[other.firstBlock + b] = from.blocks[b];
  };
  put(emitted_, rows);
  if (over_) put(emittedEnds_, ends_);
}

// ------------------------------------------------------------------------------------- lower pairs

void StepRows::write(const Pair& pair, const Plan& plan, const Vec3& force, const Vec3& torque1,
                     const Vec3& torque2, Rows& to) const {
  RowBlock* block = &to.blocks[to.rows[plan.row].firstBlock];
  const auto put = [&](double sign, const Vec3& f, const Vec3& t, bool turns) {
    double(&J)[6] = block->J;
    J[0] = sign * f.x;
    J[1] = sign * f.y;
    J[2] = sign * f.z;
    J[3] = turns ? sign * t.x : 0;
    J[4] = turns ? sign * t.y : 0;
    J[5] = turns ? sign * t.z : 0;
    ++block;
  };
  if (pair.solid1 != kWorld) put(-plan.sign, force, torque1, pair.turns1);
  if (pair.solid2 != kWorld) put(plan.sign, force, torque2, pair.turns2);
}

void StepRows::evaluatePair(Pair& pair, std::span<const double> nu) {
  pair.to = framesAt(pair, axes_, end_->position);
  const Frames& to = pair.to;
  Turn* turns = turns_.data() + pair.firstTurn;
  const Mat3 A1_T = transpose(to.A);
  const Vec3 p1 = A1_T * to.u;
  const unsigned mask = pair.mask;
  Mat3 C1;
  if (pair.turns > 0) {  // values at the end
    C1 = A1_T * to.B;
    const Quat q = turnOf(pair, C1);
    double residual[3];
    if (over_) residualValues(mask, C1, q, residual);
    for (Index t = 0; t < pair.turns; ++t) {
      turns[t].isAsked = !turns[t].isCoordinate;
      if (turns[t].isCoordinate)
        turns[t].to = coordinateValue(mask, C1, q, turns[t].index, memoryOf(pair));
      else if (over_)
        turns[t].to = residual[turns[t].index];
    }
  }
  // Which rows push, or may come to.
  const auto isIdle = [&](const Plan& plan, double value) {
    return plan.isBound && plan.sign * value + plan.offset >= 0 &&
           nu[rows.rows[plan.row].slot] == 0;
  };
  const Plan* plans = plans_.data() + pair.firstPlan;
  for (Index k = 0; k < pair.plans; ++k)
    if (plans[k].isTurn && !turns[plans[k].turn].isAsked)
      turns[plans[k].turn].isAsked = !isIdle(plans[k], turns[plans[k].turn].to);
  // Derivatives at the middle, or at the end.
  pair.C = C1;
  bool any = false;
  for (Index t = 0; t < pair.turns; ++t) any = any || turns[t].isAsked;
  if (any) {
    if (over_) {
      pair.middle = framesAt(pair, middleAxes_, middle_->position);
      pair.C = transpose(pair.middle.A) * pair.middle.B;
    }
    const Quat q = turnOf(pair, pair.C);
    TurnJet residual[3];
    residualJets(mask, pair.C, q, residual);
    for (Index t = 0; t < pair.turns; ++t)
      if (turns[t].isCoordinate) {
        if (turns[t].isAsked)
          turns[t].jet = coordinateJet(mask, pair.C, q, turns[t].index, memoryOf(pair));
      } else {
        turns[t].jet = residual[turns[t].index];
        if (!over_) turns[t].to = turns[t].jet.value;
      }
  }

  if (!over_) {
    const auto motion = [&](Index solid, Vec3& v, Vec3& w) {
      if (solid == kWorld) return;
      v = end_->velocity[solid];
      w = end_->spin[solid];
    };
    Vec3 v1, w1, v2, w2;
    motion(pair.solid1, v1, w1);
    motion(pair.solid2, v2, w2);
    const Vec3 lever1 = to.rho1 + to.u;
    const Vec3 v = A1_T * (v2 + cross(w2, to.rho2) - v1 - cross(w1, lever1));
    const Vec3 w = A1_T * (w2 - w1);
    for (Index k = 0; k < pair.plans; ++k) {
      const Plan& plan = plans[k];
      Row& row = rows.rows[plan.row];
      const double value = plan.isTurn ? turns[plan.turn].to : p1[plan.axis];
      row.error = row.velocity ? 0 : plan.sign * value + plan.offset;
      if (isIdle(plan, value)) {
        row.rate = plan.rateOffset;
        write(pair, plan, {}, {}, {}, rows);
        continue;
      }
      if (plan.isTurn) {
        const Vec3 g = slopeOf(turns[plan.turn].jet), torque = to.A * g;
        row.rate = plan.sign * dot(g, w) + plan.rateOffset;
        write(pair, plan, {}, torque, torque, rows);
      } else {
        const Vec3 force = to.A.column(plan.axis);
        row.rate = plan.sign * v[plan.axis] + plan.rateOffset;
        write(pair, plan, force, cross(lever1, force), cross(to.rho2, force), rows);
      }
    }
    return;
  }

  const Frames& from = pair.from;
  const Vec3 p0 = transpose(from.A) * from.u;
  const Mat3& A = pair.A = 0.5 * (from.A + to.A);
  const Vec3& rho2 = pair.rho2 = 0.5 * (from.rho2 + to.rho2);
  const Vec3& lever1 = pair.lever1 = 0.5 * (from.rho1 + to.rho1) + 0.5 * (from.u + to.u);
  Vec3 along, turned;
  double square = 0;
  pair.asks = any;
  if (any) {
    pair.B_T = transpose(0.5 * (from.B + to.B));
    const Mat3& dC = pair.dC = C1 - transpose(from.A) * from.B;
    pair.W = axialAlong(A, pair.C * pair.B_T);
    along = axial(dC * transpose(pair.C));
    turned = axial(A * dC * pair.B_T);
    square = contract(dC, dC);
  }
  for (Index t = 0; t < pair.turns; ++t) {
    Turn& turn = turns[t];
    turn.s = 0;
    if (!turn.isAsked) continue;
    const Vec3 g = slopeOf(turn.jet);
    const double defect = turn.to - turn.from - 0.5 * dot(g, along);
    // Both the weight and what it is divided by have ½|g|²; where that is 0 there is no direction to correct along.
    if (dot(g, g) > 0) turn.s = defect / (square + kStill * kStill);
  }
  for (Index k = 0; k < pair.plans; ++k) {
    const Plan& plan = plans[k];
    Row& row = rows.rows[plan.row];
    const Turn* turn = plan.isTurn ? &turns[plan.turn] : nullptr;
    const double first = turn ? turn->from : p0[plan.axis];
    const double last = turn ? turn->to : p1[plan.axis];
    row.error = row.velocity ? 0 : plan.sign * last + plan.offset;
    row.rate = plan.sign * ((last - first) / dt_) + plan.rateOffset;
    if (isIdle(plan, last)) {
      write(pair, plan, {}, {}, {}, rows);
    } else if (turn) {
      const Vec3 torque = 0.5 * (pair.W * slopeOf(turn->jet)) + turn->s * turned;
      write(pair, plan, {}, torque, torque, rows);
    } else {
      const Vec3 force = A.column(plan.axis);
      write(pair, plan, force, cross(lever1, force), cross(rho2, force), rows);
    }
  }
}

// ----------------------------------------------------------------------------- for Newton's method

void StepRows::findChanges() {
  if (!over_) return;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    ends_.rows[r].error = rows.rows[r].error;
    ends_.rows[r].rate = rows.rows[r].rate;
  }
  for (const Pair& pair : pairs_) findChanges(pair);
}

void StepRows::differentiate(std::span<const double> nu) {
  findChanges();
  parts.clear();
  shifts.clear();
  for (const Pair& pair : pairs_) findSlopes(pair, nu);
}

// The rows at the end.
void StepRows::findChanges(const Pair& pair) {
  const Frames& to = pair.to;
  const Turn* turns = turns_.data() + pair.firstTurn;
  const Vec3 lever1 = to.rho1 + to.u;
  Vec3 torque[kMaxResiduals + kMaxCoordinates];
  if (pair.turns > 0) {
    const Mat3 C = transpose(to.A) * to.B;
    const Quat q = turnOf(pair, C);
    TurnJet residual[3];
    residualJets(pair.mask, C, q, residual);
    for (Index t = 0; t < pair.turns; ++t) {
      if (!turns[t].isAsked) continue;
      const TurnJet& jet = turns[t].isCoordinate
                               ? coordinateJet(pair.mask, C, q, turns[t].index, memoryOf(pair))
                               : residual[turns[t].index];
      torque[t] = to.A * slopeOf(jet);
    }
  }
  for (Index k = 0; k < pair.plans; ++k) {
    const Plan& plan = plans_[pair.firstPlan + k];
    if (plan.isTurn) {
      write(pair, plan, {}, torque[plan.turn], torque[plan.turn], ends_);
    } else {
      const Vec3 force = to.A.column(plan.axis);
      write(pair, plan, force, cross(lever1, force), cross(to.rho2, force), ends_);
    }
  }
}

void StepRows::addPart(Index solid, int row, Index by, int column, double sign, const Mat3& slope) {
  if (solid == kWorld || by == kWorld) return;
  const MechanismSolid &a = m_->solids[solid], &b = m_->solids[by];
  if (a.kind != SolidKind::Dynamic || b.kind != SolidKind::Dynamic) return;
  if ((row == 1 && a.pointMass) || (column == 1 && b.pointMass)) return;
  parts.push_back(
      {solid, by, static_cast<std::uint8_t>(row), static_cast<std::uint8_t>(column), sign * slope});
}

// Σ ν of what pushes: the multipliers of places, in the axes of frame 1, and jets of turns.
void StepRows::findSlopes(const Pair& pair, std::span<const double> nu) {
  Vec3 pull, g;
  Mat3 H;
  double s = 0;
  bool any = false;
  for (Index k = 0; k < pair.plans; ++k) {
    const Plan& plan = plans_[pair.firstPlan + k];
    const Row& row = rows.rows[plan.row];
    const double factor = plan.sign * nu[row.slot];
    if (row.velocity || factor == 0) continue;
    any = true;
    if (!plan.isTurn) {
      pull[plan.axis] += factor;
      continue;
    }
    const Turn& turn = turns_[pair.firstTurn + plan.turn];
    g += factor * slopeOf(turn.jet);
    H += factor * curvatureOf(turn.jet);
    s += factor * turn.s;
  }
  if (!any) return;
  if (over_)
    addSlopesOver(pair, pull, g, H, s);
  else
    addSlopesAtEnd(pair, pull, g, H);
}

// As FramesAt::emit, of what has no curvature by the place.
void StepRows::addSlopesAtEnd(const Pair& pair, const Vec3& pull, const Vec3& g, const Mat3& H) {
  const Frames& f = pair.to;
  const Index s1 = pair.solid1, s2 = pair.solid2;
  const Vec3 force = f.A * pull;
  const Mat3 F = skew(force);
  Mat3 w11 = centripetal(force, f.rho1 + f.u), w22 = centripetal(force, f.rho2);
  if (!pair.ties) {
    // Σ r_i f_iᵀ = [F]ₓ, f_i being the axes of frame 1, turns the sign of what acts on solid 1. Of turns that are held
    // M = ½ [T]ₓ - K is what ties the two; it vanishes along the axis that is left, as far as the joint is closed.
    w11 = -1.0 * w11;
    Mat3 M;
    if (pair.turns > 0) {
      const Mat3 K = f.A * H * transpose(f.A);
      w11 += -1.0 * K;
      w22 += K;
      M = 0.5 * skew(f.A * g) - K;
    }
    addPart(s1, 1, s1, 1, 1, w11);
    addPart(s2, 1, s2, 1, 1, w22);
    if (s1 == kWorld || m_->solids[s1].kind != SolidKind::Dynamic) return;
    for (Index k = 0; k < pair.plans; ++k) {
      const Plan& plan = plans_[pair.firstPlan + k];
      if (!rows.rows[plan.row].equality ||
          k >= static_cast<Index>(3 + lockedTurns(pair.mask).count))
        break;
      const Vec3 r = plan.isTurn ? M * (f.A * slopeOf(turns_[pair.firstTurn + plan.turn].jet))
                                 : cross(force, f.A.column(plan.axis));
      shifts.push_back({plan.row, s1, r, -r});
    }
    return;
  }
  Mat3 w12 = -1.0 * (F * skew(f.rho2));
  if (pair.turns > 0) {
    const Mat3 K = f.A * H * transpose(f.A);
    w11 += K;
    w22 += K;
    w12 += 0.5 * skew(f.A * g) - K;
  }
  addPart(s1, 1, s1, 1, 1, w11);
  addPart(s2, 1, s2, 1, 1, w22);
  addPart(s1, 1, s2, 1, 1, w12);
  addPart(s2, 1, s1, 1, 1, transpose(w12));
  addPart(s1, 1, s2, 0, 1, F);
  addPart(s1, 1, s1, 0, -1, F);
  addPart(s2, 0, s1, 1, -1, F);
  addPart(s1, 0, s1, 1, 1, F);
}

// As FramesOver::emit, of the same.
void StepRows::addSlopesOver(const Pair& pair, const Vec3& pull, const Vec3& g, const Mat3& H,
                             double s) {
  const Frames& to = pair.to;
  const Index s1 = pair.solid1, s2 = pair.solid2;
  const Mat3& A = pair.A;
  const Mat3 F = skew(A * pull), F1 = -0.5 * skew(to.A * pull);
  if (!pair.ties) {
    // Σ r_i f_iᵀ = ½ [F]ₓ with the axes f_i at the end, and Σ f̄_i c_iᵀ = ½ [A_1 ν]ₓ with their means.
    addPart(s1, 1, s1, 1, -0.5, F * skew(to.rho1 + to.u));
    addPart(s2, 1, s2, 1, 0.5, F * skew(to.rho2));
    if (s1 == kWorld || m_->solids[s1].kind != SolidKind::Dynamic) return;
    const Mat3 c = -1.0 * (inverse(A) * F1);
    for (Index k = 0; k < 3; ++k) {
      const Plan& plan = plans_[pair.firstPlan + k];
      shifts.push_back(
          {plan.row, s1, 0.5 * cross(A * pull, to.A.column(plan.axis)), c.row(plan.axis)});
    }
    return;
  }
  Mat3 t1, t2 = 0.5 * (F * skew(to.rho2));
  if (pair.asks) {
    const Mat3 &A1 = to.A, &B1 = to.B, &B_T = pair.B_T;
    const Mat3 N = pair.C * B_T;
    const Mat3 G_C = 0.5 * (skew(g) * pair.C) + s * pair.dC;
    Mat3 M = pair.W * (H - 0.5 * skew(g)) + skew(transpose(N) * g) * A - outer(axial(A * N), g);
    M = 0.25 * (M * transpose(pair.middle.A));
    if (s != 0) M += s * axialAlong(A * transpose(A1), B1 * B_T);
    t1 = 0.5 * axialOf(A1 * G_C * B_T) - M;
    t2 += M - 0.5 * axialOf(B1 * transpose(A * G_C));
  }
  addPart(s1, 0, s1, 1, -1, F1);
  addPart(s2, 0, s1, 1, 1, F1);
  addPart(s1, 1, s1, 0, -0.5, F);
  addPart(s1, 1, s2, 0, 0.5, F);
  addPart(s1, 1, s1, 1, -1, skew(pair.lever1) * F1 + t1);
  addPart(s2, 1, s1, 1, 1, skew(pair.rho2) * F1 + t1);
  addPart(s1, 1, s2, 1, -1, t2);
  addPart(s2, 1, s2, 1, 1, t2);
}

}  // namespace tenon
