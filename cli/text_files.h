// Whole texts from and to the disk, so that nothing of the user's is ever lost.
#pragma once

#include <tenon/result.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "descriptor.h"

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
// The same of a file in a folder that is open, and not through a link. Says what went wrong.
[[nodiscard]] std::optional<std::string> replaceTextIn(const Descriptor& folder,
                                                       const std::string& name,
                                                       const std::string& old,
                                                       const std::string& text);
// A new file, whole or not at all, and never in the place of another. 0, or errno: EEXIST if there is one.
[[nodiscard]] int createTextIn(const Descriptor& folder, const std::string& name,
                               const std::string& text);

// Temporary files that somebody who writes as above has left behind, because he was ended at once. Every writer
// clears the folder that it writes into.
void removeLeftovers(const Descriptor& folder);

// Writes a file, new or not, piece by piece, and yet whole or not at all: it appears when it is
// finished. What is no ordinary file (a pipe, /dev/null) is written as it comes.
class TextWriter {
 public:
  explicit TextWriter(const std::string& path);
  ~TextWriter();
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  // The first thing that went wrong, if any; what is written after it goes nowhere.
  [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }
  void write(std::string_view text);
  [[nodiscard]] std::optional<Problem> finish();

 private:
  void open();
  void flush();
  void fail(const std::string& what);

  struct Target;
  std::string path_, waiting_;
  std::optional<Problem> problem_;
  std::unique_ptr<Target> target_;
};

// The same in one piece. Empty if all went well.
[[nodiscard]] std::optional<Problem> writeText(const std::string& path, const std::string& text);

}  // namespace tenon::cli
