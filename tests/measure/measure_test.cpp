#include <gtest/gtest.h>
#include <tenon/joint.h>
#include <tenon/measure.h>

#include <cmath>
#include <limits>

#include "../compile/scenes.h"
#include "math/random.h"

namespace tenon::test {
namespace {

Counts countOf(const Scene& scene) {
  const auto m = compile(scene);
  EXPECT_TRUE(m.ok()) << (m.problems().empty() ? "" : describe(m.problems().front()));
  return count(*m, initialControl(*m), initialState(*m));
}

TEST(Count, TreesHaveNoRedundancy) {
  Counts c = countOf(chain(50, "ball"));
  EXPECT_EQ(c.constraints, 150u);
  EXPECT_EQ(c.dof, 150u);
  EXPECT_EQ(c.redundant, 0u);
  EXPECT_EQ(c.loops, 0u);
  EXPECT_TRUE(c.redundancy.empty());
  c = countOf(chain(50, "pin"));
  EXPECT_EQ(c.constraints, 250u);
  EXPECT_EQ(c.dof, 50u);
}

TEST(Count, FourBarWithParallelPinsHasThreeRedundantRows) {
  const Counts c = countOf(fourBar({"pin", "pin", "pin", "pin"}));
  EXPECT_EQ(c.coordinates, 18u);
  EXPECT_EQ(c.constraints, 20u);
  EXPECT_EQ(c.loops, 1u);
  EXPECT_EQ(c.dof, 1u);
  EXPECT_EQ(c.redundant, 3u);
  ASSERT_EQ(c.redundancy.size(), 1u);
  EXPECT_EQ(c.redundancy[0].redundant, 3u);
  EXPECT_EQ(c.redundancy[0].joints, (std::vector<Index>{0, 1, 2, 3}));
}

TEST(Count, FourBarWithJustEnoughJointsHasNone) {
  // 18 coordinates; pin 5 + ball 3 + hooke 4 + pin 5 = 17.
  const Counts c = countOf(fourBar({"pin", "ball", "hooke", "pin"}));
  EXPECT_EQ(c.constraints, 17u);
  EXPECT_EQ(c.redundant, 0u);
  EXPECT_EQ(c.dof, 1u);
}

// Two independent four-bars: two groups, each with its own joints.
TEST(Count, GroupsRedundancyByIndependentLoops) {
  Scene scene = fourBar({"pin", "pin", "pin", "pin"});
  Scene twin = fourBar({"pin", "pin", "pin", "pin"});
  for (Solid s : twin.solids) {
    s.name = "twin-" + s.name;
    scene.solids.push_back(s);
  }
  for (Joint j : twin.joints) {
    j.name = "twin-" + j.name;
    if (!j.solid1.empty()) j.solid1 = "twin-" + j.solid1;
    if (!j.solid2.empty()) j.solid2 = "twin-" + j.solid2;
    scene.joints.push_back(j);
  }
  // And a tail that has nothing to do with it.
  scene.solids.push_back(box("tail", {2.5, 2, 0}));
  scene.joints.push_back(jointAt(scene, "ball", "tail-joint", "link1", "tail", {2, 2, 0}));
  const Counts c = countOf(scene);
  EXPECT_EQ(c.dof, 5u);
  EXPECT_EQ(c.redundant, 6u);
  ASSERT_EQ(c.redundancy.size(), 2u);
  EXPECT_EQ(c.redundancy[0].joints, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(c.redundancy[1].joints, (std::vector<Index>{4, 5, 6, 7}));
  EXPECT_EQ(c.redundancy[0].redundant, 3u);
}

TEST(Count, SameJointTwiceIsWhollyRedundant) {
  Scene scene = chain(1, "pin");
  scene.joints.push_back(scene.joints[0]);
  scene.joints[1].name = "again";
  const Counts c = countOf(scene);
  EXPECT_EQ(c.dof, 1u);
  EXPECT_EQ(c.redundant, 5u);
  EXPECT_EQ(c.loops, 1u);
}

TEST(Count, JointsAmongImmobileSolidsAreRedundant) {
  Scene scene = chain(1, "weld");
  scene.solids[0].kind = SolidKind::Immobile;
  const Counts c = countOf(scene);
  EXPECT_EQ(c.coordinates, 0u);
  EXPECT_EQ(c.redundant, 6u);
  EXPECT_EQ(c.dof, 0u);
}

// The count must not depend on how a mechanism stands in the world, nor on its size.
TEST(Count, IsInvariantUnderMotionAndScale) {
  Random random(3);
  for (const double scale : {1e-3, 1.0, 1e3}) {
    Scene scene = fourBar({"pin", "pin", "pin", "pin"});
    const Pose X{{10, -20, 5}, random.rotation()};
    for (Solid& s : scene.solids) {
      s.pose.p = scale * s.pose.p;
      s.pose = X * s.pose;
      s.shapes[0].size *= scale;
    }
    for (Joint& j : scene.joints) {
      j.frame1.p *= scale;
      j.frame2.p *= scale;
      if (j.solid1.empty()) j.frame1 = X * j.frame1;
      if (j.solid2.empty()) j.frame2 = X * j.frame2;
    }
    const Counts c = countOf(scene);
    EXPECT_EQ(c.dof, 1u) << scale;
    EXPECT_EQ(c.redundant, 3u) << scale;
  }
}

// A ladder large enough for the sparse factorisation, counted by the formula for planar loops:
// every closed loop of parallel pins adds 6 constraints too many but 3 of them in the plane.
TEST(Count, LargeLadderAgreesWithTheFormula) {
  Scene scene;
  const int n = 60;
  const auto name = [](const char* part, int i) { return part + std::to_string(i); };
  for (int i = 0; i < n; ++i) {
    scene.solids.push_back(box(name("left", i), {i + 0.5, 0, 0}));
    scene.solids.push_back(box(name("right", i), {i + 0.5, 1, 0}));
    Solid rung = box(name("rung", i), {i + 1.0, 0.5, 0}, {0.1, 1, 0.1});
    scene.solids.push_back(rung);
  }
  for (int i = 0; i < n; ++i) {
    const std::string before = i == 0 ? "" : name("left", i - 1);
    const std::string beforeRight = i == 0 ? "" : name("right", i - 1);
    scene.joints.push_back(
        jointAt(scene, "pin", name("jl", i), before, name("left", i), {double(i), 0, 0}));
    scene.joints.push_back(
        jointAt(scene, "pin", name("jr", i), beforeRight, name("right", i), {double(i), 1, 0}));
    scene.joints.push_back(
        jointAt(scene, "pin", name("rl", i), name("left", i), name("rung", i), {i + 1.0, 0, 0}));
    scene.joints.push_back(
        jointAt(scene, "pin", name("rr", i), name("right", i), name("rung", i), {i + 1.0, 1, 0}));
  }
  const Counts c = countOf(scene);
  EXPECT_EQ(c.loops, static_cast<Index>(n));
  EXPECT_EQ(c.constraints, static_cast<Index>(20 * n));
  // Each cell adds one dof in the plane (three links, four pins: 9 - 8) and 20 - 17 too many rows.
  EXPECT_EQ(c.dof, static_cast<Index>(n));
  EXPECT_EQ(c.redundant, static_cast<Index>(3 * n));
  ASSERT_FALSE(c.redundancy.empty());
}

// A sheet of n × n bars joined by balls, pinned at its corners: too many rows for the dense path.
TEST(Count, SheetOfLoopsIsNoMoreThanWork) {
  Scene scene;
  const int n = 24;
  const auto name = [](const char* part, int i, int j) {
    return part + std::to_string(i) + "-" + std::to_string(j);
  };
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      if (j < n) scene.solids.push_back(box(name("h", i, j), {j + 0.5, double(i), 0}));
      if (i < n)
        scene.solids.push_back(box(name("v", i, j), {double(j), i + 0.5, 0}, {0.1, 1, 0.1}));
    }
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      std::vector<std::string> meeting;
      if (j > 0) meeting.push_back(name("h", i, j - 1));
      if (j < n) meeting.push_back(name("h", i, j));
      if (i > 0) meeting.push_back(name("v", i - 1, j));
      if (i < n) meeting.push_back(name("v", i, j));
      for (std::size_t k = 1; k < meeting.size(); ++k)
        scene.joints.push_back(jointAt(scene, "ball", name("j", i, j) + std::to_string(k),
                                       meeting[0], meeting[k], {double(j), double(i), 0}));
    }
  const Counts c = countOf(scene);
  EXPECT_EQ(c.solids, static_cast<Index>(2 * n * (n + 1)));
  // By points: each bar turns about itself, and the points form a sheet of (n+1)² points in space
  // with 2 n (n+1) lengths kept, which are independent (a grid of squares is not rigid).
  const int bars = 2 * n * (n + 1), points = (n + 1) * (n + 1);
  EXPECT_EQ(c.dof, static_cast<Index>(bars + 3 * points - bars));
  EXPECT_EQ(c.constraints, static_cast<Index>(3 * (2 * bars - points)));
}

// A watch beside a bridge: each is judged by its own size.
TEST(Count, PartsOfVeryDifferentSizeDoNotDisturbEachOther) {
  Scene scene;
  for (const double scale : {1e-3, 1e6}) {
    Scene one = fourBar({"pin", "pin", "pin", "pin"});
    const std::string prefix = scale < 1 ? "watch-" : "bridge-";
    for (Solid s : one.solids) {
      s.name = prefix + s.name;
      s.pose.p *= scale;
      s.shapes[0].size *= scale;
      scene.solids.push_back(s);
    }
    for (Joint j : one.joints) {
      j.name = prefix + j.name;
      for (std::string* end : {&j.solid1, &j.solid2})
        if (!end->empty()) *end = prefix + *end;
      j.frame1.p *= scale;
      j.frame2.p *= scale;
      scene.joints.push_back(j);
    }
  }
  const Counts c = countOf(scene);
  EXPECT_EQ(c.dof, 2u);
  EXPECT_EQ(c.redundant, 6u);
}

TEST(JointError, MeasuresMetresAndRadiansApart) {
  const auto m = compile(chain(2, "pin"));
  State state = initialState(*m);
  const Control control = initialControl(*m);
  EXPECT_LT(jointError(*m, control, state).max, 1e-14);
  state.position[1].y += 0.25;
  JointError e = jointError(*m, control, state);
  EXPECT_NEAR(e.maxMetres, 0.25, 1e-14);
  EXPECT_NEAR(e.maxRadians, 0, 1e-14);
  EXPECT_EQ(e.worst, 1u);
  EXPECT_NEAR(e.rms, 0.25 / std::sqrt(10.0), 1e-14);
  state.position[1].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(jointError(*m, control, state).finite);
}

// Joints of which values say all are measured without rows: what comes out is the same.
TEST(JointError, IsThatOfTheRows) {
  for (const char* kind : {"ball", "pin", "prismatic", "weld", "hooke", "rolling"}) {
    Scene scene = chain(4, kind);
    if (std::string(kind) == "rolling")
      for (Joint& joint : scene.joints) joint.options.push_back({"radius", {0.3}, {}});
    if (std::string(kind) == "pin")
      for (Joint& joint : scene.joints) {
        CoordinateRule limit;
        limit.coordinate = "angle";
        limit.lower = -0.01;
        limit.upper = 0.01;
        joint.rules.push_back(limit);
        // Narrower ones that do not count: one yields, one is over.
        limit.lower = -0.001;
        limit.upper = 0.001;
        limit.compliance = 1e-3;
        joint.rules.push_back(limit);
        limit.compliance = 0;
        limit.active = {{5, 6}};
        joint.rules.push_back(limit);
      }
    const auto m = compile(scene);
    ASSERT_TRUE(m.ok()) << kind;
    State state = initialState(*m);
    Control control = initialControl(*m);
    control.jointOn[2] = 0;
    for (Index s = 0; s < state.position.size(); ++s) {
      state.position[s] += Vec3{0.01 * s, -0.02, 0.003 * s};
      state.orientation[s] = normalized(Quat{0.02, -0.01 * s, 0.05 * s, 1});
    }
    Rows rows;
    emitRows(*m, control, state, rows);
    double most = 0, sum = 0, range = 0;
    Index count = 0, worst = 0, worstRange = 0;
    for (const Row& row : rows.rows) {
      if (row.velocity) continue;
      if (!row.equality) {
        if (!std::isinf(row.stiffness) || -row.error <= range) continue;
        range = -row.error;
        worstRange = row.asker.number;
        continue;
      }
      if (std::abs(row.error) > most) worst = row.asker.number;
      most = std::max(most, std::abs(row.error));
      sum += row.error * row.error;
      ++count;
    }
    const JointError error = jointError(*m, control, state);
    EXPECT_GT(most, 1e-3) << kind;
    EXPECT_NEAR(error.max, most, 1e-14) << kind;
    EXPECT_EQ(error.worst, worst) << kind;
    EXPECT_EQ(error.worstRange, worstRange) << kind;
    EXPECT_NEAR(error.rms, std::sqrt(sum / count), 1e-14) << kind;
    EXPECT_NEAR(error.range, range, 1e-14) << kind;
    EXPECT_EQ(error.range > 0, std::string(kind) == "pin");
  }
}

TEST(Momentum, OfASpinningBoxAndAMovingOne) {
  Scene scene;
  Solid solid = box("a", {1, 0, 0}, {1, 2, 3});
  solid.mass = 12;
  solid.spin = {0, 2, 0};
  solid.velocity = {0, 0, 3};
  scene.solids.push_back(solid);
  const auto m = compile(scene);
  ASSERT_TRUE(m.ok());
  const State state = initialState(*m);
  const Momentum p = momentum(*m, state);
  EXPECT_NEAR(p.linear.z, 36, 1e-12);
  EXPECT_NEAR(p.angular.y, 10 * 2 - 36, 1e-12);  // I_yy = 12 (1 + 9)/12, and r × p = -36 y
  EXPECT_NEAR(kineticEnergy(*m, state), 0.5 * 12 * 9 + 0.5 * 10 * 4, 1e-12);
}

TEST(StateHash, SeesEveryNumberAndNoSignOfZeroOrQuaternion) {
  const auto m = compile(chain(2, "ball"));
  State state = initialState(*m);
  const auto hash = stateHash(state);
  ASSERT_TRUE(hash.has_value());
  state.orientation[1] = {-0.0, -0.0, 0, -1};
  EXPECT_EQ(stateHash(state), hash);
  state.velocity[0].x = std::nextafter(0.0, 1.0);
  EXPECT_NE(stateHash(state), hash);
  state.velocity[0].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(stateHash(state).has_value());
}

}  // namespace
}  // namespace tenon::test
