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
  SettingOptions settings;
  std::optional<double> time;  // [s]
  std::optional<int> every;
  bool general = false, asWritten = false, heavySegments = false, stopAtCap = false;

  void addTo(CLI::App& command, const std::string& whatEveryIs);
  // What the command line says wins over the scene, and the scene over the defaults.
  [[nodiscard]] RunSettings settingsFor(const Scene& scene) const;
};

}  // namespace tenon::cli
