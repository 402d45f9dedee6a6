// Stiffness K(λ) = Σ λ ∇²Φ of a joint's position rows: what makes large steps converge.
#include <cassert>

#include "joints/lift.h"

namespace tenon {

namespace {

// Appends the upper blocks of a symmetric form over (linear, angular) of some solids. Point masses do
// not turn, whatever their joint would like.
template <int N>
void emitBlocks(const Mechanism& mechanism, const Index* solids, const double (&K)[6 * N][6 * N],
                std::vector<StiffnessBlock>& blocks) {
  for (int a = 0; a < N; ++a)
    for (int b = a; b < N; ++b) {
      if (solids[a] == kWorld || solids[b] == kWorld) continue;
      StiffnessBlock block{solids[a], solids[b], {}};
      const int rows = mechanism.solids[solids[a]].pointMass ? 3 : 6;
      const int columns = mechanism.solids[solids[b]].pointMass ? 3 : 6;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) block.K[i][j] = K[6 * a + i][6 * b + j];
      if (a != b && solids[a] == solids[b])  // two points of one solid: both blocks at once
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) block.K[i][j] += K[6 * b + i][6 * a + j];
      blocks.push_back(block);
    }
}

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

// Adds m to the form, half of it to each side of the diagonal.
template <int N>
void addForm(double (&K)[N][N], int r0, int c0, const Mat3& m) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      K[r0 + r][c0 + c] += 0.5 * m(r, c);
      K[c0 + c][r0 + r] += 0.5 * m(r, c);
    }
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
  constexpr int v1 = 0, w1 = 3, v2 = 6, w2 = 9;
  double K[12][12] = {};

  addForm(K, w2, w2, centripetal(force, f.rho2));
  addForm(K, w1, w1, centripetal(force, f.rho1 + f.u));
  const Mat3 push = 2.0 * skew(force);
  addForm(K, w1, v2, push);
  addForm(K, w1, v1, -1.0 * push);
  addForm(K, w1, w2, skew(torque) - push * skew(f.rho2));

  if (sum.bent && sum.has(Jet::kTurn)) {
    const Mat3 H = R * sum.curvature(Jet::kTurn) * R_1W;
    addForm(K, w1, w1, H);
    addForm(K, w1, w2, -2.0 * H);
    addForm(K, w2, w2, H);
  }
  if (sum.bent && sum.has(Jet::kPlace)) {
    const Mat3 H = R * sum.curvature(Jet::kPlace) * R_1W;
    const Mat3 a = skew(f.rho1 + f.u), b = -1.0 * skew(f.rho2), Ha = H * a, Hb = H * b;
    addForm(K, v1, v1, H);
    addForm(K, v1, v2, -2.0 * H);
    addForm(K, v2, v2, H);
    addForm(K, v1, w1, -2.0 * Ha);
    addForm(K, v1, w2, -2.0 * Hb);
    addForm(K, v2, w1, 2.0 * Ha);
    addForm(K, v2, w2, 2.0 * Hb);
    addForm(K, w1, w1, transpose(a) * Ha);
    addForm(K, w1, w2, 2.0 * (transpose(a) * Hb));
    addForm(K, w2, w2, transpose(b) * Hb);
  }
  if (sum.bent && sum.hasBoth()) {
    // 2 (v_2 - v_1 + a ω_1 + b ω_2)ᵀ H (ω_2 - ω_1)
    const Mat3 H = 2.0 * (R * sum.mixedCurvature() * R_1W);
    const Mat3 aH = transpose(skew(f.rho1 + f.u)) * H, bH = skew(f.rho2) * H;
    addForm(K, v1, w1, H);
    addForm(K, v1, w2, -1.0 * H);
    addForm(K, v2, w1, -1.0 * H);
    addForm(K, v2, w2, H);
    addForm(K, w1, w1, -1.0 * aH);
    addForm(K, w1, w2, aH - transpose(bH));
    addForm(K, w2, w2, bH);
  }
  const Index solids[2] = {joint_.solid1, joint_.solid2};
  emitBlocks<2>(mechanism_, solids, K, blocks);
}

void PointsAt::addStiffness(std::span<const double> lambda,
                            std::vector<StiffnessBlock>& blocks) const {
  emit(weightedSum(mechanism_, joint_, out_, lambda), blocks);
}

// With ẋ_k = v_k - [ρ_k]ₓ ω_k and ẍ_k = ω_k × (ω_k × ρ_k).
void PointsAt::emit(const PointJet& sum, std::vector<StiffnessBlock>& blocks) const {
  constexpr int N = 6 * kPoints;
  double L[3 * kPoints][N] = {};
  for (int k = 0; k < kPoints; ++k) {
    const Mat3 lever = skew(rho_[k]);
    for (int r = 0; r < 3; ++r) {
      L[3 * k + r][6 * k + r] = 1;
      for (int c = 0; c < 3; ++c) L[3 * k + r][6 * k + 3 + c] = -lever(r, c);
    }
  }
  double HL[3 * kPoints][N], K[N][N];
  for (int i = 0; i < 3 * kPoints; ++i)
    for (int c = 0; c < N; ++c) {
      HL[i][c] = 0;
      for (int j = 0; j < 3 * kPoints; ++j) HL[i][c] += sum.second[PointJet::pair(i, j)] * L[j][c];
    }
  for (int r = 0; r < N; ++r)
    for (int c = 0; c < N; ++c) {
      K[r][c] = 0;
      for (int i = 0; i < 3 * kPoints; ++i) K[r][c] += L[i][r] * HL[i][c];
    }
  for (int k = 0; k < kPoints; ++k)
    addForm(K, 6 * k + 3, 6 * k + 3, centripetal(gradient(sum, k), rho_[k]));
  emitBlocks<kPoints>(mechanism_, solid_, K, blocks);
}

void emitStiffness(const Mechanism& mechanism, const State& state, Index index,
                   std::span<const double> lambda, std::vector<StiffnessBlock>& blocks) {
  withAt(mechanism, state, mechanism.joints[index],
         [&](const auto& at) { at.addStiffness(lambda, blocks); });
}

}  // namespace tenon
