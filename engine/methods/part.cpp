#include "methods/part.h"

#include <tenon/joint.h>

#include <algorithm>
#include <span>

namespace tenon {

namespace {

// The numbers of a joint among all of them, and among those of a part.
template <class F>
void forNumbers(const Mechanism& whole, const Mechanism& part, std::span<const Index> joints,
                const F& f) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const MechanismJoint &of = whole.joints[joints[j]], &own = part.joints[j];
    f(of.firstSlot, own.firstSlot, slotCount(of), of.firstMemory, own.firstMemory,
      static_cast<Index>(memoryCount(*of.kind)));
  }
}

}  // namespace

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

StepReport Part::step(const Mechanism& whole, const Control& control, const StepSettings& settings,
                      double time, double dt, State& state) {
  control_.gravity = control.gravity;
  control_.damp = control.damp;
  state_.time = time;
  for (std::size_t s = 0; s < solids_.size(); ++s) {
    const Index of = solids_[s];
    state_.position[s] = state.position[of];
    state_.orientation[s] = state.orientation[of];
    state_.velocity[s] = state.velocity[of];
    state_.spin[s] = state.spin[of];
  }
  forNumbers(
      whole, mechanism_, joints_,
      [&](Index slot, Index own, Index slots, Index memory, Index ownMemory, Index memories) {
        std::copy_n(state.multiplier.data() + slot, slots, state_.multiplier.data() + own);
        std::copy_n(state.memory.data() + memory, memories, state_.memory.data() + ownMemory);
      });
  StepSettings general = settings;
  general.fast = false;
  general.timed = false;
  const StepReport report = tenon::step(mechanism_, control_, general, dt, state_, *scratch_);
  if (!report.finite || report.stopped) return report;
  for (std::size_t s = 0; s < solids_.size(); ++s) {
    const Index of = solids_[s];
    state.position[of] = state_.position[s];
    state.orientation[of] = state_.orientation[s];
    state.velocity[of] = state_.velocity[s];
    state.spin[of] = state_.spin[s];
  }
  forNumbers(
      whole, mechanism_, joints_,
      [&](Index slot, Index own, Index slots, Index memory, Index ownMemory, Index memories) {
        std::copy_n(state_.multiplier.data() + own, slots, state.multiplier.data() + slot);
        std::copy_n(state_.memory.data() + ownMemory, memories, state.memory.data() + memory);
      });
  return report;
}

}  // namespace tenon
