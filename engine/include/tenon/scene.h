// Scene: what somebody authored. Everything has a name and the place in the text it came from.
//
// Things refer to each other by name; `compile` (compile.h) resolves the names and lists every
// problem. Units are SI: metres, kilograms, seconds, radians. The world is y-up by convention only.
#pragma once

#include <tenon/math.h>
#include <tenon/result.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Something holds from `begin` to `end`; a list of intervals that is empty means always.
struct Interval {
  double begin = 0;        // [s]
  double end = kInfinity;  // [s]
  friend bool operator==(const Interval&, const Interval&) = default;
};

// A number that varies with time:
//   s(t) = offset + rate·t + amplitude·sin(2π·frequency·t + phase) + spline through the keys.
// C² in time, except at the ends of the keys, where it is C¹.
struct Signal {
  struct Key {
    double time = 0;  // [s]
    double value = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  double offset = 0;
  double rate = 0;  // [1/s]
  double amplitude = 0;
  double frequency = 0;     // [Hz]
  double phase = 0;         // [rad]
  std::vector<Key> keys{};  // times strictly increasing; at least two, or none
  friend bool operator==(const Signal&, const Signal&) = default;
};

// ---------------------------------------------------------------------------------------- solids

enum class ShapeKind : std::uint8_t {
  Box,        // size: full edge lengths
  Sphere,     // size.x: radius
  Ellipsoid,  // size: semi-axes
  Capsule,    // size.x: radius, size.y: length of the straight part, along y
  Cylinder,   // size.x: radius, size.y: height, along y
  Cone,       // size.x: radius of the base, size.y: height; base at -height/2, apex at +height/2, y
  Hull,       // points: convex hull of them
  Mesh,       // points and triangles: closed, counter-clockwise seen from outside
};

struct Shape {
  ShapeKind kind = ShapeKind::Box;
  Vec3 size;                 // [m], see ShapeKind
  Pose pose;                 // in the solid's frame
  std::vector<Vec3> points;  // [m], shape frame
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::optional<double> density;  // [kg/m³]; default: the solid's
  Place place;
};

struct Colour {
  double r = 0.7, g = 0.7, b = 0.7;  // 0 … 1, sRGB
  friend bool operator==(const Colour&, const Colour&) = default;
};

struct Material {
  std::string name;
  std::optional<double> density;  // [kg/m³]
  std::optional<Colour> colour;
  Place place;
};

// Gascuel's three kernels.                                                   [Gascuel1994 §5.1]
enum class SolidKind : std::uint8_t { Dynamic, Immobile, Animated };

// One key of an animated solid's path. Positions by a cubic spline; orientations by a cubic spline
// of quaternion components, normalised.
struct PathKey {
  double time = 0;  // [s]
  Pose pose;        // of the solid's frame in the world
  friend bool operator==(const PathKey&, const PathKey&) = default;
};

struct Solid {
  std::string name;  // full path: `tom.left-hand`
  SolidKind kind = SolidKind::Dynamic;
  bool pointMass = false;     // no orientation, no inertia: three coordinates
  Pose pose;                  // X_WS of the solid's frame at time 0
  Vec3 velocity;              // [m/s] of the centre of mass, world axes
  Vec3 spin;                  // [rad/s] world axes
  std::vector<PathKey> path;  // animated only; empty: moves on with `velocity` and `spin`

  std::vector<Shape> shapes;
  std::string material;           // name, or empty
  std::optional<double> density;  // [kg/m³] default of the shapes; without a material: 1000
  // Given mass data win over those computed from shapes. A mass alone scales the shapes' density.
  std::optional<double> mass;   // [kg]
  std::optional<Vec3> com;      // [m] centre of mass, solid's frame
  std::optional<Mat3> inertia;  // [kg m²] about the centre of mass, solid's axes
  // Manikin's `ma`: bounding box of the shapes × this density.     [ForseyWilhelms1988 §4.1]
  std::optional<double> boxDensity;  // [kg/m³]
  // Gascuel's ability to rotate, in place of m J⁻¹.                    [Gascuel1994 §3.1.4]
  std::optional<double> rotatability;  // [1/m²]
  double gravity = 1;                  // its part of gravity: 0: weightless, negative: it rises

  std::optional<Colour> colour;
  std::vector<std::string> groups;
  Place place;
  bool shared = false;  // its text made other solids too (repetition, figure): edit by override
};

// ---------------------------------------------------------------------------------------- joints

// A rule on one of a joint's free coordinates, e.g. `angle` of a pin.
struct CoordinateRule {
  enum class Kind : std::uint8_t {
    Limit,      // lower <= c <= upper
    Spring,     // force = -stiffness (c - target) - damping ċ
    Damper,     // force = -damping ċ
    Drive,      // a spring and damper towards target(t) with at most maxForce
    Prescribe,  // c = target(t) exactly
    Prefer,     // a range that yields: outside of it a spring and damper, with at most maxForce
    Friction,   // resists ċ with at most maxForce + coefficient (· radius) · the joint's load
    Armature,  // a rotor that turns with c: the kinetic energy ½ inertia ċ², force = -inertia c̈
  };
  Kind kind = Kind::Limit;
  std::string coordinate;
  double lower = -kInfinity, upper = kInfinity;  // Limit, Prefer [m] or [rad]
  Signal target;                                 // Spring, Drive, Prescribe [m] or [rad]
  double stiffness = 0;                          // [N/m] or [N m/rad]
  double damping = 0;                            // [N s/m] or [N m s/rad]
  double maxForce = kInfinity;                   // Drive, Prefer, Friction [N] or [N m]
  double coefficient = 0;                        // Friction
  double radius = 0;                             // Friction of an angle: of the bearing [m]
  double inertia = 0;                            // Armature [kg] or [kg m²]
  double compliance = 0;  // Limit, Prescribe: yields by this [m/N] or [rad/(N m)]
  double weight = 1;      // importance where not all can be met
  std::vector<Interval> active;
  Place place;
};

// A number or several that a joint kind needs beside its frames: `pitch 0.02`, `length 1`.
struct JointOption {
  std::string name;
  std::vector<double> values;
  Place place;
  friend bool operator==(const JointOption& a, const JointOption& b) {
    return a.name == b.name && a.values == b.values;
  }
};

// A term of a relation between coordinates of joints.
struct CoupledCoordinate {
  std::string joint;
  std::string coordinate;  // empty: the first that is an angle, else the first
  double factor = 1;
  Place place;
  friend bool operator==(const CoupledCoordinate& a, const CoupledCoordinate& b) {
    return a.joint == b.joint && a.coordinate == b.coordinate && a.factor == b.factor;
  }
};

// A point of one more solid, for relations of four points.
struct JointPoint {
  std::string solid;  // empty: the world
  Vec3 point;         // [m] solid's frame
  Place place;
  friend bool operator==(const JointPoint& a, const JointPoint& b) {
    return a.solid == b.solid && a.point == b.point;
  }
};

struct Joint {
  std::string name;
  std::string kind;              // of the catalogue: "pin"
  std::string solid1, solid2;    // empty: the world
  Pose frame1, frame2;           // in the frames of solid1 and solid2; x is the joint's main axis i
  std::vector<JointPoint> more;  // third and fourth solid, of kinds that relate points
  std::vector<CoupledCoordinate> couples;    // of kinds that relate coordinates: Σ factor c
  std::optional<CoupledCoordinate> carrier;  // what the others are counted from; factor unused
  std::vector<JointOption> options;
  std::vector<CoordinateRule> rules;
  // Gascuel's parameters of a constraint; unset: from the masses.     [Gascuel1994 §3.1.2, §3.1.4]
  std::optional<double> alpha;     // [kg] speed of convergence α
  std::optional<double> mobility;  // ability of solid1 to move relative to solid2, μ in (0, 1)
  double compliance = 0;           // of the locked directions [m/N] or [rad/(N m)]
  double weight = 1;               // importance where not all can be met
  std::optional<double> damp;      // Manikin's damping factor for this joint; default: the scene's
  // Its two solids are one, in the relative pose of the start; merged: and are shown as one.
  bool frozen = false, merged = false;
  std::vector<Interval> active;
  Place place, place1, place2, kindPlace;  // the block; the words naming solid1, solid2, kind
  bool shared = false;
};

// ----------------------------------------------------------------------------------------- loads

enum class Axes : std::uint8_t { World, Body };

struct Force {
  std::string name, solid;
  Vec3 point;   // [m] solid's frame
  Vec3 vector;  // [N]
  Axes axes = Axes::World;
  std::vector<Interval> active;
  Place place;
};

struct Torque {
  std::string name, solid;
  Vec3 vector;  // [N m]
  Axes axes = Axes::World;
  std::vector<Interval> active;
  Place place;
};

// Internal torque: equal and opposite on the two solids of a joint.  [ForseyWilhelms1988 §4.4]
struct Muscle {
  std::string name, joint;
  Vec3 vector;  // [N m] axes of the joint's first frame; acts on solid2, its opposite on solid1
  std::vector<Interval> active;
  Place place;
};

// Spring and damper between two points; an empty name is the world.
struct Spring {
  std::string name, solid1, solid2;
  Vec3 point1, point2;         // [m] solid frames
  std::optional<double> rest;  // [m]; default: the length at the pose as written
  double stiffness = 0;        // [N/m]
  double damping = 0;          // [N s/m]
  std::vector<Interval> active;
  Place place;
};

// Resistance of the surrounding: F = -(linear + quadratic |v|) v, T = -angular ω.
struct Drag {
  std::string name, solid;  // solid empty: every dynamic solid
  double linear = 0;        // [N s/m]
  double quadratic = 0;     // [N s²/m²]
  double angular = 0;       // [N m s]
  std::vector<Interval> active;
  Place place;
};

// ------------------------------------------------------- posing, time, judgement; used by tools

struct Pin {  // holds a point (or, if `rigid`, the whole solid) where it is
  std::string name, solid;
  Vec3 point;                  // [m] solid's frame
  std::optional<Vec3> target;  // [m] world; default: where the point is
  bool rigid = false;
  std::optional<Quat> orientation;  // of a rigid one; default: as the solid is turned
  std::vector<Interval> active;
  Place place;
};

struct Goal {  // pulls a point of a solid towards a place
  std::string name, solid;
  Vec3 point;   // [m] solid's frame
  Vec3 target;  // [m] world
  double weight = 1;
  std::vector<Interval> active;
  Place place;
};

struct Floor {
  std::string name;
  Vec3 point;            // [m] world
  Vec3 normal{0, 1, 0};  // unit, world
  double friction = 0.5;
  double stiffness = 0;  // [N/m]; 0: hard
  double damping = 0;    // [N s/m]
  Place place;
};

struct KeyPose {
  struct SolidPose {
    std::string solid;
    Pose pose;
    bool centre = false;  // the place is that of the centre of mass, not of the solid's frame
    Place place;
  };
  struct CoordinateValue {
    std::string joint, coordinate;
    double value = 0;
    Place place;
  };
  std::string name;
  std::optional<double> time;  // [s]
  std::vector<SolidPose> solids;
  std::vector<CoordinateValue> coordinates;
  Place place;
};

struct Event {         // `at 2.5 stop;`
  double time = 0;     // [s]
  std::string action;  // stop, finish, gravity, damp, activate, deactivate, merge, freeze, drive
  std::vector<std::string> names;  // what it acts on
  std::vector<double> values;
  Place place;
};

struct Expectation {  // `expect assembled 1e-8;`
  std::string what;
  std::vector<double> values;
  Place place;
};

struct Parameter {  // `param links 10 min 1 max 1000;`
  std::string name;
  double value = 0;  // the one in use
  double lower = -kInfinity, upper = kInfinity;
  Place place;
};

struct Settings {  // what is not given is the method's own default
  struct Given {
    std::string name;   // as in tenon/setting_list.h
    double number = 0;  // SI; of a switch 0 or 1
    std::string word;   // of a choice, and of a switch "on" or "off"
    Place place;
  };
  std::vector<Given> given;  // in the order of the text, each name once
  Place place;

  // For scenes made in code: a number (SI), or a word, which for a switch is "on" or "off". Each name once.
  Settings& set(std::string_view name, double number) {
    given.push_back({std::string(name), number, {}, {}});
    return *this;
  }
  Settings& set(std::string_view name, std::string_view word) {
    given.push_back({std::string(name), word == "on" ? 1.0 : 0.0, std::string(word), {}});
    return *this;
  }
  [[nodiscard]] const Given* find(std::string_view name) const {
    for (const Given& one : given)
      if (one.name == name) return &one;
    return nullptr;
  }
  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const Given* one = find(name);
    return one == nullptr ? std::nullopt : std::optional<double>(one->number);
  }
};

struct SourceFile {
  std::string name;  // as in messages
  std::string text;
  int version = 0;  // of the language, as the text says; 0: it does not say, which means 1
};

struct Scene {
  std::vector<SourceFile> files;  // what Place::file counts; files[0] is the scene itself
  std::string title;
  Vec3 gravity{0, -9.81, 0};  // [m/s²]
  double damp = 0;            // Manikin's global damping factor [m²/s]
  std::vector<Parameter> parameters;
  std::vector<Material> materials;
  std::vector<Solid> solids;
  std::vector<Joint> joints;
  std::vector<Force> forces;
  std::vector<Torque> torques;
  std::vector<Muscle> muscles;
  std::vector<Spring> springs;
  std::vector<Drag> drags;
  std::vector<Pin> pins;
  std::vector<Goal> goals;
  std::vector<Floor> floors;
  std::vector<KeyPose> keyPoses;
  std::string start;  // the pose that everything begins in; empty: as the solids are written
  Place startPlace;
  std::vector<Event> events;
  std::vector<Expectation> expectations;
  Settings settings;
};

// A problem at a place of the scene's texts, with file, line, column and the line itself.
[[nodiscard]] Problem problemAt(const std::vector<SourceFile>& files, const Place& place,
                                Severity severity, std::string what, std::string remedy = {});

// Nearest of `candidates` to a misspelt `word`, or empty if none is near.
[[nodiscard]] std::string nearestWord(const std::string& word,
                                      const std::vector<std::string>& candidates);

}  // namespace tenon
