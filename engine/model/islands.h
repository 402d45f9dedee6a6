// Islands of a step: dynamic solids that act on each other in it, and what acts within each. Nothing passes from one
// island to another, so that each is stepped by itself. Solids that no force moves are no connection.
#pragma once

#include <tenon/mechanism.h>

#include <span>
#include <vector>

namespace tenon {

struct Islands {
  struct Island {
    Range solids, joints, springs, forces, muscles, drags;  // of the lists below
  };
  std::vector<Island> all;
  std::vector<Index> everywhere;  // drags that act on every solid
  // Island by island, each in the mechanism's order.
  std::vector<Index> solids, joints, springs, forces, muscles, drags;

  [[nodiscard]] Index count() const { return static_cast<Index>(all.size()); }
  [[nodiscard]] std::span<const Index> solidsOf(Index island) const {
    return part(solids, all[island].solids);
  }
  [[nodiscard]] std::span<const Index> jointsOf(Index island) const {
    return part(joints, all[island].joints);
  }
  [[nodiscard]] std::span<const Index> springsOf(Index island) const {
    return part(springs, all[island].springs);
  }
  [[nodiscard]] std::span<const Index> forcesOf(Index island) const {
    return part(forces, all[island].forces);
  }
  [[nodiscard]] std::span<const Index> musclesOf(Index island) const {
    return part(muscles, all[island].muscles);
  }
  [[nodiscard]] std::span<const Index> dragsOf(Index island) const {
    return part(drags, all[island].drags);
  }

 private:
  static std::span<const Index> part(const std::vector<Index>& list, const Range& range) {
    return std::span(list).subspan(range.first, range.count);
  }
};

}  // namespace tenon
