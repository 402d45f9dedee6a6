// A scene made in code: statements are written as text, block by block, and read as any text is.
#include <tenon/builder.h>
#include <tenon/language.h>

#include "files/printer.h"
#include "math/rotation.h"
#include "model/problem.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tenon {

using files::Printer;

struct BuiltThing::Block {
  std::string word, name;  // "solid", "door"
  std::string text;        // its lines so far, but for the last: `end`

  [[nodiscard]] Printer more() { return Printer(text, true); }
};

struct SceneBuilder::Impl {
  std::string top;       // statements of the scene itself
  std::string settings;  // a block that has no name
  std::vector<std::shared_ptr<BuiltThing::Block>> blocks;

  // A block, opened: `words` are its kind, if such blocks have kinds, and its name.
  std::shared_ptr<BuiltThing::Block> open(std::string_view word,
                                          std::initializer_list<std::string_view> words) {
    auto block = std::make_shared<BuiltThing::Block>();
    block->word = word;
    if (words.size() > 0) block->name = *(words.end() - 1);
    Printer(block->text).open(word, words);
    return blocks.emplace_back(std::move(block));
  }

  template <class F>
  std::string written(F eachBlock) const {
    std::string text = top;
    if (!text.empty() && !settings.empty()) text += '\n';
    text += settings;
    for (const auto& block : blocks) {
      if (!text.empty()) text += '\n';
      eachBlock(*block, text);
      (text += block->text) += "end\n";
    }
    return text;
  }
};

namespace {

Shape shapeOf(ShapeKind kind, const Vec3& size, const Pose& X, std::optional<double> density) {
  Shape shape;
  shape.kind = kind;
  shape.size = size;
  shape.pose = X;
  shape.density = density;
  return shape;
}

CoordinateRule ruleOn(const std::string& coordinate, CoordinateRule::Kind kind) {
  CoordinateRule rule;
  rule.kind = kind;
  rule.coordinate = coordinate;
  return rule;
}

}  // namespace

Quat turned(const Vec3& axis, double angle) { return fromAxisAngle(axis / norm(axis), angle); }

const std::string& BuiltThing::name() const { return block_->name; }

// ----------------------------------------------------------------------------------------- solids

BuiltSolid& BuiltSolid::at(const Vec3& p) {
  block_->more().statement("at", p);
  return *this;
}
BuiltSolid& BuiltSolid::turn(const Vec3& axis, double angle) {
  block_->more().begin("turn").vector(axis).number(angle).end();
  return *this;
}
BuiltSolid& BuiltSolid::orientation(const Quat& q) {
  block_->more().statement("orientation", q);
  return *this;
}
BuiltSolid& BuiltSolid::pose(const Pose& X) { return at(X.p).orientation(X.q); }
BuiltSolid& BuiltSolid::velocity(const Vec3& v) {
  block_->more().statement("velocity", v);
  return *this;
}
BuiltSolid& BuiltSolid::spin(const Vec3& w) {
  block_->more().statement("spin", w);
  return *this;
}
BuiltSolid& BuiltSolid::immobile() {
  block_->more().begin("immobile").end();
  return *this;
}
BuiltSolid& BuiltSolid::animated() {
  block_->more().begin("animated").end();
  return *this;
}
BuiltSolid& BuiltSolid::key(double time, const Pose& X) {
  block_->more().print(PathKey{time, X});
  return *this;
}
BuiltSolid& BuiltSolid::pointMass() {
  block_->more().begin("point-mass").end();
  return *this;
}

BuiltSolid& BuiltSolid::shape(const Shape& shape) {
  block_->more().print(shape);
  return *this;
}
BuiltSolid& BuiltSolid::box(const Vec3& edges, const Pose& X, std::optional<double> density) {
  return shape(shapeOf(ShapeKind::Box, edges, X, density));
}
BuiltSolid& BuiltSolid::sphere(double radius, const Pose& X, std::optional<double> density) {
  return shape(shapeOf(ShapeKind::Sphere, {radius, 0, 0}, X, density));
}
BuiltSolid& BuiltSolid::ellipsoid(const Vec3& axes, const Pose& X, std::optional<double> density) {
  return shape(shapeOf(ShapeKind::Ellipsoid, axes, X, density));
}
BuiltSolid& BuiltSolid::capsule(double radius, double length, const Pose& X,
                                std::optional<double> density) {
  return shape(shapeOf(ShapeKind::Capsule, {radius, length, 0}, X, density));
}
BuiltSolid& BuiltSolid::cylinder(double radius, double height, const Pose& X,
                                 std::optional<double> density) {
  return shape(shapeOf(ShapeKind::Cylinder, {radius, height, 0}, X, density));
}
BuiltSolid& BuiltSolid::cone(double radius, double height, const Pose& X,
                             std::optional<double> density) {
  return shape(shapeOf(ShapeKind::Cone, {radius, height, 0}, X, density));
}
BuiltSolid& BuiltSolid::hull(std::vector<Vec3> points, const Pose& X,
                             std::optional<double> density) {
  Shape made = shapeOf(ShapeKind::Hull, {}, X, density);
  made.points = std::move(points);
  return shape(made);
}
BuiltSolid& BuiltSolid::mesh(std::vector<Vec3> points,
                             std::vector<std::array<std::uint32_t, 3>> triangles, const Pose& X,
                             std::optional<double> density) {
  Shape made = shapeOf(ShapeKind::Mesh, {}, X, density);
  made.points = std::move(points);
  made.triangles = std::move(triangles);
  return shape(made);
}

BuiltSolid& BuiltSolid::material(const std::string& name) {
  block_->more().named("material", name);
  return *this;
}
BuiltSolid& BuiltSolid::density(double density) {
  block_->more().statement("density", density);
  return *this;
}
BuiltSolid& BuiltSolid::mass(double mass) {
  block_->more().statement("mass", mass);
  return *this;
}
BuiltSolid& BuiltSolid::com(const Vec3& p) {
  block_->more().statement("com", p);
  return *this;
}
BuiltSolid& BuiltSolid::inertia(double xx, double yy, double zz, double xy, double xz, double yz) {
  block_->more().inertia({{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}});
  return *this;
}
BuiltSolid& BuiltSolid::ma(double density) {
  block_->more().statement("ma", density);
  return *this;
}
BuiltSolid& BuiltSolid::rotatability(double value) {
  block_->more().statement("rotatability", value);
  return *this;
}
BuiltSolid& BuiltSolid::gravity(double factor) {
  block_->more().statement("gravity", factor);
  return *this;
}
BuiltSolid& BuiltSolid::colour(const Colour& colour) {
  block_->more().statement("colour", colour);
  return *this;
}
BuiltSolid& BuiltSolid::group(const std::string& name) {
  block_->more().groups({name});
  return *this;
}

// ----------------------------------------------------------------------------------------- joints

BuiltJoint& BuiltJoint::at(const Vec3& p) {
  block_->more().statement("at", p);
  return *this;
}
BuiltJoint& BuiltJoint::axis(const Vec3& direction) {
  block_->more().statement("axis", direction);
  return *this;
}
BuiltJoint& BuiltJoint::normal(const Vec3& direction) {
  block_->more().statement("normal", direction);
  return *this;
}
BuiltJoint& BuiltJoint::point1(const Vec3& p) {
  block_->more().statement("point1", p);
  return *this;
}
BuiltJoint& BuiltJoint::point2(const Vec3& p) {
  block_->more().statement("point2", p);
  return *this;
}
BuiltJoint& BuiltJoint::axis1(const Vec3& direction) {
  block_->more().statement("axis1", direction);
  return *this;
}
BuiltJoint& BuiltJoint::axis2(const Vec3& direction) {
  block_->more().statement("axis2", direction);
  return *this;
}
BuiltJoint& BuiltJoint::normal1(const Vec3& direction) {
  block_->more().statement("normal1", direction);
  return *this;
}
BuiltJoint& BuiltJoint::normal2(const Vec3& direction) {
  block_->more().statement("normal2", direction);
  return *this;
}
BuiltJoint& BuiltJoint::frame1(const Pose& X) {
  block_->more().statement("orientation1", X.q);
  return point1(X.p);
}
BuiltJoint& BuiltJoint::frame2(const Pose& X) {
  block_->more().statement("orientation2", X.q);
  return point2(X.p);
}
BuiltJoint& BuiltJoint::third(const std::string& solid, const Vec3& point) {
  block_->more().named("object3", solid);
  block_->more().statement("point3", point);
  return *this;
}
BuiltJoint& BuiltJoint::fourth(const std::string& solid, const Vec3& point) {
  block_->more().named("object4", solid);
  block_->more().statement("point4", point);
  return *this;
}
BuiltJoint& BuiltJoint::couple(const CoupledCoordinate& term) {
  block_->more().couple(term);
  return *this;
}
BuiltJoint& BuiltJoint::carrier(const std::string& joint, const std::string& coordinate) {
  block_->more().carrier({joint, coordinate, 1, {}});
  return *this;
}
BuiltJoint& BuiltJoint::option(const std::string& name, const std::vector<double>& values) {
  block_->more().print(JointOption{name, values, {}});
  return *this;
}

BuiltJoint& BuiltJoint::rule(const CoordinateRule& rule) {
  block_->more().print(rule);
  return *this;
}
BuiltJoint& BuiltJoint::limit(const std::string& coordinate, double lower, double upper) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Limit);
  made.lower = lower;
  made.upper = upper;
  return rule(made);
}
BuiltJoint& BuiltJoint::spring(const std::string& coordinate, double target, double stiffness,
                               double damping) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Spring);
  made.target.offset = target;
  made.stiffness = stiffness;
  made.damping = damping;
  return rule(made);
}
BuiltJoint& BuiltJoint::damper(const std::string& coordinate, double damping) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Damper);
  made.damping = damping;
  return rule(made);
}
BuiltJoint& BuiltJoint::drive(const std::string& coordinate, const Signal& target, double stiffness,
                              double damping, double maxForce) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Drive);
  made.target = target;
  made.stiffness = stiffness;
  made.damping = damping;
  made.maxForce = maxForce;
  return rule(made);
}
BuiltJoint& BuiltJoint::prescribe(const std::string& coordinate, const Signal& target) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Prescribe);
  made.target = target;
  return rule(made);
}
BuiltJoint& BuiltJoint::prefer(const std::string& coordinate, double lower, double upper,
                               double stiffness, double damping, double maxForce) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Prefer);
  made.lower = lower;
  made.upper = upper;
  made.stiffness = stiffness;
  made.damping = damping;
  made.maxForce = maxForce;
  return rule(made);
}
BuiltJoint& BuiltJoint::friction(const std::string& coordinate, double force, double coefficient,
                                 double radius) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Friction);
  made.maxForce = force;
  made.coefficient = coefficient;
  made.radius = radius;
  return rule(made);
}
BuiltJoint& BuiltJoint::armature(const std::string& coordinate, double inertia) {
  CoordinateRule made = ruleOn(coordinate, CoordinateRule::Kind::Armature);
  made.inertia = inertia;
  return rule(made);
}

BuiltJoint& BuiltJoint::compliance(double value) {
  block_->more().statement("compliance", value);
  return *this;
}
BuiltJoint& BuiltJoint::weight(double value) {
  block_->more().statement("weight", value);
  return *this;
}
BuiltJoint& BuiltJoint::damp(double factor) {
  block_->more().statement("damp", factor);
  return *this;
}
BuiltJoint& BuiltJoint::alpha(double value) {
  block_->more().statement("alpha", value);
  return *this;
}
BuiltJoint& BuiltJoint::mobility(double value) {
  block_->more().statement("mobility", value);
  return *this;
}
BuiltJoint& BuiltJoint::frozen() {
  block_->more().begin("frozen").end();
  return *this;
}
BuiltJoint& BuiltJoint::merged() {
  block_->more().begin("merged").end();
  return *this;
}
BuiltJoint& BuiltJoint::active(const Interval& when) {
  block_->more().active({when});
  return *this;
}

// -------------------------------------------------------------------------------- everything else

BuiltMaterial& BuiltMaterial::density(double density) {
  block_->more().statement("density", density);
  return *this;
}
BuiltMaterial& BuiltMaterial::colour(const Colour& colour) {
  block_->more().statement("colour", colour);
  return *this;
}

BuiltLoad& BuiltLoad::point(const Vec3& p) {
  block_->more().statement("point", p);
  return *this;
}
BuiltLoad& BuiltLoad::body() {
  block_->more().named("axes", "body");
  return *this;
}
BuiltLoad& BuiltLoad::damping(double value) {
  block_->more().statement("damping", value);
  return *this;
}
BuiltLoad& BuiltLoad::rest(double length) {
  block_->more().statement("rest", length);
  return *this;
}
BuiltLoad& BuiltLoad::linear(double value) {
  block_->more().statement("linear", value);
  return *this;
}
BuiltLoad& BuiltLoad::quadratic(double value) {
  block_->more().statement("quadratic", value);
  return *this;
}
BuiltLoad& BuiltLoad::angular(double value) {
  block_->more().statement("angular", value);
  return *this;
}
BuiltLoad& BuiltLoad::active(const Interval& when) {
  block_->more().active({when});
  return *this;
}

BuiltWant& BuiltWant::target(const Vec3& p) {
  block_->more().statement("target", p);
  return *this;
}
BuiltWant& BuiltWant::rigid() {
  block_->more().begin("rigid").end();
  return *this;
}
BuiltWant& BuiltWant::orientation(const Quat& q) {
  block_->more().statement("orientation", q);
  return *this;
}
BuiltWant& BuiltWant::weight(double value) {
  block_->more().statement("weight", value);
  return *this;
}
BuiltWant& BuiltWant::active(const Interval& when) {
  block_->more().active({when});
  return *this;
}

BuiltFloor& BuiltFloor::point(const Vec3& p) {
  block_->more().statement("point", p);
  return *this;
}
BuiltFloor& BuiltFloor::normal(const Vec3& direction) {
  block_->more().statement("normal", direction);
  return *this;
}
BuiltFloor& BuiltFloor::friction(double coefficient) {
  block_->more().statement("friction", coefficient);
  return *this;
}
BuiltFloor& BuiltFloor::stiffness(double value) {
  block_->more().statement("stiffness", value);
  return *this;
}
BuiltFloor& BuiltFloor::damping(double value) {
  block_->more().statement("damping", value);
  return *this;
}

BuiltPose& BuiltPose::time(double t) {
  block_->more().statement("time", t);
  return *this;
}
BuiltPose& BuiltPose::solid(const std::string& solid, const Pose& X) {
  block_->more().print(KeyPose::SolidPose{solid, X, false, {}});
  return *this;
}
BuiltPose& BuiltPose::centre(const std::string& solid, const Pose& X) {
  block_->more().print(KeyPose::SolidPose{solid, X, true, {}});
  return *this;
}
BuiltPose& BuiltPose::coordinate(const std::string& joint, const std::string& coordinate,
                                 double value) {
  block_->more().print(KeyPose::CoordinateValue{joint, coordinate, value, {}});
  return *this;
}

// ------------------------------------------------------------------------------------- the scene

SceneBuilder::SceneBuilder(const std::string& title) : impl_(std::make_unique<Impl>()) {
  if (!title.empty()) Printer(impl_->top).begin("title").string(title).end();
}
SceneBuilder::~SceneBuilder() = default;
SceneBuilder::SceneBuilder(SceneBuilder&&) noexcept = default;
SceneBuilder& SceneBuilder::operator=(SceneBuilder&&) noexcept = default;

BuiltSolid SceneBuilder::solid(const std::string& name) {
  return BuiltSolid(impl_->open("solid", {name}));
}

BuiltJoint SceneBuilder::joint(const std::string& kind, const std::string& name,
                               const std::string& solid1, const std::string& solid2) {
  BuiltJoint joint(impl_->open("joint", {kind, name}));
  Printer more = joint.block_->more();
  more.given("object1", solid1);
  more.given("object2", solid2);
  return joint;
}

BuiltJoint SceneBuilder::pin(const std::string& name, const std::string& solid1,
                             const std::string& solid2, const Vec3& at, const Vec3& axis) {
  return joint("pin", name, solid1, solid2).at(at).axis(axis);
}
BuiltJoint SceneBuilder::ball(const std::string& name, const std::string& solid1,
                              const std::string& solid2, const Vec3& at) {
  return joint("ball", name, solid1, solid2).at(at);
}
BuiltJoint SceneBuilder::prismatic(const std::string& name, const std::string& solid1,
                                   const std::string& solid2, const Vec3& at, const Vec3& axis) {
  return joint("prismatic", name, solid1, solid2).at(at).axis(axis);
}
BuiltJoint SceneBuilder::cylindrical(const std::string& name, const std::string& solid1,
                                     const std::string& solid2, const Vec3& at, const Vec3& axis) {
  return joint("cylindrical", name, solid1, solid2).at(at).axis(axis);
}
BuiltJoint SceneBuilder::hooke(const std::string& name, const std::string& solid1,
                               const std::string& solid2, const Vec3& at, const Vec3& axis,
                               const Vec3& normal) {
  return joint("hooke", name, solid1, solid2).at(at).axis(axis).normal(normal);
}
BuiltJoint SceneBuilder::screw(const std::string& name, const std::string& solid1,
                               const std::string& solid2, const Vec3& at, const Vec3& axis,
                               double pitch) {
  return joint("screw", name, solid1, solid2).at(at).axis(axis).option("pitch", {pitch});
}
BuiltJoint SceneBuilder::weld(const std::string& name, const std::string& solid1,
                              const std::string& solid2) {
  return joint("weld", name, solid1, solid2);
}
BuiltJoint SceneBuilder::distance(const std::string& name, const std::string& solid1,
                                  const Vec3& point1, const std::string& solid2, const Vec3& point2,
                                  double length) {
  return joint("distance", name, solid1, solid2)
      .point1(point1)
      .point2(point2)
      .option("length", {length});
}
BuiltJoint SceneBuilder::rope(const std::string& name, const std::string& solid1,
                              const Vec3& point1, const std::string& solid2, const Vec3& point2,
                              double length) {
  return joint("rope", name, solid1, solid2)
      .point1(point1)
      .point2(point2)
      .option("length", {length});
}
BuiltJoint SceneBuilder::gear(const std::string& name,
                              const std::vector<CoupledCoordinate>& couples) {
  BuiltJoint made = joint("gear", name, {}, {});
  for (const CoupledCoordinate& term : couples) made.couple(term);
  return made;
}

BuiltMaterial SceneBuilder::material(const std::string& name) {
  return BuiltMaterial(impl_->open("material", {name}));
}

BuiltLoad SceneBuilder::force(const std::string& name, const std::string& solid,
                              const Vec3& vector) {
  BuiltLoad load(impl_->open("force", {name}));
  load.block_->more().named("object", solid);
  load.block_->more().statement("vector", vector);
  return load;
}
BuiltLoad SceneBuilder::torque(const std::string& name, const std::string& solid,
                               const Vec3& vector) {
  BuiltLoad load(impl_->open("torque", {name}));
  load.block_->more().named("object", solid);
  load.block_->more().statement("vector", vector);
  return load;
}
BuiltLoad SceneBuilder::muscle(const std::string& name, const std::string& joint,
                               const Vec3& vector) {
  BuiltLoad load(impl_->open("muscle", {name}));
  load.block_->more().named("joint", joint);
  load.block_->more().statement("vector", vector);
  return load;
}
BuiltLoad SceneBuilder::spring(const std::string& name, const std::string& solid1,
                               const Vec3& point1, const std::string& solid2, const Vec3& point2,
                               double stiffness) {
  BuiltLoad load(impl_->open("spring", {name}));
  Printer more = load.block_->more();
  more.given("object1", solid1);
  more.statement("point1", point1);
  more.given("object2", solid2);
  more.statement("point2", point2);
  more.statement("stiffness", stiffness);
  return load;
}
BuiltLoad SceneBuilder::drag(const std::string& name, const std::string& solid) {
  BuiltLoad load(impl_->open("drag", {name}));
  load.block_->more().given("object", solid);
  return load;
}

BuiltWant SceneBuilder::hold(const std::string& name, const std::string& solid, const Vec3& point) {
  BuiltWant want(impl_->open("pin", {name}));
  want.block_->more().named("object", solid);
  want.block_->more().statement("point", point);
  return want;
}
BuiltWant SceneBuilder::goal(const std::string& name, const std::string& solid, const Vec3& point,
                             const Vec3& target) {
  BuiltWant want(impl_->open("goal", {name}));
  want.block_->more().named("object", solid);
  want.block_->more().statement("point", point);
  want.block_->more().statement("target", target);
  return want;
}
BuiltFloor SceneBuilder::floor(const std::string& name) {
  return BuiltFloor(impl_->open("floor", {name}));
}
BuiltPose SceneBuilder::pose(const std::string& name) {
  return BuiltPose(impl_->open("pose", {name}));
}

void SceneBuilder::gravity(const Vec3& g) { Printer(impl_->top).statement("gravity", g); }
void SceneBuilder::damp(double factor) { Printer(impl_->top).statement("damp", factor); }
void SceneBuilder::parameter(const std::string& name, double value, double lower, double upper) {
  Printer(impl_->top).print(Parameter{name, value, lower, upper, {}});
}
void SceneBuilder::start(const std::string& pose) { Printer(impl_->top).named("start", pose); }
void SceneBuilder::at(double time, const std::string& action, const std::vector<std::string>& names,
                      const std::vector<double>& values) {
  Printer(impl_->top).print(Event{time, action, names, values, {}});
}
void SceneBuilder::expect(const std::string& what, const std::vector<double>& values) {
  Printer(impl_->top).print(Expectation{what, values, {}});
}
void SceneBuilder::settings(const Settings& settings) { Printer(impl_->settings).print(settings); }

std::string SceneBuilder::text() const {
  return impl_->written([](const BuiltThing::Block&, const std::string&) {});
}

// What is wrong has a line of the text. It is said which thing the line belongs to: nobody has seen that text.
Result<Scene> SceneBuilder::scene() const {
  std::vector<std::pair<std::size_t, const BuiltThing::Block*>> begins;  // lines, from 1
  std::size_t line = 1, counted = 0;
  std::string text = impl_->written([&](const BuiltThing::Block& block, const std::string& before) {
    line += static_cast<std::size_t>(
        std::count(before.begin() + static_cast<std::ptrdiff_t>(counted), before.end(), '\n'));
    counted = before.size();
    begins.emplace_back(line, &block);
  });
  ParseOptions options;  // nobody sent this text from outside
  options.limits.fileBytes = options.limits.totalBytes = std::size_t{1} << 30;
  options.limits.expanded = options.limits.fileBytes;
  Result<Scene> made = parseScene(std::move(text), "(built)", options);
  std::vector<Problem> problems = made.problems();
  for (Problem& problem : problems) {
    const auto after = std::upper_bound(
        begins.begin(), begins.end(), problem.line,
        [](int l, const auto& begin) { return l < static_cast<int>(begin.first); });
    if (after == begins.begin()) continue;
    const BuiltThing::Block& block = *(after - 1)->second;
    if (problem.what.find(quoted(block.name)) == std::string::npos)
      problem.what = block.word + " " + quoted(block.name) + ": " + problem.what;
  }
  if (!made) return problems;
  return Result<Scene>(std::move(*made), std::move(problems));
}

}  // namespace tenon
