#include "scene_input.h"

#include <tenon/compile.h>
#include <tenon/language.h>

#include <chrono>

#include "text_files.h"

namespace tenon::cli {

void ParameterOptions::addTo(CLI::App& command) {
  command
      .add_option("--set", assignments,
                  "Give a parameter of the scene another value (repeat for more parameters)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](std::string& text) -> std::string {
            const std::size_t equals = text.find('=');
            if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
              return "write it as NAME=VALUE, e.g. --set links=20";
            return {};
          },
          ""));
}

std::vector<std::pair<std::string, std::string>> ParameterOptions::values() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return pairs;
}

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point before) {
  return std::chrono::duration<double, std::milli>(Clock::now() - before).count();
}

Result<Scene> read(const std::string& path, const ParseOptions& options) {
  if (path != kStandardInput) return loadScene(path, options);
  Result<std::string> text = readText(path);
  if (!text) return text.problems();
  return parseScene(std::move(*text), kShownStandardInput, options);
}

LoadedScene readAndCompile(const std::string& path, const ParameterOptions& set,
                           Progress& progress) {
  LoadedScene loaded;
  ParseOptions options;
  options.set = set.values();
  progress.now("reading " + path);
  Clock::time_point before = Clock::now();
  Result<Scene> scene = read(path, options);
  loaded.readMilliseconds = millisecondsSince(before);
  loaded.problems = scene.problems();
  if (!scene) return loaded;
  loaded.scene = std::move(*scene);
  progress.now("compiling " + path);
  before = Clock::now();
  Result<Mechanism> mechanism = compile(*loaded.scene);
  loaded.compileMilliseconds = millisecondsSince(before);
  loaded.problems.insert(loaded.problems.end(), mechanism.problems().begin(),
                         mechanism.problems().end());
  if (mechanism) loaded.mechanism = std::move(*mechanism);
  return loaded;
}

}  // namespace

LoadedScene loadAndCompile(const std::string& path, const ParameterOptions& set,
                           Progress& progress) {
  LoadedScene loaded = readAndCompile(path, set, progress);
  // What has no place in the text, such as a missing file, is a problem of the file as a whole.
  for (Problem& problem : loaded.problems)
    if (problem.file.empty()) problem.file = path == kStandardInput ? kShownStandardInput : path;
  return loaded;
}

std::vector<std::string> namesOf(const Mechanism& mechanism, const std::vector<Index>& joints) {
  std::vector<std::string> names;
  names.reserve(joints.size());
  for (const Index joint : joints) names.push_back(mechanism.jointNames[joint]);
  return names;
}

}  // namespace tenon::cli
