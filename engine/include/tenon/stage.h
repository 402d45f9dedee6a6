// What the time of a step is spent on, where somebody asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

enum class Stage : std::uint8_t {
  Loads,   // gravity, springs, damping
  Rows,    // joints, limits, drives and friction, emitted and weighed, with how their forces change
  Slopes,  // how inertia changes with the poses
  Matrix,  // all of it put into the linear system
  Factor,  // the system factorised
  Solve,   // solved; all of it, if by an iterative solver
  Move,    // poses, velocities and momenta carried on
  Measure,  // how far from the tolerance
  Packed,   // a whole step by the fast path
  Other,    // what is left of the step
};
inline constexpr std::size_t kStages = static_cast<std::size_t>(Stage::Other) + 1;

[[nodiscard]] std::string_view nameOf(Stage stage);  // empty: no stage

struct StageTimes {
  std::array<double, kStages> microseconds{};

  [[nodiscard]] double operator[](Stage stage) const {
    return microseconds[static_cast<std::size_t>(stage)];
  }
  double& operator[](Stage stage) { return microseconds[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double time : microseconds) sum += time;
    return sum;
  }
  void add(const StageTimes& other) {
    for (std::size_t s = 0; s < kStages; ++s) microseconds[s] += other.microseconds[s];
  }
};

}  // namespace tenon
