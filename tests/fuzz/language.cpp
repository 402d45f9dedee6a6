// fuzz_language COUNT SEED [FIRST]: texts made by dice against the scene language.
//
// A text is written from the schema of the language, taken from the scenes of the repository, or
// printed from a random scene; then it is damaged. Whatever it is, reading it must end quickly and
// in one of two ways: problems that say where, or a scene that prints, reads back, formats, compiles
// and can be edited. Text number i depends on SEED and i alone: FIRST repeats one.
#include <tenon/compile.h>
#include <tenon/language.h>

#include "../support/random_scene.h"
#include "files/lexer.h"
#include "files/schema.h"
#include "files/syntax.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace tenon {
namespace {

using files::Accept;
using files::Dimension;
using testing::Dice;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSeconds = 10;  // for one text; the sanitizers are slow
#else
constexpr double kSeconds = 1;
#endif

// ------------------------------------------------------------------------------------- generation

// Writes texts that are mostly right, from the tables that the parser itself goes by.
class Writer {
 public:
  explicit Writer(Dice& dice) : dice_(dice) {}

  std::string scene() {
    for (std::size_t i = 0; i < dice_.below(3); ++i)
      line("param p" + std::to_string(i) + " " + number() + ";");
    for (std::size_t i = 0; i < dice_.below(4); ++i) statement("");
    for (std::size_t i = 0; i < 1 + dice_.below(8); ++i) block(0, "");
    for (std::size_t i = 0; i < dice_.below(3); ++i) statement("");
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    out_ += text;
    static const char* const kEnds[] = {"\n", " ", "\n\n", " // note\n", " /* note */ ", "\r\n"};
    out_ += kEnds[dice_.rarely() ? dice_.below(6) : 0];
  }

  std::string number() {
    // Numbers whose products leave the range of doubles.
    static const char* const kExtreme[] = {"1e-300", "-1e-160", "1e-30", "1e30",
                                           "-1e31",  "1e160",   "1e308"};
    if (dice_.below(100) == 0) return kExtreme[dice_.below(7)];
    switch (dice_.below(9)) {
      case 0:
        return "(" + expression(3) + ")";
      case 1:
        return "-" + std::to_string(dice_.below(5)) + ".5";
      case 2:
        return std::to_string(dice_.unit());
      default:
        return std::to_string(1 + dice_.below(3));
    }
  }

  std::string expression(int depth) {
    static const char* const kAtoms[] = {"1", "2.5", "p0", "p1", "i", "n", "30deg", "pi()"};
    static const char* const kOperators[] = {"+", "-", "*",  "/",     "^",
                                             "%", "<", "==", " and ", " or "};
    if (depth == 0 || dice_.rarely()) return kAtoms[dice_.below(8)];
    switch (dice_.below(5)) {
      case 0:
        return "(" + expression(depth - 1) + ")";
      case 1:
        return "-" + expression(depth - 1);
      case 2:
        return "min(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
      case 3:
        return expression(depth - 1) + " ? " + expression(depth - 1) + " : " +
               expression(depth - 1);
      default:
        return expression(depth - 1) + kOperators[dice_.below(10)] + expression(depth - 1);
    }
  }

  std::string newName(const std::string& kind) {
    const std::string n = kind.substr(0, 2) + std::to_string(names_.size());
    names_.push_back({kind, n});
    return n;
  }
  std::string anyName(const std::string& kind) {
    std::vector<std::string> fitting;
    for (const auto& [k, n] : names_)
      if (k == kind || kind == "thing") fitting.push_back(n);
    if (fitting.empty() || dice_.below(20) == 0) return dice_.maybe() ? "world" : "nobody";
    return fitting[dice_.below(fitting.size())];
  }

  std::string unit(Dimension d) {
    if (!dice_.rarely()) return "";
    switch (d) {
      case Dimension::Length:
        return "cm";
      case Dimension::Angle:
        return "deg";
      case Dimension::Mass:
        return "kg";
      case Dimension::Time:
        return "ms";
      case Dimension::Force:
        return "N";
      case Dimension::Frequency:
        return "Hz";
      case Dimension::None:
        return dice_.rarely() ? "m" : "";
    }
    return "";
  }

  std::string slotValue(const files::Slot& slot, std::size_t n) {
    switch (slot.accept) {
      case Accept::Number:
      case Accept::Coordinate:
      case Accept::AngularRate:
      case Accept::Any: {
        if (dice_.rarely()) return number();
        double low = std::max(slot.lower, -3.0), high = std::min(slot.upper, 3.0);
        if (slot.above) low += 0.01;
        if (high < low) high = low;
        return std::to_string(low + (high - low) * dice_.unit()) + unit(slot.dimension);
      }
      case Accept::Whole:
        return std::to_string(dice_.below(4));
      case Accept::Direction:
        return n == 0 ? "1" : std::to_string(dice_.below(2));
      case Accept::Quaternion:
        return n == 3 ? "1" : std::to_string(dice_.below(2));
      case Accept::Word:
        return oneOf(files::wordsOf(slot), "x");
      case Accept::Name: {
        static const char* const kNames[] = {"angle", "x",   "energy",  "p0",
                                             "leg",   "dof", "distance"};
        return kNames[dice_.below(7)];
      }
      case Accept::Reference:
        return anyName(slot.words.empty() ? "solid" : files::wordsOf(slot)[0]);
      case Accept::Text:
        return dice_.maybe() ? "\"a.tenon\"" : "\"b.tenon\"";
    }
    return "1";
  }

  std::string oneOf(const std::vector<std::string>& words, const char* otherwise) {
    return words.empty() ? otherwise : words[dice_.below(words.size())];
  }

  std::string slotValues(const std::vector<files::Slot>& slots) {
    std::string text;
    for (const files::Slot& slot : slots) {
      std::size_t n = static_cast<std::size_t>(slot.least);
      if (slot.most > slot.least)
        n += dice_.below(static_cast<std::size_t>(slot.most - slot.least) + 1);
      if (slot.most < 0) n += dice_.below(3) * static_cast<std::size_t>(slot.multiple);
      for (std::size_t i = 0; i < n; ++i) text += " " + slotValue(slot, i);
    }
    return text;
  }

  void statement(const std::string& kind) {
    const std::vector<files::StatementForm> forms = files::statementsOf(kind);
    if (forms.empty()) return;
    const files::StatementForm& form = forms[dice_.below(forms.size())];
    std::string text = std::string(form.keyword) + slotValues(form.slots);
    for (const files::Clause& clause : form.clauses)
      if (clause.required || dice_.rarely())
        text += " " + std::string(clause.keyword) + slotValues(clause.slots);
    line(text + ";");
  }

  void block(int depth, const std::string& inside) {
    std::vector<std::string> kinds = files::blocksIn(inside);
    if (kinds.empty() || depth > 3) return;
    std::string kind = dice_.maybe() ? std::string("solid") : kinds[dice_.below(kinds.size())];
    if (dice_.rarely()) kind = "joint";
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kind = kinds[0];
    std::string header = kind;
    if (kind == "joint") {
      const auto catalogue = jointCatalogue();
      header += " " + std::string(catalogue[dice_.below(catalogue.size())].name);
    }
    std::string content = kind;
    if (kind == "repeat") {
      header += dice_.rarely() ? " i 0 1e9" : " i 0 (n)";
      if (dice_.maybe()) header = "repeat i 1 3";
      content = inside;
    } else if (kind == "if") {
      header += " (" + expression(2) + ")";
      content = inside;
    } else if (kind == "figure") {
      header += " leg";
    } else if (kind == "place") {
      header += " leg " + newName(kind);
    } else if (kind == "override") {
      header += " " + anyName("thing");
      content = "solid";
    } else if (kind != "settings" && !(kind == "constraint" && dice_.maybe())) {
      header += " " + newName(kind) + (dice_.below(10) == 0 ? "-(i)" : "");
    }
    line(header);
    if (kind == "joint" || kind == "constraint") line("object2 " + anyName("solid") + ";");
    for (std::size_t i = 0; i < dice_.below(5); ++i) statement(content);
    if (!files::blocksIn(content).empty())
      for (std::size_t i = 0; i < dice_.below(3); ++i) block(depth + 1, content);
    line(dice_.below(60) == 0 ? "" : "end");
  }

  Dice& dice_;
  std::string out_;
  std::vector<std::pair<std::string, std::string>> names_;
};

// --------------------------------------------------------------------------------------- mutation

std::string repeated(const std::string& piece, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += piece;
  return out;
}

void mutate(std::string& text, Dice& dice, const std::vector<std::string>& corpus) {
  static const char* const kPieces[] = {"1e999",
                                        "-1e308",
                                        "1e-320",
                                        "99999999999999999999",
                                        "0",
                                        "(1/0)",
                                        "repeat i 0 1e9 ",
                                        "end ",
                                        "; ",
                                        "(",
                                        ")",
                                        "\"",
                                        "/*",
                                        "*/",
                                        "solid ",
                                        "figure f ",
                                        "override left.shin ",
                                        "link-(i)",
                                        "-",
                                        "remove a;",
                                        "include \"b.tenon\";",
                                        "include \"../x\";",
                                        "place leg leg2 end ",
                                        "else ",
                                        "if (1) ",
                                        "nan",
                                        "inf",
                                        "(i)",
                                        "param p0 1;",
                                        "\xef\xbb\xbf",
                                        "\xff",
                                        "\xe2\x88\x92",
                                        "\r",
                                        "clear shapes;",
                                        "world",
                                        "a.b.c"};
  const auto at = [&] { return dice.below(text.size() + 1); };
  switch (dice.below(14)) {
    case 0:  // a byte
      if (!text.empty()) text[dice.below(text.size())] = static_cast<char>(dice.below(256));
      break;
    case 1:  // a bit
      if (!text.empty()) {
        char& c = text[dice.below(text.size())];
        c = static_cast<char>(static_cast<unsigned char>(c) ^ (1u << dice.below(8)));
      }
      break;
    case 2:
    case 3: {  // a piece of the language
      text.insert(at(), kPieces[dice.below(std::size(kPieces))]);
      break;
    }
    case 4: {  // a stretch goes
      const std::size_t from = at();
      text.erase(from, dice.below(40));
      break;
    }
    case 5: {  // a stretch twice
      const std::size_t from = at();
      const std::string piece = text.substr(from, dice.below(200));
      text.insert(at(), piece);
      break;
    }
    case 6: {  // from another text
      const std::string& other = corpus[dice.below(corpus.size())];
      const std::size_t from = dice.below(other.size() + 1);
      text.insert(at(), other.substr(from, dice.below(300)));
      break;
    }
    case 7:
      text.resize(at());
      break;   // cut off
    case 8: {  // deep
      static const char* const kDeep[] = {
          "(", "figure f ", "if (1) ", "repeat i 0 1 ", "- ", "not ", "1 ? 1 : ", "solid a ", "2^"};
      text.insert(at(), repeated(kDeep[dice.below(9)], 1 + dice.below(300)));
      break;
    }
    default: {  // tokens
      std::vector<files::Token> tokens = files::lex(text);
      if (tokens.size() < 4) break;
      const std::size_t i = dice.below(tokens.size() - 2);
      const files::Token a = tokens[i], b = tokens[i + 1];
      const std::string first = text.substr(a.offset, a.length),
                        second = text.substr(b.offset, b.length);
      switch (dice.below(4)) {
        case 0:
          text.erase(a.offset, a.length);
          break;
        case 1:
          text.insert(a.offset, first + " ");
          break;
        case 2:
          text.replace(b.offset, b.length, first);
          text.replace(a.offset, a.length, second);
          break;
        default: {
          const files::Token c = tokens[dice.below(tokens.size() - 1)];
          text.replace(a.offset, a.length, text.substr(c.offset, c.length));
        }
      }
    }
  }
}

// ----------------------------------------------------------------------------------------- judging

struct Violation {
  std::string what;
};

void require(bool good, const std::string& what) {
  if (!good) throw Violation{what};
}

// Lengths of the lines of a text, as columns count them.
std::vector<std::size_t> lineLengths(const std::string& text) {
  std::vector<std::size_t> lengths;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && !(text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      continue;
    lengths.push_back(i - begin);
    begin = i + 1;
  }
  lengths.push_back(text.size() - begin);
  return lengths;
}

class Judge {
 public:
  Judge() {
    included_["a.tenon"] = "solid included sphere 1; end\n";
    included_["b.tenon"] = "include \"a.tenon\";\ninclude \"b.tenon\";\n";
    options_.limits.fileBytes = 1u << 20;
    options_.limits.depth = 32;
    options_.limits.things = 2000;
    options_.limits.expanded = 20000;
    options_.limits.problems = 20;
    options_.include = [this](const std::string& name) -> Result<std::string> {
      const auto found = included_.find(name);
      if (found != included_.end()) return found->second;
      Problem p;
      p.what = "no file '" + name + "'";
      return std::vector<Problem>{p};
    };
  }

  // True if the text was accepted.
  bool operator()(const std::string& text, Dice& dice) const {
    const Result<Scene> scene = parseScene(text, "fuzz.tenon", options_);
    for (const Problem& p : scene.problems()) (void)describe(p);
    located(text, scene.problems());
    std::vector<Problem> syntax;
    const files::SyntaxTree tree =
        files::parseSyntax(text, "fuzz.tenon", 0, options_.limits, syntax);
    if (hasErrors(syntax)) require(!scene, "a scene in spite of syntax errors");
    formats(text);
    if (!scene) {
      require(hasErrors(scene.problems()), "no scene and no error");
      require(std::any_of(scene.problems().begin(), scene.problems().end(),
                          [](const Problem& p) {
                            return p.severity == Severity::Error && p.line > 0 && !p.file.empty();
                          }),
              "rejected without a located error");
      return false;
    }
    require(!hasErrors(scene.problems()), "a scene in spite of errors");

    const std::string printed = printScene(*scene);
    const Result<Scene> again = parseScene(printed, "printed.tenon");
    require(again.ok(), "the printed scene does not parse: " +
                            (again.problems().empty() ? "" : describe(again.problems()[0])));
    require(sameScene(*scene, *again), "the printed scene is another one");
    const Result<Mechanism> mechanism = compile(*scene);
    if (!mechanism) require(hasErrors(mechanism.problems()), "not compiled, and no error");
    if (dice.rarely()) edits(text, *scene, dice);
    return true;
  }

 private:
  void located(const std::string& text, const std::vector<Problem>& problems) const {
    for (const Problem& p : problems) {
      require(!p.what.empty(), "a problem without words");
      if (p.line == 0) continue;
      const auto included = included_.find(p.file);
      require(p.file == "fuzz.tenon" || included != included_.end(), "a problem in " + p.file);
      const auto lengths = lineLengths(p.file == "fuzz.tenon" ? text : included->second);
      require(p.line >= 1 && static_cast<std::size_t>(p.line) <= lengths.size(),
              "a line outside of the text");
      const std::size_t length = lengths[static_cast<std::size_t>(p.line) - 1];
      require(p.column >= 1 && static_cast<std::size_t>(p.column) <= length + 1,
              "a column outside of its line");
      require(p.excerpt.size() < 400, "an excerpt that is too long");
    }
  }

  static void formats(const std::string& text) {
    const Result<std::string> once = formatText(text, "fuzz.tenon");
    if (!once) return;
    const Result<std::string> twice = formatText(*once, "fuzz.tenon");
    require(twice.ok(), "the formatted text has errors");
    require(*twice == *once, "formatting twice is not formatting once");
    const auto words = [](const std::string& t) {
      std::vector<std::string> list;
      for (const files::Token& token : files::lex(t))
        list.push_back(t.substr(token.offset, token.length));
      return list;
    };
    require(words(text) == words(*once), "formatting changed the tokens");
  }

  void edits(const std::string& text, const Scene& scene, Dice& dice) const {
    Result<SceneDocument> opened = SceneDocument::open(text, "fuzz.tenon", options_);
    require(opened.ok(), "the document does not open");
    SceneDocument& d = *opened;
    std::vector<std::string> names{"", "settings", "nobody"};
    for (const Solid& s : scene.solids) names.push_back(s.name);
    for (const Joint& j : scene.joints) names.push_back(j.name);
    for (const Spring& s : scene.springs) names.push_back(s.name);
    for (int i = 0; i < 3; ++i) {
      const std::string before = d.text();
      const std::string name = names[dice.below(names.size())];
      static const char* const kSets[][2] = {
          {"at", "1 2 3"},      {"density", "900"}, {"mass", "(1 + 1)"},
          {"box", "1 1 1"},     {"immobile", ""},   {"gravity", "0 0 0"},
          {"object1", "world"}, {"dt", "1ms"},      {"orientation", "0 0 0 1"}};
      Result<TextEdit> edit = std::vector<Problem>{};
      switch (dice.below(5)) {
        case 0:
          edit = d.unset(name, kSets[dice.below(9)][0]);
          break;
        case 1:
          edit = d.remove(name);
          break;
        case 2: {
          const auto renamed = d.rename(name, "fresh-name");
          if (!renamed) require(!renamed.problems().empty(), "refused without a reason");
          continue;
        }
        case 3:
          edit = d.add("solid new-one sphere 1; end");
          break;
        default: {
          const std::size_t k = dice.below(9);
          edit = d.set(name, kSets[k][0], kSets[k][1]);
        }
      }
      if (!edit) {
        require(!edit.problems().empty(), "refused without a reason");
        require(d.text() == before, "a refused edit changed the text");
        continue;
      }
      std::string expected = before;
      require(edit->offset + edit->length <= expected.size(), "an edit outside of the text");
      expected.replace(edit->offset, edit->length, edit->text);
      require(expected == d.text(), "the edit is not what was done");
      const Result<Scene> now = parseScene(d.text(), "fuzz.tenon", options_);
      require(now.ok() && sameScene(*now, d.scene()), "the document's scene is not its text's");
    }
  }

  std::map<std::string, std::string> included_;
  ParseOptions options_;
};

// ---------------------------------------------------------------------------------------- the run

std::vector<std::string> readCorpus() {
  std::vector<std::string> corpus{
      "/* Gascuel */ constraint object1 body; object2 left-thigh; hinge 0.4 -0.6 0 0 0 0;\n"
      "angle 1 0 0 1 0 0 max 9; end\nsolid body sphere 1; end solid left-thigh box .1 .2 .3; end\n",
      "figure leg\n  param n 2;\n  repeat i 0 (n)\n    solid s-(i) box 1 1 1; at (i) 0 0; end\n  "
      "end\n"
      "  joint pin k object1 s-0; object2 s-1; at 0 0 0; axis 0 0 1; limit angle min 0 max 1; "
      "end\nend\n"
      "place leg left at 0 1 0; turn 0 1 0 90deg; scale 1.2; mirror 0 0 1; set n 3; end\n"
      "override left.s-1 density 900; clear shapes; sphere 2; end\nremove left.s-2;\n"
      "if (left > 3) damp 1; else damp 2; end\n"};
#ifdef TENON_SOURCE_DIR
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(TENON_SOURCE_DIR "/scenes", error))
    if (entry.path().extension() == ".tenon") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
#endif
  return corpus;
}

std::string makeText(Dice& dice, const std::vector<std::string>& corpus) {
  std::string text;
  switch (dice.below(4)) {
    case 0:
      text = corpus[dice.below(corpus.size())];
      break;
    case 1:
      text = printScene(testing::randomScene(dice.bits(), dice.below(5)));
      break;
    default:
      text = Writer(dice).scene();
  }
  const std::size_t damage = dice.maybe() ? 0 : 1 + dice.below(6);
  for (std::size_t i = 0; i < damage && text.size() < (1u << 18); ++i) mutate(text, dice, corpus);
  return text;
}

int run(unsigned long count, unsigned long seed, unsigned long first) {
  const std::vector<std::string> corpus = readCorpus();
  const Judge judge;
  unsigned long accepted = 0, rejected = 0, violations = 0;
  double slowest = 0;
  // Which text is at work, in case the program does not come back.
  const char* const kAt = "fuzz_language.at";
  std::FILE* at = std::fopen(kAt, "w");
  for (unsigned long i = first; i < first + count; ++i) {
    if (at != nullptr) {
      std::rewind(at);
      std::fprintf(at, "fuzz_language 1 %lu %lu          \n", seed, i);
      std::fflush(at);
    }
    Dice dice(seed * 1000003 + i);
    const std::string text = makeText(dice, corpus);
    std::string wrong;
    const std::clock_t begin = std::clock();  // of this program: what runs beside it does not count
    try {
      ++(judge(text, dice) ? accepted : rejected);
    } catch (const Violation& v) {
      wrong = v.what;
    } catch (const std::exception& e) {
      wrong = std::string("exception: ") + e.what();
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    slowest = std::max(slowest, seconds);
    if (wrong.empty() && seconds > kSeconds) wrong = "took " + std::to_string(seconds) + " s";
    if (wrong.empty()) continue;
    ++violations;
    const std::string path =
        "fuzz_language_" + std::to_string(seed) + "_" + std::to_string(i) + ".tenon";
    std::ofstream(path, std::ios::binary) << text;
    std::printf("%s: %s\n", path.c_str(), wrong.c_str());
    if (violations >= 20) break;
  }
  if (at != nullptr) std::fclose(at);
  std::remove(kAt);
  std::printf("%lu texts: %lu accepted, %lu rejected\n", accepted + rejected, accepted, rejected);
  std::printf("slowest %.3f s, %lu violations\n", slowest, violations);
  return violations == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("usage: fuzz_language COUNT SEED [FIRST]\n");
    return 2;
  }
  return tenon::run(std::strtoul(argv[1], nullptr, 10), std::strtoul(argv[2], nullptr, 10),
                    argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0);
}
