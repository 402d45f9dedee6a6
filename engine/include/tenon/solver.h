// The linear solvers that every method may use, and the norms by which they stop.
#pragma once

#include <tenon/solver_list.h>

#include <cstdint>
#include <string_view>

namespace tenon {

// What each is: tenon/solver_list.h.
#define TENON_VALUE(value, name, function, kind, words) value,
enum class LinearSolver : std::uint8_t { TENON_LINEAR_SOLVERS(TENON_VALUE) };
#undef TENON_VALUE

#define TENON_VALUE(value, name, function, kind, words) LinearSolver::value,
inline constexpr LinearSolver kLinearSolvers[] = {TENON_LINEAR_SOLVERS(TENON_VALUE)};
#undef TENON_VALUE

enum SolverKind : std::uint8_t { kIterates, kFactors };
#define TENON_KIND(value, name, function, kind, words) kind,
inline constexpr SolverKind kSolverKinds[] = {TENON_LINEAR_SOLVERS(TENON_KIND)};
#undef TENON_KIND
// Whether it factors the matrix.
[[nodiscard]] constexpr bool isDirect(LinearSolver solver) {
  return kSolverKinds[static_cast<std::uint8_t>(solver)] == kFactors;
}

enum class Norm : std::uint8_t {
  Max,     // largest
  Rms,     // root of the mean square
  Energy,  // weighted by what it takes to correct it
};

// How the linear systems of a step or a pose are solved.
struct LinearSettings {
  LinearSolver solver = LinearSolver::Direct;
  int iterations =
      0;  // the most of a solver that iterates, each time it runs; 0: as many as it has rows
  double tolerance =
      1e-12;  // of a solver that iterates: the residual it stops at, relative to the first
};

[[nodiscard]] std::string_view nameOf(LinearSolver solver);
[[nodiscard]] std::string_view nameOf(Norm norm);
// By name; false if there is none.
[[nodiscard]] bool fromName(std::string_view name, LinearSolver& solver);
[[nodiscard]] bool fromName(std::string_view name, Norm& norm);

}  // namespace tenon
