#include "methods/end_solve.h"

#include <algorithm>
#include <cmath>

#include "joints/joint_math.h"
#include "math/rotation.h"
#include "methods/verbs.h"

namespace tenon {

namespace {

constexpr int kMostIterations = 16;  // since a row came to hold or ceased to
constexpr int kMostOfAll = 40;
// Of the tolerance: how far momenta may be off. Over a step this is energy; the end's own step damps.
constexpr double kMomentaOverStep = 1e-3, kMomentaAtEnd = 1;
// Of what is allowed: the error that the matrix of an earlier iteration should leave where it serves again. What it
// leaves has always the same sign, and adds up over a thousand steps; Newton's own matrix leaves rounding.
constexpr double kSureAtEnd = 0.5, kSureOverStep = 0.01;
constexpr double kLeftOverStep = 0.1;  // … and what it may leave over a step
constexpr double kSlight = 0.01;       // of the tolerance: what needs no second look
// Of what momenta may be off by: what is corrected without another look, if the error fell by so much before it.
constexpr double kUnseenOverStep = 20, kUnseenAtEnd = 2, kSureRate = 1e-3;
constexpr double kOpenForSure = 0.05;  // [m], [rad]
constexpr double kOpen = 1e-6;         // [m], [rad] an error that is no rounding
// Of half the turn in a step. Mean spins are 2 tan(φ/2)/dt, which is too fast by φ²/12: 0.8 rad are 5 %. At
// the end 1.5 rad, so that two solids turn by less than half a turn against each other.
constexpr double kCosOverStep = 0.921, kCosAtEnd = 0.732;
constexpr double kMostOverStep = 1, kMostAtEnd = 1.6;  // [rad] by the velocities of the start
// Rows may repeat each other only where there are loops, of joints or of bounds; there they must yield a
// little, in proportion to what their multiplier moves.
constexpr double kSettled = 1e-10;  // of velocities, likewise
constexpr double kLoopCompliance = 1e-13, kTreeCompliance = 1e-14;
constexpr double kGiveAtFirst = 1e-8, kMostGive = 1e-2;
// How loosely rows that may repeat each other are held with the second matrix, likewise, and at least. The looser, the longer a
// matrix serves. It falls, because near a singular pose all of them come nearer by little only.
constexpr double kLoosely = 1e-7, kLeastLoosely = 1e-12;

// The rotation vector of a turn by less than half a turn.
Vec3 turnVector(const Quat& q) {
  const double u = 1 - q.w;
  return u < 0.05 ? (2 * angleOverSineNear(u)) * Vec3{q.x, q.y, q.z} : logarithm(q);
}

// 2 tan(φ/2) n of a turn.
Vec3 cayleyVector(const Quat& q) { return (2 / q.w) * Vec3{q.x, q.y, q.z}; }

// How the rotation vector t of a turn changes with a turn δ at its end: δt = D δ,
//   D = 1 - [t]ₓ/2 + (1/φ² - cot(φ/2)/(2φ)) [t]ₓ².
Mat3 slopeOfLogarithm(const Vec3& t) {
  const double square = dot(t, t);
  double f = 1.0 / 12 + square * (1.0 / 720 + square * (1.0 / 30240 + square / 1209600));
  if (square > 0.2) {
    const double angle = std::sqrt(square);
    const SineCosine half = sineCosine(0.5 * angle);
    f = 1 / square - half.cosine / (2 * angle * half.sine);
  }
  return identity3() - 0.5 * skew(t) + f * (skew(t) * skew(t));
}

Quat halfway(const Quat& a, const Quat& b) {
  const double s = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
  return normalized(Quat{a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w});
}

double rateOf(const Rows& rows, const Row& row, const std::vector<Vec3>& linear,
              const std::vector<Vec3>& angular) {
  double sum = 0;
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
    const RowBlock& block = rows.blocks[b];
    sum += dot(Vec3{block.J[0], block.J[1], block.J[2]}, linear[block.solid]) +
           dot(Vec3{block.J[3], block.J[4], block.J[5]}, angular[block.solid]);
  }
  return sum;
}

}  // namespace

bool EndSolve::attempt(const Mechanism& mechanism, const Control& control,
                       const StepSettings& settings, Forces forces, double dt, State& state,
                       StepReport& report) {
  m_ = &mechanism;
  control_ = &control;
  settings_ = &settings;
  over_ = forces == Forces::OverStep;
  a_ = over_ ? 2 : 1;
  dt_ = dt;
  h2_ = dt * dt / a_;
  for (Index s = 0; s < mechanism.solids.size(); ++s)  // a turn and more would look like less
    if (dt * norm(state.spin[s]) > (over_ ? kMostOverStep : kMostAtEnd)) return false;
  begin(state, dt);
  int most = settings.iterations > 0 ? settings.iterations : kMostIterations;
  const double momenta = (over_ ? kMomentaOverStep : kMomentaAtEnd) * settings.tolerance;
  const double sure = (over_ ? kSureOverStep : kSureAtEnd) * momenta;
  double last = kInfinity, lastRows = kInfinity;
  bool was = false;   // with the matrix of an earlier one
  bool firm = false;  // what rows yielded with the first matrix has been put right
  for (int k = 0;; ++k) {
    if (!evaluate() || stuck_) return false;
    calm_ = toggled_ ? 0 : calm_ + 1;
    if (toggled_ && settings.iterations == 0) most = std::min(k + kMostIterations, kMostOfAll);
    const double off = residual();
    clock_->lap(Stage::Measure);
    if (!std::isfinite(off) || !std::isfinite(rowsOff_)) return false;
    // What momenta are off by is energy lost or won in every step, always the same way: it is driven to
    // where rounding stops it, at the latest.
    const bool good =
        (rowsOff_ <= settings.tolerance && off <= (was && over_ ? kLeftOverStep : 1) * momenta) ||
        (std::max(off, rowsOff_) <= settings.tolerance && off > 0.5 * last) ||
        (std::max(off, rowsOff_) <= 100 * settings.tolerance && k == most);
    // The first matrix leaves c ν of the rows. That is within the tolerance, but along a direction that they nearly lock
    // solids are off by far more.
    const bool sound = firm || k == most || rowsOff_ <= kSlight * settings.tolerance;
    if (good && !toggled_ && stiff_ && k > 0 && sound) {
      // Rows that contradict each other share the error, and shorter steps would not help.
      if (std::max(off, rowsOff_) > settings.tolerance || error_ > kOpen) report.converged = false;
      commit(state, report);
      clock_->lap(Stage::Move);
      return true;
    }
    if (k == most) return false;
    // Where rows contradict each other by little more than the tolerance, all they do is push harder, and momenta run away.
    // In a shorter step they contradict each other less.
    if (firm && stiff_ && !toggled_ && rowsOff_ <= 10 * settings.tolerance &&
        rowsOff_ > 0.9 * lastRows && off > 10 * last && off > settings.tolerance)
      return false;
    // Newton's error falls by the square, as if by a factor that falls with it; with the matrix that is there, by the
    // same factor again and again. Twice cost less than another matrix, but leave more. Over a step the first matrix knows
    // no multipliers.
    const double rate = std::max(off, rowsOff_) / std::max(last, lastRows);
    const double leaves = was || over_ ? rate : rate * rate;
    const bool again = k > (over_ ? 1 : 0) && stiff_ && !toggled_ && leaves * off <= sure &&
                       leaves * rowsOff_ <= (over_ ? sure : kSureAtEnd * settings.tolerance) &&
                       system_.holdsAsLoaded(parts_);
    // Rows that contradict each other come no nearer. Within the tolerance they are held where they are: else their
    // multipliers grow with each iteration, by their error over how loosely they are held, and momenta never converge.
    if (firm && stiff_ && !toggled_ && rowsOff_ <= settings.tolerance &&
        rowsOff_ > 0.5 * lastRows && std::max(error_, slip_) > 0.5 * rowsOff_)
      holdWhereTheyAre();
    // Where so little is left, a correction changes what pushes by rounding, and another look would only confirm it. What
    // is taken then is nearer than what a look may accept. At the end only a look tells whether a bound has been passed.
    const bool unseen =
        again && !was && rate <= kSureRate && (over_ || !anyBounds_) &&
        std::max(off, rowsOff_) <= (over_ ? kUnseenOverStep : kUnseenAtEnd) * momenta;
    was = again;
    firm = again || stiff_;
    last = off;
    lastRows = rowsOff_;
    if (!(again ? improve() : factorise() && improve())) return false;
    ++report.iterations;
    move();
    if (unseen) {
      std::fill(push_.begin(), push_.end(), Six{});
      all_.push(nu_, push_);
      if (error_ > kOpen) report.converged = false;
      commit(state, report);
    }
    clock_->lap(Stage::Move);
    if (unseen) return true;
  }
}

void EndSolve::begin(const State& state, double dt) {
  const Mechanism& m = *m_;
  const std::size_t n = m.solids.size();
  start_ = state;
  end_ = state;
  end_.time = start_.time + dt;
  middle_ = state;
  middle_.time = start_.time + 0.5 * dt;
  movePositions(m, dt, end_);
  followPaths(m, end_);
  theta_.assign(n, Vec3{});
  L0_.assign(n, Vec3{});
  L1_.assign(n, Vec3{});
  turnedInertia_.assign(n, Mat3{});
  inertia_.assign(n, Six{});
  push_.assign(n, Six{});
  right_.assign(n, Six{});
  for (Index s = 0; s < n; ++s) {
    if (m.solids[s].kind != SolidKind::Dynamic) continue;
    const Mat3 R = rotationMatrix(state.orientation[s]);
    turnedInertia_[s] = m.solids[s].inertia * transpose(R);
    L0_[s] = R * (turnedInertia_[s] * state.spin[s]);
  }
  axes_.assign(n, Mat3{});
  inverseInertia_.assign(n, Mat3{});
  warm();
  if (over_)
    bySlot_.assign(m.slots, 0);
  else
    bySlot_ = warm_;
  rotors_.begin(m, start_);
  all_.begin(m, *control_, start_, middle_, end_, dt, over_);
  if (!over_) guess();
  fresh_ = true;
  loaded_ = false;
  give_ = 1;
  loosely_ = 0;
}

// At the end forces are about those of the step before, at its end: x_1 = x_0 + dt v_0 + dt² M⁻¹ (F + Jᵀ λ), and turns alike. Over
// a step multipliers go to and fro, and velocities alone are nearer.
void EndSolve::guess() {
  const Mechanism& m = *m_;
  all_.pushAtStart(warm_, push_);
  gatherLoads(m, *control_, start_, loads_);
  for (Index s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Six& p = push_[s];
    end_.position[s] = start_.position[s] + dt_ * start_.velocity[s] +
                       solid.inverseMass * (Vec3{p[0], p[1], p[2]} + h2_ * loads_[s].force);
    if (solid.pointMass) continue;
    const Vec3& spin = start_.spin[s];
    const Vec3 torque = Vec3{p[3], p[4], p[5]} + h2_ * (loads_[s].torque - cross(spin, L0_[s]));
    const Quat& q = start_.orientation[s];
    const Vec3 turn = dt_ * spin + rotate(q, solid.inverseInertia * rotate(conjugate(q), torque));
    if (norm(turn) <= kMostAtEnd) end_.orientation[s] = normalized(exponential(turn) * q);
  }
}

// Multipliers of the step before, but for rules that act no longer: they have no rows, and must not bend anything. Over a
// step they say which bounds may hold, no more: they go to and fro.
void EndSolve::warm() {
  const Mechanism& m = *m_;
  warm_.resize(m.slots);
  for (std::size_t i = 0; i < warm_.size(); ++i) warm_[i] = h2_ * start_.multiplier[i];
  const double time = over_ ? middle_.time : end_.time;
  for (const MechanismJoint& joint : m.joints) {
    Index slot = joint.firstSlot + ownSlots(*joint.kind);
    for (Index r = 0; r < joint.rules.count; ++r, slot += 2)
      if (!isActive(m, m.rules[joint.rules.first + r].active, time))
        warm_[slot] = warm_[slot + 1] = 0;
      else if (m.rules[joint.rules.first + r].kind == CoordinateRule::Kind::Armature)
        warm_[slot + 1] = 0;  // a rate
  }
}

// Rows, loads and momenta for the poses of end_.
bool EndSolve::evaluate() {
  const Mechanism& m = *m_;
  for (Index s = 0; s < m.solids.size(); ++s) {
    const bool turns = !m.solids[s].pointMass;
    if (turns) {
      Quat turn = end_.orientation[s] * conjugate(start_.orientation[s]);
      if (turn.w < 0) turn = {-turn.x, -turn.y, -turn.z, -turn.w};
      if (!(turn.w > (over_ ? kCosOverStep : kCosAtEnd))) return false;
      theta_[s] = over_ ? cayleyVector(turn) : turnVector(turn);
    }
    const Vec3 move = end_.position[s] - start_.position[s];
    end_.velocity[s] = middle_.velocity[s] = (1 / dt_) * move;
    end_.spin[s] = middle_.spin[s] = (1 / dt_) * theta_[s];
    if (over_) middle_.position[s] = start_.position[s] + 0.5 * move;
    if (over_ && turns)
      middle_.orientation[s] = halfway(start_.orientation[s], end_.orientation[s]);
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Vec3 p = solid.mass * (move - dt_ * start_.velocity[s]);
    inertia_[s] = {p.x, p.y, p.z, 0, 0, 0};
    if (!turns) continue;
    // I Ω_1 = a I R_0ᵀ θ/dt - b I R_0ᵀ ω_0
    Vec3 momentum = (a_ / dt_) * (turnedInertia_[s] * theta_[s]);
    if (over_) momentum = momentum - turnedInertia_[s] * start_.spin[s];
    axes_[s] = rotationMatrix(end_.orientation[s]);
    if (fresh_) inverseInertia_[s] = axes_[s] * solid.inverseInertia * transpose(axes_[s]);
    L1_[s] = axes_[s] * momentum;
    const Vec3 turn = (dt_ / a_) * (L1_[s] - L0_[s]);
    for (int i = 0; i < 3; ++i) inertia_[s][static_cast<std::size_t>(3 + i)] = turn[i];
  }
  clock_->lap(Stage::Move);
  slopes_.clear();
  all_.evaluate(middle_, end_, fresh_ ? warm_ : bySlot_, fresh_);
  clock_->lap(Stage::Rows);
  gatherStepLoads(m, *control_, start_, over_ ? middle_ : end_, end_, dt_, over_ ? 0.5 : 1, loads_,
                  slopes_);
  clock_->lap(Stage::Loads);
  chooseModes();
  clock_->lap(Stage::Rows);
  return true;
}

// ------------------------------------------------------------------------------------------- rows

// What it is off by becomes 0, but for its compliance. How loosely it is held is about what is added to its multiplier, and so
// leaves nothing in the end.
inline void EndSolve::hold(std::size_t r, double off, double loosely) {
  mode_[r] = Mode::Holds;
  const double loose = loosely * mobility_[r];
  parts_[r] = {true, give_ * mobility_[r] + loose, loose * nu_[r] - off};
}

void EndSolve::chooseModes() {
  const std::size_t n = rows_.rows.size();
  toggled_ = false;
  if (fresh_) {
    fresh_ = false;
    stuck_ = false;
    calm_ = 0;
    mode_.assign(n, Mode::Off);
    bounded_.assign(n, Bounded::Inside);
    toggles_.assign(n, 0);
    parts_.assign(n, {});
    mobility_.assign(n, 0);
    nu_.resize(n);
    total_.resize(n);
    exact_.assign(n, 0);
    anyBounds_ = false;
    for (std::size_t r = 0; r < n; ++r) {
      const Row& row = rows_.rows[r];
      const bool hard = std::isinf(row.stiffness) && !(row.inertia > 0);
      if (row.equality && hard) exact_[r] = 1;
      if (isHardBound(row)) anyBounds_ = true;
      nu_[r] = bySlot_[row.key];
      total_[r] = warm_[row.key];
      if (row.lower == 0 && !row.velocity && total_[r] == 0) bounded_[r] = Bounded::AtLower;
    }
  } else {
    total_ = nu_;
  }
  bool loops = m_->loops > 0 || anyBounds_;
  error_ = slip_ = 0;
  for (std::size_t r = 0; r < n; ++r) {
    if (exact_[r] == 0) continue;
    const Row& row = rows_.rows[r];
    if (row.velocity)
      slip_ = std::max(slip_, std::abs(dt_ * row.rate));
    else
      error_ = std::max(error_, std::abs(row.error));
  }
  // While joints are off, rows that repeat each other ask for different things, by the square of the
  // errors: only with as much compliance are there no multipliers that fight over it. It falls from
  // iteration to iteration, whatever the errors do. With the first matrix all looseness is compliance, so that what rows
  // fight with does not add up from step to step.
  const double least = loops ? kLoopCompliance : kTreeCompliance;
  const double most = std::min(0.01 * (give_ + loosely_), kMostGive);
  give_ = loops ? std::max(std::min(10 * error_ * error_, most), loaded_ ? least : kGiveAtFirst)
                : least;
  // Rows that are off by no more than they may be are held no more firmly: where they contradict each other by that little,
  // each iteration would add it over the looseness to their multipliers.
  if (!loops || !loaded_)
    loosely_ = 0;
  else if (loosely_ == 0)
    loosely_ = kLoosely;
  else if (std::max(error_, slip_) > settings_->tolerance)
    loosely_ = std::max(0.01 * loosely_, kLeastLoosely);
  stiff_ = give_ <= kLeastLoosely;
  for (std::size_t r = 0; r < n; ++r) {
    const Row& row = rows_.rows[r];
    const bool exact = exact_[r] != 0;
    if (!exact && mode_[r] == Mode::Off && isHardBound(row) &&
        restsAtZero(total_[r], row.error, bounded_[r])) {
      fix(r, 0);
      continue;
    }
    // It is the scale of a compliance: found once for the step.
    if (!(mobility_[r] > 0)) mobility_[r] = mobilityOf(row);
    if (exact && mobility_[r] > 0)
      hold(r, row.velocity ? row.rate * dt_ : row.error, loosely_);
    else
      chooseMode(r);
  }
}

// By how much a unit of its multiplier moves what it restricts.
double EndSolve::mobilityOf(const Row& row) const {
  double sum = 0;
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
    const RowBlock& block = rows_.blocks[b];
    const Vec3 force{block.J[0], block.J[1], block.J[2]},
        torque{block.J[3], block.J[4], block.J[5]};
    sum += m_->solids[block.solid].inverseMass * dot(force, force) +
           dot(torque, inverseInertia_[block.solid] * torque);
  }
  return sum;
}

void EndSolve::fix(std::size_t r, double lambda) {
  mode_[r] = lambda == 0 ? Mode::Off : Mode::Slides;
  const double scale = mobility_[r] > 0 ? mobility_[r] : 1;
  parts_[r] = {false, scale, scale * h2_ * lambda};
}

// The more loosely, the more it comes and goes.
void EndSolve::holdLoosely(std::size_t r, double off) {
  hold(r, off, std::max(loosely_, looseness(toggles_[r], calm_)));
}

bool EndSolve::staysWithin(std::size_t r, double off, double lower, double upper, double slack) {
  const Bounded was = bounded_[r];
  const Bounded is = boundedBy({total_[r], off, mobility_[r], lower, upper}, was, slack);
  if (is != was) {
    bounded_[r] = is;
    toggled_ = true;
    if (++toggles_[r] > kMostChanges) stuck_ = true;
  }
  if (is == Bounded::Inside) return true;
  fix(r, (is == Bounded::AtLower ? lower : upper) / h2_);
  return false;
}

void EndSolve::chooseMode(std::size_t r) {
  const Row& row = rows_.rows[r];
  if (!(mobility_[r] > 0)) return fix(r, 0);  // nothing that it could move
  if (row.velocity && !row.equality) return chooseFriction(r);
  if (row.inertia > 0) {  // ν = -I (Δc - dt ċ_0)
    mode_[r] = Mode::Gives;
    parts_[r] = {true, 1 / row.inertia, -rotors_.ahead(row, dt_)};
    return;
  }
  if (!std::isinf(row.stiffness))
    return row.lower == 0 && !row.equality ? chooseOneSided(r) : chooseSoft(r);
  if (staysWithin(r, row.error, 0, kInfinity, settings_->tolerance)) holdLoosely(r, row.error);
}

// λ = -k (mean Φ) - c (mean Φ̇) within its bounds.
void EndSolve::chooseSoft(std::size_t r) {
  const Row& row = rows_.rows[r];
  const double before = row.error - dt_ * row.rate;
  const double mean = over_ ? 0.5 * (before + row.error) : row.error;
  const double lambda = -row.stiffness * mean - row.damping * row.rate;
  const double slope = (over_ ? 0.5 : 1) * row.stiffness + row.damping / dt_;
  give(r, lambda, slope, row.lower, row.upper);
}

// A range that yields: U = k/2 in², in = min(0, Φ), whose discrete derivative is (U_1 - U_0)/(Φ_1 - Φ_0). What damps it
// is its change of `in`, not that of Φ: else it would start with a jump, and Newton's method would find no place in
// between.
void EndSolve::chooseOneSided(std::size_t r) {
  const Row& row = rows_.rows[r];
  const double before = row.error - dt_ * row.rate;
  const double in1 = std::min(row.error, 0.0), in0 = std::min(before, 0.0);
  const double change = row.error - before;
  double lambda = -row.stiffness * in1, slope = in1 < 0 ? row.stiffness : 0;
  if (over_ && std::abs(change) > 1e-12) {
    const double energies = 0.5 * row.stiffness * (in1 * in1 - in0 * in0);
    lambda = -energies / change;
    slope = (row.stiffness * in1 * change - energies) / (change * change);
  } else if (over_) {
    slope *= 0.5;
  }
  lambda -= row.damping * (in1 - in0) / dt_;
  if (in1 < 0) slope += row.damping / dt_;
  give(r, lambda, slope, 0, row.upper);
}

// λ by a law of its own, within bounds.
void EndSolve::give(std::size_t r, double lambda, double slope, double lower, double upper) {
  if (!(lambda > lower) || !(lambda < upper) || !(slope > 0))
    return fix(r, std::clamp(lambda, lower, upper));
  mode_[r] = Mode::Gives;
  parts_[r] = {true, 1 / (slope * h2_), lambda / slope};
}

// Friction asks for no slip, as far as its bounds go: over the step, so that it takes energy whichever way it pushes
// (λ s <= 0); else at its end. What comes to stick over a step has v_1 = -v_0 by v_1 = 2 s/dt - v_0, and is settled.
void EndSolve::chooseFriction(std::size_t r) {
  const Row& row = rows_.rows[r];
  double load = 0;
  for (Index k = row.loadFirst; k < row.loadFirst + row.loadCount; ++k)
    load += total_[k] * total_[k];
  const double most = h2_ * row.upper + row.load * std::sqrt(load);
  if (most == 0) return fix(r, 0);
  const double off = row.rate * dt_;
  if (staysWithin(r, off, -most, most, 0)) holdLoosely(r, off);
}

// ------------------------------------------------------------------------------------ Newton's step

// How far the equations are from holding, as displacements [m], [rad]: rowsOff_ those of the rows, and,
// returned, those of the momenta and of what pushes by a law of its own.
double EndSolve::residual() {
  const Mechanism& m = *m_;
  std::fill(push_.begin(), push_.end(), Six{});
  double worst = 0;
  rowsOff_ = 0;
  const auto note = [](double off, double& most) {
    if (!(off <= most)) most = off;  // NaN is noted, too
  };
  all_.push(nu_, push_);
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    // From here on an increment of ν is asked for: what the last one left is not forgotten, and the
    // solver's own error, which loops amplify, shrinks with it.
    parts_[r].b -= parts_[r].compliance * nu_[r];
    const double off = std::abs(parts_[r].b);
    note(off, mode_[r] == Mode::Holds ? rowsOff_ : worst);
  }
  for (Index s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Wrench& load = loads_[s];
    const double all[6] = {load.force.x,  load.force.y,  load.force.z,
                           load.torque.x, load.torque.y, load.torque.z};
    Six& off = right_[s];
    for (std::size_t i = 0; i < 6; ++i) off[i] = h2_ * all[i] - inertia_[s][i] + push_[s][i];
    note(solid.inverseMass * norm(Vec3{off[0], off[1], off[2]}), worst);
    note(norm(inverseInertia_[s] * Vec3{off[3], off[4], off[5]}), worst);
  }
  return worst;
}

bool EndSolve::factorise() {
  const Mechanism& m = *m_;
  all_.differentiate(bySlot_);
  clock_->lap(Stage::Rows);
  system_.load(m, rows_, all_.changes(), parts_, slopes_, all_.shapes, made_ == all_.made());
  clock_->lap(Stage::Matrix);
  for (Index s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    if (solid.pointMass) {
      system_.add(s, solid.mass, Mat3{});
      continue;
    }
    // δL_1 = δ × L_1 + R_1 I δΩ_1,  δΩ_1 = a/dt R_0ᵀ δθ,  δθ = (1 - [θ]ₓ/2 + θθᵀ/4) δ;
    // and, at the end, the torque of the rows turns with the solid: the part of K(ν) that is not
    // symmetric.
    const Vec3& t = theta_[s];
    const Mat3 D = over_ ? identity3() - 0.5 * skew(t) + 0.25 * outer(t, t) : slopeOfLogarithm(t);
    const Vec3 torque{push_[s][3], push_[s][4], push_[s][5]};
    const Mat3 A = axes_[s] * (turnedInertia_[s] * D) - (dt_ / a_) * skew(L1_[s]) +
                   (over_ ? 0 : 0.5) * skew(torque);
    system_.add(s, solid.mass, A);
  }
  clock_->lap(Stage::Slopes);
  for (const LoadSlope& slope : slopes_) system_.add(-h2_, slope);
  for (const StiffnessBlock& K : all_.stiffness) system_.add(-1, K);
  for (const LoadSlope& slope : all_.slopes) system_.add(-1, slope);
  for (const SlopePart& part : all_.parts)
    system_.subtract(part.solid, part.by, part.row, part.column, part.slope);
  clock_->lap(Stage::Matrix);
  loaded_ = true;
  made_ = all_.made();
  const bool finite = system_.factor();
  clock_->lap(Stage::Factor);
  return finite;
}

bool EndSolve::improve() {
  for (const RowShift& shift : all_.shifts)
    for (int i = 0; i < 3; ++i)
      right_[shift.solid][static_cast<std::size_t>(3 + i)] += shift.r[i] * parts_[shift.row].b;
  if (!system_.solve(right_, parts_, delta_, increment_)) return false;
  for (const RowShift& shift : all_.shifts) {
    const Six& d = delta_[shift.solid];
    increment_[shift.row] += dot(shift.c, Vec3{d[3], d[4], d[5]});
  }
  std::fill(bySlot_.begin(), bySlot_.end(), 0.0);
  for (std::size_t r = 0; r < nu_.size(); ++r) bySlot_[rows_.rows[r].key] = nu_[r] += increment_[r];
  clock_->lap(Stage::Solve);
  return true;
}

// J δ + c δν = 0 instead of -Φ.
void EndSolve::holdWhereTheyAre() {
  for (std::size_t r = 0; r < parts_.size(); ++r)
    if (mode_[r] == Mode::Holds) parts_[r].b = 0;
}

void EndSolve::move() {
  for (Index s = 0; s < m_->solids.size(); ++s) {
    if (m_->solids[s].kind != SolidKind::Dynamic) continue;
    const Six& d = delta_[s];
    end_.position[s] += Vec3{d[0], d[1], d[2]};
    Vec3 turn{d[3], d[4], d[5]};
    const double angle = norm(turn);
    if (angle > settings_->truncation) turn = (settings_->truncation / angle) * turn;
    if (angle > 0) end_.orientation[s] = normalized(exponential(turn) * end_.orientation[s]);
  }
}

// Momenta from the impulses, which add up to nothing within the mechanism, and positions from them.
void EndSolve::commit(State& state, StepReport& report) {
  const Mechanism& m = *m_;
  double work = potentialEnergy(m, *control_, end_) - potentialEnergy(m, *control_, start_);
  for (Index s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) {
      state.position[s] = end_.position[s];
      state.orientation[s] = end_.orientation[s];
      continue;
    }
    const Six& p = push_[s];
    const Vec3 impulse = (1 / (h2_ / dt_)) * Vec3{p[0], p[1], p[2]} + dt_ * loads_[s].force;
    state.velocity[s] = start_.velocity[s] + solid.inverseMass * impulse;
    state.position[s] =
        start_.position[s] +
        (over_ ? 0.5 * dt_ * (start_.velocity[s] + state.velocity[s]) : dt_ * state.velocity[s]);
    // By loads, and by all rows.
    work += dot(loads_[s].force, end_.position[s] - start_.position[s]) +
            dot(loads_[s].torque, theta_[s]) +
            (dt_ / h2_) * (dot(Vec3{p[0], p[1], p[2]}, middle_.velocity[s]) +
                           dot(Vec3{p[3], p[4], p[5]}, middle_.spin[s]));
    if (solid.pointMass) continue;
    state.orientation[s] = end_.orientation[s];
    const Vec3 L = L0_[s] + (1 / (h2_ / dt_)) * Vec3{p[3], p[4], p[5]} + dt_ * loads_[s].torque;
    const Quat back = conjugate(end_.orientation[s]);
    state.spin[s] = rotate(end_.orientation[s], solid.inverseInertia * rotate(back, L));
  }
  state.time = end_.time;
  followPaths(m, state);
  landed_ = driven_ = false;
  const bool led = std::any_of(m.solids.begin(), m.solids.end(), [](const MechanismSolid& solid) {
    return solid.kind == SolidKind::Animated;
  });
  std::fill(state.multiplier.begin(), state.multiplier.end(), 0.0);
  for (std::size_t r = 0; r < rows_.rows.size(); ++r) {
    const Row& row = rows_.rows[r];
    const double lambda = nu_[r] / h2_;
    state.multiplier[row.key] = lambda;
    if (!row.equality && mode_[r] == Mode::Holds) {
      // It was elsewhere, or it lay there already, was not pushed yet, and ran on.
      const double rate = dt_ * rateOf(rows_, row, start_.velocity, start_.spin);
      const double nearing = warm_[row.key] > 0 ? 0 : -rate;
      const double off =
          row.velocity ? std::abs(rate) : std::max(row.error - dt_ * row.rate, nearing);
      if (off > 10 * settings_->tolerance) landed_ = true;
    }
    if (row.equality && row.rule != kWorld) driven_ = true;  // a coordinate is prescribed
    // What a row does to the solids that move; of exact joints not what their errors did, but for
    // those that were open: they were closed by force.
    const double before = row.error - dt_ * row.rate;
    const bool exact = over_ && row.equality && !row.velocity && std::isinf(row.stiffness) &&
                       std::abs(before) < settings_->tolerance;
    // A step that converges leaves joints closed to the tolerance: what is open by more is closed by force.
    // Rows that were open at the step's start have no business to work; the rest of `work` is explained. What they
    // were is known from rows of the whole step; rows of the end know it but for their curvature.
    const bool was = row.equality
                         ? std::abs(before) >= (over_ ? settings_->tolerance : kOpenForSure)
                         : before <= -(over_ ? kOpen : kOpenForSure);
    const bool forced = was && !row.velocity && std::isinf(row.stiffness);
    // What a rotor does to all solids, its own energy loses: what is left is the work of those that do not move freely. What
    // errors of exact joints did they do to all solids: nothing is left where none is led.
    if (exact || row.inertia > 0) work -= lambda * dt_ * row.rate;
    if (!forced && !led) continue;
    all_.findBlocks();
    double done = 0;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = rows_.blocks[b];
      if (m.solids[block.solid].kind == SolidKind::Animated) driven_ = true;
      if (m.solids[block.solid].kind != SolidKind::Dynamic) continue;
      done += dt_ * (dot(Vec3{block.J[0], block.J[1], block.J[2]}, middle_.velocity[block.solid]) +
                     dot(Vec3{block.J[3], block.J[4], block.J[5]}, middle_.spin[block.solid]));
    }
    if (forced) report.forced += lambda * done;
  }
  rotors_.end(*control_, over_, dt_, state);
  report.work += work;
  report.ledger = true;
}

// What is left of M Δv = Jᵀ ν, from the velocities of middle_ on.
void EndSolve::pushSettled(const Rows& rows, const State& state) {
  const Mechanism& m = *m_;
  for (Index s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Vec3 p = solid.mass * (middle_.velocity[s] - state.velocity[s]);
    const Vec3 spun = transpose(axes_[s]) * (middle_.spin[s] - state.spin[s]);
    const Vec3 L = solid.pointMass ? Vec3{} : axes_[s] * (solid.inertia * spun);
    right_[s] = {p.x, p.y, p.z, L.x, L.y, L.z};
  }
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const Row& row = rows.rows[r];
    if (nu_[r] == 0) continue;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      if (m.solids[rows.blocks[b].solid].kind == SolidKind::Dynamic)
        for (std::size_t i = 0; i < 6; ++i)
          right_[rows.blocks[b].solid][i] += rows.blocks[b].J[i] * nu_[r];
  }
}

// M Δv = Jᵀ ν,  J (v + Δv) = -∂Φ/∂t of the rows that hold; rotors turn along: they are masses.
bool EndSolve::settle(State& state) {
  const Mechanism& m = *m_;
  all_.findChanges();
  const Rows& ends = all_.changes();
  const auto ask = [&] {
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      const Row& row = ends.rows[r];
      if (row.inertia > 0 && mobility_[r] > 0)
        parts_[r] = {true, 1 / row.inertia, 0};
      else if (mode_[r] == Mode::Holds)
        parts_[r] = {true, kSettled * mobility_[r],
                     -row.timeRate - rateOf(ends, row, state.velocity, state.spin)};
      else
        parts_[r] = {false, 1, 0};
    }
  };
  ask();
  system_.load(m, ends, ends, parts_, slopes_, all_.shapes, true);
  for (Index s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    system_.add(s, solid.mass, axes_[s] * solid.inertia * transpose(axes_[s]));
  }
  std::fill(right_.begin(), right_.end(), Six{});
  if (!system_.factor()) return false;
  middle_.velocity = state.velocity;
  middle_.spin = state.spin;
  // Twice: rows yield by a part of what they would move if their solids were free, and chains are much stiffer than that. And
  // rounding, which rows so stiff amplify, leaves momenta off: Jᵀ ν - M Δv.
  for (int k = 0; k < 2; ++k) {
    if (k > 0) {
      ask();
      pushSettled(ends, state);
    }
    if (!system_.solve(right_, parts_, delta_, increment_)) return false;
    nu_ = increment_;
    for (Index s = 0; s < m.solids.size(); ++s) {
      const Six& d = delta_[s];
      state.velocity[s] += Vec3{d[0], d[1], d[2]};
      state.spin[s] += Vec3{d[3], d[4], d[5]};
    }
  }
  clock_->lap(Stage::Solve);
  return true;
}

}  // namespace tenon
