#include "options.h"

#include <tenon/math.h>
#include <tenon/scene.h>
#include <tenon/solver.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "report.h"

namespace tenon::cli {
namespace {

const std::map<std::string, Ending>& endings() {
  static const std::map<std::string, Ending> all{{".tenon", Ending::Scene},
                                                 {".csv", Ending::Csv},
                                                 {".svg", Ending::Svg},
                                                 {".json", Ending::Json},
                                                 {".html", Ending::Html}};
  return all;
}

bool isBitmap(const std::string& ending) {
  static const std::set<std::string> bitmaps{".png", ".jpg", ".jpeg", ".webp", ".gif"};
  return bitmaps.count(ending) != 0;
}

struct Unit {
  std::string_view name;
  double scale, divisor;
};
struct Units {
  std::string noun, examples;
  std::vector<Unit> known;
};
const Units& unitsOf(Quantity quantity) {
  static const std::map<Quantity, Units> all{
      {Quantity::Number, {"a number", "0.01 or 1/60", {}}},
      {Quantity::Seconds,
       {"a time",
        "0.01, 1/60, 10ms or 2min; units are s (default), ms, us and min",
        {{"s", 1, 1}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {"µs", 1, 1e6}, {"min", 60, 1}}}},
      {Quantity::Milliseconds,
       {"a time",
        "50, 1/2 or 2s; units are ms (default), us, s and min",
        {{"ms", 1, 1}, {"us", 1, 1e3}, {"µs", 1, 1e3}, {"s", 1e3, 1}, {"min", 6e4, 1}}}},
      {Quantity::Radians,
       {"an angle",
        "0.5, 1/4 or 30deg; units are rad (default) and deg",
        {{"rad", 1, 1}, {"deg", kPi, 180}}}},
      {Quantity::Degrees,
       {"an angle",
        "30, 45/2 or 0.5rad; units are deg (default) and rad",
        {{"deg", 1, 1}, {"rad", 180, kPi}}}}};
  return all.at(quantity);
}

// Empty: read. Else what is wrong with it.
std::string readQuantity(const std::string& text, Quantity quantity, double& value) {
  const Units& units = unitsOf(quantity);
  const auto wrong = [&] {
    return "'" + text + "' is not " + units.noun + ": write " + units.examples;
  };
  // Not `strtod`'s inf, nan and 0x10.
  const auto number = [](const char*& at, double& x) {
    if (std::strchr("+-.0123456789", *at) == nullptr) return false;
    char* end = nullptr;
    x = std::strtod(at, &end);
    const bool good = end != at && std::isfinite(x) &&
                      std::find_if(at, static_cast<const char*>(end), [](char c) {
                        return std::isalpha(c) != 0 && c != 'e' && c != 'E';
                      }) == end;
    at = end;
    return good;
  };
  const char* at = text.c_str();
  if (*at == '\0' || !number(at, value)) return wrong();
  if (*at == '/') {
    double divisor = 0;
    ++at;
    if (*at == '\0' || !number(at, divisor) || divisor == 0) return wrong();
    value /= divisor;
  }
  while (*at == ' ') ++at;
  if (*at == '\0') return {};
  for (const Unit& unit : units.known)
    if (unit.name == at) {
      value = value * unit.scale / unit.divisor;
      return std::isfinite(value) ? std::string() : wrong();
    }
  return wrong();
}

CLI::Validator quantityThat(Quantity quantity, std::function<std::string(double)> fault) {
  return {[quantity, fault = std::move(fault)](std::string& text) -> std::string {
            double value = 0;
            if (std::string why = readQuantity(text, quantity, value); !why.empty()) return why;
            if (std::string why = fault(value); !why.empty()) return why;
            constexpr int kExactly = 17;
            text = shortNumber(value, kExactly);
            return {};
          },
          ""};
}

}  // namespace

CLI::Validator positive(Quantity quantity) {
  return quantityThat(quantity, [](double value) {
    return value > 0 ? std::string() : std::string("must be greater than 0");
  });
}

CLI::Validator within(Quantity quantity, double low, double high) {
  return quantityThat(quantity, [low, high](double value) {
    return value >= low && value <= high
               ? std::string()
               : "must be from " + shortNumber(low) + " to " + shortNumber(high);
  });
}

CLI::Validator notNegative() {
  return {[](std::string& text) -> std::string {
            int value = 0;
            if (!CLI::detail::lexical_cast(text, value) || value < 0)
              return "'" + text + "' is not a whole number from 0 upwards";
            return {};
          },
          ""};
}

CLI::Validator nameOutOf(std::string noun, std::vector<std::string> names) {
  return {[noun = std::move(noun), names = std::move(names)](std::string& text) -> std::string {
            if (std::find(names.begin(), names.end(), text) != names.end()) return {};
            const std::string near = nearestWord(text, names);
            return "there is no " + noun + " '" + text + "'; " +
                   (near.empty() ? "" : "did you mean '" + near + "'? ") + "there are " +
                   listed(names);
          },
          ""};
}

Ending endingOf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const auto found = dot == std::string::npos ? endings().end() : endings().find(path.substr(dot));
  return found == endings().end() ? Ending::None : found->second;
}

CLI::Validator endingOutOf(std::vector<Ending> known, bool orStandardOutput) {
  return {[known = std::move(known), orStandardOutput](std::string& text) -> std::string {
            const auto isKnown = [&](Ending ending) {
              return std::find(known.begin(), known.end(), ending) != known.end();
            };
            const std::filesystem::path path = text;
            std::error_code code;
            const bool one = known.size() == 1;
            // Where the ending does not choose, a pipe or /dev/null may have any name.
            if (isKnown(endingOf(text)) || (orStandardOutput && text == kStandardOutput) ||
                (one && std::filesystem::is_other(path, code)))
              return {};
            std::vector<std::string> names;
            for (const auto& [name, ending] : endings())
              if (isKnown(ending)) names.push_back(name);
            std::string what = "'" + text + "' cannot be written: its name must end in " +
                               (one ? names.front() : "one of " + listed(names));
            const bool bitmap = isBitmap(path.extension().string()) && isKnown(Ending::Svg);
            if (one || bitmap)
              what += "; write " + std::filesystem::path(path)
                                       .replace_extension(one ? names.front() : std::string(".svg"))
                                       .string();
            if (bitmap) what += ", and let a browser turn it into a " + path.extension().string();
            return what;
          },
          ""};
}

CLI::Validator folder() {
  return {[](std::string& text) -> std::string {
            std::error_code code;
            if (endingOf(text) == Ending::None || std::filesystem::is_directory(text, code))
              return {};
            return "'" + text +
                   "' must be a folder, but its name ends like the name of a file; write " +
                   std::filesystem::path(text).replace_extension().string();
          },
          ""};
}

std::string choicesOf(const std::vector<std::string>& names, std::string_view byDefault) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i] + (names[i] == byDefault ? " (default)" : "");
  }
  return text;
}

namespace {

// "displacement, shake: ", if the setting is not for all.
std::string whose(const Setting& setting, bool motion) {
  std::string text;
  bool all = true;
  const auto look = [&](const auto method, std::string_view name) {
    if (!setting.isFor(method))
      all = false;
    else
      text += (text.empty() ? "" : ", ") + std::string(name);
  };
  if (motion)
    for (const std::string& name : methodNames()) {
      Method method{};
      static_cast<void>(fromName(name, method));
      look(method, name);
    }
  else
    for (const std::string& name : namesOfAll<AssemblyMethod>()) {
      AssemblyMethod method{};
      static_cast<void>(fromName(name, method));
      look(method, name);
    }
  return all ? std::string() : text + ": ";
}

Quantity quantityOf(const Setting& setting) {
  return setting.unit == "s"     ? Quantity::Seconds
         : setting.unit == "rad" ? Quantity::Radians
                                 : Quantity::Number;
}

CLI::Validator allowedBy(const Setting& setting) {
  if (setting.kind == SettingKind::Whole)
    return {[&setting](std::string& text) -> std::string {
              std::uint64_t value = 0;
              if (!CLI::detail::lexical_cast(text, value) || text[0] == '-')
                return "'" + text + "' is not a whole number from 0 upwards";
              return setting.allows(static_cast<double>(value))
                         ? std::string()
                         : "must be at most " + shortNumber(setting.most);
            },
            ""};
  if (setting.kind == SettingKind::Positive && std::isinf(setting.most))
    return positive(quantityOf(setting));
  return quantityThat(quantityOf(setting), [&setting](double value) {
    return setting.allows(value)
               ? std::string()
               : std::string(setting.kind == SettingKind::Positive ? "must be greater than 0"
                                                                   : "must be 0 or more") +
                     (std::isfinite(setting.most) ? " and at most " + shortNumber(setting.most)
                                                  : "");
  });
}

}  // namespace

const Setting::Field& SettingOptions::fieldOf(const Setting& setting) const {
  return of_ == Of::Motion ? setting.moving : setting.posing;
}

void SettingOptions::addTo(CLI::App& command, Of of, const std::vector<std::string_view>& without) {
  of_ = of;
  const AllSettings defaults;
  for (const Setting& setting : settingCatalogue()) {
    const Setting::Field& field = fieldOf(setting);
    if (!field || std::find(without.begin(), without.end(), setting.name) != without.end())
      continue;
    std::optional<std::string>& text = texts_[setting.name];
    const std::string flag = "--" + std::string(setting.name);
    std::string help = whose(setting, of == Of::Motion) + std::string(setting.help);
    const double byDefault = field.value(defaults);
    if (setting.kind == SettingKind::Switch) {
      command.add_flag_function(
          flag + ",!--no-" + std::string(setting.name),
          [&text](std::int64_t count) { text = count > 0 ? "1" : "0"; },
          help + (byDefault != 0 ? " (default: on)" : " (default: off)"));
      continue;
    }
    if (setting.kind == SettingKind::Choice) {
      const std::vector<std::string> words(field.words.begin(), field.words.end());
      command
          .add_option(flag, text,
                      help + " " + choicesOf(words, words[static_cast<std::size_t>(byDefault)]))
          ->type_name("NAME")
          ->check(nameOutOf(std::string(setting.name), words));
      continue;
    }
    if (!setting.unit.empty()) help += " In " + std::string(setting.unit) + ".";
    if (std::isfinite(byDefault)) help += " (default " + shortNumber(byDefault) + ")";
    command.add_option(flag, text, help)
        ->type_name(setting.kind == SettingKind::Whole ? "N" : "V")
        ->transform(allowedBy(setting));
  }
}

void SettingOptions::apply(AllSettings& settings) const {
  for (const Setting* setting : given()) {
    const Setting::Field& field = fieldOf(*setting);
    const std::string& text = *texts_.at(setting->name);
    if (setting->kind == SettingKind::Choice)
      field.set(settings,
                static_cast<double>(std::find(field.words.begin(), field.words.end(), text) -
                                    field.words.begin()));
    else
      field.set(settings, std::strtod(text.c_str(), nullptr));
  }
}

bool SettingOptions::has(std::string_view name) const {
  const auto found = texts_.find(name);
  return found != texts_.end() && found->second.has_value();
}

std::vector<const Setting*> SettingOptions::given() const {
  std::vector<const Setting*> list;
  for (const Setting& setting : settingCatalogue())
    if (has(setting.name)) list.push_back(&setting);
  return list;
}

}  // namespace tenon::cli
