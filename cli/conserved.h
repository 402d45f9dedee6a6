// What a scene keeps by itself, so that a change of it is a method's error and nothing else.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/scene.h>

namespace tenon::cli {

struct Conserved {
  bool energy = true;   // nothing drives, damps, rubs, limits or is switched
  bool momenta = true;  // nothing holds or pulls from outside
};
[[nodiscard]] Conserved conservedBy(const Scene& scene, const Mechanism& mechanism);

}  // namespace tenon::cli
