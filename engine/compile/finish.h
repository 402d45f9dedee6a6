// What follows from the solids and joints of a mechanism as a whole, when all of them are there.
#pragma once

#include <tenon/mechanism.h>

#include <string>
#include <vector>

namespace tenon {

// Islands, loops, the mass that hangs on each joint, which joints remember, and the stamp.
void finish(Mechanism& mechanism);

// Joints with which the constraints between two solids become too many, one for each pair. Such constraints make one dense
// block: n of them take n² memory and n³ time, and two solids have no more than six directions to be held in. The world
// and all that does not obey forces are one.
[[nodiscard]] std::vector<Index> crowdedJoints(const Mechanism& mechanism);

// Why an inertia cannot be used; empty: it can.
[[nodiscard]] std::string whyNoInverse(const Mat3& inertia);

}  // namespace tenon
