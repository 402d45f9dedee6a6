// Scenes made by dice, for tests that must hold of every scene. The same seed gives the same scene
// on every machine. All of what the language can say occurs; names resolve, ranges are in order.
#pragma once

#include <tenon/joint.h>
#include <tenon/scene.h>
#include <tenon/setting_list.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/names.h"

namespace tenon::testing {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::uint64_t bits() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool maybe() { return below(2) == 0; }
  bool rarely() { return below(5) == 0; }

  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  // Plain, long, tiny and huge ones.
  double number() {
    switch (below(6)) {
      case 0:
        return static_cast<double>(below(21)) - 10;
      case 1:
        return 0;
      case 2:
        return std::ldexp(unit() - 0.5, static_cast<int>(below(200)) - 100);
      case 3:
        return std::round((unit() - 0.5) * 1000) / 100;
      default:
        return (unit() - 0.5) * 8;
    }
  }
  double positive() {
    const double x = std::abs(number());
    return x > 0 ? x : 0.25;
  }
  Vec3 vector() { return {number(), number(), number()}; }
  Vec3 positives() { return {positive(), positive(), positive()}; }
  Quat rotation() {
    if (rarely()) return {};
    for (;;) {
      const Quat q{unit() - 0.5, unit() - 0.5, unit() - 0.5, unit() - 0.5};
      if (norm(q) > 0.1) return normalized(q);
    }
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v{unit() - 0.5, unit() - 0.5, unit() - 0.5};
      if (norm(v) > 0.1) return v / norm(v);
    }
  }
  Pose pose() { return {maybe() ? vector() : Vec3{}, rotation()}; }

 private:
  std::uint64_t state_;
};

class SceneMaker {
 public:
  explicit SceneMaker(std::uint64_t seed) : dice_(seed) {}

  Scene make(std::size_t things) {
    if (dice_.maybe()) scene_.title = title();
    if (dice_.maybe()) scene_.gravity = dice_.vector();
    if (dice_.rarely()) scene_.damp = dice_.positive();
    settings();
    const std::size_t solids = 1 + dice_.below(things + 1);
    for (std::size_t i = 0; i < dice_.below(3); ++i) material();
    for (std::size_t i = 0; i < solids; ++i) solid();
    for (std::size_t i = 0; i < dice_.below(things + 1); ++i) joint();
    for (std::size_t i = 0; i < dice_.below(things + 1); ++i) load();
    for (std::size_t i = 0; i < dice_.below(3); ++i) keyPose();
    for (std::size_t i = 0; i < dice_.below(3); ++i) event();
    for (std::size_t i = 0; i < dice_.below(3); ++i) {
      static const char* const kWhat[] = {"solids", "dof", "mass", "assembled"};
      scene_.expectations.push_back({kWhat[dice_.below(4)], {dice_.positive()}, {}});
    }
    for (std::size_t i = 0; i < dice_.below(3); ++i) {
      Parameter p;
      p.name = "parameter_" + std::to_string(i);
      p.value = dice_.number();
      if (dice_.maybe()) p.lower = p.value - dice_.positive();
      if (dice_.maybe()) p.upper = p.value + dice_.positive();
      scene_.parameters.push_back(p);
    }
    return std::move(scene_);
  }

 private:
  std::string name(const char* stem) {
    std::string n = stem + std::string(dice_.maybe() ? "-" : "_") + std::to_string(count_++);
    if (dice_.rarely()) n = "tom.left-arm." + n;
    return n;
  }
  std::string title() {
    static const char* const kPieces[] = {"a", " ", "\"",  "\\", "\n",  "\t",
                                          "é", ";", "end", "/*", "\x01"};
    std::string t;
    for (std::size_t i = 0; i < 1 + dice_.below(8); ++i) t += kPieces[dice_.below(11)];
    return t;
  }
  const std::string& anySolid() { return scene_.solids[dice_.below(scene_.solids.size())].name; }
  std::vector<Interval> intervals() {
    std::vector<Interval> list;
    double t = 0;
    for (std::size_t i = 0; i < (dice_.rarely() ? 1 + dice_.below(2) : 0); ++i) {
      Interval interval;
      interval.begin = t + 0.5 * dice_.unit();
      t = interval.begin + 0.1 + dice_.unit();
      interval.end = t;
      list.push_back(interval);
    }
    if (!list.empty() && dice_.maybe()) list.back().end = kInfinity;
    return list;
  }

  void settings() {
    if (dice_.maybe()) return;
    std::vector<Settings::Given>& given = scene_.settings.given;
#define TENON_GIVE(name, kind, unit, most, words, other, field, second, methods, assembly, help) \
  if (dice_.maybe()) given.push_back(setting(name, SettingKind::kind, most, words));
    TENON_SETTINGS(TENON_GIVE)
#undef TENON_GIVE
  }
  Settings::Given setting(const char* name, SettingKind kind, double most,
                          std::span<const std::string_view> words) {
    Settings::Given given{name, 0, {}, {}};
    if (kind == SettingKind::Choice) {
      given.word = std::string(words[dice_.below(words.size())]);
    } else if (kind == SettingKind::Switch) {
      given.number = dice_.maybe() ? 1 : 0;
      given.word = given.number == 1 ? "on" : "off";
    } else if (kind == SettingKind::Whole) {
      given.number = static_cast<double>(dice_.below(100));
    } else {
      given.number = std::min(dice_.positive(), most);
    }
    return given;
  }

  Colour colour() { return {dice_.unit(), dice_.unit(), dice_.unit()}; }

  void material() {
    Material m;
    m.name = name("steel");
    if (dice_.maybe()) m.density = dice_.positive();
    if (dice_.maybe()) m.colour = colour();
    scene_.materials.push_back(m);
  }

  Shape shape() {
    Shape s;
    s.kind = static_cast<ShapeKind>(dice_.below(8));
    switch (s.kind) {
      case ShapeKind::Box:
      case ShapeKind::Ellipsoid:
        s.size = dice_.positives();
        break;
      case ShapeKind::Sphere:
        s.size.x = dice_.positive();
        break;
      case ShapeKind::Capsule:
      case ShapeKind::Cylinder:
      case ShapeKind::Cone:
        s.size.x = dice_.positive();
        s.size.y = dice_.positive();
        break;
      case ShapeKind::Hull:
      case ShapeKind::Mesh:
        s.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, dice_.positive()}};
        if (s.kind == ShapeKind::Mesh) s.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
        break;
    }
    s.pose = dice_.pose();
    if (dice_.rarely()) s.density = dice_.positive();
    return s;
  }

  void solid() {
    Solid s;
    s.name = name("solid");
    s.kind = static_cast<SolidKind>(dice_.rarely() ? 1 + dice_.below(2) : 0);
    s.pose = dice_.pose();
    if (dice_.maybe()) s.velocity = dice_.vector();
    if (dice_.maybe()) s.spin = dice_.vector();
    if (s.kind == SolidKind::Animated && dice_.maybe())
      for (int i = 0; i < 2; ++i) s.path.push_back({i + dice_.unit() * 0.5, dice_.pose()});
    if (!s.path.empty()) s.pose = s.path.front().pose;  // as the language has it
    for (std::size_t i = 0; i < 1 + dice_.below(3); ++i) s.shapes.push_back(shape());
    if (!scene_.materials.empty() && dice_.maybe())
      s.material = scene_.materials[dice_.below(scene_.materials.size())].name;
    if (dice_.maybe()) s.density = dice_.positive();
    if (dice_.maybe()) s.mass = dice_.positive();
    if (dice_.rarely()) s.com = dice_.vector();
    if (dice_.rarely()) {
      Mat3 I = diagonal({2 + dice_.unit(), 2 + dice_.unit(), 2 + dice_.unit()});
      if (dice_.maybe()) {
        I(0, 1) = I(1, 0) = 0.3 * dice_.unit();
        I(0, 2) = I(2, 0) = 0.3 * dice_.unit();
        I(1, 2) = I(2, 1) = -0.3 * dice_.unit();
      }
      s.inertia = I;
    }
    if (dice_.rarely()) s.boxDensity = dice_.positive();
    if (dice_.rarely()) s.gravity = dice_.number();
    if (dice_.rarely()) s.pointMass = true;
    if (dice_.maybe()) s.colour = colour();
    for (std::size_t i = 0; i < dice_.below(3); ++i)
      s.groups.push_back("group-" + std::to_string(i));
    scene_.solids.push_back(s);
  }

  Signal signal() {
    Signal s;
    s.offset = dice_.number();
    if (dice_.maybe()) s.rate = dice_.number();
    if (dice_.maybe()) {
      s.amplitude = dice_.number();
      s.frequency = dice_.positive();
      s.phase = dice_.number();
    }
    if (dice_.rarely())
      for (int i = 0; i < 3; ++i) s.keys.push_back({i + 0.5 * dice_.unit(), dice_.number()});
    return s;
  }

  CoordinateRule rule(const std::string& coordinate) {
    using Kind = CoordinateRule::Kind;
    CoordinateRule r;
    r.kind = static_cast<Kind>(dice_.below(8));
    r.coordinate = coordinate;
    switch (r.kind) {
      case Kind::Limit:
        r.lower = dice_.number();
        if (dice_.maybe()) r.upper = r.lower + dice_.positive();
        break;
      case Kind::Drive:
        if (dice_.maybe()) r.maxForce = dice_.positive();
        [[fallthrough]];
      case Kind::Spring:
        r.target = signal();
        r.stiffness = dice_.positive();
        [[fallthrough]];
      case Kind::Damper:
        r.damping = dice_.positive();
        break;
      case Kind::Prescribe:
        r.target = signal();
        break;
      case Kind::Prefer:
        r.lower = dice_.number();
        if (dice_.maybe()) r.upper = r.lower + dice_.positive();
        r.stiffness = dice_.positive();
        if (dice_.maybe()) r.damping = dice_.positive();
        if (dice_.maybe()) r.maxForce = dice_.positive();
        break;
      case Kind::Friction:
        r.maxForce = dice_.positive();
        if (dice_.maybe()) r.radius = dice_.positive();
        if (r.radius > 0 && dice_.maybe()) r.coefficient = dice_.positive();
        break;
      case Kind::Armature:
        r.inertia = dice_.positive();
        return r;
    }
    if (r.kind == Kind::Limit || r.kind == Kind::Prescribe) {
      if (dice_.maybe()) r.compliance = dice_.positive();
      if (dice_.maybe()) r.weight = dice_.positive();
    }
    r.active = intervals();
    return r;
  }

  void joint() {
    Joint j;
    const auto catalogue = jointCatalogue();
    const JointKind& kind = catalogue[dice_.below(catalogue.size())];
    j.name = name("joint");
    j.kind = std::string(kind.name);
    const std::size_t first = dice_.below(scene_.solids.size());
    j.solid2 = scene_.solids[first].name;
    if (scene_.solids.size() > 1 && dice_.maybe())
      j.solid1 = scene_.solids[(first + 1) % scene_.solids.size()].name;
    j.frame1 = dice_.pose();
    j.frame2 = dice_.pose();
    const std::vector<JointExample> examples = examplesOf(kind);
    j.options = examples[dice_.below(examples.size())].options;
    if (kind.relates == Relates::Points)
      for (int k = 0; k < 2; ++k) j.more.push_back({anySolid(), dice_.vector(), {}});
    if (kind.relates == Relates::Coordinates) {
      j.solid1 = j.solid2 = "";
      j.frame1 = j.frame2 = {};
      for (const Joint& other : scene_.joints) {
        const JointKind& coupled = *findJointKind(other.kind);
        if (coupled.coordinateCount == 0 || j.couples.size() == 4) continue;
        j.couples.push_back(
            {other.name, std::string(coupled.coordinates[0].name), dice_.positive(), {}});
      }
      if (!j.couples.empty() && dice_.maybe()) {
        j.carrier = j.couples.back();
        j.carrier->factor = 1;
      }
    }
    if (dice_.rarely()) j.alpha = dice_.positive();
    if (dice_.rarely()) j.mobility = dice_.unit();
    j.frozen = dice_.rarely();
    j.merged = dice_.rarely();
    for (int c = 0; c < kind.coordinateCount; ++c)
      if (dice_.rarely()) j.rules.push_back(rule(std::string(kind.coordinates[c].name)));
    if (dice_.rarely()) j.compliance = dice_.positive();
    if (dice_.rarely()) j.weight = dice_.positive();
    if (dice_.rarely()) j.damp = dice_.positive();
    j.active = intervals();
    scene_.joints.push_back(j);
  }

  void load() {
    const Axes axes = dice_.maybe() ? Axes::World : Axes::Body;
    const std::string n = name("load");
    switch (dice_.below(8)) {
      case 0:
        scene_.forces.push_back(
            {n, anySolid(), dice_.vector(), dice_.vector(), axes, intervals(), {}});
        break;
      case 1:
        scene_.torques.push_back({n, anySolid(), dice_.vector(), axes, intervals(), {}});
        break;
      case 2:
        if (!scene_.joints.empty())
          scene_.muscles.push_back({n,
                                    scene_.joints[dice_.below(scene_.joints.size())].name,
                                    dice_.vector(),
                                    intervals(),
                                    {}});
        break;
      case 3: {
        Spring s;
        s.name = n;
        s.solid2 = anySolid();
        s.point1 = dice_.vector();
        s.point2 = dice_.vector();
        if (dice_.maybe()) s.rest = dice_.positive();
        s.stiffness = dice_.positive();
        s.damping = dice_.positive();
        s.active = intervals();
        scene_.springs.push_back(s);
        break;
      }
      case 4: {
        Drag d;
        d.name = n;
        if (dice_.maybe()) d.solid = anySolid();
        d.linear = dice_.positive();
        if (dice_.maybe()) d.quadratic = dice_.positive();
        if (dice_.maybe()) d.angular = dice_.positive();
        d.active = intervals();
        scene_.drags.push_back(d);
        break;
      }
      case 5: {
        Pin p;
        p.name = n;
        p.solid = anySolid();
        p.point = dice_.vector();
        if (dice_.maybe()) p.target = dice_.vector();
        p.rigid = dice_.maybe();
        p.active = intervals();
        if (p.rigid && dice_.maybe()) p.orientation = dice_.pose().q;
        scene_.pins.push_back(p);
        break;
      }
      case 6: {
        Goal g;
        g.name = n;
        g.solid = anySolid();
        g.point = dice_.vector();
        g.target = dice_.vector();
        if (dice_.maybe()) g.weight = dice_.positive();
        g.active = intervals();
        scene_.goals.push_back(g);
        break;
      }
      default: {
        Floor f;
        f.name = n;
        f.point = dice_.vector();
        if (dice_.maybe()) f.normal = dice_.direction();
        f.friction = dice_.positive();
        if (dice_.maybe()) f.stiffness = dice_.positive();
        f.damping = dice_.positive();
        scene_.floors.push_back(f);
      }
    }
  }

  void keyPose() {
    KeyPose p;
    p.name = name("pose");
    if (dice_.maybe()) p.time = dice_.positive();
    for (std::size_t i = 0; i < dice_.below(3); ++i)
      p.solids.push_back({anySolid(), dice_.pose(), dice_.rarely(), {}});
    for (const Joint& j : scene_.joints) {
      const JointKind* kind = findJointKind(j.kind);
      if (kind->coordinateCount > 0 && dice_.rarely())
        p.coordinates.push_back(
            {j.name, std::string(kind->coordinates[0].name), dice_.number(), {}});
    }
    scene_.keyPoses.push_back(p);
    if (dice_.rarely()) scene_.start = p.name;
  }

  void event() {
    Event e;
    e.time = dice_.positive();
    switch (dice_.below(5)) {
      case 0:
        e.action = "stop";
        break;
      case 1:
        e.action = "gravity";
        e.values = {dice_.number(), dice_.number(), dice_.number()};
        break;
      case 2:
        e.action = "damp";
        e.values = {dice_.positive()};
        break;
      default: {
        if (scene_.joints.empty()) return;
        const Joint& j = scene_.joints[dice_.below(scene_.joints.size())];
        const JointKind* kind = findJointKind(j.kind);
        e.names = {j.name};
        if (kind->coordinateCount > 0 && dice_.maybe()) {
          e.action = "drive";
          e.names.emplace_back(kind->coordinates[0].name);
          e.values = {dice_.number()};
        } else {
          e.action = dice_.maybe() ? "activate" : "deactivate";
        }
      }
    }
    scene_.events.push_back(e);
  }

  Dice dice_;
  Scene scene_;
  std::size_t count_ = 0;
};

inline Scene randomScene(std::uint64_t seed, std::size_t things) {
  return SceneMaker(seed).make(things);
}

}  // namespace tenon::testing
