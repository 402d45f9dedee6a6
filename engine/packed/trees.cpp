#include "packed/trees.h"

#include <tenon/joint.h>

#include <algorithm>

#include "math/machine.h"
#include "packed/pieces.h"
#include "packed/plain.h"

namespace tenon::packed {

namespace {

[[maybe_unused]] TreeStep stepOf(double /*number*/, bool over) {
  return over ? &stepTreeOver : &stepTreeAtEnd;
}
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

namespace {

TreeRuleKind kindOf(const MechanismRule& rule) {
  if (isHardLimit(rule)) return TreeRuleKind::Limit;
  if (rule.kind == CoordinateRule::Kind::Armature) return TreeRuleKind::Rotor;
  if (rule.kind == CoordinateRule::Kind::Friction) return TreeRuleKind::Friction;
  if (rule.kind == CoordinateRule::Kind::Prescribe) return TreeRuleKind::Prescribe;
  const bool oneSided =
      rule.kind == CoordinateRule::Kind::Limit || rule.kind == CoordinateRule::Kind::Prefer;
  return oneSided ? TreeRuleKind::Prefer : TreeRuleKind::Soft;
}

}  // namespace

bool Trees::add(const Mechanism& m, const Islands& islands, Index number, double damp) {
  const auto solids = islands.solidsOf(number), joints = islands.jointsOf(number);
  std::map<Index, std::vector<Index>> jointsOf;
  std::vector<Index> ties;  // joints that give
  Index root = solids[0], rootJoint = kWorld;
  for (const Index j : joints) {
    const MechanismJoint& joint = m.joints[j];
    if (isTie(m, joint)) {
      ties.push_back(j);
      continue;
    }
    if (isLink(m, joint)) continue;
    const bool ground1 = isGround(m, joint.solid1), ground2 = isGround(m, joint.solid2);
    if (ground1 && ground2) return false;
    if (ground1 || ground2) {
      if (rootJoint != kWorld) return false;
      rootJoint = j;
      root = ground1 ? joint.solid2 : joint.solid1;
    } else {
      jointsOf[joint.solid1].push_back(j);
      jointsOf[joint.solid2].push_back(j);
    }
  }
  Figure figure;
  figure.island = number;
  TreeShape shape;
  shape.freeRoot = rootJoint == kWorld;
  if (!shape.freeRoot)
    figure.ground = m.joints[rootJoint].solid1 == root ? m.joints[rootJoint].solid2
                                                       : m.joints[rootJoint].solid1;
  // A ground that follows a path is a node of its own.
  if (figure.ground != kWorld && m.solids[figure.ground].kind == SolidKind::Animated) {
    shape.led = true;
    shape.nodes.emplace_back();
    figure.solid.push_back(figure.ground);
    figure.slot.push_back(0);
    figure.joint.push_back(kWorld);
    figure.memory.push_back(0);
  }
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
      node.straight = joint.frame1.q == Quat{};
      node.slides = slidesOf(joint);
      node.moves = static_cast<std::uint8_t>(heldMoves(joint));
      shape.anySlides = shape.anySlides || node.slides != 0;
      slot = joint.firstSlot;
      if (node.slides != 0 && hasTreeRules(m, joint)) addPulls(m, joint, node, shape, figure);
      if (node.slides == 0 && hasTreeRules(m, joint)) {
        node.firstRule = static_cast<Index>(shape.rules.size());
        node.rules = joint.rules.count;
        node.limitsOnly = hasOnlyLimits(m, joint) && !(dampOf(m, joint, damp) > 0);
        node.counts = countsTurns(m, joint);
        for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r) {
          const TreeRuleShape rule{kindOf(m.rules[r]),
                                   static_cast<std::uint8_t>(m.rules[r].coordinate)};
          shape.rules.push_back(rule);
          figure.rule.push_back(r);
          shape.anyKinked = shape.anyKinked || rule.kind == TreeRuleKind::Prefer ||
                            rule.kind == TreeRuleKind::Friction;
          shape.anyPrescribed = shape.anyPrescribed || rule.kind == TreeRuleKind::Prescribe;
          node.bounded = node.bounded || isBounded(rule.kind);
          shape.anyBounded = shape.anyBounded || isBounded(rule.kind);
          shape.anyRotors = shape.anyRotors || rule.kind == TreeRuleKind::Rotor;
          if (node.locked > 0) continue;
          shape.anyBalls = true;
          node.vector = node.vector || rule.coordinate < kSwing;
          node.swings = node.swings || rule.coordinate == kSwing;
          node.twists = node.twists || rule.coordinate == kTwist;
          node.goesOn = node.goesOn && actsOnChanges(m.rules[r]);
        }
      }
      node.damped = dampOf(m, joint, damp) > 0;
      node.loaded = node.rules > 0 || node.damped;
      shape.anyLocked = shape.anyLocked || locked.count > 0 || node.loaded || node.slides != 0;
      shape.anyLoaded = shape.anyLoaded || node.loaded;
    }
    shape.nodes.push_back(node);
    figure.memory.push_back(visit.joint == kWorld ? 0 : m.joints[visit.joint].firstMemory);
    figure.solid.push_back(visit.solid);
    figure.slot.push_back(slot);
    figure.joint.push_back(visit.joint);
    for (const Index j : jointsOf[visit.solid]) {
      if (j == visit.joint) continue;
      const MechanismJoint& joint = m.joints[j];
      waiting.push_back({joint.solid1 == visit.solid ? joint.solid2 : joint.solid1, j, at});
    }
  }
  if (shape.nodes.size() != solids.size() + (shape.led ? 1 : 0)) return false;
  addLoads(m, islands, number, ties, nodeOf, shape, figure);
  addLinks(m, islands, number, nodeOf, shape, figure);
  for (TreeNode& node : shape.nodes) node.acted = node.pushed || node.linked;
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
  findSettling(shape);
  const auto same = std::find(shapes_.begin(), shapes_.end(), shape);
  figure.shape = static_cast<Index>(same - shapes_.begin());
  if (same == shapes_.end()) shapes_.push_back(std::move(shape));
  figures_.push_back(std::move(figure));
  return true;
}

// Rules on how far a joint slides. Their coordinates are numbered along the axes that are free.
void Trees::addPulls(const Mechanism& m, const MechanismJoint& joint, TreeNode& node,
                     TreeShape& shape, Figure& figure) {
  std::uint8_t axes[3] = {};
  int count = 0;
  for (std::uint8_t k = 0; k < 3; ++k)
    if ((node.slides >> k & 1u) != 0) axes[count++] = k;
  node.firstPull = static_cast<Index>(shape.rules.size());
  node.pulls = joint.rules.count;
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r) {
    shape.rules.push_back({kindOf(m.rules[r]), axes[m.rules[r].coordinate]});
    figure.rule.push_back(r);
    shape.anyKinked = shape.anyKinked || shape.rules.back().kind == TreeRuleKind::Prefer;
  }
  shape.anyLoaded = true;
}

Trees::Tie Trees::tieOf(const Mechanism& m, const Tied& tied) {
  if (tied.gives) {
    const MechanismJoint& joint = m.joints[tied.what];
    return {joint.frame2.p, joint.frame1.p, joint.solid1, 1 / joint.compliance, 0, 0, 0};
  }
  const MechanismSpring& spring = m.springs[tied.what];
  const bool first = isGround(m, spring.solid1);
  return {first ? spring.point2 : spring.point1,
          first ? spring.point1 : spring.point2,
          first ? spring.solid1 : spring.solid2,
          spring.stiffness,
          spring.damping,
          spring.rest,
          1};
}

// What acts on the solids of a figure, and muscles on its joints.
void Trees::addLoads(const Mechanism& m, const Islands& islands, Index number,
                     std::span<const Index> ties, const std::map<Index, Index>& nodeOf,
                     TreeShape& shape, Figure& figure) {
  const auto push = [&](Index node) { shape.nodes[node].pushed = shape.anyPushed = true; };
  const auto drag = [&](Index node, Index d) {
    figure.drags.push_back({node, d});
    figure.pushesSwitch = figure.pushesSwitch || m.drags[d].active.count > 0;
    push(node);
  };
  for (const Index f : islands.forcesOf(number)) {
    figure.forces.push_back({nodeOf.at(m.forces[f].solid), f});
    figure.pushesSwitch = figure.pushesSwitch || m.forces[f].active.count > 0;
    push(figure.forces.back().node);
  }
  for (const Index d : islands.everywhere)
    for (Index n = shape.led ? 1 : 0; n < shape.nodes.size(); ++n) drag(n, d);
  for (const Index d : islands.dragsOf(number)) drag(nodeOf.at(m.drags[d].solid), d);
  for (const Index k : islands.musclesOf(number))
    for (Index n = 0; n < shape.nodes.size(); ++n)
      if (figure.joint[n] == m.muscles[k].joint) {
        figure.muscles.push_back({n, k});
        shape.nodes[n].muscled = true;
        shape.nodes[n].loaded = shape.anyLoaded = shape.anyLocked = true;
        shape.nodes[n].limitsOnly = false;
      }
  // By node, springs before joints that give.
  std::vector<Tied> all;
  for (const Index s : islands.springsOf(number)) {
    const MechanismSpring& spring = m.springs[s];
    if (!isGround(m, spring.solid1) && !isGround(m, spring.solid2)) continue;  // a link
    all.push_back(
        {nodeOf.at(isGround(m, spring.solid1) ? spring.solid2 : spring.solid1), false, s});
  }
  for (const Index j : ties) all.push_back({nodeOf.at(m.joints[j].solid2), true, j});
  std::stable_sort(all.begin(), all.end(),
                   [](const Tied& a, const Tied& b) { return a.node < b.node; });
  for (const Tied& tied : all) {
    TreeNode& node = shape.nodes[tied.node];
    if (node.ties++ == 0) node.firstTie = static_cast<Index>(figure.ties.size());
    push(tied.node);
    figure.ties.push_back({tied.node, tied.gives, tied.what});
  }
  shape.ties = static_cast<Index>(figure.ties.size());
}

// What ties two solids of a figure beside its joints, or one of them and the ground, and the branches that lead there.
void Trees::addLinks(const Mechanism& m, const Islands& islands, Index number,
                     const std::map<Index, Index>& nodeOf, TreeShape& shape, Figure& figure) {
  std::vector<std::uint32_t> links(shape.nodes.size(), 0);  // by node: bits of those beyond
  const auto add = [&](TreeLinkKind kind, bool isJoint, Index what, Index solid1, Index solid2,
                       Index slot) {
    Linked linked{{kind}, isJoint, what};
    Index anchor = kWorld;
    const Index solids[2] = {solid1, solid2};
    for (int e = 0; e < 2; ++e) {
      if (isGround(m, solids[e])) {
        anchor = solids[e];
        shape.anyAnchored = true;
        continue;
      }
      Index node = linked.shape.node[e] = nodeOf.at(solids[e]);
      shape.nodes[node].linked = true;
      for (;; node = shape.nodes[node].parent) {
        links[node] |= 1u << figure.links.size();
        if (node == 0) break;
      }
    }
    shape.links.push_back(linked.shape);
    figure.links.push_back(linked);
    figure.anchor.push_back(anchor);
    figure.linkSlot.push_back(slot);
  };
  for (const Index j : islands.jointsOf(number)) {
    const MechanismJoint& joint = m.joints[j];
    if (!isLink(m, joint)) continue;
    // A rope pushes with its upper bound.
    const Index slot = isRod(joint) ? joint.firstSlot : joint.firstSlot + ownSlots(*joint.kind) + 1;
    add(isRod(joint) ? TreeLinkKind::Rod : TreeLinkKind::Rope, true, j, joint.solid1, joint.solid2,
        slot);
  }
  for (const Index s : islands.springsOf(number)) {
    const MechanismSpring& spring = m.springs[s];
    if (!isGround(m, spring.solid1) && !isGround(m, spring.solid2))
      add(TreeLinkKind::Spring, false, s, spring.solid1, spring.solid2, 0);
  }
  std::vector<Index> branchOf(shape.nodes.size(), 0);
  for (Index n = 0; n < shape.nodes.size(); ++n) {
    if (links[n] == 0) continue;
    branchOf[n] = static_cast<Index>(shape.branches.size());
    shape.branches.push_back({n, branchOf[shape.nodes[n].parent], links[n]});
  }
}

// Where a rope becomes taut, velocities are settled: nothing acts but joints, links and limits that hold. Rotors are masses that
// the kernel does not know then.
void Trees::findSettling(TreeShape& shape) {
  const bool ropes =
      std::any_of(shape.links.begin(), shape.links.end(),
                  [](const TreeLinkShape& link) { return link.kind == TreeLinkKind::Rope; });
  const bool rotors =
      std::any_of(shape.rules.begin(), shape.rules.end(),
                  [](const TreeRuleShape& rule) { return rule.kind == TreeRuleKind::Rotor; });
  if (!ropes || rotors) return;
  shape.settling = shape.nodes;
  for (TreeNode& node : shape.settling) {
    node.acted = true;
    node.pushed = node.linked = false;
    if (node.locked == 0) node.loaded = false;
  }
}

template <class R>
void Trees::fillLinks(const Mechanism& m, Group<R>& group) const {
  const TreeShape& shape = shapes_[group.shape];
  const std::size_t count = shape.links.size();
  group.links.resize(count);
  group.columns.resize(count * shape.branches.size());
  group.motions.resize(shape.branches.size());
  group.responses.resize(count * count);
  group.system.resize(count * count);
  struct Ends {
    Vec3 point[2];
    double length = 0, stiffness = 0, damping = 0;
  };
  for (std::size_t l = 0; l < count; ++l) {
    const auto endsAt = [&](int i) -> Ends {
      const Linked& linked = figureOf(group, i).links[l];
      if (linked.isJoint) {
        const MechanismJoint& joint = m.joints[linked.what];
        return {{joint.frame1.p, joint.frame2.p}, linkLength(m, joint)};
      }
      const MechanismSpring& spring = m.springs[linked.what];
      return {{spring.point1, spring.point2}, spring.rest, spring.stiffness, spring.damping};
    };
    TreeLink<R>& link = group.links[l];
    for (int e = 0; e < 2; ++e)
      link.point[e] = gatherVectors<R>([&](int i) { return endsAt(i).point[e]; });
    link.length = gather<R>([&](int i) { return endsAt(i).length; });
    link.stiffness = gather<R>([&](int i) { return endsAt(i).stiffness; });
    link.damping = gather<R>([&](int i) { return endsAt(i).damping; });
  }
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
    // Several cost what one does, even if some lanes stay empty.
    Index several = 1;
    while (lanes && several < kLanes && f + several < figures_.size() &&
           figures_[f + several].shape == shape)
      ++several;
    if (several > 1) {
      chunk.several.emplace_back().firstFigure = f;
      chunk.several.back().shape = shape;
      chunk.several.back().count = several;
      fill(m, chunk.several.back());
      chunk.stackOfSeveral.resize(
          std::max<std::size_t>(chunk.stackOfSeveral.size(), shapes_[shape].stack));
    } else {
      chunk.one.emplace_back().firstFigure = f;
      chunk.one.back().shape = shape;
      chunk.one.back().count = 1;
      fill(m, chunk.one.back());
      chunk.stackOfOne.resize(std::max<std::size_t>(chunk.stackOfOne.size(), shapes_[shape].stack));
    }
    solids += several * count;
    f += several;
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
  if (shape.anyLoaded) group.loads.resize(count);
  if (shape.anySlides) group.slides.resize(count);
  group.rules.resize(shape.rules.size());
  group.aims.resize(shape.rules.size());
  if (shape.anyBalls) group.balls.resize(count);
  if (shape.anyPushed) group.wrenches.resize(count);
  group.ties.resize(shape.ties);
  fillLinks(m, group);
  for (std::size_t k = 0; k < shape.ties; ++k) {
    const auto tieAt = [&](int i) { return tieOf(m, figureOf(group, i).ties[k]); };
    TreeTie<R>& tie = group.ties[k];
    tie.point = gatherVectors<R>([&](int i) { return tieAt(i).own; });
    tie.stiffness = gather<R>([&](int i) { return tieAt(i).stiffness; });
    tie.damping = gather<R>([&](int i) { return tieAt(i).damping; });
    tie.rest = gather<R>([&](int i) { return tieAt(i).rest; });
    tie.straight = gather<R>([&](int i) { return tieAt(i).straight; });
  }
  const auto figure = [&](int i) -> const Figure& { return figureOf(group, i); };
  for (std::size_t n = 0; n < count; ++n) {
    const TreeNode& node = shape.nodes[n];
    const auto solidAt = [&](int i) -> const MechanismSolid& {
      return m.solids[figure(i).solid[n]];
    };
    TreeSolid<R>& solid = group.solids[n];
    solid.mass = gather<R>([&](int i) { return solidAt(i).mass; });
    solid.gravity = gather<R>([&](int i) { return solidAt(i).gravity; });
    // A point mass does not turn: nothing acts beside it, whatever its inertia is.
    const auto inertia = [&](int row, int column) {
      return gather<R>([&](int i) {
        const MechanismSolid& of = solidAt(i);
        return !of.pointMass ? of.inertia(row, column) : row == column ? of.mass : 0;
      });
    };
    solid.inertia = {inertia(0, 0), inertia(1, 1), inertia(2, 2),
                     inertia(0, 1), inertia(0, 2), inertia(1, 2)};
    const bool held = figure(0).joint[n] != kWorld;
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
    // The angle of a pin is that of frame 2's axis after the free one, from that of frame 1.
    if (node.rules > 0 && node.locked == 0) {
      group.balls[n].frame1 = solid.frame;
      group.balls[n].frame2 = gatherTurns<R>([&](int i) { return frameAt(i, false).q; });
    }
    if (node.rules > 0 && node.locked > 0)
      group.loads[n].mark = gatherVectors<R>([&](int i) {
        return rotationMatrix(m.joints[figure(i).joint[n]].frame2.q).column((node.axis + 1) % 3);
      });
  }
  for (std::size_t r = 0; r < shape.rules.size(); ++r) {
    const auto ruleAt = [&](int i) -> const MechanismRule& { return m.rules[figure(i).rule[r]]; };
    TreeRule<R>& rule = group.rules[r];
    rule.stiffness = gather<R>([&](int i) {
      const MechanismRule& of = ruleAt(i);
      if (of.kind == CoordinateRule::Kind::Armature) return of.inertia;
      return of.kind == CoordinateRule::Kind::Limit && of.compliance > 0 ? 1 / of.compliance
                                                                         : of.stiffness;
    });
    rule.damping = gather<R>([&](int i) { return ruleAt(i).damping; });
    // A limit that yields pushes with whatever it takes.
    rule.most = gather<R>([&](int i) {
      return ruleAt(i).kind == CoordinateRule::Kind::Limit ? kInfinity : ruleAt(i).maxForce;
    });
    // Where nothing pulls to a target, it does not matter where that stands.
    rule.target0 = rule.target1 = rule.rate = number<R>(0);
    group.aims[r] = shape.rules[r].kind == TreeRuleKind::Soft ? Aim::Nowhere : Aim::Stands;
    for (int i = 0; i < NumberOf<R>::lanes; ++i) {
      const CompiledSignal& target = ruleAt(i).target;
      if (target.rate != 0 || target.amplitude != 0 || target.keys.count > 0)
        group.aims[r] = Aim::Moves;
      else if (lane(rule.stiffness, i) != 0 && group.aims[r] == Aim::Nowhere)
        group.aims[r] = Aim::Stands;
    }
    rule.lower = gather<R>([&](int i) { return ruleAt(i).lower; });
    rule.upper = gather<R>([&](int i) { return ruleAt(i).upper; });
  }
}

namespace {

// How fast solid 2 of a pin turns against solid 1.
double pinRate(const MechanismJoint& joint, const State& state) {
  const auto spinOf = [&state](Index s) { return s == kWorld ? Vec3{} : state.spin[s]; };
  const Quat q = (joint.solid1 == kWorld ? Quat{} : state.orientation[joint.solid1]);
  const Vec3 axis = rotationMatrix(joint.frame1.q).column(lockedAxes(joint).axis);
  return dot(rotate(q, axis), spinOf(joint.solid2) - spinOf(joint.solid1));
}

}  // namespace

// A vector of one lane.
template <class R>
V3<R> inLane(int which, const Vec3& v) {
  return gatherVectors<R>([&](int i) { return i == which ? v : Vec3{}; });
}

template <class R>
void Trees::aim(const Acting& acting, const double* from, const double* dt, Group<R>& group) const {
  const TreeShape& shape = shapes_[group.shape];
  const Mechanism& m = *acting.mechanism;
  const Control& control = *acting.control;
  const auto figure = [&](int i) -> const Figure& { return figureOf(group, i); };
  struct Seen {  // many joints of a figure follow one signal
    const CompiledSignal* signal = nullptr;
    SignalValue start, end;
  };
  Seen seen[NumberOf<R>::lanes];
  for (std::size_t r = 0; r < shape.rules.size(); ++r) {
    TreeRule<R>& rule = group.rules[r];
    if (shape.rules[r].kind == TreeRuleKind::Rotor)
      rule.rate = gather<R>([&](int i) {
        const Index of = figure(i).rule[r];
        const double rate = pinRate(m.joints[m.rules[of].joint], *acting.state);
        return rate == 0 ? 0 : rate + acting.state->multiplier[rotorSlot(m, of)];
      });
    if (shape.rules[r].kind != TreeRuleKind::Soft && shape.rules[r].kind != TreeRuleKind::Prescribe)
      continue;
    if (group.aims[r] == Aim::Nowhere) continue;
    const auto more = [&](int i) { return control.target[figure(i).rule[r]]; };
    if (group.aims[r] == Aim::Stands) {
      rule.target0 = rule.target1 =
          gather<R>([&](int i) { return m.rules[figure(i).rule[r]].target.offset + more(i); });
      continue;
    }
    for (int i = 0; i < NumberOf<R>::lanes; ++i) {
      const CompiledSignal& signal = m.rules[figure(i).rule[r]].target;
      Seen& last = seen[i];
      if (last.signal != nullptr && *last.signal == signal) continue;
      last = {&signal, evaluate(m, signal, from[i]), evaluate(m, signal, from[i] + dt[i])};
    }
    rule.target0 = gather<R>([&](int i) { return seen[i].start.value + more(i); });
    rule.target1 = gather<R>([&](int i) { return seen[i].end.value + more(i); });
    rule.rate = gather<R>([&](int i) { return seen[i].end.rate; });
  }
  for (std::size_t n = 0; n < shape.nodes.size(); ++n)
    if (shape.nodes[n].damped || shape.nodes[n].muscled) {
      group.loads[n].damp = gather<R>([&](int i) {
        const MechanismJoint& joint = m.joints[figure(i).joint[n]];
        return dampOf(m, joint, control.damp) * joint.distalMass;
      });
      group.loads[n].muscle = zero3<R>();
    }
  bool pushes = group.pushesAreOld;
  for (int i = 0; i < NumberOf<R>::lanes; ++i) {
    pushes = pushes || figure(i).pushesSwitch;
    for (const auto& [node, k] : figure(i).muscles)
      if (const MechanismMuscle& muscle = m.muscles[k];
          isActive(m, muscle.active, from[i] + acting.when * dt[i]))
        group.loads[node].muscle +=
            inLane<R>(i, rotate(m.joints[muscle.joint].frame1.q, muscle.torque));
  }
  if (pushes) aimPushes(acting, from, dt, group);
  group.pushesAreOld = false;
  aimTies(acting, from, dt, group);
}

template <class R>
void Trees::aimPushes(const Acting& acting, const double* from, const double* dt,
                      Group<R>& group) const {
  const TreeShape& shape = shapes_[group.shape];
  const Mechanism& m = *acting.mechanism;
  for (TreeWrench<R>& wrench : group.wrenches) {
    wrench.force = wrench.torque = wrench.ownForce = wrench.ownTorque = zero3<R>();
    wrench.moment = zeroMatrix<R>();
    wrench.linear = wrench.quadratic = wrench.angular = wrench.follows = number<R>(0);
  }
  for (int i = 0; i < NumberOf<R>::lanes; ++i) {
    const Figure& figure = figureOf(group, i);
    const double at = from[i] + acting.when * dt[i];
    const auto one = [&](const Vec3& v) { return inLane<R>(i, v); };
    const auto follow = [&](TreeWrench<R>& wrench) { wrench.follows += one({1, 0, 0}).x; };
    for (const auto& [node, f] : figure.forces) {
      const MechanismForce& force = m.forces[f];
      if (!isActive(m, force.active, at)) continue;
      TreeWrench<R>& wrench = group.wrenches[node];
      if (force.axes == Axes::Body) {
        wrench.ownForce += one(force.force);
        wrench.ownTorque += one(force.torque + cross(force.point, force.force));
        follow(wrench);
      } else {
        wrench.force += one(force.force);
        wrench.torque += one(force.torque);
        if (force.point == Vec3{}) continue;
        wrench.moment += outer(one(force.point), one(force.force));
        follow(wrench);
      }
    }
    for (const auto& [node, d] : figure.drags) {
      const MechanismDrag& drag = m.drags[d];
      if (!isActive(m, drag.active, at)) continue;
      TreeWrench<R>& wrench = group.wrenches[node];
      const V3<R> add = one({drag.linear, drag.quadratic, drag.angular});
      wrench.linear = wrench.linear + add.x;
      wrench.quadratic = wrench.quadratic + add.y;
      wrench.angular = wrench.angular + add.z;
      follow(wrench);
    }
  }
  for (std::size_t n = 0; n < group.wrenches.size(); ++n)
    if (shape.nodes[n].ties > 0) group.wrenches[n].follows = number<R>(1);
}

template <class R>
void Trees::aimTies(const Acting& acting, const double* from, const double* dt,
                    Group<R>& group) const {
  const TreeShape& shape = shapes_[group.shape];
  const Mechanism& m = *acting.mechanism;
  for (std::size_t k = 0; k < shape.ties; ++k) {
    const auto anchorAt = [&](int i, double time) {
      const Tied tied = figureOf(group, i).ties[k];
      const Tie tie = tieOf(m, tied);
      if (tie.ground == kWorld) return tie.other;
      const Index path = m.solids[tie.ground].path;
      if (path != kWorld) return transform(evaluate(m, m.paths[path], time).pose, tie.other);
      return transform(
          Pose{acting.state->position[tie.ground], acting.state->orientation[tie.ground]},
          tie.other);
    };
    group.ties[k].anchor0 = gatherVectors<R>([&](int i) { return anchorAt(i, from[i]); });
    group.ties[k].anchor1 = gatherVectors<R>([&](int i) { return anchorAt(i, from[i] + dt[i]); });
    // A spring that does not act now pulls with nothing.
    const auto acts = [&](int i) {
      const Tied tied = figureOf(group, i).ties[k];
      return tied.gives || isActive(m, m.springs[tied.what].active, from[i] + acting.when * dt[i]);
    };
    const auto tieAt = [&](int i) { return tieOf(m, figureOf(group, i).ties[k]); };
    group.ties[k].stiffness = gather<R>([&](int i) { return acts(i) ? tieAt(i).stiffness : 0; });
    group.ties[k].damping = gather<R>([&](int i) { return acts(i) ? tieAt(i).damping : 0; });
  }
}

// Where a ground that follows a path is at the start and at the end of a piece. The first one begins where the state has it.
template <class R>
void Trees::aimGround(const Acting& acting, const double* from, const double* dt,
                      Group<R>& group) const {
  const Mechanism& m = *acting.mechanism;
  Pose start[NumberOf<R>::lanes];
  PathValue end[NumberOf<R>::lanes];
  for (int i = 0; i < NumberOf<R>::lanes; ++i) {
    const Index solid = figureOf(group, i).ground;
    const CompiledPath& path = m.paths[m.solids[solid].path];
    start[i] = from[i] == acting.time
                   ? Pose{acting.state->position[solid], acting.state->orientation[solid]}
                   : evaluate(m, path, from[i]).pose;
    const bool whole = from[i] == acting.time && dt[i] == acting.dt;
    end[i] = whole ? acting.ends[m.solids[solid].path] : evaluate(m, path, from[i] + dt[i]);
  }
  TreeLed<R>& led = group.led;
  led.place = gatherVectors<R>([&](int i) { return start[i].p; });
  led.move = gatherVectors<R>([&](int i) { return end[i].pose.p - start[i].p; });
  led.turn0 = gatherTurns<R>([&](int i) { return start[i].q; });
  led.turn1 = gatherTurns<R>([&](int i) { return end[i].pose.q; });
  led.velocity = gatherVectors<R>([&](int i) { return end[i].velocity; });
  led.spin = gatherVectors<R>([&](int i) { return end[i].spin; });
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
  view.anyLoaded = shape.anyLoaded;
  view.anyKinked = shape.anyKinked;
  view.anyPrescribed = shape.anyPrescribed;
  view.anyBounded = shape.anyBounded;
  view.anyRotors = shape.anyRotors;
  view.ruleShapes = shape.rules.data();
  view.rules = group.rules.data();
  view.balls = group.balls.data();
  view.loads = group.loads.data();
  view.anyPushed = shape.anyPushed;
  view.wrenches = group.wrenches.data();
  view.ties = group.ties.data();
  if (shape.anySlides) view.slides = group.slides.data();
  if (shape.led) view.led = &group.led;
  view.stack = stack.data();
  view.linkShapes = shape.links.data();
  view.branches = shape.branches.data();
  view.linkCount = shape.links.size();
  view.branchCount = shape.branches.size();
  view.anyAnchored = shape.anyAnchored;
  if (!shape.settling.empty()) view.settling = shape.settling.data();
  view.links = group.links.data();
  view.columns = group.columns.data();
  view.motions = group.motions.data();
  view.responses = group.responses.data();
  view.system = group.system.data();
  for (std::size_t i = 0; i < NumberOf<R>::lanes; ++i) {
    const Figure& figure = figureOf(group, static_cast<int>(i));
    view.solid[i] = figure.solid.data();
    view.slot[i] = figure.slot.data();
    view.memory[i] = figure.memory.data();
    view.ground[i] = &figure.ground;
    view.anchor[i] = figure.anchor.data();
    view.linkSlot[i] = figure.linkSlot.data();
  }
  return view;
}

// The whole step, or in pieces: each figure in as many as it needs.
template <class R, class Kernel>
void Trees::stepGroup(Chunk& chunk, Group<R>& group, std::vector<TreePart<R>>& stack, Kernel kernel,
                      const KernelSettings& settings, const Acting& acting,
                      const StatePointers& state, const std::vector<std::uint8_t>& passed,
                      std::vector<std::uint8_t>& failed, std::vector<double>& work) const {
  constexpr int kWidth = NumberOf<R>::lanes;
  const TreeFigures<R> figures = view(group, stack);
  const auto islandOf = [&](int i) { return figureOf(group, i).island; };
  unsigned open = 0;
  for (int i = 0; i < static_cast<int>(group.count); ++i)
    if (passed[islandOf(i)] == 0) open |= 1u << i;
  const double dt = settings.dt[0];
  Pieces pieces[kWidth];
  for (Pieces& ofLane : pieces) ofLane = Pieces(dt);
  int iterations[kWidth] = {};
  KernelSettings part = settings;
  while (open != 0) {
    part.lanes = open;
    double from[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      part.dt[i] = pieces[i].next();
      from[i] = acting.time + (dt - pieces[i].left());
    }
    if (figures.anyLoaded || figures.anyPushed) aim(acting, from, part.dt, group);
    if (figures.led) aimGround(acting, from, part.dt, group);
    const TreeOutcome outcome = kernel(figures, part, state);
    for (int i = 0; i < kWidth; ++i) {
      if ((open >> i & 1u) == 0) continue;
      iterations[i] += outcome.iterations[i];
      if ((outcome.done >> i & 1u) != 0) {
        work[islandOf(i)] += outcome.work[i];
        if (figures.anyRotors) rememberRotors(acting, group, i, part.dt[i], state);
        pieces[i].finishNext();
        if (!pieces[i].done()) {
          acting.kept->countPiece(*acting.mechanism, islandOf(i), true, *acting.state);
          continue;
        }
        open &= ~(1u << i);
        rememberTies(acting, group, i, state);
        continue;
      }
      const bool whole = (outcome.open >> i & 1u) != 0 ||
                         (figures.led && acting.kept->countsLed(*acting.mechanism, islandOf(i)));
      const int more = whole ? 0 : pieces[i].split(outcome.tooFar[i]);
      chunk.report.halvings += more;
      if (more > 0) continue;
      failed[islandOf(i)] = 1;
      open &= ~(1u << i);
    }
  }
  chunk.report.iterations =
      std::max(chunk.report.iterations, *std::max_element(iterations, iterations + kWidth));
}

// ċ_1 = ċ_0 - λ dt/I of rotors, beyond the rate of the velocities: methods/rotors.h.
template <class R>
void Trees::rememberRotors(const Acting& acting, const Group<R>& group, int i, double dt,
                           const StatePointers& state) const {
  const TreeShape& shape = shapes_[group.shape];
  const Mechanism& m = *acting.mechanism;
  for (std::size_t r = 0; r < shape.rules.size(); ++r) {
    if (shape.rules[r].kind != TreeRuleKind::Rotor) continue;
    const Index rule = figureOf(group, i).rule[r];
    double* kept = state.multiplier + rotorSlot(m, rule);
    kept[0] = lane(group.rules[r].rate, i) - kept[-1] * dt / m.rules[rule].inertia -
              pinRate(m.joints[m.rules[rule].joint], *acting.state);
  }
}

// What joints that give pull with, as rows have it: along the axes of frame 1.
template <class R>
void Trees::rememberTies(const Acting& acting, const Group<R>& group, int i,
                         const StatePointers& state) const {
  const Figure& figure = figureOf(group, i);
  for (std::size_t k = 0; k < figure.ties.size(); ++k) {
    if (!figure.ties[k].gives) continue;
    const MechanismJoint& joint = acting.mechanism->joints[figure.ties[k].what];
    const Quat q = state.orientationOf(joint.solid1) * joint.frame1.q;
    const Vec3 pull = rotate(conjugate(q), lane(group.ties[k].pull, i));
    for (int axis = 0; axis < 3; ++axis)
      state.multiplier[joint.firstSlot + static_cast<Index>(axis)] = pull[axis];
  }
}

void Trees::step(std::size_t index, bool over, const KernelSettings& settings, const Acting& acting,
                 const StatePointers& state, const std::vector<std::uint8_t>& passed,
                 std::vector<std::uint8_t>& failed, std::vector<double>& work) {
  Chunk& chunk = chunks_[index];
  chunk.report = {};
  for (Group<Abreast>& group : chunk.several)
    stepGroup(chunk, group, chunk.stackOfSeveral, stepOf(Abreast{}, over), settings, acting, state,
              passed, failed, work);
  for (Group<Alone>& group : chunk.one)
    stepGroup(chunk, group, chunk.stackOfOne, stepOf(Alone{}, over), settings, acting, state,
              passed, failed, work);
}

void Trees::report(FastReport& report) const {
  for (const Chunk& chunk : chunks_) {
    report.iterations = std::max(report.iterations, chunk.report.iterations);
    report.halvings += chunk.report.halvings;
  }
}

}  // namespace tenon::packed
