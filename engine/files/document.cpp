// The text as the document: an edit of a thing becomes the smallest change of the text.
//
// A value that changes is replaced where it stands; a new statement goes to the end of its block; a
// removed one takes its line with it. What a repetition, a figure or another file made has no text
// of its own: it is changed by an `override PATH … end` block or a `remove PATH;` behind everything
// else. Each edit is tried by reading the changed text, and refused if that fails.
#include <tenon/language.h>

#include "files/lexer.h"
#include "files/syntax.h"
#include "files/tables.h"
#include "math/order.h"
#include "model/problem.h"
#include "model/things.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tenon {
namespace {

using files::Item;
using files::ItemKind;
using files::StatementForm;
using files::SyntaxTree;
using files::Table;
using files::TokenKind;
using files::Trivia;
using files::Value;
using files::ValueKind;

using Edits = std::vector<TextEdit>;

void sortByPlace(Edits& edits) {
  sortStably(edits, [](const TextEdit& a, const TextEdit& b) { return a.offset < b.offset; });
}

std::vector<Problem> refusal(std::string what, std::string remedy = {}) {
  Problem p;
  p.what = std::move(what);
  p.remedy = std::move(remedy);
  return {p};
}

bool isSpace(char c) { return c == ' ' || c == '\t'; }
bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

// Calls f(name) for every name of a thing in the scene, to be changed.
template <class F>
void forEachName(Scene& s, F f) {
  for (Material& t : s.materials) f(t.name);
  for (Solid& t : s.solids) {
    f(t.name);
    f(t.material);
  }
  for (Joint& t : s.joints) {
    f(t.name);
    f(t.solid1);
    f(t.solid2);
    for (JointPoint& p : t.more) f(p.solid);
    for (CoupledCoordinate& c : t.couples) f(c.joint);
    if (t.carrier) f(t.carrier->joint);
  }
  for (Force& t : s.forces) {
    f(t.name);
    f(t.solid);
  }
  for (Torque& t : s.torques) {
    f(t.name);
    f(t.solid);
  }
  for (Muscle& t : s.muscles) {
    f(t.name);
    f(t.joint);
  }
  for (Spring& t : s.springs) {
    f(t.name);
    f(t.solid1);
    f(t.solid2);
  }
  for (Drag& t : s.drags) {
    f(t.name);
    f(t.solid);
  }
  for (Pin& t : s.pins) {
    f(t.name);
    f(t.solid);
  }
  for (Goal& t : s.goals) {
    f(t.name);
    f(t.solid);
  }
  for (Floor& t : s.floors) f(t.name);
  for (KeyPose& t : s.keyPoses) {
    f(t.name);
    for (KeyPose::SolidPose& p : t.solids) f(p.solid);
    for (KeyPose::CoordinateValue& c : t.coordinates) f(c.joint);
  }
  if (!s.start.empty()) f(s.start);
  for (Event& e : s.events) {
    // The second name of `drive` is a coordinate.
    const std::size_t things = e.action == "drive" ? 1 : e.names.size();
    for (std::size_t i = 0; i < std::min(things, e.names.size()); ++i) f(e.names[i]);
  }
}

// "limit angle" or "box[2]": a keyword, the leading values that tell one statement from others of
// that keyword, or which of them, from 1.
struct Property {
  std::string keyword;
  std::vector<std::string> leading;
  std::size_t which = 0;  // 0: not said
};

bool readProperty(const std::string& text, Property& property) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    if (end > i) words.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  if (words.empty()) return false;
  std::string& first = words[0];
  const std::size_t bracket = first.find('[');
  if (bracket != std::string::npos) {
    const std::string digits = first.substr(bracket + 1, first.size() - bracket - 2);
    if (first.back() != ']' || digits.empty() || digits.size() > 6 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      return false;
    property.which = static_cast<std::size_t>(std::stoul(digits));
    if (property.which == 0) return false;
    first.resize(bracket);
  }
  const std::vector<files::Token> tokens = files::lex(first);
  if (tokens.size() != 2 || tokens[0].kind != TokenKind::Name || tokens[0].length != first.size() ||
      first == "end" || first == "else")
    return false;
  property.keyword = first;
  property.leading.assign(words.begin() + 1, words.end());
  return true;
}

class Editor {
 public:
  Editor(const std::string& text, const std::string& name, const Scene& scene,
         const LanguageLimits& limits)
      : text_(text), name_(name), scene_(scene), limits_(limits) {
    std::vector<Problem> problems;
    tree_ = files::parseSyntax(text, name, 0, limits, problems);
    const std::size_t end = text_.find_first_of("\r\n");
    lineEnd_ = end != std::string::npos && text_.compare(end, 2, "\r\n") == 0 ? "\r\n" : "\n";
  }

  // --------------------------------------------------------------------------------------- edits

  Result<Edits> set(const std::string& path, const std::string& propertyText,
                    const std::string& values) {
    Property property;
    if (!readProperty(propertyText, property))
      return refusal(quoted(propertyText) + " is not the name of a statement");
    std::vector<std::string> words;
    if (auto problems = readValues(values, words); !problems.empty()) return problems;
    if (path.empty()) return setIn(Item::kNone, tableFor(""), property, words);
    if (path == "settings") return setSetting(property, words);

    Thing thing;
    if (!find(path, thing)) return unknown(path);
    const Table* table = tableFor(thing.keyword);
    const std::uint32_t override = findOverride(path);
    const bool overridden =
        override != Item::kNone && !matching(tree_.items[override].firstChild, property).empty();
    if (overridden || (thing.shared && override != Item::kNone && !needsClearing(thing, property)))
      return setIn(override, table, property, words);
    if (!thing.shared) return setIn(thing.item, table, property, words);
    return setShared(path, thing, override, property, words);
  }

  Result<Edits> unset(const std::string& path, const std::string& propertyText) {
    Property property;
    if (!readProperty(propertyText, property))
      return refusal(quoted(propertyText) + " is not the name of a statement");
    if (path.empty()) return unsetIn(Item::kNone, property, "the scene");
    if (path == "settings") return unsetIn(findBlock("settings"), property, "'settings'");
    Thing thing;
    if (!find(path, thing)) return unknown(path);
    const std::uint32_t override = findOverride(path);
    if (override != Item::kNone) {
      const std::vector<std::uint32_t> found = matching(tree_.items[override].firstChild, property);
      if (!found.empty()) {
        if (found.size() == childCount(override)) return Edits{removal(override)};
        return removals(found);
      }
    }
    if (!thing.shared) return unsetIn(thing.item, property, quoted(path));

    const std::string word = clearingWord(thing.keyword, property.keyword);
    if (word.empty() || !property.leading.empty() || property.which != 0)
      return refusal(quoted(propertyText) + " of " + quoted(path) +
                         " cannot be removed: it comes from a figure, a repetition or another file",
                     "set it to another value");
    const std::string statement = "clear " + word + ";";
    if (override != Item::kNone) return Edits{insertion(override, statement)};
    return Edits{appended(overrideText(path, {statement}))};
  }

  Result<Edits> add(const std::string& block) {
    std::vector<Problem> problems;
    const SyntaxTree tree = files::parseSyntax(block, "the addition", 0, limits_, problems);
    if (hasErrors(problems)) return problems;
    if (tree.items.empty()) return refusal("there is nothing to add");
    std::string trimmed = block;
    while (!trimmed.empty() && (isSpace(trimmed.back()) || isLineEnd(trimmed.back())))
      trimmed.pop_back();
    return Edits{appended(trimmed)};
  }

  Result<Edits> remove(const std::string& path) {
    Thing thing;
    if (!find(path, thing)) return unknown(path);
    if (thing.shared) return Edits{appended("remove " + path + ";")};
    // Overrides and removals of it, or of what a placed figure holds, go with it.
    std::vector<std::uint32_t> gone{thing.item};
    for (std::uint32_t i = tree_.firstItem; i != Item::kNone; i = tree_.items[i].nextSibling) {
      const Item& item = tree_.items[i];
      const std::string_view keyword = tree_.keyword(item);
      if ((keyword != "override" && keyword != "remove") || item.valueCount == 0) continue;
      if (concerns(tree_.source(tree_.values[item.firstValue]), path)) gone.push_back(i);
    }
    std::sort(gone.begin(), gone.end());
    return removals(gone);
  }

  Result<Edits> rename(const std::string& path, const std::string& newName, Scene& expected) {
    Thing thing;
    if (!find(path, thing)) return unknown(path);
    if (thing.shared)
      return refusal(quoted(path) + " was made by a figure, a repetition or another file",
                     "rename it there");
    const std::vector<files::Token> tokens = files::lex(newName);
    if (tokens.size() != 2 || tokens[0].kind != TokenKind::Name ||
        tokens[0].length != newName.size() || newName == "end" || newName == "else")
      return refusal(quoted(newName) + " is not a name",
                     "names are made of letters, digits, '_' and '-', and begin with a letter");
    Thing other;
    if (newName != path && find(newName, other))
      return refusal("there is another " + quoted(newName));

    const Item& block = tree_.items[thing.item];
    const std::uint32_t nameIndex = thing.keyword == "joint" || thing.keyword == "place" ? 1 : 0;
    if (block.valueCount <= nameIndex)
      return refusal(quoted(path) + " has no name in the text", "first give its block a name");
    const Value& declared = tree_.values[block.firstValue + nameIndex];
    if (tree_.source(declared) != path)
      return refusal("the name of " + quoted(path) + " is computed", "change the text itself");

    Edits edits{replacement(declared, newName)};
    for (std::uint32_t i = 0; i < tree_.items.size(); ++i)
      forEachReference(i, [&](const Value& v) {
        const std::string_view word = tree_.source(v);
        if (!concerns(word, path) || isShadowed(i, path)) return;
        edits.push_back({tree_.place(v).offset, path.size(), newName});
      });
    sortByPlace(edits);
    forEachName(expected, [&](std::string& name) {
      if (concerns(name, path)) name.replace(0, path.size(), newName);
    });
    return edits;
  }

 private:
  struct Thing {
    std::string keyword;               // of its block
    std::uint32_t item = Item::kNone;  // in this text, unless shared
    Place place;
    bool shared = false;  // its block makes other things too, or stands in another file
  };

  std::vector<Problem> unknown(const std::string& path) const {
    std::vector<std::string> names;
    forEachThing(scene_, [&](const auto& one) { names.push_back(one.name); });
    const std::string near = nearestWord(path, names);
    return refusal("there is no " + quoted(path),
                   near.empty() ? "" : "did you mean " + quoted(near) + "?");
  }

  // `path` itself, or something inside it.
  static bool concerns(std::string_view word, std::string_view path) {
    return word.substr(0, path.size()) == path &&
           (word.size() == path.size() || word[path.size()] == '.');
  }

  // -------------------------------------------------------------------------------------- finding

  bool find(const std::string& path, Thing& thing) const {
    if (!places_) {
      places_.emplace();
      forEachThing(scene_, [&](const auto& one) {
        if (one.place.file < scene_.files.size()) places_->emplace(one.name, one.place);
      });
    }
    if (const auto known = places_->find(path); known != places_->end()) {
      thing.place = known->second;
      const std::string_view file = scene_.files[thing.place.file].text;
      std::size_t end = thing.place.offset;
      while (end < file.size() && file[end] >= 'a' && file[end] <= 'z') ++end;
      thing.keyword = file.substr(thing.place.offset, end - thing.place.offset);
      thing.shared = thing.place.file != 0;
      if (thing.shared) return true;
      const auto at = std::lower_bound(
          tree_.items.begin(), tree_.items.end(), thing.place.offset,
          [&](const Item& item, std::uint32_t o) { return tree_.tokens[item.keyword].offset < o; });
      if (at == tree_.items.end() || tree_.tokens[at->keyword].offset != thing.place.offset)
        return false;
      thing.item = static_cast<std::uint32_t>(at - tree_.items.begin());
      thing.shared = isShared(thing.item);
      return true;
    }
    // A placed figure, or a constraint that made joints of other names.
    for (std::uint32_t i = 0; i < tree_.items.size(); ++i) {
      const Item& item = tree_.items[i];
      const std::string_view keyword = tree_.keyword(item);
      const std::uint32_t n = keyword == "place" ? 1 : 0;
      if (item.kind != ItemKind::Block || (keyword != "place" && keyword != "constraint")) continue;
      if (item.valueCount <= n || tree_.source(tree_.values[item.firstValue + n]) != path) continue;
      if (isShared(i)) continue;
      thing.keyword = keyword;
      thing.item = i;
      thing.place = tree_.place(item);
      return true;
    }
    return false;
  }

  [[nodiscard]] bool isShared(std::uint32_t item) const {
    for (std::uint32_t i = tree_.items[item].parent; i != Item::kNone; i = tree_.items[i].parent)
      if (tree_.keyword(tree_.items[i]) != "if") return true;
    return false;
  }

  [[nodiscard]] std::uint32_t findOverride(std::string_view path) const {
    if (!overrides_) {
      overrides_.emplace();
      for (std::uint32_t i = tree_.firstItem; i != Item::kNone; i = tree_.items[i].nextSibling) {
        const Item& item = tree_.items[i];
        if (tree_.keyword(item) == "override" && item.valueCount == 1)
          (*overrides_)[tree_.source(tree_.values[item.firstValue])] = i;  // the last one wins
      }
    }
    const auto at = overrides_->find(path);
    return at == overrides_->end() ? Item::kNone : at->second;
  }

  [[nodiscard]] std::uint32_t findBlock(std::string_view keyword) const {
    for (std::uint32_t i = tree_.firstItem; i != Item::kNone; i = tree_.items[i].nextSibling)
      if (tree_.items[i].kind == ItemKind::Block && tree_.keyword(tree_.items[i]) == keyword)
        return i;
    return Item::kNone;
  }

  static const Table* tableFor(std::string_view keyword) {
    files::BlockKind kind{};
    return files::findBlockKind(keyword, kind) ? &files::tableOf(kind) : nullptr;
  }

  static const StatementForm* formOf(const Table* table, std::string_view keyword) {
    const files::Row* row = table == nullptr ? nullptr : table->find(keyword);
    return row == nullptr ? nullptr : &row->form;
  }

  [[nodiscard]] std::uint32_t firstOf(std::uint32_t block) const {
    return block == Item::kNone ? tree_.firstItem : tree_.items[block].firstChild;
  }

  [[nodiscard]] std::size_t childCount(std::uint32_t block) const {
    std::size_t n = 0;
    for (std::uint32_t i = firstOf(block); i != Item::kNone; i = tree_.items[i].nextSibling) ++n;
    return n;
  }

  // Statements of the chain that `property` means.
  static std::vector<std::uint32_t> matching(const SyntaxTree& tree, std::uint32_t first,
                                             const Property& property) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = first; i != Item::kNone; i = tree.items[i].nextSibling) {
      const Item& item = tree.items[i];
      if (item.kind != ItemKind::Statement || tree.keyword(item) != property.keyword) continue;
      if (item.valueCount < property.leading.size()) continue;
      bool same = true;
      for (std::size_t v = 0; v < property.leading.size(); ++v)
        same = same && tree.source(tree.values[item.firstValue + v]) == property.leading[v];
      if (same) found.push_back(i);
    }
    if (property.which > 0) {
      if (found.size() < property.which) return {};
      return {found[property.which - 1]};
    }
    return found;
  }
  [[nodiscard]] std::vector<std::uint32_t> matching(std::uint32_t first, const Property& p) const {
    return matching(tree_, first, p);
  }

  // ------------------------------------------------------------------------------------- setting

  // The values of "1 0 (2 * x)" one by one.
  std::vector<Problem> readValues(const std::string& values,
                                  std::vector<std::string>& words) const {
    std::vector<Problem> problems;
    const std::string statement = "x " + values + ";";
    const SyntaxTree tree = files::parseSyntax(statement, "the new value", 0, limits_, problems);
    if (hasErrors(problems)) return problems;
    if (tree.items.size() != 1 || tree.tokens.size() < 3 ||
        tree.items[0].lastToken + 2 != tree.tokens.size() ||
        tree.tokens[tree.items[0].lastToken].offset + 1 != statement.size())
      return refusal(quoted(values) + " is not a list of values");
    for (const Value& v : tree.values) words.emplace_back(tree.source(v));
    return {};
  }

  static std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& w : words) (out += ' ') += w;
    return out;
  }
  static std::string statementText(const Property& p, const std::vector<std::string>& words) {
    return p.keyword + joined(p.leading) + joined(words) + ";";
  }

  Result<Edits> setIn(std::uint32_t block, const Table* table, const Property& property,
                      const std::vector<std::string>& words) const {
    const std::vector<std::uint32_t> found = matching(firstOf(block), property);
    if (found.size() > 1)
      return refusal(
          "there are " + std::to_string(found.size()) + " statements " + quoted(property.keyword),
          "say which: " + quoted(property.keyword + "[1]") + ", or with its first values");
    if (found.size() == 1) return setValues(tree_.items[found[0]], property, words);
    if (property.which > 1)
      return refusal("there are fewer than " + std::to_string(property.which) + " statements " +
                     quoted(property.keyword));

    // What says the same in other words is replaced: `turn` by `orientation`, for example.
    const StatementForm* form = formOf(table, property.keyword);
    std::vector<std::uint32_t> rivals;
    for (std::uint32_t i = firstOf(block); form != nullptr && i != Item::kNone;
         i = tree_.items[i].nextSibling) {
      const Item& item = tree_.items[i];
      const StatementForm* other =
          item.kind == ItemKind::Statement ? formOf(table, tree_.keyword(item)) : nullptr;
      if (other != nullptr && other->group == form->group && other->keyword != form->keyword &&
          !(other->many && form->many))
        rivals.push_back(i);
    }
    if (rivals.empty()) return Edits{insertion(block, statementText(property, words))};
    Edits edits;
    const Place first = tree_.place(tree_.items[rivals[0]]);
    edits.push_back({first.offset, first.length, statementText(property, words)});
    for (std::size_t i = 1; i < rivals.size(); ++i) edits.push_back(removal(rivals[i]));
    return edits;
  }

  [[nodiscard]] TextEdit replacement(const Value& value, std::string text) const {
    const Place place = tree_.place(value);
    return {place.offset, place.length, std::move(text)};
  }

  [[nodiscard]] Edits setValues(const Item& item, const Property& property,
                                const std::vector<std::string>& words) const {
    const auto skipped = static_cast<std::uint32_t>(property.leading.size());
    const std::uint32_t first = item.firstValue + skipped;
    const std::uint32_t count = item.valueCount - skipped;
    Edits edits;
    if (count == words.size()) {
      for (std::uint32_t v = 0; v < count; ++v)
        if (tree_.source(tree_.values[first + v]) != words[v])
          edits.push_back(replacement(tree_.values[first + v], words[v]));
      if (edits.empty()) edits.push_back({tree_.tokens[item.keyword].offset, 0, ""});
      return edits;
    }
    // Behind the keyword or the leading values, to the end of the last value.
    std::size_t begin = tree_.tokens[item.keyword].offset + tree_.tokens[item.keyword].length;
    if (skipped > 0) begin = endOf(tree_.values[first - 1]);
    const std::size_t end = count > 0 ? endOf(tree_.values[first + count - 1]) : begin;
    edits.push_back({begin, end - begin, joined(words)});
    return edits;
  }

  [[nodiscard]] std::size_t endOf(const Value& value) const {
    const Place place = tree_.place(value);
    return std::size_t{place.offset} + place.length;
  }

  Result<Edits> setSetting(const Property& property, const std::vector<std::string>& words) const {
    const std::uint32_t block = findBlock("settings");
    if (block != Item::kNone) return setIn(block, tableFor("settings"), property, words);
    return Edits{
        appended("settings" + lineEnd_ + "  " + statementText(property, words) + lineEnd_ + "end")};
  }

  // ----------------------------------------------------------------------------- through overrides

  // Statements of the thing's own block that would add up with a new one of that keyword.
  [[nodiscard]] std::size_t similar(const Thing& thing, const Property& property,
                                    std::size_t& exactly) const {
    const Table* table = tableFor(thing.keyword);
    const StatementForm* form = formOf(table, property.keyword);
    std::size_t count = 0;
    exactly = 0;
    if (form == nullptr || !form->many) return 0;
    std::vector<Problem> problems;
    const std::string& file = scene_.files[thing.place.file].text;
    const SyntaxTree own = files::parseSyntax(file.substr(thing.place.offset, thing.place.length),
                                              name_, 0, limits_, problems);
    if (own.items.empty()) return 0;
    exactly = matching(own, own.items[0].firstChild, property).size();
    for (std::uint32_t i = own.items[0].firstChild; i != Item::kNone;
         i = own.items[i].nextSibling) {
      const StatementForm* other = formOf(table, own.keyword(own.items[i]));
      if (other != nullptr && other->group == form->group) ++count;
    }
    return count;
  }

  [[nodiscard]] bool needsClearing(const Thing& thing, const Property& property) const {
    std::size_t exactly = 0;
    (void)similar(thing, property, exactly);
    return exactly > 0;
  }

  Result<Edits> setShared(const std::string& path, const Thing& thing, std::uint32_t override,
                          const Property& property, const std::vector<std::string>& words) const {
    if (thing.keyword == "place")
      return refusal(quoted(path) + " is placed by a figure or a repetition",
                     "change it there, or override one of its solids or joints");
    // Shapes, limits and the like add up: to change one, the old must go first, which is only right
    // if there is no other that would go with it.
    std::vector<std::string> statements;
    std::size_t exactly = 0;
    const std::size_t count = similar(thing, property, exactly);
    if (exactly > 0) {
      const std::string word = clearingWord(thing.keyword, property.keyword);
      if (count > 1 || word.empty())
        return refusal(quoted(path) +
                           " has several of these statements, and comes from a figure, a "
                           "repetition or another file",
                       "change the text that made it");
      statements.push_back("clear " + word + ";");
    }
    statements.push_back(statementText(property, words));
    if (override == Item::kNone) return Edits{appended(overrideText(path, statements))};
    Edits edits;
    for (const std::string& s : statements) edits.push_back(insertion(override, s));
    for (std::size_t i = 1; i < edits.size(); ++i) edits[0].text += edits[i].text;
    edits.resize(1);
    return edits;
  }

  [[nodiscard]] std::string overrideText(const std::string& path,
                                         const std::vector<std::string>& statements) const {
    std::string out = "override " + path + lineEnd_;
    for (const std::string& s : statements) out += "  " + s + lineEnd_;
    return out + "end";
  }

  // What `clear` calls it: `clear shapes;` for a box.
  static std::string clearingWord(const std::string& block, const std::string& keyword) {
    const Table* table = tableFor(block);
    if (table == nullptr) return {};
    const StatementForm* form = formOf(table, keyword);
    const std::string group(form == nullptr ? std::string_view(keyword) : form->group);
    for (const std::string& word : {keyword, group, keyword + "s", keyword + "d"})
      for (const files::Clearable& c : table->clearables)
        if (c.word == word) return word;
    return {};
  }

  // ------------------------------------------------------------------------------------- removing

  Result<Edits> unsetIn(std::uint32_t block, const Property& property,
                        const std::string& of) const {
    const std::vector<std::uint32_t> found = of == "'settings'" && block == Item::kNone
                                                 ? std::vector<std::uint32_t>{}
                                                 : matching(firstOf(block), property);
    if (found.empty())
      return refusal(of + " has no statement " + quoted(property.keyword) + " to remove");
    return removals(found);
  }

  [[nodiscard]] Edits removals(const std::vector<std::uint32_t>& items) const {
    Edits edits;
    for (const std::uint32_t i : items) edits.push_back(removal(i));
    for (std::size_t i = 1; i < edits.size(); ++i) {  // neighbours may have claimed one blank line
      TextEdit& before = edits[i - 1];
      const std::size_t end = before.offset + before.length;
      if (end > edits[i].offset) before.length = edits[i].offset - before.offset;
    }
    return edits;
  }

  // An item, with its line if nothing else stands on it, and with the comment that trails it there.
  [[nodiscard]] TextEdit removal(std::uint32_t index) const {
    const Place place = tree_.place(tree_.items[index]);
    std::size_t begin = place.offset, end = std::size_t{place.offset} + place.length;
    std::size_t lineBegin = begin;
    while (lineBegin > 0 && isSpace(text_[lineBegin - 1])) --lineBegin;
    const bool starts = lineBegin == 0 || isLineEnd(text_[lineBegin - 1]);
    const std::size_t lineStop = endOfLine(end, starts);
    const bool ends = lineStop == text_.size() || isLineEnd(text_[lineStop]);
    if (starts && ends) {
      begin = lineBegin;
      end = lineStop;
      skipLineEnd(end);
      // Of two blank lines that would meet, one goes.
      if (isBlankBefore(begin) && end == text_.size()) {
        while (begin > 0 && (isSpace(text_[begin - 1]) || isLineEnd(text_[begin - 1]))) --begin;
        if (begin > 0) skipLineEnd(begin);
      } else if (isBlankBefore(begin)) {
        std::size_t blank = end;
        while (blank < text_.size() && isSpace(text_[blank])) ++blank;
        if (blank < text_.size() && isLineEnd(text_[blank])) {
          skipLineEnd(blank);
          end = blank;
        }
      }
    } else if (starts) {
      while (end < text_.size() && isSpace(text_[end])) ++end;
    } else {
      begin = lineBegin;
    }
    return {begin, end - begin, ""};
  }

  // Past spaces and, if wanted, comments that begin on this line.
  [[nodiscard]] std::size_t endOfLine(std::size_t at, bool comments) const {
    Trivia piece;
    while (files::triviaAt(text_, at, piece) && piece.kind != Trivia::Kind::LineEnd) {
      if (piece.kind != Trivia::Kind::Space && !comments) break;
      at = piece.offset + piece.length;
    }
    return at;
  }

  void skipLineEnd(std::size_t& at) const {
    if (at < text_.size() && text_[at] == '\r') ++at;
    if (at < text_.size() && text_[at] == '\n') ++at;
  }

  // Nothing, or an empty line, before the line that begins at `at`.
  [[nodiscard]] bool isBlankBefore(std::size_t at) const {
    if (at == 0) return true;
    --at;
    if (at > 0 && text_[at] == '\n' && text_[at - 1] == '\r') --at;
    while (at > 0 && isSpace(text_[at - 1])) --at;
    return at == 0 || isLineEnd(text_[at - 1]);
  }

  // ------------------------------------------------------------------------------------ inserting

  // A statement at the end of a block; among the statements of the top level if there is none.
  [[nodiscard]] TextEdit insertion(std::uint32_t block, const std::string& statement) const {
    std::uint32_t last = Item::kNone;
    std::uint32_t anchor = 0;  // token
    if (block == Item::kNone) {
      for (std::uint32_t i = tree_.firstItem; i != Item::kNone; i = tree_.items[i].nextSibling) {
        if (tree_.items[i].kind == ItemKind::Block) break;
        last = i;
      }
      if (last == Item::kNone) {  // nothing but blocks: before the first
        if (tree_.firstItem == Item::kNone) return appended(statement);
        std::size_t begin = tree_.tokens[tree_.items[tree_.firstItem].keyword].offset;
        while (begin > 0 && isSpace(text_[begin - 1])) --begin;
        return {begin, 0, statement + lineEnd_ + lineEnd_};
      }
      anchor = tree_.items[last].lastToken;
    } else {
      const Item& item = tree_.items[block];
      anchor = item.keyword;
      if (item.valueCount > 0) {
        const Value& v = tree_.values[item.firstValue + item.valueCount - 1];
        anchor = v.firstToken + v.tokenCount - 1;
      }
      for (std::uint32_t i = item.firstChild; i != Item::kNone; i = tree_.items[i].nextSibling)
        last = i;
      if (last != Item::kNone) anchor = tree_.items[last].lastToken;
    }
    const std::size_t end = std::size_t{tree_.tokens[anchor].offset} + tree_.tokens[anchor].length;
    const std::size_t line = endOfLine(end, true);
    if (line < text_.size() && !isLineEnd(text_[line]))
      return {end, 0, " " + statement};  // the block goes on on this line
    return {line, 0, lineEnd_ + indentFor(block, last) + statement};
  }

  [[nodiscard]] std::string indentFor(std::uint32_t block, std::uint32_t sibling) const {
    const auto indentOf = [&](std::uint32_t item) {
      const std::size_t at = tree_.tokens[tree_.items[item].keyword].offset;
      std::size_t begin = at;
      while (begin > 0 && !isLineEnd(text_[begin - 1])) --begin;
      std::size_t end = begin;
      while (end < at && isSpace(text_[end])) ++end;
      return text_.substr(begin, end - begin);
    };
    if (block == Item::kNone) return {};
    if (sibling != Item::kNone && tree_.startsLine(tree_.items[sibling].keyword))
      return indentOf(sibling);
    return indentOf(block) + "  ";
  }

  // A block or statement behind everything else, after an empty line.
  [[nodiscard]] TextEdit appended(const std::string& block) const {
    std::string before;
    if (!text_.empty() && !isLineEnd(text_.back())) before += lineEnd_;
    const bool first = tree_.firstItem == Item::kNone && text_.empty();
    if (!first && !isBlankBefore(text_.size())) before += lineEnd_;
    if (!before.empty() && !text_.empty() && !isLineEnd(text_.back())) before = lineEnd_ + lineEnd_;
    return {text_.size(), 0, before + block + lineEnd_};
  }

  // ------------------------------------------------------------------------------------- renaming

  // The kind of thing whose statements stand in this block.
  [[nodiscard]] const Table* tableInside(std::uint32_t block) const {
    while (block != Item::kNone) {
      const Item& item = tree_.items[block];
      const std::string_view keyword = tree_.keyword(item);
      if (keyword == "override" && item.valueCount == 1) {
        Thing thing;
        if (!find(std::string(tree_.source(tree_.values[item.firstValue])), thing)) return nullptr;
        return tableFor(thing.keyword);
      }
      if (keyword != "repeat" && keyword != "if") return tableFor(keyword);
      block = item.parent;
    }
    return tableFor("");
  }

  // Calls f(value) for the values of an item that name things, as the schema says.
  template <class F>
  void forEachReference(std::uint32_t index, F f) const {
    const Item& item = tree_.items[index];
    const auto value = [&](std::uint32_t v) -> const Value& {
      return tree_.values[item.firstValue + v];
    };
    if (item.kind == ItemKind::Block) {
      if (tree_.keyword(item) == "override" && item.valueCount > 0) f(value(0));
      return;
    }
    const StatementForm* form = formOf(tableInside(item.parent), tree_.keyword(item));
    if (form == nullptr) return;
    const auto clauseAt = [&](std::uint32_t v) -> const files::Clause* {
      if (value(v).kind != ValueKind::Name) return nullptr;
      for (const files::Clause& c : form->clauses)
        if (c.keyword == tree_.source(value(v))) return &c;
      return nullptr;
    };
    std::uint32_t v = 0;
    const auto slots = [&](const std::vector<files::Slot>& list) {
      for (const files::Slot& slot : list) {
        for (int n = 0; v < item.valueCount && (slot.most < 0 || n < slot.most); ++n, ++v) {
          if (n >= slot.least && clauseAt(v) != nullptr) break;
          if (slot.accept == files::Accept::Reference && value(v).kind == ValueKind::Name)
            f(value(v));
        }
      }
    };
    slots(form->slots);
    while (v < item.valueCount) {
      const files::Clause* clause = clauseAt(v++);
      if (clause != nullptr) slots(clause->slots);
    }
  }

  // Inside a figure that has a thing of that name, the name means that thing.
  [[nodiscard]] bool isShadowed(std::uint32_t index, const std::string& path) const {
    const std::string first = path.substr(0, path.find('.'));
    for (std::uint32_t i = tree_.items[index].parent; i != Item::kNone; i = tree_.items[i].parent) {
      if (tree_.keyword(tree_.items[i]) != "figure") continue;
      const std::uint32_t last = tree_.items[i].lastToken;
      for (std::uint32_t k = i + 1; k < tree_.items.size() && tree_.items[k].keyword < last; ++k) {
        const Item& item = tree_.items[k];
        const std::string_view keyword = tree_.keyword(item);
        const std::uint32_t n = keyword == "joint" || keyword == "place" ? 1 : 0;
        if (item.kind != ItemKind::Block || item.valueCount <= n || keyword == "override" ||
            keyword == "repeat" || keyword == "if")
          continue;
        if (tree_.source(tree_.values[item.firstValue + n]) == first) return true;
      }
    }
    return false;
  }

  const std::string& text_;
  const std::string& name_;
  const Scene& scene_;
  const LanguageLimits& limits_;
  SyntaxTree tree_;
  std::string lineEnd_;
  // Found when first asked for: where things stand, and their last `override`.
  mutable std::optional<std::unordered_map<std::string_view, Place>> places_;
  mutable std::optional<std::unordered_map<std::string_view, std::uint32_t>> overrides_;
};

Result<Edits> editsFor(Editor& editor, const SceneChange& change) {
  switch (change.kind) {
    case SceneChange::Kind::Set:
      return editor.set(change.path, change.property, change.values);
    case SceneChange::Kind::Unset:
      return editor.unset(change.path, change.property);
    case SceneChange::Kind::Add:
      return editor.add(change.values);
    case SceneChange::Kind::Remove:
      return editor.remove(change.path);
  }
  return refusal("there is no such change");
}

// What several blocks behind everything else have between them is one empty line.
void spaceApart(std::size_t textSize, Edits& edits) {
  bool first = true;
  for (TextEdit& edit : edits) {
    if (edit.offset != textSize || edit.text.empty()) continue;
    if (!std::exchange(first, false)) {
      const std::size_t begin = std::min(edit.text.find_first_not_of("\r\n"), edit.text.size());
      const bool wide = edit.text.find("\r\n") != std::string::npos;
      edit.text.replace(0, begin, wide ? "\r\n" : "\n");
    }
  }
}

// In the order of the text. False: they are in each other's way.
bool putInOrder(Edits& edits) {
  sortByPlace(edits);
  for (std::size_t i = 1; i < edits.size(); ++i)
    if (edits[i - 1].offset + edits[i - 1].length > edits[i].offset) return false;
  return true;
}

// One edit for several: what stands between them is repeated byte for byte.
TextEdit merged(const std::string& text, const Edits& edits) {
  TextEdit all = edits.front();
  for (std::size_t i = 1; i < edits.size(); ++i) {
    const std::size_t end = all.offset + all.length;
    all.text += text.substr(end, edits[i].offset - end) + edits[i].text;
    all.length = edits[i].offset + edits[i].length - all.offset;
  }
  return all;
}

}  // namespace

Result<SceneDocument> SceneDocument::open(std::string text, std::string name,
                                          ParseOptions options) {
  Result<Scene> scene = parseScene(text, name, options);
  if (!scene) return scene.problems();
  SceneDocument document;
  document.text_ = std::move(text);
  document.name_ = std::move(name);
  document.options_ = std::move(options);
  document.scene_ = std::move(*scene);
  return {std::move(document), scene.problems()};
}

Result<TextEdit> SceneDocument::apply(TextEdit edit) {
  std::string changed = text_;
  changed.replace(edit.offset, edit.length, edit.text);
  Result<Scene> scene = parseScene(changed, name_, options_);
  if (!scene) return scene.problems();
  text_ = std::move(changed);
  scene_ = std::move(*scene);
  return {std::move(edit), scene.problems()};
}

Result<TextEdit> SceneDocument::set(const std::string& path, const std::string& property,
                                    const std::string& values) {
  Result<Edits> edits = Editor(text_, name_, scene_, options_.limits).set(path, property, values);
  if (!edits) return edits.problems();
  return apply(merged(text_, *edits));
}

Result<TextEdit> SceneDocument::unset(const std::string& path, const std::string& property) {
  Result<Edits> edits = Editor(text_, name_, scene_, options_.limits).unset(path, property);
  if (!edits) return edits.problems();
  return apply(merged(text_, *edits));
}

Result<TextEdit> SceneDocument::add(const std::string& blockText) {
  Result<Edits> edits = Editor(text_, name_, scene_, options_.limits).add(blockText);
  if (!edits) return edits.problems();
  return apply(merged(text_, *edits));
}

Result<TextEdit> SceneDocument::remove(const std::string& path) {
  Result<Edits> edits = Editor(text_, name_, scene_, options_.limits).remove(path);
  if (!edits) return edits.problems();
  return apply(merged(text_, *edits));
}

std::vector<std::vector<Problem>> SceneDocument::change(const std::vector<SceneChange>& changes) {
  std::vector<std::vector<Problem>> wrong(changes.size());
  // Those that speak of one thing go one after the other: the second may have to see what the first has written.
  std::unordered_set<std::string_view> paths;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= changes.size(); ++i) {
    const bool isAdd = i < changes.size() && changes[i].kind == SceneChange::Kind::Add;
    if (i == changes.size() ||
        (i > begin && isAdd != (changes[begin].kind == SceneChange::Kind::Add)) ||
        (!isAdd && paths.count(changes[i].path) > 0)) {
      changeTogether(changes, begin, i, wrong);
      begin = i;
      paths.clear();
    }
    if (i < changes.size() && !isAdd) paths.insert(changes[i].path);
  }
  return wrong;
}

// All of them at once; where the text does not take that, each half by itself.
void SceneDocument::changeTogether(const std::vector<SceneChange>& changes, std::size_t begin,
                                   std::size_t end, std::vector<std::vector<Problem>>& wrong) {
  Edits all;
  std::size_t last = begin;  // of those that have edits
  {
    Editor editor(text_, name_, scene_, options_.limits);
    for (std::size_t i = begin; i < end; ++i) {
      Result<Edits> edits = editsFor(editor, changes[i]);
      wrong[i] = edits ? std::vector<Problem>{} : edits.problems();
      if (!edits) continue;
      last = i;
      all.insert(all.end(), edits->begin(), edits->end());
    }
  }
  if (all.empty()) return;
  if (end - begin > 1) spaceApart(text_.size(), all);
  if (end - begin == 1 || putInOrder(all)) {
    const Result<TextEdit> done = apply(merged(text_, all));
    if (done) return;
    if (end - begin == 1) {
      wrong[last] = done.problems();
      return;
    }
  }
  const std::size_t middle = begin + (end - begin) / 2;
  changeTogether(changes, begin, middle, wrong);
  changeTogether(changes, middle, end, wrong);
}

Result<std::vector<TextEdit>> SceneDocument::rename(const std::string& path,
                                                    const std::string& newName) {
  Scene expected = scene_;
  Result<Edits> edits =
      Editor(text_, name_, scene_, options_.limits).rename(path, newName, expected);
  if (!edits) return edits.problems();
  const TextEdit edit = merged(text_, *edits);
  std::string changed = text_;
  changed.replace(edit.offset, edit.length, edit.text);
  Result<Scene> scene = parseScene(changed, name_, options_);
  if (!scene) return scene.problems();
  // The new name may mean something else where the old one was mentioned: inside a figure that has
  // a thing of that name, or in an included file that still says the old one.
  if (!sameScene(*scene, expected))
    return refusal(
        "renaming " + quoted(path) + " to " + quoted(newName) + " would change the scene",
        "the text uses the new name for something else");
  text_ = std::move(changed);
  scene_ = std::move(*scene);
  return {std::move(*edits), scene.problems()};
}

}  // namespace tenon
