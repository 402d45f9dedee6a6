// The joints of Tenon. Language, tests, docs and inspector pick them up from this one list.
#include <tenon/joint.h>

#include <string>

// A new joint is a file that defines `JointKind name()`, and its line here.
// clang-format off
#define TENON_JOINTS(JOINT) \
  JOINT(ball)               \
  JOINT(pin)                \
  JOINT(cylindrical)        \
  JOINT(prismatic)          \
  JOINT(pointOnLine)        \
  JOINT(pointOnPlane)       \
  JOINT(planar)             \
  JOINT(hooke)              \
  JOINT(weld)               \
  JOINT(parallel)           \
  JOINT(screw)              \
  JOINT(gear)               \
  JOINT(rolling)            \
  JOINT(distance)           \
  JOINT(rope)               \
  JOINT(segment)            \
  JOINT(ring)               \
  JOINT(curve)              \
  JOINT(surface)            \
  JOINT(inSphere)           \
  JOINT(angle)              \
  JOINT(twist)              \
  JOINT(fold)               \
  /* end of the list */

// clang-format on

namespace tenon {

namespace joints {
#define DECLARE(name) JointKind name();
TENON_JOINTS(DECLARE)
#undef DECLARE
}  // namespace joints

std::span<const JointKind> jointCatalogue() {
#define LIST(name) joints::name(),
  static const JointKind catalogue[] = {TENON_JOINTS(LIST)};
#undef LIST
  return catalogue;
}

const JointKind* findJointKind(std::string_view name) {
  for (const JointKind& kind : jointCatalogue())
    if (kind.name == name) return &kind;
  return nullptr;
}

std::vector<std::string> jointKindNames() {
  std::vector<std::string> names;
  for (const JointKind& kind : jointCatalogue()) names.emplace_back(kind.name);
  return names;
}

OptionFault prepareOptions(const JointKind& kind, std::span<const JointOption> options,
                           std::vector<double>& data) {
  std::vector<double> given[kMaxOptions];
  for (const JointOption& option : options)
    for (int o = 0; o < kind.optionCount; ++o)
      if (kind.options[o].name == option.name) {
        given[o] = option.values;
        if (kind.options[o].count == 0) given[o] = {1};
      }
  if (kind.prepare) return kind.prepare({given, static_cast<std::size_t>(kind.optionCount)}, data);
  for (int o = 0; o < kind.optionCount; ++o)
    for (int i = 0; i < kind.options[o].count; ++i)
      data.push_back(given[o].empty() ? kind.options[o].fallback
                                      : given[o][static_cast<std::size_t>(i)]);
  return {};
}

std::vector<JointExample> examplesOf(const JointKind& kind) {
  if (kind.examples) return kind.examples();
  std::vector<JointExample> made(1);
  for (int o = 0; o < kind.optionCount; ++o) {
    JointOption& option = made[0].options.emplace_back();
    option.name = std::string(kind.options[o].name);
    for (int i = 0; i < kind.options[o].count; ++i) option.values.push_back(0.37 + 0.11 * o);
  }
  return made;
}

int findCoupledCoordinate(const JointKind& kind, std::string_view name) {
  if (!name.empty()) return findCoordinate(kind, name);
  for (int c = 0; c < kind.freeCount; ++c)
    if (kind.coordinates[c].angular) return c;
  return kind.coordinateCount > 0 ? 0 : -1;
}

int findCoordinate(const JointKind& kind, std::string_view name) {
  for (int c = 0; c < kind.coordinateCount; ++c)
    if (kind.coordinates[c].name == name) return c;
  return -1;
}

}  // namespace tenon
