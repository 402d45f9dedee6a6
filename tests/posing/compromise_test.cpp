// Soft constraints as a compromise: what yields, below needs and above wants.            [Gascuel1994 §6]
#include <algorithm>
#include <cmath>
#include <functional>

#include "math/random.h"
#include "math/rotation.h"
#include "scenes.h"

namespace tenon::test {
namespace {

Index jointNamed(const Posed& p, const std::string& name) {
  for (Index j = 0; j < p.m.jointNames.size(); ++j)
    if (p.m.jointNames[j] == name) return j;
  ADD_FAILURE() << "no joint " << name;
  return 0;
}

Vec3 placeOf(const Posed& p, const std::string& solid, const Vec3& point) {
  const Index s = p.solid(solid);
  return p.state.position[s] + rotate(p.state.orientation[s], point);
}

double angleOf(const Posed& p, const std::string& joint) {
  return jointValues(p.m, p.state, jointNamed(p, joint)).coordinate[0];
}

const Yielded* yieldOf(const Posed& p, const PoseReport& report, const std::string& joint) {
  for (const Yielded& one : report.yielded)
    if (one.joint == jointNamed(p, joint)) return &one;
  ADD_FAILURE() << joint << " is not said to have yielded";
  return nullptr;
}

// The least value of f near x, by steps along the coordinates that become shorter.
double leastOf(const std::function<double(const std::vector<double>&)>& f, std::vector<double>& x,
               double step) {
  double least = f(x);
  while (step > 1e-10) {
    bool gained = false;
    for (double& xi : x)
      for (const double d : {step, -step}) {
        xi += d;
        const double now = f(x);
        if (now < least) {
          least = now;
          gained = true;
          break;
        }
        xi -= d;
      }
    if (!gained) step *= 0.5;
  }
  return least;
}

TEST(Compromise, OfTwoSoftJointsIsTheWeightedMean) {
  for (const auto& [c1, c2] : {std::pair{0.01, 0.03}, {1e-6, 0.5}, {2e3, 4e3}}) {
    Posed p = fromText(
        "gravity 0 0 0;\nsolid a box 1 0.2 0.1; at 0.3 2 -1; end\n"
        "joint ball one object2 a; point1 0 0 0; point2 0.5 0 0; compliance " +
        std::to_string(c1) +
        "; end\n"
        "joint ball two object2 a; point1 1 0.5 0.2; point2 0.5 0 0; compliance " +
        std::to_string(c2) + "; end\n");
    const PoseReport report = p.assemble();
    EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
    EXPECT_LT(report.iterations, 40);
    const double k1 = 1 / c1, k2 = 1 / c2;
    const Vec3 mean = (k2 / (k1 + k2)) * Vec3{1, 0.5, 0.2};
    EXPECT_LT(norm(placeOf(p, "a", {0.5, 0, 0}) - mean), 1e-9);
    const double apart = norm(Vec3{1, 0.5, 0.2});
    EXPECT_NEAR(yieldOf(p, report, "one")->metres, apart * k2 / (k1 + k2), 1e-9);
    EXPECT_NEAR(yieldOf(p, report, "two")->metres, apart * k1 / (k1 + k2), 1e-9);
    EXPECT_NEAR(yieldOf(p, report, "two")->weight, k2, 1e-9 * k2);
    // It is settled: a second call changes no bit.
    const auto hash = stateHash(p.state);
    EXPECT_EQ(p.assemble().status, PoseStatus::Converged);
    EXPECT_EQ(stateHash(p.state), hash);
  }
}

const std::string kArm = R"(
gravity 0 0 0;
solid upper box 1 0.1 0.1; at 0.5 0 0; end
solid lower box 1 0.1 0.1; at 1.4 0.3 0; end
joint ball shoulder object2 upper; point1 0 0 0; point2 -0.5 0 0; end
joint ball elbow object1 upper; point1 0.5 0 0; object2 lower; point2 -0.5 0 0; end
)";

TEST(Compromise, AHandOutOfReachTearsNoJoint) {
  Posed p = fromText(
      kArm + "joint ball hand object2 lower; point1 0 5 0; point2 0.5 0 0; compliance 1e-4; end\n");
  const PoseReport report = p.assemble();
  EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
  EXPECT_LE(report.maxError, 1e-10);
  // The arm is stretched towards the hand.
  EXPECT_LT(norm(placeOf(p, "lower", {0.5, 0, 0}) - Vec3{0, 2, 0}), 1e-6);
  ASSERT_EQ(report.yielded.size(), 1u);
  EXPECT_NEAR(yieldOf(p, report, "hand")->metres, 3, 1e-9);
}

TEST(Compromise, AHandWithinReachIsMet) {
  for (const bool tracking : {false, true}) {
    Posed p = fromText(
        kArm +
        "joint ball hand object2 lower; point1 0.5 1 0.4; point2 0.5 0 0; compliance 1e-2; end\n");
    const PoseReport report =
        tracking ? track(p.m, p.control, {}, {}, p.state, p.scratch) : p.assemble();
    EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
    EXPECT_LE(p.error(), 1e-10);
    EXPECT_TRUE(report.yielded.empty());
  }
}

TEST(Compromise, IsLeftOutIfItIsNotAskedFor) {
  Posed p = fromText(
      "gravity 0 0 0;\nsolid a box 1 0.1 0.1; at 0.7 0 0; end\n"
      "solid b box 1 0.1 0.1; at 2 0 0; end\n"
      "joint ball hook object2 b; point1 1 0 0; point2 -0.5 0 0; end\n"
      "joint ball soft object2 a; point1 0 0 0; point2 -0.5 0 0; compliance 1e-2; end\n");
  PoseSettings settings;
  settings.compromise = false;
  const PoseReport report = p.assemble(settings);
  EXPECT_EQ(report.status, PoseStatus::Converged);
  EXPECT_EQ(p.state.position[p.solid("a")].x, 0.7);
  EXPECT_LT(norm(placeOf(p, "b", {-0.5, 0, 0}) - Vec3{1, 0, 0}), 1e-10);
  EXPECT_NEAR(yieldOf(p, report, "soft")->metres, 0.2, 1e-12);
}

// Bars in a row, too short by half a metre: springs in series.
TEST(Yield, JointsInARowShareTheGapByTheirWeights) {
  const std::string text = R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0.2 0; end
joint ball left object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint ball middle object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; end
joint ball right object2 b; point1 2.5 0 0; point2 0.5 0 0; end
)";
  Posed plain = fromText(text);
  EXPECT_EQ(plain.assemble().status, PoseStatus::Inconsistent);
  EXPECT_TRUE(plain.assemble().yielded.empty());
  Posed p = fromText(text);
  PoseSettings settings;
  settings.yield = {{0, 1}, {1, 2}, {2, 5}};
  PoseReport report = p.assemble(settings);
  EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
  EXPECT_EQ(report.maxError, 0);
  const double force = 0.5 / (1 + 0.5 + 0.2);
  EXPECT_NEAR(yieldOf(p, report, "left")->metres, force, 1e-8);
  EXPECT_NEAR(yieldOf(p, report, "middle")->metres, force / 2, 1e-8);
  EXPECT_NEAR(yieldOf(p, report, "right")->metres, force / 5, 1e-8);
  // One alone: the others hold exactly.
  Posed one = fromText(text);
  settings.yield = {{1, 3}};
  report = one.assemble(settings);
  EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
  EXPECT_LE(report.maxError, 1e-10);
  ASSERT_EQ(report.yielded.size(), 1u);
  EXPECT_NEAR(report.yielded[0].metres, 0.5, 1e-6);
  EXPECT_EQ(report.yielded[0].weight, 3);
  const Diagnosis after = diagnose(one.m, one.control, {}, one.state, settings, one.scratch);
  EXPECT_TRUE(after.conflicts.empty());
}

// A coupler on four rockers, one of them of a wrong length. Two joints of a rocker in series have
// k = w w'/(w + w'), so that E = ½ Σ k (|P - A| - r)² over the places of the coupler.
struct Rockers {
  double r[4] = {1, 1, 1.35, 1}, w[4][2] = {{1, 2}, {3, 1}, {2, 2}, {1, 4}};
  [[nodiscard]] double stored(const std::vector<double>& x) const {
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      const double s = i - 1.5, k = w[i][0] * w[i][1] / (w[i][0] + w[i][1]);
      const double px = x[0] + s * std::cos(x[2]) - i, py = x[1] + s * std::sin(x[2]);
      const double off = std::sqrt(px * px + py * py) - r[i];
      sum += 0.5 * k * off * off;
    }
    return sum;
  }
  [[nodiscard]] std::string text() const {
    std::string text = "gravity 0 0 0;\nsolid coupler box 3 0.1 0.1; at 1.9 0.9 0; end\n";
    for (int i = 0; i < 4; ++i) {
      const std::string n = std::to_string(i), half = std::to_string(r[i] / 2);
      text += "solid rocker" + n + " box 0.1 " + std::to_string(r[i]) + " 0.1; at " + n + " " +
              half + " 0; end\n";
      text += "joint pin foot" + n + " object2 rocker" + n + "; point1 " + n + " 0 0; point2 0 -" +
              half + " 0; axis1 0 0 1; axis2 0 0 1; end\n";
      text += "joint pin head" + n + " object1 rocker" + n + "; object2 coupler; point1 0 " + half +
              " 0; point2 " + std::to_string(i - 1.5) + " 0 0; axis1 0 0 1; axis2 0 0 1; end\n";
    }
    return text;
  }
};

TEST(Yield, ALinkageOfAWrongLengthFindsTheLeastSum) {
  const Rockers rockers;
  Posed p = fromText(rockers.text());
  EXPECT_NE(p.assemble().status, PoseStatus::Converged);
  PoseSettings settings;
  std::vector<double> weights(p.m.joints.size(), 0);
  for (int i = 0; i < 4; ++i)
    for (int e = 0; e < 2; ++e) {
      const Index j = jointNamed(p, (e == 0 ? "foot" : "head") + std::to_string(i));
      settings.yield.push_back({j, rockers.w[i][e]});
      weights[j] = rockers.w[i][e];
    }
  p = fromText(rockers.text());
  const PoseReport report = p.assemble(settings);
  EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
  EXPECT_LT(report.iterations, 200);
  // What the engine has found, in the words of the other method.
  const Vec3 middle = placeOf(p, "coupler", {}), end = placeOf(p, "coupler", {1, 0, 0});
  const std::vector<double> found = {middle.x, middle.y,
                                     std::atan2(end.y - middle.y, end.x - middle.x)};
  const double stored = storedIn(p, p.state, weights);
  EXPECT_NEAR(stored, rockers.stored(found), 1e-10);
  const auto f = [&](const std::vector<double>& x) { return rockers.stored(x); };
  // It is stationary, by differences, and no place nearby or elsewhere on this side stores less.
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> more = found, less = found;
    more[i] += 1e-5;
    less[i] -= 1e-5;
    EXPECT_NEAR((f(more) - f(less)) / 2e-5, 0, 1e-8);
  }
  std::vector<double> least = found;
  for (const double step : {0.01, 0.1, 0.3}) {
    std::vector<double> x = {1.9, 0.9, 0};
    const double there = leastOf(f, x, step);
    if (there < f(least)) least = x;
  }
  EXPECT_GT(f(least), stored - 1e-10);
  EXPECT_GT(stored, 1e-4);
  // The shares of a rocker are as its weights say.
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    EXPECT_NEAR(yieldOf(p, report, "foot" + n)->metres * rockers.w[i][0],
                yieldOf(p, report, "head" + n)->metres * rockers.w[i][1], 1e-8);
  }
}

// Three bars with a pin each, from the origin to a hard joint; one freedom is left.
const std::string kChain = R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; end
solid c box 1 0.1 0.1; at 2.5 0 0; end
joint pin one object2 a; point1 0 0 0; point2 -0.5 0 0; axis1 0 0 1; axis2 0 0 1; normal1 1 0 0; normal2 1 0 0;
  prefer angle min -0.2 max 0.1 stiffness 5; end
joint pin two object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; axis1 0 0 1; axis2 0 0 1; normal1 1 0 0; normal2 1 0 0;
  prefer angle min -0.1 max 0.2 stiffness 2; end
joint pin three object1 b; point1 0.5 0 0; object2 c; point2 -0.5 0 0; axis1 0 0 1; axis2 0 0 1; normal1 1 0 0; normal2 1 0 0;
  prefer angle min -0.2 max 0.15 stiffness 8; end
)";

TEST(Compromise, PreferredRangesOfAChainBendItWithTheLeastSum) {
  Posed p = fromText(kChain + "joint ball tip object2 c; point1 1.2 1.1 0; point2 0.5 0 0; end\n");
  const PoseReport report = p.assemble();
  EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
  EXPECT_LE(report.maxError, 1e-10);
  // By one angle: where the first bar ends, the other two are a triangle.
  const auto outside = [](double x, double low, double high) {
    return std::max({0.0, low - x, x - high});
  };
  const auto stored = [&](const std::vector<double>& x, double side) {
    const double ux = 1.2 - std::cos(x[0]), uy = 1.1 - std::sin(x[0]);
    const double d = std::sqrt(ux * ux + uy * uy);
    if (d > 2) return 1e9;
    const double second = std::atan2(uy, ux) - side * std::acos(d / 2) - x[0];
    const double third = side * 2 * std::acos(d / 2);
    const double o1 = outside(x[0], -0.2, 0.1), o2 = outside(second, -0.1, 0.2),
                 o3 = outside(third, -0.2, 0.15);
    return 0.5 * (5 * o1 * o1 + 2 * o2 * o2 + 8 * o3 * o3);
  };
  double least = 1e9;
  for (const double side : {-1.0, 1.0})
    for (double start = -1.5; start < 1.5; start += 0.1) {
      std::vector<double> x = {start};
      least = std::min(
          least, leastOf([&](const std::vector<double>& y) { return stored(y, side); }, x, 0.1));
    }
  EXPECT_NEAR(storedIn(p, p.state), least, 1e-10);
  EXPECT_GT(least, 0.1);
  EXPECT_EQ(report.yielded.size(), 3u);
  EXPECT_NEAR(yieldOf(p, report, "three")->radians, outside(angleOf(p, "three"), -0.2, 0.15),
              1e-12);
}

TEST(Compromise, ComesBeforeGoals) {
  // A range that is preferred is kept where it can be, whatever is wanted.
  for (const bool tracking : {false, true}) {
    Posed p = fromText(kChain);
    Want want;
    want.solid = p.solid("c");
    want.point = {0.5, 0, 0};
    want.target = {0, 3, 0};
    PoseReport report;
    if (tracking)
      for (int k = 0; k < 5; ++k) report = track(p.m, p.control, {want}, {}, p.state, p.scratch);
    else
      report = p.assemble({}, {want});
    EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
    EXPECT_NEAR(angleOf(p, "one"), 0.1, 1e-6);
    EXPECT_NEAR(angleOf(p, "two"), 0.2, 1e-6);
    EXPECT_NEAR(angleOf(p, "three"), 0.15, 1e-6);
    EXPECT_TRUE(report.yielded.empty());
  }
  // A goal turns what the compromise leaves free, and costs it nothing.
  Posed p = fromText(
      "gravity 0 0 0;\nsolid a box 1 0.2 0.1; at 0.3 2 -1; end\n"
      "joint ball one object2 a; point1 0 0 0; point2 0.5 0 0; compliance 0.01; end\n"
      "joint ball two object2 a; point1 1 0 0; point2 0.5 0 0; compliance 0.03; end\n");
  Want want;
  want.solid = p.solid("a");
  want.point = {-0.5, 0, 0};
  want.target = {0.25, 0, 7};
  const PoseReport report = p.assemble({}, {want});
  EXPECT_EQ(report.status, PoseStatus::Converged) << report.reason;
  EXPECT_LT(norm(placeOf(p, "a", {0.5, 0, 0}) - Vec3{0.25, 0, 0}), 1e-9);
  EXPECT_LT(norm(placeOf(p, "a", {-0.5, 0, 0}) - Vec3{0.25, 0, 1}), 1e-3);
}

TEST(Compromise, ARangePullsNoHarderThanItsForce) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
joint pin one object2 a; point1 0 0 0; point2 -0.5 0 0; axis1 0 0 1; axis2 0 0 1; normal1 1 0 0; normal2 1 0 0;
  prefer angle min 1 stiffness 100 force 1; prefer angle max -1 stiffness 10; end
)");
  EXPECT_EQ(p.assemble().status, PoseStatus::Converged);
  EXPECT_NEAR(angleOf(p, "one"), -0.9, 1e-8);
}

TEST(Compromise, ABudgetLeavesTheJointsClosedAndNothingWorse) {
  const std::string text =
      kChain + "joint ball tip object2 c; point1 1.2 1.1 0; point2 0.5 0 0; end\n";
  Posed start = fromText(text);
  PoseSettings settings;
  settings.compromise = false;
  ASSERT_EQ(start.assemble(settings).status, PoseStatus::Converged);
  const double before = storedIn(start, start.state);
  double last = before;
  for (int iterations = 0; iterations < 30; ++iterations) {
    Posed p = fromText(text);
    p.state = start.state;
    PoseSettings few;
    few.iterations = iterations;
    const PoseReport report = p.assemble(few);
    EXPECT_TRUE(report.closed);
    EXPECT_LE(report.iterations, iterations);
    const double now = storedIn(p, p.state);
    EXPECT_LE(now, last * (1 + 1e-12));
    last = now;
    if (iterations < 3) {
      EXPECT_EQ(report.status, PoseStatus::Budget);
      EXPECT_FALSE(report.reason.empty());
    }
  }
  EXPECT_LT(last, before);
}

// No pose nearby that the needs allow stores less, whatever is soft.
TEST(Compromise, IsALeastOneAmongPosesNearby) {
  for (const char* scene : {"linkages/four-bar", "linkages/slider-crank",
                            "linkages/stewart-platform", "figures/quadruped"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Posed p = fromFile(scene);
      Random random(seed);
      // Some joints give, and are asked for something else than what they have.
      for (MechanismJoint& joint : p.m.joints)
        if (random.uniform(0, 1) < 0.4) {
          joint.compliance = random.uniform(0.01, 1);
          joint.frame1.p += 0.05 * random.direction();
        }
      p.m.stamp = stampOf(p.m);
      const PoseReport report = p.assemble();
      if (!report.closed) continue;
      EXPECT_EQ(report.status, PoseStatus::Converged) << scene << seed << report.reason;
      const double least = storedIn(p, p.state);
      for (std::uint64_t k = 1; k <= 5; ++k) {
        State other = p.state;
        disturb(p.m, k, 1e-3, 1e-3, other);
        PoseSettings settings;
        settings.compromise = false;
        if (!track(p.m, p.control, {}, settings, other, p.scratch).closed) continue;
        EXPECT_GT(storedIn(p, other), least - 1e-9 * (1 + least)) << scene << " " << seed;
      }
    }
  }
}

// Where all can hold, it does in the end, wherever it starts.
TEST(Compromise, ScatteredSolidsFindTogether) {
  for (const char* scene : {"linkages/four-bar", "linkages/slider-crank", "linkages/jansen-leg",
                            "linkages/stewart-platform", "figures/quadruped"})
    for (const double part : {0.3, 1.0})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Posed p = fromFile(scene);
        Random random(seed);
        for (MechanismJoint& joint : p.m.joints)
          if (random.uniform(0, 1) < part) joint.compliance = random.uniform(0.01, 1);
        p.m.stamp = stampOf(p.m);
        scatter(p.m, seed, p.state);
        const PoseReport report = p.assemble();
        EXPECT_EQ(report.status, PoseStatus::Converged) << scene << " " << seed;
        EXPECT_LT(p.error(), 1e-9) << scene << " " << seed;
      }
}

}  // namespace
}  // namespace tenon::test
