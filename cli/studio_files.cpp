#include "studio_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

#include "report.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;                // folders below the one that is served
constexpr std::size_t kMostFiles = 2000;   // listed
constexpr std::size_t kMostSeen = 50'000;  // entries that are looked at to find them

bool isUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t more = byte < 0x80                   ? 0
                             : byte >= 0xc2 && byte < 0xe0 ? 1
                             : byte >= 0xe0 && byte < 0xf0 ? 2
                             : byte >= 0xf0 && byte < 0xf5 ? 3
                                                           : 4;
    if (more == 4 || i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0u) != 0x80u) return false;
    // No overlong forms, no halves of UTF-16 pairs, nothing beyond U+10FFFF.
    const auto second = more > 0 ? static_cast<unsigned char>(text[i + 1]) : 0u;
    if ((byte == 0xe0 && second < 0xa0) || (byte == 0xed && second >= 0xa0) ||
        (byte == 0xf0 && second < 0x90) || (byte == 0xf4 && second >= 0x90))
      return false;
    i += more + 1;
  }
  return true;
}

// One part of a path: no hidden file, no way up, nothing that prints strangely.
bool isPlainName(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.size() <= 255 && isUtf8(name) &&
         std::none_of(name.begin(), name.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/' || c == '\\';
         });
}

bool isPlainPath(std::string_view path) {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (!isPlainName(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool isSceneName(std::string_view path) {
  constexpr std::string_view kEnding = ".tenon";
  return path.size() > kEnding.size() && path.substr(path.size() - kEnding.size()) == kEnding;
}

FileAnswer failing(FileOutcome outcome, std::string why, std::string tag = {}) {
  return {outcome, std::move(why), std::move(tag)};
}

// While it exists, no other studio saves into the same folder. Where the file system has no locks,
// saves still look twice (replaceText).
class SavingLock {
 public:
  explicit SavingLock(const fs::path& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    for (int i = 0; i < 100 && descriptor_ >= 0; ++i) {
      if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    busy_ = descriptor_ >= 0;
  }
  ~SavingLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  SavingLock(const SavingLock&) = delete;
  SavingLock& operator=(const SavingLock&) = delete;
  [[nodiscard]] bool busy() const { return busy_; }  // somebody else has it for too long

 private:
  int descriptor_;
  bool busy_ = false;
};

// A new file, in one piece, and never in the place of one that somebody else has just made.
FileAnswer create(const fs::path& place, const std::string& text) {
  const fs::path beside = place.parent_path() / ("." + place.filename().string() + "." +
                                                 std::to_string(getpid()) + ".new");
  if (const auto problem = writeText(beside.string(), text))
    return failing(FileOutcome::Failed, problem->what);
  int error = 0;
  if (renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) != 0)
    error = errno;
  // Some file systems cannot promise it.
  if (error == EINVAL || error == ENOSYS) {
    error = 0;
    if (link(beside.c_str(), place.c_str()) != 0) error = errno;
  }
  unlink(beside.c_str());
  if (error == EEXIST) return failing(FileOutcome::Changed, "there is such a file already");
  if (error != 0) return failing(FileOutcome::Failed, std::strerror(error));
  return {FileOutcome::Created, "", tagOf(text)};
}

}  // namespace

std::string tagOf(std::string_view text) {
  // FNV-1a, 64 bits, and the size: against mistakes, not against enemies, who could simply save.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return "\"" + hex(hash) + "-" + std::to_string(text.size()) + "\"";
}

bool namesTag(std::string_view header, std::string_view tag, bool weak) {
  while (!header.empty()) {
    const std::size_t comma = header.find(',');  // our tags have none inside
    std::string_view item = header.substr(0, comma);
    header.remove_prefix(comma == std::string_view::npos ? header.size() : comma + 1);
    while (!item.empty() && (item.front() == ' ' || item.front() == '\t')) item.remove_prefix(1);
    while (!item.empty() && (item.back() == ' ' || item.back() == '\t')) item.remove_suffix(1);
    if (weak && item.substr(0, 2) == "W/") item.remove_prefix(2);
    if (item == "*" || item == tag) return true;
  }
  return false;
}

SceneFolder::SceneFolder(const fs::path& folder) : folder_(fs::canonical(folder)) {}

bool SceneFolder::isWithin(const fs::path& real) const {
  const auto [end, there] = std::mismatch(folder_.begin(), folder_.end(), real.begin(), real.end());
  // A link may lead to another file of the folder, but not to a hidden one.
  return end == folder_.end() && there != real.end() &&
         std::all_of(there, real.end(),
                     [](const fs::path& part) { return isPlainName(part.native()); });
}

Listing SceneFolder::list() const {
  Listing listing;
  std::size_t seen = 0;
  std::error_code code;
  fs::recursive_directory_iterator entry(folder_, fs::directory_options::skip_permission_denied,
                                         code);
  for (const fs::recursive_directory_iterator end; !code && entry != end; entry.increment(code)) {
    if (++seen > kMostSeen || listing.files.size() >= kMostFiles) {
      listing.complete = false;
      break;
    }
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    // Links to folders are not followed: they may lead round in circles.
    if (entry->is_directory(ignored) &&
        (!isPlainName(name) || name == "node_modules" || entry.depth() >= kDeepest)) {
      if (isPlainName(name) && name != "node_modules") listing.complete = false;
      entry.disable_recursion_pending();
      continue;
    }
    if (!isPlainName(name) || !isSceneName(name)) continue;
    if (entry->is_symlink(ignored)) {
      const fs::path real = fs::canonical(entry->path(), ignored);
      if (ignored || !isWithin(real) || !isSceneName(real.native())) continue;
    }
    struct stat status = {};
    if (stat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    listing.files.push_back({entry->path().lexically_relative(folder_).generic_string(),
                             static_cast<std::uintmax_t>(status.st_size),
                             static_cast<long long>(status.st_mtime)});
  }
  std::sort(listing.files.begin(), listing.files.end(),
            [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; });
  return listing;
}

// A file of another ending is served only if a scene of its folder, or of one above, names it.
bool SceneFolder::isIncluded(const std::string& path) const {
  for (const ListedFile& file : list().files) {
    const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
    if (path.compare(0, folder.size(), folder) != 0 || file.size > kLargestFile) continue;
    const std::string named = "\"" + path.substr(folder.size()) + "\"";
    const Result<std::string> text = readText((folder_ / file.path).string());
    if (!text) continue;
    for (std::size_t at = text->find(named); at != std::string::npos;
         at = text->find(named, at + 1)) {
      const std::size_t word = at == 0 ? std::string::npos : text->find_last_not_of(" \t", at - 1);
      if (word != std::string::npos && word >= 6 && text->compare(word - 6, 7, "include") == 0)
        return true;
    }
  }
  return false;
}

FileAnswer SceneFolder::read(const std::string& path) const {
  if (!isPlainPath(path)) return failing(FileOutcome::NotAllowed, "no path of a scene");
  std::error_code code;
  const fs::path real = fs::canonical(folder_ / path, code);
  if (code) return failing(FileOutcome::NotThere, "there is no such file");
  if (!isWithin(real)) return failing(FileOutcome::NotAllowed, "leads out of the folder");
  if ((!isSceneName(path) || !isSceneName(real.native())) && !isIncluded(path))
    return failing(FileOutcome::NotAllowed, "no scene, and no scene includes it");
  struct stat status = {};
  if (stat(real.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return failing(FileOutcome::NotThere, "no ordinary file");
  if (static_cast<std::uintmax_t>(status.st_size) > kLargestFile)
    return failing(FileOutcome::TooLarge, "larger than 16 MiB");
  Result<std::string> text = readText(real.string());
  if (!text) return failing(FileOutcome::Failed, text.problems().front().what);
  std::string tag = tagOf(*text);
  return {FileOutcome::Done, std::move(*text), std::move(tag)};
}

FileAnswer SceneFolder::save(const std::string& path, const std::string& text,
                             const SeenTags& seen) const {
  if (!isPlainPath(path) || !isSceneName(path))
    return failing(FileOutcome::NotAllowed, "only scenes can be saved: a name that ends in .tenon");
  if (text.size() > kLargestFile) return failing(FileOutcome::TooLarge, "larger than 16 MiB");
  const fs::path place = folder_ / path;
  std::error_code code;
  const fs::path target = fs::weakly_canonical(place, code);
  const SavingLock lock(target.parent_path());
  if (lock.busy()) return failing(FileOutcome::Failed, "another program is saving there");
  if (fs::symlink_status(place, code).type() == fs::file_type::not_found) {
    const fs::path parent = fs::canonical(place.parent_path(), code);
    if (code || !fs::is_directory(parent, code))
      return failing(FileOutcome::NoFolder, "there is no such folder");
    if (parent != folder_ && !isWithin(parent))
      return failing(FileOutcome::NotAllowed, "leads out of the folder");
    if (!seen.match.empty()) return failing(FileOutcome::Changed, "there is no such file any more");
    return create(parent / place.filename(), text);
  }
  FileAnswer now = read(path);
  if (now.outcome != FileOutcome::Done) return now;
  if (!seen.noneMatch.empty() && namesTag(seen.noneMatch, now.tag, true))
    return failing(FileOutcome::Changed, "there is such a file already", now.tag);
  if (seen.match.empty())
    return failing(FileOutcome::NotSaidWhat, "say by If-Match which text is replaced", now.tag);
  if (!namesTag(seen.match, now.tag, false))
    return failing(FileOutcome::Changed, "was changed by somebody else meanwhile", now.tag);
  // Looks again just before it takes the file's place.
  if (const auto problem = replaceText(place.string(), now.text, text)) {
    const FileAnswer after = read(path);
    if (after.tag != now.tag) return failing(FileOutcome::Changed, problem->what, after.tag);
    return failing(FileOutcome::Failed, problem->what);
  }
  return {FileOutcome::Done, "", tagOf(text)};
}

}  // namespace tenon::cli
