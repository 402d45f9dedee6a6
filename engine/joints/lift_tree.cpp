// A joint as a link of a tree: the pose of the child from that of its parent and the joint's free
// coordinates y, and how both move.
//
// Rows of the relative twist ξ̇ (see lift.h): the residuals held, G ξ̇ + g_t = 0, and the chart, Nᵀ Z ξ̇ = ẏ,
// Z being the derivative of the chart ξ. Together they are a square matrix B, and with h the quadratic
// terms of the second derivatives,
//   ξ̇ = B⁻¹ ((0, ẏ) - g_t),     ξ̈ = B⁻¹ ((0, ÿ) - h).
// A point mass does not turn: of its ξ̇ only the first three components are its own, the others are what its
// partner turns by, and residuals G_θ of them go to the right-hand side.
#include <algorithm>
#include <cmath>

#include "joints/lift.h"
#include "math/rotation.h"

namespace tenon {

namespace {

struct Twist {
  Vec3 linear, angular;
};
Twist twistOf(const double* six) { return {{six[0], six[1], six[2]}, {six[3], six[4], six[5]}}; }
void store(const Twist& twist, double* six) {
  for (int i = 0; i < 3; ++i) {
    six[i] = twist.linear[i];
    six[3 + i] = twist.angular[i];
  }
}

// A solid without a joint moves as if one that holds nothing were between the world and it.
const MechanismJoint& jointOf(const Mechanism& m, const TreeChart& chart, MechanismJoint& none) {
  static const JointKind kNothing{};
  if (chart.joint != kWorld) return m.joints[chart.joint];
  none.kind = &kNothing;
  none.solid2 = chart.child;
  return none;
}

// Inverse of the first n rows and columns, by Gauss and Jordan. False if there is none.
bool invert(double (&B)[6][6], int n) {
  double inverse[6][6] = {};
  for (int i = 0; i < n; ++i) inverse[i][i] = 1;
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(B[r][c]) > std::abs(B[pivot][c])) pivot = r;
    if (!(std::abs(B[pivot][c]) > 1e-13)) return false;
    for (int k = 0; k < n; ++k) {
      std::swap(B[c][k], B[pivot][k]);
      std::swap(inverse[c][k], inverse[pivot][k]);
    }
    const double scale = 1 / B[c][c];
    for (int k = 0; k < n; ++k) {
      B[c][k] *= scale;
      inverse[c][k] *= scale;
    }
    for (int r = 0; r < n; ++r) {
      const double factor = B[r][c];
      if (r == c || factor == 0) continue;
      for (int k = 0; k < n; ++k) {
        B[r][k] -= factor * B[c][k];
        inverse[r][k] -= factor * inverse[c][k];
      }
    }
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) B[r][c] = inverse[r][c];
  return true;
}

// Rotation vectors φ of R, in exp(φ) = R R_0ᵀ, while R turns with ω:
//   φ̇ = ω - ½ φ × ω + c φ × (φ × ω),     c(s) = (1 - θ/2 cot θ/2)/s,   s = θ² = φ·φ
class TurnChart {
 public:
  explicit TurnChart(const Vec3& phi = {}) : phi_(phi) {
    const double s = dot(phi, phi);
    if (s < 0.25) {
      constexpr double k[7] = {1.0 / 12,           1.0 / 720,        1.0 / 30240,
                               1.0 / 1209600,      1.0 / 47900160.0, 691.0 / 1307674368000.0,
                               1.0 / 74724249600.0};
      for (int n = 6; n >= 0; --n) {
        slope_ = slope_ * s + c_;
        c_ = c_ * s + k[n];
      }
      return;
    }
    const double half = 0.5 * std::sqrt(s);
    const SineCosine turn = sineCosine(half);
    const double cotangent = turn.cosine / turn.sine;
    c_ = (1 - half * cotangent) / s;
    // ds = 8 half d(half):  d(half cot half)/ds = (cot half - half/sin² half)/(8 half)
    slope_ = -((cotangent - half / (turn.sine * turn.sine)) / (8 * half) + c_) / s;
  }
  [[nodiscard]] Vec3 rate(const Vec3& w) const {
    const Vec3 across = cross(phi_, w);
    return w - 0.5 * across + c_ * cross(phi_, across);
  }
  // φ̈ at ω̇ = 0.
  [[nodiscard]] Vec3 curvature(const Vec3& w) const {
    const Vec3 d = rate(w), across = cross(phi_, w), dAcross = cross(d, w);
    return -0.5 * dAcross + (2 * dot(phi_, d) * slope_) * cross(phi_, across) +
           c_ * (cross(d, across) + cross(phi_, dAcross));
  }

 private:
  Vec3 phi_;
  double c_ = 0, slope_ = 0;  // dc/ds
};

// The joint of a chart at a state.
class LinkAt {
 public:
  LinkAt(const Mechanism& m, const State& state, const TreeChart& chart)
      : m_(m),
        chart_(chart),
        joint_(jointOf(m, chart, none_)),
        reversed_(joint_.solid1 == chart.child),
        own_(m.solids[chart.child].pointMass ? 3 : 6) {
    read(state);
  }

  void read(const State& state) { frames_ = framesOf(m_, state, joint_); }
  [[nodiscard]] const Pose& pose() const { return frames_.X_12; }
  [[nodiscard]] int own() const { return own_; }
  [[nodiscard]] const JointOutput<Jet>& out() const { return out_; }

  // Residuals with their derivatives, and the chart.
  void evaluate(const State& state) {
    if (joint_.kind->residualCount > 0 && !chart_.merged) {
      JointInput<Jet> in;
      jetInput(m_, state, joint_, frames_, 0, in);
      joint_.kind->jets(*joint_.kind, in, out_);
    }
    xi_.linear = frames_.X_12.p - chart_.X_12.p;
    if (own_ == 6) xi_.angular = logarithm(frames_.X_12.q * conjugate(chart_.X_12.q));
    turn_ = TurnChart(xi_.angular);
  }

  [[nodiscard]] double xi(int i) const { return i < 3 ? xi_.linear[i] : xi_.angular[i - 3]; }

  // Σ_i N_ik of a twist
  [[nodiscard]] double alongChart(int k, const Twist& twist) const {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += chart_.N[k][i] * twist.linear[i];
    for (int i = 0; i < 3 && own_ == 6; ++i) sum += chart_.N[k][3 + i] * twist.angular[i];
    return sum;
  }
  [[nodiscard]] const Jet& held(int r) const { return out_.residual[chart_.residual[r]]; }
  // The value of row r: a residual, or one of y.
  [[nodiscard]] double value(int r) const {
    return r < chart_.held ? held(r).value : alongChart(r - chart_.held, xi_);
  }

  // B⁻¹. A merged joint has no rows.
  [[nodiscard]] bool solveRows() {
    if (chart_.merged) return true;
    for (int c = 0; c < own_; ++c) {
      double unit[6] = {};
      unit[c] = 1;
      const Twist rate{{unit[0], unit[1], unit[2]}, turn_.rate({unit[3], unit[4], unit[5]})};
      for (int r = 0; r < own_; ++r)
        B_[r][c] = r < chart_.held ? held(r).first(c) : alongChart(r - chart_.held, rate);
    }
    return invert(B_, own_);
  }
  // ξ of its own with B ξ = right.
  void fromRows(const double* right, double* xi) const {
    for (int i = 0; i < 6; ++i) xi[i] = 0;
    if (chart_.merged) return;
    for (int i = 0; i < own_; ++i)
      for (int r = 0; r < own_; ++r) xi[i] += B_[i][r] * right[r];
  }

  // The relative turning of a point mass, and what it does to the rows.
  [[nodiscard]] Vec3 partnersTurn(const Vec3& spinOfParent) const {
    const Vec3 w = transpose(frames_.R_W1) * spinOfParent;
    return reversed_ ? w : -w;
  }
  void takeTurn(const double* turn, double* right) const {
    if (own_ == 6) return;
    for (int r = 0; r < chart_.held; ++r)
      for (int i = 0; i < 3; ++i) right[r] -= held(r).first(3 + i) * turn[i];
  }

  // The child's twist from the relative one and the parent's.
  [[nodiscard]] Twist childTwist(const double* xi, const Twist& parent) const {
    const JointFrames& f = frames_;
    const Vec3 linear = f.R_W1 * Vec3{xi[0], xi[1], xi[2]};
    const Vec3 angular = f.R_W1 * Vec3{xi[3], xi[4], xi[5]};
    Twist child;
    if (reversed_) {
      child.angular = parent.angular - angular;
      const Vec3 u_dot = linear + cross(child.angular, f.u);
      child.linear =
          parent.linear + cross(parent.angular, f.rho2) - u_dot - cross(child.angular, f.rho1);
    } else {
      child.angular = parent.angular + angular;
      const Vec3 u_dot = linear + cross(parent.angular, f.u);
      child.linear =
          u_dot + parent.linear + cross(parent.angular, f.rho1) - cross(child.angular, f.rho2);
    }
    if (own_ == 3) child.angular = {};
    return child;
  }
  // The same, with the rows solved for ẏ = 0.
  [[nodiscard]] Twist carried(const Twist& parent) const {
    double xi[6] = {};
    if (own_ == 3) {
      const Vec3 w = partnersTurn(parent.angular);
      const double turn[3] = {w.x, w.y, w.z};
      double right[6] = {};
      takeTurn(turn, right);
      fromRows(right, xi);
      for (int i = 0; i < 3; ++i) xi[3 + i] = turn[i];
    }
    return childTwist(xi, parent);
  }

  // Puts the child where its frame is at X_12 from its partner's; a point mass keeps its axes.
  void putChild(const Pose& X_12, State& state) {
    const Index child = chart_.child;
    const JointFrames& f = frames_;
    if (own_ == 3) {
      // Frame 1 is the child's if reversed, and has the axes it had.
      const Vec3 u = f.R_W1 * X_12.p;
      state.position[child] =
          reversed_ ? f.solid2.X_WC.p + f.rho2 - u - f.rho1 : f.solid1.X_WC.p + f.rho1 + u - f.rho2;
    } else {
      const Pose X_WC = reversed_
                            ? f.solid2.X_WC * joint_.frame2 * inverse(X_12) * inverse(joint_.frame1)
                            : f.solid1.X_WC * joint_.frame1 * X_12 * inverse(joint_.frame2);
      state.position[child] = X_WC.p;
      state.orientation[child] = normalized(X_WC.q);
    }
    read(state);
  }

  // X, S and the bias of rates, the rows being solved.
  void spread(const Twist& ground, TreeMotion& motion) const {
    if (own_ == 6) {  // as one solid
      const Vec3 r = (reversed_ ? -1.0 : 1.0) * (frames_.solid2.X_WC.p - frames_.solid1.X_WC.p);
      const Mat3 shift = skew(-r);
      for (int i = 0; i < 3; ++i) {
        motion.X[i][i] = motion.X[3 + i][3 + i] = 1;
        for (int j = 0; j < 3; ++j) motion.X[i][3 + j] = shift(i, j);
      }
    }
    for (int j = 0; j < 6 && own_ == 3; ++j) {
      double unit[6] = {}, column[6];
      unit[j] = 1;
      store(carried(twistOf(unit)), column);
      for (int i = 0; i < 6; ++i) motion.X[i][j] = column[i];
    }
    for (int k = 0; k < chart_.freedom; ++k) {
      double right[6] = {}, xi[6];
      right[chart_.held + k] = 1;
      fromRows(right, xi);
      store(childTwist(xi, {}), motion.S[k]);
    }
    store(carried(ground), motion.rateBias);
  }

  // Derivative of the child's twist at ÿ = 0 and zero acceleration of a dynamic parent; the child's own
  // velocity is in the state.
  void bias(const State& state, TreeMotion& motion) {
    read(state);
    const RelativeMotion relative = relativeMotion(frames_);
    double right[6] = {}, xi[6];
    const Twist curved{{}, turn_.curvature(relative.rate[Jet::kTurn])};
    for (int r = 0; r < chart_.held; ++r) right[r] -= curvatureAlong(held(r), relative.rate);
    for (int k = 0; k < chart_.freedom; ++k) right[chart_.held + k] = -alongChart(k, curved);
    const Vec3& turning = relative.acceleration[Jet::kTurn];
    const double turn[3] = {turning.x, turning.y, turning.z};
    takeTurn(turn, right);
    fromRows(right, xi);
    for (int i = 0; i < own_; ++i) xi[i] -= relative.acceleration[i / 3][i % 3];
    store(childTwist(xi, {}), motion.accelerationBias);
  }

 private:
  const Mechanism& m_;
  const TreeChart& chart_;
  MechanismJoint none_;
  const MechanismJoint& joint_;
  bool reversed_;
  int own_;  // components of ξ̇ that the child brings about
  JointFrames frames_;
  JointOutput<Jet> out_;
  Twist xi_;
  TurnChart turn_;
  double B_[6][6] = {};
};

// The pose of the chart at ξ.
Pose retract(const TreeChart& chart, const double* xi) {
  return {chart.X_12.p + Vec3{xi[0], xi[1], xi[2]},
          normalized(exponential(Vec3{xi[3], xi[4], xi[5]}) * chart.X_12.q)};
}

}  // namespace

TreeChart treeChart(const Mechanism& m, const State& state, Index joint, Index child, bool merged) {
  TreeChart chart;
  chart.joint = joint;
  chart.child = child;
  if (joint != kWorld)
    chart.parent =
        m.joints[joint].solid1 == child ? m.joints[joint].solid2 : m.joints[joint].solid1;
  chart.merged = merged;
  LinkAt at(m, state, chart);
  chart.X_12 = at.pose();
  if (merged) return chart;
  at.evaluate(state);
  // Gram and Schmidt's, twice: gradients of the residuals, then what is across all of them.
  const int own = at.own();
  double basis[6][6];
  int count = 0;
  const auto across = [&](double* v) {
    for (int pass = 0; pass < 2; ++pass)
      for (int b = 0; b < count; ++b) {
        double along = 0;
        for (int i = 0; i < own; ++i) along += basis[b][i] * v[i];
        for (int i = 0; i < own; ++i) v[i] -= along * basis[b][i];
      }
    double square = 0;
    for (int i = 0; i < own; ++i) square += v[i] * v[i];
    return std::sqrt(square);
  };
  const int residuals = joint == kWorld ? 0 : m.joints[joint].kind->residualCount;
  for (int g = 0; g < residuals && count < own; ++g) {
    const Jet& row = at.out().residual[g];
    double v[6] = {}, square = 0;
    for (int i = 0; i < 6; ++i) square += row.first(i) * row.first(i);
    for (int i = 0; i < own; ++i) v[i] = row.first(i);
    const double rest = across(v);
    if (!(rest > 1e-8 * std::sqrt(square))) continue;
    for (int i = 0; i < own; ++i) basis[count][i] = v[i] / rest;
    ++count;
    chart.residual[chart.held++] = g;
  }
  while (count < own) {
    double best = 0, chosen[6] = {};
    for (int axis = 0; axis < own; ++axis) {
      double v[6] = {};
      v[axis] = 1;
      const double rest = across(v);
      if (rest <= best * (1 + 1e-9)) continue;
      best = rest;
      for (int i = 0; i < own; ++i) chosen[i] = v[i] / rest;
    }
    for (int i = 0; i < own; ++i) chart.N[chart.freedom][i] = basis[count][i] = chosen[i];
    ++chart.freedom;
    ++count;
  }
  return chart;
}

bool placeChild(const Mechanism& m, TreeChart& chart, const double* y, const double* rate,
                State& state, TreeMotion& motion) {
  LinkAt at(m, state, chart);
  double xi[6];
  for (int i = 0; i < 6; ++i) {
    xi[i] = chart.across[i];
    for (int k = 0; k < chart.freedom; ++k) xi[i] += chart.N[k][i] * y[k];
  }
  at.putChild(chart.merged ? chart.X_12 : retract(chart, xi), state);
  bool placed = true;
  double last = kInfinity;
  for (int iteration = 0;; ++iteration) {
    at.evaluate(state);
    if (!at.solveRows()) return false;
    if (chart.merged) break;
    double off[6], error = 0;
    for (int r = 0; r < at.own(); ++r) {
      off[r] = (r < chart.held ? 0 : y[r - chart.held]) - at.value(r);
      error = std::max(error, std::abs(off[r]));
      if (!std::isfinite(off[r])) return false;
    }
    // Rounding of the places in the world, a few times; or as near as it gets.
    const double rounding = 1e-15 * (1 + norm(at.pose().p) + norm(state.position[chart.child]));
    if (error <= rounding || (error <= 1e4 * rounding && error > 0.25 * last)) break;
    if (iteration == 20) {
      placed = false;
      break;
    }
    last = error;
    at.fromRows(off, xi);
    const Pose& X = at.pose();
    at.putChild(
        {X.p + Vec3{xi[0], xi[1], xi[2]}, normalized(exponential(Vec3{xi[3], xi[4], xi[5]}) * X.q)},
        state);
  }
  for (int i = 0; i < 6 && !chart.merged; ++i) {
    chart.across[i] = i < at.own() ? at.xi(i) : 0;
    for (int k = 0; k < chart.freedom; ++k) chart.across[i] -= chart.N[k][i] * y[k];
  }

  const bool carried = chart.parent != kWorld && m.solids[chart.parent].kind == SolidKind::Dynamic;
  const auto twist = [&state](Index solid) {
    return solid == kWorld ? Twist{} : Twist{state.velocity[solid], state.spin[solid]};
  };
  at.spread(carried ? Twist{} : twist(chart.parent), motion);
  if (rate == nullptr) return placed;

  double parent[6], child[6];
  store(carried ? twist(chart.parent) : Twist{}, parent);
  for (int i = 0; i < 6; ++i) {
    child[i] = motion.rateBias[i];
    for (int j = 0; j < 6; ++j) child[i] += motion.X[i][j] * parent[j];
    for (int k = 0; k < chart.freedom; ++k) child[i] += motion.S[k][i] * rate[k];
  }
  state.velocity[chart.child] = {child[0], child[1], child[2]};
  state.spin[chart.child] = {child[3], child[4], child[5]};
  at.bias(state, motion);
  return placed;
}

}  // namespace tenon
