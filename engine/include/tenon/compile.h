// Scene -> Mechanism: names resolved, masses computed, everything checked.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/scene.h>

#include <cstddef>

namespace tenon {

// What `compile` takes. Finite numbers beyond these would overflow in what is computed of them.
inline constexpr double kLargestNumber = 1e30;                       // of any unit
inline constexpr double kSmallestMass = 1e-40, kLargestMass = 1e30;  // [kg]
inline constexpr double kSmallestMoment = 1e-80;             // [kg m²] principal, of a solid
inline constexpr std::size_t kMostConstraintsOfPair = 1000;  // limits and other rules included

// Lists every problem, not only the first (of a flood of them, the first hundred and how many more
// there are). What the scene holds and nothing simulates yet warns. Throws nothing: a scene for which the
// memory does not suffice is refused as such.
[[nodiscard]] Result<Mechanism> compile(const Scene& scene);

}  // namespace tenon
