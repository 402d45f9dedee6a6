// The built page of the studio and the licences of what is compiled in, inside the program (cmake/TenonEmbed.cmake writes
// the lists).
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
// The files of licences/.
[[nodiscard]] std::vector<StudioAsset> licenceTexts();

}  // namespace tenon::cli
