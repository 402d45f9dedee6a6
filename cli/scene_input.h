// Reading a scene as the commands do: from a file or standard input, with parameters overridden,
// compiled, at the pose as written.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/result.h>
#include <tenon/scene.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "terminal.h"

namespace tenon::cli {

// `--set NAME=VALUE`, any number of times.
struct ParameterOptions {
  std::vector<std::string> assignments;

  void addTo(CLI::App& command);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> values() const;
};

struct LoadedScene {
  std::optional<Scene> scene;          // if its text has no error
  std::optional<Mechanism> mechanism;  // if it also compiles
  std::vector<Problem> problems;       // of both, errors and warnings
  double readMilliseconds = 0, compileMilliseconds = 0;
};

[[nodiscard]] LoadedScene loadAndCompile(const std::string& path, const ParameterOptions& set,
                                         Progress& progress);

[[nodiscard]] std::vector<std::string> namesOf(const Mechanism& mechanism,
                                               const std::vector<Index>& joints);

}  // namespace tenon::cli
