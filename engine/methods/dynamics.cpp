// The equations of motion on the forest of the method `recursive`.
//
// Of a link, with S and the bias of its chart (tenon/joint.h), and C = ∂(speeds)/∂ẏ:
//   u = C ẏ,   u̇ = C ÿ + κ:      twist' = X twist'_parent + (S C⁻¹) u̇ + (bias - S C⁻¹ κ)
// So inverse dynamics are one pass outwards for the accelerations and one inwards for the forces [Featherstone1983], and the
// mass matrix is made of the inertias of what hangs on each link.
#include <tenon/dynamics.h>
#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/measure.h>

#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "methods/dense.h"
#include "methods/recursive.h"
#include "methods/verbs.h"

namespace tenon {

namespace {

using Vector = std::vector<double>;
using Entries = std::vector<TreeSpeed>;

constexpr double kOpen = 1e-6;  // [m], [rad] of joints that count as closed

double sixProduct(const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

Problem problem(std::string what, std::string remedy) {
  Problem p;
  p.what = std::move(what);
  p.remedy = std::move(remedy);
  return p;
}

// The equations at one pose and one set of speeds.
struct Terms {
  struct Link {
    double S[6][6] = {};  // of the speeds, by column
    double bias[6] = {};
    double fromSpeeds[6][6] = {};  // C⁻¹
  };
  State state;
  std::vector<Link> links;
  Rows rows;                // of the joints that the forest does not hold by itself
  std::vector<Index> held;  // those that multipliers hold
  Matrix J;                 // of these, by the speeds
  Vector rate, drift;       // J u + what else changes Φ;  d
};

class Evaluator {
 public:
  Evaluator(const Mechanism& m, const Control& control, JointTree tree, const Entries& entries)
      : m_(m), control_(control), tree_(std::move(tree)), entries_(entries) {}

  // C of a link where the forest is placed; false if the speeds do not say how it moves.
  bool speedMap(std::size_t number, const State& state, double (&C)[6][6],
                double (&inverse)[6][6]) {
    const JointTree::Link& link = tree_.link(number);
    const int n = link.chart.freedom;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) C[r][c] = along(link, entryOf(link, r), state, link.motion.S[c]);
    if (n == 0) return true;
    // Rows of one length, so that metres and radians count alike.
    Matrix A(at(n), at(n)), B(at(n), at(n));
    double least = 1;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) A(at(r), at(c)) = C[r][c];
    const PivotedColumns columns = orthonormalised(transposed(A));
    if (columns.chosen.size() < at(n)) return false;
    for (std::size_t k = 0; k < columns.chosen.size(); ++k) {
      double whole = 0;
      for (const double r : columns.R[k]) whole += r * r;
      least = std::min(least, columns.R[k].back() / std::sqrt(whole));
    }
    for (int r = 0; r < n; ++r) B(at(r), at(r)) = 1;
    if (!(least > 1e-6) || !solveSquare(A, B)) return false;
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) inverse[r][c] = B(at(r), at(c));
    return true;
  }

  // At y of the charts and speeds u; false if there is no such place.
  bool evaluate(const Vector& y, const Vector& u, Terms& terms) {
    if (!tree_.place(m_, y.data(), nullptr, terms.state)) return false;
    terms.links.resize(tree_.links());
    Vector rate(tree_.freedom());
    for (std::size_t l = 0; l < tree_.links(); ++l) {
      const JointTree::Link& link = tree_.link(l);
      double C[6][6];
      if (!speedMap(l, terms.state, C, terms.links[l].fromSpeeds)) return false;
      for (int r = 0; r < link.chart.freedom; ++r)
        for (int c = 0; c < link.chart.freedom; ++c)
          rate[link.first + at(r)] += terms.links[l].fromSpeeds[r][c] * u[link.first + at(c)];
    }
    if (!tree_.place(m_, y.data(), rate.data(), terms.state)) return false;
    for (std::size_t l = 0; l < tree_.links(); ++l) {
      const JointTree::Link& link = tree_.link(l);
      Terms::Link& own = terms.links[l];
      const int n = link.chart.freedom;
      for (int k = 0; k < n; ++k)
        for (int i = 0; i < 6; ++i) {
          own.S[k][i] = 0;
          for (int c = 0; c < n; ++c) own.S[k][i] += link.motion.S[c][i] * own.fromSpeeds[c][k];
        }
      for (int i = 0; i < 6; ++i) own.bias[i] = link.motion.accelerationBias[i];
      double curved[6];
      for (int k = 0; k < n; ++k) curved[k] = curvature(link, entryOf(link, k), terms.state);
      for (int k = 0; k < n; ++k)
        for (int i = 0; i < 6; ++i) own.bias[i] -= own.S[k][i] * curved[k];
    }
    gatherRows(terms);
    return true;
  }

  // A row by the speeds: its forces, carried to the ground.
  void carry(const Terms& terms, Index solid, const double* J, double* row) const {
    Index l = tree_.linkOf(solid);
    double f[6];
    for (int i = 0; i < 6; ++i) f[i] = J[i];
    while (l != kWorld) {
      const JointTree::Link& link = tree_.link(l);
      for (int k = 0; k < link.chart.freedom; ++k)
        row[link.first + at(k)] += sixProduct(terms.links[l].S[k], f);
      carryOver(link, f);
      l = link.parent;
    }
  }
  Vector rowOf(const Terms& terms, const Row& row) const {
    Vector out(tree_.freedom());
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      carry(terms, terms.rows.blocks[b].solid, terms.rows.blocks[b].J, out.data());
    return out;
  }

  Matrix massMatrix(const Terms& terms) const {
    const std::size_t n = tree_.freedom();
    Matrix M(n, n);
    std::vector<std::array<std::array<double, 6>, 6>> inertia(tree_.links());
    for (std::size_t l = 0; l < tree_.links(); ++l) {
      const Index s = tree_.link(l).chart.child;
      const Mat3 R = rotationMatrix(terms.state.orientation[s]);
      const Mat3 I = R * m_.solids[s].inertia * transpose(R);
      inertia[l] = {};
      for (std::size_t i = 0; i < 3; ++i) {
        inertia[l][i][i] = m_.solids[s].mass;
        for (std::size_t j = 0; j < 3; ++j)
          inertia[l][3 + i][3 + j] = I(static_cast<int>(i), static_cast<int>(j));
      }
    }
    for (std::size_t l = tree_.links(); l-- > 0;) {
      const JointTree::Link& link = tree_.link(l);
      for (int k = 0; k < link.chart.freedom; ++k) {
        double f[6] = {};
        for (std::size_t i = 0; i < 6; ++i)
          for (std::size_t j = 0; j < 6; ++j) f[i] += inertia[l][i][j] * terms.links[l].S[k][j];
        const std::size_t row = link.first + at(k);
        for (Index a = static_cast<Index>(l); a != kWorld; a = tree_.link(a).parent) {
          const JointTree::Link& above = tree_.link(a);
          for (int c = 0; c < above.chart.freedom; ++c) {
            const std::size_t column = above.first + at(c);
            if (column <= row) M(row, column) = M(column, row) = sixProduct(terms.links[a].S[c], f);
          }
          carryOver(above, f);
        }
      }
      if (link.parent == kWorld) continue;
      for (int i = 0; i < 6; ++i)  // Xᵀ I X
        for (int j = 0; j < 6; ++j) {
          double sum = 0;
          for (int a = 0; a < 6; ++a)
            for (int b = 0; b < 6; ++b)
              sum += link.motion.X[a][i] * inertia[l][at(a)][at(b)] * link.motion.X[b][j];
          inertia[link.parent][at(i)][at(j)] += sum;
        }
    }
    for (const Row& row : terms.rows.rows) {  // rotors: ½ I ċ²
      if (!(row.inertia > 0)) continue;
      const Vector g = rowOf(terms, row);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n && g[i] != 0; ++j) M(i, j) += row.inertia * g[i] * g[j];
    }
    return M;
  }

  // Of the solids under u̇; empty: it is 0.
  std::vector<Six> accelerations(const Terms& terms, std::span<const double> change) const {
    std::vector<Six> a(m_.solids.size());
    for (std::size_t l = 0; l < tree_.links(); ++l) {
      const JointTree::Link& link = tree_.link(l);
      Six& own = a[link.chart.child];
      for (std::size_t i = 0; i < 6; ++i) {
        own[i] = terms.links[l].bias[i];
        for (std::size_t j = 0; j < 6 && link.parent != kWorld; ++j)
          own[i] += link.motion.X[i][j] * a[tree_.link(link.parent).chart.child][j];
        for (int k = 0; k < link.chart.freedom && !change.empty(); ++k)
          own[i] += terms.links[l].S[k][i] * change[link.first + at(k)];
      }
    }
    return a;
  }

  // Φ̈ of a row, the solids having these accelerations.
  double second(const Terms& terms, const Row& row, const std::vector<Six>& a) const {
    double sum = row.drift;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = terms.rows.blocks[b];
      if (tree_.linkOf(block.solid) != kWorld) sum += sixProduct(block.J, a[block.solid].data());
    }
    return sum;
  }

  // M u̇ + h
  Vector inverse(const Terms& terms, std::span<const double> change, BiasParts parts) const {
    const std::vector<Six> a = accelerations(terms, change);
    std::vector<Six> force(m_.solids.size());
    std::vector<Wrench> loads(m_.solids.size());
    if (parts == BiasParts::SpeedsAndLoads) gatherLoads(m_, control_, terms.state, loads);
    for (std::size_t l = 0; l < tree_.links(); ++l) {
      const Index s = tree_.link(l).chart.child;
      const Vec3 turning{a[s][3], a[s][4], a[s][5]};
      const Mat3 R = rotationMatrix(terms.state.orientation[s]);
      const Mat3 I = R * m_.solids[s].inertia * transpose(R);
      const Vec3& w = terms.state.spin[s];
      const Vec3 f = m_.solids[s].mass * Vec3{a[s][0], a[s][1], a[s][2]} - loads[s].force;
      const Vec3 t = I * turning + cross(w, I * w) - loads[s].torque;
      force[s] = {f.x, f.y, f.z, t.x, t.y, t.z};
    }
    for (const Row& row : terms.rows.rows) {
      double lambda = 0;
      if (row.inertia > 0)
        lambda = -row.inertia * second(terms, row, a);
      else if (parts == BiasParts::SpeedsAndLoads && !row.velocity && !holds(row))
        lambda = softForce(row, 0, 0, 1);
      for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount && lambda != 0; ++b)
        for (std::size_t i = 0; i < 6; ++i)
          force[terms.rows.blocks[b].solid][i] -= lambda * terms.rows.blocks[b].J[i];
    }
    Vector out(tree_.freedom());
    for (std::size_t l = tree_.links(); l-- > 0;) {
      const JointTree::Link& link = tree_.link(l);
      double f[6];
      for (std::size_t i = 0; i < 6; ++i) f[i] = force[link.chart.child][i];
      for (int k = 0; k < link.chart.freedom; ++k)
        out[link.first + at(k)] = sixProduct(terms.links[l].S[k], f);
      if (link.parent == kWorld) continue;
      carryOver(link, f);
      for (std::size_t i = 0; i < 6; ++i) force[tree_.link(link.parent).chart.child][i] += f[i];
    }
    return out;
  }

  [[nodiscard]] const JointTree& tree() const { return tree_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static Matrix transposed(const Matrix& A) {
    Matrix B(A.columns, A.rows);
    for (std::size_t r = 0; r < A.rows; ++r)
      for (std::size_t c = 0; c < A.columns; ++c) B(c, r) = A(r, c);
    return B;
  }
  // f := Xᵀ f
  static void carryOver(const JointTree::Link& link, double* f) {
    double over[6] = {};
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) over[j] += link.motion.X[i][j] * f[i];
    for (int i = 0; i < 6; ++i) f[i] = over[i];
  }
  [[nodiscard]] const TreeSpeed& entryOf(const JointTree::Link& link, int k) const {
    return entries_[link.first + at(k)];
  }
  Vec3 inSolid(const State& state, Index solid, const Vec3& v) const {
    return rotate(conjugate(state.orientation[solid]), v);
  }

  // A speed of a link that moves with a twist against its parent; the twist is a column of S.
  double along(const JointTree::Link& link, const TreeSpeed& speed, const State& state,
               const double* S) {
    const Index child = link.chart.child;
    switch (speed.kind) {
      case TreeSpeed::Kind::Velocity:
        return S[speed.axis];
      case TreeSpeed::Kind::Spin:
        return inSolid(state, child, {S[3], S[4], S[5]})[speed.axis];
      case TreeSpeed::Kind::Free:
        return S == link.motion.S[speed.axis] ? 1 : 0;
      case TreeSpeed::Kind::Coordinate:
        break;
    }
    row_.clear();
    emitCoordinateRow(m_, state, index(*speed.joint), index(*speed.coordinate), row_);
    double sum = 0;
    for (const RowBlock& block : row_.blocks)
      if (block.solid == child) sum += sixProduct(block.J, S);
    return sum;
  }

  // κ: the derivative of a speed at ÿ = 0.
  double curvature(const JointTree::Link& link, const TreeSpeed& speed, const State& state) {
    const Index child = link.chart.child, parent = link.chart.parent;
    const double* bias = link.motion.accelerationBias;
    switch (speed.kind) {
      case TreeSpeed::Kind::Velocity:
        return bias[speed.axis];
      case TreeSpeed::Kind::Spin: {
        // R_CW (ω_C - ω_P):  R_CW (α_C - α_P + ω_C × ω_P)
        Vec3 turning{bias[3], bias[4], bias[5]};
        if (parent != kWorld) {
          turning += cross(state.spin[child], state.spin[parent]);
          if (m_.solids[parent].kind == SolidKind::Animated)
            turning = turning - evaluatePath(parent, state.time).angularAcceleration;
        }
        return inSolid(state, child, turning)[speed.axis];
      }
      case TreeSpeed::Kind::Free:
        return 0;
      case TreeSpeed::Kind::Coordinate:
        break;
    }
    row_.clear();
    emitCoordinateRow(m_, state, index(*speed.joint), index(*speed.coordinate), row_);
    double sum = row_.rows.front().drift;
    for (const RowBlock& block : row_.blocks)
      if (block.solid == child) sum += sixProduct(block.J, bias);
    return sum;
  }
  [[nodiscard]] PathValue evaluatePath(Index solid, double time) const {
    return tenon::evaluate(m_, m_.paths[m_.solids[solid].path], time);
  }

  void gatherRows(Terms& terms) {
    terms.rows.clear();
    terms.held.clear();
    for (const Index joint : tree_.emitting())
      emitJointRows(m_, control_, terms.state, joint, terms.rows);
    for (Index r = 0; r < terms.rows.rows.size(); ++r) {
      const Row& row = terms.rows.rows[r];
      if (row.equality && !tree_.takes(m_, row) && tree_.moves(terms.rows, row))
        terms.held.push_back(r);
    }
    terms.J = Matrix(terms.held.size(), tree_.freedom());
    terms.rate.clear();
    terms.drift.clear();
    const std::vector<Six> a = accelerations(terms, {});
    for (std::size_t i = 0; i < terms.held.size(); ++i) {
      const Row& row = terms.rows.rows[terms.held[i]];
      const Vector J = rowOf(terms, row);
      std::copy(J.begin(), J.end(),
                terms.J.values.begin() + static_cast<std::ptrdiff_t>(i * tree_.freedom()));
      terms.rate.push_back(row.rate);
      terms.drift.push_back(second(terms, row, a));
    }
  }

  const Mechanism& m_;
  const Control& control_;
  JointTree tree_;
  const Entries& entries_;
  Rows row_;
};

// The rows J in the metric of the masses: Y = L⁻¹ Jᵀ, M = L Lᵀ.
struct Held {
  Matrix L;
  PivotedColumns columns;

  bool load(const Matrix& M, const Matrix& J) {
    L = M;
    if (!factorCholesky(L)) return false;
    Matrix Y(M.rows, J.rows);
    Vector y(M.rows);
    for (std::size_t r = 0; r < J.rows; ++r) {
      for (std::size_t i = 0; i < M.rows; ++i) y[i] = J(r, i);
      solveLower(L, y.data());
      for (std::size_t i = 0; i < M.rows; ++i) Y(i, r) = y[i];
    }
    columns = orthonormalised(Y);
    return true;
  }
  // λ of the chosen rows with Yᵀ Y λ = e.
  [[nodiscard]] Vector multipliers(const Vector& e) const {
    const std::size_t n = columns.chosen.size();
    Vector x(n);
    for (std::size_t k = 0; k < n; ++k) {  // Rᵀ x = e
      x[k] = e[columns.chosen[k]];
      for (std::size_t i = 0; i < k; ++i) x[k] -= columns.R[k][i] * x[i];
      x[k] /= columns.R[k][k];
    }
    for (std::size_t k = n; k-- > 0;) {  // R λ = x
      x[k] /= columns.R[k][k];
      for (std::size_t i = 0; i < k; ++i) x[i] -= columns.R[k][i] * x[k];
    }
    Vector lambda(e.size());
    for (std::size_t k = 0; k < n; ++k) lambda[columns.chosen[k]] = x[k];
    return lambda;
  }
};

void subtract(Vector& a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
}

// u̇ and λ:  M u̇ = b + Jᵀλ,  J u̇ = -d.
Dynamics::Accelerations solveHeld(const Held& held, const Matrix& J, const Vector& d, Vector b) {
  Dynamics::Accelerations out;
  solveLower(held.L, b.data());
  Vector free = b;
  solveLowerTransposed(held.L, free.data());
  Vector e = times(J, free);
  for (std::size_t r = 0; r < e.size(); ++r) e[r] = -d[r] - e[r];
  out.multipliers = held.multipliers(e);
  Vector push = transposedTimes(J, out.multipliers);
  solveLower(held.L, push.data());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] += push[i];
  solveLowerTransposed(held.L, b.data());
  out.accelerations = std::move(b);
  return out;
}

// ∂f/∂t at 0 by six values:  (45 (f₁ - f₋₁) - 9 (f₂ - f₋₂) + (f₃ - f₋₃))/60h, off by h⁶ f⁽⁷⁾/140.
template <class F>
bool slopeOf(double h, const F& f, Vector& slope) {
  constexpr double kWeight[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  for (int k = 1; k <= 3; ++k)
    for (const int sign : {1, -1}) {
      Vector value;
      if (!f(sign * k * h, value)) return false;
      if (slope.empty()) slope.resize(value.size());
      for (std::size_t i = 0; i < value.size(); ++i)
        slope[i] += sign * kWeight[k - 1] / h * value[i];
    }
  return true;
}
constexpr double kShift = 1e-3;       // [m], [rad]
constexpr double kSpeedShift = 1e-2;  // [m/s], [rad/s]

}  // namespace

struct Dynamics::Impl {
  const Mechanism* m = nullptr;
  Control control;
  JointTree tree;
  Entries entries;
  Terms terms;
  Vector u;
  Matrix M;
  Held held;
  std::vector<JointId> askers;

  [[nodiscard]] Evaluator evaluator() const { return {*m, control, tree, entries}; }
  [[nodiscard]] std::size_t freedom() const { return tree.freedom(); }

  // y of the charts that goes along a deviation of the coordinates.
  [[nodiscard]] Vector chartOf(const Vector& x) const {
    Vector y(freedom());
    for (std::size_t l = 0; l < tree.links(); ++l) {
      const JointTree::Link& link = tree.link(l);
      const auto n = static_cast<std::size_t>(link.chart.freedom);
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c)
          y[link.first + r] += terms.links[l].fromSpeeds[r][c] * x[link.first + c];
    }
    return y;
  }

  // -u × x where x is a rotation vector: R exp(x) turning with u + δu has ẋ = δu - u × x.
  [[nodiscard]] Vector turned(const Vector& x) const {
    Vector out(x.size());
    for (std::size_t i = 0; i + 2 < entries.size(); ++i) {
      if (entries[i].kind != TreeSpeed::Kind::Spin || entries[i].axis != 0) continue;
      const Vec3 t = -cross({u[i], u[i + 1], u[i + 2]}, {x[i], x[i + 1], x[i + 2]});
      for (int k = 0; k < 3; ++k) out[i + static_cast<std::size_t>(k)] = t[k];
    }
    return out;
  }

  // Which of the speeds follow from the others by which rows.
  struct Choice {
    CompletePivots pivots;
    std::vector<std::size_t> independent;
  };
  [[nodiscard]] Choice choose() const {
    Choice choice;
    choice.pivots = completePivots(terms.J);
    std::vector<bool> follows(freedom(), false);
    for (const std::size_t c : choice.pivots.columns) follows[c] = true;
    for (std::size_t c = 0; c < freedom(); ++c)
      if (!follows[c]) choice.independent.push_back(c);
    return choice;
  }
  // u_dep := J_dep⁻¹ (right - J_ind u_ind), by column.
  static bool follow(const Choice& choice, const Matrix& J, const Matrix& independent,
                     const Matrix& right, Matrix& all) {
    const std::size_t r = choice.pivots.rows.size();
    Matrix D(r, r), B(r, independent.columns);
    for (std::size_t i = 0; i < r; ++i) {
      const std::size_t row = choice.pivots.rows[i];
      for (std::size_t k = 0; k < r; ++k) D(i, k) = J(row, choice.pivots.columns[k]);
      for (std::size_t k = 0; k < independent.columns; ++k) {
        B(i, k) = right.rows == 0 ? 0 : right(row, k);
        for (std::size_t c = 0; c < choice.independent.size(); ++c)
          B(i, k) -= J(row, choice.independent[c]) * independent(c, k);
      }
    }
    if (!solveSquare(std::move(D), B)) return false;
    all = Matrix(J.columns, independent.columns);
    for (std::size_t k = 0; k < independent.columns; ++k) {
      for (std::size_t i = 0; i < r; ++i) all(choice.pivots.columns[i], k) = B(i, k);
      for (std::size_t c = 0; c < choice.independent.size(); ++c)
        all(choice.independent[c], k) = independent(c, k);
    }
    return true;
  }
  static Matrix columnOf(const Vector& x, double factor = 1) {
    Matrix out(x.size(), 1);
    for (std::size_t i = 0; i < x.size(); ++i) out(i, 0) = factor * x[i];
    return out;
  }
  static Matrix unit(std::size_t n) {
    Matrix out(n, n);
    for (std::size_t i = 0; i < n; ++i) out(i, i) = 1;
    return out;
  }

  static bool reduced(const Choice& choice, const Evaluator& evaluator, const Terms& terms,
                      BiasParts parts, ReducedDynamics& out) {
    const std::size_t f = choice.independent.size();
    Matrix drift;
    if (!follow(choice, terms.J, unit(f), {}, out.T) ||
        !follow(choice, terms.J, Matrix(f, 1), columnOf(terms.drift, -1), drift))
      return false;
    out.independent = choice.independent;
    out.drift = drift.values;
    const Matrix M = evaluator.massMatrix(terms);
    const std::size_t n = M.rows;
    Matrix MT(n, f);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t c = 0; c < f && M(i, k) != 0; ++c) MT(i, c) += M(i, k) * out.T(k, c);
    out.mass = Matrix(f, f);
    for (std::size_t i = 0; i < f; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += out.T(k, i) * MT(k, j);
        out.mass(i, j) = out.mass(j, i) = sum;
      }
    out.bias = transposedTimes(out.T, evaluator.inverse(terms, out.drift, parts));
    return true;
  }

  [[nodiscard]] bool tiesSpeedsOnly(std::string& who) const {
    for (const Index r : terms.held)
      if (const Row& row = terms.rows.rows[r]; row.velocity) {
        who = m->jointNames[row.asker.number];
        return true;
      }
    return false;
  }

  // Poses where the loops are closed, near y; positions only.
  bool close(const Choice& choice, Evaluator& evaluator, const Vector& speeds, Vector& y,
             Terms& at) const {
    double last = kInfinity;
    for (int k = 0; k < 20; ++k) {
      if (!evaluator.evaluate(y, speeds, at)) return false;
      Vector off;
      double error = 0;
      for (const Index r : at.held) {
        off.push_back(-at.rows.rows[r].error);
        error = std::max(error, std::abs(off.back()));
      }
      if (error < 1e-15 || (error < 1e-11 && error > 0.1 * last)) return true;
      last = error;
      Matrix step;
      if (!follow(choice, at.J, Matrix(choice.independent.size(), 1), columnOf(off), step))
        return false;
      for (std::size_t l = 0; l < tree.links(); ++l) {
        const JointTree::Link& link = tree.link(l);
        const auto n = static_cast<std::size_t>(link.chart.freedom);
        for (std::size_t r = 0; r < n; ++r)
          for (std::size_t c = 0; c < n; ++c)
            y[link.first + r] += at.links[l].fromSpeeds[r][c] * step(link.first + c, 0);
      }
    }
    return false;
  }
  // All speeds of the independent ones at a pose where `speeds` were tried.
  static bool completed(const Choice& choice, const Terms& at, const Vector& speeds, Vector& all) {
    Vector right = times(at.J, speeds);  // J u = J u_tried - rate
    subtract(right, at.rate);
    Matrix z(choice.independent.size(), 1), u;
    for (std::size_t c = 0; c < choice.independent.size(); ++c)
      z(c, 0) = speeds[choice.independent[c]];
    if (!follow(choice, at.J, z, columnOf(right), u)) return false;
    all = u.values;
    return true;
  }
};

Dynamics::Dynamics(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Dynamics::Dynamics(Dynamics&&) noexcept = default;
Dynamics& Dynamics::operator=(Dynamics&&) noexcept = default;
Dynamics::~Dynamics() = default;

// ------------------------------------------------------------------------------------- at a state

namespace {

std::vector<Problem> wrongWith(const Mechanism& m, const Control& control, const State& state) {
  const std::size_t n = m.solids.size();
  if (state.position.size() != n || state.orientation.size() != n || state.velocity.size() != n ||
      state.spin.size() != n || state.multiplier.size() != m.slots ||
      state.memory.size() != m.memory.size() || control.jointOn.size() != m.joints.size() ||
      control.target.size() != m.rules.size())
    return {problem("the state or the control is not one of this mechanism",
                    "begin with initialState() and initialControl() of it")};
  std::vector<Problem> problems;
  for (std::size_t s = 0; s < n; ++s)
    if (!isFinite(state.position[s]) || !isFinite(state.orientation[s]) ||
        !isFinite(state.velocity[s]) || !isFinite(state.spin[s]))
      problems.push_back(problem("the state of solid '" + m.solidNames[s] + "' is not finite",
                                 "take the last state that a step called finite"));
  if (!problems.empty()) return problems;
  const JointError error = jointError(m, control, state);
  if (!error.finite || error.max > kOpen) {
    char number[32];
    std::snprintf(number, sizeof number, "%.2g", error.max);
    problems.push_back(problem("joint '" + m.jointNames[error.worst] + "' is open by " + number +
                                   (error.maxRadians > error.maxMetres ? " rad" : " m"),
                               "assemble the state first"));
  }
  return problems;
}

// What the speeds of the tree are: see tenon/dynamics.h.
Entries entriesOf(const Mechanism& m, const Control& control, const JointTree& tree,
                  const State& state) {
  Entries entries(tree.freedom());
  for (std::size_t l = 0; l < tree.links(); ++l) {
    const JointTree::Link& link = tree.link(l);
    const TreeChart& chart = link.chart;
    TreeSpeed speed;
    speed.solid = SolidId{chart.child};
    if (chart.joint != kWorld) speed.joint = JointId{chart.joint};
    const auto set = [&](int k) { entries[link.first + static_cast<std::size_t>(k)] = speed; };
    if (chart.joint == kWorld) {
      for (int k = 0; k < chart.freedom; ++k) {
        speed.kind = k < 3 ? TreeSpeed::Kind::Velocity : TreeSpeed::Kind::Spin;
        speed.axis = k % 3;
        set(k);
      }
      continue;
    }
    const JointKind& kind = *m.joints[chart.joint].kind;
    if (!m.solids[chart.child].pointMass && kind.freeCount == chart.freedom) {
      const int turn = findCoordinate(kind, "rx");
      for (int k = 0; k < chart.freedom; ++k) {
        const bool spin = turn >= 0 && k >= turn && k < turn + 3;
        speed.kind = spin ? TreeSpeed::Kind::Spin : TreeSpeed::Kind::Coordinate;
        speed.axis = spin ? k - turn : 0;
        speed.coordinate.reset();
        if (!spin) speed.coordinate = CoordinateId{static_cast<std::uint32_t>(k)};
        set(k);
      }
      double C[6][6], inverse[6][6];
      if (Evaluator(m, control, tree, entries).speedMap(l, state, C, inverse)) continue;
    }
    speed.kind = TreeSpeed::Kind::Free;
    speed.coordinate.reset();
    for (int k = 0; k < chart.freedom; ++k) {
      speed.axis = k;
      set(k);
    }
  }
  return entries;
}

}  // namespace

Result<Dynamics> Dynamics::at(const Mechanism& m, const Control& control, const State& state) {
  std::vector<Problem> problems = wrongWith(m, control, state);
  if (!problems.empty()) return problems;
  auto made = std::make_unique<Impl>();
  Impl& d = *made;
  d.m = &m;
  d.control = control;
  d.terms.state = state;
  State& own = d.terms.state;
  followPaths(m, own);
  d.tree.grow(m, control, own, kWorld);
  const std::size_t n = d.freedom();
  const Vector y(n);
  Vector rate(n);
  const auto singular = [&] {
    return std::vector<Problem>{problem("the masses say no motion of the joints at this pose",
                                        "move the mechanism away from where a joint is singular")};
  };
  if (!d.tree.place(m, y.data(), nullptr, own)) return singular();
  d.entries = entriesOf(m, control, d.tree, own);
  // The nearest velocities that the forest allows: M v' = M v + impulses of the joints.
  d.tree.loadMasses(m, own);
  if (!d.tree.factor()) return singular();
  std::vector<Six> momentum(m.solids.size()), motion;
  for (Index s = 0; s < m.solids.size(); ++s) {
    if (m.solids[s].kind != SolidKind::Dynamic) continue;
    const Quat& q = own.orientation[s];
    const Vec3 p = m.solids[s].mass * own.velocity[s],
               L = rotate(q, m.solids[s].inertia * rotate(conjugate(q), own.spin[s]));
    momentum[s] = {p.x, p.y, p.z, L.x, L.y, L.z};
  }
  d.tree.sweep(JointTree::Bias::Rate, momentum, rate.data(), motion);
  Evaluator evaluator = d.evaluator();
  d.u.assign(n, 0);
  for (std::size_t l = 0; l < d.tree.links(); ++l) {
    const JointTree::Link& link = d.tree.link(l);
    double C[6][6], inverse[6][6];
    if (!evaluator.speedMap(l, own, C, inverse)) return singular();
    const auto count = static_cast<std::size_t>(link.chart.freedom);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t c = 0; c < count; ++c) d.u[link.first + r] += C[r][c] * rate[link.first + c];
  }
  if (!evaluator.evaluate(y, d.u, d.terms)) return singular();
  d.M = evaluator.massMatrix(d.terms);
  if (!d.held.load(d.M, d.terms.J)) return singular();
  if (!d.terms.held.empty()) {  // … and those that the loops allow
    Vector miss = d.terms.rate;
    for (double& e : miss) e = -e;
    Vector push = transposedTimes(d.terms.J, d.held.multipliers(miss));
    solveLower(d.held.L, push.data());
    solveLowerTransposed(d.held.L, push.data());
    for (std::size_t i = 0; i < n; ++i) d.u[i] += push[i];
    if (!evaluator.evaluate(y, d.u, d.terms)) return singular();
  }
  d.tree = evaluator.tree();
  for (const Index r : d.terms.held) d.askers.push_back(JointId{d.terms.rows.rows[r].asker.number});
  return Dynamics(std::move(made));
}

const std::vector<TreeSpeed>& Dynamics::speeds() const { return impl_->entries; }
const std::vector<double>& Dynamics::speedValues() const { return impl_->u; }
const Matrix& Dynamics::massMatrix() const { return impl_->M; }
const Matrix& Dynamics::loopJacobian() const { return impl_->terms.J; }
const std::vector<double>& Dynamics::loopDrift() const { return impl_->terms.drift; }
const std::vector<JointId>& Dynamics::loopJoints() const { return impl_->askers; }

Matrix Dynamics::pointJacobian(SolidId solid, const Vec3& point) const {
  const Impl& d = *impl_;
  Matrix J(6, d.freedom());
  if (solid == kGround || d.tree.linkOf(index(solid)) == kWorld) return J;
  const Evaluator evaluator = d.evaluator();
  const Vec3 r =
      rotate(d.terms.state.orientation[index(solid)], point - d.m->solids[index(solid)].com);
  for (int i = 0; i < 6; ++i) {
    double unit[6] = {};  // e·(v + ω × r) = e·v + (r × e)·ω
    unit[i] = 1;
    if (i < 3) {
      const Vec3 lever = cross(r, {unit[0], unit[1], unit[2]});
      for (int k = 0; k < 3; ++k) unit[3 + k] = lever[k];
    }
    evaluator.carry(d.terms, index(solid), unit,
                    J.values.data() + static_cast<std::size_t>(i) * d.freedom());
  }
  return J;
}

std::vector<double> Dynamics::biasForces(BiasParts parts) const {
  return impl_->evaluator().inverse(impl_->terms, {}, parts);
}

std::vector<double> Dynamics::inverseDynamics(std::span<const double> accelerations) const {
  assert(accelerations.size() == impl_->freedom());
  return impl_->evaluator().inverse(impl_->terms, accelerations, BiasParts::SpeedsAndLoads);
}

Dynamics::Accelerations Dynamics::forwardDynamics(std::span<const double> forces) const {
  const Impl& d = *impl_;
  assert(forces.size() == d.freedom());
  Vector b(forces.begin(), forces.end());
  subtract(b, biasForces(BiasParts::SpeedsAndLoads));
  return solveHeld(d.held, d.terms.J, d.terms.drift, std::move(b));
}

// ------------------------------------------------------------------------------------- loops gone

Result<ReducedDynamics> Dynamics::reduce(BiasParts parts) const {
  const Impl& d = *impl_;
  if (std::string who; d.tiesSpeedsOnly(who))
    return std::vector<Problem>{
        problem("joint '" + who + "' ties speeds and no poses: there are more poses than speeds",
                "keep all of the tree's speeds, and the multipliers")};
  ReducedDynamics out;
  if (!Impl::reduced(d.choose(), d.evaluator(), d.terms, parts, out))
    return std::vector<Problem>{problem("the loops are singular at this pose",
                                        "move the mechanism away from where its loops lock")};
  return out;
}

std::vector<double> forwardDynamics(const ReducedDynamics& reduced,
                                    std::span<const double> forces) {
  Vector b = forces.empty() ? Vector(reduced.bias.size()) : transposedTimes(reduced.T, forces);
  subtract(b, reduced.bias);
  Matrix L = reduced.mass;
  [[maybe_unused]] const bool factored = factorCholesky(L);
  assert(factored);
  solveLower(L, b.data());
  solveLowerTransposed(L, b.data());
  return b;
}

Result<std::vector<double>> inverseDynamics(const ReducedDynamics& reduced,
                                            std::span<const double> accelerations,
                                            std::span<const std::size_t> actuated) {
  const std::size_t n = reduced.T.rows, f = reduced.T.columns;
  assert(accelerations.size() == f);
  Vector wanted = times(reduced.mass, accelerations);
  for (std::size_t i = 0; i < f; ++i) wanted[i] += reduced.bias[i];
  std::vector<std::size_t> which(actuated.begin(), actuated.end());
  for (std::size_t i = 0; i < n && actuated.empty(); ++i) which.push_back(i);
  // τ = A (Aᵀ A)⁻¹ r with A = the rows of T that are pushed: of all τ with Aᵀ τ = r the shortest. By A P = Q R: τ = Q R⁻ᵀ P r.
  Matrix A(which.size(), f);
  for (std::size_t i = 0; i < which.size(); ++i)
    for (std::size_t c = 0; c < f; ++c) A(i, c) = reduced.T(which[i], c);
  const PivotedColumns columns = orthonormalised(A);
  if (columns.chosen.size() < f)
    return std::vector<Problem>{problem("the speeds that are pushed leave " +
                                            std::to_string(f - columns.chosen.size()) + " of " +
                                            std::to_string(f) + " degrees of freedom to themselves",
                                        "push more of them")};
  Vector x(f), forces(n);
  for (std::size_t k = 0; k < f; ++k) {
    x[k] = wanted[columns.chosen[k]];
    for (std::size_t i = 0; i < k; ++i) x[k] -= columns.R[k][i] * x[i];
    x[k] /= columns.R[k][k];
    for (std::size_t i = 0; i < which.size(); ++i) forces[which[i]] += columns.Q[k][i] * x[k];
  }
  return forces;
}

// ----------------------------------------------------------------------------------- linearisation

namespace {

std::vector<Problem> notPlaced() {
  return {problem("a pose near by cannot be placed: the mechanism is at the end of its range",
                  "move it away from there, or assemble it again")};
}

}  // namespace

Result<Linearisation> Dynamics::linearise(std::span<const double> forces) const {
  const Impl& d = *impl_;
  const std::size_t n = d.freedom();
  assert(forces.size() == n);
  Linearisation out{Matrix(2 * n, 2 * n), Matrix(2 * n, n)};
  Evaluator evaluator = d.evaluator();
  const auto accelerate = [&](const Vector& y, const Vector& u, Vector& change) {
    Terms at;
    at.state = d.terms.state;
    Held held;
    if (!evaluator.evaluate(y, u, at) || !held.load(evaluator.massMatrix(at), at.J)) return false;
    Vector b(forces.begin(), forces.end());
    subtract(b, evaluator.inverse(at, {}, BiasParts::SpeedsAndLoads));
    change = solveHeld(held, at.J, at.drift, std::move(b)).accelerations;
    return true;
  };
  for (std::size_t c = 0; c < n; ++c) {
    Vector unit(n), place, speed;
    unit[c] = 1;
    const Vector y = d.chartOf(unit), turned = d.turned(unit);
    const auto moved = [&](double t, Vector& change) {
      Vector there = y;
      for (double& x : there) x *= t;
      return accelerate(there, d.u, change);
    };
    const auto sped = [&](double t, Vector& change) {
      Vector u = d.u;
      u[c] += t;
      return accelerate(Vector(n), u, change);
    };
    if (!slopeOf(kShift, moved, place) || !slopeOf(kSpeedShift, sped, speed)) return notPlaced();
    for (std::size_t r = 0; r < n; ++r) {
      out.A(r, c) = turned[r];
      out.A(n + r, c) = place[r];
      out.A(n + r, n + c) = speed[r];
    }
    out.A(c, n + c) = 1;
    // L⁻ᵀ (1 - Q Qᵀ) L⁻¹
    solveLower(d.held.L, unit.data());
    for (const Vector& q : d.held.columns.Q) {
      double a = 0;
      for (std::size_t i = 0; i < n; ++i) a += q[i] * unit[i];
      for (std::size_t i = 0; i < n; ++i) unit[i] -= a * q[i];
    }
    solveLowerTransposed(d.held.L, unit.data());
    for (std::size_t r = 0; r < n; ++r) out.B(n + r, c) = unit[r];
  }
  return out;
}

Result<Linearisation> Dynamics::lineariseReduced(std::span<const double> forces) const {
  const Impl& d = *impl_;
  const std::size_t n = d.freedom();
  assert(forces.size() == n);
  const Result<ReducedDynamics> here = reduce();
  if (!here) return here.problems();
  const Impl::Choice choice = d.choose();
  const std::size_t f = choice.independent.size();
  Linearisation out{Matrix(2 * f, 2 * f), Matrix(2 * f, n)};
  Evaluator evaluator = d.evaluator();
  const auto accelerate = [&](Vector y, Vector u, Vector& change) {
    Terms at;
    at.state = d.terms.state;
    Vector all;
    ReducedDynamics there;
    if (!d.close(choice, evaluator, u, y, at) || !Impl::completed(choice, at, u, all) ||
        !evaluator.evaluate(y, all, at) ||
        !Impl::reduced(choice, evaluator, at, BiasParts::SpeedsAndLoads, there))
      return false;
    change = tenon::forwardDynamics(there, forces);
    return true;
  };
  for (std::size_t c = 0; c < f; ++c) {
    Vector along(n), place, speed;
    for (std::size_t i = 0; i < n; ++i) along[i] = here->T(i, c);
    const Vector y = d.chartOf(along), turned = d.turned(along);
    const auto moved = [&](double t, Vector& change) {
      Vector there = y;
      for (double& x : there) x *= t;
      return accelerate(there, d.u, change);
    };
    const auto sped = [&](double t, Vector& change) {
      Vector u = d.u;
      u[choice.independent[c]] += t;
      return accelerate(Vector(n), u, change);
    };
    if (!slopeOf(kShift, moved, place) || !slopeOf(kSpeedShift, sped, speed)) return notPlaced();
    for (std::size_t r = 0; r < f; ++r) {
      out.A(r, c) = turned[choice.independent[r]];
      out.A(f + r, c) = place[r];
      out.A(f + r, f + c) = speed[r];
    }
    out.A(c, f + c) = 1;
  }
  Matrix L = here->mass;
  if (!factorCholesky(L)) return notPlaced();
  for (std::size_t t = 0; t < n; ++t) {
    Vector column(f);
    for (std::size_t r = 0; r < f; ++r) column[r] = here->T(t, r);
    solveLower(L, column.data());
    solveLowerTransposed(L, column.data());
    for (std::size_t r = 0; r < f; ++r) out.B(f + r, t) = column[r];
  }
  return out;
}

}  // namespace tenon
