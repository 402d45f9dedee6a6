// Another start for an assembly that is stuck: solids around open joints, put where the joints between
// them allow, at random.
#pragma once

#include <tenon/joint.h>

#include "math/random.h"

namespace tenon {

// `rows`: the needs at the state. `round` grows from restart to restart, and with it what is moved.
void rearrange(const Mechanism& mechanism, const Control& control, const Rows& rows,
               double tolerance, int round, Random& random, State& state);

}  // namespace tenon
