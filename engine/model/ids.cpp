#include <tenon/ids.h>
#include <tenon/mechanism.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tenon {

namespace {

std::optional<Index> placeOf(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Index>(found - names.begin());
}

}  // namespace

std::optional<SolidId> findSolid(const Mechanism& mechanism, std::string_view name) {
  if (const std::optional<Index> at = placeOf(mechanism.solidNames, name)) return SolidId{*at};
  if (name == "world") return kGround;
  return std::nullopt;
}

std::optional<JointId> findJoint(const Mechanism& mechanism, std::string_view name) {
  if (const std::optional<Index> at = placeOf(mechanism.jointNames, name)) return JointId{*at};
  return std::nullopt;
}

}  // namespace tenon
