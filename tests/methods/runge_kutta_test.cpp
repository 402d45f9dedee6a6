// The methods by Runge and Kutta's step: right to the fourth order, until the step is too long.
#include <algorithm>

#include "moving.h"

namespace tenon::test {
namespace {

// Ten links of 20 cm let go sideways.
Moving chainOfTen(Method method) {
  Moving p(chainText(10, true, "gravity 0 -9.81 0;", 0.2, 0.02));
  p.settings.method = method;
  return p;
}

TEST(RungeKutta, BlowsUpOnAChainOfTenAtThirtyStepsASecond) {
  for (const Method method : {Method::Poststabilized, Method::Baumgarte}) {
    Moving p = chainOfTen(method);
    const double weight = p.m.solids[0].mass * 10 * 9.81 * 1;  // m g l/2: all that it has to fall
    double gained = 0;
    bool finite = true;
    for (int i = 0; i < 90 && finite; ++i) {
      finite = p.step(1.0 / 30);
      gained = std::max(gained, p.energy() / weight);
    }
    EXPECT_TRUE(!finite || gained > 100) << nameOf(method);
  }
}

TEST(RungeKutta, ConvergesAtTheFourthOrderOnAChainOfTen) {
  for (const Method method : {Method::Poststabilized, Method::Baumgarte}) {
    const auto after = [&](double steps) {
      Moving p = chainOfTen(method);
      p.settings.feedback.alpha = 20;
      EXPECT_TRUE(p.run(0.5, 1 / steps));
      return p.state;
    };
    const State exact = after(3840);
    double last = 0;
    for (const double steps : {240.0, 480.0, 960.0}) {
      const State state = after(steps);
      double off = 0;
      for (std::size_t s = 0; s < 10; ++s)
        off = std::max(off, norm(state.position[s] - exact.position[s]));
      if (last > 0) {
        EXPECT_GT(last / off, 14) << nameOf(method) << steps;
        EXPECT_LT(last / off, 17) << nameOf(method) << steps;
      }
      last = off;
    }
    EXPECT_LT(last, 1e-8) << nameOf(method);
  }
}

}  // namespace
}  // namespace tenon::test
