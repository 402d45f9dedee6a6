#include "files/schema.h"

#include "files/tables.h"
#include "math/rotation.h"

#include <array>
#include <cassert>

namespace tenon::files {
namespace {

constexpr std::array<std::string_view, kBlockKinds> kWords{
    "",         "solid",  "material", "joint",    "constraint", "force", "torque",
    "muscle",   "spring", "drag",     "pin",      "goal",       "floor", "pose",
    "settings", "figure", "place",    "override", "repeat",     "if"};

std::array<Table, kBlockKinds> makeTables() {
  std::array<Table, kBlockKinds> tables;
  const auto put = [&](BlockKind kind, Table table) {
    tables[static_cast<std::size_t>(kind)] = std::move(table);
  };
  put(BlockKind::Scene, makeSceneTable());
  put(BlockKind::Figure, makeFigureTable());
  put(BlockKind::Place, makePlaceTable());
  put(BlockKind::Solid, makeSolidTable());
  put(BlockKind::Material, makeMaterialTable());
  put(BlockKind::Joint, makeJointTable());
  put(BlockKind::Constraint, makeConstraintTable());
  put(BlockKind::Force, makeForceTable());
  put(BlockKind::Torque, makeTorqueTable());
  put(BlockKind::Muscle, makeMuscleTable());
  put(BlockKind::Spring, makeSpringTable());
  put(BlockKind::Drag, makeDragTable());
  put(BlockKind::Pin, makePinTable());
  put(BlockKind::Goal, makeGoalTable());
  put(BlockKind::Floor, makeFloorTable());
  put(BlockKind::Pose, makePoseTable());
  put(BlockKind::Settings, makeSettingsTable());
  TableMaker override;  // beside what the overridden thing has
  override.add(StatementForm(clearForm()));
  put(BlockKind::Override, override.make());
  return tables;
}

std::string plural(Dimension dimension) {
  switch (dimension) {
    case Dimension::None:
      return "numbers";
    case Dimension::Length:
      return "lengths";
    case Dimension::Angle:
      return "angles";
    case Dimension::Mass:
      return "masses";
    case Dimension::Time:
      return "times";
    case Dimension::Force:
      return "forces";
    case Dimension::Frequency:
      return "frequencies";
  }
  return "numbers";
}

std::string slotForm(const Slot& slot) {
  std::string out(slot.label);
  if (slot.most < 0) out += "…";
  return slot.least == 0 ? "[" + out + "]" : out;
}

}  // namespace

std::string_view blockWord(BlockKind kind) { return kWords[static_cast<std::size_t>(kind)]; }

bool findBlockKind(std::string_view word, BlockKind& kind) {
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (kWords[i] == word) {
      kind = static_cast<BlockKind>(i);
      return true;
    }
  return false;
}

const Table& tableOf(BlockKind kind) {
  static const std::array<Table, kBlockKinds> tables = makeTables();
  return tables[static_cast<std::size_t>(kind)];
}

std::vector<StatementForm> statementsOf(std::string_view block) {
  std::vector<StatementForm> forms;
  BlockKind kind{};
  if (!findBlockKind(block, kind)) return forms;
  for (const Row& row : tableOf(kind).rows) forms.push_back(row.form);
  return forms;
}

std::vector<std::string> clearablesOf(std::string_view block) {
  std::vector<std::string> words;
  BlockKind kind{};
  if (!findBlockKind(block, kind)) return words;
  for (const Clearable& c : tableOf(kind).clearables) words.emplace_back(c.word);
  return words;
}

std::vector<std::string> blocksIn(std::string_view block) {
  std::vector<std::string> words;
  BlockKind kind{};
  if (!findBlockKind(block, kind)) return words;
  for (const BlockKind b : tableOf(kind).blocks) words.emplace_back(blockWord(b));
  return words;
}

std::string nounOf(Dimension dimension) {
  switch (dimension) {
    case Dimension::None:
      return "a plain number";
    case Dimension::Length:
      return "a length";
    case Dimension::Angle:
      return "an angle";
    case Dimension::Mass:
      return "a mass";
    case Dimension::Time:
      return "a time";
    case Dimension::Force:
      return "a force";
    case Dimension::Frequency:
      return "a frequency";
  }
  return "a number";
}

std::string wanted(const Slot& slot) {
  const bool single = slot.least == 1 && slot.most == 1;
  std::string count = std::to_string(slot.least);
  if (slot.most > slot.least) count += " to " + std::to_string(slot.most);
  if (slot.most < 0) count = "at least " + count;
  switch (slot.accept) {
    case Accept::Number:
    case Accept::AngularRate:
    case Accept::Direction:
    case Accept::Quaternion:
      if (single) return slot.dimension == Dimension::None ? "a number" : nounOf(slot.dimension);
      count += " " + plural(slot.dimension);
      break;
    case Accept::Whole:
      if (single) return "a whole number";
      count += " whole numbers";
      break;
    case Accept::Coordinate:
    case Accept::Any:
      if (single) return "a number";
      count += " numbers";
      break;
    case Accept::Word: {
      std::string all = "one of ";
      for (const char c : slot.words)
        all += c == ' ' ? std::string_view(", ") : std::string_view(&c, 1);
      return all;
    }
    case Accept::Name:
      return single ? "a name" : count + " names";
    case Accept::Reference:
      return "the name of a " + std::string(slot.words);
    case Accept::Text:
      return "a text in quotes";
  }
  if (slot.multiple > 1) count += " (by " + std::to_string(slot.multiple) + ")";
  return count;
}

std::vector<std::string> wordsOf(const Slot& slot) {
  std::vector<std::string> words(1);
  for (const char c : slot.words)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

std::string StatementForm::form() const {
  std::string out(keyword);
  for (const Slot& slot : slots) out += " " + slotForm(slot);
  for (const Clause& c : clauses) {
    std::string part(c.keyword);
    for (const Slot& slot : c.slots) part += " " + slotForm(slot);
    if (oneClause) {
      out += (&c == &clauses[0] ? " " : " | ") + part;
    } else {
      out += c.required ? " " + part : " [" + part + "]";
      if (c.many) out += "…";
    }
  }
  return out;
}

// ---------------------------------------------------------------------------------------- tables

const Row* Table::find(std::string_view keyword) const {
  const auto at = index.find(keyword);
  return at == index.end() ? nullptr : &rows[at->second];
}

std::vector<std::string> Table::keywords() const {
  std::vector<std::string> words;
  for (const Row& row : rows) words.emplace_back(row.form.keyword);
  for (const BlockKind b : blocks) words.emplace_back(blockWord(b));
  return words;
}

const Row* letRow(std::string_view keyword) {
  return keyword == "let" ? tableOf(BlockKind::Scene).find(keyword) : nullptr;
}

const StatementForm& clearForm() {
  static const StatementForm form =
      many(statement("clear", {times(name("WHAT"), 1, -1)}, "empties a list, or forgets a value"));
  return form;
}

TableMaker& TableMaker::add(StatementForm&& form, const Deed<Arguments&>& set) {
  if (form.group.empty()) form.group = form.keyword;
  Row row;
  std::size_t highest = 0;
  bool known = false;
  for (const Row& other : table_.rows) {
    highest = std::max(highest, other.group + 1);
    if (other.form.group == form.group) {
      row.group = other.group;
      known = true;
    }
  }
  if (!known) row.group = highest;
  assert(row.group < kGroups);
  row.form = std::move(form);
  row.set = set;
  table_.rows.push_back(std::move(row));
  return *this;
}

TableMaker& TableMaker::blocks(std::initializer_list<BlockKind> kinds) {
  table_.blocks.insert(table_.blocks.end(), kinds);
  return *this;
}

Table TableMaker::make() {
  for (std::size_t i = 0; i < table_.rows.size(); ++i)
    table_.index.emplace(table_.rows[i].form.keyword, i);
  return std::move(table_);
}

// ----------------------------------------------------------------------------------------- slots

Slot number(const char* label, Dimension dimension) {
  Slot s;
  s.label = label;
  s.dimension = dimension;
  return s;
}
Slot positive(const char* label, Dimension dimension) {
  Slot s = number(label, dimension);
  s.lower = 0;
  s.above = true;
  return s;
}
Slot notNegative(const char* label, Dimension dimension) {
  Slot s = number(label, dimension);
  s.lower = 0;
  return s;
}
Slot numbers3(const char* label, Dimension dimension) {
  return times(number(label, dimension), 3, 3);
}
Slot point(const char* label) { return numbers3(label, Dimension::Length); }
Slot direction(const char* label) {
  Slot s = numbers3(label);
  s.accept = Accept::Direction;
  return s;
}
Slot quaternion() {
  Slot s = times(number("QX QY QZ QW"), 4, 4);
  s.accept = Accept::Quaternion;
  return s;
}
Slot angle(const char* label) { return number(label, Dimension::Angle); }
Slot coordinateValue(const char* label) {
  Slot s = number(label);
  s.accept = Accept::Coordinate;
  return s;
}
Slot anyNumber(const char* label) {
  Slot s = number(label);
  s.accept = Accept::Any;
  return s;
}
Slot name(const char* label) {
  Slot s = number(label);
  s.accept = Accept::Name;
  return s;
}
Slot reference(const char* label, const char* to) {
  Slot s = name(label);
  s.accept = Accept::Reference;
  s.words = to;
  return s;
}
Slot word(const char* label, const char* words) {
  Slot s = name(label);
  s.accept = Accept::Word;
  s.words = words;
  return s;
}
Slot text(const char* label) {
  Slot s = name(label);
  s.accept = Accept::Text;
  return s;
}
Slot times(const Slot& slot, int least, int most) {
  Slot several = slot;
  several.least = least;
  several.most = most;
  return several;
}

StatementForm statement(const char* keyword, std::vector<Slot> slots, const char* help,
                        std::vector<Clause> clauses) {
  StatementForm f;
  f.keyword = keyword;
  f.slots = std::move(slots);
  f.help = help;
  f.clauses = std::move(clauses);
  return f;
}
StatementForm&& many(StatementForm&& form) {
  form.many = true;
  return std::move(form);
}
StatementForm&& required(StatementForm&& form) {
  form.required = true;
  return std::move(form);
}
StatementForm&& inGroup(const char* group, StatementForm&& form) {
  form.group = group;
  return std::move(form);
}
Clause clause(const char* keyword, std::vector<Slot> slots) {
  Clause c;
  c.keyword = keyword;
  c.slots = std::move(slots);
  return c;
}
Clause&& many(Clause&& c) {
  c.many = true;
  return std::move(c);
}
Clause&& required(Clause&& c) {
  c.required = true;
  return std::move(c);
}
Clause turnClause() { return clause("turn", {direction("AX AY AZ"), angle()}); }
Clause orientationClause() { return clause("orientation", {quaternion()}); }
std::vector<Slot> activeSlots() {
  return {notNegative("T1", Dimension::Time), times(notNegative("T2", Dimension::Time), 0, 1)};
}
Clause activeClause() { return clause("active", activeSlots()); }

// --------------------------------------------------------------------------------------- setters

Reference referenceOf(const Arguments& a, std::size_t name) {
  return {a.names[name].text, a.names[name].place, a.scope};
}

Interval intervalOf(const Arguments& a, std::size_t number, std::size_t count) {
  Interval i;
  i.begin = a.numbers[number];
  if (count > 1) i.end = a.numbers[number + 1];
  if (i.end < i.begin) a.error(a.places[number + 1], "the interval ends before it begins");
  return i;
}

Pose poseOf(const Arguments& a) {
  Pose X;
  if (const auto* at = a.clause("at")) X.p = a.vector(at->number);
  const auto* turn = a.clause("turn");
  const auto* orientation = a.clause("orientation");
  if (turn != nullptr) X.q = fromAxisAngle(a.vector(turn->number), a.numbers[turn->number + 3]);
  if (orientation != nullptr) X.q = a.quaternion(orientation->number);
  if (turn != nullptr && orientation != nullptr)
    a.error(orientation->place, "give either 'turn' or 'orientation', not both");
  return X;
}

bool rangeInOrder(const Arguments& a, double lower, double upper) {
  if (lower <= upper) return true;
  const auto* max = a.clause("max");
  a.error(max != nullptr ? max->place : a.place, "'max' is less than 'min'");
  return false;
}

}  // namespace tenon::files
