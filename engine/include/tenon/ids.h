// Names of a mechanism's parts as types: a solid cannot be taken for a joint.
//
// An id is good for the mechanism that it was found in. The ground is a solid's id of its own. Where there may be none,
// there is a std::optional: no id means "none".
#pragma once

#include <tenon/rows.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon {

struct Mechanism;

enum class SolidId : std::uint32_t {};       // of Mechanism::solids, or kGround
enum class JointId : std::uint32_t {};       // of Mechanism::joints
enum class CoordinateId : std::uint32_t {};  // of the joint's kind: JointKind::coordinates

inline constexpr SolidId kGround{kWorld};

// Where the mechanism's arrays have it. That of kGround is kWorld.
[[nodiscard]] constexpr Index index(SolidId id) { return static_cast<Index>(id); }
[[nodiscard]] constexpr Index index(JointId id) { return static_cast<Index>(id); }
[[nodiscard]] constexpr Index index(CoordinateId id) { return static_cast<Index>(id); }

// By the name that the scene gives it; nothing: there is none of that name. `world` is the ground.
[[nodiscard]] std::optional<SolidId> findSolid(const Mechanism& mechanism, std::string_view name);
[[nodiscard]] std::optional<JointId> findJoint(const Mechanism& mechanism, std::string_view name);
// A coordinate of a joint by the name that its kind gives it. In the room `joints`, which knows the kinds.
[[nodiscard]] std::optional<CoordinateId> findCoordinate(const Mechanism& mechanism, JointId joint,
                                                         std::string_view name);

}  // namespace tenon
