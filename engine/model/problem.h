// Problems with their place in a text: for parsers that hold a text but no scene yet.
#pragma once

#include <tenon/result.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon {

// `offset` may be the end of the text. A caret never reaches past its line.
[[nodiscard]] Problem problemIn(std::string_view fileName, std::string_view text,
                                std::size_t offset, std::size_t length, Severity severity,
                                std::string what, std::string remedy = {});

// 'word', made safe for messages: valid UTF-8 without control characters, and not too long.
[[nodiscard]] std::string quoted(std::string_view word);

// Line and column of a byte, both from 1. A line ends with \n, \r\n or a lone \r.
struct LineColumn {
  int line = 1, column = 1;
  std::size_t lineStart = 0;  // [byte]
};
[[nodiscard]] LineColumn lineAt(std::string_view text, std::size_t offset);

// Bytes of the UTF-8 character at `at`, or 0 if there is no valid one.
[[nodiscard]] std::size_t utf8Length(std::string_view text, std::size_t at);

}  // namespace tenon
