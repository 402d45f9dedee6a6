// The lift over a step: discrete gradients instead of gradients.
//
// A function g of the relative pose p = Aᵀ d, C = Aᵀ B (A, B: axes of the frames, d: from one origin to
// the other) changes by exactly <G_p, Δp> + <G_C, ΔC> if, with the gradient at the middle of the step,
//   G = ∇g + s W Δ,     s = (Δg - <∇g, Δ>) / <Δ, W Δ>                           [Gonzalez1996]
// and W a weight: of each of p and C the square of its gradient, so that what does not depend on p gets
// no force. p and C are bilinear in A, B and d, and over a turn R_1 = cay(θ) R_0 every vector of a solid
// changes by θ × its mean; so with bars for means of start and end
//   Δp = Āᵀ (Δx_2 + θ_2 × ρ̄_2 - Δx_1 - θ_1 × ρ̄_1) + (θ_1 × Ā)ᵀ d̄,     ΔC = Āᵀ [θ_2 - θ_1]ₓ B̄,
// from which force and torque on each solid follow. A common turn of both changes neither: angular
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
    const JointFrames to = framesOf(step.mechanism, step.end, joint);
    rho1_ = 0.5 * (from.rho1 + to.rho1);
    rho2_ = 0.5 * (from.rho2 + to.rho2);
    d_ = 0.5 * (from.u + to.u);
    const Mat3 C0 = rotationMatrix(from.X_12.q), C1 = rotationMatrix(to.X_12.q);
    A_ = 0.5 * (from.R_W1 + to.R_W1);
    B_ = 0.5 * (from.R_W1 * C0 + to.R_W1 * C1);
    dp_ = to.X_12.p - from.X_12.p;
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

 private:
  [[nodiscard]] Lifted lift(const Jet& g, double from, double to) const {
    Lifted made;
    made.value = to;
    made.timeRate = g.first[Jet::kTime];
    made.rate = (to - from) / step_.dt;
    Vec3 G_p{g.first[0], g.first[1], g.first[2]};
    Mat3 G_C = 0.5 * (skew(Vec3{g.first[3], g.first[4], g.first[5]}) * C_);
    const double defect =
        to - from - g.first[Jet::kTime] * step_.dt - dot(G_p, dp_) - contract(G_C, dC_);
    const double w_p = dot(G_p, G_p), w_C = contract(G_C, G_C);
    const double size = w_p * dot(dp_, dp_) + w_C * contract(dC_, dC_);
    const double rest = (w_p + w_C) * kStill * kStill;
    if (size + rest > 0) {
      const double s = defect / (size + rest);
      G_p += (s * w_p) * dp_;
      G_C += (s * w_C) * dC_;
    }
    const Vec3 force = A_ * G_p;
    const Vec3 torque = axial(A_ * G_C * transpose(B_));
    made.push(step_.mechanism, joint_.solid1, -force, -(cross(rho1_ + d_, force) + torque));
    made.push(step_.mechanism, joint_.solid2, force, cross(rho2_, force) + torque);
    return made;
  }

  const Step& step_;
  const MechanismJoint& joint_;
  FramesAt middle_;
  JointOutput<double> first_, last_;
  Vec3 rho1_, rho2_, d_, dp_;
  Mat3 A_, B_, C_, dC_;
};

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

 private:
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

 private:
  const Step& step_;
  const MechanismJoint& joint_;
};

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
    const auto emit = [&](const auto& lifted) {
      emitRowsOf(mechanism, control, middle.time, j, lifted, over, discrete);
    };
    if (joint.kind->relates == Relates::Coordinates)
      emit(CouplesOver(step, joint));
    else
      withJointOver(step, joint, false, emit);
    withAt(mechanism, end, joint, [&](const auto& at) {
      emitRowsOf(mechanism, control, middle.time, j, at, atEnd, ends);
    });
  }
}

}  // namespace tenon
