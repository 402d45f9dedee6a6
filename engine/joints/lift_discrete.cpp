// The lift over a step: discrete gradients instead of gradients.
//
// A function g of the relative pose p = Aᵀ d, C = Aᵀ B (A, B: axes of the frames, d: from one origin to
// the other) changes by exactly <G_p, Δp> + <G_C, ΔC> if, with the gradient at the middle of the step,
//   G = ∇g + s W Δ,     s = (Δg - <∇g, Δ>) / <Δ, W Δ>                           [Gonzalez1996]
// and W a weight: of each of p and C the square of its gradient, so that what does not depend on p gets
// no force. p and C are bilinear in A, B and d, and over a turn R_1 = cay(θ) R_0 every vector of a solid
// changes by θ × its mean; so with bars for means of start and end
//   Δp = Āᵀ (Δx_2 + θ_2 × ρ̄_2 - Δx_1 - θ_1 × ρ̄_1) + (θ_1 × Ā)ᵀ d̄,     ΔC = Āᵀ [θ_2 - θ_1]ₓ B̄,
// from which force and torque on each solid follow. Their slopes by the end of the step are exact but for
// terms of the order of θ² and, of what depends on the turn, the change of s itself, which is of the order of Δ. A common turn of both changes neither: angular
// momentum is kept, as is linear momentum.
//
// The distance |d| between the origins does not depend on how the frames are turned. In their axes it would: a light solid
// that spins fast would be turned by a rod at its centre. So it has a discrete gradient of its own, by d in the world,
//   Δ|d| = G·Δd,     G = 2 d̄/(|d_0| + |d_1|),     ∂G/∂d_1 = (1 - G d_1ᵀ/|d_1|)/(|d_0| + |d_1|),
// whose slopes are exact. So has the distance from the axis in a plane, by p without what is along the normal, in place of d.
#include <optional>

#include "joints/axial.h"
#include "joints/lift_over.h"

namespace tenon {

namespace {

using Step = StepPoses;

class FramesOver {
 public:
  using Lifted = FramesAt::Lifted;

  FramesOver(const Step& step, const MechanismJoint& joint, unsigned asked)
      : step_(step),
        joint_(joint),
        asked_(asked),
        middle_(step.mechanism, step.middle, joint, asked,
                framesOf(step.mechanism, step.middle, joint, false)),
        to_(framesOf(step.mechanism, step.end, joint, false)),
        last_(plainOutput(step.mechanism, step.end, joint, to_, asked)) {
    const JointFrames from = framesOf(step.mechanism, step.start, joint, false);
    first_ = plainOutput(step.mechanism, step.start, joint, from, asked);
    rho1_ = 0.5 * (from.rho1 + to_.rho1);
    rho2_ = 0.5 * (from.rho2 + to_.rho2);
    d_ = 0.5 * (from.u + to_.u);
    lengths_ = std::max(norm(from.u) + norm(to_.u), kNoLength);
    p0_ = inPlane(from.X_12.p);
    p1_ = inPlane(to_.X_12.p);
    radii_ = std::max(norm(p0_) + norm(p1_), kNoLength);
    const Mat3 C0 = rotationMatrix(from.X_12.q), C1 = rotationMatrix(to_.X_12.q);
    A_ = 0.5 * (from.R_W1 + to_.R_W1);
    B_ = 0.5 * (from.R_W1 * C0 + to_.R_W1 * C1);
    dp_ = to_.X_12.p - from.X_12.p;
    dC_ = C1 - C0;
    C_ = rotationMatrix(middle_.frames().X_12.q);
  }

  [[nodiscard]] Lifted residual(int i) const {
    return lift(middle_.output().residual[i], first_.residual[i], last_.residual[i],
                joint_.kind->residualIsLength ? Measure::Length : Measure::Own);
  }
  [[nodiscard]] Lifted coordinate(int c) const {
    return lift(middle_.output().coordinate[c], first_.coordinate[c], last_.coordinate[c],
                measureOf(c));
  }
  [[nodiscard]] Lifted velocity(int r) const { return middle_.velocity(r); }
  [[nodiscard]] bool residualAngular(int i) const { return middle_.residualAngular(i); }
  [[nodiscard]] FramesAt atEnd() const { return {step_.mechanism, step_.end, joint_, asked_, to_}; }

  // Appends d(Σ P ν)/d(end) for the position rows.
  void addSlopes(std::span<const double> nu, std::vector<LoadSlope>& slopes) const {
    Pull pull;
    forEachPushed(
        step_.mechanism, joint_, nu,
        [&](int i, double l) {
          if (joint_.kind->residualIsLength)
            pull.length += l;
          else
            pull.add(l, *this, middle_.output().residual[i], first_.residual[i], last_.residual[i],
                     [&](const FramesAt& end) { return end.output().residual[i]; });
        },
        [&](int c, double l) { addTo(pull, c, l); });
    emit(pull, slopes);
  }
  void addSlopesOf(int coordinate, double nu, std::vector<LoadSlope>& slopes) const {
    Pull pull;
    addTo(pull, coordinate, nu);
    emit(pull, slopes);
  }

 private:
  using Measure = JointKind::Measure;
  // The discrete gradient: G, and of it what is s W. G_C is 0 of what does not depend on the turn.
  struct Gradient {
    Vec3 p;
    Mat3 C;
    double s_p = 0, s_C = 0;
  };
  // Several of them, times their multipliers.
  struct Pull {
    Gradient G;
    Jet sum;
    double length = 0, radius = 0;  // of the distances
    Vec3 byEnd, byMiddle;           // δs of what depends on the place alone, times |Δp|² + ε²
    std::optional<FramesAt> end;
    // `atEnd` picks the function from the output at the end.
    template <class AtEnd>
    void add(double nu, const FramesOver& over, const Jet& g, double from, double to,
             const AtEnd& atEnd) {
      const Gradient one = over.gradientOf(g, from, to);
      if (g.bent && g.has(Jet::kPlace) && !g.has(Jet::kTurn)) {
        if (!end) end.emplace(over.atEnd());
        const Vec3 change = atEnd(*end).slope(Jet::kPlace) - g.slope(Jet::kPlace);
        byEnd += nu * (change - (2 * one.s_p) * over.dp_);
        byMiddle += -nu * (g.curvature(Jet::kPlace) * over.dp_);
      }
      G.p += nu * one.p;
      G.C += nu * one.C;
      G.s_p += nu * one.s_p;
      G.s_C += nu * one.s_C;
      sum = combined(1, sum, nu, g);
    }
  };
  [[nodiscard]] Measure measureOf(int c) const { return joint_.kind->coordinates[c].measure; }
  // The normal is axis i of frame 1.
  static Vec3 inPlane(const Vec3& p) { return {0, p.y, p.z}; }
  [[nodiscard]] Vec3 radiusGradient() const { return (1 / radii_) * (p0_ + p1_); }
  void addTo(Pull& pull, int c, double nu) const {
    if (measureOf(c) == Measure::Length) {
      pull.length += nu;
    } else if (measureOf(c) == Measure::Radius) {
      pull.radius += nu;
      pull.G.p += nu * radiusGradient();
    } else {
      pull.add(nu, *this, middle_.output().coordinate[c], first_.coordinate[c], last_.coordinate[c],
               [&](const FramesAt& end) { return end.output().coordinate[c]; });
    }
  }

  [[nodiscard]] Gradient gradientOf(const Jet& g, double from, double to) const {
    Gradient G;
    G.p = g.slope(Jet::kPlace);
    if (g.has(Jet::kTurn)) G.C = 0.5 * (skew(g.slope(Jet::kTurn)) * C_);
    // What is linear changes by its gradient, unless it is so in pieces: a mesh.
    if (!g.bent && joint_.kind->found == 0) return G;
    const double defect = to - from - dot(G.p, dp_) - contract(G.C, dC_);
    const double w_p = dot(G.p, G.p), w_C = contract(G.C, G.C);
    const double size = w_p * dot(dp_, dp_) + w_C * contract(dC_, dC_);
    const double rest = (w_p + w_C) * kStill * kStill;
    if (size + rest > 0) {
      const double s = defect / (size + rest);
      G.s_p = s * w_p;
      G.s_C = s * w_C;
      G.p += G.s_p * dp_;
      G.C += G.s_C * dC_;
    }
    return G;
  }

  [[nodiscard]] Lifted lift(const Jet& g, double from, double to, Measure measure) const {
    Lifted made;
    made.value = to;
    made.rate = (to - from) / step_.dt;
    if (measure == Measure::Length) {
      const Vec3 force = (2 / lengths_) * d_;
      made.push(step_.mechanism, joint_.solid1, -force, -cross(rho1_, force));
      made.push(step_.mechanism, joint_.solid2, force, cross(rho2_, force));
      return made;
    }
    Gradient G;
    if (measure == Measure::Radius)
      G.p = radiusGradient();
    else
      G = gradientOf(g, from, to);
    const Vec3 force = A_ * G.p;
    const Vec3 torque = g.has(Jet::kTurn) ? axial(A_ * G.C * transpose(B_)) : Vec3{};
    made.push(step_.mechanism, joint_.solid1, -force, -(cross(rho1_ + d_, force) + torque));
    made.push(step_.mechanism, joint_.solid2, force, cross(rho2_, force) + torque);
    return made;
  }

  void emit(const Pull& pull, std::vector<LoadSlope>& slopes) const;

  const Step& step_;
  const MechanismJoint& joint_;
  unsigned asked_;
  FramesAt middle_;
  JointFrames to_;
  JointOutput<double> first_, last_;
  Vec3 rho1_, rho2_, d_, dp_;
  Mat3 A_, B_, C_, dC_;
  double lengths_ = 0, radii_ = 0;  // of start and end
  Vec3 p0_, p1_;                    // without what is along the normal
};

// With small displacements x_k and turns t_k of the solids at the end, the relative pose changes at the
// middle, in its axes R, and at the end by
//   p_m = ½ Rᵀ (x_2 - x_1 + τ_2 × ρ_2 - τ_1 × (ρ_1 + u)),   w_m = ½ Rᵀ (τ_2 - τ_1),   τ_k = (1 - [θ_k]ₓ/4) t_k,
// as a solid turns by ½ τ halfway; p_1 and C_1 alike with all of t_k. So, H being the second derivatives and g_w the first by the turn,
//   δG_p = H_pp p_m + H_pw w_m + s_p p_1 + δs_p Δp,
//   δs_p = ((∇g_1 - ∇g - 2 s_p Δp)·p_1 - (H_pp Δp)·p_m)/(|Δp|² + ε²)       of what depends on the place alone
//   δG_C = ½ [δg_w]ₓ C + ½ [g_w]ₓ[w_m]ₓ C + s_C C_1,      δg_w = H_wp p_m + H_ww w_m - ½ g_w × w_m
//   δforce = ½ t_1 × A_1 G_p + Ā δG_p
//   δtorque = axial(½ [t_1]ₓ A_1 G_C B̄ᵀ + Ā δG_C B̄ᵀ - ½ Ā G_C B_1ᵀ [t_2]ₓ),
// all of them linear in x = x_2 - x_1, t_1 and t_2: a matrix for each.
void FramesOver::emit(const Pull& pull, std::vector<LoadSlope>& slopes) const {
  struct ByMotion {
    Mat3 x, t1, t2;
  };
  const Gradient& G = pull.G;
  const Jet& g = pull.sum;
  const JointFrames& m = middle_.frames();
  const Mat3& A1 = to_.R_W1;
  const Mat3 R_mW = transpose(m.R_W1);
  Vec3 force = A_ * G.p;
  const bool turns = g.has(Jet::kTurn), both = g.bent && g.hasBoth();

  const auto halfway = [&](Index solid) {
    if (solid == kWorld) return identity3();
    return identity3() - (0.25 * step_.dt) * skew(step_.middle.spin[solid]);
  };
  const Mat3 half1 = halfway(joint_.solid1), half2 = halfway(joint_.solid2);
  // Adds what a matrix makes of x + t_2 × ρ_2 - t_1 × lever at the end, or halfway.
  const auto addEnd = [&](ByMotion& to, const Mat3& M) {
    to.x += M;
    to.t1 += M * skew(to_.rho1 + to_.u);
    to.t2 += -1.0 * (M * skew(to_.rho2));
  };
  const auto addMiddle = [&](ByMotion& to, const Mat3& M) {
    to.x += M;
    to.t1 += M * skew(m.rho1 + m.u) * half1;
    to.t2 += -1.0 * (M * skew(m.rho2) * half2);
  };
  ByMotion dForce;
  dForce.t1 = -0.5 * skew(A1 * G.p);
  if (g.has(Jet::kPlace) && (g.bent || G.s_p != 0)) {
    const Vec3 along = (1 / (dot(dp_, dp_) + kStill * kStill)) * dp_;
    addMiddle(dForce, 0.5 * (A_ * (g.curvature(Jet::kPlace) + outer(along, pull.byMiddle)) * R_mW));
    addEnd(dForce, A_ * (G.s_p * identity3() + outer(along, pull.byEnd)) * transpose(A1));
  }
  if (both) {
    const Mat3 M = 0.5 * (A_ * g.mixedCurvature() * R_mW);
    dForce.t1 += -1.0 * (M * half1);
    dForce.t2 += M * half2;
  }

  if (pull.radius != 0) {
    const double size = std::max(norm(p1_), kNoLength);
    Mat3 K = identity3() - outer(radiusGradient(), (1 / size) * p1_);
    K.m[0][0] = 0;
    addEnd(dForce, (pull.radius / radii_) * (A_ * K * transpose(A1)));
  }
  if (pull.length != 0) {
    const Vec3 line = (2 / lengths_) * d_;
    force += pull.length * line;
    const double size = std::max(norm(to_.u), kNoLength);
    const Mat3 H = (pull.length / lengths_) * (identity3() - outer(line, (1 / size) * to_.u));
    dForce.x += H;
    dForce.t1 += H * skew(to_.rho1);
    dForce.t2 += -1.0 * (H * skew(to_.rho2));
  }

  ByMotion dTorque;
  if (turns) {
    const Vec3 g_w = g.slope(Jet::kTurn);
    const Mat3 B1 = A1 * rotationMatrix(to_.X_12.q), B_T = transpose(B_);
    const Mat3 N = C_ * B_T, W = axialAlong(A_, N);
    Mat3 H = -0.5 * skew(g_w);
    if (g.bent) H += g.curvature(Jet::kTurn);
    // [g]ₓ[w]ₓ = w gᵀ - (g·w) 1
    Mat3 M = W * H + skew(transpose(N) * g_w) * A_ - outer(axial(A_ * N), g_w);
    M = 0.25 * (M * R_mW);
    const Mat3 byEnd = G.s_C * axialAlong(A_ * transpose(A1), B1 * B_T);
    dTorque.t1 = 0.5 * axialOf(A1 * G.C * B_T) - M * half1 - byEnd;
    dTorque.t2 = M * half2 + byEnd - 0.5 * axialOf(B1 * transpose(A_ * G.C));
    if (both) addMiddle(dTorque, 0.25 * (W * transpose(g.mixedCurvature()) * R_mW));
  }

  // Torques about the centres of mass: the levers are ρ̄_1 + d̄ and ρ̄_2, which change by
  // ½ (x + t_2 × ρ_2) and ½ t_2 × ρ_2 of the end.
  const auto torqueOf = [&](const Vec3& lever) {
    const Mat3 L = skew(lever);
    return ByMotion{L * dForce.x + dTorque.x, L * dForce.t1 + dTorque.t1,
                    L * dForce.t2 + dTorque.t2 + 0.5 * (skew(force) * skew(to_.rho2))};
  };
  ByMotion torque1 = torqueOf(rho1_ + d_);
  torque1.x += -0.5 * skew(force);
  const ByMotion torque2 = torqueOf(rho2_);

  const Index solids[2] = {joint_.solid1, joint_.solid2};
  for (int r = 0; r < 2; ++r) {
    const double sign = r == 0 ? -1 : 1;  // solid 1 gets the opposite
    const ByMotion& torque = r == 0 ? torque1 : torque2;
    for (int c = 0; c < 2; ++c) {
      if (solids[r] == kWorld || solids[c] == kWorld) continue;
      if (step_.mechanism.solids[solids[c]].kind != SolidKind::Dynamic) continue;
      LoadSlope& s = slopes.emplace_back();
      s.solid = solids[r];
      s.by = solids[c];
      const double by = c == 0 ? -sign : sign;
      const Mat3 &forceTurn = c == 0 ? dForce.t1 : dForce.t2,
                 &torqueTurn = c == 0 ? torque.t1 : torque.t2;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          s.slope[i][j] = by * dForce.x(i, j);
          s.slope[i][3 + j] = sign * forceTurn(i, j);
          s.slope[3 + i][j] = by * torque.x(i, j);
          s.slope[3 + i][3 + j] = sign * torqueTurn(i, j);
        }
    }
  }
}

// Points: the gradient at their means, and Gonzalez' correction along what is left of their changes
// without the motion of the whole, which g does not see: so the correction has no net torque either.
class PointsOver {
 public:
  using Lifted = PointsAt::Lifted;

  PointsOver(const Step& step, const MechanismJoint& joint)
      : step_(step),
        joint_(joint),
        first_(plainOutput(step.mechanism, step.start, joint)),
        last_(plainOutput(step.mechanism, step.end, joint)) {
    PointsInput<PointJet> in;
    in.options = optionsOf(step.mechanism, joint);
    in.memory = memoryOf(step.start, joint);
    Vec3 x[kPoints], centre, drift;
    for (int k = 0; k < kPoints; ++k) {
      const MechanismPoint& point =
          step.mechanism.points[joint.points.first + static_cast<Index>(k)];
      const Pose from = motionOf(step.mechanism, step.start, point.solid, false).X_WC;
      const Pose to = motionOf(step.mechanism, step.end, point.solid, false).X_WC;
      solid_[k] = point.solid;
      rho_[k] = 0.5 * (rotate(from.q, point.point) + rotate(to.q, point.point));
      x[k] = 0.5 * (transform(from, point.point) + transform(to, point.point));
      change_[k] = transform(to, point.point) - transform(from, point.point);
      centre += (1.0 / kPoints) * x[k];
      drift += (1.0 / kPoints) * change_[k];
      for (int i = 0; i < 3; ++i) {
        in.x[k][i] = PointJet(x[k][i]);
        in.x[k][i].first[3 * k + i] = 1;
      }
    }
    joint.kind->pointJets(*joint.kind, in, out_);
    Mat3 inertia;
    Vec3 momentum;
    for (int k = 0; k < kPoints; ++k) {
      const Vec3 y = x[k] - centre;
      inertia += dot(y, y) * identity3() - outer(y, y);
      momentum += cross(y, change_[k]);
    }
    const Vec3 turn = inverse(inertia + (1e-12 * trace(inertia) + 1e-300) * identity3()) * momentum;
    for (int k = 0; k < kPoints; ++k) {
      own_[k] = change_[k] - drift - cross(turn, x[k] - centre);
      size_ += dot(own_[k], own_[k]);
    }
  }

  [[nodiscard]] Lifted residual(int i) const {
    return lift(out_.residual[i], first_.residual[i], last_.residual[i]);
  }
  [[nodiscard]] Lifted coordinate(int c) const {
    return lift(out_.coordinate[c], first_.coordinate[c], last_.coordinate[c]);
  }
  [[nodiscard]] Lifted velocity(int) const { return {}; }
  [[nodiscard]] bool residualAngular(int i) const { return joint_.kind->residualAngular[i]; }
  [[nodiscard]] PointsAt atEnd() const { return {step_.mechanism, step_.end, joint_}; }

  // Half the stiffness at the middle, and half the turn of the torques: not as exact as that of frames.
  void addSlopes(std::span<const double> nu, std::vector<LoadSlope>& slopes) const {
    PointJet sum;
    forEachPushed(
        step_.mechanism, joint_, nu,
        [&](int i, double l) { sum = sum + PointJet(l) * out_.residual[i]; },
        [&](int c, double l) { sum = sum + PointJet(l) * out_.coordinate[c]; });
    emit(sum, slopes);
  }
  void addSlopesOf(int coordinate, double nu, std::vector<LoadSlope>& slopes) const {
    emit(PointJet(nu) * out_.coordinate[coordinate], slopes);
  }

 private:
  // x_k moves by ½ (δx + δθ × ρ), and ρ × f turns with its solid.
  void emit(const PointJet& sum, std::vector<LoadSlope>& slopes) const {
    for (int k = 0; k < kPoints; ++k)
      for (int l = 0; l < kPoints; ++l) {
        if (solid_[k] == kWorld || solid_[l] == kWorld) continue;
        LoadSlope s;
        s.solid = solid_[k];
        s.by = solid_[l];
        Mat3 H;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            H.m[i][j] = 0.5 * sum.second[PointJet::pair(3 * k + i, 3 * l + j)];
        const Mat3 HR = -1.0 * (H * skew(rho_[l]));
        Mat3 RHR = skew(rho_[k]) * HR;
        const Mat3 RH = skew(rho_[k]) * H;
        const Vec3 f = PointsAt::gradient(sum, k);
        if (k == l) RHR += 0.5 * (outer(rho_[k], f) - dot(rho_[k], f) * identity3());
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            s.slope[i][j] = H(i, j);
            s.slope[i][3 + j] = HR(i, j);
            s.slope[3 + i][j] = RH(i, j);
            s.slope[3 + i][3 + j] = RHR(i, j);
          }
        slopes.push_back(s);
      }
  }

  [[nodiscard]] Lifted lift(const PointJet& g, double from, double to) const {
    Lifted made;
    made.value = to;
    made.rate = (to - from) / step_.dt;
    double defect = to - from;
    for (int k = 0; k < kPoints; ++k) defect -= dot(PointsAt::gradient(g, k), change_[k]);
    const double s = defect / (size_ + kStill * kStill);
    for (int k = 0; k < kPoints; ++k) {
      const Vec3 force = PointsAt::gradient(g, k) + s * own_[k];
      LiftedOf<1> part;
      part.push(step_.mechanism, solid_[k], force, cross(rho_[k], force));
      add(made, 1, part);
    }
    return made;
  }

  const Step& step_;
  const MechanismJoint& joint_;
  JointOutput<PointJet> out_;
  JointOutput<double> first_, last_;
  Index solid_[kPoints] = {};
  Vec3 rho_[kPoints], change_[kPoints], own_[kPoints];
  double size_ = 0;
};

template <class F>
void withJointOver(const Step& step, const MechanismJoint& joint, unsigned asked, const F& f) {
  if (joint.kind->relates == Relates::Points)
    f(PointsOver(step, joint));
  else
    f(FramesOver(step, joint, asked));
}

class CouplesOver {
 public:
  using Lifted = CouplesAt::Lifted;

  CouplesOver(const Step& step, const MechanismJoint& joint) : step_(step), joint_(joint) {}

  [[nodiscard]] Lifted residual(int) const {
    Lifted sum;
    sum.value = -step_.mechanism.options[joint_.options.first];
    for (Index t = 0; t < joint_.terms.count; ++t) {
      const MechanismTerm& term = step_.mechanism.terms[joint_.terms.first + t];
      withJointOver(step_, step_.mechanism.joints[term.joint], 1u << term.coordinate,
                    [&](const auto& over) {
                      add(sum, term.factor, over.coordinate(static_cast<int>(term.coordinate)));
                    });
    }
    return sum;
  }
  [[nodiscard]] Lifted coordinate(int) const { return {}; }
  [[nodiscard]] Lifted velocity(int) const { return {}; }
  [[nodiscard]] bool residualAngular(int i) const { return atEnd().residualAngular(i); }
  [[nodiscard]] CouplesAt atEnd() const { return {step_.mechanism, step_.end, joint_}; }
  void addSlopes(std::span<const double> nu, std::vector<LoadSlope>& slopes) const {
    for (Index t = 0; t < joint_.terms.count; ++t) {
      const MechanismTerm& term = step_.mechanism.terms[joint_.terms.first + t];
      withJointOver(
          step_, step_.mechanism.joints[term.joint], 1u << term.coordinate, [&](const auto& over) {
            over.addSlopesOf(static_cast<int>(term.coordinate), nu[0] * term.factor, slopes);
          });
    }
  }

 private:
  const Step& step_;
  const MechanismJoint& joint_;
};

template <class F>
void withOver(const Step& step, const MechanismJoint& joint, const F& f) {
  if (joint.kind->relates == Relates::Coordinates)
    f(CouplesOver(step, joint));
  else
    withJointOver(step, joint, askedBy(step.mechanism, joint), f);
}

}  // namespace

void emitOver(const StepPoses& step, const Control& control, Index j, bool over,
              std::span<const double> nu, Emitted what, Rows& rows, Rows& ends,
              std::vector<LoadSlope>& slopes, std::vector<StiffnessBlock>& stiffness) {
  const Mechanism& mechanism = step.mechanism;
  const State &start = step.start, &end = step.end;
  const auto atEnd = [&](const CompiledSignal& s) { return evaluate(mechanism, s, end.time); };
  const auto overStep = [&](const CompiledSignal& s) {
    const double from = evaluate(mechanism, s, start.time).value;
    const double to = evaluate(mechanism, s, end.time).value;
    return SignalValue{to, (to - from) / step.dt, 0};
  };
  const MechanismJoint& joint = mechanism.joints[j];
  const std::span<const double> own = nu.subspan(joint.firstSlot, slotCount(joint));
  const bool withRows = what != Emitted::Changes, withChanges = what != Emitted::Rows;
  if (!over) {
    if (!withRows && !pushes(own)) return;
    withAt(mechanism, end, joint, [&](const auto& at) {
      if (withRows) emitRowsOf(mechanism, control, end.time, j, at, atEnd, rows);
      if (withChanges && pushes(own)) at.addStiffness(own, stiffness);
    });
    return;
  }
  withOver(step, joint, [&](const auto& lifted) {
    if (withRows) emitRowsOf(mechanism, control, step.middle.time, j, lifted, overStep, rows);
    if (!withChanges) return;
    emitRowsOf(mechanism, control, step.middle.time, j, lifted.atEnd(), atEnd, ends);
    if (pushes(own)) lifted.addSlopes(own, slopes);
  });
}

void emitStepRows(const Mechanism& mechanism, const Control& control, const State& start,
                  const State& middle, const State& end, double dt, std::span<const double> nu,
                  Rows& discrete, Rows& ends, std::vector<LoadSlope>& slopes) {
  const StepPoses step{mechanism, start, middle, end, dt};
  std::vector<StiffnessBlock> none;
  for (Index j = 0; j < mechanism.joints.size(); ++j)
    if (holdsAt(mechanism, control, middle.time, j))
      emitOver(step, control, j, true, nu, Emitted::Both, discrete, ends, slopes, none);
}

}  // namespace tenon
