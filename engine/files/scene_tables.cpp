// Statements of the top level, of figures and their placement, and of `settings`.
#include <tenon/setting_list.h>

#include "files/tables.h"
#include "math/rotation.h"
#include "model/names.h"
#include "model/problem.h"

#include <algorithm>
#include <array>
#include <deque>

namespace tenon::files {
namespace {

// What the measures know. Others are kept, so that a newer scene still reads, but not silently.
constexpr std::array<std::string_view, 9> kExpectations{
    "solids", "joints", "constraints", "loops", "dof", "redundant", "mass", "closed", "assembled"};

StatementForm paramForm() {
  return many(statement("param", {name("NAME"), anyNumber()},
                        "a named number, to be set from outside",
                        {clause("min", {anyNumber("V")}), clause("max", {anyNumber("V")})}));
}
StatementForm letForm() {
  return many(statement("let", {name("NAME"), anyNumber()}, "a computed number"));
}
StatementForm versionForm() {
  Slot slot = number("N");
  slot.accept = Accept::Whole;
  slot.lower = 1;
  return statement("version", {slot}, "the version of the language that this text is written in");
}
StatementForm includeForm() {
  return many(statement("include", {text("\"FILE\"")}, "the items of another file"));
}
StatementForm removeForm() {
  return many(statement("remove", {reference("PATH", "thing")},
                        "takes out what a figure or a repetition made"));
}

StatementForm eventForm() {
  StatementForm f =
      many(statement("at", {notNegative("TIME", Dimension::Time)}, "an event",
                     {clause("stop", {}), clause("finish", {}),
                      clause("gravity", {numbers3("X Y Z")}), clause("damp", {notNegative("F")}),
                      clause("activate", {times(reference("NAME", "thing"), 1, -1)}),
                      clause("deactivate", {times(reference("NAME", "thing"), 1, -1)}),
                      clause("merge", {times(reference("JOINT", "joint"), 1, -1)}),
                      clause("freeze", {times(reference("JOINT", "joint"), 1, -1)}),
                      clause("drive", {reference("JOINT", "joint"), name("COORDINATE"),
                                       coordinateValue("VALUE")})}));
  f.oneClause = true;
  return f;
}

void addEvent(SceneDraft& d, Arguments& a) {
  EventDraft e;
  const Arguments::Part& part = a.parts[0];
  e.event.time = a.numbers[0];
  e.event.action = a.form->clauses[static_cast<std::size_t>(part.clause)].keyword;
  e.event.place = a.place;
  e.event.values.assign(a.numbers.begin() + 1, a.numbers.end());
  if (e.event.action == "drive") {
    e.things.push_back(referenceOf(a, part.name));
    e.event.names.push_back(a.names[part.name + 1].text);
    e.dimension = a.dimensions[part.number];
  } else {
    for (std::size_t i = 0; i < part.nameCount; ++i)
      e.things.push_back(referenceOf(a, part.name + i));
  }
  d.events.push_back(std::move(e));
}

void addExpectation(SceneDraft& d, Arguments& a) {
  const std::string& what = a.names[0].text;
  if (std::find(kExpectations.begin(), kExpectations.end(), what) == kExpectations.end()) {
    std::vector<std::string> known(kExpectations.begin(), kExpectations.end());
    a.report->warn(a.names[0].place, "expectation " + quoted(what) + " cannot be checked yet",
                   didYouMean(what, known));
  }
  d.scene->expectations.push_back({what, a.numbers, a.place});
}

// Names with spaces between, each once.
std::string joined(std::initializer_list<Names> names) {
  std::vector<std::string_view> words;
  std::string text;
  for (const Names& some : names)
    for (const std::string_view name : some) {
      if (std::find(words.begin(), words.end(), name) != words.end()) continue;
      words.push_back(name);
      text += text.empty() ? "" : " ";
      text += name;
    }
  return text;
}

// Of a setting in the session's unit; texts have units of their own.
Dimension dimensionOf(std::string_view unit) {
  if (unit == "s" || unit == "ms") return Dimension::Time;
  if (unit == "rad") return Dimension::Angle;
  return unit == "m, rad" ? Dimension::Length : Dimension::None;
}

Slot slotOf(SettingKind kind, std::string_view unit, double most, const char* words) {
  if (kind == SettingKind::Choice) return word("NAME", words);
  if (kind == SettingKind::Switch) return word("NAME", "on off");
  const Dimension dimension = dimensionOf(unit);
  const char* const label = kind == SettingKind::Whole       ? "N"
                            : dimension == Dimension::Time   ? "T"
                            : dimension == Dimension::Angle  ? "A"
                            : dimension == Dimension::Length ? "E"
                                                             : "V";
  Slot slot =
      kind == SettingKind::Positive ? positive(label, dimension) : notNegative(label, dimension);
  if (kind == SettingKind::Whole) slot.accept = Accept::Whole;
  slot.upper = most;
  return slot;
}

void setSetting(Settings& settings, const char* name, Arguments& a) {
  Settings::Given given;
  given.name = name;
  if (!a.numbers.empty()) given.number = a.numbers[0];
  if (!a.names.empty()) given.word = a.names[0].text;
  if (given.word == "on") given.number = 1;
  given.place = a.place;
  settings.given.push_back(std::move(given));
}

}  // namespace

Table makeSceneTable() {
  using D = SceneDraft;
  TableMaker t;
  t.add(versionForm());
  t.add<D>(statement("title", {text("\"TITLE\"")}, "what the scene is called"),
           [](D& d, Arguments& a) { d.scene->title = a.names[0].text; });
  t.add(paramForm());
  t.add(letForm());
  t.add<D>(statement("gravity", {numbers3("X Y Z")}, "acceleration [m/s²]"),
           [](D& d, Arguments& a) { d.scene->gravity = a.vector(); });
  t.add<D>(statement("damp", {notNegative("F")}, "Manikin's global damping factor"),
           [](D& d, Arguments& a) { d.scene->damp = a.numbers[0]; });
  t.add<D>(statement("start", {reference("POSE", "pose")}, "the pose that everything begins in"),
           [](D& d, Arguments& a) { d.start = referenceOf(a); });
  t.add(includeForm());
  t.add<D>(many(statement("expect", {name("WHAT"), times(anyNumber(), 0, -1)}, "what must hold")),
           addExpectation);
  t.add<D>(eventForm(), addEvent);
  t.add(removeForm());
  t.blocks({BlockKind::Solid, BlockKind::Material, BlockKind::Joint, BlockKind::Constraint,
            BlockKind::Force, BlockKind::Torque, BlockKind::Muscle, BlockKind::Spring,
            BlockKind::Drag, BlockKind::Pin, BlockKind::Goal, BlockKind::Floor, BlockKind::Pose,
            BlockKind::Settings, BlockKind::Figure, BlockKind::Place, BlockKind::Override,
            BlockKind::Repeat, BlockKind::If});
  return t.make();
}

Table makeFigureTable() {
  TableMaker t;
  t.add(versionForm());
  t.add(paramForm());
  t.add(letForm());
  t.add(includeForm());
  t.add(removeForm());
  t.blocks({BlockKind::Solid, BlockKind::Material, BlockKind::Joint, BlockKind::Constraint,
            BlockKind::Force, BlockKind::Torque, BlockKind::Muscle, BlockKind::Spring,
            BlockKind::Drag, BlockKind::Pin, BlockKind::Goal, BlockKind::Floor, BlockKind::Pose,
            BlockKind::Figure, BlockKind::Place, BlockKind::Override, BlockKind::Repeat,
            BlockKind::If});
  return t.make();
}

Table makePlaceTable() {
  using D = PlaceDraft;
  TableMaker t;
  t.add<D>(statement("at", {point()}, "where the figure's origin is"),
           [](D& d, Arguments& a) { d.at = a.vector(); });
  t.add<D>(many(inGroup("orientation", statement("turn", {direction("AX AY AZ"), angle()},
                                                 "how it is turned; several multiply"))),
           [](D& d, Arguments& a) { d.turn = d.turn * fromAxisAngle(a.vector(), a.numbers[3]); });
  t.add<D>(statement("orientation", {quaternion()}, "the same as a quaternion"),
           [](D& d, Arguments& a) { d.turn = a.quaternion(); });
  t.add<D>(statement("scale", {positive("S")}, "size"),
           [](D& d, Arguments& a) { d.scale = a.numbers[0]; });
  t.add<D>(statement("mirror", {direction()}, "in the plane with this normal"),
           [](D& d, Arguments& a) { d.mirror = a.vector(); });
  t.add<D>(many(statement("set", {name("PARAMETER"), anyNumber()}, "a parameter of the figure")),
           [](D& d, Arguments& a) {
             d.settings.push_back({a.names[0].text, a.numbers[0], a.names[0].place});
           });
  return t.make();
}

Table makeSettingsTable() {
  TableMaker t;
  static std::deque<std::string> kept;  // the table keeps what its words point to
  const auto add = [&](const char* name, SettingKind kind, std::string_view unit, double most,
                       Names words, Names other, const char* help) {
    t.add<Settings>(
        statement(name,
                  {slotOf(kind, unit, most, kept.emplace_back(joined({words, other})).c_str())},
                  help),
        [name](Settings& settings, Arguments& a) { setSetting(settings, name, a); });
  };
#define TENON_STATEMENT(name, kind, unit, most, words, other, field, second, methods, assembly, \
                        help)                                                                   \
  add(name, SettingKind::kind, unit, most, words, other, help);
  TENON_SETTINGS(TENON_STATEMENT)
#undef TENON_STATEMENT
  return t.make();
}

}  // namespace tenon::files
