#include <tenon/control_poles.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "math/decimal.h"

namespace tenon {

namespace {

using Complex = std::complex<double>;

// std::abs of complex numbers is the C library's, and not everywhere the same.
double sizeOf(const Complex& z) { return std::sqrt(z.real() * z.real() + z.imag() * z.imag()); }

std::string number(double x) { return shortDecimal(x, 4); }

std::vector<Problem> wrong(std::string what, std::string remedy) {
  Problem problem;
  problem.what = std::move(what);
  problem.remedy = std::move(remedy);
  return {problem};
}

}  // namespace

Result<FeedbackGains> gainsFromPoles(Complex first, Complex second) {
  const Complex sum = first + second, product = first * second;
  const double scale = sizeOf(first) + sizeOf(second);
  if (!std::isfinite(scale)) return wrong("a pole is not a number", "");
  if (std::abs(sum.imag()) > 1e-9 * scale || std::abs(product.imag()) > 1e-9 * scale * scale)
    return wrong("the poles are neither real nor a conjugate pair",
                 "give two real poles, or a - ib beside a + ib");
  if (!(first.real() < 0 && second.real() < 0))
    return wrong("a pole is not left of the imaginary axis: errors would not fade",
                 "give poles with negative real parts");
  return FeedbackGains{-0.5 * sum.real(), std::sqrt(product.real())};
}

std::array<Complex, 2> polesOf(const FeedbackGains& gains) {
  const double a = gains.alpha, d = a * a - gains.beta * gains.beta;
  if (d < 0) return {Complex{-a, std::sqrt(-d)}, Complex{-a, -std::sqrt(-d)}};
  return {Complex{-a + std::sqrt(d)}, Complex{-a - std::sqrt(d)}};
}

FeedbackGains gainsOf(const StepSettings& settings, double dt) {
  const double alpha = settings.feedback.alpha > 0 ? settings.feedback.alpha : 1 / dt;
  return {alpha, settings.feedback.beta > 0 ? settings.feedback.beta : alpha};
}

double errorGrowth(Integrator integrator, const FeedbackGains& gains, double dt) {
  double most = 0;
  for (const Complex& s : polesOf(gains)) {
    const Complex x = dt * s;
    const Complex z = integrator == Integrator::Euler
                          ? 1.0 + x
                          : 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24))));
    most = std::max(most, sizeOf(z));
  }
  return most;
}

double largestStableStep(Integrator integrator, const FeedbackGains& gains) {
  const double fastest = std::max(gains.alpha, gains.beta);
  if (!(gains.alpha > 0) || !(gains.beta > 0) || !std::isfinite(fastest)) return 0;
  const auto fades = [&](double dt) { return errorGrowth(integrator, gains, dt) < 1; };
  double high = 4 / fastest;  // beyond both regions: they end at |h s| = 2 and about 3
  while (!fades(high / 2) && high * fastest > 1e-12) high /= 2;
  double low = high / 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (fades(middle) ? low : high) = middle;
  }
  return low;
}

std::vector<Problem> checkFeedback(const StepSettings& settings, double dt) {
  if (settings.method != Method::Baumgarte || !(dt > 0)) return {};
  const FeedbackGains gains = gainsOf(settings, dt);
  const double growth = errorGrowth(settings.integrator, gains, dt);
  if (growth < 1) return {};
  const double step = largestStableStep(settings.integrator, gains);
  std::vector<Problem> problems = wrong(
      "alpha " + number(gains.alpha) + "/s and beta " + number(gains.beta) + "/s with steps of " +
          number(dt) + " s make joint errors grow by a factor of " + number(growth) + " per step",
      "choose steps below " + number(step) +
          " s, or leave alpha and beta at 1/dt = " + number(1 / dt) + "/s");
  problems.front().severity = Severity::Warning;
  return problems;
}

// -------------------------------------------------------------------------------- state feedback

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

//        (    0       1    )       (    0    )
//   A =  ( -M⁻¹K_s  -M⁻¹K_d ),  B = ( M⁻¹ K_c )
StateSpace springSystem(std::span<const double> mass, std::span<const double> damping,
                        std::span<const double> stiffness, std::span<const double> input) {
  const std::size_t n = mass.size();
  assert(damping.size() == n * n && stiffness.size() == n * n && input.size() == n);
  StateSpace made;
  made.size = static_cast<int>(2 * n);
  made.A.assign(4 * n * n, 0);
  made.B.assign(2 * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    made.A[i * 2 * n + n + i] = 1;
    for (std::size_t j = 0; j < n; ++j) {
      made.A[(n + i) * 2 * n + j] = -stiffness[i * n + j] / mass[i];
      made.A[(n + i) * 2 * n + n + j] = -damping[i * n + j] / mass[i];
    }
    made.B[n + i] = input[i] / mass[i];
  }
  return made;
}

Result<std::vector<double>> placePoles(const StateSpace& system, std::span<const Complex> poles) {
  const Eigen::Index n = system.size;
  const auto count = static_cast<std::size_t>(n);
  assert(system.A.size() == count * count && system.B.size() == count);
  if (poles.size() != count)
    return wrong(
        std::to_string(poles.size()) + " poles are given for " + std::to_string(n) + " states",
        "give one pole for each state");
  // In time scaled by the size of A, so that its powers neither vanish nor run away; K stays the same.
  Matrix A = Eigen::Map<const Matrix>(system.A.data(), n, n);
  const double scale = std::max(A.cwiseAbs().rowwise().sum().maxCoeff(), 1e-300);
  A /= scale;
  const Eigen::VectorXd B = Eigen::Map<const Eigen::VectorXd>(system.B.data(), n) / scale;

  // c(s) = Π (s - s_i), whose coefficients are real.
  std::vector<Complex> c{1};  // of the highest power first
  for (const Complex& pole : poles) {
    c.push_back(0);
    for (std::size_t i = c.size() - 1; i > 0; --i) c[i] -= (pole / scale) * c[i - 1];
  }
  for (const Complex& x : c)
    if (!(std::abs(x.imag()) <= 1e-9 * (1 + sizeOf(x))))
      return wrong("a complex pole has no conjugate", "give a - ib beside a + ib");

  Matrix reach(n, n);  // B, AB, …
  reach.col(0) = B;
  for (Eigen::Index i = 1; i < n; ++i) reach.col(i) = A * reach.col(i - 1);
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(reach.transpose());
  if (lu.rank() < n)
    return wrong(
        "the input reaches " + std::to_string(lu.rank()) + " of " + std::to_string(n) + " states",
        "let it act elsewhere: an input cannot control a mode that it does not move");
  const Eigen::VectorXd y = lu.solve(Eigen::VectorXd::Unit(n, n - 1));
  Matrix polynomial = Matrix::Zero(n, n);
  for (const Complex& x : c) polynomial = polynomial * A + x.real() * Matrix::Identity(n, n);
  const Eigen::VectorXd K = polynomial.transpose() * y;
  return std::vector<double>(K.data(), K.data() + n);
}

}  // namespace tenon
