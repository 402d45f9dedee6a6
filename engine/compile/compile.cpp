// The order of the steps, and what they share.
#include <tenon/compile.h>

#include <cmath>
#include <new>
#include <stdexcept>

#include "compile/compiler.h"
#include "compile/finish.h"
#include "math/spline.h"

namespace tenon {

namespace {

Result<Mechanism> made(const Scene& scene) {
  Compiler compiler(scene);
  compiler.mechanism.gravity = scene.gravity;
  compiler.mechanism.damp = scene.damp;
  if (!isFinite(scene.gravity)) compiler.error({}, "gravity is not a number");
  if (!(scene.damp >= 0) || !std::isfinite(scene.damp))
    compiler.error({}, "the damping factor must be zero or more");
  compiler.checkNumbers();
  compiler.addSolids();
  compiler.addJoints();
  compiler.checkCrowds();
  compiler.addLoads();
  compiler.checkPosing();
  compiler.warnOfUnused();
  if (!hasErrors(compiler.problems)) compiler.beginAtStart();
  compiler.countUnlisted();
  if (hasErrors(compiler.problems)) return std::move(compiler.problems);
  finish(compiler.mechanism);
  return {std::move(compiler.mechanism), std::move(compiler.problems)};
}

}  // namespace

Result<Mechanism> compile(const Scene& scene) {
  try {
    return made(scene);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  Problem problem;
  if (!scene.files.empty()) problem.file = scene.files.front().name;
  problem.what = "this scene needs more memory than this machine has free";
  return std::vector<Problem>{problem};
}

void Compiler::list(Severity severity, const Place& place, std::string what, std::string remedy) {
  // Finding a line is work, and nobody reads the thousandth problem.
  constexpr std::size_t kListed = 100;
  std::size_t& found = severity == Severity::Error ? errors_ : warnings_;
  if (++found > kListed) return;
  problems.push_back(problemAt(scene.files, place, severity, std::move(what), std::move(remedy)));
}

void Compiler::error(const Place& place, std::string what, std::string remedy) {
  list(Severity::Error, place, std::move(what), std::move(remedy));
}

void Compiler::warning(const Place& place, std::string what, std::string remedy) {
  list(Severity::Warning, place, std::move(what), std::move(remedy));
}

void Compiler::countUnlisted() {
  std::size_t listedErrors = 0;
  for (const Problem& problem : problems) listedErrors += problem.severity == Severity::Error;
  const std::size_t listedWarnings = problems.size() - listedErrors;
  const auto more = [this](std::size_t count, Severity severity, const char* noun) {
    if (count > 0)
      problems.push_back(problemAt(scene.files, {}, severity,
                                   std::to_string(count) + " more " + noun + " are not listed"));
  };
  more(errors_ - listedErrors, Severity::Error, "errors");
  more(warnings_ - listedWarnings, Severity::Warning, "warnings");
}

namespace {

template <class Thing>
bool lookUp(Compiler& compiler, const std::unordered_map<std::string, Index>& index,
            const std::vector<Thing>& things, std::string_view noun, const std::string& name,
            const Place& place, Index& found) {
  const auto at = index.find(name);
  if (at != index.end()) {
    found = at->second;
    return true;
  }
  // A "did you mean" looks at every name: for the first problems only, or a scene with as many
  // wrong names as things would take quadratic time.
  constexpr std::size_t kSuggestions = 50;
  std::string near;
  if (compiler.problems.size() < kSuggestions) {
    std::vector<std::string> names;
    names.reserve(things.size());
    for (const Thing& thing : things) names.push_back(thing.name);
    near = nearestWord(name, names);
  }
  compiler.error(place, "there is no " + std::string(noun) + " '" + name + "'",
                 near.empty() ? "declare it, or correct the name" : "did you mean '" + near + "'?");
  return false;
}

}  // namespace

bool Compiler::findSolid(const std::string& name, const Place& place, Index& index) {
  index = kWorld;
  if (name.empty()) return true;
  return lookUp(*this, solidIndex_, scene.solids, "solid", name, place, index);
}

bool Compiler::findJoint(const std::string& name, const Place& place, Index& index) {
  return lookUp(*this, jointIndex_, scene.joints, "joint", name, place, index);
}

const Material* Compiler::findMaterial(const std::string& name, const Place& place) {
  if (materialIndex_.empty())
    for (Index i = 0; i < scene.materials.size(); ++i)
      materialIndex_.emplace(scene.materials[i].name, i);
  Index index = 0;
  if (!lookUp(*this, materialIndex_, scene.materials, "material", name, place, index))
    return nullptr;
  return &scene.materials[index];
}

Pose Compiler::toCentre(Index solid, const Pose& X) const {
  if (solid == kWorld) return X;
  return {X.p - mechanism.solids[solid].com, X.q};
}

Vec3 Compiler::toCentre(Index solid, const Vec3& point) const {
  return solid == kWorld ? point : point - mechanism.solids[solid].com;
}

Range Compiler::addIntervals(const std::vector<Interval>& intervals, const Place& place) {
  const Range range{static_cast<Index>(mechanism.intervals.size()),
                    static_cast<Index>(intervals.size())};
  for (const Interval& interval : intervals) {
    if (!(interval.begin < interval.end))
      error(place, "an active interval ends before it begins", "write `active BEGIN END`");
    mechanism.intervals.push_back(interval);
  }
  return range;
}

CompiledSignal Compiler::addSignal(const Signal& signal, const Place& place) {
  CompiledSignal compiled{signal.offset, signal.rate, signal.amplitude, 2 * kPi * signal.frequency,
                          signal.phase,  {}};
  for (const double x :
       {signal.offset, signal.rate, signal.amplitude, signal.frequency, signal.phase})
    if (!std::isfinite(x)) error(place, "a number of this motion is not finite");
  if (signal.keys.empty()) return compiled;
  std::vector<double> times, values;
  for (const Signal::Key& key : signal.keys) {
    if (!std::isfinite(key.time) || !std::isfinite(key.value)) {
      error(place, "a key of this motion is not finite");
      return compiled;
    }
    if (!times.empty() && key.time <= times.back()) {
      error(place, "the times of a motion's keys must increase",
            "order them, and give each time once");
      return compiled;
    }
    // Slopes are differences of values by those of times, and so on: they have to stay finite.
    if (!times.empty() &&
        !(key.time - times.back() >= 1 / kLargestNumber &&
          std::abs(key.value - values.back()) <= kLargestNumber * (key.time - times.back()))) {
      error(place, "two keys of this motion are too close in time to compute with",
            "put more time between them");
      return compiled;
    }
    times.push_back(key.time);
    values.push_back(key.value);
  }
  const std::vector<double> slopes = splineSlopes(times, values);
  compiled.keys = {static_cast<Index>(mechanism.signalKeys.size()),
                   static_cast<Index>(times.size())};
  for (std::size_t i = 0; i < times.size(); ++i)
    mechanism.signalKeys.push_back({times[i], values[i], slopes[i]});
  return compiled;
}

// Goals are for posing, which looks them up in the scene.
void Compiler::checkPosing() {
  for (const Goal& goal : scene.goals) {
    Index solid = 0;
    if (!findSolid(goal.solid, goal.place, solid)) continue;
    if (solid == kWorld) error(goal.place, "goal '" + goal.name + "' needs a solid");
    if (!isFinite(goal.point) || !isFinite(goal.target))
      error(goal.place, "the point or target of '" + goal.name + "' is not finite");
  }
}

void Compiler::warnOfUnused() {
  // What the scene says and nothing acts upon yet, by name.
  const auto unused = [this](const auto& things, const std::string& noun) {
    for (const auto& thing : things)
      warning(thing.place, noun + " '" + thing.name + "' has no effect in a simulation yet");
  };
  unused(scene.floors, "floor");
  for (const KeyPose& pose : scene.keyPoses)
    if (pose.name != scene.start)
      warning(pose.place, "pose '" + pose.name + "' has no effect in a simulation yet");
  for (const Event& event : scene.events)
    if (event.action == "drive")
      warning(event.place, "event '" + event.action + "' has no effect in a simulation yet");
}

}  // namespace tenon
