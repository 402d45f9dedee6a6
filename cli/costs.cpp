#include "costs.h"

#include <tenon/joint.h>
#include <tenon/measure.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <tenon/scene_says.h>
#include "report.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace tenon::cli {
namespace {

constexpr double kOpen = 1e-6;  // [m], [rad] as in `tenon simulate`

bool canMove(const Mechanism& m, Index solid) {
  return solid != kWorld && m.solids[solid].kind == SolidKind::Dynamic;
}

// Islands of the same shape have the same list of joints, each with its kind and with the solids that it
// is between, counted within the island.
std::vector<std::uint64_t> shapeOf(const Mechanism& m, const Mechanism::Island& island,
                                   std::vector<Index>& placeOf) {
  std::vector<std::uint64_t> shape{island.solids.count};
  for (Index i = 0; i < island.solids.count; ++i)
    placeOf[m.islandSolids[island.solids.first + i]] = i;
  const auto place = [&](Index solid) -> std::uint64_t {
    return canMove(m, solid) ? placeOf[solid] : kWorld;
  };
  for (Index i = 0; i < island.joints.count; ++i) {
    const MechanismJoint& joint = m.joints[m.islandJoints[island.joints.first + i]];
    shape.push_back(reinterpret_cast<std::uintptr_t>(joint.kind));
    shape.push_back(place(joint.solid1) << 32 | place(joint.solid2));
  }
  return shape;
}

}  // namespace

std::optional<double> bytesInUse() {
#if defined(__GLIBC__)
  const struct mallinfo2 info = mallinfo2();
  const auto bytes = static_cast<double>(info.uordblks + info.hblkhd);
  if (bytes > 0) return bytes;  // nothing is known under a sanitizer
#endif
  return std::nullopt;
}

std::string loopClosersOf(const Mechanism& m) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names = namesOf(m, m.loopClosers);
  if (names.size() > kShown) {
    const std::size_t more = names.size() - (kShown - 1);
    names.resize(kShown - 1);
    names.push_back(std::to_string(more) + " more");
  }
  return listed(names);
}

GraphFacts graphOf(const Mechanism& m) {
  GraphFacts facts;
  for (const MechanismSolid& solid : m.solids)
    if (solid.kind == SolidKind::Dynamic) ++facts.dynamic;
  std::vector<bool> closes(m.joints.size(), false);
  for (const Index joint : m.loopClosers) closes[joint] = true;
  std::map<Index, Index> sizes;
  std::map<std::vector<std::uint64_t>, Index> shapes;
  std::vector<Index> placeOf(m.solids.size(), 0);
  for (const Mechanism::Island& island : m.islands) {
    ++sizes[island.solids.count];
    if (island.joints.count > 0)
      facts.sameShape = std::max(facts.sameShape, ++shapes[shapeOf(m, island, placeOf)]);
    if (island.solids.count <= facts.largest.solids) continue;
    facts.largest = {island.solids.count, island.joints.count, 0};
    for (Index i = 0; i < island.joints.count; ++i)
      if (closes[m.islandJoints[island.joints.first + i]]) ++facts.largest.loops;
  }
  facts.sizes.assign(sizes.rbegin(), sizes.rend());

  std::vector<Index> jointsAt(m.solids.size(), 0);
  for (const MechanismJoint& joint : m.joints)
    for (const Index solid : {joint.solid1, joint.solid2})
      if (canMove(m, solid)) ++jointsAt[solid];
  for (Index s = 0; s < m.solids.size(); ++s)
    if (jointsAt[s] >= 4) facts.hubs.emplace_back(s, jointsAt[s]);
  std::stable_sort(facts.hubs.begin(), facts.hubs.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (facts.hubs.size() > 4) facts.hubs.resize(4);
  return facts;
}

bool MethodCost::fast() const { return 2 * result.fast > result.steps; }
double MethodCost::perStep(double count) const {
  return result.steps > 0 ? count / static_cast<double>(result.steps) : 0;
}

double MethodCost::repeated() const {
  return islandSteps > 0 ? static_cast<double>(result.handedOver) / static_cast<double>(islandSteps)
                         : 0;
}

std::string percentOf(double share) { return tableNumber(100 * share, share < 0.1 ? 1 : 2) + " %"; }

std::string wordsOf(const WayTaken& way, const MethodCost& cost) {
  const bool one = way.islands == 1;
  const std::size_t islands = cost.islands;
  // Which islands there are, and which way they go, may change from step to step.
  const double most = static_cast<double>(way.islands) * static_cast<double>(cost.looked);
  const double share = most > 0 ? static_cast<double>(way.islandSteps) / most : 1;
  const std::string all = one ? "he island" : "ll " + counted(islands, "island");
  std::string words = share < 1 ? "In " + percentOf(share) + " of the steps, " : "";
  words += way.islands == islands
               ? (one ? (share < 1 ? "t" : "T") : (share < 1 ? "a" : "A")) + all
               : std::to_string(way.islands) + " of " + counted(islands, "island");
  words += " (" + counted(way.solids, "solid") + (one ? ") goes by " : ") go by ");
  if (way.way == "tree kernel")
    return words + "the tree kernel: " + (one ? "it has" : "they have") +
           " no loops, and the kernel knows all that acts there.";
  if (way.way == "loop kernel")
    return words + "the loop kernel: " + (one ? "it has" : "they have") +
           " loops, and the kernel knows all that acts there.";
  return words + way.way + ", because of " + listed(way.because) + ".";
}

namespace {

class Costing {
 public:
  Costing(const std::string& file, LoadedScene& loaded, const CostSettings& settings,
          Progress& progress)
      : file_(file), loaded_(loaded), settings_(settings), progress_(progress) {}

  SceneCosts go() {
    const Mechanism& m = *loaded_.mechanism;
    out_.file = file_;
    out_.title = loaded_.scene->title;
    out_.mechanism = &m;
    out_.graph = graphOf(m);
    out_.readMilliseconds = loaded_.readMilliseconds;
    out_.compileMilliseconds = loaded_.compileMilliseconds;
    out_.threads = settings_.threads;
    measureMechanism();
    assembleIfOpen();
    if (hasErrors(loaded_.problems)) return std::move(out_);
    const NotedInterrupt interrupt;
    for (const Method method : settings_.methods)
      if (!interrupt.came()) out_.methods.push_back(costOf(method));
    out_.advice = adviceOn(out_);
    return std::move(out_);
  }

 private:
  // A copy says how much there is.
  void measureMechanism() {
    const std::optional<double> before = bytesInUse();
    const Mechanism copy = *loaded_.mechanism;
    const std::optional<double> after = bytesInUse();
    if (before && after && !copy.solids.empty()) out_.mechanismBytes = *after - *before;
  }

  void assembleIfOpen() {
    const Mechanism& m = *loaded_.mechanism;
    const Control control = initialControl(m);
    State state = initialState(m);
    if (!(jointError(m, control, state).max > kOpen)) return;
    const std::vector<Want> wants = wantsOf(*loaded_.scene, m, 0, loaded_.problems);
    if (hasErrors(loaded_.problems)) return;
    progress_.now("assembling " + file_);
    PoseScratch scratch;
    const NotedInterrupt interrupt;
    PoseSettings settings;
    settings.progress = [&](int, double) { return !interrupt.came(); };
    out_.assembly = assemble(m, control, wants, settings, state, scratch);
  }

  // Adds the islands of a step to those of the steps before.
  static void add(const std::vector<IslandWay>& islands, MethodCost& cost) {
    cost.islands = std::max(cost.islands, static_cast<Index>(islands.size()));
    cost.islandSteps += islands.size();
    ++cost.looked;
    for (const WayGroup& group : grouped(islands)) {
      auto way = std::find_if(cost.ways.begin(), cost.ways.end(), [&](const WayTaken& w) {
        return w.way == group.way && w.because == group.why;
      });
      if (way == cost.ways.end())
        way = cost.ways.insert(way, {std::string(group.way), group.why, 0, 0, 0});
      way->islandSteps += group.islands;
      if (group.islands <= way->islands) continue;
      way->islands = group.islands;
      way->solids = group.solids;
    }
  }

  // Why most steps were not made by kernels alone; each reason once.
  static std::vector<std::string> reasons(const MethodCost& cost) {
    if (cost.fast() || cost.result.steps == 0) return {};
    if (cost.ways.empty())
      return {goesByIslands(cost.method)
                  ? "nothing that moves"
                  : "the method " + std::string(nameOf(cost.method)) + ", which has no kernels"};
    std::vector<std::string> all;
    for (const WayTaken& way : cost.ways)
      for (const std::string& why : way.because)
        if (std::find(all.begin(), all.end(), why) == all.end()) all.push_back(why);
    if (cost.result.handedOver > 0) all.emplace_back(kRepeated);
    return all;
  }

  MethodCost costOf(Method method) {
    MethodCost cost;
    cost.method = method;
    RunSettings settings = settings_.simulation;
    settings.step.method = method;
    settings.step.islands.threads = settings_.threads;
    std::vector<double> spent;  // [µs] by step
    const std::optional<double> before = bytesInUse();
    RunWatch listeners;
    listeners.moment = [&](const Moment& moment) {
      if (!std::isnan(moment.microseconds)) spent.push_back(moment.microseconds);
      if (spent.size() == 1 && !out_.stepBytes && before)  // buffers are there, few times are
        if (const auto now = bytesInUse()) out_.stepBytes = *now - *before;
    };
    cost.result = run(settings, listeners);
    if (cost.result.steps == 0 || spent.empty()) return cost;
    const double steps = static_cast<double>(cost.result.steps);
    cost.first = spent.front();
    cost.mean = 1000 * cost.result.milliseconds / steps;
    cost.realTime = cost.result.state.time / (1e-3 * cost.result.milliseconds);
    std::sort(spent.begin(), spent.end());
    cost.median = spent[spent.size() / 2];
    cost.slow = spent[static_cast<std::size_t>(0.99 * static_cast<double>(spent.size() - 1))];

    settings.step.timed = true;
    settings.duration = cost.result.state.time;
    RunWatch second;
    second.ways = [&](const std::vector<IslandWay>& islands) { add(islands, cost); };
    const RunReport timed = run(settings, second);
    cost.notFast = reasons(cost);
    const double total = timed.stages.total();
    if (!(total > 0)) return cost;
    for (std::size_t s = 0; s < kStages; ++s)
      cost.stages.microseconds[s] = cost.mean * timed.stages.microseconds[s] / total;
    return cost;
  }

  // Of its problems errors are kept; what its warnings say, the numbers and the advice say too.
  RunReport run(const RunSettings& settings, const RunWatch& listeners) {
    std::vector<Problem> problems;
    progress_.now("simulating " + file_ + " by " + std::string(nameOf(settings.step.method)));
    RunReport result = simulate(file_, *loaded_.scene, *loaded_.mechanism, settings, listeners,
                                problems, progress_);
    for (Problem& problem : problems)
      if (problem.severity == Severity::Error) loaded_.problems.push_back(std::move(problem));
    return result;
  }

  const std::string& file_;
  LoadedScene& loaded_;
  const CostSettings& settings_;
  Progress& progress_;
  SceneCosts out_;
};

}  // namespace

SceneCosts costsOf(const std::string& file, LoadedScene& loaded, const CostSettings& settings,
                   Progress& progress) {
  return Costing(file, loaded, settings, progress).go();
}

}  // namespace tenon::cli
