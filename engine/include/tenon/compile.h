// Scene -> Mechanism: names resolved, masses computed, everything checked.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/scene.h>

namespace tenon {

// Lists every problem, not only the first (of a flood of them, the first hundred and how many more
// there are). What the scene holds and nothing simulates yet warns.
[[nodiscard]] Result<Mechanism> compile(const Scene& scene);

}  // namespace tenon
