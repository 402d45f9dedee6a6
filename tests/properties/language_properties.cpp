// What must hold of every scene and every text.
#include <tenon/language.h>

#include "files/lexer.h"
#include "files/syntax.h"
#include "support/random_scene.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tenon {
namespace {

void expectProperty(bool held) { EXPECT_TRUE(held) << "see the counterexample above"; }

// Scenes from a seed and a size: both shrink, the size usefully.
Scene anyScene() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto things = *rc::gen::inRange<std::size_t>(0, 12);
  return testing::randomScene(seed, things);
}

// Pieces of the language in any order, mostly nonsense.
std::string anyText() {
  static const std::vector<std::string> kPieces{
      "solid",       "joint",      "pin",         "end",         ";",
      "(",           ")",          "1",           "-2.5",        "5cm",
      "left-foot",   "a.b",        "link-(i)",    " ",           "\n",
      "\r\n",        "\t",         "// c\n",      "# d\n",       "/* e */",
      "/* f\n g */", "\"s\"",      "box 1 1 1;",  "at 0 0 0;",   "repeat i 0 3",
      "if (1)",      "else",       "figure f",    "+",           "-",
      ",",           "\xff",       "é",           "{",           "1e999",
      "end;",        "override a", "constraint",  "object1 b;",  "(a - b)",
      "\"",          "/*",         "solid x end", "joint ball y"};
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces));
  std::string text;
  for (const std::string& p : pieces) {
    text += p;
    if (*rc::gen::inRange(0, 3) != 0) text += ' ';
  }
  return text;
}

// A text that the syntax accepts: random layout and comments around statements and blocks.
std::string anyGoodText() {
  static const std::vector<std::string> kSpaces{
      " ",    "  ",  "\n", "\n\n\n", "\t", " // c\n", " /* d */ ", "\n# e\n", "\n/* f\n   g */\n",
      "/**/", "\r\n"};
  static const std::vector<std::string> kItems{"damp|3|;",
                                               "solid|a|end",
                                               "solid|b|box|1|1|1|;|end|;",
                                               "gravity|0|(1 -|2)|0|;",
                                               "if|(x)|damp|1|;|else|damp|2|;|end",
                                               "repeat|i|0|3|solid|l-(i)|end|end",
                                               "constraint|object1|a|;|end",
                                               "x|link-(i).b|\"s // t\"|;",
                                               "figure|f|param|q|1|;|end"};
  const auto items = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kItems));
  std::string text = *rc::gen::element<std::string>("", "// head\n", "\n\n");
  for (const std::string& item : items) {
    for (const char c : item) {
      if (c == '|')
        text += *rc::gen::elementOf(kSpaces);
      else
        text += c;
    }
    text += *rc::gen::elementOf(kSpaces);
  }
  return text;
}

// Tokens and comments: what formatting may not touch.
std::vector<std::string> contents(const std::string& text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  for (const files::Token& t : files::lex(text)) {
    files::Trivia piece;
    while (at < t.offset && files::triviaAt(text, at, piece)) {
      if (piece.kind == files::Trivia::Kind::LineComment ||
          piece.kind == files::Trivia::Kind::BlockComment)
        out.push_back(text.substr(piece.offset, piece.length));
      at = piece.offset + piece.length;
    }
    out.push_back(text.substr(t.offset, t.length));
    at = t.offset + t.length;
  }
  return out;
}

TEST(LanguageProperties, PrintedScenesReadBackTheSame) {
  expectProperty(rc::check("parse(print(scene)) == scene", [] {
    const Scene scene = anyScene();
    const std::string text = printScene(scene);
    const Result<Scene> read = parseScene(text, "p.tenon");
    if (!read) RC_LOG(describe(read.problems().at(0)));
    RC_ASSERT(read.ok());
    RC_ASSERT(sameScene(*read, scene));
  }));
}

TEST(LanguageProperties, TokensAndTriviaAreTheWholeText) {
  expectProperty(rc::check("lossless", [] {
    const std::string text =
        *rc::gen::oneOf(rc::gen::exec(anyText), rc::gen::string<std::string>());
    std::string again;
    for (const files::Token& t : files::lex(text)) {
      files::Trivia piece;
      while (again.size() < t.offset) {
        RC_ASSERT(files::triviaAt(text, again.size(), piece));
        again += text.substr(piece.offset, piece.length);
      }
      again += text.substr(t.offset, t.length);
    }
    RC_ASSERT(again == text);
  }));
}

TEST(LanguageProperties, RejectedTextsSayWhere) {
  expectProperty(rc::check("a located problem", [] {
    const std::string text = anyText();
    const Result<Scene> r = parseScene(text, "p.tenon");
    if (r) return;
    RC_ASSERT(hasErrors(r.problems()));
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    for (const Problem& p : r.problems()) {
      RC_ASSERT(p.file == "p.tenon");
      RC_ASSERT(p.line >= 1 && p.line <= lines);
      RC_ASSERT(p.column >= 1);
      RC_ASSERT(static_cast<std::size_t>(p.column) <= text.size() + 1);
    }
  }));
}

TEST(LanguageProperties, FormattingIsIdempotentAndKeepsEveryToken) {
  expectProperty(rc::check("format", [] {
    const std::string text = anyGoodText();
    const Result<std::string> once = formatText(text, "p.tenon");
    if (!once) RC_LOG(describe(once.problems().at(0)));
    RC_ASSERT(once.ok());
    RC_ASSERT(contents(*once) == contents(text));
    const Result<std::string> twice = formatText(*once, "p.tenon");
    RC_ASSERT(twice.ok());
    RC_ASSERT(*twice == *once);
  }));
}

TEST(LanguageProperties, SettingAndUnsettingLeavesTheTextAsItWas) {
  expectProperty(rc::check("set, unset", [] {
    const Scene scene = anyScene();
    const std::string text = printScene(scene);
    Result<SceneDocument> document = SceneDocument::open(text, "p.tenon");
    RC_ASSERT(document.ok());
    const Solid& solid = scene.solids[*rc::gen::inRange<std::size_t>(0, scene.solids.size())];
    const Result<TextEdit> set = document->set(solid.name, "mass", "1.25");
    RC_ASSERT(set.ok());
    for (const Solid& s : document->scene().solids)
      if (s.name == solid.name) RC_ASSERT(s.mass == 1.25);
    if (solid.mass) return;
    RC_ASSERT(document->unset(solid.name, "mass").ok());
    RC_ASSERT(document->text() == text);
  }));
}

}  // namespace
}  // namespace tenon
