#include <tenon/scene_says.h>
#include <tenon/settings.h>

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

PoseSettings poseSettingsOf(const Settings& settings) { return allSettingsOf(settings).pose; }
StepSettings stepSettingsOf(const Settings& settings) { return allSettingsOf(settings).step; }

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
