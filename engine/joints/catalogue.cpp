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
  JOINT(distance)           \
  JOINT(angle)              \
  JOINT(twist)              \
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

int findCoordinate(const JointKind& kind, std::string_view name) {
  for (int c = 0; c < kind.coordinateCount; ++c)
    if (kind.coordinates[c].name == name) return c;
  return -1;
}

}  // namespace tenon
