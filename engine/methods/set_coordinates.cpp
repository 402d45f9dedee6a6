// Many coordinates at once: a figure that is a tree is put there by one pass from its root.        [ForseyWilhelms1988 §4.4]
//
// Of a joint that is a mask of locked directions (joints/lower_pairs.cpp) the relative pose X_12 is known in closed form:
//   p the free translations;   R = exp(r), Rot(a, α) Rot(b, β), Rot(f, α) or 1, by how many rotations are locked.
// A joint that is not asked for keeps its X_12, and moves along. The rates of the coordinates stay what they were: with the
// twist (u, w) of frame 2 relative to frame 1, in axes of frame 1, u = ṗ, and w follows from R as above:
//   w = J(r) ṙ,  J(r) = 1 + (1 - cos θ)/θ² [r] + (θ - sin θ)/θ³ [r]²;   w = α̇ a + β̇ Rot(a, α) b;   w = α̇ f.
#include <tenon/joint.h>
#include <tenon/step.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "joints/joint_math.h"
#include "joints/lift.h"
#include "math/portable.h"
#include "math/rotation.h"

namespace tenon {

namespace {

struct Twist {
  Vec3 velocity, spin;  // of the centre of mass; world axes
};

Vec3 axisVector(int axis) {
  Vec3 e;
  e[axis] = 1;
  return e;
}

// J(r) above.
Mat3 rateOfTurn(const Vec3& r) {
  const double square = dot(r, r), angle = std::sqrt(square);
  double a = 0.5 - square / 24, b = 1.0 / 6 - square / 120;
  if (angle > 1e-3) {
    const SineCosine turn = sineCosine(angle);
    a = (1 - turn.cosine) / square;
    b = (angle - turn.sine) / (square * angle);
  }
  const double c[3][3] = {{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
  Mat3 J;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      J(i, k) = (i == k ? 1 - b * square : 0) + a * c[i][k] + b * r[i] * r[k];
  return J;
}

// A joint's pose with coordinates changed, and the turning that goes with the rates as they were. Periodic values may be of
// any number of turns.
struct Changed {
  Pose X_12;
  Vec3 spin;  // of frame 2 relative to frame 1, axes of frame 1
};
Changed change(const JointKind& kind, const Pose& X_12, const Vec3& spin, const double* value,
               const bool* given) {
  Changed made{X_12, spin};
  int c = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if ((kind.locked >> axis & 1u) != 0) {
      made.X_12.p[axis] = 0;
      continue;
    }
    if (given[c]) made.X_12.p[axis] = value[c];
    ++c;
  }
  const LockedTurns turns = lockedTurns(kind.locked);
  if (turns.count == 3) made.X_12.q = {};
  if (turns.count == 2) {
    const Vec3 f = axisVector(turns.free);
    // About f alone: what the other axes have is an error that goes.
    const double q[3] = {X_12.q.x, X_12.q.y, X_12.q.z};
    const Quat twist{f.x * q[0], f.y * q[1], f.z * q[2], X_12.q.w};
    if (given[c])
      made.X_12.q = fromAxisAngle(f, value[c]);
    else if (norm(twist) > 0.5)
      made.X_12.q = normalized(twist);
    made.spin = dot(spin, f) * f;
  }
  if (turns.count == 1) {
    const int cc = turns.locked;
    const Vec3 a = axisVector((cc + 1) % 3), b = axisVector((cc + 2) % 3);
    const Mat3 R = rotationMatrix(X_12.q);
    const int ia = (cc + 1) % 3, ib = (cc + 2) % 3;
    const double was1 = arctangent2(R(cc, ib), R(ib, ib)), was2 = arctangent2(R(ia, cc), R(ia, ia));
    const Quat one = fromAxisAngle(a, given[c] ? value[c] : was1);
    made.X_12.q = one * fromAxisAngle(b, given[c + 1] ? value[c + 1] : was2);
    const double rate1 = dot(spin, a), rate2 = dot(spin, rotate(fromAxisAngle(a, was1), b));
    made.spin = rate1 * a + rate2 * rotate(one, b);
  }
  if (turns.count == 0) {
    const Vec3 was = logarithm(X_12.q);
    Vec3 is = was;
    for (int axis = 0; axis < 3; ++axis)
      if (given[c + axis]) is[axis] = value[c + axis];
    made.X_12.q = exponential(is);
    made.spin = rateOfTurn(is) * (inverse(rateOfTurn(was)) * spin);
  }
  return made;
}

class Figure {
 public:
  Figure(const Mechanism& m, const Control& control, State& state)
      : m_(m), control_(control), state_(state) {}

  // Whether an island is a tree on which nothing else depends, and then its joints from the root outwards.
  bool grow(const Mechanism::Island& island) {
    solids_ = {m_.islandSolids.data() + island.solids.first, island.solids.count};
    links_.clear();
    joints_.clear();
    for (const Index s : solids_)
      if (m_.solids[s].pointMass) return false;
    for (Index k = island.joints.first; k < island.joints.first + island.joints.count; ++k) {
      const Index j = m_.islandJoints[k];
      const MechanismJoint& joint = m_.joints[j];
      if (control_.jointOn[j] == 0 || !isActive(m_, joint.active, state_.time)) continue;
      if (j < control_.merged.size() && control_.merged[j] != 0) return false;
      if (joint.kind->velocityCount > 0) return false;
      for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r)
        if (m_.rules[r].kind == CoordinateRule::Kind::Prescribe) return false;
      if (joint.kind->residualCount == 0) continue;  // a range holds nothing
      if (joint.kind->relates != Relates::Frames) return false;
      joints_.push_back(j);
    }
    // The ground is one more node, and the root if a joint leads there.
    const std::size_t ground = solids_.size();
    firstEdge_.assign(ground + 3, 0);
    const auto forEachEnd = [&](const auto& f) {
      for (const Index j : joints_) {
        f(nodeOf(m_.joints[j].solid1), j);
        f(nodeOf(m_.joints[j].solid2), j);
      }
    };
    forEachEnd([&](std::size_t node, Index) { ++firstEdge_[node + 2]; });
    for (std::size_t n = 2; n < firstEdge_.size(); ++n) firstEdge_[n] += firstEdge_[n - 1];
    edges_.resize(firstEdge_.back());
    forEachEnd([&](std::size_t node, Index j) { edges_[firstEdge_[node + 1]++] = j; });
    seen_.assign(ground + 1, 0);
    const std::size_t root = firstEdge_[ground + 1] > firstEdge_[ground] ? ground : 0;
    order_.assign(1, root);
    seen_[root] = 1;
    for (std::size_t next = 0; next < order_.size(); ++next)
      for (std::size_t e = firstEdge_[order_[next]]; e < firstEdge_[order_[next] + 1]; ++e) {
        const MechanismJoint& joint = m_.joints[edges_[e]];
        const std::size_t a = nodeOf(joint.solid1), b = nodeOf(joint.solid2);
        const std::size_t other = a == order_[next] ? b : a;
        if (seen_[other]) continue;
        seen_[other] = 1;
        order_.push_back(other);
        links_.push_back({edges_[e], other == a && other != ground});
      }
    // As many joints as there are links, or some of them close loops.
    return links_.size() == joints_.size();
  }

  [[nodiscard]] bool holds(Index j) const {
    return std::find(joints_.begin(), joints_.end(), j) != joints_.end();
  }

  // Values of one joint after the other, in the order of `wanted`.
  void move(std::span<const CoordinateGoal> wanted, const std::vector<std::uint8_t>& direct) {
    was_.resize(solids_.size());
    moved_.assign(solids_.size(), 0);
    for (std::size_t s = 0; s < solids_.size(); ++s) was_[s] = motionOf(solids_[s]);
    for (const Link& link : links_) {
      const MechanismJoint& joint = m_.joints[link.joint];
      double value[kMaxCoordinates] = {};
      bool given[kMaxCoordinates] = {}, any = false;
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (!direct[k] || wanted[k].joint != link.joint) continue;
        value[wanted[k].coordinate] = wanted[k].value;
        given[wanted[k].coordinate] = any = true;
      }
      const Index parent = link.backwards ? joint.solid2 : joint.solid1;
      const std::size_t at = nodeOf(parent);
      if (!any && (at == solids_.size() || !moved_[at])) continue;
      place(link, value, any ? given : nullptr);
    }
  }

 private:
  struct Link {
    Index joint;
    bool backwards;  // its child is solid1
  };
  struct Motion {
    Pose X;  // of the centre of mass
    Twist twist;
  };

  [[nodiscard]] std::size_t nodeOf(Index solid) const {
    if (solid == kWorld || m_.solids[solid].kind != SolidKind::Dynamic) return solids_.size();
    return static_cast<std::size_t>(std::lower_bound(solids_.begin(), solids_.end(), solid) -
                                    solids_.begin());
  }
  [[nodiscard]] Motion motionOf(Index solid) const {
    if (solid == kWorld) return {};
    return {{state_.position[solid], state_.orientation[solid]},
            {state_.velocity[solid], state_.spin[solid]}};
  }
  [[nodiscard]] Motion before(Index solid) const {
    const std::size_t node = nodeOf(solid);
    return node == solids_.size() ? motionOf(solid) : was_[node];
  }

  void place(const Link& link, const double* value, const bool* given) {
    const MechanismJoint& joint = m_.joints[link.joint];
    const Motion old1 = before(joint.solid1), old2 = before(joint.solid2);
    const Pose F1 = old1.X * joint.frame1, F2 = old2.X * joint.frame2;
    Pose X_12 = inverse(F1) * F2;
    const auto velocityAt = [](const Motion& motion, const Vec3& point) {
      return motion.twist.velocity + cross(motion.twist.spin, point - motion.X.p);
    };
    const Quat back = conjugate(F1.q);
    const Vec3 u = rotate(back, velocityAt(old2, F2.p) - velocityAt(old1, F2.p));
    Vec3 w = rotate(back, old2.twist.spin - old1.twist.spin);
    if (given != nullptr) {
      const Changed made = change(*joint.kind, X_12, w, value, given);
      X_12 = made.X_12;
      w = made.spin;
    }
    const Index parent = link.backwards ? joint.solid2 : joint.solid1;
    const Index child = link.backwards ? joint.solid1 : joint.solid2;
    const Motion lead = motionOf(parent);
    const Pose N1 = link.backwards ? lead.X * joint.frame2 * inverse(X_12) : lead.X * joint.frame1;
    const Vec3 origin2 = transform(N1, X_12.p);
    const double sign = link.backwards ? -1 : 1;
    Motion made;
    made.X = link.backwards ? N1 * inverse(joint.frame1) : N1 * X_12 * inverse(joint.frame2);
    made.twist.spin = lead.twist.spin + sign * rotate(N1.q, w);
    made.twist.velocity = velocityAt(lead, origin2) + sign * rotate(N1.q, u) +
                          cross(made.twist.spin, made.X.p - origin2);
    state_.position[child] = made.X.p;
    state_.orientation[child] = normalized(made.X.q);
    state_.velocity[child] = made.twist.velocity;
    state_.spin[child] = made.twist.spin;
    moved_[nodeOf(child)] = 1;
  }

  const Mechanism& m_;
  const Control& control_;
  State& state_;
  std::span<const Index> solids_;  // of the island, in ascending order
  std::vector<Index> joints_, edges_;
  std::vector<std::size_t> firstEdge_, order_;
  std::vector<std::uint8_t> seen_, moved_;
  std::vector<Link> links_;  // parents first
  std::vector<Motion> was_;
};

}  // namespace

SetReport setCoordinates(const Mechanism& m, const Control& control, const StepSettings& settings,
                         std::span<const CoordinateGoal> goals, State& state,
                         StepScratch& scratch) {
  SetReport report;
  std::vector<std::uint8_t> direct(goals.size(), 0);
  const auto known = [&](const CoordinateGoal& goal) {
    const JointKind& kind = *m.joints[goal.joint].kind;
    if (kind.locked == 0 || goal.coordinate >= static_cast<Index>(kind.freeCount)) return false;
    // Of a rotation vector the branch counts: it goes by strides.
    const bool vector = lockedTurns(kind.locked).count == 0;
    return std::isfinite(goal.value) && !(vector && std::abs(goal.value) > 1.5);
  };
  Figure figure(m, control, state);
  for (const Mechanism::Island& island : m.islands) {
    if (island.joints.count == 0) continue;
    const Index* first = m.islandJoints.data() + island.joints.first;
    const Index* last = first + island.joints.count;
    const auto isIn = [&](const CoordinateGoal& goal) {
      return *first <= goal.joint && goal.joint <= *(last - 1) &&
             std::binary_search(first, last, goal.joint);
    };
    if (std::none_of(goals.begin(), goals.end(), isIn) || !figure.grow(island)) continue;
    for (std::size_t k = 0; k < goals.size(); ++k)
      if (isIn(goals[k]) && figure.holds(goals[k].joint)) direct[k] = 1;
    // All of a joint, or none of it.
    for (const CoordinateGoal& goal : goals)
      if (isIn(goal) && !known(goal))
        for (std::size_t k = 0; k < goals.size(); ++k)
          if (goals[k].joint == goal.joint) direct[k] = 0;
    figure.move(goals, direct);
  }
  // Turns are counted, not made.
  for (std::size_t k = 0; k < goals.size(); ++k) {
    const MechanismJoint& joint = m.joints[goals[k].joint];
    if (direct[k] == 0 || !joint.kind->coordinates[goals[k].coordinate].periodic) continue;
    Index place = joint.firstMemory;
    for (Index c = 0; c < goals[k].coordinate; ++c)
      place += joint.kind->coordinates[c].periodic ? 1 : 0;
    state.memory[place] = goals[k].value;
  }
  for (std::size_t k = 0; k < goals.size(); ++k) {
    const MechanismJoint& joint = m.joints[goals[k].joint];
    if (direct[k] != 0 && joint.remembers && memoryCount(*joint.kind) > 0)
      rememberTurns(m, joint, state);
  }
  // What is left goes one by one, by strides where loops follow.
  report.reached = true;
  for (std::size_t k = 0; k < goals.size(); ++k) {
    const CoordinateGoal& goal = goals[k];
    const double now = jointValues(m, state, goal.joint).coordinate[goal.coordinate];
    SetReport one;
    one.error = std::abs(goal.value - now);
    one.reached = one.error <= std::max(settings.tolerance, 1e-15 * std::abs(goal.value));
    if (direct[k] == 0 || !one.reached)
      one = setCoordinate(m, control, settings, goal.joint, goal.coordinate, goal.value, state,
                          scratch);
    report.reached = report.reached && one.reached;
    report.error = std::max(report.error, one.error);
    report.iterations += one.iterations;
    report.strides += one.strides;
  }
  state.rest.clear();  // what sleeps is woken
  return report;
}

}  // namespace tenon
