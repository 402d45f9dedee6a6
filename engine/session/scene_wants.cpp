#include <tenon/scene_says.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

namespace tenon {
namespace {

bool isActive(const std::vector<Interval>& intervals, double time) {
  return intervals.empty() ||
         std::any_of(intervals.begin(), intervals.end(), [time](const Interval& interval) {
           return interval.begin <= time && time < interval.end;
         });
}

// A solid by name, if it can be moved.
class Movable {
 public:
  explicit Movable(const Mechanism& mechanism) : mechanism_(mechanism) {
    for (Index i = 0; i < mechanism.solidNames.size(); ++i)
      index_.emplace(mechanism.solidNames[i], i);
  }

  std::optional<Index> find(const Scene& scene, const Goal& goal,
                            std::vector<Problem>& problems) const {
    const auto at = index_.find(goal.solid);
    if (at != index_.end() && mechanism_.solids[at->second].kind == SolidKind::Dynamic)
      return at->second;
    const std::string what = "goal '" + goal.name + "' ";
    if (at == index_.end())
      problems.push_back(problemAt(scene.files, goal.place, Severity::Error,
                                   what + "names no solid of the scene", "correct the name"));
    else
      problems.push_back(problemAt(scene.files, goal.place, Severity::Warning,
                                   what + "has no effect: forces do not move '" + goal.solid + "'",
                                   "make the solid dynamic"));
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
  if (settings.solver) static_cast<void>(fromName(*settings.solver, pose.linear.solver));
  if (settings.norm) static_cast<void>(fromName(*settings.norm, pose.norm));
  pose.tolerance = settings.tolerance.value_or(pose.tolerance);
  pose.truncation = settings.truncation.value_or(pose.truncation);
  pose.iterations = settings.iterations.value_or(pose.iterations);
  pose.linear.iterations = settings.linearIterations.value_or(pose.linear.iterations);
  if (settings.budget) pose.milliseconds = 1000 * *settings.budget;
  return pose;
}

StepSettings stepSettingsOf(const Settings& settings) {
  StepSettings step;
  if (settings.method) static_cast<void>(fromName(*settings.method, step.method));
  if (settings.solver) static_cast<void>(fromName(*settings.solver, step.linear.solver));
  if (settings.norm) static_cast<void>(fromName(*settings.norm, step.norm));
  step.iterations = settings.iterations.value_or(step.iterations);
  step.linear.iterations = settings.linearIterations.value_or(step.linear.iterations);
  step.tolerance = settings.tolerance.value_or(step.tolerance);
  step.truncation = settings.truncation.value_or(step.truncation);
  step.feedback.alpha = settings.alpha.value_or(step.feedback.alpha);
  step.feedback.beta = settings.beta.value_or(step.feedback.beta);
  return step;
}

std::vector<Want> wantsOf(const Scene& scene, const Mechanism& mechanism, double time,
                          std::vector<Problem>& problems) {
  std::vector<Want> wants;
  if (scene.goals.empty()) return wants;
  const Movable movable(mechanism);
  for (const Goal& goal : scene.goals) {
    if (!isActive(goal.active, time)) continue;
    const auto solid = movable.find(scene, goal, problems);
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
