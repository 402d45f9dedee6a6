// Multipliers as the rows of a joint have them: along the axes of frame 1, those of locked turns too.
#pragma once

#include "packed/small.h"

namespace tenon::packed {

TENON_KERNEL void storeForce(const V3<double>& force, double* to) {
  to[0] = force.x;
  to[1] = force.y;
  to[2] = force.z;
}
// Of a joint that locks so many turns. Two: `axis` is the one that is free. One: its multiplier stands in x.
TENON_KERNEL void storeTorque(int locked, int axis, const V3<double>& torque, double* to) {
  const double t[3] = {torque.x, torque.y, torque.z};
  if (locked == 2) {
    to[0] = t[(axis + 1) % 3];
    to[1] = t[(axis + 2) % 3];
  } else {
    for (int i = 0; i < locked; ++i) to[i] = t[i];
  }
}
TENON_KERNEL V3<double> loadTorque(int locked, int axis, const double* from) {
  double t[3] = {};
  if (locked == 2) {
    t[(axis + 1) % 3] = from[0];
    t[(axis + 2) % 3] = from[1];
  } else {
    for (int i = 0; i < locked; ++i) t[i] = from[i];
  }
  return {t[0], t[1], t[2]};
}

}  // namespace tenon::packed
