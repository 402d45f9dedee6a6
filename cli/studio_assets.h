// The built page of the studio, inside the program (cmake/TenonEmbed.cmake writes the list).
#pragma once

#include <string_view>
#include <vector>

namespace tenon::cli {

struct StudioAsset {
  std::string_view path;  // within the page's folder: "assets/index-4f2a.js"
  std::string_view bytes;
};

// Empty if the page was not built when the program was.
[[nodiscard]] std::vector<StudioAsset> studioAssets();

}  // namespace tenon::cli
