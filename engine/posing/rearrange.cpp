#include "posing/rearrange.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "joints/joint_math.h"
#include "math/portable.h"
#include "math/rotation.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

bool isFree(const Mechanism& m, Index solid) {
  return solid != kWorld && m.solids[solid].kind == SolidKind::Dynamic;
}

// The limits of a coordinate, from rules and options; the whole of [low, high] where there are none.
double within(const Mechanism& m, const MechanismJoint& joint, int coordinate, double low,
              double high, Random& random) {
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r) {
    const MechanismRule& rule = m.rules[r];
    if (rule.kind != CoordinateRule::Kind::Limit ||
        rule.coordinate != static_cast<Index>(coordinate))
      continue;
    low = std::max(low, rule.lower);
    high = std::min(high, rule.upper);
  }
  return low < high ? random.uniform(low, high) : 0.5 * (low + high);
}

// A relative pose that the joint allows, at random: of a lower pair by its mask of locked directions
// (bits ti tj tk ri rj rk); of other kinds the frames' origins stay as far apart as they are.
Pose randomRelativePose(const Mechanism& m, const MechanismJoint& joint, const Pose& now,
                        Random& random) {
  const unsigned locked = joint.kind->locked;
  Pose X;
  int coordinate = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const bool isLocked = (locked >> axis & 1u) != 0;
    if (locked == 0) {
      X.p[axis] = now.p[axis];
    } else if (!isLocked) {
      const double reach = std::min(std::abs(now.p[axis]), 2.0) + 0.1;
      X.p[axis] = within(m, joint, coordinate++, -reach, reach, random);
    }
  }
  const LockedTurns turns = lockedTurns(locked);
  const auto about = [&](int axis, double angle) {
    Vec3 v;
    v[axis] = angle;
    return exponential(v);
  };
  if (locked == 0 || turns.count == 0) {
    X.q = random.rotation();
  } else if (turns.count == 1) {
    const double a = within(m, joint, coordinate, -kPi, kPi, random);
    const double b = within(m, joint, coordinate + 1, -kPi / 2, kPi / 2, random);
    X.q = about((turns.locked + 1) % 3, a) * about((turns.locked + 2) % 3, b);
  } else if (turns.count == 2) {
    X.q = about(turns.free, within(m, joint, coordinate, -kPi, kPi, random));
  }
  return X;
}

// The joints of two frames that lock something now, by free solid.
std::vector<std::vector<Index>> lockingJoints(const Mechanism& m, const Control& control,
                                              double time) {
  std::vector<std::vector<Index>> jointsOf(m.solids.size());
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.kind->relates != Relates::Frames || joint.kind->residualCount == 0) continue;
    if (!control.jointOn[j] || !isActive(m, joint.active, time)) continue;
    for (const Index solid : {joint.solid1, joint.solid2})
      if (isFree(m, solid)) jointsOf[solid].push_back(j);
  }
  return jointsOf;
}

Pose poseOf(const State& state, Index solid) {
  return solid == kWorld ? Pose{} : Pose{state.position[solid], state.orientation[solid]};
}

// The relative pose nearest to `now` that the joint allows. Slides beyond a metre are drawn in.
Pose nearestRelativePose(const MechanismJoint& joint, const Pose& now) {
  const unsigned locked = joint.kind->locked;
  Pose X = now;
  for (int axis = 0; axis < 3; ++axis)
    X.p[axis] = (locked >> axis & 1u) != 0 ? 0 : std::clamp(now.p[axis], -1.0, 1.0);
  const LockedTurns turns = lockedTurns(locked);
  Vec3 axis1, axis2;
  axis1[turns.free] = 1;
  switch (turns.count) {
    case 1: {  // R = Rot(a, α) Rot(b, β)
      const int a = (turns.locked + 1) % 3, b = (turns.locked + 2) % 3;
      const Mat3 R = rotationMatrix(now.q);
      axis1 = axis2 = {};
      axis1[a] = arctangent2(R(turns.locked, b), R(b, b));
      axis2[b] = arctangent2(R(a, turns.locked), R(a, a));
      X.q = exponential(axis1) * exponential(axis2);
      break;
    }
    case 2:  // without the swing
      axis2 = rotate(now.q, axis1);
      X.q = rotationBetween(axis2, axis1) * now.q;
      break;
    case 3:
      X.q = {};
      break;
    default:
      break;
  }
  return X;
}

}  // namespace

bool isScattered(const Mechanism& m, const Rows& rows) {
  std::size_t open = 0, count = 0;
  for (const Row& row : rows.rows) {
    if (!row.equality || row.asker.kind != Asker::Kind::Joint) continue;
    const MechanismJoint& joint = m.joints[row.asker.number];
    double size = 0;
    if (isFree(m, joint.solid1)) size = std::max(size, norm(joint.frame1.p));
    if (isFree(m, joint.solid2)) size = std::max(size, norm(joint.frame2.p));
    ++count;
    if (!(std::abs(row.error) < (row.angular ? 0.5 : size))) ++open;
  }
  return 2 * open > count;
}

void pullTogether(const Mechanism& m, const Control& control, State& state) {
  const std::vector<std::vector<Index>> jointsOf = lockingJoints(m, control, state.time);
  std::vector<bool> placed(m.solids.size(), false);
  std::vector<Index> part;
  const auto put = [&](Index solid, Index through) {
    const MechanismJoint& joint = m.joints[through];
    const Pose X_W1 = poseOf(state, joint.solid1) * joint.frame1;
    const Pose X_W2 = poseOf(state, joint.solid2) * joint.frame2;
    const Pose X_12 = nearestRelativePose(joint, inverse(X_W1) * X_W2);
    const Pose X = solid == joint.solid2 ? X_W1 * X_12 * inverse(joint.frame2)
                                         : X_W2 * inverse(X_12) * inverse(joint.frame1);
    state.position[solid] = X.p;
    if (!m.solids[solid].pointMass) state.orientation[solid] = normalized(X.q);
    placed[solid] = true;
    part.push_back(solid);
  };
  const auto grow = [&](std::size_t next) {
    for (; next < part.size(); ++next)
      for (const Index j : jointsOf[part[next]])
        for (const Index other : {m.joints[j].solid1, m.joints[j].solid2})
          if (isFree(m, other) && !placed[other]) put(other, j);
  };
  // First what hangs on the ground.
  for (Index s = 0; s < m.solids.size(); ++s)
    for (const Index j : jointsOf[s])
      if (!placed[s] && (!isFree(m, m.joints[j].solid1) || !isFree(m, m.joints[j].solid2)))
        put(s, j);
  grow(0);
  for (const Mechanism::Island& island : m.islands) {
    Index heaviest = kWorld;
    for (Index i = island.solids.first; i < island.solids.first + island.solids.count; ++i) {
      const Index s = m.islandSolids[i];
      if (!placed[s] && (heaviest == kWorld || m.solids[s].mass > m.solids[heaviest].mass))
        heaviest = s;
    }
    if (heaviest == kWorld || jointsOf[heaviest].empty()) continue;
    part.clear();
    placed[heaviest] = true;
    part.push_back(heaviest);
    const std::vector<Vec3> before = state.position;
    grow(0);
    Vec3 moment;
    double mass = 0;
    for (const Index s : part) {
      moment += m.solids[s].mass * (before[s] - state.position[s]);
      mass += m.solids[s].mass;
    }
    for (const Index s : part) state.position[s] += (1 / mass) * moment;
  }
}

void rearrange(const Mechanism& m, const Control& control, const Rows& rows, double tolerance,
               int round, Random& random, State& state) {
  const std::size_t count = m.solids.size();
  const std::vector<std::vector<Index>> jointsOf = lockingJoints(m, control, state.time);
  // The solids of open joints, and those within some steps of them.
  std::vector<bool> moved(count, false);
  std::vector<Index> front;
  const double open = std::max(1e3 * tolerance, 1e-7);
  for (const Row& row : rows.rows) {
    const bool isOpen = row.equality ? std::abs(row.error) > open : row.error < -open;
    if (!isOpen || !std::isinf(row.stiffness)) continue;  // what yields is no reason
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const Index solid = rows.blocks[b].solid;
      if (!isFree(m, solid) || moved[solid]) continue;
      moved[solid] = true;
      front.push_back(solid);
    }
  }
  const int rings = static_cast<int>(random.below(static_cast<std::uint32_t>(2 + round / 2)));
  std::size_t begin = 0;
  for (int ring = 0; ring < rings; ++ring) {
    const std::size_t end = front.size();
    for (; begin < end; ++begin)
      for (const Index j : jointsOf[front[begin]])
        for (const Index other : {m.joints[j].solid1, m.joints[j].solid2})
          if (isFree(m, other) && !moved[other]) {
            moved[other] = true;
            front.push_back(other);
          }
  }
  if (front.empty()) return;
  const std::vector<Vec3> before = state.position;

  // Grown from what stays, joint by joint; a part that hangs on nothing keeps its first solid.
  std::vector<bool> placed(count, false);
  std::vector<Index> queue;
  const auto put = [&](Index solid, Index through) {
    const MechanismJoint& joint = m.joints[through];
    const Pose X_W1 = poseOf(state, joint.solid1) * joint.frame1;
    const Pose X_W2 = poseOf(state, joint.solid2) * joint.frame2;
    const Pose X_12 = randomRelativePose(m, joint, inverse(X_W1) * X_W2, random);
    const Pose X = solid == joint.solid2 ? X_W1 * X_12 * inverse(joint.frame2)
                                         : X_W2 * inverse(X_12) * inverse(joint.frame1);
    state.position[solid] = X.p;
    if (!m.solids[solid].pointMass) state.orientation[solid] = normalized(X.q);
  };
  const auto visit = [&](Index solid) {
    placed[solid] = true;
    queue.push_back(solid);
  };
  for (const Index solid : front)
    for (const Index j : jointsOf[solid]) {
      const MechanismJoint& joint = m.joints[j];
      const Index other = joint.solid1 == solid ? joint.solid2 : joint.solid1;
      if (placed[solid] || (isFree(m, other) && moved[other])) continue;
      put(solid, j);
      visit(solid);
    }
  for (std::size_t next = 0, start = 0;;) {
    for (; next < queue.size(); ++next)
      for (const Index j : jointsOf[queue[next]])
        for (const Index other : {m.joints[j].solid1, m.joints[j].solid2})
          if (isFree(m, other) && moved[other] && !placed[other]) {
            put(other, j);
            visit(other);
          }
    while (start < front.size() && placed[front[start]]) ++start;
    if (start == front.size()) break;
    if (!m.solids[front[start]].pointMass) state.orientation[front[start]] = random.rotation();
    visit(front[start]);
  }
  // What hangs on nothing keeps its centre of mass.
  for (const Mechanism::Island& island : m.islands) {
    if (!isIsolated(m, island)) continue;
    Vec3 moment;
    double mass = 0;
    const auto solids = std::span(m.islandSolids).subspan(island.solids.first, island.solids.count);
    for (const Index s : solids) {
      moment += m.solids[s].mass * (before[s] - state.position[s]);
      mass += m.solids[s].mass;
    }
    for (const Index s : solids) state.position[s] += (1 / mass) * moment;
  }
}

}  // namespace tenon
