// Layout is made canonical; nothing else changes.
#include <tenon/language.h>

#include "files/lexer.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

// Tokens and comments in order: all that may not change.
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

std::string formatted(const std::string& text) {
  const Result<std::string> once = formatText(text, "t.tenon");
  EXPECT_TRUE(once) << text << "\n" << describe(once.problems().at(0));
  if (!once) return {};
  EXPECT_EQ(contents(*once), contents(text));
  const Result<std::string> twice = formatText(*once, "t.tenon");
  EXPECT_TRUE(twice);
  EXPECT_EQ(*twice, *once) << "not idempotent";
  return *once;
}

TEST(Format, IndentsBlocksAndSplitsStatements) {
  EXPECT_EQ(formatted("solid a box 1 1 1 ;   density\t3;\nend solid b\nat 1 2 3; end;"),
            "solid a\n  box 1 1 1;\n  density 3;\nend\nsolid b\n  at 1 2 3;\nend;\n");
}

TEST(Format, KeepsAShortBlockOnItsLine) {
  EXPECT_EQ(formatted("figure f\nforce  g  object a;vector 1 0 0; end\nend"),
            "figure f\n  force g object a; vector 1 0 0; end\nend\n");
}

TEST(Format, BreaksABlockThatIsTooLongForALine) {
  std::string text = "solid a";
  for (int i = 0; i < 12; ++i) text += " colour 0.1 0.2 0.3;";
  const std::string out = formatted(text + " end");
  EXPECT_EQ(out.substr(0, 32), "solid a\n  colour 0.1 0.2 0.3;\n  ");
}

TEST(Format, KeepsCommentsAtTheirPlace) {
  EXPECT_EQ(
      formatted("// first\n\n\n\n/* lead */ a 1;// trails\n# own\n  b /* in */ 2 ; /* t */ c 3;\n"),
      "// first\n\n/* lead */ a 1;  // trails\n# own\nb /* in */ 2;  /* t */\nc 3;\n");
  EXPECT_EQ(formatted("solid a // head\n\n  // in\n at 1 2 3;\n\n // last\nend // tail"),
            "solid a  // head\n  // in\n  at 1 2 3;\n\n  // last\nend  // tail\n");
  EXPECT_EQ(formatted("/* only */"), "/* only */\n");
  EXPECT_EQ(formatted("if (1)\n // t\nelse // e\n // f\nend"),
            "if (1)\n  // t\nelse  // e\n  // f\nend\n");
}

TEST(Format, KeepsTheBytesOfLongComments) {
  EXPECT_EQ(formatted("solid a\n   /* one\n two   \n\tthree */\nend"),
            "solid a\n  /* one\n two   \n\tthree */\nend\n");
}

TEST(Format, AlignsCommentsOfNeighbouringLines) {
  EXPECT_EQ(formatted("a 1; // x\nbbbb 22; // y\n\nc 3; // z\n"),
            "a 1;      // x\nbbbb 22;  // y\n\nc 3;  // z\n");
}

TEST(Format, KeepsTheRowsOfALongStatement) {
  EXPECT_EQ(formatted("solid a\nhull 0 0 0 // o\n 1 0 0\n   0 1 0\n;\nend"),
            "solid a\n  hull 0 0 0  // o\n      1 0 0\n      0 1 0;\nend\n");
}

TEST(Format, TouchingTokensStillTouchAndOthersDoNot) {
  EXPECT_EQ(formatted("x link-(i).a link- ( i ) (min( a-b ,c )) ;"),
            "x link-(i).a link- (i) (min(a-b, c));\n");
  EXPECT_EQ(formatted("x a/**/b 1/* c */2;"), "x a /**/ b 1 /* c */ 2;\n");
}

TEST(Format, KeepsTheFilesLineEnds) {
  EXPECT_EQ(formatted("solid a\r\nat 1 2 3;\r\nend\r\n"), "solid a\r\n  at 1 2 3;\r\nend\r\n");
}

TEST(Format, EmptyTextStaysEmpty) {
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted(" \n\n\t"), "");
}

TEST(Format, LeavesTextsWithErrorsAlone) {
  const Result<std::string> r = formatText("solid a\n  at 1 2", "t.tenon");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.problems()[0].line, 2);
}

}  // namespace
}  // namespace tenon
