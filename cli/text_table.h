// Tables on a terminal: columns as wide as what is in them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "terminal.h"

namespace tenon::cli {

struct TextCell {
  std::string text;
  std::optional<Ink> ink;
};
// The first `left` columns stand at the left, the others at the right.
[[nodiscard]] std::string alignedTable(const std::vector<std::vector<TextCell>>& rows,
                                       std::size_t left);

}  // namespace tenon::cli
