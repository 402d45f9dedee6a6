// The terminal: colour, a line of progress, Ctrl-C.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tenon::cli {

// On a terminal that wants colour (NO_COLOR, TERM=dumb say no), else the text as it is.
enum class Ink { Red, Yellow, Green, Bold };
[[nodiscard]] std::string inkOnStderr(Ink ink, std::string_view text);
[[nodiscard]] std::string inkOnStdout(Ink ink, std::string_view text);
[[nodiscard]] std::string errorLabel();  // "error: "

// Ctrl-C and SIGTERM end the program at once: exit code 130 or 143, the line of progress wiped, a
// temporary file removed. A file that is being replaced is either the old one or the new one.
void dieCleanlyOnInterrupt();
// Of an open folder. One at a time; "": none.
void removeOnInterrupt(int folder, const std::string& name);

// While it exists, Ctrl-C and SIGTERM end nothing; they are noted, so that a long computation can end
// well. One inside another notes the same.
class NotedInterrupt {
 public:
  NotedInterrupt();
  ~NotedInterrupt();
  NotedInterrupt(const NotedInterrupt&) = delete;
  NotedInterrupt& operator=(const NotedInterrupt&) = delete;
  [[nodiscard]] bool came() const;

 private:
  void (*beforeInterrupt_)(int);
  void (*beforeTermination_)(int);
};
// What the shell sees of a command that ended well by such a signal: 130, or 143.
[[nodiscard]] int exitCodeOfInterrupt();

// Says on stderr what takes long, from half a second on, if stderr is a terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void now(std::string what);    // "reading s1.tenon"
  void part(std::string which);  // of several things to do, said before what is done: "2 of 9: "

 private:
  void show();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::string part_, what_;
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tenon::cli
