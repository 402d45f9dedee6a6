// Session: one mechanism being edited, posed, stepped and rewound. The page, the program and scripts talk to it
// in one way: JSON objects go in and come out (docs/session.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

class Session {
 public:
  Session();
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // A command or a question, and its answer. Throws nothing: what runs out of memory is refused.
  [[nodiscard]] std::string run(std::string_view request);

  // For every frame, by solid of the scene: where its frame is, x y z, and its quaternion, x y z w.
  [[nodiscard]] const std::vector<float>& poses();

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// Whether a JSON text is nested deeper than a request may be (64). JSON values are copied and printed by recursion: one
// that is nested 100,000 deep has no room on the stack. To be asked before a text from outside is parsed.
[[nodiscard]] bool nestsTooDeep(std::string_view json);

}  // namespace tenon
