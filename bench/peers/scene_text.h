// A scene of scene_data.h as a text of Tenon.
#pragma once

#include <cstdio>
#include <string>

#include "scene_data.h"

namespace peers {

inline std::string decimal(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}
inline std::string triple(const Vec& v, const char* between) {
  return decimal(v.x) + between + decimal(v.y) + between + decimal(v.z);
}

inline std::string textOf(const Scene& scene) {
  std::string text = "gravity " + triple(scene.gravity, " ") + ";\n";
  for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
    const Box& box = scene.boxes[i];
    text += "solid s-" + std::to_string(i) + "\n  at " + triple(box.centre, " ") + ";\n  box " +
            triple(2.0 * box.half, " ") + ";\n  density " + decimal(box.density) + ";\nend\n";
  }
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    const Joint& joint = scene.joints[i];
    text +=
        std::string("joint ") + (joint.hinge ? "pin" : "ball") + " j-" + std::to_string(i) + "\n";
    if (joint.parent != kWorld) text += "  object1 s-" + std::to_string(joint.parent) + ";\n";
    text += "  object2 s-" + std::to_string(joint.child) + ";\n  at " + triple(joint.point, " ") +
            ";\n";
    if (joint.hinge) text += "  axis " + triple(joint.axis, " ") + ";\n";
    if (joint.limit > 0)
      text += "  limit angle min " + decimal(-joint.limit) + " max " + decimal(joint.limit) + ";\n";
    if (joint.damping > 0) text += "  damper angle " + decimal(joint.damping) + ";\n";
    if (joint.stiffness > 0)
      text += "  drive angle sine " + decimal(joint.amplitude) + " (" + decimal(kDriveRate) +
              " / (2 * pi())) stiffness " + decimal(joint.stiffness) + ";\n";
    text += "end\n";
  }
  return text;
}

}  // namespace peers
