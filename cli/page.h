// Pages that need nothing else: no network, no other file, light or dark as the reader's system is.
#pragma once

#include <string>

#include "plot.h"

namespace tenon::cli {

// The whole file. `body` stands between the title and the script.
[[nodiscard]] std::string pageOf(const std::string& title, const std::string& body);

// A plot whose values show where the pointer is, in a frame.
[[nodiscard]] std::string cardOf(const Plot& plot);

// An SVG as a picture of its own, so that its names and styles meet nobody else's.
[[nodiscard]] std::string imageOf(const std::string& svg, const std::string& what);

}  // namespace tenon::cli
