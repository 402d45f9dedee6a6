// A solid drawn aside, its joints closed all the while: S6, and the head of Faure's figure 5.
#pragma once

#include <tenon/posing.h>

#include <string>
#include <vector>

#include "cases/cases.h"
#include "cases/scenes.h"

namespace tenon::bench {

class Pull {
 public:
  explicit Pull(const std::string& scene, bool lanes = true);
  void once();  // from the start to the target
  [[nodiscard]] double solids() const { return scene_.solids; }
  [[nodiscard]] Counters counters() const;

 private:
  Moving scene_;
  std::vector<Want> wants_;
  PoseSettings settings_;
  PoseScratch scratch_;
  State state_;
  PoseReport report_;
};

}  // namespace tenon::bench
