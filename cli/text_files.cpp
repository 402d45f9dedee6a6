#include "text_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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

// A file beside the one that it will replace; gone unless it took its place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : path_((target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string()) {
    descriptor_ = mkstemp(path_.data());
    if (descriptor_ >= 0) removeOnInterrupt(path_);
  }
  ~TemporaryFile() {
    close();
    if (!path_.empty()) unlink(path_.c_str());
    removeOnInterrupt("");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] bool isOpen() const { return descriptor_ >= 0; }

  bool write(std::string_view text) {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }

  bool likeOriginal(const struct stat& original) {
    // Somebody else's file keeps its owner where we may give it away; its permissions in any case.
    if (fchown(descriptor_, original.st_uid, original.st_gid) != 0) errno = 0;
    return fchmod(descriptor_, original.st_mode & 07777u) == 0;
  }

  bool replace(const fs::path& target) {
    if (fsync(descriptor_) != 0 || !close()) return false;
    if (rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  bool close() {
    if (descriptor_ < 0) return true;
    const bool good = ::close(descriptor_) == 0;
    descriptor_ = -1;
    return good;
  }

  std::string path_;
  int descriptor_ = -1;
};

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
  struct stat original = {};
  if (stat(target.c_str(), &original) != 0) return fail(reason());
  if (!S_ISREG(original.st_mode)) return fail("is no ordinary file");
  if (access(target.c_str(), W_OK) != 0) return fail("may not be written: " + reason());

  TemporaryFile temporary(target);
  if (!temporary.isOpen()) return fail("no file can be made beside it: " + reason());
  if (!temporary.write(text) || !temporary.likeOriginal(original)) return fail(reason());
  const Result<std::string> now = readText(target.string());
  if (!now || *now != old) return fail("was changed by somebody else meanwhile");
  if (!temporary.replace(target)) return fail(reason());
  return std::nullopt;
}

struct TextWriter::Target {
  fs::path path;
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
  target_->path = there ? fs::canonical(path_, code) : fs::path(path_);
  struct stat& original = target_->original;
  if (there) {
    if (stat(target_->path.c_str(), &original) != 0) return fail(reason());
    if (access(target_->path.c_str(), W_OK) != 0) return fail(reason());
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    original.st_mode = 0666u & ~mask;
    original.st_uid = geteuid();
    original.st_gid = getegid();
  }
  target_->temporary.emplace(target_->path);
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
      (!target_->temporary->likeOriginal(target_->original) ||
       !target_->temporary->replace(target_->path)))
    fail(reason());
  return problem_;
}

std::optional<Problem> writeText(const std::string& path, const std::string& text) {
  TextWriter writer(path);
  writer.write(text);
  return writer.finish();
}

}  // namespace tenon::cli
