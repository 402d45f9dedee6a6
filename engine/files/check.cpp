#include "files/check.h"

#include "model/problem.h"

#include <string>

namespace tenon::files {
namespace {

bool isTransparent(BlockKind kind) { return kind == BlockKind::Repeat || kind == BlockKind::If; }

bool mayHold(BlockKind outer, BlockKind inner) {
  if (isTransparent(inner)) return true;
  for (const BlockKind b : tableOf(outer).blocks)
    if (b == inner) return true;
  return false;
}

std::string article(std::string_view word) {
  return (word.find_first_of("aeiou") == 0 ? "an " : "a ") + std::string(word);
}

// The blocks in which a word is at home: "solid, material".
std::string homesOf(std::string_view word) {
  std::string homes;
  for (int k = 0; k < kBlockKinds; ++k) {
    const auto kind = static_cast<BlockKind>(k);
    if (tableOf(kind).find(word) == nullptr) continue;
    homes += homes.empty() ? "" : ", ";
    homes += kind == BlockKind::Scene ? "the top level" : std::string(blockWord(kind));
  }
  return homes;
}

// The kind in the header of a joint block, if it is written out; null otherwise.
const JointKind* kindOf(const SyntaxTree& tree, const Item& block) {
  if (block.valueCount == 0) return nullptr;
  const Value& v = tree.values[block.firstValue];
  return v.tokenCount == 1 ? findJointKind(tree.source(v)) : nullptr;
}

// The innermost block around an item that is no repetition or condition.
std::uint32_t ownerOf(const Tree& tree, std::uint32_t item) {
  std::uint32_t p = tree.syntax.items[item].parent;
  while (p != Item::kNone && isTransparent(tree.kinds[p])) p = tree.syntax.items[p].parent;
  return p;
}

}  // namespace

void reportUnknown(Report& report, const SyntaxTree& tree, const Item& item, BlockKind kind,
                   const JointKind* joint) {
  const std::string_view word = tree.keyword(item);
  const Table& table = tableOf(kind);
  std::vector<std::string> known = table.keywords();
  if (joint != nullptr)
    for (std::string& option : optionNames(*joint)) known.push_back(std::move(option));
  std::string what = "unknown statement " + quoted(word);
  if (kind != BlockKind::Scene) what += " in " + std::string(blockWord(kind));
  std::string remedy = didYouMean(word, known);
  if (remedy.empty()) {
    const std::string homes = homesOf(word);
    if (!homes.empty()) {
      remedy = quoted(word) + " belongs in: " + homes;
    } else {
      remedy = "these words may stand here:";
      for (const std::string& k : known) remedy += " " + k;
    }
  }
  report.error(tree.keywordPlace(item), std::move(what), std::move(remedy));
}

int versionOf(const SyntaxTree& tree, Report& report) {
  constexpr std::size_t kDigits = 6;
  int version = 0;
  for (std::uint32_t i = tree.firstItem; i != Item::kNone; i = tree.items[i].nextSibling) {
    const Item& item = tree.items[i];
    if (item.kind != ItemKind::Statement || tree.keyword(item) != kVersionWord) continue;
    const std::string_view digits =
        item.valueCount == 1 ? tree.source(tree.values[item.firstValue]) : std::string_view();
    int number = 0;
    for (const char c : digits.substr(0, kDigits)) number = 10 * number + (c - '0');
    if (digits.empty() || digits.size() > kDigits || number < 1 ||
        digits.find_first_not_of("0123456789") != std::string_view::npos) {
      report.error(tree.keywordPlace(item), "a version is a whole number in digits, from 1",
                   "write: version " + std::to_string(kLanguageVersion) + ";");
    } else if (number > kLanguageVersion) {
      report.stop(tree.place(item),
                  "this text is of version " + std::to_string(number) +
                      " of the language, and this program knows none after " +
                      std::to_string(kLanguageVersion),
                  "open it with a newer Tenon");
      return number;
    } else if (version != 0) {
      report.error(tree.keywordPlace(item), quoted(kVersionWord) + " is given twice");
    } else {
      version = number;
    }
  }
  return version;
}

void checkWords(Tree& tree, BlockKind outer, Report& report) {
  const SyntaxTree& syntax = tree.syntax;
  tree.rows.assign(syntax.items.size(), nullptr);
  tree.kinds.assign(syntax.items.size(), outer);
  // What encloses an item, seen through repetitions and conditions. Parents come before children.
  std::vector<BlockKind> around(syntax.items.size(), outer);
  for (std::uint32_t i = 0; i < syntax.items.size(); ++i) {
    const Item& item = syntax.items[i];
    if (item.parent != Item::kNone) {
      const BlockKind p = tree.kinds[item.parent];
      around[i] = isTransparent(p) ? around[item.parent] : p;
    }
    const BlockKind kind = around[i];
    const std::string_view word = syntax.keyword(item);
    if (item.kind == ItemKind::Block) {
      if (!findBlockKind(word, tree.kinds[i])) continue;  // the syntax knows no other words
      if (!mayHold(kind, tree.kinds[i]))
        report.error(syntax.keywordPlace(item),
                     quoted(word) + " cannot stand in " + article(blockWord(kind)),
                     kind == BlockKind::Figure ? "it belongs at the top level"
                                               : "is an 'end' missing before it?");
      continue;
    }
    tree.kinds[i] = kind;
    if (kind == BlockKind::Override) {
      // What the overridden thing is, is known when it is found; words that nothing has are wrong
      // in any case.
      if (word != clearForm().keyword && homesOf(word).empty()) {
        bool option = false;
        for (const JointKind& k : jointCatalogue()) option |= findOption(k, word) != nullptr;
        if (!option) reportUnknown(report, syntax, item, kind, nullptr);
      }
      continue;
    }
    const Row* row = tableOf(kind).find(word);
    if (row == nullptr) row = letRow(word);
    const JointKind* joint = nullptr;
    if (row == nullptr && kind == BlockKind::Joint) {
      joint = kindOf(syntax, syntax.items[ownerOf(tree, i)]);
      if (joint != nullptr) row = findOption(*joint, word);
      // An unknown kind is reported as such; its options cannot be judged.
      if (row == nullptr && joint == nullptr) continue;
    }
    tree.rows[i] = row;
    if (row != nullptr && word == kVersionWord && item.parent != Item::kNone)
      report.error(syntax.keywordPlace(item),
                   quoted(word) + " says something of a whole text, and stands in no block");
    if (row == nullptr) reportUnknown(report, syntax, item, kind, joint);
  }
}

}  // namespace tenon::files
