// What must hold of every joint of the catalogue, whatever it is: a new joint is tested by being
// there. Derivatives are checked against differences, at random poses and velocities.
#include <gtest/gtest.h>
#include <tenon/joint.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "joints/joint_math.h"
#include "joints/step_rows.h"
#include "two_solids.h"

namespace tenon::test {
namespace {

struct Case {
  const JointKind* kind;
  JointExample example;
};

class EveryJoint : public testing::TestWithParam<Case> {
 protected:
  const JointKind& kind() const { return *GetParam().kind; }
  Mechanism sample(Random& random) const { return twoSolids(kind(), GetParam().example, random); }
};

// What is stated of some kinds only is tried for these, so that no case passes because it looked at nothing.
class EveryJointOfFrames : public EveryJoint {};  // they can be put where one likes
class EveryPlainJointOfFrames : public EveryJoint {
};  // the others' derivatives near closure have tests of their own
class EveryJointOfSolids : public EveryJoint {
};  // those of coordinates have other joints, which hold the world
class EveryDistance : public EveryJoint {};

constexpr int kTrials = 40;

Rows rowsAt(const Mechanism& m, const State& state) {
  Rows rows;
  emitRows(m, initialControl(m), state, rows);
  return rows;
}

// Component i % 6 (linear, angular) of the motion of solid i / 6.
double& motionOf(State& state, int i) {
  const auto solid = static_cast<std::size_t>(i / 6);
  return i % 6 < 3 ? state.velocity[solid][i % 3] : state.spin[solid][i % 3];
}

// Unit motion number `i` of all solids.
void setMotion(State& state, int i, double size) {
  for (std::size_t s = 0; s < state.velocity.size(); ++s) state.velocity[s] = state.spin[s] = {};
  motionOf(state, i) = size;
}

int motions(const Mechanism& m) { return 6 * static_cast<int>(m.solids.size()); }

double jacobianEntry(const Rows& rows, const Row& row, int i) {
  for (Index b = 0; b < row.blockCount; ++b) {
    const RowBlock& block = rows.blocks[row.firstBlock + b];
    if (block.solid == static_cast<Index>(i / 6)) return block.J[i % 6];
  }
  return 0;
}

// K(λ) of joint 0 as a full matrix.
Eigen::MatrixXd stiffnessAt(const Mechanism& m, const State& state,
                            const std::vector<double>& lambda) {
  std::vector<StiffnessBlock> blocks;
  emitStiffness(m, state, 0, lambda, blocks);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(motions(m), motions(m));
  for (const StiffnessBlock& block : blocks)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        const int r = 6 * static_cast<int>(block.solid1) + i;
        const int c = 6 * static_cast<int>(block.solid2) + j;
        K(r, c) += block.K[i][j];
        if (block.solid1 != block.solid2) K(c, r) += block.K[i][j];
      }
  return K;
}

// Multipliers at random for the position rows of joint 0, and Σ λ f(row) over these rows.
std::vector<double> randomMultipliers(const Mechanism& m, Random& random) {
  std::vector<double> lambda(slotCount(m.joints[0]), 0.0);
  for (double& l : lambda) l = random.uniform(-1, 1);
  return lambda;
}
template <class F>
double weighted(const Mechanism& m, const Rows& rows, const std::vector<double>& lambda, F f) {
  double sum = 0;
  for (const Row& row : rows.rows)
    if (row.asker.number == 0 && !row.velocity)
      sum += lambda[row.key - m.joints[0].firstSlot] * f(row);
  return sum;
}

TEST_P(EveryJoint, JacobianMatchesDifferencesOfTheError) {
  Random random(11);
  for (int trial = 0; trial < kTrials; ++trial) {
    Mechanism m = sample(random);
    addRules(m, random);
    State state = randomState(m, random);
    const Rows rows = rowsAt(m, state);
    for (int i = 0; i < motions(m); ++i) {
      State unit = state;
      setMotion(unit, i, 1);
      const double h = 1e-5;
      State ahead = movedOn(unit, h), behind = movedOn(unit, -h);
      ahead.time = behind.time = state.time;
      const Rows plus = rowsAt(m, ahead), minus = rowsAt(m, behind);
      for (std::size_t r = 0; r < rows.rows.size(); ++r)
        if (!rows.rows[r].velocity) {
          EXPECT_NEAR(jacobianEntry(rows, rows.rows[r], i),
                      (plus.rows[r].error - minus.rows[r].error) / (2 * h), 2e-7)
              << kind().name << " row " << r << " motion " << i;
        }
    }
  }
}

// Where every real mechanism lives: at closure and a little off it. Residuals only, as coordinates
// that are angles of axes have a cone's tip there.
TEST_P(EveryPlainJointOfFrames, ResidualDerivativesHoldNearClosure) {
  Random random(24);
  for (const double turn : {0.0, 1e-8, 1e-5, 1e-3, 0.1, 0.3, 0.33})
    for (const double shift : {0.0, 1e-3, 1.0}) {
      const Mechanism m = sample(random);
      const Vec3 off = shift * random.direction();
      if (shift == 0 && kind().locked == 0) continue;  // coinciding points are no closure of a rod
      const State state = stateAt(m, {off, exponential(turn * random.direction())}, random);
      const Rows rows = rowsAt(m, state);
      const double h = 1e-5 * (shift > 0 && kind().locked == 0 ? std::min(1.0, shift) : 1.0);
      for (int i = 0; i < motions(m); ++i) {
        State unit = state;
        setMotion(unit, i, 1);
        State ahead = movedOn(unit, h), behind = movedOn(unit, -h);
        ahead.time = behind.time = state.time;
        const Rows plus = rowsAt(m, ahead), minus = rowsAt(m, behind);
        for (std::size_t r = 0; r < rows.rows.size(); ++r)
          EXPECT_NEAR(jacobianEntry(rows, rows.rows[r], i),
                      (plus.rows[r].error - minus.rows[r].error) / (2 * h),
                      5e-7 / std::min(1.0, h / 1e-5))
              << kind().name << " row " << r << " motion " << i << " turn " << turn;
      }
      const Rows plus = rowsAt(m, movedOn(state, h)), minus = rowsAt(m, movedOn(state, -h));
      for (std::size_t r = 0; r < rows.rows.size(); ++r) {
        const double drift = (plus.rows[r].rate - minus.rows[r].rate) / (2 * h);
        EXPECT_NEAR(rows.rows[r].drift, drift, 1e-5 * (1 + std::abs(drift))) << kind().name;
      }
      const std::vector<double> lambda = randomMultipliers(m, random);
      const Eigen::MatrixXd K = stiffnessAt(m, state, lambda);
      const double drift = weighted(m, rows, lambda, [](const Row& row) { return row.drift; });
      State at = state;
      double form = 0;
      for (int i = 0; i < motions(m); ++i)
        for (int j = 0; j < motions(m); ++j) form += motionOf(at, i) * K(i, j) * motionOf(at, j);
      EXPECT_NEAR(form, drift, 1e-9 * (1 + std::abs(drift))) << kind().name << turn;
    }
}

// A point mass does not turn: no row reaches its rotation, and neither does the stiffness.
TEST_P(EveryJoint, LeavesTheRotationOfAPointMassAlone) {
  Random random(25);
  for (const Index point : {0u, 1u}) {
    Mechanism m = sample(random);
    m.solids[point].pointMass = true;
    const State state = randomState(m, random);
    const Rows rows = rowsAt(m, state);
    for (const RowBlock& block : rows.blocks)
      for (int i = 3; i < 6 && block.solid == point; ++i) EXPECT_EQ(block.J[i], 0);
    const Eigen::MatrixXd K = stiffnessAt(m, state, randomMultipliers(m, random));
    const int first = 6 * static_cast<int>(point) + 3;
    EXPECT_EQ(K.middleRows(first, 3).norm(), 0);
    EXPECT_EQ(K.middleCols(first, 3).norm(), 0);
  }
}

TEST_P(EveryJoint, RateIsJacobianTimesVelocityPlusTimePart) {
  Random random(12);
  for (int trial = 0; trial < kTrials; ++trial) {
    Mechanism m = sample(random);
    addRules(m, random);
    const State state = randomState(m, random);
    const Rows rows = rowsAt(m, state);
    for (const Row& row : rows.rows) {
      double rate = row.timeRate;
      for (Index b = 0; b < row.blockCount; ++b) {
        const RowBlock& block = rows.blocks[row.firstBlock + b];
        for (int i = 0; i < 3; ++i)
          rate += block.J[i] * state.velocity[block.solid][i] +
                  block.J[3 + i] * state.spin[block.solid][i];
      }
      EXPECT_NEAR(row.rate, rate, 1e-12 * (1 + std::abs(rate)));
    }
  }
}

TEST_P(EveryJoint, TimePartMatchesDifferencesInTimeAlone) {
  Random random(13);
  for (int trial = 0; trial < kTrials; ++trial) {
    Mechanism m = sample(random);
    addRules(m, random);
    const State state = randomState(m, random);
    State ahead = state, behind = state;
    const double h = 1e-5;
    ahead.time += h;
    behind.time -= h;
    const Rows rows = rowsAt(m, state), plus = rowsAt(m, ahead), minus = rowsAt(m, behind);
    for (std::size_t r = 0; r < rows.rows.size(); ++r)
      EXPECT_NEAR(rows.rows[r].timeRate, (plus.rows[r].error - minus.rows[r].error) / (2 * h),
                  1e-8);
  }
}

// Along a motion with constant v and ω, Φ̈ is the drift; rates are exact, so that one difference
// of them shows second derivatives, the drift and the mixed and pure time parts at once.
TEST_P(EveryJoint, DriftMatchesDifferencesOfTheRate) {
  Random random(14);
  for (int trial = 0; trial < kTrials; ++trial) {
    Mechanism m = sample(random);
    addRules(m, random);
    const State state = randomState(m, random);
    const double h = 1e-5;
    const Rows rows = rowsAt(m, state);
    const Rows plus = rowsAt(m, movedOn(state, h)), minus = rowsAt(m, movedOn(state, -h));
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double drift = (plus.rows[r].rate - minus.rows[r].rate) / (2 * h);
      // A spline's third derivative jumps at its knots: a difference across one is less exact.
      const double tolerance = kind().found > 0 ? 1e-4 : 1e-6;
      EXPECT_NEAR(rows.rows[r].drift, drift, tolerance * (1 + std::abs(drift)))
          << kind().name << " " << r;
    }
  }
}

// K(λ) is the Hessian of Σ λ Φ in the exponential chart: vᵀ K v is the drift of position rows for
// every v, and so for all pairs of unit motions. Rules have no time part here.
TEST_P(EveryJoint, StiffnessIsTheQuadraticFormOfTheDrift) {
  Random random(15);
  for (int trial = 0; trial < 4; ++trial) {
    Mechanism m = sample(random);
    addRules(m, random);
    for (MechanismRule& rule : m.rules) rule.target = {};
    State state = randomState(m, random);
    const std::vector<double> lambda = randomMultipliers(m, random);
    std::vector<double> alone = lambda;  // a rule with one row has no second multiplier
    const Rows present = rowsAt(m, state);
    std::vector<bool> used(alone.size(), false);
    for (const Row& row : present.rows)
      if (row.asker.number == 0) used[row.key - m.joints[0].firstSlot] = true;
    for (std::size_t i = 0; i < alone.size(); ++i)
      if (!used[i]) alone[i] = 0;
    // An upper limit pushes down: its row is upper - c, and its multiplier enters with that sign.
    const Eigen::MatrixXd K = stiffnessAt(m, state, alone);
    for (int i = 0; i < motions(m); ++i)
      for (int j = 0; j <= i; ++j) {
        EXPECT_NEAR(K(i, j), K(j, i), 1e-12 * (1 + K.norm()));
        setMotion(state, i, 1);
        motionOf(state, j) += 1;
        const Rows rows = rowsAt(m, state);
        const double drift = weighted(m, rows, alone, [](const Row& row) { return row.drift; });
        const double form = K(i, i) + K(j, j) + K(i, j) + K(j, i);
        EXPECT_NEAR(form, drift, 1e-9 * (1 + std::abs(drift))) << kind().name << i << "," << j;
      }
  }
}

// And against second differences of the residual itself: nothing of the lift is used twice here.
TEST_P(EveryJoint, StiffnessMatchesSecondDifferencesOfTheResidual) {
  Random random(16);
  for (int trial = 0; trial < 5; ++trial) {
    const Mechanism m = sample(random);
    const State state = randomState(m, random);
    for (int g = 0; g < kind().residualCount; ++g) {
      std::vector<double> lambda(slotCount(m.joints[0]), 0.0);
      lambda[static_cast<std::size_t>(g)] = 1;
      const Eigen::MatrixXd K = stiffnessAt(m, state, lambda);
      for (int i = 0; i < motions(m); ++i) {
        State unit = state;
        setMotion(unit, i, 1);
        const double h = 1e-4;
        State ahead = movedOn(unit, h), behind = movedOn(unit, -h);
        ahead.time = behind.time = state.time;
        const double second =
            (jointValues(m, ahead, 0).residual[g] + jointValues(m, behind, 0).residual[g] -
             2 * jointValues(m, state, 0).residual[g]) /
            (h * h);
        EXPECT_NEAR(K(i, i), second, 1e-5 * (1 + std::abs(second))) << kind().name << g << i;
      }
    }
  }
}

TEST_P(EveryJoint, ValuesAndJetsAgree) {
  Random random(17);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Mechanism m = sample(random);
    const State state = randomState(m, random);
    const Rows rows = rowsAt(m, state);
    const JointValues values = jointValues(m, state, 0);
    for (int g = 0; g < kind().residualCount; ++g)
      EXPECT_DOUBLE_EQ(rows.rows[static_cast<std::size_t>(g)].error, values.residual[g]);
  }
}

// Moving the whole mechanism rigidly changes no error, and turns the Jacobian along.
TEST_P(EveryJointOfSolids, IsInvariantUnderRigidMotionOfTheWhole) {
  Random random(18);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Mechanism m = sample(random);
    const State state = randomState(m, random);
    const Pose X = randomPose(random, 5);
    State moved = state;
    for (std::size_t i = 0; i < m.solids.size(); ++i) {
      moved.position[i] = transform(X, state.position[i]);
      moved.orientation[i] = X.q * state.orientation[i];
      moved.velocity[i] = rotate(X.q, state.velocity[i]);
      moved.spin[i] = rotate(X.q, state.spin[i]);
    }
    const Rows a = rowsAt(m, state), b = rowsAt(m, moved);
    for (std::size_t r = 0; r < a.rows.size(); ++r) {
      EXPECT_NEAR(a.rows[r].error, b.rows[r].error, 1e-12);
      EXPECT_NEAR(a.rows[r].rate, b.rows[r].rate, 1e-11);
      EXPECT_NEAR(a.rows[r].drift, b.rows[r].drift, 1e-9 * (1 + std::abs(a.rows[r].drift)));
    }
  }
}

// Action and reaction: whatever a row pushes one solid with, the other gets the opposite, about
// any point.
TEST_P(EveryJoint, ReactionsCancel) {
  Random random(19);
  for (int trial = 0; trial < kTrials; ++trial) {
    Mechanism m = sample(random);
    addRules(m, random);
    const State state = randomState(m, random);
    const Rows rows = rowsAt(m, state);
    for (const Row& row : rows.rows) {
      if (kind().relates == Relates::Coordinates) continue;  // some of it pushes the world
      Vec3 force, torque;
      for (Index b = 0; b < row.blockCount; ++b) {
        const RowBlock& block = rows.blocks[row.firstBlock + b];
        const Vec3 f{block.J[0], block.J[1], block.J[2]};
        force += f;
        torque += Vec3{block.J[3], block.J[4], block.J[5]} + cross(state.position[block.solid], f);
      }
      EXPECT_LT(norm(force), 1e-12);
      EXPECT_LT(norm(torque), 1e-11);
    }
  }
}

// Over a step the discrete gradient gives the change of every row exactly, and its reactions cancel.
TEST_P(EveryJoint, DiscreteGradientGivesTheChangeAndCancels) {
  Random random(29);
  for (int trial = 0; trial < kTrials; ++trial) {
    Mechanism m = sample(random);
    addRules(m, random);
    const double dt = 0.05;
    State start = randomState(m, random);
    rememberTurns(m, start);
    State end = movedOn(start, dt);
    end.time = start.time + dt;
    State middle = movedOn(start, 0.5 * dt);
    Rows discrete, ends;
    std::vector<LoadSlope> slopes;
    const std::vector<double> none(m.slots, 0);
    emitStepRows(m, initialControl(m), start, middle, end, dt, none, discrete, ends, slopes);
    EXPECT_TRUE(slopes.empty());
    ASSERT_EQ(discrete.rows.size(), ends.rows.size());
    const Rows first = rowsAt(m, start), last = rowsAt(m, end);
    ASSERT_EQ(first.rows.size(), last.rows.size());
    ASSERT_EQ(first.rows.size(), ends.rows.size());
    for (std::size_t r = 0; r < discrete.rows.size(); ++r) {
      const Row& row = discrete.rows[r];
      if (row.velocity && row.equality) continue;
      double change = row.timeRate * dt;  // prescribed motion: minus what the target moved by
      Vec3 force, torque;
      for (Index b = 0; b < row.blockCount; ++b) {
        const RowBlock& block = discrete.blocks[row.firstBlock + b];
        const Index s = block.solid;
        const Vec3 f{block.J[0], block.J[1], block.J[2]}, t{block.J[3], block.J[4], block.J[5]};
        const Quat turn = end.orientation[s] * conjugate(start.orientation[s]);
        const Vec3 theta = (2 / turn.w) * Vec3{turn.x, turn.y, turn.z};
        change += dot(f, end.position[s] - start.position[s]) + dot(t, theta);
        force += f;
        torque += t + cross(0.5 * (start.position[s] + end.position[s]), f);
      }
      EXPECT_NEAR(change, row.rate * dt, 1e-9) << kind().name << " row " << r;
      if (!row.velocity) {
        EXPECT_NEAR(row.error, last.rows[r].error, 1e-12);
        EXPECT_NEAR(row.error - row.rate * dt, first.rows[r].error, 1e-12);
      }
      if (kind().relates == Relates::Coordinates) continue;  // some of it pushes the world
      EXPECT_LT(norm(force), 1e-12) << kind().name << " row " << r;
      EXPECT_LT(norm(torque), 1e-10) << kind().name << " row " << r;
    }
  }
}

// Rows that are evaluated over and over for a step are those by jets, with their slopes: closed forms of lower pairs,
// and what is found once for a step. Where a joint ties no solids, slopes are the same but for what RowShift takes out.
TEST_P(EveryJoint, RowsOfAStepAreThoseByJets) {
  Random random(37);
  for (int trial = 0; trial < kTrials; ++trial) {
    Mechanism m = sample(random);
    if (trial % 2 == 0) addRules(m, random);
    const double dt = 0.05;
    State start = randomState(m, random);
    rememberTurns(m, start);
    State end = movedOn(start, dt), middle = movedOn(start, 0.5 * dt);
    end.time = start.time + dt;
    middle.time = start.time + 0.5 * dt;
    const Control control = initialControl(m);
    std::vector<double> nu(m.slots, 0);
    for (const Row& row : rowsAt(m, middle).rows) nu[row.key] = random.uniform(-1, 1);
    for (const bool over : {false, true}) {
      StepRows step;
      for (int again = 0; again < 2; ++again) {  // what was made serves more than once
        step.begin(m, control, start, middle, end, dt, over);
        step.evaluate(middle, end, nu);
        step.differentiate(nu);
      }
      Rows rows, ends;
      std::vector<LoadSlope> slopes;
      std::vector<StiffnessBlock> stiffness;
      if (over)
        emitStepRows(m, control, start, middle, end, dt, nu, rows, ends, slopes);
      else
        emitRows(m, control, end, nu, rows, stiffness);
      const Rows& changes = over ? ends : rows;
      ASSERT_EQ(step.rows.rows.size(), rows.rows.size());
      ASSERT_EQ(step.rows.blocks.size(), rows.blocks.size());
      for (std::size_t r = 0; r < rows.rows.size(); ++r) {
        const Row &a = step.rows.rows[r], &b = rows.rows[r];
        EXPECT_EQ(a.key, b.key);
        EXPECT_EQ(a.lower, b.lower);
        EXPECT_EQ(a.stiffness, b.stiffness);
        EXPECT_NEAR(a.error, b.error, 1e-12) << kind().name << " row " << r << over;
        EXPECT_NEAR(a.rate, b.rate, 1e-11) << kind().name << " row " << r << over;
        EXPECT_NEAR(a.timeRate, b.timeRate, 1e-12);
        EXPECT_NEAR(step.changes().rows[r].timeRate, changes.rows[r].timeRate, 1e-12);
      }
      for (std::size_t k = 0; k < rows.blocks.size(); ++k)
        for (int i = 0; i < 6; ++i) {
          EXPECT_EQ(step.rows.blocks[k].solid, rows.blocks[k].solid);
          EXPECT_NEAR(step.rows.blocks[k].J[i], rows.blocks[k].J[i], 1e-11) << kind().name << over;
          EXPECT_NEAR(step.changes().blocks[k].J[i], changes.blocks[k].J[i], 1e-11) << kind().name;
        }

      const auto sum = [&](const std::vector<LoadSlope>& some,
                           const std::vector<StiffnessBlock>& others) {
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(motions(m), motions(m));
        for (const LoadSlope& slope : some)
          for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j)
              K(6 * static_cast<int>(slope.solid) + i, 6 * static_cast<int>(slope.by) + j) +=
                  slope.slope[i][j];
        for (const StiffnessBlock& block : others)
          for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) {
              const int r = 6 * static_cast<int>(block.solid1) + i;
              const int c = 6 * static_cast<int>(block.solid2) + j;
              K(r, c) += block.K[i][j];
              if (block.solid1 != block.solid2) K(c, r) += block.K[i][j];
            }
        return K;
      };
      Eigen::MatrixXd K = sum(step.slopes, step.stiffness), byJets = sum(slopes, stiffness);
      for (const SlopePart& part : step.parts)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            K(6 * static_cast<int>(part.solid) + 3 * part.row + i,
              6 * static_cast<int>(part.by) + 3 * part.column + j) += part.slope(i, j);
      bool exact = true;
      for (const RowShift& shift : step.shifts) {
        const Row& row = rows.rows[shift.row];
        exact = exact && (m.joints[row.asker.number].kind->locked >> 3) ==
                             0;  // others: where they are closed
        for (int i = 0; i < motions(m); ++i)
          for (int j = 0; j < 3; ++j) {
            const int at = 6 * static_cast<int>(shift.solid) + 3 + j;
            byJets(i, at) += jacobianEntry(rows, row, i) * shift.c[j];
            byJets(at, i) -= shift.r[j] * jacobianEntry(changes, changes.rows[shift.row], i);
          }
      }
      if (!exact) continue;
      EXPECT_LT((K - byJets).norm(), 1e-11 * (1 + byJets.norm())) << kind().name << over;
    }
  }
}

// How far slopes over a step are from differences of the discrete gradient: the worst column, of all of them.
double slopeError(const Mechanism& m, const State& start, double dt,
                  const std::vector<double>& nu) {
  const State end = movedOn(start, dt);
  std::vector<double> bySlot(m.slots, 0);
  std::copy(nu.begin(), nu.end(), bySlot.data() + m.joints[0].firstSlot);
  const auto halfway = [&](const State& to) {
    State middle = to;
    for (std::size_t s = 0; s < to.position.size(); ++s) {
      middle.position[s] = 0.5 * (start.position[s] + to.position[s]);
      const Vec3 turn = logarithm(to.orientation[s] * conjugate(start.orientation[s]));
      middle.orientation[s] = exponential(0.5 * turn) * start.orientation[s];
      middle.spin[s] = (1 / dt) * turn;
    }
    return middle;
  };
  std::vector<LoadSlope> slopes;
  const auto pull = [&](const State& to) {
    Rows discrete, ends;
    slopes.clear();
    emitStepRows(m, initialControl(m), start, halfway(to), to, dt, bySlot, discrete, ends, slopes);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(motions(m));
    for (const Row& row : discrete.rows) {
      if (row.asker.number != 0 || row.velocity) continue;
      for (Index b = 0; b < row.blockCount; ++b) {
        const RowBlock& block = discrete.blocks[row.firstBlock + b];
        for (int i = 0; i < 6; ++i)
          sum[6 * static_cast<int>(block.solid) + i] +=
              nu[row.key - m.joints[0].firstSlot] * block.J[i];
      }
    }
    return sum;
  };
  static_cast<void>(pull(end));
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(motions(m), motions(m));
  for (const LoadSlope& slope : slopes)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        K(6 * static_cast<int>(slope.solid) + i, 6 * static_cast<int>(slope.by) + j) +=
            slope.slope[i][j];
  double worst = 0;
  for (int i = 0; i < motions(m); ++i) {
    State unit = end;
    setMotion(unit, i, 1);
    const double h = 1e-5;
    const Eigen::VectorXd difference = (pull(movedOn(unit, h)) - pull(movedOn(unit, -h))) / (2 * h);
    worst = std::max(worst, (K.col(i) - difference).norm() / (0.1 + K.norm()));
  }
  return worst;
}

// Up to terms of the order of the step.
TEST_P(EveryJoint, StepSlopesMatchDifferencesOfTheDiscreteGradient) {
  Random random(31);
  for (int trial = 0; trial < kTrials / 4; ++trial) {
    const Mechanism m = sample(random);
    State start = randomState(m, random);
    rememberTurns(m, start);
    EXPECT_LT(slopeError(m, start, 1e-3, randomMultipliers(m, random)), 0.02) << kind().name;
  }
}

// The gradient of a distance over a step is by the places of its ends alone: its slopes leave nothing out, however long the step.
TEST_P(EveryDistance, StepSlopesAreExact) {
  Random random(41);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Mechanism m = sample(random);
    State start = randomState(m, random);
    EXPECT_LT(slopeError(m, start, 0.08, randomMultipliers(m, random)), 1e-8);
  }
}

// Residuals and free coordinates together describe every relative motion, and none twice.
TEST_P(EveryJointOfFrames, ResidualsAndFreeCoordinatesSpanAllMotion) {
  Random random(20);
  if (kind().residualCount + kind().freeCount != 6) {
    // Kinds that leave part of the motion without a coordinate still have independent residuals.
    EXPECT_LT(kind().residualCount + kind().freeCount, 6);
  }
  Mechanism m = sample(random);
  for (int c = 0; c < kind().freeCount; ++c) {
    MechanismRule rule;
    rule.kind = CoordinateRule::Kind::Spring;
    rule.coordinate = static_cast<Index>(c);
    m.rules.push_back(rule);
  }
  m.joints[0].rules = {0, static_cast<Index>(m.rules.size())};
  for (int trial = 0; trial < kTrials; ++trial) {
    const State state = randomState(m, random);
    Rows rows = rowsAt(m, state);
    std::erase_if(rows.rows, [](const Row& row) { return row.velocity; });
    Eigen::MatrixXd J(static_cast<int>(rows.rows.size()), 6);
    for (int r = 0; r < J.rows(); ++r)
      for (int i = 0; i < 6; ++i)
        J(r, i) = jacobianEntry(rows, rows.rows[static_cast<std::size_t>(r)], 6 + i);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(J);
    qr.setThreshold(1e-6);
    EXPECT_EQ(qr.rank(), kind().residualCount + kind().freeCount) << kind().name;
  }
}

TEST_P(EveryJointOfFrames, NothingMovesWhereFramesCoincide) {
  Random random(21);
  Mechanism m = sample(random);
  State state = randomState(m, random);
  const Pose X_W1 = Pose{state.position[0], state.orientation[0]} * m.joints[0].frame1;
  const Pose X_W2 = X_W1 * inverse(m.joints[0].frame2);
  state.position[1] = X_W2.p;
  state.orientation[1] = X_W2.q;
  state.memory = m.memory;
  const JointValues values = jointValues(m, state, 0);
  for (int g = 0; g < kind().residualCount && kind().locked != 0; ++g)
    EXPECT_NEAR(values.residual[g], 0, 1e-14);
  for (int c = 0; c < kind().coordinateCount; ++c) EXPECT_TRUE(std::isfinite(values.coordinate[c]));
  for (const Row& row : rowsAt(m, state).rows) {
    EXPECT_TRUE(std::isfinite(row.error));
    EXPECT_TRUE(std::isfinite(row.drift));
  }
}

// Relative rotations of half a turn about each axis, and within rounding of it: every number finite.
TEST_P(EveryJointOfFrames, IsFiniteAtHalfTurns) {
  Random random(22);
  for (int axis = 0; axis < 3; ++axis)
    for (const double off : {0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-5}) {
      Mechanism m = sample(random);
      addRules(m, random);
      State state = randomState(m, random);
      Vec3 turn;
      turn[axis] = kPi - off;
      const Pose X_W1 = Pose{state.position[0], state.orientation[0]} * m.joints[0].frame1;
      const Pose X_W2 =
          X_W1 * Pose{{0.1, 0.2, 0.3}, exponential(turn)} * inverse(m.joints[0].frame2);
      state.position[1] = X_W2.p;
      state.orientation[1] = X_W2.q;
      const Rows rows = rowsAt(m, state);
      for (const Row& row : rows.rows) {
        EXPECT_TRUE(std::isfinite(row.error) && std::isfinite(row.rate) && std::isfinite(row.drift))
            << kind().name << axis << off;
        for (Index b = 0; b < row.blockCount; ++b)
          for (const double J : rows.blocks[row.firstBlock + b].J) EXPECT_TRUE(std::isfinite(J));
      }
    }
}

TEST_P(EveryJoint, SwitchesOffByControlAndByInterval) {
  Random random(23);
  Mechanism m = sample(random);
  State state = randomState(m, random);
  Control control = initialControl(m);
  Rows rows;
  control.jointOn[0] = 0;
  emitJointRows(m, control, state, 0, rows);
  EXPECT_TRUE(rows.rows.empty());
  control.jointOn[0] = 1;
  m.intervals = {{5, 6}};
  m.joints[0].active = {0, 1};
  emitJointRows(m, control, state, 0, rows);
  EXPECT_TRUE(rows.rows.empty());
  state.time = 5;
  emitJointRows(m, control, state, 0, rows);
  EXPECT_EQ(rows.rows.size(),
            static_cast<std::size_t>(kind().residualCount + kind().velocityCount));
}

// What is coupled must hold, or there is nothing to couple.
TEST(Gear, IsOffWhereACoupledJointIsOff) {
  Random random(26);
  Mechanism m = twoSolids(*findJointKind("gear"), random);
  State state = randomState(m, random);
  const auto rows = [&](const Control& control) {
    Rows made;
    emitJointRows(m, control, state, 0, made);
    return made.rows.size();
  };
  EXPECT_EQ(rows(initialControl(m)), 1u);
  for (Index j = 1; j <= 4; ++j) {
    Control control = initialControl(m);
    control.jointOn[j] = 0;
    EXPECT_EQ(rows(control), 0u) << j;
  }
  m.intervals = {{5, 6}};
  m.joints[3].active = {0, 1};
  EXPECT_EQ(rows(initialControl(m)), 0u);
  state.time = 5;
  EXPECT_EQ(rows(initialControl(m)), 1u);
}

// Four folds of four solids each: a row over sixteen solids.
TEST(Gear, ReachesAllSolidsOfTheFoldsItCouples) {
  Random random(27);
  Mechanism m;
  for (int i = 0; i < 16; ++i) addSolid(m, random);
  addJoint(m, *findJointKind("gear"), kWorld, kWorld, {}, random).terms = {0, 4};
  for (Index f = 0; f < 4; ++f) {
    addJoint(m, *findJointKind("fold"), 4 * f, 4 * f + 1, {}, random).points = {4 * f, kPoints};
    for (Index k = 0; k < kPoints; ++k) m.points.push_back({4 * f + k, randomVector(random, 1)});
    m.terms.push_back({f + 1, 0, 1.0 + f});
  }
  State state = initialState(m);
  rememberTurns(m, state);
  const Rows rows = rowsAt(m, state);
  ASSERT_EQ(rows.rows.size(), 1u);
  EXPECT_EQ(rows.rows[0].blockCount, 16);
  const double h = 1e-6;
  const Rows plus = rowsAt(m, movedOn(state, h)), minus = rowsAt(m, movedOn(state, -h));
  const double rate = (plus.rows[0].error - minus.rows[0].error) / (2 * h);
  EXPECT_NEAR(rows.rows[0].rate, rate, 1e-7 * (1 + std::abs(rate)));
  double sum = 0;
  for (int i = 0; i < motions(m); ++i)
    sum += jacobianEntry(rows, rows.rows[0], i) * motionOf(state, i);
  EXPECT_NEAR(rows.rows[0].rate, sum, 1e-11 * (1 + std::abs(sum)));
}

// Where functions of the catalogue depend on place and turn they are sums of one of each, so that derivatives by both
// vanish; this one's do not. The origin of frame 1 lies in a plane of frame 2, and another function of both.
template <class T>
void evaluateMixed(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  const T along = in.p[0] * in.R[0][0] + in.p[1] * in.R[1][0] + in.p[2] * in.R[2][0];
  out.residual[0] = along + in.R[0][1];
  out.residual[1] =
      angleOf(in.p[1] * in.R[1][2] + T(2), in.p[2] + T(3)) - in.R[1][0] / (along * along + T(1));
  out.coordinate[0] = squareRoot(lengthOf(in.p) + in.R[2][2] + T(2));
}
const JointKind& mixed() {
  static const JointKind made = [] {
    JointKind kind;
    kind.name = "mixed";
    kind.residualCount = 2;
    kind.coordinateCount = 1;
    kind.coordinates[0] = {"c", false, false};
    kind.values = &evaluateMixed<double>;
    kind.jets = &evaluateMixed<Jet>;
    return kind;
  }();
  return made;
}

std::vector<Case> allCases() {
  std::vector<Case> cases{{&mixed(), {}}};
  for (const JointKind& kind : jointCatalogue())
    for (const JointExample& example : examplesOf(kind)) cases.push_back({&kind, example});
  return cases;
}

std::string nameOfCase(const testing::TestParamInfo<Case>& info) {
  std::string name(info.param.kind->name);
  if (!info.param.example.name.empty()) name += "_" + std::string(info.param.example.name);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

std::vector<Case> casesWhere(bool (*holds)(const JointKind&)) {
  std::vector<Case> cases = allCases();
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [&](const Case& one) { return !holds(*one.kind); }),
              cases.end());
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryJoint, testing::ValuesIn(allCases()), nameOfCase);
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryJointOfFrames,
                         testing::ValuesIn(casesWhere([](const JointKind& kind) {
                           return kind.relates == Relates::Frames;
                         })),
                         nameOfCase);
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryPlainJointOfFrames,
                         testing::ValuesIn(casesWhere([](const JointKind& kind) {
                           return kind.relates == Relates::Frames && kind.found == 0 &&
                                  kind.velocityCount == 0;
                         })),
                         nameOfCase);
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryJointOfSolids,
                         testing::ValuesIn(casesWhere([](const JointKind& kind) {
                           return kind.relates == Relates::Frames ||
                                  kind.relates == Relates::Points;
                         })),
                         nameOfCase);
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryDistance,
                         testing::ValuesIn(casesWhere([](const JointKind& kind) {
                           return kind.residualIsLength;
                         })),
                         nameOfCase);

}  // namespace
}  // namespace tenon::test
