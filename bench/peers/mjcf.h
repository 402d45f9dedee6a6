// A scene as MJCF, MuJoCo's own format; which both its native and its WebAssembly build read.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "scene_data.h"

namespace peers {

struct MjcfOptions {
  std::string integrator = "Euler", solver = "Newton";
  double timestep = kFrame;  // [s]
  int iterations = 100;
  // Of what closes loops: time constant [s] and damping ratio, and how much of a row is enforced.
  std::string solref = "0.02 1", solimp = "0.9 0.95 0.001";
  std::string more = "<size njmax=\"5000\" nstack=\"20000000\"/>";  // further sections
  int nesting = 80;  // bodies within bodies in one text
};

inline std::string mjcfTriple(const Vec& v) {
  char text[80];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v.x, v.y, v.z);
  return text;
}

// The options of a variant; false: there is none of that name. `substeps`: steps in a frame.
inline bool readVariant(const std::string& variant, MjcfOptions& options, int& substeps) {
  substeps = 1;
  if (variant == "rk4" || variant == "rk4x4") {
    options.integrator = "RK4";
    if (variant == "rk4x4") options.timestep = kFrame / (substeps = 4);
  } else if (variant == "stiff" || variant == "newton" || variant == "pgs" || variant == "cg") {
    options.solver = variant == "pgs" ? "PGS" : variant == "cg" ? "CG" : "Newton";
    options.solref = "0.0333334 1";  // MuJoCo allows no less than two steps
    options.solimp = "0.99 0.9999 0.001";
  } else if (variant != "euler") {
    return false;
  }
  return true;
}

// The texts that make a model: the first is the model, the others are included by it. Elements may not be
// nested deeper than a hundred in one text, so long chains go on in another.
using MjcfTexts = std::vector<std::string>;
inline std::string mjcfName(std::size_t text) { return "scene" + std::to_string(text) + ".xml"; }

inline std::string mjcfNumber(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}
// A limit and a damper. MuJoCo's limits are soft: `options` says how.
inline std::string mjcfLimit(const Joint& joint, const MjcfOptions& options) {
  std::string out;
  if (joint.damping > 0) out += " damping=\"" + mjcfNumber(joint.damping) + "\"";
  if (joint.limit > 0)
    out += " limited=\"true\" range=\"" + mjcfNumber(-joint.limit) + " " + mjcfNumber(joint.limit) +
           "\" solreflimit=\"" + options.solref + "\" solimplimit=\"" + options.solimp + "\"";
  return out;
}

// A body with the bodies that hang on it, into the text `at`. `from`: its parent's centre.
inline void mjcfBody(const Scene& scene, const std::vector<std::vector<const Joint*>>& children,
                     int body, const Vec& from, const Joint* joint, int depth,
                     const MjcfOptions& options, std::size_t at, MjcfTexts& texts) {
  if (depth > options.nesting) {
    const std::size_t next = texts.size();
    texts[at] += "<include file=\"" + mjcfName(next) + "\"/>\n";
    texts.push_back("<mujocoinclude>\n");
    mjcfBody(scene, children, body, from, joint, 0, options, next, texts);
    texts[next] += "</mujocoinclude>\n";
    return;
  }
  const Box& box = scene.boxes[static_cast<std::size_t>(body)];
  std::string out =
      "<body name=\"b" + std::to_string(body) + "\" pos=\"" + mjcfTriple(box.centre - from) + "\">";
  if (!joint)
    out += "<freejoint/>";
  else if (joint->hinge)
    out += "<joint name=\"j" + std::to_string(body) + "\" type=\"hinge\" pos=\"" +
           mjcfTriple(joint->point - box.centre) + "\" axis=\"" + mjcfTriple(joint->axis) + "\"" +
           mjcfLimit(*joint, options) + "/>";
  else
    out += "<joint type=\"ball\" pos=\"" + mjcfTriple(joint->point - box.centre) + "\"/>";
  char density[32];
  std::snprintf(density, sizeof density, "%.17g", box.density);
  texts[at] += out + "<geom type=\"box\" size=\"" + mjcfTriple(box.half) + "\" density=\"" +
               density + "\"/>\n";
  for (const Joint* next : children[static_cast<std::size_t>(body)])
    mjcfBody(scene, children, next->child, box.centre, next, depth + 1, options, at, texts);
  texts[at] += "</body>\n";
}

inline MjcfTexts mjcfOf(const Scene& scene, const MjcfOptions& options) {
  char line[256];
  std::snprintf(line, sizeof line,
                "<option timestep=\"%.17g\" gravity=\"%s\" integrator=\"%s\" solver=\"%s\" "
                "iterations=\"%d\">",
                options.timestep, mjcfTriple(scene.gravity).c_str(), options.integrator.c_str(),
                options.solver.c_str(), options.iterations);
  MjcfTexts texts(1);
  texts[0] = "<mujoco><compiler angle=\"radian\"/>" + options.more + "" + std::string(line) +
             "<flag contact=\"disable\"/></option>"
             "<default><geom contype=\"0\" conaffinity=\"0\"/></default><worldbody>\n";
  std::vector<std::vector<const Joint*>> children(scene.boxes.size());
  std::vector<bool> carried(scene.boxes.size(), false);
  for (const Joint& joint : scene.joints) {
    if (joint.loop) continue;
    carried[static_cast<std::size_t>(joint.child)] = true;
    if (joint.parent != kWorld) children[static_cast<std::size_t>(joint.parent)].push_back(&joint);
  }
  for (const Joint& joint : scene.joints)
    if (!joint.loop && joint.parent == kWorld)
      mjcfBody(scene, children, joint.child, {}, &joint, 0, options, 0, texts);
  for (std::size_t i = 0; i < scene.boxes.size(); ++i)
    if (!carried[i])
      mjcfBody(scene, children, static_cast<int>(i), {}, nullptr, 0, options, 0, texts);
  std::string& out = texts[0];
  if (scene.pulled >= 0)
    out += "<body name=\"target\" mocap=\"true\" pos=\"" +
           mjcfTriple(scene.boxes[static_cast<std::size_t>(scene.pulled)].centre) + "\"/>";
  out += "</worldbody><equality>\n";
  const std::string manner =
      "\" solref=\"" + options.solref + "\" solimp=\"" + options.solimp + "\"/>\n";
  for (const Joint& joint : scene.joints) {
    if (!joint.loop) continue;
    out += "<connect body1=\"b" + std::to_string(joint.child) + "\"" +
           (joint.parent == kWorld ? "" : " body2=\"b" + std::to_string(joint.parent) + "\"") +
           " anchor=\"" +
           mjcfTriple(joint.point - scene.boxes[static_cast<std::size_t>(joint.child)].centre) +
           manner;
  }
  if (scene.pulled >= 0)
    out += "<connect body1=\"b" + std::to_string(scene.pulled) +
           "\" body2=\"target\" anchor=\"0 0 0" + manner;
  out += "</equality>\n";
  if (scene.driven) {
    out += "<actuator>\n";
    for (const Joint& joint : scene.joints)
      if (joint.stiffness > 0)
        out += "<position joint=\"j" + std::to_string(joint.child) + "\" kp=\"" +
               mjcfNumber(joint.stiffness) + "\"/>\n";
    out += "</actuator>\n";
  }
  out += "</mujoco>\n";
  return texts;
}

}  // namespace peers
