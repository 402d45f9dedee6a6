#include "methods/part.h"

#include <tenon/joint.h>

#include <algorithm>
#include <span>

#include "methods/verbs.h"

namespace tenon {

namespace {

// Copies what a range names to the end of another list.
template <class T>
Range taken(const std::vector<T>& from, const Range& range, std::vector<T>& to) {
  const Range made{static_cast<Index>(to.size()), range.count};
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(range.first);
  to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(range.count));
  return made;
}

// Where a number stands in a list that is in order; kWorld: it does not.
Index placeIn(std::span<const Index> list, Index number) {
  const auto at = std::lower_bound(list.begin(), list.end(), number);
  return at != list.end() && *at == number ? static_cast<Index>(at - list.begin()) : kWorld;
}
void sortOnce(std::vector<Index>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

void Part::cut(const Mechanism& whole, const Islands& islands, Index island) {
  Mechanism& m = mechanism_;
  m = {};
  const auto own = islands.solidsOf(island), joints = islands.jointsOf(island);
  own_ = static_cast<Index>(own.size());
  // With the joints whose coordinates others relate, though they may hold nothing now.
  joints_.assign(joints.begin(), joints.end());
  for (const Index j : joints) {
    const Range& terms = whole.joints[j].terms;
    for (Index t = terms.first; t < terms.first + terms.count; ++t)
      joints_.push_back(whole.terms[t].joint);
  }
  sortOnce(joints_);
  isOutside_.clear();
  for (const Index j : joints_) isOutside_.push_back(placeIn(joints, j) == kWorld);
  // What all of it hangs on.
  std::vector<Index> ground;
  const auto hang = [&](Index solid) {
    if (solid != kWorld && placeIn(own, solid) == kWorld) ground.push_back(solid);
  };
  for (const Index j : joints_) forEachSolid(whole, whole.joints[j], hang);
  for (const Index s : islands.springsOf(island)) {
    hang(whole.springs[s].solid1);
    hang(whole.springs[s].solid2);
  }
  sortOnce(ground);
  solids_.assign(own.begin(), own.end());
  solids_.insert(solids_.end(), ground.begin(), ground.end());
  const auto numberOf = [&](Index solid) {
    if (solid == kWorld) return kWorld;
    const Index known = placeIn(own, solid);
    return known != kWorld ? known : own_ + placeIn(ground, solid);
  };
  const auto signal = [&](CompiledSignal of) {
    of.keys = taken(whole.signalKeys, of.keys, m.signalKeys);
    return of;
  };
  const auto times = [&](const Range& active) {
    return taken(whole.intervals, active, m.intervals);
  };

  m.gravity = whole.gravity;
  m.damp = whole.damp;
  for (const Index j : joints_) {
    MechanismJoint joint = whole.joints[j];
    joint.solid1 = numberOf(joint.solid1);
    joint.solid2 = numberOf(joint.solid2);
    joint.options = taken(whole.options, joint.options, m.options);
    joint.points = taken(whole.points, joint.points, m.points);
    for (Index p = joint.points.first; p < m.points.size(); ++p)
      m.points[p].solid = numberOf(m.points[p].solid);
    joint.terms = taken(whole.terms, joint.terms, m.terms);
    for (Index t = joint.terms.first; t < m.terms.size(); ++t)
      m.terms[t].joint = placeIn(joints_, m.terms[t].joint);
    joint.active = times(joint.active);
    joint.firstSlot = m.slots;
    m.slots += slotCount(joint);
    const Range memory{joint.firstMemory, static_cast<Index>(memoryCount(*joint.kind))};
    joint.firstMemory = taken(whole.memory, memory, m.memory).first;
    joint.rules = taken(whole.rules, joint.rules, m.rules);
    for (Index r = joint.rules.first; r < m.rules.size(); ++r) {
      MechanismRule& rule = m.rules[r];
      rule.joint = static_cast<Index>(m.joints.size());
      rule.target = signal(rule.target);
      rule.active = times(rule.active);
    }
    m.joints.push_back(joint);
  }
  for (const Index s : solids_) {
    MechanismSolid solid = whole.solids[s];
    if (solid.path != kWorld) {
      CompiledPath path = whole.paths[solid.path];
      path.solid = static_cast<Index>(m.solids.size());
      for (CompiledSignal& along : path.p) along = signal(along);
      for (CompiledSignal& along : path.q) along = signal(along);
      solid.path = static_cast<Index>(m.paths.size());
      m.paths.push_back(path);
    }
    m.solids.push_back(solid);
  }
  for (const Index s : islands.springsOf(island)) {
    MechanismSpring& spring = m.springs.emplace_back(whole.springs[s]);
    spring.solid1 = numberOf(spring.solid1);
    spring.solid2 = numberOf(spring.solid2);
    spring.active = times(spring.active);
  }
  for (const Index f : islands.forcesOf(island)) {
    MechanismForce& force = m.forces.emplace_back(whole.forces[f]);
    force.solid = numberOf(force.solid);
    force.active = times(force.active);
  }
  for (const Index k : islands.musclesOf(island)) {
    MechanismMuscle& muscle = m.muscles.emplace_back(whole.muscles[k]);
    muscle.joint = placeIn(joints_, muscle.joint);
    muscle.active = times(muscle.active);
  }
  std::vector<Index> drags(islands.dragsOf(island).begin(), islands.dragsOf(island).end());
  drags.insert(drags.end(), islands.everywhere.begin(), islands.everywhere.end());
  sortOnce(drags);
  for (const Index d : drags) {
    MechanismDrag& drag = m.drags.emplace_back(whole.drags[d]);
    drag.solid = numberOf(drag.solid);
    drag.active = times(drag.active);
  }
  m.islands.push_back({{0, own_}, {0, static_cast<Index>(joints_.size())}});
  for (Index s = 0; s < own_; ++s) m.islandSolids.push_back(s);
  for (Index j = 0; j < joints_.size(); ++j) m.islandJoints.push_back(j);
  for (const Index closer : whole.loopClosers)
    if (const Index known = placeIn(joints_, closer); known != kWorld)
      m.loopClosers.push_back(known);
  m.loops = static_cast<Index>(m.loopClosers.size());
  control_ = initialControl(m);
  state_ = initialState(m);
  scratch_ = std::make_unique<StepScratch>();
}

void Part::copy(Direction direction, const Mechanism& whole, State& state) {
  const auto some = [direction](auto& theirs, std::size_t at, auto& own, std::size_t to,
                                std::size_t count) {
    if (direction == Direction::In)
      std::copy_n(theirs.data() + at, count, own.data() + to);
    else
      std::copy_n(own.data() + to, count, theirs.data() + at);
  };
  // What it hangs on, and joints that it only measures, are for others to write.
  const std::size_t solids = direction == Direction::In ? solids_.size() : own_;
  for (std::size_t s = 0; s < solids; ++s) {
    some(state.position, solids_[s], state_.position, s, 1);
    some(state.orientation, solids_[s], state_.orientation, s, 1);
    some(state.velocity, solids_[s], state_.velocity, s, 1);
    some(state.spin, solids_[s], state_.spin, s, 1);
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (direction == Direction::Out && isOutside_[j]) continue;
    const MechanismJoint &theirs = whole.joints[joints_[j]], &own = mechanism_.joints[j];
    some(state.multiplier, theirs.firstSlot, state_.multiplier, own.firstSlot, slotCount(own));
    some(state.memory, theirs.firstMemory, state_.memory, own.firstMemory,
         static_cast<std::size_t>(memoryCount(*own.kind)));
  }
}

void Part::steer(const Mechanism& whole, const Control& control) {
  control_.gravity = control.gravity;
  control_.damp = control.damp;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    control_.jointOn[j] = control.jointOn[joints_[j]];
    const Range &theirs = whole.joints[joints_[j]].rules, &own = mechanism_.joints[j].rules;
    std::copy_n(control.target.data() + theirs.first, own.count,
                control_.target.data() + own.first);
  }
}

StepReport Part::step(const Mechanism& whole, const Control& control, const StepSettings& settings,
                      double time, double dt, State& state) {
  steer(whole, control);
  state_.time = time;
  copy(Direction::In, whole, state);
  scratch_->buffers().before = state_;
  const StepReport report =
      stepWhole(mechanism_, control_, settings, dt, state_, scratch_->buffers());
  if (report.finite && !report.stopped) copy(Direction::Out, whole, state);
  return report;
}

}  // namespace tenon
