// What a scene says must hold of it (`expect dof 1;`), compared with what was measured.
#pragma once

#include <tenon/measure.h>
#include <tenon/posing.h>
#include <tenon/scene.h>

#include <optional>
#include <string>
#include <vector>

namespace tenon::cli {

struct Judgement {
  enum class Verdict { Holds, Fails, NotYet };
  Verdict verdict = Verdict::NotYet;
  double measured = 0;  // unless NotYet
  std::string words;    // "dof is 1, as expected"
};

// At the pose as written.
struct Measured {
  Counts counts;
  JointError error;
  std::optional<PoseReport> assembly;  // of a copy, if it had to be assembled
};

// The error that an `expect assembled` allows, if the scene, as written, has a larger one.
[[nodiscard]] std::optional<double> assemblyAskedFor(const Scene& scene, const JointError& error);

[[nodiscard]] Judgement judge(const Expectation& expectation, const Measured& measured);

}  // namespace tenon::cli
