#include "options.h"

#include <tenon/scene.h>
#include <tenon/solver.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report.h"

namespace tenon::cli {
namespace {

const std::map<std::string, Ending>& endings() {
  static const std::map<std::string, Ending> all{{".tenon", Ending::Scene},
                                                 {".csv", Ending::Csv},
                                                 {".svg", Ending::Svg},
                                                 {".json", Ending::Json},
                                                 {".html", Ending::Html}};
  return all;
}

}  // namespace

CLI::Validator positive() {
  return {[](std::string& text) -> std::string {
            double value = 0;
            if (!CLI::detail::lexical_cast(text, value)) return "'" + text + "' is no number";
            if (!(value > 0) || !std::isfinite(value)) return "must be greater than 0";
            return {};
          },
          ""};
}

CLI::Validator notNegative() {
  return {[](std::string& text) -> std::string {
            int value = 0;
            if (!CLI::detail::lexical_cast(text, value) || value < 0)
              return "'" + text + "' is no whole number from 0 on";
            return {};
          },
          ""};
}

CLI::Validator nameOutOf(std::string noun, std::vector<std::string> names) {
  return {[noun = std::move(noun), names = std::move(names)](std::string& text) -> std::string {
            if (std::find(names.begin(), names.end(), text) != names.end()) return {};
            const std::string near = nearestWord(text, names);
            return "there is no " + noun + " '" + text + "'; " +
                   (near.empty() ? "" : "did you mean '" + near + "'? ") + "there are " +
                   listed(names);
          },
          ""};
}

Ending endingOf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const auto found = dot == std::string::npos ? endings().end() : endings().find(path.substr(dot));
  return found == endings().end() ? Ending::None : found->second;
}

CLI::Validator endingOutOf(std::vector<Ending> known) {
  return {[known = std::move(known)](std::string& text) -> std::string {
            const auto isKnown = [&](Ending ending) {
              return std::find(known.begin(), known.end(), ending) != known.end();
            };
            if (isKnown(endingOf(text))) return {};
            std::vector<std::string> names;
            for (const auto& [name, ending] : endings())
              if (isKnown(ending)) names.push_back(name);
            return "'" + text + "' ends in none of " + listed(names);
          },
          ""};
}

void SolverOptions::addTo(CLI::App& command, const std::string& whatIterationsAre) {
  command.add_option("--solver", solver, "direct (default), cg, bicg, minres or block-cg")
      ->type_name("SOLVER")
      ->check(nameOutOf("solver", namesOfAll<LinearSolver>()));
  command.add_option("--iterations", iterations, whatIterationsAre)
      ->type_name("N")
      ->check(notNegative());
  command
      .add_option("--linear-iterations", linearIterations,
                  "At most, each time, of an iterative solver")
      ->type_name("N")
      ->check(notNegative());
  command
      .add_option("--tolerance", tolerance,
                  "What counts as closed, in metres and radians; 1e-10 unless the scene says it")
      ->type_name("E")
      ->check(positive());
}

}  // namespace tenon::cli
