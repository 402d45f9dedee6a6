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
// the change of s itself, which is of the order of Δ, and terms of the order of θ². A common turn of both changes neither: angular
// momentum is kept, as is linear momentum.
#include "joints/lift_rows.h"

namespace tenon {

namespace {

// Below this a change is rounding, and its direction tells nothing. [m], [rad]
constexpr double kStill = 1e-6;

struct Step {
  const Mechanism& mechanism;
  const State &start, &middle, &end;
  double dt;
};

double contract(const Mat3& a, const Mat3& b) {
  double sum = 0;
  for (int r = 0; r < 3; ++r) sum += dot(a.row(r), b.row(r));
  return sum;
}

// v with <S, [w]ₓ> = v · w.
Vec3 axial(const Mat3& S) { return {S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)}; }

class FramesOver {
 public:
  using Lifted = FramesAt::Lifted;

  FramesOver(const Step& step, const MechanismJoint& joint, bool coordinates)
      : step_(step),
        joint_(joint),
        middle_(step.mechanism, step.middle, joint, coordinates),
        first_(plainOutput(step.mechanism, step.start, joint)),
        last_(plainOutput(step.mechanism, step.end, joint)) {
    const JointFrames from = framesOf(step.mechanism, step.start, joint);
    to_ = framesOf(step.mechanism, step.end, joint);
    rho1_ = 0.5 * (from.rho1 + to_.rho1);
    rho2_ = 0.5 * (from.rho2 + to_.rho2);
    d_ = 0.5 * (from.u + to_.u);
    const Mat3 C0 = rotationMatrix(from.X_12.q), C1 = rotationMatrix(to_.X_12.q);
    A_ = 0.5 * (from.R_W1 + to_.R_W1);
    B_ = 0.5 * (from.R_W1 * C0 + to_.R_W1 * C1);
    dp_ = to_.X_12.p - from.X_12.p;
    dC_ = C1 - C0;
    C_ = rotationMatrix(middle_.frames().X_12.q);
  }

  [[nodiscard]] Lifted residual(int i) const {
    return lift(middle_.output().residual[i], first_.residual[i], last_.residual[i]);
  }
  [[nodiscard]] Lifted coordinate(int c) const {
    return lift(middle_.output().coordinate[c], first_.coordinate[c], last_.coordinate[c]);
  }
  [[nodiscard]] Lifted velocity(int r) const { return middle_.velocity(r); }
  [[nodiscard]] bool residualAngular(int i) const { return middle_.residualAngular(i); }

  // Appends d(Σ P ν)/d(end) for the position rows.
  void addSlopes(std::span<const double> nu, std::vector<LoadSlope>& slopes) const {
    Pull pull;
    forEachPushed(
        step_.mechanism, joint_, nu,
        [&](int i, double l) {
          pull.add(l, *this, middle_.output().residual[i], first_.residual[i], last_.residual[i]);
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
  // The discrete gradient: G, and of it what is s W.
  struct Gradient {
    Vec3 p;
    Mat3 C;
    double s_p = 0, s_C = 0;
  };
  // Several of them, times their multipliers.
  struct Pull {
    Gradient G;
    Jet sum;
    void add(double nu, const FramesOver& over, const Jet& g, double from, double to) {
      const Gradient one = over.gradientOf(g, from, to);
      G.p += nu * one.p;
      G.C += nu * one.C;
      G.s_p += nu * one.s_p;
      G.s_C += nu * one.s_C;
      sum = sum + Jet(nu) * g;
    }
  };
  void addTo(Pull& pull, int c, double nu) const {
    pull.add(nu, *this, middle_.output().coordinate[c], first_.coordinate[c], last_.coordinate[c]);
  }

  [[nodiscard]] Gradient gradientOf(const Jet& g, double from, double to) const {
    Gradient G;
    G.p = {g.first[0], g.first[1], g.first[2]};
    G.C = 0.5 * (skew(Vec3{g.first[3], g.first[4], g.first[5]}) * C_);
    const double defect =
        to - from - g.first[Jet::kTime] * step_.dt - dot(G.p, dp_) - contract(G.C, dC_);
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

  [[nodiscard]] Lifted lift(const Jet& g, double from, double to) const {
    Lifted made;
    made.value = to;
    made.timeRate = g.first[Jet::kTime];
    made.rate = (to - from) / step_.dt;
    const Gradient G = gradientOf(g, from, to);
    const Vec3 force = A_ * G.p;
    const Vec3 torque = axial(A_ * G.C * transpose(B_));
    made.push(step_.mechanism, joint_.solid1, -force, -(cross(rho1_ + d_, force) + torque));
    made.push(step_.mechanism, joint_.solid2, force, cross(rho2_, force) + torque);
    return made;
  }

  void emit(const Pull& pull, std::vector<LoadSlope>& slopes) const;

  const Step& step_;
  const MechanismJoint& joint_;
  FramesAt middle_;
  JointOutput<double> first_, last_;
  JointFrames to_;
  Vec3 rho1_, rho2_, d_, dp_;
  Mat3 A_, B_, C_, dC_;
};

// Column by column: what a unit displacement of one of the solids at the end does to force and torque.
void FramesOver::emit(const Pull& pull, std::vector<LoadSlope>& slopes) const {
  const Index solids[2] = {joint_.solid1, joint_.solid2};
  LoadSlope slope[2][2];  // of solid r by solid c
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      slope[r][c].solid = solids[r];
      slope[r][c].by = solids[c];
    }
  const Mat3& A1 = to_.R_W1;
  const Mat3 B1 = A1 * rotationMatrix(to_.X_12.q);
  const JointFrames& m = middle_.frames();
  const Gradient& G = pull.G;
  const Vec3 force = A_ * G.p;
  const Vec3 g_w{pull.sum.first[3], pull.sum.first[4], pull.sum.first[5]};
  const auto second = [&](int block, const Vec3& p, const Vec3& w) {  // rows of H times (p, w)
    Vec3 out;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        out[i] += pull.sum.second[Jet::pair(3 * block + i, j)] * p[j] +
                  pull.sum.second[Jet::pair(3 * block + i, 3 + j)] * w[j];
    return out;
  };
  for (int column = 0; column < 12; ++column) {
    const int by = column / 6;
    if (solids[by] == kWorld || step_.mechanism.solids[solids[by]].kind != SolidKind::Dynamic)
      continue;
    Vec3 x[2], t[2];  // displacements and turns of the two solids at the end
    (column % 6 < 3 ? x[by] : t[by])[column % 3] = 1;
    // Relative pose at the middle, in its axes; and at the end.
    const Vec3 p_m =
        0.5 * (transpose(m.R_W1) * (x[1] + cross(t[1], m.rho2) - x[0] - cross(t[0], m.rho1 + m.u)));
    const Vec3 w_m = 0.5 * (transpose(m.R_W1) * (t[1] - t[0]));
    const Vec3 u = x[1] + cross(t[1], to_.rho2) - x[0] - cross(t[0], to_.rho1);
    const Vec3 p_1 = transpose(A1) * (u - cross(t[0], to_.u));
    const Mat3 C_1 = transpose(A1) * skew(t[1] - t[0]) * B1;
    const Vec3 dg_w = second(1, p_m, w_m) - 0.5 * cross(g_w, w_m);
    const Vec3 dG_p = second(0, p_m, w_m) + G.s_p * p_1;
    const Mat3 dG_C = 0.5 * (skew(dg_w) * C_) + 0.5 * (skew(g_w) * skew(w_m) * C_) + G.s_C * C_1;
    const Mat3 dA = 0.5 * (skew(t[0]) * A1), dB = 0.5 * (skew(t[1]) * B1);
    const Vec3 dForce = dA * G.p + A_ * dG_p;
    const Vec3 dTorque =
        axial(dA * G.C * transpose(B_) + A_ * dG_C * transpose(B_) + A_ * G.C * transpose(dB));
    const Vec3 dLever1 = 0.5 * (cross(t[0], to_.rho1) + u), dLever2 = 0.5 * cross(t[1], to_.rho2);
    const Vec3 torque1 = cross(dLever1, force) + cross(rho1_ + d_, dForce) + dTorque;
    const Vec3 torque2 = cross(dLever2, force) + cross(rho2_, dForce) + dTorque;
    for (int i = 0; i < 3; ++i) {
      slope[0][by].slope[i][column % 6] = -dForce[i];
      slope[0][by].slope[3 + i][column % 6] = -torque1[i];
      slope[1][by].slope[i][column % 6] = dForce[i];
      slope[1][by].slope[3 + i][column % 6] = torque2[i];
    }
  }
  for (auto& row : slope)
    for (LoadSlope& s : row)
      if (s.solid != kWorld && s.by != kWorld) slopes.push_back(s);
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
      const Pose from = motionOf(step.mechanism, step.start, point.solid).X_WC;
      const Pose to = motionOf(step.mechanism, step.end, point.solid).X_WC;
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
void withJointOver(const Step& step, const MechanismJoint& joint, bool coordinates, const F& f) {
  if (joint.kind->relates == Relates::Points)
    f(PointsOver(step, joint));
  else
    f(FramesOver(step, joint, coordinates));
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
      withJointOver(step_, step_.mechanism.joints[term.joint], true, [&](const auto& over) {
        add(sum, term.factor, over.coordinate(static_cast<int>(term.coordinate)));
      });
    }
    return sum;
  }
  [[nodiscard]] Lifted coordinate(int) const { return {}; }
  [[nodiscard]] Lifted velocity(int) const { return {}; }
  [[nodiscard]] bool residualAngular(int i) const {
    return CouplesAt(step_.mechanism, step_.middle, joint_).residualAngular(i);
  }
  void addSlopes(std::span<const double> nu, std::vector<LoadSlope>& slopes) const {
    for (Index t = 0; t < joint_.terms.count; ++t) {
      const MechanismTerm& term = step_.mechanism.terms[joint_.terms.first + t];
      withJointOver(step_, step_.mechanism.joints[term.joint], true, [&](const auto& over) {
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
    withJointOver(step, joint, false, f);
}

}  // namespace

void emitStepRows(const Mechanism& mechanism, const Control& control, const State& start,
                  const State& middle, const State& end, double dt, Rows& discrete, Rows& ends) {
  const Step step{mechanism, start, middle, end, dt};
  const auto atEnd = [&](const CompiledSignal& s) { return evaluate(mechanism, s, end.time); };
  const auto over = [&](const CompiledSignal& s) {
    const double from = evaluate(mechanism, s, start.time).value;
    const double to = evaluate(mechanism, s, end.time).value;
    return SignalValue{to, (to - from) / dt, 0};
  };
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    if (!holdsAt(mechanism, control, middle.time, j)) continue;
    const MechanismJoint& joint = mechanism.joints[j];
    withOver(step, joint, [&](const auto& lifted) {
      emitRowsOf(mechanism, control, middle.time, j, lifted, over, discrete);
    });
    withAt(mechanism, end, joint, [&](const auto& at) {
      emitRowsOf(mechanism, control, middle.time, j, at, atEnd, ends);
    });
  }
}

void emitStepSlopes(const Mechanism& mechanism, const State& start, const State& middle,
                    const State& end, double dt, Index joint, std::span<const double> nu,
                    std::vector<LoadSlope>& slopes) {
  const Step step{mechanism, start, middle, end, dt};
  withOver(step, mechanism.joints[joint], [&](const auto& over) { over.addSlopes(nu, slopes); });
}

}  // namespace tenon
