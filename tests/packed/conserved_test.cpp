// What the method energy keeps, and how it converges, on the fast path.
#include <functional>

#include "figures.h"

namespace tenon::test {
namespace {

using Make = std::function<void(Figures&, Random&)>;

// The bounds of Energy.KeepsMomentaAndEnergyOfAFigureWithALoop; joints ten times below.
void expectKept(const std::string& what, const Make& make, bool isolated, double spin,
                double linear) {
  SCOPED_TRACE(what);
  Random random(4);
  Figures figures(isolated ? Vec3{} : Vec3{0, -9.81, 0});
  make(figures, random);
  Moving p = moving(figures.scene, Method::Energy);
  kick(p, 9, spin);
  const double energy = p.energy(), kinetic = kineticEnergy(p.m, p.state);
  const Momentum before = momentum(p.m, p.state);
  double linearScale = 0, error = 0, moved = 0, most = kinetic;
  for (std::size_t s = 0; s < p.m.solids.size(); ++s)
    linearScale += p.m.solids[s].mass * norm(p.state.velocity[s]);
  const State start = p.state;
  for (int i = 0; i < stepsOf(2000); ++i) {
    ASSERT_TRUE(p.step(1.0 / 120));
    ASSERT_TRUE(p.report.fast) << i;
    ASSERT_TRUE(p.report.ledger) << i;
    ASSERT_EQ(p.report.work, 0) << i;
    error = std::max(error, p.error());
    moved = std::max(moved, apart(start, p.state).position);
    most = std::max(most, kineticEnergy(p.m, p.state));
  }
  EXPECT_GT(moved, 0.1);
  EXPECT_LT(error, 1e-10);
  EXPECT_LT(std::abs(p.energy() - energy), 1e-7 * most);
  if (!isolated) return;
  const Momentum after = momentum(p.m, p.state);
  EXPECT_LT(norm(after.linear - before.linear), linear * linearScale);
  EXPECT_LT(norm(after.angular - before.angular), 1e-9 * norm(before.angular));
}

TEST(PackedTrees, KeepEnergyAndMomenta) {
  constexpr double kLinear = 1e-9;
  for (const char* kind : {"ball", "pin", "hooke", ""}) {
    const auto tree = [kind](Root root) {
      return [kind, root](Figures& f, Random& r) { addTree(f, r, 8, root, {}, kind); };
    };
    expectKept(std::string("free tree ") + kind, tree(Root::Free), true, 3, kLinear);
    expectKept(std::string("hung tree ") + kind, tree(Root::World), false, 1, kLinear);
  }
  expectKept(
      "four",
      [](Figures& f, Random&) {
        for (int i = 0; i < 5; ++i) {
          Random same(8);
          addTree(f, same, 6, Root::Free, {3.0 * i, 0, 0});
        }
      },
      true, 3, kLinear);
}

// … as the general path does, and loops do: to rounding.
TEST(PackedTrees, KeepLinearMomentumToRounding) {
  for (const char* kind : {"ball", "pin"})
    expectKept(
        kind, [kind](Figures& f, Random& r) { addTree(f, r, 8, Root::Free, {}, kind); }, true, 3,
        1e-12);
}

TEST(PackedLoops, KeepEnergyAndMomenta) {
  constexpr double kLinear = 1e-12;
  const std::vector<std::string> pins(4, "pin"), balls(6, "ball");
  expectKept(
      "free ladder", [](Figures& f, Random& r) { addLadder(f, r, 4, false); }, true, 3, kLinear);
  expectKept(
      "hung ladder", [](Figures& f, Random& r) { addLadder(f, r, 4, true); }, false, 1, kLinear);
  expectKept(
      "free four-bar", [&](Figures& f, Random& r) { addRing(f, r, pins, true, false); }, true, 3,
      kLinear);
  expectKept(
      "ring", [&](Figures& f, Random& r) { addRing(f, r, balls, false, false); }, true, 3, kLinear);
  expectKept(
      "hinges and welds",
      [&](Figures& f, Random& r) {
        addRing(f, r, {"ball", "pin", "weld", "ball", "pin", "ball"}, false, false);
      },
      true, 2, kLinear);
  expectKept(
      "bridge", [](Figures& f, Random& r) { addBridge(f, r, 5, {"ball"}); }, false, 1, kLinear);
}

// Order 2: the error against a run with steps a sixteenth as long goes down four times with every halving.
void expectOrderTwo(const std::string& what, const Make& make) {
  SCOPED_TRACE(what);
  Random random(6);
  Figures figures;
  make(figures, random);
  const auto end = [&](int steps) {
    Moving p = moving(figures.scene, Method::Energy);
    p.settings.tolerance = 1e-12;
    kick(p, 3, 1);
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(p.step(0.5 / steps));
      EXPECT_TRUE(p.report.fast);
      EXPECT_EQ(p.report.halvings, 0);
    }
    return p.state;
  };
  const State exact = end(stepsOf(6400));
  double last = 0;
  for (const int steps : {200, 400, 800}) {
    const Apart off = apart(end(stepsOf(steps)), exact);
    const double now = std::max(off.position, off.turn);
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / now), 2, 0.2) << steps;
    }
    last = now;
  }
  EXPECT_GT(last, 1e-10) << "nothing to be seen above rounding";
}
TEST(PackedTrees, ConvergeWithOrderTwo) {
  expectOrderTwo("hinges", [](Figures& f, Random& r) { addTree(f, r, 5, Root::World, {}, "pin"); });
  expectOrderTwo("all kinds", [](Figures& f, Random& r) { addTree(f, r, 7, Root::Immobile); });
}
TEST(PackedLoops, ConvergeWithOrderTwo) {
  expectOrderTwo("ladder", [](Figures& f, Random& r) { addLadder(f, r, 3, true); });
}

}  // namespace
}  // namespace tenon::test
