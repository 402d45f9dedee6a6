// The lossless tree of a scene text: every byte of the text belongs to exactly one token or to the
// trivia (spaces, comments) before one, so that the text can be printed back byte for byte.
//
// This layer knows the shape of statements and blocks and nothing of their meaning; which words
// open a block and how many words its header has is the one table `blockHeader`.
#pragma once

#include <tenon/language.h>
#include <tenon/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::files {

enum class TokenKind : std::uint8_t { Name, Number, String, Punctuation, EndOfFile, Bad };

// [offset, offset+length) of the text. Trivia runs from the end of the previous token to `offset`.
struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

enum class ValueKind : std::uint8_t {
  Number,      // one Number token, unit included in it: `30deg`
  Name,        // a path, possibly with computed parts: `tom.link-(i)`
  String,      // one String token
  Expression,  // `( … )`
};

// Consecutive tokens [first, first+count) of the tree's token list.
struct Value {
  ValueKind kind = ValueKind::Number;
  std::uint32_t firstToken = 0;
  std::uint32_t tokenCount = 0;
};

enum class ItemKind : std::uint8_t { Statement, Block };

// A statement `keyword values ;` or a block `keyword values(header) children end`.
// Items live in one vector in the order of the text; children of a block are linked by index, so
// that 100,000 solids cost one allocation and no recursion is needed to walk them.
struct Item {
  ItemKind kind = ItemKind::Statement;
  std::uint32_t keyword = 0;     // token index
  std::uint32_t firstValue = 0;  // values [firstValue, firstValue+valueCount) of SyntaxTree::values
  std::uint32_t valueCount = 0;
  std::uint32_t lastToken = 0;  // `;` or `end` (or the `;` after it)
  std::uint32_t parent = kNone;
  std::uint32_t firstChild = kNone, nextSibling = kNone;
  // `if` only: first child after `else`. A chain of its own: firstChild's ends before it.
  std::uint32_t elseChild = kNone;
  static constexpr std::uint32_t kNone = 0xffffffffu;
};

struct SyntaxTree {
  std::uint32_t file = 0;  // for Places
  std::string text;
  std::vector<Token> tokens;  // ends with EndOfFile
  std::vector<Value> values;
  std::vector<Item> items;
  std::uint32_t firstItem = Item::kNone;

  [[nodiscard]] std::string_view word(std::uint32_t token) const {
    return std::string_view(text).substr(tokens[token].offset, tokens[token].length);
  }
  [[nodiscard]] std::string_view keyword(const Item& item) const { return word(item.keyword); }
  [[nodiscard]] std::string_view source(const Value& value) const;  // its text
  [[nodiscard]] Place place(const Value& value) const;
  [[nodiscard]] Place keywordPlace(const Item& item) const;
  [[nodiscard]] Place place(const Item& item) const;  // from keyword to last token
  // True if nothing but spaces and comments stands before the token on its line: a hint that a
  // surplus value is a statement whose predecessor lacks its `;`.
  [[nodiscard]] bool startsLine(std::uint32_t token) const;
};

// What a String token stands for: quotes taken off, \" \\ \n \t \r \xHH put in. The parser has
// checked it.
[[nodiscard]] std::string decodeString(std::string_view token);

// Never fails as a whole: recovers at `;` and `end` and goes on, so that one call finds as many
// problems as can be found. Items with errors are left out of the tree.
[[nodiscard]] SyntaxTree parseSyntax(std::string text, const std::string& fileName,
                                     std::uint32_t file, const LanguageLimits& limits,
                                     std::vector<Problem>& problems);

// Words that open a block, with the number of header words: least, most. Null for other words.
struct BlockHeader {
  std::string_view keyword;
  int least = 0, most = 0;
  std::string_view form;  // "joint KIND NAME", for messages
};
// `insideOf` is the keyword of the enclosing block ("" at top level): `spring` opens a block at top
// level but is a statement inside a joint, `solid` is a statement inside `pose`, and so on.
// `repeat` and `if` are transparent: inside them counts what encloses them.
[[nodiscard]] const BlockHeader* blockHeader(std::string_view keyword, std::string_view insideOf);
[[nodiscard]] std::vector<std::string> blockKeywords();

// ------------------------------------------------------------------------------ numbers and units

enum class Dimension : std::uint8_t { None, Length, Angle, Mass, Time, Force, Frequency };

struct Quantity {
  double value = 0;                       // SI
  Dimension dimension = Dimension::None;  // None: written without a unit
};

// A Number token's text, e.g. "30deg". Problem text in `error` if it is out of range or the unit is
// unknown.
[[nodiscard]] bool readQuantity(std::string_view text, Quantity& quantity, std::string& error);

// ---------------------------------------------------------------------------------- expressions

// Names in expressions are looked up here.
using Lookup = std::function<const double*(std::string_view name)>;

// Why there is no value. Its line is not looked for yet: that takes time in a long text.
struct Fault {
  Place place;
  std::string what, remedy;
};

// Value of a parenthesised expression (tokens of `value`, parentheses included), or false and the fault. Division by
// zero, roots of negative numbers, unknown names (with a "did you mean" from `known`) are faults; the result is
// always finite.
[[nodiscard]] bool evaluate(const SyntaxTree& tree, const Value& value, const Lookup& lookup,
                            const std::function<std::vector<std::string>()>& known, Fault& fault,
                            double& result);

// A name with its computed parts filled in: `link-(i)` -> "link-3".
[[nodiscard]] bool expandName(const SyntaxTree& tree, const Value& value, const Lookup& lookup,
                              const std::function<std::vector<std::string>()>& known, Fault& fault,
                              std::string& result);

}  // namespace tenon::files
