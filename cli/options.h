// What options of several commands have in common: numbers that make sense, endings of files.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {

[[nodiscard]] CLI::Validator notNegative();  // a whole number >= 0

// Numbers as people write them: 0.01, 1/60, 10ms. They are put into the unit that the option has, by `transform`.
enum class Quantity { Number, Seconds, Milliseconds, Radians, Degrees };
[[nodiscard]] CLI::Validator positive(Quantity quantity = Quantity::Number);  // finite, > 0
[[nodiscard]] CLI::Validator within(Quantity quantity, double low, double high);

// One of `names`; if not, what there is, and which one may have been meant.
[[nodiscard]] CLI::Validator nameOutOf(std::string noun, std::vector<std::string> names);

// The names of an enumeration's values, as far as it has any: "direct", "cg", …
template <class E>
[[nodiscard]] std::vector<std::string> namesOfAll() {
  std::vector<std::string> names;
  for (int value = 0; !nameOf(static_cast<E>(value)).empty(); ++value)
    names.emplace_back(nameOf(static_cast<E>(value)));
  return names;
}

// "direct (default), cg or bicg"
[[nodiscard]] std::string choicesOf(const std::vector<std::string>& names,
                                    std::string_view byDefault);

// How linear systems are solved and when iterations end: of every command that solves.
struct SolverOptions {
  std::optional<std::string> solver;
  std::optional<int> iterations, linearIterations;
  std::optional<double> tolerance;  // [m], [rad]

  void addTo(CLI::App& command, const std::string& whatIterationsAre);
  // The names were checked when the command line was read.
  template <class Settings>
  void apply(Settings& settings) const {
    if (solver) static_cast<void>(fromName(*solver, settings.linear.solver));
    settings.iterations = iterations.value_or(settings.iterations);
    settings.linear.iterations = linearIterations.value_or(settings.linear.iterations);
    settings.tolerance = tolerance.value_or(settings.tolerance);
  }
};

inline constexpr const char* kStandardOutput = "-";

// What `-o` writes, by the ending of the name.
enum class Ending { None, Scene, Csv, Svg, Json, Html };
[[nodiscard]] Ending endingOf(const std::string& path);
[[nodiscard]] CLI::Validator endingOutOf(std::vector<Ending> known, bool orStandardOutput = false);
[[nodiscard]] CLI::Validator folder();  // a name that is not a file's

}  // namespace tenon::cli
