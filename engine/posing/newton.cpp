// The default assembly: Newton's method on needs and wants.
//
// Each iteration moves from q by the smallest displacement (in the metric of the masses) that meets the
// linearized rows, with the curvature of the rows in the metric: with the multipliers λ of the
// iteration before, scaled by how much of the error is left,
//   (M - Σ λ ∇²Φ) δ = Jᵀ λ',   J δ + C λ' = -Φ.
// C is a trace of compliance, for redundant rows. The state moves on its own error only, so that λ -> 0
// at a solution: the compliance leaves no error behind, and convergence is quadratic.
// What yields comes when the needs are met: ½ Σ w Φ² falls on the manifold of the needs, see settle(). It is then held
// where it has settled.                                                                  [Gascuel1994 §6]
// Wants come after that: rows with a compliance that lets them pull 98 % of the way in one
// step; at a fixed point Σ w e² is stationary on the manifold of the needs.
// From solids that lie about at random it begins along a spanning forest of the joints, so that only
// the loops are left to be closed.
// Where Newton does not get on, Levenberg and Marquardt's method (a uniform C, steps accepted if the sum
// of squares falls) goes downhill; where that ends above zero, the solids around the open joints are
// put elsewhere, at random places that the joints between them allow, and all begins anew from there.
#include <algorithm>
#include <cmath>
#include <utility>

#include "posing/buffers.h"
#include "posing/rearrange.h"

namespace tenon {

namespace {

constexpr double kTrace = 1e-10;  // compliance of needs, relative to the rows' mobility
constexpr double kStiffest = 30;  // curvature counts up to so many times the mass
constexpr double kShort = 0.2;    // [m], [rad] of a step
constexpr int kPatience = 15;     // iterations without clear progress
constexpr double kMet = 1e-20;    // Σ w e² of wants that are met
constexpr double kFirmly = 0.1;   // times kWantGive: a light solid pulls all that hangs on it along
constexpr int kSame = 6;          // restarts that end at the same sum of squares
// Of what yields: compliance of the one that pulls most, in mobilities.
// Less than kSettleFirm makes steps of rounding where nothing yields: it is for where steps would hardly become shorter else.
constexpr double kSettleStart = 1e-2, kSettleLook = 1e-4, kSettleFirm = 1e-6,
                 kSettleFirmest = 1e-10, kSettleSoftest = 1e8;

class Newton {
 public:
  Newton(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
         const PoseSettings& settings, bool fast, State& state, PoseScratch::Buffers& buffers,
         PoseBudget& budget, PoseReport& report, const NeedErrors& start)
      : mechanism_(mechanism),
        control_(control),
        wants_(wants),
        settings_(settings),
        state_(state),
        buffers_(buffers),
        budget_(budget),
        report_(report),
        fast_(fast),
        wanted_(start.wanted),
        best_(state),
        errors_(start),
        bestErrors_(start),
        startMax_(start.max) {
    leaveWants();
    if (!start.yields) return;
    given_ = state;
    givenErrors_ = start;
    givenClosed_ = settings.compromise && isClosed(start);
  }

  NeedErrors run(bool mayRestart) {
    mayRestart_ = mayRestart;
    Random random(settings_.seed);
    const bool yields = errors_.yields && settings_.compromise;
    const bool isOpen = !isClosed(errors_) || (yields && errors_.gave > settings_.tolerance);
    if (mayRestart && isOpen && !budget_.over() && isScattered()) {
      if (fast_) leaveFast();
      pullTogether(mechanism_, control_, state_);
      forgetTurns();
      errors_ = gather();
      budget_.spend(errors_.max, state_, report_);
      if (givenClosed_) {  // compromise() knows what was given
        best_ = state_;
        bestErrors_ = errors_;
      }
    }
    if (!yields && tracked()) return bestErrors_;
    Outcome outcome = attempt();
    if (fast_ && outcome == Outcome::Stuck) {
      leaveFast();
      outcome = attempt();
    }
    State base = attemptState_;
    NeedErrors baseErrors = attemptBest_;
    int same = 0;  // restarts that ended at the same sum of squares: there is no better one
    while (outcome == Outcome::Stuck && mayRestart && report_.restarts < settings_.restarts &&
           same < kSame && !budget_.over()) {
      ++report_.restarts;
      state_ = base;
      gather();
      rearrange(mechanism_, control_, buffers_.rows, settings_.tolerance, report_.restarts, random,
                state_);
      forgetTurns();
      errors_ = gather();
      attemptBest_ = {};
      outcome = attempt();
      if (attemptBest_.rms < (1 - 1e-3) * baseErrors.rms)
        same = 0;
      else if (attemptBest_.rms < (1 + 1e-3) * baseErrors.rms)
        ++same;
      if (attemptBest_.rms < baseErrors.rms) {
        base = attemptState_;
        baseErrors = attemptBest_;
      }
    }
    // Nothing satisfies all: the pose with the least sum of squares, if it is not worse than the start.
    if (!isClosed(bestErrors_) && outcome == Outcome::Stuck && baseErrors.finite &&
        baseErrors.max <= startMax_) {
      best_ = base;
      bestErrors_ = baseErrors;
    }
    if (yields) compromise();
    if (errors_.yields && !wants_.empty()) {
      hold();
      if (yields && tracked()) return bestErrors_;
    }
    if (isClosed(bestErrors_) && !wants_.empty()) pursue();
    finish(outcome, same >= kSame);
    return bestErrors_;
  }

 private:
  enum class Outcome { Closed, Stuck, Over };

  // A hand that is followed: true if that is all there is to do, or time for.
  bool tracked() {
    const bool tracking = !mayRestart_ && settings_.slack > 0 && !wants_.empty();
    if (!tracking || !errors_.finite || errors_.max > 2 * settings_.slack || !follow())
      return false;
    cutShort_ = wantedSum() > kMet;
    finish(Outcome::Over, false);
    return true;
  }

  // From far away it takes more than Newton's method.
  bool isScattered() {
    if (fast_) report_.startError = gatherNeeds(mechanism_, control_, wants_, state_, buffers_).max;
    return tenon::isScattered(mechanism_, buffers_.rows);
  }

  NeedErrors gather() {
    if (fast_) {
      const FastErrors errors = gatherFast(mechanism_, wants_, state_, kWantGive, buffers_);
      wanted_ = errors.wanted;
      if (!errors.near) {  // its rows would take opposed axes for closed
        NeedErrors lost = errors;
        lost.finite = false;
        return lost;
      }
      return errors;
    }
    const NeedErrors errors = gatherNeeds(mechanism_, control_, wants_, state_, buffers_);
    if (!pursuing_) leaveWants();
    return errors;
  }
  // Where the packed kernel does not get on, all begins anew by rows.
  void leaveFast() {
    fast_ = false;
    budget_.expectDearer();
    state_ = best_;
    errors_ = bestErrors_ = gather();
    startMax_ = std::max(startMax_, errors_.max);
    attemptBest_ = {};
  }
  void leaveWants() {
    if (wants_.empty() || fast_) return;
    for (std::size_t r = 0; r < buffers_.rows.rows.size(); ++r)
      if (isWant(buffers_.rows.rows[r])) buffers_.used[r] = false;
  }
  // At rows that are not held.
  [[nodiscard]] static bool isYielding(const Row& row) { return !std::isinf(row.stiffness); }
  [[nodiscard]] bool isClosed(const NeedErrors& e) const {
    return e.finite && e.in(settings_.norm) <= settings_.tolerance;
  }
  // Closed is better than open, then what is wanted, then what is less open.
  [[nodiscard]] bool isBetter(const NeedErrors& a, const NeedErrors& b) const {
    if (!a.finite) return false;
    const bool closedA = isClosed(a), closedB = isClosed(b);
    if (closedA != closedB) return closedA;
    return a.max < b.max;
  }
  void keep() {
    if (isBetter(errors_, bestErrors_)) {
      best_ = state_;
      bestErrors_ = errors_;
    }
    if (!attemptBest_.seen || errors_.rms < attemptBest_.rms) {
      static_cast<NeedErrors&>(attemptBest_) = errors_;
      attemptBest_.seen = true;
      attemptState_ = state_;
    }
  }

  // One linear solve at the state. `compliance` is added to that of needs, uniformly.
  LinearReport solve(bool curvature, double compliance) {
    return fast_ ? solveFast(curvature) : solveRows(curvature, compliance);
  }
  LinearReport solveFast(bool curvature, bool again = false, double pulled = 0) {
    using Wants = packed::PoseSolve::Wants;
    packed::PoseSolve how;
    how.give = kTrace;
    how.longest = reach_;
    how.curvature = curvature ? left_ : 0;
    how.pulled = pulled;
    how.softness = softness_;
    how.again = again;
    how.wants = !pursuing_ ? Wants::Left : meeting_ ? Wants::Met : Wants::Pulling;
    buffers_.displacement.assign(mechanism_.solids.size(), RowSystem::Six{});
    LinearReport linear;
    linear.finite = buffers_.fast.solve(how, buffers_.displacement);
    hasPulled_ = hasPulled_ || (linear.finite && how.wants == Wants::Pulling);
    keepCentres(mechanism_, wants_, buffers_.displacement);
    return linear;
  }
  LinearReport solveRows(bool curvature, double compliance) {
    const std::size_t n = buffers_.rows.rows.size();
    buffers_.system.load(mechanism_, state_, buffers_.rows, buffers_.used);
    buffers_.b.assign(n, 0);
    buffers_.compliance.assign(n, 0);
    double heaviest = 1e-300;  // weights are relative
    for (const Want& want : wants_) heaviest = std::max(heaviest, want.weight);
    // All wants are shortened alike: so a pull, however short, leads to where the sum of their squares falls.
    double pull = 0;
    for (const Row& row : buffers_.rows.rows)
      if (isWant(row)) pull = std::max(pull, std::abs(row.error));
    const double part = pull > reach_ ? reach_ / pull : 1;
    const bool settling = buffers_.yielding == Yielding::Pulling;
    if (settling) scaleForces();
    for (std::size_t r = 0; r < n; ++r) {
      const Row& row = buffers_.rows.rows[r];
      const double mobility = buffers_.system.mobility(r);
      if (settling && !isWant(row)) {
        buffers_.compliance[r] =
            isYielding(row) ? settleScale_ / row.stiffness
                            : std::clamp(0.01 * softness_, 0.01 * kTrace, kTrace) * mobility;
        if (!(buffers_.compliance[r] > 0)) buffers_.compliance[r] = 1;
        buffers_.b[r] = -row.error;
        if (!isYielding(row)) buffers_.b[r] -= buffers_.compliance[r] * buffers_.byKey[row.key];
        continue;
      }
      buffers_.b[r] = isWant(row) ? -part * row.error : -row.error;
      buffers_.compliance[r] =
          isWant(row) && !meeting_
              ? softness_ * kWantGive * mobility * heaviest / std::max(row.weight, 1e-9 * heaviest)
              : kTrace * mobility + compliance / row.weight;
      if (!(buffers_.compliance[r] > 0)) buffers_.compliance[r] = 1;  // it moves nothing
    }
    buffers_.stiffness.clear();
    if (curvature) gatherStiffness();
    const LinearReport linear = buffers_.system.solve(
        buffers_.stiffness, buffers_.compliance, buffers_.b,
        {settings_.linear.solver, settings_.linear.iterations, settings_.linear.tolerance,
         settings_.norm, compliance > 0 ? 1e12 : kStiffest, settling},
        buffers_.lambda, buffers_.displacement);
    report_.linearIterations += linear.iterations;
    keepCentres(mechanism_, wants_, buffers_.displacement);
    return linear;
  }

  // K = -Σ λ ∇²Φ with the multipliers that are remembered.
  void gatherStiffness() {
    const Rows& rows = buffers_.rows;
    for (std::size_t r = 0; r < rows.rows.size();) {
      const Asker asker = rows.rows[r].asker;
      while (r < rows.rows.size() && rows.rows[r].asker == asker) ++r;
      if (asker.kind != Asker::Kind::Joint) continue;
      const MechanismJoint& j = mechanism_.joints[asker.number];
      emitStiffness(mechanism_, state_, asker.number,
                    {buffers_.byKey.data() + j.firstSlot, slotCount(j)}, buffers_.stiffness);
    }
  }

  // Multipliers, and which bounds pushed.
  void remember() {
    rememberPushes(true);
    if (!fast_) rememberMultipliers();
  }
  void forgetMultipliers() { buffers_.byKey.assign(keyCount(mechanism_, wants_), 0); }
  void rememberMultipliers() {
    forgetMultipliers();
    for (std::size_t r = 0; r < buffers_.rows.rows.size(); ++r)
      buffers_.byKey[buffers_.rows.rows[r].key] = -buffers_.lambda[r];
  }
  // Not `anew`: those that pushed before stay, too. True if one took part that did not push.
  bool rememberPushes(bool anew) {
    if (fast_) return tenon::rememberPushes(anew, buffers_);
    bool released = false;
    if (anew) buffers_.bounds.forget();
    for (std::size_t r = 0; r < buffers_.rows.rows.size(); ++r) {
      const Row& row = buffers_.rows.rows[r];
      if (isWant(row) || row.equality || !buffers_.used[r] || isYielding(row)) continue;
      if (!buffers_.bounds.see(row.key, buffers_.lambda[r])) released = true;
    }
    return released;
  }

  // From the state, whose rows are gathered.
  Outcome attempt() {
    keep();
    bool curvature = false;
    double least = errors_.rms;
    int patience = kPatience;
    while (true) {
      if (isClosed(errors_)) return Outcome::Closed;
      if (budget_.over()) return isClosed(bestErrors_) ? Outcome::Closed : Outcome::Over;
      const LinearReport linear = solve(curvature, 0);
      if (linear.finite) {
        const double moved =
            applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
        const double before = errors_.rms;
        remember();
        errors_ = gather();
        left_ = before > 0 ? std::min(1.0, errors_.rms / before) : 0;
        for (double& lambda : buffers_.byKey) lambda *= left_;
        // Where the last step was short the curvature changes nothing any more, and only costs.
        curvature = isDirect(settings_.linear.solver) && moved > kShort;
      }
      budget_.spend(errors_.max, state_, report_);
      if (!linear.finite || !errors_.finite) {
        if (fast_) return Outcome::Stuck;
        restoreAttempt();
        if (!downhill()) return Outcome::Stuck;
        curvature = false;
        continue;
      }
      keep();
      if (errors_.rms < 0.8 * least || isClosed(errors_)) {
        least = std::min(least, errors_.rms);
        patience = kPatience;
      } else if (--patience <= 0) {
        if (isClosed(bestErrors_)) return Outcome::Closed;
        if (fast_) return Outcome::Stuck;
        restoreAttempt();
        if (!downhill()) return Outcome::Stuck;
        curvature = false;
        least = errors_.rms;
        patience = kPatience;
      }
    }
  }

  // The wants, from a closed state to closed states: a step of needs and wants together, no longer than
  // `reach_`, then needs alone until they hold again. It counts if the wants have gained; else the
  // reach was too long. So nothing flips to another branch, and nothing is given up. But first it is
  // tried whether all that is wanted can simply be met.
  // By the packed kernel this is Newton's method on the Lagrangian of Σ w e² and the needs: (M + K) is the metric, with
  // the curvature K of the forces of the pull before, and M fades with the softness where pulls succeed.
  void pursue() {
    state_ = best_;
    errors_ = gather();
    double wanted = wantedSum();
    if (wanted > kMet && !hasTried_ && meet(wanted, 0)) return;
    // What lies at a bound is held there until a pull leads away from it: a pull that knew of no bound would be
    // undone by closing.
    buffers_.bounds.holdAll();
    if (settings_.norm == Norm::Max) buffers_.lenient = settings_.tolerance;
    errors_ = gather();
    constexpr double kShortest = 1e-10;  // [m], [rad] of a reach: none leads nearer
    constexpr double kStill = 1e-7;      // [m], [rad] of a pull that leads nowhere: none will
    // A gain of the wants that is none. A hand moves on: there it is what WantsWatch does not count.
    const double hardly = settings_.slack > 0 ? 3e-5 : 1e-6;
    constexpr double kFirmest = 1e-4, kFirmer = 0.1;
    const int mostIdle =
        fast_ ? 1 : 8;  // pulls that hardly gain; without curvature the way is slow
    const int closings =
        mayRestart_ ? 25 : 6;  // until the needs hold again: tracking is short of time
    int idle = 0;
    bool ended = false;
    reach_ = 0.3;
    if (fast_) softness_ = kFirmly;
    WantsWatch watch;
    while (!budget_.over() && !ended && wanted > 1e-24) {
      watch.see(report_.iterations, std::sqrt(wanted));
      const State before = state_;
      pursuing_ = true;
      if (!fast_) gather();  // now with the wants
      const bool whole = errors_.pull <= reach_;
      const LinearReport linear =
          fast_ ? solveFast(false, false, hasPulled_ ? 1 / softness_ : 0) : solveRows(false, 0);
      pursuing_ = false;
      double moved = 0;
      bool released = false;  // a bound that held this pull back
      if (linear.finite) {
        released = rememberPushes(true);
        moved = applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
      }
      errors_ = gather();
      budget_.spend(errors_.max, state_, report_);
      if (linear.finite) closeAgain(closings);
      const double now = wantedSum();
      const bool closed = errors_.finite && isClosed(errors_);
      if (released || !closed || std::abs(now - wanted) > hardly * wanted)
        idle = 0;
      else if (whole || now < wanted)
        ++idle;
      if (closed && now < (1 - 1e-9) * wanted) {
        wanted = now;
        reach_ = std::min(2 * reach_, 1.0);
        if (fast_) softness_ = std::max(kFirmer * softness_, kFirmest);
        rememberTurns(mechanism_, state_);
        best_ = state_;
        bestErrors_ = errors_;
      } else {
        state_ = before;
        errors_ = gather();
        if (released && moved < kStill) continue;
        reach_ *= 0.3;
        if (fast_) softness_ = std::min(softness_ / kFirmer, 1.0);
        ended = moved < kStill || reach_ < kShortest;
      }
      ended = ended || idle >= mostIdle;
    }
    watch.see(report_.iterations, std::sqrt(wanted));
    cutShort_ = !ended && wanted > kMet && watch.comesNearer();
    reach_ = std::numeric_limits<double>::infinity();
    softness_ = 1;
    buffers_.lenient = 0;
  }

  // The needs, from a state nearby that was closed.
  void closeAgain(int closings) {
    // At a singular pose, such as a stretched limb, Newton's method only quarters the error.
    double last = kInfinity;
    for (int k = 0; k < closings && errors_.finite && !isClosed(errors_); ++k) {
      if (k >= 6 && !(errors_.max < 0.5 * last)) break;
      last = errors_.max;
      if (budget_.over() || !solve(false, 0).finite) break;
      rememberPushes(false);
      applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
      errors_ = gather();
      budget_.spend(errors_.max, state_, report_);
    }
  }

  // What yields, from the best state, if that is closed; or from the one that was given, if it stores less.
  void compromise() {
    if (isClosed(bestErrors_)) settle();
    if (!givenClosed_ ||
        (isClosed(bestErrors_) && !(bestErrors_.compromise > givenErrors_.compromise)))
      return;
    best_ = given_;
    bestErrors_ = givenErrors_;
    settle();
  }

  // From closed states to closed states, so that E = ½ Σ w Φ² of what yields falls: a step
  //   (σ M + K) δ = Jᵀ λ,   J δ = -Φ of needs,   λ = -w (Φ + J δ) of what yields,
  // then the needs alone, until they hold again. K is the curvature of all forces λ. It is Newton's method on the
  // Lagrangian of E and the needs; σ fades where steps succeed, and grows where E does not fall. Where it ends δ = 0, and so
  // Jᵀ λ = 0: E is stationary, whatever σ is. (The system has λ/σ for λ. Redundant needs ask for a trace of compliance, which
  // is on what is added to their forces: so it leaves no error.)
  void settle() {
    constexpr double kSettled = 1e-9, kStill = 1e-11;  // [m], [rad] of a step
    constexpr double kNear = 1e-4;                     // … where Newton's method is trusted
    constexpr int kMostIdle = 20;
    const int closings = mayRestart_ ? 25 : 6;
    state_ = best_;
    buffers_.bounds.holdAll();  // as in pursue()
    if (settings_.norm == Norm::Max) buffers_.lenient = settings_.tolerance;
    forgetMultipliers();
    settleScale_ = 0;
    softness_ = kSettleLook;
    double last = kInfinity;  // of steps
    int looks = 0, idle = 0;
    bool refused = false;  // a step, since the last that counted
    unsettled_ = true;
    errors_ = gather();
    while (unsettled_ && errors_.gave > settings_.tolerance && !budget_.over()) {
      buffers_.yielding = Yielding::Pulling;
      gather();
      const LinearReport linear = solveRows(looks > 0 && isDirect(settings_.linear.solver), 0);
      const bool good = linear.finite && linear.convex;
      bool released = false;
      if (good) {
        released = rememberPushes(true);
        rememberMultipliers();
      }
      buffers_.yielding = Yielding::Left;
      // A state that has settled comes back as it is: the second look knows the forces.
      const double moved = good ? longestOf(buffers_.displacement) : kInfinity;
      if (looks < 2 && good) {
        unsettled_ = ++looks < 2 || moved > kSettled;
        if (looks == 2) softness_ = kSettleStart;
        budget_.spend(errors_.max, state_, report_);
        continue;
      }
      if (moved < kStill && !released) {
        unsettled_ = false;
        break;
      }
      const State before = state_;
      const double energy = errors_.compromise;
      if (good) applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
      errors_ = gather();
      budget_.spend(errors_.max, state_, report_);
      if (good) closeAgain(closings);
      const double now = errors_.compromise;
      // Near the end E does not change any more by what it is stored with: steps that become shorter lead there.
      const bool shorter = moved < kNear && moved < 0.5 * last && now <= (1 + 1e-12) * energy;
      if (good && isClosed(errors_) && (now < energy || shorter)) {
        idle = now < (1 - 1e-9) * energy || shorter ? 0 : idle + 1;
        unsettled_ = idle < kMostIdle;
        softness_ =
            std::max((refused ? 0.5 : 0.1) * softness_,
                     moved < 0.5 * last ? std::min(softness_, kSettleFirm) : kSettleFirmest);
        last = moved;
        refused = false;
        rememberTurns(mechanism_, state_);
        best_ = state_;
        bestErrors_ = errors_;
      } else {
        state_ = before;
        errors_ = gather();
        if (released && moved < kSettled) continue;
        refused = true;
        softness_ *= 10;
        unsettled_ = softness_ < kSettleSoftest && moved > kStill;
      }
    }
    unsettled_ = unsettled_ && budget_.over() && errors_.gave > settings_.tolerance;
    softness_ = 1;
    buffers_.lenient = 0;
  }
  // σ of the system in which what yields pulls, and the forces of the last one as they are in this.
  void scaleForces() {
    double most = 0;
    for (std::size_t r = 0; r < buffers_.rows.rows.size(); ++r)
      if (buffers_.used[r] && isYielding(buffers_.rows.rows[r]))
        most = std::max(most, buffers_.rows.rows[r].stiffness * buffers_.system.mobility(r));
    const double scale = softness_ * (most > 0 ? most : 1);
    const double part = settleScale_ / scale;
    for (double& force : buffers_.byKey) force *= part;
    settleScale_ = scale;
  }

  // What yields is a need from here on, where it is.
  void hold() {
    buffers_.yielding = Yielding::Left;
    state_ = best_;
    gather();
    buffers_.settled.assign(mechanism_.slots, 0);
    for (const Row& row : buffers_.rows.rows)
      if (isYielding(row)) buffers_.settled[row.key] = row.error;
    buffers_.yielding = Yielding::Held;
    errors_ = bestErrors_ = gather();
  }

  // Wants and needs together, from a state that is closed but for the slack. True if they are met, or if that is
  // all there was time for.
  bool follow() {
    const double wanted = wantedSum();
    hasTried_ = wanted > kMet;
    return hasTried_ && meet(wanted, settings_.slack);
  }

  // All that is wanted at once, as if it were needed: if that can be had, it takes a few iterations. Else the
  // state is as before. With slack, and no time left: as far as it got, if no joint is open by more. The first
  // iteration then pulls only, which goes somewhere sensible for what is out of reach, too.
  bool meet(double wanted, double slack) {
    constexpr int kMostTries = 20, kPatient = 4;
    const int tries =
        settings_.slack > 0 ? kMostTries / 2 : std::min(kMostTries, settings_.iterations / 2);
    for (const Want& want : wants_)
      if (!want.need && !(want.weight > 0)) return false;
    constexpr double kReach = 0.3;  // [m], [rad]
    const auto off = [this] { return std::sqrt(wantedSum()) + errors_.rms; };
    double last = std::sqrt(wanted) + errors_.rms, least = last, halved = last;
    int patience = kPatient;
    bool met = false, curvature = false;
    double pulled = kReach;  // in the last iteration
    int solves = 0;
    pursuing_ = true;
    reach_ = kReach;
    if (slack > 0) {
      buffers_.best = state_;
      budget_.reserve(1);  // endWithin
    }
    if (!fast_) gather();  // now with the wants
    const double open = errors_.max;
    int k = 0;
    for (; k < tries && !met; ++k) {
      if ((k > 0 || slack == 0) && budget_.over()) break;
      meeting_ = k > 0 || slack == 0;
      softness_ = meeting_ ? 1 : kFirmly;
      if (!solve(curvature, 0).finite || (slack > 0 && !pullLess(errors_.pull))) break;
      ++solves;
      const double moved =
          applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
      pulled = std::exchange(reach_, kReach);
      remember();
      errors_ = gather();
      budget_.spend(errors_.max, state_, report_);
      const double now = off();
      if (!errors_.finite || !(now <= 10 * least)) break;
      left_ = std::min(1.0, now / last);
      if (!fast_)
        for (double& lambda : buffers_.byKey) lambda *= left_;
      curvature = moved > kShort;
      last = now;
      if (now < 0.5 * halved) {
        halved = now;
        patience = kPatient;
      } else if (--patience == 0) {
        break;  // out of reach, probably
      }
      least = std::min(least, now);
      met = isClosed(errors_) && wantedSum() <= kMet;
    }
    if (!met && slack > 0 && budget_.over()) {
      reach_ = pulled;
      met = endWithin(slack, open, wanted, solves == 1);
    }
    softness_ = 1;
    pursuing_ = meeting_ = false;
    budget_.reserve(0);
    if (met) {
      rememberTurns(mechanism_, state_);
      best_ = state_;
      bestErrors_ = errors_;
      return true;
    }
    state_ = best_;
    buffers_.bounds.forget();
    errors_ = gather();
    return false;
  }

  // What a step leaves open grows with the square of what is pulled: if it is too much, one from buffers_.best is made
  // with less of that, and if that does not do, one that only closes, so that there is room the next time. `again`:
  // the last solve was there. True if something was gained over `open` and `wanted` of the start.
  bool endWithin(double slack, double open, double wanted, bool again) {
    const int tries = fast_ ? 3 : 1;  // rows are dear
    meeting_ = false;
    softness_ = kFirmly;
    double part = again ? shortened(slack) : 1;
    for (int k = 0; k < tries && !(errors_.max <= slack); ++k) {
      state_ = buffers_.best;
      pursuing_ = !fast_ || k + 1 < tries;
      reach_ = part * std::min(reach_, gather().pull);
      if (!(fast_ ? solveFast(false, again && pursuing_) : solveRows(false, 0)).finite)
        return false;
      applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
      errors_ = gather();
      part = shortened(slack);
      again = true;
    }
    errors_.followed = errors_.finite && ((errors_.max <= slack && wantedSum() < wanted) ||
                                          errors_.max < std::min(open, 2 * slack));
    return errors_.followed;
  }
  // What is pulled by, made so short that no solid turns far: joints open with the square of that.
  bool pullLess(double pull) {
    constexpr double kFar = 0.2;  // [rad]
    double turn = 0;
    for (const RowSystem::Six& d : buffers_.displacement)
      turn = std::max(turn, norm(Vec3{d[3], d[4], d[5]}));
    if (!(turn > kFar)) return true;
    reach_ = std::min(reach_, pull) * kFar / turn;
    return (fast_ ? solveFast(false, true) : solveRows(false, 0)).finite;
  }
  [[nodiscard]] double shortened(double slack) const {
    return errors_.finite ? std::clamp(0.8 * std::sqrt(slack / errors_.max), 0.05, 0.7) : 0.05;
  }

  // Σ w e² of the wants at the rows that were gathered last.
  [[nodiscard]] double wantedSum() const {
    if (fast_) return wanted_;
    double sum = 0;
    for (const Row& row : buffers_.rows.rows)
      if (isWant(row)) sum += row.weight * row.error * row.error;
    return sum;
  }

  void restoreAttempt() {
    if (!attemptBest_.seen) return;
    state_ = attemptState_;
    buffers_.bounds.forget();
    errors_ = gather();
  }

  // Levenberg–Marquardt from the state. True if it gained so much that Newton may try again.
  bool downhill() {
    const double start = errors_.rms;
    double mean = 0;
    buffers_.system.load(mechanism_, state_, buffers_.rows, buffers_.used);
    for (std::size_t r = 0; r < buffers_.rows.rows.size(); ++r) mean += buffers_.system.mobility(r);
    mean /= static_cast<double>(std::max<std::size_t>(buffers_.rows.rows.size(), 1));
    double damping = 1e-2 * mean;
    int idle = 0;
    // The multipliers of a damped solve are the errors over the damping: with their curvature this is
    // Newton's method on the sum of squares, which finds the end of the way if that is above zero.
    bool curvature = false, ending = false;
    for (int k = 0; k < 60 && !budget_.over(); ++k) {
      if (idle >= 3) {
        if (ending || !isDirect(settings_.linear.solver)) break;
        ending = true;
        idle = 0;
      }
      const State before = state_;
      const NeedErrors old = errors_;
      const LinearReport linear = solve(curvature, damping);
      if (linear.finite) remember();
      if (linear.finite)
        applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
      errors_ = gather();
      budget_.spend(errors_.max, state_, report_);
      const double gain = 1 - errors_.rms / old.rms;
      if (linear.finite && errors_.finite && gain > 0) {
        keep();
        curvature = ending;
        damping = std::max(0.3 * damping, 1e-9 * mean);
        idle = gain < 1e-4 ? idle + 1 : 0;
        if (isClosed(errors_)) return true;
      } else {
        state_ = before;
        errors_ = gather();
        curvature = false;
        damping *= 8;
        if (damping > 1e9 * mean) break;
      }
      if (errors_.rms < 0.05 * start) return true;
    }
    return errors_.rms < 0.5 * start;
  }

  // After a leap turns count from the pose as written, and places on curves are searched anew.
  void forgetTurns() {
    state_.memory = mechanism_.memory;
    for (const MechanismJoint& joint : mechanism_.joints)
      for (int f = 0; f < joint.kind->found; ++f)
        state_.memory[joint.firstMemory + static_cast<Index>(memoryCount(*joint.kind) - 1 - f)] =
            std::numeric_limits<double>::quiet_NaN();
  }

  // `alike`: from many places the same least sum of squares was reached.
  void finish(Outcome outcome, bool alike) {
    state_ = best_;
    errors_ = bestErrors_;
    report_.fast = fast_;
    if (isClosed(bestErrors_) && !cutShort_ && !unsettled_) {
      report_.status = PoseStatus::Converged;
    } else if (isClosed(bestErrors_)) {
      report_.status = PoseStatus::Budget;
      report_.reason = unsettled_ ? kCompromiseCutShort : kWantsCutShort;
    } else if (outcome == Outcome::Over) {
      report_.status = PoseStatus::Budget;
      report_.reason = budget_.stopped() ? "stopped" : "the budget ran out";
    } else {
      report_.status = alike ? PoseStatus::Inconsistent : PoseStatus::Stalled;
      report_.reason = alike ? "every start ended in this same pose, with joints still open"
                             : "no pose was found in which all joints hold";
    }
  }

  struct Best : NeedErrors {
    bool seen = false;
  };

  const Mechanism& mechanism_;
  const Control& control_;
  const std::vector<Want>& wants_;
  const PoseSettings& settings_;
  State& state_;
  PoseScratch::Buffers& buffers_;
  PoseBudget& budget_;
  PoseReport& report_;
  bool fast_;          // by the packed kernel
  double wanted_ = 0;  // Σ w e², of the packed kernel
  State best_, attemptState_;
  State given_;  // where something yields
  NeedErrors givenErrors_;
  bool givenClosed_ = false;
  NeedErrors errors_, bestErrors_;
  Best attemptBest_;
  double startMax_;
  double left_ = 0;                                         // of the error, after the last step
  double reach_ = std::numeric_limits<double>::infinity();  // of wants in one step
  double softness_ = 1;                                     // of what pulls
  double settleScale_ = 0;                                  // σ of the last step of settle()
  bool unsettled_ = false;                                  // the budget ended before that did
  bool pursuing_ = false;                                   // wants take part
  bool meeting_ = false;                                    // … as if they were needs
  bool hasTried_ = false;                                   // to meet them
  bool hasPulled_ = false;                                  // the packed kernel, at them
  bool mayRestart_ = false;
  bool cutShort_ = false;  // the budget ended before they did
};

}  // namespace

void assembleByNewton(const Mechanism& mechanism, const Control& control,
                      const std::vector<Want>& wants, const PoseSettings& settings, bool mayRestart,
                      bool fast, State& state, PoseScratch::Buffers& buffers, PoseBudget& budget,
                      PoseReport& report, NeedErrors& errors) {
  errors = Newton(mechanism, control, wants, settings, fast, state, buffers, budget, report, errors)
               .run(mayRestart);
}

}  // namespace tenon
