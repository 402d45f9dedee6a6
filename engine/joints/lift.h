// The lift: from g and c of a joint to rows on solids.
//
// Relations of two frames. With frame k at X_Wk = X_WCk · X_Ck, u = p_W2 - p_W1 and everything in the axes of frame 1, the
// relative pose is  p = R_1ᵀ u,  R = R_1ᵀ R_2,  and it moves with the relative twist
//   ξ̇ = (R_1ᵀ (u̇ - ω_1 × u),  R_1ᵀ (ω_2 - ω_1)),      u̇ = v_2 + ω_2 × ρ_2 - v_1 - ω_1 × ρ_1,
// ρ_k being the lever from the centre of mass to the frame's origin. So for any function g of the
// relative pose with derivatives G (first) and H (second) by ξ,
//   ġ = G ξ̇,     g̈ = ξ̇ᵀ H ξ̇ + G ξ̈,
// and at zero accelerations of the solids
//   ξ̈ = (R_1ᵀ (ü - 2 ω_1 × u̇ + ω_1 × (ω_1 × u)),  -R_1ᵀ (ω_1 × ω_2)),
//   ü = ω_2 × (ω_2 × ρ_2) - ω_1 × (ω_1 × ρ_1).
// No correction for the chart is needed: R(t+s) = exp(s ω + s²/2 ω̇ + O(s³)) R(t).
// A velocity row A(pose) ξ̇ has the rate A ξ̇ and the drift (Ȧ ξ̇) + A ξ̈.
//
// Relations of points x_k = p_k + ρ_k:  ġ = Σ G_k·ẋ_k,  g̈ = ẋᵀ H ẋ + Σ G_k·ẍ_k.
// Relations of coordinates: sums of the lifted coordinates of other joints.
#pragma once

#include <tenon/joint.h>

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include "joints/jet.h"
#include "joints/joint_math.h"

namespace tenon {

// Where a solid's frame is and how it moves; the world stands still at the origin.
struct SolidMotion {
  Pose X_WC;
  Vec3 velocity, spin;
  Vec3 acceleration, angularAcceleration;  // of animated solids: known; else 0
};

// Who asks for no accelerations gets none.
inline SolidMotion motionOf(const Mechanism& mechanism, const State& state, Index solid,
                            bool accelerations = true) {
  SolidMotion m;
  if (solid == kWorld) return m;
  m.X_WC = {state.position[solid], state.orientation[solid]};
  m.velocity = state.velocity[solid];
  m.spin = state.spin[solid];
  if (accelerations && mechanism.solids[solid].kind == SolidKind::Animated) {
    const CompiledPath& path = mechanism.paths[mechanism.solids[solid].path];
    const PathValue v = evaluate(mechanism, path, state.time);
    m.acceleration = v.acceleration;
    m.angularAcceleration = v.angularAcceleration;
  }
  return m;
}

// The two frames of a joint, in world axes.
struct JointFrames {
  SolidMotion solid1, solid2;
  Mat3 R_W1;        // axes of frame 1
  Pose X_12;        // the relative pose
  Vec3 rho1, rho2;  // levers from the centres of mass to the frames' origins, world axes [m]
  Vec3 u;           // p_W2 - p_W1 [m]
};

inline JointFrames framesOf(const Mechanism& mechanism, const State& state,
                            const MechanismJoint& joint, bool accelerations = true) {
  JointFrames f;
  f.solid1 = motionOf(mechanism, state, joint.solid1, accelerations);
  f.solid2 = motionOf(mechanism, state, joint.solid2, accelerations);
  const Pose X_W1 = f.solid1.X_WC * joint.frame1;
  const Pose X_W2 = f.solid2.X_WC * joint.frame2;
  f.R_W1 = rotationMatrix(X_W1.q);
  f.rho1 = rotate(f.solid1.X_WC.q, joint.frame1.p);
  f.rho2 = rotate(f.solid2.X_WC.q, joint.frame2.p);
  f.u = X_W2.p - X_W1.p;
  f.X_12 = {transpose(f.R_W1) * f.u, conjugate(X_W1.q) * X_W2.q};
  if (f.X_12.q.w < 0) f.X_12.q = {-f.X_12.q.x, -f.X_12.q.y, -f.X_12.q.z, -f.X_12.q.w};
  return f;
}

inline std::span<const double> optionsOf(const Mechanism& m, const MechanismJoint& joint) {
  return {m.options.data() + joint.options.first, joint.options.count};
}

inline std::span<const double> memoryOf(const State& state, const MechanismJoint& joint) {
  return {state.memory.data() + joint.firstMemory,
          static_cast<std::size_t>(memoryCount(*joint.kind))};
}

inline constexpr unsigned kAllCoordinates = ~0u;

// Bits of the coordinates that the rules of a joint are about.
inline unsigned askedBy(const Mechanism& mechanism, const MechanismJoint& joint) {
  unsigned asked = 0;
  for (Index r = 0; r < joint.rules.count; ++r)
    asked |= 1u << mechanism.rules[joint.rules.first + r].coordinate;
  return asked;
}

inline JointInput<double> plainInput(const Mechanism& mechanism, const State& state,
                                     const MechanismJoint& joint, const JointFrames& f,
                                     unsigned asked) {
  JointInput<double> in;
  in.asked = asked;
  const Mat3 R = rotationMatrix(f.X_12.q);
  for (int r = 0; r < 3; ++r) {
    in.p[r] = f.X_12.p[r];
    for (int c = 0; c < 3; ++c) in.R[r][c] = R(r, c);
  }
  const double q[4] = {f.X_12.q.x, f.X_12.q.y, f.X_12.q.z, f.X_12.q.w};
  for (int n = 0; n < 4; ++n) in.q[n] = q[n];
  in.options = optionsOf(mechanism, joint);
  in.memory = memoryOf(state, joint);
  return in;
}

// Whether what is asked of a joint depends on how its frames are turned: of a lower pair without locked turns
// the coordinates that follow its free translations do.
inline bool asksForTurn(const JointKind& kind, unsigned asked) {
  if (kind.locked == 0 || (kind.locked >> 3) != 0) return true;
  int slides = 0;
  for (int axis = 0; axis < 3; ++axis) slides += (kind.locked >> axis & 1u) == 0 ? 1 : 0;
  return asked >> slides != 0;
}

inline void jetInput(const Mechanism& mechanism, const State& state, const MechanismJoint& joint,
                     const JointFrames& f, unsigned asked, JointInput<Jet>& in) {
  in.asked = asked;
  in.options = optionsOf(mechanism, joint);
  in.memory = memoryOf(state, joint);
  const auto depends = [](Jet& jet, int part, bool bent) -> Jet::Part& {
    jet.depends = 1u << part;
    jet.bent = bent;
    jet.part[part] = {};
    return jet.part[part];
  };
  for (int r = 0; r < 3; ++r) {
    in.p[r].value = f.X_12.p[r];
    depends(in.p[r], Jet::kPlace, false).first[r] = 1;
  }
  if (!asksForTurn(*joint.kind, asked)) return;
  // exp(δθ) r = r + δθ × r + ½ δθ × (δθ × r) + … for each column r of R, and
  // e_k × (e_l × r) + e_l × (e_k × r) = e_l r_k + e_k r_l - 2 δ_kl r.
  const Mat3 R = rotationMatrix(f.X_12.q);
  for (int c = 0; c < 3; ++c) {
    const Vec3 v = R.column(c);
    const double first[3][3] = {{0, v.z, -v.y}, {-v.z, 0, v.x}, {v.y, -v.x, 0}};
    const double x = 0.5 * v.x, y = 0.5 * v.y, z = 0.5 * v.z;
    const double second[3][6] = {
        {0, y, -v.x, z, 0, -v.x}, {-v.y, x, 0, 0, z, -v.y}, {-v.z, 0, -v.z, x, y, 0}};
    for (int r = 0; r < 3; ++r) {
      in.R[r][c].value = v[r];
      Jet::Part& part = depends(in.R[r][c], Jet::kTurn, true);
      for (int i = 0; i < 3; ++i) part.first[i] = first[r][i];
      for (int i = 0; i < 6; ++i) part.second[i] = second[r][i];
    }
  }
  // As a quaternion exp(δθ) = (δθ/2, 1 - |δθ|²/8) + …
  const Quat& q = f.X_12.q;
  const double value[4] = {q.x, q.y, q.z, q.w};
  const double first[4][3] = {{0.5 * q.w, 0.5 * q.z, -0.5 * q.y},
                              {-0.5 * q.z, 0.5 * q.w, 0.5 * q.x},
                              {0.5 * q.y, -0.5 * q.x, 0.5 * q.w},
                              {-0.5 * q.x, -0.5 * q.y, -0.5 * q.z}};
  for (int n = 0; n < 4; ++n) {
    in.q[n].value = value[n];
    Jet::Part& part = depends(in.q[n], Jet::kTurn, true);
    for (int k = 0; k < 3; ++k) {
      part.first[k] = first[n][k];
      part.second[JetOf<3>::pair(k, k)] = -0.25 * value[n];
    }
  }
}

// The relative twist ξ̇ and its derivative at zero accelerations of dynamic solids, frame 1 axes.
struct RelativeMotion {
  Vec3 rate[2], acceleration[2];  // of place and turn
};

// ξ̇ᵀ H ξ̇ of a function g.
inline double curvatureAlong(const Jet& g, const Vec3 (&rate)[2]) {
  if (!g.bent) return 0;
  double sum = 0;
  for (int k = 0; k < 2; ++k)
    if (g.has(k)) sum += dot(rate[k], g.curvature(k) * rate[k]);
  if (g.hasBoth())
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += 2 * g.mixed[i][j] * rate[0][i] * rate[1][j];
  return sum;
}

inline RelativeMotion relativeMotion(const JointFrames& f) {
  const Mat3 R_1W = transpose(f.R_W1);
  const SolidMotion &a = f.solid1, &b = f.solid2;
  const Vec3 u_dot = b.velocity + cross(b.spin, f.rho2) - a.velocity - cross(a.spin, f.rho1);
  const Vec3 u_ddot = b.acceleration + cross(b.angularAcceleration, f.rho2) +
                      cross(b.spin, cross(b.spin, f.rho2)) - a.acceleration -
                      cross(a.angularAcceleration, f.rho1) - cross(a.spin, cross(a.spin, f.rho1));
  const Vec3 v = R_1W * (u_dot - cross(a.spin, f.u));
  const Vec3 w = R_1W * (b.spin - a.spin);
  const Vec3 v_dot = R_1W * (u_ddot - 2.0 * cross(a.spin, u_dot) -
                             cross(a.angularAcceleration, f.u) + cross(a.spin, cross(a.spin, f.u)));
  const Vec3 w_dot = R_1W * (b.angularAcceleration - a.angularAcceleration - cross(a.spin, b.spin));
  return {{v, w}, {v_dot, w_dot}};
}

// ---------------------------------------------------------------------------------------- lifting

// A function of the poses of N solids and of time, with all that a row needs of it.
template <int N>
struct LiftedOf {
  double value = 0, timeRate = 0, rate = 0, drift = 0;
  int count = 0;
  RowBlock blocks[N];

  void push(const Mechanism& mechanism, Index solid, const Vec3& linear, Vec3 angular) {
    if (solid == kWorld) return;
    if (mechanism.solids[solid].pointMass) angular = {};  // its axes never turn
    assert(count < N);
    blocks[count++] = {solid, {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}};
  }
};

// sum += factor · part; a solid has one block.
template <int N, int M>
void add(LiftedOf<N>& sum, double factor, const LiftedOf<M>& part) {
  sum.value += factor * part.value;
  sum.timeRate += factor * part.timeRate;
  sum.rate += factor * part.rate;
  sum.drift += factor * part.drift;
  for (int b = 0; b < part.count; ++b) {
    int at = 0;
    while (at < sum.count && sum.blocks[at].solid != part.blocks[b].solid) ++at;
    if (at == sum.count) {
      assert(sum.count < N);
      sum.blocks[sum.count++] = {part.blocks[b].solid, {}};
    }
    for (int i = 0; i < 6; ++i) sum.blocks[at].J[i] += factor * part.blocks[b].J[i];
  }
}

// A relation of two frames at a state.
class FramesAt {
 public:
  using Lifted = LiftedOf<2>;

  // `asked`: bits of the coordinates that are.
  FramesAt(const Mechanism& mechanism, const State& state, const MechanismJoint& joint,
           unsigned asked)
      : FramesAt(mechanism, state, joint, asked, framesOf(mechanism, state, joint)) {}
  FramesAt(const Mechanism& mechanism, const State& state, const MechanismJoint& joint,
           unsigned asked, const JointFrames& frames)
      : mechanism_(mechanism), joint_(joint), frames_(frames), motion_(relativeMotion(frames_)) {
    JointInput<Jet> in;
    jetInput(mechanism, state, joint, frames_, asked, in);
    joint.kind->jets(*joint.kind, in, out_);
  }

  [[nodiscard]] Lifted residual(int i) const { return lift(out_.residual[i]); }
  [[nodiscard]] Lifted coordinate(int c) const { return lift(out_.coordinate[c]); }
  [[nodiscard]] bool residualAngular(int i) const { return joint_.kind->residualAngular[i]; }

  [[nodiscard]] Lifted velocity(int r) const {
    const Jet(&A)[6] = out_.velocity[r];
    Lifted made;
    for (int j = 0; j < 6; ++j) {
      const double along = motion_.rate[j / 3][j % 3];
      made.rate += A[j].value * along;
      made.drift += A[j].value * motion_.acceleration[j / 3][j % 3];
      for (int k = 0; k < 2; ++k) made.drift += dot(A[j].slope(k), motion_.rate[k]) * along;
    }
    push({A[0].value, A[1].value, A[2].value}, {A[3].value, A[4].value, A[5].value}, made);
    return made;
  }

  [[nodiscard]] const JointOutput<Jet>& output() const { return out_; }
  [[nodiscard]] const JointFrames& frames() const { return frames_; }

  void addStiffness(std::span<const double> lambda, std::vector<StiffnessBlock>& blocks) const;
  void addStiffnessOf(int coordinate, double lambda, std::vector<StiffnessBlock>& blocks) const {
    emit(Jet(lambda) * out_.coordinate[coordinate], blocks);
  }

 private:
  [[nodiscard]] Lifted lift(const Jet& g) const {
    Lifted made;
    made.value = g.value;
    made.drift = curvatureAlong(g, motion_.rate);
    const Vec3 slope[2] = {g.slope(Jet::kPlace), g.slope(Jet::kTurn)};
    for (int k = 0; k < 2; ++k) {
      made.rate += dot(slope[k], motion_.rate[k]);
      made.drift += dot(slope[k], motion_.acceleration[k]);
    }
    push(slope[0], slope[1], made);
    return made;
  }

  // Force and torque of a unit multiplier at frame 2, world axes; frame 1 gets the opposite, the
  // force acting at frame 2's origin: so the net wrench is zero.
  void push(const Vec3& byPlace, const Vec3& byTurn, Lifted& made) const {
    const JointFrames& f = frames_;
    const Vec3 force = f.R_W1 * byPlace, torque = f.R_W1 * byTurn;
    made.push(mechanism_, joint_.solid1, -force, -(cross(f.rho1 + f.u, force) + torque));
    made.push(mechanism_, joint_.solid2, force, cross(f.rho2, force) + torque);
  }

  void emit(const Jet& sum, std::vector<StiffnessBlock>& blocks) const;

  const Mechanism& mechanism_;
  const MechanismJoint& joint_;
  JointFrames frames_;
  RelativeMotion motion_;
  JointOutput<Jet> out_;
};

// A relation of points at a state.
class PointsAt {
 public:
  using Lifted = LiftedOf<kPoints>;

  PointsAt(const Mechanism& mechanism, const State& state, const MechanismJoint& joint)
      : mechanism_(mechanism), joint_(joint) {
    PointsInput<PointJet> in;
    in.options = optionsOf(mechanism, joint);
    in.memory = memoryOf(state, joint);
    for (int k = 0; k < kPoints; ++k) {
      const MechanismPoint& point = mechanism.points[joint.points.first + static_cast<Index>(k)];
      const SolidMotion m = motionOf(mechanism, state, point.solid);
      solid_[k] = point.solid;
      rho_[k] = rotate(m.X_WC.q, point.point);
      rate_[k] = m.velocity + cross(m.spin, rho_[k]);
      acceleration_[k] = m.acceleration + cross(m.angularAcceleration, rho_[k]) +
                         cross(m.spin, cross(m.spin, rho_[k]));
      const Vec3 x = m.X_WC.p + rho_[k];
      for (int i = 0; i < 3; ++i) {
        in.x[k][i] = PointJet(x[i]);
        in.x[k][i].first[3 * k + i] = 1;
      }
    }
    joint.kind->pointJets(*joint.kind, in, out_);
  }

  [[nodiscard]] Lifted residual(int i) const { return lift(out_.residual[i]); }
  [[nodiscard]] Lifted coordinate(int c) const { return lift(out_.coordinate[c]); }
  [[nodiscard]] Lifted velocity(int) const { return {}; }
  [[nodiscard]] bool residualAngular(int i) const { return joint_.kind->residualAngular[i]; }

  void addStiffness(std::span<const double> lambda, std::vector<StiffnessBlock>& blocks) const;
  void addStiffnessOf(int coordinate, double lambda, std::vector<StiffnessBlock>& blocks) const {
    emit(PointJet(lambda) * out_.coordinate[coordinate], blocks);
  }

  static Vec3 gradient(const PointJet& g, int k) {
    return {g.first[3 * k], g.first[3 * k + 1], g.first[3 * k + 2]};
  }

 private:
  [[nodiscard]] Lifted lift(const PointJet& g) const {
    Lifted made;
    made.value = g.value;
    for (int k = 0; k < kPoints; ++k) {
      const Vec3 force = gradient(g, k);
      made.rate += dot(force, rate_[k]);
      made.drift += dot(force, acceleration_[k]);
      LiftedOf<1> part;
      part.push(mechanism_, solid_[k], force, cross(rho_[k], force));
      add(made, 1, part);  // two of the points may be of one solid
    }
    for (int i = 0; i < 3 * kPoints; ++i)
      for (int j = 0; j < 3 * kPoints; ++j)
        made.drift += g.second[PointJet::pair(i, j)] * rate_[i / 3][i % 3] * rate_[j / 3][j % 3];
    return made;
  }

  void emit(const PointJet& sum, std::vector<StiffnessBlock>& blocks) const;

  const Mechanism& mechanism_;
  const MechanismJoint& joint_;
  Index solid_[kPoints] = {};
  Vec3 rho_[kPoints], rate_[kPoints], acceleration_[kPoints];
  JointOutput<PointJet> out_;
};

// Calls f(FramesAt or PointsAt) for a joint that has coordinates.
template <class F>
void withJointAt(const Mechanism& mechanism, const State& state, const MechanismJoint& joint,
                 unsigned asked, const F& f) {
  if (joint.kind->relates == Relates::Points)
    f(PointsAt(mechanism, state, joint));
  else
    f(FramesAt(mechanism, state, joint, asked));
}

// A relation of coordinates of other joints: Σ factor c - offset.
class CouplesAt {
 public:
  // Four terms and a carrier, each of which may be a relation of points.
  using Lifted = LiftedOf<5 * kPoints>;

  CouplesAt(const Mechanism& mechanism, const State& state, const MechanismJoint& joint)
      : mechanism_(mechanism), state_(state), joint_(joint) {}

  [[nodiscard]] Lifted residual(int) const {
    Lifted sum;
    sum.value = -mechanism_.options[joint_.options.first];
    forEach([&](const MechanismTerm& term, const auto& at) {
      add(sum, term.factor, at.coordinate(static_cast<int>(term.coordinate)));
    });
    return sum;
  }
  [[nodiscard]] Lifted coordinate(int) const { return {}; }
  [[nodiscard]] Lifted velocity(int) const { return {}; }
  [[nodiscard]] bool residualAngular(int) const {
    for (Index t = 0; t < joint_.terms.count; ++t) {
      const MechanismTerm& term = mechanism_.terms[joint_.terms.first + t];
      if (!mechanism_.joints[term.joint].kind->coordinates[term.coordinate].angular) return false;
    }
    return true;
  }
  void addStiffness(std::span<const double> lambda, std::vector<StiffnessBlock>& blocks) const {
    forEach([&](const MechanismTerm& term, const auto& at) {
      at.addStiffnessOf(static_cast<int>(term.coordinate), lambda[0] * term.factor, blocks);
    });
  }

 private:
  template <class F>
  void forEach(const F& f) const {
    for (Index t = 0; t < joint_.terms.count; ++t) {
      const MechanismTerm& term = mechanism_.terms[joint_.terms.first + t];
      withJointAt(mechanism_, state_, mechanism_.joints[term.joint], 1u << term.coordinate,
                  [&](const auto& at) { f(term, at); });
    }
  }

  const Mechanism& mechanism_;
  const State& state_;
  const MechanismJoint& joint_;
};

template <class F>
void withAt(const Mechanism& mechanism, const State& state, const MechanismJoint& joint,
            const F& f) {
  if (joint.kind->relates == Relates::Coordinates)
    f(CouplesAt(mechanism, state, joint));
  else
    withJointAt(mechanism, state, joint, askedBy(mechanism, joint), f);
}

// Whether any of a joint's multipliers does anything.
inline bool pushes(std::span<const double> lambda) {
  return std::any_of(lambda.begin(), lambda.end(), [](double l) { return l != 0; });
}

// Calls residual(i, λ) and coordinate(c, λ) for what the multipliers of a joint's position rows push;
// `lambda` by slot: residuals, velocity rows (unused), two per rule, of which the second pushes down.
template <class OnResidual, class OnCoordinate>
void forEachPushed(const Mechanism& mechanism, const MechanismJoint& joint,
                   std::span<const double> lambda, const OnResidual& residual,
                   const OnCoordinate& coordinate) {
  assert(lambda.size() >= slotCount(joint));
  for (int i = 0; i < joint.kind->residualCount; ++i)
    residual(i, lambda[static_cast<std::size_t>(i)]);
  Index slot = ownSlots(*joint.kind);
  for (Index r = 0; r < joint.rules.count; ++r, slot += 2) {
    const MechanismRule& rule = mechanism.rules[joint.rules.first + r];
    const bool isRotor =
        rule.kind == CoordinateRule::Kind::Armature;  // the second is no multiplier
    const double factor = isRotor ? lambda[slot] : lambda[slot] - lambda[slot + 1];
    if (rule.kind != CoordinateRule::Kind::Friction && factor != 0)
      coordinate(static_cast<int>(rule.coordinate), factor);
  }
}

// What a joint is at a state, without derivatives.
inline JointOutput<double> plainOutput(const Mechanism& mechanism, const State& state,
                                       const MechanismJoint& joint, const JointFrames& frames,
                                       unsigned asked) {
  JointOutput<double> out{};
  joint.kind->values(*joint.kind, plainInput(mechanism, state, joint, frames, asked), out);
  return out;
}
inline JointOutput<double> plainOutput(const Mechanism& mechanism, const State& state,
                                       const MechanismJoint& joint) {
  if (joint.kind->relates != Relates::Points)
    return plainOutput(mechanism, state, joint, framesOf(mechanism, state, joint), kAllCoordinates);
  JointOutput<double> out{};
  PointsInput<double> in;
  in.options = optionsOf(mechanism, joint);
  in.memory = memoryOf(state, joint);
  for (int k = 0; k < kPoints; ++k) {
    const MechanismPoint& point = mechanism.points[joint.points.first + static_cast<Index>(k)];
    const Vec3 x = transform(motionOf(mechanism, state, point.solid).X_WC, point.point);
    for (int i = 0; i < 3; ++i) in.x[k][i] = x[i];
  }
  joint.kind->pointValues(*joint.kind, in, out);
  return out;
}

// A bound that cannot be passed: where it is not reached it does nothing.
inline bool isHardLimit(const MechanismRule& rule) {
  return rule.kind == CoordinateRule::Kind::Limit && !(rule.compliance > 0);
}

// A joint of no equation, and of nothing but bounds that cannot be passed.
inline bool isRange(const Mechanism& mechanism, const MechanismJoint& joint) {
  const MechanismRule* rule = mechanism.rules.data() + joint.rules.first;
  return joint.kind->residualCount == 0 && joint.kind->velocityCount == 0 &&
         joint.kind->relates != Relates::Coordinates &&
         std::all_of(rule, rule + joint.rules.count, isHardLimit);
}

// What minds how a coordinate changes, and not what it is: friction and dampers.
inline bool actsOnChanges(const MechanismRule& rule) {
  using Kind = CoordinateRule::Kind;
  return rule.kind == Kind::Friction || (rule.stiffness == 0 && rule.kind != Kind::Limit &&
                                         rule.kind != Kind::Prefer && rule.kind != Kind::Prescribe);
}

// As rememberTurns of joint.h, of one joint that remembers.
void rememberTurns(const Mechanism& mechanism, const MechanismJoint& joint, State& state);
// Whether all coordinates that the rules of a joint are about are clear of their bounds; false where that would take
// more than a rough look.
[[nodiscard]] bool isFarFromLimits(const Mechanism& mechanism, const MechanismJoint& joint,
                                   const State& state);
// As rememberTurns, of one that has rules. False if it has passed a hard limit by more than that: then nothing is
// remembered.
[[nodiscard]] bool rememberWithinLimits(const Mechanism& mechanism, const MechanismJoint& joint,
                                        double time, double tolerance, State& state);

}  // namespace tenon
