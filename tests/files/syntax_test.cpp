// Tokens, tree, recovery, numbers, expressions, messages.
#include "files/syntax.h"

#include "files/lexer.h"
#include "model/problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace tenon::files {
namespace {

struct Parsed {
  SyntaxTree tree;
  std::vector<Problem> problems;
};

Parsed parse(const std::string& text, const LanguageLimits& limits = {}) {
  Parsed p;
  p.tree = parseSyntax(text, "t.tenon", 0, limits, p.problems);
  return p;
}

// Items of one level, as `keyword[value value]`.
std::string outline(const SyntaxTree& tree, std::uint32_t first) {
  std::string out;
  for (std::uint32_t i = first; i != Item::kNone; i = tree.items[i].nextSibling) {
    const Item& item = tree.items[i];
    out += tree.keyword(item);
    for (std::uint32_t v = 0; v < item.valueCount; ++v) {
      out += ' ';
      out += tree.source(tree.values[item.firstValue + v]);
    }
    if (item.kind == ItemKind::Block) {
      out += "{" + outline(tree, item.firstChild);
      if (item.elseChild != Item::kNone) out += "|" + outline(tree, item.elseChild);
      out += "}";
    } else {
      out += ";";
    }
  }
  return out;
}

std::string outline(const std::string& text) {
  const Parsed p = parse(text);
  EXPECT_TRUE(p.problems.empty()) << text << "\n" << describe(p.problems.at(0));
  return outline(p.tree, p.tree.firstItem);
}

// Every byte in exactly one token or gap, gaps of trivia only.
void expectLossless(const std::string& text) {
  const std::vector<Token> tokens = lex(text);
  std::size_t at = 0;
  for (const Token& t : tokens) {
    Trivia piece;
    while (at < t.offset) {
      ASSERT_TRUE(triviaAt(text, at, piece));
      ASSERT_EQ(piece.offset, at);
      ASSERT_GT(piece.length, 0u);
      at += piece.length;
    }
    ASSERT_EQ(at, t.offset);
    if (t.kind != TokenKind::EndOfFile) {
      ASSERT_GT(t.length, 0u);
    }
    at += t.length;
  }
  ASSERT_EQ(at, text.size());
  ASSERT_EQ(tokens.back().kind, TokenKind::EndOfFile);
}

// The monocycle of Gascuel & Gascuel 1994, Appendix A.
const char* const kMonocycle = R"(
/* Constraint between the wheel and the
character's body */
constraint object1 body; object2 wheel;
hinge 0 -2.0 0 0 0 0;
angle 1 0 0 1 0 0 max 0; end

/* Angle constraint preventing the character
from falling */
constraint object2 body; /* default object1:
world-fixed coordinate system */
angle 0 1 0 0 1 0 max 0.066; end

constraint object1 body;
object2 right-thigh;
hinge -.4 -0.6 0 0 0 0;
angle 1 0 0 1 0 0 max 0.04; end
)";

TEST(Lexer, KeepsEveryByte) {
  for (const char* text : {"", " ", "a", "a 1;", kMonocycle, "/* open", "\"open\nx",
                           "a/**/b//c\r\nd\re", "x (a-b)-(c) link-(i).foot-(j)",
                           "\xEF\xBB\xBF"
                           "gravity 0 0 0;"})
    expectLossless(text);
}

TEST(Lexer, KeepsEveryByteOfGarbage) {
  std::mt19937 random(7);
  static constexpr char kBytes[] = "()-;.\"\\/*#+e1a_ \n\r\t\0\xff\xc3\xa9[{";
  const std::string alphabet(kBytes, sizeof kBytes - 1);  // with its NUL
  for (int n = 0; n < 3000; ++n) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    expectLossless(text);
    if (HasFatalFailure()) FAIL() << "seed 7, text " << n;
  }
}

TEST(Syntax, ReadsStatementsAndBlocks) {
  EXPECT_EQ(outline("gravity 0 -9.81 0; solid a-b box 1 2 3; end joint pin k end;"),
            "gravity 0 -9.81 0;solid a-b{box 1 2 3;}joint pin k{}");
}

TEST(Syntax, ReadsTheMonocycleUnchanged) {
  EXPECT_EQ(outline(kMonocycle),
            "constraint{object1 body;object2 wheel;hinge 0 -2.0 0 0 0 0;angle 1 0 0 1 0 0 max 0;}"
            "constraint{object2 body;angle 0 1 0 0 1 0 max 0.066;}"
            "constraint{object1 body;object2 right-thigh;hinge -.4 -0.6 0 0 0 0;"
            "angle 1 0 0 1 0 0 max 0.04;}");
}

TEST(Syntax, ConstraintsMayHaveAName) {
  EXPECT_EQ(outline("constraint saddle object1 a; end"), "constraint saddle{object1 a;}");
  EXPECT_EQ(outline("constraint end constraint c end"), "constraint{}constraint c{}");
}

TEST(Syntax, ContextDecidesWhatOpensABlock) {
  EXPECT_EQ(outline("spring s stiffness 1; end joint pin k spring angle stiffness 1; end"),
            "spring s{stiffness 1;}joint pin k{spring angle stiffness 1;}");
  EXPECT_EQ(outline("pose p solid a at 1 2 3; end"), "pose p{solid a at 1 2 3;}");
  EXPECT_EQ(outline("muscle m joint k; end"), "muscle m{joint k;}");
  EXPECT_EQ(outline("solid a material steel; end"), "solid a{material steel;}");
  EXPECT_EQ(outline("joint pin k if (1) spring angle stiffness 1; end end"),
            "joint pin k{if (1){spring angle stiffness 1;}}");
  EXPECT_EQ(outline("figure f repeat i 0 3 spring s-(i) end end end"),
            "figure f{repeat i 0 3{spring s-(i){}}}");
  EXPECT_EQ(outline("override a.b material steel; spring angle stiffness 2; end"),
            "override a.b{material steel;spring angle stiffness 2;}");
}

TEST(Syntax, ElseIsAChainOfItsOwn) {
  EXPECT_EQ(outline("if (1) a 1; b 2; else c 3; d 4; end e 5;"), "if (1){a 1;b 2;|c 3;d 4;}e 5;");
  EXPECT_EQ(outline("if (1) else c 3; end"), "if (1){|c 3;}");
  EXPECT_EQ(outline("if(1) a 1; end"), "if (1){a 1;}");
}

TEST(Syntax, RepeatMayHaveAStep) {
  EXPECT_EQ(outline("repeat i 0 (n - 1) step 2 a 1; end"), "repeat i 0 (n - 1) step 2{a 1;}");
}

TEST(Syntax, ValuesKnowTheirKindAndPlace) {
  const Parsed p = parse("x -0.4 left-foot \"s\" (1 - 2) link-(i)-b.c(2);");
  ASSERT_TRUE(p.problems.empty());
  const Item& item = p.tree.items[p.tree.firstItem];
  ASSERT_EQ(item.valueCount, 5u);
  const ValueKind kinds[] = {ValueKind::Number, ValueKind::Name, ValueKind::String,
                             ValueKind::Expression, ValueKind::Name};
  for (std::uint32_t v = 0; v < 5; ++v) EXPECT_EQ(p.tree.values[v].kind, kinds[v]) << v;
  EXPECT_EQ(p.tree.source(p.tree.values[4]), "link-(i)-b.c(2)");
  EXPECT_EQ(p.tree.place(p.tree.values[1]).offset, 7u);
  EXPECT_EQ(p.tree.place(p.tree.values[1]).length, 9u);
  EXPECT_EQ(p.tree.place(item).length, p.tree.text.size());
}

// --------------------------------------------------------------------------------------- mistakes

struct Mistake {
  const char* text;
  int line, column;
  const char* what;    // part of the message
  const char* remedy;  // part of the remedy
};

TEST(Syntax, ExplainsMistakes) {
  const Mistake mistakes[] = {
      {"gravity 0 0 0\nsolid a end", 1, 14, "expected ';' after 'gravity'", "';'"},
      {"solid a\n  density 3\nend", 2, 12, "expected ';' after 'density'", "';'"},
      {"damp 3", 1, 7, "found the end of the file", "';'"},
      {"solid a\n  damp 1;\n", 1, 1, "'solid a' is not closed", "end"},
      {"end", 1, 1, "this 'end' closes no block", ""},
      {"solid a\n  box 1;\nsolid b end", 3, 1, "'solid a', which is still open since line 1",
       "end"},
      {"solid a\n  joint pin k end\nend", 2, 3, "'joint' cannot stand inside 'solid a'", "after"},
      {"figure f\n  solid a\n    box 1;\nend\n", 2, 3, "'solid a' seems to lack its 'end'",
       "line 4"},
      {"a 1-2;", 1, 4, "expected a space or ';' before '-2'", "parentheses"},
      {"a 1*2;", 1, 4, "found '*'", "parentheses"},
      {"a 1, 2;", 1, 4, "found ','", "spaces"},
      {"a (x)-1;", 1, 6, "expected a space", "parentheses"},
      {"a - 1;", 1, 3, "found '-'", "parentheses"},
      {"a (1;\nb 2;", 1, 3, "'(' is not closed before ';'", "')'"},
      {"a 1);", 1, 4, "found ')'", "no '('"},
      {"a (1 + );", 1, 8, "expected a value", ""},
      {"a (1 2);", 1, 6, "expected an operator", ""},
      {"a (1 = 2);", 1, 6, "found '='", "=="},
      {"a (x && y);", 1, 6, "found '&&'", "and"},
      {"a (sni(1));", 1, 4, "unknown function 'sni'", "'sin'"},
      {"a (atan2(1));", 1, 4, "takes 2 values, not 1", ""},
      {"a (1 < 2 < 3);", 1, 10, "cannot be chained", "and"},
      {"a 1e999;", 1, 3, "out of range", ""},
      {"a 5cmm;", 1, 3, "unknown unit 'cmm'", ""},
      {"a \"b", 1, 3, "a string is not closed", ""},
      {"a \"b\\q\";", 1, 5, "unknown escape '\\q'", ""},
      {"a /* b\nc;", 1, 3, "a comment is not closed", "*/"},
      {"solid a {\nend", 1, 9, "'{'", "end"},
      {"a \xE2\x88\x92"
       "1;",
       1, 3, "unexpected '\xE2\x88\x92'", "'-'"},
      {"a \xff;", 1, 3, "not UTF-8", "UTF-8"},
      {"joint pin\n  object2 b;\nend", 1, 1, "a word is missing after 'joint'", "joint KIND NAME"},
      {"solid 3 end", 1, 7, "expected a name after 'solid'", "solid NAME"},
      {"if x end", 1, 4, "a condition in parentheses", "if (CONDITION)"},
      {"repeat i 0 end", 1, 12, "expected a number", "repeat NAME FROM TO"},
      {"solid a;\nend", 1, 8, "there is no ';' after", "remove"},
      {";", 1, 1, "this statement is empty", "remove"},
      {"else", 1, 1, "this 'else' is not in an 'if'", ""},
      {"if (1) else else end", 1, 13, "this is the second 'else' of an 'if'", ""},
      {"slid bob\n  sphere 5cm;\nend", 1, 1, "unknown word 'slid'", "'solid'"},
      {"frce x end", 1, 1, "unknown word 'frce'", "'force'"},
      {"figure f\n  jiont pin k\n    at 0 0 0;\n  end\nend", 2, 3, "unknown word 'jiont'",
       "'joint'"},
      {"5 a;", 1, 1, "expected a statement, found '5'", ""},
  };
  for (const Mistake& m : mistakes) {
    const Parsed p = parse(m.text);
    ASSERT_EQ(p.problems.size(), 1u) << m.text << "\n"
                                     << (p.problems.empty() ? "" : describe(p.problems.back()));
    const Problem& found = p.problems[0];
    EXPECT_EQ(found.line, m.line) << describe(found);
    EXPECT_EQ(found.column, m.column) << describe(found);
    EXPECT_NE((found.what).find(m.what), std::string::npos) << describe(found);
    EXPECT_NE((found.remedy).find(m.remedy), std::string::npos) << describe(found);
    EXPECT_EQ(found.file, "t.tenon");
  }
}

TEST(Syntax, ExplainsANulByte) {
  const Parsed p = parse(std::string("a \0;", 4));
  ASSERT_EQ(p.problems.size(), 1u);
  EXPECT_EQ(p.problems[0].what, "the text has a NUL byte");
}

TEST(Syntax, FindsManyMistakesInOneGoAndKeepsTheRest) {
  const Parsed p = parse(
      "gravity 0 0,0;\nsolid a\n  box 1 1 (1;\n  density 3;\nend\nsolid b\n  mass 5qq;\n  at 1 2 "
      "3;\nend\n");
  ASSERT_EQ(p.problems.size(), 3u);
  EXPECT_EQ(p.problems[0].line, 1);
  EXPECT_EQ(p.problems[1].line, 3);
  EXPECT_EQ(p.problems[2].line, 7);
  EXPECT_EQ(outline(p.tree, p.tree.firstItem), "solid a{density 3;}solid b{at 1 2 3;}");
}

TEST(Syntax, LineEndsOfEveryKindCountOnce) {
  for (const char* text : {"a 1;\nb 2;\nc ,;", "a 1;\r\nb 2;\r\nc ,;", "a 1;\rb 2;\rc ,;"}) {
    const Parsed p = parse(text);
    ASSERT_EQ(p.problems.size(), 1u);
    EXPECT_EQ(p.problems[0].line, 3);
    EXPECT_EQ(p.problems[0].column, 3);
    EXPECT_EQ(p.problems[0].excerpt, "c ,;");
  }
}

TEST(Syntax, LimitsGiveClearErrors) {
  LanguageLimits limits;
  limits.depth = 3;
  EXPECT_TRUE(parse("figure a figure b figure c end end end", limits).problems.empty());
  Parsed p = parse("figure a figure b figure c figure d end end end end", limits);
  ASSERT_EQ(p.problems.size(), 1u);
  EXPECT_NE(p.problems[0].what.find("nested deeper than 3"), std::string::npos);
  EXPECT_EQ(p.problems[0].column, 28);

  EXPECT_TRUE(parse("a (((1)));", limits).problems.empty());
  p = parse("a ((((1))));", limits);
  ASSERT_EQ(p.problems.size(), 1u);
  EXPECT_NE(p.problems[0].what.find("nested deeper than 3"), std::string::npos);

  limits.fileBytes = 10;
  EXPECT_TRUE(parse("a 1; b 2; ", limits).problems.empty());
  p = parse("a 1; b 2;  ", limits);
  ASSERT_EQ(p.problems.size(), 1u);
  EXPECT_NE(p.problems[0].what.find("11 bytes"), std::string::npos);
  EXPECT_EQ(p.problems[0].line, 1);

  limits = {};
  limits.problems = 5;
  std::string many;
  for (int i = 0; i < 50; ++i) many += "a ,;\n";
  EXPECT_EQ(parse(many, limits).problems.size(), 5u);
}

TEST(Syntax, DeepExpressionsWithoutParenthesesAreRefused) {
  std::string chain = "a (1";
  for (int i = 0; i < 100000; ++i) chain += " ? 1 : 1";
  EXPECT_EQ(parse(chain + ");").problems.size(), 1u);
  std::string powers = "a (1";
  for (int i = 0; i < 100000; ++i) powers += "^1";
  EXPECT_EQ(parse(powers + ");").problems.size(), 1u);
  std::string signs = "a (";
  for (int i = 0; i < 100000; ++i) signs += "- not ";
  EXPECT_EQ(parse(signs + "1);").problems.size(), 1u);  // `- not` is no grammar either
  std::string minus = "a (";
  for (int i = 0; i < 100001; ++i) minus += "-";
  EXPECT_TRUE(parse(minus + "1);").problems.empty());
}

// ---------------------------------------------------------------------------------------- numbers

TEST(Quantity, ReadsNumbersAndUnits) {
  struct Case {
    const char* text;
    double value;
    Dimension dimension;
  };
  const Case cases[] = {
      {"1", 1, Dimension::None},
      {"-2.5", -2.5, Dimension::None},
      {".1", 0.1, Dimension::None},
      {"+3", 3, Dimension::None},
      {"1e-3", 1e-3, Dimension::None},
      {"-0", -0.0, Dimension::None},
      {"5.", 5, Dimension::None},
      {"5cm", 0.05, Dimension::Length},
      {"-3mm", -0.003, Dimension::Length},
      {"1in", 0.0254, Dimension::Length},
      {"2ft", 0.6096, Dimension::Length},
      {"180deg", kPi, Dimension::Angle},
      {"0.5rev", kPi, Dimension::Angle},
      {"2t", 2000, Dimension::Mass},
      {"1lb", 0.45359237, Dimension::Mass},
      {"5ms", 0.005, Dimension::Time},
      {"2min", 120, Dimension::Time},
      {"3kN", 3000, Dimension::Force},
      {"60rpm", 1, Dimension::Frequency},
      {"2Hz", 2, Dimension::Frequency},
      {"1e2cm", 1, Dimension::Length},
      {"1e-400", 0, Dimension::None},
      {"1.7976931348623157e308", 1.7976931348623157e308, Dimension::None},
  };
  for (const Case& c : cases) {
    Quantity q;
    std::string error;
    ASSERT_TRUE(readQuantity(c.text, q, error)) << c.text << ": " << error;
    EXPECT_EQ(q.value, c.value) << c.text;
    EXPECT_EQ(q.dimension, c.dimension) << c.text;
  }
  for (const char* bad : {"1e999", "-1e400", "5parsec", "1e306km", "", "x", "0x10"}) {
    Quantity q;
    std::string error;
    EXPECT_FALSE(readQuantity(bad, q, error)) << bad;
    EXPECT_FALSE(error.empty()) << bad;
  }
}

// ------------------------------------------------------------------------------------ expressions

bool compute(const std::string& expression, double& result, std::string& error) {
  Parsed p = parse("x " + expression + ";");
  if (!p.problems.empty()) {
    error = p.problems[0].what;
    return false;
  }
  const std::map<std::string, double, std::less<>> names{
      {"a", 7}, {"b", 2}, {"links", 10}, {"u.v", 5}};
  const Lookup lookup = [&](std::string_view name) -> const double* {
    const auto it = names.find(name);
    return it == names.end() ? nullptr : &it->second;
  };
  const auto known = [] {
    return std::vector<std::string>{"a", "b", "links", "rod-length", "u.v"};
  };
  Fault fault;
  const bool good = evaluate(p.tree, p.tree.values.at(0), lookup, known, fault, result);
  EXPECT_EQ(good, fault.what.empty());
  if (!good) error = fault.what + "; " + fault.remedy;
  return good;
}

TEST(Expression, Computes) {
  const std::map<std::string, double> cases{{"(a-b)", 5},
                                            {"(links-1)", 9},
                                            {"(-a)", -7},
                                            {"(2 -1)", 1},
                                            {"(2-1)", 1},
                                            {"(1+2*3)", 7},
                                            {"((1+2)*3)", 9},
                                            {"(10-4-3)", 3},
                                            {"(16/4/2)", 2},
                                            {"(2^3^2)", 512},
                                            {"(-2^2)", -4},
                                            {"(2^-1)", 0.5},
                                            {"(4^0.5)", 2},
                                            {"(7 % 3)", 1},
                                            {"(-7 % 3)", 2},
                                            {"(7 % -3)", -2},
                                            {"(a > 3)", 1},
                                            {"(a < 3)", 0},
                                            {"(a >= 7 and b <= 2)", 1},
                                            {"(a == 7)", 1},
                                            {"(a != 7)", 0},
                                            {"(not a)", 0},
                                            {"(not not a)", 1},
                                            {"(not a == 3)", 1},
                                            {"(0 or 0 and 1)", 0},
                                            {"(1 or 1/0)", 1},
                                            {"(0 and 1/0)", 0},
                                            {"(a > 3 ? 1 : 2)", 1},
                                            {"(a < 3 ? 1/0 : 2)", 2},
                                            {"(0 ? 1 : 0 ? 2 : 3)", 3},
                                            {"(5cm * 2)", 0.1},
                                            {"(min(3, 1, 2))", 1},
                                            {"(max(3, a))", 7},
                                            {"(abs(-a))", 7},
                                            {"(sqrt(16))", 4},
                                            {"(floor(-1.5))", -2},
                                            {"(ceil(1.2))", 2},
                                            {"(round(2.5))", 3},
                                            {"(round(-2.5))", -3},
                                            {"(sign(-3))", -1},
                                            {"(hypot(3, 4))", 5},
                                            {"(pi())", kPi},
                                            {"(pi)", kPi},
                                            {"(atan2(0, -1))", kPi},
                                            {"(cos(0))", 1},
                                            {"(clamp(5, 0, 2))", 2},
                                            {"(u.v)", 5},
                                            {"(sin(30deg) < 0.5000001)", 1},
                                            {"(exp(0))", 1},
                                            {"(log(1))", 0},
                                            {"(-a + b)", -5},
                                            {"(+a)", 7},
                                            {"(a*-b)", -14},
                                            {"(1e3)", 1000},
                                            {"( ( ( a ) ) )", 7},
                                            {"(a /* ! */ + // x\n b)", 9}};
  for (const auto& [text, expected] : cases) {
    double result = 0;
    std::string error;
    ASSERT_TRUE(compute(text, result, error)) << text << ": " << error;
    EXPECT_EQ(result, expected) << text;
  }
}

TEST(Expression, RefusesWhatHasNoValue) {
  const std::map<std::string, std::string> cases{{"(1/0)", "division by zero"},
                                                 {"(1 % 0)", "division by zero"},
                                                 {"(sqrt(0-1))", "square root of a negative"},
                                                 {"(log(0))", "logarithm"},
                                                 {"(asin(2))", "arcsine"},
                                                 {"(acos(-2))", "arccosine"},
                                                 {"(0^-1)", "zero to a negative power"},
                                                 {"((0-8)^0.5)", "negative number"},
                                                 {"(1e300*1e300)", "out of range"},
                                                 {"(10^400)", "out of range"},
                                                 {"(lnks)", "did you mean 'links'?"},
                                                 {"(rod-length)", "'-' subtracts"},
                                                 {"(zzz)", "unknown name 'zzz'"},
                                                 {"(cos)", "it is a function"}};
  for (const auto& [text, expected] : cases) {
    double result = 0;
    std::string error;
    EXPECT_FALSE(compute(text, result, error)) << text << " = " << result;
    EXPECT_NE(error.find(expected), std::string::npos) << text << ": " << error;
  }
}

TEST(Expression, PutsNamesTogether) {
  Parsed p = parse("x plain link-(i) row-(i)-(i+1).foot a(2)b (i);");
  ASSERT_TRUE(p.problems.empty());
  const double three = 3;
  const Lookup lookup = [&](std::string_view name) { return name == "i" ? &three : nullptr; };
  const auto known = [] { return std::vector<std::string>{"i"}; };
  const char* const expected[] = {"plain", "link-3", "row-3-4.foot", "a2b"};
  Fault fault;
  for (std::uint32_t v = 0; v < 4; ++v) {
    std::string name;
    EXPECT_TRUE(expandName(p.tree, p.tree.values[v], lookup, known, fault, name));
    EXPECT_EQ(name, expected[v]);
  }
  p = parse("x link-(i / 2);");
  std::string name;
  EXPECT_FALSE(expandName(p.tree, p.tree.values[0], lookup, known, fault, name));
  EXPECT_EQ(fault.place.offset, 7u);
}

TEST(Strings, AreDecoded) {
  EXPECT_EQ(decodeString("\"a\\\"b\\\\c\\nd\\te\\x41\""), "a\"b\\c\nd\teA");
  EXPECT_EQ(decodeString("\"\""), "");
}

// --------------------------------------------------------------------------------------- messages

TEST(Problems, AreDescribedWithACaret) {
  const Problem p = problemIn("a.tenon", "one;\n\tjoint \xC3\xA9 pim x;", 15, 3, Severity::Error,
                              "unknown joint 'pim'", "did you mean 'pin'?");
  EXPECT_EQ(describe(p),
            "a.tenon:2:11: error: unknown joint 'pim'; did you mean 'pin'?\n"
            "  \tjoint \xC3\xA9 pim x;\n"
            "  \t        ^~~\n");
  Problem nowhere;
  nowhere.severity = Severity::Warning;
  nowhere.what = "odd";
  EXPECT_EQ(describe(nowhere), "warning: odd\n");
}

TEST(Problems, LongLinesAreCutAroundTheCaret) {
  const std::string line = std::string(5000, 'x') + "BAD" + std::string(5000, 'y');
  const Problem p = problemIn("a", line, 5000, 3, Severity::Error, "bad");
  EXPECT_EQ(p.column, 5001);
  EXPECT_LT(p.excerpt.size(), 200u);
  const std::string shown = describe(p);
  const std::size_t lineEnd = shown.find('\n');
  const std::string excerpt =
      shown.substr(lineEnd + 1, shown.find('\n', lineEnd + 1) - lineEnd - 1);
  const std::string carets = shown.substr(shown.find('\n', lineEnd + 1) + 1);
  // The cut is marked by one character of three bytes.
  EXPECT_EQ(excerpt.find("BAD") - 2, carets.find("^~~"));
}

TEST(Problems, ExcerptsAreCleanText) {
  const Problem p = problemIn("a", std::string("a \0\xff\x01 b", 7), 0, 1, Severity::Error, "x");
  EXPECT_EQ(p.excerpt, "a ??? b");
}

TEST(Problems, ThePlaceMayBeTheEndOfTheText) {
  const Problem p = problemIn("a", "ab\n", 3, 1, Severity::Error, "x");
  EXPECT_EQ(p.line, 2);
  EXPECT_EQ(p.column, 1);
  EXPECT_EQ(problemIn("a", "", 99, 5, Severity::Error, "x").line, 1);
}

TEST(NearestWord, FindsSlips) {
  const std::vector<std::string> words{"pin", "ball", "density", "orientation", "left-foot", "at"};
  const std::map<std::string, std::string> cases{{"pim", "pin"},
                                                 {"dnesity", "density"},
                                                 {"Density", "density"},
                                                 {"orient", "orientation"},
                                                 {"left_foot", "left-foot"},
                                                 {"lef-foot", "left-foot"},
                                                 {"bal", "ball"},
                                                 {"zzzz", ""},
                                                 {"x", ""},
                                                 {"", ""},
                                                 {"weight", ""},
                                                 {"ta", "at"}};
  for (const auto& [word, expected] : cases) EXPECT_EQ(nearestWord(word, words), expected) << word;
  EXPECT_EQ(nearestWord(std::string(100000, 'a'), words), "");
}

}  // namespace
}  // namespace tenon::files
