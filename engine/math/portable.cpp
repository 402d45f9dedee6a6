// Elementary functions from exact operations; see portable.h. Constants were computed to 1800 bits.
#include "math/portable.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "math/twofold.h"

namespace tenon {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr Twofold kPiTwofold{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr Twofold kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// ----------------------------------------------------------------- reduction modulo a quarter turn

// x = quadrant·π/2 + rest, |rest| <= π/4 (a little more by rounding); quadrant modulo 4.
struct Reduced {
  int quadrant;
  Twofold rest;
};

// Cody and Waite: x - n π/2 with π/2 cut into parts of 33 bits, so that n·part is exact for n below
// 2^20. The parts and the tail hold 152 bits; the worst cancellation below 2^20 quarter turns eats
// some 60 of them.
Reduced reduceModerate(double x) {
  constexpr double kPart1 = 0x1.921fb544p+0;
  constexpr double kPart2 = 0x1.0b4611a6p-34;
  constexpr double kPart3 = 0x1.3198a2ep-69;
  constexpr double kTail = 0x1.b839a252049c1p-104;
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  const double n = std::floor(x * kTwoOverPi + 0.5);
  const double a = x - n * kPart1;  // exact: both are multiples of ulp(x), the result is small
  const Twofold b = twoSum(a, -(n * kPart2));
  const Twofold c = twoSum(b.hi, -(n * kPart3));
  const Twofold rest = twoSum(c.hi, (c.lo + b.lo) - n * kTail);
  return {static_cast<int>(static_cast<std::int64_t>(n) & 3), rest};
}

// 2/π in binary, 32 bits a piece, first piece after the binary point.
constexpr std::uint32_t kTwoOverPiBits[46] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du, 0xa9e39161u, 0x5ee61b08u,
    0x6599855fu, 0x14a06840u, 0x8dffd880u, 0x4d732731u};

// Payne and Hanek: x = m·2^e with an integer m; in x·2/π the bits of 2/π whose product with x is
// a multiple of 4 do not matter, and those after the next 256 are too small to. So multiply m by
// that window, in integers, and read off quadrant and fraction.          [Payne & Hanek 1983]
// Precondition: x finite, x >= 2^20.
Reduced reduceHuge(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // x = fraction·2^exponent, in [1/2, 1)
  const auto m = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int e = exponent - 53;  // x = m·2^e, e >= -32

  // The window begins at piece `first`: bit k (from 1) of 2/π weighs 2^-k, and m·2^e·2^-k is a
  // multiple of 4 while k <= e - 2. For e < 2 the window begins at the point.
  constexpr int kPieces = 8;
  const int first = e > 2 ? (e - 2) / 32 : 0;
  assert(first + kPieces <= 46);

  // product = m·window, most significant piece first; 2 + 8 pieces.
  std::uint32_t product[kPieces + 2] = {};
  const std::uint64_t mLow = m & 0xffffffffu, mHigh = m >> 32;
  std::uint64_t carry = 0;
  for (int i = kPieces - 1; i >= 0; --i) {
    const std::uint64_t t = mLow * kTwoOverPiBits[first + i] + carry;
    product[i + 2] = static_cast<std::uint32_t>(t);
    carry = t >> 32;
  }
  product[1] = static_cast<std::uint32_t>(carry);
  carry = 0;
  for (int i = kPieces - 1; i >= 0; --i) {
    const std::uint64_t t = mHigh * kTwoOverPiBits[first + i] + product[i + 1] + carry;
    product[i + 1] = static_cast<std::uint32_t>(t);
    carry = t >> 32;
  }
  product[0] = static_cast<std::uint32_t>(carry);

  // The last bit of `product` weighs 2^(e - 32 (first + 8)); so the point stands after this many
  // of its 320 bits:
  const int point = 320 + e - 32 * (first + kPieces);  // in [32, 98)
  const auto bitsFrom = [&product](int bit) {          // the 32 bits that begin at `bit`
    const int piece = bit / 32, shift = bit % 32;
    const std::uint64_t high = product[piece];
    const std::uint64_t low = piece + 1 < kPieces + 2 ? product[piece + 1] : 0;
    return static_cast<std::uint32_t>(((high << 32) | low) >> (32 - shift));
  };
  int quadrant = static_cast<int>(bitsFrom(point - 2) >> 30);
  std::uint32_t f[6];  // 192 bits of the fraction
  for (int i = 0; i < 6; ++i) f[i] = bitsFrom(point + 32 * i);

  // Round to the nearest quarter turn: a fraction of one half or more counts from the next one.
  const bool below = (f[0] >> 31) != 0;
  if (below) {
    quadrant = (quadrant + 1) & 3;
    for (std::uint32_t& piece : f) piece = ~piece;  // 1 - fraction, but for the last bit of 192
  }
  // The worst cancellation leaves 61 zero bits, so six pieces hold more than 106 good ones. Summed
  // from the small end in pairs that are exact in a double.
  Twofold sum{};
  for (int i = 5; i >= 0; --i) {
    const double piece = std::ldexp(static_cast<double>(f[i]), -32 * (i + 1));
    sum = add({piece, 0}, sum);
  }
  if (below) sum = negated(sum);
  return {quadrant, multiply(sum, kHalfPi)};
}

// Precondition: x finite.
Reduced reduce(double x) {
  constexpr double kModerate = 1647099.0;  // 2^20·π/2
  const double size = std::fabs(x);
  if (size <= 0.78539816339744828) return {0, {x, 0}};
  if (size < kModerate) return reduceModerate(x);
  Reduced r = reduceHuge(size);
  if (x < 0) r = {(4 - r.quadrant) & 3, negated(r.rest)};
  return r;
}

// --------------------------------------------------------------------------------- sine and cosine

// sin(r + d) = r + (d (1 - r²/2) - r³/3! + r⁵/5! - …), |r| <= π/4; the first term left out is below
// 2^-63 of the result.
Twofold sineSeries(const Twofold& rest) {
  const double r = rest.hi, z = r * r;
  double s = 1.0 / 355687428096000.0;  // 17!
  s = s * z - 1.0 / 1307674368000.0;
  s = s * z + 1.0 / 6227020800.0;
  s = s * z - 1.0 / 39916800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z - 1.0 / 5040.0;
  s = s * z + 1.0 / 120.0;
  s = s * z - 1.0 / 6.0;
  return quickTwoSum(r, r * z * s + rest.lo * (1 - 0.5 * z));
}

// cos(r + d) = 1 - r²/2 + (r⁴/4! - … - r d); r²/2 is kept with its rounding error.
Twofold cosineSeries(const Twofold& rest) {
  const double r = rest.hi;
  const Twofold square = twoProduct(r, r);
  const double z = square.hi;
  double c = -1.0 / 6402373705728000.0;  // 18!
  c = c * z + 1.0 / 20922789888000.0;
  c = c * z - 1.0 / 87178291200.0;
  c = c * z + 1.0 / 479001600.0;
  c = c * z - 1.0 / 3628800.0;
  c = c * z + 1.0 / 40320.0;
  c = c * z - 1.0 / 720.0;
  c = c * z + 1.0 / 24.0;
  const Twofold head = quickTwoSum(1.0, -0.5 * z);
  return quickTwoSum(head.hi, head.lo + (z * z * c - 0.5 * square.lo - r * rest.lo));
}

constexpr double kTiny = 0x1p-28;  // below it, x³ and x²/2 vanish beside x and 1: and no underflow

struct SineCosineTwofold {
  Twofold sine, cosine;
};

SineCosineTwofold sineCosineTwofold(double x) {
  const Reduced r = reduce(x);
  Twofold s = r.rest, c{1, 0};
  if (std::fabs(r.rest.hi) >= kTiny) {
    s = sineSeries(r.rest);
    c = cosineSeries(r.rest);
  }
  switch (r.quadrant) {
    case 0:
      return {s, c};
    case 1:
      return {c, negated(s)};
    case 2:
      return {negated(s), negated(c)};
    default:
      return {negated(c), s};
  }
}

}  // namespace

SineCosine sineCosine(double x) {
  if (!std::isfinite(x)) return {kNaN, kNaN};
  const SineCosineTwofold both = sineCosineTwofold(x);
  return {both.sine.hi, both.cosine.hi};
}

double sine(double x) {
  if (!std::isfinite(x)) return kNaN;
  return sineCosineTwofold(x).sine.hi;
}

double cosine(double x) {
  if (!std::isfinite(x)) return kNaN;
  return sineCosineTwofold(x).cosine.hi;
}

double tangent(double x) {
  if (!std::isfinite(x)) return kNaN;
  if (std::fabs(x) < kTiny) return x;
  const SineCosineTwofold both = sineCosineTwofold(x);
  return divide(both.sine, both.cosine).hi;
}

// ------------------------------------------------------------------------------------- arctangents

namespace {

// arctan(i/8)
constexpr Twofold kArctangentOfEighths[9] = {{0, 0},
                                             {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                             {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                             {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                             {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                             {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                             {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                             {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                             {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// arctan(y/x) for 0 <= y <= x, x in [1/2, 2), as a twofold number.
//   c = i/8 nearest to y/x:  arctan(y/x) = arctan(c) + arctan(t),  t = (y - c x)/(x + c y)
// |t| <= 1/16, so that t - t³/3 + … + t¹⁵/15 leaves out less than 2^-69 of t.
Twofold arctangentSteep(const Twofold& y, const Twofold& x) {
  const double ratio = y.hi / x.hi;
  const double eighths = std::floor(8 * ratio + 0.5);
  const double c = eighths / 8;
  Twofold t;
  if (eighths == 0) {
    t = divide(y, x);
  } else {
    const Twofold cx = multiply({c, 0}, x), cy = multiply({c, 0}, y);
    t = divide(add(y, negated(cx)), add(x, cy));
  }
  const double z = t.hi * t.hi;
  double s = -1.0 / 15.0;
  s = s * z + 1.0 / 13.0;
  s = s * z - 1.0 / 11.0;
  s = s * z + 1.0 / 9.0;
  s = s * z - 1.0 / 7.0;
  s = s * z + 1.0 / 5.0;
  s = s * z - 1.0 / 3.0;
  const Twofold& base = kArctangentOfEighths[static_cast<int>(eighths)];
  const Twofold head = twoSum(base.hi, t.hi);
  return quickTwoSum(head.hi, head.lo + (base.lo + t.lo + t.hi * z * s));
}

// Angle in [0, π] of the point (x, |y|), y given as its size; both finite and not both zero.
double angleOf(Twofold y, Twofold x) {
  const bool left = x.hi < 0;
  if (left) x = negated(x);
  const bool steep = y.hi > x.hi;
  const Twofold small = steep ? x : y, large = steep ? y : x;

  // The larger side is brought near 1, so that nothing overflows; a quotient below 2^-60 is its own
  // arctangent, and rounds once, by the division itself.
  int exponent = 0;
  (void)std::frexp(large.hi, &exponent);
  Twofold angle{};
  const double quotient = small.hi / large.hi;
  if (quotient < 0x1p-60) {
    if (!steep && !left) return quotient;
    angle = {quotient, 0};
  } else {
    const auto scaled = [exponent](const Twofold& v) {
      return Twofold{std::ldexp(v.hi, -exponent), std::ldexp(v.lo, -exponent)};
    };
    angle = arctangentSteep(scaled(small), scaled(large));
  }
  if (steep) angle = add(kHalfPi, negated(angle));
  if (left) angle = add(kPiTwofold, negated(angle));
  return angle.hi;
}

// sqrt(1 - x²) to twofold precision, for |x| < 1.
Twofold complement(double x) {
  if (std::fabs(x) < 0x1p-54) return {1, 0};  // also keeps x² from underflowing
  const Twofold square = twoProduct(x, x);
  const Twofold rest = add({1, 0}, negated(square));
  const double root = std::sqrt(rest.hi);
  const Twofold back = twoProduct(root, root);
  return quickTwoSum(root, (((rest.hi - back.hi) - back.lo) + rest.lo) / (2 * root));
}

}  // namespace

double arctangent2(double y, double x) {
  if (std::isnan(y) || std::isnan(x)) return kNaN;
  const bool below = std::signbit(y);
  double angle = 0;
  if (y == 0) {
    angle = std::signbit(x) ? kPiTwofold.hi : 0.0;
  } else if (x == 0) {
    angle = kHalfPi.hi;
  } else if (std::isinf(x) || std::isinf(y)) {
    const double sx = std::isinf(x) ? (x > 0 ? 1.0 : -1.0) : 0.0;
    angle = angleOf({std::isinf(y) ? 1.0 : 0.0, 0}, {sx, 0});
  } else {
    angle = angleOf({std::fabs(y), 0}, {x, 0});
  }
  return below ? -angle : angle;
}

double arctangent(double x) { return arctangent2(x, 1); }

double arcsine(double x) {
  const double size = std::fabs(x);
  if (!(size <= 1)) return kNaN;
  if (size < kTiny) return x;
  const double angle = size == 1 ? kHalfPi.hi : angleOf({size, 0}, complement(size));
  return x < 0 ? -angle : angle;
}

double arccosine(double x) {
  if (!(std::fabs(x) <= 1)) return kNaN;
  if (x == 1) return 0;
  if (x == -1) return kPiTwofold.hi;
  return angleOf(complement(x), {x, 0});
}

// ------------------------------------------------------------ exponential, logarithm, whole powers

namespace {
// ln 2 in parts of 32 bits: n·part is exact for |n| < 2^20.
constexpr double kLn2Part1 = 0x1.62e42feep-1;
constexpr double kLn2Part2 = 0x1.a39ef356p-33;
constexpr double kLn2Tail = 0x1.93c7673007e5fp-65;
}  // namespace

// e^x = 2^n e^r, r = x - n ln 2, |r| <= ln 2 / 2; the series to r¹⁴/14! leaves out less than 2^-61.
double exponential(double x) {
  if (std::isnan(x)) return kNaN;
  if (x > 709.79) return kInf;
  if (x < -745.14) return 0;
  constexpr double kOverLn2 = 0x1.71547652b82fep+0;
  const double n = std::floor(x * kOverLn2 + 0.5);
  const Twofold a = twoSum(x - n * kLn2Part1, -(n * kLn2Part2));
  const Twofold r = quickTwoSum(a.hi, a.lo - n * kLn2Tail);
  const double z = r.hi;
  double s = 1.0 / 87178291200.0;  // 14!
  s = s * z + 1.0 / 6227020800.0;
  s = s * z + 1.0 / 479001600.0;
  s = s * z + 1.0 / 39916800.0;
  s = s * z + 1.0 / 3628800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z + 1.0 / 40320.0;
  s = s * z + 1.0 / 5040.0;
  s = s * z + 1.0 / 720.0;
  s = s * z + 1.0 / 120.0;
  s = s * z + 1.0 / 24.0;
  s = s * z + 1.0 / 6.0;
  // 1 + r + r²/2 exactly enough, then the rest.
  const Twofold square = twoProduct(z, z);
  const Twofold head = quickTwoSum(1.0, z);
  const Twofold head2 = twoSum(head.hi, 0.5 * square.hi);
  const double tail = r.lo + r.lo * z + 0.5 * square.lo + square.hi * z * s;
  return std::ldexp(head2.hi + (head2.lo + (head.lo + tail)), static_cast<int>(n));
}

// x = m 2^n with m in [√½, √2);  ln x = n ln 2 + 2 artanh(s),  s = (m - 1)/(m + 1), |s| < 0.172:
// 2 (s + s³/3 + … + s²³/23) leaves out less than 2^-64 of s.
double logarithm(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return -kInf;
  if (std::isinf(x)) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654757) {
    m *= 2;
    --exponent;
  }
  const double n = exponent;
  const Twofold s = divide({m - 1, 0}, twoSum(m, 1.0));
  const double z = s.hi * s.hi;
  double p = 1.0 / 23.0;
  p = p * z + 1.0 / 21.0;
  p = p * z + 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  const Twofold series = quickTwoSum(2 * s.hi, 2 * s.lo + 2 * s.hi * z * p);
  const Twofold head = twoSum(n * kLn2Part1, series.hi);
  return head.hi + (head.lo + (n * kLn2Part2 + (series.lo + n * kLn2Tail)));
}

// By squaring, in twofold numbers with the exponent kept apart so that no square overflows. Every
// squaring doubles the relative error: n·2^-104 in all, below 2^-70 for |n| < 2^31.
double integerPower(double x, std::int64_t n) {
  if (n == 0) return 1;
  if (std::isnan(x)) return kNaN;
  const bool negativeResult = std::signbit(x) && (n & 1) != 0;
  const double size = std::fabs(x);
  double result = 1;
  if (size == 0 || std::isinf(size)) {
    result = (size == 0) == (n > 0) ? 0.0 : kInf;
  } else if (size != 1) {
    int e = 0;
    Twofold base{std::frexp(size, &e), 0};
    std::int64_t baseExponent = e;
    Twofold power{1, 0};
    std::int64_t powerExponent = 0;
    // Past this exponent the result is 0 or infinite whatever follows; and sums stay small.
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    const auto normalize = [](Twofold& v, std::int64_t& exponent) {
      int shift = 0;
      v.hi = std::frexp(v.hi, &shift);
      v.lo = std::ldexp(v.lo, -shift);
      exponent += shift;
      if (exponent > kFar) exponent = kFar;
      if (exponent < -kFar) exponent = -kFar;
    };
    std::uint64_t left = n > 0 ? static_cast<std::uint64_t>(n) : 0 - static_cast<std::uint64_t>(n);
    while (true) {
      if ((left & 1) != 0) {
        power = multiply(power, base);
        powerExponent += baseExponent;
        normalize(power, powerExponent);
      }
      left >>= 1;
      if (left == 0) break;
      base = multiply(base, base);
      baseExponent *= 2;
      normalize(base, baseExponent);
    }
    if (n < 0) {
      power = divide({1, 0}, power);
      powerExponent = -powerExponent;
    }
    constexpr std::int64_t kOut = 4000;
    if (powerExponent > kOut) powerExponent = kOut;
    if (powerExponent < -kOut) powerExponent = -kOut;
    result = std::ldexp(power.hi, static_cast<int>(powerExponent));
  }
  return negativeResult ? -result : result;
}

}  // namespace tenon
