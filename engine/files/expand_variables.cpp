// Parameters and computed numbers; what the command line and placements set.
#include "files/expand.h"

#include "model/problem.h"

namespace tenon::files {

void Expander::variable(const Tree& tree, const Item& item, bool isParameter, Frame& frame) {
  const Value& written = tree.syntax.values[item.firstValue];
  const std::string_view name = tree.syntax.source(written);
  const Place place = tree.syntax.place(written);
  if (written.tokenCount != 1 || name.find_first_of(".-") != std::string_view::npos) {
    report_.error(place, "the name of a number may have only letters, digits and '_'",
                  "in parentheses, '-' subtracts and '.' would join a path");
    return;
  }
  if (isParameter && frame.repeated) {
    report_.error(place, "a parameter in a repetition cannot be set from outside",
                  "use 'let', or move it out");
    return;
  }
  if (const Variables::Variable* before = frame.variables->findHere(name)) {
    report_.error(place, quoted(name) + " is defined twice",
                  "the first one is at " + stage_.lineOf(before->place));
    return;
  }
  Parameter p;
  p.name = name;
  p.value = arguments_.numbers[0];
  p.lower = arguments_.clauseNumber("min", -kInfinity);
  p.upper = arguments_.clauseNumber("max", kInfinity);
  p.place = arguments_.place;
  if (isParameter) {
    // Whatever is wrong, the name is defined: one problem, not one for each use.
    std::string source;
    const bool inOrder = rangeInOrder(arguments_, p.lower, p.upper);
    const bool good = fromOutside(p, frame, source);
    if (inOrder && good && (p.value < p.lower || p.value > p.upper)) {
      const bool low = p.value < p.lower;
      report_.error(place, source + quoted(name) + " = " + shortNumber(p.value) + " is " +
                               (low ? "below its minimum " + shortNumber(p.lower)
                                    : "above its maximum " + shortNumber(p.upper)));
    }
  }
  frame.variables->add({name, p.value, place, isParameter});
  if (isParameter && frame.level == BlockKind::Scene)
    stage_.scene.parameters.push_back(std::move(p));
}

// A number that could not be computed is known all the same.
void Expander::brokenVariable(const Tree& tree, const Item& item, Frame& frame) {
  if (item.valueCount == 0) return;
  const Value& written = tree.syntax.values[item.firstValue];
  const std::string_view name = tree.syntax.source(written);
  if (written.kind != ValueKind::Name || frame.variables->findHere(name) != nullptr) return;
  Variables::Variable variable{name, 0, tree.syntax.place(written), false, true};
  frame.variables->add(variable);
}

// The value that a placement or the command line gives; `source` says which, for messages.
bool Expander::fromOutside(Parameter& p, Frame& frame, std::string& source) {
  if (frame.level == BlockKind::Figure) {
    for (Variables::Given& g : *frame.variables->given)
      if (g.name == p.name) {
        p.value = g.value;
        g.used = true;
        source = "set here: ";
      }
    return true;
  }
  for (std::size_t s = options_.set.size(); s-- > 0;) {  // the last one counts
    if (options_.set[s].first != p.name) continue;
    outside_[s] = true;
    if (!source.empty()) continue;
    source = "--set: ";
    if (!commandLineNumber(options_.set[s].first, options_.set[s].second, p.value)) return false;
  }
  return true;
}

// "5cm", "2 * links": a number, or an expression without its outer parentheses.
bool Expander::commandLineNumber(const std::string& name, const std::string& written,
                                 double& result) {
  const std::string label = "--set " + name;
  std::vector<Problem> problems;
  Quantity q;
  std::string error;
  bool good = readQuantity(written, q, error);
  if (!good) {
    const SyntaxTree tree =
        parseSyntax("let x (" + written + ");", label, 0, options_.limits, problems);
    // Nothing but one expression: no statements smuggled in by "1); solid …".
    if (problems.empty() && tree.items.size() == 1 && tree.items[0].valueCount == 2) {
      const std::vector<SourceFile> files{{label, tree.text}};
      Report local(files, 1);
      Evaluator evaluator(files, local);
      evaluator.variables = evaluator_.variables;
      good = evaluator.number(tree, tree.values[1], q);
      if (!good) problems = local.finish();
    }
  }
  result = q.value;
  if (good) return true;
  std::string why = problems.empty() ? "" : problems[0].what;
  std::string remedy = problems.empty() ? "" : problems[0].remedy;
  report_.error({}, label + "=" + written + " is not a number" + (why.empty() ? "" : ": " + why),
                remedy);
  return false;
}

void Expander::checkSettings(const Variables& variables) {
  for (std::size_t s = 0; s < options_.set.size(); ++s) {
    if (outside_[s] || stage_.broken || report_.stopped()) continue;
    const std::string& name = options_.set[s].first;
    std::vector<std::string> known;
    for (const Parameter& p : stage_.scene.parameters) known.push_back(p.name);
    std::string remedy = didYouMean(name, known);
    if (variables.findHere(name) != nullptr) remedy = quoted(name) + " is computed by 'let'";
    if (remedy.empty() && known.empty()) remedy = "the scene has no parameters";
    if (remedy.empty()) {
      remedy = "the scene has";
      for (const std::string& k : known) remedy += " " + k;
    }
    report_.error({}, "--set: the scene has no parameter " + quoted(name), remedy);
  }
}

}  // namespace tenon::files
