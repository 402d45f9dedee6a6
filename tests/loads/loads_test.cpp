// Loads against their formulas, their potentials, and the laws that they must not break.
#include <gtest/gtest.h>

#include "loads/mechanisms.h"
#include "math/rotation.h"

namespace tenon::test {
namespace {

void expectNear(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

const Vec3 kZero{};
const Vec3 kDown{0, -9.81, 0};

// A body, a point mass, an immobile and an animated solid: indices 0 … 3.
Mechanism zoo() {
  Mechanism m;
  m.solids = {rigid(2), point(3), fixed(SolidKind::Immobile), fixed(SolidKind::Animated)};
  return m;
}

Mechanism twoBodies() {
  Mechanism m;
  m.solids = {rigid(2), rigid(5)};
  return m;
}

Mechanism jointed(Index solid1, Index solid2) {
  Mechanism m = twoBodies();
  MechanismJoint joint;
  joint.solid1 = solid1;
  joint.solid2 = solid2;
  joint.frame1.q = normalized(Quat{0.3, -0.2, 0.5, 0.7});
  joint.distalMass = 5;
  m.joints = {joint};
  return m;
}

// --------------------------------------------------------------------------------------- gravity

TEST(Gravity, PullsDynamicSolidsByTheirMass) {
  const Mechanism m = zoo();
  const State state = randomState(m, 1);
  const auto wrenches = loads(m, {.gravity = kDown, .jointOn = {}, .target = {}}, state);
  expectNear(wrenches[0].force, {0, -2 * 9.81, 0}, 1e-14);
  expectNear(wrenches[1].force, {0, -3 * 9.81, 0}, 1e-14);
  EXPECT_EQ(wrenches[2].force, kZero);
  EXPECT_EQ(wrenches[3].force, kZero);
  for (const Wrench& wrench : wrenches) EXPECT_EQ(wrench.torque, kZero);
}

TEST(Gravity, EnergyIsMassTimesHeight) {
  const Mechanism m = zoo();
  State state = randomState(m, 2);
  state.position[0] = {7, 1.5, -3};
  state.position[1] = {0, -2, 0};
  const Control control{.gravity = kDown, .jointOn = {}, .target = {}};
  EXPECT_NEAR(potentialEnergy(m, control, state), 9.81 * (2 * 1.5 - 3 * 2), 1e-13);
}

TEST(Gravity, IsTheOneOfTheControlNotTheOneAsWritten) {
  Mechanism m = zoo();
  m.gravity = {0, 0, -100};
  const auto wrenches =
      loads(m, {.gravity = {1, 0, 0}, .jointOn = {}, .target = {}}, randomState(m, 3));
  EXPECT_EQ(wrenches[0].force, (Vec3{2, 0, 0}));
}

TEST(Gravity, HasAFactorForEachSolid) {
  Mechanism m = zoo();
  m.solids[0].gravity = -0.5;
  m.solids[1].gravity = 0;
  State state = randomState(m, 4);
  state.position[0] = {7, 1.5, -3};
  const Control control{.gravity = kDown, .jointOn = {}, .target = {}};
  const auto wrenches = loads(m, control, state);
  expectNear(wrenches[0].force, {0, 9.81, 0}, 1e-14);
  EXPECT_EQ(wrenches[1].force, kZero);
  EXPECT_NEAR(potentialEnergy(m, control, state), -0.5 * 9.81 * 2 * 1.5, 1e-13);
}

// Of parts with different factors that are one solid.
TEST(Gravity, MomentIsTheGradientOfItsEnergy) {
  Mechanism m = zoo();
  m.solids[0].gravityMoment = {0.4, -0.3, 0.9};
  const State state = randomState(m, 5);
  const Control control{.gravity = {1, -9.81, 2}, .jointOn = {}, .target = {}};
  const auto wrenches = loads(m, control, state);
  expectNear(wrenches[0].force, 2 * control.gravity, 1e-14);
  const double h = 1e-6;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 turn;
    turn[axis] = h / 2;
    const auto energy = [&](double sign) {
      State turned = state;
      turned.orientation[0] =
          normalized(Quat{sign * turn.x, sign * turn.y, sign * turn.z, 1}) * state.orientation[0];
      return potentialEnergy(m, control, turned);
    };
    EXPECT_NEAR(wrenches[0].torque[axis], -(energy(1) - energy(-1)) / (2 * h), 1e-7);
  }
  // Over a step its work is what the energy loses, whatever the turn.
  State end = state;
  const Vec3 theta{0.3, -0.5, 0.2};  // 2 tan(φ/2) n
  end.orientation[0] =
      normalized(Quat{theta.x / 2, theta.y / 2, theta.z / 2, 1}) * state.orientation[0];
  std::vector<Wrench> mean;
  std::vector<LoadSlope> slopes;
  gatherStepLoads(m, control, state, state, end, 0.01, 0.5, mean, slopes);
  EXPECT_NEAR(dot(mean[0].torque, theta),
              potentialEnergy(m, control, state) - potentialEnergy(m, control, end), 1e-13);
  ASSERT_EQ(slopes.size(), 1u);
  for (int axis = 0; axis < 3; ++axis) {
    const auto torque = [&](double sign) {
      Vec3 turn;
      turn[axis] = 0.5 * sign * h;
      State turned = end;
      turned.orientation[0] = normalized(Quat{turn.x, turn.y, turn.z, 1}) * end.orientation[0];
      std::vector<LoadSlope> unused;
      gatherStepLoads(m, control, state, state, turned, 0.01, 0.5, mean, unused);
      return mean[0].torque;
    };
    const Vec3 slope = (1 / (2 * h)) * (torque(1) - torque(-1));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(slopes[0].slope[3 + i][3 + axis], slope[i], 1e-7);
  }
}

// --------------------------------------------------------------------------------- forces, torques

TEST(Force, AtAPointTurnsTheBody) {
  Mechanism m = zoo();
  m.forces = {{.solid = 0, .point = {1, 0, 0}, .force = {0, 3, 0}, .torque = {}, .active = {}}};
  State state = randomState(m, 4);
  state.orientation[0] = {0, 0, std::sqrt(0.5), std::sqrt(0.5)};  // x of the body is y of the world
  const auto world = loads(m, {}, state);
  expectNear(world[0].force, {0, 3, 0}, 1e-14);
  expectNear(world[0].torque, {0, 0, 0}, 1e-14);  // along its own lever

  m.forces[0].axes = Axes::Body;
  const auto body = loads(m, {}, state);
  expectNear(body[0].force, {-3, 0, 0}, 1e-14);
  expectNear(body[0].torque, {0, 0, 3}, 1e-14);
}

TEST(Force, TorqueIsTheGradientOfItsWork) {  // U = -F · p_WP for a force fixed in the world
  Mechanism m = zoo();
  const Vec3 p_CP{0.3, -0.7, 0.2}, f{1.5, 2.5, -4};
  m.forces = {{.solid = 0, .point = p_CP, .force = f, .torque = {}, .active = {}}};
  const State state = randomState(m, 5);
  const auto wrenches = loads(m, {}, state);
  const double h = 1e-6;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 turn;
    turn[axis] = h / 2;
    const auto work = [&](double sign) {
      const Quat step = normalized(Quat{sign * turn.x, sign * turn.y, sign * turn.z, 1});
      return dot(f, rotate(step * state.orientation[0], p_CP));
    };
    EXPECT_NEAR(wrenches[0].torque[axis], (work(1) - work(-1)) / (2 * h), 1e-8);
  }
}

TEST(Torque, InWorldAndBodyAxes) {
  Mechanism m = zoo();
  m.forces = {{.solid = 0, .point = {}, .force = {}, .torque = {1, 2, 3}, .active = {}},
              {.solid = 0,
               .point = {},
               .force = {},
               .torque = {0, 0, 1},
               .axes = Axes::Body,
               .active = {}}};
  State state = randomState(m, 6);
  state.orientation[0] = {std::sqrt(0.5), 0, 0,
                          std::sqrt(0.5)};  // z of the body is -y of the world
  const auto wrenches = loads(m, {}, state);
  expectNear(wrenches[0].torque, {1, 1, 3}, 1e-14);
  EXPECT_EQ(wrenches[0].force, kZero);
}

TEST(Force, OnAPointMassDoesNotTurnIt) {
  Mechanism m = zoo();
  m.forces = {
      {.solid = 1, .point = {1, 1, 1}, .force = {0, 3, 0}, .torque = {1, 2, 3}, .active = {}}};
  const auto wrenches = loads(m, {}, randomState(m, 7));
  EXPECT_EQ(wrenches[1].force, (Vec3{0, 3, 0}));
  EXPECT_EQ(wrenches[1].torque, kZero);
}

TEST(Force, LeavesImmobileAndAnimatedSolidsAlone) {
  Mechanism m = zoo();
  for (Index i : {Index{2}, Index{3}})
    m.forces.push_back(
        {.solid = i, .point = {1, 0, 0}, .force = {0, 3, 0}, .torque = {1, 2, 3}, .active = {}});
  for (const Wrench& wrench : loads(m, {}, randomState(m, 8))) {
    EXPECT_EQ(wrench.force, kZero);
    EXPECT_EQ(wrench.torque, kZero);
  }
}

TEST(Force, ActsDuringItsIntervalsOnly) {
  Mechanism m = zoo();
  m.intervals = {{1, 2}, {3, 4}};
  m.forces = {{.solid = 0, .point = {}, .force = {1, 0, 0}, .torque = {}, .active = {0, 2}}};
  State state = randomState(m, 9);
  const auto pull = [&](double time) {
    state.time = time;
    return loads(m, {}, state)[0].force.x;
  };
  EXPECT_EQ(pull(0.5), 0);
  EXPECT_EQ(pull(1.5), 1);
  EXPECT_EQ(pull(2.5), 0);
  EXPECT_EQ(pull(3.5), 1);
  EXPECT_EQ(pull(4.5), 0);
}

// --------------------------------------------------------------------------------------- muscles

TEST(Muscle, IsEqualAndOppositeInAxesOfTheFirstFrame) {
  Mechanism m = jointed(0, 1);
  m.muscles = {{.joint = 0, .torque = {1, 2, 3}, .active = {}}};
  const State state = randomState(m, 10);
  const auto wrenches = loads(m, {}, state);
  const Vec3 expected = rotate(state.orientation[0] * m.joints[0].frame1.q, {1, 2, 3});
  expectNear(wrenches[1].torque, expected, 1e-14);
  EXPECT_EQ(wrenches[0].torque, -wrenches[1].torque);
  const Wrench sum = total(state, wrenches);
  EXPECT_EQ(sum.force, kZero);
  EXPECT_EQ(sum.torque, kZero);
}

TEST(Muscle, AgainstTheWorldTurnsOneSolid) {
  Mechanism m = jointed(kWorld, 1);
  m.muscles = {{.joint = 0, .torque = {0, 0, 2}, .active = {}}};
  const auto wrenches = loads(m, {}, randomState(m, 11));
  expectNear(wrenches[1].torque, rotate(m.joints[0].frame1.q, {0, 0, 2}), 1e-14);
  EXPECT_EQ(wrenches[0].torque, kZero);
}

TEST(Muscle, RestsWhileItsJointIsOff) {
  Mechanism m = jointed(0, 1);
  m.muscles = {{.joint = 0, .torque = {1, 2, 3}, .active = {}}};
  const State state = randomState(m, 12);
  EXPECT_EQ(loads(m, {.gravity = {}, .jointOn = {0}, .target = {}}, state)[1].torque, kZero);
  EXPECT_NE(loads(m, {.gravity = {}, .jointOn = {1}, .target = {}}, state)[1].torque, kZero);
}

TEST(Muscle, DoesNothingWhereItCouldTurnOneSolidOnly) {
  Mechanism m = jointed(0, 1);
  m.solids[1] = point(5);
  m.muscles = {{.joint = 0, .torque = {1, 2, 3}, .active = {}}};
  m.joints[0].damp = 1;
  const State state = randomState(m, 13);
  for (const Wrench& wrench : loads(m, {}, state)) EXPECT_EQ(wrench.torque, kZero);
}

// --------------------------------------------------------------------------------------- springs

Mechanism sprung(Index solid1, Index solid2, double damping) {
  Mechanism m = twoBodies();
  m.springs = {{.solid1 = solid1,
                .solid2 = solid2,
                .point1 = {0.5, 0.2, -0.1},
                .point2 = {-0.3, 0.4, 0.6},
                .rest = 0.8,
                .stiffness = 30,
                .damping = damping,
                .active = {}}};
  return m;
}

// The wrenches are minus the gradient of the potential, in translation and rotation.
void expectGradient(const Mechanism& m, const Control& control, const State& state) {
  const auto wrenches = loads(m, control, state);
  const double h = 1e-6;
  for (std::size_t i = 0; i < m.solids.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      State plus = state, minus = state;
      plus.position[i][axis] += h;
      minus.position[i][axis] -= h;
      EXPECT_NEAR(
          wrenches[i].force[axis],
          (potentialEnergy(m, control, minus) - potentialEnergy(m, control, plus)) / (2 * h), 1e-6);
      if (m.solids[i].pointMass) continue;
      plus = minus = state;
      Vec3 turn;
      turn[axis] = h / 2;
      plus.orientation[i] = normalized(Quat{turn.x, turn.y, turn.z, 1}) * state.orientation[i];
      minus.orientation[i] = normalized(Quat{-turn.x, -turn.y, -turn.z, 1}) * state.orientation[i];
      EXPECT_NEAR(
          wrenches[i].torque[axis],
          (potentialEnergy(m, control, minus) - potentialEnergy(m, control, plus)) / (2 * h), 1e-6);
    }
  }
}

TEST(Spring, IsMinusTheGradientOfItsEnergy) {
  const Control control{.gravity = kDown, .jointOn = {}, .target = {}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mechanism between = sprung(0, 1, 0);
    expectGradient(between, control, randomState(between, seed));
    const Mechanism toWorld = sprung(kWorld, 1, 0), fromWorld = sprung(0, kWorld, 0);
    expectGradient(toWorld, control, randomState(toWorld, seed));
    expectGradient(fromWorld, control, randomState(fromWorld, seed));
    Mechanism points = sprung(0, 1, 0);
    points.solids[1] = point(1);
    points.springs[0].point2 = {};
    expectGradient(points, control, randomState(points, seed));
  }
}

TEST(Spring, PushesWithNoNetWrench) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mechanism m = sprung(0, 1, 7);
    const State state = randomState(m, seed);
    const Wrench sum = total(state, loads(m, {}, state));
    expectNear(sum.force, kZero, 1e-12);
    expectNear(sum.torque, kZero, 1e-12);
  }
}

TEST(Spring, DampingOnlyTakesEnergy) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Mechanism m = sprung(0, 1, 7);
    m.springs[0].stiffness = 0;
    const State state = randomState(m, seed);
    EXPECT_LE(power(state, loads(m, {}, state)), 0);
  }
}

TEST(Spring, DampingActsAlongTheLineOnly) {
  Mechanism m = twoBodies();
  m.springs = {{.solid1 = 0,
                .solid2 = 1,
                .point1 = {},
                .point2 = {},
                .rest = 2,
                .damping = 3,
                .active = {}}};
  State state = randomState(m, 14);
  state.position = {{0, 0, 0}, {2, 0, 0}};
  state.velocity = {{0, 0, 0}, {0, 5, -5}};  // across
  state.spin = {kZero, kZero};
  EXPECT_EQ(loads(m, {}, state)[1].force, kZero);
  state.velocity[1] = {4, 0, 0};  // along
  expectNear(loads(m, {}, state)[1].force, {-12, 0, 0}, 1e-14);
  expectNear(loads(m, {}, state)[0].force, {12, 0, 0}, 1e-14);
}

TEST(Spring, BetweenCoincidentPointsIsFinite) {
  for (const double gap : {0.0, 1e-300, 1e-160, 1e-100, 1e-12}) {
    Mechanism m = twoBodies();
    m.springs = {{.solid1 = 0,
                  .solid2 = 1,
                  .point1 = {},
                  .point2 = {},
                  .rest = 1,
                  .stiffness = 10,
                  .damping = 3,
                  .active = {}}};
    State state = randomState(m, 15);
    state.position = {{0, 0, 0}, {gap, 0, 0}};
    state.velocity = {kZero, kZero};
    const auto wrenches = loads(m, {}, state);
    EXPECT_TRUE(isFinite(wrenches[0].force) && isFinite(wrenches[0].torque));
    EXPECT_LE(norm(wrenches[0].force), 10 * (1 + 1e-12));
    if (gap == 0) {
      EXPECT_EQ(wrenches[0].force, kZero);
    }
    EXPECT_NEAR(potentialEnergy(m, {}, state), 5, 1e-10);
  }
}

TEST(Spring, ToAnAnimatedSolidFeelsItsMotion) {
  Mechanism m = zoo();
  m.springs = {{.solid1 = 3,
                .solid2 = 0,
                .point1 = {},
                .point2 = {},
                .rest = 1,
                .damping = 2,
                .active = {}}};
  State state = randomState(m, 16);
  state.position[3] = {};
  state.position[0] = {1, 0, 0};
  state.velocity[3] = {-5, 0, 0};
  state.velocity[0] = {};
  const auto wrenches = loads(m, {}, state);
  expectNear(wrenches[0].force, {-10, 0, 0}, 1e-14);
  EXPECT_EQ(wrenches[3].force, kZero);
}

TEST(Spring, StoresNothingOutsideItsIntervals) {
  Mechanism m = sprung(0, 1, 0);
  m.intervals = {{1, 2}};
  m.springs[0].active = {0, 1};
  State state = randomState(m, 17);
  EXPECT_EQ(potentialEnergy(m, {}, state), 0);
  EXPECT_EQ(loads(m, {}, state)[0].force, kZero);
  state.time = 1.5;
  EXPECT_GT(potentialEnergy(m, {}, state), 0);
}

// ------------------------------------------------------------------------------------------ drag

TEST(Drag, FollowsItsFormula) {
  Mechanism m = zoo();
  m.drags = {{.solid = 0, .linear = 2, .quadratic = 3, .angular = 4, .active = {}}};
  State state = randomState(m, 18);
  state.velocity[0] = {3, 0, 4};
  state.spin[0] = {1, -2, 0};
  const auto wrenches = loads(m, {}, state);
  expectNear(wrenches[0].force, {-51, 0, -68}, 1e-13);  // (2 + 3·5) v
  expectNear(wrenches[0].torque, {-4, 8, 0}, 1e-14);
  EXPECT_EQ(wrenches[1].force, kZero);
}

TEST(Drag, WithoutASolidActsOnEveryDynamicOne) {
  Mechanism all = zoo(), each = zoo();
  all.drags = {{.linear = 2, .quadratic = 3, .angular = 4, .active = {}}};
  for (Index i = 0; i < each.solids.size(); ++i)
    each.drags.push_back({.solid = i, .linear = 2, .quadratic = 3, .angular = 4, .active = {}});
  const State state = randomState(all, 19);
  const auto a = loads(all, {}, state), b = loads(each, {}, state);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].force, b[i].force);
    EXPECT_EQ(a[i].torque, b[i].torque);
  }
}

TEST(Drag, OnlyTakesEnergy) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Mechanism m = zoo();
    for (Index i = 0; i < 4; ++i)
      m.drags.push_back(
          {.solid = i, .linear = 0.1, .quadratic = 0.2, .angular = 0.3, .active = {}});
    const State state = randomState(m, seed);
    const auto wrenches = loads(m, {}, state);
    EXPECT_LT(power(state, wrenches), 0);
    EXPECT_EQ(wrenches[1].torque, kZero);  // a point mass
    EXPECT_EQ(wrenches[2].force, kZero);   // immobile
    EXPECT_EQ(wrenches[3].force, kZero);   // animated
  }
}

// --------------------------------------------------------------------------------------- damping

TEST(Damping, IsFactorTimesRelativeSpinTimesDistalMass) {
  const Mechanism m = jointed(0, 1);
  const State state = randomState(m, 19);
  const auto wrenches = loads(m, {.gravity = {}, .damp = 0.4, .jointOn = {1}, .target = {}}, state);
  expectNear(wrenches[1].torque, -(0.4 * 5) * (state.spin[1] - state.spin[0]), 1e-14);
  EXPECT_EQ(wrenches[0].torque, -wrenches[1].torque);
}

TEST(Damping, OfAJointWinsOverTheGlobalOne) {
  Mechanism m = jointed(0, 1);
  const State state = randomState(m, 20);
  const Control control{.gravity = {}, .damp = 0.4, .jointOn = {}, .target = {}};
  m.joints[0].damp = 0;  // zero is a value, too
  EXPECT_EQ(loads(m, control, state)[1].torque, kZero);
  m.joints[0].damp = 0.8;
  const auto own = loads(m, control, state);
  m.joints[0].damp = -1;
  const auto global = loads(m, control, state);
  expectNear(own[1].torque, 2.0 * global[1].torque, 1e-13);
}

TEST(Damping, TakesEnergyAndNoMomentum) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Mechanism m = jointed(0, 1);
    const State state = randomState(m, seed);
    const auto wrenches =
        loads(m, {.gravity = {}, .damp = 0.4, .jointOn = {}, .target = {}}, state);
    EXPECT_LT(power(state, wrenches), 0);
    EXPECT_EQ(total(state, wrenches).force, kZero);
    EXPECT_EQ(total(state, wrenches).torque, kZero);
  }
}

TEST(Damping, AgainstTheWorldAndWhileOff) {
  const Mechanism m = jointed(kWorld, 1);
  const State state = randomState(m, 21);
  Control control{.gravity = {}, .damp = 2, .jointOn = {1}, .target = {}};
  expectNear(loads(m, control, state)[1].torque, -10.0 * state.spin[1], 1e-13);
  EXPECT_EQ(loads(m, control, state)[0].torque, kZero);
  control.jointOn = {0};
  EXPECT_EQ(loads(m, control, state)[1].torque, kZero);
}

// ---------------------------------------------------------------------------------------- gather

TEST(GatherLoads, AddsUpEveryFamily) {
  Mechanism m = jointed(0, 1);
  const State state = randomState(m, 22);
  const Control control{.gravity = kDown, .damp = 0.4, .jointOn = {}, .target = {}};
  m.forces = {
      {.solid = 0, .point = {1, 0, 0}, .force = {0, 3, 0}, .torque = {1, 0, 0}, .active = {}}};
  m.muscles = {{.joint = 0, .torque = {1, 2, 3}, .active = {}}};
  m.springs = sprung(0, 1, 2).springs;
  m.drags = {{.solid = 1, .linear = 1, .quadratic = 1, .angular = 1, .active = {}}};

  std::vector<Wrench> sum(2);
  const auto addAlone = [&](auto keep) {
    Mechanism alone = m;
    alone.forces.clear();
    alone.muscles.clear();
    alone.springs.clear();
    alone.drags.clear();
    alone.joints[0].damp = 0;
    Control quiet = control;
    quiet.gravity = {};
    keep(alone, quiet);
    const auto part = loads(alone, quiet, state);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i].force += part[i].force;
      sum[i].torque += part[i].torque;
    }
  };
  addAlone([&](Mechanism&, Control& c) { c.gravity = kDown; });
  addAlone([&](Mechanism& a, Control&) { a.forces = m.forces; });
  addAlone([&](Mechanism& a, Control&) { a.muscles = m.muscles; });
  addAlone([&](Mechanism& a, Control&) { a.springs = m.springs; });
  addAlone([&](Mechanism& a, Control&) { a.drags = m.drags; });
  addAlone([&](Mechanism& a, Control&) { a.joints[0].damp = -1; });

  const auto together = loads(m, control, state);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    expectNear(together[i].force, sum[i].force, 1e-12);
    expectNear(together[i].torque, sum[i].torque, 1e-12);
  }
}

TEST(GatherLoads, KeepsABufferThatFitsAndForgetsWhatWasInIt) {
  const Mechanism m = zoo();
  const State state = randomState(m, 23);
  std::vector<Wrench> wrenches(4, Wrench{{9, 9, 9}, {9, 9, 9}});
  const Wrench* buffer = wrenches.data();
  gatherLoads(m, {}, state, wrenches);
  EXPECT_EQ(wrenches.data(), buffer);
  EXPECT_EQ(wrenches.size(), 4u);
  for (const Wrench& wrench : wrenches) EXPECT_EQ(wrench.force, kZero);
}

TEST(GatherLoads, OfNothingIsNothing) {
  std::vector<Wrench> wrenches(3);
  gatherLoads({}, {}, {}, wrenches);
  EXPECT_TRUE(wrenches.empty());
  EXPECT_EQ(potentialEnergy({}, {}, {}), 0);
}

// ------------------------------------------------------------------------------------ over a step

// A force at a point, a force and a torque that turn with their solid, drag, damping in a joint and a spring: central
// differences by the pose at the end, of what EndSolve asks for. Halfway, slopes leave out the square of the turn.
TEST(GatherStepLoads, SlopesAreTheDerivativesByTheEnd) {
  Mechanism m = jointed(0, 1);
  m.joints[0].damp = 0.3;
  m.forces = {
      {.solid = 0, .point = {0.2, 0.1, -0.3}, .force = {3, -5, 2}, .torque = {}, .active = {}},
      {.solid = 1,
       .point = {-0.1, 0.4, 0.2},
       .force = {2, 1, -4},
       .torque = {0.5, -1, 0.7},
       .axes = Axes::Body,
       .active = {}}};
  MechanismDrag drag;
  drag.solid = kWorld;
  drag.linear = 0.4;
  drag.quadratic = 0.7;
  drag.angular = 0.2;
  m.drags = {drag};
  MechanismSpring spring;
  spring.solid1 = 0;
  spring.solid2 = 1;
  spring.point1 = {0.3, 0, 0.1};
  spring.point2 = {0, -0.2, 0.2};
  spring.stiffness = 40;
  spring.rest = 0.5;
  m.springs = {spring};
  const Control control{.gravity = kDown, .damp = 0, .jointOn = {1}, .target = {}};
  const double dt = 0.01;
  const State start = randomState(m, 31);
  State last = start;
  for (Index s = 0; s < 2; ++s) {
    last.position[s] += Vec3{0.004, -0.006, 0.003 + 0.002 * s};
    last.orientation[s] = exponential({0.02, -0.01 * (1 + s), 0.015}) * last.orientation[s];
  }
  for (const double weight : {0.5, 1.0}) {
    const auto at = [&](const State& poses, std::vector<LoadSlope>& slopes) {
      State end = poses, middle = poses;
      for (Index s = 0; s < 2; ++s) {
        const Quat turn = end.orientation[s] * conjugate(start.orientation[s]);
        const Vec3 theta =
            weight < 1 ? (2 / turn.w) * Vec3{turn.x, turn.y, turn.z} : logarithm(turn);
        end.velocity[s] = middle.velocity[s] = (1 / dt) * (end.position[s] - start.position[s]);
        end.spin[s] = middle.spin[s] = (1 / dt) * theta;
        middle.position[s] = 0.5 * (start.position[s] + end.position[s]);
        middle.orientation[s] = exponential(0.5 * logarithm(turn)) * start.orientation[s];
      }
      std::vector<Wrench> wrenches;
      gatherStepLoads(m, control, start, weight < 1 ? middle : end, end, dt, weight, wrenches,
                      slopes);
      return wrenches;
    };
    std::vector<LoadSlope> slopes, unused;
    at(last, slopes);
    for (Index by = 0; by < 2; ++by)
      for (int c = 0; c < 6; ++c) {
        const double h = 1e-6;
        const auto moved = [&](double by_h) {
          State state = last;
          Vec3 d{};
          d[c % 3] = by_h;
          if (c < 3)
            state.position[by] += d;
          else
            state.orientation[by] = exponential(d) * state.orientation[by];
          return at(state, unused);
        };
        const auto plus = moved(h), minus = moved(-h);
        for (Index s = 0; s < 2; ++s) {
          double sum[6] = {};
          for (const LoadSlope& slope : slopes)
            if (slope.solid == s && slope.by == by)
              for (int r = 0; r < 6; ++r)
                sum[r] += slope.slope[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
          const Vec3 force = (0.5 / h) * (plus[s].force - minus[s].force);
          const Vec3 torque = (0.5 / h) * (plus[s].torque - minus[s].torque);
          for (int r = 0; r < 3; ++r) {
            EXPECT_NEAR(sum[r], force[r], 1e-3) << weight << " force " << s << by << r << c;
            EXPECT_NEAR(sum[3 + r], torque[r], 1e-3) << weight << " torque " << s << by << r << c;
          }
        }
      }
  }
}

}  // namespace
}  // namespace tenon::test
