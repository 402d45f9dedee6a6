#include "methods/part.h"

#include <tenon/joint.h>

#include <algorithm>

namespace tenon {

void Part::cut(const Mechanism& whole, Index number) {
  const Mechanism::Island& island = whole.islands[number];
  Mechanism& m = mechanism_;
  m = {};
  const auto listed = [](const std::vector<Index>& all, const Range& range) {
    const Index* first = all.data() + range.first;
    return std::vector<Index>(first, first + range.count);
  };
  solids_ = listed(whole.islandSolids, island.solids);
  joints_ = listed(whole.islandJoints, island.joints);
  const auto numberOf = [&](Index solid) {
    if (solid == kWorld) return kWorld;
    const auto at = std::find(solids_.begin(), solids_.end(), solid);
    if (at == solids_.end()) solids_.push_back(solid);  // what it is hung on
    return static_cast<Index>(std::find(solids_.begin(), solids_.end(), solid) - solids_.begin());
  };
  m.signalKeys = whole.signalKeys;
  m.intervals = whole.intervals;
  m.options = whole.options;
  m.gravity = whole.gravity;
  m.damp = whole.damp;
  for (const Index j : joints_) {
    MechanismJoint joint = whole.joints[j];
    joint.solid1 = numberOf(joint.solid1);
    joint.solid2 = numberOf(joint.solid2);
    joint.firstSlot = m.slots;
    m.slots += slotCount(joint);
    const double* memory = whole.memory.data() + joint.firstMemory;
    joint.firstMemory = static_cast<Index>(m.memory.size());
    m.memory.insert(m.memory.end(), memory, memory + memoryCount(*joint.kind));
    const Range rules = joint.rules;
    joint.rules.first = static_cast<Index>(m.rules.size());
    for (Index r = rules.first; r < rules.first + rules.count; ++r) {
      m.rules.push_back(whole.rules[r]);
      m.rules.back().joint = static_cast<Index>(m.joints.size());
    }
    m.joints.push_back(joint);
    m.jointNames.push_back(whole.jointNames[j]);
  }
  for (const Index s : solids_) {
    m.solids.push_back(whole.solids[s]);
    m.solidNames.push_back(whole.solidNames[s]);
  }
  m.islands.push_back({{0, island.solids.count}, {0, island.joints.count}});
  for (Index s = 0; s < island.solids.count; ++s) m.islandSolids.push_back(s);
  for (Index j = 0; j < island.joints.count; ++j) m.islandJoints.push_back(j);
  for (const Index closer : whole.loopClosers) {
    const auto at = std::find(joints_.begin(), joints_.end(), closer);
    if (at != joints_.end()) m.loopClosers.push_back(static_cast<Index>(at - joints_.begin()));
  }
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
  for (std::size_t s = 0; s < solids_.size(); ++s) {
    some(state.position, solids_[s], state_.position, s, 1);
    some(state.orientation, solids_[s], state_.orientation, s, 1);
    some(state.velocity, solids_[s], state_.velocity, s, 1);
    some(state.spin, solids_[s], state_.spin, s, 1);
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const MechanismJoint &theirs = whole.joints[joints_[j]], &own = mechanism_.joints[j];
    some(state.multiplier, theirs.firstSlot, state_.multiplier, own.firstSlot, slotCount(own));
    some(state.memory, theirs.firstMemory, state_.memory, own.firstMemory,
         static_cast<std::size_t>(memoryCount(*own.kind)));
  }
}

StepReport Part::step(const Mechanism& whole, const Control& control, const StepSettings& settings,
                      double time, double dt, State& state) {
  control_.gravity = control.gravity;
  control_.damp = control.damp;
  state_.time = time;
  copy(Direction::In, whole, state);
  StepSettings general = settings;
  general.fast = false;
  general.timed = false;
  const StepReport report = tenon::step(mechanism_, control_, general, dt, state_, *scratch_);
  if (report.finite && !report.stopped) copy(Direction::Out, whole, state);
  return report;
}

}  // namespace tenon
