// Why not: freedom and redundancy by rank, singular poses, and joints that cannot all hold.
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>

#include "math/random.h"
#include "math/rotation.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

// Those who may fight, joints and wants that are needs, each with its largest error at a state.
struct Fighter {
  Asker asker;
  double error = 0;
};
std::vector<Fighter> fightersAt(const Mechanism& mechanism, const Control& control,
                                const std::vector<Want>& wants, const State& state,
                                const PoseSettings& settings, PoseScratch::Buffers& buffers) {
  std::vector<Fighter> fighters;
  for (Index j = 0; j < mechanism.joints.size(); ++j) fighters.push_back({{Asker::Kind::Joint, j}});
  for (Index w = 0; w < wants.size(); ++w) fighters.push_back({{Asker::Kind::Want, w}});
  setYielding(mechanism, settings, buffers);
  (void)gatherNeeds(mechanism, control, wants, state, buffers);
  for (const Row& row : buffers.rows.rows) {
    if (buffers.yielding != Yielding::Exact && !std::isinf(row.stiffness)) continue;  // it yields
    if (isWant(row)) continue;
    const double size = row.equality ? std::abs(row.error) : -row.error;
    double& error = std::lower_bound(fighters.begin(), fighters.end(), row.asker,
                                     [](const Fighter& fighter, const Asker& asker) {
                                       return fighter.asker < asker;
                                     })
                        ->error;
    error = std::max(error, size);
  }
  return fighters;
}

// A pose nearby, on the manifold of the joints: a little shaken, and closed again.
bool nearbyPose(const Mechanism& mechanism, const Control& control, PoseScratch& scratch,
                State& state) {
  double size = 0;
  for (const MechanismJoint& joint : mechanism.joints)
    size = std::max({size, joint.solid1 == kWorld ? 0 : norm(joint.frame1.p),
                     joint.solid2 == kWorld ? 0 : norm(joint.frame2.p)});
  if (!(size > 0)) size = 1;
  disturb(mechanism, 7, 1e-3 * size, 1e-3, state);
  PoseSettings settings;
  settings.tolerance = 1e-12 * std::max(size, 1.0);
  settings.iterations = 40;
  PoseReport report;
  posed(mechanism, control, {}, settings, true, state, scratch, report);
  return report.maxError < 1e-10 * std::max(size, 1.0);
}

class Conflicts {
 public:
  Conflicts(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
            const State& pose, const PoseSettings& settings, const PoseBudget& budget,
            PoseScratch& scratch)
      : mechanism_(mechanism),
        control_(control),
        wants_(wants),
        pose_(pose),
        settings_(settings),
        budget_(budget),
        scratch_(scratch) {}

  // At a least-squares pose Jᵀ Φ = 0: the errors themselves are the forces of the fight, and joints
  // without an error take no part in it. Of the others a minimal set is found by halving: with one half
  // in force, what of the other half is needed for the fight?                        [Junker2004]
  // `aside`: members that have been set aside already.
  std::vector<Asker> find(const std::vector<Asker>& aside) {
    const std::vector<Fighter> fighters =
        fightersAt(mechanism_, control_, wants_, pose_, settings_, scratch_.buffers());
    double largest = 0;
    for (const Fighter& one : fighters)
      if (!isIn(aside, one.asker)) largest = std::max(largest, one.error);
    std::vector<Asker> candidates;
    for (const Fighter& one : fighters)
      if (!isIn(aside, one.asker) && one.error > 1e-3 * largest) candidates.push_back(one.asker);
    if (candidates.empty()) return {};
    std::vector<Asker> off = aside;  // all candidates are out at first, the rest is in force
    off.insert(off.end(), candidates.begin(), candidates.end());
    State state = pose_;
    if (!closes(off, state)) return {};  // the fight is elsewhere
    std::vector<Asker> set = needed(aside, candidates, {}, candidates, false);
    std::sort(set.begin(), set.end());
    return set;
  }

  // What a member is left with if it alone gives way.
  double errorWithout(const std::vector<Asker>& aside, const Asker& member) {
    std::vector<Asker> off = aside;
    off.push_back(member);
    State state = pose_;
    (void)closes(off, state);
    for (const Fighter& one :
         fightersAt(mechanism_, control_, wants_, state, settings_, scratch_.buffers()))
      if (one.asker == member) return one.error;
    return 0;
  }

  bool closes(const std::vector<Asker>& off, State& state) {
    Control control = control_;
    std::vector<Want> needs;
    for (Index w = 0; w < wants_.size(); ++w)
      if (wants_[w].need && !isIn(off, {Asker::Kind::Want, w})) needs.push_back(wants_[w]);
    for (const Asker& asker : off)
      if (asker.kind == Asker::Kind::Joint) control.jointOn[asker.number] = 0;
    PoseSettings settings = settings_;
    settings.method = AssemblyMethod::Newton;
    settings.linear.solver = LinearSolver::Direct;
    settings.iterations = 150;
    settings.restarts = 3;
    settings.compromise = false;
    settings.trace = false;
    settings.progress = nullptr;
    settings.watch = nullptr;
    settings.tolerance = 2 * settings_.tolerance;
    if (std::isfinite(settings_.milliseconds))
      settings.milliseconds = std::max(1.0, settings_.milliseconds - budget_.microseconds() / 1000);
    PoseReport report;
    posed(mechanism_, control, needs, settings, false, state, scratch_, report);
    return report.status == PoseStatus::Converged;
  }

  [[nodiscard]] bool outOfTime() const {
    return budget_.microseconds() > 1000 * settings_.milliseconds;
  }

 private:
  static bool isIn(const std::vector<Asker>& list, const Asker& asker) {
    return std::find(list.begin(), list.end(), asker) != list.end();
  }

  // Of `part`, what is needed besides `in`, so that the fight is on. `grown`: `in` has become larger
  // since it was last seen to close.
  std::vector<Asker> needed(const std::vector<Asker>& aside, const std::vector<Asker>& all,
                            const std::vector<Asker>& in, const std::vector<Asker>& part,
                            bool grown) {
    if (outOfTime()) return part;
    if (grown) {
      std::vector<Asker> off = aside;
      for (const Asker& i : all)
        if (!isIn(in, i)) off.push_back(i);
      State state = pose_;
      if (!closes(off, state)) return {};
    }
    if (part.size() == 1) return part;
    const auto half = static_cast<std::ptrdiff_t>(part.size() / 2);
    const std::vector<Asker> first(part.begin(), part.begin() + half);
    const std::vector<Asker> second(part.begin() + half, part.end());
    const auto with = [](std::vector<Asker> a, const std::vector<Asker>& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    };
    const std::vector<Asker> ofSecond = needed(aside, all, with(in, first), second, true);
    const std::vector<Asker> ofFirst =
        needed(aside, all, with(in, ofSecond), first, !ofSecond.empty());
    return with(ofFirst, ofSecond);
  }

  const Mechanism& mechanism_;
  const Control& control_;
  const std::vector<Want>& wants_;
  const State& pose_;
  const PoseSettings& settings_;
  const PoseBudget& budget_;
  PoseScratch& scratch_;
};

}  // namespace

void diagnosed(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
               const State& state, const PoseSettings& settings, PoseScratch& scratch,
               Diagnosis& diagnosis) {
  const PoseBudget budget(settings);
  const Counts counts = count(mechanism, control, state);
  diagnosis.dof = diagnosis.regularDof = counts.dof;
  diagnosis.redundant = counts.redundant;
  for (const Counts::RedundantGroup& group : counts.redundancy)
    diagnosis.redundantJoints.push_back(group.joints);

  std::vector<Want> needs;  // goals never fight
  for (const Want& want : wants) {
    needs.push_back(want);
    if (!want.need) needs.back().weight = 0;
  }
  setYielding(mechanism, settings, scratch.buffers());
  const NeedErrors errors = gatherNeeds(mechanism, control, needs, state, scratch.buffers());
  if (errors.finite && errors.in(settings.norm) <= settings.tolerance) {
    State nearby = state;
    if (counts.redundant > 0 && nearbyPose(mechanism, control, scratch, nearby)) {
      diagnosis.regularDof = count(mechanism, control, nearby).dof;
      diagnosis.singular = diagnosis.regularDof < diagnosis.dof;
    }
    return;
  }

  // One set after the other: of each, one member is set aside, until the rest closes. If all of them
  // close (a method failed, not the joints), there is none.
  Conflicts conflicts(mechanism, control, needs, state, settings, budget, scratch);
  std::vector<Asker> aside;
  constexpr int kMostSets = 8;
  for (int sets = 0;; ++sets) {
    State rest = state;
    diagnosis.allConflicts = !conflicts.outOfTime() && conflicts.closes(aside, rest);
    if (diagnosis.allConflicts || sets == kMostSets || conflicts.outOfTime()) break;
    const std::vector<Asker> found = conflicts.find(aside);
    diagnosis.allConflicts = !conflicts.outOfTime();
    if (found.empty() || !diagnosis.allConflicts) break;
    Diagnosis::Conflict conflict;
    for (const Asker& asker : found) {
      (asker.kind == Asker::Kind::Joint ? conflict.joints : conflict.wants).push_back(asker.number);
      conflict.errors.push_back(conflicts.errorWithout(aside, asker));
    }
    diagnosis.conflicts.push_back(conflict);
    aside.push_back(found.front());
  }
}

}  // namespace tenon
