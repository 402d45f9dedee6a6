// `( … )`: precedence climbing straight over the tokens of the tree. One routine both checks the
// grammar (when a text is read) and computes (when a statement is interpreted): what is skipped, an
// unchosen branch for example, is read without being computed.
//
//   c ? a : b                       right to left
//   or
//   and
//   not
//   < <= > >= == !=                 do not chain
//   + -
//   * / %                           % has the sign of the divisor
//   unary + -
//   ^                               right to left, binds tighter than a sign: -2^2 is -4
#include "files/lexer.h"
#include "files/syntax.h"

#include "math/portable.h"
#include "model/problem.h"

#include <tenon/math.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::files {
namespace {

constexpr int kDepth = 256;                      // `a ? b : c ? d : …` nests without parentheses
constexpr double kWhole = 9.007199254740992e15;  // up to here every whole number is a double

struct Function {
  std::string_view name;
  int least, most;  // arguments
  // The value, or not a number with the reason in `error`.
  double (*compute)(const double* a, int n, const char*& error);
};

double fail(const char*& error, const char* reason) {
  error = reason;
  return 0;
}

double root(const double* a, int, const char*& e) {
  return a[0] < 0 ? fail(e, "the square root of a negative number") : std::sqrt(a[0]);
}
double steep(const double* a, int, const char*&) { return tangent(a[0]); }
double arcsineOf(const double* a, int, const char*& e) {
  if (a[0] < -1 || a[0] > 1) return fail(e, "the arcsine of a number outside -1 … 1");
  return arcsine(a[0]);
}
double arccosineOf(const double* a, int, const char*& e) {
  if (a[0] < -1 || a[0] > 1) return fail(e, "the arccosine of a number outside -1 … 1");
  return arccosine(a[0]);
}
double logarithmOf(const double* a, int, const char*& e) {
  return a[0] <= 0 ? fail(e, "the logarithm of a number that is not positive") : logarithm(a[0]);
}
double hypotenuse(const double* a, int n, const char*&) {
  double largest = 0, sum = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(a[i]));
  if (largest == 0) return 0;
  for (int i = 0; i < n; ++i) sum += (a[i] / largest) * (a[i] / largest);
  return largest * std::sqrt(sum);
}
constexpr int kMany = 16;
constexpr std::array<Function, 20> kFunctions{{
    {"sqrt", 1, 1, root},
    {"abs", 1, 1, [](const double* a, int, const char*&) { return std::abs(a[0]); }},
    {"min", 1, kMany,
     [](const double* a, int n, const char*&) { return *std::min_element(a, a + n); }},
    {"max", 1, kMany,
     [](const double* a, int n, const char*&) { return *std::max_element(a, a + n); }},
    {"floor", 1, 1, [](const double* a, int, const char*&) { return std::floor(a[0]); }},
    {"ceil", 1, 1, [](const double* a, int, const char*&) { return std::ceil(a[0]); }},
    // Halves away from zero, as people round; exact.
    {"round", 1, 1, [](const double* a, int, const char*&) { return std::round(a[0]); }},
    {"sign", 1, 1,
     [](const double* a, int, const char*&) { return a[0] > 0   ? 1.0
                                                     : a[0] < 0 ? -1.0
                                                                : 0.0; }},
    {"sin", 1, 1, [](const double* a, int, const char*&) { return sine(a[0]); }},
    {"cos", 1, 1, [](const double* a, int, const char*&) { return cosine(a[0]); }},
    {"tan", 1, 1, steep},
    {"asin", 1, 1, arcsineOf},
    {"acos", 1, 1, arccosineOf},
    {"atan", 1, 1, [](const double* a, int, const char*&) { return arctangent(a[0]); }},
    {"atan2", 2, 2, [](const double* a, int, const char*&) { return arctangent2(a[0], a[1]); }},
    {"hypot", 1, kMany, hypotenuse},
    {"exp", 1, 1, [](const double* a, int, const char*&) { return exponential(a[0]); }},
    {"log", 1, 1, logarithmOf},
    {"clamp", 3, 3,
     [](const double* a, int, const char*&) { return std::max(a[1], std::min(a[0], a[2])); }},
    {"pi", 0, 0, [](const double*, int, const char*&) { return kPi; }},
}};

const Function* findFunction(std::string_view name) {
  for (const Function& f : kFunctions)
    if (f.name == name) return &f;
  return nullptr;
}

double power(double base, double exponent, const char*& error) {
  if (base == 0 && exponent < 0) return fail(error, "zero to a negative power");
  if (exponent == std::floor(exponent) && std::abs(exponent) < 1e9)
    return integerPower(base, static_cast<std::int64_t>(exponent));
  if (base < 0) return fail(error, "a negative number to a power that is not whole");
  if (exponent == 0.5) return std::sqrt(base);
  return base == 0 ? 0 : exponential(exponent * logarithm(base));
}

double remainder(double a, double b) {
  const double r = std::fmod(a, b);  // exact
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

class Reader {
 public:
  Reader(const SyntaxTree& tree, std::uint32_t first, std::uint32_t count, const Lookup* lookup,
         const std::function<std::vector<std::string>()>* known)
      : tree_(tree), at_(first), end_(first + count), lookup_(lookup), known_(known) {}

  bool run(bool compute, double& result) {
    ++at_;  // `(`
    result = ternary(compute, 0);
    if (good_ && at_ + 1 != end_) expectedOperator();
    return good_;
  }

  std::uint32_t badToken = 0, badCount = 1;
  std::string what, remedy;

 private:
  // ------------------------------------------------------------------------------------- failures

  double failAt(std::uint32_t token, std::uint32_t count, std::string reason,
                std::string help = {}) {
    if (good_) {
      good_ = false;
      badToken = token;
      badCount = count;
      what = std::move(reason);
      remedy = std::move(help);
    }
    return 0;
  }

  [[nodiscard]] std::string found() const {
    return at_ + 1 >= end_ ? "')'" : quoted(tree_.word(at_));
  }

  void expectedOperator() {
    const std::string_view w = tree_.word(at_);
    const char* help = w == "="                ? "compare with '=='"
                       : w == "&&" || w == "&" ? "write 'and'"
                       : w == "||" || w == "|" ? "write 'or'"
                       : w == "!"              ? "write 'not'"
                                               : "";
    failAt(at_, 1, "expected an operator or ')', found " + found(), help);
  }

  double checked(bool compute, double value, std::uint32_t from, const char* error) {
    if (!compute || !good_) return 0;
    if (error != nullptr) return failAt(from, at_ - from, error);
    if (!std::isfinite(value)) return failAt(from, at_ - from, "the value is out of range");
    return value;
  }

  // -------------------------------------------------------------------------------------- grammar

  [[nodiscard]] bool mark(std::string_view m) const {
    return good_ && at_ + 1 < end_ && tree_.tokens[at_].kind == TokenKind::Punctuation &&
           tree_.word(at_) == m;
  }
  [[nodiscard]] bool name(std::string_view n) const {
    return good_ && at_ + 1 < end_ && tree_.tokens[at_].kind == TokenKind::Name &&
           tree_.word(at_) == n;
  }
  bool take(bool isThere) {
    if (isThere) ++at_;
    return isThere;
  }

  double ternary(bool compute, int depth) {
    if (depth > kDepth) return failAt(at_, 1, "the expression is nested too deeply");
    const double condition = either(compute, depth + 1);
    if (!take(mark("?"))) return condition;
    const double a = ternary(compute && condition != 0, depth + 1);
    if (good_ && !take(mark(":")))
      return failAt(at_, 1, "expected ':' of 'condition ? a : b', found " + found());
    const double b = ternary(compute && condition == 0, depth + 1);
    return condition != 0 ? a : b;
  }

  double either(bool compute, int depth) {
    double a = both(compute, depth);
    while (take(name("or"))) {
      const double b = both(compute && a == 0, depth);
      a = a != 0 || b != 0 ? 1 : 0;
    }
    return a;
  }

  double both(bool compute, int depth) {
    double a = negation(compute, depth);
    while (take(name("and"))) {
      const double b = negation(compute && a != 0, depth);
      a = a != 0 && b != 0 ? 1 : 0;
    }
    return a;
  }

  double negation(bool compute, int depth) {
    int count = 0;
    while (take(name("not"))) ++count;
    const double a = comparison(compute, depth);
    if (count == 0) return a;
    return (a != 0) == (count % 2 == 0) ? 1 : 0;
  }

  double comparison(bool compute, int depth) {
    const double a = sum(compute, depth);
    int which = -1;
    static constexpr std::array<std::string_view, 6> kMarks{"<", "<=", ">", ">=", "==", "!="};
    for (std::size_t i = 0; i < kMarks.size(); ++i)
      if (mark(kMarks[i])) which = static_cast<int>(i);
    if (which < 0) return a;
    ++at_;
    const double b = sum(compute, depth);
    for (const std::string_view m : kMarks)
      if (mark(m))
        return failAt(at_, 1, "comparisons cannot be chained", "write 'a < b and b < c'");
    switch (which) {
      case 0:
        return a < b ? 1 : 0;
      case 1:
        return a <= b ? 1 : 0;
      case 2:
        return a > b ? 1 : 0;
      case 3:
        return a >= b ? 1 : 0;
      case 4:
        return a == b ? 1 : 0;
      default:
        return a != b ? 1 : 0;
    }
  }

  double sum(bool compute, int depth) {
    const std::uint32_t from = at_;
    double a = product(compute, depth);
    while (mark("+") || mark("-")) {
      const bool plus = mark("+");
      ++at_;
      const double b = product(compute, depth);
      a = checked(compute, plus ? a + b : a - b, from, nullptr);
    }
    return a;
  }

  double product(bool compute, int depth) {
    const std::uint32_t from = at_;
    double a = sign(compute, depth);
    while (mark("*") || mark("/") || mark("%")) {
      const char op = tree_.word(at_)[0];
      ++at_;
      const double b = sign(compute, depth);
      const char* error = op != '*' && b == 0 ? "division by zero" : nullptr;
      const double value = op == '*'          ? a * b
                           : error != nullptr ? 0
                           : op == '/'        ? a / b
                                              : remainder(a, b);
      a = checked(compute, value, from, error);
    }
    return a;
  }

  double sign(bool compute, int depth) {
    bool negative = false;
    while (mark("-") || mark("+")) {
      negative ^= mark("-");
      ++at_;
    }
    const double a = raised(compute, depth);
    return negative ? -a : a;
  }

  double raised(bool compute, int depth) {
    if (depth > kDepth) return failAt(at_, 1, "the expression is nested too deeply");
    const std::uint32_t from = at_;
    const double a = atom(compute, depth);
    if (!take(mark("^"))) return a;
    bool negative = false;
    while (mark("-") || mark("+")) {
      negative ^= mark("-");
      ++at_;
    }
    const double b = raised(compute, depth + 1);
    const char* error = nullptr;
    const double value = compute && good_ ? power(a, negative ? -b : b, error) : 0;
    return checked(compute, value, from, error);
  }

  double atom(bool compute, int depth) {
    if (!good_) return 0;
    if (at_ + 1 >= end_) return failAt(at_, 1, "expected a value, found ')'");
    const Token& t = tree_.tokens[at_];
    if (t.kind == TokenKind::Number) {
      Quantity quantity;
      std::string error;
      if (!readQuantity(tree_.word(at_), quantity, error)) return failAt(at_, 1, error);
      ++at_;
      return quantity.value;
    }
    if (t.kind == TokenKind::Name) return named(compute, depth);
    if (mark("(")) {
      ++at_;
      const double a = ternary(compute, depth + 1);
      if (good_ && !take(mark(")"))) expectedOperator();
      return a;
    }
    if (t.kind == TokenKind::String) return failAt(at_, 1, "an expression cannot have a string");
    if (mark("!")) return failAt(at_, 1, "expected a value, found '!'", "write 'not'");
    return failAt(at_, 1, "expected a value, found " + found());
  }

  double named(bool compute, int depth) {
    const std::uint32_t from = at_++;
    const std::string_view word = tree_.word(from);
    if (mark("(")) return call(compute, depth, from);
    if (word == "and" || word == "or" || word == "not")
      return failAt(from, 1, "expected a value, found " + quoted(word));
    if (!compute) return 0;
    if (const double* value = (*lookup_)(word)) return *value;
    if (word == "pi") return kPi;
    return unknown(from);
  }

  double unknown(std::uint32_t from) {
    const std::string_view word = tree_.word(from);
    const std::vector<std::string> known = *known_ ? (*known_)() : std::vector<std::string>{};
    std::string help;
    // `(rod-length)` with a parameter of that name: the likeliest slip of all.
    if (mark("-") && at_ + 2 < end_ && tree_.tokens[at_ + 1].kind == TokenKind::Name) {
      const std::string whole = std::string(word) + "-" + std::string(tree_.word(at_ + 1));
      if (std::any_of(known.begin(), known.end(),
                      [&](const std::string& k) { return k.compare(0, whole.size(), whole) == 0; }))
        help = "inside parentheses '-' subtracts: name the parameter with '_'";
    }
    if (help.empty()) {
      const std::string near = nearestWord(std::string(word), known);
      if (!near.empty())
        help = "did you mean " + quoted(near) + "?";
      else if (findFunction(word) != nullptr)
        help = "it is a function: " + std::string(word) + "(…)";
    }
    return failAt(from, 1, "unknown name " + quoted(word) + " in an expression", help);
  }

  double call(bool compute, int depth, std::uint32_t from) {
    const std::string_view word = tree_.word(from);
    const Function* f = findFunction(word);
    if (f == nullptr) {
      std::vector<std::string> names;
      names.reserve(kFunctions.size());
      for (const Function& k : kFunctions) names.emplace_back(k.name);
      const std::string near = nearestWord(std::string(word), names);
      return failAt(from, 1, "unknown function " + quoted(word),
                    near.empty() ? "" : "did you mean " + quoted(near) + "?");
    }
    ++at_;  // `(`
    std::array<double, kMany> a{};
    int n = 0;
    if (!mark(")")) {
      for (;;) {
        const double value = ternary(compute, depth + 1);
        if (!good_) return 0;
        if (n < kMany) a[static_cast<std::size_t>(n)] = value;
        ++n;
        if (!take(mark(","))) break;
      }
    }
    if (!take(mark(")"))) {
      if (good_) expectedOperator();
      return 0;
    }
    if (n < f->least || n > f->most) {
      const std::string wants = f->most == kMany ? "1 to 16" : std::to_string(f->least);
      return failAt(from, at_ - from,
                    quoted(word) + " takes " + wants + " values, not " + std::to_string(n));
    }
    const char* error = nullptr;
    const double value = compute ? f->compute(a.data(), n, error) : 0;
    return checked(compute, value, from, error);
  }

  const SyntaxTree& tree_;
  std::uint32_t at_, end_;  // end_ is behind the closing parenthesis
  const Lookup* lookup_;
  const std::function<std::vector<std::string>()>* known_;
  bool good_ = true;
};

Place placeOf(const SyntaxTree& tree, const Reader& r) {
  return tree.place(Value{ValueKind::Expression, r.badToken, std::max(r.badCount, 1u)});
}

}  // namespace

bool checkExpression(const SyntaxTree& tree, const Value& value, const std::string& fileName,
                     std::vector<Problem>& problems) {
  Reader reader(tree, value.firstToken, value.tokenCount, nullptr, nullptr);
  double result = 0;
  if (reader.run(false, result)) return true;
  const Place place = placeOf(tree, reader);
  problems.push_back(problemIn(fileName, tree.text, place.offset, place.length, Severity::Error,
                               std::move(reader.what), std::move(reader.remedy)));
  return false;
}

bool evaluate(const SyntaxTree& tree, const Value& value, const Lookup& lookup,
              const std::function<std::vector<std::string>()>& known, Fault& fault,
              double& result) {
  Reader reader(tree, value.firstToken, value.tokenCount, &lookup, &known);
  if (reader.run(true, result)) return true;
  fault = {placeOf(tree, reader), std::move(reader.what), std::move(reader.remedy)};
  return false;
}

bool expandName(const SyntaxTree& tree, const Value& value, const Lookup& lookup,
                const std::function<std::vector<std::string>()>& known, Fault& fault,
                std::string& result) {
  result.clear();
  const std::uint32_t end = value.firstToken + value.tokenCount;
  for (std::uint32_t i = value.firstToken; i < end; ++i) {
    if (tree.tokens[i].kind == TokenKind::Name) {
      result += tree.word(i);
      continue;
    }
    std::uint32_t close = i, depth = 0;
    for (; close < end; ++close) {
      if (tree.tokens[close].kind != TokenKind::Punctuation) continue;
      const std::string_view word = tree.word(close);
      if (word == "(") ++depth;
      if (word == ")" && --depth == 0) break;
    }
    const Value part{ValueKind::Expression, i, close + 1 - i};
    double number = 0;
    if (!evaluate(tree, part, lookup, known, fault, number)) return false;
    if (number != std::floor(number) || std::abs(number) > kWhole) {
      fault = {tree.place(part), "a computed part of a name must be a whole number",
               "use floor(…) or round(…)"};
      return false;
    }
    result += std::to_string(static_cast<long long>(number));
    i = close;
  }
  return true;
}

}  // namespace tenon::files
