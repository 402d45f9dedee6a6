// The commands that move solids: posing, physics, and back.
#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/scene_says.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "model/clock.h"
#include "session/session_impl.h"

namespace tenon {

namespace {

// Hands are drawn after the pointer with this delay: samples come irregularly and noisily, and are never
// differentiated.
constexpr double kHandDelay = 0.02;  // [s]
constexpr double kHandReach =
    0.02;  // [m] of its spring: about seven times the weight of what it holds

// How far joints may open while a hand is followed and time is short [m], [rad]: so much of the figures that are pulled.
double slackOf(const Mechanism& m, const std::vector<Want>& wants, const State& state) {
  constexpr double kPart = 2e-3, kLeast = 1e-5, kMost = 1e-2;
  double size = 0;
  for (const Mechanism::Island& island : m.islands) {
    const std::span solids(m.islandSolids.data() + island.solids.first, island.solids.count);
    const auto isIn = [&](const Want& want) {
      return std::find(solids.begin(), solids.end(), want.solid) != solids.end();
    };
    if (std::none_of(wants.begin(), wants.end(), isIn)) continue;
    for (int i = 0; i < 3; ++i) {
      double low = kInfinity, high = -kInfinity;
      for (const Index s : solids) {
        low = std::min(low, state.position[s][i]);
        high = std::max(high, state.position[s][i]);
      }
      size = std::max(size, high - low);
    }
  }
  return std::clamp(kPart * size, kLeast, kMost);
}

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Json answerOf(const PoseReport& report) {
  Json json;
  Members{json}("status", nameOf(report.status))("start_error", report.startError)(
      "max_error", report.maxError)("want_error", report.wantError)(
      "iterations", report.iterations)("restarts", report.restarts)(
      "milliseconds", report.milliseconds)("reason", report.reason);
  return json;
}

// How far each gave: joints that were named, and what else is off.
void describe(const std::vector<Yielded>& yielded, const Mechanism& m, Json& list) {
  for (const Yielded& one : yielded) {
    Json& entry = added(list);
    Members{entry}("joint", m.jointNames[one.joint])("metres", one.metres)("radians", one.radians)(
        "weight", one.weight);
    if (one.rule != kWorld)
      put(entry, "coordinate",
          m.joints[one.joint].kind->coordinates[m.rules[one.rule].coordinate].name);
  }
}

// [{"joint": "left", "weight": 2}, …], of the mechanism as it is held.
std::vector<Yield> yieldsOf(const Json& request, const SessionState& now) {
  std::vector<Yield> yields;
  if (!has(request, "yield")) return yields;
  if (!request["yield"].is_array()) refuse("'yield' must be a list of joints");
  const Mechanism& m = now.mechanism->mechanism;
  for (const Json& one : request["yield"]) {
    if (!one.is_object()) refuse("each joint of 'yield' is {\"joint\", \"weight\"}");
    const std::string name = textOf(one, "joint");
    Yield yield;
    const auto found = std::find(m.jointNames.begin(), m.jointNames.end(), name);
    if (found == m.jointNames.end()) {
      static_cast<void>(jointNamed(now.document->mechanism, name));
      refuse("'" + name + "' is frozen", "unfreeze it first");
    }
    yield.joint = static_cast<Index>(found - m.jointNames.begin());
    yield.weight = numberOf(one, "weight", 1);
    if (!(yield.weight > 0)) refuse("the weight of '" + name + "' must be above 0");
    yields.push_back(yield);
  }
  return yields;
}

}  // namespace

Control Session::Impl::withoutHands() const {
  Control control = now.control;
  for (const HeldMechanism::Hand& hand : now.mechanism->hands) control.jointOn[hand.joint] = 0;
  return control;
}
JointError Session::Impl::errors() const {
  return jointError(now.mechanism->mechanism, withoutHands(), now.state);
}

void Session::Impl::moveHands(double dt) {
  const Mechanism& m = now.mechanism->mechanism;
  State& state = now.state;
  for (const HeldMechanism::Hand& hand : now.mechanism->hands)
    for (const HeldGrab& grab : now.held.grabs) {
      if (grab.id != hand.id) continue;
      const double share = dt / (dt + kHandDelay);
      // Never further from the point than the pull that it may have: what cannot follow does not have to.
      const MechanismJoint& joint = m.joints[hand.joint];
      const Vec3 point =
          state.position[joint.solid2] + rotate(state.orientation[joint.solid2], joint.frame2.p);
      Vec3& place = state.position[hand.solid];
      const Vec3 ahead = place + share * (grab.target - place) - point;
      const double far = norm(ahead);
      place = point + (far > kHandReach ? kHandReach / far : 1) * ahead;
      if (!grab.orientation) continue;
      Quat& q = state.orientation[hand.solid];
      Quat to = *grab.orientation;
      if (q.x * to.x + q.y * to.y + q.z * to.z + q.w * to.w < 0) to = {-to.x, -to.y, -to.z, -to.w};
      q = normalized(Quat{q.x + share * (to.x - q.x), q.y + share * (to.y - q.y),
                          q.z + share * (to.z - q.z), q.w + share * (to.w - q.w)});
    }
}

Json Session::Impl::step(const Json& request, Json& used) {
  const int count = countOf(request, "count", 1, kMostSteps);
  const double dt = numberOf(request, "dt", now.settings.dt);
  if (!(dt >= 1e-6) || dt > 1) refuse("dt must be from 1e-6 to 1 s");
  const double most = numberOf(request, "milliseconds", kInfinity);
  used.erase("milliseconds");
  put(used, "dt", dt);
  const auto start = Clock::now();
  std::vector<Problem> problems;
  EnergyWatch watch;
  Runner runner(running(), now, watch, stepScratch, poseScratch, problems);
  const Begun begun = runner.begin({});
  int done = 0, halvings = 0, iterations = 0, unexplained = 0, singular = 0;
  bool stuck = false, fast = true, stopped = !begun.goesOn, converged = true, finite = true;
  const auto meetWhatIsDue = [&] {
    stopped = stopped || !runner.meetWhatIsDue(kNearlyWhole * dt).goesOn;
  };
  for (; done < count && !stopped && (done == 0 || millisecondsSince(start) < most); ++done) {
    for (double left = dt; left > kNearlyWhole * dt && !stopped;) {
      meetWhatIsDue();
      if (stopped) break;
      const double until = nextInstant(now) - now.state.time;
      const double part = until < left * (1 - kNearlyWhole) ? until : left;
      moveHands(part);
      const StepReport report = runner.step(part);
      halvings += report.halvings;
      iterations += report.iterations;
      fast = fast && report.fast;
      converged = converged && report.converged;
      stuck = stuck || report.stuck;
      if (!report.finite || report.stopped) {
        finite = false;
        stopped = true;
        break;
      }
      if (report.singular && ++singular == 1)
        problems.push_back(singularProblem(now.document->name, now.state.time));
      if (runner.unexplained() > 0 && ++unexplained == 1)
        problems.push_back(jumpProblem(now.document->name, now.state.time, runner.unexplained()));
      left -= part;
      meetWhatIsDue();
    }
  }
  put(used, "count", std::int64_t{done});
  Json answer;
  Members{answer}("time", now.state.time)("steps", done)("finite", finite)("stuck", stuck)(
      "halvings", halvings)("iterations", iterations)("fast", fast)("converged", converged)(
      "unexplained", unexplained)("assembled", begun.assembled)("stopped", stopped)(
      "problems", tenon::jsonOf(problems))("milliseconds", millisecondsSince(start));
  return answer;
}

// Kinematic hands as wants; pins are joints of the held mechanism.
std::vector<Want> Session::Impl::wants() const {
  std::vector<Want> all;
  const Mechanism& m = now.mechanism->mechanism;
  for (const HeldGrab& grab : now.held.grabs) {
    if (grab.dynamic) continue;
    const Index own = solidNamed(now.document->mechanism, grab.solid);
    const HeldMechanism::Member& member = now.mechanism->members[own];
    if (member.solid == kWorld || m.solids[member.solid].kind != SolidKind::Dynamic) continue;
    Want want;
    want.solid = member.solid;
    want.point = transform(member.offset, grab.point) - m.solids[member.solid].com;
    want.target = grab.target;
    want.name = grab.solid;
    all.push_back(want);
    if (!grab.orientation) continue;
    want.kind = Want::Kind::Orientation;
    want.orientation = *grab.orientation * conjugate(member.offset.q);
    all.push_back(want);
  }
  return all;
}

Json Session::Impl::pose(const Json& request, Json& used) {
  PoseSettings settings = poseSettingsOf(now.document->scene().settings);
  settings.method = AssemblyMethod::Newton;
  settings.tolerance = std::min(settings.tolerance, 1e-9);
  settings.milliseconds = numberOf(request, "milliseconds", now.settings.budget);
  if (has(request, "iterations")) {
    settings.iterations = countOf(request, "iterations", 0, 100'000);
    settings.milliseconds = kInfinity;
  } else {
    settings.iterations = 200;
  }
  const Mechanism& m = now.mechanism->mechanism;
  const std::vector<Want> all = wants();
  settings.slack = slackOf(m, all, now.state);
  const PoseReport report = track(m, now.control, all, settings, now.state, poseScratch);
  for (Vec3& v : now.state.velocity) v = {};
  for (Vec3& w : now.state.spin) w = {};
  now.state.rest.clear();
  now.begun = false;
  used.erase("milliseconds");
  put(used, "iterations", std::int64_t{report.late ? report.iterations : settings.iterations});
  return answerOf(report);
}

Json Session::Impl::assemble(const Json& request, Json& used) {
  PoseSettings settings = poseSettingsOf(now.document->scene().settings);
  if (has(request, "method") && !fromName(textOf(request, "method"), settings.method))
    refuse("there is no method '" + textOf(request, "method") + "' of assembly");
  if (has(request, "solver") && !fromName(textOf(request, "solver"), settings.linear.solver))
    refuse("there is no solver '" + textOf(request, "solver") + "'");
  settings.iterations = countOf(request, "iterations", settings.iterations, 1'000'000);
  settings.tolerance = numberOf(request, "tolerance", settings.tolerance);
  settings.milliseconds = numberOf(request, "milliseconds", settings.milliseconds);
  settings.yield = yieldsOf(request, now);
  constexpr AssemblyMethod kYields = AssemblyMethod::Newton;
  if (!settings.yield.empty() && !has(request, "method")) settings.method = kYields;
  if (!settings.yield.empty() && settings.method != kYields)
    refuse("joints yield with the method " + std::string(nameOf(kYields)) + " only");
  const Mechanism& m = now.mechanism->mechanism;
  std::vector<Want> all = wants();
  const std::vector<Want> said = goalsOf(now.document->bare, now.document->mechanism, now);
  all.insert(all.end(), said.begin(), said.end());
  // The way there, to be shown: the poses that iterations made, evenly spaced.
  struct Frame {
    int iteration;
    double error;
    State state;
  };
  constexpr std::size_t kFrames = 24;
  std::vector<Frame> way;
  int every = 1;
  if (request.value("trace", false))
    settings.watch = [&](int iteration, double error, const State& state) {
      if (iteration % every != 0 || !std::isfinite(error)) return;
      if (way.size() == kFrames) {
        every *= 2;
        std::erase_if(way, [&](const Frame& frame) { return frame.iteration % every != 0; });
        if (iteration % every != 0) return;
      }
      way.push_back({iteration, error, state});
    };
  const PoseReport report = tenon::assemble(m, now.control, all, settings, now.state, poseScratch);
  used.erase("milliseconds");
  used.erase("trace");
  put(used, "iterations", std::int64_t{report.late ? report.iterations : settings.iterations});
  Json answer = answerOf(report);
  describe(report.yielded, m, listIn(answer, "yielded"));
  Json& frames = listIn(answer, "frames");
  for (const Frame& frame : way) {
    const Mechanism& own = now.document->mechanism;
    const State state = release(own, *now.mechanism, frame.state, *now.own);
    Json& entry = added(frames);
    Members{entry}("iteration", frame.iteration)("error", frame.error);
    Json& numbers = listIn(entry, "poses");
    for (const Pose& X : framesOf(own, state))
      for (const double x : {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w})
        add(numbers, static_cast<float>(x));
  }
  for (Vec3& v : now.state.velocity) v = {};
  for (Vec3& w : now.state.spin) w = {};
  now.state.rest.clear();
  now.begun = false;
  return answer;
}

Json Session::Impl::scatter(const Json& request) {
  tenon::scatter(now.mechanism->mechanism,
                 static_cast<std::uint64_t>(countOf(request, "seed", 1, 1'000'000'000)), now.state);
  for (Vec3& v : now.state.velocity) v = {};
  for (Vec3& w : now.state.spin) w = {};
  now.state.rest.clear();
  now.begun = false;
  return {};
}

Json Session::Impl::reset() {
  now.begun = false;
  now.eventsDone = 0;
  now.metUntil = 0;
  now.mechanism = nullptr;  // nothing is steered any more
  const State own = initialState(now.document->mechanism);
  // What was frozen by hand was frozen as it was posed.
  Held written = heldBy(now.document->scene(), now.document->mechanism);
  now.held.frozen = std::move(written.frozen);
  now.held.merged = std::move(written.merged);
  now.held.grabs.clear();
  follow(own);
  return {};
}

namespace {

// A coordinate of a joint of the mechanism as it is held, and its value.
CoordinateGoal goalOf(const SessionState& now, Finder& joints, const Json& request) {
  const std::string name = textOf(request, "joint"), coordinate = textOf(request, "coordinate");
  const Mechanism& m = now.mechanism->mechanism;
  const Index joint = joints(name);
  if (joint == kWorld) {
    static_cast<void>(jointNamed(now.document->mechanism, name));
    refuse("'" + name + "' is frozen", "unfreeze it first");
  }
  const int number = findCoordinate(*m.joints[joint].kind, coordinate);
  if (number < 0) refuse("'" + name + "' has no coordinate '" + coordinate + "'");
  return {joint, static_cast<Index>(number), numberOf(request, "value")};
}

Json answerOf(const SetReport& report) {
  Json json;
  Members{json}("reached", report.reached)("error", report.error)("strides", report.strides)(
      "iterations", report.iterations);
  return json;
}

}  // namespace

Json Session::Impl::coordinate(const Json& request) {
  const Mechanism& m = now.mechanism->mechanism;
  Finder joints(m.jointNames);
  const CoordinateGoal goal = goalOf(now, joints, request);
  now.begun = false;
  return answerOf(setCoordinate(m, now.control, now.settings.step, goal.joint, goal.coordinate,
                                goal.value, now.state, stepScratch));
}

Json Session::Impl::coordinates(const Json& request) {
  const Mechanism& m = now.mechanism->mechanism;
  Finder joints(m.jointNames);
  std::vector<CoordinateGoal> goals;
  const Json& values = member(request, "values");
  if (!values.is_array()) refuse("'values' is to be a list");
  for (const Json& each : values) {
    if (!each.is_object()) refuse("'values' is to be a list of objects");
    goals.push_back(goalOf(now, joints, each));
  }
  now.begun = false;
  return answerOf(setCoordinates(m, now.control, now.settings.step, goals, now.state, stepScratch));
}

// ----------------------------------------------------------------------------- to keep, and to come back to

namespace {

void putAll(Json& object, const char* key, const std::vector<Vec3>& list) {
  Json& numbers = listIn(object, key);
  for (const Vec3& v : list)
    for (const double x : {v.x, v.y, v.z}) add(numbers, x);
}
std::vector<double> readNumbers(const Json& state, const char* key, std::size_t count) {
  const Json& list = member(state, key);
  if (!list.is_array() || list.size() != count)
    refuse(std::string("'") + key + "' does not fit the scene");
  std::vector<double> numbers;
  for (const Json& x : list) {
    if (!x.is_number() || !std::isfinite(x.get<double>()))
      refuse(std::string("'") + key + "' is not a list of numbers");
    numbers.push_back(x.get<double>());
  }
  return numbers;
}

}  // namespace

namespace {

void describe(const State& state, Json& json) {
  Members{json}("time", state.time)("multiplier", state.multiplier)("memory", state.memory);
  putAll(json, "position", state.position);
  putAll(json, "velocity", state.velocity);
  putAll(json, "spin", state.spin);
  Json& numbers = listIn(json, "orientation");
  for (const Quat& q : state.orientation)
    for (const double x : {q.x, q.y, q.z, q.w}) add(numbers, x);
}
// As large as `state`, which it becomes.
void readState(const Json& json, State& state) {
  const std::size_t count = state.position.size();
  const std::vector<double> p = readNumbers(json, "position", 3 * count),
                            q = readNumbers(json, "orientation", 4 * count),
                            v = readNumbers(json, "velocity", 3 * count),
                            w = readNumbers(json, "spin", 3 * count);
  state.multiplier = readNumbers(json, "multiplier", state.multiplier.size());
  state.memory = readNumbers(json, "memory", state.memory.size());
  state.time = numberOf(json, "time");
  for (std::size_t s = 0; s < count; ++s) {
    state.position[s] = {p[3 * s], p[3 * s + 1], p[3 * s + 2]};
    state.orientation[s] = {q[4 * s], q[4 * s + 1], q[4 * s + 2], q[4 * s + 3]};
    state.velocity[s] = {v[3 * s], v[3 * s + 1], v[3 * s + 2]};
    state.spin[s] = {w[3 * s], w[3 * s + 1], w[3 * s + 2]};
  }
}

const Json& listOf(const Json& json, const char* key) {
  const Json& list = member(json, key);
  if (!list.is_array()) refuse(std::string("'") + key + "' must be a list");
  return list;
}

// What is held, but for hands: who comes back has let go.
void describe(const SessionState& now, Json& json) {
  const Held& held = now.held;
  Members{json}("frozen", held.frozen)("merged", held.merged)("gravity", now.control.gravity)(
      "damp", now.control.damp)("events", now.eventsDone)("begun", now.begun);
  Json& pins = listIn(json, "pins");
  for (const HeldPin& pin : held.pins) {
    Json& entry = added(pins);
    Members{entry}("solid", pin.solid)("target", pin.target.p)("orientation", pin.target.q);
    if (pin.point) put(entry, "point", *pin.point);
    if (!pin.name.empty()) put(entry, "name", std::string_view(pin.name));
    if (pin.active.empty()) continue;
    Json& active = listIn(entry, "active");
    for (const Interval& interval : pin.active) {
      Json& both = added(active);
      add(both, interval.begin);
      add(both, interval.end);
    }
  }
  tenon::describe(held.limits, listIn(json, "limits"));
  tenon::describe(held.forces, listIn(json, "forces"));
  Json& off = listIn(json, "off");
  for (std::size_t j = 0; j < now.control.jointOn.size(); ++j)
    if (now.control.jointOn[j] == 0) add(off, now.mechanism->mechanism.jointNames[j]);
  // Bit by bit: the poses at which solids became one, and the state of what they became.
  if (!now.mechanism->asWritten && now.mechanism->hands.empty()) {
    describe(*now.own, json["from"]);
    describe(now.state, json["state"]);
  }
}

}  // namespace

Json saved(const Session::Impl& session) {
  const SessionState& now = session.now;
  Json json;
  Json& save = json["save"];
  describe(session.ownState(), save);
  describe(*now.document, save);
  put(save, "settings", jsonOf(now.settings));
  describe(now, save["held"]);
  return json;
}

Json Session::Impl::restore(const Json& request) {
  const Json& save = member(request, "save");
  if (!save.is_object()) refuse("'save' must be an object");
  Json answer = open(save);
  if (has(save, "settings")) static_cast<void>(changeSettings(member(save, "settings")));
  State own = *now.own;
  readState(save, own);
  if (!has(save, "held")) {  // of an earlier version
    follow(own);
    now.begun = own.time > 0;
    now.metUntil = own.time;
    return answer;
  }
  const Json& held = member(save, "held");
  if (!held.is_object()) refuse("'held' must be an object");
  const Mechanism& m = now.document->mechanism;
  now.held.frozen = namesOf(held, "frozen");
  now.held.merged = namesOf(held, "merged");
  for (const auto* names : {&now.held.frozen, &now.held.merged})
    for (const std::string& name : *names)
      if (m.joints[jointNamed(m, name)].kind->relates != Relates::Frames)
        refuse("'" + name + "' holds no two solids together, so it cannot be frozen");
  now.held.pins.clear();
  for (const Json& json : listOf(held, "pins")) {
    HeldPin pin;
    if (has(json, "name")) pin.name = textOf(json, "name");
    if (has(json, "active"))
      for (const Json& interval : listOf(json, "active")) {
        if (!interval.is_array() || interval.size() != 2 || !interval[0].is_number())
          refuse("an interval must be two numbers");
        pin.active.push_back({interval[0].get<double>(),
                              interval[1].is_number() ? interval[1].get<double>() : kInfinity});
      }
    pin.solid = textOf(json, "solid");
    if (m.solids[solidNamed(m, pin.solid)].kind != SolidKind::Dynamic)
      refuse("'" + pin.solid + "' does not move");
    if (has(json, "point")) pin.point = vectorOf(json, "point");
    pin.target = {vectorOf(json, "target"), exactTurnOf(json, "orientation")};
    now.held.pins.push_back(std::move(pin));
  }
  for (const Json& json : listOf(held, "limits")) now.held.limits.push_back(limitOf(m, json));
  for (const Json& json : listOf(held, "forces")) now.held.forces.push_back(forceOf(m, json));
  State from = own;
  if (has(held, "from")) readState(member(held, "from"), from);
  follow(from);
  if (has(held, "state")) readState(member(held, "state"), now.state);
  now.control.gravity = vectorOf(held, "gravity");
  now.control.damp = numberOf(held, "damp");
  const std::vector<std::string> off = namesOf(held, "off");
  for (const std::string& name : off) {
    const std::vector<std::string>& names = now.mechanism->mechanism.jointNames;
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) now.control.jointOn[static_cast<std::size_t>(at - names.begin())] = 0;
  }
  now.eventsDone = static_cast<std::size_t>(countOf(held, "events", 0, 1'000'000));
  now.metUntil = now.state.time;
  now.begun = held.value("begun", false);
  return answer;
}

}  // namespace tenon
