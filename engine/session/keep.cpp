#include "session/keep.h"

#include <tenon/joint.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>

namespace tenon {

namespace {

constexpr const char* kPoseName = "kept";

// Flat text of single things.
template <class Thing>
std::string blockOf(std::vector<Thing> Scene::*list, Thing thing) {
  Scene scene;
  (scene.*list).push_back(std::move(thing));
  std::string text = printScene(scene);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// A number as the language prints it: all digits that it needs.
std::string numberText(double x) {
  Scene scene;
  scene.damp = std::abs(x);
  std::string text = printScene(scene);  // "damp 0.5;"
  const std::size_t begin = text.find(' ') + 1;
  if (x == 0) return "0";
  return (x < 0 ? "-" : "") + text.substr(begin, text.find(';') - begin);
}

std::set<std::string> namesIn(const Scene& scene) {
  std::set<std::string> names;
  const auto all = [&](const auto& things) {
    for (const auto& thing : things) names.insert(thing.name);
  };
  all(scene.materials);
  all(scene.solids);
  all(scene.joints);
  all(scene.forces);
  all(scene.torques);
  all(scene.muscles);
  all(scene.springs);
  all(scene.drags);
  all(scene.pins);
  all(scene.goals);
  all(scene.floors);
  all(scene.keyPoses);
  return names;
}

class Keeping {
 public:
  // Without anything to write to it only looks whether there is anything to write.
  Keeping(const Mechanism& bare, const State& own, const Running& running,
          const SceneDocument& text, SceneDocument* write)
      : m_(bare), own_(own), running_(running), text_(text), write_(write) {
    if (write != nullptr) names_ = namesIn(text.scene());
  }

  Kept run() {
    kept_.held = running_.held;
    for (std::size_t s = 0; s < own_.velocity.size(); ++s)
      kept_.moving = kept_.moving || (m_.solids[s].kind == SolidKind::Dynamic &&
                                      (own_.velocity[s] != Vec3{} || own_.spin[s] != Vec3{}));
    pins();
    joints("frozen", kept_.held.frozen, &Joint::frozen);
    joints("merged", kept_.held.merged, &Joint::merged);
    limits();
    forces();
    surroundings();
    pose();
    return std::move(kept_);
  }

 private:
  void warn(const std::string& what) {
    Problem problem;
    problem.severity = Severity::Warning;
    problem.what = what;
    kept_.problems.push_back(std::move(problem));
  }
  // What the text refuses is said, and left out.
  template <class Edit>
  bool done(const Edit& write, const std::string& what) {
    if (write_ == nullptr) {
      kept_.changed = true;
      return true;
    }
    const Result<TextEdit> edit = write();
    if (edit) {
      kept_.changed = true;
      return true;
    }
    warn(what + " could not be written: " + edit.problems().front().what);
    return false;
  }
  std::string newName(const std::string& stem) {
    for (int k = 1;; ++k) {
      std::string name = stem + "-" + std::to_string(k);
      if (names_.insert(name).second) return name;
    }
  }

  void pins() {
    const std::vector<HeldPin>& held = kept_.held.pins;
    const std::vector<HeldPin> written = heldBy(text_.scene(), m_).pins;
    for (const HeldPin& pin : written)
      if (std::find(held.begin(), held.end(), pin) == held.end())
        static_cast<void>(
            done([&] { return write_->remove(pin.name); }, "that '" + pin.name + "' is gone"));
    for (HeldPin& pin : kept_.held.pins) {
      if (std::find(written.begin(), written.end(), pin) != written.end()) continue;
      Pin made;
      made.name = pin.name.empty() ? newName("pin") : pin.name;
      made.solid = pin.solid;
      made.point = pin.point.value_or(Vec3{});
      made.target = pin.target.p;
      made.rigid = !pin.point;
      if (made.rigid) made.orientation = pin.target.q;
      made.active = pin.active;
      pin.name = made.name;
      static_cast<void>(done([&] { return write_->add(blockOf(&Scene::pins, made)); },
                             "the pin of '" + pin.solid + "'"));
    }
  }

  void joints(const char* word, const std::vector<std::string>& held, bool Joint::*flag) {
    std::vector<std::pair<std::string, bool>> changes;
    for (const Joint& joint : text_.scene().joints) {
      const bool wanted = std::find(held.begin(), held.end(), joint.name) != held.end();
      if (wanted == joint.*flag) continue;
      if (wanted && isCoupled(joint.name))
        warn("'" + joint.name + "' as " + word + " is not written: another joint couples it");
      else
        changes.emplace_back(joint.name, wanted);
    }
    for (const auto& change : changes) {
      const std::string& name = change.first;
      const bool wanted = change.second;
      static_cast<void>(
          done([&] { return wanted ? write_->set(name, word, "") : write_->unset(name, word); },
               "'" + name + "' as " + word));
    }
  }

  [[nodiscard]] bool isCoupled(const std::string& name) const {
    for (const Joint& joint : text_.scene().joints)
      for (const CoupledCoordinate& term : joint.couples)
        if (term.joint == name) return true;
    return false;
  }

  void limits() {
    std::vector<HeldLimit> left;  // that could not be written
    for (const HeldLimit& limit : kept_.held.limits) {
      const std::string property = "limit " + limit.coordinate;
      std::string values;
      if (std::isfinite(limit.lower)) values += " min " + numberText(limit.lower);
      if (std::isfinite(limit.upper)) values += " max " + numberText(limit.upper);
      const std::string what = "the limit of '" + limit.joint + "'";
      if (!values.empty()
              ? !done([&] { return write_->set(limit.joint, property, values.substr(1)); }, what)
              : hasLimit(limit) &&
                    !done([&] { return write_->unset(limit.joint, property); }, what))
        left.push_back(limit);
    }
    kept_.held.limits = std::move(left);
  }
  [[nodiscard]] bool hasLimit(const HeldLimit& limit) const {
    for (const Joint& joint : text_.scene().joints)
      if (joint.name == limit.joint)
        return std::any_of(joint.rules.begin(), joint.rules.end(), [&](const CoordinateRule& rule) {
          return rule.kind == CoordinateRule::Kind::Limit && rule.coordinate == limit.coordinate;
        });
    return false;
  }

  void forces() {
    std::vector<HeldForce> left;
    for (const HeldForce& force : kept_.held.forces) {
      Force made;
      made.name = newName("force");
      made.solid = force.solid;
      made.point = force.point;
      made.vector = force.force;
      if (!done([&] { return write_->add(blockOf(&Scene::forces, made)); },
                "the force on '" + force.solid + "'"))
        left.push_back(force);
    }
    kept_.held.forces = std::move(left);
  }

  // Gravity and damping, unless an event has changed them.
  void surroundings() {
    const Scene& scene = text_.scene();
    const auto byEvent = [&](const char* action) {
      return std::any_of(scene.events.begin(), scene.events.end(), [&](const Event& event) {
        return event.action == action && event.time <= own_.time;
      });
    };
    const Vec3& g = running_.control.gravity;
    if (g != scene.gravity && !byEvent("gravity"))
      static_cast<void>(done(
          [&] {
            return write_->set("", "gravity",
                               numberText(g.x) + " " + numberText(g.y) + " " + numberText(g.z));
          },
          "gravity"));
    if (running_.control.damp != scene.damp && !byEvent("damp"))
      static_cast<void>(done(
          [&] { return write_->set("", "damp", numberText(running_.control.damp)); }, "damping"));
  }

  // Of the solid's frame, if the text gives the same bits back; else of the centre of mass.
  [[nodiscard]] KeyPose::SolidPose poseOf(Index s) const {
    const Pose X_WC{own_.position[s], own_.orientation[s]};
    const Pose X_WS = frameOf(m_, own_, s);
    KeyPose::SolidPose pose{m_.solidNames[s], {X_WS.p, X_WC.q}, false, {}};
    if (transform(pose.pose, m_.solids[s].com) == X_WC.p) return pose;
    pose.pose = X_WC;
    pose.centre = true;
    return pose;
  }

  void pose() {
    const State written = initialState(m_);
    bool differs = false;
    KeyPose pose;
    pose.name = kPoseName;
    for (Index s = 0; s < m_.solids.size(); ++s) {
      if (m_.solids[s].kind != SolidKind::Dynamic) continue;
      differs = differs || own_.position[s] != written.position[s] ||
                own_.orientation[s] != written.orientation[s];
      if (write_ != nullptr) pose.solids.push_back(poseOf(s));
    }
    if (!differs) return;
    if (write_ == nullptr) {
      kept_.changed = true;
      return;
    }
    if (!m_.paths.empty() && own_.time > 0)
      warn("time begins at 0 again: solids that follow a path are elsewhere then");
    for (Index j = 0; j < m_.joints.size(); ++j) {
      const MechanismJoint& joint = m_.joints[j];
      if (!joint.remembers) continue;
      const JointValues values = jointValues(m_, own_, j);
      for (int c = 0; c < joint.kind->coordinateCount; ++c)
        if (joint.kind->coordinates[c].periodic && std::isfinite(values.coordinate[c]))
          pose.coordinates.push_back({m_.jointNames[j],
                                      std::string(joint.kind->coordinates[c].name),
                                      values.coordinate[c],
                                      {}});
    }
    const std::string start = text_.scene().start;
    if (start == kPoseName) {  // ours, of the last time
      if (!done([&] { return write_->unset("", "start"); }, "the start")) return;
      if (!done([&] { return write_->remove(kPoseName); }, "that the pose is another one")) return;
    } else if (names_.count(kPoseName) > 0) {
      pose.name = newName(kPoseName);
    }
    if (!done([&] { return write_->add(blockOf(&Scene::keyPoses, pose)); }, "the pose")) return;
    static_cast<void>(done([&] { return write_->set("", "start", pose.name); }, "the start"));
  }

  const Mechanism& m_;
  const State& own_;
  const Running& running_;
  const SceneDocument& text_;
  SceneDocument* write_;  // the same
  std::set<std::string> names_;
  Kept kept_;
};

}  // namespace

Scene bareOf(const Scene& scene) {
  Scene bare = scene;
  bare.pins.clear();
  for (Joint& joint : bare.joints) joint.frozen = joint.merged = false;
  return bare;
}

Held heldBy(const Scene& scene, const Mechanism& bare) {
  Held held;
  std::unordered_map<std::string, Index> solids;
  for (Index s = 0; s < bare.solidNames.size(); ++s) solids.emplace(bare.solidNames[s], s);
  for (const Pin& pin : scene.pins) {
    const auto at = solids.find(pin.solid);
    if (at == solids.end() || bare.solids[at->second].kind != SolidKind::Dynamic) continue;
    const Pose& written = scene.solids[at->second].pose;
    HeldPin made;
    made.name = pin.name;
    made.solid = pin.solid;
    made.active = pin.active;
    const bool rigid = pin.rigid && !bare.solids[at->second].pointMass;
    if (!rigid || pin.point != Vec3{}) made.point = pin.point;
    made.target.p = pin.target.value_or(transform(written, pin.point));
    if (rigid) {
      made.target.q = pin.orientation.value_or(written.q);
      if (made.point) {  // the whole solid, by a point of it
        made.target.p = made.target.p - rotate(made.target.q, *made.point);
        made.point.reset();
      }
    }
    held.pins.push_back(std::move(made));
  }
  for (const Joint& joint : scene.joints) {
    if (joint.frozen) held.frozen.push_back(joint.name);
    if (joint.merged) held.merged.push_back(joint.name);
  }
  return held;
}

void adopt(const Held& before, const Held& after, Held& held) {
  const auto change = [](const auto& was, const auto& is, auto& list) {
    const auto isIn = [](const auto& all, const auto& one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    std::erase_if(list, [&](const auto& one) { return isIn(was, one) && !isIn(is, one); });
    for (const auto& one : is)
      if (!isIn(was, one) && !isIn(list, one)) list.push_back(one);
  };
  change(before.pins, after.pins, held.pins);
  change(before.frozen, after.frozen, held.frozen);
  change(before.merged, after.merged, held.merged);
}

Kept keep(const Mechanism& bare, const State& own, const Running& running, SceneDocument& text) {
  return Keeping(bare, own, running, text, &text).run();
}

bool isKept(const Mechanism& bare, const State& own, const Running& running,
            const SceneDocument& text) {
  const Kept kept = Keeping(bare, own, running, text, nullptr).run();
  return !kept.changed && kept.problems.empty();
}

}  // namespace tenon
