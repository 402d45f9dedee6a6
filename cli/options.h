// What options of several commands have in common: numbers that make sense, endings of files.
#pragma once

#include <tenon/settings.h>

#include <CLI/CLI.hpp>
#include <map>
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

// An option for each setting of motion or of assembly, by its name in the catalogue (tenon/settings.h): `--largest-turn A`,
// `--guess` and `--no-guess`.
class SettingOptions {
 public:
  enum class Of { Motion, Assembly };

  // Without those that the command has in its own words.
  void addTo(CLI::App& command, Of of, const std::vector<std::string_view>& without);
  // What the command line says wins over what is there.
  void apply(AllSettings& settings) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::vector<const Setting*> given() const;

 private:
  [[nodiscard]] const Setting::Field& fieldOf(const Setting& setting) const;

  Of of_ = Of::Motion;
  std::map<std::string_view, std::optional<std::string>>
      texts_;  // what was written; of a switch "1" or "0"
};

// Settings of motion that are options of no command that moves a scene: they have words of their own there, or nobody pulls.
inline const std::vector<std::string_view> kNotOfMotion{"method",
                                                        "duration",
                                                        "budget",
                                                        "pull-method",
                                                        "pull-iterations",
                                                        "pull-solver",
                                                        "pull-linear-iterations"};

inline constexpr const char* kStandardOutput = "-";

// What `-o` writes, by the ending of the name.
enum class Ending { None, Scene, Csv, Svg, Json, Html };
[[nodiscard]] Ending endingOf(const std::string& path);
[[nodiscard]] CLI::Validator endingOutOf(std::vector<Ending> known, bool orStandardOutput = false);
[[nodiscard]] CLI::Validator folder();  // a name that is not a file's

}  // namespace tenon::cli
