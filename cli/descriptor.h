// Files and folders that are open. What is done through a descriptor is done to what was opened, whatever somebody puts
// meanwhile where the path leads.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tenon::cli {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  [[nodiscard]] bool isOpen() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  bool close() {  // false: what was written may not be there
    return number_ < 0 || ::close(std::exchange(number_, -1)) == 0;
  }

 private:
  int number_ = -1;
};

// A folder, to do things in. Not open: errno says why.
[[nodiscard]] Descriptor openFolder(const std::string& path);
// An entry of a folder, never through a link: a folder to do things in, or a file to read.
[[nodiscard]] Descriptor openFolderIn(const Descriptor& folder, const std::string& name);
[[nodiscard]] Descriptor openFileIn(const Descriptor& folder, const std::string& name);
// The names in a folder, `.` and `..` apart, until `use` says false; none if it may not be read.
void forEachName(const Descriptor& folder, const std::function<bool(const std::string&)>& use);

[[nodiscard]] std::optional<struct stat> statusOf(const Descriptor& descriptor);
[[nodiscard]] std::optional<struct stat> statusIn(const Descriptor& folder,
                                                  const std::string& name);
// All that is left to read. Empty: errno says why; `most` bytes at most, EFBIG if there are more.
[[nodiscard]] std::optional<std::string> readAll(const Descriptor& descriptor, std::size_t most);

}  // namespace tenon::cli
