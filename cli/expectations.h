// What a scene says must hold of it (`expect dof 1;`), compared with what was measured.
#pragma once

#include <tenon/measure.h>
#include <tenon/scene.h>

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
};

[[nodiscard]] Judgement judge(const Expectation& expectation, const Measured& measured);

}  // namespace tenon::cli
