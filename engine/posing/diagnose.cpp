// Why not: freedom and redundancy by rank, singular poses, and joints that cannot all hold.
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>

#include "math/random.h"
#include "math/rotation.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

// Largest error of each joint, then of each want that is a need, at a state.
std::vector<double> errorsOf(const Mechanism& mechanism, const Control& control,
                             const std::vector<Want>& wants, const State& state,
                             const PoseSettings& settings, PoseScratch::Buffers& buffers) {
  std::vector<double> errors(mechanism.joints.size() + wants.size(), 0);
  setYielding(mechanism, settings, buffers);
  (void)gatherNeeds(mechanism, control, wants, state, buffers);
  for (const Row& row : buffers.rows.rows) {
    if (buffers.yielding != Yielding::Exact && !std::isinf(row.stiffness)) continue;  // it yields
    if (row.joint >= mechanism.joints.size() && !row.equality) continue;
    const double size = row.equality ? std::abs(row.error) : -row.error;
    errors[row.joint] = std::max(errors[row.joint], size);
  }
  return errors;
}

// A pose nearby, on the manifold of the joints: a little shaken, and closed again.
bool nearbyPose(const Mechanism& mechanism, const Control& control, PoseScratch& scratch,
                State& state) {
  double size = 0;
  for (const MechanismJoint& joint : mechanism.joints)
    size = std::max({size, joint.solid1 == kWorld ? 0 : norm(joint.frame1.p),
                     joint.solid2 == kWorld ? 0 : norm(joint.frame2.p)});
  if (!(size > 0)) size = 1;
  shake(mechanism, 7, 1e-3 * size, 1e-3, state);
  PoseSettings settings;
  settings.tolerance = 1e-12 * std::max(size, 1.0);
  settings.iterations = 40;
  PoseReport report;
  posed(mechanism, control, {}, settings, true, state, scratch, report);
  return report.maxError < 1e-10 * std::max(size, 1.0);
}

// Members of a set are numbered like rows: joints, then wants that are needs.
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
  std::vector<Index> find(const std::vector<Index>& aside) {
    const std::vector<double> errors =
        errorsOf(mechanism_, control_, wants_, pose_, settings_, scratch_.buffers());
    double largest = 0;
    for (Index i = 0; i < errors.size(); ++i)
      if (!isIn(aside, i)) largest = std::max(largest, errors[i]);
    std::vector<Index> candidates;
    for (Index i = 0; i < errors.size(); ++i)
      if (!isIn(aside, i) && errors[i] > 1e-3 * largest) candidates.push_back(i);
    if (candidates.empty()) return {};
    std::vector<Index> off = aside;  // all candidates are out at first, the rest is in force
    off.insert(off.end(), candidates.begin(), candidates.end());
    State state = pose_;
    if (!closes(off, state)) return {};  // the fight is elsewhere
    std::vector<Index> set = needed(aside, candidates, {}, candidates, false);
    std::sort(set.begin(), set.end());
    return set;
  }

  // What a member is left with if it alone gives way.
  double errorWithout(const std::vector<Index>& aside, Index member) {
    std::vector<Index> off = aside;
    off.push_back(member);
    State state = pose_;
    (void)closes(off, state);
    return errorsOf(mechanism_, control_, wants_, state, settings_, scratch_.buffers())[member];
  }

  bool closes(const std::vector<Index>& off, State& state) {
    Control control = control_;
    std::vector<Want> needs;
    for (std::size_t w = 0; w < wants_.size(); ++w)
      if (wants_[w].need && !isIn(off, static_cast<Index>(mechanism_.joints.size() + w)))
        needs.push_back(wants_[w]);
    for (const Index i : off)
      if (i < mechanism_.joints.size()) control.jointOn[i] = 0;
    PoseSettings settings = settings_;
    settings.method = AssemblyMethod::Newton;
    settings.solver = LinearSolver::Direct;
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
  static bool isIn(const std::vector<Index>& list, Index i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  }

  // Of `part`, what is needed besides `in`, so that the fight is on. `grown`: `in` has become larger
  // since it was last seen to close.
  std::vector<Index> needed(const std::vector<Index>& aside, const std::vector<Index>& all,
                            const std::vector<Index>& in, const std::vector<Index>& part,
                            bool grown) {
    if (outOfTime()) return part;
    if (grown) {
      std::vector<Index> off = aside;
      for (const Index i : all)
        if (!isIn(in, i)) off.push_back(i);
      State state = pose_;
      if (!closes(off, state)) return {};
    }
    if (part.size() == 1) return part;
    const auto half = static_cast<std::ptrdiff_t>(part.size() / 2);
    const std::vector<Index> first(part.begin(), part.begin() + half);
    const std::vector<Index> second(part.begin() + half, part.end());
    const auto with = [](std::vector<Index> a, const std::vector<Index>& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    };
    const std::vector<Index> ofSecond = needed(aside, all, with(in, first), second, true);
    const std::vector<Index> ofFirst =
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
  std::vector<Index> aside;
  constexpr int kMostSets = 8;
  for (int sets = 0;; ++sets) {
    State rest = state;
    diagnosis.allConflicts = !conflicts.outOfTime() && conflicts.closes(aside, rest);
    if (diagnosis.allConflicts || sets == kMostSets || conflicts.outOfTime()) break;
    const std::vector<Index> found = conflicts.find(aside);
    diagnosis.allConflicts = !conflicts.outOfTime();
    if (found.empty() || !diagnosis.allConflicts) break;
    Diagnosis::Conflict conflict;
    for (const Index i : found) {
      const bool isJoint = i < mechanism.joints.size();
      (isJoint ? conflict.joints : conflict.wants)
          .push_back(isJoint ? i : i - static_cast<Index>(mechanism.joints.size()));
      conflict.errors.push_back(conflicts.errorWithout(aside, i));
    }
    diagnosis.conflicts.push_back(conflict);
    aside.push_back(found.front());
  }
}

}  // namespace tenon
