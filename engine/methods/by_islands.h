// A step island by island: what acts now decides which there are, each goes by a packed kernel or by rows, on a thread
// of its own, and what one island holds costs no other anything.
//
// Plans (which solids and joints, which way, what kernels and parts keep) are a function of what acts; they are kept
// for the times that the same things act again, and may be thrown away without changing a bit.
#pragma once

#include <tenon/step.h>

#include <memory>
#include <vector>

#include "methods/acting.h"
#include "methods/part.h"
#include "model/stage_clock.h"
#include "packed/fast.h"

namespace tenon {

class ByIslands {
 public:
  // If the step is not finite, or memory runs out, the state is as it was.
  StepReport step(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
                  double dt, State& state, StageClock& clock);

  // Which islands there are, and which way each would go.
  [[nodiscard]] std::vector<IslandWay> ways(const Mechanism& mechanism, const Control& control,
                                            const StepSettings& settings, double dt,
                                            const State& state);

 private:
  struct Plan {
    std::vector<std::uint8_t> key;  // what acts, and what else the plan depends on
    Islands islands;
    packed::Fast fast;
    std::vector<Index> byRows;   // islands that no kernel knows
    std::vector<Index> outside;  // joints of no island
    std::vector<Index> springsOutside;
    // By island: what it is made of, as one number; 0: it never sleeps, because something may push it at any time.
    std::vector<std::uint64_t> sleeper;
    std::vector<Part> parts;  // by island
  };
  struct Call {  // what is given to a step
    const Mechanism& m;
    const Control& control;
    const StepSettings& settings;
    double time, dt;  // time: of the start
    State& state;
    StageClock& clock;
  };
  struct Done {  // an island that went by rows, or that something worked on
    Index firstSolid = 0;
    StepReport report;
  };

  void findKey(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
               double dt, const State& state);
  Plan& planFor(const Mechanism& mechanism, double damp);
  [[nodiscard]] static std::uint64_t sleeperOf(const Mechanism& mechanism, const Plan& plan,
                                               Index island);
  void startSteps(const Call& call, const Plan& plan);
  void runKernels(const Call& call, Plan& plan, StepReport& report);
  [[nodiscard]] bool runRows(const Call& call, Plan& plan);
  [[nodiscard]] bool catchRopes(const Call& call, Plan*& plan, StepReport& report);
  void keepSlack(const Mechanism& mechanism, const State& from, State& to) const;
  [[nodiscard]] double finishOutside(const Call& call, const Plan& plan) const;
  void addUp(StepReport& report);
  [[nodiscard]] double putToSleep(const Call& call, const Plan& plan) const;

  std::uint64_t stamp_ = 0;  // of the mechanism that is planned for; 0: of none
  Acting acting_;
  std::vector<std::uint8_t> key_;
  std::vector<std::unique_ptr<Plan>> plans_;  // the one used last first
  // In this step, by island of the plan.
  std::vector<std::uint8_t> asleep_, passed_, failed_;
  std::vector<double> work_;  // [J] of the kernels
  std::vector<Index> todo_;   // islands that go by rows
  std::vector<Done> done_;
  std::vector<Index> waiting_, taut_;  // joints that were taken to be slack; that are not
  State kept_;                         // what was stepped, as it was
  packed::Pool pool_;
};

}  // namespace tenon
