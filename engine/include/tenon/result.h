// What a user can cause is returned, never thrown: a value, or the list of everything wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

// A stretch of one source text; the scene keeps the list of its texts. 12 bytes, because every
// authored thing carries one.
struct Place {
  static constexpr std::uint32_t kNowhere = 0xffffffffu;  // made by a program, not read from text
  std::uint32_t file = kNowhere;                          // index into Scene::files
  std::uint32_t offset = 0;                               // [byte]
  std::uint32_t length = 0;                               // [byte]
};

enum class Severity { Error, Warning, Note };
[[nodiscard]] constexpr std::string_view nameOf(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

struct Problem {
  Severity severity = Severity::Error;
  std::string file;     // empty: no text involved
  int line = 0;         // from 1; 0: unknown
  int column = 0;       // from 1, counted in bytes
  std::string excerpt;  // the source line, for the caret
  int width = 1;        // bytes that the caret underlines
  std::string what;     // "unknown joint 'pim'"
  std::string remedy;   // "did you mean 'pin'?"; may be empty
  int cut = 0;          // bytes of a very long line that were left out before the excerpt
};

// `file:line:column: error: what; remedy` and, if the line is known, the line with a caret.
[[nodiscard]] std::string describe(const Problem& problem);

inline bool hasErrors(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& p) { return p.severity == Severity::Error; });
}

// A value, with warnings; or no value, with at least one error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value, std::vector<Problem> warnings = {})
      : value_(std::move(value)), problems_(std::move(warnings)) {}
  Result(std::vector<Problem> problems) : problems_(std::move(problems)) {}

  explicit operator bool() const { return value_.has_value(); }
  [[nodiscard]] bool ok() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::optional<T> value_;
  std::vector<Problem> problems_;
};

}  // namespace tenon
