#include "packed/threads.h"

#ifdef TENON_TBB
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#endif

namespace tenon::packed {

#ifdef TENON_TBB
namespace {

// How long a helper looks out for more work before it gives its thread back: steps follow each other, and waking a
// thread takes as long as a tenth of a step of a small crowd.
constexpr auto kPatience = std::chrono::microseconds(300);

void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

// A batch of tasks is open to helpers (tasks of oneTBB) until all are taken: who comes takes the next one.
struct Pool::Arena {
  explicit Arena(int wanted) : threads(wanted) {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    most = std::min(wanted > 0 ? wanted : cores, std::max(2, cores)) - 1;
    arena.initialize(std::max(1, most), 0);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    ending = true;
    while (helpers > 0) std::this_thread::yield();
  }

  void run(std::size_t all, Task what, const void* about) {
    count = all;
    task = what;
    context = about;
    ends = 0;
    open = ++batches;
    while (helpers < most) {
      const bool fromBack = helpers++ % 2 == 0;
      arena.enqueue([this, fromBack] { help(fromBack); });
    }
    take(false);
    open = 0;
    // Whoever got in before that is waited for: after `open` is 0 nobody gets in.
    for (int spins = 0; inside > 0; ++spins) {
      if (spins < 2000)
        pause();
      else
        std::this_thread::yield();
    }
  }

  // From the front or from the back, until they meet: two threads that come again find what they had in their caches.
  void take(bool fromBack) {
    std::uint64_t taken = ends;
    for (;;) {
      const std::uint64_t front = taken & 0xffffffffu, back = taken >> 32;
      if (front + back >= count) return;
      if (!ends.compare_exchange_weak(taken,
                                      fromBack ? taken + (std::uint64_t{1} << 32) : taken + 1))
        continue;
      task(context, fromBack ? count - 1 - back : front);
      taken = ends;
    }
  }
  void help(bool fromBack) {
    using Clock = std::chrono::steady_clock;
    std::uint64_t seen = 0;
    Clock::time_point last = Clock::now();
    while (!ending) {
      const std::uint64_t batch = open;
      if (batch != 0 && batch != seen) {
        ++inside;
        if (open == batch) take(fromBack);
        --inside;
        seen = batch;
        last = Clock::now();
        continue;
      }
      for (int i = 0; i < 16; ++i) pause();
      if (Clock::now() - last > kPatience) break;
    }
    --helpers;
  }

  int threads = 0;  // as asked for
  int most = 0;     // helpers
  oneapi::tbb::task_arena arena;
  std::uint64_t batches = 0;
  std::atomic<std::uint64_t> open{0};  // the batch that may be entered; 0: none
  std::atomic<int> inside{0}, helpers{0};
  std::atomic<std::uint64_t> ends{0};  // tasks taken from the front, and << 32 from the back
  std::atomic<bool> ending{false}, busy{false};
  std::size_t count = 0;
  Task task = nullptr;
  const void* context = nullptr;
};
#else
struct Pool::Arena {};
#endif

Pool::Pool() = default;
Pool::~Pool() = default;

void Pool::runAll(int threads, std::size_t count, Task task, const void* context) {
#ifdef TENON_TBB
  if (threads != 1 && count > 1) {
    if (arena_ == nullptr || arena_->threads != threads) arena_ = std::make_unique<Arena>(threads);
    // A batch within a task of a batch: the threads have enough to do.
    if (!arena_->busy.exchange(true)) {
      arena_->run(count, task, context);
      arena_->busy = false;
      return;
    }
  }
#endif
  (void)threads;
  for (std::size_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace tenon::packed
