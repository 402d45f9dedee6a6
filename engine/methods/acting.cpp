#include "methods/acting.h"

#include <tenon/joint.h>

#include <algorithm>

#include "joints/lift.h"
#include "math/connected.h"
#include "packed/fast.h"

namespace tenon {

namespace {

// Where none of its bounds is reached the joint does nothing. One between solids that no force moves never does.
bool onlyBounds(const Mechanism& m, const MechanismJoint& joint) {
  bool moves = false;
  forEachSolid(m, joint, [&](Index s) { moves = moves || m.solids[s].kind == SolidKind::Dynamic; });
  return moves && isRange(m, joint) && !(joint.damp > 0);
}

// Of the joints that only bound, those that tie nothing that is not tied without them, in islands that go the same way with
// them: by kernels that know them, or by rows in any case, where a bound that is not reached costs little and a step that is made
// again costs as much as two. And the islands of all joints and springs with these, by number, so many of them.
Index findCarried(const Mechanism& m, const std::vector<Index>& bounding,
                  std::vector<std::uint8_t>& carried, std::vector<Index>& islandOf) {
  carried.assign(m.joints.size(), 0);
  islandOf.assign(m.joints.size() + m.springs.size(), kWorld);
  if (bounding.empty()) return 0;
  Acts acts(m.joints.size() + m.springs.size(), 1);
  for (const Index j : bounding) acts[j] = 0;
  const Islands without = findIslands(m, acts);
  std::vector<Index> island(m.solids.size(), kWorld);
  for (Index i = 0; i < without.count(); ++i)
    for (const Index s : without.solidsOf(i)) island[s] = i;
  for (const Index j : bounding) {
    Index first = kWorld;
    bool same = true;
    forEachSolid(m, m.joints[j], [&](Index s) {
      if (s == kWorld || m.solids[s].kind != SolidKind::Dynamic) return;
      if (first == kWorld) first = island[s];
      same = same && island[s] == first;
    });
    if (same) acts[j] = 1;
  }
  const Islands with = findIslands(m, acts);
  for (Index i = 0; i < with.count(); ++i) {
    const bool same =
        packed::whatIsUnknown(m, with, i, 0).empty() ||
        !packed::whatIsUnknown(m, without, island[with.solidsOf(i).front()], 0).empty();
    for (const Index j : with.jointsOf(i)) {
      islandOf[j] = i;
      if (same) carried[j] = 1;
    }
    for (const Index k : with.springsOf(i)) islandOf[m.joints.size() + k] = i;
  }
  return with.count();
}

}  // namespace

bool actsWithin(const Mechanism& m, const Range& intervals, double from, double to) {
  if (intervals.count == 0) return true;
  const Interval* first = m.intervals.data() + intervals.first;
  return std::any_of(first, first + intervals.count, [&](const Interval& interval) {
    return interval.begin <= to && interval.end > from;
  });
}

void Acting::look(const Mechanism& m) {
  timedJoints_.clear();
  timedSprings_.clear();
  bounding_.clear();
  // What others act through, or measure, is there whether it is slack or not.
  std::vector<bool> needed(m.joints.size(), false);
  for (const MechanismMuscle& muscle : m.muscles) needed[muscle.joint] = true;
  for (const MechanismTerm& term : m.terms) needed[term.joint] = true;
  for (Index j = 0; j < m.joints.size(); ++j) {
    if (m.joints[j].active.count > 0) timedJoints_.push_back(j);
    if (!needed[j] && onlyBounds(m, m.joints[j])) bounding_.push_back(j);
  }
  for (Index s = 0; s < m.springs.size(); ++s)
    if (m.springs[s].active.count > 0) timedSprings_.push_back(s);
  whole_.assign(findCarried(m, bounding_, carried_, islandOf_), 1);
}

void Acting::find(const Mechanism& m, const Control& control, const State& state, double from,
                  double to, Acts& acts) {
  const std::size_t joints = m.joints.size();
  acts.resize(joints + m.springs.size());
  for (std::size_t j = 0; j < joints; ++j)
    acts[j] = static_cast<std::uint8_t>(control.jointOn[j] != 0 ? 1 : 0);
  std::fill(acts.begin() + static_cast<std::ptrdiff_t>(joints), acts.end(), std::uint8_t{1});
  for (const Index j : timedJoints_)
    if (!actsWithin(m, m.joints[j].active, from, to)) acts[j] = 0;
  for (const Index s : timedSprings_)
    if (!actsWithin(m, m.springs[s].active, from, to)) acts[joints + s] = 0;
  slack_.clear();
  if (bounding_.empty()) return;
  // A kernel knows an island as it is with all that belongs to it. What is switched off elsewhere does not matter.
  std::fill(whole_.begin(), whole_.end(), std::uint8_t{1});
  for (std::size_t k = 0; k < acts.size(); ++k)
    if (acts[k] == 0 && islandOf_[k] != kWorld) whole_[islandOf_[k]] = 0;
  for (const Index j : bounding_) {
    if (carried_[j] != 0 && whole_[islandOf_[j]] != 0) continue;
    const double* first = state.multiplier.data() + m.joints[j].firstSlot;
    const bool damped = m.joints[j].damp < 0 && control.damp > 0;
    if (acts[j] == 0 || damped ||
        !std::all_of(first, first + slotCount(m.joints[j]),
                     [](double lambda) { return lambda == 0; }))
      continue;
    acts[j] = 0;
    slack_.push_back(j);
  }
}

Islands findIslands(const Mechanism& m, const Acts& acts) {
  const auto solids = static_cast<Index>(m.solids.size());
  const auto isFree = [&](Index s) {
    return s != kWorld && m.solids[s].kind == SolidKind::Dynamic;
  };
  Connected sets(solids);
  // The first solid of a joint or spring that moves, or kWorld. The others join it.
  const auto tie = [&](const auto& forSolids) {
    Index first = kWorld;
    forSolids([&](Index s) {
      if (!isFree(s)) return;
      if (first == kWorld) first = s;
      (void)sets.join(first, s);
    });
    return first;
  };
  std::vector<Index> ofJoint(m.joints.size(), kWorld), ofSpring(m.springs.size(), kWorld);
  for (Index j = 0; j < m.joints.size(); ++j)
    if (acts[j] != 0) ofJoint[j] = tie([&](const auto& f) { forEachSolid(m, m.joints[j], f); });
  for (Index s = 0; s < m.springs.size(); ++s)
    if (acts[m.joints.size() + s] != 0)
      ofSpring[s] = tie([&](const auto& f) {
        f(m.springs[s].solid1);
        f(m.springs[s].solid2);
      });
  // Islands in the order of their first solids.
  Islands found;
  std::vector<Index> number(solids, kWorld);  // by solid
  for (Index s = 0; s < solids; ++s) {
    if (!isFree(s)) continue;
    const Index first = sets.find(s);
    if (first == s) {
      number[s] = found.count();
      found.all.emplace_back();
    }
    number[s] = number[first];
  }
  // Of each list: how many there are in an island, where they begin, then which.
  const auto sort = [&](std::size_t count, const auto& islandOf, Range Islands::Island::*range,
                        std::vector<Index>& list) {
    for (Index i = 0; i < count; ++i)
      if (islandOf(i) != kWorld) ++(found.all[islandOf(i)].*range).count;
    Index at = 0;
    for (Islands::Island& island : found.all) {
      (island.*range).first = at;
      at += (island.*range).count;
      (island.*range).count = 0;
    }
    list.resize(at);
    for (Index i = 0; i < count; ++i) {
      if (islandOf(i) == kWorld) continue;
      Range& own = found.all[islandOf(i)].*range;
      list[own.first + own.count++] = i;
    }
  };
  const auto ofSolid = [&](Index first) { return first == kWorld ? kWorld : number[first]; };
  sort(
      solids, [&](Index s) { return number[s]; }, &Islands::Island::solids, found.solids);
  sort(
      m.joints.size(), [&](Index j) { return ofSolid(ofJoint[j]); }, &Islands::Island::joints,
      found.joints);
  sort(
      m.springs.size(), [&](Index s) { return ofSolid(ofSpring[s]); }, &Islands::Island::springs,
      found.springs);
  sort(
      m.forces.size(), [&](Index f) { return ofSolid(m.forces[f].solid); },
      &Islands::Island::forces, found.forces);
  sort(
      m.muscles.size(), [&](Index k) { return ofSolid(ofJoint[m.muscles[k].joint]); },
      &Islands::Island::muscles, found.muscles);
  for (Index d = 0; d < m.drags.size(); ++d)
    if (m.drags[d].solid == kWorld) found.everywhere.push_back(d);
  sort(
      m.drags.size(), [&](Index d) { return ofSolid(m.drags[d].solid); }, &Islands::Island::drags,
      found.drags);
  return found;
}

}  // namespace tenon
