#include "simulation_report.h"

namespace tenon::cli {
namespace {

// A warning in one line.
std::string lineOf(const Problem& problem) {
  std::string text;
  if (problem.line > 0) text = problem.file + ":" + std::to_string(problem.line) + ": ";
  text += problem.what;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return text;
}

}  // namespace

Json toJson(const std::string& file, const RunReport& result,
            const std::vector<Problem>& problems) {
  Json warnings = Json::array();
  for (const Problem& problem : problems)
    if (problem.severity == Severity::Warning) warnings.push_back(lineOf(problem));
  const RunSettings& settings = result.settings;
  return {{"ok", gotToItsEnd(result.status)},
          {"file", file},
          {"method", nameOf(settings.step.method)},
          {"solver", nameOf(settings.step.linear.solver)},
          {"status", nameOf(result.status)},
          {"dt", settings.dt},
          {"time", result.state.time},
          {"steps", result.steps},
          {"frames", result.frames},
          {"iterations", result.iterations},
          {"linear_iterations", result.linearIterations},
          {"time_ms", result.milliseconds},
          {"us_per_solid_step", result.microsecondsPerSolidStep},
          {"assembled", result.assembled},
          {"start_error", result.startError},
          {"end_error", result.endError},
          {"max_error", result.maxError},
          {"max_error_m", result.maxMetres},
          {"max_error_rad", result.maxRadians},
          {"rms_error", result.rmsError},
          {"range_error", result.rangeError},
          {"energy_drift", result.energyDrift},
          {"energy_reference", result.energyReference},
          {"energy_scale", result.energyScale},
          {"energy_deviation", result.energyDeviation},
          {"start_energy", result.startEnergy},
          {"end_energy", result.endEnergy},
          {"momentum_drift", result.momentumDrift},
          {"start_momentum", result.momentumAtStart},
          {"angular_momentum_drift", result.angularMomentumDrift},
          {"start_angular_momentum", result.angularMomentumAtStart},
          {"work", result.work ? Json(*result.work) : Json(nullptr)},
          {"halved_steps", result.halved},
          {"capped_steps", result.capped},
          {"unconverged_steps", result.unconverged},
          {"unexplained_steps", result.unexplained},
          {"put_right", result.putRight},
          {"warnings", std::move(warnings)},
          {"state_hash", result.hash ? Json(hex(*result.hash)) : Json(nullptr)},
          {"problems", toJson(problems)}};
}

std::string energyReferenceOf(const RunReport& result) {
  return result.energyReference == "potential range"   ? "the range of potential energy"
         : result.energyReference == "initial kinetic" ? "the kinetic energy at the start"
                                                       : result.energyReference;
}

std::string momentumReferenceOf(const RunReport& result) {
  return result.momentumAtStart > 0 ? "Σ m|v| at the start" : "1 kg m/s";
}

std::string angularReferenceOf(const RunReport& result) {
  return result.angularMomentumAtStart > 0 ? "the sum at the start" : "1 kg m²/s";
}

}  // namespace tenon::cli
