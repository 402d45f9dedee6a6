#include <tenon/scene_says.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace tenon {

namespace {

// The first few of them.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 11;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

}  // namespace

SceneEvents::SceneEvents(const Scene& scene, const Mechanism& mechanism,
                         std::vector<Problem>& problems) {
  if (scene.events.empty()) return;
  std::unordered_map<std::string, Index> joints;
  for (Index j = 0; j < mechanism.jointNames.size(); ++j)
    joints.emplace(mechanism.jointNames[j], j);
  for (const Event& event : scene.events) {
    if (event.action == "drive") continue;  // the compiler has warned of it
    Due due{event.time, &event, {}};
    std::vector<std::string> others, closed;
    for (const std::string& name : event.names) {
      const auto found = joints.find(name);
      if (found == joints.end()) {
        others.push_back("'" + name + "'");
        continue;
      }
      due.joints.push_back(found->second);
      if (event.action == "activate" &&
          !isActive(mechanism, mechanism.joints[found->second].active, event.time))
        closed.push_back("'" + name + "'");
    }
    const auto warn = [&](const std::string& what) {
      problems.push_back(problemAt(scene.files, event.place, Severity::Warning,
                                   "event '" + event.action + "' " + what));
    };
    if (!others.empty())
      warn("does not act on " + listed(others) + " yet: only joints are switched");
    if (!closed.empty())
      warn("does not act on " + listed(closed) + ": its own `active` times say no");
    events_.push_back(std::move(due));
  }
  // Those of the same time stay in the order of the text.
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Due& a, const Due& b) { return a.time < b.time; });
}

double SceneEvents::next(std::size_t done) const {
  return done < events_.size() ? events_[done].time : kInfinity;
}

bool SceneEvents::apply(double time, Control& control, std::size_t& done) const {
  bool goOn = true;
  for (; done < events_.size() && events_[done].time <= time; ++done) {
    const Due& due = events_[done];
    const Event& event = *due.event;
    if (event.action == "stop")
      goOn = false;
    else if (event.action == "gravity" && event.values.size() == 3)
      control.gravity = {event.values[0], event.values[1], event.values[2]};
    else if (event.action == "damp" && event.values.size() == 1)
      control.damp = event.values[0];
    for (const Index joint : due.joints)
      control.jointOn[joint] = event.action == "activate" ? 1 : 0;
  }
  return goOn;
}

}  // namespace tenon
