// What the commands that move a scene have in common: which scene, how long, by what steps.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "scene_input.h"
#include "simulation.h"

namespace tenon::cli {

// The names of the methods of which this holds.
[[nodiscard]] std::vector<std::string> methodsThat(bool (*does)(Method));

struct MotionOptions {
  std::string scene;
  ParameterOptions set;
  SolverOptions solver;
  std::optional<double> time, dt;     // [s]
  std::optional<double> alpha, beta;  // [1/s]
  std::optional<int> every;
  std::optional<double> largestTurn;  // [rad]
  std::optional<std::string> integrator;
  std::optional<double> stepTolerance;  // [m], [rad]
  int threads = 1;                      // 0: all there are
  bool general = false;
  bool asWritten = false, heavySegments = false;
  bool guess = false, accelerate = false, weighted = false, stopAtCap = false;

  void addTo(CLI::App& command, const std::string& whatEveryIs);
  // What the command line says wins over the scene, and the scene over the defaults.
  [[nodiscard]] RunSettings settingsFor(const Scene& scene) const;
};

}  // namespace tenon::cli
