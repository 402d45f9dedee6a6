#include "simulation.h"

#include <chrono>

#include "report.h"

namespace tenon::cli {

RunReport simulate(const std::string& file, const Scene& scene, const Mechanism& mechanism,
                   const RunSettings& settings, const RunWatch& watch,
                   std::vector<Problem>& problems, Progress& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kBetweenNews = std::chrono::milliseconds(100);
  const NotedInterrupt interrupt;
  Simulation simulation(scene, mechanism);
  simulation.settings() = settings;
  RunWatch watched = watch;
  watched.goesOn = [&] { return !interrupt.came(); };
  Clock::time_point news = Clock::now();
  watched.moment = [&](const Moment& moment) {
    if (watch.moment) watch.moment(moment);
    const Clock::time_point now = Clock::now();
    if (now - news < kBetweenNews) return;
    news = now;
    progress.now("simulating " + file + ": " + shortNumber(moment.time, 3) + " of " +
                 shortNumber(settings.duration, 3) + " s, error " + shortNumber(moment.error, 2));
  };
  progress.now("assembling " + file);
  RunReport report = simulation.run(watched);
  problems.insert(problems.end(), report.problems.begin(), report.problems.end());
  return report;
}

}  // namespace tenon::cli
