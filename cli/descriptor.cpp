#include "descriptor.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>

namespace tenon::cli {

Descriptor openFolder(const std::string& path) {
  return Descriptor(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Descriptor openFolderIn(const Descriptor& folder, const std::string& name) {
  return Descriptor(
      openat(folder.number(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Descriptor openFileIn(const Descriptor& folder, const std::string& name) {
  // Without O_NONBLOCK a pipe would keep us waiting for who writes into it.
  return Descriptor(openat(folder.number(), name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

void forEachName(const Descriptor& folder, const std::function<bool(const std::string&)>& use) {
  Descriptor readable(openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> names(
      readable.isOpen() ? fdopendir(dup(readable.number())) : nullptr, &closedir);
  if (names == nullptr) return;
  while (const dirent* entry = readdir(names.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !use(name)) return;
  }
}

std::optional<struct stat> statusOf(const Descriptor& descriptor) {
  struct stat status = {};
  if (fstat(descriptor.number(), &status) != 0) return std::nullopt;
  return status;
}

std::optional<struct stat> statusIn(const Descriptor& folder, const std::string& name) {
  struct stat status = {};
  if (fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return status;
}

std::optional<std::string> readAll(const Descriptor& descriptor, std::size_t most) {
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t n = read(descriptor.number(), piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) return text;
    if (static_cast<std::size_t>(n) > most - text.size()) {
      errno = EFBIG;
      return std::nullopt;
    }
    text.append(piece, static_cast<std::size_t>(n));
  }
}

}  // namespace tenon::cli
