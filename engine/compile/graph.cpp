// The joint graph: islands, loops, and the mass that hangs on each joint.
#include <tenon/joint.h>

#include <algorithm>
#include <numeric>

#include "compile/finish.h"
#include "math/connected.h"

namespace tenon {

namespace {

// A spanning forest grown breadth-first. The ground (world, immobile and animated solids) is one
// node, and the first root; then each island that does not touch it starts from its first solid.
struct Forest {
  static constexpr Index kNone = 0xffffffffu;
  Index ground;                    // its node number: one after the last solid
  std::vector<Index> order;        // nodes, roots first
  std::vector<Index> parentJoint;  // by node: the joint towards the root, or kNone
  std::vector<Index> parent;       // by node

  std::vector<Index> nodes;  // by solid: itself, or the ground

  [[nodiscard]] Index nodeOf(Index solid) const { return solid == kWorld ? ground : nodes[solid]; }

  explicit Forest(const Mechanism& m)
      : ground(static_cast<Index>(m.solids.size())),
        parentJoint(m.solids.size() + 1, kNone),
        parent(m.solids.size() + 1, kNone),
        nodes(m.solids.size()) {
    for (Index s = 0; s < ground; ++s)
      nodes[s] = m.solids[s].kind == SolidKind::Dynamic ? s : ground;
    // The joints of a node, one node after the other: first how many, then which.
    std::vector<Index> firstOf(m.solids.size() + 3, 0), jointsOf;
    const auto forEachEnd = [&](const auto& f) {
      for (Index j = 0; j < m.joints.size(); ++j) {
        if (m.joints[j].kind->residualCount == 0) continue;  // a range connects nothing
        const Index a = nodeOf(m.joints[j].solid1), b = nodeOf(m.joints[j].solid2);
        f(a, j);
        if (b != a) f(b, j);
      }
    };
    forEachEnd([&](Index node, Index) { ++firstOf[node + 2]; });
    std::partial_sum(firstOf.begin(), firstOf.end(), firstOf.begin());
    jointsOf.resize(firstOf.back());
    forEachEnd([&](Index node, Index j) { jointsOf[firstOf[node + 1]++] = j; });
    order.reserve(m.solids.size() + 1);
    std::vector<bool> seen(m.solids.size() + 1, false);
    const auto grow = [&](Index root) {
      if (seen[root]) return;
      seen[root] = true;
      std::size_t next = order.size();
      order.push_back(root);
      for (; next < order.size(); ++next) {
        const Index node = order[next];
        for (Index k = firstOf[node]; k < firstOf[node + 1]; ++k) {
          const Index j = jointsOf[k];
          const Index a = nodeOf(m.joints[j].solid1), b = nodeOf(m.joints[j].solid2);
          const Index other = a == node ? b : a;
          if (seen[other]) continue;
          seen[other] = true;
          parent[other] = node;
          parentJoint[other] = j;
          order.push_back(other);
        }
      }
    };
    grow(ground);
    for (Index s = 0; s < ground; ++s) grow(nodeOf(s));
  }
};

// Joints that lock something and connect nothing that was not connected before; relations of
// coordinates, which may tie several trees together, after all others.
std::vector<Index> findLoopClosers(const Mechanism& m, const Forest& forest) {
  Connected connected(m.solids.size() + 1);
  std::vector<Index> closers;
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.kind->residualCount == 0 || joint.kind->relates == Relates::Coordinates) continue;
    if (!connected.join(forest.nodeOf(joint.solid1), forest.nodeOf(joint.solid2)))
      closers.push_back(j);
  }
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.kind->relates != Relates::Coordinates) continue;
    Index first = Forest::kNone;
    bool tied = false;
    const auto tie = [&](Index solid) {
      const Index node = forest.nodeOf(solid);
      if (first == Forest::kNone) first = node;
      if (connected.join(first, node)) tied = true;
    };
    for (Index t = joint.terms.first; t < joint.terms.first + joint.terms.count; ++t) {
      const MechanismJoint& coupled = m.joints[m.terms[t].joint];
      tie(coupled.solid1);
      tie(coupled.solid2);
      for (Index p = coupled.points.first; p < coupled.points.first + coupled.points.count; ++p)
        tie(m.points[p].solid);
    }
    if (!tied) closers.push_back(j);
  }
  return closers;
}

void findIslands(Mechanism& mechanism) {
  const Forest forest(mechanism);
  const auto solidCount = static_cast<Index>(mechanism.solids.size());

  mechanism.loopClosers = findLoopClosers(mechanism, forest);
  mechanism.loops = static_cast<Index>(mechanism.loopClosers.size());

  // Mass on the far side of each joint of the forest. A joint that closes a loop has no far side;
  // it is given the lighter of the masses that hang on its two solids.   [ForseyWilhelms1988 §4.3]
  std::vector<double> hanging(solidCount + 1, 0.0);
  for (Index s = 0; s < solidCount; ++s)
    if (mechanism.solids[s].kind == SolidKind::Dynamic) hanging[s] = mechanism.solids[s].mass;
  for (std::size_t n = forest.order.size(); n-- > 0;) {
    const Index node = forest.order[n];
    if (forest.parent[node] != Forest::kNone) hanging[forest.parent[node]] += hanging[node];
  }
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    MechanismJoint& joint = mechanism.joints[j];
    const Index a = forest.nodeOf(joint.solid1);
    const Index b = forest.nodeOf(joint.solid2);
    const bool treeA = forest.parentJoint[a] == j, treeB = forest.parentJoint[b] == j;
    if (treeA || treeB) {
      joint.distalMass = hanging[treeA ? a : b];
    } else {
      const double massA = a == forest.ground ? hanging[b] : hanging[a];
      const double massB = b == forest.ground ? hanging[a] : hanging[b];
      joint.distalMass = a == b ? 0 : std::min(massA, massB);
    }
  }

  // Islands: the forest without the ground. A tree of the forest that hangs on the ground falls
  // apart into the subtrees of the ground's children, joined again where loops tie them together.
  Connected island(solidCount);
  const auto firstFree = [&](const MechanismJoint& joint) {
    Index first = forest.nodeOf(joint.solid1);
    if (first != forest.ground) return first;
    forEachSolid(mechanism, joint, [&](Index solid) {
      if (first == forest.ground) first = forest.nodeOf(solid);
    });
    return first;
  };
  for (const MechanismJoint& joint : mechanism.joints) {
    const Index first = firstFree(joint);
    if (joint.points.count == 0 && joint.terms.count == 0) {
      const Index other = forest.nodeOf(joint.solid2);
      if (other != forest.ground) (void)island.join(first, other);
      continue;
    }
    forEachSolid(mechanism, joint, [&](Index solid) {
      if (forest.nodeOf(solid) == forest.ground) return;
      (void)island.join(first, solid);
    });
  }
  // By representative, then by solid: the number of its island.
  std::vector<Index> number(solidCount, Forest::kNone), islandOf(solidCount, 0);
  mechanism.islands.clear();
  for (Index s = 0; s < solidCount; ++s) {
    if (mechanism.solids[s].kind != SolidKind::Dynamic) continue;
    Index& n = number[island.find(s)];
    if (n == Forest::kNone) {
      n = static_cast<Index>(mechanism.islands.size());
      mechanism.islands.emplace_back();
    }
    islandOf[s] = n;
    ++mechanism.islands[n].solids.count;
  }
  std::vector<Index> freeOf(mechanism.joints.size());  // by joint
  for (Index j = 0; j < freeOf.size(); ++j) {
    freeOf[j] = firstFree(mechanism.joints[j]);
    if (freeOf[j] != forest.ground) ++mechanism.islands[islandOf[freeOf[j]]].joints.count;
  }
  Index solids = 0, joints = 0;
  for (Mechanism::Island& each : mechanism.islands) {
    each.solids.first = solids;
    each.joints.first = joints;
    solids += each.solids.count;
    joints += each.joints.count;
    each.solids.count = each.joints.count = 0;  // to be counted again
  }
  mechanism.islandSolids.resize(solids);
  mechanism.islandJoints.resize(joints);
  const auto put = [](std::vector<Index>& list, Range& range, Index item) {
    list[range.first + range.count++] = item;
  };
  for (Index s = 0; s < solidCount; ++s)
    if (mechanism.solids[s].kind == SolidKind::Dynamic)
      put(mechanism.islandSolids, mechanism.islands[islandOf[s]].solids, s);
  for (Index j = 0; j < freeOf.size(); ++j)
    if (freeOf[j] != forest.ground)
      put(mechanism.islandJoints, mechanism.islands[islandOf[freeOf[j]]].joints, j);
}

}  // namespace

void finish(Mechanism& m) {
  findIslands(m);
  for (MechanismJoint& joint : m.joints) joint.remembers = needsMemory(m, joint);
  for (const MechanismTerm& term : m.terms) m.joints[term.joint].remembers = true;
  m.stamp = stampOf(m);
}

}  // namespace tenon
