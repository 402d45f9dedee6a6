// What may stand in which block: one table per block kind. Messages ("did you mean", "expected 3
// lengths"), duplicate checks, the inspector and the check of the documentation read these tables.
//
// A statement is a keyword, values in fixed order (`slots`), then clauses in any order, each a word
// with values of its own:  limit COORDINATE [min V] [max V] [active T [T]] ;
#pragma once

#include "files/syntax.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::files {

enum class BlockKind : std::uint8_t {
  Scene,  // top level
  Solid,
  Material,
  Joint,
  Constraint,
  Force,
  Torque,
  Muscle,
  Spring,
  Drag,
  Pin,
  Goal,
  Floor,
  Pose,
  Settings,
  Figure,
  Place,
  Override,
  Repeat,
  If,
};
inline constexpr int kBlockKinds = static_cast<int>(BlockKind::If) + 1;

// "solid"; "" for the top level.
[[nodiscard]] std::string_view blockWord(BlockKind kind);
[[nodiscard]] bool findBlockKind(std::string_view word, BlockKind& kind);

enum class Accept : std::uint8_t {
  Number,       // in the slot's dimension
  Whole,        // a whole number
  Direction,    // three plain numbers, not all zero
  Quaternion,   // four plain numbers, not all zero
  AngularRate,  // rad/s, or turns by Hz and rpm
  Coordinate,   // metres or radians, as the joint's coordinate says
  Any,          // a number of any dimension
  Word,         // one of `words`
  Name,         // any name
  Reference,    // the name of a thing; `words[0]` says what: "solid"
  Text,         // a string
};

// The texts of the tables last as long as the program.
struct Slot {
  std::string_view label;  // "X Y Z"
  Accept accept = Accept::Number;
  Dimension dimension = Dimension::None;
  int least = 1, most = 1;  // values; most < 0: as many as there are
  int multiple = 1;         // their number is a multiple of this
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool above = false;      // `lower` itself is excluded
  std::string_view words;  // with spaces between
};

struct Clause {
  std::string_view keyword;
  std::vector<Slot> slots;
  bool many = false;  // may be given several times
  bool required = false;
};

struct StatementForm {
  std::string_view keyword;
  std::vector<Slot> slots;
  std::vector<Clause> clauses;
  std::string_view help;
  bool many = false;  // may stand several times in a block
  bool required = false;
  bool oneClause = false;  // exactly one of the clauses: `at 2 stop;`
  std::string_view group;  // statements of one group exclude each other; default: the keyword

  [[nodiscard]] std::string form() const;  // "density D"
};

// Statements that may stand in a block of that kind ("" for the top level), in the order of the
// documentation. Empty for words that open no block.
[[nodiscard]] std::vector<StatementForm> statementsOf(std::string_view block);
// What `clear` can empty in an override of such a thing.
[[nodiscard]] std::vector<std::string> clearablesOf(std::string_view block);
// Blocks that may stand in it.
[[nodiscard]] std::vector<std::string> blocksIn(std::string_view block);
// Statements that a joint kind adds to those of every joint: its options.
[[nodiscard]] std::vector<StatementForm> jointOptionsOf(std::string_view kind);

// "3 lengths", "a name": what a slot wants, for messages.
[[nodiscard]] std::string wanted(const Slot& slot);
[[nodiscard]] std::vector<std::string> wordsOf(const Slot& slot);
// "a length", "a plain number".
[[nodiscard]] std::string nounOf(Dimension dimension);

}  // namespace tenon::files
