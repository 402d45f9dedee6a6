// The equations of motion against kinetic energy, finite differences, closed forms and what the methods do.
#include <gtest/gtest.h>
#include <tenon/dynamics.h>

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "math/random.h"
#include "methods/dense.h"
#include "methods/moving.h"
#include "support/random_crowd.h"

namespace tenon::test {
namespace {

std::string sceneText(const std::string& name) {
  std::ifstream file(std::string(TENON_SOURCE_DIR) + "/scenes/" + name + ".tenon");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  // The drives of the platform take energy, so that no step could be taken back.
  std::string out = text.str();
  if (const std::size_t hold = out.find("param hold 1"); hold != std::string::npos)
    out.replace(hold, 12, "param hold 0");
  return out;
}

// The state with the velocities that the tree's speeds mean; of mechanisms without animated solids.
State withSpeeds(const Mechanism& m, const Dynamics& dynamics, State state,
                 const std::vector<double>& u) {
  for (Index s = 0; s < m.solids.size(); ++s) {
    if (m.solids[s].kind != SolidKind::Dynamic) continue;
    const std::vector<double> v = times(dynamics.pointJacobian(SolidId{s}, m.solids[s].com), u);
    state.velocity[s] = {v[0], v[1], v[2]};
    state.spin[s] = {v[3], v[4], v[5]};
  }
  return state;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}
void expectNear(const std::vector<double>& a, const std::vector<double>& b, double relative,
                const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  const double within = relative * std::max(1.0, largest(b));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], within) << what << " " << i;
}
std::vector<double> randomNumbers(Random& random, std::size_t n, double size = 1) {
  std::vector<double> x(n);
  for (double& v : x) v = random.uniform(-size, size);
  return x;
}

Result<Dynamics> at(const Moving& p) { return Dynamics::at(p.m, p.control, p.state); }

// A short step by rows, forwards, or backwards by turning velocities round: time is reversible without friction and damping.
State afterwards(const Mechanism& m, const Control& control, State state, double h) {
  StepSettings settings;
  settings.method = Method::Poststabilized;
  settings.tolerance = 1e-13;
  StepScratch scratch;
  const auto turn = [&] {
    for (Vec3& v : state.velocity) v = -v;
    for (Vec3& w : state.spin) w = -w;
  };
  if (h < 0) turn();
  const double time = state.time;
  if (h != 0) {
    EXPECT_TRUE(step(m, control, settings, std::abs(h), state, scratch).finite);
  }
  if (h < 0) turn();
  state.time = time;
  return state;
}

// ½ uᵀ M u and the speeds themselves, of velocities that were made by the Jacobians.
void checkEnergy(const Mechanism& m, const Control& control, const State& state, Random& random,
                 const std::string& what) {
  const Result<Dynamics> dynamics = Dynamics::at(m, control, state);
  ASSERT_TRUE(dynamics.ok()) << what << describe(dynamics.problems().front());
  const std::size_t n = dynamics->speeds().size();
  std::vector<double> u = randomNumbers(random, n);
  // … that the loops allow
  const State first = withSpeeds(m, *dynamics, state, u);
  const Result<Dynamics> allowed = Dynamics::at(m, control, first);
  ASSERT_TRUE(allowed.ok()) << what;
  u = allowed->speedValues();
  const State moving = withSpeeds(m, *allowed, state, u);
  const Result<Dynamics> again = Dynamics::at(m, control, moving);
  ASSERT_TRUE(again.ok()) << what;
  expectNear(again->speedValues(), u, 1e-8, what + " speeds");
  const double energy = kineticEnergy(m, moving);  // with that of rotors
  const std::vector<double> Mu = times(again->massMatrix(), u);
  double half = 0;
  for (std::size_t i = 0; i < n; ++i) half += 0.5 * Mu[i] * u[i];
  EXPECT_NEAR(half, energy, 1e-9 * std::max(1.0, energy)) << what;
}

TEST(Dynamics, MassesMakeTheKineticEnergyOfRandomMechanisms) {
  int looked = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(trialsOf(40)); ++seed) {
    const RandomCrowd crowd = CrowdMaker(seed).make();
    const Scene scene = sceneOf(crowd, 0);
    const Result<Mechanism> m = compile(scene);
    if (!m.ok()) continue;
    bool driven = false;
    for (const MechanismSolid& solid : m->solids)
      driven = driven || solid.kind == SolidKind::Animated;
    for (const MechanismRule& rule : m->rules)
      driven = driven || rule.kind == CoordinateRule::Kind::Prescribe;
    const Control control = initialControl(*m);
    const State state = initialState(*m);
    if (driven || !Dynamics::at(*m, control, state).ok()) continue;  // … open at the start
    Random random(seed);
    checkEnergy(*m, control, state, random, "seed " + std::to_string(seed));
    ++looked;
  }
  EXPECT_GE(looked, trialsOf(15));
}

// Two solids and the joint between them, the first hung up by another one of its kind.
std::string pairText(const std::string& kind) {
  return kGravity + R"(
solid a box 0.4 0.2 0.3; mass 2; at 0.2 0 0; end
solid b box 0.3 0.5 0.2; mass 1; at 0.7 0.1 0.2; end
joint )" +
         kind + R"( one object2 a; at 0 0 0; axis 0 1 0.2; end
joint )" +
         kind +
         R"( two object1 a; object2 b; at 0.5 0 0; axis 1 0.2 0; end
)";
}
const std::vector<std::string> kLowerPairs = {"ball",      "pin",           "cylindrical",
                                              "prismatic", "point-on-line", "point-on-plane",
                                              "planar",    "hooke",         "parallel"};

TEST(Dynamics, EveryLowerPairHasItsKineticEnergyAndItsAccelerations) {
  Random random(7);
  for (const std::string& kind : kLowerPairs) {
    Moving p(pairText(kind));
    checkEnergy(p.m, p.control, p.state, random, kind);
    const auto still = at(p);
    ASSERT_TRUE(still.ok()) << kind;
    for (const TreeSpeed& speed : still->speeds()) EXPECT_NE(speed.kind, TreeSpeed::Kind::Free);
    const std::vector<double> u = randomNumbers(random, still->speeds().size());
    p.state = withSpeeds(p.m, *still, p.state, u);
    // u̇ by differences of what a method by rows does
    const auto here = at(p);
    ASSERT_TRUE(here.ok()) << kind;
    const auto found = here->forwardDynamics(std::vector<double>(u.size()));
    const double h = 1e-3;
    const auto speedsAt = [&](double t) {
      return Dynamics::at(p.m, p.control, afterwards(p.m, p.control, p.state, t))->speedValues();
    };
    const auto a = speedsAt(h), b = speedsAt(-h), c = speedsAt(2 * h), d = speedsAt(-2 * h);
    std::vector<double> differences(u.size());
    for (std::size_t i = 0; i < u.size(); ++i)
      differences[i] = (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * h);
    expectNear(found.accelerations, differences, 1e-7, kind);
    EXPECT_TRUE(found.multipliers.empty());
    // M u̇ + h = τ
    const std::vector<double> forces = randomNumbers(random, u.size(), 5);
    expectNear(here->inverseDynamics(here->forwardDynamics(forces).accelerations), forces, 1e-10,
               kind + " inverse");
  }
}

TEST(Dynamics, JacobiansAreTheDerivativesOfPoints) {
  Random random(3);
  for (const std::string name :
       {"linkages/four-bar", "linkages/stewart-platform", "linkages/bricard"}) {
    Moving p(sceneText(name));
    PoseScratch scratch;
    PoseSettings settings;
    settings.tolerance = 1e-13;
    (void)assemble(p.m, p.control, {}, settings, p.state, scratch);
    const auto still = at(p);
    ASSERT_TRUE(still.ok()) << name << describe(still.problems().front());
    p.state = withSpeeds(p.m, *still, p.state, randomNumbers(random, still->speeds().size(), 0.5));
    const auto moving = at(p);
    ASSERT_TRUE(moving.ok()) << name;
    p.state = withSpeeds(p.m, *moving, p.state, moving->speedValues());
    const double h = 1e-4;
    const State a = afterwards(p.m, p.control, p.state, h),
                b = afterwards(p.m, p.control, p.state, -h);
    for (Index s = 0; s < p.m.solids.size(); ++s) {
      if (p.m.solids[s].kind != SolidKind::Dynamic) continue;
      const Vec3 point{0.1, -0.2, 0.3};
      const Vec3 moved = (1 / (2 * h)) * (transform(frameOf(p.m, a, SolidId{s}), point) -
                                          transform(frameOf(p.m, b, SolidId{s}), point));
      const Vec3 turned = (1 / (2 * h)) * logarithm(a.orientation[s] * conjugate(b.orientation[s]));
      const std::vector<double> v =
          times(moving->pointJacobian(SolidId{s}, point), moving->speedValues());
      expectNear(v, {moved.x, moved.y, moved.z, turned.x, turned.y, turned.z}, 2e-5,
                 name + " " + p.m.solidNames[s]);
    }
  }
}

TEST(Dynamics, APendulumHasItsClosedForm) {
  // θ from hanging: I θ̈ = -m g l sin θ, with a rotor on the pin.
  const double m = 2, l = 0.5, g = 9.81, theta = 0.7, rate = 1.3, rotor = 0.25;
  Moving p(kGravity + R"(
solid rod box 0.1 1 0.1; mass 2; at 0 -0.5 0; end
joint pin hinge object2 rod; at 0 0 0; axis 0 0 1; armature angle 0.25; end)");
  SetReport set = setCoordinate(p.m, p.control, p.settings, 0, 0, theta, p.state, p.scratch);
  ASSERT_TRUE(set.reached);
  auto d = at(p);
  ASSERT_TRUE(d.ok());
  ASSERT_EQ(d->speeds().size(), 1u);
  EXPECT_EQ(d->speeds()[0].kind, TreeSpeed::Kind::Coordinate);
  EXPECT_EQ(d->speeds()[0].joint, findJoint(p.m, "hinge"));
  p.state = withSpeeds(p.m, *d, p.state, {rate});
  d = at(p);
  const double inertia = m * (0.1 * 0.1 + 1) / 12 + m * l * l + rotor;
  EXPECT_NEAR(d->massMatrix()(0, 0), inertia, 1e-12);
  EXPECT_NEAR(d->biasForces(BiasParts::SpeedsAndLoads)[0], m * g * l * std::sin(theta), 1e-11);
  EXPECT_NEAR(d->biasForces(BiasParts::Speeds)[0], 0, 1e-11);
  const auto A = d->linearise(std::vector<double>{0.0});
  ASSERT_TRUE(A.ok());
  EXPECT_NEAR(A->A(1, 0), -m * g * l * std::cos(theta) / inertia, 1e-9);
  EXPECT_NEAR(A->A(0, 1), 1, 0);
  EXPECT_NEAR(A->A(1, 1), 0, 1e-9);
  EXPECT_NEAR(A->B(1, 0), 1 / inertia, 1e-12);
}

TEST(Dynamics, ATurningBallTurnsItsDeviations) {
  // A free sphere: deviations of its orientation stand still in the world, so turn against it in its own axes.
  Moving p("gravity 0 0 0; solid s sphere 0.1; mass 1; spin 1 2 3; end");
  const auto d = at(p);
  ASSERT_TRUE(d.ok());
  ASSERT_EQ(d->speeds().size(), 6u);
  const auto A = d->linearise(std::vector<double>(6));
  ASSERT_TRUE(A.ok());
  const Vec3 u{1, 2, 3};
  const Mat3 expected = skew(-u);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(A->A(static_cast<std::size_t>(3 + r), static_cast<std::size_t>(3 + c)),
                  expected(r, c), 1e-12);
      EXPECT_NEAR(A->A(static_cast<std::size_t>(9 + r), static_cast<std::size_t>(9 + c)), 0, 1e-9);
    }
}

// A linearisation against differences along poses that a method by rows goes to by itself.
void checkLoops(const std::string& name, double speed) {
  Moving p(sceneText(name));
  PoseScratch poseScratch;
  PoseSettings pose;
  pose.tolerance = 1e-13;
  (void)assemble(p.m, p.control, {}, pose, p.state, poseScratch);
  Random random(11);
  {  // away from the pose as written, which may be special
    const auto d = at(p);
    ASSERT_TRUE(d.ok()) << name << describe(d.problems().front());
    State off = withSpeeds(p.m, *d, p.state, randomNumbers(random, d->speeds().size(), speed));
    off = withSpeeds(p.m, *d, off, Dynamics::at(p.m, p.control, off)->speedValues());
    for (int k = 0; k < 20; ++k) off = afterwards(p.m, p.control, off, 2e-3);
    p.state = off;
  }
  const auto d = at(p);
  ASSERT_TRUE(d.ok()) << name;
  p.state = withSpeeds(p.m, *d, p.state, d->speedValues());
  const auto reduced = d->reduce();
  ASSERT_TRUE(reduced.ok()) << name;
  const std::size_t n = d->speeds().size(), f = reduced->independent.size();
  ASSERT_GT(f, 0u) << name;
  EXPECT_EQ(f, count(p.m, p.control, p.state).dof) << name;
  std::vector<double> z;
  for (const std::size_t i : reduced->independent) z.push_back(d->speedValues()[i]);
  expectNear(times(reduced->T, z), d->speedValues(), 1e-8, name + " T");

  // Both ways give the same accelerations, and the loops do not open.
  const std::vector<double> forces = randomNumbers(random, n, 2);
  const auto whole = d->forwardDynamics(forces);
  const std::vector<double> change = forwardDynamics(*reduced, forces);
  std::vector<double> all = times(reduced->T, change);
  for (std::size_t i = 0; i < n; ++i) all[i] += reduced->drift[i];
  expectNear(whole.accelerations, all, 1e-8, name + " both ways");
  std::vector<double> closed = times(d->loopJacobian(), whole.accelerations);
  for (std::size_t i = 0; i < closed.size(); ++i) closed[i] += d->loopDrift()[i];
  EXPECT_LT(largest(closed), 1e-8 * std::max(1.0, largest(whole.accelerations))) << name;
  // M u̇ + h = τ + Jᵀ λ
  std::vector<double> needed = d->inverseDynamics(whole.accelerations);
  const std::vector<double> held = transposedTimes(d->loopJacobian(), whole.multipliers);
  for (std::size_t i = 0; i < n; ++i) needed[i] -= held[i];
  expectNear(needed, forces, 1e-8, name + " multipliers");
  // Forces that bring the same about: the shortest, and those of the independent speeds alone.
  const auto shortest = inverseDynamics(*reduced, change);
  const auto chosen = inverseDynamics(*reduced, change, reduced->independent);
  ASSERT_TRUE(shortest.ok() && chosen.ok()) << name;
  expectNear(forwardDynamics(*reduced, *shortest), change, 1e-8, name + " shortest");
  expectNear(forwardDynamics(*reduced, *chosen), change, 1e-8, name + " chosen");
  double a = 0, b = 0, c = 0;
  for (std::size_t i = 0; i < n; ++i) {
    a += (*shortest)[i] * (*shortest)[i];
    b += (*chosen)[i] * (*chosen)[i];
    c += forces[i] * forces[i];
  }
  EXPECT_LE(a, b * (1 + 1e-9)) << name;
  EXPECT_LE(a, c * (1 + 1e-9)) << name;

  const auto linear = d->lineariseReduced(forces);
  ASSERT_TRUE(linear.ok()) << name;
  double size = 1;
  for (const double v : linear->A.values) size = std::max(size, std::abs(v));
  Control weightless = p.control;
  weightless.gravity = {};
  const auto changeAt = [&](const State& state, const std::vector<double>& speeds) {
    const auto still = Dynamics::at(p.m, p.control, state);
    EXPECT_TRUE(still.ok());
    const auto own = still->reduce();
    EXPECT_EQ(own->independent, reduced->independent) << name;
    const State moving = withSpeeds(p.m, *still, state, times(own->T, speeds));
    return forwardDynamics(*Dynamics::at(p.m, p.control, moving)->reduce(), forces);
  };
  const auto slope = [&](double h, const auto& of) {
    const auto one = of(h), back = of(-h), two = of(2 * h), backTwo = of(-2 * h);
    std::vector<double> out(one.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = (8 * (one[i] - back[i]) - (two[i] - backTwo[i])) / (12 * h);
    return out;
  };
  for (std::size_t k = 0; k < f; ++k) {
    std::vector<double> unit(f);
    unit[k] = 1;
    const State along = withSpeeds(p.m, *d, p.state, times(reduced->T, unit));
    const auto place =
        slope(2e-3, [&](double h) { return changeAt(afterwards(p.m, weightless, along, h), z); });
    const auto sped = slope(0.01, [&](double h) {
      std::vector<double> other = z;
      other[k] += h;
      return changeAt(p.state, other);
    });
    const auto pushed = slope(1, [&](double h) {
      std::vector<double> other = forces;
      for (std::size_t i = 0; i < n; ++i) other[i] += h * reduced->T(i, k);
      return forwardDynamics(*reduced, other);
    });
    for (std::size_t r = 0; r < f; ++r) {
      EXPECT_NEAR(linear->A(f + r, k), place[r], 1e-6 * size) << name << " by place " << r << k;
      EXPECT_NEAR(linear->A(f + r, f + k), sped[r], 1e-6 * size) << name << " by speed " << r << k;
      double B = 0;
      for (std::size_t i = 0; i < n; ++i) B += linear->B(f + r, i) * reduced->T(i, k);
      EXPECT_NEAR(B, pushed[r], 1e-6 * std::max(1.0, std::abs(B))) << name << " by force";
    }
  }
  // With multipliers it is the same along the loops.
  const auto full = d->linearise(forces);
  ASSERT_TRUE(full.ok()) << name;
  for (std::size_t k = 0; k < f; ++k)
    for (std::size_t r = 0; r < f; ++r) {
      double bySpeed = 0;
      for (std::size_t i = 0; i < n; ++i)
        bySpeed += full->A(n + reduced->independent[r], n + i) * reduced->T(i, k);
      EXPECT_NEAR(bySpeed, linear->A(f + r, f + k), 1e-6 * size) << name;
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(full->B(n + reduced->independent[r], i), linear->B(f + r, i),
                    1e-8 * std::max(1.0, largest(linear->B.values)))
            << name;
    }
}

TEST(Dynamics, FourBarIsLinearisedWithItsLoop) { checkLoops("linkages/four-bar", 0.5); }
TEST(Dynamics, SliderCrankIsLinearisedWithItsLoop) { checkLoops("linkages/slider-crank", 0.5); }
TEST(Dynamics, StewartPlatformIsLinearisedWithItsLoops) {
  checkLoops("linkages/stewart-platform", 0.2);
}
TEST(Dynamics, BricardIsLinearisedWithItsLoop) { checkLoops("linkages/bricard", 0.3); }

// In all of a tree's speeds, springs and dampers in force, against differences of states that setCoordinates makes.
TEST(Dynamics, ATreeIsLinearisedWithItsSpringsAndDampers) {
  Moving p(kGravity + R"(
solid a box 1 0.1 0.2; mass 2; at 0.5 0 0; end
solid b box 0.1 1 0.2; mass 1; at 1 -0.5 0; end
solid c box 0.3 0.2 0.2; mass 1.5; at 1 -1.2 0; end
joint pin one object2 a; at 0 0 0; axis 0 0 1; spring angle target 0.2 stiffness 30 damping 2; end
joint hooke two object1 a; object2 b; at 1 0 0; axis 1 0 0; damper angle1 0.5; armature angle2 0.3; end
joint cylindrical three object1 b; object2 c; at 1 -1 0; axis 0 1 0; spring slide stiffness 200; end)");
  Random random(5);
  const std::array<CoordinateGoal, 5> which{
      {{0, 0, 0.3}, {1, 0, 0.4}, {1, 1, -0.5}, {2, 0, 0.05}, {2, 1, 0.6}}};
  ASSERT_TRUE(setCoordinates(p.m, p.control, p.settings, which, p.state, p.scratch).reached);
  auto d = at(p);
  ASSERT_TRUE(d.ok());
  ASSERT_EQ(d->speeds().size(), 5u);
  const std::vector<double> u = randomNumbers(random, 5), forces = randomNumbers(random, 5, 3);
  p.state = withSpeeds(p.m, *d, p.state, u);
  d = at(p);
  const auto linear = d->linearise(forces);
  ASSERT_TRUE(linear.ok());
  double size = 0;
  for (const double v : linear->A.values) size = std::max(size, std::abs(v));
  const auto changeAt = [&](std::size_t k, double shift, const std::vector<double>& speeds) {
    State state = p.state;
    StepSettings exact = p.settings;
    exact.tolerance = 1e-14;
    if (shift != 0) {
      CoordinateGoal goal = which[k];
      goal.value += shift;
      (void)setCoordinates(p.m, p.control, exact, {&goal, 1}, state, p.scratch);
    }
    const auto there = Dynamics::at(p.m, p.control, state);
    return Dynamics::at(p.m, p.control, withSpeeds(p.m, *there, state, speeds))
        ->forwardDynamics(forces)
        .accelerations;
  };
  for (std::size_t k = 0; k < 5; ++k) {
    ASSERT_EQ(index(*d->speeds()[k].joint), which[k].joint);
    ASSERT_EQ(index(*d->speeds()[k].coordinate), which[k].coordinate);
    const double h = 1e-3;
    const auto a = changeAt(k, h, u), b = changeAt(k, -h, u), a2 = changeAt(k, 2 * h, u),
               b2 = changeAt(k, -2 * h, u);
    std::vector<double> more = u, less = u;
    more[k] += 0.1;
    less[k] -= 0.1;
    const auto c = changeAt(k, 0, more), e = changeAt(k, 0, less);
    for (std::size_t r = 0; r < 5; ++r) {
      EXPECT_NEAR(linear->A(5 + r, k), (8 * (a[r] - b[r]) - (a2[r] - b2[r])) / (12 * h),
                  1e-6 * size);
      EXPECT_NEAR(linear->A(5 + r, 5 + k), (c[r] - e[r]) / 0.2, 1e-6 * size);
    }
  }
}

TEST(Dynamics, SaysWhatIsWrongWithAState) {
  Moving p(pairText("ball"));
  State state = p.state;
  state.position[0].x = std::nan("");
  auto bad = Dynamics::at(p.m, p.control, state);
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.problems()[0].what.find("'a' is not finite"), std::string::npos);
  state = p.state;
  state.position[1].x += 0.1;
  bad = Dynamics::at(p.m, p.control, state);
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.problems()[0].what.find("joint 'two' is open by 0.098 m"), std::string::npos);
  state.position.pop_back();
  EXPECT_FALSE(Dynamics::at(p.m, p.control, state).ok());
}

TEST(Dynamics, AnimatedSolidsDriveAndHaveNoSpeeds) {
  // A cart that is moved with an acceleration: the pendulum on it feels m a l.
  Moving p(
      "gravity 0 0 0;\n"
      R"(
solid cart box 0.1 0.1 0.1; animated; spin 0 2 0; end
solid rod box 0.1 1 0.1; mass 2; at 0.3 -0.5 0; end
joint pin hinge object1 cart; object2 rod; at 0.3 0 0; axis 0 0 1; end)");
  const auto d = at(p);
  ASSERT_TRUE(d.ok());
  ASSERT_EQ(d->speeds().size(), 1u);
  // Centrifugal force m ω² r outwards at the centre of mass, 0.5 m below the pin: it lifts about z.
  EXPECT_NEAR(d->biasForces(BiasParts::Speeds)[0], -2.0 * 4 * 0.3 * 0.5, 1e-10);
  const Matrix J = d->pointJacobian(*findSolid(p.m, "cart"), {1, 2, 3});
  EXPECT_EQ(largest(J.values), 0);
}

TEST(JointForce, HangsAsHeavyAsItIs) {
  Moving p(kGravity + R"(
solid a box 0.1 0.4 0.1; mass 2; at 0 -0.2 0; end
solid b box 0.1 0.4 0.1; mass 3; at 0.5 -0.4 0; end
joint weld top object1 a; object2 world; at 0 0 0; end
joint weld side object1 a; object2 b; at 0 -0.4 0; end)");
  for (int k = 0; k < 30; ++k) ASSERT_TRUE(p.step(1.0 / 60));
  const JointForce top = jointForce(p.m, p.control, p.state, *findJoint(p.m, "top"));
  EXPECT_NEAR(top.force.y, -5 * 9.81, 1e-6);  // on the world
  EXPECT_NEAR(top.torque.z, -3 * 9.81 * 0.5, 1e-6);
  const JointForce side = jointForce(p.m, p.control, p.state, *findJoint(p.m, "side"));
  EXPECT_NEAR(side.force.y, 3 * 9.81, 1e-6);
  EXPECT_NEAR(side.torque.z, 3 * 9.81 * 0.5, 1e-6);
}

TEST(Ids, AreFoundByName) {
  Moving p(pairText("pin"));
  EXPECT_EQ(findSolid(p.m, "b"), SolidId{1});
  EXPECT_EQ(findSolid(p.m, "world"), kGround);
  EXPECT_EQ(findSolid(p.m, "c"), std::nullopt);
  const std::optional<JointId> two = findJoint(p.m, "two");
  ASSERT_EQ(two, JointId{1});
  EXPECT_EQ(findCoordinate(p.m, *two, "angle"), CoordinateId{0});
  EXPECT_EQ(findCoordinate(p.m, *two, "slide"), std::nullopt);
  EXPECT_EQ(frameOf(p.m, p.state, *two, 1).p, frameOf(p.m, p.state, *two, 1).p);
  EXPECT_LT(norm(frameOf(p.m, p.state, *two, 1).p - frameOf(p.m, p.state, *two, 2).p), 1e-12);
  EXPECT_EQ(frameOf(p.m, p.state, kGround), Pose{});
}

}  // namespace
}  // namespace tenon::test
