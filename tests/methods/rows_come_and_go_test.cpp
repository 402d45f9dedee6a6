// Rows come and go from step to step: what is remembered of the others stays with them.
#include "moving.h"

namespace tenon::test {
namespace {

// A sledge brakes on a rail that its carrier bears. A second joint of the carrier, whose rows come before all others, is
// there in every second step only. The rail bears the weight all the same, and its load, of the step before where a method
// takes it from there, is the sledge's.
TEST(RowsComeAndGo, AndLoadsAndMultipliersStayWithTheirRows) {
  constexpr double kWeight = 2 * 9.81, kStep = 1e-2, kFriction = 0.4;
  for (const Method method : {Method::Baumgarte, Method::Implicit, Method::Poststabilized,
                              Method::Displacement, Method::Interactive, Method::Energy}) {
    Moving p(R"(
gravity 0 -9.81 0;
solid carrier box 0.1 0.1 0.1; mass 1; at 0 1 0; end
solid sledge box 0.1 0.1 0.1; mass 2; at 0 1 0; velocity 3 0 0; end
joint ball guest object2 carrier; at 0.05 1 0; end
joint weld base object2 carrier; at 0 1 0; end
joint prismatic rail object1 carrier; object2 sledge; at 0 1 0; axis 1 0 0; friction slide 0 coefficient 0.4; end
)");
    p.settings.method = method;
    ASSERT_EQ(p.m.jointNames[0], "guest");
    ASSERT_EQ(p.m.jointNames[2], "rail");
    for (int i = 0; i < 40; ++i) {
      p.control.jointOn[0] = i % 2 == 0 ? 0 : 1;
      const double before = p.state.velocity[1].x;
      ASSERT_TRUE(p.step(kStep)) << nameOf(method) << i;
      if (i < 2) continue;  // the load of no step before
      EXPECT_NEAR(p.state.velocity[1].x - before, -kFriction * 9.81 * kStep, 1e-7)
          << nameOf(method) << i;
      Rows rows;
      emitJointRows(p.m, p.control, p.state, 2, rows);
      double square = 0;  // of what bears the sledge
      for (const Row& row : rows.rows)
        if (row.rule == kWorld && !row.angular)
          square += p.state.multiplier[row.key] * p.state.multiplier[row.key];
      // But for the trace of compliance that redundant rows have.
      EXPECT_NEAR(std::sqrt(square), kWeight, 1e-5) << nameOf(method) << i;
      if (i % 2 == 0) {  // the guest is not there
        for (Index k = 0; k < 3; ++k)
          EXPECT_EQ(p.state.multiplier[p.m.joints[0].firstSlot + k], 0) << nameOf(method) << i;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::test
