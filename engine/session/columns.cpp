// Numbers of a running scene that can be asked for by name.
#include <tenon/joint.h>
#include <tenon/loads.h>

#include <algorithm>
#include <array>

#include "session/simulation_impl.h"

namespace tenon {

namespace {

struct Part {
  std::string_view name;
  Column::Kind kind;
  int part;
};
using Kind = Column::Kind;
constexpr Part kOfAll[] = {{"time", Kind::Time, 0},
                           {"kinetic", Kind::Kinetic, 0},
                           {"potential", Kind::Potential, 0},
                           {"energy", Kind::Energy, 0},
                           {"error", Kind::Error, 0}};
constexpr Part kOfSolid[] = {
    {"x", Kind::Place, 0},     {"y", Kind::Place, 1},     {"z", Kind::Place, 2},
    {"qx", Kind::Turn, 0},     {"qy", Kind::Turn, 1},     {"qz", Kind::Turn, 2},
    {"qw", Kind::Turn, 3},     {"vx", Kind::Velocity, 0}, {"vy", Kind::Velocity, 1},
    {"vz", Kind::Velocity, 2}, {"wx", Kind::Spin, 0},     {"wy", Kind::Spin, 1},
    {"wz", Kind::Spin, 2}};

std::optional<Index> numberOf(const std::vector<std::string>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Index>(at - names.begin());
}

}  // namespace

std::optional<Column> columnNamed(const Mechanism& own, std::string_view name) {
  for (const Part& part : kOfAll)
    if (part.name == name) return Column{part.kind, 0, part.part};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view thing = name.substr(0, dot), last = name.substr(dot + 1);
  if (const auto solid = numberOf(own.solidNames, thing))
    for (const Part& part : kOfSolid)
      if (part.name == last) return Column{part.kind, *solid, part.part};
  if (const auto joint = numberOf(own.jointNames, thing)) {
    const int coordinate = findCoordinate(*own.joints[*joint].kind, last);
    if (coordinate >= 0) return Column{Kind::Coordinate, *joint, coordinate};
  }
  return std::nullopt;
}

std::vector<std::string> columnNames(const Mechanism& own) {
  std::vector<std::string> names;
  for (const Part& part : kOfAll) names.emplace_back(part.name);
  for (const std::string& solid : own.solidNames)
    for (const Part& part : kOfSolid) names.push_back(solid + "." + std::string(part.name));
  for (std::size_t j = 0; j < own.joints.size(); ++j)
    for (int c = 0; c < own.joints[j].kind->coordinateCount; ++c)
      names.push_back(own.jointNames[j] + "." +
                      std::string(own.joints[j].kind->coordinates[c].name));
  return names;
}

double valueOf(const Column& column, const Mechanism& own, const State& state,
               const Running& running) {
  const Mechanism& m = running.mechanism->mechanism;
  const auto kinetic = [&] { return kineticEnergy(m, running.state); };
  const auto potential = [&] { return potentialEnergy(m, running.control, running.state); };
  switch (column.kind) {
    case Kind::Time:
      return state.time;
    case Kind::Kinetic:
      return kinetic();
    case Kind::Potential:
      return potential();
    case Kind::Energy:
      return kinetic() + potential();
    case Kind::Error:
      return jointError(m, running.control, running.state).max;
    case Kind::Place:
      return frameOf(own, state, column.thing).p[column.part];
    case Kind::Turn: {
      const Quat q = frameOf(own, state, column.thing).q;
      return std::array{q.x, q.y, q.z, q.w}[static_cast<std::size_t>(column.part)];
    }
    case Kind::Velocity:
      return state.velocity[column.thing][column.part];
    case Kind::Spin:
      return state.spin[column.thing][column.part];
    case Kind::Coordinate:
      return jointValues(own, state, column.thing).coordinate[column.part];
  }
  return 0;
}

}  // namespace tenon
