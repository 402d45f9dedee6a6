// Advice: sentences that follow from the numbers of a run, and from nothing else.
#include <algorithm>
#include <cmath>

#include "costs.h"
#include "report.h"

namespace tenon::cli {
namespace {

constexpr double kFrame = 1.0 / 60;  // [s]
constexpr Index kWorthThreads = 16;  // islands: a thread takes several of a shape at once

std::string secondsOf(double dt) {
  const double rate = std::round(1 / dt);
  return std::abs(rate * dt - 1) < 1e-6 && rate > 1 ? "1/" + shortNumber(rate) + " s"
                                                    : shortNumber(dt, 3) + " s";
}

class Adviser {
 public:
  explicit Adviser(const SceneCosts& costs) : costs_(costs), m_(*costs.mechanism) {}

  std::vector<std::string> all() {
    for (const MethodCost& cost : costs_.methods) {
      name_ = std::string(nameOf(cost.method));
      if (cost.result.status == RunStatus::BlownUp)
        say("With " + name_ + ", the motion blows up after " +
            shortNumber(cost.result.state.time, 3) + " s. Choose a smaller --dt.");
      if (cost.result.steps == 0) continue;
      dominant(cost);
      ways(cost);
      busy(cost);
      halved(cost);
      accuracy(cost);
      realTime(cost);
    }
    betweenMethods();
    figures();
    firstStep();
    budget();
    return std::move(advice_);
  }

 private:
  void say(std::string sentence) {  // once
    if (std::find(advice_.begin(), advice_.end(), sentence) == advice_.end())
      advice_.push_back(std::move(sentence));
  }

  // What most of a step goes into, and why.
  void dominant(const MethodCost& cost) {
    if (!(cost.stages.total() > 0)) return;
    const auto& times = cost.stages.microseconds;
    const auto most =
        static_cast<Stage>(std::max_element(times.begin(), times.end()) - times.begin());
    const std::string share =
        percentOf(cost.stages[most] / cost.stages.total()) + " of a step with " + name_;
    switch (most) {
      case Stage::Factor:
        if (m_.loops > 0)
          say(share +
              " goes into factorisation. The solver cannot take the solids one by one, "
              "because there " +
              (m_.loops == 1 ? "is " : "are ") + counted(m_.loops, "loop") + " (closed by " +
              loopClosersOf(m_) + ").");
        else
          say(share +
              " goes into factorisation. There are no loops, so this grows only with the number of "
              "solids.");
        break;
      case Stage::Solve:
        if (!m_.springs.empty())
          say(share + " goes into iterations over the " + counted(m_.springs.size(), "spring") +
              ". Softer springs, or a smaller --dt, take fewer iterations.");
        else
          say(share + " goes into solving linear systems.");
        break;
      case Stage::Rows:
        say(share + " goes into evaluating " + counted(m_.joints.size(), "joint") +
            (m_.rules.empty() ? ""
                              : " and their " + std::to_string(m_.rules.size()) +
                                    " limits, springs, drives and frictions") +
            ".");
        break;
      case Stage::Slopes:
        say(share + " goes into derivatives of joints and loads, computed again in each of " +
            tableNumber(cost.perStep(static_cast<double>(cost.result.iterations)), 2) +
            " iterations.");
        break;
      case Stage::Matrix:
        say(share + " goes into building the linear system.");
        break;
      case Stage::Loads:
        say(share + " goes into loads: " + counted(m_.springs.size(), "spring") + " and " +
            counted(m_.forces.size() + m_.drags.size() + m_.muscles.size(), "other load") + ".");
        break;
      case Stage::Packed:
        say(share + " goes into the kernels.");
        break;
      case Stage::Move:
      case Stage::Measure:
      case Stage::Other:
        break;
    }
  }

  // What goes by rows, and why. Kernels need no advice.
  void ways(const MethodCost& cost) {
    for (const WayTaken& way : cost.ways)
      if (!way.because.empty()) say(wordsOf(way, cost));
    if (cost.repeated() >= 0.01)
      say("In " + percentOf(cost.repeated()) + " of their steps with " + name_ +
          ", islands were stepped again by rows, because of " + kRepeated + ".");
  }

  void busy(const MethodCost& cost) {
    const double processor = cost.result.processorMilliseconds, wall = cost.result.milliseconds;
    if (costs_.threads == 1 && processor > 10 && wall > 1.25 * processor)
      say("This machine has other work: the steps with " + name_ + " took " + tableNumber(wall, 2) +
          " ms, but only " + tableNumber(processor, 2) +
          " ms of the processor's time. Measure again when it is quiet.");
  }

  void halved(const MethodCost& cost) {
    const double share = cost.perStep(static_cast<double>(cost.result.halved));
    if (share < 0.01) return;
    say(percentOf(share) + " of the steps with " + name_ + " had to be split. A --dt of " +
        secondsOf(0.5 * cost.result.settings.dt) + " would hardly take longer." +
        (cost.method == Method::Energy
             ? " The method " + std::string(nameOf(Method::Interactive)) + " splits fewer steps."
             : ""));
  }

  void accuracy(const MethodCost& cost) {
    const double share = cost.perStep(static_cast<double>(cost.result.unconverged));
    if (share > 0)
      say(percentOf(share) + " of the steps with " + name_ + " did not reach the tolerance of " +
          shortNumber(cost.result.settings.step.tolerance, 2) + ". Choose a smaller --dt.");
    else if (cost.result.endError > 1e-6)
      say("With " + name_ + ", joints are open by " + shortNumber(cost.result.endError, 2) +
          " at the end. A smaller --dt or more --iterations would close them.");
  }

  void realTime(const MethodCost& cost) {
    if (!(cost.realTime > 0)) return;
    const double dt = cost.result.settings.dt;
    if (cost.realTime < 1)
      say("With " + name_ + ", the scene is slower than real time: it runs at " +
          tableNumber(cost.realTime, 2) + " times real speed. Steps of " +
          secondsOf(dt / cost.realTime) + " would keep up, if the motion allows them.");
    else if (cost.realTime < 3)
      say("With " + name_ + ", the scene just keeps up with real time: steps take " +
          percentOf(1 / cost.realTime) + " of the time.");
  }

  void betweenMethods() {
    const MethodCost *energy = nullptr, *interactive = nullptr;
    for (const MethodCost& cost : costs_.methods) {
      if (!cost.ok() || !(cost.mean > 0)) continue;
      if (cost.method == Method::Energy) energy = &cost;
      if (cost.method == Method::Interactive) interactive = &cost;
    }
    if (energy == nullptr || interactive == nullptr) return;
    const double ratio = interactive->mean / energy->mean;
    const std::string keeps(nameOf(energy->method)), damps(nameOf(interactive->method));
    if (ratio < 0.8)
      say("The method " + damps + " costs " + tableNumber(ratio, 2) + " times as much as " + keeps +
          ". It is good enough if the scene need not keep its energy.");
    else
      say("The method " + keeps + " costs " +
          (ratio > 0.95 ? "no more than " : tableNumber(1 / ratio, 2) + " times as much as ") +
          damps + ", and it keeps energy, so prefer it.");
  }

  void figures() {
    Index trees = 0, islands = 0;
    for (const MethodCost& cost : costs_.methods) {
      islands = std::max(islands, cost.islands);
      for (const WayTaken& way : cost.ways)
        if (way.way == "tree kernel") trees = std::max(trees, way.islands);
    }
    const Index same = std::min(trees, costs_.graph.sameShape);
    if (same >= 4)
      say(std::to_string(same) +
          " figures have the same shape, and the tree kernel steps several of them at once.");
    if (costs_.threads == 1 && islands >= kWorthThreads && longestStep() > 200)
      say("With --threads 2, two threads would share the " + std::to_string(islands) + " islands.");
    if (costs_.threads != 1 && islands == 1)
      say("All solids are in one island, so threads have little to share.");
  }

  [[nodiscard]] double longestStep() const {
    double longest = 0;
    for (const MethodCost& cost : costs_.methods) longest = std::max(longest, cost.mean);
    return longest;
  }

  void firstStep() {
    for (const MethodCost& cost : costs_.methods)
      if (cost.first > 1000 && cost.first > 10 * cost.median) {
        say("The first step takes " + tableNumber(1e-3 * cost.first, 2) +
            " ms, because it also analyses the structure. Make one step in advance.");
        return;
      }
  }

  // What would fit into a frame.
  void budget() {
    const MethodCost* best = nullptr;
    for (const MethodCost& cost : costs_.methods)
      if (cost.ok() && cost.mean > 0 && (best == nullptr || cost.mean < best->mean)) best = &cost;
    if (best == nullptr || costs_.graph.dynamic == 0) return;
    const double steps = std::max(1.0, std::round(kFrame / best->result.settings.dt));
    const double frame = 1e-6 * best->mean * steps;  // [s]
    const double solids = std::floor(kFrame / frame * costs_.graph.dynamic);
    say("With " + std::string(nameOf(best->method)) + ", a frame of 1/60 s takes " +
        tableNumber(1e3 * frame, 2) + " ms to compute, which is " + percentOf(frame / kFrame) +
        " of the frame" +
        (frame < kFrame ? ". There is room for about " + tableNumber(solids, 2) + " such solids."
                        : ". This is too slow to watch while it is computed."));
  }

  const SceneCosts& costs_;
  const Mechanism& m_;
  std::string name_;
  std::vector<std::string> advice_;
};

}  // namespace

std::vector<std::string> adviceOn(const SceneCosts& costs) { return Adviser(costs).all(); }

}  // namespace tenon::cli
