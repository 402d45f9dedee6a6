#include "terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <iostream>

namespace tenon::cli {
namespace {

bool wantsColour(int descriptor) {
  const char* noColour = getenv("NO_COLOR");
  if (noColour != nullptr && *noColour != '\0') return false;
  const char* terminal = getenv("TERM");
  if (terminal == nullptr || std::strcmp(terminal, "dumb") == 0) return false;
  return isatty(descriptor) != 0;
}

std::string inked(int descriptor, Ink ink, std::string_view text) {
  if (!wantsColour(descriptor)) return std::string(text);
  const char* code = ink == Ink::Red      ? "\033[1;31m"
                     : ink == Ink::Yellow ? "\033[1;33m"
                     : ink == Ink::Green  ? "\033[32m"
                                          : "\033[1m";
  return code + std::string(text) + "\033[0m";
}

constexpr std::string_view kWipeLine = "\r\033[K";

// What the handler of a signal may touch: a handler has no other way to know.
std::atomic<bool> progressShown{false};
std::atomic<bool> writing{false};   // the progress line is being written just now
std::atomic<bool> stopping{false};  // nothing may be written any more
std::atomic<bool> nameSet{false};
std::atomic<int> folderOfName{-1};
char nameToRemove[256];
std::atomic<int> signalNoted{0};

extern "C" void noteInterrupt(int signal) { signalNoted.store(signal); }

extern "C" void onSignal(int signal) {
  if (nameSet.load()) unlinkat(folderOfName.load(), nameToRemove, 0);
  // The progress thread takes no signals (see show), so that waiting for it here cannot lock up.
  stopping.store(true);
  while (writing.load()) {
  }
  if (progressShown.load()) {
    const ssize_t written = write(STDERR_FILENO, kWipeLine.data(), kWipeLine.size());
    static_cast<void>(written);
  }
  _exit(128 + signal);
}

}  // namespace

std::string inkOnStderr(Ink ink, std::string_view text) { return inked(STDERR_FILENO, ink, text); }
std::string inkOnStdout(Ink ink, std::string_view text) { return inked(STDOUT_FILENO, ink, text); }
std::string errorLabel() { return inkOnStderr(Ink::Red, "error:") + " "; }

void dieCleanlyOnInterrupt() {
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void removeOnInterrupt(int folder, const std::string& name) {
  nameSet.store(false);
  if (name.empty() || name.size() >= sizeof nameToRemove) return;
  std::memcpy(nameToRemove, name.c_str(), name.size() + 1);
  folderOfName.store(folder);
  nameSet.store(true);
}

NotedInterrupt::NotedInterrupt() {
  beforeInterrupt_ = signal(SIGINT, noteInterrupt);
  beforeTermination_ = signal(SIGTERM, noteInterrupt);
  if (beforeInterrupt_ != noteInterrupt) signalNoted.store(0);
}
NotedInterrupt::~NotedInterrupt() {
  signal(SIGINT, beforeInterrupt_);
  signal(SIGTERM, beforeTermination_);
}
bool NotedInterrupt::came() const { return signalNoted.load() != 0; }
int exitCodeOfInterrupt() { return 128 + (signalNoted.load() == SIGTERM ? SIGTERM : SIGINT); }

Progress::Progress() {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Progress::now(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::part(std::string which) {
  const std::lock_guard lock(mutex_);
  part_ = std::move(which);
}

void Progress::show() {
  // Signals go to the main thread: the handler waits for this one.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(500), [this] { return done_; })) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
    writing.store(true);
    if (!stopping.load()) {
      progressShown.store(true);
      std::cerr << kWipeLine << part_ << what_ << " … " << seconds.count() << " s" << std::flush;
    }
    writing.store(false);
  }
  if (progressShown.exchange(false)) std::cerr << kWipeLine << std::flush;
}

}  // namespace tenon::cli
