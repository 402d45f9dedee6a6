// Joints that the packed kernels know: lower pairs, in steps with loops such that hold a point together. Their locked turns
// are rows u · w = 0, u of frame 1 and w of frame 2.
#pragma once

#include <tenon/mechanism.h>

#include <algorithm>

#include "joints/joint_math.h"
#include "joints/lift.h"
#include "math/rotation.h"

namespace tenon::packed {

struct LockedAxes {
  std::uint8_t count = 0;
  std::uint8_t axis = 0;  // of frame 1: the one that is locked of one, free of two
};
inline LockedAxes lockedAxes(const MechanismJoint& joint) {
  const LockedTurns turns = lockedTurns(joint.kind->locked);
  const int axis = turns.count == 2 ? turns.free : turns.count == 1 ? turns.locked : 0;
  return {static_cast<std::uint8_t>(turns.count), static_cast<std::uint8_t>(axis)};
}

inline bool isGround(const Mechanism& mechanism, Index solid) {
  return solid == kWorld || mechanism.solids[solid].kind != SolidKind::Dynamic;
}

// Whether a lower pair locks displacements along an axis of frame 1, and along how many it does.
inline bool locksMove(const MechanismJoint& joint, int axis) {
  return (joint.kind->locked >> axis & 1u) != 0;
}
inline int heldMoves(const MechanismJoint& joint) {
  return locksMove(joint, 0) + locksMove(joint, 1) + locksMove(joint, 2);
}

// Axes of frame 1 along which a lower pair slides, a bit each.
inline std::uint8_t slidesOf(const MechanismJoint& joint) {
  return static_cast<std::uint8_t>(~joint.kind->locked & 7u);
}

// Nodes that a joint has in a figure with loops: its locked moves, how far it slides, its locked turns.
inline int nodesOf(const MechanismJoint& joint) {
  const int held = heldMoves(joint);
  return (held > 0 ? 1 : 0) + (held > 0 && held < 3 ? 1 : 0) +
         (lockedAxes(joint).count > 0 ? 1 : 0);
}

// u and w of row k, in axes of solid1 and solid2.
struct AxisPair {
  Vec3 u, w;
};
inline AxisPair axisPair(const MechanismJoint& joint, const LockedAxes& locked, int k) {
  int u = k, w = (k + 1) % 3;
  if (locked.count == 1) {
    u = (locked.axis + 1) % 3;
    w = (locked.axis + 2) % 3;
  } else if (locked.count == 2) {
    u = (locked.axis + 1 + k) % 3;
    w = locked.axis;
  }
  return {rotationMatrix(joint.frame1.q).column(u), rotationMatrix(joint.frame2.q).column(w)};
}

// A point of one solid at a point of the other.
inline bool holdsPoint(const MechanismJoint& joint) {
  return joint.kind->relates == Relates::Frames && heldMoves(joint) == 3;
}
// The same, or one that leaves some of these displacements free.
inline bool isLowerPair(const MechanismJoint& joint) {
  return joint.kind->relates == Relates::Frames && joint.kind->locked != 0;
}
// A solid of it follows a path.
inline bool isLed(const Mechanism& mechanism, const MechanismJoint& joint) {
  const auto leads = [&](Index s) {
    return s != kWorld && mechanism.solids[s].kind == SolidKind::Animated;
  };
  return joint.kind->relates == Relates::Frames && (leads(joint.solid1) || leads(joint.solid2));
}
// Nothing but hard limits on its coordinates.
inline bool hasOnlyLimits(const Mechanism& mechanism, const MechanismJoint& joint) {
  const MechanismRule* rule = mechanism.rules.data() + joint.rules.first;
  return std::all_of(rule, rule + joint.rules.count, isHardLimit);
}
// Rules that trees know: on the angle of a pin and on all coordinates of a ball. Rules that come and go, friction that
// grows with a load, what is prescribed and yields, rotors on balls, and a prescribed swing, which has no direction at the
// tip of its cone, are for rows.
inline bool isTreeRule(const MechanismRule& rule, int locked) {
  using Kind = CoordinateRule::Kind;
  constexpr Index kSwingOfBall = 3;
  if (rule.active.count > 0 || (rule.kind == Kind::Friction && rule.coefficient > 0) ||
      (rule.kind == Kind::Prescribe && rule.compliance > 0))
    return false;
  if (locked == 0 && (rule.kind == Kind::Armature ||
                      (rule.kind == Kind::Prescribe && rule.coordinate == kSwingOfBall)))
    return false;
  return locked == 0 || locked == 2;
}
// Rules of what slides: on how far it does. A limit there only counts while it is not reached.
inline bool isSlideRule(const MechanismJoint& joint, const MechanismRule& rule) {
  using Kind = CoordinateRule::Kind;
  return rule.coordinate < static_cast<Index>(3 - heldMoves(joint)) && rule.active.count == 0 &&
         rule.kind != Kind::Friction && rule.kind != Kind::Prescribe && rule.kind != Kind::Armature;
}
inline bool hasTreeRules(const Mechanism& mechanism, const MechanismJoint& joint) {
  const MechanismRule* rule = mechanism.rules.data() + joint.rules.first;
  if (isLowerPair(joint) && !holdsPoint(joint))
    return !hasOnlyLimits(mechanism, joint) &&
           std::all_of(rule, rule + joint.rules.count,
                       [&](const MechanismRule& r) { return isSlideRule(joint, r); });
  const int locked = lockedAxes(joint).count;
  return holdsPoint(joint) && joint.rules.count > 0 &&
         std::all_of(rule, rule + joint.rules.count,
                     [&](const MechanismRule& r) { return isTreeRule(r, locked); });
}
// Whether the kernel of trees counts the turns of a joint with such rules: the angle of a pin, or the twist of a ball, is
// what one of them is about.
inline bool countsTurns(const Mechanism& mechanism, const MechanismJoint& joint) {
  constexpr Index kTwistOfBall = 4;
  const MechanismRule* rule = mechanism.rules.data() + joint.rules.first;
  return joint.remembers &&
         (lockedAxes(joint).count > 0 ||
          std::any_of(rule, rule + joint.rules.count,
                      [](const MechanismRule& r) { return r.coordinate == kTwistOfBall; }));
}
// A ball that gives, between the ground and a solid: a hand. To a tree it is a spring.
inline bool isTie(const Mechanism& mechanism, const MechanismJoint& joint) {
  return joint.compliance > 0 && joint.rules.count == 0 && holdsPoint(joint) &&
         lockedAxes(joint).count == 0 && isGround(mechanism, joint.solid1) &&
         !isGround(mechanism, joint.solid2) && joint.active.count == 0;
}
// A rod or a rope between two points: to a tree it is a link. A rope is nothing but the upper bound of its length.
inline bool isRod(const MechanismJoint& joint) { return joint.kind->residualIsLength; }
inline bool isRope(const Mechanism& mechanism, const MechanismJoint& joint) {
  if (joint.rules.count != 1 || joint.kind->relates != Relates::Frames || joint.kind->locked != 0 ||
      ownSlots(*joint.kind) != 0)
    return false;
  const MechanismRule& rule = mechanism.rules[joint.rules.first];
  return joint.kind->coordinates[rule.coordinate].measure == JointKind::Measure::Length &&
         isHardLimit(rule) && rule.lower <= 0 && rule.active.count == 0;
}
inline double linkLength(const Mechanism& mechanism, const MechanismJoint& joint) {
  return isRod(joint) ? mechanism.options[joint.options.first]
                      : mechanism.rules[joint.rules.first].upper;
}
inline bool isLink(const Mechanism& mechanism, const MechanismJoint& joint) {
  constexpr double kShortest = 1e-3;  // [m] a shorter one has no direction to rely on
  return (isRod(joint) ? joint.rules.count == 0 : isRope(mechanism, joint)) &&
         joint.compliance == 0 && joint.active.count == 0 &&
         linkLength(mechanism, joint) >= kShortest && joint.solid1 != joint.solid2 &&
         !isLed(mechanism, joint);
}
inline bool isPoint(const Mechanism& mechanism, Index solid) {
  return solid != kWorld && mechanism.solids[solid].pointMass;
}
// Whether one of its solids is a point mass, which does not turn.
inline bool holdsPointMass(const Mechanism& mechanism, const MechanismJoint& joint) {
  return joint.kind->relates == Relates::Frames &&
         (isPoint(mechanism, joint.solid1) || isPoint(mechanism, joint.solid2));
}
// … and only its place matters: all that the joint does acts there. Axes along which something slides are those of a solid.
inline bool holdsPointMassAlone(const Mechanism& mechanism, const MechanismJoint& joint) {
  const bool one = isPoint(mechanism, joint.solid1), two = isPoint(mechanism, joint.solid2);
  return (holdsPoint(joint) ? joint.rules.count == 0 : !one) &&
         (!one || joint.frame1.p == Vec3{}) && (!two || joint.frame2.p == Vec3{});
}
// [m²/s] of a joint, Control::damp being given.
inline double dampOf(const Mechanism& mechanism, const MechanismJoint& joint, double damp) {
  if (holdsPointMass(mechanism, joint)) return 0;
  return joint.damp >= 0 ? joint.damp : damp;
}
// The same for posing, which does not mind what springs, drives and friction do. Limits and relations of coordinates are for
// the caller. What yields goes by rows.
inline bool isPosable(const Mechanism& mechanism, const MechanismJoint& joint) {
  if (joint.active.count > 0 || joint.compliance > 0) return false;
  if (joint.kind->relates == Relates::Coordinates) return true;
  if (joint.kind->relates != Relates::Frames || joint.kind->locked == 0) return false;
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r) {
    const MechanismRule& rule = mechanism.rules[r];
    if (rule.kind == CoordinateRule::Kind::Prescribe || rule.kind == CoordinateRule::Kind::Prefer ||
        (rule.kind == CoordinateRule::Kind::Limit && !isHardLimit(rule)))
      return false;
  }
  return true;
}

// Joints that are `so`, and solids that turn.
template <class So>
bool areAll(const Mechanism& mechanism, const So& so) {
  for (const MechanismJoint& joint : mechanism.joints)
    if (!so(joint) || (joint.kind->relates != Relates::Coordinates &&
                       isGround(mechanism, joint.solid1) && isGround(mechanism, joint.solid2)))
      return false;
  for (const MechanismSolid& solid : mechanism.solids)
    if (solid.kind == SolidKind::Dynamic && solid.pointMass) return false;
  return true;
}
inline bool isPosable(const Mechanism& mechanism) {
  return areAll(mechanism,
                [&](const MechanismJoint& joint) { return isPosable(mechanism, joint); });
}
// All joints on, none merged.
inline bool isUntouched(const Control& control) {
  for (const std::uint8_t on : control.jointOn)
    if (on == 0) return false;
  for (const std::uint8_t merged : control.merged)
    if (merged != 0) return false;
  return true;
}

}  // namespace tenon::packed
