// Figures whose joints hold points together, for the tests of the packed kernels: closed as they are made.
#pragma once

#include <tenon/posing.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "math/random.h"
#include "math/rotation.h"
#include "methods/moving.h"

namespace tenon::test {

inline constexpr std::size_t kTheWorld = static_cast<std::size_t>(-1);

inline Vec3 vectorIn(Random& random, double size) {
  return random.pointInBox({-size, -size, -size}, {size, size, size});
}
inline std::size_t below(Random& random, std::size_t n) {
  return static_cast<std::size_t>(random.below(n));
}

// Makes a scene of one or more figures.
class Figures {
 public:
  Scene scene;

  explicit Figures(const Vec3& gravity = {0, -9.81, 0}) { scene.gravity = gravity; }

  // Names of what comes begin with this.
  void begin(const std::string& name) { prefix_ = name + "."; }

  // A box whose centre of mass is off its origin.
  std::size_t box(const Pose& pose, const Vec3& size, const Vec3& centre = {},
                  SolidKind kind = SolidKind::Dynamic) {
    Solid solid;
    solid.name = prefix_ + "s" + std::to_string(scene.solids.size());
    solid.kind = kind;
    solid.pose = pose;
    Shape shape;
    shape.size = size;
    shape.pose.p = centre;
    solid.shapes.push_back(shape);
    scene.solids.push_back(solid);
    return scene.solids.size() - 1;
  }
  std::size_t randomBox(Random& random, const Vec3& at, SolidKind kind = SolidKind::Dynamic) {
    const Quat q = random.rotation();
    const Vec3 size{random.uniform(0.2, 0.5), random.uniform(0.15, 0.3), random.uniform(0.1, 0.3)};
    return box({at, q}, size, vectorIn(random, 0.05), kind);
  }

  // Joins a and b, as they are, at a frame given in the world; what the joint leaves free is turned at random.
  Joint& join(const std::string& kind, std::size_t a, std::size_t b, const Pose& frame,
              Random& random) {
    Joint joint;
    joint.name = prefix_ + "j" + std::to_string(scene.joints.size());
    joint.kind = kind;
    const auto poseOf = [this](std::size_t s) {
      return s == kTheWorld ? Pose{} : scene.solids[s].pose;
    };
    if (a != kTheWorld) joint.solid1 = scene.solids[a].name;
    if (b != kTheWorld) joint.solid2 = scene.solids[b].name;
    Pose turn;
    if (kind == "ball") turn.q = random.rotation();
    if (kind == "pin") turn.q = exponential({random.uniform(-2, 2), 0, 0});
    joint.frame1 = inverse(poseOf(a)) * frame;
    joint.frame2 = inverse(poseOf(b)) * frame * turn;
    joint.frame1.q = normalized(joint.frame1.q);
    joint.frame2.q = normalized(joint.frame2.q);
    scene.joints.push_back(joint);
    return scene.joints.back();
  }

 private:
  std::string prefix_;
};

enum class Root { Free, World, Immobile, Animated };

// Of all kinds that hold a point, of all of these that lock no single turn, or of these and such as slide.
inline const std::string kAnyKind, kNoHooke = "no hooke", kWithSlides = "sliding";
constexpr const char* kThatSlide[] = {"prismatic",     "cylindrical",    "planar",
                                      "point-on-line", "point-on-plane", "parallel"};

inline std::string kindOf(const std::string& wish, Random& random) {
  constexpr const char* kKinds[] = {"ball", "ball", "pin", "pin", "weld", "hooke"};
  if (wish == kAnyKind) return kKinds[below(random, 6)];
  if (wish == kNoHooke) return kKinds[below(random, 5)];
  if (wish == kWithSlides && random.below(2) == 0) return kThatSlide[below(random, 6)];
  if (wish == kWithSlides) return kKinds[below(random, 5)];
  return wish;
}

// Turns and moves frame 2 of a joint that slides, as it may.
inline void moveFreely(const std::string& kind, Random& random, Joint& joint) {
  const auto is = [&kind](std::initializer_list<std::string_view> kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  Pose by;
  if (is({"point-on-line", "point-on-plane"})) by.q = random.rotation();
  if (is({"cylindrical", "planar", "parallel"})) by.q = exponential({random.uniform(-2, 2), 0, 0});
  if (is({"prismatic", "cylindrical", "point-on-line", "parallel"}))
    by.p.x = random.uniform(-0.3, 0.3);
  if (is({"planar", "point-on-plane", "parallel"}))
    by.p += Vec3{0, random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)};
  if (by == Pose{}) return;
  joint.frame2 = joint.frame2 * by;
  joint.frame2.q = normalized(joint.frame2.q);
}

// A random tree of so many solids; any of its joints' two solids may be the first. Returns its first solid.
inline std::size_t addTree(Figures& figures, Random& random, std::size_t count, Root root,
                           const Vec3& at = {}, const std::string& kind = kAnyKind) {
  const std::size_t first = figures.scene.solids.size();
  const auto joinAny = [&](std::size_t a, std::size_t b, const Vec3& point) {
    if (random.below(2) == 0) std::swap(a, b);
    const std::string chosen = kindOf(kind, random);
    const Quat q = random.rotation();
    moveFreely(chosen, random, figures.join(chosen, a, b, {point, q}, random));
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0) {
      figures.randomBox(random, at);
      continue;
    }
    const std::size_t parent = first + below(random, i);
    const Vec3 from = figures.scene.solids[parent].pose.p;
    const Vec3 to = from + 0.45 * random.direction();
    const std::size_t child = figures.randomBox(random, to);
    joinAny(parent, child, 0.5 * (from + to) + vectorIn(random, 0.05));
  }
  if (root == Root::World) joinAny(kTheWorld, first + below(random, count), at + Vec3{0, 0.4, 0});
  if (root == Root::Immobile) {
    const std::size_t wall = figures.randomBox(random, at + Vec3{0, 0.6, 0}, SolidKind::Immobile);
    joinAny(wall, first + below(random, count), at + Vec3{0, 0.4, 0});
  }
  if (root == Root::Animated) {  // along a path, turning
    const std::size_t belt = figures.randomBox(random, at + Vec3{0, 0.6, 0}, SolidKind::Animated);
    Solid& solid = figures.scene.solids[belt];
    for (int k = 0; k < 6; ++k) {
      const Vec3 by = k == 0 ? Vec3{} : vectorIn(random, 0.2), turn = vectorIn(random, 0.3);
      const Quat q = k == 0 ? solid.pose.q : normalized(exponential(turn) * solid.pose.q);
      solid.path.push_back({0.25 * k, {solid.pose.p + by, q}});
    }
    joinAny(belt, first + below(random, count), at + Vec3{0, 0.4, 0});
  }
  return first;
}

// Solids in a circle, each joined to the next by a joint of the kinds given, in turn. `planar`: the axes of
// the joints' frames are all across the circle's plane. `hung`: the first solid is held to the world, too.
inline std::size_t addRing(Figures& figures, Random& random, const std::vector<std::string>& kinds,
                           bool planar, bool hung, const Vec3& at = {}) {
  const std::size_t count = kinds.size(), first = figures.scene.solids.size();
  const auto place = [&](double i) {
    const double angle = 2 * kPi * i / static_cast<double>(count) + (planar ? 0.2 * i : 0);
    return at +
           0.6 * Vec3{std::cos(angle), std::sin(angle), planar ? 0 : 0.1 * std::sin(3 * angle + 1)};
  };
  const Quat across = exponential({0, -kPi / 2, 0});
  for (std::size_t i = 0; i < count; ++i) {
    const auto k = static_cast<double>(i);
    const Vec3 middle = 0.5 * (place(k) + place(i + 1 == count ? 0 : k + 1));
    if (planar)
      figures.box({middle, exponential({0, 0, random.uniform(-3, 3)})}, {0.4, 0.2, 0.1});
    else
      figures.randomBox(random, middle);
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t a = first + (i + count - 1) % count, b = first + i;
    if (random.below(2) == 0) std::swap(a, b);
    const Quat any = random.rotation();
    figures.join(kinds[i], a, b, {place(static_cast<double>(i)), planar ? across : any}, random);
  }
  if (hung)
    figures.join(planar ? "pin" : "ball", kTheWorld, first,
                 {figures.scene.solids[first].pose.p, across}, random);
  return first;
}

// Two chains of balls hung up side by side, with a rung between them at every joint.
inline std::size_t addLadder(Figures& figures, Random& random, int rungs, bool hung,
                             const Vec3& at = {}) {
  const std::size_t first = figures.scene.solids.size();
  std::size_t before[2] = {kTheWorld, kTheWorld};
  for (int i = 0; i < rungs; ++i) {
    const double y = -0.4 * i;
    std::size_t rails[2];
    for (int side = 0; side < 2; ++side) {
      const double x = 0.5 * side;
      rails[side] =
          figures.box({at + Vec3{x, y - 0.2, 0.05 * i}, {}}, {0.1, 0.4, 0.15}, {0, 0, 0.02});
      if (i > 0 || hung)
        figures.join("ball", before[side], rails[side],
                     {at + Vec3{x, y, 0.05 * i - 0.02}, random.rotation()}, random);
      before[side] = rails[side];
    }
    const std::size_t rung =
        figures.box({at + Vec3{0.25, y - 0.4, 0.05 * i}, {}}, {0.5, 0.1, 0.15}, {0, 0.01, 0});
    for (int side = 0; side < 2; ++side)
      figures.join("ball", rung, rails[side],
                   {at + Vec3{0.5 * side, y - 0.4, 0.05 * i}, random.rotation()}, random);
  }
  return first;
}

// A net of rods between n × n knots, sagging, held at two opposite corners.
inline std::size_t addNet(Figures& figures, Random& random, int n) {
  const std::size_t first = figures.scene.solids.size();
  const auto knot = [n](int i, int j) {
    const double x = 2.0 * i / (n - 1) - 1, z = 2.0 * j / (n - 1) - 1;
    return Vec3{0.4 * i, 0.5 * (x * x - 0.4 * x * z), 0.4 * j};
  };
  std::vector<std::size_t> firstAt(static_cast<std::size_t>(n * n), kTheWorld);
  const auto meet = [&](int i, int j, std::size_t rod) {
    std::size_t& there = firstAt[static_cast<std::size_t>(i * n + j)];
    if (there == kTheWorld)
      there = rod;
    else
      figures.join("ball", there, rod, {knot(i, j), {}}, random);
  };
  const auto rod = [&](int i, int j, int k, int l) {
    const std::size_t box = figures.box({0.5 * (knot(i, j) + knot(k, l)), {}}, {0.1, 0.06, 0.08});
    meet(i, j, box);
    meet(k, l, box);
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i < n - 1) rod(i, j, i + 1, j);
      if (j < n - 1) rod(i, j, i, j + 1);
    }
  figures.join("ball", kTheWorld, firstAt.front(), {knot(0, 0), {}}, random);
  figures.join("ball", kTheWorld, firstAt.back(), {knot(n - 1, n - 1), {}}, random);
  return first;
}

// Both ends on the ground.
inline std::size_t addBridge(Figures& figures, Random& random, int links,
                             const std::vector<std::string>& kinds, const Vec3& at = {}) {
  const std::size_t first = figures.scene.solids.size();
  std::size_t last = kTheWorld;
  for (int i = 0; i <= links; ++i) {
    const Vec3 point = at + Vec3{0.4 * i, -0.3 * std::sin(kPi * i / links), 0};
    const std::size_t next =
        i < links ? figures.randomBox(random, point + Vec3{0.2, 0, 0.05}) : kTheWorld;
    const std::string& kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
    const Quat q = random.rotation();
    figures.join(kind, last, next, {point, q}, random);
    last = next;
  }
  return first;
}

// A random tree and further balls between its solids.
inline std::size_t addWeb(Figures& figures, Random& random, std::size_t count, int loops, Root root,
                          const Vec3& at = {}, const std::string& kind = kNoHooke) {
  const std::size_t first = addTree(figures, random, count, root, at, kind);
  for (int l = 0; l < loops; ++l) {
    const std::size_t a = below(random, count), b = (a + 1 + below(random, count - 1)) % count;
    const Vec3 middle =
        0.5 * (figures.scene.solids[first + a].pose.p + figures.scene.solids[first + b].pose.p);
    const Vec3 point = middle + vectorIn(random, 0.2);
    figures.join("ball", first + a, first + b, {point, {}}, random);
  }
  return first;
}

// In motion: spins and velocities at random, then what the joints allow of them.
inline void kick(Moving& p, std::uint64_t seed, double spin) {
  Random random(seed);
  for (std::size_t s = 0; s < p.m.solids.size(); ++s) {
    if (p.m.solids[s].kind != SolidKind::Dynamic) continue;
    p.state.spin[s] = vectorIn(random, spin);
    p.state.velocity[s] = vectorIn(random, 0.3 * spin);
  }
  PoseScratch scratch;
  projectVelocities(p.m, p.control, p.state, scratch);
}

inline Moving moving(const Scene& scene, Method method) {
  Moving p{Result<Scene>(scene)};
  p.settings.method = method;
  return p;
}

// The same mechanism in the same state, apart from it.
inline Moving copyOf(const Moving& p) {
  Moving copy{Result<Scene>(Scene{})};
  copy.m = p.m;
  copy.control = p.control;
  copy.state = p.state;
  copy.settings = p.settings;
  return copy;
}

struct Apart {
  double position = 0, turn = 0, velocity = 0, spin = 0;
};
inline Apart apart(const State& a, const State& b) {
  Apart d;
  for (std::size_t s = 0; s < a.position.size(); ++s) {
    d.position = std::max(d.position, norm(a.position[s] - b.position[s]));
    const Quat q = conjugate(a.orientation[s]) * b.orientation[s];
    d.turn = std::max(d.turn, 2 * norm(Vec3{q.x, q.y, q.z}));
    d.velocity = std::max(d.velocity, norm(a.velocity[s] - b.velocity[s]));
    d.spin = std::max(d.spin, norm(a.spin[s] - b.spin[s]));
  }
  return d;
}

inline const Method kFastMethods[] = {Method::Energy, Method::Interactive};

}  // namespace tenon::test
