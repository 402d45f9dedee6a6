// Articulated bodies: motion in joint coordinates, at a cost that is linear in the joints.
//                                     [Armstrong1979, Featherstone1983, ForseyWilhelms1988 §3 to §4.5]
//
//   begin      a forest of joints over the solids, charts y = 0 there, the nearest velocities that it allows
//   integrate  ÿ(y, ẏ, t) by articulated bodies, by Euler, Runge and Kutta, an embedded pair, or Adams and
//              Moulton
//   finish     solids where y says; loops closed by Newton's method, velocities made to fit them
// Rows that the forest leaves over (loops, gears, rolling, prescribed motion) are held by multipliers,
// A λ = -(J a + drift), or, as in Manikin, by heavy pseudo-segments. Limits are springs and dampers beyond
// their bounds. Steps that fail are halved.
#include <tenon/loads.h>

#include <algorithm>
#include <cmath>

#include "math/portable.h"
#include "methods/verbs.h"

namespace tenon {

namespace {

// Explicit Runge-Kutta methods; `error` is the difference to the embedded one.
struct Tableau {
  std::size_t stages;
  double at[7], weight[7], error[7];
  double from[7][6];
};
constexpr Tableau kEuler{1, {0}, {1}, {}, {}};
constexpr Tableau kRk4{4,
                       {0, 0.5, 0.5, 1},
                       {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                       {},
                       {{}, {0.5}, {0, 0.5}, {0, 0, 1}}};
constexpr Tableau kDormandPrince{
    7,
    {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
    {{},
     {1.0 / 5},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}};

// Springs of limits and pseudo-segments: ω dt = 1/2 with critical damping, which every integrator here
// follows.
constexpr double kSpring = 0.25;

using Vector = std::vector<double>;

// Step control has so many evaluations of accelerations within one step, and parts of it that are so short: shorter ones only
// come nearer to where rows lose their rank, and never past it.
constexpr int kMostEvaluations = 5000;
constexpr double kShortest = 1.0 / 4096;

enum class Outcome : std::uint8_t {
  Good,
  Open,  // loops could not be closed
  Bad,   // no place, or no number
};

class Recursion {
 public:
  Recursion(const Mechanism& m, const Control& control, const StepSettings& settings, double dt,
            RecursiveBuffers& buffers, StepReport& report)
      : m_(m), control_(control), settings_(settings), dt_(dt), b_(buffers), report_(report) {}

  // The forest at the state, charts there, and velocities that it allows. `first`: see JointTree::grow.
  bool begin(State& state, Index first) {
    b_.tree.grow(m_, control_, state, first);
    const std::size_t n = b_.tree.freedom();
    b_.y.assign(n, 0);
    b_.rate.assign(n, 0);
    b_.change.assign(n, 0);
    if (!b_.tree.place(m_, b_.y.data(), nullptr, state)) return false;
    loadMasses(state, JointTree::Bias::Rate);
    if (!b_.tree.factor()) return false;
    // M v' = M v + impulses of the joints.
    b_.force.assign(m_.solids.size(), Six{});
    for (Index s = 0; s < m_.solids.size(); ++s) {
      if (m_.solids[s].kind != SolidKind::Dynamic) continue;
      const Vec3 p = m_.solids[s].mass * state.velocity[s], L = spinMomentum(state, s);
      b_.force[s] = {p.x, p.y, p.z, L.x, L.y, L.z};
    }
    b_.tree.sweep(JointTree::Bias::Rate, b_.force, b_.rate.data(), b_.motion);
    for (Index s = 0; s < m_.solids.size(); ++s) {
      if (m_.solids[s].kind != SolidKind::Dynamic) continue;
      const Six& v = b_.motion[s];
      state.velocity[s] = {v[0], v[1], v[2]};
      state.spin[s] = {v[3], v[4], v[5]};
    }
    chooseHeavy(state);
    return holdVelocities(state);
  }

  // One step of h, of those that make up the whole one. `error`: of the integration, 1 being allowed.
  Outcome attempt(double h, State& state, double& error) {
    if (!begin(state, kWorld)) return Outcome::Bad;
    b_.begun = state;
    b_.begunRate = b_.rate;  // to begin with once more
    slip_ = kInfinity;
    for (int tries = 0;; ++tries) {
      b_.y.assign(b_.y.size(), 0);
      if (!integrate(h, error)) return Outcome::Bad;
      state.time = b_.begun.time + h;
      followPaths(m_, state);
      if (!b_.tree.place(m_, b_.y.data(), b_.rate.data(), state)) return Outcome::Bad;
      if (report_.heavyRows == 0 || !slipped(h, state) || tries == kTries) break;
      ++report_.retries;
      state = b_.begun;
      b_.rate = b_.begunRate;
    }
    if (report_.heavyRows > 0) {
      report_.slip = std::max(report_.slip, slip_);
      report_.converged = report_.converged && slip_ <= settings_.recursive.slip;
    }
    const Outcome outcome = closeLoops(state);
    if (outcome != Outcome::Bad && !holdVelocities(state)) return Outcome::Bad;
    return outcome;
  }

  // Moves on in y until the rows that the forest leaves over hold, and `extra`, if there is one.
  Outcome closeLoops(State& state, bool extra = false, Index joint = 0, Index coordinate = 0,
                     double value = 0) {
    double last = kInfinity;
    for (int k = 0;; ++k) {
      gatherRows(state);
      if (extra) {
        emitCoordinateRow(m_, state, joint, coordinate, b_.rows);
        b_.rows.rows.back().error -= value;
        b_.held.push_back(static_cast<Index>(b_.rows.rows.size() - 1));
      }
      std::size_t kept = 0;
      double error = 0;
      for (const Index r : b_.held) {
        if (b_.rows.rows[r].velocity || b_.rows.rows[r].inertia > 0) continue;
        b_.held[kept++] = r;
        error = std::max(error, std::abs(b_.rows.rows[r].error));
        if (!std::isfinite(b_.rows.rows[r].error)) return Outcome::Bad;
      }
      b_.held.resize(kept);
      // One more where it helps: Newton's steps are cheap, and gain twice the digits.
      if (error <= 0.01 * settings_.tolerance ||
          (error <= settings_.tolerance && error > 0.1 * last))
        return Outcome::Good;
      const int most = settings_.iterations > 0 ? settings_.iterations : 30;
      if (k == most || (k > 5 && error > 2 * last))
        return error <= settings_.tolerance ? Outcome::Good : Outcome::Open;
      last = std::min(last, error);
      ++report_.iterations;
      b_.b.resize(kept);
      for (std::size_t i = 0; i < kept; ++i) b_.b[i] = -b_.rows.rows[b_.held[i]].error;
      loadMasses(state, JointTree::Bias::None);
      if (!b_.tree.factor() || !respond(state)) return Outcome::Bad;
      double longest = 0;
      for (const double d : b_.change) longest = std::max(longest, std::abs(d));
      const double scale = longest > settings_.truncation ? settings_.truncation / longest : 1;
      for (std::size_t i = 0; i < b_.y.size(); ++i) b_.y[i] += scale * b_.change[i];
      if (!b_.tree.place(m_, b_.y.data(), b_.rate.data(), state)) return Outcome::Bad;
    }
  }

  // Velocities that the rows left over allow, too.
  bool holdVelocities(State& state) {
    gatherRows(state);
    if (b_.held.empty()) return true;
    b_.b.resize(b_.held.size());
    for (std::size_t i = 0; i < b_.held.size(); ++i) {
      const Row& row = b_.rows.rows[b_.held[i]];
      b_.b[i] = row.inertia > 0 ? 0 : -row.rate;
    }
    loadMasses(state, JointTree::Bias::None);
    if (!b_.tree.factor() || !respond(state)) return false;
    for (std::size_t i = 0; i < b_.rate.size(); ++i) b_.rate[i] += b_.change[i];
    moveVelocities(m_, 1, b_.motion, state);
    return true;
  }

  // ÿ and the accelerations of the solids (b_.motion) at y, ẏ and a time, in b_.stage.
  bool accelerate(double time, const Vector& y, const Vector& rate, Vector& acceleration) {
    State& state = b_.stage;
    state.time = time;
    followPaths(m_, state);
    if (!b_.tree.place(m_, y.data(), rate.data(), state)) return false;
    return accelerate(state, acceleration);
  }
  bool accelerate(const State& state, Vector& acceleration) {
    ++report_.evaluations;
    gatherRows(state);
    loadMasses(state, JointTree::Bias::Acceleration);
    for (const Row& row : b_.rows.rows)
      if (heavy(row)) b_.tree.addMass(blockOf(row), b_.heavyMass[row.key]);
    if (!b_.tree.factor()) return false;
    gatherForces(state);
    acceleration.resize(b_.tree.freedom());
    b_.tree.sweep(JointTree::Bias::Acceleration, b_.force, acceleration.data(), b_.motion);
    if (!b_.held.empty()) {
      b_.b.resize(b_.held.size());
      for (std::size_t i = 0; i < b_.held.size(); ++i) {
        const Row& row = b_.rows.rows[b_.held[i]];
        b_.b[i] = -along(b_.rows, row, b_.motion) - row.drift;
      }
      if (!multipliers(state)) return false;
      b_.ranks.see(
          b_.held.size(), [this](std::size_t i) { return b_.rows.rows[b_.held[i]].key; },
          [this](std::size_t i) { return b_.loops.pivot(i) / b_.mobility[i]; });
      pushHeld(b_.force);
      b_.tree.sweep(JointTree::Bias::Acceleration, b_.force, acceleration.data(), b_.motion);
    }
    for (const double a : acceleration)
      if (!std::isfinite(a)) return false;
    return true;
  }

  // Whether a row that multipliers hold, at the state where it began, holds against motion in the joint.
  [[nodiscard]] bool somethingDependsOn(Index joint) const {
    for (const Index r : b_.held)
      if (const Row& row = b_.rows.rows[r];
          !(row.inertia > 0) && b_.tree.isMovedBy(m_, b_.rows, row, joint))
        return true;
    return b_.tree.seatOf(joint).child == kWorld;
  }

  // Moves the far side of a joint of the forest to a value of one of its coordinates, the joint's other
  // free coordinates and the rates of all staying what they are. False if it does not get there.
  bool turnTo(Index index, Index coordinate, double value, State& state) {
    const JointTree::Seat seat = b_.tree.seatOf(index);
    if (seat.child == kWorld) return true;  // left to closeLoops
    const auto count = static_cast<std::size_t>(seat.count);
    double *y = b_.y.data() + seat.first, *rate = b_.rate.data() + seat.first;
    readCoordinates(index, coordinate, seat, state);
    double goals[kMaxCoordinates + 1], rates[kMaxCoordinates + 1];
    for (std::size_t c = 0; c < count_; ++c) {
      goals[c] = c == chosen_ ? value : b_.rows.rows[c].error;
      rates[c] = b_.rows.rows[c].rate;
    }
    const bool derived = coordinate >= static_cast<Index>(m_.joints[index].kind->freeCount);
    bool there = false;
    for (int k = 0; k < 20 && !there; ++k) {
      double change[6] = {}, farthest = 0;
      for (std::size_t c = 0; c < count_; ++c) {
        if (derived && c != chosen_) continue;  // it is made of these
        const double off = goals[c] - b_.rows.rows[c].error;
        if (!std::isfinite(off) || !dualOf(c, count)) return false;
        farthest = std::max(farthest, std::abs(off));
        for (std::size_t i = 0; i < count; ++i) change[i] += off * dual_[i];
      }
      there = farthest <= 0.1 * settings_.tolerance;
      if (there) break;
      for (std::size_t i = 0; i < count; ++i) y[i] += change[i];
      if (!b_.tree.place(m_, b_.y.data(), b_.rate.data(), state)) return false;
      readCoordinates(index, coordinate, seat, state);
    }
    for (std::size_t c = 0; c < count_; ++c) {
      if (derived || !dualOf(c, count)) continue;
      const double off = rates[c] - b_.rows.rows[c].rate;
      for (std::size_t i = 0; i < count; ++i) rate[i] += off * dual_[i];
    }
    return b_.tree.place(m_, b_.y.data(), b_.rate.data(), state) && there;
  }

 private:
  static constexpr int kTries = 8;

  [[nodiscard]] Vec3 spinMomentum(const State& state, Index s) const {
    const Quat& q = state.orientation[s];
    return rotate(q, m_.solids[s].inertia * rotate(conjugate(q), state.spin[s]));
  }

  // ------------------------------------------------------------------------------------------ rows

  [[nodiscard]] bool heavy(const Row& row) const {
    return row.equality && !row.velocity && b_.heavyMass[row.key] > 0;
  }
  [[nodiscard]] const RowBlock& blockOf(const Row& row) const {  // of its dynamic solid
    Index b = row.firstBlock;
    while (m_.solids[b_.rows.blocks[b].solid].kind != SolidKind::Dynamic) ++b;
    return b_.rows.blocks[b];
  }

  // What the forest leaves over at a state; rows that multipliers hold in b_.held.
  void gatherRows(const State& state) {
    b_.rows.clear();
    b_.held.clear();
    for (const Index joint : b_.tree.emitting()) emitJointRows(m_, control_, state, joint, b_.rows);
    for (Index r = 0; r < b_.rows.rows.size(); ++r) {
      const Row& row = b_.rows.rows[r];
      const bool holds = row.inertia > 0 ? b_.tree.seatOf(row.asker.number).child == kWorld
                                         : row.equality && !b_.tree.takes(m_, row) && !heavy(row);
      if (holds && b_.tree.moves(b_.rows, row)) b_.held.push_back(r);
    }
  }

  // Masses at the state, and rotors on joints of the forest: ċ = g·ẏ + κ, c̈ = g·ÿ + κ̇, κ being what the joint brings
  // by itself. Their momentum I ċ is that of the state's velocities, their force -I κ̇.
  void loadMasses(const State& state, JointTree::Bias bias) {
    b_.tree.loadMasses(m_, state);
    for (const MechanismRule& rule : m_.rules) {
      if (rule.kind != CoordinateRule::Kind::Armature) continue;
      const JointTree::Seat seat = b_.tree.seatOf(rule.joint);
      if (seat.child == kWorld) continue;
      b_.rotor.clear();
      emitCoordinateRow(m_, state, rule.joint, rule.coordinate, b_.rotor);
      const Row& row = b_.rotor.rows.front();
      double g[6] = {}, rate = row.timeRate, drift = row.drift;
      for (const RowBlock& block : b_.rotor.blocks) {
        if (block.solid == seat.child) {
          for (int i = 0; i < 6; ++i) {
            for (int k = 0; k < seat.count; ++k) g[k] += block.J[i] * seat.S[k][i];
            rate += block.J[i] * seat.rateBias[i];
            drift += block.J[i] * seat.accelerationBias[i];
          }
        } else if (m_.solids[block.solid].kind != SolidKind::Dynamic) {
          for (int i = 0; i < 3; ++i)
            rate += block.J[i] * state.velocity[block.solid][i] +
                    block.J[3 + i] * state.spin[block.solid][i];
        }
      }
      const double force = bias == JointTree::Bias::Rate ? row.rate - rate : -drift;
      b_.tree.addRotor(rule.joint, g, rule.inertia, rule.inertia * force);
    }
  }

  // Rows between one solid and the ground become pseudo-segments, if that is asked for: as many times as
  // heavy as the scene, and as inert as that is at the row.
  void chooseHeavy(const State& state) {
    b_.heavyMass.assign(m_.slots, 0);
    b_.pull.assign(m_.slots, 0);
    gatherRows(state);
    report_.heavyRows = 0;
    if (settings_.recursive.loops == Loops::HeavySegments) {
      double mass = 0;
      for (const MechanismSolid& solid : m_.solids)
        if (solid.kind == SolidKind::Dynamic) mass += solid.mass;
      for (const Index r : b_.held) {
        const Row& row = b_.rows.rows[r];
        int dynamic = 0;
        for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
          dynamic += m_.solids[b_.rows.blocks[b].solid].kind == SolidKind::Dynamic ? 1 : 0;
        const double mobility = mobilityOf(m_, state, b_.rows, row);
        if (dynamic != 1 || row.velocity || row.inertia > 0 || !(mobility > 0)) continue;
        const MechanismSolid& solid = m_.solids[blockOf(row).solid];
        b_.heavyMass[row.key] =
            settings_.recursive.heaviness * (mass * solid.inverseMass) / mobility;
        ++report_.heavyRows;
      }
    }
    report_.loopRows = static_cast<Index>(b_.held.size()) - report_.heavyRows;
  }

  void push(const Row& row, double lambda, std::vector<Six>& force) const {
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = b_.rows.blocks[b];
      for (std::size_t i = 0; i < 6; ++i) force[block.solid][i] += lambda * block.J[i];
    }
  }
  void pushHeld(std::vector<Six>& force) const {
    for (std::size_t i = 0; i < b_.held.size(); ++i)
      push(b_.rows.rows[b_.held[i]], b_.lambda[i], force);
  }

  // λ with A λ = b_.b, the forest being factored at the state.
  bool multipliers(const State& state) {
    b_.mobility.resize(b_.held.size());
    for (std::size_t i = 0; i < b_.held.size(); ++i)
      b_.mobility[i] = mobilityOf(m_, state, b_.rows, b_.rows.rows[b_.held[i]]);
    if (!b_.loops.load(b_.tree, b_.rows, b_.held, b_.mobility)) return false;
    b_.loops.solve(b_.b, b_.lambda);
    return true;
  }
  // b_.change and b_.motion: the least motion with J motion = b_.b.
  bool respond(const State& state) {
    if (!multipliers(state)) return false;
    b_.force.assign(m_.solids.size(), Six{});
    pushHeld(b_.force);
    b_.tree.sweep(JointTree::Bias::None, b_.force, b_.change.data(), b_.motion);
    return true;
  }

  // Loads, gyroscopic torques, and what soft rows, limits and pseudo-segments push with.
  void gatherForces(const State& state) {
    gatherLoads(m_, control_, state, b_.wrenches);
    b_.force.assign(m_.solids.size(), Six{});
    for (Index s = 0; s < m_.solids.size(); ++s) {
      if (m_.solids[s].kind != SolidKind::Dynamic) continue;
      const Vec3& f = b_.wrenches[s].force;
      const Vec3 t = b_.wrenches[s].torque - cross(state.spin[s], spinMomentum(state, s));
      b_.force[s] = {f.x, f.y, f.z, t.x, t.y, t.z};
    }
    for (const Row& row : b_.rows.rows) {
      if (heavy(row)) {
        // m (J a + drift) = pull - k Φ - d Φ̇ - λ;  J a has its part in the inertia.
        const double mass = b_.heavyMass[row.key];
        const double spring =
            kSpring / (dt_ * dt_) * row.error + 2 * std::sqrt(kSpring) / dt_ * row.rate + row.drift;
        push(row, b_.pull[row.key] - mass * spring, b_.force);
        continue;
      }
      if (row.equality || !b_.tree.moves(b_.rows, row)) continue;
      if (!holds(row)) {
        push(row, softForce(row, row.velocity ? mobilityInTree(row) : 0, 0, dt_), b_.force);
      } else if (row.error < 0) {
        // A limit: Manikin's spring and damper beyond it.            [ForseyWilhelms1988 §4.3]
        const double mobility = mobilityInTree(row);
        if (!(mobility > 0)) continue;
        const double stiffness = settings_.recursive.limitStiffness > 0
                                     ? settings_.recursive.limitStiffness
                                     : kSpring / (mobility * dt_ * dt_);
        const double damping = 2 * std::sqrt(stiffness / mobility);
        push(row, std::max(0.0, -stiffness * row.error - damping * row.rate), b_.force);
      }
    }
  }
  double mobilityInTree(const Row& row) {
    b_.stops.clear();
    b_.tree.trace(b_.rows, row, b_.stops);
    double sum = 0;
    for (const JointTree::Stop& stop : b_.stops)
      for (int k = 0; k < stop.count; ++k) sum += stop.u[k] * stop.w[k];
    return sum;
  }

  // How far pseudo-segments have slipped, or will have after another step. If that is too far, and the last
  // correction did help, the force on them changes: a constant one for h moves by f h²/2m and by f h/m a
  // second, so least of all is left of Φ and h Φ̇ with f = -m (2 Φ + 4 h Φ̇)/5h².
  bool slipped(double h, const State& state) {
    gatherRows(state);
    const double last = slip_;
    slip_ = 0;
    for (const Row& row : b_.rows.rows)
      if (heavy(row)) slip_ = std::max({slip_, std::abs(row.error), h * std::abs(row.rate)});
    if (slip_ <= settings_.recursive.slip || slip_ > 0.9 * last) return false;
    for (const Row& row : b_.rows.rows)
      if (heavy(row))
        b_.pull[row.key] -=
            b_.heavyMass[row.key] * (0.4 * row.error / (h * h) + 0.8 * row.rate / h);
    return true;
  }

  // Rows of the free coordinates of a joint, and of `coordinate` if it is none of them; gradients by the y of
  // the joint.
  void readCoordinates(Index index, Index coordinate, const JointTree::Seat& seat,
                       const State& state) {
    const auto free = static_cast<Index>(m_.joints[index].kind->freeCount);
    b_.rows.clear();
    for (Index c = 0; c < free; ++c) emitCoordinateRow(m_, state, index, c, b_.rows);
    if (coordinate >= free) emitCoordinateRow(m_, state, index, coordinate, b_.rows);
    chosen_ = std::min(coordinate, free);
    count_ = b_.rows.rows.size();
    for (std::size_t r = 0; r < count_; ++r) {
      const Row& row = b_.rows.rows[r];
      for (int k = 0; k < seat.count; ++k) gradient_[r][k] = 0;
      for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
        for (int k = 0; k < seat.count && b_.rows.blocks[b].solid == seat.child; ++k)
          for (int i = 0; i < 6; ++i) gradient_[r][k] += b_.rows.blocks[b].J[i] * seat.S[k][i];
    }
  }
  // The motion in y that changes one coordinate by 1 and no other free one; if there is none (a coordinate
  // derived from the others), the shortest that changes it.
  bool dualOf(std::size_t which, std::size_t n) {
    double basis[kMaxCoordinates + 1][6];
    std::size_t size = 0;
    const auto across = [&](const double* from, double* v) {
      for (std::size_t i = 0; i < n; ++i) v[i] = from[i];
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t b = 0; b < size; ++b) {
          const double a = product(basis[b], v, n);
          for (std::size_t i = 0; i < n; ++i) v[i] -= a * basis[b][i];
        }
      return product(v, v, n);
    };
    const double whole = product(gradient_[which], gradient_[which], n);
    for (std::size_t c = 0; c < count_; ++c) {
      if (c == which) continue;
      const double rest = across(gradient_[c], basis[size]);
      if (!(rest > 1e-16 * product(gradient_[c], gradient_[c], n))) continue;
      for (std::size_t i = 0; i < n; ++i) basis[size][i] /= std::sqrt(rest);
      ++size;
    }
    double rest = across(gradient_[which], dual_);
    if (!(rest > 1e-12 * whole)) {
      size = 0;
      rest = across(gradient_[which], dual_);
    }
    if (!(rest > 0)) return false;
    for (std::size_t i = 0; i < n; ++i) dual_[i] /= rest;
    return true;
  }
  static double product(const double* a, const double* b, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }

  // --------------------------------------------------------------------------------- integration

  bool integrate(double h, double& error) {
    b_.stage = b_.begun;
    error = 0;
    switch (settings_.integrator) {
      case Integrator::Euler:
        return stepBy(kEuler, b_.begun.time, h, b_.y, b_.rate, nullptr);
      case Integrator::Rk4:
        return stepBy(kRk4, b_.begun.time, h, b_.y, b_.rate, nullptr);
      case Integrator::Rk45:
        if (!stepBy(kDormandPrince, b_.begun.time, h, b_.y, b_.rate, &error)) return false;
        error *= dt_ / (h * settings_.recursive.stepTolerance);
        return true;
      case Integrator::AdamsMoulton:
        return adamsMoulton(h);
    }
    return false;
  }

  // Where a step ends, forces may end too, joints, or the path of a hand: the step is to see what was before.
  static double justBefore(double time, double h) {
    return time - std::max(1e-9 * h, 4e-16 * std::abs(time));
  }

  // y and ẏ on by h; `error`: largest difference to the embedded method.
  bool stepBy(const Tableau& tableau, double time, double h, Vector& y, Vector& rate,
              double* error) {
    const std::size_t n = y.size();
    for (std::size_t s = 0; s < tableau.stages; ++s) {
      b_.stageY = y;
      b_.stageRate[s] = rate;
      for (std::size_t p = 0; p < s; ++p) {
        const double part = h * tableau.from[s][p];
        if (part == 0) continue;
        for (std::size_t i = 0; i < n; ++i) {
          b_.stageY[i] += part * b_.stageRate[p][i];
          b_.stageRate[s][i] += part * b_.stageAcceleration[p][i];
        }
      }
      const double at = tableau.at[s] < 1 ? time + tableau.at[s] * h : justBefore(time + h, h);
      if (!accelerate(at, b_.stageY, b_.stageRate[s], b_.stageAcceleration[s])) return false;
    }
    if (error) *error = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double offY = 0, offV = 0;
      for (std::size_t s = 0; s < tableau.stages; ++s) {
        y[i] += h * tableau.weight[s] * b_.stageRate[s][i];
        rate[i] += h * tableau.weight[s] * b_.stageAcceleration[s][i];
        offY += h * tableau.error[s] * b_.stageRate[s][i];
        offV += h * tableau.error[s] * b_.stageAcceleration[s][i];
      }
      if (error) *error = std::max({*error, std::abs(offY), std::abs(offV)});
    }
    return true;
  }

  // Predictor of Adams and Bashforth, corrector of Adams and Moulton, both of fourth order, from 0 to h in one
  // chart; Runge and Kutta's steps to begin with, and again whenever the length changes. Nothing is
  // remembered from one step to the next, so that State is all there is.
  //   y* = y + h/24 (55 f - 59 f₋₁ + 37 f₋₂ - 9 f₋₃),  y' = y + h/24 (9 f* + 19 f - 5 f₋₁ + f₋₂)
  //   error of y' ≈ 19/270 (y' - y*)                                                      [Milne]
  bool adamsMoulton(double whole) {
    const std::size_t n = b_.y.size();
    const double from = b_.begun.time, least = whole * kShortest;
    double h = whole / 4, done = 0;
    const auto remember = [&](std::size_t k, const Vector& rate) {
      b_.pastRate[k] = rate;
      return accelerate(from + done, b_.y, rate, b_.pastAcceleration[k]);
    };
    while (done < whole * (1 - 1e-12)) {
      if (report_.evaluations >= kMostEvaluations) return false;
      b_.anchorY = b_.y;
      b_.anchorV = b_.rate;
      const double anchor = done;
      if (!remember(3, b_.rate)) return false;
      for (std::size_t k = 3; k-- > 0;) {
        if (!stepBy(kRk4, from + done, h, b_.y, b_.rate, nullptr)) return false;
        done += h;
        if (!remember(k, b_.rate)) return false;
      }
      for (bool fresh = true; done < whole * (1 - 1e-12); fresh = false) {
        b_.stageY = b_.y;
        b_.stageV = b_.rate;
        const auto combine = [&](const double(&c)[4], std::size_t shift, Vector& y, Vector& v) {
          for (std::size_t k = 0; k < 4 - shift; ++k)
            for (std::size_t i = 0; i < n; ++i) {
              y[i] += h / 24 * c[k + shift] * b_.pastRate[k][i];
              v[i] += h / 24 * c[k + shift] * b_.pastAcceleration[k][i];
            }
        };
        static constexpr double kBashforth[4] = {55, -59, 37, -9}, kMoulton[4] = {9, 19, -5, 1};
        combine(kBashforth, 0, b_.stageY, b_.stageV);
        if (report_.evaluations >= kMostEvaluations) return false;
        if (!accelerate(justBefore(from + done + h, h), b_.stageY, b_.stageV,
                        b_.stageAcceleration[0]))
          return false;
        b_.stageRate[0] = b_.y;  // corrected
        b_.stageRate[1] = b_.rate;
        combine(kMoulton, 1, b_.stageRate[0], b_.stageRate[1]);
        double off = 0;
        for (std::size_t i = 0; i < n; ++i) {
          b_.stageRate[0][i] += h / 24 * kMoulton[0] * b_.stageV[i];
          b_.stageRate[1][i] += h / 24 * kMoulton[0] * b_.stageAcceleration[0][i];
          off = std::max({off, std::abs(b_.stageRate[0][i] - b_.stageY[i]),
                          std::abs(b_.stageRate[1][i] - b_.stageV[i])});
        }
        const double error = 19.0 / 270 * off * dt_ / (h * settings_.recursive.stepTolerance);
        if (error > 1 && h > least) {
          if (fresh) {  // the steps before it were as long
            b_.y = b_.anchorY;
            b_.rate = b_.anchorV;
            done = anchor;
          }
          h = std::min(h / 2, (whole - done) / 4);
          ++report_.rejected;
          break;
        }
        if (error > 1) report_.converged = false;
        b_.y = b_.stageRate[0];
        b_.rate = b_.stageRate[1];
        done += h;
        ++report_.substeps;
        const double left = (whole - done) / h;  // steps
        if (error < 0.01 && left > 7.5 && std::abs(left / 2 - std::floor(left / 2 + 0.5)) < 0.25) {
          h *= 2;
          break;
        }
        std::swap(b_.pastRate[3], b_.pastRate[2]);
        std::swap(b_.pastRate[2], b_.pastRate[1]);
        std::swap(b_.pastRate[1], b_.pastRate[0]);
        std::swap(b_.pastAcceleration[3], b_.pastAcceleration[2]);
        std::swap(b_.pastAcceleration[2], b_.pastAcceleration[1]);
        std::swap(b_.pastAcceleration[1], b_.pastAcceleration[0]);
        if (done < whole * (1 - 1e-12) && !remember(0, b_.rate)) return false;
      }
    }
    return true;
  }

  const Mechanism& m_;
  const Control& control_;
  const StepSettings& settings_;
  double dt_;
  RecursiveBuffers& b_;
  StepReport& report_;
  double slip_ = 0;  // of the last try
  // Of turnTo.
  std::size_t count_ = 0, chosen_ = 0;
  double gradient_[kMaxCoordinates + 1][6] = {}, dual_[6] = {};
};

// Whole turns more of a periodic coordinate: the pose is the same.
void addTurns(const Mechanism& m, Index joint, Index coordinate, double turns, State& state) {
  Index place = m.joints[joint].firstMemory;
  for (Index c = 0; c < coordinate; ++c)
    place += m.joints[joint].kind->coordinates[c].periodic ? 1 : 0;
  if (std::isnan(state.memory[place])) rememberTurns(m, state);
  state.memory[place] += 2 * kPi * turns;
}

std::string_view noteOf(const StepReport& report) {
  if (report.heavyRows > 0)
    return report.loopRows > 0
               ? "heavy segments hold the loops on the ground, and multipliers hold the others"
               : "heavy segments hold the loops";
  return report.loopRows > 0 ? "multipliers hold the loops, and each step ends by closing them"
                             : "";
}

}  // namespace

void stepByRecursion(const Mechanism& m, const Control& control, const StepSettings& settings,
                     double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  RecursiveBuffers& b = buffers.recursive;
  StepSettings how = settings;
  Recursion recursion(m, control, how, dt, b, report);
  const double from = state.time;
  constexpr int kDeepest = 10, kDeepestOpen = 3;
  double done = 0, h = dt;
  b.ranks.begin(dt, state);
  b.whole = state;
  bool controlled =
      how.integrator == Integrator::Rk45 || how.integrator == Integrator::AdamsMoulton;
  while (done < dt) {
    if (h > (dt - done) * (1 - 1e-9)) h = dt - done;
    b.start = state;
    double error = 0;
    const Outcome outcome = recursion.attempt(h, state, error);
    const bool failed =
        outcome == Outcome::Bad || (outcome == Outcome::Open && h > dt / (1 << kDeepestOpen));
    const bool inaccurate = outcome != Outcome::Bad && error > 1;
    // An accuracy that cannot be had: the whole step once more without, and not called accurate. It goes past the place.
    if (controlled &&
        (report.evaluations >= kMostEvaluations || (inaccurate && !(h > dt * kShortest)))) {
      controlled = false;
      how.integrator = Integrator::Rk4;
      report.converged = false;
      state = b.whole;
      done = 0;
      h = dt;
      continue;
    }
    // Fourth order, as the error is allowed per time: h' = 0.9 h error^(-1/4).
    const bool adaptive = how.integrator == Integrator::Rk45;
    const double factor = adaptive && error > 0
                              ? std::clamp(0.9 * exponential(-0.25 * logarithm(error)), 0.2, 4.0)
                              : 4.0;
    if (failed || inaccurate) {
      state = b.start;
      if (failed && (!(h > dt / (1 << kDeepest)) || report.evaluations > 3 * kMostEvaluations)) {
        report.stuck = true;
        report.finite = false;
        return;
      }
      h *= failed ? 0.5 : factor;
      ++(failed ? report.halvings : report.rejected);
      continue;
    }
    if (outcome == Outcome::Open) report.converged = false;
    done = h == dt - done ? dt : done + h;
    state.time = from + done;
    rememberTurns(m, state);
    if (how.integrator != Integrator::AdamsMoulton) ++report.substeps;
    h *= adaptive ? factor : 2;
  }
  followPaths(m, state);
  report.singular = b.ranks.fell(m, control, b.whole, state);
  report.note = noteOf(report);
}

SetReport setCoordinate(const Mechanism& m, const Control& control, const StepSettings& settings,
                        Index joint, Index coordinate, double value, State& state,
                        StepScratch& scratch) {
  constexpr int kMostStrides = 1000;
  constexpr double kStride = 0.1;   // [m], [rad]: small, so that loops stay on their branch
  constexpr double kTurn = 1;       // [rad] where nothing else depends on it: within a chart
  constexpr double kLeast = 1e-4;   // a shorter stride leads nowhere
  constexpr double kGained = 0.25;  // of a stride: less is no progress
  SetReport report;
  StepReport counts;
  StepSettings held = settings;
  held.recursive.loops = Loops::Multipliers;
  RecursiveBuffers& b = scratch.buffers().recursive;
  Recursion recursion(m, control, held, 1, b, counts);
  State& before = scratch.buffers().before;
  const JointKind& kind = *m.joints[joint].kind;
  // What a number as large as that can tell apart.
  const double within = std::max(settings.tolerance, 1e-15 * std::abs(value));
  double longest = kStride, stride = longest;
  const auto look = [&] {
    const double now = jointValues(m, state, joint).coordinate[coordinate];
    report.error = std::abs(value - now);
    report.reached = report.error <= within;
    return now;
  };
  double now = look();
  while (!report.reached && std::isfinite(report.error) && stride > kLeast &&
         report.strides < kMostStrides) {
    before = state;
    const double far = report.error;
    bool done = recursion.begin(state, joint);
    if (done && report.strides == 0 && !recursion.somethingDependsOn(joint)) {
      longest = stride = kind.coordinates[coordinate].angular ? kTurn : kInfinity;
      if (kind.locked != 0 && kind.coordinates[coordinate].periodic && m.joints[joint].remembers)
        addTurns(m, joint, coordinate, std::floor((value - now) / (2 * kPi) + 0.5), state);
      now = look();
    }
    ++report.strides;
    const double step = std::min(stride, report.error);
    const double goal = step == report.error ? value : value > now ? now + step : now - step;
    done = done && recursion.turnTo(joint, coordinate, goal, state) &&
           recursion.closeLoops(state, true, joint, coordinate, goal) == Outcome::Good &&
           recursion.holdVelocities(state);
    if (done) {
      rememberTurns(m, state);
      now = look();
      done = report.reached || report.error < far - kGained * step;
    }
    if (done) {
      stride = std::min(2 * stride, longest);
      continue;
    }
    state = before;
    now = look();
    stride = step / 2;
  }
  report.iterations = counts.iterations;
  state.rest.clear();  // what sleeps is woken
  return report;
}

bool treeAcceleration(const Mechanism& m, const Control& control, const StepSettings& settings,
                      double dt, State& state, RecursiveBuffers& buffers,
                      std::vector<Six>& motion) {
  StepReport report;
  Recursion recursion(m, control, settings, dt, buffers, report);
  if (!recursion.begin(state, kWorld)) return false;
  buffers.stage = state;
  if (!recursion.accelerate(state.time, buffers.y, buffers.rate, buffers.change)) return false;
  motion = buffers.motion;
  return true;
}

}  // namespace tenon
