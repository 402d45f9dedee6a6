// Another start for an assembly that is stuck: solids around open joints, put where the joints between
// them allow, at random.
#pragma once

#include <tenon/joint.h>

#include "math/random.h"

namespace tenon {

// `rows`: the needs at the state. `round` grows from restart to restart, and with it what is moved.
void rearrange(const Mechanism& mechanism, const Control& control, const Rows& rows,
               double tolerance, int round, Random& random, State& state);

// Whether solids lie about at random: most joints are open by more than their own size.
[[nodiscard]] bool isScattered(const Mechanism& mechanism, const Rows& rows);

// Brings solids together along a spanning forest of the joint graph: each is moved, with its
// orientation changed as little as its joint asks for, to where it fits the one before it. Parts that
// hang on nothing keep their centre of mass.
void pullTogether(const Mechanism& mechanism, const Control& control, State& state);

}  // namespace tenon
