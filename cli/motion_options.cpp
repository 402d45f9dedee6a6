#include "motion_options.h"

namespace tenon::cli {

std::vector<std::string> methodsThat(bool (*does)(Method)) {
  std::vector<std::string> names;
  for (const std::string& name : methodNames())
    if (Method method{}; fromName(name, method) && does(method)) names.push_back(name);
  return names;
}

void MotionOptions::addTo(CLI::App& command, const std::string& whatEveryIs) {
  command.add_option("SCENE", scene, "A .tenon file, or - for standard input")->required();
  set.addTo(command);
  command.add_option("--time", time, "Seconds to simulate (default: what the scene says, else 5)")
      ->type_name("T")
      ->transform(positive(Quantity::Seconds));
  settings.addTo(command, SettingOptions::Of::Motion, kNotOfMotion);
  command.add_flag("--heavy-segments", heavySegments, "The same as --loops heavy-segments");
  command.add_flag("--stop-at-cap", stopAtCap, "The same as --on-cap stop");
  command.add_flag("--general", general, "The same as --no-fast");
  command.add_flag("--as-written", asWritten,
                   "Start at the pose and velocities as written, even if joints are open");
  command.add_option("--every", every, whatEveryIs)
      ->type_name("N")
      ->check(positive())
      ->check(notNegative());
}

RunSettings MotionOptions::settingsFor(const Scene& what) const {
  AllSettings run = allSettingsOf(what.settings);
  settings.apply(run);
  if (heavySegments) run.step.recursive.loops = Loops::HeavySegments;
  if (general) run.step.islands.fast = false;
  if (stopAtCap) run.step.relaxation.onCap = OnCap::Stop;
  RunSettings chosen = runSettingsOf(what);
  chosen.step = run.step;
  chosen.dt = run.dt;
  chosen.duration = time.value_or(chosen.duration);
  chosen.every = every.value_or(chosen.every);
  chosen.asWritten = asWritten;
  return chosen;
}

}  // namespace tenon::cli
