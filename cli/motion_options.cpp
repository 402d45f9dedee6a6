#include "motion_options.h"

namespace tenon::cli {

std::vector<std::string> methodsThat(bool (*does)(Method)) {
  std::vector<std::string> names;
  for (const std::string& name : methodNames())
    if (Method method{}; fromName(name, method) && does(method)) names.push_back(name);
  return names;
}

namespace {

// "energy, interactive: "
std::string whose(bool (*takes)(Method)) {
  std::string text;
  for (const std::string& name : methodsThat(takes)) text += (text.empty() ? "" : ", ") + name;
  return text + ": ";
}

}  // namespace

void MotionOptions::addTo(CLI::App& command, const std::string& whatEveryIs) {
  command.add_option("SCENE", scene, "A .tenon file, or - for standard input")->required();
  set.addTo(command);
  command.add_option("--time", time, "Seconds to simulate (default: what the scene says, else 5)")
      ->type_name("T")
      ->transform(positive(Quantity::Seconds));
  command.add_option("--dt", dt, "Seconds per step (default: what the scene says, else 1/240)")
      ->type_name("H")
      ->transform(positive(Quantity::Seconds));
  solver.addTo(command, "The most iterations per step (0: until the tolerance is reached)");
  command
      .add_option("--alpha", alpha,
                  whose(takesFeedback) + "feedback of velocities in 1/s (default 1/dt)")
      ->type_name("A")
      ->transform(positive());
  command
      .add_option("--beta", beta,
                  whose(takesFeedback) + "feedback of positions in 1/s (default 1/dt)")
      ->type_name("B")
      ->transform(positive());
  command
      .add_option("--integrator", integrator,
                  whose(takesIntegrator) +
                      "euler or rk4 (default); only recursive: rk45 or "
                      "adams-moulton, which divide the step themselves")
      ->type_name("NAME")
      ->check(nameOutOf("integrator", namesOfAll<Integrator>()));
  command
      .add_option("--step-tolerance", stepTolerance,
                  "recursive: the error of a step that rk45 and adams-moulton allow, in m or rad "
                  "(default 1e-8)")
      ->type_name("E")
      ->transform(positive());
  command.add_flag(
      "--heavy-segments", heavySegments,
      "recursive: hold loops on the ground by Manikin's heavy segments, not by multipliers");
  command.add_flag("--guess", guess,
                   "displacement: start iterative solvers from the last multipliers");
  command.add_flag("--accelerate", accelerate,
                   "displacement: correct accelerations before positions");
  command.add_flag("--weighted", weighted,
                   "displacement: use the weights of joints, so that heavier ones converge first");
  command
      .add_option(
          "--largest-turn", largestTurn,
          "relaxation: take a step back if a solid turns more than this, in radians (default 0.5)")
      ->type_name("A")
      ->transform(within(Quantity::Radians, 0, 100));
  command.add_flag("--stop-at-cap", stopAtCap,
                   "relaxation: end the run when a step uses up its corrections");
  command
      .add_option("--threads", threads,
                  whose(goesByIslands) +
                      "threads that share figures on the fast path (default 1; 0: "
                      "all threads)")
      ->type_name("N")
      ->check(CLI::Range(0, 1024).description(""));
  command.add_flag("--general", general, whose(goesByIslands) + "do not use the fast path");
  command.add_flag("--as-written", asWritten,
                   "Start at the pose and velocities as written, even if joints are open");
  command.add_option("--every", every, whatEveryIs)
      ->type_name("N")
      ->check(positive())
      ->check(notNegative());
}

RunSettings MotionOptions::settingsFor(const Scene& what) const {
  RunSettings settings = runSettingsOf(what);
  StepSettings& step = settings.step;
  solver.apply(step);
  settings.duration = time.value_or(settings.duration);
  settings.dt = dt.value_or(settings.dt);
  settings.every = every.value_or(settings.every);
  settings.asWritten = asWritten;
  step.feedback.alpha = alpha.value_or(step.feedback.alpha);
  step.feedback.beta = beta.value_or(step.feedback.beta);
  if (integrator) static_cast<void>(fromName(*integrator, step.integrator));
  step.recursive.stepTolerance = stepTolerance.value_or(step.recursive.stepTolerance);
  if (heavySegments) step.recursive.loops = Loops::HeavySegments;
  step.displacement.guess = guess;
  step.displacement.accelerate = accelerate;
  step.displacement.weighted = weighted;
  step.relaxation.largestTurn = largestTurn.value_or(step.relaxation.largestTurn);
  step.islands.threads = threads;
  step.islands.fast = !general;
  if (stopAtCap) step.relaxation.onCap = OnCap::Stop;
  return settings;
}

}  // namespace tenon::cli
