// Fields of requests and answers: read, checked and written by their table.
#include <algorithm>
#include <cmath>

#include "model/names.h"
#include "session/command_kind.h"
#include "session/read_json.h"
#include "session/session_impl.h"

namespace tenon {

struct Save::Content {
  Json json;
};

namespace {

template <class T>
T& made(const Field& field, void* of) {
  char* const at = static_cast<char*>(of) + field.offset;
  if (!field.optional) return *reinterpret_cast<T*>(at);
  return reinterpret_cast<std::optional<T>*>(at)->emplace();
}
// Null: it is missing.
template <class T>
const T* found(const Field& field, const void* of) {
  const char* const at = static_cast<const char*>(of) + field.offset;
  if (!field.optional) return reinterpret_cast<const T*>(at);
  const auto& value = *reinterpret_cast<const std::optional<T>*>(at);
  return value ? &*value : nullptr;
}

template <class T>
void choose(const Field& field, const Json& request, const char* of, T& value) {
  const std::string name = textOf(request, field.name);
  if (!fromName(name, value))
    refuse(std::string("there is no ") + field.name + " '" + name + "'" + of);
}

const Json& listOf(const Json& request, const char* key) {
  const Json& list = member(request, key);
  if (!list.is_array() ||
      std::any_of(list.begin(), list.end(), [](const Json& one) { return !one.is_object(); }))
    refuse(std::string("'") + key + "' must be a list of objects");
  return list;
}

constexpr Field kValueFields[] = {TENON_FIELD(Coordinate, joint, kNeeded, "", ""),
                                  TENON_FIELD(Coordinate, coordinate, kNeeded, "", ""),
                                  TENON_FIELD(Coordinate, value, kNeeded, "", "")};
constexpr Field kYieldFields[] = {TENON_FIELD(Yield, joint, kNeeded, "", ""),
                                  TENON_FIELD(Yield, weight, kFree, "", "")};
constexpr Field kYieldedFields[] = {
    TENON_FIELD(Yielded, joint, kFree, "", ""), TENON_FIELD(Yielded, metres, kFree, "", ""),
    TENON_FIELD(Yielded, radians, kFree, "", ""), TENON_FIELD(Yielded, weight, kFree, "", "")};

[[noreturn]] void tooLarge(const Field& field) {
  refuse(std::string("'") + field.name + "' is too large");
}
void checkNumber(const Field& field, double x) {
  if (!std::isfinite(x) || std::abs(x) > 1e12) tooLarge(field);
}

}  // namespace

std::vector<const Setting*> settingsOf(const Field& field) {
  std::vector<const Setting*> settings;
  for (const Setting& setting : settingCatalogue()) {
    // Assembly has `iterations` and a time of its own, which recordings change.
    const bool is = field.type == FieldType::MotionSettings ? bool(setting.moving)
                    : field.type == FieldType::AssemblySettings
                        ? setting.posing && setting.name != "budget" && setting.name != "iterations"
                        : false;
    if (is) settings.push_back(&setting);
  }
  return settings;
}

namespace {

// As in a request.
void write(const commands::Chosen& chosen, Json& json) {
  const Setting* const setting = findSetting(chosen.name);
  if (setting == nullptr) refuse("there is no setting '" + chosen.name + "'");
  if (setting->kind == SettingKind::Choice)
    put(json, chosen.name.c_str(), std::string_view(chosen.word));
  else if (setting->kind == SettingKind::Switch)
    put(json, chosen.name.c_str(), chosen.number != 0);
  else
    put(json, chosen.name.c_str(), chosen.number);
}

void readChosen(const Field& field, const Json& request, std::vector<commands::Chosen>& all) {
  for (const Setting* const setting : settingsOf(field)) {
    commands::Chosen one;
    one.name = std::string(setting->name);
    if (!has(request, one.name.c_str())) continue;
    const Json& value = request[one.name];
    AllSettings checked;
    readSetting(request, *setting,
                field.type == FieldType::MotionSettings ? setting->moving : setting->posing,
                checked);
    if (value.is_string()) one.word = value.get<std::string>();
    if (value.is_boolean()) one.number = value.get<bool>() ? 1 : 0;
    if (value.is_number()) one.number = value.get<double>();
    all.push_back(std::move(one));
  }
}

}  // namespace

void choose(const std::vector<commands::Chosen>& chosen, FieldType type, AllSettings& settings) {
  for (const commands::Chosen& one : chosen) {
    Json json;
    write(one, json);
    const Setting& setting = *findSetting(one.name);
    const Setting::Field& field =
        type == FieldType::MotionSettings ? setting.moving : setting.posing;
    if (!field) refuse("'" + one.name + "' is no setting of this command");
    readSetting(json, setting, field, settings);
  }
}

void read(Fields fields, const Json& request, void* into) {
  for (const Field& field : fields) {
    if (field.type == FieldType::MotionSettings) {
      readChosen(field, request, made<commands::MotionSettings>(field, into).all);
      continue;
    }
    if (field.type == FieldType::AssemblySettings) {
      readChosen(field, request, made<commands::AssemblySettings>(field, into).all);
      continue;
    }
    const char* const key = field.name;
    if (!has(request, key)) {
      if ((field.flags & kNeeded) != 0) refuse(std::string("'") + key + "' is missing");
      continue;
    }
    switch (field.type) {
      case FieldType::Text:
        made<std::string>(field, into) = textOf(request, key);
        break;
      case FieldType::Truth:
        if (!request[key].is_boolean()) refuse(std::string("'") + key + "' must be true or false");
        made<bool>(field, into) = request[key].get<bool>();
        break;
      case FieldType::Number:
        made<double>(field, into) = numberOf(request, key);
        break;
      case FieldType::Whole:
        made<int>(field, into) = countOf(request, key, 0, field.most);
        break;
      case FieldType::Vector:
        made<Vec3>(field, into) = vectorOf(request, key);
        break;
      case FieldType::Turn:
        made<Quat>(field, into) = exactTurnOf(request, key);
        break;
      case FieldType::Names:
        made<std::vector<std::string>>(field, into) = namesOf(request, key);
        break;
      case FieldType::Method:
        choose(field, request, "", made<Method>(field, into));
        break;
      case FieldType::Solver:
        choose(field, request, "", made<LinearSolver>(field, into));
        break;
      case FieldType::Assembly:
        choose(field, request, " of assembly", made<AssemblyMethod>(field, into));
        break;
      case FieldType::Files: {
        const Json& given = request[key];
        if (!given.is_object()) refuse(std::string("'") + key + "' must be an object of texts");
        for (const auto& [name, text] : given.items())
          if (text.is_string())
            made<std::vector<commands::File>>(field, into)
                .push_back({name, text.get<std::string>()});
        break;
      }
      case FieldType::Save:
        if (!request[key].is_object()) refuse(std::string("'") + key + "' must be an object");
        made<Save>(field, into) = saveOf(request[key]);
        break;
      case FieldType::Values:
        for (const Json& one : listOf(request, key))
          read(kValueFields, one,
               &made<std::vector<commands::Coordinate>>(field, into).emplace_back());
        break;
      case FieldType::Yields:
        for (const Json& one : listOf(request, key))
          read(kYieldFields, one, &made<std::vector<commands::Yield>>(field, into).emplace_back());
        break;
      case FieldType::Size:  // of answers alone
      case FieldType::Problems:
      case FieldType::Edits:
      case FieldType::Yielded:
      case FieldType::Frames:
      case FieldType::MotionSettings:  // above
      case FieldType::AssemblySettings:
        break;
    }
  }
}

void check(Fields fields, const void* of) {
  for (const Field& field : fields) {
    const std::string quoted = std::string("'") + field.name + "'";
    if (field.type == FieldType::Number) {
      if (const double* const x = found<double>(field, of)) checkNumber(field, *x);
    } else if (field.type == FieldType::Whole) {
      const int* const n = found<int>(field, of);
      if (n != nullptr && *n < 0) refuse(quoted + " must be a whole number");
      if (n != nullptr && *n > field.most)
        refuse(quoted + " is more than " + std::to_string(field.most));
    } else if (field.type == FieldType::Vector) {
      if (const Vec3* const v = found<Vec3>(field, of))
        for (int i = 0; i < 3; ++i) checkNumber(field, (*v)[i]);
    } else if (field.type == FieldType::Turn) {
      const Quat* const q = found<Quat>(field, of);
      if (q == nullptr) continue;
      for (const double x : {q->x, q->y, q->z, q->w}) checkNumber(field, x);
      if (!(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w > 1e-6))
        refuse(quoted + " is not a rotation");
    } else if (field.type == FieldType::Values) {
      for (const commands::Coordinate& one : *found<std::vector<commands::Coordinate>>(field, of))
        check(kValueFields, &one);
    } else if (field.type == FieldType::Yields) {
      for (const commands::Yield& one : *found<std::vector<commands::Yield>>(field, of))
        check(kYieldFields, &one);
    } else if (field.type == FieldType::Save && found<Save>(field, of)->content == nullptr) {
      refuse(quoted + " is missing");
    }
  }
}

namespace {

template <class T>
void writeValue(const Field& field, const void* of, Json& json) {
  if (const T* const value = found<T>(field, of)) Members{json}(field.name, *value);
}
template <class T>
void writeName(const Field& field, const void* of, Json& json) {
  if (const T* const value = found<T>(field, of)) put(json, field.name, nameOf(*value));
}
template <class T>
void writeList(const Field& field, const void* of, Fields fields, Json& json) {
  Json& list = listIn(json, field.name);
  for (const T& one : *found<std::vector<T>>(field, of)) write(fields, &one, added(list));
}

}  // namespace

void write(Fields fields, const void* of, Json& json) {
  for (const Field& field : fields) {
    switch (field.type) {
      case FieldType::Text:
        writeValue<std::string>(field, of, json);
        break;
      case FieldType::Truth:
        writeValue<bool>(field, of, json);
        break;
      case FieldType::Number:
        writeValue<double>(field, of, json);
        break;
      case FieldType::Whole:
        writeValue<int>(field, of, json);
        break;
      case FieldType::Size:
        writeValue<std::size_t>(field, of, json);
        break;
      case FieldType::Vector:
        writeValue<Vec3>(field, of, json);
        break;
      case FieldType::Turn:
        writeValue<Quat>(field, of, json);
        break;
      case FieldType::Names:
        writeValue<std::vector<std::string>>(field, of, json);
        break;
      case FieldType::Method:
        writeName<Method>(field, of, json);
        break;
      case FieldType::Solver:
        writeName<LinearSolver>(field, of, json);
        break;
      case FieldType::Assembly:
        writeName<AssemblyMethod>(field, of, json);
        break;
      case FieldType::Files: {
        const auto& files = *found<std::vector<commands::File>>(field, of);
        if (files.empty()) break;
        Json& texts = json[field.name];
        for (const commands::File& file : files) texts[file.name] = file.text;
        break;
      }
      case FieldType::Save:
        json[field.name] = jsonOf(*found<Save>(field, of));
        break;
      case FieldType::Values:
        writeList<commands::Coordinate>(field, of, kValueFields, json);
        break;
      case FieldType::Yields:
        if (!found<std::vector<commands::Yield>>(field, of)->empty())
          writeList<commands::Yield>(field, of, kYieldFields, json);
        break;
      case FieldType::Problems:
        json[field.name] = jsonOf(*found<std::vector<Problem>>(field, of));
        break;
      case FieldType::Edits: {
        Json& list = listIn(json, field.name);
        for (const TextEdit& edit : *found<std::vector<TextEdit>>(field, of))
          Members{added(list)}("offset", edit.offset)("length", edit.length)("text", edit.text);
        break;
      }
      case FieldType::Yielded: {
        Json& list = listIn(json, field.name);
        for (const commands::Yielded& one : *found<std::vector<commands::Yielded>>(field, of)) {
          Json& entry = added(list);
          write(kYieldedFields, &one, entry);
          if (!one.coordinate.empty()) put(entry, "coordinate", std::string_view(one.coordinate));
        }
        break;
      }
      case FieldType::MotionSettings:
        for (const commands::Chosen& one : found<commands::MotionSettings>(field, of)->all)
          write(one, json);
        break;
      case FieldType::AssemblySettings:
        for (const commands::Chosen& one : found<commands::AssemblySettings>(field, of)->all)
          write(one, json);
        break;
      case FieldType::Frames: {
        Json& list = listIn(json, field.name);
        for (const commands::Frame& frame : *found<std::vector<commands::Frame>>(field, of)) {
          Json& entry = added(list);
          Members{entry}("iteration", frame.iteration)("error", frame.error);
          Json& numbers = listIn(entry, "poses");
          for (const float x : frame.poses) add(numbers, x);
        }
        break;
      }
    }
  }
}

Result<Save> Save::read(std::string_view json) {
  Problem problem;
  problem.what = "this is no save";
  problem.remedy = "take it from the answer to the question 'save'";
  if (nestsTooDeep(json)) return std::vector<Problem>{problem};
  Json parsed = readJson(json);
  if (!parsed.is_object()) return std::vector<Problem>{problem};
  return saveOf(std::move(parsed));
}
std::string Save::json() const {
  return content == nullptr ? "{}"
                            : content->json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
Save saveOf(Json json) {
  Save save;
  save.content = std::make_shared<const Save::Content>(Save::Content{std::move(json)});
  return save;
}
const Json& jsonOf(const Save& save) { return save.content->json; }

}  // namespace tenon
