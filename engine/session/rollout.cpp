// Many states of one scene, each moved on by itself.
#include <algorithm>

#include "packed/threads.h"
#include "session/simulation_impl.h"

namespace tenon {

namespace {

Problem wrong(std::string what, std::string remedy) {
  Problem problem;
  problem.what = std::move(what);
  problem.remedy = std::move(remedy);
  return problem;
}

}  // namespace

Result<Rollout> rollout(const Simulation& simulation, std::span<const State> starts,
                        const RolloutSettings& settings) {
  const Simulation::Impl& from = simulation.impl();
  const Mechanism& m = simulation.mechanism();
  const std::size_t rules = m.rules.size();
  const auto steps = static_cast<std::size_t>(std::max(settings.steps, 0));
  std::vector<Problem> problems;
  if (settings.steps < 1)
    problems.push_back(wrong("a rollout has at least one step", "choose `steps`"));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const State &start = starts[i], &like = simulation.state();
    if (start.position.size() != like.position.size() ||
        start.multiplier.size() != like.multiplier.size() ||
        start.memory.size() != like.memory.size()) {
      problems.push_back(wrong("start " + std::to_string(i) + " is no state of this scene",
                               "begin with a copy of Simulation::state()"));
      break;
    }
  }
  if (!settings.targets.empty() && settings.targets.size() != starts.size() * steps * rules)
    problems.push_back(wrong("there are " + std::to_string(settings.targets.size()) +
                                 " targets, where " +
                                 std::to_string(starts.size() * steps * rules) + " are asked for",
                             "give one for each start, step and rule"));
  if (!problems.empty()) return problems;

  Rollout out;
  const std::size_t every = settings.every > 0 ? static_cast<std::size_t>(settings.every)
                                               : std::max<std::size_t>(steps, 1);
  out.perStart = (steps + every - 1) / every;
  out.states.resize(starts.size() * out.perStart);
  out.finite.assign(starts.size(), 1);
  const auto moveOne = [&](std::size_t i) {
    Simulation::Impl one{from.scene, from.own, from.settings, from.running};
    one.settings.step.islands.threads = 1;  // cores are shared out among the starts
    one.running.state = starts[i];
    std::size_t kept = 0;
    bool goesOn = true;
    for (std::size_t k = 0; k < steps; ++k) {
      if (!settings.targets.empty())
        std::copy_n(settings.targets.data() + (i * steps + k) * rules, rules,
                    one.running.control.target.data());
      if (goesOn) {
        const double end = one.running.state.time + one.settings.dt;
        // To the end of the step, whatever is due within it.
        for (double left = one.settings.dt; goesOn && left > kNearlyWhole * one.settings.dt;
             left = end - one.running.state.time) {
          const SimulationStep made = one.step(left);
          goesOn = made.met.goesOn;
          if (!made.report.finite || made.report.stopped) {
            out.finite[i] = 0;
            goesOn = false;
          }
        }
      }
      if ((k + 1) % every == 0 || k + 1 == steps)
        out.states[i * out.perStart + kept++] = ownState(*one.own, one.running);
    }
  };
  packed::Pool pool;
  pool.run(settings.threads, starts.size(), moveOne);
  return out;
}

}  // namespace tenon
