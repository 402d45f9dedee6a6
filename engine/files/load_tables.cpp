// Statements of loads and of what poses and judges: force torque muscle spring drag, pin goal floor
// pose.
#include "files/tables.h"

namespace tenon::files {
namespace {

template <class D>
void addObject(TableMaker& t, const char* keyword, const char* what, Reference D::*member,
               bool isRequired) {
  StatementForm form = statement(keyword, {reference("NAME", what)}, "what it acts on");
  form.required = isRequired;
  t.add<D>(std::move(form), [member](D& d, Arguments& a) { d.*member = referenceOf(a); });
}

template <class D>
void addActive(TableMaker& t) {
  t.add<D>(many(statement("active", activeSlots(), "when it acts; default: always")),
           [](D& d, Arguments& a) { d.thing.active.push_back(intervalOf(a, 0, a.slotNumbers)); });
  t.clears<D>("active", [](D& d) { d.thing.active.clear(); });
}

template <class D>
void addAxes(TableMaker& t) {
  t.add<D>(statement("axes", {word("WHICH", "world body")}, "axes of the vector"),
           [](D& d, Arguments& a) {
             d.thing.axes = a.names[0].text == "body" ? Axes::Body : Axes::World;
           });
  t.clears<D>("axes", [](D& d) { d.thing.axes = Axes::World; });
}

template <class D, class F>
void addNumber(TableMaker& t, const char* keyword, Slot slot, const char* help, F member) {
  t.add<D>(statement(keyword, {std::move(slot)}, help),
           [member](D& d, Arguments& a) { member(d) = a.numbers[0]; });
}

template <class D, class F>
void addPoint(TableMaker& t, const char* keyword, const char* help, F member) {
  t.add<D>(statement(keyword, {point()}, help),
           [member](D& d, Arguments& a) { member(d) = a.vector(); });
}

}  // namespace

Table makeForceTable() {
  using D = LoadDraft<Force>;
  TableMaker t;
  addObject<D>(t, "object", "solid", &D::object1, true);
  addPoint<D>(t, "point", "in the solid's frame", [](D& d) -> Vec3& { return d.thing.point; });
  t.add<D>(required(statement("vector", {numbers3("X Y Z", Dimension::Force)}, "the force [N]")),
           [](D& d, Arguments& a) { d.thing.vector = a.vector(); });
  addAxes<D>(t);
  addActive<D>(t);
  return t.make();
}

Table makeTorqueTable() {
  using D = LoadDraft<Torque>;
  TableMaker t;
  addObject<D>(t, "object", "solid", &D::object1, true);
  t.add<D>(required(statement("vector", {numbers3("X Y Z")}, "the torque [N m]")),
           [](D& d, Arguments& a) { d.thing.vector = a.vector(); });
  addAxes<D>(t);
  addActive<D>(t);
  return t.make();
}

Table makeMuscleTable() {
  using D = LoadDraft<Muscle>;
  TableMaker t;
  addObject<D>(t, "joint", "joint", &D::object1, true);
  t.add<D>(required(statement("vector", {numbers3("X Y Z")},
                              "torque on object2, axes of the joint's first frame [N m]")),
           [](D& d, Arguments& a) { d.thing.vector = a.vector(); });
  addActive<D>(t);
  return t.make();
}

Table makeSpringTable() {
  using D = LoadDraft<Spring>;
  TableMaker t;
  addObject<D>(t, "object1", "solid", &D::object1, false);
  addPoint<D>(t, "point1", "in object1", [](D& d) -> Vec3& { return d.thing.point1; });
  addObject<D>(t, "object2", "solid", &D::object2, false);
  addPoint<D>(t, "point2", "in object2", [](D& d) -> Vec3& { return d.thing.point2; });
  addNumber<D>(t, "stiffness", notNegative("K"), "[N/m]",
               [](D& d) -> double& { return d.thing.stiffness; });
  addNumber<D>(t, "damping", notNegative("D"), "[N s/m]",
               [](D& d) -> double& { return d.thing.damping; });
  addNumber<D>(t, "rest", notNegative("L", Dimension::Length),
               "length without force; default: as written",
               [](D& d) -> std::optional<double>& { return d.thing.rest; });
  addActive<D>(t);
  t.clears<D>("rest", [](D& d) { d.thing.rest.reset(); });
  return t.make();
}

Table makeDragTable() {
  using D = LoadDraft<Drag>;
  TableMaker t;
  addObject<D>(t, "object", "solid", &D::object1, false);
  addNumber<D>(t, "linear", notNegative("C"), "[N s/m]",
               [](D& d) -> double& { return d.thing.linear; });
  addNumber<D>(t, "quadratic", notNegative("C"), "[N s²/m²]",
               [](D& d) -> double& { return d.thing.quadratic; });
  addNumber<D>(t, "angular", notNegative("C"), "[N m s]",
               [](D& d) -> double& { return d.thing.angular; });
  addActive<D>(t);
  t.clears<D>("object", [](D& d) { d.object1 = {}; });
  return t.make();
}

Table makePinTable() {
  using D = LoadDraft<Pin>;
  TableMaker t;
  addObject<D>(t, "object", "solid", &D::object1, true);
  addPoint<D>(t, "point", "in the solid's frame", [](D& d) -> Vec3& { return d.thing.point; });
  addPoint<D>(t, "target", "where the point is held; default: where it is",
              [](D& d) -> std::optional<Vec3>& { return d.thing.target; });
  t.add<D>(statement("rigid", {}, "holds the orientation too"),
           [](D& d, Arguments&) { d.thing.rigid = true; });
  t.add<D>(statement("orientation", {quaternion()},
                     "how a rigid pin turns the solid; default: as it is turned"),
           [](D& d, Arguments& a) { d.thing.orientation = a.quaternion(); });
  t.clears<D>("orientation", [](D& d) { d.thing.orientation.reset(); });
  addActive<D>(t);
  t.clears<D>("target", [](D& d) { d.thing.target.reset(); });
  t.clears<D>("rigid", [](D& d) { d.thing.rigid = false; });
  return t.make();
}

Table makeGoalTable() {
  using D = LoadDraft<Goal>;
  TableMaker t;
  addObject<D>(t, "object", "solid", &D::object1, true);
  addPoint<D>(t, "point", "in the solid's frame", [](D& d) -> Vec3& { return d.thing.point; });
  t.add<D>(required(statement("target", {point()}, "where the point is pulled to")),
           [](D& d, Arguments& a) { d.thing.target = a.vector(); });
  addNumber<D>(t, "weight", positive("W"), "importance among goals",
               [](D& d) -> double& { return d.thing.weight; });
  addActive<D>(t);
  return t.make();
}

Table makeFloorTable() {
  using D = FloorDraft;
  TableMaker t;
  addPoint<D>(t, "point", "a point of the floor", [](D& d) -> Vec3& { return d.floor.point; });
  t.add<D>(statement("normal", {direction()}, "upwards"),
           [](D& d, Arguments& a) { d.floor.normal = a.vector(); });
  addNumber<D>(t, "friction", notNegative("F"), "coefficient",
               [](D& d) -> double& { return d.floor.friction; });
  addNumber<D>(t, "stiffness", notNegative("K"), "[N/m]; 0: hard",
               [](D& d) -> double& { return d.floor.stiffness; });
  addNumber<D>(t, "damping", notNegative("D"), "[N s/m]",
               [](D& d) -> double& { return d.floor.damping; });
  return t.make();
}

Table makePoseTable() {
  using D = PoseDraft;
  TableMaker t;
  addNumber<D>(t, "time", number("T", Dimension::Time), "the time of the pose",
               [](D& d) -> std::optional<double>& { return d.pose.time; });
  t.add<D>(many(statement("solid", {reference("NAME", "solid")}, "where a solid is",
                          {clause("at", {point()}), clause("centre", {point()}), turnClause(),
                           orientationClause()})),
           [](D& d, Arguments& a) {
             KeyPose::SolidPose pose{{}, poseOf(a), false, a.place};
             if (const auto* centre = a.clause("centre")) {
               pose.centre = true;
               pose.pose.p = a.vector(centre->number);
               if (a.clause("at") != nullptr)
                 a.error(centre->place, "give either 'at' or 'centre', not both");
             }
             d.pose.solids.push_back(std::move(pose));
             d.solids.push_back(referenceOf(a));
           });
  t.add<D>(many(statement("coordinate",
                          {reference("JOINT", "joint"), name("COORDINATE"), coordinateValue()},
                          "value of a joint's coordinate")),
           [](D& d, Arguments& a) {
             // Whether the unit fits is known when the joint is.
             d.pose.coordinates.push_back({{}, a.names[1].text, a.numbers[0], a.places[0]});
             d.joints.push_back(referenceOf(a));
             d.dimensions.push_back(a.dimensions[0]);
           });
  t.clears<D>("time", [](D& d) { d.pose.time.reset(); });
  t.clears<D>("solids", [](D& d) {
    d.pose.solids.clear();
    d.solids.clear();
  });
  t.clears<D>("coordinates", [](D& d) {
    d.pose.coordinates.clear();
    d.joints.clear();
    d.dimensions.clear();
  });
  return t.make();
}

}  // namespace tenon::files
