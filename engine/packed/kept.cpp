#include "packed/kept.h"

#include <tenon/joint.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "joints/lift.h"
#include "packed/plain.h"

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
void copyRuns(const std::vector<T>& from, std::span<const Range> runs, std::vector<T>& to) {
  for (const Range& run : runs)
    std::copy_n(from.data() + run.first, run.count, to.data() + run.first);
}

bool hasHardLimit(const Mechanism& m, const MechanismJoint& joint) {
  const MechanismRule* rule = m.rules.data() + joint.rules.first;
  return std::any_of(rule, rule + joint.rules.count, isHardLimit);
}

bool areFinite(const State& state, std::span<const Range> runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&state](const Range& run) { return isFinite(state, run); });
}

}  // namespace

namespace {

// The sum of so many numbers, several at a time: it is a number if, and only if, all of them are. (Those that add up to more
// than there are numbers have long been lost.)
using Two = double __attribute__((vector_size(16), aligned(8), may_alias));
double sumOf(const double* from, std::size_t count) {
  Two even{}, odd{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    even += *reinterpret_cast<const Two*>(from + i);
    odd += *reinterpret_cast<const Two*>(from + i + 2);
  }
  even += odd;
  double sum = even[0] + even[1];
  for (; i < count; ++i) sum += from[i];
  return sum;
}
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Quat) == 4 * sizeof(double));

}  // namespace

bool isFinite(const State& state, const Range& solids) {
  const std::size_t count = solids.count;
  const auto sum = [&](const std::vector<Vec3>& of) {
    return sumOf(&of[solids.first].x, 3 * count);
  };
  if (count == 0) return true;
  return std::isfinite((sum(state.position) + sum(state.velocity)) +
                       (sum(state.spin) + sumOf(&state.orientation[solids.first].x, 4 * count)));
}

void Kept::plan(const Mechanism& m, const Islands& islands) {
  figures_.clear();
  solids_.clear();
  slots_.clear();
  memories_.clear();
  turning_.clear();
  ruled_.clear();
  limited_.clear();
  led_.clear();
  unheld_.clear();
  others_.clear();
  std::vector<bool> inFigure(m.solids.size(), false);
  for (Index island = 0; island < islands.count(); ++island) {
    const auto solids = static_cast<Index>(solids_.size());
    const auto slots = static_cast<Index>(slots_.size());
    const auto memories = static_cast<Index>(memories_.size());
    const auto turning = static_cast<Index>(turning_.size());
    const auto ruled = static_cast<Index>(ruled_.size());
    const auto limited = static_cast<Index>(limited_.size());
    const auto led = static_cast<Index>(led_.size());
    const auto unheld = static_cast<Index>(unheld_.size());
    for (const Index s : islands.solidsOf(island)) {
      addRun(s, 1, solids, solids_);
      inFigure[s] = true;
    }
    for (const Index j : islands.jointsOf(island)) {
      const MechanismJoint& joint = m.joints[j];
      const int remembered = joint.remembers ? memoryCount(*joint.kind) : 0;
      const bool isLed = packed::isLed(m, joint);
      if (isLed && (joint.rules.count > 0 || remembered > 0))
        led_.push_back(j);
      else if (joint.rules.count > 0)
        (hasTreeRules(m, joint) || isLink(m, joint) ? ruled_ : limited_).push_back(j);
      // The kernel of trees holds the limits of pins, balls and ropes.
      if (!(holdsPoint(joint) && hasTreeRules(m, joint)) && !isLink(m, joint) &&
          hasHardLimit(m, joint))
        unheld_.push_back(j);
      addRun(joint.firstSlot, slotCount(joint), slots, slots_);
      if (remembered == 0) continue;
      addRun(joint.firstMemory, static_cast<Index>(remembered), memories, memories_);
      if (joint.rules.count == 0 && !isLed) turning_.push_back(j);
    }
    figures_.push_back({since(solids, solids_.size()), since(slots, slots_.size()),
                        since(memories, memories_.size()), since(turning, turning_.size()),
                        since(ruled, ruled_.size()), since(limited, limited_.size()),
                        since(led, led_.size()), since(unheld, unheld_.size())});
  }
  for (Index s = 0; s < m.solids.size(); ++s)
    if (!inFigure[s]) addRun(s, 1, 0, others_);
}

void Kept::copy(Index island, const State& from, State& to) const {
  const Figure& figure = figures_[island];
  const auto solids = part(solids_, figure.solids);
  copyRuns(from.position, solids, to.position);
  copyRuns(from.orientation, solids, to.orientation);
  copyRuns(from.velocity, solids, to.velocity);
  copyRuns(from.spin, solids, to.spin);
  copyRuns(from.multiplier, part(slots_, figure.slots), to.multiplier);
  copyRuns(from.memory, part(memories_, figure.memory), to.memory);
}

void Kept::copyOthers(const State& from, State& to) const {
  copyRuns(from.position, others_, to.position);
  copyRuns(from.orientation, others_, to.orientation);
  copyRuns(from.velocity, others_, to.velocity);
  copyRuns(from.spin, others_, to.spin);
}

bool Kept::othersAreFinite(const State& state) const { return areFinite(state, others_); }

bool Kept::isFinite(Index island, const State& state) const {
  return areFinite(state, part(solids_, figures_[island].solids));
}

namespace {

// Multipliers of a rule: of its lower bound, of its upper.
double* pushesOf(const MechanismJoint& joint, Index rule, State& state) {
  return state.multiplier.data() + joint.firstSlot + ownSlots(*joint.kind) + 2 * rule;
}
bool pushes(const Mechanism& m, std::span<const Index> joints, const State& state) {
  for (const Index j : joints) {
    const MechanismJoint& joint = m.joints[j];
    const double* at = state.multiplier.data() + joint.firstSlot + ownSlots(*joint.kind);
    for (Index r = 0; r < joint.rules.count; ++r)
      if (isHardLimit(m.rules[joint.rules.first + r]) && (at[2 * r] != 0 || at[2 * r + 1] != 0))
        return true;
  }
  return false;
}

}  // namespace

bool Kept::isAtLimit(const Mechanism& m, Index island, const State& state) const {
  return isAtOtherLimit(m, island, state) || pushes(m, part(ruled_, figures_[island].ruled), state);
}
bool Kept::isAtOtherLimit(const Mechanism& m, Index island, const State& state) const {
  return pushes(m, part(unheld_, figures_[island].unheld), state);
}

namespace {

// Multipliers of ropes, of what slides and of what is led, after a step by the kernel of trees: none may pull.
bool pullsNowhere(const Mechanism& m, const MechanismJoint& joint, State& state) {
  for (Index r = 0; r < joint.rules.count; ++r) {
    const double* push = pushesOf(joint, r, state);
    if (isHardLimit(m.rules[joint.rules.first + r]) && (push[0] < 0 || push[1] < 0)) return false;
  }
  return true;
}

}  // namespace

bool Kept::rememberTurns(const Mechanism& m, Index island, bool tree, double time, double tolerance,
                         State& state) const {
  const auto within = [&](const MechanismJoint& joint) {
    return rememberWithinLimits(m, joint, time, tolerance, state);
  };
  for (const Index j : part(limited_, figures_[island].limited)) {
    const MechanismJoint& joint = m.joints[j];
    if (!within(joint)) return false;
    std::fill_n(pushesOf(joint, 0, state), 2 * joint.rules.count, 0.0);
  }
  for (const Index j : part(ruled_, figures_[island].ruled)) {
    const MechanismJoint& joint = m.joints[j];
    // Of pins and balls the kernel of trees has seen to the limits, and it counts the turns that matter to them.
    if (tree && holdsPoint(joint)) {
      if (joint.remembers && memoryCount(*joint.kind) > 0 && !countsTurns(m, joint))
        tenon::rememberTurns(m, joint, state);
      continue;
    }
    if (!within(joint)) return false;
    if (!tree) std::fill_n(pushesOf(joint, 0, state), 2 * joint.rules.count, 0.0);
    if (!pullsNowhere(m, joint, state)) return false;
  }
  for (const Index j : part(turning_, figures_[island].turning))
    tenon::rememberTurns(m, m.joints[j], state);
  return true;
}

namespace {

bool hasTurns(const MechanismJoint& joint) {
  return joint.remembers && memoryCount(*joint.kind) > 0;
}

}  // namespace

void Kept::countPiece(const Mechanism& m, Index island, bool tree, State& state) const {
  const Figure& figure = figures_[island];
  const auto count = [&](Index j) {
    const MechanismJoint& joint = m.joints[j];
    const bool counted =
        tree && holdsPoint(joint) && hasTreeRules(m, joint) && countsTurns(m, joint);
    if (hasTurns(joint) && !counted) tenon::rememberTurns(m, joint, state);
  };
  for (const Index j : part(turning_, figure.turning)) count(j);
  for (const Index j : part(limited_, figure.limited)) count(j);
  for (const Index j : part(ruled_, figure.ruled)) count(j);
}
bool Kept::countsLed(const Mechanism& m, Index island) const {
  const auto led = part(led_, figures_[island].led);
  return std::any_of(led.begin(), led.end(), [&](Index j) { return hasTurns(m.joints[j]); });
}

bool Kept::rememberLed(const Mechanism& m, Index island, double time, double tolerance,
                       State& state) const {
  for (const Index j : part(led_, figures_[island].led)) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.rules.count == 0) {
      tenon::rememberTurns(m, joint, state);
      continue;
    }
    if (!rememberWithinLimits(m, joint, time, tolerance, state)) return false;
    if (!hasTreeRules(m, joint)) std::fill_n(pushesOf(joint, 0, state), 2 * joint.rules.count, 0.0);
    if (!pullsNowhere(m, joint, state)) return false;
  }
  return true;
}

}  // namespace tenon::packed
