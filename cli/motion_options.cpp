#include "motion_options.h"

namespace tenon::cli {

void MotionOptions::addTo(CLI::App& command, const std::string& whatEveryIs) {
  command.add_option("SCENE", scene, "A .tenon file, or - for standard input")->required();
  set.addTo(command);
  command.add_option("--time", time, "Seconds to simulate; 5 unless the scene says it")
      ->type_name("T")
      ->transform(positive(Quantity::Seconds));
  command.add_option("--dt", dt, "Seconds of a step; 1/240 unless the scene says it")
      ->type_name("H")
      ->transform(positive(Quantity::Seconds));
  solver.addTo(command, "At most, in a step; 0: until the tolerance");
  command.add_option("--alpha", alpha, "baumgarte: feedback of velocities in 1/s; 1/dt")
      ->type_name("A")
      ->transform(positive());
  command.add_option("--beta", beta, "baumgarte: feedback of positions in 1/s; 1/dt")
      ->type_name("B")
      ->transform(positive());
  command
      .add_option("--integrator", integrator,
                  "baumgarte, recursive: euler or rk4 (default); recursive: rk45 or adams-moulton, "
                  "with steps inside the step")
      ->type_name("NAME")
      ->check(nameOutOf("integrator", namesOfAll<Integrator>()));
  command
      .add_option("--step-tolerance", stepTolerance,
                  "recursive: error of a step by rk45 or adams-moulton, in m or rad; 1e-8")
      ->type_name("E")
      ->transform(positive());
  command.add_flag(
      "--heavy-segments", heavySegments,
      "recursive: loops on the ground by Manikin's heavy segments, not by multipliers");
  command.add_flag("--guess", guess,
                   "displacement: iterative solvers start from the last multipliers");
  command.add_flag("--accelerate", accelerate,
                   "displacement: joints correct accelerations before positions");
  command.add_flag("--weighted", weighted,
                   "displacement: rows count by their weights, the heavier converge first");
  command
      .add_option("--largest-turn", largestTurn,
                  "relaxation: radians a solid may turn in a step before it is taken back; 0.5")
      ->type_name("A")
      ->transform(within(Quantity::Radians, 0, 100));
  command.add_flag("--stop-at-cap", stopAtCap,
                   "relaxation: end where the corrections of a step are used up");
  command
      .add_option(
          "--threads", threads,
          "energy, interactive: threads that share figures of a fast path; 0: all there are; 1")
      ->type_name("N")
      ->check(CLI::Range(0, 1024));
  command.add_flag("--general", general,
                   "energy, interactive: by rows, even where there is a fast path");
  command.add_flag("--as-written", asWritten,
                   "Begin with joints open and velocities wrong, if the scene has them so");
  command.add_option("--every", every, whatEveryIs)
      ->type_name("N")
      ->check(positive())
      ->check(notNegative());
}

SimulationSettings MotionOptions::settingsFor(const Scene& what) const {
  SimulationSettings settings = simulationSettingsOf(what);
  StepSettings& step = settings.step;
  solver.apply(step);
  settings.duration = time.value_or(settings.duration);
  settings.dt = dt.value_or(settings.dt);
  settings.every = every.value_or(settings.every);
  settings.asWritten = asWritten;
  step.alpha = alpha.value_or(step.alpha);
  step.beta = beta.value_or(step.beta);
  if (integrator) static_cast<void>(fromName(*integrator, step.integrator));
  step.stepTolerance = stepTolerance.value_or(step.stepTolerance);
  if (heavySegments) step.loops = Loops::HeavySegments;
  step.guess = guess;
  step.accelerate = accelerate;
  step.weighted = weighted;
  step.largestTurn = largestTurn.value_or(step.largestTurn);
  step.threads = threads;
  step.fast = !general;
  if (stopAtCap) step.onCap = OnCap::Stop;
  return settings;
}

}  // namespace tenon::cli
