// Tokens -> the lossless tree. A loop with its own stack of open blocks: no input can deepen the
// recursion. After a mistake it goes on at the next `;` or `end`, and reports one problem for one
// mistake.
#include "files/syntax.h"

#include "files/lexer.h"
#include "model/problem.h"

#include <algorithm>
#include <array>

namespace tenon::files {
namespace {

constexpr std::array<BlockHeader, 19> kBlocks{{
    {"solid", 1, 1, "solid NAME"},       {"material", 1, 1, "material NAME"},
    {"joint", 2, 2, "joint KIND NAME"},  {"constraint", 0, 1, "constraint [NAME]"},
    {"force", 1, 1, "force NAME"},       {"torque", 1, 1, "torque NAME"},
    {"muscle", 1, 1, "muscle NAME"},     {"spring", 1, 1, "spring NAME"},
    {"drag", 1, 1, "drag NAME"},         {"pin", 1, 1, "pin NAME"},
    {"goal", 1, 1, "goal NAME"},         {"floor", 1, 1, "floor NAME"},
    {"pose", 1, 1, "pose NAME"},         {"settings", 0, 0, "settings"},
    {"figure", 1, 1, "figure NAME"},     {"place", 2, 2, "place FIGURE NAME"},
    {"override", 1, 1, "override PATH"}, {"repeat", 3, 5, "repeat NAME FROM TO [step STEP]"},
    {"if", 1, 1, "if (CONDITION)"},
}};

// Words that open a block elsewhere and are statements here.
struct Exception {
  std::string_view insideOf, keyword;
};
constexpr std::array<Exception, 4> kStatements{
    {{"solid", "material"}, {"joint", "spring"}, {"muscle", "joint"}, {"pose", "solid"}}};

// `constraint object1 body; …` has no name: these words begin its first statement instead.
constexpr std::array<std::string_view, 14> kConstraintWords{
    "object1", "object2", "hinge",      "axial", "planar", "angle", "twist",
    "active",  "weight",  "compliance", "damp",  "repeat", "if",    "end"};

bool holdsThings(std::string_view context) { return context.empty() || context == "figure"; }

bool isTransparent(std::string_view keyword) { return keyword == "repeat" || keyword == "if"; }

const BlockHeader* findBlock(std::string_view keyword) {
  for (const BlockHeader& b : kBlocks)
    if (b.keyword == keyword) return &b;
  return nullptr;
}

bool isStatementIn(std::string_view keyword, std::string_view context) {
  if (context == "override") return true;  // whatever the overridden thing has
  return std::any_of(kStatements.begin(), kStatements.end(), [&](const Exception& e) {
    return e.insideOf == context && e.keyword == keyword;
  });
}

class Parser {
 public:
  Parser(SyntaxTree& tree, const std::string& fileName, const LanguageLimits& limits,
         std::vector<Problem>& problems)
      : tree_(tree), file_(fileName), limits_(limits), problems_(problems) {}

  void run() {
    open_.push_back({});
    while (!givenUp_ && tokens()[at_].kind != TokenKind::EndOfFile) item();
    if (!givenUp_) reportOpenBlocks();
    for (std::size_t i = 1; i < open_.size(); ++i)
      tree_.items[open_[i].item].lastToken = lastToken();
  }

 private:
  struct Open {
    std::uint32_t item = Item::kNone;
    std::uint32_t last = Item::kNone;  // child that the next one is linked to
    std::string_view context;          // nearest block that is no `repeat` or `if`
    bool inElse = false;
  };

  [[nodiscard]] const std::vector<Token>& tokens() const { return tree_.tokens; }
  [[nodiscard]] std::uint32_t lastToken() const { return at_ > 0 ? at_ - 1 : 0; }
  [[nodiscard]] bool isWord(std::uint32_t token, std::string_view word) const {
    return tokens()[token].kind == TokenKind::Name && tree_.word(token) == word;
  }
  [[nodiscard]] bool isMark(std::uint32_t token, char mark) const {
    return tokens()[token].kind == TokenKind::Punctuation && tokens()[token].length == 1 &&
           tree_.text[tokens()[token].offset] == mark;
  }
  [[nodiscard]] bool touchesPrevious(std::uint32_t token) const {
    return token > 0 &&
           tokens()[token - 1].offset + tokens()[token - 1].length == tokens()[token].offset;
  }

  // ------------------------------------------------------------------------------------- problems

  void problem(std::size_t offset, std::size_t length, std::string what, std::string remedy = {}) {
    if (givenUp_) return;
    problems_.push_back(problemIn(file_, tree_.text, offset, length, Severity::Error,
                                  std::move(what), std::move(remedy)));
    countProblems();
  }
  void problemAtToken(std::uint32_t token, std::string what, std::string remedy = {}) {
    problem(tokens()[token].offset, tokens()[token].length, std::move(what), std::move(remedy));
  }
  void countProblems() {
    if (problems_.size() >= limits_.problems) givenUp_ = true;
  }

  [[nodiscard]] std::string found(std::uint32_t token) const {
    if (tokens()[token].kind == TokenKind::EndOfFile) return "the end of the file";
    return quoted(tree_.word(token));
  }
  [[nodiscard]] std::string lineOf(std::uint32_t token) const {
    return "line " + std::to_string(lineAt(tree_.text, tokens()[token].offset).line);
  }
  // 'solid bob'
  [[nodiscard]] std::string title(std::uint32_t item) const {
    const Item& it = tree_.items[item];
    std::string words(tree_.keyword(it));
    for (std::uint32_t v = 0; v < it.valueCount && words.size() < 60; ++v) {
      words += ' ';
      words += tree_.source(tree_.values[it.firstValue + v]);
    }
    return quoted(words);
  }

  // A token that can begin neither a statement nor a value.
  void unexpected(std::uint32_t token, const std::string& expected) {
    if (tokens()[token].kind == TokenKind::Bad) {
      const Explanation why = explainBad(tree_.word(token));
      const bool hiding = tree_.word(token).substr(0, 2) == "/*";
      if (hiding) hidesRest_ = true;
      problem(tokens()[token].offset, hiding ? 2 : tokens()[token].length, why.what, why.remedy);
      return;
    }
    const std::string_view word = tree_.word(token);
    std::string remedy;
    if (tokens()[token].kind == TokenKind::Punctuation && word != ";" && word != "(" &&
        word != ")" && word != "." && word != ",") {
      remedy = "write arithmetic in parentheses: (1 + 2)";
    } else if (word == ",") {
      remedy = "separate values with spaces only";
    } else if (word == ")") {
      remedy = "there is no '(' before it";
    }
    problemAtToken(token, "expected " + expected + ", found " + found(token), remedy);
  }

  // ---------------------------------------------------------------------------------------- items

  void item() {
    const Token& t = tokens()[at_];
    if (t.kind != TokenKind::Name) {
      if (isMark(at_, ';')) {
        problemAtToken(at_++, "this statement is empty", "remove this ';'");
        while (isMark(at_, ';')) ++at_;
      } else {
        unexpected(at_, "a statement");
        skipStatement();
      }
      return;
    }
    const std::string_view word = tree_.word(at_);
    if (word == "end") return closeBlock();
    if (word == "else") return elsePart();
    const std::string_view context = open_.back().context;
    if (const BlockHeader* header = blockHeader(word, context)) return openBlock(*header, true);
    if (findBlock(word) != nullptr && !isStatementIn(word, context)) {
      // A block that cannot stand here. Further left than the open one, or as far: an `end` is
      // missing. Further right: somebody meant to nest it.
      const Item& outer = tree_.items[open_.back().item];
      const int inner = column(at_);
      if (inner >= 0 && inner <= column(outer.keyword)) {
        problemAtToken(at_,
                       quoted(word) + " cannot stand inside " + title(open_.back().item) +
                           ", which is still open since " + lineOf(outer.keyword),
                       "close that with 'end' first");
        tree_.items[open_.back().item].lastToken = lastToken();
        open_.pop_back();
      } else {
        problemAtToken(at_, quoted(word) + " cannot stand inside " + title(open_.back().item),
                       "write it after the 'end' of that block");
        openBlock(*findBlock(word), false);
      }
      return;
    }
    if (holdsThings(context) && looksLikeBlock(at_)) {
      const std::string near = nearestWord(std::string(word), blockKeywords());
      if (!near.empty()) {
        problemAtToken(at_, "unknown word " + quoted(word), "did you mean " + quoted(near) + "?");
        return openBlock(*findBlock(near), false);
      }
    }
    statement();
  }

  // True if `end` or a new line comes before the `;`: what `slid bob … end` looks like.
  [[nodiscard]] bool looksLikeBlock(std::uint32_t token) const {
    for (std::uint32_t i = token + 1; tokens()[i].kind != TokenKind::EndOfFile; ++i) {
      if (isMark(i, ';')) return false;
      if (tokens()[i].kind == TokenKind::Name && (tree_.startsLine(i) || tree_.word(i) == "end"))
        return true;
    }
    return false;
  }

  void link(std::uint32_t item) {
    Open& open = open_.back();
    tree_.items[item].parent = open.item;
    if (open.last != Item::kNone) {
      tree_.items[open.last].nextSibling = item;
    } else if (open.item == Item::kNone) {
      tree_.firstItem = item;
    } else if (open.inElse) {
      tree_.items[open.item].elseChild = item;
    } else {
      tree_.items[open.item].firstChild = item;
    }
    open.last = item;
  }

  void statement() {
    Item it;
    it.kind = ItemKind::Statement;
    it.keyword = at_;
    it.firstValue = static_cast<std::uint32_t>(tree_.values.size());
    const char first = tree_.text[tokens()[at_].offset];
    if (first == '-' || first == '.' || (first >= '0' && first <= '9')) {
      unexpected(at_, "a statement");
      return skipStatement();
    }
    ++at_;
    for (;;) {
      if (isMark(at_, ';')) break;
      const bool any = tree_.values.size() > it.firstValue;
      if (endsStatement(at_, any)) {
        const Token& last = tokens()[at_ - 1];
        problem(last.offset + last.length, 1,
                "expected ';' after " + quoted(tree_.word(it.keyword)) + " and its values, found " +
                    found(at_),
                "end the statement with ';'");
        --at_;  // so that lastToken is the last one that belongs to it
        break;
      }
      if (!value(any)) {
        tree_.values.resize(it.firstValue);
        return skipStatement();
      }
    }
    it.lastToken = at_++;
    it.valueCount = static_cast<std::uint32_t>(tree_.values.size()) - it.firstValue;
    tree_.items.push_back(it);
    link(static_cast<std::uint32_t>(tree_.items.size() - 1));
  }

  // A token that shows that the statement before it lacks its `;`.
  [[nodiscard]] bool endsStatement(std::uint32_t token, bool any) const {
    if (tokens()[token].kind == TokenKind::EndOfFile) return true;
    if (tokens()[token].kind != TokenKind::Name) return false;
    const std::string_view word = tree_.word(token);
    if (word == "end" || word == "else") return true;
    if (!any || findBlock(word) == nullptr || !tree_.startsLine(token)) return false;
    const std::string_view context = open_.back().context;
    return blockHeader(word, context) != nullptr || !isStatementIn(word, context);
  }

  void skipStatement() {
    for (; tokens()[at_].kind != TokenKind::EndOfFile; ++at_) {
      if (isMark(at_, ';')) {
        ++at_;
        return;
      }
      if (tokens()[at_].kind != TokenKind::Name) continue;
      const std::string_view word = tree_.word(at_);
      if (word == "end") return;
      if (findBlock(word) != nullptr && tree_.startsLine(at_)) return;
    }
  }

  // --------------------------------------------------------------------------------------- blocks

  void openBlock(const BlockHeader& header, bool wanted) {
    if (open_.size() > limits_.depth) {
      problemAtToken(at_, "blocks are nested deeper than " + std::to_string(limits_.depth),
                     "is an 'end' missing?");
      givenUp_ = true;
      return;
    }
    Item it;
    it.kind = ItemKind::Block;
    it.keyword = it.lastToken = at_++;
    it.firstValue = static_cast<std::uint32_t>(tree_.values.size());
    const bool good = headerValues(header, it) && wanted;
    it.valueCount = static_cast<std::uint32_t>(tree_.values.size()) - it.firstValue;
    tree_.items.push_back(it);
    const auto index = static_cast<std::uint32_t>(tree_.items.size() - 1);
    if (good) link(index);  // else its content is still read, but nobody will find it
    open_.push_back({index, Item::kNone,
                     isTransparent(header.keyword) ? open_.back().context : header.keyword, false});
  }

  bool headerValues(const BlockHeader& header, const Item& it) {
    for (int n = 0; n < header.most; ++n) {
      if (n >= header.least) {
        if (header.keyword == "constraint") {
          if (tokens()[at_].kind != TokenKind::Name) break;
          const auto& words = kConstraintWords;
          if (std::find(words.begin(), words.end(), tree_.word(at_)) != words.end()) break;
        } else if (n == header.least && !isWord(at_, "step")) {  // `repeat`
          break;
        }
      }
      if (!headerValue(header, it, n)) return false;
    }
    const bool oneWord = header.least > 0 && tree_.values.size() > it.firstValue;
    if (isMark(at_, ';')) {
      problemAtToken(at_, "there is no ';' after " + quoted(header.form), "remove it");
      ++at_;
      return true;
    }
    const bool opensNothing = tokens()[at_].kind != TokenKind::Name &&
                              tokens()[at_].kind != TokenKind::EndOfFile &&
                              tokens()[at_].kind != TokenKind::Bad;
    // `joint pin` and on the next line `object2 bob;` reads as a joint called object2 …
    const std::uint32_t last = at_ - 1;
    const bool misread = oneWord && tokens()[last].kind == TokenKind::Name && last > it.keyword &&
                         tree_.startsLine(last) && !isTransparent(header.keyword) &&
                         (opensNothing || (tokens()[at_].kind == TokenKind::Name &&
                                           !isWord(at_, "end") && isMark(at_ + 1, ';')));
    if (misread) {
      problemAtToken(it.keyword, "a word is missing after " + quoted(tree_.word(it.keyword)),
                     "the form is " + quoted(header.form));
      skipStatement();
      return false;
    }
    if (opensNothing) {
      problemAtToken(
          at_,
          "expected a statement of " + quoted(header.keyword) + " or 'end', found " + found(at_),
          "the block begins with " + quoted(header.form));
      skipStatement();
      return false;
    }
    return true;
  }

  bool headerValue(const BlockHeader& header, const Item& it, int n) {
    const Token& t = tokens()[at_];
    const bool isIf = header.keyword == "if", isRepeat = header.keyword == "repeat";
    const bool name = !isIf && (!isRepeat || n == 0 || n == 3);
    const bool reserved =
        t.kind == TokenKind::Name && (tree_.word(at_) == "end" || tree_.word(at_) == "else");
    const bool fits = name   ? t.kind == TokenKind::Name && !reserved
                      : isIf ? isMark(at_, '(')
                             : t.kind == TokenKind::Number || isMark(at_, '(');
    if (!fits) {
      const std::string expected = name   ? "a name"
                                   : isIf ? "a condition in parentheses"
                                          : "a number or '(…)'";
      if (t.kind == TokenKind::Bad) {
        unexpected(at_, expected);
      } else {
        problemAtToken(at_,
                       "expected " + expected + " after " + quoted(tree_.word(it.keyword)) +
                           ", found " + found(at_),
                       "the form is " + quoted(header.form));
      }
      if (!reserved && t.kind != TokenKind::EndOfFile) skipHeader();
      tree_.values.resize(it.firstValue);
      return false;
    }
    if (!value(n > 0)) {
      tree_.values.resize(it.firstValue);
      skipHeader();
      return false;
    }
    return true;
  }

  // After a bad header: to the next line, where the first statement probably begins.
  void skipHeader() {
    for (; tokens()[at_].kind != TokenKind::EndOfFile; ++at_) {
      if (tree_.startsLine(at_) || isWord(at_, "end")) return;
      if (isMark(at_, ';')) {
        ++at_;
        return;
      }
    }
  }

  void elsePart() {
    Open& open = open_.back();
    const bool inIf = open.item != Item::kNone && tree_.keyword(tree_.items[open.item]) == "if";
    if (!inIf) {
      problemAtToken(at_, "this 'else' is not in an 'if'");
    } else if (open.inElse) {
      problemAtToken(at_, "this is the second 'else' of an 'if'",
                     "nest another 'if' in the first one");
    } else {
      open.inElse = true;
      open.last = Item::kNone;
    }
    ++at_;
  }

  void closeBlock() {
    const std::uint32_t end = at_++;
    if (open_.size() == 1) {
      problemAtToken(end, "this 'end' closes no block",
                     "remove it, or look for a block that was closed too early");
      if (isMark(at_, ';')) ++at_;
      return;
    }
    const std::uint32_t item = open_.back().item;
    if (isMark(at_, ';')) ++at_;
    tree_.items[item].lastToken = lastToken();
    const int inner = column(end), outer = column(tree_.items[item].keyword);
    if (suspect_ == Item::kNone && inner >= 0 && outer >= 0 && inner < outer) {
      suspect_ = item;
      suspectEnd_ = end;
    }
    open_.pop_back();
  }

  void reportOpenBlocks() {
    if (open_.size() == 1 || hidesRest_) return;
    if (suspect_ != Item::kNone) {
      problemAtToken(tree_.items[suspect_].keyword, title(suspect_) + " seems to lack its 'end'",
                     "the 'end' of " + lineOf(suspectEnd_) + " is indented for an outer block");
      return;
    }
    for (std::size_t i = open_.size(); i-- > 1 && open_.size() - i <= 3;) {
      const Item& it = tree_.items[open_[i].item];
      problemAtToken(it.keyword, title(open_[i].item) + " is not closed",
                     "add 'end' where the block should end");
    }
  }

  // Column of a token that is the first on its line, else -1.
  [[nodiscard]] int column(std::uint32_t token) const {
    if (!tree_.startsLine(token)) return -1;
    std::size_t begin = tokens()[token].offset;
    const std::size_t least = token == 0 ? 0 : tokens()[token - 1].offset;
    while (begin > least && tree_.text[begin - 1] != '\n' && tree_.text[begin - 1] != '\r') --begin;
    return static_cast<int>(tokens()[token].offset - begin);
  }

  // --------------------------------------------------------------------------------------- values

  // Reads one value, or reports why there is none. `separate`: it must not touch the one before.
  bool value(bool separate) {
    const Token& t = tokens()[at_];
    const std::string_view word = tree_.word(at_);
    const bool begins = t.kind == TokenKind::Number || t.kind == TokenKind::Name ||
                        t.kind == TokenKind::String || isMark(at_, '(');
    if (begins && separate && touchesPrevious(at_)) {
      problemAtToken(at_, "expected a space or ';' before " + found(at_),
                     "separate values with spaces, and write arithmetic in parentheses: (2 - 1)");
      return false;
    }
    Value v;
    v.firstToken = at_;
    switch (t.kind) {
      case TokenKind::Number: {
        Quantity quantity;
        std::string error;
        if (!readQuantity(word, quantity, error)) {
          problemAtToken(at_, error);
          return false;
        }
        v.kind = ValueKind::Number;
        ++at_;
        break;
      }
      case TokenKind::String:
        if (!checkString(at_)) return false;
        v.kind = ValueKind::String;
        ++at_;
        break;
      case TokenKind::Name:
        v.kind = ValueKind::Name;
        ++at_;
        while (isMark(at_, '(') && touchesPrevious(at_)) {
          if (!parentheses()) return false;
          if (tokens()[at_].kind == TokenKind::Name && touchesPrevious(at_)) ++at_;
        }
        break;
      default:
        if (!isMark(at_, '(')) {
          unexpected(at_, "a value or ';'");
          return false;
        }
        v.kind = ValueKind::Expression;
        if (!parentheses()) return false;
        break;
    }
    v.tokenCount = at_ - v.firstToken;
    tree_.values.push_back(v);
    return true;
  }

  // `( … )`, checked; at_ is moved behind it.
  bool parentheses() {
    const std::uint32_t first = at_;
    std::size_t depth = 0;
    for (std::uint32_t i = first;; ++i) {
      if (isMark(i, '(')) {
        if (++depth > limits_.depth) {
          problemAtToken(i, "parentheses are nested deeper than " + std::to_string(limits_.depth));
          return false;
        }
      } else if (isMark(i, ')')) {
        if (--depth == 0) {
          const Value v{ValueKind::Expression, first, i + 1 - first};
          at_ = i + 1;
          if (checkExpression(tree_, v, file_, problems_)) return true;
          countProblems();
          return false;
        }
      } else if (isMark(i, ';') || isWord(i, "end") || tokens()[i].kind == TokenKind::EndOfFile ||
                 tokens()[i].kind == TokenKind::Bad) {
        if (tokens()[i].kind == TokenKind::Bad) {
          unexpected(i, "an expression");
        } else {
          problemAtToken(first, "'(' is not closed before " + found(i), "add ')'");
        }
        return false;
      }
    }
  }

  bool checkString(std::uint32_t token) {
    const std::string_view s = tree_.word(token);
    for (std::size_t i = 1; i + 1 < s.size(); ++i) {
      const auto c = static_cast<unsigned char>(s[i]);
      const std::size_t offset = tokens()[token].offset + i;
      if (c == '\\') {
        const char e = s[++i];
        const auto hex = [](char h) {
          return (h >= '0' && h <= '9') || (h >= 'a' && h <= 'f') || (h >= 'A' && h <= 'F');
        };
        const bool isHex = e == 'x' && i + 3 < s.size() && hex(s[i + 1]) && hex(s[i + 2]);
        if (isHex) {
          i += 2;
        } else if (e != '"' && e != '\\' && e != 'n' && e != 't' && e != 'r') {
          problem(offset, 2, "unknown escape " + quoted(s.substr(i - 1, 2)),
                  "use \\\" \\\\ \\n \\t \\r or \\xHH");
          return false;
        }
      } else if ((c < 0x20 && c != '\t') || c == 0x7f) {
        const Explanation why = explainBad(s.substr(i, 1));
        problem(offset, 1, why.what + " in a string", why.remedy);
        return false;
      }
    }
    return true;
  }

  SyntaxTree& tree_;
  const std::string& file_;
  const LanguageLimits& limits_;
  std::vector<Problem>& problems_;
  std::vector<Open> open_;
  std::uint32_t at_ = 0;
  bool givenUp_ = false;
  bool hidesRest_ = false;  // an open comment swallowed the rest: no word about missing `end`s
  std::uint32_t suspect_ = Item::kNone,
                suspectEnd_ = 0;  // first block closed by an outer-looking `end`
};

}  // namespace

std::string_view SyntaxTree::source(const Value& value) const {
  const Token& first = tokens[value.firstToken];
  const Token& last = tokens[value.firstToken + value.tokenCount - 1];
  return std::string_view(text).substr(first.offset, last.offset + last.length - first.offset);
}

Place SyntaxTree::place(const Value& value) const {
  const Token& first = tokens[value.firstToken];
  const Token& last = tokens[value.firstToken + value.tokenCount - 1];
  return {file, first.offset, last.offset + last.length - first.offset};
}

Place SyntaxTree::keywordPlace(const Item& item) const {
  return {file, tokens[item.keyword].offset, tokens[item.keyword].length};
}

Place SyntaxTree::place(const Item& item) const {
  const Token& first = tokens[item.keyword];
  const Token& last = tokens[item.lastToken];
  return {file, first.offset, last.offset + last.length - first.offset};
}

bool SyntaxTree::startsLine(std::uint32_t token) const {
  if (token == 0) return true;
  const std::size_t begin = tokens[token - 1].offset + tokens[token - 1].length;
  const std::size_t end = tokens[token].offset;
  // Only the trivia in between is searched: a text of one long line must not cost its square.
  return std::string_view(text).substr(begin, end - begin).find_first_of("\r\n") !=
         std::string_view::npos;
}

SyntaxTree parseSyntax(std::string text, const std::string& fileName, std::uint32_t file,
                       const LanguageLimits& limits, std::vector<Problem>& problems) {
  SyntaxTree tree;
  tree.file = file;
  tree.text = std::move(text);
  const std::size_t most = std::min<std::size_t>(limits.fileBytes, 0xfffffff0u);
  if (tree.text.size() > most) {
    problems.push_back(problemIn(fileName, tree.text, 0, 1, Severity::Error,
                                 "the text has " + std::to_string(tree.text.size()) +
                                     " bytes, more than the " + std::to_string(most) +
                                     " that are allowed"));
    tree.tokens.push_back({});
    return tree;
  }
  tree.tokens = lex(tree.text);
  Parser(tree, fileName, limits, problems).run();
  return tree;
}

const BlockHeader* blockHeader(std::string_view keyword, std::string_view insideOf) {
  if (!holdsThings(insideOf) && !isTransparent(insideOf) && !isTransparent(keyword)) return nullptr;
  return findBlock(keyword);
}

std::vector<std::string> blockKeywords() {
  std::vector<std::string> words;
  words.reserve(kBlocks.size());
  for (const BlockHeader& b : kBlocks) words.emplace_back(b.keyword);
  return words;
}

std::string decodeString(std::string_view token) {
  const auto digit = [](char h) { return h <= '9' ? h - '0' : (h | 0x20) - 'a' + 10; };
  std::string out;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    char c = token[i];
    if (c == '\\' && i + 2 < token.size()) {
      c = token[++i];
      if (c == 'n')
        c = '\n';
      else if (c == 't')
        c = '\t';
      else if (c == 'r')
        c = '\r';
      else if (c == 'x' && i + 3 < token.size()) {
        c = static_cast<char>(digit(token[i + 1]) * 16 + digit(token[i + 2]));
        i += 2;
      }
    }
    out += c;
  }
  return out;
}

}  // namespace tenon::files
