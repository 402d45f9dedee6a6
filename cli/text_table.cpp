#include "text_table.h"

#include <algorithm>

namespace tenon::cli {
namespace {

// Letters, not bytes.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string alignedTable(const std::vector<std::vector<TextCell>>& rows,
                         const std::vector<bool>& left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], widthOf(row[c].text));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const TextCell& cell = row[c];
      const std::string space(widths[c] - widthOf(cell.text), ' ');
      const std::string inked = cell.ink ? inkOnStdout(*cell.ink, cell.text) : cell.text;
      text += (c == 0 ? "" : "  ") + (c < left.size() && left[c] ? inked + space : space + inked);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace tenon::cli
