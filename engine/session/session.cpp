// A session: requests come in, what they change can be taken back.
#include <tenon/session.h>

#include <algorithm>

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

}  // namespace

Session::Session() : impl_(std::make_unique<Impl>()) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

std::string Session::run(std::string_view request) {
  Json answer;
  const Json parsed = Json::parse(request, nullptr, false);
  try {
    if (!parsed.is_object()) refuse("that is no JSON object");
    answer = impl_->run(parsed);
    answer["ok"] = true;
  } catch (const Refusal& refusal) {
    answer = {{"ok", false}, {"problems", jsonOf(refusal.problems)}};
  }
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const std::vector<float>& Session::poses() {
  const SessionState& now = impl_->now;
  std::vector<float>& poses = impl_->poses;
  poses.clear();
  if (now.document == nullptr) return poses;
  const State own = impl_->ownState();
  for (const Pose& X : framesOf(now.document->mechanism, own))
    for (const double x : {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w})
      poses.push_back(static_cast<float>(x));
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
    recording.push_back(request);
    return answer;
  }
  SessionState before = now;
  Json used = request;  // what is recorded: without the clock
  Json answer;
  try {
    if (name == "open")
      answer = open(request);
    else if (name == "restore")
      answer = restore(request);
    else if (name == "edit")
      answer = edit(request);
    else if (name == "set" || name == "unset" || name == "add" || name == "remove" ||
             name == "rename")
      answer = change(name, request);
    else if (name == "grab")
      answer = grab(request);
    else if (name == "move")
      answer = move(request);
    else if (name == "release")
      answer = letGo(request);
    else if (name == "pin")
      answer = pin(request);
    else if (name == "unpin")
      answer = unpin(request);
    else if (name == "freeze" || name == "unfreeze" || name == "merge" || name == "unmerge" ||
             name == "freeze-but")
      answer = freeze(name, request);
    else if (name == "limit")
      answer = limit(request);
    else if (name == "coordinate")
      answer = coordinate(request);
    else if (name == "force")
      answer = force(request);
    else if (name == "gravity" || name == "damp" || name == "stop")
      answer = steer(name, request);
    else if (name == "settings")
      answer = changeSettings(request);
    else if (name == "step")
      answer = step(request, used);
    else if (name == "pose")
      answer = pose(request, used);
    else if (name == "assemble")
      answer = assemble(request, used);
    else if (name == "scatter")
      answer = scatter(request);
    else if (name == "reset")
      answer = reset();
    else
      refuse("there is no command '" + name + "'");
  } catch (...) {
    now = std::move(before);
    throw;
  }
  if (name == "open" || name == "restore") {
    done.clear();
    undone.clear();
    recording.clear();
    open_.clear();
    recording.push_back(std::move(used));
    return answer;
  }
  undone.clear();
  const std::string kind = kindOf(name, !before.held.grabs.empty());
  if (kind.empty() || kind != open_ || done.empty())
    done.push_back({labelOf(name, request), kind, std::move(before)});
  open_ = name == "release" && now.held.grabs.empty() ? std::string() : kind;
  std::size_t kept = 0;
  for (const SessionEntry& entry : done) kept += sizeOf(entry.before);
  while (done.size() > kMostEntries || (kept > kMostNumbers && done.size() > 1)) {
    kept -= sizeOf(done.front().before);
    done.erase(done.begin());
  }
  // Steps of the same length are recorded as one command.
  if (name == "step" && !recording.empty() && recording.back().value("do", "") == "step" &&
      recording.back().value("dt", 0.0) == used.value("dt", 0.0)) {
    recording.back()["count"] = recording.back().value("count", 1) + used.value("count", 1);
  } else {
    recording.push_back(std::move(used));
  }
  return answer;
}

Json Session::Impl::undo() {
  if (done.empty()) refuse("there is nothing to undo");
  SessionEntry entry = std::move(done.back());
  done.pop_back();
  std::swap(entry.before, now);
  Json answer{{"label", entry.label}};
  undone.push_back(std::move(entry));
  open_.clear();
  return answer;
}
Json Session::Impl::redo() {
  if (undone.empty()) refuse("there is nothing to redo");
  SessionEntry entry = std::move(undone.back());
  undone.pop_back();
  std::swap(entry.before, now);
  Json answer{{"label", entry.label}};
  done.push_back(std::move(entry));
  open_.clear();
  return answer;
}

Json Session::Impl::question(const std::string& name) {
  if (name == "catalogue") return describeCatalogue();
  if (now.document == nullptr) refuse("no scene is open", "begin with 'open'");
  if (name == "scene") return describeScene(*now.document);
  if (name == "text") {
    Json files = Json::object();
    for (const auto& [file, text] : now.document->files) files[file] = text;
    return {{"text", now.document->text->text()}, {"name", now.document->name}, {"files", files}};
  }
  if (name == "state") return describeState(*this);
  if (name == "measures") return describeMeasures(*this);
  if (name == "joints") return describeJoints(now);
  if (name == "verdict") return describeVerdict(*this);
  if (name == "recording") return {{"commands", recording}};
  if (name == "save") return saved(*this);
  refuse("there is no question '" + name + "'");
}

}  // namespace tenon
