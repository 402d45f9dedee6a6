// Texts of JSON, read.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tenon {

// As Json::parse without exceptions: what is no JSON is a discarded value. Without its branch for a caller that looks
// at each value as it is read, which the page would have to load.
[[nodiscard]] nlohmann::json readJson(std::string_view text);

}  // namespace tenon
