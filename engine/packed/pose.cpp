#include "packed/pose.h"

#include <cmath>

#include "math/machine.h"
#include "packed/plain.h"

namespace tenon::packed {

bool PoseSystem::suits(const Mechanism& m, const Control& control, const std::vector<LoopPin>& pins,
                       const std::vector<LoopGiven>& given) {
  if (stamp_ == 0 || stamp_ != m.stamp || pins != pins_ || given != given_) {
    stamp_ = m.stamp;
    pins_ = pins;
    given_ = given;
    suits_ = stamp_ != 0 && isPosable(m) &&
             loop_.planPose(m, m.islandSolids, m.islandJoints, pins, given);
  }
  return suits_ && isUntouched(control);
}

PoseErrors PoseSystem::gather(const State& state) {
  StatePointers pointers;
  // The kernel that gathers only reads them.
  pointers.position = const_cast<Vec3*>(state.position.data());
  pointers.orientation = const_cast<Quat*>(state.orientation.data());
  return (wide_ && hasAvx2() ? &gatherPoseAvx2 : &gatherPose)(loop_.figure(), pointers);
}

bool PoseSystem::solve(PoseSolve how, std::vector<Six>& displacement) {
  static_assert(sizeof(Six) == sizeof(double[6]));
  how.displacement = reinterpret_cast<double(*)[6]>(displacement.data());
  (wide_ && hasAvx2() ? &solvePoseAvx2 : &solvePose)(loop_.figure(), how);
  double sum = 0;
  for (const Six& d : displacement)
    for (const double x : d) sum += 0 * x;
  return sum == 0;
}

}  // namespace tenon::packed
