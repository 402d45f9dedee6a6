// A turn in a step as a vector θ: R_1 = turn(θ) R_0.
//
//   over the step:  Cayley's, θ = 2 tan(φ/2) n: mean velocities are θ/dt, and energy is kept
//   at the end:     the rotation vector, θ = φ n
//
// A small turn δ in world axes at the end changes it by  δθ = D δ,  D = α - ½ [θ]ₓ + β θθᵀ.
// No function of the C library, and no branch on values: lanes do what the scalar path does.
#pragma once

#include "packed/small.h"

namespace tenon::packed {

// Largest |θ|² that a step may have: over it 0.8 rad, as mean spins are too fast by φ²/12; at the end
// 1.5 rad, so that two solids turn by less than half a turn against each other.
TENON_KERNEL constexpr double mostTurn2(bool over) { return over ? 0.7150 : 2.25; }

// In each file its own: its constants have places of their own where nothing is optimised.
namespace {

// Over a step or at its end: how it is solved, a of dt²/a, and how levers follow a turn at the end. A kernel is compiled for
// each. In WebAssembly one is for both and is told when it runs: the code that a browser loads is shorter by a kernel.
template <bool Over, bool Known = !kOneForBoth>
struct SolvedWhen {
  TENON_KERNEL explicit SolvedWhen(bool /*over*/) {}
  static constexpr bool kOver = Over;
  static constexpr double kA = Over ? 2 : 1, kMean = Over ? 0.5 : 1;
};
template <bool Over>
struct SolvedWhen<Over, false> {
  TENON_KERNEL explicit SolvedWhen(bool over)
      : kOver(over), kA(over ? 2 : 1), kMean(over ? 0.5 : 1) {}
  const bool kOver;
  const double kA, kMean;
};

}  // namespace

// From the highest power down.
template <class R, int N>
TENON_KERNEL R polynomial(const double (&coefficient)[N], const R& t) {
  R sum = number<R>(coefficient[0]);
  for (int i = 1; i < N; ++i) sum = number<R>(coefficient[i]) + t * sum;
  return sum;
}

// The quaternion of turn(θ) is (v, w); `twice` is 2/|quaternion|².
template <class R>
struct TurnQuaternion {
  V3<R> v;
  R w, twice;
};

template <class R>
TENON_KERNEL TurnQuaternion<R> turnQuaternion(bool over, const V3<R>& theta) {
  const R t = number<R>(0.25) * dot(theta, theta), one = number<R>(1);
  const V3<R> half = number<R>(0.5) * theta;
  if (over) {
    return {half, one, number<R>(2) / (one + t)};
  } else {
    // sin(x)/x and cos(x) for x = φ/2 <= 0.75, in t = x²: what is left out is below 1e-16.
    constexpr double kSine[] = {1.0 / 355687428096000.0,
                                -1.0 / 1307674368000.0,
                                1.0 / 6227020800.0,
                                -1.0 / 39916800,
                                1.0 / 362880,
                                -1.0 / 5040,
                                1.0 / 120,
                                -1.0 / 6,
                                1.0};
    constexpr double kCosine[] = {1.0 / 20922789888000.0,
                                  -1.0 / 87178291200.0,
                                  1.0 / 479001600.0,
                                  -1.0 / 3628800,
                                  1.0 / 40320,
                                  -1.0 / 720,
                                  1.0 / 24,
                                  -1.0 / 2,
                                  1.0};
    const R sine = polynomial<R>(kSine, t), cosine = polynomial<R>(kCosine, t);
    return {sine * half, cosine, number<R>(2)};
  }
}

// turn(θ) - 1: what a turn adds to a vector, as exact as the turn is small.
template <class R>
TENON_KERNEL M3<R> turnLessOne(bool over, const V3<R>& theta) {
  const TurnQuaternion<R> q = turnQuaternion(over, theta);
  const R no = number<R>(0);
  const V3<R> k = q.twice * q.v;
  const R xx = k.x * q.v.x, yy = k.y * q.v.y, zz = k.z * q.v.z;
  const R xy = k.x * q.v.y, xz = k.x * q.v.z, yz = k.y * q.v.z;
  const R wx = q.w * k.x, wy = q.w * k.y, wz = q.w * k.z;
  return {{no - (yy + zz), xy - wz, xz + wy},
          {xy + wz, no - (xx + zz), yz - wx},
          {xz - wy, yz + wx, no - (xx + yy)}};
}

// q_1 = turn(θ) q_0, of length 1.
template <class R>
TENON_KERNEL Q4<R> turned(bool over, const V3<R>& theta, const Q4<R>& q0) {
  const TurnQuaternion<R> turn = turnQuaternion(over, theta);
  const Q4<R> q = Q4<R>{turn.v.x, turn.v.y, turn.v.z, turn.w} * q0;
  const R s = number<R>(1) / squareRootOf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {s * q.x, s * q.y, s * q.z, s * q.w};
}

template <class R>
struct TurnSlope {
  R alpha, beta;
};
template <class R>
TENON_KERNEL TurnSlope<R> turnSlope(bool over, const V3<R>& theta) {
  if (over) {
    return {number<R>(1), number<R>(0.25)};
  } else {
    // β = 1/φ² - cot(φ/2)/(2φ), α = 1 - β φ²; good to 1e-8, which Newton's method does not notice.
    const R t = dot(theta, theta);
    constexpr double kBeta[] = {1.0 / 47900160, 1.0 / 1209600, 1.0 / 30240, 1.0 / 720, 1.0 / 12};
    const R beta = polynomial<R>(kBeta, t);
    return {number<R>(1) - beta * t, beta};
  }
}
// D δ.
template <class R>
TENON_KERNEL V3<R> turnChange(bool over, const V3<R>& theta, const V3<R>& delta) {
  const TurnSlope<R> d = turnSlope(over, theta);
  return d.alpha * delta - number<R>(0.5) * cross(theta, delta) +
         (d.beta * dot(theta, delta)) * theta;
}

// The torque that a solid's turn takes, T = ℓ - dt/a L_0 with ℓ = dt/a L_1 = turn (I θ - b dt/a L_0), and
// δT = turn I D δ - ℓ × δ. I and `momentum` dt/a L_0 are of the start.
template <class R>
struct TurnTorque {
  V3<R> torque;
  M3<R> slope;
};
template <class R>
TENON_KERNEL V3<R> turnMomentum(bool over, const V3<R>& spun, const V3<R>& momentum,
                                const M3<R>& lessOne) {
  if (over) {
    const V3<R> l = spun - momentum;
    return l + lessOne * l;
  } else {
    return spun + lessOne * spun;
  }
}
template <class R>
TENON_KERNEL TurnTorque<R> torqueOfTurn(bool over, const S3<R>& inertia, const V3<R>& momentum,
                                        const V3<R>& theta, const M3<R>& lessOne) {
  const V3<R> spun = inertia * theta, l = turnMomentum(over, spun, momentum, lessOne);
  const TurnSlope<R> d = turnSlope(over, theta);
  // I D = α I - ½ I [θ]ₓ + β (I θ) θᵀ
  const M3<R> I = full(inertia);
  M3<R> ID = outer(d.beta * spun, theta) - number<R>(0.5) * timesSkew(I, theta);
  ID += d.alpha * I;
  TurnTorque<R> result{l - momentum, ID + lessOne * ID};
  addSkew(number<R>(-1) * l, result.slope);
  return result;
}
// Most time goes here: where it is known only at run time, each way has its own code.
template <class R>
TENON_KERNEL TurnTorque<R> turnTorque(bool over, const S3<R>& inertia, const V3<R>& momentum,
                                      const V3<R>& theta, const M3<R>& lessOne) {
  return over ? torqueOfTurn(true, inertia, momentum, theta, lessOne)
              : torqueOfTurn(false, inertia, momentum, theta, lessOne);
}

}  // namespace tenon::packed
