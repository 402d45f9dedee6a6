// Why not: freedom and redundancy by rank, singular poses, and joints that cannot all hold.
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>

#include "math/random.h"
#include "math/rotation.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

// Largest error of one joint at a state.
double errorOf(const Mechanism& mechanism, const State& state, Index joint) {
  Control on = initialControl(mechanism);
  Rows rows;
  emitJointRows(mechanism, on, state, joint, rows);
  double largest = 0;
  for (const Row& row : rows.rows) {
    if (row.velocity) continue;
    if (row.equality)
      largest = std::max(largest, std::abs(row.error));
    else if (row.lower == 0 && std::isinf(row.stiffness))
      largest = std::max(largest, -row.error);
  }
  return largest;
}

// A pose nearby, on the manifold of the joints: a little shaken, and closed again.
bool nearbyPose(const Mechanism& mechanism, const Control& control, PoseScratch& scratch,
                State& state) {
  double size = 0;
  for (const MechanismJoint& joint : mechanism.joints)
    size = std::max({size, joint.solid1 == kWorld ? 0 : norm(joint.frame1.p),
                     joint.solid2 == kWorld ? 0 : norm(joint.frame2.p)});
  shake(mechanism, 7, 1e-3 * std::max(size, 1e-3), 1e-3, state);
  PoseSettings settings;
  settings.tolerance = 1e-12;
  settings.iterations = 40;
  return track(mechanism, control, {}, settings, state, scratch).maxError < 1e-10;
}

class Conflicts {
 public:
  Conflicts(const Mechanism& mechanism, const PoseSettings& settings, const PoseBudget& budget,
            PoseScratch& scratch)
      : mechanism_(mechanism), settings_(settings), budget_(budget), scratch_(scratch) {}

  // At a least-squares pose Jᵀ Φ = 0: the errors themselves are the forces of the fight, and joints
  // without an error take no part in it. Of the others, one after the other is taken out; if the rest
  // still cannot close it stays out, else it is one of the set.
  bool find(Control& control, const State& pose, Diagnosis::Conflict& found) {
    std::vector<Index> candidates;
    double largest = 0;
    for (Index j = 0; j < mechanism_.joints.size(); ++j)
      if (isOn(control, j, pose)) largest = std::max(largest, errorOf(mechanism_, pose, j));
    for (Index j = 0; j < mechanism_.joints.size(); ++j)
      if (isOn(control, j, pose) && errorOf(mechanism_, pose, j) > 1e-4 * largest)
        candidates.push_back(j);
    // The least open ones first: those in the thick of it stay.
    std::stable_sort(candidates.begin(), candidates.end(), [&](Index a, Index b) {
      return errorOf(mechanism_, pose, a) < errorOf(mechanism_, pose, b);
    });
    Control reduced = control;
    for (const Index j : candidates) {
      if (outOfTime()) return false;
      reduced.jointOn[j] = 0;
      State rest = pose;
      if (!closes(reduced, rest)) continue;  // it is not needed for the fight
      reduced.jointOn[j] = 1;
      found.joints.push_back(j);
      found.errors.push_back(errorOf(mechanism_, rest, j));
    }
    // In the order of the scene.
    std::vector<std::size_t> order(found.joints.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return found.joints[a] < found.joints[b]; });
    Diagnosis::Conflict sorted;
    for (const std::size_t i : order) {
      sorted.joints.push_back(found.joints[i]);
      sorted.errors.push_back(found.errors[i]);
    }
    found = std::move(sorted);
    return !found.joints.empty();
  }

  bool closes(const Control& control, State& state) {
    PoseSettings settings = settings_;
    settings.method = AssemblyMethod::Newton;
    settings.solver = LinearSolver::Direct;
    settings.iterations = 150;
    settings.restarts = 3;
    settings.trace = false;
    settings.progress = nullptr;
    settings.tolerance = std::max(settings_.tolerance, 1e-9);
    if (std::isfinite(settings_.milliseconds))
      settings.milliseconds = std::max(1.0, settings_.milliseconds - budget_.microseconds() / 1000);
    return assemble(mechanism_, control, {}, settings, state, scratch_).status ==
           PoseStatus::Converged;
  }

  [[nodiscard]] bool outOfTime() const {
    return budget_.microseconds() > 1000 * settings_.milliseconds;
  }

 private:
  [[nodiscard]] bool isOn(const Control& control, Index j, const State& state) const {
    return control.jointOn[j] && isActive(mechanism_, mechanism_.joints[j].active, state.time);
  }

  const Mechanism& mechanism_;
  const PoseSettings& settings_;
  const PoseBudget& budget_;
  PoseScratch& scratch_;
};

}  // namespace

Diagnosis diagnose(const Mechanism& mechanism, const Control& control, const State& state,
                   const PoseSettings& settings, PoseScratch& scratch) {
  Diagnosis diagnosis;
  const PoseBudget budget(settings);
  const Counts counts = count(mechanism, control, state);
  diagnosis.dof = diagnosis.regularDof = counts.dof;
  diagnosis.redundant = counts.redundant;
  for (const Counts::RedundantGroup& group : counts.redundancy)
    diagnosis.redundantJoints.push_back(group.joints);

  const NeedErrors errors = gatherNeeds(mechanism, control, {}, state, scratch.buffers());
  if (errors.finite && errors.in(settings.norm) <= settings.tolerance) {
    State nearby = state;
    if (counts.redundant > 0 && nearbyPose(mechanism, control, scratch, nearby)) {
      diagnosis.regularDof = count(mechanism, control, nearby).dof;
      diagnosis.singular = diagnosis.regularDof < diagnosis.dof;
    }
    return diagnosis;
  }

  // One set after the other: of each, one joint is set aside, and what is left is asked again.
  Conflicts conflicts(mechanism, settings, budget, scratch);
  Control rest = control;
  State pose = state;
  for (int sets = 0; sets < 8 && !conflicts.outOfTime(); ++sets) {
    Diagnosis::Conflict found;
    if (!conflicts.find(rest, pose, found)) break;
    diagnosis.conflicts.push_back(found);
    rest.jointOn[found.joints.front()] = 0;
    pose = state;
    if (conflicts.closes(rest, pose)) break;
  }
  return diagnosis;
}

}  // namespace tenon
