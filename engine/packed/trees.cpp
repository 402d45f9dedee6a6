#include "packed/trees.h"

#include <tenon/joint.h>

#include <algorithm>
#include <map>

#include "packed/machine.h"
#include "packed/pieces.h"
#include "packed/plain.h"

namespace tenon::packed {

namespace {

TreeStep stepOf(double /*number*/, bool over) { return over ? &stepTreeOver : &stepTreeAtEnd; }
TreeLanesStep stepOf(const Abreast& /*number*/, bool over) {
  if (hasAvx2()) return over ? &stepTreesOverAvx2 : &stepTreesAtEndAvx2;
  return over ? &stepTreesOver : &stepTreesAtEnd;
}

}  // namespace

void Trees::clear() {
  shapes_.clear();
  figures_.clear();
  chunks_.clear();
  grouped_ = false;
}

void Trees::sort() {
  std::stable_sort(figures_.begin(), figures_.end(),
                   [](const Figure& a, const Figure& b) { return a.shape < b.shape; });
}

bool Trees::add(const Mechanism& m, Index number) {
  const Mechanism::Island& island = m.islands[number];
  const auto* solids = m.islandSolids.data() + island.solids.first;
  const auto* joints = m.islandJoints.data() + island.joints.first;
  std::map<Index, std::vector<Index>> jointsOf;
  Index root = solids[0], rootJoint = kWorld;
  for (Index k = 0; k < island.joints.count; ++k) {
    const MechanismJoint& joint = m.joints[joints[k]];
    const bool ground1 = isGround(m, joint.solid1), ground2 = isGround(m, joint.solid2);
    if (ground1 && ground2) return false;
    if (ground1 || ground2) {
      if (rootJoint != kWorld) return false;
      rootJoint = joints[k];
      root = ground1 ? joint.solid2 : joint.solid1;
    } else {
      jointsOf[joint.solid1].push_back(joints[k]);
      jointsOf[joint.solid2].push_back(joints[k]);
    }
  }
  Figure figure;
  figure.island = number;
  TreeShape shape;
  shape.freeRoot = rootJoint == kWorld;
  if (!shape.freeRoot)
    figure.ground = m.joints[rootJoint].solid1 == root ? m.joints[rootJoint].solid2
                                                       : m.joints[rootJoint].solid1;
  // Depth first: a subtree is contiguous.
  std::map<Index, Index> nodeOf;
  struct Visit {
    Index solid, joint, parent;
  };
  std::vector<Visit> waiting{{root, rootJoint, 0}};
  while (!waiting.empty()) {
    const Visit visit = waiting.back();
    waiting.pop_back();
    const auto at = static_cast<Index>(shape.nodes.size());
    if (!nodeOf.emplace(visit.solid, at).second) return false;
    TreeNode node;
    node.parent = visit.parent;
    Index slot = 0;
    if (visit.joint != kWorld) {
      const MechanismJoint& joint = m.joints[visit.joint];
      const LockedAxes locked = lockedAxes(joint);
      node.locked = locked.count;
      node.axis = locked.axis;
      node.childIsFirst = joint.solid1 == visit.solid;
      slot = joint.firstSlot;
      shape.anyLocked = shape.anyLocked || locked.count > 0;
    }
    shape.nodes.push_back(node);
    figure.solid.push_back(visit.solid);
    figure.slot.push_back(slot);
    figure.joint.push_back(visit.joint);
    for (const Index j : jointsOf[visit.solid]) {
      if (j == visit.joint) continue;
      const MechanismJoint& joint = m.joints[j];
      waiting.push_back({joint.solid1 == visit.solid ? joint.solid2 : joint.solid1, j, at});
    }
  }
  if (shape.nodes.size() != island.solids.count) return false;
  // From the leaves inwards, as the kernel goes: how many parts are there at a time.
  Index waitingParts = 0;
  std::vector<bool> has(shape.nodes.size(), false);
  for (std::size_t n = shape.nodes.size(); n-- > 0;) {
    TreeNode& node = shape.nodes[n];
    node.leaf = !has[n];
    if (node.leaf) ++waitingParts;
    shape.stack = std::max(shape.stack, waitingParts);
    if (n == 0) break;
    if (has[node.parent]) {
      --waitingParts;  // added to that of its siblings
    } else {
      has[node.parent] = true;
      node.lastChild = true;
    }
  }
  const auto same = std::find(shapes_.begin(), shapes_.end(), shape);
  figure.shape = static_cast<Index>(same - shapes_.begin());
  if (same == shapes_.end()) shapes_.push_back(std::move(shape));
  figures_.push_back(std::move(figure));
  return true;
}

void Trees::group(const Mechanism& m, bool lanes) {
  constexpr Index kSolidsOfChunk = 64;
  if (grouped_ && lanes_ == lanes) return;
  grouped_ = true;
  lanes_ = lanes;
  chunks_.clear();
  Index solids = kSolidsOfChunk;
  for (Index f = 0; f < figures_.size();) {
    if (solids >= kSolidsOfChunk) {
      chunks_.emplace_back().figures.first = f;
      solids = 0;
    }
    Chunk& chunk = chunks_.back();
    const Index shape = figures_[f].shape;
    const auto count = static_cast<Index>(shapes_[shape].nodes.size());
    const bool several =
        lanes && f + kLanes <= figures_.size() && figures_[f + kLanes - 1].shape == shape;
    if (several) {
      chunk.several.emplace_back().firstFigure = f;
      chunk.several.back().shape = shape;
      fill(m, chunk.several.back());
      chunk.stackOfSeveral.resize(
          std::max<std::size_t>(chunk.stackOfSeveral.size(), shapes_[shape].stack));
    } else {
      chunk.one.emplace_back().firstFigure = f;
      chunk.one.back().shape = shape;
      fill(m, chunk.one.back());
      chunk.stackOfOne.resize(std::max<std::size_t>(chunk.stackOfOne.size(), shapes_[shape].stack));
    }
    solids += several ? kLanes * count : count;
    f += several ? kLanes : 1;
    chunk.figures.count = f - chunk.figures.first;
  }
}

template <class R>
void Trees::fill(const Mechanism& m, Group<R>& group) const {
  const TreeShape& shape = shapes_[group.shape];
  const std::size_t count = shape.nodes.size();
  group.solids.resize(count);
  group.bodies.resize(count);
  if (shape.anyLocked) {
    group.axes.resize(count);
    group.turns.resize(count);
  }
  const auto figure = [&](int i) -> const Figure& {
    return figures_[group.firstFigure + static_cast<Index>(i)];
  };
  for (std::size_t n = 0; n < count; ++n) {
    const TreeNode& node = shape.nodes[n];
    const auto solidAt = [&](int i) -> const MechanismSolid& {
      return m.solids[figure(i).solid[n]];
    };
    TreeSolid<R>& solid = group.solids[n];
    solid.mass = gather<R>([&](int i) { return solidAt(i).mass; });
    const auto inertia = [&](int row, int column) {
      return gather<R>([&](int i) { return solidAt(i).inertia(row, column); });
    };
    solid.inertia = {inertia(0, 0), inertia(1, 1), inertia(2, 2),
                     inertia(0, 1), inertia(0, 2), inertia(1, 2)};
    const bool held = n > 0 || !shape.freeRoot;
    const auto frameAt = [&](int i, bool first) {
      if (!held) return Pose{};
      const MechanismJoint& joint = m.joints[figure(i).joint[n]];
      return first ? joint.frame1 : joint.frame2;
    };
    solid.own = gatherVectors<R>([&](int i) { return frameAt(i, node.childIsFirst).p; });
    solid.other = gatherVectors<R>([&](int i) { return frameAt(i, !node.childIsFirst).p; });
    solid.frame = gatherTurns<R>([&](int i) { return frameAt(i, true).q; });
    for (int k = 0; k < node.locked; ++k) {
      const auto pairAt = [&](int i) {
        return axisPair(m.joints[figure(i).joint[n]], {node.locked, node.axis}, k);
      };
      group.axes[n].u[k] = gatherVectors<R>([&](int i) { return pairAt(i).u; });
      group.axes[n].w[k] = gatherVectors<R>([&](int i) { return pairAt(i).w; });
    }
  }
}

template <class R>
TreeFigures<R> Trees::view(Group<R>& group, std::vector<TreePart<R>>& stack) const {
  const TreeShape& shape = shapes_[group.shape];
  TreeFigures<R> view;
  view.nodes = shape.nodes.data();
  view.count = static_cast<int>(shape.nodes.size());
  view.freeRoot = shape.freeRoot;
  view.anyLocked = shape.anyLocked;
  view.solids = group.solids.data();
  view.axes = group.axes.data();
  view.bodies = group.bodies.data();
  view.turns = group.turns.data();
  view.stack = stack.data();
  for (std::size_t i = 0; i < NumberOf<R>::lanes; ++i) {
    const Figure& figure = figures_[group.firstFigure + i];
    view.solid[i] = figure.solid.data();
    view.slot[i] = figure.slot.data();
    view.ground[i] = &figure.ground;
  }
  return view;
}

// The whole step, or in pieces: each figure in as many as it needs.
template <class R, class Kernel>
void Trees::stepGroup(Chunk& chunk, const TreeFigures<R>& figures, Kernel kernel,
                      const KernelSettings& settings, const StatePointers& state,
                      const std::vector<bool>& asleep, Index firstFigure,
                      std::vector<std::uint8_t>& failed) const {
  constexpr int kWidth = NumberOf<R>::lanes;
  const auto islandOf = [&](int i) { return figures_[firstFigure + static_cast<Index>(i)].island; };
  unsigned open = 0;
  for (int i = 0; i < kWidth; ++i)
    if (!asleep[islandOf(i)]) open |= 1u << i;
  const double dt = settings.dt[0];
  Pieces pieces[kWidth];
  for (Pieces& ofLane : pieces) ofLane = Pieces(dt);
  int iterations[kWidth] = {};
  KernelSettings part = settings;
  while (open != 0) {
    part.lanes = open;
    for (int i = 0; i < kWidth; ++i) part.dt[i] = pieces[i].next();
    const TreeOutcome outcome = kernel(figures, part, state);
    for (int i = 0; i < kWidth; ++i) {
      if ((open >> i & 1u) == 0) continue;
      iterations[i] += outcome.iterations[i];
      if ((outcome.done >> i & 1u) != 0) {
        pieces[i].finishNext();
        if (pieces[i].done()) open &= ~(1u << i);
        continue;
      }
      const int more = (outcome.open >> i & 1u) != 0 ? 0 : pieces[i].split(outcome.tooFar[i]);
      chunk.report.halvings += more;
      if (more > 0) continue;
      failed[islandOf(i)] = 1;
      open &= ~(1u << i);
    }
  }
  chunk.report.iterations =
      std::max(chunk.report.iterations, *std::max_element(iterations, iterations + kWidth));
}

void Trees::step(std::size_t index, bool over, const KernelSettings& settings,
                 const StatePointers& state, const std::vector<bool>& asleep,
                 std::vector<std::uint8_t>& failed) {
  Chunk& chunk = chunks_[index];
  chunk.report = {};
  for (Group<Abreast>& group : chunk.several)
    stepGroup(chunk, view(group, chunk.stackOfSeveral), stepOf(Abreast{}, over), settings, state,
              asleep, group.firstFigure, failed);
  for (Group<double>& group : chunk.one)
    stepGroup(chunk, view(group, chunk.stackOfOne), stepOf(0.0, over), settings, state, asleep,
              group.firstFigure, failed);
}

void Trees::report(FastReport& report) const {
  for (const Chunk& chunk : chunks_) {
    report.iterations = std::max(report.iterations, chunk.report.iterations);
    report.halvings += chunk.report.halvings;
  }
}

}  // namespace tenon::packed
