#include "packed/kept.h"

#include <tenon/joint.h>

#include <algorithm>
#include <span>

#include "joints/lift.h"

namespace tenon::packed {

namespace {

// The same numbers as runs of neighbours.
void addRun(Index first, Index count, Index begin, std::vector<Range>& runs) {
  if (count == 0) return;
  if (runs.size() > begin && runs.back().first + runs.back().count == first)
    runs.back().count += count;
  else
    runs.push_back({first, count});
}
Range since(Index begin, std::size_t end) { return {begin, static_cast<Index>(end) - begin}; }

template <class T>
std::span<const T> part(const std::vector<T>& all, const Range& range) {
  return std::span(all).subspan(range.first, range.count);
}
template <class T>
void copy(const std::vector<T>& from, std::span<const Range> runs, std::vector<T>& to) {
  for (const Range& run : runs)
    std::copy_n(from.data() + run.first, run.count, to.data() + run.first);
}

bool areFinite(const State& state, std::span<const Range> runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&state](const Range& run) { return isFinite(state, run); });
}

}  // namespace

// 0 · x is 0 of a number, and NaN of anything else.
bool isFinite(const State& state, const Range& solids) {
  Vec3 sum, turns;
  for (Index s = solids.first; s < solids.first + solids.count; ++s) {
    const Quat& q = state.orientation[s];
    sum += 0.0 * state.position[s] + 0.0 * state.velocity[s] + 0.0 * state.spin[s];
    turns += 0.0 * Vec3{q.x, q.y, q.z};
    sum.x += 0.0 * q.w;
  }
  return sum == Vec3{} && turns == Vec3{};
}

void Kept::plan(const Mechanism& m) {
  figures_.clear();
  solids_.clear();
  slots_.clear();
  memories_.clear();
  turning_.clear();
  limited_.clear();
  others_.clear();
  std::vector<bool> inFigure(m.solids.size(), false);
  for (const Mechanism::Island& island : m.islands) {
    const auto solids = static_cast<Index>(solids_.size());
    const auto slots = static_cast<Index>(slots_.size());
    const auto memories = static_cast<Index>(memories_.size());
    const auto turning = static_cast<Index>(turning_.size());
    const auto limited = static_cast<Index>(limited_.size());
    for (const Index s : part(m.islandSolids, island.solids)) {
      addRun(s, 1, solids, solids_);
      inFigure[s] = true;
    }
    for (const Index j : part(m.islandJoints, island.joints)) {
      const MechanismJoint& joint = m.joints[j];
      if (joint.rules.count > 0) limited_.push_back(j);
      addRun(joint.firstSlot, slotCount(joint), slots, slots_);
      const int remembered = joint.remembers ? memoryCount(*joint.kind) : 0;
      if (remembered == 0) continue;
      addRun(joint.firstMemory, static_cast<Index>(remembered), memories, memories_);
      if (joint.rules.count == 0) turning_.push_back(j);
    }
    figures_.push_back({since(solids, solids_.size()), since(slots, slots_.size()),
                        since(memories, memories_.size()), since(turning, turning_.size()),
                        since(limited, limited_.size())});
  }
  for (Index s = 0; s < m.solids.size(); ++s)
    if (!inFigure[s]) addRun(s, 1, 0, others_);
}

void Kept::begin(const State& state) {
  state_.position.resize(state.position.size());
  state_.orientation.resize(state.orientation.size());
  state_.velocity.resize(state.velocity.size());
  state_.spin.resize(state.spin.size());
  state_.multiplier.resize(state.multiplier.size());
  state_.memory.resize(state.memory.size());
}

void Kept::copyFigure(Index island, const State& from, State& to) const {
  const Figure& figure = figures_[island];
  const auto solids = part(solids_, figure.solids);
  copy(from.position, solids, to.position);
  copy(from.orientation, solids, to.orientation);
  copy(from.velocity, solids, to.velocity);
  copy(from.spin, solids, to.spin);
  copy(from.multiplier, part(slots_, figure.slots), to.multiplier);
  copy(from.memory, part(memories_, figure.memory), to.memory);
}

void Kept::keep(Index island, const State& state) { copyFigure(island, state, state_); }
void Kept::putBack(Index island, State& state) const { copyFigure(island, state_, state); }

bool Kept::othersAreFinite(const State& state) const { return areFinite(state, others_); }

bool Kept::isFinite(Index island, const State& state) const {
  return areFinite(state, part(solids_, figures_[island].solids));
}

bool Kept::rememberTurns(const Mechanism& m, Index island, double time, double tolerance,
                         State& state) const {
  for (const Index j : part(limited_, figures_[island].limited)) {
    const MechanismJoint& joint = m.joints[j];
    if (!rememberWithinLimits(m, joint, time, tolerance, state)) return false;
    std::fill_n(state.multiplier.data() + joint.firstSlot + ownSlots(*joint.kind),
                2 * joint.rules.count, 0.0);
  }
  for (const Index j : part(turning_, figures_[island].turning))
    tenon::rememberTurns(m, m.joints[j], state);
  return true;
}

}  // namespace tenon::packed
