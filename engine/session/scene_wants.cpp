#include <tenon/scene_says.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

namespace tenon {
namespace {

bool isActiveAtStart(const std::vector<Interval>& intervals) {
  return intervals.empty() ||
         std::any_of(intervals.begin(), intervals.end(), [](const Interval& interval) {
           return interval.begin <= 0 && 0 < interval.end;
         });
}

// A solid by name, if it can be moved.
class Movable {
 public:
  explicit Movable(const Mechanism& mechanism) : mechanism_(mechanism) {
    for (Index i = 0; i < mechanism.solidNames.size(); ++i)
      index_.emplace(mechanism.solidNames[i], i);
  }

  template <class Thing>  // Pin, Goal
  std::optional<Index> find(const Scene& scene, const Thing& thing, const std::string& noun,
                            std::vector<Problem>& problems) const {
    const auto at = index_.find(thing.solid);
    if (at != index_.end() && mechanism_.solids[at->second].kind == SolidKind::Dynamic)
      return at->second;
    const std::string what = noun + " '" + thing.name + "' ";
    if (at == index_.end())
      problems.push_back(problemAt(scene.files, thing.place, Severity::Error,
                                   what + "names no solid of the scene", "correct the name"));
    else
      problems.push_back(problemAt(scene.files, thing.place, Severity::Warning,
                                   what + "has no effect: nothing moves '" + thing.solid + "'",
                                   "let the solid be dynamic"));
    return std::nullopt;
  }

 private:
  const Mechanism& mechanism_;
  std::unordered_map<std::string, Index> index_;
};

}  // namespace

Vec3 placeOf(const Mechanism& mechanism, const State& state, Index solid, const Vec3& point) {
  return state.position[solid] +
         rotate(state.orientation[solid], point - mechanism.solids[solid].com);
}

PoseSettings poseSettingsOf(const Settings& settings) {
  PoseSettings pose;
  // A name that is none of posing's leaves the default.
  if (settings.method) static_cast<void>(fromName(*settings.method, pose.method));
  if (settings.solver) static_cast<void>(fromName(*settings.solver, pose.solver));
  if (settings.norm) static_cast<void>(fromName(*settings.norm, pose.norm));
  pose.tolerance = settings.tolerance.value_or(pose.tolerance);
  pose.truncation = settings.truncation.value_or(pose.truncation);
  pose.iterations = settings.iterations.value_or(pose.iterations);
  pose.linearIterations = settings.linearIterations.value_or(pose.linearIterations);
  if (settings.budget) pose.milliseconds = 1000 * *settings.budget;
  return pose;
}

StepSettings stepSettingsOf(const Settings& settings) {
  StepSettings step;
  if (settings.method) static_cast<void>(fromName(*settings.method, step.method));
  if (settings.solver) static_cast<void>(fromName(*settings.solver, step.solver));
  if (settings.norm) static_cast<void>(fromName(*settings.norm, step.norm));
  step.iterations = settings.iterations.value_or(step.iterations);
  step.linearIterations = settings.linearIterations.value_or(step.linearIterations);
  step.tolerance = settings.tolerance.value_or(step.tolerance);
  step.truncation = settings.truncation.value_or(step.truncation);
  step.alpha = settings.alpha.value_or(step.alpha);
  step.beta = settings.beta.value_or(step.beta);
  return step;
}

std::vector<Want> wantsOf(const Scene& scene, const Mechanism& mechanism, const State& written,
                          std::vector<Problem>& problems) {
  std::vector<Want> wants;
  if (scene.pins.empty() && scene.goals.empty()) return wants;
  const Movable movable(mechanism);
  for (const Pin& pin : scene.pins) {
    if (!isActiveAtStart(pin.active)) continue;
    const auto solid = movable.find(scene, pin, "pin", problems);
    if (!solid) continue;
    Want want;
    want.need = true;
    want.name = pin.name;
    want.solid = *solid;
    want.point = pin.point - mechanism.solids[*solid].com;
    want.target = pin.target.value_or(placeOf(mechanism, written, *solid, pin.point));
    wants.push_back(want);
    if (!pin.rigid || mechanism.solids[*solid].pointMass) continue;
    want.kind = Want::Kind::Orientation;
    want.orientation = written.orientation[*solid];
    wants.push_back(want);
  }
  for (const Goal& goal : scene.goals) {
    if (!isActiveAtStart(goal.active)) continue;
    const auto solid = movable.find(scene, goal, "goal", problems);
    if (!solid) continue;
    Want want;
    want.solid = *solid;
    want.point = goal.point - mechanism.solids[*solid].com;
    want.target = goal.target;
    want.weight = goal.weight;
    want.name = goal.name;
    wants.push_back(want);
  }
  return wants;
}

}  // namespace tenon
