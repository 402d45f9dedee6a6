// Races on purpose, in tasks of the pool that steps figures: the thread sanitizer must say so, whatever tests/threads/suppressions.txt
// leaves out. Its test fails if this program ends well.
#include "packed/threads.h"

#include <cstdio>

int main() {
  tenon::packed::Pool pool;
  long sum = 0;  // of all tasks, without a lock
  for (int batch = 0; batch < 200; ++batch)
    pool.run(2, 1000, [&sum](std::size_t i) { sum += static_cast<long>(i); });
  std::printf("%ld\n", sum);
}
