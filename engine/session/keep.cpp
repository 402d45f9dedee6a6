#include "session/keep.h"

#include <tenon/joint.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "model/things.h"

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
  forEachThing(scene, [&](const auto& thing) { names.insert(thing.name); });
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
    kept_.frozen = joints("frozen", kept_.held.frozen, &Joint::frozen);
    kept_.merged = joints("merged", kept_.held.merged, &Joint::merged);
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
  using Kind = SceneChange::Kind;
  struct Write {
    SceneChange change;
    std::string what;  // in words
  };
  // What the text refuses is said, and left out. By change: whether it was made.
  std::vector<bool> done(const std::vector<Write>& writes) {
    std::vector<bool> made(writes.size(), true);
    if (write_ != nullptr) {
      std::vector<SceneChange> changes;
      for (const Write& write : writes) changes.push_back(write.change);
      const std::vector<std::vector<Problem>> wrong = write_->change(changes);
      for (std::size_t i = 0; i < writes.size(); ++i) {
        made[i] = wrong[i].empty();
        if (!made[i]) warn(writes[i].what + " is not saved: " + wrong[i].front().what);
      }
    }
    kept_.changed = kept_.changed || std::find(made.begin(), made.end(), true) != made.end();
    return made;
  }
  static std::size_t count(const std::vector<bool>& made) {
    return static_cast<std::size_t>(std::count(made.begin(), made.end(), true));
  }
  bool done(SceneChange change, std::string what) {
    return done(std::vector<Write>{{std::move(change), std::move(what)}}).front();
  }
  std::string newName(const std::string& stem) {
    for (int& k = numbers_[stem];;) {
      std::string name = stem + "-" + std::to_string(++k);
      if (names_.insert(name).second) return name;
    }
  }

  void pins() {
    const std::vector<HeldPin>& held = kept_.held.pins;
    const std::vector<HeldPin> written = heldBy(text_.scene(), m_).pins;
    std::vector<Write> gone, come;
    for (const HeldPin& pin : written)
      if (std::find(held.begin(), held.end(), pin) == held.end())
        gone.push_back({{Kind::Remove, pin.name, {}, {}}, "the removal of pin '" + pin.name + "'"});
    for (HeldPin& pin : kept_.held.pins) {
      if (std::find(written.begin(), written.end(), pin) != written.end()) {
        ++kept_.pins;
        continue;
      }
      Pin made;
      made.name = pin.name.empty() ? newName("pin") : pin.name;
      made.solid = pin.solid;
      made.point = pin.point.value_or(Vec3{});
      made.target = pin.target.p;
      made.rigid = !pin.point;
      if (made.rigid) made.orientation = pin.target.q;
      made.active = pin.active;
      pin.name = made.name;
      come.push_back(
          {{Kind::Add, {}, {}, blockOf(&Scene::pins, made)}, "the pin of '" + pin.solid + "'"});
    }
    static_cast<void>(done(gone));
    kept_.pins += count(done(come));
  }

  // How many the text has then.
  std::size_t joints(const char* word, const std::vector<std::string>& held, bool Joint::*flag) {
    std::size_t written = 0;
    const std::unordered_set<std::string> wanted(held.begin(), held.end());
    std::unordered_set<std::string> coupled;
    for (const Joint& joint : text_.scene().joints)
      for (const CoupledCoordinate& term : joint.couples) coupled.insert(term.joint);
    const std::vector<bool> points = frozenPoints(m_, kept_.held);
    std::vector<Write> writes;
    for (std::size_t j = 0; j < text_.scene().joints.size(); ++j) {
      const Joint& joint = text_.scene().joints[j];
      const bool on = wanted.count(joint.name) > 0;
      if (on == joint.*flag) {
        written += on ? 1 : 0;
        continue;
      }
      if (const Index s = m_.joints[j].solid2; on && s != kWorld && points[s])
        warn("the joint '" + joint.name + "' is not saved as " + word +
             ", because a text cannot freeze point masses alone");
      else if (on && coupled.count(joint.name) > 0)
        warn("the joint '" + joint.name + "' is not saved as " + word +
             ", because another joint couples it");
      else
        writes.push_back(
            {{on ? Kind::Set : Kind::Unset, joint.name, word, {}},
             (on ? "the " + std::string(word) : "the release of") + " joint '" + joint.name + "'"});
    }
    const std::vector<bool> made = done(writes);
    for (std::size_t i = 0; i < made.size(); ++i)
      written += made[i] && writes[i].change.kind == Kind::Set ? 1 : 0;
    return written;
  }

  void limits() {
    std::vector<HeldLimit> asked, left;  // that could not be written
    std::vector<Write> writes;
    for (const HeldLimit& limit : kept_.held.limits) {
      const std::string property = "limit " + limit.coordinate;
      std::string values;
      if (std::isfinite(limit.lower)) values += " min " + numberText(limit.lower);
      if (std::isfinite(limit.upper)) values += " max " + numberText(limit.upper);
      if (values.empty() && !hasLimit(limit)) {
        ++kept_.limits;
        continue;
      }
      asked.push_back(limit);
      writes.push_back({values.empty()
                            ? SceneChange{Kind::Unset, limit.joint, property, {}}
                            : SceneChange{Kind::Set, limit.joint, property, values.substr(1)},
                        "the limit of '" + limit.joint + "'"});
    }
    const std::vector<bool> made = done(writes);
    for (std::size_t i = 0; i < made.size(); ++i)
      if (!made[i]) left.push_back(asked[i]);
    kept_.limits += count(made);
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
    std::vector<Write> writes;
    for (const HeldForce& force : kept_.held.forces) {
      Force made;
      made.name = newName("force");
      made.solid = force.solid;
      made.point = force.point;
      made.vector = force.force;
      writes.push_back({{Kind::Add, {}, {}, blockOf(&Scene::forces, made)},
                        "the force on '" + force.solid + "'"});
    }
    const std::vector<bool> made = done(writes);
    for (std::size_t i = 0; i < made.size(); ++i)
      if (!made[i]) left.push_back(kept_.held.forces[i]);
    kept_.forces += count(made);
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
      static_cast<void>(done({Kind::Set,
                              {},
                              "gravity",
                              numberText(g.x) + " " + numberText(g.y) + " " + numberText(g.z)},
                             "gravity"));
    if (running_.control.damp != scene.damp && !byEvent("damp"))
      static_cast<void>(
          done({Kind::Set, {}, "damp", numberText(running_.control.damp)}, "damping"));
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
    const Scene& scene = text_.scene();
    if (!scene.start.empty() && scene.startPlace.file != 0) {
      warn("the pose is not saved, because the included file '" +
           scene.files[scene.startPlace.file].name + "' has a 'start' of its own");
      return;
    }
    if (!m_.paths.empty() && own_.time > 0)
      warn("time starts at 0 again, so solids that follow a path will be elsewhere");
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
    if (scene.start == kPoseName) {  // ours, of the last time
      if (!done({Kind::Unset, {}, "start", {}}, "the start pose")) return;
      if (!done({Kind::Remove, kPoseName, {}, {}}, "the new pose")) return;
    } else if (names_.count(kPoseName) > 0) {
      pose.name = newName(kPoseName);
    }
    if (!done({Kind::Add, {}, {}, blockOf(&Scene::keyPoses, pose)}, "the pose")) return;
    static_cast<void>(done({Kind::Set, {}, "start", pose.name}, "the start pose"));
  }

  const Mechanism& m_;
  const State& own_;
  const Running& running_;
  const SceneDocument& text_;
  SceneDocument* write_;  // the same
  std::set<std::string> names_;
  std::unordered_map<std::string, int> numbers_;  // by stem: the last that was given
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
