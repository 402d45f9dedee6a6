// The fast path does what the general path does: the same equations, solved in another order.
#include <functional>

#include "figures.h"

namespace tenon::test {
namespace {

constexpr double kShortStep = 1.0 / 120;
constexpr int kSteps = 60;

constexpr double kTolerance = 1e-12;

// How far apart the two may be. What is left of a step grows with the motion itself, which is chaotic: by a
// factor of some thousand in half a second; velocities are displacements by 2/dt, forces by another.
struct Bounds {
  double places = 1e-8;  // [m], [rad]
  double speeds = 1e-6;  // [m/s], [rad/s]
  double pushes = 1e-4;  // of the largest force
};
Bounds boundsOf(const Scene& scene, Method method) {
  // Interactive's fast path solves its momenta to a thousand times the tolerance.
  if (method == Method::Interactive) return {3e-6, 3e-4, 1e-3};
  // With cardan joints the two paths differ by more than rounding, whatever the tolerance: by the square of the
  // step, about a fiftieth of what the scheme itself is off by (measured at 1/120 to 1/960 s).
  for (const Joint& joint : scene.joints)
    if (joint.kind == "hooke") return {3e-3, 3e-2, 3e-2};
  return {};
}

// Forces of the joints in the world. Interactive says how they are along the axes of frame 1 at the end; so does
// Energy by its fast path, while rows have the mean of those of start and end.
std::vector<Vec3> forcesOf(const Moving& p, const State& start, bool mean) {
  std::vector<Vec3> forces;
  for (const MechanismJoint& joint : p.m.joints) {
    const auto axes = [&joint](const State& state) {
      const Quat q = joint.solid1 == kWorld ? Quat{} : state.orientation[joint.solid1];
      return rotationMatrix(q * joint.frame1.q);
    };
    const Mat3 end = axes(p.state);
    const double* from = p.state.multiplier.data() + joint.firstSlot;
    forces.push_back((mean ? 0.5 * (axes(start) + end) : end) * Vec3{from[0], from[1], from[2]});
  }
  return forces;
}

void expectTheSame(const Scene& scene, Method method, std::uint64_t seed, const std::string& what,
                   int steps = kSteps) {
  SCOPED_TRACE(what + ", " + std::string(nameOf(method)) + ", " + std::to_string(seed));
  const Bounds bounds = boundsOf(scene, method);
  Moving fast = moving(scene, method);
  ASSERT_LT(fast.error(), 1e-12);
  kick(fast, seed, 3);
  fast.settings.tolerance = kTolerance;
  Moving general = copyOf(fast);
  general.settings.islands.fast = false;
  const bool unique = count(fast.m, fast.control, fast.state).redundant == 0;
  const State start = fast.state;
  State before = start;
  for (int i = 0; i < stepsOf(steps); ++i) {
    ASSERT_TRUE(fast.step(kShortStep));
    ASSERT_TRUE(general.step(kShortStep));
    ASSERT_TRUE(fast.report.fast) << i;
    ASSERT_TRUE(fast.report.converged) << i;
    ASSERT_FALSE(general.report.fast) << i;
    ASSERT_EQ(fast.report.halvings, general.report.halvings) << i;
    ASSERT_LT(fast.error(), method == Method::Energy ? 1e-11 : 1e-8) << i;
    const Apart off = apart(fast.state, general.state);
    ASSERT_LT(off.position, bounds.places) << i;
    ASSERT_LT(off.turn, bounds.places) << i;
    ASSERT_LT(off.velocity, bounds.speeds) << i;
    ASSERT_LT(off.spin, bounds.speeds) << i;
    if (!unique) continue;  // rows that repeat each other share their forces as they like
    const std::vector<Vec3> a = forcesOf(fast, before, false),
                            b = forcesOf(general, before, method == Method::Energy);
    double largest = 1, difference = 0, slots = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      largest = std::max(largest, norm(a[k]));
      difference = std::max(difference, norm(a[k] - b[k]));
    }
    ASSERT_LT(difference, bounds.pushes * largest) << i;
    for (std::size_t k = 0; k < fast.state.multiplier.size(); ++k)
      slots = std::max(slots, std::abs(fast.state.multiplier[k] - general.state.multiplier[k]));
    // Torques, too; of Energy but for how far the axes turn in half a step.
    ASSERT_LT(slots, (method == Method::Energy ? 0.2 : bounds.pushes) * largest) << i;
    before = fast.state;
  }
  EXPECT_DOUBLE_EQ(fast.state.time, general.state.time);
  EXPECT_GT(apart(start, fast.state).position, 1e-3) << "nothing moved";
}

TEST(PackedTrees, GoAsTheGeneralPath) {
  for (const Method method : kFastMethods)
    for (std::uint64_t seed = 1; seed <= 24; ++seed)
      for (const Root root : {Root::Free, Root::World, Root::Immobile}) {
        Random random(100 * seed + static_cast<std::uint64_t>(root));
        Figures figures;
        addTree(figures, random, 1 + below(random, 12), root, {}, kNoHooke);
        expectTheSame(figures.scene, method, seed,
                      "tree " + std::to_string(static_cast<int>(root)));
      }
}

TEST(PackedTrees, GoAsTheGeneralPathWithHookes) {
  for (const Method method : kFastMethods)
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      for (const Root root : {Root::Free, Root::World, Root::Immobile}) {
        Random random(100 * seed + static_cast<std::uint64_t>(root));
        Figures figures;
        addTree(figures, random, 1 + below(random, 12), root);
        expectTheSame(figures.scene, method, seed,
                      "tree " + std::to_string(static_cast<int>(root)));
      }
}

// Interactive judges momenta less strictly than Energy, and joints as strictly.
TEST(PackedTrees, AreClosedToTheTolerance) {
  for (const Method method : kFastMethods)
    for (const char* kind : {"ball", "pin", "hooke", "weld"})
      for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
        Random random(7);
        Figures figures;
        addTree(figures, random, 8, Root::Free, {}, kind);
        Moving p = moving(figures.scene, method);
        p.settings.tolerance = tolerance;
        kick(p, 3, 4);
        double error = 0;
        for (int i = 0; i < 60; ++i) {
          ASSERT_TRUE(p.step(1.0 / 60));
          EXPECT_TRUE(p.report.fast) << kind << ", " << tolerance << ", step " << i;
          error = std::max(error, p.error());
        }
        EXPECT_LE(error, tolerance) << nameOf(method) << ", " << kind;
      }
}

TEST(PackedTrees, GoAsTheGeneralPathWithEveryKindOfJointAlone) {
  for (const Method method : kFastMethods)
    for (const char* kind : {"ball", "pin", "hooke", "weld"})
      for (const Root root : {Root::Free, Root::World}) {
        Random random(7);
        Figures figures;
        addTree(figures, random, 6, root, {}, kind);
        if (std::string(kind) == "weld" && root == Root::World) continue;  // it does not move
        expectTheSame(figures.scene, method, 3, kind);
      }
}

TEST(PackedTrees, GoAsTheGeneralPathSideBySide) {
  for (const Method method : kFastMethods) {
    Figures figures;
    for (int f = 0; f < 9; ++f) {
      Random random(f < 6 ? 11 : 12);  // six of one shape, three of another
      addTree(figures, random, 7, f < 6 ? Root::Free : Root::World, {3.0 * f, 0, 0}, kNoHooke);
    }
    expectTheSame(figures.scene, method, 5, "side by side");
  }
}

TEST(PackedTrees, HaveHubsWithManyChildren) {
  for (const Method method : kFastMethods) {
    Random random(3);
    Figures figures;
    figures.box({}, {0.6, 0.6, 0.6});
    for (int i = 0; i < 40; ++i) {
      const Vec3 out = random.direction();
      const std::size_t spoke = figures.randomBox(random, 0.6 * out);
      figures.join(i % 5 == 0 ? "pin" : "ball", 0, spoke, {0.35 * out, random.rotation()}, random);
    }
    expectTheSame(figures.scene, method, 5, "hub");
  }
}

struct LoopCase {
  const char* name;
  std::function<void(Figures&, Random&)> make;
};
const LoopCase kLoops[] = {
    {"ladder", [](Figures& f, Random& r) { addLadder(f, r, 5, true); }},
    {"free ladder", [](Figures& f, Random& r) { addLadder(f, r, 3, false); }},
    {"four-bar",
     [](Figures& f, Random& r) {
       addRing(f, r, {"pin", "pin", "pin", "pin"}, true, true);
     }},
    {"free four-bar",
     [](Figures& f, Random& r) {
       addRing(f, r, {"pin", "pin", "pin", "pin"}, true, false);
     }},
    {"ring of balls",
     [](Figures& f, Random& r) {
       addRing(f, r, std::vector<std::string>(6, "ball"), false, false);
     }},
    {"hung ring of balls",
     [](Figures& f, Random& r) {
       addRing(f, r, std::vector<std::string>(5, "ball"), false, true);
     }},
    {"seven hinges",
     [](Figures& f, Random& r) {
       addRing(f, r, std::vector<std::string>(7, "pin"), false, false);
     }},
    {"ring with welds",
     [](Figures& f, Random& r) {
       addRing(f, r, {"ball", "weld", "ball", "pin", "ball", "weld"}, false, false);
     }},
    {"bridge", [](Figures& f, Random& r) { addBridge(f, r, 5, {"ball"}); }},
    {"bridge of hinges",
     [](Figures& f, Random& r) {
       addBridge(f, r, 6, {"ball", "pin", "ball", "pin"});
     }},
};

TEST(PackedLoops, GoAsTheGeneralPath) {
  for (const Method method : kFastMethods)
    for (const LoopCase& c : kLoops)
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Random random(seed);
        Figures figures;
        c.make(figures, random);
        expectTheSame(figures.scene, method, seed, c.name);
      }
}

// Two solids and two joints between them, of which rows repeat each other: a ball on a hinge's axis aside.
TEST(PackedLoops, TakeRowsThatRepeatEachOther) {
  const std::pair<const char*, const char*> pairs[] = {
      {"ball", "ball"}, {"pin", "ball"}, {"pin", "pin"}, {"weld", "ball"}};
  for (const Method method : kFastMethods)
    for (const auto& [one, other] : pairs) {
      Random random(5);
      Figures figures;
      addTree(figures, random, 2, Root::Free, {}, "ball");
      figures.scene.joints.clear();
      figures.join("ball", kTheWorld, 0, {{0, 0.3, 0}, {}}, random);
      figures.join(one, 0, 1, {{0.2, 0.1, 0}, {}}, random);
      figures.join(other, 0, 1,
                   {std::string(other) == "pin" ? Vec3{0.5, 0.1, 0} : Vec3{0.3, 0.1, 0.2}, {}},
                   random);
      expectTheSame(figures.scene, method, 1, std::string(one) + " and " + other);
    }
}

// Large enough to be eliminated in parts.
TEST(PackedLoops, GoAsTheGeneralPathInANet) {
  for (const Method method : kFastMethods) {
    Figures figures;
    Random random(6);
    addNet(figures, random, 15);
    expectTheSame(figures.scene, method, 9, "net", 20);
  }
}

TEST(PackedLoops, GoAsTheGeneralPathAtRandom) {
  int seen = 0;
  for (const Method method : kFastMethods)
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Random random(seed);
      Figures figures;
      addWeb(figures, random, 6 + below(random, 8), 1 + static_cast<int>(seed % 3),
             seed % 2 == 0 ? Root::Free : Root::Immobile);
      const Moving p = moving(figures.scene, method);
      if (count(p.m, p.control, p.state).redundant > 0) continue;
      ++seen;
      expectTheSame(figures.scene, method, seed, "web");
    }
  EXPECT_GT(seen, 8);
}

TEST(PackedLoops, GoBesideTrees) {
  for (const Method method : kFastMethods) {
    Random random(21);
    Figures figures;
    addTree(figures, random, 5, Root::World, {}, kNoHooke);
    addLadder(figures, random, 3, true, {3, 0, 0});
    addTree(figures, random, 4, Root::Free, {6, 0, 0}, kNoHooke);
    addRing(figures, random, std::vector<std::string>(5, "ball"), false, false, {9, 0, 0});
    expectTheSame(figures.scene, method, 2, "mixed");
  }
}

// A step that turns solids too far is split into equal pieces, or into halves on the way. Each piece is a step: steps of these lengths
// end in the same bits, and by rows they end in the same place. Rows, asked for the long step, halve it: where that makes as many
// pieces, it is the same again.
struct SplitCase {
  const char* name;
  std::function<void(Figures&, Random&)> make;
};
void limitPins(Scene& scene) {
  for (Joint& joint : scene.joints) {
    if (joint.kind != "pin") continue;
    CoordinateRule limit, damper;
    limit.coordinate = damper.coordinate = "angle";
    limit.lower = -200;
    limit.upper = 200;
    damper.kind = CoordinateRule::Kind::Damper;
    damper.damping = 0.01;
    joint.rules = {limit, damper};
  }
}
const SplitCase kSplit[] = {
    {"tree", [](Figures& f, Random& r) { addTree(f, r, 5, Root::World, {}, kNoHooke); }},
    {"free tree", [](Figures& f, Random& r) { addTree(f, r, 5, Root::Free, {}, kNoHooke); }},
    {"tree of pins with rules",
     [](Figures& f, Random& r) {
       addTree(f, r, 4, Root::World, {}, "pin");
       limitPins(f.scene);
     }},
    {"ring", [](Figures& f,
                Random& r) { addRing(f, r, std::vector<std::string>(5, "ball"), false, false); }},
    {"ladder", [](Figures& f, Random& r) { addLadder(f, r, 3, true); }},
    {"seven hinges",
     [](Figures& f, Random& r) {
       addRing(f, r, std::vector<std::string>(7, "pin"), false, false);
     }},
};

// Steps of these lengths; how the end differs from that of the long step.
const std::string kSplitAgain = "a piece was split";
std::string stepBy(const std::vector<double>& lengths, const State& end, Moving& p) {
  for (const double dt : lengths) {
    EXPECT_TRUE(p.step(dt));
    EXPECT_EQ(p.report.fast, p.settings.islands.fast);
    if (p.report.halvings > 0) return kSplitAgain;
  }
  EXPECT_NEAR(p.state.time, end.time, 1e-15);
  p.state.time = end.time;
  return differenceOf(p.state, end);
}
void expectClose(const State& a, const State& b, const std::string& what) {
  const Apart off = apart(a, b);
  EXPECT_LT(std::max(off.position, off.turn), 1e-9) << what;
  EXPECT_LT(std::max(off.velocity, off.spin), 1e-7) << what;
}

TEST(Packed, PiecesOfAStepAreStepsByKernelsAndByRows) {
  int halvedByAll = 0;
  for (const Method method : kFastMethods)
    for (const SplitCase& c : kSplit) {
      int split = 0, halved = 0;
      for (std::uint64_t seed = 1; seed <= 16; ++seed)
        for (const double spin : {15.0, 30.0, 45.0, 60.0}) {
          Random random(seed);
          Figures figures;
          c.make(figures, random);
          Moving p = moving(figures.scene, method);
          p.settings.tolerance = kTolerance;
          kick(p, seed, spin);
          Moving whole = copyOf(p), rows = copyOf(p), again = copyOf(p);
          rows.settings.islands.fast = again.settings.islands.fast = false;
          ASSERT_TRUE(p.step(1.0 / 60));
          if (!p.report.fast || p.report.halvings == 0) continue;
          const int pieces = p.report.halvings + 1;
          const std::string what = std::string(c.name) + ", " + std::string(nameOf(method)) +
                                   ", seed " + std::to_string(seed) + ", " +
                                   std::to_string(pieces) + " pieces";
          std::vector<double> lengths(static_cast<std::size_t>(pieces), 1.0 / 60 / pieces);
          std::string difference = stepBy(lengths, p.state, whole);
          if (!difference.empty() && pieces == 3) {  // the second half was split
            whole = copyOf(rows);
            whole.settings.islands.fast = true;
            lengths = {0.5 / 60, 0.25 / 60, 0.25 / 60};
            difference = stepBy(lengths, p.state, whole);
          }
          // There are other ways to come to more pieces.
          if (difference == kSplitAgain || (!difference.empty() && pieces > 3)) continue;
          ++split;
          EXPECT_EQ(difference, "") << what;
          if (stepBy(lengths, p.state, rows) != kSplitAgain) expectClose(p.state, rows.state, what);
          ASSERT_TRUE(again.step(1.0 / 60));
          const bool same = (pieces & (pieces - 1)) == 0 && again.report.halvings + 1 == pieces;
          if (!same) continue;
          ++halved;
          expectClose(p.state, again.state, what + ", halved");
        }
      EXPECT_GT(split, 2) << c.name << ", " << nameOf(method);
      halvedByAll += halved;
    }
  EXPECT_GT(halvedByAll, 60);
}

// ------------------------------------------------------------------------------- what is not for it

bool isFast(const Scene& scene, const std::function<void(Moving&)>& steer = {}) {
  bool fast = true;
  for (const Method method : kFastMethods) {
    Moving p = moving(scene, method);
    if (steer) steer(p);
    EXPECT_TRUE(p.step(kShortStep));
    EXPECT_EQ(p.report.fast, method == Method::Energy ? p.report.fast : fast);
    fast = p.report.fast;
  }
  return fast;
}

TEST(Packed, KnowsWhatActsOnTreesAndWhatDoesNot) {
  Random random(2);
  Figures plain;
  addTree(plain, random, 4, Root::World, {}, "pin");
  EXPECT_TRUE(isFast(plain.scene));
  const auto with = [&](const std::function<void(Scene&)>& change) {
    Scene scene = plain.scene;
    change(scene);
    return isFast(scene);
  };
  const std::string solid = plain.scene.solids[0].name;
  EXPECT_TRUE(with([](Scene& s) {
    CoordinateRule limit;
    limit.coordinate = "angle";
    limit.lower = -100;
    limit.compliance = 1e-3;
    s.joints[0].rules.push_back(limit);
  }));
  EXPECT_TRUE(with([](Scene& s) {
    CoordinateRule spring;
    spring.kind = CoordinateRule::Kind::Spring;
    spring.coordinate = "angle";
    spring.stiffness = 1;
    s.joints[0].rules.push_back(spring);
  }));
  EXPECT_TRUE(with([](Scene& s) { s.damp = 0.1; }));
  EXPECT_TRUE(with([](Scene& s) { s.joints[1].damp = 0.1; }));
  EXPECT_FALSE(with([](Scene& s) { s.joints[1].compliance = 1e-6; }));
  EXPECT_FALSE(with([](Scene& s) { s.joints[1].active = {{0, 1}}; }));
  EXPECT_TRUE(with([](Scene& s) { s.joints[0].kind = "cylindrical"; }));
  EXPECT_TRUE(with([&](Scene& s) {
    Spring spring;
    spring.name = "spring";
    spring.solid2 = solid;
    spring.stiffness = 10;
    s.springs.push_back(spring);
  }));
  EXPECT_TRUE(with([&](Scene& s) {
    s.forces.push_back({"push", solid, {}, {1, 0, 0}, {}, {}, {}});
  }));
  EXPECT_TRUE(with([](Scene& s) {
    Drag drag;
    drag.name = "air";
    drag.linear = 0.1;
    s.drags.push_back(drag);
  }));
  EXPECT_TRUE(with([](Scene& s) {
    Solid bead;
    bead.name = "bead";
    bead.pointMass = true;
    bead.mass = 1;
    s.solids.push_back(bead);
  }));
  // A solid that is led concerns those that hang on it.
  const auto withBelt = [&](bool tied) {
    return with([tied](Scene& s) {
      Solid belt = s.solids[0];
      belt.name = "belt";
      belt.kind = SolidKind::Animated;
      belt.velocity = {1, 0, 0};
      s.solids.push_back(belt);
      Joint strap = s.joints[0];
      strap.name = "strap";
      strap.solid1 = "belt";
      strap.solid2 = s.solids[0].name;
      if (tied) s.joints.push_back(strap);
    });
  };
  EXPECT_TRUE(withBelt(false));
  EXPECT_FALSE(withBelt(true));
  // As it is steered.
  EXPECT_TRUE(isFast(plain.scene, [](Moving& p) { p.control.damp = 0.1; }));
  EXPECT_TRUE(isFast(plain.scene, [](Moving& p) { p.control.jointOn[1] = 0; }));  // two islands
  EXPECT_FALSE(isFast(plain.scene, [](Moving& p) {
    p.control.merged.assign(p.m.joints.size(), 0);
    p.control.merged[1] = 1;
  }));
  // Steps that are solved for their end solve directly, whatever is chosen for other methods.
  EXPECT_TRUE(isFast(plain.scene, [](Moving& p) { p.settings.linear.solver = LinearSolver::Cg; }));
  EXPECT_FALSE(isFast(plain.scene, [](Moving& p) { p.settings.islands.fast = false; }));
  EXPECT_TRUE(isFast(plain.scene, [](Moving& p) { p.control.gravity = {1, 2, 3}; }));
}

TEST(Packed, FollowsWhatIsSwitchedOffAndOnAgain) {
  for (const Method method : kFastMethods) {
    Random random(2);
    Figures figures;
    addTree(figures, random, 5, Root::World, {}, kNoHooke);
    Moving p = moving(figures.scene, method), general = moving(figures.scene, method);
    general.settings.islands.fast = false;
    p.settings.tolerance = general.settings.tolerance = kTolerance;
    for (int i = 0; i < 30; ++i) {
      const bool off = i / 10 == 1;
      p.control.gravity = general.control.gravity = {0, i < 20 ? -9.81 : 5, 0};
      if (off) p.control.damp = general.control.damp = 0.05;
      if (!off) p.control.damp = general.control.damp = 0;
      ASSERT_TRUE(p.step(kShortStep));
      ASSERT_TRUE(general.step(kShortStep));
      EXPECT_TRUE(p.report.fast) << i;
      ASSERT_LT(apart(p.state, general.state).position, 1e-7) << i;
    }
  }
}

// What was planned for one mechanism is not used for another.
TEST(Packed, PlansAnewForAnotherMechanism) {
  for (const Method method : kFastMethods) {
    StepScratch scratch;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Random random(seed);
      Figures figures;
      if (seed % 2 == 0)
        addTree(figures, random, 3 + static_cast<std::size_t>(seed), Root::World);
      else
        addLadder(figures, random, 3, seed == 3);
      Moving p = moving(figures.scene, method), fresh = moving(figures.scene, method);
      kick(p, seed, 2);
      kick(fresh, seed, 2);
      for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(step(p.m, p.control, p.settings, kShortStep, p.state, scratch).fast);
        ASSERT_TRUE(fresh.step(kShortStep));
        ASSERT_EQ(differenceOf(p.state, fresh.state), "") << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::test
