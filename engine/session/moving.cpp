// The commands that move solids: posing, physics, and back.
#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/scene_says.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "model/clock.h"
#include "session/command_kind.h"
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

commands::Posed answerOf(const PoseReport& report) {
  return {std::string(nameOf(report.status)),
          report.startError,
          report.maxError,
          report.wantError,
          report.iterations,
          report.restarts,
          report.milliseconds,
          report.reason};
}

// How far each gave: joints that were named, and what else is off.
std::vector<commands::Yielded> named(const std::vector<Yielded>& yielded, const Mechanism& m) {
  std::vector<commands::Yielded> answer;
  for (const Yielded& one : yielded) {
    commands::Yielded& entry = answer.emplace_back();
    entry.joint = m.jointNames[one.joint];
    entry.metres = one.metres;
    entry.radians = one.radians;
    entry.weight = one.weight;
    if (one.rule != kWorld)
      entry.coordinate = m.joints[one.joint].kind->coordinates[m.rules[one.rule].coordinate].name;
  }
  return answer;
}

// Of the mechanism as it is held.
std::vector<Yield> yieldsOf(const std::vector<commands::Yield>& asked, const SessionState& now) {
  std::vector<Yield> yields;
  const Mechanism& m = now.mechanism->mechanism;
  for (const commands::Yield& one : asked) {
    Yield yield;
    const auto found = std::find(m.jointNames.begin(), m.jointNames.end(), one.joint);
    if (found == m.jointNames.end()) {
      static_cast<void>(jointNamed(now.document->mechanism, one.joint));
      refuse("'" + one.joint + "' is frozen", "unfreeze it first");
    }
    yield.joint = static_cast<Index>(found - m.jointNames.begin());
    yield.weight = one.weight;
    if (!(yield.weight > 0)) refuse("the weight of '" + one.joint + "' must be above 0");
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

void checkStepLength(double dt) {
  if (!(dt >= 1e-6) || dt > 1) refuse("dt must be from 1e-6 to 1 s");
}

commands::Step::Answer Session::Impl::step(commands::Step& asked) {
  const int count = asked.count;
  const double dt = asked.dt.value_or(now.settings.dt);
  checkStepLength(dt);
  const double most = asked.milliseconds.value_or(kInfinity);
  const auto start = Clock::now();
  std::vector<Problem> problems;
  EnergyWatch watch;
  Runner runner(running(), now, watch, stepScratch, poseScratch, problems);
  const Begun begun = runner.begin({});
  int done = 0, halvings = 0, iterations = 0, unexplained = 0, singular = 0;
  bool stuck = false, capped = false, fast = true, stopped = !begun.goesOn, converged = true,
       finite = true;
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
      capped = capped || report.stopped;
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
  asked = {done, dt, {}};
  if (stopped) recording.endSteps();  // as it will stop again
  return {now.state.time,
          done,
          finite,
          stuck,
          capped,
          stopped,
          converged,
          unexplained,
          begun.assembled,
          halvings,
          iterations,
          fast,
          millisecondsSince(start),
          std::move(problems)};
}

constexpr Field kStepFields[] = {
    TENON_FIELD(Step, count, kFree, "", "1", kMostSteps),
    TENON_FIELD(Step, dt, kFree, "s", "that of the settings"),
    TENON_FIELD(Step, milliseconds, kFree, "", "no limit"),
};
constexpr Field kStepAnswer[] = {
    TENON_FIELD(Step::Answer, time, kFree, "s", ""),
    TENON_FIELD(Step::Answer, steps, kFree, "", "how many were done"),
    TENON_FIELD(Step::Answer, finite, kFree, "",
                "false: the motion could not continue, and this is the last good state"),
    TENON_FIELD(Step::Answer, stuck, kFree, "", "it could not continue, however short the step"),
    TENON_FIELD(
        Step::Answer, capped, kFree, "",
        "`relaxation` used up its iterations, and `on-cap` says to stop there: time has not moved"),
    TENON_FIELD(
        Step::Answer, stopped, kFree, "",
        "it ended before all steps were done: an event stopped it, or it could not continue"),
    TENON_FIELD(Step::Answer, converged, kFree, "", "all steps converged"),
    TENON_FIELD(Step::Answer, unexplained, kFree, "",
                "in how many steps energy appeared from nowhere"),
    TENON_FIELD(Step::Answer, assembled, kFree, "", "the pose was corrected first"),
    TENON_FIELD(Step::Answer, halvings, kFree, "", ""),
    TENON_FIELD(Step::Answer, iterations, kFree, "", ""),
    TENON_FIELD(Step::Answer, fast, kFree, "", "all steps took a fast path"),
    TENON_FIELD(Step::Answer, milliseconds, kFree, "", ""),
    TENON_FIELD(Step::Answer, problems, kFree, "",
                "warnings, for instance of joints that became active while they were open"),
};
commands::Step::Answer carryOut(Session::Impl& s, commands::Step& asked) { return s.step(asked); }
constinit const CommandKind kStep = commandKind<commands::Step>(
    {.name = "step",
     .label = "Play",
     .entry = Entry::Play,
     .looksFirst = true,
     .ghosts = Ghosts::Steps,
     .busy = "Computing a step",
     .says = TENON_SAYS(
         "makes steps of physics; successive commands are one entry of the history. With "
         "`milliseconds`, no step begins after that time, and `steps` says how many were done")},
    kStepFields, kStepAnswer);

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

constexpr Field kPoseFields[] = {
    TENON_FIELD(Pose, milliseconds, kFree, "", "the budget of the settings"),
    TENON_FIELD(Pose, iterations, kFree, "", "instead of a time", 100'000),
};
constexpr Field kPosedAnswer[] = {
    TENON_FIELD(Posed, status, kFree, "", ""),
    TENON_FIELD_AS(Posed, startError, "start_error", kFree, "m or rad", ""),
    TENON_FIELD_AS(Posed, maxError, "max_error", kFree, "m or rad", ""),
    TENON_FIELD_AS(Posed, wantError, "want_error", kFree, "m", ""),
    TENON_FIELD(Posed, iterations, kFree, "", ""),
    TENON_FIELD(Posed, restarts, kFree, "", ""),
    TENON_FIELD(Posed, milliseconds, kFree, "", ""),
    TENON_FIELD(Posed, reason, kFree, "", "says in words why the pose was not reached"),
};
commands::Posed carryOut(Session::Impl& s, commands::Pose& asked) {
  SessionState& now = s.now;
  PoseSettings settings = poseSettingsOf(now.document->scene().settings);
  const AllSettings::Pull& pull = now.settings.pull;
  settings.method = pull.method;
  if (pull.method != AssemblyMethod::Newton) settings.linear = pull.linear;
  settings.tolerance = std::min(settings.tolerance, 1e-9);
  settings.milliseconds = asked.milliseconds.value_or(now.settings.budget);
  if (asked.iterations || pull.iterations > 0) {
    settings.iterations = asked.iterations.value_or(pull.iterations);
    settings.milliseconds = kInfinity;
  } else {
    settings.iterations = 200;
  }
  const Mechanism& m = now.mechanism->mechanism;
  std::vector<Want> all = s.wants();
  // The papers' methods know needs only: a hand pulls like a joint, and what is open closes again as it rests.
  if (pull.method != AssemblyMethod::Newton)
    for (Want& want : all) want.need = true;
  settings.slack = slackOf(m, all, now.state);
  const PoseReport report = track(m, now.control, all, settings, now.state, s.poseScratch);
  for (Vec3& v : now.state.velocity) v = {};
  for (Vec3& w : now.state.spin) w = {};
  now.state.rest.clear();
  now.begun = false;
  asked = {{}, report.late ? report.iterations : settings.iterations};
  return answerOf(report);
}
constinit const CommandKind kPose = commandKind<commands::Pose>(
    {.name = "pose",
     .label = "Pull",
     .entry = Entry::Pull,
     .looksFirst = true,
     .ghosts = Ghosts::Anew,
     .says = TENON_SAYS(
         "follows kinematic grabs as well as pins and joints allow; if the time is too short for "
         "that, joints may open by 0.2 % of the figure's size (at most 1 cm, 0.01 rad), until "
         "there "
         "is more time")},
    kPoseFields, kPosedAnswer);

constexpr Field kAssembleFields[] = {
    TENON_FIELD(Assemble, iterations, kFree, "", ""),
    TENON_FIELD(Assemble, given, kFree, "", ""),
    TENON_FIELD(Assemble, milliseconds, kFree, "", ""),
    TENON_FIELD(Assemble, trace, kFree, "", "false"),
    TENON_FIELD(Assemble, yield, kFree, "", "`[{\"joint\", \"weight\" (1)}]`"),
};
constexpr Field kAssembleAnswer[] = {
    TENON_FIELD_AS(Assemble::Answer, posed.status, "status", kFree, "", "as for a pose"),
    TENON_FIELD_AS(Assemble::Answer, posed.startError, "start_error", kFree, "m or rad", ""),
    TENON_FIELD_AS(Assemble::Answer, posed.maxError, "max_error", kFree, "m or rad", ""),
    TENON_FIELD_AS(Assemble::Answer, posed.wantError, "want_error", kFree, "m", ""),
    TENON_FIELD_AS(Assemble::Answer, posed.iterations, "iterations", kFree, "", ""),
    TENON_FIELD_AS(Assemble::Answer, posed.restarts, "restarts", kFree, "", ""),
    TENON_FIELD_AS(Assemble::Answer, posed.milliseconds, "milliseconds", kFree, "", ""),
    TENON_FIELD_AS(Assemble::Answer, posed.reason, "reason", kFree, "", ""),
    TENON_FIELD(
        Assemble::Answer, yielded, kFree, "",
        "how far each gave, `{\"joint\", \"coordinate\" (of a range), \"metres\", \"radians\", "
        "\"weight\"}`"),
    TENON_FIELD(Assemble::Answer, frames, kFree, "", "empty without `trace`"),
};
commands::Assemble::Answer carryOut(Session::Impl& s, commands::Assemble& asked) {
  SessionState& now = s.now;
  AllSettings run = allSettingsOf(now.document->scene().settings);
  choose(asked.given.all, FieldType::AssemblySettings, run);
  PoseSettings& settings = run.pose;
  const bool isMethodGiven =
      std::any_of(asked.given.all.begin(), asked.given.all.end(),
                  [](const commands::Chosen& one) { return one.name == "method"; });
  settings.iterations = asked.iterations.value_or(settings.iterations);
  settings.milliseconds = asked.milliseconds.value_or(settings.milliseconds);
  settings.yield = yieldsOf(asked.yield, now);
  constexpr AssemblyMethod kYields = AssemblyMethod::Newton;
  if (!settings.yield.empty() && !isMethodGiven) settings.method = kYields;
  if (!settings.yield.empty() && settings.method != kYields)
    refuse("joints yield with the method " + std::string(nameOf(kYields)) + " only");
  const Mechanism& m = now.mechanism->mechanism;
  std::vector<Want> all = s.wants();
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
  if (asked.trace.value_or(false))
    settings.watch = [&](int iteration, double error, const State& state) {
      if (iteration % every != 0 || !std::isfinite(error)) return;
      if (way.size() == kFrames) {
        every *= 2;
        std::erase_if(way, [&](const Frame& frame) { return frame.iteration % every != 0; });
        if (iteration % every != 0) return;
      }
      way.push_back({iteration, error, state});
    };
  const PoseReport report =
      tenon::assemble(m, now.control, all, settings, now.state, s.poseScratch);
  asked.milliseconds.reset();
  asked.trace.reset();
  asked.iterations = report.late ? report.iterations : settings.iterations;
  commands::Assemble::Answer answer{answerOf(report), named(report.yielded, m), {}};
  for (const Frame& frame : way) {
    const Mechanism& own = now.document->mechanism;
    const State state = release(own, *now.mechanism, frame.state, *now.own);
    commands::Frame& entry = answer.frames.emplace_back();
    entry.iteration = frame.iteration;
    entry.error = frame.error;
    for (const Pose& X : framesOf(own, state))
      for (const double x : {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w})
        entry.poses.push_back(static_cast<float>(x));
  }
  for (Vec3& v : now.state.velocity) v = {};
  for (Vec3& w : now.state.spin) w = {};
  now.state.rest.clear();
  now.begun = false;
  return answer;
}

constinit const CommandKind kAssemble = commandKind<commands::Assemble>(
    {.name = "assemble",
     .label = "Assemble",
     .verdict = true,
     .motion = true,
     .stops = true,
     .ghosts = Ghosts::Anew,
     .busy = "Assembling",
     .says = TENON_SAYS(
         "assembles the scene from any pose; joints that are to `yield` [give "
         "way](assembly.md#what-yields); with `trace` the answer has `frames`: at most 24 poses "
         "that "
         "iterations made, evenly spaced, each `{\"iteration\", \"error\", \"poses\"}`")},
    kAssembleFields, kAssembleAnswer);

constexpr Field kScatterFields[] = {
    TENON_FIELD(Scatter, seed, kFree, "", "1", 1'000'000'000),
};
commands::Done carryOut(Session::Impl& s, commands::Scatter& asked) {
  SessionState& now = s.now;
  tenon::scatter(now.mechanism->mechanism, static_cast<std::uint64_t>(asked.seed), now.state);
  for (Vec3& v : now.state.velocity) v = {};
  for (Vec3& w : now.state.spin) w = {};
  now.state.rest.clear();
  now.begun = false;
  return {};
}
constinit const CommandKind kScatter =
    commandKind<commands::Scatter>({.name = "scatter",
                                    .label = "Scatter",
                                    .verdict = true,
                                    .past = true,
                                    .motion = true,
                                    .stops = true,
                                    .ghosts = Ghosts::Anew,
                                    .says = TENON_SAYS("gives the solids random poses")},
                                   kScatterFields);

commands::Done carryOut(Session::Impl& s, commands::Reset&) {
  SessionState& now = s.now;
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
  s.follow(own);
  return {};
}
constinit const CommandKind kReset = commandKind<commands::Reset>(
    {.name = "reset",
     .label = "Reset",
     .verdict = true,
     .past = true,
     .motion = true,
     .dropsHands = true,
     .stops = true,
     .ghosts = Ghosts::Anew,
     .says = TENON_SAYS("puts poses, velocities and time back as written")});

namespace {

// A coordinate of a joint of the mechanism as it is held, and its value.
CoordinateGoal goalOf(const SessionState& now, Finder& joints, const commands::Coordinate& asked) {
  const Mechanism& m = now.mechanism->mechanism;
  const Index joint = joints(asked.joint);
  if (joint == kWorld) {
    static_cast<void>(jointNamed(now.document->mechanism, asked.joint));
    refuse("'" + asked.joint + "' is frozen", "unfreeze it first");
  }
  const int number = findCoordinate(*m.joints[joint].kind, asked.coordinate);
  if (number < 0) refuse("'" + asked.joint + "' has no coordinate '" + asked.coordinate + "'");
  return {joint, static_cast<Index>(number), asked.value};
}

commands::Reached answerOf(const SetReport& report) {
  return {report.reached, report.error, report.iterations, report.strides};
}

}  // namespace

constexpr Field kReachedAnswer[] = {
    TENON_FIELD(Reached, reached, kFree, "", ""),
    TENON_FIELD(Reached, error, kFree, "m or rad", "what is left; `null`: not finite"),
    TENON_FIELD(Reached, iterations, kFree, "", ""),
    TENON_FIELD(Reached, strides, kFree, "", ""),
};

constexpr Field kCoordinateFields[] = {
    TENON_FIELD(Coordinate, joint, kNeeded | kThing, "", ""),
    TENON_FIELD(Coordinate, coordinate, kNeeded, "", ""),
    TENON_FIELD(Coordinate, value, kNeeded, "m or rad", ""),
};
commands::Reached carryOut(Session::Impl& s, commands::Coordinate& asked) {
  SessionState& now = s.now;
  const Mechanism& m = now.mechanism->mechanism;
  Finder joints(m.jointNames);
  const CoordinateGoal goal = goalOf(now, joints, asked);
  now.begun = false;
  return answerOf(setCoordinate(m, now.control, now.settings.step, goal.joint, goal.coordinate,
                                goal.value, now.state, s.stepScratch));
}
constinit const CommandKind kCoordinate = commandKind<commands::Coordinate>(
    {.name = "coordinate",
     .label = "Coordinate",
     .drags = true,
     .ghosts = Ghosts::Anew,
     .busy = "Moving the joint",
     .says = TENON_SAYS("sets the coordinate; loops follow. A joint in a loop goes at most 1000 "
                        "strides of 0.1 m or "
                        "rad at once: ask again, and it continues")},
    kCoordinateFields, kReachedAnswer);

constexpr Field kCoordinatesFields[] = {
    TENON_FIELD(Coordinates, values, kNeeded, "",
                "list of `{\"joint\", \"coordinate\", \"value\"}`"),
};
commands::Reached carryOut(Session::Impl& s, commands::Coordinates& asked) {
  SessionState& now = s.now;
  const Mechanism& m = now.mechanism->mechanism;
  Finder joints(m.jointNames);
  std::vector<CoordinateGoal> goals;
  for (const commands::Coordinate& each : asked.values) goals.push_back(goalOf(now, joints, each));
  now.begun = false;
  return answerOf(
      setCoordinates(m, now.control, now.settings.step, goals, now.state, s.stepScratch));
}
constinit const CommandKind kCoordinates = commandKind<commands::Coordinates>(
    {.name = "coordinates",
     .label = "Set coordinates",
     .drags = true,
     .ghosts = Ghosts::Anew,
     .busy = "Moving the joints",
     .says = TENON_SAYS(
         "sets them all, and is one entry of the history. It ends where `coordinate` for each of "
         "them would. A figure without loops is put there at once, without strides; for others it "
         "is "
         "`coordinate`, one after the other. `reached` means all of them, `error` is the largest")},
    kCoordinatesFields, kReachedAnswer);

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

Json saveOf(const Session::Impl& session) {
  const SessionState& now = session.now;
  Json save;
  put(save, "version", std::int64_t{kRecordingVersion});
  describe(session.ownState(), save);
  describe(*now.document, save);
  put(save, "settings", jsonOf(now.settings));
  describe(now, save["held"]);
  return save;
}

constexpr Field kRestoreFields[] = {
    TENON_FIELD(Restore, save, kNeeded, "", "from the question `save`"),
    TENON_FIELD(Restore, version, kFree, "", "of a recording that begins here"),
};
constexpr Field kRestoreAnswer[] = {
    TENON_FIELD(Read, problems, kFree, "", "warnings"),
};
commands::Read carryOut(Session::Impl& s, commands::Restore& asked) {
  SessionState& now = s.now;
  const Json& save = jsonOf(asked.save);
  commands::Open opened;
  read(kOpen.fields, save, &opened);
  const commands::Read answer = carryOut(s, opened);  // which looks at the version
  asked.version = kRecordingVersion;
  if (has(save, "settings")) static_cast<void>(s.changeSettings(member(save, "settings")));
  State own = *now.own;
  readState(save, own);
  if (!has(save, "held")) {  // of an earlier version
    s.follow(own);
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
  for (const Json& json : listOf(held, "limits")) {
    commands::Limit limit;
    read(kLimit.fields, json, &limit);
    now.held.limits.push_back(limitOf(m, limit));
  }
  for (const Json& json : listOf(held, "forces")) {
    commands::Force force;
    read(kForce.fields, json, &force);
    now.held.forces.push_back(forceOf(m, force));
  }
  State from = own;
  if (has(held, "from")) readState(member(held, "from"), from);
  s.follow(from);
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
constinit const CommandKind kRestore = commandKind<commands::Restore>(
    {.name = "restore",
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
     .says = TENON_SAYS("puts everything back as it was, to the bit, except for hands: the same "
                        "commands then end in the same hash. Forgets what can be undone")},
    kRestoreFields, kRestoreAnswer);

}  // namespace tenon
