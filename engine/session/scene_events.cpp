#include "session/scene_events.h"
#include "math/order.h"

#include <tenon/joint.h>

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

// Rows of these rules hold exactly: what comes into force with them may be open.
bool holdsExactly(const MechanismRule& rule) {
  return rule.compliance == 0 &&
         (rule.kind == CoordinateRule::Kind::Limit || rule.kind == CoordinateRule::Kind::Prescribe);
}

// Whether something with these intervals was in force just before the time.
bool wasActive(const Mechanism& m, const Range& intervals, double time) {
  if (intervals.count == 0) return true;
  const Interval* first = m.intervals.data() + intervals.first;
  return std::any_of(first, first + intervals.count,
                     [time](const Interval& i) { return i.begin < time && time <= i.end; });
}

}  // namespace

SceneEvents::SceneEvents(const Scene& scene, const Mechanism& mechanism,
                         std::vector<Problem>& problems) {
  const auto listChanges = [&](const Range& intervals) {
    for (Index i = intervals.first; i < intervals.first + intervals.count; ++i)
      for (const double time : {mechanism.intervals[i].begin, mechanism.intervals[i].end})
        if (time > 0 && time < kInfinity) changes_.push_back(time);
  };
  for (const MechanismJoint& joint : mechanism.joints) listChanges(joint.active);
  for (const MechanismRule& rule : mechanism.rules) listChanges(rule.active);
  std::sort(changes_.begin(), changes_.end());
  changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());

  if (scene.events.empty()) return;
  std::unordered_map<std::string, Index> joints;
  for (Index j = 0; j < mechanism.jointNames.size(); ++j)
    joints.emplace(mechanism.jointNames[j], j);
  for (const Event& event : scene.events) {
    if (event.action == "drive") continue;  // the compiler has warned of it
    const bool switches = event.action == "activate" || event.action == "deactivate";
    Due due{event.time, &event, {}, {}};
    std::vector<std::string> others, closed, unrelated;
    for (const std::string& name : event.names) {
      const auto found = joints.find(name);
      if (found == joints.end()) {
        others.push_back("'" + name + "'");
        continue;
      }
      if (!switches) {
        if (mechanism.joints[found->second].kind->relates == Relates::Frames)
          due.names.push_back(name);
        else
          unrelated.push_back("'" + name + "'");
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
    if (!others.empty() && switches)
      warn("does not act on " + listed(others) + " yet: events switch only joints and pins");
    if (!unrelated.empty())
      warn("does not act on " + listed(unrelated) +
           (unrelated.size() == 1 ? ": it holds" : ": they hold") + " no two solids together");
    if (!closed.empty())
      warn("does not act on " + listed(closed) + (closed.size() == 1 ? ": its" : ": their") +
           " own `active` times forbid it");
    events_.push_back(std::move(due));
  }
  // Those of the same time stay in the order of the text.
  sortStably(events_, [](const Due& a, const Due& b) { return a.time < b.time; });
}

double SceneEvents::next(std::size_t done, double time) const {
  const auto change = std::upper_bound(changes_.begin(), changes_.end(), time);
  return std::min(done < events_.size() ? events_[done].time : kInfinity,
                  change != changes_.end() ? *change : kInfinity);
}

std::size_t SceneEvents::until(double time) const {
  return static_cast<std::size_t>(std::count_if(
      events_.begin(), events_.end(), [time](const Due& due) { return due.time <= time; }));
}

SceneEvents::Asked SceneEvents::apply(double time, Control& control, std::size_t& done) const {
  Asked asked;
  for (; done < events_.size() && events_[done].time <= time; ++done) {
    const Due& due = events_[done];
    const Event& event = *due.event;
    if (event.action == "stop") {
      asked.stop = true;
    } else if (event.action == "finish") {
      asked.finish = true;
    } else if (event.action == "freeze" || event.action == "merge") {
      std::vector<std::string>& list = event.action == "freeze" ? asked.frozen : asked.merged;
      list.insert(list.end(), due.names.begin(), due.names.end());
    } else if (event.action == "gravity" && event.values.size() == 3) {
      control.gravity = {event.values[0], event.values[1], event.values[2]};
    } else if (event.action == "damp" && event.values.size() == 1) {
      control.damp = event.values[0];
    }
    for (const Index joint : due.joints)
      control.jointOn[joint] = event.action == "activate" ? 1 : 0;
  }
  return asked;
}

std::vector<Index> comeIntoForce(const Mechanism& m, const Control& before, const Control& after,
                                 double time) {
  std::vector<Index> coming;
  for (Index j = 0; j < m.joints.size(); ++j) {
    const MechanismJoint& joint = m.joints[j];
    if (!after.jointOn[j] || !isActive(m, joint.active, time)) continue;
    const bool was = before.jointOn[j] && wasActive(m, joint.active, time);
    const MechanismRule* rules = m.rules.data() + joint.rules.first;
    if (!was || std::any_of(rules, rules + joint.rules.count, [&](const MechanismRule& rule) {
          return holdsExactly(rule) && isActive(m, rule.active, time) &&
                 !wasActive(m, rule.active, time);
        }))
      coming.push_back(j);
  }
  return coming;
}

}  // namespace tenon
