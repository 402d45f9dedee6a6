// Whole texts from and to the disk, so that nothing of the user's is ever lost.
#pragma once

#include <tenon/result.h>

#include <optional>
#include <string>

namespace tenon::cli {

inline constexpr const char* kStandardInput = "-";
inline constexpr const char* kShownStandardInput = "stdin";  // in messages

// A file, or standard input for "-".
[[nodiscard]] Result<std::string> readText(const std::string& path);

// Replaces a file's text by a rename, so that a reader, a crash or Ctrl-C meets the old text or the
// new one, nothing between. Links are followed, permissions kept. Refuses if the file no longer
// holds `old`, because somebody else has written it meanwhile. Empty if all went well.
[[nodiscard]] std::optional<Problem> replaceText(const std::string& path, const std::string& old,
                                                 const std::string& text);

// Writes a file, new or not, whole or not at all. What is no ordinary file (a pipe, /dev/null) is
// written as it is. Empty if all went well.
[[nodiscard]] std::optional<Problem> writeText(const std::string& path, const std::string& text);

}  // namespace tenon::cli
