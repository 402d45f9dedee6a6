// What a session is made of. Commands change `now`; what can be undone are copies of it.
#pragma once

#include <tenon/language.h>
#include <tenon/measure.h>
#include <tenon/posing.h>
#include <tenon/session.h>
#include <tenon/settings.h>
#include <tenon/step.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/amend.h"
#include "session/command_kind.h"
#include "session/keep.h"
#include "session/members.h"
#include "session/recording.h"
#include "session/running.h"

namespace tenon {

// A scene that was read and compiled: constant, shared by all copies.
struct SessionDocument {
  std::string name;
  std::map<std::string, std::string> files;  // that the text includes
  std::optional<SceneDocument> text;
  Scene bare;           // the text's scene without pins, frozen and merged joints: these are held
  Mechanism mechanism;  // of that
  std::vector<Problem> warnings;

  [[nodiscard]] const Scene& scene() const { return text->scene(); }
};

// All that commands change.
struct SessionState : Running {
  std::shared_ptr<const SessionDocument> document;
  AllSettings settings;
};

struct SessionEntry {
  std::string label;  // of what was done next
  SessionState before;
};

struct Session::Impl {
  SessionState now;
  std::deque<SessionEntry> done;  // the oldest are forgotten
  std::vector<SessionEntry> undone;
  Recording recording;
  Entry open_ = Entry::Own;  // kind of the entry that successive commands join
  StepScratch stepScratch;
  PoseScratch poseScratch;
  std::vector<float> poses;
  KnownTurns turns;                                // of the mechanism of
  std::shared_ptr<const SessionDocument> turnsOf;  // this one

  // Of the last command, if it was a value of a drag: the next one takes its place.
  struct Drag {
    const CommandKind* kind;
    int number;
    bool operator==(const Drag&) const = default;
  };
  std::optional<Drag> drag_;

  Json run(const Json& request);
  void carryOut(const CommandKind& kind, void* asked, void* answer, std::optional<int> drag);
  Json question(const std::string& name);

  [[nodiscard]] State ownState() const;        // of the document's own mechanism
  [[nodiscard]] Control withoutHands() const;  // their joints give, and are nobody's fault
  [[nodiscard]] JointError errors() const;     // of all joints but theirs
  void follow(const State& own);               // makes the held mechanism anew, at this state

  // They throw Refusal, and then nothing has changed.
  commands::Step::Answer step(commands::Step& asked);
  Json changeSettings(const Json& request);

  void use(std::shared_ptr<const SessionDocument> document);  // at the pose as written
  [[nodiscard]] RunningScene running() const;
  [[nodiscard]] std::vector<Want> wants() const;
  void moveHands(double dt);
};

// Why a command is not carried out.
struct Refusal {
  std::vector<Problem> problems;
};
[[noreturn]] void refuse(std::string what, std::string remedy = {});

// Reading requests; what is missing or of the wrong kind is refused.
[[nodiscard]] const Json& member(const Json& request, const char* key);
[[nodiscard]] std::string textOf(const Json& request, const char* key);
[[nodiscard]] double numberOf(const Json& request, const char* key);
[[nodiscard]] double numberOf(const Json& request, const char* key, double fallback);
[[nodiscard]] int countOf(const Json& request, const char* key, int fallback, int most);
[[nodiscard]] Vec3 vectorOf(const Json& request, const char* key);
[[nodiscard]] Quat turnOf(const Json& request, const char* key);       // made a unit
[[nodiscard]] Quat exactTurnOf(const Json& request, const char* key);  // of a save: as it is
[[nodiscard]] bool has(const Json& request, const char* key);
// What a request says of a setting; refused where it is not one of its values.
void readSetting(const Json& request, const Setting& setting, const Setting::Field& field,
                 AllSettings& settings);
[[nodiscard]] Json jsonOf(const Setting::Field& field, const AllSettings& settings);
[[nodiscard]] Json describeSettings();
[[nodiscard]] std::vector<std::string> namesOf(const Json& request, const char* key);
[[nodiscard]] std::string didYouMean(const std::string& near);  // a remedy, or nothing
[[nodiscard]] Json jsonOf(const std::vector<Problem>& problems);
[[nodiscard]] Json jsonOf(const AllSettings& settings);
void describe(const SessionDocument& document, Json& json);  // its texts
void describe(const std::vector<HeldForce>& forces, Json& list);
void describe(const std::vector<HeldLimit>& limits, Json& list);

[[nodiscard]] HeldLimit limitOf(const Mechanism& mechanism, const commands::Limit& asked);
[[nodiscard]] HeldForce forceOf(const Mechanism& mechanism, const commands::Force& asked);
void checkStepLength(double dt);
[[nodiscard]] Index solidNamed(const Mechanism& mechanism, const std::string& name);
[[nodiscard]] Index jointNamed(const Mechanism& mechanism, const std::string& name);

// Questions, by what they are about.
[[nodiscard]] Json describeScene(const SessionDocument& document);
[[nodiscard]] Json describeCatalogue();
[[nodiscard]] Json describeJoints(const SessionState& now);
[[nodiscard]] Json describeState(const Session::Impl& session);
[[nodiscard]] Json describeMeasures(const Session::Impl& session);
[[nodiscard]] Json describeVerdict(Session::Impl& session);
[[nodiscard]] Json describeWays(Session::Impl& session);
[[nodiscard]] Json saveOf(const Session::Impl& session);
[[nodiscard]] Save saveOf(Json json);
[[nodiscard]] const Json& jsonOf(const Save& save);
[[nodiscard]] Json describeKept(const Session::Impl& session);

[[nodiscard]] std::shared_ptr<const SessionDocument> read(std::string text, std::string name,
                                                          std::map<std::string, std::string> files);

}  // namespace tenon
