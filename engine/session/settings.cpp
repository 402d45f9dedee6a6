// The catalogue of settings: made from the list, with the place of each value.
#include <tenon/settings.h>

#include <cmath>
#include <type_traits>

#include "methods/method_flags.h"
#include "model/names.h"
#include "session/session_impl.h"

namespace tenon {

namespace {

constexpr std::uint16_t kEvery = 0xffff;
constexpr std::uint16_t with(MethodFlag flag) {
  std::uint16_t methods = 0;
  for (std::size_t i = 0; i < std::size(kMethodFlags); ++i)
    if ((kMethodFlags[i] & flag) != 0) methods |= static_cast<std::uint16_t>(1u << i);
  return methods;
}
template <class E>
constexpr std::uint16_t only(E method) {
  return static_cast<std::uint16_t>(1u << static_cast<unsigned>(method));
}

// `Place` is a lambda that gives the address of the value, or null.
template <class Place>
constexpr Setting::Field fieldOf(Place, Names words) {
  using Pointer = std::invoke_result_t<Place, AllSettings&>;
  using Type = Setting::Field::Type;
  if constexpr (std::is_same_v<Pointer, std::nullptr_t>) {
    return {};
  } else {
    using T = std::remove_pointer_t<Pointer>;
    static_assert(!std::is_enum_v<T> || sizeof(T) == 1);
    constexpr Type type = std::is_enum_v<T>                  ? Type::Enum
                          : std::is_same_v<T, bool>          ? Type::Bool
                          : std::is_same_v<T, int>           ? Type::Int
                          : std::is_same_v<T, std::uint64_t> ? Type::Seed
                                                             : Type::Double;
    return {type, [](AllSettings& run) -> void* { return Place{}(run); }, words};
  }
}

#define TENON_SETTING(name, kind, unit, most, words, other, field, second, methods, assembly, \
                      help)                                                                   \
  Setting{name,                                                                               \
          SettingKind::kind,                                                                  \
          unit,                                                                               \
          most,                                                                               \
          fieldOf([]([[maybe_unused]] AllSettings& run) { return field; }, words),            \
          fieldOf([]([[maybe_unused]] AllSettings& run) { return second; }, other),           \
          static_cast<std::uint16_t>(methods),                                                \
          static_cast<std::uint8_t>(assembly),                                                \
          help},
constexpr Setting kCatalogue[] = {TENON_SETTINGS(TENON_SETTING)};
#undef TENON_SETTING

}  // namespace

double Setting::Field::value(const AllSettings& run) const {
  const void* at = place(const_cast<AllSettings&>(run));  // only to read it
  switch (type) {
    case Type::Double:
      return *static_cast<const double*>(at);
    case Type::Int:
      return *static_cast<const int*>(at);
    case Type::Seed:
      return static_cast<double>(*static_cast<const std::uint64_t*>(at));
    case Type::Bool:
      return *static_cast<const bool*>(at) ? 1 : 0;
    case Type::Enum:
      return *static_cast<const std::uint8_t*>(at);
    case Type::None:
      break;
  }
  return 0;
}

void Setting::Field::set(AllSettings& run, double value) const {
  void* at = place(run);
  switch (type) {
    case Type::Double:
      *static_cast<double*>(at) = value;
      break;
    case Type::Int:
      *static_cast<int*>(at) = static_cast<int>(value);
      break;
    case Type::Seed:
      *static_cast<std::uint64_t*>(at) = static_cast<std::uint64_t>(value);
      break;
    case Type::Bool:
      *static_cast<bool*>(at) = value != 0;
      break;
    case Type::Enum:
      *static_cast<std::uint8_t*>(at) = static_cast<std::uint8_t>(value);
      break;
    case Type::None:
      break;
  }
}

bool Setting::allows(double value) const {
  const double least = 0;
  if (!(value >= least) || value > most || (kind == SettingKind::Positive && value == 0))
    return false;
  return kind != SettingKind::Whole || value == std::floor(value);
}

std::span<const Setting> settingCatalogue() { return kCatalogue; }

const Setting* findSetting(std::string_view name) {
  for (const Setting& setting : kCatalogue)
    if (setting.name == name) return &setting;
  return nullptr;
}

AllSettings allSettingsOf(const Settings& settings) {
  AllSettings run;
  for (const Settings::Given& given : settings.given) {
    const Setting* setting = findSetting(given.name);
    if (setting == nullptr) continue;
    for (const Setting::Field& field : {setting->moving, setting->posing}) {
      if (!field) continue;
      if (setting->kind == SettingKind::Choice) {
        for (std::size_t i = 0; i < field.words.size(); ++i)
          if (field.words[i] == given.word) field.set(run, static_cast<double>(i));
      } else {
        field.set(run, setting->unit == "ms" ? 1000 * given.number : given.number);
      }
    }
  }
  return run;
}

// ----------------------------------------------------------------------------------------- JSON

void readSetting(const Json& request, const Setting& setting, const Setting::Field& field,
                 AllSettings& settings) {
  const std::string key(setting.name);
  if (!has(request, key.c_str())) return;
  if (setting.kind == SettingKind::Choice) {
    const std::string name = textOf(request, key.c_str());
    std::vector<std::string> names;
    for (const std::string_view word : field.words) names.emplace_back(word);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return field.set(settings, static_cast<double>(i));
    const std::string near = nearestWord(name, names);
    refuse("there is no " + key + " '" + name + "'",
           near.empty() ? std::string() : "did you mean '" + near + "'?");
  }
  if (setting.kind == SettingKind::Switch) {
    const Json& value = member(request, key.c_str());
    if (!value.is_boolean()) refuse("'" + key + "' must be true or false");
    return field.set(settings, value.get<bool>() ? 1 : 0);
  }
  const double value = numberOf(request, key.c_str());
  if (!setting.allows(value))
    refuse("'" + key + "' must be " +
           (setting.kind == SettingKind::Positive ? "more than 0"
            : setting.kind == SettingKind::Whole  ? "a whole number from 0 upwards"
                                                  : "0 or more") +
           (std::isfinite(setting.most)
                ? ", at most " + std::to_string(static_cast<long long>(setting.most))
                : ""));
  field.set(settings, value);
}

Json jsonOf(const Setting::Field& field, const AllSettings& settings) {
  const double value = field.value(settings);
  switch (field.type) {
    case Setting::Field::Type::Enum:
      return std::string(field.words[static_cast<std::size_t>(value)]);
    case Setting::Field::Type::Bool:
      return value != 0;
    case Setting::Field::Type::Int:
    case Setting::Field::Type::Seed:
      return static_cast<std::int64_t>(value);
    default:
      return std::isfinite(value) ? Json(value) : Json();
  }
}

Json describeSettings() {
  constexpr std::string_view kKinds[] = {"positive", "not-negative", "whole", "switch", "choice"};
  const AllSettings defaults;
  Json list = Json::array();
  for (const Setting& setting : settingCatalogue()) {
    Json& entry = added(list);
    Members{entry}("name", setting.name)("kind", kKinds[static_cast<std::size_t>(setting.kind)])(
        "unit", setting.unit)("help", setting.help);
    if (setting.isNumber())
      put(entry, "most", std::isfinite(setting.most) ? Json(setting.most) : Json());
    const auto describe = [&](const char* key, const Setting::Field& field, const char* takers,
                              Names names, unsigned bits) {
      if (!field) return;
      Json& part = entry[key] = Json(Json::value_t::object);
      put(part, "default", jsonOf(field, defaults));
      if (!field.words.empty()) {
        Json& words = listIn(part, "words");
        for (const std::string_view word : field.words) add(words, word);
      }
      Json& list = listIn(part, takers);
      for (std::size_t i = 0; i < names.size(); ++i)
        if ((bits >> i & 1u) != 0) add(list, names[i]);
    };
    describe("motion", setting.moving, "methods", kMethodNames, setting.methods);
    describe("assembly", setting.posing, "methods", kAssemblyNames, setting.assembly);
  }
  return list;
}

}  // namespace tenon
