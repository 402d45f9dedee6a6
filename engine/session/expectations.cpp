// What a scene says must hold of it (`expect dof 1;`), compared with what is measured at the pose as written.
#include <tenon/scene_says.h>
#include <tenon/simulation.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "math/decimal.h"

namespace tenon {
namespace {

std::string shortNumber(double value) { return shortDecimal(value, 6); }

struct Measured {
  Counts counts;
  JointError error;
  std::optional<PoseReport> assembly;  // of a copy, if it had to be assembled
};

using Outcome = Judgement::Verdict;

// Masses are sums of products: equal to this, unless the scene gives its own tolerance.
constexpr double kMassTolerance = 1e-9;  // relative

std::optional<double> countNamed(const std::string& what, const Counts& counts) {
  if (what == "solids") return counts.solids;
  if (what == "joints") return counts.joints;
  if (what == "constraints") return counts.constraints;
  if (what == "loops") return counts.loops;
  if (what == "dof") return counts.dof;
  if (what == "redundant") return counts.redundant;
  if (what == "mass") return counts.mass;
  return std::nullopt;
}

Judgement judgeCount(const Expectation& expectation, double measured) {
  const std::vector<double>& values = expectation.values;
  double tolerance = values.size() > 1 ? values[1] : 0;
  if (values.size() < 2 && expectation.what == "mass")
    tolerance = kMassTolerance * std::abs(values[0]);
  const std::string is = expectation.what + " is " + shortNumber(measured);
  if (std::abs(measured - values[0]) <= tolerance)
    return {Outcome::Holds, measured, is + ", as expected"};
  std::string wanted = shortNumber(values[0]);
  if (wanted == shortNumber(measured))
    wanted += " (it differs by " + shortNumber(measured - values[0]) + ")";
  return {Outcome::Fails, measured, is + ", expected " + wanted};
}

Judgement judgeClosed(double tolerance, const JointError& error) {
  const std::string largest = "the largest joint error as written is " + shortNumber(error.max);
  if (error.finite && error.max <= tolerance) return {Outcome::Holds, error.max, largest};
  return {Outcome::Fails, error.max, largest + ", expected at most " + shortNumber(tolerance)};
}

Judgement judgeAssembled(double tolerance, const Measured& measured) {
  const Judgement closed = judgeClosed(tolerance, measured.error);
  if (closed.verdict == Outcome::Holds)
    return {Outcome::Holds, closed.measured, "the scene is assembled as written: " + closed.words};
  const std::string apart =
      "joints are open at the start (joint error " + shortNumber(measured.error.max) + ") and ";
  if (!measured.assembly) return {Outcome::NotYet, 0, apart + "the scene was not assembled"};
  const PoseReport& report = *measured.assembly;
  const std::string left = shortNumber(report.maxError);
  if (report.maxError <= tolerance)
    return {Outcome::Holds, report.maxError, apart + "assembly closes them to " + left};
  return {Outcome::Fails, report.maxError,
          apart + "assembly leaves an error of " + left + ", expected at most " +
              shortNumber(tolerance) + (report.reason.empty() ? "" : ": " + report.reason)};
}

// The error that an `expect assembled` allows, if the scene, as written, has a larger one.
std::optional<double> assemblyAskedFor(const Scene& scene, const JointError& error) {
  std::optional<double> least;
  for (const Expectation& expectation : scene.expectations)
    if (expectation.what == "assembled" && !expectation.values.empty() &&
        !(error.finite && error.max <= expectation.values[0]))
      least = std::min(least.value_or(kInfinity), expectation.values[0]);
  return least;
}

Judgement judge(const Expectation& expectation, const Measured& measured) {
  if (expectation.values.empty())
    return {Outcome::NotYet, 0, "'expect " + expectation.what + "' has no value to compare with"};
  if (const auto count = countNamed(expectation.what, measured.counts))
    return judgeCount(expectation, *count);
  const double tolerance = expectation.values[0];
  if (expectation.what == "closed") return judgeClosed(tolerance, measured.error);
  if (expectation.what == "assembled") return judgeAssembled(tolerance, measured);
  return {Outcome::NotYet, 0, "'expect " + expectation.what + "' cannot be checked yet"};
}

// A copy is assembled as `tenon assemble` does it by default, for this long at most.
constexpr double kMilliseconds = 10000;

std::optional<PoseReport> assembleCopy(const Scene& scene, const Mechanism& mechanism,
                                       const Control& control, State state, double tolerance,
                                       std::vector<Problem>& problems) {
  const std::vector<Want> wants = wantsOf(scene, mechanism, 0, problems);
  if (hasErrors(problems)) return std::nullopt;
  PoseSettings settings;
  settings.milliseconds = kMilliseconds;
  settings.tolerance = std::min(settings.tolerance, tolerance);
  PoseScratch scratch;
  return assemble(mechanism, control, wants, settings, state, scratch);
}

}  // namespace

std::vector<Judgement> judgeExpectations(const Scene& scene, const Mechanism& mechanism,
                                         std::vector<Problem>& problems) {
  std::vector<Judgement> judgements;
  if (scene.expectations.empty()) return judgements;
  const Control control = initialControl(mechanism);
  const State state = initialState(mechanism);
  const JointError error = jointError(mechanism, control, state);
  Measured measured{count(mechanism, control, state), error, std::nullopt};
  if (const auto tolerance = assemblyAskedFor(scene, error))
    measured.assembly = assembleCopy(scene, mechanism, control, state, *tolerance, problems);
  for (const Expectation& expectation : scene.expectations)
    judgements.push_back(judge(expectation, measured));
  return judgements;
}

}  // namespace tenon
