// A session: requests come in, what they change can be taken back.
#include <tenon/session.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <set>
#include <stdexcept>

#include "session/command_kind.h"
#include "session/read_json.h"
#include "session/session_impl.h"

namespace tenon {

using Impl = Session::Impl;

namespace {

constexpr std::size_t kMostEntries = 300;
constexpr std::size_t kMostNumbers = 20'000'000;  // in all states that are kept

std::size_t sizeOf(const SessionState& state) {
  return 30 * state.state.position.size() + state.state.multiplier.size();
}

// What entries of the history are called: by what was done, and to what.
std::string labelOf(const CommandKind& kind, const void* asked) {
  for (const Field& field : kind.fields) {
    if ((field.flags & kThing) == 0) continue;
    Json json = Json(Json::value_t::object);
    write({&field, 1}, asked, json);
    const Json& thing = json[field.name];
    const Json& one = thing.is_array() && thing.size() == 1 ? thing.front() : thing;
    if (one.is_string() && one != "") return kind.label + (" " + one.get<std::string>());
  }
  return kind.label;
}

// Runs `call`. Gives what refuses it: if memory ran out, that.
template <class Call>
std::vector<Problem> problemsOf(Session::Impl& s, const Call& call) {
  const auto because = [](std::string what) {
    Problem problem;
    problem.what = std::move(what);
    return std::vector<Problem>{std::move(problem)};
  };
  const auto outOfMemory = [&] {
    s.stepScratch = {};  // whatever they were doing when they ran out
    s.poseScratch = {};
    return because("this needs more memory than this machine has free");
  };
  try {
    call();
  } catch (const Refusal& refusal) {
    return refusal.problems;
  } catch (const Json::exception&) {  // a value of a kind that nobody expected
    return because("a value in the request has the wrong type");
  } catch (const std::bad_alloc&) {
    return outOfMemory();
  } catch (const std::length_error&) {
    return outOfMemory();
  }
  return {};
}

}  // namespace

Session::Session() : impl_(std::make_unique<Impl>()) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::string Session::run(std::string_view request) {
  Json answer;
  const std::vector<Problem> problems = problemsOf(*impl_, [&] {
    if (nestsTooDeep(request)) refuse("the request is nested too deeply");
    const Json parsed = readJson(request);
    if (!parsed.is_object()) refuse("the request is not a JSON object");
    answer = impl_->run(parsed);
    put(answer, "ok", true);
  });
  if (!problems.empty()) {
    answer = Json();
    Members{answer}("ok", false)("problems", jsonOf(problems));
  }
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<Problem> Session::carryOut(const CommandKind& kind, void* asked, void* answer,
                                       std::optional<int> drag) {
  return problemsOf(*impl_, [&] { impl_->carryOut(kind, asked, answer, drag); });
}

#define TENON_KIND_OF(Name) \
  const CommandKind& Session::kindOf(const commands::Name&) { return k##Name; }
TENON_COMMANDS(TENON_KIND_OF)
#undef TENON_KIND_OF

bool Session::isOpen() const { return impl_->now.document != nullptr; }
const Scene& Session::scene() const { return impl_->now.document->scene(); }
const Mechanism& Session::mechanism() const { return impl_->now.document->mechanism; }
State Session::state() const { return impl_->ownState(); }
const std::string& Session::text() const { return impl_->now.document->text->text(); }
Save Session::save() const { return saveOf(saveOf(*impl_)); }

const std::vector<float>& Session::poses() {
  const SessionState& now = impl_->now;
  std::vector<float>& poses = impl_->poses;
  poses.clear();
  if (now.document == nullptr) return poses;
  const Mechanism& m = now.document->mechanism;
  State released;
  if (!now.mechanism->asWritten) released = impl_->ownState();
  const State& own = now.mechanism->asWritten ? now.state : released;
  poses.reserve(7 * m.solids.size());
  for (Index s = 0; s < m.solids.size(); ++s) {
    const Pose X = frameOf(m, own, s);
    for (const double x : {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w})
      poses.push_back(static_cast<float>(x));
  }
  return poses;
}

Json Session::Impl::run(const Json& request) {
  if (has(request, "ask")) return question(textOf(request, "ask"));
  const std::string name = textOf(request, "do");
  const CommandKind* const kind = findCommand(name);
  if (now.document == nullptr && (kind == nullptr || kind->entry != Entry::Opens))
    refuse("no scene is open", "begin with 'open'");
  if (kind == nullptr) {
    std::vector<std::string> names;
    for (const CommandKind* each : commandCatalogue()) names.emplace_back(each->name);
    refuse("there is no command '" + name + "'", didYouMean(nearestWord(name, names)));
  }
  return kind->runJson(*this, *kind, request);
}

Json carryOut(Session::Impl& session, const CommandKind& kind, const Json& request, void* asked,
              void* answer) {
  checkNames(kind, request);
  read(kind.fields, request, asked);
  std::optional<int> drag;
  if (has(request, "drag")) drag = countOf(request, "drag", 0, 1'000'000'000);
  session.carryOut(kind, asked, answer, drag);
  Json json;
  write(kind.answer, answer, json);
  return json;
}

void Session::Impl::carryOut(const CommandKind& kind, void* asked, void* answer,
                             std::optional<int> drag) {
  if (kind.entry != Entry::Opens && now.document == nullptr)
    refuse("no scene is open", "begin with 'open'");
  check(kind.fields, asked);
  if (kind.entry == Entry::Several) {
    kind.run(*this, asked, answer);
    return;
  }
  // A value of a drag takes the place of the value before: of its entry, and in the recording.
  std::optional<Drag> dragged;
  if (drag && kind.drags) dragged = Drag{&kind, *drag};
  const bool again = dragged && drag_ == dragged;
  // While a hand pulls, or physics runs on, all is one entry, which has its copy of the state already.
  const Entry entry =
      kind.entry == Entry::Play && !now.held.grabs.empty() ? Entry::Pull : kind.entry;
  const bool joins =
      again || ((entry == Entry::Pull || entry == Entry::Play) && open_ == entry && !done.empty());
  std::optional<SessionState> before;
  if (kind.entry != Entry::Travels && !(joins && kind.looksFirst)) before = now;
  if (again) now = done.back().before;
  try {
    kind.run(*this, asked, answer);
  } catch (...) {
    if (before) now = std::move(*before);
    throw;
  }
  drag_ = dragged;
  if (entry == Entry::Opens) {
    done.clear();
    undone.clear();
  } else if (entry != Entry::Travels) {
    undone.clear();
    if (!joins) done.push_back({labelOf(kind, asked), std::move(*before)});
  }
  const bool pullEnds = kind.endsPull && now.held.grabs.empty();
  open_ = (entry == Entry::Pull && !pullEnds) || entry == Entry::Play ? entry : Entry::Own;
  std::size_t kept = 0;
  for (const SessionEntry& each : done) kept += sizeOf(each.before);
  while (done.size() > kMostEntries || (kept > kMostNumbers && done.size() > 1)) {
    kept -= sizeOf(done.front().before);
    done.pop_front();
  }
  if (kind.record != nullptr) {
    kind.record(recording, asked);
    return;
  }
  Json line;
  put(line, "do", std::string_view(kind.name));
  write(kind.fields, asked, line);
  if (entry == Entry::Opens)
    recording.begin(line);
  else if (again)
    recording.replaceLast(line);
  else
    recording.add(line);
}

commands::Travelled carryOut(Impl& s, commands::Undo&) {
  if (s.done.empty()) refuse("there is nothing to undo");
  SessionEntry entry = std::move(s.done.back());
  s.done.pop_back();
  std::swap(entry.before, s.now);
  s.undone.push_back(std::move(entry));
  return {s.undone.back().label};
}
commands::Travelled carryOut(Impl& s, commands::Redo&) {
  if (s.undone.empty()) refuse("there is nothing to redo");
  SessionEntry entry = std::move(s.undone.back());
  s.undone.pop_back();
  std::swap(entry.before, s.now);
  s.done.push_back(std::move(entry));
  return {s.done.back().label};
}

constexpr Field kTravelAnswer[] = {
    TENON_FIELD(Travelled, label, kFree, "", "names what was taken back or done again"),
};
constexpr CommandTraits travels(const char* name, const char* says) {
  return {.name = name,
          .entry = Entry::Travels,
          .text = true,
          .verdict = true,
          .pace = true,
          .dropsHands = true,
          .stops = true,
          .ghosts = Ghosts::Anew,
          .says = says};
}
constinit const CommandKind kUndo = commandKind<commands::Undo>(
    travels("undo", TENON_SAYS("takes the last entry of the history back")), {}, kTravelAnswer);
constinit const CommandKind kRedo =
    commandKind<commands::Redo>(travels("redo", TENON_SAYS("does it again")), {}, kTravelAnswer);

namespace {

// What would be refused of a trail is refused before anything is done.
void lookAt(const commands::Move& move, const Impl& s) {
  check(kMove.fields, &move);
  const std::vector<HeldGrab>& grabs = s.now.held.grabs;
  if (std::none_of(grabs.begin(), grabs.end(), [&](const HeldGrab& g) { return g.id == move.id; }))
    refuse("hand " + std::to_string(move.id) + " holds nothing");
}
void lookAt(const commands::Pose& pose, const Impl&) { check(kPose.fields, &pose); }
void lookAt(const commands::Step& step, const Impl&) {
  check(kStep.fields, &step);
  checkStepLength(step.dt.value_or(0));
}

}  // namespace

constexpr Field kFollowFields[] = {
    TENON_FIELD(Follow, trail, kNeeded, "", "base64"),
};
constexpr Field kFollowAnswer[] = {
    TENON_FIELD(Follow::Answer, commands, kFree, "", "how many the trail had"),
    TENON_FIELD(Follow::Answer, steps, kFree, "", "of all steps of the trail together"),
    TENON_FIELD(Follow::Answer, finite, kFree, "", "of all"),
    TENON_FIELD(Follow::Answer, converged, kFree, "", "of all"),
    TENON_FIELD(Follow::Answer, unexplained, kFree, "", "of all"),
    TENON_FIELD(Follow::Answer, problems, kFree, "", "of all, each warning once"),
};
commands::Follow::Answer carryOut(Impl& s, commands::Follow& asked) {
  std::vector<Trail::Command> trail;
  if (!Trail::read(asked.trail, trail))
    refuse("'trail' does not fit this recording",
           "take it from the answer to the question 'recording'");
  for (const Trail::Command& each : trail)
    std::visit([&](const auto& command) { lookAt(command, s); }, each);
  commands::Follow::Answer all;
  std::set<std::string> warned;
  for (Trail::Command& each : trail) {
    ++all.commands;
    if (auto* const step = std::get_if<commands::Step>(&each)) {
      commands::Step::Answer answer;
      s.carryOut(kStep, step, &answer, {});
      all.steps += answer.steps;
      all.unexplained += answer.unexplained;
      all.finite = all.finite && answer.finite;
      all.converged = all.converged && answer.converged;
      for (Problem& problem : answer.problems)
        if (warned.insert(problem.what).second) all.problems.push_back(std::move(problem));
    } else if (auto* const move = std::get_if<commands::Move>(&each)) {
      commands::Done answer;
      s.carryOut(kMove, move, &answer, {});
    } else {
      commands::Posed answer;
      s.carryOut(kPose, std::get_if<commands::Pose>(&each), &answer, {});
    }
  }
  return all;
}
constinit const CommandKind kFollow = commandKind<commands::Follow>(
    {.name = "follow",
     .entry = Entry::Several,
     .ghosts = Ghosts::Anew,
     .says = TENON_SAYS("plays the part of a recording in which somebody pulls (see below): moves, "
                        "poses and steps, each as if it were a command of its own")},
    kFollowFields, kFollowAnswer);

namespace {

struct Question {
  const char* name;
  Json (*answer)(Impl& session);
  const char* says;  // what the answer has
  bool ofScene = true;
};

constexpr Question kQuestions[] = {
    {"scene", [](Impl& s) { return describeScene(*s.now.document); },
     TENON_SAYS(
         "`title`, `name`, `parameters`, `gravity`, `settings`, `duration`, `solids`, `joints`, "
         "`floors`, `springs`, `problems` (warnings): see below")},
    {"text",
     [](Impl& s) {
       Json json;
       describe(*s.now.document, json);
       return json;
     },
     TENON_SAYS("`text`, `name`, `files`")},
    {"state", [](Impl& s) { return describeState(s); },
     TENON_SAYS("`time`, `hash` (of the whole state, 16 hexadecimal digits; `null` if a number "
                "is not finite), `complete` (the text already has everything: `keep` would "
                "change nothing), `frozen`, `merged`, `pins`, `grabs`, `forces`, `limits`, "
                "`gravity`, `damp`, `settings`, `undo`, `redo` (labels, the last one first)")},
    {"measures", [](Impl& s) { return describeMeasures(s); },
     TENON_SAYS("`time`, `error` (the largest), `worst` (the joint that has it), `rms`, "
                "`kinetic`, `potential`, `momentum`, `angular_momentum` (`null`: not finite)")},
    {"joints", [](Impl& s) { return describeJoints(s.now); },
     TENON_SAYS("`joints`: for each joint `{\"error\", \"coordinates\": {name: value}, "
                "\"force\": [x, y, z], \"torque\": […]}`")},
    {"verdict", [](Impl& s) { return describeVerdict(s); },
     TENON_SAYS("`dof`, `redundant`, `redundant_joints` (groups), `conflicts` (sets of names), "
                "`conflicts_complete` (false: there may be more sets), `conflicts_share` (the "
                "members that all sets share, if there are several sets), `singular`, `error`, "
                "`words`")},
    {"ways", [](Impl& s) { return describeWays(s); },
     TENON_SAYS("`ways` (how the next step moves the islands, as a list of `{\"way\": \"tree "
                "kernel\", \"loop kernel\" or \"rows\", \"why\", \"islands\", \"solids\", "
                "\"first\"}`. Islands that go the same way for the same reasons are one entry: "
                "their number, the number of their solids, and the first solid. `why` names "
                "what keeps them from the kernels. The list is empty if the method moves the "
                "whole scene at once)")},
    {"catalogue", [](Impl&) { return describeCatalogue(); },
     TENON_SAYS(
         "`kinds`, `methods` and `settings`, see below; `solvers` and `assembly` (names of solvers "
         "and of methods of assembly; the first is the default)"),
     false},
    {"commands", [](Impl&) { return describeCommands(); },
     TENON_SAYS("`commands` and `questions`: what this page says of them, for programs, see below"),
     false},
    {"save",
     [](Impl& s) {
       Json json;
       json["save"] = saveOf(s);
       return json;
     },
     TENON_SAYS("`save`: the text, included files, state, settings, and what is held: pins, "
                "frozen and merged joints, limits, forces, gravity, damping, what events have "
                "switched")},
    {"kept", [](Impl& s) { return describeKept(s); },
     TENON_SAYS("`text` (as `keep` would make it), `moving`, `complete` (true: the text already "
                "has everything), `problems`")},
    {"recording",
     [](Impl& s) {
       Json json;
       put(json, "commands", s.recording.commands());
       return json;
     },
     TENON_SAYS("`commands` (what was done since `open`, for `tenon replay`)")},
};

}  // namespace

Json Session::Impl::question(const std::string& name) {
  for (const Question& question : kQuestions) {
    if (name != question.name) continue;
    if (question.ofScene && now.document == nullptr)
      refuse("no scene is open", "begin with 'open'");
    return question.answer(*this);
  }
  refuse("there is no question '" + name + "'");
}

void describeQuestions(Json& list) {
  for (const Question& question : kQuestions)
    Members{added(list)}("name", question.name)("says", question.says);
}

}  // namespace tenon
