#include "draw/svg.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tenon {
namespace {

long inHundredths(double pixels) {
  if (!std::isfinite(pixels)) return 0;
  return static_cast<long>(std::floor(100 * std::clamp(pixels, -1e6, 1e6) + 0.5));
}

// Bytes of the UTF-8 sequence at `at` that XML allows, or 0.
std::size_t allowedSequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80u) return 0;
    code = code << 6u | (byte(at + i) & 0x3fu);
  }
  const std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool none = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return code < least[length] || surrogate || none ? 0 : length;
}

void appendNumber(std::string& out, long hundredthsOfPixel) {
  const std::string text = hundredths(hundredthsOfPixel);
  const char last = out.empty() ? 'M' : out.back();
  if (text[0] != '-' && (last == '.' || (last >= '0' && last <= '9'))) out += ' ';
  out += text;
}

}  // namespace

Dot dotOf(const Vec3& sheet, int height) {
  return {inHundredths(sheet.x), inHundredths(height - sheet.y)};
}

std::string hundredths(long n) {
  std::string text = n < 0 ? "-" : "";
  const long size = n < 0 ? -n : n;
  const long whole = size / 100, rest = size % 100;
  if (whole > 0 || rest == 0) text += std::to_string(whole);
  if (rest > 0) {
    text += '.';
    text += static_cast<char>('0' + rest / 10);
    if (rest % 10 > 0) text += static_cast<char>('0' + rest % 10);
  }
  return size == 0 ? "0" : text;
}

std::string number(double pixels) { return hundredths(inHundredths(pixels)); }

std::string hexColour(std::uint32_t rgb) {
  std::string text = "#";
  for (int shift = 20; shift >= 0; shift -= 4) text += "0123456789abcdef"[rgb >> shift & 0xfu];
  return text;
}

void appendPath(std::string& path, const std::vector<Dot>& dots, bool closed) {
  if (dots.empty()) return;
  path += 'M';
  appendNumber(path, dots[0].x);
  appendNumber(path, dots[0].y);
  for (std::size_t i = 1; i < dots.size(); ++i) {
    if (i == 1) path += 'l';
    appendNumber(path, dots[i].x - dots[i - 1].x);
    appendNumber(path, dots[i].y - dots[i - 1].y);
  }
  if (closed) path += 'z';
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = allowedSequence(text, at);
    if (length == 0)
      out += "\xef\xbf\xbd";
    else if (text[at] == '<')
      out += "&lt;";
    else if (text[at] == '>')
      out += "&gt;";
    else if (text[at] == '&')
      out += "&amp;";
    else if (text[at] == '"')
      out += "&quot;";
    else
      out += text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

}  // namespace tenon
