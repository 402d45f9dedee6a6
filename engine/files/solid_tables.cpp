// Statements of `solid` and `material`.
#include "files/tables.h"
#include "math/rotation.h"
#include "model/problem.h"

#include <cmath>

namespace tenon::files {
namespace {

constexpr double kTissue = 750;  // [kg/m³]                                [ForseyWilhelms1988 §4.1]

std::vector<Clause> shapeClauses(std::vector<Clause> clauses = {}) {
  clauses.push_back(clause("at", {point()}));
  clauses.push_back(turnClause());
  clauses.push_back(orientationClause());
  clauses.push_back(clause("density", {positive("D")}));
  return clauses;
}

Shape& addShape(SolidDraft& d, const Arguments& a, ShapeKind kind) {
  Shape& shape = d.solid.shapes.emplace_back();
  shape.kind = kind;
  shape.pose = poseOf(a);
  if (a.clause("density") != nullptr) shape.density = a.clauseNumber("density", 0);
  shape.place = a.place;
  return shape;
}

// A shape whose size is its one to three numbers.
void addSized(TableMaker& table, const char* keyword, ShapeKind kind, std::vector<Slot> slots,
              const char* help) {
  table.add<SolidDraft>(
      many(inGroup("shapes", statement(keyword, std::move(slots), help, shapeClauses()))),
      [kind](SolidDraft& d, Arguments& a) {
        Shape& shape = addShape(d, a, kind);
        for (std::size_t i = 0; i < a.slotNumbers; ++i)
          shape.size[static_cast<int>(i)] = a.numbers[i];
      });
}

void addPoints(Shape& shape, const Arguments& a, std::size_t first, std::size_t count) {
  shape.points.reserve(count / 3);
  for (std::size_t i = 0; i + 2 < count; i += 3) shape.points.push_back(a.vector(first + i));
}

void setMesh(SolidDraft& d, Arguments& a) {
  Shape& shape = addShape(d, a, ShapeKind::Mesh);
  const auto* vertices = a.clause("vertices");
  const auto* triangles = a.clause("triangles");
  addPoints(shape, a, vertices->number, vertices->numberCount);
  shape.triangles.reserve(triangles->numberCount / 3);
  for (std::size_t i = 0; i + 2 < triangles->numberCount; i += 3) {
    std::array<std::uint32_t, 3> t{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double index = a.numbers[triangles->number + i + k];
      if (index >= static_cast<double>(shape.points.size())) {
        a.error(a.places[triangles->number + i + k],
                "the mesh has no vertex " + std::to_string(static_cast<long long>(index)),
                "count vertices from 0; the mesh has " + std::to_string(shape.points.size()));
        return;
      }
      t[k] = static_cast<std::uint32_t>(index);
    }
    shape.triangles.push_back(t);
  }
}

void setInertia(SolidDraft& d, Arguments& a) {
  if (a.slotNumbers != 3 && a.slotNumbers != 6) {
    a.error(a.place,
            "expected 3 or 6 numbers after 'inertia', got " + std::to_string(a.slotNumbers),
            "the form is: inertia IXX IYY IZZ [IXY IXZ IYZ]");
    return;
  }
  Mat3 I = diagonal(a.vector());
  if (a.slotNumbers == 6) {
    I(0, 1) = I(1, 0) = a.numbers[3];
    I(0, 2) = I(2, 0) = a.numbers[4];
    I(1, 2) = I(2, 1) = a.numbers[5];
  }
  const double minor = I(0, 0) * I(1, 1) - I(0, 1) * I(0, 1);
  if (!(I(0, 0) > 0 && minor > 0 && determinant(I) > 0)) {
    a.error(a.place, "the inertia is not positive, and no body has such an inertia",
            "all three principal moments must be greater than 0");
    return;
  }
  d.solid.inertia = I;
}

Colour colourOf(const Arguments& a) { return {a.numbers[0], a.numbers[1], a.numbers[2]}; }

Slot colourSlot() {
  Slot s = numbers3("R G B");
  s.lower = 0;
  s.upper = 1;
  return s;
}

}  // namespace

Table makeSolidTable() {
  using D = SolidDraft;
  TableMaker t;
  t.add<D>(statement("at", {point()}, "where its frame is"), [](D& d, Arguments& a) {
    d.solid.pose.p = a.vector();
    d.atPlace = a.place;
  });
  t.add<D>(many(inGroup("orientation", statement("turn", {direction("AX AY AZ"), angle()},
                                                 "how it is turned; several multiply"))),
           [](D& d, Arguments& a) {
             if (a.first) d.solid.pose.q = Quat{};
             d.solid.pose.q = d.solid.pose.q * fromAxisAngle(a.vector(), a.numbers[3]);
             d.turnPlace = a.place;
           });
  t.add<D>(statement("orientation", {quaternion()}, "the same as a quaternion"),
           [](D& d, Arguments& a) {
             d.solid.pose.q = a.quaternion();
             d.turnPlace = a.place;
           });
  t.add<D>(statement("velocity", {numbers3("VX VY VZ")}, "of its centre of mass [m/s]"),
           [](D& d, Arguments& a) { d.solid.velocity = a.vector(); });
  Slot spin = numbers3("WX WY WZ");
  spin.accept = Accept::AngularRate;
  t.add<D>(statement("spin", {spin}, "angular velocity [rad/s]"),
           [](D& d, Arguments& a) { d.solid.spin = a.vector(); });

  const Dimension length = Dimension::Length;
  addSized(t, "box", ShapeKind::Box, {times(positive("LX LY LZ", length), 3, 3)}, "edge lengths");
  addSized(t, "sphere", ShapeKind::Sphere, {positive("R", length)}, "radius");
  addSized(t, "ellipsoid", ShapeKind::Ellipsoid, {times(positive("RX RY RZ", length), 3, 3)},
           "semi-axes");
  addSized(t, "capsule", ShapeKind::Capsule, {positive("R", length), notNegative("L", length)},
           "radius, and length of the straight part, along y");
  addSized(t, "cylinder", ShapeKind::Cylinder, {positive("R", length), positive("H", length)},
           "radius and height, along y");
  addSized(t, "cone", ShapeKind::Cone, {positive("R", length), positive("H", length)},
           "radius of the base and height, along y");
  Slot points = times(number("X Y Z", length), 12, -1);
  points.multiple = 3;
  t.add<D>(
      many(inGroup("shapes",
                   statement("hull", {points}, "convex hull of these points", shapeClauses()))),
      [](D& d, Arguments& a) { addPoints(addShape(d, a, ShapeKind::Hull), a, 0, a.slotNumbers); });
  Slot indices = times(number("I J K"), 12, -1);
  indices.accept = Accept::Whole;
  indices.multiple = 3;
  indices.lower = 0;
  t.add<D>(
      many(inGroup("shapes", statement("mesh", {}, "closed triangle mesh",
                                       shapeClauses({required(clause("vertices", {points})),
                                                     required(clause("triangles", {indices}))})))),
      setMesh);

  t.add<D>(statement("material", {reference("NAME", "material")}, "gives density and colour"),
           [](D& d, Arguments& a) { d.material = referenceOf(a); });
  t.add<D>(statement("density", {positive("D")}, "of its shapes [kg/m³]"),
           [](D& d, Arguments& a) { d.solid.density = a.numbers[0]; });
  t.add<D>(statement("mass", {positive("M", Dimension::Mass)}, "mass"),
           [](D& d, Arguments& a) { d.solid.mass = a.numbers[0]; });
  t.add<D>(statement("com", {point()}, "centre of mass, in its frame"),
           [](D& d, Arguments& a) { d.solid.com = a.vector(); });
  t.add<D>(
      statement("inertia", {times(number("IXX IYY IZZ"), 3, 3), times(number("IXY IXZ IYZ"), 0, 3)},
                "about the centre of mass, axes of its frame [kg m²]"),
      setInertia);
  t.add<D>(
      statement("ma", {times(positive("D"), 0, 1)},
                "Manikin: mass of the bounding box, 750 kg/m³ or D"),
      [](D& d, Arguments& a) { d.solid.boxDensity = a.numbers.empty() ? kTissue : a.numbers[0]; });
  t.add<D>(inGroup("kind", statement("immobile", {}, "never moves")), [](D& d, Arguments& a) {
    d.solid.kind = SolidKind::Immobile;
    d.kindPlace = a.place;
  });
  t.add<D>(inGroup("kind", statement("animated", {}, "follows its keys, or its velocity")),
           [](D& d, Arguments& a) {
             d.solid.kind = SolidKind::Animated;
             d.kindPlace = a.place;
           });
  t.add<D>(many(statement("key", {number("TIME", Dimension::Time), point()},
                          "a pose on the path of an animated solid",
                          {turnClause(), orientationClause()})),
           [](D& d, Arguments& a) {
             Pose X = poseOf(a);
             X.p = a.vector(1);
             if (d.solid.path.empty() && a.numbers[0] < 0)
               a.error(a.places[0], "keys must not begin before time 0",
                       "the first key says where the solid is as written");
             if (!d.solid.path.empty() && d.solid.path.back().time >= a.numbers[0])
               a.error(a.places[0], "the times of keys must increase");
             d.solid.path.push_back({a.numbers[0], X});
             d.keyPlace = a.place;
           });
  t.add<D>(statement("point-mass", {}, "no orientation: three coordinates"),
           [](D& d, Arguments&) { d.solid.pointMass = true; });
  t.add<D>(statement("rotatability", {positive("V")}, "Gascuel's ability to rotate [1/m²]"),
           [](D& d, Arguments& a) { d.solid.rotatability = a.numbers[0]; });
  t.add<D>(statement("gravity", {number("FACTOR")}, "its part of gravity; 0: weightless"),
           [](D& d, Arguments& a) { d.solid.gravity = a.numbers[0]; });
  t.add<D>(statement("colour", {colourSlot()}, "0 … 1 each"),
           [](D& d, Arguments& a) { d.solid.colour = colourOf(a); });
  t.add<D>(many(statement("group", {times(name("NAME"), 1, -1)}, "groups that it belongs to")),
           [](D& d, Arguments& a) {
             for (const NameArgument& n : a.names) d.solid.groups.push_back(n.text);
           });

  t.clears<D>("at", [](D& d) {
    d.solid.pose.p = {};
    d.atPlace = {};
  });
  t.clears<D>("orientation", [](D& d) {
    d.solid.pose.q = {};
    d.turnPlace = {};
  });
  t.clears<D>("velocity", [](D& d) { d.solid.velocity = {}; });
  t.clears<D>("spin", [](D& d) { d.solid.spin = {}; });
  t.clears<D>("shapes", [](D& d) { d.solid.shapes.clear(); });
  t.clears<D>("groups", [](D& d) { d.solid.groups.clear(); });
  t.clears<D>("keys", [](D& d) { d.solid.path.clear(); });
  t.clears<D>("kind", [](D& d) { d.solid.kind = SolidKind::Dynamic; });
  t.clears<D>("point-mass", [](D& d) { d.solid.pointMass = false; });
  t.clears<D>("material", [](D& d) { d.material = {}; });
  t.clears<D>("density", [](D& d) { d.solid.density.reset(); });
  t.clears<D>("mass", [](D& d) { d.solid.mass.reset(); });
  t.clears<D>("com", [](D& d) { d.solid.com.reset(); });
  t.clears<D>("inertia", [](D& d) { d.solid.inertia.reset(); });
  t.clears<D>("ma", [](D& d) { d.solid.boxDensity.reset(); });
  t.clears<D>("rotatability", [](D& d) { d.solid.rotatability.reset(); });
  t.clears<D>("gravity", [](D& d) { d.solid.gravity = 1; });
  t.clears<D>("colour", [](D& d) { d.solid.colour.reset(); });
  return t.make();
}

Table makeMaterialTable() {
  using D = MaterialDraft;
  TableMaker t;
  t.add<D>(statement("density", {positive("D")}, "[kg/m³]"),
           [](D& d, Arguments& a) { d.material.density = a.numbers[0]; });
  t.add<D>(statement("colour", {colourSlot()}, "0 … 1 each"),
           [](D& d, Arguments& a) { d.material.colour = colourOf(a); });
  t.clears<D>("density", [](D& d) { d.material.density.reset(); });
  t.clears<D>("colour", [](D& d) { d.material.colour.reset(); });
  return t.make();
}

}  // namespace tenon::files
