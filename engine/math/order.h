// Lists put in order where that happens now and then. One compiled sort of numbers serves them all: for each type that
// std::stable_sort knows, a browser would load three kilobytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tenon {

// The numbers below `count` in the order that `less(known, a, b)` says. Of those that are equal the smaller comes first.
[[nodiscard]] std::vector<std::uint32_t> stableOrder(std::size_t count,
                                                     bool (*less)(const void* known,
                                                                  std::uint32_t a, std::uint32_t b),
                                                     const void* known);

template <class Less>
[[nodiscard]] std::vector<std::uint32_t> stableOrder(std::size_t count, const Less& less) {
  return stableOrder(
      count,
      [](const void* known, std::uint32_t a, std::uint32_t b) {
        return (*static_cast<const Less*>(known))(a, b);
      },
      &less);
}

template <class T, class Less>
void sortStably(std::vector<T>& list, const Less& less) {
  std::vector<T> sorted;
  sorted.reserve(list.size());
  for (const std::uint32_t i : stableOrder(
           list.size(), [&](std::uint32_t a, std::uint32_t b) { return less(list[a], list[b]); }))
    sorted.push_back(std::move(list[i]));
  list.swap(sorted);
}

}  // namespace tenon
