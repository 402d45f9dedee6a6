// Counts what operator new gives out; what the kernels keep is aligned, and counted too.
#include "joints/counting_new.cpp"

void* operator new(std::size_t size, std::align_val_t alignment) {
  ++count;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (size + step) / step * step)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
