// What is held, put into the compiled mechanism. Everything has the place, and the bits, that `compile` would give it if
// it stood in the scene: solids, then hands; joints, hands, pins; forces, those that are held, torques.
#include "session/amend.h"

#include <tenon/joint.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compile/finish.h"
#include "compile/turns.h"
#include "joints/lift.h"
#include "math/order.h"

namespace tenon {

namespace {

class Amendment {
 public:
  explicit Amendment(const Holding& holding)
      : holding_(holding), scene_(holding.scene), own_(holding.own) {}

  bool run() {
    if (!isPlain()) return false;
    m_.gravity = own_.gravity;
    m_.damp = own_.damp;
    addSolids();
    findGone();
    addJoints();
    addHands();
    addPins();
    m_.slots = slots_;
    addTerms();
    if (!good_ || !crowdedJoints(m_).empty()) return false;
    rememberAll();
    addLoads();
    finish(m_);
    return good_;
  }

  Amended made;

 private:
  // Pins of the text are held, not in the scene; and all is where it can be computed with.
  [[nodiscard]] bool isPlain() const {
    if (own_.joints.size() != scene_.joints.size() || own_.springs.size() != scene_.springs.size())
      return false;
    for (const Pose& X : holding_.frames) {
      const double q = X.q.x * X.q.x + X.q.y * X.q.y + X.q.z * X.q.z + X.q.w * X.q.w;
      if (!(std::abs(q - 1) < 1e-6)) return false;
      for (int i = 0; i < 3; ++i)
        if (!(std::abs(X.p[i]) <= kLargestNumber)) return false;
    }
    return true;
  }

  // ------------------------------------------------------------------------------- what a thing has of others

  template <class T>
  static void append(const std::vector<T>& from, Index first, Index count, std::vector<T>& to) {
    for (Index i = first; i < first + count; ++i) to.push_back(from[i]);
  }
  Range intervals(const Range& from) {
    const Range range{static_cast<Index>(m_.intervals.size()), from.count};
    append(own_.intervals, from.first, from.count, m_.intervals);
    return range;
  }
  void takeKeys(CompiledSignal& signal) {
    if (signal.keys.count == 0) return;
    const Index first = signal.keys.first;
    signal.keys.first = static_cast<Index>(m_.signalKeys.size());
    append(own_.signalKeys, first, signal.keys.count, m_.signalKeys);
  }

  [[nodiscard]] bool isJoined(Index solid) const {
    return solid != kWorld && holding_.groups.joined[solid] != 0;
  }
  [[nodiscard]] Index numberOf(Index solid) const {
    return solid == kWorld ? kWorld : made.solidOf[solid];
  }
  // From the frame of a solid of the scene to that of its group.
  [[nodiscard]] Pose within(Index solid) const {
    return solid == kWorld || holding_.groups.leader[solid] == solid ? Pose{}
                                                                     : holding_.offset(solid);
  }
  [[nodiscard]] Vec3 toCentre(Index number, const Vec3& point) const {
    return number == kWorld ? point : point - m_.solids[number].com;
  }
  // What the scene says in the frame of a solid, from the centre of its group.
  [[nodiscard]] Vec3 point(Index solid, const Vec3& p) const {
    const bool leads = solid == kWorld || holding_.groups.leader[solid] == solid;
    return toCentre(numberOf(solid), leads ? p : transform(within(solid), p));
  }
  [[nodiscard]] Pose frame(Index solid, Pose X) {
    if (solid != kWorld && holding_.groups.leader[solid] != solid) X = within(solid) * X;
    return checked(numberOf(solid), X);
  }
  [[nodiscard]] Pose checked(Index number, const Pose& X) {
    if (!isFinite(X.p) || !(std::abs(norm(X.q) - 1) < 1e-6)) good_ = false;
    // Whoever leads though it cannot turn.
    if (number != kWorld && m_.solids[number].kind != SolidKind::Dynamic &&
        m_.solids[number].pointMass)
      good_ = false;
    return {toCentre(number, X.p), normalized(X.q)};
  }

  // --------------------------------------------------------------------------------------------------- solids

  void addSolids() {
    const Groups& groups = holding_.groups;
    const auto count = static_cast<Index>(own_.solids.size());
    std::vector<std::vector<Index>> members;  // of groups, by leader
    for (Index s = 0; s < count; ++s) {
      if (!groups.joined[s] || groups.leader[s] == kWorld) continue;
      members.resize(count);
      members[groups.leader[s]].push_back(s);
    }
    made.solidOf.assign(count, kWorld);
    m_.solids.reserve(count + holding_.hands.size());
    m_.solidNames.reserve(count + holding_.hands.size());
    for (Index s = 0; s < count; ++s) {
      if (groups.leader[s] != s) continue;
      made.solidOf[s] = static_cast<Index>(m_.solids.size());
      m_.solids.push_back(own_.solids[s]);
      m_.solidNames.push_back(own_.solidNames[s]);
      MechanismSolid& solid = m_.solids.back();
      if (solid.kind == SolidKind::Animated) {
        CompiledPath path = own_.paths[solid.path];
        solid.path = static_cast<Index>(m_.paths.size());
        path.solid = made.solidOf[s];
        for (CompiledSignal& signal : path.p) takeKeys(signal);
        for (CompiledSignal& signal : path.q) takeKeys(signal);
        m_.paths.push_back(path);
        continue;
      }
      if (solid.kind == SolidKind::Dynamic && groups.joined[s]) addUp(members[s], solid);
      const Pose X_WS{holding_.frames[s].p, normalized(holding_.frames[s].q)};
      solid.initial = {transform(X_WS, solid.com), X_WS.q};
      if (solid.kind != SolidKind::Dynamic || (scene_.start.empty() && !groups.joined[s])) continue;
      solid.velocity = scene_.solids[s].velocity;  // a pose of the start takes it away
      solid.spin = solid.pointMass ? Vec3{} : scene_.solids[s].spin;
    }
    for (Index s = 0; s < count; ++s)
      if (groups.leader[s] != kWorld) made.solidOf[s] = made.solidOf[groups.leader[s]];
    for (const HeldGrab* grab : holding_.hands) {
      MechanismSolid hand;
      hand.kind = SolidKind::Immobile;
      const Pose X_WS{grab->target, normalized(grab->orientation.value_or(Quat{}))};
      hand.initial = {transform(X_WS, hand.com), X_WS.q};
      m_.solids.push_back(hand);
      m_.solidNames.push_back(nameOfHand(grab->id));
    }
  }

  void addUp(const std::vector<Index>& members, MechanismSolid& solid) {
    const MassSum sum = massOfGroup(holding_, members);
    if (!(sum.mass >= kSmallestMass && sum.mass <= kLargestMass) || !isFinite(sum.com) ||
        !whyNoInverse(sum.inertia).empty()) {
      good_ = false;
      return;
    }
    solid.pointMass = false;
    solid.mass = sum.mass;
    solid.inverseMass = 1 / sum.mass;
    solid.com = sum.com;
    solid.inertia = sum.inertia;
    solid.inverseInertia = inverse(sum.inertia);
    solid.gravity = sum.gravity;
    solid.gravityMoment = sum.gravityMoment;
  }

  // --------------------------------------------------------------------------------------------------- joints

  // Between two of one group nothing is left to do; nor of relations of coordinates that are frozen.
  void findGone() {
    made.jointOf.assign(own_.joints.size(), 0);
    if (holding_.held.frozen.empty() && holding_.held.merged.empty()) return;
    bool any = false;
    for (Index j = 0; j < own_.joints.size(); ++j) {
      const MechanismJoint& joint = own_.joints[j];
      if (!scene_.joints[j].couples.empty()) continue;
      const Index one = numberOf(joint.solid1);
      bool gone = one == numberOf(joint.solid2);
      for (Index p = joint.points.first; p < joint.points.first + joint.points.count; ++p)
        gone = gone && numberOf(own_.points[p].solid) == one;
      if (gone) made.jointOf[j] = kWorld;
      any |= gone;
    }
    if (!any) return;
    Finder joints(own_.jointNames);
    const auto isGone = [&](const CoupledCoordinate& c) {
      return made.jointOf[joints(c.joint)] == kWorld;
    };
    for (Index j = 0; j < own_.joints.size(); ++j) {
      const Joint& source = scene_.joints[j];
      if (std::any_of(source.couples.begin(), source.couples.end(), isGone) ||
          (source.carrier && isGone(*source.carrier)))
        made.jointOf[j] = kWorld;
    }
  }

  void addJoints() {
    const std::size_t count =
        own_.joints.size() + holding_.hands.size() + holding_.held.pins.size();
    m_.joints.reserve(count);
    m_.jointNames.reserve(count);
    m_.rules.reserve(own_.rules.size() + holding_.held.limits.size());
    m_.options.reserve(own_.options.size());
    // By joint, those of one in the order in which they were set.
    std::vector<std::pair<Index, const HeldLimit*>> limits;
    Finder joints(own_.jointNames);
    for (const HeldLimit& limit : holding_.held.limits)
      limits.emplace_back(joints(limit.joint), &limit);
    sortStably(limits, [](const auto& a, const auto& b) { return a.first < b.first; });
    auto limit = limits.begin();
    limited_.assign(own_.joints.size(), 0);
    for (Index j = 0; j < own_.joints.size(); ++j) {
      const auto first = limit;
      while (limit != limits.end() && limit->first == j) ++limit;
      limited_[j] = first != limit;
      if (made.jointOf[j] == kWorld) continue;
      const MechanismJoint& from = own_.joints[j];
      made.jointOf[j] = static_cast<Index>(m_.joints.size());
      m_.joints.push_back(from);
      MechanismJoint& joint = m_.joints.back();
      if (isJoined(from.solid1)) joint.frame1 = frame(from.solid1, sourceOf(j).frame1);
      if (isJoined(from.solid2)) joint.frame2 = frame(from.solid2, sourceOf(j).frame2);
      joint.remembers = true;  // until all is there
      joint.solid1 = numberOf(from.solid1);
      joint.solid2 = numberOf(from.solid2);
      if (from.points.count > 0) addPoints(sourceOf(j), joint);
      joint.active = intervals(from.active);
      joint.options.first = static_cast<Index>(m_.options.size());
      append(own_.options, from.options.first, from.options.count, m_.options);
      append(own_.memory, from.firstMemory, static_cast<Index>(memoryCount(*from.kind)), m_.memory);
      joint.rules.first = static_cast<Index>(m_.rules.size());
      addRules(j, {first, limit});
      joint.rules.count = static_cast<Index>(m_.rules.size()) - joint.rules.first;
      place(joint);
      m_.jointNames.push_back(own_.jointNames[j]);
    }
  }

  // A joint that is frozen in the scene itself is another one in the mechanism.
  const Joint& sourceOf(Index j) {
    if (scene_.joints[j].frozen || scene_.joints[j].merged) good_ = false;
    return scene_.joints[j];
  }

  void place(MechanismJoint& joint) {
    joint.firstSlot = slots_;
    joint.firstMemory = memory_;
    slots_ += slotCount(joint);
    memory_ += static_cast<Index>(memoryCount(*joint.kind));
  }

  void addPoints(const Joint& source, MechanismJoint& joint) {
    const Range from = joint.points;
    joint.points.first = static_cast<Index>(m_.points.size());
    for (Index k = 0; k < from.count; ++k) {
      MechanismPoint placed = own_.points[from.first + k];
      const bool joined = isJoined(placed.solid);
      if (joined && k >= 2) placed.point = point(placed.solid, source.more[k - 2].point);
      if (joined && k < 2) placed.point = (k == 0 ? joint.frame1 : joint.frame2).p;
      placed.solid = numberOf(placed.solid);
      for (Index l = joint.points.first; l < m_.points.size(); ++l)
        if (m_.points[l].solid == placed.solid && m_.points[l].point == placed.point) good_ = false;
      m_.points.push_back(placed);
    }
    if (joint.solid1 == joint.solid2) good_ = false;
  }

  // The limits that are held take the place of the text's, after all other rules.
  using Limits = std::pair<std::vector<std::pair<Index, const HeldLimit*>>::const_iterator,
                           std::vector<std::pair<Index, const HeldLimit*>>::const_iterator>;
  void addRules(Index j, const Limits& limits) {
    const MechanismJoint& joint = own_.joints[j];
    const Range& from = joint.rules;
    const auto replaces = [](const HeldLimit& limit, const std::string& coordinate) {
      return limit.coordinate == coordinate;
    };
    // What the kind's options bound comes first, and is in no text.
    const bool changes = limits.first != limits.second;
    const std::size_t bounds = changes ? from.count - sourceOf(j).rules.size() : 0;
    for (Index r = 0; r < from.count; ++r) {
      if (changes && r >= bounds) {
        const CoordinateRule& said = scene_.joints[j].rules[r - bounds];
        if (said.kind == CoordinateRule::Kind::Limit &&
            std::any_of(limits.first, limits.second, [&](const auto& limit) {
              return replaces(*limit.second, said.coordinate);
            }))
          continue;
      }
      m_.rules.push_back(own_.rules[from.first + r]);
      MechanismRule& rule = m_.rules.back();
      rule.joint = made.jointOf[j];
      // Bounds have no intervals: theirs begin at 0, and so do those of rules that come before all intervals.
      if (rule.active.first != 0 || rule.active.count != 0) rule.active = intervals(rule.active);
      takeKeys(rule.target);
    }
    for (auto at = limits.first; at != limits.second; ++at) {
      const HeldLimit& limit = *at->second;
      const bool later = std::any_of(at + 1, limits.second, [&](const auto& other) {
        return replaces(*other.second, limit.coordinate);
      });
      if (later || (limit.lower == -kInfinity && limit.upper == kInfinity)) continue;
      MechanismRule rule;
      const int coordinate = findCoordinate(*joint.kind, limit.coordinate);
      rule.joint = made.jointOf[j];
      rule.coordinate = static_cast<Index>(coordinate);
      rule.lower = limit.lower;
      rule.upper = limit.upper;
      rule.maxForce = kInfinity;
      rule.active = intervals({});
      m_.rules.push_back(rule);
      // A point mass does not turn, and some limits make no sense: which is said elsewhere.
      if (coordinate < 0 || !(limit.lower <= limit.upper)) good_ = false;
      for (const Index solid : {joint.solid1, joint.solid2})
        if (solid != kWorld && own_.solids[solid].pointMass) good_ = false;
    }
  }

  void addNew(MechanismJoint joint, const char* kind, const std::vector<Interval>& active,
              const std::string& name) {
    joint.kind = findJointKind(kind);
    joint.active = {static_cast<Index>(m_.intervals.size()), static_cast<Index>(active.size())};
    m_.intervals.insert(m_.intervals.end(), active.begin(), active.end());
    for (const Interval& interval : active) good_ = good_ && interval.begin < interval.end;
    joint.options.first = static_cast<Index>(m_.options.size());
    static_cast<void>(prepareOptions(*joint.kind, {}, m_.options));
    joint.options.count = static_cast<Index>(m_.options.size()) - joint.options.first;
    joint.rules.first = static_cast<Index>(m_.rules.size());
    place(joint);
    m_.joints.push_back(joint);
    m_.jointNames.push_back(name);
  }

  void addHands() {
    Finder solids(own_.solidNames);
    Index hand = static_cast<Index>(m_.solids.size() - holding_.hands.size());
    for (std::size_t h = 0; h < holding_.hands.size(); ++h, ++hand) {
      const HeldGrab& grab = *holding_.hands[h];
      const Index solid = solids(grab.solid);
      MechanismJoint joint;
      joint.solid1 = hand;
      joint.solid2 = numberOf(solid);
      joint.frame1 = checked(hand, {});
      joint.frame2 = frame(solid, {grab.point, {}});
      joint.compliance = holding_.compliance[h];
      if (grab.orientation && m_.solids[joint.solid2].pointMass) good_ = false;
      addNew(joint, grab.orientation ? "weld" : "ball", {}, m_.solidNames[hand]);
    }
  }

  void addPins() {
    Finder solids(own_.solidNames), joints(own_.jointNames);
    const std::vector<HeldPin>& pins = holding_.held.pins;
    for (std::size_t k = 0; k < pins.size(); ++k) {
      const HeldPin& pin = pins[k];
      const Index solid = solids(pin.solid);
      if (solid == kWorld) {
        good_ = false;
        return;
      }
      // Two of one name: said elsewhere. Those that have none get one that no text has.
      if (!pin.name.empty() &&
          (joints(pin.name) != kWorld ||
           std::any_of(pins.begin(), pins.begin() + static_cast<std::ptrdiff_t>(k),
                       [&](const HeldPin& other) { return other.name == pin.name; })))
        good_ = false;
      const Index leader = holding_.groups.leader[solid];
      if (leader == kWorld || own_.solids[leader].kind != SolidKind::Dynamic) continue;
      MechanismJoint joint;
      joint.isPin = true;
      joint.solid2 = numberOf(solid);
      const bool turns = !pin.point && !m_.solids[joint.solid2].pointMass;
      Quat q = pin.point ? normalized(holding_.frames[leader].q) : pin.target.q;
      if (!pin.point && leader != solid) q = normalized(q * conjugate(within(solid).q));
      joint.frame1 = checked(kWorld, {pin.target.p, q});
      joint.frame2 = {point(solid, pin.point.value_or(Vec3{})), {}};
      if (!isFinite(joint.frame2.p)) good_ = false;
      addNew(joint, turns ? "weld" : "ball", pin.active, nameOfPin(holding_.held, k));
    }
  }

  // As the text has them: they hold wherever the solids are now.
  void addTerms() {
    if (own_.terms.empty()) return;
    for (Index j = 0; j < own_.joints.size(); ++j) {
      const Range& terms = own_.joints[j].terms;
      if (terms.count == 0 || made.jointOf[j] == kWorld) continue;
      m_.joints[made.jointOf[j]].terms.first = static_cast<Index>(m_.terms.size());
      for (Index t = terms.first; t < terms.first + terms.count; ++t) {
        m_.terms.push_back(own_.terms[t]);
        m_.terms.back().joint = made.jointOf[own_.terms[t].joint];
      }
    }
  }

  // Turns are counted from what is meant, as the solids are; where others depend on them, as the text does.
  void rememberAll() {
    m_.memory.assign(memory_, std::numeric_limits<double>::quiet_NaN());
    State state = initialState(m_);
    KnownTurns none;
    KnownTurns& turns = holding_.turns != nullptr ? *holding_.turns : none;
    if (turns.frames != holding_.frames) {
      turns.frames = holding_.frames;
      turns.known.assign(own_.joints.size(), 0);
      turns.memory.resize(own_.memory.size());
    }
    std::vector<Index> source(m_.joints.size(),
                              kWorld);  // whose turns do not depend on what is held
    for (Index j = 0; j < own_.joints.size(); ++j)
      if (made.jointOf[j] != kWorld && !limited_[j] && !isJoined(own_.joints[j].solid1) &&
          !isJoined(own_.joints[j].solid2) && own_.joints[j].points.count == 0)
        source[made.jointOf[j]] = j;
    for (Index j = 0; j < m_.joints.size(); ++j) {
      const auto count = memoryCount(*m_.joints[j].kind);
      if (count == 0) continue;
      double* const memory = state.memory.data() + m_.joints[j].firstMemory;
      const Index from = source[j];
      double* const kept =
          from == kWorld ? nullptr : turns.memory.data() + own_.joints[from].firstMemory;
      if (kept != nullptr && turns.known[from]) {
        std::copy_n(kept, count, memory);
        continue;
      }
      expectTurns(m_, j, state);
      rememberTurns(m_, m_.joints[j], state);
      if (kept == nullptr) continue;
      std::copy_n(memory, count, kept);
      turns.known[from] = 1;
    }
    m_.memory = std::move(state.memory);
    for (Index j = 0; j < own_.joints.size(); ++j) {
      const Range& terms = own_.joints[j].terms;
      if (made.jointOf[j] == kWorld) continue;
      for (Index t = terms.first; t < terms.first + terms.count; ++t) {
        const MechanismJoint& from = own_.joints[own_.terms[t].joint];
        std::copy_n(own_.memory.data() + from.firstMemory, memoryCount(*from.kind),
                    m_.memory.data() + m_.joints[made.jointOf[own_.terms[t].joint]].firstMemory);
      }
    }
  }

  // ---------------------------------------------------------------------------------------------------- loads

  void addLoads() {
    const auto keep = [&](Index k) {
      const MechanismForce& from = own_.forces[k];
      if (numberOf(from.solid) == kWorld) return;
      const std::size_t forces = scene_.forces.size();
      MechanismForce force = from;
      if (isJoined(from.solid) && k < forces)
        force.point = point(from.solid, scene_.forces[k].point);
      if (isJoined(from.solid) && k >= forces && force.axes == Axes::Body &&
          holding_.groups.leader[from.solid] != from.solid)
        force.torque = rotate(within(from.solid).q, force.torque);
      force.solid = numberOf(from.solid);
      force.active = intervals(from.active);
      m_.forces.push_back(force);
    };
    const auto ours = static_cast<Index>(scene_.forces.size());
    for (Index k = 0; k < ours; ++k) keep(k);
    Finder solids(own_.solidNames);
    for (const HeldForce& pushed : holding_.held.forces) {
      const Index solid = solids(pushed.solid);
      if (solid == kWorld) good_ = false;
      if (numberOf(solid) == kWorld) continue;
      MechanismForce force;
      force.solid = numberOf(solid);
      force.point = point(solid, pushed.point);
      force.force = pushed.force;
      force.active = intervals({});
      m_.forces.push_back(force);
    }
    for (Index k = ours; k < own_.forces.size(); ++k) keep(k);
    for (MechanismMuscle muscle : own_.muscles) {
      muscle.joint = made.jointOf[muscle.joint];
      if (muscle.joint == kWorld) continue;
      muscle.active = intervals(muscle.active);
      m_.muscles.push_back(muscle);
    }
    for (std::size_t k = 0; k < own_.springs.size(); ++k) {
      MechanismSpring spring = own_.springs[k];
      if (numberOf(spring.solid1) == numberOf(spring.solid2)) continue;
      const Spring& source = scene_.springs[k];
      if (isJoined(spring.solid1)) spring.point1 = point(spring.solid1, source.point1);
      if (isJoined(spring.solid2)) spring.point2 = point(spring.solid2, source.point2);
      spring.solid1 = numberOf(spring.solid1);
      spring.solid2 = numberOf(spring.solid2);
      spring.active = intervals(spring.active);
      m_.springs.push_back(spring);
    }
    for (MechanismDrag drag : own_.drags) {
      const bool one = drag.solid != kWorld;
      drag.solid = numberOf(drag.solid);
      if (one && drag.solid == kWorld) continue;
      drag.active = intervals(drag.active);
      m_.drags.push_back(drag);
    }
  }

  const Holding& holding_;
  const Scene& scene_;
  const Mechanism& own_;
  Mechanism& m_ = made.mechanism;
  Index slots_ = 0, memory_ = 0;
  std::vector<std::uint8_t>
      limited_;  // by joint of the scene: its limits are not those of the text
  bool good_ = true;
};

}  // namespace

std::optional<Amended> amended(const Holding& holding) {
  Amendment amendment(holding);
  if (!amendment.run()) return std::nullopt;
  return std::move(amendment.made);
}

}  // namespace tenon
