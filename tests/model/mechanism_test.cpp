// Signals and intervals as functions of time.
#include <gtest/gtest.h>
#include <tenon/mechanism.h>

#include <cmath>

namespace tenon {
namespace {

TEST(Signal, IsTheSumOfItsPartsWithTheirDerivatives) {
  Mechanism m;
  m.signalKeys = {{0, 1, 0.5}, {1, 2, -1}, {3, 0, 0}};
  CompiledSignal s{0.1, 0.2, 0.3, 4, 0.5, {0, 3}};
  for (const double t : {0.2, 0.9, 1.5, 2.9}) {
    const double h = 1e-5;
    const SignalValue at = evaluate(m, s, t), plus = evaluate(m, s, t + h),
                      minus = evaluate(m, s, t - h);
    EXPECT_NEAR(at.rate, (plus.value - minus.value) / (2 * h), 1e-8);
    EXPECT_NEAR(at.acceleration, (plus.rate - minus.rate) / (2 * h), 1e-8);
  }
  EXPECT_NEAR(evaluate(m, s, 1).value, 0.1 + 0.2 + 0.3 * std::sin(4.5) + 2, 1e-15);
  EXPECT_NEAR(evaluate(m, s, 7).value, 0.1 + 1.4 + 0.3 * std::sin(28.5), 1e-14);
  EXPECT_NEAR(evaluate(m, s, -1).value, 0.1 - 0.2 + 0.3 * std::sin(-3.5) + 1, 1e-15);
}

TEST(Intervals, BeginIncludedEndNot) {
  Mechanism m;
  m.intervals = {{1, 2}, {3, kInfinity}};
  const Range both{0, 2};
  EXPECT_FALSE(isActive(m, both, 0.999));
  EXPECT_TRUE(isActive(m, both, 1));
  EXPECT_FALSE(isActive(m, both, 2));
  EXPECT_TRUE(isActive(m, both, 1e9));
  EXPECT_TRUE(isActive(m, {}, -5));
}

}  // namespace
}  // namespace tenon
