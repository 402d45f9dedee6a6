// Pulled by a hand, with the feet held: posing by the packed kernel.
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

// Arms and knees a little bent, all joints balls. `limited`: elsewhere there is a joint with a limit, so that
// the general path poses it.
Scene person(bool limited, bool looped = false) {
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
  if (limited) {
    const std::size_t door = figures.box({{9, 0, 0}, {}}, {1, 2, 0.1});
    Joint& hinge = figures.join("pin", kTheWorld, door, {{8.5, 0, 0}, {}}, random);
    CoordinateRule limit;
    limit.coordinate = "angle";
    limit.lower = -10;
    hinge.rules.push_back(limit);
  }
  return figures.scene;
}

struct Standing {
  Mechanism m;
  Control control;
  State state;
  PoseScratch scratch;
  std::vector<Want> feet;

  explicit Standing(const Scene& scene) {
    auto made = compile(scene);
    EXPECT_TRUE(made.ok());
    m = std::move(*made);
    control = initialControl(m);
    state = initialState(m);
    for (const Part foot : {FootL, FootR}) {
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
      EXPECT_EQ(report.status, PoseStatus::Converged);
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
      fast.pull(want);
      general.pull(want);
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
    ASSERT_EQ(stateHash(kept.state), stateHash(fresh.state)) << i;
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
    shake(p.m, seed, 2e-4, 2e-4, p.state);
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

}  // namespace
}  // namespace tenon::test
