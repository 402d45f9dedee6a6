#include "packed/threads.h"

#ifdef TENON_TBB
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace tenon::packed {

#ifdef TENON_TBB
struct Pool::Arena {
  int threads = 0;
  oneapi::tbb::task_arena arena;
};
#else
struct Pool::Arena {};
#endif

Pool::Pool() = default;
Pool::~Pool() = default;

void Pool::runAll(int threads, std::size_t count, Task task, const void* context) {
#ifdef TENON_TBB
  if (threads != 1 && count > 1) {
    if (arena_ == nullptr || arena_->threads != threads) {
      const int many = threads > 0 ? threads : oneapi::tbb::task_arena::automatic;
      arena_ = std::make_unique<Arena>();
      arena_->threads = threads;
      arena_->arena.initialize(many);
    }
    arena_->arena.execute([&] {
      oneapi::tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { task(context, i); });
    });
    return;
  }
#endif
  (void)threads;
  for (std::size_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace tenon::packed
