// Messages: where a problem is, how it is shown, and which word was probably meant.
#include "model/problem.h"

#include <tenon/scene.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace tenon {
namespace {

constexpr std::size_t kExcerptBytes = 160;  // a line longer than this is cut around the caret
constexpr std::size_t kQuotedBytes = 48;
constexpr std::size_t kCandidates = 10'000;  // a "did you mean" is not worth more time than this
constexpr std::size_t kWordBytes = 48;

// The bytes as they can be shown on a terminal and stored in JSON: one byte stays one byte, so
// that columns keep their meaning.
std::string shown(std::string_view bytes) {
  std::string out(bytes);
  for (std::size_t i = 0; i < out.size();) {
    const auto c = static_cast<unsigned char>(out[i]);
    if (c == '\t' || (c >= 0x20 && c < 0x7f)) {
      ++i;
    } else if (const std::size_t n = utf8Length(bytes, i); c >= 0x80 && n > 0) {
      i += n;
    } else {
      out[i++] = '?';
    }
  }
  return out;
}

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '_' ? '-' : c;
}

std::string folded(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = folded(c);
  return out;
}

// Edits (insert, delete, replace, swap of neighbours) from `a` to `b`; more than `bound` counts as
// bound + 1.
std::size_t editDistance(std::string_view a, std::string_view b, std::size_t bound) {
  std::array<std::array<std::uint8_t, kWordBytes + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = static_cast<std::uint8_t>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& above2 = rows[(i + 1) % 3];
    row[0] = static_cast<std::uint8_t>(i);
    std::size_t best = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      int d = std::min(above[j], row[j - 1]) + 1;
      d = std::min(d, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d = std::min(d, above2[j - 2] + 1);
      row[j] = static_cast<std::uint8_t>(d);
      best = std::min<std::size_t>(best, row[j]);
    }
    if (best > bound) return bound + 1;
  }
  return rows[a.size() % 3][b.size()];
}

int clampedInt(std::size_t n) {
  return static_cast<int>(std::min<std::size_t>(n, std::numeric_limits<int>::max()));
}

}  // namespace

std::size_t utf8Length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned c = byte(at);
  if (at >= text.size()) return 0;
  if (c < 0x80) return 1;
  const std::size_t n = c >= 0xc2 && c <= 0xdf   ? 2
                        : c >= 0xe0 && c <= 0xef ? 3
                        : c >= 0xf0 && c <= 0xf4 ? 4
                                                 : 0;
  if (n == 0 || at + n > text.size()) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if (!isContinuation(text[at + i])) return 0;
  const unsigned second = byte(at + 1);  // overlong forms, surrogates, past U+10FFFF
  if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) ||
      (c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f))
    return 0;
  return n;
}

std::string quoted(std::string_view word) {
  if (word.size() <= kQuotedBytes) return "'" + shown(word) + "'";
  std::size_t n = kQuotedBytes;
  while (n > 0 && isContinuation(word[n])) --n;
  return "'" + shown(word.substr(0, n)) + "…'";
}

LineColumn lineAt(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  LineColumn at;
  std::size_t lines = 1;
  const char* const begin = text.data();
  const bool lone = offset > 0 && std::memchr(begin, '\r', offset) != nullptr;
  for (std::size_t i = 0; i < offset;) {
    if (!lone) {  // the common case at the speed of memchr
      const void* hit = std::memchr(begin + i, '\n', offset - i);
      if (hit == nullptr) break;
      i = static_cast<std::size_t>(static_cast<const char*>(hit) - begin) + 1;
    } else {
      const char c = text[i++];
      const bool ends = c == '\n' || (c == '\r' && (i >= text.size() || text[i] != '\n'));
      if (!ends) continue;
    }
    ++lines;
    at.lineStart = i;
  }
  at.line = clampedInt(lines);
  at.column = clampedInt(offset - at.lineStart + 1);
  return at;
}

Problem problemIn(std::string_view fileName, std::string_view text, std::size_t offset,
                  std::size_t length, Severity severity, std::string what, std::string remedy) {
  offset = std::min(offset, text.size());
  const LineColumn at = lineAt(text, offset);
  // Not to the end of a line of 64 MB: what is further away is not shown.
  std::size_t lineEnd = std::min(text.size(), offset + kExcerptBytes + 8);
  lineEnd = std::min(lineEnd, text.substr(0, lineEnd).find_first_of("\r\n", offset));

  std::size_t begin = at.lineStart, end = lineEnd;
  if (end - begin > kExcerptBytes) {
    if (offset - begin > kExcerptBytes / 2) begin = offset - kExcerptBytes / 2;
    end = std::min(end, begin + kExcerptBytes);
    while (begin < offset && isContinuation(text[begin])) ++begin;
    while (end > offset && end < text.size() && isContinuation(text[end])) --end;
  }

  Problem p;
  p.severity = severity;
  p.file = std::string(fileName);
  p.line = at.line;
  p.column = at.column;
  p.excerpt = shown(text.substr(begin, end - begin));
  p.cut = clampedInt(begin - at.lineStart);
  p.width = clampedInt(std::max<std::size_t>(1, std::min(length, end - offset)));
  p.what = std::move(what);
  p.remedy = std::move(remedy);
  return p;
}

Problem problemAt(const std::vector<SourceFile>& files, const Place& place, Severity severity,
                  std::string what, std::string remedy) {
  if (place.file < files.size()) {
    const SourceFile& file = files[place.file];
    return problemIn(file.name, file.text, place.offset, place.length, severity, std::move(what),
                     std::move(remedy));
  }
  Problem p;
  p.severity = severity;
  p.what = std::move(what);
  p.remedy = std::move(remedy);
  return p;
}

std::string describe(const Problem& problem) {
  std::string out;
  if (!problem.file.empty()) {
    out += shown(problem.file) + ":";
    if (problem.line > 0) {
      out += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ":";
    }
    out += " ";
  }
  out += nameOf(problem.severity);
  out += ": ";
  out += problem.what;
  if (!problem.remedy.empty()) out += "; " + problem.remedy;
  out += "\n";
  if (problem.line <= 0 || problem.excerpt.empty()) return out;

  // The line under it repeats tabs, so that the caret stands right whatever a tab's width is.
  const std::string_view line = problem.excerpt;
  const auto column = static_cast<std::size_t>(std::max(problem.column - 1 - problem.cut, 0));
  const std::size_t caret = std::min(column, line.size());
  const auto width = static_cast<std::size_t>(std::max(problem.width, 1));
  const std::string_view prefix = problem.cut > 0 ? "  …" : "  ";
  out += std::string(prefix) + std::string(line) + "\n";
  out += problem.cut > 0 ? "   " : "  ";
  for (std::size_t i = 0; i < caret; ++i)
    if (!isContinuation(line[i])) out += line[i] == '\t' ? '\t' : ' ';
  out += '^';
  for (std::size_t i = caret + 1; i < std::min(line.size(), caret + width); ++i)
    if (!isContinuation(line[i])) out += '~';
  out += "\n";
  return out;
}

std::string nearestWord(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kWordBytes) return {};
  const std::string sought = folded(word);
  // One slip in a short word, two or three in a long one.
  std::size_t best = sought.size() < 3 ? 1 : sought.size() < 6 ? 2 : 3;
  if (sought.size() == 1) best = 0;
  std::string found;
  const std::string* longer = nullptr;  // a word that begins like this one
  bool several = false;
  std::size_t left = kCandidates;
  for (const std::string& candidate : candidates) {
    if (left-- == 0) break;
    if (candidate.empty() || candidate.size() > kWordBytes || candidate == word) continue;
    const std::string other = folded(candidate);
    if (sought.size() >= 3 && other.size() > sought.size() &&
        other.compare(0, sought.size(), sought) == 0) {
      several = longer != nullptr;
      longer = &candidate;
    }
    const std::size_t difference =
        other.size() > sought.size() ? other.size() - sought.size() : sought.size() - other.size();
    if (difference > best) continue;
    const std::size_t d = editDistance(sought, other, best);
    // Half of the letters must be right, or nothing was recognised.
    if (d > best || 2 * d > std::max(sought.size(), other.size())) continue;
    if (d < best || found.empty()) found = candidate;
    best = d;
    if (d == 0) break;
  }
  if (found.empty() && longer != nullptr && !several) return *longer;
  return found;
}

}  // namespace tenon
