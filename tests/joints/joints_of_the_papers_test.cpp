// The joints beyond the lower pairs, against closed forms, and at the places where their formulas are
// singular: every number finite, and the limit right.
#include <gtest/gtest.h>
#include <tenon/joint.h>

#include <cmath>

#include "two_solids.h"

namespace tenon::test {
namespace {

using Kind = CoordinateRule::Kind;

bool allFinite(const Rows& rows) {
  for (const Row& row : rows.rows)
    if (!std::isfinite(row.error) || !std::isfinite(row.rate) || !std::isfinite(row.drift))
      return false;
  for (const RowBlock& block : rows.blocks)
    for (const double J : block.J)
      if (!std::isfinite(J)) return false;
  return true;
}

Vec3 linear(const Rows& rows, std::size_t row) {
  const RowBlock& block = rows.blocks[rows.rows[row].firstBlock];
  return {block.J[0], block.J[1], block.J[2]};
}

TEST(Screw, MovesByItsPitchATurn) {
  Held screw("screw", {{"pitch", {0.02}, {}}});
  for (int step = 0; step <= 100; ++step) {
    const double angle = 0.3 * step;  // almost five turns
    const JointValues v = screw.at({{0.02 * angle / (2 * kPi), 0, 0}, turned({1, 0, 0}, angle)});
    for (int g = 0; g < 5; ++g) EXPECT_NEAR(v.residual[g], 0, 1e-14);
    EXPECT_NEAR(screw.coordinate("angle"), angle, 1e-12);
    EXPECT_NEAR(screw.coordinate("slide"), 0.02 * angle / (2 * kPi), 1e-14);
    rememberTurns(screw.m, screw.state);
  }
  // A left-handed one goes the other way.
  Held left("screw", {{"pitch", {-0.02}, {}}});
  EXPECT_NEAR(left.at({{-0.005, 0, 0}, turned({1, 0, 0}, kPi / 2)}).residual[0], 0, 1e-15);
}

TEST(Rope, PullsOnlyWhenTaut) {
  Held rope("rope", {{"length", {1.5}, {}}});
  CoordinateBounds bounds[kMaxCoordinates];
  rope.m.joints[0].kind->limits(rope.m.options, bounds);
  EXPECT_EQ(bounds[0].upper, 1.5);
  EXPECT_EQ(bounds[0].lower, -kInfinity);
  rope.rule(Kind::Limit, "distance").upper = 1.5;
  rope.place({{0, 3, 4}, {}});
  Rows rows = rope.rows();
  ASSERT_EQ(rows.rows.size(), 1u);
  EXPECT_NEAR(rows.rows[0].error, 1.5 - 5, 1e-15);  // 3.5 m too far
  EXPECT_EQ(rows.rows[0].lower, 0);
  EXPECT_FALSE(rows.rows[0].equality);
  EXPECT_LT(norm(linear(rows, 0) - Vec3{0, -0.6, -0.8}), 1e-15);  // pushing back
  rope.place({});
  rows = rope.rows();
  EXPECT_TRUE(allFinite(rows));
  EXPECT_EQ(rows.rows[0].error, 1.5);
  EXPECT_NEAR(norm(linear(rows, 0)), 1, 1e-15);
}

TEST(Segment, StopsAtItsEnds) {
  Held segment("segment", {{"min", {-0.2}, {}}, {"max", {0.5}, {}}});
  CoordinateBounds bounds[kMaxCoordinates];
  segment.m.joints[0].kind->limits(segment.m.options, bounds);
  MechanismRule& limit = segment.rule(Kind::Limit, "slide");
  limit.lower = bounds[0].lower;
  limit.upper = bounds[0].upper;
  for (const double x : {-0.2, 0.5}) {
    segment.place({{x, 0, 0}, {}});
    const Rows rows = segment.rows();
    ASSERT_EQ(rows.rows.size(), 4u);
    EXPECT_TRUE(allFinite(rows));
    EXPECT_NEAR(rows.rows[x < 0 ? 2 : 3].error, 0, 1e-16);
    EXPECT_NEAR(rows.rows[x < 0 ? 3 : 2].error, 0.7, 1e-15);
    EXPECT_LT(norm(linear(rows, 2) - Vec3{1, 0, 0}), 1e-15);
    EXPECT_LT(norm(linear(rows, 3) - Vec3{-1, 0, 0}), 1e-15);
  }
  std::vector<double> data;
  const JointOption wrong[] = {{"min", {1}, {}}, {"max", {0}, {}}};
  EXPECT_NE(prepareOptions(*findJointKind("segment"), wrong, data), "");
}

TEST(Ring, HasARadiusAtItsCentreToo) {
  Held ring("ring", {{"inner", {0.2}, {}}, {"outer", {0.6}, {}}});
  MechanismRule& limit = ring.rule(Kind::Limit, "radius");
  limit.lower = 0.2;
  limit.upper = 0.6;
  for (const double off : {0.0, 1e-13, 1e-9}) {
    ring.place({{0, off, 0}, {}});
    const Rows rows = ring.rows();
    EXPECT_TRUE(allFinite(rows));
    EXPECT_NEAR(ring.coordinate("radius"), off, 2e-12);
    EXPECT_NEAR(rows.rows[1].error, -0.2, 1e-8);             // inside the hole
    EXPECT_LT(norm(linear(rows, 1) - Vec3{0, 1, 0}), 1e-9);  // pushed out along j
  }
  ring.place({{0.1, 0.3, 0.4}, {}});
  EXPECT_NEAR(ring.coordinate("radius"), 0.5, 1e-15);
  EXPECT_NEAR(ring.rows().rows[0].error, 0.1, 1e-15);
}

TEST(AngleAndTwist, HaveTheirLimitsWhereAxesAgreeOrOppose) {
  Held angle("angle");
  angle.rule(Kind::Limit, "angle").upper = 1;
  Held twist("twist");
  twist.rule(Kind::Limit, "twist").upper = 1;
  for (const double off : {0.0, 1e-15, 1e-11, 1e-9, 1e-7}) {
    for (const double about : {0.0, 0.7, 2.0}) {  // which way the axis leans
      const Vec3 lean{0, std::cos(about), std::sin(about)};
      for (const double size : {off, kPi - off}) {
        angle.place({{}, turned(lean, size)});
        EXPECT_TRUE(allFinite(angle.rows()));
        EXPECT_NEAR(angle.coordinate("angle"), size, 2e-8);  // a cosine tells no more
      }
      twist.place({{}, turned(lean, off) * turned({1, 0, 0}, 0.5)});
      EXPECT_NEAR(twist.coordinate("twist"), 0.5, 1e-7);
      twist.place({{}, turned(lean, kPi - off) * turned({1, 0, 0}, 0.5)});
      EXPECT_TRUE(allFinite(twist.rows()));
      EXPECT_LE(std::abs(twist.coordinate("twist")), kPi + 1e-12);
    }
  }
  // Leaning and turning about the direction of the lean, the twist is the turn up to the end.
  for (const double lean : {0.5, 1.5, 3.0, 3.14159}) {
    twist.place({{}, turned({0, 1, 0}, lean)});
    EXPECT_NEAR(twist.coordinate("twist"), 0, 1e-9) << lean;
  }
}

// ------------------------------------------------------------------------------------------ curves

TEST(Curve, ThroughTwoPointsIsTheLine) {
  Held curve("curve", {{"through", {1, 0, 0, 1, 0, 4}, {}}});
  for (const double z : {-1.0, 0.0, 1.3, 4.0, 5.0}) {  // also beyond its ends
    const JointValues v = curve.at({{1.3, 0.4, z}, {}});
    EXPECT_NEAR(std::hypot(v.residual[0], v.residual[1]), 0.5, 1e-14);
    EXPECT_NEAR(v.coordinate[0], z, 1e-13);
  }
  CoordinateBounds bounds[kMaxCoordinates];
  curve.m.joints[0].kind->limits(curve.m.options, bounds);
  EXPECT_EQ(bounds[0].lower, 0);
  EXPECT_NEAR(bounds[0].upper, 4, 1e-14);
}

std::vector<double> circle(int count, double radius) {
  std::vector<double> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * kPi * i / count;
    points.insert(points.end(), {0, radius * std::cos(angle), radius * std::sin(angle)});
  }
  return points;
}

// A periodic cubic spline approaches the circle with the fourth order of the knots' distance.
TEST(Curve, ClosedApproachesTheCircle) {
  double last = 0;
  for (const int count : {16, 32, 64}) {
    Held curve("curve", {{"through", circle(count, 2), {}}, {"closed", {}, {}}});
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
      const double angle = 0.05 * i;
      const JointValues v = curve.at({{0, 2 * std::cos(angle), 2 * std::sin(angle)}, {}});
      worst = std::max(worst, std::hypot(v.residual[0], v.residual[1]));
      // Round and round, the length is counted.
      EXPECT_NEAR(v.coordinate[0], 2 * angle, 2e-3 * (1 + angle)) << count;
      rememberTurns(curve.m, curve.state);
    }
    if (last > 0) {
      EXPECT_LT(worst, last / 12) << count;
    }
    last = worst;
  }
}

// On the curve and near it, where mechanisms live: derivatives against differences, and continuous
// over its knots.
TEST(Curve, DerivativesHoldOnTheCurve) {
  Random random(8);
  for (const JointExample& example : examplesOf(*findJointKind("curve"))) {
    Held curve("curve", example.options);
    for (int trial = 0; trial < 60; ++trial) {
      // Somewhere near a knot that the example goes through.
      const std::vector<double>& points = example.options[0].values;
      const auto k = 3 * static_cast<std::size_t>(trial % 5);
      const Vec3 knot{points[k], points[k + 1], points[k + 2]};
      const double off = trial < 20 ? 0 : trial < 40 ? 1e-6 : 0.05;
      curve.state.memory = curve.m.memory;
      curve.place({knot + off * random.direction(), {}});
      rememberTurns(curve.m, curve.state);
      for (std::size_t s = 0; s < 2; ++s)
        curve.state.velocity[s] = curve.state.spin[s] = randomVector(random, 1);
      const Rows rows = curve.rows();
      EXPECT_TRUE(allFinite(rows));
      for (const Row& row : rows.rows) EXPECT_NEAR(row.error, 0, off + 1e-13);
      const auto at = [&](double time) {
        const State kept = curve.state;
        curve.state = movedOn(curve.state, time);
        const Rows moved = curve.rows();
        curve.state = kept;
        return moved;
      };
      const double h = 1e-6;
      const Rows plus = at(h), minus = at(-h);
      for (std::size_t r = 0; r < rows.rows.size(); ++r) {
        EXPECT_NEAR(rows.rows[r].rate, (plus.rows[r].error - minus.rows[r].error) / (2 * h), 1e-8);
        // The spline's third derivative jumps at its knots, and with it the drift off the curve.
        const double drift = (plus.rows[r].rate - minus.rows[r].rate) / (2 * h);
        EXPECT_NEAR(rows.rows[r].drift, drift, (off > 1e-3 ? 0.5 : 1e-3) * (1 + std::abs(drift)));
      }
    }
  }
}

TEST(Curve, RemembersWhereItIsAtACrossing) {
  // A figure of eight that passes the origin twice.
  Held curve("curve",
             {{"through", {-1, 1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0}, {}}, {"closed", {}, {}}});
  curve.place({{-1, 1, 0}, {}});
  rememberTurns(curve.m, curve.state);
  double last = curve.coordinate("slide");
  for (int step = 1; step <= 40; ++step) {
    const double s = -1 + 0.05 * step;
    curve.place({{s, -s, 0}, {}});  // straight through the crossing
    const double slide = curve.coordinate("slide");
    EXPECT_GT(slide, last);
    EXPECT_LT(slide, last + 0.2);
    last = slide;
    rememberTurns(curve.m, curve.state);
  }
}

TEST(Curve, RefusesWhatIsNoCurve) {
  std::vector<double> data;
  const JointKind& kind = *findJointKind("curve");
  const JointOption twice[] = {{"through", {0, 0, 0, 1, 0, 0, 1, 0, 0}, {}}};
  EXPECT_NE(prepareOptions(kind, twice, data).find("points 2 and 3"), std::string::npos);
  const JointOption back[] = {{"through", {0, 0, 0, 1, 0, 0, 0, 0, 0}, {}}, {"closed", {}, {}}};
  EXPECT_NE(prepareOptions(kind, back, data).find("by itself"), std::string::npos);
  const JointOption one[] = {{"through", {0, 0, 0}, {}}};
  EXPECT_NE(prepareOptions(kind, one, data), "");
}

// ---------------------------------------------------------------------------------------- surfaces

TEST(Surface, MeasuresTheDistance) {
  const Vec3 p{0.3, 1.2, -1.6};
  EXPECT_NEAR(Held("surface", {{"sphere", {1.5}, {}}}).at({p, {}}).residual[0], norm(p) - 1.5,
              1e-15);
  EXPECT_NEAR(Held("surface", {{"cylinder", {1.5}, {}}}).at({p, {}}).residual[0], 0.5, 1e-15);
  EXPECT_NEAR(Held("surface", {{"torus", {1.6, 0.25}, {}}}).at({p, {}}).residual[0], 0.25, 1e-15);
  const std::vector<double> flat{3,   2,   2,   1,   0.1,
                                 0.3, 0.2, 0.4, 0.3, 0.5};  // x = 0.3 + 0.1 y + 0.2 z
  for (const Vec3& q : {p, Vec3{0, 0, 0}, Vec3{1, -1, 0.5}, Vec3{0, 9, -7}})
    EXPECT_NEAR(Held("surface", {{"heightfield", flat, {}}}).at({q, {}}).residual[0],
                q.x - (0.3 + 0.1 * q.y + 0.2 * q.z), 1e-13);
}

TEST(Surface, IsFiniteWhereNoDirectionIsNearest) {
  struct Place {
    std::vector<JointOption> options;
    Vec3 p;
    double error;
  };
  for (const Place& place : {Place{{{"sphere", {0.5}, {}}}, {0, 0, 0}, -0.5},
                             Place{{{"cylinder", {0.5}, {}}}, {2, 0, 0}, -0.5},
                             Place{{{"torus", {1, 0.25}, {}}}, {0, 0, 0}, 0.75},
                             Place{{{"torus", {1, 0.25}, {}}}, {0, 0, 1}, -0.25},
                             Place{{{"torus", {1, 0.25}, {}}}, {1, 0, 0}, std::sqrt(2.0) - 0.25}}) {
    Held held("surface", place.options);
    EXPECT_NEAR(held.at({place.p, {}}).residual[0], place.error, 1e-11);
    EXPECT_TRUE(allFinite(held.rows()));
    EXPECT_NEAR(norm(linear(held.rows(), 0)), 1, 1e-9);
  }
}

// Values, slopes and curvatures go on over the lines of the grid and over its edge.
TEST(Surface, HeightfieldIsTwiceSmooth) {
  const std::vector<double> grid{4,   3,    3, 2,   0,   0.1, 0.3,  0.2,
                                 0.4, -0.1, 0, 0.5, 0.2, 0.1, -0.2, 0.3};
  Held held("surface", {{"heightfield", grid, {}}});
  EXPECT_NEAR(held.at({{0, -1.5, -1}, {}}).residual[0], 0, 1e-15);   // first height
  EXPECT_NEAR(held.at({{0, -0.5, 1}, {}}).residual[0], 0.1, 1e-15);  // row 1, column 2: -0.1
  EXPECT_NEAR(held.at({{0, 1.5, 0}, {}}).residual[0], 0.2, 1e-15);   // row 3, column 1: -0.2
  held.state.velocity[1] = {0, 1, 0.7};
  for (const double z : {-0.3, 0.0, 1.0, 1.4})
    for (const double y : {-1.5, -0.5, 0.5, 1.5}) {
      const double e = 1e-9;
      held.place({{0, y - e, z}, {}});
      const Row before = held.rows().rows[0];
      held.place({{0, y + e, z}, {}});
      const Row after = held.rows().rows[0];
      EXPECT_NEAR(before.error, after.error, 1e-8);
      EXPECT_NEAR(before.rate, after.rate, 1e-7);
      EXPECT_NEAR(before.drift, after.drift, 1e-6) << y << " " << z;
    }
}

TEST(Surface, MeshIsThePlaneOfTheNearestTriangle) {
  Held held("surface", {{"vertices", {0, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 2}, {}},
                        {"triangles", {0, 1, 2, 1, 3, 2}, {}}});
  EXPECT_NEAR(held.at({{0.25, 0.3, 0.3}, {}}).residual[0], 0.25, 1e-15);
  rememberTurns(held.m, held.state);
  EXPECT_EQ(held.state.memory[1], 0);
  held.place({{0.6, 1.6, 1.6}, {}});
  rememberTurns(held.m, held.state);
  EXPECT_EQ(held.state.memory[1], 1);
  std::vector<double> data;
  const JointOption wrong[] = {{"vertices", {0, 0, 0, 1, 0, 0, 0, 1, 0}, {}},
                               {"triangles", {0, 1, 3}, {}}};
  EXPECT_NE(prepareOptions(*findJointKind("surface"), wrong, data).find("no vertex"),
            std::string::npos);
  const JointOption both[] = {{"sphere", {1}, {}}, {"cylinder", {1}, {}}};
  EXPECT_NE(prepareOptions(*findJointKind("surface"), both, data), "");
}

// ----------------------------------------------------------------------------------------- rolling

TEST(Rolling, WheelAdvancesByItsCircumferenceATurn) {
  Held wheel("rolling", {{"radius", {0.3}, {}}, {"crown", {0.05}, {}}});
  // Plane x = 0; the axle lies along z, the wheel runs along y.
  const Quat axleAlongZ = turned({0, 1, 0}, -kPi / 2);
  EXPECT_NEAR(wheel.at({{0.35, 1, 2}, axleAlongZ}).residual[0], 0, 1e-15);
  const double w = 2;
  wheel.state.spin[1] = {0, 0, w};
  wheel.state.velocity[1] = {0, 0.35 * w * -1, 0};
  const double signs[] = {1, -1};
  double slip[2];
  for (int s = 0; s < 2; ++s) {
    wheel.state.velocity[1].y = signs[s] * 0.35 * w;
    const Rows rows = wheel.rows();
    ASSERT_EQ(rows.rows.size(), 3u);
    EXPECT_TRUE(rows.rows[1].velocity && rows.rows[2].velocity && !rows.rows[0].velocity);
    EXPECT_EQ(rows.rows[1].error, 0);
    slip[s] = rows.rows[1].rate;
    EXPECT_NEAR(rows.rows[2].rate, 0, 1e-15);
  }
  // One of the two senses rolls; the other slips at twice the speed.
  EXPECT_NEAR(std::min(std::abs(slip[0]), std::abs(slip[1])), 0, 1e-15);
  EXPECT_NEAR(std::max(std::abs(slip[0]), std::abs(slip[1])), 2 * 0.35 * w, 1e-14);
}

// The matter at the lowest point is what is held: compare with the velocity of that very point.
TEST(Rolling, HoldsTheMatterAtTheLowestPoint) {
  Random random(3);
  for (const JointExample& example : examplesOf(*findJointKind("rolling"))) {
    Held wheel("rolling", example.options);
    for (int trial = 0; trial < 20; ++trial) {
      const Quat q = random.rotation();
      wheel.place({{0.5, 0.2, -0.1}, q});
      wheel.state.velocity[1] = randomVector(random, 1);
      wheel.state.spin[1] = randomVector(random, 1);
      const double radius = wheel.m.options[0], crown = wheel.m.options[1];
      // Lowest of many points of the rim, each with the ball of the crown below it.
      Vec3 lowest{kInfinity, 0, 0};
      for (int i = 0; i < 20000; ++i) {
        const double angle = 2 * kPi * i / 20000;
        const Vec3 rim =
            rotate(q, radius * Vec3{0, std::cos(angle), std::sin(angle)}) - Vec3{crown, 0, 0};
        if (rim.x < lowest.x) lowest = rim;
      }
      const Rows rows = wheel.rows();
      EXPECT_NEAR(rows.rows[0].error, 0.5 + lowest.x, 1e-7);
      const Vec3 v = wheel.state.velocity[1] + cross(wheel.state.spin[1], lowest);
      EXPECT_NEAR(rows.rows[1].rate, v.y, 2e-3);
      EXPECT_NEAR(rows.rows[2].rate, v.z, 2e-3);
    }
    wheel.place({{0.5, 0, 0}, {}});  // lying flat
    EXPECT_TRUE(allFinite(wheel.rows()));
    EXPECT_NEAR(wheel.rows().rows[0].error, 0.5 - wheel.m.options[1], 1e-6);
  }
}

// -------------------------------------------------------------------------------------------- fold

Mechanism folded(const Vec3& x4) {
  Random random(1);
  Mechanism m = twoSolids(*findJointKind("fold"), random);
  const Vec3 x[] = {{0, 0, 0}, {2, 0, 0}, {0.5, 1, 0}, x4};
  for (std::size_t k = 0; k < 4; ++k) {
    m.solids[k].initial = {x[k], {}};
    m.points[k].point = {};
  }
  return m;
}

TEST(Fold, IsTheAngleBetweenTheTriangles) {
  for (const double angle : {-3.0, -1.0, -1e-6, 0.0, 0.5, 2.0, 3.1}) {
    // The fourth point turns about the edge from opposite the third.
    const Vec3 x4{1.2, -0.8 * std::cos(angle), -0.8 * std::sin(angle)};
    const Mechanism m = folded(x4);
    EXPECT_NEAR(std::abs(jointValues(m, initialState(m), 0).coordinate[0]), std::abs(angle), 1e-14);
  }
  const Mechanism up = folded({1, -0.1, 0.8}), down = folded({1, -0.1, -0.8});
  EXPECT_LT(jointValues(up, initialState(up), 0).coordinate[0] *
                jointValues(down, initialState(down), 0).coordinate[0],
            0);
}

TEST(Fold, IsFiniteWithoutArea) {
  for (const Vec3& x4 : {Vec3{1, 0, 0}, Vec3{0, 0, 0}, Vec3{2, 0, 0}}) {
    const Mechanism m = folded(x4);
    EXPECT_EQ(jointValues(m, initialState(m), 0).coordinate[0], 0);
  }
}

// -------------------------------------------------------------------------------- rules that yield

TEST(Friction, IsAVelocityRowWithBoundsAndALoad) {
  Held pin("pin");
  MechanismRule& rule = pin.rule(Kind::Friction, "angle");
  rule.maxForce = 0.4;
  rule.coefficient = 0.1;
  rule.radius = 0.03;
  pin.place({{}, turned({1, 0, 0}, 0.8)});
  pin.state.spin[1] = {2, 0, 0};
  const Rows rows = pin.rows();
  ASSERT_EQ(rows.rows.size(), 6u);
  const Row& row = rows.rows[5];
  EXPECT_TRUE(row.velocity);
  EXPECT_FALSE(row.equality);
  EXPECT_EQ(row.error, 0);
  EXPECT_NEAR(row.rate, 2, 1e-15);
  EXPECT_EQ(row.lower, -0.4);
  EXPECT_EQ(row.upper, 0.4);
  EXPECT_NEAR(row.load, 0.003, 1e-18);
  EXPECT_EQ(row.loadFirst, 0u);  // the three rows that hold the points together
  EXPECT_EQ(row.loadCount, 3u);
}

TEST(Prefer, IsARangeThatYields) {
  Held pin("pin");
  MechanismRule& rule = pin.rule(Kind::Prefer, "angle");
  rule.lower = -0.5;
  rule.upper = 0.25;
  rule.stiffness = 30;
  rule.damping = 2;
  rule.maxForce = 5;
  pin.place({{}, turned({1, 0, 0}, 0.4)});
  const Rows rows = pin.rows();
  ASSERT_EQ(rows.rows.size(), 7u);
  EXPECT_NEAR(rows.rows[6].error, -0.15, 1e-15);
  for (const std::size_t r : {5u, 6u}) {
    EXPECT_EQ(rows.rows[r].lower, 0);
    EXPECT_EQ(rows.rows[r].upper, 5);
    EXPECT_EQ(rows.rows[r].stiffness, 30);
    EXPECT_EQ(rows.rows[r].damping, 2);
    EXPECT_FALSE(rows.rows[r].equality);
  }
}

}  // namespace
}  // namespace tenon::test
