#include "packed/fast.h"

#include <tenon/joint.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "math/connected.h"
#include "packed/pieces.h"
#include "packed/plain.h"

namespace tenon::packed {

namespace {

// The whole step, or in pieces, after each of which `count` is called. False if even the shortest piece is too much.
template <class Count>
bool stepLoop(const LoopFigure& figure, LoopStep kernel, KernelSettings settings,
              const StatePointers& state, const Count& count, FastReport& report) {
  for (Pieces pieces(settings.dt[0]); !pieces.done();) {
    settings.dt[0] = pieces.next();
    const LoopOutcome outcome = kernel(figure, settings, state);
    report.iterations += outcome.iterations;
    if (outcome.done) {
      pieces.finishNext();
      if (!pieces.done()) count();
      continue;
    }
    const int more = outcome.open ? 0 : pieces.split(outcome.tooFar);
    if (more == 0) return false;
    report.halvings += more;
  }
  return true;
}

// Whether velocities are such as a joint allows. Of locked moves of a lower pair, along axes a of frame 1 and with u from one
// point to the other:  a · (v_2 + ω_2 × r_2 - v_1 - ω_1 × (r_1 + u)) = 0;  of locked turns: (w × u) · (ω_2 - ω_1) = 0;  of a
// rod: u · u̇ = 0.
bool allowsVelocities(const Mechanism& m, const MechanismJoint& joint, const State& state,
                      double tolerance) {
  const auto turnOf = [&](Index s) { return s == kWorld ? Quat{} : state.orientation[s]; };
  const auto spinOf = [&](Index s) { return s == kWorld ? Vec3{} : state.spin[s]; };
  const auto speedAt = [&](Index s, const Vec3& place) {
    return s == kWorld ? Vec3{}
                       : state.velocity[s] + cross(state.spin[s], place - state.position[s]);
  };
  const auto placeOf = [&](Index s, const Vec3& point) {
    return s == kWorld ? point : state.position[s] + rotate(turnOf(s), point);
  };
  const Vec3 place = placeOf(joint.solid2, joint.frame2.p);
  const Vec3 other = placeOf(joint.solid1, joint.frame1.p), gap = place - other;
  if (isLink(m, joint)) {
    const double length = norm(gap);
    const Vec3 rate = speedAt(joint.solid2, place) - speedAt(joint.solid1, other);
    return !isRod(joint) || (std::abs(length - linkLength(m, joint)) <= tolerance &&
                             std::abs(dot(gap, rate)) <= tolerance * length);
  }
  const Mat3 axes = rotationMatrix(turnOf(joint.solid1) * joint.frame1.q);
  const Vec3 apart = speedAt(joint.solid2, place) - speedAt(joint.solid1, place);
  double most = 0;
  for (int axis = 0; axis < 3; ++axis)
    if (locksMove(joint, axis))
      most = std::max(
          {most, std::abs(dot(axes.column(axis), apart)), std::abs(dot(axes.column(axis), gap))});
  const LockedAxes locked = lockedAxes(joint);
  const Vec3 spin = spinOf(joint.solid2) - spinOf(joint.solid1);
  for (int k = 0; k < locked.count; ++k) {
    const AxisPair pair = axisPair(joint, locked, k);
    const Vec3 n =
        cross(rotate(turnOf(joint.solid2), pair.w), rotate(turnOf(joint.solid1), pair.u));
    most = std::max(most, std::abs(dot(n, spin)));
  }
  return most <= tolerance;
}

// Whether a coordinate is prescribed that nothing has held yet: velocities may be others than prescribed.
bool beginsToBePrescribed(const Mechanism& m, std::span<const Index> joints, const State& state) {
  return std::any_of(joints.begin(), joints.end(), [&](Index j) {
    const MechanismJoint& joint = m.joints[j];
    const double* push = state.multiplier.data() + joint.firstSlot + ownSlots(*joint.kind);
    for (Index r = 0; r < joint.rules.count; ++r)
      if (m.rules[joint.rules.first + r].kind == CoordinateRule::Kind::Prescribe &&
          push[2 * r] == 0)
        return true;
    return false;
  });
}

// A joint that did nothing in the step before may be one that was not in force: then velocities may be such as the
// joints do not allow, which only rows put right.
bool hasToSettle(const Mechanism& m, std::span<const Index> joints, const State& state) {
  constexpr double kAllowed = 1e-7;  // [m/s], [rad/s] far below what the scheme makes itself
  const bool idle = std::any_of(joints.begin(), joints.end(), [&](Index j) {
    if (isTie(m, m.joints[j]) || (isLink(m, m.joints[j]) && !isRod(m.joints[j]))) return false;
    const double* first = state.multiplier.data() + m.joints[j].firstSlot;
    return std::all_of(first, first + slotCount(m.joints[j]), [](double x) { return x == 0; });
  });
  return idle && !std::all_of(joints.begin(), joints.end(), [&](Index j) {
           return isTie(m, m.joints[j]) || allowsVelocities(m, m.joints[j], state, kAllowed);
         });
}

// Whether joints that hold points make one tree of an island, with its root free or on ground that does not move.
bool isTree(const Mechanism& m, const Islands& islands, Index island) {
  const auto solids = islands.solidsOf(island);
  const auto numberOf = [&](Index solid) {
    return static_cast<Index>(std::lower_bound(solids.begin(), solids.end(), solid) -
                              solids.begin());
  };
  Connected sets(solids.size());
  std::size_t joined = 1;
  int grounds = 0;
  for (const Index j : islands.jointsOf(island)) {
    const MechanismJoint& joint = m.joints[j];
    if (isTie(m, joint) || isLink(m, joint)) continue;
    if (!holdsPoint(joint) || isLed(m, joint)) return false;
    if (isGround(m, joint.solid1) || isGround(m, joint.solid2))
      ++grounds;
    else if (sets.join(numberOf(joint.solid1), numberOf(joint.solid2)))
      ++joined;
    else
      return false;
  }
  return joined == solids.size() && grounds <= 1;
}

// What rules there are on a joint that its kernel does not know.
void findUnknownRules(const Mechanism& m, Index j, std::set<std::string>& what) {
  using Kind = CoordinateRule::Kind;
  const MechanismJoint& joint = m.joints[j];
  const bool slides = isLowerPair(joint) && !holdsPoint(joint);
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r) {
    const MechanismRule& rule = m.rules[r];
    if (rule.active.count > 0)
      what.insert("rules with times");
    else if (rule.kind == Kind::Friction && rule.coefficient > 0)
      what.insert("friction that grows with a load");
    else if (rule.kind == Kind::Prescribe && rule.compliance > 0)
      what.insert("prescribed coordinates that yield");
    else if (slides ? !isSlideRule(joint, rule)
                    : !holdsPoint(joint) || !isTreeRule(rule, lockedAxes(joint).count))
      what.insert((rule.kind == Kind::Armature    ? "armatures on `"
                   : rule.kind == Kind::Friction  ? "friction on `"
                   : rule.kind == Kind::Prescribe ? "prescribed coordinates of `"
                                                  : "rules on `") +
                  std::string(joint.kind->name) + "` joints");
  }
}

// a, b and c
std::string listed(const std::vector<std::string>& things) {
  std::string text = things.front();
  for (std::size_t i = 1; i < things.size(); ++i)
    text += (i + 1 < things.size() ? ", " : " and ") + things[i];
  return text;
}

}  // namespace

std::vector<std::string> whatIsUnknown(const Mechanism& m, const Islands& islands, Index island,
                                       double damp) {
  std::vector<std::string> unknown;
  const auto note = [&unknown](bool there, const char* what) {
    if (there) unknown.emplace_back(what);
  };
  const auto solids = islands.solidsOf(island), joints = islands.jointsOf(island);
  const auto any = [&](const auto& is) {
    return std::any_of(joints.begin(), joints.end(), [&](Index j) { return is(m.joints[j]); });
  };
  const auto isRuled = [&](const MechanismJoint& joint) { return !hasOnlyLimits(m, joint); };
  std::set<std::string> rules;
  for (const Index j : joints)
    if (isRuled(m.joints[j]) && !hasTreeRules(m, m.joints[j])) findUnknownRules(m, j, rules);
  unknown.insert(unknown.end(), rules.begin(), rules.end());
  const auto springs = islands.springsOf(island);
  // Links of trees, and only of these.
  const auto between = std::count_if(springs.begin(), springs.end(), [&](Index s) {
    return !isGround(m, m.springs[s].solid1) && !isGround(m, m.springs[s].solid2);
  });
  const auto links = between + std::count_if(joints.begin(), joints.end(),
                                             [&](Index j) { return isLink(m, m.joints[j]); });
  const bool known =
      links <= static_cast<std::ptrdiff_t>(kMostLinks) && links > 0 && isTree(m, islands, island);
  note(between > 0 && !known, "springs between solids");
  note(std::any_of(springs.begin(), springs.end(),
                   [&](Index s) { return m.springs[s].active.count > 0; }),
       "springs with times");
  const auto muscles = islands.musclesOf(island);
  note(any([&](const MechanismJoint& joint) {
         return (isTie(m, joint) || isLink(m, joint)) && dampOf(m, joint, damp) > 0;
       }) ||
           std::any_of(muscles.begin(), muscles.end(),
                       [&](Index k) {
                         const MechanismJoint& joint = m.joints[m.muscles[k].joint];
                         return isTie(m, joint) || isLink(m, joint);
                       }),
       "damping or muscles at soft joints, distances or ropes");
  const bool led = any([&](const MechanismJoint& joint) { return isLed(m, joint); });
  note(led && any([&](const MechanismJoint& joint) {
         const MechanismRule* rule = m.rules.data() + joint.rules.first;
         return (isTie(m, joint) && isLed(m, joint)) ||
                std::any_of(rule, rule + joint.rules.count, [](const MechanismRule& r) {
                  return r.kind == CoordinateRule::Kind::Armature;
                });
       }),
       "soft joints or armatures on what follows a path");
  const bool points =
      std::any_of(solids.begin(), solids.end(), [&](Index s) { return isPoint(m, s); });
  std::vector<std::string> bounds, beside;
  const auto bounded = [&](const char* what, const auto& is) {
    if (any([&](const MechanismJoint& joint) {
          const MechanismRule* rule = m.rules.data() + joint.rules.first;
          return holdsPoint(joint) && std::any_of(rule, rule + joint.rules.count, is);
        }))
      bounds.emplace_back(what);
  };
  using Kind = CoordinateRule::Kind;
  bounded("limits", isHardLimit);
  bounded("friction", [](const MechanismRule& rule) { return rule.kind == Kind::Friction; });
  bounded("prescribed coordinates",
          [](const MechanismRule& rule) { return rule.kind == Kind::Prescribe; });
  if (any([](const MechanismJoint& joint) { return isLowerPair(joint) && !holdsPoint(joint); }))
    beside.emplace_back("joints that slide");
  if (led) beside.emplace_back("solids that follow a path");
  if (points) beside.emplace_back("point masses");
  if (links > between) beside.emplace_back("ropes or distances");
  if (between > 0) beside.emplace_back("springs between solids");
  if (!bounds.empty() && !beside.empty())
    unknown.push_back(listed(bounds) + " beside " + listed(beside));
  note(points && links > 0, "ropes, distances or springs between solids beside point masses");
  const auto forces = islands.forcesOf(island);
  note(any([&](const MechanismJoint& joint) {
         return holdsPointMass(m, joint) && !holdsPointMassAlone(m, joint);
       }) ||
           std::any_of(muscles.begin(), muscles.end(),
                       [&](Index k) { return holdsPointMass(m, m.joints[m.muscles[k].joint]); }) ||
           std::any_of(springs.begin(), springs.end(),
                       [&](Index s) {
                         const MechanismSpring& spring = m.springs[s];
                         return (isPoint(m, spring.solid1) && !(spring.point1 == Vec3{})) ||
                                (isPoint(m, spring.solid2) && !(spring.point2 == Vec3{}));
                       }) ||
           std::any_of(forces.begin(), forces.end(),
                       [&](Index f) {
                         const MechanismForce& force = m.forces[f];
                         return isPoint(m, force.solid) &&
                                !(force.point == Vec3{} && force.torque == Vec3{});
                       }),
       "something beside a point mass that acts on it");
  note(std::any_of(solids.begin(), solids.end(),
                   [&](Index s) { return !(m.solids[s].gravityMoment == Vec3{}); }),
       "frozen solids that differ in their `gravity`");
  note(any([&](const MechanismJoint& joint) { return joint.compliance > 0 && !isTie(m, joint); }),
       "soft joints other than balls to the ground");
  note(any([](const MechanismJoint& joint) { return joint.active.count > 0; }),
       "joints that are switched on and off");
  std::set<std::string> kinds;
  for (const Index j : joints)
    if (!isLowerPair(m.joints[j]) && !(known && isLink(m, m.joints[j])))
      kinds.insert(std::string(m.joints[j].kind->name));
  for (const std::string& kind : kinds) unknown.push_back("`" + kind + "` joints");
  if (!unknown.empty() || links > 0) return unknown;

  // Of islands with loops.
  std::size_t holding = 0;
  bool tied = false, grounded = false;
  for (const Index j : joints) {
    const MechanismJoint& joint = m.joints[j];
    const bool tie = isTie(m, joint);
    tied = tied || tie;
    if (tie) continue;
    ++holding;
    grounded = grounded || isGround(m, joint.solid1) || isGround(m, joint.solid2);
  }
  if (holding + (grounded ? 0 : 1) <= solids.size()) return unknown;  // a tree
  note(std::any_of(solids.begin(), solids.end(), [&](Index s) { return m.solids[s].pointMass; }),
       "point masses in loops");
  note(led, "solids that follow a path, in loops");
  // The torque of a cardan joint follows both solids, which the blocks cannot say.
  note(any([](const MechanismJoint& joint) { return lockedAxes(joint).count == 1; }),
       "cardan joints in loops");
  std::map<Index, int> ends;
  bool many = false;
  for (const Index j : joints)
    for (const Index solid : {m.joints[j].solid1, m.joints[j].solid2})
      many = many || (!isGround(m, solid) && (ends[solid] += nodesOf(m.joints[j])) > kMostEnds);
  note(many, "solids in loops with very many joints");
  note(tied, "hands on loops");
  note(!springs.empty(), "springs on loops");
  note(!islands.forcesOf(island).empty() || !islands.musclesOf(island).empty(), "forces on loops");
  note(!islands.everywhere.empty() || !islands.dragsOf(island).empty(), "drag on loops");
  note(any(isRuled), "springs, drives or soft limits at joints in loops");
  note(any([&](const MechanismJoint& joint) { return dampOf(m, joint, damp) > 0; }),
       "damping in loops");
  return unknown;
}

void Fast::plan(const Mechanism& m, const Islands& islands, double damp, bool rows) {
  trees_.clear();
  loops_.clear();
  way_.assign(islands.count(), Way::Rows);
  prescribed_.assign(islands.count(), 0);
  kept_.plan(m, islands);
  for (Index i = 0; i < islands.count() && !rows; ++i) {
    for (const Index j : islands.jointsOf(i))
      for (Index r = m.joints[j].rules.first; r < m.joints[j].rules.first + m.joints[j].rules.count;
           ++r)
        if (m.rules[r].kind == CoordinateRule::Kind::Prescribe) prescribed_[i] = 1;
    if (!whatIsUnknown(m, islands, i, damp).empty()) continue;
    if (trees_.add(m, islands, i, damp)) {
      way_[i] = Way::Tree;
      continue;
    }
    LoopFigureOf figure;
    if (!figure.loop.plan(m, islands.solidsOf(i), islands.jointsOf(i))) continue;
    figure.island = i;
    loops_.push_back(std::move(figure));
    way_[i] = Way::Loop;
  }
  trees_.sort();
}

void Fast::begin(const Mechanism& m, bool lanes, double end) {
  trees_.group(m, lanes);
  ends_.clear();
  if (!trees_.anyLed()) return;
  for (const CompiledPath& path : m.paths) ends_.push_back(evaluate(m, path, end));
}

template <class F>
void Fast::forIslands(std::size_t task, const F& f) const {
  const std::size_t chunks = trees_.chunks();
  if (task < chunks) return trees_.forIslands(task, f);
  f(loops_[task - chunks].island);
}

void Fast::step(const Mechanism& m, const Islands& islands, std::size_t task,
                const FastStep& step) {
  const FastSettings& settings = step.settings;
  State& state = *step.state;
  std::vector<std::uint8_t>&passed = *step.passed, &failed = *step.failed;
  forIslands(task, [&](Index i) {
    if (passed[i] != 0) return;
    kept_.copy(i, state, *step.kept);
    if ((way_[i] == Way::Tree ? kept_.isAtOtherLimit(m, i, state) : kept_.isAtLimit(m, i, state)) ||
        (settings.over &&
         (hasToSettle(m, islands.jointsOf(i), state) ||
          (prescribed_[i] != 0 && beginsToBePrescribed(m, islands.jointsOf(i), state)))))
      passed[i] = failed[i] = 1;
  });
  KernelSettings kernel;
  std::fill_n(kernel.dt, kLanes, step.dt);
  kernel.gravity = step.control->gravity;
  kernel.tolerance = settings.tolerance;
  kernel.closed = settings.closed;
  kernel.most = settings.most;
  kernel.patient = settings.patient;
  const StatePointers pointers{state.position.data(),   state.orientation.data(),
                               state.velocity.data(),   state.spin.data(),
                               state.multiplier.data(), state.memory.data()};
  const std::size_t chunks = trees_.chunks();
  if (task < chunks) {
    const double when = settings.over ? 0.5 : 1;
    trees_.step(task, settings.over, kernel,
                {&m, step.control, &state, step.time, when, step.dt, ends_.data(), &kept_},
                pointers, passed, failed, *step.work);
  } else {
    LoopFigureOf& figure = loops_[task - chunks];
    figure.report = {};
    if (passed[figure.island] == 0) {
      LoopFigure view = figure.loop.figure();
      // Large figures are also eliminated by several threads.
      struct Threads {
        Pool& pool;
        int count;
      } threads{*step.pool, settings.threads};
      if (settings.threads != 1) {
        view.crew.self = &threads;
        view.crew.run = [](void* self, std::size_t count, Crew::Task what, const void* context) {
          const Threads& by = *static_cast<Threads*>(self);
          by.pool.run(by.count, count, what, context);
        };
      }
      const auto count = [&] { kept_.countPiece(m, figure.island, false, state); };
      if (!stepLoop(view, loopStep(settings.over, settings.lanes), kernel, pointers, count,
                    figure.report))
        failed[figure.island] = 1;
    }
  }
  forIslands(task, [&](Index i) {
    if (passed[i] != 0) return;
    if (failed[i] == 0 && kept_.isFinite(i, state) &&
        kept_.rememberTurns(m, i, way_[i] == Way::Tree, step.heldAt, settings.closed, state))
      return;
    failed[i] = 1;
    kept_.copy(i, *step.kept, state);
  });
}

void Fast::finishLed(const Mechanism& m, const FastStep& step) {
  if (!kept_.anyLed()) return;
  State& state = *step.state;
  state.time = step.time + step.dt;
  followPaths(m, state);
  for (Index i = 0; i < way_.size(); ++i) {
    if (way_[i] != Way::Tree || (*step.passed)[i] != 0 || (*step.failed)[i] != 0) continue;
    if (kept_.rememberLed(m, i, step.heldAt, step.settings.closed, state)) continue;
    (*step.failed)[i] = 1;
    kept_.copy(i, *step.kept, state);
  }
  kept_.copyOthers(*step.kept, state);
  state.time = step.time;
}

void Fast::report(FastReport& report) const {
  trees_.report(report);
  for (const LoopFigureOf& figure : loops_) {
    report.iterations = std::max(report.iterations, figure.report.iterations);
    report.halvings += figure.report.halvings;
  }
}

}  // namespace tenon::packed
