// Numbers of a text: the same bits, and the same end, as by fast_float.
#include "math/decimal.h"

#include <fast_float/fast_float.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "math/random.h"

namespace tenon {
namespace {

std::uint64_t bitsOf(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

void compare(const std::string& text) {
  const char *const begin = text.data(), *const end = begin + text.size();
  double want = 0, found = 0;
  const auto read = fast_float::from_chars(begin, end, want);
  const char* const behind = readDecimal(begin, end, found);
  if (read.ec == std::errc::invalid_argument) {
    EXPECT_EQ(behind, begin) << text;
    return;
  }
  EXPECT_EQ(behind - begin, read.ptr - begin) << text;
  EXPECT_EQ(bitsOf(found), bitsOf(want)) << text;
}

double anyNumber(Random& random) {
  const std::uint64_t bits = random.next();
  double x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return std::isfinite(x) ? x : 1;
}

#ifdef __EMSCRIPTEN__
constexpr int kTexts = 2000;
#else
constexpr int kTexts = 20000;
#endif

TEST(Decimal, ReadsWhatIsNoNumberAsNone) {
  for (const char* text :
       {"", "-", ".", "-.", "e5", "-e5", "+1", "x", "--1", "in", " 1", "-x1", ".e1"})
    compare(text);
}

TEST(Decimal, EndsWhereTheNumberEnds) {
  for (const char* text : {"1m",      "1e",    "1e+",   "1e-",    "1ex",
                           "1.5e3kg", "1.2.3", "1..2",  ".5",     "5.",
                           "-.5",     "-5.e1", "1E5",   "1e+05m", "00012",
                           "0",       "-0",    "0.000", "-0e5",   "0e999999999999",
                           "1e1e1"})
    compare(text);
}

TEST(Decimal, WhatIsNotFiniteIsInfinite) {
  for (const char* text : {"inf", "-INF", "nan", "-NaN", "infinity", "1e309", "-1e999",
                           "1e99999999999999999999", "17976931348623159e292"}) {
    double value = 0;
    const std::string whole = text;
    EXPECT_NE(readDecimal(whole.data(), whole.data() + whole.size(), value), whole.data()) << text;
    EXPECT_TRUE(std::isinf(value)) << text;
  }
}

TEST(Decimal, RoundsAtTheEndsOfTheRange) {
  for (const char* text : {"1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "17976931348623158079e289",
                           "2.2250738585072014e-308",
                           "2.2250738585072011e-308",
                           "4.9406564584124654e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "2.47032822920623272088e-324",
                           "7e-324",
                           "1e-324",
                           "3e-324",
                           "1e-400",
                           "-1e-999999999999",
                           "9007199254740993",
                           "9007199254740992",
                           "9007199254740991",
                           "9007199254740995e22",
                           "1e22",
                           "1e23",
                           "123456789012345e22",
                           "123456789012345e-22",
                           "1234567890123456e22",
                           "999999999999999999",
                           "9999999999999999999",
                           "100000000000000000",
                           "1000000000000000000",
                           "4294967296e10",
                           "4294967295e30"})
    compare(text);
}

TEST(Decimal, RoundsNumbersOfAllSizesToTheNearest) {
  Random random(1);
  for (int i = 0; i < kTexts; ++i) {
    const double x = anyNumber(random);
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random.next() % 25), x);
    compare(text);
    std::snprintf(text, sizeof text, "%.17g", random.uniform() * 20 - 10);
    compare(text);
    std::snprintf(text, sizeof text, "%d.%de%d", static_cast<int>(random.next() % 1000),
                  static_cast<int>(random.next() % 100000),
                  static_cast<int>(random.next() % 60) - 30);
    compare(text);
  }
}

// All digits of what lies in the middle of two neighbours; then a little more, far behind, and a little less.
TEST(Decimal, RoundsTheMiddleOfTwoToEven) {
  Random random(2);
  for (int i = 0; i < kTexts / 20; ++i) {
    const double x = i % 2 == 0 ? std::fabs(anyNumber(random))
                                : 4.9406564584124654e-324 * std::floor(random.uniform() * 1e6);
    // Exactly: x, and the half of its unit. Both have at most 1074 digits behind the point.
    int e = 0;
    const double m = std::frexp(x, &e);
    const int unit = std::max(e - 53, -1074);
    if (unit < -1000 || unit > 900) {
      // The half of the least unit is no double: the digits of the number with a 5 behind will do.
      char text[1200];
      std::snprintf(text, sizeof text, "%.780e", x);
      compare(text);
      continue;
    }
    const std::string sum = [&] {
      // (2 m + 1) 2^(unit - 1): of 54 bits, written by doubling and halving a string of digits.
      const auto twice = 2 * static_cast<std::uint64_t>(std::ldexp(m, e - unit)) + 1;
      std::string digits = std::to_string(twice);
      int behind = 0;
      for (int k = unit - 1; k > 0; --k) {
        int carry = 0;
        for (std::size_t d = digits.size(); d-- > 0;) {
          const int v = 2 * (digits[d] - '0') + carry;
          digits[d] = static_cast<char>('0' + v % 10);
          carry = v / 10;
        }
        if (carry != 0) digits.insert(digits.begin(), '1');
      }
      for (int k = unit - 1; k < 0; ++k) {  // times 5, with the point one further left
        int carry = 0;
        for (std::size_t d = digits.size(); d-- > 0;) {
          const int v = 5 * (digits[d] - '0') + carry;
          digits[d] = static_cast<char>('0' + v % 10);
          carry = v / 10;
        }
        if (carry != 0) digits.insert(digits.begin(), static_cast<char>('0' + carry));
        ++behind;
      }
      return digits + "e-" + std::to_string(behind);
    }();
    compare(sum);
    const std::size_t at = sum.find('e');
    const std::string digits = sum.substr(0, at);
    const int behind = std::stoi(sum.substr(at + 2));
    compare(digits + std::string(900, '0') + "1e-" + std::to_string(behind + 901));
    std::string less = digits;
    less.back() = static_cast<char>(less.back() - 1);  // odd, so its last digit is not 0
    compare(less + std::string(900, '9') + "e-" + std::to_string(behind + 900));
  }
}

void compareWritten(double x, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  EXPECT_EQ(shortDecimal(x, digits), text) << digits;
}

TEST(Decimal, IsWrittenAsByTheLibrary) {
  for (const double x : {0.0,
                         -0.0,
                         1.0,
                         -1.0,
                         10.0,
                         100.0,
                         99999.0,
                         999999.0,
                         9999995.0,
                         999999.5,
                         1e6,
                         123456789.0,
                         0.1,
                         0.0001,
                         0.00001,
                         0.000099999995,
                         0.5,
                         2.5,
                         0.125,
                         1e100,
                         1e-100,
                         1e300,
                         1.7976931348623157e308,
                         2.2250738585072014e-308,
                         4.9406564584124654e-324,
                         1.0 / 3,
                         2.0 / 3,
                         1.25,
                         1.35,
                         100000.5,
                         1000005.0,
                         1000015.0})
    for (int digits = 1; digits <= 17; ++digits) compareWritten(x, digits);
  Random random(3);
  for (int i = 0; i < kTexts / 4; ++i) {
    compareWritten(anyNumber(random), 1 + i % 17);
    compareWritten(random.uniform() * 2000 - 1000, 1 + i % 9);
    compareWritten(std::floor(random.uniform() * 1e7) / 8, 1 + i % 7);
  }
  EXPECT_EQ(shortDecimal(std::numeric_limits<double>::infinity(), 6), "inf");
  EXPECT_EQ(shortDecimal(-std::numeric_limits<double>::infinity(), 6), "-inf");
  EXPECT_EQ(shortDecimal(std::numeric_limits<double>::quiet_NaN(), 6), "nan");
}

}  // namespace
}  // namespace tenon
