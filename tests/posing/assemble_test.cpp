// Assembly: from any pose, within a budget, and never for the worse.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "math/random.h"
#include "math/rotation.h"
#include "posing/buffers.h"
#include "posing/rearrange.h"
#include "scenes.h"

namespace tenon::test {
namespace {

void disturb(Posed& p, Random& random, double metres, double radians) {
  tenon::disturb(p.m, random.below(1u << 30), metres, radians, p.state);
}

bool sameBits(const State& a, const State& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0);
  };
  return same(a.position, b.position) && same(a.orientation, b.orientation) &&
         same(a.velocity, b.velocity) && same(a.spin, b.spin) && same(a.memory, b.memory);
}

Vec3 centreOfMass(const Posed& p) {
  Vec3 moment;
  double mass = 0;
  for (std::size_t s = 0; s < p.m.solids.size(); ++s) {
    if (p.m.solids[s].kind != SolidKind::Dynamic) continue;
    moment += p.m.solids[s].mass * p.state.position[s];
    mass += p.m.solids[s].mass;
  }
  return (1 / mass) * moment;
}

// Axes that must point the same way do: the swing of every lower pair is small, not half a turn.
bool isRightWayUp(const Posed& p) {
  for (Index j = 0; j < p.m.joints.size(); ++j) {
    const MechanismJoint& joint = p.m.joints[j];
    int locked = 0, freeAxis = 0;
    for (int axis = 0; axis < 3; ++axis)
      if ((joint.kind->locked >> (3 + axis) & 1u) != 0)
        ++locked;
      else
        freeAxis = axis;
    if (locked < 2) continue;
    const auto frame = [&](Index solid, const Pose& X) {
      return solid == kWorld ? X.q : p.state.orientation[solid] * X.q;
    };
    Vec3 e;
    e[freeAxis] = 1;
    if (dot(rotate(frame(joint.solid1, joint.frame1), e),
            rotate(frame(joint.solid2, joint.frame2), e)) < 0.999)
      return false;
  }
  return true;
}

TEST(Assemble, ScatteredMechanismsRightWayUp) {
  for (const char* name :
       {"linkages/four-bar", "linkages/slider-crank", "linkages/jansen-leg",
        "linkages/stewart-platform", "linkages/bricard", "linkages/n-four-bar",
        "linkages/scissor-lift", "figures/marionette", "faure/fig2-bar-and-discs",
        "faure/fig5-structure", "faure/fig3-bound-characters"}) {
    Posed p = fromFile(name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      p.state = initialState(p.m);
      scatter(p.m, seed, p.state);
      const PoseReport report = p.assemble();
      EXPECT_EQ(report.status, PoseStatus::Converged) << name << seed;
      EXPECT_LT(p.error(), 1e-10) << name << seed;
      EXPECT_GT(report.startError, 0.1);
      EXPECT_TRUE(isRightWayUp(p)) << name << seed;
      EXPECT_LT(jointError(p.m, p.control, p.state).range, 1e-9) << name << seed;
    }
  }
}

TEST(Assemble, ClosedStatesComeBackWithTheSameBits) {
  for (const char* name : {"linkages/four-bar", "figures/hand", "linkages/scissor-lift"}) {
    Posed p = fromFile(name);
    const State before = p.state;
    const PoseReport report = p.assemble();
    EXPECT_EQ(report.status, PoseStatus::Converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_TRUE(sameBits(before, p.state)) << name;
    // Also one that was assembled a moment ago.
    scatter(p.m, 5, p.state);
    (void)p.assemble();
    const State assembled = p.state;
    (void)p.assemble();
    EXPECT_TRUE(sameBits(assembled, p.state)) << name;
  }
}

// Where a start is moved a little, the end moves as little: nothing about how it is done changes on the way. The crank's
// place over a row of starts is a smooth curve, whose second differences change slowly.
TEST(Assemble, EndsVaryAsSmoothlyAsStarts) {
  for (const char* scene :
       {"linkages/four-bar", "linkages/slider-crank", "linkages/bricard", "linkages/n-four-bar"})
    for (const double size : {1e-4, 1e-3, 1e-2, 3e-2}) {  // [m], [rad] in the middle of the row
      constexpr int kStarts = 31;
      std::vector<Vec3> ends;
      Vec3 first;
      double least = 1, most = 0;
      for (int k = 0; k < kStarts; ++k) {
        Posed p = fromFile(scene);
        const double off = size * (0.5 + k / (kStarts - 1.0));
        for (Index s = 0; s < p.m.solids.size(); ++s) {
          if (p.m.solids[s].kind != SolidKind::Dynamic) continue;
          const double sign = s % 2 == 0 ? 1 : -0.7;
          p.state.position[s] += sign * off * Vec3{0.6, -0.8, 0.1};
          p.state.orientation[s] =
              normalized(exponential(sign * off * Vec3{0.1, 0.2, 1}) * p.state.orientation[s]);
        }
        const double error = p.error();
        least = std::min(least, error);
        most = std::max(most, error);
        ASSERT_EQ(p.assemble().status, PoseStatus::Converged) << scene << " " << off;
        Vec3 sum;  // of all solids, with weights that nothing cancels
        for (Index s = 0; s < p.m.solids.size(); ++s) sum += (1 + 0.1 * s) * p.state.position[s];
        if (k == 0) first = sum;
        ends.push_back(sum - first);
      }
      EXPECT_LT(least, size);
      EXPECT_GT(most, size);
      // What bends more than it does three starts before and after is a jump. The tolerance counts ten times.
      std::vector<double> bends;
      for (std::size_t k = 1; k + 1 < ends.size(); ++k)
        bends.push_back(norm(ends[k + 1] - 2 * ends[k] + ends[k - 1]));
      for (std::size_t k = 3; k + 3 < bends.size(); ++k)
        EXPECT_LT(bends[k], 3 * std::max(bends[k - 3], bends[k + 3]) + 1e-9)
            << scene << " about " << size << ", start " << k;
    }
}

TEST(Assemble, TheSameStartGivesTheSameBitsWhateverTheScratch) {
  Posed p = fromFile("linkages/jansen-leg"), q = fromFile("linkages/jansen-leg");
  scatter(q.m, 9, q.state);
  (void)q.assemble();  // its scratch is used
  q.state = initialState(q.m);
  for (Posed* each : {&p, &q}) {
    scatter(each->m, 3, each->state);
    (void)each->assemble();
  }
  EXPECT_TRUE(sameBits(p.state, q.state));
}

// Whatever the start and the budget, the error that comes back is not above the one that went in.
TEST(Assemble, IsNeverWorseThanTheStart) {
  Random random(12);
  const char* names[] = {"linkages/four-bar", "linkages/bricard", "manikin/bushy", "gascuel/star",
                         "faure/fig2-bar-and-discs"};
  for (const char* name : names) {
    Posed p = fromFile(name);
    for (int trial = 0; trial < 200; ++trial) {
      p.state = initialState(p.m);
      if (trial % 3 == 0)
        scatter(p.m, static_cast<std::uint64_t>(trial), p.state);
      else
        disturb(p, random, random.uniform(0, 0.5), random.uniform(0, 2));
      PoseSettings settings;
      settings.iterations = static_cast<int>(random.below(12));
      settings.method = static_cast<AssemblyMethod>(random.below(3));
      settings.linear.solver = kLinearSolvers[random.below(std::size(kLinearSolvers))];
      settings.linear.iterations = static_cast<int>(random.below(8));
      if (trial % 4 == 1) settings.milliseconds = random.uniform(0, 0.5);
      const double before = p.error();
      const PoseReport report = p.assemble(settings);
      EXPECT_LE(p.error(), before * (1 + 1e-12)) << name << trial;
      EXPECT_LE(report.maxError, report.startError * (1 + 1e-12)) << name << trial;
      EXPECT_LE(report.iterations, settings.iterations);
      if (report.status == PoseStatus::Converged) {
        EXPECT_LE(report.maxError, settings.tolerance);
      }
    }
  }
}

TEST(Assemble, KeepsTheTimeThatItIsGiven) {
  const auto assembled = [](AssemblyMethod method, double milliseconds) {
    Posed p = fromFile("faure/fig3-bound-characters");
    scatter(p.m, 1, p.state);
    PoseSettings settings;
    settings.method = method;
    settings.iterations = 40;
    settings.tolerance = 1e-14;
    settings.milliseconds = milliseconds;
    settings.trace = true;
    return p.assemble(settings);
  };
  // How long the whole takes here and now, whatever the build and whatever runs beside it; then half that
  // time. The machine may be taken away at any moment and for any while: one of several tries must fit.
  // What does not look at the clock, or gives up at once, fits in none.
  for (const AssemblyMethod method : {AssemblyMethod::Newton, AssemblyMethod::Displacement}) {
    bool fits = false;
    for (int tries = 0; tries < 10 && !fits; ++tries) {
      const PoseReport whole = assembled(method, 1e9);
      ASSERT_GT(whole.iterations, 3) << nameOf(method);
      const PoseReport half = assembled(method, whole.milliseconds / 2);
      double best = kInfinity;
      for (const TracePoint& t : half.trace) {
        EXPECT_LE(t.best, best);
        best = t.best;
      }
      fits = half.status == PoseStatus::Budget && half.iterations > 0 &&
             half.iterations < whole.iterations && half.milliseconds < 0.8 * whole.milliseconds;
    }
    EXPECT_TRUE(fits) << nameOf(method);
  }
}

// A hinge that has been turned far stays where it is while a gap elsewhere is closed: its turns count.
TEST(Assemble, KeepsTheTurnsThatWereCounted) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
joint pin hinge object2 a; at 0 0 0; axis 0 0 1; limit angle min 0 max 300deg; end
solid b sphere 0.1; at 5 0 0; end
joint ball hook object2 b; point1 5 0 0; point2 0 0 0; end
)");
  for (int step = 0; step < 50; ++step) {
    p.state.orientation[0] = exponential({0, 0, 0.1}) * p.state.orientation[0];
    p.state.position[0] = rotate(p.state.orientation[0], {0.5, 0, 0});
    rememberTurns(p.m, p.state);
  }
  p.state.position[1].x += 1e-3;
  const State before = p.state;
  for (const int iterations : {0, 1, 100}) {
    p.state = before;
    PoseSettings settings;
    settings.iterations = iterations;
    const PoseReport report = p.assemble(settings);
    EXPECT_LE(report.maxError, 1e-3 * (1 + 1e-12)) << iterations;
    EXPECT_NEAR(jointValues(p.m, p.state, 0).coordinate[0], 5, 1e-9) << iterations;
    if (iterations == 0) {
      EXPECT_TRUE(sameBits(before, p.state));
    }
  }
}

// The scratch may have served another mechanism, or the same one with other rows in force.
TEST(Assemble, ScratchOfAnotherMechanismChangesNoBit) {
  const std::string two =
      "gravity 0 0 0; solid a sphere 0.1; end solid b %; sphere 0.1; mass 2; at 1 0 0; end\n"
      "joint ball j object1 a; point1 0 0.3 0; object2 b; point2 0 0 0; end";
  std::string point = two, solid = two;
  point.replace(point.find('%'), 1, "point-mass");
  solid.replace(solid.find("%;"), 2, "");
  Posed p = fromText(point), q = fromText(solid), fresh = fromText(solid);
  (void)p.assemble();
  q.scratch = std::move(p.scratch);
  (void)q.assemble();
  (void)fresh.assemble();
  EXPECT_TRUE(sameBits(q.state, fresh.state));

  Posed timed = fromText(R"(
gravity 0 0 0;
solid z sphere 0.1; at 3 0 0; end
solid a sphere 0.1; at 0 0 0; end
joint angle s object1 z; object2 a; spring angle stiffness 3 active 1 2; end
joint ball hook object2 a; point1 0 1 0; point2 0 0 0; end
)");
  EXPECT_EQ(timed.assemble().status, PoseStatus::Converged);
  timed.state.time = 1.5;
  timed.state.position[1].y += 0.5;
  EXPECT_EQ(timed.assemble().status, PoseStatus::Converged);
}

TEST(Assemble, RefusesWantsThatAreNotNumbers) {
  Posed p = fromFile("manikin/chain");
  for (const bool need : {false, true}) {
    Want want;
    want.need = need;
    want.target.x = std::nan("");
    const State before = p.state;
    const PoseReport report = p.assemble({}, {want});
    EXPECT_EQ(report.status, PoseStatus::Stalled);
    EXPECT_FALSE(report.reason.empty());
    EXPECT_TRUE(sameBits(before, p.state));
  }
}

TEST(Assemble, RefusesWhatIsNotANumber) {
  Posed p = fromFile("linkages/four-bar");
  p.state.position[1].x = std::nan("");
  const State before = p.state;
  const PoseReport report = p.assemble();
  EXPECT_EQ(report.status, PoseStatus::Stalled);
  EXPECT_NE(report.reason.find("not a number"), std::string::npos);
  EXPECT_TRUE(sameBits(before, p.state));
}

// ------------------------------------------------------------------------------------ convergence

std::vector<double> errorsOf(Posed& p) {
  PoseSettings settings;
  settings.trace = true;
  settings.tolerance = 1e-14;
  settings.iterations = 40;
  const PoseReport report =
      track(p.m, p.control, {}, settings, p.state, p.scratch);  // no restarts, no pulling together
  std::vector<double> errors;
  for (const TracePoint& t : report.trace) errors.push_back(t.error);
  return errors;
}

TEST(Newton, ConvergesQuadraticallyAtARegularPose) {
  for (const char* name : {"linkages/stewart-platform", "linkages/four-bar", "manikin/chain"}) {
    Posed p = fromFile(name);
    Random random(4);
    disturb(p, random, 1e-2, 1e-2);
    const std::vector<double> errors = errorsOf(p);
    ASSERT_GE(errors.size(), 3u);
    EXPECT_LE(errors.size(), 6u) << name;
    // Each error is at most some constant times the square of the one before, until rounding.
    for (std::size_t i = 1; i < errors.size(); ++i)
      EXPECT_LT(errors[i], std::max(50 * errors[i - 1] * errors[i - 1], 1e-13)) << name << i;
  }
}

// Two rods that just reach each other: the solution is a singular pose, and the error shrinks by a
// fixed factor: a quarter a step, as of a double root.
TEST(Newton, ConvergesLinearlyAtASingularPose) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; end
joint ball left object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint ball middle object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; end
joint ball right object2 b; point1 2 0 0; point2 0.5 0 0; end
)");
  Random random(5);
  disturb(p, random, 1e-2, 5e-2);
  const std::vector<double> errors = errorsOf(p);
  ASSERT_GT(errors.size(), 8u);
  for (std::size_t i = 4; i < 8; ++i) {
    EXPECT_LT(errors[i], 0.5 * errors[i - 1]) << i;
    EXPECT_GT(errors[i], 0.05 * errors[i - 1]) << i;
  }
}

// A weld, a hinge and a slide that start upside down, to the last bit or nearly so, end upright.
TEST(Newton, LeavesHalfTurnsBehind) {
  for (const char* kind : {"weld", "pin", "prismatic"})
    for (const char* axis : {"0 1 0", "0 0 1", "0.6 0.8 0"})
      for (const double off : {0.0, 1e-15, 1e-9, 1e-4}) {
        Posed p = fromText(std::string("gravity 0 0 0; solid a box 1 0.2 0.1; end\n") +
                           "solid b box 1 0.1 0.3; at 0 1 0; turn " + axis + " " +
                           std::to_string(kPi) + "; end\njoint " + kind +
                           " j object1 a; point1 0 0 0; axis1 1 0 0; object2 b; point2 0 0 0; "
                           "axis2 1 0 0; end\n");
        p.state.orientation[1] = exponential({off, off, 0}) * p.state.orientation[1];
        const PoseReport report = p.assemble();
        EXPECT_EQ(report.status, PoseStatus::Converged) << kind << axis << off;
        EXPECT_TRUE(isRightWayUp(p)) << kind << axis << off;
      }
}

TEST(Newton, ClosesRedundantLoops) {
  for (const char* name : {"linkages/four-bar", "linkages/scissor-lift", "linkages/strandbeest",
                           "linkages/bricard", "linkages/peaucellier"}) {
    Posed p = fromFile(name);
    Random random(6);
    disturb(p, random, 5e-3, 2e-2);
    const PoseReport report = p.assemble();
    EXPECT_EQ(report.status, PoseStatus::Converged) << name;
    EXPECT_LT(p.error(), 1e-10) << name;
    EXPECT_LE(report.iterations, 25) << name;
  }
}

TEST(Newton, ClosesLongChainsAndGrids) {
  Posed chain = fromFile("peers/s1", {{"N", "2000"}});
  Random random(7);
  disturb(chain, random, 1e-2, 1e-2);
  EXPECT_EQ(chain.assemble().status, PoseStatus::Converged);
  EXPECT_LT(chain.error(), 1e-9);
  Posed ladder = fromFile("peers/s3");
  disturb(ladder, random, 1e-2, 1e-2);
  EXPECT_EQ(ladder.assemble().status, PoseStatus::Converged);
  EXPECT_LT(ladder.error(), 1e-9);
}

// --------------------------------------------------------------------------------------- momentum

TEST(Assemble, KeepsTheCentreOfMassOfAnIsolatedFigure) {
  Posed p = fromFile("faure/fig3-bound-characters");
  for (const AssemblyMethod method : {AssemblyMethod::Newton, AssemblyMethod::Displacement})
    for (const bool scattered : {false, true}) {
      p.state = initialState(p.m);
      if (scattered) scatter(p.m, 2, p.state);
      const Vec3 before = centreOfMass(p);
      PoseSettings settings;
      settings.method = method;
      settings.iterations = method == AssemblyMethod::Newton ? 1000 : 3;
      (void)p.assemble(settings);
      EXPECT_LT(norm(centreOfMass(p) - before), 1e-12) << scattered;
    }
}

// Also where it has to start again from elsewhere.
TEST(Assemble, KeepsTheCentreOfMassOverRestarts) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1 0.5 0; turn 0 0 1 90deg; end
solid c box 1 0.1 0.1; at 0.5 1 0; end
solid d box 1 0.1 0.1; at 0 0.5 0; turn 0 0 1 90deg; end
joint pin ab object1 a; object2 b; at 1 0 0; axis 0 0 1; end
joint pin bc object1 b; object2 c; at 1 1 0; axis 0 0 1; end
joint pin cd object1 c; object2 d; at 0 1 0; axis 0 0 1; end
joint pin da object1 d; object2 a; at 0 0 0; axis 0 0 1; limit angle min 80deg max 100deg; end
)");
  Random random(3);
  for (int round = 1; round <= 20; ++round) {
    p.state = initialState(p.m);
    tenon::disturb(p.m, static_cast<std::uint64_t>(round), 0.5, 1, p.state);
    const State start = p.state;
    const Vec3 before = centreOfMass(p);
    (void)gatherNeeds(p.m, p.control, {}, p.state, p.scratch.buffers());
    rearrange(p.m, p.control, p.scratch.buffers().rows, 1e-10, round, random, p.state);
    EXPECT_FALSE(sameBits(start, p.state));
    EXPECT_LT(norm(centreOfMass(p) - before), 1e-12) << round;
  }
}

// Small corrections keep the angular momentum of the displacements to first order: what is left
// shrinks with the square of the error.
TEST(Assemble, KeepsAngularMomentumToFirstOrder) {
  double last = 0;
  for (const double size : {1e-2, 5e-3, 2.5e-3}) {
    Posed p = fromFile("gascuel/star");
    p = fromText(R"(
gravity 0 0 0;
solid a box 1 0.2 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.3; at 1.5 0 0; density 3000; end
solid c box 1 0.1 0.1; at 2.5 0 0; end
joint ball left object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; end
joint pin right object1 b; point1 0.5 0 0; object2 c; point2 -0.5 0 0; axis1 0 0 1; axis2 0 0 1; end
)");
    Random random(8);
    disturb(p, random, size, size);
    const State before = p.state;
    PoseSettings settings;
    settings.iterations = 1;
    settings.tolerance = 1e-15;
    (void)track(p.m, p.control, {}, settings, p.state, p.scratch);
    Vec3 sum;
    double moved = 0;
    for (std::size_t s = 0; s < p.m.solids.size(); ++s) {
      const Vec3 shift = p.state.position[s] - before.position[s];
      const Vec3 turn = logarithm(p.state.orientation[s] * conjugate(before.orientation[s]));
      const Mat3 R = rotationMatrix(before.orientation[s]);
      sum += p.m.solids[s].mass * cross(before.position[s], shift) +
             R * p.m.solids[s].inertia * transpose(R) * turn;
      moved += p.m.solids[s].mass * norm(shift);
    }
    EXPECT_LT(norm(sum), 0.05 * moved);
    if (last > 0) {
      EXPECT_LT(norm(sum), 0.3 * last);
    }
    last = norm(sum) + 1e-15;
  }
}

TEST(Assemble, HeavyMovesLess) {
  Posed p = fromText(R"(
gravity 0 0 0;
solid light sphere 0.1; mass 1; at 0 0 0; end
solid heavy sphere 0.1; mass 9; at 1 0 0; end
joint ball j object1 light; point1 0 0 0; object2 heavy; point2 0 0 0; end
)");
  (void)p.assemble();
  EXPECT_NEAR(p.state.position[0].x, 0.9, 1e-12);
  EXPECT_NEAR(p.state.position[1].x, 0.9, 1e-12);
  Posed held = fromText(R"(
solid held immobile; sphere 0.1; at 1 0 0; end
solid free sphere 0.1; at 0 0 0; end
joint ball j object1 held; point1 0 0 0; object2 free; point2 0 0 0; end
)");
  (void)held.assemble();
  EXPECT_EQ(held.state.position[0], (Vec3{1, 0, 0}));
  EXPECT_NEAR(held.state.position[1].x, 1, 1e-12);
}

// ---------------------------------------------------------------------------------- needs and wants

Want pull(Index solid, const Vec3& target, double weight = 1) {
  Want want;
  want.solid = solid;
  want.target = target;
  want.weight = weight;
  return want;
}

TEST(Wants, AreMetWhereTheNeedsAllow) {
  Posed p = fromFile("manikin/chain");
  const Index last = p.solid("link-9");
  const Vec3 target{1.5, 1.2, -0.7};
  Want want = pull(last, target);
  want.point = {0.2, 0, 0};
  const PoseReport report = p.assemble({}, {want});
  EXPECT_EQ(report.status, PoseStatus::Converged);
  EXPECT_LT(p.error(), 1e-10);
  EXPECT_LT(report.wantError, 1e-6);
  EXPECT_LT(norm(p.state.position[last] + rotate(p.state.orientation[last], want.point) - target),
            1e-6);
}

// What is wanted is followed until it is met, or no way leads nearer. Whoever says `converged` has done that: with fewer
// iterations, or no time, it says that the budget was used up, also where all joints hold.
TEST(Wants, AreNotCalledFollowedWhereTheBudgetEnded) {
  for (const AssemblyMethod method : {AssemblyMethod::Newton, AssemblyMethod::Relaxation})
    for (const bool general : {false, true})
      for (const double far : {1.0, 3.0}) {  // the second is out of reach
        if (general && method == AssemblyMethod::Relaxation) continue;
        const auto posed = [&](int iterations, double milliseconds, bool tracking) {
          Posed p = fromFile("manikin/chain", {{"links", "4"}});
          Want want = pull(p.solid("link-3"), far * normalized(Vec3{1, 1, 0.5}));
          PoseSettings settings;
          settings.method = method;
          settings.iterations = iterations;
          settings.milliseconds = milliseconds;
          if (general) settings.linear.solver = LinearSolver::BlockCg;
          if (general) settings.linear.tolerance = 1e-14;
          return tracking ? track(p.m, p.control, {want}, settings, p.state, p.scratch)
                          : p.assemble(settings, {want});
        };
        for (const bool tracking : {false, true}) {
          const PoseReport whole = posed(5000, kInfinity, tracking);
          if (method == AssemblyMethod::Newton) {  // relaxation does not close it in that many
            EXPECT_EQ(whole.status, PoseStatus::Converged) << far;
          }
          const PoseReport hurried = posed(5000, 0, tracking);
          EXPECT_EQ(hurried.status, PoseStatus::Budget) << far << nameOf(method);
          EXPECT_FALSE(hurried.reason.empty());
          EXPECT_LT(hurried.maxError, 1e-10);
          int budget = 0;
          for (int iterations = 0; iterations <= 40; ++iterations) {
            const PoseReport report = posed(iterations, kInfinity, tracking);
            EXPECT_TRUE(report.status == PoseStatus::Converged ||
                        report.status == PoseStatus::Budget);
            budget += report.status == PoseStatus::Budget ? 1 : 0;
            if (report.status == PoseStatus::Converged && method == AssemblyMethod::Newton) {
              EXPECT_LT(report.wantError, whole.wantError + 1e-6) << far << " " << iterations;
            }
            if (report.wantError > whole.wantError + 0.1) {
              EXPECT_EQ(report.status, PoseStatus::Budget)
                  << far << " " << iterations << " " << nameOf(method);
            }
          }
          EXPECT_GE(budget, 1);
        }
      }
}

// A target out of reach: the chain points at it, stretched, and every joint still holds. From one
// target to a slightly farther one nothing jumps.
TEST(Wants, GiveWaySmoothlyWhereTheyCannotBeMet) {
  Posed p = fromFile("manikin/chain", {{"links", "4"}});
  Want want = pull(p.solid("link-3"), {});
  want.point = {0.2, 0, 0};
  PoseSettings settings;
  settings.iterations = 60;
  Vec3 before;
  for (int step = 0; step <= 40; ++step) {
    const double reach = 1.2 + 0.05 * step;  // the chain is 1.6 m long
    want.target = reach * normalized(Vec3{1, 1, 0.5});
    (void)track(p.m, p.control, {want}, settings, p.state, p.scratch);
    EXPECT_LT(p.error(), 1e-9) << reach;
    const Vec3 tip = p.state.position[3] + rotate(p.state.orientation[3], want.point);
    if (step > 0) {
      EXPECT_LT(norm(tip - before), 0.12) << reach;
    }
    before = tip;
  }
  EXPECT_NEAR(norm(before), 1.6, 1e-3);
  EXPECT_LT(norm(normalized(before) - normalized(want.target)), 1e-2);
}

// A solid that is to look at the place where it is has no rows for that: they come once it has moved. A joint that is switched
// off has none. The rows of all others have the keys that they had.
TEST(Wants, RowsOfOthersKeepTheirKeysWhileSomeComeAndGo) {
  Posed p = fromText(R"(
solid a box 1 0.2 0.1; at 0.5 0 0; end
solid b box 1 0.2 0.1; at 1.5 0 0; end
joint ball root object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint pin elbow object1 a; object2 b; at 1 0 0; axis 0 0 1; limit angle min -1 max 1; end
)");
  Want look, pin, turn;
  look.kind = Want::Kind::LookAt;
  look.target = p.state.position[0];
  pin.solid = turn.solid = 1;
  pin.need = true;
  turn.kind = Want::Kind::Orientation;
  const std::vector<Want> wants{look, pin, turn};
  PoseScratch::Buffers& buffers = p.scratch.buffers();
  using Keys = std::map<Asker, std::vector<Index>>;
  const auto keys = [&] {
    static_cast<void>(gatherNeeds(p.m, p.control, wants, p.state, buffers));
    Keys found;
    std::set<Index> all;
    for (const Row& row : buffers.rows.rows) {
      found[row.asker].push_back(row.key);
      EXPECT_TRUE(all.insert(row.key).second);
      EXPECT_LT(row.key, keyCount(p.m, wants));
      if (row.asker.kind != Asker::Kind::Joint) continue;
      const MechanismJoint& joint = p.m.joints[row.asker.number];
      EXPECT_GE(row.key, joint.firstSlot);
      EXPECT_LT(row.key, joint.firstSlot + slotCount(joint));
      EXPECT_EQ(row.rule, row.equality ? kWorld : joint.rules.first);
    }
    return found;
  };
  const Asker root{Asker::Kind::Joint, 0}, looks{Asker::Kind::Want, 0};
  Keys before = keys();
  EXPECT_EQ(before.size(), 4u);
  EXPECT_EQ(before.count(looks), 0u);
  p.state.position[0].x += 0.1;
  Keys after = keys();
  EXPECT_EQ(after.at(looks).size(), 2u);
  after.erase(looks);
  EXPECT_EQ(after, before);
  p.control.jointOn[0] = 0;
  after = keys();
  EXPECT_EQ(after.count(root), 0u);
  after.erase(looks);
  before.erase(root);
  EXPECT_EQ(after, before);
}

TEST(Wants, LookAtAndOrientation) {
  Posed p = fromText(R"(
solid eye sphere 0.1; at 0 0 0; end
joint ball neck object2 eye; at 0 0 0; end
)");
  Want look;
  look.kind = Want::Kind::LookAt;
  look.solid = 0;
  look.axis = {0, 0, 1};
  look.target = {3, -2, 1};
  (void)p.assemble({}, {look});
  EXPECT_LT(norm(rotate(p.state.orientation[0], look.axis) - normalized(look.target)), 1e-6);
  Want turn;
  turn.kind = Want::Kind::Orientation;
  turn.solid = 0;
  turn.orientation = exponential({0.3, -2.1, 0.4});
  (void)p.assemble({}, {turn});
  EXPECT_LT(norm(logarithm(p.state.orientation[0] * conjugate(turn.orientation))), 1e-6);
}

TEST(Wants, PinsAreNeeds) {
  Posed p = fromFile("manikin/chain");
  Want pin = pull(p.solid("link-5"), {1, 0.5, 0});
  pin.need = true;
  const PoseReport report = p.assemble({}, {pin, pull(p.solid("link-9"), {9, 9, 9})});
  EXPECT_EQ(report.status, PoseStatus::Converged);
  EXPECT_LT(norm(p.state.position[5] - Vec3{1, 0.5, 0}), 1e-9);
  EXPECT_LT(p.error(), 1e-10);
}

// Dragging a part of a linkage stays on its branch: the crank goes round, and the rocker never flips.
TEST(Track, StaysOnTheBranch) {
  Posed p = fromFile("linkages/four-bar");
  const Index crank = p.solid("crank"), coupler = p.solid("coupler");
  const auto side = [&] {  // on which side of the diagonal the coupler's end lies
    const Vec3 A = p.state.position[crank] + rotate(p.state.orientation[crank], {0.075, 0, 0});
    const Vec3 B = p.state.position[coupler] + rotate(p.state.orientation[coupler], {0.2, 0, 0});
    const Vec3 C{0.4, 0, 0};
    return (B.x - A.x) * (C.y - A.y) - (B.y - A.y) * (C.x - A.x);
  };
  const double before = side();
  PoseSettings settings;
  settings.iterations = 8;
  Want want = pull(crank, {});
  want.point = {0.075, 0, 0};
  for (int step = 1; step <= 90; ++step) {
    const double angle = kPi / 3 + step * 2 * kPi / 60;
    want.target = {0.15 * std::cos(angle), 0.15 * std::sin(angle), p.state.position[crank].z};
    const PoseReport report = track(p.m, p.control, {want}, settings, p.state, p.scratch);
    EXPECT_LT(report.maxError, 1e-9) << step;
    EXPECT_LT(report.wantError, 2e-3) << step;
    EXPECT_GT(side() * before, 0) << step;
  }
}

TEST(Velocities, NearestThatTheJointsAllow) {
  Posed p = fromFile("linkages/four-bar");
  Random random(9);
  for (std::size_t s = 0; s < p.m.solids.size(); ++s)
    if (p.m.solids[s].kind == SolidKind::Dynamic) {
      p.state.velocity[s] = random.direction();
      p.state.spin[s] = random.direction();
    }
  const State given = p.state;
  EXPECT_LT(projectVelocities(p.m, p.control, p.state, p.scratch), 1e-10);
  // Nearest: the change is orthogonal, in the metric of the masses, to what is allowed.
  double product = 0, size = 0;
  for (std::size_t s = 0; s < p.m.solids.size(); ++s) {
    const MechanismSolid& solid = p.m.solids[s];
    const Mat3 R = rotationMatrix(p.state.orientation[s]);
    const Vec3 dv = p.state.velocity[s] - given.velocity[s], dw = p.state.spin[s] - given.spin[s];
    product += solid.mass * dot(dv, p.state.velocity[s]) +
               dot(dw, R * solid.inertia * transpose(R) * p.state.spin[s]);
    size += solid.mass * dot(dv, dv);
  }
  EXPECT_LT(std::abs(product), 1e-8 * (1 + size));  // multipliers times what is left of J v
  // What is allowed already stays.
  const State allowed = p.state;
  (void)projectVelocities(p.m, p.control, p.state, p.scratch);
  for (std::size_t s = 0; s < p.m.solids.size(); ++s)
    EXPECT_LT(norm(p.state.velocity[s] - allowed.velocity[s]), 1e-12);
}

TEST(Scatter, IsUniformAndReproducible) {
  Posed p = fromFile("peers/s5", {{"people", "20"}});
  scatter(p.m, 7, p.state);
  const State first = p.state;
  p.state = initialState(p.m);
  scatter(p.m, 7, p.state);
  EXPECT_TRUE(sameBits(first, p.state));
  Vec3 mean;
  for (const Vec3& x : p.state.position) mean += (1.0 / double(p.state.position.size())) * x;
  Vec3 low = p.state.position[0], high = low;
  for (const Vec3& x : p.state.position)
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], x[i]);
      high[i] = std::max(high[i], x[i]);
    }
  EXPECT_NEAR(high.x - low.x, high.y - low.y, 0.1 * (high.x - low.x));  // a cube
  EXPECT_LT(norm(mean - 0.5 * (low + high)), 0.1 * (high.x - low.x));
}

}  // namespace
}  // namespace tenon::test
