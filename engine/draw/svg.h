// The words of an SVG: numbers in hundredths of a pixel, paths, colours, escaped text.
#pragma once

#include <tenon/math.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// A place in hundredths of a pixel, y down: what a path is made of.
struct Dot {
  long x = 0, y = 0;
  friend bool operator==(const Dot&, const Dot&) = default;
};

[[nodiscard]] Dot dotOf(const Vec3& sheet, int height);

// 1234 -> "12.34", -50 -> "-.5".
[[nodiscard]] std::string hundredths(long n);
[[nodiscard]] std::string number(double pixels);
[[nodiscard]] std::string hexColour(std::uint32_t rgb);

// "Mx yl dx dy …z": relative, since most steps are short. Open: without the z.
void appendPath(std::string& path, const std::vector<Dot>& dots, bool closed);

// Well-formed whatever the bytes: no UTF-8, or not allowed in XML, becomes U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace tenon
