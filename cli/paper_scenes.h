// The scenes of the papers' experiments, inside the program.
#pragma once

#include <optional>
#include <string_view>

namespace tenon::cli {

// The text of scenes/<name>.tenon: "faure/fig2-bar-and-discs".
[[nodiscard]] std::optional<std::string_view> paperScene(std::string_view name);

}  // namespace tenon::cli
