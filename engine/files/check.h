// A tree together with what its words mean: found once per text, however often a statement is run.
#pragma once

#include "files/report.h"
#include "files/tables.h"

#include <cstdint>
#include <vector>

namespace tenon::files {

struct Tree {
  SyntaxTree syntax;
  std::vector<const Row*> rows;  // of statements; null: unknown, or depends on what is overridden
  std::vector<BlockKind> kinds;  // of blocks; of statements: the block that they stand in
};

// Looks up every keyword, also in figures that are never placed and branches that are not taken,
// and reports those that cannot stand where they are. `outer` is what the text stands in.
void checkWords(Tree& tree, BlockKind outer, Report& report);

// The version that a text says it is written in; 0 if it does not say. Where this program does not know that version, the
// report stops: whatever else it would say of the text is of no use.
[[nodiscard]] int versionOf(const SyntaxTree& tree, Report& report);

// Says that a statement is unknown in a thing of that kind.
void reportUnknown(Report& report, const SyntaxTree& tree, const Item& item, BlockKind kind,
                   const JointKind* joint);

}  // namespace tenon::files
