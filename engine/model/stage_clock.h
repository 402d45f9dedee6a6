// A clock that is read where a stage ends, if it runs at all: nothing that is computed depends on it.
#pragma once

#include <tenon/stage.h>

#include "model/clock.h"

namespace tenon {

class StageClock {
 public:
  // From here on; `times` has to outlive the laps.
  void start(StageTimes& times) {
    times_ = &times;
    last_ = Clock::now();
  }
  void stop() { times_ = nullptr; }

  // What has passed since the last lap is nobody's.
  void skip() {
    if (times_ != nullptr) last_ = Clock::now();
  }
  // What has passed since the last lap, or since the start, is that stage's.
  void lap(Stage stage) {
    if (times_ == nullptr) return;
    const Clock::time_point now = Clock::now();
    (*times_)[stage] += std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
  }

 private:
  StageTimes* times_ = nullptr;
  Clock::time_point last_;
};

}  // namespace tenon
