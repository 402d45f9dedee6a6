#include "posing/rearrange.h"

#include <algorithm>
#include <cmath>

#include "math/rotation.h"

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
  int lockedTurns = 0, lockedAxis = 0, freeAxis = 0;
  for (int axis = 0; axis < 3; ++axis)
    if ((locked >> (3 + axis) & 1u) != 0) {
      ++lockedTurns;
      lockedAxis = axis;
    } else {
      freeAxis = axis;
    }
  const auto about = [&](int axis, double angle) {
    Vec3 v;
    v[axis] = angle;
    return exponential(v);
  };
  if (locked == 0 || lockedTurns == 0) {
    X.q = random.rotation();
  } else if (lockedTurns == 1) {
    const double a = within(m, joint, coordinate, -kPi, kPi, random);
    const double b = within(m, joint, coordinate + 1, -kPi / 2, kPi / 2, random);
    X.q = about((lockedAxis + 1) % 3, a) * about((lockedAxis + 2) % 3, b);
  } else if (lockedTurns == 2) {
    X.q = about(freeAxis, within(m, joint, coordinate, -kPi, kPi, random));
  }
  return X;
}

}  // namespace

void rearrange(const Mechanism& m, const Control& control, const Rows& rows, double tolerance,
               int round, Random& random, State& state) {
  const std::size_t count = m.solids.size();
  std::vector<std::vector<Index>> jointsOf(count);
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (joint.kind->relates != Relates::Frames || joint.kind->residualCount == 0) continue;
    if (!control.jointOn[j] || !isActive(m, joint.active, state.time)) continue;
    for (const Index solid : {joint.solid1, joint.solid2})
      if (isFree(m, solid)) jointsOf[solid].push_back(j);
  }
  // The solids of open joints, and those within some steps of them.
  std::vector<bool> moved(count, false);
  std::vector<Index> front;
  const double open = std::max(1e3 * tolerance, 1e-7);
  for (const Row& row : rows.rows) {
    const bool isOpen = row.equality ? std::abs(row.error) > open : row.error < -open;
    if (!isOpen) continue;
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

  // Grown from what stays, joint by joint; a part that hangs on nothing keeps its first solid.
  const auto poseOf = [&](Index solid) -> Pose {
    return solid == kWorld ? Pose{} : Pose{state.position[solid], state.orientation[solid]};
  };
  std::vector<bool> placed(count, false);
  std::vector<Index> queue;
  const auto put = [&](Index solid, Index through) {
    const MechanismJoint& joint = m.joints[through];
    const Pose X_W1 = poseOf(joint.solid1) * joint.frame1,
               X_W2 = poseOf(joint.solid2) * joint.frame2;
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
    if (start == front.size()) return;
    if (!m.solids[front[start]].pointMass) state.orientation[front[start]] = random.rotation();
    visit(front[start]);
  }
}

}  // namespace tenon
