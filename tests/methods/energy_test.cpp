// Energy and interactive: what is kept, what is exact, and that nothing breaks them.
#include "math/random.h"
#include "moving.h"

#include <tenon/posing.h>
#include "math/rotation.h"

namespace tenon::test {
namespace {

// ------------------------------------------------------------------------------------------- truth

// A pendulum let go at a right angle: the quarter period is K(sin 45°) √(l/g). Midpoint: order 2.
TEST(Energy, SwingsWithThePeriodOfTheEllipticIntegral) {
  const std::string text = R"(
gravity 0 -9.81 0;
solid bob point-mass; mass 1; at 1 0 0; end
joint distance string object2 bob; point1 0 0 0; point2 0 0 0; length 1; end
)";
  const double quarter = 1.8540746773013719 * std::sqrt(1 / 9.81);
  double last = 0;
  for (const int steps : {100, 200, 400, 800}) {
    Moving p = moving(text, Method::Energy);
    const double energy = p.energy();
    ASSERT_TRUE(p.run(quarter, quarter / steps));
    const double off = norm(p.state.position[0] - Vec3{0, -1, 0});
    EXPECT_LT(p.error(), 1e-10);
    EXPECT_LT(std::abs(p.energy() - energy), 1e-8);
    if (last > 0) {
      EXPECT_LT(off, last / 3.8) << steps;
      EXPECT_GT(off, last / 4.2) << steps;
    }
    last = off;
  }
  EXPECT_LT(last, 1e-5);
}

// Jacobi's elliptic functions by the arithmetic-geometric mean.
struct Jacobi {
  double sn, cn, dn;
};
Jacobi jacobi(double u, double m) {
  double a[20], c[20];
  a[0] = 1;
  c[0] = std::sqrt(m);
  double b = std::sqrt(1 - m), twon = 1;
  int i = 0;
  while (std::abs(c[i] / a[i]) > 1e-16 && i < 18) {
    a[i + 1] = 0.5 * (a[i] + b);
    c[i + 1] = 0.5 * (a[i] - b);
    b = std::sqrt(a[i] * b);
    ++i;
    twon *= 2;
  }
  double phi = twon * a[i] * u, before = 0;
  for (; i > 0; --i) {
    before = phi;
    phi = 0.5 * (std::asin(c[i] * std::sin(phi) / a[i]) + phi);
  }
  return {std::sin(phi), std::cos(phi), std::cos(phi) / std::cos(before - phi)};
}

// A free top with three different moments of inertia I1 > I2 > I3, spinning mostly about the first:
// ω = (a dn, b sn, c cn) in its own axes. [Landau & Lifshitz, Mechanics §37]
TEST(Energy, SpinsAFreeTopAsTheClosedFormSays) {
  double last = 0;
  for (const int steps : {200, 400, 800, 1600}) {
    Moving p =
        moving("gravity 0 0 0; solid a box 0.1 0.2 0.4; mass 3; spin 4 0 1; end", Method::Energy);
    const Mat3& I = p.m.solids[0].inertia;  // about x the largest, about z the least
    const double I1 = I(0, 0), I2 = I(1, 1), I3 = I(2, 2);
    ASSERT_GT(I1, I2);
    ASSERT_GT(I2, I3);
    const Vec3 w0 = p.state.spin[0];
    const double L2 = I1 * I1 * w0.x * w0.x + I3 * I3 * w0.z * w0.z;
    const double T2 = I1 * w0.x * w0.x + I3 * w0.z * w0.z;  // 2T
    // L² > 2T I2: with the roles of 1 and 3 as in the book, where I3 is the largest.
    ASSERT_GT(L2, T2 * I2);
    const double rate = std::sqrt((I1 - I2) * (L2 - T2 * I3) / (I1 * I2 * I3));
    const double m = (I2 - I3) * (T2 * I1 - L2) / ((I1 - I2) * (L2 - T2 * I3));
    const double time = 2;
    const Jacobi j = jacobi(rate * time, m);
    const double amplitude2 = std::sqrt((T2 * I1 - L2) / (I2 * (I1 - I2)));
    // ω2 has the sign that Euler's equation gives it: I2 ω̇2 = (I3 - I1) ω3 ω1 < 0 at the start.
    const Vec3 expected{w0.x * j.dn, -amplitude2 * j.sn, w0.z * j.cn};
    ASSERT_TRUE(p.run(time, time / steps));
    const Vec3 body = rotate(conjugate(p.state.orientation[0]), p.state.spin[0]);
    const double off = norm(body - expected);
    if (last > 0) {
      EXPECT_LT(off, last / 3.8) << steps;
      EXPECT_GT(off, last / 4.2) << steps;
    }
    last = off;
  }
  EXPECT_LT(last, 2e-4);
}

// n uniform rods in a plane, hung up: M(θ) θ̈ + … by Lagrange, stepped with a tiny step.
//   L = Σ ½ m |ẋ_i|² + ½ I θ̇_i² + m g l cos θ …, x_i = Σ_{k<i} l u(θ_k) + ½ l u(θ_i), u = (sin, -cos)
struct Rods {
  int n;
  double l, m, I, g;
  std::vector<double> angle, rate;

  // Σ over rods of what is beyond: coefficient of u_j·u_k.
  [[nodiscard]] double coupling(int j, int k) const {
    const int far = std::max(j, k);
    const double beyond = n - 1 - far;  // rods wholly beyond both
    return m * l * l * (beyond + (j == k ? 0.25 : 0.5));
  }
  [[nodiscard]] std::vector<double> accelerations(const std::vector<double>& a,
                                                  const std::vector<double>& w) const {
    const auto N = static_cast<std::size_t>(n);
    std::vector<double> M(N * N), f(N);
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t k = 0; k < N; ++k) {
        const double c = coupling(static_cast<int>(j), static_cast<int>(k));
        M[j * N + k] = c * std::cos(a[j] - a[k]) + (j == k ? I : 0);
        f[j] -= c * std::sin(a[j] - a[k]) * w[k] * w[k];
      }
      f[j] -= m * g * l * (n - 1 - static_cast<double>(j) + 0.5) * std::sin(a[j]);
    }
    for (std::size_t p = 0; p < N; ++p)  // Gauss; M is positive definite
      for (std::size_t r = p + 1; r < N; ++r) {
        const double q = M[r * N + p] / M[p * N + p];
        for (std::size_t c = p; c < N; ++c) M[r * N + c] -= q * M[p * N + c];
        f[r] -= q * f[p];
      }
    for (std::size_t r = N; r-- > 0;) {
      for (std::size_t c = r + 1; c < N; ++c) f[r] -= M[r * N + c] * f[c];
      f[r] /= M[r * N + r];
    }
    return f;
  }
  void step(double dt) {
    const auto add = [](const std::vector<double>& x, double h, const std::vector<double>& d) {
      std::vector<double> y = x;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += h * d[i];
      return y;
    };
    const auto a1 = accelerations(angle, rate);
    const auto r2 = add(rate, dt / 2, a1);
    const auto a2 = accelerations(add(angle, dt / 2, rate), r2);
    const auto r3 = add(rate, dt / 2, a2);
    const auto a3 = accelerations(add(angle, dt / 2, r2), r3);
    const auto r4 = add(rate, dt, a3);
    const auto a4 = accelerations(add(angle, dt, r3), r4);
    for (std::size_t i = 0; i < angle.size(); ++i) {
      angle[i] += dt / 6 * (rate[i] + 2 * r2[i] + 2 * r3[i] + r4[i]);
      rate[i] += dt / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
    }
  }
};

// The double pendulum and a chain of five, against the independent equations above: order 2, below 1e-6
// after 2 s at 1/8000 s; extrapolated by the order, far below.
void againstRods(int n, Method method, const std::vector<double>& steps, double order,
                 double below) {
  Rods rods{n,
            1,
            0,
            0,
            9.81,
            std::vector<double>(static_cast<std::size_t>(n), M_PI / 2),
            std::vector<double>(static_cast<std::size_t>(n), 0)};
  const std::string text = chainText(n, true, kGravity);
  {
    const Moving p = moving(text, method);
    rods.m = p.m.solids[0].mass;
    rods.I = p.m.solids[0].inertia(2, 2);
  }
  for (int i = 0; i < 20000; ++i) rods.step(1e-4);
  Vec3 end;
  for (std::size_t i = 0; i < rods.angle.size(); ++i)
    end += (i + 1 == rods.angle.size() ? 0.5 : 1.0) *
           Vec3{std::sin(rods.angle[i]), -std::cos(rods.angle[i]), 0};
  Vec3 before;
  double last = 0, extrapolated = kInfinity;
  for (const double dt : steps) {
    Moving p = moving(text, method);
    p.settings.tolerance = 1e-12;
    ASSERT_TRUE(p.run(2, dt));
    const Vec3 at = p.state.position[static_cast<std::size_t>(n - 1)];
    const double off = norm(at - end);
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / off), order, 0.25) << n << " links, dt " << dt;
      const double f = std::exp2(order);
      extrapolated = norm((1 / (f - 1)) * (f * at - before) - end);
    }
    last = off;
    before = at;
  }
  EXPECT_LT(last, below) << n << " links";
  EXPECT_LT(extrapolated, 1e-4 * below) << n << " links: what is left is of that order";
}
TEST(Energy, ConvergesToTheDoublePendulum) {
  againstRods(2, Method::Energy, {1.0 / 2000, 1.0 / 4000, 1.0 / 8000}, 2, 1e-6);
}
TEST(Energy, ConvergesToTheChainOfFive) {
  const int n = stepsOf(8) == 8 ? 5 : 1;  // under the sanitizers one rod will do
  againstRods(n, Method::Energy, {1.0 / 2000, 1.0 / 4000, 1.0 / 8000}, 2, 1e-6);
}

// -------------------------------------------------------------------------------- what is conserved

// A figure in free flight: hinges, a ball, a hooke joint, and a closed loop of four hinges.
const std::string kFigure = R"(
gravity 0 0 0;
let h 0.67082039324993692;
solid a box 1.2 0.2 0.15; at 0 0 0; end
solid b box 0.7 0.15 0.15; at 0.5 (h / 2) 0; turn 0 0 1 (atan2(h, -0.2)); end
solid c box 0.8 0.2 0.15; at 0 (h) 0; end
solid d box 0.7 0.15 0.15; at -0.5 (h / 2) 0; turn 0 0 1 (atan2(h, 0.2)); end
solid arm box 0.8 0.3 0.3; at 0.8 (h) 0; end
solid hand box 0.4 0.25 0.3; at 1.4 (h) 0; end
solid tail capsule 0.2 0.4; at -1.0 0 0; turn 0 0 1 90deg; end
joint pin ab object1 a; object2 b; at 0.6 0 0; axis 0 0 1; end
joint pin bc object1 b; object2 c; at 0.4 (h) 0; axis 0 0 1; end
joint pin cd object1 c; object2 d; at -0.4 (h) 0; axis 0 0 1; end
joint pin da object1 d; object2 a; at -0.6 0 0; axis 0 0 1; end
joint pin elbow object1 c; object2 arm; at 0.4 (h) 0; axis 0 1 0; end
joint hooke wrist object1 arm; object2 hand; at 1.2 (h) 0; axis 0 1 0; end
joint ball rump object1 a; object2 tail; at -0.6 0 0; end
)";

Moving figureInFlight(Method method) {
  Moving p = moving(kFigure, method);
  Random random(5);
  for (std::size_t s = 0; s < p.m.solids.size(); ++s) {
    p.state.spin[s] = {random.uniform(-0.5, 0.5), random.uniform(4.5, 5.5),
                       random.uniform(-0.5, 0.5)};
    p.state.velocity[s] = cross(Vec3{0, 5, 0}, p.state.position[s]) + Vec3{0.01, 0, 0.005};
  }
  PoseScratch scratch;
  projectVelocities(p.m, p.control, p.state, scratch);
  return p;
}

// 100,000 steps of 1/60 s take too long for every run: TENON_CASES=10000 (./dev test --long) makes them.
TEST(Energy, KeepsMomentaAndEnergyOfAFigureWithALoop) {
  const bool complete = std::getenv("TENON_CASES") != nullptr;
  const int steps = complete ? 100000 : stepsOf(3000);
  Moving p = figureInFlight(Method::Energy);
  const double energy = p.energy();
  const Momentum before = momentum(p.m, p.state);
  double linearScale = 0;
  for (std::size_t s = 0; s < p.m.solids.size(); ++s)
    linearScale += p.m.solids[s].mass * norm(p.state.velocity[s]);
  double error = 0, fastest = 0;
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(p.step(1.0 / 60));
    ASSERT_TRUE(p.report.converged) << i;
    error = std::max(error, p.error());
    for (const Vec3& w : p.state.spin) fastest = std::max(fastest, norm(w));
  }
  const Momentum after = momentum(p.m, p.state);
  EXPECT_GT(fastest, 5);
  EXPECT_LT(norm(after.linear - before.linear), 1e-12 * linearScale);
  EXPECT_LT(norm(after.angular - before.angular), 1e-9 * norm(before.angular));
  EXPECT_LT(std::abs(p.energy() - energy), 1e-7 * energy);
  EXPECT_LT(error, 1e-9);
  RecordProperty("halvings", static_cast<int>(p.halvings));
}

// ---------------------------------------------------------------------------------------- stability

// Whipping about for a minute, two steps a fifteenth of a second.
TEST(Energy, KeepsAWhippingChainTogether) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(chainText(10, true, kGravity), method);
    const double energy = p.energy();
    const double exchanged = p.m.solids[0].mass * 9.81 * 10 * 10;  // all of it, hanging instead
    double error = 0, gain = 0;
    for (int i = 0; i < stepsOf(1800); ++i) {
      ASSERT_TRUE(p.step(1.0 / 30));
      error = std::max(error, p.error());
      gain = std::max(gain, p.energy() - energy);
    }
    EXPECT_LT(error, 1e-6) << nameOf(method);
    EXPECT_LT(gain, 0.01 * exchanged) << nameOf(method);
    if (method == Method::Energy) {
      EXPECT_LT(std::abs(p.energy() - energy), 1e-4 * exchanged);
    }
  }
}

TEST(Energy, HangsTheHeavyFromTheLight) {
  for (const Method method : {Method::Energy, Method::Interactive})
    for (const double ratio : {1e3, 1e6}) {
      Moving p = moving(chainText(20, true, kGravity), method);
      MechanismSolid& last = p.m.solids[19];
      last.mass *= ratio;
      last.inverseMass /= ratio;
      last.inertia = ratio * last.inertia;
      last.inverseInertia = (1 / ratio) * last.inverseInertia;
      const double energy = p.energy();
      const double exchanged = last.mass * 9.81 * 20;
      double error = 0, gain = 0;
      for (int i = 0; i < stepsOf(600); ++i) {
        ASSERT_TRUE(p.step(1.0 / 60));
        error = std::max(error, p.error());
        gain = std::max(gain, p.energy() - energy);
      }
      EXPECT_LT(error, 1e-6) << nameOf(method) << " " << ratio;
      EXPECT_LT(gain, 0.01 * exchanged) << nameOf(method) << " " << ratio;
    }
}

TEST(Energy, TakesStepsOfAnyLength) {
  for (const Method method : {Method::Energy, Method::Interactive}) {
    Moving p = moving(chainText(10, true, kGravity), method);
    Random random(8);
    const double energy = p.energy();
    const double exchanged = p.m.solids[0].mass * 9.81 * 10 * 10;
    double error = 0, gain = 0;
    for (int i = 0; i < stepsOf(600); ++i) {
      ASSERT_TRUE(p.step(random.uniform(1.0 / 240, 1.0 / 15)));
      error = std::max(error, p.error());
      gain = std::max(gain, p.energy() - energy);
    }
    EXPECT_LT(error, 1e-6) << nameOf(method);
    EXPECT_LT(gain, 0.01 * exchanged) << nameOf(method);
  }
}

// Closed loops with redundant pins, ten seconds, through the pose in which all lie in line: energy, joints
// and the branch are kept.
TEST(Energy, PassesSingularPosesOnItsBranch) {
  struct Case {
    const char* scene;
    int windows;
  };
  const bool complete = std::getenv("TENON_CASES") != nullptr;
  for (const Case& c : {Case{"linkages/bricard", 0}, Case{"linkages/n-four-bar", 2},
                        Case{"linkages/n-four-bar", 40}}) {
    ParseOptions options;
    if (c.windows > 0) options.set = {{"n", std::to_string(c.windows)}};
    Moving p(loadScene(std::string(TENON_SOURCE_DIR) + "/scenes/" + c.scene + ".tenon", options));
    p.settings.method = Method::Energy;
    const double energy = p.energy();
    double low = potentialEnergy(p.m, p.control, p.state), high = low, error = 0, drift = 0;
    int inLine = 0;
    const int steps = c.windows == 40 && !complete ? stepsOf(480) : 2400;
    for (int i = 0; i < steps; ++i) {
      const Vec3 before = p.state.position[0];
      ASSERT_TRUE(p.step(1.0 / 240));
      ASSERT_TRUE(p.report.converged) << c.scene << i;
      error = std::max(error, p.error());
      drift = std::max(drift, std::abs(p.energy() - energy));
      const double U = potentialEnergy(p.m, p.control, p.state);
      low = std::min(low, U);
      high = std::max(high, U);
      if (c.windows == 0) continue;
      // Uprights are parallel; a window on the other branch would fold.
      for (Index s = 0; s < p.m.solids.size(); ++s)
        if (p.m.solidNames[s].starts_with("upright")) {
          ASSERT_NEAR(p.state.position[s].y, p.state.position[0].y, 1e-6) << i;
        }
      if ((before.y > 0) != (p.state.position[0].y > 0)) ++inLine;
    }
    EXPECT_LT(error, 1e-9) << c.scene;
    EXPECT_LT(drift, 1e-6 * (high - low)) << c.scene;
    if (c.windows > 0 && steps >= 480) {
      EXPECT_GT(inLine, steps / 1200) << c.scene;
    }
  }
}

// What an iteration leaves of joints and momenta has the same sign in every step, so that it adds up.
TEST(Energy, OfTheGeneralWayStaysWithinRounding) {
  Moving p(chainText(20, true, kGravity));
  p.settings.islands.fast = false;
  const double before = p.energy();
  double most = 0;
  for (int i = 0; i < stepsOf(200); ++i) {
    ASSERT_TRUE(p.step(1.0 / 120));
    most = std::max(most, std::abs(p.energy() - before));
  }
  EXPECT_GT(kineticEnergy(p.m, p.state), 100);
  EXPECT_LT(most, 1e-14 * kineticEnergy(p.m, p.state));
}

}  // namespace
}  // namespace tenon::test
