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

// Σ λ g has first derivatives that are a force and a torque in frame 1, and second ones H.
void FramesAt::emit(const Jet& sum, std::vector<StiffnessBlock>& blocks) const {
  const JointFrames& f = frames_;
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
  double HL[6][12], K[12][12];
  for (int i = 0; i < 6; ++i)
    for (int c = 0; c < 12; ++c) {
      double v = 0;
      for (int j = 0; j < 6; ++j) v += sum.second[Jet::pair(i, j)] * L[j][c];
      HL[i][c] = v;
    }
  for (int r = 0; r < 12; ++r)
    for (int c = 0; c <= r; ++c) {
      double v = 0;
      for (int i = 0; i < 6; ++i) v += L[i][r] * HL[i][c];
      K[r][c] = K[c][r] = v;
    }

  // The rest is f·p̈ + m·ω̈ of the lift, a quadratic form in the velocities:
  //   f·(ω_2 × (ω_2 × ρ_2))                      -> ω_2ᵀ [½(f ρ_2ᵀ + ρ_2 fᵀ) - (f·ρ_2) 1] ω_2
  //   f·(ω_1 × (ω_1 × (u + ρ_1)))                with u̇'s own -ω_1 × ρ_1: see below
  //   -2 f·(ω_1 × (v_2 - v_1 + ω_2 × ρ_2)) and -m·(ω_1 × ω_2): products of two velocities.
  addForm(K, 9, 9, centripetal(force, f.rho2));
  // Solid 1: -ω×(ω×ρ_1) from ü, +2 ω×(ω×ρ_1) from -2 ω_1×u̇, +ω×(ω×u): together ω×(ω×(ρ_1+u)).
  addForm(K, 3, 3, centripetal(force, f.rho1 + f.u));
  // -2 f·(ω_1 × v) = -2 (v × f)·ω_1 = 2 ω_1ᵀ [f]ₓ v
  addForm(K, 3, 6, 2.0 * skew(force));
  addForm(K, 3, 0, -2.0 * skew(force));
  // v = ω_2 × ρ_2 = -[ρ_2]ₓ ω_2
  addForm(K, 3, 9, -2.0 * (skew(force) * skew(f.rho2)));
  // -m·(ω_1 × ω_2) = -ω_1·(ω_2 × m) = ω_1ᵀ [m]ₓ ω_2
  addForm(K, 3, 9, skew(torque));
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
