// Advice: sentences that follow from the numbers of a run, and from nothing else.
#include <algorithm>
#include <cmath>

#include "costs.h"
#include "report.h"

namespace tenon::cli {
namespace {

constexpr double kFrame = 1.0 / 60;  // [s]

std::string percent(double share) { return tableNumber(100 * share, share < 0.1 ? 1 : 2) + " %"; }

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
      if (cost.result.status == SimulationStatus::BlownUp)
        say("By " + name_ + " the motion runs away after " +
            shortNumber(cost.result.state.time, 3) + " s: choose a smaller --dt.");
      if (cost.result.steps == 0) continue;
      dominant(cost);
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
        percent(cost.stages[most] / cost.stages.total()) + " of a step by " + name_;
    switch (most) {
      case Stage::Factor:
        if (m_.loops > 0)
          say(share + " is factorisation: " + counted(m_.loops, "loop") + " (closed by " +
              loopClosersOf(m_) + ") couple what a tree would take one by one.");
        else
          say(share +
              " is factorisation. There are no loops: it grows with the number of solids only.");
        break;
      case Stage::Solve:
        if (!m_.springs.empty())
          say(share + " is iteration over springs, of which there are " +
              std::to_string(m_.springs.size()) + ": softer ones, or a smaller --dt, take less.");
        else
          say(share + " is the solution of the linear systems.");
        break;
      case Stage::Rows:
        say(share + " is evaluating " + counted(m_.joints.size(), "joint") +
            (m_.rules.empty() ? ""
                              : " with " + std::to_string(m_.rules.size()) +
                                    " of limits, springs, drives and friction on them") +
            ".");
        break;
      case Stage::Slopes:
        say(share + " is derivatives of joints and loads, taken anew in each of " +
            tableNumber(cost.perStep(static_cast<double>(cost.result.iterations)), 2) +
            " iterations.");
        break;
      case Stage::Matrix:
        say(share + " is putting rows and slopes into the linear system.");
        break;
      case Stage::Loads:
        say(share + " is loads: " + counted(m_.springs.size(), "spring") + " and " +
            counted(m_.forces.size() + m_.drags.size() + m_.muscles.size(), "other load") + ".");
        break;
      case Stage::Packed:
        say(share + " is the fast path.");
        break;
      case Stage::Move:
      case Stage::Measure:
      case Stage::Other:
        break;
    }
    if (!cost.notFast.empty())
      say("The fast path is not for this scene: it knows no " + listed(cost.notFast) + ".");
  }

  void halved(const MethodCost& cost) {
    const double share = cost.perStep(static_cast<double>(cost.result.halved));
    if (share < 0.01) return;
    say(percent(share) + " of the steps by " + name_ + " had to be split: a --dt of " +
        secondsOf(0.5 * cost.result.settings.dt) + " would hardly take longer" +
        (cost.method == Method::Energy ? ", and interactive splits fewer." : "."));
  }

  void accuracy(const MethodCost& cost) {
    const double share = cost.perStep(static_cast<double>(cost.result.unconverged));
    if (share > 0)
      say(percent(share) + " of the steps by " + name_ + " did not reach the tolerance of " +
          shortNumber(cost.result.settings.step.tolerance, 2) + ": choose a smaller --dt.");
    else if (cost.result.endError > 1e-6)
      say("Joints are off by " + shortNumber(cost.result.endError, 2) + " in the end by " + name_ +
          ": a smaller --dt or more --iterations would close them.");
  }

  void realTime(const MethodCost& cost) {
    if (!(cost.realTime > 0)) return;
    const double dt = cost.result.settings.dt;
    if (cost.realTime < 1)
      say("By " + name_ + " it is slower than real time, " + tableNumber(cost.realTime, 2) +
          " times: steps of " + secondsOf(dt / cost.realTime) +
          ", if the motion allows them, would keep up.");
    else if (cost.realTime < 3)
      say("By " + name_ + " it just keeps up: " + percent(1 / cost.realTime) +
          " of the time goes into steps.");
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
    if (ratio < 0.8)
      say("interactive costs " + tableNumber(ratio, 2) +
          " of energy: enough where energy need not be kept.");
    else
      say("energy costs " +
          (ratio > 0.95 ? "no more than interactive"
                        : tableNumber(1 / ratio, 2) + " times as much as interactive") +
          ", and keeps energy: there is no reason to do without.");
  }

  void figures() {
    const MethodCost* fast = nullptr;
    for (const MethodCost& cost : costs_.methods)
      if (cost.fast()) fast = &cost;
    const Index same = costs_.graph.sameShape;
    if (same >= 4 && fast != nullptr)
      say(std::to_string(same) + " figures of one shape go through the fast path side by side.");
    else if (same >= 4)
      say(std::to_string(same) +
          " figures have one shape: on the fast path they would go side by side.");
    const double longest = longestStep();
    if (fast != nullptr && costs_.threads == 1 && m_.islands.size() >= 4 && longest > 200)
      say("--threads 2 would share out the " + std::to_string(m_.islands.size()) + " islands.");
    if (costs_.threads != 1 && m_.islands.size() == 1)
      say("One island holds all solids: there is little for threads to share.");
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
            " ms, as it also analyses the structure: do one before the show.");
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
    say("A frame of 1/60 s takes " + tableNumber(1e3 * frame, 2) + " ms by " +
        std::string(nameOf(best->method)) + ", " + percent(frame / kFrame) + " of it" +
        (frame < kFrame
             ? ": there is room for some " + tableNumber(solids, 2) + " solids of this kind."
             : ": too much to be shown as it is computed."));
  }

  const SceneCosts& costs_;
  const Mechanism& m_;
  std::string name_;
  std::vector<std::string> advice_;
};

}  // namespace

std::vector<std::string> adviceOn(const SceneCosts& costs) { return Adviser(costs).all(); }

}  // namespace tenon::cli
