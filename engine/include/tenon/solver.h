// The linear solvers that every method may use, and the norms by which they stop.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

enum class LinearSolver : std::uint8_t {
  Direct,   // block-sparse factorisation of solids and joints
  Cg,       // conjugate gradients
  Bicg,     // biconjugate gradients, as in [Faure1998 §3.4]
  Minres,   // minimal residuals
  BlockCg,  // conjugate gradients, preconditioned by the blocks of the joints
};

enum class Norm : std::uint8_t {
  Max,     // largest
  Rms,     // root of the mean square
  Energy,  // weighted by what it takes to correct it
};

[[nodiscard]] std::string_view nameOf(LinearSolver solver);
[[nodiscard]] std::string_view nameOf(Norm norm);
// By name; false if there is none.
[[nodiscard]] bool fromName(std::string_view name, LinearSolver& solver);
[[nodiscard]] bool fromName(std::string_view name, Norm& norm);

}  // namespace tenon
