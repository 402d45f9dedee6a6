// A mechanism in motion, and what is asked of every step of it.
#pragma once

#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/measure.h>
#include <tenon/mechanism.h>
#include <tenon/step.h>

#include <algorithm>
#include <cmath>

namespace tenon::test {

inline constexpr double kSame = 1e-9;    // [m], [rad], and what velocities make of it in a step
inline constexpr double kClosed = 1e-9;  // [m], [rad]
inline constexpr double kLedger = 1e-6;  // of the larger of kinetic energy and weight × size

struct Stepped {
  Mechanism m;
  Control control;
  State state;
  StepSettings settings;
  StepScratch scratch;
  StepReport report;

  Stepped(const Mechanism& mechanism, Method method) : m(mechanism) {
    control = initialControl(m);
    state = initialState(m);
    settings.method = method;
  }
  void step(double dt) { report = tenon::step(m, control, settings, dt, state, scratch); }
};

inline double energyOf(const Stepped& run, const State& state) {
  return kineticEnergy(run.m, state) + potentialEnergy(run.m, run.control, state);
}

// Weight × size: what the energy of a fall is like.
inline double weightOf(const Stepped& run) {
  double mass = 0, size = 1;
  for (const MechanismSolid& solid : run.m.solids) {
    if (solid.kind != SolidKind::Dynamic) continue;
    mass += solid.mass;
    size = std::max(size, norm(solid.initial.p - run.m.solids.front().initial.p));
  }
  return mass * std::max(norm(run.control.gravity), 1.0) * size;
}

// How far hard joints are open and coordinates beyond hard limits, at a state. Where a row changes by more than the solids
// move (a long lever, a coordinate near where it has no derivative), it counts by how far these would have to move.
struct Open {
  double joints = 0, range = 0;  // [m], [rad]
};
inline Open openingOf(const Stepped& run, const State& state) {
  Rows rows;
  emitRows(run.m, run.control, state, rows);
  Open most;
  for (const Row& row : rows.rows) {
    if (row.velocity || !std::isinf(row.stiffness)) continue;
    double slope = 1;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      for (const double J : rows.blocks[b].J) slope = std::max(slope, std::abs(J));
    if (row.equality)
      most.joints = std::max(most.joints, std::abs(row.error) / slope);
    else if (row.lower == 0)
      most.range = std::max(most.range, -row.error / slope);
  }
  return most;
}

struct Apart {
  double places = 0, speeds = 0;  // [m], [rad], and per second
};
inline Apart apart(const State& a, const State& b) {
  Apart most;
  for (std::size_t s = 0; s < a.position.size(); ++s) {
    const Quat turn = a.orientation[s] * conjugate(b.orientation[s]);
    most.places = std::max(
        {most.places, norm(a.position[s] - b.position[s]), 2 * norm(Vec3{turn.x, turn.y, turn.z})});
    most.speeds =
        std::max({most.speeds, norm(a.velocity[s] - b.velocity[s]), norm(a.spin[s] - b.spin[s])});
  }
  return most;
}

inline bool isFinite(const State& state) {
  for (std::size_t s = 0; s < state.position.size(); ++s)
    if (!tenon::isFinite(state.position[s]) || !tenon::isFinite(state.orientation[s]) ||
        !tenon::isFinite(state.velocity[s]) || !tenon::isFinite(state.spin[s]) ||
        !(std::abs(norm(state.orientation[s]) - 1) < 1e-9))
      return false;
  return std::all_of(state.multiplier.begin(), state.multiplier.end(),
                     [](double x) { return std::isfinite(x); });
}

// Whether something begins or ends within the step: what holds by its middle need not hold at its end.
inline bool switchesWithin(const Mechanism& m, double time, double dt) {
  const auto within = [&](double t) { return t >= time && t <= time + 1.001 * dt; };
  return std::any_of(m.intervals.begin(), m.intervals.end(),
                     [&](const Interval& i) { return within(i.begin) || within(i.end); });
}

}  // namespace tenon::test
