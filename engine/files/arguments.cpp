#include "files/arguments.h"

#include "math/decimal.h"
#include "model/problem.h"

#include <algorithm>
#include <cmath>

namespace tenon::files {

// ------------------------------------------------------------------------------------- variables

namespace {
constexpr std::size_t kShort = 16;  // up to here a list is searched faster than a table
}

const Variables::Variable* Variables::findHere(std::string_view name) const {
  if (variables_.size() > kShort) {
    const auto at = index_.find(name);
    return at == index_.end() ? nullptr : &variables_[at->second];
  }
  for (const Variable& v : variables_)
    if (v.name == name) return &v;
  return nullptr;
}

const Variables::Variable* Variables::find(std::string_view name) const {
  for (const Variables* level = this; level != nullptr; level = level->outer_)
    if (const Variable* v = level->findHere(name)) return v;
  return nullptr;
}

void Variables::add(const Variable& variable) {
  variables_.push_back(variable);
  if (variables_.size() == kShort + 1) {
    for (std::size_t i = 0; i < variables_.size(); ++i) index_.emplace(variables_[i].name, i);
  } else if (variables_.size() > kShort) {
    index_.emplace(variable.name, variables_.size() - 1);
  }
}

void Variables::clear() {
  variables_.clear();
  index_.clear();
  figures.clear();
}

std::vector<std::string> Variables::known() const {
  std::vector<std::string> names;
  for (const Variables* level = this; level != nullptr; level = level->outer_)
    for (const Variable& v : level->variables_) names.emplace_back(v.name);
  return names;
}

// ------------------------------------------------------------------------------------- evaluation

Evaluator::Evaluator(const std::vector<SourceFile>& files, Report& report)
    : files_(files), report_(report) {
  lookup_ = [this](std::string_view name) -> const double* {
    const Variables::Variable* v = variables == nullptr ? nullptr : variables->find(name);
    if (v != nullptr && v->broken) {
      metBroken_ = true;
      return nullptr;
    }
    return v == nullptr ? nullptr : &v->value;
  };
  known_ = [this] {
    constexpr std::size_t kGuessed = 1'000'000;  // as for the names of things
    std::vector<std::string> names;
    if (variables != nullptr && guessed_ < kGuessed) names = variables->known();
    guessed_ += names.size();
    return names;
  };
}

// One mistake gives one message: what fails because of a number that failed says nothing, and what fails in
// every turn of a repetition is said once.
void Evaluator::takeProblem(const Fault& fault) {
  const bool quiet = metBroken_;
  metBroken_ = false;
  if (quiet) return;
  const Place& place = fault.place;
  const bool isFirst = failed_.insert((std::uint64_t{place.file} << 32) ^ place.offset).second;
  if (!isFirst && report_.failed()) return;
  std::vector<Problem> problems{
      problemAt(files_, place, Severity::Error, fault.what, fault.remedy)};
  report_.take(problems);
}

bool Evaluator::number(const SyntaxTree& tree, const Value& value, Quantity& result) {
  switch (value.kind) {
    case ValueKind::Number: {
      std::string error;
      if (readQuantity(tree.source(value), result, error)) return true;
      report_.error(tree.place(value), error);
      return false;
    }
    case ValueKind::Expression: {
      result.dimension = Dimension::None;
      if (value.tokenCount == 3 && tree.tokens[value.firstToken + 1].kind == TokenKind::Number) {
        std::string error;  // `(60rpm)` is what `60rpm` is; errors are the evaluation's to tell
        if (readQuantity(tree.word(value.firstToken + 1), result, error)) return true;
      }
      Fault fault;
      if (evaluate(tree, value, lookup_, known_, fault, result.value)) return true;
      takeProblem(fault);
      return false;
    }
    case ValueKind::Name:
    case ValueKind::String:
      break;
  }
  const std::string word(tree.source(value));
  const bool known = variables != nullptr && variables->find(word) != nullptr;
  report_.error(tree.place(value), "expected a number, got " + quoted(word),
                known ? "write (" + word + ") to use that number" : "");
  return false;
}

bool Evaluator::name(const SyntaxTree& tree, const Value& value, std::string& result) {
  if (value.kind != ValueKind::Name) {
    report_.error(tree.place(value), "expected a name, got " + quoted(tree.source(value)));
    return false;
  }
  Fault fault;
  if (value.tokenCount == 1) {
    result = tree.source(value);
  } else if (!expandName(tree, value, lookup_, known_, fault, result)) {
    takeProblem(fault);
    return false;
  }
  if (result.size() <= kNameBytes) return true;
  report_.error(tree.place(value),
                "the name has more than " + std::to_string(kNameBytes) + " bytes");
  return false;
}

// ------------------------------------------------------------------------------------- arguments

const Arguments::Part* Arguments::clause(std::string_view keyword) const {
  for (const Part& part : parts)
    if (form->clauses[static_cast<std::size_t>(part.clause)].keyword == keyword) return &part;
  return nullptr;
}

double Arguments::clauseNumber(std::string_view keyword, double otherwise) const {
  const Part* part = clause(keyword);
  return part != nullptr && part->numberCount > 0 ? numbers[part->number] : otherwise;
}

namespace {

bool takesNumbers(Accept accept) {
  switch (accept) {
    case Accept::Number:
    case Accept::Whole:
    case Accept::Direction:
    case Accept::Quaternion:
    case Accept::AngularRate:
    case Accept::Coordinate:
    case Accept::Any:
      return true;
    case Accept::Word:
    case Accept::Name:
    case Accept::Reference:
    case Accept::Text:
      break;
  }
  return false;
}

class Reading {
 public:
  Reading(const SyntaxTree& tree, const Item& item, const StatementForm& form, Evaluator& evaluator,
          Arguments& out)
      : tree_(tree), item_(item), form_(form), evaluator_(evaluator), out_(out) {}

  bool run() {
    for (const Slot& slot : form_.slots)
      if (!read(slot, form_.keyword)) return false;
    out_.slotNumbers = out_.numbers.size();
    out_.slotNames = out_.names.size();
    while (at_ < item_.valueCount)
      if (!clause()) return false;
    for (const Clause& c : form_.clauses)
      if (c.required && out_.clause(c.keyword) == nullptr)
        return fail(out_.place, quoted(form_.keyword) + " needs " + quoted(c.keyword),
                    "the form is: " + form_.form());
    if (form_.oneClause && out_.parts.size() != 1) {
      std::string all;
      for (const Clause& c : form_.clauses) (all += all.empty() ? "" : ", ") += c.keyword;
      return fail(out_.parts.size() > 1 ? out_.parts[1].place : out_.place,
                  "expected one of " + all);
    }
    return good_;
  }

 private:
  [[nodiscard]] const Value& value(std::uint32_t n) const {
    return tree_.values[item_.firstValue + n];
  }
  bool fail(const Place& place, std::string what, std::string remedy = {}) {
    out_.report->error(place, std::move(what), std::move(remedy));
    return false;
  }

  [[nodiscard]] const Clause* clauseNamed(std::string_view word, int& index) const {
    for (std::size_t c = 0; c < form_.clauses.size(); ++c)
      if (form_.clauses[c].keyword == word) {
        index = static_cast<int>(c);
        return &form_.clauses[c];
      }
    return nullptr;
  }

  [[nodiscard]] bool fits(const Slot& slot, const Value& v, int had) const {
    if (takesNumbers(slot.accept))
      return v.kind == ValueKind::Number || v.kind == ValueKind::Expression;
    if (slot.accept == Accept::Text) return v.kind == ValueKind::String;
    int index = 0;
    return v.kind == ValueKind::Name &&
           (had < slot.least || clauseNamed(tree_.source(v), index) == nullptr);
  }

  bool read(const Slot& slot, std::string_view owner) {
    int had = 0;
    const std::uint32_t begin = at_;
    const int most = slot.most < 0 ? std::numeric_limits<int>::max() : slot.most;
    while (at_ < item_.valueCount && had < most && fits(slot, value(at_), had)) {
      if (!one(slot, value(at_))) good_ = false;
      ++at_;
      ++had;
    }
    if (had < slot.least || had % slot.multiple != 0) return tooFew(slot, owner, begin, had);
    if (!good_) return true;  // the values themselves were wrong: said already
    if (slot.accept == Accept::Direction && had > 0) return direction(begin);
    if (slot.accept == Accept::Quaternion && had > 0) return quaternion(begin);
    return true;
  }

  bool tooFew(const Slot& slot, std::string_view owner, std::uint32_t begin, int had) {
    const bool wrongKind = at_ < item_.valueCount && had < slot.least;
    if (wrongKind) {
      const Value& v = value(at_);
      if (v.kind == ValueKind::Name && takesNumbers(slot.accept) &&
          evaluator_.variables != nullptr && evaluator_.variables->find(tree_.source(v)) != nullptr)
        return fail(tree_.place(v), "expected a number, got " + quoted(tree_.source(v)),
                    "write (" + std::string(tree_.source(v)) + ") to use that number");
      if (had == 0)
        return fail(tree_.place(v),
                    "expected " + wanted(slot) + " after " + quoted(owner) + ", got " +
                        quoted(tree_.source(v)),
                    hint(v));
    }
    Place where = out_.place;
    if (had > 0) {
      where = tree_.place(value(begin));
      const Place last = tree_.place(value(at_ - 1));
      where.length = last.offset + last.length - where.offset;
    }
    return fail(where,
                "expected " + wanted(slot) + " after " + quoted(owner) + ", got " +
                    (had == 0 ? "nothing" : std::to_string(had)),
                "the form is: " + form_.form());
  }

  // A surplus word at the beginning of a line: the statement before it lacks its `;`.
  [[nodiscard]] std::string hint(const Value& v) const {
    return tree_.startsLine(v.firstToken) ? "is a ';' missing before it?"
                                          : "the form is: " + form_.form();
  }

  bool one(const Slot& slot, const Value& v) {
    if (!takesNumbers(slot.accept)) return word(slot, v);
    Quantity q;
    if (!evaluator_.number(tree_, v, q)) return false;
    const Place place = tree_.place(v);
    if (!dimension(slot, v, q)) return false;
    if (slot.accept == Accept::Whole && q.value != std::floor(q.value))
      return fail(place, "expected a whole number, got " + quoted(tree_.source(v)));
    const bool low = slot.above ? q.value <= slot.lower : q.value < slot.lower;
    if (low || q.value > slot.upper) {
      std::string range = low ? (slot.above ? "greater than " : "at least ") : "at most ";
      range += shortNumber(low ? slot.lower : slot.upper);
      return fail(place, std::string(slot.label) + " of " + quoted(form_.keyword) + " must be " +
                             range + ", got " + quoted(tree_.source(v)) +
                             (v.kind == ValueKind::Expression ? " = " + shortNumber(q.value) : ""));
    }
    out_.numbers.push_back(q.value);
    out_.dimensions.push_back(q.dimension);
    out_.places.push_back(place);
    return true;
  }

  bool dimension(const Slot& slot, const Value& v, Quantity& q) {
    if (q.dimension == Dimension::None || slot.accept == Accept::Any) return true;
    switch (slot.accept) {
      case Accept::Coordinate:
        return true;  // judged by the setter, which knows the coordinate
      case Accept::AngularRate:
        if (q.dimension != Dimension::Frequency) break;
        q.value *= 2 * kPi;
        return true;
      case Accept::Number:
        if (q.dimension == slot.dimension) return true;
        break;
      default:
        break;
    }
    const bool plain = slot.accept != Accept::Number;
    return fail(tree_.place(v), "expected " + nounOf(plain ? Dimension::None : slot.dimension) +
                                    " for " + quoted(form_.keyword) + ", got " +
                                    nounOf(q.dimension) + ", " + quoted(tree_.source(v)));
  }

  bool word(const Slot& slot, const Value& v) {
    NameArgument name;
    name.place = tree_.place(v);
    if (slot.accept == Accept::Text) {
      name.text = decodeString(tree_.source(v));
    } else if (!evaluator_.name(tree_, v, name.text)) {
      return false;
    }
    if (slot.accept == Accept::Word) {
      const std::vector<std::string> words = wordsOf(slot);
      if (std::find(words.begin(), words.end(), name.text) == words.end())
        return fail(name.place, "expected " + wanted(slot) + ", got " + quoted(name.text),
                    didYouMean(name.text, words));
    }
    out_.names.push_back(std::move(name));
    return true;
  }

  // The last three (four) numbers.
  bool direction(std::uint32_t begin) {
    double* n = &out_.numbers[out_.numbers.size() - 3];
    if (n[0] == 0 && n[1] == 0 && n[2] == 0)
      return fail(span(begin), "the direction of " + quoted(form_.keyword) + " is zero");
    const Vec3 d = unit(Vec3{n[0], n[1], n[2]});
    n[0] = d.x, n[1] = d.y, n[2] = d.z;
    return true;
  }
  bool quaternion(std::uint32_t begin) {
    double* n = &out_.numbers[out_.numbers.size() - 4];
    if (n[0] == 0 && n[1] == 0 && n[2] == 0 && n[3] == 0)
      return fail(span(begin), "the quaternion of " + quoted(form_.keyword) + " is zero");
    const Quat q = unit(Quat{n[0], n[1], n[2], n[3]});
    n[0] = q.x, n[1] = q.y, n[2] = q.z, n[3] = q.w;
    return true;
  }
  [[nodiscard]] Place span(std::uint32_t begin) const {
    Place where = tree_.place(value(begin));
    const Place last = tree_.place(value(at_ - 1));
    where.length = last.offset + last.length - where.offset;
    return where;
  }

  bool clause() {
    const Value& v = value(at_);
    const std::string_view word = tree_.source(v);
    int index = 0;
    const Clause* c = v.kind == ValueKind::Name ? clauseNamed(word, index) : nullptr;
    if (c == nullptr) return surplus(v);
    if (!c->many && out_.clause(c->keyword) != nullptr)
      return fail(tree_.place(v), quoted(c->keyword) + " is given twice");
    Arguments::Part part;
    part.clause = index;
    part.place = tree_.place(v);
    part.number = out_.numbers.size();
    part.name = out_.names.size();
    ++at_;
    for (const Slot& slot : c->slots)
      if (!read(slot, c->keyword)) return false;
    part.numberCount = out_.numbers.size() - part.number;
    part.nameCount = out_.names.size() - part.name;
    out_.parts.push_back(part);
    return true;
  }

  bool surplus(const Value& v) {
    const std::string_view word = tree_.source(v);
    std::vector<std::string> words;
    std::string all;
    for (const Clause& c : form_.clauses) {
      words.emplace_back(c.keyword);
      (all += all.empty() ? "" : ", ") += c.keyword;
    }
    if (v.kind == ValueKind::Name && !words.empty() && !tree_.startsLine(v.firstToken)) {
      std::string remedy = didYouMean(word, words);
      if (remedy.empty()) remedy = "these words may follow here: " + all;
      return fail(tree_.place(v), "unexpected " + quoted(word) + " in " + quoted(form_.keyword),
                  remedy);
    }
    return fail(tree_.place(v), "unexpected " + quoted(word) + " in " + quoted(form_.keyword),
                hint(v));
  }

  const SyntaxTree& tree_;
  const Item& item_;
  const StatementForm& form_;
  Evaluator& evaluator_;
  Arguments& out_;
  std::uint32_t at_ = 0;
  bool good_ = true;
};

}  // namespace

bool readArguments(const SyntaxTree& tree, const Item& item, const StatementForm& form,
                   Evaluator& evaluator, Arguments& arguments) {
  arguments.form = &form;
  arguments.place = tree.place(item);
  arguments.numbers.clear();
  arguments.dimensions.clear();
  arguments.places.clear();
  arguments.names.clear();
  arguments.parts.clear();
  return Reading(tree, item, form, evaluator, arguments).run();
}

std::string shortNumber(double value) { return shortDecimal(value, 6); }

Vec3 unit(const Vec3& v) {
  const double square = dot(v, v);
  if (std::abs(square - 1) < 1e-14) return v;
  const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  const Vec3 scaled = v / largest;  // neither overflows nor vanishes
  return scaled / norm(scaled);
}

Quat unit(const Quat& q) {
  const double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (std::abs(square - 1) < 1e-14) return q;
  const double largest = std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z), std::abs(q.w)});
  return normalized(Quat{q.x / largest, q.y / largest, q.z / largest, q.w / largest});
}

}  // namespace tenon::files
