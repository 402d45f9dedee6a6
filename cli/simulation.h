// A run as the program makes it: with a line of progress, and Ctrl-C ends it well.
#pragma once

#include <tenon/simulation.h>

#include <string>
#include <vector>

#include "terminal.h"

namespace tenon::cli {

// What is to be said of it goes to `problems`.
[[nodiscard]] RunReport simulate(const std::string& file, const Scene& scene,
                                 const Mechanism& mechanism, const RunSettings& settings,
                                 const RunWatch& watch, std::vector<Problem>& problems,
                                 Progress& progress);

}  // namespace tenon::cli
