#include <tenon/stage.h>

namespace tenon {

std::string_view nameOf(Stage stage) {
  static constexpr std::array<std::string_view, kStages> kNames{
      "loads", "rows", "slopes", "matrix", "factor", "solve", "move", "measure", "packed", "other"};
  const auto at = static_cast<std::size_t>(stage);
  return at < kStages ? kNames[at] : std::string_view{};
}

}  // namespace tenon
