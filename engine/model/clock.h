// A clock that never goes back.
#pragma once

#include <chrono>
#ifdef __EMSCRIPTEN__
#include <ctime>
#endif

namespace tenon {

#ifdef __EMSCRIPTEN__
// That of the standard library might throw what a system has to say, and brings the texts of all that systems may say.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static time_point now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
};
#else
using Clock = std::chrono::steady_clock;
#endif

}  // namespace tenon
