// Armature: a rotor of inertia I turns with a coordinate, so that ½ I ċ² is part of the kinetic energy.
#include <tenon/posing.h>

#include "math/portable.h"
#include "moving.h"

namespace tenon::test {
namespace {

constexpr Method kAll[] = {Method::Energy,   Method::Interactive,    Method::Displacement,
                           Method::Shake,    Method::Relaxation,     Method::Baumgarte,
                           Method::Implicit, Method::Poststabilized, Method::Recursive};
constexpr double kRotor = 0.7;  // [kg m²]

// A pendulum about z, of mass 2 at 0.5 m; `more` to its moment about z.
std::string pendulum(double more, const std::string& rules) {
  const auto number = [](double x) { return std::to_string(x); };
  return kGravity + "\nsolid a mass 2; inertia 0.6 0.7 " + number(0.15 + more) +
         "; at 0.5 0 0; end\njoint pin p object2 a; at 0 0 0; axis 0 0 1; " + rules + " end\n";
}
std::string rotor(double inertia = kRotor, const std::string& coordinate = "angle") {
  return "armature " + coordinate + " " + std::to_string(inertia) + ";";
}

double angleOf(const Moving& p) { return jointValues(p.m, p.state, 0).coordinate[0]; }

// The angle of the pendulum with so much inertia about its pin, by steps of fourth order that are far shorter.
double exactAngle(double inertia, double time) {
  const int n = 20000;
  const double h = time / n, w2 = 2 * 9.81 * 0.5 / inertia;
  double c = 0, v = 0;
  const auto slope = [&](double angle) { return -w2 * cosine(angle); };
  for (int i = 0; i < n; ++i) {
    const double k1 = slope(c), k2 = slope(c + 0.5 * h * v),
                 k3 = slope(c + 0.5 * h * v + 0.25 * h * h * k1),
                 k4 = slope(c + h * v + 0.5 * h * h * k2);
    c += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return c;
}

// On a pin to the ground a rotor is what a larger moment about the pin is.
TEST(Armature, OfAPinIsALargerMomentAboutIt) {
  for (const Method method : kAll) {
    if (method == Method::Relaxation) continue;  // it has another pendulum, with a rotor or without
    Moving with = moving(pendulum(0, rotor()), method),
           larger = moving(pendulum(kRotor, ""), method);
    double most = 0;
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(with.step(0.005)) << nameOf(method);
      ASSERT_TRUE(larger.step(0.005)) << nameOf(method);
      most = std::max(most, std::abs(angleOf(with) - angleOf(larger)));
    }
    // Methods that know velocities do the same. Those that find the rotor's rate from how far the pin has turned differ by
    // the square of the step from what they make of the turn of a solid.
    const bool byPlaces = method == Method::Energy || method == Method::Interactive ||
                          method == Method::Displacement || method == Method::Shake;
    const double allowed = byPlaces ? 2e-4 : 1e-9;
    EXPECT_LT(most, allowed) << nameOf(method);
    EXPECT_LT(angleOf(larger), -0.5);
  }
}

// Every method at its order: at half the step a half, or a quarter, of the error.
TEST(Armature, ConvergesToThePendulumOfThatMoment) {
  const double inertia = 0.15 + 2 * 0.25 + kRotor, exact = exactAngle(inertia, 1);
  EXPECT_LT(exact, -1);
  for (const Method method : kAll) {
    if (method == Method::Relaxation)
      continue;  // it does not converge to it, with a rotor or without
    const auto errorAt = [&](double dt) {
      Moving p = moving(pendulum(0, rotor()), method);
      if (method == Method::Baumgarte || method == Method::Recursive)
        p.settings.integrator = Integrator::Rk4;
      EXPECT_TRUE(p.run(1, dt)) << nameOf(method);
      return std::abs(angleOf(p) - exact);
    };
    const double coarse = errorAt(0.01), fine = errorAt(0.005);
    EXPECT_LT(coarse, 0.05) << nameOf(method);
    const bool second = method == Method::Energy;  // shake begins half a step off
    if (coarse > 1e-8) {
      EXPECT_LT(fine, (second ? 0.3 : 0.62) * coarse) << nameOf(method);
    }
  }
}

TEST(Armature, PeriodOfSmallSwings) {
  const double inertia = 0.15 + 2 * 0.25 + kRotor,
               period = 2 * kPi * std::sqrt(inertia / (2 * 9.81 * 0.5));
  for (const Method method : {Method::Energy, Method::Recursive, Method::Poststabilized}) {
    Moving p = moving(pendulum(0, rotor()), method);
    ASSERT_TRUE(
        setCoordinate(p.m, p.control, p.settings, 0, 0, -0.5 * kPi + 0.01, p.state, p.scratch)
            .reached);
    ASSERT_TRUE(p.run(period, period / 800));
    EXPECT_NEAR(angleOf(p), -0.5 * kPi + 0.01, 1e-5) << nameOf(method);
  }
}

// On an incline: m g sin α / (m + I).
TEST(Armature, OfASlideIsAMassAlongIt) {
  const double sine = 0.6, mass = 2, I = 3;
  for (const Method method : kAll) {
    Moving p = moving(kGravity + R"(
solid a box 0.1 0.1 0.1; mass 2; end
joint prismatic rail object2 a; at 0 0 0; axis 0.8 -0.6 0; )" +
                          rotor(I, "slide") + " end\n",
                      method);
    ASSERT_TRUE(p.run(1, 0.001)) << nameOf(method);
    const double expected = 9.81 * sine * mass / (mass + I);
    EXPECT_NEAR(norm(p.state.velocity[0]), expected, 2e-3 * expected) << nameOf(method);
    EXPECT_NEAR(p.energy(), 0, method == Method::Energy ? 1e-9 : 0.02) << nameOf(method);
  }
}

// A tree of moving axes, a screw, a cylinder and a ball, with rotors on everything.
const std::string kTree = kGravity + R"(
solid a at 0.5 0 0; box 1 0.2 0.1; spin 0 0 1; velocity 0 0.5 0; end
solid b at 1.4 0.1 0.2; box 0.8 0.1 0.2; end
solid c at 1.8 -0.4 0.2; box 0.1 0.9 0.2; end
solid d at 0.5 0.4 0; box 0.2 0.6 0.2; end
joint pin root object2 a; at 0 0 0; axis 0 0 1; armature angle 0.4; end
joint pin ab object1 a; object2 b; at 1 0 0; axis 1 2 0.5; armature angle 0.6; end
joint ball bc object1 b; object2 c; at 1.8 0.1 0.2; end
joint cylindrical ad object1 a; object2 d; at 0.5 0.1 0; axis 0 1 0.2; armature angle 0.5; armature slide 3;
  spring slide stiffness 300; end
)";

// What a run of the default method is off by: energy that its work does not explain [J].
double energyOff(const std::string& text, double dt, int steps, double* scale) {
  Moving p = moving(text);
  p.settings.tolerance = 1e-11;
  const double first = p.energy();
  double work = 0, most = 0;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(p.step(dt));
    EXPECT_TRUE(p.report.converged && p.report.ledger) << i;
    work += p.report.work;
    most = std::max(most, std::abs(p.energy() - first - work));
    *scale = std::max(*scale, kineticEnergy(p.m, p.state));
  }
  EXPECT_LT(p.error(), 1e-9);
  return most;
}

// The default method keeps energy with rotors as it does without.
TEST(Armature, KeepsEnergy) {
  double scale = 0;
  const double off = energyOff(kTree, 1.0 / 60, stepsOf(600), &scale);
  EXPECT_GT(scale, 1);
  EXPECT_LT(off, 1e-8 * scale);
}

// A rotor pushes its two solids and nothing else: what floats in space keeps its momenta.
TEST(Armature, KeepsMomenta) {
  std::string text = kTree;
  text.replace(text.find(kGravity), kGravity.size(), "gravity 0 0 0;");
  const std::size_t root = text.find("joint pin root");
  text.erase(root, text.find('\n', root) - root);
  for (const Method method :
       {Method::Energy, Method::Shake, Method::Recursive, Method::Poststabilized}) {
    Moving p = moving(text, method);
    p.settings.tolerance = 1e-11;
    const Momentum first = momentum(p.m, p.state);
    ASSERT_TRUE(p.run(2, 1.0 / 200)) << nameOf(method);
    const Momentum last = momentum(p.m, p.state);
    const double allowed = method == Method::Energy ? 1e-7 : 4e-3;
    EXPECT_LT(norm(last.linear - first.linear), allowed) << nameOf(method);
    EXPECT_LT(norm(last.angular - first.angular), allowed) << nameOf(method);
    EXPECT_GT(norm(first.angular), 1);
  }
}

// Two ways to the same motion: rows of a step that keeps energy, and inertia in joint coordinates.
TEST(Armature, AllMethodsHaveTheSameLimit) {
  Moving exact = moving(kTree, Method::Recursive);
  exact.settings.integrator = Integrator::Rk4;
  ASSERT_TRUE(exact.run(0.5, 0.001));
  for (const Method method : kAll) {
    if (method == Method::Relaxation) continue;
    const auto off = [&](double dt) {
      Moving p = moving(kTree, method);
      if (method == Method::Baumgarte) p.settings.integrator = Integrator::Rk4;
      EXPECT_TRUE(p.run(0.5, dt)) << nameOf(method);
      double most = 0;
      for (std::size_t s = 0; s < p.state.position.size(); ++s)
        most = std::max(most, norm(p.state.position[s] - exact.state.position[s]));
      return most;
    };
    const double coarse = off(0.004), fine = off(0.002);
    const bool second = method == Method::Energy;  // shake begins half a step off
    EXPECT_LT(fine, second ? 5e-5 : 0.02) << nameOf(method);
    if (coarse > 1e-7) {
      EXPECT_LT(fine, (second ? 0.3 : 0.65) * coarse) << nameOf(method);
    }
  }
}

// φ̈ = m g k/(m k² + J + I), k being the pitch over a turn.
TEST(Armature, OfAScrew) {
  const double k = 0.2 / (2 * kPi), mass = 2, J = 0.05, I = 0.01;
  for (const Method method : kAll) {
    Moving p = moving(kGravity + R"(
solid nut mass 2; inertia 0.04 0.05 0.04; end
joint screw s object2 nut; at 0 0 0; axis 0 1 0; pitch 0.2; armature angle 0.01; end
)",
                      method);
    ASSERT_TRUE(p.run(1, 0.001)) << nameOf(method);
    const double expected = mass * 9.81 * k / (mass * k * k + J + I);
    EXPECT_NEAR(norm(p.state.spin[0]), expected, 3e-3 * expected) << nameOf(method);
  }
}

// φ_1 + 2 φ_2 = 0 with the rotor on the first shaft: (J_2 + 4 (J_1 + I)) φ̈_2 = T.
TEST(Armature, ThroughAGear) {
  for (const Method method : kAll) {
    Moving p = moving(R"(gravity 0 0 0;
solid one at 0 0 0; mass 1; inertia 0.2 0.2 0.2; end
solid two at 1 0 0; mass 1; inertia 0.2 0.2 0.3; end
joint pin p1 object2 one; at 0 0 0; axis 0 0 1; armature angle 0.5; end
joint pin p2 object2 two; at 1 0 0; axis 0 0 1; end
joint gear g couple p1 angle 1; couple p2 angle 2; end
torque t object two; vector 0 0 2; end
)",
                      method);
    ASSERT_TRUE(p.run(1, 0.001)) << nameOf(method);
    const double expected = 2 / (0.3 + 4 * (0.2 + 0.5));
    EXPECT_NEAR(p.state.spin[1].z, expected, 3e-3 * expected) << nameOf(method);
    EXPECT_NEAR(p.state.spin[0].z, -2 * expected, 6e-3 * expected) << nameOf(method);
  }
}

// A loop: the rotor is on a joint that the tree of `recursive` leaves over, or not, as it likes.
TEST(Armature, InALoop) {
  const auto text = [](const char* where) {
    std::string t = kGravity + R"(
solid a at 0 0.2 0; box 0.1 0.4 0.1; spin 0 0 3; velocity -0.6 0 0; end
solid b at 0.5 0.4 0; box 1 0.1 0.1; velocity -1.2 0 0; end
solid c at 1 0.2 0; box 0.1 0.4 0.1; spin 0 0 3; velocity -0.6 0 0; end
joint pin j1 object2 a; at 0 0 0; axis 0 0 1; 1 end
joint pin j2 object1 a; object2 b; at 0 0.4 0; axis 0 0 1; end
joint pin j3 object1 b; object2 c; at 1 0.4 0; axis 0 0 1; end
joint pin j4 object2 c; at 1 0 0; axis 0 0 1; 4 end
)";
    for (const char* joint : {"1", "4"}) {
      const std::string place = std::string("; ") + joint + " end";
      t.replace(t.find(place), place.size(),
                std::string(where) == joint ? "; armature angle 0.8; end" : "; end");
    }
    return t;
  };
  // By the symmetry of a parallelogram it does not matter on which of the two it is.
  for (const Method method :
       {Method::Energy, Method::Recursive, Method::Poststabilized, Method::Shake}) {
    Moving one = moving(text("1"), method), four = moving(text("4"), method),
           none = moving(text(""), method);
    for (Moving* p : {&one, &four, &none}) ASSERT_TRUE(p->run(0.3, 0.001)) << nameOf(method);
    EXPECT_LT(norm(one.state.position[1] - four.state.position[1]), 1e-6) << nameOf(method);
    EXPECT_GT(norm(one.state.position[1] - none.state.position[1]), 1e-2) << nameOf(method);
  }
}

// Momentum that is shared at an impact includes the rotor's: a solid on a slide takes along another by a rope. The limit is
// reached within a step, or just at the end of one.
TEST(Armature, TakesPartInImpacts) {
  for (const std::string limit : {"0.3005", "0.3"}) {
    const std::string text = R"(gravity 0 0 0;
solid a box 0.1 0.1 0.1; mass 2; velocity 3 0 0; end
solid b box 0.1 0.1 0.1; mass 1; at 0 1 0; end
joint prismatic ra object2 a; at 0 0 0; axis 1 0 0; armature slide 4; end
joint prismatic rb object2 b; at 0 1 0; axis 1 0 0; end
joint prismatic both object1 a; object2 b; at 0 0 0; axis 1 0 0; limit slide min -)" +
                             limit + " max " + limit + "; end\n";
    for (const Method method : {Method::Energy, Method::Poststabilized}) {
      Moving p = moving(text, method);
      ASSERT_TRUE(p.run(0.5, 0.001)) << nameOf(method);
      EXPECT_NEAR(p.state.velocity[0].x, 3 * 6.0 / 7, 1e-3) << nameOf(method) << ", " << limit;
      EXPECT_NEAR(p.state.velocity[1].x, 3 * 6.0 / 7, 1e-3) << nameOf(method) << ", " << limit;
    }
  }
}

// What has fallen on a limit lies there: the limit carries its weight, and the rotor asks for nothing.
TEST(Armature, LiesAtALimit) {
  for (const bool fast : {true, false}) {
    Moving p = moving(pendulum(0, rotor() + "limit angle min -0.3;"));
    p.settings.islands.fast = fast;
    ASSERT_TRUE(p.run(1, 1.0 / 60));
    const double weight = 2 * 9.81 * 0.5 * cosine(0.3);
    const Index limit = p.m.joints[0].firstSlot + ownSlots(*p.m.joints[0].kind) + 2;
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(p.step(1.0 / 60));
      EXPECT_NEAR(angleOf(p), -0.3, 1e-9);
      EXPECT_NEAR(p.state.multiplier[limit], weight, 1e-6 * weight) << fast << ", " << i;
      EXPECT_LT(norm(p.state.spin[0]), 1e-9);
    }
  }
}

// The nearest velocities are those of all masses, rotors among them.
TEST(Armature, TakesPartInVelocityProjections) {
  Moving p(R"(gravity 0 0 0;
solid a box 0.1 0.1 0.1; mass 2; velocity 3 0 0; end
solid b box 0.1 0.1 0.1; mass 1; at 0 1 0; end
joint prismatic ra object2 a; at 0 0 0; axis 1 0 0; armature slide 4; end
joint prismatic rb object2 b; at 0 1 0; axis 1 0 0; end
joint gear both couple ra slide 1; couple rb slide -1; end
)");
  Moving q = moving("", Method::Energy);
  q.m = p.m;
  q.control = p.control;
  q.state = p.state;
  PoseScratch scratch;
  EXPECT_LT(projectVelocities(p.m, p.control, p.state, scratch), 1e-9);
  EXPECT_NEAR(p.state.velocity[0].x, 18.0 / 7, 1e-9);
  EXPECT_NEAR(p.state.velocity[1].x, 18.0 / 7, 1e-9);
  // What the default method does by itself where a joint comes into force.
  ASSERT_TRUE(q.step(0.01));
  EXPECT_NEAR(q.state.velocity[0].x, 18.0 / 7, 1e-8);
}

TEST(Armature, IsMeasured) {
  Moving p = moving(pendulum(0, rotor()));
  p.state.spin[0] = {0, 0, 3};
  p.state.velocity[0] = {0, 1.5, 0};
  EXPECT_NEAR(kineticEnergy(p.m, p.state), 0.5 * (0.15 + 2 * 0.25 + kRotor) * 9, 1e-12);
}

TEST(Armature, IsRefusedWhereItMeansNothing) {
  const auto problem = [](const std::string& rules) {
    const auto scene =
        parseScene("solid a sphere 1; end joint ball p object2 a; " + rules + " end", "test");
    if (!scene) return scene.problems().front().what;
    const auto made = compile(*scene);
    return made ? std::string() : made.problems().front().what;
  };
  for (const char* coordinate : {"swing", "twist", "rx"})
    EXPECT_NE(problem("armature " + std::string(coordinate) + " 1;").find("rotor"),
              std::string::npos);
}

}  // namespace
}  // namespace tenon::test
