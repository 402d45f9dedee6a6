// The lift: from g and c of a joint's relative pose to rows on solids.
//
// With frame k at X_Wk = X_WCk · X_Ck, u = p_W2 - p_W1 and everything in the axes of frame 1, the
// relative pose is  p = R_1ᵀ u,  R = R_1ᵀ R_2,  and it moves with the relative twist
//   ξ̇ = (R_1ᵀ (u̇ - ω_1 × u),  R_1ᵀ (ω_2 - ω_1),  1),      u̇ = v_2 + ω_2 × ρ_2 - v_1 - ω_1 × ρ_1,
// ρ_k being the lever from the centre of mass to the frame's origin. So for any function g of the
// relative pose and time with derivatives G (first) and H (second) by ξ,
//   ġ = G ξ̇,     g̈ = ξ̇ᵀ H ξ̇ + G ξ̈,
// and at zero accelerations of the solids
//   ξ̈ = (R_1ᵀ (ü - 2 ω_1 × u̇ + ω_1 × (ω_1 × u)),  -R_1ᵀ (ω_1 × ω_2),  0),
//   ü = ω_2 × (ω_2 × ρ_2) - ω_1 × (ω_1 × ρ_1).
// No correction for the chart is needed: R(t+s) = exp(s ω + s²/2 ω̇ + O(s³)) R(t).
#include <tenon/joint.h>

#include <cassert>
#include <cmath>
#include <utility>

#include "joints/jet.h"
#include "joints/joint_math.h"

namespace tenon {

namespace {

// Where a solid's frame is and how it moves; the world stands still at the origin.
struct SolidMotion {
  Pose X_WC;
  Vec3 velocity, spin;
  Vec3 acceleration, angularAcceleration;  // of animated solids: known; else 0
};

SolidMotion motionOf(const Mechanism& mechanism, const State& state, Index solid) {
  SolidMotion m;
  if (solid == kWorld) return m;
  m.X_WC = {state.position[solid], state.orientation[solid]};
  m.velocity = state.velocity[solid];
  m.spin = state.spin[solid];
  if (mechanism.solids[solid].kind == SolidKind::Animated) {
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

JointFrames framesOf(const Mechanism& mechanism, const State& state, const MechanismJoint& joint) {
  JointFrames f;
  f.solid1 = motionOf(mechanism, state, joint.solid1);
  f.solid2 = motionOf(mechanism, state, joint.solid2);
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

std::span<const double> optionsOf(const Mechanism& m, const MechanismJoint& joint) {
  return {m.options.data() + joint.options.first, joint.options.count};
}

std::span<const double> memoryOf(const State& state, const MechanismJoint& joint) {
  Index count = 0;
  for (int c = 0; c < joint.kind->coordinateCount; ++c)
    count += joint.kind->coordinates[c].periodic ? 1 : 0;
  return {state.memory.data() + joint.firstMemory, count};
}

JointInput<double> plainInput(const Mechanism& mechanism, const State& state,
                              const MechanismJoint& joint, const JointFrames& f) {
  JointInput<double> in;
  const Mat3 R = rotationMatrix(f.X_12.q);
  for (int r = 0; r < 3; ++r) {
    in.p[r] = f.X_12.p[r];
    for (int c = 0; c < 3; ++c) in.R[r][c] = R(r, c);
  }
  const double q[4] = {f.X_12.q.x, f.X_12.q.y, f.X_12.q.z, f.X_12.q.w};
  for (int n = 0; n < 4; ++n) in.q[n] = q[n];
  in.time = state.time;
  in.options = optionsOf(mechanism, joint);
  in.memory = memoryOf(state, joint);
  return in;
}

JointInput<Jet> jetInput(const Mechanism& mechanism, const State& state,
                         const MechanismJoint& joint, const JointFrames& f) {
  const JointInput<double> at = plainInput(mechanism, state, joint, f);
  JointInput<Jet> in;
  in.options = at.options;
  in.memory = at.memory;
  in.time = Jet(at.time);
  in.time.first[Jet::kTime] = 1;
  for (int r = 0; r < 3; ++r) {
    in.p[r] = Jet(at.p[r]);
    in.p[r].first[r] = 1;
  }
  // exp(δθ) r = r + δθ × r + ½ δθ × (δθ × r) + … for each column r of R, and
  // e_k × (e_l × r) + e_l × (e_k × r) = e_l r_k + e_k r_l - 2 δ_kl r.
  for (int c = 0; c < 3; ++c) {
    const Vec3 column{at.R[0][c], at.R[1][c], at.R[2][c]};
    for (int r = 0; r < 3; ++r) in.R[r][c] = Jet(column[r]);
    for (int k = 0; k < 3; ++k) {
      Vec3 e_k;
      e_k[k] = 1;
      const Vec3 d = cross(e_k, column);
      for (int r = 0; r < 3; ++r) in.R[r][c].first[3 + k] = d[r];
      for (int l = 0; l <= k; ++l)
        for (int r = 0; r < 3; ++r)
          in.R[r][c].second[Jet::pair(3 + k, 3 + l)] =
              0.5 * ((r == l ? column[k] : 0) + (r == k ? column[l] : 0)) -
              (k == l ? column[r] : 0);
    }
  }
  // As a quaternion exp(δθ) = (δθ/2, 1 - |δθ|²/8) + …
  const Quat q{at.q[0], at.q[1], at.q[2], at.q[3]};
  for (int n = 0; n < 4; ++n) in.q[n] = Jet(at.q[n]);
  for (int k = 0; k < 3; ++k) {
    Quat half{0, 0, 0, 0};
    (k == 0 ? half.x : k == 1 ? half.y : half.z) = 0.5;
    const Quat d = half * q;
    const double first[4] = {d.x, d.y, d.z, d.w};
    for (int n = 0; n < 4; ++n) {
      in.q[n].first[3 + k] = first[n];
      in.q[n].second[Jet::pair(3 + k, 3 + k)] = -0.25 * at.q[n];
    }
  }
  return in;
}

// The relative twist ξ̇ and its derivative at zero accelerations of dynamic solids, frame 1 axes.
struct RelativeMotion {
  double rate[Jet::kVariables];
  double acceleration[Jet::kVariables];
};

RelativeMotion relativeMotion(const JointFrames& f) {
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
  RelativeMotion m;
  for (int i = 0; i < 3; ++i) {
    m.rate[i] = v[i];
    m.rate[3 + i] = w[i];
    m.acceleration[i] = v_dot[i];
    m.acceleration[3 + i] = w_dot[i];
  }
  m.rate[Jet::kTime] = 1;
  m.acceleration[Jet::kTime] = 0;
  return m;
}

// Appends a row for the function whose jet is `g`, times `sign`; the caller fills in the rest.
Row& appendRow(const Mechanism& mechanism, const MechanismJoint& joint, const JointFrames& f,
               const RelativeMotion& motion, const Jet& g, double sign, Rows& rows) {
  Row row;
  row.error = sign * g.value;
  row.timeRate = sign * g.first[Jet::kTime];
  double rate = 0, drift = 0;
  for (int i = 0; i < Jet::kVariables; ++i) {
    rate += g.first[i] * motion.rate[i];
    drift += g.first[i] * motion.acceleration[i];
    for (int j = 0; j < Jet::kVariables; ++j)
      drift += g.second[Jet::pair(i, j)] * motion.rate[i] * motion.rate[j];
  }
  row.rate = sign * rate;
  row.drift = sign * drift;

  // Force and torque of a unit multiplier at frame 2, world axes; frame 1 gets the opposite, the
  // force acting at frame 2's origin: so the net wrench is zero.
  const Vec3 force = sign * (f.R_W1 * Vec3{g.first[0], g.first[1], g.first[2]});
  const Vec3 torque = sign * (f.R_W1 * Vec3{g.first[3], g.first[4], g.first[5]});
  row.firstBlock = static_cast<Index>(rows.blocks.size());
  const auto block = [&](Index solid, const Vec3& linear, Vec3 angular) {
    if (solid == kWorld) return;
    if (mechanism.solids[solid].pointMass) angular = {};  // its axes never turn
    rows.blocks.push_back({solid, {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}});
    ++row.blockCount;
  };
  block(joint.solid1, -force, -(cross(f.rho1 + f.u, force) + torque));
  block(joint.solid2, force, cross(f.rho2, force) + torque);
  rows.rows.push_back(row);
  return rows.rows.back();
}

// The rows of one rule on a coordinate.
void emitRule(const Mechanism& mechanism, const Control& control, const State& state, Index index,
              const JointFrames& frames, const RelativeMotion& motion, const Jet& coordinate,
              Index slot, Rows& rows) {
  const MechanismRule& rule = mechanism.rules[index];
  const MechanismJoint& joint = mechanism.joints[rule.joint];
  const bool angular = joint.kind->coordinates[rule.coordinate].angular;
  const auto finish = [&](Row& row, Index rowSlot) -> Row& {
    row.joint = rule.joint;
    row.slot = rowSlot;
    row.angular = angular;
    row.weight = rule.weight;
    return row;
  };

  if (rule.kind == CoordinateRule::Kind::Limit) {
    // c - lower >= 0 and upper - c >= 0, pushing with λ >= 0.
    const auto side = [&](double bound, double sign, Index rowSlot) {
      if (!std::isfinite(bound)) return;
      Row& row =
          finish(appendRow(mechanism, joint, frames, motion, coordinate - Jet(bound), sign, rows),
                 rowSlot);
      row.lower = 0;
      row.equality = false;
      if (rule.compliance > 0) row.stiffness = 1 / rule.compliance;
    };
    side(rule.lower, 1, slot);
    side(rule.upper, -1, slot + 1);
    return;
  }

  const SignalValue s = evaluate(mechanism, rule.target, state.time);
  Jet target(s.value + control.target[index]);
  target.first[Jet::kTime] = s.rate;
  target.second[Jet::pair(Jet::kTime, Jet::kTime)] = s.acceleration;
  Row& row =
      finish(appendRow(mechanism, joint, frames, motion, coordinate - target, 1, rows), slot);
  if (rule.kind == CoordinateRule::Kind::Prescribe) {
    if (rule.compliance > 0) row.stiffness = 1 / rule.compliance;
    return;
  }
  row.equality = false;
  row.stiffness = rule.stiffness;
  row.damping = rule.damping;
  row.lower = -rule.maxForce;
  row.upper = rule.maxForce;
}

}  // namespace

JointValues jointValues(const Mechanism& mechanism, const State& state, Index index) {
  const MechanismJoint& joint = mechanism.joints[index];
  const JointFrames frames = framesOf(mechanism, state, joint);
  JointOutput<double> out{};
  joint.kind->values(*joint.kind, plainInput(mechanism, state, joint, frames), out);
  JointValues values;
  for (int i = 0; i < joint.kind->residualCount; ++i) values.residual[i] = out.residual[i];
  for (int i = 0; i < joint.kind->coordinateCount; ++i) values.coordinate[i] = out.coordinate[i];
  return values;
}

void emitJointRows(const Mechanism& mechanism, const Control& control, const State& state,
                   Index index, Rows& rows) {
  const MechanismJoint& joint = mechanism.joints[index];
  if (!control.jointOn[index] || !isActive(mechanism, joint.active, state.time)) return;
  const JointKind& kind = *joint.kind;
  const JointFrames frames = framesOf(mechanism, state, joint);
  const RelativeMotion motion = relativeMotion(frames);
  JointOutput<Jet> out;
  kind.jets(kind, jetInput(mechanism, state, joint, frames), out);

  for (int i = 0; i < kind.residualCount; ++i) {
    Row& row = appendRow(mechanism, joint, frames, motion, out.residual[i], 1, rows);
    row.joint = index;
    row.slot = joint.firstSlot + static_cast<Index>(i);
    row.angular = kind.residualAngular[i];
    row.weight = joint.weight;
    if (joint.compliance > 0) row.stiffness = 1 / joint.compliance;
  }
  for (Index r = 0; r < joint.rules.count; ++r) {
    const Index rule = joint.rules.first + r;
    if (!isActive(mechanism, mechanism.rules[rule].active, state.time)) continue;
    const Index slot = joint.firstSlot + static_cast<Index>(kind.residualCount) + 2 * r;
    emitRule(mechanism, control, state, rule, frames, motion,
             out.coordinate[mechanism.rules[rule].coordinate], slot, rows);
  }
}

void emitRows(const Mechanism& mechanism, const Control& control, const State& state, Rows& rows) {
  for (Index joint = 0; joint < mechanism.joints.size(); ++joint)
    emitJointRows(mechanism, control, state, joint, rows);
}

Stiffness jointStiffness(const Mechanism& mechanism, const State& state, Index index,
                         std::span<const double> lambda) {
  const MechanismJoint& joint = mechanism.joints[index];
  const JointFrames f = framesOf(mechanism, state, joint);
  JointOutput<Jet> out;
  joint.kind->jets(*joint.kind, jetInput(mechanism, state, joint, f), out);
  assert(lambda.size() >= static_cast<std::size_t>(joint.kind->residualCount));

  // Σ λ g: its first derivatives are a force and a torque in frame 1, its second ones H.
  Jet sum;
  for (int i = 0; i < joint.kind->residualCount; ++i)
    sum = sum + Jet(lambda[static_cast<std::size_t>(i)]) * out.residual[i];
  const Vec3 force = f.R_W1 * Vec3{sum.first[0], sum.first[1], sum.first[2]};
  const Vec3 torque = f.R_W1 * Vec3{sum.first[3], sum.first[4], sum.first[5]};

  // L: how the twelve velocities move ξ. Columns: v_1, ω_1, v_2, ω_2; rows: six of ξ̇.
  const Mat3 R_1W = transpose(f.R_W1);
  const Mat3 lever1 = R_1W * skew(f.rho1 + f.u), lever2 = R_1W * skew(f.rho2);
  double L[6][12] = {};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      L[r][c] = -R_1W(r, c);
      L[r][3 + c] = lever1(r, c);
      L[r][6 + c] = R_1W(r, c);
      L[r][9 + c] = -lever2(r, c);
      L[3 + r][3 + c] = -R_1W(r, c);
      L[3 + r][9 + c] = R_1W(r, c);
    }
  Stiffness stiffness;
  auto& K = stiffness.K;
  for (int r = 0; r < 12; ++r)
    for (int c = 0; c < 12; ++c) {
      double s = 0;
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) s += L[i][r] * sum.second[Jet::pair(i, j)] * L[j][c];
      K[r][c] = s;
    }

  // The rest is f·p̈ + m·ω̈ of the lift, a quadratic form in the velocities:
  //   f·(ω_2 × (ω_2 × ρ_2))                      -> ω_2ᵀ [½(f ρ_2ᵀ + ρ_2 fᵀ) - (f·ρ_2) 1] ω_2
  //   f·(ω_1 × (ω_1 × (u + ρ_1)))                with u̇'s own -ω_1 × ρ_1: see below
  //   -2 f·(ω_1 × (v_2 - v_1 + ω_2 × ρ_2)) and -m·(ω_1 × ω_2): products of two velocities.
  const auto add = [&K](int r0, int c0, const Mat3& m) {  // to both sides of the symmetric form
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        K[r0 + r][c0 + c] += 0.5 * m(r, c);
        K[c0 + c][r0 + r] += 0.5 * m(r, c);
      }
  };
  const auto centripetal = [](const Vec3& force_W, const Vec3& lever) {
    // f·(ω × (ω × r)) = (f·ω)(ω·r) - (f·r)|ω|²
    return outer(force_W, lever) - dot(force_W, lever) * identity3();
  };
  add(9, 9, centripetal(force, f.rho2));
  // Solid 1: -ω×(ω×ρ_1) from ü, +2 ω×(ω×ρ_1) from -2 ω_1×u̇, +ω×(ω×u): together ω×(ω×(ρ_1+u)).
  add(3, 3, centripetal(force, f.rho1 + f.u));
  // -2 f·(ω_1 × v) = -2 (v × f)·ω_1 = 2 ω_1ᵀ [f]ₓ v
  add(3, 6, 2.0 * skew(force));
  add(3, 0, -2.0 * skew(force));
  // v = ω_2 × ρ_2 = -[ρ_2]ₓ ω_2
  add(3, 9, -2.0 * (skew(force) * skew(f.rho2)));
  // -m·(ω_1 × ω_2) = -ω_1·(ω_2 × m) = ω_1ᵀ [m]ₓ ω_2
  add(3, 9, skew(torque));
  // Point masses do not turn, whatever their joint would like.
  for (const auto& [solid, first] : {std::pair(joint.solid1, 3), std::pair(joint.solid2, 9)})
    if (solid != kWorld && mechanism.solids[solid].pointMass)
      for (int i = 0; i < 12; ++i)
        for (int k = first; k < first + 3; ++k) K[i][k] = K[k][i] = 0;
  return stiffness;
}

void rememberTurns(const Mechanism& mechanism, State& state) {
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    const MechanismJoint& joint = mechanism.joints[j];
    Index memory = joint.firstMemory;
    bool any = false;
    for (int c = 0; c < joint.kind->coordinateCount; ++c)
      any = any || joint.kind->coordinates[c].periodic;
    if (!any) continue;
    const JointValues values = jointValues(mechanism, state, j);
    for (int c = 0; c < joint.kind->coordinateCount; ++c)
      if (joint.kind->coordinates[c].periodic) state.memory[memory++] = values.coordinate[c];
  }
}

}  // namespace tenon
