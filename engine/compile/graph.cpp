// The joint graph: islands, loops, and the mass that hangs on each joint.
#include <algorithm>
#include <numeric>

#include "compile/compiler.h"

namespace tenon {

namespace {

// A spanning forest grown breadth-first. The ground (world, immobile and animated solids) is one
// node, and the first root; then each island that does not touch it starts from its first solid.
struct Forest {
  static constexpr Index kNone = 0xffffffffu;
  Index ground;                              // its node number: one after the last solid
  std::vector<Index> order;                  // nodes, roots first
  std::vector<Index> parentJoint;            // by node: the joint towards the root, or kNone
  std::vector<Index> parent;                 // by node
  std::vector<std::vector<Index>> jointsOf;  // by node

  [[nodiscard]] Index nodeOf(const Mechanism& m, Index solid) const {
    return solid == kWorld || m.solids[solid].kind != SolidKind::Dynamic ? ground : solid;
  }

  explicit Forest(const Mechanism& m)
      : ground(static_cast<Index>(m.solids.size())),
        parentJoint(m.solids.size() + 1, kNone),
        parent(m.solids.size() + 1, kNone),
        jointsOf(m.solids.size() + 1) {
    for (Index j = 0; j < m.joints.size(); ++j) {
      if (m.joints[j].kind->residualCount == 0) continue;  // a range connects nothing
      const Index a = nodeOf(m, m.joints[j].solid1), b = nodeOf(m, m.joints[j].solid2);
      jointsOf[a].push_back(j);
      if (b != a) jointsOf[b].push_back(j);
    }
    std::vector<bool> seen(m.solids.size() + 1, false);
    const auto grow = [&](Index root) {
      if (seen[root]) return;
      seen[root] = true;
      std::size_t next = order.size();
      order.push_back(root);
      for (; next < order.size(); ++next) {
        const Index node = order[next];
        for (const Index j : jointsOf[node]) {
          const Index a = nodeOf(m, m.joints[j].solid1), b = nodeOf(m, m.joints[j].solid2);
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
    for (Index s = 0; s < ground; ++s) grow(nodeOf(m, s));
  }
};

// Sets of nodes that grow together.
class Connected {
 public:
  explicit Connected(std::size_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  Index find(Index node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  // False if they were together already.
  bool join(Index a, Index b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<Index> parent_;
};

// Joints that lock something and connect nothing that was not connected before; relations of
// coordinates, which may tie several trees together, after all others.
std::vector<Index> findLoopClosers(const Mechanism& m, const Forest& forest) {
  Connected connected(m.solids.size() + 1);
  std::vector<Index> closers;
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.kind->residualCount == 0 || joint.kind->relates == Relates::Coordinates) continue;
    if (!connected.join(forest.nodeOf(m, joint.solid1), forest.nodeOf(m, joint.solid2)))
      closers.push_back(j);
  }
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.kind->relates != Relates::Coordinates) continue;
    Index first = Forest::kNone;
    bool tied = false;
    const auto tie = [&](Index solid) {
      const Index node = forest.nodeOf(m, solid);
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

}  // namespace

void Compiler::findIslands() {
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
    const Index a = forest.nodeOf(mechanism, joint.solid1);
    const Index b = forest.nodeOf(mechanism, joint.solid2);
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
    Index first = forest.ground;
    forEachSolid(mechanism, joint, [&](Index solid) {
      if (first == forest.ground) first = forest.nodeOf(mechanism, solid);
    });
    return first;
  };
  for (const MechanismJoint& joint : mechanism.joints) {
    const Index first = firstFree(joint);
    forEachSolid(mechanism, joint, [&](Index solid) {
      if (forest.nodeOf(mechanism, solid) == forest.ground) return;
      (void)island.join(first, solid);
    });
  }
  std::vector<Index> number(solidCount, Forest::kNone);  // by representative
  std::vector<std::vector<Index>> solids, joints;
  for (Index s = 0; s < solidCount; ++s) {
    if (mechanism.solids[s].kind != SolidKind::Dynamic) continue;
    Index& n = number[island.find(s)];
    if (n == Forest::kNone) {
      n = static_cast<Index>(solids.size());
      solids.emplace_back();
      joints.emplace_back();
    }
    solids[n].push_back(s);
  }
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    const Index free = firstFree(mechanism.joints[j]);
    if (free != forest.ground) joints[number[island.find(free)]].push_back(j);
  }
  for (std::size_t i = 0; i < solids.size(); ++i) {
    Mechanism::Island made;
    made.solids = {static_cast<Index>(mechanism.islandSolids.size()),
                   static_cast<Index>(solids[i].size())};
    made.joints = {static_cast<Index>(mechanism.islandJoints.size()),
                   static_cast<Index>(joints[i].size())};
    mechanism.islandSolids.insert(mechanism.islandSolids.end(), solids[i].begin(), solids[i].end());
    mechanism.islandJoints.insert(mechanism.islandJoints.end(), joints[i].begin(), joints[i].end());
    mechanism.islands.push_back(made);
  }
}

}  // namespace tenon
