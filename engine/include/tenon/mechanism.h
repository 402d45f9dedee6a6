// Mechanism: a scene compiled to constant, index-based, contiguous data.
// State, Control and Scratch are the other three: what moves, what is steered, what may be thrown
// away. Algorithms are free functions over the four.
#pragma once

#include <tenon/math.h>
#include <tenon/rows.h>
#include <tenon/scene.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

struct JointKind;  // joint.h

// Consecutive entries [first, first + count) of one of the mechanism's arrays.
struct Range {
  Index first = 0;
  Index count = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// A Signal with its spline solved: keys carry slopes, so that a value is one cubic.
struct CompiledSignal {
  double offset = 0, rate = 0, amplitude = 0;
  double angularFrequency = 0;  // [rad/s]
  double phase = 0;             // [rad]
  Range keys;                   // of Mechanism::signalKeys
  friend bool operator==(const CompiledSignal&, const CompiledSignal&) = default;
};
struct SignalKey {
  double time = 0, value = 0, slope = 0;
};

// A moving solid's prescribed path: seven signals (position, quaternion before normalisation), or
// none: uniform motion from the initial pose and velocity.
struct CompiledPath {
  Index solid = 0;
  bool uniform = true;
  CompiledSignal p[3], q[4];
};

struct MechanismSolid {
  SolidKind kind = SolidKind::Dynamic;
  bool pointMass = false;
  double mass = 0;          // [kg]
  double inverseMass = 0;   // [1/kg]; 0 unless dynamic
  Vec3 com;                 // [m] centre of mass in the solid's frame; 0 unless dynamic
  Mat3 inertia;             // [kg m²] about com, solid's axes
  Mat3 inverseInertia;      // 0 unless dynamic; 0 for point masses
  Pose initial;             // X_WC at time 0: origin at the centre of mass, solid's axes
  Vec3 velocity, spin;      // at time 0, world axes
  Index path = kWorld;      // of Mechanism::paths if animated
  double rotatability = 0;  // Gascuel's ability to rotate [1/m²]; 0: from mass and inertia
  double gravity = 1;  // its part of gravity: its weight is gravity · mass · Control::gravity
  // [kg m] where parts of different `gravity` are one solid: Σ gravity_i m_i (p_i - com), solid's axes. Its weight
  // then turns it, too, by gravityMoment × Control::gravity.
  Vec3 gravityMoment;
};

struct MechanismJoint {
  const JointKind* kind = nullptr;
  Index solid1 = kWorld, solid2 = kWorld;
  Pose frame1, frame2;    // in the centre-of-mass frames (X_WC above); world: X_W1
  Range options;          // of Mechanism::options
  Range points;           // of Mechanism::points, of kinds that relate points: all four
  Range terms;            // of Mechanism::terms, of kinds that relate coordinates
  Range rules;            // of Mechanism::rules
  Range active;           // of Mechanism::intervals; empty: always
  Index firstSlot = 0;    // of State::multiplier: see slotCount() of joint.h
  Index firstMemory = 0;  // of State::memory: see memoryCount() of joint.h
  bool isPin = false;  // a pin of the scene, not one of its joints: a ball or a weld to the world
  bool remembers = true;  // false: only derived angles would be counted, and nothing acts on them
  double compliance = 0;  // [m/N] or [rad/(N m)]
  double weight = 1;
  double damp = -1;       // Manikin's factor; negative: Control::damp
  double distalMass = 0;  // [kg] hanging on the far side of this joint
  double alpha = 0;       // Gascuel's α [kg]; 0: from the masses
  double mobility = -1;   // Gascuel's μ of solid1; negative: from the masses
};

struct MechanismPoint {
  Index solid = kWorld;
  Vec3 point;  // centre-of-mass frame; world: world
};

// A coordinate of a joint in the relation Σ factor c = the option `offset`.
struct MechanismTerm {
  Index joint = 0, coordinate = 0;
  double factor = 1;
};

struct MechanismRule {
  CoordinateRule::Kind kind = CoordinateRule::Kind::Limit;
  Index joint = 0;
  Index coordinate = 0;  // index into the kind's coordinates
  double lower = 0, upper = 0;
  CompiledSignal target;
  double stiffness = 0, damping = 0, maxForce = 0;
  double coefficient = 0, radius = 0;
  double inertia = 0;
  double compliance = 0, weight = 1;
  Range active;
};

struct MechanismForce {
  Index solid = 0;
  Vec3 point;   // centre-of-mass frame
  Vec3 force;   // [N]
  Vec3 torque;  // [N m]
  Axes axes = Axes::World;
  Range active;
};
struct MechanismMuscle {
  Index joint = 0;
  Vec3 torque;  // [N m] axes of frame1
  Range active;
};
struct MechanismSpring {
  Index solid1 = kWorld, solid2 = kWorld;
  Vec3 point1, point2;  // centre-of-mass frames; world: world
  double rest = 0, stiffness = 0, damping = 0;
  Range active;
};
struct MechanismDrag {
  Index solid = kWorld;  // kWorld: every dynamic solid
  double linear = 0, quadratic = 0, angular = 0;
  Range active;
};

struct Mechanism {
  std::vector<MechanismSolid> solids;
  std::vector<MechanismJoint> joints;
  std::vector<MechanismRule> rules;  // grouped by joint
  std::vector<MechanismPoint> points;
  std::vector<MechanismTerm> terms;
  std::vector<MechanismForce> forces;  // forces and torques alike
  std::vector<MechanismMuscle> muscles;
  std::vector<MechanismSpring> springs;
  std::vector<MechanismDrag> drags;
  std::vector<CompiledPath> paths;  // of animated solids
  std::vector<SignalKey> signalKeys;
  std::vector<Interval> intervals;
  std::vector<double> options;
  Index slots = 0;  // size of State::multiplier
  Vec3 gravity;     // as written; the one in force is Control::gravity
  double damp = 0;

  // Islands: dynamic solids that joints connect with each other, immobile and animated solids
  // being no connection. Solids of island i are islandSolids[range], its joints islandJoints[range].
  struct Island {
    Range solids, joints;
  };
  std::vector<Island> islands;
  std::vector<Index> islandSolids, islandJoints;
  Index loops = 0;  // joints that lock something, beyond a spanning forest of the joint graph
  // Of all that moves it: what is kept for a mechanism from step to step is kept under it. 0: nothing is.
  std::uint64_t stamp = 0;

  // Cold: for messages and files.
  std::vector<std::string> solidNames, jointNames;
  // The joints that `loops` counts: what they connect was connected by joints before them.
  std::vector<Index> loopClosers;
  std::vector<double> memory;  // State::memory at time 0
};

// Calls f(solid) for each solid that a joint's rows may touch; some more than once.
template <class F>
void forEachSolid(const Mechanism& mechanism, const MechanismJoint& joint, const F& f) {
  if (joint.solid1 != kWorld) f(joint.solid1);
  if (joint.solid2 != kWorld) f(joint.solid2);
  for (Index p = joint.points.first; p < joint.points.first + joint.points.count; ++p)
    if (mechanism.points[p].solid != kWorld) f(mechanism.points[p].solid);
  for (Index t = joint.terms.first; t < joint.terms.first + joint.terms.count; ++t)
    forEachSolid(mechanism, mechanism.joints[mechanism.terms[t].joint], f);
}

// What moves, and whatever else alters the next step.
struct State {
  double time = 0;                // [s]
  std::vector<Vec3> position;     // [m] centre of mass, world
  std::vector<Quat> orientation;  // q_WC
  std::vector<Vec3> velocity;     // [m/s] of the centre of mass, world axes
  std::vector<Vec3> spin;         // [rad/s] world axes
  // [N], [N m] the last ones by slot: loads, warm starts. The second slot of an armature is a rate: see rotorRate().
  std::vector<double> multiplier;
  std::vector<double> memory;  // turns counted, places found on curves and meshes
  // Where islands may sleep (StepSettings::Islands::sleepBelow): by solid, how long the island that it belongs to has been at rest
  // [s], infinite: it sleeps; and the gravity that it rests under. Who moves a solid by hand clears `rest`.
  std::vector<double> rest = {};
  std::vector<std::uint64_t> restIn =
      {};  // … and which island that was: one that has changed wakes
  Vec3 restGravity = {};
};

// What may be steered while running.
struct Control {
  Vec3 gravity;                       // [m/s²]
  double damp = 0;                    // Manikin's global damping factor [m²/s]
  std::vector<std::uint8_t> jointOn;  // 0: switched off, whatever its intervals say
  std::vector<double> target;         // by rule: added to the rule's target [m] or [rad]
  // By joint, empty: none. Its two solids are one for the time being: they keep their relative pose, and
  // share their momentum as in a plastic impact. Known to the method Recursive.  [ForseyWilhelms1988 §4.3]
  std::vector<std::uint8_t> merged = {};
};

// A force and a torque about the centre of mass, world axes.
struct Wrench {
  Vec3 force;   // [N]
  Vec3 torque;  // [N m]
};

// Buffers kept only to avoid allocation: throwing them away changes no bit of a result.
struct Scratch {
  Rows rows;
  std::vector<Wrench> wrenches;
};

// A hash of all that the motion depends on: Mechanism::stamp, to be made anew by who edits a mechanism.
[[nodiscard]] std::uint64_t stampOf(const Mechanism& mechanism);

[[nodiscard]] State initialState(const Mechanism& mechanism);
[[nodiscard]] Control initialControl(const Mechanism& mechanism);

// Value and two time derivatives of a signal.
struct SignalValue {
  double value = 0, rate = 0, acceleration = 0;
};
[[nodiscard]] SignalValue evaluate(const Mechanism& mechanism, const CompiledSignal& signal,
                                   double time);

// Pose, velocity and acceleration of an animated solid.
struct PathValue {
  Pose pose;
  Vec3 velocity, spin;  // [m/s], [rad/s]
  Vec3 acceleration, angularAcceleration;
};
[[nodiscard]] PathValue evaluate(const Mechanism& mechanism, const CompiledPath& path, double time);

// Puts animated solids where they are at state.time.
void followPaths(const Mechanism& mechanism, State& state);

[[nodiscard]] bool isActive(const Mechanism& mechanism, const Range& intervals, double time);

}  // namespace tenon
