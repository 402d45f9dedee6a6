#include "text_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

#include "report.h"
#include "terminal.h"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

// Names of temporary files: `.scene.tenon.k3x9qa.tenon-part` stands for scene.tenon until it is whole.
constexpr std::string_view kPartEnding = ".tenon-part";
constexpr std::size_t kPartLetters = 6;

std::string partName(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
  constexpr std::size_t kLongest = 200;  // names end at 255
  unsigned char random[kPartLetters] = {};
  if (getrandom(random, sizeof random, 0) < 0) random[0] = static_cast<unsigned char>(getpid());
  std::string part = "." + name.substr(0, kLongest) + ".";
  for (const unsigned char byte : random) part += kLetters[byte % kLetters.size()];
  return part + std::string(kPartEnding);
}

bool isPartName(std::string_view name) {
  constexpr std::size_t kTail = 1 + kPartLetters + kPartEnding.size();
  if (name.size() < kTail + 2 || name.front() != '.') return false;
  const std::string_view tail = name.substr(name.size() - kTail);
  return tail.front() == '.' && tail.substr(1 + kPartLetters) == kPartEnding &&
         tail.substr(1, kPartLetters).find('.') == std::string_view::npos;
}

}  // namespace

// Whoever writes one holds a lock of it, which ends with the program however that ends.
void removeLeftovers(const Descriptor& folder) {
  constexpr time_t kOld = 600;  // [s]; a file system without locks leaves only this to judge by
  const auto isOurs = [](const struct stat& status) {
    return S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           status.st_mtime + kOld < time(nullptr);
  };
  forEachName(folder, [&](const std::string& name) {
    if (!isPartName(name)) return true;
    const Descriptor file = openFileIn(folder, name);
    const auto status = file.isOpen() ? statusOf(file) : std::nullopt;
    if (status && isOurs(*status) && flock(file.number(), LOCK_EX | LOCK_NB) == 0)
      unlinkat(folder.number(), name.c_str(), 0);
    return true;
  });
}

namespace {

// A file beside the one that it will be; gone unless it took its place.
class TemporaryFile {
 public:
  TemporaryFile(const Descriptor& folder, std::string name)
      : folder_(folder), name_(std::move(name)) {
    removeLeftovers(folder);
    for (int i = 0; i < 100 && !file_.isOpen(); ++i) {
      part_ = partName(name_);
      file_ = Descriptor(openat(folder.number(), part_.c_str(),
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
      if (!file_.isOpen() && errno != EEXIST) break;
    }
    if (!file_.isOpen()) return;
    flock(file_.number(), LOCK_EX | LOCK_NB);
    removeOnInterrupt(folder.number(), part_);
  }
  ~TemporaryFile() {
    if (!part_.empty()) unlinkat(folder_.number(), part_.c_str(), 0);
    removeOnInterrupt(-1, "");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] bool isOpen() const { return file_.isOpen(); }

  bool write(std::string_view text) {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(file_.number(), text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }

  bool likeOriginal(const struct stat& original) {
    // Somebody else's file keeps its owner where we may give it away; its permissions in any case.
    if (fchown(file_.number(), original.st_uid, original.st_gid) != 0) errno = 0;
    return fchmod(file_.number(), original.st_mode & 07777u) == 0;
  }

  // In the place of whatever has the name.
  bool replace() {
    if (fsync(file_.number()) != 0 || !file_.close()) return false;
    if (renameat(folder_.number(), part_.c_str(), folder_.number(), name_.c_str()) != 0)
      return false;
    part_.clear();
    return true;
  }

  // Only if nothing has it: else false, and errno is EEXIST.
  bool create() {
    if (fsync(file_.number()) != 0 || !file_.close()) return false;
    const int folder = folder_.number();
    if (renameat2(folder, part_.c_str(), folder, name_.c_str(), RENAME_NOREPLACE) == 0) {
      part_.clear();
      return true;
    }
    // Some file systems cannot promise it.
    if (errno != EINVAL && errno != ENOSYS) return false;
    return linkat(folder, part_.c_str(), folder, name_.c_str(), 0) == 0;
  }

 private:
  const Descriptor& folder_;
  std::string name_, part_;
  Descriptor file_;
};

// What a new file has.
struct stat statusOfNew() {
  const mode_t mask = umask(0);
  umask(mask);
  struct stat status = {};
  status.st_mode = 0666u & ~mask;
  status.st_uid = geteuid();
  status.st_gid = getegid();
  return status;
}

}  // namespace

Result<std::string> readText(const std::string& path) {
  if (path == kStandardInput)
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  const auto fail = [&](std::string what, std::string remedy) {
    return std::vector<Problem>{fileProblem(path, std::move(what), std::move(remedy))};
  };
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found)
    return fail("there is no such file", "check the name");
  if (code) return fail("cannot be read: " + code.message(), "");
  if (status.type() == fs::file_type::directory) return fail("is a folder", "name a file in it");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail("cannot be read: " + reason(), "");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return fail("cannot be read: " + reason(), "");
  return text;
}

std::optional<Problem> replaceText(const std::string& path, const std::string& old,
                                   const std::string& text) {
  const auto fail = [&](const std::string& what) {
    return fileProblem(path, what, "nothing was written");
  };
  std::error_code code;
  const fs::path target = fs::canonical(path, code);
  if (code) return fail(code.message());
  const Descriptor folder = openFolder(target.parent_path().string());
  if (!folder.isOpen()) return fail(reason());
  if (const auto why = replaceTextIn(folder, target.filename().string(), old, text))
    return fail(*why);
  return std::nullopt;
}

std::optional<std::string> replaceTextIn(const Descriptor& folder, const std::string& name,
                                         const std::string& old, const std::string& text) {
  const auto original = statusIn(folder, name);
  if (!original) return reason();
  if (!S_ISREG(original->st_mode)) return "it is not an ordinary file";
  if (faccessat(folder.number(), name.c_str(), W_OK, 0) != 0)
    return "writing is not allowed: " + reason();
  TemporaryFile temporary(folder, name);
  if (!temporary.isOpen()) return "no file can be created beside it: " + reason();
  if (!temporary.write(text) || !temporary.likeOriginal(*original)) return reason();
  const Descriptor there = openFileIn(folder, name);
  const auto now = there.isOpen() ? readAll(there, old.size()) : std::nullopt;
  if (!now || *now != old) return "another program has changed it meanwhile";
  if (!temporary.replace()) return reason();
  return std::nullopt;
}

int createTextIn(const Descriptor& folder, const std::string& name, const std::string& text) {
  TemporaryFile temporary(folder, name);
  const bool good = temporary.isOpen() && temporary.write(text) &&
                    temporary.likeOriginal(statusOfNew()) && temporary.create();
  return good ? 0 : errno;
}

struct TextWriter::Target {
  Descriptor folder;
  struct stat original = {};
  std::optional<TemporaryFile> temporary;
  std::ofstream stream;  // of what is no ordinary file
};

TextWriter::TextWriter(const std::string& path) : path_(path), target_(new Target) { open(); }
TextWriter::~TextWriter() = default;

void TextWriter::fail(const std::string& what) {
  if (!problem_) problem_ = fileProblem(path_, "cannot be written: " + what, "nothing was written");
}

void TextWriter::open() {
  std::error_code code;
  const fs::file_status status = fs::status(path_, code);
  if (status.type() == fs::file_type::directory) return fail("it is a folder");
  const bool there = fs::exists(status);
  if (there && status.type() != fs::file_type::regular) {
    target_->stream.open(path_, std::ios::binary);
    if (!target_->stream) fail(reason());
    return;
  }
  const fs::path path = there ? fs::canonical(path_, code) : fs::path(path_);
  struct stat& original = target_->original;
  if (there) {
    if (stat(path.c_str(), &original) != 0) return fail(reason());
    if (access(path.c_str(), W_OK) != 0) return fail(reason());
  } else {
    original = statusOfNew();
  }
  target_->folder = openFolder(path.has_parent_path() ? path.parent_path().string() : ".");
  if (!target_->folder.isOpen()) return fail(reason());
  target_->temporary.emplace(target_->folder, path.filename().string());
  if (!target_->temporary->isOpen()) fail(reason());
}

void TextWriter::write(std::string_view text) {
  constexpr std::size_t kPiece = 1 << 16;
  waiting_ += text;
  if (waiting_.size() >= kPiece) flush();
}

void TextWriter::flush() {
  if (!problem_) {
    if (!target_->temporary) target_->stream << waiting_ << std::flush;
    if (target_->temporary ? !target_->temporary->write(waiting_) : !target_->stream)
      fail(reason());
  }
  waiting_.clear();
}

std::optional<Problem> TextWriter::finish() {
  flush();
  if (!problem_ && target_->temporary &&
      (!target_->temporary->likeOriginal(target_->original) || !target_->temporary->replace()))
    fail(reason());
  return problem_;
}

std::optional<Problem> writeText(const std::string& path, const std::string& text) {
  TextWriter writer(path);
  writer.write(text);
  return writer.finish();
}

}  // namespace tenon::cli
