// Tokens of the scene language.
//
// Outside parentheses `-` belongs to names and numbers (`left-foot`, `-0.4`), inside it is an
// operator: the lexer counts parentheses. A `;` or an `end`, which no expression contains, sets the
// count back to zero, so that one forgotten `)` spoils one statement only.
#include "files/lexer.h"

#include "model/problem.h"

#include <algorithm>
#include <array>

namespace tenon::files {
namespace {

enum : std::uint8_t { kLetter = 1, kDigit = 2, kDash = 4, kSpace = 8, kOperator = 16 };

constexpr std::array<std::uint8_t, 256> makeClasses() {
  std::array<std::uint8_t, 256> c{};
  for (unsigned i = 'a'; i <= 'z'; ++i) c[i] = kLetter;
  for (unsigned i = 'A'; i <= 'Z'; ++i) c[i] = kLetter;
  c['_'] = kLetter;
  for (unsigned i = '0'; i <= '9'; ++i) c[i] = kDigit;
  c['-'] = kDash | kOperator;
  for (const char s : {' ', '\t', '\r', '\n', '\f', '\v'})
    c[static_cast<unsigned char>(s)] = kSpace;
  for (const char s :
       {'+', '*', '/', '^', '%', '<', '>', '=', '!', '?', ':', ',', '(', ')', ';', '.', '&', '|'})
    c[static_cast<unsigned char>(s)] = kOperator;
  return c;
}
constexpr std::array<std::uint8_t, 256> kClasses = makeClasses();

bool is(char c, unsigned classes) {
  return (kClasses[static_cast<unsigned char>(c)] & classes) != 0;
}

// The end of the path that begins at `i`, outside parentheses: names joined by `.`, each of letters,
// digits, `_` and `-`.
std::size_t pathEnd(std::string_view text, std::size_t i) {
  for (;;) {
    while (i < text.size() && is(text[i], kLetter | kDigit | kDash)) ++i;
    if (i + 1 < text.size() && text[i] == '.' && is(text[i + 1], kLetter)) {
      i += 2;
      continue;
    }
    return i;
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 5 + 16);
    Trivia piece;
    for (;;) {
      while (triviaAt(text_, at_, piece)) at_ = piece.offset + piece.length;
      if (at_ >= text_.size()) break;
      next();
    }
    add(TokenKind::EndOfFile, text_.size());
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char look(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(TokenKind kind, std::size_t end) {
    tokens_.push_back(
        {kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end - at_)});
    at_ = end;
  }

  [[nodiscard]] bool touchesLast() const {
    return !tokens_.empty() && tokens_.back().offset + tokens_.back().length == at_;
  }
  [[nodiscard]] bool lastIs(char c) const {
    return !tokens_.empty() && tokens_.back().kind == TokenKind::Punctuation &&
           text_[tokens_.back().offset] == c;
  }

  void next() {
    const char c = text_[at_];
    // `link-(i)b`: what touches the `)` of a computed name goes on with it.
    if (depth_ == 0 && computed_ && lastIs(')') && touchesLast() &&
        (is(c, kLetter | kDigit | kDash) || (c == '.' && is(look(1), kLetter)))) {
      return add(TokenKind::Name, pathEnd(text_, at_));
    }
    if (is(c, kLetter)) {
      const std::size_t end = depth_ == 0 ? pathEnd(text_, at_) : wordEnd(at_);
      if (text_.substr(at_, end - at_) == "end") depth_ = 0;
      return add(TokenKind::Name, end);
    }
    if (startsNumber(0) || (depth_ == 0 && (c == '-' || c == '+') && startsNumber(1)))
      return add(TokenKind::Number, numberEnd());
    if (c == '"') return string();
    if (c == '/' && look(1) == '*') return add(TokenKind::Bad, text_.size());  // never closed
    if (is(c, kOperator)) return punctuation();
    // Everything else in one piece, so that a binary file does not become a million problems.
    std::size_t end = at_ + 1;
    while (end < text_.size() && kClasses[static_cast<unsigned char>(text_[end])] == 0 &&
           text_[end] != '"' && text_[end] != '#')
      ++end;
    add(TokenKind::Bad, end);
  }

  void punctuation() {
    const char c = text_[at_];
    std::size_t length = 1;
    if (c == '(') {
      if (depth_++ == 0)
        computed_ =
            touchesLast() && (tokens_.back().kind == TokenKind::Name || (computed_ && lastIs(')')));
    } else if (c == ')') {
      if (depth_ > 0) --depth_;
    } else if (c == ';') {
      depth_ = 0;
    } else {
      const bool compares = (c == '<' || c == '>' || c == '=' || c == '!') && look(1) == '=';
      const bool doubles = (c == '&' || c == '|') && look(1) == c;  // for the message only
      if (compares || doubles) length = 2;
    }
    add(TokenKind::Punctuation, at_ + length);
  }

  // A parameter's name inside parentheses: no `-`.
  [[nodiscard]] std::size_t wordEnd(std::size_t i) const {
    for (;;) {
      while (i < text_.size() && is(text_[i], kLetter | kDigit)) ++i;
      if (i + 1 < text_.size() && text_[i] == '.' && is(text_[i + 1], kLetter)) {
        i += 2;
        continue;
      }
      return i;
    }
  }

  [[nodiscard]] bool startsNumber(std::size_t ahead) const {
    return is(look(ahead), kDigit) || (look(ahead) == '.' && is(look(ahead + 1), kDigit));
  }

  [[nodiscard]] std::size_t numberEnd() const {
    std::size_t i = at_;
    const auto digits = [&] {
      while (i < text_.size() && is(text_[i], kDigit)) ++i;
    };
    if (text_[i] == '-' || text_[i] == '+') ++i;
    digits();
    if (i < text_.size() && text_[i] == '.') {
      ++i;
      digits();
    }
    if (i + 1 < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
      const std::size_t sign = text_[i + 1] == '-' || text_[i + 1] == '+' ? 1 : 0;
      if (i + 1 + sign < text_.size() && is(text_[i + 1 + sign], kDigit)) {
        i += 1 + sign;
        digits();
      }
    }
    while (i < text_.size() && is(text_[i], kLetter | kDigit)) ++i;  // the unit
    return i;
  }

  void string() {
    std::size_t i = at_ + 1;
    for (; i < text_.size() && text_[i] != '\n' && text_[i] != '\r'; ++i) {
      if (text_[i] == '"') return add(TokenKind::String, i + 1);
      if (text_[i] == '\\' && i + 1 < text_.size() && text_[i + 1] != '\n' && text_[i + 1] != '\r')
        ++i;
    }
    add(TokenKind::Bad, i);
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool computed_ = false;  // the parentheses at hand are, or were, part of a name
};

}  // namespace

std::vector<Token> lex(std::string_view text) { return Lexer(text).run(); }

bool isName(std::string_view text) {
  return !text.empty() && is(text[0], kLetter) && pathEnd(text, 0) == text.size() && text != "end";
}

bool triviaAt(std::string_view text, std::size_t offset, Trivia& piece) {
  if (offset >= text.size()) return false;
  const char c = text[offset];
  piece.offset = offset;
  if (is(c, kSpace)) {
    if (c == '\n' || c == '\r') {
      piece.kind = Trivia::Kind::LineEnd;
      piece.length = c == '\r' && offset + 1 < text.size() && text[offset + 1] == '\n' ? 2 : 1;
      return true;
    }
    piece.kind = Trivia::Kind::Space;
    std::size_t end = offset + 1;
    while (end < text.size() && is(text[end], kSpace) && text[end] != '\n' && text[end] != '\r')
      ++end;
    piece.length = end - offset;
    return true;
  }
  if (offset == 0 && text.compare(0, 3, "\xEF\xBB\xBF") == 0) {  // a byte order mark
    piece.kind = Trivia::Kind::Space;
    piece.length = 3;
    return true;
  }
  const char d = offset + 1 < text.size() ? text[offset + 1] : '\0';
  if (c == '#' || (c == '/' && d == '/')) {
    piece.kind = Trivia::Kind::LineComment;
    const std::size_t end = text.find_first_of("\r\n", offset);
    piece.length = (end == std::string_view::npos ? text.size() : end) - offset;
    return true;
  }
  if (c == '/' && d == '*') {
    const std::size_t end = text.find("*/", offset + 2);
    if (end == std::string_view::npos) return false;
    piece.kind = Trivia::Kind::BlockComment;
    piece.length = end + 2 - offset;
    return true;
  }
  return false;
}

Explanation explainBad(std::string_view token) {
  if (token.empty()) return {"a word is missing here", ""};
  const auto c = static_cast<unsigned char>(token[0]);
  if (c == '"') return {"a string is not closed on its line", "end it with '\"'"};
  if (token.substr(0, 2) == "/*") return {"a comment is not closed", "end it with '*/'"};
  if (c == 0) return {"the text has a NUL byte", "is this a text file?"};
  if (c == '\'') return {"unexpected \"'\"", "write strings between '\"'"};
  if (c == '{' || c == '}')
    return {"unexpected " + quoted(token.substr(0, 1)), "close a block with 'end'"};
  if (c == '[' || c == ']')
    return {"unexpected " + quoted(token.substr(0, 1)), "separate values with spaces only"};
  if (c < 0x20 || c == 0x7f) {
    static constexpr char kHex[] = "0123456789abcdef";
    return {std::string("unexpected control character 0x") + kHex[c >> 4] + kHex[c & 15],
            "remove it"};
  }
  if (c < 0x80) return {"unexpected " + quoted(token.substr(0, 1)), ""};

  const std::size_t n = utf8Length(token, 0);
  if (n == 0) return {"the text has a byte that is not UTF-8", "save the file as UTF-8"};
  struct Lookalike {
    std::string_view typed, meant;
  };
  static constexpr std::array<Lookalike, 10> kLookalikes{{{"\u2212", "'-'"},
                                                          {"\u2013", "'-'"},
                                                          {"\u2014", "'-'"},
                                                          {"\u201c", "'\"'"},
                                                          {"\u201d", "'\"'"},
                                                          {"\u00b0", "'deg'"},
                                                          {"\u00d7", "'*', in parentheses"},
                                                          {"\u00b7", "'*', in parentheses"},
                                                          {"\u00a0", "an ordinary space"},
                                                          {"\u037e", "';'"}}};
  const std::string_view typed = token.substr(0, n);
  for (const Lookalike& l : kLookalikes)
    if (l.typed == typed) return {"unexpected " + quoted(typed), "write " + std::string(l.meant)};
  return {"unexpected " + quoted(typed),
          "names are made of the letters a to z, digits, '_' and '-'"};
}

}  // namespace tenon::files
