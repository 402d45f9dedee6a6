// The commands that change the text, and what is held.
#include <tenon/joint.h>
#include <tenon/scene_says.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_set>

#include "session/command_kind.h"
#include "session/session_impl.h"

namespace tenon {

namespace {

ParseOptions optionsOf(const std::map<std::string, std::string>& files) {
  ParseOptions options;
  options.include = [files](const std::string& name) -> Result<std::string> {
    const auto at = files.find(name);
    if (at != files.end()) return at->second;
    Problem problem;
    problem.what = "the file '" + name + "' is missing";
    return std::vector<Problem>{problem};
  };
  return options;
}

std::shared_ptr<const SessionDocument> compiled(SessionDocument document) {
  document.bare = bareOf(document.scene());
  Result<Mechanism> made = compile(document.bare);
  if (!made) throw Refusal{made.problems()};
  // What a text cannot freeze is refused here as it is everywhere.
  const std::vector<Joint>& joints = document.scene().joints;
  if (std::any_of(joints.begin(), joints.end(),
                  [](const Joint& joint) { return joint.frozen || joint.merged; }))
    if (const Result<Mechanism> whole = compile(document.scene()); !whole)
      throw Refusal{whole.problems()};
  document.warnings = made.problems();
  document.mechanism = std::move(*made);
  static_cast<void>(SceneEvents(document.scene(), document.mechanism, document.warnings));
  return std::make_shared<const SessionDocument>(std::move(document));
}

}  // namespace

std::shared_ptr<const SessionDocument> read(std::string text, std::string name,
                                            std::map<std::string, std::string> files) {
  SessionDocument document;
  document.name = name;
  Result<SceneDocument> opened =
      SceneDocument::open(std::move(text), std::move(name), optionsOf(files));
  if (!opened) throw Refusal{opened.problems()};
  document.files = std::move(files);
  document.text = std::move(*opened);
  return compiled(std::move(document));
}

void Session::Impl::use(std::shared_ptr<const SessionDocument> document) {
  const AllSettings settings =
      now.document == nullptr ? allSettingsOf(document->scene().settings) : now.settings;
  now = {};
  now.document = std::move(document);
  now.settings = settings;
  now.held = heldBy(now.document->scene(), now.document->mechanism);
  follow(initialState(now.document->mechanism));
}

State Session::Impl::ownState() const { return tenon::ownState(now.document->mechanism, now); }

RunningScene Session::Impl::running() const {
  return {now.document->bare, now.document->mechanism, now.settings.step, now.settings.dt, false};
}

void Session::Impl::follow(const State& own) {
  if (turnsOf != now.document) turns = {};
  turnsOf = now.document;
  std::vector<Problem> problems =
      tenon::follow(now.document->bare, now.document->mechanism, own, now, &turns);
  if (!problems.empty()) throw Refusal{std::move(problems)};
}

// ------------------------------------------------------------------------------------------- the text

using Impl = Session::Impl;

namespace {

// A recording of a later version may have commands that mean something else here.
void checkVersion(std::optional<int> version) {
  if (version.value_or(0) > kRecordingVersion)
    refuse("this was recorded by a later version of Tenon", "use that version");
}

}  // namespace

constexpr Field kReadAnswer[] = {
    TENON_FIELD(Read, problems, kFree, "", "warnings"),
};

constexpr Field kOpenFields[] = {
    TENON_FIELD(Open, text, kNeeded, "", ""),
    TENON_FIELD(Open, name, kNeeded, "", ""),
    TENON_FIELD(Open, files, kFree, "", "the texts that it includes, by name"),
    TENON_FIELD(Open, version, kFree, "", "of a recording that begins here"),
};
commands::Read carryOut(Impl& s, commands::Open& asked) {
  checkVersion(asked.version);
  std::map<std::string, std::string> files;
  for (const commands::File& file : asked.files) files[file.name] = file.text;
  auto document = read(asked.text, asked.name, std::move(files));
  s.now = {};
  s.use(std::move(document));
  asked.version = kRecordingVersion;
  return {s.now.document->warnings};
}
constinit const CommandKind kOpen = commandKind<commands::Open>(
    {.name = "open",
     .entry = Entry::Opens,
     .text = true,
     .verdict = true,
     .past = true,
     .pace = true,
     .motion = true,
     .dropsHands = true,
     .stops = true,
     .ghosts = Ghosts::Anew,
     .busy = "Reading the scene",
     .says = TENON_SAYS("opens a new scene; forgets what can be undone")},
    kOpenFields, kReadAnswer);

constexpr Field kEditFields[] = {
    TENON_FIELD(Edit, text, kNeeded, "", ""),
};
commands::Read carryOut(Impl& s, commands::Edit& asked) {
  s.use(read(asked.text, s.now.document->name, s.now.document->files));
  return {s.now.document->warnings};
}
constinit const CommandKind kEdit = commandKind<commands::Edit>(
    {.name = "edit",
     .label = "Edit text",
     .text = true,
     .verdict = true,
     .dropsHands = true,
     .ghosts = Ghosts::Anew,
     .busy = "Reading the scene",
     .says = TENON_SAYS("replaces the scene's text; solids go where the new text puts them")},
    kEditFields, kReadAnswer);

namespace {

// What no longer exists is no longer held.
void forget(const Mechanism& m, Held& held) {
  const std::unordered_set<std::string> solids(m.solidNames.begin(), m.solidNames.end()),
      joints(m.jointNames.begin(), m.jointNames.end());
  const auto isSolid = [&](const std::string& name) { return solids.count(name) > 0; };
  const auto isJoint = [&](const std::string& name) { return joints.count(name) > 0; };
  std::erase_if(held.frozen, [&](const std::string& name) { return !isJoint(name); });
  std::erase_if(held.merged, [&](const std::string& name) { return !isJoint(name); });
  std::erase_if(held.limits, [&](const HeldLimit& limit) { return !isJoint(limit.joint); });
  std::erase_if(held.pins, [&](const HeldPin& pin) { return !isSolid(pin.solid); });
  std::erase_if(held.grabs, [&](const HeldGrab& grab) { return !isSolid(grab.solid); });
  std::erase_if(held.forces, [&](const HeldForce& force) { return !isSolid(force.solid); });
}

// A thing has another name: what holds it, or something in it, still does.
void renamed(const std::string& path, const std::string& to, std::string& name) {
  if (name.compare(0, path.size(), path) == 0 &&
      (name.size() == path.size() || name[path.size()] == '.'))
    name.replace(0, path.size(), to);
}
void renamed(const std::string& path, const std::string& to, Held& held) {
  for (std::string& joint : held.frozen) renamed(path, to, joint);
  for (std::string& joint : held.merged) renamed(path, to, joint);
  for (HeldLimit& limit : held.limits) renamed(path, to, limit.joint);
  for (HeldGrab& grab : held.grabs) renamed(path, to, grab.solid);
  for (HeldForce& force : held.forces) renamed(path, to, force.solid);
  for (HeldPin& pin : held.pins) {
    renamed(path, to, pin.solid);
    renamed(path, to, pin.name);
  }
}

// Solids stay where they are, by name; new ones are where the text says. A solid whose text moved goes along.
State kept(const Mechanism& before, const State& state, const Mechanism& after) {
  State result = initialState(after);
  result.time = state.time;
  std::map<std::string, Index> numbers;
  for (Index s = 0; s < before.solidNames.size(); ++s) numbers[before.solidNames[s]] = s;
  for (Index s = 0; s < after.solidNames.size(); ++s) {
    const auto at = numbers.find(after.solidNames[s]);
    if (at == numbers.end()) continue;
    const MechanismSolid &was = before.solids[at->second], &is = after.solids[s];
    if (was.initial.p - rotate(was.initial.q, was.com) !=
            is.initial.p - rotate(is.initial.q, is.com) ||
        was.initial.q != is.initial.q)
      continue;
    const Quat& q = state.orientation[at->second];
    result.position[s] = state.position[at->second] + rotate(q, is.com - was.com);
    result.orientation[s] = q;
    result.velocity[s] = state.velocity[at->second];
    result.spin[s] = state.spin[at->second];
  }
  rememberTurns(after, result);
  return result;
}

}  // namespace

namespace {

using TextChange = std::function<void(SceneDocument&, std::vector<TextEdit>&)>;
using Renaming = std::function<void(Mechanism&, Held&)>;

// Changes the text by `edit`, and goes on with what it then says. `rename` gives things their new names.
commands::Edited changed(Impl& s, const TextChange& edit, const Renaming& rename = {}) {
  SessionState& now = s.now;
  SessionDocument document = *now.document;
  commands::Edited answer;
  edit(*document.text, answer.edits);
  const State own = s.ownState();
  Mechanism before = now.document->mechanism;
  Held held = heldBy(now.document->scene(), before);
  if (rename) rename(before, held);
  now.document = compiled(std::move(document));
  adopt(held, heldBy(now.document->scene(), now.document->mechanism), now.held);
  forget(now.document->mechanism, now.held);
  s.follow(kept(before, own, now.document->mechanism));
  now.begun = false;
  // The text has other events now: those of the past are over.
  now.eventsDone = now.state.time > 0 ? now.mechanism->events.until(now.state.time) : 0;
  now.metUntil = now.state.time;
  answer.problems = now.document->warnings;
  return answer;
}
TextEdit madeOf(const Result<TextEdit>& edit) {
  if (!edit) throw Refusal{edit.problems()};
  return *edit;
}

}  // namespace

constexpr Field kEditedAnswer[] = {
    TENON_FIELD(Edited, edits, kFree, "",
                "what changed in the text, `{\"offset\", \"length\", \"text\"}` each"),
    TENON_FIELD(Edited, problems, kFree, "", "warnings"),
};

constexpr Field kSetFields[] = {
    TENON_FIELD(Set, path, kNeeded | kThing, "", ""),
    TENON_FIELD(Set, property, kNeeded, "", ""),
    TENON_FIELD(Set, values, kNeeded, "", ""),
};
commands::Edited carryOut(Impl& s, commands::Set& asked) {
  return changed(s, [&](SceneDocument& text, std::vector<TextEdit>& edits) {
    edits.push_back(madeOf(text.set(asked.path, asked.property, asked.values)));
  });
}
constinit const CommandKind kSet = commandKind<commands::Set>(
    {.name = "set",
     .label = "Set",
     .drags = true,
     .text = true,
     .verdict = true,
     .ghosts = Ghosts::Anew,
     .says = TENON_SAYS(
         "sets a statement of the text: `{\"path\": \"ball\", \"property\": \"density\", "
         "\"values\": \"900\"}`")},
    kSetFields, kEditedAnswer);

constexpr Field kUnsetFields[] = {
    TENON_FIELD(Unset, path, kNeeded | kThing, "", ""),
    TENON_FIELD(Unset, property, kNeeded, "", ""),
};
commands::Edited carryOut(Impl& s, commands::Unset& asked) {
  return changed(s, [&](SceneDocument& text, std::vector<TextEdit>& edits) {
    edits.push_back(madeOf(text.unset(asked.path, asked.property)));
  });
}
constinit const CommandKind kUnset =
    commandKind<commands::Unset>({.name = "unset",
                                  .label = "Unset",
                                  .text = true,
                                  .verdict = true,
                                  .ghosts = Ghosts::Anew,
                                  .says = TENON_SAYS("takes the statement out again")},
                                 kUnsetFields, kEditedAnswer);

constexpr Field kAddFields[] = {
    TENON_FIELD(Add, block, kNeeded, "", ""),
};
commands::Edited carryOut(Impl& s, commands::Add& asked) {
  return changed(s, [&](SceneDocument& text, std::vector<TextEdit>& edits) {
    edits.push_back(madeOf(text.add(asked.block)));
  });
}
constinit const CommandKind kAdd =
    commandKind<commands::Add>({.name = "add",
                                .label = "Add",
                                .text = true,
                                .verdict = true,
                                .ghosts = Ghosts::Anew,
                                .says = TENON_SAYS("adds a block at the end of the text")},
                               kAddFields, kEditedAnswer);

constexpr Field kRemoveFields[] = {
    TENON_FIELD(Remove, paths, kNeeded | kThing, "", ""),
};
commands::Edited carryOut(Impl& s, commands::Remove& asked) {
  return changed(s, [&](SceneDocument& text, std::vector<TextEdit>& edits) {
    // First the joints that hold a solid which goes.
    std::vector<std::string> paths = asked.paths;
    const std::set<std::string> gone(paths.begin(), paths.end());
    std::vector<std::string> joints;
    for (const Joint& joint : text.scene().joints)
      if (gone.count(joint.name) == 0 &&
          (gone.count(joint.solid1) > 0 || gone.count(joint.solid2) > 0))
        joints.push_back(joint.name);
    paths.insert(paths.begin(), joints.begin(), joints.end());
    for (const std::string& path : paths) edits.push_back(madeOf(text.remove(path)));
  });
}
constinit const CommandKind kRemove = commandKind<commands::Remove>(
    {.name = "remove",
     .label = "Remove",
     .text = true,
     .verdict = true,
     .ghosts = Ghosts::Anew,
     .says = TENON_SAYS("removes things; with a solid, also the joints that hold it")},
    kRemoveFields, kEditedAnswer);

constexpr Field kRenameFields[] = {
    TENON_FIELD(Rename, path, kNeeded | kThing, "", ""),
    TENON_FIELD(Rename, to, kNeeded, "", ""),
};
commands::Edited carryOut(Impl& s, commands::Rename& asked) {
  return changed(
      s,
      [&](SceneDocument& text, std::vector<TextEdit>& edits) {
        const auto made = text.rename(asked.path, asked.to);
        if (!made) throw Refusal{made.problems()};
        edits = *made;
      },
      [&](Mechanism& before, Held& held) {
        for (std::string& solid : before.solidNames) renamed(asked.path, asked.to, solid);
        renamed(asked.path, asked.to, held);
        renamed(asked.path, asked.to, s.now.held);
      });
}
constinit const CommandKind kRename = commandKind<commands::Rename>(
    {.name = "rename",
     .label = "Rename",
     .text = true,
     .verdict = true,
     .ghosts = Ghosts::Anew,
     .says = TENON_SAYS("renames a thing, and every mention of it; the thing keeps its pose, and "
                        "whatever holds it still holds it")},
    kRenameFields, kEditedAnswer);

namespace {

// What makes one text of another, in one piece.
TextEdit difference(const std::string& from, const std::string& to) {
  std::size_t begin = 0, end = 0;
  const std::size_t most = std::min(from.size(), to.size());
  while (begin < most && from[begin] == to[begin]) ++begin;
  while (end < most - begin && from[from.size() - 1 - end] == to[to.size() - 1 - end]) ++end;
  return {begin, from.size() - end - begin, to.substr(begin, to.size() - end - begin)};
}

}  // namespace

constexpr Field kKeepAnswer[] = {
    TENON_FIELD(Keep::Answer, edits, kFree, "", "one, or none"),
    TENON_FIELD(Keep::Answer, moving, kFree, "",
                "there are velocities, and the text does not have them"),
    TENON_FIELD(Keep::Answer, pins, kFree, "", "how many the text has now"),
    TENON_FIELD(Keep::Answer, frozen, kFree, "", "how many"),
    TENON_FIELD(Keep::Answer, merged, kFree, "", "how many"),
    TENON_FIELD(Keep::Answer, limits, kFree, "", "how many"),
    TENON_FIELD(Keep::Answer, forces, kFree, "", "how many"),
    TENON_FIELD(Keep::Answer, problems, kFree, "", "what could not be written"),
};
commands::Keep::Answer carryOut(Impl& s, commands::Keep&) {
  SessionState& now = s.now;
  SessionDocument document = *now.document;
  const std::string before = document.text->text();
  const State own = s.ownState();
  Kept kept = tenon::keep(document.mechanism, own, now, *document.text);
  commands::Keep::Answer answer;
  if (kept.changed) {
    answer.edits.push_back(difference(before, document.text->text()));
    now.document = compiled(std::move(document));
    now.held = std::move(kept.held);
    const bool begun = now.begun;
    s.follow(own);
    now.begun = begun;
  }
  answer.moving = kept.moving;
  answer.pins = kept.pins;
  answer.frozen = kept.frozen;
  answer.merged = kept.merged;
  answer.limits = kept.limits;
  answer.forces = kept.forces;
  answer.problems = std::move(kept.problems);
  return answer;
}
constinit const CommandKind kKeep = commandKind<commands::Keep>(
    {.name = "keep",
     .label = "Keep",
     .text = true,
     .verdict = true,
     .ghosts = Ghosts::Nothing,
     .says = TENON_SAYS(
         "writes into the text what was made beyond it: the pose as a block `pose kept` and `start "
         "kept;`, pins with their targets, frozen and merged joints, limits, forces, gravity, "
         "damping. Velocities are not kept. If nothing was made, the text stays as it is")},
    {}, kKeepAnswer);

Json describeKept(const Session::Impl& session) {
  const SessionDocument& document = *session.now.document;
  SceneDocument text = *document.text;
  const Kept kept = keep(document.mechanism, session.ownState(), session.now, text);
  Json json;
  Members{json}("text", text.text())("moving", kept.moving)(
      "complete", !kept.changed && kept.problems.empty())("problems", jsonOf(kept.problems));
  return json;
}

// ------------------------------------------------------------------------------------------- hands, pins

constexpr Field kGrabFields[] = {
    TENON_FIELD(Grab, id, kFree, "", "a number that the caller chooses"),
    TENON_FIELD(Grab, solid, kNeeded, "", ""),
    TENON_FIELD(Grab, point, kFree, "m", "solid's frame; its origin"),
    TENON_FIELD(Grab, target, kFree, "m", "world; where the point is"),
    TENON_FIELD(Grab, orientation, kFree, "", "that the hand keeps; none"),
    TENON_FIELD(Grab, dynamic, kFree, "", "by physics instead of posing; false"),
};
commands::Done carryOut(Impl& s, commands::Grab& asked) {
  SessionState& now = s.now;
  const Mechanism& m = now.document->mechanism;
  const Index solid = solidNamed(m, asked.solid);
  if (m.solids[solid].kind != SolidKind::Dynamic) refuse("'" + asked.solid + "' does not move");
  for (const HeldGrab& other : now.held.grabs)
    if (other.id == asked.id)
      refuse("hand " + std::to_string(asked.id) + " holds something already");
  const State own = s.ownState();
  HeldGrab grab;
  grab.id = asked.id;
  grab.solid = asked.solid;
  grab.point = asked.point;
  grab.target = asked.target ? *asked.target : placeOf(m, own, solid, grab.point);
  if (asked.orientation) grab.orientation = normalized(*asked.orientation);
  grab.dynamic = asked.dynamic;
  now.held.grabs.push_back(grab);
  if (grab.dynamic) s.follow(own);
  return {};
}
constinit const CommandKind kGrab = commandKind<commands::Grab>(
    {.name = "grab",
     .label = "Pull",
     .entry = Entry::Pull,
     .ghosts = Ghosts::Nothing,
     .says = TENON_SAYS("takes hold of a point, or of point and orientation")},
    kGrabFields);

HeldGrab& handNumbered(std::vector<HeldGrab>& grabs, int id) {
  for (HeldGrab& grab : grabs)
    if (grab.id == id) return grab;
  refuse("hand " + std::to_string(id) + " holds nothing");
}

constexpr Field kMoveFields[] = {
    TENON_FIELD(Move, id, kFree, "", ""),
    TENON_FIELD(Move, target, kNeeded, "m", "world"),
    TENON_FIELD(Move, orientation, kFree, "", "of a hand that keeps one"),
};
commands::Done carryOut(Impl& s, commands::Move& asked) {
  HeldGrab& grab = handNumbered(s.now.held.grabs, asked.id);
  if (grab.orientation && asked.orientation) grab.orientation = normalized(*asked.orientation);
  grab.target = asked.target;
  return {};
}
constinit const CommandKind kMove =
    commandKind<commands::Move>({.name = "move",
                                 .label = "Pull",
                                 .entry = Entry::Pull,
                                 .looksFirst = true,
                                 .ghosts = Ghosts::Nothing,
                                 .says = TENON_SAYS("says where the hand is now")},
                                kMoveFields);

constexpr Field kReleaseFields[] = {
    TENON_FIELD(Release, id, kFree, "", ""),
};
commands::Done carryOut(Impl& s, commands::Release& asked) {
  const HeldGrab& grab = handNumbered(s.now.held.grabs, asked.id);
  const bool dynamic = grab.dynamic;
  const State own = s.ownState();
  s.now.held.grabs.erase(s.now.held.grabs.begin() + (&grab - s.now.held.grabs.data()));
  if (dynamic) s.follow(own);
  return {};
}
constinit const CommandKind kRelease = commandKind<commands::Release>(
    {.name = "release",
     .label = "Pull",
     .entry = Entry::Pull,
     .endsPull = true,
     .ghosts = Ghosts::Nothing,
     .says = TENON_SAYS("lets go; the pull becomes one entry of the history")},
    kReleaseFields);

constexpr Field kPinFields[] = {
    TENON_FIELD(Pin, solid, kNeeded | kThing, "", ""),
    TENON_FIELD(Pin, point, kFree, "m", "solid's frame; none: the whole solid"),
    TENON_FIELD(Pin, target, kFree, "m", "world; where it is"),
};
constexpr Field kPinAnswer[] = {
    TENON_FIELD(Pin::Answer, pin, kFree, "", "the pin's number"),
};
commands::Pin::Answer carryOut(Impl& s, commands::Pin& asked) {
  SessionState& now = s.now;
  HeldPin pin;
  pin.solid = asked.solid;
  const Mechanism& m = now.document->mechanism;
  const Index solid = solidNamed(m, pin.solid);
  if (m.solids[solid].kind != SolidKind::Dynamic) refuse("'" + pin.solid + "' does not move");
  const State own = s.ownState();
  pin.point = asked.point;
  if (pin.point)
    pin.target.p = placeOf(m, own, solid, *pin.point);
  else
    pin.target = frameOf(m, own, solid);
  if (asked.target) pin.target.p = *asked.target;
  // What is pinned already is pinned anew.
  std::vector<HeldPin>& pins = now.held.pins;
  const auto same = std::find_if(pins.begin(), pins.end(), [&](const HeldPin& other) {
    return other.solid == pin.solid && other.point == pin.point;
  });
  const auto number = static_cast<std::size_t>(same - pins.begin());
  if (same != pins.end())
    *same = pin;
  else
    pins.push_back(pin);
  s.follow(own);
  now.begun =
      false;  // what it pulls at, and velocities that it does not allow, are put right first
  return {number};
}
constinit const CommandKind kPin = commandKind<commands::Pin>(
    {.name = "pin",
     .label = "Pin",
     .verdict = true,
     .says =
         TENON_SAYS("holds the point or the solid exactly; if it is pinned already, the new pin "
                    "replaces the old one")},
    kPinFields, kPinAnswer);

constexpr Field kUnpinFields[] = {
    TENON_FIELD(Unpin, solid, kThing, "", ""),
    TENON_FIELD(Unpin, pin, kFree, "", "its number"),
};
commands::Done carryOut(Impl& s, commands::Unpin& asked) {
  const State own = s.ownState();
  auto& pins = s.now.held.pins;
  const std::size_t before = pins.size();
  if (asked.pin) {
    if (static_cast<std::size_t>(*asked.pin) < pins.size()) pins.erase(pins.begin() + *asked.pin);
  } else if (asked.solid) {
    std::erase_if(pins, [&](const HeldPin& pin) { return pin.solid == *asked.solid; });
  } else {
    pins.clear();
  }
  if (pins.size() == before) refuse("nothing is pinned there");
  s.follow(own);
  return {};
}
constinit const CommandKind kUnpin = commandKind<commands::Unpin>(
    {.name = "unpin",
     .label = "Unpin",
     .verdict = true,
     .says = TENON_SAYS("takes away the pins of the solid, or this pin; with neither, all pins")},
    kUnpinFields);

// ------------------------------------------------------------------------------- frozen and merged joints

constexpr Field kHeldAnswer[] = {
    TENON_FIELD(Held, solids, kFree, "", "how many are left to compute"),
    TENON_FIELD(Held, joints, kFree, "", "how many"),
};

namespace {

Index jointCalled(const Mechanism& m, Finder& numbers, const std::string& joint) {
  const Index number = numbers(joint);
  return number != kWorld ? number : jointNamed(m, joint);  // which says what is wrong
}

// Takes joints into a list of those that are held, or out of it.
commands::Held hold(Impl& s, std::vector<std::string>& list, bool on,
                    const std::vector<std::string>& joints) {
  SessionState& now = s.now;
  const Mechanism& m = now.document->mechanism;
  const State own = s.ownState();
  Finder numbers(m.jointNames);
  std::unordered_set<std::string> named(list.begin(), list.end());
  for (const std::string& joint : joints) {
    if (m.joints[jointCalled(m, numbers, joint)].kind->relates != Relates::Frames)
      refuse("'" + joint + "' holds no two solids together", "freeze the joints that it couples");
    if (!on)
      named.erase(joint);
    else if (named.insert(joint).second)
      list.push_back(joint);
  }
  if (!on) std::erase_if(list, [&](const std::string& joint) { return named.count(joint) == 0; });
  s.follow(own);
  now.begun = false;
  commands::Held answer;
  for (const MechanismSolid& solid : now.mechanism->mechanism.solids)
    if (solid.kind == SolidKind::Dynamic) ++answer.solids;
  answer.joints = now.mechanism->mechanism.joints.size();
  return answer;
}
commands::Held letGo(Impl& s, std::vector<std::string>& list,
                     const std::optional<std::vector<std::string>>& joints) {
  const std::vector<std::string> all = list;
  return hold(s, list, false, joints ? *joints : all);
}

}  // namespace

constexpr Field kFreezeFields[] = {
    TENON_FIELD(Freeze, joints, kNeeded | kThing, "", ""),
};
commands::Held carryOut(Impl& s, commands::Freeze& asked) {
  return hold(s, s.now.held.frozen, true, asked.joints);
}
constinit const CommandKind kFreeze = commandKind<commands::Freeze>(
    {.name = "freeze",
     .label = "Freeze",
     .verdict = true,
     .says = TENON_SAYS("the solids of each joint become one, as they stand")},
    kFreezeFields, kHeldAnswer);

constexpr Field kUnfreezeFields[] = {
    TENON_FIELD(Unfreeze, joints, kThing, "", "all that are frozen"),
};
commands::Held carryOut(Impl& s, commands::Unfreeze& asked) {
  return letGo(s, s.now.held.frozen, asked.joints);
}
constinit const CommandKind kUnfreeze =
    commandKind<commands::Unfreeze>({.name = "unfreeze",
                                     .label = "Unfreeze",
                                     .verdict = true,
                                     .says = TENON_SAYS("frozen joints move again")},
                                    kUnfreezeFields, kHeldAnswer);

constexpr Field kFreezeButFields[] = {
    TENON_FIELD(FreezeBut, joints, kNeeded, "", ""),
};
commands::Held carryOut(Impl& s, commands::FreezeBut& asked) {
  const Mechanism& m = s.now.document->mechanism;
  Finder numbers(m.jointNames);
  std::unordered_set<Index> but;
  for (const std::string& joint : asked.joints) but.insert(jointCalled(m, numbers, joint));
  std::vector<std::string> others;
  for (Index j = 0; j < m.joints.size(); ++j)
    if (m.joints[j].kind->relates == Relates::Frames && m.joints[j].kind->residualCount > 0 &&
        but.count(j) == 0)
      others.push_back(m.jointNames[j]);
  return hold(s, s.now.held.frozen, true, others);
}
constinit const CommandKind kFreezeBut =
    commandKind<commands::FreezeBut>({.name = "freeze-but",
                                      .label = "Freeze all others",
                                      .verdict = true,
                                      .says = TENON_SAYS("freezes all other joints")},
                                     kFreezeButFields, kHeldAnswer);

constexpr Field kMergeFields[] = {
    TENON_FIELD(Merge, joints, kNeeded | kThing, "", ""),
};
commands::Held carryOut(Impl& s, commands::Merge& asked) {
  return hold(s, s.now.held.merged, true, asked.joints);
}
constinit const CommandKind kMerge = commandKind<commands::Merge>(
    {.name = "merge",
     .label = "Merge",
     .verdict = true,
     .says = TENON_SAYS("works as `freeze` does, but the solids are shown as one")},
    kMergeFields, kHeldAnswer);

constexpr Field kUnmergeFields[] = {
    TENON_FIELD(Unmerge, joints, kThing, "", "all that are merged"),
};
commands::Held carryOut(Impl& s, commands::Unmerge& asked) {
  return letGo(s, s.now.held.merged, asked.joints);
}
constinit const CommandKind kUnmerge =
    commandKind<commands::Unmerge>({.name = "unmerge",
                                    .label = "Unmerge",
                                    .verdict = true,
                                    .says = TENON_SAYS("merged joints move again")},
                                   kUnmergeFields, kHeldAnswer);

// ------------------------------------------------------------------------------------- limits and forces

HeldLimit limitOf(const Mechanism& m, const commands::Limit& asked) {
  HeldLimit limit;
  limit.joint = asked.joint;
  limit.coordinate = asked.coordinate;
  const JointKind& kind = *m.joints[jointNamed(m, limit.joint)].kind;
  if (findCoordinate(kind, limit.coordinate) < 0)
    refuse("'" + limit.joint + "' has no coordinate '" + limit.coordinate + "'");
  limit.lower = asked.lower.value_or(-kInfinity);
  limit.upper = asked.upper.value_or(kInfinity);
  if (limit.lower > limit.upper) refuse("the lower limit is above the upper limit");
  return limit;
}

constexpr Field kLimitFields[] = {
    TENON_FIELD(Limit, joint, kNeeded | kThing, "", ""),
    TENON_FIELD(Limit, coordinate, kNeeded, "", ""),
    TENON_FIELD(Limit, lower, kFree, "m or rad", "`null`: none"),
    TENON_FIELD(Limit, upper, kFree, "m or rad", "`null`: none"),
};
commands::Done carryOut(Impl& s, commands::Limit& asked) {
  const HeldLimit limit = limitOf(s.now.document->mechanism, asked);
  const State own = s.ownState();
  std::erase_if(s.now.held.limits, [&](const HeldLimit& other) {
    return other.joint == limit.joint && other.coordinate == limit.coordinate;
  });
  s.now.held.limits.push_back(limit);
  s.follow(own);
  s.now.begun = false;
  return {};
}
constinit const CommandKind kLimit =
    commandKind<commands::Limit>({.name = "limit",
                                  .label = "Limit",
                                  .drags = true,
                                  .verdict = true,
                                  .says = TENON_SAYS("replaces the text's limit, until `edit`")},
                                 kLimitFields);

HeldForce forceOf(const Mechanism& m, const commands::Force& asked) {
  static_cast<void>(solidNamed(m, asked.solid));
  HeldForce force;
  force.id = asked.id;
  force.solid = asked.solid;
  force.point = asked.point;
  force.force = asked.force;
  return force;
}

constexpr Field kForceFields[] = {
    TENON_FIELD(Force, id, kFree, "", "a number that the caller chooses"),
    TENON_FIELD(Force, solid, kNeeded | kThing, "", ""),
    TENON_FIELD(Force, point, kFree, "m", "solid's frame; its origin"),
    TENON_FIELD(Force, force, kNeeded, "N", "world"),
};
commands::Done carryOut(Impl& s, commands::Force& asked) {
  const HeldForce force = forceOf(s.now.document->mechanism, asked);
  const State own = s.ownState();
  std::erase_if(s.now.held.forces, [&](const HeldForce& other) { return other.id == force.id; });
  if (force.force != Vec3{}) s.now.held.forces.push_back(force);
  s.follow(own);
  return {};
}
constinit const CommandKind kForce = commandKind<commands::Force>(
    {.name = "force",
     .label = "Force",
     .drags = true,
     .says = TENON_SAYS("applies a force in world axes; a force of zero takes it away")},
    kForceFields);

// ---------------------------------------------------------------------------------------- how it moves

constexpr Field kGravityFields[] = {
    TENON_FIELD(Gravity, value, kNeeded, "m/s²", ""),
};
commands::Done carryOut(Impl& s, commands::Gravity& asked) {
  s.now.control.gravity = asked.value;
  s.now.state.rest.clear();
  return {};
}
constinit const CommandKind kGravity = commandKind<commands::Gravity>(
    {.name = "gravity", .label = "Gravity", .drags = true, .says = TENON_SAYS("sets the gravity")},
    kGravityFields);

constexpr Field kDampFields[] = {
    TENON_FIELD(Damp, value, kNeeded, "", ""),
};
commands::Done carryOut(Impl& s, commands::Damp& asked) {
  if (asked.value < 0) refuse("the damping factor must be zero or more");
  s.now.control.damp = asked.value;
  s.now.state.rest.clear();
  return {};
}
constinit const CommandKind kDamp =
    commandKind<commands::Damp>({.name = "damp",
                                 .label = "Damp",
                                 .drags = true,
                                 .says = TENON_SAYS("sets Manikin's global damping factor")},
                                kDampFields);

commands::Done carryOut(Impl& s, commands::Stop&) {
  for (Vec3& v : s.now.state.velocity) v = {};
  for (Vec3& w : s.now.state.spin) w = {};
  s.now.state.rest.clear();
  return {};
}
constinit const CommandKind kStop = commandKind<commands::Stop>(
    {.name = "stop", .label = "Stop", .says = TENON_SAYS("sets all velocities to 0")});

constexpr Field kSettingsFields[] = {TENON_FIELD(Settings, given, kFree, "", "")};
commands::Done carryOut(Impl& s, commands::Settings& asked) {
  AllSettings settings = s.now.settings;
  choose(asked.given.all, FieldType::MotionSettings, settings);
  if (!(settings.dt >= 1e-6) || settings.dt > 1) refuse("dt must be from 1e-6 to 1 s");
  s.now.settings = std::move(settings);
  return {};
}
constinit const CommandKind kSettings = commandKind<commands::Settings>(
    {.name = "settings",
     .label = "Settings",
     .drags = true,
     .pace = true,
     .motion = true,
     .says = TENON_SAYS(
         "sets how motion is computed, by [settings](scene-language.md#posing-time-judgement); "
         "`budget` is the time for one update of posing. What is not given stays as it is")},
    kSettingsFields);

Json Session::Impl::changeSettings(const Json& request) {
  AllSettings settings = now.settings;
  for (const Setting& setting : settingCatalogue())
    if (setting.moving) readSetting(request, setting, setting.moving, settings);
  if (!(settings.dt >= 1e-6) || settings.dt > 1) refuse("dt must be from 1e-6 to 1 s");
  now.settings = std::move(settings);
  return {};
}

}  // namespace tenon
