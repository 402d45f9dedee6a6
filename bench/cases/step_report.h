// How good the steps of a case are: what bench/real_scenes.py prints beside their cost.
#pragma once

#include <tenon/step.h>

#include <string>

#include "cases/steps.h"

namespace tenon::bench {

// The first `steps` steps after the first one, as JSON: joint error and how far limits were passed [m or rad, the
// largest], drift of energy (of `energy`, where every step says its work: what that does not explain, over the range of
// the potential energy), iterations a step, steps that were halved, that did not converge and that kernels did alone, and the ways of islands at the start
// and at the end.
[[nodiscard]] std::string reportOn(const std::string& scene, Method method, Variant variant,
                                   int steps);

}  // namespace tenon::bench
