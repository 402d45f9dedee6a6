// Coulomb's friction in the methods that take the load from the step before; Displacement has it at once.
#include "moving.h"

namespace tenon::test {
namespace {

TEST(Friction, StopsABlockAfterTheLengthThatItsWeightAllows) {
  for (const Method method : {Method::Baumgarte, Method::Implicit, Method::Poststabilized}) {
    double last = 0;
    for (const double dt : {1e-2, 5e-3, 2.5e-3}) {
      Moving p(R"(
gravity 0 -9.81 0;
solid a box 0.1 0.1 0.1; mass 2; velocity 3 0 0; end
joint prismatic rail object2 a; at 0 0 0; axis 1 0 0; friction slide 0 coefficient 0.4; end
)");
      p.settings.method = method;
      ASSERT_TRUE(p.run(1.2, dt));
      EXPECT_NEAR(p.state.velocity[0].x, 0, 1e-6) << nameOf(method);
      const double off = std::abs(p.state.position[0].x - 9 / (2 * 0.4 * 9.81));
      if (last > 0) {
        EXPECT_LT(off, last / 1.7) << nameOf(method) << dt;
      }
      last = off;
    }
    EXPECT_LT(last, 1.5e-2) << nameOf(method);
  }
}

// What the rail pushes back with is in the state, in newtons.
TEST(Friction, FindsTheLoadInTheState) {
  for (const Integrator integrator : {Integrator::Euler, Integrator::Rk4})
    for (const Method method : {Method::Baumgarte, Method::Implicit, Method::Poststabilized}) {
      Moving p(R"(
gravity 0 -9.81 0;
solid a box 0.1 0.1 0.1; mass 2; end
joint point-on-plane floor object2 a; point1 0 0 0; axis1 0 1 0; point2 0 0 0; end
)");
      p.settings.method = method;
      p.settings.integrator = integrator;
      ASSERT_TRUE(p.run(0.5, 1e-2));
      EXPECT_NEAR(p.state.multiplier[0], 2 * 9.81, 1e-6) << nameOf(method);
    }
}

}  // namespace
}  // namespace tenon::test
