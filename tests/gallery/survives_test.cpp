// Every scene of the gallery, played for 20 s with its own settings: nothing that a person watches leaves, and nothing
// falls through what is drawn beneath it. There is no contact yet: what would fall is held, driven or weightless.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/language.h>
#include <tenon/scene_says.h>
#include <tenon/simulation.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 20;
constexpr double kFarthest =
    2;  // sizes of the scene that a centre of mass may be from where it began

std::vector<std::string> galleryScenes() {
  std::vector<std::string> names;
  for (const auto& file : fs::recursive_directory_iterator(TENON_SOURCE_DIR "/scenes"))
    if (file.path().extension() == ".tenon")
      names.push_back(fs::relative(file.path(), TENON_SOURCE_DIR "/scenes").string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Bounds {
  Vec3 low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};

  void add(const Vec3& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  [[nodiscard]] bool covers(const Vec3& p) const {  // seen from above
    return p.x > low.x && p.x < high.x && p.z > low.z && p.z < high.z;
  }
  [[nodiscard]] bool flat() const {
    return high.y - low.y < 0.25 * std::min(high.x - low.x, high.z - low.z);
  }
};

// Half of the extents of what is no hull or mesh.
Vec3 halfSize(const Shape& shape) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::Box:
      return 0.5 * s;
    case ShapeKind::Sphere:
      return {s.x, s.x, s.x};
    case ShapeKind::Ellipsoid:
      return s;
    case ShapeKind::Capsule:
      return {s.x, s.x + s.y / 2, s.x};
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
      return {s.x, s.y / 2, s.x};
    case ShapeKind::Hull:
    case ShapeKind::Mesh:
      break;
  }
  return {};
}

Bounds boundsOf(const Solid& solid, const Shape& shape) {
  Bounds bounds;
  const auto add = [&](const Vec3& p) { bounds.add(transform(solid.pose * shape.pose, p)); };
  for (const Vec3& p : shape.points) add(p);
  const Vec3 h = halfSize(shape);
  if (shape.points.empty())
    for (int corner = 0; corner < 8; ++corner)
      add({(corner & 1) != 0 ? h.x : -h.x, (corner & 2) != 0 ? h.y : -h.y,
           (corner & 4) != 0 ? h.z : -h.z});
  return bounds;
}

class Gallery : public testing::TestWithParam<std::string> {};

TEST_P(Gallery, SurvivesTwentySeconds) {
  const Result<Scene> scene = loadScene(TENON_SOURCE_DIR "/scenes/" + GetParam());
  ASSERT_TRUE(scene.ok()) << describe(scene.problems().front());
  if (scene->title.empty()) GTEST_SKIP() << "it only serves others, by `include`";
  const Result<Mechanism> mechanism = compile(*scene);
  ASSERT_TRUE(mechanism.ok()) << describe(mechanism.problems().front());

  Bounds all;
  std::vector<Bounds> floors;
  for (const Solid& solid : scene->solids)
    for (const Shape& shape : solid.shapes) {
      const Bounds bounds = boundsOf(solid, shape);
      all.add(bounds.low);
      all.add(bounds.high);
      if (solid.kind == SolidKind::Immobile && bounds.flat()) floors.push_back(bounds);
    }
  const double size = norm(all.high - all.low);

  Simulation run(*scene, *mechanism);
  const double dt = run.settings().dt;
  bool goesOn = run.begin().goesOn;
  const std::vector<Vec3> start = run.sceneState().position;
  std::set<std::size_t> gone;
  const auto look = [&] {
    const State state = run.sceneState();
    for (std::size_t s = 0; s < start.size(); ++s) {
      if (mechanism->solids[s].kind != SolidKind::Dynamic || gone.count(s) != 0) continue;
      const Vec3 p = state.position[s];
      const bool left = !(norm(p - start[s]) <= kFarthest * size);
      const bool through = std::any_of(floors.begin(), floors.end(), [&](const Bounds& floor) {
        return floor.covers(start[s]) && start[s].y > floor.high.y && floor.covers(p) &&
               p.y < floor.low.y;
      });
      if (!left && !through) continue;
      gone.insert(s);
      ADD_FAILURE() << mechanism->solidNames[s] << (left ? " leaves" : " falls through the floor")
                    << " at " << state.time << " s: it is at " << p.x << " " << p.y << " " << p.z
                    << ", and the scene is " << size << " m across";
    }
  };
  while (goesOn && gone.empty() && run.state().time < kSeconds - 1e-9) {
    const SimulationStep made = run.step(std::min(dt, kSeconds - run.state().time));
    ASSERT_TRUE(made.report.finite) << run.state().time;
    goesOn = made.met.goesOn;
    look();
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Gallery, testing::ValuesIn(galleryScenes()), [](const auto& info) {
  std::string name = info.param.substr(0, info.param.size() - std::string(".tenon").size());
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

}  // namespace
}  // namespace tenon::test
