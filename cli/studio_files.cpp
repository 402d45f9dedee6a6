#include "studio_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
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
// saves still look twice (replaceTextIn).
class SavingLock {
 public:
  explicit SavingLock(const Descriptor& folder)
      : file_(openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    for (int i = 0; i < 100 && file_.isOpen(); ++i) {
      if (flock(file_.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    busy_ = file_.isOpen();
  }
  [[nodiscard]] bool busy() const { return busy_; }  // somebody else has it for too long

 private:
  Descriptor file_;
  bool busy_ = false;
};

// A new file, in one piece, and never in the place of one that somebody else has just made.
FileAnswer create(const Descriptor& folder, const std::string& name, const std::string& text) {
  const int error = createTextIn(folder, name, text);
  if (error == EEXIST) return failing(FileOutcome::Changed, "a file of this name exists already");
  if (error != 0) return failing(FileOutcome::Failed, std::strerror(error));
  return {FileOutcome::Created, "", tagOf(text)};
}

// The text of a file in a folder.
FileAnswer readIn(const Descriptor& folder, const std::string& name) {
  const Descriptor file = openFileIn(folder, name);
  if (!file.isOpen())
    return errno == ENOENT || errno == ELOOP
               ? failing(FileOutcome::NotThere, "there is no such file")
               : failing(FileOutcome::Failed,
                         std::string("cannot be read: ") + std::strerror(errno));
  const auto status = statusOf(file);
  if (!status || !S_ISREG(status->st_mode))
    return failing(FileOutcome::NotThere, "it is not an ordinary file");
  auto text = readAll(file, SceneFolder::kLargestFile);
  if (!text)
    return errno == EFBIG ? failing(FileOutcome::TooLarge, "it is larger than 16 MiB")
                          : failing(FileOutcome::Failed,
                                    std::string("cannot be read: ") + std::strerror(errno));
  std::string tag = tagOf(*text);
  return {FileOutcome::Done, std::move(*text), std::move(tag)};
}

std::vector<std::string> partsOf(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  return parts;
}

}  // namespace

// Goes from open folder to open folder, and reads links itself: what is exchanged on the way for something else leads to
// something else within the folder, and never out of it. `..` goes back to the folder that it came from.
class SceneFolder::Walk {
 public:
  Walk(const SceneFolder& served, const std::string& path) : served_(served) {
    for (std::string& part : partsOf(path)) todo_.push_back({std::move(part), false});
  }

  Found go() {
    constexpr int kMostLinks = 40;
    Step step;
    for (int links = 0; !todo_.empty();) {
      step = std::move(todo_.front());
      todo_.pop_front();
      if (!outside_.empty() || step.name == "..") {
        goOutside(step.name);
        continue;
      }
      if (!isPlainName(step.name)) return {Found::Kind::Outside};
      // O_PATH opens a link itself, and what may not be read.
      const Descriptor entry(
          openat(folder().number(), step.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      const auto status = entry.isOpen() ? statusOf(entry) : std::nullopt;
      if (!status) return missing(step);
      if (S_ISLNK(status->st_mode)) {
        if (++links > kMostLinks || !follow(entry)) return {Found::Kind::NotThere};
      } else if (S_ISDIR(status->st_mode)) {
        Descriptor next = openFolderIn(folder(), step.name);
        if (!next.isOpen()) return missing(step);
        below_.push_back(std::move(next));
      } else if (!todo_.empty()) {
        return {Found::Kind::NoFolder};
      } else {
        return found(Found::Kind::Entry, step.name, *status);
      }
    }
    return {outside_.empty() ? Found::Kind::NotThere : Found::Kind::Outside};  // a folder
  }

 private:
  struct Step {
    std::string name;
    bool linked = false;  // a link says so
  };

  [[nodiscard]] const Descriptor& folder() const {
    return below_.empty() ? served_.open_ : below_.back();
  }

  Found found(Found::Kind kind, std::string name, const struct stat& status) {
    return {kind, openFolderIn(folder(), "."), std::move(name), status};
  }

  Found missing(const Step& step) {
    if (!todo_.empty()) return {Found::Kind::NoFolder};
    if (step.linked || errno != ENOENT) return {Found::Kind::NotThere};
    return found(Found::Kind::New, step.name, {});
  }

  bool follow(const Descriptor& link) {
    char text[PATH_MAX];
    const ssize_t size = readlinkat(link.number(), "", text, sizeof text);
    if (size <= 0 || static_cast<std::size_t>(size) == sizeof text) return false;
    const std::string_view target(text, static_cast<std::size_t>(size));
    const std::vector<std::string> parts = partsOf(target);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) todo_.push_front({*part, true});
    if (target.front() == '/') {
      below_.clear();
      outside_ = {"/"};
    }
    return true;
  }

  // A link may leave the folder and come back to it, which only its own path does. Nothing is opened out there.
  void goOutside(const std::string& name) {
    if (outside_.empty() && !below_.empty()) {
      below_.pop_back();
      return;
    }
    if (outside_.empty()) outside_.assign(served_.folder_.begin(), served_.folder_.end());
    if (name != "..")
      outside_.push_back(name);
    else if (outside_.size() > 1)
      outside_.pop_back();
    if (std::equal(outside_.begin(), outside_.end(), served_.folder_.begin(), served_.folder_.end(),
                   [](const std::string& a, const fs::path& b) { return a == b.native(); }))
      outside_.clear();
  }

  const SceneFolder& served_;
  std::deque<Step> todo_;
  std::vector<Descriptor> below_;     // open folders, from the one that is served downwards
  std::vector<std::string> outside_;  // parts of the path, where a link has left it
};

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

SceneFolder::SceneFolder(const fs::path& folder)
    : folder_(fs::canonical(folder)), open_(openFolder(folder_.string())) {
  std::size_t seen = 0;
  clear(open_, 0, seen);
}

SceneFolder::Found SceneFolder::find(const std::string& path) const {
  return Walk(*this, path).go();
}

// Folders that are looked into.
bool SceneFolder::isListed(const std::string& name) {
  return isPlainName(name) && name != "node_modules";
}

void SceneFolder::clear(const Descriptor& folder, int depth, std::size_t& seen) {
  removeLeftovers(folder);
  if (depth >= kDeepest) return;
  forEachName(folder, [&](const std::string& name) {
    if (!isListed(name)) return true;
    const auto status = statusIn(folder, name);
    if (status && S_ISDIR(status->st_mode))
      if (const Descriptor below = openFolderIn(folder, name); below.isOpen())
        clear(below, depth + 1, seen);
    return ++seen < kMostSeen;
  });
}

Listing SceneFolder::list() const {
  Listing listing;
  std::size_t seen = 0;
  listIn(open_, "", 0, seen, listing);
  std::sort(listing.files.begin(), listing.files.end(),
            [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; });
  return listing;
}

void SceneFolder::listIn(const Descriptor& folder, const std::string& prefix, int depth,
                         std::size_t& seen, Listing& listing) const {
  forEachName(folder, [&](const std::string& name) {
    if (++seen > kMostSeen || listing.files.size() >= kMostFiles) {
      listing.complete = false;
      return false;
    }
    if (!isListed(name)) return true;
    std::optional<struct stat> status = statusIn(folder, name);
    if (!status) return true;
    if (S_ISDIR(status->st_mode)) {
      const Descriptor below = depth < kDeepest ? openFolderIn(folder, name) : Descriptor();
      if (depth >= kDeepest)
        listing.complete = false;
      else if (below.isOpen())
        listIn(below, prefix + name + "/", depth + 1, seen, listing);
      return true;
    }
    if (!isSceneName(name)) return true;
    // Links to folders are not followed: they may lead round in circles.
    if (S_ISLNK(status->st_mode)) {
      const Found found = find(prefix + name);
      if (found.kind != Found::Kind::Entry || !isSceneName(found.name)) return true;
      status = found.status;
    }
    if (S_ISREG(status->st_mode))
      listing.files.push_back({prefix + name, static_cast<std::uintmax_t>(status->st_size),
                               static_cast<long long>(status->st_mtime)});
    return true;
  });
}

// A file of another ending is served only if a scene of its folder, or of one above, names it.
bool SceneFolder::isIncluded(const std::string& path) const {
  for (const ListedFile& file : list().files) {
    const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
    if (path.compare(0, folder.size(), folder) != 0 || file.size > kLargestFile) continue;
    const std::string named = "\"" + path.substr(folder.size()) + "\"";
    const Found scene = find(file.path);
    if (scene.kind != Found::Kind::Entry) continue;
    const FileAnswer read = readIn(scene.folder, scene.name);
    if (read.outcome != FileOutcome::Done) continue;
    const std::string& text = read.text;
    for (std::size_t at = text.find(named); at != std::string::npos;
         at = text.find(named, at + 1)) {
      const std::size_t word = at == 0 ? std::string::npos : text.find_last_not_of(" \t", at - 1);
      if (word != std::string::npos && word >= 6 && text.compare(word - 6, 7, "include") == 0)
        return true;
    }
  }
  return false;
}

// What is asked for and what it leads to are scenes, or a scene includes it.
FileAnswer SceneFolder::readFound(const std::string& path, const Found& found) const {
  if ((!isSceneName(path) || !isSceneName(found.name)) && !isIncluded(path))
    return failing(FileOutcome::NotAllowed, "it is not a scene, and no scene includes it");
  return readIn(found.folder, found.name);
}

FileAnswer SceneFolder::read(const std::string& path) const {
  if (!isPlainPath(path))
    return failing(FileOutcome::NotAllowed, "this is not the path of a scene");
  const Found found = find(path);
  if (found.kind == Found::Kind::Outside)
    return failing(FileOutcome::NotAllowed, "the path leads out of the folder");
  if (found.kind != Found::Kind::Entry)
    return failing(FileOutcome::NotThere, "there is no such file");
  return readFound(path, found);
}

FileAnswer SceneFolder::save(const std::string& path, const std::string& text,
                             const SeenTags& seen) const {
  if (!isPlainPath(path) || !isSceneName(path))
    return failing(FileOutcome::NotAllowed,
                   "only scenes can be saved: choose a name that ends in .tenon");
  if (text.size() > kLargestFile) return failing(FileOutcome::TooLarge, "it is larger than 16 MiB");
  const Found found = find(path);
  switch (found.kind) {
    case Found::Kind::NoFolder:
      return failing(FileOutcome::NoFolder, "there is no such folder");
    case Found::Kind::Outside:
      return failing(FileOutcome::NotAllowed, "the path leads out of the folder");
    case Found::Kind::NotThere:
      return failing(FileOutcome::NotThere, "there is no such file");
    case Found::Kind::New:
    case Found::Kind::Entry:
      break;
  }
  const SavingLock lock(found.folder);
  if (lock.busy()) return failing(FileOutcome::Failed, "another program is saving there");
  if (!statusIn(found.folder, found.name)) {
    if (!seen.match.empty()) return failing(FileOutcome::Changed, "the file no longer exists");
    return create(found.folder, found.name, text);
  }
  const FileAnswer now = readFound(path, found);
  if (now.outcome != FileOutcome::Done) return now;
  if (!seen.noneMatch.empty() && namesTag(seen.noneMatch, now.tag, true))
    return failing(FileOutcome::Changed, "a file of this name exists already", now.tag);
  if (seen.match.empty())
    return failing(FileOutcome::NotSaidWhat, "say in If-Match which text this replaces", now.tag);
  if (!namesTag(seen.match, now.tag, false))
    return failing(FileOutcome::Changed, "another program has changed it meanwhile", now.tag);
  // Looks again just before it takes the file's place.
  if (const auto problem = replaceTextIn(found.folder, found.name, now.text, text)) {
    const FileAnswer after = readIn(found.folder, found.name);
    if (after.tag != now.tag) return failing(FileOutcome::Changed, *problem, after.tag);
    return failing(FileOutcome::Failed, *problem);
  }
  return {FileOutcome::Done, "", tagOf(text)};
}

}  // namespace tenon::cli
