// Crowds of random mechanisms that can move: every kind of joint of the catalogue, every kind of rule, every load, hands
// that come and go. The same seed gives the same crowd on every machine.
//
// A crowd is made of figures that nothing ties to each other, so that each can also be stepped alone. Joints are closed at
// the start by construction: solids are placed first, and the frames of a joint follow from where its solids are and from
// a relative pose that the kind allows. That pose is found by `assemble`, so that a new kind of joint takes part by itself.
#pragma once

#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/mechanism.h>
#include <tenon/posing.h>
#include <tenon/scene.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "math/portable.h"
#include "math/random.h"
#include "math/rotation.h"

namespace tenon::test {

// A joint is switched at the beginning of a step.
struct Switch {
  int step = 0;
  std::string joint;
  bool on = true;
};

struct RandomFigure {
  Scene scene;                   // names begin with the figure's own letter and number
  std::vector<Switch> switches;  // in the order of time
};

struct RandomCrowd {
  std::uint64_t seed = 0;
  std::vector<RandomFigure> figures;
  Vec3 gravity{0, -9.81, 0}, gravityLater{0, -9.81, 0};
  int gravityChanges = 0;  // at this step
  double damp = 0;
  std::vector<Drag> everywhere;  // acts on all solids
  double dt = 1.0 / 60;          // [s]
  int steps = 20;
};

// The scene of one figure, or of all.
inline Scene sceneOf(const RandomCrowd& crowd, std::optional<std::size_t> alone = std::nullopt) {
  Scene scene;
  scene.gravity = crowd.gravity;
  scene.damp = crowd.damp;
  scene.drags = crowd.everywhere;
  const auto add = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t f = 0; f < crowd.figures.size(); ++f) {
    if (alone && *alone != f) continue;
    const Scene& own = crowd.figures[f].scene;
    add(scene.solids, own.solids);
    add(scene.joints, own.joints);
    add(scene.forces, own.forces);
    add(scene.torques, own.torques);
    add(scene.muscles, own.muscles);
    add(scene.springs, own.springs);
    add(scene.drags, own.drags);
  }
  return scene;
}

// All kinds of rules. A new kind is missing in the switch: the compiler says so.
inline std::vector<CoordinateRule::Kind> allRuleKinds() {
  using Kind = CoordinateRule::Kind;
  std::vector<Kind> kinds;
  for (int k = 0; k < 64; ++k) switch (static_cast<Kind>(k)) {
      case Kind::Limit:
      case Kind::Spring:
      case Kind::Damper:
      case Kind::Drive:
      case Kind::Prescribe:
      case Kind::Prefer:
      case Kind::Friction:
      case Kind::Armature:
        kinds.push_back(static_cast<Kind>(k));
    }
  return kinds;
}
inline const char* nameOf(CoordinateRule::Kind rule) {
  using Kind = CoordinateRule::Kind;
  switch (rule) {
    case Kind::Limit:
      return "limit";
    case Kind::Spring:
      return "spring";
    case Kind::Damper:
      return "damper";
    case Kind::Drive:
      return "drive";
    case Kind::Prescribe:
      return "prescribe";
    case Kind::Prefer:
      return "prefer";
    case Kind::Friction:
      return "friction";
    case Kind::Armature:
      return "armature";
  }
  return "?";
}

class CrowdMaker {
 public:
  explicit CrowdMaker(std::uint64_t seed) : seed_(seed), random_(seed) {}

  RandomCrowd make() {
    RandomCrowd crowd;
    crowd.seed = seed_;
    constexpr double kSteps[] = {1.0 / 60, 1.0 / 120, 1.0 / 240};
    crowd.dt = kSteps[below(3)];
    crowd.steps = 12 + static_cast<int>(below(10));
    duration_ = crowd.steps * crowd.dt;
    if (rarely(8)) crowd.gravity = vectorIn(10);
    if (rarely(10)) crowd.gravity = {};
    crowd.gravityLater = crowd.gravity;
    crowd.gravityChanges = static_cast<int>(below(static_cast<std::size_t>(crowd.steps)));
    if (rarely(4)) crowd.gravityLater = vectorIn(10);
    if (rarely(10)) crowd.damp = number(0.001, 0.2);
    if (rarely(10)) {
      Drag drag;
      drag.name = "air";
      drag.linear = number(0, 1);
      if (coin()) drag.quadratic = number(0, 0.5);
      if (coin()) drag.angular = number(0, 0.1);
      crowd.everywhere.push_back(drag);
    }
    const std::size_t templates = 1 + below(3);
    for (std::size_t t = 0; t < templates; ++t) {
      const RandomFigure made = figure(crowd);
      // Copies stand side by side, and move faster or slower: they go through the kernels together.
      const std::size_t copies = rarely(2) ? 1 : 2 + below(5);
      for (std::size_t c = 0; c < copies; ++c) crowd.figures.push_back(copyOf(made, c));
    }
    return crowd;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(n)); }
  bool coin() { return random_.coin(); }
  bool rarely(std::size_t n) { return below(n) == 0; }
  double number(double from, double to) { return random_.uniform(from, to); }
  // Small and large ones are as likely.
  double scale(double from, double to) {
    return from * exponential(number(0, logarithm(to / from)));
  }
  Vec3 vectorIn(double size) {
    return random_.pointInBox({-size, -size, -size}, {size, size, size});
  }
  template <class T>
  const T& any(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  std::vector<Interval> times() {
    const double begin = number(0, 0.6) * duration_;
    return {{begin, rarely(3) ? kInfinity : begin + number(0.1, 0.6) * duration_}};
  }
  std::vector<Interval> rareTimes() { return rarely(10) ? times() : std::vector<Interval>{}; }

  // ------------------------------------------------------------------------------------- solids

  void addSolid(Scene& scene, bool mayStand) {
    const std::size_t i = scene.solids.size();
    Solid solid;
    solid.name = "s" + std::to_string(i);
    const Vec3 from = i == 0 ? Vec3{} : any(scene.solids).pose.p;
    const double far = number(0.3, 0.7);  // operands are evaluated in no fixed order
    solid.pose = {from + far * random_.direction(), random_.rotation()};
    Shape shape;
    constexpr ShapeKind kShapes[] = {ShapeKind::Box, ShapeKind::Box, ShapeKind::Ellipsoid,
                                     ShapeKind::Cylinder, ShapeKind::Capsule};
    shape.kind = kShapes[below(5)];
    shape.size = {number(0.1, 0.4), number(0.1, 0.4), number(0.1, 0.4)};
    solid.shapes.push_back(shape);
    solid.mass = rarely(5) ? scale(0.02, 50) : number(0.3, 3);
    if (rarely(4)) solid.com = vectorIn(0.1);
    if (mayStand && rarely(6)) {
      solid.kind = SolidKind::Immobile;
    } else if (mayStand && !plain_ && rarely(5)) {
      solid.kind = SolidKind::Animated;
      if (coin()) {
        solid.velocity = vectorIn(0.5);
        solid.spin = vectorIn(1);
      } else {
        for (int k = 0; k < 3; ++k) {
          PathKey key;
          key.time = 0.3 * k;
          key.pose = k == 0 ? solid.pose
                            : Pose{solid.pose.p + vectorIn(0.1),
                                   normalized(exponential(vectorIn(0.2)) * solid.pose.q)};
          solid.path.push_back(key);
        }
      }
    } else {
      const double fast = rarely(8) ? 10 : 1;
      solid.velocity = vectorIn(1);
      solid.spin = vectorIn(2 * fast);
    }
    if (points_ && solid.kind == SolidKind::Dynamic && coin()) {
      solid.pointMass = true;
      solid.com.reset();
      solid.spin = {};
    }
    scene.solids.push_back(solid);
  }

  // ------------------------------------------------------------------------------------- joints

  struct Choice {  // options of a kind, and a relative pose that they allow
    std::vector<JointOption> options;
    Pose X_12;
  };
  // Whether the kind says anything of how solids are turned.
  static bool turns(const JointKind& kind) {
    bool any = kind.velocityCount > 0;
    for (int r = 0; r < kind.residualCount; ++r) any = any || kind.residualAngular[r];
    return any;
  }

  // A pose in which a joint of this kind is closed, found from a random one.
  Choice closed(const JointKind& kind) {
    for (;;) {
      Choice choice;
      choice.options = any(examplesOf(kind)).options;
      Scene scene;
      scene.gravity = {};
      Solid solid;
      Shape shape;
      shape.size = {0.5, 0.5, 0.5};
      solid.shapes.push_back(shape);
      solid.name = "one";
      solid.kind = SolidKind::Immobile;
      scene.solids.push_back(solid);
      solid.name = "two";
      solid.kind = SolidKind::Dynamic;
      solid.pose = {vectorIn(0.4), random_.rotation()};
      scene.solids.push_back(solid);
      Joint joint;
      joint.name = "joint";
      joint.kind = std::string(kind.name);
      joint.solid1 = "one";
      joint.solid2 = "two";
      joint.options = choice.options;
      scene.joints.push_back(joint);
      const Result<Mechanism> made = compile(scene);
      if (!made.ok()) continue;
      State state = initialState(*made);
      const Control control = initialControl(*made);
      PoseSettings settings;
      settings.tolerance = 1e-13;
      settings.iterations = 60;
      settings.restarts = 3;
      settings.seed = random_.next();
      PoseScratch scratch;
      const PoseReport report = assemble(*made, control, {}, settings, state, scratch);
      if (!report.closed) continue;
      choice.X_12 = {state.position[1], state.orientation[1]};
      return choice;
    }
  }

  static Pose poseOf(const Scene& scene, const std::string& solid) {
    for (const Solid& s : scene.solids)
      if (s.name == solid) return s.pose;
    return {};
  }
  const Solid* find(const Scene& scene, const std::string& solid) const {
    for (const Solid& s : scene.solids)
      if (s.name == solid) return &s;
    return nullptr;
  }
  bool isPoint(const Scene& scene, const std::string& solid) const {
    const Solid* s = find(scene, solid);
    return s != nullptr && s->pointMass;
  }

  // A joint between two solids (empty: the world), of a kind of the palette that they can have.
  Joint jointBetween(const Scene& scene, const std::string& a, const std::string& b) {
    const bool points = isPoint(scene, a) || isPoint(scene, b);
    std::vector<const JointKind*> kinds;
    for (const JointKind* kind : palette_)
      if (kind->relates == Relates::Frames && !(points && turns(*kind))) kinds.push_back(kind);
    const JointKind& kind = kinds.empty() ? *findJointKind("ball") : *any(kinds);
    const Choice choice = closed(kind);
    Joint joint;
    joint.name = "j" + std::to_string(scene.joints.size());
    joint.kind = std::string(kind.name);
    joint.options = choice.options;
    joint.solid1 = a;
    joint.solid2 = b;
    if (coin()) std::swap(joint.solid1, joint.solid2);
    // In the middle between the two, more or less; a point mass has only its middle.
    const Pose X1 = poseOf(scene, joint.solid1), X2 = poseOf(scene, joint.solid2);
    const Vec3 middle = joint.solid1.empty()   ? X2.p
                        : joint.solid2.empty() ? X1.p
                                               : 0.5 * (X1.p + X2.p);
    const Pose X_W1{middle + vectorIn(0.2), random_.rotation()};
    joint.frame1 = inverse(X1) * X_W1;
    joint.frame2 = inverse(X2) * X_W1 * choice.X_12;
    joint.frame1.q = normalized(joint.frame1.q);
    joint.frame2.q = normalized(joint.frame2.q);
    if (!plain_ && rarely(10)) joint.compliance = scale(1e-6, 1e-2);
    if (rarely(10)) joint.damp = number(0, 0.1);
    return joint;
  }

  void addJoints(Scene& scene) {
    for (std::size_t i = 0; i < scene.solids.size(); ++i) {
      const std::string name = scene.solids[i].name;
      if (i == 0) {
        if (scene.solids[0].kind == SolidKind::Dynamic && coin())
          scene.joints.push_back(jointBetween(scene, "", name));
        continue;
      }
      if (rarely(12)) continue;  // tied later, or not at all
      scene.joints.push_back(jointBetween(scene, scene.solids[below(i)].name, name));
    }
    const std::size_t loops = rarely(3) ? 1 + below(2) : 0;
    for (std::size_t l = 0; l < loops && scene.solids.size() > 1; ++l) {
      const std::size_t a = below(scene.solids.size()), b = below(scene.solids.size());
      const std::string one = a == b ? "" : scene.solids[a].name;
      if (one.empty() && scene.solids[b].kind != SolidKind::Dynamic) continue;
      loopClosers_.insert(
          scene.joints.emplace_back(jointBetween(scene, one, scene.solids[b].name)).name);
    }
    for (const JointKind* kind : palette_)
      if (kind->relates == Relates::Points) addPoints(scene, *kind);
    for (const JointKind* kind : palette_)
      if (kind->relates == Relates::Coordinates) addCoordinates(scene, *kind);
  }

  void addPoints(Scene& scene, const JointKind& kind) {
    Joint joint;
    joint.name = "j" + std::to_string(scene.joints.size());
    joint.kind = std::string(kind.name);
    joint.options = any(examplesOf(kind)).options;
    // Four different points. A point mass has only one.
    std::set<std::string> taken;
    const auto point = [&](std::string& solid) {
      do solid = rarely(6) ? "" : any(scene.solids).name;
      while (taken.count(solid) > 0);
      if (!isPoint(scene, solid)) return vectorIn(0.4);
      taken.insert(solid);
      return Vec3{};
    };
    joint.frame1.p = point(joint.solid1);
    do joint.frame2.p = point(joint.solid2);
    while (joint.solid2 == joint.solid1);
    for (int k = 0; k < 2; ++k) {
      JointPoint& more = joint.more.emplace_back();
      more.point = point(more.solid);
    }
    scene.joints.push_back(joint);
  }

  void addCoordinates(Scene& scene, const JointKind& kind) {
    Joint joint;
    joint.name = "j" + std::to_string(scene.joints.size());
    joint.kind = std::string(kind.name);
    // Angles only, or lengths only: a sum of both is a rack, which is as good.
    for (const Joint& other : scene.joints) {
      const JointKind& coupled = *findJointKind(other.kind);
      if (coupled.freeCount == 0 || joint.couples.size() == 3 || rarely(4)) continue;
      if (isPoint(scene, other.solid1) || isPoint(scene, other.solid2)) continue;
      if (coupled.relates != Relates::Frames || coupled.limits != nullptr) continue;
      const std::size_t c = below(static_cast<std::size_t>(coupled.freeCount));
      joint.couples.push_back({other.name,
                               std::string(coupled.coordinates[c].name),
                               coin() ? number(0.5, 2) : number(-2, -0.5),
                               {}});
    }
    if (joint.couples.size() < 2) return;
    loopClosers_.insert(joint.name);
    scene.joints.push_back(joint);
  }

  // -------------------------------------------------------------------------------------- rules

  Signal signal(double from) {
    Signal made;
    made.offset = from;
    if (coin()) made.rate = number(-0.5, 0.5);
    if (coin()) {
      made.amplitude = number(-0.1, 0.1);
      made.frequency = number(0.5, 3);
    }
    if (rarely(4)) {
      made.keys = {{0, 0}, {0.2, number(-0.1, 0.1)}, {0.5, number(-0.1, 0.1)}};
    }
    return made;
  }

  // A rule of this kind for a coordinate that stands at `now`; nothing: it would contradict what is there.
  std::optional<CoordinateRule> rule(CoordinateRule::Kind kind, const JointKind& of, int coordinate,
                                     double now, const Joint& joint) {
    using Kind = CoordinateRule::Kind;
    const auto has = [&](Kind other) {
      return std::any_of(joint.rules.begin(), joint.rules.end(),
                         [&](const CoordinateRule& r) { return r.kind == other; });
    };
    CoordinateRule made;
    made.kind = kind;
    made.coordinate = std::string(of.coordinates[coordinate].name);
    switch (kind) {
      case Kind::Limit:
        if (has(Kind::Prescribe)) return {};
        made.lower = now - (rarely(6) ? 0 : number(0, 0.4));
        if (coin()) made.upper = now + number(0.01, 0.4);
        if (rarely(5)) made.compliance = scale(1e-5, 1e-2);
        break;
      case Kind::Drive:
        if (coin()) made.maxForce = scale(0.5, 50);
        [[fallthrough]];
      case Kind::Spring:
        made.target = signal(now + number(-0.5, 0.5));
        made.stiffness = scale(0.5, 200);
        if (coin()) made.damping = scale(0.02, 5);
        break;
      case Kind::Damper:
        made.damping = scale(0.02, 5);
        break;
      case Kind::Prescribe:
        // Not what lies within bounds of its own, nor an angle near where it is none.
        if (has(Kind::Limit) || has(Kind::Prescribe) || of.limits != nullptr) return {};
        if (coordinate >= of.freeCount && (std::abs(now) < 0.5 || std::abs(now) > 2.6)) return {};
        made.target = signal(now);
        if (rarely(5)) made.compliance = scale(1e-5, 1e-3);
        break;
      case Kind::Prefer:
        made.lower = now + number(-0.3, 0.1);
        if (coin()) made.upper = made.lower + number(0.01, 0.4);
        made.stiffness = scale(1, 200);
        if (coin()) made.damping = scale(0.02, 3);
        if (rarely(4)) made.maxForce = scale(0.5, 50);
        break;
      case Kind::Friction: {
        made.maxForce = scale(0.05, 10);
        bool loaded = false;
        for (int r = 0; r < of.residualCount; ++r) loaded = loaded || !of.residualAngular[r];
        if (of.coordinates[coordinate].angular) made.radius = number(0.01, 0.1);
        if (loaded && rarely(3)) made.coefficient = number(0.05, 0.5);
        break;
      }
      case Kind::Armature:
        // Of a length that is free, or of an angle that may turn on and on; there always.
        if (coordinate >= of.freeCount ||
            (of.coordinates[coordinate].angular && !of.coordinates[coordinate].periodic))
          return {};
        made.inertia = scale(0.01, 2);
        return made;
    }
    made.active = rareTimes();
    return made;
  }

  void addRules(Scene& scene) {
    if (rules_.empty()) return;
    const Result<Mechanism> made = compile(scene);
    if (!made.ok()) return;
    const State state = initialState(*made);
    const bool often = coin();
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      Joint& joint = scene.joints[j];
      const JointKind& kind = *findJointKind(joint.kind);
      const JointValues values = jointValues(*made, state, static_cast<Index>(j));
      const bool points = isPoint(scene, joint.solid1) || isPoint(scene, joint.solid2);
      for (const CoordinateRule::Kind wanted : rules_) {
        if (kind.coordinateCount == 0 || (!often && coin())) continue;
        const int c = static_cast<int>(below(static_cast<std::size_t>(kind.coordinateCount)));
        if (points && kind.relates == Relates::Frames && kind.coordinates[c].angular) continue;
        if (const auto r = rule(wanted, kind, c, values.coordinate[c], joint))
          joint.rules.push_back(*r);
      }
    }
    // Limits and preferred ranges say which turn an angle is counted from: prescribed motion begins where it stands then.
    const Result<Mechanism> ruled = compile(scene);
    if (!ruled.ok()) return;
    const State counted = initialState(*ruled);
    for (std::size_t j = 0; j < scene.joints.size(); ++j)
      for (CoordinateRule& r : scene.joints[j].rules)
        if (r.kind == CoordinateRule::Kind::Prescribe) {
          const int c = findCoordinate(*findJointKind(scene.joints[j].kind), r.coordinate);
          r.target.offset = jointValues(*ruled, counted, static_cast<Index>(j)).coordinate[c];
        }
  }

  // -------------------------------------------------------------------------------------- loads

  void addLoads(Scene& scene) {
    const auto moved = [&]() -> const Solid& { return any(scene.solids); };
    const auto pointOf = [&](const Solid& solid) {
      return solid.pointMass ? Vec3{} : vectorIn(0.3);
    };
    for (std::size_t n = rarely(3) ? 1 + below(3) : 0; n > 0; --n) {
      const std::string name = "l" + std::to_string(n);
      const Axes axes = coin() ? Axes::World : Axes::Body;
      const Solid& solid = moved();
      switch (below(6)) {
        case 0:
          scene.forces.push_back(
              {name, solid.name, pointOf(solid), vectorIn(20), axes, rareTimes(), {}});
          break;
        case 1:
          if (!solid.pointMass)
            scene.torques.push_back({name, solid.name, vectorIn(2), axes, rareTimes(), {}});
          break;
        case 2: {
          std::vector<std::string> joints;
          for (const Joint& joint : scene.joints)
            if (findJointKind(joint.kind)->relates == Relates::Frames &&
                !isPoint(scene, joint.solid1) && !isPoint(scene, joint.solid2))
              joints.push_back(joint.name);
          if (!joints.empty())
            scene.muscles.push_back({name, any(joints), vectorIn(2), rareTimes(), {}});
          break;
        }
        case 3:
        case 4: {
          Spring spring;
          spring.name = name;
          spring.solid2 = solid.name;
          spring.point2 = pointOf(solid);
          const Solid& other = moved();
          if (other.name != solid.name && coin()) {
            spring.solid1 = other.name;
            spring.point1 = pointOf(other);
          } else {
            spring.point1 = solid.pose.p + vectorIn(0.6);
          }
          if (coin()) spring.rest = number(0, 0.8);
          spring.stiffness = scale(1, 300);
          if (coin()) spring.damping = scale(0.05, 5);
          spring.active = rareTimes();
          scene.springs.push_back(spring);
          break;
        }
        default: {
          Drag drag;
          drag.name = name;
          drag.solid = solid.name;
          drag.linear = number(0, 2);
          if (coin()) drag.quadratic = number(0, 1);
          if (coin()) drag.angular = number(0, 0.1);
          drag.active = rareTimes();
          scene.drags.push_back(drag);
        }
      }
    }
  }

  // ------------------------------------------------------------------------------------- figures

  // Hands, and joints that are let go and taken again.
  void addSwitches(RandomFigure& figure, int steps) {
    Scene& scene = figure.scene;
    const auto any = [&](int from) {
      return from + static_cast<int>(below(static_cast<std::size_t>(std::max(1, steps - from))));
    };
    for (std::size_t n = rarely(3) ? 1 + below(2) : 0; n > 0; --n) {
      const Solid& solid = this->any(scene.solids);
      if (solid.kind != SolidKind::Dynamic) continue;
      Joint hand;
      hand.name = "hand" + std::to_string(n);
      hand.kind = "ball";
      hand.solid2 = solid.name;
      hand.frame2.p = solid.pointMass ? Vec3{} : vectorIn(0.2);
      hand.frame1.p = transform(solid.pose, hand.frame2.p) + (coin() ? Vec3{} : vectorIn(0.2));
      hand.compliance = scale(1e-4, 1e-2);
      if (rarely(4)) hand.damp = number(0, 0.05);
      if (rarely(4)) hand.active = times();
      scene.joints.push_back(hand);
      const int comes = any(0), goes = any(comes + 1);
      if (comes > 0) figure.switches.push_back({0, hand.name, false});
      figure.switches.push_back({comes, hand.name, true});
      figure.switches.push_back({goes, hand.name, false});
      if (coin()) figure.switches.push_back({any(goes + 1), hand.name, true});
    }
    if (rarely(8) && !scene.joints.empty()) {
      const Joint& joint = this->any(scene.joints);
      const int goes = any(1);
      figure.switches.push_back({goes, joint.name, false});
      if (coin()) figure.switches.push_back({any(goes + 1), joint.name, true});
    }
    if (rarely(8) && !scene.joints.empty())
      scene.joints[below(scene.joints.size())].active = times();
  }

  // Prescribed motion through rows that repeat each other could not be followed.
  static bool leads(const Scene& scene) {
    for (const Solid& solid : scene.solids)
      if (solid.kind == SolidKind::Animated) return true;
    for (const Joint& joint : scene.joints)
      for (const CoordinateRule& rule : joint.rules)
        if (rule.kind == CoordinateRule::Kind::Prescribe) return true;
    return false;
  }

  RandomFigure figure(const RandomCrowd& crowd) {
    RandomFigure made;
    Scene& scene = made.scene;
    loopClosers_.clear();
    palette_.clear();
    rules_.clear();
    plain_ = coin();
    points_ = !plain_ && rarely(6);
    // Few kinds at a time: what goes wrong can be laid to them, and what is plain goes by the kernels.
    const auto catalogue = jointCatalogue();
    const std::size_t kinds = 1 + below(3);
    for (std::size_t k = 0; k < kinds; ++k) {
      constexpr const char* kPlain[] = {"ball", "pin", "hooke", "weld", "pin", "ball"};
      palette_.push_back(plain_ ? findJointKind(kPlain[below(6)])
                                : &catalogue[below(catalogue.size())]);
    }
    static const std::vector<CoordinateRule::Kind> allRules = allRuleKinds();
    for (std::size_t k = coin() ? 1 + below(3) : 0; k > 0; --k) rules_.push_back(any(allRules));
    const std::size_t solids = rarely(4) ? 1 + below(12) : 1 + below(4);
    scene.gravity = crowd.gravity;
    for (std::size_t i = 0; i < solids; ++i) addSolid(scene, i == 0 && solids > 1);
    addJoints(scene);
    addRules(scene);
    addLoads(scene);
    if (leads(scene)) {
      std::erase_if(scene.joints,
                    [&](const Joint& joint) { return loopClosers_.count(joint.name) > 0; });
      std::erase_if(scene.muscles,
                    [&](const Muscle& muscle) { return loopClosers_.count(muscle.joint) > 0; });
    }
    addSwitches(made, crowd.steps);
    std::stable_sort(made.switches.begin(), made.switches.end(),
                     [](const Switch& a, const Switch& b) { return a.step < b.step; });
    settle(scene);
    return made;
  }

  // Velocities that the joints allow.
  static void settle(Scene& scene) {
    const Result<Mechanism> made = compile(scene);
    if (!made.ok()) return;
    State state = initialState(*made);
    PoseScratch scratch;
    projectVelocities(*made, initialControl(*made), state, scratch);
    for (std::size_t s = 0; s < scene.solids.size(); ++s) {
      if (scene.solids[s].kind != SolidKind::Dynamic) continue;
      scene.solids[s].velocity = state.velocity[s];
      scene.solids[s].spin = state.spin[s];
    }
  }

  RandomFigure copyOf(const RandomFigure& figure, std::size_t copy) {
    RandomFigure made = figure;
    Scene& scene = made.scene;
    const std::string prefix = "f" + std::to_string(count_++) + ".";
    const Vec3 by = copy == 0 ? Vec3{} : vectorIn(5);
    // Where nothing is led, velocities may be any multiple of those that joints allow.
    const double speed = copy == 0 || leads(scene) ? 1 : number(0, 1.5);
    const auto rename = [&](std::string& name) {
      if (!name.empty()) name = prefix + name;
    };
    for (Solid& solid : scene.solids) {
      rename(solid.name);
      solid.pose.p = solid.pose.p + by;
      for (PathKey& key : solid.path) key.pose.p = key.pose.p + by;
      solid.velocity = speed * solid.velocity;
      solid.spin = speed * solid.spin;
    }
    for (Joint& joint : scene.joints) {
      rename(joint.name);
      if (findJointKind(joint.kind)->relates != Relates::Coordinates) {
        if (joint.solid1.empty()) joint.frame1.p = joint.frame1.p + by;
        if (joint.solid2.empty()) joint.frame2.p = joint.frame2.p + by;
      }
      for (JointPoint& more : joint.more)
        if (more.solid.empty()) more.point = more.point + by;
      for (JointPoint& more : joint.more) rename(more.solid);
      for (CoupledCoordinate& term : joint.couples) rename(term.joint);
      rename(joint.solid1);
      rename(joint.solid2);
    }
    for (Force& force : scene.forces) rename(force.name), rename(force.solid);
    for (Torque& torque : scene.torques) rename(torque.name), rename(torque.solid);
    for (Muscle& muscle : scene.muscles) rename(muscle.name), rename(muscle.joint);
    for (Drag& drag : scene.drags) rename(drag.name), rename(drag.solid);
    for (Spring& spring : scene.springs) {
      rename(spring.name);
      if (spring.solid1.empty()) spring.point1 = spring.point1 + by;
      if (spring.solid2.empty()) spring.point2 = spring.point2 + by;
      rename(spring.solid1);
      rename(spring.solid2);
    }
    for (Switch& change : made.switches) rename(change.joint);
    return made;
  }

  std::uint64_t seed_;
  Random random_;
  double duration_ = 0;  // [s]
  std::size_t count_ = 0;
  // Of the figure that is being made.
  bool plain_ = false;   // of what the kernels know
  bool points_ = false;  // with point masses
  std::vector<const JointKind*> palette_;
  std::vector<CoordinateRule::Kind> rules_;
  std::set<std::string> loopClosers_;
};

inline RandomCrowd randomCrowd(std::uint64_t seed) { return CrowdMaker(seed).make(); }

// What acts at a step: switches and gravity.
inline void steer(const RandomCrowd& crowd, std::optional<std::size_t> alone, const Mechanism& m,
                  int step, Control& control) {
  control.gravity = step < crowd.gravityChanges ? crowd.gravity : crowd.gravityLater;
  for (std::size_t f = 0; f < crowd.figures.size(); ++f) {
    if (alone && *alone != f) continue;
    for (const Switch& change : crowd.figures[f].switches) {
      if (change.step != step) continue;
      for (std::size_t j = 0; j < m.joints.size(); ++j)
        if (m.jointNames[j] == change.joint)
          control.jointOn[j] = static_cast<std::uint8_t>(change.on ? 1 : 0);
    }
  }
}

}  // namespace tenon::test
