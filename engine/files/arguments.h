// The values of one statement, read and checked against its form.
#pragma once

#include "files/report.h"
#include "files/schema.h"
#include "files/syntax.h"

#include <tenon/math.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tenon::files {

struct Tree;  // check.h

inline constexpr std::size_t kNameBytes = 1024;  // of a name, with those of the figures around it

// ------------------------------------------------------------------------------------- variables

// Parameters and computed numbers of one level: the file, a figure being placed, one turn of a
// repetition. Names are looked up here and then further out.
class Variables {
 public:
  struct Variable {
    std::string_view name;  // of a tree's text
    double value = 0;
    Place place;
    bool parameter = false;
    bool broken = false;  // its own computation failed, and said so: uses fail in silence
  };
  struct Figure {
    std::string_view name;
    const Tree* tree = nullptr;
    std::uint32_t item = Item::kNone;
  };
  // `set length 0.5;` of a placement, or --set of the command line.
  struct Given {
    std::string name;
    double value = 0;
    Place place;
    bool used = false;
  };

  explicit Variables(Variables* outer) : outer_(outer) {}

  [[nodiscard]] Variables* outer() const { return outer_; }
  [[nodiscard]] const Variable* find(std::string_view name) const;  // here and outwards
  [[nodiscard]] const Variable* findHere(std::string_view name) const;
  void add(const Variable& variable);
  void clear();
  [[nodiscard]] std::vector<std::string> known() const;  // all that `find` finds

  std::vector<Figure> figures;
  std::vector<Given>* given = nullptr;

 private:
  Variables* outer_;
  std::vector<Variable> variables_;
  std::unordered_map<std::string_view, std::size_t> index_;  // only of long lists
};

// Numbers and names of values, with the variables in force.
class Evaluator {
 public:
  Evaluator(const std::vector<SourceFile>& files, Report& report);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  [[nodiscard]] bool number(const SyntaxTree& tree, const Value& value, Quantity& result);
  [[nodiscard]] bool name(const SyntaxTree& tree, const Value& value, std::string& result);

  const Variables* variables = nullptr;

 private:
  const std::vector<SourceFile>& files_;
  Report& report_;
  Lookup lookup_;
  std::function<std::vector<std::string>()> known_;
  std::unordered_set<std::uint64_t> failed_;  // places of values that failed before
  std::size_t guessed_ = 0;                   // names looked at for a "did you mean"
  bool metBroken_ = false;

  void takeProblem(const Fault& fault);
};

// ------------------------------------------------------------------------------------- arguments

struct NameArgument {
  std::string text;
  Place place;
};

struct Arguments {
  struct Part {      // a clause that was given
    int clause = 0;  // index into the form's clauses
    std::size_t number = 0, numberCount = 0;
    std::size_t name = 0, nameCount = 0;
    Place place;
  };
  // What the statement stands in.
  Report* report = nullptr;
  std::uint32_t scope = 0;  // for the names of things
  bool overriding = false;  // in an override block
  bool first = false;       // first of its group in this block
  // What was read.
  const StatementForm* form = nullptr;
  Place place;
  std::vector<double> numbers;
  std::vector<Dimension> dimensions;
  std::vector<Place> places;  // of the numbers
  std::vector<NameArgument> names;
  std::vector<Part> parts;
  std::size_t slotNumbers = 0, slotNames = 0;  // how many of them belong to the slots

  [[nodiscard]] Vec3 vector(std::size_t at = 0) const {
    return {numbers[at], numbers[at + 1], numbers[at + 2]};
  }
  [[nodiscard]] Quat quaternion(std::size_t at = 0) const {
    return {numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]};
  }
  [[nodiscard]] const Part* clause(std::string_view keyword) const;  // the first of them
  [[nodiscard]] double clauseNumber(std::string_view keyword, double otherwise) const;
  void error(const Place& where, std::string what, std::string remedy = {}) const {
    report->error(where, std::move(what), std::move(remedy));
  }
};

// False, and at least one problem, if the values do not fit the form.
[[nodiscard]] bool readArguments(const SyntaxTree& tree, const Item& item,
                                 const StatementForm& form, Evaluator& evaluator,
                                 Arguments& arguments);

// "0.25", for messages.
[[nodiscard]] std::string shortNumber(double value);

// v/|v|, whatever its size; unit vectors and quaternions are left as they are, so that what was
// printed is read back to the last bit. Precondition: not zero, finite.
[[nodiscard]] Vec3 unit(const Vec3& v);
[[nodiscard]] Quat unit(const Quat& q);

}  // namespace tenon::files
