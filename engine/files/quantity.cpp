// Numbers with units: "30deg" -> 0.5235… rad.
#include "files/syntax.h"

#include "model/problem.h"

#include <tenon/math.h>

#ifdef __EMSCRIPTEN__
#include "math/decimal.h"
#else
#include <fast_float/fast_float.h>
#endif

#include <array>
#include <cmath>

namespace tenon::files {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  double scale;    // to SI: value * scale / divisor
  double divisor;  // 5cm is 5/100, the double nearest to 0.05; 5 * 0.01 is not
};

constexpr std::array<Unit, 20> kUnits{{
    {"m", Dimension::Length, 1, 1},
    {"cm", Dimension::Length, 1, 100},
    {"mm", Dimension::Length, 1, 1000},
    {"km", Dimension::Length, 1000, 1},
    {"in", Dimension::Length, 254, 10000},
    {"ft", Dimension::Length, 3048, 10000},
    {"rad", Dimension::Angle, 1, 1},
    {"deg", Dimension::Angle, kPi, 180},
    {"rev", Dimension::Angle, 2 * kPi, 1},
    {"kg", Dimension::Mass, 1, 1},
    {"g", Dimension::Mass, 1, 1000},
    {"t", Dimension::Mass, 1000, 1},
    {"lb", Dimension::Mass, 45359237, 100000000},
    {"s", Dimension::Time, 1, 1},
    {"ms", Dimension::Time, 1, 1000},
    {"min", Dimension::Time, 60, 1},
    {"N", Dimension::Force, 1, 1},
    {"kN", Dimension::Force, 1000, 1},
    {"Hz", Dimension::Frequency, 1, 1},
    {"rpm", Dimension::Frequency, 1, 60},
}};

// Behind the number, or `begin` where there is none. A plus is no part of a number.
const char* readNumber(const char* begin, const char* end, double& value) {
#ifdef __EMSCRIPTEN__
  return readDecimal(begin, end, value);
#else
  const auto read = fast_float::from_chars(begin, end, value);
  return read.ec == std::errc::invalid_argument ? begin : read.ptr;
#endif
}

}  // namespace

bool readQuantity(std::string_view text, Quantity& quantity, std::string& error) {
  const char* const begin = text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
  double value = 0;
  const char* const behind = readNumber(begin, text.data() + text.size(), value);
  const auto used = static_cast<std::size_t>(behind - text.data());
  if (behind == begin) {
    error = quoted(text) + " is not a number";
    return false;
  }
  if (!std::isfinite(value)) {
    error = "the number " + quoted(text) + " is out of range";
    return false;
  }
  quantity = {value, Dimension::None};
  if (used == text.size()) return true;

  const std::string_view name = text.substr(used);
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    quantity.dimension = unit.dimension;
    quantity.value = value * unit.scale / unit.divisor;
    if (std::isfinite(quantity.value)) return true;
    error = "the number " + quoted(text) + " is out of range";
    return false;
  }
  error = "unknown unit " + quoted(name) + " in " + quoted(text);
  std::vector<std::string> known;
  std::string all;
  for (const Unit& unit : kUnits) {
    known.emplace_back(unit.name);
    all += ' ';
    all += unit.name;
  }
  const std::string near = nearestWord(std::string(name), known);
  error += near.empty() ? "; units are" + all : "; did you mean " + quoted(near) + "?";
  return false;
}

}  // namespace tenon::files
