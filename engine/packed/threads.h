// Tasks that do not touch each other, on several threads where the build has them.
#pragma once

#include <cstddef>
#include <memory>

namespace tenon::packed {

class Pool {
 public:
  Pool();
  ~Pool();

  // f(0) … f(count - 1) in any order, `threads` at a time; 0: as many as the machine has.
  template <class F>
  void run(int threads, std::size_t count, const F& f) {
    runAll(
        threads, count, [](const void* task, std::size_t i) { (*static_cast<const F*>(task))(i); },
        &f);
  }
  using Task = void (*)(const void*, std::size_t);
  void run(int threads, std::size_t count, Task task, const void* context) {
    runAll(threads, count, task, context);
  }

 private:
  void runAll(int threads, std::size_t count, Task task, const void* context);

  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace tenon::packed
