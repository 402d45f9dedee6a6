// Runs one scene in one engine, measures it, and prints one line of JSON. The same for every engine:
// the clock, the gaps at the joints and the energy are ours, computed from poses and velocities.
//
//   peer_ENGINE SCENE VARIANT [--frames N] [--seconds T] [--unmeasured] [--least MS] [--poses]
//
//   --frames N      so many frames instead of the scene's own time (hopelessly slow engines)
//   --seconds T     the same by time
//   --unmeasured    times only: no second pass for gaps and energy
//   --least MS      passes are repeated until they took so long together (150); the least is reported
//   --poses         also where every solid is at the end
//
// A pass steps a new world through all frames; nothing else happens between the two looks at the clock.
// Building the world is not part of it. A second pass, not timed, reads all poses after every frame.
#pragma once

#include <ctime>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "scene_data.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

namespace peers {

struct Motion {
  Vec position;                // [m] of the centre
  double q[4] = {1, 0, 0, 0};  // w x y z, body to world
  Vec velocity;                // [m/s] of the centre, world axes
  Vec spin;                    // [rad/s] world axes
};

inline Vec rotate(const double q[4], const Vec& v) {
  const Vec u{q[1], q[2], q[3]};
  const Vec t = 2.0 * cross(u, v);
  return v + q[0] * t + cross(u, t);
}

// One engine with one scene in it.
class World {
 public:
  virtual ~World() = default;
  virtual void frame() = 0;                         // 1/60 s
  virtual void read(std::vector<Motion>& out) = 0;  // one for every box
  virtual void stop() {}                            // takes all velocities out (posing)
  virtual std::string note() const { return {}; }   // more members for the line: `, "a": 1`
  // Posing by another way than frames: true if done, with the result to be read.
  virtual bool pose() { return false; }
  virtual bool posesAtOnce() const { return false; }
};
using Make = std::function<std::unique_ptr<World>()>;

struct Options {
  std::string scene, variant;
  int frames = 0;
  double seconds = 0;
  bool measured = true, poses = false;
  double least = 150;  // [ms]
};

// ------------------------------------------------------------------------------------------ clocks

inline double cpuMicroseconds() {  // of this process
#ifdef __EMSCRIPTEN__
  return EM_ASM_DOUBLE({
    const used = process.cpuUsage();
    return used.user + used.system;
  });
#else
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
#endif
}
inline double wallMicroseconds() {
#ifdef __EMSCRIPTEN__
  return 1e3 * emscripten_get_now();
#else
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
#endif
}

// ---------------------------------------------------------------------------------------- measures

// The angle of a hinge about its axis, in (-π, π].
inline double angleOf(const Joint& joint, const std::vector<Motion>& now) {
  static const double identity[4] = {1, 0, 0, 0};
  const double* a =
      joint.parent == kWorld ? identity : now[static_cast<std::size_t>(joint.parent)].q;
  const double* b = now[static_cast<std::size_t>(joint.child)].q;
  // conj(a) b: its scalar part, and its vector part along the axis.
  const Vec u{a[1], a[2], a[3]}, v{b[1], b[2], b[3]};
  const double w = a[0] * b[0] + dot(u, v);
  const double along = dot(a[0] * v - b[0] * u - cross(u, v), joint.axis);
  const double angle = 2 * std::atan2(along, w);
  const double turn = 2 * 3.14159265358979323846;
  return angle > turn / 2 ? angle - turn : angle <= -turn / 2 ? angle + turn : angle;
}

struct Gap {
  double metres = 0, radians = 0;  // largest over the joints; of hinges' axes
  double passed = 0;               // [rad] by which a limit is passed, the largest
  bool finite = true;
};
inline Gap gapOf(const Scene& scene, const std::vector<Motion>& now) {
  static const double identity[4] = {1, 0, 0, 0};
  Gap gap;
  for (const Joint& joint : scene.joints) {
    const auto place = [&](int body) {
      if (body == kWorld) return joint.point;
      const Motion& m = now[static_cast<std::size_t>(body)];
      return m.position +
             rotate(m.q, joint.point - scene.boxes[static_cast<std::size_t>(body)].centre);
    };
    const auto turned = [&](int body) {
      return rotate(body == kWorld ? identity : now[static_cast<std::size_t>(body)].q, joint.axis);
    };
    const double d = length(place(joint.child) - place(joint.parent));
    if (!std::isfinite(d)) gap.finite = false;
    gap.metres = std::max(gap.metres, d);
    if (joint.hinge) {
      const Vec a = turned(joint.parent), b = turned(joint.child);
      gap.radians = std::max(gap.radians, std::atan2(length(cross(a, b)), dot(a, b)));
      if (joint.limit > 0)
        gap.passed = std::max(gap.passed, std::abs(angleOf(joint, now)) - joint.limit);
    }
  }
  return gap;
}

struct Energy {
  double kinetic = 0, potential = 0;  // [J]
};
inline Energy energyOf(const Scene& scene, const std::vector<Motion>& now) {
  Energy e;
  for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
    const Motion& m = now[i];
    const double mass = massOf(scene.boxes[i]);
    const Vec inertia = inertiaOf(scene.boxes[i]);
    const double back[4] = {m.q[0], -m.q[1], -m.q[2], -m.q[3]};
    const Vec w = rotate(back, m.spin);
    e.kinetic += 0.5 * mass * dot(m.velocity, m.velocity) +
                 0.5 * (inertia.x * w.x * w.x + inertia.y * w.y * w.y + inertia.z * w.z * w.z);
    e.potential -= mass * dot(scene.gravity, m.position);
  }
  return e;
}

struct Measures {
  Gap gap;
  double energyChange = 0;  // at the end, of the range of the potential energy
  double largestGain = 0;   // at any frame, of the same
  bool exploded = false;    // not finite, or more energy gained than the scene could ever fall by
};
inline Measures measure(const Scene& scene, int frames, World& world, std::vector<Motion>& now) {
  Measures result;
  world.read(now);
  const Energy start = energyOf(scene, now);
  double low = start.potential, high = start.potential, end = 0, most = 0;
  for (int f = 0; f < frames && result.gap.finite; ++f) {
    world.frame();
    world.read(now);
    const Gap gap = gapOf(scene, now);
    const Energy e = energyOf(scene, now);
    result.gap.metres = std::max(result.gap.metres, gap.metres);
    result.gap.radians = std::max(result.gap.radians, gap.radians);
    result.gap.passed = std::max(result.gap.passed, gap.passed);
    result.gap.finite = gap.finite && std::isfinite(e.kinetic);
    low = std::min(low, e.potential);
    high = std::max(high, e.potential);
    end = e.kinetic + e.potential - start.kinetic - start.potential;
    most = std::max(most, end);
  }
  const double range = std::max(high - low, 1e-300);
  result.energyChange = end / range;
  result.largestGain = most / range;
  // Drives give energy, but not as much as this.
  result.exploded = !result.gap.finite || result.largestGain > (scene.driven ? 10 : 0.5);
  return result;
}

// ------------------------------------------------------------------------------------------- runs

inline std::string numberOf(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return std::isfinite(x) ? text : "null";
}

inline int runFrames(const char* engine, const Scene& scene, const Options& options,
                     const Make& make) {
  const int frames = options.frames > 0
                         ? options.frames
                         : static_cast<int>(std::lround(
                               (options.seconds > 0 ? options.seconds : scene.seconds) / kFrame));
  double least = std::numeric_limits<double>::infinity(), wall = least, spent = 0;
  int passes = 0;
#ifdef __EMSCRIPTEN__
  const int fewest = 3;  // the first ones are compiled while they run
#else
  const int fewest = 1;
#endif
  std::string note;
  while (passes < fewest || (spent < 1e3 * options.least && passes < 1000)) {
    const std::unique_ptr<World> world = make();
    const double wallStart = wallMicroseconds(), start = cpuMicroseconds();
    for (int f = 0; f < frames; ++f) world->frame();
    const double took = cpuMicroseconds() - start;
    const double wallTook = wallMicroseconds() - wallStart;
    least = std::min(least, took);
    wall = std::min(wall, wallTook);
    spent += std::max(took, 1.0);
    ++passes;
    note = world->note();
    if (spent > 1e7) break;
  }
  const double solids = static_cast<double>(scene.boxes.size());
  std::printf(
      "{\"engine\": \"%s\", \"variant\": \"%s\", \"scene\": \"%s\", \"solids\": %zu, "
      "\"frames\": %d, \"passes\": %d, \"cpu_us\": %.3f, \"wall_us\": %.3f, "
      "\"us_per_solid_frame\": %.5f%s",
      engine, options.variant.c_str(), scene.name.c_str(), scene.boxes.size(), frames, passes,
      least, wall, least / solids / frames, note.c_str());
  if (options.measured || options.poses) {
    std::vector<Motion> now(scene.boxes.size());
    const std::unique_ptr<World> world = make();
    const Measures m = measure(scene, frames, *world, now);
    std::printf(
        ", \"max_error_m\": %s, \"max_error_rad\": %s, \"energy_change\": %s, "
        "\"largest_gain\": %s, \"limit_passed_rad\": %s, \"exploded\": %s",
        numberOf(m.gap.metres).c_str(), numberOf(m.gap.radians).c_str(),
        numberOf(m.energyChange).c_str(), numberOf(m.largestGain).c_str(),
        scene.driven ? numberOf(m.gap.passed).c_str() : "null", m.exploded ? "true" : "false");
    if (options.poses) {
      std::printf(", \"poses\": [");
      for (std::size_t i = 0; i < now.size(); ++i)
        std::printf("%s[%.17g, %.17g, %.17g]", i ? ", " : "", now[i].position.x, now[i].position.y,
                    now[i].position.z);
      std::printf("]");
    }
  }
  std::printf("}\n");
  return 0;
}

// Posing: until target and joints are within a millimetre, velocities taken out after every step. Only
// the steps are timed, not our look at the poses.
inline int runPosing(const char* engine, const Scene& scene, const Options& options,
                     const Make& make) {
  const double tolerance = 1e-3;
  const int most = options.frames > 0 ? options.frames : 5000;
  std::vector<Motion> now(scene.boxes.size());
  double least = std::numeric_limits<double>::infinity(), spent = 0, away = 0;
  Gap gap;
  int passes = 0, steps = 0;
  bool reached = false;
  std::string note;
  while (passes < 3 || (spent < 1e3 * options.least && passes < 2000)) {
    const std::unique_ptr<World> world = make();
    double took = 0;
    reached = false;
    for (steps = 0; steps < most && !reached;) {
      const double start = cpuMicroseconds();
      const bool atOnce = world->pose();
      if (!atOnce) {
        world->frame();
        world->stop();
      }
      took += cpuMicroseconds() - start;
      ++steps;
      world->read(now);
      gap = gapOf(scene, now);
      away = length(now[static_cast<std::size_t>(scene.pulled)].position - scene.target);
      reached = gap.finite && gap.metres <= tolerance && away <= tolerance;
      if (atOnce) break;
    }
    least = std::min(least, took);
    spent += std::max(took, 1.0);
    ++passes;
    note = world->note();
    if (spent > 1e7) break;
  }
  std::printf(
      "{\"engine\": \"%s\", \"variant\": \"%s\", \"scene\": \"%s\", \"solids\": %zu, "
      "\"frames\": %d, \"passes\": %d, \"cpu_us\": %.3f, \"max_error_m\": %s, "
      "\"target_m\": %s, \"reached\": %s%s}\n",
      engine, options.variant.c_str(), scene.name.c_str(), scene.boxes.size(), steps, passes, least,
      numberOf(gap.metres).c_str(), numberOf(away).c_str(), reached ? "true" : "false",
      note.c_str());
  return 0;
}

inline int run(const char* engine, int argc, char** argv,
               const std::function<Make(const Scene&, const std::string& variant)>& prepare) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--frames" && i + 1 < argc)
      options.frames = std::atoi(argv[++i]);
    else if (a == "--seconds" && i + 1 < argc)
      options.seconds = std::atof(argv[++i]);
    else if (a == "--least" && i + 1 < argc)
      options.least = std::atof(argv[++i]);
    else if (a == "--unmeasured")
      options.measured = false;
    else if (a == "--poses")
      options.poses = true;
    else
      (options.scene.empty() ? options.scene : options.variant) = a;
  }
  const Scene scene = sceneNamed(options.scene);
  if (scene.boxes.empty() || options.variant.empty()) {
    std::fprintf(stderr, "usage: peer_%s SCENE VARIANT [--frames N] …: see bench/peers/harness.h\n",
                 engine);
    return 2;
  }
  const Make make = prepare(scene, options.variant);
  if (!make) {
    std::fprintf(stderr, "peer_%s: no variant '%s' for %s\n", engine, options.variant.c_str(),
                 scene.name.c_str());
    return 2;
  }
  return scene.pulled >= 0 ? runPosing(engine, scene, options, make)
                           : runFrames(engine, scene, options, make);
}

}  // namespace peers
