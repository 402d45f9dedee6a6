// Counts what operator new gives out, for tests that promise not to ask. A file of its own, so that
// the compiler does not pair an inlined delete with a new that it cannot see.
#include <cstdlib>
#include <new>

namespace {
long count = 0;
}

long allocationCount();
long allocationCount() { return count; }

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
// Standard algorithms ask for their buffers this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
