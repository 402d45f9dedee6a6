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

// Along the motion of the state: rates are differences of errors, drifts are differences of rates.
void expectDerivatives(Held& held, double tolerance) {
  const Rows rows = held.rows();
  EXPECT_TRUE(allFinite(rows));
  const State kept = held.state;
  const double h = 1e-6;
  held.state = movedOn(kept, h);
  const Rows plus = held.rows();
  held.state = movedOn(kept, -h);
  const Rows minus = held.rows();
  held.state = kept;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    if (!rows.rows[r].velocity) {
      EXPECT_NEAR(rows.rows[r].rate, (plus.rows[r].error - minus.rows[r].error) / (2 * h),
                  tolerance);
    }
    const double drift = (plus.rows[r].rate - minus.rows[r].rate) / (2 * h);
    EXPECT_NEAR(rows.rows[r].drift, drift, tolerance * (1 + std::abs(drift)));
  }
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
  EXPECT_NE(prepareOptions(*findJointKind("segment"), wrong, data).what, "");
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
        EXPECT_NEAR(angle.coordinate("angle"), size, 1e-15);
        if (off < 1e-8) continue;  // a cone's tip
        const RowBlock block = angle.rows().blocks[0];
        EXPECT_NEAR(norm(Vec3{block.J[3], block.J[4], block.J[5]}), 1, 1e-7);
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

// Leaning by L about an axis from which j_1 and j_2 are α and β, both are seen along the bisector: what
// is across that axis looks shorter by cos(L/2). So near opposed axes the twist is near 0 or half a
// turn, by the sides that j_1 and j_2 are on; of opposed axes it is called 0.
TEST(Twist, IsSeenAlongTheBisectorUpToOpposedAxes) {
  Held twist("twist");
  twist.rule(Kind::Limit, "twist").upper = 1;
  for (const double about : {0.0, 0.7, 2.0, -1.2})
    for (const double turn : {0.5, -1.1, 2.5})
      for (const double lean : {0.0, 1.0, 3.0, 3.14, kPi - 1e-5}) {
        const Vec3 axis{0, std::cos(about), std::sin(about)};
        twist.place({{}, turned(axis, lean) * turned({1, 0, 0}, turn)});
        const double alpha = -about, beta = turn - about, seen = std::cos(lean / 2);
        const double expected = std::atan2(seen * std::sin(beta), std::cos(beta)) -
                                std::atan2(seen * std::sin(alpha), std::cos(alpha));
        EXPECT_NEAR(std::remainder(twist.coordinate("twist") - expected, 2 * kPi), 0,
                    lean > 3.1 ? 1e-9 : 1e-12)
            << about << " " << turn << " " << lean;
        twist.place({{}, turned(axis, kPi) * turned({1, 0, 0}, turn)});
        EXPECT_NEAR(twist.coordinate("twist"), 0, 1e-15);
        EXPECT_TRUE(allFinite(twist.rows()));
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

// On the curve the second derivatives go on over its ends, where it becomes straight.
TEST(Curve, IsTwiceSmoothOverItsEnds) {
  const JointExample open = examplesOf(*findJointKind("curve")).front();
  const std::vector<double>& points = open.options[0].values;
  Random random(5);
  for (const std::size_t k : {std::size_t{0}, points.size() - 3}) {
    const Vec3 end{points[k], points[k + 1], points[k + 2]};
    Held curve("curve", open.options);
    curve.rule(Kind::Spring, "slide");
    curve.place({end, {}});
    const Vec3 tangent = linear(curve.rows(), 2);
    EXPECT_NEAR(norm(tangent), 1, 1e-12);
    for (int trial = 0; trial < 5; ++trial) {
      curve.state.velocity[1] = randomVector(random, 1);
      const auto rowsAt = [&](double along) {
        curve.state.memory = curve.m.memory;
        curve.place({end + along * tangent, {}});
        rememberTurns(curve.m, curve.state);
        return curve.rows();
      };
      const Rows before = rowsAt(-1e-7), after = rowsAt(1e-7);
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_NEAR(before.rows[r].rate, after.rows[r].rate, 1e-5);
        EXPECT_NEAR(before.rows[r].drift, after.rows[r].drift, 1e-5);
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
  EXPECT_NE(prepareOptions(kind, twice, data).what.find("points 2 and 3"), std::string::npos);
  const JointOption back[] = {{"through", {0, 0, 0, 1, 0, 0, 0, 0, 0}, {}}, {"closed", {}, {}}};
  EXPECT_NE(prepareOptions(kind, back, data).what.find("by itself"), std::string::npos);
  const JointOption one[] = {{"through", {0, 0, 0}, {}}};
  // Back and forth along a line it stops between two of its points.
  for (const std::vector<double>& points :
       {std::vector<double>{0, 0, 0, 1, 0, 0, 0.3, 0, 0},
        std::vector<double>{0, 0, 0, 1, 2, 3, 0.5, 1, 1.5, 3, 6, 9}}) {
    const JointOption cusp[] = {{"through", points, {}}};
    const OptionFault fault = prepareOptions(kind, cusp, data);
    EXPECT_NE(fault.what.find("cusp between its points"), std::string::npos) << fault.what;
    EXPECT_EQ(fault.option, 0);
  }
  // A narrow bow is none.
  const JointOption bow[] = {{"through", {0, 0, 0, 1, 0, 0, 1, 0.05, 0, 0, 0.05, 0}, {}}};
  EXPECT_EQ(prepareOptions(kind, bow, data).what, "");
  EXPECT_NE(prepareOptions(kind, one, data).what, "");
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
  EXPECT_NE(prepareOptions(*findJointKind("surface"), wrong, data).what.find("not a vertex"),
            std::string::npos);
  const JointOption both[] = {{"sphere", {1}, {}}, {"cylinder", {1}, {}}};
  EXPECT_NE(prepareOptions(*findJointKind("surface"), both, data).what, "");
}

TEST(Surface, MeshDerivativesHoldOnATriangle) {
  Random random(13);
  for (const JointExample& example : examplesOf(*findJointKind("surface"))) {
    if (example.name != "mesh") continue;
    Held held("surface", example.options);
    const std::vector<double>&x = example.options[0].values, &t = example.options[1].values;
    for (std::size_t k = 0; k + 2 < t.size(); k += 3) {
      Vec3 corner[3];
      for (std::size_t c = 0; c < 3; ++c) {
        const auto v = 3 * static_cast<std::size_t>(t[k + c]);
        corner[c] = {x[v], x[v + 1], x[v + 2]};
      }
      const Vec3 across = cross(corner[1] - corner[0], corner[2] - corner[0]);
      for (const double off : {0.0, 1e-12, -1e-9, 1e-3, -0.05}) {
        const Vec3 on = 0.5 * corner[0] + 0.3 * corner[1] + 0.2 * corner[2];
        held.state.memory = held.m.memory;
        held.place({on + (off / norm(across)) * across, random.rotation()});
        rememberTurns(held.m, held.state);
        EXPECT_EQ(held.state.memory[1], static_cast<double>(k / 3));
        held.state.velocity[1] = randomVector(random, 1);
        held.state.spin[1] = randomVector(random, 1);
        EXPECT_NEAR(held.rows().rows[0].error, off, 1e-15);
        expectDerivatives(held, 1e-8);
      }
    }
  }
}

// ----------------------------------------------------------------------------------------- rolling

TEST(Rolling, WheelAdvancesByItsCircumferenceATurn) {
  Held wheel("rolling", {{"radius", {0.3}, {}}, {"crown", {0.05}, {}}});
  // Plane x = 0; the axle lies along z, the wheel runs along y.
  const Quat axleAlongZ = turned({0, 1, 0}, -kPi / 2);
  EXPECT_NEAR(wheel.at({{0.35, 1, 2}, axleAlongZ}).residual[0], 0, 1e-15);
  const double w = 2;
  wheel.state.spin[1] = {0, 0, w};
  wheel.state.velocity[1] = {};
  // The lowest point is at -i: turning about k carries it towards -j, so that the wheel rolls to +j.
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
  EXPECT_NEAR(slip[0], 0, 1e-15);
  EXPECT_NEAR(slip[1], -2 * 0.35 * w, 1e-14);  // the other sense slips at twice the speed
}

TEST(Rolling, DerivativesHoldWhereItStands) {
  Random random(12);
  for (const JointExample& example : examplesOf(*findJointKind("rolling"))) {
    Held wheel("rolling", example.options);
    const double radius = wheel.m.options[0], crown = wheel.m.options[1];
    for (const double lean : {0.0, 1e-9, 1e-4, 0.3, 1.2})  // from upright
      for (const double off : {0.0, 1e-9, 1e-3}) {
        const Quat q = turned({1, 0, 0}, random.uniform(-3, 3)) *
                       turned({0, 0, 1}, kPi / 2 - lean) * turned({1, 0, 0}, random.uniform(-3, 3));
        wheel.place({{radius * std::cos(lean) + crown + off, 0.3, -0.2}, q});
        wheel.state.velocity[1] = randomVector(random, 1);
        wheel.state.spin[1] = randomVector(random, 1);
        EXPECT_NEAR(wheel.rows().rows[0].error, off, 1e-14);
        expectDerivatives(wheel, 1e-7);
      }
  }
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
    // The fourth point turns about the edge from opposite the third, away from where 1 2 3 is seen
    // counter-clockwise.
    const Vec3 x4{1.2, -0.8 * std::cos(angle), -0.8 * std::sin(angle)};
    const Mechanism m = folded(x4);
    EXPECT_NEAR(jointValues(m, initialState(m), 0).coordinate[0], angle, 1e-14);
  }
}

TEST(Fold, IsFiniteWithoutArea) {
  for (const Vec3& x4 : {Vec3{1, 0, 0}, Vec3{0, 0, 0}, Vec3{2, 0, 0}}) {
    Mechanism m = folded(x4);
    EXPECT_EQ(jointValues(m, initialState(m), 0).coordinate[0], 0);
    MechanismRule limit;
    limit.lower = -1;
    limit.upper = 1;
    m.rules = {limit};
    m.joints[0].rules = {0, 1};
    m.slots = slotCount(m.joints[0]);
    Rows rows;
    emitJointRows(m, initialControl(m), initialState(m), 0, rows);
    EXPECT_EQ(rows.rows.size(), 2u);
    EXPECT_TRUE(allFinite(rows));
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
