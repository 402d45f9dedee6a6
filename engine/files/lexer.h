// Bytes -> tokens. Private to the syntax: everybody else reads the tree.
#pragma once

#include "files/syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::files {

// Every byte outside the tokens is trivia: spaces, line ends, comments. Never fails; what fits
// nowhere becomes Bad tokens, which `explainBad` puts into words.
[[nodiscard]] std::vector<Token> lex(std::string_view text);

// Whether this can stand where a name is wanted: letters, digits, `_` and `-`, joined by `.`; not `end`.
[[nodiscard]] bool isName(std::string_view text);

struct Explanation {
  std::string what, remedy;
};
[[nodiscard]] Explanation explainBad(std::string_view token);

// One piece of trivia; [offset, offset+length).
struct Trivia {
  enum class Kind : std::uint8_t { Space, LineEnd, LineComment, BlockComment };
  Kind kind = Kind::Space;
  std::size_t offset = 0, length = 0;
};
// The piece at `offset`, which must be trivia. A comment that is not closed is none.
[[nodiscard]] bool triviaAt(std::string_view text, std::size_t offset, Trivia& piece);

// Grammar of `( … )` [first, first+count), without values: false, and a located problem, if wrong.
[[nodiscard]] bool checkExpression(const SyntaxTree& tree, const Value& value,
                                   const std::string& fileName, std::vector<Problem>& problems);

}  // namespace tenon::files
