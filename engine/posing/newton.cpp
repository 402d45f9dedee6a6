// The default assembly: Newton's method on needs and wants.
//
// Each iteration moves from q by the smallest displacement (in the metric of the masses) that meets the
// linearized rows, with the curvature of the rows in the metric: with the multipliers λ of the
// iteration before, scaled by how much of the error is left,
//   (M - Σ λ ∇²Φ) δ = Jᵀ λ',   J δ + C λ' = -Φ.
// C is a trace of compliance, for redundant rows. The state moves on its own error only, so that λ -> 0
// at a solution: the compliance leaves no error behind, and convergence is quadratic.
// Wants are rows with a compliance that lets them pull 98 % of the way in one iteration; at a fixed
// point Σ w e² is stationary on the manifold of the needs.
// From solids that lie about at random it begins along a spanning forest of the joints, so that only
// the loops are left to be closed.
// Where Newton does not get on, Levenberg and Marquardt's method (a uniform C, steps accepted if the sum
// of squares falls) goes downhill; where that ends above zero, the solids around the open joints are
// put elsewhere, at random places that the joints between them allow, and all begins anew from there.
#include <algorithm>
#include <cmath>

#include "posing/buffers.h"
#include "posing/rearrange.h"

namespace tenon {

namespace {

constexpr double kTrace = 1e-10;  // compliance of needs, relative to the rows' mobility
constexpr double kGive = 0.02;    // of wants of weight 1
constexpr int kPatience = 15;     // iterations without clear progress

class Newton {
 public:
  Newton(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
         const PoseSettings& settings, State& state, PoseScratch::Buffers& buffers,
         PoseBudget& budget, PoseReport& report)
      : mechanism_(mechanism),
        control_(control),
        wants_(wants),
        settings_(settings),
        state_(state),
        buffers_(buffers),
        budget_(budget),
        report_(report),
        best_(state) {
    errors_ = gather();
    bestErrors_ = errors_;
  }

  void run(bool mayRestart) {
    Random random(settings_.seed);
    if (mayRestart && isScattered(mechanism_, buffers_.rows)) {
      pullTogether(mechanism_, control_, state_);
      budget_.spend(gather().max, report_);
    }
    Outcome outcome = attempt();
    State base = best_;
    NeedErrors baseErrors = bestErrors_;
    while (outcome == Outcome::Stuck && mayRestart && report_.restarts < settings_.restarts &&
           !budget_.over()) {
      ++report_.restarts;
      state_ = base;
      gather();
      rearrange(mechanism_, control_, buffers_.rows, settings_.tolerance, report_.restarts, random,
                state_);
      attemptBest_ = {};
      outcome = attempt();
      if (attemptBest_.rms < baseErrors.rms) {
        base = attemptState_;
        baseErrors = attemptBest_;
      }
    }
    finish(outcome);
  }

 private:
  enum class Outcome { Closed, Stuck, Over };

  NeedErrors gather() { return gatherNeeds(mechanism_, control_, wants_, state_, buffers_); }
  [[nodiscard]] bool isClosed(const NeedErrors& e) const {
    return e.finite && e.in(settings_.norm) <= settings_.tolerance;
  }
  // Closed is better than open, then what is wanted, then what is less open.
  [[nodiscard]] bool isBetter(const NeedErrors& a, const NeedErrors& b) const {
    if (!a.finite) return false;
    const bool closedA = isClosed(a), closedB = isClosed(b);
    if (closedA != closedB) return closedA;
    if (closedA && !wants_.empty() && a.want != b.want) return a.want < b.want;
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
    const std::size_t n = buffers_.rows.rows.size();
    buffers_.system.load(mechanism_, state_, buffers_.rows, buffers_.used);
    buffers_.b.assign(n, 0);
    buffers_.compliance.assign(n, 0);
    for (std::size_t r = 0; r < n; ++r) {
      const Row& row = buffers_.rows.rows[r];
      buffers_.b[r] = -row.error;
      const double mobility = buffers_.system.mobility(r);
      const bool isWant = row.joint >= mechanism_.joints.size() && !row.equality;
      buffers_.compliance[r] = isWant ? kGive * mobility / row.weight + 1e-300
                                      : kTrace * mobility + compliance / row.weight;
      if (!(buffers_.compliance[r] > 0)) buffers_.compliance[r] = 1;  // it moves nothing
    }
    buffers_.stiffness.clear();
    if (curvature) gatherStiffness();
    const LinearReport linear = buffers_.system.solve(
        buffers_.stiffness, buffers_.compliance, buffers_.b,
        {settings_.solver, settings_.linearIterations, settings_.linearTolerance, settings_.norm},
        buffers_.lambda, buffers_.displacement);
    report_.linearIterations += linear.iterations;
    return linear;
  }

  // K = -Σ λ ∇²Φ with the multipliers that are remembered.
  void gatherStiffness() {
    const Rows& rows = buffers_.rows;
    for (std::size_t r = 0; r < rows.rows.size();) {
      const Index joint = rows.rows[r].joint;
      while (r < rows.rows.size() && rows.rows[r].joint == joint) ++r;
      if (joint >= mechanism_.joints.size()) continue;
      const MechanismJoint& j = mechanism_.joints[joint];
      emitStiffness(mechanism_, state_, joint, {buffers_.bySlot.data() + j.firstSlot, slotCount(j)},
                    buffers_.stiffness);
    }
  }

  void remember(double scale) {
    buffers_.bySlot.assign(mechanism_.slots, 0);
    std::fill(buffers_.pushing.begin(), buffers_.pushing.end(), false);
    for (std::size_t r = 0; r < buffers_.rows.rows.size(); ++r) {
      const Row& row = buffers_.rows.rows[r];
      if (row.joint >= mechanism_.joints.size()) continue;
      buffers_.bySlot[row.slot] = -scale * buffers_.lambda[r];
      if (!row.equality) buffers_.pushing[row.slot] = buffers_.used[r] && buffers_.lambda[r] > 0;
    }
  }

  Outcome attempt() {
    errors_ = gather();
    keep();
    bool curvature = false;
    double least = errors_.rms;
    int patience = kPatience;
    while (true) {
      if (isClosed(errors_) && (wants_.empty() || motion_ < 1e-9)) return Outcome::Closed;
      if (budget_.over()) return isClosed(bestErrors_) ? Outcome::Closed : Outcome::Over;
      const LinearReport linear = solve(curvature, 0);
      if (linear.finite) {
        motion_ =
            applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
        const double before = errors_.rms;
        const bool more = settings_.solver == LinearSolver::Direct;
        const NeedErrors next = peek();
        remember(before > 0 ? std::min(1.0, next.rms / before) : 0);
        errors_ = gather();
        curvature = more;
      }
      budget_.spend(errors_.max, report_);
      if (!linear.finite || !errors_.finite) {
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
        restoreAttempt();
        if (!downhill()) return Outcome::Stuck;
        curvature = false;
        least = errors_.rms;
        patience = kPatience;
      }
    }
  }

  // Errors at the state, with the rows of the iteration kept for `remember`.
  NeedErrors peek() {
    std::swap(buffers_.rows, kept_);
    std::swap(buffers_.used, keptUsed_);
    const NeedErrors e = gather();
    std::swap(buffers_.rows, kept_);
    std::swap(buffers_.used, keptUsed_);
    return e;
  }

  void restoreAttempt() {
    if (!attemptBest_.seen) return;
    state_ = attemptState_;
    std::fill(buffers_.pushing.begin(), buffers_.pushing.end(), false);
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
    for (int k = 0; k < 60 && idle < 4 && !budget_.over(); ++k) {
      const State before = state_;
      const NeedErrors old = errors_;
      const LinearReport linear = solve(false, damping);
      if (linear.finite)
        applyDisplacement(mechanism_, buffers_.displacement, settings_.truncation, state_);
      errors_ = gather();
      budget_.spend(errors_.max, report_);
      const double gain = 1 - errors_.rms / old.rms;
      if (linear.finite && errors_.finite && gain > 0) {
        keep();
        damping = std::max(0.3 * damping, 1e-9 * mean);
        idle = gain < 1e-4 ? idle + 1 : 0;
        if (isClosed(errors_)) return true;
      } else {
        state_ = before;
        errors_ = gather();
        damping *= 8;
        if (damping > 1e9 * mean) break;
      }
      if (errors_.rms < 0.05 * start) return true;
    }
    stationary_ = true;
    return errors_.rms < 0.5 * start;
  }

  void finish(Outcome outcome) {
    state_ = best_;
    errors_ = bestErrors_;
    if (isClosed(bestErrors_)) {
      report_.status = PoseStatus::Converged;
    } else if (outcome == Outcome::Over) {
      report_.status = PoseStatus::Budget;
      report_.reason = budget_.stopped() ? "stopped" : "the budget was used up";
    } else {
      report_.status = stationary_ ? PoseStatus::Inconsistent : PoseStatus::Stalled;
      report_.reason = "no pose was found in which all joints hold";
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
  State best_, attemptState_;
  NeedErrors errors_, bestErrors_;
  Best attemptBest_;
  Rows kept_;
  std::vector<bool> keptUsed_;
  double motion_ = std::numeric_limits<double>::infinity();
  bool stationary_ = false;
};

}  // namespace

void assembleByNewton(const Mechanism& mechanism, const Control& control,
                      const std::vector<Want>& wants, const PoseSettings& settings, bool mayRestart,
                      State& state, PoseScratch::Buffers& buffers, PoseBudget& budget,
                      PoseReport& report) {
  Newton(mechanism, control, wants, settings, state, buffers, budget, report).run(mayRestart);
}

}  // namespace tenon
