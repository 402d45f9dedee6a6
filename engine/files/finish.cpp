#include "files/finish.h"

#include "files/tables.h"
#include "model/problem.h"

#include <cmath>
#include <utility>

namespace tenon::files {

Scene finish(Stage& stage) { return Finisher(stage).run(); }

Scene Finisher::run() {
  materials();
  solids();
  joints();
  loads();
  poses();
  events();
  scene_.files = stage_.files;  // a copy: the report still points into the original
  return std::move(scene_);
}

// ------------------------------------------------------------------------------------- references

std::uint32_t Finisher::find(const Reference& r, std::uint32_t scope, BlockKind kind) {
  // An override speaks the language of the place where it stands, then that of what it overrides.
  std::uint32_t id = stage_.resolve(r.name, r.scope);
  if (id == kNone && r.scope != scope) id = stage_.resolve(r.name, scope);
  const auto fits = [kind](const Entry& e) {
    return e.kind == kind || (kind == BlockKind::Joint && e.kind == BlockKind::Constraint);
  };
  const std::string wantedKind(blockWord(kind));
  if (id == kNone) {
    if (!stage_.broken && !report_.stopped()) {
      report_.error(r.place, "unknown " + wantedKind + " " + quoted(r.name), [&] {
        const auto removed = stage_.names.find(stage_.scopes[r.scope].prefix + r.name);
        if (removed != stage_.names.end()) return std::string("it was removed");
        return didYouMean(r.name, stage_.candidates(r.scope, fits));
      });
    }
    return kNone;
  }
  const Entry& e = stage_.entries[id];
  if (!fits(e)) {
    report_.error(r.place, "expected a " + wantedKind + ", but " + quoted(r.name) + " is a " +
                               (e.kind == BlockKind::Place ? "placed figure"
                                                           : std::string(blockWord(e.kind))));
    return kNone;
  }
  return id;
}

Finisher::Body Finisher::body(const Reference& r, std::uint32_t scope) {
  Body b;
  b.scope = scope;
  if (!r.given() || r.name == "world") {
    b.good = true;
    return b;
  }
  const std::uint32_t id = find(r, scope, BlockKind::Solid);
  if (id == kNone) return b;
  const Entry& e = stage_.entries[id];
  b.name = e.name;
  b.solid = solidIndex_[e.index];
  // A point "of the solid" is one of its frame as the innermost figure that holds both sees it.
  b.scope = stage_.commonScope(scope, e.scope);
  b.good = b.solid != kNone;
  return b;
}

Vec3 Finisher::pointOn(const Body& b, const Vec3& p) const {
  const Placement& P = placement(b.scope);
  return b.solid == kNone ? P.point(p) : P.localPoint(p);
}

Pose Finisher::poseOf(const Body& b) const {
  return b.solid == kNone ? Pose{} : scene_.solids[b.solid].pose;
}

bool Finisher::finite(bool good, const Draft& d) {
  if (!good)
    report_.error(d.place, "numbers of " + quoted(entryOf(d).name) + " are out of range",
                  "check the scale of the figure that it is in");
  return good;
}

// ------------------------------------------------------------------------------ materials, solids

void Finisher::materials() {
  for (MaterialDraft& d : stage_.materials) {
    if (isRemoved(d)) continue;
    d.material.name = entryOf(d).name;
    d.material.place = d.place;
    scene_.materials.push_back(std::move(d.material));
  }
}

void Finisher::solids() {
  solidIndex_.assign(stage_.solids.size(), kNone);
  std::size_t n = 0;
  while (!stage_.solids.empty()) {  // drafts go as solids come: no second copy of all of them
    SolidDraft& d = stage_.solids.front();
    if (!isRemoved(d)) {
      Solid& s = d.solid;
      s.name = entryOf(d).name;
      if (d.material.given()) {
        const std::uint32_t id = find(d.material, d.scope, BlockKind::Material);
        if (id != kNone) s.material = stage_.entries[id].name;
      }
      if (!s.path.empty() && s.kind != SolidKind::Animated) {
        report_.error(d.keyPlace, "only an animated solid has keys", "add 'animated;'");
      } else if (!s.path.empty()) {
        for (const Place& given : {d.atPlace, d.turnPlace})
          if (given.file != Place::kNowhere)
            report_.error(given, "an animated solid with keys takes its pose from them",
                          "leave this out: the first key says where the solid is at time 0");
        s.pose = s.path.front().pose;  // keys do not begin before time 0
      }
      place(placement(d.scope), s);
      bool good = isFinite(s.pose.p) && isFinite(s.pose.q) && isFinite(s.velocity) &&
                  isFinite(s.spin) && isFinite(s.com.value_or(Vec3{})) &&
                  std::isfinite(s.mass.value_or(1)) && s.mass.value_or(1) > 0;
      for (int r = 0; s.inertia && r < 3; ++r) good &= isFinite(s.inertia->row(r));
      for (const PathKey& key : s.path) good &= isFinite(key.pose.p) && isFinite(key.pose.q);
      for (const Shape& shape : s.shapes) {
        good &= isFinite(shape.size) && isFinite(shape.pose.p) && isFinite(shape.pose.q);
        for (const Vec3& p : shape.points) good &= isFinite(p);
      }
      finite(good, d);
      solidIndex_[n] = static_cast<std::uint32_t>(scene_.solids.size());
      scene_.solids.push_back(std::move(s));
    }
    ++n;
    stage_.solids.pop_front();
  }
}

// ----------------------------------------------------------------------------------------- loads

void Finisher::loads() {
  // Each kind: name and place, the bodies, then what the placement does to its numbers.
  const auto each = [this](auto& drafts, auto& things, auto convert) {
    for (auto& d : drafts) {
      if (isRemoved(d)) continue;
      d.thing.name = entryOf(d).name;
      d.thing.place = d.place;
      if (convert(d, placement(d.scope))) things.push_back(std::move(d.thing));
    }
  };
  const auto solidOf = [this](auto& d, Body& b) {
    if (!d.object1.given()) return false;  // a missing object was reported
    b = body(d.object1, d.scope);
    if (b.good && b.solid == kNone)
      report_.error(d.object1.place, "expected a solid: the world does not move");
    d.thing.solid = b.name;
    return b.good && b.solid != kNone;
  };

  each(stage_.forces, scene_.forces, [&](LoadDraft<Force>& d, const Placement& P) {
    Body b;
    if (!solidOf(d, b)) return false;
    const Placement& C = placement(b.scope);
    d.thing.point = C.localPoint(d.thing.point);
    if (!P.identity)
      d.thing.vector = power(P.s, 4) * (d.thing.axes == Axes::World ? apply(P.Q, d.thing.vector)
                                                                    : apply(C.G, d.thing.vector));
    return finite(isFinite(d.thing.point) && isFinite(d.thing.vector), d);
  });
  each(stage_.torques, scene_.torques, [&](LoadDraft<Torque>& d, const Placement& P) {
    Body b;
    if (!solidOf(d, b)) return false;
    if (!P.identity)
      d.thing.vector = power(P.s, 5) * (d.thing.axes == Axes::World
                                            ? applyAxial(P.Q, d.thing.vector)
                                            : applyAxial(placement(b.scope).G, d.thing.vector));
    return finite(isFinite(d.thing.vector), d);
  });
  each(stage_.muscles, scene_.muscles, [&](LoadDraft<Muscle>& d, const Placement& P) {
    if (!d.object1.given()) return false;
    const std::uint32_t id = find(d.object1, d.scope, BlockKind::Joint);
    if (id == kNone || stage_.entries[id].jointCount == 0) return false;
    const std::uint32_t j = stage_.entries[id].firstJoint;
    d.thing.joint = scene_.joints[j].name;
    d.thing.vector *= power(P.s, 5);
    const Placement& C = placement(stage_.commonScope(d.scope, stage_.entries[id].scope));
    if (C.mirrored()) {
      Vec3 n;
      n[ruleOf(*kinds_[j]).axis] = 1;
      d.thing.vector = applyAxial(mirrorIn(n), d.thing.vector);
    }
    return finite(isFinite(d.thing.vector), d);
  });
  each(stage_.springs, scene_.springs, [&](LoadDraft<Spring>& d, const Placement& P) {
    const Body b1 = body(d.object1, d.scope), b2 = body(d.object2, d.scope);
    if (!b1.good || !b2.good) return false;
    if (b1.name == b2.name) {
      report_.error(d.place,
                    "spring " + quoted(d.thing.name) + " connects " +
                        (b1.name.empty() ? "the world" : quoted(b1.name)) + " to itself",
                    "give 'object1' or 'object2' another solid");
      return false;
    }
    d.thing.solid1 = b1.name;
    d.thing.solid2 = b2.name;
    d.thing.point1 = pointOn(b1, d.thing.point1);
    d.thing.point2 = pointOn(b2, d.thing.point2);
    if (d.thing.rest) *d.thing.rest *= P.s;
    d.thing.stiffness *= power(P.s, 3);
    d.thing.damping *= power(P.s, 3);
    return finite(isFinite(d.thing.point1) && isFinite(d.thing.point2) &&
                      std::isfinite(d.thing.rest.value_or(0)) && std::isfinite(d.thing.stiffness) &&
                      std::isfinite(d.thing.damping),
                  d);
  });
  each(stage_.drags, scene_.drags, [&](LoadDraft<Drag>& d, const Placement& P) {
    Body b;
    if (!d.object1.given() && d.scope != 0) {  // else every placement would drag the whole scene
      report_.error(d.place, "a drag inside a figure needs an object",
                    "name one of its solids, or write the drag outside of the figure");
      return false;
    }
    if (d.object1.given() && !solidOf(d, b)) return false;
    d.thing.linear *= power(P.s, 3);
    d.thing.quadratic *= power(P.s, 2);
    d.thing.angular *= power(P.s, 5);
    return finite(std::isfinite(d.thing.linear) && std::isfinite(d.thing.quadratic) &&
                      std::isfinite(d.thing.angular),
                  d);
  });
  each(stage_.pins, scene_.pins, [&](LoadDraft<Pin>& d, const Placement& P) {
    Body b;
    if (!solidOf(d, b)) return false;
    d.thing.point = pointOn(b, d.thing.point);
    if (d.thing.target) d.thing.target = P.point(*d.thing.target);
    if (d.thing.orientation) d.thing.orientation = P.solidPose({{}, *d.thing.orientation}).q;
    return finite(isFinite(d.thing.point) && isFinite(d.thing.target.value_or(Vec3{})), d);
  });
  each(stage_.goals, scene_.goals, [&](LoadDraft<Goal>& d, const Placement& P) {
    Body b;
    if (!solidOf(d, b)) return false;
    d.thing.point = pointOn(b, d.thing.point);
    d.thing.target = P.point(d.thing.target);
    return finite(isFinite(d.thing.point) && isFinite(d.thing.target), d);
  });
  for (FloorDraft& d : stage_.floors) {
    if (isRemoved(d)) continue;
    const Placement& P = placement(d.scope);
    d.floor.name = entryOf(d).name;
    d.floor.place = d.place;
    d.floor.point = P.point(d.floor.point);
    d.floor.normal = P.direction(d.floor.normal);
    d.floor.stiffness *= power(P.s, 3);
    d.floor.damping *= power(P.s, 3);
    if (finite(isFinite(d.floor.point) && std::isfinite(d.floor.stiffness) &&
                   std::isfinite(d.floor.damping),
               d))
      scene_.floors.push_back(std::move(d.floor));
  }
}

// ---------------------------------------------------------------------------------- poses, events

bool Finisher::coordinateValue(std::uint32_t joint, std::uint32_t scope,
                               const std::string& coordinate, const Place& place,
                               Dimension dimension, double& value) {
  const JointKind& kind = *kinds_[joint];
  const int c = findCoordinate(kind, coordinate);
  if (c < 0) {
    std::vector<std::string> names;
    for (int i = 0; i < kind.coordinateCount; ++i) names.emplace_back(kind.coordinates[i].name);
    report_.error(place,
                  "joint kind " + quoted(kind.name) + " has no coordinate " + quoted(coordinate),
                  didYouMean(coordinate, names));
    return false;
  }
  const bool angular = kind.coordinates[c].angular;
  const Dimension own = angular ? Dimension::Angle : Dimension::Length;
  if (dimension != Dimension::None && dimension != own) {
    report_.error(place, "coordinate " + quoted(coordinate) + " is " + nounOf(own) + ", got " +
                             nounOf(dimension));
    return false;
  }
  const Placement& P = placement(scope);
  if (!angular) value *= P.s;
  if (P.mirrored()) value *= ruleOf(kind).coordinates[static_cast<std::size_t>(c)];
  return true;
}

void Finisher::poses() {
  for (PoseDraft& d : stage_.poses) {
    if (isRemoved(d)) continue;
    const Placement& P = placement(d.scope);
    KeyPose pose;
    pose.name = entryOf(d).name;
    pose.place = d.place;
    pose.time = d.pose.time;
    bool good = true;
    for (std::size_t i = 0; i < d.solids.size(); ++i) {
      const Body b = body(d.solids[i], d.scope);
      if (!b.good) continue;
      KeyPose::SolidPose& s = d.pose.solids[i];
      if (b.solid == kNone) {
        report_.error(d.solids[i].place, "expected a solid: the world does not move");
        continue;
      }
      s.solid = b.name;
      s.pose = P.solidPose(s.pose);
      good &= isFinite(s.pose.p) && isFinite(s.pose.q);
      pose.solids.push_back(std::move(s));
    }
    for (std::size_t i = 0; i < d.joints.size(); ++i) {
      const std::uint32_t id = find(d.joints[i], d.scope, BlockKind::Joint);
      if (id == kNone || stage_.entries[id].jointCount == 0) continue;
      const Entry& e = stage_.entries[id];
      KeyPose::CoordinateValue& v = d.pose.coordinates[i];
      v.joint = scene_.joints[e.firstJoint].name;
      if (!coordinateValue(e.firstJoint, stage_.commonScope(d.scope, e.scope), v.coordinate,
                           v.place, d.dimensions[i], v.value))
        continue;
      good &= std::isfinite(v.value);
      pose.coordinates.push_back(std::move(v));
    }
    if (finite(good, d)) scene_.keyPoses.push_back(std::move(pose));
  }
}

void Finisher::events() {
  if (const Reference& start = stage_.top.start; start.given()) {
    const std::uint32_t id = find(start, 0, BlockKind::Pose);
    if (id != kNone) {
      scene_.start = stage_.entries[id].name;
      scene_.startPlace = start.place;
    }
  }
  for (EventDraft& d : stage_.top.events) {
    Event& event = d.event;
    if (event.action == "drive") {
      const std::uint32_t id = find(d.things[0], 0, BlockKind::Joint);
      if (id == kNone || stage_.entries[id].jointCount == 0) continue;
      const std::uint32_t j = stage_.entries[id].firstJoint;
      if (!coordinateValue(j, 0, event.names[0], d.things[0].place, d.dimension, event.values[0]))
        continue;
      event.names.insert(event.names.begin(), scene_.joints[j].name);
    } else if (event.action == "merge" || event.action == "freeze") {
      for (const Reference& r : d.things) {
        const std::uint32_t id = find(r, 0, BlockKind::Joint);
        if (id == kNone) continue;
        const Entry& e = stage_.entries[id];
        for (std::uint32_t k = 0; k < e.jointCount; ++k)
          event.names.push_back(scene_.joints[e.firstJoint + k].name);
      }
    } else {
      for (const Reference& r : d.things) {
        const std::uint32_t id = stage_.resolve(r.name, r.scope);
        if (id == kNone) {
          if (!stage_.broken)
            report_.error(r.place, "there is no " + quoted(r.name) + " to " + event.action, [&] {
              return didYouMean(r.name, stage_.candidates(0, [](const Entry&) { return true; }));
            });
          continue;
        }
        const Entry& e = stage_.entries[id];
        switch (e.kind) {
          case BlockKind::Joint:
          case BlockKind::Constraint:  // with all the joints that it became
            for (std::uint32_t k = 0; k < e.jointCount; ++k)
              event.names.push_back(scene_.joints[e.firstJoint + k].name);
            break;
          case BlockKind::Force:
          case BlockKind::Torque:
          case BlockKind::Muscle:
          case BlockKind::Spring:
          case BlockKind::Drag:
          case BlockKind::Pin:
          case BlockKind::Goal:
            event.names.push_back(e.name);
            break;
          default:
            report_.error(r.place, quoted(r.name) + " cannot be switched on or off",
                          "only joints, loads, pins and goals can");
        }
      }
    }
    scene_.events.push_back(std::move(event));
  }
}

}  // namespace tenon::files
