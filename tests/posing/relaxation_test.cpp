// Gascuel & Gascuel's relaxation: what the paper says of it, and what it does not say.
#include <gtest/gtest.h>
#include <tenon/posing.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../compile/scenes.h"
#include "../joints/two_solids.h"
#include "posing/buffers.h"

namespace tenon::test {
namespace {

struct Relaxed {
  Mechanism m;
  Control control;
  State start, state;
  PoseSettings settings;
  std::vector<Want> wants;

  explicit Relaxed(Mechanism made)
      : m(std::move(made)), control(initialControl(m)), start(initialState(m)) {
    settings.method = AssemblyMethod::Relaxation;
    settings.trace = true;
  }
  explicit Relaxed(const Scene& scene) : Relaxed(compiled(scene)) {}

  static Mechanism compiled(const Scene& scene) {
    const auto m = compile(scene);
    EXPECT_TRUE(m.ok()) << (m.problems().empty() ? "" : describe(m.problems().front()));
    return *m;
  }

  // From `start`, that many iterations.
  PoseReport run(int iterations) {
    settings.iterations = iterations;
    state = start;
    PoseScratch scratch;
    return assemble(m, control, wants, settings, state, scratch);
  }

  [[nodiscard]] Vec3 centre(const State& at) const {
    Vec3 sum;
    double mass = 0;
    for (std::size_t s = 0; s < m.solids.size(); ++s) {
      sum += m.solids[s].mass * at.position[s];
      mass += m.solids[s].mass;
    }
    return sum / mass;
  }
  [[nodiscard]] Vec3 shift(std::size_t s) const { return state.position[s] - start.position[s]; }
  [[nodiscard]] Vec3 turn(std::size_t s) const {
    return logarithm(state.orientation[s] * conjugate(start.orientation[s]));
  }
  // Σ m x × Δx + J Δθ: the angular momentum of the correction.
  [[nodiscard]] Vec3 angularMomentum() const {
    Vec3 sum;
    for (std::size_t s = 0; s < m.solids.size(); ++s) {
      const Mat3 R = rotationMatrix(start.orientation[s]);
      sum += m.solids[s].mass * cross(start.position[s], shift(s)) +
             R * (m.solids[s].inertia * (transpose(R) * turn(s)));
    }
    return sum;
  }
  // Moves and turns every solid a little.
  void disturb(std::uint64_t seed, double metres, double radians) {
    Random random(seed);
    for (std::size_t s = 0; s < m.solids.size(); ++s) {
      if (m.solids[s].kind != SolidKind::Dynamic) continue;
      start.position[s] += randomVector(random, metres);
      start.orientation[s] =
          normalized(exponential(randomVector(random, radians)) * start.orientation[s]);
    }
  }
};

// Two boxes, 2 kg and 5 kg, with a joint between them near x = 1.
Scene pair(const std::string& kind) {
  Scene scene;
  scene.solids = {box("a", {0.5, 0, 0}, {1, 0.4, 0.3}), box("b", {1.5, 0.1, 0}, {0.9, 0.5, 0.6})};
  scene.solids[0].mass = 2;
  scene.solids[1].mass = 5;
  scene.joints = {jointAt(scene, kind, "joint", "a", "b", {1, 0.1, 0.05}, {1, 0, 0})};
  return scene;
}

// Figure 2 of the paper: three solids at one place, tied by their centres to one of half their mass.
Scene star() {
  Scene scene;
  scene.solids = {box("S0", {0, 0, 0}), box("S1", {1, 0, 0}), box("S2", {1, 0, 0}),
                  box("S3", {1, 0, 0})};
  for (Solid& solid : scene.solids) solid.mass = solid.name == "S0" ? 1 : 2;
  for (const char* other : {"S1", "S2", "S3"}) {
    Joint joint;
    joint.kind = "ball";
    joint.name = std::string("to-") + other;
    joint.solid1 = "S0";
    joint.solid2 = other;
    scene.joints.push_back(joint);
  }
  return scene;
}

CoordinateRule limit(const std::string& coordinate, double lower, double upper) {
  CoordinateRule rule;
  rule.coordinate = coordinate;
  rule.lower = lower;
  rule.upper = upper;
  return rule;
}

// ------------------------------------------------------------------------------------ one constraint

TEST(Relaxation, ClosesOnePointToPointConstraintInOneIteration) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Relaxed r(pair("ball"));
    r.disturb(seed, 0.5, 3);
    const PoseReport report = r.run(1);
    EXPECT_GT(report.startError, 0.01);
    EXPECT_LE(report.maxError, 1e-15);
    EXPECT_EQ(report.iterations, 1);
    EXPECT_GT(norm(r.turn(0)), 1e-3);  // not by translations alone
    EXPECT_GT(norm(r.turn(1)), 1e-3);
  }
}

// By hand: eq. 18 for solid 1, the truncation out of the way.
TEST(Relaxation, RotatesByEquation18) {
  Relaxed r(pair("ball"));
  r.disturb(7, 0.05, 1);
  r.settings.truncation = 100;
  r.run(1);
  const MechanismJoint& joint = r.m.joints[0];
  const double alpha = 2.0 * 5.0 / 7.0;
  const Vec3 P[2] = {transform({r.start.position[0], r.start.orientation[0]}, joint.frame1.p),
                     transform({r.start.position[1], r.start.orientation[1]}, joint.frame2.p)};
  for (std::size_t s = 0; s < 2; ++s) {
    const Mat3 R = rotationMatrix(r.start.orientation[s]);
    const Vec3 expected =
        alpha * (R * (r.m.solids[s].inverseInertia *
                      (transpose(R) * cross(P[s] - r.start.position[s], P[1 - s] - P[s]))));
    EXPECT_GT(norm(expected), 1e-2);
    EXPECT_NEAR(norm(r.turn(s) - expected), 0, 1e-14);
  }
}

TEST(Relaxation, HeavyMovesLess) {
  for (const bool exact : {true, false}) {
    Relaxed r(pair("ball"));
    r.disturb(3, 0.1, 0.2);
    r.settings.relaxation.exactTranslation = exact;
    r.settings.relaxation.alphaScale = 0.3;
    r.run(1);
    EXPECT_GT(norm(r.shift(0)), 1e-3);
    EXPECT_NEAR(norm(r.shift(0)) / norm(r.shift(1)), 5.0 / 2.0, 1e-12);
  }
}

TEST(Relaxation, LeavesTheImmobileAndClosesAgainstIt) {
  for (const SolidKind kind : {SolidKind::Immobile, SolidKind::Animated}) {
    Scene scene = pair("ball");
    scene.solids[1].kind = kind;
    Relaxed r(scene);
    r.disturb(3, 0.3, 1);
    EXPECT_LE(r.run(1).maxError, 1e-15);
    EXPECT_EQ(r.state.position[1], r.start.position[1]);
    EXPECT_EQ(r.state.orientation[1], r.start.orientation[1]);
    EXPECT_GT(norm(r.turn(0)), 1e-3);
  }
}

TEST(Relaxation, LeavesAClosedStateToTheBit) {
  Relaxed r(pair("pin"));
  const PoseReport report = r.run(10);
  EXPECT_EQ(report.status, PoseStatus::Converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(r.state.position, r.start.position);
  EXPECT_EQ(r.state.orientation, r.start.orientation);
}

// ----------------------------------------------------------------------------------------- parameters

TEST(Relaxation, AbilityToMoveSaysWhoMoves) {
  for (const double mobility : {0.0, 0.25, 1.0}) {
    Scene scene = pair("ball");
    scene.joints[0].mobility = mobility;
    Relaxed r(scene);
    r.disturb(5, 0.1, 0.2);
    EXPECT_LE(r.run(1).maxError, 1e-15);
    if (mobility == 0) {
      EXPECT_EQ(r.shift(0), Vec3{});
      EXPECT_EQ(r.state.orientation[0], r.start.orientation[0]);
      EXPECT_GT(norm(r.turn(1)), 1e-3);
    } else if (mobility == 1) {
      EXPECT_EQ(r.shift(1), Vec3{});
      EXPECT_EQ(r.state.orientation[1], r.start.orientation[1]);
      EXPECT_GT(norm(r.turn(0)), 1e-3);
    } else {
      EXPECT_NEAR(norm(r.shift(1)) / norm(r.shift(0)), 3, 1e-12);
    }
  }
}

// μ of the masses and ρ of a ball change nothing.
TEST(Relaxation, AbilitiesOfTheMassesAreTheMasses) {
  Scene scene = pair("pin");
  for (Solid& solid : scene.solids) solid.inertia = *solid.mass * 0.08 * identity3();
  Relaxed plain(scene);
  scene.joints[0].mobility = 5.0 / 7.0;
  for (Solid& solid : scene.solids) solid.rotatability = 1 / 0.08;
  Relaxed given(scene);
  for (Relaxed* r : {&plain, &given}) {
    r->disturb(2, 0.1, 0.4);
    r->run(3);
  }
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_GT(norm(plain.turn(s)), 1e-3);
    EXPECT_NEAR(norm(plain.shift(s) - given.shift(s)), 0, 1e-14);
    EXPECT_NEAR(norm(plain.turn(s) - given.turn(s)), 0, 1e-14);
  }
}

// Δθ = μ ρ (r × d), whatever the inertia.                                       [Gascuel1994 §3.1.4]
TEST(Relaxation, AbilityToRotateTakesThePlaceOfInertia) {
  Scene scene = pair("ball");
  scene.solids[0].rotatability = 0.7;
  scene.joints[0].mobility = 0.4;
  Relaxed r(scene);
  r.disturb(9, 0.2, 0.5);
  r.run(1);
  const MechanismJoint& joint = r.m.joints[0];
  const Vec3 lever = rotate(r.start.orientation[0], joint.frame1.p);
  const Vec3 d = transform({r.start.position[1], r.start.orientation[1]}, joint.frame2.p) -
                 (r.start.position[0] + lever);
  const Vec3 expected = 0.4 * 0.7 * cross(lever, d);
  EXPECT_GT(norm(expected), 1e-3);
  EXPECT_NEAR(norm(r.turn(0) - expected), 0, 1e-15);
}

TEST(Relaxation, AlphaOfTheJointIsThatOfTheEquation) {
  Scene scene = pair("ball");
  Relaxed nominal(scene);
  scene.joints[0].alpha = 0.3 * 10.0 / 7.0;
  Relaxed given(scene);
  given.settings.relaxation.alphaScale = 17;  // has no say where a joint gives its own
  nominal.settings.relaxation.alphaScale = 0.3;
  for (Relaxed* r : {&nominal, &given}) {
    r->settings.relaxation.exactTranslation = false;
    r->disturb(4, 0.05, 0.1);
    r->run(1);
  }
  EXPECT_GT(norm(given.shift(0)), 1e-3);
  EXPECT_NEAR(norm(nominal.shift(0) - given.shift(0)), 0, 1e-15);
  EXPECT_NEAR(norm(nominal.turn(1) - given.turn(1)), 0, 1e-15);
}

// ------------------------------------------------------------------------------------------- momenta

TEST(Relaxation, KeepsTheCentreOfMass) {
  for (const bool weighted : {true, false})
    for (const bool exact : {true, false}) {
      Scene scene = chain(5, "pin");
      scene.joints.erase(scene.joints.begin());  // free of the world
      for (std::size_t s = 0; s < 5; ++s) scene.solids[s].mass = 1.0 + 0.7 * double(s);
      Relaxed r(scene);
      r.disturb(11, 0.1, 0.1);
      r.settings.relaxation.weighted = weighted;
      r.settings.relaxation.exactTranslation = exact;
      r.settings.relaxation.alphaScale = 0.2;
      const Vec3 before = r.centre(r.start);
      for (int n = 1; n <= 8; ++n) {
        r.run(n);
        EXPECT_TRUE(n < 8 || norm(r.shift(0)) > 1e-3);
        EXPECT_LE(norm(r.centre(r.state) - before), 1e-15 * norm(before) * n);
      }
    }
}

// Forces on one line: eqs 14, 15 keep the angular momentum, not only to first order. Eqs 18, 19 lose it
// by the first order of the error.
TEST(Relaxation, KeepsTheAngularMomentumByEquations14And15Only) {
  const auto lost = [](bool exact, double error) {
    Relaxed r(pair("ball"));
    r.start.position[1] += error * Vec3{0.5, 0.7, -0.5};
    r.settings.relaxation.exactTranslation = exact;
    r.settings.relaxation.alphaScale = 0.2;
    r.settings.tolerance = 0;
    r.run(1);
    EXPECT_GT(norm(r.turn(0)), 0.01 * error);
    return norm(r.angularMomentum());
  };
  for (const double error : {0.1, 0.01, 0.001}) EXPECT_LE(lost(false, error), 2e-15);
  const double wide = lost(true, 0.02), half = lost(true, 0.01), quarter = lost(true, 0.005);
  EXPECT_GT(half, 0.01 * 0.01);
  EXPECT_NEAR(wide / half, 2, 0.05);
  EXPECT_NEAR(half / quarter, 2, 0.05);
}

// The same with several joints at once, and with weights.
TEST(Relaxation, KeepsTheAngularMomentumOfAFigure) {
  Scene scene = chain(5, "ball");
  scene.joints.erase(scene.joints.begin());
  for (const bool weighted : {true, false}) {
    Relaxed r(scene);
    r.disturb(2, 0.02, 0.02);
    r.settings.relaxation.exactTranslation = false;
    r.settings.relaxation.weighted = weighted;
    r.settings.relaxation.alphaScale = 0.1;
    r.run(1);
    double sum = 0;  // what the solids' parts are, that cancel
    for (std::size_t s = 0; s < 5; ++s)
      sum += r.m.solids[s].mass * norm(cross(r.start.position[s], r.shift(s)));
    EXPECT_GT(sum, 1e-3);
    EXPECT_LE(norm(r.angularMomentum()), 1e-14 * sum);
  }
}

// ---------------------------------------------------------------------------------- many constraints

// S0 is told thrice to go two thirds of the way.
TEST(Relaxation, StarDivergesWithPlainSums) {
  Relaxed r(star());
  r.settings.relaxation.weighted = false;
  const PoseReport report = r.run(300);
  EXPECT_EQ(report.status, PoseStatus::Stalled);
  EXPECT_EQ(report.reason, "diverges");
  EXPECT_EQ(report.maxError, 1);  // the start was best
  EXPECT_EQ(r.state.position, r.start.position);
  for (std::size_t n = 1; n < report.trace.size(); ++n)
    EXPECT_NEAR(report.trace[n].error / report.trace[n - 1].error, 4.0 / 3.0, 1e-12);
}

TEST(Relaxation, StarConvergesWithWeights) {
  for (const bool exact : {true, false}) {
    Relaxed r(star());
    r.settings.relaxation.exactTranslation = exact;
    const PoseReport report = r.run(300);
    EXPECT_EQ(report.status, PoseStatus::Converged);
    EXPECT_EQ(report.iterations, 16);  // (2/9)^16 < 1e-10 < (2/9)^15
    for (std::size_t n = 1; n < 10; ++n)
      EXPECT_NEAR(report.trace[n].error / report.trace[n - 1].error, 2.0 / 9.0, 1e-6);
    for (std::size_t s = 1; s < 4; ++s)
      EXPECT_NEAR(norm(r.state.position[s] - r.state.position[0]), 0, 1e-10);
  }
}

// With all of α a chain of rods swings to and fro for ever: each end is turned too far. With half of it,
// it converges, and the longer the chain, the slower.
TEST(Relaxation, ChainConvergesWithHalfOfAlpha) {
  for (const char* kind : {"ball", "hooke"}) {
    Relaxed r(chain(5, kind));
    r.disturb(1, 0.2, 0.3);
    r.settings.tolerance = 1e-9;
    EXPECT_NE(r.run(1000).status, PoseStatus::Converged) << kind;
    r.settings.relaxation.alphaScale = 0.5;
    const PoseReport report = r.run(2000);
    EXPECT_EQ(report.status, PoseStatus::Converged) << kind;
    EXPECT_LE(report.maxError, 1e-9) << kind;
  }
  int last = 0;
  for (const int links : {2, 4, 8}) {
    Relaxed r(chain(links, "ball"));
    r.disturb(1, 0.1, 0.1);
    r.settings.tolerance = 1e-9;
    r.settings.relaxation.alphaScale = 0.5;
    const PoseReport report = r.run(5000);
    EXPECT_EQ(report.status, PoseStatus::Converged);
    EXPECT_GT(report.iterations, 2 * last);
    last = report.iterations;
  }
}

TEST(Relaxation, ClosesALoop) {
  for (const char* kind : {"pin", "ball"}) {
    Relaxed r(fourBar({kind, kind, kind, kind}));
    r.disturb(1, 0.1, 0.1);
    r.settings.relaxation.alphaScale = 0.1;
    const PoseReport report = r.run(1000);
    EXPECT_EQ(report.status, PoseStatus::Converged);
    EXPECT_LE(report.maxError, 1e-10);
  }
}

// A pass that goes wrong in the end gives back the best state it saw.
TEST(Relaxation, GivesBackTheBestState) {
  Relaxed r(chain(5, "ball"));
  r.disturb(1, 0.2, 0.3);
  const PoseReport report = r.run(50);
  EXPECT_EQ(report.status, PoseStatus::Budget);
  double least = report.startError;
  for (const TracePoint& point : report.trace) least = std::min(least, point.error);
  EXPECT_LT(least, report.trace.back().error);
  EXPECT_EQ(report.maxError, least);
}

TEST(Relaxation, SaysWhenCorrectionsCancel) {
  Scene scene;  // a solid tied to two places
  scene.solids = {box("a", {0, 0, 0})};
  for (const double x : {-1.0, 1.0}) {
    scene.joints.push_back(jointAt(scene, "ball", x < 0 ? "left" : "right", "", "a", {0, 0, 0}));
    scene.joints.back().frame1.p.x = x;
  }
  Relaxed r(scene);
  r.start.position[0] = {0.5, 0.2, 0};
  const PoseReport report = r.run(300);
  EXPECT_EQ(report.status, PoseStatus::Stalled);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_NEAR(report.maxError, 1, 1e-9);
  EXPECT_NEAR(norm(r.state.position[0]), 0, 1e-9);
}

// --------------------------------------------------------------------------------- other constraints

// A swing of 1.2 rad about z, 0.8 allowed: both solids turn about z, in inverse ratio of their moments.
TEST(Relaxation, SwingBeyondItsRangeStopsAtTheRange) {
  Scene scene = pair("ball");
  scene.joints[0].rules = {limit("swing", -kInfinity, 0.8)};
  Relaxed r(scene);
  const Vec3 at{1, 0.1, 0.05};
  const Quat bend = fromAxisAngle({0, 0, 1}, 1.2);
  r.start.position[1] = at + rotate(bend, r.start.position[1] - at);
  r.start.orientation[1] = bend;
  const PoseReport report = r.run(1);
  EXPECT_NEAR(report.startError, 0.4, 1e-12);
  EXPECT_LE(report.maxError, 1e-14);
  EXPECT_NEAR(jointValues(r.m, r.state, 0).coordinate[findCoordinate(*r.m.joints[0].kind, "swing")],
              0.8, 1e-14);
  const double J1 = r.m.solids[0].inertia(2, 2), J2 = r.m.solids[1].inertia(2, 2);
  EXPECT_NEAR(norm(r.turn(0) - Vec3{0, 0, 0.4 * J2 / (J1 + J2)}), 0, 1e-14);
  EXPECT_NEAR(norm(r.turn(1) + Vec3{0, 0, 0.4 * J1 / (J1 + J2)}), 0, 1e-14);
}

TEST(Relaxation, RangesThatHoldAskForNothing) {
  Scene scene = pair("ball");
  scene.joints[0].rules = {limit("swing", 0.1, 0.8), limit("twist", -1, 1)};
  Relaxed r(scene);
  const Vec3 at{1, 0.1, 0.05};
  const Quat bend = fromAxisAngle({0, 0, 1}, 0.5);
  r.start.position[1] = at + rotate(bend, r.start.position[1] - at) + Vec3{0.01, 0, 0};
  r.start.orientation[1] = bend;
  Relaxed without(pair("ball"));
  without.start = r.start;
  r.run(1);
  without.run(1);
  EXPECT_EQ(r.state.orientation, without.state.orientation);
  EXPECT_EQ(r.state.position, without.state.position);
}

TEST(Relaxation, TwistBeyondItsRangeStopsAtTheRange) {
  Scene scene = pair("ball");
  scene.joints[0].rules = {limit("twist", -0.3, 0.3)};
  Relaxed r(scene);
  const Vec3 at{1, 0.1, 0.05};
  const Quat bend = fromAxisAngle({0, 0, 1}, 0.6) * fromAxisAngle({1, 0, 0}, 0.9);
  r.start.position[1] = at + rotate(bend, r.start.position[1] - at);
  r.start.orientation[1] = bend;
  r.settings.tolerance = 1e-12;
  const PoseReport report = r.run(200);
  EXPECT_GT(report.startError, 0.5);
  EXPECT_EQ(report.status, PoseStatus::Converged);
  const auto end = jointValues(r.m, r.state, 0);
  const JointKind& kind = *r.m.joints[0].kind;
  EXPECT_NEAR(end.coordinate[findCoordinate(kind, "twist")], 0.3, 1e-11);
  EXPECT_NEAR(end.coordinate[findCoordinate(kind, "swing")], 0.6, 0.03);  // to first order
}

// The axis of a pin leans: closed by one iteration, and the hinge angle is left.
TEST(Relaxation, PinAndWeldAreClosedInOneIteration) {
  for (const char* kind : {"pin", "weld", "cylindrical", "prismatic"}) {
    Relaxed r(pair(kind));
    const Vec3 at{1, 0.1, 0.05};
    const Quat bend = exponential({0, 0.3, -0.5});
    r.start.position[1] = at + rotate(bend, r.start.position[1] - at);
    r.start.orientation[1] = bend;
    const PoseReport report = r.run(1);
    EXPECT_GT(report.startError, 0.4);
    EXPECT_LE(report.maxError, 1e-14) << kind;
    EXPECT_NEAR(norm(cross(r.turn(0), Vec3{0, 0.3, -0.5})), 0, 1e-14) << kind;
  }
}

// The point of solid 2 goes to the nearest end of the segment of solid 1.
TEST(Relaxation, SegmentEndsAreTheNearestPermissiblePoints) {
  Scene scene = pair("segment");
  scene.joints[0].options = {{"min", {-0.2}, {}}, {"max", {0.3}, {}}};
  scene.joints[0].mobility = 0;  // solid 1 stays: so does the segment
  Relaxed r(scene);
  r.start.position[1] += {0.7, 0.02, -0.03};
  const PoseReport report = r.run(1);
  EXPECT_LE(report.maxError, 1e-15);
  const Vec3 P = transform({r.state.position[1], r.state.orientation[1]}, r.m.joints[0].frame2.p);
  EXPECT_NEAR(norm(P - Vec3{1.3, 0.1, 0.05}), 0, 1e-15);
}

// No joint kind is known by name: all are closed, from anywhere.
TEST(Relaxation, ClosesEveryJointOfTheCatalogue) {
  Random random(5);
  for (const JointKind& kind : jointCatalogue())
    for (const JointExample& example : examplesOf(kind)) {
      for (int round = 0; round < 5; ++round) {
        Relaxed r(twoSolids(kind, example, random));
        r.settings.tolerance = 1e-9;
        r.settings.relaxation.alphaScale = 0.5;
        const PoseReport report = r.run(3000);
        EXPECT_EQ(report.status, PoseStatus::Converged)
            << kind.name << ' ' << example.name << ' ' << report.maxError << report.reason;
      }
    }
}

// -------------------------------------------------------------------------------------------- wants

// The end of the third link.
Want endAt(const Vec3& target) {
  Want want;
  want.solid = 2;
  want.point = {0.5, 0, 0};
  want.target = target;
  return want;
}

TEST(Relaxation, PinsAreNeeds) {
  Relaxed r(chain(3, "ball"));
  r.wants.push_back(endAt({1.5, 1.5, 0.3}));
  r.wants.back().need = true;
  r.settings.relaxation.alphaScale = 0.5;
  r.settings.tolerance = 1e-8;
  const PoseReport report = r.run(5000);
  EXPECT_EQ(report.status, PoseStatus::Converged);
  EXPECT_LE(report.wantError, 2e-8);
}

TEST(Relaxation, WantsGiveWayToNeeds) {
  Relaxed r(chain(3, "ball"));
  r.settings.relaxation.alphaScale = 0.5;
  r.settings.tolerance = 1e-7;
  r.wants.push_back(endAt({0, 5, 0}));  // 3 m is all there is
  const PoseReport report = r.run(20000);
  EXPECT_EQ(report.status, PoseStatus::Converged);
  EXPECT_LE(report.maxError, 1e-7);
  EXPECT_NEAR(report.wantError, 2, 1e-4);
}

}  // namespace
}  // namespace tenon::test
