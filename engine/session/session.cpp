// A session: requests come in, what they change can be taken back.
#include <tenon/session.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <set>
#include <stdexcept>

#include "session/read_json.h"
#include "session/session_impl.h"

namespace tenon {

namespace {

constexpr std::size_t kMostEntries = 300;
constexpr std::size_t kMostNumbers = 20'000'000;  // in all states that are kept

std::size_t sizeOf(const SessionState& state) {
  return 30 * state.state.position.size() + state.state.multiplier.size();
}

// What entries of the history are called.
std::string labelOf(const std::string& name, const Json& request) {
  const auto of = [&](const char* key) {
    const auto at = request.find(key);
    if (at == request.end()) return std::string();
    if (at->is_string()) return " " + at->get<std::string>();
    if (at->is_array() && at->size() == 1 && at->front().is_string())
      return " " + at->front().get<std::string>();
    return std::string();
  };
  if (name == "step") return "Play";
  if (name == "grab" || name == "move" || name == "release" || name == "pose") return "Pull";
  if (name == "edit") return "Edit text";
  if (name == "freeze-but") return "Freeze all others";
  if (name == "coordinates") return "Set coordinates";
  std::string label = name;
  label[0] = static_cast<char>(label[0] - 'a' + 'A');
  for (const char* key : {"solid", "joint", "joints", "path", "paths"}) {
    const std::string thing = of(key);
    if (!thing.empty()) return label + thing;
  }
  return label;
}

// Commands of the same kind, one after the other, are one entry. While a hand holds something, moving it, posing and
// stepping are all its pull.
std::string kindOf(const std::string& name, bool held) {
  if (name == "grab" || name == "move" || name == "release" || name == "pose") return "pull";
  if (name == "step") return held ? "pull" : "step";
  return {};
}

struct Asked {
  const std::string& name;
  const Json& request;
  Json& used;  // what is recorded: without the clock
};
struct Command {
  std::string_view name;
  Json (*run)(Session::Impl&, const Asked&);
  bool looksFirst = false;    // what it refuses, it refuses before it changes anything
  bool recordsOther = false;  // than what was asked for
};

using Impl = Session::Impl;
Json textChange(Impl& s, const Asked& a) { return s.change(a.name, a.request); }
Json freezing(Impl& s, const Asked& a) { return s.freeze(a.name, a.request); }
Json steering(Impl& s, const Asked& a) { return s.steer(a.name, a.request); }

constexpr Command kCommands[] = {
    {"open", [](Impl& s, const Asked& a) { return s.open(a.request); }},
    {"restore", [](Impl& s, const Asked& a) { return s.restore(a.request); }},
    {"edit", [](Impl& s, const Asked& a) { return s.edit(a.request); }},
    {"set", textChange},
    {"unset", textChange},
    {"add", textChange},
    {"remove", textChange},
    {"rename", textChange},
    {"grab", [](Impl& s, const Asked& a) { return s.grab(a.request); }},
    {"move", [](Impl& s, const Asked& a) { return s.move(a.request); }, true},
    {"release", [](Impl& s, const Asked& a) { return s.letGo(a.request); }},
    {"pin", [](Impl& s, const Asked& a) { return s.pin(a.request); }},
    {"unpin", [](Impl& s, const Asked& a) { return s.unpin(a.request); }},
    {"freeze", freezing},
    {"unfreeze", freezing},
    {"freeze-but", freezing},
    {"merge", freezing},
    {"unmerge", freezing},
    {"limit", [](Impl& s, const Asked& a) { return s.limit(a.request); }},
    {"coordinate", [](Impl& s, const Asked& a) { return s.coordinate(a.request); }},
    {"coordinates", [](Impl& s, const Asked& a) { return s.coordinates(a.request); }},
    {"force", [](Impl& s, const Asked& a) { return s.force(a.request); }},
    {"keep", [](Impl& s, const Asked&) { return s.keep(); }},
    {"gravity", steering},
    {"damp", steering},
    {"stop", steering},
    {"settings", [](Impl& s, const Asked& a) { return s.changeSettings(a.request); }},
    {"step", [](Impl& s, const Asked& a) { return s.step(a.request, a.used); }, true, true},
    {"pose", [](Impl& s, const Asked& a) { return s.pose(a.request, a.used); }, true, true},
    {"assemble", [](Impl& s, const Asked& a) { return s.assemble(a.request, a.used); }, false,
     true},
    {"scatter", [](Impl& s, const Asked& a) { return s.scatter(a.request); }},
    {"reset", [](Impl& s, const Asked&) { return s.reset(); }},
};

}  // namespace

Session::Session() : impl_(std::make_unique<Impl>()) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::string Session::run(std::string_view request) {
  const auto refused = [](const std::vector<Problem>& problems) {
    Json json;
    Members{json}("ok", false)("problems", jsonOf(problems));
    return json;
  };
  const auto because = [&](std::string what) {
    Problem problem;
    problem.what = std::move(what);
    return refused({problem});
  };
  const auto outOfMemory = [&] {
    impl_->stepScratch = {};  // whatever they were doing when they ran out
    impl_->poseScratch = {};
    return because("this needs more memory than this machine has free");
  };
  Json answer;
  try {
    if (nestsTooDeep(request)) refuse("the request is nested too deeply");
    const Json parsed = readJson(request);
    if (!parsed.is_object()) refuse("the request is not a JSON object");
    answer = impl_->run(parsed);
    put(answer, "ok", true);
  } catch (const Refusal& refusal) {
    answer = refused(refusal.problems);
  } catch (const Json::exception&) {  // a value of a kind that nobody expected
    answer = because("a value in the request has the wrong type");
  } catch (const std::bad_alloc&) {
    answer = outOfMemory();
  } catch (const std::length_error&) {
    answer = outOfMemory();
  }
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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
  return command(request);
}

Json Session::Impl::command(const Json& request) {
  const std::string name = textOf(request, "do");
  if (name != "open" && name != "restore" && now.document == nullptr)
    refuse("no scene is open", "begin with 'open'");
  if (name == "undo" || name == "redo") {
    Json answer = name == "undo" ? undo() : redo();
    recording.add(request);
    return answer;
  }
  if (name == "follow") return followTrail(request);
  const auto* const which = std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [&](const Command& c) { return c.name == name; });
  if (which == std::end(kCommands)) refuse("there is no command '" + name + "'");
  // While a hand pulls, or physics runs on, all is one entry, which has its copy of the state already.
  const std::string kind = kindOf(name, !now.held.grabs.empty());
  const bool joins = !kind.empty() && kind == open_ && !done.empty();
  std::optional<SessionState> before;
  if (!joins || !which->looksFirst) before = now;
  Json used;  // a copy costs as much as all the rest of a small command
  if (which->recordsOther) used = request;
  Json answer;
  try {
    answer = which->run(*this, {name, request, used});
  } catch (...) {
    if (before) now = std::move(*before);
    throw;
  }
  if (name == "open" || name == "restore") {
    done.clear();
    undone.clear();
    open_.clear();
    recording.begin(request);
    return answer;
  }
  undone.clear();
  if (!joins) done.push_back({labelOf(name, request), std::move(*before)});
  open_ = name == "release" && now.held.grabs.empty() ? std::string() : kind;
  std::size_t kept = 0;
  for (const SessionEntry& entry : done) kept += sizeOf(entry.before);
  while (done.size() > kMostEntries || (kept > kMostNumbers && done.size() > 1)) {
    kept -= sizeOf(done.front().before);
    done.pop_front();
  }
  recording.add(which->recordsOther ? used : request);
  if (name == "step" && answer.value("stopped", false))
    recording.endSteps();  // as it will stop again
  return answer;
}

Json Session::Impl::undo() {
  if (done.empty()) refuse("there is nothing to undo");
  SessionEntry entry = std::move(done.back());
  done.pop_back();
  std::swap(entry.before, now);
  Json answer;
  put(answer, "label", std::string_view(entry.label));
  undone.push_back(std::move(entry));
  open_.clear();
  return answer;
}
Json Session::Impl::redo() {
  if (undone.empty()) refuse("there is nothing to redo");
  SessionEntry entry = std::move(undone.back());
  undone.pop_back();
  std::swap(entry.before, now);
  Json answer;
  put(answer, "label", std::string_view(entry.label));
  done.push_back(std::move(entry));
  open_.clear();
  return answer;
}

namespace {

// What would be refused of a trail is refused before anything is done.
void lookAt(const Json& command, const std::vector<HeldGrab>& grabs) {
  const std::string name = textOf(command, "do");
  if (name == "step") {
    static_cast<void>(countOf(command, "count", 1, kMostSteps));
    const double dt = numberOf(command, "dt");
    if (!(dt >= 1e-6) || dt > 1) refuse("dt must be from 1e-6 to 1 s");
  } else if (name == "pose") {
    static_cast<void>(countOf(command, "iterations", 0, 100'000));
  } else {
    const int id = countOf(command, "id", 0, 1'000'000);
    if (std::none_of(grabs.begin(), grabs.end(), [&](const HeldGrab& g) { return g.id == id; }))
      refuse("hand " + std::to_string(id) + " holds nothing");
    static_cast<void>(vectorOf(command, "target"));
    if (has(command, "orientation")) static_cast<void>(turnOf(command, "orientation"));
  }
}

}  // namespace

Json Session::Impl::followTrail(const Json& request) {
  std::vector<Json> commands;
  if (!Trail::read(textOf(request, "trail"), commands))
    refuse("'trail' does not fit this recording",
           "take it from the answer to the question 'recording'");
  for (const Json& each : commands) lookAt(each, now.held.grabs);
  // What its steps have to say, each warning once.
  int steps = 0, unexplained = 0;
  bool finite = true, converged = true;
  Json summary;
  Json& problems = listIn(summary, "problems");
  std::set<std::string> warned;
  for (const Json& each : commands) {
    const Json answer = command(each);
    if (!answer.contains("steps")) continue;
    steps += answer["steps"].get<int>();
    unexplained += answer["unexplained"].get<int>();
    finite = finite && answer["finite"].get<bool>();
    converged = converged && answer["converged"].get<bool>();
    for (const Json& problem : answer["problems"])
      if (warned.insert(problem["what"].get<std::string>()).second) problems.push_back(problem);
  }
  Members{summary}("commands", commands.size())("steps", steps)("finite", finite)(
      "converged", converged)("unexplained", unexplained);
  return summary;
}

Json Session::Impl::question(const std::string& name) {
  if (name == "catalogue") return describeCatalogue();
  if (now.document == nullptr) refuse("no scene is open", "begin with 'open'");
  if (name == "scene") return describeScene(*now.document);
  if (name == "text") {
    Json json;
    describe(*now.document, json);
    return json;
  }
  if (name == "state") return describeState(*this);
  if (name == "measures") return describeMeasures(*this);
  if (name == "joints") return describeJoints(now);
  if (name == "verdict") return describeVerdict(*this);
  if (name == "ways") return describeWays(*this);
  if (name == "recording") {
    Json json;
    put(json, "commands", recording.commands());
    return json;
  }
  if (name == "save") return saved(*this);
  if (name == "kept") return describeKept(*this);
  refuse("there is no question '" + name + "'");
}

}  // namespace tenon
