// SceneBuilder: a scene made in code, as easily as in text.
//
//   SceneBuilder scene("Door");
//   const auto door = scene.solid("door").at({0.45, 1, 0}).box({0.9, 2, 0.04}).density(600);
//   scene.pin("hinge", scene.world, door, {0, 1, 0}, {0, 1, 0})
//       .limit("angle", 0, kPi / 2)
//       .damper("angle", 2);
//   const Result<Scene> made = scene.scene();
//
// A builder writes the text of the scene: a call is the statement of the same name, and means what
// docs/scene-language.md says. So what may be left out of a joint's frames is found as in a text, and what is wrong is
// reported by `scene` with the line it became, however and whenever it was given: an unknown kind or coordinate, a
// name that is used twice or cannot be one, a number that is not finite.
//
// Things are known by their names. A solid or joint that a call returns is a small value which knows its name and may be
// given where a name is wanted; its copies are the same solid, also when the builder has moved or is gone. Things may be
// named before they are made.
#pragma once

#include <tenon/math.h>
#include <tenon/result.h>
#include <tenon/scene.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

// The orientation of something that is turned about an axis [rad].
[[nodiscard]] Quat turned(const Vec3& axis, double angle);

// Something that is being built.
class BuiltThing {
 public:
  [[nodiscard]] const std::string& name() const;
  operator const std::string&() const { return name(); }  // NOLINT: a thing stands for its name

 protected:
  friend class SceneBuilder;
  struct Block;
  explicit BuiltThing(std::shared_ptr<Block> block) : block_(std::move(block)) {}
  std::shared_ptr<Block> block_;
};

// What is not said is as in the text: at the origin, at rest, dynamic, of density 1000.
class BuiltSolid : public BuiltThing {
 public:
  BuiltSolid& at(const Vec3& p);                     // [m]
  BuiltSolid& turn(const Vec3& axis, double angle);  // [rad]; several multiply
  BuiltSolid& orientation(const Quat& q);            // the same in full
  BuiltSolid& pose(const Pose& X);                   // both
  BuiltSolid& velocity(const Vec3& v);               // [m/s] of the centre of mass
  BuiltSolid& spin(const Vec3& w);                   // [rad/s]
  BuiltSolid& immobile();                            // never moves
  BuiltSolid& animated();                            // follows its keys, or its velocity
  BuiltSolid& key(double time, const Pose& X);       // [s] a pose on the path
  BuiltSolid& pointMass();                           // no orientation: three coordinates

  // Shapes, each where it is in the solid's frame. A density of its own, if it has one [kg/m³].
  BuiltSolid& box(const Vec3& edges, const Pose& X = {}, std::optional<double> density = {});
  BuiltSolid& sphere(double radius, const Pose& X = {}, std::optional<double> density = {});
  BuiltSolid& ellipsoid(const Vec3& axes, const Pose& X = {}, std::optional<double> density = {});
  // Along y: `length` of the straight part.
  BuiltSolid& capsule(double radius, double length, const Pose& X = {},
                      std::optional<double> density = {});
  BuiltSolid& cylinder(double radius, double height, const Pose& X = {},
                       std::optional<double> density = {});
  BuiltSolid& cone(double radius, double height, const Pose& X = {},
                   std::optional<double> density = {});
  BuiltSolid& hull(std::vector<Vec3> points, const Pose& X = {},
                   std::optional<double> density = {});
  // Closed; triangles count points from 0, counter-clockwise seen from outside.
  BuiltSolid& mesh(std::vector<Vec3> points, std::vector<std::array<std::uint32_t, 3>> triangles,
                   const Pose& X = {}, std::optional<double> density = {});
  BuiltSolid& shape(const Shape& shape);

  BuiltSolid& material(const std::string& name);
  BuiltSolid& density(double density);  // [kg/m³] of shapes that have none
  BuiltSolid& mass(double mass);        // [kg]
  BuiltSolid& com(const Vec3& p);       // [m] centre of mass
  // [kg m²] about the centre of mass, in the axes of the solid's frame.
  BuiltSolid& inertia(double xx, double yy, double zz, double xy = 0, double xz = 0, double yz = 0);
  BuiltSolid& ma(double density = 750);    // Manikin's way: mass of the bounding box [kg/m³]
  BuiltSolid& rotatability(double value);  // [1/m²] Gascuel's ability to rotate
  BuiltSolid& gravity(double factor);      // its part of gravity
  BuiltSolid& colour(const Colour& colour);
  BuiltSolid& group(const std::string& name);

 private:
  friend class SceneBuilder;
  using BuiltThing::BuiltThing;
};

// Frames: what is given for a side wins; then `at`, `axis`, `normal`, in the world; then where the other side is at the
// pose as written. The axis is the frame's i, the normal is near its j.
class BuiltJoint : public BuiltThing {
 public:
  BuiltJoint& at(const Vec3& p);              // [m] world
  BuiltJoint& axis(const Vec3& direction);    // world
  BuiltJoint& normal(const Vec3& direction);  // world
  BuiltJoint& point1(const Vec3& p);          // [m] in the first solid
  BuiltJoint& point2(const Vec3& p);          // [m] in the second
  BuiltJoint& axis1(const Vec3& direction);
  BuiltJoint& axis2(const Vec3& direction);
  BuiltJoint& normal1(const Vec3& direction);
  BuiltJoint& normal2(const Vec3& direction);
  BuiltJoint& frame1(const Pose& X);  // point and orientation
  BuiltJoint& frame2(const Pose& X);
  // Of kinds that relate four points: the other two.
  BuiltJoint& third(const std::string& solid, const Vec3& point);
  BuiltJoint& fourth(const std::string& solid, const Vec3& point);
  // Of kinds that relate coordinates: a term Σ factor · coordinate, and what the joints are counted from.
  BuiltJoint& couple(const CoupledCoordinate& term);
  BuiltJoint& carrier(const std::string& joint, const std::string& coordinate = {});
  // What the kind needs beside its frames: `option("pitch", {0.02})`.
  BuiltJoint& option(const std::string& name, const std::vector<double>& values = {});

  // Rules on a free coordinate, by its name. Infinity leaves a side open. A signal may be written as
  // `{.offset = 1}` or `{.rate = 2}`. More of a rule (weight, compliance, times): by `rule`.
  BuiltJoint& limit(const std::string& coordinate, double lower, double upper);
  BuiltJoint& spring(const std::string& coordinate, double target, double stiffness,
                     double damping = 0);
  BuiltJoint& damper(const std::string& coordinate, double damping);
  BuiltJoint& drive(const std::string& coordinate, const Signal& target, double stiffness,
                    double damping = 0, double maxForce = kInfinity);
  BuiltJoint& prescribe(const std::string& coordinate, const Signal& target);
  BuiltJoint& prefer(const std::string& coordinate, double lower, double upper, double stiffness,
                     double damping = 0, double maxForce = kInfinity);
  BuiltJoint& friction(const std::string& coordinate, double force, double coefficient = 0,
                       double radius = 0);
  BuiltJoint& armature(const std::string& coordinate, double inertia);
  BuiltJoint& rule(const CoordinateRule& rule);

  BuiltJoint& compliance(double value);  // [m/N] or [rad/(N m)] of the locked directions
  BuiltJoint& weight(double value);
  BuiltJoint& damp(double factor);     // Manikin's
  BuiltJoint& alpha(double value);     // [kg] Gascuel's
  BuiltJoint& mobility(double value);  // 0 … 1, Gascuel's
  BuiltJoint& frozen();
  BuiltJoint& merged();
  BuiltJoint& active(const Interval& when);  // several add up; none: always

 private:
  friend class SceneBuilder;
  using BuiltThing::BuiltThing;
};

class BuiltMaterial : public BuiltThing {
 public:
  BuiltMaterial& density(double density);  // [kg/m³]
  BuiltMaterial& colour(const Colour& colour);

 private:
  friend class SceneBuilder;
  using BuiltThing::BuiltThing;
};

// Of these, each kind of load takes those that its statement has; others are said to be wrong.
class BuiltLoad : public BuiltThing {
 public:
  BuiltLoad& point(const Vec3& p);          // [m] force: where it acts, in the solid
  BuiltLoad& body();                        // force, torque: the vector turns with the solid
  BuiltLoad& damping(double value);         // [N s/m] spring
  BuiltLoad& rest(double length);           // [m] spring; else as long as at the pose as written
  BuiltLoad& linear(double value);          // [N s/m] drag
  BuiltLoad& quadratic(double value);       // [N s²/m²] drag
  BuiltLoad& angular(double value);         // [N m s] drag
  BuiltLoad& active(const Interval& when);  // several add up; none: always

 private:
  friend class SceneBuilder;
  using BuiltThing::BuiltThing;
};

// What is wanted of a solid. Of these, `weight` is a goal's, the others are of what holds.
class BuiltWant : public BuiltThing {
 public:
  BuiltWant& target(const Vec3& p);       // [m] world: where it is held; else where it is
  BuiltWant& rigid();                     // holds the orientation too
  BuiltWant& orientation(const Quat& q);  // which, if not the one it has
  BuiltWant& weight(double value);
  BuiltWant& active(const Interval& when);

 private:
  friend class SceneBuilder;
  using BuiltThing::BuiltThing;
};

class BuiltFloor : public BuiltThing {
 public:
  BuiltFloor& point(const Vec3& p);  // [m]
  BuiltFloor& normal(const Vec3& direction);
  BuiltFloor& friction(double coefficient);
  BuiltFloor& stiffness(double value);  // [N/m]
  BuiltFloor& damping(double value);    // [N s/m]

 private:
  friend class SceneBuilder;
  using BuiltThing::BuiltThing;
};

// A pose of some solids, or coordinates of some joints.
class BuiltPose : public BuiltThing {
 public:
  BuiltPose& time(double t);                                   // [s]
  BuiltPose& solid(const std::string& solid, const Pose& X);   // its frame
  BuiltPose& centre(const std::string& solid, const Pose& X);  // its centre of mass
  BuiltPose& coordinate(const std::string& joint, const std::string& coordinate, double value);

 private:
  friend class SceneBuilder;
  using BuiltThing::BuiltThing;
};

class SceneBuilder {
 public:
  // Where the name of a solid is wanted.
  static constexpr const char* world = "world";

  explicit SceneBuilder(const std::string& title = {});
  ~SceneBuilder();
  SceneBuilder(SceneBuilder&&) noexcept;
  SceneBuilder& operator=(SceneBuilder&&) noexcept;

  BuiltSolid solid(const std::string& name);

  // A joint of any kind of the catalogue; its frames by the calls of BuiltJoint.
  BuiltJoint joint(const std::string& kind, const std::string& name, const std::string& solid1,
                   const std::string& solid2);
  // The usual ones, where they are in the world at the pose as written.
  BuiltJoint pin(const std::string& name, const std::string& solid1, const std::string& solid2,
                 const Vec3& at, const Vec3& axis);
  BuiltJoint ball(const std::string& name, const std::string& solid1, const std::string& solid2,
                  const Vec3& at);
  BuiltJoint prismatic(const std::string& name, const std::string& solid1,
                       const std::string& solid2, const Vec3& at, const Vec3& axis);
  BuiltJoint cylindrical(const std::string& name, const std::string& solid1,
                         const std::string& solid2, const Vec3& at, const Vec3& axis);
  // Turns about `axis` of the first solid and about `normal` of the second.
  BuiltJoint hooke(const std::string& name, const std::string& solid1, const std::string& solid2,
                   const Vec3& at, const Vec3& axis, const Vec3& normal);
  // `pitch` [m] for one turn.
  BuiltJoint screw(const std::string& name, const std::string& solid1, const std::string& solid2,
                   const Vec3& at, const Vec3& axis, double pitch);
  BuiltJoint weld(const std::string& name, const std::string& solid1, const std::string& solid2);
  // Between a point of each solid, in its frame. `length` [m]
  BuiltJoint distance(const std::string& name, const std::string& solid1, const Vec3& point1,
                      const std::string& solid2, const Vec3& point2, double length);
  BuiltJoint rope(const std::string& name, const std::string& solid1, const Vec3& point1,
                  const std::string& solid2, const Vec3& point2, double length);
  // Coordinates of other joints keep the sum of factor · coordinate.
  BuiltJoint gear(const std::string& name, const std::vector<CoupledCoordinate>& couples);

  BuiltMaterial material(const std::string& name);

  BuiltLoad force(const std::string& name, const std::string& solid, const Vec3& vector);   // [N]
  BuiltLoad torque(const std::string& name, const std::string& solid, const Vec3& vector);  // [N m]
  // On the second solid of a joint, its opposite on the first; in the axes of the first frame. [N m]
  BuiltLoad muscle(const std::string& name, const std::string& joint, const Vec3& vector);
  // Between a point of each solid, in its frame. [N/m]
  BuiltLoad spring(const std::string& name, const std::string& solid1, const Vec3& point1,
                   const std::string& solid2, const Vec3& point2, double stiffness);
  // Of the surrounding, on one solid or, without a name, on all of them.
  BuiltLoad drag(const std::string& name, const std::string& solid = {});

  // Holds a point of a solid (the statement `pin`), or pulls it to a place. [m] solid's frame
  BuiltWant hold(const std::string& name, const std::string& solid, const Vec3& point = {});
  BuiltWant goal(const std::string& name, const std::string& solid, const Vec3& point,
                 const Vec3& target);
  BuiltFloor floor(const std::string& name);
  BuiltPose pose(const std::string& name);

  void gravity(const Vec3& g);  // [m/s²]
  void damp(double factor);     // Manikin's
  void parameter(const std::string& name, double value, double lower = -kInfinity,
                 double upper = kInfinity);
  void start(const std::string& pose);  // that everything begins in
  // `at(2.5, "stop")`, `at(3, "drive", {"knee", "angle"}, {0.5})`
  void at(double time, const std::string& action, const std::vector<std::string>& names = {},
          const std::vector<double>& values = {});
  void expect(const std::string& what, const std::vector<double>& values = {});
  void settings(const Settings& settings);

  // The text so far, in the scene language.
  [[nodiscard]] std::string text() const;
  // The scene that it says, or everything that is wrong with it. A thing that may be added to further on.
  [[nodiscard]] Result<Scene> scene() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tenon
