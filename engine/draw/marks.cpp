// Signs follow from what a joint kind says of itself: which directions it locks, whether its
// residuals are lengths or angles. So a new joint has its sign without an edit here.
#include "draw/marks.h"

#include <tenon/joint.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "draw/svg.h"
#include "math/rotation.h"

namespace tenon {
namespace {

constexpr std::uint32_t kRod = 0x4d5866;
constexpr std::uint32_t kSpring = 0xb5702a;
constexpr const char* kInk = "#22262e";
constexpr const char* kOpen = "#d03a2b";  // joints that are apart
constexpr const char* kGoal = "#2273c4";
constexpr std::size_t kManySprings = 80;  // then they are straight lines
constexpr std::size_t kManyJoints = 60;   // then hidden ones leave no trace
constexpr double kOpenPixels = 1.5;       // less than this apart is closed, for the eye

// What a joint kind leaves free, as far as a sign tells.
struct Anatomy {
  bool frames = false;     // a relation of two frames: other kinds have no place of their own
  bool lowerPair = false;  // a mask of locked directions
  bool lengths = false;    // it has to do with where the origins are
  bool rod = false;        // one length between the two origins: a rod, a rope
  std::vector<int> slides, turns;  // free axes of a lower pair; else only what is certain
};

Anatomy anatomyOf(const JointKind& kind) {
  Anatomy a;
  a.frames = kind.relates == Relates::Frames;
  a.lowerPair = kind.locked != 0;
  for (int r = 0; r < kind.residualCount; ++r) a.lengths |= !kind.residualAngular[r];
  for (int o = 0; o < kind.optionCount; ++o)
    a.lengths |= kind.options[o].unit == OptionUnit::Length;
  int freeAngles = 0;
  for (int c = 0; c < kind.freeCount; ++c) freeAngles += kind.coordinates[c].angular ? 1 : 0;
  a.rod = !a.lowerPair && a.lengths && freeAngles == 0 && kind.optionCount == 1 &&
          kind.options[0].count == 1;
  if (!a.lowerPair) {
    if (kind.freeCount == 1 && freeAngles == 1 && a.lengths) a.turns.push_back(0);  // the main axis
    return a;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if ((kind.locked >> axis & 1u) == 0) a.slides.push_back(axis);
    if ((kind.locked >> (axis + 3) & 1u) == 0) a.turns.push_back(axis);
  }
  return a;
}

Pose frameOf(const State& state, Index solid, const Pose& frame) {
  return solid == kWorld ? frame : Pose{state.position[solid], state.orientation[solid]} * frame;
}

Vec3 pointOf(const State& state, Index solid, const Vec3& point) {
  return frameOf(state, solid, {point, {}}).p;
}

// How far the two frames are from where they should be, in metres; angles do not count.
double openness(const Mechanism& mechanism, const State& state, Index joint) {
  const JointKind& kind = *mechanism.joints[joint].kind;
  const JointValues values = jointValues(mechanism, state, joint);
  double worst = 0;
  for (int r = 0; r < kind.residualCount; ++r)
    if (!kind.residualAngular[r]) worst = std::max(worst, std::abs(values.residual[r]));
  return worst;
}

class MarkMaker {
 public:
  MarkMaker(const Mechanism& mechanism, const State& state, const View& view, double unit,
            const Cover* cover)
      : mechanism_(mechanism), state_(state), view_(view), unit_(unit), cover_(cover) {}

  void addJoints() {
    chooseRadius();
    for (Index j = 0; j < mechanism_.joints.size(); ++j) addJoint(j);
  }

  void addSprings() {
    for (const MechanismSpring& spring : mechanism_.springs) {
      const Vec3 a = pointOf(state_, spring.solid1, spring.point1);
      const Vec3 b = pointOf(state_, spring.solid2, spring.point2);
      if (!visible(a) || !visible(b)) continue;
      addSpring(view_.project(a), view_.project(b));
    }
  }

  void addPin(const Vec3& p_W) {
    if (!visible(p_W)) return;
    const Dot at = place(view_.project(p_W));
    const double s = 3.2 * unit_;
    pins_ += "<path d=\"M" + hundredths(at.x) + " " + hundredths(at.y) + "l" + number(-s) + " " +
             number(-2.2 * s) + "h" + number(2 * s) + "z\"/>\n";
  }

  void addGoal(const Vec3& p_W, const Vec3& target_W) {
    if (!visible(p_W) || !visible(target_W)) return;
    const Vec3 t = view_.project(target_W);
    const double s = 5 * unit_;
    appendPath(dashesToGoals_, {place(view_.project(p_W)), place(t)}, false);
    appendPath(crosses_, {place(t - Vec3{s, 0, 0}), place(t + Vec3{s, 0, 0})}, false);
    appendPath(crosses_, {place(t - Vec3{0, s, 0}), place(t + Vec3{0, s, 0})}, false);
    circle(targets_, t, 0.6 * s);
  }

  Marks finish() {
    std::string& out = marks_.signs;
    const std::string thin = number(0.9 * unit_), line = number(1.3 * unit_);
    const std::string dash = number(4 * unit_) + " " + number(3 * unit_);
    const auto group = [&out](const std::string& attributes, const std::string& content) {
      if (!content.empty()) out += "<g " + attributes + ">\n" + content + "</g>\n";
    };
    const auto path = [](const std::string& d) {
      return d.empty() ? d : "<path d=\"" + d + "\"/>\n";
    };
    const std::string ink = "stroke=\"" + std::string(kInk) + "\"";
    group("fill=\"none\" " + ink + " stroke-width=\"" + thin + "\" stroke-opacity=\".55\"",
          path(rails_));
    group("fill=\"" + std::string(kInk) + "\" fill-opacity=\".3\"", faint_);
    group("fill=\"none\" stroke=\"" + std::string(kOpen) + "\" stroke-width=\"" + line +
              "\" stroke-dasharray=\"" + dash + "\"",
          path(dashes_));
    group(
        "fill=\"none\" stroke=\"#fff\" stroke-opacity=\".8\" stroke-linecap=\"round\" "
        "stroke-width=\"" +
            number(3 * unit_) + "\"",
        path(axes_));
    group("fill=\"none\" " + ink + " stroke-linecap=\"round\" stroke-width=\"" + line + "\"",
          path(axes_));
    group("fill=\"#fff\" fill-opacity=\".35\" " + ink + " stroke-width=\"" + thin + "\"", sheets_);
    group("fill=\"#fff\" " + ink + " stroke-width=\"" + line + "\"", rings_);
    group("fill=\"" + std::string(kInk) + "\" stroke=\"#fff\" stroke-width=\"" + thin + "\"",
          balls_);
    group("fill=\"none\" " + ink +
              " stroke-opacity=\".75\" stroke-linecap=\"round\" "
              "stroke-width=\"" +
              number(2 * radius_) + "\"",
          path(dots_));
    group("fill=\"" + std::string(kOpen) + "\" stroke=\"#fff\" stroke-width=\"" + thin + "\"",
          pins_);
    group("fill=\"none\" stroke=\"" + std::string(kGoal) + "\" stroke-width=\"" + line + "\"",
          targets_ + path(crosses_));
    group("fill=\"none\" stroke=\"" + std::string(kGoal) + "\" stroke-width=\"" + thin +
              "\" stroke-dasharray=\"" + dash + "\"",
          path(dashesToGoals_));
    return std::move(marks_);
  }

 private:
  [[nodiscard]] bool visible(const Vec3& p_W) const {
    if (!isFinite(p_W) || !view_.inFront(p_W)) return false;
    const Vec3 p = view_.project(p_W);
    return p.x > -view_.width && p.x < 2 * view_.width && p.y > -view_.height &&
           p.y < 2 * view_.height;
  }
  [[nodiscard]] Dot place(const Vec3& sheet) const { return dotOf(sheet, view_.height); }

  void circle(std::string& out, const Vec3& at, double radius) const {
    const Dot c = place(at);
    out += "<circle cx=\"" + hundredths(c.x) + "\" cy=\"" + hundredths(c.y) + "\" r=\"" +
           number(radius) + "\"/>\n";
  }

  // Signs shrink where joints are many or solids small, so that they never cover the mechanism.
  void chooseRadius() {
    Extent box;
    std::vector<double> apart;  // [px] of two joints of one solid
    std::vector<std::pair<bool, Vec3>> last(mechanism_.solids.size());
    double count = 0;
    for (const MechanismJoint& joint : mechanism_.joints) {
      const Vec3 p_W = frameOf(state_, joint.solid1, joint.frame1).p;
      if (joint.kind->relates != Relates::Frames || !visible(p_W)) continue;
      const Vec3 p = view_.project(p_W);
      box.include(p);
      ++count;
      for (const Index s : {joint.solid1, joint.solid2}) {
        if (s == kWorld) continue;
        if (last[s].first && norm(p - last[s].second) > 1)
          apart.push_back(norm(p - last[s].second));
        last[s] = {true, p};
      }
    }
    if (count == 0) return;
    const Vec3 size = box.size();
    double room = std::sqrt((size.x + 40 * unit_) * (size.y + 40 * unit_) / count);
    if (!apart.empty()) {
      const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
      std::nth_element(apart.begin(), middle, apart.end());
      room = std::min(room, 0.3 * *middle + 2 * unit_);
    }
    radius_ = std::clamp(0.2 * room, 0.7 * unit_, 4.6 * unit_);
  }

  // A relation of points, at the middle of the edge from the first to the second; not on nets.
  void addFold(const MechanismJoint& joint) {
    const MechanismPoint* points = &mechanism_.points[joint.points.first];
    if (isPoint(points[0].solid) && isPoint(points[1].solid)) return;
    const Vec3 a = pointOf(state_, points[0].solid, points[0].point);
    const Vec3 b = pointOf(state_, points[1].solid, points[1].point);
    const Vec3 middle = 0.5 * (a + b);
    if (!visible(middle) || !(norm(b - a) > 0)) return;
    Anatomy anatomy;
    anatomy.turns = {0};
    const Vec3 at = view_.project(middle);
    if (!isHidden(at, joint))
      addSign(anatomy, {middle, rotationBetween({1, 0, 0}, (b - a) / norm(b - a))}, at);
    else if (mechanism_.joints.size() <= kManyJoints)
      circle(faint_, at, 0.5 * radius_);
  }

  void addJoint(Index j) {
    const MechanismJoint& joint = mechanism_.joints[j];
    if (joint.kind->relates == Relates::Points) {
      addFold(joint);
      return;
    }
    const Anatomy anatomy = anatomyOf(*joint.kind);
    Pose X_W1 = frameOf(state_, joint.solid1, joint.frame1);
    const Pose X_W2 = frameOf(state_, joint.solid2, joint.frame2);
    if (!anatomy.frames || !visible(X_W1.p)) return;
    const Vec3 p1 = view_.project(X_W1.p);
    if (anatomy.lengths && visible(X_W2.p)) {
      const Vec3 p2 = view_.project(X_W2.p);
      const double gap = norm(Vec3{p2.x - p1.x, p2.y - p1.y, 0});
      const bool open =
          openness(mechanism_, state_, j) * view_.pixelsPerMetre(X_W1.p) > kOpenPixels;
      if (open && gap > kOpenPixels) {
        appendPath(dashes_, {place(p1), place(p2)}, false);
        addSmallDot(p2);
      } else if (anatomy.rod && gap > kOpenPixels) {
        addWire(p1, p2, 1.1 * unit_, kRod);
        if (!isPoint(joint.solid1)) addSmallDot(p1);
        if (!isPoint(joint.solid2)) addSmallDot(p2);
        return;
      } else if (anatomy.lowerPair && gap > kOpenPixels) {
        appendPath(rails_, {place(p1), place(p2)}, false);
      }
    }
    if (isPoint(joint.solid1) && isPoint(joint.solid2)) return;
    // On a curve or a surface, the sign is where the second solid has got to.
    if (anatomy.lengths && !anatomy.lowerPair && !anatomy.rod && visible(X_W2.p)) X_W1.p = X_W2.p;
    const Vec3 at = view_.project(X_W1.p);
    if (!isHidden(at, joint))
      addSign(anatomy, X_W1, at);
    else if (mechanism_.joints.size() <= kManyJoints)
      circle(faint_, at, 0.5 * radius_);
  }

  // Behind a solid that is none of the joint's.
  [[nodiscard]] bool isHidden(const Vec3& p, const MechanismJoint& joint) const {
    double depth = 0;
    const Facet* top = cover_ == nullptr ? nullptr : cover_->topmost(p, depth);
    if (top == nullptr || depth <= p.z) return false;
    bool own = false;
    forEachSolid(mechanism_, joint, [&](Index solid) { own = own || solid == top->owner; });
    return !own;
  }

  void addSign(const Anatomy& anatomy, const Pose& X_W1, const Vec3& p1) {
    if (radius_ < 2.1 * unit_) {  // a dot; one for all that fall onto the same pixel
      const Dot at = place(p1);
      if (dotted_.emplace(at.x / 100, at.y / 100).second) appendPath(dots_, {at, at}, false);
      return;
    }
    if (!anatomy.lowerPair)
      for (const int axis : anatomy.turns) addAxis(X_W1, axis, 2.6 * radius_);
    if (!anatomy.lowerPair || anatomy.slides.size() == 3) {  // an angle, a place on a curve
      circle(rings_, p1, 0.7 * radius_);
      return;
    }
    if (anatomy.slides.size() == 2) addSheet(X_W1, anatomy.slides[0], anatomy.slides[1]);
    if (anatomy.slides.size() == 1) addAxis(X_W1, anatomy.slides[0], 4.5 * radius_);
    if (anatomy.turns.size() < 3)
      for (const int axis : anatomy.turns) addAxis(X_W1, axis, 2.6 * radius_);
    switch (anatomy.turns.size()) {
      case 0: {  // what cannot turn is square
        const double s = 0.8 * radius_;
        const Dot at = place(p1 + Vec3{-s, s, 0});
        rings_ += "<path d=\"M" + hundredths(at.x) + " " + hundredths(at.y) + "h" + number(2 * s) +
                  "v" + number(2 * s) + "h" + number(-2 * s) + "z\"/>\n";
        break;
      }
      case 3:
        circle(balls_, p1, 0.75 * radius_);
        break;
      default:
        circle(rings_, p1, radius_);
    }
  }

  void addAxis(const Pose& X_W1, int axis, double halfLength) {
    const Vec3 half = (halfLength / view_.pixelsPerMetre(X_W1.p)) * unitVector(X_W1, axis);
    appendPath(axes_, {place(view_.project(X_W1.p - half)), place(view_.project(X_W1.p + half))},
               false);
  }

  // A small piece of the plane of two axes.
  void addSheet(const Pose& X_W1, int a, int b) {
    const double size = 3 * radius_ / view_.pixelsPerMetre(X_W1.p);
    const Vec3 u = size * unitVector(X_W1, a), v = size * unitVector(X_W1, b);
    std::string d;
    appendPath(d,
               {place(view_.project(X_W1.p + u + v)), place(view_.project(X_W1.p - u + v)),
                place(view_.project(X_W1.p - u - v)), place(view_.project(X_W1.p + u - v))},
               true);
    sheets_ += "<path d=\"" + d + "\"/>\n";
  }

  [[nodiscard]] static Vec3 unitVector(const Pose& X, int axis) {
    Vec3 e;
    e[axis] = 1;
    return rotate(X.q, e);
  }

  void addSmallDot(const Vec3& p) { circle(balls_, p, std::min(0.6 * radius_, 1.8 * unit_)); }

  [[nodiscard]] bool isPoint(Index solid) const {
    return solid != kWorld && mechanism_.solids[solid].pointMass;
  }

  // A line as a thin facet, level across: z is linear along it.
  void addWire(const Vec3& a, const Vec3& b, double width, std::uint32_t fill) {
    const Vec3 u{b.x - a.x, b.y - a.y, 0};
    const double length = norm(u);
    if (!(length > 0)) return;
    const Vec3 side = (0.5 * width / length) * Vec3{-u.y, u.x, 0};
    Facet facet;
    facet.loop = {a - side, b - side, b + side, a + side};
    facet.inked.assign(4, 0);
    facet.fill = fill;
    facet.wire = true;
    marks_.wires.push_back(std::move(facet));
  }

  // Straight ends and a zigzag between.
  void addSpring(const Vec3& a, const Vec3& b) {
    const double width = 1.1 * unit_;
    const Vec3 u{b.x - a.x, b.y - a.y, 0};
    const double length = norm(u);
    if (mechanism_.springs.size() > kManySprings || length < 16 * unit_) {  // far, or a net
      addWire(a, b, width, kSpring);
      return;
    }
    const int teeth = std::clamp(static_cast<int>(length / (7 * unit_)), 4, 16);
    const double amplitude = std::min(5 * unit_, 0.12 * length);
    const Vec3 side = (amplitude / length) * Vec3{-u.y, u.x, 0};
    Vec3 from = a;
    for (int k = 0; k <= 2 * teeth + 1; ++k) {
      const bool last = k == 2 * teeth + 1;
      const double t = 0.12 + 0.76 * k / (2 * teeth + 1);
      Vec3 to = a + t * (b - a);
      if (k > 0 && !last) to += (k % 2 == 0 ? -1.0 : 1.0) * side;
      addWire(from, to, width, kSpring);
      from = to;
    }
    addWire(from, b, width, kSpring);
    addSmallDot(a);
    addSmallDot(b);
  }

  const Mechanism& mechanism_;
  const State& state_;
  const View& view_;
  double unit_;
  const Cover* cover_;
  double radius_ = 3;  // [px] of a ring
  Marks marks_;
  std::set<std::pair<long, long>> dotted_;  // [px]
  std::string faint_, rails_, dashes_, axes_, sheets_, rings_, balls_, dots_, pins_, targets_,
      crosses_, dashesToGoals_;
};

std::unordered_map<std::string, Index> indexByName(const Scene& scene) {
  std::unordered_map<std::string, Index> index;
  for (Index s = 0; s < scene.solids.size(); ++s) index.emplace(scene.solids[s].name, s);
  return index;
}

// calls f(point, target) of each pin and goal, in world coordinates.
template <class OnPin, class OnGoal>
void walkTargets(const Scene& scene, const Mechanism& mechanism, const State& state,
                 const OnPin& onPin, const OnGoal& onGoal) {
  if (scene.pins.empty() && scene.goals.empty()) return;
  const auto index = indexByName(scene);
  for (const Pin& pin : scene.pins)
    if (const auto found = index.find(pin.solid); found != index.end())
      onPin(pin.target.value_or(transform(solidPose(mechanism, state, found->second), pin.point)));
  for (const Goal& goal : scene.goals)
    if (const auto found = index.find(goal.solid); found != index.end())
      onGoal(transform(solidPose(mechanism, state, found->second), goal.point), goal.target);
}

}  // namespace

Pose solidPose(const Mechanism& mechanism, const State& state, Index solid) {
  const Quat q = state.orientation[solid];
  return {state.position[solid] - rotate(q, mechanism.solids[solid].com), q};
}

std::vector<Vec3> placesOfMarks(const Scene& scene, const Mechanism& mechanism,
                                const State& state) {
  std::vector<Vec3> places;
  const auto add = [&places](const Vec3& p) {
    if (isFinite(p)) places.push_back(p);
  };
  for (const MechanismJoint& joint : mechanism.joints)
    if (const Anatomy a = anatomyOf(*joint.kind); a.frames && a.lengths) {
      add(frameOf(state, joint.solid1, joint.frame1).p);
      add(frameOf(state, joint.solid2, joint.frame2).p);
    }
  for (const MechanismSpring& spring : mechanism.springs) {
    add(pointOf(state, spring.solid1, spring.point1));
    add(pointOf(state, spring.solid2, spring.point2));
  }
  walkTargets(scene, mechanism, state, add, [&](const Vec3& p, const Vec3& target) {
    add(p);
    add(target);
  });
  return places;
}

Marks marksOf(const Scene& scene, const Mechanism& mechanism, const State& state, const View& view,
              double unit, const Cover* cover) {
  MarkMaker maker(mechanism, state, view, unit, cover);
  maker.addJoints();
  maker.addSprings();
  walkTargets(
      scene, mechanism, state, [&](const Vec3& p) { maker.addPin(p); },
      [&](const Vec3& p, const Vec3& target) { maker.addGoal(p, target); });
  return maker.finish();
}

Facet discAt(const Vec3& sheet, double radius, std::uint32_t fill) {
  constexpr int kSides = 10;
  Facet facet;
  for (int k = 0; k < kSides; ++k) {
    const SineCosine t = sineCosine(2 * kPi * k / kSides);
    facet.loop.push_back(sheet + radius * Vec3{t.cosine, t.sine, 0});
    facet.inked.push_back(0);
  }
  facet.fill = fill;
  facet.wire = true;
  return facet;
}

}  // namespace tenon
