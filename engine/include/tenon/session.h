// Session: one mechanism being edited, posed, stepped and rewound.
//
//   Session session;
//   session.run(commands::Open{.text = text, .name = "crane.tenon"});
//   session.run(commands::Pin{.solid = "hook"});
//   const Result<commands::Step::Answer> moved = session.run(commands::Step{.count = 240});
//
// The page, the program and scripts say the same in JSON (docs/session.md).
#pragma once

#include <tenon/commands.h>
#include <tenon/mechanism.h>
#include <tenon/result.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct CommandKind;  // its entry in the catalogue

class Session {
 public:
  Session();
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Carries out a command of tenon/commands.h. A command that is refused changes nothing, and its problems say why.
  // Successive commands of one kind with the same number `drag` are one: each takes the place of the one before.
  template <class Command>
  Result<typename Command::Answer> run(const Command& command, std::optional<int> drag = {}) {
    Command asked = command;
    typename Command::Answer answer;
    std::vector<Problem> problems = carryOut(kindOf(command), &asked, &answer, drag);
    if (!problems.empty()) return problems;
    return answer;
  }

  // A command or a question as JSON, and its answer. Throws nothing: what runs out of memory is refused.
  [[nodiscard]] std::string run(std::string_view request);

  // What is open: nothing before the first `Open` or `Restore`. The scene and its mechanism are those of the text, until
  // a command changes the text. The state is of that mechanism, with frozen and merged solids where they are.
  [[nodiscard]] bool isOpen() const;
  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] const Mechanism& mechanism() const;
  [[nodiscard]] State state() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] Save save() const;

  // For every frame, by solid of the scene: where its frame is, x y z, and its quaternion, x y z w.
  [[nodiscard]] const std::vector<float>& poses();

  struct Impl;

 private:
#define TENON_KIND_OF(Name) static const CommandKind& kindOf(const commands::Name&);
  TENON_COMMANDS(TENON_KIND_OF)
#undef TENON_KIND_OF
  std::vector<Problem> carryOut(const CommandKind& kind, void* asked, void* answer,
                                std::optional<int> drag);

  std::unique_ptr<Impl> impl_;
};

// The version of recordings and saves: those of before have none.
inline constexpr int kRecordingVersion = 1;

// Fields of a request that its command does not have, with the nearest name that it has, or none. A session refuses
// such requests, and recordings of no version may have them.
struct UnknownField {
  std::string name, nearest;
};
[[nodiscard]] std::vector<UnknownField> unknownFields(std::string_view command,
                                                      const std::vector<std::string>& fields);

// Whether a JSON text is nested deeper than a request may be (64). JSON values are copied and printed by recursion: one
// that is nested 100,000 deep has no room on the stack. To be asked before a text from outside is parsed.
[[nodiscard]] bool nestsTooDeep(std::string_view json);

}  // namespace tenon
