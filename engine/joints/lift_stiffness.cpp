// Stiffness K(λ) = Σ λ ∇²Φ of a joint's position rows: what makes large steps converge.
#include <cassert>

#include "joints/lift.h"

namespace tenon {

namespace {

// A symmetric form over the velocities of N solids, by 3 × 3 blocks: linear, angular of the first, and so on.
// Only those on and above the diagonal are there.
template <int N>
struct Form {
  Mat3 at[2 * N][2 * N];

  // += xᵀ M y, x and y being the velocities `r` and `c`.
  void add(int r, int c, const Mat3& M) {
    if (r == c)
      at[r][r] += 0.5 * (M + transpose(M));
    else if (r < c)
      at[r][c] += 0.5 * M;
    else
      at[c][r] += 0.5 * transpose(M);
  }

  // Appends the blocks of solids on and above the diagonal. Point masses do not turn, whatever their joint
  // would like.
  void emit(const Mechanism& mechanism, const Index* solids,
            std::vector<StiffnessBlock>& blocks) const {
    for (int a = 0; a < N; ++a)
      for (int b = a; b < N; ++b) {
        if (solids[a] == kWorld || solids[b] == kWorld) continue;
        StiffnessBlock& block = blocks.emplace_back();
        block.solid1 = solids[a];
        block.solid2 = solids[b];
        const int rows = mechanism.solids[solids[a]].pointMass ? 1 : 2;
        const int columns = mechanism.solids[solids[b]].pointMass ? 1 : 2;
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) {
            const int r = 2 * a + i, c = 2 * b + j;
            put(r <= c ? at[r][c] : transpose(at[c][r]), 3 * i, 3 * j, block);
            // Two points of one solid: both blocks at once.
            if (a != b && solids[a] == solids[b])
              put(transpose(at[2 * a + j][2 * b + i]), 3 * i, 3 * j, block);
          }
      }
  }

 private:
  static void put(const Mat3& M, int row, int column, StiffnessBlock& block) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) block.K[row + i][column + j] += M(i, j);
  }
};

// Σ λ Φ over the position rows of a joint: residuals, then rules with their signs.
template <class J>
J weightedSum(const Mechanism& mechanism, const MechanismJoint& joint, const JointOutput<J>& out,
              std::span<const double> lambda) {
  J sum;
  forEachPushed(
      mechanism, joint, lambda, [&](int i, double l) { sum = sum + J(l) * out.residual[i]; },
      [&](int c, double l) { sum = sum + J(l) * out.coordinate[c]; });
  return sum;
}

// f·(ω × (ω × r)) = (f·ω)(ω·r) - (f·r)|ω|² as a form in ω.
Mat3 centripetal(const Vec3& force, const Vec3& lever) {
  return outer(force, lever) - dot(force, lever) * identity3();
}

}  // namespace

void FramesAt::addStiffness(std::span<const double> lambda,
                            std::vector<StiffnessBlock>& blocks) const {
  emit(weightedSum(mechanism_, joint_, out_, lambda), blocks);
}

// Σ λ g has first derivatives that are a force and a torque in frame 1, and second ones H. The twelve
// velocities move the relative pose by
//   ξ̇ = R_1ᵀ (v_2 - v_1 + a ω_1 + b ω_2,  ω_2 - ω_1),     a = [ρ_1 + u]ₓ,  b = -[ρ_2]ₓ,
// which makes a quadratic form of H; the rest is f·p̈ + m·ω̈ of the lift, one in the velocities too:
//   f·(ω_2 × (ω_2 × ρ_2)),
//   f·(ω_1 × (ω_1 × (ρ_1 + u)))      -ω×(ω×ρ_1) from ü, +2 ω×(ω×ρ_1) from -2 ω_1×u̇, +ω×(ω×u),
//   -2 f·(ω_1 × v) = 2 ω_1ᵀ [f]ₓ v   with v = v_2 - v_1 + b ω_2,
//   -m·(ω_1 × ω_2) = ω_1ᵀ [m]ₓ ω_2.
void FramesAt::emit(const Jet& sum, std::vector<StiffnessBlock>& blocks) const {
  const JointFrames& f = frames_;
  const Mat3& R = f.R_W1;
  const Mat3 R_1W = transpose(R);
  const Vec3 force = R * sum.slope(Jet::kPlace), torque = R * sum.slope(Jet::kTurn);
  enum : int { v1, w1, v2, w2 };
  Form<2> K;

  K.add(w2, w2, centripetal(force, f.rho2));
  K.add(w1, w1, centripetal(force, f.rho1 + f.u));
  const Mat3 push = 2.0 * skew(force);
  K.add(w1, v2, push);
  K.add(w1, v1, -1.0 * push);
  K.add(w1, w2, skew(torque) - push * skew(f.rho2));

  if (sum.bent && sum.has(Jet::kTurn)) {
    const Mat3 H = R * sum.curvature(Jet::kTurn) * R_1W;
    K.add(w1, w1, H);
    K.add(w1, w2, -2.0 * H);
    K.add(w2, w2, H);
  }
  if (sum.bent && sum.has(Jet::kPlace)) {
    const Mat3 H = R * sum.curvature(Jet::kPlace) * R_1W;
    const Mat3 a = skew(f.rho1 + f.u), b = -1.0 * skew(f.rho2), Ha = H * a, Hb = H * b;
    K.add(v1, v1, H);
    K.add(v1, v2, -2.0 * H);
    K.add(v2, v2, H);
    K.add(v1, w1, -2.0 * Ha);
    K.add(v1, w2, -2.0 * Hb);
    K.add(v2, w1, 2.0 * Ha);
    K.add(v2, w2, 2.0 * Hb);
    K.add(w1, w1, transpose(a) * Ha);
    K.add(w1, w2, 2.0 * (transpose(a) * Hb));
    K.add(w2, w2, transpose(b) * Hb);
  }
  if (sum.bent && sum.hasBoth()) {
    // 2 (v_2 - v_1 + a ω_1 + b ω_2)ᵀ H (ω_2 - ω_1)
    const Mat3 H = 2.0 * (R * sum.mixedCurvature() * R_1W);
    const Mat3 aH = transpose(skew(f.rho1 + f.u)) * H, bH = skew(f.rho2) * H;
    K.add(v1, w1, H);
    K.add(v1, w2, -1.0 * H);
    K.add(v2, w1, -1.0 * H);
    K.add(v2, w2, H);
    K.add(w1, w1, -1.0 * aH);
    K.add(w1, w2, aH - transpose(bH));
    K.add(w2, w2, bH);
  }
  const Index solids[2] = {joint_.solid1, joint_.solid2};
  K.emit(mechanism_, solids, blocks);
}

void PointsAt::addStiffness(std::span<const double> lambda,
                            std::vector<StiffnessBlock>& blocks) const {
  emit(weightedSum(mechanism_, joint_, out_, lambda), blocks);
}

// With ẋ_k = v_k - [ρ_k]ₓ ω_k and ẍ_k = ω_k × (ω_k × ρ_k).
void PointsAt::emit(const PointJet& sum, std::vector<StiffnessBlock>& blocks) const {
  Form<kPoints> K;
  for (int k = 0; k < kPoints; ++k)
    for (int l = 0; l < kPoints; ++l) {
      Mat3 H;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) H(i, j) = sum.second[PointJet::pair(3 * k + i, 3 * l + j)];
      const Mat3 leverK = skew(rho_[k]), HL = H * skew(rho_[l]);
      K.add(2 * k, 2 * l, H);
      K.add(2 * k, 2 * l + 1, -1.0 * HL);
      K.add(2 * k + 1, 2 * l, leverK * H);
      K.add(2 * k + 1, 2 * l + 1, -1.0 * (leverK * HL));
      if (k == l) K.add(2 * k + 1, 2 * k + 1, centripetal(gradient(sum, k), rho_[k]));
    }
  K.emit(mechanism_, solid_, blocks);
}

void emitStiffness(const Mechanism& mechanism, const State& state, Index index,
                   std::span<const double> lambda, std::vector<StiffnessBlock>& blocks) {
  withAt(mechanism, state, mechanism.joints[index],
         [&](const auto& at) { at.addStiffness(lambda, blocks); });
}

}  // namespace tenon
