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

#include "joints/two_solids.h"
#include "math/random.h"
#include "methods/verbs.h"

namespace tenon::test {
namespace {

struct Moving {
  Mechanism m;
  Control control;
  State state;
  StepSettings settings;
  StepScratch scratch;
  StepReport last, sum;

  explicit Moving(const std::string& text) : Moving(parseScene(text, "test")) {}
  explicit Moving(const Result<Scene>& scene) {
    EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : describe(scene.problems().front()));
    if (scene.ok()) {
      auto made = compile(*scene);
      EXPECT_TRUE(made.ok()) << (made.ok() ? "" : describe(made.problems().front()));
      if (made.ok()) m = std::move(*made);
    }
    control = initialControl(m);
    state = initialState(m);
    settings.method = Method::Recursive;
  }
  bool run(double time, double dt) {
    const long steps = std::lround(time / dt);
    for (long i = 0; i < steps; ++i) {
      last = step(m, control, settings, dt, state, scratch);
      if (!last.finite) return false;
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
  [[nodiscard]] double error() const { return jointError(m, control, state).max; }
  [[nodiscard]] double energy() const {
    return kineticEnergy(m, state) + potentialEnergy(m, control, state);
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
    Moving p(hingedChain(1));
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

double offFrom(const PlanarChain& truth, const Moving& p) {
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
    const Moving still(hingedChain(links));
    PlanarChain truth{links, still.m.solids[0].inertia(2, 2), Eigen::VectorXd::Zero(links),
                      Eigen::VectorXd::Zero(links)};
    truth.run(2, links == 2 ? 20000 : 40000);
    double last = 0;
    const int base = links == 2 ? 250 : 2000;
    for (const int steps : {base, 2 * base, 4 * base}) {
      Moving p(hingedChain(links));
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
    for (const double dt : {4e-3, 2e-3, 1e-3}) {
      Moving p(sceneFile(name));
      const double energy = p.energy();
      double drift = 0;
      for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(p.run(0.2, dt));
        EXPECT_LT(p.error(), 1e-11) << name;
        drift = std::max(drift, std::abs(p.energy() - energy));
      }
      EXPECT_TRUE(p.sum.converged);
      EXPECT_EQ(p.sum.halvings, 0);
      EXPECT_EQ(p.last.loopRows, 5u);
      EXPECT_EQ(p.last.note, "loops are held by multipliers, and closed after each step");
      printf("%s %g drift %g\n", name.c_str(), dt, drift);
      if (last > 0) {
        EXPECT_LT(drift, last / 13) << name << " at " << dt;
      }
      last = drift;
    }
  }
}

// The same four bars, the last pin a pseudo-segment.
TEST(HeavySegments, X) {
  for (const double dt : {4e-3, 1e-3}) {
    Moving exact(sceneFile("linkages/four-bar")), p(sceneFile("linkages/four-bar"));
    p.settings.loops = Loops::HeavySegments;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(exact.run(0.2, dt) && p.run(0.2, dt));
      printf("%g: error %g slip %g retries %d off %g note %s\n", dt, p.error(), p.sum.slip,
             p.sum.retries, norm(p.state.position[2] - exact.state.position[2]),
             std::string(p.last.note).c_str());
    }
  }
  std::string text = "gravity 0 -9.81 0;\n";
  for (int i = 0; i < 5; ++i) {
    const std::string k = std::to_string(i);
    const std::string x = std::to_string(i * std::sqrt(0.75)), y = i % 2 ? "0.5" : "0";
    text += "solid s" + k + " box 1 0.1 0.1; mass 1; at " +
            std::to_string((i + 0.5) * std::sqrt(0.75)) + " 0.25 0; turn 0 0 1 " +
            (i % 2 ? "-30deg" : "30deg") + "; end\n";
    text += "joint ball j" + k + (i > 0 ? " object1 s" + std::to_string(i - 1) + ";" : "") +
            " object2 s" + k + "; at " + x + " " + y + " 0; end\n";
  }
  text += "joint ball grip object2 s4; at " + std::to_string(5 * std::sqrt(0.75)) + " 0.5 0; end\n";
  for (const double dt : {4e-3, 1e-3}) {
    Moving exact(text), p(text);
    for (Moving* q : {&exact, &p}) q->state.spin[2] = {0, 0, 0.1};
    p.settings.loops = Loops::HeavySegments;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(exact.run(0.2, dt) && p.run(0.2, dt));
      printf("%g: error %g slip %g retries %d off %g conv %d note %s\n", dt, p.error(), p.sum.slip,
             p.sum.retries, norm(p.state.position[2] - exact.state.position[2]), p.sum.converged,
             std::string(p.last.note).c_str());
    }
  }
}

// ------------------------------------------------------------------------------------ step control
TEST(Integrators, X) {
  const Moving still(hingedChain(5));
  PlanarChain truth{5, still.m.solids[0].inertia(2, 2), Eigen::VectorXd::Zero(5),
                    Eigen::VectorXd::Zero(5)};
  truth.run(1, 20000);
  for (const Integrator integrator :
       {Integrator::Euler, Integrator::Rk4, Integrator::Rk45, Integrator::AdamsMoulton})
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      Moving p(hingedChain(5));
      p.settings.integrator = integrator;
      p.settings.stepTolerance = tolerance;
      const bool ok = p.run(1, 1.0 / 60);
      printf("%d tol %g ok %d off %g substeps %d rejected %d evals %d halvings %d conv %d\n",
             static_cast<int>(integrator), tolerance, ok, offFrom(truth, p), p.sum.substeps,
             p.sum.rejected, p.sum.evaluations, p.sum.halvings, p.sum.converged);
    }
}

}  // namespace
}  // namespace tenon::test
