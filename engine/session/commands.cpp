// The commands that change the text, and what is held.
#include <tenon/joint.h>
#include <tenon/scene_says.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "session/session_impl.h"

namespace tenon {

SessionSettings settingsOf(const Scene& scene) {
  SessionSettings settings;
  settings.step = stepSettingsOf(scene.settings);
  settings.dt = scene.settings.dt.value_or(settings.dt);
  if (scene.settings.budget) settings.budget = 1000 * *scene.settings.budget;
  return settings;
}

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
  const SessionSettings settings =
      now.document == nullptr ? settingsOf(document->scene()) : now.settings;
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

namespace {

Json warningsOf(const SessionDocument& document) {
  Json answer;
  put(answer, "problems", jsonOf(document.warnings));
  return answer;
}

}  // namespace

Json Session::Impl::open(const Json& request) {
  std::map<std::string, std::string> files;
  if (has(request, "files")) {
    const Json& given = member(request, "files");
    if (!given.is_object()) refuse("'files' must be an object of texts");
    for (const auto& [name, text] : given.items())
      if (text.is_string()) files[name] = text.get<std::string>();
  }
  auto document = read(textOf(request, "text"), textOf(request, "name"), std::move(files));
  now = {};
  use(std::move(document));
  return warningsOf(*now.document);
}

Json Session::Impl::edit(const Json& request) {
  use(read(textOf(request, "text"), now.document->name, now.document->files));
  return warningsOf(*now.document);
}

namespace {

void describe(const TextEdit& edit, Json& json) {
  Members{json}("offset", edit.offset)("length", edit.length)("text", edit.text);
}

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

Json Session::Impl::change(const std::string& name, const Json& request) {
  SessionDocument document = *now.document;
  SceneDocument& text = *document.text;
  Json edits = Json::array();
  const auto one = [&](const Result<TextEdit>& edit) {
    if (!edit) throw Refusal{edit.problems()};
    describe(*edit, added(edits));
  };
  if (name == "set") {
    one(text.set(textOf(request, "path"), textOf(request, "property"), textOf(request, "values")));
  } else if (name == "unset") {
    one(text.unset(textOf(request, "path"), textOf(request, "property")));
  } else if (name == "add") {
    one(text.add(textOf(request, "block")));
  } else if (name == "remove") {
    // First the joints that hold a solid which goes.
    std::vector<std::string> paths = namesOf(request, "paths");
    const std::set<std::string> gone(paths.begin(), paths.end());
    std::vector<std::string> joints;
    for (const Joint& joint : text.scene().joints)
      if (gone.count(joint.name) == 0 &&
          (gone.count(joint.solid1) > 0 || gone.count(joint.solid2) > 0))
        joints.push_back(joint.name);
    paths.insert(paths.begin(), joints.begin(), joints.end());
    for (const std::string& path : paths) one(text.remove(path));
  } else {
    const auto renamed = text.rename(textOf(request, "path"), textOf(request, "to"));
    if (!renamed) throw Refusal{renamed.problems()};
    for (const TextEdit& edit : *renamed) describe(edit, added(edits));
  }
  const State own = ownState();
  Mechanism before = now.document->mechanism;
  Held held = heldBy(now.document->scene(), before);
  if (name == "rename") {
    const std::string path = textOf(request, "path"), to = textOf(request, "to");
    for (std::string& solid : before.solidNames) renamed(path, to, solid);
    renamed(path, to, held);
    renamed(path, to, now.held);
  }
  now.document = compiled(std::move(document));
  adopt(held, heldBy(now.document->scene(), now.document->mechanism), now.held);
  forget(now.document->mechanism, now.held);
  follow(kept(before, own, now.document->mechanism));
  now.begun = false;
  // The text has other events now: those of the past are over.
  now.eventsDone = now.state.time > 0 ? now.mechanism->events.until(now.state.time) : 0;
  now.metUntil = now.state.time;
  Json answer = warningsOf(*now.document);
  put(answer, "edits", std::move(edits));
  return answer;
}

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

Json Session::Impl::keep() {
  SessionDocument document = *now.document;
  const std::string before = document.text->text();
  const State own = ownState();
  Kept kept = tenon::keep(document.mechanism, own, now, *document.text);
  Json answer;
  Json& edits = listIn(answer, "edits");
  if (kept.changed) {
    describe(difference(before, document.text->text()), added(edits));
    now.document = compiled(std::move(document));
    now.held = std::move(kept.held);
    const bool begun = now.begun;
    follow(own);
    now.begun = begun;
  }
  Members{answer}("moving", kept.moving)("pins", kept.pins)("frozen", kept.frozen)(
      "merged", kept.merged)("limits", kept.limits)("forces", kept.forces)("problems",
                                                                           jsonOf(kept.problems));
  return answer;
}

Json describeKept(const Session::Impl& session) {
  const SessionDocument& document = *session.now.document;
  SceneDocument text = *document.text;
  const Kept kept = keep(document.mechanism, session.ownState(), session.now, text);
  Json json;
  Members{json}("text", text.text())("moving", kept.moving)(
      "complete", !kept.changed && kept.problems.empty())("problems", jsonOf(kept.problems));
  return json;
}

// ---------------------------------------------------------------------------------------- holding

Json Session::Impl::grab(const Json& request) {
  HeldGrab grab;
  grab.id = countOf(request, "id", 0, 1'000'000);
  grab.solid = textOf(request, "solid");
  const Index solid = solidNamed(now.document->mechanism, grab.solid);
  if (now.document->mechanism.solids[solid].kind != SolidKind::Dynamic)
    refuse("'" + grab.solid + "' does not move");
  for (const HeldGrab& other : now.held.grabs)
    if (other.id == grab.id) refuse("hand " + std::to_string(grab.id) + " holds something already");
  const State own = ownState();
  grab.point = has(request, "point") ? vectorOf(request, "point") : Vec3{};
  grab.target = has(request, "target") ? vectorOf(request, "target")
                                       : placeOf(now.document->mechanism, own, solid, grab.point);
  if (has(request, "orientation")) grab.orientation = turnOf(request, "orientation");
  grab.dynamic = request.value("dynamic", false);
  now.held.grabs.push_back(grab);
  if (grab.dynamic) follow(own);
  return {};
}

Json Session::Impl::move(const Json& request) {
  const int id = countOf(request, "id", 0, 1'000'000);
  for (HeldGrab& grab : now.held.grabs) {
    if (grab.id != id) continue;
    const Vec3 target = vectorOf(request, "target");
    if (grab.orientation && has(request, "orientation"))
      grab.orientation = turnOf(request, "orientation");
    grab.target = target;
    return {};
  }
  refuse("hand " + std::to_string(id) + " holds nothing");
}

Json Session::Impl::letGo(const Json& request) {
  const int id = countOf(request, "id", 0, 1'000'000);
  for (std::size_t k = 0; k < now.held.grabs.size(); ++k) {
    if (now.held.grabs[k].id != id) continue;
    const bool dynamic = now.held.grabs[k].dynamic;
    const State own = ownState();
    now.held.grabs.erase(now.held.grabs.begin() + static_cast<std::ptrdiff_t>(k));
    if (dynamic) follow(own);
    return {};
  }
  refuse("hand " + std::to_string(id) + " holds nothing");
}

Json Session::Impl::pin(const Json& request) {
  HeldPin pin;
  pin.solid = textOf(request, "solid");
  const Mechanism& m = now.document->mechanism;
  const Index solid = solidNamed(m, pin.solid);
  if (m.solids[solid].kind != SolidKind::Dynamic) refuse("'" + pin.solid + "' does not move");
  const State own = ownState();
  if (has(request, "point")) {
    pin.point = vectorOf(request, "point");
    pin.target.p =
        has(request, "target") ? vectorOf(request, "target") : placeOf(m, own, solid, *pin.point);
  } else {
    pin.target = frameOf(m, own, solid);
    if (has(request, "target")) pin.target.p = vectorOf(request, "target");
  }
  // What is pinned already is pinned anew.
  std::vector<HeldPin>& pins = now.held.pins;
  const auto same = std::find_if(pins.begin(), pins.end(), [&](const HeldPin& other) {
    return other.solid == pin.solid && other.point == pin.point;
  });
  const auto number = same - pins.begin();
  if (same != pins.end())
    *same = pin;
  else
    pins.push_back(pin);
  follow(own);
  now.begun =
      false;  // what it pulls at, and velocities that it does not allow, are put right first
  Json answer;
  put(answer, "pin", std::int64_t{number});
  return answer;
}

Json Session::Impl::unpin(const Json& request) {
  const State own = ownState();
  auto& pins = now.held.pins;
  const std::size_t before = pins.size();
  if (has(request, "pin")) {
    const int number = countOf(request, "pin", 0, 1'000'000);
    if (static_cast<std::size_t>(number) < pins.size()) pins.erase(pins.begin() + number);
  } else if (has(request, "solid")) {
    const std::string solid = textOf(request, "solid");
    std::erase_if(pins, [&](const HeldPin& pin) { return pin.solid == solid; });
  } else {
    pins.clear();
  }
  if (pins.size() == before) refuse("nothing is pinned there");
  follow(own);
  return {};
}

Json Session::Impl::freeze(const std::string& name, const Json& request) {
  const Mechanism& m = now.document->mechanism;
  const State own = ownState();
  const bool merging = name == "merge" || name == "unmerge";
  const bool on = name == "freeze" || name == "merge" || name == "freeze-but";
  std::vector<std::string>& list = merging ? now.held.merged : now.held.frozen;
  Finder numbers(m.jointNames);
  const auto jointCalled = [&](const std::string& joint) {
    const Index number = numbers(joint);
    return number != kWorld ? number : jointNamed(m, joint);  // which says what is wrong
  };
  std::vector<std::string> joints;
  if (name == "freeze-but") {
    std::unordered_set<Index> but;
    for (const std::string& joint : namesOf(request, "joints")) but.insert(jointCalled(joint));
    for (Index j = 0; j < m.joints.size(); ++j)
      if (m.joints[j].kind->relates == Relates::Frames && m.joints[j].kind->residualCount > 0 &&
          but.count(j) == 0)
        joints.push_back(m.jointNames[j]);
  } else if (has(request, "joints") || name == "freeze" || name == "merge") {
    joints = namesOf(request, "joints");
  } else {
    joints = list;
  }
  std::unordered_set<std::string> named(list.begin(), list.end());
  for (const std::string& joint : joints) {
    if (m.joints[jointCalled(joint)].kind->relates != Relates::Frames)
      refuse("'" + joint + "' holds no two solids together", "freeze the joints that it couples");
    if (!on)
      named.erase(joint);
    else if (named.insert(joint).second)
      list.push_back(joint);
  }
  if (!on) std::erase_if(list, [&](const std::string& joint) { return named.count(joint) == 0; });
  follow(own);
  now.begun = false;
  Index moving = 0;
  for (const MechanismSolid& solid : now.mechanism->mechanism.solids)
    if (solid.kind == SolidKind::Dynamic) ++moving;
  Json answer;
  Members{answer}("solids", moving)("joints", now.mechanism->mechanism.joints.size());
  return answer;
}

HeldLimit limitOf(const Mechanism& m, const Json& request) {
  HeldLimit limit;
  limit.joint = textOf(request, "joint");
  limit.coordinate = textOf(request, "coordinate");
  const JointKind& kind = *m.joints[jointNamed(m, limit.joint)].kind;
  if (findCoordinate(kind, limit.coordinate) < 0)
    refuse("'" + limit.joint + "' has no coordinate '" + limit.coordinate + "'");
  limit.lower = numberOf(request, "lower", -kInfinity);
  limit.upper = numberOf(request, "upper", kInfinity);
  if (limit.lower > limit.upper) refuse("the lower limit is above the upper limit");
  return limit;
}

Json Session::Impl::limit(const Json& request) {
  const HeldLimit limit = limitOf(now.document->mechanism, request);
  const State own = ownState();
  std::erase_if(now.held.limits, [&](const HeldLimit& other) {
    return other.joint == limit.joint && other.coordinate == limit.coordinate;
  });
  now.held.limits.push_back(limit);
  follow(own);
  now.begun = false;
  return {};
}

HeldForce forceOf(const Mechanism& m, const Json& request) {
  HeldForce force;
  force.id = countOf(request, "id", 0, 1'000'000);
  force.solid = textOf(request, "solid");
  static_cast<void>(solidNamed(m, force.solid));
  force.point = has(request, "point") ? vectorOf(request, "point") : Vec3{};
  force.force = vectorOf(request, "force");
  return force;
}

Json Session::Impl::force(const Json& request) {
  const HeldForce force = forceOf(now.document->mechanism, request);
  const State own = ownState();
  std::erase_if(now.held.forces, [&](const HeldForce& other) { return other.id == force.id; });
  if (force.force != Vec3{}) now.held.forces.push_back(force);
  follow(own);
  return {};
}

Json Session::Impl::steer(const std::string& name, const Json& request) {
  if (name == "gravity") {
    now.control.gravity = vectorOf(request, "value");
  } else if (name == "damp") {
    const double damp = numberOf(request, "value");
    if (damp < 0) refuse("the damping factor must be zero or more");
    now.control.damp = damp;
  } else {
    for (Vec3& v : now.state.velocity) v = {};
    for (Vec3& w : now.state.spin) w = {};
  }
  now.state.rest.clear();
  return {};
}

Json Session::Impl::changeSettings(const Json& request) {
  SessionSettings& settings = now.settings;
  const auto choose = [&](const char* key, auto& value) {
    if (!has(request, key)) return;
    const std::string name = textOf(request, key);
    if (!fromName(name, value)) refuse("there is no " + std::string(key) + " '" + name + "'");
  };
  choose("method", settings.step.method);
  choose("solver", settings.step.linear.solver);
  settings.step.iterations = countOf(request, "iterations", settings.step.iterations, 100'000);
  settings.step.tolerance = numberOf(request, "tolerance", settings.step.tolerance);
  if (!(settings.step.tolerance > 0)) refuse("the tolerance must be more than zero");
  settings.step.feedback.alpha = numberOf(request, "alpha", settings.step.feedback.alpha);
  settings.step.feedback.beta = numberOf(request, "beta", settings.step.feedback.beta);
  settings.dt = numberOf(request, "dt", settings.dt);
  if (!(settings.dt >= 1e-6) || settings.dt > 1) refuse("dt must be from 1e-6 to 1 s");
  settings.budget = numberOf(request, "budget", settings.budget);
  if (!(settings.budget > 0)) refuse("the budget must be more than zero");
  return {};
}

}  // namespace tenon
