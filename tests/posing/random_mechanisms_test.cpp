// Random trees and loop graphs of random joints, consistent by construction, then scattered: they are
// assembled, or it is said honestly that they are not; never a number that is none.
#include <cmath>
#include <cstdlib>

#include "math/random.h"
#include "math/rotation.h"
#include "scenes.h"

namespace tenon::test {
namespace {

std::size_t below(Random& random, int n) {
  return static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(n)));
}

Pose anyPose(Random& random, double size) {
  const Vec3 p = random.pointInBox({-size, -size, -size}, {size, size, size});
  return {p, random.rotation()};
}

// A relative pose that a lower pair allows: bits ti tj tk ri rj rk are locked.
Pose allowedPose(unsigned locked, Random& random) {
  Pose X;
  int lockedTurns = 0, lockedAxis = 0, freeAxis = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if ((locked >> axis & 1u) == 0) X.p[axis] = random.uniform(-0.3, 0.3);
    if ((locked >> (3 + axis) & 1u) != 0) {
      ++lockedTurns;
      lockedAxis = axis;
    } else {
      freeAxis = axis;
    }
  }
  const auto about = [&](int axis, double angle) {
    Vec3 v;
    v[axis] = angle;
    return exponential(v);
  };
  if (lockedTurns == 0) X.q = random.rotation();
  if (lockedTurns == 1)
    X.q = about((lockedAxis + 1) % 3, random.uniform(-2, 2)) *
          about((lockedAxis + 2) % 3, random.uniform(-1, 1));
  if (lockedTurns == 2) X.q = about(freeAxis, random.uniform(-3, 3));
  return X;
}

void addJoint(Scene& scene, std::size_t a, std::size_t b, Random& random) {
  static const char* const kinds[] = {
      "ball",          "ball",           "ball",    "pin",       "pin",
      "cylindrical",   "prismatic",      "hooke",   "weld",      "planar",
      "parallel",      "distance",       "rope",    "in-sphere", "screw",
      "point-on-line", "point-on-plane", "segment", "ring",      "surface"};
  Joint joint;
  joint.name = "joint-" + std::to_string(scene.joints.size());
  joint.kind = kinds[below(random, static_cast<int>(std::size(kinds)))];
  const JointKind& kind = *findJointKind(joint.kind);
  joint.solid1 = scene.solids[a].name;
  joint.solid2 = scene.solids[b].name;
  joint.frame1 = anyPose(random, 0.2);
  Pose X_12 = anyPose(random, 0.3);
  if (kind.locked != 0) {
    X_12 = allowedPose(kind.locked, random);
  } else if (joint.kind == "distance" || joint.kind == "rope") {
    joint.options = {{"length", {norm(X_12.p) * (joint.kind == "rope" ? 1.1 : 1)}, {}}};
  } else if (joint.kind == "in-sphere") {
    joint.options = {{"radius", {norm(X_12.p) * 1.2}, {}}};
  } else if (joint.kind == "surface") {
    joint.options = {{"sphere", {norm(X_12.p)}, {}}};
  } else if (joint.kind == "screw") {
    const double angle = random.uniform(-3, 3);
    X_12 = {{0.1 * angle / (2 * kPi), 0, 0}, exponential({angle, 0, 0})};
    joint.options = {{"pitch", {0.1}, {}}};
  } else if (joint.kind == "segment") {
    X_12.p = {random.uniform(-0.2, 0.2), 0, 0};
    joint.options = {{"min", {-0.25}, {}}, {"max", {0.25}, {}}};
  } else if (joint.kind == "ring") {
    X_12.p = {0, 0.1, 0.2};
    joint.options = {{"inner", {0.1}, {}}, {"outer", {0.4}, {}}};
  }
  joint.frame2 = inverse(scene.solids[b].pose) * scene.solids[a].pose * joint.frame1 * X_12;
  joint.frame2.q = normalized(joint.frame2.q);
  scene.joints.push_back(joint);
}

Scene randomMechanism(Random& random, int solids, int loops) {
  Scene scene;
  scene.gravity = {};
  for (int i = 0; i < solids; ++i) {
    Solid solid;
    solid.name = "solid-" + std::to_string(i);
    solid.kind = i == 0 && random.below(2) == 0 ? SolidKind::Immobile : SolidKind::Dynamic;
    // Near the solid it will hang on, so that levers are like sizes.
    const Pose parent = i == 0 ? Pose{} : scene.solids[below(random, i)].pose;
    solid.pose = {parent.p + 0.4 * random.direction(), random.rotation()};
    Shape shape;
    shape.size = {random.uniform(0.1, 0.5), random.uniform(0.1, 0.3), random.uniform(0.1, 0.3)};
    solid.shapes.push_back(shape);
    scene.solids.push_back(solid);
  }
  for (int i = 1; i < solids; ++i)
    addJoint(scene, below(random, i), static_cast<std::size_t>(i), random);
  for (int l = 0; l < loops; ++l) {
    const std::size_t a = below(random, solids);
    const std::size_t b = below(random, solids);
    if (a != b) addJoint(scene, a, b, random);
  }
  return scene;
}

TEST(RandomMechanisms, AreAssembledOrHonestlyReported) {
  const char* wish = std::getenv("TENON_CASES");
  const int cases = wish != nullptr ? std::atoi(wish) : 300;
  int closed = 0;
  for (int c = 0; c < cases; ++c) {
    Random random(static_cast<std::uint64_t>(1000 + c));
    const int solids = c % 30 == 29 ? 200 : 2 + static_cast<int>(random.below(30));
    const int loops = static_cast<int>(random.below(static_cast<std::uint64_t>(solids) / 4 + 1));
    const Scene scene = randomMechanism(random, solids, loops);
    auto mechanism = compile(scene);
    ASSERT_TRUE(mechanism.ok()) << c << describe(mechanism.problems().front());
    Posed p(std::move(*mechanism));
    ASSERT_LT(p.error(), 1e-10) << c;  // consistent by construction
    scatter(p.m, static_cast<std::uint64_t>(c), p.state);
    PoseSettings settings;
    settings.iterations = 200;
    settings.tolerance = 1e-9;
    const double before = p.error();
    const PoseReport report = p.assemble(settings);
    for (std::size_t s = 0; s < p.m.solids.size(); ++s) {
      ASSERT_TRUE(isFinite(p.state.position[s]) && isFinite(p.state.orientation[s])) << c;
      ASSERT_NEAR(norm(p.state.orientation[s]), 1, 1e-12) << c;
    }
    const JointError error = jointError(p.m, p.control, p.state);
    EXPECT_LE(error.max, before * (1 + 1e-12)) << c;
    if (report.status == PoseStatus::Converged) {
      ++closed;
      EXPECT_LT(error.max, 1.1e-9) << c;
      EXPECT_LT(error.range, 1.1e-9) << c;
    } else {
      EXPECT_GT(std::max(error.max, error.range), 1e-9) << c;
      EXPECT_NEAR(report.maxError, std::max(error.max, error.range), 1e-9 * (1 + error.max)) << c;
      EXPECT_FALSE(report.reason.empty()) << c;
      EXPECT_NE(report.status, PoseStatus::Inconsistent) << c;  // it is consistent
    }
  }
  std::printf("%d of %d random mechanisms assembled\n", closed, cases);
  EXPECT_GT(closed, cases * 9 / 10);
}

// Some joints yield, and ask for something that cannot be had. The others hold, and no pose nearby stores less.
TEST(RandomMechanisms, FindALeastCompromise) {
  const char* wish = std::getenv("TENON_CASES");
  const int cases = wish != nullptr ? std::atoi(wish) : 80;
  int settled = 0, compared = 0;
  for (int c = 0; c < cases; ++c) {
    Random random(static_cast<std::uint64_t>(5000 + c));
    const int solids = 2 + static_cast<int>(random.below(10));
    Scene scene = randomMechanism(random, solids, 1 + static_cast<int>(random.below(4)));
    scene.solids[0].kind = SolidKind::Immobile;
    auto mechanism = compile(scene);
    ASSERT_TRUE(mechanism.ok()) << c;
    Posed p(std::move(*mechanism));
    PoseSettings settings;
    std::vector<double> weights(p.m.joints.size(), 0);
    for (Index j = 0; j < p.m.joints.size(); ++j) {
      if (random.uniform(0, 1) > 0.4) continue;
      p.m.joints[j].frame1.p += 0.1 * random.direction();
      if (random.below(2) == 0) {
        p.m.joints[j].compliance = random.uniform(1e-3, 1);
      } else {
        weights[j] = random.uniform(0.5, 50);
        settings.yield.push_back({j, weights[j]});
      }
    }
    p.m.stamp = stampOf(p.m);
    const double before = storedIn(p, p.state, weights);
    const PoseReport report = p.assemble(settings);
    // A limit of a joint that yields by itself is a need, and may be out of reach now.
    if (report.startError > 1e-9 && !report.closed) continue;
    ASSERT_TRUE(report.closed) << c << report.reason;  // as it was written
    const double least = storedIn(p, p.state, weights);
    EXPECT_LE(least, before) << c;
    if (report.status != PoseStatus::Converged) {
      EXPECT_EQ(report.status, PoseStatus::Budget) << c;
      continue;
    }
    ++settled;
    for (std::uint64_t k = 1; k <= 4; ++k) {
      State other = p.state;
      disturb(p.m, k, 1e-4, 1e-4, other);
      PoseSettings only = settings;
      only.compromise = false;
      if (!track(p.m, p.control, {}, only, other, p.scratch).closed) continue;
      ++compared;
      EXPECT_GT(storedIn(p, other, weights), least - 1e-10 * (1 + least)) << c;
    }
  }
  std::printf("%d of %d compromises found, %d poses compared\n", settled, cases, compared);
  EXPECT_GT(settled, cases * 9 / 10);
}

}  // namespace
}  // namespace tenon::test
