// Small scenes made by program, for tests of compile and measure.
#pragma once

#include <tenon/compile.h>
#include <tenon/joint.h>

#include <string>

#include "math/rotation.h"

namespace tenon::test {

inline Solid box(const std::string& name, const Vec3& at, const Vec3& size = {1, 0.1, 0.1}) {
  Solid solid;
  solid.name = name;
  solid.pose.p = at;
  Shape shape;
  shape.size = size;
  solid.shapes.push_back(shape);
  return solid;
}

// A joint at a place of the world, axis i along `axis`, between solids of the scene as they stand.
inline Joint jointAt(const Scene& scene, const std::string& kind, const std::string& name,
                     const std::string& solid1, const std::string& solid2, const Vec3& at,
                     const Vec3& axis = {0, 0, 1}) {
  Joint joint;
  joint.name = name;
  joint.kind = kind;
  joint.solid1 = solid1;
  joint.solid2 = solid2;
  const Pose X_WJ{at, frameFromAxes(axis, anyPerpendicular(axis))};
  const auto frame = [&](const std::string& wanted) {
    for (const Solid& solid : scene.solids)
      if (solid.name == wanted) return inverse(solid.pose) * X_WJ;
    return X_WJ;
  };
  joint.frame1 = frame(solid1);
  joint.frame2 = frame(solid2);
  return joint;
}

// A chain of `links` boxes along x from the origin, joined end to end.
inline Scene chain(int links, const std::string& kind) {
  Scene scene;
  for (int i = 0; i < links; ++i) {
    scene.solids.push_back(box("link" + std::to_string(i), {i + 0.5, 0, 0}));
    scene.joints.push_back(jointAt(scene, kind, "joint" + std::to_string(i),
                                   i == 0 ? "" : "link" + std::to_string(i - 1),
                                   "link" + std::to_string(i), {double(i), 0, 0}));
  }
  return scene;
}

// Three links in a vertical plane between two places of the ground; `kinds` names the four joints.
inline Scene fourBar(const std::string (&kinds)[4]) {
  Scene scene;
  const Vec3 p[] = {{0, 0, 0}, {0, 1, 0}, {2, 2, 0}, {2, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    Solid solid = box("link" + std::to_string(i), 0.5 * (p[i] + p[i + 1]));
    const Vec3 along = p[i + 1] - p[i];
    solid.pose.q = rotationBetween({1, 0, 0}, along / norm(along));
    scene.solids.push_back(solid);
  }
  const std::string names[] = {"", "link0", "link1", "link2", ""};
  for (int i = 0; i < 4; ++i)
    scene.joints.push_back(
        jointAt(scene, kinds[i], "joint" + std::to_string(i), names[i], names[i + 1], p[i]));
  return scene;
}

}  // namespace tenon::test
