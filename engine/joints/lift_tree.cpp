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

  // Residuals and chart with their derivatives.
  void evaluate(const State& state) {
    JointInput<Jet> in = jetInput(m_, state, joint_, frames_);
    in.coordinates = false;
    if (joint_.kind->residualCount > 0) joint_.kind->jets(*joint_.kind, in, out_);
    const Pose& from = chart_.X_12;
    for (int i = 0; i < 3; ++i) xi_[i] = in.p[i] - from.p[i];
    if (own_ == 3) return;
    // The rotation vector of (v, w) = q q_0*:  2 F(w) v, F being half the angle over its sine.
    const Jet* q = in.q;
    const Quat b = conjugate(from.q);
    Jet v[4] = {b.x * q[3] + b.w * q[0] + b.z * q[1] - b.y * q[2],
                b.y * q[3] - b.z * q[0] + b.w * q[1] + b.x * q[2],
                b.z * q[3] + b.y * q[0] - b.x * q[1] + b.w * q[2],
                b.w * q[3] - b.x * q[0] - b.y * q[1] - b.z * q[2]};
    if (v[3].value < 0)
      for (Jet& component : v) component = -component;
    const Jet scale = 2 * angleOverSine(v[3]);
    for (int i = 0; i < 3; ++i) xi_[3 + i] = scale * v[i];
  }

  [[nodiscard]] double xi(int i) const { return xi_[i].value; }

  // Σ_i N_ik f(ξ_i)
  template <class F>
  [[nodiscard]] double alongChart(int k, const F& f) const {
    double sum = 0;
    for (int i = 0; i < own_; ++i)
      if (chart_.N[k][i] != 0) sum += chart_.N[k][i] * f(xi_[i]);
    return sum;
  }
  template <class F>
  [[nodiscard]] double ofRow(int r, const F& f) const {
    return r < chart_.held ? f(out_.residual[chart_.residual[r]]) : alongChart(r - chart_.held, f);
  }

  // B⁻¹. A merged joint has no rows.
  [[nodiscard]] bool solveRows() {
    if (chart_.merged) return true;
    for (int r = 0; r < own_; ++r)
      for (int c = 0; c < own_; ++c) B_[r][c] = ofRow(r, [c](const Jet& f) { return f.first[c]; });
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
      for (int i = 0; i < 3; ++i)
        right[r] -= out_.residual[chart_.residual[r]].first[3 + i] * turn[i];
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
  // The same, with the rows solved for ẏ = 0 and no explicit time.
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
    for (int j = 0; j < 6; ++j) {
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
    double right[6] = {}, xi[6];
    for (int r = 0; r < chart_.held; ++r)
      right[r] = -out_.residual[chart_.residual[r]].first[Jet::kTime];
    fromRows(right, xi);
    const Twist explicitPart = childTwist(xi, {}), carriedAlong = carried(ground);
    store({explicitPart.linear + carriedAlong.linear, explicitPart.angular + carriedAlong.angular},
          motion.rateBias);
  }

  // Derivative of the child's twist at ÿ = 0 and zero acceleration of a dynamic parent; the child's own
  // velocity is in the state.
  void bias(const State& state, TreeMotion& motion) {
    read(state);
    const RelativeMotion relative = relativeMotion(frames_);
    double right[6] = {}, xi[6];
    for (int r = 0; r < (chart_.merged ? 0 : own_); ++r)
      right[r] = -ofRow(r, [&relative](const Jet& f) {
        double sum = 0;
        for (int i = 0; i < Jet::kVariables; ++i)
          for (int j = 0; j < Jet::kVariables; ++j)
            sum += f.second[Jet::pair(i, j)] * relative.rate[i] * relative.rate[j];
        return sum;
      });
    takeTurn(relative.acceleration + 3, right);
    fromRows(right, xi);
    for (int i = 0; i < own_; ++i) xi[i] -= relative.acceleration[i];
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
  Jet xi_[6];
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
    for (int i = 0; i < 6; ++i) square += row.first[i] * row.first[i];
    for (int i = 0; i < own; ++i) v[i] = row.first[i];
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
      off[r] = (r < chart.held ? 0 : y[r - chart.held]) -
               at.ofRow(r, [](const Jet& f) { return f.value; });
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
