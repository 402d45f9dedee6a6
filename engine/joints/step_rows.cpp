#include "joints/step_rows.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>
#include <type_traits>

#include "joints/axial.h"
#include "joints/lift_over.h"
#include "joints/lower_pairs.h"
#include "math/machine.h"
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

// The slope of jetOf alone.
Vec3 slopeAt(const Mat3& C, int r, int c) {
  const Vec3 v = C.column(c);
  return r == 0 ? Vec3{0, v.z, -v.y} : r == 1 ? Vec3{-v.z, 0, v.x} : Vec3{v.y, -v.x, 0};
}

// A number that tells angles roughly.
struct Rough {
  Rough() = default;
  Rough(double x) : value(x) {}  // implicit: constants mix with it
  double value = 0;
};
Rough operator+(Rough a, Rough b) { return a.value + b.value; }
Rough operator-(Rough a, Rough b) { return a.value - b.value; }
Rough operator*(Rough a, Rough b) { return a.value * b.value; }
double valueOf(Rough x) { return x.value; }
Rough squareRoot(Rough x) { return std::sqrt(x.value); }
Rough angleOf(Rough y, Rough x) { return roughAngle(y.value, x.value); }
Rough compose(Rough, double f, double, double) { return f; }
struct RoughValues {
  using Number = Rough;
  struct Row {
    const double (&C)[3];
    Rough operator[](int c) const { return C[c]; }
  };
  struct Matrix {
    const Mat3& C;
    Row operator[](int r) const { return {C.m[r]}; }
  };
  Matrix R;
  Rough q[4];  // of no angle
};

// A number with its slope by the turn. Of an angle the value is not asked for, and is told roughly.
struct TurnSlope {
  TurnSlope() = default;
  TurnSlope(double x) : value(x) {}  // implicit: constants mix with it
  TurnSlope(double x, const Vec3& dx) : value(x), slope(dx) {}
  double value = 0;
  Vec3 slope;
};
TurnSlope operator+(const TurnSlope& a, const TurnSlope& b) {
  return {a.value + b.value, a.slope + b.slope};
}
TurnSlope operator-(const TurnSlope& a, const TurnSlope& b) {
  return {a.value - b.value, a.slope - b.slope};
}
TurnSlope operator*(const TurnSlope& a, const TurnSlope& b) {
  return {a.value * b.value, a.value * b.slope + b.value * a.slope};
}
double valueOf(const TurnSlope& x) { return x.value; }
TurnSlope squareRoot(const TurnSlope& x) {
  const double root = std::sqrt(x.value);
  return {root, (0.5 / root) * x.slope};
}
TurnSlope angleOf(const TurnSlope& y, const TurnSlope& x) {
  const double over = 1 / (x.value * x.value + y.value * y.value);
  return {roughAngle(y.value, x.value), (over * x.value) * y.slope - (over * y.value) * x.slope};
}
TurnSlope compose(const TurnSlope& x, double f, double f1, double) { return {f, f1 * x.slope}; }
struct SlopeInput {
  using Number = TurnSlope;
  struct Row {
    const Mat3& C;
    int r;
    TurnSlope operator[](int c) const { return {C(r, c), slopeAt(C, r, c)}; }
  };
  struct Matrix {
    const Mat3& C;
    Row operator[](int r) const { return {C, r}; }
  };
  Matrix R;
  TurnSlope q[4];  // of no angle
};

// 2 F(w) v of the quaternion (v, w), which a turn δ changes by ½ (w δ + δ × v, -δ·v).
void vectorSlopes(const Quat& q, TurnSlope (&vector)[3]) {
  const AngleOverSine F = angleOverSineAt(q.w);
  const Vec3 v{q.x, q.y, q.z};
  const Mat3 first = F.f * (q.w * identity3() - skew(v)) - F.f1 * outer(v, v);
  for (int i = 0; i < 3; ++i) vector[i] = {2 * F.f * v[i], first.row(i)};
}

// The turn about the axis that two locked ones leave, as turnAbout() has it: sine and cosine, but for a factor.
struct Hinge {
  int b = 0, c = 0;
  double sine = 0, cosine = 0;
  Hinge(const Mat3& C, int free)
      : b((free + 1) % 3), c((free + 2) % 3), sine(C(c, b) - C(b, c)), cosine(C(b, b) + C(c, c)) {}
  [[nodiscard]] double square() const { return sine * sine + cosine * cosine; }
  [[nodiscard]] bool isClear() const { return square() >= 1e-12; }
  [[nodiscard]] Vec3 slope(const Mat3& C) const {
    const double over = 1 / square();
    return (over * cosine) * (slopeAt(C, c, b) - slopeAt(C, b, c)) -
           (over * sine) * (slopeAt(C, b, b) + slopeAt(C, c, c));
  }
  [[nodiscard]] TurnJet jet(const Mat3& C) const {
    return changeOfAngle(jetOf(C, c, b) - jetOf(C, b, c), jetOf(C, b, b) + jetOf(C, c, c));
  }
};

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
// With no more than the first derivatives.
[[gnu::noinline]] void residualSlopes(unsigned mask, const Mat3& C, const Quat& q,
                                      TurnSlope (&residual)[3]) {
  const LockedTurns locked = lockedTurns(mask);
  if (locked.count == 1) {
    const int a = (locked.locked + 1) % 3, b = (locked.locked + 2) % 3;
    residual[0] = {C(a, b), slopeAt(C, a, b)};
  } else if (locked.count == 2 && C(locked.free, locked.free) >= 0) {
    // F(c) v, as in swingJets
    const int f = locked.free, b = (f + 1) % 3, c = (f + 2) % 3;
    const AngleOverSine F = angleOverSineAt(C(f, f));
    const Vec3 down = slopeAt(C, f, f);
    const auto leanAlong = [&](int axis, double sign) {
      const double v = C(axis, f);
      return TurnSlope{sign * (F.f * v),
                       (sign * F.f) * slopeAt(C, axis, f) + (sign * F.f1 * v) * down};
    };
    residual[0] = leanAlong(c, -1);
    residual[1] = leanAlong(b, 1);
  } else if (locked.count == 3 && q.w >= 0) {
    vectorSlopes(q, residual);
  } else if (locked.count > 0) {
    TurnJet jets[3];
    residualJets(mask, C, q, jets);
    for (int i = 0; i < locked.count; ++i)
      residual[i] = {jets[i].value, {jets[i].first[0], jets[i].first[1], jets[i].first[2]}};
  }
}
[[gnu::noinline]] TurnJet coordinateJet(unsigned mask, const Mat3& C, const Quat& q, int index,
                                        std::span<const double> memory) {
  return turnCoordinate(mask, TurnInput{{C}, {q}}, index, memory);
}
[[gnu::noinline]] Vec3 coordinateSlope(unsigned mask, const Mat3& C, int index,
                                       std::span<const double> memory) {
  return turnCoordinate(mask, SlopeInput{{C}, {}}, index, memory).slope;
}
[[gnu::noinline]] std::array<TurnJet, 3> vectorJets(const Mat3& C, const Quat& q) {
  return rotationVector(TurnInput{{C}, {q}});
}
[[gnu::noinline]] void residualValues(unsigned mask, const Mat3& C, const Quat& q,
                                      double (&residual)[3]) {
  turnResiduals(mask, TurnValues{C.m, {q.x, q.y, q.z, q.w}}, residual);
}
[[gnu::noinline]] double coordinateValue(unsigned mask, const Mat3& C, const Quat& q, int index,
                                         std::span<const double> memory) {
  return turnCoordinate(mask, TurnValues{C.m, {q.x, q.y, q.z, q.w}}, index, memory);
}

// Coordinates of a turn, one after the other; the rotation vector once for its three components. Of jets the value is not
// asked for.
template <class Number>
class Coordinates {
 public:
  Coordinates(unsigned mask, const Mat3& C, const Quat& q, std::span<const double> memory)
      : mask_(mask), C_(C), q_(q), memory_(memory) {}
  Number operator()(int index) {
    constexpr bool kPlain = std::is_same_v<Number, double>;
    const LockedTurns locked = lockedTurns(mask_);
    if constexpr (!kPlain)
      if (const Hinge hinge(C_, locked.free); locked.count == 2 && hinge.isClear())
        return hinge.jet(C_);
    if (index >= 3 || locked.count > 0) {
      if constexpr (kPlain)
        return coordinateValue(mask_, C_, q_, index, memory_);
      else
        return coordinateJet(mask_, C_, q_, index, memory_);
    }
    if (!vector_) {
      if constexpr (kPlain)
        vector_ = rotationVector(TurnValues{C_.m, {q_.x, q_.y, q_.z, q_.w}});
      else
        vector_ = vectorJets(C_, q_);
    }
    return (*vector_)[static_cast<std::size_t>(index)];
  }

 private:
  unsigned mask_;
  const Mat3& C_;
  Quat q_;
  std::span<const double> memory_;
  std::optional<std::array<Number, 3>> vector_;
};

// Their slopes, likewise.
class CoordinateSlopes {
 public:
  CoordinateSlopes(unsigned mask, const Mat3& C, const Quat& q, std::span<const double> memory)
      : mask_(mask), C_(C), q_(q), memory_(memory) {}
  Vec3 operator()(int index) {
    const LockedTurns locked = lockedTurns(mask_);
    if (const Hinge hinge(C_, locked.free); locked.count == 2 && hinge.isClear())
      return hinge.slope(C_);
    if (index >= 3 || locked.count > 0) return coordinateSlope(mask_, C_, index, memory_);
    if (!hasVector_) vectorSlopes(q_, vector_);
    hasVector_ = true;
    return vector_[index].slope;
  }

 private:
  unsigned mask_;
  const Mat3& C_;
  Quat q_;
  std::span<const double> memory_;
  TurnSlope vector_[3];
  bool hasVector_ = false;
};

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

bool measures(const JointKind& kind, int coordinate, JointKind::Measure what) {
  return kind.coordinates[coordinate].measure == what;
}
// Bits of the coordinates of a kind that have closed forms here.
unsigned closedCoordinates(const JointKind& kind) {
  if (kind.locked != 0) {
    int slides = 0;
    for (int axis = 0; axis < 3; ++axis) slides += (kind.locked >> axis & 1u) == 0 ? 1 : 0;
    int closed = slides + turnCoordinates(kind.locked);
    if (closed < kind.coordinateCount && measures(kind, closed, JointKind::Measure::Radius))
      ++closed;
    return (1u << closed) - 1;
  }
  unsigned closed = 0;
  for (int c = 0; c < kind.coordinateCount; ++c)
    if (kind.coordinates[c].measure != JointKind::Measure::Own) closed |= 1u << c;
  return closed;
}

// Whether all that is asked of a joint has a closed form here.
bool isPair(const Mechanism& m, const MechanismJoint& joint) {
  const JointKind& kind = *joint.kind;
  if (kind.relates != Relates::Frames) return false;
  if (kind.locked == 0 &&
      (kind.velocityCount > 0 || kind.residualCount != (kind.residualIsLength ? 1 : 0)))
    return false;
  if (joint.solid1 == kWorld && joint.solid2 == kWorld) return false;
  return (askedBy(m, joint) & ~closedCoordinates(kind)) == 0;
}

bool isDynamic(const Mechanism& m, Index solid) {
  return solid != kWorld && m.solids[solid].kind == SolidKind::Dynamic;
}

}  // namespace

// ------------------------------------------------------------------------------------------- a step

namespace {

// |p| and its direction, as lengthOf() of joint_math.h.
struct LengthAt {
  double value = 0, size = 0;
  Vec3 n;
};
LengthAt lengthAt(Vec3 p, bool inPlane) {
  if (inPlane) p.x = 0;
  const bool none = dot(p, p) < kNoLength * kNoLength;
  if (none) p[inPlane ? 1 : 0] += kNoLength;
  const double size = norm(p);
  return {none ? size - kNoLength : size, size, (1 / size) * p};
}

}  // namespace

void StepRows::begin(const Mechanism& mechanism, const Control& control, const State& start,
                     const State& middle, const State& end, double dt, bool over) {
  m_ = &mechanism;
  control_ = &control;
  start_ = &start;
  middle_ = &middle;
  end_ = &end;
  over_ = over;
  dt_ = dt;
  findWhatHolds(holds_);
  if (!isAsBefore()) makeRows();
  aim();
  if (over) {
    if (!pairs_.empty()) {
      axes_.resize(mechanism.solids.size());
      for (std::size_t s = 0; s < axes_.size(); ++s)
        axes_[s] = rotationMatrix(start.orientation[s]);
    }
    for (Pair& pair : pairs_) {
      findFrames(pair, axes_, start.position, pair.from);
      const Mat3 A_T = transpose(pair.from.A);
      pair.placeFrom = A_T * pair.from.u;
      if (pair.hasLength) pair.length.from = lengthAt(pair.placeFrom, pair.inPlane).value;
      if (pair.turns == 0) continue;
      const Mat3& C = pair.C0 = A_T * pair.from.B;
      pair.turn = {};
      const Quat q = turnOf(pair, C);
      if (pair.goesOn) pair.turn = q;
      double residual[3];
      residualValues(pair.mask, C, q, residual);
      Coordinates<double> coordinates(pair.mask, C, q, memoryOf(pair));
      for (Index t = 0; t < pair.turns; ++t) {
        Turn& turn = turns_[pair.firstTurn + t];
        turn.isRoughFrom = false;
        if (turn.onlyBounds) {
          turn.from = roughly(pair, turn, C);
          turn.isRoughFrom = isFar(pair, t, turn.from);
        }
        if (!turn.isRoughFrom)
          turn.from = turn.isCoordinate ? coordinates(turn.index) : residual[turn.index];
      }
    }
  }
}

// A coordinate of the turn to 0.01 rad.
double StepRows::roughly(const Pair& pair, const Turn& turn, const Mat3& C) const {
  return turnCoordinate(pair.mask, RoughValues{{C}, {}}, turn.index, memoryOf(pair)).value;
}

// Whether all bounds on it are further than that.
bool StepRows::isFar(const Pair& pair, Index turn, double value) const {
  constexpr double kFar = 0.03;  // [rad]
  for (Index k = pair.firstPlan; k < pair.firstPlan + pair.plans; ++k)
    if (plans_[k].isTurn && plans_[k].turn == turn &&
        !(plans_[k].sign * value + plans_[k].offset > kFar))
      return false;
  return true;
}

void StepRows::pushAtStart(std::span<const double> nu, std::span<std::array<double, 6>> push) {
  axes_.resize(m_->solids.size());
  for (std::size_t s = 0; s < axes_.size(); ++s) axes_[s] = rotationMatrix(start_->orientation[s]);
  pullCouples(nu);
  for (const Pair& pair : pairs_) pushAtStart(pair, nu, push);
  for (const Other& other : others_) {
    const Row* first = rows.rows.data() + other.firstRow;
    if (std::all_of(first, first + other.rows, [&](const Row& row) { return nu[row.key] == 0; }))
      continue;
    emitted_.clear();
    emitJointRows(*m_, *control_, *start_, other.joint, emitted_);
    for (const Row& row : emitted_.rows)
      for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
        const RowBlock& block = emitted_.blocks[b];
        for (std::size_t i = 0; i < 6; ++i) push[block.solid][i] += nu[row.key] * block.J[i];
      }
  }
}

void StepRows::pushAtStart(const Pair& pair, std::span<const double> nu,
                           std::span<std::array<double, 6>> push) {
  Frames f;
  findFrames(pair, axes_, start_->position, f);
  const Mat3 C = transpose(f.A) * f.B;
  const LockedTurns locked = lockedTurns(pair.mask);
  Vec3 pull = pair.isCoupled ? pair.pulled : Vec3{}, torque;  // in the axes of frame 1
  double stretch = 0;
  CoordinateSlopes slopes(pair.mask, C, turnOf(pair, C), memoryOf(pair));
  const auto turn = [&](const Turn& by, double factor) {
    // Where a joint is closed, turns that are held count about the axes of frame 1, and so does the one that is left.
    if (locked.count >= 2) {
      const int axis = by.isCoordinate     ? locked.free
                       : locked.count == 3 ? by.index
                                           : (locked.free + 1 + by.index) % 3;
      torque[axis] += factor;
    } else if (!by.isCoordinate) {
      torque += factor * slopeAt(C, (locked.locked + 1) % 3, (locked.locked + 2) % 3);
    } else {
      torque += factor * slopes(by.index);
    }
  };
  for (Index k = pair.firstPlan; k < pair.firstPlan + pair.plans; ++k) {
    const Plan& plan = plans_[k];
    const double factor = plan.sign * nu[rows.rows[plan.row].key];
    if (factor == 0) continue;
    if (plan.isTurn)
      turn(turns_[pair.firstTurn + plan.turn], factor);
    else if (plan.isLength)
      stretch += factor;
    else
      pull[plan.axis] += factor;
  }
  for (Index t = pair.firstTurn; pair.isCoupled && t < pair.firstTurn + pair.turns; ++t)
    if (turns_[t].pulled != 0) turn(turns_[t], turns_[t].pulled);
  if (stretch != 0) pull += stretch * lengthAt(transpose(f.A) * f.u, pair.inPlane).n;
  this->push(pair, f.A * pull, f.A * torque, f.rho1 + f.u, f.rho2, push);
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

// Which joints are in force, and which of their rules.
void StepRows::findWhatHolds(std::vector<std::uint8_t>& holds) const {
  const double time = over_ ? middle_->time : end_->time;
  holds.clear();
  for (Index j = 0; j < m_->joints.size(); ++j)
    holds.push_back(holdsAt(*m_, *control_, time, j) ? 1 : 0);
  for (const MechanismRule& rule : m_->rules)
    holds.push_back(isActive(*m_, rule.active, time) ? 1 : 0);
}

namespace {

std::uint8_t whatIs(const MechanismSolid& solid) {
  return static_cast<std::uint8_t>((solid.pointMass ? 1 : 0) |
                                   (solid.kind == SolidKind::Dynamic ? 2 : 0));
}

}  // namespace

bool StepRows::isAsBefore() const {
  if (made_.times == 0 || made_.over != over_ || made_.holds != holds_ ||
      made_.solids.size() != m_->solids.size())
    return false;
  for (std::size_t s = 0; s < made_.solids.size(); ++s)
    if (made_.solids[s] != whatIs(m_->solids[s])) return false;
  return areSame(made_.joints, m_->joints) && areSame(made_.rules, m_->rules) &&
         areSame(made_.points, m_->points) && areSame(made_.terms, m_->terms);
}

void StepRows::makeRows() {
  const Mechanism& m = *m_;
  const double time = over_ ? middle_->time : end_->time;
  ++made_.times;
  made_.over = over_;
  made_.holds = holds_;
  made_.solids.clear();
  for (const MechanismSolid& solid : m.solids) made_.solids.push_back(whatIs(solid));
  made_.joints = m.joints;
  made_.rules = m.rules;
  made_.points = m.points;
  made_.terms = m.terms;
  const auto none = [](const CompiledSignal&) { return SignalValue{}; };
  rows.clear();
  shapes.clear();
  pairs_.clear();
  others_.clear();
  couples_.clear();
  terms_.clear();
  plans_.clear();
  turns_.clear();
  pairOf_.assign(m.joints.size(), kWorld);
  coupled_.assign(m.joints.size(), 0);
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (holds_[j] == 0 || !isCouple(joint)) continue;
    for (Index t = joint.terms.first; t < joint.terms.first + joint.terms.count; ++t)
      coupled_[m.terms[t].joint] |= 1u << m.terms[t].coordinate;
  }
  for (Index j = 0; j < m.joints.size(); ++j) {
    if (holds_[j] == 0) continue;
    const auto firstRow = static_cast<Index>(rows.rows.size());
    const auto firstBlock = static_cast<Index>(rows.blocks.size());
    if (isPair(m, m.joints[j])) {
      emitRowsOf(m, *control_, time, j, Blank<2>(m, *end_, m.joints[j]), none, rows);
      pairOf_[j] = static_cast<Index>(pairs_.size());
      addPair(j, firstRow, coupled_[j]);
      continue;
    }
    emitRowsOf(m, *control_, time, j, Blank<5 * kPoints>(m, *end_, m.joints[j]), none, rows);
    if (isCouple(m.joints[j])) {
      couples_.push_back({j, firstRow, 0, 0});
      shapes.push_back(0);
      continue;
    }
    shapes.resize(rows.rows.size(), kRowTies);
    const JointKind& kind = *m.joints[j].kind;
    bool onlyBounds = kind.relates == Relates::Frames && ownSlots(kind) == 0;
    for (Index r = firstRow; r < rows.rows.size(); ++r)
      onlyBounds = onlyBounds && isHardBound(rows.rows[r]);
    others_.push_back({j, firstRow, static_cast<Index>(rows.rows.size()) - firstRow, firstBlock,
                       static_cast<Index>(rows.blocks.size()) - firstBlock, onlyBounds});
  }
  for (Couple& couple : couples_) findTerms(couple);
  if (!over_) return;
  ends_.rows = rows.rows;
  ends_.blocks = rows.blocks;
}

// Whether a joint relates coordinates of pairs. What its multiplier pushes is then pushed by these.
bool StepRows::isCouple(const MechanismJoint& joint) const {
  if (joint.kind->relates != Relates::Coordinates) return false;
  const MechanismTerm* first = m_->terms.data() + joint.terms.first;
  return std::all_of(first, first + joint.terms.count, [&](const MechanismTerm& term) {
    const MechanismJoint& of = m_->joints[term.joint];
    const JointKind& kind = *of.kind;
    return isPair(*m_, of) && kind.locked != 0 &&
           (closedCoordinates(kind) >> term.coordinate & 1u) != 0 &&
           !measures(kind, static_cast<int>(term.coordinate), JointKind::Measure::Radius);
  });
}

void StepRows::findTerms(Couple& couple) {
  const MechanismJoint& joint = m_->joints[couple.joint];
  const Row& row = rows.rows[couple.row];
  couple.firstTerm = static_cast<Index>(terms_.size());
  couple.terms = joint.terms.count;
  bool turns = true;
  for (Index t = joint.terms.first; t < joint.terms.first + joint.terms.count; ++t) {
    const MechanismTerm& from = m_->terms[t];
    Term term;
    term.pair = pairOf_[from.joint];
    term.factor = from.factor;
    Pair& pair = pairs_[term.pair];
    pair.isCoupled = true;
    int axis = -1, slides = 0;
    for (int a = 0; a < 3; ++a)
      if ((pair.mask >> a & 1u) == 0 && slides++ == static_cast<int>(from.coordinate)) axis = a;
    if (axis < 0)
      term.turn =
          turnAt(pair, true, static_cast<std::uint8_t>(static_cast<int>(from.coordinate) - slides));
    else
      term.axis = static_cast<std::uint8_t>(axis);
    turns = turns && axis < 0;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      if (rows.blocks[b].solid == pair.solid1) term.block1 = b;
      if (rows.blocks[b].solid == pair.solid2) term.block2 = b;
    }
    terms_.push_back(term);
  }
  if (turns) shapes[couple.row] = kRowTurns;
}

// Where the targets are at the end, and how fast they get there.
SignalValue StepRows::targetOf(const CompiledSignal& signal) const {
  if (!over_) return tenon::evaluate(*m_, signal, end_->time);
  const double from = tenon::evaluate(*m_, signal, start_->time).value;
  const double to = tenon::evaluate(*m_, signal, end_->time).value;
  return {to, (to - from) / dt_, 0};
}

void StepRows::aim() {
  for (const Pair& pair : pairs_)
    if (m_->joints[pair.joint].kind->residualIsLength)
      plans_[pair.firstPlan].offset = -m_->options[m_->joints[pair.joint].options.first];
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
  return {start_->memory.data() + pair.firstMemory, pair.memories};
}

// The place of a function of the turn among turns_, whose last are those of the pair if it has none of it yet.
Index StepRows::turnAt(Pair& pair, bool isCoordinate, std::uint8_t index) {
  for (Index t = pair.firstTurn; t < pair.firstTurn + pair.turns; ++t)
    if (turns_[t].isCoordinate == isCoordinate && turns_[t].index == index) return t;
  Turn turn;
  turn.isCoordinate = isCoordinate;
  turn.index = index;
  turns_.push_back(turn);
  ++pair.turns;
  const int count = lockedTurns(pair.mask).count;
  if (count == 3 || (count == 0 && index < 3)) pair.asksForVector = true;
  if (count == 3) pair.goesOn = false;
  return static_cast<Index>(turns_.size() - 1);
}

void StepRows::addPair(Index index, Index firstRow, unsigned coupled) {
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
  pair.firstMemory = joint.firstMemory;
  pair.memories = static_cast<Index>(memoryCount(kind));
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
      const Index rule = row.rule;
      using Kind = CoordinateRule::Kind;
      const Kind what = m_->rules[rule].kind;
      if (what != Kind::Limit && what != Kind::Prefer && what != Kind::Friction &&
          what != Kind::Armature)
        plan.rule = rule;
      if (!actsOnChanges(m_->rules[rule])) pair.goesOn = false;
    }
    plan.isBound = isHardBound(row);
    pair.onlyHolds = pair.onlyHolds && row.equality;
    plan.offset = row.error;
    plan.rateOffset = row.rate;
    using Measure = JointKind::Measure;
    const int places = isCoordinate ? freeCount : lockedCount;
    if (kind.locked == 0) {
      const Measure measure = isCoordinate ? kind.coordinates[number].measure : Measure::Length;
      plan.isLength = measure == Measure::Length;
      plan.isTurn = !plan.isLength;
      if (plan.isTurn)  // as of a ball
        plan.turn = static_cast<std::uint8_t>(
            turnAt(pair, true, measure == Measure::Swing ? 3 : 4) - pair.firstTurn);
    } else if (isCoordinate && measures(kind, number, Measure::Radius)) {
      plan.isLength = pair.inPlane = true;
    } else if (number >= places) {
      plan.isTurn = true;
      plan.turn = static_cast<std::uint8_t>(
          turnAt(pair, isCoordinate, static_cast<std::uint8_t>(number - places)) - pair.firstTurn);
    } else {
      plan.axis = static_cast<std::uint8_t>(isCoordinate ? free[number] : locked[number]);
    }
    pair.pulls = pair.pulls || !plan.isTurn;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      for (double& J : rows.blocks[b].J) J = 0;
    plans_.push_back(plan);
  }
  pair.plans = static_cast<Index>(plans_.size()) - pair.firstPlan;
  for (int c = 0; c < kind.coordinateCount; ++c) {
    if ((coupled >> c & 1u) == 0) continue;
    if (c < freeCount)
      pair.pulls = true;
    else
      turns_[turnAt(pair, true, static_cast<std::uint8_t>(c - freeCount))].isCoupled = true;
    pair.goesOn = false;  // what it is matters, not only how it changes
  }
  // What holds a point, with all or none of its turns, but for one, held: see RowShift. Over a step, what a turn is held
  // by is not across the axis that it leaves, so that something is left that ties the turns.
  const int turnsHeld = lockedTurns(kind.locked).count;
  const bool swings = turnsHeld == 0 ? pair.turns > 0 : turnsHeld == 1;
  pair.ties = (kind.locked & 7u) != 7u || swings || joint.compliance > 0 ||
              (pair.solid1 != kWorld && !pair.turns1);
  // Of one solid there is nothing to tie, but what moves it may turn it where a distance has a curvature.
  for (Index k = pair.firstPlan; k < plans_.size(); ++k) pair.hasLength |= plans_[k].isLength;
  // Of rotation vectors, which jump, nothing is told roughly.
  for (Index t = pair.firstTurn; t < pair.firstTurn + pair.turns; ++t)
    turns_[t].onlyBounds = turns_[t].isCoordinate && !turns_[t].isCoupled &&
                           (lockedTurns(kind.locked).count > 0 || turns_[t].index >= 3);
  for (Index k = pair.firstPlan; k < plans_.size(); ++k)
    if (plans_[k].isTurn && !plans_[k].isBound)
      turns_[pair.firstTurn + plans_[k].turn].onlyBounds = false;
  unsigned ties = 0;
  if (pair.hasLength)
    ties = kRowTies;
  else if ((pair.ties || (over_ && pair.turns > 0)) && isDynamic(*m_, pair.solid1))
    ties = unsigned{kRowTies} | (pair.ties && pair.pulls ? kRowTiesByTurn : kRowTiesTurns);
  for (Index k = pair.firstPlan; k < plans_.size(); ++k)
    shapes.push_back(static_cast<std::uint8_t>(plans_[k].isTurn ? ties | kRowTurns : ties));
  pairs_.push_back(pair);
}

TENON_WIDE void StepRows::findFrames(const Pair& pair, const std::vector<Mat3>& axes,
                                     const std::vector<Vec3>& places, Frames& f) {
  Vec3 x1, x2;
  if (pair.solid1 != kWorld) {
    f.A = axes[pair.solid1] * pair.R1;
    f.rho1 = axes[pair.solid1] * pair.p1;
    x1 = places[pair.solid1];
  } else {
    f.A = pair.R1;
    f.rho1 = pair.p1;
  }
  if (pair.solid2 != kWorld) {
    f.B = axes[pair.solid2] * pair.R2;
    f.rho2 = axes[pair.solid2] * pair.p2;
    x2 = places[pair.solid2];
  } else {
    f.B = pair.R2;
    f.rho2 = pair.p2;
  }
  f.u = x2 + f.rho2 - x1 - f.rho1;
}

void StepRows::evaluate(const State& middle, const State& end, std::span<const double> nu,
                        bool everything) {
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
  for (Pair& pair : pairs_) {
    evaluatePair(pair, nu);
    if (everything || !pair.onlyHolds) findBlocks(pair);
  }
  hasBlocks_ = everything;
  for (const Couple& couple : couples_) evaluateCouple(couple);
  nu_ = nu;
  for (Other& other : others_) evaluateOther(other, nu, everything);
}

// Whether a joint of nothing but hard bounds has none that is reached or pushes; then its rows say so, a slack rope.
bool StepRows::isIdle(const Other& other, std::span<const double> nu) {
  const MechanismJoint& joint = m_->joints[other.joint];
  for (Index r = other.firstRow; r < other.firstRow + other.rows; ++r)
    if (nu[rows.rows[r].key] != 0) return false;
  const JointOutput<double> out =
      plainOutput(*m_, *end_, joint, framesOf(*m_, *end_, joint, false), askedBy(*m_, joint));
  const auto errorOf = [&](Index r) {
    const Index slot = rows.rows[r].key - joint.firstSlot;  // two for each rule
    const MechanismRule& rule = m_->rules[rows.rows[r].rule];
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
void StepRows::evaluateOther(Other& other, std::span<const double> nu, bool withChanges) {
  const bool isIdle = other.onlyBounds && this->isIdle(other, nu);
  other.hasChanges = isIdle || withChanges;
  if (!isIdle) emitOther(other, nu, true, withChanges);
}

void StepRows::emitOther(const Other& other, std::span<const double> nu, bool withRows,
                         bool withChanges) {
  emitted_.clear();
  emittedEnds_.clear();
  emitOver({*m_, *start_, *middle_, *end_, dt_}, *control_, other.joint, over_, nu,
           !withRows      ? Emitted::Changes
           : !withChanges ? Emitted::Rows
                          : Emitted::Both,
           emitted_, emittedEnds_, slopes, stiffness);
  const auto put = [&](const Rows& from, Rows& to) {
    assert(from.rows.size() == other.rows && from.blocks.size() == other.blocks);
    for (Index r = 0; r < other.rows; ++r) {
      Row& row = to.rows[other.firstRow + r];
      row.error = from.rows[r].error;
      row.rate = from.rows[r].rate;
      row.timeRate = from.rows[r].timeRate;
    }
    for (Index b = 0; b < other.blocks; ++b) to.blocks[other.firstBlock + b] = from.blocks[b];
  };
  if (withRows) put(emitted_, rows);
  if (withChanges && over_) put(emittedEnds_, ends_);
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

TENON_WIDE void StepRows::evaluatePair(Pair& pair, std::span<const double> nu) {
  findFrames(pair, axes_, end_->position, pair.to);
  const Frames& to = pair.to;
  Turn* turns = turns_.data() + pair.firstTurn;
  const Mat3 A1_T = transpose(to.A);
  const Vec3 p1 = pair.place = A1_T * to.u;
  const unsigned mask = pair.mask;
  const Mat3& C1 = pair.C1;
  if (pair.turns > 0) {  // values at the end
    pair.C1 = A1_T * to.B;
    const Quat q = turnOf(pair, C1);
    double residual[3];
    if (over_) residualValues(mask, C1, q, residual);
    Coordinates<double> coordinates(mask, C1, q, memoryOf(pair));
    for (Index t = 0; t < pair.turns; ++t) {
      Turn& turn = turns[t];
      turn.isAsked = !turn.isCoordinate || turn.isCoupled;
      if (turn.isCoordinate) {
        if (turn.onlyBounds) turn.to = roughly(pair, turn, C1);
        if (!turn.onlyBounds || !isFar(pair, t, turn.to)) turn.to = coordinates(turn.index);
      } else if (over_) {
        turn.to = residual[turn.index];
      }
    }
  }
  // Which rows push, or may come to.
  const auto isIdle = [&](const Plan& plan, double value) {
    return plan.isBound && plan.sign * value + plan.offset >= 0 && nu[rows.rows[plan.row].key] == 0;
  };
  Plan* plans = plans_.data() + pair.firstPlan;
  Length& length = pair.length;
  length.isAsked = false;
  for (Index k = 0; k < pair.plans; ++k)
    if (plans[k].isTurn) {
      if (!turns[plans[k].turn].isAsked)
        turns[plans[k].turn].isAsked = !isIdle(plans[k], turns[plans[k].turn].to);
    } else if (plans[k].isLength && !length.isAsked) {
      const LengthAt at = lengthAt(p1, pair.inPlane);
      length.to = at.value;
      length.isAsked = !isIdle(plans[k], at.value);
      length.size = at.size;
      length.n = length.along = at.n;
      length.G = to.A * at.n;
      length.bends = (1 / at.size) * (identity3() - outer(length.G, length.G));
      if (pair.inPlane) length.bends += (-1 / at.size) * outer(to.A.column(0), to.A.column(0));
    }
  // Derivatives at the middle, or at the end.
  bool any = false;
  for (Index t = 0; t < pair.turns; ++t) any = any || turns[t].isAsked;
  if (any) {
    pair.C = C1;
    if (over_) {
      const auto axes = [&](Index solid, const Mat3& R) {
        return solid == kWorld ? R : middleAxes_[solid] * R;
      };
      pair.middleA = axes(pair.solid1, pair.R1);
      pair.C = transpose(pair.middleA) * axes(pair.solid2, pair.R2);
    }
    const Quat q = turnOf(pair, pair.C);
    TurnSlope residual[3];
    residualSlopes(mask, pair.C, q, residual);
    CoordinateSlopes slopes(mask, pair.C, q, memoryOf(pair));
    for (Index t = 0; t < pair.turns; ++t)
      if (turns[t].isCoordinate) {
        if (!turns[t].isAsked) continue;
        turns[t].slope = slopes(turns[t].index);
        if (turns[t].isRoughFrom) {
          turns[t].isRoughFrom = false;
          turns[t].from = Coordinates<double>(mask, pair.C0, turnOf(pair, pair.C0),
                                              memoryOf(pair))(turns[t].index);
        }
      } else {
        turns[t].slope = residual[turns[t].index].slope;
        if (!over_) turns[t].to = residual[turns[t].index].value;
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
    pair.A = to.A;
    pair.rho2 = to.rho2;
    pair.lever1 = to.rho1 + to.u;
    const Vec3 v = pair.v = A1_T * (v2 + cross(w2, to.rho2) - v1 - cross(w1, pair.lever1));
    const Vec3 w = pair.w = A1_T * (w2 - w1);
    for (Index t = 0; t < pair.turns; ++t)
      if (turns[t].isAsked) turns[t].torque = to.A * turns[t].slope;
    for (Index k = 0; k < pair.plans; ++k) {
      Plan& plan = plans[k];
      Row& row = rows.rows[plan.row];
      const double value = plan.isTurn     ? turns[plan.turn].to
                           : plan.isLength ? length.to
                                           : p1[plan.axis];
      row.error = row.velocity ? 0 : plan.sign * value + plan.offset;
      plan.isIdle = isIdle(plan, value);
      const double rate = plan.isIdle     ? 0
                          : plan.isTurn   ? dot(turns[plan.turn].slope, w)
                          : plan.isLength ? dot(length.n, v)
                                          : v[plan.axis];
      row.rate = plan.sign * rate + plan.rateOffset;
    }
    return;
  }

  const Frames& from = pair.from;
  const Vec3& p0 = pair.placeFrom;
  const Mat3& A = pair.A = 0.5 * (from.A + to.A);
  pair.rho2 = 0.5 * (from.rho2 + to.rho2);
  pair.lever1 = 0.5 * (from.rho1 + to.rho1) + 0.5 * (from.u + to.u);
  Vec3 along, turned;
  double square = 0;
  pair.asks = any;
  if (any) {
    pair.B_T = transpose(0.5 * (from.B + to.B));
    const Mat3& dC = pair.dC = C1 - pair.C0;
    pair.N = pair.C * pair.B_T;
    pair.W = axialAlong(A, pair.N);
    along = axial(dC * transpose(pair.C));
    turned = axial(A * dC * pair.B_T);
    square = contract(dC, dC);
  }
  for (Index t = 0; t < pair.turns; ++t) {
    Turn& turn = turns[t];
    turn.s = 0;
    if (!turn.isAsked) continue;
    const Vec3 g = turn.slope;
    const double defect = turn.to - turn.from - 0.5 * dot(g, along);
    // Both the weight and what it is divided by have ½|g|²; where that is 0 there is no direction to correct along.
    if (dot(g, g) > 0) turn.s = defect / (square + kStill * kStill);
    turn.torque = 0.5 * (pair.W * g) + turn.s * turned;
  }
  if (length.isAsked && pair.inPlane) {
    const Vec3 first{0, p0.y, p0.z}, last{0, p1.y, p1.z};
    const double over = 1 / std::max(norm(first) + norm(last), kNoLength);
    length.along = over * (first + last);
    length.G = A * length.along;
    Mat3 K = identity3() - outer(length.along, (1 / length.size) * last);
    K.m[0][0] = 0;
    length.bends = over * (A * K * A1_T);
  } else if (length.isAsked) {
    const double over = 1 / std::max(norm(from.u) + norm(to.u), kNoLength);
    length.G = over * (from.u + to.u);
    length.bends = over * (identity3() - outer(length.G, (1 / length.size) * to.u));
  }
  for (Index k = 0; k < pair.plans; ++k) {
    Plan& plan = plans[k];
    Row& row = rows.rows[plan.row];
    const Turn* turn = plan.isTurn ? &turns[plan.turn] : nullptr;
    const double first = turn ? turn->from : plan.isLength ? length.from : p0[plan.axis];
    const double last = turn ? turn->to : plan.isLength ? length.to : p1[plan.axis];
    row.error = row.velocity ? 0 : plan.sign * last + plan.offset;
    row.rate = plan.sign * ((last - first) / dt_) + plan.rateOffset;
    plan.isIdle = isIdle(plan, last);
  }
}

void StepRows::findBlocks() {
  if (hasBlocks_) return;
  hasBlocks_ = true;
  for (const Pair& pair : pairs_)
    if (pair.onlyHolds) findBlocks(pair);
}

TENON_WIDE void StepRows::findBlocks(const Pair& pair) {
  for (Index k = pair.firstPlan; k < pair.firstPlan + pair.plans; ++k) {
    const Plan& plan = plans_[k];
    if (plan.isIdle) {
      write(pair, plan, {}, {}, {}, rows);
    } else if (plan.isTurn) {
      const Vec3& torque = turns_[pair.firstTurn + plan.turn].torque;
      write(pair, plan, {}, torque, torque, rows);
    } else {
      const Vec3 force = plan.isLength ? pair.length.G : pair.A.column(plan.axis);
      write(pair, plan, force, cross(pair.lever1, force), cross(pair.rho2, force), rows);
    }
  }
}

void StepRows::push(std::span<const double> nu, std::span<std::array<double, 6>> push) const {
  for (const Pair& pair : pairs_) this->push(pair, nu, push);
  const auto pushRow = [&](Index r) {
    const Row& row = rows.rows[r];
    for (Index b = row.firstBlock; nu[r] != 0 && b < row.firstBlock + row.blockCount; ++b)
      for (std::size_t i = 0; i < 6; ++i)
        push[rows.blocks[b].solid][i] += nu[r] * rows.blocks[b].J[i];
  };
  for (const Couple& couple : couples_) pushRow(couple.row);
  for (const Other& other : others_)
    for (Index r = other.firstRow; r < other.firstRow + other.rows; ++r) pushRow(r);
}

// All rows of a pair at once: what they pull, in the axes of frame 1, and by how much they turn.
void StepRows::push(const Pair& pair, std::span<const double> nu,
                    std::span<std::array<double, 6>> push) const {
  Vec3 pull, force, torque;
  for (Index k = pair.firstPlan; k < pair.firstPlan + pair.plans; ++k) {
    const Plan& plan = plans_[k];
    const double factor = plan.sign * nu[plan.row];
    if (factor == 0) continue;
    if (plan.isTurn)
      torque += factor * turns_[pair.firstTurn + plan.turn].torque;
    else if (plan.isLength)
      force += factor * pair.length.G;
    else
      pull[plan.axis] += factor;
  }
  this->push(pair, force + pair.A * pull, torque, pair.lever1, pair.rho2, push);
}

void StepRows::push(const Pair& pair, const Vec3& force, const Vec3& torque, const Vec3& lever1,
                    const Vec3& lever2, std::span<std::array<double, 6>> push) {
  const auto add = [&](Index solid, double sign, const Vec3& lever, bool turns) {
    if (solid == kWorld) return;
    const Vec3 all = turns ? torque + cross(lever, force) : Vec3{};
    std::array<double, 6>& to = push[solid];
    to = {to[0] + sign * force.x, to[1] + sign * force.y, to[2] + sign * force.z,
          to[3] + sign * all.x,   to[4] + sign * all.y,   to[5] + sign * all.z};
  };
  add(pair.solid1, -1, lever1, pair.turns1);
  add(pair.solid2, 1, lever2, pair.turns2);
}

// ------------------------------------------------------------------------ relations of coordinates

void StepRows::addTerm(const Term& term, const Vec3& force, const Vec3& torque1,
                       const Vec3& torque2, Rows& to) const {
  const auto put = [&](Index block, double factor, const Vec3& torque, bool turns) {
    if (block == kWorld) return;
    double(&J)[6] = to.blocks[block].J;
    for (int i = 0; i < 3; ++i) J[i] += factor * force[i];
    for (int i = 0; turns && i < 3; ++i) J[3 + i] += factor * torque[i];
  };
  put(term.block1, -term.factor, torque1, pairs_[term.pair].turns1);
  put(term.block2, term.factor, torque2, pairs_[term.pair].turns2);
}

namespace {

void clearBlocks(const Row& row, Rows& rows) {
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
    for (double& J : rows.blocks[b].J) J = 0;
}

}  // namespace

void StepRows::evaluateCouple(const Couple& couple) {
  Row& row = rows.rows[couple.row];
  row.error = -m_->options[m_->joints[couple.joint].options.first];
  row.rate = 0;
  clearBlocks(row, rows);
  for (Index t = couple.firstTerm; t < couple.firstTerm + couple.terms; ++t) {
    const Term& term = terms_[t];
    const Pair& pair = pairs_[term.pair];
    if (term.turn != kWorld) {
      const Turn& turn = turns_[term.turn];
      row.error += term.factor * turn.to;
      row.rate += term.factor * (over_ ? (turn.to - turn.from) / dt_ : dot(turn.slope, pair.w));
      addTerm(term, {}, turn.torque, turn.torque, rows);
      continue;
    }
    row.error += term.factor * pair.place[term.axis];
    row.rate += term.factor * (over_ ? (pair.place[term.axis] - pair.placeFrom[term.axis]) / dt_
                                     : pair.v[term.axis]);
    const Vec3 force = pair.A.column(term.axis);
    addTerm(term, force, cross(pair.lever1, force), cross(pair.rho2, force), rows);
  }
}

void StepRows::findChanges(const Couple& couple) {
  clearBlocks(ends_.rows[couple.row], ends_);
  for (Index t = couple.firstTerm; t < couple.firstTerm + couple.terms; ++t) {
    const Term& term = terms_[t];
    const Frames& to = pairs_[term.pair].to;
    if (term.turn != kWorld) {
      addTerm(term, {}, turns_[term.turn].change, turns_[term.turn].change, ends_);
      continue;
    }
    const Vec3 force = to.A.column(term.axis);
    addTerm(term, force, cross(to.rho1 + to.u, force), cross(to.rho2, force), ends_);
  }
}

// ----------------------------------------------------------------------------- for Newton's method

void StepRows::findChanges() {
  for (Other& other : others_)
    if (!other.hasChanges) {
      other.hasChanges = true;
      emitOther(other, nu_, false, true);
    }
  if (!over_) return;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    ends_.rows[r].error = rows.rows[r].error;
    ends_.rows[r].rate = rows.rows[r].rate;
  }
  for (Pair& pair : pairs_) findChanges(pair);
  for (const Couple& couple : couples_) findChanges(couple);
}

void StepRows::differentiate(std::span<const double> nu) {
  findBlocks();
  findChanges();
  parts.clear();
  shifts.clear();
  pullCouples(nu);
  for (const Pair& pair : pairs_) findSlopes(pair, nu);
}

// What relations of coordinates pull at these.
void StepRows::pullCouples(std::span<const double> nu) {
  for (Pair& pair : pairs_)
    if (pair.isCoupled) {
      pair.pulled = {};
      for (Index t = pair.firstTurn; t < pair.firstTurn + pair.turns; ++t) turns_[t].pulled = 0;
    }
  for (const Couple& couple : couples_)
    for (Index t = couple.firstTerm; t < couple.firstTerm + couple.terms; ++t) {
      const Term& term = terms_[t];
      (term.turn != kWorld ? turns_[term.turn].pulled : pairs_[term.pair].pulled[term.axis]) +=
          term.factor * nu[rows.rows[couple.row].key];
    }
}

// The rows at the end.
TENON_WIDE void StepRows::findChanges(Pair& pair) {
  const Frames& to = pair.to;
  Turn* turns = turns_.data() + pair.firstTurn;
  const Vec3 lever1 = to.rho1 + to.u;
  if (pair.turns > 0) {
    const Quat q = turnOf(pair, pair.C1);
    TurnSlope residual[3];
    residualSlopes(pair.mask, pair.C1, q, residual);
    CoordinateSlopes slopes(pair.mask, pair.C1, q, memoryOf(pair));
    for (Index t = 0; t < pair.turns; ++t) {
      turns[t].change = {};
      if (!turns[t].isAsked) continue;
      turns[t].change =
          to.A * (turns[t].isCoordinate ? slopes(turns[t].index) : residual[turns[t].index].slope);
    }
  }
  for (Index k = 0; k < pair.plans; ++k) {
    const Plan& plan = plans_[pair.firstPlan + k];
    if (plan.isTurn) {
      write(pair, plan, {}, turns[plan.turn].change, turns[plan.turn].change, ends_);
    } else {
      Vec3 force;
      if (!plan.isLength)
        force = to.A.column(plan.axis);
      else if (pair.length.isAsked)
        force = to.A * lengthAt(pair.place, pair.inPlane).n;
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
TENON_WIDE void StepRows::findSlopes(const Pair& pair, std::span<const double> nu) {
  Vec3 pull, g;
  Mat3 H;
  double s = 0, stretch = 0;
  bool any = false;
  struct Residuals {
    TurnJet of[3];
  };
  std::optional<Residuals> residuals;
  std::optional<Coordinates<TurnJet>> coordinates;
  const auto addTurn = [&](const Turn& turn, double factor) {
    any = true;
    g += factor * turn.slope;
    s += factor * turn.s;
    if (turn.isCoordinate) {
      if (!coordinates)
        coordinates.emplace(pair.mask, pair.C, turnOf(pair, pair.C), memoryOf(pair));
      H += factor * curvatureOf((*coordinates)(turn.index));
    } else {
      if (!residuals) residualJets(pair.mask, pair.C, turnOf(pair, pair.C), residuals.emplace().of);
      H += factor * curvatureOf(residuals->of[turn.index]);
    }
  };
  for (Index k = 0; k < pair.plans; ++k) {
    const Plan& plan = plans_[pair.firstPlan + k];
    const Row& row = rows.rows[plan.row];
    const double factor = plan.sign * nu[row.key];
    if (row.velocity || factor == 0) continue;
    if (plan.isTurn) {
      addTurn(turns_[pair.firstTurn + plan.turn], factor);
    } else if (plan.isLength) {
      stretch += factor;
    } else {
      any = true;
      pull[plan.axis] += factor;
    }
  }
  if (pair.isCoupled) {
    for (Index t = pair.firstTurn; t < pair.firstTurn + pair.turns; ++t)
      if (turns_[t].pulled != 0) addTurn(turns_[t], turns_[t].pulled);
    any = any || pair.pulled != Vec3{};
    pull += pair.pulled;
  }
  if (stretch != 0) addLengthSlopes(pair, stretch);
  if (stretch != 0 && pair.inPlane) {
    any = true;
    pull += stretch * pair.length.along;
  }
  if (!any) return;
  if (over_)
    addSlopesOver(pair, pull, g, H, s);
  else
    addSlopesAtEnd(pair, pull, g, H);
}

// As FramesAt::emit, of what has no curvature by the place.
TENON_WIDE void StepRows::addSlopesAtEnd(const Pair& pair, const Vec3& pull, const Vec3& g,
                                         const Mat3& H) {
  const Frames& f = pair.to;
  const Index s1 = pair.solid1, s2 = pair.solid2;
  const Vec3 force = f.A * pull;
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
      const Vec3 r = plan.isTurn ? M * (f.A * turns_[pair.firstTurn + plan.turn].slope)
                                 : cross(force, f.A.column(plan.axis));
      shifts.push_back({plan.row, s1, r, -r});
    }
    return;
  }
  const Mat3 F = skew(force);
  Mat3 w12 = -1.0 * skewTimesSkew(force, f.rho2);
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
  if (!pair.pulls) return;
  addPart(s1, 1, s2, 0, 1, F);
  addPart(s1, 1, s1, 0, -1, F);
  addPart(s2, 0, s1, 1, -1, F);
  addPart(s1, 0, s1, 1, 1, F);
}

// Halfway a solid turns by ½ (1 - [θ]ₓ/4) δ where it turns by δ at the end of a turn θ, but for θ²: M times twice that.
Mat3 StepRows::timesHalfway(const Mat3& M, Index solid) const {
  if (solid == kWorld) return M;
  return M - timesSkew(M, (0.25 * dt_) * middle_->spin[solid]);
}

// How the torque of a pair's rows on solid 2 changes with the turns of solid 1 and of solid 2.
TENON_WIDE void StepRows::turnSlopes(const Pair& pair, const Vec3& g, const Mat3& H, double s,
                                     Mat3& t1, Mat3& t2) const {
  const Mat3 &A = pair.A, &A1 = pair.to.A, &B1 = pair.to.B, &B_T = pair.B_T;
  const Mat3& N = pair.N;
  const Mat3 G_C = 0.5 * skewTimes(g, pair.C) + s * pair.dC;
  Mat3 M = pair.W * (H - 0.5 * skew(g)) + skewTimes(transpose(N) * g, A) - outer(axial(A * N), g);
  M = 0.25 * (M * transpose(pair.middleA));
  Mat3 M1 = timesHalfway(M, pair.solid1), M2 = timesHalfway(M, pair.solid2);
  if (s != 0) {
    const Mat3 N = s * axialAlong(A * transpose(A1), B1 * B_T);
    M1 += N;
    M2 += N;
  }
  t1 = 0.5 * axialOf(A1 * G_C * B_T) - M1;
  t2 = M2 - 0.5 * axialOf(B1 * transpose(A * G_C));
}

void StepRows::tieTurns(const Pair& pair, const Mat3& t1, const Mat3& t2) {
  const Index s1 = pair.solid1, s2 = pair.solid2;
  addPart(s1, 1, s1, 1, -1, t1);
  addPart(s2, 1, s1, 1, 1, t1);
  addPart(s1, 1, s2, 1, -1, t2);
  addPart(s2, 1, s2, 1, 1, t2);
}

// As FramesOver::emit, of the same.
TENON_WIDE void StepRows::addSlopesOver(const Pair& pair, const Vec3& pull, const Vec3& g,
                                        const Mat3& H, double s) {
  const Frames& to = pair.to;
  const Index s1 = pair.solid1, s2 = pair.solid2;
  const Mat3& A = pair.A;
  const Vec3 f = A * pull, f1 = -0.5 * (to.A * pull);
  if (!pair.ties) {
    // Σ r_i f_iᵀ = ½ [F]ₓ with the axes f_i at the end, and Σ f̄_i c_iᵀ = ½ [A_1 ν]ₓ with their means.
    addPart(s1, 1, s1, 1, -0.5, skewTimesSkew(f, to.rho1 + to.u));
    addPart(s2, 1, s2, 1, 0.5, skewTimesSkew(f, to.rho2));
    if (pair.asks) {
      Mat3 t1, t2;
      turnSlopes(pair, g, H, s, t1, t2);
      tieTurns(pair, t1, t2);
    }
    if (s1 == kWorld || m_->solids[s1].kind != SolidKind::Dynamic) return;
    const Mat3 c = -1.0 * timesSkew(inverse(A), f1);
    for (Index k = 0; k < 3; ++k) {
      const Plan& plan = plans_[pair.firstPlan + k];
      shifts.push_back({plan.row, s1, 0.5 * cross(f, to.A.column(plan.axis)), c.row(plan.axis)});
    }
    return;
  }
  Mat3 t1, t2;
  if (pair.asks) turnSlopes(pair, g, H, s, t1, t2);
  t2 += 0.5 * skewTimesSkew(f, to.rho2);
  if (pair.pulls) {
    const Mat3 F = skew(f), F1 = skew(f1);
    addPart(s1, 0, s1, 1, -1, F1);
    addPart(s2, 0, s1, 1, 1, F1);
    addPart(s1, 1, s1, 0, -0.5, F);
    addPart(s1, 1, s2, 0, 0.5, F);
  }
  addPart(s1, 1, s1, 1, -1, skewTimesSkew(pair.lever1, f1) + t1);
  addPart(s2, 1, s1, 1, 1, skewTimesSkew(pair.rho2, f1) + t1);
  addPart(s1, 1, s2, 1, -1, t2);
  addPart(s2, 1, s2, 1, 1, t2);
}

// Of ν |d|: its force changes with d by ν ∂G/∂d, and torques also as levers turn, at the end but for what is not symmetric.
void StepRows::addLengthSlopes(const Pair& pair, double pull) {
  const Index solids[2] = {pair.solid1, pair.solid2};
  const Frames& to = pair.to;
  const Mat3 H = pull * pair.length.bends;
  // A radius pushes at the origin of frame 2, and with its axes: what these and levers do comes with what else pulls there.
  const bool plane = pair.inPlane;
  const Vec3 end[2] = {plane ? to.rho1 + to.u : to.rho1, to.rho2};
  const Vec3 mean[2] = {plane   ? pair.lever1
                        : over_ ? 0.5 * (pair.from.rho1 + to.rho1)
                                : to.rho1,
                        over_ ? pair.rho2 : to.rho2};
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      const double sign = r == c ? 1 : -1;
      const Mat3 HL = -1.0 * timesSkew(H, end[c]);
      Mat3 LHL = skewTimes(mean[r], HL);
      if (r == c && !plane) {
        const Vec3 force = (r == 0 ? -pull : pull) * pair.length.G;
        LHL += over_ ? 0.5 * (outer(end[r], force) - dot(end[r], force) * identity3())
                     : centripetal(force, end[r]);
      }
      addPart(solids[r], 0, solids[c], 0, sign, H);
      addPart(solids[r], 0, solids[c], 1, sign, HL);
      addPart(solids[r], 1, solids[c], 0, sign, skewTimes(mean[r], H));
      addPart(solids[r], 1, solids[c], 1, sign, LHL);
    }
}

}  // namespace tenon
