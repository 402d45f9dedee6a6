// The catalogue of commands, and what it says of them to others.
#include <algorithm>

#include "session/command_kind.h"
#include "session/session_impl.h"

namespace tenon {

namespace {

constexpr const CommandKind* kCatalogue[] = {
#define TENON_ENTRY(Name) &k##Name,
    TENON_COMMANDS(TENON_ENTRY)
#undef TENON_ENTRY
};

std::vector<std::string> namesOf(const CommandKind& kind) {
  std::vector<std::string> names;
  for (const Field& field : kind.fields) {
    const std::vector<const Setting*> settings = settingsOf(field);
    for (const Setting* const setting : settings) names.emplace_back(setting->name);
    if (settings.empty()) names.emplace_back(field.name);
  }
  if (kind.drags) names.emplace_back("drag");
  return names;
}

}  // namespace

std::span<const CommandKind* const> commandCatalogue() { return kCatalogue; }

const CommandKind* findCommand(std::string_view name) {
  for (const CommandKind* kind : kCatalogue)
    if (name == kind->name) return kind;
  return nullptr;
}

std::vector<UnknownField> unknownFields(std::string_view command,
                                        const std::vector<std::string>& fields) {
  std::vector<UnknownField> unknown;
  const CommandKind* const kind = findCommand(command);
  if (kind == nullptr) return unknown;
  const std::vector<std::string> names = namesOf(*kind);
  for (const std::string& field : fields)
    if (field != "do" && std::find(names.begin(), names.end(), field) == names.end())
      unknown.push_back({field, nearestWord(field, names)});
  return unknown;
}

void checkNames(const CommandKind& kind, const Json& request) {
  std::vector<std::string> fields;
  for (const auto& [name, value] : request.items()) fields.push_back(name);
  for (const UnknownField& field : unknownFields(kind.name, fields)) {
    std::string remedy = didYouMean(field.nearest);
    for (const std::string& name : namesOf(kind))
      if (field.nearest.empty()) remedy += (remedy.empty() ? "it has '" : ", '") + name + "'";
    refuse(std::string("'") + kind.name + "' has no '" + field.name + "'", remedy);
  }
}

// For whoever writes programs and pages: the page's module does without it.
#ifdef __EMSCRIPTEN__
Json describeCommands() {
  refuse("the page's engine does not describe its commands", "ask the program");
}
#else
namespace {

constexpr const char* kGhostNames[] = {"told", "anew", "nothing", "steps"};

void describe(const Setting& setting, Json& list) {
  const FieldType type = setting.kind == SettingKind::Choice   ? FieldType::Text
                         : setting.kind == SettingKind::Switch ? FieldType::Truth
                                                               : FieldType::Number;
  Members{added(list)}("name", setting.name)("type",
                                             kFieldTypeNames[static_cast<std::size_t>(type)])(
      "unit", setting.name == "budget" ? "ms" : setting.unit)("needed", false)("says", "");
}

void describe(Fields fields, Json& list) {
  for (const Field& field : fields) {
    const std::vector<const Setting*> settings = settingsOf(field);
    for (const Setting* const setting : settings) describe(*setting, list);
    if (!settings.empty()) continue;
    Members{added(list)}("name", field.name)(
        "type", kFieldTypeNames[static_cast<std::size_t>(field.type)])("unit", field.unit)(
        "needed", (field.flags & kNeeded) != 0)("says", field.says);
  }
}

}  // namespace

Json describeCommands() {
  Json json;
  Json& commands = listIn(json, "commands");
  for (const CommandKind* kind : kCatalogue) {
    Json& entry = added(commands);
    Members{entry}("name", kind->name)("says", kind->says)("busy", kind->busy)(
        "drags", kind->drags)("text", kind->text)("verdict", kind->verdict)("past", kind->past)(
        "pace", kind->pace)("motion", kind->motion)("drops_hands", kind->dropsHands)(
        "stops", kind->stops)("opens", kind->entry == Entry::Opens)(
        "ghosts", kGhostNames[static_cast<std::size_t>(kind->ghosts)]);
    describe(kind->fields, listIn(entry, "fields"));
    describe(kind->answer, listIn(entry, "answer"));
  }
  describeQuestions(listIn(json, "questions"));
  return json;
}
#endif

}  // namespace tenon
