// 64-bit FNV-1a, the hash of states and golden tests.                    [Fowler, Noll, Vo 1991]
//
//   for each byte:  h = (h xor byte)·1099511628211  modulo 2^64,  h = 14695981039346656037 at first
//
// Numbers enter least significant byte first, whatever the host's own order is.
#pragma once

#include <tenon/math.h>

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenon {

class Hash {
 public:
  Hash& addByte(std::uint8_t byte) {
    value_ = (value_ ^ byte) * 1099511628211ull;
    return *this;
  }

  Hash& add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) addByte(static_cast<std::uint8_t>(word >> (8 * i)));
    return *this;
  }

  // The bytes alone: "ab" then "c" hashes like "a" then "bc".
  Hash& add(std::string_view bytes) {
    for (const char c : bytes) addByte(static_cast<std::uint8_t>(c));
    return *this;
  }

  // -0 counts as 0. Precondition: not NaN, whose bits differ between machines.
  Hash& add(double number) {
    assert(!std::isnan(number));
    if (number == 0) number = 0;
    std::uint64_t bits = 0;
    static_assert(sizeof bits == sizeof number);
    std::memcpy(&bits, &number, sizeof bits);
    return add(bits);
  }

  Hash& add(const Vec3& v) { return add(v.x).add(v.y).add(v.z); }

  // q and -q are one rotation: the one whose scalar part is not negative counts.
  Hash& add(const Quat& q) {
    const double s = q.w < 0 ? -1.0 : 1.0;
    return add(s * q.x).add(s * q.y).add(s * q.z).add(s * q.w);
  }

  Hash& add(const Pose& pose) { return add(pose.p).add(pose.q); }

  // An int would fit std::uint64_t and double alike: say which.
  Hash& add(int) = delete;
  Hash& add(const char* text) { return add(std::string_view(text)); }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ull;
};

}  // namespace tenon
