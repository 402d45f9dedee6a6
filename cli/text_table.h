// Tables on a terminal: columns as wide as what is in them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "terminal.h"

namespace tenon::cli {

struct TextCell {
  std::string text;
  std::optional<Ink> ink;
};
// Columns stand at the right, except those that are to stand at the left.
[[nodiscard]] std::string alignedTable(const std::vector<std::vector<TextCell>>& rows,
                                       const std::vector<bool>& left);

}  // namespace tenon::cli
