// Pulled by a hand, with the feet held: posing by the packed kernel.
#include <algorithm>

#include "figures.h"

namespace tenon::test {
namespace {

enum Part : std::size_t {
  Pelvis,
  Torso,
  Head,
  ArmL,
  ArmR,
  ForeL,
  ForeR,
  HandL,
  HandR,
  ThighL,
  ThighR,
  ShinL,
  ShinR,
  FootL,
  FootR
};

// Far away, a door that stands as it is told to: not for the packed kernel.
void addDoor(Figures& figures, Random& random) {
  const std::size_t door = figures.box({{90, 0, 0}, {}}, {1, 2, 0.1});
  Joint& hinge = figures.join("pin", kTheWorld, door, {{89.5, 0, 0}, {}}, random);
  hinge.frame2.q = hinge.frame1.q;
  CoordinateRule rule;
  rule.kind = CoordinateRule::Kind::Prescribe;
  rule.coordinate = "angle";
  hinge.rules.push_back(rule);
}

// Arms and knees a little bent, all joints balls. `general`: elsewhere there is a joint with a prescribed angle, so
// that the general path poses it.
Scene person(bool general, bool looped = false) {
  Figures figures;
  Random random(1);
  const auto part = [&](const Vec3& a, const Vec3& b, double width) {
    const Vec3 along = b - a;
    figures.box({0.5 * (a + b), {}}, {width, norm(along), width});
  };
  const auto ball = [&](Part a, Part b, const Vec3& at) {
    figures.join("ball", a, b, {at, {}}, random);
  };
  part({0, 1.0, 0}, {0, 1.15, 0}, 0.25);
  part({0, 1.15, 0}, {0, 1.6, 0}, 0.3);
  part({0, 1.6, 0}, {0, 1.85, 0}, 0.16);
  for (const double x : {0.2, -0.2}) part({x, 1.55, 0}, {x, 1.25, 0.02}, 0.08);
  for (const double x : {0.2, -0.2}) part({x, 1.25, 0.02}, {x, 1.05, 0.15}, 0.07);
  for (const double x : {0.2, -0.2}) part({x, 1.05, 0.15}, {x, 1.0, 0.28}, 0.06);
  for (const double x : {0.1, -0.1}) part({x, 1.0, 0}, {x, 0.55, 0.08}, 0.12);
  for (const double x : {0.1, -0.1}) part({x, 0.55, 0.08}, {x, 0.1, 0}, 0.1);
  for (const double x : {0.1, -0.1}) part({x, 0.1, 0}, {x, 0, 0.05}, 0.09);
  ball(Pelvis, Torso, {0, 1.15, 0});
  ball(Torso, Head, {0, 1.6, 0});
  for (const int side : {0, 1}) {
    const auto of = [side](Part p) {
      return static_cast<Part>(p + static_cast<std::size_t>(side));
    };
    const double x = side == 0 ? 0.2 : -0.2;
    ball(Torso, of(ArmL), {x, 1.55, 0});
    ball(of(ArmL), of(ForeL), {x, 1.25, 0.02});
    ball(of(ForeL), of(HandL), {x, 1.05, 0.15});
    ball(Pelvis, of(ThighL), {x / 2, 1.0, 0});
    ball(of(ThighL), of(ShinL), {x / 2, 0.55, 0.08});
    ball(of(ShinL), of(FootL), {x / 2, 0.1, 0});
  }
  if (looped) {  // both hands at a bar
    const Vec3 left{0.2, 1.0, 0.28}, right{-0.2, 1.0, 0.28};
    const std::size_t bar = figures.box({0.5 * (left + right), {}}, {0.5, 0.05, 0.05});
    figures.join("ball", HandL, bar, {left, {}}, random);
    figures.join("ball", HandR, bar, {right, {}}, random);
  }
  if (general) addDoor(figures, random);
  return figures.scene;
}

struct Standing {
  Mechanism m;
  Control control;
  State state;
  PoseScratch scratch;
  std::vector<Want> feet;

  explicit Standing(const Scene& scene, bool onFeet = true) {
    auto made = compile(scene);
    EXPECT_TRUE(made.ok());
    m = std::move(*made);
    control = initialControl(m);
    state = initialState(m);
    for (const Part foot : {FootL, FootR}) {
      if (!onFeet) break;
      Want pin;
      pin.solid = static_cast<Index>(foot);
      pin.point = {0, -0.04, 0.02};
      pin.target = placeOf(pin);
      pin.need = true;
      feet.push_back(pin);
    }
  }
  [[nodiscard]] Vec3 placeOf(const Want& want) const {
    return state.position[want.solid] + rotate(state.orientation[want.solid], want.point);
  }
  [[nodiscard]] double off(const Want& want) const { return norm(placeOf(want) - want.target); }
  [[nodiscard]] double error() const { return jointError(m, control, state).max; }
  [[nodiscard]] double slipped() const { return std::max(off(feet[0]), off(feet[1])); }
  // Pulls the left hand to a target.
  [[nodiscard]] Want hand(const Vec3& target) const {
    Want want;
    want.solid = HandL;
    want.point = {0, -0.05, 0.03};
    want.target = target;
    return want;
  }
  PoseReport pull(const Want& want, const PoseSettings& settings = {}) {
    std::vector<Want> wants = feet;
    wants.push_back(want);
    return track(m, control, wants, settings, state, scratch);
  }
};

void expectReached(const Vec3& by, bool looped) {
  Standing p(person(false, looped));
  ASSERT_LT(p.error(), 1e-12);
  const Want want = p.hand(p.placeOf(p.hand({})) + by);
  const PoseReport report = p.pull(want);
  EXPECT_EQ(report.status, PoseStatus::Converged);
  EXPECT_LT(p.off(want), 1e-9);
  EXPECT_LT(report.wantError, 1e-9);
  EXPECT_LT(p.error(), 1e-9);
  EXPECT_LT(p.slipped(), 1e-9);
  EXPECT_LT(report.iterations, 20) << looped << " " << by.x << " " << by.y << " " << by.z;
}

TEST(PackedPosing, ReachesWhatCanBeReached) {
  for (const bool looped : {false, true})
    for (const Vec3& by : {Vec3{0.1, 0.1, 0.1}, Vec3{-0.1, 0.25, 0.15}, Vec3{0, 0.3, 0},
                           Vec3{0.02, 0, 0}, Vec3{0, 0, -0.25}})
      expectReached(by, looped);
}

// A quarter of a metre to the side and down.
TEST(PackedPosing, ReachesAsideInAsFewIterations) {
  for (const bool looped : {false, true}) expectReached({0.2, -0.1, 0.1}, looped);
}

TEST(PackedPosing, GetsNearerToWhatCannotBeReached) {
  for (const bool looped : {false, true})
    for (const Vec3& far : {Vec3{4, 1, 0}, Vec3{0, 5, 0}, Vec3{0, -3, 1}}) {
      Standing p(person(false, looped));
      const Want want = p.hand(far);
      const double before = p.off(want);
      const PoseReport report = p.pull(want);
      EXPECT_TRUE(report.closed);  // it may say `budget`: the last part of the way is slow
      EXPECT_LT(p.error(), 1e-9);
      EXPECT_LT(p.slipped(), 1e-9);
      EXPECT_LT(p.off(want), before - 0.2) << looped << " " << far.x << " " << far.y;
      EXPECT_NEAR(report.wantError, p.off(want), 1e-9);
    }
}

// Where it can be reached both paths reach it; where not, each stops where it gains too little, which need not
// be the same place.
TEST(PackedPosing, ComesAsNearAsTheGeneralPath) {
  for (const bool looped : {false, true})
    for (const Vec3& target : {Vec3{0.5, 1.3, 0.4}, Vec3{0.1, 0.6, 0.5}, Vec3{4, 1.2, 0.5},
                               Vec3{0.3, 5, 0.2}, Vec3{1, 1, 6}}) {
      Standing fast(person(false, looped)), general(person(true, looped));
      const Want want = fast.hand(target);
      const double before = fast.off(want);
      EXPECT_TRUE(fast.pull(want).fast);
      EXPECT_FALSE(general.pull(want).fast);
      EXPECT_LT(general.error(), 1e-9);
      const double gain = before - fast.off(want), other = before - general.off(want);
      EXPECT_EQ(fast.off(want) < 1e-9, general.off(want) < 1e-9) << looped << " " << target.x;
      EXPECT_GT(gain, 0.75 * other)
          << looped << " " << target.x << " " << target.y << " " << target.z;
    }
}

TEST(PackedPosing, NeverOpensWhatWasClosed) {
  for (const bool looped : {false, true})
    for (int budget = 0; budget <= 30; ++budget)
      for (const Vec3& target : {Vec3{0.5, 1.3, 0.4}, Vec3{4, 1.2, 0.5}}) {
        Standing p(person(false, looped));
        const Want want = p.hand(target);
        const double before = p.off(want);
        PoseSettings settings;
        settings.iterations = budget;
        const PoseReport report = p.pull(want, settings);
        EXPECT_LE(report.iterations, budget + 1) << budget;
        EXPECT_LE(p.error(), settings.tolerance) << budget;
        EXPECT_LE(p.slipped(), 2 * settings.tolerance) << budget;
        EXPECT_LE(p.off(want), before + 1e-9) << budget;
      }
}

// With budgets of a few iterations, one after the other, as an editor has it: it gets there.
TEST(PackedPosing, GetsThereInSmallBudgets) {
  Standing p(person(false));
  const Want want = p.hand({0.5, 1.3, 0.4});
  PoseSettings settings;
  settings.iterations = 12;
  for (int i = 0; i < 10; ++i) p.pull(want, settings);
  EXPECT_LT(p.off(want), 1e-6);
  EXPECT_LT(p.error(), 1e-9);
}

TEST(PackedPosing, HoldsThroughRandomPulls) {
  Random random(12);
  Standing p(person(false)), looped(person(false, true));
  int met = 0, most = 0;
  for (int i = 0; i < 200; ++i) {
    Standing& q = i % 2 == 0 ? p : looped;
    const Vec3 target = Vec3{0, 1.1, 0.2} + vectorIn(random, 0.7);
    const Want want = q.hand(target);
    const double before = q.off(want);
    const PoseReport report = q.pull(want);
    ASSERT_LT(q.error(), 1e-9) << i;
    ASSERT_LT(q.slipped(), 1e-9) << i;
    ASSERT_LE(q.off(want), before + 1e-9) << i;
    if (q.off(want) < 1e-9) {
      ++met;
      most = std::max(most, report.iterations);
    }
  }
  EXPECT_GT(met, 150);
  RecordProperty("met", met);
  RecordProperty("most_iterations", most);
}

TEST(PackedPosing, LosesNothingWithItsScratch) {
  Random random(12);
  Standing kept(person(false, true)), fresh(person(false, true));
  for (int i = 0; i < 20; ++i) {
    const Want want = kept.hand(Vec3{0, 1.1, 0.2} + vectorIn(random, 0.5));
    fresh.scratch = PoseScratch();
    kept.pull(want);
    fresh.pull(want);
    ASSERT_EQ(differenceOf(kept.state, fresh.state), "") << i;
  }
}

// Pulls of two hands with different weights that cannot both be met: the heavier one is nearer.
TEST(PackedPosing, MindsTheWeights) {
  double off[2];
  for (const int heavy : {0, 1}) {
    Standing p(person(false));
    std::vector<Want> wants = p.feet;
    for (const Part hand : {HandL, HandR}) {
      Want want = p.hand({hand == HandL ? 3.0 : -3.0, 1.3, 0});
      want.solid = static_cast<Index>(hand);
      want.weight = (hand == HandL) == (heavy == 0) ? 20 : 1;
      wants.push_back(want);
    }
    track(p.m, p.control, wants, {}, p.state, p.scratch);
    EXPECT_LT(p.error(), 1e-9);
    EXPECT_LT(p.slipped(), 1e-9);
    off[heavy] = p.off(wants[2]);
  }
  EXPECT_LT(off[0], off[1] - 0.01);
}

// Figures of all kinds of joints, shaken a little: assembled again by Newton's method, in a few iterations.
TEST(PackedPosing, ClosesWhatIsNearlyClosed) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    Figures figures;
    addTree(figures, random, 8, Root::World);
    addWeb(figures, random, 9, 2, Root::Free, {5, 0, 0});
    addLadder(figures, random, 4, true, {10, 0, 0});
    Moving p = moving(figures.scene, Method::Energy);
    disturb(p.m, seed, 2e-4, 2e-4, p.state);
    ASSERT_GT(p.error(), 1e-5);
    PoseScratch scratch;
    const PoseReport report = assemble(p.m, p.control, {}, {}, p.state, scratch);
    EXPECT_EQ(report.status, PoseStatus::Converged) << seed;
    EXPECT_LT(p.error(), 1e-10) << seed;
    const bool unique = count(p.m, p.control, p.state).redundant == 0;
    if (unique) {
      EXPECT_LE(report.iterations, 6) << seed;
    }
    EXPECT_EQ(report.restarts, 0) << seed;
  }
}

// ------------------------------------------------------------------------------- joints that slide

constexpr const char* kSliding[] = {"cylindrical", "prismatic",     "planar",
                                    "parallel",    "point-on-line", "point-on-plane"};

// A chain of three from the world to a handle, one joint of which slides, moved to where that is not 0.
Scene slider(const std::string& kind, std::uint64_t seed, bool turnedRound, bool general) {
  Figures figures;
  Random random(seed);
  const std::size_t a = figures.randomBox(random, {0.5, 0, 0});
  const std::size_t b = figures.randomBox(random, {1, 0.1, 0});
  const std::size_t c = figures.randomBox(random, {1.5, 0, 0.1});
  figures.join("ball", kTheWorld, a, {{0.2, 0, 0}, {}}, random);
  const Pose frame{{0.75, 0.05, 0}, random.rotation()};
  Joint& joint = turnedRound ? figures.join(kind, b, a, frame, random)
                             : figures.join(kind, a, b, frame, random);
  // What it leaves free along i is somewhere.
  if (kind == "cylindrical" || kind == "prismatic" || kind == "point-on-line")
    joint.frame2.p += rotate(joint.frame2.q, Vec3{0.07, 0, 0});
  figures.join("ball", b, c, {{1.25, 0.05, 0.05}, {}}, random);
  if (general) addDoor(figures, random);
  return figures.scene;
}

// From a pose that is off by half a millimetre: Newton's method squares what is left, so the rows' derivatives are right.
TEST(PackedPosing, ClosesSlidingJointsAsNewtonDoes) {
  for (const char* kind : kSliding)
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Standing p(slider(kind, seed, seed % 2 == 0, false), false);
      disturb(p.m, seed, 5e-4, 5e-4, p.state);
      ASSERT_GT(p.error(), 1e-5);
      PoseSettings settings;
      settings.tolerance = 1e-13;
      settings.trace = true;
      const PoseReport report = track(p.m, p.control, {}, settings, p.state, p.scratch);
      EXPECT_TRUE(report.fast) << kind;
      EXPECT_LT(p.error(), 1e-12) << kind;
      ASSERT_GE(report.trace.size(), 3u);
      EXPECT_LT(report.trace[2].error, 30 * std::pow(report.trace[1].error, 1.5) + 1e-14)
          << kind << seed;
      EXPECT_LE(report.iterations, 4) << kind << seed;
    }
}

// The least motion that closes a figure is one motion, whoever finds it.
TEST(PackedPosing, MovesSlidingJointsAsTheGeneralPathDoes) {
  for (const char* kind : kSliding)
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Standing fast(slider(kind, seed, seed % 2 == 0, false), false);
      Standing general(slider(kind, seed, seed % 2 == 0, true), false);
      Want want;
      want.solid = 2;
      want.target = fast.state.position[2] + Vec3{0.01, -0.02, 0.015};
      const PoseReport a = track(fast.m, fast.control, {want}, {}, fast.state, fast.scratch);
      const PoseReport b =
          track(general.m, general.control, {want}, {}, general.state, general.scratch);
      EXPECT_TRUE(a.fast && !b.fast) << kind;
      EXPECT_LT(fast.error(), 1e-9) << kind;
      EXPECT_LT(a.wantError, 1e-9) << kind;
      EXPECT_LT(b.wantError, 1e-9) << kind;
      for (std::size_t s = 0; s < 3; ++s)
        EXPECT_LT(norm(fast.state.position[s] - general.state.position[s]), 1e-3) << kind << seed;
    }
}

// ----------------------------------------------------------------------------------------- limits

// An arm of hinges about z in the plane, each bent by 0.4 rad, with limits.
Scene arm(bool general, double lower, double upper) {
  Figures figures;
  Random random(1);
  Vec3 at;
  double heading = 0;
  for (int i = 0; i < 4; ++i) {
    heading += 0.4;
    const Vec3 along{std::cos(heading), std::sin(heading), 0};
    const std::size_t link =
        figures.box({at + 0.25 * along, exponential({0, 0, heading})}, {0.5, 0.06, 0.06});
    const Pose frame{at, rotationBetween({1, 0, 0}, {0, 0, 1})};
    Joint& hinge = figures.join("pin", i == 0 ? kTheWorld : link - 1, link, frame, random);
    // Angles count from the straight arm.
    hinge.frame2 =
        inverse(figures.scene.solids[link].pose) * frame * Pose{{}, exponential({0.4, 0, 0})};
    CoordinateRule limit;
    limit.coordinate = "angle";
    limit.lower = lower;
    limit.upper = upper;
    hinge.rules.push_back(limit);
    at = at + 0.5 * along;
  }
  if (general) addDoor(figures, random);
  return figures.scene;
}

TEST(PackedPosing, KeepsWithinLimits) {
  Random random(7);
  int atLimit = 0, worse = 0, better = 0;
  Standing fast(arm(false, -0.2, 0.9), false), general(arm(true, -0.2, 0.9), false);
  for (Index j = 0; j < 4; ++j)
    ASSERT_NEAR(jointValues(fast.m, fast.state, j).coordinate[0], 0.4, 1e-9);
  for (int i = 0; i < 200; ++i) {
    Want want;
    want.solid = 3;
    want.point = {0.25, 0, 0};
    want.target = Vec3{1, 0.7, 0} + vectorIn(random, 0.9);
    want.target.z = 0;
    for (std::size_t s = 0; s < 4; ++s) {
      general.state.position[s] = fast.state.position[s];
      general.state.orientation[s] = fast.state.orientation[s];
    }
    const PoseReport a = track(fast.m, fast.control, {want}, {}, fast.state, fast.scratch);
    const PoseReport b =
        track(general.m, general.control, {want}, {}, general.state, general.scratch);
    EXPECT_TRUE(a.fast) << i;
    EXPECT_LT(fast.error(), 1e-9) << i;
    for (Index j = 0; j < 4; ++j) {
      const double angle = jointValues(fast.m, fast.state, j).coordinate[0];
      EXPECT_GT(angle, -0.2 - 1e-9) << i;
      EXPECT_LT(angle, 0.9 + 1e-9) << i;
      atLimit += angle < -0.2 + 1e-6 || angle > 0.9 - 1e-6 ? 1 : 0;
    }
    worse += a.wantError > b.wantError + 0.05 ? 1 : 0;
    better += a.wantError < b.wantError - 0.05 ? 1 : 0;
  }
  EXPECT_GT(atLimit, 20);
  // Of those that are out of reach not the same place: each may stop in a corner of the limits.
  EXPECT_LE(worse, 15);
  RecordProperty("worse", worse);
  RecordProperty("better", better);
}

// ----------------------------------------------------------------------------- position and orientation

TEST(PackedPosing, TurnsToWhatIsWanted) {
  Standing p(person(false)), q(person(true));
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    const Quat turn = exponential(vectorIn(random, 0.4));
    for (Standing* s : {&p, &q}) {
      std::vector<Want> wants = s->feet;
      Want want = s->hand({0.4, 1.25, 0.35});
      wants.push_back(want);
      want.kind = Want::Kind::Orientation;
      want.orientation = turn;
      wants.push_back(want);
      Want look;
      look.kind = Want::Kind::LookAt;
      look.solid = Head;
      look.axis = {0, 0, 1};
      look.target = {0.4, 1.25, 2};
      wants.push_back(look);
      const PoseReport report = track(s->m, s->control, wants, {}, s->state, s->scratch);
      EXPECT_EQ(report.fast, s == &p);
      EXPECT_LT(report.wantError, 1e-8) << i;
      EXPECT_LT(s->error(), 1e-9) << i;
      const Quat off = s->state.orientation[HandL] * conjugate(turn);
      EXPECT_GT(std::abs(off.w), 1 - 1e-12) << i;
      const Vec3 axis = rotate(s->state.orientation[Head], {0, 0, 1});
      EXPECT_GT(dot(axis, normalized(look.target - s->state.position[Head])), 1 - 1e-12) << i;
    }
  }
}

// --------------------------------------------------------------------------------- with little time

// The structure of figure 5, pulled by the head: with two iterations an update it stays within the slack and comes
// along; when the hand rests it is exact again.                                     [Faure1998 §4.1, fig. 5]
TEST(PackedPosing, FollowsWithinTheSlackWhereTimeIsShort) {
  const auto scene = loadScene(TENON_SOURCE_DIR "/scenes/faure/fig5-structure.tenon");
  ASSERT_TRUE(scene.ok());
  for (const int iterations : {1, 2, 3}) {
    Standing p(*scene, false);
    const auto named = std::find(p.m.solidNames.begin(), p.m.solidNames.end(), "head");
    Want want;
    want.solid = static_cast<Index>(named - p.m.solidNames.begin());
    ASSERT_LT(want.solid, p.m.solids.size());
    const Vec3 start = p.state.position[want.solid];
    PoseSettings settings;
    settings.tolerance = 1e-9;
    settings.slack = 4e-3;
    settings.iterations = iterations;
    double lag = 0, travelled = 0;
    for (int i = 1; i <= 250; ++i) {
      const double t = 0.025 * i;
      want.target = start + Vec3{0.15 * std::sin(t), 0.15 * (1 - std::cos(t)), 0};
      const Vec3 before = p.state.position[want.solid];
      const PoseReport report = track(p.m, p.control, {want}, settings, p.state, p.scratch);
      EXPECT_TRUE(report.fast);
      // Largest components of the same errors, in axes of the world and of the joints.
      EXPECT_LE(report.maxError, settings.slack) << i;
      EXPECT_LE(p.error(), std::sqrt(3.0) * report.maxError + 1e-12) << i;
      lag = std::max(lag, p.off(want));
      travelled += norm(p.state.position[want.solid] - before);
    }
    EXPECT_LT(lag, iterations == 1 ? 0.05 : 0.005) << iterations;
    EXPECT_GT(travelled, 0.85) << iterations;  // of 0.94
    for (int i = 0; i < 12; ++i) track(p.m, p.control, {want}, settings, p.state, p.scratch);
    EXPECT_LT(p.off(want), 1e-6) << iterations;
    EXPECT_LT(p.error(), 1e-8) << iterations;
  }
}

// Without slack nothing opens, as ever.
TEST(PackedPosing, OpensNothingWithoutSlack) {
  Standing p(person(false));
  PoseSettings settings;
  settings.iterations = 1;
  for (int i = 0; i < 20; ++i) {
    p.pull(p.hand(Vec3{0.4, 1.3, 0.4} + Vec3{0.01 * i, 0, 0}), settings);
    EXPECT_LT(p.error(), 1e-9);
  }
}

// ---------------------------------------------------------------------------------- gears: a hand

// The hand of figures: tendons couple the last joints of its fingers, and all its joints have limits.
Scene hand(bool general) {
  Figures figures;
  auto loaded = loadScene(TENON_SOURCE_DIR "/scenes/figures/hand.tenon");
  EXPECT_TRUE(loaded.ok());
  if (loaded.ok()) figures.scene = *loaded;
  Random random(1);
  if (general) addDoor(figures, random);
  return figures.scene;
}
Index solidNamed(const Mechanism& m, const std::string& name) {
  const auto named = std::find(m.solidNames.begin(), m.solidNames.end(), name);
  EXPECT_NE(named, m.solidNames.end()) << name;
  return static_cast<Index>(named - m.solidNames.begin());
}
// As a session poses.
PoseSettings asASession() {
  PoseSettings settings;
  settings.tolerance = 1e-9;
  settings.slack = 3e-4;
  settings.iterations = 200;
  return settings;
}

// Newton's method squares what is left: the derivatives of the gears are there, on all three solids.
TEST(PackedPosing, ClosesGearsAsNewtonDoes) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Standing p(hand(false), false);
    disturb(p.m, seed, 1e-4, 1e-3, p.state);
    ASSERT_GT(p.error(), 1e-4);
    PoseSettings settings;
    settings.tolerance = 1e-13;
    settings.trace = true;
    const PoseReport report = track(p.m, p.control, {}, settings, p.state, p.scratch);
    EXPECT_TRUE(report.fast) << seed;
    EXPECT_LT(p.error(), 1e-12) << seed;
    ASSERT_GE(report.trace.size(), 3u);
    EXPECT_LT(report.trace[2].error, 30 * std::pow(report.trace[1].error, 1.5) + 1e-14) << seed;
    EXPECT_LE(report.iterations, 5) << seed;
  }
}

TEST(PackedPosing, MovesGearsAsTheGeneralPathDoes) {
  for (const char* tip : {"index.distal.bone", "little.distal.bone", "pollex.distal.bone"}) {
    Standing fast(hand(false), false), general(hand(true), false);
    Want want;
    want.solid = solidNamed(fast.m, tip);
    want.target = fast.state.position[want.solid] + Vec3{-0.002, -0.003, 0.001};
    const PoseReport a = track(fast.m, fast.control, {want}, {}, fast.state, fast.scratch);
    const PoseReport b =
        track(general.m, general.control, {want}, {}, general.state, general.scratch);
    EXPECT_TRUE(a.fast && !b.fast) << tip;
    EXPECT_LT(fast.error(), 1e-9) << tip;
    EXPECT_LT(a.wantError, 1e-9) << tip;
    EXPECT_LT(b.wantError, 1e-9) << tip;
    for (std::size_t s = 0; s < fast.m.solids.size(); ++s)
      EXPECT_LT(norm(fast.state.position[s] - general.state.position[s]), 1e-4) << tip << s;
  }
}

// Finger tips, dragged once around in 60 updates, most of them to where no finger comes: each ends where no way leads
// nearer, after a few iterations.
TEST(PackedPosing, DragsFingerTipsInFewIterations) {
  struct Way {
    const char* tip;
    double x, y;  // [m]
  };
  for (const Way& way :
       {Way{"index.distal.bone", 0.01, -0.01}, Way{"index.distal.bone", 0.1, -0.1},
        Way{"pollex.distal.bone", 0.05, 0.05}, Way{"little.distal.bone", 0.03, -0.03},
        Way{"middle.distal.bone", -0.1, 0.1}, Way{"ring.middle.bone", -0.02, -0.05}}) {
    Standing p(hand(false), false);
    Want want;
    want.solid = solidNamed(p.m, way.tip);
    const Vec3 start = p.state.position[want.solid];
    int all = 0, most = 0;
    for (int i = 1; i <= 60; ++i) {
      const double a = 2 * kPi * i / 60;
      want.target = start + Vec3{way.x * std::sin(a), way.y * (1 - std::cos(a)), 0};
      const PoseReport report = track(p.m, p.control, {want}, asASession(), p.state, p.scratch);
      EXPECT_TRUE(report.fast) << way.tip << i;
      EXPECT_EQ(report.status, PoseStatus::Converged) << way.tip << i;
      EXPECT_LT(p.error(), 1e-8) << way.tip << i;
      all += report.iterations;
      most = std::max(most, report.iterations);
      State further = p.state;  // by other means
      PoseSettings settings;
      settings.tolerance = 1e-9;
      const PoseReport more = assemble(p.m, p.control, {want}, settings, further, p.scratch);
      EXPECT_GT(more.wantError, (1 - 1e-3) * report.wantError - 1e-9) << way.tip << i;
    }
    EXPECT_LE(all, 60 * 30) << way.tip;
    EXPECT_LE(most, 100) << way.tip;
  }
}

// All hinges lie at their limits, so that nothing can move until a pull has let go of them.
TEST(PackedPosing, LeavesACornerOfLimits) {
  for (const bool general : {false, true}) {
    Standing p(arm(general, 0.4, 0.9), false);
    Want want;
    want.solid = 3;
    want.point = {0.25, 0, 0};
    want.target = {-3, 0.5, 0};
    const PoseReport report = track(p.m, p.control, {want}, {}, p.state, p.scratch);
    EXPECT_EQ(report.fast, !general);
    EXPECT_LT(p.error(), 1e-9);
    // Rolled up as far as it goes.
    EXPECT_NEAR(jointValues(p.m, p.state, 0).coordinate[0], 0.9, 1e-6) << general;
    EXPECT_NEAR(jointValues(p.m, p.state, 1).coordinate[0], 0.9, 1e-6) << general;
  }
}

TEST(PackedPosing, GearsLoseNothingWithTheScratchAndTheLanes) {
  Standing kept(hand(false), false), fresh(hand(false), false), narrow(hand(false), false);
  Want want;
  want.solid = solidNamed(kept.m, "index.distal.bone");
  const Vec3 start = kept.state.position[want.solid];
  for (int i = 1; i <= 20; ++i) {
    want.target = start + Vec3{0.1 * std::sin(0.3 * i), -0.1 * (1 - std::cos(0.3 * i)), 0.02};
    fresh.scratch = PoseScratch();
    PoseSettings settings = asASession();
    track(kept.m, kept.control, {want}, settings, kept.state, kept.scratch);
    track(fresh.m, fresh.control, {want}, settings, fresh.state, fresh.scratch);
    settings.lanes = false;
    track(narrow.m, narrow.control, {want}, settings, narrow.state, narrow.scratch);
    ASSERT_EQ(differenceOf(kept.state, fresh.state), "") << i;
    ASSERT_EQ(differenceOf(kept.state, narrow.state), "") << i;
  }
}

// The time that there is, and a tenth: whatever an update does when it runs out. An update of many iterations is given
// half of the time that it takes here and now; the machine may be taken away at any moment, so one of several tries
// must fit.
TEST(PackedPosing, EndsWithinATenthOfItsTime) {
  for (const bool general : {false, true}) {
    Want want;
    const auto pulled = [&](double milliseconds) {
      Standing p(hand(general), false);
      want.solid = solidNamed(p.m, "pollex.distal.bone");
      want.target = p.state.position[want.solid] + Vec3{0.02, -0.04, 0.03};
      PoseSettings settings = asASession();
      track(p.m, p.control, {want}, settings, p.state, p.scratch);  // what is planned once is
      want.target = p.state.position[want.solid] + Vec3{0.05, 0.1, -0.05};
      settings.milliseconds = milliseconds;
      return track(p.m, p.control, {want}, settings, p.state, p.scratch);
    };
    bool fits = false;
    for (int tries = 0; tries < 20 && !fits; ++tries) {
      const PoseReport whole = pulled(1e9);
      ASSERT_GT(whole.iterations, 20) << general;
      const PoseReport half = pulled(whole.milliseconds / 2);
      fits = half.late && half.iterations > 2 && half.iterations < whole.iterations &&
             half.milliseconds < 1.1 * whole.milliseconds / 2;
    }
    EXPECT_TRUE(fits) << general;
  }
}

}  // namespace
}  // namespace tenon::test
