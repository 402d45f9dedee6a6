// Feedback by pole placement: the gains of Baumgarte's method from the poles that its error equation is to
// have, for which steps they hold, and state feedback of linear systems.          [Jeon §2.2, §3.1, §4]
#pragma once

#include <tenon/result.h>
#include <tenon/step.h>

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace tenon {

// Gains of Φ̈ + 2α Φ̇ + β² Φ = 0 [1/s], whose errors behave like exp(s t), s² + 2α s + β² = 0. [Jeon eq. 16]
struct FeedbackGains {
  double alpha = 0, beta = 0;
};

// The gains with these poles: two negative numbers, or a conjugate pair left of the imaginary axis.
//   α = -(s₁ + s₂)/2,   β = √(s₁ s₂)
// Equal ones, α = β, are the fastest without oscillation; -a ± ib oscillates with b while it fades with a.
[[nodiscard]] Result<FeedbackGains> gainsFromPoles(std::complex<double> first,
                                                   std::complex<double> second);
[[nodiscard]] std::array<std::complex<double>, 2> polesOf(const FeedbackGains& gains);

// What Baumgarte's method uses: the settings', and where they give none, α = 1/dt, β = α.
[[nodiscard]] FeedbackGains gainsOf(const StepSettings& settings, double dt);

// The factor that errors grow by in a step of the error equation, in the long run: the largest |z|,
//   Euler   z = 1 + h s          Runge-Kutta   z = 1 + h s + (h s)²/2 + (h s)³/6 + (h s)⁴/24.
// Errors fade if it is below 1. For Euler that is max(0, 4αh - 4) < (βh)² < 2αh, and |1 - αh| < 1 where
// α = β.                                                                            [Jeon eq. 31, 32]
[[nodiscard]] double errorGrowth(Integrator integrator, const FeedbackGains& gains, double dt);
// The length [s] below which steps let errors fade.
[[nodiscard]] double largestStableStep(Integrator integrator, const FeedbackGains& gains);
// What is wrong with the feedback of a simulation by Baumgarte's method, and what to do; empty: nothing.
[[nodiscard]] std::vector<Problem> checkFeedback(const StepSettings& settings, double dt);

// Q̇ = A Q + B u of `size` states and one input; A row by row.                            [Jeon eq. 5]
struct StateSpace {
  int size = 0;
  std::vector<double> A, B;
};
// M q̈ + K_d q̇ + K_s q = K_c u as a system of Q = (q, q̇). Masses and the input's gains by coordinate, the
// matrices row by row.                                                                [Jeon eqs 2, 3]
[[nodiscard]] StateSpace springSystem(std::span<const double> mass, std::span<const double> damping,
                                      std::span<const double> stiffness,
                                      std::span<const double> input);

// K of the feedback u = -K Q that gives A - B K these poles, `size` of them, complex ones with their
// conjugates. By Ackermann's formula, K = (0 … 0 1) (B AB … Aⁿ⁻¹B)⁻¹ c(A), c(s) = Π (s - s_i): the
// coefficients of eqs 8 and 9 matched. Fails if the input cannot reach all states.    [Jeon eqs 7 to 9]
[[nodiscard]] Result<std::vector<double>> placePoles(const StateSpace& system,
                                                     std::span<const std::complex<double>> poles);

}  // namespace tenon
