// Energy and interactive where the packed kernels know the scene.
#include <algorithm>
#include <set>
#include <span>

#include "methods/verbs.h"
#include "packed/loop.h"
#include "packed/plain.h"

namespace tenon {

namespace {

constexpr double kLoosest = 1e-7;  // [m], [rad] of the equations of motion, at the end of a step

}  // namespace

std::vector<std::string> unknownToFastPath(const Mechanism& m, const StepSettings& settings) {
  std::vector<std::string> unknown;
  const auto note = [&unknown](bool there, const char* what) {
    if (there) unknown.emplace_back(what);
  };
  const auto any = [](const auto& list, const auto& is) {
    return std::any_of(list.begin(), list.end(), is);
  };
  note(settings.solver != LinearSolver::Direct, "iterative solvers");
  note(any(m.rules, [](const MechanismRule& rule) { return !packed::isHardLimit(rule); }),
       "springs, drives, friction or limits that yield at joints");
  note(!m.springs.empty(), "springs");
  note(!m.forces.empty() || !m.muscles.empty(), "forces");
  note(!m.drags.empty() || m.damp != 0 ||
           any(m.joints, [](const MechanismJoint& j) { return j.damp > 0; }),
       "damping");
  note(!m.paths.empty(), "solids that follow a path");
  note(any(m.solids, [](const MechanismSolid& s) { return s.pointMass; }), "point masses");
  note(any(m.joints, [](const MechanismJoint& j) { return j.compliance > 0; }), "compliance");
  note(any(m.joints, [](const MechanismJoint& j) { return j.active.count > 0; }),
       "joints that come and go");
  bool crossed = false, crowded = false;
  std::vector<int> ends(m.solids.size(), 0);
  for (const Mechanism::Island& island : m.islands) {
    const std::span joints(m.islandJoints.data() + island.joints.first, island.joints.count);
    bool grounded = false, cardan = false, many = false;
    for (const Index j : joints) {
      const MechanismJoint& joint = m.joints[j];
      cardan = cardan || packed::lockedAxes(joint).count == 1;
      for (const Index solid : {joint.solid1, joint.solid2}) {
        const bool ground = packed::isGround(m, solid);
        grounded = grounded || ground;
        many = many || (!ground && (ends[solid] += packed::nodesOf(joint)) > packed::kMostEnds);
      }
    }
    if (joints.size() + (grounded ? 0 : 1) <= island.solids.count) continue;  // a tree
    crossed = crossed || cardan;
    crowded = crowded || many;
  }
  note(crossed, "cardan joints in loops");
  note(crowded, "solids of loops that so many joints hold");
  std::set<std::string> kinds;
  for (const MechanismJoint& joint : m.joints)
    if (!packed::holdsPoint(joint)) kinds.insert(std::string(joint.kind->name));
  for (const std::string& kind : kinds) unknown.push_back("`" + kind + "` joints");
  return unknown;
}

bool isPacked(const Mechanism& m, const Control& control, const StepSettings& settings,
              StepScratch::Buffers& buffers) {
  return settings.fast && settings.solver == LinearSolver::Direct && buffers.fast.suits(m, control);
}

namespace {

// The figures that the kernels have left. False if one of them could not be stepped, either.
bool stepLeft(const Mechanism& m, const Control& control, const StepSettings& settings, double time,
              double dt, State& state, StepScratch::Buffers& buffers, StepReport& report) {
  if (buffers.partsStamp != m.stamp) {
    buffers.parts.clear();
    buffers.partsStamp = m.stamp;
  }
  buffers.parts.resize(m.islands.size());
  for (const Index island : buffers.fast.left()) {
    Part& part = buffers.parts[island];
    if (!part.isCut()) part.cut(m, island);
    const StepReport own = part.step(m, control, settings, time, dt, state);
    if (!own.finite || own.stopped) return false;
    report.iterations = std::max(report.iterations, own.iterations);
    report.halvings += own.halvings;
    report.converged = report.converged && own.converged;
    report.ledger = report.ledger && own.ledger;
    report.work += own.work;
    report.forced += own.forced;
    if (report.note.empty()) report.note = own.note;
  }
  return true;
}

}  // namespace

bool stepFast(const Mechanism& m, const Control& control, const StepSettings& settings,
              EndSolve::Forces forces, double dt, State& state, StepScratch::Buffers& buffers,
              StepReport& report) {
  if (!buffers.isPacked) {
    state.rest.clear();  // nothing sleeps on the general path
    return false;
  }
  packed::FastSettings fast;
  fast.over = forces == EndSolve::Forces::OverStep;
  // What momenta are off by is energy won or lost, always the same way. At the end it is damped anyway.
  fast.tolerance =
      fast.over ? 1e-3 * settings.tolerance : std::min(1e3 * settings.tolerance, kLoosest);
  fast.closed = settings.tolerance;
  if (settings.iterations > 0) fast.most = settings.iterations;
  fast.lanes = settings.lanes;
  fast.threads = settings.threads;
  fast.sleepBelow = settings.sleepBelow;
  fast.sleepAfter = settings.sleepAfter;
  packed::FastReport done;
  const double time = state.time;
  StepReport left;
  // Over a step nothing but gravity works on what is awake. Forces of the end also work by O(dt²), which is not counted.
  left.ledger = fast.over;
  bool stepped = buffers.fast.step(m, control, fast, dt, state, done);
  buffers.clock.lap(Stage::Packed);
  if (stepped && !stepLeft(m, control, settings, time, dt, state, buffers, left)) {
    buffers.fast.putBack(state);
    stepped = false;
  }
  if (!stepped) {
    report.finite = keepBefore(state, buffers);
    if (report.finite) state.rest.clear();
    return !report.finite;
  }
  buffers.clock.lap(Stage::Other);
  buffers.isChecked = true;
  report.iterations += std::max(done.iterations, left.iterations);
  report.halvings += done.halvings + left.halvings;
  report.converged = report.converged && left.converged;
  report.ledger = left.ledger;
  report.fast = buffers.fast.left().empty();
  report.sleeping = done.sleeping;
  report.forced += left.forced;
  report.work += left.work + buffers.fast.putToSleep(m, fast, dt, state);
  if (report.note.empty()) report.note = left.note;
  return true;
}

}  // namespace tenon
