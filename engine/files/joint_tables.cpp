// Statements of `joint` and of Gascuel's `constraint`, and the options of joint kinds.
#include "files/tables.h"
#include "model/problem.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::files {
namespace {

// --------------------------------------------------------------------------------- on coordinates

std::vector<std::string> coordinateNames(const JointKind& kind) {
  std::vector<std::string> names;
  for (int c = 0; c < kind.coordinateCount; ++c) names.emplace_back(kind.coordinates[c].name);
  return names;
}

// A number of the dimension that the coordinate has; turns per second for the rate of an angle.
bool fits(Arguments& a, std::size_t number, bool angular, bool rate = false) {
  const Dimension given = a.dimensions[number];
  if (given == Dimension::None) return true;
  if (given == (angular ? Dimension::Angle : Dimension::Length)) return true;
  if (given == Dimension::Frequency && angular && rate) {
    a.numbers[number] *= 2 * kPi;
    return true;
  }
  a.error(a.places[number], "coordinate " + quoted(a.names[0].text) + " is " +
                                nounOf(angular ? Dimension::Angle : Dimension::Length) + ", got " +
                                nounOf(given));
  return false;
}

// A force, or the plain number of a torque.
bool fitsForce(Arguments& a, std::size_t number, bool angular) {
  if (!angular || a.dimensions[number] == Dimension::None) return true;
  a.error(a.places[number], "what acts on an angle is a torque: write a plain number, in N m");
  return false;
}

bool readSignal(Arguments& a, bool angular, Signal& signal) {
  bool good = true;
  if (a.slotNumbers > 0) {
    good = fits(a, 0, angular);
    signal.offset = a.numbers[0];
  }
  for (const Arguments::Part& part : a.parts) {
    const std::string_view word = a.form->clauses[static_cast<std::size_t>(part.clause)].keyword;
    const std::size_t n = part.number;
    if (word == "offset" || word == "target") {
      if (a.slotNumbers > 0) {
        a.error(part.place, "the offset is given twice");
        good = false;
      }
      good = fits(a, n, angular) && good;
      signal.offset = a.numbers[n];
    } else if (word == "rate") {
      good = fits(a, n, angular, true) && good;
      signal.rate = a.numbers[n];
    } else if (word == "sine") {
      good = fits(a, n, angular) && good;
      signal.amplitude = a.numbers[n];
      signal.frequency = a.numbers[n + 1];
      if (part.numberCount > 2) signal.phase = a.numbers[n + 2];
    } else if (word == "key") {
      good = fits(a, n + 1, angular) && good;
      if (!signal.keys.empty() && signal.keys.back().time >= a.numbers[n]) {
        a.error(a.places[n], "the times of keys must increase");
        good = false;
      }
      signal.keys.push_back({a.numbers[n], a.numbers[n + 1]});
    }
  }
  if (signal.keys.size() == 1) {
    a.error(a.place, "a signal needs at least two keys, or none");
    good = false;
  }
  return good;
}

void addRule(JointDraft& d, Arguments& a, CoordinateRule::Kind kind) {
  if (d.kind == nullptr) return;  // an unknown kind: said already
  CoordinateRule rule;
  rule.kind = kind;
  rule.coordinate = a.names[0].text;
  rule.place = a.place;
  const int c = findCoordinate(*d.kind, rule.coordinate);
  if (c < 0) {
    const std::vector<std::string> names = coordinateNames(*d.kind);
    std::string remedy = didYouMean(rule.coordinate, names);
    if (remedy.empty()) {
      remedy = names.empty() ? "it has none" : "it has";
      for (const std::string& n : names) remedy += " " + n;
    }
    a.error(a.names[0].place,
            "joint kind " + quoted(d.kind->name) + " has no coordinate " + quoted(rule.coordinate),
            remedy);
    return;
  }
  const bool angular = d.kind->coordinates[c].angular;
  switch (kind) {
    case CoordinateRule::Kind::Prefer:
    case CoordinateRule::Kind::Limit: {
      const auto* min = a.clause("min");
      const auto* max = a.clause("max");
      if (min == nullptr && max == nullptr) {
        a.error(a.place, "a range needs 'min' or 'max'");
        return;
      }
      if ((min != nullptr && !fits(a, min->number, angular)) ||
          (max != nullptr && !fits(a, max->number, angular)))
        return;
      rule.lower = a.clauseNumber("min", -kInfinity);
      rule.upper = a.clauseNumber("max", kInfinity);
      if (!rangeInOrder(a, rule.lower, rule.upper)) return;
      break;
    }
    case CoordinateRule::Kind::Damper:
      rule.damping = a.numbers[0];
      break;
    case CoordinateRule::Kind::Armature:
      rule.inertia = a.numbers[0];
      break;
    case CoordinateRule::Kind::Friction:
      if (!fitsForce(a, 0, angular)) return;
      rule.maxForce = a.numbers[0];
      rule.coefficient = a.clauseNumber("coefficient", 0);
      rule.radius = a.clauseNumber("radius", 0);
      if (rule.coefficient > 0 && angular && rule.radius == 0) {
        a.error(a.place, "the friction coefficient of an angle needs the radius of its bearing",
                "add 'radius R'");
        return;
      }
      break;
    case CoordinateRule::Kind::Spring:
    case CoordinateRule::Kind::Drive:
    case CoordinateRule::Kind::Prescribe:
      if (!readSignal(a, angular, rule.target)) return;
      break;
  }
  if (kind == CoordinateRule::Kind::Spring || kind == CoordinateRule::Kind::Drive ||
      kind == CoordinateRule::Kind::Prefer) {
    rule.stiffness = a.clauseNumber("stiffness", 0);
    rule.damping = a.clauseNumber("damping", 0);
  }
  if (kind == CoordinateRule::Kind::Drive) {
    const auto* max = a.clause("max");
    if (max != nullptr && !fitsForce(a, max->number, angular)) return;
    rule.maxForce = a.clauseNumber("max", kInfinity);
  }
  if (kind == CoordinateRule::Kind::Prefer) {
    const auto* force = a.clause("force");
    if (force != nullptr && !fitsForce(a, force->number, angular)) return;
    rule.maxForce = a.clauseNumber("force", kInfinity);
  }
  rule.compliance = a.clauseNumber("compliance", 0);
  rule.weight = a.clauseNumber("weight", 1);
  for (const Arguments::Part& part : a.parts)
    if (a.form->clauses[static_cast<std::size_t>(part.clause)].keyword == "active")
      rule.active.push_back(intervalOf(a, part.number, part.numberCount));
  d.joint.rules.push_back(std::move(rule));
}

void clearRules(JointDraft& d, CoordinateRule::Kind kind) {
  std::erase_if(d.joint.rules, [kind](const CoordinateRule& r) { return r.kind == kind; });
}

std::vector<Clause> signalClauses(std::vector<Clause> more, const char* offset) {
  std::vector<Clause> clauses{
      clause(offset, {coordinateValue()}), clause("rate", {coordinateValue()}),
      clause("sine", {coordinateValue("AMPLITUDE"), notNegative("FREQUENCY", Dimension::Frequency),
                      times(angle("PHASE"), 0, 1)}),
      many(clause("key", {number("TIME", Dimension::Time), coordinateValue("VALUE")}))};
  clauses.insert(clauses.end(), more.begin(), more.end());
  clauses.push_back(many(activeClause()));
  return clauses;
}

// ----------------------------------------------------------------------------------------- frames

constexpr const char *kObjects[] = {"object1", "object2", "object3", "object4"},
                     *kPoints[] = {"point1", "point2", "point3", "point4"},
                     *kAxes[] = {"axis1", "axis2"}, *kNormals[] = {"normal1", "normal2"},
                     *kOrientations[] = {"orientation1", "orientation2"};

void addSide(TableMaker& t, std::size_t k) {
  using D = JointDraft;
  t.add<D>(statement(kObjects[k], {reference("NAME", "solid")}, "solid, or world"),
           [k](D& d, Arguments& a) { d.sides[k].object = referenceOf(a); });
  t.add<D>(statement(kPoints[k], {point()}, "origin of the joint's frame, in that object"),
           [k](D& d, Arguments& a) { d.sides[k].point = a.vector(); });
  t.add<D>(statement(kAxes[k], {direction()}, "axis i of the joint's frame, in that object"),
           [k](D& d, Arguments& a) {
             d.sides[k].axis = a.vector();
             d.sides[k].axisPlace = a.place;
             if (a.overriding) d.sides[k].orientation.reset();
           });
  t.add<D>(statement(kNormals[k], {direction()}, "direction near axis j, in that object"),
           [k](D& d, Arguments& a) {
             d.sides[k].normal = a.vector();
             d.sides[k].axisPlace = a.place;
             if (a.overriding) d.sides[k].orientation.reset();
           });
  t.add<D>(statement(kOrientations[k], {quaternion()}, "the frame's orientation in full"),
           [k](D& d, Arguments& a) {
             d.sides[k].orientation = a.quaternion();
             d.sides[k].axisPlace = a.place;
             if (!a.overriding) return;
             d.sides[k].axis.reset();
             d.sides[k].normal.reset();
           });
  t.clears<D>(kObjects[k], [k](D& d) { d.sides[k].object = {}; });
  t.clears<D>(kPoints[k], [k](D& d) { d.sides[k].point.reset(); });
  t.clears<D>(kAxes[k], [k](D& d) { d.sides[k].axis.reset(); });
  t.clears<D>(kNormals[k], [k](D& d) { d.sides[k].normal.reset(); });
  t.clears<D>(kOrientations[k], [k](D& d) { d.sides[k].orientation.reset(); });
}

// The third and fourth solid of a relation of points.
void addMore(TableMaker& t, std::size_t k) {
  using D = JointDraft;
  t.add<D>(statement(kObjects[k + 2], {reference("NAME", "solid")},
                     "third or fourth solid, where there are four"),
           [k](D& d, Arguments& a) { d.more[k].object = referenceOf(a); });
  t.add<D>(statement(kPoints[k + 2], {point()}, "its point, in that object"),
           [k](D& d, Arguments& a) { d.more[k].point = a.vector(); });
  t.clears<D>(kObjects[k + 2], [k](D& d) { d.more[k].object = {}; });
  t.clears<D>(kPoints[k + 2], [k](D& d) { d.more[k].point.reset(); });
}

CoupleDraft coupleOf(const Arguments& a) {
  CoupleDraft c;
  c.joint = referenceOf(a);
  c.term.place = a.place;
  if (a.names.size() > 1) c.term.coordinate = a.names[1].text;
  if (!a.numbers.empty()) c.term.factor = a.numbers[0];
  return c;
}

void addCouples(TableMaker& t) {
  using D = JointDraft;
  const Slot joint = reference("JOINT", "joint"), coordinate = times(name("COORDINATE"), 0, 1);
  t.add<D>(many(statement("couple", {joint, coordinate, number("FACTOR")},
                          "a coordinate of another joint, in a fixed ratio to others")),
           [](D& d, Arguments& a) { d.couples.push_back(coupleOf(a)); });
  t.add<D>(statement("carrier", {joint, coordinate},
                     "the joint that the coupled joints are counted from"),
           [](D& d, Arguments& a) { d.carrier = coupleOf(a); });
  t.clears<D>("couples", [](D& d) { d.couples.clear(); });
  t.clears<D>("carrier", [](D& d) { d.carrier.reset(); });
}

// Both sides at once; in an override it wins over what the block gave for each.
void addBothSides(TableMaker& t) {
  using D = JointDraft;
  const auto forgetOrientations = [](D& d, const Arguments& a) {
    d.axisPlace = a.place;
    if (!a.overriding) return;
    for (JointSide& side : d.sides) {
      side.axis.reset();
      side.normal.reset();
      side.orientation.reset();
    }
  };
  t.add<D>(statement("at", {point()}, "where the joint is at the pose as written"),
           [](D& d, Arguments& a) {
             d.at = a.vector();
             if (a.overriding)
               for (JointSide& side : d.sides) side.point.reset();
           });
  t.add<D>(statement("axis", {direction()}, "its axis i at the pose as written"),
           [forgetOrientations](D& d, Arguments& a) {
             forgetOrientations(d, a);
             d.axis = a.vector();
           });
  t.add<D>(statement("normal", {direction()}, "direction near its axis j"),
           [forgetOrientations](D& d, Arguments& a) {
             forgetOrientations(d, a);
             d.normal = a.vector();
           });
  t.clears<D>("at", [](D& d) { d.at.reset(); });
  t.clears<D>("axis", [](D& d) { d.axis.reset(); });
  t.clears<D>("normal", [](D& d) { d.normal.reset(); });
}

void addRules(TableMaker& t) {
  using D = JointDraft;
  using Kind = CoordinateRule::Kind;
  const Slot coordinate = name("COORDINATE");
  const Clause stiffness = required(clause("stiffness", {notNegative("K")}));
  const Clause damping = clause("damping", {notNegative("D")});
  const Clause compliance = clause("compliance", {notNegative("C")});
  const Clause weight = clause("weight", {positive("W")});
  t.add<D>(many(statement("limit", {coordinate}, "keeps a coordinate in a range",
                          {clause("min", {coordinateValue()}), clause("max", {coordinateValue()}),
                           compliance, weight, many(activeClause())})),
           [](D& d, Arguments& a) { addRule(d, a, Kind::Limit); });
  t.add<D>(many(statement("spring", {coordinate}, "pulls a coordinate to a target",
                          signalClauses({stiffness, damping}, "target"))),
           [](D& d, Arguments& a) { addRule(d, a, Kind::Spring); });
  t.add<D>(many(statement("damper", {coordinate, notNegative("D")},
                          "resists the velocity of a coordinate", {many(activeClause())})),
           [](D& d, Arguments& a) { addRule(d, a, Kind::Damper); });
  Clause force = clause("max", {notNegative("F", Dimension::Force)});
  t.add<D>(many(statement("drive", {coordinate, times(coordinateValue(), 0, 1)},
                          "drives a coordinate along a signal, with bounded force",
                          signalClauses({stiffness, damping, force}, "offset"))),
           [](D& d, Arguments& a) { addRule(d, a, Kind::Drive); });
  t.add<D>(many(statement("prescribe", {coordinate, times(coordinateValue(), 0, 1)},
                          "moves a coordinate along a signal exactly",
                          signalClauses({compliance, weight}, "offset"))),
           [](D& d, Arguments& a) { addRule(d, a, Kind::Prescribe); });
  t.add<D>(
      many(statement(
          "prefer", {coordinate}, "a range that yields",
          {clause("min", {coordinateValue()}), clause("max", {coordinateValue()}), stiffness,
           damping, clause("force", {notNegative("F", Dimension::Force)}), many(activeClause())})),
      [](D& d, Arguments& a) { addRule(d, a, Kind::Prefer); });
  t.add<D>(
      many(statement("friction", {coordinate, notNegative("F", Dimension::Force)},
                     "resists motion, up to a force",
                     {clause("coefficient", {notNegative("MU")}),
                      clause("radius", {positive("R", Dimension::Length)}), many(activeClause())})),
      [](D& d, Arguments& a) { addRule(d, a, Kind::Friction); });
  t.add<D>(many(statement("armature", {coordinate, positive("I")},
                          "a rotor that turns with a coordinate: its inertia")),
           [](D& d, Arguments& a) { addRule(d, a, Kind::Armature); });
  t.clears<D>("armatures", [](D& d) { clearRules(d, Kind::Armature); });
  t.clears<D>("preferred", [](D& d) { clearRules(d, Kind::Prefer); });
  t.clears<D>("friction", [](D& d) { clearRules(d, Kind::Friction); });
  t.clears<D>("limits", [](D& d) { clearRules(d, Kind::Limit); });
  t.clears<D>("springs", [](D& d) { clearRules(d, Kind::Spring); });
  t.clears<D>("dampers", [](D& d) { clearRules(d, Kind::Damper); });
  t.clears<D>("drives", [](D& d) { clearRules(d, Kind::Drive); });
  t.clears<D>("prescribed", [](D& d) { clearRules(d, Kind::Prescribe); });
}

// Statements that joints and constraints share; `of` gives what they act on.
template <class D, class F>
void addCommon(TableMaker& t, F of) {
  t.add<D>(statement("compliance", {notNegative("C")}, "how far the locked directions give [m/N]"),
           [of](D& d, Arguments& a) { of(d).compliance = a.numbers[0]; });
  t.add<D>(statement("weight", {positive("W")}, "importance if not all joints can hold"),
           [of](D& d, Arguments& a) { of(d).weight = a.numbers[0]; });
  t.add<D>(statement("damp", {notNegative("F")}, "Manikin's damping factor for this joint"),
           [of](D& d, Arguments& a) { of(d).damp = a.numbers[0]; });
  t.add<D>(statement("alpha", {positive("A")}, "Gascuel's speed of convergence [kg]"),
           [of](D& d, Arguments& a) { of(d).alpha = a.numbers[0]; });
  Slot share = notNegative("M");
  share.upper = 1;
  t.add<D>(statement("mobility", {share}, "Gascuel's ability of object1 to move, 0 … 1"),
           [of](D& d, Arguments& a) { of(d).mobility = a.numbers[0]; });
  t.add<D>(statement("frozen", {}, "its solids are one, as they are at the start"),
           [of](D& d, Arguments&) { of(d).frozen = true; });
  t.add<D>(statement("merged", {}, "its solids are one, and are shown as one"),
           [of](D& d, Arguments&) { of(d).merged = true; });
  t.clears<D>("frozen", [of](D& d) { of(d).frozen = false; });
  t.clears<D>("merged", [of](D& d) { of(d).merged = false; });
  t.add<D>(many(statement("active", activeSlots(), "when it holds; default: always")),
           [of](D& d, Arguments& a) { of(d).active.push_back(intervalOf(a, 0, a.slotNumbers)); });
  t.clears<D>("active", [of](D& d) { of(d).active.clear(); });
  t.clears<D>("compliance", [of](D& d) { of(d).compliance = 0; });
  t.clears<D>("weight", [of](D& d) { of(d).weight = 1; });
  t.clears<D>("damp", [of](D& d) { of(d).damp.reset(); });
  t.clears<D>("alpha", [of](D& d) { of(d).alpha.reset(); });
  t.clears<D>("mobility", [of](D& d) { of(d).mobility.reset(); });
}

// ------------------------------------------------------------------------------------- constraints

template <class R>
R rangeOf(const Arguments& a) {
  R r;
  if (a.clause("min") != nullptr) r.min = a.clauseNumber("min", 0);
  if (a.clause("max") != nullptr) r.max = a.clauseNumber("max", 0);
  r.place = a.place;
  (void)rangeInOrder(a, r.min.value_or(-kInfinity), r.max.value_or(kInfinity));
  return r;
}

std::vector<Clause> rangeClauses(Dimension dimension) {
  return {clause("min", {number("V", dimension)}), clause("max", {number("V", dimension)})};
}

struct OptionTable {
  std::string_view kind;
  std::vector<Row> rows;
};

constexpr std::string_view kValues = "V V V V V V";  // as many as an option has, or more

std::vector<OptionTable> makeOptionTables() {
  std::vector<OptionTable> tables;
  for (const JointKind& kind : jointCatalogue()) {
    OptionTable& table = tables.emplace_back();
    table.kind = kind.name;
    for (int o = 0; o < kind.optionCount; ++o) {
      const JointKind::Option& option = kind.options[o];
      const Dimension dimension = option.unit == OptionUnit::Length  ? Dimension::Length
                                  : option.unit == OptionUnit::Angle ? Dimension::Angle
                                                                     : Dimension::None;
      Slot values = times(number("", dimension), option.count, option.count);
      if (option.count < 0) {
        values = times(number("", dimension), option.least, -1);
        values.multiple = -option.count;
      }
      values.label =
          kValues.substr(0, static_cast<std::size_t>(std::max(2 * std::abs(option.count), 2) - 1));
      values.lower = option.above;
      values.above = true;
      Row row;
      row.form = statement("", option.count == 0 ? std::vector<Slot>{} : std::vector<Slot>{values},
                           "option of this kind of joint");
      row.form.keyword = row.form.group = option.name;
      row.form.required = option.required;
      row.group = kGroups - 1 - static_cast<std::size_t>(o);
      row.set = Deed<Arguments&>::on<JointDraft>([](JointDraft& d, Arguments& a) {
        std::vector<JointOption>& options = d.joint.options;
        std::erase_if(options,
                      [&](const JointOption& other) { return other.name == a.form->keyword; });
        options.push_back({std::string(a.form->keyword), a.numbers, a.place});
      });
      table.rows.push_back(std::move(row));
    }
  }
  return tables;
}

const std::vector<Row>* optionRows(std::string_view kind) {
  static const std::vector<OptionTable> tables = makeOptionTables();
  for (const OptionTable& table : tables)
    if (table.kind == kind) return &table.rows;
  return nullptr;
}

}  // namespace

const Row* findOption(const JointKind& kind, std::string_view keyword) {
  const std::vector<Row>* rows = optionRows(kind.name);
  if (rows == nullptr) return nullptr;
  for (const Row& row : *rows)
    if (row.form.keyword == keyword) return &row;
  return nullptr;
}

std::vector<std::string> optionNames(const JointKind& kind) {
  std::vector<std::string> names;
  if (const std::vector<Row>* rows = optionRows(kind.name))
    for (const Row& row : *rows) names.emplace_back(row.form.keyword);
  return names;
}

std::vector<StatementForm> jointOptionsOf(std::string_view kind) {
  std::vector<StatementForm> forms;
  if (const std::vector<Row>* rows = optionRows(kind))
    for (const Row& row : *rows) forms.push_back(row.form);
  return forms;
}

Table makeJointTable() {
  TableMaker t;
  addSide(t, 0);
  addSide(t, 1);
  addMore(t, 0);
  addMore(t, 1);
  addCouples(t);
  addBothSides(t);
  addRules(t);
  addCommon<JointDraft>(t, [](JointDraft& d) -> Joint& { return d.joint; });
  t.clears<JointDraft>("options", [](JointDraft& d) { d.joint.options.clear(); });
  return t.make();
}

Table makeConstraintTable() {
  using D = ConstraintDraft;
  TableMaker t;
  for (std::size_t k = 0; k < 2; ++k) {
    t.add<D>(statement(kObjects[k], {reference("NAME", "solid")}, "solid, or world"),
             [k](D& d, Arguments& a) { d.objects[k] = referenceOf(a); });
    t.clears<D>(kObjects[k], [k](D& d) { d.objects[k] = {}; });
  }
  t.add<D>(statement("hinge", {point("X1 Y1 Z1"), point("X2 Y2 Z2")}, "a point of each"),
           [](D& d, Arguments& a) { d.hinge = std::pair(a.vector(0), a.vector(3)); });
  t.add<D>(statement("axial", {direction()}, "slides along this direction of object1",
                     rangeClauses(Dimension::Length)),
           [](D& d, Arguments& a) {
             d.axial = rangeOf<D::Directed>(a);
             d.axial->direction = a.vector();
             if (a.overriding) d.planar.reset();
           });
  t.add<D>(statement("planar", {direction()}, "slides in the plane with this normal of object1",
                     rangeClauses(Dimension::Length)),
           [](D& d, Arguments& a) {
             d.planar = rangeOf<D::Directed>(a);
             d.planar->direction = a.vector();
             if (a.overriding) d.axial.reset();
           });
  t.add<D>(statement("angle", {direction("X1 Y1 Z1"), direction("X2 Y2 Z2")},
                     "angle between a direction of each", rangeClauses(Dimension::Angle)),
           [](D& d, Arguments& a) {
             d.angle = rangeOf<D::Turned>(a);
             d.angle->direction1 = a.vector(0);
             d.angle->direction2 = a.vector(3);
           });
  t.add<D>(statement("twist", {direction("X1 Y1 Z1"), direction("X2 Y2 Z2")},
                     "rotation about the directions of 'angle', measured by these two",
                     rangeClauses(Dimension::Angle)),
           [](D& d, Arguments& a) {
             d.twist = rangeOf<D::Turned>(a);
             d.twist->direction1 = a.vector(0);
             d.twist->direction2 = a.vector(3);
           });
  addCommon<D>(t, [](D& d) -> D& { return d; });
  t.clears<D>("hinge", [](D& d) { d.hinge.reset(); });
  t.clears<D>("axial", [](D& d) { d.axial.reset(); });
  t.clears<D>("planar", [](D& d) { d.planar.reset(); });
  t.clears<D>("angle", [](D& d) { d.angle.reset(); });
  t.clears<D>("twist", [](D& d) { d.twist.reset(); });
  return t.make();
}

}  // namespace tenon::files
