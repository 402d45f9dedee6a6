// The Newton matrix of a step against its own product: factorised whole, and with springs kept apart.
#include "solve/step_system.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/random.h"

namespace tenon {
namespace {

// A net of side × side solids, two thirds of them point masses, with springs to the right and below and
// a row between every third pair of neighbours.
struct Net {
  Mechanism m;
  Rows pushes, changes;
  std::vector<StepSystem::RowPart> parts;
  std::vector<LoadSlope> slopes;
  std::vector<StepSystem::Six> f;
  double stiffness;

  Net(Index side, double stiff, Random& random) : stiffness(stiff) {
    for (Index i = 0; i < side * side; ++i) {
      MechanismSolid solid;
      solid.kind = SolidKind::Dynamic;
      solid.pointMass = i % 3 != 0;
      m.solids.push_back(solid);
      StepSystem::Six force{};
      for (std::size_t k = 0; k < width(i); ++k) force[k] = random.uniform(-1, 1);
      f.push_back(force);
    }
    for (Index i = 0; i < side; ++i)
      for (Index j = 0; j < side; ++j) {
        const Index here = i * side + j;
        if (i + 1 < side) tie(here, here + side, random);
        if (j + 1 < side) tie(here, here + 1, random);
        if (j + 1 < side && here % 3 == 0) join(here, here + 1, random);
      }
  }
  [[nodiscard]] std::size_t width(Index solid) const { return m.solids[solid].pointMass ? 3 : 6; }

  // A spring: -k u uᵀ on both, k u uᵀ between them.
  void tie(Index a, Index b, Random& random) {
    double u[2][6] = {};
    for (std::size_t i = 0; i < 6; ++i) u[0][i] = u[1][i] = random.uniform(-1, 1);
    for (std::size_t i = 3; i < 6; ++i) u[1][i] = random.uniform(-1, 1);
    const Index solids[2] = {a, b};
    for (int s = 0; s < 2; ++s)
      for (int t = 0; t < 2; ++t) {
        LoadSlope slope;
        slope.solid = solids[s];
        slope.by = solids[t];
        for (std::size_t i = 0; i < width(slope.solid); ++i)
          for (std::size_t j = 0; j < width(slope.by); ++j)
            slope.slope[i][j] = (s == t ? -1 : 1) * stiffness * u[s][i] * u[t][j];
        slopes.push_back(slope);
      }
  }

  // Two rows whose pushes differ a little from how they change.
  void join(Index a, Index b, Random& random) {
    const Index joint = pushes.rows.empty() ? 0 : pushes.rows.back().asker.number + 1;
    for (int r = 0; r < 2; ++r) {
      Row row;
      row.asker.number = joint;
      row.firstBlock = static_cast<Index>(pushes.blocks.size());
      row.blockCount = 2;
      pushes.rows.push_back(row);
      changes.rows.push_back(row);
      for (const Index solid : {a, b}) {
        RowBlock block;
        block.solid = solid;
        for (std::size_t i = 0; i < width(solid); ++i) block.J[i] = random.uniform(-1, 1);
        pushes.blocks.push_back(block);
        for (std::size_t i = 0; i < width(solid); ++i) block.J[i] += random.uniform(-0.02, 0.02);
        changes.blocks.push_back(block);
      }
      parts.push_back({true, 1e-10, random.uniform(-1, 1)});
    }
  }

  void fill(StepSystem& system) const {
    system.load(m, pushes, changes, parts, slopes);
    for (Index s = 0; s < m.solids.size(); ++s) {
      StepSystem::SixBySix one{};
      for (std::size_t i = 0; i < 6; ++i) one[i][i] = 1;
      system.add(s, 1, one);
    }
    for (const LoadSlope& slope : slopes) system.add(-1, slope);
  }

  // What is left of the equations of the solids and of the rows.
  [[nodiscard]] std::pair<double, double> left(const std::vector<StepSystem::Six>& delta,
                                               const std::vector<double>& nu) const {
    std::vector<StepSystem::Six> off = f;
    double worst = 0, ofRows = 0;
    for (Index s = 0; s < m.solids.size(); ++s)
      for (std::size_t i = 0; i < width(s); ++i) off[s][i] -= delta[s][i];
    for (const LoadSlope& slope : slopes)
      for (std::size_t i = 0; i < width(slope.solid); ++i)
        for (std::size_t j = 0; j < width(slope.by); ++j)
          off[slope.solid][i] += slope.slope[i][j] * delta[slope.by][j];
    for (std::size_t r = 0; r < parts.size(); ++r) {
      double row = parts[r].b - parts[r].compliance * nu[r];
      for (Index b = pushes.rows[r].firstBlock; b < pushes.rows[r].firstBlock + 2; ++b)
        for (std::size_t i = 0; i < width(pushes.blocks[b].solid); ++i) {
          off[pushes.blocks[b].solid][i] += pushes.blocks[b].J[i] * nu[r];
          row -= changes.blocks[b].J[i] * delta[pushes.blocks[b].solid][i];
        }
      ofRows = std::max(ofRows, std::abs(row));
    }
    for (Index s = 0; s < m.solids.size(); ++s)
      for (std::size_t i = 0; i < width(s); ++i) worst = std::max(worst, std::abs(off[s][i]));
    return {worst, ofRows};
  }
};

TEST(StepSystem, FactorisesSmallNetsWhole) {
  Random random(1);
  for (const Index side : {2u, 3u, 4u}) {
    const Net net(side, 0.5, random);
    StepSystem system;
    net.fill(system);
    EXPECT_FALSE(system.springsApart()) << side;
    std::vector<StepSystem::Six> delta;
    std::vector<double> nu;
    ASSERT_TRUE(system.factor() && system.solve(net.f, net.parts, delta, nu));
    const auto [solids, rows] = net.left(delta, nu);
    EXPECT_LT(solids, 1e-9);
    EXPECT_LT(rows, 1e-9);
  }
}

// Kept apart, springs are solved to a part of the forces; the rows hold as ever.
TEST(StepSystem, KeepsTheSpringsOfLargeNetsApart) {
  Random random(2);
  for (const double stiffness : {0.1, 10.0, 1000.0}) {
    const Net net(30, stiffness, random);
    StepSystem system;
    net.fill(system);
    EXPECT_TRUE(system.springsApart());
    std::vector<StepSystem::Six> delta;
    std::vector<double> nu;
    ASSERT_TRUE(system.factor() && system.solve(net.f, net.parts, delta, nu)) << stiffness;
    const auto [solids, rows] = net.left(delta, nu);
    EXPECT_LT(solids, 1e-3 * (1 + stiffness)) << stiffness;
    EXPECT_LT(rows, 1e-9) << stiffness;
  }
}

}  // namespace
}  // namespace tenon
