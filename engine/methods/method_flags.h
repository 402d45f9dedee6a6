// What the code around the methods has to know of each, from the list of methods.
#pragma once

#include <tenon/method_list.h>
#include <tenon/step.h>

#include <cstddef>
#include <cstdint>

namespace tenon {

enum MethodFlag : std::uint8_t {
  kPlain = 0,
  kTakesCompliance = 1,  // of joints and prescribed motion
  kTakesLoad = 2,        // friction grows with the load of its joint
  kByIslands = 4,        // each is stepped by itself, by a packed kernel where one knows it
  kOverStep = 8,         // of those by islands: what acts does so over the step, not at its end
  // Jeon's illegal starts are the experiment of these: what they do with open joints is theirs.       [Jeon §1, §5]
  kTakesOpenJoints = 16,
  // Settings that are for some methods only:
  kTakesSolver = 32,       // StepSettings::linear; the others factor by a way of their own
  kTakesFeedback = 64,     // `alpha` and `beta`, as Baumgarte's
  kTakesIntegrator = 128,  // `integrator`
};

#define TENON_FLAGS(value, name, function, flags, ...) flags,
inline constexpr std::uint8_t kMethodFlags[] = {TENON_METHODS(TENON_FLAGS)};
#undef TENON_FLAGS

[[nodiscard]] constexpr bool has(Method method, MethodFlag flag) {
  return (kMethodFlags[static_cast<std::size_t>(method)] & flag) != 0;
}

}  // namespace tenon
