// Random numbers that are the same on every machine: xoshiro256++, seeded by splitmix64.
//                                              [Blackman & Vigna 2021, "Scrambled linear PRNGs"]
// The standard library's engines would do, but its distributions differ between platforms.
//
// Arguments of a call are evaluated in no fixed order: write Vec3{r.uniform(), r.uniform(), …} with
// braces, which go left to right, or use the functions below.
#pragma once

#include <tenon/math.h>

#include <cassert>
#include <cmath>
#include <cstdint>

#include "math/portable.h"

namespace tenon {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15ull;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      word = z ^ (z >> 31);
    }
  }

  // 64 random bits; the period is 2^256 - 1.
  std::uint64_t next() {
    const std::uint64_t result = turned(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = turned(state_[3], 45);
    return result;
  }

  // In [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // In [a, b], b only by rounding.
  double uniform(double a, double b) { return a + (b - a) * uniform(); }

  // 0, …, n - 1, each exactly as likely. Precondition: n > 0.
  std::uint64_t below(std::uint64_t n) {
    assert(n > 0);
    // 2^64 mod n values too many: the lowest ones are drawn again.
    const std::uint64_t surplus = (0 - n) % n;
    std::uint64_t r = next();
    while (r < surplus) r = next();
    return r % n;
  }

  bool coin() { return (next() >> 63) != 0; }

  // Gaussian, mean 0, deviation 1, by Marsaglia's polar method; the second value is thrown away, so
  // that the generator's state is all there is.
  double normal() {
    double u = 0, v = 0, s = 0;
    do {
      u = uniform(-1, 1);
      v = uniform(-1, 1);
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * std::sqrt(-2 * logarithm(s) / s);
  }

  // Uniform on the unit sphere.                                                 [Marsaglia 1972]
  Vec3 direction() {
    double u = 0, v = 0, s = 0;
    do {
      u = uniform(-1, 1);
      v = uniform(-1, 1);
      s = u * u + v * v;
    } while (s >= 1);
    const double r = 2 * std::sqrt(1 - s);
    return {u * r, v * r, 1 - 2 * s};
  }

  // Uniform over all rotations (Haar): a uniform point of the sphere in four dimensions.
  Quat rotation() {
    double a = 0, b = 0, s = 0;
    do {
      a = uniform(-1, 1);
      b = uniform(-1, 1);
      s = a * a + b * b;
    } while (s >= 1);
    double c = 0, d = 0, t = 0;
    do {
      c = uniform(-1, 1);
      d = uniform(-1, 1);
      t = c * c + d * d;
    } while (t >= 1 || t == 0);
    const double r = std::sqrt((1 - s) / t);
    return normalized({a, b, c * r, d * r});
  }

  Vec3 pointInBox(const Vec3& lower, const Vec3& upper) {
    const double x = uniform(lower.x, upper.x);
    const double y = uniform(lower.y, upper.y);
    const double z = uniform(lower.z, upper.z);
    return {x, y, z};
  }

 private:
  static std::uint64_t turned(std::uint64_t word, int by) {
    return (word << by) | (word >> (64 - by));
  }

  std::uint64_t state_[4];
};

}  // namespace tenon
