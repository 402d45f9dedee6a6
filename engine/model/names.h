// What methods, solvers, norms and rules are called in the scene language, on the command line and in the session. A name stands
// here, or in the list of methods or solvers, and nowhere else. Names are in the order of their enumerations.
#pragma once

#include <tenon/method_list.h>
#include <tenon/solver_list.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace tenon {

using Names = std::span<const std::string_view>;

#define TENON_NAME(value, name, ...) name,
inline constexpr std::string_view kMethodNames[] = {TENON_METHODS(TENON_NAME)};
inline constexpr std::string_view kSolverNames[] = {TENON_LINEAR_SOLVERS(TENON_NAME)};
#undef TENON_NAME
inline constexpr std::string_view kAssemblyNames[] = {  // AssemblyMethod
    "newton", "displacement", "relaxation"};
inline constexpr std::string_view kIntegratorNames[] = {  // Integrator
    "euler", "rk4", "rk45", "adams-moulton"};
inline constexpr std::string_view kOnCapNames[] = {"go", "stop"};                     // OnCap
inline constexpr std::string_view kLoopsNames[] = {"multipliers", "heavy-segments"};  // Loops
inline constexpr Names kNoNames;
inline constexpr std::string_view kNormNames[] = {"max", "rms", "energy"};  // Norm
inline constexpr std::string_view kRuleNames[] = {                          // CoordinateRule::Kind
    "limit", "spring", "damper", "drive", "prescribe", "prefer", "friction", "armature"};

// Empty: it has none.
template <class Enum>
[[nodiscard]] constexpr std::string_view nameAmong(Names names, Enum value) {
  const auto i = static_cast<std::size_t>(value);
  return i < names.size() ? names[i] : std::string_view{};
}

// False: there is none of that name.
template <class Enum>
[[nodiscard]] constexpr bool valueAmong(Names names, std::string_view name, Enum& value) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) {
      value = static_cast<Enum>(i);
      return true;
    }
  return false;
}

}  // namespace tenon
