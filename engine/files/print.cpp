// Scene -> flat text, and the comparison that ignores where things came from.
//
// Numbers are printed in the shortest form that reads back to the same double, frames as
// quaternions: parsing the text gives an equal scene to the last bit.
#include <tenon/joint.h>
#include <tenon/language.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "files/lexer.h"
#include "files/printer.h"
#include "model/names.h"
#include "model/things.h"

namespace tenon {
namespace {

constexpr char kHexadecimal[] = "0123456789abcdef";

bool same(const Settings& a, const Settings& b) {
  return a.method == b.method && a.solver == b.solver && a.norm == b.norm && a.dt == b.dt &&
         a.duration == b.duration && a.tolerance == b.tolerance && a.budget == b.budget &&
         a.truncation == b.truncation && a.alpha == b.alpha && a.beta == b.beta &&
         a.iterations == b.iterations && a.linearIterations == b.linearIterations;
}

}  // namespace

namespace files {

void Printer::open(std::string_view keyword, std::initializer_list<std::string_view> names) {
  if (!out_.empty()) out_ += '\n';
  out_ += keyword;
  for (const std::string_view n : names) name(n);
  out_ += '\n';
  inside_ = true;
}

void Printer::close() {
  out_ += "end\n";
  inside_ = false;
}

Printer& Printer::begin(std::string_view keyword) {
  if (inside_) out_ += "  ";
  if (!isName(keyword)) return string(keyword);
  out_ += keyword;
  return *this;
}

Printer& Printer::word(std::string_view w) { return w.empty() ? *this : name(w); }

Printer& Printer::name(std::string_view w) {
  if (!isName(w)) return string(w);
  (out_ += ' ') += w;
  return *this;
}

Printer& Printer::number(double v) {
  if (!std::isfinite(v)) {
    out_ += std::isnan(v) ? " not-a-number" : v > 0 ? " infinity" : " minus-infinity";
    return *this;
  }
  // As short as it can be and still read back as the same bits; "2.0" is as good as "2".
  std::string text = nlohmann::json(v).dump();
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  (out_ += ' ') += text;
  return *this;
}

Printer& Printer::integer(std::uint32_t v) {
  (out_ += ' ') += std::to_string(v);
  return *this;
}

Printer& Printer::string(std::string_view text) {
  out_ += " \"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out_ += '\\') += c;
    else if (c == '\n')
      out_ += "\\n";
    else if (c == '\t')
      out_ += "\\t";
    else if (c == '\r')
      out_ += "\\r";
    else if (u < 0x20 || u == 0x7f)
      (((out_ += "\\x") += kHexadecimal[u / 16]) += kHexadecimal[u % 16]);
    else
      out_ += c;
  }
  out_ += '"';
  return *this;
}

Printer& Printer::signal(const Signal& s, std::string_view offset) {
  word(offset).number(s.offset);
  clauseUnless(0, "rate", s.rate);
  if (s.amplitude != 0 || s.frequency != 0 || s.phase != 0)
    word("sine").number(s.amplitude).number(s.frequency).number(s.phase);
  for (const Signal::Key& key : s.keys) word("key").number(key.time).number(key.value);
  return *this;
}

void Printer::print(const Material& m) {
  open("material", {m.name});
  given("density", m.density);
  given("colour", m.colour);
  close();
}

void Printer::print(const Shape& shape) {
  static constexpr std::string_view kWords[] = {"box",      "sphere", "ellipsoid", "capsule",
                                                "cylinder", "cone",   "hull",      "mesh"};
  begin(kWords[static_cast<std::size_t>(shape.kind)]);
  switch (shape.kind) {
    case ShapeKind::Box:
    case ShapeKind::Ellipsoid:
      vector(shape.size);
      break;
    case ShapeKind::Sphere:
      number(shape.size.x);
      break;
    case ShapeKind::Capsule:
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
      number(shape.size.x).number(shape.size.y);
      break;
    case ShapeKind::Hull:
      for (const Vec3& p : shape.points) vector(p);
      break;
    case ShapeKind::Mesh:
      word("vertices");
      for (const Vec3& p : shape.points) vector(p);
      word("triangles");
      for (const auto& t : shape.triangles) integer(t[0]).integer(t[1]).integer(t[2]);
      break;
  }
  poseClauses(shape.pose);
  if (shape.density) word("density").number(*shape.density);
  end();
}

void Printer::print(const Solid& s) {
  open("solid", {s.name});
  if (s.path.empty() || s.kind != SolidKind::Animated) {  // else the first key is its pose
    unless(Vec3{}, "at", s.pose.p);
    if (s.pose.q != Quat{}) statement("orientation", s.pose.q);
  }
  unless(Vec3{}, "velocity", s.velocity);
  unless(Vec3{}, "spin", s.spin);
  flag("immobile", s.kind == SolidKind::Immobile);
  flag("animated", s.kind == SolidKind::Animated);
  flag("point-mass", s.pointMass);
  for (const PathKey& key : s.path) print(key);
  for (const Shape& shape : s.shapes) print(shape);
  given("material", s.material);
  given("density", s.density);
  given("mass", s.mass);
  given("com", s.com);
  if (s.inertia) inertia(*s.inertia);
  given("ma", s.boxDensity);
  given("rotatability", s.rotatability);
  unless(1.0, "gravity", s.gravity);
  given("colour", s.colour);
  if (!s.groups.empty()) groups(s.groups);
  close();
}

void Printer::inertia(const Mat3& I) {
  begin("inertia").number(I(0, 0)).number(I(1, 1)).number(I(2, 2));
  if (I(0, 1) != 0 || I(0, 2) != 0 || I(1, 2) != 0) number(I(0, 1)).number(I(0, 2)).number(I(1, 2));
  end();
}

void Printer::groups(const std::vector<std::string>& names) {
  begin("group");
  for (const std::string& g : names) name(g);
  end();
}

void Printer::print(const PathKey& key) {
  begin("key").number(key.time).vector(key.pose.p);
  if (key.pose.q != Quat{}) word("orientation").quaternion(key.pose.q);
  end();
}

void Printer::couple(const CoupledCoordinate& term) {
  begin("couple").name(term.joint).word(term.coordinate).number(term.factor).end();
}

void Printer::carrier(const CoupledCoordinate& term) {
  begin("carrier").name(term.joint).word(term.coordinate).end();
}

void Printer::print(const JointOption& option) {
  begin(option.name);
  for (const double v : option.values) number(v);
  end();
}

void Printer::print(const CoordinateRule& r) {
  using Kind = CoordinateRule::Kind;
  begin(nameAmong(kRuleNames, r.kind)).name(r.coordinate);
  switch (r.kind) {
    case Kind::Limit:
      clauseUnless(-kInfinity, "min", r.lower).clauseUnless(kInfinity, "max", r.upper);
      clauseUnless(0, "compliance", r.compliance).clauseUnless(1, "weight", r.weight);
      break;
    case Kind::Spring:
      signal(r.target, "target").word("stiffness").number(r.stiffness);
      clauseUnless(0, "damping", r.damping);
      break;
    case Kind::Damper:
      number(r.damping);
      break;
    case Kind::Drive:
      signal(r.target, "offset").word("stiffness").number(r.stiffness);
      clauseUnless(0, "damping", r.damping).clauseUnless(kInfinity, "max", r.maxForce);
      break;
    case Kind::Prescribe:
      signal(r.target, "offset").clauseUnless(0, "compliance", r.compliance);
      clauseUnless(1, "weight", r.weight);
      break;
    case Kind::Prefer:
      clauseUnless(-kInfinity, "min", r.lower).clauseUnless(kInfinity, "max", r.upper);
      word("stiffness").number(r.stiffness).clauseUnless(0, "damping", r.damping);
      clauseUnless(kInfinity, "force", r.maxForce);
      break;
    case Kind::Friction:
      number(r.maxForce).clauseUnless(0, "coefficient", r.coefficient);
      clauseUnless(0, "radius", r.radius);
      break;
    case Kind::Armature:
      number(r.inertia);
      break;
  }
  activeClauses(r.active).end();
}

void Printer::print(const Joint& j) {
  open("joint", {j.kind, j.name});
  given("object1", j.solid1);
  given("object2", j.solid2);
  for (std::size_t k = 0; k < j.more.size(); ++k)
    statement("object" + std::to_string(k + 3),
              std::string_view(j.more[k].solid.empty() ? "world" : j.more[k].solid));
  const JointKind* kind = findJointKind(j.kind);
  if (kind == nullptr || kind->relates != Relates::Coordinates) {
    // In full: what is left out of one frame would be taken from the other.
    statement("point1", j.frame1.p);
    statement("orientation1", j.frame1.q);
    statement("point2", j.frame2.p);
    statement("orientation2", j.frame2.q);
  }
  for (std::size_t k = 0; k < j.more.size(); ++k)
    statement("point" + std::to_string(k + 3), j.more[k].point);
  for (const CoupledCoordinate& c : j.couples) couple(c);
  if (j.carrier) carrier(*j.carrier);
  for (const JointOption& option : j.options) print(option);
  for (const CoordinateRule& rule : j.rules) print(rule);
  unless(0, "compliance", j.compliance);
  unless(1, "weight", j.weight);
  given("damp", j.damp);
  given("alpha", j.alpha);
  given("mobility", j.mobility);
  flag("frozen", j.frozen);
  flag("merged", j.merged);
  active(j.active);
  close();
}

void Printer::print(const Force& f) {
  open("force", {f.name});
  given("object", f.solid);
  unless(Vec3{}, "point", f.point);
  statement("vector", f.vector);
  axes(f.axes);
  active(f.active);
  close();
}

void Printer::print(const Torque& t) {
  open("torque", {t.name});
  given("object", t.solid);
  statement("vector", t.vector);
  axes(t.axes);
  active(t.active);
  close();
}

void Printer::print(const Muscle& m) {
  open("muscle", {m.name});
  given("joint", m.joint);
  statement("vector", m.vector);
  active(m.active);
  close();
}

void Printer::print(const Spring& s) {
  open("spring", {s.name});
  given("object1", s.solid1);
  unless(Vec3{}, "point1", s.point1);
  given("object2", s.solid2);
  unless(Vec3{}, "point2", s.point2);
  statement("stiffness", s.stiffness);
  unless(0, "damping", s.damping);
  given("rest", s.rest);
  active(s.active);
  close();
}

void Printer::print(const Drag& d) {
  open("drag", {d.name});
  given("object", d.solid);
  unless(0, "linear", d.linear);
  unless(0, "quadratic", d.quadratic);
  unless(0, "angular", d.angular);
  active(d.active);
  close();
}

void Printer::print(const Pin& p) {
  open("pin", {p.name});
  given("object", p.solid);
  unless(Vec3{}, "point", p.point);
  given("target", p.target);
  flag("rigid", p.rigid);
  given("orientation", p.orientation);
  active(p.active);
  close();
}

void Printer::print(const Goal& g) {
  open("goal", {g.name});
  given("object", g.solid);
  unless(Vec3{}, "point", g.point);
  statement("target", g.target);
  unless(1, "weight", g.weight);
  active(g.active);
  close();
}

void Printer::print(const Floor& f) {
  open("floor", {f.name});
  unless(Vec3{}, "point", f.point);
  unless(Vec3{0, 1, 0}, "normal", f.normal);
  unless(0.5, "friction", f.friction);
  unless(0, "stiffness", f.stiffness);
  unless(0, "damping", f.damping);
  close();
}

void Printer::print(const KeyPose::SolidPose& s) {
  begin("solid").name(s.solid).word(s.centre ? "centre" : "at").vector(s.pose.p);
  if (s.pose.q != Quat{}) word("orientation").quaternion(s.pose.q);
  end();
}

void Printer::print(const KeyPose::CoordinateValue& c) {
  begin("coordinate").name(c.joint).name(c.coordinate).number(c.value).end();
}

void Printer::print(const KeyPose& pose) {
  open("pose", {pose.name});
  given("time", pose.time);
  for (const KeyPose::SolidPose& s : pose.solids) print(s);
  for (const KeyPose::CoordinateValue& c : pose.coordinates) print(c);
  close();
}

void Printer::print(const Settings& s) {
  if (same(s, Settings{})) return;
  open("settings");
  const auto name = [&](std::string_view keyword, const std::optional<std::string>& v) {
    if (v) statement(keyword, std::string_view(*v));
  };
  name("method", s.method);
  name("solver", s.solver);
  name("norm", s.norm);
  given("dt", s.dt);
  given("duration", s.duration);
  given("tolerance", s.tolerance);
  given("budget", s.budget);
  given("truncation", s.truncation);
  given("alpha", s.alpha);
  given("beta", s.beta);
  if (s.iterations) statement("iterations", static_cast<double>(*s.iterations));
  if (s.linearIterations) statement("linear-iterations", static_cast<double>(*s.linearIterations));
  close();
}

void Printer::print(const Parameter& p) {
  begin("param").name(p.name).number(p.value);
  clauseUnless(-kInfinity, "min", p.lower).clauseUnless(kInfinity, "max", p.upper).end();
}

void Printer::print(const Event& e) {
  begin("at").number(e.time).name(e.action);
  for (const std::string& n : e.names) name(n);
  for (const double v : e.values) number(v);
  end();
}

void Printer::print(const Expectation& e) {
  begin("expect").name(e.what);
  for (const double v : e.values) number(v);
  end();
}

void Printer::print(const Scene& scene) {
  if (!scene.files.empty() && scene.files.front().version != 0)
    begin("version").integer(kLanguageVersion).end();
  if (!scene.title.empty()) begin("title").string(scene.title).end();
  for (const Parameter& p : scene.parameters) print(p);
  unless(Vec3{0, -9.81, 0}, "gravity", scene.gravity);
  unless(0, "damp", scene.damp);
  given("start", scene.start);
  for (const Event& e : scene.events) print(e);
  for (const Expectation& e : scene.expectations) print(e);
  print(scene.settings);
  forEachThing(scene, [this](const auto& thing) { print(thing); });
}

}  // namespace files

namespace {

// ------------------------------------------------------------------------------------- comparison

template <class T, class Same>
bool sameAll(const std::vector<T>& a, const std::vector<T>& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool same(const Shape& a, const Shape& b) {
  return a.kind == b.kind && a.size == b.size && a.pose == b.pose && a.points == b.points &&
         a.triangles == b.triangles && a.density == b.density;
}

bool same(const Material& a, const Material& b) {
  return a.name == b.name && a.density == b.density && a.colour == b.colour;
}

bool same(const Solid& a, const Solid& b) {
  return a.name == b.name && a.kind == b.kind && a.pointMass == b.pointMass && a.pose == b.pose &&
         a.velocity == b.velocity && a.spin == b.spin && a.path == b.path &&
         sameAll(a.shapes, b.shapes, [](const Shape& x, const Shape& y) { return same(x, y); }) &&
         a.material == b.material && a.density == b.density && a.mass == b.mass && a.com == b.com &&
         a.inertia == b.inertia && a.boxDensity == b.boxDensity &&
         a.rotatability == b.rotatability && a.gravity == b.gravity && a.colour == b.colour &&
         a.groups == b.groups;
}

bool same(const CoordinateRule& a, const CoordinateRule& b) {
  return a.kind == b.kind && a.coordinate == b.coordinate && a.lower == b.lower &&
         a.upper == b.upper && a.target == b.target && a.stiffness == b.stiffness &&
         a.damping == b.damping && a.maxForce == b.maxForce && a.coefficient == b.coefficient &&
         a.radius == b.radius && a.inertia == b.inertia && a.compliance == b.compliance &&
         a.weight == b.weight && a.active == b.active;
}

bool same(const Joint& a, const Joint& b) {
  return a.name == b.name && a.kind == b.kind && a.solid1 == b.solid1 && a.solid2 == b.solid2 &&
         a.frame1 == b.frame1 && a.frame2 == b.frame2 && a.more == b.more &&
         a.couples == b.couples && a.carrier == b.carrier && a.options == b.options &&
         a.alpha == b.alpha && a.mobility == b.mobility && a.frozen == b.frozen &&
         a.merged == b.merged &&
         sameAll(a.rules, b.rules,
                 [](const CoordinateRule& x, const CoordinateRule& y) { return same(x, y); }) &&
         a.compliance == b.compliance && a.weight == b.weight && a.damp == b.damp &&
         a.active == b.active;
}

bool same(const Force& a, const Force& b) {
  return a.name == b.name && a.solid == b.solid && a.point == b.point && a.vector == b.vector &&
         a.axes == b.axes && a.active == b.active;
}

bool same(const Torque& a, const Torque& b) {
  return a.name == b.name && a.solid == b.solid && a.vector == b.vector && a.axes == b.axes &&
         a.active == b.active;
}

bool same(const Muscle& a, const Muscle& b) {
  return a.name == b.name && a.joint == b.joint && a.vector == b.vector && a.active == b.active;
}

bool same(const Spring& a, const Spring& b) {
  return a.name == b.name && a.solid1 == b.solid1 && a.solid2 == b.solid2 && a.point1 == b.point1 &&
         a.point2 == b.point2 && a.rest == b.rest && a.stiffness == b.stiffness &&
         a.damping == b.damping && a.active == b.active;
}

bool same(const Drag& a, const Drag& b) {
  return a.name == b.name && a.solid == b.solid && a.linear == b.linear &&
         a.quadratic == b.quadratic && a.angular == b.angular && a.active == b.active;
}

bool same(const Pin& a, const Pin& b) {
  return a.name == b.name && a.solid == b.solid && a.point == b.point && a.target == b.target &&
         a.rigid == b.rigid && a.orientation == b.orientation && a.active == b.active;
}

bool same(const Goal& a, const Goal& b) {
  return a.name == b.name && a.solid == b.solid && a.point == b.point && a.target == b.target &&
         a.weight == b.weight && a.active == b.active;
}

bool same(const Floor& a, const Floor& b) {
  return a.name == b.name && a.point == b.point && a.normal == b.normal &&
         a.friction == b.friction && a.stiffness == b.stiffness && a.damping == b.damping;
}

bool same(const KeyPose& a, const KeyPose& b) {
  return a.name == b.name && a.time == b.time &&
         sameAll(a.solids, b.solids,
                 [](const KeyPose::SolidPose& x, const KeyPose::SolidPose& y) {
                   return x.solid == y.solid && x.pose == y.pose && x.centre == y.centre;
                 }) &&
         sameAll(a.coordinates, b.coordinates,
                 [](const KeyPose::CoordinateValue& x, const KeyPose::CoordinateValue& y) {
                   return x.joint == y.joint && x.coordinate == y.coordinate && x.value == y.value;
                 });
}

bool same(const Event& a, const Event& b) {
  return a.time == b.time && a.action == b.action && a.names == b.names && a.values == b.values;
}

bool same(const Expectation& a, const Expectation& b) {
  return a.what == b.what && a.values == b.values;
}

bool same(const Parameter& a, const Parameter& b) {
  return a.name == b.name && a.value == b.value && a.lower == b.lower && a.upper == b.upper;
}

template <class T>
bool sameThings(const std::vector<T>& a, const std::vector<T>& b) {
  return sameAll(a, b, [](const T& x, const T& y) { return same(x, y); });
}

}  // namespace

std::string printScene(const Scene& scene) {
  std::string out;
  files::Printer(out).print(scene);
  return out;
}

bool sameScene(const Scene& a, const Scene& b) {
  bool things = true;
  forEachList([&](auto list) { things = things && sameThings(a.*list, b.*list); });
  return things && a.title == b.title && a.start == b.start && a.gravity == b.gravity &&
         a.damp == b.damp && sameThings(a.parameters, b.parameters) &&
         sameThings(a.events, b.events) && sameThings(a.expectations, b.expectations) &&
         same(a.settings, b.settings);
}

}  // namespace tenon
