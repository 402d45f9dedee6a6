// Loads over a whole step, for methods that solve for its end.
//
// A spring's force is a discrete gradient of its energy U(L), L² being a square of d: with the means
// d̄ of d and S/2 of L over the step,
//   F_2 = -k (1 - 2 L0/S) d̄ - c (d̄·Δd)/(dt |d̄|²) d̄,     S = 2 ((1 - w) L_start + w L_end),
// which for w = 1/2 does the work -ΔU, without its damper.
#include <tenon/loads.h>

#include "loads/apply.h"
#include "loads/families.h"

namespace tenon {

namespace {

constexpr double kCoincident = 1e-140;  // [m] nearer points have no line between them

// A point of a solid over the step: its mean lever, and the one at the end.
struct SteppedPoint {
  Vec3 lever, last;
  Vec3 start, end;  // [m] the point
};

SteppedPoint over(const State& start, const State& end, double weight, Index solid,
                  const Vec3& point) {
  const CarriedPoint a = carry(start, solid, point), b = carry(end, solid, point);
  return {(1 - weight) * a.lever + weight * b.lever, b.lever, a.p_WP, b.p_WP};
}

// Appends d(force at a lever)/d(end of a solid): `D` is the slope of the force by the point's move, and
// `turned` of the lever moves with the solid's own turn.
void addSlope(const Mechanism& m, Index solid, Index by, const Vec3& lever, const Vec3& last,
              const Mat3& D, const Vec3& force, double turned, std::vector<LoadSlope>& slopes) {
  if (!isDynamic(m, solid) || !isDynamic(m, by)) return;
  LoadSlope& s = slopes.emplace_back();
  s.solid = solid;
  s.by = by;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) s.slope[r][c] = D(r, c);
  const bool rowTurns = turns(m, solid), columnTurns = turns(m, by);
  if (!rowTurns && !columnTurns) return;
  const Mat3 DL = -1.0 * (D * skew(last));  // δθ moves the point by δθ × lever
  const Mat3 LD = skew(lever) * D;
  Mat3 LDL = skew(lever) * DL;
  // (δθ × r) × f = r (f·δθ) - (r·f) δθ
  if (solid == by) LDL += turned * (outer(last, force) - dot(last, force) * identity3());
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      if (columnTurns) s.slope[r][3 + c] = DL(r, c);
      if (rowTurns) s.slope[3 + r][c] = LD(r, c);
      if (rowTurns && columnTurns) s.slope[3 + r][3 + c] = LDL(r, c);
    }
}

void addSteppedSprings(const Mechanism& m, const State& start, const State& at, const State& end,
                       double dt, double weight, std::vector<Wrench>& wrenches,
                       std::vector<LoadSlope>& slopes) {
  for (const MechanismSpring& spring : m.springs) {
    if (!isActive(m, spring.active, at.time)) continue;
    const SteppedPoint p1 = over(start, end, weight, spring.solid1, spring.point1);
    const SteppedPoint p2 = over(start, end, weight, spring.solid2, spring.point2);
    const Vec3 d0 = p2.start - p1.start, d1 = p2.end - p1.end;
    const Vec3 d = (1 - weight) * d0 + weight * d1;
    const double L1 = norm(d1), S = 2 * ((1 - weight) * norm(d0) + weight * L1);
    const double square = dot(d, d);
    if (L1 < kCoincident || S < kCoincident || square < kCoincident) continue;
    const double factor = spring.stiffness * (1 - 2 * spring.rest / S);
    const double resist = spring.damping / (dt * square);  // times d̄ d̄ᵀ Δd
    const Vec3 force = (-factor - resist * dot(d, d1 - d0)) * d;
    applyForce(m, spring.solid2, p2.lever, force, wrenches);
    applyForce(m, spring.solid1, p1.lever, -force, wrenches);
    // dF_2/dd1; that of the damper without its change of direction.
    const Mat3 D = (-weight * factor) * identity3() -
                   (4 * weight * spring.stiffness * spring.rest / (S * S * L1)) * outer(d, d1) -
                   resist * outer(d, d);
    const Mat3 minus = -1.0 * D;
    addSlope(m, spring.solid2, spring.solid2, p2.lever, p2.last, D, force, weight, slopes);
    addSlope(m, spring.solid1, spring.solid1, p1.lever, p1.last, D, -force, weight, slopes);
    addSlope(m, spring.solid2, spring.solid1, p2.lever, p1.last, minus, force, 0, slopes);
    addSlope(m, spring.solid1, spring.solid2, p1.lever, p2.last, minus, force, 0, slopes);
  }
}

// The moment of a weight, by its mean over the step: with Cayley's θ, R_1 - R_0 = [θ]ₓ (R_0 + R_1)/2, so its work
// θ · (mean R b) × g is g · (R_1 b - R_0 b).
void addSteppedMoments(const Mechanism& m, const Control& control, const State& start,
                       const State& end, double weight, std::vector<Wrench>& wrenches,
                       std::vector<LoadSlope>& slopes) {
  for (Index s = 0; s < m.solids.size(); ++s) {
    const Vec3& moment = m.solids[s].gravityMoment;
    if (moment == Vec3{} || !turns(m, s)) continue;
    const SteppedPoint b = over(start, end, weight, s, moment);
    applyTorque(m, s, cross(b.lever, control.gravity), wrenches);
    addSlope(m, s, s, b.lever, b.last, Mat3{}, control.gravity, weight, slopes);
  }
}

// Forces and torques act at the poses of `at`. Halfway a solid turns by ½ (1 - [θ]ₓ/4) δ where it turns by δ at the
// end of a turn θ, but for θ².
void addForceSlopes(const Mechanism& m, const State& at, double dt, double weight,
                    std::vector<LoadSlope>& slopes) {
  for (const MechanismForce& load : m.forces) {
    if (!turns(m, load.solid) || !isActive(m, load.active, at.time)) continue;
    const Quat& q = at.orientation[load.solid];
    const bool body = load.axes == Axes::Body;
    const Vec3 lever = rotate(q, load.point), force = body ? rotate(q, load.force) : load.force;
    // (δθ × r) × f = r (f·δθ) - (r·f) δθ; what turns with the solid changes by δθ × itself.
    const Vec3 turned = body ? cross(lever, force) + rotate(q, load.torque) : Vec3{};
    const Mat3 follows =
        weight < 1 ? weight * (identity3() - (0.25 * dt) * skew(at.spin[load.solid])) : identity3();
    const Mat3 torques =
        (body ? -1.0 * skew(turned) : outer(lever, force) - dot(lever, force) * identity3()) *
        follows;
    const Mat3 forces = body ? -1.0 * (skew(force) * follows) : Mat3{};
    LoadSlope& s = slopes.emplace_back();
    s.solid = s.by = load.solid;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        s.slope[r][3 + c] = forces(r, c);
        s.slope[3 + r][3 + c] = torques(r, c);
      }
  }
}

// How the vector t of a turn, 2 tan(φ/2) n over a step and φ n at its end, changes with a turn at the end.
Mat3 slopeOfTurn(const Vec3& t, double weight) {
  const Mat3 T = skew(t);
  return identity3() - 0.5 * T + (weight < 1 ? 0.25 * outer(t, t) : (1.0 / 12) * (T * T));
}

// Resistance grows with the mean velocity, that is, with the displacement over dt.
void addResistance(const Mechanism& m, Index solid, Index by, const Mat3& linear, double angular,
                   const State& at, double dt, double weight, std::vector<LoadSlope>& slopes) {
  if (!isDynamic(m, solid) || !isDynamic(m, by)) return;
  LoadSlope& s = slopes.emplace_back();
  s.solid = solid;
  s.by = by;
  const bool spins = angular != 0 && turns(m, solid) && turns(m, by);
  const Mat3 D = spins ? slopeOfTurn(dt * at.spin[by], weight) : Mat3{};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      s.slope[r][c] = -linear(r, c) / dt;
      s.slope[3 + r][3 + c] = -angular * D(r, c) / dt;
    }
}

void addDragSlopes(const Mechanism& m, const State& at, double dt, double weight,
                   std::vector<LoadSlope>& slopes) {
  for (const MechanismDrag& drag : m.drags) {
    if (!isActive(m, drag.active, at.time)) continue;
    const auto one = [&](Index s) {
      const Vec3& v = at.velocity[s];
      const double speed = norm(v);
      Mat3 linear = (drag.linear + drag.quadratic * speed) * identity3();
      if (speed > 0) linear += (drag.quadratic / speed) * outer(v, v);
      addResistance(m, s, s, linear, drag.angular, at, dt, weight, slopes);
    };
    if (drag.solid != kWorld)
      one(drag.solid);
    else
      for (Index s = 0; s < m.solids.size(); ++s) one(s);
  }
}

void addDampingSlopes(const Mechanism& m, const Control& control, const State& at, double dt,
                      double weight, std::vector<LoadSlope>& slopes) {
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    const double factor =
        (joint.damp >= 0 ? joint.damp : control.damp) * joint.distalMass;  // [N m s]
    if (factor == 0 || !transmitsTorque(m, control, at, j)) continue;
    addResistance(m, joint.solid2, joint.solid2, {}, factor, at, dt, weight, slopes);
    addResistance(m, joint.solid1, joint.solid1, {}, factor, at, dt, weight, slopes);
    addResistance(m, joint.solid1, joint.solid2, {}, -factor, at, dt, weight, slopes);
    addResistance(m, joint.solid2, joint.solid1, {}, -factor, at, dt, weight, slopes);
  }
}

}  // namespace

void gatherStepLoads(const Mechanism& m, const Control& control, const State& start,
                     const State& at, const State& end, double dt, double weight,
                     std::vector<Wrench>& wrenches, std::vector<LoadSlope>& slopes) {
  wrenches.assign(m.solids.size(), Wrench{});
  addWeight(m, control, wrenches);
  addSteppedMoments(m, control, start, end, weight, wrenches, slopes);
  addForces(m, at, wrenches);
  addMuscles(m, control, at, wrenches);
  addDrag(m, at, wrenches);
  addDamping(m, control, at, wrenches);
  addSteppedSprings(m, start, at, end, dt, weight, wrenches, slopes);
  addForceSlopes(m, at, dt, weight, slopes);
  addDragSlopes(m, at, dt, weight, slopes);
  addDampingSlopes(m, control, at, dt, weight, slopes);
}

}  // namespace tenon
