// The method `recursive` against truth: closed forms, independent integrations in joint angles, a dense solve
// of all rows, and what must be conserved.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/language.h>
#include <tenon/loads.h>
#include <tenon/measure.h>
#include <tenon/posing.h>
#include <tenon/step.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <string>
#include <vector>

#include "joints/joint_math.h"
#include "joints/two_solids.h"
#include "math/random.h"
#include "methods/verbs.h"
#include "moving.h"

long allocationCount();  // counting_new.cpp

namespace tenon::test {
namespace {

// What the reports of all steps add up to, beside the last.
struct Recursing : Moving {
  StepReport last, sum;

  explicit Recursing(const std::string& text) : Recursing(parseScene(text, "test")) {}
  explicit Recursing(const Result<Scene>& scene) : Moving(scene) {
    settings.method = Method::Recursive;
  }
  bool run(double time, double dt) {
    const long steps = std::lround(time / dt);
    for (long i = 0; i < steps; ++i) {
      const bool done = step(dt);
      last = report;
      if (!done) return false;
      sum.converged = sum.converged && last.converged;
      sum.evaluations += last.evaluations;
      sum.substeps += last.substeps;
      sum.rejected += last.rejected;
      sum.retries += last.retries;
      sum.halvings += last.halvings;
      sum.slip = std::max(sum.slip, last.slip);
    }
    return true;
  }
  [[nodiscard]] double coordinate(Index joint, Index c = 0) const {
    return jointValues(m, state, joint).coordinate[c];
  }
};

Result<Scene> sceneFile(const std::string& name) {
  return loadScene(std::string(TENON_SOURCE_DIR) + "/scenes/" + name + ".tenon", {});
}

// A chain of n boxes of length 1, hinged about z, hanging from the origin along x.
std::string hingedChain(int n) {
  std::string text = "gravity 0 -9.81 0;\n";
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    text += "solid s" + k + " box 1 0.1 0.1; mass 1; at " + std::to_string(i + 0.5) + " 0 0; end\n";
    text += "joint pin j" + k + (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") +
            " object2 s" + k + "; at " + k + " 0 0; axis 0 0 1; end\n";
  }
  return text;
}

// ------------------------------------------------------------------------------------ one solid

// K(sin 45°) √(l/g): a quarter period of a pendulum let go at a right angle; l = I/(m d) of a rod.
TEST(Recursive, SwingsWithThePeriodOfTheEllipticIntegral) {
  double last = 0;
  for (const int steps : {50, 100, 200}) {
    Recursing p(hingedChain(1));
    const double inertia = p.m.solids[0].inertia(2, 2) + 0.25;
    const double quarter = 1.8540746773013719 * std::sqrt(inertia / (0.5 * 9.81));
    ASSERT_TRUE(p.run(quarter, quarter / steps));
    const double off = std::abs(p.coordinate(0) + kPi / 2);
    EXPECT_LT(p.error(), 1e-14);
    if (last > 0) {
      EXPECT_LT(off, last / 14) << steps;
    }
    last = off;
  }
  EXPECT_LT(last, 1e-7);
}

// ------------------------------------------------------- planar chains, by their own equations

// n rods with lengths 1, masses 1 and inertias I about their centres, at angles θ from the x axis:
//   Σ_j a_ij cos(θ_i - θ_j) θ̈_j + Σ_j a_ij sin(θ_i - θ_j) θ̇_j² + g b_i cos θ_i = 0,
//   a_ij = Σ_k c_ik c_jk (+ I where i = j),  b_i = Σ_k c_ik,  c_ik = 1 for i < k, ½ for i = k.
struct PlanarChain {
  Eigen::Index n;
  double I;
  Eigen::VectorXd theta, omega;

  static double c(Eigen::Index i, Eigen::Index k) { return i < k ? 1 : i == k ? 0.5 : 0; }
  [[nodiscard]] Eigen::VectorXd acceleration(const Eigen::VectorXd& t,
                                             const Eigen::VectorXd& w) const {
    Eigen::MatrixXd M(n, n);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      double b = 0;
      for (Eigen::Index k = 0; k < n; ++k) b += c(i, k);
      f(i) -= 9.81 * b * std::cos(t(i));
      for (Eigen::Index j = 0; j < n; ++j) {
        double a = i == j ? I : 0;
        for (Eigen::Index k = 0; k < n; ++k) a += c(i, k) * c(j, k);
        M(i, j) = i == j ? a : a * std::cos(t(i) - t(j));
        if (i != j) f(i) -= a * std::sin(t(i) - t(j)) * w(j) * w(j);
      }
    }
    return M.partialPivLu().solve(f);
  }
  void run(double time, int steps) {
    const double h = time / steps;
    for (int s = 0; s < steps; ++s) {
      const Eigen::VectorXd a1 = acceleration(theta, omega);
      const Eigen::VectorXd w2 = omega + 0.5 * h * a1;
      const Eigen::VectorXd a2 = acceleration(theta + 0.5 * h * omega, w2);
      const Eigen::VectorXd w3 = omega + 0.5 * h * a2;
      const Eigen::VectorXd a3 = acceleration(theta + 0.5 * h * w2, w3);
      const Eigen::VectorXd w4 = omega + h * a3;
      const Eigen::VectorXd a4 = acceleration(theta + h * w3, w4);
      theta += h / 6 * (omega + 2 * w2 + 2 * w3 + w4);
      omega += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
  }
};

double offFrom(const PlanarChain& truth, const Recursing& p) {
  Vec3 joint;
  double off = 0;
  for (Eigen::Index i = 0; i < truth.n; ++i) {
    const Vec3 half{0.5 * std::cos(truth.theta(i)), 0.5 * std::sin(truth.theta(i)), 0};
    off = std::max(off, norm(p.state.position[static_cast<std::size_t>(i)] - (joint + half)));
    joint += 2.0 * half;
  }
  return off;
}

TEST(Recursive, SwingsChainsAsTheirEquationsInAnglesSay) {
  for (const int links : {2, 5}) {
    const Recursing still(hingedChain(links));
    PlanarChain truth{links, still.m.solids[0].inertia(2, 2), Eigen::VectorXd::Zero(links),
                      Eigen::VectorXd::Zero(links)};
    truth.run(2, 20000);
    double last = 0;
    const int base = links == 2 ? 250 : 1000;
    for (const int steps : {base, 2 * base, 4 * base}) {
      Recursing p(hingedChain(links));
      ASSERT_TRUE(p.run(2, 2.0 / steps));
      const double off = offFrom(truth, p);
      if (last > 0) {
        EXPECT_LT(off, last / 13) << links << " links, " << steps << " steps";
      }
      last = off;
      EXPECT_EQ(p.sum.halvings, 0);
    }
    EXPECT_LT(last, 1e-6) << links;
  }
}

// ------------------------------------------------------------ every joint, against a dense solve

// M a - Jᵀ λ = f, J a = -drift by complete orthogonal decomposition, from rows and loads alone.
std::vector<Six> denseAcceleration(const Mechanism& m, const Control& control, const State& state) {
  Rows rows;
  emitRows(m, control, state, rows);
  std::vector<Wrench> wrenches;
  gatherLoads(m, control, state, wrenches);
  const auto n = static_cast<Eigen::Index>(6 * m.solids.size());
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);  // M⁻¹
  Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
  for (std::size_t s = 0; s < m.solids.size(); ++s) {
    const MechanismSolid& solid = m.solids[s];
    if (solid.kind != SolidKind::Dynamic) continue;
    const Mat3 R = rotationMatrix(state.orientation[s]);
    const Mat3 I = R * solid.inertia * transpose(R),
               inverseI = R * solid.inverseInertia * transpose(R);
    const Vec3 torque = wrenches[s].torque - cross(state.spin[s], I * state.spin[s]);
    const auto at = static_cast<Eigen::Index>(6 * s);
    for (int i = 0; i < 3; ++i) {
      W(at + i, at + i) = solid.inverseMass;
      f(at + i) = wrenches[s].force[i];
      f(at + 3 + i) = torque[i];
      for (int j = 0; j < 3; ++j) W(at + 3 + i, at + 3 + j) = inverseI(i, j);
    }
  }
  std::vector<Row> hard;
  for (const Row& row : rows.rows)
    if (row.equality) hard.push_back(row);
  const auto count = static_cast<Eigen::Index>(hard.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(count, n);
  Eigen::VectorXd drift(count);
  for (Eigen::Index r = 0; r < count; ++r) {
    const Row& row = hard[static_cast<std::size_t>(r)];
    drift(r) = row.drift;
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
      for (int i = 0; i < 6; ++i)
        J(r, 6 * static_cast<Eigen::Index>(rows.blocks[b].solid) + i) = rows.blocks[b].J[i];
  }
  const Eigen::VectorXd free = W * f;
  const Eigen::VectorXd lambda =
      (J * W * J.transpose()).completeOrthogonalDecomposition().solve(-(J * free + drift));
  const Eigen::VectorXd a = free + W * J.transpose() * lambda;
  std::vector<Six> made(m.solids.size());
  for (std::size_t s = 0; s < made.size(); ++s)
    for (std::size_t i = 0; i < 6; ++i) made[s][i] = a(static_cast<Eigen::Index>(6 * s + i));
  return made;
}

// A tree of solids, each hanging on one before it or on the world by a joint of the given kind, and one hinge;
// either solid of a joint may be the nearer one. `points`: some of them are point masses.
Mechanism randomTree(const JointKind& kind, const JointExample& example, bool points,
                     Random& random) {
  Mechanism m;
  for (int i = 0; i < 5; ++i) {
    addSolid(m, random);
    MechanismSolid& solid = m.solids.back();
    solid.mass = random.uniform(0.5, 2);
    solid.inverseMass = 1 / solid.mass;
    const Mat3 R = rotationMatrix(random.rotation());
    solid.inertia = R * diagonal({0.3, 0.5, 0.7}) * transpose(R);
    solid.inverseInertia = inverse(solid.inertia);
    if (points && (i == 2 || i == 4)) {
      solid.pointMass = true;
      solid.inertia = solid.inverseInertia = {};
      solid.initial.q = {};
      solid.spin = {};
    }
    Index a = i == 0 ? kWorld : static_cast<Index>(random.uniform(0, i - 1e-9));
    Index b = static_cast<Index>(i);
    if (i == 4) a = 2;
    if (random.uniform(0, 1) < 0.5) std::swap(a, b);
    if (i == 1 && !points)
      addJoint(m, *findJointKind("pin"), a, b, {}, random);
    else
      addJoint(m, kind, a, b, example.options, random);
  }
  m.gravity = {0.3, -9.81, 1};
  return m;
}

class EveryTree : public testing::TestWithParam<std::string> {};

TEST_P(EveryTree, AcceleratesAsADenseSolveOfItsRowsSays) {
  const JointKind& kind = *findJointKind(GetParam());
  Random random(7);
  bool turned = false;
  for (int g = 0; g < kind.residualCount; ++g) turned = turned || kind.residualAngular[g];
  int compared[2] = {};
  for (const JointExample& example : examplesOf(kind))
    for (const bool points : {false, true})
      for (int trial = 0; trial < 8; ++trial) {
        if (points && turned) continue;  // a point mass cannot be turned
        Mechanism m = randomTree(kind, example, points, random);
        const Control control = initialControl(m);
        State state = initialState(m);
        PoseScratch posing;
        PoseSettings settings;
        settings.tolerance = 1e-12;
        if (assemble(m, control, {}, settings, state, posing).status != PoseStatus::Converged)
          continue;
        rememberTurns(m, state);
        StepScratch scratch;
        std::vector<Six> ours;
        ASSERT_TRUE(
            treeAcceleration(m, control, {}, 1e-3, state, scratch.buffers().recursive, ours))
            << kind.name;
        EXPECT_LT(jointError(m, control, state).max, 1e-13) << kind.name;
        Rows rows;
        emitRows(m, control, state, rows);
        for (const Row& row : rows.rows)
          EXPECT_NEAR(row.equality ? row.rate : 0, 0, 1e-10) << kind.name;
        const std::vector<Six> theirs = denseAcceleration(m, control, state);
        double size = 1;
        for (const Six& a : theirs)
          for (const double x : a) size = std::max(size, std::abs(x));
        for (std::size_t s = 0; s < ours.size(); ++s)
          for (std::size_t i = 0; i < 6; ++i)
            EXPECT_NEAR(ours[s][i], theirs[s][i], 1e-9 * size)
                << kind.name << " solid " << s << " " << i;
        ++compared[points ? 1 : 0];
      }
  const int all = 8 * static_cast<int>(examplesOf(kind).size());
  EXPECT_EQ(compared[0], all);
  EXPECT_EQ(compared[1], turned ? 0 : all);
}

// Two paths to one motion: charts and articulated bodies, and rows on free solids with corrections.
TEST_P(EveryTree, MovesAsThePoststabilizedSolidsDo) {
  const JointKind& kind = *findJointKind(GetParam());
  const auto apart = [](const State& a, const State& b) {
    double off = 0;
    for (std::size_t s = 0; s < a.position.size(); ++s)
      off = std::max(off, norm(a.position[s] - b.position[s]));
    return off;
  };
  for (const JointExample& example : examplesOf(kind)) {
    Random random(9);
    const int wanted = trialsOf(3);
    int compared = 0;
    for (int trial = 0; trial < 20 && compared < wanted; ++trial) {
      const Mechanism m = randomTree(kind, example, false, random);
      const Control control = initialControl(m);
      State start = initialState(m);
      PoseScratch posing;
      if (assemble(m, control, {}, {}, start, posing).status != PoseStatus::Converged) continue;
      rememberTurns(m, start);
      (void)projectVelocities(m, control, start, posing);
      StepScratch scratch;
      const auto moved = [&](Method method, int steps) {
        StepSettings settings;
        settings.method = method;
        settings.tolerance = 1e-12;
        State state = start;
        for (int i = 0; i < steps; ++i)
          EXPECT_TRUE(step(m, control, settings, 0.05 / steps, state, scratch).finite);
        return state;
      };
      // Where the other method has not settled (a disc that lies nearly flat), it is no measure.
      const State truth = moved(Method::Poststabilized, 200);
      if (apart(truth, moved(Method::Poststabilized, 100)) > 1e-9) continue;
      const State coarse = moved(Method::Recursive, 10), fine = moved(Method::Recursive, 20);
      EXPECT_LT(jointError(m, control, fine).max, 1e-11) << kind.name;
      if (kind.found == 0) {  // splines and meshes have kinks
        EXPECT_LT(apart(fine, truth), std::max(apart(coarse, truth) / 8, 1e-8)) << kind.name;
      }
      EXPECT_LT(apart(fine, truth), 1e-6) << kind.name << " " << example.name;
      ++compared;
    }
    EXPECT_EQ(compared, wanted) << kind.name << " " << example.name;
  }
}

std::vector<std::string> kindsOfFrames() {
  std::vector<std::string> names;
  for (const JointKind& kind : jointCatalogue())
    if (kind.relates == Relates::Frames && kind.residualCount > 0) names.emplace_back(kind.name);
  return names;
}
std::string testName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTree, testing::ValuesIn(kindsOfFrames()), testName);

// ------------------------------------------------------------------------------------------ loops

TEST(Recursive, KeepsLoopsClosedAndEnergyToFourthOrder) {
  for (const std::string name : {"linkages/four-bar", "linkages/bricard"}) {
    double last = 0;
    const double longest = name == "linkages/bricard" ? 16e-3 : 4e-3;
    for (const double dt : {longest, longest / 2, longest / 4}) {
      Recursing p(sceneFile(name));
      const double energy = p.energy();
      double drift = 0;
      for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(p.run(0.192, dt));
        EXPECT_LT(p.error(), 1e-11) << name;
        drift = std::max(drift, std::abs(p.energy() - energy));
      }
      EXPECT_TRUE(p.sum.converged);
      EXPECT_EQ(p.sum.halvings, 0);
      EXPECT_EQ(p.last.loopRows, 5u);
      EXPECT_EQ(p.last.note, "multipliers hold the loops, and each step ends by closing them");
      if (last > 0) {
        EXPECT_LT(drift, last / 13) << name << " at " << dt;
      }
      last = drift;
    }
    EXPECT_LT(last, 1e-7) << name;
  }
}

TEST(Recursive, KeepsJointsAtRounding) {
  Recursing p(hingedChain(5));
  ASSERT_TRUE(p.run(10, 2e-3));
  EXPECT_LT(p.error(), 1e-13);
  EXPECT_EQ(p.last.loopRows, 0u);
  EXPECT_TRUE(p.last.note.empty());
}

// A figure on a solid that moves as it is told, closed to a loop by the ground, against the solids taken one by one.
TEST(Recursive, HangsOnSolidsThatFollowTheirPaths) {
  const std::string text = R"(
gravity 0 -9.81 0;
solid hand animated; sphere 0.1; key 0 0 0 0; key 0.4 0.3 0.2 0 turn 0 0 1 1rad; key 1 0 0.1 0.2; end
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; end
joint pin first object1 hand; object2 a; at 0 0 0; axis 0 0 1; end
joint hooke second object1 b; object2 a; at 1 0 0; axis 0 0 1; end
joint rolling floor object2 b; point1 0 -0.3 0; axis1 0 1 0; point2 0.5 0 0; axis2 0 0 1;
  radius 0; crown 0.3; end
)";
  Recursing slow(text);
  slow.settings.method = Method::Poststabilized;
  slow.settings.tolerance = 1e-12;
  ASSERT_TRUE(slow.run(0.5, 2.5e-4));
  double last = 0;
  for (const double dt : {5e-3, 2.5e-3}) {
    Recursing p(text);
    ASSERT_TRUE(p.run(0.5, dt));
    EXPECT_LT(p.error(), 1e-11);
    EXPECT_EQ(p.last.loopRows, 3u);  // the floor: contact, and two of no slip
    double off = 0;
    for (const std::size_t s : {1u, 2u})
      off = std::max(off, norm(p.state.position[s] - slow.state.position[s]));
    if (last > 0) {
      EXPECT_LT(off, last / 13);
      EXPECT_LT(off, 1e-5);
    }
    last = off;
  }
}

// A force that ends where a step does gives its whole impulse, and no more.
TEST(Recursive, SeesWhatEndsWithAStepToItsEnd) {
  for (const Integrator integrator :
       {Integrator::Rk4, Integrator::Rk45, Integrator::AdamsMoulton}) {
    Recursing p(
        "gravity 0 0 0; solid a sphere 0.1; mass 2; end\n"
        "force push object a; vector 3N 0N 0N; active 0 0.125; end\n");
    p.settings.integrator = integrator;
    ASSERT_TRUE(p.run(0.25, 1.0 / 64));
    EXPECT_NEAR(p.state.velocity[0].x, 3 * 0.125 / 2, 1e-14);
  }
}

// Five links in a zigzag, hanging from the origin; the far end is held in its place by a ball joint.
std::string heldChain() {
  const double c = std::sqrt(0.75);
  std::string text = "gravity 0 -9.81 0;\n";
  for (int i = 0; i < 5; ++i) {
    const std::string k = std::to_string(i);
    text += "solid s" + k + " box 1 0.1 0.1; mass 1; at " + std::to_string((i + 0.5) * c) +
            " 0.25 0; turn 0 0 1 " + (i % 2 ? "-30deg" : "30deg") + "; end\n";
    text += "joint ball j" + k + (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") +
            " object2 s" + k + "; at " + std::to_string(i * c) + (i % 2 ? " 0.5" : " 0") +
            " 0; end\n";
  }
  return text + "joint ball grip object2 s4; at " + std::to_string(5 * c) + " 0.5 0; end\n";
}

// A pseudo-segment gives way a little, which is reported, and less the shorter the steps are; the motion is
// that of the exact joint.                                                  [ForseyWilhelms1988 §4.5]
TEST(HeavySegments, HoldALoopAndAnEndEffectorAndSayHowFarTheySlip) {
  for (const bool linkage : {true, false}) {
    double last = 0;
    for (const double dt : {4e-3, 2e-3, 1e-3}) {
      const auto scene = linkage ? sceneFile("linkages/four-bar") : parseScene(heldChain(), "held");
      Recursing exact(scene), p(scene);
      p.settings.recursive.loops = Loops::HeavySegments;
      p.settings.recursive.slip = 1e-5;
      double error = 0;
      for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(exact.run(4e-3, dt) && p.run(4e-3, dt));
        error = std::max(error, p.error());
      }
      EXPECT_EQ(p.last.heavyRows, linkage ? 5u : 3u);
      EXPECT_EQ(p.last.loopRows, 0u);
      EXPECT_EQ(p.last.note, "heavy segments hold the loops");
      EXPECT_GT(error, 1e-12);
      EXPECT_LE(error, p.sum.slip * (1 + 1e-9));
      EXPECT_LT(norm(p.state.position[2] - exact.state.position[2]), 1e-4);
      if (last > 0) {
        EXPECT_LT(p.sum.slip, last / 3) << linkage << " at " << dt;
      }
      last = p.sum.slip;
    }
    EXPECT_LT(last, 1e-6);
  }
}

// Pinned in full motion: the correcting force is changed and the step tried again.
TEST(HeavySegments, TryAgainWhenTheySlip) {
  Recursing patient(heldChain()), hasty(heldChain());
  for (Recursing* p : {&patient, &hasty}) {
    p->settings.recursive.loops = Loops::HeavySegments;
    for (std::size_t s = 0; s < 5; ++s) p->state.velocity[s] = {0, 0.5, 0.3};
  }
  patient.settings.recursive.slip = 1e-4;
  hasty.settings.recursive.slip = kInfinity;
  ASSERT_TRUE(patient.run(2e-3, 2e-3) && hasty.run(2e-3, 2e-3));
  EXPECT_GT(patient.sum.retries, 0);
  EXPECT_EQ(hasty.sum.retries, 0);
  EXPECT_LT(patient.sum.slip, 0.8 * hasty.sum.slip);
  EXPECT_EQ(patient.last.converged, patient.sum.slip <= 1e-4);
}

// ----------------------------------------------------------------------------------- integrators

TEST(Recursive, ReachesTheToleranceAskedForByStepControl) {
  const Recursing still(hingedChain(5));
  PlanarChain truth{5, still.m.solids[0].inertia(2, 2), Eigen::VectorXd::Zero(5),
                    Eigen::VectorXd::Zero(5)};
  truth.run(1, 20000);
  for (const Integrator integrator : {Integrator::Rk45, Integrator::AdamsMoulton}) {
    int last = 0;
    double lastOff = 1;
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      Recursing p(hingedChain(5));
      p.settings.integrator = integrator;
      p.settings.recursive.stepTolerance = tolerance;
      ASSERT_TRUE(p.run(1, 1.0 / 60));
      EXPECT_TRUE(p.sum.converged);
      const double off = offFrom(truth, p);
      EXPECT_LT(off, 60 * tolerance) << tolerance;  // as much in each of 60 steps
      EXPECT_LT(off, lastOff / 10) << tolerance;
      lastOff = off;
      EXPECT_GT(p.sum.rejected, 0);
      EXPECT_GT(p.sum.evaluations, 1.5 * last);  // and spends more on it
      last = p.sum.evaluations;
    }
  }
}

TEST(Recursive, IsOfFirstOrderWithEuler) {
  const Recursing still(hingedChain(2));
  PlanarChain truth{2, still.m.solids[0].inertia(2, 2), Eigen::VectorXd::Zero(2),
                    Eigen::VectorXd::Zero(2)};
  truth.run(0.5, 5000);
  double last = 0;
  for (const int steps : {500, 1000, 2000}) {
    Recursing p(hingedChain(2));
    p.settings.integrator = Integrator::Euler;
    ASSERT_TRUE(p.run(0.5, 0.5 / steps));
    const double off = offFrom(truth, p);
    if (last > 0) {
      EXPECT_NEAR(last / off, 2, 0.2);
    }
    last = off;
  }
}

// A joint that turns many times within a step: the step is halved until the chart can follow.
TEST(Recursive, HalvesStepsThatTurnTooFar) {
  Recursing p(
      "gravity 0 0 0; solid a cylinder 0.5 0.1; spin 0 600 0; end\n"
      "joint pin axle object2 a; at 0 0 0; axis 0 1 0; end\n");
  ASSERT_TRUE(p.run(1.0 / 60, 1.0 / 60));
  EXPECT_GT(p.last.halvings, 0);
  EXPECT_GE(p.last.substeps, 4);
  EXPECT_NEAR(p.state.spin[0].y, 600, 1e-9);
  EXPECT_NEAR(std::abs(p.state.orientation[0].w), std::abs(std::cos(5.0)), 1e-12);
}

// ----------------------------------------------------------------------------------------- limits

// A rod that rests on its limit leans on the spring there: τ = k (c - limit).
TEST(Recursive, LeansOnTheSpringOfALimit) {
  Recursing p(R"(
gravity 0 -9.81 0;
solid a box 1 0.1 0.1; mass 1; at 0.5 0 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; limit angle min -0.5; end
)");
  p.settings.recursive.limitStiffness = 400;
  ASSERT_TRUE(p.run(3, 1e-3));
  const double angle = p.coordinate(0);
  EXPECT_LT(norm(p.state.spin[0]), 1e-9);
  EXPECT_NEAR(400 * (-0.5 - angle), 0.5 * 9.81 * std::cos(angle), 1e-6);
}

// ---------------------------------------------------------------------------------------- merging

// Two solids become one: a plastic impact. Momenta stay, and what is left turns like one solid.
TEST(Merge, SharesMomentumAsAPlasticImpactDoes) {
  Recursing p(R"(
gravity 0 0 0;
solid a box 1 0.2 0.1; at 0.5 0 0; velocity 0 1 0; spin 0 0 2; end
solid b box 1 0.1 0.3; at 1.5 0 0; velocity 0 1 -1; spin 0 2 -2; end
joint ball j object1 a; object2 b; at 1 0 0; end
)");
  const Momentum before = momentum(p.m, p.state);
  const double energy = p.energy();
  p.control.merged = {1};
  const Vec3 apart = p.state.position[1] - p.state.position[0];
  ASSERT_TRUE(p.run(1e-3, 1e-3));
  const Momentum after = momentum(p.m, p.state);
  EXPECT_LT(norm(after.linear - before.linear), 1e-11 * norm(before.linear));
  EXPECT_LT(norm(after.angular - before.angular), 1e-9 * norm(before.angular));
  EXPECT_LT(p.energy(), 0.95 * energy);
  EXPECT_LT(norm(p.state.spin[0] - p.state.spin[1]), 1e-12);
  // I ω = L about the common centre of mass, at the pose before the step.
  const double m0 = p.m.solids[0].mass, m1 = p.m.solids[1].mass, reduced = m0 * m1 / (m0 + m1);
  Mat3 inertia = p.m.solids[0].inertia + p.m.solids[1].inertia;
  inertia += reduced * (dot(apart, apart) * identity3() - outer(apart, apart));
  const Vec3 centre = (1 / (m0 + m1)) * (m0 * Vec3{0.5, 0, 0} + m1 * Vec3{1.5, 0, 0});
  const Vec3 spin = inverse(inertia) * (before.angular - cross(centre, before.linear));
  EXPECT_LT(norm(p.state.spin[0] - spin), 1e-2);  // one step later
  // It stays one solid, and keeps its energy.
  const double left = p.energy();
  const Quat lean = conjugate(p.state.orientation[0]) * p.state.orientation[1];
  ASSERT_TRUE(p.run(1, 1e-3));
  const Quat later = conjugate(p.state.orientation[0]) * p.state.orientation[1];
  EXPECT_LT(std::abs(later.x - lean.x) + std::abs(later.y - lean.y) + std::abs(later.z - lean.z),
            1e-13);
  EXPECT_NEAR(p.energy(), left, 1e-9 * left);
  EXPECT_LT(norm(momentum(p.m, p.state).angular - before.angular), 1e-8 * norm(before.angular));
  // Set free again, it moves in its joint.
  p.control.merged.clear();
  p.state.spin[1] += Vec3{0, 1, 0};
  ASSERT_TRUE(p.run(0.5, 1e-3));
  EXPECT_GT(norm(p.state.spin[0] - p.state.spin[1]), 0.1);
  EXPECT_LT(p.error(), 1e-13);
}

TEST(Merge, NeverGainsEnergyAndMayLockALoop) {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    Recursing p(sceneFile("figures/quadruped"));
    ASSERT_TRUE(p.run(1e-3, 1e-3));
    for (std::size_t s = 0; s < p.state.spin.size(); ++s) p.state.spin[s] = randomVector(random, 3);
    ASSERT_TRUE(p.run(1e-6, 1e-6));  // velocities that its joints allow
    const double energy = kineticEnergy(p.m, p.state);
    const Momentum before = momentum(p.m, p.state);
    p.control.merged.assign(p.m.joints.size(), 0);
    for (std::uint8_t& merged : p.control.merged) merged = random.uniform(0, 1) < 0.4 ? 1 : 0;
    ASSERT_TRUE(p.run(1e-6, 1e-6));
    EXPECT_LT(kineticEnergy(p.m, p.state), energy * (1 + 1e-4));
    EXPECT_LT(norm(momentum(p.m, p.state).angular - before.angular),
              1e-3 * norm(before.angular));  // gravity, for a microsecond
  }
  Recursing locked(sceneFile("linkages/four-bar"));
  locked.control.merged = {0, 1, 0, 0};  // three bars and three pins are a truss
  const State start = locked.state;
  ASSERT_TRUE(locked.run(1, 1e-2));
  for (std::size_t s = 0; s < start.position.size(); ++s)
    EXPECT_LT(norm(locked.state.position[s] - start.position[s]), 1e-9);
}

// -------------------------------------------------------------------------------- set to a value

TEST(SetCoordinate, MovesTheFarSideAndNothingElse) {
  Recursing p(hingedChain(4));
  ASSERT_TRUE(p.run(0.3, 1e-3));
  const State before = p.state;
  double coordinates[4], rates[4];
  Rows rows;
  for (Index j = 0; j < 4; ++j) {
    coordinates[j] = p.coordinate(j);
    emitCoordinateRow(p.m, p.state, j, 0, rows);
    rates[j] = rows.rows.back().rate;
  }
  const SetReport report = setCoordinate(p.m, p.control, p.settings, 2, 0, 7.5, p.state, p.scratch);
  EXPECT_TRUE(report.reached);
  EXPECT_NEAR(p.coordinate(2), 7.5, 1e-10);  // more than a turn
  EXPECT_LT(p.error(), 1e-13);
  rows.clear();
  for (Index j = 0; j < 4; ++j) {
    if (j != 2) {
      EXPECT_NEAR(p.coordinate(j), coordinates[j], 1e-12);
    }
    emitCoordinateRow(p.m, p.state, j, 0, rows);
    EXPECT_NEAR(rows.rows.back().rate, rates[j], 1e-10);
  }
  for (const std::size_t s : {0u, 1u})
    EXPECT_LT(norm(p.state.position[s] - before.position[s]), 1e-14);
  EXPECT_GT(norm(p.state.position[3] - before.position[3]), 0.1);
}

TEST(SetCoordinate, KeepsTheOtherCoordinatesOfTheJoint) {
  for (const std::string kind : {"ball", "hooke", "cylindrical", "planar"}) {
    Recursing p(
        "gravity 0 0 0; solid a box 1 0.1 0.1; at 0.5 0 0; end\n"
        "solid b box 1 0.1 0.1; at 1.5 0 0; turn 1 2 3 20deg; end\n"
        "joint ball root object2 a; at 0 0 0; end\n"
        "joint " +
        kind + " j object1 a; object2 b; at 1 0 0; axis 0 0 1; end\n");
    const JointKind& joint = *p.m.joints[1].kind;
    PoseScratch posing;
    ASSERT_EQ(assemble(p.m, p.control, {}, {}, p.state, posing).status, PoseStatus::Converged);
    rememberTurns(p.m, p.state);
    for (Index c = 0; c < static_cast<Index>(joint.freeCount); ++c) {
      const JointValues before = jointValues(p.m, p.state, 1);
      const double value = before.coordinate[c] + 0.45;
      EXPECT_TRUE(
          setCoordinate(p.m, p.control, p.settings, 1, c, value, p.state, p.scratch).reached)
          << kind << " " << c;
      const JointValues after = jointValues(p.m, p.state, 1);
      for (Index d = 0; d < static_cast<Index>(joint.freeCount); ++d)
        EXPECT_NEAR(after.coordinate[d], d == c ? value : before.coordinate[d], 1e-8)
            << kind << " " << c << " " << d;
    }
  }
}

// The crank of a four-bar linkage, against the linkage drawn at that angle.
TEST(SetCoordinate, ClosesLoopsAgain) {
  Recursing p(sceneFile("linkages/four-bar"));
  const double now = p.coordinate(0);
  EXPECT_TRUE(
      setCoordinate(p.m, p.control, p.settings, 0, 0, now + kPi / 2, p.state, p.scratch).reached);
  EXPECT_LT(p.error(), 1e-10);
  ParseOptions options;
  options.set = {{"angle", "150deg"}};
  const Recursing drawn(
      loadScene(std::string(TENON_SOURCE_DIR) + "/scenes/linkages/four-bar.tenon", options));
  for (std::size_t s = 0; s < p.state.position.size(); ++s)
    EXPECT_LT(norm(p.state.position[s] - drawn.state.position[s]), 1e-9);
  // The rocker swings to and fro; it cannot go round.
  const SetReport report =
      setCoordinate(p.m, p.control, p.settings, 3, 0, p.coordinate(3) + kPi, p.state, p.scratch);
  EXPECT_FALSE(report.reached);
  EXPECT_GT(report.error, 0.5);
  EXPECT_LT(p.error(), 1e-10);
}

// Whatever is asked for, the work is bounded. Where nothing else depends on the joint, whole turns are counted and not
// made, and slides go in one stride.
TEST(SetCoordinate, CountsWholeTurnsOfAJointThatNothingDependsOn) {
  for (const double value : {1e3, -1e5, 1e6, 1e12}) {
    Recursing p(hingedChain(3));
    const SetReport report =
        setCoordinate(p.m, p.control, p.settings, 1, 0, value, p.state, p.scratch);
    EXPECT_TRUE(report.reached) << value;
    EXPECT_NEAR(p.coordinate(1), value, 1e-9 + 1e-15 * std::abs(value));
    EXPECT_LE(report.strides, 8) << value;
    EXPECT_LT(p.error(), 1e-12);
    // The same pose as without the turns.
    Recursing q(hingedChain(3));
    const double turns = std::floor(value / (2 * kPi) + 0.5);
    (void)setCoordinate(q.m, q.control, q.settings, 1, 0, value - 2 * kPi * turns, q.state,
                        q.scratch);
    for (std::size_t s = 0; s < p.state.position.size(); ++s)
      EXPECT_LT(norm(p.state.position[s] - q.state.position[s]), 1e-9 + 1e-15 * std::abs(value));
  }
  Recursing slide(
      "gravity 0 0 0; solid a box 1 1 1; end joint prismatic rail object2 a; axis 1 0 0; end");
  const SetReport far =
      setCoordinate(slide.m, slide.control, slide.settings, 0, 0, 1e6, slide.state, slide.scratch);
  EXPECT_TRUE(far.reached);
  EXPECT_LE(far.strides, 4);
}

// A loop goes every stride of its way, so it goes so far and no farther; asked again it goes on.
TEST(SetCoordinate, EndsAfterSoManyStridesAndGoesOnWhereItIsAskedAgain) {
  Recursing p(sceneFile("linkages/slider-crank"));
  const double start = p.coordinate(0);
  const SetReport first =
      setCoordinate(p.m, p.control, p.settings, 0, 0, start + 1e6, p.state, p.scratch);
  EXPECT_FALSE(first.reached);
  EXPECT_LE(first.strides, 1000);
  EXPECT_GT(p.coordinate(0), start + 50);
  EXPECT_NEAR(first.error, start + 1e6 - p.coordinate(0), 1e-6);
  EXPECT_LT(p.error(), 1e-9);
  const double reached = p.coordinate(0);
  const SetReport again =
      setCoordinate(p.m, p.control, p.settings, 0, 0, start + 1e6, p.state, p.scratch);
  EXPECT_LE(again.strides, 1000);
  EXPECT_GT(p.coordinate(0), reached + 50);
  EXPECT_TRUE(setCoordinate(p.m, p.control, p.settings, 0, 0, reached, p.state, p.scratch).strides >
              100);
}

// Two joints of a loop of four are frozen: the crank cannot turn, and a tolerance as wide as that takes standing still for
// having followed. That is no progress.
TEST(SetCoordinate, EndsWhereNothingMoves) {
  for (const double tolerance : {1e-10, 1e-2}) {
    Recursing p(sceneFile("linkages/slider-crank"));
    p.settings.tolerance = tolerance;
    p.control.merged.assign(p.m.joints.size(), 0);
    p.control.merged[1] = p.control.merged[2] = 1;
    const State before = p.state;
    const SetReport report =
        setCoordinate(p.m, p.control, p.settings, 0, 0, p.coordinate(0) + 2, p.state, p.scratch);
    EXPECT_FALSE(report.reached) << tolerance;
    EXPECT_GT(report.error, 1) << tolerance;
    EXPECT_LE(report.strides, 60) << tolerance;
    for (std::size_t s = 0; s < p.state.position.size(); ++s)
      EXPECT_LT(norm(p.state.position[s] - before.position[s]), 0.1) << tolerance;
  }
}

// --------------------------------------------------------------------------------- cost and memory

// How often the mathematics of a joint is asked for.
long asked = 0;
void (*originalJets)(const JointKind&, const JointInput<Jet>&, JointOutput<Jet>&) = nullptr;

TEST(Recursive, CostsTheSamePerJointHoweverManyThereAre) {
  JointKind counted = *findJointKind("hooke");
  originalJets = counted.jets;
  counted.jets = [](const JointKind& kind, const JointInput<Jet>& in, JointOutput<Jet>& out) {
    ++asked;
    originalJets(kind, in, out);
  };
  double last = 0;
  for (const int links : {10, 100, 1000}) {
    Recursing p(hingedChain(links));
    for (MechanismJoint& joint : p.m.joints) joint.kind = &counted;
    // Hooke's joints remember two angles, hinges one.
    p.state.memory.assign(2 * p.m.joints.size(), 0);
    for (Index j = 0; j < p.m.joints.size(); ++j) p.m.joints[j].firstMemory = 2 * j;
    asked = 0;
    ASSERT_TRUE(p.run(0.01, 1e-3));
    const double perJoint = static_cast<double>(asked) / links;
    EXPECT_LT(perJoint, 10 * 6 * 4);
    if (last > 0) {
      EXPECT_LT(perJoint, 1.1 * last);
    }
    last = perJoint;
    EXPECT_EQ(p.sum.evaluations, 40);
  }
}

TEST(Recursive, AsksForNoMemoryAndKeepsNothingInItsScratch) {
  for (const std::string name :
       {"linkages/four-bar", "gascuel/monocycle", "manikin/chair", "jeon/cloth"})
    for (const Integrator integrator :
         {Integrator::Euler, Integrator::Rk4, Integrator::Rk45, Integrator::AdamsMoulton})
      for (const Loops loops : {Loops::Multipliers, Loops::HeavySegments}) {
        Recursing kept(sceneFile(name)), fresh(sceneFile(name));
        for (Recursing* p : {&kept, &fresh}) {
          p->settings.integrator = integrator;
          p->settings.recursive.loops = loops;
          p->settings.recursive.stepTolerance = 1e-6;
        }
        const double dt = 1e-3;
        for (int i = 0; i < 4; ++i) {
          const long before = allocationCount();
          ASSERT_TRUE(
              step(kept.m, kept.control, kept.settings, dt, kept.state, kept.scratch).finite);
          if (i > 0) {
            EXPECT_EQ(allocationCount(), before) << name << " " << static_cast<int>(integrator);
          }
          StepScratch thrownAway;
          ASSERT_TRUE(
              step(fresh.m, fresh.control, fresh.settings, dt, fresh.state, thrownAway).finite);
        }
        EXPECT_EQ(differenceOf(kept.state, fresh.state), "") << name;
      }
}

}  // namespace
}  // namespace tenon::test
