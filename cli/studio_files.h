// The folder that `tenon studio` serves: which scenes are in it, their texts, saving them. Nothing
// outside it can be named, whatever a path looks like, and whatever is exchanged for a link meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor.h"

namespace tenon::cli {

// What became of a wish; each is an HTTP status in studio_site.cpp.
enum class FileOutcome {
  Done,
  Created,
  NotAllowed,  // such a path is never served: hidden, no scene, outside
  NotThere,
  NoFolder,  // the folder for a new file is not there
  TooLarge,
  Changed,      // it is no longer what the client has seen
  NotSaidWhat,  // it exists, and the client did not say what it has seen
  Failed,       // the disk
};

struct FileAnswer {
  FileOutcome outcome = FileOutcome::Done;
  std::string text;  // of the file, or why not
  std::string tag;   // of the text that is there now; "" if there is none
};

// What a client says it has seen, from its headers If-Match and If-None-Match.
struct SeenTags {
  std::string match;      // "" if it did not say
  std::string noneMatch;  // "*": the file must be new
};

struct ListedFile {
  std::string path;  // within the folder, with /
  std::uintmax_t size = 0;
  long long modified = 0;  // [s] since 1970
};

struct Listing {
  std::vector<ListedFile> files;  // by path
  bool complete = true;           // false: there were more than are listed
};

// A name for a text: two texts have the same one if they are the same. With its quotes.
[[nodiscard]] std::string tagOf(std::string_view text);
// Does a header If-Match or If-None-Match name the tag? `weak`: W/"x" stands for "x".
[[nodiscard]] bool namesTag(std::string_view header, std::string_view tag, bool weak);

class SceneFolder {
 public:
  static constexpr std::size_t kLargestFile = 16u << 20;  // [byte]

  explicit SceneFolder(const std::filesystem::path& folder);  // must exist

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  [[nodiscard]] Listing list() const;
  [[nodiscard]] FileAnswer read(const std::string& path) const;
  // Whole or not at all. A file that exists is replaced only if it still is what was seen.
  [[nodiscard]] FileAnswer save(const std::string& path, const std::string& text,
                                const SeenTags& seen) const;

 private:
  // What a path leads to.
  struct Found {
    enum class Kind {
      Entry,     // something that is no folder
      New,       // nothing yet, in a folder that is there
      NoFolder,  // the folder is not there
      NotThere,  // a link to nothing, a folder
      Outside,   // out of the folder, or to what is hidden
    };
    Kind kind;
    Descriptor folder = {};  // open, of an entry or what may become one,
    std::string name = {};   // in it
    struct stat status = {};
  };
  class Walk;

  [[nodiscard]] static bool isListed(const std::string& name);
  static void clear(const Descriptor& folder, int depth, std::size_t& seen);
  [[nodiscard]] Found find(const std::string& path) const;
  void listIn(const Descriptor& folder, const std::string& prefix, int depth, std::size_t& seen,
              Listing& listing) const;
  [[nodiscard]] bool isIncluded(const std::string& path) const;
  [[nodiscard]] FileAnswer readFound(const std::string& path, const Found& found) const;

  std::filesystem::path folder_;  // without links
  Descriptor open_;               // the same
};

}  // namespace tenon::cli
