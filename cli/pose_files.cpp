#include "pose_files.h"

#include <tenon/language.h>

#include <algorithm>

#include <tenon/scene_says.h>
#include "report.h"

namespace tenon::cli {
namespace {

constexpr int kExactly = 17;  // digits that give a double back

void append(std::string& line, const Vec3& v) {
  for (int i = 0; i < 3; ++i) line += "," + shortNumber(v[i], kExactly);
}

}  // namespace

std::string sceneAtPose(Scene scene, const Mechanism& mechanism, const State& written,
                        const State& state, std::optional<double> closed) {
  for (Index i = 0; i < scene.solids.size(); ++i) {
    Solid& solid = scene.solids[i];
    if (solid.kind != SolidKind::Dynamic) continue;
    // X_WS = X_WC X_CS: the axes are the same, the origins differ by the centre of mass.
    solid.pose.p = placeOf(mechanism, state, i, {});
    solid.pose.q = state.orientation[i];
    solid.velocity = state.velocity[i];
    solid.spin = state.spin[i];
  }
  // The solids stand where they are: there is no other start.
  std::erase_if(scene.keyPoses, [&](const KeyPose& pose) { return pose.name == scene.start; });
  scene.start.clear();
  for (std::size_t i = 0; i < scene.springs.size(); ++i)
    if (!scene.springs[i].rest) scene.springs[i].rest = mechanism.springs[i].rest;
  for (Pin& pin : scene.pins) {
    if (pin.target) continue;
    const auto name =
        std::find(mechanism.solidNames.begin(), mechanism.solidNames.end(), pin.solid);
    if (name == mechanism.solidNames.end()) continue;
    const auto solid = static_cast<Index>(name - mechanism.solidNames.begin());
    pin.target = placeOf(mechanism, written, solid, pin.point);
  }
  if (closed) {
    // What the scene expects of its own pose holds for this one as far as it was closed.
    const auto says = std::find_if(scene.expectations.begin(), scene.expectations.end(),
                                   [](const Expectation& e) { return e.what == "closed"; });
    if (says == scene.expectations.end())
      scene.expectations.push_back({"closed", {*closed}, {}});
    else if (!says->values.empty())
      says->values[0] = std::max(says->values[0], *closed);
  }
  return printScene(scene);
}

double closedWithin(double error) {
  const double least = std::max(error, 1e-12);
  double power = 1e-12;
  // 1e-11 is not 10 · 1e-12; a bit more or less says nothing here.
  while (power < least * (1 - 1e-9)) power *= 10;
  return std::stod(shortNumber(power, 3));
}

std::string csvHeader() { return "time,solid,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n"; }

std::string csvRows(const Mechanism& mechanism, const State& state) {
  std::string text;
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    const Quat& q = state.orientation[i];
    text += shortNumber(state.time, kExactly) + "," + mechanism.solidNames[i];
    append(text, state.position[i]);
    append(text, {q.x, q.y, q.z});
    text += "," + shortNumber(q.w, kExactly);
    append(text, state.velocity[i]);
    append(text, state.spin[i]);
    text += "\n";
  }
  return text;
}

std::string csvOf(const Mechanism& mechanism, const State& state) {
  return csvHeader() + csvRows(mechanism, state);
}

std::string csvOf(const std::vector<TracePoint>& trace) {
  std::string text = "iteration,microseconds,error,best\n";
  for (const TracePoint& point : trace)
    text += std::to_string(point.iteration) + "," + shortNumber(point.microseconds, 9) + "," +
            shortNumber(point.error, kExactly) + "," + shortNumber(point.best, kExactly) + "\n";
  return text;
}

}  // namespace tenon::cli
