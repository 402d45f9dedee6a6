// A scene in motion, for the tests of methods.
#pragma once

#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/language.h>
#include <tenon/loads.h>
#include <tenon/measure.h>
#include <tenon/step.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace tenon::test {

// So many steps of a long run; fewer under the sanitizers, which take ten times as long and look for other
// things.
inline int stepsOf(int steps) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return steps / 8;
#else
  return steps;
#endif
}

// So many trials of one kind, at least one.
inline int trialsOf(int trials) { return std::max(1, stepsOf(trials)); }

struct Moving {
  Mechanism m;
  Control control;
  State state;
  StepSettings settings;
  StepScratch scratch;
  StepReport report;  // of the last step
  long iterations = 0, linearIterations = 0, halvings = 0;

  explicit Moving(const std::string& text) : Moving(parseScene(text, "test")) {}
  explicit Moving(const Result<Scene>& scene) {
    EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : describe(scene.problems().front()));
    if (scene.ok()) {
      auto made = compile(*scene);
      EXPECT_TRUE(made.ok()) << (made.ok() ? "" : describe(made.problems().front()));
      if (made.ok()) m = std::move(*made);
    }
    control = initialControl(m);
    state = initialState(m);
  }
  // False if the step was refused.
  bool step(double dt) {
    report = tenon::step(m, control, settings, dt, state, scratch);
    iterations += report.iterations;
    linearIterations += report.linearIterations;
    halvings += report.halvings;
    return report.finite && !report.stopped;
  }
  bool run(double time, double dt) {
    const long steps = std::lround(time / dt);
    for (long i = 0; i < steps; ++i)
      if (!step(dt)) return false;
    return true;
  }
  [[nodiscard]] double error() const { return jointError(m, control, state).max; }
  [[nodiscard]] double energy() const {
    return kineticEnergy(m, state) + potentialEnergy(m, control, state);
  }
};

// What two states differ in: nothing, if every number is the same. That is more than `stateHash` asks for: multipliers, turns that are
// counted and how long islands have rested act on the next step, too.
inline std::string differenceOf(const State& a, const State& b) {
  if (a.time != b.time) return "time";
  if (a.position != b.position) return "positions";
  if (a.orientation != b.orientation) return "orientations";
  if (a.velocity != b.velocity) return "velocities";
  if (a.spin != b.spin) return "spins";
  if (a.multiplier != b.multiplier) return "multipliers";
  if (a.memory != b.memory) return "memory";
  if (a.rest != b.rest || a.restIn != b.restIn || a.restGravity != b.restGravity) return "rest";
  return "";
}

// A chain of boxes `length` long along x, hung up at the origin unless it is free. `before` is the scene's
// text before it, `last` stands inside the last solid.
inline std::string chainText(int links, bool hung, const std::string& before, double length = 1,
                             double width = 0.1, const std::string& last = "") {
  const auto number = [](double x) { return std::to_string(x); };
  std::string text = before + "\n";
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i);
    text += "solid s" + n + " box " + number(length) + " " + number(width) + " " + number(width) +
            "; at " + number((i + 0.5) * length) + " 0 0; " + (i == links - 1 ? last : "") +
            " end\n";
    if (i > 0 || hung)
      text += "joint ball j" + n + (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") +
              " object2 s" + n + "; at " + number(i * length) + " 0 0; end\n";
  }
  return text;
}

inline Moving moving(const std::string& text, Method method = Method::Energy) {
  Moving p(text);
  p.settings.method = method;
  return p;
}

// Six links that turn as a whole, at two radians a second; the first is pushed across and swings out.
inline Moving freeChain() {
  Moving p(chainText(6, false, "gravity 0 0 0;"));
  for (std::size_t i = 0; i < 6; ++i) {
    p.state.velocity[i] = {0, (static_cast<double>(i) - 2.5) * 2.0, 0};
    p.state.spin[i] = {0, 0, 2};
  }
  p.state.spin[0] += Vec3{0, 1, 0};
  p.state.velocity[0] += Vec3{0, 0, 0.5};
  return p;
}

inline const std::string kGravity = "gravity 0 -9.81 0;";

// A block on a slide along x.
inline std::string slide(const std::string& rules, const std::string& before = kGravity) {
  return before + R"(
solid a box 0.1 0.1 0.1; mass 2; velocity 3 0 0; end
joint prismatic rail object2 a; at 0 0 0; axis 1 0 0; )" +
         rules + " end\n";
}

}  // namespace tenon::test
