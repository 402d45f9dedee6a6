// Steps of a scene over and over: its first second, then from the start again.
#pragma once

#include <tenon/step.h>

#include <string>

#include "cases/cases.h"
#include "cases/scenes.h"

namespace tenon::bench {

// How the methods energy and interactive go about a step; the bits of `Lanes`, `Scalar` and `TwoThreads`
// are the same.
enum class Variant { Lanes, Scalar, TwoThreads, General };
[[nodiscard]] std::string nameOf(Variant variant);
[[nodiscard]] bool fromName(const std::string& name, Variant& variant);
[[nodiscard]] StepSettings settingsOf(Method method, Variant variant);

class Stepping {
 public:
  Stepping(const std::string& scene, Method method, Variant variant, bool timed = false);
  void once();
  void restart();  // from the start again
  [[nodiscard]] double solids() const { return scene_.solids; }
  [[nodiscard]] Counters counters() const;
  // For who looks closer.
  [[nodiscard]] const Moving& scene() const { return scene_; }
  [[nodiscard]] const StepSettings& settings() const { return settings_; }
  [[nodiscard]] double dt() const { return dt_; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const StepReport& last() const { return last_; }  // of the last step

 private:
  Moving scene_;
  StepSettings settings_;
  double dt_;  // [s]
  State state_;
  StepScratch scratch_;
  StepReport last_;
  int steps_ = 0, window_ = 0;
  StageTimes stages_;
  double iterations_ = 0, halved_ = 0, unconverged_ = 0, fast_ = 0;
  double error_ = 0;  // at the ends of the windows
  bool blownUp_ = false;
};

}  // namespace tenon::bench
