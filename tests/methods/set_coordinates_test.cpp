// Many coordinates at once end where they end one by one.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/language.h>
#include <tenon/measure.h>
#include <tenon/posing.h>
#include <tenon/step.h>

#include <algorithm>
#include <cmath>

#include "math/random.h"
#include "math/rotation.h"

namespace tenon::test {
namespace {

struct Placed {
  Mechanism m;
  Control control;
  StepSettings settings;
  State state;
  StepScratch scratch;

  explicit Placed(const std::string& text) {
    const auto scene = parseScene(text, "test.tenon");
    EXPECT_TRUE(scene) << (scene ? "" : scene.problems().front().what);
    auto made = compile(*scene);
    EXPECT_TRUE(made) << (made ? "" : made.problems().front().what);
    m = std::move(*made);
    control = initialControl(m);
    state = initialState(m);
  }
  // Any velocities that the joints allow.
  void push(Random& random) {
    for (std::size_t s = 0; s < m.solids.size(); ++s) {
      if (m.solids[s].kind != SolidKind::Dynamic) continue;
      for (int i = 0; i < 3; ++i) state.velocity[s][i] = random.uniform(-1, 1);
      for (int i = 0; i < 3; ++i) state.spin[s][i] = random.uniform(-1, 1);
    }
    PoseScratch posing;
    for (int k = 0; k < 3; ++k) projectVelocities(m, control, state, posing);
  }
  SetReport oneByOne(const std::vector<CoordinateGoal>& goals) {
    SetReport all;
    all.reached = true;
    for (const CoordinateGoal& goal : goals) {
      const SetReport one = setCoordinate(m, control, settings, goal.joint, goal.coordinate,
                                          goal.value, state, scratch);
      all.reached = all.reached && one.reached;
    }
    return all;
  }
  SetReport atOnce(const std::vector<CoordinateGoal>& goals) {
    return setCoordinates(m, control, settings, goals, state, scratch);
  }
};

void expectSame(const Placed& is, const Placed& mustBe, const std::string& what) {
  double place = 0, turn = 0, velocity = 0, spin = 0;
  for (std::size_t s = 0; s < is.m.solids.size(); ++s) {
    place = std::max(place, norm(is.state.position[s] - mustBe.state.position[s]));
    turn = std::max(
        turn, norm(logarithm(is.state.orientation[s] * conjugate(mustBe.state.orientation[s]))));
    velocity = std::max(velocity, norm(is.state.velocity[s] - mustBe.state.velocity[s]));
    spin = std::max(spin, norm(is.state.spin[s] - mustBe.state.spin[s]));
  }
  EXPECT_LT(place, 1e-9) << what;
  EXPECT_LT(turn, 1e-9) << what;
  EXPECT_LT(velocity, 2e-9) << what;
  EXPECT_LT(spin, 2e-9) << what;
  for (Index j = 0; j < is.m.joints.size(); ++j)
    for (int c = 0; c < is.m.joints[j].kind->coordinateCount; ++c)
      EXPECT_NEAR(jointValues(is.m, is.state, j).coordinate[c],
                  jointValues(mustBe.m, mustBe.state, j).coordinate[c], 1e-7)
          << what << " joint " << j << " coordinate " << c;
}

// A tree of solids, each joined to one before it, or to the world; some joints name their solids the other way round.
std::string treeOf(Random& random, int solids, bool grounded) {
  const char* const kinds[] = {"ball",  "pin",           "cylindrical",    "prismatic", "planar",
                               "hooke", "point-on-line", "point-on-plane", "parallel",  "weld"};
  std::string text = "gravity 0 0 0;\n";
  for (int s = 0; s < solids; ++s) {
    text += "solid s" + std::to_string(s) + " at";
    for (int i = 0; i < 3; ++i) text += " " + std::to_string(random.uniform(-1, 1));
    text += "; turn 1 2 3 " + std::to_string(random.uniform(-1, 1)) +
            "; box 0.3 0.2 0.1; com 0.02 0.01 0; end\n";
  }
  for (int s = grounded ? 0 : 1; s < solids; ++s) {
    const std::string from =
        s == 0 ? "" : "s" + std::to_string(random.below(static_cast<std::uint64_t>(s)));
    const bool swapped = random.coin() && !from.empty();
    const std::string own = "s" + std::to_string(s);
    text += "joint " + std::string(kinds[random.below(10)]) + " j" + std::to_string(s);
    if (!from.empty()) text += " object1 " + (swapped ? own : from) + ";";
    text += " object2 " + (swapped ? from : own) + "; at";
    for (int i = 0; i < 3; ++i) text += " " + std::to_string(random.uniform(-1, 1));
    text += "; axis " + std::to_string(random.uniform(-1, 1)) + " 0.3 0.7; end\n";
  }
  return text;
}

TEST(SetCoordinates, EndsWhereSettingThemOneByOneEnds) {
  int direct = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const std::string text = treeOf(random, 3 + static_cast<int>(random.below(8)), random.coin());
    Placed once(text), slow(text);
    once.push(random);
    slow.state = once.state;
    std::vector<CoordinateGoal> goals;
    for (Index j = 0; j < once.m.joints.size(); ++j) {
      const JointKind& kind = *once.m.joints[j].kind;
      for (int c = 0; c < kind.freeCount; ++c) {
        if (random.uniform() < 0.3) continue;
        const double now = jointValues(once.m, once.state, j).coordinate[c];
        const bool far = kind.coordinates[c].periodic && random.uniform() < 0.2;
        goals.push_back({j, static_cast<Index>(c),
                         far ? 10 * random.uniform(-1, 1) : now + random.uniform(-0.4, 0.4)});
      }
    }
    // In any order, but the coordinates of a ball joint depend on it.
    const SetReport report = once.atOnce(goals);
    EXPECT_TRUE(report.reached) << seed;
    EXPECT_TRUE(slow.oneByOne(goals).reached) << seed;
    expectSame(once, slow, "seed " + std::to_string(seed));
    EXPECT_LT(jointError(once.m, once.control, once.state).max, 1e-12) << seed;
    direct += report.strides == 0;
    ++all;
  }
  EXPECT_EQ(direct, all);  // no tree needs a stride
}

// Of a closed chain, and of one that is driven on a path, coordinates are set as ever.
TEST(SetCoordinates, ClosesLoopsAsOneByOneDoes) {
  const std::string text =
      "gravity 0 0 0;\n"
      "solid crank at 0.1 0 0; box 0.2 0.02 0.02; end\n"
      "solid coupler at 0.3 0.2 0; box 0.4 0.02 0.02; end\n"
      "solid rocker at 0.5 0.1 0; box 0.3 0.02 0.02; end\n"
      "solid arm at 0.3 0.5 0; box 0.1 0.2 0.1; end\n"
      "solid far at 3 0 0; box 0.1 0.2 0.1; end\n"
      "joint pin o object2 crank; at 0 0 0; axis 0 0 1; end\n"
      "joint pin a object1 crank; object2 coupler; at 0.2 0 0; axis 0 0 1; end\n"
      "joint pin b object1 coupler; object2 rocker; at 0.5 0.3 0; axis 0 0 1; end\n"
      "joint pin c object2 rocker; at 0.6 0 0; axis 0 0 1; end\n"
      "joint pin d object1 coupler; object2 arm; at 0.3 0.4 0; axis 0 0 1; end\n"
      "joint pin e object2 far; at 3 0 0; axis 1 0 0; end\n";
  Placed once(text), slow(text);
  const std::vector<CoordinateGoal> goals = {{0, 0, 0.5}, {4, 0, 0.3}, {5, 0, -1.0}};
  const SetReport report = once.atOnce(goals);
  EXPECT_TRUE(report.reached);
  EXPECT_GT(report.strides, 0);
  EXPECT_TRUE(slow.oneByOne(goals).reached);
  expectSame(once, slow, "loop");
  // Where a coordinate is driven on a path, both say that they did not get there.
  const std::string driven =
      "solid a at 0.1 0 0; box 0.2 0.02 0.02; end\n"
      "joint pin o object2 a; at 0 0 0; axis 0 0 1; prescribe angle 0; end\n";
  Placed p(driven), q(driven);
  EXPECT_FALSE(p.atOnce({{0, 0, 0.5}}).reached);
  EXPECT_FALSE(q.oneByOne({{0, 0, 0.5}}).reached);
  expectSame(p, q, "driven");
  // Limits do not stop it, at once or one by one: physics and posing bring it back.
  const std::string limited =
      "solid a at 0.1 0 0; box 0.2 0.02 0.02; end\n"
      "joint pin o object2 a; at 0 0 0; axis 0 0 1; limit angle max 0.2; end\n";
  Placed r(limited), t(limited);
  EXPECT_TRUE(r.atOnce({{0, 0, 0.5}}).reached);
  EXPECT_TRUE(t.oneByOne({{0, 0, 0.5}}).reached);
  expectSame(r, t, "limited");
}

}  // namespace
}  // namespace tenon::test
