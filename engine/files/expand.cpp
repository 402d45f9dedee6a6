// Texts, levels, statements, repetition.
#include "files/expand.h"

#include "model/problem.h"

#include <algorithm>
#include <cmath>

namespace tenon::files {
namespace {

constexpr std::size_t kDeepest = 512;  // whatever the limits say: the stack is finite

// What counts as a statement of LanguageLimits::expanded, so that it bounds time and memory.
constexpr std::size_t kPlainValues = 16;  // more values count each
constexpr std::size_t kPlainTokens = 32;  // long expressions take time
constexpr std::size_t kListed = 7;        // shapes, keys, rules: each is kept
constexpr std::size_t kPlainName = 16;    // [byte]

// "./a/../b.tenon" -> "b.tenon"
std::string normalPath(std::string_view path) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    begin = end + 1;
  }
  std::string out;
  for (const std::string_view part : parts) (out += out.empty() ? "" : "/") += part;
  return out;
}

}  // namespace

void expand(Stage& stage, std::string text, const std::string& name, const ParseOptions& options) {
  Expander(stage, options).run(std::move(text), name);
}

Expander::Expander(Stage& stage, const ParseOptions& options)
    : stage_(stage),
      report_(stage.report),
      options_(options),
      evaluator_(stage.files, stage.report),
      outside_(options.set.size()) {
  arguments_.report = &report_;
}

void Expander::run(std::string text, const std::string& name) {
  stage_.top.scene = &stage_.scene;
  sceneRun_.table = &tableOf(BlockKind::Scene);
  sceneRun_.draft = &stage_.top;
  const std::size_t slash = name.find_last_of('/');
  if (slash != std::string::npos) folder_ = name.substr(0, slash + 1);
  including_.push_back(name.substr(folder_.size()));
  const Tree* tree = readText(std::move(text), name, BlockKind::Scene, Place{});
  Variables variables(nullptr);
  Frame frame;
  frame.variables = &variables;
  if (tree != nullptr) items(*tree, tree->syntax.firstItem, frame);
  checkSettings(variables);
}

const Tree* Expander::readText(std::string text, const std::string& name, BlockKind outer,
                               const Place& from) {
  bytes_ += text.size();
  if (bytes_ > options_.limits.totalBytes) {
    report_.stop(from, "the scene and its includes have more than " +
                           std::to_string(options_.limits.totalBytes) + " bytes");
    return nullptr;
  }
  const auto file = static_cast<std::uint32_t>(stage_.files.size());
  auto tree = std::make_unique<Tree>();
  std::vector<Problem> problems;
  tree->syntax = parseSyntax(std::move(text), name, file, options_.limits, problems);
  stage_.files.push_back({name, tree->syntax.text});
  stage_.files.back().version = versionOf(tree->syntax, report_);
  if (report_.stopped()) return nullptr;
  if (!problems.empty()) stage_.broken = true;
  report_.take(problems);
  checkWords(*tree, outer, report_);
  trees_.push_back(std::move(tree));
  noteConstraintNames(trees_.back()->syntax);
  return trees_.back().get();
}

// Names given to constraints without one must not be those of other things.
void Expander::noteConstraintNames(const SyntaxTree& tree) {
  for (const Item& item : tree.items)
    for (std::uint32_t v = 0; item.kind == ItemKind::Block && v < item.valueCount; ++v) {
      const std::string_view word = tree.source(tree.values[item.firstValue + v]);
      if (word.substr(0, 11) == "constraint-") taken_.emplace(word);
    }
}

void Expander::include(const Tree& tree, const Item& item, Frame& frame) {
  const Place place = tree.syntax.place(tree.syntax.values[item.firstValue]);
  const std::string written = arguments_.names[0].text;
  const std::string key = normalPath(written);
  if (!options_.include) {
    report_.error(place, "includes are not allowed here");
    return;
  }
  for (const std::string& open : including_)
    if (open == key) {
      std::string chain;
      for (const std::string& o : including_) chain += o + " → ";
      report_.error(place, quoted(written) + " includes itself", chain + key);
      return;
    }
  if (!deeper(place, "includes")) return;
  // A text included into a figure is judged by what a figure may hold.
  const std::string known = (frame.level == BlockKind::Figure ? "f:" : "s:") + key;
  const Tree*& included = included_[known];
  if (included == nullptr) {
    Result<std::string> text = options_.include(written);
    if (!text) {
      for (const Problem& p : text.problems()) report_.error(place, p.what, p.remedy);
      if (!report_.failed()) report_.error(place, "cannot read " + quoted(written));
      --depth_;
      return;
    }
    included = readText(std::move(*text), folder_ + key, frame.level, place);
  }
  including_.push_back(key);
  if (included != nullptr) items(*included, included->syntax.firstItem, frame);
  including_.pop_back();
  --depth_;
}

bool Expander::counted(const Tree& tree, const Item& item) {
  std::size_t cost = 1;
  if (item.valueCount > kPlainValues) cost += item.valueCount - kPlainValues;
  if (item.valueCount > 0) {
    const Value& first = tree.syntax.values[item.firstValue];
    const Value& last = tree.syntax.values[item.firstValue + item.valueCount - 1];
    cost += (last.firstToken + last.tokenCount - first.firstToken) / kPlainTokens;
  }
  return spend(cost, tree.syntax.keywordPlace(item));
}

bool Expander::spend(std::size_t cost, const Place& place) {
  if (report_.stopped()) return false;
  if (cost <= options_.limits.expanded - expanded_) {
    expanded_ += cost;
    return true;
  }
  report_.stop(place, "the scene expands to more than " + std::to_string(options_.limits.expanded) +
                          " statements and values");
  return false;
}

bool Expander::deeper(const Place& place, const char* what) {
  if (++depth_ <= std::min(options_.limits.depth, kDeepest)) return true;
  --depth_;
  report_.stop(place, std::string(what) + " are nested deeper than " +
                          std::to_string(std::min(options_.limits.depth, kDeepest)));
  return false;
}

// The items of one level: a file, a figure, a turn of a repetition, a branch.
void Expander::items(const Tree& tree, std::uint32_t first, Frame& frame) {
  evaluator_.variables = frame.variables;
  for (std::uint32_t i = first; i != Item::kNone; i = tree.syntax.items[i].nextSibling)
    if (tree.kinds[i] == BlockKind::Figure && tree.syntax.items[i].kind == ItemKind::Block)
      defineFigure(tree, i, frame);
  for (std::uint32_t i = first; i != Item::kNone; i = tree.syntax.items[i].nextSibling) {
    const Item& item = tree.syntax.items[i];
    if (!counted(tree, item)) return;
    if (item.kind == ItemKind::Block)
      block(tree, i, frame);
    else if (tree.rows[i] != nullptr)
      levelStatement(tree, i, frame);
  }
}

void Expander::levelStatement(const Tree& tree, std::uint32_t i, Frame& frame) {
  const Item& item = tree.syntax.items[i];
  const Row& row = *tree.rows[i];
  if (row.set) {  // gravity, title, …
    statement(tree, item, row, sceneRun_, frame);
    return;
  }
  const std::string_view word = row.form.keyword;
  if (word == kVersionWord) return;  // read before everything else: versionOf
  if (word == "param" || word == "let") {
    number(tree, item, row, frame);
    return;
  }
  arguments_.scope = frame.scope;
  if (!readArguments(tree.syntax, item, row.form, evaluator_, arguments_)) return;
  if (word == "include") {
    include(tree, item, frame);
  } else if (word == "remove") {
    remove(frame);
  }
}

// `param` or `let`.
void Expander::number(const Tree& tree, const Item& item, const Row& row, Frame& frame) {
  arguments_.scope = frame.scope;
  if (readArguments(tree.syntax, item, row.form, evaluator_, arguments_))
    variable(tree, item, row.form.keyword == "param", frame);
  else
    brokenVariable(tree, item, frame);
}

// A block whose statements fill a draft; then what it must have.
void Expander::thing(const Tree& tree, const Item& item, BlockKind kind, void* draft, Frame& frame,
                     const JointKind* jointKind) {
  Run run;
  run.table = &tableOf(kind);
  run.draft = draft;
  run.joint = jointKind;
  Variables own(frame.variables);  // what it defines by `let` is its own
  Frame inner = frame;
  inner.variables = &own;
  evaluator_.variables = &own;
  statements(tree, item.firstChild, run, inner);
  evaluator_.variables = frame.variables;
  const auto misspelt = [&] {  // then what is missing may be there, under a wrong name
    for (std::uint32_t i = item.firstChild; i != Item::kNone; i = tree.syntax.items[i].nextSibling)
      if (tree.syntax.items[i].kind == ItemKind::Statement && tree.rows[i] == nullptr) return true;
    return false;
  };
  const auto need = [&](const StatementForm& form, std::size_t group) {
    if (form.required && (run.seen >> group & 1u) == 0 && !stage_.broken && !misspelt())
      report_.error(tree.syntax.keywordPlace(item),
                    std::string(blockWord(kind)) + " needs " + quoted(form.keyword),
                    "the form is: " + form.form());
  };
  for (const Row& row : run.table->rows) need(row.form, row.group);
  if (jointKind == nullptr) return;
  for (const std::string& option : optionNames(*jointKind)) {
    const Row* row = findOption(*jointKind, option);
    need(row->form, row->group);
  }
}

void Expander::statements(const Tree& tree, std::uint32_t first, Run& run, Frame& frame) {
  for (std::uint32_t i = first; i != Item::kNone; i = tree.syntax.items[i].nextSibling) {
    const Item& item = tree.syntax.items[i];
    if (!counted(tree, item)) return;
    if (item.kind == ItemKind::Block) {
      if (tree.kinds[i] == BlockKind::Repeat) {
        repeat(tree, item, frame,
               [&](Frame& inner) { statements(tree, item.firstChild, run, inner); });
      } else if (tree.kinds[i] == BlockKind::If) {
        bool holds = false;
        if (!condition(tree, item, holds)) continue;
        if (!deeper(tree.syntax.keywordPlace(item), "blocks")) return;
        statements(tree, holds ? item.firstChild : item.elseChild, run, frame);
        --depth_;
      }
      continue;
    }
    const Row* row = run.overriding ? overrideRow(tree, item, run, frame) : tree.rows[i];
    if (row == nullptr) continue;
    if (row->set)
      statement(tree, item, *row, run, frame);
    else
      number(tree, item, *row, frame);
  }
}

void Expander::statement(const Tree& tree, const Item& item, const Row& row, Run& run,
                         Frame& frame) {
  const std::uint64_t bit = std::uint64_t{1} << row.group;
  const bool first = (run.seen & bit) == 0;
  Run::First& before = run.first[row.group];
  if (!first && !(row.form.many && before.form->many)) {
    report_.error(tree.syntax.keywordPlace(item),
                  before.form == &row.form
                      ? quoted(row.form.keyword) + " is given twice"
                      : quoted(row.form.keyword) + " and " + quoted(before.form->keyword) +
                            " cannot both be given",
                  "the first one is at " + stage_.lineOf(before.place));
    return;
  }
  if (first) before = {&row.form, tree.syntax.keywordPlace(item)};
  run.seen |= bit;
  arguments_.scope = frame.scope;
  arguments_.overriding = run.overriding;
  arguments_.first = first;
  if (!readArguments(tree.syntax, item, row.form, evaluator_, arguments_)) return;
  std::size_t cost = row.form.many ? kListed : 0;
  for (const NameArgument& n : arguments_.names) cost += n.text.size() / kPlainName;
  if (cost == 0 || spend(cost, tree.syntax.keywordPlace(item))) row.set(run.draft, arguments_);
}

bool Expander::condition(const Tree& tree, const Item& item, bool& holds) {
  Quantity q;
  if (!evaluator_.number(tree.syntax, tree.syntax.values[item.firstValue], q)) return false;
  holds = q.value != 0;
  return true;
}

// `repeat i FROM TO [step STEP]`: i = FROM + k STEP as long as it does not pass TO.
void Expander::repeat(const Tree& tree, const Item& item, Frame& frame,
                      const std::function<void(Frame&)>& body) {
  const SyntaxTree& syntax = tree.syntax;
  const auto value = [&](std::uint32_t n) -> const Value& {
    return syntax.values[item.firstValue + n];
  };
  double bounds[3] = {0, 0, 1};  // from, to, step
  if (item.valueCount < 3 || value(0).tokenCount != 1) {
    report_.error(syntax.keywordPlace(item), "a repetition needs a name and two bounds",
                  "the form is: repeat NAME FROM TO [step STEP]");
    return;
  }
  if (item.valueCount == 4 || (item.valueCount > 4 && syntax.source(value(3)) != "step")) {
    report_.error(syntax.place(value(3)), "unexpected " + quoted(syntax.source(value(3))),
                  "the form is: repeat NAME FROM TO [step STEP]");
    return;
  }
  for (std::uint32_t n = 0; n < (item.valueCount > 4 ? 3u : 2u); ++n) {
    const Value& v = value(n == 2 ? 4 : n + 1);
    Quantity q;
    if (!evaluator_.number(syntax, v, q)) return;
    bounds[n] = q.value;
  }
  if (bounds[2] == 0) {
    report_.error(syntax.place(value(4)), "the step of a repetition is zero");
    return;
  }
  // A whisker of tolerance, so that 0 … 1 in steps of 0.1 ends at 1.
  const double turns = std::floor((bounds[1] - bounds[0]) / bounds[2] + 1e-9) + 1;
  if (!(turns >= 1)) return;
  if (turns > static_cast<double>(options_.limits.expanded)) {
    report_.stop(syntax.place(value(2)), "the repetition has more turns than the " +
                                             std::to_string(options_.limits.expanded) +
                                             " statements allowed");
    return;
  }
  if (!deeper(syntax.keywordPlace(item), "blocks")) return;
  Variables variables(frame.variables);
  Frame inner = frame;
  inner.variables = &variables;
  inner.shared = true;
  inner.repeated = true;
  for (double k = 0; k < turns && counted(tree, item); ++k) {
    variables.clear();
    variables.add(
        {syntax.source(value(0)), bounds[0] + k * bounds[2], syntax.place(value(0)), false});
    evaluator_.variables = &variables;
    body(inner);
  }
  evaluator_.variables = frame.variables;
  --depth_;
}

}  // namespace tenon::files
