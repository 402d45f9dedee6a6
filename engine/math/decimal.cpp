// D · 10^e as a fraction of two whole numbers of any length; then bit by bit, as by hand.
#include "math/decimal.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tenon {
namespace {

// A double that lies in the middle of two has at most 767 digits that count; a 1 stands for all behind them.
constexpr int kDigits = 780;
constexpr int kLargest = 310;    // from 10^310 on all is infinite
constexpr int kSmallest = -330;  // below 10^-330 all is zero

constexpr std::uint64_t kInfinite = std::uint64_t{0x7ff} << 52;  // its bits

// The largest: 10^(kDigits - kSmallest), 3688 bits.
struct Whole {
  static constexpr int kMost = 120;
  std::array<std::uint32_t, kMost> word{};  // the lowest first
  int size = 0;                             // the highest is not zero

  void multiplyAdd(std::uint32_t factor, std::uint32_t add) {
    std::uint64_t carry = add;
    for (int i = 0; i < size; ++i) {
      carry += std::uint64_t{word[static_cast<std::size_t>(i)]} * factor;
      word[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) word[static_cast<std::size_t>(size++)] = static_cast<std::uint32_t>(carry);
  }
  void shift(int bits) {
    for (; bits > 16; bits -= 16) multiplyAdd(1u << 16, 0);
    multiplyAdd(1u << bits, 0);
  }
  [[nodiscard]] int bits() const {
    int count = 32 * size;
    for (std::uint32_t top = word[static_cast<std::size_t>(size - 1)]; (top >> 31) == 0; top <<= 1)
      --count;
    return count;
  }
  void subtract(const Whole& b) {  // b <= *this
    std::int64_t carry = 0;
    for (int i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      carry += std::int64_t{word[at]} - (i < b.size ? std::int64_t{b.word[at]} : 0);
      word[at] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    while (size > 0 && word[static_cast<std::size_t>(size - 1)] == 0) --size;
  }
};

Whole wholeOf(std::uint64_t number) {
  Whole whole;
  for (; number != 0; number >>= 32)
    whole.word[static_cast<std::size_t>(whole.size++)] = static_cast<std::uint32_t>(number);
  return whole;
}
Whole tenTimes(Whole whole) {
  whole.multiplyAdd(10, 0);
  return whole;
}

// Below, at or above zero: a < b, a = b, a > b.
int compare(const Whole& a, const Whole& b) {
  if (a.size != b.size) return a.size - b.size;
  for (int i = a.size - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (a.word[at] != b.word[at]) return a.word[at] < b.word[at] ? -1 : 1;
  }
  return 0;
}

// a · 10^e, a > 0. The bits of a / b · 2^exponent, 1 <= a / b < 2, come out one after the other.
double rounded(Whole& a, int e) {
  Whole b = wholeOf(1);
  for (Whole& scaled = e < 0 ? b : a; e != 0; e += e < 0 ? 1 : -1) scaled.multiplyAdd(10, 0);
  int exponent = a.bits() - b.bits();
  if (exponent > 0) b.shift(exponent);
  if (exponent < 0) a.shift(-exponent);
  if (compare(a, b) < 0) {
    a.multiplyAdd(2, 0);
    --exponent;
  }
  int wanted = 53;
  if (exponent < -1022) wanted += exponent + 1022;  // a subnormal number has fewer
  if (wanted < 0) return 0;
  std::uint64_t bits = 0;
  for (int i = 0; i < wanted; ++i) {
    bits *= 2;
    if (compare(a, b) >= 0) {
      a.subtract(b);
      ++bits;
    }
    a.multiplyAdd(2, 0);
  }
  const int rest = compare(a, b);  // of twice the rest
  if (rest > 0 || (rest == 0 && (bits & 1) != 0)) ++bits;
  // What is carried goes into the exponent, and from the subnormal numbers into the others.
  if (wanted == 53) bits += static_cast<std::uint64_t>(exponent + 1022) << 52;
  if (bits > kInfinite) bits = kInfinite;
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool startsAs(const char* begin, const char* end, const char* word) {
  if (end - begin < 3) return false;
  for (int i = 0; i < 3; ++i)
    if ((begin[i] | 0x20) != word[i]) return false;
  return true;
}

}  // namespace

const char* readDecimal(const char* begin, const char* end, double& value) {
  const char* p = begin;
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  if (startsAs(p, end, "inf") || startsAs(p, end, "nan")) {
    value = negative ? -std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::infinity();
    return p + 3;
  }

  Whole digits;
  std::uint64_t low = 0;  // the same number, as long as it is below 10^18
  int count = 0;          // of digits that count
  std::int64_t e = 0;
  bool any = false, behind = false;
  for (; p != end; ++p) {
    if (*p == '.' && !behind) {
      behind = true;
      continue;
    }
    if (!isDigit(*p)) break;
    any = true;
    if (behind) --e;
    const auto digit = static_cast<std::uint32_t>(*p - '0');
    if (count == 0 && digit == 0) continue;
    if (count < kDigits) {
      ++count;
      if (count <= 18)
        low = 10 * low + digit;
      else
        digits.multiplyAdd(10, digit);
    } else {
      ++e;
      if (digit != 0) digits.word[0] |= 1;
    }
    if (count == 18 && digits.size == 0) digits = wholeOf(low);
  }
  if (!any) return begin;
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    const bool minus = q != end && *q == '-';
    if (q != end && (*q == '-' || *q == '+')) ++q;
    if (q != end && isDigit(*q)) {
      std::int64_t exponent = 0;
      for (; q != end && isDigit(*q); ++q)
        if (exponent < 0x10000000) exponent = 10 * exponent + (*q - '0');
      e += minus ? -exponent : exponent;
      p = q;
    }
  }

  double size = 0;
  if (count == 0 || count + e < kSmallest) {
    size = 0;
  } else if (count + e > kLargest) {
    size = std::numeric_limits<double>::infinity();
  } else if (count <= 15 && e >= -22 && e <= 22) {  // both exact: one rounding
    double power = 1;
    for (std::int64_t i = e < 0 ? -e : e; i > 0; --i) power *= 10;
    size = e < 0 ? static_cast<double>(low) / power : static_cast<double>(low) * power;
  } else {
    if (count < 18) digits = wholeOf(low);
    size = rounded(digits, static_cast<int>(e));
  }
  value = negative ? -size : size;
  return p;
}

std::string shortDecimal(double value, int digits) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  std::string text = (bits >> 63) != 0 ? "-" : "";
  bits &= ~(std::uint64_t{1} << 63);
  if (bits >= kInfinite) return text + (bits == kInfinite ? "inf" : "nan");
  if (bits == 0) return text + "0";

  // The number is a / b · 10^e; then 1 <= a / b < 10.
  const int raised = static_cast<int>(bits >> 52);
  if (raised != 0) bits = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const int binary = (raised != 0 ? raised : 1) - 1075;
  Whole a = wholeOf(bits), b = wholeOf(1);
  (binary < 0 ? b : a).shift(binary < 0 ? -binary : binary);
  int e = 0;
  for (; compare(a, b) < 0; --e) a.multiplyAdd(10, 0);
  for (Whole ten = tenTimes(b); compare(a, ten) >= 0; ten = tenTimes(b)) {
    b = ten;
    ++e;
  }

  std::string found;
  for (int i = 0; i < digits; ++i) {
    char digit = '0';
    for (; compare(a, b) >= 0; ++digit) a.subtract(b);
    found += digit;
    a.multiplyAdd(10, 0);
  }
  b.multiplyAdd(5, 0);
  const int rest = compare(a, b);
  if (rest > 0 || (rest == 0 && (found.back() & 1) != 0)) {
    std::size_t at = found.size();
    while (at > 0 && found[at - 1] == '9') found[--at] = '0';
    if (at > 0) {
      ++found[at - 1];
    } else {
      found[0] = '1';  // the others are 0
      ++e;
    }
  }
  while (found.size() > 1 && found.back() == '0') found.pop_back();

  const bool scientific = e < -4 || e >= digits;
  const int before = scientific ? 1 : e + 1;  // digits before the point
  if (before <= 0) found.insert(0, static_cast<std::size_t>(1 - before), '0');
  const auto whole = static_cast<std::size_t>(before > 0 ? before : 1);
  if (found.size() < whole) found.append(whole - found.size(), '0');
  if (found.size() > whole) found.insert(whole, 1, '.');
  text += found;
  if (scientific) {
    const int size = e < 0 ? -e : e;
    text += e < 0 ? "e-" : "e+";
    if (size < 10) text += '0';
    text += std::to_string(size);
  }
  return text;
}

}  // namespace tenon

#ifdef __EMSCRIPTEN__
// strtod of the C library computes in numbers of 128 bits, by functions that nothing else would need; where the linker is
// told --wrap=strtod, this takes its place. Who calls (the reader of JSON) has looked at the text before.
extern "C" double __wrap_strtod(const char* text, char** end);
extern "C" double __wrap_strtod(const char* text, char** end) {
  double value = 0;
  const char* const behind = tenon::readDecimal(text, text + std::strlen(text), value);
  if (end != nullptr) *end = const_cast<char*>(behind);
  return value;
}
#endif
