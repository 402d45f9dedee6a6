// Canonical layout: two spaces a block, one statement a line, at most one blank line, trailing
// comments of neighbouring lines aligned. A short block that its author wrote on one line stays on
// one line, and so do the line breaks inside a long statement (the rows of a mesh, say).
//
// Only the white space between tokens and comments changes, so meaning cannot. Where two tokens
// touched they still touch, and where they did not there is still a space: `link-(i)` is a name,
// `link- (i)` is two values.
#include "files/lexer.h"
#include "files/syntax.h"

#include <algorithm>

namespace tenon {
namespace files {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kAligned =
    64;  // code longer than this does not push its neighbours' comments

enum class Role : std::uint8_t { Inner, Start, End, Else };

struct Comment {
  std::string_view text;
  bool toLineEnd = false;       // `//` and `#`
  std::size_t linesBefore = 0;  // line ends since the token or comment before
};

struct Gap {  // between two tokens
  std::vector<Comment> comments;
  std::size_t linesAfter = 0;  // line ends since the last comment, or the token before
  bool empty = true;           // the tokens touch
};

struct Line {
  std::size_t indent = 0;
  bool blankBefore = false;
  std::string code;     // may begin with, or be, a comment that has the line to itself
  std::string comment;  // what trails
};

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  }));
}

bool manyLines(std::string_view text) {
  return text.find_first_of("\r\n") != std::string_view::npos;
}

class Formatter {
 public:
  explicit Formatter(const SyntaxTree& tree) : tree_(tree), text_(tree.text) {
    roles_.assign(tree.tokens.size(), Role::Inner);
    blockOf_.assign(tree.tokens.size(), Item::kNone);
    for (std::uint32_t i = 0; i < tree.items.size(); ++i) {
      const Item& item = tree.items[i];
      roles_[item.keyword] = Role::Start;
      if (item.kind != ItemKind::Block) continue;
      blockOf_[item.keyword] = i;
      std::uint32_t end = item.lastToken;
      if (tree.word(end) == ";") --end;
      roles_[end] = Role::End;
    }
    // `else` is the only word outside of statements that is neither a keyword nor an `end`.
    std::uint32_t inside = 0;  // tokens up to here belong to a statement or a header
    for (std::uint32_t i = 0; i < tree.items.size(); ++i) {
      const Item& item = tree.items[i];
      markElse(inside, item.keyword);
      if (item.kind == ItemKind::Statement) {
        inside = item.lastToken + 1;
      } else {
        inside = item.keyword + 1;
        if (item.valueCount > 0) {
          const Value& last = tree.values[item.firstValue + item.valueCount - 1];
          inside = last.firstToken + last.tokenCount;
        }
      }
    }
    markElse(inside, static_cast<std::uint32_t>(tree.tokens.size()));
  }

  std::string run() {
    const auto last = static_cast<std::uint32_t>(tree_.tokens.size() - 1);
    for (std::uint32_t t = 0; t < last;) t = token(t);
    // What stands behind the last token.
    comments(gapBefore(last), 2 * depth_, true);
    newLine(0, false);
    alignComments();

    // The file keeps its line ends.
    const std::size_t firstEnd = text_.find_first_of("\r\n");
    const bool crlf = firstEnd != std::string_view::npos && text_.compare(firstEnd, 2, "\r\n") == 0;
    const std::string_view lineEnd = crlf ? "\r\n" : "\n";
    std::string out;
    out.reserve(text_.size() + text_.size() / 8);
    for (const Line& line : lines_) {
      if (line.blankBefore && !out.empty()) out += lineEnd;
      out.append(line.indent, ' ');
      out += line.code;
      out += line.comment;
      out += lineEnd;
    }
    return out;
  }

 private:
  void markElse(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t t = begin; t < end; ++t)
      if (roles_[t] == Role::Inner && tree_.word(t) == "else") roles_[t] = Role::Else;
  }

  [[nodiscard]] Gap gapBefore(std::uint32_t token) const {
    Gap gap;
    std::size_t at =
        token == 0 ? 0 : tree_.tokens[token - 1].offset + tree_.tokens[token - 1].length;
    const std::size_t end = tree_.tokens[token].offset;
    gap.empty = at == end;
    Trivia piece;
    for (; at < end && triviaAt(text_, at, piece); at = piece.offset + piece.length) {
      if (piece.kind == Trivia::Kind::LineEnd) ++gap.linesAfter;
      if (piece.kind != Trivia::Kind::LineComment && piece.kind != Trivia::Kind::BlockComment)
        continue;
      gap.comments.push_back({text_.substr(piece.offset, piece.length),
                              piece.kind == Trivia::Kind::LineComment, gap.linesAfter});
      gap.linesAfter = 0;
    }
    return gap;
  }

  // ----------------------------------------------------------------------------------------- lines

  void newLine(std::size_t indent, bool blank) {
    if (hasLine_) lines_.push_back(std::move(line_));
    line_ = {indent, blank, {}, {}};
    hasLine_ = false;
  }

  void append(std::string_view space, std::string_view text) {
    if (!line_.comment.empty()) {  // it does not trail after all
      line_.code += ' ' + line_.comment;
      line_.comment.clear();
    }
    if (hasLine_) line_.code += space;
    line_.code += text;
    hasLine_ = true;
  }

  // Puts down the comments of a gap; true if the last one has begun a line of its own.
  bool comments(const Gap& gap, std::size_t indent, bool betweenItems) {
    bool own = false;
    for (const Comment& c : gap.comments) {
      if (c.linesBefore == 0 && hasLine_) {
        line_.comment += line_.comment.empty() ? "" : " ";
        line_.comment += c.text;
      } else {
        newLine(indent, betweenItems && c.linesBefore > 1 && !blockStart_);
        append("", c.text);
        own = true;
        blockStart_ = false;
      }
    }
    return own;
  }

  void alignComments() {
    for (std::size_t i = 0; i < lines_.size();) {
      std::size_t end = i, column = 0;
      for (;
           end < lines_.size() && takesPart(lines_[end]) && (end == i || !lines_[end].blankBefore);
           ++end)
        column = std::max(column, lines_[end].indent + width(lines_[end].code));
      for (std::size_t k = i; k < end; ++k) {
        const std::size_t used = lines_[k].indent + width(lines_[k].code);
        lines_[k].comment.insert(0, column + 2 - used, ' ');
      }
      if (end == i) {
        if (!lines_[i].comment.empty()) lines_[i].comment.insert(0, "  ");
        ++end;
      }
      i = end;
    }
  }

  static bool takesPart(const Line& line) {
    return !line.comment.empty() && !manyLines(line.comment) && !manyLines(line.code) &&
           line.indent + width(line.code) <= kAligned;
  }

  // ---------------------------------------------------------------------------------------- tokens

  // Space between a token and the one before it in the same statement.
  [[nodiscard]] std::string_view spaceBefore(std::uint32_t token, const Gap& gap) const {
    const std::string_view word = tree_.word(token);
    if (word == ";") return "";
    if (!gap.comments.empty() || tree_.word(token - 1) == ",") return " ";
    if (gap.empty) return "";
    const bool mark = tree_.tokens[token].kind == TokenKind::Punctuation;
    if (mark && (word == ")" || word == ",")) return "";
    return tree_.tokens[token - 1].kind == TokenKind::Punctuation && tree_.word(token - 1) == "("
               ? ""
               : " ";
  }

  // A block that its author wrote on one line, on one line; empty if it was not, or is too long.
  [[nodiscard]] std::string oneLine(std::uint32_t first, std::uint32_t last,
                                    std::size_t most) const {
    std::string out(tree_.word(first));
    for (std::uint32_t t = first + 1; t <= last; ++t) {
      const Gap gap = gapBefore(t);
      if (gap.linesAfter > 0) return {};
      for (const Comment& c : gap.comments) {
        if (c.linesBefore > 0 || c.toLineEnd || manyLines(c.text)) return {};
        out += ' ';
        out += c.text;
      }
      out += roles_[t] != Role::Inner ? " " : spaceBefore(t, gap);
      out += tree_.word(t);
      if (out.size() > 4 * most) return {};  // bytes: a character has up to four
    }
    return width(out) <= most ? out : std::string();
  }

  std::uint32_t token(std::uint32_t t) {
    const Role role = roles_[t];
    const Gap gap = gapBefore(t);
    if (role == Role::Inner) {
      const std::size_t indent = 2 * statementDepth_ + 4;
      comments(gap, indent, false);
      const bool closes = tree_.word(t) == ";" && gap.comments.empty();
      if (gap.linesAfter > 0 && !closes) newLine(indent, false);
      append(spaceBefore(t, gap), tree_.word(t));
      return t + 1;
    }

    const bool own = comments(gap, 2 * depth_, true);
    if (role != Role::Start) {
      if (depth_ > 0) --depth_;
      newLine(2 * depth_, false);
    } else if (!own || gap.linesAfter > 0) {
      newLine(2 * depth_, gap.linesAfter > 1 && !blockStart_);
    }
    blockStart_ = false;
    statementDepth_ = depth_;
    const std::uint32_t block = blockOf_[t];
    if (block != Item::kNone) {
      const std::size_t used = line_.indent + (hasLine_ ? width(line_.code) + 1 : 0);
      const std::uint32_t last = tree_.items[block].lastToken;
      const std::string whole = oneLine(t, last, used < kColumns ? kColumns - used : 0);
      if (!whole.empty()) {
        append(" ", whole);
        return last + 1;
      }
    }
    append(" ", tree_.word(t));
    if (block != Item::kNone || role == Role::Else) {
      ++depth_;
      blockStart_ = true;
    }
    return t + 1;
  }

  const SyntaxTree& tree_;
  std::string_view text_;
  std::vector<Role> roles_;
  std::vector<std::uint32_t> blockOf_;  // by keyword token
  std::vector<Line> lines_;
  Line line_;
  bool hasLine_ = false;
  bool blockStart_ = true;  // nothing has been put into the block yet: no blank line there
  std::size_t depth_ = 0, statementDepth_ = 0;
};

}  // namespace
}  // namespace files

Result<std::string> formatText(const std::string& text, const std::string& name) {
  std::vector<Problem> problems;
  const files::SyntaxTree tree = files::parseSyntax(text, name, 0, {}, problems);
  if (hasErrors(problems)) return problems;
  return files::Formatter(tree).run();
}

}  // namespace tenon
