// What the catalogue says of a command: once, for the parser, the history, recordings, docs/session.md and the page.
//
//   constexpr Field kDampFields[] = {TENON_FIELD(Damp, value, kNeeded, "", "the factor")};
//   constinit const CommandKind kDamp = commandKind<commands::Damp>(
//       {.name = "damp", .label = "Damp", .drags = true, .says = TENON_SAYS("sets …")}, kDampFields);
#pragma once

#include <tenon/session.h>
#include <tenon/settings.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "session/members.h"
#include "session/recording.h"

namespace tenon {

// Sentences for docs/session.md, which a native program writes. The page does not load them.
#ifdef __EMSCRIPTEN__
#define TENON_SAYS(sentence) ""
#else
#define TENON_SAYS(sentence) sentence
#endif

// ---- Fields of requests and answers.

enum class FieldType : std::uint8_t {
  Text,
  Truth,
  Number,
  Whole,
  Size,
  Vector,
  Turn,
  Names,
  Method,
  Solver,
  Assembly,
  Files,
  Save,
  Values,
  Yields,
  Problems,
  Edits,
  Yielded,
  Frames,
  MotionSettings,  // each a field of its own in JSON
  AssemblySettings
};
inline constexpr const char* kFieldTypeNames[] = {
    "text",   "truth",           "number",           "whole",    "whole",    "vector",
    "turn",   "names",           "method",           "solver",   "assembly", "files",
    "save",   "values",          "yields",           "problems", "edits",    "yielded",
    "frames", "motion settings", "assembly settings"};

enum FieldFlag : unsigned {
  kFree = 0,
  kNeeded = 1,
  kThing = 2,  // the label names it
};

struct Field {
  const char* name;
  FieldType type;
  bool optional;  // std::optional in the struct
  std::uint8_t flags;
  std::uint16_t offset;  // [byte] in the struct
  const char* unit;
  const char* says;
  int most = 1'000'000;  // of a whole number
};

template <class T>
struct TypeOfField;
#define TENON_TYPE_OF_FIELD(Cpp, Type)                  \
  template <>                                           \
  struct TypeOfField<Cpp> {                             \
    static constexpr FieldType kType = FieldType::Type; \
    static constexpr bool kOptional = false;            \
  };
TENON_TYPE_OF_FIELD(std::string, Text)
TENON_TYPE_OF_FIELD(bool, Truth)
TENON_TYPE_OF_FIELD(double, Number)
TENON_TYPE_OF_FIELD(int, Whole)
TENON_TYPE_OF_FIELD(std::size_t, Size)
TENON_TYPE_OF_FIELD(Vec3, Vector)
TENON_TYPE_OF_FIELD(Quat, Turn)
TENON_TYPE_OF_FIELD(std::vector<std::string>, Names)
TENON_TYPE_OF_FIELD(Method, Method)
TENON_TYPE_OF_FIELD(LinearSolver, Solver)
TENON_TYPE_OF_FIELD(AssemblyMethod, Assembly)
TENON_TYPE_OF_FIELD(std::vector<commands::File>, Files)
TENON_TYPE_OF_FIELD(Save, Save)
TENON_TYPE_OF_FIELD(std::vector<commands::Coordinate>, Values)
TENON_TYPE_OF_FIELD(std::vector<commands::Yield>, Yields)
TENON_TYPE_OF_FIELD(std::vector<Problem>, Problems)
TENON_TYPE_OF_FIELD(std::vector<TextEdit>, Edits)
TENON_TYPE_OF_FIELD(std::vector<commands::Yielded>, Yielded)
TENON_TYPE_OF_FIELD(std::vector<commands::Frame>, Frames)
TENON_TYPE_OF_FIELD(commands::MotionSettings, MotionSettings)
TENON_TYPE_OF_FIELD(commands::AssemblySettings, AssemblySettings)
#undef TENON_TYPE_OF_FIELD
template <class T>
struct TypeOfField<std::optional<T>> {
  static constexpr FieldType kType = TypeOfField<T>::kType;
  static constexpr bool kOptional = true;
};

// Of the struct commands::Command. In JSON its name is `key`; TENON_FIELD takes that of the member.
#define TENON_FIELD_AS(Command, member, key, flags, unit, says, ...)                           \
  Field {                                                                                      \
    key, TypeOfField<decltype(commands::Command::member)>::kType,                              \
        TypeOfField<decltype(commands::Command::member)>::kOptional, (flags),                  \
        offsetof(commands::Command, member), unit, TENON_SAYS(says) __VA_OPT__(, ) __VA_ARGS__ \
  }
#define TENON_FIELD(Command, member, flags, unit, says, ...) \
  TENON_FIELD_AS(Command, member, #member, flags, unit, says __VA_OPT__(, ) __VA_ARGS__)

using Fields = std::span<const Field>;

// Reading is lenient about fields that are not in the table (checkNames is not), and refuses what has the wrong type.
void read(Fields fields, const Json& request, void* into);
void checkNames(const CommandKind& kind, const Json& request);
// The settings that a field stands for, if it does for some, and what they choose.
[[nodiscard]] std::vector<const Setting*> settingsOf(const Field& field);
void choose(const std::vector<commands::Chosen>& chosen, FieldType type, AllSettings& settings);
// What types leave open: finite numbers, whole ones in bounds, rotations.
void check(Fields fields, const void* of);
void write(Fields fields, const void* of, Json& json);  // what is missing is not written

// ---- Commands.

// How a command stands in the history.
enum class Entry : std::uint8_t {
  Own,      // an entry of its own
  Pull,     // all that a pull does is one entry
  Play,     // so are successive steps; while a hand holds something, they are of its pull
  Opens,    // forgets the history; the recording begins with it
  Travels,  // along the history: no entry, but recorded
  Several,  // carries out commands, and is neither entered nor recorded itself
};
// What sessions do that run beside this one, for a comparison.
enum class Ghosts : std::uint8_t { Told, Anew, Nothing, Steps };

struct CommandTraits {
  const char* name;
  const char* label = "";  // of its entry in the history
  Entry entry = Entry::Own;
  bool endsPull = false;    // when nothing is held any more
  bool looksFirst = false;  // what it refuses, it refuses before it changes anything
  bool drags = false;       // takes `drag`: successive values of one drag are one command
  // What it changes.
  bool text = false;        // the scene and its text
  bool verdict = false;     // what the question `verdict` says
  bool past = false;        // what was measured before has no more to do with what comes
  bool pace = false;        // how long a step, or an update of posing, is
  bool motion = false;      // motion is another one: what it was warned of may be said again
  bool dropsHands = false;  // nothing is held by hands any more
  bool stops = false;       // the page stops playing: what comes is a pose
  Ghosts ghosts = Ghosts::Told;
  const char* busy = "";  // what the page says while it takes long
  const char* says = "";
};

struct CommandKind : CommandTraits {
  Fields fields, answer;
  void (*run)(Session::Impl& session, void* asked, void* answer);
  Json (*runJson)(Session::Impl& session, const CommandKind& kind, const Json& request);
  void (*record)(Recording& recording, const void* asked);  // null: as a line
};

Json carryOut(Session::Impl& session, const CommandKind& kind, const Json& request, void* asked,
              void* answer);

#define TENON_DECLARE(Name)         \
  extern const CommandKind k##Name; \
  commands::Name::Answer carryOut(Session::Impl& session, commands::Name& asked);
TENON_COMMANDS(TENON_DECLARE)
#undef TENON_DECLARE

// `asked` is what is recorded: a command that has a limit of time writes there what it had time for.
template <class Command>
constexpr CommandKind commandKind(const CommandTraits& traits, Fields fields = {},
                                  Fields answer = {}) {
  using Answer = typename Command::Answer;
  static_assert(std::is_standard_layout_v<Command> && std::is_standard_layout_v<Answer>);
  CommandKind kind{traits, fields, answer, nullptr, nullptr, nullptr};
  kind.run = [](Session::Impl& session, void* asked, void* into) {
    *static_cast<Answer*>(into) = carryOut(session, *static_cast<Command*>(asked));
  };
  kind.runJson = [](Session::Impl& session, const CommandKind& self, const Json& request) {
    Command asked;
    Answer into;
    return carryOut(session, self, request, &asked, &into);
  };
  if constexpr (requires(Recording & r, const Command& c) { r.add(c); })
    kind.record = [](Recording& recording, const void* asked) {
      recording.add(*static_cast<const Command*>(asked));
    };
  return kind;
}

[[nodiscard]] std::span<const CommandKind* const> commandCatalogue();
[[nodiscard]] const CommandKind* findCommand(std::string_view name);
[[nodiscard]] Json describeCommands();  // for whoever writes programs and pages
void describeQuestions(Json& list);

}  // namespace tenon
