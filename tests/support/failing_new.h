// Memory that runs out on demand. The program that includes this also compiles a file counting_new.cpp, which includes
// failing_new.inc: operator new of the whole program.
#pragma once

#include <initializer_list>

namespace tenon::test {

// While one of these lives, the allocation number `first` (from 1) throws std::bad_alloc; `all`: and every later one.
class FailingMemory {
 public:
  FailingMemory(long first, bool all);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
  // Whether an allocation has failed.
  [[nodiscard]] bool failed() const;
};

// Calls f(first, all) for the first, second, fourth, … allocation that fails, alone or with all later ones. `f` returns
// whether one has failed; where none has, the work asked for less, and it ends. At least one must have failed.
template <class F>
bool forEachFailure(F f) {
  bool any = false;
  for (const bool all : {false, true})
    for (long first = 1; f(first, all); first *= 2) any = true;
  return any;
}

}  // namespace tenon::test
