// What is said about a motion: the same for one method and for many.
#pragma once

#include <string>
#include <vector>

#include "report.h"
#include "simulation.h"

namespace tenon::cli {

[[nodiscard]] Json toJson(const std::string& file, const RunReport& result,
                          const std::vector<Problem>& problems);

// What drifts are relative to: "the range of potential energy", "Σ m|v| at the start", …
[[nodiscard]] std::string energyReferenceOf(const RunReport& result);
[[nodiscard]] std::string momentumReferenceOf(const RunReport& result);
[[nodiscard]] std::string angularReferenceOf(const RunReport& result);

}  // namespace tenon::cli
