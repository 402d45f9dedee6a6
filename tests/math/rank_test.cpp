// Rank and dependencies, against matrices whose rank is known and against each other.
#include "math/rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "math/random.h"

namespace tenon {
namespace {

constexpr double kTolerance = 1e-9;

// A ring of blocks: rows between neighbours at random, some of them sums of two rows before.
std::vector<BlockRow> ring(std::uint32_t blocks, int rowsPerBlock, int copies, Random& random) {
  std::vector<BlockRow> rows;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (int n = 0; n < rowsPerBlock; ++n) {
      BlockRow row;
      for (const std::uint32_t at : {b, (b + 1) % blocks}) {
        std::array<double, 6> values;
        for (double& value : values) value = random.uniform(-1, 1);
        row.emplace_back(at, values);
      }
      rows.push_back(row);
    }
    for (int n = 0; n < copies; ++n) {
      const BlockRow &x = rows[rows.size() - 1], &y = rows[rows.size() - 2];
      BlockRow sum = x;
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < 6; ++i) sum[k].second[i] += 2 * y[k].second[i];
      rows.push_back(sum);
    }
  }
  return rows;
}

TEST(RowDependencies, AreDependencies) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<BlockRow> rows = ring(5, 4, trial % 3, random);
    const RowDependencies found = rowDependencies(rows, 5, kTolerance);
    EXPECT_EQ(found.rank, 20u);
    EXPECT_EQ(found.dependencies.size(), rows.size() - 20);
    for (const auto& dependency : found.dependencies) {
      double sum[30] = {}, size = 0;
      for (const auto& [r, weight] : dependency) {
        double length = 0;
        for (const auto& [block, values] : rows[r])
          for (const double v : values) length += v * v;
        for (const auto& [block, values] : rows[r])
          for (std::size_t i = 0; i < 6; ++i)
            sum[6 * block + i] += weight * values[i] / std::sqrt(length);
        size = std::max(size, std::abs(weight));
      }
      EXPECT_GT(size, 0.5);
      for (const double s : sum) EXPECT_NEAR(s, 0, 1e-12 * size);
    }
  }
}

TEST(SurveyRows, AgreesWithTheDenseFactorisation) {
  Random random(2);
  for (const int rowsPerBlock : {2, 4, 5, 6, 7})
    for (const int copies : {0, 1, 2}) {
      const std::vector<BlockRow> rows = ring(7, rowsPerBlock, copies, random);
      const RowDependencies dense = rowDependencies(rows, 7, kTolerance);
      const RowSurvey survey = surveyRows(rows, 7, kTolerance);
      EXPECT_EQ(survey.rank, dense.rank) << rowsPerBlock << " " << copies;
      std::set<std::uint32_t> part;
      for (const auto& dependency : dense.dependencies)
        for (const auto& [r, weight] : dependency) part.insert(r);
      for (std::uint32_t r = 0; r < rows.size(); ++r)
        EXPECT_EQ(survey.dependent[r], part.count(r) == 1) << rowsPerBlock << " " << copies;
    }
}

TEST(SurveyRows, OfManyRows) {
  Random random(3);
  EXPECT_EQ(surveyRows(ring(2000, 3, 1, random), 2000, kTolerance).rank, 6000u);
  const std::vector<BlockRow> rows = ring(200, 3, 1, random);
  const RowSurvey survey = surveyRows(rows, 200, kTolerance);
  EXPECT_EQ(survey.rank, 600u);
  for (std::size_t r = 0; r < rows.size(); ++r) EXPECT_EQ(survey.dependent[r], r % 4 != 0);
}

TEST(Rank, RowsOfZerosDependOnNothing) {
  const std::vector<BlockRow> rows = {{}, {{0, {0, 0, 0, 0, 0, 0}}}, {{0, {1, 0, 0, 0, 0, 0}}}};
  EXPECT_EQ(rowDependencies(rows, 1, kTolerance).rank, 1u);
  EXPECT_EQ(rowDependencies(rows, 1, kTolerance).dependencies.size(), 2u);
  const RowSurvey survey = surveyRows(rows, 1, kTolerance);
  EXPECT_EQ(survey.rank, 1u);
  EXPECT_EQ(survey.dependent, (std::vector<bool>{true, true, false}));
}

}  // namespace
}  // namespace tenon
