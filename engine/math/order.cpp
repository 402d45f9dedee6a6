#include "math/order.h"

#include <algorithm>

namespace tenon {

std::vector<std::uint32_t> stableOrder(std::size_t count,
                                       bool (*less)(const void* known, std::uint32_t a,
                                                    std::uint32_t b),
                                       const void* known) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return less(known, a, b); });
  return order;
}

}  // namespace tenon
