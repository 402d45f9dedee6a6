// The scenes that every engine of the comparison builds, as plain numbers: boxes, and the joints between
// them. No engine's type appears here, so that each program makes the same thing of the same data.
//
//   S1-N     chain of N boxes, ball joints end to end, one end pinned, starts horizontal
//   S2-N     the same with hinges, axes alternating z and y
//   S3       ladder: two rails of 50 links and 50 rungs, ball joints throughout, 50 closed loops
//   S4       S1-20 with the last link 1,000 times heavier
//   S5, S5-N N humanoids of 16 boxes (100 unless said), held at the pelvis, starting horizontal
//   R1, R1-N the people of S5 with hinges, each with a limit, a damper and a drive: even ones do not reach their limits
//   S6       posing: a humanoid with fingers and toes, both feet held, one hand pulled
//   GRID-N   net of N × N knots, rods between neighbours, held at two opposite corners, starts flat
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace peers {

struct Vec {
  double x = 0, y = 0, z = 0;
};
inline Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(double s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(const Vec& a) { return std::sqrt(dot(a, a)); }

struct Box {
  Vec centre;      // [m] world, at the start; axes are the world's
  Vec half;        // [m]
  double density;  // [kg/m³]
};
inline double massOf(const Box& b) {  // [kg]
  return 8 * b.half.x * b.half.y * b.half.z * b.density;
}
inline Vec inertiaOf(const Box& b) {  // [kg m²] about the centre, principal
  const double third = massOf(b) / 3;
  const Vec& h = b.half;
  return {third * (h.y * h.y + h.z * h.z), third * (h.z * h.z + h.x * h.x),
          third * (h.x * h.x + h.y * h.y)};
}

inline constexpr int kWorld = -1;

// Joints come in an order in which a parent's own joint stands before those of its children. `loop`: the
// child has a parent already; engines in joint coordinates close it by a constraint.
struct Joint {
  bool hinge = false;  // else a ball
  Vec point;           // [m] world, at the start
  Vec axis;            // of a hinge, unit
  int parent = kWorld, child = 0;
  bool loop = false;
  // Of a hinge: its angle q, of the child against the parent, about the axis, 0 at the start. The drive's torque is
  // stiffness (target - q), the damper's -damping dq/dt, both on the child, the opposite on the parent.
  double limit = 0;                   // [rad] either way; 0: none
  double stiffness = 0, damping = 0;  // [N m/rad], [N m s/rad]
  double amplitude = 0;               // [rad] of the target
};
inline constexpr double kDriveRate = 3.14159265358979323846;  // [rad/s]: 0.5 Hz
inline double targetOf(const Joint& joint, double time) {
  return joint.amplitude * std::sin(kDriveRate * time);
}

struct Scene {
  std::string name;
  std::vector<Box> boxes;
  std::vector<Joint> joints;
  Vec gravity{0, -9.81, 0};  // [m/s²]
  double seconds = 10;       // of the whole run
  int pulled = -1;           // posing: the box whose centre …
  Vec target;                // … is pulled to here [m]
  bool driven = false;       // its joints have limits, dampers and drives
};

inline constexpr double kFrame = 1.0 / 60;  // [s]

inline void addChain(Scene& s, int links, bool hinges, double z, double lastDensity) {
  const int first = static_cast<int>(s.boxes.size());
  for (int i = 0; i < links; ++i) {
    s.boxes.push_back({{i + 0.5, 0, z}, {0.5, 0.05, 0.05}, i == links - 1 ? lastDensity : 750.0});
    s.joints.push_back({hinges,
                        {double(i), 0, z},
                        {0, double(i % 2), double(1 - i % 2)},
                        i == 0 ? kWorld : first + i - 1,
                        first + i,
                        false});
  }
}

inline void addLadder(Scene& s, int rungs) {
  addChain(s, rungs, false, 0.5, 750);
  addChain(s, rungs, false, -0.5, 750);
  for (int i = 0; i < rungs; ++i) {
    const int rung = 2 * rungs + i;
    s.boxes.push_back({{i + 1.0, 0, 0}, {0.05, 0.05, 0.5}, 750});
    s.joints.push_back({false, {i + 1.0, 0, 0.5}, {}, i, rung, false});
    s.joints.push_back({false, {i + 1.0, 0, -0.5}, {}, rungs + i, rung, true});
  }
}

struct Humanoid {
  int pelvis = 0, leftHand = 0, leftFoot = 0, rightFoot = 0;
};
// Along x, head at +x, y up, left at +z. `digits`: fingers and toes, too. The pelvis gets no joint here.
inline Humanoid addHumanoid(Scene& s, const Vec& at, bool digits) {
  const double density = 1000;
  const auto add = [&](Vec centre, Vec half) {
    s.boxes.push_back({at + centre, half, density});
    return static_cast<int>(s.boxes.size()) - 1;
  };
  const auto attach = [&](int parent, Vec point, int child) {
    s.joints.push_back({false, at + point, {}, parent, child, false});
    return child;
  };
  Humanoid h;
  h.pelvis = add({0, 0, 0}, {.10, .08, .15});
  const int spine = attach(h.pelvis, {.10, 0, 0}, add({.20, 0, 0}, {.10, .07, .12}));
  const int torso = attach(spine, {.30, 0, 0}, add({.45, 0, 0}, {.15, .09, .17}));
  attach(torso, {.61, 0, 0}, add({.75, 0, 0}, {.12, .09, .08}));
  for (const double side : {1.0, -1.0}) {
    const int upperArm =
        attach(torso, {.55, 0, .20 * side}, add({.55, 0, .35 * side}, {.045, .045, .15}));
    const int lowerArm =
        attach(upperArm, {.55, 0, .50 * side}, add({.55, 0, .65 * side}, {.04, .04, .15}));
    const int hand =
        attach(lowerArm, {.55, 0, .80 * side}, add({.55, 0, .85 * side}, {.045, .02, .05}));
    const int upperLeg =
        attach(h.pelvis, {-.10, 0, .1 * side}, add({-.325, 0, .1 * side}, {.225, .07, .07}));
    const int lowerLeg =
        attach(upperLeg, {-.55, 0, .1 * side}, add({-.775, 0, .1 * side}, {.225, .05, .05}));
    const int foot =
        attach(lowerLeg, {-1.0, 0, .1 * side}, add({-1.10, 0, .1 * side}, {.10, .03, .045}));
    if (side > 0) h.leftHand = hand;
    (side > 0 ? h.leftFoot : h.rightFoot) = foot;
    for (int f = 0; digits && f < 5; ++f) {
      const double aside = .018 * (f - 2);
      int bone = hand;
      for (int j = 0; j < 3; ++j)
        bone = attach(bone, {.55 + aside, 0, side * (.90 + .03 * j)},
                      add({.55 + aside, 0, side * (.915 + .03 * j)}, {.008, .008, .015}));
      attach(foot, {-1.2, 0, .1 * side + aside},
             add({-1.22, 0, .1 * side + aside}, {.02, .008, .008}));
    }
  }
  return h;
}

inline void addCrowd(Scene& s, int people) {
  const double spacing = 3;  // [m]
  for (int i = 0; i < people; ++i) {
    const Vec at{spacing * (i % 10), 0, spacing * (i / 10)};
    s.joints.push_back({false, at, {}, kWorld, static_cast<int>(s.boxes.size()), false});
    addHumanoid(s, at, false);
  }
}

// The people of scenes/peers/r1.tenon. Axes alternate z and y from the pelvis on; those of the right are mirrored. Drives
// are as stiff as suits what a joint carries.
inline void addDrivenCrowd(Scene& s, int people) {
  constexpr double kInertia[] = {20,    10,   2.6,    0.18,   0.65, 0.0025, 0.0015, 3.8, 0.6,
                                 0.015, 0.65, 0.0025, 0.0015, 3.8,  0.6,    0.015};  // [kg m²]
  constexpr bool kAlongY[] = {false, true, false, true,  true, false, true,  true,
                              false, true, true,  false, true, true,  false, true};
  addCrowd(s, people);
  s.driven = true;
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    Joint& joint = s.joints[j];
    const std::size_t place = j % 16;
    const double side = place < 10 ? 1 : -1;
    joint.hinge = true;
    joint.axis = kAlongY[place] ? Vec{0, side, 0} : Vec{0, 0, 1};
    joint.limit = 0.6;
    joint.stiffness = 400 * kInertia[place];
    joint.damping = 20 * kInertia[place];
    joint.amplitude = j / 16 % 2 == 0 ? 0.3 : 0.9;
  }
}

// The rods of scenes/linkages/link-grid.tenon, there without gravity and held nowhere.
inline void addGrid(Scene& s, int n) {
  const double rod = 0.5, half = 0.45 * rod, across = 0.03 * rod;
  std::vector<int> first(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), -1);
  std::vector<bool> hung;
  const auto meet = [&](int i, int j,
                        int box) {  // a rod's end at a knot: joined to the first one there
    int& there = first[static_cast<std::size_t>(i * n + j)];
    if (there < 0)
      there = box;
    else
      s.joints.push_back({false, {i * rod, 0, j * rod}, {}, there, box, true});
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i < n - 1) {
        s.boxes.push_back({{(i + 0.5) * rod, 0, j * rod}, {half, across, across}, 750});
        meet(i, j, static_cast<int>(s.boxes.size()) - 1);
        meet(i + 1, j, static_cast<int>(s.boxes.size()) - 1);
      }
      if (j < n - 1) {
        s.boxes.push_back({{i * rod, 0, (j + 0.5) * rod}, {across, across, half}, 750});
        meet(i, j, static_cast<int>(s.boxes.size()) - 1);
        meet(i, j + 1, static_cast<int>(s.boxes.size()) - 1);
      }
    }
  for (const int corner : {0, n * n - 1})
    s.joints.push_back({false,
                        {corner / n * rod, 0, corner % n * rod},
                        {},
                        kWorld,
                        first[static_cast<std::size_t>(corner)],
                        true});
}

// By name; no boxes: there is none of that name.
inline Scene sceneNamed(const std::string& name) {
  Scene s;
  s.name = name;
  const std::size_t dash = name.find('-');
  const std::string kind = name.substr(0, dash);
  const int n = dash == std::string::npos ? 0 : std::atoi(name.c_str() + dash + 1);
  if ((kind == "S1" || kind == "S2") && n > 0) {
    addChain(s, n, kind == "S2", 0, 750);
    s.seconds = n < 1000 ? 10 : n < 10000 ? 2 : 0.5;
  } else if (kind == "S3") {
    addLadder(s, n > 0 ? n : 50);
  } else if (kind == "S4") {
    addChain(s, 20, false, 0, 750000);
  } else if (kind == "S5") {
    addCrowd(s, n > 0 ? n : 100);
    s.seconds = n <= 100 ? 5 : n <= 1000 ? 1 : 0.5;
  } else if (kind == "R1") {
    addDrivenCrowd(s, n > 0 ? n : 100);
    s.seconds = 5;
  } else if (kind == "S6") {
    const Humanoid h = addHumanoid(s, {}, true);
    s.joints.push_back({false, {-1.10, 0, .1}, {}, kWorld, h.leftFoot, true});
    s.joints.push_back({false, {-1.10, 0, -.1}, {}, kWorld, h.rightFoot, true});
    s.gravity = {};
    s.pulled = h.leftHand;
    s.target = Vec{.55, 0, .85} + Vec{-.3, .4, 0};
  } else if (kind == "GRID" && n > 1) {
    addGrid(s, n);
    s.seconds = 2;
  }
  return s;
}

}  // namespace peers
